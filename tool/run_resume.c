// Checkpoints of a run: written at intervals, and resumed from.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "tool_run.h"

char *run_checkpoint_path(const char *folder) {
  return tool_text("%s/pliant.checkpoint", folder);
}

static void append(char **text, const char *format, ...) PL_PRINTF(2, 3);

static void append(char **text, const char *format, ...) {
  char line[4200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  char *longer = tool_text("%s%s\n", *text, line);
  free(*text);
  *text = longer;
}

char *run_options_text(const run_options *options, const run_job *run) {
  char *text = tool_text("%s", ""), *formats = tool_text("%s", "");
  for (int i = 0; i < options->format_count; ++i) {
    char *longer = tool_text("%s%s%s", formats, i > 0 ? "," : "", pl_frame_format_name(options->formats[i]));
    free(formats);
    formats = longer;
  }
  if (options->actor_tables) {
    char *longer = tool_text("%s%sactors", formats, options->format_count > 0 ? "," : "");
    free(formats);
    formats = longer;
  }
  append(&text, "--format=%s", formats[0] != '\0' ? formats : "none");
  free(formats);
  append(&text, "--frames=%lld", (long long)run->frame_count);
  append(&text, "--size=%dx%d", options->width, options->height);
  if (options->has_strip_times) {
    char *times = tool_text("%s", "");
    for (int32_t i = 0; i < options->strip_count; ++i) {
      char *longer = tool_text("%s%s%.17g", times, i > 0 ? "," : "", options->strip_times[i]);
      free(times);
      times = longer;
    }
    append(&text, "--strip-times=%s", times);
    free(times);
  } else if (options->strip_count > 1) {
    append(&text, "--strip=%d", options->strip_count);
  }
  if (options->no_tables) append(&text, "--no-tables");
  if (options->fixed_camera) append(&text, "--fixed-camera");
  if (options->overlay) append(&text, "--overlay");
  if (options->has_view) append(&text, "--view=%.17g,%.17g", options->view[0], options->view[1]);
  if (options->checker_size > 0) append(&text, "--checker=%.17g", options->checker_size);
  if (options->title != NULL) append(&text, "--title=%s", options->title);
  append(&text, "--checkpoint-every=%.17g", options->checkpoint_seconds);
  if (options->has_seed) append(&text, "--seed=%llu", (unsigned long long)options->seed);
  if (options->hash != RUN_HASH_NONE) append(&text, "--hash=%s", options->hash == RUN_HASH_FRAMES ? "frames" : "end");
  if (options->observer) append(&text, "--observer");
  if (options->ghost) append(&text, "--ghost");
  if (options->json) append(&text, "--json");
  for (int i = 0; i < options->overrides.count; ++i)
    append(&text, "--set=%s=%s", options->overrides.items[i].path, options->overrides.items[i].value);
  if (run->picture_path != NULL) append(&text, "--picture=%s", run->picture_path);
  if (run->video_path != NULL) append(&text, "--video=%s", run->video_path);
  if (run->plot_path != NULL) append(&text, "--plot=%s", run->plot_path);
  return text;
}

pl_status run_write_checkpoint(run_job *run, int64_t frame, pl_error *error) {
  // The frames first: a checkpoint must not refer to frames that a power failure could lose.
  pl_status status = pl_frame_log_sync(run->log, error);
  if (status < 0) return status;
  pl_world_snapshot(run->world, run->snapshot);
  pl_checkpoint_view view = {.scene_path = run->scene_path,
                             .scene_hash = run->scene_hash,
                             .seed = run->options.has_seed ? run->options.seed : run->facts.seed,
                             .options = run->option_text,
                             .frame = frame,
                             .frame_count = run->frame_count,
                             .state_hash = pl_world_get_hash(run->world),
                             .snapshot = run->snapshot,
                             .snapshot_size = run->snapshot_size};
  return pl_checkpoint_save(run->context, run->checkpoint_path, &view, error);
}

static pl_status refuse(const run_job *run, pl_error *error, const char *format, ...) PL_PRINTF(3, 4);

static pl_status refuse(const run_job *run, pl_error *error, const char *format, ...) {
  *error = (pl_error){.status = PL_ERROR_INVALID_DATA};
  snprintf(error->file, sizeof error->file, "%s", run->checkpoint_path);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return PL_ERROR_INVALID_DATA;
}

// Whether the checkpoint belongs to this run: same scene, same seed, not beyond the last frame.
static pl_status check_fit(const run_job *run, const pl_checkpoint_view *view, pl_error *error) {
  if (view->scene_hash != run->scene_hash) {
    if (strcmp(view->scene_path, run->scene_path) == 0)
      return refuse(run, error,
                    "the scene '%.200s', or a value replaced by --set, has changed since this checkpoint was written; "
                    "start again "
                    "without --resume",
                    view->scene_path);
    return refuse(run, error, "this checkpoint belongs to another scene, '%.200s'; start again without --resume",
                  view->scene_path);
  }
  uint64_t seed = run->options.has_seed ? run->options.seed : run->facts.seed;
  if (view->seed != seed)
    return refuse(run, error,
                  "this checkpoint belongs to a run with seed %llu, not %llu; give the same seed, or start again "
                  "without --resume",
                  (unsigned long long)view->seed, (unsigned long long)seed);
  if (view->frame >= run->frame_count)
    return refuse(
        run, error,
        "this checkpoint is at frame %lld, beyond the end of a run of %lld frames; ask for more frames, or start again "
        "without --resume",
        (long long)view->frame, (long long)run->frame_count);
  return PL_OK;
}

pl_status run_go_on(run_job *run, int64_t *frame, pl_error *error) {
  pl_checkpoint *checkpoint = NULL;
  pl_status status = pl_checkpoint_load(run->context, run->checkpoint_path, &checkpoint, error);
  if (status < 0) return status;
  pl_checkpoint_view view = pl_checkpoint_get_view(checkpoint);
  status = check_fit(run, &view, error);
  if (status >= 0) status = pl_world_restore(run->world, view.snapshot, view.snapshot_size, error);
  if (status >= 0 && pl_world_get_hash(run->world) != view.state_hash)
    status = refuse(run, error, "the restored state differs from the stored one; start again without --resume");
  if (status >= 0)
    status = pl_frame_log_open(run->context, run->log_path, run->point_count, view.frame + 1, &run->log, error);
  *frame = view.frame;
  pl_checkpoint_destroy(checkpoint);
  return status;
}
