// A finite-element body in a coupled solve with the bodies that it touches (body_method.h).
//
// The step is one of implicit Euler whatever the body's scheme: contact at the end of a midpoint step leaves what
// touches ringing for ever, and a pile that is to come to rest needs the damping. Implicit Euler turns a body too
// slowly, because it takes the arms of the end with the velocities of the start; what is missing is put back into the
// velocities, so that a free body gains exactly the momentum and angular momentum that contact gives it, however well
// the equations were solved.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fem/fem_coupled.h"
#include "fem/fem_driver.h"
#include "fem/fem_reaction.h"
#include "math/mat3.h"
#include "pliant/math.h"

static pl_fem_choice *choice_of(const pl_body_coupled_step *step) {
  return step->data;
}

static pl_status begin(const pl_model *model, void *state, const pl_body_move *move, pl_body_coupled_step *step,
                       pl_error *error) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  pl_fem_work *w = move->work;
  size_t n = (size_t)model->particle_count;
  step->data = NULL;
  // A driver has planned its body's own step, by its own scheme.
  if (w->driver != NULL) return PL_OK;
  pl_fem_choice *choice = PL_SCRATCH(move->scratch, pl_fem_choice, 1);
  if (choice == NULL) return pl_fail_memory(error);
  *choice = (pl_fem_choice){fem, w, pl_fem_state_of(model, state), move, 1};
  if (!pl_fem_begin_step(choice, move->step)) return pl_fail_memory(error);
  memcpy(step->ends, w->next, 3 * n * sizeof(double));
  memcpy(step->fixed, w->fixed, n);
  w->is_evaluated = false;
  step->data = choice;
  step->tolerance = fem->newton_tolerance;
  step->max_iterations = fem->max_newton_iterations;
  return PL_OK;
}

// A search along a line ends where the next iteration begins, and the forces of other bodies change where this one
// stays: every other evaluation is one at the same positions.
static bool is_repeated(pl_fem_work *w, const double *ends, size_t bytes) {
  if (w->is_evaluated && memcmp(w->evaluated, ends, bytes) == 0) return true;
  memcpy(w->evaluated, ends, bytes);
  w->is_evaluated = true;
  return false;
}

static double evaluate(pl_body_coupled_step *step, pl_body_coupled_mode mode) {
  pl_fem_choice *choice = choice_of(step);
  pl_fem_potential *p = &choice->work->potential;
  bool with_matrix = mode == PL_COUPLED_LINEARISE || mode == PL_COUPLED_POSITIVE;
  p->refresh = mode == PL_COUPLED_CHECK;
  p->is_repeated =
      is_repeated(choice->work, step->ends, 3 * (size_t)choice->model->head.particle_count * sizeof(double));
  double energy = pl_fem_potential_evaluate(p, step->ends, with_matrix, mode == PL_COUPLED_POSITIVE);
  p->refresh = p->is_repeated = false;
  memcpy(step->gradient, p->gradient, 3 * (size_t)choice->model->head.particle_count * sizeof(double));
  step->size = p->size * p->size;
  step->noise = 1e-13 * (fabs(energy) + fabs(p->elastic_energy));
  return energy;
}

static void multiply(const pl_body_coupled_step *step, const double *d, double *product) {
  const pl_fem_work *w = choice_of(step)->work;
  pl_block_matrix_multiply(w->system.context, w->potential.matrix, d, product);
}

static void get_blocks(const pl_body_coupled_step *step, double *blocks) {
  const pl_fem_choice *choice = choice_of(step);
  const pl_block_matrix *matrix = choice->work->potential.matrix;
  for (int32_t i = 0; i < choice->model->head.particle_count; ++i)
    memcpy(blocks + 9 * (ptrdiff_t)i, matrix->values + 9 * (ptrdiff_t)matrix->pattern->diagonal[i], 9 * sizeof(double));
}

// Momentum and angular momentum around the centre of mass that forces give in the step, beyond those of the state.
typedef struct push {
  pl_vec3 momentum, spin;
} push;

static push push_of(const pl_fem_choice *choice, const double *ends, const double *forces) {
  const pl_model *head = &choice->model->head;
  const pl_body_move *move = choice->move;
  pl_vec3 center = pl_fem_center_of(choice->model, ends);
  push sum = {{0, 0, 0}, {0, 0, 0}};
  for (int32_t i = 0; i < head->particle_count; ++i) {
    pl_vec3 force = pl_fem_vector(forces, i);
    if (move->forces != NULL) force = pl_vec3_add(force, pl_vec3_of_f4(move->forces[i]));
    sum.momentum = pl_vec3_add(sum.momentum, force);
    sum.spin = pl_vec3_add(sum.spin, pl_vec3_cross(pl_vec3_sub(pl_fem_vector(ends, i), center), force));
  }
  sum.momentum = pl_vec3_add_scaled(sum.momentum, move->acceleration, head->mass);
  return (push){pl_vec3_scale(sum.momentum, move->step), pl_vec3_scale(sum.spin, move->step)};
}

// Give the velocities the momentum that they are to have, by a rigid motion.
static void correct_velocities(const pl_fem_choice *choice, const double *ends, push wanted, double *v) {
  const pl_fem_model *model = choice->model;
  pl_vec3 center = pl_fem_center_of(model, ends), drift = pl_fem_center_of(model, v);
  drift = pl_vec3_sub(pl_vec3_scale(wanted.momentum, 1 / model->head.mass), drift);
  pl_vec3 missing = pl_vec3_sub(wanted.spin, pl_fem_angular_momentum(model, ends, v));
  pl_vec3 spin = pl_fem_spin_of(model, ends, missing);
  if (model->planar) drift.z = 0;
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 turn = pl_vec3_cross(spin, pl_vec3_sub(pl_fem_vector(ends, i), center));
    pl_fem_put(v, i, pl_vec3_add(pl_fem_vector(v, i), pl_vec3_add(drift, turn)));
  }
}

static void commit(const pl_body_coupled_step *step, const pl_body_coupled_result *result) {
  const pl_fem_choice *choice = choice_of(step);
  const pl_fem_model *model = choice->model;
  pl_fem_work *w = choice->work;
  pl_fem_state s = choice->state;
  double h = choice->move->step, keep = 1 / (1 + h * model->mass_damping);
  ptrdiff_t n = 3 * (ptrdiff_t)model->head.particle_count;
  pl_fem_report_pins(w, step->ends, choice->move);
  if (w->contacts.collider_count > 0) pl_fem_contacts_settle(&w->contacts, step->ends, s.anchors);
  pl_fem_contacts_report(&w->contacts, step->ends, h, choice->move);
  pl_fem_reaction reaction = pl_fem_reaction_begin(model, s, choice->move);
  pl_fem_reaction_add_forces(&reaction, model, s, step->ends, h, result);
  bool is_free = choice->move->pin_count == 0 && !pl_fem_contacts_any(&w->contacts);
  push wanted = push_of(choice, step->ends, result->forces);
  wanted.momentum = pl_vec3_add_scaled(wanted.momentum, pl_fem_center_of(model, s.velocities), model->head.mass);
  wanted.spin = pl_vec3_add_scaled(wanted.spin, result->torque, h);
  wanted.spin = pl_vec3_add(wanted.spin, pl_fem_angular_momentum(model, s.positions, s.velocities));
  wanted = (push){pl_vec3_scale(wanted.momentum, keep), pl_vec3_scale(wanted.spin, keep)};
  if (w->potential.maxwell != NULL) pl_fem_maxwell_finish(&w->maxwell, step->ends, h);
  for (ptrdiff_t i = 0; i < n; ++i) {
    s.velocities[i] = (step->ends[i] - s.positions[i]) / h;
    s.positions[i] = step->ends[i];
  }
  if (is_free && !result->rests) correct_velocities(choice, step->ends, wanted, s.velocities);
  pl_fem_reaction_end(&reaction, w, s, choice->move, false);
  s.energy[0] = 0;
  w->report.converged = result->converged;
  w->report.newton_count = result->iteration_count;
  w->report.relative_residual = result->residual;
  w->report.energy = w->potential.elastic_energy;
  snprintf(w->report.solver, sizeof w->report.solver, "conjugate gradients: together with the bodies that it touches");
}

const pl_body_coupled pl_fem_coupled = {begin, evaluate, multiply, get_blocks, commit};
