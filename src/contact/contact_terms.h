// What an impulse does to bodies, and what bodies do to a point: the terms that contacts and joints
// are solved with.
//
// A contact or joint acts on an arm: a point of a body, as a weighted mean of particles or as a
// lever from the centre of a rigid body. With p the point, an impulse P on it gives
//
//   particle i        v_i += w_i P / m_i          p = sum w_i x_i
//   rigid body        v   += P / m,  ω += I⁻¹ (r × P)       r = p - centre
//
// and the point answers with the velocity K P: K = sum w_i² / m_i for particles, 1/m - [r] I⁻¹ [r]
// for a rigid body. Two arms with opposite impulses keep linear momentum exactly.
#ifndef PL_CONTACT_TERMS_H
#define PL_CONTACT_TERMS_H

#include "contact/contact.h"
#include "math/mat3.h"

// As fmax() and fmin() for numbers, without a call; `b` where either is not a number.
static inline double pl_larger(double a, double b) {
  return a > b ? a : b;
}
static inline double pl_smaller(double a, double b) {
  return a < b ? a : b;
}

// A particle's part in the point of an arm.
typedef struct pl_contact_term {
  int32_t particle;
  double weight;
} pl_contact_term;

// At most this many particles carry one side of a contact: 4 parents of each of 3 surface points.
enum { PL_MAX_TERMS = 12 };

// A point of a body that impulses act on.
typedef struct pl_contact_arm {
  int32_t body;                  // its number; -1: something that nothing moves
  int32_t count;                 // of terms; 0 for a rigid body
  const pl_contact_term *terms;  // the weights' sum is 1
  pl_vec3 lever;                 // of a rigid body: from its centre to the point, metres
} pl_contact_arm;

// The arm of a contact's side. `terms` has space for PL_MAX_TERMS, and the arm points into it.
pl_contact_arm pl_contact_arm_of_side(const pl_contact_body *bodies, const pl_contact_side *side,
                                      pl_contact_term *terms);

// The arm of a rigid body's point given in the world.
pl_contact_arm pl_contact_arm_of_rigid(const pl_contact_body *bodies, int32_t body, pl_vec3 point);

// Let the levers of rigid bodies in the arms of a contact's sides end at one point, so that
// opposite impulses on them have no torque: that of the particles where one side has some. Once for
// the start of the step, `back` seconds before its end: there impulses act that positions follow;
// then for its end (`back` 0), when positions have moved.
void pl_contact_align_levers(const pl_contact_body *bodies, const pl_contact *contact, double back,
                             pl_contact_arm *a, pl_contact_arm *b);

// Velocity of a point whose arms are `a` and `b` apart: K of both together, 1/kg. They may be of
// one body.
pl_mat3 pl_contact_inverse_mass(const pl_contact_body *bodies, const pl_contact_arm *a,
                                const pl_contact_arm *b);

// The same along one direction n (unit): n . K n.
double pl_contact_inverse_mass_along(const pl_contact_body *bodies, const pl_contact_arm *a,
                                     const pl_contact_arm *b, pl_vec3 direction);

// Largest answer of K across a normal: a sweep with it does not overshoot in any direction.
double pl_contact_sliding_answer(pl_mat3 k, pl_vec3 normal);

// Turn a rotation by a small rotation vector.
pl_quat pl_contact_turn(pl_quat rotation, pl_vec3 turn);

// Velocity of the point, m/s; zero for what nothing moves.
static inline pl_vec3 pl_contact_arm_velocity(const pl_contact_body *bodies,
                                              const pl_contact_arm *arm) {
  pl_vec3 sum = {0, 0, 0};
  if (arm->body < 0) return sum;
  const pl_contact_body *body = &bodies[arm->body];
  if (body->rigid != NULL)
    return pl_vec3_add(body->rigid->velocity,
                       pl_vec3_cross(body->rigid->angular_velocity, arm->lever));
  for (int32_t i = 0; i < arm->count; ++i)
    sum = pl_vec3_add_scaled(sum, body->velocities[arm->terms[i].particle], arm->terms[i].weight);
  return sum;
}

// Apply an impulse (N s) to the velocities.
static inline void pl_contact_arm_push(pl_contact_body *bodies, const pl_contact_arm *arm,
                                       pl_vec3 impulse) {
  if (arm->body < 0) return;
  pl_contact_body *body = &bodies[arm->body];
  if (body->rigid != NULL) {
    pl_contact_rigid *rigid = body->rigid;
    rigid->velocity = pl_vec3_add_scaled(rigid->velocity, impulse, rigid->inverse_mass);
    rigid->angular_velocity =
        pl_vec3_add(rigid->angular_velocity,
                    pl_mat3_apply(rigid->inverse_inertia, pl_vec3_cross(arm->lever, impulse)));
    return;
  }
  for (int32_t i = 0; i < arm->count; ++i) {
    int32_t particle = arm->terms[i].particle;
    body->velocities[particle] = pl_vec3_add_scaled(
        body->velocities[particle], impulse, arm->terms[i].weight * body->inverse_masses[particle]);
  }
}

// Velocity of a rigid motion at a point, what an impulse there does to it, and its answer to one
// along n (unit), 1/kg.
static inline pl_vec3 pl_whole_velocity_at(const pl_contact_rigid *motion, pl_vec3 point) {
  return pl_vec3_add(motion->velocity,
                     pl_vec3_cross(motion->angular_velocity, pl_vec3_sub(point, motion->center)));
}
static inline void pl_whole_push_at(pl_contact_rigid *motion, pl_vec3 point, pl_vec3 impulse) {
  pl_vec3 lever = pl_vec3_sub(point, motion->center);
  motion->velocity = pl_vec3_add_scaled(motion->velocity, impulse, motion->inverse_mass);
  motion->angular_velocity =
      pl_vec3_add(motion->angular_velocity,
                  pl_mat3_apply(motion->inverse_inertia, pl_vec3_cross(lever, impulse)));
}
static inline double pl_whole_answer_along(const pl_contact_rigid *motion, pl_vec3 point,
                                           pl_vec3 n) {
  pl_vec3 turn = pl_vec3_cross(pl_vec3_sub(point, motion->center), n);
  return motion->inverse_mass + pl_vec3_dot(turn, pl_mat3_apply(motion->inverse_inertia, turn));
}

// Displace positions as an impulse would velocities; `push` is in kg m. Velocities stay.
static inline void pl_contact_arm_move(pl_contact_body *bodies, const pl_contact_arm *arm,
                                       pl_vec3 push) {
  if (arm->body < 0) return;
  pl_contact_body *body = &bodies[arm->body];
  if (body->rigid != NULL) {
    pl_contact_rigid *rigid = body->rigid;
    rigid->center = pl_vec3_add_scaled(rigid->center, push, rigid->inverse_mass);
    rigid->rotation = pl_contact_turn(
        rigid->rotation, pl_mat3_apply(rigid->inverse_inertia, pl_vec3_cross(arm->lever, push)));
    return;
  }
  for (int32_t i = 0; i < arm->count; ++i) {
    int32_t particle = arm->terms[i].particle;
    body->positions[particle] = pl_vec3_add_scaled(
        body->positions[particle], push, arm->terms[i].weight * body->inverse_masses[particle]);
  }
}

#endif
