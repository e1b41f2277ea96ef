// Parameters of a scene that viewers can change.
#ifndef STUDIO_SETTING_H
#define STUDIO_SETTING_H

#include "studio_message.h"

// The `settings` of body `source` of the document, or of the world (-1), for the `scene` message.
pl_json *studio_setting_list(studio_world *world, studio_message *message, int32_t source);

// The offered fields of one object of the document, such as that at `bodies[0].rod.springs[1].`.
pl_json *studio_setting_list_fields(studio_world *world, studio_message *message,
                                    const pl_scene_type *type, const char *prefix);

// Change a setting. `*live`: the change was applied to the running world. Otherwise `changed` is
// the document from which the scene must be built again.
pl_status studio_setting_change(studio_world *world, const char *path, const pl_json *value,
                                bool *live, studio_document *changed, pl_error *error);

// A field of a document and its value.
typedef struct studio_field {
  pl_scene_field field;
  void *value;
  int component;        // of a vector; -1: all
  int32_t body;         // of the document; -1: not in a body
  const char *setting;  // name of a setting of a behaviour; NULL: not a setting
} studio_field;

// Find a path such as `bodies[0].solid.stiffness`; false if there is no such field.
bool studio_field_find(pl_scene *scene, const char *path, studio_field *field);

#endif
