// Weights over time, from keys.
//
// Between keys a and b of one weight, with h = t_b - t_a and x = (t - t_a) / h:
//
//   linear   v = v_a + x (v_b - v_a)
//   smooth   v = (1 + 2x)(1 - x)^2 v_a + x^2 (3 - 2x) v_b + h x (1 - x)^2 m_a - h x^2 (1 - x) m_b      cubic Hermite
//
// v  value at a key, m  slope at a key, s  slope of the straight line of an interval
//
// The slopes m make the cubic monotone between any two keys: 0 where the lines on both sides rise and fall or rest,
// else their harmonic mean weighted by the intervals (Fritsch and Butland 1984), at an end the slope of a parabola,
// limited likewise (Fritsch and Carlson 1980: m between 0 and 3 s suffices). So a weight never leaves the range of its
// keys, and one that two keys hold at 0 stays 0. Plain cubic splines overshoot.
//
// Of several weights at once only the linear mixture keeps the sum within that of the keys; the smooth one may exceed 1
// by a little, which is divided out.
//
// Cost: log(keys) + weights.
#include <math.h>

#include "base/error.h"
#include "examples/weights.h"

pl_status pl_weight_curve_check(const pl_weight_curve *curve, pl_error *error) {
  if (curve->key_count < 1) return pl_fail(error, PL_ERROR_INVALID_DATA, "a curve of weights needs at least one key");
  if (curve->is_looping && curve->key_count < 2)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "a curve that loops needs at least two keys, the last of which is the first again");
  for (int32_t i = 0; i < curve->key_count; ++i) {
    if (!isfinite(curve->times[i]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "the time of key %d is not finite", (int)i);
    if (i > 0 && !(curve->times[i] > curve->times[i - 1]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "key %d at %g s does not come after the key before it, at %g s",
                     (int)i, curve->times[i], curve->times[i - 1]);
    double sum = 0;
    for (int32_t k = 0; k < curve->count; ++k) {
      double value = curve->values[i * curve->count + k];
      if (!(value >= 0))
        return pl_fail(error, PL_ERROR_INVALID_DATA, "weight %d of key %d is %g; weights are not negative", (int)k,
                       (int)i, value);
      sum += value;
    }
    // Weights typed with a few digits (0.3333, 0.6667) may miss 1 in the last of them.
    if (!(sum <= 1 + 1e-3))
      return pl_fail(
          error, PL_ERROR_INVALID_DATA,
          "the weights of key %d sum to %g; at most 1 can be shared out, the rest shape takes the remainder up to 1",
          (int)i, sum);
  }
  return PL_OK;
}

// Slope at an inner key between intervals h0, h1 with lines of slopes s0, s1.
static double inner_slope(double h0, double s0, double h1, double s1) {
  if (!(s0 * s1 > 0)) return 0;
  double a = 2 * h1 + h0, b = h1 + 2 * h0;
  return (a + b) / (a / s0 + b / s1);
}

// Slope at an end: of the parabola through three keys, if it keeps the first interval (h0, s0) monotone.
static double end_slope(double h0, double s0, double h1, double s1) {
  double slope = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
  if (!(slope * s0 > 0)) return 0;
  return fabs(slope) > 3 * fabs(s0) ? 3 * s0 : slope;
}

void pl_weight_curve_slopes(const pl_weight_curve *curve, double *slopes) {
  int32_t n = curve->count, last = curve->key_count - 1;
  const double *t = curve->times, *v = curve->values;
  for (int32_t k = 0; k < n; ++k) {
    if (last == 0) slopes[k] = 0;
    for (int32_t i = 0; last > 0 && i <= last; ++i) {
      bool is_end = i == 0 || i == last;
      int32_t before = i > 0 ? i - 1 : last - 1, after = i < last ? i : 0;
      double h0 = t[before + 1] - t[before], s0 = (v[(before + 1) * n + k] - v[before * n + k]) / h0;
      double h1 = t[after + 1] - t[after], s1 = (v[(after + 1) * n + k] - v[after * n + k]) / h1;
      double *slope = &slopes[i * n + k];
      // A loop whose ends agree continues smoothly through them.
      if (!is_end || (curve->is_looping && v[k] == v[last * n + k]))
        *slope = inner_slope(h0, s0, h1, s1);
      else if (last == 1)
        *slope = s0;
      else if (i == 0)
        *slope = end_slope(h1, s1, t[2] - t[1], (v[2 * n + k] - v[n + k]) / (t[2] - t[1]));
      else
        *slope =
            end_slope(h0, s0, t[i - 1] - t[i - 2], (v[(i - 1) * n + k] - v[(i - 2) * n + k]) / (t[i - 1] - t[i - 2]));
    }
  }
}

// The interval [i, i + 1] of keys that holds `time`, by bisection; there are two keys at least and `time` is between
// the first and the last.
static int32_t find_interval(const pl_weight_curve *curve, double time) {
  int32_t low = 0, high = curve->key_count - 1;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (curve->times[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void pl_weight_curve_evaluate(const pl_weight_curve *curve, double time, double *weights) {
  int32_t n = curve->count, last = curve->key_count - 1;
  double first_time = curve->times[0], last_time = curve->times[last];
  if (curve->is_looping && last > 0 && isfinite(time)) {
    double period = last_time - first_time, past = fmod(time - first_time, period);
    time = first_time + (past < 0 ? past + period : past);
  }
  if (last == 0 || !(time > first_time)) {
    pl_weights_limit(n, curve->values, weights);
    return;
  }
  if (time >= last_time) {
    pl_weights_limit(n, curve->values + last * n, weights);
    return;
  }
  int32_t i = find_interval(curve, time);
  double h = curve->times[i + 1] - curve->times[i], x = (time - curve->times[i]) / h, y = 1 - x;
  const double *a = curve->values + i * n, *b = a + n;
  bool is_smooth = curve->kind == PL_CURVE_SMOOTH;
  for (int32_t k = 0; k < n; ++k) {
    weights[k] = y * a[k] + x * b[k];
    if (!is_smooth) continue;
    double slope_a = curve->slopes[i * n + k], slope_b = curve->slopes[(i + 1) * n + k];
    weights[k] = (1 + 2 * x) * y * y * a[k] + x * x * (3 - 2 * x) * b[k] + h * x * y * (y * slope_a - x * slope_b);
  }
  pl_weights_limit(n, weights, weights);
}
