// The point nearest to v on a box cut by the plane of sum 1.
//
//   minimise |x - v|^2   with   l_i <= x_i <= u_i,  sum x_i = 1
//
// The multiplier t of the plane settles everything: x_i = clamp(v_i - t, l_i, u_i), and the sum of these falls with t,
// piecewise linearly, with kinks at v_i - u_i (where x_i leaves its upper bound) and v_i - l_i (where it arrives at the
// lower one). So: sort the kinks, go to the piece where the sum passes 1, and solve there. The simplex is the box l =
// 0, u = infinity (Held, Wolfe and Crowder 1974).
//
// The piece is found by bisection over the sorted kinks, with the sum computed afresh each time: no error is carried
// from piece to piece.
//
// Cost: O(n log n), for the sort as for the bisection.
#include "examples/simplex_project.h"

#include <math.h>

static void sift(double *values, int root, int count) {
  for (int child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && values[child + 1] > values[child]) child++;
    if (!(values[child] > values[root])) return;
    double moved = values[root];
    values[root] = values[child];
    values[child] = moved;
  }
}

// Heap sort: no memory, no bad cases.
static void sort_rising(double *values, int count) {
  for (int i = count / 2 - 1; i >= 0; --i) sift(values, i, count);
  for (int last = count - 1; last > 0; --last) {
    double max = values[0];
    values[0] = values[last];
    values[last] = max;
    sift(values, 0, last);
  }
}

static double clamp(double value, double lower, double upper) {
  return value < lower ? lower : value > upper ? upper : value;
}

static double sum_at(int count, const double *values, const double *lower, const double *upper, double t) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += clamp(values[i] - t, lower[i], upper[i]);
  return sum;
}

// The multiplier in the piece that holds `inside`, where no component changes between free and fixed.
static double multiplier_in_piece(int count, const double *values, const double *lower, const double *upper,
                                  double inside) {
  double fixed = 0, sum = 0;
  int free_count = 0;
  for (int i = 0; i < count; ++i) {
    double x = values[i] - inside;
    if (x <= lower[i] || x >= upper[i]) {
      fixed += x <= lower[i] ? lower[i] : upper[i];
    } else {
      sum += values[i];
      free_count++;
    }
  }
  return free_count > 0 ? (sum - (1 - fixed)) / free_count : inside;
}

// Bisection over the sorted kinks: the last one where the sum is still at least 1.
static double find_multiplier(int count, const double *values, const double *lower, const double *upper,
                              const double *kinks, int kink_count) {
  int low = -1, high = kink_count;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (sum_at(count, values, lower, upper, kinks[middle]) >= 1)
      low = middle;
    else
      high = middle;
  }
  double inside;
  if (kink_count == 0)
    inside = 0;
  else if (low < 0)
    inside = kinks[0] - 1;
  else if (high == kink_count)
    inside = kinks[low] + 1;
  else
    inside = kinks[low] + 0.5 * (kinks[high] - kinks[low]);
  double t = multiplier_in_piece(count, values, lower, upper, inside);
  // Rounding must not carry t out of its piece.
  if (low >= 0) t = fmax(t, kinks[low]);
  if (high < kink_count) t = fmin(t, kinks[high]);
  return t;
}

bool pl_box_project(int32_t count, const double *values, const double *lower, const double *upper, double *projected) {
  double kinks[2 * PL_WEIGHTS_MAX];
  int kink_count = 0;
  double min = 0, max = 0;
  for (int i = 0; i < count; ++i) {
    if (!isfinite(values[i]) || !(lower[i] <= upper[i])) return false;
    min += lower[i];
    max += upper[i];
    if (isfinite(upper[i])) kinks[kink_count++] = values[i] - upper[i];
    if (isfinite(lower[i])) kinks[kink_count++] = values[i] - lower[i];
  }
  // Bounds that just meet the plane are let pass with what rounding makes of their sum.
  const double slack = 1e-12;
  if (count < 1 || !(min <= 1 + slack) || !(max >= 1 - slack)) return false;
  sort_rising(kinks, kink_count);
  double t = find_multiplier(count, values, lower, upper, kinks, kink_count);
  for (int i = 0; i < count; ++i) projected[i] = clamp(values[i] - t, lower[i], upper[i]);
  return true;
}

void pl_simplex_project(int32_t count, const double *values, double *projected) {
  double lower[PL_WEIGHTS_MAX] = {0}, upper[PL_WEIGHTS_MAX] = {0};
  for (int i = 0; i < count; ++i) upper[i] = HUGE_VAL;
  if (pl_box_project(count, values, lower, upper, projected)) return;
  // Not finite: the rest, which comes first.
  for (int i = 0; i < count; ++i) projected[i] = i == 0;
}

bool pl_window_project(int32_t count, const double *values, const double *center, double reach, double min,
                       double *projected) {
  double lower[PL_WEIGHTS_MAX] = {0}, upper[PL_WEIGHTS_MAX] = {0};
  for (int i = 0; i < count; ++i) {
    lower[i] = fmax(center[i] - reach, min);
    upper[i] = center[i] + reach;
  }
  return pl_box_project(count, values, lower, upper, projected);
}
