// The step of sequential quadratic programming from one point: the blocks of eq. 13 and their elimination, eqs. 15
// to 17.
//
//   | A  Bᵀ D | |du|   |a|        a = Gᵀ g + D λ        A = GᵀG + ∂²(λ·c)/∂u²      D = ∂c/∂u, symmetric
//   | B  C  Eᵀ| |dp| = |b|        b = r' + Eᵀ λ         B = ∂²(λ·c)/∂p∂u           E = ∂c/∂p
//   | D  E  0 | |dλ|   |c|        g = G u - s           C = r'' + ∂²(λ·c)/∂p²
//
// As the right-hand side holds gradients, the step is subtracted. With F = D⁻¹ E and d = D⁻¹ c
//
//   (C - B F - FᵀBᵀ + FᵀA F) dp = b - B d - Fᵀ a + Fᵀ A d        du = d - F dp        D dλ = a - A d + (A F - Bᵀ) dp
//
// *Exact*: as above, one solve with D for each parameter. The third derivatives of contact and of stiffness damping are
// left out of A: springs against colliders bend only where a point touches down, friction is frozen, and damping is
// weak. K, the matrix of dp, may be indefinite; then that of Gauss and Newton is mixed in, with the same right-hand
// side.
//
// *Gauss-Newton*: without the derivatives of λ·c, A = GᵀG, B = 0, C = r''. What is then needed of D⁻¹ is Y = D⁻¹ Gᵀ,
// one solve for each goal row, of which there are fewer than parameters. J = -G F = -Yᵀ E is the derivative of the
// goals by p along c = 0, and
//
//   (r'' + JᵀJ) dp = r' + Jᵀ (g - Yᵀ c)        du = D⁻¹ (c - E dp)        λ - dλ = -Y (g - G du)
//
// Nothing depends on λ, and the matrix is positive wherever r'' is.
#include <math.h>
#include <string.h>

#include "actor/actor_solver_parts.h"
#include "base/error.h"

static const char NOT_FINITE[] = "goals or regulariser of an actor have derivatives that are not finite";

void pl_actor_shape_use(pl_actor_solver *s, pl_fem_choice *choice, const double *p) {
  pl_fem_system *system = &choice->work->system;
  const double *parameters[PL_FEM_MAX_GROUPS];
  memcpy(parameters, system->parameters, sizeof parameters);
  pl_rest_space_shape(s->space, p, choice->state.rest);
  pl_fem_system_use(system, (const double *const *)choice->state.rest, parameters);
}

double pl_actor_goals_measure(const pl_goal_rows *rows, const double *u, double *goals) {
  double square = 0;
  for (int32_t k = 0; k < rows->count; ++k) {
    double sum = 0;
    for (int32_t i = rows->start[k]; i < rows->start[k + 1]; ++i) sum += rows->weights[i] * u[rows->slots[i]];
    sum -= rows->targets[k];
    if (goals != NULL) goals[k] = sum;
    square += sum * sum;
  }
  return 0.5 * square;
}

// y += Σ factors[k] (row k of G), what is fixed left out.
static void add_rows(const pl_fem_choice *choice, const pl_goal_rows *rows, const double *factors, double *y) {
  for (int32_t k = 0; k < rows->count; ++k)
    for (int32_t i = rows->start[k]; i < rows->start[k + 1]; ++i)
      if (!pl_actor_is_fixed(choice->work, rows->slots[i])) y[rows->slots[i]] += factors[k] * rows->weights[i];
}

static double row_dot(const pl_goal_rows *rows, int32_t k, const double *v) {
  double sum = 0;
  for (int32_t i = rows->start[k]; i < rows->start[k + 1]; ++i) sum += rows->weights[i] * v[rows->slots[i]];
  return sum;
}

// Free points: coordinate of a parameter, and its place on the diagonal of S.
static int32_t coordinate_of(const pl_actor_solver *s, int32_t k) {
  int32_t axes = s->model->planar ? 2 : 3;
  return 3 * (k / axes) + k % axes;
}
static double *sparse_diagonal(const pl_actor_solver *s, int32_t k) {
  int32_t i = coordinate_of(s, k);
  return &s->sparse_hessian.values[9 * (ptrdiff_t)s->model->pattern.diagonal[i / 3] + 4 * (i % 3)];
}

pl_status pl_actor_get_point_view(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows,
                                  const double *last, const double *p, pl_error *error) {
  pl_fem_work *w = choice->work;
  if (!s->is_evaluated || !w->potential.hold) pl_fem_potential_evaluate(&w->potential, w->next, true, false);
  s->is_evaluated = false;
  pl_status status = pl_actor_factor_run(s->factor, w->potential.matrix, &s->factor_shift, error);
  if (status < 0) return status;
  s->forces = pl_actor_sum_sizes(s->n, w->potential.gradient);
  s->goal_square = 2 * pl_actor_goals_measure(rows, w->next, s->goals);
  if (s->sparse != NULL)
    s->regulariser = pl_rest_space_regularise_sparse(s->space, p, last, s->gradient, &s->sparse_hessian);
  else
    s->regulariser = pl_rest_space_regularise(s->space, p, last, s->gradient, s->bends ? s->hessian : NULL);
  for (int32_t k = 0; s->sparse != NULL && k < s->P; ++k) s->sparse_diagonal[k] = *sparse_diagonal(s, k);
  pl_rest_space_mixed_get_view(s->space, &w->system, w->next);
  return PL_OK;
}

// Jᵀ g, and the gradient by p along c = 0.
static void find_reduced(pl_actor_solver *s, int32_t row_count) {
  memset(s->pull, 0, (size_t)s->P * sizeof(double));
  for (int32_t k = 0; k < row_count; ++k)
    for (int32_t j = 0; j < s->P; ++j) s->pull[j] += s->goals[k] * s->J[(size_t)k * (size_t)s->P + (size_t)j];
  for (int32_t j = 0; j < s->P; ++j) s->reduced[j] = s->gradient[j] + s->pull[j];
}

// r'' + JᵀJ into the small matrix, lower triangle.
static void fill_gauss_newton(pl_actor_solver *s, int32_t row_count) {
  s->cage->add_squares(s->small.values, s->hessian, s->P, s->J, row_count);
}

// Factor K of Gauss and Newton, damped: positive but for directions that neither goals nor regulariser see, and for
// rounding.
static pl_status factor_gauss_newton(pl_actor_solver *s, int32_t row_count, pl_error *error) {
  for (double shift = 0; shift<PL_SHIFT_MAX; shift = shift> 0 ? PL_SHIFT_GROWTH * shift : PL_SHIFT_FIRST) {
    fill_gauss_newton(s, row_count);
    double size = 0;
    for (int32_t i = 0; i < s->P; ++i) size = fmax(size, fabs(s->small.values[(size_t)i * (size_t)s->P + (size_t)i]));
    for (int32_t i = 0; i < s->P; ++i) {
      double *diagonal = &s->small.values[(size_t)i * (size_t)s->P + (size_t)i];
      *diagonal += s->damping * *diagonal + shift * (size > 0 ? size : 1);
    }
    s->shift = fmax(s->shift, shift);
    if (pl_dense_factor_run(&s->small, false) == 0) return PL_OK;
  }
  return pl_fail(error, PL_ERROR_NOT_FINITE, NOT_FINITE);
}

// The same of free points, K = S + JᵀJ, damped: a factor of S, and one as large as there are goal rows.
static pl_status factor_sparse(pl_actor_solver *s, int32_t row_count, pl_error *error) {
  size_t n = (size_t)s->n, P = (size_t)s->P, rows = (size_t)row_count;
  double shift = 0;
  for (int32_t k = 0; k < s->P; ++k) {
    double square = 0;
    for (size_t row = 0; row < rows; ++row) square += s->J[row * P + (size_t)k] * s->J[row * P + (size_t)k];
    *sparse_diagonal(s, k) = s->sparse_diagonal[k] + s->damping * (s->sparse_diagonal[k] + square);
  }
  pl_status status = pl_actor_factor_run(s->sparse, &s->sparse_hessian, &shift, error);
  if (status < 0) return status;
  s->shift = fmax(s->shift, shift);
  memset(s->rhs, 0, rows * n * sizeof(double));
  for (size_t row = 0; row < rows; ++row)
    for (int32_t k = 0; k < s->P; ++k) s->rhs[row * n + (size_t)coordinate_of(s, k)] = s->J[row * P + (size_t)k];
  status = pl_actor_factor_solve(s->sparse, s->rhs, row_count, s->Z, error);
  if (status < 0) return status;
  s->ties.size = row_count;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j <= i; ++j)
      s->ties.values[i * rows + j] = pl_actor_dot(s->n, s->rhs + i * n, s->Z + j * n) + (i == j ? 1 : 0);
  return pl_dense_factor_run(&s->ties, false) == 0 ? PL_OK : pl_fail(error, PL_ERROR_NOT_FINITE, NOT_FINITE);
}

static void solve_sparse(const pl_actor_solver *s, double *x) {
  double *full = s->sparse_workspace, *found = full + s->n, *ties = found + s->n;
  memset(full, 0, (size_t)s->n * sizeof(double));
  for (int32_t k = 0; k < s->P; ++k) full[coordinate_of(s, k)] = x[k];
  for (int32_t row = 0; row < s->ties.size; ++row)
    ties[row] = pl_actor_dot(s->n, s->Z + (size_t)row * (size_t)s->n, full);
  pl_dense_factor_solve(&s->ties, ties);
  (void)pl_actor_factor_solve(s->sparse, full, 1, found, NULL);  // in tiles, which does not fail
  for (int32_t row = 0; row < s->ties.size; ++row)
    for (int32_t i = 0; i < s->n; ++i) found[i] -= ties[row] * s->Z[(size_t)row * (size_t)s->n + (size_t)i];
  for (int32_t k = 0; k < s->P; ++k) x[k] = found[coordinate_of(s, k)];
}

void pl_actor_reduced_solve(const pl_actor_solver *s, double *x) {
  if (s->is_sparse)
    solve_sparse(s, x);
  else
    pl_dense_factor_solve(&s->small, x);
}

// --- Gauss-Newton -------------------------------------------------------------------------------------------------

// Y and J.
static pl_status find_sensitivities(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows,
                                    pl_error *error) {
  size_t n = (size_t)s->n, P = (size_t)s->P;
  memset(s->rhs, 0, (size_t)rows->count * n * sizeof(double));
  for (int32_t k = 0; k < rows->count; ++k)
    for (int32_t i = rows->start[k]; i < rows->start[k + 1]; ++i)
      if (!pl_actor_is_fixed(choice->work, rows->slots[i]))
        s->rhs[(size_t)k * n + (size_t)rows->slots[i]] += rows->weights[i];
  // Where an iterative solver begins.
  if (!pl_actor_factor_is_direct(s->factor)) memset(s->Y, 0, (size_t)rows->count * n * sizeof(double));
  pl_status status = pl_actor_factor_solve(s->factor, s->rhs, rows->count, s->Y, error);
  if (status < 0) return status;
  pl_rest_space_mixed_pull(s->space, s->Y, rows->count, s->J);
  for (size_t j = 0; j < (size_t)rows->count * P; ++j) s->J[j] = -s->J[j];
  return PL_OK;
}

static pl_status find_gauss_newton(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *p,
                                   const double *lambda, pl_error *error) {
  size_t n = (size_t)s->n, P = (size_t)s->P;
  const double *c = choice->work->potential.gradient;
  pl_status status = find_sensitivities(s, choice, rows, error);
  s->is_sparse = s->sparse != NULL;
  if (status >= 0)
    status = s->is_sparse ? factor_sparse(s, rows->count, error) : factor_gauss_newton(s, rows->count, error);
  if (status < 0) return status;
  find_reduced(s, rows->count);
  memcpy(s->whole, s->reduced, P * sizeof(double));
  for (int32_t k = 0; k < rows->count; ++k) {
    double moved = pl_actor_dot(s->n, s->Y + (size_t)k * n, c);
    for (size_t j = 0; j < P; ++j) s->whole[j] -= moved * s->J[(size_t)k * P + j];
  }
  pl_actor_memory_learn(s, p);
  pl_rest_space_mixed_apply(s->space, s->dp, s->rhs);
  for (int32_t i = 0; i < s->n; ++i) s->rhs[i] = pl_actor_is_fixed(choice->work, i) ? c[i] : c[i] - s->rhs[i];
  memset(s->du, 0, n * sizeof(double));
  status = pl_actor_factor_solve(s->factor, s->rhs, 1, s->du, error);
  memcpy(s->dlambda, lambda, n * sizeof(double));
  for (int32_t k = 0; k < rows->count; ++k) {
    double left = s->goals[k] - row_dot(rows, k, s->du);
    for (size_t i = 0; i < n; ++i) s->dlambda[i] += left * s->Y[(size_t)k * n + i];
  }
  return status;
}

// --- exact --------------------------------------------------------------------------------------------------------

static void mask(const pl_actor_solver *s, const pl_fem_choice *choice, double *v) {
  for (int32_t i = 0; choice->work->potential.fixed != NULL && i < s->n; ++i)
    if (pl_actor_is_fixed(choice->work, i)) v[i] = 0;
}

// y = A v, v 0 where fixed. Overwrites `small_workspace`.
static void multiply_curvature(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *v,
                               double *y) {
  pl_block_matrix_multiply(choice->work->system.context, &s->bending, v, y);
  for (int32_t k = 0; k < rows->count; ++k) s->small_workspace[k] = row_dot(rows, k, v);
  mask(s, choice, y);
  add_rows(choice, rows, s->small_workspace, y);
}

// y = Eᵀ v
static void multiply_mixed_transposed(const pl_actor_solver *s, const double *v, double *y) {
  memset(y, 0, (size_t)s->P * sizeof(double));
  for (int32_t i = 0; i < s->n; ++i) {
    const double *row = s->E + (size_t)i * (size_t)s->P;
    for (int32_t j = 0; v[i] != 0 && j < s->P; ++j) y[j] += v[i] * row[j];
  }
}

// E and r'' as dense matrices.
static void fill_dense(pl_actor_solver *s, pl_fem_choice *choice) {
  size_t P = (size_t)s->P;
  const pl_fem_work *w = choice->work;
  pl_rest_space_mixed(s->space, &w->system, w->next, s->E);
  for (int32_t i = 0; i < s->n; ++i)
    if (pl_actor_is_fixed(w, i)) memset(s->E + (size_t)i * P, 0, P * sizeof(double));
  if (s->sparse == NULL) return;
  const pl_block_pattern *pattern = &s->model->pattern;
  int32_t axes = s->model->planar ? 2 : 3;
  memset(s->hessian, 0, P * P * sizeof(double));
  for (int32_t row = 0; row < pattern->row_count; ++row)
    for (int32_t k = pattern->start[row]; k < pattern->start[row + 1]; ++k)
      for (int32_t a = 0; a < axes; ++a)
        for (int32_t b = 0; b < axes; ++b)
          s->hessian[(size_t)(axes * row + a) * P + (size_t)(axes * pattern->columns[k] + b)] =
              s->sparse_hessian.values[9 * (ptrdiff_t)k + 3 * a + b];
}

// Third derivatives, F, A F and J.
static pl_status find_curvatures(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows,
                                 const double *lambda, pl_error *error) {
  size_t n = (size_t)s->n, P = (size_t)s->P;
  pl_fem_work *w = choice->work;
  s->is_sparse = false;
  fill_dense(s, choice);
  memcpy(s->C, s->hessian, P * P * sizeof(double));
  pl_block_matrix_clear(w->system.context, &s->bending);
  memcpy(s->workspace, lambda, n * sizeof(double));
  mask(s, choice, s->workspace);
  pl_rest_space_third(s->space, &w->system, w->next, s->workspace, &s->bending, s->B, s->C);
  for (size_t j = 0; j < P; ++j) mask(s, choice, s->B + j * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < P; ++j) s->rhs[j * n + i] = s->E[i * P + j];
  memset(s->F, 0, n * P * sizeof(double));
  pl_status status = pl_actor_factor_solve(s->factor, s->rhs, s->P, s->F, error);
  for (size_t j = 0; status >= 0 && j < P; ++j) {
    multiply_curvature(s, choice, rows, s->F + j * n, s->AF + j * n);
    for (int32_t k = 0; k < rows->count; ++k) s->J[(size_t)k * P + j] = -row_dot(rows, k, s->F + j * n);
  }
  return status;
}

// K = C - B F - FᵀBᵀ + FᵀA F, factored. Where it is not positive, that of Gauss and Newton is mixed in, half and half,
// then three quarters, then alone.
static pl_status factor_exact(pl_actor_solver *s, int32_t row_count, pl_error *error) {
  size_t n = (size_t)s->n, P = (size_t)s->P;
  double *K = s->K, *mixed = s->small.values;
  for (size_t i = 0; i < P; ++i)
    for (size_t j = 0; j <= i; ++j)
      K[i * P + j] = s->C[i * P + j] + pl_actor_dot(s->n, s->F + i * n, s->AF + j * n) -
                     pl_actor_dot(s->n, s->B + i * n, s->F + j * n) - pl_actor_dot(s->n, s->B + j * n, s->F + i * n);
  for (double fraction = 0; fraction < 0.8; fraction = fraction == 0 ? 0.5 : fraction + 0.25) {
    if (fraction > 0) fill_gauss_newton(s, row_count);
    for (size_t i = 0; i < P; ++i)
      for (size_t j = 0; j <= i; ++j)
        mixed[i * P + j] = fraction > 0 ? fraction * mixed[i * P + j] + (1 - fraction) * K[i * P + j] : K[i * P + j];
    for (size_t i = 0; i < P; ++i) mixed[i * P + i] += s->damping * fabs(mixed[i * P + i]);
    s->shift = fmax(s->shift, fraction);
    if (pl_dense_factor_run(&s->small, false) == 0) return PL_OK;
  }
  s->shift = fmax(s->shift, 1);
  return factor_gauss_newton(s, row_count, error);
}

static pl_status find_exact(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *lambda,
                            pl_error *error) {
  size_t n = (size_t)s->n, P = (size_t)s->P;
  const double *c = choice->work->potential.gradient;
  pl_status status = find_curvatures(s, choice, rows, lambda, error);
  if (status >= 0) status = factor_exact(s, rows->count, error);
  if (status < 0) return status;
  find_reduced(s, rows->count);
  memset(s->du, 0, n * sizeof(double));
  status = pl_actor_factor_solve(s->factor, c, 1, s->du, error);  // d
  if (status < 0) return status;
  double *a = s->workspace, *Ad = s->room2;
  pl_block_matrix_multiply(choice->work->system.context, choice->work->potential.matrix, lambda, a);
  mask(s, choice, a);
  add_rows(choice, rows, s->goals, a);
  multiply_curvature(s, choice, rows, s->du, Ad);
  multiply_mixed_transposed(s, lambda, s->dp);
  for (size_t i = 0; i < n; ++i) s->rhs[i] = a[i] - Ad[i];
  for (size_t j = 0; j < P; ++j)
    s->dp[j] += s->gradient[j] - pl_actor_dot(s->n, s->B + j * n, s->du) - pl_actor_dot(s->n, s->F + j * n, s->rhs);
  pl_dense_factor_solve(&s->small, s->dp);
  for (size_t j = 0; j < P; ++j)
    for (size_t i = 0; i < n; ++i) {
      s->du[i] -= s->F[j * n + i] * s->dp[j];
      s->rhs[i] += (s->AF[j * n + i] - s->B[j * n + i]) * s->dp[j];
    }
  memset(s->dlambda, 0, n * sizeof(double));
  return pl_actor_factor_solve(s->factor, s->rhs, 1, s->dlambda, error);
}

// --- both ---------------------------------------------------------------------------------------------------------

pl_status pl_actor_step_find(pl_actor_solver *s, pl_actor_hessian hessian, pl_fem_choice *choice,
                             const pl_goal_rows *rows, const double *p, const double *lambda, pl_error *error) {
  s->shift = 0;
  return hessian == PL_ACTOR_EXACT ? find_exact(s, choice, rows, lambda, error)
                                   : find_gauss_newton(s, choice, rows, p, lambda, error);
}

// √(v K⁻¹ v): the same whatever units parameters have.
static double measure(const pl_actor_solver *s, const double *v) {
  memcpy(s->small_workspace, v, (size_t)s->P * sizeof(double));
  pl_actor_memory_solve(s, s->small_workspace);
  double square = pl_actor_dot(s->P, v, s->small_workspace);
  return sqrt(fmax(square, 0));
}

double pl_actor_point_stationary(const pl_actor_solver *s) {
  double size = sqrt(s->goal_square + 2 * s->regulariser);
  return size > 0 ? measure(s, s->reduced) / size : 0;
}
