// Volume, centre of mass and inertia of shapes of density 1.
//
// Spheres, capsules and boxes by closed forms. The inside of closed triangles by the divergence theorem: each triangle
// (a, b, c) and the origin span a tet of signed volume V = a . (b x c) / 6, over which
//   ∫ x dV = V (a + b + c) / 4,    ∫ x xᵀ dV = V/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ),  s = a + b + c
// The integrals are taken around an origin near the shape, so that digits are not lost far away.
#include "math/mat3.h"
#include "rigid/rigid_model.h"

// Inertia from second moments C = ∫ x xᵀ: trace(C) 1 - C.
static pl_mat3 inertia_of(pl_mat3 c) {
  double trace = c.m[0][0] + c.m[1][1] + c.m[2][2];
  return pl_mat3_add(pl_mat3_diagonal(trace, trace, trace), pl_mat3_scale(c, -1));
}

static pl_rigid_volume volume_of_capsule(double r, double l) {
  double cylinder = 2 * PL_PI * r * r * l, ball = 4.0 / 3 * PL_PI * r * r * r;
  double along = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
  double across = cylinder * (0.25 * r * r + l * l / 3) + ball * (0.4 * r * r + l * l + 0.75 * r * l);
  return (pl_rigid_volume){.volume = cylinder + ball, .inertia = pl_mat3_diagonal(across, along, across)};
}

static pl_rigid_volume volume_of_box(pl_vec3 h) {
  double volume = 8 * h.x * h.y * h.z, third = volume / 3;
  return (pl_rigid_volume){
      .volume = volume,
      .inertia = pl_mat3_diagonal(third * (h.y * h.y + h.z * h.z), third * (h.x * h.x + h.z * h.z),
                                  third * (h.x * h.x + h.y * h.y)),
  };
}

pl_rigid_volume pl_rigid_volume_of_shape(const pl_rigid_def *def) {
  if (def->shape == PL_RIGID_BOX) return volume_of_box(def->half_size);
  return volume_of_capsule(def->radius, def->shape == PL_RIGID_CAPSULE ? def->half_length : 0);
}

pl_rigid_volume pl_rigid_volume_of_triangles(const pl_vec3 *points, const int32_t *triangles, int32_t triangle_count,
                                             pl_vec3 origin) {
  double volume = 0;
  pl_vec3 first = {0, 0, 0};
  pl_mat3 second = pl_mat3_zero();
  for (int32_t t = 0; t < triangle_count; ++t) {
    pl_vec3 a = pl_vec3_sub(points[triangles[3 * t]], origin), b = pl_vec3_sub(points[triangles[3 * t + 1]], origin),
            c = pl_vec3_sub(points[triangles[3 * t + 2]], origin);
    pl_vec3 s = pl_vec3_add(pl_vec3_add(a, b), c);
    double v = pl_vec3_dot(a, pl_vec3_cross(b, c)) / 6;
    volume += v;
    first = pl_vec3_add_scaled(first, s, v / 4);
    pl_mat3 sum = pl_mat3_add(pl_mat3_add(pl_mat3_outer(s, s), pl_mat3_outer(a, a)),
                              pl_mat3_add(pl_mat3_outer(b, b), pl_mat3_outer(c, c)));
    second = pl_mat3_add(second, pl_mat3_scale(sum, v / 20));
  }
  if (!(volume > 0)) return (pl_rigid_volume){.volume = volume};
  pl_vec3 center = pl_vec3_scale(first, 1 / volume);
  second = pl_mat3_add(second, pl_mat3_scale(pl_mat3_outer(center, center), -volume));
  return (pl_rigid_volume){volume, pl_vec3_add(origin, center), inertia_of(second)};
}
