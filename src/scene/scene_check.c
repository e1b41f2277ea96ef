// What the tables cannot say about a scene: names that refer to others, things that exclude each other, times that must
// rise.
#include "scene/scene_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "io/file_bytes.h"
#include "scene/scene_actor.h"
#include "scene/scene_detail.h"
#include "scene/scene_fem.h"

void pl_checker_report(pl_scene_checker *c, const pl_json *value, const char *kind, const char *fix, const char *format,
                       ...) {
  if (value == NULL) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pl_finding about = {.severity = PL_SEVERITY_ERROR, .index = -1, .kind = kind, .fix = fix};
  pl_status status = pl_json_add_finding(c->scene->json, value, false, c->findings, &about, "%s", text);
  if (status < 0) c->status = status;
}

void pl_checker_miss(pl_scene_checker *c, const pl_json *value, const char *kind, const char *what, const char *name,
                     const char *const *names, int32_t count) {
  const char *near = pl_text_suggest(name, names, count);
  char fix[200] = "use an existing one, or add it";
  if (near != NULL) snprintf(fix, sizeof fix, "did you mean \"%.150s\"?", near);
  pl_checker_report(c, value, kind, fix, "there is no %s \"%s\"", what, name);
}

const pl_json *pl_checker_position(const pl_json *json, const char *key) {
  const pl_json *member = pl_json_find(json, key);
  return member != NULL ? member : json;
}

void pl_checker_mesh_name(pl_scene_checker *c, const pl_json *json, const char *name) {
  const pl_scene_list *meshes = &c->scene->document.meshes;
  const char *names[64];
  int32_t count = 0;
  for (int32_t i = 0; i < meshes->count; ++i) {
    const pl_scene_mesh *mesh = &((const pl_scene_mesh *)meshes->items)[i];
    if (strcmp(mesh->name, name) == 0) return;
    if (count < 64) names[count++] = mesh->name;
  }
  const char *near = pl_text_suggest(name, names, count);
  char fix[200] = "add it to `meshes`";
  if (near != NULL) snprintf(fix, sizeof fix, "did you mean \"%s\"?", near);
  pl_checker_report(c, pl_checker_position(json, "mesh"), "unknown-mesh", fix, "there is no mesh \"%s\" in this scene",
                    name);
}

static void check_shape(pl_scene_checker *c, const pl_scene_shape *shape) {
  bool combines = shape->kind >= 6 && shape->kind <= 8, warps = shape->kind >= 9;
  if (combines && shape->children.count == 0)
    pl_checker_report(c, shape->json, "no-children", "add `children`", "a node that combines others has none");
  if (warps && shape->children.count != 1)
    pl_checker_report(c, shape->json, "no-children", "put several into a union first",
                      "a bend or twist has exactly one child, not %d", shape->children.count);
  if (!combines && !warps && shape->kind > 0 && shape->children.count > 0)
    pl_checker_report(c, shape->json, "no-parent", "combine them in a union",
                      "only union, difference, intersection, bend and twist have children");
  for (int32_t i = 0; i < shape->children.count; ++i)
    check_shape(c, &((const pl_scene_shape *)shape->children.items)[i]);
}

void pl_checker_file(pl_scene_checker *c, const pl_json *json, const char *key, const char *file) {
  char *path = pl_path_join(c->scene->context, c->scene->folder, file);
  if (path == NULL) {
    c->status = PL_ERROR_OUT_OF_MEMORY;
    return;
  }
  if (!pl_file_exists(path))
    pl_checker_report(c, pl_checker_position(json, key), "missing-file", "paths are relative to the scene file",
                      "there is no file \"%s\"", path);
  pl_release(c->scene->context, path);
}

static void check_mesh(pl_scene_checker *c, const pl_scene_mesh *mesh) {
  int given = (mesh->file[0] != '\0') + (mesh->box.json != NULL) + (mesh->shape.json != NULL) +
              (mesh->curve.json != NULL) + (mesh->sheet.json != NULL) + (mesh->plate.json != NULL) +
              (mesh->cells.json != NULL);
  if (mesh->json != NULL && given != 1)
    pl_checker_report(
        c, mesh->json, "mesh-source", "keep exactly one",
        "a mesh is made from a file, a box, cells, a shape, a curve, a sheet or a plate; %d of them are given", given);
  if (mesh->file[0] != '\0') pl_checker_file(c, mesh->json, "file", mesh->file);
  if (mesh->shape.json != NULL) check_shape(c, &mesh->shape);
  if (mesh->cells.json != NULL) pl_checker_cells(c, &mesh->cells);
  pl_checker_thin_mesh(c, mesh);
}

void pl_checker_keys(pl_scene_checker *c, const pl_scene_list *keys) {
  const pl_scene_key *items = keys->items;
  for (int32_t i = 1; i < keys->count; ++i)
    if (!(items[i].time > items[i - 1].time))
      pl_checker_report(c, items[i].json, "key-order", "sort the keys by time",
                        "key %d is at %g s, not after the one before it at %g s", i, items[i].time, items[i - 1].time);
}

static void check_region(pl_scene_checker *c, const pl_scene_region *region) {
  if (region->json == NULL) return;
  if (region->min.x > region->max.x || region->min.y > region->max.y || region->min.z > region->max.z)
    pl_checker_report(c, region->json, "empty-region", "exchange `min` and `max` where they cross",
                      "this box is empty: `min` exceeds `max`");
}

// A particle cannot go farther than to its goal: what the stiffness asks for beyond that in one step is cut off.
static void check_stiffness(pl_scene_checker *c, const pl_scene_body *body) {
  bool rod = body->method == PL_SCENE_ROD;
  if (body->method != PL_SCENE_SOLID && !rod) return;
  if (!rod && body->solid.def.young > 0) return;  // known when the mesh is
  if (rod && (body->rod.character[0] != '\0' || body->rod.def.solver == PL_ROD_SPRING_BONE)) return;
  const pl_json *json = rod ? body->rod.json : body->solid.json;
  double stiffness = rod ? body->rod.def.stiffness : body->solid.def.stiffness;
  double stiffness_step = rod ? body->rod.def.stiffness_step : body->solid.def.stiffness_step;
  double ratio = c->scene->document.time.step / stiffness_step, fraction = stiffness * ratio * ratio;
  if (!(fraction > 1 + 1e-9)) return;
  char fix[200];
  snprintf(fix, sizeof fix, "lower `time.step` to %.3g s or less, or raise `stiffness_step`",
           stiffness_step / sqrt(stiffness));
  const pl_json *json_node = json == NULL ? body->json : pl_checker_position(json, "stiffness_step");
  if (json_node == json) json_node = pl_checker_position(json, "stiffness");
  const pl_finding about = {.severity = PL_SEVERITY_WARNING,
                            .index = -1,
                            .kind = "stiffness-cut",
                            .why = "a particle covers the whole way at most, so the body is softer than asked for",
                            .fix = fix};
  pl_status status =
      pl_json_add_finding(c->scene->json, json_node, false, c->findings, &about,
                          "at this stiffness a particle would cover %.3g times the way to its goal in one step of %g s",
                          fraction, c->scene->document.time.step);
  if (status < 0) c->status = status;
}

// Keys of a curve lie over time, those of angle and speed drivers over their own quantity.
static void check_drivers(pl_scene_checker *c, const pl_scene_body *body) {
  for (int32_t i = 0; i < body->drivers.count; ++i) {
    const pl_scene_driver *driver = &((const pl_scene_driver *)body->drivers.items)[i];
    const char *wanted = driver->kind == PL_SCENE_DRIVER_CURVE ? "time" : "at",
               *other = driver->kind == PL_SCENE_DRIVER_CURVE ? "at" : "time";
    for (int32_t k = 0; k < driver->keys.count; ++k) {
      const pl_json *json = ((const pl_scene_weight_key *)driver->keys.items)[k].json;
      if (json == NULL) continue;
      if (pl_json_find(json, wanted) == NULL)
        pl_checker_report(c, json, "missing-key", "add it", "this weight_key has no `%s`", wanted);
      if (pl_json_find(json, other) != NULL)
        pl_checker_report(c, pl_json_find(json, other), "unknown-key", "take it out",
                          "keys of this kind of driver have `%s` and no `%s`", wanted, other);
    }
  }
}

// Tets of another mesh carry a surface, so both must be what they are taken for; what a file holds shows only when it
// is read.
static void check_carrier(pl_scene_checker *c, const pl_scene_body *body) {
  if (body->tets.mesh[0] == '\0') return;
  pl_checker_mesh_name(c, body->tets.json, body->tets.mesh);
  const pl_scene_mesh *carrier = pl_scene_find_mesh(c->scene, body->tets.mesh),
                      *mesh = pl_scene_find_mesh(c->scene, body->mesh);
  if (carrier != NULL && carrier->file[0] == '\0' && carrier->cells.json == NULL && carrier->box.json == NULL)
    pl_checker_report(c, pl_checker_position(body->tets.json, "mesh"), "wrong-elements",
                      "take a mesh with `cells`, a `box` or a file",
                      "mesh \"%s\" has no tets that could carry a surface", body->tets.mesh);
  if (mesh != NULL && mesh->file[0] == '\0' && mesh->shape.json == NULL)
    pl_checker_report(c, pl_checker_position(body->json, "mesh"), "wrong-elements",
                      "take a mesh with a `shape` or a file", "mesh \"%s\" is not a surface that tets could carry",
                      body->mesh);
}

static void check_body(pl_scene_checker *c, const pl_scene_body *body) {
  if (body->json == NULL) return;
  if (body->mesh[0] != '\0') pl_checker_mesh_name(c, body->json, body->mesh);
  check_carrier(c, body);
  if (strpbrk(body->name, "/\\") != NULL || body->name[0] == '.')
    pl_checker_report(c, pl_checker_position(body->json, "name"), "bad-name", "use letters, digits, - and _",
                      "\"%s\" cannot be part of a file name", body->name);
  check_stiffness(c, body);
  if (body->method == PL_SCENE_ROD)
    pl_checker_rod(c, body);
  else if (body->method == PL_SCENE_FEM)
    pl_checker_fem(c, body);
  else if (body->method == PL_SCENE_RIGID)
    pl_checker_rigid(c, body);
  else if (body->method == PL_SCENE_KINEMATIC)
    pl_checker_kinematic(c, body);
  else
    pl_checker_solid(c, body);
  pl_checker_actor(c, body);
  pl_checker_detail(c, body);
  check_drivers(c, body);
  for (int32_t i = 0; i < body->pins.count; ++i) {
    const pl_scene_pin *pin = &((const pl_scene_pin *)body->pins.items)[i];
    int given = (pin->particles.count > 0) + (pin->within.json != NULL) + (pin->group[0] != '\0');
    if (pin->json != NULL && given != 1)
      pl_checker_report(c, pin->json, "pin-choice", "keep exactly one",
                        "a pin holds `particles`, what is `within` a box, or a `group`; %d of them are given", given);
    check_region(c, &pin->within);
    pl_checker_keys(c, &pin->keys);
  }
  for (int32_t i = 0; i < body->pushes.count; ++i) {
    const pl_scene_push *push = &((const pl_scene_push *)body->pushes.items)[i];
    check_region(c, &push->within);
    if (push->json != NULL && push->pressure == 0 && !(pl_vec3_length(push->force) > 0))
      pl_checker_report(c, push->json, "missing-key", "add `force` or `pressure`",
                        "this push has no force and no pressure");
    const pl_scene_load_key *keys = push->keys.items;
    for (int32_t k = 1; k < push->keys.count; ++k)
      if (!(keys[k].time > keys[k - 1].time))
        pl_checker_report(c, keys[k].json, "key-order", "sort the keys by time",
                          "key %d is at %g s, not after the one before it at %g s", k, keys[k].time, keys[k - 1].time);
    if (push->until != 0 && push->until <= push->from)
      pl_checker_report(c, push->json, "empty-time", "let it end later",
                        "this push ends at %g s, before it begins at %g s", push->until, push->from);
  }
}

static void check_body_names(pl_scene_checker *c) {
  const pl_scene_body *bodies = c->scene->document.bodies.items;
  for (int32_t i = 0; i < c->scene->document.bodies.count; ++i)
    for (int32_t k = 0; k < i; ++k)
      if (bodies[i].name[0] != '\0' && strcmp(bodies[i].name, bodies[k].name) == 0) {
        pl_checker_report(c, pl_checker_position(bodies[i].json, "name"), "same-name",
                          "names decide the files' names; make them different", "body %d is called \"%s\" like body %d",
                          i, bodies[i].name, k);
        break;
      }
}

// Copies of a body have numbers behind its name; the first stands for all.
static void check_follow(pl_scene_checker *c, const pl_scene_camera_def *camera) {
  const pl_scene_list *bodies = &c->scene->document.bodies;
  const char *names[64];
  int32_t count = 0;
  for (int32_t i = 0; i < bodies->count; ++i) {
    const char *name = ((const pl_scene_body *)bodies->items)[i].name;
    if (strcmp(name, camera->follow) == 0) return;
    if (count < 64) names[count++] = name;
  }
  pl_checker_miss(c, pl_json_find(camera->json, "follow"), "unknown-body", "body", camera->follow, names, count);
}

static void check_camera(pl_scene_checker *c, const pl_scene_camera_def *camera) {
  if (camera->follow[0] != '\0') check_follow(c, camera);
  const pl_scene_view *path = camera->path.items;
  for (int32_t i = 1; i < camera->path.count; ++i)
    if (!(path[i].time > path[i - 1].time))
      pl_checker_report(c, path[i].json, "key-order", "sort the path by time",
                        "view %d is at %g s, not after the one before it", i, path[i].time);
}

pl_status pl_scene_check_sense(const pl_scene *scene, pl_findings *findings) {
  pl_scene_checker c = {scene, findings, PL_OK};
  const pl_scene_document *document = &scene->document;
  for (int32_t i = 0; i < document->meshes.count; ++i)
    check_mesh(&c, &((const pl_scene_mesh *)document->meshes.items)[i]);
  for (int32_t i = 0; i < document->bodies.count; ++i)
    check_body(&c, &((const pl_scene_body *)document->bodies.items)[i]);
  check_body_names(&c);
  for (int32_t i = 0; i < document->colliders.count; ++i) {
    const pl_scene_collider *collider = &((const pl_scene_collider *)document->colliders.items)[i];
    if (collider->def.shape == PL_COLLIDER_MESH) pl_checker_mesh_name(&c, collider->json, collider->mesh);
    pl_checker_keys(&c, &collider->keys);
  }
  pl_checker_joints(&c);
  check_camera(&c, &document->camera);
  check_camera(&c, &document->observer);
  pl_checker_recording(&c);
  return c.status;
}
