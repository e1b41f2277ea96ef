// The changes of a scene's ground, body and mesh that robust actors stand up to, as values that replace those of the
// scene.
#include "tool_changes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json.h"
#include "tool_arguments.h"

const tool_change tool_changes[TOOL_CHANGE_COUNT] = {
    {TOOL_CHANGE_SLOPE, -5, "-5", false},         {TOOL_CHANGE_SLOPE, -2.5, "-2.5", false},
    {TOOL_CHANGE_SLOPE, 2.5, "2.5", false},       {TOOL_CHANGE_SLOPE, 5, "5", true},
    {TOOL_CHANGE_PUSH, -0.3, "-.3", false},       {TOOL_CHANGE_PUSH, -0.15, "-.15", false},
    {TOOL_CHANGE_PUSH, 0.15, ".15", false},       {TOOL_CHANGE_PUSH, 0.3, ".3", true},
    {TOOL_CHANGE_FRICTION, 0.4, "u.4", true},     {TOOL_CHANGE_FRICTION, 0.6, "u.6", false},
    {TOOL_CHANGE_FRICTION, 0.8, "u.8", false},    {TOOL_CHANGE_FRICTION, 1, "u1", false},
    {TOOL_CHANGE_STIFFNESS, 0.5, "E/2", true},    {TOOL_CHANGE_STIFFNESS, 0.7, "E*.7", false},
    {TOOL_CHANGE_STIFFNESS, 1.4, "E*1.4", false}, {TOOL_CHANGE_STIFFNESS, 2, "E*2", false},
    {TOOL_CHANGE_MESH, 2, "mesh", true},
};

enum { TEXT_SIZE = 160 };
static const double PUSH_TIME = 0.2;  // s

static void add(tool_change_list *list, const char *path, const char *value) {
  if (list->count == TOOL_CHANGE_MAX_OVERRIDES) return;
  int32_t k = list->count++;
  snprintf(list->paths[k], TOOL_CHANGE_PATH_SIZE, "%s", path);
  snprintf(list->values[k], TOOL_CHANGE_VALUE_SIZE, "%s", value);
  list->items[k] = (pl_scene_override){list->paths[k], list->values[k]};
}

static void add_number(tool_change_list *list, const char *path, double number) {
  char value[TEXT_SIZE];
  snprintf(value, sizeof value, "%.9g", number);
  add(list, path, value);
}

// With all digits: a change of bits would be lost otherwise.
static void add_precise(tool_change_list *list, const char *path, double number) {
  char value[TEXT_SIZE];
  snprintf(value, sizeof value, "%.17g", number);
  add(list, path, value);
}

static double number_of(const pl_json *object, const char *key, double otherwise) {
  pl_json_get_number(pl_json_find(object, key), &otherwise);
  return otherwise;
}

// A tilted ground would cut into wide feet: bodies are lifted and settle on it first.
static void tilt(tool_change_list *list, const pl_json *root, double degrees) {
  char path[TEXT_SIZE], value[TEXT_SIZE];
  snprintf(value, sizeof value, "{\"axis\": [0, 0, 1], \"degrees\": %g}", degrees);
  add(list, "colliders[0].rotation", value);
  add_number(list, "time.warm_up", 1);
  const pl_json *bodies = pl_json_find(root, "bodies");
  for (int32_t i = 0; i < bodies->count; ++i) {
    const pl_json *place = pl_json_find(pl_json_at(bodies, i), "position");
    double at[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) pl_json_get_number(pl_json_at(place, k), &at[k]);
    snprintf(path, sizeof path, "bodies[%d].position", i);
    snprintf(value, sizeof value, "[%.9g, %.9g, %.9g]", at[0], at[1] + 0.5 * sin(fabs(degrees) * PL_PI / 180), at[2]);
    add(list, path, value);
  }
}

// The points of a closed curve with one more in the middle of each edge.
static void halve_edges(tool_change_list *list, const char *path, const pl_json *points) {
  char value[TOOL_CHANGE_VALUE_SIZE] = "[";
  size_t used = 1;
  for (int32_t i = 0; i < 2 * points->count && used + TEXT_SIZE < sizeof value; ++i) {
    const pl_json *from = pl_json_at(points, i / 2), *to = pl_json_at(points, (i + 1) / 2 % points->count);
    double a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
      pl_json_get_number(pl_json_at(from, k), &a[k]);
      pl_json_get_number(pl_json_at(to, k), &b[k]);
    }
    used += (size_t)snprintf(value + used, sizeof value - used, "%s[%.9g, %.9g, %.9g]", i > 0 ? ", " : "",
                             0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]));
  }
  snprintf(value + used, sizeof value - used, "]");
  add(list, path, value);
}

static void refine(tool_change_list *list, const pl_json *root, double factor) {
  char path[TEXT_SIZE];
  const pl_json *bodies = pl_json_find(root, "bodies"), *meshes = pl_json_find(root, "meshes");
  for (const pl_json *mesh = meshes->first; mesh != NULL; mesh = mesh->next) {
    const pl_json *plate = pl_json_find(mesh, "plate"), *curve = pl_json_find(mesh, "curve");
    bool is_body = false;
    for (int32_t i = 0; i < bodies->count; ++i)
      is_body = is_body || pl_json_is_text(pl_json_find(pl_json_at(bodies, i), "mesh"), mesh->key);
    if (!is_body) continue;
    if (pl_json_find(mesh, "triangles") != NULL) {
      snprintf(path, sizeof path, "meshes.%s.triangles", mesh->key);
      add_number(list, path, factor * number_of(mesh, "triangles", 0));
    } else if (plate != NULL) {
      snprintf(path, sizeof path, "meshes.%s.plate.spacing", mesh->key);
      add_number(list, path, number_of(plate, "spacing", 0.1) / sqrt(factor));
    } else if (curve != NULL) {
      snprintf(path, sizeof path, "meshes.%s.curve.points", mesh->key);
      halve_edges(list, path, pl_json_find(curve, "points"));
    }
  }
}

// Of each body: one number of its material, replaced or multiplied.
static void change_material(tool_change_list *list, const pl_json *bodies, const char *key, double factor,
                            double number) {
  char path[TEXT_SIZE];
  for (int32_t i = 0; i < bodies->count; ++i) {
    const pl_json *fem = pl_json_find(pl_json_at(bodies, i), "fem");
    snprintf(path, sizeof path, "bodies[%d].fem.%s", i, key);
    if (factor > 0)
      add_precise(list, path, factor * number_of(fem, key, number));
    else
      add_number(list, path, number);
  }
}

static void push(tool_change_list *list, const pl_json *bodies, double speed, double mass) {
  char path[TEXT_SIZE], value[TEXT_SIZE];
  for (int32_t i = 0; i < bodies->count; ++i) {
    snprintf(path, sizeof path, "bodies[%d].pushes", i);
    snprintf(value, sizeof value, "[{\"force\": [%.9g, 0, 0], \"from\": 3, \"until\": %g}]", mass * speed / PUSH_TIME,
             3 + PUSH_TIME);
    add(list, path, value);
  }
}

static void apply_change(tool_change_list *list, const pl_json *root, const tool_change *it, double mass) {
  const pl_json *bodies = pl_json_find(root, "bodies");
  switch (it->kind) {
    case TOOL_CHANGE_SLOPE: tilt(list, root, it->amount); break;
    case TOOL_CHANGE_PUSH: push(list, bodies, it->amount, mass); break;
    case TOOL_CHANGE_FRICTION:
      add_number(list, "colliders[0].friction", it->amount);
      change_material(list, bodies, "friction", 0, it->amount);
      break;
    case TOOL_CHANGE_STIFFNESS: change_material(list, bodies, "young", it->amount, 1e5); break;
    case TOOL_CHANGE_MESH: refine(list, root, it->amount); break;
    case TOOL_CHANGE_BITS: change_material(list, bodies, "density", 1 + it->amount, 1000); break;
  }
}

static pl_status load_document(pl_context *context, const char *path, pl_json_document **document, pl_error *error) {
  FILE *file = fopen(path, "rb");
  long size = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  char *text = size >= 0 ? tool_allocate((size_t)size + 1, 1) : NULL;
  if (text != NULL) rewind(file);
  bool good = text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size;
  if (file != NULL) fclose(file);
  pl_status status = PL_ERROR_NOT_FOUND;
  if (good)
    status = pl_json_parse(context, text, (size_t)size, path, NULL, document, error);
  else
    snprintf(error->text, sizeof error->text, "%.200s cannot be read", path);
  free(text);
  return status;
}

// Mass of the first actor's body as the scene has it.
static pl_status find_mass(pl_context *context, const char *path, double *mass, pl_error *error) {
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  pl_status status = pl_scene_load(context, path, &scene, NULL, error);
  if (status >= 0) status = pl_scene_build(context, &def, scene, &set, NULL, error);
  if (status >= 0) {
    int32_t body = pl_scene_instance_get_actor(set, 0).body;
    *mass = pl_body_get_report(pl_scene_instance_get_world(set), pl_scene_instance_get_body(set, body).id).mass;
  }
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  return status;
}

pl_status tool_change_find(pl_context *context, const char *path, const tool_change *change, tool_change_list *list,
                           pl_error *error) {
  pl_json_document *document = NULL;
  double mass = 0;
  list->count = 0;
  pl_status status = load_document(context, path, &document, error);
  if (status >= 0 && change->kind == TOOL_CHANGE_PUSH) status = find_mass(context, path, &mass, error);
  if (status >= 0) apply_change(list, document->root, change, mass);
  pl_json_document_destroy(document);
  return status;
}
