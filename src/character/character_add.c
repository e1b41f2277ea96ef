// Springs, colliders and example poses that are added to a file while it is read. They are written into its tree as the
// file itself would have them (VRMC_springBone and PLIANT_rod_examples), so that everything that comes later, reading,
// playing and baking into a copy, knows one form only.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "character/character_springs.h"
#include "io/gltf_sheet.h"
#include "math/mat3.h"
#include "pliant/math.h"

// Nodes of a spring: one path, or one for each branch. Branches begin at their own first node.
typedef struct paths {
  int32_t *nodes;  // of all paths, one after the other
  int32_t *start;  // count + 1
  int32_t count, node_count;
} paths;

typedef struct adding {
  pl_gltf *gltf;
  const pl_character *character;
  const pl_character_additions *additions;
  pl_sheet sheet;
  int32_t *first_child, *next_sibling;                    // of nodes that can swing, -1 for none
  pl_json *springs, *groups, *colliders, *ours, *chains;  // lists; `ours` is PLIANT_rod_examples
  int32_t first_collider;                                 // number of the first one that is added
  pl_json *kept_groups;                                   // of springs that the current one replaces
  pl_quat *turns;                                         // workspace, one per node
  pl_error *error;
} adding;

// --- nodes --------------------------------------------------------------------------------------------------------

// `what` is "springs" or "colliders", the place of the failure for whoever gave the additions.
static pl_status find_node(const adding *a, const char *what, int32_t number, const char *name, int32_t *node) {
  const pl_character *c = a->character;
  *node = pl_character_find_node(c, name);
  if (*node >= 0) return PL_OK;
  const char **names = PL_TAKE(&a->gltf->arena, const char *, c->view.node_count);
  if (names == NULL) return pl_fail_memory(a->error);
  for (int32_t i = 0; i < c->view.node_count; ++i) names[i] = c->nodes[i].name;
  const char *near = pl_text_suggest(name, names, c->view.node_count);
  char field[40];
  snprintf(field, sizeof field, "%s[%d]", what, number);
  if (near == NULL)
    return pl_fail_field(a->error, PL_ERROR_INVALID_ARGUMENT, field, "the character has no node \"%.80s\"", name);
  return pl_fail_field(a->error, PL_ERROR_INVALID_ARGUMENT, field,
                       "the character has no node \"%.80s\"; did you mean \"%.80s\"?", name, near);
}

static pl_status fail_spring(const adding *a, int32_t number, const char *text, int32_t node) {
  char field[40];
  snprintf(field, sizeof field, "springs[%d]", number);
  return pl_fail_field(a->error, PL_ERROR_INVALID_ARGUMENT, field, "node \"%.80s\" %s", a->character->nodes[node].name,
                       text);
}

// Meshes and cameras that hang on a bone stay where they are in its frame.
static void list_children(adding *a) {
  const pl_character *c = a->character;
  const pl_json *nodes = pl_json_find(a->gltf->root, "nodes");
  for (int32_t i = 0; i < c->view.node_count; ++i) a->first_child[i] = a->next_sibling[i] = -1;
  for (int32_t i = c->view.node_count - 1; i >= 0; --i) {
    const pl_json *node = pl_json_at(nodes, i);
    int32_t parent = c->nodes[i].parent;
    if (parent < 0 || pl_json_find(node, "mesh") != NULL || pl_json_find(node, "camera") != NULL) continue;
    a->next_sibling[i] = a->first_child[parent];
    a->first_child[parent] = i;
  }
}

// All paths from `root` to a leaf: the first child continues a path, each further one starts another.
static void grow_paths(const adding *a, int32_t root, paths *p, int32_t *starts) {
  int32_t start_count = 0;
  starts[start_count++] = root;
  for (p->count = 0; p->count < start_count; ++p->count) {
    p->start[p->count] = p->node_count;
    for (int32_t node = starts[p->count]; node >= 0; node = a->first_child[node]) {
      p->nodes[p->node_count++] = node;
      int32_t child = a->first_child[node];
      for (child = child < 0 ? -1 : a->next_sibling[child]; child >= 0; child = a->next_sibling[child])
        starts[start_count++] = child;
    }
  }
  p->start[p->count] = p->node_count;
}

static pl_status find_paths(const adding *a, int32_t number, paths *p) {
  const pl_character_added_spring *spring = &a->additions->springs[number];
  const pl_character *c = a->character;
  int64_t count = c->view.node_count;
  *p =
      (paths){.nodes = PL_TAKE(&a->gltf->arena, int32_t, count), .start = PL_TAKE(&a->gltf->arena, int32_t, count + 1)};
  int32_t *starts = PL_TAKE(&a->gltf->arena, int32_t, count), node = -1;
  if (a->gltf->arena.failed) return pl_fail_memory(a->error);
  if (spring->node_count < 1)
    return pl_fail_field(a->error, PL_ERROR_INVALID_ARGUMENT, "springs", "spring %d has no nodes", number);
  for (int32_t i = 0; i < spring->node_count; ++i) {
    pl_status status = find_node(a, "springs", number, spring->nodes[i], &node);
    if (status < 0) return status;
    if (i > 0 && !pl_character_is_below(c, node, p->nodes[i - 1]))
      return fail_spring(a, number, "is not below the node before it", node);
    p->nodes[p->node_count++] = node;
  }
  if (spring->node_count > 1) {
    p->count = 1;
    p->start[1] = p->node_count;
  } else {
    p->node_count = 0;
    grow_paths(a, node, p, starts);
  }
  if (c->nodes[p->nodes[0]].parent < 0) return fail_spring(a, number, "has no parent to hold the spring", p->nodes[0]);
  if (p->node_count == 1 && !(spring->tail_length > 0))
    return fail_spring(a, number, "has nothing below it; give the spring a tail length", p->nodes[0]);
  return PL_OK;
}

// A point in the frame of a node without scale in its coordinates with scale, as files have it.
static pl_vec3 rescale(const pl_character *c, int32_t node, pl_vec3 point) {
  if (!c->is_scaled) return point;
  return pl_mat3_apply(pl_mat3_inverse(c->linear[node]), pl_quat_rotate(c->rest[node].rotation, point));
}

// --- what is there already ----------------------------------------------------------------------------------------

static pl_json *ensure(adding *a, pl_json *object, const char *key, pl_json_kind kind) {
  pl_json *member = pl_sheet_member(object, key);
  if (member != NULL && member->kind == kind) return member;
  return pl_json_set(a->sheet.arena, object, key, pl_json_new(a->sheet.arena, kind));
}

// Schemas want no empty lists.
static void drop_empty(pl_json *object, const char *key) {
  const pl_json *list = pl_sheet_member(object, key);
  if (list != NULL && list->count == 0) pl_sheet_remove(object, key);
}

static void declare(adding *a, const char *extension) {
  pl_json *used = ensure(a, a->sheet.root, "extensionsUsed", PL_JSON_ARRAY);
  for (const pl_json *item = used == NULL ? NULL : used->first; item != NULL; item = item->next)
    if (pl_json_is_text(item, extension)) return;
  pl_json_add(used, pl_json_new_text(a->sheet.arena, extension));
}

static bool has_node(const pl_json *joints, const paths *p) {
  for (const pl_json *joint = pl_character_first(joints); joint != NULL; joint = joint->next) {
    int64_t node = -1;
    (void)pl_json_get_integer(pl_json_find(joint, "node"), &node);
    for (int32_t i = 0; i < p->node_count; ++i)
      if (p->nodes[i] == node) return true;
  }
  return false;
}

static bool starts_at(const pl_json *chain, const paths *p) {
  int64_t root = -1;
  (void)pl_json_get_integer(pl_json_find(chain, "root"), &root);
  for (int32_t i = 0; i < p->node_count; ++i)
    if (p->nodes[i] == root) return true;
  return false;
}

// What a spring that is replaced meets, its successor meets too.
static void keep_groups(adding *a, const pl_json *spring) {
  const pl_json *groups = pl_json_find(spring, "colliderGroups");
  for (const pl_json *group = pl_character_first(groups); group != NULL; group = group->next) {
    bool known = false;
    for (const pl_json *item = a->kept_groups->first; item != NULL; item = item->next)
      known = known || item->number == group->number;
    if (group->kind == PL_JSON_NUMBER && !known)
      pl_json_add(a->kept_groups, pl_json_new_number(a->sheet.arena, group->number));
  }
}

// Lists without what the new spring replaces. Springs and chains are named by no number.
static pl_json *keep_others(adding *a, pl_json *object, const char *key, const paths *p) {
  pl_json *list = ensure(a, object, key, PL_JSON_ARRAY), *kept = pl_json_new(a->sheet.arena, PL_JSON_ARRAY);
  bool of_springs = strcmp(key, "springs") == 0;
  for (const pl_json *item = list == NULL ? NULL : list->first; item != NULL; item = item->next)
    if (!(of_springs ? has_node(pl_json_find(item, "joints"), p) : starts_at(item, p)))
      pl_json_add(kept, pl_sheet_copy(&a->sheet, item));
    else if (of_springs && a->kept_groups != NULL)
      keep_groups(a, item);
  return pl_json_set(a->sheet.arena, object, key, kept);
}

// --- springs ------------------------------------------------------------------------------------------------------

static void set_limit(adding *a, pl_json *joint, double angle) {
  pl_arena *arena = a->sheet.arena;
  pl_json *extensions = ensure(a, joint, "extensions", PL_JSON_OBJECT);
  pl_json *limit = ensure(a, extensions, "VRMC_springBone_limit", PL_JSON_OBJECT);
  pl_json_set_text(arena, limit, "specVersion", "1.0");
  pl_json *cone = ensure(a, ensure(a, limit, "limit", PL_JSON_OBJECT), "cone", PL_JSON_OBJECT);
  pl_json_set_number(arena, cone, "angle", angle);
  declare(a, "VRMC_springBone_limit");
}

// The group of colliders that a spring meets; -1 for none.
static pl_status add_group(adding *a, int32_t number, int32_t *group) {
  const pl_character_added_spring *spring = &a->additions->springs[number];
  int32_t all = a->additions->collider_count, count = spring->collider_count < 0 ? all : spring->collider_count;
  *group = -1;
  if (count == 0) return PL_OK;
  pl_json *json = pl_json_add(a->groups, pl_json_new(a->sheet.arena, PL_JSON_OBJECT));
  if (spring->name != NULL) pl_json_set_text(a->sheet.arena, json, "name", spring->name);
  pl_json *list = ensure(a, json, "colliders", PL_JSON_ARRAY);
  for (int32_t i = 0; i < count; ++i) {
    int32_t collider = spring->collider_count < 0 ? i : spring->colliders[i];
    if (collider < 0 || collider >= all)
      return pl_fail_field(a->error, PL_ERROR_INVALID_ARGUMENT, "springs",
                           "spring %d meets collider %d, but there are %d", number, collider, all);
    pl_json_add(list, pl_json_new_number(a->sheet.arena, a->first_collider + collider));
  }
  *group = pl_sheet_index(json);
  return PL_OK;
}

static void add_path(adding *a, const pl_character_added_spring *spring, const paths *p, int32_t path, int32_t group,
                     int32_t center) {
  pl_arena *arena = a->sheet.arena;
  pl_json *json = pl_json_add(a->springs, pl_json_new(arena, PL_JSON_OBJECT));
  const char *name =
      path == 0 && spring->name != NULL ? spring->name : a->character->nodes[p->nodes[p->start[path]]].name;
  pl_json_set_text(arena, json, "name", name);
  pl_json *joints = ensure(a, json, "joints", PL_JSON_ARRAY);
  for (int32_t i = p->start[path]; i < p->start[path + 1]; ++i) {
    pl_json *joint = pl_springs_add_joint(arena, joints, p->nodes[i], &spring->joint);
    if (spring->joint.max_angle > 0) set_limit(a, joint, spring->joint.max_angle);
  }
  pl_json *groups = ensure(a, json, "colliderGroups", PL_JSON_ARRAY);
  if (spring->collider_count < 0)
    for (const pl_json *item = pl_character_first(a->kept_groups); item != NULL; item = item->next)
      pl_json_add(groups, pl_json_new_number(arena, item->number));
  if (group >= 0) pl_json_add(groups, pl_json_new_number(arena, group));
  drop_empty(json, "colliderGroups");
  if (center >= 0) pl_json_set_number(arena, json, "center", center);
}

// Where the bone of the last node of a path ends: straight on from the bone before it.
static void add_tail(adding *a, const paths *p, int32_t path, double length, pl_json *chain) {
  const pl_character *c = a->character;
  int32_t last = p->nodes[p->start[path + 1] - 1], before = c->nodes[last].parent;
  pl_vec3 way = pl_vec3_sub(c->rest[last].position, c->rest[before].position);
  // A node at the place of its parent continues along its own Y, the axis of bones.
  pl_vec3 up = pl_quat_rotate(c->rest[last].rotation, (pl_vec3){0, 1, 0});
  pl_vec3 tail =
      pl_quat_rotate(pl_quat_conjugate(c->rest[last].rotation), pl_vec3_scale(pl_vec3_normalize_or(way, up), length));
  tail = rescale(c, last, tail);
  const double numbers[3] = {tail.x, tail.y, tail.z};
  pl_json_set_numbers(a->sheet.arena, chain, "tail", numbers, 3);
}

static void add_extras(adding *a, const pl_character_added_spring *spring, const paths *p) {
  const pl_rod_joint usual = pl_default_rod_joint(-1), *joint = &spring->joint;
  if (joint->mass == usual.mass && joint->stiffness == usual.stiffness) return;
  pl_json *list = ensure(a, a->ours, "joints", PL_JSON_ARRAY);
  for (int32_t i = 0; i < p->node_count; ++i) {
    pl_json *json = pl_json_add(list, pl_json_new(a->sheet.arena, PL_JSON_OBJECT));
    pl_json_set_number(a->sheet.arena, json, "node", p->nodes[i]);
    if (joint->mass > 0) pl_json_set_number(a->sheet.arena, json, "mass", joint->mass);
    pl_json_set_number(a->sheet.arena, json, "stiffness", joint->stiffness);
  }
}

// --- examples -----------------------------------------------------------------------------------------------------

// Bones of the longest path from the root: of those that branch off it, the way to where they do counts too.
static int32_t count_bones(const adding *a, const paths *p, bool has_tail) {
  int32_t max_count = 1;
  for (int32_t path = 0; path < p->count; ++path) {
    int32_t bones = has_tail ? 1 : 0, node = p->nodes[p->start[path + 1] - 1];
    for (; node != p->nodes[0]; node = a->character->nodes[node].parent) ++bones;
    if (bones > max_count) max_count = bones;
  }
  return max_count;
}

static pl_status add_turns(const adding *a, int32_t number, const pl_character_added_example *example, const paths *p) {
  for (int32_t i = 0; i < example->turn_count; ++i) {
    const pl_character_added_turn *turn = &example->turns[i];
    int32_t node = -1, k = 0;
    pl_status status = find_node(a, "springs", number, turn->node, &node);
    if (status < 0) return status;
    while (k < p->node_count && p->nodes[k] != node) ++k;
    if (k == p->node_count) return fail_spring(a, number, "is turned by an example, but is not of the spring", node);
    pl_quat own = pl_quat_from_axis_angle(turn->axis, turn->angle);
    a->turns[node] = pl_quat_normalize(pl_quat_multiply(own, a->turns[node]));
  }
  return PL_OK;
}

// Turns of single nodes become those of all that lies beyond them, parents first.
static void spread_turns(const adding *a, const paths *p) {
  const pl_character *c = a->character;
  for (int32_t k = 0; k < c->view.node_count; ++k) {
    int32_t node = c->order[k];
    if (node == p->nodes[0] || !pl_character_is_below(c, node, p->nodes[0])) continue;
    a->turns[node] = pl_quat_normalize(pl_quat_multiply(a->turns[node], a->turns[c->nodes[node].parent]));
  }
}

// Rotation of each node in its parent: q_i = (T_p R_p)^-1 T_i R_i, with R at rest and T the turn in the example.
static void add_rotations(adding *a, const paths *p, pl_json *json) {
  const pl_character *c = a->character;
  pl_json *joints = ensure(a, json, "joints", PL_JSON_ARRAY);
  for (int32_t i = 0; i < p->node_count; ++i) {
    int32_t node = p->nodes[i], parent = c->nodes[node].parent;
    pl_quat above = pl_quat_multiply(a->turns[parent], c->rest[parent].rotation);
    pl_quat own = pl_quat_multiply(a->turns[node], c->rest[node].rotation);
    pl_quat local = pl_quat_normalize(pl_quat_multiply(pl_quat_conjugate(above), own));
    const double numbers[4] = {local.x, local.y, local.z, local.w};
    pl_json *joint = pl_json_add(joints, pl_json_new(a->sheet.arena, PL_JSON_OBJECT));
    pl_json_set_number(a->sheet.arena, joint, "node", node);
    pl_json_set_numbers(a->sheet.arena, joint, "rotation", numbers, 4);
  }
}

static pl_status add_example(adding *a, int32_t number, const pl_character_added_example *example, const paths *p,
                             pl_json *list) {
  bool has_tail = a->additions->springs[number].tail_length > 0;
  double bend = example->curl_angle / count_bones(a, p, has_tail);
  for (int32_t i = 0; i < a->character->view.node_count; ++i) a->turns[i] = pl_quat_identity();
  for (int32_t path = 0; path < p->count; ++path)
    for (int32_t i = p->start[path]; i < p->start[path + 1]; ++i)
      if (bend != 0 && (has_tail || i + 1 < p->start[path + 1]))
        a->turns[p->nodes[i]] = pl_quat_from_axis_angle(example->curl_axis, bend);
  pl_status status = add_turns(a, number, example, p);
  if (status < 0) return status;
  spread_turns(a, p);
  pl_json *json = pl_json_add(list, pl_json_new(a->sheet.arena, PL_JSON_OBJECT));
  pl_json_set_text(a->sheet.arena, json, "name", example->name);
  const double direction[3] = {example->direction.x, example->direction.y, example->direction.z};
  if (example->extent > 0) pl_json_set_numbers(a->sheet.arena, json, "direction", direction, 3);
  pl_json_set_number(a->sheet.arena, json, "extent", example->extent);
  add_rotations(a, p, json);
  return PL_OK;
}

static pl_status add_chains(adding *a, int32_t number, const paths *p) {
  const pl_character_added_spring *spring = &a->additions->springs[number];
  pl_status status = PL_OK;
  for (int32_t path = 0; path < p->count; ++path) {
    if (!(spring->tail_length > 0) && (path > 0 || spring->example_count == 0)) continue;
    pl_json *chain = pl_json_add(a->chains, pl_json_new(a->sheet.arena, PL_JSON_OBJECT));
    pl_json_set_number(a->sheet.arena, chain, "root", p->nodes[p->start[path]]);
    if (spring->tail_length > 0) add_tail(a, p, path, spring->tail_length, chain);
    for (int32_t i = 0; path == 0 && i < spring->example_count && status >= 0; ++i)
      status = add_example(a, number, &spring->examples[i], p, ensure(a, chain, "examples", PL_JSON_ARRAY));
  }
  return status;
}

// --- all ----------------------------------------------------------------------------------------------------------

static pl_status add_spring(adding *a, int32_t number, pl_json *extension) {
  const pl_character_added_spring *spring = &a->additions->springs[number];
  paths p;
  int32_t group = -1, center = -1;
  pl_status status = find_paths(a, number, &p);
  if (status >= 0 && spring->center != NULL) status = find_node(a, "springs", number, spring->center, &center);
  if (status < 0) return status;
  a->kept_groups = pl_json_new(a->sheet.arena, PL_JSON_ARRAY);
  a->springs = keep_others(a, extension, "springs", &p);
  a->chains = keep_others(a, a->ours, "chains", &p);
  status = add_group(a, number, &group);
  for (int32_t path = 0; path < p.count && status >= 0; ++path) add_path(a, spring, &p, path, group, center);
  if (status >= 0) add_extras(a, spring, &p);
  return status < 0 ? status : add_chains(a, number, &p);
}

static pl_status add_colliders(adding *a) {
  a->first_collider = a->colliders == NULL ? 0 : a->colliders->count;
  for (int32_t i = 0; i < a->additions->collider_count; ++i) {
    const pl_character_added_collider *from = &a->additions->colliders[i];
    pl_rod_collider placed = {.shape = from->shape};
    pl_character_collider collider;
    pl_status status = find_node(a, "colliders", i, from->node, &placed.joint);
    if (status >= 0) status = pl_springs_get_collider(&placed, i, &collider, a->error);
    if (status < 0) return status;
    collider.from = rescale(a->character, collider.node, collider.from);
    collider.to = rescale(a->character, collider.node, collider.to);
    pl_springs_add_collider(a->sheet.arena, a->colliders, &collider);
  }
  return PL_OK;
}

static pl_status add_all(adding *a, pl_json *extensions) {
  static const char *const lists[] = {"colliders", "colliderGroups", "springs"};
  pl_json *extension = ensure(a, extensions, "VRMC_springBone", PL_JSON_OBJECT);
  a->ours = ensure(a, extensions, "PLIANT_rod_examples", PL_JSON_OBJECT);
  if (extension == NULL || a->ours == NULL) return pl_fail_memory(a->error);
  if (pl_sheet_member(extension, "specVersion") == NULL)
    pl_json_set_text(a->sheet.arena, extension, "specVersion", "1.0");
  if (pl_sheet_member(a->ours, "specVersion") == NULL) pl_json_set_text(a->sheet.arena, a->ours, "specVersion", "1.0");
  a->colliders = ensure(a, extension, "colliders", PL_JSON_ARRAY);
  a->groups = ensure(a, extension, "colliderGroups", PL_JSON_ARRAY);
  pl_status status = add_colliders(a);
  for (int32_t i = 0; i < a->additions->spring_count && status >= 0; ++i) status = add_spring(a, i, extension);
  if (status < 0) return status;
  if (a->additions->rod != NULL) pl_springs_set_rod(a->sheet.arena, a->ours, a->additions->rod);
  for (int i = 0; i < 3; ++i) drop_empty(extension, lists[i]);
  drop_empty(a->ours, "chains");
  declare(a, "VRMC_springBone");
  declare(a, "PLIANT_rod_examples");
  return pl_sheet_failed(&a->sheet) ? pl_fail_memory(a->error) : PL_OK;
}

pl_status pl_character_add_parts(pl_gltf *gltf, const pl_character *character,
                                 const pl_character_additions *additions) {
  if (additions == NULL || (additions->spring_count == 0 && additions->rod == NULL)) return PL_OK;
  adding a = {.gltf = gltf, .character = character, .additions = additions, .error = gltf->error};
  a.sheet = (pl_sheet){.arena = &gltf->document->arena, .root = gltf->document->root};
  pl_json *extensions = ensure(&a, a.sheet.root, "extensions", PL_JSON_OBJECT);
  if (pl_sheet_member(extensions, "VRM") != NULL)
    return pl_fail_at(gltf->error, PL_ERROR_UNSUPPORTED, gltf->name, 0, 0,
                      "springs cannot be added to a VRM 0.x file; export it as VRM 1.0 or GLB");
  a.first_child = PL_TAKE(&gltf->arena, int32_t, character->view.node_count);
  a.next_sibling = PL_TAKE(&gltf->arena, int32_t, character->view.node_count);
  a.turns = PL_TAKE(&gltf->arena, pl_quat, character->view.node_count);
  if (gltf->arena.failed) return pl_fail_memory(gltf->error);
  list_children(&a);
  return add_all(&a, extensions);
}

pl_character_added_spring pl_default_character_added_spring(void) {
  return (pl_character_added_spring){.joint = pl_default_rod_joint(-1), .collider_count = -1};
}
