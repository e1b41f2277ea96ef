// Planes that a differentiable motion touches: the normal springs of fem/fem_contact.c, without friction.
//
//   d   depth of a surface point below a plane (and the body's contact radius) at the end of the step, metres
//   K   stiffness times the area that the point stands for, N/m           e   depth over which the force bends
//
//   V = 0 | K d³/6e | K ((d - e/2)²/2 + e²/24)      for d < 0 | d < e | above
//
// V has a continuous second derivative, so the end of a step is a differentiable function of its start and of all
// inputs: the equations have a Jacobian that is continuous, and positive definite with inertia. K is that of the model
// or what the inertia of a layer of elements needs in a step, as in worlds; it is not an input.
#include <math.h>
#include <string.h>

#include "capture/rollout_parts.h"
#include "pliant/math.h"

double pl_rollout_reach(const pl_rollout *r) {
  return r->def.equilibrium ? 1 : 2;
}

void pl_rollout_set_end(pl_rollout *r, int32_t index) {
  const double *x = r->x + index * r->n;
  bool is_end = r->def.equilibrium;
  for (ptrdiff_t i = 0; i < r->n; ++i) r->end[i] = is_end || pl_rollout_is_fixed(r, i) ? r->u[i] : 2 * r->u[i] - x[i];
}

static pl_vec3 surface_point(const pl_rollout *r, int32_t i) {
  const int32_t *parents = r->model->head.surface.parents + 4 * (ptrdiff_t)i;
  const double *weights = r->model->touch.weights + 4 * (ptrdiff_t)i;
  pl_vec3 point = {0, 0, 0};
  for (int k = 0; k < 4; ++k)
    if (weights[k] != 0) point = pl_vec3_add_scaled(point, pl_fem_vector(r->end, parents[k]), weights[k]);
  return point;
}

// What a plane does to a point: energy, force along the normal and its derivative by depth; false: they do not touch.
typedef struct spring {
  double energy, force, rate;
} spring;

static bool press_point(const pl_rollout *r, int32_t i, pl_vec3 point, const pl_rollout_plane *plane, spring *s) {
  double depth = plane->offset + r->model->head.contact_radius - pl_vec3_dot(plane->normal, point);
  if (!(depth > 0)) return false;
  double K = r->plane_stiffness * r->model->touch.areas[i], e = r->model->touch.onset, linear = depth - 0.5 * e;
  if (depth < e)
    *s = (spring){K * depth * depth * depth / (6 * e), K * depth * depth / (2 * e), K * depth / e};
  else
    *s = (spring){K * (0.5 * linear * linear + e * e / 24), K * linear, K};
  return true;
}

double pl_rollout_press(const pl_rollout *r, double *gradient) {
  double sum = 0;
  for (int32_t i = 0; r->def.plane_count > 0 && i < r->model->head.surface.point_count; ++i) {
    pl_vec3 point = surface_point(r, i);
    for (int32_t p = 0; p < r->def.plane_count; ++p) {
      const pl_rollout_plane *plane = &r->def.planes[p];
      spring s;
      if (!press_point(r, i, point, plane, &s)) continue;
      sum += s.energy;
      for (int k = 0; gradient != NULL && k < 4; ++k) {
        double weight = r->model->touch.weights[4 * (ptrdiff_t)i + k];
        if (weight == 0) continue;
        double *g = gradient + 3 * (ptrdiff_t)r->model->head.surface.parents[4 * (ptrdiff_t)i + k];
        g[0] -= weight * s.force * plane->normal.x;
        g[1] -= weight * s.force * plane->normal.y;
        g[2] -= weight * s.force * plane->normal.z;
      }
    }
  }
  return sum;
}

void pl_rollout_find_contact(pl_rollout *r) {
  if (r->def.plane_count == 0) return;
  const pl_fem_touch *touch = &r->model->touch;
  pl_block_matrix_clear(r->worker->context, &r->contact);
  for (int32_t i = 0; i < r->model->head.surface.point_count; ++i) {
    pl_vec3 point = surface_point(r, i);
    for (int32_t p = 0; p < r->def.plane_count; ++p) {
      const double *n = &r->def.planes[p].normal.x;
      spring s;
      if (!press_point(r, i, point, &r->def.planes[p], &s)) continue;
      for (int k = 0; k < 16; ++k) {
        int32_t slot = touch->slots[16 * (ptrdiff_t)i + k];
        if (slot < 0) continue;
        double rate = s.rate * touch->weights[4 * (ptrdiff_t)i + k / 4] * touch->weights[4 * (ptrdiff_t)i + k % 4];
        for (int e = 0; e < 9; ++e) r->contact.values[9 * (ptrdiff_t)slot + e] += rate * n[e / 3] * n[e % 3];
      }
    }
  }
}

void pl_rollout_multiply_contact(pl_rollout *r, const double *vector) {
  if (r->def.plane_count > 0)
    pl_block_matrix_multiply(r->worker->context, &r->contact, vector, r->pressed);
  else
    memset(r->pressed, 0, (size_t)r->n * sizeof(double));
}
