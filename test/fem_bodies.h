// Finite-element bodies that several tests start from.
#ifndef PL_TEST_FEM_BODIES_H
#define PL_TEST_FEM_BODIES_H

#include "bodies.h"

static inline pl_model *make_fem_model(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh) {
  pl_error error = {0};
  pl_model *model = NULL;
  check_ok(pl_fem_build(context, def, mesh, &model, &error), &error);
  return model;
}

// A box of tets around the origin.
static inline pl_mesh *make_fem_box(pl_context *context, pl_vec3 size, int32_t nx, int32_t ny, int32_t nz) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create_box(context, size, (const int32_t[3]){nx, ny, nz}, &mesh, &error), &error);
  return mesh;
}

// A straight chain of segments along x from the origin, with one more before it to clamp: points 0 and 1 are at -length/count and 0.
static inline pl_mesh *make_fem_chain(pl_context *context, double length, int32_t count) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  size_t n = (size_t)count + 2;
  pl_vec3 *points = calloc(n, sizeof *points);
  int32_t *segments = calloc(2 * n, sizeof *segments);
  for (int32_t i = 0; i < count + 2; ++i) points[i] = (pl_vec3){(i - 1) * length / count, 0, 0};
  for (int32_t i = 0; i < count + 1; ++i) segments[2 * i] = i, segments[2 * i + 1] = i + 1;
  pl_mesh_view view = {.point_count = count + 2, .points = points, .segment_count = count + 1, .segments = segments};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  free(points);
  free(segments);
  return mesh;
}

// A strip of nearly equilateral triangles in the plane z = 0: length along x in `count` columns, `rows` across (even). Rows are shifted by half a triangle.
static inline pl_mesh *make_fem_sheet(pl_context *context, double length, int32_t count, int32_t rows) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  double side = length / count, height = side * sqrt(3) / 2;
  int32_t across = count + 2, n = across * (rows + 1);
  pl_vec3 *points = calloc((size_t)n, sizeof *points);
  int32_t *triangles = calloc(6 * (size_t)(across * rows), sizeof *triangles), used = 0;
  for (int32_t r = 0; r <= rows; ++r)
    for (int32_t i = 0; i < across; ++i) {
      // Odd rows are shifted to the left and end on the border like even ones.
      double x = r % 2 == 0 ? i * side : (i - 0.5) * side;
      points[across * r + i] = (pl_vec3){fmin(fmax(x, 0), length), r * height, 0};
    }
  for (int32_t r = 0; r < rows; ++r)
    for (int32_t i = 0; i + 1 < across; ++i) {
      int32_t a = across * r + i, b = a + across;
      const int32_t even[6] = {a, a + 1, b + 1, a, b + 1, b}, odd[6] = {a, a + 1, b, a + 1, b + 1, b};
      const int32_t *two = r % 2 == 0 ? even : odd;
      for (int t = 0; t < 2; ++t) {
        const int32_t *c = two + 3 * t;
        pl_vec3 p = points[c[0]], q = points[c[1]], s = points[c[2]];
        double area = (q.x - p.x) * (s.y - p.y) - (q.y - p.y) * (s.x - p.x);
        if (area < 1e-9 * side * side) continue;
        for (int k = 0; k < 3; ++k) triangles[3 * used + k] = c[k];
        used++;
      }
    }
  // Points that the border swallowed are left out.
  int32_t *number = calloc((size_t)n, sizeof *number), kept = 0;
  for (int32_t i = 0; i < n; ++i) number[i] = -1;
  for (int32_t t = 0; t < 3 * used; ++t) number[triangles[t]] = 0;
  for (int32_t i = 0; i < n; ++i)
    if (number[i] == 0) {
      points[kept] = points[i];
      number[i] = kept++;
    }
  for (int32_t t = 0; t < 3 * used; ++t) triangles[t] = number[triangles[t]];
  pl_mesh_view view = {.point_count = kept, .points = points, .triangle_count = used, .triangles = triangles};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  free(points);
  free(triangles);
  free(number);
  return mesh;
}

// Points of a mesh whose x is at most `limit`, as pins; free() them.
static inline int32_t *list_left_points(const pl_mesh *mesh, double limit, int32_t *count) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  int32_t *pinned = calloc((size_t)view.point_count, sizeof *pinned);
  *count = 0;
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].x <= limit) pinned[(*count)++] = i;
  return pinned;
}

static inline void pin_points(pl_world *world, pl_body_id body, const pl_mesh *mesh, const int32_t *points, int32_t count) {
  pl_error error = {0};
  for (int32_t i = 0; i < count; ++i) {
    pl_pin_def def = pl_default_pin_def();
    def.body = body;
    def.particle = points[i];
    def.target = pl_mesh_get_view(mesh).points[points[i]];
    check_ok(pl_world_add_pin(world, &def, NULL, &error), &error);
  }
}

#endif
