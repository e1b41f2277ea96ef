// Where to start a fit: moduli whose vibrations have the frequencies of the captured motion (paper 002, section 6.3).
//
// A sample is a set of moduli. It has a reference shape, modes around the static shape, and the captured motion
// projected onto them, in which the strongest damped vibration of each mode is looked for. As √λ is the frequency
// without damping and what is seen has ω = √(λ - decay²), they are compared as log λ - log(ω² + decay²). Samples of a
// uniform modulus, evenly on a logarithmic scale, tell where that difference vanishes for the mode with the most
// energy; several control points are then changed in turn. Every sample is an independent job.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/fit_modes.h"
#include "capture/fit_parameters.h"
#include "capture/fit_parts.h"
#include "solvers/eigen_modes.h"

enum { OUTPUT_STATUS, OUTPUT_FOUND, OUTPUT_HEAD, MODE_LAMBDA = 0, MODE_SQUARE, MODE_DECAY, MODE_ENERGY, MODE_SIZE };
enum { TRIES = 4 };
static const double MIN_FRACTION = 0.3;  // of a signal that a vibration has to explain
static const double APART = 1e-3;        // how different modes must be for both dampings to be told apart
static const double FIRST_FACTOR = 3;    // by which a modulus is changed at most in the first round of the descent
static const double GAIN = 0.98;         // of the mismatch: less than 2 % is not worth a change
static const double MIN_ENERGY = 0.02;   // of the strongest mode's, for a mode to count
static const double SAME_SQUARE = 0.2,
                    OTHER_SQUARE = 0.6;  // logarithms of squared frequencies that are the same, or others
static const double NARROW = 6;          // factor to either side of where samples are taken

typedef struct warm_batch {
  pl_fit *fit;
  int32_t mode_count;
  const double *values;  // of every job
} warm_batch;

typedef struct warm_search {
  pl_fit *fit;
  const pl_warm_start_def *def;
  pl_arena arena;
  double *values, *outputs;
  size_t output_size;
} warm_search;

// --- one sample ---------------------------------------------------------------------------------------------------

// What of a sequence is free: its frames after the last change of the known loads, if nothing of them is left.
static pl_fit_sequence free_part(const pl_fit *fit, const pl_fit_sequence *sequence) {
  pl_fit_sequence part = *sequence;
  double ended = 0;
  bool loaded = false;
  for (int32_t i = 0; i < sequence->load_count; ++i) {
    const pl_fit_load *load = &sequence->loads[i];
    int32_t last = load->time_count - 1;
    ended = fmax(ended, load->times[last]);
    loaded = loaded || (load->forces != NULL && pl_vec3_length(load->forces[last]) > 0) ||
             (load->pressures != NULL && load->pressures[last] != 0);
  }
  double frames = ceil(ended / sequence->frame_seconds);
  int32_t skipped = loaded || frames > part.frame_count ? part.frame_count : (int32_t)frames;
  int32_t count =
      part.markers != NULL ? pl_embedding_get_view(part.markers).point_count : pl_mesh_get_view(fit->mesh).point_count;
  part.positions += (ptrdiff_t)skipped * count;
  if (part.frame_weights != NULL) part.frame_weights += skipped;
  part.frame_count -= skipped;
  return part;
}

// The strongest vibration of each mode among all sequences, in energy: λ q².
static pl_status listen(pl_fit *fit, pl_fit_worker *worker, int32_t mode_count, const double *modes, double *output) {
  pl_arena arena;
  pl_arena_init(&arena, worker->context, 0);
  double *signals = PL_TAKE(&arena, double, (size_t)mode_count *(size_t)fit->longest);
  pl_status status = arena.failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK;
  for (int32_t s = 0; s < fit->sequence_count && status >= 0; ++s) {
    pl_fit_sequence part = free_part(fit, &fit->sequences[s]), *sequence = &part;
    if (part.frame_count < 2) continue;
    status = pl_fit_modes_project(worker, sequence, mode_count, modes, signals, NULL);
    for (int32_t k = 0; k < mode_count && status >= 0; ++k) {
      double *mode = output + OUTPUT_HEAD + MODE_SIZE * k;
      pl_vibration found = pl_vibration_find(signals + (ptrdiff_t)k * sequence->frame_count, sequence->frame_count,
                                             sequence->frame_seconds);
      double energy = mode[MODE_LAMBDA] * found.energy;
      if (found.fraction < MIN_FRACTION || !(energy > mode[MODE_ENERGY])) continue;
      mode[MODE_ENERGY] = energy;
      mode[MODE_SQUARE] = found.frequency * found.frequency + found.decay * found.decay;
      mode[MODE_DECAY] = found.decay;
    }
  }
  pl_arena_destroy(&arena);
  return status;
}

static pl_status try_sample(pl_fit *fit, pl_fit_worker *worker, const double *values, int32_t mode_count,
                            double *output) {
  const pl_fem_model *model = fit->body.model;
  size_t n = 3 * (size_t)model->head.particle_count;
  pl_arena *arena = &worker->arena;
  double *X = PL_TAKE(arena, double, n), *modes = PL_TAKE(arena, double, n *(size_t)mode_count);
  double lambdas[PL_FIT_MAX_MODES];
  pl_reference reference;
  pl_status status = arena->failed ? PL_ERROR_OUT_OF_MEMORY : pl_reference_take(worker, &reference, NULL);
  if (status < 0) return status;
  memcpy(X, model->rest_points, n * sizeof(double));
  pl_fit_worker_set_moduli(worker, values, values[fit->body.control_count]);
  pl_reference_def def = pl_default_reference_def();
  pl_reference_report report;
  // A start value needs few digits; a modulus whose rest shape takes longer is too soft to be the one.
  def.limit = 15;
  def.tolerance = 1e-6;
  // A shape that is not known starts as a static one does.
  if (fit->def.shape != PL_FIT_SHAPE_UNSTRESSED && reference.load_size > 0)
    status = pl_reference_newton(&reference, &def, X, &report, NULL);
  if (status != PL_OK) return status < 0 ? status : PL_OK;
  pl_fit_worker_set_rest(worker, X);
  status = pl_fit_modes_find(worker, mode_count, lambdas, modes, NULL);
  // A body that is not stable in its static shape, or modes that did not converge: no sample.
  if (status != PL_OK || !(lambdas[0] > 0)) return status == PL_ERROR_OUT_OF_MEMORY ? status : PL_OK;
  for (int32_t k = 0; k < mode_count; ++k) output[OUTPUT_HEAD + MODE_SIZE * k + MODE_LAMBDA] = lambdas[k];
  status = listen(fit, worker, mode_count, modes, output);
  output[OUTPUT_FOUND] = status >= 0;
  return status;
}

static void evaluate_sample(void *data, int32_t job, double *output) {
  const warm_batch *b = data;
  pl_fit *fit = b->fit;
  pl_fit_worker *worker = NULL;
  memset(output, 0, (OUTPUT_HEAD + MODE_SIZE * (size_t)b->mode_count) * sizeof(double));
  if (pl_fit_is_given_up(&fit->def)) return;
  pl_status status = pl_fit_worker_create(fit->context, &fit->body, 0, &worker, NULL);
  if (status >= 0)
    status = try_sample(fit, worker, b->values + (ptrdiff_t)job * fit->value_count, b->mode_count, output);
  pl_fit_worker_destroy(worker);
  output[OUTPUT_STATUS] = status;
}

// Run `count` samples whose values are in search->values.
static pl_status run_samples(warm_search *s, int32_t count, pl_error *error) {
  warm_batch batch = {s->fit, s->def->mode_count, s->values};
  pl_fit_jobs jobs = {.count = count,
                      .output_size = s->output_size,
                      .outputs = s->outputs,
                      .evaluate = evaluate_sample,
                      .data = &batch};
  pl_fit_run_jobs(s->fit, &jobs);
  for (int32_t i = 0; i < count; ++i)
    if (s->outputs[(size_t)i * s->output_size + OUTPUT_STATUS] == (double)PL_ERROR_OUT_OF_MEMORY)
      return pl_fail_memory(error);
  return PL_OK;
}

// --- what samples say ---------------------------------------------------------------------------------------------

static const double *mode_of(const double *output, int32_t mode) {
  return output + OUTPUT_HEAD + MODE_SIZE * mode;
}

// The mode with the most energy, -1: none moves.
static int32_t strongest(const warm_search *s, const double *output) {
  int32_t best = -1;
  for (int32_t k = 0; output[OUTPUT_FOUND] != 0 && k < s->def->mode_count; ++k)
    if (mode_of(output, k)[MODE_ENERGY] > (best < 0 ? 0 : mode_of(output, best)[MODE_ENERGY])) best = k;
  return best;
}

// log λ - log(ω² + decay²) of a mode.
static double difference(const double *output, int32_t mode) {
  return log(mode_of(output, mode)[MODE_LAMBDA] / mode_of(output, mode)[MODE_SQUARE]);
}

// Whether a mode shows what a stronger one of another frequency does: where modes are not quite those of the object,
// each motion leaks into all of them.
static bool is_echo(const warm_search *s, const double *output, int32_t mode) {
  const double *own = mode_of(output, mode);
  for (int32_t k = 0; k < s->def->mode_count; ++k) {
    const double *other = mode_of(output, k);
    bool same = other[MODE_ENERGY] > own[MODE_ENERGY] && fabs(log(other[MODE_SQUARE] / own[MODE_SQUARE])) < SAME_SQUARE;
    if (same && fabs(log(other[MODE_LAMBDA] / own[MODE_LAMBDA])) > OTHER_SQUARE) return true;
  }
  return false;
}

// How far the frequencies of a sample are off over all modes that move.
typedef struct pitch {
  double mean;    // of the differences, by weight: what one factor on all moduli would put right, as eigenvalues are
                  // nearly linear in E
  double spread;  // mean square of the remainder; HUGE_VAL: nothing moves
} pitch;

// Modes count by amplitude, not by energy: the strongest alone would tell one modulus and no more.
static pitch pitch_of(const warm_search *s, const double *output) {
  int32_t max = strongest(s, output);
  double weight = 0, sum = 0, squares = 0;
  for (int32_t k = 0; max >= 0 && k < s->def->mode_count; ++k) {
    double fraction = mode_of(output, k)[MODE_ENERGY] / mode_of(output, max)[MODE_ENERGY], off = difference(output, k);
    if (!(fraction > MIN_ENERGY) || is_echo(s, output, k)) continue;
    weight += sqrt(fraction);
    sum += sqrt(fraction) * off;
    squares += sqrt(fraction) * off * off;
  }
  if (!(weight > 0)) return (pitch){0, HUGE_VAL};
  return (pitch){sum / weight, fmax(0, squares / weight - sum / weight * sum / weight)};
}

// log of the uniform modulus between the samples where the difference changes its sign from below to above, or at the
// sample with the least one.
static bool find_uniform(const warm_search *s, double *logarithm) {
  int32_t last = -1;
  double nearest = HUGE_VAL, last_difference = 0;
  for (int32_t i = 0; i < s->def->sample_count; ++i) {
    const double *output = s->outputs + (size_t)i * s->output_size;
    int32_t mode = strongest(s, output);
    if (mode < 0) continue;
    double at = log(s->values[(ptrdiff_t)i * s->fit->value_count]), off = difference(output, mode);
    if (last >= 0 && last_difference < 0 && off >= 0) {
      double before = log(s->values[(ptrdiff_t)last * s->fit->value_count]);
      *logarithm = before + (at - before) * last_difference / (last_difference - off);
      return true;
    }
    if (fabs(off) < nearest) nearest = fabs(off), *logarithm = at - off;  // eigenvalues are nearly linear in E
    last = i;
    last_difference = off;
  }
  return nearest < HUGE_VAL;
}

static double within(const pl_fit *fit, int32_t value, double wanted) {
  return fmin(fmax(wanted, fit->ranges[value].min), fit->ranges[value].max);
}

// α + β ω² = 2 decay over the modes that move, by least squares; with a single one it is all stiffness damping.
static void set_damping(warm_search *s, const double *output) {
  pl_fit *fit = s->fit;
  int32_t max = strongest(s, output), controls = fit->body.control_count, count = 0;
  double n = 0, x = 0, xx = 0, y = 0, xy = 0;
  for (int32_t k = 0; max >= 0 && k < s->def->mode_count; ++k) {
    const double *mode = mode_of(output, k);
    if (!(mode[MODE_ENERGY] > MIN_ENERGY * mode_of(output, max)[MODE_ENERGY])) continue;
    double weight = 1 / mode[MODE_SQUARE];
    n += weight, x += weight * mode[MODE_SQUARE], xx += weight * mode[MODE_SQUARE] * mode[MODE_SQUARE];
    y += weight * 2 * mode[MODE_DECAY], xy += weight * 2 * mode[MODE_DECAY] * mode[MODE_SQUARE];
    count++;
  }
  double determinant = n * xx - x * x;
  bool both = count > 1 && determinant > APART * n * xx;
  double alpha = both ? (xx * y - x * xy) / determinant : 0,
         beta = both ? (n * xy - x * y) / determinant : xy / fmax(xx, 1e-300);
  if (count == 0) return;
  if (fit->ranges[controls + 1].fitted && alpha > 0) fit->values[controls + 1] = within(fit, controls + 1, alpha);
  if (fit->ranges[controls + 2].fitted && beta > 0) fit->values[controls + 2] = within(fit, controls + 2, beta);
}

static void set_uniform(const pl_fit *fit, double young, double *values) {
  memcpy(values, fit->values, (size_t)fit->value_count * sizeof(double));
  for (int32_t k = 0; k < fit->body.control_count; ++k) values[k] = within(fit, k, young);
}

// --- the search ---------------------------------------------------------------------------------------------------

// Each control point in turn times four factors; the best is taken, with all moduli times what puts the mean of the
// frequencies right. Without that, one modulus could not be raised but against all frequencies, and the search would
// stay where it began. Factors are nearer to 1 with every round.
static pl_status descend(warm_search *s, double *best, pl_error *error) {
  pl_fit *fit = s->fit;
  int32_t controls = fit->body.control_count;
  double spread = log(FIRST_FACTOR);
  for (int32_t round = 0; round < s->def->rounds; ++round, spread *= 0.5)
    for (int32_t k = 0; k < controls; ++k) {
      static const double positions[TRIES] = {-1, -0.4, 0.4, 1};
      for (int32_t i = 0; i < TRIES; ++i) {
        double *values = s->values + (ptrdiff_t)i * fit->value_count;
        memcpy(values, fit->values, (size_t)fit->value_count * sizeof(double));
        values[k] = within(fit, k, values[k] * exp(spread * positions[i]));
      }
      pl_status status = run_samples(s, TRIES, error);
      if (status < 0) return status;
      for (int32_t i = 0; i < TRIES; ++i) {
        pitch found = pitch_of(s, s->outputs + (size_t)i * s->output_size);
        if (!(found.spread < GAIN * *best)) continue;
        *best = found.spread;
        for (int32_t j = 0; j < controls; ++j)
          fit->values[j] = within(fit, j, s->values[(ptrdiff_t)i * fit->value_count + j] * exp(-found.mean));
      }
    }
  return PL_OK;
}

static void report_mode(const warm_search *s, pl_warm_start_report *report) {
  int32_t mode = strongest(s, s->outputs);
  if (mode < 0) return;
  const double *found = mode_of(s->outputs, mode);
  double natural = sqrt(found[MODE_SQUARE]), turn = 2 * PL_PI;
  report->mode = mode;
  report->natural = natural / turn;
  report->frequency = sqrt(fmax(found[MODE_SQUARE] - found[MODE_DECAY] * found[MODE_DECAY], 0)) / turn;
  report->damping_ratio = found[MODE_DECAY] / natural;
}

// Where to look: eigenvalues grow about linearly with E, so the stiffest body, which has a reference shape wherever one
// has, says about how stiff the object is. Much softer ones would cost most of the time, as the search for a shape that
// there is not ends late.
static pl_status narrow(warm_search *s, double range[2], pl_error *error) {
  range[0] = s->def->min;
  range[1] = s->def->max;
  set_uniform(s->fit, s->def->max, s->values);
  pl_status status = run_samples(s, 1, error);
  int32_t mode = status < 0 ? -1 : strongest(s, s->outputs);
  if (mode < 0) return status;
  double about = fmin(fmax(s->def->max * exp(-difference(s->outputs, mode)), s->def->min), s->def->max);
  range[0] = fmax(s->def->min, about / NARROW);
  range[1] = fmin(s->def->max, about * NARROW);
  return PL_OK;
}

static pl_status search(warm_search *s, pl_warm_start_report *report, pl_error *error) {
  pl_fit *fit = s->fit;
  const pl_warm_start_def *def = s->def;
  double range[2];
  pl_status status = narrow(s, range, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < def->sample_count; ++i) {
    double fraction = def->sample_count > 1 ? (double)i / (def->sample_count - 1) : 0.5;
    set_uniform(fit, range[0] * pow(range[1] / range[0], fraction), s->values + (ptrdiff_t)i * fit->value_count);
  }
  status = run_samples(s, def->sample_count, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < def->sample_count; ++i)
    report->solved_count += s->outputs[(size_t)i * s->output_size + OUTPUT_FOUND] != 0;
  double logarithm = 0;
  if (!find_uniform(s, &logarithm)) return PL_REMARK_NOT_CONVERGED;
  set_uniform(fit, exp(logarithm), s->values);
  status = run_samples(s, 1, error);
  if (status < 0) return status;
  double best = pitch_of(s, s->outputs).spread;
  if (!isfinite(best)) return PL_REMARK_NOT_CONVERGED;
  memcpy(fit->values, s->values, (size_t)fit->value_count * sizeof(double));
  report->young = fit->values[0];
  report_mode(s, report);
  set_damping(s, s->outputs);
  // More moduli than frequencies would only follow the errors of these.
  if (fit->body.control_count > 1 && fit->body.control_count <= def->mode_count) status = descend(s, &best, error);
  report->mismatch = 0.5 * sqrt(best);  // of frequencies, which are roots
  return status;
}

static pl_status check_def(const pl_warm_start_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_warm_start_def_parameters, def, error);
  if (status < 0) return status;
  if (!(def->max >= def->min))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "max",
                         "%g Pa is below `min`, %g Pa; moduli must rise from least to most", def->max, def->min);
  if (!pl_eigen_is_available())
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "this build has no ARPACK; a warm start needs libarpack2-dev when configuring");
  return PL_OK;
}

pl_status pl_fit_warm_start(pl_fit *fit, const pl_warm_start_def *def, pl_warm_start_report *report, pl_error *error) {
  double start = pl_clock_seconds();
  pl_status status = check_def(def, error);
  if (status < 0) return status;
  warm_search s = {.fit = fit, .def = def, .output_size = OUTPUT_HEAD + MODE_SIZE * (size_t)def->mode_count};
  pl_warm_start_report mine = {0};
  if (fit->sequence_count == 0) return PL_REMARK_NOT_CONVERGED;
  size_t jobs = (size_t)(def->sample_count > TRIES ? def->sample_count : TRIES);
  pl_arena_init(&s.arena, fit->context, 0);
  s.values = PL_TAKE(&s.arena, double, jobs *(size_t)fit->value_count);
  s.outputs = PL_TAKE(&s.arena, double, jobs *s.output_size);
  status = s.arena.failed ? pl_fail_memory(error) : search(&s, &mine, error);
  pl_arena_destroy(&s.arena);
  memcpy(fit->rest, fit->body.model->rest_points, 3 * (size_t)fit->body.model->head.particle_count * sizeof(double));
  fit->evaluated = false;
  mine.seconds = pl_clock_seconds() - start;
  if (status >= 0 && report != NULL) *report = mine;
  return status;
}
