// One simulation of a fit: a tracked sequence run again with given parameters, its distance from
// what was tracked, and by forward sensitivities the first and (Gauss-Newton's) second derivatives
// of that distance by the parameters.
//
// The scheme is the implicit midpoint rule, as fem/fem_step.c, which neither damps nor gains: what
// is damped is the material's.
//
//   u = (x_n + x_{n+1}) / 2,  τ = h / 2,  v̄ = (u - x_n) / τ
//   x_{n+1} = 2 u - x_n,  v_{n+1} = 2 v̄ - v_n
//   r(u) = M (v̄ - v_n) / τ + α M v̄ + g(u) + ∂D(u) - M a = 0
//
// D is the viscosity of fem/fem_maxwell.h: stiffness damping and Maxwell branches, as in the steps
// of a world. Branches begin without stress: what starts was held there for long.
//
// Sensitivities s = dx_n/dθ, t = dv_n/dθ, z = du/dθ, with the matrix A = c M + H(u) + ∂²D(u) of
// Newton's last iteration, c = 1/τ² + α/τ:
//
//   A z = c M s + M t/τ - ∂r/∂θ        s_{n+1} = 2 z - s,   t_{n+1} = 2 (z - s)/τ - t
//
// where ∂r/∂θ has what D changes with x_n and the metrics of the branches (fit_viscous.c),
// so a step costs one factorisation and one solve per parameter. Newton's iterations of the next
// step go with the factor of the last one, and a new one only where that converges slowly.
#ifndef PL_CAPTURE_FIT_MOTION_H
#define PL_CAPTURE_FIT_MOTION_H

#include "capture/fit_worker.h"
#include "pliant/fit.h"

// Of an unknown velocity: markers tell apart no more than three, all points the lowest modes.
enum { PL_MOTION_MARKER_SHAPES = 3, PL_MOTION_MAX_SHAPES = 8 };

// An unknown start: a force that pulls at what is observed, three coefficients among the values,
// and a velocity, one for each of its shapes.
typedef struct pl_motion_start {
  int32_t force_value;     // the first of the three, -1: the start is not pulled
  int32_t velocity_value;  // the same, -1: no unknown velocity
  double force_scale;      // m²: force = scale × geometric mean of the moduli × coefficient
  double velocity_scale;   // m/s: velocity = scale × shape × coefficient
  const double *pattern;   // per particle: its part of a force of 1
  int32_t shape_count;     // at most PL_MOTION_MAX_SHAPES
  const double *shapes;    // as many fields of 3 per particle
} pl_motion_start;

typedef struct pl_motion_job {
  const pl_fit_sequence *sequence;
  const pl_fit_load_case *load_case;  // in place of a sequence, which is then NULL
  pl_motion_start start;
  double noise;         // m: deviations of the data are counted in it
  int32_t frame_count;  // of the sequence, from its first on
  int32_t steps_per_frame;
  double tolerance;           // of the last Newton step against the size of the body
  const double *values;       // Young's modulus by control point, Poisson's ratio, α, β
  const double *rest;         // X, 3 per particle
  int32_t column_count;       // parameters to derive by; 0: none
  const int32_t *columns;     // which of the values each is; rising
  const double *fractions;    // fit_changes.h
  const double *rest_change;  // dX, [3 particles][padded]
  pl_vec3 *positions;         // room for frame_count times the particles, or NULL
  const pl_fit_def *def;      // whose give_up is asked in every frame; NULL: none
} pl_motion_job;

typedef struct pl_motion_result {
  bool failed;       // some step could not be solved: there is no such motion
  double cost;       // Σ weight |x - tracked|², m²
  double weight;     // Σ weight of frames after the first
  double amplitude;  // Σ weight |tracked - static|², m²
  double worst;      // m
  double *gradient;  // column_count: Σ weight s_k · (x - tracked), or NULL without columns
  double *normal;    // column_count²: Σ weight s_k · s_l
  double *scores;    // the gradient by frame, [frame_count][column_count], or NULL
  int32_t factor_count, iteration_count;
  double pull[3];  // N, of pl_motion_find_pull()
} pl_motion_result;

// Whether the fit is given up.
static inline bool pl_fit_is_given_up(const pl_fit_def *def) {
  return def->give_up != NULL && def->give_up(def->user);
}

// Run a sequence; result->gradient and normal are the caller's memory. Moduli and rest shape of the
// worker are set.
pl_status pl_motion_run(pl_fit_worker *worker, const pl_motion_job *job, pl_motion_result *result,
                        pl_error *error);

// The same of a static experiment: its equilibrium in place of the frames.
pl_status pl_motion_run_case(pl_fit_worker *worker, const pl_motion_job *job,
                             pl_motion_result *result, pl_error *error);

// The pull of an unknown start that brings what is observed to its first positions: N along x, y
// and z. Returns PL_REMARK_NOT_CONVERGED when there is none.
pl_status pl_motion_find_pull(pl_fit_worker *worker, const pl_motion_job *job, double force[3],
                              pl_error *error);

#endif
