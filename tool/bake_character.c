// A character file as the source of a bake: a world of its own with gravity, in which the nodes that are not simulated
// follow an animation of the file.
#include <math.h>
#include <string.h>

#include "tool_bake.h"

static const double LONGEST_STEP = 1.0 / 240;

static const char *animation_name(const void *user, int index) {
  const pl_character_view *view = user;
  return index < view->animation_count ? view->animations[index].name : NULL;
}

static bool open_motion(bake_job *job, const pl_character_view *view) {
  pl_error error = {0};
  const char *path = job->options.motion, *slash = strrchr(path, '/');
  if (job->options.animation != NULL) {
    tool_print_error(&job->tool->console, "give --animation or --motion, not both");
    return false;
  }
  if (pl_motion_load(job->context, job->character, path, &job->motion, job->findings, &error) < 0)
    return tool_report_error(&job->tool->console, &error), false;
  job->animation_name = slash != NULL ? slash + 1 : path;
  job->morph_count = view->surface != NULL ? pl_mesh_get_view(view->surface).pose_count : 0;
  return true;
}

void bake_sample(const bake_job *job, double time, double *morphs) {
  if (job->motion != NULL)
    pl_motion_sample(job->motion, time, NULL, job->node_placements, morphs);
  else
    pl_character_sample(job->character, job->animation, time, job->node_placements, morphs);
}

double bake_animation_end(const bake_job *job) {
  if (job->motion != NULL) return pl_motion_get_report(job->motion).end;
  return job->animation >= 0 ? pl_character_get_view(job->character).animations[job->animation].end : 0;
}

bool bake_choose_animation(bake_job *job, const pl_character_view *view) {
  const char *wanted = job->options.animation;
  if (job->options.motion != NULL) return open_motion(job, view);
  job->animation = wanted != NULL              ? pl_character_find_animation(job->character, wanted)
                   : view->animation_count > 0 ? 0
                                               : -1;
  if (wanted != NULL && job->animation < 0) {
    const char *meant = tool_suggest(wanted, animation_name, view);
    if (meant != NULL)
      tool_print_error(&job->tool->console, "'%s' has no animation '%s' (did you mean '%s'?)", job->options.input,
                       wanted, meant);
    else
      tool_print_error(&job->tool->console, "'%s' has no animation '%s'; 'pliant info' lists its %d animations",
                       job->options.input, wanted, view->animation_count);
    return false;
  }
  if (job->animation >= 0) {
    job->animation_name = view->animations[job->animation].name;
    return true;
  }
  tool_print_warning(&job->tool->console,
                     "'%s' has no animation: its chains hang in the rest pose for %g s; name a file with an animation, "
                     "or a scene that plays one",
                     job->options.input, job->options.seconds > 0 ? job->options.seconds : BAKE_SECONDS);
  job->remarks = true;
  return true;
}

// The frames divide the duration evenly, so that a loop ends where it begins; the inner steps divide a frame evenly.
static void lay_out_time(bake_job *job) {
  double end = bake_animation_end(job);
  double seconds = job->options.seconds > 0 ? job->options.seconds : end > 0 ? end : BAKE_SECONDS;
  double rate = job->options.frame_rate > 0 ? job->options.frame_rate : BAKE_FRAME_RATE;
  double count = fmax(1, floor(seconds * rate + 0.5));
  job->frame_rate = job->options.loop ? count / seconds : rate;
  job->frame_count = (int32_t)count + 1;
  job->steps_per_frame = (int32_t)ceil(1 / (job->frame_rate * LONGEST_STEP) - 1e-9);
}

static bool has_view_examples(const pl_character_view *view) {
  for (int32_t i = 0; i < view->example_count; ++i)
    if (view->examples[i].extent > 0) return true;
  return false;
}

static pl_status make_world(bake_job *job, pl_error *error) {
  pl_world_def def = pl_default_world_def();
  def.step = 1 / (job->frame_rate * job->steps_per_frame);
  pl_status status = pl_rod_build(job->context, &job->rod, &job->own_model, error);
  if (status >= 0) status = pl_world_create(job->context, &def, &job->own_world, error);
  pl_body_def body = pl_default_body_def();
  body.model = job->model = job->own_model;
  job->world = job->own_world;
  if (status >= 0) status = pl_world_add_body(job->world, &body, &job->body, error);
  if (status >= 0 && job->options.has_eye) status = pl_rod_set_camera(job->world, job->body, job->options.eye, error);
  return status;
}

static bool refuse_scene_options(const bake_job *job) {
  if (job->options.body == NULL && job->options.overrides.count == 0) return true;
  tool_print_error(&job->tool->console, "%s works with scenes only; '%s' is a character",
                   job->options.body != NULL ? "--body" : "--set", job->options.input);
  return false;
}

static pl_transform index_of(const bake_job *job, int32_t joint, double time) {
  bake_sample(job, time, NULL);
  return job->node_placements[job->nodes[joint]];
}

// A loop needs an animation that ends as it begins, possibly at another position: the first joint that does not is
// named.
static void check_cycle(bake_job *job) {
  double end = (job->frame_count - 1) / job->frame_rate;
  int32_t base = bake_first_base(job);
  pl_transform base_start = index_of(job, base, 0), base_end = index_of(job, base, end);
  for (int32_t i = 0; i < job->rod.joint_count; ++i) {
    if (!job->rod.joints[i].kinematic) continue;
    pl_transform a = bake_relative(base_start, index_of(job, i, 0)), b = bake_relative(base_end, index_of(job, i, end));
    double away = sqrt(pow(a.position.x - b.position.x, 2) + pow(a.position.y - b.position.y, 2) +
                       pow(a.position.z - b.position.z, 2));
    double angle = bake_angle(a.rotation, b.rotation);
    if (away < 1e-3 && angle < 0.02) continue;
    tool_print_warning(&job->tool->console,
                       "animation '%s' does not end as it begins: at its end '%s' is off by %.3g mm and %.3g degrees",
                       job->animation_name, job->rod.joints[i].name, 1e3 * away, 180 / PL_PI * angle);
    job->remarks = true;
    return;
  }
}

bool bake_open_character(bake_job *job) {
  pl_error error = {0};
  if (!refuse_scene_options(job)) return false;
  pl_status status = pl_character_load(job->context, job->options.input, &job->character, job->findings, &error);
  if (status >= 0) status = pl_character_rig_create(job->character, &job->rig, &error);
  if (status < 0) return tool_report_error(&job->tool->console, &error), false;
  pl_character_view view = pl_character_get_view(job->character);
  if (view.spring_count == 0) {
    tool_print_error(
        &job->tool->console,
        "'%s' has no spring bones (VRMC_springBone, or secondaryAnimation of VRM 0.x), so there is nothing to simulate",
        job->options.input);
    return false;
  }
  if (!bake_choose_animation(job, &view)) return false;
  if (job->options.loop && job->options.seconds > 0 && job->animation_name != NULL) {
    tool_print_error(&job->tool->console, "a loop is as long as its animation '%s'; leave out --seconds",
                     job->animation_name);
    return false;
  }
  lay_out_time(job);
  job->rod = pl_character_rig_get_def(job->rig);
  job->nodes = pl_character_rig_get_nodes(job->rig);
  job->source_path = job->body_name = job->options.input;
  status = make_world(job, &error);
  if (status < 0) return tool_report_error(&job->tool->console, &error), false;
  job->node_placements = tool_allocate((size_t)view.node_count, sizeof *job->node_placements);
  int32_t pose_count = view.surface != NULL ? pl_mesh_get_view(view.surface).pose_count : 0;
  job->morphs = tool_allocate((size_t)pose_count, sizeof *job->morphs);
  if (job->options.loop && job->animation_name != NULL) check_cycle(job);
  if (has_view_examples(&view) && !job->options.has_eye)
    tool_print(&job->tool->console,
               "the examples of this character follow a camera, and there is none; place one with --eye X,Y,Z");
  return true;
}

// Move every kinematic joint to its position in the animation at `time`, within `seconds`.
static pl_status pose_kinematic_joints(bake_job *job, double time, double seconds, pl_error *error) {
  pl_status status = PL_OK;
  bake_sample(job, time, job->morphs);
  for (int32_t i = 0; i < job->rod.joint_count && status >= 0; ++i)
    if (job->rod.joints[i].kinematic)
      status = pl_rod_set_joint_target(job->world, job->body, i, job->node_placements[job->nodes[i]], seconds, error);
  const pl_mesh *surface = pl_character_get_view(job->character).surface;
  if (status >= 0 && surface != NULL && pl_mesh_get_view(surface).pose_count > 0)
    status = pl_rod_set_morph_weights(job->world, job->body, job->morphs, error);
  return status;
}

// Move from the rest pose to the first pose in half of the time, and settle in the other half.
pl_status bake_settle_character(bake_job *job, pl_error *error) {
  double seconds = job->options.pre_roll >= 0 ? job->options.pre_roll : BAKE_PRE_ROLL;
  pl_status status = pose_kinematic_joints(job, 0, 0.5 * seconds, error);
  return status >= 0 ? pl_world_settle(job->world, fmax(seconds, pl_world_get_step_length(job->world)), NULL, error)
                     : status;
}

// At the end of a cycle the animation returns to its start, which may be elsewhere in the world (a walk): the body is
// teleported there, so that its chains are not disturbed.
pl_status bake_rewind_character(bake_job *job, pl_error *error) {
  int32_t base = bake_first_base(job);
  double end = (job->frame_count - 1) / job->frame_rate;
  pl_transform from = index_of(job, base, end), to = index_of(job, base, 0);
  pl_transform motion = bake_join(to, bake_relative(from, (pl_transform){{0, 0, 0}, {0, 0, 0, 1}}));
  return pl_body_teleport(job->world, job->body, motion, error);
}

pl_status bake_advance_character(bake_job *job, int32_t frame, pl_error *error) {
  double start = (frame - 1) / job->frame_rate;
  pl_status status = PL_OK;
  for (int32_t i = 1; i <= job->steps_per_frame && status >= 0; ++i) {
    status = pose_kinematic_joints(job, start + i / (job->frame_rate * job->steps_per_frame), 0, error);
    if (status >= 0) status = pl_world_step(job->world, NULL, error);
  }
  return status;
}
