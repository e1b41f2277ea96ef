// pliant capture: motion, material and rest shape of an object from point clouds, by tracking and fitting in turn.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_capture.h"
#include "tool_folder.h"
#include "tool_hold.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_ranks.h"
#include "tool_verbs.h"

// Rounds that may be asked for; more would only repeat what settled long before.
enum { MAX_ROUNDS = 20 };

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
    {"start", .kind = TOOL_TEXT, .value = "NAME", .choices = "given moving", .default_text = "given",
     .about = "how the motion starts: given, at rest in the release frame; moving, with an unknown velocity",
     .more = "An object that is pulled aside and released soon after still swings where it is not held."},
    {"rounds", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = MAX_ROUNDS, .default_text = "4",
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
  const tool_value *surface = tool_find_value(job->arguments, "surface"),
                   *points = tool_find_value(job->arguments, "points");
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
  char *document = tool_capture_path(path);
  pl_error error = {0};
  clip->name = path;
  pl_status status = pl_capture_load(job->context, document, &clip->recording, job->findings, &error);
  free(document);
  if (status < 0) {
    if (pl_findings_count(job->findings, PL_SEVERITY_ERROR) == 0)
      tool_report_error(&job->tool->console, &error);
    else
      tool_report_findings(&job->tool->console, job->findings, PL_SEVERITY_WARNING, path);
    return false;
  }
  clip->view = pl_capture_get_view(clip->recording);
  tool_print(&job->tool->console, "%s: %d frames at %.4g/s, %d cameras", path, clip->view.frame_count, clip->view.rate,
             clip->view.camera_count);
  if (clip->view.frame_count - job->release >= 2) return true;
  tool_print_error(&job->tool->console,
                   "'%s' has %d frames, fewer than two after the release in frame %d; check --release", path,
                   clip->view.frame_count, job->release);
  return false;
}

static bool read_truth(const capture_job *job, const char *path, capture_clip *clip) {
  pl_frame_file *file = NULL;
  pl_frame_file_report facts;
  pl_error error = {0};
  pl_status status = pl_frame_file_open(job->context, path, &file, &facts, &error);
  if (status >= 0) {
    clip->truth_frame_count = facts.frame_count;
    clip->truth_point_count = facts.point_count;
    clip->truth = tool_allocate((size_t)facts.frame_count * (size_t)facts.point_count, sizeof *clip->truth);
  }
  for (int32_t i = 0; status >= 0 && i < facts.frame_count; ++i)
    status = pl_frame_file_read(file, i, clip->truth + (size_t)i * (size_t)facts.point_count, &error);
  pl_frame_file_close(file);
  if (status < 0) tool_report_error(&job->tool->console, &error);
  return status >= 0;
}

// One file for each clip, separated by commas.
static bool read_truths(const capture_job *job) {
  const tool_value *truth = tool_find_value(job->arguments, "truth");
  if (!truth->given) return true;
  int32_t count = 1;
  for (const char *at = truth->text; *at != '\0'; ++at) count += *at == ',';
  if (count != job->clip_count) {
    tool_print_error(&job->tool->console,
                     "--truth names %d files; give one for each of the %d captures, separated by commas", count,
                     job->clip_count);
    return false;
  }
  bool good = true;
  const char *from = truth->text;
  for (int32_t i = 0; i < count && good; ++i) {
    size_t length = strcspn(from, ",");
    char *path = tool_text("%.*s", (int)length, from);
    good = read_truth(job, path, &job->clips[i]);
    free(path);
    from += length + 1;
  }
  return good;
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
  return fit_check_held(job->tool, &job->settings, job->object.held_count);
}

// Temporary files that a killed process left among the records.
static void sweep_rounds(const capture_job *job) {
  tool_folder_sweep(job->folder);
  for (int32_t round = 1; round <= MAX_ROUNDS; ++round) {
    char *folder = tool_text("%s/round-%d", job->folder, round);
    tool_folder_sweep(folder);
    for (int32_t clip = 1; clip <= job->clip_count; ++clip) {
      char *track = tool_text("%s/track-%d", folder, clip);
      tool_folder_sweep(track);
      free(track);
    }
    free(folder);
  }
}

// Whether the folder may be used: it has no rounds, or they are to be continued.
static bool open_folder(const capture_job *job) {
  if (!tool_folder_make(job->tool, job->folder)) return false;
  if (tool_rank() == 0) sweep_rounds(job);
  if (tool_find_value(job->arguments, "resume")->given) return true;
  char *first = tool_text("%s/round-1", job->folder);
  // The first process decides for all: it may have begun to write when another one looks.
  bool used = tool_ranks_agree(tool_is_folder(first)) != 0;
  free(first);
  if (used)
    tool_print_error(&job->tool->console,
                     "'%s' has rounds of a capture already; continue them with --resume, or give another folder",
                     job->folder);
  return !used;
}

static int write_results(capture_job *job) {
  pl_error error = {0};
  if (tool_rank() != 0) return TOOL_DONE;
  pl_status status = fit_write(&job->fit, &error);
  if (status >= 0) status = capture_report(job, &error);
  bool sure = status >= 0 && fit_print(&job->fit, &error);
  if (error.status < 0) return tool_report_error(&job->tool->console, &error);
  tool_print(&job->tool->console, "results in %s; open report.html there", job->folder);
  return sure && !job->remarks ? TOOL_DONE : TOOL_REMARKS;
}

static int capture_object(capture_job *job) {
  const tool_value *output = tool_find_value(job->arguments, "output");
  job->folder = output->given ? output->text : "out/capture";
  if (!open_folder(job)) return TOOL_FAILED;
  int code = capture_run(job);
  return code == TOOL_DONE ? write_results(job) : code;
}

static void close_job(capture_job *job) {
  free(job->fit.history);
  fit_object_free(&job->object);
  pl_field_destroy(job->field);
  for (int32_t i = 0; i < job->clip_count; ++i) {
    pl_capture_destroy(job->clips[i].recording);
    free(job->clips[i].truth);
  }
  free(job->clips);
  pl_mesh_destroy(job->surface);
  fit_settings_free(&job->settings);
  pl_findings_destroy(job->findings);
  pl_context_destroy(job->context);
}

static int capture_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_value *threads = tool_find_value(arguments, "threads");
  capture_job job = {.tool = tool,
                     .arguments = arguments,
                     .context = tool_open_context(tool, threads->given ? (int32_t)threads->count : 0)};
  if (job.context == NULL) return TOOL_FAILED;
  int code = TOOL_USAGE;
  if (fit_settings_read(tool, job.context, arguments, &job.settings))
    code = read_all(&job) ? capture_object(&job) : TOOL_FAILED;
  pl_capture_result_destroy(job.result);
  close_job(&job);
  return code;
}

const tool_verb tool_capture_verb = {
    .name = "capture",
    .words = "MESH CAPTURE...",
    .summary = "find motion, material and rest shape of an object from point clouds",
    .details =
        "MESH is the object at rest under gravity: tets, or a surface that is filled with tets. CAPTURE is a "
        "`capture.json` or its "
        "folder.\n"
        "In every round the object is tracked through all captures and its material is fitted to the motion; the next "
        "round tracks "
        "with the result. The folder gets `report.html`, `rounds.csv`, everything that fit writes, and a folder per "
        "round. The "
        "exit status is 3 if a frame was lost or a parameter is not determined.",
    .min_words = 2,
    .max_words = 33,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .shared = true,
    .run = capture_verb,
};
