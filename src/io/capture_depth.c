// Grey PNG in, through libpng: depth pictures of 16 bits, and masks, which may be JPEG too. The size is compared with
// the camera's before memory is taken, so that a small file cannot ask for a large picture.
#include <setjmp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/capture_parts.h"
#include "io/file_bytes.h"
#include "io/io_jpeg.h"
#include "io/png_library.h"

// What libpng's callbacks need.
typedef struct decoder {
  pl_png_library library;
  pl_bytes bytes;
  size_t offset;
} decoder;

static void take_bytes(png_structp png, png_bytep bytes, size_t size) {
  decoder *self = png_get_io_ptr(png);
  if (size > self->bytes.size - self->offset) png_error(png, "the file is cut off");
  memcpy(bytes, self->bytes.data + self->offset, size);
  self->offset += size;
}

// Head, and everything asked of libpng before the rows. No local changes after setjmp, so none needs to be volatile.
static bool decode_head(png_structp png, png_infop info, decoder *self) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_read_fn(png, self, take_bytes);
  png_read_info(png, info);
  return true;
}

// All rows as 2 bytes a pixel, the high one first.
static bool decode_rows(png_structp png, png_infop info, unsigned char *rows, size_t row_size, uint32_t height) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_expand_16(png);
  int pass_count = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != row_size) png_error(png, "the size of the rows differs from the header");
  for (int pass = 0; pass < pass_count; ++pass)
    for (uint32_t y = 0; y < height; ++y) png_read_row(png, rows + (size_t)y * row_size, NULL);
  png_read_end(png, NULL);
  return true;
}

static pl_status fail_size(const char *path, int32_t width, int32_t height, const pl_depth_picture *picture,
                           pl_error *error) {
  return pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0, "the picture has %d x %d pixels, its camera %d x %d",
                    width, height, picture->width, picture->height);
}

static pl_status check_head(png_structp png, png_infop info, const char *path, bool is_mask,
                            const pl_depth_picture *picture, pl_error *error) {
  uint32_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
  int bits = png_get_bit_depth(png, info);
  bool plain_grey = png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY && !png_get_valid(png, info, PNG_INFO_tRNS);
  if (!plain_grey || (!is_mask && bits != 16))
    return pl_fail_at(error, PL_ERROR_UNSUPPORTED, path, 0, 0, "this picture is not grey%s; save %s",
                      is_mask ? "" : " with 16 bits a pixel",
                      is_mask ? "masks as grey PNG or as JPEG" : "depths as 16-bit grey PNG");
  if (width != (uint32_t)picture->width || height != (uint32_t)picture->height)
    return fail_size(path, (int32_t)width, (int32_t)height, picture, error);
  return PL_OK;
}

static pl_status fail_png(const decoder *self, const char *path, pl_error *error) {
  if (self->library.out_of_memory) return pl_fail_memory(error);
  return pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0, "this is not a valid PNG file: %s",
                    self->library.message);
}

static pl_status decode(decoder *self, png_structp png, png_infop info, const char *path, bool is_mask,
                        pl_depth_picture *picture, pl_error *error) {
  if (!decode_head(png, info, self)) return fail_png(self, path, error);
  pl_status status = check_head(png, info, path, is_mask, picture, error);
  if (status < 0) return status;
  size_t pixel_count = (size_t)picture->width * (size_t)picture->height;
  picture->values = pl_allocate_array(self->library.context, pixel_count, sizeof(uint16_t));
  if (picture->values == NULL) return pl_fail_memory(error);
  unsigned char *rows = (unsigned char *)picture->values;
  if (!decode_rows(png, info, rows, (size_t)picture->width * 2, (uint32_t)picture->height) ||
      self->library.out_of_memory)
    return fail_png(self, path, error);
  for (size_t i = 0; i < pixel_count; ++i) picture->values[i] = (uint16_t)(rows[2 * i] << 8 | rows[2 * i + 1]);
  return PL_OK;
}

// A mask as JPEG: nothing in it is exactly black, so half-way between black and white divides inside and outside.
static pl_status decode_jpeg(pl_context *context, pl_bytes bytes, const char *path, pl_depth_picture *picture,
                             pl_error *error) {
  int32_t width, height;
  pl_status status = pl_jpeg_size(bytes.data, bytes.size, path, &width, &height, error);
  if (status < 0) return status;
  if (width != picture->width || height != picture->height) return fail_size(path, width, height, picture, error);
  size_t count = (size_t)width * (size_t)height;
  uint8_t *grey = pl_allocate_array(context, count, 1);
  picture->values = pl_allocate_array(context, count, sizeof(uint16_t));
  status = grey == NULL || picture->values == NULL
               ? pl_fail_memory(error)
               : pl_jpeg_decode(bytes.data, bytes.size, path, PL_JPEG_GREY, grey, error);
  for (size_t i = 0; i < count && status >= 0; ++i) picture->values[i] = grey[i] >= 128;
  pl_release(context, grey);
  return status;
}

static pl_status decode_png(decoder *self, const char *path, bool is_mask, pl_depth_picture *picture, pl_error *error) {
  png_structp png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &self->library, pl_png_stop, pl_png_ignore_warning,
                                             &self->library, pl_png_allocate, pl_png_release);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  pl_status status = info == NULL ? pl_fail_memory(error) : decode(self, png, info, path, is_mask, picture, error);
  png_destroy_read_struct(&png, &info, NULL);
  return status;
}

pl_status pl_depth_load(pl_context *context, const char *path, int32_t width, int32_t height, bool is_mask,
                        pl_depth_picture *picture, pl_error *error) {
  *picture = (pl_depth_picture){.context = context, .width = width, .height = height};
  decoder self = {.library = {.context = context}};
  pl_status status = pl_bytes_read(context, path, &self.bytes, error);
  if (status < 0) return status;
  status = is_mask && pl_jpeg_is_jpeg(self.bytes.data, self.bytes.size)
               ? decode_jpeg(context, self.bytes, path, picture, error)
               : decode_png(&self, path, is_mask, picture, error);
  pl_bytes_free(&self.bytes);
  if (status < 0) {
    pl_release(context, picture->values);
    picture->values = NULL;
  }
  return status;
}
