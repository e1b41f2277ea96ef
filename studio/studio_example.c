// Examples of bodies in the document of the scene.
//
// Examples of solids and finite elements are poses of the mesh whose names are in the list `examples` of the body;
// other poses are muted. Examples of rods are in the chains, of characters in the springs that the scene adds; one with
// an extent of 0 is muted.
#include "studio_example.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "studio_document.h"
#include "studio_pose.h"
#include "studio_spring.h"

// --- the list
// ----------------------------------------------------------------------------------------------------------------

static void add_item(studio_message *message, pl_json *list, const char *name, bool mute,
                     const pl_rod_example *viewed) {
  pl_json *item = pl_json_new(&message->arena, PL_JSON_OBJECT);
  if (item == NULL) return;
  pl_json_set_text(&message->arena, item, "name", name);
  pl_json_set_bool(&message->arena, item, "mute", mute);
  if (viewed != NULL && viewed->extent > 0) {
    studio_message_set_vector(message, item, "view", viewed->direction);
    studio_message_set_number(message, item, "extent", viewed->extent);
  }
  pl_json_add(list, item);
}

static const pl_rod_example *find_rod_example(const pl_rod_def *def, const char *name) {
  for (int32_t i = 0; def != NULL && i < def->example_count; ++i)
    if (strcmp(def->examples[i].name, name) == 0) return &def->examples[i];
  return NULL;
}

// A direction with an extent of 0 means muted.
static bool rod_example_is_mute(const pl_scene_body *body, const char *name) {
  const pl_scene_rod *rod = &body->rod;
  bool mute = false;
  for (int32_t c = 0; c < rod->chains.count + rod->springs.count; ++c) {
    const pl_scene_list *examples =
        c < rod->chains.count ? &((const pl_scene_rod_chain *)rod->chains.items)[c].examples
                              : &((const pl_scene_rod_spring *)rod->springs.items)[c - rod->chains.count].examples;
    for (int32_t i = 0; i < examples->count; ++i) {
      const pl_scene_rod_example *example = &((const pl_scene_rod_example *)examples->items)[i];
      if (strcmp(example->name, name) != 0) continue;
      if (example->extent > 0) return false;
      mute = mute || pl_json_find(example->json, "direction") != NULL;
    }
  }
  return mute;
}

pl_json *studio_example_list(studio_world *w, studio_message *message, int32_t index) {
  pl_json *list = pl_json_new(&message->arena, PL_JSON_ARRAY);
  if (list == NULL) return NULL;
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, index);
  pl_example_view examples = pl_model_get_examples(part->model);
  for (int32_t i = 0; i < examples.example_count; ++i) {
    bool mute = part->rod != NULL && rod_example_is_mute(part->source, examples.names[i]);
    add_item(message, list, examples.names[i], mute, find_rod_example(part->body.rod_def, examples.names[i]));
  }
  if (part->tets == NULL || part->source->actor.json != NULL) return list;
  pl_mesh_view mesh = pl_mesh_get_view(part->tets);
  for (int32_t k = 0; k < mesh.pose_count; ++k) {
    bool known = false;
    for (int32_t i = 0; i < examples.example_count; ++i)
      known = known || strcmp(examples.names[i], mesh.poses[k].name) == 0;
    if (!known) add_item(message, list, mesh.poses[k].name, true, NULL);
  }
  return list;
}

// --- poses of meshes
// -----------------------------------------------------------------------------------------------------------

// An `example` request.
typedef struct request {
  studio_world *w;
  studio_document *document;
  const pl_instance_part *part;
  int32_t body, source;
  const char *name;      // of the example to change; NULL for `add`
  const char *new_name;  // for `add` and `rename`; may be ""
  bool on;
  pl_error *error;
} request;

static pl_arena *arena_of(const request *r) {
  return &r->document->json->arena;
}

static pl_json *names_of(const request *r) {
  pl_json *body = studio_document_body(r->document, r->source);
  const char *method = r->part->source->method == PL_SCENE_FEM ? "fem" : "solid";
  pl_json *object = studio_document_object(r->document, body, method, PL_JSON_OBJECT);
  return studio_document_object(r->document, object, "examples", PL_JSON_ARRAY);
}

static pl_json *poses_of(const request *r) {
  pl_json *meshes = studio_document_object(r->document, r->document->json->root, "meshes", PL_JSON_OBJECT);
  pl_json *mesh = studio_document_object(r->document, meshes, r->part->source->mesh, PL_JSON_OBJECT);
  return studio_document_object(r->document, mesh, "poses", PL_JSON_ARRAY);
}

// Rewrite the list of names without `without` and with `added` at the end; both may be NULL.
static void write_names(const request *r, const char *without, const char *added) {
  pl_json *old = names_of(r), *list = pl_json_new(arena_of(r), PL_JSON_ARRAY);
  for (const pl_json *item = old != NULL ? old->first : NULL; item != NULL; item = item->next)
    if (item->kind == PL_JSON_STRING && (without == NULL || !pl_json_is_text(item, without)))
      pl_json_add(list, pl_json_new_text(arena_of(r), item->text));
  if (added != NULL) pl_json_add(list, pl_json_new_text(arena_of(r), added));
  if (old != NULL) pl_json_set(arena_of(r), old->parent, "examples", list);
}

static void solo_name(const request *r) {
  pl_json *old = names_of(r), *list = pl_json_new(arena_of(r), PL_JSON_ARRAY);
  pl_mesh_view mesh = pl_mesh_get_view(r->part->tets);
  for (int32_t k = 0; k < mesh.pose_count; ++k)
    if (!r->on || strcmp(mesh.poses[k].name, r->name) == 0)
      pl_json_add(list, pl_json_new_text(arena_of(r), mesh.poses[k].name));
  if (old != NULL) pl_json_set(arena_of(r), old->parent, "examples", list);
}

static pl_json *find_pose(const request *r) {
  pl_json *poses = poses_of(r);
  for (pl_json *pose = poses != NULL ? poses->first : NULL; pose != NULL; pose = pose->next)
    if (pl_json_is_text(pl_json_find(pose, "name"), r->name)) return pose;
  return NULL;
}

// Another body of the document may use the same pose of the same mesh.
static bool is_used_elsewhere(const request *r) {
  const pl_scene_body *bodies = r->w->scene->document.bodies.items;
  for (int32_t i = 0; i < r->w->scene->document.bodies.count; ++i) {
    if (i == r->source || strcmp(bodies[i].mesh, r->part->source->mesh) != 0) continue;
    const pl_scene_list *names = bodies[i].method == PL_SCENE_FEM ? &bodies[i].fem.examples : &bodies[i].solid.examples;
    for (int32_t k = 0; k < names->count; ++k)
      if (strcmp(((const char *const *)names->items)[k], r->name) == 0) return true;
  }
  return false;
}

static void remove_pose(const request *r) {
  pl_json *old = poses_of(r), *list = pl_json_new(arena_of(r), PL_JSON_ARRAY);
  for (pl_json *pose = old != NULL ? old->first : NULL, *next; pose != NULL; pose = next) {
    next = pose->next;
    if (!pl_json_is_text(pl_json_find(pose, "name"), r->name)) pl_json_add(list, pose);
  }
  if (old != NULL) pl_json_set(arena_of(r), old->parent, "poses", list);
}

static pl_status rename_pose(const request *r) {
  pl_json *pose = find_pose(r), *names = names_of(r);
  if (pose == NULL)
    return pl_fail(r->error, PL_ERROR_UNSUPPORTED, "\"%s\" is defined in the file of the mesh; rename it there",
                   r->name);
  if (is_used_elsewhere(r))
    return pl_fail(r->error, PL_ERROR_UNSUPPORTED, "\"%s\" is also used by another body; rename it in the scene file",
                   r->name);
  pl_json_set_text(arena_of(r), pose, "name", r->new_name);
  for (pl_json *item = names != NULL ? names->first : NULL; item != NULL; item = item->next)
    if (pl_json_is_text(item, r->name)) {
      pl_json *text = pl_json_new_text(arena_of(r), r->new_name);
      if (text == NULL) break;
      item->text = text->text;
      item->text_length = text->text_length;
    }
  return PL_OK;
}

static pl_status change_poses(request *r, const char *action) {
  if (strcmp(action, "add") == 0) {
    pl_json *pose = pl_json_new(arena_of(r), PL_JSON_OBJECT), *poses = poses_of(r);
    if (pose == NULL || poses == NULL) return pl_fail_memory(r->error);
    pl_json_set_text(arena_of(r), pose, "name", r->new_name);
    pl_status status = studio_pose_add_to_mesh(r->w, r->document, r->body, pose, r->error);
    pl_json_add(poses, pose);
    write_names(r, NULL, r->new_name);
    return status;
  }
  if (strcmp(action, "rename") == 0) return rename_pose(r);
  if (strcmp(action, "mute") == 0) write_names(r, r->name, r->on ? NULL : r->name);
  if (strcmp(action, "solo") == 0) solo_name(r);
  if (strcmp(action, "delete") == 0) {
    write_names(r, r->name, NULL);
    if (!is_used_elsewhere(r)) remove_pose(r);
  }
  return PL_OK;
}

// --- examples of chains
// ----------------------------------------------------------------------------------------------------------

static double extent_of(const request *r, const char *name) {
  const pl_rod_example *example = find_rod_example(r->part->body.rod_def, name);
  static const double degrees = 180 / PL_PI;
  return example != NULL && example->extent > 0 ? example->extent * degrees : 40;
}

static void change_example(const request *r, const char *action, pl_json *list, pl_json *example) {
  bool own = pl_json_is_text(pl_json_find(example, "name"), r->name);
  if (strcmp(action, "delete") == 0 && own) return;
  pl_json_add(list, example);
  if (strcmp(action, "rename") == 0 && own) pl_json_set_text(arena_of(r), example, "name", r->new_name);
  bool mutes = strcmp(action, "mute") == 0 ? own && r->on : strcmp(action, "solo") == 0 && !own && r->on;
  bool unmutes = strcmp(action, "mute") == 0 ? own && !r->on : strcmp(action, "solo") == 0 && (own || !r->on);
  const char *name;
  if (pl_json_find(example, "direction") == NULL || !pl_json_get_text(pl_json_find(example, "name"), &name)) return;
  if (mutes) pl_json_set_number(arena_of(r), example, "extent", 0);
  double extent = 0;
  bool muted = pl_json_get_number(pl_json_find(example, "extent"), &extent) && extent == 0;
  if (unmutes && muted) pl_json_set_number(arena_of(r), example, "extent", extent_of(r, name));
}

// Examples of a character may also be in its file.
static bool is_in_springs(const pl_json *springs, const char *name) {
  for (const pl_json *spring = springs->first; spring != NULL; spring = spring->next) {
    const pl_json *examples = pl_json_find(spring, "examples");
    for (const pl_json *item = examples != NULL ? examples->first : NULL; item != NULL; item = item->next)
      if (pl_json_is_text(pl_json_find(item, "name"), name)) return true;
  }
  return false;
}

static pl_status change_chains(request *r, const char *action) {
  bool of_character = r->part->source->rod.character[0] != '\0';
  pl_json *body = studio_document_body(r->document, r->source);
  pl_json *rod = studio_document_object(r->document, body, "rod", PL_JSON_OBJECT);
  pl_json *chains = studio_document_object(r->document, rod, of_character ? "springs" : "chains", PL_JSON_ARRAY);
  if (chains == NULL) return pl_fail_memory(r->error);
  if (strcmp(action, "add") == 0 && of_character)
    return studio_spring_add_pose(r->w, r->document, r->body, chains, r->new_name, r->error);
  if (strcmp(action, "add") == 0)
    return studio_pose_add_to_chains(r->w, r->document, r->body, chains, r->new_name, r->error);
  if (of_character && !is_in_springs(chains, r->name))
    return pl_fail(r->error, PL_ERROR_UNSUPPORTED,
                   "\"%s\" is in the file of the character; change it there, or add a spring to its bones", r->name);
  for (pl_json *chain = chains->first; chain != NULL; chain = chain->next) {
    const pl_json *old = pl_json_find(chain, "examples");
    pl_json *list = pl_json_new(arena_of(r), PL_JSON_ARRAY);
    if (old == NULL || list == NULL) continue;
    for (pl_json *example = old->first, *next; example != NULL; example = next) {
      next = example->next;
      change_example(r, action, list, example);
    }
    pl_json_set(arena_of(r), chain, "examples", list);
  }
  return PL_OK;
}

// --- the request
// -------------------------------------------------------------------------------------------------------------------

static bool name_is_taken(const studio_world *w, int32_t body, const char *name) {
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, body);
  pl_example_view examples = pl_model_get_examples(part->model);
  for (int32_t i = 0; i < examples.example_count; ++i)
    if (strcmp(examples.names[i], name) == 0) return true;
  return part->tets != NULL && pl_mesh_find_pose(part->tets, name) >= 0;
}

static void choose_name(const studio_world *w, int32_t body, const char *wanted, char *name, size_t size) {
  snprintf(name, size, "%s", wanted[0] != '\0' ? wanted : "pose 1");
  for (int number = 2; name_is_taken(w, body, name) && number < 1000; ++number)
    snprintf(name, size, "%.80s %d", wanted[0] != '\0' ? wanted : "pose", number);
  studio_text_fix_utf8(name, strlen(name));
}

// Name of example `index` of the list; NULL if there is none.
static const char *name_at(studio_world *w, int32_t body, int64_t index, studio_message *message) {
  const char *name = NULL;
  pl_json *list = studio_example_list(w, message, body);
  return list != NULL && pl_json_get_text(pl_json_find(pl_json_at(list, index), "name"), &name) ? name : NULL;
}

static pl_status change(request *r, const char *action) {
  static const char *const actions[] = {"add", "rename", "mute", "solo", "delete"};
  bool known = false;
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; ++i) known = known || strcmp(actions[i], action) == 0;
  if (!known)
    return pl_fail(r->error, PL_ERROR_INVALID_DATA, "there is no action \"%s\"; use add, rename, mute, solo or delete",
                   action);
  if (strcmp(action, "add") != 0 && r->name == NULL)
    return pl_fail(r->error, PL_ERROR_NOT_FOUND, "the body has no example with this index");
  if (r->part->source->actor.json != NULL)
    return pl_fail(r->error, PL_ERROR_UNSUPPORTED,
                   "the examples of an actor cannot be changed here; change them in the scene file");
  char name[100];
  choose_name(r->w, r->body, r->new_name, name, sizeof name);
  if (strcmp(action, "rename") != 0 || strcmp(r->new_name, r->name) != 0) r->new_name = name;
  return r->part->rod != NULL ? change_chains(r, action) : change_poses(r, action);
}

pl_status studio_example_change(studio_world *w, const pl_json *message, studio_document *changed, pl_error *error) {
  int64_t body = -1, index = -1;
  const char *action = "", *new_name = "";
  bool on = true;
  (void)pl_json_get_integer(pl_json_find(message, "body"), &body);
  (void)pl_json_get_integer(pl_json_find(message, "index"), &index);
  (void)pl_json_get_text(pl_json_find(message, "action"), &action);
  (void)pl_json_get_text(pl_json_find(message, "name"), &new_name);
  (void)pl_json_get_bool(pl_json_find(message, "on"), &on);
  if (w->instance == NULL || body < 0 || body >= pl_scene_instance_body_count(w->instance))
    return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body");
  pl_status status = studio_document_copy(w->context, &w->document, changed, error);
  if (status < 0) return status;
  studio_message scratch = studio_message_begin(w->context, "");
  request r = {w,
               changed,
               &PL_ITEM(&w->instance->parts, pl_instance_part, body),
               (int32_t)body,
               studio_instance_source(w, (int32_t)body),
               NULL,
               new_name,
               on,
               error};
  r.name = name_at(w, (int32_t)body, index, &scratch);
  status = change(&r, action);
  if (status >= 0 && changed->json->arena.failed) status = pl_fail_memory(error);
  pl_arena_destroy(&scratch.arena);
  if (status < 0) studio_document_free(w->context, changed);
  return status;
}
