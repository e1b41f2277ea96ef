// Signed distance to a triangle mesh. The nearest point lies in a face, on an edge or at a corner; the point is outside
// when it is on the front of that feature's pseudo-normal: the face's normal, the sum of the normals at the edge, or
// the angle-weighted sum at the corner. With these weights, and no simpler ones, the sign is proven right (Bærentzen
// and Aanæs 2005).
#include <string.h>

#include "mesh/simplex.h"
#include "mesh/topology.h"
#include "mesh/triangle_tree.h"

// The two points of a side after points at the same position were made one, the lower first.
static void get_side(const pl_triangle_tree *tree, int32_t side, int32_t key[2]) {
  int32_t first = side - side % 3, a = tree->welded[first + (side + 1) % 3], b = tree->welded[first + (side + 2) % 3];
  key[0] = a < b ? a : b;
  key[1] = a < b ? b : a;
}

static bool sort_sides(pl_triangle_tree *tree, pl_arena *temporary) {
  int32_t side_count = 3 * tree->triangle_count, *order = NULL;
  int32_t *keys = PL_TAKE(temporary, int32_t, 2 * (size_t)side_count);
  if (keys == NULL) return false;
  for (int32_t s = 0; s < side_count; ++s) get_side(tree, s, &keys[2 * (size_t)s]);
  if (!pl_tuples_sort(temporary, keys, side_count, 2, tree->point_count, &order)) return false;
  memcpy(tree->side_order, order, (size_t)side_count * sizeof(int32_t));
  return true;
}

// Unit sum of the face normals at each edge.
static void compute_edge_normals(pl_triangle_tree *tree) {
  const int32_t *order = tree->side_order;
  int32_t side_count = 3 * tree->triangle_count;
  for (int32_t i = 0, end; i < side_count; i = end) {
    int32_t key[2], next[2];
    get_side(tree, order[i], key);
    pl_vec3 sum = {0, 0, 0};
    for (end = i; end < side_count; ++end) {
      get_side(tree, order[end], next);
      if (next[0] != key[0] || next[1] != key[1]) break;
      sum = pl_vec3_add(sum, tree->face_normals[order[end] / 3]);
    }
    sum = pl_vec3_normalize_or(sum, pl_vec3_of(0, 0, 0));
    for (int32_t j = i; j < end; ++j) tree->edge_normals[order[j]] = sum;
  }
}

static void compute_normals(pl_triangle_tree *tree, const pl_vec3 *points) {
  const int32_t *welded = tree->welded;
  pl_normals_compute(points, tree->point_count, welded, tree->triangle_count, tree->point_normals);
  for (int32_t i = 0; i < 3 * tree->triangle_count; ++i)
    tree->point_normals[tree->triangles[i]] = tree->point_normals[welded[i]];
  for (int32_t t = 0; t < tree->triangle_count; ++t)
    tree->face_normals[t] =
        pl_triangle_normal(points[welded[3 * t]], points[welded[3 * t + 1]], points[welded[3 * t + 2]]);
  compute_edge_normals(tree);
}

bool pl_triangle_tree_fill_normals(pl_triangle_tree *tree, const pl_vec3 *points) {
  size_t corner_count = 3 * (size_t)tree->triangle_count;
  tree->point_normals = PL_TAKE(&tree->arena, pl_vec3, tree->point_count);
  tree->edge_normals = PL_TAKE(&tree->arena, pl_vec3, corner_count);
  tree->face_normals = PL_TAKE(&tree->arena, pl_vec3, tree->triangle_count);
  tree->welded = PL_TAKE(&tree->arena, int32_t, corner_count);
  tree->side_order = PL_TAKE(&tree->arena, int32_t, corner_count);
  if (tree->arena.failed) return false;
  pl_arena temporary;
  pl_arena_init(&temporary, tree->arena.context, 0);
  int32_t *first_of_point = NULL;
  bool done = pl_points_weld(&temporary, points, tree->point_count, &first_of_point);
  if (done) {
    for (size_t i = 0; i < corner_count; ++i) tree->welded[i] = first_of_point[tree->triangles[i]];
    done = sort_sides(tree, &temporary);
  }
  if (done) compute_normals(tree, points);
  pl_arena_destroy(&temporary);
  return done;
}

// --- a tree whose points move

static void refit_boxes(pl_triangle_tree *tree) {
  // Children come after their parent in the array, so going backwards meets them first.
  for (int32_t n = tree->boxes.node_count - 1; n >= 0; --n) {
    pl_box_node *node = &tree->boxes.nodes[n];
    if (node->count > 0)
      node->box = pl_box_from_points(&tree->corners[3 * (size_t)node->first], 3 * node->count);
    else
      node->box = pl_box_merge(tree->boxes.nodes[n + 1].box, tree->boxes.nodes[node->second].box);
  }
}

void pl_triangle_tree_refit(pl_triangle_tree *tree, const pl_vec3 *points) {
  for (int32_t i = 0; i < tree->triangle_count; ++i)
    for (int32_t k = 0; k < 3; ++k)
      tree->corners[3 * (size_t)i + (size_t)k] = points[tree->triangles[3 * tree->boxes.order[i] + k]];
  refit_boxes(tree);
  pl_triangle_tree_fill_dipoles(tree);
  compute_normals(tree, points);
}

// Pseudo-normal of the feature a hit lies on, given by which weights are exactly zero.
static pl_vec3 feature_normal(const pl_triangle_tree *tree, const pl_hit *hit) {
  const double *w = hit->barycentric;
  int zero_count = (w[0] == 0) + (w[1] == 0) + (w[2] == 0);
  if (zero_count == 0) return tree->face_normals[hit->triangle];
  for (int i = 0; i < 3; ++i) {
    if (zero_count == 1 && w[i] == 0) return tree->edge_normals[3 * hit->triangle + i];
    if (zero_count == 2 && w[i] != 0) return tree->point_normals[tree->triangles[3 * hit->triangle + i]];
  }
  return pl_vec3_of(0, 0, 0);
}

double pl_triangle_tree_sign_hit(const pl_triangle_tree *tree, const pl_hit *hit, pl_vec3 point, pl_vec3 *normal) {
  pl_vec3 pseudo = feature_normal(tree, hit), away = pl_vec3_sub(point, hit->point);
  // A fold of two triangles back to back, or a triangle without area all around, has no normal: ask what is inside
  // instead.
  bool is_inside =
      pl_vec3_length(pseudo) > 0.5 ? pl_vec3_dot(away, pseudo) < 0 : pl_triangle_tree_winding(tree, point) > 0.5;
  double sign = is_inside ? -1 : 1;
  if (normal != NULL) {
    // Within rounding of the surface the direction to it is noise, and the pseudo-normal is the better answer.
    double size = fabs(point.x) + fabs(point.y) + fabs(point.z);
    bool is_clear = hit->distance > 1e-12 * size || pl_vec3_length(pseudo) < 0.5;
    *normal = is_clear ? pl_vec3_normalize_or(pl_vec3_scale(away, sign), pseudo) : pseudo;
  }
  return sign * hit->distance;
}

double pl_triangle_tree_signed_distance(const pl_triangle_tree *tree, pl_vec3 point, double limit, pl_vec3 *nearest,
                                        pl_vec3 *normal) {
  pl_hit hit = pl_triangle_tree_nearest(tree, point, limit);
  if (hit.triangle < 0) return HUGE_VAL;
  if (nearest != NULL) *nearest = hit.point;
  return pl_triangle_tree_sign_hit(tree, &hit, point, normal);
}
