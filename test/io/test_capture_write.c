// Captures that are written are read back as they were: depths to the last unit, clouds to the last bit, cameras and
// all else.
// ctest: unit
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "pliant/capture_file.h"
#include "pliant/cloud.h"

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place) {
  (void)facts, (void)kind, (void)place;
  return remove(path);
}

static void drop_folder(const char *path) {
  assert_int_equal(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static pl_capture *read_back(pl_context *context, const char *folder) {
  char path[128];
  pl_error error = {0};
  pl_capture *capture = NULL;
  snprintf(path, sizeof path, "%s/capture.json", folder);
  check_ok(pl_capture_load(context, path, &capture, NULL, &error), &error);
  return capture;
}

static const pl_capture_camera CAMERAS[2] = {{.name = "left",
                                              .width = 3,
                                              .height = 2,
                                              .fx = 2.5,
                                              .fy = 2.25,
                                              .cx = 1,
                                              .cy = 0.5,
                                              .placement = {{1, 2, 3}, {0, 0, 0, 1}},
                                              .depth_scale = 0.001},
                                             {.name = "",
                                              .width = 2,
                                              .height = 2,
                                              .fx = 3,
                                              .fy = 3,
                                              .cx = 0.5,
                                              .cy = 0.5,
                                              .placement = {{-1, 0, 0.5}, {0, 0.6, 0, 0.8}},
                                              .depth_scale = 0.0001}};

static pl_capture_writer_def make_def(const char *folder) {
  pl_capture_writer_def def = pl_default_capture_writer_def();
  def.folder = folder;
  def.name = "try \"this\"";
  def.rate = 29.97;
  def.gravity = (pl_vec3){0.1, -9.8, 0};
  def.cameras = CAMERAS;
  def.camera_count = 2;
  return def;
}

static void depths_and_cameras_come_back(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char folder[] = "/tmp/pliant-capture-XXXXXX";
  assert_non_null(mkdtemp(folder));
  pl_capture_writer_def def = make_def(folder);
  pl_capture_writer *writer = NULL;
  check_ok(pl_capture_writer_create(context, &def, &writer, &error), &error);
  const uint16_t first[6] = {0, 1000, 65535, 1, 256, 2000}, second[4] = {7, 0, 0, 30000};
  const uint16_t *const pictures[2] = {first, second};
  for (int i = 0; i < 12; ++i) check_ok(pl_capture_writer_add_depths(writer, pictures, &error), &error);
  assert_int_equal(pl_capture_writer_add_cloud(writer, NULL, 0, &error), PL_ERROR_INVALID_ARGUMENT);
  check_ok(pl_capture_writer_close(writer, &error), &error);
  pl_capture *capture = read_back(context, folder);
  pl_capture_view view = pl_capture_get_view(capture);
  assert_string_equal(view.name, "try \"this\"");
  assert_int_equal(view.frame_count, 12);
  check_near(view.rate, 29.97, 0);
  check_near(view.gravity.y, -9.8, 0);
  assert_int_equal(view.camera_count, 2);
  assert_string_equal(view.cameras[0].name, "left");
  check_near(view.cameras[1].placement.rotation.y, 0.6, 1e-15);
  check_near(view.cameras[0].fy, 2.25, 0);
  check_near(view.cameras[1].depth_scale, 0.0001, 0);
  pl_cloud *cloud = NULL;
  check_ok(pl_capture_load_frame(capture, 11, &cloud, NULL, &error), &error);
  pl_cloud_view points = pl_cloud_get_view(cloud);
  assert_int_equal(points.point_count, 7);
  // Pixel (1, 0) of the first camera, at depth 1 m: ((1 - 1) / 2.5, (0 - 0.5) / 2.25, 1) from (1, 2, 3).
  check_near(points.points[0].x, 1, 1e-12);
  check_near(points.points[0].y, 2 - 0.5 / 2.25, 1e-12);
  check_near(points.points[0].z, 4, 1e-12);
  check_near(points.points[1].z, 3 + 65.535, 1e-12);
  assert_int_equal(points.cameras[5], 1);
  pl_cloud_destroy(cloud);
  pl_capture_destroy(capture);
  drop_folder(folder);
  drop_context(context);
}

static void clouds_come_back_to_the_last_bit(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char folder[] = "/tmp/pliant-capture-XXXXXX";
  assert_non_null(mkdtemp(folder));
  pl_capture_writer_def def = make_def(folder);
  def.camera_count = 0;
  pl_capture_writer *writer = NULL;
  const pl_vec3 points[3] = {{1.0 / 3, -2.0 / 7, 1e-9}, {0, 1, 2}, {-5, 1e5, 0.1}};
  check_ok(pl_capture_writer_create(context, &def, &writer, &error), &error);
  check_ok(pl_capture_writer_add_cloud(writer, points, 3, &error), &error);
  check_ok(pl_capture_writer_add_cloud(writer, points, 0, &error), &error);
  check_ok(pl_capture_writer_close(writer, &error), &error);
  pl_capture *capture = read_back(context, folder);
  pl_cloud *cloud = NULL;
  check_ok(pl_capture_load_frame(capture, 0, &cloud, NULL, &error), &error);
  assert_memory_equal(pl_cloud_get_view(cloud).points, points, sizeof points);
  pl_cloud_destroy(cloud);
  check_ok(pl_capture_load_frame(capture, 1, &cloud, NULL, &error), &error);
  assert_int_equal(pl_cloud_get_view(cloud).point_count, 0);
  pl_cloud_destroy(cloud);
  pl_capture_destroy(capture);
  drop_folder(folder);
  drop_context(context);
}

static void a_shorter_capture_leaves_no_frames_of_the_one_before(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char folder[] = "/tmp/pliant-capture-XXXXXX";
  assert_non_null(mkdtemp(folder));
  pl_capture_writer_def def = make_def(folder);
  def.camera_count = 0;
  const pl_vec3 point = {1, 2, 3};
  for (int count = 5; count > 0; count -= 3) {
    pl_capture_writer *writer = NULL;
    check_ok(pl_capture_writer_create(context, &def, &writer, &error), &error);
    for (int i = 0; i < count; ++i) check_ok(pl_capture_writer_add_cloud(writer, &point, 1, &error), &error);
    check_ok(pl_capture_writer_close(writer, &error), &error);
    pl_capture *capture = read_back(context, folder);
    assert_int_equal(pl_capture_get_view(capture).frame_count, count);
    pl_capture_destroy(capture);
  }
  drop_folder(folder);
  drop_context(context);
}

static void what_is_wrong_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char folder[] = "/tmp/pliant-capture-XXXXXX";
  assert_non_null(mkdtemp(folder));
  pl_capture_writer *writer = NULL;
  pl_capture_writer_def def = make_def("/tmp/pliant-there-is-no-such-folder/at-all");
  assert_int_equal(pl_capture_writer_create(context, &def, &writer, &error), PL_ERROR_FILE);
  assert_null(writer);
  def = make_def(folder);
  def.rate = 0;
  assert_int_equal(pl_capture_writer_create(context, &def, &writer, &error), PL_ERROR_INVALID_ARGUMENT);
  def = make_def(folder);
  check_ok(pl_capture_writer_create(context, &def, &writer, &error), &error);
  assert_int_equal(pl_capture_writer_close(writer, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_capture_writer_abandon(NULL);
  drop_folder(folder);
  drop_context(context);
}

static void failing_memory_leaks_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  char folder[] = "/tmp/pliant-capture-XXXXXX";
  assert_non_null(mkdtemp(folder));
  pl_capture_writer_def def = make_def(folder);
  const uint16_t pixels[6] = {1, 2, 3, 4, 5, 6};
  const uint16_t *const pictures[2] = {pixels, pixels};
  for (int64_t n = 1;; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_capture_writer *writer = NULL;
    pl_status status = pl_capture_writer_create(context, &def, &writer, NULL);
    if (status >= 0) status = pl_capture_writer_add_depths(writer, pictures, NULL);
    if (status >= 0)
      status = pl_capture_writer_close(writer, NULL);
    else
      pl_capture_writer_abandon(writer);
    assert_int_equal(allocator.live_count, live);
    if (status == PL_OK && allocator.call_count < n) break;
    assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
    assert_true(n < 1000);
  }
  drop_folder(folder);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(depths_and_cameras_come_back),
      cmocka_unit_test(clouds_come_back_to_the_last_bit),
      cmocka_unit_test(a_shorter_capture_leaves_no_frames_of_the_one_before),
      cmocka_unit_test(what_is_wrong_is_refused),
      cmocka_unit_test(failing_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
