// Meshes that several tests use.
#ifndef PL_TEST_MESH_SAMPLES_H
#define PL_TEST_MESH_SAMPLES_H

#include "base/random.h"
#include "check.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

static inline pl_mesh *sample_of_view(pl_context *context, pl_mesh_view view) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

static inline pl_mesh *sample_box(pl_context *context, pl_vec3 size, int32_t x, int32_t y, int32_t z) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create_box(context, size, (int32_t[3]){x, y, z}, &mesh, &error), &error);
  return mesh;
}

// A closed unit sphere of `stacks` x 2 stacks quads cut in two, outward; one point at each pole.
static inline pl_mesh *sample_sphere(pl_context *context, int32_t stacks) {
  int32_t slices = 2 * stacks, point_count = (stacks - 1) * slices + 2, triangle_count = 0;
  pl_vec3 *points = malloc((size_t)point_count * sizeof *points);
  int32_t *triangles = malloc((size_t)(2 * stacks * slices) * 3 * sizeof *triangles);
  points[0] = pl_vec3_of(0, 0, 1);
  points[point_count - 1] = pl_vec3_of(0, 0, -1);
  for (int32_t i = 1; i < stacks; ++i)
    for (int32_t j = 0; j < slices; ++j) {
      double polar = PL_PI * i / stacks, around = 2 * PL_PI * j / slices;
      points[1 + (i - 1) * slices + j] = pl_vec3_of(sin(polar) * cos(around), sin(polar) * sin(around), cos(polar));
    }
  for (int32_t i = 0; i < stacks; ++i)
    for (int32_t j = 0; j < slices; ++j) {
      int32_t k = (j + 1) % slices;
      int32_t a = i == 0 ? 0 : 1 + (i - 1) * slices + j, b = i == 0 ? 0 : 1 + (i - 1) * slices + k;
      int32_t c = i == stacks - 1 ? point_count - 1 : 1 + i * slices + j,
              d = i == stacks - 1 ? point_count - 1 : 1 + i * slices + k;
      const int32_t both[6] = {a, c, d, a, d, b};
      if (c != d) memcpy(&triangles[3 * triangle_count++], both, 3 * sizeof *both);
      if (a != b) memcpy(&triangles[3 * triangle_count++], both + 3, 3 * sizeof *both);
    }
  pl_mesh *mesh = sample_of_view(
      context,
      (pl_mesh_view){.point_count = point_count, .points = points, .triangle_count = triangle_count, .triangles = triangles});
  free(points);
  free(triangles);
  return mesh;
}

static inline pl_vec3 sample_point(pl_random *random, double reach) {
  double x = pl_random_between(random, -reach, reach), y = pl_random_between(random, -reach, reach);
  return pl_vec3_of(x, y, pl_random_between(random, -reach, reach));
}

// Small triangles anywhere, one in ten without area, some exactly equal.
static inline pl_mesh *sample_soup(pl_context *context, int32_t triangle_count, uint64_t seed) {
  pl_random random = pl_random_of_seed(seed);
  pl_vec3 *points = malloc((size_t)triangle_count * 3 * sizeof *points);
  int32_t *triangles = malloc((size_t)triangle_count * 3 * sizeof *triangles);
  for (int32_t t = 0; t < triangle_count; ++t) {
    pl_vec3 *p = &points[3 * t];
    p[0] = sample_point(&random, 1);
    p[1] = pl_vec3_add(p[0], sample_point(&random, 0.2));
    p[2] = pl_vec3_add(p[0], sample_point(&random, 0.2));
    if (t % 10 == 3) p[2] = pl_vec3_lerp(p[0], p[1], 0.3);
    if (t % 10 == 6) p[2] = p[1] = p[0];
    if (t % 10 == 9) memcpy(p, p - 9, 3 * sizeof *p);
    for (int32_t i = 0; i < 3; ++i) triangles[3 * t + i] = 3 * t + i;
  }
  pl_mesh *mesh = sample_of_view(
      context, (pl_mesh_view){
                   .point_count = 3 * triangle_count, .points = points, .triangle_count = triangle_count, .triangles = triangles});
  free(points);
  free(triangles);
  return mesh;
}

#endif
