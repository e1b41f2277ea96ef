// When does a moving point cross a moving triangle?
//
// With r = x - a, e = b - a, f = c - a, all linear in time t, the point is in the triangle's plane when the cubic
//
//   V(t) = r . (e x f) = k0 + k1 t + k2 t^2 + k3 t^3
//
// vanishes; V > 0 is outside. The cubic is cut at the roots of V' into monotone pieces, so that every change of sign is
// found by bisection and none is missed; the barycentrics at the root then tell whether the triangle itself was hit.
#include "contact/triangle_touch.h"

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

static double cubic_at(const double k[4], double t) {
  return ((k[3] * t + k[2]) * t + k[1]) * t + k[0];
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

// V lies between the least and the greatest of its Bernstein coefficients: is it of one sign by that alone? Most
// triangles near a point are not crossed, and end here.
static bool keeps_its_sign(const double k[4]) {
  double b1 = k[0] + k[1] / 3, b2 = k[0] + (2 * k[1] + k[2]) / 3, b3 = cubic_at(k, 1);
  return (k[0] > 0 && b1 > 0 && b2 > 0 && b3 > 0) || (k[0] <= 0 && b1 <= 0 && b2 <= 0 && b3 <= 0);
}

// Ends of the monotone pieces of V in [0, 1]; returns their number, 2 to 4.
static int monotone_pieces(const double k[4], double cuts[4]) {
  double a = 3 * k[3], b = 2 * k[2], c = k[1], roots[2];
  int root_count = 0, cut_count = 0;
  double discriminant = b * b - 4 * a * c;
  if (discriminant >= 0) {
    // The stable form of the quadratic formula; a zero denominator gives an infinity, which is outside [0, 1].
    double q = -0.5 * (b + copysign(sqrt(discriminant), b));
    roots[root_count++] = q / a;
    roots[root_count++] = c / q;
    if (roots[0] > roots[1]) {
      double swap = roots[0];
      roots[0] = roots[1];
      roots[1] = swap;
    }
  }
  cuts[cut_count++] = 0;
  for (int i = 0; i < root_count; ++i)
    if (roots[i] > cuts[cut_count - 1] && roots[i] < 1) cuts[cut_count++] = roots[i];
  cuts[cut_count++] = 1;
  return cut_count;
}

static double falling_root(const double k[4], double low, double high) {
  for (int i = 0; i < 60 && high - low > 1e-15; ++i) {
    double middle = 0.5 * (low + high);
    if (cubic_at(k, middle) > 0)
      low = middle;
    else
      high = middle;
  }
  return low;  // on the outer side
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
    if (k[0] >= -tolerance * pl_vec3_length(normal) && cubic_at(k, 1) < k[0] && is_in_triangle(path, 0, barycentric)) {
      *time = 0;
      return true;
    }
  }
  if (keeps_its_sign(k)) return false;
  double cuts[4];
  int cut_count = monotone_pieces(k, cuts);
  for (int i = 0; i + 1 < cut_count; ++i) {
    if (!(cubic_at(k, cuts[i]) > 0 && cubic_at(k, cuts[i + 1]) <= 0)) continue;
    *time = falling_root(k, cuts[i], cuts[i + 1]);
    if (is_in_triangle(path, *time, barycentric)) return true;
  }
  return false;
}
