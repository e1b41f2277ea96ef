// The published schema of scene documents (JSON Schema, draft 2020-12), made from the same tables that reading uses.
#include <string.h>

#include "base/error.h"
#include "scene/scene_types.h"

enum { MAX_TYPES = 256 };

typedef struct schema {
  pl_arena *arena;
  pl_json *definitions;
  const pl_scene_type *done[MAX_TYPES];  // types that have their definition
  int32_t done_count;
} schema;

static void define(schema *s, const pl_scene_type *type);

static pl_json *typed(schema *s, const char *type) {
  pl_json *json = pl_json_new(s->arena, PL_JSON_OBJECT);
  pl_json_set_text(s->arena, json, "type", type);
  return json;
}

static pl_json *reference(schema *s, const pl_scene_type *type) {
  char path[64] = "#/$defs/";
  strncat(path, type->name, sizeof path - strlen(path) - 1);
  define(s, type);
  pl_json *json = pl_json_new(s->arena, PL_JSON_OBJECT);
  pl_json_set_text(s->arena, json, "$ref", path);
  return json;
}

// Ranges in the schema hold for documents in metres; those in other length units are checked by the tool alone.
static pl_json *ranged(schema *s, const pl_scene_field *field, const char *type) {
  pl_json *json = typed(s, type);
  if (field->min == 0 && field->max == 0) return json;
  pl_json_set_number(s->arena, json, field->min_above ? "exclusiveMinimum" : "minimum", field->min);
  pl_json_set_number(s->arena, json, "maximum", field->max);
  return json;
}

static pl_json *array_of(schema *s, pl_json *items, int32_t min, int32_t max) {
  pl_json *json = typed(s, "array");
  pl_json_set(s->arena, json, "items", items);
  if (min > 0) pl_json_set_number(s->arena, json, "minItems", min);
  if (max > 0) pl_json_set_number(s->arena, json, "maxItems", max);
  return json;
}

static pl_json *either(schema *s, pl_json *a, pl_json *b) {
  pl_json *json = pl_json_new(s->arena, PL_JSON_OBJECT), *list = pl_json_new(s->arena, PL_JSON_ARRAY);
  pl_json_add(list, a);
  pl_json_add(list, b);
  pl_json_set(s->arena, json, "oneOf", list);
  return json;
}

static pl_json *rotation(schema *s) {
  pl_json *object = typed(s, "object"), *properties = pl_json_new(s->arena, PL_JSON_OBJECT),
          *needed = pl_json_new(s->arena, PL_JSON_ARRAY);
  pl_json_set(s->arena, properties, "axis", array_of(s, typed(s, "number"), 3, 3));
  pl_json_set(s->arena, properties, "degrees", typed(s, "number"));
  pl_json_set(s->arena, object, "properties", properties);
  pl_json_add(needed, pl_json_new_text(s->arena, "axis"));
  pl_json_add(needed, pl_json_new_text(s->arena, "degrees"));
  pl_json_set(s->arena, object, "required", needed);
  pl_json_set_bool(s->arena, object, "additionalProperties", false);
  return either(s, array_of(s, typed(s, "number"), 4, 4), object);
}

static pl_json *color(schema *s) {
  pl_json *text = typed(s, "string");
  pl_json_set_text(s->arena, text, "pattern", "^#[0-9a-fA-F]{6}$");
  static const pl_scene_field fraction = {.min = 0, .max = 1};
  return either(s, text, array_of(s, ranged(s, &fraction, "number"), 3, 3));
}

static pl_json *choice(schema *s, const pl_scene_field *field) {
  pl_json *json = pl_json_new(s->arena, PL_JSON_OBJECT), *words = pl_json_new(s->arena, PL_JSON_ARRAY);
  for (int32_t i = 0; field->choices[i] != NULL; ++i) pl_json_add(words, pl_json_new_text(s->arena, field->choices[i]));
  pl_json_set(s->arena, json, "enum", words);
  return json;
}

static pl_json *map_of(schema *s, const pl_scene_type *type) {
  pl_json *json = typed(s, "object");
  pl_json_set(s->arena, json, "additionalProperties", reference(s, type));
  return json;
}

static pl_json *settings_of(schema *s) {
  pl_json *json = typed(s, "object");
  pl_json_set(s->arena, json, "additionalProperties", typed(s, "number"));
  return json;
}

static pl_json *describe_kind(schema *s, const pl_scene_field *field) {
  static const pl_scene_field index = {.min = 0, .max = 2147483647};
  static const pl_scene_field count = {.min = 1, .max = 100000};
  switch (field->kind) {
    case PL_SCENE_BOOL: return typed(s, "boolean");
    case PL_SCENE_NUMBER: return ranged(s, field, "number");
    case PL_SCENE_INTEGER:
    case PL_SCENE_BITS:
    case PL_SCENE_INT32: return ranged(s, field, "integer");
    case PL_SCENE_TEXT: return typed(s, "string");
    case PL_SCENE_CHOICE:
    case PL_SCENE_ENUM: return choice(s, field);
    case PL_SCENE_VECTOR: return array_of(s, ranged(s, field, "number"), 3, 3);
    case PL_SCENE_COLOR: return color(s);
    case PL_SCENE_ROTATION: return rotation(s);
    case PL_SCENE_COUNTS: return array_of(s, ranged(s, &count, "integer"), 3, 3);
    case PL_SCENE_INDICES: return array_of(s, ranged(s, &index, "integer"), 0, 0);
    case PL_SCENE_PAIRS: return array_of(s, array_of(s, ranged(s, &index, "integer"), 2, 2), 0, 0);
    case PL_SCENE_POINTS: return array_of(s, array_of(s, typed(s, "number"), 3, 3), 0, 0);
    case PL_SCENE_CORNERS: return array_of(s, array_of(s, typed(s, "number"), 2, 2), 3, 0);
    case PL_SCENE_NUMBERS: return array_of(s, ranged(s, field, "number"), 0, 0);
    case PL_SCENE_TEXTS: return array_of(s, typed(s, "string"), 0, 0);
    case PL_SCENE_SETTINGS: return settings_of(s);
    case PL_SCENE_OBJECT: return reference(s, field->type);
    case PL_SCENE_LIST: {
      pl_json *list = array_of(s, reference(s, field->type), 0, 0);
      return field->or_one ? either(s, reference(s, field->type), list) : list;
    }
    case PL_SCENE_MAP: return map_of(s, field->type);
    case PL_SCENE_DEF:
    case PL_SCENE_ONE: break;  // rows, of which a walk makes fields
  }
  return NULL;
}

static void add_default(schema *s, const pl_scene_field *field, const void *slot, pl_json *json) {
  if (field->required) return;
  const double factor = field->factor != 0 ? field->factor : 1;
  if (field->kind == PL_SCENE_NUMBER) pl_json_set_number(s->arena, json, "default", *(const double *)slot * factor);
  if (field->kind == PL_SCENE_INTEGER) pl_json_set_number(s->arena, json, "default", (double)*(const int64_t *)slot);
  if (field->kind == PL_SCENE_INT32) pl_json_set_number(s->arena, json, "default", *(const int32_t *)slot);
  if (field->kind == PL_SCENE_BITS) pl_json_set_number(s->arena, json, "default", *(const uint32_t *)slot);
  if (field->kind == PL_SCENE_BOOL) pl_json_set_bool(s->arena, json, "default", *(const bool *)slot);
  if (field->kind == PL_SCENE_VECTOR) {
    const double *n = slot;
    pl_json_set_numbers(s->arena, json, "default", (const double[3]){n[0] * factor, n[1] * factor, n[2] * factor}, 3);
  }
  if (field->kind == PL_SCENE_COUNTS) {
    const int32_t *n = slot;
    pl_json_set_numbers(s->arena, json, "default", (const double[3]){n[0], n[1], n[2]}, 3);
  }
  if (field->kind == PL_SCENE_CHOICE && *(const int32_t *)slot > 0)
    pl_json_set_text(s->arena, json, "default", field->choices[*(const int32_t *)slot - 1]);
  if (field->kind == PL_SCENE_ENUM) pl_json_set_text(s->arena, json, "default", field->choices[*(const int32_t *)slot]);
}

static void fill(schema *s, const pl_scene_type *type, pl_json *json) {
  pl_json *properties = pl_json_new(s->arena, PL_JSON_OBJECT), *needed = pl_json_new(s->arena, PL_JSON_ARRAY);
  pl_json_set_text(s->arena, json, "description", type->about);
  pl_json_set_text(s->arena, json, "type", "object");
  pl_json_set_bool(s->arena, json, "additionalProperties", false);
  char *standard = pl_arena_take(s->arena, 1, type->size);
  if (standard == NULL) return;
  pl_scene_set_defaults(type, standard);
  pl_scene_walk walk = {0};
  pl_scene_field field;
  while (pl_scene_walk_next(type, &walk, &field)) {
    pl_json *property = describe_kind(s, &field);
    pl_json_set_text(s->arena, property, "description", field.about);
    if (field.unit != NULL) pl_json_set_text(s->arena, property, "unit", field.unit);
    add_default(s, &field, standard + field.offset, property);
    pl_json_set(s->arena, properties, field.key, property);
    if (field.required) pl_json_add(needed, pl_json_new_text(s->arena, field.key));
  }
  pl_json *comment = typed(s, "string");
  pl_json_set_text(s->arena, comment, "description", "Any text; it has no effect.");
  pl_json_set(s->arena, properties, PL_SCENE_COMMENT, comment);
  pl_json_set(s->arena, json, "properties", properties);
  if (needed != NULL && needed->count > 0) pl_json_set(s->arena, json, "required", needed);
}

static void define(schema *s, const pl_scene_type *type) {
  for (int32_t i = 0; i < s->done_count; ++i)
    if (s->done[i] == type) return;
  if (s->done_count == MAX_TYPES) return;
  s->done[s->done_count++] = type;
  pl_json *json = pl_json_new(s->arena, PL_JSON_OBJECT);
  pl_json_set(s->arena, s->definitions, type->name, json);
  fill(s, type, json);
}

pl_status pl_scene_schema_save(pl_context *context, const char *path, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  schema s = {.arena = &arena, .definitions = pl_json_new(&arena, PL_JSON_OBJECT)};
  pl_json *root = pl_json_new(&arena, PL_JSON_OBJECT);
  pl_json_set_text(&arena, root, "$schema", "https://json-schema.org/draft/2020-12/schema");
  pl_json_set_text(&arena, root, "title", "Pliant scene");
  fill(&s, &pl_scene_document_type, root);
  pl_json_set(&arena, root, "$defs", s.definitions);
  pl_status status = arena.failed ? pl_fail_memory(error) : pl_scene_write_json(context, path, root, error);
  pl_arena_destroy(&arena);
  return status;
}
