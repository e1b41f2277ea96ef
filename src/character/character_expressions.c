// Expressions of VRM 1.0: names for mixtures of morph targets, and the nodes by which a VRM animation plays them. The
// weight of an expression is the X of its node's translation, from 0 to 1.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "character/character_motion.h"

static const char *const KINDS[] = {"preset", "custom"};

static int32_t count_items(const pl_json *expressions) {
  int32_t count = 0;
  for (int k = 0; k < 2; ++k) {
    const pl_json *kind = pl_json_find(expressions, KINDS[k]);
    count += kind == NULL ? 0 : kind->count;
  }
  return count;
}

static pl_status read_binds(pl_gltf *gltf, pl_character *c, const pl_json *json, pl_character_expression *expression) {
  const pl_json *list = NULL;
  pl_status status = pl_character_get_array(gltf, expression->name, json, "morphTargetBinds", &list);
  pl_character_bind *binds = PL_TAKE(&c->arena, pl_character_bind, list == NULL ? 0 : list->count);
  if (binds == NULL) return pl_fail_memory(gltf->error);
  for (const pl_json *item = pl_character_first(list); status >= 0 && item != NULL; item = item->next) {
    int64_t node = -1, target = -1;
    pl_character_bind bind = {.weight = 1};
    (void)pl_json_get_integer(pl_json_find(item, "node"), &node);
    (void)pl_json_get_integer(pl_json_find(item, "index"), &target);
    bool exists = node >= 0 && node < c->view.node_count && target >= 0 &&
                  target < c->target_start[node + 1] - c->target_start[node];
    if (!exists) {
      status = pl_character_warn(gltf, item, "lost-expression", "it is left out", "export the model again",
                                 "expression \"%s\" names a morph target that does not exist", expression->name);
      continue;
    }
    status = pl_character_get_number(gltf, expression->name, item, "weight", &bind.weight);
    bind.pose = c->pose_of_target[c->target_start[node] + target];
    binds[expression->bind_count++] = bind;
  }
  expression->binds = binds;
  return status;
}

static pl_status read_expression(pl_gltf *gltf, pl_character *c, const pl_json *json,
                                 pl_character_expression *expression) {
  const pl_json *node = pl_json_find(json, "node");
  *expression = (pl_character_expression){.name = pl_arena_copy_text(&c->arena, json->key), .node = -1};
  if (expression->name == NULL) return pl_fail_memory(gltf->error);
  (void)pl_json_get_bool(pl_json_find(json, "isBinary"), &expression->is_binary);
  if (node != NULL)
    return pl_character_get_index(gltf, expression->name, node, c->view.node_count, "node", &expression->node);
  return c->target_start == NULL || c->pose_of_target == NULL ? PL_OK : read_binds(gltf, c, json, expression);
}

pl_status pl_character_read_expressions(pl_gltf *gltf, pl_character *c) {
  const pl_json *extensions = pl_json_find(gltf->root, "extensions");
  const pl_json *vrm = pl_json_find(extensions, "VRMC_vrm"), *clip = pl_json_find(extensions, "VRMC_vrm_animation");
  const pl_json *expressions = pl_json_find(vrm != NULL ? vrm : clip, "expressions");
  pl_status status = PL_OK;
  pl_character_expression *made = PL_TAKE(&c->arena, pl_character_expression, count_items(expressions));
  if (made == NULL) return pl_fail_memory(gltf->error);
  for (int k = 0; k < 2; ++k)
    for (const pl_json *item = pl_character_first(pl_json_find(expressions, KINDS[k])); status >= 0 && item != NULL;
         item = item->next)
      if (item->key != NULL) status = read_expression(gltf, c, item, &made[c->expression_count++]);
  c->expressions = made;
  return status;
}

static const pl_character_expression *find(const pl_character *c, const char *name) {
  for (int32_t i = 0; i < c->expression_count; ++i)
    if (strcmp(c->expressions[i].name, name) == 0) return &c->expressions[i];
  return NULL;
}

int32_t pl_motion_count_expressions(const pl_motion *motion) {
  int32_t count = 0;
  for (int32_t i = 0; motion->clip != NULL && i < motion->clip->expression_count; ++i)
    count += find(motion->character, motion->clip->expressions[i].name) != NULL;
  return count;
}

void pl_motion_play_expressions(pl_motion *motion) {
  for (int32_t i = 0; motion->clip != NULL && i < motion->clip->expression_count; ++i) {
    const pl_character_expression *source = &motion->clip->expressions[i];
    const pl_character_expression *own = find(motion->character, source->name);
    if (own == NULL || source->node < 0) continue;
    double weight = fmin(fmax(motion->clip_locals[source->node].position.x, 0), 1);
    if (own->is_binary) weight = weight > 0.5 ? 1 : 0;
    for (int32_t k = 0; k < own->bind_count; ++k) motion->morphs[own->binds[k].pose] += weight * own->binds[k].weight;
  }
}
