// Captures: descriptions with all their mistakes reported, clouds in the order of their numbers, depth pictures as
// points of the world.
// ctest: unit
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include <jpeglib.h>

#include "fixtures/cloud_file.h"
#include "pliant/capture_file.h"

typedef struct folder {
  char path[64];
  char names[16][96];
  int count;
} folder;

static folder make_folder(void) {
  folder f = {.path = "/tmp/pliant-capture-XXXXXX"};
  assert_non_null(mkdtemp(f.path));
  return f;
}

static const char *put_file(folder *f, const char *name, const void *bytes, size_t size) {
  assert_true(f->count < 16);
  char *path = f->names[f->count++];
  strcpy(path, f->path);
  strcat(path, "/");
  strncat(path, name, 30);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  return path;
}

static void drop_folder(folder *f) {
  for (int i = 0; i < f->count; ++i) unlink(f->names[i]);
  assert_int_equal(rmdir(f->path), 0);
}

static void put_chunk(byte_buffer *b, const char *kind, const void *bytes, size_t size) {
  put_integer(b, size, 4);
  size_t start = b->size;
  put_text(b, kind);
  put_bytes(b, bytes, size);
  put_integer(b, crc32(0, b->bytes + start, (uInt)(b->size - start)), 4);
}

// A grey PNG of 3 x 2 pixels.
static byte_buffer make_png(const uint16_t values[6], int bits) {
  byte_buffer b = {.big_endian = true}, head = {.big_endian = true}, rows = {.big_endian = true};
  put_bytes(&b, "\x89PNG\r\n\x1a\n", 8);
  put_integer(&head, 3, 4);
  put_integer(&head, 2, 4);
  put_integer(&head, (uint64_t)bits, 1);
  put_integer(&head, 0, 4);
  for (int i = 0; i < 6; ++i) {
    if (i % 3 == 0) put_integer(&rows, 0, 1);
    put_integer(&rows, values[i], bits / 8);
  }
  unsigned char packed[256];
  uLongf size = sizeof packed;
  assert_int_equal(compress(packed, &size, rows.bytes, rows.size), Z_OK);
  put_chunk(&b, "IHDR", head.bytes, head.size);
  put_chunk(&b, "IDAT", packed, size);
  put_chunk(&b, "IEND", "", 0);
  return b;
}

static void put_png(folder *f, const char *name, const uint16_t values[6], int bits) {
  byte_buffer b = make_png(values, bits);
  put_file(f, name, b.bytes, b.size);
}

static const char *put_document(folder *f, const char *text) {
  return put_file(f, "capture.json", text, strlen(text));
}

static void clouds_come_in_the_order_of_their_numbers_and_in_metres(void **state) {
  (void)state;
  folder f = make_folder();
  put_file(&f, "f10.xyz", "10 0 0\n", 7);
  put_file(&f, "f9.xyz", "9 0 0\n9 500 0\n", 14);
  put_file(&f, "f008.xyz", "8 0 0\nnan 0 0\n", 14);
  const char *path =
      put_document(&f, "{\"clouds\": \"f*.xyz\", \"rate\": 30, \"units\": \"mm\", \"gravity\": [0, 0, -9.8]}");
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_capture *capture = NULL;
  check_ok(pl_capture_load(context, path, &capture, NULL, &error), &error);
  pl_capture_view view = pl_capture_get_view(capture);
  assert_int_equal(view.frame_count, 3);
  assert_int_equal(view.camera_count, 0);
  check_near(view.times[2], 2.0 / 30, 1e-12);
  check_near(view.gravity.z, -9.8, 0);
  for (int i = 0; i < 3; ++i) {
    pl_cloud *cloud = NULL;
    check_ok(pl_capture_load_frame(capture, i, &cloud, NULL, &error), &error);
    check_near(pl_cloud_get_view(cloud).points[0].x, 0.001 * (8 + i), 1e-15);
    pl_cloud_destroy(cloud);
  }
  pl_capture_report report;
  check_ok(pl_capture_get_report(capture, 100, &report, NULL, &error), &error);
  assert_int_equal(report.frame_count, 3);
  assert_int_equal(report.fewest_points, 1);
  assert_int_equal(report.max_points, 2);
  assert_int_equal(report.dropped_count, 1);
  check_near(report.box.max.y, 0.5, 1e-12);
  check_near(report.duration, 2.0 / 30, 1e-12);
  pl_cloud *none = NULL;
  assert_int_equal(pl_capture_load_frame(capture, 3, &none, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(none);
  pl_capture_destroy(capture);
  drop_context(context);
  drop_folder(&f);
}

static void a_box_of_more_than_50_metres_looks_like_millimetres(void **state) {
  (void)state;
  folder f = make_folder();
  put_file(&f, "a.xyz", "0 0 0\n300 0 0\n", 14);
  const char *path = put_document(&f, "{\"clouds\": [\"a.xyz\"], \"times\": [4.5]}");
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  pl_capture *capture = NULL;
  check_ok(pl_capture_load(context, path, &capture, findings, &error), &error);
  check_ok(pl_capture_get_report(capture, 1, NULL, findings, &error), &error);
  assert_true(says(findings, "looks-like-millimetres"));
  check_near(pl_capture_get_view(capture).times[0], 4.5, 0);
  pl_capture_destroy(capture);
  pl_findings_destroy(findings);
  drop_context(context);
  drop_folder(&f);
}

#define CAMERA(more)                                                                                                   \
  "{\"width\": 3, \"height\": 2, \"fx\": 2, \"fy\": 4, \"cx\": 1, \"cy\": 0.5, \"depth_scale\": 0.001, \"position\": " \
  "[10, 0, "                                                                                                           \
  "0], " more "}"

// One camera looks along +z, one is turned by half a turn around y (both ways of writing a rotation).
static const char two_cameras[] =
    "{\"rate\": 15, \"cameras\": [" CAMERA("\"depth\": \"a?.png\", \"rotation\": [0, 0, 0, 1]") ", " CAMERA(
        "\"depth\": \"b?.png\", \"mask\": \"m?.png\", \"rotation\": [[-1, 0, 0], [0, 1, 0], [0, 0, -1]]") "]}";

static folder make_cameras(void) {
  folder f = make_folder();
  put_png(&f, "a0.png", (const uint16_t[6]){1000, 0, 0, 0, 0, 4000}, 16);
  put_png(&f, "b0.png", (const uint16_t[6]){1000, 2000, 0, 2000, 3000, 4000}, 16);
  put_png(&f, "m0.png", (const uint16_t[6]){255, 0, 255, 0, 0, 0}, 8);
  return f;
}

static void depth_pictures_become_points_of_the_world(void **state) {
  (void)state;
  folder f = make_cameras();
  const char *path = put_document(&f, two_cameras);
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_capture *capture = NULL;
  check_ok(pl_capture_load(context, path, &capture, NULL, &error), &error);
  assert_int_equal(pl_capture_get_view(capture).camera_count, 2);
  pl_cloud *cloud = NULL;
  check_ok(pl_capture_load_frame(capture, 0, &cloud, NULL, &error), &error);
  pl_cloud_view view = pl_cloud_get_view(cloud);
  assert_int_equal(view.point_count, 3);
  check_vector(view.points[0], 10 - 0.5, -0.125, 1);
  check_vector(view.points[1], 10 + 2, 0.5, 4);
  check_vector(view.points[2], 10 + 0.5, -0.125, -1);
  assert_int_equal(view.cameras[1], 0);
  assert_int_equal(view.cameras[2], 1);
  assert_int_equal(view.pixel_count, 8);
  assert_int_equal(view.invalid_pixel_count, 5);
  pl_cloud_destroy(cloud);
  pl_capture_report report;
  check_ok(pl_capture_get_report(capture, 1, &report, NULL, &error), &error);
  check_near(report.invalid_fraction, 5.0 / 8, 1e-15);
  pl_capture_destroy(capture);
  drop_context(context);
  drop_folder(&f);
}

// A JPEG of 3 x `height` pixels, in colour: inside is white or yellow, outside black or blue.
static byte_buffer make_jpeg(const bool inside[6], int height) {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr handler;
  unsigned char *bytes = NULL, rows[2][9];
  unsigned long size = 0;
  info.err = jpeg_std_error(&handler);
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = 3;
  info.image_height = (JDIMENSION)height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  jpeg_start_compress(&info, TRUE);
  for (int i = 0; i < 18; ++i) {
    bool blue = i % 3 == 2, odd = i / 3 % 2 == 1;
    rows[i / 9][i % 9] = inside[i / 3] ? (blue && odd ? 0 : 255) : (blue && odd ? 255 : 0);
  }
  for (int y = 0; y < height; ++y) {
    JSAMPROW row = rows[y];
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  byte_buffer made = {.size = 0};
  assert_true(size <= sizeof made.bytes);
  memcpy(made.bytes, bytes, size);
  made.size = size;
  free(bytes);
  return made;
}

static void masks_may_be_jpeg(void **state) {
  (void)state;
  folder f = make_folder();
  for (int i = 0; i < 3; ++i) {
    const char *const names[] = {"b0.png", "b1.png", "b2.png"};
    put_png(&f, names[i], (const uint16_t[6]){1000, 2000, 3000, 2000, 3000, 4000}, 16);
  }
  const bool inside[6] = {true, false, true, false, false, true};
  byte_buffer whole = make_jpeg(inside, 2), small = make_jpeg(inside, 1);
  put_file(&f, "m0.jpg", whole.bytes, whole.size);
  put_file(&f, "m1.jpg", whole.bytes, whole.size - 12);
  put_file(&f, "m2.jpg", small.bytes, small.size);
  const char *path =
      put_document(&f, "{\"rate\": 15, \"cameras\": [" CAMERA(
                           "\"depth\": \"b?.png\", \"mask\": \"m?.jpg\", \"rotation\": [0, 0, 0, 1]") "]}");
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_capture *capture = NULL;
  check_ok(pl_capture_load(context, path, &capture, NULL, &error), &error);
  pl_cloud *cloud = NULL;
  check_ok(pl_capture_load_frame(capture, 0, &cloud, NULL, &error), &error);
  pl_cloud_view view = pl_cloud_get_view(cloud);
  assert_int_equal(view.point_count, 3);
  check_near(view.points[0].z, 1, 1e-12);
  check_near(view.points[1].z, 3, 1e-12);
  check_near(view.points[2].z, 4, 1e-12);
  pl_cloud_destroy(cloud);
  cloud = NULL;
  assert_int_equal(pl_capture_load_frame(capture, 1, &cloud, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_int_equal(pl_capture_load_frame(capture, 2, &cloud, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "its camera 3 x 2"));
  assert_null(cloud);
  pl_capture_destroy(capture);
  drop_context(context);
  drop_folder(&f);
}

static void pictures_of_another_size_or_depth_are_refused(void **state) {
  (void)state;
  folder f = make_folder();
  put_png(&f, "a0.png", (const uint16_t[6]){1}, 8);
  put_file(&f, "a1.png", "\x89PNG\r\n\x1a\nxx", 10);
  byte_buffer cut = make_png((const uint16_t[6]){1}, 16);
  put_file(&f, "a2.png", cut.bytes, cut.size - 20);
  const char *path = put_document(
      &f, "{\"rate\": 15, \"cameras\": [" CAMERA("\"depth\": \"a?.png\", \"rotation\": [0, 0, 0, 1]") "]}");
  pl_context *context = make_context(1);
  pl_capture *capture = NULL;
  pl_error error = {0};
  check_ok(pl_capture_load(context, path, &capture, NULL, &error), &error);
  pl_cloud *cloud = NULL;
  assert_int_equal(pl_capture_load_frame(capture, 0, &cloud, NULL, &error), PL_ERROR_UNSUPPORTED);
  assert_int_equal(pl_capture_load_frame(capture, 1, &cloud, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_int_equal(pl_capture_load_frame(capture, 2, &cloud, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_null(cloud);
  pl_capture_destroy(capture);
  drop_context(context);
  drop_folder(&f);
}

// The document must be refused with a finding of this kind at this place.
static void check_document(const folder *f, const char *text, const char *kind, int32_t line, int32_t column,
                           const char *fix) {
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  pl_capture *capture = NULL;
  assert_int_equal(pl_capture_load_memory(context, &(pl_memory_source){text, strlen(text), "memory", f->path}, &capture,
                                          findings, &error),
                   PL_ERROR_INVALID_DATA);
  assert_null(capture);
  const pl_finding *finding = NULL;
  for (int32_t i = 0; i < pl_findings_count(findings, PL_SEVERITY_ERROR) && finding == NULL; ++i)
    if (strcmp(pl_findings_get(findings, i)->kind, kind) == 0) finding = pl_findings_get(findings, i);
  if (finding == NULL) fail_msg("no finding %s in %s (first: %s)", kind, text, error.text);
  if (finding->line != line || finding->column != column)
    fail_msg("%s at %d:%d instead of %d:%d: %s", kind, finding->line, finding->column, line, column, finding->you_see);
  if (strstr(finding->fix, fix) == NULL) fail_msg("\"%s\" does not say \"%s\"", finding->fix, fix);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void every_mistake_of_a_document_is_reported_with_its_position(void **state) {
  (void)state;
  folder f = make_folder();
  put_file(&f, "a.xyz", "0 0 0\n", 6);
  put_file(&f, "b.xyz", "0 0 0\n", 6);
  check_document(&f, "{\"clouds\": \"*.xyz\",\n \"rat\": 30}", "unknown-key", 2, 2, "`rate`");
  check_document(&f, "{\"clouds\": \"*.xyz\",\n \"rat\": 30}", "missing-key", 1, 1, "one of them");
  check_document(&f, "{\"clouds\": \"*.xyz\", \"rate\": 0}", "out-of-range", 1, 29, "at least");
  check_document(&f, "{\"clouds\": \"*.ply\", \"rate\": 1}", "no-files", 1, 12, "*");
  check_document(&f, "{\"clouds\": \"*/a.ply\", \"rate\": 1}", "no-files", 1, 12, "last slash");
  check_document(&f, "{\"clouds\": [\"a.xyz\", \"c.xyz\"], \"rate\": 1}", "no-files", 1, 22, "name");
  check_document(&f, "{\"clouds\": [], \"rate\": 1}", "no-files", 1, 12, "name");
  check_document(&f, "{\"clouds\": 5, \"rate\": 1}", "wrong-kind", 1, 12, "quotes");
  check_document(&f, "{\"clouds\": \"*.xyz\", \"times\": [1]}", "frame-count", 1, 30, "every frame");
  check_document(&f, "{\"clouds\": \"*.xyz\", \"times\": [1, 1]}", "out-of-order", 1, 34, "sort");
  check_document(&f, "{\"clouds\": \"*.xyz\", \"times\": [1, 2], \"rate\": 1}", "two-ways", 1, 30, "one");
  check_document(&f, "{\"clouds\": \"*.xyz\", \"rate\": 1, \"units\": \"ft\"}", "no-choice", 1, 41, "mm");
  check_document(&f, "{\"clouds\": \"*.xyz\", \"rate\": 1, \"gravity\": [1, 2]}", "wrong-length", 1, 43, "");
  check_document(&f, "{\"rate\": 1, \"cameras\": []}", "wrong-kind", 1, 24, "brackets");
  check_document(&f, "{\"rate\": 1, \"cameras\": [{}]}", "missing-key", 1, 25, "");
  check_document(&f, "{\"rate\": 1, \"cameras\": [{\"rotation\": [1, 1, 1, 1]}]}", "no-rotation", 1, 38, "length 1");
  check_document(&f, "{\"rate\": 1, \"cameras\": [{\"rotation\": [[1,0,0],[0,1,0],[0,0,-1]]}]}", "no-rotation", 1, 38,
                 "mirrored");
  check_document(&f, "{\"rate\": 1, \"cameras\": [{\"fxx\": 2}]}", "unknown-key", 1, 26, "`fx`");
  check_document(&f, "{\"rate\": 1, \"cameras\": [{\"width\": 640.5}]}", "not-whole", 1, 35, "whole");
  check_document(&f, "[]", "wrong-kind", 1, 1, "{");
  drop_folder(&f);
}

static void failing_memory_leaks_nothing(void **state) {
  (void)state;
  folder f = make_cameras();
  const char *path = put_document(&f, two_cameras);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live_before = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_capture *capture = NULL;
    pl_cloud *cloud = NULL;
    pl_status status = pl_capture_load(context, path, &capture, NULL, NULL);
    assert_true((status < 0) == (capture == NULL));
    if (status >= 0) {
      status = pl_capture_load_frame(capture, 0, &cloud, NULL, NULL);
      assert_true((status < 0) == (cloud == NULL));
    }
    pl_cloud_destroy(cloud);
    pl_capture_destroy(capture);
    assert_int_equal(allocator.live_count, live_before);
    if (status == PL_OK) {
      assert_true(allocator.call_count < n);
      break;
    }
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_true(n < 1000);
  }
  allocator.fail_at = 0;
  drop_context(context);
  drop_folder(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clouds_come_in_the_order_of_their_numbers_and_in_metres),
      cmocka_unit_test(a_box_of_more_than_50_metres_looks_like_millimetres),
      cmocka_unit_test(depth_pictures_become_points_of_the_world),
      cmocka_unit_test(masks_may_be_jpeg),
      cmocka_unit_test(pictures_of_another_size_or_depth_are_refused),
      cmocka_unit_test(every_mistake_of_a_document_is_reported_with_its_position),
      cmocka_unit_test(failing_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
