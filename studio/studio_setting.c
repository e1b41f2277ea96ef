// Settings: what a page offers to change for each method, and the change.
//
// Models are immutable, so most changes build the scene anew and go on where the world stood (pl_world_transfer_state()). What the library lets be changed in a running world is
// marked as live.
#include "studio_setting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "studio_document.h"

typedef struct offer {
  const char *key;     // below the method's object; of the world: the whole path
  double min, max;  // of a slider
  bool log;            // on a logarithmic scale
  bool live;
} offer;

static const offer SOLID[] = {{"stiffness", 0.005, 1, true, false},      {"fidelity", 0, 1, false, false},
                              {"damping", 0, 20, false, false},          {"density", 10, 1e4, true, false},
                              {"friction", 0, 2, false, false},          {"restitution", 0, 1, false, false},
                              {"plastic_threshold", 0, 1, false, false}, {"plastic_rate", 0, 20, false, false},
                              {"hold_examples", 0, 1, false, false},     {"grouping", 0, 0, false, false}};
static const offer ROD[] = {
    {"stiffness", 0.001, 1, true, false}, {"damping", 0, 20, false, false},  {"twist", 0.05, 5, true, false},
    {"width", 1, 16, false, false},       {"friction", 0, 2, false, false},  {"ghost_momentum", 0, 0, false, false},
    {"window", 0, 1, false, false},       {"view_time", 0, 2, false, false}, {"view_rule", 0, 0, false, false}};
static const offer FEM[] = {
    {"young", 100, 1e8, true, false},      {"poisson", 0, 0.49, false, false},           {"density", 10, 1e4, true, false},
    {"mass_damping", 0, 10, false, false}, {"stiffness_damping", 0, 0.05, false, false}, {"friction", 0, 2, false, false}};
static const offer ACTOR[] = {{"command.speed", 0, 2, false, true},
                              {"regularisation", 1e-6, 10, true, false},
                              {"rate_regularisation", 1e-6, 1e3, true, false}};
static const offer WORLD[] = {{"studio.rate", 0.05, 4, true, true}, {"gravity[1]", -20, 20, false, true}};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

// "plastic_rate" as people write it.
static void make_label(const char *key, char *label, size_t size) {
  snprintf(label, size, "%s", key);
  for (char *c = label; *c != '\0'; ++c)
    if (*c == '_' || *c == '.') *c = ' ';
}

// --- the list ---------------------------------------------------------------------------------------------------------------

static double setting_value(const pl_scene_body *body, const pl_behaviour_setting *setting) {
  const pl_scene_setting *given = body->actor.settings.items;
  for (int32_t i = 0; i < body->actor.settings.count; ++i)
    if (strcmp(given[i].name, setting->name) == 0) return given[i].value;
  return setting->preset;
}

static void set_range(studio_note *note, pl_json *item, double value, double min, double max) {
  studio_note_number(note, item, "value", value);
  studio_note_number(note, item, "min", fmin(min, value));
  studio_note_number(note, item, "max", fmax(max, value));
}

// The value as it stands in the scene, and what can be said of it.
static void set_value(studio_note *note, pl_json *item, const studio_field *field_place, const offer *from) {
  const pl_scene_field *field = field_place->field;
  double number = 0;
  switch (field->kind) {
    case PL_SCENE_BOOL: pl_json_set_bool(&note->arena, item, "value", *(const bool *)field_place->value); return;
    case PL_SCENE_CHOICE: {
      pl_json *choices = pl_json_set(&note->arena, item, "choices", pl_json_new(&note->arena, PL_JSON_ARRAY));
      for (int i = 0; field->choices[i] != NULL; ++i) pl_json_add(choices, pl_json_new_text(&note->arena, field->choices[i]));
      pl_json_set_text(&note->arena, item, "value", field->choices[*(const int32_t *)field_place->value - 1]);
      return;
    }
    case PL_SCENE_INTEGER: number = (double)*(const int64_t *)field_place->value; break;
    case PL_SCENE_VECTOR: number = ((const double *)field_place->value)[field_place->component]; break;
    default: number = *(const double *)field_place->value; break;
  }
  double min = from->min, max = from->max;
  if (field->min != 0 || field->max != 0) {
    min = fmax(min, field->min);
    max = fmin(max, field->max);
    if (field->min_above && min <= field->min) min = field->min + 1e-3 * (max - field->min);
  }
  set_range(note, item, number, min, max);
  pl_json_set_bool(&note->arena, item, "whole", field->kind == PL_SCENE_INTEGER);
}

static pl_json *describe(studio_world *w, studio_note *note, const char *path, const offer *from) {
  studio_field field;
  char label[64];
  bool own = strncmp(path, "studio.", 7) == 0;
  if (!own && !studio_field_find(w->scene, path, &field)) return NULL;
  pl_json *item = pl_json_new(&note->arena, PL_JSON_OBJECT);
  if (item == NULL) return NULL;
  make_label(own ? "time scale" : field.component == 1 ? "gravity" : from->key, label, sizeof label);
  pl_json_set_text(&note->arena, item, "path", path);
  pl_json_set_text(&note->arena, item, "label", label);
  if (own)
    set_range(note, item, w->rate, from->min, from->max);
  else
    set_value(note, item, &field, from);
  pl_json_set_bool(&note->arena, item, "log", from->log);
  pl_json_set_text(&note->arena, item, "unit", !own && field.field->unit != NULL ? field.field->unit : "");
  pl_json_set_bool(&note->arena, item, "live", from->live);
  if (!own) pl_json_set_text(&note->arena, item, "about", field.field->about);
  return item;
}

static void list_offers(studio_world *w, studio_note *note, pl_json *list, const char *prefix, const offer *offers, int count) {
  for (int i = 0; i < count; ++i) {
    char path[160];
    snprintf(path, sizeof path, "%s%s", prefix, offers[i].key);
    pl_json *item = describe(w, note, path, &offers[i]);
    if (item != NULL) pl_json_add(list, item);
  }
}

static void list_behaviour(studio_note *note, pl_json *list, const char *prefix, const pl_scene_body *body) {
  const pl_behaviour *behaviour = pl_behaviour_find(body->actor.behaviour);
  for (int32_t i = 0; behaviour != NULL && i < behaviour->setting_count; ++i) {
    const pl_behaviour_setting *setting = &behaviour->settings[i];
    pl_json *item = pl_json_new(&note->arena, PL_JSON_OBJECT);
    char path[200], label[64];
    if (item == NULL) return;
    snprintf(path, sizeof path, "%ssettings.%s", prefix, setting->name);
    make_label(setting->name, label, sizeof label);
    pl_json_set_text(&note->arena, item, "path", path);
    pl_json_set_text(&note->arena, item, "label", label);
    double max = fmin(setting->max, fmax(4 * fabs(setting->preset), 1));
    set_range(note, item, setting_value(body, setting), fmax(setting->min, -max), max);
    pl_json_set_bool(&note->arena, item, "log", false);
    pl_json_set_text(&note->arena, item, "unit", setting->unit);
    pl_json_set_bool(&note->arena, item, "live", false);
    pl_json_set_text(&note->arena, item, "about", setting->about);
    pl_json_add(list, item);
  }
}

pl_json *studio_setting_list(studio_world *w, studio_note *note, int32_t source) {
  pl_json *list = pl_json_new(&note->arena, PL_JSON_ARRAY);
  if (list == NULL) return NULL;
  if (source < 0) {
    list_offers(w, note, list, "", WORLD, COUNT_OF(WORLD));
    return list;
  }
  const pl_scene_body *body = &((const pl_scene_body *)w->scene->document.bodies.items)[source];
  char prefix[64];
  if (body->actor.json != NULL) {
    snprintf(prefix, sizeof prefix, "bodies[%d].actor.", source);
    list_offers(w, note, list, prefix, ACTOR, COUNT_OF(ACTOR));
    list_behaviour(note, list, prefix, body);
  }
  const offer *offers = body->method == PL_SCENE_SOLID ? SOLID : body->method == PL_SCENE_ROD ? ROD : FEM;
  const char *method = body->method == PL_SCENE_SOLID ? "solid" : body->method == PL_SCENE_ROD ? "rod" : "fem";
  int count = body->method == PL_SCENE_SOLID ? COUNT_OF(SOLID) : body->method == PL_SCENE_ROD ? COUNT_OF(ROD) : COUNT_OF(FEM);
  snprintf(prefix, sizeof prefix, "bodies[%d].%s.", source, method);
  list_offers(w, note, list, prefix, offers, count);
  return list;
}

// --- the change ---------------------------------------------------------------------------------------------------------------

// The value as text of the document; false when it is of a kind that has no place here.
static bool value_text(const studio_world *w, const studio_field *field, const pl_json *value, char *text, size_t size) {
  bool on;
  double number;
  const char *word;
  if (pl_json_get_bool(value, &on)) {
    snprintf(text, size, "%s", on ? "true" : "false");
    return true;
  }
  if (pl_json_get_text(value, &word)) return field->field->kind == PL_SCENE_CHOICE && snprintf(text, size, "\"%.60s\"", word) > 0;
  if (!pl_json_get_number(value, &number)) return false;
  double scale = pow(studio_document_unit(&w->document), -field->field->length_power);
  if (field->component < 0) {
    snprintf(text, size, "%.17g", number * scale);
    return true;
  }
  double all[3];
  memcpy(all, field->value, sizeof all);
  all[field->component] = number;
  snprintf(text, size, "[%.17g, %.17g, %.17g]", all[0] * scale, all[1] * scale, all[2] * scale);
  return true;
}

static pl_status edit(studio_world *w, const char *path, const studio_field *field, const pl_json *value, studio_document *changed,
                      pl_error *error) {
  char text[128], whole[256];
  snprintf(whole, sizeof whole, "%s", path);
  if (field->component >= 0) *strrchr(whole, '[') = '\0';
  if (!value_text(w, field, value, text, sizeof text))
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, path, "a number, a word or true or false is wanted");
  pl_status status = studio_document_copy(w->context, &w->document, changed, error);
  if (status < 0) return status;
  pl_scene shell = {.context = w->context, .json = changed->json};
  const pl_scene_override override = {whole, text};
  status = pl_scene_override_all(&shell, &override, 1, error);
  if (status < 0) studio_document_free(w->context, changed);
  return status;
}

static bool is_live(const char *path, const studio_field *field) {
  return strcmp(path, "gravity[1]") == 0 || (field->body >= 0 && strstr(path, ".actor.command.speed") != NULL);
}

// A number of a running world.
static void change_live(studio_world *w, const studio_field *field, double number) {
  if (field->component >= 0) {
    ((double *)field->value)[field->component] = number;
    pl_world_set_gravity(w->world, w->scene->document.gravity);
    return;
  }
  *(double *)field->value = number;
  for (int32_t i = 0; i < pl_scene_instance_actor_count(w->set); ++i) {
    pl_scene_instance_actor actor = pl_scene_instance_get_actor(w->set, i);
    if (studio_stage_source(w, actor.body) != field->body) continue;
    pl_actor_command command = pl_actor_get_command(actor.actor);
    command.speed = number;
    pl_actor_set_command(actor.actor, command);
  }
}

pl_status studio_setting_change(studio_world *w, const char *path, const pl_json *value, bool *live, studio_document *changed,
                                pl_error *error) {
  double number = 0;
  bool is_number = pl_json_get_number(value, &number);
  *live = true;
  if (strcmp(path, "studio.rate") == 0) {
    if (!is_number || !(number >= 0.001 && number <= 100))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, path, "a number from 0.001 to 100 is wanted");
    w->rate = number;
    w->due = 0;
    return PL_OK;
  }
  studio_field field;
  if (w->set == NULL || !studio_field_find(w->scene, path, &field))
    return pl_fail_field(error, PL_ERROR_NOT_FOUND, path, "there is no such setting in this scene");
  pl_status status = edit(w, path, &field, value, changed, error);
  if (status < 0) return status;
  *live = is_number && is_live(path, &field) && number >= -1e6 && number <= 1e6;
  if (!*live) return PL_OK;
  change_live(w, &field, number);
  studio_document_free(w->context, &w->document);
  w->document = *changed;
  return PL_OK;
}
