// Recording an example of detail where a body is pressed now, apart from the world that is shown.
#ifndef STUDIO_RECORD_H
#define STUDIO_RECORD_H

#include "studio_world.h"

// Begin, one at a time; the answer comes when the example is there.
void studio_record_begin(studio_world *world, uint32_t viewer, const pl_json *id, int32_t body, const char *name);

// Look whether a recording has ended, and let its body show what came of it.
void studio_record_poll(studio_world *world);

// Wait for a recording that runs, and forget it.
void studio_record_stop(studio_world *world);

// Before a document is saved into `folder` (NULL: it is given away to be saved somewhere): sets that were recorded here lie in a folder that goes with the studio. They
// are copied beside the document, or are to be put there, and are named in it without a folder.
pl_status studio_record_copy_sets(studio_world *world, studio_document *document, const char *folder, pl_error *error);

#endif
