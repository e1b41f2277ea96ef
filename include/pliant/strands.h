/// @file strands.h
/// Strands: thousands of hairs to be drawn, from a few hundred chains of a rod body that are
/// simulated.
///
/// The chains of the body are the *guides*. A strand has a root on a kinematic joint and follows
/// the guides whose roots are nearest to its own. At rest it is exactly where its def has it;
/// then it moves with its guides, what it differs from them turns along, and every point of it is
/// pushed out of colliders. Strands cost no simulation: they are computed when they are drawn.
#ifndef PLIANT_STRANDS_H
#define PLIANT_STRANDS_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/model.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of points of a strand, and of guides that it follows.
#define PL_STRANDS_MAX_POINTS 64
#define PL_STRANDS_MAX_NEIGHBOURS 4

/// The root of a strand, in the body's frame at rest.
typedef struct pl_strand_root {
  int32_t joint;     ///< kinematic joint that it is fixed to
  pl_vec3 position;  ///< metres
  pl_vec3 normal;    ///< of the skin there, any length: from a guide to a strand the rest shape is
                     ///< turned as the normals are. Zero: it is not turned
} pl_strand_root;

/// Input of pl_strands_create().
typedef struct pl_strands_def {
  // parameters of src/rod/strands_parameters.c by `make generate`: begin
  /// Points of each strand, evenly along its guides.
  int32_t points;  ///< 2 … 64, default 16
  /// Nearest guides that each strand follows.
  int32_t neighbours;  ///< 1 … 4, default 3
  /// Distance from colliders that points of strands keep; their roots may be anywhere.
  double clearance;  ///< m, 0 … 1e3, default 0.001
  /// Of the strand that is drawn, at its root.
  double radius;  ///< m, 0 … 1e3, default 0.0004
  /// The same at its tip.
  double tip_radius;  ///< m, 0 … 1e3, default 0.0001
  /// Corners of the tube that a strand is drawn as; 2 means: a flat band.
  int32_t sides;  ///< 2 … 16, default 3
  // parameters: end

  const pl_strand_root *roots;  ///< one per strand
  int32_t strand_count;
  const pl_vec3 *guide_normals;  ///< of the skin at the guides' roots, one per chain of the model
                                 ///< in the body's frame; NULL: the direction of the first segment
  const pl_vec3 *rests;          ///< strands at rest, `points` per strand in the body's frame, each
                                 ///< beginning at its root; NULL: made from the guides at rest
  uint32_t magic;                ///< set by pl_default_strands_def()
} pl_strands_def;

/// Every parameter at its default; roots are to be filled in.
PL_API pl_strands_def pl_default_strands_def(void);

/// Strands of one rod model. One thread at a time.
typedef struct pl_strands pl_strands;

/// Create strands that follow the chains of a rod model. The caller owns the strands; the model
/// must outlive them. Chains with branches are not guides. Fails with PL_ERROR_UNSUPPORTED for a
/// model of another method, PL_ERROR_INVALID_ARGUMENT naming the field for numbers that make no
/// sense, and PL_ERROR_INVALID_DATA for a root on a joint that is not kinematic or has no guides.
PL_API pl_status pl_strands_create(pl_context *context, const pl_model *model,
                                   const pl_strands_def *def, pl_strands **strands,
                                   pl_error *error);

/// Destroy strands. NULL is allowed.
PL_API void pl_strands_destroy(pl_strands *strands);

/// Properties of strands.
typedef struct pl_strands_report {
  int32_t strand_count, point_count;  ///< strands; points of each
  int32_t guide_count;                ///< chains that are followed
  int32_t surface_point_count, surface_triangle_count;
} pl_strands_report;

/// Properties of strands.
PL_API pl_strands_report pl_strands_get_report(const pl_strands *strands);

/// Compute all strands of a body of the model, where the world is now. `points` receives three
/// floats per point, strand after strand, in metres relative to `origin` (in the world; near the
/// body, so that single precision suffices). Points are pushed out of the body's own colliders,
/// those of the world and kinematic meshes. Runs on the threads of the world's context, with the
/// same result for any number. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_INVALID_ARGUMENT for a body of another model or inside a step.
PL_API pl_status pl_strands_place(pl_strands *strands, pl_world *world, pl_body_id body,
                                  pl_vec3 origin, float *points, pl_error *error);

/// The strands as a surface: tubes with a ring of `sides` corners at every point, or bands with two
/// points there. `points` holds the report's surface_point_count. Fails as pl_strands_place().
PL_API pl_status pl_strands_get_surface(pl_strands *strands, pl_world *world, pl_body_id body,
                                        pl_vec3 *points, pl_error *error);

/// Triangles of that surface, three points each; they live as long as the strands.
PL_API const int32_t *pl_strands_get_surface_triangles(const pl_strands *strands);

#ifdef __cplusplus
}
#endif
#endif
