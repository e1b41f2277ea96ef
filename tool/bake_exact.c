// Spring bones of a character as VRM specifies them: an animation of the file plays at 60 updates per second, and the
// joints are recorded as they are after the update of each frame.
#include <math.h>
#include <stdlib.h>

#include "tool_bake.h"
#include "tool_interrupt.h"

static const double UPDATE = 1.0 / 60;

// Nodes that get key frames, each once: those of all springs, and all others too where another file moves them. Returns
// their number.
static int32_t list_nodes(const bake_job *job, const pl_character_view *view, int32_t *nodes) {
  int32_t count = 0;
  for (; job->motion != NULL && count < view->node_count; ++count) nodes[count] = count;
  if (job->motion != NULL) return count;
  for (int32_t k = 0; k < view->spring_count; ++k)
    for (int32_t j = 0; j < view->springs[k].joint_count; ++j) {
      int32_t node = view->springs[k].joints[j].node, i = 0;
      while (i < count && nodes[i] != node) ++i;
      if (i == count) nodes[count++] = node;
    }
  return count;
}

static bool record(bake_job *job, pl_spring *spring, const int32_t *nodes, int32_t node_count) {
  int32_t updates = (int32_t)round(60 / job->frame_rate);
  double pre_roll = job->options.pre_roll >= 0 ? job->options.pre_roll : BAKE_PRE_ROLL;
  bake_sample(job, 0, NULL);
  pl_spring_reset(spring, job->node_placements);
  for (int32_t i = 0; i < (int32_t)round(60 * pre_roll); ++i) {
    bake_sample(job, 0, NULL);
    pl_spring_step(spring, UPDATE, job->node_placements);
  }
  for (int32_t frame = 0; frame < job->frame_count; ++frame) {
    if (tool_interrupt_count() > 0) return false;
    for (int32_t u = 0; frame > 0 && u < updates; ++u) {
      bake_sample(job, ((frame - 1) * updates + u + 1) * UPDATE, NULL);
      pl_spring_step(spring, UPDATE, job->node_placements);
    }
    for (int32_t i = 0; i < node_count; ++i)
      job->frames[(size_t)frame * (size_t)node_count + (size_t)i] = job->node_placements[nodes[i]];
    if (job->morph_count > 0)
      bake_sample(job, frame * updates * UPDATE, job->morph_frames + (size_t)frame * (size_t)job->morph_count);
  }
  return true;
}

static pl_status write_motion(bake_job *job, const int32_t *nodes, int32_t node_count, pl_error *error) {
  char *path = bake_joint_path(job), *name = bake_motion_name(job);
  pl_character_motion motion = {.name = name,
                                .frame_rate = job->frame_rate,
                                .frame_count = job->frame_count,
                                .joint_count = node_count,
                                .nodes = nodes,
                                .joints = job->frames,
                                .morphs = job->morph_count > 0 ? job->morph_frames : NULL,
                                .morph_count = job->morph_count};
  pl_status status = pl_character_bake(job->context, job->options.input, path, job->animation, &motion, error);
  if (status >= 0) tool_print(&job->tool->console, "animation '%s' in %s", name, path);
  free(name);
  free(path);
  return status;
}

int bake_exact(bake_job *job) {
  const tool_console *console = &job->tool->console;
  pl_character_view view = pl_character_get_view(job->character);
  pl_error error = {0};
  if (!bake_choose_animation(job, &view)) return TOOL_FAILED;
  pl_spring *spring = NULL;
  pl_status status = pl_spring_create(job->context, job->character, &spring, &error);
  if (status < 0) return tool_report_error(console, &error);
  if (pl_spring_joint_count(spring) == 0) {
    tool_print_error(console, "'%s' has no spring bones, so there is nothing to simulate", job->options.input);
    pl_spring_destroy(spring);
    return TOOL_FAILED;
  }
  double end = bake_animation_end(job);
  double seconds = job->options.seconds > 0 ? job->options.seconds : end > 0 ? end : BAKE_SECONDS;
  job->frame_rate = job->options.frame_rate > 0 ? job->options.frame_rate : BAKE_FRAME_RATE;
  job->frame_count = (int32_t)fmax(1, floor(seconds * job->frame_rate + 0.5)) + 1;
  job->node_placements = tool_allocate((size_t)view.node_count, sizeof *job->node_placements);
  int32_t *nodes = tool_allocate((size_t)view.node_count, sizeof *nodes), count = list_nodes(job, &view, nodes);
  job->frames = tool_allocate((size_t)job->frame_count * (size_t)count, sizeof *job->frames);
  job->morph_frames = tool_allocate((size_t)job->frame_count * (size_t)job->morph_count, sizeof *job->morph_frames);
  tool_print(console, "%s: %d spring bones by VRM's update, %d frames at %.6g/s", job->options.input,
             pl_spring_joint_count(spring), job->frame_count, job->frame_rate);
  tool_interrupt_watch();
  if (record(job, spring, nodes, count))
    status = write_motion(job, nodes, count, &error);
  else
    status = PL_ERROR_UNSUPPORTED, error.status = PL_REMARK_CANCELLED;
  tool_interrupt_release();
  free(nodes);
  pl_spring_destroy(spring);
  if (status < 0) return tool_report_error(console, &error);
  return job->remarks ? TOOL_REMARKS : TOOL_DONE;
}
