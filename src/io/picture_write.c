// Pictures as PNG files, under a temporary name first.
#include "base/error.h"
#include "io/file_bytes.h"
#include "io/png_library.h"
#include "pliant/picture.h"

pl_status pl_picture_save(pl_context *context, const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                          pl_error *error) {
  if (rgb == NULL || path == NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "path or pixels are NULL");
  pl_vector bytes = pl_vector_of(context, 1);
  pl_file_writer *writer = NULL;
  pl_status status = pl_png_encode(context, rgb, width, height, PL_PNG_RGB8, &bytes, error);
  if (status >= 0) status = pl_file_writer_open(context, path, &writer, error);
  if (status >= 0) {
    pl_file_writer_write(writer, bytes.items, bytes.count);
    status = pl_file_writer_commit(writer, error);
  }
  pl_vector_free(&bytes);
  return status;
}
