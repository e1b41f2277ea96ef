// Refitting and asking a moving surface.
//
// Side of a point: by the normal at its nearest surface point; at an edge the sum of both triangles' normals, at a
// corner the sum over the ring weighted by angle, which is right for every closed surface (Baerentzen and Aanaes 2005).
#include "contact/surface_motion.h"

#include <string.h>

#include "contact/pair_axis.h"
#include "contact/pair_lanes.h"
#include "contact/vec3_parts.h"
#include "math/lanes.h"
#include "mesh/simplex.h"

// More than single precision is off by, as a fraction.
static const double ROUNDING = 2e-7;

// Two points are three registers: x y, z x, y z.
pl_box pl_box_of_points(const pl_vec3 *points, int32_t count) {
  pl_vec2_lanes low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = (pl_vec2_lanes){HUGE_VAL, HUGE_VAL};
    high[k] = -low[k];
  }
  for (int32_t i = 0; i + 1 < count; i += 2) {
    const pl_vec2_unaligned *numbers = (const pl_vec2_unaligned *)(const void *)&points[i];
    for (int k = 0; k < 3; ++k) {
      low[k] = pl_smaller_lanes(numbers[k], low[k]);
      high[k] = pl_larger_lanes(numbers[k], high[k]);
    }
  }
  pl_box box = {{low[0][0], low[0][1], low[1][0]}, {high[0][0], high[0][1], high[1][0]}};
  pl_box others = {{low[1][1], low[2][0], low[2][1]}, {high[1][1], high[2][0], high[2][1]}};
  pl_box_cover_box(&box, &others);
  if (count % 2 != 0) pl_box_cover(&box, points[count - 1]);
  return box;
}

bool pl_surface_motion_take(pl_arena *arena, const pl_surface_tree *tree, pl_surface_motion *motion) {
  *motion = (pl_surface_motion){
      .tree = tree,
      .starts = PL_TAKE_RAW(arena, pl_vec3, tree->surface->point_count),
      .ends = PL_TAKE_RAW(arena, pl_vec3, tree->surface->point_count),
  };
  int32_t count = tree->surface->point_count;
  if (count > 0 && count <= PL_SURFACE_LANE_POINTS) motion->lane_block_count = (count - 1) / LANES + 1;
  motion->lanes = PL_TAKE(arena, float, 2 * VEC3_LANES * (int64_t)motion->lane_block_count);
  if (motion->lane_block_count > 0) motion->extents = PL_TAKE(arena, pl_surface_extents, 1);
  return !arena->failed;
}

bool pl_surface_motion_take_boxes(pl_arena *arena, pl_surface_motion *motion) {
  const pl_surface_tree *tree = motion->tree;
  motion->boxes = PL_TAKE_RAW(arena, pl_box, tree->boxes.node_count);
  motion->triangle_boxes = PL_TAKE_RAW(arena, pl_box, tree->surface->triangle_count);
  motion->normals = PL_TAKE_RAW(arena, pl_vec3, tree->surface->triangle_count);
  motion->normal_boxes = PL_TAKE_RAW(arena, pl_box, tree->boxes.node_count);
  return !arena->failed;
}

// Is none of these infinite or not a number? Without branches, so that several are looked at at a time.
static bool are_finite(const float *numbers, int32_t count) {
  const uint32_t exponent = 0x7F800000;
  uint32_t is_odd = 0, bits;
  for (int32_t i = 0; i < count; ++i) {
    memcpy(&bits, &numbers[i], sizeof bits);
    is_odd |= (bits & exponent) == exponent;
  }
  return is_odd == 0;
}

void pl_surface_motion_fill_lanes(pl_surface_motion *motion) {
  motion->origin = pl_box_center(motion->end_box);
  pl_vec3 start_origin = pl_vec3_sub(motion->origin, motion->drift);
  int32_t count = motion->lane_block_count > 0 ? motion->tree->surface->point_count : 0;
  pl_lane_kernels_get()->fill_lanes(motion->starts, count, start_origin, motion->lanes);
  pl_lane_kernels_get()->fill_lanes(motion->ends, count, motion->origin, motion->lanes + VEC3_LANES);
  motion->is_finite = are_finite(motion->lanes, 2 * VEC3_LANES * motion->lane_block_count);
}

// As pl_box_overlaps(), without branches between the comparisons: in walks through boxes they cannot be foreseen.
static bool boxes_meet(const pl_box *a, const pl_box *b) {
  return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y) & (b->min.y <= a->max.y) &
         (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
}

static pl_box leaf_box(pl_surface_motion *motion, const pl_box_node *node) {
  const pl_surface_tree *tree = motion->tree;
  pl_box all = pl_box_empty();
  for (int32_t i = node->first; i < node->first + node->count; ++i) {
    const int32_t *corners = &tree->surface->triangles[3 * tree->boxes.order[i]];
    pl_box box = pl_box_empty();
    for (int k = 0; k < 3; ++k) {
      pl_box_cover(&box, pl_vec3_add(motion->starts[corners[k]], motion->drift));
      pl_box_cover(&box, motion->ends[corners[k]]);
    }
    motion->triangle_boxes[i] = box;
    pl_box_cover_box(&all, &box);
  }
  return all;
}

static void join_children(const pl_surface_tree *tree, int32_t node, pl_box *boxes) {
  boxes[node] = boxes[node + 1];
  pl_box_cover_box(&boxes[node], &boxes[tree->boxes.nodes[node].second]);
}

void pl_surface_motion_fit_normals(pl_surface_motion *motion) {
  pl_vec3 c[3];
  for (int32_t t = 0; t < motion->tree->surface->triangle_count; ++t) {
    pl_surface_corners(motion->tree, motion->ends, t, c);
    motion->normals[t] = pl_triangle_normal(c[0], c[1], c[2]);
  }
}

void pl_surface_motion_refit(pl_surface_motion *motion) {
  pl_surface_motion_fit_normals(motion);
  pl_surface_motion_refit_boxes(motion);
}

void pl_surface_motion_refit_boxes(pl_surface_motion *motion) {
  // Children come after their parents, so one pass from the back sees them first.
  for (int32_t i = motion->tree->boxes.node_count - 1; i >= 0; --i) {
    const pl_box_node *node = &motion->tree->boxes.nodes[i];
    if (node->count > 0)
      motion->boxes[i] = leaf_box(motion, node);
    else
      join_children(motion->tree, i, motion->boxes);
  }
}

void pl_surface_motion_refit_normals(pl_surface_motion *motion) {
  const pl_surface_tree *tree = motion->tree;
  for (int32_t i = tree->boxes.node_count - 1; i >= 0; --i) {
    const pl_box_node *node = &tree->boxes.nodes[i];
    if (node->count == 0) {
      join_children(tree, i, motion->normal_boxes);
      continue;
    }
    pl_box box = pl_box_empty();
    for (int32_t k = node->first; k < node->first + node->count; ++k)
      pl_box_cover(&box, motion->normals[tree->boxes.order[k]]);
    motion->normal_boxes[i] = box;
  }
}

typedef struct nearest_search {
  const pl_surface_motion *motion;
  pl_vec3 point;
  const pl_vec3 *facing;
  double best2;  // squared distance of `hit`, or of the limit
  pl_hit hit;
} nearest_search;

static void search_triangle(nearest_search *s, int32_t triangle) {
  pl_vec3 corners[3];
  pl_surface_corners(s->motion->tree, s->motion->ends, triangle, corners);
  double weights[3];
  pl_vec3 nearest = pl_triangle_nearest(corners[0], corners[1], corners[2], s->point, weights);
  pl_vec3 d = pl_vec3_sub(s->point, nearest);
  double distance2 = pl_vec3_dot(d, d);
  bool is_better =
      distance2 < s->best2 || (distance2 == s->best2 && (s->hit.triangle < 0 || triangle < s->hit.triangle));
  if (!is_better || (s->facing != NULL && !pl_surface_motion_is_facing(s->motion, triangle, *s->facing))) return;
  s->best2 = distance2;
  s->hit = (pl_hit){triangle, 0, nearest, {weights[0], weights[1], weights[2]}};
}

static void search_leaf(nearest_search *s, const pl_box_node *node) {
  for (int32_t i = node->first; i < node->first + node->count; ++i)
    if (pl_box_distance_squared(&s->motion->triangle_boxes[i], s->point) <= s->best2)
      search_triangle(s, s->motion->tree->boxes.order[i]);
}

pl_hit pl_surface_motion_nearest_of(const pl_surface_motion *motion, pl_vec3 point, double limit, const pl_vec3 *facing,
                                    const int32_t *triangles, int32_t count) {
  nearest_search s = {motion, point, facing, limit * limit, {.triangle = -1}};
  for (int32_t i = 0; i < count; ++i) search_triangle(&s, triangles[i]);
  if (s.hit.triangle >= 0) s.hit.distance = sqrt(s.best2);
  return s.hit;
}

pl_hit pl_surface_motion_nearest(const pl_surface_motion *motion, pl_vec3 point, double limit, const pl_vec3 *facing) {
  nearest_search s = {motion, point, facing, limit * limit, {.triangle = -1}};
  struct {
    int32_t node;
    double distance2;
  } stack[PL_BOX_TREE_DEPTH + 1];
  int depth = 0;
  if (motion->tree->boxes.node_count > 0) {
    stack[depth].node = 0;
    stack[depth++].distance2 = pl_box_distance_squared(&motion->boxes[0], point);
  }
  while (depth > 0) {
    depth--;
    int32_t index = stack[depth].node;
    if (!(stack[depth].distance2 <= s.best2)) continue;
    const pl_box_node *node = &motion->tree->boxes.nodes[index];
    if (node->count > 0) {
      search_leaf(&s, node);
      continue;
    }
    // The nearer child is visited first.
    int32_t near_child = index + 1, far_child = node->second;
    double near2 = pl_box_distance_squared(&motion->boxes[near_child], point),
           far2 = pl_box_distance_squared(&motion->boxes[far_child], point);
    if (far2 < near2) {
      near_child = node->second, far_child = index + 1;
      double swap = near2;
      near2 = far2, far2 = swap;
    }
    stack[depth].node = far_child;
    stack[depth++].distance2 = far2;
    stack[depth].node = near_child;
    stack[depth++].distance2 = near2;
  }
  if (s.hit.triangle >= 0) s.hit.distance = sqrt(s.best2);
  return s.hit;
}

static double corner_angle(const pl_vec3 c[3], int k) {
  pl_vec3 e = pl_vec3_sub(c[(k + 1) % 3], c[k]), f = pl_vec3_sub(c[(k + 2) % 3], c[k]);
  return atan2(pl_vec3_length(pl_vec3_cross(e, f)), pl_vec3_dot(e, f));
}

pl_vec3 pl_surface_motion_outward(const pl_surface_motion *motion, const pl_hit *hit) {
  const pl_surface_tree *tree = motion->tree;
  const int32_t *corners_of = tree->surface->triangles;
  int zero_count = 0, max = 0, zero = 0;
  for (int k = 0; k < 3; ++k) {
    if (hit->barycentric[k] == 0) zero_count++, zero = k;
    if (hit->barycentric[k] > hit->barycentric[max]) max = k;
  }
  if (zero_count == 0) return motion->normals[hit->triangle];
  // At a corner the whole ring, at an edge those of the ring that hold its other end too.
  int32_t u = corners_of[3 * hit->triangle + max];
  int32_t v = zero_count == 1 ? corners_of[3 * hit->triangle + (3 - zero - max)] : -1;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t r = tree->ring_start[u]; r < tree->ring_start[u + 1]; ++r) {
    const int32_t *other = &corners_of[3 * tree->ring[r]];
    int k = other[0] == u ? 0 : other[1] == u ? 1 : 2;
    if (v >= 0 && other[0] != v && other[1] != v && other[2] != v) continue;
    pl_vec3 c[3];
    double angle = 1;
    if (v < 0) {
      pl_surface_corners(tree, motion->ends, tree->ring[r], c);
      angle = corner_angle(c, k);
    }
    sum = pl_vec3_add_scaled(sum, motion->normals[tree->ring[r]], angle);
  }
  return sum;
}

pl_vec3 pl_surface_motion_point_normal(const pl_surface_motion *motion, int32_t point) {
  const pl_surface_tree *tree = motion->tree;
  if (tree->ring_start[point] == tree->ring_start[point + 1]) return pl_vec3_of(0, 0, 0);
  int32_t triangle = tree->ring[tree->ring_start[point]];
  pl_hit hit = {.triangle = triangle};
  for (int k = 0; k < 3; ++k) hit.barycentric[k] = tree->surface->triangles[3 * triangle + k] == point ? 1 : 0;
  return pl_surface_motion_outward(motion, &hit);
}

bool pl_surface_motion_is_facing(const pl_surface_motion *motion, int32_t triangle, pl_vec3 facing) {
  return pl_vec3_dot(motion->normals[triangle], facing) < 0;
}

pl_box pl_surface_motion_ring_normals(const pl_surface_motion *motion, int32_t point) {
  const pl_surface_tree *tree = motion->tree;
  // Without triangles there is no direction that could rule out anything.
  if (tree->ring_start[point] == tree->ring_start[point + 1]) return (pl_box){{0, 0, 0}, {0, 0, 0}};
  pl_box box = pl_box_empty();
  for (int32_t r = tree->ring_start[point]; r < tree->ring_start[point + 1]; ++r)
    pl_box_cover(&box, motion->normals[tree->ring[r]]);
  return box;
}

// A box in single precision, rounded outwards.
static void round_box(const pl_box *box, pl_vec3 origin, float min[3], float max[3]) {
  pl_vec3 a = pl_vec3_sub(box->min, origin), b = pl_vec3_sub(box->max, origin);
  const double low[3] = {a.x, a.y, a.z}, high[3] = {b.x, b.y, b.z};
  for (int k = 0; k < 3; ++k) {
    min[k] = (float)(low[k] - ROUNDING * fabs(low[k]));
    max[k] = (float)(high[k] + ROUNDING * fabs(high[k]));
  }
}

void pl_surface_front_add(pl_surface_front *front, int32_t item, const pl_box *box) {
  float min[3], max[3];
  round_box(box, front->origin, min, max);
  for (int k = 0; k < 3; ++k) {
    front->min[k][front->count] = min[k];
    front->max[k][front->count] = max[k];
  }
  front->items[front->count++] = item;
}

static void add_leaf(const pl_surface_motion *motion, const pl_box_node *leaf, const pl_box *box, const pl_box *normals,
                     pl_surface_front *front) {
  for (int32_t i = leaf->first; i < leaf->first + leaf->count; ++i) {
    int32_t triangle = motion->tree->boxes.order[i];
    if (!boxes_meet(&motion->triangle_boxes[i], box)) continue;
    const pl_vec3 *normal = &motion->normals[triangle];
    if (normals == NULL || pl_normal_boxes_may_face(normals, &(pl_box){*normal, *normal}))
      pl_surface_front_add(front, triangle, &motion->triangle_boxes[i]);
  }
}

void pl_surface_motion_gather(const pl_surface_motion *motion, pl_box box, const pl_box *normals,
                              pl_surface_front *front) {
  const pl_box_tree *tree = &motion->tree->boxes;
  int32_t stack[PL_BOX_TREE_DEPTH + 1];
  int depth = 0;
  front->count = 0;
  front->origin = pl_box_center(box);
  if (tree->node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    int32_t index = stack[--depth];
    const pl_box_node *node = &tree->nodes[index];
    if (!boxes_meet(&motion->boxes[index], &box)) continue;
    if (normals != NULL && !pl_normal_boxes_may_face(normals, &motion->normal_boxes[index])) continue;
    // What is on the stack must still fit.
    int32_t workspace = PL_SURFACE_FRONT - front->count - depth;
    if (workspace < (node->count > 0 ? node->count : 2)) {
      pl_surface_front_add(front, ~index, &motion->boxes[index]);
    } else if (node->count > 0) {
      add_leaf(motion, node, &box, normals, front);
    } else {
      stack[depth++] = node->second;
      stack[depth++] = index + 1;
    }
  }
}

static void visit_below(const pl_surface_motion *motion, int32_t root, const pl_box *box, pl_surface_visit *visit,
                        void *data) {
  const pl_box_tree *tree = &motion->tree->boxes;
  int32_t stack[PL_BOX_TREE_DEPTH + 1];
  int depth = 0;
  stack[depth++] = root;
  while (depth > 0) {
    int32_t index = stack[--depth];
    const pl_box_node *node = &tree->nodes[index];
    if (!boxes_meet(&motion->boxes[index], box)) continue;
    for (int32_t i = node->first; i < node->first + node->count; ++i)
      if (boxes_meet(&motion->triangle_boxes[i], box)) visit(data, tree->order[i]);
    if (node->count > 0) continue;
    stack[depth++] = node->second;
    stack[depth++] = index + 1;
  }
}

int32_t pl_surface_front_list(const pl_surface_front *front, pl_box box, int32_t items[PL_SURFACE_FRONT]) {
  float min[3], max[3];
  round_box(&box, front->origin, min, max);
  return pl_lane_kernels_get()->list_front(front, min, max, items);
}

bool pl_surface_front_is_met(const pl_surface_front *front, pl_box box) {
  int32_t items[PL_SURFACE_FRONT];
  return pl_surface_front_list(front, box, items) > 0;
}

void pl_surface_motion_visit(const pl_surface_motion *motion, const pl_surface_front *front, pl_box box,
                             pl_surface_visit *visit, void *data) {
  int32_t items[PL_SURFACE_FRONT], count = pl_surface_front_list(front, box, items);
  for (int32_t i = 0; i < count; ++i) {
    if (items[i] >= 0)
      visit(data, items[i]);
    else
      visit_below(motion, ~items[i], &box, visit, data);
  }
}
