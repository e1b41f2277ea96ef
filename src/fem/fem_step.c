// One implicit step of a finite-element body.
//
//   M v' = f(x) - ∂W/∂x - (α M + β K) v + contact            x' = v
//
// Implicit Euler looks for x_{n+1}; the second-order scheme is the implicit midpoint rule and looks for x_m = (x_n +
// x_{n+1}) / 2, which is a step of implicit Euler half as long, continued from by as much again:
//
//                    τ     y                      result
//   implicit Euler   h     x_n + τ v_n + τ² f/M   x_{n+1} = u           v_{n+1} = v̄   v̄ = (u - x_n) / τ
//   midpoint         h/2   the same               x_{n+1} = 2 u - x_n   v_{n+1} = 2 v̄ - v_n
//
//   u = argmin ½ |u - y|²_M / τ² + W(u) + damping + contact        (fem_potential.h; mass damping joins the inertia)
//
// Why midpoint. Measured on an oscillator, and on a triangle of springs that spins and vibrates unresolved (1,000
// steps):
//
//                                             midpoint   Newmark (¼, ½)   TR-BDF2        implicit Euler
//   amplitude after 20 periods of 30 steps    1          1                0.996          0
//   amplitude after 20 periods of 10 steps    1          1                0.898          0
//   angular momentum off by                   2e-13      4.5 %            0.33 %         46 %
//   solves a step; further state              1; none    1; acceleration  2; none        1; none
//
// It keeps momentum, with whatever rest shape, and amplitudes: damping is the material's and no one else's.
//
// What midpoint does badly, and what is done about it:
//
// - Shocks. What an impact leaves is damped where a body touches something: see damp_shocks(). Impacts, or all steps
//   in contact, may also be steps of implicit Euler: see is_implicit().
// - Contact. A point that ends up in the ground at the half step is thrown out with up to three times its speed. So
// contact acts at the end of the step, on
//   z = x_{n+1} = 2 u - x_n; as its force is that of the whole step, the potential is V(z(u)) / 2. And a point on
//   ground that does not give has v̄ = 0, so that its velocity 2 v̄ - v_n would change sign for ever: it gets v_{n+1} = 2
//   v̄ - v_n - S (v̄ - v_n), where S (fem_contact.h) is 1 across hard ground and 0 elsewhere. A point that meets the
//   ground stays on it; a body bounces by its elasticity. Pinned points have v_{n+1} = v̄ for the same reason.
// - Energy of large, unresolved vibrations. Beyond u the body is only mirrored, and where its energy is far from a
//   parabola the mirror image may have more of it than there was: with the quartic energy of edges a body can explode.
//   So the state keeps a budget (fem_budget.c). A step that exceeds it is damped; if that would take too much, the
//   second half of the step is a step of implicit Euler too, from u and v̄.
//
// Momentum does not depend on how well the equations were solved: see fem_momentum.c.
//
// Stiffness damping and viscosity of tets are an energy of the change of their shapes, which rigid motion of no part
// changes: see fem_maxwell.h. So are those of bodies that adapt: see fem_viscous.c. Stiffness damping of shells,
// curves, plane bodies and tets of edges acts on what differs from the rigid part of the motion, with the projected K
// of a guess that is within O(h²) of u: turned by that rigid part, and from there along straight lines. (Straight lines
// alone, x_n
// + τ v_n, stretch a body that turns; K of a stretched body resists turning, and a strip on a hinge then stops in
// mid-air.) Where parts of such a body turn much faster than others they are still damped a little.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "examples/simplex_weights.h"
#include "examples/weights.h"
#include "fem/fem_budget.h"
#include "fem/fem_driver.h"
#include "fem/fem_reaction.h"
#include "pliant/math.h"

// m/s, root of the mean square over the body.
static const double SETTLING_SPEED = 0.25;
// Seconds in which the springs of colliders relax (fem_contact.c): a multiple of the step of interactive worlds, so
// that a spring does not give back what it took of an impact, and short against the time in which bodies come to rest.
static const double CONTACT_SECONDS = 1.0 / 60;
// Bodies that touch something lose strain rates at this multiple of themselves, the square of the usual 2 to 3, by at
// most this fraction in a step.
static const double SHOCK = 9, MAX_SHOCK = 0.5;

// Rest shapes for this step: mixed with given weights, or with those nearest to the body's shape.
static void mix_examples(const pl_fem_model *model, pl_fem_work *w, pl_fem_state s) {
  int32_t count = model->examples.count;
  double last[PL_MAX_EXAMPLES];
  if (count == 0) return;
  memcpy(last, s.weights, (size_t)count * sizeof(double));
  if (*s.driven != 0)
    memcpy(s.weights, s.given, (size_t)count * sizeof(double));
  else
    pl_fem_system_project(&w->system, s.positions, s.weights);
  if (*s.driven == 0) pl_weights_fade(count, model->examples.fidelity, s.weights);
  if (memcmp(last, s.weights, (size_t)count * sizeof(double)) != 0) s.energy[0] = 0;
  if (memcmp(w->weights, s.weights, (size_t)count * sizeof(double)) == 0) return;
  memcpy(w->weights, s.weights, (size_t)count * sizeof(double));
  pl_fem_system_mix(&w->system, s.weights);
}

static double acceleration_at(const pl_fem_model *model, const pl_body_move *move, ptrdiff_t i) {
  const double all[3] = {move->acceleration.x, move->acceleration.y, move->acceleration.z};
  double force = move->forces != NULL ? (double)move->forces[i / 3][i % 3] : 0;
  return all[i % 3] + force * model->head.inverse_masses[i / 3];
}

// y and c of the inertia with mass damping in it, for a step of implicit Euler from x and v, and the first guess.
static void set_inertia(const pl_fem_model *model, pl_fem_work *w, const double *x, const double *v,
                        const pl_body_move *move, double tau) {
  const pl_model *head = &model->head;
  double c = 1 / (tau * tau), drag = model->mass_damping / tau, square = 0;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)head->particle_count; ++i) {
    double m = head->masses[i / 3], a = acceleration_at(model, move, i), y = x[i] + tau * v[i] + tau * tau * a;
    w->goal[i] = (c * y + drag * x[i]) / (c + drag);
    w->next[i] = x[i] + tau * v[i];
    square += m * m * a * a;
  }
  w->potential.inertia = c + drag;
  w->potential.goal = w->goal;
  w->potential.load_size = sqrt(square);
}

// What does not move freely: the third coordinate of plane bodies, and hard pins.
static void set_fixed(const pl_fem_model *model, pl_fem_work *w, const double *x, const pl_body_move *move,
                      double reach) {
  int32_t n = model->head.particle_count;
  bool any = model->planar;
  for (int32_t i = 0; i < n; ++i) w->fixed[i] = model->planar ? PL_BLOCK_FIX_Z : 0;
  for (int32_t i = 0; model->planar && i < n; ++i) w->next[3 * i + 2] = x[3 * i + 2];
  for (int32_t k = 0; k < move->pin_count; ++k) {
    const pl_body_pin *pin = &move->pins[k];
    if (pin->stiffness > 0) continue;
    any = true;
    w->fixed[pin->particle] = PL_BLOCK_FIX_ALL;
    pl_vec3 from = pl_fem_vector(x, pin->particle), way = pl_vec3_sub(pin->target, from);
    pl_fem_put(w->next, pin->particle, pl_vec3_add_scaled(from, way, 1 / reach));
  }
  w->potential.fixed = any ? w->fixed : NULL;
}

static bool set_contacts(pl_fem_work *w, pl_fem_state s, const pl_body_move *move) {
  pl_fem_contacts *c = &w->contacts;
  pl_transform *placements = PL_SCRATCH(move->scratch, pl_transform, 2 * (size_t)move->collider_count);
  if (placements == NULL) return false;
  for (int32_t i = 0; i < move->collider_count; ++i)
    pl_collider_motion(move->colliders[i], move->time, move->step, &placements[i],
                       &placements[move->collider_count + i]);
  c->collider_count = move->collider_count;
  c->colliders = move->colliders;
  c->frictions = move->collider_frictions;
  c->starts = placements;
  c->ends = placements + move->collider_count;
  c->anchors = s.anchors;
  w->potential.contacts = c;
  return true;
}

// The equations of one step of implicit Euler of length τ from x and v; the end of the step is `reach` times as far
// away.
static void set_up(const pl_fem_model *model, pl_fem_work *w, const double *x, const double *v,
                   const pl_body_move *move, double tau, double reach) {
  set_inertia(model, w, x, v, move, tau);
  set_fixed(model, w, x, move, reach);
  w->contacts.base = x;
  w->contacts.measured = false;
  w->contacts.reach = reach;
  w->contacts.damping = model->adapts ? 0 : CONTACT_SECONDS / (reach * tau);
  w->contacts.step = model->adapts ? 0 : reach * tau;
  w->potential.base = x;
  w->potential.hold = false;
  w->potential.damping_factor = model->stiffness_damping / tau;
  if (w->potential.damping != NULL) {
    pl_fem_carry(model, x, v, tau, w->carried, w->newton.trial);
    pl_fem_system_evaluate(&w->system, w->newton.trial, w->potential.elastic, w->potential.damping, true);
  }
  if (w->potential.maxwell != NULL) pl_fem_maxwell_begin(&w->maxwell, x, tau, reach * tau);
  w->potential.pins = move->pins;
  w->potential.pin_count = move->pin_count;
  w->potential.pin_rate = 1 / tau;
  w->potential.end_factor = reach;
}

bool pl_fem_prepare_step(const pl_fem_model *model, pl_fem_work *work, pl_fem_state state, const pl_body_move *move) {
  if (!set_contacts(work, state, move)) return false;
  pl_fem_system_use(&work->system, (const double *const *)state.rest, NULL);
  set_up(model, work, state.positions, state.velocities, move, pl_fem_inner_step(model, move->step),
         pl_fem_reach(model));
  return true;
}

// Solve them. A step in two halves is as good as the worse of the two.
static pl_status solve(pl_fem_work *w, bool again, pl_error *error) {
  double residual = w->report.residual, relative = w->report.relative_residual;
  bool converged = w->report.converged || !again;
  pl_status status = pl_fem_newton_minimise(&w->newton, w->next, &w->report, error);
  w->report.residual = fmax(w->report.residual, residual);
  w->report.relative_residual = fmax(w->report.relative_residual, relative);
  w->report.converged = w->report.converged && converged;
  return status;
}

static bool is_flying(const pl_fem_work *w, const pl_body_move *move) {
  return move->pin_count == 0 && !pl_fem_contacts_any(&w->contacts);
}

// Velocities of a step of implicit Euler from x to work->next.
static void find_velocities(pl_fem_work *w, const double *x, double tau) {
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)w->system.model->head.particle_count; ++i) {
    w->mean[i] = (w->next[i] - x[i]) / tau;
    w->middle[i] = w->next[i];
  }
}

// Whether all energy that a body gains is the scheme's: then the gain need not be computed from the equations, which
// may be unsolved.
static bool is_left_alone(const pl_fem_leap *leap, const pl_body_move *move) {
  return leap->flies && move->forces == NULL;
}

// The end of a step of implicit Euler at work->middle and work->mean.
static void finish_euler(const pl_fem_leap *leap, const pl_body_move *move, double gain) {
  pl_fem_work *w = leap->work;
  pl_fem_state s = leap->from;
  const pl_fem_model *model = w->system.model;
  size_t size = 3 * (size_t)model->head.particle_count * sizeof(double);
  if (is_left_alone(leap, move))
    gain = pl_fem_inner_energy(model, w->mean, leap->elastic) - pl_fem_inner_energy(model, s.velocities, s.energy[1]);
  pl_fem_spend_all(leap, gain);
  if (w->contacts.collider_count > 0) pl_fem_contacts_settle(&w->contacts, w->next, s.anchors);
  if (w->potential.maxwell != NULL) pl_fem_maxwell_finish(&w->maxwell, w->next, leap->tau);
  memcpy(s.positions, w->middle, size);
  memcpy(s.velocities, w->mean, size);
  s.energy[1] = leap->elastic;
}

// --- the second half of midpoint ----------------------------------------------------------------------------------

// x_{n+1} and v_{n+1} of the midpoint rule into `middle` and `mean`.
static void extrapolate(const pl_fem_model *model, pl_fem_work *w, pl_fem_state s, double tau) {
  double *held = w->newton.step;
  ptrdiff_t n = 3 * (ptrdiff_t)model->head.particle_count;
  for (ptrdiff_t i = 0; i < n; ++i) held[i] = (w->next[i] - s.positions[i]) / tau - s.velocities[i];
  if (pl_fem_contacts_any(&w->contacts))
    pl_fem_contacts_suppress(&w->contacts, 1 / (tau * tau), w->blocks, held);
  else
    memset(held, 0, (size_t)n * sizeof(double));
  for (ptrdiff_t i = 0; i < n; ++i) {
    double mean = (w->next[i] - s.positions[i]) / tau;
    bool is_free = (w->fixed[i / 3] >> (i % 3) & 1) == 0;
    w->middle[i] = s.positions[i] + 2 * (w->next[i] - s.positions[i]);
    w->mean[i] = is_free ? 2 * mean - s.velocities[i] - held[i] : mean;
  }
}

// Implicit Euler from the middle on, in place of extrapolation.
static pl_status finish_implicitly(const pl_fem_model *model, pl_fem_work *w, pl_fem_state s, const pl_body_move *move,
                                   pl_error *error) {
  double tau = 0.5 * move->step;
  ptrdiff_t n = 3 * (ptrdiff_t)model->head.particle_count;
  pl_vec3 momentum = pl_fem_angular_momentum(model, s.positions, s.velocities), shift = {0, 0, 0};
  pl_vec3 start = pl_fem_center_of(model, s.positions), middle = pl_fem_center_of(model, w->next);
  double gain = pl_fem_euler_gain(w, s.positions, s.velocities, tau, s.energy[1]);
  for (ptrdiff_t i = 0; i < n; ++i) {
    w->middle[i] = w->next[i];
    w->mean[i] = (w->next[i] - s.positions[i]) / tau;
  }
  double elastic = w->potential.elastic_energy;
  if (w->potential.maxwell != NULL) pl_fem_maxwell_finish(&w->maxwell, w->next, tau);
  set_up(model, w, w->middle, w->mean, move, tau, 1);
  pl_status status = solve(w, true, error);
  if (status < 0) return status;
  bool flies = is_flying(w, move);
  if (flies) {
    pl_fem_keep_momentum(w);
    // Forces from outside may turn the body; without them its angular momentum is what it was.
    if (move->forces == NULL && model->mass_damping == 0) pl_fem_turn_to_momentum(w, w->middle, tau, momentum);
    // The centre of mass continues as by midpoint: it flies on a parabola.
    shift = pl_vec3_sub(pl_vec3_sub(pl_vec3_scale(middle, 2), start), pl_fem_center_of(model, w->next));
  }
  gain += pl_fem_euler_gain(w, w->middle, w->mean, tau, elastic);
  find_velocities(w, w->middle, tau);
  pl_fem_leap leap = {w, s, tau, w->potential.elastic_energy, flies};
  if (is_left_alone(&leap, move) && model->mass_damping == 0) pl_fem_spin_to_momentum(w, momentum);
  finish_euler(&leap, move, gain);
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    pl_fem_put(s.positions, i, pl_vec3_add(pl_fem_vector(s.positions, i), shift));
  w->report.damped = true;
  return status;
}

static pl_status finish_midpoint(const pl_fem_model *model, pl_fem_work *w, pl_fem_state s, const pl_body_move *move,
                                 pl_error *error) {
  size_t size = 3 * (size_t)model->head.particle_count * sizeof(double);
  double tau = 0.5 * move->step;
  extrapolate(model, w, s, tau);
  double elastic = pl_fem_system_evaluate(&w->system, w->middle, NULL, NULL, false);
  pl_fem_leap leap = {w, s, tau, elastic, is_flying(w, move)};
  if (!pl_fem_spend(&leap, pl_fem_midpoint_gain(&leap))) return finish_implicitly(model, w, s, move, error);
  if (w->contacts.collider_count > 0) pl_fem_contacts_settle(&w->contacts, w->next, s.anchors);
  if (w->potential.maxwell != NULL) pl_fem_maxwell_finish(&w->maxwell, w->next, move->step);
  memcpy(s.positions, w->middle, size);
  memcpy(s.velocities, w->mean, size);
  s.energy[1] = elastic;
  return PL_OK;
}

// --- the step -----------------------------------------------------------------------------------------------------

static void use_rest(const pl_fem_model *model, pl_fem_work *w, pl_fem_state s) {
  if (model->adapts) pl_fem_system_use(&w->system, (const double *const *)s.rest, NULL);
}

// Let the driver choose rest shapes, and where the search begins. What the body's pose stores of energy is another with
// another rest shape: work that the driver does is not a gain of the scheme's.
static pl_status choose_rest(pl_fem_choice *choice, pl_error *error) {
  pl_fem_work *w = choice->work;
  w->newton.direct = NULL;
  w->driven = false;
  if (w->driver == NULL) return PL_OK;
  double *energy = choice->state.energy, before = energy[1];
  bool was_known = energy[0] != 0;
  pl_status status = w->driver->choose(w->driver->user, choice, error);
  if (status < 0) return status;
  energy[0] = 0;
  use_rest(choice->model, w, choice->state);
  double after = pl_fem_stored_energy(w, choice->state);
  w->driven = !was_known || fabs(after - before) > 1e-9 * fmax(fabs(before), fabs(after));
  if (w->driver->direct.solve != NULL) w->newton.direct = &w->driver->direct;
  return PL_OK;
}

bool pl_fem_begin_step(const pl_fem_choice *choice, double tau) {
  const pl_fem_model *model = choice->model;
  pl_fem_work *w = choice->work;
  pl_fem_state s = choice->state;
  if (!set_contacts(w, s, choice->move)) return false;
  if (choice->move->collider_count == 0)
    memset(s.anchors, 0, 4 * (size_t)model->head.surface.point_count * sizeof(double));
  w->report = (pl_fem_report){0};
  mix_examples(model, w, s);
  use_rest(model, w, s);
  w->maxwell.metrics = s.metrics;
  set_up(model, w, s.positions, s.velocities, choice->move, tau, choice->reach);
  return true;
}

// Whether the body lies on a collider and moves little: such steps are ones of implicit Euler. Without damping midpoint
// would let it ring for ever, at g / ω for a frequency ω; what bounces does so faster than that.
// Bodies that adapt keep their scheme, by which their drivers plan.
static bool is_settling(const pl_fem_model *model, pl_fem_state s) {
  if (model->adapts) return false;
  double square = 0;
  bool touches = false;
  for (int32_t i = 0; !touches && i < model->head.surface.point_count; ++i)
    touches = s.anchors[4 * (ptrdiff_t)i + 3] != 0;
  if (!touches) return false;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)model->head.particle_count; ++i)
    square += model->head.masses[i / 3] * s.velocities[i] * s.velocities[i];
  return square < SETTLING_SPEED * SETTLING_SPEED * model->head.mass;
}

// Whether the step is one of implicit Euler for what a body touches if it moves as inertia and outer forces take it.
// In a step of midpoint in which it meets a collider, the points of a stiff body stop together at the half step, and
// all but those that touch (S, above) leave as fast as they came, whatever the damping of the material.
static bool is_implicit(const pl_fem_choice *choice) {
  pl_fem_contacts *contacts = &choice->work->contacts;
  pl_fem_implicit_steps steps = choice->model->implicit_steps;
  if (steps == PL_FEM_IMPLICIT_NONE || choice->reach <= 1 || contacts->collider_count == 0) return false;
  contacts->without_derivatives = true;
  pl_fem_contacts_evaluate(contacts, choice->work->goal, true);
  contacts->without_derivatives = false;
  for (int32_t a = 0; a < contacts->active_count; ++a)
    if (steps == PL_FEM_IMPLICIT_CONTACT || choice->state.anchors[4 * (ptrdiff_t)contacts->active[a] + 3] == 0)
      return true;
  return false;
}

static pl_status finish(const pl_fem_choice *choice, pl_error *error) {
  const pl_fem_model *model = choice->model;
  pl_fem_work *w = choice->work;
  pl_fem_state s = choice->state;
  if (is_flying(w, choice->move)) pl_fem_keep_momentum(w);
  if (choice->reach > 1) return finish_midpoint(model, w, s, choice->move, error);
  double step = choice->move->step, elastic = pl_fem_stored_energy(w, s);
  double gain = pl_fem_euler_gain(w, s.positions, s.velocities, step, elastic);
  pl_fem_leap leap = {w, s, step, w->potential.elastic_energy, is_flying(w, choice->move)};
  find_velocities(w, s.positions, step);
  finish_euler(&leap, choice->move, gain);
  return PL_OK;
}

// --- shocks -------------------------------------------------------------------------------------------------------
//
// Quadratic viscosity, as explicit codes use it for impacts (von Neumann and Richtmyer 1950) and contact_damping.c for
// solids: with the strain rate r of an edge, its ends lose the fraction min(k |r| h, ½) of their velocity along it.
// Without it an undamped body that is hit hard gives all of it back, and boxes of a tower that falls jump metres away.
// Slow vibration hardly feels it, and what flies does not at all. Bodies that adapt are spared, as above.

// Both particles keep linear and angular momentum.
static void damp_edge(const pl_model *head, const double *x, int32_t i, int32_t j, double h, double *v) {
  pl_vec3 edge = pl_vec3_sub(pl_fem_vector(x, j), pl_fem_vector(x, i));
  double square = pl_vec3_dot(edge, edge), mi = head->inverse_masses[i], mj = head->inverse_masses[j];
  if (!(square > 0)) return;
  double rate = pl_vec3_dot(pl_vec3_sub(pl_fem_vector(v, j), pl_fem_vector(v, i)), edge) / square;
  double lost = fmin(SHOCK * h * fabs(rate), MAX_SHOCK);
  pl_vec3 impulse = pl_vec3_scale(edge, lost * rate / (mi + mj));
  pl_fem_put(v, i, pl_vec3_add_scaled(pl_fem_vector(v, i), impulse, mi));
  pl_fem_put(v, j, pl_vec3_add_scaled(pl_fem_vector(v, j), impulse, -mj));
}

static void damp_shocks(const pl_fem_work *w, pl_fem_state s, double h) {
  const pl_model *head = &w->system.model->head;
  const pl_block_pattern *pattern = w->potential.matrix->pattern;
  for (int32_t i = 0; i < head->particle_count; ++i)
    for (int32_t e = pattern->start[i]; e < pattern->start[i + 1]; ++e)
      if (pattern->columns[e] > i) damp_edge(head, s.positions, i, pattern->columns[e], h, s.velocities);
}

// A hard pin exerts the force that is left over in its equation; a spring its own.
void pl_fem_report_pins(const pl_fem_work *w, const double *u, const pl_body_move *move) {
  const pl_fem_potential *p = &w->potential;
  for (int32_t k = 0; k < move->pin_count; ++k) {
    const pl_body_pin *pin = &move->pins[k];
    pl_vec3 at = pl_fem_vector(u, pin->particle), way = pl_vec3_sub(at, pl_fem_vector(p->base, pin->particle));
    pl_vec3 spring = pl_vec3_scale(pl_vec3_sub(pin->target, at), pin->stiffness);
    spring = pl_vec3_add_scaled(spring, way, -pin->damping * p->pin_rate);
    move->pin_forces[k] = pin->stiffness > 0 ? spring : pl_fem_vector(p->image, pin->particle);
  }
}

pl_status pl_fem_move(const pl_model *model, void *state, const pl_body_move *move, pl_error *error) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  pl_fem_work *w = move->work;
  pl_fem_state s = pl_fem_state_of(model, state);
  bool settles = is_settling(fem, s);
  pl_fem_choice choice = {fem, w, s, move, settles ? 1 : pl_fem_reach(fem)};
  if (!pl_fem_begin_step(&choice, move->step / choice.reach)) return pl_fail_memory(error);
  if (is_implicit(&choice)) {
    choice.reach = 1;
    set_up(fem, w, s.positions, s.velocities, move, move->step, choice.reach);
  }
  pl_status status = choose_rest(&choice, error);
  if (status < 0) return status;
  pl_fem_reaction reaction = pl_fem_reaction_begin(fem, s, move);
  pl_status remark = solve(w, false, error);
  if (remark < 0) return remark;
  pl_fem_report_pins(w, w->next, move);
  status = finish(&choice, error);
  if (status < 0) return status;
  if (!fem->adapts && pl_fem_contacts_any(&w->contacts)) damp_shocks(w, s, move->step);
  pl_fem_contacts_report(&w->contacts, w->next, move->step, move);
  pl_fem_reaction_end(&reaction, w, s, move, choice.reach > 1);
  if (move->damped != NULL) *move->damped = w->report.damped;
  if (w->driver != NULL && w->driver->done != NULL) w->driver->done(w->driver->user, &choice);
  return remark != PL_OK ? remark : status;
}
