// A differentiable motion: what the files rollout*.c share.
//
//   u = (x_n + x_{n+1}) / 2,  τ = h / 2
//   r(u) = c M (u - x_n) - M v_n/τ + g(u) + ∂D(u) - M a - f_n = 0        c = 1/τ² + α/τ
//   x_{n+1} = 2 u - x_n,  v_{n+1} = 2 (u - x_n)/τ - v_n
//
// as fit_motion.h has it, with the viscosity D of fem/fem_maxwell.h (rollout_viscous.c).
// A = ∂r/∂u = c M + H(u), H with that of D. Pinned points stay: u = x there. An equilibrium is the
// same with c = 0, D = 0 and x_{n+1} = u.
//
// Planes add the gradient of their springs at the end of the step, C(x_{n+1}), to r, and with C'
// its derivative 2 C' to A (C' in an equilibrium): rollout_contact.c.
#ifndef PL_CAPTURE_ROLLOUT_PARTS_H
#define PL_CAPTURE_ROLLOUT_PARTS_H

#include "capture/fit_worker.h"
#include "fem/fem_maxwell.h"
#include "pliant/rollout.h"

struct pl_rollout {
  pl_context *context;
  pl_arena arena;
  pl_rollout_def def;
  const pl_fem_model *model;
  pl_fit_body body;
  pl_fit_worker *worker;
  pl_block_matrix stiffness;  // H, with nothing fixed; the worker's matrix is A
  pl_block_matrix contact;    // C'; only with planes
  double plane_stiffness;     // N/m per m²
  uint8_t *fixed;
  ptrdiff_t n;  // 3 per point
  double extent;
  // Of the last motion.
  bool has_run, has_weights;
  double tau, alpha, beta, c;
  double *rest;            // 12 per tet
  double *parameters;      // 2 per tet
  double *forces;          // step_count times n
  double *x, *v;           // step_count + 1 times n
  double *anchors;         // of D, by step: 6 per tet
  pl_fem_maxwell maxwell;  // D for the step at hand; not of equilibria
  // Workspace, n each unless it is said.
  double *u, *gradient, *residual, *step, *base, *product, *viscous;
  double *end, *pressed;  // x_{n+1} of u; a product with C'
  double *change;         // 12 per tet
};

static inline bool pl_rollout_is_fixed(const pl_rollout *r, ptrdiff_t i) {
  return r->fixed[i / 3] != 0;
}

// Step `index` of the last motion again: u, H and the factor of A there.
// PL_ERROR_INVALID_DATA if A is not positive definite.
pl_status pl_rollout_linearise(pl_rollout *r, int32_t index, pl_error *error);

// Springs of the planes (rollout_contact.c). The end of step `index` that u stands for, and how
// much of a change of u it takes along: 2, or 1 in an equilibrium.
void pl_rollout_set_end(pl_rollout *r, int32_t index);
double pl_rollout_reach(const pl_rollout *r);
// Their energy at `end`, J; the gradient is added to `gradient` where it is not NULL.
double pl_rollout_press(const pl_rollout *r, double *gradient);
// C' at `end`.
void pl_rollout_find_contact(pl_rollout *r);
// pressed = C' vector; 0 without planes.
void pl_rollout_multiply_contact(pl_rollout *r, const double *vector);

// Viscosity (rollout_viscous.c): memory; its start at x_0, where branches have no stress; D of step
// `index`, kept for derivatives; branches after it, at u; D of a step again.
bool pl_rollout_viscous_take(pl_rollout *r);
void pl_rollout_viscous_start(pl_rollout *r);
void pl_rollout_viscous_begin(pl_rollout *r, int32_t index);
void pl_rollout_viscous_finish(pl_rollout *r);
void pl_rollout_viscous_recall(pl_rollout *r, int32_t index);
static inline bool pl_rollout_is_viscous(const pl_rollout *r) {
  return !r->def.equilibrium && (r->beta > 0 || r->maxwell.branches.count > 0);
}
// D at u, J; gradient and Hessian are added where they are not NULL.
double pl_rollout_viscous_evaluate(pl_rollout *r, double *gradient, pl_block_matrix *matrix);

// What a direction changes of the viscosity of a step, but for u.
typedef struct pl_rollout_viscous_change {
  const double *s;        // dx_n
  const double *metrics;  // of the branches: 6 per branch and tet
  const double *young;    // per tet, or NULL
  double poisson, damping;
  const double *rest;  // 12 per tet, or NULL
} pl_rollout_viscous_change;
// dm_b of the start along s; the change of forces taken from rhs; dm_b after the step along du.
void pl_rollout_viscous_push_start(pl_rollout *r, const double *s, double *metrics);
void pl_rollout_viscous_push(pl_rollout *r, int32_t index, const pl_rollout_viscous_change *change,
                             double *rhs);
void pl_rollout_viscous_push_finish(pl_rollout *r, const double *du, double *metrics);

// Where derivatives of viscosity are added to, NULL: not wanted; `metrics`, those by m_b of the end
// of the step, become those of its beginning.
typedef struct pl_rollout_viscous_sums {
  double *by_x, *metrics;
  double *young, *poisson, *damping, *rest;  // rest: 12 per tet
} pl_rollout_viscous_sums;
// By u through m_b of the end; all others, with the adjoint of the forces; by x_0 through m_b.
void pl_rollout_viscous_pull_end(const pl_rollout *r, const double *metrics, double *by_u);
void pl_rollout_viscous_pull(pl_rollout *r, int32_t index, const double *adjoint,
                             const pl_rollout_viscous_sums *to);
void pl_rollout_viscous_pull_start(const pl_rollout *r, const double *metrics, double *by_x);

// H at u, C' at `end` and A, factored.
pl_status pl_rollout_factor(pl_rollout *r, pl_error *error);

// Rest shapes by element with the weights of one example 1 and all others 0, less those of the
// rest: what a change of that weight does, as mixtures are linear in the weights.
void pl_rollout_example_change(pl_rollout *r, int32_t example, double *change);

#endif
