// Looking into JSON trees, and building them by hand.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "text/json.h"

const char *pl_json_kind_name(pl_json_kind kind) {
  static const char *const names[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
  return names[kind];
}

// memcmp order, the shorter first among equals: the order in which the parser sorts members.
static int compare_key(const pl_json *member, const char *key, size_t length) {
  size_t own = (size_t)member->key_length;
  int order = memcmp(member->key, key, own < length ? own : length);
  return order != 0 ? order : (own > length) - (own < length);
}

const pl_json *pl_json_find(const pl_json *object, const char *key) {
  if (object == NULL || object->kind != PL_JSON_OBJECT) return NULL;
  size_t length = strlen(key);
  if (object->table != NULL) {
    int32_t low = 0, high = object->count;
    while (low < high) {
      int32_t middle = low + (high - low) / 2;
      int order = compare_key(object->table[middle], key, length);
      if (order == 0) return object->table[middle];
      if (order < 0)
        low = middle + 1;
      else
        high = middle;
    }
    return NULL;
  }
  for (const pl_json *member = object->first; member != NULL; member = member->next)
    if (compare_key(member, key, length) == 0) return member;
  return NULL;
}

const pl_json *pl_json_at(const pl_json *array, int64_t index) {
  if (array == NULL || array->kind != PL_JSON_ARRAY || index < 0 || index >= array->count) return NULL;
  if (array->table != NULL) return array->table[index];
  const pl_json *item = array->first;
  while (index-- > 0) item = item->next;
  return item;
}

bool pl_json_get_bool(const pl_json *value, bool *result) {
  if (value == NULL || value->kind != PL_JSON_BOOL) return false;
  *result = value->boolean;
  return true;
}

bool pl_json_get_number(const pl_json *value, double *result) {
  if (value == NULL || value->kind != PL_JSON_NUMBER) return false;
  *result = value->number;
  return true;
}

bool pl_json_get_integer(const pl_json *value, int64_t *result) {
  if (value == NULL || value->kind != PL_JSON_NUMBER) return false;
  if (value->number != floor(value->number) || fabs(value->number) > 9007199254740992.0) return false;
  *result = (int64_t)value->number;
  return true;
}

bool pl_json_get_text(const pl_json *value, const char **result) {
  if (value == NULL || value->kind != PL_JSON_STRING) return false;
  *result = value->text;
  return true;
}

bool pl_json_is_text(const pl_json *value, const char *text) {
  return value != NULL && value->kind == PL_JSON_STRING && strlen(text) == (size_t)value->text_length &&
         memcmp(text, value->text, (size_t)value->text_length) == 0;
}

// --- places -----------------------------------------------------------------------------------------------------

typedef struct path_text {
  char *buffer;
  size_t size, length;
} path_text;

static void put(path_text *path, const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (path->length + i + 1 < path->size) path->buffer[path->length + i] = text[i];
  path->length += length;
}

static bool is_plain_word(const char *key, int32_t length) {
  for (int32_t i = 0; i < length; ++i) {
    char c = key[i];
    bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '$' || (c & 0x80) != 0;
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return length > 0;
}

size_t pl_json_path(const pl_json *value, char *buffer, size_t size) {
  path_text path = {buffer, size, 0};
  int32_t depth = 0;
  for (const pl_json *v = value; v->parent != NULL; v = v->parent) depth++;
  // From the root down: each level is looked up again from the value, which costs depth squared but no memory.
  for (int32_t level = depth - 1; level >= 0; --level) {
    const pl_json *v = value;
    for (int32_t i = 0; i < level; ++i) v = v->parent;
    if (v->key == NULL) {
      char text[16];
      put(&path, text, (size_t)snprintf(text, sizeof text, "[%d]", v->index));
    } else if (is_plain_word(v->key, v->key_length)) {
      if (path.length > 0) put(&path, ".", 1);
      put(&path, v->key, (size_t)v->key_length);
    } else {
      put(&path, "[\"", 2);
      put(&path, v->key, (size_t)v->key_length);
      put(&path, "\"]", 2);
    }
  }
  if (size > 0) buffer[path.length < size ? path.length : size - 1] = '\0';
  return path.length;
}

pl_status pl_json_fail(const pl_json_document *document, const pl_json *value, pl_error *error, pl_status status,
                       const char *format, ...) {
  char text[sizeof((pl_error *)0)->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pl_fail_at(error, status, document->name, value->position.line, value->position.column, "%s", text);
  if (error != NULL) pl_json_path(value, error->field, sizeof error->field);
  return status;
}

pl_status pl_json_add_finding(const pl_json_document *document, const pl_json *value, bool at_key,
                              pl_findings *findings, const pl_finding *about, const char *format, ...) {
  if (findings == NULL) return PL_OK;
  char text[1024], path[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pl_json_path(value, path, sizeof path);
  pl_json_position position = at_key && value->key != NULL ? value->key_position : value->position;
  pl_finding finding = *about;
  finding.file = document->name;
  finding.line = position.line;
  finding.column = position.column;
  finding.field = path;
  return pl_findings_addf(findings, &finding, "%s", text);
}

// --- building ---------------------------------------------------------------------------------------------------

pl_json *pl_json_new(pl_arena *arena, pl_json_kind kind) {
  pl_json *value = PL_TAKE(arena, pl_json, 1);
  if (value != NULL) value->kind = kind;
  return value;
}

pl_json *pl_json_new_bool(pl_arena *arena, bool boolean) {
  pl_json *value = pl_json_new(arena, PL_JSON_BOOL);
  if (value != NULL) value->boolean = boolean;
  return value;
}

pl_json *pl_json_new_number(pl_arena *arena, double number) {
  pl_json *value = pl_json_new(arena, PL_JSON_NUMBER);
  if (value != NULL) value->number = number;
  return value;
}

pl_json *pl_json_new_text(pl_arena *arena, const char *text) {
  pl_json *value = pl_json_new(arena, PL_JSON_STRING);
  if (value == NULL) return NULL;
  value->text = pl_arena_copy_text(arena, text);
  value->text_length = (int32_t)strlen(text);
  return value->text == NULL ? NULL : value;
}

static pl_json *append(pl_json *parent, pl_json *value) {
  value->parent = parent;
  value->index = parent->count++;
  value->next = NULL;
  if (parent->last == NULL)
    parent->first = value;
  else
    parent->last->next = value;
  parent->last = value;
  parent->table = NULL;
  return value;
}

pl_json *pl_json_add(pl_json *array, pl_json *item) {
  return array == NULL || item == NULL ? NULL : append(array, item);
}

// Put `value` where `old` stands among the members of its parent.
static void replace(pl_json *old, pl_json *value) {
  pl_json *parent = old->parent;
  value->parent = parent;
  value->index = old->index;
  value->next = old->next;
  parent->table = NULL;
  if (parent->last == old) parent->last = value;
  pl_json **link = &parent->first;
  while (*link != old) link = &(*link)->next;
  *link = value;
  old->parent = old->next = NULL;
}

pl_json *pl_json_set(pl_arena *arena, pl_json *object, const char *key, pl_json *value) {
  if (object == NULL || value == NULL) return NULL;
  value->key = pl_arena_copy_text(arena, key);
  if (value->key == NULL) return NULL;
  value->key_length = (int32_t)strlen(key);
  for (pl_json *member = object->first; member != NULL; member = member->next)
    if (compare_key(member, key, strlen(key)) == 0) {
      replace(member, value);
      return value;
    }
  return append(object, value);
}

pl_json *pl_json_set_number(pl_arena *arena, pl_json *object, const char *key, double number) {
  return pl_json_set(arena, object, key, pl_json_new_number(arena, number));
}

pl_json *pl_json_set_text(pl_arena *arena, pl_json *object, const char *key, const char *text) {
  return pl_json_set(arena, object, key, pl_json_new_text(arena, text));
}

pl_json *pl_json_set_bool(pl_arena *arena, pl_json *object, const char *key, bool boolean) {
  return pl_json_set(arena, object, key, pl_json_new_bool(arena, boolean));
}

pl_json *pl_json_set_numbers(pl_arena *arena, pl_json *object, const char *key, const double *numbers, int32_t count) {
  pl_json *array = pl_json_new(arena, PL_JSON_ARRAY);
  for (int32_t i = 0; i < count; ++i) pl_json_add(array, pl_json_new_number(arena, numbers[i]));
  return pl_json_set(arena, object, key, array);
}
