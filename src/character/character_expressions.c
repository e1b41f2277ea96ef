// Expressions of VRM: names for mixtures of morph targets, and the nodes by which a VRM animation plays them. The
// weight of an expression is the X of its node's translation, from 0 to 1. Blend-shape groups of VRM 0.x become
// expressions under the names that VRM 1.0 has for them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "character/character_motion.h"

static const char *const KINDS[] = {"preset", "custom"};

static const char *const OVERRIDES[PL_CHARACTER_OVERRIDES] = {"overrideBlink", "overrideLookAt", "overrideMouth"};

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
  for (int k = 0; k < PL_CHARACTER_OVERRIDES; ++k) {
    const pl_json *value = pl_json_find(json, OVERRIDES[k]);
    if (pl_json_is_text(value, "block")) expression->overrides[k] = PL_CHARACTER_OVERRIDE_BLOCK;
    if (pl_json_is_text(value, "blend")) expression->overrides[k] = PL_CHARACTER_OVERRIDE_BLEND;
  }
  if (node != NULL)
    return pl_character_get_index(gltf, expression->name, node, c->view.node_count, "node", &expression->node);
  return c->target_start == NULL || c->pose_of_target == NULL ? PL_OK : read_binds(gltf, c, json, expression);
}

// --- VRM 0.x

static const char *newer_name(const char *preset) {
  static const char *const names[][2] = {
      {"a", "aa"},
      {"e", "ee"},
      {"i", "ih"},
      {"o", "oh"},
      {"u", "ou"},
      {"blink", "blink"},
      {"joy", "happy"},
      {"angry", "angry"},
      {"sorrow", "sad"},
      {"fun", "relaxed"},
      {"lookup", "lookUp"},
      {"lookdown", "lookDown"},
      {"lookleft", "lookLeft"},
      {"lookright", "lookRight"},
      {"blink_l", "blinkLeft"},
      {"blink_r", "blinkRight"},
      {"neutral", "neutral"},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(preset, names[i][0]) == 0) return names[i][1];
  return NULL;
}

static bool has_pose(const pl_character_bind *binds, int32_t count, int32_t pose) {
  for (int32_t i = 0; i < count; ++i)
    if (binds[i].pose == pose) return true;
  return false;
}

// Binds name meshes, not nodes, and weights run to 100. A mesh at several nodes has the same poses everywhere.
static pl_status read_older_binds(pl_gltf *gltf, pl_character *c, const pl_json *json,
                                  pl_character_expression *expression) {
  const pl_json *list = NULL, *nodes = pl_json_find(gltf->root, "nodes");
  pl_status status = pl_character_get_array(gltf, expression->name, json, "binds", &list);
  int64_t max_count = 0, poses = pl_mesh_get_view(c->surface).pose_count;
  for (const pl_json *item = pl_character_first(list); item != NULL; item = item->next) max_count += poses;
  pl_character_bind *binds = PL_TAKE(&c->arena, pl_character_bind, status < 0 ? 0 : max_count);
  if (binds == NULL) return pl_fail_memory(gltf->error);
  for (const pl_json *item = pl_character_first(list); status >= 0 && item != NULL; item = item->next) {
    int64_t mesh = -1, target = -1, own = -1;
    int32_t before = expression->bind_count;
    double weight = 100;
    (void)pl_json_get_integer(pl_json_find(item, "mesh"), &mesh);
    (void)pl_json_get_integer(pl_json_find(item, "index"), &target);
    status = pl_character_get_number(gltf, expression->name, item, "weight", &weight);
    for (const pl_json *node = pl_character_first(nodes); status >= 0 && node != NULL; node = node->next) {
      if (!pl_json_get_integer(pl_json_find(node, "mesh"), &own) || own != mesh || target < 0 ||
          target >= c->target_start[node->index + 1] - c->target_start[node->index])
        continue;
      pl_character_bind bind = {c->pose_of_target[c->target_start[node->index] + target], 0.01 * weight};
      if (!has_pose(binds + before, expression->bind_count - before, bind.pose)) binds[expression->bind_count++] = bind;
    }
    if (status >= 0 && expression->bind_count == before)
      status = pl_character_warn(gltf, item, "lost-expression", "it is left out", "export the model again",
                                 "expression \"%s\" names a morph target that does not exist", expression->name);
  }
  expression->binds = binds;
  return status;
}

static pl_status read_older(pl_gltf *gltf, pl_character *c, const pl_json *vrm) {
  const pl_json *list = NULL;
  pl_status status =
      pl_character_get_array(gltf, "VRM", pl_json_find(vrm, "blendShapeMaster"), "blendShapeGroups", &list);
  pl_character_expression *made = PL_TAKE(&c->arena, pl_character_expression, list == NULL ? 0 : list->count);
  if (made == NULL) return pl_fail_memory(gltf->error);
  for (const pl_json *item = pl_character_first(list); status >= 0 && item != NULL; item = item->next) {
    pl_character_expression *expression = &made[c->expression_count];
    const char *preset = "", *name = NULL;
    (void)pl_json_get_text(pl_json_find(item, "presetName"), &preset);
    *expression = (pl_character_expression){.name = newer_name(preset), .node = -1};
    if (expression->name == NULL) {
      status = pl_character_get_name(gltf, c, item, "name", "expression", item->index, &name);
      expression->name = name;
    }
    (void)pl_json_get_bool(pl_json_find(item, "isBinary"), &expression->is_binary);
    if (status >= 0 && c->surface != NULL && c->pose_of_target != NULL)
      status = read_older_binds(gltf, c, item, expression);
    c->expression_count++;
  }
  c->expressions = made;
  return status;
}

pl_status pl_character_read_expressions(pl_gltf *gltf, pl_character *c) {
  const pl_json *extensions = pl_json_find(gltf->root, "extensions");
  const pl_json *vrm = pl_json_find(extensions, "VRMC_vrm"), *clip = pl_json_find(extensions, "VRMC_vrm_animation");
  const pl_json *expressions = pl_json_find(vrm != NULL ? vrm : clip, "expressions");
  if (vrm == NULL && pl_json_find(extensions, "VRM") != NULL)
    return read_older(gltf, c, pl_json_find(extensions, "VRM"));
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

// --- playing

int32_t pl_character_find_expression(const pl_character *character, const char *name) {
  for (int32_t i = 0; i < character->expression_count; ++i)
    if (strcmp(character->expressions[i].name, name) == 0) return i;
  return -1;
}

int32_t pl_motion_count_expressions(const pl_motion *motion) {
  int32_t count = 0;
  for (int32_t i = 0; motion->clip != NULL && i < motion->clip->expression_count; ++i)
    count += pl_character_find_expression(motion->character, motion->clip->expressions[i].name) >= 0;
  return count;
}

// The group of an expression that others may override, in the order of OVERRIDES; -1 for none.
static int find_group(const char *name) {
  static const char *const groups[][PL_CHARACTER_OVERRIDES] = {{"blink", "lookUp", "aa"},
                                                               {"blinkLeft", "lookDown", "ih"},
                                                               {"blinkRight", "lookLeft", "ou"},
                                                               {"", "lookRight", "ee"},
                                                               {"", "", "oh"}};
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < PL_CHARACTER_OVERRIDES; ++k)
      if (strcmp(groups[i][k], name) == 0) return k;
  return -1;
}

// What is left of each group, 1 - sum over expressions of their weight (blend) or of 1 (block), at least 0.
static void find_factors(const pl_motion *motion, double factors[PL_CHARACTER_OVERRIDES]) {
  for (int k = 0; k < PL_CHARACTER_OVERRIDES; ++k) {
    factors[k] = 1;
    for (int32_t i = 0; i < motion->character->expression_count; ++i) {
      pl_character_override rule = motion->character->expressions[i].overrides[k];
      if (rule == PL_CHARACTER_OVERRIDE_BLEND) factors[k] -= motion->weights[i];
      if (rule == PL_CHARACTER_OVERRIDE_BLOCK && motion->weights[i] > 0) factors[k] -= 1;
    }
    factors[k] = fmax(factors[k], 0);
  }
}

void pl_motion_play_expressions(pl_motion *motion) {
  const pl_character *c = motion->character;
  if (motion->clip == NULL) return;
  for (int32_t i = 0; i < c->expression_count; ++i) motion->weights[i] = 0;
  for (int32_t i = 0; i < motion->clip->expression_count; ++i) {
    const pl_character_expression *source = &motion->clip->expressions[i];
    int32_t own = pl_character_find_expression(c, source->name);
    if (own >= 0 && source->node >= 0)
      motion->weights[own] = fmin(fmax(motion->clip_locals[source->node].position.x, 0), 1);
  }
  pl_motion_play_gaze(motion);
  for (int32_t i = 0; i < c->expression_count; ++i)
    if (c->expressions[i].is_binary) motion->weights[i] = motion->weights[i] > 0.5 ? 1 : 0;
  double factors[PL_CHARACTER_OVERRIDES];
  find_factors(motion, factors);
  for (int32_t i = 0; i < c->expression_count; ++i) {
    const pl_character_expression *own = &c->expressions[i];
    int group = find_group(own->name);
    double factor = group < 0 ? 1 : factors[group], weight = motion->weights[i] * factor;
    // What is on or off is off where something else overrides a part of it.
    if (own->is_binary && factor < 1) weight = 0;
    for (int32_t k = 0; k < own->bind_count; ++k) motion->morphs[own->binds[k].pose] += weight * own->binds[k].weight;
  }
}
