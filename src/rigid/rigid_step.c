// One step of a rigid body on its own.
//
//   v += h (g + F / m),   x += h v                         (symplectic Euler, as for particles)
//   L += h T,             R turns as a body without torque with this L
//
// Turning without torque. With the angular momentum p = RᵀL in the principal frame and the moments I1, I2, I3,
//   H = Σ p_i² / 2I_i = |p|² / 2I2 + ½ (1/I1 - 1/I2) p1² + ½ (1/I3 - 1/I2) p3²
// Each of the three parts alone is a rotation in closed form: the first around L in the world by h |L| / I2, the others
// around the principal axes by h (1/I_i - 1/I2) p_i. The first commutes with the others, which are applied as half,
// whole, half. L is kept exactly, whatever the step; the scheme is symplectic and reversible, of second order, and
// exact where two moments are equal (Touma and Wisdom 1994; Fassò 2003). I2 is the middle moment, so that both
// remaining angles are as small as they can be. Implicit midpoint was the other choice: the same order, but it needs an
// iteration and is not exact for any body but a sphere.
#include <math.h>

#include "pliant/math.h"
#include "rigid/rigid_model.h"

static pl_vec3 scaled(pl_vec3 a, pl_vec3 by) {
  return (pl_vec3){a.x * by.x, a.y * by.y, a.z * by.z};
}

pl_vec3 pl_rigid_momentum_of(const pl_rigid_model *model, pl_quat rotation, pl_vec3 angular_velocity) {
  pl_quat q = pl_quat_multiply(rotation, model->principal);
  return pl_quat_rotate(q, scaled(pl_quat_rotate(pl_quat_conjugate(q), angular_velocity), model->moments));
}

pl_vec3 pl_rigid_velocity_of(const pl_rigid_model *model, pl_quat rotation, pl_vec3 angular_momentum) {
  pl_vec3 inverse = {1 / model->moments.x, 1 / model->moments.y, 1 / model->moments.z};
  pl_quat q = pl_quat_multiply(rotation, model->principal);
  return pl_quat_rotate(q, scaled(pl_quat_rotate(pl_quat_conjugate(q), angular_momentum), inverse));
}

// Moments fall, so that the middle one is y.
pl_quat pl_rigid_turn(const pl_rigid_model *model, pl_quat rotation, pl_vec3 angular_momentum, double step) {
  pl_quat q = pl_quat_multiply(rotation, model->principal);
  pl_vec3 p = pl_quat_rotate(pl_quat_conjugate(q), angular_momentum);
  double middle = 1 / model->moments.y;
  double rates[3] = {1 / model->moments.x - middle, 1 / model->moments.z - middle, 1 / model->moments.x - middle};
  static const double FRACTIONS[3] = {0.5, 1, 0.5};
  for (int k = 0; k < 3; ++k) {
    double angle = FRACTIONS[k] * step * rates[k] * (k == 1 ? p.z : p.x);
    pl_vec3 vector = k == 1 ? (pl_vec3){0, 0, angle} : (pl_vec3){angle, 0, 0};
    pl_quat turn = pl_quat_from_rotation_vector(vector);
    q = pl_quat_multiply(q, turn);
    p = pl_quat_rotate(pl_quat_conjugate(turn), p);
  }
  q = pl_quat_multiply(pl_quat_from_rotation_vector(pl_vec3_scale(angular_momentum, step * middle)), q);
  return pl_quat_normalize(pl_quat_multiply(q, pl_quat_conjugate(model->principal)));
}

// Force and torque around the centre of mass.
static void sum_forces(const pl_rigid_model *model, const pl_rigid_state *s, const pl_f4 *forces, pl_vec3 *force,
                       pl_vec3 *torque) {
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 f = pl_vec3_of_f4(forces[i]);
    *force = pl_vec3_add(*force, f);
    *torque = pl_vec3_add(*torque, pl_vec3_cross(pl_quat_rotate(s->rotation, model->rest[i]), f));
  }
}

pl_status pl_rigid_move(const pl_model *model, void *state, const pl_body_move *move, pl_error *error) {
  (void)error;
  const pl_rigid_model *rigid = (const pl_rigid_model *)model;
  pl_rigid_state *s = state;
  double h = move->step;
  pl_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
  if (move->forces != NULL) sum_forces(rigid, s, move->forces, &force, &torque);
  s->velocity = pl_vec3_add_scaled(s->velocity, move->acceleration, h);
  s->velocity = pl_vec3_add_scaled(s->velocity, force, h / model->mass);
  s->velocity = pl_vec3_scale(s->velocity, exp(-rigid->damping * h));
  s->center = pl_vec3_add_scaled(s->center, s->velocity, h);
  pl_vec3 momentum = pl_rigid_momentum_of(rigid, s->rotation, s->angular_velocity);
  momentum = pl_vec3_scale(pl_vec3_add_scaled(momentum, torque, h), exp(-rigid->angular_damping * h));
  s->rotation = pl_rigid_turn(rigid, s->rotation, momentum, h);
  s->angular_velocity = pl_rigid_velocity_of(rigid, s->rotation, momentum);
  return PL_OK;
}
