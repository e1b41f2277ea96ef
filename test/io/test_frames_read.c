// PC2 and MDD files that other programs wrote, or that are damaged.
// ctest: unit
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

#include "fixtures/gltf_bytes.h"
#include "pliant/frames.h"

static void put_big(byte_block *block, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) put_u8(block, (int)(value >> shift & 255));
}

static void put_big_float(byte_block *block, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  put_big(block, bits);
}

static byte_block make_pc2(uint32_t point_count, uint32_t sample_count, float start, float rate) {
  byte_block file = {.size = 0};
  put_block(&file, "POINTCACHE2\0", 12);
  put_u32(&file, 1);
  put_u32(&file, point_count);
  put_f32(&file, start);
  put_f32(&file, rate);
  put_u32(&file, sample_count);
  return file;
}

static pl_status open_bytes(pl_context *context, const void *bytes, size_t size, pl_frame_file **file,
                            pl_frame_file_report *report, pl_error *error) {
  char path[] = "/tmp/pliant_cache_XXXXXX";
  int handle = mkstemp(path);
  assert_true(handle >= 0);
  assert_true(write(handle, bytes, size) == (ssize_t)size);
  close(handle);
  pl_status status = pl_frame_file_open(context, path, file, report, error);
  unlink(path);  // the open file stays readable
  return status;
}

static void files_of_other_programs_are_read(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  // Blender's NewTek MDD exporter: times k / rate; here 25 frames a second from 0.
  byte_block mdd = {.size = 0};
  put_big(&mdd, 3);
  put_big(&mdd, 2);
  for (int i = 0; i < 3; ++i) put_big_float(&mdd, (float)i / 25.0f);
  for (int i = 0; i < 18; ++i) put_big_float(&mdd, (float)i);
  pl_frame_file *file = NULL;
  pl_frame_file_report report = {0};
  pl_error error = {0};
  check_ok(open_bytes(context, mdd.data, mdd.size, &file, &report, &error), &error);
  assert_int_equal(report.format, PL_FRAMES_MDD);
  assert_int_equal(report.frame_count, 3);
  check_near(report.frame_rate, 25, 1e-4);
  pl_vec3 points[2];
  check_ok(pl_frame_file_read(file, 2, points, &error), &error);
  check_near(points[1].z, 17, 0);
  pl_frame_file_close(file);

  // 3ds Max: two samples a frame, starting at frame -10.
  byte_block pc2 = make_pc2(1, 2, -10, 0.5f);
  for (int i = 0; i < 6; ++i) put_f32(&pc2, (float)-i);
  check_ok(open_bytes(context, pc2.data, pc2.size, &file, &report, &error), &error);
  assert_int_equal(report.format, PL_FRAMES_PC2);
  check_near(report.start_time, -10, 0);
  check_near(report.frame_rate, 2, 0);
  check_ok(pl_frame_file_read(file, 1, points, &error), &error);
  check_near(points[0].x, -3, 0);
  pl_frame_file_close(file);
  drop_context(context);
}

static void every_truncation_and_every_excess_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  byte_block pc2 = make_pc2(2, 2, 0, 1);
  for (int i = 0; i < 12; ++i) put_f32(&pc2, 1);
  byte_block mdd = {.size = 0};
  put_big(&mdd, 2);
  put_big(&mdd, 2);
  for (int i = 0; i < 14; ++i) put_big_float(&mdd, 1);
  const byte_block *files[2] = {&pc2, &mdd};
  for (int f = 0; f < 2; ++f) {
    for (size_t size = 0; size <= files[f]->size + 1; ++size) {
      pl_frame_file *file = NULL;
      pl_error error = {0};
      pl_status status = open_bytes(context, files[f]->data, size, &file, NULL, &error);
      assert_int_equal(status, size == files[f]->size ? PL_OK : PL_ERROR_INVALID_DATA);
      assert_int_equal(file != NULL, status == PL_OK);
      pl_frame_file_close(file);
    }
  }
  drop_context(context);
}

static void counts_that_overflow_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const uint32_t counts[][2] = {
      {0, 1}, {1, 0}, {0xFFFFFFFFu, 1}, {1, 0xFFFFFFFFu}, {0x7FFFFFFF, 0x7FFFFFFF}, {0x55555556, 3}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    byte_block pc2 = make_pc2(counts[i][0], counts[i][1], 0, 1);
    for (int j = 0; j < 3; ++j) put_f32(&pc2, 0);
    byte_block mdd = {.size = 0};
    put_big(&mdd, counts[i][1]);
    put_big(&mdd, counts[i][0]);
    for (int j = 0; j < 4; ++j) put_big(&mdd, 0);
    pl_frame_file *file = NULL;
    assert_int_equal(open_bytes(context, pc2.data, pc2.size, &file, NULL, NULL), PL_ERROR_INVALID_DATA);
    assert_int_equal(open_bytes(context, mdd.data, mdd.size, &file, NULL, NULL), PL_ERROR_INVALID_DATA);
  }
  pl_frame_file *file = NULL;
  byte_block future = make_pc2(1, 1, 0, 1);
  future.data[12] = 2;
  assert_int_equal(open_bytes(context, future.data, future.size, &file, NULL, NULL), PL_ERROR_UNSUPPORTED);
  pl_error error = {0};
  assert_int_equal(pl_frame_file_open(context, "/tmp/no/such/file", &file, NULL, &error), PL_ERROR_NOT_FOUND);
  assert_int_equal(pl_frame_file_open(context, "/tmp", &file, NULL, &error), PL_ERROR_FILE);
  assert_null(file);
  drop_context(context);
}

static void coordinates_that_are_not_finite_are_named(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  byte_block pc2 = make_pc2(2, 1, 0, 1);
  for (int i = 0; i < 6; ++i) put_f32(&pc2, i == 4 ? (float)INFINITY : 0);
  pl_frame_file *file = NULL;
  pl_error error = {0};
  check_ok(open_bytes(context, pc2.data, pc2.size, &file, NULL, &error), &error);
  pl_vec3 points[2];
  assert_int_equal(pl_frame_file_read(file, 0, points, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "point 1 of frame 0"));
  pl_frame_file_close(file);
  drop_context(context);
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  byte_block pc2 = make_pc2(1, 1, 0, 1);
  for (int i = 0; i < 3; ++i) put_f32(&pc2, 0);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int64_t n = 1;; ++n) {
    allocator.fail_at = allocator.call_count + n;
    pl_frame_file *file = NULL;
    pl_status status = open_bytes(context, pc2.data, pc2.size, &file, NULL, NULL);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    pl_frame_file_close(file);
    assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
    if (!failed) break;
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_of_other_programs_are_read),
      cmocka_unit_test(every_truncation_and_every_excess_is_refused),
      cmocka_unit_test(counts_that_overflow_are_refused),
      cmocka_unit_test(coordinates_that_are_not_finite_are_named),
      cmocka_unit_test(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
