// How bodies that touch come to rest. Elastic bodies ring, and bounce on their own elasticity: contact alone takes next
// to nothing of that, since the particles that touch stand still already. Four dampers, all without effect on rigid
// flight, rolling and sliding, and on momentum:
//
// 1 Vibration, of each body that touches something, at the rate c its world gives:
//
//     v <- r + (v - r) exp(-c h)            r = V + Ω × (x - X), the body's rigid motion
//
// 2 Shocks: quadratic viscosity along the edges of the surface (contact_shock.h). A corner that another body has bent
//   in and releases would otherwise fly off at many times the speed of the impact.
//
//   After the sweeps, no particle moves faster relative to r than a fifth of the spacing of the particles in a step, in
//   flight too: explicit forces cannot follow, and a corner that was caught behind another body would reach many times
//   the speed of free fall. What it loses of momentum goes to the body as a whole. Particles that a collider or a held
//   particle presses on may be half as fast again as that: they move with it and spread sideways, and held back they
//   would sink into it.
//
// 3 and 4 act on pairs of bodies as wholes: contact_rest.c.
//
// What acts before the sweeps acts after the impulses of the last step: where contacts carry a weight these take back
// what the weight and elastic forces have just added, and v is how things move. Without them it would be damped as if
// it were vibration, and a body that rests would be softer by c h, by a fifth near rest, and by far more where few
// particles carry it: default boxes rolled down slopes on which they stand.
//
// Levers of what acts before the sweeps are those at the start of the step: positions follow the velocities, x + h v,
// so that x × v at its end is that of the start's x and the new v.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/contact_damping.h"
#include "contact/contact_particles.h"
#include "contact/contact_shock.h"
#include "pliant/math.h"

// A body whose particles move faster than this many times s is not near rest.
static const double SLOW_FACTOR = 4;
// Strain rates are damped at this multiple of themselves, in bodies whose particles move faster than this relative to
// it.
static const double SHOCK = 4, SHOCK_SPEED = 1;
// Largest way of a particle relative to its body in one step, as a fraction of the spacing of particles.
static const double MAX_WAY = 0.2;
// Speed of particles that something presses on, relative to its own.
static const double PUSH_FACTOR = 1.5;

enum { BODY_GRAIN = 4 };

static bool is_touched(const pl_contact_damping *d, int32_t body) {
  return d->memory->plan.island_of[body] >= 0;
}

static pl_particles particles_of(const pl_contact_body *body, const pl_vec3 *positions) {
  return (pl_particles){body->surface->particle_count, positions, body->velocities, body->inverse_masses};
}

static pl_rigid_field field_of(const pl_contact_rigid *motion) {
  return (pl_rigid_field){motion->center, motion->velocity, motion->angular_velocity};
}

// Distance of neighbouring particles, by the size of a box, a rectangle or a line with these second moments (per mass)
// that count particles fill: whichever is largest, since a plate has no volume and a line no area.
static double spacing_of(pl_mat3 moments, int32_t count) {
  const double(*s)[3] = (const double(*)[3])moments.m;
  double trace = s[0][0] + s[1][1] + s[2][2], volume2 = pl_larger(pl_mat3_determinant(moments), 0);
  double area2 = s[0][0] * s[1][1] - s[0][1] * s[0][1] + s[1][1] * s[2][2] - s[1][2] * s[1][2] + s[2][2] * s[0][0] -
                 s[2][0] * s[2][0];
  double n = count, line = sqrt(12 * trace) / n, plate = sqrt(12 * sqrt(pl_larger(area2, 0)) / n);
  return pl_larger(pl_larger(line, plate), cbrt(sqrt(1728 * volume2) / n));
}

// Ω = I⁻¹ L.
bool pl_contact_find_whole(const pl_contact_body *body, const pl_vec3 *positions, pl_contact_whole *whole) {
  if (body->surface->particle_count == 0) return false;
  pl_particle_sums s;
  pl_particles particles = particles_of(body, positions);
  pl_particle_kernels_get()->sum(&particles, &s);
  double mass = s.mass;
  if (!(mass > 0)) return false;
  // From the first particle to the centre: sum m (x - c) (x - c) = sum m x x - M c c, and so for all of second order.
  double f = 1 / mass;
  pl_vec3 c = pl_vec3_scale(s.x, f), v = pl_vec3_scale(s.v, f);
  pl_vec3 center = pl_vec3_add(positions[0], c), velocity = pl_vec3_add(body->velocities[0], v);
  pl_vec3 spin = pl_vec3_add_scaled(s.spin, pl_vec3_cross(c, v), -mass);
  double xx = s.moments[0] - mass * c.x * c.x, yy = s.moments[1] - mass * c.y * c.y;
  double zz = s.moments[2] - mass * c.z * c.z, xy = s.moments[3] - mass * c.x * c.y;
  double yz = s.moments[4] - mass * c.y * c.z, zx = s.moments[5] - mass * c.z * c.x;
  double energy = s.energy + mass * (pl_vec3_dot(velocity, velocity) - pl_vec3_dot(v, v));
  // What is squeezed to a line has no inertia around it: the small fraction keeps the matrix invertible.
  double min = 1e-9 * (xx + yy + zz), slow = SLOW_FACTOR * PL_REST_SPEED;
  pl_mat3 inertia = {{{yy + zz + min, -xy, -zx}, {-xy, xx + zz + min, -yz}, {-zx, -yz, xx + yy + min}}};
  if (!(pl_mat3_determinant(inertia) > 0)) return false;
  pl_mat3 inverse = pl_mat3_inverse(inertia);
  pl_vec3 angular_velocity = pl_mat3_apply(inverse, spin);
  pl_mat3 moments = {{{f * xx, f * xy, f * zx}, {f * xy, f * yy, f * yz}, {f * zx, f * yz, f * zz}}};
  *whole = (pl_contact_whole){
      .spacing = spacing_of(moments, body->surface->particle_count),
      .motion = {.center = center,
                 .velocity = velocity,
                 .angular_velocity = angular_velocity,
                 .inverse_mass = f,
                 .inverse_inertia = inverse},
      .velocity = velocity,
      .angular_velocity = angular_velocity,
      .is_free = s.is_free,
      .is_slow = s.is_free && energy < slow * slow * mass,
  };
  return true;
}

static void damp_vibration(const pl_contact_body *body, pl_contact_whole *whole, double step) {
  // Near rest the vibration of single particles goes as fast as bounce and sway do.
  double rate = body->damping + (whole->is_slow ? PL_REST_RATE : 0);
  pl_particles particles = particles_of(body, body->starts);
  pl_rigid_field field = {whole->motion.center, whole->velocity, whole->angular_velocity};
  whole->max_deviation = sqrt(pl_particle_kernels_get()->damp(&particles, &field, exp(-rate * step)));
}

// A rigid body is a whole as it is.
static void take_rigid(const pl_contact_rigid *rigid, pl_contact_whole *whole) {
  double slow = SLOW_FACTOR * PL_REST_SPEED, det = pl_mat3_determinant(rigid->inverse_inertia);
  if (!(rigid->inverse_mass > 0 && det > 0)) return;
  pl_vec3 v = rigid->velocity, w = rigid->angular_velocity;
  double turn = rigid->inverse_mass * pl_vec3_dot(w, pl_mat3_apply(pl_mat3_inverse(rigid->inverse_inertia), w));
  *whole = (pl_contact_whole){.motion = *rigid,
                              .velocity = v,
                              .angular_velocity = w,
                              .is_free = true,
                              .is_slow = pl_vec3_dot(v, v) + turn < slow * slow};
}

// Positions will follow what is changed from here on.
static void note_velocities(const pl_contact_damping *d, int32_t k) {
  const pl_contact_body *body = &d->bodies[k];
  if (body->rigid != NULL)
    d->memory->move_rigids[k] = *body->rigid;
  else if (body->surface->particle_count > 0)
    memcpy(&d->memory->move_velocities[d->memory->particle_start[k]], body->velocities,
           (size_t)body->surface->particle_count * sizeof *body->velocities);
}

// Returns whether it may have shocks.
static bool damp_body(const pl_contact_damping *d, int32_t k) {
  const pl_contact_body *body = &d->bodies[k];
  pl_contact_whole *whole = &d->memory->wholes[k];
  whole->is_free = whole->is_slow = false;
  if (body->asleep || !(body->damping > 0)) return false;
  if (body->rigid != NULL || !pl_contact_find_whole(body, body->starts, whole)) return false;
  damp_vibration(body, whole, d->step);
  return whole->max_deviation > SHOCK_SPEED;
}

static void damp_shocks(const pl_contact_damping *d, const pl_shock_group *group) {
  if (group->count == 0) return;
  int32_t body = (int32_t)(group->bodies[0] - d->bodies), first = d->memory->particle_start[body] + body;
  pl_shock_particles particles = {&d->memory->shock_positions[first], &d->memory->shock_velocities[first]};
  pl_contact_damp_shocks(group, SHOCK * d->step, &particles);
}

// Vibration of some bodies, and shocks of those that follow each other and have one model together.
static void damp_listed(const pl_contact_damping *d, const int32_t *bodies, int32_t count) {
  pl_shock_group group = {.count = 0};
  for (int32_t i = 0; i < count; ++i) {
    if (!damp_body(d, bodies[i])) continue;
    const pl_surface_tree *tree = d->memory->motions[bodies[i]].tree;
    if (group.count == LANES || tree != group.tree) {
      damp_shocks(d, &group);
      group.count = 0;
    }
    group.tree = tree;
    group.bodies[group.count++] = &d->bodies[bodies[i]];
  }
  damp_shocks(d, &group);
}

static void damp_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_contact_damping *d = data;
  damp_listed(d, &d->memory->plan.bodies[begin], end - begin);
}

// What a whole got.
static pl_rigid_field change_of(const pl_contact_whole *whole) {
  return (pl_rigid_field){whole->motion.center, pl_vec3_sub(whole->motion.velocity, whole->velocity),
                          pl_vec3_sub(whole->motion.angular_velocity, whole->angular_velocity)};
}

// It goes to its particles.
static void move_whole(const pl_contact_damping *d, int32_t k) {
  pl_particles particles = particles_of(&d->bodies[k], d->bodies[k].starts);
  pl_rigid_field change = change_of(&d->memory->wholes[k]);
  pl_particle_kernels_get()->add(&particles, &change);
}

static void move_wholes(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_contact_damping *d = data;
  for (int32_t i = begin; i < end; ++i) {
    int32_t k = d->memory->plan.bodies[i];
    if (d->memory->wholes[k].is_slow) move_whole(d, k);
  }
}

static void note_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_contact_damping *d = data;
  for (int32_t i = begin; i < end; ++i) note_velocities(d, d->memory->plan.bodies[i]);
}

void pl_contact_note_island(const pl_contact_damping *d, const pl_contact_island *island) {
  for (int32_t i = 0; i < island->body_count; ++i) note_velocities(d, island->bodies[i]);
}

void pl_contact_note_large(pl_contact_damping *d) {
  pl_parallel_for(d->context, d->memory->plan.small_body_start[0], LANES, note_bodies, d);
}

void pl_contact_damp_island(pl_contact_damping *d, const pl_contact_island *island) {
  d->is_after = false;
  damp_listed(d, island->bodies, island->body_count);
  bool is_near_rest = false;
  for (int32_t i = 0; i < island->body_count && !is_near_rest; ++i)
    is_near_rest = d->memory->wholes[island->bodies[i]].is_slow;
  if (!is_near_rest) return;
  pl_contact_rest_pairs(d, island->pairs, island->pair_count);
  for (int32_t i = 0; i < island->body_count; ++i)
    if (d->memory->wholes[island->bodies[i]].is_slow) move_whole(d, island->bodies[i]);
}

void pl_contact_damp_large(pl_contact_damping *d) {
  const pl_contact_plan *plan = &d->memory->plan;
  int32_t body_count = plan->small_body_start[0];
  d->is_after = false;
  pl_parallel_for(d->context, body_count, LANES, damp_bodies, d);
  bool is_near_rest = false;
  for (int32_t i = 0; i < body_count && !is_near_rest; ++i) is_near_rest = d->memory->wholes[plan->bodies[i]].is_slow;
  if (!is_near_rest) return;
  pl_contact_plan_visit_large(d->context, plan, pl_contact_rest_pairs, d);
  pl_parallel_for(d->context, body_count, BODY_GRAIN, move_wholes, d);
}

// --- rebound and limit, after the sweeps

// Give particles what their whole got, unless `change` is NULL, and limit how fast they move relative to the rigid
// motion; linear and angular momentum are kept. Returns whether any was limited.
static bool limit_vibration(const pl_contact_body *body, const pl_rigid_field *change, const pl_contact_rigid *motion,
                            double max_speed) {
  const pl_particle_kernels *kernels = pl_particle_kernels_get();
  pl_particles particles = particles_of(body, body->positions);
  pl_rigid_field field = field_of(motion);
  if (!(kernels->find_max(&particles, change, &field) > max_speed * max_speed)) return false;
  pl_vec3 momentum = {0, 0, 0}, spin = {0, 0, 0};
  for (int32_t i = 0; i < particles.count; ++i) {
    pl_vec3 deviation = pl_vec3_sub(body->velocities[i], pl_whole_velocity_at(motion, body->positions[i]));
    double square = pl_vec3_dot(deviation, deviation);
    if (!(square > max_speed * max_speed) || !(body->inverse_masses[i] > 0)) continue;
    double m = 1 / body->inverse_masses[i];
    pl_vec3 lost = pl_vec3_scale(deviation, 1 - max_speed / sqrt(square));
    body->velocities[i] = pl_vec3_sub(body->velocities[i], lost);
    momentum = pl_vec3_add_scaled(momentum, lost, m);
    spin = pl_vec3_add_scaled(spin, pl_vec3_cross(pl_vec3_sub(body->positions[i], motion->center), lost), m);
  }
  pl_rigid_field back = {motion->center, pl_vec3_scale(momentum, motion->inverse_mass),
                         pl_mat3_apply(motion->inverse_inertia, spin)};
  kernels->add(&particles, &back);
  return true;
}

// Does any particle differ from the mean by more than a vibration that is let be?
static bool may_exceed(const pl_contact_body *body) {
  if (body->max_deviation > 0) return body->max_deviation > SHOCK_SPEED;
  int32_t count = body->surface->particle_count;
  pl_vec3 mean = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i) mean = pl_vec3_add(mean, body->velocities[i]);
  mean = pl_vec3_scale(mean, 1.0 / count);
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 deviation = pl_vec3_sub(body->velocities[i], mean);
    if (pl_vec3_dot(deviation, deviation) > SHOCK_SPEED * SHOCK_SPEED) return true;
  }
  return false;
}

// A body that may be damped after the sweeps, as a whole.
static void find_whole_after(const pl_contact_damping *d, int32_t k) {
  const pl_contact_body *body = &d->bodies[k];
  pl_contact_whole *whole = &d->memory->wholes[k];
  whole->is_free = whole->is_slow = whole->is_found = false;
  if (body->asleep || !(body->damping > 0)) return;
  if (body->rigid != NULL) {
    if (is_touched(d, k)) take_rigid(body->rigid, whole);
    return;
  }
  if (!is_touched(d, k) && !may_exceed(body)) return;
  if (body->write_points != NULL) body->write_points(body->write_data);
  whole->is_found = pl_contact_find_whole(body, body->positions, whole);
}

static void find_wholes(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_contact_damping *d = data;
  for (int32_t i = begin; i < end; ++i) find_whole_after(d, d->memory->plan.bodies[i]);
}

static pl_vec3 arm_velocity(const pl_contact_damping *d, const pl_contact_arm *arm) {
  pl_vec3 velocity = {0, 0, 0};
  for (int32_t i = 0; i < arm->count; ++i)
    velocity =
        pl_vec3_add_scaled(velocity, d->bodies[arm->body].velocities[arm->terms[i].particle], arm->terms[i].weight);
  return velocity;
}

// How fast something that moves at `velocity` pushes a whole along a normal.
static void note_push(pl_contact_whole *whole, pl_vec3 point, pl_vec3 normal, pl_vec3 velocity) {
  double speed = pl_vec3_dot(normal, pl_vec3_sub(velocity, pl_whole_velocity_at(&whole->motion, point)));
  whole->push = pl_larger(whole->push, fabs(speed));
}

static void find_row_pushes(const pl_contact_damping *d, const pl_contact_pair *pair) {
  for (int32_t i = 0; i < pair->count; ++i) {
    const pl_contact_row *row = &d->memory->rows[pair->first_row + i];
    if (!(row->normal_impulse > 0) || row->a.body == row->b.body) continue;
    bool has_a = d->memory->wholes[row->a.body].is_found;
    pl_vec3 other = row->surface_velocity;
    if (!has_a)
      other = arm_velocity(d, &row->a);
    else if (row->b.body >= 0)
      other = pl_vec3_add(other, arm_velocity(d, &row->b));
    note_push(&d->memory->wholes[has_a ? row->a.body : row->b.body],
              pl_arm_point(&row->a, pl_damping_positions(d, row->a.body)), row->normal, other);
  }
}

static void find_soft_pushes(const pl_contact_damping *d, const pl_contact_pair *pair) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    const pl_contact_body *own = &d->bodies[side.own], *other = &d->bodies[side.other];
    bool has_own = d->memory->wholes[side.own].is_found;
    for (int32_t i = side.first; i < side.end; ++i) {
      const pl_soft_row *row = &d->memory->soft_rows[i];
      if (!(row->normal_impulse > 0)) continue;
      // The velocity of the side that is no whole: the gap moves as the point minus the place.
      pl_vec3 velocity = own->velocities[row->particles[0]];
      if (has_own) velocity = pl_vec3_sub(velocity, pl_soft_gap(row, own->velocities, other->velocities));
      note_push(&d->memory->wholes[has_own ? side.own : side.other], own->positions[row->particles[0]],
                pl_vec3_of_floats(row->normal), velocity);
    }
  }
}

// How fast colliders and bodies that are no wholes push those that are.
static void find_pushes(void *data, const pl_contact_pair *pairs, int32_t count) {
  const pl_contact_damping *d = data;
  const pl_contact_whole *wholes = d->memory->wholes;
  for (const pl_contact_pair *pair = pairs; pair < pairs + count; ++pair) {
    if (wholes[pair->a].is_found == (pair->b >= 0 && wholes[pair->b].is_found)) continue;
    if (pair->axis >= 0)
      find_soft_pushes(d, pair);
    else
      find_row_pushes(d, pair);
  }
}

static void limit_body(const pl_contact_damping *d, int32_t k) {
  pl_contact_body *body = &d->bodies[k];
  const pl_contact_whole *whole = &d->memory->wholes[k];
  if (!whole->is_found && !(body->rigid != NULL && whole->is_slow)) return;
  bool is_pushed = pl_vec3_distance(whole->motion.velocity, whole->velocity) > 0 ||
                   pl_vec3_distance(whole->motion.angular_velocity, whole->angular_velocity) > 0;
  if (body->rigid != NULL) {
    if (!is_pushed) return;
    body->rigid->velocity = whole->motion.velocity;
    body->rigid->angular_velocity = whole->motion.angular_velocity;
    body->moved = true;
    return;
  }
  pl_rigid_field change = change_of(whole);
  double max_speed = pl_larger(pl_larger(SHOCK_SPEED, PUSH_FACTOR * whole->push), MAX_WAY * whole->spacing / d->step);
  bool is_limited = limit_vibration(body, is_pushed ? &change : NULL, &whole->motion, max_speed);
  if (is_pushed || is_limited) body->moved = true;
}

static void limit_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_contact_damping *d = data;
  for (int32_t i = begin; i < end; ++i) limit_body(d, d->memory->plan.bodies[i]);
}

// Bodies that touch nothing: what they are as wholes is asked once, while they are in the cache.
static void limit_others(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_contact_damping *d = data;
  const pl_contact_plan *plan = &d->memory->plan;
  for (int32_t i = begin; i < end; ++i) {
    int32_t k = plan->bodies[plan->small_body_start[plan->small_count] + i];
    find_whole_after(d, k);
    limit_body(d, k);
  }
}

void pl_contact_limit_island(pl_contact_damping *d, const pl_contact_island *island) {
  d->is_after = true;
  for (int32_t i = 0; i < island->body_count; ++i) find_whole_after(d, island->bodies[i]);
  pl_contact_rest_pairs(d, island->pairs, island->pair_count);
  find_pushes(d, island->pairs, island->pair_count);
  for (int32_t i = 0; i < island->body_count; ++i) limit_body(d, island->bodies[i]);
}

void pl_contact_begin_limits(pl_contact_damping *d) {
  d->is_after = true;
  pl_parallel_for(d->context, d->memory->plan.small_body_start[0], BODY_GRAIN, find_wholes, d);
}

void pl_contact_end_limits(pl_contact_damping *d) {
  const pl_contact_plan *plan = &d->memory->plan;
  pl_contact_plan_visit_large(d->context, plan, find_pushes, d);
  pl_parallel_for(d->context, plan->small_body_start[0], BODY_GRAIN, limit_bodies, d);
  int32_t other_count = d->memory->body_count - plan->small_body_start[plan->small_count];
  pl_parallel_for(d->context, other_count, BODY_GRAIN, limit_others, d);
}
