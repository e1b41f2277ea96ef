// Maximisation (paper 002, eqs. 4 and 5): the body comes to equilibrium under elasticity and the pull of what was
// measured.
//
//   Φ(x) = W(x) + Σ_k ½ (s_k - c̄_k)ᵀ D_k (s_k - c̄_k) + ½ c |x - y|²_M - Σ f·x            D_k = w_k (n nᵀ + ρ (1 - n
//   nᵀ)),  ρ = 0.05 σ²/τ²
//
// s_k  surface point, W of the embedding times x      c̄_k  mean of the points measured at it, by their shares      w_k
// κ a_k times how well it is measured y    where inertia would take the points            κ    N/m per m²: the pull of
// a unit of surface              f    gravity, or what track_foresee.c says
//
// The pull of all points measured at s_k is that of their mean, with the sum of their weights. The paper adds up η/σ²
// for every one of them, so that surfaces near a camera, with many points, would be pulled more than those far away,
// and the balance with elasticity depends on the sensor's resolution. Here it is a stiffness per area, κ = E / l with
// the length l of `detail`: bumps smaller than l are smoothed by elasticity, larger ones follow what was measured.
// Since the pull of s_k is quadratic and its four parents lie in one tet, it fits the pattern of the stiffness matrix,
// and Newton's method solves for all of it at once.
#include <math.h>
#include <string.h>

#include "capture/track_parts.h"
#include "math/mat3.h"

enum { MAX_HALVINGS = 8 };

// The pull along the surface, as a share of what the widths say. With all of it the surface sticks to the points it was
// first matched with, and thin round parts lag behind by millimetres; with none nothing but the rims would keep it from
// sliding along itself. Rms error of the first frames of scenes/capture-hanger after each share: 1: 3.9 mm, 0.2: 2.4
// mm, 0.05: 0.4 mm.
#define ALONG 0.05

// How much more than one measured point makes a surface point well measured.
#define FEW_POINTS 1.0
#define ARMIJO 1e-4  // fraction of the slope's promise that a step must gain
#define SOLVED 1e-3  // how well a Newton step is solved: the next expectation changes the targets by more
#define STILL 0.02   // of the noise, per point: a step that is shorter ends an equilibrium

static ptrdiff_t unknown_count(const pl_tracker *t) {
  return 3 * (ptrdiff_t)t->model->head.particle_count;
}

// Stiffness of the pull at every surface point, for this level.
static void compute_weights(pl_tracker *t, const pl_track_level *level) {
  double tau = fmax(level->sigma, PL_TRACK_SPACING * level->spacing);
  bool all = level->sample_count == t->samples.count;
  t->data_ratio = ALONG * level->sigma * level->sigma / (tau * tau);
  for (int32_t k = 0; k < t->samples.count; ++k) {
    double count = t->pull.weights[k], area = all ? t->samples.areas[k] : t->samples.area / level->sample_count;
    t->data_weights[k] = count > 0 ? level->stiffness * area * count / (count + FEW_POINTS) : 0;
  }
}

// Energy of the pulls at the surface points of x; gradient and matrix, where wanted, are added to.
static double add_pulls(pl_tracker *t, const double *x, double *gradient, bool with_matrix) {
  const pl_contact_surface *surface = &t->model->head.surface;
  const pl_fem_touch *touch = &t->model->touch;
  double energy = 0;
  for (int32_t k = 0; k < surface->point_count; ++k) {
    double w = t->data_weights[k];
    if (!(w > 0)) continue;
    const int32_t *parents = surface->parents + 4 * (ptrdiff_t)k;
    const double *responsibilities = touch->weights + 4 * (ptrdiff_t)k;
    pl_vec3 off = pl_vec3_scale(t->pull.targets[k], -1), n = t->normals[k];
    for (int a = 0; a < 4; ++a) off = pl_vec3_add_scaled(off, pl_fem_vector(x, parents[a]), responsibilities[a]);
    double across = pl_vec3_dot(off, n);
    pl_vec3 force =
        pl_vec3_scale(pl_vec3_add_scaled(pl_vec3_scale(off, t->data_ratio), n, (1 - t->data_ratio) * across), w);
    energy += 0.5 * pl_vec3_dot(force, off);
    for (int a = 0; gradient != NULL && a < 4; ++a)
      pl_fem_put(gradient, parents[a],
                 pl_vec3_add_scaled(pl_fem_vector(gradient, parents[a]), force, responsibilities[a]));
    if (!with_matrix) continue;
    pl_mat3 block = pl_mat3_scale(pl_mat3_outer(n, n), w * (1 - t->data_ratio));
    for (int a = 0; a < 3; ++a) block.m[a][a] += w * t->data_ratio;
    for (int ab = 0; ab < 16; ++ab) {
      int32_t slot = touch->slots[16 * (ptrdiff_t)k + ab];
      if (slot < 0) continue;
      double responsibility = responsibilities[ab / 4] * responsibilities[ab % 4];
      for (int i = 0; i < 9; ++i) t->matrix.values[9 * (ptrdiff_t)slot + i] += responsibility * block.m[i / 3][i % 3];
    }
  }
  return energy;
}

// Inertia towards the prediction, and the load.
static double add_body_forces(pl_tracker *t, const double *x, double inertia, double *gradient) {
  const double *masses = t->model->head.masses;
  double energy = 0;
  for (ptrdiff_t i = 0; i < unknown_count(t); ++i) {
    double m = masses[i / 3], off = x[i] - t->predicted[i];
    energy += 0.5 * m * inertia * off * off - t->load[i] * off;
    if (gradient != NULL) gradient[i] += m * inertia * off - t->load[i];
  }
  return energy;
}

static double evaluate(pl_tracker *t, const double *x, double inertia, double *gradient, bool with_matrix) {
  double energy = pl_fem_system_evaluate(&t->system, x, gradient, with_matrix ? &t->matrix : NULL, true);
  energy += add_pulls(t, x, gradient, with_matrix);
  energy += add_body_forces(t, x, inertia, gradient);
  if (with_matrix) {
    pl_block_matrix_add_diagonal(t->context, &t->matrix, inertia, t->model->head.masses);
    pl_block_matrix_fix(t->context, &t->matrix, t->fixed);
  }
  for (ptrdiff_t i = 0; gradient != NULL && i < unknown_count(t); ++i)
    if (t->fixed[i / 3] != 0) gradient[i] = 0;
  return energy;
}

// Go along the step as far as Φ falls; false if it does not.
static bool search_line(pl_tracker *t, double inertia, double energy) {
  double gradient = 0, length = 1;
  ptrdiff_t n = unknown_count(t);
  for (ptrdiff_t i = 0; i < n; ++i) gradient += t->gradient[i] * t->step[i];
  if (!(gradient < 0)) return false;
  for (int k = 0; k < MAX_HALVINGS; ++k, length *= 0.5) {
    for (ptrdiff_t i = 0; i < n; ++i) t->trial[i] = t->x[i] + length * t->step[i];
    if (!(evaluate(t, t->trial, inertia, NULL, false) <= energy + ARMIJO * length * gradient)) continue;
    memcpy(t->x, t->trial, (size_t)n * sizeof(double));
    return true;
  }
  return false;
}

pl_status pl_track_maximise(pl_tracker *t, const pl_track_level *level, double inertia, int32_t max_newton_iterations,
                            int32_t *newton_count, pl_error *error) {
  compute_weights(t, level);
  ptrdiff_t n = unknown_count(t);
  pl_linear_solver_aim(t->solver, SOLVED);
  for (int32_t i = 0; i < max_newton_iterations; ++i) {
    double energy = evaluate(t, t->x, inertia, t->gradient, true);
    for (ptrdiff_t k = 0; k < n; ++k) t->rhs[k] = -t->gradient[k];
    memset(t->step, 0, (size_t)n * sizeof(double));
    pl_status status = pl_linear_solver_factor(t->solver, &t->matrix, error);
    if (status >= 0) status = pl_linear_solver_solve(t->solver, t->rhs, 1, t->step, error);
    if (status < 0) return status;
    ++*newton_count;
    double square = 0;
    for (ptrdiff_t k = 0; k < n; ++k) square += t->step[k] * t->step[k];
    if (!search_line(t, inertia, energy)) break;
    // A step that moves points by a fiftieth of the noise is the last.
    if (square < (STILL * STILL / 3) * t->def.noise * t->def.noise * (double)n) break;
  }
  return PL_OK;
}
