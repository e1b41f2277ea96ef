// Energy that cannot grow.
//
// Neither scheme keeps energy by itself where W is far from a parabola and vibrations are not resolved: released from a
// stretch of 2, bodies gain up to a third in a second by the midpoint rule. What a step gains is known exactly. With
// d = x1 - x0 and the equation that the step solves, M (v1 - v0) / h = -∇W(u) + outer forces + r,
//
//   midpoint         gain = W(x1) - W(x0) - ∇W(u)·d + r·d
//   implicit Euler   gain = W(x1) - W(x0) - ∇W(x1)·d + r·d - ½ |v1 - v0|²_M
//
//   r   residual that the solver leaves; counted in free flight only, elsewhere outer forces may do work on it
//
// Outer forces, contact and pins do work, which does not count and need not be known; the same holds for rest shapes
// that change between steps. What material damping takes is subtracted: a body that it slows anyway needs no more. The
// state keeps the sum of the gains. The sum of a resolved motion goes up and down by O(h²) and is left alone; beyond
// SOFT of the energy of motion and deformation a body is slowed:
//
//   v1 -= θ i,   i = v1 - d / h         θ in [0, 1] as small as gives the excess back
//
// i is what alternates from step to step: nearly all of v1 in a vibration that is not resolved, O(h) of it in one that
// is. In flight the rigid part of i is left out, so that linear and angular momentum are kept. Where that leaves more
// than HARD, all motion within the body is slowed, to no less than MIN_KEPT of its speed. Where not even that is
// enough, the second half of the step is done by implicit Euler (fem_step.c), and should this gain too, all motion
// within the body is slowed by as much as it takes. A body that has lost energy may regain CREDIT of what it has, not
// more.
//
// Bodies whose driver has just changed their rest shape get new energy with it and move as planned with the scheme as
// it is: only a step that gains more than DRIVEN ends with implicit Euler.
//
// Ways not taken: implicit Euler loses up to half of the energy in a step where a hundredth is too much; slowing all
// motion every time feeds the unresolved vibrations with the energy of the others. The energy-momentum methods (Simo
// and Gonzalez) need a matrix that is not symmetric, and solve for the noise of unresolved vibrations as exactly as for
// the motion.
#include "fem/fem_budget.h"

#include <math.h>

#include "pliant/math.h"

static const double SOFT = 0.004, HARD = 0.008, CREDIT = 0.1, MIN_KEPT = 0.9;
// Of a driven body, in one step.
static const double DRIVEN = 0.05;

static ptrdiff_t number_count(const pl_fem_work *w) {
  return 3 * (ptrdiff_t)w->system.model->head.particle_count;
}

static bool is_free(const pl_fem_work *w, ptrdiff_t i) {
  return (w->fixed[i / 3] >> (i % 3) & 1) == 0;
}

double pl_fem_stored_energy(pl_fem_work *work, pl_fem_state state) {
  if (state.energy[0] == 0) {
    state.energy[1] = pl_fem_system_evaluate(&work->system, state.positions, NULL, NULL, false);
    state.energy[0] = 1;
  }
  return state.energy[1];
}

// What material damping takes in a midpoint step.
static double damping_loss(const pl_fem_leap *leap) {
  pl_fem_work *w = leap->work;
  const pl_fem_potential *p = &w->potential;
  const pl_fem_model *model = w->system.model;
  double *moved = w->newton.trial, *pull = w->newton.step, loss = 0;
  for (ptrdiff_t i = 0; p->damping != NULL && i < number_count(w); ++i) moved[i] = w->next[i] - p->damping_base[i];
  if (p->damping != NULL) pl_block_matrix_multiply(w->system.context, p->damping, moved, pull);
  for (ptrdiff_t i = 0; i < number_count(w); ++i) {
    double way = w->middle[i] - leap->from.positions[i], half = w->next[i] - leap->from.positions[i];
    double force = model->mass_damping * model->head.masses[i / 3] * half / leap->tau;
    if (p->viscous != NULL) force += p->viscous[i];
    if (p->damping != NULL) force += p->damping_factor * pull[i];
    loss += force * way;
  }
  return fmax(loss, 0);
}

double pl_fem_midpoint_gain(const pl_fem_leap *leap) {
  const pl_fem_work *w = leap->work;
  const pl_fem_potential *p = &w->potential;
  double gain = leap->elastic - pl_fem_stored_energy(leap->work, leap->from);
  for (ptrdiff_t i = 0; i < number_count(w); ++i) {
    double way = w->middle[i] - leap->from.positions[i];
    gain += ((leap->flies ? p->gradient[i] : 0) - p->elastic[i]) * way;
  }
  return gain - damping_loss(leap);
}

double pl_fem_euler_gain(const pl_fem_work *work, const double *x, const double *v, double tau, double elastic) {
  const pl_fem_potential *p = &work->potential;
  const double *masses = work->system.model->head.masses;
  double gain = p->elastic_energy - elastic;
  for (ptrdiff_t i = 0; i < number_count(work); ++i) {
    double way = work->next[i] - x[i], change = way / tau - v[i];
    gain -= p->elastic[i] * way;
    if (is_free(work, i)) gain -= 0.5 * masses[i / 3] * change * change;
  }
  return gain;
}

double pl_fem_inner_energy(const pl_fem_model *model, const double *v, double elastic) {
  pl_vec3 drift = pl_fem_center_of(model, v);
  double kinetic = 0;
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 relative = pl_vec3_sub(pl_fem_vector(v, i), drift);
    kinetic += 0.5 * model->head.masses[i] * pl_vec3_dot(relative, relative);
  }
  return kinetic + elastic;
}

static double mass_product(const pl_fem_work *w, const double *a, const double *b) {
  const double *masses = w->system.model->head.masses;
  double sum = 0;
  for (ptrdiff_t i = 0; i < number_count(w); ++i) sum += masses[i / 3] * a[i] * b[i];
  return sum;
}

// What a gain is measured against. The area term of shells is negative below a Poisson's ratio of 1/3.
// A body that only falls has nothing but rounding errors there: the energy of a strain of 1e-7 and 1e-9 of the kinetic
// energy are added, far above rounding and far below anything seen.
static double size_of(const pl_fem_leap *leap) {
  const pl_fem_model *model = leap->work->system.model;
  double kinetic = 0.5 * mass_product(leap->work, leap->work->mean, leap->work->mean);
  return pl_fem_inner_energy(model, leap->work->mean, fabs(leap->elastic)) + 1e-9 * kinetic +
         1e-14 * model->force_scale * model->element_size;
}

// Sum of gains with this one, within what it may be whatever was booked before: a body that was damped, or set to
// another state, has other limits now.
static double book(const pl_fem_leap *leap, double gain, double size) {
  return fmax(fmin(leap->from.energy[2], HARD * size), -CREDIT * size) + gain;
}

// Leave out the rigid part of a motion, in flight.
static void make_inner(const pl_fem_leap *leap, double *motion) {
  const pl_fem_model *model = leap->work->system.model;
  if (!leap->flies) return;
  pl_fem_rigid rigid = pl_fem_rigid_motion(model, leap->work->middle, motion);
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(leap->work->middle, i), rigid.center);
    pl_vec3 part = pl_vec3_add(rigid.drift, pl_vec3_cross(rigid.spin, arm));
    pl_fem_put(motion, i, pl_vec3_sub(pl_fem_vector(motion, i), part));
  }
}

static void slow(const pl_fem_work *w, const double *motion, double fraction) {
  for (ptrdiff_t i = 0; i < number_count(w); ++i) w->mean[i] -= fraction * motion[i];
}

// Slow what alternates by as much as takes `excess` from the kinetic energy, or as much as it has. Returns what it
// took.
//
//   drop = θ <v, i> - ½ θ² <i, i>
static double slow_alternating(const pl_fem_leap *leap, double excess) {
  pl_fem_work *w = leap->work;
  double *motion = w->newton.trial;
  for (ptrdiff_t i = 0; i < number_count(w); ++i)
    motion[i] = is_free(w, i) ? w->mean[i] - (w->next[i] - leap->from.positions[i]) / leap->tau : 0;
  make_inner(leap, motion);
  double a = mass_product(w, w->mean, motion), b = mass_product(w, motion, motion);
  if (!(a > 0)) return 0;
  double max = fmin(1, a / b), root = a * a - 2 * b * excess;
  double fraction = root > 0 ? fmin(max, 2 * excess / (a + sqrt(root))) : max;
  slow(w, motion, fraction);
  return fraction * (a - 0.5 * fraction * b);
}

// Slow all motion within the body by what takes `excess` from the kinetic energy, at least to the fraction `min` of its
// speed. Returns what it took; nothing where that is not enough.
static double slow_all(const pl_fem_leap *leap, double excess, double min) {
  pl_fem_work *w = leap->work;
  double *motion = w->newton.trial;
  for (ptrdiff_t i = 0; i < number_count(w); ++i) motion[i] = is_free(w, i) ? w->mean[i] : 0;
  make_inner(leap, motion);
  double kinetic = 0.5 * mass_product(w, motion, motion), kept = sqrt(fmax(0, 1 - excess / fmax(kinetic, excess)));
  if (kept < min) return 0;
  slow(w, motion, 1 - kept);
  return (1 - kept * kept) * kinetic;
}

bool pl_fem_spend(const pl_fem_leap *leap, double gain) {
  double size = size_of(leap), sum = book(leap, gain, size);
  if (leap->work->driven) {
    leap->from.energy[2] = sum;
    return gain <= DRIVEN * size;
  }
  if (sum > (SOFT + 1e-12) * size) {
    sum -= slow_alternating(leap, sum - SOFT * size);
    if (sum > HARD * size) sum -= slow_all(leap, sum - SOFT * size, MIN_KEPT);
    leap->work->report.damped = true;
  }
  if (sum > HARD * size) return false;
  leap->from.energy[2] = sum;
  return true;
}

void pl_fem_spend_all(const pl_fem_leap *leap, double gain) {
  double size = size_of(leap), sum = book(leap, fmax(gain, 0), size);
  if (!leap->work->driven && sum > (HARD + 1e-12) * size) {
    sum -= slow_all(leap, sum - HARD * size, 0);
    leap->work->report.damped = true;
  }
  leap->from.energy[2] = sum;
}
