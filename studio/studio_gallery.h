// The gallery of the start page.
#ifndef STUDIO_GALLERY_H
#define STUDIO_GALLERY_H

#include "studio.h"

typedef struct studio_gallery {
  pl_context *context;
  const studio_options *options;
  char *text;  // JSON, made on first use
  size_t size;
} studio_gallery;

// The list as JSON, valid as long as the gallery; NULL: out of memory. Not thread-safe.
const char *studio_gallery_text(studio_gallery *gallery, size_t *size);

// Path of the picture of a scene, to be freed by pl_release(); NULL if there is no picture or no
// such scene.
char *studio_gallery_picture(const studio_gallery *gallery, const char *name);

void studio_gallery_free(studio_gallery *gallery);

#endif
