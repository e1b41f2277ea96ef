// How explicit soft bodies of a coupled solve come to rest.
//
// Contact takes nothing from a body that sways or bounces on its own elasticity while its surface sticks to another.
// Implicit bodies lose such motion by their step, and solids among themselves by the damping of their contacts
// (contact_damping.c, 3 Rest). This is the same for pairs of a solid and another body whose contacts were solved with
// the step: with u the relative velocity that the two would have at a contact if they were rigid,
//
//   D = -γ(u) h f M u,    γ(u) = γ₀ s² / (s² + u²)
//
// acts on both as wholes, at one point, so that momentum and angular momentum stay. f is the contact's fraction of the
// normal force of the pair and M the mass that both oppose. What slides is damped along the normal alone.
// Not on colliders: there it would hold bodies without regard to friction's limit, and a stack crept on and on.
#include <math.h>

#include "contact/contact_terms.h"
#include "math/mat3.h"
#include "pliant/math.h"
#include "world/world_coupled_solve.h"

// γ₀, 1/s: as between a rigid and a soft body in contact_damping.c, since a tower sways with the inertia of all that a
// soft body carries. With 60, which solids have among themselves, towers of three still swayed after ten seconds.
static const double REST_RATE = 240;
static const double REST_SPEED = 0.1;  // s, m/s
// A body whose particles move faster than this many times s is not near rest.
static const double SLOW_FACTOR = 4;
// Friction above this fraction of its limit counts as sliding.
static const double STICKING = 0.95;

static bool is_soft(const pl_coupled_body *b) {
  return b->state == PL_COUPLED_TOGETHER && b->coupled == NULL && b->rigid == NULL;
}

// The body as if it were rigid, from body->positions and body->velocities: Ω = I⁻¹ L. Without inverse mass: it is held,
// not near rest, or a line.
static pl_contact_rigid whole_of(const pl_body *body) {
  const pl_model *model = body->model;
  pl_contact_rigid whole = {.inverse_mass = 0};
  pl_vec3 c = {0, 0, 0}, v = {0, 0, 0}, spin = {0, 0, 0};
  double square = 0, slow = SLOW_FACTOR * REST_SPEED;
  for (int32_t i = 0; i < model->particle_count; ++i) {
    if (!(body->inverse_masses[i] > 0)) return whole;
    c = pl_vec3_add_scaled(c, body->positions[i], model->masses[i] / model->mass);
    v = pl_vec3_add_scaled(v, body->velocities[i], model->masses[i] / model->mass);
    square += model->masses[i] * pl_vec3_dot(body->velocities[i], body->velocities[i]);
  }
  if (!(square < slow * slow * model->mass)) return whole;
  pl_mat3 inertia = pl_mat3_zero();
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_vec3 x = pl_vec3_sub(body->positions[i], c);
    spin = pl_vec3_add_scaled(spin, pl_vec3_cross(x, body->velocities[i]), model->masses[i]);
    inertia = pl_mat3_add(inertia, pl_mat3_scale(pl_mat3_outer(x, x), -model->masses[i]));
    for (int k = 0; k < 3; ++k) inertia.m[k][k] += model->masses[i] * pl_vec3_dot(x, x);
  }
  if (!(pl_mat3_determinant(inertia) > 0)) return whole;
  whole.center = c;
  whole.velocity = v;
  whole.inverse_mass = 1 / model->mass;
  whole.inverse_inertia = pl_mat3_inverse(inertia);
  whole.angular_velocity = pl_mat3_apply(whole.inverse_inertia, spin);
  return whole;
}

static pl_contact_rigid find_whole(const pl_coupled_body *b) {
  pl_contact_rigid whole = {.inverse_mass = 0};
  const pl_body_method *method = b->body->model->method;
  if (b->state != PL_COUPLED_TOGETHER || b->rests) return whole;
  if (b->rigid != NULL) {
    method->get_rigid(b->body->model, b->body->state, &whole);
    if (pl_vec3_length(whole.velocity) > SLOW_FACTOR * REST_SPEED) whole.inverse_mass = 0;
    return whole;
  }
  method->get_positions(b->body->model, b->body->state, b->body->positions);
  method->get_velocities(b->body->model, b->body->state, b->body->velocities);
  return whole_of(b->body);
}

// Where a side of a contact is now. Weights add up to 1 but for rounding, which would count far from the origin.
static pl_vec3 point_of(const pl_coupled *j, const pl_contact_side *side) {
  const pl_body *body = j->bodies[side->body].body;
  const pl_contact_surface *surface = &body->model->surface;
  pl_vec3 point = {0, 0, 0};
  double sum = 0;
  for (int32_t k = 0; k < side->count; ++k)
    for (int p = 0; p < 4; ++p) {
      size_t i = 4 * (size_t)side->points[k] + (size_t)p;
      double weight = side->weights[k] * (double)surface->weights[i];
      point = pl_vec3_add_scaled(point, body->positions[surface->parents[i]], weight);
      sum += weight;
    }
  return pl_vec3_scale(point, 1 / sum);
}

static void rest_contact(const pl_coupled *j, int32_t term, double fraction, pl_contact_rigid *wholes) {
  const pl_contact *c = &j->contacts[term];
  const pl_contact_potential *t = &j->terms[term];
  double h = j->world->def.step;
  pl_contact_rigid *a = &wholes[c->a.body], *b = &wholes[c->b.body];
  pl_vec3 point = point_of(j, j->bodies[c->a.body].rigid == NULL ? &c->a : &c->b);
  pl_vec3 u = pl_vec3_sub(pl_whole_velocity_at(a, point), pl_whole_velocity_at(b, point));
  if (pl_vec3_length(t->tangent) > STICKING * t->friction * t->force)
    u = pl_vec3_scale(t->normal, pl_vec3_dot(t->normal, u));
  double square = pl_vec3_dot(u, u), s2 = REST_SPEED * REST_SPEED;
  if (!(square > 0)) return;
  pl_vec3 n = pl_vec3_scale(u, 1 / sqrt(square));
  double answer = pl_whole_answer_along(a, point, n) + pl_whole_answer_along(b, point, n);
  double lost = 1 - exp(-REST_RATE * h * s2 / (s2 + square));
  pl_vec3 impulse = pl_vec3_scale(u, -lost * fraction / answer);
  // No adhesion: what pulls is at most what presses.
  double pull = -pl_vec3_dot(impulse, t->normal), pressed = t->force * h;
  if (pull > pressed) impulse = pl_vec3_scale(impulse, pressed / pull);
  pl_whole_push_at(a, point, impulse);
  pl_whole_push_at(b, point, pl_vec3_scale(impulse, -1));
}

static bool is_same_pair(const pl_contact *a, const pl_contact *b) {
  return a->a.body == b->a.body && a->collider == b->collider && (a->collider >= 0 || a->b.body == b->b.body);
}

static bool is_damped(const pl_coupled *j, const pl_contact *c, const pl_contact_rigid *wholes) {
  if (c->collider >= 0 || c->a.body == c->b.body) return false;
  bool has_soft = is_soft(&j->bodies[c->a.body]) || is_soft(&j->bodies[c->b.body]);
  return has_soft && wholes[c->a.body].inverse_mass > 0 && wholes[c->b.body].inverse_mass > 0;
}

// What a whole got goes to its particles.
static void move_whole(const pl_coupled_body *b, const pl_contact_rigid *before, const pl_contact_rigid *after) {
  const pl_body *body = b->body;
  pl_vec3 v = pl_vec3_sub(after->velocity, before->velocity),
          w = pl_vec3_sub(after->angular_velocity, before->angular_velocity);
  if (pl_vec3_dot(v, v) + pl_vec3_dot(w, w) == 0) return;
  if (b->rigid != NULL) {
    body->model->method->set_rigid(body->model, body->state, after);
    return;
  }
  for (int32_t i = 0; i < b->count; ++i) {
    pl_vec3 x = pl_vec3_sub(body->positions[i], before->center);
    body->velocities[i] = pl_vec3_add(body->velocities[i], pl_vec3_add(v, pl_vec3_cross(w, x)));
  }
  body->model->method->set_state(body->model, body->state, NULL, body->velocities);
}

void pl_coupled_rest(const pl_coupled *j) {
  pl_contact_rigid *before = j->wholes, *after = j->wholes + j->body_count;
  bool any = false;
  for (int32_t k = 0; k < j->body_count; ++k) any = any || is_soft(&j->bodies[k]);
  if (!any) return;
  for (int32_t k = 0; k < j->body_count; ++k) before[k] = after[k] = find_whole(&j->bodies[k]);
  for (int32_t i = 0, end; i < j->term_count; i = end) {
    double sum = 0;
    for (end = i; end < j->term_count && is_same_pair(&j->contacts[i], &j->contacts[end]); ++end)
      sum += fmax(j->terms[end].force, 0);
    if (!(sum > 0) || !is_damped(j, &j->contacts[i], before)) continue;
    for (int32_t k = i; k < end; ++k)
      if (j->terms[k].force > 0) rest_contact(j, k, j->terms[k].force / sum, after);
  }
  for (int32_t k = 0; k < j->body_count; ++k)
    if (before[k].inverse_mass > 0) move_whole(&j->bodies[k], &before[k], &after[k]);
}
