// One implicit step of a finite-element body.
//
//   M v' = f(x) - ∂W/∂x - (α M + β K) v + contact            x' = v
//
// Implicit Euler looks for x_{n+1}; the second-order scheme is the implicit midpoint rule and looks for x_m = (x_n + x_{n+1}) / 2, which is a step of
// implicit Euler half as long, gone on from by as much again:
//
//                    τ      y                          result
//   implicit Euler   h      x_n + τ v_n + τ² f/M       x_{n+1} = u              v_{n+1} = v̄             v̄ = (u - x_n) / τ
//   midpoint         h/2    the same                   x_{n+1} = 2 u - x_n      v_{n+1} = 2 v̄ - v_n
//
//   u = argmin ½ |u - y|²_M / τ² + W(u) + damping + contact        (fem_potential.h; mass damping joins the inertia)
//
// Why midpoint. Of the second-order schemes it keeps linear and angular momentum exactly and the energy of linear vibrations too, with whatever rest
// shape, and needs one solve a step. Newmark's average acceleration does the same for vibrations, but loses angular momentum and must keep accelerations in the
// state; TR-BDF2 needs two solves, and damps: a vibration of 10 steps a period loses 29 % of its amplitude in 20 periods, and angular momentum of a vibrating body drifts.
// Damping is then the material's and no one else's.
//
// What midpoint does badly is contact. A point that ends up in the ground at the half step is thrown out with up to three times its speed, and on ground that
// does not give its velocity changes sign for ever. So contact acts at the end of the step, on x_{n+1}, and its whole impulse at the beginning: as in implicit
// Euler. With z = 2 u - x_n that is the potential V(z(u)), and v_{n+1} = 2 v̄ - v_n - h a_c with the acceleration a_c of contact alone. A point that meets the
// ground stays on it; a body bounces by its elasticity.
//
// Momentum does not depend on how well the equations were solved: elastic forces have no net force and no torque in any pose, so a rigid motion of u that
// makes the sums of the other terms vanish is found at the end, at no cost (keep_momentum()).
//
// Stiffness damping uses the projected K of the first guess, x_n + τ v_n, which is within O(h²) of the midpoint. Where a body is under stress, K of a
// rotation is not zero, and damping then acts on it a little.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fem/fem_newton.h"
#include "math/mat3.h"

typedef struct work {
  pl_arena arena;  // holds all of it
  pl_fem_system system;
  pl_block_matrix matrix, damping;
  pl_linear_solver *solver;
  pl_fem_potential potential;
  pl_fem_newton newton;
  pl_fem_contacts contacts;
  uint8_t *fixed;
  double *goal, *next;
  double *weights;  // that the system's rest shapes are mixed with
  pl_fem_report report;
} work;

// τ, and how far x_{n+1} lies beyond u.
static double inner_step(const pl_fem_model *model, double step) {
  return model->scheme == PL_FEM_SECOND_ORDER ? 0.5 * step : step;
}
static double reach_of(const pl_fem_model *model) {
  return model->scheme == PL_FEM_SECOND_ORDER ? 2 : 1;
}

void pl_fem_destroy_work(void *it) {
  work *w = it;
  pl_linear_solver_destroy(w->solver);
  pl_arena arena = w->arena;
  pl_arena_destroy(&arena);
}

static bool take_arrays(work *w, pl_context *context, const pl_fem_model *model) {
  size_t n = (size_t)model->head.particle_count;
  pl_arena *arena = &w->arena;
  if (!pl_fem_system_take(arena, context, model, &w->system) || !pl_block_matrix_take(arena, &model->pattern, &w->matrix) ||
      !pl_fem_potential_take(arena, &w->system, &w->matrix, &w->potential) || !pl_fem_newton_take(arena, model, &w->newton))
    return false;
  if (model->stiffness_damping > 0) {
    if (!pl_block_matrix_take(arena, &model->pattern, &w->damping)) return false;
    w->potential.damping = &w->damping;
  }
  w->fixed = PL_TAKE(arena, uint8_t, n);
  w->goal = PL_TAKE(arena, double, 3 * n);
  w->next = PL_TAKE(arena, double, 3 * n);
  w->weights = PL_TAKE(arena, double, model->examples.count);
  w->contacts = (pl_fem_contacts){.context = context,
                                  .model = model,
                                  .reach = reach_of(model),
                                  .points = PL_TAKE(arena, pl_fem_contact_point, model->head.surface.point_count)};
  return !arena->failed;
}

pl_status pl_fem_create_work(const pl_model *model, pl_context *context, double step, void **made, pl_error *error) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  *made = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  work *w = PL_TAKE(&arena, work, 1);
  if (w == NULL) return pl_fail_memory(error);
  w->arena = arena;
  pl_status status = take_arrays(w, context, fem) ? PL_OK : pl_fail_memory(error);
  if (status >= 0) {
    pl_linear_def linear = fem->linear;
    linear.positions = fem->rest_points;
    linear.hint.step = inner_step(fem, step);
    status = pl_linear_solver_create(context, &fem->pattern, &linear, &w->solver, error);
  }
  if (status < 0) {
    pl_fem_destroy_work(w);
    return status;
  }
  w->newton.potential = &w->potential;
  w->newton.solver = w->solver;
  w->newton.limit = fem->newton_limit;
  w->newton.tolerance = fem->newton_tolerance;
  w->newton.least = 1e-12 * fem->force_scale;
  w->newton.positive = fem->stiffness_damping > 0;
  *made = w;
  return PL_OK;
}

const pl_fem_report *pl_fem_work_report(const void *it) {
  return &((const work *)it)->report;
}

// Rest shapes for this step: mixed with given weights, or with those nearest to the body's shape.
static void mix_examples(const pl_fem_model *model, work *w, pl_fem_state s) {
  int32_t count = model->examples.count;
  if (count == 0) return;
  if (*s.driven != 0)
    memcpy(s.weights, s.given, (size_t)count * sizeof(double));
  else
    pl_fem_system_project(&w->system, s.positions, s.weights);
  if (memcmp(w->weights, s.weights, (size_t)count * sizeof(double)) == 0) return;
  memcpy(w->weights, s.weights, (size_t)count * sizeof(double));
  pl_fem_system_mix(&w->system, s.weights);
}

// y and c of the inertia with mass damping in it, and the first guess.
static void set_inertia(const pl_fem_model *model, work *w, pl_fem_state s, const pl_body_move *move, double tau) {
  const pl_model *head = &model->head;
  double c = 1 / (tau * tau), drag = model->mass_damping / tau, square = 0;
  const double acceleration[3] = {move->acceleration.x, move->acceleration.y, move->acceleration.z};
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)head->particle_count; ++i) {
    double force = move->forces != NULL ? (double)move->forces[i / 3][i % 3] : 0, m = head->masses[i / 3];
    double a = acceleration[i % 3] + force * head->inverse_masses[i / 3];
    double y = s.positions[i] + tau * s.velocities[i] + tau * tau * a;
    w->goal[i] = (c * y + drag * s.positions[i]) / (c + drag);
    w->next[i] = s.positions[i] + tau * s.velocities[i];
    square += m * m * a * a;
  }
  w->potential.inertia = c + drag;
  w->potential.goal = w->goal;
  w->potential.load_size = sqrt(square);
}

// What does not move freely: the third coordinate of plane bodies, and hard pins. False if all is free.
static bool set_fixed(const pl_fem_model *model, work *w, pl_fem_state s, const pl_body_move *move) {
  int32_t n = model->head.particle_count, hard_count = 0;
  memset(w->fixed, model->planar ? PL_BLOCK_FIX_Z : 0, (size_t)n);
  for (int32_t i = 0; model->planar && i < n; ++i) w->next[3 * i + 2] = s.positions[3 * i + 2];
  for (int32_t k = 0; k < move->pin_count; ++k) {
    const pl_body_pin *pin = &move->pins[k];
    if (pin->stiffness > 0) continue;
    hard_count++;
    w->fixed[pin->particle] = PL_BLOCK_FIX_ALL;
    pl_vec3 from = pl_fem_vector(s.positions, pin->particle), way = pl_vec3_sub(pin->target, from);
    pl_fem_put(w->next, pin->particle, pl_vec3_add_scaled(from, way, 1 / reach_of(model)));
  }
  w->potential.fixed = model->planar || hard_count > 0 ? w->fixed : NULL;
  return hard_count == 0;
}

static bool set_contacts(work *w, pl_fem_state s, const pl_body_move *move) {
  pl_fem_contacts *c = &w->contacts;
  pl_transform *places = PL_SCRATCH(move->scratch, pl_transform, 2 * (size_t)move->collider_count);
  if (places == NULL) return false;
  for (int32_t i = 0; i < move->collider_count; ++i)
    pl_collider_motion(move->colliders[i], move->time, move->step, &places[i], &places[move->collider_count + i]);
  c->collider_count = move->collider_count;
  c->colliders = move->colliders;
  c->starts = places;
  c->ends = places + move->collider_count;
  c->base = s.positions;
  c->anchors = s.anchors;
  w->potential.contacts = c;
  return true;
}

// Sums over the particles of a free body: forces other than elastic ones, and their torque around its centre.
typedef struct balance {
  pl_vec3 center, force, torque;
  pl_mat3 inertia;
} balance;

static balance weigh_forces(const pl_fem_model *model, const double *u, const double *forces) {
  const pl_model *head = &model->head;
  balance b = {.inertia = pl_mat3_zero()};
  for (int32_t i = 0; i < head->particle_count; ++i)
    b.center = pl_vec3_add_scaled(b.center, pl_fem_vector(u, i), head->masses[i] / head->mass);
  for (int32_t i = 0; i < head->particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(u, i), b.center), force = pl_fem_vector(forces, i);
    b.force = pl_vec3_add(b.force, force);
    b.torque = pl_vec3_add(b.torque, pl_vec3_cross(arm, force));
    pl_mat3 turn =
        pl_mat3_add(pl_mat3_scale(pl_mat3_identity(), pl_vec3_dot(arm, arm)), pl_mat3_scale(pl_mat3_outer(arm, arm), -1));
    b.inertia = pl_mat3_add(b.inertia, pl_mat3_scale(turn, head->masses[i]));
  }
  return b;
}

static void keep_momentum(const pl_fem_model *model, work *w) {
  pl_fem_potential *p = &w->potential;
  double c = p->inertia;
  int32_t n = model->head.particle_count;
  double *forces = w->newton.right;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)n; ++i) forces[i] = p->gradient[i] - p->elastic[i];
  for (int round = 0; round < 3; ++round) {
    balance b = weigh_forces(model, w->next, forces);
    pl_vec3 shift = pl_vec3_scale(b.force, -1 / (c * model->head.mass)), turn;
    if (model->planar) {
      shift.z = 0;
      turn = pl_vec3_of(0, 0, -b.torque.z / (c * b.inertia.m[2][2]));
    } else {
      turn = pl_vec3_scale(pl_mat3_apply(pl_mat3_inverse(b.inertia), b.torque), -1 / c);
    }
    if (!pl_vec3_is_finite(turn)) return;
    for (int32_t i = 0; i < n; ++i) {
      pl_vec3 arm = pl_vec3_sub(pl_fem_vector(w->next, i), b.center), by = pl_vec3_add(shift, pl_vec3_cross(turn, arm));
      pl_fem_put(w->next, i, pl_vec3_add(pl_fem_vector(w->next, i), by));
      pl_fem_put(forces, i, pl_vec3_add_scaled(pl_fem_vector(forces, i), by, c * model->head.masses[i]));
    }
  }
}

// Positions and velocities at the end of the step from u.
static void finish(const pl_fem_model *model, work *w, pl_fem_state s, double step, double tau) {
  ptrdiff_t n = 3 * (ptrdiff_t)model->head.particle_count;
  double reach = reach_of(model), *contact = w->newton.right;
  memset(contact, 0, (size_t)n * sizeof(double));
  if (w->contacts.collider_count > 0) {
    pl_fem_contacts_settle(&w->contacts, w->next, s.anchors);
    pl_fem_contacts_add_gradient(&w->contacts, 1, contact);
  } else {
    memset(s.anchors, 0, 4 * (size_t)model->head.surface.point_count * sizeof(double));
  }
  for (ptrdiff_t i = 0; i < n; ++i) {
    double mean = (w->next[i] - s.positions[i]) / tau;
    bool is_free = (w->fixed[i / 3] >> (i % 3) & 1) == 0;
    s.positions[i] += reach * (w->next[i] - s.positions[i]);
    if (model->scheme == PL_FEM_SECOND_ORDER && is_free)
      s.velocities[i] = 2 * mean - s.velocities[i] + step * contact[i] * model->head.inverse_masses[i / 3];
    else
      s.velocities[i] = mean;
  }
}

pl_status pl_fem_move(const pl_model *model, void *state, const pl_body_move *move, pl_error *error) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  work *w = move->work;
  pl_fem_state s = pl_fem_state_of(model, state);
  double tau = inner_step(fem, move->step);
  if (!set_contacts(w, s, move)) return pl_fail_memory(error);
  mix_examples(fem, w, s);
  set_inertia(fem, w, s, move, tau);
  bool is_free = set_fixed(fem, w, s, move);
  w->potential.damping_factor = fem->stiffness_damping / tau;
  w->potential.damping_is_set = false;
  w->potential.base = s.positions;
  w->potential.pins = move->pins;
  w->potential.pin_count = move->pin_count;
  w->potential.pin_rate = 1 / tau;
  w->report = (pl_fem_report){0};
  pl_status status = pl_fem_newton_minimise(&w->newton, w->next, &w->report, error);
  if (status < 0) return status;
  if (is_free && move->pin_count == 0 && !pl_fem_contacts_any(&w->contacts)) keep_momentum(fem, w);
  finish(fem, w, s, move->step, tau);
  return PL_OK;
}
