// The inner loops of a step, eight chains at a time, compiled for the plain machine and for AVX2
// (see math/simd.h for how).
#ifndef PL_ROD_KERNELS_H
#define PL_ROD_KERNELS_H

#include "rod/rod_model.h"

// How the kinematic joints above the chains of a batch move in this step. All [..][8].
typedef struct pl_rod_base {
  _Alignas(32) float start[QUAT_LANES];     // rotation at the beginning
  _Alignas(32) float end[QUAT_LANES];       // rotation at the end
  _Alignas(32) float shift[VEC3_LANES];     // of the root, metres
  _Alignas(32) float velocity[VEC3_LANES];  // of the root, m/s …
  _Alignas(32) float spin[VEC3_LANES];      // … and of the kinematic joint, rad/s: not damped
} pl_rod_base;

// One solve of a batch: from a state at the beginning of the step to positions and rotations at its
// end.
typedef struct pl_rod_solve {
  const pl_rod_batch *batch;
  const pl_rod_base *base;
  pl_rod_lanes from;            // positions, velocities, rotations and spins at the beginning
  const float *rest_positions;  // P(w), in the base's frame
  const float *rest_rotations;
  float *matches;              // rotation of each region: in a guess, out the answer
  const float *accelerations;  // [joint][3][8], m/s²
  float step, stiffness;       // s; alpha, before the joints' gains
  float kept;                  // fraction of the velocity relative to the base that damping leaves
  const float *kept_by_drag;   // [joint][8]: fraction of the velocity that a spring bone's drag
                               // leaves in this step
  // Goals are compared with predicted positions, as position based dynamics does, instead of with
  // current ones: a fraction alpha of the velocity relative to the kinematic joint is lost in the
  // step.
  bool predicts;
  // [8]: keep_lengths and follow leave lanes alone where this is 0; NULL: none
  const float *chosen;
  float *positions;  // out, [joint][3][8], relative to the root at the end
  float *rotations;  // out, [joint][4][8]
  float *work;       // PL_ROD_WORK_ROWS(joints, constraints, entries) rows of eight
} pl_rod_solve;

// match() needs 12 + 9 rows per joint, keep_lengths() 5 per constraint and one per entry of the
// factor; the rest is slack.
#define PL_ROD_WORK_ROWS(joints, constraints, entries) \
  (24 * (size_t)(joints) + 6 * (size_t)(constraints) + (size_t)(entries) + 16)

typedef struct pl_rod_kernels {
  // Weights of Algorithm 1, [example][8], for the directions to the camera in the bases' frames,
  // [3][8]; any length, all examples 0 for none.
  void (*view)(const pl_rod_batch *batch, const double *directions, float *weights);
  // P(w) of eqs. 4 to 9: `weights` [example][8]; the rest pose has the remaining weight.
  void (*blend)(const pl_rod_batch *batch, const float *weights, float *positions,
                float *rotations);
  // Move a chain along as its rest pose changes from that in `lanes` to the new one: every segment
  // keeps its deviation from the rest. Positions, velocities and rotations of `lanes` are changed,
  // and the new rest pose is stored.
  void (*transport)(const pl_rod_batch *batch, const pl_rod_lanes *lanes,
                    const float *rest_positions, const float *rest_rotations);
  // Add the drag of the air to `accelerations`; `strength` is its density times half the drag
  // coefficient, kg/m³.
  void (*blow)(const pl_rod_batch *batch, const pl_rod_lanes *lanes, const float wind[3],
               float strength, float step, float *accelerations);
  // Elastic forces by generalised shape matching, outside forces and damping: the end of the step
  // without constraints.
  void (*match)(const pl_rod_solve *solve);
  // Move `positions` so that all constraints have their lengths, heavy joints less.
  void (*keep_lengths)(const pl_rod_solve *solve);
  // Joints after their parents: exact lengths, angle limits.
  void (*follow)(const pl_rod_solve *solve);
  // A step of spring bones, lengths included.
  void (*spring)(const pl_rod_solve *solve);
  // pulls[example][8] = L^T (R - R^0) of eq. 17 for the chain's present pose.
  void (*project)(const pl_rod_batch *batch, const pl_rod_lanes *lanes, const float *base,
                  float *pulls);
  // Velocities from `velocity_positions`, the state from the result of `solve` (eqs. 10 to 15); the
  // same arrays without suppression. False when something is not finite.
  bool (*finish)(const pl_rod_solve *solve, const float *velocity_positions,
                 const float *velocity_rotations, const pl_rod_lanes *to);
} pl_rod_kernels;

extern const pl_rod_kernels pl_rod_kernels_plain;
#if defined(__x86_64__)
extern const pl_rod_kernels pl_rod_kernels_avx2;
#endif

// The fastest this machine can run. All give the same bits.
const pl_rod_kernels *pl_rod_kernels_choose(void);

#endif
