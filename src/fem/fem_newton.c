// Newton's method with line search (Nocedal and Wright 2006, chapters 3 and 7).
//
// It begins with the exact Hessian, which converges quadratically, also for bodies under compression whose elements are
// indefinite by themselves while the body, with its inertia, is not. When the linear solver meets a matrix that is not
// positive definite it shifts it (its result is then a direction of descent all the same), and from there on element
// Hessians are projected. The length of a step is halved until the energy falls by a ten-thousandth of what the slope
// promises. Near the minimum energies differ by less than their rounding errors; there a smaller gradient counts.
//
// Friction has no energy: its cap depends on the normal force. Set up again with every matrix it makes convergence
// linear, each iteration leaving a third or so, and where points are between sticking and slipping it can go round in
// circles for ever. So bodies whose equations must be solved to many digits (those that adapt) hold it after a few
// iterations until the equations are solved with it, then renew it with relaxation (fem_contact.h), and so on until
// caps are off by no more than their own tolerance: friction is then known less exactly than the equations are solved.
// From there on they also go back to the exact Hessian after every projected one that led on, which alone would
// converge linearly too.
#include "fem/fem_newton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

// DEEP_FACTOR: as a multiple of the limit, iterations of a body with points inside the ground, or with a driver.
enum { MAX_HALVINGS = 20, DEEP_FACTOR = 4 };

bool pl_fem_newton_take(pl_arena *arena, const pl_fem_model *model, pl_fem_newton *newton) {
  size_t n = 3 * (size_t)model->head.particle_count;
  *newton = (pl_fem_newton){
      .step = PL_TAKE(arena, double, n), .trial = PL_TAKE(arena, double, n), .rhs = PL_TAKE(arena, double, n)};
  return !arena->failed;
}

static ptrdiff_t unknown_count(const pl_fem_newton *newton) {
  return 3 * (ptrdiff_t)newton->potential->system->model->head.particle_count;
}

static double evaluate(pl_fem_newton *newton, const double *u, bool with_matrix, bool positive, pl_fem_report *report) {
  double start = pl_clock_seconds();
  double energy = pl_fem_potential_evaluate(newton->potential, u, with_matrix, positive);
  report->assembly_seconds += pl_clock_seconds() - start;
  return energy;
}

// How exactly the next direction is to be found: as its fraction of the residual may be left over without another
// iteration being needed for it. The first direction is far from the last, so two digits do; not where the whole
// solution is wanted so exactly that every iteration should square the error.
static double linear_tolerance(const pl_fem_newton *newton, bool first) {
  double residual = pl_fem_potential_residual(newton->potential), wanted = newton->tolerance * newton->potential->size;
  if (newton->tolerance < 1e-5 || !(residual > 0)) return newton->linear_tolerance;
  return fmax(newton->linear_tolerance, first ? 1e-2 : fmin(0.1, 0.3 * wanted / residual));
}

// Direction of the next step; `*shifted` if the matrix was not positive definite.
static pl_status find_direction(pl_fem_newton *newton, bool first, bool *shifted, pl_fem_report *report,
                                pl_error *error) {
  ptrdiff_t n = unknown_count(newton);
  for (ptrdiff_t i = 0; i < n; ++i) newton->rhs[i] = -newton->potential->gradient[i];
  memset(newton->step, 0, (size_t)n * sizeof(double));
  if (newton->direct != NULL) {
    double shift = 0, start = pl_clock_seconds();
    pl_status found = newton->direct->solve(newton->direct->user, newton->potential->matrix, newton->rhs, newton->step,
                                            &shift, error);
    report->factor_seconds += pl_clock_seconds() - start;
    *shifted = shift > 0;
    return found;
  }
  pl_linear_solver_aim(newton->solver, linear_tolerance(newton, first));
  pl_status status = pl_linear_solver_factor(newton->solver, newton->potential->matrix, error);
  if (status >= 0) status = pl_linear_solver_solve(newton->solver, newton->rhs, 1, newton->step, error);
  const pl_linear_report *linear = pl_linear_solver_report(newton->solver);
  report->linear_count += linear->iteration_count;
  report->factor_seconds += linear->factor_seconds;
  report->solve_seconds += linear->solve_seconds;
  *shifted = linear->shift > 0;
  return status;
}

// Go along the direction as far as the energy falls; the potential is then evaluated at the new u. False if it falls
// nowhere.
static bool search_line(pl_fem_newton *newton, double *u, double *energy, pl_fem_report *report) {
  pl_fem_potential *p = newton->potential;
  ptrdiff_t n = unknown_count(newton);
  double gradient = 0, residual = pl_fem_potential_residual(p);
  for (ptrdiff_t i = 0; i < n; ++i) gradient += p->gradient[i] * newton->step[i];
  if (!(gradient < 0)) return false;
  double length = 1, noise = 1e-13 * (fabs(*energy) + fabs(p->elastic_energy)) + 1e-300;
  for (int k = 0; k < MAX_HALVINGS; ++k, length *= 0.5) {
    for (ptrdiff_t i = 0; i < n; ++i) newton->trial[i] = u[i] + length * newton->step[i];
    double reached = evaluate(newton, newton->trial, false, false, report);
    bool fell = reached <= *energy + 1e-4 * length * gradient;
    bool level = fabs(reached - *energy) <= noise && pl_fem_potential_residual(p) < residual;
    if (!fell && !level) continue;
    memcpy(u, newton->trial, (size_t)n * sizeof(double));
    *energy = reached;
    return true;
  }
  return false;
}

static bool is_solved(const pl_fem_newton *newton) {
  double residual = pl_fem_potential_residual(newton->potential);
  return residual <= newton->tolerance * newton->potential->size || residual <= newton->min;
}

// Whether u solves the equations with the friction that belongs to it: during the search it was that of the last
// matrix.
static bool is_settled(pl_fem_newton *newton, const double *u, pl_fem_report *report) {
  pl_fem_potential *p = newton->potential;
  if (!is_solved(newton)) return false;
  if (p->contacts == NULL || !pl_fem_contacts_any(p->contacts)) return true;
  if (p->hold) {
    double off = pl_fem_contacts_relax(p->contacts, u, &newton->cap_factor);
    bool stays = off <= newton->cap_tolerance;
    if (stays) pl_fem_contacts_keep(p->contacts);
    evaluate(newton, u, false, false, report);
    return stays && is_solved(newton);  // points that no longer press have no friction now
  }
  p->refresh = true;
  evaluate(newton, u, false, false, report);
  p->refresh = false;
  return is_solved(newton);
}

// What is soft and falls flat may not be solved within the limit; its points must not be left inside the ground. And
// what a driver has chosen a rest shape for is solved, at least with the caps of friction that it has. Its directions
// are cheap.
static bool must_continue(const pl_fem_newton *newton, int32_t iteration) {
  const pl_fem_contacts *contacts = newton->potential->contacts;
  bool is_last = iteration >= DEEP_FACTOR * newton->limit;
  if (newton->direct != NULL) return !is_last && !is_solved(newton);
  return !is_last && contacts != NULL && !contacts->model->adapts && pl_fem_contacts_any_deep(contacts);
}

static void finish_report(const pl_fem_newton *newton, pl_fem_report *report) {
  const pl_fem_potential *p = newton->potential;
  const pl_linear_report *linear = pl_linear_solver_report(newton->solver);
  double max = 0;
  for (ptrdiff_t i = 0; i < unknown_count(newton); i += 3) {
    const double *g = p->gradient + i;
    max = fmax(max, g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  }
  double all = pl_fem_potential_residual(p);
  report->residual = sqrt(max);
  report->relative_residual = all > newton->min ? all / p->size : 0;
  report->energy = p->elastic_energy;
  snprintf(report->solver, sizeof report->solver, "%s: %s", linear->name, linear->reason);
}

// Where caps of friction drift on and on, each of them with its equations solved, a driven body ends with the last that
// were: forces balance then, and friction is off by what caps have changed in the last round. All of friction is
// brought back: a point that has just lost the ground would otherwise leave what its friction held unbalanced.
static void keep_friction(pl_fem_newton *newton, const double *u, bool balanced, pl_fem_report *report) {
  pl_fem_potential *p = newton->potential;
  if (newton->direct == NULL || !p->hold || p->contacts == NULL || !pl_fem_contacts_any(p->contacts)) return;
  if (balanced)
    pl_fem_contacts_restore(p->contacts);
  else
    pl_fem_contacts_keep(p->contacts);
  evaluate(newton, u, false, false, report);
}

pl_status pl_fem_newton_minimise(pl_fem_newton *newton, double *u, pl_fem_report *report, pl_error *error) {
  bool positive = newton->positive, solved = false;
  pl_status status = PL_OK;
  newton->cap_factor = 0;
  double energy = evaluate(newton, u, true, positive, report);
  for (int32_t i = 0; i < newton->limit || must_continue(newton, i); ++i) {
    solved = i == 0 && !newton->potential->hold ? is_solved(newton) : is_settled(newton, u, report);
    if (solved) break;
    bool late = newton->early_count > 0 && i >= newton->early_count;
    newton->potential->hold = newton->potential->hold || late;
    if (i > 0) energy = evaluate(newton, u, true, positive, report);
    bool shifted = false;
    status = find_direction(newton, i == 0, &shifted, report, error);
    // Near elements that are squashed flat the exact Hessian can be so far from definite that no shift helps.
    if (status == PL_ERROR_NOT_FINITE && !positive) {
      positive = true;
      continue;
    }
    if (status < 0) return status;
    report->newton_count++;
    bool moved = search_line(newton, u, &energy, report);
    if (!moved) evaluate(newton, u, false, false, report);
    // A search that fails with an exact matrix is given another try with a projected one.
    if (!moved && positive) break;
    positive = (positive && i > 0 && !late) || shifted || !moved;
  }
  bool balanced = is_solved(newton);
  solved = solved || is_settled(newton, u, report);
  if (!solved) keep_friction(newton, u, balanced, report);
  finish_report(newton, report);
  report->converged = solved;
  return solved ? PL_OK : PL_REMARK_NOT_CONVERGED;
}
