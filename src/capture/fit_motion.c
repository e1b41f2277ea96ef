#include "capture/fit_motion.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_changes.h"
#include "capture/fit_motion_parts.h"
#include "pliant/math.h"

enum { MAX_ITERATIONS = 40, STALE_ITERATIONS = 9 };

static const double BROYDEN_MIN = 0.1;    // an update that divides by less would only magnify what it does not know
static const double FRACTION_MIN = 1e-3;  // of a step, from which shortening it leads nowhere
static const double CLOSE =
    1e-4;  // step per point, as a fraction of the extent, from which Newton's method converges by itself
static const double ARMIJO = 1e-4;  // fraction of the slope's promise that a step must gain
enum { HALVINGS_MAX = 20 };         // a millionth of a step

static double dot(ptrdiff_t n, const double *a, const double *b) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// --- Newton's method ----------------------------------------------------------------------------------------------

// r at u.
void pl_motion_evaluate(pl_motion *m) {
  pl_fem_system_evaluate(&m->worker->system, m->u, m->gradient, NULL, false);
  if (pl_motion_is_viscous(m)) {
    pl_fem_maxwell_evaluate(&m->maxwell, m->u, m->viscous, NULL, false);
    for (ptrdiff_t i = 0; i < m->n; ++i) m->gradient[i] += m->viscous[i];
  }
  for (ptrdiff_t i = 0; i < m->n; ++i) {
    double inertia = m->masses[i / 3] * (m->c * (m->u[i] - m->x[i]) - m->v[i] / m->tau);
    m->residual[i] = pl_motion_is_fixed(m, i) ? 0 : inertia + m->gradient[i] - m->load[i];
  }
}

// A at u, factored.
pl_status pl_motion_factor(pl_motion *m, pl_error *error) {
  pl_fit_worker *worker = m->worker;
  pl_block_matrix *matrix = &worker->matrix;
  pl_fem_system_evaluate(&worker->system, m->u, NULL, matrix, m->positive);
  if (pl_motion_is_viscous(m)) pl_fem_maxwell_evaluate(&m->maxwell, m->u, NULL, matrix, m->positive);
  pl_block_matrix_add_diagonal(worker->context, matrix, m->c, m->masses);
  pl_block_matrix_fix(worker->context, matrix, m->fixed);
  m->result->factor_count++;
  m->factored = true;
  return pl_linear_solver_factor(worker->solver, matrix, error);
}

// -A⁻¹ r into `step`, corrected for what the steps since the last factor have shown of the matrix (good Broyden
// updates, kept as those steps; Kelley 1995, section 7.3); its length, metres.
static pl_status find_step(pl_motion *m, double *length, pl_error *error) {
  memset(m->step, 0, (size_t)m->n * sizeof(double));
  pl_status status = pl_linear_solver_solve(m->worker->solver, m->residual, 1, m->step, error);
  for (ptrdiff_t i = 0; i < m->n; ++i) m->step[i] = -m->step[i];
  for (int k = 0; k < m->kept; ++k) {
    const double *own = m->steps + k * m->n;
    double along = dot(m->n, own, m->step) / m->squares[k];
    if (k + 1 == m->kept) {
      // The last one is not yet divided by what makes it the next step.
      double scale = fabs(1 - along) > BROYDEN_MIN ? 1 / (1 - along) : 1;
      for (ptrdiff_t i = 0; i < m->n; ++i) m->step[i] *= scale;
    } else {
      for (ptrdiff_t i = 0; i < m->n; ++i) m->step[i] += along * own[m->n + i];
    }
  }
  *length = sqrt(dot(m->n, m->step, m->step));
  m->result->iteration_count++;
  return status;
}

// Remember a step that was taken whole.
static void keep_step(pl_motion *m, double length) {
  if (m->kept >= PL_MOTION_STEPS_KEPT) m->kept = 0;
  memcpy(m->steps + m->kept * m->n, m->step, (size_t)m->n * sizeof(double));
  m->squares[m->kept++] = fmax(length * length, 1e-300);
}

// Newton's method with the factor at hand for as long as every step is less than half the last one, and with a new one
// after that. Progress is measured by the length of steps, not by forces: bending along straight lines stretches, and
// forces of stretching drown all others. A step that a new factor does not make smaller is halved.
static pl_status solve_step(pl_motion *m, pl_error *error) {
  double wanted = m->job->tolerance * m->extent * sqrt((double)m->n / 3), length, fraction = 1;
  bool fresh = !m->factored;
  m->kept = 0;
  pl_motion_evaluate(m);
  pl_status status = fresh ? pl_motion_factor(m, error) : PL_OK;
  if (status >= 0) status = find_step(m, &length, error);
  for (int k = 0; k < MAX_ITERATIONS && status >= 0; ++k) {
    memcpy(m->base, m->u, (size_t)m->n * sizeof(double));
    for (ptrdiff_t i = 0; i < m->n; ++i) m->u[i] = m->base[i] + fraction * m->step[i];
    pl_motion_evaluate(m);
    if (fraction == 1 && length <= wanted) {
      // Steps without sensitivities keep a factor for as long as it pays.
      if (m->columns == 0 && k > STALE_ITERATIONS) m->factored = false;
      return PL_OK;
    }
    double before = length;
    if (fraction == 1)
      keep_step(m, length);
    else
      m->kept = 0;
    status = find_step(m, &length, error);
    if (status < 0) return status;
    if (length < (1 - 0.5 * fraction) * before) {
      fresh = false;
      fraction = fmin(1, 2 * fraction);
      continue;
    }
    m->kept = 0;
    if (!(length < before)) {
      memcpy(m->u, m->base, (size_t)m->n * sizeof(double));
      pl_motion_evaluate(m);
      fraction = fresh ? 0.5 * fraction : 1;
      if (fraction < FRACTION_MIN) return PL_REMARK_NOT_CONVERGED;
    }
    status = pl_motion_factor(m, error);
    if (status >= 0) status = find_step(m, &length, error);
    fresh = true;
  }
  return status < 0 ? status : PL_REMARK_NOT_CONVERGED;
}

// Φ whose gradient is r: ½ c |u - x|²_M - u·M (v/τ) + W(u) + D(u) - load·u.
static double potential(pl_motion *m) {
  double sum = pl_fem_system_evaluate(&m->worker->system, m->u, NULL, NULL, false);
  if (pl_motion_is_viscous(m)) sum += pl_fem_maxwell_evaluate(&m->maxwell, m->u, NULL, NULL, false);
  for (ptrdiff_t i = 0; i < m->n; ++i) {
    double moved = m->u[i] - m->x[i];
    if (!pl_motion_is_fixed(m, i))
      sum += (0.5 * m->masses[i / 3] * m->c * moved - m->masses[i / 3] * m->v[i] / m->tau - m->load[i]) * moved;
  }
  return sum;
}

// From where Newton's method did not find the way: down the potential with projected Hessians until a step is short,
// then again as above.
static pl_status descend(pl_motion *m, pl_error *error) {
  double length = HUGE_VAL, close = CLOSE * m->extent * sqrt((double)m->n / 3);
  for (ptrdiff_t i = 0; i < m->n; ++i) m->u[i] = pl_motion_is_fixed(m, i) ? m->u[i] : m->x[i];
  pl_motion_evaluate(m);
  double energy = potential(m);
  for (int k = 0; k < MAX_ITERATIONS && length > close; ++k) {
    m->positive = true;
    m->kept = 0;
    pl_status status = pl_motion_factor(m, error);
    m->positive = false;
    if (status >= 0) status = find_step(m, &length, error);
    if (status < 0) return status;
    double gradient = -dot(m->n, m->residual, m->step), fraction = 1, reached = HUGE_VAL;
    memcpy(m->base, m->u, (size_t)m->n * sizeof(double));
    for (int halving = 0; halving < HALVINGS_MAX; ++halving, fraction *= 0.5) {
      for (ptrdiff_t i = 0; i < m->n; ++i) m->u[i] = m->base[i] + fraction * m->step[i];
      pl_motion_evaluate(m);
      reached = potential(m);
      if (reached <= energy - ARMIJO * fraction * gradient) break;
    }
    if (!(reached < energy)) break;
    energy = reached;
  }
  m->factored = false;
  return solve_step(m, error);
}

pl_status pl_motion_solve(pl_motion *m, pl_error *error) {
  pl_status status = solve_step(m, error);
  return status == PL_REMARK_NOT_CONVERGED ? descend(m, error) : status;
}

// --- sensitivities ------------------------------------------------------------------------------------------------

pl_status pl_motion_solve_sensitivities(pl_motion *m, pl_error *error) {
  const pl_motion_job *job = m->job;
  pl_status status = pl_motion_factor(m, error);
  if (status < 0) return status;
  memset(m->changed, 0, (size_t)(m->n * m->padded) * sizeof(double));
  pl_fit_changes changes = {.padded = m->padded,
                            .corners = m->worker->body->model->groups[0].corners,
                            .constants = m->worker->system.constants,
                            .positions = m->u,
                            .rest_change = job->rest_change,
                            .fractions = job->fractions,
                            .rhs = m->changed,
                            .poisson_column = m->poisson_column,
                            .poisson = m->derived};
  pl_fit_changes_add(&m->worker->system, &changes);
  if (pl_motion_is_viscous(m)) pl_motion_viscous_change(m);
  for (int32_t k = 0; k < m->columns; ++k) {
    const double *s = m->s + k * m->n, *t = m->t + k * m->n;
    const double *load = m->load_change != NULL ? m->load_change + k * m->n : NULL;
    double *rhs = m->rhs_list + k * m->n;
    for (ptrdiff_t i = 0; i < m->n; ++i) {
      double force = m->masses[i / 3] * (m->c * s[i] + t[i] / m->tau) + m->changed[i * m->padded + k];
      if (k == m->alpha_column) force -= m->alpha * m->masses[i / 3] * (m->u[i] - m->x[i]) / m->tau;
      if (load != NULL) force += load[i];
      rhs[i] = pl_motion_is_fixed(m, i) ? 0 : force;
    }
  }
  return pl_linear_solver_solve(m->worker->solver, m->rhs_list, m->columns, m->z, error);
}

static pl_status advance_sensitivities(pl_motion *m, pl_error *error) {
  if (m->columns == 0) return PL_OK;
  pl_status status = pl_motion_solve_sensitivities(m, error);
  for (ptrdiff_t i = 0; status >= 0 && i < m->columns * m->n; ++i) {
    double z = m->z[i], s = m->s[i];
    m->s[i] = 2 * z - s;
    m->t[i] = 2 * (z - s) / m->tau - m->t[i];
  }
  return status;
}

// --- a step and a frame -------------------------------------------------------------------------------------------

static pl_status take_step(pl_motion *m, pl_error *error) {
  double h = 2 * m->tau;
  for (ptrdiff_t i = 0; i < m->n; ++i) {
    double guess =
        m->step_count > 1 ? 2 * m->last[i] - m->older[i] : m->x[i] + (m->step_count == 0 ? m->tau * m->v[i] : 0);
    m->u[i] = pl_motion_is_fixed(m, i) ? 0.5 * (m->x[i] + m->target[i]) : guess;
  }
  if (pl_motion_is_viscous(m)) pl_motion_viscous_begin(m);
  pl_status status = pl_motion_solve(m, error);
  if (status != PL_OK) return status;
  status = advance_sensitivities(m, error);
  if (status < 0) return status;
  if (pl_motion_is_viscous(m)) pl_motion_viscous_finish(m);
  m->step_count++;
  for (ptrdiff_t i = 0; i < m->n; ++i) {
    double next = 2 * m->u[i] - m->x[i], velocity = 2 * (m->u[i] - m->x[i]) / m->tau - m->v[i];
    if (pl_motion_is_fixed(m, i)) next = m->target[i], velocity = (m->target[i] - m->x[i]) / h;
    m->older[i] = m->last[i];
    m->last[i] = m->u[i];
    m->x[i] = next;
    m->v[i] = velocity;
    if (!isfinite(next)) return PL_REMARK_NOT_CONVERGED;
  }
  return PL_OK;
}

// Where pins are to be after a share of the way from one frame to the next.
static void set_targets(pl_motion *m, int32_t frame, double fraction) {
  const pl_fit_sequence *sequence = m->job->sequence;
  const double *rest = m->worker->body->model->rest_points;
  const double *from = &sequence->positions[(ptrdiff_t)frame * (m->n / 3)].x, *to = from + m->n;
  for (ptrdiff_t i = 0; i < m->n; ++i)
    if (pl_motion_is_fixed(m, i)) m->target[i] = sequence->pins_move ? from[i] + fraction * (to[i] - from[i]) : rest[i];
}

static void write_frame(const pl_motion *m, int32_t frame) {
  if (m->job->positions != NULL)
    memcpy(m->job->positions + (ptrdiff_t)frame * m->worker->body->point_count, m->x,
           (size_t)m->worker->body->point_count * sizeof(pl_vec3));
}

// --- the whole ----------------------------------------------------------------------------------------------------

static pl_status take_motion(pl_arena *arena, pl_motion *m, pl_error *error) {
  size_t n = (size_t)m->n, columns = (size_t)m->columns;
  double **vectors[] = {&m->x,        &m->v,    &m->u,    &m->last,   &m->older,   &m->gradient,
                        &m->residual, &m->step, &m->base, &m->target, &m->stretch, &m->load};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) *vectors[i] = PL_TAKE(arena, double, n);
  double **columned[] = {&m->s, &m->t, &m->z, &m->rhs_list};
  for (size_t i = 0; i < sizeof columned / sizeof *columned; ++i) *columned[i] = PL_TAKE(arena, double, n *columns);
  m->steps = PL_TAKE(arena, double, n *PL_MOTION_STEPS_KEPT);
  m->changed = PL_TAKE(arena, double, n *(size_t)m->padded);
  if (!pl_motion_viscous_take(m)) return pl_fail_memory(error);
  pl_status status = pl_motion_loads_take(m, error);
  if (status < 0) return status;
  if (m->poisson_column >= 0)
    m->derived = PL_TAKE(arena, pl_fem_tet_constants, m->worker->body->model->groups[0].element_count);
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}

static pl_status start(pl_motion *m, pl_error *error) {
  const pl_motion_job *job = m->job;
  const pl_fit_sequence *sequence = job->sequence;
  const pl_fit_body *body = m->worker->body;
  pl_motion_set_material(m);
  if (job->start.force_value >= 0 || sequence->start == PL_FIT_START_BALANCED) {
    pl_status status =
        job->start.force_value >= 0 ? pl_motion_start_pulled(m, error) : pl_motion_start_balanced(m, error);
    if (status != PL_OK) return status;
  } else {
    const pl_vec3 *positions = sequence->start_positions != NULL ? sequence->start_positions : sequence->positions;
    memcpy(m->x, positions, (size_t)m->n * sizeof(double));
  }
  if (sequence->start_velocities != NULL) memcpy(m->v, sequence->start_velocities, (size_t)m->n * sizeof(double));
  if (job->start.velocity_value >= 0) pl_motion_start_moving(m);
  for (ptrdiff_t i = 0; !sequence->pins_move && i < m->n; ++i)
    if (pl_motion_is_fixed(m, i)) m->x[i] = body->model->rest_points[i];
  if (pl_motion_is_viscous(m)) pl_motion_viscous_start(m);
  return PL_OK;
}

static void set_columns(pl_motion *m) {
  const pl_motion_job *job = m->job;
  int32_t control_count = m->worker->body->control_count;
  m->columns = job->column_count;
  m->padded = pl_fit_padded(job->column_count);
  m->alpha_column = m->beta_column = m->poisson_column = -1;
  for (int32_t k = 0; k < m->columns; ++k) {
    if (job->columns[k] == control_count) m->poisson_column = k;
    if (job->columns[k] == control_count + 1) m->alpha_column = k;
    if (job->columns[k] == control_count + 2) m->beta_column = k;
  }
}

static pl_status run_frames(pl_motion *m, pl_error *error) {
  const pl_motion_job *job = m->job;
  pl_status status = start(m, error);
  if (status != PL_OK) return status;
  write_frame(m, 0);
  for (int32_t frame = 0; frame + 1 < job->frame_count; ++frame) {
    if (job->def != NULL && pl_fit_is_given_up(job->def)) return PL_REMARK_NOT_CONVERGED;
    for (int32_t k = 0; k < job->steps_per_frame; ++k) {
      set_targets(m, frame, (double)(k + 1) / job->steps_per_frame);
      double time = (frame + (double)k / job->steps_per_frame) * job->sequence->frame_seconds;
      if (job->sequence->load_count > 0) pl_motion_loads_set(m, time, time + 2 * m->tau);
      status = take_step(m, error);
      if (status != PL_OK) return status;
    }
    pl_motion_compare_frame(m, frame + 1);
    write_frame(m, frame + 1);
  }
  return PL_OK;
}

pl_status pl_motion_run_as(pl_fit_worker *worker, const pl_motion_job *job,
                           pl_status (*go)(pl_motion *m, pl_error *error), pl_motion_result *result, pl_error *error) {
  const pl_fem_model *model = worker->body->model;
  double *gradient = result->gradient, *normal = result->normal, *scores = result->scores;
  *result = (pl_motion_result){.gradient = gradient, .normal = normal, .scores = scores};
  pl_motion m = {.worker = worker,
                 .job = job,
                 .masses = model->head.masses,
                 .fixed = worker->body->fixed,
                 .n = 3 * (ptrdiff_t)model->head.particle_count,
                 .observed_count = worker->body->point_count,
                 .ratio = 1,
                 .tau = job->sequence != NULL ? 0.5 * job->sequence->frame_seconds / job->steps_per_frame : HUGE_VAL,
                 .alpha = job->values[worker->body->control_count + 1],
                 .beta = job->values[worker->body->control_count + 2],
                 .result = result};
  m.extent = pl_box_diagonal(model->head.box);
  m.c = 1 / (m.tau * m.tau) + m.alpha / m.tau;
  const pl_embedding *markers = job->sequence != NULL ? job->sequence->markers : job->load_case->markers;
  double deviation = job->sequence != NULL ? job->sequence->deviation : job->load_case->deviation;
  if (markers != NULL) {
    pl_embedding_view view = pl_embedding_get_view(markers);
    m.parents = view.parents, m.weights = view.weights, m.observed_count = view.point_count;
  }
  if (deviation > 0 && job->noise > 0) m.ratio = job->noise * job->noise / (deviation * deviation);
  set_columns(&m);
  if (m.columns > 0) {
    memset(gradient, 0, (size_t)m.columns * sizeof(double));
    memset(normal, 0, (size_t)m.columns * (size_t)m.columns * sizeof(double));
    int32_t frames = job->sequence != NULL ? job->frame_count : 1;
    if (scores != NULL) memset(scores, 0, (size_t)m.columns * (size_t)frames * sizeof(double));
  }
  pl_arena arena;
  pl_arena_init(&arena, worker->context, 0);
  m.arena = &arena;
  pl_status status = take_motion(&arena, &m, error);
  if (status >= 0) memcpy(m.load, worker->body->load, (size_t)m.n * sizeof(double));
  if (status >= 0) status = go(&m, error);
  pl_arena_destroy(&arena);
  for (int32_t k = 0; k < m.columns; ++k)
    for (int32_t l = 0; l < k; ++l) normal[(ptrdiff_t)l * m.columns + k] = normal[(ptrdiff_t)k * m.columns + l];
  // No motion with such parameters is an answer, not a failure of the call; out of memory is.
  if (status == PL_REMARK_NOT_CONVERGED || status == PL_ERROR_NOT_FINITE) {
    result->failed = true;
    return PL_OK;
  }
  return status;
}

pl_status pl_motion_run(pl_fit_worker *worker, const pl_motion_job *job, pl_motion_result *result, pl_error *error) {
  return pl_motion_run_as(worker, job, run_frames, result, error);
}

pl_status pl_motion_run_case(pl_fit_worker *worker, const pl_motion_job *job, pl_motion_result *result,
                             pl_error *error) {
  return pl_motion_run_as(worker, job, pl_motion_balance_case, result, error);
}
