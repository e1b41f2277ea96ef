// Simulates and records: once, or, for a loop, cycle after cycle until one ends as it began.
#include <stdlib.h>
#include <unistd.h>

#include "tool_bake.h"
#include "tool_interrupt.h"

enum { MAX_CYCLES = 8 };

// Difference between the start and the end of a cycle, in degrees, that is not visible.
static const double LOOP_TOLERANCE = 0.5;

static pl_status begin(bake_job *job, pl_error *error) {
  if (job->character != NULL) return bake_settle_character(job, error);
  return job->options.pre_roll > 0 ? pl_world_settle(job->world, job->options.pre_roll, NULL, error) : PL_OK;
}

// Advance from the previous frame to frame number `frame`.
static pl_status advance(bake_job *job, int32_t frame, pl_error *error) {
  if (tool_interrupt_count() > 0) {
    *error = (pl_error){.status = PL_REMARK_CANCELLED, .text = "interrupted; nothing was written"};
    return PL_ERROR_UNSUPPORTED;
  }
  if (job->character != NULL) return bake_advance_character(job, frame, error);
  return pl_world_advance(job->world, 1 / job->frame_rate, 0, NULL, error);
}

static pl_status keep_frame(bake_job *job, int32_t frame, pl_error *error) {
  pl_status status =
      pl_rod_get_joints(job->world, job->body, job->frames + (size_t)frame * (size_t)job->rod.joint_count);
  if (status >= 0 && job->morph_count > 0)
    status =
        pl_rod_get_morph_weights(job->world, job->body, job->morph_frames + (size_t)frame * (size_t)job->morph_count);
  if (status >= 0 && job->log != NULL) {
    status = pl_body_get_surface(job->world, job->body, job->points);
    if (status >= 0) status = pl_frame_log_append(job->log, 0, job->points, error);
  }
  return status;
}

// Whole cycles until the end of one meets its beginning.
static pl_status find_cycle(bake_job *job, pl_error *error) {
  size_t count = (size_t)job->rod.joint_count;
  pl_transform *before = tool_allocate(count, sizeof *before), *after = tool_allocate(count, sizeof *after);
  pl_status status = pl_rod_get_joints(job->world, job->body, before);
  int32_t length = job->frame_count - 1;
  tool_progress progress = tool_progress_start(&job->tool->console, "loop: frame", 0, (int64_t)MAX_CYCLES * length);
  bake_gap gap = {360, 0};
  int cycle = 0;
  while (cycle < MAX_CYCLES && gap.degrees > LOOP_TOLERANCE && status >= 0) {
    for (int32_t i = 1; i <= length && status >= 0; ++i) {
      status = advance(job, i, error);
      tool_progress_show(&progress, (int64_t)cycle * length + i);
    }
    if (status >= 0) status = pl_rod_get_joints(job->world, job->body, after);
    if (status >= 0) status = bake_rewind_character(job, error);
    if (status < 0) break;
    gap = bake_measure_gap(job, before, after);
    for (size_t i = 0; i < count; ++i) before[i] = after[i];
    ++cycle;
  }
  tool_progress_end(&progress);
  if (status >= 0)
    tool_print(&job->tool->console, "the end of cycle %d is %.3g degrees and %.3g mm from its start%s", cycle,
               gap.degrees, 1e3 * gap.metres, gap.degrees > LOOP_TOLERANCE ? "; this was the last attempt" : "");
  free(before);
  free(after);
  return status;
}

static void print_gap(bake_job *job) {
  const pl_transform *last = job->frames + (size_t)(job->frame_count - 1) * (size_t)job->rod.joint_count;
  bake_gap gap = bake_measure_gap(job, job->frames, last);
  const char *text =
      "loop: the end is %.3g degrees and %.3g mm from the start; the difference is faded out over the last fifth";
  if (gap.degrees > 10 * LOOP_TOLERANCE) {
    tool_print_warning(&job->tool->console, text, gap.degrees, 1e3 * gap.metres);
    job->remarks = true;
  } else {
    tool_print(&job->tool->console, text, gap.degrees, 1e3 * gap.metres);
  }
}

static pl_status open_log(bake_job *job, pl_error *error) {
  if (!job->options.pc2) return PL_OK;
  int32_t count = pl_model_get_report(job->model).surface_point_count;
  job->points = tool_allocate((size_t)count, sizeof *job->points);
  job->log_path = tool_text("%s.%ld-0.tmp", job->options.output, (long)getpid());
  return pl_frame_log_open(job->context, job->log_path, count, 0, &job->log, error);
}

pl_status bake_record(bake_job *job, pl_error *error) {
  job->frames = tool_allocate((size_t)job->frame_count * (size_t)job->rod.joint_count, sizeof *job->frames);
  job->morph_frames = tool_allocate((size_t)job->frame_count * (size_t)job->morph_count, sizeof *job->morph_frames);
  pl_status status = open_log(job, error);
  if (status >= 0) status = begin(job, error);
  // A scene has a start and an end; it is simulated once.
  if (status >= 0 && job->options.loop && job->character != NULL) status = find_cycle(job, error);
  if (status >= 0) status = keep_frame(job, 0, error);
  tool_progress progress = tool_progress_start(&job->tool->console, "frame", 0, job->frame_count);
  for (int32_t i = 1; i < job->frame_count && status >= 0; ++i) {
    status = advance(job, i, error);
    if (status >= 0) status = keep_frame(job, i, error);
    tool_progress_show(&progress, i + 1);
  }
  tool_progress_end(&progress);
  if (status >= 0 && job->options.loop) {
    print_gap(job);
    bake_close_loop(job);
  }
  return status;
}
