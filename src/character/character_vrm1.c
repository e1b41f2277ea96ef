// Spring bones of VRM 1.0, extension VRMC_springBone. Missing numbers have the defaults of its schema. Shapes of
// VRMC_springBone_extended_collider are read next to the plain shape given with each, which rods use.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "character/character_parts.h"
#include "pliant/math.h"

typedef struct vrm {
  pl_gltf *gltf;
  pl_character *character;
  const pl_json *json;
  int32_t *collider_of_item;  // -1: left out
  const pl_json *groups;
} vrm;

static int32_t count_of(const pl_json *array) {
  return array == NULL ? 0 : array->count;
}

// --- colliders ----------------------------------------------------------------------------------------------------

static pl_status read_shape(const vrm *v, const char *what, const pl_json *item, pl_character_collider *collider) {
  const pl_json *shape = pl_json_find(item, "shape"), *sphere = pl_json_find(shape, "sphere");
  const pl_json *capsule = pl_json_find(shape, "capsule"), *form = sphere != NULL ? sphere : capsule;
  if (form == NULL || form->kind != PL_JSON_OBJECT)
    return pl_json_fail(v->gltf->document, item, v->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s has no sphere and no capsule", what);
  pl_vec3 from = {0, 0, 0}, to = {0, 0, 0};
  pl_status status = pl_character_get_vector(v->gltf, what, form, "offset", &from);
  if (status >= 0) status = pl_character_get_number(v->gltf, what, form, "radius", &collider->radius);
  if (status >= 0 && form == capsule) status = pl_character_get_vector(v->gltf, what, form, "tail", &to);
  if (status >= 0 && collider->radius < 0)
    status =
        pl_json_fail(v->gltf->document, form, v->gltf->error, PL_ERROR_INVALID_DATA, "%s has a negative radius", what);
  collider->from = pl_character_unscale(v->character, collider->node, from);
  collider->to = form == capsule ? pl_character_unscale(v->character, collider->node, to) : collider->from;
  return status;
}

static pl_status read_extended(const vrm *v, const char *what, const pl_json *item, pl_character_collider *collider) {
  const pl_json *extension = pl_json_find(pl_json_find(item, "extensions"), "VRMC_springBone_extended_collider");
  const pl_json *shape = pl_json_find(extension, "shape"), *plane = pl_json_find(shape, "plane");
  const pl_json *sphere = pl_json_find(shape, "sphere"), *capsule = pl_json_find(shape, "capsule");
  const pl_json *form = plane != NULL ? plane : sphere != NULL ? sphere : capsule;
  pl_character_extended *extended = &collider->extended;
  if (form == NULL) return PL_OK;
  pl_vec3 from = {0, 0, 0}, to = {0, 0, 0};
  extended->normal = (pl_vec3){0, 0, 1};
  pl_status status = pl_character_get_vector(v->gltf, what, form, "offset", &from);
  if (status >= 0 && form == plane) status = pl_character_get_vector(v->gltf, what, form, "normal", &extended->normal);
  if (status >= 0) status = pl_character_get_number(v->gltf, what, form, "radius", &extended->radius);
  if (status >= 0 && form == capsule) status = pl_character_get_vector(v->gltf, what, form, "tail", &to);
  if (status < 0) return status;
  (void)pl_json_get_bool(pl_json_find(form, "inside"), &extended->inside);
  if (extended->radius < 0 || !(pl_vec3_length(extended->normal) > 0))
    return pl_json_fail(v->gltf->document, form, v->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s has a negative radius or a normal without length", what);
  extended->normal = pl_vec3_normalize_or(extended->normal, pl_vec3_of(0, 0, 1));
  extended->kind = form == plane ? PL_CHARACTER_PLANE : PL_CHARACTER_ROUND;
  extended->from = pl_character_unscale(v->character, collider->node, from);
  extended->to = form == capsule ? pl_character_unscale(v->character, collider->node, to) : extended->from;
  return PL_OK;
}

static pl_status read_colliders(vrm *v) {
  pl_character *c = v->character;
  const pl_json *list = NULL;
  pl_status status = pl_character_get_array(v->gltf, "VRMC_springBone", v->json, "colliders", &list);
  if (status < 0) return status;
  pl_character_collider *colliders = PL_TAKE(&c->arena, pl_character_collider, count_of(list));
  v->collider_of_item = PL_TAKE(&v->gltf->arena, int32_t, count_of(list));
  if (colliders == NULL || v->collider_of_item == NULL) return pl_fail_memory(v->gltf->error);
  for (const pl_json *item = pl_character_first(list); item != NULL && status >= 0; item = item->next) {
    const pl_json *node = pl_json_find(item, "node");
    pl_character_label what;
    snprintf(what, sizeof what, "spring collider %d", item->index);
    v->collider_of_item[item->index] = -1;
    // Some exporters write -1 for a node that was deleted.
    int64_t number = -1;
    if (node == NULL || (pl_json_get_integer(node, &number) && number == -1)) {
      status = pl_character_warn(v->gltf, item, "lost-collider", "it is left out", "attach it to a node",
                                 "%s has no node", what);
      continue;
    }
    pl_character_collider *collider = &colliders[c->view.collider_count];
    status = pl_character_get_index(v->gltf, what, node, c->view.node_count, "node", &collider->node);
    if (status >= 0) status = read_extended(v, what, item, collider);
    if (status >= 0) status = read_shape(v, what, item, collider);
    v->collider_of_item[item->index] = c->view.collider_count++;
  }
  c->view.colliders = colliders;
  return status;
}

// The colliders of all groups that a spring names, each once.
static pl_status read_groups(const vrm *v, const char *what, const pl_json *json, pl_character_spring *spring) {
  pl_character *c = v->character;
  const pl_json *list = NULL, *members = NULL, *colliders = pl_json_find(v->json, "colliders");
  int32_t *indices = PL_TAKE(&c->arena, int32_t, c->view.collider_count);
  bool *is_met = PL_TAKE(&v->gltf->arena, bool, c->view.collider_count);
  if (indices == NULL || is_met == NULL) return pl_fail_memory(v->gltf->error);
  spring->colliders = indices;
  pl_status status = pl_character_get_array(v->gltf, what, json, "colliderGroups", &list);
  for (const pl_json *item = pl_character_first(list); item != NULL && status >= 0; item = item->next) {
    int32_t group = -1;
    status = pl_character_get_index(v->gltf, what, item, count_of(v->groups), "collider group", &group);
    if (status >= 0)
      status = pl_character_get_array(v->gltf, what, pl_json_at(v->groups, group), "colliders", &members);
    for (const pl_json *member = status < 0 ? NULL : pl_character_first(members); member != NULL && status >= 0;
         member = member->next) {
      int32_t index = -1;
      status = pl_character_get_index(v->gltf, what, member, count_of(colliders), "collider", &index);
      int32_t collider = status < 0 ? -1 : v->collider_of_item[index];
      if (collider < 0 || is_met[collider]) continue;
      is_met[collider] = true;
      indices[spring->collider_count++] = collider;
    }
  }
  return status;
}

// --- limits -------------------------------------------------------------------------------------------------------

static pl_status read_limit(const vrm *v, const char *what, const pl_json *joint, pl_character_limit *limit) {
  static const char *const names[] = {"cone", "hinge", "spherical"};
  const pl_json *extension = pl_json_find(pl_json_find(joint, "extensions"), "VRMC_springBone_limit");
  const pl_json *all = pl_json_find(extension, "limit"), *form = NULL;
  for (int k = 0; k < 3 && form == NULL; ++k) {
    form = pl_json_find(all, names[k]);
    if (form != NULL) limit->kind = (pl_character_limit_kind)(PL_CHARACTER_CONE + k);
  }
  if (form == NULL) return PL_OK;
  bool spherical = limit->kind == PL_CHARACTER_SPHERICAL;
  double rotation[4] = {0, 0, 0, 1};
  limit->angle = limit->yaw = 0;
  pl_status status = pl_character_get_number(v->gltf, what, form, spherical ? "pitch" : "angle", &limit->angle);
  if (status >= 0 && spherical) status = pl_character_get_number(v->gltf, what, form, "yaw", &limit->yaw);
  if (status >= 0) status = pl_character_get_numbers(v->gltf, what, form, "rotation", 4, rotation);
  if (status < 0) return status;
  pl_quat turn = {rotation[0], rotation[1], rotation[2], rotation[3]};
  double square = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w;
  if (limit->angle < 0 || limit->yaw < 0 || !(square > 0.5 && square < 2))
    return pl_json_fail(v->gltf->document, form, v->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: joint %d has a limit with a negative angle, or a rotation that is not a unit quaternion",
                        what, joint->index);
  limit->angle = fmin(limit->angle, PL_PI);
  limit->yaw = fmin(limit->yaw, 0.5 * PL_PI);
  limit->rotation = pl_quat_normalize(turn);
  return PL_OK;
}

// --- springs ------------------------------------------------------------------------------------------------------

static pl_status read_joint(const vrm *v, const char *what, const pl_json *json, pl_character_spring_joint *joint) {
  pl_gltf *gltf = v->gltf;
  const pl_json *node = pl_json_find(json, "node");
  if (node == NULL)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA, "%s: joint %d names no node", what,
                        json->index);
  double power = 0;
  pl_vec3 direction = {0, -1, 0};
  *joint = (pl_character_spring_joint){.stiffness = 1, .drag = 0.5};
  pl_status status = pl_character_get_index(gltf, what, node, v->character->view.node_count, "node", &joint->node);
  if (status >= 0) status = pl_character_get_number(gltf, what, json, "hitRadius", &joint->radius);
  if (status >= 0) status = pl_character_get_number(gltf, what, json, "stiffness", &joint->stiffness);
  if (status >= 0) status = pl_character_get_number(gltf, what, json, "gravityPower", &power);
  if (status >= 0) status = pl_character_get_vector(gltf, what, json, "gravityDir", &direction);
  if (status >= 0) status = pl_character_get_number(gltf, what, json, "dragForce", &joint->drag);
  if (status >= 0) status = read_limit(v, what, json, &joint->limit);
  joint->pull = (pl_vec3){power * direction.x, power * direction.y, power * direction.z};
  return status;
}

static pl_status read_spring(const vrm *v, const pl_json *json, pl_character_spring *spring) {
  pl_status status = pl_character_get_name(v->gltf, v->character, json, "name", "spring", json->index, &spring->name);
  if (status < 0) return status;
  pl_character_label what;
  snprintf(what, sizeof what, "spring \"%.100s\"", spring->name);
  const pl_json *list = NULL, *center = pl_json_find(json, "center");
  status = pl_character_get_array(v->gltf, what, json, "joints", &list);
  if (status < 0) return status;
  pl_character_spring_joint *joints = PL_TAKE(&v->character->arena, pl_character_spring_joint, count_of(list));
  if (joints == NULL) return pl_fail_memory(v->gltf->error);
  for (const pl_json *item = pl_character_first(list); item != NULL && status >= 0; item = item->next)
    status = read_joint(v, what, item, &joints[item->index]);
  spring->joints = joints;
  spring->joint_count = count_of(list);
  spring->center = -1;
  int64_t number = 0;
  bool none = center == NULL || (pl_json_get_integer(center, &number) && number == -1);
  if (status >= 0 && !none)
    status = pl_character_get_index(v->gltf, what, center, v->character->view.node_count, "node", &spring->center);
  if (status >= 0) status = read_groups(v, what, json, spring);
  return status;
}

pl_status pl_character_read_vrm1(pl_gltf *gltf, pl_character *character, const pl_json *extension) {
  vrm v = {.gltf = gltf, .character = character, .json = extension};
  const pl_json *version = pl_json_find(extension, "specVersion"), *list = NULL;
  character->view.vrm_version = 1;
  if (!pl_json_is_text(version, "1.0") && !pl_json_is_text(version, "1.0-beta"))
    return pl_character_warn(gltf, version != NULL ? version : extension, "spring-version", "its springs are left out",
                             "export as VRM 1.0", "this version of VRMC_springBone is not supported");
  pl_status status = read_colliders(&v);
  if (status >= 0) status = pl_character_get_array(gltf, "VRMC_springBone", extension, "colliderGroups", &v.groups);
  if (status >= 0) status = pl_character_get_array(gltf, "VRMC_springBone", extension, "springs", &list);
  if (status < 0) return status;
  pl_character_spring *springs = PL_TAKE(&character->arena, pl_character_spring, count_of(list));
  if (springs == NULL) return pl_fail_memory(gltf->error);
  for (const pl_json *item = pl_character_first(list); item != NULL && status >= 0; item = item->next)
    status = read_spring(&v, item, &springs[item->index]);
  character->springs = springs;
  character->view.spring_count = count_of(list);
  return status;
}
