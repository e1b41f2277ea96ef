// What reading and writing PNG files have in common: how libpng gets its memory, and how it gives
// up.
#ifndef PL_IO_PNG_LIBRARY_H
#define PL_IO_PNG_LIBRARY_H

#include <png.h>

#include "base/vector.h"
#include "pliant/base.h"

// Passed to libpng as both its error pointer and its memory pointer.
typedef struct pl_png_library {
  pl_context *context;
  char message[160];  // why it gave up
  bool out_of_memory;
} pl_png_library;

// Callbacks for png_create_…_struct_2(). The first never returns: libpng leaves through it by
// longjmp.
void pl_png_stop(png_structp png, png_const_charp message);
void pl_png_ignore_warning(png_structp png, png_const_charp message);
png_voidp pl_png_allocate(png_structp png, png_alloc_size_t size);
void pl_png_release(png_structp png, png_voidp block);

typedef enum pl_png_kind {
  PL_PNG_RGB8,    // 3 bytes a pixel, marked as sRGB
  PL_PNG_GREY16,  // one uint16_t a pixel
} pl_png_kind;

// Append a picture as a PNG file to `bytes`, a vector of unsigned char. Rows from the top, without
// gaps. Fails with PL_ERROR_INVALID_ARGUMENT for sides below 1 or above 65535.
pl_status pl_png_encode(pl_context *context, const void *pixels, int32_t width, int32_t height,
                        pl_png_kind kind, pl_vector *bytes, pl_error *error);

#endif
