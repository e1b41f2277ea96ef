// Images of materials on the graphics processor. All functions need the context to be current.
#ifndef PL_RENDER_RENDER_TEXTURES_H
#define PL_RENDER_RENDER_TEXTURES_H

#include <GLES3/gl3.h>

#include "base/vector.h"
#include "pliant/appearance.h"

typedef struct pl_render_textures {
  pl_vector entries;  // of those sent
  GLuint white;       // for materials without an image
} pl_render_textures;

// Start an empty set.
void pl_render_textures_init(pl_render_textures *self, pl_context *context);
void pl_render_textures_destroy(pl_render_textures *self);

// The texture of an image (NULL: white), sent when it is not there yet. `is_data`: its bytes are
// numbers and not colours. White for an image that is larger than this machine can use.
pl_status pl_render_textures_find(pl_render_textures *self, const pl_appearance_image *image,
                                  bool is_data, GLuint *texture, pl_error *error);

// Remove textures that were not asked for since the last call, and those of images without an id.
void pl_render_textures_end_picture(pl_render_textures *self);

#endif
