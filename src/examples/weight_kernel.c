// Weights by similarity to the states in which examples belong: Gaussian kernels, plain or interpolating.
//
//   s_i(x) = exp(-d_i(x)^2 ...)         similarity of the current state x to that of example i
//   plain            w_i = s_i          blurred: at example i others have weight too
//   interpolating    Phi w = s(x)       Phi_ij = s_i(x_j), similarity of example i to the state of example j
//
// At x = x_j the right-hand side is column j of Phi, so w = e_j: the weights interpolate (paper 003, section 5, by the
// scheme it cites; the kernel matrix factored once). Far from all examples s = 0, so w = 0: the rest. Between them
// weights may be slightly negative or sum to more than 1; on the simplex they are cut off and divided out, which leaves
// the examples where they are and the weights continuous.
//
// Phi need not be symmetric: each example may have a width of its own. So it is factored with row exchanges, P Phi = F
// U, by elimination.
//
// Cost: count^2 a call, count^3 once.
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "examples/weights.h"

// Weights at the examples are exact to this, or the kernel is refused.
static const double EXACT = 1e-9;

static bool factor_kernel(pl_weight_kernel *kernel, const double *similarities) {
  int32_t n = kernel->count;
  double *a = kernel->factor, finite = 0;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) {
      a[(int64_t)i * n + j] = similarities[(int64_t)i * n + j];
      finite += 0 * similarities[(int64_t)i * n + j];
    }
  if (finite != 0) return false;
  for (int32_t k = 0; k < n; ++k) {
    int32_t pivot = k;
    for (int32_t i = k + 1; i < n; ++i)
      if (fabs(a[(int64_t)i * n + k]) > fabs(a[(int64_t)pivot * n + k])) pivot = i;
    kernel->pivot_of[k] = pivot;
    for (int32_t j = 0; j < n; ++j) {
      double moved = a[(int64_t)k * n + j];
      a[(int64_t)k * n + j] = a[(int64_t)pivot * n + j];
      a[(int64_t)pivot * n + j] = moved;
    }
    if (!(fabs(a[(int64_t)k * n + k]) > 1e-300)) return false;
    for (int32_t i = k + 1; i < n; ++i) {
      double fraction = a[(int64_t)i * n + k] /= a[(int64_t)k * n + k];
      for (int32_t j = k + 1; j < n; ++j) a[(int64_t)i * n + j] -= fraction * a[(int64_t)k * n + j];
    }
  }
  return true;
}

// Solve in place: `x` is s(x) on entry and the weights on return.
static void solve_kernel(const pl_weight_kernel *kernel, double *x) {
  int32_t n = kernel->count;
  const double *a = kernel->factor;
  for (int32_t k = 0; k < n; ++k) {
    int32_t pivot = kernel->pivot_of[k];
    double moved = x[k];
    x[k] = x[pivot];
    x[pivot] = moved;
  }
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < i; ++j) x[i] -= a[(int64_t)i * n + j] * x[j];
  for (int32_t i = n - 1; i >= 0; --i) {
    for (int32_t j = i + 1; j < n; ++j) x[i] -= a[(int64_t)i * n + j] * x[j];
    x[i] /= a[(int64_t)i * n + i];
  }
}

// How far weights at the examples may be from e_j: what the factors make of the columns themselves, and what rounding
// in the similarities may add.
static double inexactness(const pl_weight_kernel *kernel, const double *similarities) {
  int32_t n = kernel->count;
  double *column = kernel->factor + (int64_t)n * n, error = 0, response = 0;
  for (int32_t j = 0; j < n; ++j) {
    for (int32_t i = 0; i < n; ++i) column[i] = similarities[(int64_t)i * n + j];
    solve_kernel(kernel, column);
    for (int32_t i = 0; i < n; ++i) error = fmax(error, fabs(column[i] - (i == j)));
    for (int32_t i = 0; i < n; ++i) column[i] = i == j;
    solve_kernel(kernel, column);
    for (int32_t i = 0; i < n; ++i) response = fmax(response, fabs(column[i]));
  }
  return error + 4 * DBL_EPSILON * response;
}

pl_status pl_weight_kernel_build(pl_weight_kernel *kernel, const double *similarities, pl_error *error) {
  int32_t n = kernel->count;
  if (factor_kernel(kernel, similarities) && inexactness(kernel, similarities) <= EXACT) return PL_OK;
  // Alike are two examples when each is as similar to the other as to itself.
  int32_t first = 0, second = 0;
  double max = -HUGE_VAL;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) {
      double value = similarities[(int64_t)i * n + j];
      if (!isfinite(value))
        return pl_fail(error, PL_ERROR_INVALID_DATA, "the similarity of examples %d and %d is not finite", (int)i,
                       (int)j);
      if (i != j && value > max) {
        max = value;
        first = i < j ? i : j;
        second = i < j ? j : i;
      }
    }
  return pl_fail(
      error, PL_ERROR_INVALID_DATA,
      "examples %d and %d belong to states that are too alike to tell apart (similarity %.9g); move one of them, or "
      "narrow the kernel",
      (int)first, (int)second, max);
}

void pl_weight_kernel_interpolate(const pl_weight_kernel *kernel, const double *similarities, double *weights) {
  for (int32_t i = 0; i < kernel->count; ++i) weights[i] = similarities[i];
  solve_kernel(kernel, weights);
}

void pl_weight_kernel_evaluate(const pl_weight_kernel *kernel, const double *similarities, double *weights) {
  pl_weight_kernel_interpolate(kernel, similarities, weights);
  pl_weights_limit(kernel->count, weights, weights);
}

void pl_feature_similarities(const pl_feature_set *set, const double *feature, double *similarities) {
  for (int32_t i = 0; i < set->count; ++i) {
    const double *example = set->features + (int64_t)i * set->dimension;
    double exponent = 0;
    for (int32_t c = 0; c < set->dimension; ++c) {
      double off = (feature[c] - example[c]) / set->widths[c];
      exponent += 0.5 * off * off;
    }
    similarities[i] = exp(-exponent);
  }
}
