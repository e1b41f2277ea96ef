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
} pl_pose_job;

// Fit all jobs, or take them from the instance's store, and report how well each pose is met.
pl_status pl_instance_fit_poses(pl_scene_instance *set, const pl_instance_part *part,
                                pl_pose_job *jobs, int32_t job_count, pl_findings *findings,
                                pl_error *error);

// Refuse a pose whose faces are not those of the rest shape: PL_ERROR_INVALID_DATA and a finding
// that names the first face that differs. Files without faces pass.
pl_status pl_instance_compare_faces(pl_scene_instance *set, const pl_scene_pose *pose,
                                    const pl_mesh_view *rest, const pl_mesh_view *posed,
                                    pl_findings *findings, pl_error *error);

#endif
