// Every derivative of an element energy against finite differences, and what holds for any elastic
// energy: frame indifference and balance.
//
// Each derivative is compared with differences of the derivative one order below it (the gradient
// with those of the energy, the Hessian with those of the gradient, the third derivatives with
// those of H λ and λᵀ M), so a chain of comparisons leads from the energy's formula to the end.
// Differences are central, extrapolated from ten halvings of the step (Ridders 1982): for every
// number the entry with the least estimated error is taken, which gives ten or more digits where
// the energy is smooth over the first step.
#ifndef PL_TEST_CHECK_ENERGY_H
#define PL_TEST_CHECK_ENERGY_H

#include <stdbool.h>

#include "check.h"
#include "fem/fem_energy.h"
#include "math/mat3.h"

enum { CHECK_SIZE = 3 * PL_FEM_MAX_CORNERS, CHECK_HALVINGS = 10 };

// A state with memory of its own, so that differences can move it.
typedef struct check_state {
  double x[CHECK_SIZE], X[CHECK_SIZE], U[CHECK_SIZE], p[PL_FEM_MAX_PARAMETERS], lambda[CHECK_SIZE];
} check_state;

// Largest deviation of each derivative, relative to its largest number (see check_scale for
// derivatives that vanish).
typedef struct check_errors {
  double gradient, hessian, mixed, material, third_xx, third_xX, third_XX;
  double asymmetry;  // of H, xx and XX
} check_errors;

// A vector that depends on a state; the count of its numbers is that of the test it appears in.
typedef void check_function(const pl_fem_energy *energy, const check_state *state, double *value);

static inline pl_fem_element check_element(const check_state *state) {
  return (pl_fem_element){.x = state->x, .X = state->X, .U = state->U, .p = state->p};
}

static inline check_state check_state_of(const pl_fem_energy *energy, const pl_fem_element *e,
                                         const double *lambda) {
  check_state state = {0};
  size_t corner_bytes = (size_t)(3 * energy->corner_count) * sizeof(double);
  memcpy(state.x, e->x, corner_bytes);
  memcpy(state.X, e->X, corner_bytes);
  memcpy(state.U, e->U, corner_bytes);
  memcpy(state.p, e->p, (size_t)energy->parameter_count * sizeof(double));
  memcpy(state.lambda, lambda, corner_bytes);
  return state;
}

static inline double max_check(const double *a, int count) {
  double max = 0;
  for (int i = 0; i < count; ++i) max = fmax(max, fabs(a[i]));
  return max;
}

// --- what is differentiated
// ---------------------------------------------------------------------------------------

static inline void check_value_energy(const pl_fem_energy *energy, const check_state *state,
                                      double *value) {
  pl_fem_element e = check_element(state);
  value[0] = energy->energy(&e);
}

static inline void check_value_gradient(const pl_fem_energy *energy, const check_state *state,
                                        double *value) {
  pl_fem_element e = check_element(state);
  energy->gradient(&e, value);
}

// H λ, the gradient of s by x.
static inline void check_value_by_x(const pl_fem_energy *energy, const check_state *state,
                                    double *value) {
  double h[CHECK_SIZE * CHECK_SIZE];
  int n = 3 * energy->corner_count;
  pl_fem_element e = check_element(state);
  energy->hessian(&e, h);
  for (int i = 0; i < n; ++i) {
    value[i] = 0;
    for (int j = 0; j < n; ++j) value[i] += h[n * i + j] * state->lambda[j];
  }
}

// λᵀ M, the gradient of s by X.
static inline void check_value_by_X(const pl_fem_energy *energy, const check_state *state,
                                    double *value) {
  double m[CHECK_SIZE * CHECK_SIZE];
  int n = 3 * energy->corner_count;
  pl_fem_element e = check_element(state);
  energy->mixed(&e, m);
  for (int i = 0; i < n; ++i) {
    value[i] = 0;
    for (int j = 0; j < n; ++j) value[i] += m[n * j + i] * state->lambda[j];
  }
}

// --- differences
// --------------------------------------------------------------------------------------------------

// d[k] = ∂value[k]/∂(*variable) of the `count` numbers of a function; `variable` points into
// *state, which is put back as it was.
static inline void check_difference(const pl_fem_energy *energy, check_function *function,
                                    int count, check_state *state, double *variable,
                                    double first_step, double *d) {
  double table[CHECK_HALVINGS][CHECK_SIZE], plus[CHECK_SIZE], minus[CHECK_SIZE], min[CHECK_SIZE],
      centre = *variable;
  for (int k = 0; k < count; ++k) min[k] = HUGE_VAL;
  for (int level = 0; level < CHECK_HALVINGS; ++level) {
    double row[CHECK_HALVINGS][CHECK_SIZE], step = ldexp(first_step, -level);
    *variable = centre + step;
    function(energy, state, plus);
    *variable = centre - step;
    function(energy, state, minus);
    *variable = centre;
    for (int k = 0; k < count; ++k)
      row[0][k] = (plus[k] - minus[k]) / ((centre + step) - (centre - step));
    if (level == 0) memcpy(d, row[0], (size_t)count * sizeof *d);
    double factor = 4;
    for (int order = 1; order <= level; ++order, factor *= 4)
      for (int k = 0; k < count; ++k) {
        row[order][k] =
            row[order - 1][k] + (row[order - 1][k] - table[order - 1][k]) / (factor - 1);
        double error = fmax(fabs(row[order][k] - row[order - 1][k]),
                            fabs(row[order][k] - table[order - 1][k]));
        if (error <= min[k]) min[k] = error, d[k] = row[order][k];
      }
    memcpy(table, row, sizeof table);
  }
}

// Largest |given - difference| of a matrix with `rows` rows and one column per variable, divided by
// its largest number or by `scale`.
static inline double check_matrix(const pl_fem_energy *energy, check_function *function, int rows,
                                  check_state *state, double *variables, int columns, double step,
                                  const double *given, double scale) {
  double worst = 0, d[CHECK_SIZE];
  for (int j = 0; j < columns; ++j) {
    check_difference(energy, function, rows, state, variables + j, step, d);
    scale = fmax(scale, max_check(d, rows));
    for (int i = 0; i < rows; ++i) {
      double error = fabs(given[columns * i + j] - d[i]);
      worst = error <= worst ? worst : error;  // not a number counts as worst
    }
  }
  scale = fmax(scale, max_check(given, rows * columns));
  return scale > 0 ? worst / scale : worst;
}

static inline double check_asymmetry(const double *a, int n, double min_scale) {
  double worst = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) worst = fmax(worst, fabs(a[n * i + j] - a[n * j + i]));
  double scale = fmax(max_check(a, n * n), min_scale);
  return scale > 0 ? worst / scale : 0;
}

static inline double check_extent(const double *a, int corner_count) {
  double max = 0;
  for (int i = 1; i < corner_count; ++i)
    for (int k = 0; k < 3; ++k) max = fmax(max, fabs(a[3 * i + k] - a[k]));
  return max;
}

// All errors of an energy at one state. `step` is the first step of the differences as a share of
// the element's size (and of each parameter): as large as the energy is smooth around the state,
// 0.02 if nothing is near.
static inline check_errors check_measure(const pl_fem_energy *energy, const pl_fem_element *e,
                                         const double *lambda, double step) {
  enum { N = CHECK_SIZE };
  int n = 3 * energy->corner_count, parameters = energy->parameter_count;
  double g[N], h[N * N], m[N * N], d[N * PL_FEM_MAX_PARAMETERS], xx[N * N], xX[N * N], XX[N * N];
  check_state state = check_state_of(energy, e, lambda);
  energy->gradient(e, g);
  energy->hessian(e, h);
  energy->mixed(e, m);
  energy->material(e, d);
  if (energy->third != NULL) energy->third(e, lambda, xx, xX, XX);

  // A derivative that happens to vanish (the gradient at rest) is measured against a thousandth of
  // what its neighbours make it elsewhere.
  double size = check_extent(e->X, energy->corner_count),
         stiff = 1e-3 * fmax(max_check(h, n * n), max_check(m, n * n));
  double bend = stiff * max_check(lambda, n) / size, move = step * size;
  check_errors errors = {0};
  errors.gradient =
      check_matrix(energy, check_value_energy, 1, &state, state.x, n, move, g, stiff * size);
  errors.hessian =
      check_matrix(energy, check_value_gradient, n, &state, state.x, n, move, h, stiff);
  errors.mixed = check_matrix(energy, check_value_gradient, n, &state, state.X, n, move, m, stiff);
  for (int k = 0; k < parameters; ++k) {
    double column[N], p = fmax(fabs(state.p[k]), 0.01);
    for (int i = 0; i < n; ++i) column[i] = d[parameters * i + k];
    double error = check_matrix(energy, check_value_gradient, n, &state, state.p + k, 1, step * p,
                                column, stiff * size / p);
    errors.material = fmax(errors.material, error);
  }
  errors.asymmetry = check_asymmetry(h, n, stiff);
  if (energy->third == NULL) return errors;
  errors.third_xx = check_matrix(energy, check_value_by_x, n, &state, state.x, n, move, xx, bend);
  errors.third_xX = check_matrix(energy, check_value_by_x, n, &state, state.X, n, move, xX, bend);
  errors.third_XX = check_matrix(energy, check_value_by_X, n, &state, state.X, n, move, XX, bend);
  errors.asymmetry =
      fmax(errors.asymmetry, fmax(check_asymmetry(xx, n, bend), check_asymmetry(XX, n, bend)));
  return errors;
}

// All derivatives agree with differences to `tolerance`; `what` names the state in the message.
// Returns the largest error.
static inline double check_energy(const pl_fem_energy *energy, const pl_fem_element *e,
                                  const double *lambda, double step, double tolerance,
                                  const char *what) {
  check_errors errors = check_measure(energy, e, lambda, step);
  struct {
    const char *name;
    double error;
  } all[] = {{"gradient", errors.gradient}, {"hessian", errors.hessian},
             {"mixed", errors.mixed},       {"material", errors.material},
             {"third xx", errors.third_xx}, {"third xX", errors.third_xX},
             {"third XX", errors.third_XX}, {"asymmetry", errors.asymmetry}};
  bool good = true;
  double worst = 0;
  for (int i = 0; i < 8; ++i) {
    good = good && all[i].error <= tolerance;
    worst = fmax(worst, all[i].error);
  }
  if (good) return worst;
  for (int i = 0; i < 8; ++i) fprintf(stderr, "  %-10s %.2e\n", all[i].name, all[i].error);
  fail_msg("%s, %s: a derivative differs by more than %.1e", energy->name, what, tolerance);
  return worst;
}

// --- what holds for any elastic energy
// ----------------------------------------------------------------------------

// Forces and their moments about the origin sum to zero, relative to their sizes.
static inline void check_balance(const pl_fem_energy *energy, const pl_fem_element *e,
                                 double tolerance, const char *what) {
  double g[CHECK_SIZE], force_size = 0, moment_size = 0;
  pl_vec3 force = {0, 0, 0}, moment = {0, 0, 0};
  energy->gradient(e, g);
  for (int i = 0; i < energy->corner_count; ++i) {
    pl_vec3 x = {e->x[3 * i], e->x[3 * i + 1], e->x[3 * i + 2]},
            f = {g[3 * i], g[3 * i + 1], g[3 * i + 2]};
    force = pl_vec3_add(force, f);
    moment = pl_vec3_add(moment, pl_vec3_cross(x, f));
    force_size += pl_vec3_length(f);
    moment_size += pl_vec3_length(x) * pl_vec3_length(f);
  }
  if (pl_vec3_length(force) <= tolerance * force_size &&
      pl_vec3_length(moment) <= tolerance * moment_size)
    return;
  fail_msg("%s, %s: force %.2e of %.2e, moment %.2e of %.2e", energy->name, what,
           pl_vec3_length(force), force_size, pl_vec3_length(moment), moment_size);
}

// W(Q x + t) = W(x) and g(Q x + t) = Q g(x) for the rotation Q (about z for elements in the plane),
// relative to the sizes of W and g.
static inline void check_frame(const pl_fem_energy *energy, const pl_fem_element *e,
                               pl_mat3 rotation, pl_vec3 shift, double tolerance,
                               const char *what) {
  double moved[CHECK_SIZE], g[CHECK_SIZE], moved_g[CHECK_SIZE], worst = 0;
  for (int i = 0; i < energy->corner_count; ++i) {
    pl_vec3 x = pl_vec3_add(
        pl_mat3_apply(rotation, pl_vec3_of(e->x[3 * i], e->x[3 * i + 1], e->x[3 * i + 2])), shift);
    moved[3 * i] = x.x, moved[3 * i + 1] = x.y, moved[3 * i + 2] = x.z;
  }
  pl_fem_element there = *e;
  there.x = moved;
  double w = energy->energy(e), moved_w = energy->energy(&there);
  energy->gradient(e, g);
  energy->gradient(&there, moved_g);
  for (int i = 0; i < energy->corner_count; ++i) {
    pl_vec3 f = pl_mat3_apply(rotation, pl_vec3_of(g[3 * i], g[3 * i + 1], g[3 * i + 2]));
    pl_vec3 moved_f = {moved_g[3 * i], moved_g[3 * i + 1], moved_g[3 * i + 2]};
    worst = fmax(worst, pl_vec3_distance(f, moved_f));
  }
  double size = max_check(g, 3 * energy->corner_count);
  if (fabs(w - moved_w) <= tolerance * fabs(w) && worst <= tolerance * size) return;
  fail_msg("%s, %s: energy %.17g became %.17g, forces of size %.2e changed by %.2e", energy->name,
           what, w, moved_w, size, worst);
}

#endif
