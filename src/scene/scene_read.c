// Reading a scene document by its tables: every value is checked for kind and range, every key for being known, and
// every problem is reported with its place, not only the first.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "pliant/math.h"
#include "scene/scene_types.h"

typedef struct reader {
  pl_scene *scene;
  pl_findings *findings;
  double metres;  // of the document's length unit
  bool failed;    // out of memory
} reader;

static pl_status read_object(reader *r, const pl_scene_type *type, const pl_json *json, void *object);

static void report_problem(reader *r, const pl_json *value, const char *kind, const char *fix, const char *format, ...)
    PL_PRINTF(5, 6);
static void report_problem(reader *r, const pl_json *value, const char *kind, const char *fix, const char *format,
                           ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pl_finding about = {.severity = PL_SEVERITY_ERROR, .index = -1, .kind = kind, .fix = fix};
  if (pl_json_add_finding(r->scene->json, value, strcmp(kind, "unknown-key") == 0, r->findings, &about, "%s", text) < 0)
    r->failed = true;
}

static void report_kind(reader *r, const pl_json *value, const char *wanted) {
  char fix[80];
  snprintf(fix, sizeof fix, "write %s here", wanted);
  report_problem(r, value, "wrong-kind", fix, "this is %s where %s is wanted", pl_json_kind_name(value->kind), wanted);
}

void pl_scene_set_defaults(const pl_scene_type *type, void *object) {
  memcpy(object, type->defaults, type->size);
  for (int32_t i = 0; i < type->row_count; ++i) {
    const pl_scene_field *row = &type->rows[i];
    void *slot = (char *)object + row->offset;
    if (row->kind == PL_SCENE_OBJECT) pl_scene_set_defaults(row->type, slot);
    if (row->kind == PL_SCENE_DEF) pl_parameters_set_defaults(row->parameters, slot);
    if (row->kind == PL_SCENE_ONE && !row->own_default)
      pl_parameter_set_default(pl_parameter_find(row->parameters, row->parameter), slot);
  }
}

// Whether a number fits its field's range; says so if not. The range holds before the unit is applied only for pure
// numbers, so lengths are converted first.
static bool check_range(reader *r, const pl_scene_field *field, const pl_json *json, double value) {
  if (field->min == 0 && field->max == 0) return true;
  if (value <= field->max && (field->min_above ? value > field->min : value >= field->min)) return true;
  char fix[160];
  snprintf(fix, sizeof fix, "use %s %g and at most %g%s%s", field->min_above ? "more than" : "at least", field->min,
           field->max, field->unit ? " " : "", field->unit ? field->unit : "");
  report_problem(r, json, "out-of-range", fix, "%g is out of range", value);
  return false;
}

static bool read_scaled(reader *r, const pl_scene_field *field, const pl_json *json, double *value) {
  double number;
  if (!pl_json_get_number(json, &number)) {
    report_kind(r, json, "a number");
    return false;
  }
  number *= pow(r->metres, field->length_power);
  if (!check_range(r, field, json, number)) return false;
  *value = field->factor != 0 ? number / field->factor : number;
  return true;
}

static void read_integer(reader *r, const pl_scene_field *field, const pl_json *json, int64_t *value) {
  int64_t number;
  if (!pl_json_get_integer(json, &number))
    report_kind(r, json, "a whole number");
  else if (check_range(r, field, json, (double)number))
    *value = number;
}

static void read_int32(reader *r, const pl_scene_field *field, const pl_json *json, int32_t *value) {
  pl_scene_field bounded = *field;
  if (bounded.min == 0 && bounded.max == 0) bounded.min = INT32_MIN, bounded.max = INT32_MAX;
  int64_t number = *value;
  read_integer(r, &bounded, json, &number);
  *value = (int32_t)number;
}

static void read_bits(reader *r, const pl_scene_field *field, const pl_json *json, uint32_t *value) {
  pl_scene_field bounded = *field;
  bounded.min = 0, bounded.max = UINT32_MAX;
  int64_t number = *value;
  read_integer(r, &bounded, json, &number);
  *value = (uint32_t)number;
}

// `count` numbers in an array.
static bool read_numbers(reader *r, const pl_scene_field *field, const pl_json *json, int32_t count, double *numbers) {
  if (json->kind != PL_JSON_ARRAY || json->count != count) {
    const char *fix = count == 2   ? "write them as [1, 2]"
                      : count == 3 ? "write them as [1, 2, 3]"
                                   : "write them as [0, 0, 0, 1]";
    report_problem(r, json, "wrong-length", fix, "%d numbers in brackets are wanted here", count);
    return false;
  }
  bool sound = true;
  for (int32_t i = 0; i < count; ++i) sound &= read_scaled(r, field, pl_json_at(json, i), &numbers[i]);
  return sound;
}

static void read_vector(reader *r, const pl_scene_field *field, const pl_json *json, pl_vec3 *value) {
  double n[3];
  if (read_numbers(r, field, json, 3, n)) *value = (pl_vec3){n[0], n[1], n[2]};
}

static void read_rotation(reader *r, const pl_json *json, pl_quat *value) {
  static const pl_scene_field plain = {.key = ""};
  double n[4];
  if (json->kind == PL_JSON_OBJECT) {
    const pl_json *axis = pl_json_find(json, "axis"), *degrees = pl_json_find(json, "degrees");
    for (const pl_json *member = json->first; member != NULL; member = member->next)
      if (member != axis && member != degrees)
        report_problem(r, member, "unknown-key", "take it out", "a rotation has `axis` and `degrees` and no `%s`",
                       member->key);
    if (axis == NULL || degrees == NULL) {
      report_problem(r, json, "missing-key", "add the other", "a rotation needs both `axis` and `degrees`");
      return;
    }
    bool sound = read_numbers(r, &plain, axis, 3, n);
    sound &= read_scaled(r, &plain, degrees, &n[3]);
    if (!sound) return;
    pl_vec3 direction = {n[0], n[1], n[2]};
    if (pl_vec3_length(direction) < 1e-12) {
      report_problem(r, axis, "no-direction", "give an axis such as [0, 1, 0]", "the axis of a rotation is zero");
      return;
    }
    *value = pl_quat_from_axis_angle(direction, n[3] * PL_PI / 180);
    return;
  }
  if (!read_numbers(r, &plain, json, 4, n)) return;
  pl_quat q = {n[0], n[1], n[2], n[3]};
  if (pl_quat_dot(q, q) < 1e-12)
    report_problem(r, json, "no-rotation", "the identity is [0, 0, 0, 1]", "a quaternion of zero is not a rotation");
  else
    *value = pl_quat_normalize(q);
}

static int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

static void read_color(reader *r, const pl_json *json, pl_color *value) {
  static const pl_scene_field fraction = {.key = "", .min = 0, .max = 1};
  const char *text;
  double n[3];
  if (pl_json_get_text(json, &text)) {
    bool sound = text[0] == '#' && strlen(text) == 7;
    for (int i = 0; sound && i < 3; ++i) {
      int high = hex_digit(text[1 + 2 * i]), low = hex_digit(text[2 + 2 * i]);
      sound = high >= 0 && low >= 0;
      n[i] = (16 * high + low) / 255.0;
    }
    if (!sound) {
      report_problem(r, json, "no-color", "write it as \"#rrggbb\" or [r, g, b] with numbers from 0 to 1",
                     "\"%s\" is not a colour", text);
      return;
    }
  } else if (!read_numbers(r, &fraction, json, 3, n)) {
    return;
  }
  *value = (pl_color){(float)n[0], (float)n[1], (float)n[2]};
}

static void read_choice(reader *r, const pl_scene_field *field, const pl_json *json, int32_t *value) {
  const char *text;
  if (!pl_json_get_text(json, &text)) {
    report_kind(r, json, "a word");
    return;
  }
  int32_t count = 0;
  char words[256] = "";
  for (; field->choices[count] != NULL; ++count) {
    if (strcmp(field->choices[count], text) == 0) {
      *value = field->kind == PL_SCENE_ENUM ? count : count + 1;
      return;
    }
    size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s%s", count > 0 ? ", " : "", field->choices[count]);
  }
  const char *near = pl_text_suggest(text, field->choices, count);
  char fix[320];
  if (near != NULL)
    snprintf(fix, sizeof fix, "did you mean \"%s\"? (there are: %s)", near, words);
  else
    snprintf(fix, sizeof fix, "use one of: %s", words);
  report_problem(r, json, "unknown-word", fix, "\"%s\" is not known here", text);
}

static void read_counts(reader *r, const pl_json *json, int32_t *counts) {
  static const pl_scene_field whole = {.key = "", .min = 1, .max = 100000};
  double n[3];
  if (!read_numbers(r, &whole, json, 3, n)) return;
  for (int i = 0; i < 3; ++i)
    if (n[i] != floor(n[i])) {
      report_problem(r, pl_json_at(json, i), "wrong-kind", "write it without a point",
                     "this is a fraction where a whole number is wanted");
      return;
    }
  for (int i = 0; i < 3; ++i) counts[i] = (int32_t)n[i];
}

static void *take_items(reader *r, pl_scene_list *list, int32_t count, size_t size) {
  list->items = pl_arena_take(&r->scene->arena, (size_t)count, size);
  list->count = list->items == NULL ? 0 : count;
  if (list->items == NULL) r->failed = true;
  return list->items;
}

static void read_indices(reader *r, const pl_json *json, pl_scene_list *list) {
  if (json->kind != PL_JSON_ARRAY) {
    report_kind(r, json, "a list of point numbers");
    return;
  }
  int32_t *items = take_items(r, list, json->count, sizeof(int32_t)), i = 0;
  for (const pl_json *item = json->first; items != NULL && item != NULL; item = item->next) {
    int64_t number;
    if (!pl_json_get_integer(item, &number) || number < 0 || number > INT32_MAX)
      report_problem(r, item, "wrong-kind", "write 0, 1, 2 …", "a point number is a whole number from 0 on");
    else
      items[i++] = (int32_t)number;
  }
  list->count = i;
}

static void read_pairs(reader *r, const pl_json *json, pl_scene_list *list) {
  if (json->kind != PL_JSON_ARRAY) {
    report_kind(r, json, "a list of pairs of point numbers");
    return;
  }
  int32_t *items = take_items(r, list, json->count, 2 * sizeof(int32_t));
  for (const pl_json *item = json->first; items != NULL && item != NULL; item = item->next, items += 2) {
    int64_t a, b;
    if (item->kind != PL_JSON_ARRAY || item->count != 2 || !pl_json_get_integer(pl_json_at(item, 0), &a) ||
        !pl_json_get_integer(pl_json_at(item, 1), &b) || a < 0 || b < 0 || a > INT32_MAX || b > INT32_MAX) {
      report_problem(r, item, "wrong-kind", "write it as [0, 5]", "a pair of point numbers is wanted here");
      continue;
    }
    items[0] = (int32_t)a;
    items[1] = (int32_t)b;
  }
}

static void read_points(reader *r, const pl_scene_field *field, const pl_json *json, pl_scene_list *list) {
  if (json->kind != PL_JSON_ARRAY) {
    report_kind(r, json, "a list of points");
    return;
  }
  pl_vec3 *items = take_items(r, list, json->count, sizeof(pl_vec3));
  for (const pl_json *item = json->first; items != NULL && item != NULL; item = item->next)
    read_vector(r, field, item, items++);
}

static void read_corners(reader *r, const pl_scene_field *field, const pl_json *json, pl_scene_list *list) {
  if (json->kind != PL_JSON_ARRAY || json->count < 3) {
    report_problem(r, json, "wrong-length", "write it as [[0, 0], [1, 0], [1, 1]]",
                   "an outline is a list of three or more corners");
    return;
  }
  double *items = take_items(r, list, json->count, 2 * sizeof(double));
  for (const pl_json *item = json->first; items != NULL && item != NULL; item = item->next, items += 2)
    read_numbers(r, field, item, 2, items);
}

static void read_number_list(reader *r, const pl_scene_field *field, const pl_json *json, pl_scene_list *list) {
  if (json->kind != PL_JSON_ARRAY) {
    report_kind(r, json, "a list of numbers");
    return;
  }
  double *items = take_items(r, list, json->count, sizeof(double));
  for (const pl_json *item = json->first; items != NULL && item != NULL; item = item->next)
    read_scaled(r, field, item, items++);
}

static void read_text(reader *r, const pl_json *json, const char **value);

static void read_text_list(reader *r, const pl_json *json, pl_scene_list *list) {
  if (json->kind != PL_JSON_ARRAY) {
    report_kind(r, json, "a list of names");
    return;
  }
  const char **items = take_items(r, list, json->count, sizeof(const char *));
  for (const pl_json *item = json->first; items != NULL && item != NULL; item = item->next, ++items) {
    *items = "";
    read_text(r, item, items);
  }
}

static void read_settings(reader *r, const pl_json *json, pl_scene_list *list) {
  if (json->kind != PL_JSON_OBJECT) {
    report_kind(r, json, "an object of named numbers");
    return;
  }
  pl_scene_setting *items = take_items(r, list, json->count, sizeof(pl_scene_setting));
  for (const pl_json *item = json->first; items != NULL && item != NULL; item = item->next, ++items) {
    *items = (pl_scene_setting){.json = item, .name = item->key};
    if (!pl_json_get_number(item, &items->value)) report_kind(r, item, "a number");
  }
}

static void read_list(reader *r, const pl_scene_field *field, const pl_json *json, pl_scene_list *list) {
  bool map = field->kind == PL_SCENE_MAP;
  if (field->or_one && json->kind == PL_JSON_OBJECT) {
    void *item = take_items(r, list, 1, field->type->size);
    if (item != NULL) read_object(r, field->type, json, item);
    return;
  }
  if (json->kind != (map ? PL_JSON_OBJECT : PL_JSON_ARRAY)) {
    report_kind(r, json, map ? "an object of named values" : "a list in brackets");
    return;
  }
  char *items = take_items(r, list, json->count, field->type->size);
  for (const pl_json *item = json->first; items != NULL && item != NULL;
       item = item->next, items += field->type->size) {
    read_object(r, field->type, item, items);
    // The name of a map's value is its key; by convention it is the member after `json`.
    if (map) memcpy(items + sizeof(const pl_json *), &item->key, sizeof(const char *));
  }
}

static void read_text(reader *r, const pl_json *json, const char **value) {
  const char *text;
  if (!pl_json_get_text(json, &text))
    report_kind(r, json, "text in quotes");
  else if (strlen(text) != (size_t)json->text_length)
    report_problem(r, json, "zero-byte", "take it out", "this text holds a zero character");
  else
    *value = text;
}

static void read_field(reader *r, const pl_scene_field *field, const pl_json *json, void *slot) {
  switch (field->kind) {
    case PL_SCENE_BOOL:
      if (!pl_json_get_bool(json, slot)) report_kind(r, json, "true or false");
      break;
    case PL_SCENE_NUMBER: read_scaled(r, field, json, slot); break;
    case PL_SCENE_INTEGER: read_integer(r, field, json, slot); break;
    case PL_SCENE_INT32: read_int32(r, field, json, slot); break;
    case PL_SCENE_BITS: read_bits(r, field, json, slot); break;
    case PL_SCENE_TEXT: read_text(r, json, slot); break;
    case PL_SCENE_CHOICE:
    case PL_SCENE_ENUM: read_choice(r, field, json, slot); break;
    case PL_SCENE_VECTOR: read_vector(r, field, json, slot); break;
    case PL_SCENE_COLOR: read_color(r, json, slot); break;
    case PL_SCENE_ROTATION: read_rotation(r, json, slot); break;
    case PL_SCENE_COUNTS: read_counts(r, json, slot); break;
    case PL_SCENE_INDICES: read_indices(r, json, slot); break;
    case PL_SCENE_PAIRS: read_pairs(r, json, slot); break;
    case PL_SCENE_POINTS: read_points(r, field, json, slot); break;
    case PL_SCENE_CORNERS: read_corners(r, field, json, slot); break;
    case PL_SCENE_NUMBERS: read_number_list(r, field, json, slot); break;
    case PL_SCENE_TEXTS: read_text_list(r, json, slot); break;
    case PL_SCENE_SETTINGS: read_settings(r, json, slot); break;
    case PL_SCENE_OBJECT: read_object(r, field->type, json, slot); break;
    case PL_SCENE_LIST:
    case PL_SCENE_MAP: read_list(r, field, json, slot); break;
    case PL_SCENE_DEF:
    case PL_SCENE_ONE: break;  // rows, of which a walk makes fields
  }
}

static void report_unknown(reader *r, const pl_scene_type *type, const pl_json *member) {
  enum { MAX_KEYS = 64 };
  const char *keys[MAX_KEYS];
  int32_t count = 0;
  pl_scene_walk walk = {0};
  pl_scene_field field;
  while (count < MAX_KEYS && pl_scene_walk_next(type, &walk, &field)) keys[count++] = field.key;
  const char *near = pl_text_suggest(member->key, keys, count);
  char fix[160] = "see docs/formats.md for the keys there are";
  if (near != NULL) snprintf(fix, sizeof fix, "did you mean `%s`?", near);
  report_problem(r, member, "unknown-key", fix, "there is no key `%s` in a %s", member->key, type->name);
}

static pl_status read_object(reader *r, const pl_scene_type *type, const pl_json *json, void *object) {
  pl_scene_set_defaults(type, object);
  if (json->kind != PL_JSON_OBJECT) {
    report_kind(r, json, "an object in braces");
    return PL_OK;
  }
  *(const pl_json **)object = json;
  pl_scene_field field;
  for (const pl_json *member = json->first; member != NULL; member = member->next) {
    if (pl_scene_field_find(type, member->key, &field))
      read_field(r, &field, member, (char *)object + field.offset);
    else if (strcmp(member->key, PL_SCENE_COMMENT) != 0)
      report_unknown(r, type, member);
    else if (member->kind != PL_JSON_STRING)
      report_kind(r, member, "a string");
  }
  pl_scene_walk walk = {0};
  while (pl_scene_walk_next(type, &walk, &field))
    if (field.required && pl_json_find(json, field.key) == NULL)
      report_problem(r, json, "missing-key", "add it", "this %s has no `%s`", type->name, field.key);
  return PL_OK;
}

pl_status pl_scene_fill(pl_scene *scene, pl_findings *findings, pl_error *error) {
  reader r = {.scene = scene, .findings = findings, .metres = 1};
  // The unit decides how all other numbers are read, wherever it stands.
  const char *unit;
  if (pl_json_get_text(pl_json_find(scene->json->root, "length_unit"), &unit)) r.metres = pl_scene_unit_metres(unit);
  read_object(&r, &pl_scene_document_type, scene->json->root, &scene->document);
  // From here on everything is in metres.
  scene->document.length_unit = 1;
  return r.failed ? pl_fail_memory(error) : PL_OK;
}
