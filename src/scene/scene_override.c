// Values of a scene document replaced before it is read: `bodies[0].rod.suppression` = `none`.
//
// The document's tree is changed, not its text, so all else keeps its line and column. Objects on the way that are
// missing are made; whether their keys exist is left to reading, which then says what was meant.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scene/scene_types.h"

// A copy in the document's arena, standing where `place` is.
static pl_json *copy_value(pl_arena *arena, const pl_json *from, pl_json_position position) {
  pl_json *copy = pl_json_new(arena, from->kind);
  if (copy == NULL) return NULL;
  copy->position = copy->key_position = position;
  copy->boolean = from->boolean;
  copy->number = from->number;
  if (from->kind == PL_JSON_STRING) {
    copy->text = pl_arena_copy(arena, from->text, (size_t)from->text_length + 1, 1);
    copy->text_length = from->text_length;
  }
  for (const pl_json *item = from->first; item != NULL; item = item->next) {
    pl_json *part = copy_value(arena, item, position);
    if (from->kind == PL_JSON_ARRAY)
      pl_json_add(copy, part);
    else
      pl_json_set(arena, copy, item->key, part);
  }
  return copy;
}

// The value as JSON if it is, otherwise as a string: `none` needs no quotes.
static pl_status parse_value(pl_scene *scene, const char *text, pl_json_position position, pl_json **value,
                             pl_error *error) {
  pl_arena *arena = &scene->json->arena;
  pl_json_document *document = NULL;
  pl_error ignored;
  pl_status status = pl_json_parse(scene->context, text, strlen(text), "", NULL, &document, &ignored);
  if (status == PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(error);
  *value = status >= 0 ? copy_value(arena, document->root, position) : pl_json_new_text(arena, text);
  pl_json_document_destroy(document);
  if (arena->failed || *value == NULL) return pl_fail_memory(error);
  (*value)->position = (*value)->key_position = position;
  return PL_OK;
}

// One step of a path: a key or an index; NULL when the path cannot be read.
typedef struct path_step {
  char key[128];
  int64_t index;  // -1 for a key
} path_step;

static const char *read_step(const char *path, path_step *step) {
  step->index = -1;
  if (*path == '[') {
    char *end;
    step->index = strtoll(path + 1, &end, 10);
    return end > path + 1 && *end == ']' && step->index >= 0 ? end + 1 : NULL;
  }
  if (*path == '.') ++path;
  size_t length = strcspn(path, ".[");
  if (length == 0 || length >= sizeof step->key) return NULL;
  memcpy(step->key, path, length);
  step->key[length] = '\0';
  return path + length;
}

static void replace_item(pl_json *array, int64_t index, pl_json *value) {
  pl_json *before = NULL, *item = array->first;
  for (int64_t i = 0; i < index; ++i) {
    before = item;
    item = item->next;
  }
  value->parent = array;
  value->index = item->index;
  value->next = item->next;
  if (before == NULL)
    array->first = value;
  else
    before->next = value;
  if (array->last == item) array->last = value;
  array->table = NULL;
}

static pl_status apply(pl_scene *scene, const pl_scene_override *override, pl_error *error) {
  pl_arena *arena = &scene->json->arena;
  pl_json *at = scene->json->root;
  const char *rest = override->path;
  for (;;) {
    path_step step;
    rest = read_step(rest, &step);
    if (rest == NULL || at->kind != (step.index >= 0 ? PL_JSON_ARRAY : PL_JSON_OBJECT) || step.index >= at->count)
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, override->path,
                           "there is no such value in the scene; write keys and numbers of list items, as in "
                           "bodies[0].rod.ghost_momentum");
    const pl_json *found = step.index >= 0 ? pl_json_at(at, step.index) : pl_json_find(at, step.key);
    pl_json *next = (pl_json *)(uintptr_t)found;
    if (*rest == '\0') {
      pl_json *value = NULL;
      pl_status status =
          parse_value(scene, override->value, next != NULL ? next->position : at->position, &value, error);
      if (status < 0) return status;
      if (step.index >= 0)
        replace_item(at, step.index, value);
      else
        pl_json_set(arena, at, step.key, value);
      return arena->failed ? pl_fail_memory(error) : PL_OK;
    }
    if (next == NULL) {
      next = pl_json_set(arena, at, step.key, pl_json_new(arena, PL_JSON_OBJECT));
      if (next == NULL) return pl_fail_memory(error);
      next->position = next->key_position = at->position;
    }
    at = next;
  }
}

pl_status pl_scene_override_all(pl_scene *scene, const pl_scene_override *overrides, int32_t count, pl_error *error) {
  for (int32_t i = 0; i < count; ++i) {
    pl_status status = apply(scene, &overrides[i], error);
    if (status < 0) return status;
  }
  return PL_OK;
}
