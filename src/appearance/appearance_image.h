// PNG and JPEG files in memory to pixels.
#ifndef PL_APPEARANCE_IMAGE_H
#define PL_APPEARANCE_IMAGE_H

#include "pliant/base.h"

// Pixels of 4 bytes (red, green, blue, alpha), rows from the top; to be given to pl_release(). NULL
// where the bytes are not an image that can be used.
typedef struct pl_pixels {
  int32_t width, height;
  uint8_t *rgba;
} pl_pixels;

// Decode an image. What cannot be decoded, or has more than 8192 x 8192 pixels, leaves `pixels`
// empty with PL_OK: a body without its picture is better than none. PL_ERROR_OUT_OF_MEMORY is the
// only failure.
pl_status pl_image_decode(pl_context *context, const void *bytes, size_t size, pl_pixels *pixels,
                          pl_error *error);

#endif
