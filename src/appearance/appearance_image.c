// Decoding by libpng and libjpeg. Their errors are not passed on: see appearance_image.h.
#include "appearance/appearance_image.h"

#include <png.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/io_jpeg.h"

static const uint64_t MAX_PIXELS = (uint64_t)8192 * 8192;
enum { MAX_SIDE = 16384 };

static bool is_size(uint64_t width, uint64_t height) {
  return width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS;
}

static pl_status decode_png(pl_context *context, const void *bytes, size_t size, pl_pixels *pixels, pl_error *error) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_memory(&image, bytes, size)) return PL_OK;
  image.format = PNG_FORMAT_RGBA;
  bool fits = is_size(image.width, image.height);
  uint8_t *rgba = fits ? pl_allocate(context, PNG_IMAGE_SIZE(image)) : NULL;
  if (rgba == NULL || !png_image_finish_read(&image, NULL, rgba, 0, NULL)) {
    png_image_free(&image);
    pl_release(context, rgba);
    return fits && rgba == NULL ? pl_fail_memory(error) : PL_OK;
  }
  *pixels = (pl_pixels){(int32_t)image.width, (int32_t)image.height, rgba};
  return PL_OK;
}

static pl_status decode_jpeg(pl_context *context, const void *bytes, size_t size, pl_pixels *pixels, pl_error *error) {
  int32_t width, height;
  pl_error ignored = {0};
  if (pl_jpeg_size(bytes, size, "", &width, &height, &ignored) < 0 || !is_size((uint64_t)width, (uint64_t)height))
    return PL_OK;
  uint8_t *rgba = pl_allocate_array(context, (size_t)width * (size_t)height, 4);
  if (rgba == NULL) return pl_fail_memory(error);
  if (pl_jpeg_decode(bytes, size, "", PL_JPEG_RGBA, rgba, &ignored) < 0) {
    pl_release(context, rgba);
    return PL_OK;
  }
  *pixels = (pl_pixels){width, height, rgba};
  return PL_OK;
}

pl_status pl_image_decode(pl_context *context, const void *bytes, size_t size, pl_pixels *pixels, pl_error *error) {
  static const unsigned char png_start[4] = {0x89, 'P', 'N', 'G'};
  *pixels = (pl_pixels){0};
  if (size > 8 && memcmp(bytes, png_start, sizeof png_start) == 0)
    return decode_png(context, bytes, size, pixels, error);
  return pl_jpeg_is_jpeg(bytes, size) ? decode_jpeg(context, bytes, size, pixels, error) : PL_OK;
}
