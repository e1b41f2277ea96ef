// Settings: the list for the page, and changes.
//
// Models are immutable, so most changes build the scene again and transfer the state of the world
// (pl_world_transfer_state()). Settings that can change in a running world are marked as live.
#include "studio_setting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/gltf_sheet.h"
#include "studio_document.h"

// The tables of the scene format say which keys are offered and over which range (src/base/parameter.h). The time scale
// belongs to the studio itself.
static const pl_parameter_slider RATE = {.offered = true, .min = 0.05, .max = 4, .logarithmic = true, .live = true};

// Value of a choice that is not in the document.
static const char NONE[] = "none";

// "plastic_rate" becomes "plastic rate".
static void make_label(const char *key, char *label, size_t size) {
  snprintf(label, size, "%s", key);
  for (char *c = label; *c != '\0'; ++c)
    if (*c == '_' || *c == '.') *c = ' ';
}

// --- the list
// ---------------------------------------------------------------------------------------------------------------

static double setting_value(const pl_scene_body *body, const pl_behaviour_setting *setting) {
  const pl_scene_setting *given = body->actor.settings.items;
  for (int32_t i = 0; i < body->actor.settings.count; ++i)
    if (strcmp(given[i].name, setting->name) == 0) return given[i].value;
  return setting->preset;
}

static void set_range(studio_message *message, pl_json *item, double value, double min, double max) {
  studio_message_set_number(message, item, "value", value);
  studio_message_set_number(message, item, "min", fmin(min, value));
  studio_message_set_number(message, item, "max", fmax(max, value));
}

// A choice that may be absent from the document counts from 1; without it the first item is NONE.
static void set_choices(studio_message *message, pl_json *item, const studio_field *found) {
  const pl_scene_field *field = &found->field;
  pl_json *choices = pl_json_set(&message->arena, item, "choices", pl_json_new(&message->arena, PL_JSON_ARRAY));
  bool optional = field->kind == PL_SCENE_CHOICE;
  int32_t index = *(const int32_t *)found->value - (optional ? 1 : 0);
  if (optional) pl_json_add(choices, pl_json_new_text(&message->arena, NONE));
  for (int i = 0; field->choices[i] != NULL; ++i)
    pl_json_add(choices, pl_json_new_text(&message->arena, field->choices[i]));
  pl_json_set_text(&message->arena, item, "value", index < 0 ? NONE : field->choices[index]);
}

// The current value and its range or choices.
static void set_value(studio_message *message, pl_json *item, const studio_field *found) {
  const pl_scene_field *field = &found->field;
  double number = 0;
  switch (field->kind) {
    case PL_SCENE_BOOL: pl_json_set_bool(&message->arena, item, "value", *(const bool *)found->value); return;
    case PL_SCENE_ENUM:
    case PL_SCENE_CHOICE: set_choices(message, item, found); return;
    case PL_SCENE_INT32: number = *(const int32_t *)found->value; break;
    case PL_SCENE_VECTOR: number = ((const double *)found->value)[found->component]; break;
    default: number = *(const double *)found->value; break;
  }
  double min = field->slider.min, max = field->slider.max;
  if (field->min != 0 || field->max != 0) {
    min = fmax(min, field->min);
    max = fmin(max, field->max);
    if (field->min_above && min <= field->min) min = field->min + 1e-3 * (max - field->min);
  }
  set_range(message, item, number, min, max);
  pl_json_set_bool(&message->arena, item, "integer", field->kind == PL_SCENE_INT32);
}

static pl_json *new_item(studio_message *message, const char *path, const char *key,
                         const pl_parameter_slider *slider) {
  pl_json *item = pl_json_new(&message->arena, PL_JSON_OBJECT);
  char label[64];
  if (item == NULL) return NULL;
  make_label(key, label, sizeof label);
  pl_json_set_text(&message->arena, item, "path", path);
  pl_json_set_text(&message->arena, item, "label", label);
  pl_json_set_bool(&message->arena, item, "log", slider->logarithmic);
  pl_json_set_bool(&message->arena, item, "live", slider->live);
  return item;
}

static void list_rate(const studio_world *w, studio_message *message, pl_json *list) {
  pl_json *item = new_item(message, "studio.rate", "time scale", &RATE);
  if (item == NULL) return;
  set_range(message, item, w->rate, RATE.min, RATE.max);
  pl_json_set_text(&message->arena, item, "unit", "");
  pl_json_add(list, item);
}

static void list_field(studio_world *w, studio_message *message, pl_json *list, const char *path, const char *key) {
  studio_field field;
  if (!studio_field_find(w->scene, path, &field)) return;
  pl_json *item = new_item(message, path, key, &field.field.slider);
  if (item == NULL) return;
  set_value(message, item, &field);
  pl_json_set_text(&message->arena, item, "unit", field.field.unit != NULL ? field.field.unit : "");
  pl_json_set_text(&message->arena, item, "about", field.field.about);
  pl_json_add(list, item);
}

// Of a vector the vertical component is offered, or each of them.
static void list_vector(studio_world *w, studio_message *message, pl_json *list, const char *path, const char *key,
                        bool each) {
  for (int k = each ? 0 : 1; k < (each ? 3 : 2); ++k) {
    char whole[180], label[180];
    snprintf(whole, sizeof whole, "%s[%d]", path, k);
    snprintf(label, sizeof label, "%s%s%c", key, each ? " " : "", each ? "xyz"[k] : '\0');
    list_field(w, message, list, whole, label);
  }
}

// List the offered fields of a type, including nested objects, in the order of the table. Labels omit the first `skip`
// characters of a path.
static void list_offers(studio_world *w, studio_message *message, pl_json *list, const pl_scene_type *type,
                        const char *prefix, size_t skip) {
  pl_scene_walk walk = {0};
  pl_scene_field field;
  while (pl_scene_walk_next(type, &walk, &field)) {
    char path[160], key[160];
    snprintf(key, sizeof key, "%s%s", prefix + skip, field.key);
    snprintf(path, sizeof path, "%s%s%s", prefix, field.key, field.kind == PL_SCENE_OBJECT ? "." : "");
    if (field.kind == PL_SCENE_OBJECT)
      list_offers(w, message, list, field.type, path, skip);
    else if (field.slider.offered && field.kind == PL_SCENE_VECTOR)
      list_vector(w, message, list, path, key, field.slider.each_axis);
    else if (field.slider.offered)
      list_field(w, message, list, path, key);
  }
}

pl_json *studio_setting_list_fields(studio_world *w, studio_message *message, const pl_scene_type *type,
                                    const char *prefix) {
  pl_json *list = pl_json_new(&message->arena, PL_JSON_ARRAY);
  if (list != NULL) list_offers(w, message, list, type, prefix, strlen(prefix));
  return list;
}

static void list_behaviour(studio_message *message, pl_json *list, const char *prefix, const pl_scene_body *body) {
  const pl_behaviour *behaviour = pl_behaviour_find(body->actor.behaviour);
  for (int32_t i = 0; behaviour != NULL && i < behaviour->setting_count; ++i) {
    const pl_behaviour_setting *setting = &behaviour->settings[i];
    char path[200];
    snprintf(path, sizeof path, "%ssettings.%s", prefix, setting->name);
    pl_json *item = new_item(message, path, setting->name, &(pl_parameter_slider){.offered = true});
    if (item == NULL) return;
    double max = fmin(setting->max, fmax(4 * fabs(setting->preset), 1));
    set_range(message, item, setting_value(body, setting), fmax(setting->min, -max), max);
    pl_json_set_text(&message->arena, item, "unit", setting->unit);
    pl_json_set_text(&message->arena, item, "about", setting->about);
    pl_json_add(list, item);
  }
}

pl_json *studio_setting_list(studio_world *w, studio_message *message, int32_t source) {
  pl_json *list = pl_json_new(&message->arena, PL_JSON_ARRAY);
  if (list == NULL) return NULL;
  if (source < 0) {
    list_rate(w, message, list);
    list_offers(w, message, list, &pl_scene_document_type, "", 0);
    return list;
  }
  const pl_scene_body *body = &((const pl_scene_body *)w->scene->document.bodies.items)[source];
  char prefix[64];
  snprintf(prefix, sizeof prefix, "bodies[%d].appearance", source);
  list_field(w, message, list, prefix, "appearance");
  if (body->actor.json != NULL) {
    snprintf(prefix, sizeof prefix, "bodies[%d].actor.", source);
    list_offers(w, message, list, &pl_scene_actor_type, prefix, strlen(prefix));
    list_behaviour(message, list, prefix, body);
  }
  const pl_scene_type *const types[] = {[PL_SCENE_SOLID] = &pl_scene_solid_type,
                                        [PL_SCENE_ROD] = &pl_scene_rod_type,
                                        [PL_SCENE_FEM] = &pl_scene_fem_type,
                                        [PL_SCENE_RIGID] = &pl_scene_rigid_type,
                                        [PL_SCENE_KINEMATIC] = &pl_scene_kinematic_type};
  const pl_scene_type *type = types[body->method];
  snprintf(prefix, sizeof prefix, "bodies[%d].%s.", source, type->name);
  list_offers(w, message, list, type, prefix, strlen(prefix));
  return list;
}

// --- the change
// ---------------------------------------------------------------------------------------------------------------

// The value as JSON text for the document; false if its kind does not fit the field.
static bool value_text(const studio_world *w, const studio_field *field, const pl_json *value, char *text,
                       size_t size) {
  bool on;
  double number;
  const char *word;
  if (pl_json_get_bool(value, &on)) {
    snprintf(text, size, "%s", on ? "true" : "false");
    return true;
  }
  if (pl_json_get_text(value, &word))
    return (field->field.kind == PL_SCENE_ENUM || field->field.kind == PL_SCENE_CHOICE) &&
           snprintf(text, size, "\"%.60s\"", word) > 0;
  if (!pl_json_get_number(value, &number)) return false;
  double scale = pow(studio_document_unit(&w->document), -field->field.length_power);
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

static pl_status edit(studio_world *w, const char *path, const studio_field *field, const pl_json *value,
                      studio_document *changed, pl_error *error) {
  char text[128], whole[256];
  snprintf(whole, sizeof whole, "%s", path);
  if (field->component >= 0) *strrchr(whole, '[') = '\0';
  if (!value_text(w, field, value, text, sizeof text))
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, path, "the value must be a number, a text, true or false");
  pl_status status = studio_document_copy(w->context, &w->document, changed, error);
  if (status < 0) return status;
  if (field->field.kind == PL_SCENE_CHOICE && pl_json_is_text(value, NONE)) {
    pl_sheet_remove(studio_document_body(changed, field->body), field->field.key);
    return PL_OK;
  }
  pl_scene shell = {.context = w->context, .json = changed->json};
  const pl_scene_override override = {whole, text};
  status = pl_scene_override_all(&shell, &override, 1, error);
  if (status < 0) studio_document_free(w->context, changed);
  return status;
}

// Change a number of the running world.
static void change_live(studio_world *w, const studio_field *field, double number) {
  if (field->component >= 0) {
    ((double *)field->value)[field->component] = number;
    pl_world_set_gravity(w->world, w->scene->document.gravity);
    return;
  }
  *(double *)field->value = number;
  for (int32_t i = 0; i < pl_scene_instance_actor_count(w->instance); ++i) {
    pl_scene_instance_actor actor = pl_scene_instance_get_actor(w->instance, i);
    if (studio_instance_source(w, actor.body) != field->body) continue;
    pl_actor_command command = pl_actor_get_command(actor.actor);
    command.speed = number;
    pl_actor_set_command(actor.actor, command);
  }
}

pl_status studio_setting_change(studio_world *w, const char *path, const pl_json *value, bool *live,
                                studio_document *changed, pl_error *error) {
  double number = 0;
  bool is_number = pl_json_get_number(value, &number);
  *live = true;
  if (strcmp(path, "studio.rate") == 0) {
    if (!is_number || !(number >= 0.001 && number <= 100))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, path, "the value must be a number from 0.001 to 100");
    w->rate = number;
    w->due = 0;
    return PL_OK;
  }
  studio_field field;
  if (w->instance == NULL || !studio_field_find(w->scene, path, &field))
    return pl_fail_field(error, PL_ERROR_NOT_FOUND, path, "there is no such setting in this scene");
  pl_status status = edit(w, path, &field, value, changed, error);
  if (status < 0) return status;
  *live = is_number && field.field.slider.live && number >= -1e6 && number <= 1e6;
  if (!*live) return PL_OK;
  change_live(w, &field, number);
  studio_document_free(w->context, &w->document);
  w->document = *changed;
  return PL_OK;
}
