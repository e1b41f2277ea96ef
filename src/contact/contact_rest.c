// How pairs of bodies that touch come to rest, as wholes; contact_damping.c has what damps single bodies,
// contact_rest_soft.c the same for pairs of two soft bodies.
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
//   what the contact pressed with, so that nothing sticks. On a collider γ₁ is less: bodies bounce there, and this is
//   what their restitution does.
//
// After the sweeps two bodies also get back, as wholes, the angular momentum that impulses on two places, as far apart
// as the gap, brought in.
#include <math.h>

#include "contact/contact_damping.h"
#include "pliant/math.h"

static const double MIXED_RATE = 240;  // γ₀ between a rigid and a soft body, 1/s
// γ₁ on a collider. At ten times as much nothing bounces; without it a box that was thrown off a heap rolls on its
// corners for seconds, each of which gives back what it takes. From 1 m a default box bounces to 0.27 m, 0.43 without.
static const double COLLIDER_REBOUND_RATE = 20;

static bool has_rigid(const pl_contact_damping *d, int32_t a, int32_t b) {
  return d->bodies[a].rigid != NULL || (b >= 0 && d->bodies[b].rigid != NULL);
}

// Where a row acts: at the particles of one of its sides, of which at least one is no rigid body.
static pl_vec3 row_point(const pl_contact_damping *d, const pl_contact_row *row) {
  const pl_contact_arm *arm = d->bodies[row->a.body].rigid == NULL ? &row->a : &row->b;
  return pl_arm_point(arm, pl_damping_positions(d, arm->body));
}

// A contact as it acts on two bodies as wholes.
typedef struct rest_contact {
  int32_t a, b;  // bodies; b -1: a collider
  pl_vec3 normal, point, surface_velocity;
  double friction, restitution, normal_impulse;
  pl_vec3 sliding_impulse;
  double *rest_impulse;
  pl_vec3 *collider_rest;  // of a collider: all of it, N s on the body; NULL: of a body
} rest_contact;

static rest_contact rest_of_row(const pl_contact_damping *d, pl_contact_row *row) {
  return (rest_contact){.a = row->a.body,
                        .b = row->b.body,
                        .normal = row->normal,
                        .point = row_point(d, row),
                        .surface_velocity = row->surface_velocity,
                        .friction = row->friction,
                        .restitution = row->restitution,
                        .normal_impulse = row->normal_impulse,
                        .sliding_impulse = row->sliding_impulse,
                        .rest_impulse = &row->rest_impulse,
                        .collider_rest = row->b.body < 0 ? &row->b.lever : NULL};
}

// Relative velocity of two wholes that a contact takes away, and the rate at which it does.
static pl_vec3 damped_velocity(const pl_contact_damping *d, const rest_contact *c, pl_vec3 u, double *rate) {
  double along = pl_vec3_dot(c->normal, u), limit = PL_STICKING * c->friction * c->normal_impulse;
  if (d->is_after && !has_rigid(d, c->a, c->b)) {
    *rate = (c->b < 0 ? COLLIDER_REBOUND_RATE : PL_REBOUND_RATE) * pl_larger(1 - c->restitution, 0);
    return pl_vec3_scale(c->normal, pl_larger(along, 0));
  }
  bool slides = pl_vec3_dot(c->sliding_impulse, c->sliding_impulse) > limit * limit;
  if (slides) u = pl_vec3_scale(c->normal, along);
  double max_rate = has_rigid(d, c->a, c->b) ? MIXED_RATE : PL_REST_RATE;
  *rate = max_rate * PL_REST_SPEED * PL_REST_SPEED / (PL_REST_SPEED * PL_REST_SPEED + pl_vec3_dot(u, u));
  return u;
}

static void rest_at(const pl_contact_damping *d, const rest_contact *c, double fraction, pl_rest_loss *loss) {
  pl_contact_rigid *a = &d->memory->wholes[c->a].motion, *b = c->b >= 0 ? &d->memory->wholes[c->b].motion : NULL;
  // Both feel it at one point, so that angular momentum stays.
  pl_vec3 point = c->point, u = pl_vec3_sub(pl_whole_velocity_at(a, point), c->surface_velocity);
  if (b != NULL) u = pl_vec3_sub(u, pl_whole_velocity_at(b, point));
  double rate;
  u = damped_velocity(d, c, u, &rate);
  double square = pl_vec3_dot(u, u);
  if (!(square > 0)) return;
  pl_vec3 n = pl_vec3_scale(u, 1 / sqrt(square));
  double answer = pl_whole_answer_along(a, point, n) + (b != NULL ? pl_whole_answer_along(b, point, n) : 0);
  double lost = pl_lost_at(loss, rate, d->step);
  pl_vec3 impulse = pl_vec3_scale(u, -lost * fraction / answer);
  // No adhesion: what pulls is at most what presses.
  double pull = -pl_vec3_dot(impulse, c->normal), pressed = pl_larger(c->normal_impulse + *c->rest_impulse, 0);
  if (pull > pressed) impulse = pl_vec3_scale(impulse, pressed / pull);
  *c->rest_impulse += pl_vec3_dot(impulse, c->normal);
  if (c->collider_rest != NULL) *c->collider_rest = pl_vec3_add(*c->collider_rest, impulse);
  pl_whole_push_at(a, point, impulse);
  if (b != NULL) pl_whole_push_at(b, point, pl_vec3_scale(impulse, -1));
}

// Is a pair damped as wholes? Before the sweeps those near rest, after them the others. Of a rigid and a soft body
// those near rest are damped after the sweeps, which would undo what acts on the rigid one before. Rigid bodies among
// themselves have nothing that sways.
static bool is_damped(const pl_contact_damping *d, const pl_contact_pair *pair) {
  const pl_contact_whole *a = &d->memory->wholes[pair->a], *b = pair->b >= 0 ? &d->memory->wholes[pair->b] : NULL;
  bool is_slow = a->is_slow && (b == NULL || b->is_slow);
  if (has_rigid(d, pair->a, pair->b)) {
    bool is_mixed = b != NULL && (d->bodies[pair->a].rigid == NULL || d->bodies[pair->b].rigid == NULL);
    return d->is_after && is_slow && is_mixed;
  }
  return d->is_after ? !is_slow && a->is_free && (b == NULL || b->is_free) : is_slow;
}

// Angular momentum that the impulses of a row brought into the two bodies: they act on two places, as far apart as the
// gap between them.
//
//   T = (p - q) x P    with the places of the start for what positions followed, and of the end for the rest
static pl_vec3 spin_of(const pl_contact_damping *d, const pl_contact_row *row) {
  const pl_contact_body *a = &d->bodies[row->a.body], *b = &d->bodies[row->b.body];
  pl_vec3 impulse = pl_vec3_add_scaled(row->sliding_impulse, row->normal, row->normal_impulse);
  pl_vec3 start = pl_vec3_sub(pl_arm_point(&row->a, a->starts), pl_arm_point(&row->b, b->starts));
  pl_vec3 end = pl_vec3_sub(pl_arm_point(&row->a, a->positions), pl_arm_point(&row->b, b->positions));
  return pl_vec3_add(pl_vec3_cross(start, row->arrive_impulse),
                     pl_vec3_cross(end, pl_vec3_sub(impulse, row->arrive_impulse)));
}

static pl_vec3 sum_spins(const pl_contact_damping *d, const pl_contact_pair *pair) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < pair->count; ++i) {
    const pl_contact_row *row = &d->memory->rows[pair->first_row + i];
    // Also of a row that pushed positions apart and pushes no more: the two places have moved in between.
    bool has_pushed = row->normal_impulse > 0 || pl_vec3_dot(row->arrive_impulse, row->arrive_impulse) > 0;
    if (has_pushed && row->normal_mass > 0 && row->b.body >= 0) sum = pl_vec3_add(sum, spin_of(d, row));
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

static void rest_rows(const pl_contact_damping *d, const pl_contact_pair *pair, pl_rest_loss *loss) {
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

void pl_contact_rest_pairs(void *data, const pl_contact_pair *pairs, int32_t count) {
  const pl_contact_damping *d = data;
  pl_rest_loss loss = {0, 0};
  for (const pl_contact_pair *pair = pairs; pair < pairs + count; ++pair) {
    if (d->is_after && pair + 1 < pairs + count) pl_soft_fetch_ends(d->memory, d->bodies, pair + 1);
    if (pair->axis >= 0) {
      pl_contact_rest_soft(d, pair, &loss);
      continue;
    }
    if (d->is_after) keep_spin(d, pair);
    if (is_damped(d, pair)) rest_rows(d, pair, &loss);
  }
}
