// Bounces in a coupled solve.
//
// A step ends with x_end = x_start + h u, so that contact chooses one velocity for the whole step: a body that bounces
// turns where the step began, at the gap g_0 above what it hits, and leaves from there. With e the restitution and a
// the acceleration of the gap, negative where gravity closes it,
//
//   v_0  = v_start + l                          speed when the step began; l = ½ a h where velocities are those of the
//                                               middle of a step, 0 where they are those of its end
//   v_c² = v_0² - 2 a g_0                       speed at which the gap would be used up
//   (u + l)² - 2 a (g_0 + h u) = e² v_c²        leaves as if it had left with e v_c from there
//
// so that what falls from a height H rises to e² H whatever the step, but for what the impact leaves as vibration. The
// gap at the end is held at g_0 + h u at least: the solve passes the blow through all of a stiff body in the step in
// which it happens, and to soft ones as far as it gets in a step.
//
// That holds for what turns as a whole within the step. Of a soft body single points turn, while what is behind them
// still presses with a force p: the impulse J that lifts a point at the speed u then does the work p h u, as a floor
// that moves up does, and gains energy each time that a point meets. With f the forces of contact, s the ways of the
// gaps and v velocities, a step of implicit Euler gains no more than
//
//   G = sum f.s - ½ |v_end - v_start|²_M          elastic energy being convex, but for rotation
//
// and an impulse that turns a mass by itself loses J (1 - e) v_c / 2. A solve that loses less than half of that, or
// gains energy with e = 1, is done again with a part of each bounce, down to none. The way that counts is s + l h: what
// flies by implicit Euler loses g h v / 2 too much until it meets and gets it back for the rise, or it would not rise
// to e² H.
//
// As with impulses, only what was already closing when the step began bounces, and only if it was faster than gravity
// makes it in a step: a body at rest is pressed onto the other in every step.
#include <math.h>

#include "contact/contact_solver.h"
#include "pliant/math.h"
#include "world/world_coupled_solve.h"

// Parts of a bounce that are tried in turn.
static const double PARTS[] = {1, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1, 0};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };
// Part of the energy lost by masses that turn by themselves that a step is to lose at least. Stiff bodies lose a little
// less than all, because they give way.
static const double MIN_LOSS = 0.5;

typedef struct side_motion {
  pl_vec3 velocity;      // as it is kept, m/s
  pl_vec3 acceleration;  // m/s²
  pl_vec3 lag;           // what the velocity misses to that of the end of its step, m/s
} side_motion;

// Of a particle. What sleeps or is held does not move; an animation moves its mesh along the step.
static side_motion motion_of_particle(const pl_coupled *j, const pl_coupled_body *b, int32_t i) {
  const pl_body *body = b->body;
  const pl_vec3 none = {0, 0, 0};
  double h = j->world->def.step;
  if (b->state == PL_COUPLED_ASLEEP) return (side_motion){none, none, none};
  if (b->state == PL_COUPLED_KINEMATIC)
    return (side_motion){pl_vec3_scale(pl_vec3_sub(body->positions[i], body->starts[i]), 1 / h), none, none};
  bool is_free = b->rigid != NULL ? b->rigid->goal.inverse_mass > 0 : body->inverse_masses[i] > 0;
  pl_vec3 acceleration = is_free ? b->move.acceleration : none;
  pl_vec3 lag = body->model->velocities_at_ends ? none : pl_vec3_scale(acceleration, 0.5 * h);
  return (side_motion){body->start_velocities[i], acceleration, lag};
}

static side_motion motion_of_side(const pl_coupled *j, const pl_contact_side *side) {
  side_motion sum = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int32_t k = 0; k < side->count; ++k) {
    const pl_coupled_body *b = &j->bodies[side->body];
    const int32_t *parents = &b->body->model->surface.parents[4 * (size_t)side->points[k]];
    const float *weights = &b->body->model->surface.weights[4 * (size_t)side->points[k]];
    for (int p = 0; p < 4; ++p) {
      if (weights[p] == 0.0f) continue;
      side_motion m = motion_of_particle(j, b, parents[p]);
      double weight = side->weights[k] * (double)weights[p];
      sum.velocity = pl_vec3_add_scaled(sum.velocity, m.velocity, weight);
      sum.acceleration = pl_vec3_add_scaled(sum.acceleration, m.acceleration, weight);
      sum.lag = pl_vec3_add_scaled(sum.lag, m.lag, weight);
    }
  }
  return sum;
}

pl_coupled_bounce pl_coupled_bounce_of(const pl_coupled *j, const pl_contact *c) {
  pl_coupled_bounce none = {false, 0, 0, 0};
  if (!(c->restitution > 0)) return none;
  double h = j->world->def.step;
  pl_contact_step step = {.step = h, .gravity = j->world->def.gravity};
  double slow = pl_contact_scale_of(&step).speed;
  side_motion a = motion_of_side(j, &c->a), b = {c->surface_velocity, {0, 0, 0}, {0, 0, 0}};
  if (c->collider < 0) b = motion_of_side(j, &c->b);
  double speed = pl_vec3_dot(c->normal, pl_vec3_sub(a.velocity, b.velocity));
  if (speed > slow) return (pl_coupled_bounce){true, 0, 0, 0};
  if (!(c->depth > 0 && speed < -slow)) return none;
  double pull = fmin(pl_vec3_dot(c->normal, pl_vec3_sub(a.acceleration, b.acceleration)), 0);
  double lag = pl_vec3_dot(c->normal, pl_vec3_sub(a.lag, b.lag));
  double gap = fmax(c->start_gap, 0), start = speed + lag, e = c->restitution;
  // u² - 2 (a h - l) u + l² - 2 a g_0 - e² v_c² = 0
  double half = pull * h - lag, square = e * e * (start * start - 2 * pull * gap) + 2 * pull * gap;
  double leave = half + sqrt(fmax(half * half - lag * lag + square, 0));
  leave = fmax(leave, 0);
  return (pl_coupled_bounce){false, leave, lag, 0.5 * leave * (1 / e - 1)};
}

// ½ |v_end - v_start|²_M; held particles move with their pins.
static double inertial_loss(const pl_coupled *j, pl_coupled_body *b) {
  if (b->coupled == NULL) return pl_coupled_evaluate_masses(j, b);
  double energy = 0, h = j->world->def.step;
  for (int32_t i = 0; i < b->count; ++i) {
    if (j->fixed[b->first + i] != 0) continue;
    const double *end = b->step.ends + 3 * (ptrdiff_t)i;
    pl_vec3 way = pl_vec3_sub((pl_vec3){end[0], end[1], end[2]}, b->body->starts[i]);
    pl_vec3 change = pl_vec3_sub(pl_vec3_scale(way, 1 / h), b->body->start_velocities[i]);
    energy += 0.5 * b->body->model->masses[i] * pl_vec3_dot(change, change);
  }
  return energy;
}

// Whether a bounce presses and the step loses too little for it.
static bool gains_energy(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  bool bounces = false;
  double gain = 0;
  for (int32_t n = 0; n < s->term_count; ++n) {
    const pl_contact_potential *t = &j->terms[s->terms[n]];
    bounces = bounces || (t->leave > 0 && t->force > 0);
    gain += pl_contact_potential_work(t, j->ends) + MIN_LOSS * t->loss * t->force;
  }
  for (int32_t m = 0; bounces && m < s->body_count; ++m) {
    pl_coupled_body *b = &j->bodies[s->bodies[m]];
    if (!pl_coupled_is_obstacle(b)) gain -= inertial_loss(j, b);
  }
  return bounces && gain > 0;
}

static void shrink_bounces(const pl_coupled_island *s, double factor) {
  for (int32_t n = 0; n < s->term_count; ++n) {
    pl_contact_potential *t = &s->coupled->terms[s->terms[n]];
    if (!(t->leave > 0)) continue;
    t->offset -= (1 - factor) * t->leave;
    t->leave *= factor;
    // The forces found were those of a larger one.
    t->normal_multiplier = 0;
    t->tangent_multiplier = (pl_vec3){0, 0, 0};
  }
}

bool pl_coupled_solve(pl_coupled_island *s) {
  bool solved = pl_coupled_minimize(s);
  for (int i = 1; !s->is_rough && i < PART_COUNT && gains_energy(s); ++i) {
    shrink_bounces(s, PARTS[i] / PARTS[i - 1]);
    solved = pl_coupled_minimize(s);
  }
  return solved;
}
