// Materials and images of bodies for viewers.
#ifndef STUDIO_APPEARANCE_H
#define STUDIO_APPEARANCE_H

#include "studio_message.h"

// An image that viewers can fetch by `GET /file/ID`.
typedef struct studio_image_file {
  uint64_t image;  // its id in the appearance
  char id[STUDIO_FILE_ID_SIZE];
} studio_image_file;

// Load the appearances of all bodies; copies of a body have none of their own. A file that cannot
// be read any more gives none. False: out of memory.
bool studio_appearance_load(pl_context *context, studio_instance *built);

// Set `material` (a preset) or `appearance` (that of the file) of a body in the `scene` message.
void studio_appearance_describe(studio_world *world, studio_message *message, pl_json *object,
                                int32_t body);

#endif
