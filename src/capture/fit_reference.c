#include "capture/fit_reference.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/fit_changes.h"
#include "pliant/math.h"

static const double ROUNDING = 4e-16;  // of a position, as a fraction of the size
static const double NEARLY = 1e-7;  // of the load: a residual from which only rounding keeps a line search from gaining
// How well linear systems are solved: roughly at first, then a digit better than the residual that is wanted.
static const double ROUGH_SOLVE = 1e-2, FINE_SOLVE = 1e-8;
// Of artificial time: the shortest step, and the factor on a step that failed.
static const double SHORTEST_STEP = 1e-9, STEP_CUT = 0.25;

enum { MAX_HALVINGS = 14, MAX_LOAD_HALVINGS = 6 };

static ptrdiff_t unknown_count(const pl_reference *r) {
  return 3 * (ptrdiff_t)r->worker->body->model->head.particle_count;
}

static bool is_fixed(const pl_reference *r, ptrdiff_t i) {
  return (r->worker->body->fixed[i / 3] >> (i % 3) & 1) != 0;
}

static double length_of(ptrdiff_t n, const double *v) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; ++i) sum += v[i] * v[i];
  return sqrt(sum);
}

// --- the linear operator ------------------------------------------------------------------------------------------

static pl_status apply(void *data, const double *x, double *y, pl_error *error) {
  (void)error;
  pl_reference *r = data;
  pl_block_matrix_multiply(r->worker->context, &r->jacobian, x, y);
  if (r->inertia > 0) {
    const double *masses = r->worker->body->model->head.masses;
    for (ptrdiff_t i = 0; i < unknown_count(r); ++i)
      y[i] = is_fixed(r, i) ? x[i] : r->inertia * masses[i / 3] * x[i] - r->rate * y[i];
  }
  return PL_OK;
}

// J is about -H; in artificial time what is factored is inertia M + rate H.
static pl_status precondition(void *data, const double *x, double *y, pl_error *error) {
  pl_reference *r = data;
  pl_status status = pl_linear_solver_solve(r->worker->solver, x, 1, y, error);
  for (ptrdiff_t i = 0; r->inertia == 0 && i < unknown_count(r); ++i) y[i] = -y[i];
  return status;
}

pl_status pl_reference_take(pl_fit_worker *worker, pl_reference *r, pl_error *error) {
  *r = (pl_reference){.worker = worker, .load = worker->body->load};
  pl_arena *arena = &worker->arena;
  size_t n = 3 * (size_t)worker->body->model->head.particle_count;
  double **vectors[] = {&r->gradient, &r->residual, &r->step, &r->trial, &r->image, &r->saved};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) *vectors[i] = PL_TAKE(arena, double, n);
  if (!pl_block_matrix_take(arena, &worker->body->model->pattern, &r->jacobian) ||
      !pl_gmres_take(arena, (int32_t)n, &r->gmres))
    return pl_fail_memory(error);
  r->gmres.apply = apply;
  r->gmres.precondition = precondition;
  r->gmres.data = r;
  double sum = 0;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n; ++i)
    if (!is_fixed(r, i)) sum += worker->body->load[i] * worker->body->load[i];
  r->load_size = sqrt(sum);
  return PL_OK;
}

// --- residual and Jacobian ----------------------------------------------------------------------------------------

double pl_reference_evaluate(pl_reference *r, const double *X, double fraction) {
  pl_fit_worker *w = r->worker;
  pl_fit_worker_set_rest(w, X);
  pl_fem_system_evaluate(&w->system, w->body->model->rest_points, r->gradient, NULL, false);
  for (ptrdiff_t i = 0; i < unknown_count(r); ++i)
    r->residual[i] = is_fixed(r, i) ? 0 : r->gradient[i] - fraction * r->load[i];
  return length_of(unknown_count(r), r->residual);
}

static double six_volumes(const double *points, const int32_t *corners) {
  double e[3][3];
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < 3; ++i)
      e[a][i] = points[3 * (ptrdiff_t)corners[a + 1] + i] - points[3 * (ptrdiff_t)corners[0] + i];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

double pl_reference_min_volume(const pl_reference *r, const double *X) {
  const pl_fem_model *model = r->worker->body->model;
  double min = HUGE_VAL;
  for (int32_t t = 0; t < model->groups[0].element_count; ++t) {
    const int32_t *corners = model->groups[0].corners + (ptrdiff_t)model->groups[0].corner_count * t;
    double ratio = six_volumes(X, corners) / six_volumes(model->rest_points, corners);
    if (!(ratio >= min)) min = ratio;
  }
  return min;
}

// The same of elements of any kind.
static void visit_single(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const pl_reference *r = data;
  const pl_fem_system *system = &r->worker->system;
  const pl_fem_group *group = &system->model->groups[0];
  int values = 3 * group->corner_count;
  for (int32_t e = 0; e < count; ++e) {
    double corners[3 * PL_FEM_MAX_CORNERS];
    pl_fem_element element = pl_fem_system_element(system, system->model->rest_points, 0, elements[e], corners);
    group->energy->mixed(&element, matrices + (ptrdiff_t)values * values * e);
  }
}

// M_ab = g_a B_bᵀ - g_b B_aᵀ - H_ab F of a batch of tets.
static void visit_mixed(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const pl_reference *r = data;
  const pl_fem_system *system = &r->worker->system;
  const pl_fem_group *group = &system->model->groups[0];
  double gradients[12 * PL_BLOCK_BATCH], hessians[144 * PL_BLOCK_BATCH];
  pl_fem_tets tets = {.model = group->energy == &pl_fem_corotated_tet ? PL_FEM_TET_COROTATED : PL_FEM_TET_NEO_HOOKEAN,
                      .constants = system->constants,
                      .corners = group->corners,
                      .positions = system->model->rest_points};
  pl_fem_assemble_tets(&tets, elements, count, NULL, gradients, hessians);
  for (int32_t e = 0; e < count; ++e) {
    const double *b = system->constants[elements[e]].gradients, *g = gradients + 12 * e, *h = hessians + 144 * e;
    const int32_t *points = group->corners + 4 * (ptrdiff_t)elements[e];
    double B[4][3], F[3][3] = {{0}}, *m = matrices + 144 * e;
    for (int j = 0; j < 3; ++j) {
      for (int a = 0; a < 3; ++a) B[a + 1][j] = b[3 * a + j];
      B[0][j] = -(b[j] + b[3 + j] + b[6 + j]);
    }
    for (int a = 1; a < 4; ++a)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          F[i][j] +=
              (tets.positions[3 * (ptrdiff_t)points[a] + i] - tets.positions[3 * (ptrdiff_t)points[0] + i]) * B[a][j];
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) {
        int a = i / 3, c = j / 3;
        const double *row = h + 12 * i + 3 * c;
        m[12 * i + j] = g[i] * B[c][j % 3] - g[3 * c + i % 3] * B[a][j % 3] -
                        (row[0] * F[0][j % 3] + row[1] * F[1][j % 3] + row[2] * F[2][j % 3]);
      }
  }
}

pl_status pl_reference_linearise(pl_reference *r, bool with_factor, pl_error *error) {
  pl_fit_worker *w = r->worker;
  pl_block_matrix_clear(w->context, &r->jacobian);
  pl_block_matrix_assemble(w->context, &r->jacobian, 0, w->system.constants != NULL ? visit_mixed : visit_single, r);
  pl_block_matrix_fix(w->context, &r->jacobian, w->body->fixed);
  if (!with_factor) return PL_OK;
  pl_fem_system_evaluate(&w->system, w->body->model->rest_points, NULL, &w->matrix, true);
  if (r->inertia > 0) {
    for (ptrdiff_t i = 0; i < 9 * (ptrdiff_t)w->matrix.pattern->block_count; ++i) w->matrix.values[i] *= r->rate;
    pl_block_matrix_add_diagonal(w->context, &w->matrix, r->inertia, w->body->model->head.masses);
  }
  pl_block_matrix_fix(w->context, &w->matrix, w->body->fixed);
  return pl_linear_solver_factor(w->solver, &w->matrix, error);
}

// --- Newton's method ----------------------------------------------------------------------------------------------

// The residual in metres: how far H⁻¹ r would move the points, with the H that is factored. Bending a thin body along
// straight lines stretches it, and forces of stretching drown those of bending: measured in newtons, a good step looks
// bad.
static pl_status measure(pl_reference *r, double *metres, pl_error *error) {
  pl_status status = pl_linear_solver_solve(r->worker->solver, r->residual, 1, r->image, error);
  *metres = length_of(unknown_count(r), r->image);
  return status;
}

// Along the step as far as the residual, in metres, falls and elements stay whole. PL_REMARK_NOT_CONVERGED if it does
// nowhere; the residual is that of X.
static pl_status search_line(pl_reference *r, double fraction, double min_volume, double *X, double *size,
                             pl_error *error) {
  ptrdiff_t n = unknown_count(r);
  double length = 1, before, after;
  pl_status status = measure(r, &before, error);
  for (int k = 0; k < MAX_HALVINGS && status >= 0; ++k, length *= 0.5) {
    for (ptrdiff_t i = 0; i < n; ++i) r->trial[i] = X[i] + length * r->step[i];
    if (!(pl_reference_min_volume(r, r->trial) > min_volume)) continue;
    double reached = pl_reference_evaluate(r, r->trial, fraction);
    status = measure(r, &after, error);
    if (status < 0) return status;
    if (!(after < (1 - 0.25 * length) * before) && !(reached < 0.5 * *size)) continue;
    memcpy(X, r->trial, (size_t)n * sizeof(double));
    *size = reached;
    return PL_OK;
  }
  if (status >= 0) *size = pl_reference_evaluate(r, X, fraction);
  return status < 0 ? status : PL_REMARK_NOT_CONVERGED;
}

// The residual that is wanted, N, not below what rounding of positions makes of the stiffest element.
static double wanted_residual(const pl_reference *r, const pl_reference_def *def) {
  const pl_fit_worker *w = r->worker;
  double stiffest = 0;
  const pl_fem_group *group = &w->body->model->groups[0];
  for (ptrdiff_t t = 0; t < group->element_count; ++t) {
    double volume = fabs(six_volumes(w->body->model->rest_points, group->corners + group->corner_count * t)) / 6;
    stiffest = fmax(stiffest, w->moduli[2 * t] * cbrt(volume));
  }
  double rounding = ROUNDING * stiffest * pl_box_diagonal(w->body->model->head.box) * sqrt((double)unknown_count(r));
  return fmax(def->tolerance * r->load_size, rounding);
}

static pl_status solve_fraction(pl_reference *r, const pl_reference_def *def, double fraction, double *X,
                                pl_reference_report *report, pl_error *error) {
  ptrdiff_t n = unknown_count(r);
  double size = pl_reference_evaluate(r, X, fraction), wanted = wanted_residual(r, def);
  for (; report->iteration_count < def->limit; report->iteration_count++) {
    report->residual = size;
    if (size <= wanted) return PL_OK;
    pl_status status = pl_reference_linearise(r, true, error);
    if (status < 0) return status;
    for (ptrdiff_t i = 0; i < n; ++i) r->image[i] = -r->residual[i];
    memset(r->step, 0, (size_t)n * sizeof(double));
    r->gmres.tolerance = fmax(FINE_SOLVE, fmin(ROUGH_SOLVE, 0.1 * wanted / size));
    status = pl_gmres_solve(&r->gmres, r->image, r->step, error);
    if (status < 0) return status;
    report->linear_count += r->gmres.product_count;
    status = search_line(r, fraction, def->min_volume, X, &size, error);
    // No better in any direction, and nearly there: rounding.
    if (status == PL_REMARK_NOT_CONVERGED && size <= NEARLY * r->load_size) return PL_OK;
    if (status != PL_OK) return status;
  }
  return PL_REMARK_NOT_CONVERGED;
}

static void finish_report(pl_reference *r, const double *X, bool converged, double start, pl_reference_report *report) {
  report->residual = pl_reference_evaluate(r, X, 1);
  report->relative_residual = r->load_size > 0 ? report->residual / r->load_size : 0;
  report->min_volume = pl_reference_min_volume(r, X);
  report->converged = converged;
  report->seconds = pl_clock_seconds() - start;
}

pl_status pl_reference_newton(pl_reference *r, const pl_reference_def *def, double *X, pl_reference_report *report,
                              pl_error *error) {
  double start = pl_clock_seconds(), done = 0, part = 1;
  size_t bytes = (size_t)unknown_count(r) * sizeof(double);
  int failures = 0;
  *report = (pl_reference_report){0};
  r->inertia = 0;
  memcpy(r->saved, X, bytes);
  while (done < 1) {
    double fraction = fmin(1, done + part);
    pl_status status = solve_fraction(r, def, fraction, X, report, error);
    if (status < 0) return status;
    if (status == PL_OK) {
      done = fraction;
      part *= 2;
      report->load_steps++;
      memcpy(r->saved, X, bytes);
      continue;
    }
    if (++failures > MAX_LOAD_HALVINGS || report->iteration_count >= def->limit) break;
    // From the static shape, which is the answer without gravity, or from the last share that was solved.
    part *= 0.5;
    memcpy(X, done > 0 ? r->saved : r->worker->body->model->rest_points, bytes);
  }
  finish_report(r, X, done >= 1, start, report);
  return done >= 1 ? PL_OK : PL_REMARK_NOT_CONVERGED;
}

// --- artificial time ----------------------------------------------------------------------------------------------
//
//   M V' = r(X) - d M V,  X' = V          implicit Euler of length t:  (M (1 + d t) - t² J) V₁ = M V₀ + t r(X₀)
//
// r pulls the right way because J is about -H: X is drawn to where the residual vanishes, as by springs of stiffness H.
// The step is as long as the mock physics allows: it grows while the residual falls and shrinks where it rises or an
// element would lose its volume.

static const double FIRST_STEP = 0.01, DRAG = 10, STEP_GROWTH = 1.5, LONGEST_STEP = 1e3;

pl_status pl_reference_march(pl_reference *r, const pl_reference_def *def, double *X, pl_reference_report *report,
                             pl_error *error) {
  double start = pl_clock_seconds(), t = FIRST_STEP, size = pl_reference_evaluate(r, X, 1),
         wanted = wanted_residual(r, def);
  const double *masses = r->worker->body->model->head.masses;
  ptrdiff_t n = unknown_count(r);
  *report = (pl_reference_report){.load_steps = 1};
  memset(r->saved, 0, (size_t)n * sizeof(double));  // V
  pl_status status = PL_OK;
  while (size > wanted && report->iteration_count < def->limit && t > SHORTEST_STEP) {
    report->iteration_count++;
    r->inertia = 1 + DRAG * t;
    r->rate = t * t;
    status = pl_reference_linearise(r, true, error);
    for (ptrdiff_t i = 0; i < n; ++i)
      r->image[i] = is_fixed(r, i) ? 0 : masses[i / 3] * r->saved[i] + t * r->residual[i];
    memcpy(r->step, r->saved, (size_t)n * sizeof(double));
    r->gmres.tolerance = 1e-4;  // a step of artificial time needs no more
    if (status >= 0) status = pl_gmres_solve(&r->gmres, r->image, r->step, error);
    if (status < 0) break;
    report->linear_count += r->gmres.product_count;
    for (ptrdiff_t i = 0; i < n; ++i) r->trial[i] = X[i] + t * r->step[i];
    double reached = HUGE_VAL;
    if (pl_reference_min_volume(r, r->trial) > def->min_volume) reached = pl_reference_evaluate(r, r->trial, 1);
    if (reached > 2 * size) {
      t *= STEP_CUT;
      memset(r->saved, 0, (size_t)n * sizeof(double));
      size = pl_reference_evaluate(r, X, 1);
      continue;
    }
    t = fmin(reached < size ? t * STEP_GROWTH : t, LONGEST_STEP);
    size = reached;
    memcpy(X, r->trial, (size_t)n * sizeof(double));
    memcpy(r->saved, r->step, (size_t)n * sizeof(double));
  }
  r->inertia = 0;
  if (status < 0) return status;
  bool converged = size <= wanted;
  finish_report(r, X, converged, start, report);
  return converged ? PL_OK : PL_REMARK_NOT_CONVERGED;
}

// --- how it changes with the material -----------------------------------------------------------------------------

pl_status pl_reference_derive(pl_reference *r, int32_t column_count, int32_t padded, const double *fractions,
                              int32_t poisson_column, double *change, pl_error *error) {
  pl_fit_worker *w = r->worker;
  const pl_fem_model *model = w->body->model;
  ptrdiff_t n = unknown_count(r);
  pl_arena arena;
  pl_arena_init(&arena, w->context, 0);
  double *rhs = PL_TAKE(&arena, double, n *padded);
  pl_fem_tet_constants *derived = PL_TAKE(&arena, pl_fem_tet_constants, model->groups[0].element_count);
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  memset(change, 0, (size_t)(n * padded) * sizeof(double));
  if (status >= 0) {
    if (poisson_column >= 0) pl_fit_changes_derive(&w->system, derived);
    pl_fit_changes changes = {.padded = padded,
                              .corners = model->groups[0].corners,
                              .constants = w->system.constants,
                              .positions = model->rest_points,
                              .rest_change = change,
                              .fractions = fractions,
                              .rhs = rhs,
                              .poisson_column = poisson_column,
                              .poisson = derived};
    pl_fit_changes_add(&w->system, &changes);
    r->inertia = 0;
    status = pl_reference_linearise(r, true, error);
  }
  for (int32_t k = 0; k < column_count && status >= 0; ++k) {
    for (ptrdiff_t i = 0; i < n; ++i) r->image[i] = is_fixed(r, i) ? 0 : rhs[i * padded + k];
    memset(r->step, 0, (size_t)n * sizeof(double));
    r->gmres.tolerance = 1e-9;  // derivatives are to be right to more digits than Gauss-Newton uses
    status = pl_gmres_solve(&r->gmres, r->image, r->step, error);
    for (ptrdiff_t i = 0; i < n; ++i) change[i * padded + k] = r->step[i];
  }
  pl_arena_destroy(&arena);
  return status < 0 ? status : PL_OK;
}

pl_status pl_reference_derive_load(pl_reference *r, const double *load_change, int32_t padded, double *change,
                                   pl_error *error) {
  ptrdiff_t n = unknown_count(r);
  for (ptrdiff_t i = 0; i < n; ++i) r->image[i] = is_fixed(r, i) ? 0 : load_change[i];
  memset(r->step, 0, (size_t)n * sizeof(double));
  r->gmres.tolerance = 1e-9;
  pl_status status = pl_gmres_solve(&r->gmres, r->image, r->step, error);
  for (ptrdiff_t i = 0; i < n; ++i) change[i * padded] = r->step[i];
  return status < 0 ? status : PL_OK;
}
