// pliant bake: chains of a character, or of a body of a scene, simulated into an animation of their skeleton.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tool_bake.h"
#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "FILE", .required = true,
     .about = "file to write: .glb (joints), .vrm (joints, of a VRM file) or .pc2 (points of the skinned surface)",
     .more = "Points are in the order of the vertices of the input file."},
    {"format", .kind = TOOL_TEXT, .value = "LIST", .choices = "glb pc2", .default_note = "the ending of FILE",
     .about = "glb, pc2 or glb,pc2; several formats are written with the name of FILE and their own endings"},
    {"animation", .kind = TOOL_TEXT, .value = "NAME", .default_note = "the first one",
     .about = "animation of the character to play while simulating"},
    {"motion", .kind = TOOL_TEXT, .value = "FILE",
     .about = "animation of another file to play on a humanoid: VRM animation (.vrma), .glb, .gltf or .bvh"},
    {"body", .kind = TOOL_TEXT, .value = "NAME", .default_note = "the only body with joints",
     .about = "body of the scene to bake"},
    {"fps", .kind = TOOL_NUMBER, .value = "RATE", .min = 1, .max = 1000, .default_note = TOOL_TEXT_OF(BAKE_FRAME_RATE) " for a character, the rate of the scene for a scene",
     .about = "frames per second"},
    {"seconds", .kind = TOOL_NUMBER, .value = "S", .min = 0.001, .max = 86400, .default_note = "length of the animation or scene, " TOOL_TEXT_OF(BAKE_SECONDS) " without an animation",
     .about = "length of the result in seconds"},
    {"exact", .kind = TOOL_FLAG,
     .about = "move spring bones exactly as VRM specifies them: one update per 1/60 s, spheres at the tails of bones",
     .more = "For results that agree with other players. Without it chains are rods: whole segments touch colliders, and inner steps are short."},
    {"loop", .kind = TOOL_FLAG, .about = "simulate cycles until they repeat, then record one that ends as it begins"},
    {"pre-roll", .kind = TOOL_NUMBER, .value = "SECONDS", .min = 0, .max = 3600, .default_note = TOOL_TEXT_OF(BAKE_PRE_ROLL) " for a character, 0 for a scene",
     .about = "time to settle in the first pose before recording"},
    TOOL_SET_OPTION,
    {"eye", .kind = TOOL_TEXT, .value = "X,Y,Z",
     .about = "position in metres of a camera that the examples of the character follow"},
    TOOL_THREADS_OPTION,
};
// clang-format on

// "glb,pc2"; or by the ending of the file.
static bool read_formats(const tool_session *tool, const char *text, const char *output, bake_options *options) {
  if (text == NULL) {
    options->glb = tool_has_ending(output, "glb") || tool_has_ending(output, "vrm");
    options->pc2 = tool_has_ending(output, "pc2");
    if (options->glb || options->pc2) return true;
    tool_print_error(&tool->console, "bake writes .glb, .vrm and .pc2 files, not '%s'", output);
    return false;
  }
  for (const char *at = text;;) {
    size_t length = strcspn(at, ",");
    bool glb = length == 3 && strncasecmp(at, "glb", 3) == 0, pc2 = length == 3 && strncasecmp(at, "pc2", 3) == 0;
    options->glb = options->glb || glb;
    options->pc2 = options->pc2 || pc2;
    if (at[length] == '\0') return true;
    at += length + 1;
  }
}

static bool read_eye(const tool_session *tool, const char *text, bake_options *options) {
  double numbers[3];
  const char *at = text;
  for (int i = 0; i < 3; ++i) {
    char *end;
    numbers[i] = strtod(at, &end);
    if (end == at || !isfinite(numbers[i]) || *end != (i < 2 ? ',' : '\0')) {
      tool_print_error(&tool->console, "--eye needs three numbers X,Y,Z, such as 0,1.6,2, not '%s'", text);
      return false;
    }
    at = end + 1;
  }
  options->has_eye = true;
  options->eye = (pl_vec3){numbers[0], numbers[1], numbers[2]};
  return true;
}

static bool read_options(const tool_session *tool, const tool_arguments *arguments, bake_options *options) {
  const tool_value *output = tool_find_value(arguments, "output"), *pre_roll = tool_find_value(arguments, "pre-roll");
  const tool_value *eye = tool_find_value(arguments, "eye");
  *options = (bake_options){.input = arguments->words[0],
                            .output = output->text,
                            .body = tool_find_value(arguments, "body")->text,
                            .animation = tool_find_value(arguments, "animation")->text,
                            .motion = tool_find_value(arguments, "motion")->text,
                            .frame_rate = tool_find_value(arguments, "fps")->number,
                            .seconds = tool_find_value(arguments, "seconds")->number,
                            .pre_roll = pre_roll->given ? pre_roll->number : -1,
                            .exact = tool_find_value(arguments, "exact")->given,
                            .loop = tool_find_value(arguments, "loop")->given,
                            .thread_count = (int32_t)tool_find_value(arguments, "threads")->count};
  bool good = read_formats(tool, tool_find_value(arguments, "format")->text, output->text, options);
  good = tool_overrides_read(tool, arguments, &options->overrides) && good;
  if (eye->given) good = read_eye(tool, eye->text, options) && good;
  return good;
}

static void close_job(bake_job *job) {
  pl_frame_log_close(job->log);
  if (job->log_path != NULL) unlink(job->log_path);
  pl_world_destroy(job->own_world);
  pl_model_destroy(job->own_model);
  pl_character_rig_destroy(job->rig);
  pl_motion_destroy(job->motion);
  pl_character_destroy(job->character);
  pl_scene_instance_destroy(job->set);
  pl_scene_destroy(job->scene);
  pl_findings_destroy(job->findings);
  pl_context_destroy(job->context);
  tool_overrides_free(&job->options.overrides);
  free(job->node_placements);
  free(job->morphs);
  free(job->order);
  free(job->tube_joints);
  free(job->tube_weights);
  free(job->frames);
  free(job->morph_frames);
  free(job->points);
  free(job->log_path);
}

// Open the character or scene and print its warnings.
static bool open_source(bake_job *job, tool_file_kind kind) {
  pl_error error = {0};
  job->context = tool_open_context(job->tool, job->options.thread_count);
  if (job->context == NULL) return false;
  if (pl_findings_create(job->context, &job->findings, &error) < 0)
    return tool_report_error(&job->tool->console, &error), false;
  if (job->options.exact) return true;
  bool good = kind == TOOL_FILE_SCENE ? bake_open_scene(job) : bake_open_character(job);
  tool_report_findings(&job->tool->console, job->findings, PL_SEVERITY_WARNING, job->options.input);
  if (pl_findings_count(job->findings, PL_SEVERITY_WARNING) > 0) job->remarks = true;
  return good;
}

// A file without the humanoid and the rest of VRM does not become one by its name.
static bool check_vrm(const bake_job *job) {
  const pl_character *character = job->character != NULL ? job->character : job->scene_character;
  bool is_vrm = character != NULL && pl_character_get_view(character).is_vrm;
  if (!tool_has_ending(job->options.output, "vrm") || is_vrm) return true;
  tool_print_error(&job->tool->console,
                   "'%s' is not a VRM file, so the result is not one either; let --output end in .glb",
                   job->source_path != NULL ? job->source_path : job->options.input);
  return false;
}

static bool is_same_file(const bake_job *job) {
  char *from = tool_absolute_path(job->options.input), *to = tool_absolute_path(job->options.output);
  bool same = strcmp(from, to) == 0;
  free(from);
  free(to);
  if (same)
    tool_print_error(&job->tool->console, "input and output are the same file, '%s'; choose another name for --output",
                     job->options.input);
  return same;
}

static bool check_files(const bake_job *job) {
  if (is_same_file(job) || !check_vrm(job)) return false;
  if (!job->options.pc2 || pl_model_get_report(job->model).surface_point_count > 0) return true;
  tool_print_error(&job->tool->console,
                   "'%s' has no surface, so there are no points to write; --format glb writes the joints",
                   job->body_name);
  return false;
}

// What VRM does not specify is not for --exact.
static bool check_exact(bake_job *job) {
  const bake_options *o = &job->options;
  pl_error error = {0};
  double updates = o->frame_rate > 0 ? 60 / o->frame_rate : 1;
  const char *wrong = o->loop                  ? "--loop"
                      : o->pc2                 ? "--format pc2"
                      : o->has_eye             ? "--eye"
                      : o->body != NULL        ? "--body"
                      : o->overrides.count > 0 ? "--set"
                                               : NULL;
  if (wrong != NULL) {
    tool_print_error(&job->tool->console, "--exact is for spring bones of a character, without %s", wrong);
    return false;
  }
  if (fabs(updates - round(updates)) > 1e-6) {
    tool_print_error(&job->tool->console, "--exact updates 60 times per second; let --fps be 60, 30, 20, 15, 12 or 10");
    return false;
  }
  if (is_same_file(job)) return false;
  pl_status status = pl_character_load(job->context, o->input, &job->character, job->findings, &error);
  if (status < 0) return tool_report_error(&job->tool->console, &error), false;
  tool_report_findings(&job->tool->console, job->findings, PL_SEVERITY_WARNING, o->input);
  if (pl_findings_count(job->findings, PL_SEVERITY_WARNING) > 0) job->remarks = true;
  return true;
}

static int bake(bake_job *job) {
  const tool_console *console = &job->tool->console;
  pl_rod_report rod = pl_rod_get_report(job->model);
  pl_error error = {0};
  tool_print(console, "%s: %d %s, %d joints, %d frames at %.6g/s%s%s%s", job->body_name, rod.chain_count,
             rod.chain_count == 1 ? "chain" : "chains", rod.joint_count - rod.kinematic_count, job->frame_count,
             job->frame_rate, job->animation_name != NULL ? ", animation '" : "",
             job->animation_name != NULL ? job->animation_name : "", job->animation_name != NULL ? "'" : "");
  bake_order_joints(job);
  tool_interrupt_watch();
  pl_status status = bake_record(job, &error);
  if (status >= 0) status = bake_write(job, &error);
  tool_interrupt_release();
  if (status < 0) return tool_report_error(console, &error);
  return job->remarks ? TOOL_REMARKS : TOOL_DONE;
}

static int bake_verb(const tool_session *tool, const tool_arguments *arguments) {
  bake_job job = {.tool = tool, .animation = -1};
  int code = TOOL_FAILED;
  bool usable = read_options(tool, arguments, &job.options);
  tool_file_kind kind = usable ? tool_file_detect(tool, job.options.input) : TOOL_FILE_MISSING;
  if (!usable)
    code = TOOL_USAGE;
  else if (job.options.exact && kind == TOOL_FILE_MESH)
    code = open_source(&job, kind) && check_exact(&job) && check_vrm(&job) ? bake_exact(&job) : TOOL_FAILED;
  else if (kind == TOOL_FILE_SCENE || kind == TOOL_FILE_MESH)
    code = open_source(&job, kind) && check_files(&job) ? bake(&job) : TOOL_FAILED;
  else if (kind != TOOL_FILE_MISSING)
    tool_print_error(&tool->console, "'%s' is not a scene and not a character (GLB, glTF, VRM); bake needs one of them",
                     job.options.input);
  close_job(&job);
  return code;
}

const tool_verb tool_bake_verb = {
    .name = "bake",
    .words = "INPUT",
    .summary = "simulate the chains of a character or scene into an animation of its skeleton",
    .details =
        "INPUT is a GLB, glTF or VRM file with spring bones, or a scene with a rod body. A character is written back "
        "unchanged, "
        "with one more animation; nodes that are not simulated keep their key frames. Of a scene, the skeleton is "
        "written too.\n"
        "--loop simulates at most 8 cycles, records one more and fades out the remaining difference between its end "
        "and its start "
        "over the last fifth.",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = bake_verb,
};
