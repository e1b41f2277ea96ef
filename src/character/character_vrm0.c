// Spring bones of VRM 0.x, extensions.VRM.secondaryAnimation. A group of bones names roots, and everything below them
// sways: each path from a root to a leaf is a chain, and a path that leaves another one begins where it leaves it. The
// last bone of a path extends for 7 cm.
//
// Offsets of colliders are in Unity's left-handed coordinates, so their z changes sign. Directions of gravity are taken
// as they stand, as other readers of these files do.
#include <stdio.h>

#include "base/error.h"
#include "base/vector.h"
#include "character/character_parts.h"
#include "pliant/math.h"

// What VRM 0.x adds behind the last node of a chain, metres.
static const double TAIL_LENGTH = 0.07;

typedef struct vrm {
  pl_gltf *gltf;
  pl_character *character;
  const pl_json *nodes;     // of the file
  int32_t *collider_start;  // of each group of colliders, and the end
  int32_t collider_group_count;
  pl_vector springs;  // of pl_character_spring
  bool *is_taken;     // per node: in a chain already
  int32_t *stack;     // of nodes where chains are to begin
} vrm;

static pl_status get_xyz(const vrm *v, const char *what, const pl_json *object, const char *key, pl_vec3 *value) {
  const pl_json *member = pl_json_find(object, key);
  if (member == NULL) return PL_OK;
  if (member->kind != PL_JSON_OBJECT)
    return pl_json_fail(v->gltf->document, member, v->gltf->error, PL_ERROR_INVALID_DATA, "%s: %s must have x, y and z",
                        what, key);
  *value = (pl_vec3){0, 0, 0};
  pl_status status = pl_character_get_number(v->gltf, what, member, "x", &value->x);
  if (status >= 0) status = pl_character_get_number(v->gltf, what, member, "y", &value->y);
  if (status >= 0) status = pl_character_get_number(v->gltf, what, member, "z", &value->z);
  return status;
}

// --- colliders ----------------------------------------------------------------------------------------------------

static pl_status read_spheres(const vrm *v, const char *what, const pl_json *group, pl_vector *colliders) {
  const pl_json *node = pl_json_find(group, "node"), *list = NULL;
  int64_t number = -1;
  if (node == NULL || (pl_json_get_integer(node, &number) && number == -1))
    return pl_character_warn(v->gltf, group, "lost-collider", "its colliders are left out", "attach them to a node",
                             "%s has no node", what);
  int32_t index = -1;
  pl_status status = pl_character_get_index(v->gltf, what, node, v->character->view.node_count, "node", &index);
  if (status >= 0) status = pl_character_get_array(v->gltf, what, group, "colliders", &list);
  for (const pl_json *item = status < 0 ? NULL : pl_character_first(list); item != NULL && status >= 0;
       item = item->next) {
    pl_vec3 offset = {0, 0, 0};
    pl_character_collider collider = {.node = index};
    status = get_xyz(v, what, item, "offset", &offset);
    if (status >= 0) status = pl_character_get_number(v->gltf, what, item, "radius", &collider.radius);
    if (status >= 0 && collider.radius < 0)
      status = pl_json_fail(v->gltf->document, item, v->gltf->error, PL_ERROR_INVALID_DATA, "%s has a negative radius",
                            what);
    offset.z = -offset.z;
    collider.from = collider.to = pl_character_unscale(v->character, index, offset);
    if (status >= 0 && !pl_vector_push(colliders, &collider)) status = pl_fail_memory(v->gltf->error);
  }
  return status;
}

static pl_status read_colliders(vrm *v, const pl_json *animation) {
  const pl_json *list = NULL;
  pl_status status = pl_character_get_array(v->gltf, "secondaryAnimation", animation, "colliderGroups", &list);
  if (status < 0) return status;
  v->collider_group_count = list == NULL ? 0 : list->count;
  v->collider_start = PL_TAKE(&v->gltf->arena, int32_t, v->collider_group_count + 1);
  if (v->collider_start == NULL) return pl_fail_memory(v->gltf->error);
  pl_vector colliders = pl_vector_of(v->gltf->context, sizeof(pl_character_collider));
  for (const pl_json *group = pl_character_first(list); group != NULL && status >= 0; group = group->next) {
    pl_character_label what;
    snprintf(what, sizeof what, "collider group %d", group->index);
    status = read_spheres(v, what, group, &colliders);
    v->collider_start[group->index + 1] = (int32_t)colliders.count;
  }
  pl_character *c = v->character;
  c->view.collider_count = (int32_t)colliders.count;
  c->view.colliders = pl_arena_copy(&c->arena, colliders.items, colliders.count, sizeof(pl_character_collider));
  if (status >= 0 && c->view.colliders == NULL) status = pl_fail_memory(v->gltf->error);
  pl_vector_free(&colliders);
  return status;
}

static pl_status read_groups(const vrm *v, const char *what, const pl_json *json, pl_character_spring *spring) {
  pl_character *c = v->character;
  const pl_json *list = NULL;
  int32_t *indices = PL_TAKE(&c->arena, int32_t, c->view.collider_count);
  bool *is_met = PL_TAKE(&v->gltf->arena, bool, v->collider_group_count);
  if (indices == NULL || is_met == NULL) return pl_fail_memory(v->gltf->error);
  pl_status status = pl_character_get_array(v->gltf, what, json, "colliderGroups", &list);
  for (const pl_json *item = status < 0 ? NULL : pl_character_first(list); item != NULL && status >= 0;
       item = item->next) {
    int32_t group = -1;
    status = pl_character_get_index(v->gltf, what, item, v->collider_group_count, "collider group", &group);
    if (status < 0 || is_met[group]) continue;
    is_met[group] = true;
    for (int32_t i = v->collider_start[group]; i < v->collider_start[group + 1]; ++i)
      indices[spring->collider_count++] = i;
  }
  spring->colliders = indices;
  return status;
}

// --- chains -------------------------------------------------------------------------------------------------------

static int32_t child_of(const vrm *v, int32_t node, int32_t number) {
  const pl_json *child = pl_json_at(pl_json_find(pl_json_at(v->nodes, node), "children"), number);
  return child == NULL ? -1 : (int32_t)child->number;
}

// 7 cm on along the bone that ends at `node`, in its frame.
static pl_vec3 tail_of(const pl_character *c, int32_t node) {
  int32_t parent = c->nodes[node].parent;
  pl_vec3 down = {0, -1, 0}, bone = down;
  if (parent >= 0) bone = pl_vec3_normalize_or(pl_vec3_sub(c->rest[node].position, c->rest[parent].position), down);
  return pl_vec3_scale(pl_quat_rotate(pl_quat_conjugate(c->rest[node].rotation), bone), TAIL_LENGTH);
}

// The chain from `start` along first children; one that runs into another ends with the first joint of that.
static pl_status add_chain(vrm *v, int32_t start, const pl_character_spring *group,
                           const pl_character_spring_joint *numbers) {
  pl_character *c = v->character;
  int32_t count = 0, last = start;
  for (int32_t node = start; node >= 0; node = v->is_taken[node] ? -1 : child_of(v, node, 0)) {
    last = node;
    count++;
  }
  pl_character_spring_joint *joints = PL_TAKE(&c->arena, pl_character_spring_joint, count);
  if (joints == NULL) return pl_fail_memory(v->gltf->error);
  pl_character_spring spring = *group;
  spring.joints = joints;
  spring.joint_count = count;
  spring.has_tail = !v->is_taken[last];
  if (spring.has_tail) spring.tail = tail_of(c, last);
  int32_t node = start;
  for (int32_t i = 0; i < count; ++i) {
    joints[i] = *numbers;
    joints[i].node = node;
    v->is_taken[node] = true;
    node = child_of(v, node, 0);
  }
  return pl_vector_push(&v->springs, &spring) ? PL_OK : pl_fail_memory(v->gltf->error);
}

// All paths below `root`: what branches off a chain is put on the stack, last child first, so that chains come in the
// order of the file.
static pl_status add_paths(vrm *v, int32_t root, const pl_character_spring *group,
                           const pl_character_spring_joint *numbers) {
  int32_t stack_count = 0;
  v->stack[stack_count++] = root;
  while (stack_count > 0) {
    int32_t start = v->stack[--stack_count];
    if (v->is_taken[start]) continue;
    pl_status status = add_chain(v, start, group, numbers);
    if (status < 0) return status;
    const pl_character_spring *spring = &PL_ITEM(&v->springs, pl_character_spring, v->springs.count - 1);
    // What branches off below another chain has been seen to already.
    for (int32_t i = 0; i < spring->joint_count - (spring->has_tail ? 0 : 1); ++i) {
      const pl_json *children = pl_json_find(pl_json_at(v->nodes, spring->joints[i].node), "children");
      for (int32_t k = children == NULL ? 0 : children->count - 1; k >= 1; --k)
        v->stack[stack_count++] = child_of(v, spring->joints[i].node, k);
    }
  }
  return PL_OK;
}

static pl_status read_numbers(const vrm *v, const char *what, const pl_json *json, pl_character_spring_joint *numbers) {
  double power = 0;
  pl_vec3 direction = {0, -1, 0};
  *numbers = (pl_character_spring_joint){.stiffness = 1, .drag = 0.4};
  pl_status status = pl_character_get_number(v->gltf, what, json, "stiffiness", &numbers->stiffness);
  if (status >= 0) status = pl_character_get_number(v->gltf, what, json, "gravityPower", &power);
  if (status >= 0) status = get_xyz(v, what, json, "gravityDir", &direction);
  if (status >= 0) status = pl_character_get_number(v->gltf, what, json, "dragForce", &numbers->drag);
  if (status >= 0) status = pl_character_get_number(v->gltf, what, json, "hitRadius", &numbers->radius);
  numbers->pull = pl_vec3_scale(direction, power);
  return status;
}

static pl_status read_bones(vrm *v, const pl_json *json) {
  pl_character_spring group = {.center = -1};
  pl_character_spring_joint numbers;
  pl_status status = pl_character_get_name(v->gltf, v->character, json, "comment", "spring", json->index, &group.name);
  if (status < 0) return status;
  pl_character_label what;
  snprintf(what, sizeof what, "spring \"%.100s\"", group.name);
  const pl_json *bones = NULL, *center = pl_json_find(json, "center");
  int64_t number = 0;
  bool none = center == NULL || (pl_json_get_integer(center, &number) && number == -1);
  if (!none)
    status = pl_character_get_index(v->gltf, what, center, v->character->view.node_count, "node", &group.center);
  if (status >= 0) status = read_numbers(v, what, json, &numbers);
  if (status >= 0) status = read_groups(v, what, json, &group);
  if (status >= 0) status = pl_character_get_array(v->gltf, what, json, "bones", &bones);
  for (const pl_json *item = status < 0 ? NULL : pl_character_first(bones); item != NULL && status >= 0;
       item = item->next) {
    int32_t root = -1;
    status = pl_character_get_index(v->gltf, what, item, v->character->view.node_count, "node", &root);
    if (status >= 0) status = add_paths(v, root, &group, &numbers);
  }
  return status;
}

pl_status pl_character_read_vrm0(pl_gltf *gltf, pl_character *character, const pl_json *extension) {
  vrm v = {.gltf = gltf, .character = character, .nodes = pl_json_find(gltf->root, "nodes")};
  const pl_json *animation = pl_json_find(extension, "secondaryAnimation"), *list = NULL;
  character->view.vrm_version = -1;
  v.is_taken = PL_TAKE(&gltf->arena, bool, character->view.node_count);
  v.stack = PL_TAKE(&gltf->arena, int32_t, character->view.node_count + 1);
  if (v.is_taken == NULL || v.stack == NULL) return pl_fail_memory(gltf->error);
  pl_status status = read_colliders(&v, animation);
  if (status >= 0) status = pl_character_get_array(gltf, "secondaryAnimation", animation, "boneGroups", &list);
  if (status < 0) return status;
  v.springs = pl_vector_of(gltf->context, sizeof(pl_character_spring));
  for (const pl_json *item = pl_character_first(list); item != NULL && status >= 0; item = item->next)
    status = read_bones(&v, item);
  character->view.spring_count = (int32_t)v.springs.count;
  character->springs = pl_arena_copy(&character->arena, v.springs.items, v.springs.count, sizeof(pl_character_spring));
  if (status >= 0 && character->springs == NULL) status = pl_fail_memory(gltf->error);
  pl_vector_free(&v.springs);
  return status;
}
