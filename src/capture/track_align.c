// Where a body is in a cloud, before it is tracked: a rigid placement, by principal axes and closest points.
//
// The axes of inertia of surface and cloud agree up to their order and direction, 24 rotations, of which each is
// improved by a few iterations of closest points (Besl and McKay 1992) on a part of the cloud; the best one goes on
// with more. Points that are far off count for nothing: a fifth of each iteration's, and before that all that lie
// beyond three times the median distance from the median, which the wild pixels of a depth camera do.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "mesh/triangle_tree.h"
#include "pliant/track.h"

enum { COARSE_POINTS = 200, FINE_POINTS = 2000, COARSE_ITERATIONS = 12, FINE_ITERATIONS = 60, STARTS = 24 };
static const double TRIMMED = 0.2, OUTER = 3;
static const double SETTLED = 1e-7;  // of the size: motion of an iteration at which it ends

typedef struct alignment {
  const pl_triangle_tree *tree;
  pl_vec3 *points;  // of the cloud, the first ones spread over all of it
  int32_t count;
  pl_vec3 *nearest, *back;
  double *distances, *sorted;
  double size;
} alignment;

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(double *numbers, int32_t count, double fraction) {
  qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
  return numbers[(int32_t)(fraction * (count - 1))];
}

// Points within OUTER times the median distance from the median, at most FINE_POINTS of them.
static void take_points(alignment *a, const pl_cloud_view *cloud, double *workspace) {
  int32_t step = 1 + cloud->point_count / (4 * FINE_POINTS), taken = 0;
  double middle[3];
  for (int axis = 0; axis < 3; ++axis) {
    taken = 0;
    for (int32_t i = 0; i < cloud->point_count; i += step) workspace[taken++] = (&cloud->points[i].x)[axis];
    middle[axis] = quantile(workspace, taken, 0.5);
  }
  pl_vec3 center = {middle[0], middle[1], middle[2]};
  for (int32_t i = 0, k = 0; i < cloud->point_count; i += step)
    workspace[k++] = pl_vec3_length(pl_vec3_sub(cloud->points[i], center));
  double reach = OUTER * quantile(workspace, taken, 0.5);
  for (int32_t i = 0; i < cloud->point_count && a->count < FINE_POINTS; i += step)
    if (pl_vec3_length(pl_vec3_sub(cloud->points[i], center)) <= reach) a->points[a->count++] = cloud->points[i];
}

// Mean and principal axes, as columns.
static pl_vec3 axes_of(const pl_vec3 *points, const double *weights, int32_t count, pl_mat3 *axes) {
  pl_vec3 mean = {0}, values;
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    double w = weights != NULL ? weights[i] : 1;
    mean = pl_vec3_add_scaled(mean, points[i], w);
    sum += w;
  }
  mean = pl_vec3_scale(mean, 1 / sum);
  pl_mat3 moment = {{{0}}};
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 d = pl_vec3_sub(points[i], mean);
    const double p[3] = {d.x, d.y, d.z};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) moment.m[r][c] += (weights != NULL ? weights[i] : 1) / sum * p[r] * p[c];
  }
  pl_symmetric_eigen(moment, &values, axes);
  return mean;
}

// One of the 24 rotations that take axes to axes.
static pl_mat3 start_of(const pl_mat3 *from, const pl_mat3 *to, int number) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const int *order = orders[number / 4];
  double signs[3] = {number % 2 == 0 ? 1 : -1, number / 2 % 2 == 0 ? 1 : -1, 1};
  pl_mat3 turned;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) turned.m[r][c] = signs[c] * to->m[r][order[c]];
  pl_mat3 rotation = pl_mat3_multiply(turned, pl_mat3_transpose(*from));
  if (pl_mat3_determinant(rotation) > 0) return rotation;
  for (int r = 0; r < 3; ++r) turned.m[r][2] = -turned.m[r][2];
  return pl_mat3_multiply(turned, pl_mat3_transpose(*from));
}

// Closest points of the surface to `count` points of the cloud, brought back to the surface's axes; root mean square of
// the nearer ones.
static double match(alignment *a, const pl_mat3 *rotation, pl_vec3 position, int32_t count, double *limit) {
  pl_mat3 inverse = pl_mat3_transpose(*rotation);
  int32_t step = a->count / count > 0 ? a->count / count : 1, taken = 0;
  for (int32_t i = 0; i < a->count && taken < count; i += step, ++taken) {
    a->back[taken] = pl_mat3_apply(inverse, pl_vec3_sub(a->points[i], position));
    a->distances[taken] =
        fabs(pl_triangle_tree_signed_distance(a->tree, a->back[taken], HUGE_VAL, &a->nearest[taken], NULL));
    a->sorted[taken] = a->distances[taken];
  }
  *limit = quantile(a->sorted, taken, 1 - TRIMMED);
  double sum = 0;
  int32_t near = 0;
  for (int32_t i = 0; i < taken; ++i)
    if (a->distances[i] <= *limit) sum += a->distances[i] * a->distances[i], ++near;
  return sqrt(sum / (near > 0 ? near : 1));
}

// The rigid motion that brings the closest points to the points, by the singular values of their covariance (Arun
// 1987).
static double improve(alignment *a, pl_mat3 *rotation, pl_vec3 *position, int32_t count, int32_t iterations) {
  double limit, residual = match(a, rotation, *position, count, &limit);
  for (int32_t k = 0; k < iterations; ++k) {
    int32_t step = a->count / count > 0 ? a->count / count : 1, near = 0;
    pl_vec3 from = {0}, to = {0};
    for (int32_t i = 0, t = 0; i < a->count && t < count; i += step, ++t)
      if (a->distances[t] <= limit) from = pl_vec3_add(from, a->nearest[t]), to = pl_vec3_add(to, a->points[i]), ++near;
    from = pl_vec3_scale(from, 1.0 / near), to = pl_vec3_scale(to, 1.0 / near);
    pl_mat3 covariance = {{{0}}}, u, v;
    for (int32_t i = 0, t = 0; i < a->count && t < count; i += step, ++t) {
      if (a->distances[t] > limit) continue;
      pl_vec3 p = pl_vec3_sub(a->points[i], to), q = pl_vec3_sub(a->nearest[t], from);
      const double x[3] = {p.x, p.y, p.z}, y[3] = {q.x, q.y, q.z};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) covariance.m[r][c] += x[r] * y[c];
    }
    pl_vec3 s, before = *position;
    pl_signed_svd(covariance, &u, &s, &v);
    pl_mat3 old = *rotation;
    *rotation = pl_mat3_multiply(u, pl_mat3_transpose(v));
    *position = pl_vec3_sub(to, pl_mat3_apply(*rotation, from));
    residual = match(a, rotation, *position, count, &limit);
    double turned = 0;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) turned = fmax(turned, fabs(rotation->m[r][c] - old.m[r][c]));
    if (pl_vec3_length(pl_vec3_sub(*position, before)) < SETTLED * a->size && turned < SETTLED) break;
  }
  return residual;
}

static void search(alignment *a, const pl_mesh_view *surface, const double *areas, pl_transform *placement,
                   double *residual) {
  pl_mat3 own, other, best = pl_mat3_identity();
  pl_vec3 mean = axes_of(surface->points, areas, surface->point_count, &own),
          middle = axes_of(a->points, NULL, a->count, &other), position = {0};
  *residual = HUGE_VAL;
  for (int k = 0; k < STARTS; ++k) {
    pl_mat3 rotation = start_of(&own, &other, k);
    pl_vec3 at = pl_vec3_sub(middle, pl_mat3_apply(rotation, mean));
    double found = improve(a, &rotation, &at, COARSE_POINTS, COARSE_ITERATIONS);
    if (found < *residual) *residual = found, best = rotation, position = at;
  }
  *residual = improve(a, &best, &position, FINE_POINTS, FINE_ITERATIONS);
  *placement = (pl_transform){position, pl_rotation_of_mat3(best, pl_quat_identity())};
}

pl_status pl_track_align(pl_context *context, const pl_mesh *surface, const pl_cloud_view *cloud,
                         pl_transform *placement, double *residual, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(surface);
  if (view.triangle_count == 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "a surface without triangles");
  pl_triangle_tree *tree = NULL;
  pl_status status = pl_triangle_tree_build(context, surface, &tree, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  alignment a = {.tree = tree, .size = pl_box_diagonal(pl_box_from_points(view.points, view.point_count))};
  a.points = PL_TAKE(&arena, pl_vec3, FINE_POINTS);
  a.nearest = PL_TAKE(&arena, pl_vec3, FINE_POINTS);
  a.back = PL_TAKE(&arena, pl_vec3, FINE_POINTS);
  a.distances = PL_TAKE(&arena, double, FINE_POINTS);
  a.sorted = PL_TAKE(&arena, double, FINE_POINTS);
  double *workspace = PL_TAKE(&arena, double, 8 * FINE_POINTS + 8), *areas = PL_TAKE(&arena, double, view.point_count);
  status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0 && cloud->point_count > 0) take_points(&a, cloud, workspace);
  if (status >= 0 && a.count < pl_track_min_points())
    status = pl_fail(error, PL_ERROR_INVALID_DATA, "the cloud has %d points that belong together; a body needs %d",
                     a.count, pl_track_min_points());
  for (int32_t t = 0; status >= 0 && t < view.triangle_count; ++t) {
    const int32_t *c = view.triangles + 3 * (ptrdiff_t)t;
    pl_vec3 p = view.points[c[0]];
    pl_vec3 n = pl_vec3_cross(pl_vec3_sub(view.points[c[1]], p), pl_vec3_sub(view.points[c[2]], p));
    for (int i = 0; i < 3; ++i) areas[c[i]] += pl_vec3_length(n) / 6;
  }
  double mine = 0;
  if (status >= 0) search(&a, &view, areas, placement, &mine);
  if (status >= 0 && residual != NULL) *residual = mine;
  pl_arena_destroy(&arena);
  pl_triangle_tree_destroy(tree);
  return status;
}
