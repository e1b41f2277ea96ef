// Springs and colliders of characters in the document of the scene (docs/characters.md, "Adding springs").
#include "studio_spring.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pliant/math.h"
#include "scene/scene_rod.h"
#include "studio_pose.h"
#include "studio_setting.h"

static const double DEGREES = 180 / PL_PI;
// Bends below this are no part of a pose, degrees.
static const double MIN_BEND = 1e-3;
// Radius of a new spring and of a new collider, as fractions of the length of its bone.
static const double SPRING_RADIUS = 0.15, COLLIDER_RADIUS = 0.5;
enum { MAX_NODES = 4096 };

// --- the character
// ---------------------------------------------------------------------------------------------------------------

static const pl_instance_rod *rod_of(const studio_world *w, int32_t body) {
  const pl_instance_rod *rod = PL_ITEM(&w->instance->parts, pl_instance_part, body).rod;
  return rod != NULL && rod->character != NULL ? rod : NULL;
}

// What finds a node again: its name, or its number where another node has the same name or it is empty.
static const char *reference_of(const pl_instance_rod *rod, int32_t node, char text[32]) {
  const char *name = pl_character_get_view(rod->character).nodes[node].name;
  snprintf(text, 32, "node %d", node);
  return name[0] != '\0' && pl_character_find_node(rod->character, name) == node ? name : text;
}

static int32_t joint_of(const pl_instance_rod *rod, int32_t node) {
  for (int32_t i = 0; i < rod->def.joint_count; ++i)
    if (rod->nodes[i] == node) return i;
  return -1;
}

static bool is_below(const pl_character_view *view, int32_t node, int32_t above) {
  while (node >= 0 && node != above) node = view->nodes[node].parent;
  return node >= 0;
}

// The type of the items of a list of rods.
static const pl_scene_type *item_type(const char *key) {
  pl_scene_field field;
  return pl_scene_field_find(&pl_scene_rod_type, key, &field) ? field.type : NULL;
}

// --- the description
// ---------------------------------------------------------------------------------------------------------------

static void describe_nodes(studio_message *message, pl_json *object, const pl_instance_rod *rod) {
  pl_arena *arena = &message->arena;
  pl_character_view view = pl_character_get_view(rod->character);
  pl_json *list = pl_json_set(arena, object, "nodes", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; list != NULL && i < view.node_count && i < MAX_NODES; ++i) {
    int32_t joint = joint_of(rod, i);
    pl_json *node = pl_json_add(list, pl_json_new(arena, PL_JSON_OBJECT));
    if (node == NULL) return;
    char text[32];
    pl_json_set_text(arena, node, "name", reference_of(rod, i, text));
    pl_json_set_number(arena, node, "parent", view.nodes[i].parent);
    pl_json_set_number(arena, node, "particle", joint);
    pl_json_set_bool(arena, node, "swings", joint >= 0 && !rod->def.joints[joint].kinematic);
  }
}

static pl_json *describe_item(studio_world *w, studio_message *message, int32_t source, const char *key, int32_t i) {
  char prefix[64];
  pl_json *item = pl_json_new(&message->arena, PL_JSON_OBJECT);
  if (item == NULL) return NULL;
  snprintf(prefix, sizeof prefix, "bodies[%d].rod.%s[%d].", source, key, i);
  pl_json_set(&message->arena, item, "settings", studio_setting_list_fields(w, message, item_type(key), prefix));
  return item;
}

void studio_spring_describe(studio_world *w, studio_message *message, pl_json *object, int32_t body) {
  const pl_instance_rod *rod = rod_of(w, body);
  if (rod == NULL) return;
  pl_arena *arena = &message->arena;
  int32_t source = studio_instance_source(w, body);
  describe_nodes(message, object, rod);
  pl_json *springs = pl_json_set(arena, object, "springs", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; springs != NULL && i < rod->source->springs.count; ++i) {
    const pl_scene_rod_spring *spring = &((const pl_scene_rod_spring *)rod->source->springs.items)[i];
    pl_json *item = pl_json_add(springs, describe_item(w, message, source, "springs", i));
    if (item == NULL) return;
    const char *first = spring->nodes.count > 0 ? ((const char *const *)spring->nodes.items)[0] : "";
    pl_json_set_text(arena, item, "name", spring->name[0] != '\0' ? spring->name : first);
    pl_json *nodes = pl_json_set(arena, item, "nodes", pl_json_new(arena, PL_JSON_ARRAY));
    for (int32_t k = 0; nodes != NULL && k < spring->nodes.count; ++k)
      pl_json_add(nodes, pl_json_new_text(arena, ((const char *const *)spring->nodes.items)[k]));
  }
  pl_json *colliders = pl_json_set(arena, object, "node_colliders", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; colliders != NULL && i < rod->source->colliders.count; ++i) {
    const pl_scene_rod_collider *collider = &((const pl_scene_rod_collider *)rod->source->colliders.items)[i];
    pl_json *item = pl_json_add(colliders, describe_item(w, message, source, "colliders", i));
    if (item == NULL) return;
    pl_json_set_text(arena, item, "name", collider->name);
    pl_json_set_text(arena, item, "node", collider->joint);
    pl_json_set_text(arena, item, "shape", pl_scene_collider_shapes[collider->def.shape - 1]);
  }
}

// --- requests
// --------------------------------------------------------------------------------------------------------------------

// A request `spring` or `node_collider`.
typedef struct request {
  studio_world *w;
  const pl_json *message;
  const pl_instance_rod *rod;
  studio_document *document;
  pl_json *list;    // `springs` or `colliders` of the body in the document
  const char *key;  // of the list
  pl_error *error;
} request;

static pl_arena *arena_of(const request *r) {
  return &r->document->json->arena;
}

// Round to three digits: a number that a person could have written.
static double rounded(double number) {
  double power = number > 0 ? pow(10, floor(log10(number)) - 2) : 1;
  return round(number / power) * power;
}

// Mean length of the bones below a node of the character, metres.
static double bone_length(const request *r, int32_t node) {
  pl_character_view view = pl_character_get_view(r->rod->character);
  double length = 0;
  int32_t count = 0;
  for (int32_t i = 0; i < view.node_count; ++i)
    if (i != node && is_below(&view, i, node)) {
      length += pl_vec3_length(view.nodes[i].rest.position);
      ++count;
    }
  if (count == 0) {
    length = pl_vec3_length(view.nodes[node].rest.position);
    count = 1;
  }
  return length > 0 ? length / count : 0.1;
}

static void set_length(const request *r, pl_json *object, const char *key, double metres) {
  pl_json_set_number(arena_of(r), object, key, rounded(metres / studio_document_unit(r->document)));
}

// A bone that swings already keeps what its file says.
static void set_parameters(const request *r, pl_json *spring, int32_t first, int32_t second) {
  pl_arena *arena = arena_of(r);
  int32_t joint = joint_of(r->rod, first), next = second >= 0 ? joint_of(r->rod, second) : -1;
  if (joint < 0 || r->rod->def.joints[joint].kinematic || next < 0) {
    set_length(r, spring, "radius", SPRING_RADIUS * bone_length(r, first));
    return;
  }
  const pl_rod_joint *from = &r->rod->def.joints[next];
  set_length(r, spring, "radius", from->radius);
  pl_json_set_number(arena, spring, "spring", from->spring);
  pl_json_set_number(arena, spring, "drag", from->drag);
  if (pl_vec3_length(from->pull) > 0)
    pl_json_set_numbers(arena, spring, "pull", (const double[3]){from->pull.x, from->pull.y, from->pull.z}, 3);
}

static pl_status find_node(const request *r, const pl_json *name, int32_t *node) {
  const char *text = NULL;
  if (!pl_json_get_text(name, &text))
    return pl_fail(r->error, PL_ERROR_INVALID_DATA, "a spring or collider needs the names of its nodes");
  *node = pl_character_find_node(r->rod->character, text);
  return *node >= 0 ? PL_OK : pl_fail(r->error, PL_ERROR_NOT_FOUND, "the character has no node \"%.80s\"", text);
}

static pl_status add_spring(request *r) {
  const pl_json *names = pl_json_find(r->message, "nodes");
  pl_character_view view = pl_character_get_view(r->rod->character);
  int32_t nodes[2] = {-1, -1}, before = -1, count = names != NULL && names->kind == PL_JSON_ARRAY ? names->count : 0;
  if (count < 1 || count > PL_ROD_MAX_JOINTS)
    return pl_fail(r->error, PL_ERROR_INVALID_DATA, "a spring has 1 to %d nodes", PL_ROD_MAX_JOINTS);
  pl_json *spring = pl_json_new(arena_of(r), PL_JSON_OBJECT), *list = pl_json_new(arena_of(r), PL_JSON_ARRAY);
  if (spring == NULL || list == NULL) return pl_fail_memory(r->error);
  for (int32_t i = 0; i < count; ++i) {
    int32_t node = -1;
    pl_status status = find_node(r, pl_json_at(names, i), &node);
    if (status < 0) return status;
    if (i > 0 && !is_below(&view, view.nodes[node].parent, before))
      return pl_fail(r->error, PL_ERROR_INVALID_DATA, "node \"%.80s\" is not below the node before it",
                     view.nodes[node].name);
    if (i < 2) nodes[i] = node;
    before = node;
    char text[32];
    pl_json_add(list, pl_json_new_text(arena_of(r), reference_of(r->rod, node, text)));
  }
  // One name stands for all nodes below it; the first child tells what they are like.
  for (int32_t i = 0; count == 1 && i < view.node_count && nodes[1] < 0; ++i)
    if (view.nodes[i].parent == nodes[0]) nodes[1] = i;
  const char *name = "";
  (void)pl_json_get_text(pl_json_find(r->message, "name"), &name);
  if (name[0] != '\0') pl_json_set_text(arena_of(r), spring, "name", name);
  pl_json_set(arena_of(r), spring, "nodes", list);
  set_parameters(r, spring, nodes[0], nodes[1]);
  // Nothing lies below a last node: its bone needs a length to swing.
  if (nodes[1] < 0) set_length(r, spring, "tail_length", bone_length(r, nodes[0]));
  pl_json_add(r->list, spring);
  return PL_OK;
}

static pl_status add_collider(request *r) {
  int32_t node = -1;
  const char *shape = "sphere";
  (void)pl_json_get_text(pl_json_find(r->message, "shape"), &shape);
  pl_status status = find_node(r, pl_json_find(r->message, "node"), &node);
  if (status < 0) return status;
  if (r->rod->source->springs.count == 0)
    return pl_fail(r->error, PL_ERROR_UNSUPPORTED,
                   "colliders of a character are for the springs that are added to it; add a spring first");
  pl_json *collider = pl_json_new(arena_of(r), PL_JSON_OBJECT);
  if (collider == NULL) return pl_fail_memory(r->error);
  char name[100], text[32];
  const char *reference = reference_of(r->rod, node, text);
  snprintf(name, sizeof name, "%.80s %d", reference, r->list->count + 1);
  studio_text_fix_utf8(name, strlen(name));
  double length = bone_length(r, node);
  pl_json_set_text(arena_of(r), collider, "name", name);
  pl_json_set_text(arena_of(r), collider, "joint", reference);
  pl_json_set_text(arena_of(r), collider, "shape", shape);
  if (strcmp(shape, "half_space") != 0) set_length(r, collider, "radius", COLLIDER_RADIUS * length);
  if (strcmp(shape, "capsule") == 0) set_length(r, collider, "half_length", 0.5 * length);
  pl_json_add(r->list, collider);
  return PL_OK;
}

static pl_status delete_item(request *r) {
  int64_t index = -1;
  (void)pl_json_get_integer(pl_json_find(r->message, "index"), &index);
  if (index < 0 || index >= r->list->count)
    return pl_fail(r->error, PL_ERROR_NOT_FOUND, "the body has nothing with this index in its %s", r->key);
  pl_json *kept = pl_json_new(arena_of(r), PL_JSON_ARRAY), *rod = r->list->parent;
  if (kept == NULL) return pl_fail_memory(r->error);
  int64_t number = 0;
  for (pl_json *item = r->list->first, *next; item != NULL; item = next, ++number) {
    next = item->next;
    if (number != index) pl_json_add(kept, item);
  }
  pl_json_set(arena_of(r), rod, r->key, kept);
  return PL_OK;
}

static pl_status change(studio_world *w, const pl_json *message, const char *key, studio_document *changed,
                        pl_error *error) {
  int64_t body = -1;
  const char *action = "";
  (void)pl_json_get_integer(pl_json_find(message, "body"), &body);
  (void)pl_json_get_text(pl_json_find(message, "action"), &action);
  if (w->instance == NULL || body < 0 || body >= pl_scene_instance_body_count(w->instance))
    return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body");
  request r = {.w = w, .message = message, .rod = rod_of(w, (int32_t)body), .key = key, .error = error};
  if (r.rod == NULL)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "springs are added to the bones of a character; this body has none");
  bool adds = strcmp(action, "add") == 0;
  if (!adds && strcmp(action, "delete") != 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "there is no action \"%.60s\"; use add or delete", action);
  pl_status status = studio_document_copy(w->context, &w->document, changed, error);
  if (status < 0) return status;
  r.document = changed;
  pl_json *object = studio_document_body(changed, studio_instance_source(w, (int32_t)body));
  r.list = studio_document_object(changed, studio_document_object(changed, object, "rod", PL_JSON_OBJECT), key,
                                  PL_JSON_ARRAY);
  if (r.list == NULL) status = pl_fail_memory(error);
  if (status >= 0) status = !adds ? delete_item(&r) : strcmp(key, "springs") == 0 ? add_spring(&r) : add_collider(&r);
  if (status >= 0 && changed->json->arena.failed) status = pl_fail_memory(error);
  if (status < 0) studio_document_free(w->context, changed);
  return status;
}

pl_status studio_spring_change(studio_world *w, const pl_json *message, studio_document *changed, pl_error *error) {
  return change(w, message, "springs", changed, error);
}

pl_status studio_node_collider_change(studio_world *w, const pl_json *message, studio_document *changed,
                                      pl_error *error) {
  return change(w, message, "colliders", changed, error);
}

// --- poses
// -----------------------------------------------------------------------------------------------------------------------

// What lies beyond joint i is turned from its rest by T_i = R_b B^-1 Q_i R_i^-1, with R at rest and Q now, and B the
// kinematic joint b above the chain now. The bend at the joint itself is T_i T_p^-1, p being the joint before it.
static pl_quat turn_of(const pl_instance_rod *rod, const pl_transform *joints, int32_t base, int32_t joint) {
  pl_quat above = pl_quat_multiply(rod->def.joints[base].rest.rotation, pl_quat_conjugate(joints[base].rotation));
  pl_quat own = pl_quat_multiply(joints[joint].rotation, pl_quat_conjugate(rod->def.joints[joint].rest.rotation));
  return pl_quat_normalize(pl_quat_multiply(above, own));
}

static bool is_of_spring(const pl_instance_rod *rod, const pl_scene_rod_spring *spring, int32_t joint) {
  pl_character_view view = pl_character_get_view(rod->character);
  const char *const *names = spring->nodes.items;
  if (rod->nodes[joint] < 0 || rod->def.joints[joint].kinematic) return false;
  if (spring->nodes.count == 1)
    return is_below(&view, rod->nodes[joint], pl_character_find_node(rod->character, names[0]));
  for (int32_t i = 0; i < spring->nodes.count; ++i)
    if (pl_character_find_node(rod->character, names[i]) == rod->nodes[joint]) return true;
  return false;
}

static void add_turn(pl_arena *arena, pl_json *turns, const char *node, pl_quat bend) {
  if (bend.w < 0) bend = (pl_quat){-bend.x, -bend.y, -bend.z, -bend.w};
  pl_vec3 axis = {bend.x, bend.y, bend.z};
  double degrees = 2 * atan2(pl_vec3_length(axis), bend.w) * DEGREES;
  if (degrees < MIN_BEND) return;
  axis = pl_vec3_normalize_or(axis, (pl_vec3){1, 0, 0});
  pl_json *turn = pl_json_add(turns, pl_json_new(arena, PL_JSON_OBJECT));
  if (turn == NULL) return;
  const double grid = 1e6;
  const double numbers[3] = {round(axis.x * grid) / grid, round(axis.y * grid) / grid, round(axis.z * grid) / grid};
  pl_json_set_text(arena, turn, "node", node);
  pl_json_set_numbers(arena, turn, "axis", numbers, 3);
  pl_json_set_number(arena, turn, "degrees", round(degrees * 1e4) / 1e4);
}

static void pose_spring(const pl_instance_rod *rod, const pl_scene_rod_spring *spring, const pl_transform *joints,
                        pl_arena *arena, pl_json *example) {
  pl_json *turns = pl_json_set(arena, example, "turns", pl_json_new(arena, PL_JSON_ARRAY));
  char text[32];
  int32_t first = -1;
  for (int32_t i = 0; turns != NULL && i < rod->def.joint_count; ++i) {
    if (!is_of_spring(rod, spring, i)) continue;
    int32_t parent = rod->def.joints[i].parent, base = parent;
    while (base >= 0 && !rod->def.joints[base].kinematic) base = rod->def.joints[base].parent;
    if (base < 0) continue;
    pl_quat own = turn_of(rod, joints, base, i), before = turn_of(rod, joints, base, parent);
    if (first < 0) first = rod->nodes[i];
    add_turn(arena, turns, reference_of(rod, rod->nodes[i], text), pl_quat_multiply(own, pl_quat_conjugate(before)));
  }
  if (turns == NULL || turns->count > 0 || first < 0) return;
  // At rest: an example needs a bend, if only one of 0 degrees.
  pl_json *turn = pl_json_add(turns, pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_text(arena, turn, "node", reference_of(rod, first, text));
  pl_json_set_number(arena, turn, "degrees", 0);
}

static pl_vec3 view_of_spring(const studio_world *w, const pl_instance_rod *rod, const pl_scene_rod_spring *spring,
                              const pl_transform *joints) {
  int32_t first = 0;
  while (first < rod->def.joint_count && !is_of_spring(rod, spring, first)) ++first;
  if (first == rod->def.joint_count) return (pl_vec3){0, 0, 1};
  return studio_pose_view(w, joints[first].position, joints[rod->def.joints[first].parent].rotation);
}

pl_status studio_spring_add_pose(studio_world *w, studio_document *document, int32_t body, pl_json *springs,
                                 const char *name, pl_error *error) {
  const pl_instance_rod *rod = rod_of(w, body);
  pl_arena *arena = &document->json->arena;
  if (rod == NULL || rod->source->springs.count == 0)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "examples are added to springs of the scene; add a spring to the bones that should have one");
  pl_transform *joints = PL_TAKE(arena, pl_transform, rod->def.joint_count);
  if (joints == NULL) return pl_fail_memory(error);
  pl_status status = pl_rod_get_joints(w->world, PL_ITEM(&w->instance->parts, pl_instance_part, body).body.id, joints);
  if (status < 0) return pl_fail(error, status, "the joints of this body cannot be read");
  int32_t number = 0;
  for (pl_json *json = springs->first; json != NULL && number < rod->source->springs.count; json = json->next) {
    const pl_scene_rod_spring *spring = &((const pl_scene_rod_spring *)rod->source->springs.items)[number++];
    pl_json *examples = studio_document_object(document, json, "examples", PL_JSON_ARRAY);
    pl_json *example = pl_json_new(arena, PL_JSON_OBJECT);
    if (examples == NULL || example == NULL) return pl_fail_memory(error);
    pl_vec3 view = view_of_spring(w, rod, spring, joints);
    pl_json_set_text(arena, example, "name", name);
    pl_json_set_numbers(arena, example, "direction", (const double[3]){view.x, view.y, view.z}, 3);
    pl_json_set_number(arena, example, "extent", 40);
    pose_spring(rod, spring, joints, arena, example);
    pl_json_add(examples, example);
  }
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}
