// Rays against boxes and triangles. The test is watertight (Woop, Benthin and Wald 2013): space is
// sheared so that the ray runs along an axis, and the edges of neighbouring triangles are then
// decided by the very same products, so no ray slips through between them.
#ifndef PL_MESH_RAY_H
#define PL_MESH_RAY_H

#include "pliant/math.h"

typedef struct pl_ray {
  pl_vec3 origin;
  double inverse[3];  // of the unit direction
  int along, u, v;    // axes: the one the ray runs along most, and the other two
  double shear_u, shear_v, scale;
} pl_ray;

static inline double pl_vec3_component(const pl_vec3 *vector, int axis) {
  return axis == 0 ? vector->x : axis == 1 ? vector->y : vector->z;
}

static inline pl_ray pl_ray_of(pl_vec3 origin, pl_vec3 unit) {
  pl_ray r = {.origin = origin, .inverse = {1 / unit.x, 1 / unit.y, 1 / unit.z}};
  double x = fabs(unit.x), y = fabs(unit.y), z = fabs(unit.z);
  r.along = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  r.u = (r.along + 1) % 3;
  r.v = (r.along + 2) % 3;
  r.scale = 1 / pl_vec3_component(&unit, r.along);
  r.shear_u = pl_vec3_component(&unit, r.u) * r.scale;
  r.shear_v = pl_vec3_component(&unit, r.v) * r.scale;
  return r;
}

// Where along the ray it enters the box, or INFINITY when it misses it before `limit`. A direction
// of 0 makes infinities and, on the face of a box, a NaN, which fails both comparisons and so
// leaves the interval as it is. The far end gets a few roundings of slack (Ize 2013).
static inline double pl_ray_enter_box(const pl_ray *r, const pl_box *box, double limit) {
  double enter = 0, leave = limit;
  for (int axis = 0; axis < 3; ++axis) {
    double origin = pl_vec3_component(&r->origin, axis), inverse = r->inverse[axis];
    double a = (pl_vec3_component(&box->min, axis) - origin) * inverse,
           b = (pl_vec3_component(&box->max, axis) - origin) * inverse;
    double near = inverse < 0 ? b : a, far = (inverse < 0 ? a : b) * (1 + 1e-15);
    if (near > enter) enter = near;
    if (far < leave) leave = far;
  }
  return enter * (1 - 1e-15) <= leave ? enter : HUGE_VAL;
}

// Distance along the ray to a triangle and its weights; false for a miss.
static inline bool pl_ray_meet_triangle(const pl_ray *r, const pl_vec3 *corners, double *distance,
                                        double weights[3]) {
  double u[3], v[3], along[3];
  for (int i = 0; i < 3; ++i) {
    pl_vec3 d = pl_vec3_sub(corners[i], r->origin);
    along[i] = pl_vec3_component(&d, r->along);
    u[i] = pl_vec3_component(&d, r->u) - r->shear_u * along[i];
    v[i] = pl_vec3_component(&d, r->v) - r->shear_v * along[i];
  }
  double a = u[2] * v[1] - v[2] * u[1], b = u[0] * v[2] - v[0] * u[2],
         c = u[1] * v[0] - v[1] * u[0];
  if ((a < 0 || b < 0 || c < 0) && (a > 0 || b > 0 || c > 0)) return false;
  double sum = a + b + c;
  if (sum == 0) return false;  // seen edge-on, or no area at all
  weights[0] = a / sum;
  weights[1] = b / sum;
  weights[2] = c / sum;
  *distance = (weights[0] * along[0] + weights[1] * along[1] + weights[2] * along[2]) * r->scale;
  return true;
}

#endif
