// Momentum of free bodies, kept whatever the tolerance of the solver.
//
// Elastic forces have neither sum nor torque, in any pose, nor has the damping of bodies that adapt. The equations of a
// step therefore hold, summed over the body, as soon as the other terms f (inertia and damping) balance alone: Σ f = 0
// and Σ a × f = 0 with arms a from the centre of mass. A rigid motion of the result brings that about and leaves the
// elastic energy as it is. Turning by a small θ changes a by θ × a and f by c m θ × a, so that
//
//   Σ a × f  +  [ Σ c m (a·a 1 - a aᵀ) + a fᵀ - a·f 1 ] θ  =  0
//
// The second part of the bracket matters: f balances the elastic forces, which may be far larger than what is to be
// corrected.
#include "fem/fem_work.h"
#include "math/mat3.h"
#include "pliant/math.h"

typedef struct balance {
  pl_vec3 center, force, torque;
  pl_mat3 turning;  // the bracket
} balance;

pl_vec3 pl_fem_center_of(const pl_fem_model *model, const double *u) {
  pl_vec3 center = {0, 0, 0};
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    center = pl_vec3_add_scaled(center, pl_fem_vector(u, i), model->head.masses[i] / model->head.mass);
  return center;
}

pl_vec3 pl_fem_spin_of(const pl_fem_model *model, const double *x, pl_vec3 momentum) {
  pl_vec3 center = pl_fem_center_of(model, x);
  pl_mat3 inertia = pl_mat3_zero();
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(x, i), center);
    pl_mat3 square = pl_mat3_outer(arm, arm);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        inertia.m[a][b] += model->head.masses[i] * ((a == b ? pl_vec3_dot(arm, arm) : 0) - square.m[a][b]);
  }
  // A line has no inertia around itself, nor spin.
  double min = 1e-9 * (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]);
  for (int a = 0; a < 3; ++a) inertia.m[a][a] += min;
  return model->planar ? pl_vec3_of(0, 0, momentum.z / inertia.m[2][2])
                       : pl_mat3_apply(pl_mat3_inverse(inertia), momentum);
}

pl_fem_rigid pl_fem_rigid_motion(const pl_fem_model *model, const double *x, const double *v) {
  return (pl_fem_rigid){.center = pl_fem_center_of(model, x),
                        .drift = pl_fem_center_of(model, v),
                        .spin = pl_fem_spin_of(model, x, pl_fem_angular_momentum(model, x, v))};
}

void pl_fem_spin_to_momentum(pl_fem_work *work, pl_vec3 wanted) {
  const pl_fem_model *model = work->system.model;
  pl_vec3 center = pl_fem_center_of(model, work->middle);
  pl_vec3 missing = pl_vec3_sub(wanted, pl_fem_angular_momentum(model, work->middle, work->mean));
  pl_vec3 spin = pl_fem_spin_of(model, work->middle, missing);
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(work->middle, i), center);
    pl_fem_put(work->mean, i, pl_vec3_add(pl_fem_vector(work->mean, i), pl_vec3_cross(spin, arm)));
  }
}

void pl_fem_carry(const pl_fem_model *model, const double *x, const double *v, double time, double *rigid,
                  double *whole) {
  pl_fem_rigid motion = pl_fem_rigid_motion(model, x, v);
  pl_quat turn = pl_quat_from_rotation_vector(pl_vec3_scale(motion.spin, time));
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(x, i), motion.center);
    pl_vec3 rest = pl_vec3_sub(pl_vec3_sub(pl_fem_vector(v, i), motion.drift), pl_vec3_cross(motion.spin, arm));
    pl_vec3 to = pl_vec3_add(pl_vec3_add_scaled(motion.center, motion.drift, time), pl_quat_rotate(turn, arm));
    pl_fem_put(rigid, i, to);
    pl_fem_put(whole, i, pl_vec3_add_scaled(to, pl_quat_rotate(turn, rest), time));
  }
}

static balance sum_forces(const pl_fem_model *model, const double *u, const double *forces, double c) {
  balance b = {.center = pl_fem_center_of(model, u), .turning = pl_mat3_zero()};
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(u, i), b.center), force = pl_fem_vector(forces, i);
    b.force = pl_vec3_add(b.force, force);
    b.torque = pl_vec3_add(b.torque, pl_vec3_cross(arm, force));
    pl_vec3 push = pl_vec3_add_scaled(force, arm, -c * model->head.masses[i]);
    b.turning = pl_mat3_add(b.turning, pl_mat3_outer(arm, push));
    for (int k = 0; k < 3; ++k) b.turning.m[k][k] -= pl_vec3_dot(arm, push);
  }
  return b;
}

// θ for a torque to be removed. Plane bodies turn about z only. Zero where it would not be a small correction.
static pl_vec3 turn_for(const pl_fem_model *model, const pl_mat3 *turning, pl_vec3 torque) {
  pl_vec3 turn = model->planar ? pl_vec3_of(0, 0, -torque.z / turning->m[2][2])
                               : pl_vec3_scale(pl_mat3_apply(pl_mat3_inverse(*turning), torque), -1);
  return pl_vec3_length(turn) < 0.1 ? turn : pl_vec3_of(0, 0, 0);
}

void pl_fem_keep_momentum(pl_fem_work *work) {
  const pl_fem_model *model = work->system.model;
  const pl_fem_potential *p = &work->potential;
  double c = p->inertia, *forces = work->newton.rhs;
  int32_t n = model->head.particle_count;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)n; ++i)
    forces[i] = p->gradient[i] - p->elastic[i] - (p->viscous != NULL ? p->viscous[i] : 0);
  for (int round = 0; round < 3; ++round) {
    balance b = sum_forces(model, work->next, forces, c);
    pl_vec3 shift = pl_vec3_scale(b.force, -1 / (c * model->head.mass)), turn = turn_for(model, &b.turning, b.torque);
    if (model->planar) shift.z = 0;
    for (int32_t i = 0; i < n; ++i) {
      pl_vec3 arm = pl_vec3_sub(pl_fem_vector(work->next, i), b.center),
              by = pl_vec3_add(shift, pl_vec3_cross(turn, arm));
      pl_fem_put(work->next, i, pl_vec3_add(pl_fem_vector(work->next, i), by));
      pl_fem_put(forces, i, pl_vec3_add_scaled(pl_fem_vector(forces, i), by, c * model->head.masses[i]));
      pl_fem_put(p->gradient, i, pl_vec3_add_scaled(pl_fem_vector(p->gradient, i), by, c * model->head.masses[i]));
    }
  }
}

pl_vec3 pl_fem_angular_momentum(const pl_fem_model *model, const double *positions, const double *velocities) {
  pl_vec3 center = pl_fem_center_of(model, positions), sum = {0, 0, 0};
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    sum = pl_vec3_add_scaled(
        sum, pl_vec3_cross(pl_vec3_sub(pl_fem_vector(positions, i), center), pl_fem_vector(velocities, i)),
        model->head.masses[i]);
  return sum;
}

// With x = next and r = from, both relative to their centres, the momentum is Σ m r × x / step, and turning x by θ
// changes it by Σ m (r·x 1 - x rᵀ) θ / step.
void pl_fem_turn_to_momentum(pl_fem_work *work, const double *from, double step, pl_vec3 wanted) {
  const pl_fem_model *model = work->system.model;
  for (int round = 0; round < 3; ++round) {
    pl_vec3 center = pl_fem_center_of(model, work->next), from_center = pl_fem_center_of(model, from),
            off = pl_vec3_scale(wanted, -1);
    pl_mat3 turning = pl_mat3_zero();
    for (int32_t i = 0; i < model->head.particle_count; ++i) {
      pl_vec3 x = pl_vec3_sub(pl_fem_vector(work->next, i), center),
              r = pl_vec3_sub(pl_fem_vector(from, i), from_center);
      double m = model->head.masses[i] / step;
      off = pl_vec3_add_scaled(off, pl_vec3_cross(r, x), m);
      turning = pl_mat3_add(turning, pl_mat3_scale(pl_mat3_outer(x, r), -m));
      for (int k = 0; k < 3; ++k) turning.m[k][k] += m * pl_vec3_dot(r, x);
    }
    pl_vec3 turn = turn_for(model, &turning, off);
    for (int32_t i = 0; i < model->head.particle_count; ++i) {
      pl_vec3 x = pl_fem_vector(work->next, i);
      pl_fem_put(work->next, i, pl_vec3_add(x, pl_vec3_cross(turn, pl_vec3_sub(x, center))));
    }
  }
}
