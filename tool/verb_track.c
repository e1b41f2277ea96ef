// pliant track: a soft body through the clouds of a capture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool_folder.h"
#include "tool_hold.h"
#include "tool_open.h"
#include "tool_track.h"

static const tool_option OPTIONS[] = {
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .value = "DIR", .about = "folder for the results; out/track if not given"},
    {.name = "surface",
     .kind = TOOL_TEXT,
     .value = "FILE",
     .about = "what cameras see of the body, in the shape of MESH; its boundary"},
    {.name = "points",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "tet points to fill MESH with where it is a surface; 2000",
     .min = 8,
     .max = 1e6},
    {.name = "rest", .kind = TOOL_TEXT, .value = "FILE", .about = "the tets of MESH without gravity, which then acts; as MESH"},
    TOOL_HOLD_OPTION,
    {.name = "young",
     .kind = TOOL_NUMBER,
     .value = "PA",
     .about = "Young's modulus to track with; 1e5 if not given",
     .min = 1e-3,
     .max = 1e15},
    {.name = "poisson",
     .kind = TOOL_NUMBER,
     .value = "NU",
     .about = "Poisson's ratio; 0.3 if not given",
     .min = -0.9,
     .max = 0.499},
    {.name = "density", .kind = TOOL_NUMBER, .value = "DENSITY", .about = "kg/m^3; 1000 if not given", .min = 1e-6, .max = 1e9},
    {.name = "inertia",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "how far hidden parts are carried on by their mass; 0",
     .min = 0,
     .max = 1},
    {.name = "noise",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "metres by which points are off, at least; 0.002",
     .min = 1e-9,
     .max = 1e3},
    {.name = "detail",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "smaller bumps are noise; a twentieth of the size",
     .min = 0,
     .max = 1e6},
    {.name = "reach",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "of its size the body may be off its prediction; 0.05",
     .min = 1e-4,
     .max = 10},
    {.name = "first-reach",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "of its size it may be off in the first frame; 0.12",
     .min = 1e-4,
     .max = 10},
    {.name = "limit", .kind = TOOL_COUNT, .value = "N", .about = "measured points used of a frame; 20000", .min = 100, .max = 1e7},
    {.name = "no-gating", .kind = TOOL_FLAG, .about = "points may pull at parts that only touch each other"},
    {.name = "frames", .kind = TOOL_COUNT, .value = "N", .about = "only the first N frames", .min = 1, .max = 1e7},
    {.name = "format", .kind = TOOL_TEXT, .value = "LIST", .about = "any of pc2,mdd,glb,vtu,obj,ply,csv, or none; pc2"},
    {.name = "truth", .kind = TOOL_TEXT, .value = "FILE", .about = "surface points as they were (PC2 or MDD), to compare with"},
    {.name = "threads",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "threads; the results are the same for any number",
     .min = 1,
     .max = 1024},
    {.name = "resume", .kind = TOOL_FLAG, .about = "go on behind the last frame of an interrupted track in DIR"},
};

static void close_job(track_job *job) {
  // The log is of the context, so it goes before it.
  track_close_frames(job);
  pl_frame_file_close(job->truth);
  pl_tracker_destroy(job->tracker);
  pl_model_destroy(job->model);
  pl_mesh_destroy(job->rest);
  pl_mesh_destroy(job->surface);
  pl_mesh_destroy(job->mesh);
  pl_capture_destroy(job->capture);
  pl_findings_destroy(job->findings);
  pl_context_destroy(job->context);
  free(job->held);
  free(job->errors);
  free(job->folder);
}

static int run(track_job *job) {
  int code = track_prepare(job);
  if (code != TOOL_DONE) return code;
  code = track_frames(job);
  if (code != TOOL_DONE) return code;
  pl_error error = {0};
  pl_status status = track_compare(job, &error);
  if (status >= 0) status = track_write(job, &error);
  if (status < 0) return tool_report_error(&job->tool->console, &error);
  remove(job->resume_path);
  remove(job->log_path);
  if (job->lost_count > 0) {
    tool_print_warning(&job->tool->console, "the track was lost in %d of %d frames; residuals.csv says which", job->lost_count,
                       job->done_count);
    job->remarks = true;
  }
  return job->remarks ? TOOL_REMARKS : TOOL_DONE;
}

static int track_verb(const tool_session *tool, const tool_arguments *arguments) {
  track_job job = {.tool = tool, .arguments = arguments, .resume = tool_find_value(arguments, "resume")->given};
  const tool_value *output = tool_find_value(arguments, "output"), *threads = tool_find_value(arguments, "threads");
  job.folder = tool_text("%s", output->given ? output->text : "out/track");
  job.context = tool_open_context(tool, threads->given ? (int32_t)threads->count : 0);
  int code = job.context != NULL && tool_folder_make(tool, job.folder) ? run(&job) : TOOL_FAILED;
  close_job(&job);
  return code;
}

const tool_verb tool_track_verb = {
    .name = "track",
    .words = "CAPTURE MESH",
    .summary = "follow a soft body through the point clouds of a capture",
    .details =
        "CAPTURE is a capture.json; MESH the body at rest under gravity, tets or a surface that is filled with them. The folder "
        "gets\n"
        "track_surface and track_points, the motion of surface and tets, and residuals.csv, a row per frame. A frame whose points "
        "are\n"
        "not explained any more is lost: a warning, and exit status 3.",
    .min_words = 2,
    .max_words = 2,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = track_verb,
};
