// A body of a scene as the source of a bake: the scene drives the body, the camera and everything else.
#include <math.h>
#include <string.h>

#include "tool_bake.h"

typedef struct body_list {
  pl_scene_instance *set;
  const char *names[64];
  int count;
} body_list;

static const char *listed_name(const void *user, int index) {
  const body_list *list = user;
  return index < list->count ? list->names[index] : NULL;
}

static bool has_joints(const bake_job *job, int32_t index) {
  pl_body_id id = pl_scene_instance_get_body(job->set, index).id;
  return strcmp(pl_model_get_report(pl_body_get_model(pl_scene_instance_get_world(job->set), id)).method, "rod") == 0;
}

// Index of the selected body, or -1 (printed).
static int32_t choose_body(const bake_job *job) {
  const tool_console *console = &job->tool->console;
  const char *wanted = job->options.body, *path = job->options.input;
  body_list list = {.set = job->set};
  int32_t found = -1, rod_count = 0;
  for (int32_t i = 0; i < pl_scene_instance_body_count(job->set); ++i) {
    const char *name = pl_scene_instance_get_body(job->set, i).name;
    if (!has_joints(job, i)) continue;
    rod_count++;
    if (list.count < 64) list.names[list.count++] = name;
    if (found < 0 && (wanted == NULL || strcmp(name, wanted) == 0)) found = i;
  }
  if (rod_count == 0) {
    tool_print_error(console, "'%s' has no body with joints; only rods can be baked, 'pliant run' writes other bodies",
                     path);
    return -1;
  }
  if (wanted != NULL && found < 0) {
    const char *meant = tool_suggest(wanted, listed_name, &list);
    if (meant == NULL) meant = list.names[0];
    tool_print_error(console, "'%s' has no body with joints called '%s' (did you mean '%s'?)", path, wanted, meant);
    return -1;
  }
  if (wanted == NULL && rod_count > 1) {
    tool_print_error(console, "'%s' has %d bodies with joints; choose one with --body, such as '%s' or '%s'", path,
                     rod_count, list.names[0], list.names[1]);
    return -1;
  }
  return found;
}

static bool refuse_character_options(const bake_job *job) {
  if (job->options.animation == NULL && job->options.motion == NULL && !job->options.has_eye) return true;
  tool_print_error(&job->tool->console, "%s works with characters only; the scene '%s' sets %s itself",
                   job->options.has_eye          ? "--eye"
                   : job->options.motion != NULL ? "--motion"
                                                 : "--animation",
                   job->options.input, job->options.has_eye ? "its camera" : "its motion");
  return false;
}

static void lay_out_time(bake_job *job) {
  pl_scene_report facts = pl_scene_get_report(job->scene);
  job->frame_rate = job->options.frame_rate > 0 ? job->options.frame_rate : facts.frame_rate;
  double seconds = job->options.seconds > 0 ? job->options.seconds : (facts.frame_count - 1) / facts.frame_rate;
  job->frame_count = 1 + (int32_t)floor(seconds * job->frame_rate + 0.5);
}

// Tubes are a skin too: one tube for each segment, in the order of the joints at the ends of the segments, and attached
// to the joint at its start.
static void skin_tubes(bake_job *job, const pl_mesh *tubes) {
  int32_t segment_count = 0, point_count = pl_mesh_get_view(tubes).point_count, point = 0;
  const pl_rod_joint *joints = job->rod.joints;
  for (int32_t i = 0; i < job->rod.joint_count; ++i)
    if (!joints[i].kinematic && !joints[joints[i].parent].kinematic) segment_count++;
  if (segment_count == 0 || point_count % segment_count != 0) return;
  job->tube_joints = tool_allocate((size_t)point_count, sizeof *job->tube_joints);
  job->tube_weights = tool_allocate((size_t)point_count, sizeof *job->tube_weights);
  for (int32_t i = 0; i < job->rod.joint_count; ++i) {
    if (joints[i].kinematic || joints[joints[i].parent].kinematic) continue;
    for (int32_t k = 0; k < point_count / segment_count; ++k, ++point) {
      job->tube_joints[point] = joints[i].parent;
      job->tube_weights[point] = 1;
    }
  }
  job->rod.skin =
      (pl_rod_skin){.surface = tubes, .influence_count = 1, .joints = job->tube_joints, .weights = job->tube_weights};
}

static bool take_body(bake_job *job, int32_t index) {
  pl_scene_instance_body body = pl_scene_instance_get_body(job->set, index);
  job->world = pl_scene_instance_get_world(job->set);
  job->body = body.id;
  job->body_name = body.name;
  job->model = pl_body_get_model(job->world, body.id);
  job->rod = *body.rod_def;
  job->nodes = body.nodes;
  job->source_path = body.character_path;
  job->scene_character = body.character;
  job->additions = body.additions;
  const pl_mesh *surface = body.character != NULL ? pl_character_get_view(body.character).surface : NULL;
  job->morph_count = surface != NULL ? pl_mesh_get_view(surface).pose_count : 0;
  if (job->rod.skin.surface == NULL && body.surface != NULL) skin_tubes(job, body.surface);
  if (job->rod.skin.surface != NULL || job->source_path != NULL || !job->options.glb) return true;
  tool_print_error(&job->tool->console,
                   "'%s' has no surface to write with its joints; give it a mesh, or tubes (tube_sides)", body.name);
  return false;
}

bool bake_open_scene(bake_job *job) {
  pl_error error = {0};
  if (!refuse_character_options(job)) return false;
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_status status =
      pl_scene_load_with(job->context, job->options.input,
                         &(pl_scene_overrides){job->options.overrides.items, job->options.overrides.count}, &job->scene,
                         job->findings, &error);
  if (status >= 0) status = pl_scene_build(job->context, &def, job->scene, &job->set, job->findings, &error);
  if (status < 0) {
    if (pl_findings_count(job->findings, PL_SEVERITY_ERROR) == 0) tool_report_error(&job->tool->console, &error);
    return false;
  }
  int32_t index = choose_body(job);
  if (index < 0) return false;
  lay_out_time(job);
  return take_body(job, index);
}
