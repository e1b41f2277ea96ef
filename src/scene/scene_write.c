// Writing a scene document by its tables: what was given or differs from the defaults, in the tables' order, always in
// SI units.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "scene/scene_types.h"

static pl_json *write_object(pl_arena *arena, const pl_scene_type *type, const void *object);

static pl_json *write_numbers(pl_arena *arena, const double *numbers, int32_t count) {
  pl_json *array = pl_json_new(arena, PL_JSON_ARRAY);
  for (int32_t i = 0; i < count; ++i) pl_json_add(array, pl_json_new_number(arena, numbers[i]));
  return array;
}

static double factor_of(const pl_scene_field *field) {
  return field->factor != 0 ? field->factor : 1;
}

static pl_json *write_list(pl_arena *arena, const pl_scene_field *field, const pl_scene_list *list) {
  bool map = field->kind == PL_SCENE_MAP;
  if (field->or_one && list->count == 1) return write_object(arena, field->type, list->items);
  pl_json *container = pl_json_new(arena, map ? PL_JSON_OBJECT : PL_JSON_ARRAY);
  for (int32_t i = 0; i < list->count; ++i) {
    const char *item = (const char *)list->items + (size_t)i * field->type->size;
    pl_json *value = write_object(arena, field->type, item);
    const char *name;
    memcpy(&name, item + sizeof(const pl_json *), sizeof name);
    if (map)
      pl_json_set(arena, container, name, value);
    else
      pl_json_add(container, value);
  }
  return container;
}

static pl_json *write_field(pl_arena *arena, const pl_scene_field *field, const void *slot) {
  switch (field->kind) {
    case PL_SCENE_BOOL: return pl_json_new_bool(arena, *(const bool *)slot);
    case PL_SCENE_NUMBER: return pl_json_new_number(arena, *(const double *)slot * factor_of(field));
    case PL_SCENE_INTEGER: return pl_json_new_number(arena, (double)*(const int64_t *)slot);
    case PL_SCENE_INT32: return pl_json_new_number(arena, *(const int32_t *)slot);
    case PL_SCENE_BITS: return pl_json_new_number(arena, *(const uint32_t *)slot);
    case PL_SCENE_TEXT: return pl_json_new_text(arena, *(const char *const *)slot);
    case PL_SCENE_CHOICE: return pl_json_new_text(arena, field->choices[*(const int32_t *)slot - 1]);
    case PL_SCENE_ENUM: return pl_json_new_text(arena, field->choices[*(const int32_t *)slot]);
    case PL_SCENE_VECTOR: {
      const double *n = slot, f = factor_of(field);
      return write_numbers(arena, (const double[3]){n[0] * f, n[1] * f, n[2] * f}, 3);
    }
    case PL_SCENE_ROTATION: return write_numbers(arena, slot, 4);
    case PL_SCENE_COLOR: {
      const pl_color *c = slot;
      return write_numbers(arena, (const double[3]){(double)c->r, (double)c->g, (double)c->b}, 3);
    }
    case PL_SCENE_COUNTS: {
      const int32_t *n = slot;
      return write_numbers(arena, (const double[3]){n[0], n[1], n[2]}, 3);
    }
    case PL_SCENE_INDICES: {
      const pl_scene_list *list = slot;
      pl_json *array = pl_json_new(arena, PL_JSON_ARRAY);
      for (int32_t i = 0; i < list->count; ++i)
        pl_json_add(array, pl_json_new_number(arena, ((const int32_t *)list->items)[i]));
      return array;
    }
    case PL_SCENE_PAIRS: {
      const pl_scene_list *list = slot;
      pl_json *array = pl_json_new(arena, PL_JSON_ARRAY);
      for (int32_t i = 0; i < list->count; ++i) {
        const int32_t *pair = (const int32_t *)list->items + 2 * i;
        pl_json_add(array, write_numbers(arena, (const double[2]){pair[0], pair[1]}, 2));
      }
      return array;
    }
    case PL_SCENE_POINTS: {
      const pl_scene_list *list = slot;
      pl_json *array = pl_json_new(arena, PL_JSON_ARRAY);
      for (int32_t i = 0; i < list->count; ++i) {
        pl_vec3 p = ((const pl_vec3 *)list->items)[i];
        pl_json_add(array, write_numbers(arena, (const double[3]){p.x, p.y, p.z}, 3));
      }
      return array;
    }
    case PL_SCENE_CORNERS: {
      const pl_scene_list *list = slot;
      pl_json *array = pl_json_new(arena, PL_JSON_ARRAY);
      for (int32_t i = 0; i < list->count; ++i)
        pl_json_add(array, write_numbers(arena, (const double *)list->items + 2 * i, 2));
      return array;
    }
    case PL_SCENE_NUMBERS: {
      const pl_scene_list *list = slot;
      return write_numbers(arena, list->items, list->count);
    }
    case PL_SCENE_TEXTS: {
      const pl_scene_list *list = slot;
      pl_json *array = pl_json_new(arena, PL_JSON_ARRAY);
      for (int32_t i = 0; i < list->count; ++i)
        pl_json_add(array, pl_json_new_text(arena, ((const char *const *)list->items)[i]));
      return array;
    }
    case PL_SCENE_SETTINGS: {
      const pl_scene_list *list = slot;
      const pl_scene_setting *settings = list->items;
      pl_json *object = pl_json_new(arena, PL_JSON_OBJECT);
      for (int32_t i = 0; i < list->count; ++i) pl_json_set_number(arena, object, settings[i].name, settings[i].value);
      return object;
    }
    case PL_SCENE_OBJECT: return write_object(arena, field->type, slot);
    case PL_SCENE_LIST:
    case PL_SCENE_MAP: return write_list(arena, field, slot);
    case PL_SCENE_DEF:
    case PL_SCENE_ONE: break;  // rows, of which a walk makes fields
  }
  return NULL;
}

static size_t plain_size(pl_scene_kind kind) {
  switch (kind) {
    case PL_SCENE_BOOL: return sizeof(bool);
    case PL_SCENE_NUMBER: return sizeof(double);
    case PL_SCENE_INTEGER: return sizeof(int64_t);
    case PL_SCENE_INT32:
    case PL_SCENE_BITS:
    case PL_SCENE_CHOICE:
    case PL_SCENE_ENUM: return sizeof(int32_t);
    case PL_SCENE_VECTOR: return sizeof(pl_vec3);
    case PL_SCENE_COLOR: return sizeof(pl_color);
    case PL_SCENE_ROTATION: return sizeof(pl_quat);
    case PL_SCENE_COUNTS: return 3 * sizeof(int32_t);
    default: return 0;
  }
}

// Whether a value need not be written.
static bool is_default(const pl_scene_field *field, const void *slot, const void *standard) {
  switch (field->kind) {
    case PL_SCENE_TEXT: return strcmp(*(const char *const *)slot, *(const char *const *)standard) == 0;
    case PL_SCENE_INDICES:
    case PL_SCENE_PAIRS:
    case PL_SCENE_POINTS:
    case PL_SCENE_CORNERS:
    case PL_SCENE_NUMBERS:
    case PL_SCENE_TEXTS:
    case PL_SCENE_SETTINGS:
    case PL_SCENE_LIST:
    case PL_SCENE_MAP: return ((const pl_scene_list *)slot)->count == 0;
    case PL_SCENE_OBJECT: return *(const pl_json *const *)slot == NULL;
    default: return memcmp(slot, standard, plain_size(field->kind)) == 0;
  }
}

static pl_json *write_object(pl_arena *arena, const pl_scene_type *type, const void *object) {
  pl_json *json = pl_json_new(arena, PL_JSON_OBJECT);
  void *standard = pl_arena_take(arena, 1, type->size);
  if (json == NULL || standard == NULL) return NULL;
  pl_scene_set_defaults(type, standard);
  const pl_json *source = *(const pl_json *const *)object;
  const char *comment = NULL;
  if (source != NULL && pl_json_get_text(pl_json_find(source, PL_SCENE_COMMENT), &comment))
    pl_json_set_text(arena, json, PL_SCENE_COMMENT, comment);
  pl_scene_walk walk = {0};
  pl_scene_field field;
  while (pl_scene_walk_next(type, &walk, &field)) {
    const void *slot = (const char *)object + field.offset;
    // What stood in the document is kept even where it is the default: for some keys being absent has a meaning of its
    // own.
    bool given = field.required || (source != NULL && pl_json_find(source, field.key) != NULL);
    if (given || !is_default(&field, slot, (const char *)standard + field.offset))
      pl_json_set(arena, json, field.key, write_field(arena, &field, slot));
  }
  return json;
}

pl_status pl_scene_write_json(pl_context *context, const char *path, const pl_json *json, pl_error *error) {
  pl_vector text = pl_vector_of(context, 1);
  pl_file_writer *writer = NULL;
  pl_status status = pl_json_write(json, PL_JSON_PRETTY, &text, error);
  if (status >= 0) status = pl_file_writer_open(context, path, &writer, error);
  if (status >= 0) {
    pl_file_writer_write(writer, text.items, text.count);
    status = pl_file_writer_commit(writer, error);
  }
  pl_vector_free(&text);
  return status;
}

pl_status pl_scene_save(pl_context *context, const char *path, const pl_scene *scene, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_json *json = write_object(&arena, &pl_scene_document_type, &scene->document);
  pl_status status =
      arena.failed || json == NULL ? pl_fail_memory(error) : pl_scene_write_json(context, path, json, error);
  pl_arena_destroy(&arena);
  return status;
}
