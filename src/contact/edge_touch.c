// When do two moving edges cross?
//
// With w = a0 - b0, u = a1 - a0, v = b1 - b0, all linear in time t, the edges are in one plane when the cubic
//
//   V(t) = w . (u x v) = k0 + k1 t + k2 t^2 + k3 t^3
//
// vanishes. Every root is found (cubic.h), in order of time; the nearest points of the two lines there tell whether the
// edges themselves meet. The sign of V before is the side that a came from.
#include "contact/edge_touch.h"

#include "contact/cubic.h"
#include "mesh/simplex.h"

// Sine of the angle below which edges are parallel.
static const double PARALLEL = 1e-3;
// Edges that miss each other by this fraction of their length still cross: paths through a shared point must not slip
// between its edges.
static const double END_TOLERANCE = 1e-6;

bool pl_edge_lines_nearest(const pl_vec3 a[2], const pl_vec3 b[2], double *s, double *t) {
  pl_vec3 u = pl_vec3_sub(a[1], a[0]), v = pl_vec3_sub(b[1], b[0]), w = pl_vec3_sub(a[0], b[0]);
  double uu = pl_vec3_dot(u, u), uv = pl_vec3_dot(u, v), vv = pl_vec3_dot(v, v);
  double uw = pl_vec3_dot(u, w), vw = pl_vec3_dot(v, w), area2 = uu * vv - uv * uv;
  if (!(area2 > PARALLEL * PARALLEL * uu * vv)) return false;
  *s = (uv * vw - vv * uw) / area2;
  *t = (uu * vw - uv * uw) / area2;
  return true;
}

double pl_edge_distance(const pl_vec3 a[2], const pl_vec3 b[2]) {
  double s, t, best = HUGE_VAL, weights[2];
  if (pl_edge_lines_nearest(a, b, &s, &t) && s >= 0 && s <= 1 && t >= 0 && t <= 1)
    return pl_vec3_distance(pl_vec3_lerp(a[0], a[1], s), pl_vec3_lerp(b[0], b[1], t));
  for (int k = 0; k < 2; ++k) {
    best = fmin(best, pl_vec3_distance(a[k], pl_segment_nearest(b[0], b[1], a[k], weights)));
    best = fmin(best, pl_vec3_distance(b[k], pl_segment_nearest(a[0], a[1], b[k], weights)));
  }
  return best;
}

static void crossing_cubic(const pl_edge_path *path, double k[4]) {
  pl_vec3 u = pl_vec3_sub(path->start_a[1], path->start_a[0]), v = pl_vec3_sub(path->start_b[1], path->start_b[0]);
  pl_vec3 w = pl_vec3_sub(path->start_a[0], path->start_b[0]);
  pl_vec3 du = pl_vec3_sub(pl_vec3_sub(path->end_a[1], path->end_a[0]), u);
  pl_vec3 dv = pl_vec3_sub(pl_vec3_sub(path->end_b[1], path->end_b[0]), v);
  pl_vec3 dw = pl_vec3_sub(pl_vec3_sub(path->end_a[0], path->end_b[0]), w);
  pl_vec3 n0 = pl_vec3_cross(u, v), n1 = pl_vec3_add(pl_vec3_cross(u, dv), pl_vec3_cross(du, v));
  pl_vec3 n2 = pl_vec3_cross(du, dv);
  k[0] = pl_vec3_dot(w, n0);
  k[1] = pl_vec3_dot(dw, n0) + pl_vec3_dot(w, n1);
  k[2] = pl_vec3_dot(dw, n1) + pl_vec3_dot(w, n2);
  k[3] = pl_vec3_dot(dw, n2);
}

// Do the edges, in one plane at this time, meet? `side` is the sign of V before.
static bool cross_at(const pl_edge_path *path, double time, double side, pl_edge_crossing *crossing) {
  pl_vec3 a[2], b[2];
  for (int i = 0; i < 2; ++i) {
    a[i] = pl_vec3_lerp(path->start_a[i], path->end_a[i], time);
    b[i] = pl_vec3_lerp(path->start_b[i], path->end_b[i], time);
  }
  double s, t;
  if (!pl_edge_lines_nearest(a, b, &s, &t)) return false;
  if (!(s >= -END_TOLERANCE && s <= 1 + END_TOLERANCE && t >= -END_TOLERANCE && t <= 1 + END_TOLERANCE)) return false;
  pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(a[1], a[0]), pl_vec3_sub(b[1], b[0]));
  *crossing = (pl_edge_crossing){time, fmin(fmax(s, 0), 1), fmin(fmax(t, 0), 1),
                                 pl_vec3_normalize_or(pl_vec3_scale(normal, side), pl_vec3_of(0, 1, 0))};
  return true;
}

bool pl_edge_touch_crossing(const pl_edge_path *path, pl_edge_crossing *crossing) {
  double k[4];
  crossing_cubic(path, k);
  if (pl_cubic_keeps_its_sign(k)) return false;
  double cuts[4], negative[4] = {-k[0], -k[1], -k[2], -k[3]};
  int cut_count = pl_cubic_pieces(k, cuts);
  for (int i = 0; i + 1 < cut_count; ++i) {
    double before = pl_cubic_at(k, cuts[i]), after = pl_cubic_at(k, cuts[i + 1]);
    if (before > 0 && after <= 0) {
      if (cross_at(path, pl_cubic_falling_root(k, cuts[i], cuts[i + 1]), 1, crossing)) return true;
    } else if (before < 0 && after >= 0) {
      if (cross_at(path, pl_cubic_falling_root(negative, cuts[i], cuts[i + 1]), -1, crossing)) return true;
    }
  }
  return false;
}
