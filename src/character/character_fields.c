// Single fields of a character's JSON: typed, finite, in range, and with messages that name the thing they belong to.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "character/character_parts.h"

pl_status pl_character_get_number(const pl_gltf *gltf, const char *what, const pl_json *object, const char *key,
                                  double *value) {
  const pl_json *member = pl_json_find(object, key);
  if (member == NULL) return PL_OK;
  double number = 0;
  if (!pl_json_get_number(member, &number) || !isfinite(number))
    return pl_json_fail(gltf->document, member, gltf->error, PL_ERROR_INVALID_DATA, "%s: %s must be a finite number",
                        what, key);
  *value = number;
  return PL_OK;
}

pl_status pl_character_get_numbers(const pl_gltf *gltf, const char *what, const pl_json *object, const char *key,
                                   int32_t count, double *values) {
  const pl_json *member = pl_json_find(object, key);
  if (member == NULL) return PL_OK;
  bool fits = member->kind == PL_JSON_ARRAY && member->count == count;
  for (int32_t i = 0; fits && i < count; ++i)
    fits = pl_json_get_number(pl_json_at(member, i), &values[i]) && isfinite(values[i]);
  if (fits) return PL_OK;
  return pl_json_fail(gltf->document, member, gltf->error, PL_ERROR_INVALID_DATA,
                      "%s: %s must be an array of %d finite numbers", what, key, count);
}

pl_status pl_character_get_vector(const pl_gltf *gltf, const char *what, const pl_json *object, const char *key,
                                  pl_vec3 *value) {
  double values[3] = {value->x, value->y, value->z};
  pl_status status = pl_character_get_numbers(gltf, what, object, key, 3, values);
  if (status >= 0) *value = (pl_vec3){values[0], values[1], values[2]};
  return status;
}

pl_status pl_character_get_array(const pl_gltf *gltf, const char *what, const pl_json *object, const char *key,
                                 const pl_json **array) {
  *array = pl_json_find(object, key);
  if (*array == NULL || (*array)->kind == PL_JSON_ARRAY) return PL_OK;
  return pl_json_fail(gltf->document, *array, gltf->error, PL_ERROR_INVALID_DATA, "%s: %s must be an array", what, key);
}

pl_status pl_character_get_index(const pl_gltf *gltf, const char *what, const pl_json *value, int32_t limit,
                                 const char *kind, int32_t *index) {
  int64_t found = -1;
  if (!pl_json_get_integer(value, &found))
    return pl_json_fail(gltf->document, value, gltf->error, PL_ERROR_INVALID_DATA, "%s: the index of a %s is expected",
                        what, kind);
  if (found < 0 || found >= limit)
    return pl_json_fail(gltf->document, value, gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: there is no %s %lld; the file has %d", what, kind, (long long)found, limit);
  *index = (int32_t)found;
  return PL_OK;
}

pl_status pl_character_get_name(const pl_gltf *gltf, pl_character *character, const pl_json *object, const char *key,
                                const char *fallback, int32_t number, const char **name) {
  char text[64];
  const char *given = NULL;
  if (!pl_json_get_text(pl_json_find(object, key), &given) || given[0] == '\0') {
    snprintf(text, sizeof text, "%s %d", fallback, number);
    given = text;
  }
  *name = pl_arena_copy_text(&character->arena, given);
  return *name == NULL ? pl_fail_memory(gltf->error) : PL_OK;
}

pl_status pl_character_warn(const pl_gltf *gltf, const pl_json *value, const char *kind, const char *why,
                            const char *fix, const char *format, ...) {
  char text[480];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pl_finding about = {.severity = PL_SEVERITY_WARNING, .index = -1, .kind = kind, .why = why, .fix = fix};
  pl_status status = pl_json_add_finding(gltf->document, value, true, gltf->findings, &about, "%s", text);
  return status < 0 ? pl_fail_memory(gltf->error) : PL_OK;
}

pl_status pl_character_warn_unknown(const pl_gltf *gltf, const pl_json *object, const char *const *keys,
                                    int32_t key_count) {
  for (const pl_json *member = object->first; member != NULL; member = member->next) {
    bool known = false;
    for (int32_t i = 0; i < key_count && !known; ++i) known = strcmp(member->key, keys[i]) == 0;
    if (known || strcmp(member->key, "extras") == 0 || strcmp(member->key, "extensions") == 0) continue;
    const char *near = pl_text_suggest(member->key, keys, key_count);
    char fix[64] = "remove it";
    if (near != NULL) snprintf(fix, sizeof fix, "did you mean %s?", near);
    pl_status status = pl_character_warn(gltf, member, "unknown-key", "it has no effect", fix,
                                         "PLIANT_rod_examples has no member %.60s here", member->key);
    if (status < 0) return status;
  }
  return PL_OK;
}
