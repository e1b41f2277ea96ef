// Roots of cubics in [0, 1], none of which may be missed: moving triangles and edges become
// coplanar at them.
//
//   V(t) = k0 + k1 t + k2 t^2 + k3 t^3
//
// V lies between the smallest and the largest of its Bernstein coefficients, which rules out most.
// Otherwise it is cut at the roots of V' into monotone pieces, so that every change of sign is
// between the ends of a piece.
#ifndef PL_CONTACT_CUBIC_H
#define PL_CONTACT_CUBIC_H

#include <math.h>
#include <stdbool.h>

static inline double pl_cubic_at(const double k[4], double t) {
  return ((k[3] * t + k[2]) * t + k[1]) * t + k[0];
}

// Is V positive, or not positive, in all of [0, 1] by its coefficients alone?
static inline bool pl_cubic_keeps_its_sign(const double k[4]) {
  double b1 = k[0] + k[1] / 3, b2 = k[0] + (2 * k[1] + k[2]) / 3, b3 = pl_cubic_at(k, 1);
  return (k[0] > 0 && b1 > 0 && b2 > 0 && b3 > 0) || (k[0] <= 0 && b1 <= 0 && b2 <= 0 && b3 <= 0);
}

// Ends of the monotone pieces of V in [0, 1]; returns their number, 2 to 4.
static inline int pl_cubic_pieces(const double k[4], double cuts[4]) {
  double a = 3 * k[3], b = 2 * k[2], c = k[1], roots[2];
  int root_count = 0, cut_count = 0;
  double discriminant = b * b - 4 * a * c;
  if (discriminant >= 0) {
    // The stable form of the quadratic formula; a zero denominator gives an infinity, which is
    // outside [0, 1].
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

// Where V falls from above 0 at `low` to 0 or below at `high`, within 1e-15, on the side above 0.
// Newton's steps where they stay between the ends, halving otherwise.
static inline double pl_cubic_falling_root(const double k[4], double low, double high) {
  double t = 0.5 * (low + high);
  for (int i = 0; i < 60 && high - low > 1e-15; ++i) {
    double value = pl_cubic_at(k, t), slope = (3 * k[3] * t + 2 * k[2]) * t + k[1];
    if (value > 0)
      low = t;
    else
      high = t;
    // A step that lands on the root leaves one end where it was: a little more on every second one
    // goes over it.
    double next = t - value / slope + (value > 0 ? 4e-16 : -4e-16);
    if (!(next > low && next < high) || i % 8 == 7) next = 0.5 * (low + high);
    t = next;
  }
  return low;
}

#endif
