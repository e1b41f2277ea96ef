// Lowest eigenmodes by ARPACK (Lehoucq, Sorensen and Yang 1998: implicitly restarted Lanczos), inverted with a shift
// below zero.
//
//   K u = λ M u,  u = W y,  W = M^-1/2:     W⁻¹ (K + s M)⁻¹ W⁻¹ y = θ y,     λ = 1/θ - s
//
// The lowest λ become the largest θ, which Lanczos finds first. With s > 0 the matrix K + s M is positive definite also
// for bodies that float freely and have six modes of λ = 0. Masses are lumped, so M^1/2 is at hand and ARPACK sees a
// plain symmetric operator. It works on the free unknowns alone.
//
// ARPACK keeps its state between calls in variables of its own, one set per process: hence the lock, with that of METIS
// the only variable of the library that outlives a call. The start vector is ours and seeded, so that a run can be
// repeated.
#include "solvers/eigen_modes.h"

#include <arpack/arpack.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct mode_search {
  pl_arena arena;
  pl_context *context;
  const pl_eigen_def *def;
  const pl_block_matrix *stiffness;
  pl_block_matrix shifted;  // K + s M
  pl_linear_solver *solver;
  const double *masses;
  double shift;
  int32_t *unknowns;  // the free ones
  int32_t free_count, basis_count;
  double *roots;       // sqrt(mass) of each free unknown
  double *rhs, *full;  // 3 per row
  double *start, *basis, *work, *small, *values;
  int32_t *chosen;
  int32_t solve_count;
} mode_search;

bool pl_eigen_is_available(void) {
  return true;
}

static pl_status check_input(const pl_block_matrix *stiffness, const double *masses, const pl_eigen_def *def,
                             pl_error *error) {
  if (def->mode_count < 1 || def->max_iterations < 1 || !(def->tolerance >= 0) || !(def->shift >= 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "eigenmodes: counts must be positive, tolerance and shift not negative");
  for (int32_t row = 0; row < stiffness->pattern->row_count; ++row)
    if (!(masses[row] > 0 && masses[row] < HUGE_VAL))
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "eigenmodes: the mass of row %d is %g, not positive", row,
                     masses[row]);
  return PL_OK;
}

// Number the free unknowns; choose a shift a hundred thousandth of the mean of K_ii / M_ii, the size of the fastest
// vibrations: far enough from zero for a well-conditioned matrix, near enough to tell the slowest apart.
static void find_unknowns(mode_search *m) {
  const pl_block_pattern *pattern = m->stiffness->pattern;
  double sum = 0;
  for (int32_t i = 0; i < 3 * pattern->row_count; ++i) {
    if (m->stiffness->fixed != NULL && (m->stiffness->fixed[i / 3] >> i % 3 & 1) != 0) continue;
    m->unknowns[m->free_count] = i;
    m->roots[m->free_count++] = sqrt(m->masses[i / 3]);
    sum += fabs(m->stiffness->values[9 * (size_t)pattern->diagonal[i / 3] + 4 * (size_t)(i % 3)]) / m->masses[i / 3];
  }
  m->shift = m->def->shift > 0 ? m->def->shift : m->free_count > 0 && sum > 0 ? 1e-5 * sum / m->free_count : 1;
}

// A solver that had to change the matrix would give modes of another body.
static pl_status check_shift(const mode_search *m, pl_error *error) {
  if (pl_linear_solver_report(m->solver)->shift == 0) return PL_OK;
  return pl_fail(
      error, PL_ERROR_INVALID_DATA,
      "eigenmodes: the stiffness has eigenvalues below -%g (rad/s)², as buckled bodies do; give a larger shift",
      m->shift);
}

static pl_status prepare(mode_search *m, pl_error *error) {
  const pl_block_pattern *pattern = m->stiffness->pattern;
  size_t size = 3 * (size_t)pattern->row_count, modes = (size_t)m->def->mode_count;
  m->unknowns = PL_TAKE(&m->arena, int32_t, size);
  m->roots = PL_TAKE(&m->arena, double, size);
  m->rhs = PL_TAKE(&m->arena, double, size);
  m->full = PL_TAKE(&m->arena, double, size);
  if (m->arena.failed || !pl_block_matrix_take(&m->arena, pattern, &m->shifted)) return pl_fail_memory(error);
  find_unknowns(m);
  if (m->def->mode_count >= m->free_count)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "%d eigenmodes of %d free unknowns: fewer modes than unknowns are possible", m->def->mode_count,
                   m->free_count);
  // Twice the modes and a few: what ARPACK's guide advises.
  int64_t basis = 2 * (int64_t)m->def->mode_count + 10;
  m->basis_count = basis < m->free_count ? (int32_t)basis : m->free_count;
  size_t ncv = (size_t)m->basis_count, free_count = (size_t)m->free_count;
  m->start = PL_TAKE(&m->arena, double, free_count);
  m->basis = PL_TAKE(&m->arena, double, free_count *ncv);
  m->work = PL_TAKE(&m->arena, double, 3 * free_count);
  m->small = PL_TAKE(&m->arena, double, ncv *(ncv + 8));
  m->values = PL_TAKE(&m->arena, double, modes);
  m->chosen = PL_TAKE(&m->arena, int32_t, ncv);
  if (m->arena.failed) return pl_fail_memory(error);
  pl_random random = pl_random_of_seed(1);
  for (size_t i = 0; i < free_count; ++i) m->start[i] = pl_random_normal(&random);

  memcpy(m->shifted.values, m->stiffness->values, 9 * (size_t)pattern->block_count * sizeof(double));
  m->shifted.fixed = m->stiffness->fixed;
  for (size_t i = 0; i < free_count; ++i) {
    size_t unknown = (size_t)m->unknowns[i];
    m->shifted.values[9 * (size_t)pattern->diagonal[unknown / 3] + 4 * (unknown % 3)] +=
        m->shift * m->masses[unknown / 3];
  }
  pl_linear_def solver = m->def->solver;
  if (solver.limits.tolerance > 1e-12) solver.limits.tolerance = 1e-12;
  solver.hint.solves_per_factor = 3.0 * m->basis_count;
  pl_status status = pl_linear_solver_create(m->context, pattern, &solver, &m->solver, error);
  if (status < 0) return status;
  status = pl_linear_solver_factor(m->solver, &m->shifted, error);
  return status < 0 ? status : check_shift(m, error);
}

// to = W⁻¹ (K + s M)⁻¹ W⁻¹ from
static pl_status apply(mode_search *m, const double *from, double *to, pl_error *error) {
  memset(m->rhs, 0, 3 * (size_t)m->stiffness->pattern->row_count * sizeof(double));
  memset(m->full, 0, 3 * (size_t)m->stiffness->pattern->row_count * sizeof(double));
  for (int32_t i = 0; i < m->free_count; ++i) m->rhs[m->unknowns[i]] = m->roots[i] * from[i];
  pl_status status = pl_linear_solver_solve(m->solver, m->rhs, 1, m->full, error);
  // Conjugate gradients may end a little above a tolerance that is near rounding; the residual of the modes tells
  // whether it mattered.
  if (status >= 0) status = check_shift(m, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < m->free_count; ++i) to[i] = m->roots[i] * m->full[m->unknowns[i]];
  m->solve_count++;
  return PL_OK;
}

// The reverse communication with ARPACK; values and basis hold the result. Called with the lock held.
static pl_status search(mode_search *m, pl_eigen_report *report, pl_error *error) {
  a_int ask = 0, info = 1, parameters[11] = {0}, pointers[14] = {0};
  a_int n = m->free_count, wanted = m->def->mode_count, ncv = m->basis_count, small_size = ncv * (ncv + 8);
  parameters[0] = 1;  // exact shifts in restarts
  parameters[2] = m->def->max_iterations;
  parameters[3] = 1;
  parameters[6] = 1;  // a plain operator
  for (;;) {
    dsaupd_c(&ask, "I", n, "LA", wanted, m->def->tolerance, m->start, ncv, m->basis, n, parameters, pointers, m->work,
             m->small, small_size, &info);
    if (ask != 1 && ask != -1) break;
    pl_status status = apply(m, m->work + pointers[0] - 1, m->work + pointers[1] - 1, error);
    if (status < 0) return status;
  }
  report->iteration_count = parameters[2];
  report->converged_count = parameters[4] < wanted ? parameters[4] : wanted;
  // 1: at the limit of restarts; 3: no further shifts could be applied. Both leave what has converged.
  if (info != 0 && info != 1 && info != 3)
    return pl_fail(error, PL_ERROR_NOT_FINITE, "ARPACK's dsaupd failed with code %d", (int)info);
  if (report->converged_count == 0) return PL_REMARK_NOT_CONVERGED;
  a_int end = 0;
  dseupd_c(1, "A", m->chosen, m->values, m->basis, n, 0.0, "I", n, "LA", wanted, m->def->tolerance, m->start, ncv,
           m->basis, n, parameters, pointers, m->work, m->small, small_size, &end);
  if (end != 0) return pl_fail(error, PL_ERROR_NOT_FINITE, "ARPACK's dseupd failed with code %d", (int)end);
  return report->converged_count < wanted ? PL_REMARK_NOT_CONVERGED : PL_OK;
}

// |K u - λ M u| / ((|λ| + s) |M u|) over the free unknowns.
static double measure(mode_search *m, const double *mode, double value) {
  pl_block_matrix_multiply(m->context, m->stiffness, mode, m->rhs);
  double difference = 0, whole = 0;
  for (int32_t i = 0; i < m->free_count; ++i) {
    double inertia = m->roots[i] * m->roots[i] * mode[m->unknowns[i]], left = m->rhs[m->unknowns[i]] - value * inertia;
    difference += left * left;
    whole += inertia * inertia;
  }
  return sqrt(difference / whole) / (fabs(value) + m->shift);
}

// ARPACK gives θ rising, so the lowest λ comes last.
static void write_modes(mode_search *m, double *eigenvalues, double *modes, pl_eigen_report *report) {
  size_t size = 3 * (size_t)m->stiffness->pattern->row_count;
  for (int32_t k = 0; k < report->converged_count; ++k) {
    int32_t from = report->converged_count - 1 - k;
    const double *y = m->basis + (size_t)from * (size_t)m->free_count;
    double *mode = modes + (size_t)k * size;
    eigenvalues[k] = 1 / m->values[from] - m->shift;
    for (int32_t i = 0; i < m->free_count; ++i) mode[m->unknowns[i]] = y[i] / m->roots[i];
    report->residual = fmax(report->residual, measure(m, mode, eigenvalues[k]));
  }
}

pl_status pl_eigen_modes_compute(pl_context *context, const pl_block_matrix *stiffness, const double *masses,
                                 const pl_eigen_def *def, double *eigenvalues, double *modes, pl_eigen_report *report,
                                 pl_error *error) {
  double start = pl_clock_seconds();
  pl_status status = check_input(stiffness, masses, def, error);
  if (status < 0) return status;
  mode_search m = {.context = context, .def = def, .stiffness = stiffness, .masses = masses};
  pl_eigen_report made = {0};
  pl_arena_init(&m.arena, context, 0);
  status = prepare(&m, error);
  if (status >= 0) {
    pthread_mutex_lock(&arpack_lock);
    status = search(&m, &made, error);
    pthread_mutex_unlock(&arpack_lock);
  }
  if (status >= 0) {
    memset(eigenvalues, 0, (size_t)def->mode_count * sizeof(double));
    memset(modes, 0, (size_t)def->mode_count * 3 * (size_t)stiffness->pattern->row_count * sizeof(double));
    write_modes(&m, eigenvalues, modes, &made);
    made.solve_count = m.solve_count;
    made.shift = m.shift;
    snprintf(made.solver, sizeof made.solver, "%s", pl_linear_solver_report(m.solver)->name);
    made.seconds = pl_clock_seconds() - start;
    if (report != NULL) *report = made;
  }
  pl_linear_solver_destroy(m.solver);
  pl_arena_destroy(&m.arena);
  return status;
}
