// How far random errors of the data leave the parameters uncertain.
//
// Near the minimum the distance is quadratic, and errors of the tracked points that are independent of each other, σ
// metres in each coordinate, make the parameters vary with the covariance σ² N⁻¹. σ is the residual or what was said to
// be expected, whichever is larger: data that are exact, or that the model follows by chance, do not make a parameter
// known that hardly moves anything. Errors that are alike from point to
// point and from frame to frame are found from the scores of blocks of frames, and the wider of both counts. Motions,
// cases and vibrations that disagree by more than that add their spread.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_parts.h"
#include "sparse/dense_factor.h"

static const double INVISIBLE =
    1e-24;  // sensitivity, squared, against the largest: what moves less than rounding counts as this much
static const double TRACE = 1e-12;      // of the identity in the scaled normal matrix
enum { MIN_FREEDOM = 8 };               // blocks beyond the parameters that a variance takes
static const double MIN_REPEAT = 1e-3;  // of what determines a parameter: data with less say nothing of it

double pl_fit_residual_variance(const pl_fit *fit) {
  return fit->now.cost / fmax(3 * fit->now.weight - fit->column_count, 1);
}

double pl_fit_variance(const pl_fit *fit) {
  return fmax(pl_fit_residual_variance(fit), fit->def.noise * fit->def.noise);
}

// Inverse of the normal matrix scaled to a unit diagonal, with a trace of the identity so that what no frame shows is
// merely very uncertain.
static pl_status invert_normal(const pl_fit *fit, double *inverse, double *scales, pl_error *error) {
  int32_t n = fit->column_count;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  pl_dense_factor factor;
  if (!pl_dense_factor_take(&arena, n, &factor)) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  double max = 0;
  for (int32_t i = 0; i < n; ++i) max = fmax(max, fit->now.normal[i * n + i]);
  for (int32_t i = 0; i < n; ++i) scales[i] = 1 / sqrt(fmax(fit->now.normal[i * n + i], fmax(INVISIBLE * max, 1e-300)));
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j)
      factor.values[i * n + j] = fit->now.normal[i * n + j] * scales[i] * scales[j] + (i == j ? TRACE : 0);
  pl_dense_factor_run(&factor, true);
  for (int32_t j = 0; j < n; ++j) {
    double *column = inverse + (ptrdiff_t)j * n;
    memset(column, 0, (size_t)n * sizeof(double));
    column[j] = 1;
    pl_dense_factor_solve(&factor, column);
  }
  pl_arena_destroy(&arena);
  return PL_OK;
}

// 97.5 % quantile of Student's distribution, to 2 % from 3 degrees of freedom on (Fisher's expansion).
static double student_95(double freedom) {
  double f = fmax(freedom, 3), z = PL_NORMAL_95, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f);
}

// Variance of a column from the scores of blocks of `length` frames: N⁻¹ Σ G_b G_bᵀ N⁻¹, the sandwich of misspecified
// least squares, whose blocks may be correlated inside and must not be with each other. Blocks do not cross from one
// sequence to the next. `count` receives the number of blocks.
static double block_variance(const pl_fit *fit, const double *row, int32_t length, int32_t *count) {
  int32_t n = fit->column_count, window = fit->windows[fit->cursor.window];
  const double *scores = fit->now.scores;
  double sum = 0;
  *count = 0;
  for (int32_t s = 0; s < fit->sequence_count + fit->case_count + fit->vibration_count; ++s) {
    int32_t frames = s < fit->sequence_count ? fit->sequences[s].frame_count : 1, used = frames;
    if (used > window) used = window;
    // The first frame is where the sequence starts, and compares with nothing.
    for (int32_t f = s < fit->sequence_count ? 1 : 0; f < used; f += length) {
      double block = 0;
      for (int32_t i = f; i < f + length && i < used; ++i)
        for (int32_t k = 0; k < n; ++k) block += row[k] * scores[(ptrdiff_t)i * n + k];
      sum += block * block;
      ++*count;
    }
    scores += (ptrdiff_t)frames * n;
  }
  return sum;
}

// Errors of points in a frame are alike, and so are those of frames that follow each other, by the filter of a tracker
// or by what the model lacks. Longer and longer blocks of frames are tried as independent; the largest deviation
// counts, in units of the normal distribution.
static double block_deviation(const pl_fit *fit, const double *inverse, const double *scales, int32_t column) {
  int32_t n = fit->column_count, count = 0;
  double row[PL_FIT_MAX_VALUES], max = 0;
  for (int32_t k = 0; k < n; ++k) row[k] = inverse[(ptrdiff_t)column * n + k] * scales[column] * scales[k];
  for (int32_t length = 1;; length *= 2) {
    double variance = block_variance(fit, row, length, &count), freedom = count - n;
    if (count < n + MIN_FREEDOM) break;
    max = fmax(max, sqrt(variance * count / freedom) * student_95(freedom) / PL_NORMAL_95);
    if (length > fit->longest) break;
  }
  return max;
}

// What motions, cases and vibrations say of a column when asked one by one: their scores, each a step N⁻¹ G_r of the
// whole, and the fraction w_r of what determines the column. Item r alone would find u_r / w_r beyond the joint value,
// with a variance V / w_r. If these spread more than that, each has a deviation τ of its own (DerSimonian and Laird
// 1986):
//
//   Q = Σ u_r² / (w_r V)        τ² = V max(0, Q - (R - 1)) / (1 - Σ w_r²)
//
// which adds τ² Σ w_r² to the variance of the joint value. Returns its root, in units of the normal distribution.
static double repeat_deviation(const pl_fit *fit, const double *inverse, const double *scales, int32_t column,
                               double deviation) {
  int32_t n = fit->column_count, window = fit->windows[fit->cursor.window];
  int32_t items = fit->sequence_count + fit->case_count + fit->vibration_count, count = 0;
  const double *scores = fit->now.scores;
  double row[PL_FIT_MAX_VALUES], whole = inverse[(ptrdiff_t)column * n + column] * scales[column] * scales[column];
  double q = 0, squares = 0;
  for (int32_t k = 0; k < n; ++k) row[k] = inverse[(ptrdiff_t)column * n + k] * scales[column] * scales[k];
  for (int32_t r = 0; r < items; ++r) {
    const double *normal = fit->now.normals + (ptrdiff_t)r * n * n;
    int32_t frames = r < fit->sequence_count ? fit->sequences[r].frame_count : 1;
    double step = 0, weight = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)(frames < window ? frames : window) * n; ++i) step += row[i % n] * scores[i];
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n; ++i) weight += row[i / n] * normal[i] * row[i % n];
    weight /= whole;
    scores += (ptrdiff_t)frames * n;
    if (!(weight > MIN_REPEAT)) continue;
    q += step * step / (weight * deviation * deviation);
    squares += weight * weight;
    ++count;
  }
  double excess = q - (count - 1);
  if (count < 2 || !(excess > 0) || !(squares < 1)) return 0;
  return deviation * sqrt(excess * squares / (1 - squares)) * student_95(count - 1) / PL_NORMAL_95;
}

// The sum of squares that the stated error of the data does not explain, m²; 0 when it was not stated, or chance may be
// the reason: errors may be alike all over a frame, so there are as many chances as frames.
double pl_fit_unexplained(const pl_fit *fit) {
  const pl_fit_evaluation *now = &fit->now;
  int32_t window = fit->windows[fit->cursor.window], frames = fit->case_count + fit->vibration_count;
  for (int32_t s = 0; s < fit->sequence_count; ++s)
    frames += (fit->sequences[s].frame_count < window ? fit->sequences[s].frame_count : window) - 1;
  double expected = fit->def.noise * fit->def.noise * fmax(3 * now->weight - fit->column_count, 1);
  double chance = PL_NORMAL_95 * sqrt(2 / fmax(frames, 1));
  return fit->noise_is_stated && now->cost > (1 + chance) * expected ? now->cost - expected : 0;
}

// What the model lacks, b with |b|² unexplained, moves a parameter by N⁻¹ sᵀ b, at most (Cauchy and Schwarz) by
//
//   |b| √(N⁻¹)ᵢᵢ
//
// if all of it looks like that parameter. A phase that drifts over the whole motion does, and no block of frames shows
// it.
static double lack_of_fit(const pl_fit *fit, double variance) {
  return sqrt(pl_fit_unexplained(fit) * fmax(variance, 0));
}

pl_status pl_fit_find_covariance(const pl_fit *fit, double variance, pl_arena *arena, pl_fit_covariance *found,
                                 pl_error *error) {
  int32_t n = fit->column_count;
  double sigma = sqrt(variance);
  *found = (pl_fit_covariance){.inverse = PL_TAKE(arena, double, (size_t)n *(size_t)n),
                               .scales = PL_TAKE(arena, double, n),
                               .deviations = PL_TAKE(arena, double, n),
                               .lacks = PL_TAKE(arena, double, n)};
  if (arena->failed) return pl_fail_memory(error);
  pl_status status = invert_normal(fit, found->inverse, found->scales, error);
  for (int32_t i = 0; status >= 0 && i < n; ++i) {
    double alone = sigma * found->scales[i] * sqrt(fmax(found->inverse[i * n + i], 0)),
           together = fmax(alone, block_deviation(fit, found->inverse, found->scales, i)),
           spread = repeat_deviation(fit, found->inverse, found->scales, i, together);
    found->deviations[i] = sqrt(together * together + spread * spread);
    found->lacks[i] = lack_of_fit(fit, found->inverse[i * n + i] * found->scales[i] * found->scales[i]);
    double alike = alone > 0 ? found->deviations[i] / alone : 1;
    found->variance += variance / n * alike * alike;
  }
  return status;
}
