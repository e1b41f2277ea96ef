// The `telemetry` message: weights, views, energies, and the state of actors.
#include <math.h>
#include <string.h>

#include "pliant/math.h"
#include "studio_detail.h"
#include "studio_pose.h"
#include "studio_tool.h"

// Maximum manifolds reported for a body; bodies with one manifold per region have too many to show.
enum { MAX_MANIFOLDS = 64 };

static void add_weights(studio_world *w, studio_message *message, pl_json *object, const pl_instance_part *part) {
  pl_example_view examples = pl_model_get_examples(part->model);
  if (examples.example_count == 0 || examples.example_count > PL_MAX_EXAMPLES) return;
  pl_json *lists = pl_json_set(&message->arena, object, "weights", pl_json_new(&message->arena, PL_JSON_ARRAY));
  for (int32_t m = 0; lists != NULL && m < examples.manifold_count && m < MAX_MANIFOLDS; ++m) {
    double weights[PL_MAX_EXAMPLES];
    if (pl_body_get_weights(w->world, part->body.id, m, weights) < 0) return;
    pl_json *list = pl_json_new(&message->arena, PL_JSON_ARRAY);
    for (int32_t k = 0; list != NULL && k < examples.example_count; ++k)
      pl_json_add(list, pl_json_new_number(&message->arena, isfinite(weights[k]) ? round(weights[k] * 1e5) / 1e5 : 0));
    pl_json_add(lists, list);
  }
}

// Direction to the camera in the frame of the kinematic joint of the first chain.
static void add_view(studio_world *w, studio_message *message, pl_json *object, const pl_instance_part *part) {
  const pl_rod_def *def = part->body.rod_def;
  if (def == NULL || def->example_count == 0) return;
  pl_transform *joints = PL_TAKE(&message->arena, pl_transform, def->joint_count);
  if (joints == NULL || pl_rod_get_joints(w->world, part->body.id, joints) < 0) return;
  int32_t root = def->examples[0].root, kinematic = def->joints[root].parent;
  if (kinematic >= 0)
    studio_message_set_vector(message, object, "view",
                              studio_pose_view(w, joints[root].position, joints[kinematic].rotation));
}

static void add_energy(studio_world *w, studio_message *message, pl_json *object, const pl_instance_part *part,
                       int32_t index) {
  double energy = pl_body_get_report(w->world, part->body.id).kinetic_energy;
  pl_fem_report report;
  if (part->source->method == PL_SCENE_FEM && pl_fem_get_report(w->world, part->body.id, &report) >= 0)
    studio_message_set_number(message, object, "elastic", report.energy);
  studio_message_set_number(message, object, "energy", energy);
  if (part->rod != NULL) studio_message_set_number(message, object, "injected", studio_energy_meter_injected(w, index));
}

static void add_goals(studio_message *message, pl_json *object, const pl_actor *actor) {
  static const char *const subjects[] = {"center", "part", "difference", "points", "spin"};
  pl_goal goals[PL_MAX_GOALS];
  int32_t count = pl_actor_get_goals(actor, PL_MAX_GOALS, goals);
  pl_json *list = pl_json_set(&message->arena, object, "goals", pl_json_new(&message->arena, PL_JSON_ARRAY));
  for (int32_t i = 0; list != NULL && i < count; ++i) {
    pl_json *item = pl_json_new(&message->arena, PL_JSON_OBJECT);
    if (item == NULL) return;
    pl_json_set_text(&message->arena, item, "subject", subjects[goals[i].subject]);
    if (goals[i].subject == PL_GOAL_PART || goals[i].subject == PL_GOAL_DIFFERENCE)
      pl_json_set_number(&message->arena, item, "part", goals[i].part);
    if (goals[i].position_gain != 0) studio_message_set_vector(message, item, "position", goals[i].position);
    if (goals[i].velocity_gain != 0) studio_message_set_vector(message, item, "velocity", goals[i].velocity);
    pl_json_set_number(&message->arena, item, "axes", goals[i].axes);
    studio_message_set_number(message, item, "weight", goals[i].weight);
    pl_json_add(list, item);
  }
}

static void add_actor(studio_world *w, studio_message *message, pl_json *object, int32_t body) {
  for (int32_t i = 0; i < pl_scene_instance_actor_count(w->instance); ++i) {
    pl_scene_instance_actor actor = pl_scene_instance_get_actor(w->instance, i);
    if (actor.body != body) continue;
    pl_json *item = pl_json_set(&message->arena, object, "actor", pl_json_new(&message->arena, PL_JSON_OBJECT));
    if (item == NULL) return;
    pl_actor_report report = pl_actor_get_report(actor.actor);
    pl_actor_command command = pl_actor_get_command(actor.actor);
    studio_message_set_number(message, item, "objective", report.objective);
    studio_message_set_number(message, item, "residual", report.residual);
    studio_message_set_number(message, item, "goal_error", report.goal_error);
    studio_message_set_number(message, item, "lean", report.lean);
    studio_message_set_number(message, item, "advance", report.advance);
    studio_message_set_number(message, item, "steps", report.tally.steps);
    studio_message_set_number(message, item, "hops", report.tally.hops);
    studio_message_set_number(message, item, "tumbles", report.tally.tumbles);
    studio_message_set_number(message, item, "speed", command.speed);
    studio_message_set_vector(message, item, "heading", command.heading);
    add_goals(message, item, actor.actor);
  }
}

static void add_contacts(studio_world *w, studio_message *message, pl_json *object, int32_t index) {
  enum { MAX = 2000 };
  float *positions = PL_TAKE(&message->arena, float, 3 * MAX);
  if (positions == NULL) return;
  int32_t count = studio_contacts_find(w, index, positions, MAX);
  studio_message_set_bytes(message, object, "contacts", positions, 3 * (size_t)count * sizeof(float));
}

static pl_json *describe(studio_world *w, studio_message *message, int32_t index) {
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, index);
  pl_json *object = pl_json_new(&message->arena, PL_JSON_OBJECT);
  if (object == NULL) return NULL;
  pl_json_set_number(&message->arena, object, "body", index);
  add_weights(w, message, object, part);
  add_view(w, message, object, part);
  add_energy(w, message, object, part, index);
  add_actor(w, message, object, index);
  studio_detail_report(w, message, object, index);
  if (studio_hub_wants(w->hub) & STUDIO_WANT_CONTACTS) add_contacts(w, message, object, index);
  return object;
}

// Energy injected by changes of weights: the sum of the increases of kinetic energy between two updates while the
// weights were changing.
double studio_energy_meter_injected(studio_world *w, int32_t index) {
  studio_energy_meter *meter =
      index < (int32_t)w->meters.count ? &PL_ITEM(&w->meters, studio_energy_meter, index) : NULL;
  return meter != NULL ? meter->injected : 0;
}

void studio_energy_meter_update(studio_world *w) {
  while (w->meters.count < w->instance->parts.count)
    if (pl_vector_grow(&w->meters, 1) == NULL) return;
  for (size_t i = 0; i < w->instance->parts.count; ++i) {
    const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, i);
    pl_example_view examples = pl_model_get_examples(part->model);
    if (part->rod == NULL || examples.example_count == 0 || examples.example_count > PL_MAX_EXAMPLES) continue;
    studio_energy_meter *meter = &PL_ITEM(&w->meters, studio_energy_meter, i);
    double weights[PL_MAX_EXAMPLES], changed = 0, energy = pl_body_get_report(w->world, part->body.id).kinetic_energy;
    if (pl_body_get_weights(w->world, part->body.id, 0, weights) < 0) continue;
    for (int32_t k = 0; k < examples.example_count; ++k) {
      changed = fmax(changed, fabs(weights[k] - meter->weights[k]));
      meter->weights[k] = weights[k];
    }
    if (meter->read && changed > 1e-6) meter->injected += fmax(0, energy - meter->energy);
    meter->energy = energy;
    meter->read = true;
  }
}

void studio_telemetry_send(studio_world *w) {
  studio_message message = studio_message_begin(w->context, "telemetry");
  studio_energy_meter_update(w);
  if (message.root != NULL) {
    studio_message_set_number(&message, message.root, "time", pl_world_get_time(w->world));
    studio_message_set_number(&message, message.root, "contact_count", w->report.contact_count);
    pl_json *bodies = pl_json_set(&message.arena, message.root, "bodies", pl_json_new(&message.arena, PL_JSON_ARRAY));
    for (int32_t i = 0; bodies != NULL && i < pl_scene_instance_body_count(w->instance); ++i)
      pl_json_add(bodies, describe(w, &message, i));
  }
  studio_message_send(w, &message, 0, STUDIO_SLOT_TELEMETRY);
}
