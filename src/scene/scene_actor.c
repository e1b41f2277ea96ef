// Actors of a scene: the def of each from the document, its attachment to the body, and the commands it is given over
// time.
#include "scene/scene_actor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actor/behaviour_list.h"
#include "base/error.h"
#include "pliant/math.h"
#include "pliant/step.h"

// --- what the rest shape is chosen from ------------------------------------------------------------------------------

static int32_t example_count_of(const pl_scene_actor *source) {
  int32_t count = source->examples.count;
  for (int32_t g = 0; g < source->groups.count; ++g)
    count += ((const pl_scene_actor_group *)source->groups.items)[g].examples.count;
  return count;
}

// Examples of the whole body are mixed with each other, and those of each group: `examples` come first, as group 0.
static pl_status choose_examples(pl_scene_instance *set, const pl_instance_part *part, pl_actor_def *def,
                                 pl_findings *findings, pl_error *error) {
  const pl_scene_actor *source = &part->source->actor;
  int32_t count = example_count_of(source), used = 0, number = 0;
  const char **names = PL_TAKE(&set->arena, const char *, count);
  int32_t *groups = PL_TAKE(&set->arena, int32_t, count);
  if (names == NULL || groups == NULL) return pl_fail_memory(error);
  for (int32_t g = -1; g < source->groups.count; ++g) {
    const pl_scene_list *examples =
        g < 0 ? &source->examples : &((const pl_scene_actor_group *)source->groups.items)[g].examples;
    for (int32_t i = 0; i < examples->count; ++i) {
      names[used] = ((const char *const *)examples->items)[i];
      groups[used++] = number;
    }
    if (examples->count > 0) ++number;
  }
  const pl_scene_list wanted = {(void *)names, count};
  def->example_count = count;
  def->example_groups = groups;
  return pl_instance_choose_poses(set, part, &wanted, &def->examples, findings, error);
}

// --- the def ---------------------------------------------------------------------------------------------------------

static void choose_numbers(const pl_scene_actor *source, pl_actor_def *def) {
  *def = source->def;
  def->cage_point_count = source->cage.points;
  def->path = source->path.count > 0 ? source->path.items : NULL;
  def->path_count = source->path.count;
  def->command = source->command.def;
}

// Presets, and what the document has instead; names and ranges were checked when it was read.
static pl_status choose_settings(pl_scene_instance *set, const pl_scene_actor *source, pl_actor_def *def,
                                 pl_error *error) {
  const pl_behaviour *behaviour = def->behaviour;
  double *settings = PL_TAKE(&set->arena, double, behaviour->setting_count);
  if (settings == NULL) return pl_fail_memory(error);
  for (int32_t k = 0; k < behaviour->setting_count; ++k) {
    settings[k] = behaviour->settings[k].preset;
    for (int32_t i = 0; i < source->settings.count; ++i) {
      const pl_scene_setting *given = &((const pl_scene_setting *)source->settings.items)[i];
      if (strcmp(given->name, behaviour->settings[k].name) == 0) settings[k] = given->value;
    }
  }
  def->settings = settings;
  return PL_OK;
}

// Costs that the document leaves out are the behaviour's, but for examples: theirs are not of strain.
static void use_costs(const pl_scene_actor *source, pl_actor_def *def) {
  pl_behaviour_costs costs = pl_behaviour_get_costs(def->behaviour);
  if (!(costs.regularisation > 0) || def->rest == PL_REST_EXAMPLES) return;
  const pl_json *json = source->json;
  if (pl_json_find(json, "regularisation") == NULL) def->regularisation = costs.regularisation;
  if (pl_json_find(json, "rate_regularisation") == NULL) def->rate_regularisation = costs.rate_regularisation;
  if (pl_json_find(json, "volume_regularisation") == NULL) def->volume_regularisation = costs.volume_regularisation;
}

static pl_status make_def(pl_scene_instance *set, const pl_instance_part *part, pl_actor_def *def,
                          pl_findings *findings, pl_error *error) {
  const pl_scene_actor *source = &part->source->actor;
  choose_numbers(source, def);
  def->behaviour = pl_behaviour_find(source->behaviour);
  if (def->behaviour == NULL)
    return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no behaviour \"%s\"", source->behaviour);
  use_costs(source, def);
  pl_status status = choose_settings(set, source, def, error);
  if (status >= 0) status = pl_instance_choose_parts(set, part, def, findings, error);
  if (status >= 0 && def->rest == PL_REST_EXAMPLES) status = choose_examples(set, part, def, findings, error);
  return status;
}

// --- making and attaching
// ----------------------------------------------------------------------------------------------

// An error of the actor is placed at the key it speaks of, where there is one of that name.
static void report_actor(pl_scene_instance *set, const pl_instance_part *part, pl_findings *findings,
                         const pl_error *error) {
  const pl_json *json = part->source->actor.json, *json_node = pl_json_find(json, error->field);
  pl_instance_add_finding(set->scene, json_node != NULL ? json_node : json, findings, PL_SEVERITY_ERROR, "actor-failed",
                          "", "the actor of body \"%s\" cannot be made: %s", part->source->name, error->text);
}

// The mesh that is named as a cage; of tets, the surface around them.
static pl_status make_cage(pl_scene_instance *set, const pl_scene_actor *source, pl_mesh **cage, pl_findings *findings,
                           pl_error *error) {
  pl_status status = pl_scene_make_mesh(set->scene, source->cage.mesh, cage, findings, error);
  if (status < 0 || pl_mesh_get_view(*cage).tet_count == 0) return status;
  pl_mesh *tets = *cage;
  *cage = NULL;
  status = pl_mesh_build_boundary(set->context, tets, cage, NULL, error);
  pl_mesh_destroy(tets);
  return status;
}

static pl_status add_actor(pl_scene_instance *set, int32_t index, pl_findings *findings, pl_error *error) {
  const pl_instance_part *part = &PL_ITEM(&set->parts, pl_instance_part, index);
  const pl_scene_actor *source = &part->source->actor;
  pl_actor_def def = pl_default_actor_def();
  pl_mesh *cage = NULL;
  pl_instance_player player = {.part = index, .source = source};
  pl_status status = make_def(set, part, &def, findings, error);
  if (status >= 0 && def.rest == PL_REST_CAGE && source->cage.mesh[0] != '\0')
    status = make_cage(set, source, &cage, findings, error);
  def.cage = cage;
  if (status >= 0) {
    status = pl_actor_create(set->context, &def, part->model, part->tets, &player.actor, error);
    if (status < 0 && status != PL_ERROR_OUT_OF_MEMORY) report_actor(set, part, findings, error);
  }
  pl_mesh_destroy(cage);
  if (status < 0) return status;
  if (!pl_vector_push(&set->players, &player)) {
    pl_actor_destroy(player.actor);
    return pl_fail_memory(error);
  }
  return pl_actor_attach(player.actor, set->world, part->body.id, error);
}

pl_status pl_instance_add_actors(pl_scene_instance *set, pl_findings *findings, pl_error *error) {
  pl_status status = PL_OK;
  for (size_t i = 0; status >= 0 && i < set->parts.count; ++i) {
    const pl_instance_part *part = &PL_ITEM(&set->parts, pl_instance_part, i);
    if (part->source->actor.json == NULL) continue;
    // Once for all copies.
    if (i == 0 || PL_ITEM(&set->parts, pl_instance_part, i - 1).source != part->source)
      status = pl_instance_check_standing(set, part, findings, error);
    if (status >= 0) status = add_actor(set, (int32_t)i, findings, error);
  }
  return status;
}

// --- commands
// ------------------------------------------------------------------------------------------------------------

// Each command is given once, in the first step that begins no earlier than its time, so that other commands in between
// are not overridden. The current command is part of the actor's state, which snapshots contain.
void pl_instance_steer_actors(pl_scene_instance *set, const pl_world *world) {
  int64_t now = pl_world_step_count(world);
  double step = pl_world_get_step_length(world);
  for (size_t i = 0; i < set->players.count; ++i) {
    const pl_instance_player *player = &PL_ITEM(&set->players, pl_instance_player, i);
    const pl_scene_actor_command *commands = player->source->commands.items;
    for (int32_t k = 0; k < player->source->commands.count; ++k)
      if ((int64_t)ceil(commands[k].time / step - 1e-6) == now) pl_actor_set_command(player->actor, commands[k].def);
  }
}

// --- what programs see
// ------------------------------------------------------------------------------------------------------

int32_t pl_scene_instance_actor_count(const pl_scene_instance *set) {
  return (int32_t)set->players.count;
}

pl_scene_instance_actor pl_scene_instance_get_actor(const pl_scene_instance *set, int32_t index) {
  const pl_instance_player *player = &PL_ITEM(&set->players, pl_instance_player, index);
  return (pl_scene_instance_actor){.name = PL_ITEM(&set->parts, pl_instance_part, player->part).body.name,
                                   .body = player->part,
                                   .actor = player->actor,
                                   .behaviour = pl_behaviour_find(player->source->behaviour)->name,
                                   .rest = player->source->def.rest};
}
