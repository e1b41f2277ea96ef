// Nearest-triangle and ray questions over a hierarchy of boxes. The nearest search goes down the closer child first and
// drops every node that is farther than the best answer so far. Rays: ray.h.
#include "mesh/triangle_tree.h"

#include <assert.h>

#include "base/error.h"
#include "mesh/ray.h"
#include "mesh/simplex.h"

static const pl_hit NO_HIT = {.triangle = -1, .distance = HUGE_VAL};

static bool fill_boxes(pl_triangle_tree *tree, const pl_mesh_view *view) {
  pl_arena temporary;
  pl_arena_init(&temporary, tree->arena.context, 0);
  pl_box *boxes = PL_TAKE(&temporary, pl_box, view->triangle_count);
  bool done = false;
  if (boxes != NULL) {
    for (int32_t t = 0; t < view->triangle_count; ++t) {
      const int32_t *corners = &view->triangles[3 * t];
      boxes[t] =
          pl_box_add_point((pl_box){view->points[corners[0]], view->points[corners[0]]}, view->points[corners[1]]);
      boxes[t] = pl_box_add_point(boxes[t], view->points[corners[2]]);
    }
    done = pl_box_tree_build(&tree->arena, boxes, view->triangle_count, &tree->boxes);
  }
  pl_arena_destroy(&temporary);
  return done;
}

static bool fill_tree(pl_triangle_tree *tree, const pl_mesh_view *view) {
  pl_arena *arena = &tree->arena;
  tree->triangle_count = view->triangle_count;
  tree->point_count = view->point_count;
  if (!fill_boxes(tree, view)) return false;
  tree->corners = PL_TAKE(arena, pl_vec3, 3 * (size_t)view->triangle_count);
  tree->dipoles = PL_TAKE(arena, pl_dipole, tree->boxes.node_count);
  tree->triangles = pl_arena_copy(arena, view->triangles, 3 * (size_t)view->triangle_count, sizeof(int32_t));
  if (arena->failed) return false;
  for (int32_t i = 0; i < view->triangle_count; ++i)
    for (int32_t k = 0; k < 3; ++k)
      tree->corners[3 * (size_t)i + (size_t)k] = view->points[view->triangles[3 * tree->boxes.order[i] + k]];
  return pl_triangle_tree_fill_dipoles(tree) && pl_triangle_tree_fill_normals(tree, view->points);
}

pl_status pl_triangle_tree_build(pl_context *context, const pl_mesh *mesh, pl_triangle_tree **tree, pl_error *error) {
  *tree = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_triangle_tree *made = PL_TAKE(&arena, pl_triangle_tree, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = arena;
  if (!fill_tree(made, &view)) {
    pl_triangle_tree_destroy(made);
    return pl_fail_memory(error);
  }
  *tree = made;
  return PL_OK;
}

void pl_triangle_tree_destroy(pl_triangle_tree *tree) {
  if (tree == NULL) return;
  pl_arena arena = tree->arena;
  pl_arena_destroy(&arena);
}

// --- nearest -----------------------------------------------------------------------------------------------------

static void nearest_in_leaf(const pl_triangle_tree *tree, const pl_box_node *leaf, pl_vec3 point, double *best,
                            pl_hit *hit) {
  for (int32_t i = leaf->first; i < leaf->first + leaf->count; ++i) {
    const pl_vec3 *corners = &tree->corners[3 * (size_t)i];
    double weights[3];
    pl_vec3 on = pl_triangle_nearest(corners[0], corners[1], corners[2], point, weights), away = pl_vec3_sub(point, on);
    double squared = pl_vec3_dot(away, away);
    int32_t triangle = tree->boxes.order[i];
    if (!(squared < *best || (squared == *best && (hit->triangle < 0 || triangle < hit->triangle)))) continue;
    *best = squared;
    *hit = (pl_hit){triangle, 0, on, {weights[0], weights[1], weights[2]}};
  }
}

pl_hit pl_triangle_tree_nearest(const pl_triangle_tree *tree, pl_vec3 point, double limit) {
  pl_hit hit = NO_HIT;
  if (tree->boxes.node_count == 0 || !(limit >= 0) || !pl_vec3_is_finite(point)) return hit;
  struct {
    int32_t node;
    double squared;
  } stack[PL_BOX_TREE_DEPTH];
  int32_t depth = 0;
  const pl_box_node *nodes = tree->boxes.nodes;
  double best = limit * limit;
  stack[depth].node = 0;
  stack[depth++].squared = pl_box_distance_squared(&nodes[0].box, point);
  while (depth > 0) {
    int32_t node = stack[--depth].node;
    // Equal distance is still visited: the lowest index wins among equals.
    if (stack[depth].squared > best) continue;
    if (nodes[node].count > 0) {
      nearest_in_leaf(tree, &nodes[node], point, &best, &hit);
      continue;
    }
    int32_t near = node + 1, far = nodes[node].second;
    double near_squared = pl_box_distance_squared(&nodes[near].box, point);
    double far_squared = pl_box_distance_squared(&nodes[far].box, point);
    if (far_squared < near_squared) {
      int32_t swap = near;
      near = far;
      far = swap;
      double swap_squared = near_squared;
      near_squared = far_squared;
      far_squared = swap_squared;
    }
    // One pops before two push, so the stack never holds more than the depth of the tree.
    assert(depth + 2 <= PL_BOX_TREE_DEPTH);
    if (far_squared <= best) {
      stack[depth].node = far;
      stack[depth++].squared = far_squared;
    }
    if (near_squared <= best) {
      stack[depth].node = near;
      stack[depth++].squared = near_squared;
    }
  }
  if (hit.triangle >= 0) hit.distance = sqrt(best);
  return hit;
}

// --- rays --------------------------------------------------------------------------------------------------------

static void meet_leaf(const pl_triangle_tree *tree, const pl_box_node *leaf, const pl_ray *r, double *limit,
                      pl_hit *hit) {
  for (int32_t i = leaf->first; i < leaf->first + leaf->count; ++i) {
    const pl_vec3 *corners = &tree->corners[3 * (size_t)i];
    double distance, w[3];
    if (!pl_ray_meet_triangle(r, corners, &distance, w) || !(distance >= 0 && distance <= *limit)) continue;
    int32_t triangle = tree->boxes.order[i];
    if (hit->triangle >= 0 && distance == *limit && triangle > hit->triangle) continue;
    *limit = distance;
    pl_vec3 on = pl_vec3_add_scaled(pl_vec3_scale(corners[0], w[0]), corners[1], w[1]);
    *hit = (pl_hit){triangle, distance, pl_vec3_add_scaled(on, corners[2], w[2]), {w[0], w[1], w[2]}};
  }
}

pl_hit pl_triangle_tree_ray(const pl_triangle_tree *tree, pl_vec3 origin, pl_vec3 direction, double limit) {
  pl_hit hit = NO_HIT;
  pl_vec3 unit = pl_vec3_normalize_or(direction, pl_vec3_of(0, 0, 0));
  bool is_ray = pl_vec3_is_finite(origin) && pl_vec3_is_finite(unit) && pl_vec3_length(unit) > 0.5 && limit >= 0;
  if (tree->boxes.node_count == 0 || !is_ray) return hit;
  pl_ray r = pl_ray_of(origin, unit);
  const pl_box_node *nodes = tree->boxes.nodes;
  int32_t stack[PL_BOX_TREE_DEPTH], depth = 0;
  double enters[PL_BOX_TREE_DEPTH];
  stack[0] = 0;
  enters[depth++] = pl_ray_enter_box(&r, &nodes[0].box, limit);
  while (depth > 0) {
    int32_t node = stack[--depth];
    if (!isfinite(enters[depth]) || enters[depth] > limit) continue;
    if (nodes[node].count > 0) {
      meet_leaf(tree, &nodes[node], &r, &limit, &hit);
      continue;
    }
    int32_t near = node + 1, far = nodes[node].second;
    double near_enter = pl_ray_enter_box(&r, &nodes[near].box, limit),
           far_enter = pl_ray_enter_box(&r, &nodes[far].box, limit);
    bool swap = far_enter < near_enter;
    assert(depth + 2 <= PL_BOX_TREE_DEPTH);
    stack[depth] = swap ? near : far;
    enters[depth++] = swap ? near_enter : far_enter;
    stack[depth] = swap ? far : near;
    enters[depth++] = swap ? far_enter : near_enter;
  }
  return hit;
}
