// Numbers of ours for a character's rod body. Ranges are checked where the body is built; here a number is a number.
#include "character/character_rod.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "rod/rod_parameters.h"

static pl_status read_choice(const pl_gltf *gltf, const pl_json *rod, const pl_parameter *parameter, void *choice) {
  const pl_json *member = pl_json_find(rod, parameter->name);
  if (member == NULL) return PL_OK;
  int count = 0;
  for (; parameter->choices[count] != NULL; ++count)
    if (pl_json_is_text(member, parameter->choices[count])) {
      memcpy(choice, &count, sizeof count);
      return PL_OK;
    }
  char list[80] = "";
  for (int i = 0, used = 0; i < count; ++i)
    used += snprintf(list + used, sizeof list - (size_t)used, "%s\"%s\"",
                     i == 0          ? ""
                     : i + 1 < count ? ", "
                                     : " or ",
                     parameter->choices[i]);
  return pl_json_fail(gltf->document, member, gltf->error, PL_ERROR_INVALID_DATA, "rod: %s must be %s", parameter->name,
                      list);
}

static pl_status read_parameter(const pl_gltf *gltf, const pl_json *json, const pl_parameter *parameter, void *value) {
  if (parameter->kind == PL_PARAMETER_CHOICE) return read_choice(gltf, json, parameter, value);
  if (parameter->kind == PL_PARAMETER_NUMBER) return pl_character_get_number(gltf, "rod", json, parameter->name, value);
  int64_t number = *(const int32_t *)value;
  pl_status status = pl_gltf_integer(gltf, json, parameter->name, 0, PL_ROD_MAX_JOINTS, &number);
  *(int32_t *)value = (int32_t)number;
  return status;
}

bool pl_character_has_parameter(const pl_parameter *parameter) {
  return strcmp(parameter->name, "tube_sides") != 0 && strcmp(parameter->name, "self_contact") != 0;
}

static pl_status read_numbers(const pl_gltf *gltf, const pl_json *json, pl_rod_def *rod) {
  enum { MAX_KEYS = 32 };
  const char *keys[MAX_KEYS] = {NULL};
  int32_t count = 0;
  for (int32_t i = 0; i < pl_rod_def_parameters.count && count < MAX_KEYS; ++i)
    if (pl_character_has_parameter(&pl_rod_def_parameters.items[i]))
      keys[count++] = pl_rod_def_parameters.items[i].name;
  if (json->kind != PL_JSON_OBJECT)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA, "rod must be an object");
  pl_status status = pl_character_warn_unknown(gltf, json, keys, count);
  for (int32_t i = 0; i < pl_rod_def_parameters.count && status >= 0; ++i) {
    const pl_parameter *parameter = &pl_rod_def_parameters.items[i];
    if (pl_character_has_parameter(parameter))
      status = read_parameter(gltf, json, parameter, (char *)rod + parameter->offset);
  }
  return status;
}

static pl_status read_passive(const pl_gltf *gltf, const pl_character *c, const char *what, const pl_json *value,
                              int32_t *node) {
  pl_status status = pl_character_get_index(gltf, what, value, c->view.node_count, "node", node);
  if (status < 0 || c->is_passive[*node]) return status;
  return pl_json_fail(gltf->document, value, gltf->error, PL_ERROR_INVALID_DATA,
                      "%s: node \"%.80s\" is not of a spring", what, c->nodes[*node].name);
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
    pl_status status =
        pl_character_get_index(gltf, what, pl_json_find(item, "node"), c->view.node_count, "node", &extra->node);
    if (status >= 0) status = pl_character_warn_unknown(gltf, item, keys, 5);
    if (status >= 0 && !c->is_passive[extra->node])
      status =
          pl_character_warn(gltf, item, "idle-joint", "its numbers have no effect", "add it to a spring, or remove it",
                            "%s: node \"%.80s\" is not of a spring", what, c->nodes[extra->node].name);
    for (int i = 0; i < 4 && status >= 0; ++i) {
      status = pl_character_get_number(gltf, what, item, keys[i + 1], values[i]);
      if (status >= 0 && *values[i] < 0 && pl_json_find(item, keys[i + 1]) != NULL)
        status = pl_json_fail(gltf->document, item, gltf->error, PL_ERROR_INVALID_DATA, "%s: %s must not be negative",
                              what, keys[i + 1]);
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
