// Records an example of detail at the current contact of a body, in a background thread.
#ifndef STUDIO_RECORD_H
#define STUDIO_RECORD_H

#include "studio_world.h"

// Start a recording; one runs at a time. The answer is sent when the example is installed.
void studio_record_begin(studio_world *world, uint32_t viewer, const pl_json *id, int32_t body,
                         const char *name);

// If a recording has ended, rebuild the scene with the new set.
void studio_record_poll(studio_world *world);

// Cancel a running recording and wait for it.
void studio_record_stop(studio_world *world);

// Call before a document is saved into `folder` (NULL: for download). Recorded sets are in a
// temporary folder: they are copied to `folder`, and the document refers to them by file name
// alone. With a download the user keeps them next to the scene.
pl_status studio_record_copy_sets(studio_world *world, studio_document *document,
                                  const char *folder, pl_error *error);

#endif
