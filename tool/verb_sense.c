// pliant sense: a body of a scene captured by virtual depth cameras, with the truth.
#include <stdlib.h>

#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_overrides.h"
#include "tool_scene.h"
#include "tool_sense.h"
#include "tool_verbs.h"

TOOL_DEFAULT(default_noise, pl_default_sensor_def().noise)
TOOL_DEFAULT(default_quantum, pl_default_sensor_def().quantum)
TOOL_DEFAULT(default_outliers, pl_default_sensor_def().outliers)
TOOL_DEFAULT(default_edge_dropout, pl_default_sensor_def().edge_dropout)
TOOL_DEFAULT(default_dropout, pl_default_sensor_def().dropout)
TOOL_DEFAULT(default_seed, pl_default_sensor_def().seed)

// clang-format off
static const tool_option OPTIONS[] = {
    TOOL_DIR_OPTION(.default_note = "out/NAME-capture for the scene NAME", .about = "folder for the capture"),
    {"body", .kind = TOOL_TEXT, .value = "NAME", .default_note = "the first body of method fem with tets",
     .about = "body to capture"},
    {"tets", .kind = TOOL_TEXT, .value = "FILE", .default_note = "those of the scene",
     .about = "tets to write the truth for, such as the `rest.vtu` of another capture",
     .more = "They move with the simulated tets. `static.vtu`, `held.csv`, `rest.vtu` and `truth_points.pc2` are then written for "
             "them, to test how coarser tets change a fit."},
    {"cameras", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 64, .default_text = "3",
     .about = "number of cameras around the body"},
    {"size", .kind = TOOL_TEXT, .value = "WxH", .default_text = "640x480",
     .about = "width and height of a depth image in pixels, with the field of view of a Kinect"},
    {"elevation", .kind = TOOL_NUMBER, .value = "DEGREES", .min = -89, .max = 89, .default_text = "30",
     .about = "angle at which cameras look down; every second one at half of it"},
    {"heading", .kind = TOOL_NUMBER, .value = "DEGREES", .min = -360, .max = 360, .default_text = "0",
     .about = "direction of the first camera, from +z towards +x"},
    {"rate", .kind = TOOL_NUMBER, .value = "RATE", .min = 0.01, .max = 1e5, .default_text = "30", .about = "frames per second"},
    {"start", .kind = TOOL_NUMBER, .value = "SECONDS", .min = 0, .max = 1e6, .default_text = "0",
     .about = "time of the first frame, such as the moment of release"},
    {"settle", .kind = TOOL_NUMBER, .value = "SECONDS", .min = 0, .max = 1e6, .default_note = "the scene runs through",
     .about = "time at which the body is held until it is at rest, such as just before the release",
     .more = "The clock of the scene stands still meanwhile. A plant swings for many seconds after it was drawn aside, and a fit "
             "that begins at rest takes the swing for another material."},
    {"frames", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 1e6, .default_note = "to the end of the scene",
     .about = "number of frames"},
    {"noise", .kind = TOOL_NUMBER, .value = "LENGTH", .min = 0, .max = 1, .default_number = default_noise,
     .about = "standard deviation of the depth in metres"},
    {"quantum", .kind = TOOL_NUMBER, .value = "LENGTH", .min = 0, .max = 1, .default_number = default_quantum,
     .about = "depth resolution at 1 m, in metres; grows with the square of the depth; 0 for none"},
    {"outliers", .kind = TOOL_NUMBER, .value = "FRACTION", .min = 0, .max = 1, .default_number = default_outliers,
     .about = "fraction of pixels with a wrong depth"},
    {"edge-dropout", .kind = TOOL_NUMBER, .value = "FRACTION", .min = 0, .max = 1, .default_number = default_edge_dropout,
     .about = "fraction of edge pixels dropped"},
    {"dropout", .kind = TOOL_NUMBER, .value = "FRACTION", .min = 0, .max = 1, .default_number = default_dropout,
     .about = "fraction of all pixels dropped"},
    {"clouds", .kind = TOOL_FLAG,
     .about = "write point clouds instead of depth images; which camera saw a point is not stored"},
    TOOL_SEED_OPTION(.default_number = default_seed, .about = "seed of noise and dropout"),
    TOOL_THREADS_OPTION,
    TOOL_SET_OPTION,
};
// clang-format on

static bool read_options(sense_job *job) {
  const tool_arguments *arguments = job->arguments;
  if (!tool_parse_size(job->tool, tool_get_text(arguments, "size"), &job->width, &job->height)) return false;
  job->camera_count = (int32_t)tool_get_count(arguments, "cameras");
  job->rate = tool_get_number(arguments, "rate");
  job->start = tool_get_number(arguments, "start");
  job->sensor = pl_default_sensor_def();
  job->sensor.noise = tool_get_number(arguments, "noise");
  job->sensor.quantum = tool_get_number(arguments, "quantum");
  job->sensor.outliers = tool_get_number(arguments, "outliers");
  job->sensor.edge_dropout = tool_get_number(arguments, "edge-dropout");
  job->sensor.dropout = tool_get_number(arguments, "dropout");
  job->sensor.seed = (uint64_t)tool_get_count(arguments, "seed");
  return true;
}

static pl_status open_scene(sense_job *job, const tool_overrides *overrides, pl_error *error) {
  pl_status status = pl_findings_create(job->context, &job->findings, error);
  const char *path = job->arguments->words[0];
  if (status >= 0) status = tool_load_scene(job->context, path, overrides, NULL, &job->scene, job->findings, error);
  if (status < 0) return status;
  job->facts = pl_scene_get_report(job->scene);
  pl_scene_build_def build = pl_default_scene_build_def();
  return pl_scene_build(job->context, &build, job->scene, &job->set, job->findings, error);
}

static int sense_scene(sense_job *job, const tool_overrides *overrides) {
  pl_error error = {0};
  pl_status status = open_scene(job, overrides, &error);
  int32_t error_count = 0;
  if (job->findings != NULL) {
    tool_report_findings(&job->tool->console, job->findings, PL_SEVERITY_WARNING, job->arguments->words[0]);
    error_count = pl_findings_count(job->findings, PL_SEVERITY_ERROR);
  }
  if (status < 0) return error_count == 0 ? tool_report_error(&job->tool->console, &error) : TOOL_FAILED;
  job->body_count = pl_scene_instance_body_count(job->set);
  if (!sense_choose_body(job)) return TOOL_FAILED;
  const tool_value *tets = tool_find_value(job->arguments, "tets");
  if (tets->given && (job->tets = sense_open_tets(job, tets->text)) == NULL) return TOOL_FAILED;
  const tool_value *output = tool_find_value(job->arguments, "output");
  job->folder = output->given ? tool_text("%s", output->text) : tool_text("out/%s-capture", job->facts.name);
  if (!tool_folder_make(job->tool, job->folder)) return TOOL_FAILED;
  bool filmed = false;
  tool_interrupt_watch();
  status = sense_simulate(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = sense_take_pictures(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = sense_write_truth(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = sense_print_capture(job, &filmed, &error);
  bool stopped = tool_interrupt_count() > 0;
  tool_interrupt_release();
  if (status < 0) return tool_report_error(&job->tool->console, &error);
  if (stopped) {
    tool_print_error(&job->tool->console, "interrupted; the capture in '%s' is incomplete", job->folder);
    return TOOL_FAILED;
  }
  if (!filmed) return TOOL_FAILED;
  return pl_findings_count(job->findings, PL_SEVERITY_WARNING) > 0 ? TOOL_REMARKS : TOOL_DONE;
}

static void close_job(sense_job *job) {
  for (int32_t i = 0; job->surfaces != NULL && i < job->body_count; ++i) free(job->surfaces[i]);
  free(job->surfaces);
  free(job->particles);
  free(job->static_points);
  free(job->held);
  free(job->folder);
  pl_mesh_destroy(job->tets);
  pl_scene_instance_destroy(job->set);
  pl_scene_destroy(job->scene);
  pl_findings_destroy(job->findings);
  pl_context_destroy(job->context);
}

static int sense_verb(const tool_session *tool, const tool_arguments *arguments) {
  sense_job job = {.tool = tool, .arguments = arguments};
  tool_overrides overrides;
  if (!tool_overrides_read(tool, arguments, &overrides)) return TOOL_USAGE;
  int code = TOOL_USAGE;
  if (read_options(&job)) {
    const tool_value *threads = tool_find_value(arguments, "threads");
    job.context = tool_open_context(tool, threads->given ? (int32_t)threads->count : 0);
    code = job.context != NULL ? sense_scene(&job, &overrides) : TOOL_FAILED;
  }
  if (job.context != NULL) close_job(&job);
  tool_overrides_free(&overrides);
  return code;
}

const tool_verb tool_sense_verb = {
    .name = "sense",
    .words = "SCENE",
    .summary = "capture a body of a scene with virtual depth cameras",
    .details =
        "Simulates the scene and renders depth images of one body from all around, with the errors of a real sensor. "
        "Other bodies "
        "and colliders occlude it and are masked out. The folder gets `capture.json` with its images; `static.vtu` and "
        "`surface.ply`, the body at rest under gravity; `held.csv`, the points that never move; and the truth: "
        "`rest.vtu`, "
        "`truth_points.pc2`, `truth_surface.pc2` and `truth_young.csv`, the modulus of every tet.\n"
        "With --tets these are written for other tets that fill the same shape, such as coarser ones, which move with "
        "those of the "
        "scene: the mesh that is tracked and fitted then differs from the mesh that was simulated.",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = sense_verb,
};
