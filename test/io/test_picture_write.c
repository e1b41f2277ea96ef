// PNG files: what libpng reads back is what was written.
// ctest: unit
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <png.h>
#include <unistd.h>

#include "base/random.h"
#include "pliant/picture.h"

enum { WIDTH = 37, HEIGHT = 23 };

static void make_folder(char folder[64], char path[128]) {
  strcpy(folder, "/tmp/pliant-picture-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, 128, "%s/picture.png", folder);
}

static void fill(uint8_t *rgb) {
  pl_random random = pl_random_of_seed(7);
  for (int i = 0; i < WIDTH * HEIGHT * 3; ++i) rgb[i] = (uint8_t)pl_random_u32(&random);
}

static void a_written_picture_reads_back_equal(void **state) {
  (void)state;
  char folder[64], path[128];
  make_folder(folder, path);
  pl_context *context = make_context(1);
  pl_error error = {0};
  uint8_t rgb[WIDTH * HEIGHT * 3], back[WIDTH * HEIGHT * 3];
  fill(rgb);
  check_ok(pl_picture_save(context, path, rgb, WIDTH, HEIGHT, &error), &error);
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_file(&image, path));
  assert_int_equal(image.width, WIDTH);
  assert_int_equal(image.height, HEIGHT);
  assert_int_equal(image.format, PNG_FORMAT_RGB);
  assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
  assert_memory_equal(rgb, back, sizeof rgb);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);  // no temporary file is left either
  drop_context(context);
}

static void wrong_arguments_and_folders_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  uint8_t rgb[WIDTH * HEIGHT * 3] = {0};
  assert_int_equal(pl_picture_save(context, "/tmp/x.png", rgb, 0, HEIGHT, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_picture_save(context, "/tmp/x.png", rgb, WIDTH, -1, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_picture_save(context, "/tmp/x.png", NULL, WIDTH, HEIGHT, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_true(pl_picture_save(context, "/no/such/folder/x.png", rgb, WIDTH, HEIGHT, &error) < 0);
  assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
  drop_context(context);
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  char folder[64], path[128];
  make_folder(folder, path);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  pl_error error = {0};
  uint8_t rgb[WIDTH * HEIGHT * 3];
  fill(rgb);
  int failures = 0;
  for (int64_t n = 1;; ++n, ++failures) {
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_picture_save(context, path, rgb, WIDTH, HEIGHT, &error);
    allocator.fail_at = 0;
    assert_int_equal(allocator.live_count, live);
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_int_not_equal(access(path, F_OK), 0);
  }
  assert_true(failures >= 4);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
  pl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_written_picture_reads_back_equal),
      cmocka_unit_test(wrong_arguments_and_folders_are_refused),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
