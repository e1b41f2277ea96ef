// Resolving contacts: impulses on velocities, then what overlap is left, on positions alone.
//
// A contact holds the gap between a surface point p = sum w_i x_i and a touched point q, itself a weighted mean of
// particles or part of a collider. An impulse P on p gives particle i the velocity w_i P / m_i, and -P acts on the
// particles of q alike, so momentum is kept exactly; the gap answers with |P| sum w_i^2 / m_i.
//
// Velocities: sweeps of projected Gauss-Seidel over the contacts in a fixed order (Catto 2005). The gap must not close
// farther than it is wide: a point in free fall lands on the surface rather than stops above it. Bouncing contacts
// leave with e times the approach speed instead, e being the restitution. Friction: impulses at right angles to the
// normal, no longer than mu times the normal impulse.
//
// Positions: what overlap remains is moved out without touching velocities, so it adds no energy. Overlap from before
// the step is only taken back by a fraction in each step: bodies that start inside each other drift apart instead of
// bursting.
#include "base/error.h"
#include "contact/contact_solver.h"
#include "pliant/math.h"

// Old overlap fades with this time constant, but no faster than at this speed. Faster would be a blow to the elastic
// bodies behind the points.
static const double FADE_SECONDS = 0.04, FADE_SPEED = 0.5;

// A particle that a contact acts on; `weight` is negative on the touched side.
typedef struct contact_term {
  int32_t body, particle;
  double weight;
} contact_term;

enum { MAX_TERMS = 16 };  // 4 parents of each surface point: point and triangle, or edge and edge

static int32_t add_terms(const pl_contact_body *bodies, int32_t body, int32_t point, double scale, contact_term *terms,
                         int32_t count) {
  const pl_contact_surface *surface = bodies[body].surface;
  const int32_t *parents = &surface->parents[4 * (size_t)point];
  const float *weights = &surface->weights[4 * (size_t)point];
  // Single-precision weights miss 1 by some 1e-8; equal and opposite impulses must not.
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += (double)weights[k];
  for (int k = 0; k < 4; ++k)
    if (weights[k] != 0.0f) terms[count++] = (contact_term){body, parents[k], scale * (double)weights[k] / sum};
  return count;
}

static int32_t terms_of(const pl_contact_body *bodies, const pl_contact *contact, contact_term terms[MAX_TERMS]) {
  int32_t count = 0;
  for (int side = 0; side < 2; ++side) {
    const pl_contact_side *it = side == 0 ? &contact->a : &contact->b;
    double sign = side == 0 ? 1 : -1;
    for (int32_t k = 0; k < it->count; ++k)
      if (it->weights[k] != 0) count = add_terms(bodies, it->body, it->points[k], sign * it->weights[k], terms, count);
  }
  return count;
}

// sum w_i^2 / m_i, where a particle that stands in several terms counts with the sum of its weights.
static double inverse_mass_of(const pl_contact_body *bodies, const contact_term *terms, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    double weight = 0;
    bool is_counted = false;
    for (int32_t j = 0; j < count && !is_counted; ++j) {
      if (terms[j].body != terms[i].body || terms[j].particle != terms[i].particle) continue;
      if (j < i)
        is_counted = true;
      else
        weight += terms[j].weight;
    }
    if (!is_counted) sum += weight * weight * bodies[terms[i].body].inverse_masses[terms[i].particle];
  }
  return sum;
}

static pl_vec3 relative_velocity(const pl_contact_body *bodies, const pl_contact *contact, const contact_term *terms,
                                 int32_t count) {
  pl_vec3 sum = pl_vec3_scale(contact->surface_velocity, -1);
  for (int32_t i = 0; i < count; ++i)
    sum = pl_vec3_add_scaled(sum, bodies[terms[i].body].velocities[terms[i].particle], terms[i].weight);
  return sum;
}

static double gap_of(const pl_contact_body *bodies, const pl_contact *contact, const contact_term *terms,
                     int32_t count) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i)
    sum = pl_vec3_add_scaled(sum, bodies[terms[i].body].positions[terms[i].particle], terms[i].weight);
  return pl_vec3_dot(contact->normal, sum) - contact->offset;
}

// An impulse of the velocity sweeps; positions follow as if the velocity had been so all step.
static void push_velocities(pl_contact_body *bodies, const contact_term *terms, int32_t count, pl_vec3 impulse,
                            double step) {
  for (int32_t i = 0; i < count; ++i) {
    pl_contact_body *body = &bodies[terms[i].body];
    int32_t particle = terms[i].particle;
    double fraction = terms[i].weight * body->inverse_masses[particle];
    if (fraction == 0) continue;
    pl_vec3 change = pl_vec3_scale(impulse, fraction);
    body->velocities[particle] = pl_vec3_add(body->velocities[particle], change);
    body->positions[particle] = pl_vec3_add_scaled(body->positions[particle], change, step);
    body->moved = true;
  }
}

static void push_positions(pl_contact_body *bodies, const contact_term *terms, int32_t count, pl_vec3 push) {
  for (int32_t i = 0; i < count; ++i) {
    pl_contact_body *body = &bodies[terms[i].body];
    int32_t particle = terms[i].particle;
    double fraction = terms[i].weight * body->inverse_masses[particle];
    if (fraction == 0) continue;
    body->positions[particle] = pl_vec3_add_scaled(body->positions[particle], push, fraction);
    body->moved = true;
  }
}

// How fast the gap was closing when the step began; HUGE_VAL where that is not known.
//
// A body at rest is pressed onto the ground by its own elastic forces in every step, and so fast that it would seem to
// fall on it. Only what was already approaching may bounce, or a soft body never comes to rest.
static double start_approach(const pl_contact_body *bodies, const pl_contact *contact, const contact_term *terms,
                             int32_t count) {
  pl_vec3 sum = pl_vec3_scale(contact->surface_velocity, -1);
  for (int32_t i = 0; i < count; ++i) {
    const pl_vec3 *velocities = bodies[terms[i].body].start_velocities;
    if (velocities == NULL) return HUGE_VAL;
    sum = pl_vec3_add_scaled(sum, velocities[terms[i].particle], terms[i].weight);
  }
  return -pl_vec3_dot(contact->normal, sum);
}

// What a contact is to end with: the least velocity of its gap and, where it bounces, the gap it has reached by the end
// of the step.
//
// A bounce happens at the time t of the step at which the gap closed. Positions at whole steps lie on an exact parabola
// whose velocity in the middle of the step is the one we have; so the speed at t, and after it speed and height at the
// step's end, follow from gravity alone, and a ball keeps its height over any number of bounces. Between two bodies
// gravity cancels.
static pl_contact_row row_of(const pl_contact_body *bodies, const pl_contact *contact, const pl_contact_step *step) {
  contact_term terms[MAX_TERMS];
  int32_t count = terms_of(bodies, contact, terms);
  pl_contact_row row = {.inverse_mass = inverse_mass_of(bodies, terms, count)};
  double speed = pl_vec3_dot(contact->normal, relative_velocity(bodies, contact, terms, count)), h = step->step;
  row.target = fmin(0, speed + contact->depth / h);
  if (!(contact->depth > 0 && contact->restitution > 0)) return row;
  double t = contact->start_gap > 0 ? contact->start_gap / (contact->start_gap + contact->depth) : 0;
  double pull = contact->collider >= 0 ? pl_vec3_dot(contact->normal, step->gravity) : 0;
  double approach = -(speed + (t - 0.5) * h * pull);
  approach = fmin(approach, start_approach(bodies, contact, terms, count) + h * fabs(pull));
  if (!(approach > pl_contact_scale_of(step).speed)) return row;
  double leave = contact->restitution * approach, rest = (1 - t) * h;
  row.bounces = true;
  row.target = leave + (0.5 - t) * h * pull;
  row.landing = fmax(0, rest * leave + 0.5 * rest * rest * pull);
  return row;
}

static void sweep_velocities(pl_contact_solver *solver, pl_contact_body *bodies, double step) {
  contact_term terms[MAX_TERMS];
  for (int32_t i = 0; i < solver->contact_count; ++i) {
    const pl_contact *contact = &solver->memory.contacts[i];
    pl_contact_row *row = &solver->memory.rows[i];
    if (!(row->inverse_mass > 0)) continue;
    int32_t count = terms_of(bodies, contact, terms);
    pl_vec3 velocity = relative_velocity(bodies, contact, terms, count);

    // Normal: the sum over the sweeps, not each change, must push.
    double speed = pl_vec3_dot(contact->normal, velocity);
    double normal_impulse = fmax(0, row->normal_impulse + (row->target - speed) / row->inverse_mass);
    double change = normal_impulse - row->normal_impulse;
    if (normal_impulse == 0 && change == 0) continue;
    row->normal_impulse = normal_impulse;

    // Friction: stop sliding, within the cone. The normal change does not alter the sliding velocity.
    pl_vec3 sliding = pl_vec3_add_scaled(velocity, contact->normal, -speed);
    pl_vec3 tangent = pl_vec3_add_scaled(row->tangent_impulse, sliding, -1 / row->inverse_mass);
    double length = pl_vec3_length(tangent), limit = contact->friction * normal_impulse;
    if (length > limit) tangent = pl_vec3_scale(tangent, limit / length);
    pl_vec3 impulse = pl_vec3_add_scaled(pl_vec3_sub(tangent, row->tangent_impulse), contact->normal, change);
    row->tangent_impulse = tangent;
    push_velocities(bodies, terms, count, impulse, step);
  }
}

// One sweep over the positions; false when nothing was left to do.
static bool sweep_positions(pl_contact_solver *solver, pl_contact_body *bodies, double slop, double step) {
  contact_term terms[MAX_TERMS];
  bool is_changed = false;
  for (int32_t i = 0; i < solver->contact_count; ++i) {
    const pl_contact *contact = &solver->memory.contacts[i];
    const pl_contact_row *row = &solver->memory.rows[i];
    if (!(row->inverse_mass > 0)) continue;
    int32_t count = terms_of(bodies, contact, terms);
    double gap = gap_of(bodies, contact, terms, count);
    double old = fmax(0, -contact->start_gap), fading = fmin(old * step / (FADE_SECONDS + step), FADE_SPEED * step);
    double allowed = -fmax(slop, old - fading);
    if (!(gap < allowed)) continue;
    push_positions(bodies, terms, count, pl_vec3_scale(contact->normal, (allowed - gap) / row->inverse_mass));
    is_changed = true;
  }
  return is_changed;
}

// Impulses act from the start of the step on, which leaves a bouncing point above the position it would have reached.
static void land_bounces(pl_contact_solver *solver, pl_contact_body *bodies) {
  contact_term terms[MAX_TERMS];
  for (int32_t i = 0; i < solver->contact_count; ++i) {
    const pl_contact *contact = &solver->memory.contacts[i];
    const pl_contact_row *row = &solver->memory.rows[i];
    if (!row->bounces || !(row->normal_impulse > 0)) continue;
    int32_t count = terms_of(bodies, contact, terms);
    double above = gap_of(bodies, contact, terms, count) - row->landing;
    if (above > 0) push_positions(bodies, terms, count, pl_vec3_scale(contact->normal, -above / row->inverse_mass));
  }
}

pl_status pl_contact_solver_resolve(pl_contact_solver *solver, pl_contact_body *bodies, int32_t body_count,
                                    const pl_contact_step *step, pl_contact_report *report, pl_error *error) {
  if (body_count != solver->memory.body_count || !(step->step > 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "contacts were not detected for these bodies, or the step is not positive");
  for (int32_t i = 0; i < body_count; ++i) bodies[i].moved = false;
  for (int32_t i = 0; i < solver->contact_count; ++i)
    solver->memory.rows[i] = row_of(bodies, &solver->memory.contacts[i], step);
  for (int32_t round = 0; round < step->rounds; ++round) sweep_velocities(solver, bodies, step->step);
  land_bounces(solver, bodies);
  double slop = pl_contact_scale_of(step).slop;
  for (int32_t round = 0; round < step->rounds; ++round)
    if (!sweep_positions(solver, bodies, slop, step->step)) break;

  if (report != NULL) {
    *report = (pl_contact_report){0};
    for (int32_t i = 0; i < solver->contact_count; ++i) {
      double depth = solver->memory.contacts[i].depth;
      if (depth > 0) report->contact_count++;
      report->deepest = fmax(report->deepest, depth);
    }
  }
  return PL_OK;
}
