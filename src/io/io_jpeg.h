// JPEG files in.
#ifndef PL_IO_JPEG_H
#define PL_IO_JPEG_H

#include "pliant/base.h"

// Whether bytes begin as a JPEG file does.
bool pl_jpeg_is_jpeg(const unsigned char *data, size_t size);

// Width and height of a JPEG file. PL_ERROR_INVALID_DATA, with the file's name, if it is none.
pl_status pl_jpeg_size(const unsigned char *data, size_t size, const char *path, int32_t *width,
                       int32_t *height, pl_error *error);

// What is stored for a pixel: its luminance, or red, green, blue and 255.
typedef enum pl_jpeg_format { PL_JPEG_GREY, PL_JPEG_RGBA } pl_jpeg_format;

// Rows from the top into `pixels`, which has room for the size that pl_jpeg_size() gives, 1 or 4
// bytes per pixel. Grey data that is cut off or damaged is refused, since half a mask is none; a
// damaged picture is shown as far as it goes.
pl_status pl_jpeg_decode(const unsigned char *data, size_t size, const char *path,
                         pl_jpeg_format format, uint8_t *pixels, pl_error *error);

#endif
