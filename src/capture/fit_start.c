// Starts that are not known: their scales, and coefficients to begin with.
//
// A body that is pulled aside by a hand is in equilibrium under a force that nobody measured. The force acts on what is
// observed, evenly; that it brings markers of the first frame to where they were seen gives a first guess, and the fit
// treats its three components as parameters from there on, so that errors of the first frame do not become errors of
// the whole motion. Velocities are sums of shapes: of the lowest modes where all points are seen, otherwise of the
// three that small forces along the axes give the body. Shapes are those of one modulus everywhere, so that they do not
// change with what is fitted.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_modes.h"
#include "capture/fit_parts.h"
#include "pliant/math.h"

// Each particle's part of a force of 1 on what is observed.
static void set_pattern(const pl_fit *fit, const pl_fit_sequence *sequence, double *pattern) {
  int32_t particles = fit->body.model->head.particle_count;
  if (sequence->markers == NULL) {
    double mass = 0;
    for (int32_t i = 0; i < particles; ++i) mass += fit->body.model->head.masses[i];
    for (int32_t i = 0; i < particles; ++i) pattern[i] = fit->body.model->head.masses[i] / mass;
    return;
  }
  pl_embedding_view view = pl_embedding_get_view(sequence->markers);
  for (int64_t i = 0; i < 4 * (int64_t)view.point_count; ++i)
    pattern[view.parents[i]] += (double)view.weights[i] / view.point_count;
}

// A root mean square of 1 m over the points that the pattern weighs.
static void normalise(const double *pattern, ptrdiff_t n, double *shape) {
  double square = 0;
  for (ptrdiff_t i = 0; i < n; ++i) square += fabs(pattern[i / 3]) * shape[i] * shape[i];
  for (ptrdiff_t i = 0; i < n; ++i) shape[i] /= fmax(sqrt(square), 1e-300);
}

// What small forces along the axes do to the static shape.
static pl_status push(const pl_fit *fit, const double *pattern, double *shapes, pl_error *error) {
  pl_fit_worker *worker = fit->worker;
  const pl_fem_model *model = fit->body.model;
  ptrdiff_t n = 3 * (ptrdiff_t)model->head.particle_count;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  double *force = PL_TAKE(&arena, double, n);
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    pl_fem_system_evaluate(&worker->system, model->rest_points, NULL, &worker->matrix, false);
    pl_block_matrix_fix(worker->context, &worker->matrix, fit->body.fixed);
    status = pl_linear_solver_factor(worker->solver, &worker->matrix, error);
  }
  for (int axis = 0; axis < PL_MOTION_MARKER_SHAPES && status >= 0; ++axis) {
    for (ptrdiff_t i = 0; i < n; ++i) force[i] = i % 3 == axis && fit->body.fixed[i / 3] == 0 ? pattern[i / 3] : 0;
    memset(shapes + axis * n, 0, (size_t)n * sizeof(double));
    status = pl_linear_solver_solve(worker->solver, force, 1, shapes + axis * n, error);
  }
  pl_arena_destroy(&arena);
  return status;
}

// Shapes of the body as it stands, without stress and of one modulus: none of them depends on which.
static pl_status find_shapes(const pl_fit *fit, const pl_motion_start *start, const double *pattern, double *shapes,
                             pl_error *error) {
  pl_fit_worker *worker = fit->worker;
  const pl_fem_model *model = fit->body.model;
  ptrdiff_t n = 3 * (ptrdiff_t)model->head.particle_count;
  double moduli[PL_FIT_MAX_CONTROLS], lambdas[PL_MOTION_MAX_SHAPES];
  for (int32_t k = 0; k < fit->body.control_count; ++k) moduli[k] = fit->def.young.start;
  pl_fit_worker_set_moduli(worker, moduli, fit->def.poisson.start);
  pl_fit_worker_set_rest(worker, model->rest_points);
  pl_status status = start->shape_count == PL_MOTION_MAX_SHAPES
                         ? pl_fit_modes_find(worker, start->shape_count, lambdas, shapes, error)
                         : push(fit, pattern, shapes, error);
  if (status > PL_OK) status = pl_fail(error, PL_ERROR_INVALID_DATA, "the body has no modes to start with");
  for (int32_t k = 0; k < start->shape_count && status >= 0; ++k) normalise(pattern, n, shapes + k * n);
  pl_fit_worker_set_moduli(worker, fit->values, fit->values[fit->body.control_count]);
  pl_fit_worker_set_rest(worker, fit->rest);
  return status;
}

// Velocities of the modes at the start, from the tracked points: slope, at the first of five frames, of the cubic that
// fits the amplitude of a mode in them best. Errors of single points are gone in an amplitude; the fit does the rest.
static pl_status guess_velocities(const pl_fit *fit, const pl_fit_sequence *sequence, const pl_motion_start *start,
                                  double *speeds, pl_error *error) {
  static const double slope[] = {-125.0 / 84, 136.0 / 84, 48.0 / 84, -88.0 / 84, 29.0 / 84};
  enum { FIRST_FRAMES = sizeof slope / sizeof slope[0] };
  double amplitudes[PL_MOTION_MAX_SHAPES * FIRST_FRAMES];
  if (sequence->frame_count < FIRST_FRAMES || sequence->markers != NULL) return PL_OK;
  pl_fit_sequence first = *sequence;
  first.frame_count = FIRST_FRAMES;
  pl_status status = pl_fit_modes_project(fit->worker, &first, start->shape_count, start->shapes, amplitudes, error);
  for (int32_t k = 0; k < start->shape_count && status >= 0; ++k)
    for (int f = 0; f < FIRST_FRAMES; ++f)
      speeds[k] += slope[f] * amplitudes[k * FIRST_FRAMES + f] / sequence->frame_seconds;
  return status;
}

// A node on an edge from its ends: the mean of a field there.
static void fill_middles(const pl_fem_model *model, int32_t point_count, pl_vec3 *field) {
  static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  const pl_fem_group *group = &model->groups[0];
  for (ptrdiff_t t = 0; t < group->element_count; ++t) {
    const int32_t *nodes = group->corners + group->corner_count * t;
    for (int e = 0; e < 6; ++e)
      if (nodes[4 + e] >= point_count)
        field[nodes[4 + e]] = pl_vec3_scale(pl_vec3_add(field[nodes[ends[e][0]]], field[nodes[ends[e][1]]]), 0.5);
  }
}

pl_status pl_fit_place_nodes(const pl_fit *fit, pl_arena *arena, pl_fit_sequence *sequence, pl_error *error) {
  const pl_fem_model *model = fit->body.model;
  int32_t points = fit->body.point_count, nodes = model->head.particle_count, count = 0;
  bool found = sequence->start == PL_FIT_START_PULLED || sequence->start == PL_FIT_START_BALANCED ||
               (sequence->start == PL_FIT_START_MOVING && sequence->markers);
  if (nodes == points || found) return PL_OK;
  pl_vec3 *x = PL_TAKE(arena, pl_vec3, nodes), *v = PL_TAKE(arena, pl_vec3, nodes);
  int32_t *kept = PL_TAKE(arena, int32_t, nodes);
  if (arena->failed) return pl_fail_memory(error);
  memcpy(x, sequence->start_positions != NULL ? sequence->start_positions : sequence->positions,
         (size_t)points * sizeof *x);
  for (int32_t i = 0; i < points; ++i)
    if (fit->body.fixed[i] != 0) x[i] = pl_fem_vector(model->rest_points, i);
  fill_middles(model, points, x);
  for (int32_t i = 0; i < nodes; ++i)
    if (i < points || fit->body.fixed[i] != 0) kept[count++] = i;
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.pinned = kept;
  def.pinned_count = count;
  def.tolerance = 1e-9;
  pl_status status = pl_fem_equilibrium(fit->context, fit->model, &def, x, NULL, error);
  if (status < 0) return status;
  sequence->start_positions = x;
  if (sequence->start_velocities == NULL) return PL_OK;
  memcpy(v, sequence->start_velocities, (size_t)points * sizeof *v);
  fill_middles(model, points, v);
  sequence->start_velocities = v;
  return PL_OK;
}

// Largest distance of what is observed from its static place.
static double reach_of(const pl_fit *fit, const pl_fit_sequence *sequence) {
  const double *rest = fit->body.model->rest_points;
  int32_t count = fit->body.point_count;
  pl_embedding_view view = {0};
  if (sequence->markers != NULL) view = pl_embedding_get_view(sequence->markers), count = view.point_count;
  double max = 0;
  for (int32_t p = 0; p < count; ++p) {
    pl_vec3 still = {0};
    if (sequence->markers == NULL) still = pl_fem_vector(rest, p);
    for (ptrdiff_t a = 4 * (ptrdiff_t)p; sequence->markers != NULL && a < 4 * (ptrdiff_t)p + 4; ++a)
      still = pl_vec3_add_scaled(still, pl_fem_vector(rest, view.parents[a]), (double)view.weights[a]);
    for (int32_t f = 0; f < sequence->frame_count; ++f) {
      pl_vec3 at = sequence->positions[(ptrdiff_t)f * count + p];
      if (pl_vec3_is_finite(at)) max = fmax(max, pl_vec3_length(pl_vec3_sub(at, still)));
    }
  }
  return max;
}

static pl_status find_start(pl_fit *fit, int32_t number, int32_t slot, pl_error *error) {
  const pl_fit_sequence *sequence = &fit->sequences[number];
  pl_motion_start *start = &fit->starts[number];
  ptrdiff_t n = 3 * (ptrdiff_t)fit->body.model->head.particle_count;
  double *pattern = PL_TAKE(&fit->arena, double, n / 3),
         *shapes = PL_TAKE(&fit->arena, double, (size_t)start->shape_count *(size_t)n);
  if (fit->arena.failed) return pl_fail_memory(error);
  set_pattern(fit, sequence, pattern);
  pl_status status = find_shapes(fit, start, pattern, shapes, error);
  if (status < 0) return status;
  start->pattern = pattern;
  start->shapes = shapes;
  if (!fit->cursor.started) {
    double force[3] = {0}, young = 0, size = 0;
    if (start->force_value >= 0) {
      pl_motion_job job = {.sequence = sequence,
                           .start = *start,
                           .frame_count = 1,
                           .steps_per_frame = 1,
                           .tolerance = fit->step_tolerance,
                           .values = fit->values,
                           .rest = fit->rest,
                           .def = &fit->def};
      status = pl_motion_find_pull(fit->worker, &job, force, error);
      if (status < 0) return status;
      if (status != PL_OK)
        return pl_fail(error, PL_ERROR_INVALID_DATA,
                       "sequence %d: no force on the markers brings them to where they start; check markers and units",
                       number);
    }
    for (int32_t k = 0; k < fit->body.control_count; ++k) young += log(fit->values[k]) / fit->body.control_count;
    for (int i = 0; i < 3; ++i) size += force[i] * force[i];
    // A start without a pull still needs a unit: the weight of the body.
    double weight = fit->body.model->head.mass * 9.81;
    size = fmax(sqrt(size), 1e-3 * weight);
    fit->cursor.force_scales[slot] = size / exp(young);
    fit->cursor.velocity_scales[slot] =
        fmax(reach_of(fit, sequence), 1e-3 * fit->size) / (10 * sequence->frame_seconds);
    for (int i = 0; i < 3 && start->force_value >= 0; ++i) fit->values[start->force_value + i] = force[i] / size;
    double speeds[PL_MOTION_MAX_SHAPES] = {0};
    status = guess_velocities(fit, sequence, start, speeds, error);
    for (int32_t k = 0; k < start->shape_count; ++k)
      fit->values[start->velocity_value + k] = speeds[k] / fit->cursor.velocity_scales[slot];
    if (status < 0) return status;
  }
  start->force_scale = fit->cursor.force_scales[slot];
  start->velocity_scale = fit->cursor.velocity_scales[slot];
  return PL_OK;
}

pl_status pl_fit_find_starts(pl_fit *fit, pl_error *error) {
  if (fit->start_count == 0 || fit->has_starts) return PL_OK;
  bool found = false;
  pl_status status = pl_fit_find_rest(fit, fit->values, fit->rest, &found, error);
  if (status < 0) return status;
  if (!found)
    return pl_fail(
        error, PL_ERROR_INVALID_DATA,
        "the values to start from have no reference shape: the body is too soft for its weight; start with a "
        "higher modulus");
  for (int32_t i = 0, slot = 0; i < fit->sequence_count && status >= 0; ++i)
    if (fit->starts[i].force_value >= 0 || fit->starts[i].velocity_value >= 0)
      status = find_start(fit, i, slot++, error);
  if (status < 0) return status;
  fit->cursor.started = 1;
  fit->has_starts = true;
  return PL_OK;
}
