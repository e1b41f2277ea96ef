// Decoding by libpng and libjpeg. Both give up on damaged data with an error of their own, which is not passed on.
#include "appearance/appearance_image.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

// After stdio.h, which it needs.
#include <jpeglib.h>

#include "base/context.h"
#include "base/error.h"

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

typedef struct jpeg_stop {
  struct jpeg_error_mgr head;
  jmp_buf back;
} jpeg_stop;

static void stop_jpeg(j_common_ptr info) {
  longjmp(((jpeg_stop *)info->err)->back, 1);
}

static void ignore_message(j_common_ptr info, int level) {
  (void)info, (void)level;
}

// Read the rows of an image whose header was read. Nothing here may be changed after setjmp() and needed behind it.
static void read_rows(struct jpeg_decompress_struct *info, pl_pixels *pixels, uint8_t *row) {
  while (info->output_scanline < info->output_height) {
    uint8_t *to = pixels->rgba + (size_t)info->output_scanline * (size_t)pixels->width * 4;
    JSAMPROW rows[1] = {row};
    if (jpeg_read_scanlines(info, rows, 1) != 1) break;
    for (int32_t x = 0; x < pixels->width; ++x) {
      const uint8_t *from = row + (size_t)x * (size_t)info->output_components;
      bool grey = info->output_components == 1;
      to[4 * x] = from[0], to[4 * x + 1] = from[grey ? 0 : 1], to[4 * x + 2] = from[grey ? 0 : 2], to[4 * x + 3] = 255;
    }
  }
}

// Memory that a jump over the frames of libjpeg must not lose.
typedef struct jpeg_work {
  struct jpeg_decompress_struct info;
  jpeg_stop stop;
  pl_pixels pixels;
  uint8_t *row;
  bool out_of_memory, done;
} jpeg_work;

static void run_jpeg(pl_context *context, const void *bytes, size_t size, jpeg_work *work) {
  work->info.err = jpeg_std_error(&work->stop.head);
  work->stop.head.error_exit = stop_jpeg;
  work->stop.head.emit_message = ignore_message;
  if (setjmp(work->stop.back) != 0) return;
  jpeg_create_decompress(&work->info);
  jpeg_mem_src(&work->info, bytes, (unsigned long)size);
  if (jpeg_read_header(&work->info, TRUE) != JPEG_HEADER_OK ||
      !is_size(work->info.image_width, work->info.image_height))
    return;
  // The slow integer transform is the same on every machine.
  work->info.dct_method = JDCT_ISLOW;
  work->info.out_color_space = work->info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&work->info);
  work->pixels.width = (int32_t)work->info.output_width;
  work->pixels.height = (int32_t)work->info.output_height;
  work->pixels.rgba = pl_allocate_array(context, (size_t)work->pixels.width * (size_t)work->pixels.height, 4);
  work->row = pl_allocate_array(context, (size_t)work->pixels.width, (size_t)work->info.output_components);
  work->out_of_memory = work->pixels.rgba == NULL || work->row == NULL;
  if (work->out_of_memory) return;
  read_rows(&work->info, &work->pixels, work->row);
  work->done = work->info.output_scanline == work->info.output_height;
}

static pl_status decode_jpeg(pl_context *context, const void *bytes, size_t size, pl_pixels *pixels, pl_error *error) {
  jpeg_work *work = pl_allocate(context, sizeof *work);
  if (work == NULL) return pl_fail_memory(error);
  memset(work, 0, sizeof *work);
  run_jpeg(context, bytes, size, work);
  jpeg_destroy_decompress(&work->info);
  pl_release(context, work->row);
  pl_status status = work->out_of_memory ? pl_fail_memory(error) : PL_OK;
  if (work->done)
    *pixels = work->pixels;
  else
    pl_release(context, work->pixels.rgba);
  pl_release(context, work);
  return status;
}

pl_status pl_image_decode(pl_context *context, const void *bytes, size_t size, pl_pixels *pixels, pl_error *error) {
  static const unsigned char png_start[4] = {0x89, 'P', 'N', 'G'}, jpeg_start[3] = {0xFF, 0xD8, 0xFF};
  *pixels = (pl_pixels){0};
  if (size > 8 && memcmp(bytes, png_start, sizeof png_start) == 0)
    return decode_png(context, bytes, size, pixels, error);
  if (size > 8 && memcmp(bytes, jpeg_start, sizeof jpeg_start) == 0)
    return decode_jpeg(context, bytes, size, pixels, error);
  return PL_OK;
}
