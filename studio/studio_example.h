// Examples of bodies: listed, added from the present pose, renamed, muted, deleted.
#ifndef STUDIO_EXAMPLE_H
#define STUDIO_EXAMPLE_H

#include "studio_message.h"

// The examples of a body of the set for the message about the scene: first those that its model has, in the order of its weights, then those that are mute.
pl_json *studio_example_list(studio_world *world, studio_message *message, int32_t body);

// A request `example` of a viewer: the document that the scene is to be built from anew.
pl_status studio_example_change(studio_world *world, const pl_json *message, studio_document *changed, pl_error *error);

#endif
