// Files made from the scene: the document, and exported frames, pictures and videos.
#ifndef STUDIO_EXPORT_H
#define STUDIO_EXPORT_H

#include "studio_world.h"

// Handle `save`: write the document as `name` into the folder of the viewers, or make it available
// for download.
void studio_export_save(studio_world *world, uint32_t viewer, const pl_json *id,
                        const pl_json *request);

// Handle `export`: run the scene in a separate process (`pliant run`) and make the result available
// for download.
void studio_export_begin(studio_world *world, uint32_t viewer, const pl_json *id,
                         const pl_json *request);

// Cancel all exports and wait for them.
void studio_export_stop(studio_world *world);

#endif
