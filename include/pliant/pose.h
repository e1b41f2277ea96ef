/// @file pose.h
/// Example poses: tets fitted to posed surfaces, and one mesh with named poses from files with the
/// same connectivity.
#ifndef PLIANT_POSE_H
#define PLIANT_POSE_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Input of pl_pose_fit() and pl_poses_from_surface().
typedef struct pl_pose_def {
  // parameters of src/mesh/mesh_parameters.c by `make generate`: begin
  /// How hard the surface pulls the tets to its pose: at 1, a surface that is one edge of a tet
  /// away costs about as much as a tet stretched to double length. Around tets that would be turned
  /// inside out the weight is lowered, unless `exact` is set.
  double weight;  ///< above 0 up to 1e6, default 1000
  /// Impose the surface as it is (weight 1e6) and keep it so; inverted tets are counted and
  /// reported.
  bool exact;  ///< default false
  /// A surface point farther than this from all tets is an error; 0: a tenth of the tets' diagonal.
  double reach;  ///< m, 0 … 1e9, default 0
  /// As-rigid-as-possible iterations for each weight that is tried.
  int32_t max_iterations;  ///< 1 … 1e6, default 200
  // parameters: end

  uint32_t magic;  ///< set by pl_default_pose_def()
} pl_pose_def;

/// Quality of a fitted pose.
typedef struct pl_pose_report {
  double residual_rms;  ///< distance of the fitted surface points from the posed ones, root of the
                        ///< mean square, metres
  double residual_max;  ///< the largest, metres
  int32_t farthest_point;  ///< the surface point it belongs to, -1 if there are none
  double min_j;  ///< smallest volume of a tet relative to its rest volume, det F; negative when
                 ///< inverted
  double max_j;  ///< largest
  int32_t inverted_count;  ///< tets with det F <= 0
  double
      weight;  ///< smallest weight used; smaller than requested where that would have inverted tets
  int32_t softened_count;   ///< surface points with less than the weight asked for
  int32_t iteration_count;  ///< over all weights
  bool converged;           ///< the iteration converged at the weight used
  double volume_ratio;  ///< volume that the posed surface encloses against the rest; negative for a
                        ///< mirror image
} pl_pose_report;

/// Every parameter at its default.
PL_API pl_pose_def pl_default_pose_def(void);

/// A surface, the tets around it, and a pose of the surface. Borrowed for the call.
typedef struct pl_pose_target {
  const pl_mesh *tets;     ///< all of positive volume
  const pl_mesh *surface;  ///< lies in the tets
  const pl_vec3 *points;   ///< posed position of each surface point, metres; not used by
                           ///< pl_poses_from_surface()
} pl_pose_target;

/// Move the points of the tets so that the surface takes the given pose, with every tet rotated and
/// moved but changed in shape as little as possible. `points` receives one position per point of
/// the tets. `report` may be NULL. Returns PL_REMARK_NOT_CONVERGED when the iterations reached
/// their maximum, or when tets stay inverted at the smallest weight; the result is usable, and the
/// report says which. The number of threads does not change the result.
PL_API pl_status pl_pose_fit(pl_context *context, const pl_pose_def *def,
                             const pl_pose_target *target, pl_vec3 *points, pl_pose_report *report,
                             pl_error *error);

/// Fit all poses that the surface has. `posed_tets` receives a copy of the tets with poses of the
/// same names instead of its own; the caller owns it. `reports` holds one report per pose, or is
/// NULL. Returns PL_REMARK_NOT_CONVERGED when a fit did.
PL_API pl_status pl_poses_from_surface(pl_context *context, const pl_pose_def *def,
                                       const pl_pose_target *target, pl_mesh **posed_tets,
                                       pl_pose_report *reports, pl_error *error);

/// What pl_poses_match() found.
typedef struct pl_pose_match_report {
  int32_t moved_count;  ///< vertices with another number; 0: the order is the same
  int32_t piece_count;  ///< pieces that were matched one by one; 0 when the order is the same
  int32_t way_count;    ///< ways in which the most symmetric piece could be matched
} pl_pose_match_report;

/// Find out which vertex of `posed` is each vertex of `rest` when a file has numbered them in
/// another order, from the faces (or the tets, where both have some) alone. Where a symmetry of the
/// mesh allows several answers, the one with the least change of edge lengths, and among equals the
/// one nearest to the rest, is given. `posed_of_rest` receives one vertex of `posed` per point of
/// `rest`; `report` may be NULL. Fails with PL_ERROR_INVALID_DATA, naming what differs, when the
/// two are not the same mesh.
PL_API pl_status pl_poses_match(pl_context *context, const pl_mesh *rest, const pl_mesh *posed,
                                int32_t *posed_of_rest, pl_pose_match_report *report,
                                pl_error *error);

/// A pose from a file of its own.
typedef struct pl_pose_source {
  const char *name;
  int32_t point_count;  ///< must be the rest's number of points, or of source vertices where it was
                        ///< welded
  const pl_vec3 *points;  ///< absolute positions in the order of the rest's file
} pl_pose_source;

/// Copy `rest`, with its own poses, and add poses from other files. The caller owns the mesh. Fails
/// with PL_ERROR_INVALID_DATA, naming the pose, for a pose with another number of points or without
/// a name.
PL_API pl_status pl_poses_from_points(pl_context *context, const pl_mesh *rest,
                                      const pl_pose_source *sources, int32_t source_count,
                                      pl_mesh **mesh, pl_error *error);

/// Check the poses of a mesh for what makes them useless or harmful: equal to the rest shape, equal
/// to each other, mirrored (most tets inverted, or a surface that encloses negative volume), some
/// tets inverted, two of one name, too many. Every finding names its pose. Returns PL_OK,
/// PL_REMARK_FINDINGS for warnings, PL_ERROR_INVALID_DATA for errors (the first is also in
/// `error`). `findings` may be NULL.
PL_API pl_status pl_poses_check(pl_context *context, const pl_mesh *mesh, pl_findings *findings,
                                pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
