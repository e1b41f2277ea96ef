// Simulates the captured motion, and finds the static shape of the body.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool_interrupt.h"
#include "tool_sense.h"

static bool can_be_captured(const sense_job *job, int32_t index) {
  pl_scene_instance_body body = pl_scene_instance_get_body(job->set, index);
  pl_model_report model = pl_model_get_report(pl_body_get_model(pl_scene_instance_get_world(job->set), body.id));
  return strcmp(model.method, "fem") == 0 && body.mesh != NULL && pl_mesh_get_view(body.mesh).tet_count > 0;
}

bool sense_choose_body(sense_job *job) {
  const tool_value *wanted = tool_find_value(job->arguments, "body");
  job->body = -1;
  for (int32_t i = 0; i < job->body_count && job->body < 0; ++i)
    if (can_be_captured(job, i) &&
        (!wanted->given || strcmp(pl_scene_instance_get_body(job->set, i).name, wanted->text) == 0))
      job->body = i;
  if (job->body >= 0) return true;
  if (wanted->given)
    tool_print_error(&job->tool->console,
                     "'%s' has no body '%s' with tets and method fem; 'pliant info' describes the scene",
                     job->arguments->words[0], wanted->text);
  else
    tool_print_error(&job->tool->console, "'%s' has no body with tets and method fem; only such a body can be captured",
                     job->arguments->words[0]);
  return false;
}

static pl_status record_frame(sense_job *job, int32_t frame) {
  for (int32_t i = 0; i < job->body_count; ++i) {
    size_t count = (size_t)pl_scene_instance_get_surface_view(job->set, i).point_count;
    pl_status status = pl_scene_instance_get_surface(job->set, i, job->surfaces[i] + (size_t)frame * count);
    if (status < 0) return status;
  }
  pl_body_id id = pl_scene_instance_get_body(job->set, job->body).id;
  return pl_body_get_positions(pl_scene_instance_get_world(job->set), id,
                               job->particles + (size_t)frame * (size_t)job->particle_count);
}

// Seconds of a scene after which what has not moved is held. Where less is filmed, the scene runs on, unseen.
static const double HELD_FOR = 1;

static void mark_moved(const sense_job *job, const pl_vec3 *first, const pl_vec3 *now, bool *moved) {
  for (int32_t i = 0; i < job->particle_count; ++i)
    moved[i] = moved[i] || memcmp(&first[i], &now[i], sizeof *first) != 0;
}

// Points that never move, in the frames or in the first second of the scene.
static pl_status find_held(sense_job *job, const pl_vec3 *first, pl_error *error) {
  size_t n = (size_t)job->particle_count;
  pl_world *world = pl_scene_instance_get_world(job->set);
  pl_body_id id = pl_scene_instance_get_body(job->set, job->body).id;
  bool *moved = tool_allocate(n, sizeof *moved);
  pl_vec3 *now = tool_allocate(n, sizeof *now);
  for (int32_t f = 0; f < job->frame_count; ++f) mark_moved(job, first, job->particles + (size_t)f * n, moved);
  pl_status status = PL_OK;
  double time = job->start + (job->frame_count - 1) / job->rate;
  for (; time < HELD_FOR && status >= 0 && tool_interrupt_count() == 0; time += 1 / job->rate) {
    status = pl_world_advance(world, 1 / job->rate, 0, NULL, error);
    if (status >= 0) status = pl_body_get_positions(world, id, now);
    if (status >= 0) mark_moved(job, first, now, moved);
  }
  job->held = tool_allocate(n + 1, sizeof *job->held);
  for (int32_t i = 0; i < job->particle_count; ++i)
    if (!moved[i]) job->held[job->held_count++] = i;
  if (job->held_count == job->particle_count)
    tool_print_warning(
        &job->tool->console,
        "no point of the body moves, so held.csv has all of them; without gravity and motion it does not "
        "show what is held: give --hold a box instead");
  free(now);
  free(moved);
  return status;
}

// Equilibrium of the particles under gravity, from their positions at the start, with what is held.
static pl_status find_static(sense_job *job, pl_vec3 gravity, const pl_vec3 *first, pl_error *error) {
  size_t n = (size_t)job->particle_count;
  pl_status status = find_held(job, first, error);
  if (status < 0) return status;
  memcpy(job->static_points, first, n * sizeof *first);
  if (job->held_count == 0) {
    tool_print(&job->tool->console, "no point is held all the time; the shape at the start is used as static shape");
    return PL_OK;
  }
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.acceleration = gravity;
  def.pinned = job->held;
  def.pinned_count = job->held_count;
  def.tolerance = 1e-6;
  const pl_model *model =
      pl_body_get_model(pl_scene_instance_get_world(job->set), pl_scene_instance_get_body(job->set, job->body).id);
  return pl_fem_equilibrium(job->context, model, &def, job->static_points, NULL, error);
}

// How a body that is held comes to rest: at most this long, until its fastest point moves by this part of its size in a
// second.
static const double MAX_SETTLING = 60, SETTLED = 1e-4;

// The clock stands still, so that pins and colliders stay, and what swings is stopped each time its kinetic energy is
// largest: there a vibration goes through its equilibrium. A few periods do what damping would need hundreds for. Where
// it is nearer to equilibrium than a step is solved, it does not begin to move again.
static pl_status settle(const sense_job *job, pl_error *error) {
  pl_world *world = pl_scene_instance_get_world(job->set);
  pl_body_id id = pl_scene_instance_get_body(job->set, job->body).id;
  double step = pl_world_get_step_length(world), before = 0, speed = 0, size = 0, seconds = 0;
  pl_vec3 *still = tool_allocate((size_t)job->particle_count, sizeof *still);
  pl_status status = pl_body_set_state(world, id, NULL, still, error);
  for (; status >= 0 && seconds < MAX_SETTLING && tool_interrupt_count() == 0; seconds += step) {
    status = pl_world_settle(world, step, NULL, error);
    pl_body_report now = pl_body_get_report(world, id);
    size = pl_vec3_distance(now.box.min, now.box.max);
    if (status >= 0 && now.kinetic_energy <= before) {
      if (speed < SETTLED * size) break;
      status = pl_body_set_state(world, id, NULL, still, error);
      now.kinetic_energy = 0;
    }
    before = now.kinetic_energy;
    speed = now.max_speed;
  }
  free(still);
  if (status >= 0 && seconds >= MAX_SETTLING)
    tool_print_warning(&job->tool->console, "the body is not at rest after %g s; its fastest point moves at %.3g m/s",
                       MAX_SETTLING, speed);
  return status;
}

// Until the first frame, with a stop where it is held.
static pl_status go_to_start(const sense_job *job, pl_error *error) {
  pl_world *world = pl_scene_instance_get_world(job->set);
  const tool_value *held = tool_find_value(job->arguments, "settle");
  double from = held->given ? fmin(held->number, job->start) : 0;
  pl_status status = from > 0 ? pl_world_advance(world, from, 0, NULL, error) : PL_OK;
  if (status >= 0 && held->given) status = settle(job, error);
  if (status >= 0 && job->start > from) status = pl_world_advance(world, job->start - from, 0, NULL, error);
  return status;
}

pl_status sense_simulate(sense_job *job, pl_error *error) {
  pl_world *world = pl_scene_instance_get_world(job->set);
  const tool_value *frames = tool_find_value(job->arguments, "frames");
  double whole = (job->facts.frame_count - 1) / job->facts.frame_rate - job->start;
  job->frame_count = frames->given ? (int32_t)frames->count : 1 + (int32_t)fmax(0, floor(whole * job->rate + 1e-6));
  job->particle_count =
      pl_model_get_report(pl_body_get_model(world, pl_scene_instance_get_body(job->set, job->body).id)).particle_count;
  size_t n = (size_t)job->particle_count, count = (size_t)job->frame_count;
  job->particles = tool_allocate(n * count, sizeof(pl_vec3));
  job->static_points = tool_allocate(n, sizeof(pl_vec3));
  job->surfaces = tool_allocate((size_t)job->body_count, sizeof *job->surfaces);
  for (int32_t i = 0; i < job->body_count; ++i)
    job->surfaces[i] =
        tool_allocate((size_t)pl_scene_instance_get_surface_view(job->set, i).point_count * count, sizeof(pl_vec3));
  pl_vec3 *first = tool_allocate(n, sizeof *first);
  pl_status status = pl_body_get_positions(world, pl_scene_instance_get_body(job->set, job->body).id, first);
  tool_progress progress = tool_progress_start(&job->tool->console, "frame", 0, job->frame_count);
  if (status >= 0) status = go_to_start(job, error);
  for (int32_t f = 0; f < job->frame_count && status >= 0 && tool_interrupt_count() == 0; ++f) {
    if (f > 0) status = pl_world_advance(world, 1 / job->rate, 0, NULL, error);
    if (status >= 0) status = record_frame(job, f);
    tool_progress_show(&progress, f + 1);
  }
  tool_progress_end(&progress);
  if (status >= 0 && tool_interrupt_count() == 0) status = find_static(job, job->facts.gravity, first, error);
  free(first);
  return status;
}
