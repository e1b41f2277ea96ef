// pliant sense: a body of a scene as depth cameras would see it, with the truth beside it.
#include <stdlib.h>

#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_open.h"
#include "tool_overrides.h"
#include "tool_sense.h"

static const tool_option OPTIONS[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_TEXT,
     .value = "DIR",
     .about = "folder for the capture; out/NAME-capture if not given"},
    {.name = "body",
     .kind = TOOL_TEXT,
     .value = "NAME",
     .about = "what is captured; the first body of finite elements if not given"},
    {.name = "tets", .kind = TOOL_TEXT, .value = "FILE", .about = "track with these, as a rest.vtu has them, not with its own"},
    {.name = "cameras", .kind = TOOL_COUNT, .value = "N", .about = "cameras around the body; 3 if not given", .min = 1, .max = 64},
    {.name = "size", .kind = TOOL_TEXT, .value = "WxH", .about = "pixels of a camera; 640x480 if not given"},
    {.name = "elevation",
     .kind = TOOL_NUMBER,
     .value = "DEGREES",
     .about = "how far cameras look down; 30 if not given",
     .min = -89,
     .max = 89},
    {.name = "heading",
     .kind = TOOL_NUMBER,
     .value = "DEGREES",
     .about = "where the first camera stands, from +z towards +x; 0",
     .min = -360,
     .max = 360},
    {.name = "rate", .kind = TOOL_NUMBER, .value = "RATE", .about = "frames per second; 30 if not given", .min = 0.01, .max = 1e5},
    {.name = "start",
     .kind = TOOL_NUMBER,
     .value = "SECONDS",
     .about = "when the capture begins; 0 if not given",
     .min = 0,
     .max = 1e6},
    {.name = "frames",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "frames; as long as the scene goes on if not given",
     .min = 1,
     .max = 1e6},
    {.name = "noise",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "metres along the depth; 0.002 if not given",
     .min = 0,
     .max = 1},
    {.name = "quantum",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "step of depths at 1 m, growing with the square; 0.0028",
     .min = 0,
     .max = 1},
    {.name = "outliers",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "of pixels with a wrong depth; 0.1 if not given",
     .min = 0,
     .max = 1},
    {.name = "edge-dropout",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "of pixels lost at edges; 0.5 if not given",
     .min = 0,
     .max = 1},
    {.name = "dropout",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "of pixels lost anywhere; 0 if not given",
     .min = 0,
     .max = 1},
    {.name = "clouds", .kind = TOOL_FLAG, .about = "write clouds instead of depth pictures; which camera saw a point is lost"},
    {.name = "seed",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "of noise and losses; 1 if not given",
     .min = 0,
     .max = 9007199254740992.0},
    {.name = "threads",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "threads; the results are the same for any number",
     .min = 1,
     .max = 1024},
    {.name = "set", .kind = TOOL_TEXT, .value = "PATH=VALUE", .about = TOOL_SET_ABOUT, .repeats = true},
};

static bool read_options(sense_job *job) {
  const tool_value *size = tool_find_value(job->arguments, "size"), *cameras = tool_find_value(job->arguments, "cameras");
  const tool_value *seed = tool_find_value(job->arguments, "seed");
  job->width = 640;
  job->height = 480;
  if (size->given && !tool_parse_size(job->tool, size->text, &job->width, &job->height)) return false;
  job->camera_count = cameras->given ? (int32_t)cameras->count : 3;
  job->rate = sense_number(job, "rate", 30);
  job->start = sense_number(job, "start", 0);
  job->sensor = pl_default_sensor_def();
  job->sensor.noise = sense_number(job, "noise", job->sensor.noise);
  job->sensor.quantum = sense_number(job, "quantum", job->sensor.quantum);
  job->sensor.outliers = sense_number(job, "outliers", job->sensor.outliers);
  job->sensor.edge_dropout = sense_number(job, "edge-dropout", job->sensor.edge_dropout);
  job->sensor.dropout = sense_number(job, "dropout", job->sensor.dropout);
  if (seed->given) job->sensor.seed = (uint64_t)seed->count;
  return true;
}

static pl_status open_scene(sense_job *job, const tool_overrides *overrides, pl_error *error) {
  pl_status status = pl_findings_create(job->context, &job->findings, error);
  const char *path = job->arguments->words[0];
  if (status >= 0)
    status = pl_scene_load_with(job->context, path, &(pl_scene_overrides){overrides->items, overrides->count}, &job->scene,
                                job->findings, error);
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
    tool_report_findings(&job->tool->voice, job->findings, PL_SEVERITY_WARNING, job->arguments->words[0]);
    error_count = pl_findings_count(job->findings, PL_SEVERITY_ERROR);
  }
  if (status < 0) return error_count == 0 ? tool_report_error(&job->tool->voice, &error) : TOOL_FAILED;
  job->body_count = pl_scene_instance_body_count(job->set);
  if (!sense_choose_body(job)) return TOOL_FAILED;
  const tool_value *tets = tool_find_value(job->arguments, "tets");
  if (tets->given && (job->tets = sense_open_tets(job, tets->text)) == NULL) return TOOL_FAILED;
  const tool_value *output = tool_find_value(job->arguments, "output");
  job->folder = output->given ? tool_text("%s", output->text) : tool_text("out/%s-capture", job->facts.name);
  if (!tool_folder_make(job->tool, job->folder)) return TOOL_FAILED;
  tool_interrupt_watch();
  status = sense_simulate(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = sense_take_pictures(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = sense_write_truth(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = sense_say_capture(job, &error);
  bool stopped = tool_interrupt_count() > 0;
  tool_interrupt_release();
  if (status < 0) return tool_report_error(&job->tool->voice, &error);
  if (stopped) {
    tool_complain(&job->tool->voice, "interrupted; the capture in '%s' is not whole", job->folder);
    return TOOL_FAILED;
  }
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
    .summary = "capture a body of a scene with depth cameras that are not there",
    .details =
        "Simulates the scene and takes depth pictures of one body from all around, with the faults of a real sensor. Other bodies\n"
        "and colliders hide it and are masked out. The folder holds capture.json with its pictures; static.vtu and\n"
        "surface.ply, the body at rest under gravity; held.csv, the points that never move; and the truth: rest.vtu,\n"
        "truth_points.pc2 and truth_surface.pc2. With --tets these are of other tets that fill the same shape, such as coarser\n"
        "ones, carried along by those of the scene: what is then tracked and fitted is not made of what was simulated.",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = sense_verb,
};
