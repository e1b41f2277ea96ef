// Springs of a scene for the nodes of a character, as the additions that its file is loaded and written with.
#include <string.h>

#include "base/error.h"
#include "pliant/math.h"
#include "scene/scene_rod.h"

static const double RADIANS = PL_PI / 180;

static pl_status add_colliders(pl_scene_instance *set, pl_instance_rod *rod, pl_error *error) {
  const pl_scene_list *list = &rod->source->colliders;
  pl_character_added_collider *colliders = PL_TAKE(&set->arena, pl_character_added_collider, list->count);
  if (colliders == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < list->count; ++i) {
    const pl_scene_rod_collider *from = &((const pl_scene_rod_collider *)list->items)[i];
    colliders[i] = (pl_character_added_collider){from->joint, from->def};
  }
  rod->additions.colliders = colliders;
  rod->additions.collider_count = list->count;
  return PL_OK;
}

static pl_status add_turns(pl_scene_instance *set, const pl_scene_list *list, pl_character_added_example *example,
                           pl_error *error) {
  pl_character_added_turn *turns = PL_TAKE(&set->arena, pl_character_added_turn, list->count);
  if (turns == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < list->count; ++i) {
    const pl_scene_rod_turn *from = &((const pl_scene_rod_turn *)list->items)[i];
    turns[i] = (pl_character_added_turn){from->node, from->axis, from->degrees * RADIANS};
  }
  example->turns = turns;
  example->turn_count = list->count;
  return PL_OK;
}

static pl_status add_examples(pl_scene_instance *set, const pl_scene_list *list, pl_character_added_spring *spring,
                              pl_error *error) {
  pl_character_added_example *examples = PL_TAKE(&set->arena, pl_character_added_example, list->count);
  if (examples == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < list->count; ++i) {
    const pl_scene_rod_example *from = &((const pl_scene_rod_example *)list->items)[i];
    pl_character_added_example *example = &examples[i];
    *example = (pl_character_added_example){.name = from->name};
    if (from->curl.json != NULL) {
      example->curl_axis = from->curl.axis;
      example->curl_angle = from->curl.degrees * RADIANS;
    }
    if (pl_json_find(from->json, "direction") != NULL) {
      example->direction = from->direction;
      example->extent = from->extent * RADIANS;
    }
    pl_status status = add_turns(set, &from->turns, example, error);
    if (status < 0) return status;
  }
  spring->examples = examples;
  spring->example_count = list->count;
  return PL_OK;
}

// Which of the body's colliders a spring meets, by name.
static pl_status choose_colliders(pl_scene_instance *set, const pl_scene_rod *rod, const pl_scene_list *chosen,
                                  pl_character_added_spring *spring, pl_error *error) {
  const pl_scene_rod_collider *all = rod->colliders.items;
  if (chosen->items == NULL) return PL_OK;
  int32_t *numbers = PL_TAKE(&set->arena, int32_t, chosen->count);
  if (numbers == NULL) return pl_fail_memory(error);
  spring->colliders = numbers;
  spring->collider_count = 0;
  for (int32_t k = 0; k < chosen->count; ++k)
    for (int32_t i = 0; i < rod->colliders.count; ++i)
      if (strcmp(all[i].name, ((const char *const *)chosen->items)[k]) == 0) {
        numbers[spring->collider_count++] = i;
        break;
      }
  return PL_OK;
}

static pl_status add_spring(pl_scene_instance *set, const pl_scene_rod *rod, const pl_scene_rod_spring *from,
                            pl_character_added_spring *spring, pl_error *error) {
  *spring = pl_default_character_added_spring();
  spring->name = from->name[0] != '\0' ? from->name : NULL;
  spring->nodes = from->nodes.items;
  spring->node_count = from->nodes.count;
  spring->joint.radius = from->radius;
  spring->joint.mass = from->mass;
  spring->joint.stiffness = from->stiffness;
  spring->joint.max_angle = from->max_angle * RADIANS;
  spring->joint.spring = from->spring;
  spring->joint.drag = from->drag;
  spring->joint.pull = from->pull;
  spring->tail_length = from->tail_length;
  spring->center = from->center[0] != '\0' ? from->center : NULL;
  pl_status status = choose_colliders(set, rod, &from->colliders, spring, error);
  return status < 0 ? status : add_examples(set, &from->examples, spring, error);
}

pl_status pl_instance_add_springs(pl_scene_instance *set, pl_instance_rod *rod, pl_error *error) {
  const pl_scene_list *list = &rod->source->springs;
  pl_character_added_spring *springs = PL_TAKE(&set->arena, pl_character_added_spring, list->count);
  if (springs == NULL) return pl_fail_memory(error);
  pl_status status = add_colliders(set, rod, error);
  for (int32_t i = 0; i < list->count && status >= 0; ++i)
    status = add_spring(set, rod->source, &((const pl_scene_rod_spring *)list->items)[i], &springs[i], error);
  rod->additions.springs = springs;
  rod->additions.spring_count = list->count;
  return status;
}
