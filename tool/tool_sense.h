// pliant sense: shared declarations.
#ifndef TOOL_SENSE_H
#define TOOL_SENSE_H

#include "pliant/pliant.h"
#include "tool_arguments.h"

typedef struct sense_job {
  const tool_session *tool;
  const tool_arguments *arguments;
  char *folder;
  pl_context *context;
  pl_scene *scene;
  pl_scene_instance *set;
  pl_findings *findings;
  pl_scene_report facts;
  int32_t body;  // which is captured
  int32_t frame_count, camera_count, width, height;
  double rate, start;
  pl_sensor_def sensor;
  // Per body: its surface in every frame, one after the other; of the captured one the particles
  // too.
  int32_t body_count;
  pl_vec3 **surfaces;
  pl_vec3 *particles;
  int32_t particle_count;
  pl_vec3 *static_points;  // particles at rest under gravity
  int32_t *held, held_count;
  pl_mesh *tets;  // to track with, at rest, in place of the body's own; NULL: those. Particles and
                  // static shape are theirs at the end
} sense_job;

// sense_tets.c: tets that replace the body's own. Open their mesh, NULL on failure (printed);
// transfer the recorded motion of the particles to them.
pl_mesh *sense_open_tets(const sense_job *job, const char *path);
pl_status sense_carry_tets(sense_job *job, pl_error *error);

// sense_simulate.c: choose the body, false if there is none (printed); simulate its motion and its
// static shape.
bool sense_choose_body(sense_job *job);
pl_status sense_simulate(sense_job *job, pl_error *error);

// sense_write.c: write depth images and truth, print a summary.
pl_status sense_take_pictures(const sense_job *job, pl_error *error);
pl_status sense_write_truth(sense_job *job, pl_error *error);
// `filmed`: whether some frame has points of the body; otherwise that is printed.
pl_status sense_print_capture(const sense_job *job, bool *filmed, pl_error *error);

#endif
