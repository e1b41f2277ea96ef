// PNG files in memory, through libpng.
#include "io/png_library.h"

#include <setjmp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

#define MAX_SIDE 65535  // pixels; a larger picture is a mistake

void pl_png_stop(png_structp png, png_const_charp message) {
  pl_png_library *self = png_get_error_ptr(png);
  size_t length = 0;
  for (; message[length] != '\0' && length + 1 < sizeof self->message; ++length)
    self->message[length] = message[length];
  self->message[length] = '\0';
  png_longjmp(png, 1);
}

void pl_png_ignore_warning(png_structp png, png_const_charp message) {
  (void)png, (void)message;
}

png_voidp pl_png_allocate(png_structp png, png_alloc_size_t size) {
  pl_png_library *self = png_get_mem_ptr(png);
  void *block = pl_allocate(self->context, size);
  if (block == NULL) self->out_of_memory = true;
  return block;
}

void pl_png_release(png_structp png, png_voidp block) {
  pl_release(((pl_png_library *)png_get_mem_ptr(png))->context, block);
}

static void append(png_structp png, png_bytep bytes, size_t size) {
  unsigned char *position = pl_vector_grow(png_get_io_ptr(png), size);
  if (position == NULL) {
    ((pl_png_library *)png_get_error_ptr(png))->out_of_memory = true;
    png_error(png, "out of memory");
  }
  memcpy(position, bytes, size);
}

static void flush(png_structp png) {
  (void)png;
}

static bool is_little_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 1;
}

// Everything that may leave through pl_png_stop. No local changes after setjmp, so none needs to be volatile.
static bool encode(png_structp png, png_infop info, const unsigned char *pixels, uint32_t width, uint32_t height,
                   pl_png_kind kind, pl_vector *bytes) {
  if (setjmp(png_jmpbuf(png))) return false;
  bool is_grey = kind == PL_PNG_GREY16;
  png_set_write_fn(png, bytes, append, flush);
  png_set_user_limits(png, MAX_SIDE, MAX_SIDE);
  png_set_IHDR(png, info, width, height, is_grey ? 16 : 8, is_grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!is_grey) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  if (is_grey && is_little_endian()) png_set_swap(png);
  for (uint32_t y = 0; y < height; ++y) png_write_row(png, pixels + (size_t)y * width * (is_grey ? 2 : 3));
  png_write_end(png, info);
  return true;
}

pl_status pl_png_encode(pl_context *context, const void *pixels, int32_t width, int32_t height, pl_png_kind kind,
                        pl_vector *bytes, pl_error *error) {
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "a picture of %d x %d pixels cannot be written; sides are from 1 to %d", width, height, MAX_SIDE);
  pl_png_library self = {.context = context};
  png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &self, pl_png_stop, pl_png_ignore_warning, &self,
                                              pl_png_allocate, pl_png_release);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  bool done = info != NULL && encode(png, info, pixels, (uint32_t)width, (uint32_t)height, kind, bytes);
  png_destroy_write_struct(&png, &info);
  if (done) return PL_OK;
  if (self.out_of_memory || info == NULL) return pl_fail_memory(error);
  return pl_fail(error, PL_ERROR_FILE, "the PNG library gave up: %s", self.message);
}
