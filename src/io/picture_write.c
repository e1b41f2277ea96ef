// PNG out, through libpng: 8-bit RGB, with the sRGB mark, under a temporary name first.
#include <png.h>
#include <setjmp.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/picture.h"

#define LARGEST_SIDE 65535  // pixels; a larger picture is a mistake

// What libpng's callbacks need.
typedef struct encoder {
  pl_context *context;
  pl_file_writer *writer;
  char message[160];
  bool out_of_memory;
} encoder;

// libpng leaves through here when something is wrong; it must not return.
static void stop(png_structp png, png_const_charp message) {
  encoder *self = png_get_error_ptr(png);
  size_t length = 0;
  for (; message[length] != '\0' && length + 1 < sizeof self->message; ++length) self->message[length] = message[length];
  self->message[length] = '\0';
  png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message) {
  (void)png, (void)message;
}

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
  encoder *self = png_get_mem_ptr(png);
  void *block = pl_allocate(self->context, size);
  if (block == NULL) self->out_of_memory = true;
  return block;
}

static void release(png_structp png, png_voidp block) {
  pl_release(((encoder *)png_get_mem_ptr(png))->context, block);
}

static void write_bytes(png_structp png, png_bytep bytes, size_t size) {
  pl_file_writer_write(((encoder *)png_get_io_ptr(png))->writer, bytes, size);
}

static void flush(png_structp png) {
  (void)png;
}

// Everything that may leave through `stop`. No local changes after setjmp, so none needs to be volatile.
static bool encode(png_structp png, png_infop info, encoder *self, const uint8_t *rgb, uint32_t width, uint32_t height) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, self, write_bytes, flush);
  png_set_user_limits(png, LARGEST_SIDE, LARGEST_SIDE);
  png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (uint32_t y = 0; y < height; ++y) png_write_row(png, rgb + (size_t)y * width * 3);
  png_write_end(png, info);
  return true;
}

static pl_status write_png(encoder *self, const uint8_t *rgb, uint32_t width, uint32_t height, pl_error *error) {
  png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, self, stop, ignore_warning, self, allocate, release);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  bool done = info != NULL && encode(png, info, self, rgb, width, height);
  png_destroy_write_struct(&png, &info);
  if (done) return PL_OK;
  if (self->out_of_memory || info == NULL) return pl_fail_memory(error);
  return pl_fail(error, PL_ERROR_FILE, "the PNG library gave up: %s", self->message);
}

pl_status pl_picture_write(pl_context *context, const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                           pl_error *error) {
  if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a picture of %d x %d pixels cannot be written; sides are from 1 to %d", width,
                   height, LARGEST_SIDE);
  if (rgb == NULL || path == NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "path or pixels are NULL");
  encoder self = {.context = context};
  pl_status status = pl_file_writer_open(context, path, &self.writer, error);
  if (status < 0) return status;
  status = write_png(&self, rgb, (uint32_t)width, (uint32_t)height, error);
  if (status < 0) {
    pl_file_writer_abandon(self.writer);
    return status;
  }
  return pl_file_writer_commit(self.writer, error);
}
