// Questions to a surface that moves: rays, nearest points, boxes, inside or outside.
//
// Refitting keeps the structure of the tree and costs one pass over triangles and nodes. Nodes stand in depth-first
// order, so children follow their parents and one pass from the last node to the first is enough.
//
// Inside: the winding number is the sum of +1 for each triangle that a ray leaves through and -1 for each it enters
// through. It is the same for all rays of a closed surface; where it is positive the point is inside, also where the
// surface overlaps itself. A ray through an edge meets both of its triangles and may count one crossing twice; a
// surface with a rim, such as a cloth, is crossed by some rays only. So three rays, two of them opposite, must all say
// inside.
#include "mesh/moving_tree.h"

#include <assert.h>

#include "mesh/ray.h"
#include "mesh/simplex.h"

static const pl_hit NO_HIT = {.triangle = -1, .distance = HUGE_VAL};

bool pl_moving_shape_build(pl_arena *arena, const pl_vec3 *points, int32_t point_count, const int32_t *triangles,
                           int32_t triangle_count, pl_moving_shape *shape) {
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  *shape = (pl_moving_shape){.point_count = point_count, .triangle_count = triangle_count, .triangles = triangles};
  pl_box *boxes = PL_TAKE(&temporary, pl_box, triangle_count);
  for (int32_t t = 0; t < triangle_count && boxes != NULL; ++t) {
    boxes[t] = pl_box_empty();
    for (int k = 0; k < 3; ++k) boxes[t] = pl_box_add_point(boxes[t], points[triangles[3 * t + k]]);
  }
  bool is_built = boxes != NULL && pl_box_tree_build(arena, boxes, triangle_count, &shape->boxes);
  pl_arena_destroy(&temporary);
  return is_built;
}

void pl_moving_tree_refit(pl_moving_tree *tree) {
  const pl_box_tree *over = &tree->shape->boxes;
  for (int32_t i = over->node_count - 1; i >= 0; --i) {
    const pl_box_node *node = &over->nodes[i];
    if (node->count == 0) {
      tree->boxes[i] = pl_box_merge(tree->boxes[i + 1], tree->boxes[node->second]);
      continue;
    }
    pl_box box = pl_box_empty();
    for (int32_t k = node->first; k < node->first + node->count; ++k)
      for (int c = 0; c < 3; ++c)
        box = pl_box_add_point(box, tree->points[tree->shape->triangles[3 * over->order[k] + c]]);
    tree->boxes[i] = box;
  }
}

// --- nearest

static void nearest_in_leaf(const pl_moving_tree *tree, const pl_box_node *leaf, pl_vec3 point, double *best,
                            pl_hit *hit) {
  for (int32_t i = leaf->first; i < leaf->first + leaf->count; ++i) {
    int32_t triangle = tree->shape->boxes.order[i];
    pl_vec3 corners[3];
    double weights[3];
    pl_moving_tree_corners(tree, triangle, corners);
    pl_vec3 on = pl_triangle_nearest(corners[0], corners[1], corners[2], point, weights);
    pl_vec3 away = pl_vec3_sub(point, on);
    double squared = pl_vec3_dot(away, away);
    if (!(squared < *best || (squared == *best && (hit->triangle < 0 || triangle < hit->triangle)))) continue;
    *best = squared;
    *hit = (pl_hit){triangle, 0, on, {weights[0], weights[1], weights[2]}};
  }
}

pl_hit pl_moving_tree_nearest(const pl_moving_tree *tree, pl_vec3 point, double limit) {
  pl_hit hit = NO_HIT;
  const pl_box_tree *over = &tree->shape->boxes;
  if (over->node_count == 0 || !(limit >= 0) || !pl_vec3_is_finite(point)) return hit;
  struct {
    int32_t node;
    double squared;
  } stack[PL_BOX_TREE_DEPTH];
  int32_t depth = 0;
  double best = limit * limit;
  stack[depth].node = 0;
  stack[depth++].squared = pl_box_distance_squared(&tree->boxes[0], point);
  while (depth > 0) {
    int32_t node = stack[--depth].node;
    // Equal distance is still visited: the lowest index wins among equals.
    if (stack[depth].squared > best) continue;
    if (over->nodes[node].count > 0) {
      nearest_in_leaf(tree, &over->nodes[node], point, &best, &hit);
      continue;
    }
    int32_t children[2] = {node + 1, over->nodes[node].second};
    double squared[2] = {pl_box_distance_squared(&tree->boxes[children[0]], point),
                         pl_box_distance_squared(&tree->boxes[children[1]], point)};
    int near = squared[1] < squared[0];
    assert(depth + 2 <= PL_BOX_TREE_DEPTH);
    stack[depth].node = children[1 - near];
    stack[depth++].squared = squared[1 - near];
    stack[depth].node = children[near];
    stack[depth++].squared = squared[near];
  }
  if (hit.triangle >= 0) hit.distance = sqrt(best);
  return hit;
}

// --- rays and boxes

void pl_moving_tree_visit_ray(const pl_moving_tree *tree, pl_vec3 origin, pl_vec3 unit, double limit,
                              pl_triangle_visit *visit, void *data) {
  const pl_box_tree *over = &tree->shape->boxes;
  pl_ray ray = pl_ray_of(origin, unit);
  int32_t stack[PL_BOX_TREE_DEPTH], depth = 0;
  if (over->node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    int32_t node = stack[--depth];
    if (!isfinite(pl_ray_enter_box(&ray, &tree->boxes[node], limit))) continue;
    const pl_box_node *it = &over->nodes[node];
    for (int32_t i = it->first; i < it->first + it->count; ++i)
      if (!visit(data, over->order[i])) return;
    if (it->count > 0) continue;
    assert(depth + 2 <= PL_BOX_TREE_DEPTH);
    stack[depth++] = it->second;
    stack[depth++] = node + 1;
  }
}

void pl_moving_tree_visit_box(const pl_moving_tree *tree, pl_box box, pl_triangle_visit *visit, void *data) {
  const pl_box_tree *over = &tree->shape->boxes;
  int32_t stack[PL_BOX_TREE_DEPTH], depth = 0;
  if (over->node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    int32_t node = stack[--depth];
    if (!pl_box_overlaps(tree->boxes[node], box)) continue;
    const pl_box_node *it = &over->nodes[node];
    for (int32_t i = it->first; i < it->first + it->count; ++i)
      if (!visit(data, over->order[i])) return;
    if (it->count > 0) continue;
    assert(depth + 2 <= PL_BOX_TREE_DEPTH);
    stack[depth++] = it->second;
    stack[depth++] = node + 1;
  }
}

static void meet_leaf(const pl_moving_tree *tree, const pl_box_node *leaf, const pl_ray *ray, double *limit,
                      pl_hit *hit) {
  for (int32_t i = leaf->first; i < leaf->first + leaf->count; ++i) {
    int32_t triangle = tree->shape->boxes.order[i];
    pl_vec3 corners[3];
    double distance, w[3];
    pl_moving_tree_corners(tree, triangle, corners);
    if (!pl_ray_meet_triangle(ray, corners, &distance, w) || !(distance >= 0 && distance <= *limit)) continue;
    if (hit->triangle >= 0 && distance == *limit && triangle > hit->triangle) continue;
    *limit = distance;
    pl_vec3 on = pl_vec3_add_scaled(pl_vec3_scale(corners[0], w[0]), corners[1], w[1]);
    *hit = (pl_hit){triangle, distance, pl_vec3_add_scaled(on, corners[2], w[2]), {w[0], w[1], w[2]}};
  }
}

pl_hit pl_moving_tree_ray(const pl_moving_tree *tree, pl_vec3 origin, pl_vec3 unit, double limit) {
  pl_hit hit = NO_HIT;
  const pl_box_tree *over = &tree->shape->boxes;
  if (over->node_count == 0) return hit;
  pl_ray ray = pl_ray_of(origin, unit);
  int32_t stack[PL_BOX_TREE_DEPTH], depth = 0;
  double enters[PL_BOX_TREE_DEPTH];
  stack[0] = 0;
  enters[depth++] = pl_ray_enter_box(&ray, &tree->boxes[0], limit);
  while (depth > 0) {
    int32_t node = stack[--depth];
    if (!isfinite(enters[depth]) || enters[depth] > limit) continue;
    if (over->nodes[node].count > 0) {
      meet_leaf(tree, &over->nodes[node], &ray, &limit, &hit);
      continue;
    }
    int32_t children[2] = {node + 1, over->nodes[node].second};
    double enter[2] = {pl_ray_enter_box(&ray, &tree->boxes[children[0]], limit),
                       pl_ray_enter_box(&ray, &tree->boxes[children[1]], limit)};
    int near = enter[1] < enter[0];
    assert(depth + 2 <= PL_BOX_TREE_DEPTH);
    stack[depth] = children[1 - near];
    enters[depth++] = enter[1 - near];
    stack[depth] = children[near];
    enters[depth++] = enter[near];
  }
  return hit;
}

// --- inside

typedef struct winding {
  const pl_moving_tree *tree;
  pl_ray ray;
  pl_vec3 unit;
  int32_t number;
} winding;

static bool count_crossing(void *data, int32_t triangle) {
  winding *w = data;
  pl_vec3 corners[3];
  double distance, weights[3];
  pl_moving_tree_corners(w->tree, triangle, corners);
  if (!pl_ray_meet_triangle(&w->ray, corners, &distance, weights) || !(distance >= 0)) return true;
  pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(corners[1], corners[0]), pl_vec3_sub(corners[2], corners[0]));
  w->number += pl_vec3_dot(normal, w->unit) > 0 ? 1 : -1;
  return true;
}

bool pl_moving_tree_is_inside(const pl_moving_tree *tree, pl_vec3 point) {
  // No simple ratios: surfaces of scenes have edges along simple directions.
  static const pl_vec3 units[3] = {{0.5773216487, 0.6103721853, 0.5423812963},
                                   {-0.5773216487, -0.6103721853, -0.5423812963},
                                   {-0.3127843519, 0.7390216783, -0.5966471823}};
  if (tree->shape->boxes.node_count == 0) return false;
  pl_box around = {point, point};
  if (!pl_box_overlaps(tree->boxes[0], around)) return false;
  for (int i = 0; i < 3; ++i) {
    pl_vec3 unit = pl_vec3_normalize_or(units[i], units[i]);
    winding w = {tree, pl_ray_of(point, unit), unit, 0};
    pl_moving_tree_visit_ray(tree, point, unit, HUGE_VAL, count_crossing, &w);
    if (w.number < 1) return false;
  }
  return true;
}
