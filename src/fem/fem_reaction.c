// See fem_reaction.h.
#include "fem/fem_reaction.h"

#include "pliant/math.h"

static void add_at(pl_collider_impulse *sum, pl_vec3 position, pl_vec3 impulse) {
  sum->linear = pl_vec3_add(sum->linear, impulse);
  sum->angular = pl_vec3_add(sum->angular, pl_vec3_cross(position, impulse));
}

static pl_collider_impulse momentum_of(const pl_fem_model *model, pl_fem_state s) {
  pl_collider_impulse sum = {{0, 0, 0}, {0, 0, 0}};
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    add_at(&sum, pl_fem_vector(s.positions, i), pl_vec3_scale(pl_fem_vector(s.velocities, i), model->head.masses[i]));
  return sum;
}

// Gravity and forces from outside, where particles are.
static pl_collider_impulse loads_at(const pl_fem_model *model, pl_fem_state s, const pl_body_move *move) {
  pl_collider_impulse sum = {{0, 0, 0}, {0, 0, 0}};
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 force = pl_vec3_scale(move->acceleration, model->head.masses[i]);
    if (move->forces != NULL) force = pl_vec3_add(force, pl_vec3_of_f4(move->forces[i]));
    add_at(&sum, pl_fem_vector(s.positions, i), pl_vec3_scale(force, move->step));
  }
  return sum;
}

pl_fem_reaction pl_fem_reaction_begin(const pl_fem_model *model, pl_fem_state s, const pl_body_move *move) {
  bool touches = move->touches != NULL && move->collider_count > 0;
  pl_fem_reaction r = {.is_wanted = (touches || move->unaccounted != NULL) && move->pin_count == 0};
  if (!r.is_wanted) return r;
  r.start = momentum_of(model, s);
  r.loads = loads_at(model, s, move);
  return r;
}

void pl_fem_reaction_add_forces(pl_fem_reaction *r, const pl_fem_model *model, pl_fem_state s, const double *ends,
                                double step, const pl_body_coupled_result *result) {
  if (!r->is_wanted) return;
  // Forces of contact act at the arms of the end, from the centre at the start (world_coupled_rigid.c).
  pl_vec3 way = pl_vec3_sub(pl_fem_center_of(model, ends), pl_fem_center_of(model, s.positions));
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    add_at(&r->loads, pl_vec3_sub(pl_fem_vector(ends, i), way), pl_vec3_scale(pl_fem_vector(result->forces, i), step));
  r->loads.angular = pl_vec3_add_scaled(r->loads.angular, result->torque, step);
}

static pl_collider_impulse mean_of(const pl_collider_impulse *a, const pl_collider_impulse *b) {
  return (pl_collider_impulse){pl_vec3_lerp(a->linear, b->linear, 0.5), pl_vec3_lerp(a->angular, b->angular, 0.5)};
}

static void take(pl_collider_impulse *sum, const pl_collider_impulse *part, double factor) {
  sum->linear = pl_vec3_add_scaled(sum->linear, part->linear, -factor);
  sum->angular = pl_vec3_add_scaled(sum->angular, part->angular, -factor);
}

void pl_fem_reaction_end(pl_fem_reaction *r, const pl_fem_work *work, pl_fem_state s, const pl_body_move *move,
                         bool is_midpoint) {
  const pl_fem_model *model = work->system.model;
  bool touches = pl_fem_contacts_any(&work->contacts);
  if (!r->is_wanted || !(touches || move->unaccounted != NULL)) return;
  pl_collider_impulse end = momentum_of(model, s), loads = r->loads, drag = end, sum = r->start;
  if (is_midpoint) {
    pl_collider_impulse last = loads_at(model, s, move);
    loads = mean_of(&loads, &last);
    drag = mean_of(&r->start, &end);
  }
  pl_collider_impulse_add(&sum, &loads);
  take(&sum, &drag, move->step * model->mass_damping);
  take(&sum, &end, 1);
  if (!touches) {
    *move->unaccounted = sum;
    return;
  }
  if (pl_body_touch_balance(move->touches, move->collider_count, &sum)) return;
  // Nothing presses in the end, but something did in the step.
  const pl_fem_contact_point *point = &work->contacts.points[work->contacts.active[0]];
  if (point->collider >= 0) pl_collider_impulse_add(&move->touches[point->collider].given, &sum);
}
