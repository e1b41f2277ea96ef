// When does a moving point cross a moving triangle?
//
// With r = x - a, e = b - a, f = c - a, all linear in time t, the point is in the triangle's plane when the cubic
//
//   V(t) = r . (e x f) = k0 + k1 t + k2 t^2 + k3 t^3
//
// vanishes; V > 0 is outside. Every root is found (cubic.h); the barycentrics there tell whether the triangle itself
// was hit.
#include "contact/triangle_touch.h"

#include "contact/cubic.h"

// Barycentrics this far below 0 still hit: paths through a shared edge must not slip between its two triangles.
static const double EDGE_TOLERANCE = 1e-6;

// Does the point, in the triangle's plane at time t, lie in the triangle?
static bool is_in_triangle(const pl_triangle_path *path, double t, double barycentric[3]) {
  pl_vec3 corners[3];
  for (int k = 0; k < 3; ++k) corners[k] = pl_vec3_lerp(path->start_corners[k], path->end_corners[k], t);
  pl_vec3 e = pl_vec3_sub(corners[1], corners[0]), f = pl_vec3_sub(corners[2], corners[0]);
  pl_vec3 r = pl_vec3_sub(pl_vec3_lerp(path->start, path->end, t), corners[0]);
  pl_vec3 normal = pl_vec3_cross(e, f);
  double area2 = pl_vec3_dot(normal, normal);
  if (!(area2 > 0)) return false;
  double u = pl_vec3_dot(pl_vec3_cross(r, f), normal) / area2, v = pl_vec3_dot(pl_vec3_cross(e, r), normal) / area2;
  double w = 1 - u - v;
  if (!(u >= -EDGE_TOLERANCE && v >= -EDGE_TOLERANCE && w >= -EDGE_TOLERANCE)) return false;
  u = fmax(u, 0), v = fmax(v, 0), w = fmax(w, 0);
  double sum = u + v + w;
  barycentric[0] = w / sum;
  barycentric[1] = u / sum;
  barycentric[2] = v / sum;
  return true;
}

// V(t); returns the triangle's normal at the start, as long as its doubled area.
static pl_vec3 crossing_cubic(const pl_triangle_path *path, double k[4]) {
  pl_vec3 e = pl_vec3_sub(path->start_corners[1], path->start_corners[0]);
  pl_vec3 f = pl_vec3_sub(path->start_corners[2], path->start_corners[0]);
  pl_vec3 r = pl_vec3_sub(path->start, path->start_corners[0]);
  pl_vec3 de = pl_vec3_sub(pl_vec3_sub(path->end_corners[1], path->end_corners[0]), e);
  pl_vec3 df = pl_vec3_sub(pl_vec3_sub(path->end_corners[2], path->end_corners[0]), f);
  pl_vec3 dr = pl_vec3_sub(pl_vec3_sub(path->end, path->end_corners[0]), r);
  pl_vec3 n0 = pl_vec3_cross(e, f);
  pl_vec3 n1 = pl_vec3_add(pl_vec3_cross(e, df), pl_vec3_cross(de, f));
  pl_vec3 n2 = pl_vec3_cross(de, df);
  k[0] = pl_vec3_dot(r, n0);
  k[1] = pl_vec3_dot(dr, n0) + pl_vec3_dot(r, n1);
  k[2] = pl_vec3_dot(dr, n1) + pl_vec3_dot(r, n2);
  k[3] = pl_vec3_dot(dr, n2);
  return n0;
}

bool pl_triangle_touch_crossing(const pl_triangle_path *path, double tolerance, bool two_sided, double *time,
                                double barycentric[3], bool *from_inside) {
  double k[4];
  pl_vec3 normal = crossing_cubic(path, k);
  *from_inside = two_sided && k[0] < 0;
  if (*from_inside)
    for (int i = 0; i < 4; ++i) k[i] = -k[i];
  // Touching, or just below the surface, and going in.
  if (k[0] <= 0) {
    if (k[0] >= -tolerance * pl_vec3_length(normal) && pl_cubic_at(k, 1) < k[0] &&
        is_in_triangle(path, 0, barycentric)) {
      *time = 0;
      return true;
    }
  }
  if (pl_cubic_keeps_its_sign(k)) return false;
  double cuts[4];
  int cut_count = pl_cubic_pieces(k, cuts);
  for (int i = 0; i + 1 < cut_count; ++i) {
    if (!(pl_cubic_at(k, cuts[i]) > 0 && pl_cubic_at(k, cuts[i + 1]) <= 0)) continue;
    *time = pl_cubic_falling_root(k, cuts[i], cuts[i + 1]);
    if (is_in_triangle(path, *time, barycentric)) return true;
  }
  return false;
}
