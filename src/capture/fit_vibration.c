// Measured frequencies and damping ratios as data of a fit.
//
// A mode whose eigenvalue is λ, that of K u = λ M u around the static shape, goes as exp(s t) with
//
//   F(s) = s² + α s + λ (1 + β s + Σ γ_b s t_b / (1 + s t_b)) = 0          f = |Im s| / 2π,  ζ = -Re s / |s|
//
// which without branches is ζ = α / (2 ω) + β ω / 2 and f = ω √(1 - ζ²) / 2π, ω² = λ. Newton's method finds s from i ω,
// and its derivatives are -∂F/∂θ / F'(s).
//
// Residuals are log(f / measured) and ζ - measured, each in its deviations. λ depends on moduli, Poisson's ratio and
// the rest shape that follows from them: its derivatives are differences, as one eigenvalue problem costs about as much
// as a derivative that would also need third derivatives of the energy; those by damping are exact.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_modes.h"
#include "capture/fit_motion_parts.h"
#include "capture/fit_parts.h"

enum { MAX_ITERATIONS = 50 };
static const double DIFFERENCE = 1e-4;  // of a coordinate: eigenvalues are exact to 1e-8

// λ of the lowest modes, with the worker's moduli and rest shape. `found` is false where the body is not stable.
static pl_status find_eigenvalues(pl_fit *fit, double *lambdas, bool *found, pl_error *error) {
  int32_t count = 0;
  for (int32_t i = 0; i < fit->vibration_count; ++i)
    if (fit->vibrations[i].mode >= count) count = fit->vibrations[i].mode + 1;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  double *modes = PL_TAKE(&arena, double, 3 * (size_t)fit->body.model->head.particle_count * (size_t)count);
  pl_status status =
      arena.failed ? pl_fail_memory(error) : pl_fit_modes_find(fit->worker, count, lambdas, modes, error);
  pl_arena_destroy(&arena);
  *found = status == PL_OK && lambdas[0] > 0;
  // Not positive definite, or not converged: no such body, as with a motion that cannot be simulated.
  return status == PL_ERROR_INVALID_DATA || status > 0 ? PL_OK : status;
}

// λ with one coordinate changed; the worker is left with those values.
static pl_status find_changed(pl_fit *fit, const double *values, const double *X, int32_t value, double *lambdas,
                              bool *found, pl_error *error) {
  double changed[PL_FIT_MAX_VALUES];
  size_t n = 3 * (size_t)fit->body.model->head.particle_count;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  double *rest = pl_arena_copy(&arena, X, n, sizeof(double));
  memcpy(changed, values, (size_t)fit->value_count * sizeof(double));
  double at = pl_fit_coordinate(fit, value, values[value]) + DIFFERENCE;
  changed[value] = pl_fit_is_logarithmic(fit, value) ? exp(at) : at;
  pl_status status = rest == NULL ? pl_fail_memory(error) : pl_fit_find_rest(fit, changed, rest, found, error);
  if (status >= 0 && *found) status = find_eigenvalues(fit, lambdas, found, error);
  pl_arena_destroy(&arena);
  return status;
}

// --- the root -----------------------------------------------------------------------------------------------------

typedef struct number {
  double re, im;
} number;

static number times(number a, number b) {
  return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static number over(number a, number b) {
  double square = b.re * b.re + b.im * b.im;
  return (number){(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}

static number plus(number a, double factor, number b) {
  return (number){a.re + factor * b.re, a.im + factor * b.im};
}

typedef struct damping {
  double alpha, beta, lambda;
  pl_fem_branches branches;
} damping;

// s t / (1 + s t) of a branch, and its derivative by s: t / (1 + s t)².
static number branch_at(double time, number s, number *slope) {
  number st = {s.re * time, s.im * time}, below = {1 + st.re, st.im};
  *slope = over((number){time, 0}, times(below, below));
  return over(st, below);
}

// F and F'; `modulus` receives what λ is multiplied with.
static number equation(const damping *d, number s, number *slope, number *modulus) {
  number m = {1 + d->beta * s.re, d->beta * s.im}, by = {d->beta, 0}, one;
  for (int32_t b = 0; b < d->branches.count; ++b) {
    m = plus(m, d->branches.ratios[b], branch_at(d->branches.times[b], s, &one));
    by = plus(by, d->branches.ratios[b], one);
  }
  *modulus = m;
  *slope = plus((number){2 * s.re + d->alpha, 2 * s.im}, d->lambda, by);
  return plus(plus(times(s, s), d->alpha, s), d->lambda, m);
}

static number root_of(const damping *d) {
  number s = {0, sqrt(d->lambda)}, slope, modulus;
  for (int k = 0; k < MAX_ITERATIONS; ++k) {
    number step = over(equation(d, s, &slope, &modulus), slope);
    s = plus(s, -1, step);
    if (step.re * step.re + step.im * step.im < 1e-30 * d->lambda) break;
  }
  return s;
}

static void compare(const pl_fit *fit, const double *values, const pl_fit_vibration *given, double lambda,
                    const double *slopes, int32_t columns, pl_motion_result *result) {
  int32_t controls = fit->body.control_count;
  damping d = {values[controls + 1], values[controls + 2], lambda, pl_fit_branches_of(&fit->body, values)};
  number s = root_of(&d), by_s, modulus;
  equation(&d, s, &by_s, &modulus);
  double size = sqrt(s.re * s.re + s.im * s.im), zeta = -s.re / size, ring = fmax(fabs(s.im), 1e-6 * size);
  double ratio_slopes[PL_FIT_MAX_VALUES], pitch_slopes[PL_FIT_MAX_VALUES], noise = fit->def.noise;
  for (int32_t k = 0; k < columns; ++k) {
    number by = {lambda * slopes[k] * modulus.re, lambda * slopes[k] * modulus.im};
    pl_fem_branches changes;
    pl_fit_branch_changes(&fit->body, values, fit->columns[k], &changes);
    if (fit->columns[k] == controls + 1) by = plus(by, d.alpha, s);
    if (fit->columns[k] == controls + 2) by = plus(by, lambda * d.beta, s);
    for (int32_t b = 0; b < changes.count; ++b) {
      number one, at = branch_at(d.branches.times[b], s, &one);
      by = plus(by, lambda * changes.ratios[b], at);
      by = plus(by, lambda * d.branches.ratios[b] * changes.times[b], times(one, s));
    }
    number moved = over(by, by_s);
    moved = (number){-moved.re, -moved.im};
    double along = (s.re * moved.re + s.im * moved.im) / size;
    ratio_slopes[k] = -moved.re / size + s.re * along / (size * size);
    pitch_slopes[k] = (s.im < 0 ? -moved.im : moved.im) / ring;
  }
  if (isfinite(given->frequency)) {
    double unit = noise / given->frequency_deviation;
    pl_motion_add_number(result, columns, unit * log(ring / (2 * PL_PI * given->frequency)), unit, unit, pitch_slopes);
  }
  if (isfinite(given->damping_ratio)) {
    double unit = noise / given->damping_deviation;
    pl_motion_add_number(result, columns, unit * (zeta - given->damping_ratio), unit * given->damping_ratio, unit,
                         ratio_slopes);
  }
}

// Add a matrix of which one half is filled, and fill its other half.
static void add_normal(double *normal, int32_t columns, double *sum) {
  for (int32_t k = 0; k < columns; ++k)
    for (int32_t l = 0; l < k; ++l) normal[(ptrdiff_t)l * columns + k] = normal[(ptrdiff_t)k * columns + l];
  for (ptrdiff_t i = 0; i < (ptrdiff_t)columns * columns; ++i) sum[i] += normal[i];
}

pl_status pl_fit_add_vibrations(pl_fit *fit, const double *values, const double *X, bool derive, pl_fit_evaluation *e,
                                pl_error *error) {
  int32_t columns = derive ? fit->column_count : 0;
  double lambdas[PL_FIT_MAX_MODES], changed[PL_FIT_MAX_MODES];
  bool found = false;
  pl_fit_worker_set_moduli(fit->worker, values, values[fit->body.control_count]);
  pl_fit_worker_set_rest(fit->worker, X);
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  // Derivatives of log λ, a row per mode.
  double *slopes = PL_TAKE(&arena, double, (size_t)PL_FIT_MAX_MODES *(size_t)(columns + 1));
  pl_status status = arena.failed ? pl_fail_memory(error) : find_eigenvalues(fit, lambdas, &found, error);
  for (int32_t k = 0; k < columns && status >= 0 && found && fit->columns[k] <= fit->body.control_count; ++k) {
    status = find_changed(fit, values, X, fit->columns[k], changed, &found, error);
    for (int32_t i = 0; i < fit->vibration_count && status >= 0 && found; ++i) {
      int32_t mode = fit->vibrations[i].mode;
      slopes[mode * columns + k] = log(changed[mode] / lambdas[mode]) / DIFFERENCE;
    }
  }
  pl_fit_worker_set_moduli(fit->worker, values, values[fit->body.control_count]);
  pl_fit_worker_set_rest(fit->worker, X);
  ptrdiff_t score = fit->score_count - fit->vibration_count;
  for (int32_t i = 0; i < fit->vibration_count && status >= 0 && found; ++i) {
    int32_t mode = fit->vibrations[i].mode;
    double *normal = e->normals + (ptrdiff_t)(fit->sequence_count + fit->case_count + i) * columns * columns;
    memset(normal, 0, (size_t)columns * (size_t)columns * sizeof(double));
    pl_motion_result result = {
        .gradient = e->gradient, .normal = normal, .scores = columns > 0 ? e->scores + (score + i) * columns : NULL};
    compare(fit, values, &fit->vibrations[i], lambdas[mode], slopes + (ptrdiff_t)mode * columns, columns, &result);
    add_normal(normal, columns, e->normal);
    e->cost += result.cost;
    e->weight += result.weight;
    e->amplitude += result.amplitude;
  }
  pl_arena_destroy(&arena);
  if (status >= 0 && !found) e->failed = true;
  return status;
}
