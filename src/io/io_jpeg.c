#include "io/io_jpeg.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "base/error.h"

// libjpeg leaves through its error handler, which must not return.
typedef struct decoder {
  struct jpeg_error_mgr head;  // first, as libjpeg knows no more of it
  struct jpeg_decompress_struct info;
  jmp_buf back;
  char message[JMSG_LENGTH_MAX];
  const unsigned char *data;
  size_t size;
  pl_jpeg_format format;
} decoder;

static void stop(j_common_ptr info) {
  decoder *self = (decoder *)info->err;
  info->err->format_message(info, self->message);
  longjmp(self->back, 1);
}

// Warnings are about data that is cut off or damaged.
static void take_warning(j_common_ptr info, int level) {
  if (level < 0 && ((decoder *)info->err)->format == PL_JPEG_GREY) stop(info);
}

static void stay_silent(j_common_ptr info) {
  (void)info;
}

// Head, and the rows if there is room for them. No local changes after setjmp, so none needs to be volatile.
static bool decode(decoder *self, uint8_t *pixels) {
  struct jpeg_decompress_struct *info = &self->info;
  if (setjmp(self->back)) return false;
  jpeg_create_decompress(info);
  jpeg_mem_src(info, self->data, (unsigned long)self->size);
  jpeg_read_header(info, TRUE);
  if (pixels == NULL) return true;
  info->out_color_space = self->format == PL_JPEG_GREY ? JCS_GRAYSCALE : JCS_EXT_RGBA;
  jpeg_start_decompress(info);
  while (info->output_scanline < info->output_height) {
    JSAMPROW row = pixels + (size_t)info->output_scanline * info->output_width * (size_t)info->output_components;
    jpeg_read_scanlines(info, &row, 1);
  }
  jpeg_finish_decompress(info);
  return true;
}

static pl_status run(decoder *self, const char *path, uint8_t *pixels, pl_error *error) {
  self->info.err = jpeg_std_error(&self->head);
  self->head.error_exit = stop;
  self->head.emit_message = take_warning;
  self->head.output_message = stay_silent;
  bool good = decode(self, pixels);
  jpeg_destroy_decompress(&self->info);
  if (good) return PL_OK;
  return pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0, "this is not a valid JPEG file: %s", self->message);
}

bool pl_jpeg_is_jpeg(const unsigned char *data, size_t size) {
  return size > 3 && data[0] == 0xff && data[1] == 0xd8 && data[2] == 0xff;
}

pl_status pl_jpeg_size(const unsigned char *data, size_t size, const char *path, int32_t *width, int32_t *height,
                       pl_error *error) {
  decoder self = {.message = "", .data = data, .size = size, .format = PL_JPEG_RGBA};
  pl_status status = run(&self, path, NULL, error);
  *width = status >= 0 ? (int32_t)self.info.image_width : 0;
  *height = status >= 0 ? (int32_t)self.info.image_height : 0;
  return status;
}

pl_status pl_jpeg_decode(const unsigned char *data, size_t size, const char *path, pl_jpeg_format format,
                         uint8_t *pixels, pl_error *error) {
  decoder self = {.message = "", .data = data, .size = size, .format = format};
  return run(&self, path, pixels, error);
}
