/// @file rollout.h
/// Motions that can be differentiated (part of the lab): the positions of a finite-element body
/// over time as a function of moduli, damping, rest shape, weights of examples, initial state and
/// forces, with derivatives of all of them, forward and backward. For design, estimation and
/// learning by gradients.
///
/// The body consists of corotated or stable neo-Hookean tets, is held at some of its points and
/// moves by the implicit midpoint rule, which is also the second-order scheme of worlds. Masses are
/// those of the model and do not change with the rest shape. Viscosity is that of worlds: stiffness
/// damping, and the Prony terms and structural damping of the model, whose branches have no stress
/// at the start; there are derivatives through them, but not by their ratios and times.
///
/// Contact is there as far as it has derivatives: surface points that are below a plane at the end
/// of a step are pushed along its normal by the one-sided springs that colliders have in worlds,
/// whose force has a continuous derivative. There is no friction, which has none where sticking
/// becomes sliding, and there are no other colliders, other bodies or self-contact. Derivatives
/// exist for every motion, but they are those of the motion that touches what it touches: a small
/// change that makes a point touch earlier acts through the springs, a contact that a point misses
/// has no derivative that could find it.
#ifndef PLIANT_ROLLOUT_H
#define PLIANT_ROLLOUT_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pl_linear_backend;

/// A plane that pushes points whose distance along the normal is less than `offset`.
typedef struct pl_rollout_plane {
  pl_vec3 normal;  ///< towards the free side; any length but 0
  double offset;   ///< metres from the origin along the normal
} pl_rollout_plane;

/// Input of pl_rollout_create().
typedef struct pl_rollout_def {
  // parameters of src/capture/rollout_parameters.c by `make generate`: begin
  /// Length of a step.
  double step;  ///< s, above 0 up to 10, default 1/240
  /// Steps of a motion.
  int32_t step_count;  ///< 1 … 1e6, default 100
  /// Acceleration of free fall.
  pl_vec3 gravity;  ///< m/s², default (0, -9.81, 0)
  /// The motion is one jump to the equilibrium under gravity and forces instead of steps;
  /// `step_count` must be 1.
  bool equilibrium;  ///< default false
  /// Last Newton step of a time step, as a fraction of the size of the body; derivatives are as
  /// exact as this.
  double tolerance;  ///< above 0 up to 1, default 1e-11
  /// Maximum Newton iterations of a step.
  int32_t max_newton_iterations;  ///< 1 … 1e6, default 60
  // parameters: end

  const pl_model *model;  ///< finite elements of tets (pl_fem_build()); must outlive the rollout
  const int32_t *pinned;  ///< points that stay where they start; copied
  int32_t pinned_count;
  const pl_rollout_plane *planes;  ///< that the surface does not pass, without friction; copied
  int32_t plane_count;             ///< 0 … 64
  const struct pl_linear_backend
      *direct;     ///< pl_cholmod_backend(), or NULL: conjugate gradients, several times slower
  uint32_t magic;  ///< set by pl_default_rollout_def()
} pl_rollout_def;

/// What a motion depends on. The same struct holds values (pl_rollout_run()), directions
/// (pl_rollout_push()) and gradients (pl_rollout_pull(), which writes to it). NULL: the model's own
/// value; no change; not wanted.
typedef struct pl_rollout_inputs {
  double *young;              ///< Pa, one per tet
  double *poisson;            ///< one number for all tets
  double *mass_damping;       ///< 1/s, one number
  double *stiffness_damping;  ///< s, one number
  pl_vec3 *rest;              ///< metres, one per point; not together with `weights`
  double *weights;            ///< one per example of the model; they stay for the whole motion
  pl_vec3 *positions;         ///< metres at the start, one per point
  pl_vec3 *velocities;        ///< m/s at the start, one per point; pinned points have none
  pl_vec3 *forces;            ///< newtons, step_count times the points: force k acts during step k
} pl_rollout_inputs;

/// Motions of one body, and the memory of the last one. One thread at a time; several rollouts of
/// one model may run at once.
typedef struct pl_rollout pl_rollout;

/// Every parameter at its default; model and pinned points are to be filled in.
PL_API pl_rollout_def pl_default_rollout_def(void);

/// Create a rollout. The caller owns it. Fails with PL_ERROR_INVALID_ARGUMENT for a def that is
/// wrong, PL_ERROR_UNSUPPORTED for a model of another kind, and when out of memory; `*rollout` is
/// then NULL.
PL_API pl_status pl_rollout_create(pl_context *context, const pl_rollout_def *def,
                                   pl_rollout **rollout, pl_error *error);

/// Destroy a rollout. NULL is allowed.
PL_API void pl_rollout_destroy(pl_rollout *rollout);

/// Run a motion. `inputs` may be NULL; its arrays are copied. `positions` and `velocities` receive
/// step_count + 1 times the points, the start first; either may be NULL. Fails with
/// PL_ERROR_INVALID_DATA, naming the field, for numbers out of range, and when a step cannot be
/// solved.
PL_API pl_status pl_rollout_run(pl_rollout *rollout, const pl_rollout_inputs *inputs,
                                pl_vec3 *positions, pl_vec3 *velocities, pl_error *error);

/// Forward mode: how the positions of the last motion change along `directions`. `changes` receives
/// direction_count times (step_count + 1) times the points. Costs about a run, and little more per
/// direction. Fails with PL_ERROR_INVALID_ARGUMENT before the first run, PL_ERROR_INVALID_DATA
/// where the equations of a step are not positive definite and the motion has no unique
/// continuation.
PL_API pl_status pl_rollout_push(pl_rollout *rollout, const pl_rollout_inputs *directions,
                                 int32_t direction_count, pl_vec3 *changes, pl_error *error);

/// Backward mode (adjoint): the gradient by all inputs of a function of the last motion whose
/// derivatives by positions and velocities are given, step_count + 1 times the points each, either
/// may be NULL. Writes the arrays of `gradient` that are there. Costs about a run, for any number
/// of inputs. Fails as pl_rollout_push() does, and with PL_ERROR_INVALID_ARGUMENT when the gradient
/// by the rest shape is asked for of a motion with weights.
PL_API pl_status pl_rollout_pull(pl_rollout *rollout, const pl_vec3 *by_positions,
                                 const pl_vec3 *by_velocities, const pl_rollout_inputs *gradient,
                                 pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
