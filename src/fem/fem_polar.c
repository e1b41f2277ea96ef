// The rotation nearest to a deformation gradient by its closed form; see fem_polar.h.
#include "fem/fem_polar.h"

#include <stdbool.h>

#include "math/mat3.h"
#include "math/rotation.h"

static const double min_sum = 1e-8;

static double squared(const pl_mat3 *a) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += a->m[i][j] * a->m[i][j];
  return sum;
}

// (trace 1 - S)⁻¹ for a symmetric S, with eigenvalues of the bracket not below sum_least.
static pl_mat3 turning_inverse(const pl_mat3 *S, double trace) {
  pl_mat3 H = pl_mat3_scale(*S, -1);
  for (int i = 0; i < 3; ++i) H.m[i][i] += trace;
  // The product of the two larger eigenvalues is at most (their sum / 2)² <= trace²; so this much determinant rules out
  // small ones.
  double determinant = pl_mat3_determinant(H);
  if (H.m[0][0] > 0 && determinant > min_sum * trace * trace)
    return pl_mat3_scale(pl_mat3_adjugate(H), 1 / determinant);
  pl_vec3 values;
  pl_mat3 axes;
  pl_symmetric_eigen(H, &values, &axes);
  pl_mat3 inverse =
      pl_mat3_diagonal(1 / fmax(values.x, min_sum), 1 / fmax(values.y, min_sum), 1 / fmax(values.z, min_sum));
  return pl_mat3_multiply(pl_mat3_multiply(axes, inverse), pl_mat3_transpose(axes));
}

// τ is the largest root of τ⁴ - 2 I τ² - 8 J τ + I² - 4 |G|², with I = |F|², J = det F and G the cofactors of F (from
// τ² = I + 2 e and e² = |G|² + 2 J τ, where e is the sum of products of two stretches). Beyond it the quartic is
// convex, so Newton's iteration from the bound √(3 I) falls monotonically.
static double trace_of_stretch(double I, double J, double G2) {
  double trace = sqrt(3 * I), constant = I * I - 4 * G2;
  for (int i = 0; i < 40; ++i) {
    double value = ((trace * trace - 2 * I) * trace - 8 * J) * trace + constant;
    double step = value / (4 * ((trace * trace - I) * trace - 2 * J));
    trace -= step;
    if (!(fabs(step) > 1e-9 * trace)) break;
  }
  return trace;
}

// R from τ and e by eliminating powers of S between Cayley-Hamilton's equation and cof F = R cof S:
//
//   (τ e - J) R = (τ² - e) F + τ G - F Fᵀ F
//
// τ e - J is the product of the three sums s_i + s_j; where it is small this loses digits and false is returned.
static bool rotation_by_trace(const pl_mat3 *F, pl_mat3 *R) {
  pl_mat3 G = pl_mat3_transpose(pl_mat3_adjugate(*F)), metric = pl_mat3_multiply(pl_mat3_transpose(*F), *F);
  double I = squared(F), J = pl_mat3_determinant(*F), trace = trace_of_stretch(I, J, squared(&G));
  double e = 0.5 * (trace * trace - I), sums = trace * e - J;
  if (!(sums > 1e-3 * trace * trace * trace)) return false;
  pl_mat3 cube = pl_mat3_multiply(*F, metric);
  double a = (trace * trace - e) / sums, b = trace / sums, c = -1 / sums;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R->m[i][j] = a * F->m[i][j] + b * G.m[i][j] + c * cube.m[i][j];
  return true;
}

// R - R (RᵀR - 1) / 2: one step of Newton and Schulz takes the error of orthogonality to its square.
static pl_mat3 orthogonalized(const pl_mat3 *R) {
  pl_mat3 half = pl_mat3_scale(pl_mat3_multiply(pl_mat3_transpose(*R), *R), -0.5);
  for (int i = 0; i < 3; ++i) half.m[i][i] += 1.5;
  return pl_mat3_multiply(*R, half);
}

void pl_fem_polar_of(const pl_mat3 *F, pl_fem_polar *p) {
  bool direct = rotation_by_trace(F, &p->R);
  p->R = direct ? orthogonalized(&p->R) : pl_mat3_from_quat(pl_rotation_of_mat3(*F, pl_quat_identity()));
  pl_mat3 product = pl_mat3_multiply(pl_mat3_transpose(p->R), *F);
  p->S = pl_fem_symmetric_part(&product);
  p->trace = p->S.m[0][0] + p->S.m[1][1] + p->S.m[2][2];
  p->K = turning_inverse(&p->S, p->trace);
  if (!direct) return;
  // The remainder of the axial part is the last correction of the rotation, 1e-15 mostly and 1e-10 at the worst: too
  // small to change S and K.
  pl_mat3 turn = pl_fem_cross_matrix(pl_mat3_apply(p->K, pl_fem_axial(&product)));
  p->R = pl_mat3_add(p->R, pl_mat3_multiply(p->R, turn));
}
