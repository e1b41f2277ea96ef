// Writes the recording: an animation in the source file or in a new one, and the points of the surface.
#include <stdlib.h>
#include <string.h>

#include "tool_bake.h"
#include "tool_folder.h"

// `path` with another ending, or without one.
static char *with_ending(const char *path, const char *ending) {
  const char *old = tool_ending(path);
  size_t length = strlen(path) - (old[0] != '\0' ? strlen(old) + 1 : 0);
  return tool_text("%.*s%s%s", (int)length, path, ending != NULL ? "." : "", ending != NULL ? ending : "");
}

// Into the file of the character. Nodes that the animation moves keep their key frames; only the chains get new ones.
// Without an animation of the file (a scene or a motion of another file drove the joints) all joints get new ones.
static pl_status write_into_source(const bake_job *job, pl_character_motion *motion, const char *path,
                                   pl_error *error) {
  int32_t *nodes = tool_allocate((size_t)job->rod.joint_count, sizeof *nodes);
  for (int32_t i = 0; i < job->rod.joint_count; ++i)
    nodes[i] = job->rod.joints[i].kinematic && job->character != NULL && job->motion == NULL ? -1 : job->nodes[i];
  motion->nodes = nodes;
  pl_status status = pl_character_bake(job->context, job->source_path, path, job->animation, motion, error);
  free(nodes);
  return status;
}

static pl_status write_own(const bake_job *job, pl_character_motion *motion, const char *path, pl_error *error) {
  int32_t *nodes = tool_allocate((size_t)job->rod.joint_count, sizeof *nodes);
  for (int32_t i = 0; i < job->rod.joint_count; ++i) nodes[i] = i;
  motion->nodes = nodes;
  pl_character_save_def def = pl_default_character_save_def();
  def.rod = &job->rod;
  def.motion = motion;
  def.name = job->body_name;
  pl_status status = pl_character_save(job->context, &def, path, error);
  free(nodes);
  return status;
}

char *bake_joint_path(const bake_job *job) {
  return with_ending(job->options.output, tool_has_ending(job->options.output, "vrm") ? "vrm" : "glb");
}

char *bake_motion_name(const bake_job *job) {
  return job->animation_name != NULL ? tool_text("%s baked", job->animation_name) : tool_text("baked");
}

static pl_status write_glb(const bake_job *job, pl_error *error) {
  char *path = bake_joint_path(job), *name = bake_motion_name(job);
  pl_character_motion motion = {.name = name,
                                .frame_rate = job->frame_rate,
                                .frame_count = job->frame_count,
                                .joint_count = job->rod.joint_count,
                                .joints = job->frames,
                                .additions = job->additions,
                                .morphs = job->morph_count > 0 ? job->morph_frames : NULL,
                                .morph_count = job->morph_count};
  pl_status status =
      job->source_path != NULL ? write_into_source(job, &motion, path, error) : write_own(job, &motion, path, error);
  if (status >= 0) tool_print(&job->tool->console, "animation '%s' in %s", name, path);
  free(name);
  free(path);
  return status;
}

// Difference from the last frame of a loop to the first, for every point. The motion of the kinematic joint above the
// first chain, as in a walk, is not part of the difference.
static pl_status find_gaps(const bake_job *job, int32_t count, pl_vec3 *gaps, pl_error *error) {
  int32_t last = job->frame_count - 1, base = bake_first_base(job);
  const pl_transform *start = job->frames + base, *end = start + (size_t)last * (size_t)job->rod.joint_count;
  pl_status status = pl_frame_log_read(job->log, last, 0, count, gaps, error);
  if (status >= 0) status = pl_frame_log_read(job->log, 0, 0, count, job->points, error);
  for (int32_t i = 0; i < count && status >= 0; ++i) {
    pl_transform first = {job->points[i], {0, 0, 0, 1}};
    pl_vec3 there = bake_join(*end, bake_relative(*start, first)).position;
    gaps[i] = (pl_vec3){there.x - gaps[i].x, there.y - gaps[i].y, there.z - gaps[i].z};
  }
  return status;
}

// The points of a loop are faded along straight lines.
static pl_status write_points(const bake_job *job, pl_frames *frames, pl_error *error) {
  int32_t count = pl_model_get_report(job->model).surface_point_count, last = job->frame_count - 1;
  pl_vec3 *gap = tool_allocate((size_t)count, sizeof *gap);
  pl_status status = find_gaps(job, count, gap, error);
  for (int32_t frame = 0; frame <= last && status >= 0; ++frame) {
    double fraction = bake_fade_fraction(job, frame);
    status = pl_frame_log_read(job->log, frame, 0, count, job->points, error);
    for (int32_t i = 0; i < count && fraction > 0; ++i) {
      pl_vec3 *p = &job->points[i];
      *p = (pl_vec3){p->x + fraction * gap[i].x, p->y + fraction * gap[i].y, p->z + fraction * gap[i].z};
    }
    if (status >= 0) status = pl_frames_add_frame(frames, job->points, error);
  }
  free(gap);
  return status;
}

static pl_status write_pc2(const bake_job *job, pl_error *error) {
  pl_model_report facts = pl_model_get_report(job->model);
  char *path = with_ending(job->options.output, NULL);
  pl_frames *frames = NULL;
  pl_frames_def def = pl_default_frames_def(PL_FRAMES_PC2);
  def.path = path;
  def.frame_rate = job->frame_rate;
  def.frame_count = job->frame_count;
  def.point_count = facts.surface_point_count;
  def.triangles = pl_model_get_surface_triangles(job->model);
  def.triangle_count = facts.surface_triangle_count;
  def.name = job->body_name;
  pl_status status = pl_frames_create(job->context, &def, &frames, error);
  if (status >= 0) status = write_points(job, frames, error);
  if (status >= 0)
    status = pl_frames_close(frames, error);
  else
    pl_frames_abandon(frames);
  if (status >= 0) tool_print(&job->tool->console, "%d points per frame in %s.pc2", facts.surface_point_count, path);
  free(path);
  return status;
}

pl_status bake_write(bake_job *job, pl_error *error) {
  pl_status status = job->options.glb ? write_glb(job, error) : PL_OK;
  if (status >= 0 && job->options.pc2) status = write_pc2(job, error);
  return status;
}
