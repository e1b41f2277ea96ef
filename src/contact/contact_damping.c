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
// 3 Rest: bodies that bounce or sway on what they touch although their surfaces stick together. With u the relative
//   velocity that the two bodies would have at the contact if they were rigid, an impulse
//
//     D = -γ(u) h f M u,    γ(u) = γ₀ s² / (s² + u²)
//
//   acts on both bodies as wholes; f is the contact's fraction of the pair's normal impulse and M the mass that both
//   oppose to it. At speeds above s it fades, so that bounces keep their height. A rolling body has u = 0. What slides
//   is damped along the normal alone: slopes are felt as before.
//
//   Between a rigid and a soft body it acts after the sweeps, and four times as much: before them the sweeps would take
//   back what the rigid body got, and a tower of both rocks on the soft body with the inertia of all that it carries.
//
// 4 Rebound: two bodies that part while they still press on each other, at any speed. Elastic bodies give back most of
//   the energy of an impact, whatever their restitution e says, and a heap would be thrown apart. With u > 0 the
//   velocity along the normal at which the wholes part, D = -(1 - e) γ₁ h f M u. After the sweeps: D is no larger than
//   what the contact pressed with, so that nothing sticks.
//
// After the sweeps two bodies also get back, as wholes, the angular momentum that impulses on two places, as far apart
// as the gap, brought in.
//
// Levers of what acts before the sweeps are those at the start of the step: positions follow the velocities, x + h v,
// so that x × v at its end is that of the start's x and the new v.
#include <math.h>

#include "base/parallel.h"
#include "contact/contact_particles.h"
#include "contact/contact_shock.h"
#include "contact/contact_solver.h"
#include "pliant/math.h"

static const double REST_RATE = 60;      // γ₀, 1/s
static const double MIXED_RATE = 240;    // the same between a rigid and a soft body
static const double REST_SPEED = 0.1;    // s, m/s
static const double REBOUND_RATE = 100;  // γ₁, 1/s
// A body whose particles move faster than this many times s is not near rest.
static const double SLOW_FACTOR = 4;
// Strain rates are damped at this multiple of themselves, in bodies whose particles move faster than this relative to
// it.
static const double SHOCK = 4, SHOCK_SPEED = 1;
// Largest way of a particle relative to its body in one step, as a fraction of the spacing of particles.
static const double MAX_WAY = 0.2;
// Speed of particles that something presses on, relative to its own.
static const double PUSH_FACTOR = 1.5;
// Friction above this fraction of its limit counts as sliding.
static const double STICKING = 0.95;

enum { BODY_GRAIN = 8 };

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

// The body as if it were rigid, with its particles at `positions`: Ω = I⁻¹ L. False for one that has no inertia or
// cannot move.
static bool find_whole(const pl_contact_body *body, const pl_vec3 *positions, pl_contact_whole *whole) {
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
  double min = 1e-9 * (xx + yy + zz), slow = SLOW_FACTOR * REST_SPEED;
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
  double rate = body->damping + (whole->is_slow ? REST_RATE : 0);
  pl_particles particles = particles_of(body, body->starts);
  pl_rigid_field field = {whole->motion.center, whole->velocity, whole->angular_velocity};
  whole->max_deviation = sqrt(pl_particle_kernels_get()->damp(&particles, &field, exp(-rate * step)));
}

// A rigid body is a whole as it is.
static void take_rigid(const pl_contact_rigid *rigid, pl_contact_whole *whole) {
  double slow = SLOW_FACTOR * REST_SPEED, det = pl_mat3_determinant(rigid->inverse_inertia);
  if (!(rigid->inverse_mass > 0 && det > 0)) return;
  pl_vec3 v = rigid->velocity, w = rigid->angular_velocity;
  double turn = rigid->inverse_mass * pl_vec3_dot(w, pl_mat3_apply(pl_mat3_inverse(rigid->inverse_inertia), w));
  *whole = (pl_contact_whole){.motion = *rigid,
                              .velocity = v,
                              .angular_velocity = w,
                              .is_free = true,
                              .is_slow = pl_vec3_dot(v, v) + turn < slow * slow};
}

static void damp_body(const pl_contact_damping *d, int32_t k) {
  const pl_contact_body *body = &d->bodies[k];
  pl_contact_whole *whole = &d->memory->wholes[k];
  whole->is_free = whole->is_slow = false;
  if (body->asleep || !(body->damping > 0)) return;
  if (body->rigid != NULL || !find_whole(body, body->starts, whole)) return;
  damp_vibration(body, whole, d->step);
  if (!(whole->max_deviation > SHOCK_SPEED)) return;
  int32_t first = d->memory->particle_start[k] + k;
  pl_shock_particles particles = {&d->memory->shock_positions[first], &d->memory->shock_velocities[first]};
  pl_contact_damp_shocks(body, d->memory->motions[k].tree, SHOCK * d->step, &particles);
}

static void damp_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_contact_damping *d = data;
  for (int32_t i = begin; i < end; ++i) damp_body(d, d->memory->plan.bodies[i]);
}

// --- rest

static pl_vec3 velocity_at(const pl_contact_rigid *motion, pl_vec3 point) {
  return pl_vec3_add(motion->velocity, pl_vec3_cross(motion->angular_velocity, pl_vec3_sub(point, motion->center)));
}

static void push_at(pl_contact_rigid *motion, pl_vec3 point, pl_vec3 impulse) {
  pl_vec3 lever = pl_vec3_sub(point, motion->center);
  motion->velocity = pl_vec3_add_scaled(motion->velocity, impulse, motion->inverse_mass);
  motion->angular_velocity =
      pl_vec3_add(motion->angular_velocity, pl_mat3_apply(motion->inverse_inertia, pl_vec3_cross(lever, impulse)));
}

// Answer of a whole to an impulse along `n`.
static double answer_along(const pl_contact_rigid *motion, pl_vec3 point, pl_vec3 n) {
  pl_vec3 turn = pl_vec3_cross(pl_vec3_sub(point, motion->center), n);
  return motion->inverse_mass + pl_vec3_dot(turn, pl_mat3_apply(motion->inverse_inertia, turn));
}

static bool has_rigid(const pl_contact_damping *d, int32_t a, int32_t b) {
  return d->bodies[a].rigid != NULL || (b >= 0 && d->bodies[b].rigid != NULL);
}

static const pl_vec3 *positions_of(const pl_contact_damping *d, int32_t body) {
  return d->is_after ? d->bodies[body].positions : d->bodies[body].starts;
}

static pl_vec3 point_of(const pl_contact_arm *arm, const pl_vec3 *positions) {
  pl_vec3 point = {0, 0, 0};
  for (int32_t i = 0; i < arm->count; ++i)
    point = pl_vec3_add_scaled(point, positions[arm->terms[i].particle], arm->terms[i].weight);
  return point;
}

static pl_vec3 arm_point(const pl_contact_damping *d, const pl_contact_arm *arm) {
  return point_of(arm, positions_of(d, arm->body));
}

// Where a row acts: at the particles of one of its sides, of which at least one is no rigid body.
static pl_vec3 row_point(const pl_contact_damping *d, const pl_contact_row *row) {
  return arm_point(d, d->bodies[row->a.body].rigid == NULL ? &row->a : &row->b);
}

// A contact as it acts on two bodies as wholes.
typedef struct rest_contact {
  int32_t a, b;  // bodies; b -1: a collider
  pl_vec3 normal, point, surface_velocity;
  double friction, restitution, normal_impulse;
  pl_vec3 sliding_impulse;
  double *rest_impulse;
} rest_contact;

static rest_contact rest_of_row(const pl_contact_damping *d, pl_contact_row *row) {
  return (rest_contact){row->a.body,           row->b.body,       row->normal,      row_point(d, row),
                        row->surface_velocity, row->friction,     row->restitution, row->normal_impulse,
                        row->sliding_impulse,  &row->rest_impulse};
}

static rest_contact rest_of_soft(const pl_contact_damping *d, const pl_soft_side *side, const pl_soft_row *row,
                                 double *rest_impulse) {
  return (rest_contact){side->own,
                        side->other,
                        pl_vec3_of_floats(row->normal),
                        positions_of(d, side->own)[row->particles[0]],
                        {0, 0, 0},
                        (double)row->friction,
                        (double)row->restitution,
                        (double)row->normal_impulse,
                        pl_vec3_of_floats(row->sliding_impulse),
                        rest_impulse};
}

// Relative velocity of two wholes that a contact takes away, and the rate at which it does.
static pl_vec3 damped_velocity(const pl_contact_damping *d, const rest_contact *c, pl_vec3 u, double *rate) {
  double along = pl_vec3_dot(c->normal, u), limit = STICKING * c->friction * c->normal_impulse;
  if (d->is_after && !has_rigid(d, c->a, c->b)) {
    *rate = REBOUND_RATE * pl_larger(1 - c->restitution, 0);
    return pl_vec3_scale(c->normal, pl_larger(along, 0));
  }
  bool slides = pl_vec3_dot(c->sliding_impulse, c->sliding_impulse) > limit * limit;
  if (slides) u = pl_vec3_scale(c->normal, along);
  double max_rate = has_rigid(d, c->a, c->b) ? MIXED_RATE : REST_RATE;
  *rate = max_rate * REST_SPEED * REST_SPEED / (REST_SPEED * REST_SPEED + pl_vec3_dot(u, u));
  return u;
}

// The fraction that is lost in a step at some rate: mostly that of the row before.
typedef struct rest_loss {
  double rate, lost;
} rest_loss;

static double lost_at(rest_loss *loss, double rate, double step) {
  if (loss->rate != rate) *loss = (rest_loss){rate, 1 - exp(-rate * step)};
  return loss->lost;
}

static void rest_at(const pl_contact_damping *d, const rest_contact *c, double fraction, rest_loss *loss) {
  pl_contact_rigid *a = &d->memory->wholes[c->a].motion, *b = c->b >= 0 ? &d->memory->wholes[c->b].motion : NULL;
  // Both feel it at one point, so that angular momentum stays.
  pl_vec3 point = c->point, u = pl_vec3_sub(velocity_at(a, point), c->surface_velocity);
  if (b != NULL) u = pl_vec3_sub(u, velocity_at(b, point));
  double rate;
  u = damped_velocity(d, c, u, &rate);
  double square = pl_vec3_dot(u, u);
  if (!(square > 0)) return;
  pl_vec3 n = pl_vec3_scale(u, 1 / sqrt(square));
  double answer = answer_along(a, point, n) + (b != NULL ? answer_along(b, point, n) : 0);
  double lost = lost_at(loss, rate, d->step);
  pl_vec3 impulse = pl_vec3_scale(u, -lost * fraction / answer);
  // No adhesion: what pulls is at most what presses.
  double pull = -pl_vec3_dot(impulse, c->normal), pressed = pl_larger(c->normal_impulse + *c->rest_impulse, 0);
  if (pull > pressed) impulse = pl_vec3_scale(impulse, pressed / pull);
  *c->rest_impulse += pl_vec3_dot(impulse, c->normal);
  push_at(a, point, impulse);
  if (b != NULL) push_at(b, point, pl_vec3_scale(impulse, -1));
}

// Is a pair damped as wholes? Before the sweeps those near rest, after them the others; but on a collider a body
// bounces as elastic as it is. Of a rigid and a soft body those near rest are damped after the sweeps, which would undo
// what acts on the rigid one before. Rigid bodies among themselves have nothing that sways.
static bool is_damped(const pl_contact_damping *d, const pl_contact_pair *pair) {
  const pl_contact_whole *a = &d->memory->wholes[pair->a], *b = pair->b >= 0 ? &d->memory->wholes[pair->b] : NULL;
  bool is_slow = a->is_slow && (b == NULL || b->is_slow);
  if (has_rigid(d, pair->a, pair->b)) {
    bool is_mixed = b != NULL && (d->bodies[pair->a].rigid == NULL || d->bodies[pair->b].rigid == NULL);
    return d->is_after && is_slow && is_mixed;
  }
  return d->is_after ? !is_slow && b != NULL && a->is_free && b->is_free : is_slow;
}

// Angular momentum that the impulses of a row brought into the two bodies: they act on two places, as far apart as the
// gap between them.
//
//   T = (p - q) x P    with the places of the start for what positions followed, and of the end for the rest
static pl_vec3 spin_of(const pl_contact_damping *d, const pl_contact_row *row) {
  const pl_contact_body *a = &d->bodies[row->a.body], *b = &d->bodies[row->b.body];
  pl_vec3 impulse = pl_vec3_add_scaled(row->sliding_impulse, row->normal, row->normal_impulse);
  pl_vec3 start = pl_vec3_sub(point_of(&row->a, a->starts), point_of(&row->b, b->starts));
  pl_vec3 end = pl_vec3_sub(point_of(&row->a, a->positions), point_of(&row->b, b->positions));
  return pl_vec3_add(pl_vec3_cross(start, row->arrive_impulse),
                     pl_vec3_cross(end, pl_vec3_sub(impulse, row->arrive_impulse)));
}

// The same of a contact of soft bodies.
static pl_vec3 spin_of_soft(const pl_contact_damping *d, const pl_soft_side *side, const pl_soft_row *row,
                            pl_vec3 arrive_impulse) {
  const pl_contact_body *a = &d->bodies[side->own], *b = &d->bodies[side->other];
  pl_vec3 start = pl_soft_gap(row, a->starts, b->starts), end = pl_soft_gap(row, a->positions, b->positions);
  return pl_vec3_add(pl_vec3_cross(start, arrive_impulse),
                     pl_vec3_cross(end, pl_vec3_sub(pl_soft_impulse(row), arrive_impulse)));
}

static pl_vec3 sum_spins(const pl_contact_damping *d, const pl_contact_pair *pair) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < pair->count && pair->axis < 0; ++i) {
    const pl_contact_row *row = &d->memory->rows[pair->first_row + i];
    // Also of a row that pushed positions apart and pushes no more: the two places have moved in between.
    bool has_pushed = row->normal_impulse > 0 || pl_vec3_dot(row->arrive_impulse, row->arrive_impulse) > 0;
    if (has_pushed && row->normal_mass > 0 && row->b.body >= 0) sum = pl_vec3_add(sum, spin_of(d, row));
  }
  for (int k = 0; k < 2 && pair->axis >= 0; ++k) {
    pl_soft_side side = pl_soft_side_of(d->memory, pair, k);
    for (int32_t i = side.first; i < side.end; ++i) {
      const pl_soft_row *row = &d->memory->soft_rows[i];
      pl_vec3 arrived = pl_vec3_of_floats(d->memory->soft_notes[i].arrive_impulse);
      bool has_pushed = row->normal_impulse > 0 || pl_vec3_dot(arrived, arrived) > 0;
      if (has_pushed) sum = pl_vec3_add(sum, spin_of_soft(d, &side, row, arrived));
    }
  }
  return sum;
}

// Take it back from both bodies as wholes.
static void keep_spin(const pl_contact_damping *d, const pl_contact_pair *pair) {
  pl_contact_whole *a = &d->memory->wholes[pair->a], *b = pair->b >= 0 ? &d->memory->wholes[pair->b] : a;
  if (!a->is_found || !b->is_found || !a->is_free || !b->is_free) return;
  pl_vec3 sum = sum_spins(d, pair);
  for (int side = 0; side < 2; ++side) {
    pl_contact_rigid *motion = side == 0 ? &a->motion : &b->motion;
    motion->angular_velocity =
        pl_vec3_add_scaled(motion->angular_velocity, pl_mat3_apply(motion->inverse_inertia, sum), -0.5);
  }
}

static void rest_rows(const pl_contact_damping *d, const pl_contact_pair *pair, rest_loss *loss) {
  pl_contact_row *rows = &d->memory->rows[pair->first_row];
  double sum = 0;
  for (int32_t i = 0; i < pair->count; ++i) sum += rows[i].normal_impulse;
  for (int32_t i = 0; i < pair->count && sum > 0; ++i) {
    bool is_self = rows[i].a.body == rows[i].b.body;
    if (!(rows[i].normal_impulse > 0) || is_self) continue;
    rest_contact contact = rest_of_row(d, &rows[i]);
    rest_at(d, &contact, rows[i].normal_impulse / sum, loss);
  }
}

// How fast two soft bodies part, as wholes, where a contact is.
static double parting_speed(const pl_contact_damping *d, const pl_soft_side *side, const pl_soft_row *row) {
  pl_vec3 point = positions_of(d, side->own)[row->particles[0]];
  return pl_vec3_dot(pl_vec3_of_floats(row->normal),
                     pl_vec3_sub(velocity_at(&d->memory->wholes[side->own].motion, point),
                                 velocity_at(&d->memory->wholes[side->other].motion, point)));
}

static void rest_soft(const pl_contact_damping *d, const pl_contact_pair *pair, rest_loss *loss) {
  double sum = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int k = 0; k < 2; ++k) {
      pl_soft_side side = pl_soft_side_of(d->memory, pair, k);
      for (int32_t i = side.first; i < side.end; ++i) {
        const pl_soft_row *row = &d->memory->soft_rows[i];
        if (pass == 0) sum += (double)row->normal_impulse;
        if (pass == 0 || !(row->normal_impulse > 0)) continue;
        // After the sweeps only those that part are damped: most do not.
        if (d->is_after && !(parting_speed(d, &side, row) > 0)) continue;
        double rest_impulse = (double)d->memory->soft_notes[i].rest_impulse;
        rest_contact contact = rest_of_soft(d, &side, row, &rest_impulse);
        rest_at(d, &contact, (double)row->normal_impulse / sum, loss);
        d->memory->soft_notes[i].rest_impulse = (float)rest_impulse;
      }
    }
}

static void rest_pairs(void *data, const pl_contact_pair *pairs, int32_t count) {
  const pl_contact_damping *d = data;
  rest_loss loss = {0, 0};
  for (const pl_contact_pair *pair = pairs; pair < pairs + count; ++pair) {
    if (d->is_after) keep_spin(d, pair);
    if (!is_damped(d, pair)) continue;
    if (pair->axis >= 0)
      rest_soft(d, pair, &loss);
    else
      rest_rows(d, pair, &loss);
  }
}

// What a whole got goes to its particles.
static void move_whole(const pl_contact_damping *d, int32_t k) {
  const pl_contact_whole *whole = &d->memory->wholes[k];
  pl_particles particles = particles_of(&d->bodies[k], positions_of(d, k));
  pl_rigid_field change = {whole->motion.center, pl_vec3_sub(whole->motion.velocity, whole->velocity),
                           pl_vec3_sub(whole->motion.angular_velocity, whole->angular_velocity)};
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

void pl_contact_damp_island(pl_contact_damping *d, const pl_contact_island *island) {
  d->is_after = false;
  bool is_near_rest = false;
  for (int32_t i = 0; i < island->body_count; ++i) {
    damp_body(d, island->bodies[i]);
    is_near_rest = is_near_rest || d->memory->wholes[island->bodies[i]].is_slow;
  }
  if (!is_near_rest) return;
  rest_pairs(d, island->pairs, island->pair_count);
  for (int32_t i = 0; i < island->body_count; ++i)
    if (d->memory->wholes[island->bodies[i]].is_slow) move_whole(d, island->bodies[i]);
}

void pl_contact_damp_large(pl_contact_damping *d) {
  const pl_contact_plan *plan = &d->memory->plan;
  int32_t body_count = plan->small_body_start[0];
  d->is_after = false;
  pl_parallel_for(d->context, body_count, BODY_GRAIN, damp_bodies, d);
  bool is_near_rest = false;
  for (int32_t i = 0; i < body_count && !is_near_rest; ++i) is_near_rest = d->memory->wholes[plan->bodies[i]].is_slow;
  if (!is_near_rest) return;
  pl_contact_plan_visit_large(d->context, plan, rest_pairs, d);
  pl_parallel_for(d->context, body_count, BODY_GRAIN, move_wholes, d);
}

// --- rebound and limit, after the sweeps

// Limit how fast particles move relative to the rigid motion; linear and angular momentum are kept. Returns whether
// any did.
static bool limit_vibration(const pl_contact_body *body, const pl_contact_rigid *motion, double max_speed) {
  const pl_particle_kernels *kernels = pl_particle_kernels_get();
  pl_particles particles = particles_of(body, body->positions);
  pl_rigid_field field = field_of(motion);
  if (!(kernels->find_max(&particles, &field) > max_speed * max_speed)) return false;
  pl_vec3 momentum = {0, 0, 0}, spin = {0, 0, 0};
  for (int32_t i = 0; i < particles.count; ++i) {
    pl_vec3 deviation = pl_vec3_sub(body->velocities[i], velocity_at(motion, body->positions[i]));
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
  whole->is_found = find_whole(body, body->positions, whole);
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
  double speed = pl_vec3_dot(normal, pl_vec3_sub(velocity, velocity_at(&whole->motion, point)));
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
    note_push(&d->memory->wholes[has_a ? row->a.body : row->b.body], arm_point(d, &row->a), row->normal, other);
  }
}

static void find_soft_pushes(const pl_contact_damping *d, const pl_contact_pair *pair) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(d->memory, pair, k);
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
  if (is_pushed) move_whole(d, k);
  double max_speed = pl_larger(pl_larger(SHOCK_SPEED, PUSH_FACTOR * whole->push), MAX_WAY * whole->spacing / d->step);
  bool is_limited = limit_vibration(body, &whole->motion, max_speed);
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
  rest_pairs(d, island->pairs, island->pair_count);
  find_pushes(d, island->pairs, island->pair_count);
  for (int32_t i = 0; i < island->body_count; ++i) limit_body(d, island->bodies[i]);
}

void pl_contact_limit_large(pl_contact_damping *d) {
  const pl_contact_plan *plan = &d->memory->plan;
  int32_t body_count = plan->small_body_start[0];
  d->is_after = true;
  pl_parallel_for(d->context, body_count, BODY_GRAIN, find_wholes, d);
  pl_contact_plan_visit_large(d->context, plan, rest_pairs, d);
  pl_contact_plan_visit_large(d->context, plan, find_pushes, d);
  pl_parallel_for(d->context, body_count, BODY_GRAIN, limit_bodies, d);
  int32_t other_count = d->memory->body_count - plan->small_body_start[plan->small_count];
  pl_parallel_for(d->context, other_count, BODY_GRAIN, limit_others, d);
}
