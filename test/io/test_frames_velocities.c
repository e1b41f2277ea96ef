#define _GNU_SOURCE
// A table and NumPy's arrays hold the velocities that the caller sets, and none where a frame has none.
// ctest: unit
#include <unistd.h>

#include "check.h"
#include "pliant/pliant.h"

enum { POINTS = 3 };

// Two frames; those of the bits of `with` have velocities. Returns the size of the file.
static size_t write_and_read(pl_frame_format format, const char *ending, int with, unsigned char *bytes, size_t max) {
  pl_context *context = make_context(1);
  char folder[] = "/tmp/pliant-frames-XXXXXX", path[64], file[80];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/body", folder);
  snprintf(file, sizeof file, "%s%s", path, ending);
  pl_error error = {0};
  pl_frames_def def = pl_default_frames_def(format);
  def.path = path;
  def.point_count = POINTS;
  def.frame_count = 2;
  pl_frames *frames = NULL;
  pl_vec3 points[POINTS] = {{0, 0, 0}}, velocities[POINTS];
  for (int i = 0; i < POINTS; ++i) velocities[i] = (pl_vec3){i, -0.5, 0.25};
  check_ok(pl_frames_create(context, &def, &frames, &error), &error);
  for (int n = 0; n < 2; ++n) {
    if ((with >> n & 1) != 0) pl_frames_set_velocities(frames, velocities);
    check_ok(pl_frames_add_frame(frames, points, &error), &error);
  }
  check_ok(pl_frames_close(frames, &error), &error);
  FILE *opened = fopen(file, "rb");
  assert_non_null(opened);
  size_t size = fread(bytes, 1, max - 1, opened);
  bytes[size] = 0;
  fclose(opened);
  unlink(file);
  rmdir(folder);
  drop_context(context);
  return size;
}

static void a_table_has_columns_for_them(void **state) {
  (void)state;
  unsigned char bytes[4096];
  write_and_read(PL_FRAMES_CSV, ".csv", 3, bytes, sizeof bytes);
  const char *head = "frame,time,point,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0,-0.5,0.25\n1,0,1,0,0,0,1,-0.5,0.25\n";
  assert_memory_equal(bytes, head, strlen(head));
  write_and_read(PL_FRAMES_CSV, ".csv", 1, bytes, sizeof bytes);
  assert_non_null(strstr((char *)bytes, ",0,0,0,0,,,\n"));
  write_and_read(PL_FRAMES_CSV, ".csv", 0, bytes, sizeof bytes);
  assert_memory_equal(bytes, "frame,time,point,x,y,z\n1,0,0,0,0,0\n", 35);
}

static void arrays_have_one_for_them(void **state) {
  (void)state;
  unsigned char bytes[4096];
  size_t size = write_and_read(PL_FRAMES_NPZ, ".npz", 3, bytes, sizeof bytes);
  const unsigned char *entry = memmem(bytes, size, "velocities.npy", 14);
  assert_non_null(entry);
  entry = memmem(entry, (size_t)(bytes + size - entry), "\x93NUMPY", 6);
  assert_non_null(memmem(entry, 128, "<f4", 3));
  assert_non_null(memmem(entry, 128, "'shape': (2, 3, 3)", 18));
  float found[2][POINTS][3];
  memcpy(found, entry + 128, sizeof found);
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < POINTS; ++i)
      assert_true(found[n][i][0] == (float)i && found[n][i][1] == -0.5f && found[n][i][2] == 0.25f);
  // Not of all frames: none.
  size = write_and_read(PL_FRAMES_NPZ, ".npz", 1, bytes, sizeof bytes);
  assert_null(memmem(bytes, size, "velocities.npy", 14));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_has_columns_for_them),
      cmocka_unit_test(arrays_have_one_for_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
