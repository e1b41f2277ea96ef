// Equilibria of a fit: where a body starts that an unknown force pulls aside, or known loads; static experiments.
//
// An equilibrium is a step of infinite length: with τ = ∞ the residual of fit_motion.h is g(u) - load, its matrix H,
// and its sensitivities A z = -∂r/∂θ. So it is solved, and derived, by the functions of a step.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_changes.h"
#include "capture/fit_motion_parts.h"
#include "sparse/dense_factor.h"

enum { MAX_PULL_ITERATIONS = 30, MAX_PULL_HALVES = 6, MAX_PRESSURE_ITERATIONS = 100 };
static const double PULL_TOLERANCE = 1e-7;  // of the extent: distance of markers at which a pull is found
static const double STIFF_PULL = 1e-3;      // of the trace: what a force costs against the markers' distance
static const double LONGEST_PULL = 0.15;    // of the extent: what one correction of a pull may move

void pl_motion_set_material(pl_motion *m) {
  const pl_motion_job *job = m->job;
  pl_fit_worker_set_moduli(m->worker, job->values, job->values[m->worker->body->control_count]);
  pl_fit_worker_set_rest(m->worker, job->rest);
  if (m->poisson_column >= 0) pl_fit_changes_derive(&m->worker->system, m->derived);
  pl_motion_viscous_set(m);
}

// u in equilibrium with the load, and s = du/dθ.
static pl_status balance(pl_motion *m, pl_error *error) {
  double tau = m->tau, c = m->c;
  m->tau = HUGE_VAL, m->c = 0;
  m->factored = false;
  pl_status status = pl_motion_solve(m, error);
  if (status == PL_OK && m->columns > 0) {
    memset(m->s, 0, (size_t)(m->n * m->columns) * sizeof(double));
    memset(m->t, 0, (size_t)(m->n * m->columns) * sizeof(double));
    status = pl_motion_solve_sensitivities(m, error);
    if (status >= 0) memcpy(m->s, m->z, (size_t)(m->n * m->columns) * sizeof(double));
  }
  m->tau = tau, m->c = c;
  m->factored = false;
  return status;
}

// --- a start that is pulled ---------------------------------------------------------------------------------------

// Geometric mean of the moduli: forces in its units move a body as far whatever its stiffness.
static double mean_modulus(const pl_motion *m) {
  double sum = 0;
  int32_t count = m->worker->body->control_count;
  for (int32_t k = 0; k < count; ++k) sum += log(m->job->values[k]) / count;
  return exp(sum);
}

static void add_pull(pl_motion *m, const double force[3]) {
  for (ptrdiff_t i = 0; i < m->n; ++i)
    m->load[i] = m->worker->body->load[i] + m->job->start.pattern[i / 3] * force[i % 3];
}

static void forget_pull(pl_motion *m) {
  memcpy(m->load, m->worker->body->load, (size_t)m->n * sizeof(double));
}

pl_status pl_motion_start_pulled(pl_motion *m, pl_error *error) {
  const pl_motion_job *job = m->job;
  const pl_motion_start *start = &job->start;
  int32_t controls = m->worker->body->control_count;
  double unit = start->force_scale * mean_modulus(m), force[3];
  for (int i = 0; i < 3; ++i) force[i] = unit * job->values[start->force_value + i];
  // The force alone, and not those of known pressures.
  double *known_change = m->load_change;
  m->load_change = NULL;
  if (m->columns > 0) {
    m->load_change = PL_TAKE(m->arena, double, (size_t)m->n *(size_t)m->columns);
    if (m->load_change == NULL) return pl_fail_memory(error);
  }
  for (int32_t k = 0; k < m->columns; ++k) {
    int32_t value = job->columns[k], axis = value - start->force_value;
    for (ptrdiff_t i = 0; i < m->n; ++i) {
      double part = start->pattern[i / 3];
      if (value < controls) m->load_change[k * m->n + i] = part * force[i % 3] / controls;
      if (axis >= 0 && axis < 3 && i % 3 == axis) m->load_change[k * m->n + i] = part * unit;
    }
  }
  add_pull(m, force);
  memcpy(m->x, m->worker->body->model->rest_points, (size_t)m->n * sizeof(double));
  memcpy(m->u, m->x, (size_t)m->n * sizeof(double));
  pl_status status = balance(m, error);
  if (status == PL_OK) memcpy(m->x, m->u, (size_t)m->n * sizeof(double));
  forget_pull(m);
  m->load_change = known_change;
  return status;
}

// With a pressure, the equilibrium under that of the last one until they are the same; derivatives follow.
pl_status pl_motion_start_balanced(pl_motion *m, pl_error *error) {
  double moved = HUGE_VAL, wanted = m->job->tolerance * m->extent;
  memcpy(m->x, m->worker->body->model->rest_points, (size_t)m->n * sizeof(double));
  for (int k = 0; k < MAX_PRESSURE_ITERATIONS && moved > wanted; ++k) {
    pl_motion_loads_set(m, 0, 0);
    memcpy(m->u, m->x, (size_t)m->n * sizeof(double));
    pl_status status = balance(m, error);
    if (status != PL_OK) return status;
    moved = 0;
    for (ptrdiff_t i = 0; m->faces != NULL && i < m->n; ++i) moved = fmax(moved, fabs(m->u[i] - m->x[i]));
    memcpy(m->x, m->u, (size_t)m->n * sizeof(double));
  }
  return moved > wanted ? PL_REMARK_NOT_CONVERGED : PL_OK;
}

void pl_motion_start_moving(pl_motion *m) {
  const pl_motion_start *start = &m->job->start;
  for (int32_t s = 0; s < start->shape_count; ++s) {
    const double *shape = start->shapes + s * m->n;
    double speed = start->velocity_scale * m->job->values[start->velocity_value + s];
    for (ptrdiff_t i = 0; i < m->n; ++i) m->v[i] += pl_motion_is_fixed(m, i) ? 0 : speed * shape[i];
    for (int32_t k = 0; k < m->columns; ++k)
      for (ptrdiff_t i = 0; m->job->columns[k] == start->velocity_value + s && i < m->n; ++i)
        m->t[k * m->n + i] = pl_motion_is_fixed(m, i) ? 0 : start->velocity_scale * shape[i];
  }
}

// One correction of the force by least squares over what is observed in frame 0: dm/df from three solves.
static pl_status correct_pull(pl_motion *m, double force[3], double *moved, pl_error *error) {
  const pl_vec3 *seen = m->job->sequence->positions;
  double normal[9] = {0}, rhs[3] = {0}, tau = m->tau, c = m->c;
  m->tau = HUGE_VAL, m->c = 0;
  pl_motion_evaluate(m);
  pl_status status = pl_motion_factor(m, error);
  m->tau = tau, m->c = c;
  m->factored = false;
  double *responses[3] = {m->base, m->target, m->stretch};
  for (int axis = 0; axis < 3 && status >= 0; ++axis) {
    for (ptrdiff_t i = 0; i < m->n; ++i)
      m->residual[i] = i % 3 == axis && !pl_motion_is_fixed(m, i) ? m->job->start.pattern[i / 3] : 0;
    memset(responses[axis], 0, (size_t)m->n * sizeof(double));
    status = pl_linear_solver_solve(m->worker->solver, m->residual, 1, responses[axis], error);
  }
  if (status < 0) return status;
  double weight = 0;
  for (int32_t p = 0; p < m->observed_count; ++p) {
    const double at[3] = {seen[p].x, seen[p].y, seen[p].z};
    double x[3], columns[3][3];
    if (!isfinite(at[0] + at[1] + at[2])) continue;
    pl_motion_observe(m, p, m->u, x);
    for (int axis = 0; axis < 3; ++axis) pl_motion_observe(m, p, responses[axis], columns[axis]);
    weight += 1;
    for (int i = 0; i < 3; ++i)
      for (int a = 0; a < 3; ++a) {
        rhs[a] += columns[a][i] * (at[i] - x[i]);
        for (int k = 0; k < 3; ++k) normal[3 * a + k] += columns[a][i] * columns[k][i];
      }
  }
  pl_dense_factor factor;
  if (!pl_dense_factor_take(m->arena, 3, &factor)) return pl_fail_memory(error);
  // A force in a direction in which the body is stiff, such as along a bar, would be large for little but noise.
  double trace = normal[0] + normal[4] + normal[8];
  for (int i = 0; i < 9; ++i) factor.values[i] = normal[i] + (i % 4 == 0 ? STIFF_PULL * trace : 0);
  for (int a = 0; a < 3; ++a) rhs[a] -= STIFF_PULL * trace * force[a];
  pl_dense_factor_run(&factor, true);
  pl_dense_factor_solve(&factor, rhs);
  double square = 0;
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < 3; ++k) square += rhs[a] * normal[3 * a + k] * rhs[k];
  *moved = sqrt(square / fmax(weight, 1));
  double fraction = fmin(1, LONGEST_PULL * m->extent / fmax(*moved, 1e-300));
  for (int a = 0; a < 3; ++a) force[a] += fraction * rhs[a];
  return weight > 0 ? PL_OK : PL_REMARK_NOT_CONVERGED;
}

// The job of pl_motion_find_pull(), which hands its result over in the values of the result.
static pl_status find_pull(pl_motion *m, pl_error *error) {
  double *force = m->result->pull, borne[3] = {0, 0, 0}, moved = HUGE_VAL;
  pl_motion_set_material(m);
  memcpy(m->x, m->worker->body->model->rest_points, (size_t)m->n * sizeof(double));
  memcpy(m->u, m->x, (size_t)m->n * sizeof(double));
  for (int k = 0; k < MAX_PULL_ITERATIONS && moved > PULL_TOLERANCE * m->extent; ++k) {
    pl_status status = correct_pull(m, force, &moved, error);
    if (status != PL_OK) return status;
    // A force that the body does not bear from where it is is approached by halves.
    memcpy(m->older, m->u, (size_t)m->n * sizeof(double));
    status = PL_REMARK_NOT_CONVERGED;
    for (int half = 0; half < MAX_PULL_HALVES && status > 0; ++half) {
      for (int a = 0; a < 3 && half > 0; ++a) force[a] = 0.5 * (force[a] + borne[a]);
      memcpy(m->u, m->older, (size_t)m->n * sizeof(double));
      add_pull(m, force);
      status = balance(m, error);
    }
    if (status < 0) return status;
    if (status != PL_OK) {
      memcpy(force, borne, sizeof borne);
      return k > 0 ? PL_OK : status;
    }
    memcpy(borne, force, sizeof borne);
  }
  return PL_OK;
}

pl_status pl_motion_find_pull(pl_fit_worker *worker, const pl_motion_job *job, double force[3], pl_error *error) {
  pl_motion_result result = {0};
  pl_status status = pl_motion_run_as(worker, job, find_pull, &result, error);
  memcpy(force, result.pull, sizeof result.pull);
  return status >= 0 && result.failed ? PL_REMARK_NOT_CONVERGED : status;
}

// --- static experiments -------------------------------------------------------------------------------------------

// Where loaded points are moved: they are held there, and all others begin where a linear body would have them.
static pl_status move_loaded(pl_motion *m, pl_error *error) {
  const pl_fit_load_case *given = m->job->load_case;
  uint8_t *fixed = PL_TAKE(m->arena, uint8_t, (size_t)m->n / 3);
  if (fixed == NULL) return pl_fail_memory(error);
  memcpy(fixed, m->fixed, (size_t)m->n / 3);
  for (int32_t i = 0; i < given->loaded_count; ++i) fixed[given->loaded[i]] = PL_BLOCK_FIX_ALL;
  m->fixed = fixed;
  const double way[3] = {given->displacement.x, given->displacement.y, given->displacement.z};
  memset(m->target, 0, (size_t)m->n * sizeof(double));
  for (int32_t i = 0; i < given->loaded_count; ++i)
    memcpy(m->target + 3 * (ptrdiff_t)given->loaded[i], way, sizeof way);
  pl_motion_evaluate(m);
  pl_fem_system_evaluate(&m->worker->system, m->u, NULL, &m->worker->matrix, false);
  pl_block_matrix_multiply(m->worker->context, &m->worker->matrix, m->target, m->stretch);
  pl_status status = pl_motion_factor(m, error);
  for (ptrdiff_t i = 0; i < m->n; ++i) m->residual[i] = pl_motion_is_fixed(m, i) ? 0 : -m->residual[i] - m->stretch[i];
  memset(m->step, 0, (size_t)m->n * sizeof(double));
  if (status >= 0) status = pl_linear_solver_solve(m->worker->solver, m->residual, 1, m->step, error);
  for (ptrdiff_t i = 0; status >= 0 && i < m->n; ++i) m->u[i] += m->target[i] + m->step[i];
  return status;
}

// The force along the displacement that holds the loaded points, and its derivatives.
static void compare_reaction(pl_motion *m) {
  const pl_fit_load_case *given = m->job->load_case;
  pl_motion_result *result = m->result;
  const double way[3] = {given->displacement.x, given->displacement.y, given->displacement.z};
  double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]), found = 0, slopes[PL_FIT_MOTION_COLUMNS];
  if (!(length > 0)) return;
  pl_fem_system_evaluate(&m->worker->system, m->u, m->gradient, &m->worker->matrix, false);
  for (int32_t i = 0; i < given->loaded_count; ++i)
    for (int a = 0; a < 3; ++a) {
      ptrdiff_t at = 3 * (ptrdiff_t)given->loaded[i] + a;
      found += way[a] / length * (m->gradient[at] - m->load[at]);
    }
  for (int32_t k = 0; k < m->columns; ++k) {
    slopes[k] = 0;
    pl_block_matrix_multiply(m->worker->context, &m->worker->matrix, m->s + k * m->n, m->stretch);
    for (int32_t i = 0; i < given->loaded_count; ++i)
      for (int a = 0; a < 3; ++a) {
        ptrdiff_t at = 3 * (ptrdiff_t)given->loaded[i] + a;
        slopes[k] += way[a] / length * (m->stretch[at] - m->changed[at * m->padded + k]);
      }
  }
  double unit = m->job->noise / given->reaction_deviation;
  pl_motion_add_number(result, m->columns, unit * (found - given->reaction), unit * given->reaction, unit, slopes);
}

void pl_motion_add_number(pl_motion_result *result, int32_t columns, double off, double size, double unit,
                          const double *slopes) {
  result->cost += off * off;
  result->weight += 1.0 / 3;  // a point has three numbers
  result->amplitude += size * size;
  for (int32_t k = 0; k < columns; ++k) {
    double part = unit * slopes[k] * off;
    result->gradient[k] += part;
    if (result->scores != NULL) result->scores[k] += part;
    for (int32_t l = 0; l <= k; ++l) result->normal[(ptrdiff_t)k * columns + l] += unit * unit * slopes[k] * slopes[l];
  }
}

pl_status pl_motion_balance_case(pl_motion *m, pl_error *error) {
  const pl_fit_load_case *given = m->job->load_case;
  pl_motion_set_material(m);
  memcpy(m->x, m->worker->body->model->rest_points, (size_t)m->n * sizeof(double));
  memcpy(m->u, m->x, (size_t)m->n * sizeof(double));
  const double force[3] = {given->force.x, given->force.y, given->force.z};
  for (int32_t i = 0; !given->moved && i < given->loaded_count; ++i)
    for (int a = 0; a < 3; ++a) m->load[3 * (ptrdiff_t)given->loaded[i] + a] += force[a] / given->loaded_count;
  pl_status status = given->moved ? move_loaded(m, error) : PL_OK;
  if (status >= 0) status = balance(m, error);
  if (status != PL_OK) return status;
  memcpy(m->x, m->u, (size_t)m->n * sizeof(double));
  if (given->positions != NULL) pl_motion_compare(m, given->positions, NULL, 1, m->result->scores);
  if (given->moved && isfinite(given->reaction)) compare_reaction(m);
  return PL_OK;
}
