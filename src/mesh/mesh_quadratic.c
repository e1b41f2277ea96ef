// Quadratic tets, with a node on every edge: made of linear ones, made into linear ones, cut into eight each.
#include "mesh/mesh_quadratic.h"
#include "base/error.h"
#include "mesh/topology.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

const int pl_mid_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// Corners 0 … 3 and middles 4 … 9: a tet at every corner, and four around the line between the middles of two opposite
// edges, which cut the octahedron that is left.
static const int PIECES[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                 {6, 8, 4, 5}, {6, 8, 5, 9}, {6, 8, 9, 7}, {6, 8, 7, 4}};

// Points with one more in the middle of every edge.
static const pl_vec3 *add_middles(pl_arena *arena, const pl_vec3 *points, int32_t count, const int32_t *edges,
                                  int32_t edge_count) {
  pl_vec3 *made = PL_TAKE(arena, pl_vec3, (size_t)count + (size_t)edge_count);
  if (made == NULL) return NULL;
  for (int32_t i = 0; i < count; ++i) made[i] = points[i];
  for (int32_t i = 0; i < edge_count; ++i)
    made[count + i] = pl_vec3_scale(pl_vec3_add(points[edges[2 * i]], points[edges[2 * i + 1]]), 0.5);
  return made;
}

static const float *add_weights(pl_arena *arena, const float *weights, int32_t count, const int32_t *edges,
                                int32_t edge_count) {
  float *made = PL_TAKE(arena, float, (size_t)count + (size_t)edge_count);
  if (made == NULL) return NULL;
  for (int32_t i = 0; i < count; ++i) made[i] = weights[i];
  for (int32_t i = 0; i < edge_count; ++i) {
    float a = weights[edges[2 * i]], b = weights[edges[2 * i + 1]];
    made[count + i] = a < b ? a : b;
  }
  return made;
}

static pl_status add_all(pl_context *context, pl_arena *arena, pl_mesh_view view, pl_mesh **quadratic,
                         pl_error *error) {
  int32_t *edges, edge_count, count = view.point_count;
  if (!pl_edges_find(arena, (pl_elements){view.tets, view.tet_count, 4}, count, &edges, &edge_count))
    return pl_fail_memory(error);
  if (edge_count > INT32_MAX - count || view.tet_count > INT32_MAX / 6)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%d points with %d edges are too many for quadratic tets", count,
                   edge_count);
  int32_t *mids = PL_TAKE(arena, int32_t, 6 * (size_t)view.tet_count);
  pl_mesh_group *groups = pl_arena_copy(arena, view.groups, (size_t)view.group_count, sizeof *groups);
  pl_mesh_pose *poses = pl_arena_copy(arena, view.poses, (size_t)view.pose_count, sizeof *poses);
  view.points = add_middles(arena, view.points, count, edges, edge_count);
  for (int32_t i = 0; groups != NULL && i < view.group_count; ++i)
    groups[i].weights = add_weights(arena, groups[i].weights, count, edges, edge_count);
  for (int32_t i = 0; poses != NULL && i < view.pose_count; ++i)
    poses[i].points = add_middles(arena, poses[i].points, count, edges, edge_count);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t t = 0; t < view.tet_count; ++t)
    for (int k = 0; k < 6; ++k) {
      const int32_t *c = view.tets + 4 * (ptrdiff_t)t;
      mids[6 * (ptrdiff_t)t + k] =
          count + pl_edges_index_of(edges, edge_count, c[pl_mid_ends[k][0]], c[pl_mid_ends[k][1]]);
    }
  view.point_count = count + edge_count;
  view.tet_mids = mids;
  view.groups = groups;
  view.poses = poses;
  return pl_mesh_create(context, &view, quadratic, error);
}

pl_status pl_mesh_build_quadratic(pl_context *context, const pl_mesh *mesh, pl_mesh **quadratic, pl_error *error) {
  *quadratic = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.tet_count == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the mesh has no tets that could become quadratic");
  if (view.tet_mids != NULL) return pl_mesh_create(context, &view, quadratic, error);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_status status = add_all(context, &arena, view, quadratic, error);
  pl_arena_destroy(&arena);
  return status;
}

// Numbers of the points that stay, -1 for the others; returns their count.
static int32_t number_points(const pl_mesh_view *view, int32_t *number) {
  for (int32_t i = 0; i < 6 * view->tet_count; ++i) number[view->tet_mids[i]] = -1;
  for (int32_t i = 0; i < 4 * view->tet_count; ++i) number[view->tets[i]] = 0;
  for (int32_t i = 0; i < 3 * view->triangle_count; ++i) number[view->triangles[i]] = 0;
  for (int32_t i = 0; i < 2 * view->segment_count; ++i) number[view->segments[i]] = 0;
  for (int32_t i = 0; i < view->source_count; ++i) number[view->point_of_source[i]] = 0;
  int32_t count = 0;
  for (int32_t i = 0; i < view->point_count; ++i)
    if (number[i] == 0) number[i] = count++;
  return count;
}

static const int32_t *renumber(pl_arena *arena, const int32_t *indices, int32_t count, const int32_t *number) {
  int32_t *made = pl_arena_copy(arena, indices, (size_t)count, sizeof *made);
  for (int32_t i = 0; made != NULL && i < count; ++i) made[i] = number[made[i]];
  return made;
}

static const pl_vec3 *keep_points(pl_arena *arena, const pl_vec3 *points, int32_t count, const int32_t *number) {
  pl_vec3 *made = pl_arena_copy(arena, points, (size_t)count, sizeof *made);
  for (int32_t i = 0; made != NULL && i < count; ++i)
    if (number[i] >= 0) made[number[i]] = points[i];
  return made;
}

static const float *keep_weights(pl_arena *arena, const float *weights, int32_t count, const int32_t *number) {
  float *made = pl_arena_copy(arena, weights, (size_t)count, sizeof *made);
  for (int32_t i = 0; made != NULL && i < count; ++i)
    if (number[i] >= 0) made[number[i]] = weights[i];
  return made;
}

pl_status pl_mesh_build_linear(pl_context *context, const pl_mesh *mesh, pl_mesh **linear, pl_error *error) {
  *linear = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.tet_mids == NULL) return pl_mesh_create(context, &view, linear, error);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *number = PL_TAKE(&arena, int32_t, view.point_count);
  int32_t count = view.point_count, kept = number != NULL ? number_points(&view, number) : 0;
  pl_mesh_group *groups = pl_arena_copy(&arena, view.groups, (size_t)view.group_count, sizeof *groups);
  pl_mesh_pose *poses = pl_arena_copy(&arena, view.poses, (size_t)view.pose_count, sizeof *poses);
  if (!arena.failed) {
    view.points = keep_points(&arena, view.points, count, number);
    view.segments = renumber(&arena, view.segments, 2 * view.segment_count, number);
    view.triangles = renumber(&arena, view.triangles, 3 * view.triangle_count, number);
    view.tets = renumber(&arena, view.tets, 4 * view.tet_count, number);
    view.point_of_source = renumber(&arena, view.point_of_source, view.source_count, number);
    for (int32_t i = 0; i < view.group_count; ++i)
      groups[i].weights = keep_weights(&arena, groups[i].weights, count, number);
    for (int32_t i = 0; i < view.pose_count; ++i) poses[i].points = keep_points(&arena, poses[i].points, count, number);
  }
  view.groups = groups;
  view.poses = poses;
  view.tet_mids = NULL;
  view.point_count = kept;
  pl_status status = arena.failed ? pl_fail_memory(error) : pl_mesh_create(context, &view, linear, error);
  pl_arena_destroy(&arena);
  return status;
}

pl_status pl_mesh_build_split(pl_context *context, const pl_mesh *mesh, pl_mesh **split, pl_error *error) {
  *split = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.tet_mids == NULL) return pl_mesh_create(context, &view, split, error);
  if (view.tet_count > INT32_MAX / 32)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%d quadratic tets are too many to be cut into eight", view.tet_count);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *tets = PL_TAKE(&arena, int32_t, 32 * (size_t)view.tet_count);
  int32_t *tags = view.tet_tags != NULL ? PL_TAKE(&arena, int32_t, 8 * (size_t)view.tet_count) : NULL;
  for (int32_t t = 0; !arena.failed && t < view.tet_count; ++t) {
    for (int k = 0; k < 32; ++k) {
      int node = PIECES[k / 4][k % 4];
      tets[32 * (ptrdiff_t)t + k] =
          node < 4 ? view.tets[4 * (ptrdiff_t)t + node] : view.tet_mids[6 * (ptrdiff_t)t + node - 4];
    }
    for (int k = 0; tags != NULL && k < 8; ++k) tags[8 * (ptrdiff_t)t + k] = view.tet_tags[t];
  }
  view.tets = tets;
  view.tet_count *= 8;
  view.tet_tags = tags;
  view.tet_mids = NULL;
  pl_status status = arena.failed ? pl_fail_memory(error) : pl_mesh_create(context, &view, split, error);
  pl_arena_destroy(&arena);
  return status;
}
