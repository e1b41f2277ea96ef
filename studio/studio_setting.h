// Numbers, switches and words of a scene that viewers can change.
#ifndef STUDIO_SETTING_H
#define STUDIO_SETTING_H

#include "studio_message.h"

// The settings of body number `source` of the document, or of the world as a whole (-1), for the message about the scene.
pl_json *studio_setting_list(studio_world *world, studio_message *message, int32_t source);

// Change one. `*live`: the running world has it. Otherwise `changed` is the document that the scene is to be built from anew.
pl_status studio_setting_change(studio_world *world, const char *path, const pl_json *value, bool *live, studio_document *changed,
                                pl_error *error);

// A place in a document: its field, and where the value is kept.
typedef struct studio_field {
  pl_scene_field field;
  void *value;
  int component;        // of a vector, -1 for all
  int32_t body;         // of the document, -1 outside of bodies
  const char *setting;  // name of a setting of a behaviour, NULL otherwise
} studio_field;

// Find a path such as `bodies[0].solid.stiffness` in the tables of scenes; false if there is none.
bool studio_field_find(pl_scene *scene, const char *path, studio_field *field);

#endif
