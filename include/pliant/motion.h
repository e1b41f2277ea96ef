/// @file motion.h
/// Motions of surfaces, for kinematic meshes: the skin of a character that plays an animation of
/// its own or of another file, and point caches (part of the lab).
#ifndef PLIANT_MOTION_H
#define PLIANT_MOTION_H

#include "pliant/base.h"
#include "pliant/character.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A surface whose points are known at every time. One thread at a time.
typedef struct pl_motion pl_motion;

/// Contents of a motion.
typedef struct pl_motion_report {
  const pl_mesh *mesh;  ///< the surface at rest, for pl_kinematic_build(); owned by the motion;
                        ///< NULL for a character without a surface that animation alone moves
  int32_t node_count;   ///< nodes of the character, 0 for a cache
  int32_t morph_count;  ///< morph targets of the character, 0 for a cache
  double start, end;    ///< seconds of the first and last key
  /// Point of each vertex of the character's surface, -1 for those left out; NULL for a cache.
  /// Valid as long as the motion.
  const int32_t *point_of_vertex;
  int32_t vertex_count;  ///< of the character's surface
} pl_motion_report;

/// Motion of the surface of a character in one of its animations (-1: the rest pose). The surface
/// has the parts that animation alone moves: points that follow spring bones by more than half are
/// left out. Vertices at the same position with the same skin are one point. The character must
/// outlive the motion, which the caller owns. Fails with PL_ERROR_INVALID_ARGUMENT for an animation
/// that does not exist, and when out of memory; `*motion` is then NULL.
PL_API pl_status pl_motion_create(pl_context *context, const pl_character *character,
                                  int32_t animation, pl_motion **motion, pl_error *error);

/// Motion of the surface of a humanoid character by an animation of another file: VRM animation
/// (.vrma), glTF or GLB with the same bones, or BVH. Bones are found by the humanoid of VRM, or by
/// the usual names (Hips, LeftUpLeg, mixamorig:LeftArm, thigh.L …); rotations are transferred
/// relative to the rest poses of both, and the motion of the hips is scaled by their height. The
/// first animation of the file counts. Doubtful content goes to `findings`, which may be NULL.
/// Fails as pl_motion_create() does, as loading the file does, and with PL_ERROR_INVALID_DATA when
/// the two have no bone in common.
PL_API pl_status pl_motion_load(pl_context *context, const pl_character *character,
                                const char *path, pl_motion **motion, pl_findings *findings,
                                pl_error *error);

/// Motion of `mesh` by a point cache (PC2 or MDD) with one position per point of the mesh, or per
/// vertex of the file that the mesh came from. `frame_rate` is the number of frames per second of
/// the cache; 0: as the file says (MDD), or 24 (PC2, which does not say). Between frames positions
/// follow cubic curves, so that velocities do not jump. The mesh is copied. Fails as
/// pl_frame_file_open() does, with PL_ERROR_INVALID_DATA when the numbers of points differ, and
/// when out of memory.
PL_API pl_status pl_motion_load_cache(pl_context *context, const pl_mesh *mesh, const char *path,
                                      double frame_rate, pl_motion **motion, pl_error *error);

/// Destroy a motion. NULL is allowed.
PL_API void pl_motion_destroy(pl_motion *motion);

/// Contents of a motion. Never fails.
PL_API pl_motion_report pl_motion_get_report(const pl_motion *motion);

/// Sample a motion at a time in seconds; before the first key and after the last it stands still.
/// `points` receives one position per point of the mesh, `nodes` the global transforms of the
/// character's nodes without scale, `morphs` the weights of its morph targets. Any of them may be
/// NULL.
PL_API void pl_motion_sample(pl_motion *motion, double time, pl_vec3 *points, pl_transform *nodes,
                             double *morphs);

#ifdef __cplusplus
}
#endif
#endif
