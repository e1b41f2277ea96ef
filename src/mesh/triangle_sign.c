// Signed distance to a triangle mesh. The nearest point lies in a face, on an edge or at a corner; the point is outside
// when it is on the front of that feature's pseudo-normal: the face's normal, the sum of the normals at the edge, or
// the angle-weighted sum at the corner. With these weights, and no simpler ones, the sign is proven right (Bærentzen
// and Aanæs 2005).
#include "mesh/simplex.h"
#include "mesh/topology.h"
#include "mesh/triangle_tree.h"

// Unit sum of the face normals at each edge. `welded` are the triangles' points after points at the same position were
// made one.
static bool fill_edge_normals(pl_triangle_tree *tree, const int32_t *welded, pl_arena *temporary) {
  int32_t side_count = 3 * tree->triangle_count, *order = NULL;
  int32_t *keys = PL_TAKE(temporary, int32_t, 2 * (size_t)side_count);
  if (keys == NULL) return false;
  for (int32_t s = 0; s < side_count; ++s) {
    int32_t first = s - s % 3, a = welded[first + (s + 1) % 3], b = welded[first + (s + 2) % 3];
    keys[2 * (size_t)s] = a < b ? a : b;
    keys[2 * (size_t)s + 1] = a < b ? b : a;
  }
  if (!pl_tuples_sort(temporary, keys, side_count, 2, tree->point_count, &order)) return false;
  for (int32_t i = 0, end; i < side_count; i = end) {
    const int32_t *key = &keys[2 * (size_t)order[i]];
    pl_vec3 sum = {0, 0, 0};
    for (end = i;
         end < side_count && keys[2 * (size_t)order[end]] == key[0] && keys[2 * (size_t)order[end] + 1] == key[1];
         ++end)
      sum = pl_vec3_add(sum, tree->face_normals[order[end] / 3]);
    sum = pl_vec3_normalize_or(sum, pl_vec3_of(0, 0, 0));
    for (int32_t j = i; j < end; ++j) tree->edge_normals[order[j]] = sum;
  }
  return true;
}

bool pl_triangle_tree_fill_normals(pl_triangle_tree *tree, const pl_vec3 *points) {
  tree->point_normals = PL_TAKE(&tree->arena, pl_vec3, tree->point_count);
  tree->edge_normals = PL_TAKE(&tree->arena, pl_vec3, 3 * (size_t)tree->triangle_count);
  tree->face_normals = PL_TAKE(&tree->arena, pl_vec3, tree->triangle_count);
  if (tree->arena.failed) return false;
  pl_arena temporary;
  pl_arena_init(&temporary, tree->arena.context, 0);
  int32_t *welded = PL_TAKE(&temporary, int32_t, 3 * (size_t)tree->triangle_count), *first_of_point = NULL;
  bool done = welded != NULL && pl_points_weld(&temporary, points, tree->point_count, &first_of_point);
  if (done) {
    for (int32_t i = 0; i < 3 * tree->triangle_count; ++i) welded[i] = first_of_point[tree->triangles[i]];
    pl_normals_compute(points, tree->point_count, welded, tree->triangle_count, tree->point_normals);
    for (int32_t i = 0; i < tree->point_count; ++i) tree->point_normals[i] = tree->point_normals[first_of_point[i]];
    for (int32_t t = 0; t < tree->triangle_count; ++t) {
      pl_vec3 a = points[welded[3 * t]], b = points[welded[3 * t + 1]], c = points[welded[3 * t + 2]];
      tree->face_normals[t] = pl_triangle_normal(a, b, c);
    }
    done = fill_edge_normals(tree, welded, &temporary);
  }
  pl_arena_destroy(&temporary);
  return done;
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

double pl_triangle_tree_signed_distance(const pl_triangle_tree *tree, pl_vec3 point, double limit, pl_vec3 *nearest,
                                        pl_vec3 *normal) {
  pl_hit hit = pl_triangle_tree_nearest(tree, point, limit);
  if (hit.triangle < 0) return HUGE_VAL;
  pl_vec3 pseudo = feature_normal(tree, &hit), away = pl_vec3_sub(point, hit.point);
  // A fold of two triangles back to back, or a triangle without area all around, has no normal: ask what is inside
  // instead.
  bool is_inside =
      pl_vec3_length(pseudo) > 0.5 ? pl_vec3_dot(away, pseudo) < 0 : pl_triangle_tree_winding(tree, point) > 0.5;
  double sign = is_inside ? -1 : 1;
  if (nearest != NULL) *nearest = hit.point;
  if (normal != NULL) {
    // Within rounding of the surface the direction to it is noise, and the pseudo-normal is the better answer.
    double size = fabs(point.x) + fabs(point.y) + fabs(point.z);
    bool is_clear = hit.distance > 1e-12 * size || pl_vec3_length(pseudo) < 0.5;
    *normal = is_clear ? pl_vec3_normalize_or(pl_vec3_scale(away, sign), pseudo) : pseudo;
  }
  return sign * hit.distance;
}
