// Bars and what to do to them, for the tests of poses.
#ifndef PL_TEST_POSE_SAMPLES_H
#define PL_TEST_POSE_SAMPLES_H

#include "mesh/pose_fitter.h"
#include "unit/mesh/mesh_samples.h"

// A bar along z with its boundary as surface, and a place for the posed surface.
typedef struct bar {
  pl_context *context;
  pl_mesh *tets, *surface;
  pl_mesh_view volume, skin;
  pl_vec3 *posed;   // per surface point
  pl_vec3 *points;  // per tet point, the result
} bar;

typedef pl_vec3 bar_motion(pl_vec3 p, double amount);

static inline bar bar_make(pl_context *context, pl_vec3 size, int32_t x, int32_t y, int32_t z) {
  bar b = {.context = context, .tets = sample_box(context, size, x, y, z)};
  pl_error error = {0};
  check_ok(pl_mesh_build_boundary(context, b.tets, &b.surface, NULL, &error), &error);
  b.volume = pl_mesh_get_view(b.tets);
  b.skin = pl_mesh_get_view(b.surface);
  b.posed = malloc((size_t)b.skin.point_count * sizeof *b.posed);
  b.points = malloc((size_t)b.volume.point_count * sizeof *b.points);
  return b;
}

static inline void bar_pose(bar *b, bar_motion *motion, double amount) {
  for (int32_t i = 0; i < b->skin.point_count; ++i) b->posed[i] = motion(b->skin.points[i], amount);
}

static inline void bar_free(bar *b) {
  pl_mesh_destroy(b->tets);
  pl_mesh_destroy(b->surface);
  free(b->posed);
  free(b->points);
}

// Around z, `amount` radians in all over a length of 4.
static inline pl_vec3 bar_twist(pl_vec3 p, double amount) {
  double angle = amount * (p.z / 4 + 0.5), c = cos(angle), s = sin(angle);
  return pl_vec3_of(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
}

// Two bones that meet at the origin: above, rotated around x by `amount`; linear blend skinning over a length of 0.8.
static inline pl_vec3 bar_elbow(pl_vec3 p, double amount) {
  double fraction = fmin(fmax(p.z / 0.8 + 0.5, 0), 1);
  pl_vec3 turned = pl_quat_rotate(pl_quat_from_axis_angle(pl_vec3_of(1, 0, 0), amount), p);
  return pl_vec3_lerp(p, turned, fraction);
}

#endif
