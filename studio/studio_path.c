// Resolves paths of fields by the tables of the scene format (src/scene/scene_types.h).
#include <stdlib.h>
#include <string.h>

#include "studio_setting.h"

// Read the next step of a path: a key, or an index in brackets. NULL if it is not valid.
static const char *read_step(const char *path, char *key, size_t size, long *index) {
  *index = -1;
  if (*path == '[') {
    char *end;
    *index = strtol(path + 1, &end, 10);
    return end > path + 1 && *end == ']' && *index >= 0 && *index < 1000000 ? end + 1 : NULL;
  }
  if (*path == '.') ++path;
  size_t length = strcspn(path, ".[");
  if (length == 0 || length >= size) return NULL;
  memcpy(key, path, length);
  key[length] = '\0';
  return path + length;
}

static const char *setting_name(const pl_behaviour *behaviour, const char *key) {
  for (int32_t i = 0; behaviour != NULL && i < behaviour->setting_count; ++i)
    if (strcmp(behaviour->settings[i].name, key) == 0) return behaviour->settings[i].name;
  return NULL;
}

bool studio_field_find(pl_scene *scene, const char *path, studio_field *found) {
  const pl_scene_type *type = &pl_scene_document_type;
  char *object = (char *)&scene->document, key[128];
  *found = (studio_field){.component = -1, .body = -1};
  for (;;) {
    long index;
    path = read_step(path, key, sizeof key, &index);
    if (path == NULL || index >= 0) return false;
    pl_scene_field *field = &found->field;
    if (!pl_scene_field_find(type, key, field)) return false;
    found->value = object + field->offset;
    if (field->kind == PL_SCENE_LIST) {
      const pl_scene_list *list = found->value;
      path = read_step(path, key, sizeof key, &index);
      if (path == NULL || index < 0 || index >= list->count || *path == '\0') return false;
      if (type == &pl_scene_document_type && strcmp(field->key, "bodies") == 0) found->body = (int32_t)index;
      object = (char *)list->items + (size_t)index * field->type->size;
      type = field->type;
    } else if (field->kind == PL_SCENE_OBJECT && *path != '\0') {
      object = found->value;
      type = field->type;
    } else if (field->kind == PL_SCENE_VECTOR && *path == '[') {
      path = read_step(path, key, sizeof key, &index);
      found->component = (int)index;
      return path != NULL && *path == '\0' && index < 3;
    } else if (field->kind == PL_SCENE_SETTINGS && *path == '.' && found->body >= 0) {
      const pl_scene_body *body = &((const pl_scene_body *)scene->document.bodies.items)[found->body];
      path = read_step(path, key, sizeof key, &index);
      found->setting =
          path != NULL && *path == '\0' ? setting_name(pl_behaviour_find(body->actor.behaviour), key) : NULL;
      return found->setting != NULL;
    } else {
      return *path == '\0';
    }
  }
}
