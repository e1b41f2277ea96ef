// pliant track: follows a soft body through the point clouds of a capture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool_folder.h"
#include "tool_hold.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_track.h"
#include "tool_verbs.h"

TOOL_DEFAULT(default_points, pl_default_lattice_def().target_point_count)
TOOL_DEFAULT(default_young, pl_default_fem_def(PL_FEM_COROTATED).young)
TOOL_DEFAULT(default_poisson, pl_default_fem_def(PL_FEM_COROTATED).poisson)
TOOL_DEFAULT(default_density, pl_default_fem_def(PL_FEM_COROTATED).density)
TOOL_DEFAULT(default_inertia, pl_default_track_def().inertia)
TOOL_DEFAULT(default_noise, pl_default_track_def().noise)
TOOL_DEFAULT(default_reach, pl_default_track_def().reach)
TOOL_DEFAULT(default_first_reach, pl_default_track_def().first_reach)
TOOL_DEFAULT(default_max_points, pl_default_track_def().max_points)

// clang-format off
static const tool_option OPTIONS[] = {
    TOOL_DIR_OPTION(.default_text = "out/track", .about = "folder for the results"),
    TOOL_SURFACE_OPTION,
    TOOL_POINTS_OPTION(1e6, .default_number = default_points, .about = "number of tet points to fill MESH with, if MESH is a surface"),
    {"thickness", .kind = TOOL_NUMBER, .value = "LENGTH", .min = 1e-9, .max = 1e3, .default_note = "filled with tets",
     .about = "track the surface MESH as a shell of this thickness in metres, such as a leaf or a cloth",
     .more = "Cameras may see either side. The surface may be open."},
    {"rest", .kind = TOOL_TEXT, .value = "FILE", .default_note = "MESH",
     .about = "rest shape of the same tets (gravity removed); gravity then acts on it",
     .more = "For a body whose rest shape is known, from fit for example."},
    TOOL_HOLD_OPTION,
    {"young", .kind = TOOL_NUMBER, .value = "PA", .min = 1e-3, .max = 1e15, .default_number = default_young,
     .about = "Young's modulus in pascals",
     .more = "The material matters only for parts that no camera sees, and Young's modulus only with gravity or inertia."},
    {"poisson", .kind = TOOL_NUMBER, .value = "RATIO", .min = -0.9, .max = 0.499, .default_number = default_poisson,
     .about = "Poisson's ratio"},
    {"density", .kind = TOOL_NUMBER, .value = "DENSITY", .min = 1e-6, .max = 1e9, .default_number = default_density,
     .about = "density in kg/m^3"},
    {"inertia", .kind = TOOL_NUMBER, .value = "FRACTION", .min = 0, .max = 1, .default_number = default_inertia,
     .about = "inertia of hidden parts: 0 moves them as if at rest, 1 by their full mass",
     .more = "Above 0 the material should be known."},
    {"noise", .kind = TOOL_NUMBER, .value = "LENGTH", .min = 1e-9, .max = 1e3, .default_number = default_noise,
     .about = "minimum standard deviation of measured points, in metres"},
    {"detail", .kind = TOOL_NUMBER, .value = "LENGTH", .min = 0, .max = 1e6, .default_note = "1/20 of the size",
     .about = "bumps much smaller than this length in metres are treated as noise",
     .more = "A sharp dent needs a hundredth of its width: the body resists it, and points that it does not reach count as outliers."},
    {"reach", .kind = TOOL_NUMBER, .value = "FRACTION", .min = 1e-4, .max = 10, .default_number = default_reach,
     .about = "maximum distance of the body from its prediction, as a fraction of its size"},
    {"first-reach", .kind = TOOL_NUMBER, .value = "FRACTION", .min = 1e-4, .max = 10, .default_number = default_first_reach,
     .about = "maximum distance of the body from MESH in the first frame, as a fraction of its size"},
    {"align", .kind = TOOL_FLAG, .about = "move MESH rigidly to the first cloud before tracking; it may lie anywhere",
     .more = "The cloud should show the body from all around. Held points move with it."},
    {"max-points", .kind = TOOL_COUNT, .value = "N", .min = 100, .max = 1e7, .default_number = default_max_points,
     .about = "maximum number of measured points used per frame; larger clouds are thinned evenly"},
    {"no-gating", .kind = TOOL_FLAG, .about = "let a measured point pull at several parts of the body that touch each other"},
    {"frames", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 1e7, .default_note = "all",
     .about = "number of frames to track"},
    {"format", .kind = TOOL_TEXT, .value = "LIST", .choices = "pc2 mdd glb usda vtu obj ply csv npz none", .default_text = "pc2",
     .about = "formats of the motion, separated by commas: pc2, mdd, glb, usda, vtu, obj, ply, csv, npz; or none"},
    {"truth", .kind = TOOL_TEXT, .value = "FILE", .about = "true motion of the surface (PC2 or MDD) to compare with"},
    TOOL_THREADS_OPTION,
    {"json", .kind = TOOL_FLAG, .about = "print a report as one JSON object: frames and their states, residual, error against the truth"},
    {"resume", .kind = TOOL_FLAG, .about = "resume the interrupted track in DIR after its last frame"},
};
// clang-format on

static void close_job(track_job *job) {
  // The log belongs to the context, so it is closed first.
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
  if (tool_find_value(job->arguments, "json")->given) track_print_json(job);
  remove(job->resume_path);
  remove(job->log_path);
  if (job->lost_count > 0) {
    tool_print_warning(&job->tool->console, "the track was lost in %d of %d frames; residuals.csv lists them",
                       job->lost_count, job->done_count);
    job->remarks = true;
  }
  return job->remarks ? TOOL_REMARKS : TOOL_DONE;
}

static int track_verb(const tool_session *tool, const tool_arguments *arguments) {
  track_job job = {.tool = tool, .arguments = arguments, .resume = tool_find_value(arguments, "resume")->given};
  const tool_value *threads = tool_find_value(arguments, "threads");
  job.folder = tool_text("%s", tool_get_text(arguments, "output"));
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
        "CAPTURE is a `capture.json` or its folder. MESH is the body at rest under gravity: tets, or a surface that is "
        "filled with "
        "tets or, with --thickness, a shell. The folder gets `track_surface` and `track_points`, the motion of surface "
        "and tets, and `residuals.csv` "
        "with one "
        "row per frame.\n"
        "A frame is lost when the body does not explain its points; lost frames are warnings, and the exit status is "
        "3.",
    .min_words = 2,
    .max_words = 2,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = track_verb,
};
