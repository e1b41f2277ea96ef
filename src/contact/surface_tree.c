// Building and asking the hierarchy of a moving surface.
//
// Side of a point: by the normal at its nearest surface point; at an edge the sum of both triangles' normals, at a corner the sum over the
// ring weighted by angle, which is right for every closed surface (Baerentzen and Aanaes 2005).
#include "contact/surface_tree.h"

#include "base/context.h"
#include "base/error.h"
#include "mesh/simplex.h"

pl_vec3 pl_contact_surface_point(const pl_contact_surface *surface, int32_t point, const pl_vec3 *particles) {
  const int32_t *parents = &surface->parents[4 * (size_t)point];
  const float *weights = &surface->weights[4 * (size_t)point];
  // A particle itself is the common case, and stays free of rounding.
  if (weights[0] == 1.0f && weights[1] == 0.0f && weights[2] == 0.0f) return particles[parents[0]];
  pl_vec3 sum = {0, 0, 0};
  double weight_sum = 0;
  for (int k = 0; k < 4; ++k) {
    sum = pl_vec3_add_scaled(sum, particles[parents[k]], (double)weights[k]);
    weight_sum += (double)weights[k];
  }
  return pl_vec3_scale(sum, 1 / weight_sum);
}

// Triangles around each point: count, offsets, fill.
static void fill_rings(const pl_contact_surface *surface, int32_t *ring_start, int32_t *ring) {
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i) ring_start[surface->triangles[i] + 1]++;
  for (int32_t i = 0; i < surface->point_count; ++i) ring_start[i + 1] += ring_start[i];
  // Filling moves each offset to its ring's end, which is the next ring's beginning: shifted back afterwards.
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i) ring[ring_start[surface->triangles[i]]++] = i / 3;
  for (int32_t i = surface->point_count; i > 0; --i) ring_start[i] = ring_start[i - 1];
  ring_start[0] = 0;
}

// Triangles around point u in which u is followed by v.
static int32_t count_directed(const pl_surface_tree *tree, int32_t u, int32_t v) {
  int32_t count = 0;
  for (int32_t r = tree->ring_start[u]; r < tree->ring_start[u + 1]; ++r) {
    const int32_t *corners = &tree->surface->triangles[3 * tree->ring[r]];
    for (int k = 0; k < 3; ++k) count += corners[k] == u && corners[(k + 1) % 3] == v;
  }
  return count;
}

static bool is_closed_surface(const pl_surface_tree *tree) {
  const pl_contact_surface *surface = tree->surface;
  for (int32_t t = 0; t < surface->triangle_count; ++t)
    for (int k = 0; k < 3; ++k) {
      int32_t u = surface->triangles[3 * t + k], v = surface->triangles[3 * t + (k + 1) % 3];
      if (count_directed(tree, u, v) != 1 || count_directed(tree, v, u) != 1) return false;
    }
  return surface->triangle_count > 0;
}

static double mean_edge(const pl_contact_surface *surface, const pl_vec3 *points) {
  double sum = 0;
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i) {
    int32_t next = i % 3 == 2 ? i - 2 : i + 1;
    sum += pl_vec3_distance(points[surface->triangles[i]], points[surface->triangles[next]]);
  }
  return surface->triangle_count > 0 ? sum / (3.0 * surface->triangle_count) : 0;
}

pl_status pl_surface_tree_build(pl_arena *arena, const pl_contact_surface *surface, const pl_vec3 *points, pl_surface_tree *tree,
                                pl_error *error) {
  int32_t count = surface->triangle_count;
  int32_t *ring_start = PL_TAKE(arena, int32_t, (int64_t)surface->point_count + 1);
  int32_t *ring = PL_TAKE(arena, int32_t, 3 * (int64_t)count);
  pl_box *boxes = arena->failed ? NULL : pl_allocate_array(arena->context, (size_t)count, sizeof(pl_box));
  if (boxes == NULL) return pl_fail_memory(error);
  for (int32_t t = 0; t < count; ++t) {
    boxes[t] = pl_box_empty();
    for (int k = 0; k < 3; ++k) boxes[t] = pl_box_with(boxes[t], points[surface->triangles[3 * t + k]]);
  }
  pl_box_tree box_tree;
  bool is_built = pl_box_tree_build(arena, boxes, count, &box_tree);
  pl_release(arena->context, boxes);
  if (!is_built) return pl_fail_memory(error);

  fill_rings(surface, ring_start, ring);
  *tree = (pl_surface_tree){
      .surface = surface, .boxes = box_tree, .ring_start = ring_start, .ring = ring, .edge_length = mean_edge(surface, points)};
  tree->is_closed = is_closed_surface(tree);
  return PL_OK;
}

static pl_box leaf_box(const pl_surface_motion *motion, const pl_box_node *node) {
  const pl_surface_tree *tree = motion->tree;
  pl_box box = pl_box_empty();
  for (int32_t i = node->first; i < node->first + node->count; ++i) {
    const int32_t *corners = &tree->surface->triangles[3 * tree->boxes.order[i]];
    for (int k = 0; k < 3; ++k) box = pl_box_with(pl_box_with(box, motion->starts[corners[k]]), motion->ends[corners[k]]);
  }
  return box;
}

void pl_surface_motion_refit(pl_surface_motion *motion) {
  // Children come after their parents, so one pass from the back sees them first.
  for (int32_t i = motion->tree->boxes.node_count - 1; i >= 0; --i) {
    const pl_box_node *node = &motion->tree->boxes.nodes[i];
    motion->boxes[i] = node->count > 0 ? leaf_box(motion, node) : pl_box_join(motion->boxes[i + 1], motion->boxes[node->second]);
  }
}

typedef struct nearest_search {
  const pl_surface_motion *motion;
  pl_vec3 point;
  const pl_vec3 *facing;
  double best2;  // squared distance of `hit`, or of the limit
  pl_hit hit;
} nearest_search;

static void search_leaf(nearest_search *s, const pl_box_node *node) {
  const pl_surface_tree *tree = s->motion->tree;
  for (int32_t i = node->first; i < node->first + node->count; ++i) {
    int32_t triangle = tree->boxes.order[i];
    pl_vec3 corners[3];
    pl_surface_corners(tree, s->motion->ends, triangle, corners);
    double weights[3];
    pl_vec3 nearest = pl_triangle_nearest(corners[0], corners[1], corners[2], s->point, weights);
    pl_vec3 d = pl_vec3_sub(s->point, nearest);
    double distance2 = pl_vec3_dot(d, d);
    bool is_better = distance2 < s->best2 || (distance2 == s->best2 && (s->hit.triangle < 0 || triangle < s->hit.triangle));
    if (!is_better || (s->facing != NULL && !pl_surface_motion_is_facing(s->motion, triangle, *s->facing))) continue;
    s->best2 = distance2;
    s->hit = (pl_hit){triangle, 0, nearest, {weights[0], weights[1], weights[2]}};
  }
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
    // The nearer child is looked at first.
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
  pl_vec3 c[3];
  pl_surface_corners(tree, motion->ends, hit->triangle, c);
  int zero_count = 0, largest = 0, zero = 0;
  for (int k = 0; k < 3; ++k) {
    if (hit->barycentric[k] == 0) zero_count++, zero = k;
    if (hit->barycentric[k] > hit->barycentric[largest]) largest = k;
  }
  if (zero_count == 0) return pl_triangle_normal(c[0], c[1], c[2]);
  // At a corner the whole ring, at an edge those of the ring that hold its other end too.
  int32_t u = corners_of[3 * hit->triangle + largest];
  int32_t v = zero_count == 1 ? corners_of[3 * hit->triangle + (3 - zero - largest)] : -1;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t r = tree->ring_start[u]; r < tree->ring_start[u + 1]; ++r) {
    const int32_t *other = &corners_of[3 * tree->ring[r]];
    int k = other[0] == u ? 0 : other[1] == u ? 1 : 2;
    if (v >= 0 && other[0] != v && other[1] != v && other[2] != v) continue;
    pl_surface_corners(tree, motion->ends, tree->ring[r], c);
    sum = pl_vec3_add_scaled(sum, pl_triangle_normal(c[0], c[1], c[2]), v >= 0 ? 1 : corner_angle(c, k));
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
  pl_vec3 c[3];
  pl_surface_corners(motion->tree, motion->ends, triangle, c);
  return pl_vec3_dot(pl_triangle_normal(c[0], c[1], c[2]), facing) < 0;
}

void pl_surface_motion_visit(const pl_surface_motion *motion, pl_box box, pl_surface_visit *visit, void *data) {
  const pl_surface_tree *tree = motion->tree;
  int32_t stack[PL_BOX_TREE_DEPTH + 1];
  int depth = 0;
  if (tree->boxes.node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    int32_t index = stack[--depth];
    if (!pl_box_overlaps(motion->boxes[index], box)) continue;
    const pl_box_node *node = &tree->boxes.nodes[index];
    if (node->count > 0) {
      for (int32_t i = node->first; i < node->first + node->count; ++i) visit(data, tree->boxes.order[i]);
    } else {
      stack[depth++] = node->second;
      stack[depth++] = index + 1;
    }
  }
}
