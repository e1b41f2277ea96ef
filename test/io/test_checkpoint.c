// Checkpoints and the log of frames: what is written comes back, what is damaged is refused, memory may run out
// anywhere.
// ctest: unit
#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "check.h"
#include "pliant/checkpoint.h"
#include "report/report_export.h"

static char folder[64], path[96];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/pliant-checkpoint-XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static const char SNAPSHOT[] = "all that moves\0with zeros";

static pl_checkpoint_view example(void) {
  return (pl_checkpoint_view){.scene_path = "/some/scene.json",
                              .scene_hash = UINT64_C(0x0123456789abcdef),
                              .seed = UINT64_MAX,
                              .options = "--frames=3\n--hash=end\n",
                              .frame = 17,
                              .frame_count = 100,
                              .state_hash = 42,
                              .snapshot = SNAPSHOT,
                              .snapshot_size = sizeof SNAPSHOT};
}

static void a_checkpoint_comes_back_as_it_was(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_checkpoint *checkpoint = NULL;
  pl_checkpoint_view view = example();
  pl_error error = {0};
  check_ok(pl_checkpoint_save(context, path, &view, &error), &error);
  check_ok(pl_checkpoint_load(context, path, &checkpoint, &error), &error);
  pl_checkpoint_view found = pl_checkpoint_get_view(checkpoint);
  assert_string_equal(found.scene_path, view.scene_path);
  assert_string_equal(found.options, view.options);
  assert_true(found.scene_hash == view.scene_hash && found.seed == view.seed && found.state_hash == view.state_hash);
  assert_true(found.frame == 17 && found.frame_count == 100);
  assert_int_equal(found.snapshot_size, sizeof SNAPSHOT);
  assert_memory_equal(found.snapshot, SNAPSHOT, sizeof SNAPSHOT);
  pl_checkpoint_destroy(checkpoint);
  drop_context(context);
}

static size_t read_file(unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t count = fread(bytes, 1, size, file);
  fclose(file);
  return count;
}

static void write_file(const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static void every_changed_or_missing_byte_is_noticed(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_checkpoint_view view = example();
  pl_error error = {0};
  unsigned char bytes[512];
  check_ok(pl_checkpoint_save(context, path, &view, &error), &error);
  size_t size = read_file(bytes, sizeof bytes);
  for (size_t i = 0; i < size; ++i) {
    pl_checkpoint *checkpoint = NULL;
    bytes[i] ^= 0x10;
    write_file(bytes, size);
    bytes[i] ^= 0x10;
    assert_true(pl_checkpoint_load(context, path, &checkpoint, &error) < 0);
    assert_null(checkpoint);
    write_file(bytes, i);
    assert_int_equal(pl_checkpoint_load(context, path, &checkpoint, &error), PL_ERROR_INVALID_DATA);
    assert_null(checkpoint);
  }
  unlink(path);
  pl_checkpoint *checkpoint = NULL;
  assert_int_equal(pl_checkpoint_load(context, path, &checkpoint, &error), PL_ERROR_NOT_FOUND);
  drop_context(context);
}

static void a_checkpoint_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_checkpoint_view view = example();
  pl_error error = {0};
  int64_t live = allocator.live_count;
  bool written = false, read = false;
  for (int64_t n = 1; !written; ++n) {
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_checkpoint_save(context, path, &view, &error);
    written = status == PL_OK;
    if (!written) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(allocator.live_count, live);
  }
  for (int64_t n = 1; !read; ++n) {
    pl_checkpoint *checkpoint = NULL;
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_checkpoint_load(context, path, &checkpoint, &error);
    read = status == PL_OK;
    if (!read) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    if (!read) assert_null(checkpoint);
    pl_checkpoint_destroy(checkpoint);
    assert_int_equal(allocator.live_count, live);
  }
  pl_context_destroy(context);
}

static void the_hash_of_a_file_depends_on_every_byte(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  uint64_t first = 0, second = 0, third = 0;
  write_file((const unsigned char *)"abc", 3);
  check_ok(pl_file_get_hash(context, path, &first, &error), &error);
  check_ok(pl_file_get_hash(context, path, &second, &error), &error);
  write_file((const unsigned char *)"abd", 3);
  check_ok(pl_file_get_hash(context, path, &third, &error), &error);
  assert_true(first == second && first != third);
  assert_int_equal(pl_file_get_hash(context, "/nowhere/at/all", &first, &error), PL_ERROR_NOT_FOUND);
  drop_context(context);
}

enum { POINT_COUNT = 5 };

static void fill_points(pl_vec3 *points, int frame) {
  for (int i = 0; i < POINT_COUNT; ++i) points[i] = (pl_vec3){frame + 0.1 * i, 1.0 / (frame + 1), -i};
}

static pl_frame_log *make_log(pl_context *context, int frame_count) {
  pl_frame_log *log = NULL;
  pl_error error = {0};
  pl_vec3 points[POINT_COUNT];
  check_ok(pl_frame_log_open(context, path, POINT_COUNT, 0, &log, &error), &error);
  for (int frame = 0; frame < frame_count; ++frame) {
    fill_points(points, frame);
    check_ok(pl_frame_log_append(log, (uint64_t)frame * 7, points, &error), &error);
  }
  check_ok(pl_frame_log_sync(log, &error), &error);
  return log;
}

static void frames_come_back_whole_and_in_part(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_frame_log *log = make_log(context, 4);
  pl_error error = {0};
  pl_vec3 wanted[POINT_COUNT], found[POINT_COUNT];
  uint64_t hash = 0;
  assert_int_equal(pl_frame_log_count(log), 4);
  for (int frame = 3; frame >= 0; --frame) {
    fill_points(wanted, frame);
    check_ok(pl_frame_log_read(log, frame, 0, POINT_COUNT, found, &error), &error);
    check_ok(pl_frame_log_get_hash(log, frame, &hash, &error), &error);
    assert_memory_equal(found, wanted, sizeof wanted);
    assert_true(hash == (uint64_t)frame * 7);
    check_ok(pl_frame_log_read(log, frame, 2, 2, found, &error), &error);
    assert_memory_equal(found, wanted + 2, 2 * sizeof(pl_vec3));
  }
  assert_int_equal(pl_frame_log_read(log, 4, 0, 1, found, &error), PL_ERROR_INVALID_ARGUMENT);
  uint64_t none;
  assert_int_equal(pl_frame_log_get_hash(log, 4, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_frame_log_get_hash(log, -1, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_frame_log_read(log, 0, 4, 2, found, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_frame_log_close(log);
  drop_context(context);
}

static void a_log_continues_after_the_frames_that_are_kept(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_frame_log_close(make_log(context, 6));
  pl_frame_log *log = NULL;
  pl_error error = {0};
  pl_vec3 points[POINT_COUNT], found[POINT_COUNT];
  check_ok(pl_frame_log_open(context, path, POINT_COUNT, 3, &log, &error), &error);
  assert_int_equal(pl_frame_log_count(log), 3);
  fill_points(points, 99);
  check_ok(pl_frame_log_append(log, 1, points, &error), &error);
  check_ok(pl_frame_log_read(log, 3, 0, POINT_COUNT, found, &error), &error);
  assert_memory_equal(found, points, sizeof points);
  pl_frame_log_close(log);
  // What was behind is gone.
  assert_int_equal(pl_frame_log_open(context, path, POINT_COUNT, 5, &log, &error), PL_ERROR_INVALID_DATA);
  assert_null(log);
  drop_context(context);
}

static void a_log_of_another_run_or_damaged_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_frame_log_close(make_log(context, 2));
  pl_frame_log *log = NULL;
  pl_error error = {0};
  unsigned char bytes[1024];
  assert_int_equal(pl_frame_log_open(context, path, POINT_COUNT + 1, 1, &log, &error), PL_ERROR_INVALID_DATA);
  size_t size = read_file(bytes, sizeof bytes);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] ^= 1;
    write_file(bytes, size);
    bytes[i] ^= 1;
    assert_int_equal(pl_frame_log_open(context, path, POINT_COUNT, 2, &log, &error), PL_ERROR_INVALID_DATA);
    assert_null(log);
  }
  unlink(path);
  assert_int_equal(pl_frame_log_open(context, path, POINT_COUNT, 2, &log, &error), PL_ERROR_FILE);
  assert_int_equal(pl_frame_log_open(context, "/dev/full", POINT_COUNT, 0, &log, &error), PL_ERROR_FILE);
  drop_context(context);
}

static void a_log_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  pl_context *plain = make_context(1);
  pl_frame_log_close(make_log(plain, 2));
  drop_context(plain);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  pl_error error = {0};
  bool opened = false;
  for (int64_t n = 1; !opened; ++n) {
    pl_frame_log *log = NULL;
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_frame_log_open(context, path, POINT_COUNT, 2, &log, &error);
    opened = status == PL_OK;
    if (!opened) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    pl_frame_log_close(log);
    assert_int_equal(allocator.live_count, live);
  }
  pl_context_destroy(context);
}

static void an_embedding_is_written_as_a_table(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const pl_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const int32_t tet[] = {0, 1, 2, 3};
  const pl_vec3 points[] = {{0.25, 0.25, 0.25}, {0.5, 0.125, 0.25}};
  pl_mesh_view view = {.point_count = 4, .points = corners, .tet_count = 1, .tets = tet};
  pl_mesh *mesh = NULL;
  pl_embedding *embedding = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  check_ok(pl_embedding_build(context, mesh, &(pl_embedding_input){points, 2, 0}, &embedding, NULL, &error), &error);
  check_ok(pl_embedding_save(context, path, embedding, &error), &error);
  FILE *file = fopen(path, "r");
  char line[256];
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  for (int i = 0; i < 2; ++i) {
    int number, parents[4];
    double weights[4];
    pl_vec3 sum = {0, 0, 0};
    assert_int_equal(fscanf(file, "%d,%d,%d,%d,%d,%lf,%lf,%lf,%lf\n", &number, &parents[0], &parents[1], &parents[2],
                            &parents[3], &weights[0], &weights[1], &weights[2], &weights[3]),
                     9);
    for (int k = 0; k < 4; ++k) {
      sum.x += weights[k] * corners[parents[k]].x;
      sum.y += weights[k] * corners[parents[k]].y;
      sum.z += weights[k] * corners[parents[k]].z;
    }
    assert_int_equal(number, i);
    check_near(sum.x, points[i].x, 1e-6);
    check_near(sum.y, points[i].y, 1e-6);
    check_near(sum.z, points[i].z, 1e-6);
  }
  fclose(file);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_checkpoint_comes_back_as_it_was, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_changed_or_missing_byte_is_noticed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_checkpoint_out_of_memory_leaks_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_hash_of_a_file_depends_on_every_byte, set_up, tear_down),
      cmocka_unit_test_setup_teardown(frames_come_back_whole_and_in_part, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_log_continues_after_the_frames_that_are_kept, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_log_of_another_run_or_damaged_is_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_log_out_of_memory_leaks_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_embedding_is_written_as_a_table, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
