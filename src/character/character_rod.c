// Numbers of ours for a character's rod body. Ranges are checked where the body is built; here a number is a number.
#include "character/character_rod.h"

#include <stdio.h>

#include "base/error.h"

static pl_status read_choice(const pl_gltf *gltf, const pl_json *rod, const char *key, const char *const *words, int32_t count,
                             int32_t *choice) {
  const pl_json *member = pl_json_find(rod, key);
  if (member == NULL) return PL_OK;
  for (int32_t i = 0; i < count; ++i)
    if (pl_json_is_text(member, words[i])) {
      *choice = i;
      return PL_OK;
    }
  char list[80] = "";
  for (int32_t i = 0, used = 0; i < count; ++i)
    used += snprintf(list + used, sizeof list - (size_t)used, "%s\"%s\"", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
  return pl_json_fail(gltf->document, member, gltf->error, PL_ERROR_INVALID_DATA, "rod: %s must be %s", key, list);
}

static pl_status read_choices(const pl_gltf *gltf, const pl_json *json, pl_rod_def *rod) {
  static const char *const solvers[] = {"matched", "spring-bone"}, *const suppressions[] = {"transport", "paper", "keep"};
  static const char *const rules[] = {"paper", "interpolating"};
  int32_t solver = (int32_t)rod->solver, ghost_momentum = (int32_t)rod->ghost_momentum, rule = (int32_t)rod->view_rule;
  pl_status status = read_choice(gltf, json, "solver", solvers, 2, &solver);
  if (status >= 0) status = read_choice(gltf, json, "ghost_momentum", suppressions, 3, &ghost_momentum);
  if (status >= 0) status = read_choice(gltf, json, "view_rule", rules, 2, &rule);
  rod->solver = (pl_rod_solver)solver;
  rod->ghost_momentum = (pl_rod_ghost_momentum)ghost_momentum;
  rod->view_rule = (pl_rod_view_rule)rule;
  return status;
}

static pl_status read_numbers(const pl_gltf *gltf, const pl_json *json, pl_rod_def *rod) {
  const struct {
    const char *key;
    double *value;
  } fields[] = {{"density", &rod->density}, {"stiffness", &rod->stiffness}, {"stiffness_step", &rod->stiffness_step},
                {"twist", &rod->twist},     {"damping", &rod->damping},     {"friction", &rod->friction},
                {"window", &rod->window},   {"view_time", &rod->view_time}};
  static const char *const keys[] = {"solver",  "density",  "stiffness",   "stiffness_step", "width",     "twist",
                                     "damping", "friction", "ghost_momentum", "window",         "view_time", "view_rule"};
  if (json->kind != PL_JSON_OBJECT)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA, "rod must be an object");
  pl_status status = pl_character_warn_unknown(gltf, json, keys, sizeof keys / sizeof keys[0]);
  for (size_t i = 0; i < sizeof fields / sizeof fields[0] && status >= 0; ++i)
    status = pl_character_get_number(gltf, "rod", json, fields[i].key, fields[i].value);
  int64_t width = rod->width;
  if (status >= 0) status = pl_gltf_integer(gltf, json, "width", 0, PL_ROD_MAX_JOINTS, &width);
  rod->width = (int32_t)width;
  return status < 0 ? status : read_choices(gltf, json, rod);
}

static pl_status read_passive(const pl_gltf *gltf, const pl_character *c, const char *what, const pl_json *value, int32_t *node) {
  pl_status status = pl_character_get_index(gltf, what, value, c->view.node_count, "node", node);
  if (status < 0 || c->is_passive[*node]) return status;
  return pl_json_fail(gltf->document, value, gltf->error, PL_ERROR_INVALID_DATA, "%s: node \"%.80s\" is not of a spring", what,
                      c->nodes[*node].name);
}

static pl_status read_extras(const pl_gltf *gltf, pl_character *c, const pl_json *list) {
  static const char *const keys[] = {"node", "radius", "mass", "stiffness", "max_angle"};
  c->extras = PL_TAKE(&c->arena, pl_character_extra, list->count);
  if (c->extras == NULL) return pl_fail_memory(gltf->error);
  for (const pl_json *item = list->first; item != NULL; item = item->next) {
    pl_character_extra *extra = &c->extras[item->index];
    *extra = (pl_character_extra){.node = -1, .radius = -1, .mass = -1, .stiffness = -1, .max_angle = -1};
    double *values[4] = {&extra->radius, &extra->mass, &extra->stiffness, &extra->max_angle};
    pl_character_label what;
    snprintf(what, sizeof what, "joint %d of PLIANT_rod_examples", item->index);
    if (pl_json_find(item, "node") == NULL)
      return pl_json_fail(gltf->document, item, gltf->error, PL_ERROR_INVALID_DATA, "%s names no node", what);
    pl_status status = pl_character_get_index(gltf, what, pl_json_find(item, "node"), c->view.node_count, "node", &extra->node);
    if (status >= 0) status = pl_character_warn_unknown(gltf, item, keys, 5);
    if (status >= 0 && !c->is_passive[extra->node])
      status = pl_character_warn(gltf, item, "idle-joint", "its numbers have no effect", "add it to a spring, or remove it",
                                 "%s: node \"%.80s\" is not of a spring", what, c->nodes[extra->node].name);
    for (int i = 0; i < 4 && status >= 0; ++i) {
      status = pl_character_get_number(gltf, what, item, keys[i + 1], values[i]);
      if (status >= 0 && *values[i] < 0 && pl_json_find(item, keys[i + 1]) != NULL)
        status = pl_json_fail(gltf->document, item, gltf->error, PL_ERROR_INVALID_DATA, "%s: %s must not be negative", what,
                              keys[i + 1]);
    }
    if (status < 0) return status;
  }
  c->extra_count = list->count;
  return PL_OK;
}

static pl_status read_links(const pl_gltf *gltf, pl_character *c, const pl_json *list) {
  c->links = PL_TAKE(&c->arena, pl_rod_link, list->count);
  if (c->links == NULL) return pl_fail_memory(gltf->error);
  for (const pl_json *item = list->first; item != NULL; item = item->next) {
    pl_character_label what;
    snprintf(what, sizeof what, "link %d of PLIANT_rod_examples", item->index);
    if (item->kind != PL_JSON_ARRAY || item->count != 2)
      return pl_json_fail(gltf->document, item, gltf->error, PL_ERROR_INVALID_DATA, "%s must be a pair of nodes", what);
    pl_rod_link *link = &c->links[item->index];
    pl_status status = read_passive(gltf, c, what, pl_json_at(item, 0), &link->from);
    if (status >= 0) status = read_passive(gltf, c, what, pl_json_at(item, 1), &link->to);
    if (status < 0) return status;
  }
  c->link_count = list->count;
  return PL_OK;
}

pl_status pl_character_read_rod(pl_gltf *gltf, pl_character *character, const pl_json *extension) {
  const pl_json *rod = pl_json_find(extension, "rod"), *joints = NULL, *links = NULL;
  pl_status status = PL_OK;
  if (rod != NULL) {
    character->rod = pl_default_rod_def();
    status = read_numbers(gltf, rod, &character->rod);
  }
  if (status >= 0) status = pl_character_get_array(gltf, "PLIANT_rod_examples", extension, "joints", &joints);
  if (status >= 0 && joints != NULL) status = read_extras(gltf, character, joints);
  if (status >= 0) status = pl_character_get_array(gltf, "PLIANT_rod_examples", extension, "links", &links);
  if (status >= 0 && links != NULL) status = read_links(gltf, character, links);
  return status;
}
