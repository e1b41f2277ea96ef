// Nearest point on a triangle: by the region of the plane the point projects to, each region given by signs of dot
// products (Ericson, Real-Time Collision Detection, 2005, §5.1.5). Those signs are noise for slivers, so for them the
// face and all three edges are tried and the best point wins.
#include "mesh/simplex.h"

// A triangle is a sliver when its squared height is below this fraction of its squared length: about 1e-5 of the
// length. Barycentric weights keep six digits at that limit.
static const double SLIVER = 1e-10;

// Below this fraction (height 1e-7 of the length) the face is not considered at all: its weights would be noise.
static const double FLAT = 1e-14;

pl_vec3 pl_segment_nearest(pl_vec3 a, pl_vec3 b, pl_vec3 p, double weights[2]) {
  pl_vec3 ab = pl_vec3_sub(b, a);
  double along = pl_vec3_dot(pl_vec3_sub(p, a), ab), length_squared = pl_vec3_dot(ab, ab);
  double t = along > 0 ? (along < length_squared ? along / length_squared : 1) : 0;
  weights[0] = 1 - t;
  weights[1] = t;
  if (t == 1) return b;
  return pl_vec3_add_scaled(a, ab, t);
}

// Ericson 2005, 5.1.9.
void pl_segments_nearest(const pl_vec3 a[2], const pl_vec3 b[2], double *s, double *t) {
  pl_vec3 d1 = pl_vec3_sub(a[1], a[0]), d2 = pl_vec3_sub(b[1], b[0]), r = pl_vec3_sub(a[0], b[0]);
  double aa = pl_vec3_dot(d1, d1), ee = pl_vec3_dot(d2, d2), f = pl_vec3_dot(d2, r), c = pl_vec3_dot(d1, r);
  double bb = pl_vec3_dot(d1, d2), denominator = aa * ee - bb * bb;
  *s = denominator > 1e-12 * aa * ee ? fmin(fmax((bb * f - c * ee) / denominator, 0), 1) : 0.5;
  *t = ee > 0 ? (bb * *s + f) / ee : 0;
  if (*t < 0 || *t > 1) {
    *t = fmin(fmax(*t, 0), 1);
    *s = aa > 0 ? fmin(fmax((bb * *t - c) / aa, 0), 1) : 0;
  }
}

static void set_weights(double weights[3], double a, double b, double c) {
  weights[0] = a;
  weights[1] = b;
  weights[2] = c;
}

// Weights of the projection of p onto the plane of abc; false when the squared height is below `min` of the squared
// length.
static bool project(pl_vec3 ab, pl_vec3 ac, pl_vec3 ap, double min, double weights[3]) {
  double bb = pl_vec3_dot(ab, ab), cc = pl_vec3_dot(ac, ac), bc = pl_vec3_dot(ab, ac);
  double pb = pl_vec3_dot(ap, ab), pc = pl_vec3_dot(ap, ac);
  double determinant = bb * cc - bc * bc, longest = bb > cc ? bb : cc;
  if (!(determinant > min * longest * longest)) return false;
  double v = (cc * pb - bc * pc) / determinant, w = (bb * pc - bc * pb) / determinant;
  set_weights(weights, 1 - v - w, v, w);
  return true;
}

static pl_vec3 nearest_on_sliver(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p, double weights[3]) {
  const pl_vec3 corners[3] = {a, b, c};
  pl_vec3 best = a, ab = pl_vec3_sub(b, a), ac = pl_vec3_sub(c, a);
  double best_squared = HUGE_VAL, face[3];
  set_weights(weights, 1, 0, 0);
  if (project(ab, ac, pl_vec3_sub(p, a), FLAT, face) && face[0] > 0 && face[1] > 0 && face[2] > 0) {
    best = pl_vec3_add_scaled(pl_vec3_add_scaled(a, ab, face[1]), ac, face[2]);
    best_squared = pl_vec3_dot(pl_vec3_sub(p, best), pl_vec3_sub(p, best));
    set_weights(weights, face[0], face[1], face[2]);
  }
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3;
    double edge[2];
    pl_vec3 on = pl_segment_nearest(corners[i], corners[j], p, edge), away = pl_vec3_sub(p, on);
    double squared = pl_vec3_dot(away, away);
    if (!(squared < best_squared)) continue;
    best_squared = squared;
    best = on;
    set_weights(weights, 0, 0, 0);
    weights[i] = edge[0];
    weights[j] = edge[1];
  }
  return best;
}

pl_vec3 pl_triangle_nearest(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p, double weights[3]) {
  pl_vec3 ab = pl_vec3_sub(b, a), ac = pl_vec3_sub(c, a), ap = pl_vec3_sub(p, a);
  double bb = pl_vec3_dot(ab, ab), cc = pl_vec3_dot(ac, ac), bc = pl_vec3_dot(ab, ac);
  double longest = bb > cc ? bb : cc;
  if (!(bb * cc - bc * bc > SLIVER * longest * longest)) {
    return nearest_on_sliver(a, b, c, p, weights);
  }
  double d1 = pl_vec3_dot(ab, ap), d2 = pl_vec3_dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) {
    set_weights(weights, 1, 0, 0);
    return a;
  }
  pl_vec3 bp = pl_vec3_sub(p, b);
  double d3 = pl_vec3_dot(ab, bp), d4 = pl_vec3_dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) {
    set_weights(weights, 0, 1, 0);
    return b;
  }
  double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    double t = d1 / (d1 - d3);
    set_weights(weights, 1 - t, t, 0);
    return pl_vec3_add_scaled(a, ab, t);
  }
  pl_vec3 cp = pl_vec3_sub(p, c);
  double d5 = pl_vec3_dot(ab, cp), d6 = pl_vec3_dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) {
    set_weights(weights, 0, 0, 1);
    return c;
  }
  double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    double t = d2 / (d2 - d6);
    set_weights(weights, 1 - t, 0, t);
    return pl_vec3_add_scaled(a, ac, t);
  }
  double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    set_weights(weights, 0, 1 - t, t);
    return pl_vec3_add_scaled(b, pl_vec3_sub(c, b), t);
  }
  double scale = 1 / (va + vb + vc), v = vb * scale, w = vc * scale;
  set_weights(weights, 1 - v - w, v, w);
  return pl_vec3_add_scaled(pl_vec3_add_scaled(a, ab, v), ac, w);
}

bool pl_triangle_weights(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p, double weights[3]) {
  return project(pl_vec3_sub(b, a), pl_vec3_sub(c, a), pl_vec3_sub(p, a), SLIVER, weights);
}

bool pl_tet_weights(const pl_vec3 corners[4], pl_vec3 p, double weights[4]) {
  pl_vec3 u = pl_vec3_sub(corners[1], corners[0]), v = pl_vec3_sub(corners[2], corners[0]),
          w = pl_vec3_sub(corners[3], corners[0]);
  pl_vec3 q = pl_vec3_sub(p, corners[0]), vw = pl_vec3_cross(v, w);
  double volume = pl_vec3_dot(u, vw), size = pl_vec3_length(u) * pl_vec3_length(v) * pl_vec3_length(w);
  if (!(fabs(volume) > 1e-9 * size)) return false;
  weights[1] = pl_vec3_dot(q, vw) / volume;
  weights[2] = pl_vec3_dot(u, pl_vec3_cross(q, w)) / volume;
  weights[3] = pl_vec3_dot(u, pl_vec3_cross(v, q)) / volume;
  weights[0] = 1 - weights[1] - weights[2] - weights[3];
  return true;
}

pl_vec3 pl_tet_nearest(const pl_vec3 corners[4], pl_vec3 p, double weights[4]) {
  static const int SIDES[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  double inside[4];
  bool is_solid = pl_tet_weights(corners, p, inside);
  if (is_solid && inside[0] >= 0 && inside[1] >= 0 && inside[2] >= 0 && inside[3] >= 0) {
    for (int i = 0; i < 4; ++i) weights[i] = inside[i];
    return p;
  }
  pl_vec3 best = corners[0];
  double best_squared = HUGE_VAL;
  for (int i = 0; i < 4; ++i) weights[i] = i == 0;
  for (int side = 0; side < 4; ++side) {
    const int *s = SIDES[side];
    double on_side[3];
    pl_vec3 on = pl_triangle_nearest(corners[s[0]], corners[s[1]], corners[s[2]], p, on_side),
            away = pl_vec3_sub(p, on);
    double squared = pl_vec3_dot(away, away);
    if (!(squared < best_squared)) continue;
    best_squared = squared;
    best = on;
    weights[side] = 0;
    for (int i = 0; i < 3; ++i) weights[s[i]] = on_side[i];
  }
  return best;
}

double pl_triangle_solid_angle(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p) {
  // Van Oosterom and Strackee 1983: the only form without a bad case but the corners themselves, where atan2(0, 0)
  // gives 0.
  a = pl_vec3_sub(a, p);
  b = pl_vec3_sub(b, p);
  c = pl_vec3_sub(c, p);
  double la = pl_vec3_length(a), lb = pl_vec3_length(b), lc = pl_vec3_length(c);
  double volume = pl_vec3_dot(a, pl_vec3_cross(b, c));
  double rest = la * lb * lc + pl_vec3_dot(a, b) * lc + pl_vec3_dot(b, c) * la + pl_vec3_dot(c, a) * lb;
  return volume == 0 ? 0 : 2 * atan2(volume, rest);
}
