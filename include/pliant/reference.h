/// @file reference.h
/// The reference shape of a soft object (part of the lab): what it would be without gravity, found
/// from the shape that it has in gravity.
#ifndef PLIANT_REFERENCE_H
#define PLIANT_REFERENCE_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Method that finds the reference shape.
typedef enum pl_reference_solver {
  PL_REFERENCE_NEWTON =
      0,  ///< Newton's method on the force residual, with line search and load steps; the default
  PL_REFERENCE_VIRTUAL_FORCE,  ///< the residual acts as virtual force in artificial time (paper
                               ///< 002, section 6.1)
} pl_reference_solver;

/// Input of pl_reference_find().
typedef struct pl_reference_def {
  // parameters of src/capture/fit_parameters.c by `make generate`: begin
  /// How the reference shape is found.
  pl_reference_solver solver;  ///< default PL_REFERENCE_NEWTON
  /// Gravity of the static shape.
  pl_vec3 gravity;  ///< m/s², default (0, -9.81, 0)
  /// Residual force as a fraction of the weight.
  double tolerance;  ///< above 0 up to 1, default 1e-10
  /// Maximum iterations or steps of artificial time.
  int32_t limit;  ///< 1 … 1e9, default 400
  /// Fraction of its volume in the static shape that every element must keep.
  double min_volume;  ///< above 0 up to 0.99, default 0.02
  // parameters: end

  const int32_t *pinned;  ///< points that are held: their places are those of the static shape
  int32_t pinned_count;   ///< at least three that are not on a line, or the shape is not determined
  const struct pl_linear_backend
      *direct;     ///< pl_cholmod_backend(), or NULL for conjugate gradients
  uint32_t magic;  ///< set by pl_default_reference_def()
} pl_reference_def;

/// Result of the search for a reference shape.
typedef struct pl_reference_report {
  bool converged;
  int32_t iteration_count;   ///< Newton iterations or steps of artificial time
  int32_t linear_count;      ///< products with the Jacobian
  int32_t load_steps;        ///< parts in which gravity had to be applied
  double residual;           ///< newtons: root of the sum of squares over free points
  double relative_residual;  ///< residual relative to the weight
  double min_volume;         ///< of an element, relative to its volume in the static shape
  double seconds;
} pl_reference_report;

/// Every parameter at its default; nothing pinned, no direct solver.
PL_API pl_reference_def pl_default_reference_def(void);

/// Find the gravity-free rest shape of a body whose shape in gravity is known. `model` is built
/// from the static shape by pl_fem_build(), of corotated or neo-Hookean tets, with the moduli and
/// density of the body; masses are those of the static shape. `reference` (one per point, metres)
/// holds the start, for which the static shape is a good choice, and receives the result. `report`
/// may be NULL. Returns PL_REMARK_NOT_CONVERGED with the shape reached so far when no shape of such
/// a soft body carries the load, or when the maximum number of iterations was too small. Fails with
/// PL_ERROR_UNSUPPORTED for models of other kinds. May be called from several threads at once.
PL_API pl_status pl_reference_find(pl_context *context, const pl_model *model,
                                   const pl_reference_def *def, pl_vec3 *reference,
                                   pl_reference_report *report, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
