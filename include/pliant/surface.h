/// @file surface.h
/// Surfaces for display: positions and normals of a body as floats in the caller's vertex buffer,
/// interpolated between steps.
///
///     pl_shading_build()               once per model: which vertices share a normal
///     pl_world_advance()               per frame: whole steps, the remainder is kept
///     pl_world_get_interpolation()     the remainder, as a fraction of a step
///     pl_body_get_vertices()           positions and normals into a mapped buffer
#ifndef PLIANT_SURFACE_H
#define PLIANT_SURFACE_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/model.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Input of pl_shading_build().
typedef struct pl_shading_def {
  // parameters of src/body/shading_parameters.c by `make generate`: begin
  /// Angle between the normals of two triangles above which their common edge is hard.
  double crease_angle;  ///< rad, 0 … 3.141592653589793, default 3.141592653589793
  // parameters: end

  const pl_vec3 *normals;  ///< unit normals of the rest shape, one per surface point, as a file
                           ///< gives them; NULL: none. With them points that coincide share a
                           ///< normal where these agree to half a degree, and `crease_angle` is
                           ///< ignored
  uint32_t magic;          ///< set by pl_default_shading_def()
} pl_shading_def;

/// Smooth everywhere.
PL_API pl_shading_def pl_default_shading_def(void);

/// The vertices that a renderer draws a model with, and which of them share a normal. Immutable;
/// may be used for many bodies and from several threads at once.
typedef struct pl_shading pl_shading;

/// Find the vertices of a model. Surface points that coincide in the rest shape (to a millionth of
/// its size), such as the two sides of a texture seam, share one normal. Where the surface bends by
/// more than `crease_angle` it has a hard edge: points there become several vertices. The caller
/// owns the result; the model must outlive it. Fails with PL_ERROR_INVALID_ARGUMENT for a def that
/// is out of range, and when out of memory; `*shading` is then NULL.
PL_API pl_status pl_shading_build(pl_context *context, const pl_shading_def *def,
                                  const pl_model *model, pl_shading **shading, pl_error *error);

/// Destroy a shading. NULL is allowed.
PL_API void pl_shading_destroy(pl_shading *shading);

/// Vertices and triangles of a shading; valid as long as it.
typedef struct pl_shading_view {
  int32_t vertex_count;            ///< at least the model's surface_point_count
  const int32_t *point_of_vertex;  ///< vertex_count: surface point of each. Vertex i is point i for
                                   ///< all points; copies at hard edges follow
  int32_t triangle_count;          ///< of the model's surface
  const int32_t *triangles;        ///< 3 vertices each, in the order of the model's triangles
} pl_shading_view;

/// Vertices and triangles of a shading. Never fails.
PL_API pl_shading_view pl_shading_get_view(const pl_shading *shading);

/// Where pl_body_get_vertices() writes. Positions and normals may lie in one buffer, interleaved
/// with other attributes, or in two.
typedef struct pl_vertex_buffer {
  float *positions;        ///< first position, 3 floats; NULL: not wanted
  size_t position_stride;  ///< bytes from one position to the next, a multiple of 4, at least 12
  float *normals;          ///< first normal, 3 floats; NULL: not wanted
  size_t normal_stride;    ///< bytes from one normal to the next, a multiple of 4, at least 12
  int32_t vertex_count;    ///< vertices that fit; at least the shading's
  pl_vec3 origin;          ///< metres: subtracted before rounding to float, so that a world of
                           ///< kilometres keeps its detail near the camera
  double fraction;         ///< 0: the surface before the last step, 1: after it, in between:
                           ///< interpolated
} pl_vertex_buffer;

/// Positions (metres, in the world, less `origin`) and unit normals of a body's surface after its
/// surface layers, one per vertex of `shading`, which is of the body's model. A vertex without a
/// direction (no triangle, or a fold that cancels itself) gets the normal (0, 1, 0).
///
/// A body that was teleported, reset or set, added, or restored since the step before is not
/// interpolated until the next step: it is at its new position for every `fraction`.
///
/// Allocates only in the first call for a body. May be called from several threads at once, for the
/// same body too, while nothing changes the world; not inside a step, except by controllers. Fails
/// with PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for a shading of another
/// model, a buffer that is too small, strides or a fraction out of range, and inside a step.
PL_API pl_status pl_body_get_vertices(const pl_world *world, pl_body_id body,
                                      const pl_shading *shading, const pl_vertex_buffer *buffer,
                                      pl_error *error);

/// Fraction of a step, 0 … 1, that pl_world_advance() was given and has not stepped yet. A display
/// that shows every body at this fraction between the last two steps moves evenly at any frame
/// rate, one step behind the simulation.
PL_API double pl_world_get_interpolation(const pl_world *world);

/// Placement of a collider at `fraction` between the last two steps, as pl_body_get_vertices()
/// shows bodies; 1 is now. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_get_collider_placement(const pl_world *world, pl_collider_id id,
                                                 double fraction, pl_transform *placement);

#ifdef __cplusplus
}
#endif
#endif
