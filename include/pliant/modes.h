/// @file modes.h
/// The lowest vibrations of a finite-element body (part of the lab).
#ifndef PLIANT_MODES_H
#define PLIANT_MODES_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pl_linear_backend;

/// Input of pl_modes_find().
typedef struct pl_modes_def {
  // parameters of src/capture/modes_parameters.c by `make generate`: begin
  /// Number of lowest modes.
  int32_t mode_count;  ///< 1 … 1000, default 6
  /// Relative error of the eigenvalues.
  double tolerance;  ///< above 0 up to 1, default 1e-10
  // parameters: end

  const pl_vec3 *positions;  ///< pose around which the body vibrates, metres, one per point, such
                             ///< as an equilibrium; NULL: the rest shape
  const int32_t *pinned;     ///< points that do not move
  int32_t pinned_count;
  const struct pl_linear_backend
      *direct;     ///< pl_cholmod_backend(), or NULL: conjugate gradients, several times slower
  uint32_t magic;  ///< set by pl_default_modes_def()
} pl_modes_def;

/// Every parameter at its default; the rest shape, nothing pinned.
PL_API pl_modes_def pl_default_modes_def(void);

/// Find the lowest modes of K u = ω² M u with lumped masses, damping left out. `frequencies`
/// receives mode_count numbers in Hz, rising; about 0 for the six rigid motions of a body that is
/// not held, negative for a direction in which the pose is not stable. `shapes` receives mode_count
/// times the points, with the sum of mass times square 1 (kg m²); NULL: not wanted. Returns
/// PL_REMARK_NOT_CONVERGED when some did not converge; those are 0. Fails with PL_ERROR_UNSUPPORTED
/// for a model of another method and in a build without ARPACK, PL_ERROR_INVALID_ARGUMENT for a def
/// that is wrong. May be called from several threads at once.
PL_API pl_status pl_modes_find(pl_context *context, const pl_model *model, const pl_modes_def *def,
                               double *frequencies, pl_vec3 *shapes, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
