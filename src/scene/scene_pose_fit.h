// Poses of surfaces that become poses of tets when a scene is built: fitted once, kept in the
// store, and reported by name.
#ifndef PL_SCENE_POSE_FIT_H
#define PL_SCENE_POSE_FIT_H

#include "pliant/pose.h"
#include "scene/scene_instance.h"

// One pose to be fitted.
typedef struct pl_pose_job {
  const char *name;
  const pl_json *json;    // where its findings go
  const pl_vec3 *target;  // posed points of the part's surface
  pl_vec3 *points;        // out: one per point of the part's tets
  pl_pose_report report;  // out
  uint64_t hash;          // of all that the fit depends on
  pl_status status;       // of the fit …
  pl_error error;         // … and what is wrong where it failed
} pl_pose_job;

// Fit all jobs, several at once, or take them from the instance's store, and report how well each
// pose is met.
pl_status pl_instance_fit_poses(pl_scene_instance *set, const pl_instance_part *part,
                                pl_pose_job *jobs, int32_t job_count, pl_findings *findings,
                                pl_error *error);

// In which order the file of a pose has the vertices of the mesh.
typedef struct pl_pose_order {
  pl_arena *arena;
  pl_findings *findings;
  const int32_t *posed_of_rest;  // out, in the arena; NULL: the same order
} pl_pose_order;

// Refuse a pose whose faces are not those of the rest shape: PL_ERROR_INVALID_DATA and a finding
// that names the first face that differs, and offers `match` where the vertices can be found again.
// With it, they are. Files without faces pass, and so do faces in another order.
pl_status pl_instance_order_pose(pl_scene_instance *set, const pl_scene_pose *pose,
                                 const pl_mesh *rest, const pl_mesh *posed, pl_pose_order *order,
                                 pl_error *error);

#endif
