// What came out of a fit, and how far it is to be trusted.
//
// Near the minimum the distance is quadratic, and errors of the tracked points that are independent of each other, σ
// metres in each coordinate, make the parameters vary with the covariance σ² N⁻¹. σ is the residual or what was said to
// be expected, whichever is larger: data that are exact, or that the model follows by chance, do not make a parameter
// known that hardly moves anything. Errors that are alike from point to point and from frame to frame are found from
// the scores of blocks of frames, and the wider of both intervals counts. Motions, cases and vibrations that disagree
// by more than that add their spread. Where the error of the data was stated, and the residual is beyond it, what is
// left over is the model's: it widens all intervals by the most that it can do.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/fit_parts.h"
#include "pliant/math.h"
#include "sparse/dense_factor.h"

static const double NORMAL_95 = 1.959963984540054;
static const double INVISIBLE =
    1e-24;  // sensitivity, squared, against the largest: what moves less than rounding counts as this much
static const double TRACE = 1e-12;      // of the identity in the scaled normal matrix
static const double AT_BOUND = 1e-9;    // of the bound
enum { MIN_FREEDOM = 8 };               // blocks beyond the parameters that a variance takes
static const double MIN_REPEAT = 1e-3;  // of what determines a parameter: data with less say nothing of it
// Residual from which the data are not met: this fraction of the amplitude, and this many times the stated error.
static const double MISFIT = 0.3, MISFIT_NOISE = 3;

const char *pl_fit_verdict_name(pl_fit_verdict verdict) {
  static const char *const names[] = {"determined", "not determined", "at its bound",
                                      "held",       "not converged",  "not met"};
  return (unsigned)verdict < sizeof names / sizeof names[0] ? names[verdict] : "unknown";
}

pl_status pl_fit_run(pl_fit *fit, pl_error *error) {
  double start = pl_clock_seconds();
  pl_status status;
  if (fit->sequence_count + fit->case_count + fit->vibration_count == 0 || fit->column_count == 0)
    status = pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "there is no sequence or no parameter to fit");
  else if (fit->start_count > 0 && fit->def.fitter == PL_FITTER_NELDER_MEAD)
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "Nelder-Mead does not fit starts; use Gauss-Newton");
  else
    status = fit->def.fitter == PL_FITTER_GAUSS_NEWTON ? pl_fit_run_gauss(fit, error) : pl_fit_run_simplex(fit, error);
  fit->seconds += pl_clock_seconds() - start;
  return status;
}

static void name_value(const pl_fit *fit, int32_t value, pl_fit_estimate *estimate) {
  static const char *const others[3] = {"poisson", "mass damping", "stiffness damping"};
  static const char *const viscous[PL_FIT_VISCOUS_KINDS] = {"prony ratio", "prony time", "second prony ratio",
                                                            "second prony time", "loss factor"};
  int32_t other = value - fit->body.control_count;
  if (value < fit->body.control_count)
    snprintf(estimate->name, sizeof estimate->name, "young %d", value + 1);
  else
    snprintf(estimate->name, sizeof estimate->name, "%s",
             other < 3 ? others[other] : viscous[fit->body.viscous_kinds[other - 3]]);
}

// Inverse of the normal matrix scaled to a unit diagonal, with a trace of the identity so that what no frame shows is
// merely very uncertain.
static pl_status invert_normal(pl_fit *fit, double *inverse, double *scales, pl_error *error) {
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
  double f = fmax(freedom, 3), z = NORMAL_95, z3 = z * z * z, z5 = z3 * z * z;
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
    max = fmax(max, sqrt(variance * count / freedom) * student_95(freedom) / NORMAL_95);
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
  return deviation * sqrt(excess * squares / (1 - squares)) * student_95(count - 1) / NORMAL_95;
}

bool pl_fit_is_misfit(const pl_fit *fit) {
  const pl_fit_evaluation *now = &fit->now;
  double noise = fit->def.noise * fit->def.noise * 3 * now->weight;
  return now->cost > fmax(MISFIT * MISFIT * now->amplitude, MISFIT_NOISE * MISFIT_NOISE * noise);
}

// The sum of squares that the stated error of the data does not explain, m²; 0 when it was not stated, or chance may be
// the reason: errors may be alike all over a frame, so there are as many chances as frames.
static double unexplained(const pl_fit *fit) {
  const pl_fit_evaluation *now = &fit->now;
  int32_t window = fit->windows[fit->cursor.window], frames = fit->case_count + fit->vibration_count;
  for (int32_t s = 0; s < fit->sequence_count; ++s)
    frames += (fit->sequences[s].frame_count < window ? fit->sequences[s].frame_count : window) - 1;
  double expected = fit->def.noise * fit->def.noise * fmax(3 * now->weight - fit->column_count, 1);
  double chance = NORMAL_95 * sqrt(2 / fmax(frames, 1));
  return fit->noise_is_stated && now->cost > (1 + chance) * expected ? now->cost - expected : 0;
}

// What the model lacks, b with |b|² unexplained, moves a parameter by N⁻¹ sᵀ b, at most (Cauchy and Schwarz) by
//
//   |b| √(N⁻¹)ᵢᵢ
//
// if all of it looks like that parameter. A phase that drifts over the whole motion does, and no block of frames shows
// it.
static double lack_of_fit(const pl_fit *fit, double variance) {
  return sqrt(unexplained(fit) * fmax(variance, 0));
}

// How far a value still is from that of short steps, where it was fitted with twice their length too: what the last
// halving changed, of which an order of 2 leaves a third and one of 1 all; half of it is between them.
static double step_error(const pl_fit *fit, int32_t value) {
  if (fit->cursor.steps <= fit->def.steps_per_frame) return 0;
  return 0.5 * fabs(pl_fit_coordinate(fit, value, fit->values[value]) -
                    pl_fit_coordinate(fit, value, fit->cursor.coarser[value]));
}

// The deviation is known, and the lack of fit.
static void set_verdict(const pl_fit *fit, int32_t value, pl_fit_estimate *estimate) {
  double deviation = fit->deviations[value];
  const pl_fit_range *range = &fit->ranges[value];
  bool logarithmic = pl_fit_is_logarithmic(fit, value);
  estimate->discretisation = step_error(fit, value);
  if (fit->refined) {
    estimate->value = fit->refined_values[value];
    deviation = fit->refined_deviations[value];
    estimate->discretisation = fit->uncertainties[value];
    estimate->lack_of_fit = fit->refined_lacks[value];
  }
  // Tets and steps are part of what the model lacks: the larger of both counts.
  double extra = fmax(estimate->discretisation, estimate->lack_of_fit);
  // What is not random is added, not squared: it is the same in every repetition.
  double coordinate = pl_fit_coordinate(fit, value, estimate->value), half = NORMAL_95 * deviation + extra;
  estimate->deviation = deviation + extra / NORMAL_95;
  estimate->min = fmax(range->min, logarithmic ? exp(coordinate - half) : coordinate - half);
  estimate->max = fmin(range->max, logarithmic ? exp(fmin(coordinate + half, 700)) : coordinate + half);
  bool at_bound = estimate->value <= range->min * (1 + AT_BOUND) || estimate->value >= range->max * (1 - AT_BOUND);
  double wide = logarithmic ? half : half / 0.5;  // Poisson's ratio lives between 0 and a half
  bool converged = fit->cursor.converged && (!fit->refined || fit->refined_converged);
  estimate->verdict = !converged              ? PL_FIT_NOT_CONVERGED
                      : pl_fit_is_misfit(fit) ? PL_FIT_MISFIT
                      : wide > fit->def.doubt ? PL_FIT_NOT_DETERMINED
                      : at_bound              ? PL_FIT_AT_BOUND
                                              : PL_FIT_DETERMINED;
}

static pl_status estimate(pl_fit *fit, double sigma, pl_error *error) {
  int32_t n = fit->column_count, all = fit->result_count;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  double *inverse = PL_TAKE(&arena, double, (size_t)n *(size_t)n), *scales = PL_TAKE(&arena, double, n);
  pl_status status = arena.failed ? pl_fail_memory(error) : invert_normal(fit, inverse, scales, error);
  memset(fit->correlations, 0, (size_t)all * (size_t)all * sizeof(double));
  for (int32_t k = 0; status >= 0 && k < all; ++k) {
    pl_fit_estimate *e = &fit->estimates[k];
    *e = (pl_fit_estimate){.value = fit->values[k],
                           .min = fit->values[k],
                           .max = fit->values[k],
                           .verdict = PL_FIT_HELD,
                           .mesh_value = fit->values[k]};
    name_value(fit, k, e);
  }
  for (int32_t i = 0; status >= 0 && i < n; ++i) {
    double variance = inverse[i * n + i];
    if (fit->columns[i] >= all) continue;
    double alone = sigma * scales[i] * sqrt(fmax(variance, 0));
    double together = fmax(alone, block_deviation(fit, inverse, scales, i)),
           spread = repeat_deviation(fit, inverse, scales, i, together);
    fit->estimates[fit->columns[i]].lack_of_fit = lack_of_fit(fit, variance * scales[i] * scales[i]);
    fit->deviations[fit->columns[i]] = sqrt(together * together + spread * spread);
    set_verdict(fit, fit->columns[i], &fit->estimates[fit->columns[i]]);
    for (int32_t j = 0; j < n && fit->columns[j] < all; ++j)
      fit->correlations[fit->columns[i] * all + fit->columns[j]] =
          i == j ? 1 : fmin(1, fmax(-1, inverse[i * n + j] / sqrt(fmax(variance * inverse[j * n + j], 1e-300))));
  }
  pl_arena_destroy(&arena);
  return status;
}

static pl_vec3 shape_acceleration(const pl_fit *fit) {
  if (fit->def.shape == PL_FIT_SHAPE_UNSTRESSED) return (pl_vec3){0, 0, 0};
  if (fit->shape_value < 0) return fit->def.gravity;
  const double *a = fit->values + fit->shape_value;
  return pl_vec3_scale((pl_vec3){a[0], a[1], a[2]}, pl_vec3_length(fit->def.gravity));
}

pl_status pl_fit_get_report(pl_fit *fit, pl_fit_report *report, pl_error *error) {
  int32_t window = fit->windows[fit->cursor.window];
  if (!fit->evaluated) {
    int32_t evaluations = fit->cursor.evaluations;
    pl_status status = pl_fit_find_starts(fit, error);
    if (status >= 0) status = pl_fit_evaluate(fit, fit->values, fit->rest, window, true, &fit->now, error);
    fit->cursor.evaluations = evaluations;
    if (status < 0) return status;
    if (fit->now.failed)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "the values as they stand have no reference shape or no motion");
    fit->evaluated = true;
  }
  const pl_fit_evaluation *now = &fit->now;
  double freedom = fmax(3 * now->weight - fit->column_count, 1),
         sigma = fmax(sqrt(now->cost / freedom), fit->def.noise);
  pl_status status = estimate(fit, sigma, error);
  if (status < 0) return status;
  *report = (pl_fit_report){.parameter_count = fit->result_count,
                            .estimates = fit->estimates,
                            .correlations = fit->correlations,
                            .converged = fit->cursor.converged != 0,
                            .iteration_count = fit->cursor.iteration,
                            .evaluation_count = fit->cursor.evaluations,
                            .rms = now->weight > 0 ? sqrt(now->cost / now->weight) : 0,
                            .deviation = sigma,
                            .amplitude = now->weight > 0 ? sqrt(now->amplitude / now->weight) : 0,
                            .frame_count = window,
                            .steps = fit->cursor.steps,
                            .seconds = fit->seconds,
                            .reference = fit->reference_report,
                            .refined = fit->refined,
                            .noise = fit->def.noise,
                            .has_lack_of_fit = unexplained(fit) > 0,
                            .shape_acceleration = shape_acceleration(fit)};
  return PL_OK;
}

pl_status pl_fit_get_fields(const pl_fit *fit, pl_vec3 *reference, double *young) {
  const pl_fit_body *body = &fit->body;
  for (int32_t i = 0; reference != NULL && i < body->point_count; ++i) reference[i] = pl_fem_vector(fit->rest, i);
  for (int32_t t = 0; young != NULL && t < body->model->groups[0].element_count; ++t) {
    young[t] = 0;
    for (int32_t k = 0; k < body->control_count; ++k)
      young[t] += body->weights[(ptrdiff_t)t * body->control_count + k] * fit->values[k];
  }
  return PL_OK;
}

const double *pl_fit_get_values(const pl_fit *fit, int32_t *count) {
  *count = fit->result_count;
  return fit->values;
}

pl_status pl_fit_set_values(pl_fit *fit, const double *values, pl_error *error) {
  for (int32_t k = 0; k < fit->result_count; ++k) {
    const pl_fit_range *range = &fit->ranges[k];
    bool outside = range->fitted ? !(values[k] >= range->min && values[k] <= range->max) : !isfinite(values[k]);
    if (outside || (k < fit->body.control_count && !(values[k] > 0)))
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "value %d is %g, outside its bounds %g … %g", k, values[k],
                     range->min, range->max);
  }
  memcpy(fit->values, values, (size_t)fit->result_count * sizeof(double));
  fit->refined = false;
  fit->evaluated = false;
  return PL_OK;
}
