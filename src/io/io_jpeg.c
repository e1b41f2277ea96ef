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
} decoder;

static void stop(j_common_ptr info) {
  decoder *self = (decoder *)info->err;
  info->err->format_message(info, self->message);
  longjmp(self->back, 1);
}

// Warnings are about data that is cut off or damaged: half a mask is none.
static void refuse(j_common_ptr info, int level) {
  if (level < 0) stop(info);
}

static void stay_silent(j_common_ptr info) {
  (void)info;
}

// Head, and the rows if there is room for them. No local changes after setjmp, so none needs to be volatile.
static bool decode(decoder *self, pl_bytes bytes, uint8_t *pixels) {
  struct jpeg_decompress_struct *info = &self->info;
  if (setjmp(self->back)) return false;
  jpeg_create_decompress(info);
  jpeg_mem_src(info, bytes.data, (unsigned long)bytes.size);
  jpeg_read_header(info, TRUE);
  if (pixels == NULL) return true;
  info->out_color_space = JCS_GRAYSCALE;
  jpeg_start_decompress(info);
  while (info->output_scanline < info->output_height) {
    JSAMPROW row = pixels + (size_t)info->output_scanline * info->output_width;
    jpeg_read_scanlines(info, &row, 1);
  }
  jpeg_finish_decompress(info);
  return true;
}

static pl_status run(pl_bytes bytes, const char *path, uint8_t *pixels, int32_t size[2], pl_error *error) {
  decoder self = {.message = ""};
  self.info.err = jpeg_std_error(&self.head);
  self.head.error_exit = stop;
  self.head.emit_message = refuse;
  self.head.output_message = stay_silent;
  bool good = decode(&self, bytes, pixels);
  if (good && size != NULL) size[0] = (int32_t)self.info.image_width, size[1] = (int32_t)self.info.image_height;
  jpeg_destroy_decompress(&self.info);
  if (good) return PL_OK;
  return pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0, "this is not a valid JPEG file: %s", self.message);
}

bool pl_jpeg_is_jpeg(pl_bytes bytes) {
  return bytes.size > 3 && bytes.data[0] == 0xff && bytes.data[1] == 0xd8 && bytes.data[2] == 0xff;
}

pl_status pl_jpeg_size(pl_bytes bytes, const char *path, int32_t *width, int32_t *height, pl_error *error) {
  int32_t size[2] = {0, 0};
  pl_status status = run(bytes, path, NULL, size, error);
  *width = size[0];
  *height = size[1];
  return status;
}

pl_status pl_jpeg_decode_grey(pl_bytes bytes, const char *path, uint8_t *pixels, pl_error *error) {
  return run(bytes, path, pixels, NULL, error);
}
