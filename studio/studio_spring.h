// Springs and colliders that viewers add to the bones of a character.
#ifndef STUDIO_SPRING_H
#define STUDIO_SPRING_H

#include "studio_document.h"
#include "studio_message.h"

// Set `nodes`, `springs` and `node_colliders` of a body that has a character, for the `scene`
// message.
void studio_spring_describe(studio_world *world, studio_message *message, pl_json *object,
                            int32_t body);

// Change the springs of a body as a request `spring` asks, or its colliders (`node_collider`).
// `changed` is the document from which the scene must be built again.
pl_status studio_spring_change(studio_world *world, const pl_json *message,
                               studio_document *changed, pl_error *error);
pl_status studio_node_collider_change(studio_world *world, const pl_json *message,
                                      studio_document *changed, pl_error *error);

// Add an example of this name to every spring of the document: the current pose of its bones, and
// the direction to the camera.
pl_status studio_spring_add_pose(studio_world *world, studio_document *document, int32_t body,
                                 pl_json *springs, const char *name, pl_error *error);

#endif
