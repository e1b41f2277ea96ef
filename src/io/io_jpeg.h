// JPEG files in, as grey pictures.
#ifndef PL_IO_JPEG_H
#define PL_IO_JPEG_H

#include "io/file_bytes.h"
#include "pliant/base.h"

// Whether bytes begin as a JPEG file does.
bool pl_jpeg_is_jpeg(pl_bytes bytes);

// Width and height of a JPEG file. PL_ERROR_INVALID_DATA, with the file's name, if it is none.
pl_status pl_jpeg_size(pl_bytes bytes, const char *path, int32_t *width, int32_t *height,
                       pl_error *error);

// Luminance of every pixel, rows from the top, into `pixels`, which has room for the size that
// pl_jpeg_size() gives. Colour pictures become grey.
pl_status pl_jpeg_decode_grey(pl_bytes bytes, const char *path, uint8_t *pixels, pl_error *error);

#endif
