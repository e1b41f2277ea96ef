// What colliders got in a coupled solve, in balance with the momentum of the bodies.
//
// A solve stops at a tolerance, and an island that has not moved is left as it was, whatever is left of its forces: its
// bodies then change their momentum by something else than the sum of what acts on them. With P the momentum and the
// moment of it around the world's origin, F the forces of the solve and L all others,
//
//   M = sum over the bodies of an island  P_0 + L + h F - P_1
//
// is small, and goes to the colliders of the island, in proportion to what these press with. Methods find their part of
// it (pl_body_move.unaccounted); an explicit body has one only at rest, where P_0 + L is what its own step gave it.
#include "pliant/math.h"
#include "world/world_coupled_solve.h"

static void add_at(pl_collider_impulse *sum, pl_vec3 position, pl_vec3 impulse) {
  sum->linear = pl_vec3_add(sum->linear, impulse);
  sum->angular = pl_vec3_add(sum->angular, pl_vec3_cross(position, impulse));
}

static pl_collider_impulse missing_of_rigid(const pl_coupled_rigid *rigid, double h) {
  pl_collider_impulse sum = {{0, 0, 0}, pl_mat3_apply(rigid->inertia, rigid->goal.angular_velocity)};
  add_at(&sum, rigid->goal.center, pl_vec3_scale(rigid->goal.velocity, rigid->mass));
  add_at(&sum, rigid->start.center, pl_vec3_scale(rigid->force, h));
  sum.angular = pl_vec3_add_scaled(sum.angular, rigid->torque, h);
  return sum;
}

static pl_collider_impulse momentum_of(const pl_body *body) {
  pl_collider_impulse sum = {{0, 0, 0}, {0, 0, 0}};
  for (int32_t i = 0; i < body->model->particle_count; ++i) {
    pl_vec3 velocity, position = body->model->method->get_particle(body->model, body->state, i, &velocity);
    add_at(&sum, position, pl_vec3_scale(velocity, body->model->masses[i]));
  }
  return sum;
}

static pl_collider_impulse missing_of_masses(const pl_coupled *j, const pl_coupled_body *b, const double *forces) {
  pl_collider_impulse sum = momentum_of(b->body);
  for (int32_t i = 0; i < b->count; ++i) {
    const double *f = forces + 3 * (ptrdiff_t)i;
    add_at(&sum, b->body->starts[i], pl_vec3_scale((pl_vec3){f[0], f[1], f[2]}, j->world->def.step));
  }
  return sum;
}

static bool is_held(const pl_coupled_body *b) {
  if (b->rigid != NULL) return !(b->rigid->goal.inverse_mass > 0);
  for (int32_t i = 0; i < b->count; ++i)
    if (!(b->body->inverse_masses[i] > 0)) return true;
  return false;
}

static bool is_noted(const pl_coupled_body *b) {
  return b->coupled == NULL && b->rests && !is_held(b);
}

void pl_coupled_note_missing(const pl_coupled *j, pl_coupled_body *b, const double *forces) {
  b->missing = (pl_collider_impulse){{0, 0, 0}, {0, 0, 0}};
  if (!is_noted(b)) return;
  b->missing = b->rigid != NULL ? missing_of_rigid(b->rigid, j->world->def.step) : missing_of_masses(j, b, forces);
}

// Impulses, N s, that the colliders of a body's own step got: by their lengths.
static double own_press(const pl_world *world, const pl_body *body, int32_t collider) {
  if (body->own_impulses < 0) return 0;
  return pl_vec3_length(PL_ITEM(&world->own_impulses, pl_collider_impulse, body->own_impulses + collider).linear);
}

static double term_press(const pl_coupled_island *island, int32_t n) {
  const pl_coupled *j = island->coupled;
  int32_t term = island->terms[n];
  bool is_there = j->contacts[term].collider >= 0 && j->terms[term].force > 0;
  return is_there ? j->terms[term].force * j->world->def.step : 0;
}

static void give(pl_world *world, int32_t collider, const pl_collider_impulse *sum, double part) {
  pl_collider_impulse given = {pl_vec3_scale(sum->linear, part), pl_vec3_scale(sum->angular, part)};
  if (part > 0) pl_collider_impulse_add(&PL_ITEM(&world->step_impulses, pl_collider_impulse, collider), &given);
}

static void balance_island(const pl_coupled_island *island) {
  const pl_coupled *j = island->coupled;
  pl_world *world = j->world;
  int32_t collider_count = (int32_t)world->collider_list.count;
  pl_collider_impulse sum = {{0, 0, 0}, {0, 0, 0}};
  double pressed = 0;
  for (int32_t m = 0; m < island->body_count; ++m) {
    const pl_coupled_body *b = &j->bodies[island->bodies[m]];
    if (b->state != PL_COUPLED_TOGETHER) continue;
    pl_collider_impulse_add(&sum, &b->missing);
    if (b->rigid == NULL && is_noted(b)) {
      pl_collider_impulse left = momentum_of(b->body);
      sum.linear = pl_vec3_sub(sum.linear, left.linear);
      sum.angular = pl_vec3_sub(sum.angular, left.angular);
    }
    for (int32_t c = 0; c < collider_count; ++c) pressed += own_press(world, b->body, c);
  }
  for (int32_t n = 0; n < island->term_count; ++n) pressed += term_press(island, n);
  if (!(pressed > 0)) return;
  for (int32_t m = 0; m < island->body_count; ++m) {
    const pl_coupled_body *b = &j->bodies[island->bodies[m]];
    for (int32_t c = 0; b->state == PL_COUPLED_TOGETHER && c < collider_count; ++c)
      give(world, c, &sum, own_press(world, b->body, c) / pressed);
  }
  for (int32_t n = 0; n < island->term_count; ++n) {
    double part = term_press(island, n) / pressed;
    if (part > 0) give(world, j->contacts[island->terms[n]].collider, &sum, part);
  }
}

void pl_coupled_balance(const pl_coupled *j) {
  for (int32_t i = 0; i < j->island_count; ++i) balance_island(&j->islands[i]);
}
