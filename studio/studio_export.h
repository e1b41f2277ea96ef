// Files made of the scene: the document itself, and frames, pictures and videos of it.
#ifndef STUDIO_EXPORT_H
#define STUDIO_EXPORT_H

#include "studio_world.h"

// Write the document into the folder of the viewers as `name` of the message, or offer it for download.
void studio_export_save(studio_world *world, uint32_t viewer, const pl_json *id, const pl_json *request);

// Begin to run the scene apart from the world, by the program itself (`pliant run`), and offer what comes of it.
void studio_export_begin(studio_world *world, uint32_t viewer, const pl_json *id, const pl_json *request);

// End all.
void studio_export_stop(studio_world *world);

#endif
