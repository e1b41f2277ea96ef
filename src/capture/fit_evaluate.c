// The distance of the simulated from the tracked motion for one set of parameters, through independent jobs.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "capture/fit_changes.h"
#include "capture/fit_parts.h"
#include "pliant/math.h"

enum { OUTPUT_STATUS, OUTPUT_FAILED, OUTPUT_COST, OUTPUT_WEIGHT, OUTPUT_AMPLITUDE, OUTPUT_WORST, OUTPUT_HEAD };

bool pl_fit_is_logarithmic(const pl_fit *fit, int32_t value) {
  return value != fit->body.control_count && value < fit->result_count;
}

double pl_fit_coordinate(const pl_fit *fit, int32_t value, double physical) {
  return pl_fit_is_logarithmic(fit, value) ? log(physical) : physical;
}

double pl_fit_physical(const pl_fit *fit, int32_t value, double coordinate) {
  double physical = pl_fit_is_logarithmic(fit, value) ? exp(coordinate) : coordinate;
  return fmin(fmax(physical, fit->ranges[value].min), fit->ranges[value].max);
}

// --- jobs ---------------------------------------------------------------------------------------------------------

static void run_job(void *data, int32_t job) {
  const pl_fit_jobs *jobs = data;
  jobs->evaluate(jobs->data, job, jobs->outputs + (size_t)job * jobs->output_size);
}

void pl_fit_run_jobs(const pl_fit *fit, const pl_fit_jobs *jobs) {
  if (fit->def.batch.run != NULL) {
    fit->def.batch.run(fit->def.batch.user, jobs);
    return;
  }
  union {
    const pl_fit_jobs *given;
    void *task;
  } data = {jobs};
  pl_run_tasks(fit->context, jobs->count, run_job, data.task);
}

typedef struct motion_batch {
  pl_fit *fit;
  const double *values, *X;
  int32_t frame_count;
  bool derive;
} motion_batch;

// Jobs are the sequences, then the cases.
static void evaluate_job(void *data, int32_t number, double *output) {
  const motion_batch *b = data;
  pl_fit *fit = b->fit;
  const pl_fit_sequence *sequence = number < fit->sequence_count ? &fit->sequences[number] : NULL;
  int32_t columns = b->derive ? fit->column_count : 0;
  pl_motion_job job = {.sequence = sequence,
                       .load_case = sequence == NULL ? &fit->cases[number - fit->sequence_count] : NULL,
                       .start = {.force_value = -1, .velocity_value = -1},
                       .noise = fit->def.noise,
                       .frame_count = 1,
                       .steps_per_frame = fit->cursor.steps,
                       .tolerance = fit->step_tolerance,
                       .values = b->values,
                       .rest = b->X,
                       .column_count = columns,
                       .columns = fit->columns,
                       .fractions = fit->fractions,
                       .rest_change = fit->moves_rest || fit->def.element == PL_FEM_LINEAR ? fit->rest_change : NULL,
                       .def = &fit->def};
  double step = 0;
  if (sequence != NULL) {
    job.frame_count = b->frame_count < sequence->frame_count ? b->frame_count : sequence->frame_count;
    job.start = fit->starts[number];
    step = sequence->frame_seconds / fit->cursor.steps;
  }
  double *gradient = output + OUTPUT_HEAD, *normal = gradient + columns,
         *scores = normal + (ptrdiff_t)columns * columns;
  pl_motion_result result = {.gradient = gradient, .normal = normal, .scores = columns > 0 ? scores : NULL};
  pl_fit_worker *worker = NULL;
  pl_status status = pl_fit_worker_create(fit->context, &fit->body, step, &worker, NULL);
  if (status >= 0)
    status =
        sequence != NULL ? pl_motion_run(worker, &job, &result, NULL) : pl_motion_run_case(worker, &job, &result, NULL);
  pl_fit_worker_destroy(worker);
  output[OUTPUT_STATUS] = status;
  output[OUTPUT_FAILED] = result.failed;
  output[OUTPUT_COST] = result.cost;
  output[OUTPUT_WEIGHT] = result.weight;
  output[OUTPUT_AMPLITUDE] = result.amplitude;
  output[OUTPUT_WORST] = result.worst;
}

// Sums over the jobs, in their order; scores one after the other.
static pl_status add_outputs(const pl_fit *fit, int32_t frame_count, bool derive, pl_fit_evaluation *e,
                             pl_error *error) {
  size_t columns = derive ? (size_t)fit->column_count : 0, score = 0;
  memset(e->gradient, 0, (size_t)fit->column_count * sizeof(double));
  memset(e->normal, 0, (size_t)fit->column_count * (size_t)fit->column_count * sizeof(double));
  memset(e->scores, 0, (size_t)fit->column_count * (size_t)fit->score_count * sizeof(double));
  for (int32_t i = 0; i < fit->sequence_count + fit->case_count; ++i) {
    const double *output = fit->outputs + (size_t)i * fit->output_size;
    bool is_case = i >= fit->sequence_count;
    if (output[OUTPUT_STATUS] == (double)PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(error);
    if (output[OUTPUT_STATUS] < 0)
      return pl_fail(error, (pl_status)output[OUTPUT_STATUS], "%s %d could not be simulated: the linear solver failed",
                     is_case ? "load case" : "sequence", is_case ? i - fit->sequence_count : i);
    e->failed = e->failed || output[OUTPUT_FAILED] != 0;
    e->cost += output[OUTPUT_COST];
    e->weight += output[OUTPUT_WEIGHT];
    e->amplitude += output[OUTPUT_AMPLITUDE];
    e->worst = fmax(e->worst, output[OUTPUT_WORST]);
    const double *gradient = output + OUTPUT_HEAD, *normal = gradient + columns, *scores = normal + columns * columns;
    for (size_t k = 0; k < columns; ++k) e->gradient[k] += gradient[k];
    for (size_t k = 0; k < columns * columns; ++k) e->normal[k] += normal[k];
    memcpy(e->normals + (size_t)i * columns * columns, normal, columns * columns * sizeof(double));
    size_t frames = is_case ? 1 : (size_t)fit->sequences[i].frame_count, filled = frames;
    if (!is_case && filled > (size_t)frame_count) filled = (size_t)frame_count;
    if (columns > 0 && output[OUTPUT_FAILED] == 0)
      memcpy(e->scores + score * columns, scores, filled * columns * sizeof(double));
    score += frames;
  }
  return PL_OK;
}

// --- the reference shape and its change ---------------------------------------------------------------------------

pl_status pl_fit_find_rest(pl_fit *fit, const double *values, double *X, bool *found, pl_error *error) {
  *found = true;
  pl_fit_worker_set_moduli(fit->worker, values, values[fit->body.control_count]);
  if (fit->def.shape == PL_FIT_SHAPE_UNSTRESSED || !(fit->reference.load_size > 0)) {
    memcpy(X, fit->body.model->rest_points, 3 * (size_t)fit->body.model->head.particle_count * sizeof(double));
    pl_fit_worker_set_rest(fit->worker, X);
    return PL_OK;
  }
  if (fit->shape_value >= 0) {
    const double *masses = fit->body.model->load_masses;
    double unit = pl_vec3_length(fit->def.gravity);
    for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)fit->body.model->head.particle_count; ++i)
      fit->shape_load[i] = unit * values[fit->shape_value + i % 3] * masses[i / 3];
    fit->reference.load = fit->shape_load;
  }
  pl_reference_def def = pl_default_reference_def();
  bool newton = fit->def.reference == PL_REFERENCE_NEWTON;
  def.limit = newton ? 60 : 2000;
  pl_status status = newton ? pl_reference_newton(&fit->reference, &def, X, &fit->reference_report, error)
                            : pl_reference_march(&fit->reference, &def, X, &fit->reference_report, error);
  *found = status == PL_OK;
  return status < 0 ? status : PL_OK;
}

// s = (dE/dθ) / E of every tet.
static void set_fractions(pl_fit *fit, const double *values) {
  const pl_fit_body *body = &fit->body;
  for (int32_t t = 0; t < body->model->groups[0].element_count; ++t) {
    double *row = fit->fractions + (ptrdiff_t)t * fit->padded, young = fit->worker->moduli[2 * (ptrdiff_t)t];
    memset(row, 0, (size_t)fit->padded * sizeof(double));
    for (int32_t k = 0; k < fit->column_count && fit->columns[k] < body->control_count; ++k)
      row[k] = body->weights[(ptrdiff_t)t * body->control_count + fit->columns[k]] * values[fit->columns[k]] / young;
  }
}

// dX by one component of the acceleration of a shape that is not known; the reference was linearised before.
static pl_status derive_shape(pl_fit *fit, int axis, double *change, pl_error *error) {
  ptrdiff_t n = 3 * (ptrdiff_t)fit->body.model->head.particle_count;
  double unit = pl_vec3_length(fit->def.gravity);
  for (ptrdiff_t i = 0; i < n; ++i) fit->shape_load[i] = i % 3 == axis ? unit * fit->body.model->load_masses[i / 3] : 0;
  return pl_reference_derive_load(&fit->reference, fit->shape_load, fit->padded, change, error);
}

static pl_status derive_rest(pl_fit *fit, const double *values, pl_error *error) {
  set_fractions(fit, values);
  int32_t material_columns = 0, poisson_column = -1;
  for (int32_t k = 0; k < fit->column_count; ++k) {
    if (fit->columns[k] <= fit->body.control_count) material_columns = k + 1;
    if (fit->columns[k] == fit->body.control_count) poisson_column = k;
  }
  memset(fit->rest_change, 0, 3 * (size_t)fit->body.model->head.particle_count * (size_t)fit->padded * sizeof(double));
  fit->moves_rest = fit->def.shape != PL_FIT_SHAPE_UNSTRESSED && fit->reference.load_size > 0 &&
                    (material_columns > 0 || fit->shape_value >= 0);
  if (!fit->moves_rest) return PL_OK;
  pl_status status = pl_reference_derive(&fit->reference, material_columns, fit->padded, fit->fractions, poisson_column,
                                         fit->rest_change, error);
  for (int32_t k = 0; k < fit->column_count && fit->shape_value >= 0 && status >= 0; ++k) {
    int32_t axis = fit->columns[k] - fit->shape_value;
    if (axis >= 0 && axis < 3) status = derive_shape(fit, axis, fit->rest_change + k, error);
  }
  return status;
}

pl_status pl_fit_evaluate(pl_fit *fit, const double *values, double *X, int32_t frame_count, bool derive,
                          pl_fit_evaluation *e, pl_error *error) {
  *e = (pl_fit_evaluation){.failed = true,
                           .cost = HUGE_VAL,
                           .gradient = e->gradient,
                           .normal = e->normal,
                           .normals = e->normals,
                           .scores = e->scores};
  fit->cursor.evaluations++;
  bool found = false;
  pl_status status = pl_fit_find_rest(fit, values, X, &found, error);
  if (status < 0 || !found) return status;
  if (derive) status = derive_rest(fit, values, error);
  if (status < 0) return status;
  motion_batch batch = {fit, values, X, frame_count, derive};
  pl_fit_jobs jobs = {.count = fit->sequence_count + fit->case_count,
                      .output_size = fit->output_size,
                      .outputs = fit->outputs,
                      .evaluate = evaluate_job,
                      .data = &batch};
  pl_fit_run_jobs(fit, &jobs);
  e->failed = false;
  e->cost = 0;
  status = add_outputs(fit, frame_count, derive, e, error);
  if (status >= 0 && !e->failed && fit->vibration_count > 0)
    status = pl_fit_add_vibrations(fit, values, X, derive, e, error);
  if (e->failed || !isfinite(e->cost)) e->failed = true, e->cost = HUGE_VAL;
  return status;
}
