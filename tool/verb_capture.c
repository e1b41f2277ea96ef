// pliant capture: motion, material and rest shape of an object from point clouds, by tracking and fitting in turn.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_capture.h"
#include "tool_folder.h"
#include "tool_hold.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_verbs.h"

TOOL_DEFAULT(default_points, pl_default_lattice_def().target_point_count)

// clang-format off
static const tool_option OPTIONS[] = {
    TOOL_DIR_OPTION(.default_text = "out/capture", .about = "folder for the results"),
    TOOL_SURFACE_OPTION,
    TOOL_POINTS_OPTION(1e6, .default_number = default_points, .about = "number of tet points to fill MESH with, if MESH is a surface"),
    TOOL_HOLD_OPTION,
    {"release", .kind = TOOL_COUNT, .value = "FRAME", .min = 0, .max = 1e6, .default_text = "0",
     .about = "frame in which the object is released, counted from 0",
     .more = "Earlier frames are tracked and not fitted."},
    {"rounds", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = CAPTURE_MAX_ROUNDS, .default_text = "4",
     .about = "maximum rounds of tracking and fitting",
     .more = "They end earlier when distances and parameters change by less than 1 %. More may be given with --resume."},
    {"truth", .kind = TOOL_TEXT, .value = "FILE,...",
     .about = "true motion of the surface (PC2 or MDD) to compare with, one file per CAPTURE, separated by commas"},
    {"resume", .kind = TOOL_FLAG, .about = "resume the interrupted capture in DIR"},
    {"gravity", .kind = TOOL_TEXT, .value = "X,Y,Z", .default_note = "that of the first capture", .about = "gravity in m/s^2"},
    FIT_OPTIONS,
};
// clang-format on

static bool read_mesh(capture_job *job) {
  job->object.mesh = tool_open_mesh(job->tool, job->context, job->arguments->words[0], 1, &job->remarks);
  if (job->object.mesh == NULL) return false;
  const tool_value *surface = tool_find_value(job->arguments, "surface"), *points = tool_find_value(job->arguments, "points");
  if (surface->given) {
    job->surface = tool_open_mesh(job->tool, job->context, surface->text, 1, &job->remarks);
    if (job->surface == NULL) return false;
  }
  if (pl_mesh_get_view(job->object.mesh).tet_count > 0) return true;
  pl_lattice_def def = pl_default_lattice_def();
  if (points->given) def.target_point_count = (int32_t)points->count;
  pl_mesh *tets = NULL;
  pl_error error = {0};
  if (pl_lattice_build(job->context, &def, job->object.mesh, &tets, NULL, &error) < 0) {
    tool_report_error(&job->tool->console, &error);
    return false;
  }
  if (job->surface == NULL)
    job->surface = job->object.mesh;
  else
    pl_mesh_destroy(job->object.mesh);
  job->object.mesh = tets;
  return true;
}

static bool read_clip(capture_job *job, const char *path) {
  capture_clip *clip = &job->clips[job->clip_count++];
  char *inside = tool_is_folder(path) ? tool_text("%s/capture.json", path) : NULL;
  pl_error error = {0};
  clip->name = path;
  pl_status status = pl_capture_load(job->context, inside != NULL ? inside : path, &clip->capture, job->findings, &error);
  free(inside);
  if (status < 0) {
    if (pl_findings_count(job->findings, PL_SEVERITY_ERROR) == 0)
      tool_report_error(&job->tool->console, &error);
    else
      tool_report_findings(&job->tool->console, job->findings, PL_SEVERITY_WARNING, path);
    return false;
  }
  clip->view = pl_capture_get_view(clip->capture);
  tool_print(&job->tool->console, "%s: %d frames at %.4g/s, %d cameras", path, clip->view.frame_count, clip->view.rate,
             clip->view.camera_count);
  if (clip->view.frame_count - job->release >= 2) return true;
  tool_print_error(&job->tool->console, "'%s' has %d frames, fewer than two after the release in frame %d; check --release", path,
                   clip->view.frame_count, job->release);
  return false;
}

// One file for each clip, separated by commas.
static bool read_truths(capture_job *job) {
  const tool_value *truth = tool_find_value(job->arguments, "truth");
  if (!truth->given) return true;
  const char *from = truth->text;
  int32_t count = 0;
  while (from != NULL) {
    const char *end = strchr(from, ',');
    if (count < job->clip_count)
      job->clips[count].truth = tool_text("%.*s", (int)(end != NULL ? (size_t)(end - from) : strlen(from)), from);
    ++count;
    from = end != NULL ? end + 1 : NULL;
  }
  job->has_truth = true;
  if (count == job->clip_count) return true;
  tool_print_error(&job->tool->console, "--truth names %d files; give one for each of the %d captures, separated by commas", count,
                   job->clip_count);
  return false;
}

static bool read_all(capture_job *job) {
  const tool_arguments *arguments = job->arguments;
  job->release = (int32_t)tool_get_count(arguments, "release");
  job->max_rounds = (int32_t)tool_get_count(arguments, "rounds");
  pl_error error = {0};
  if (pl_findings_create(job->context, &job->findings, &error) < 0)
    return tool_report_error(&job->tool->console, &error) == TOOL_DONE;
  if (!read_mesh(job) ||
      !tool_hold_read(job->tool, job->context, arguments, job->object.mesh, &job->object.held, &job->object.held_count))
    return false;
  job->clips = tool_allocate((size_t)arguments->word_count, sizeof *job->clips);
  job->object.motions = tool_allocate((size_t)arguments->word_count, sizeof *job->object.motions);
  for (int i = 1; i < arguments->word_count; ++i)
    if (!read_clip(job, arguments->words[i])) return false;
  if (!read_truths(job)) return false;
  // Gravity is that of the capture, unless it is given.
  if (!tool_find_value(arguments, "gravity")->given) job->settings.def.gravity = job->clips[0].view.gravity;
  return true;
}

static int capture_object(capture_job *job) {
  job->folder = tool_get_text(job->arguments, "output");
  if (!tool_folder_make(job->tool, job->folder)) return TOOL_FAILED;
  tool_folder_sweep(job->folder);
  if (!tool_find_value(job->arguments, "resume")->given) {
    char *first = tool_text("%s/round-1", job->folder);
    bool used = tool_is_folder(first);
    free(first);
    if (used) {
      tool_print_error(&job->tool->console, "'%s' already has rounds of a capture; resume with --resume, or give another folder",
                       job->folder);
      return TOOL_FAILED;
    }
  }
  int code = capture_rounds(job);
  if (code != TOOL_DONE) return code;
  pl_error error = {0};
  pl_status status = fit_write(job->fit, &error);
  if (status >= 0) status = capture_report(job, &error);
  bool sure = status >= 0 && fit_print(job->fit, &error);
  if (error.status < 0) return tool_report_error(&job->tool->console, &error);
  tool_print(&job->tool->console, "results in %s; open report.html there", job->folder);
  return sure && !job->remarks ? TOOL_DONE : TOOL_REMARKS;
}

static int capture_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_value *threads = tool_find_value(arguments, "threads");
  capture_job job = {
      .tool = tool, .arguments = arguments, .context = tool_open_context(tool, threads->given ? (int32_t)threads->count : 0)};
  if (job.context == NULL) return TOOL_FAILED;
  int code = TOOL_USAGE;
  if (fit_settings_read(tool, job.context, arguments, &job.settings)) code = read_all(&job) ? capture_object(&job) : TOOL_FAILED;
  if (job.fit != NULL) fit_close(job.fit);
  free(job.fit);
  free(job.values);
  for (int32_t i = 0; i < job.clip_count; ++i) {
    pl_capture_destroy(job.clips[i].capture);
    free(job.clips[i].truth);
    free(job.clips[i].simulated);
  }
  free(job.clips);
  pl_mesh_destroy(job.surface);
  fit_settings_free(&job.settings);
  fit_object_free(&job.object);
  pl_findings_destroy(job.findings);
  pl_context_destroy(job.context);
  return code;
}

const tool_verb tool_capture_verb = {
    .name = "capture",
    .words = "MESH CAPTURE...",
    .summary = "find motion, material and rest shape of an object from point clouds",
    .details =
        "MESH is the object at rest under gravity: tets, or a surface that is filled with tets. CAPTURE is a `capture.json` or its "
        "folder.\n"
        "In every round the object is tracked through all captures and its material is fitted to the motion; the next round tracks "
        "with the result. The folder gets `report.html`, `rounds.csv`, everything that fit writes, and a folder per round. The "
        "exit status is 3 if a frame was lost or a parameter is not determined.",
    .min_words = 2,
    .max_words = 33,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = capture_verb,
};
