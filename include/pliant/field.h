/// @file field.h
/// Young's modulus as a field over a body (part of the lab): a few control points, blended over the
/// tets.
#ifndef PLIANT_FIELD_H
#define PLIANT_FIELD_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Positions of the control points of a field.
typedef enum pl_field_placement {
  PL_FIELD_UNIFORM = 0,  ///< one modulus for the whole body
  PL_FIELD_GIVEN,        ///< at given positions
  PL_FIELD_ALONG_AXIS,   ///< evenly along an axis, from the first to the last point of the body
  PL_FIELD_FARTHEST,     ///< each at the mesh point farthest from all before it, the first farthest
                         ///< from the middle
} pl_field_placement;

/// Interpolation of moduli between control points.
typedef enum pl_field_blend {
  PL_FIELD_LINEAR = 0,  ///< linearly along the axis, constant beyond the ends
  PL_FIELD_HARMONIC,    ///< by functions that are harmonic in the body, 1 around one control point
                        ///< and 0 around the others
} pl_field_blend;

/// Input of pl_field_build().
typedef struct pl_field_def {
  // parameters of src/capture/fit_parameters.c by `make generate`: begin
  /// Control points; 1 for a uniform field.
  int32_t control_count;  ///< 1 … 64, default 1
  /// Direction along which the control points lie; zero: the longest edge of the box.
  pl_vec3 axis;  ///< default (0, 0, 0)
  // parameters: end

  pl_field_placement placement;
  pl_field_blend blend;
  const pl_vec3 *points;  ///< of PL_FIELD_GIVEN
  uint32_t magic;         ///< set by pl_default_field_def()
} pl_field_def;

/// Control points of Young's modulus and their weights in every tet. Immutable.
typedef struct pl_field pl_field;

/// Borrowed arrays of a field; valid as long as the field.
typedef struct pl_field_view {
  int32_t control_count, tet_count;
  const pl_vec3 *points;  ///< control points
  const double
      *weights;  ///< control_count per tet, from 0 to 1, sum 1: E of a tet is the weighted mean
} pl_field_view;

/// Uniform.
PL_API pl_field_def pl_default_field_def(void);

/// Compute the weights of control points in the tets of a mesh. The mesh is not needed afterwards.
/// The caller owns the field. Fails with PL_ERROR_INVALID_ARGUMENT for a def that is wrong,
/// PL_ERROR_INVALID_DATA when the mesh has no tets or two control points belong to the same mesh
/// point.
PL_API pl_status pl_field_build(pl_context *context, const pl_field_def *def, const pl_mesh *mesh,
                                pl_field **field, pl_error *error);

/// The arrays of a field. Never fails.
PL_API pl_field_view pl_field_get_view(const pl_field *field);

/// Destroy a field. NULL is allowed.
PL_API void pl_field_destroy(pl_field *field);

#ifdef __cplusplus
}
#endif
#endif
