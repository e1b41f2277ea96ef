// Curves in the plane: stretching of an edge and bending at a point (paper 004, appendix A, W_Curve2D).
//
//   stretch   ½ k_l (l² - L²)² / L̄³   l, L, L̄   length of the edge now, at rest, at the start
//   bend      ½ k_b (θ - Θ)² / T̄      θ, Θ      turning angle between two edges now, at rest   T̄ = ½ (L̄_i + L̄_j)
//
// Bending differs from the printed text, which multiplies by T̄. A curve of curvature κ turns by θ = κ T̄ at each point,
// so the printed sum is ½ k_b κ² Σ T̄³: it goes to zero with the square of the edges' length, and a curve cut twice as
// finely is four times softer. Divided by T̄ it is ½ k_b κ² Σ T̄, the energy of Euler's elastica with k_b = EI in N m²,
// at any resolution. (The printed text says of L̄³ that it is there for this very reason.) Constant curvature is met
// exactly: a moment M at the end bends each point by M T̄ / k_b, which is a circle of radius k_b / M.
//
// Stretching is as printed. For a small strain ε it is ½ (4 k_l) ε² L̄: the curve's EA in N is 4 k_l.
//
// θ is positive where the curve turns to the left (about +z) from corner 0 over 1 to 2. As the argument of a complex
// number it needs no case at 90°, and with z = a or b for the edges taken as complex numbers, θ = Im(log b - log a),
// whose derivatives are those of the logarithm: 1/z, -1/z², 2/z³.
//
// Not smooth: θ lies in [-π, π] and jumps by 2π where the second edge folds back onto the first. A curve that passes
// through itself there finds a kink in the energy if Θ = 0, and a step otherwise. Not defined: the angle at an edge
// without length. Where one edge is shorter than a millionth of the other, the derivatives of θ are given as 0 (no
// force). The energy is finite everywhere. Rest edges without length count as Θ = 0; start edges must have a length.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "fem/fem_lanes.h"
#include "fem/fem_measure.h"

static const char *const stretch_names[] = {"stretch k_l (N)"};
static const char *const bend_names[] = {"bend k_b (N m^2)"};

static double stretch_fraction(const double *d) {
  double length = sqrt(pl_fem_edge_value(d));
  return 1 / (length * length * length);
}

const pl_fem_measure pl_fem_curve_edge_measure = {2,    pl_fem_edge_value, pl_fem_edge_gradient, pl_fem_edge_hessian,
                                                  NULL, stretch_fraction};

PL_FEM_MEASURE_ENERGY(pl_fem_curve_stretch, "curve stretch", 2, pl_fem_curve_edge_measure, stretch_names);

// --- bending ------------------------------------------------------------------------------------------------------

typedef struct complex_number {
  double re, im;
} complex_number;

static complex_number times(complex_number a, complex_number b) {
  return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// The two edges, and their inverses 1/z; false where the angle is not defined.
static bool invert_edges(const double *d, complex_number *inverse_a, complex_number *inverse_b) {
  complex_number a = {d[0], d[1]}, b = {d[3] - d[0], d[4] - d[1]};
  double a2 = a.re * a.re + a.im * a.im, b2 = b.re * b.re + b.im * b.im;
  if (!(fmin(a2, b2) > 1e-12 * fmax(a2, b2))) return false;
  *inverse_a = (complex_number){a.re / a2, -a.im / a2};
  *inverse_b = (complex_number){b.re / b2, -b.im / b2};
  return true;
}

static double turn_value(const double *d) {
  double ax = d[0], ay = d[1], bx = d[3] - d[0], by = d[4] - d[1];
  return pl_fem_angle(ax * by - ay * bx, ax * bx + ay * by);
}

static void turn_gradient(const double *d, double *g) {
  complex_number a, b;
  for (int i = 0; i < 6; ++i) g[i] = 0;
  if (!invert_edges(d, &a, &b)) return;
  // Im(z'/z) for z' = 1 and i
  g[3] = b.im;
  g[4] = b.re;
  g[0] = -b.im - a.im;
  g[1] = -b.re - a.re;
}

// h = blocks [ -A + B, -B; -B, B ] of the second derivatives A, B of the arguments of a and b: ∂_xx = Im c, ∂_xy = Im
// ic = Re c, ∂_yy = -Im c, with c the second derivative of the logarithm (or its rate).
static void fill_blocks(complex_number a, complex_number b, double *h) {
  const double A[2][2] = {{a.im, a.re}, {a.re, -a.im}}, B[2][2] = {{b.im, b.re}, {b.re, -b.im}};
  for (int i = 0; i < 36; ++i) h[i] = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      h[6 * i + j] = B[i][j] - A[i][j];
      h[6 * i + 3 + j] = h[6 * (3 + i) + j] = -B[i][j];
      h[6 * (3 + i) + 3 + j] = B[i][j];
    }
  }
}

static void turn_hessian(const double *d, double *h) {
  complex_number a, b, none = {0, 0};
  if (!invert_edges(d, &a, &b)) {
    fill_blocks(none, none, h);
    return;
  }
  a = times(a, a);
  b = times(b, b);
  fill_blocks((complex_number){-a.re, -a.im}, (complex_number){-b.re, -b.im}, h);
}

static void turn_third(const double *d, const double *rate, double *h) {
  complex_number a, b, none = {0, 0};
  if (!invert_edges(d, &a, &b)) {
    fill_blocks(none, none, h);
    return;
  }
  complex_number a_rate = {2 * rate[0], 2 * rate[1]}, b_rate = {2 * (rate[3] - rate[0]), 2 * (rate[4] - rate[1])};
  fill_blocks(times(times(a, a), times(a, a_rate)), times(times(b, b), times(b, b_rate)), h);
}

// 1 / T̄
static double turn_fraction(const double *d) {
  return 2 / (hypot(d[0], d[1]) + hypot(d[3] - d[0], d[4] - d[1]));
}

const pl_fem_measure pl_fem_curve_turn_measure = {3,          turn_value,   turn_gradient, turn_hessian,
                                                  turn_third, turn_fraction};

PL_FEM_MEASURE_ENERGY(pl_fem_curve_bend, "curve bend", 3, pl_fem_curve_turn_measure, bend_names);
