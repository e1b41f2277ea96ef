// Where points sit in a coarser mesh: each is a fixed weighted mean of the corners of one element, so that it follows
// when the mesh deforms.
//
// The element is the nearest one, found in a hierarchy of boxes; distance 0 means inside. A point outside all tets
// extrapolates the affine map of its nearest tet, which keeps thin detail around a coarse cage in shape instead of
// flattening it onto the cage's boundary. On triangles and segments, which have no inside, a point takes the nearest
// point on them.
#include <assert.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "mesh/box_tree.h"
#include "mesh/embedding.h"
#include "mesh/simplex.h"
#include "mesh/topology.h"
#include "pliant/mesh.h"

enum { GRAIN = 512 };

// A point this close to its element, as a fraction of the mesh's diagonal, counts as in it: rounding alone puts points
// of a boundary outside.
static const double TOUCHING = 1e-12;

struct pl_embedding {
  pl_arena arena;
  int32_t point_count;
  int32_t *parents;  // 4 per point
  float *weights;    // 4 per point
};

typedef struct search {
  const pl_vec3 *mesh_points, *points;
  pl_elements elements;
  pl_box_tree tree;
  double touching;  // metres
  int32_t *parents;
  float *weights;
  double *distances;  // of each point from its element
} search;

typedef struct location {
  int32_t element;
  double squared;
  double weights[4];
} location;

static pl_vec3 nearest_on_element(const search *s, int32_t element, pl_vec3 p, double weights[4]) {
  const int32_t *i = &s->elements.corners[s->elements.width * element];
  const pl_vec3 *at = s->mesh_points;
  weights[2] = weights[3] = 0;
  if (s->elements.width == 2) return pl_segment_nearest(at[i[0]], at[i[1]], p, weights);
  if (s->elements.width == 3) return pl_triangle_nearest(at[i[0]], at[i[1]], at[i[2]], p, weights);
  const pl_vec3 corners[4] = {at[i[0]], at[i[1]], at[i[2]], at[i[3]]};
  return pl_tet_nearest(corners, p, weights);
}

static void search_leaf(const search *s, const pl_box_node *leaf, pl_vec3 p, location *best) {
  for (int32_t i = leaf->first; i < leaf->end; ++i) {
    int32_t element = s->tree.order[i];
    // Inside is inside: only a lower index could still win.
    if (best->squared == 0 && element > best->element) continue;
    double w[4];
    pl_vec3 away = pl_vec3_sub(p, nearest_on_element(s, element, p, w));
    double squared = pl_vec3_dot(away, away);
    if (!(squared < best->squared || (squared == best->squared && element < best->element))) continue;
    *best = (location){element, squared, {w[0], w[1], w[2], w[3]}};
  }
}

// Nearest element, the lowest index among equals.
static location find_slot(const search *s, pl_vec3 p) {
  location best = {INT32_MAX, HUGE_VAL, {0}};
  int32_t stack[PL_BOX_TREE_DEPTH], depth = 0;
  double squares[PL_BOX_TREE_DEPTH];
  const pl_box_node *nodes = s->tree.nodes;
  stack[0] = 0;
  squares[depth++] = 0;
  while (depth > 0) {
    int32_t node = stack[--depth];
    if (squares[depth] > best.squared) continue;
    if (nodes[node].count > 0) {
      search_leaf(s, &nodes[node], p, &best);
      continue;
    }
    int32_t first = node + 1, second = nodes[node].second;
    double to_first = pl_box_distance_squared(&nodes[first].box, p),
           to_second = pl_box_distance_squared(&nodes[second].box, p);
    bool swap = to_second < to_first;
    assert(depth + 2 <= PL_BOX_TREE_DEPTH);
    stack[depth] = swap ? first : second;
    squares[depth++] = swap ? to_first : to_second;
    stack[depth] = swap ? second : first;
    squares[depth++] = swap ? to_second : to_first;
  }
  // Coordinates so large that their squares overflow leave no nearest; any element will do to report the distance.
  if (best.element == INT32_MAX) best = (location){0, HUGE_VAL, {1, 0, 0, 0}};
  return best;
}

static void place_points(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const search *s = data;
  int32_t width = s->elements.width;
  for (int32_t i = begin; i < end; ++i) {
    location found = find_slot(s, s->points[i]);
    const int32_t *corners = &s->elements.corners[width * found.element];
    double distance = sqrt(found.squared), *w = found.weights;
    if (distance <= s->touching) {
      distance = 0;
    } else if (width == 4) {
      const pl_vec3 at[4] = {s->mesh_points[corners[0]], s->mesh_points[corners[1]], s->mesh_points[corners[2]],
                             s->mesh_points[corners[3]]};
      pl_tet_weights(at, s->points[i], w);  // a flat tet keeps the weights of the nearest point
    }
    s->distances[i] = distance;
    for (int32_t k = 0; k < 4; ++k) s->parents[4 * (size_t)i + (size_t)k] = corners[k < width ? k : width - 1];
    float *weights = &s->weights[4 * (size_t)i];
    for (int32_t k = 1; k < 4; ++k) weights[k] = (float)w[k];
    // From the rounded others, so that a point inside never gets a sum above 1 from rounding alone.
    weights[0] = 1 - weights[1] - weights[2] - weights[3];
    if (w[0] >= 0 && weights[0] < 0) weights[0] = 0;
  }
}

static bool build_tree(pl_arena *arena, search *s) {
  pl_box *boxes = PL_TAKE(arena, pl_box, s->elements.count);
  if (boxes == NULL) return false;
  for (int32_t e = 0; e < s->elements.count; ++e) {
    boxes[e] = pl_box_empty();
    for (int32_t i = 0; i < s->elements.width; ++i)
      boxes[e] = pl_box_add_point(boxes[e], s->mesh_points[s->elements.corners[s->elements.width * e + i]]);
  }
  return pl_box_tree_build(arena, boxes, s->elements.count, &s->tree);
}

// Sum up the distances; a point farther than `tolerance` is an error that names the farthest.
static pl_status check_distances(const search *s, int32_t point_count, double tolerance, pl_embedding_report *report,
                                 pl_error *error) {
  pl_embedding_report found = {.farthest_point = -1};
  int32_t too_far_count = 0;
  for (int32_t i = 0; i < point_count; ++i) {
    if (!(s->distances[i] > 0)) continue;
    found.outside_count++;
    too_far_count += s->distances[i] > tolerance;
    if (found.farthest_point >= 0 && !(s->distances[i] > found.max_distance)) continue;
    found.max_distance = s->distances[i];
    found.farthest_point = i;
  }
  if (too_far_count > 0) {
    pl_vec3 p = s->points[found.farthest_point];
    return pl_fail(
        error, PL_ERROR_INVALID_DATA,
        "point %d at (%g, %g, %g) is %g m away from the mesh it should move with, more than the %g m allowed "
        "(%d such points); move the meshes together or allow more",
        found.farthest_point, p.x, p.y, p.z, found.max_distance, tolerance, too_far_count);
  }
  if (report != NULL) *report = found;
  return PL_OK;
}

static pl_status check_input(const search *s, int32_t point_count, double tolerance, pl_error *error) {
  if (point_count < 0 || point_count > INT32_MAX / 4)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "%d points cannot be embedded", point_count);
  if (!(tolerance >= 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a tolerance of %g m makes no sense", tolerance);
  if (point_count > 0 && s->elements.count == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the mesh has no tets, triangles or segments for points to move with");
  for (int32_t i = 0; i < point_count; ++i)
    if (!pl_vec3_is_finite(s->points[i]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d is at (%g, %g, %g), which is not a place", i,
                     s->points[i].x, s->points[i].y, s->points[i].z);
  return PL_OK;
}

pl_status pl_embedding_build(pl_context *context, const pl_mesh *mesh, const pl_embedding_input *input,
                             pl_embedding **embedding, pl_embedding_report *report, pl_error *error) {
  const int32_t point_count = input->point_count;
  if (embedding != NULL) *embedding = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.tet_mids != NULL) {
    // In the eight linear tets of each quadratic one: four parents, exact to second order.
    pl_mesh *split = NULL;
    pl_status made = pl_mesh_build_split(context, mesh, &split, error);
    if (made >= 0) made = pl_embedding_build(context, split, input, embedding, report, error);
    pl_mesh_destroy(split);
    return made;
  }
  search s = {.mesh_points = view.points, .points = input->points, .elements = pl_elements_of_mesh(&view)};
  pl_status status = check_input(&s, point_count, input->tolerance, error);
  if (status < 0) return status;

  pl_arena arena, temporary;
  pl_arena_init(&arena, context, sizeof(pl_embedding) + (size_t)point_count * 32 + 192);
  pl_arena_init(&temporary, context, 0);
  pl_embedding *made = PL_TAKE(&arena, pl_embedding, 1);
  s.parents = PL_TAKE(&arena, int32_t, 4 * (size_t)point_count);
  s.weights = PL_TAKE(&arena, float, 4 * (size_t)point_count);
  s.distances = PL_TAKE(&temporary, double, point_count);
  s.touching = TOUCHING * pl_box_diagonal(pl_box_from_points(view.points, view.point_count));
  if (arena.failed || temporary.failed || !build_tree(&temporary, &s)) {
    status = pl_fail_memory(error);
  } else {
    pl_parallel_for(context, point_count, GRAIN, place_points, &s);
    status = check_distances(&s, point_count, input->tolerance, report, error);
  }
  pl_arena_destroy(&temporary);
  if (status < 0 || embedding == NULL) {
    pl_arena_destroy(&arena);
    return status;
  }
  *made = (pl_embedding){arena, point_count, s.parents, s.weights};
  *embedding = made;
  return PL_OK;
}

pl_status pl_embedding_create(pl_context *context, int32_t point_count, const int32_t *parents, const float *weights,
                              pl_embedding **embedding, pl_error *error) {
  *embedding = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, sizeof(pl_embedding) + (size_t)point_count * 32 + 192);
  pl_embedding *made = PL_TAKE(&arena, pl_embedding, 1);
  int32_t *own_parents = pl_arena_copy(&arena, parents, 4 * (size_t)point_count, sizeof *parents);
  float *own_weights = pl_arena_copy(&arena, weights, 4 * (size_t)point_count, sizeof *weights);
  if (arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  *made = (pl_embedding){arena, point_count, own_parents, own_weights};
  *embedding = made;
  return PL_OK;
}

void pl_embedding_destroy(pl_embedding *embedding) {
  if (embedding == NULL) return;
  pl_arena arena = embedding->arena;
  pl_arena_destroy(&arena);
}

pl_embedding_view pl_embedding_get_view(const pl_embedding *embedding) {
  return (pl_embedding_view){embedding->point_count, embedding->parents, embedding->weights};
}

// Written as an offset from the first parent: then the weights' rounding scales with the size of the element and not
// with the distance from the origin, and a body far away does not shiver.
void pl_embedding_apply(const pl_embedding *embedding, const pl_vec3 *mesh_points, pl_vec3 *points) {
  for (int32_t i = 0; i < embedding->point_count; ++i) {
    const int32_t *parents = &embedding->parents[4 * (size_t)i];
    const float *weights = &embedding->weights[4 * (size_t)i];
    pl_vec3 origin = mesh_points[parents[0]], p = origin;
    for (int k = 1; k < 4; ++k)
      p = pl_vec3_add_scaled(p, pl_vec3_sub(mesh_points[parents[k]], origin), (double)weights[k]);
    points[i] = p;
  }
}
