// Examples of bodies: list, add from the current pose, rename, mute, delete.
#ifndef STUDIO_EXAMPLE_H
#define STUDIO_EXAMPLE_H

#include "studio_message.h"

// The `examples` of a body in the `scene` message: first the active ones in the order of the
// weights, then the muted ones.
pl_json *studio_example_list(studio_world *world, studio_message *message, int32_t body);

// Apply an `example` request to a copy of the document; the scene must be built from it again.
pl_status studio_example_change(studio_world *world, const pl_json *message,
                                studio_document *changed, pl_error *error);

#endif
