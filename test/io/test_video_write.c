// Videos: their pictures can be counted and read back, failures leave nothing behind.
// ctest: unit
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include "pliant/picture.h"

static pl_status create_video(pl_context *context, const char *path, int32_t width, int32_t height, double frame_rate,
                              pl_video **video, pl_error *error) {
  pl_video_def def = pl_default_video_def();
  def.path = path;
  def.width = width;
  def.height = height;
  def.frame_rate = frame_rate;
  return pl_video_create(context, &def, video, error);
}

enum { WIDTH = 65, HEIGHT = 33, FRAME_COUNT = 10 };  // odd sizes, which the encoder does not take as they are

typedef struct folder {
  char name[64], video[128];
} folder;

static folder make_folder(void) {
  folder made;
  strcpy(made.name, "/tmp/pliant-video-XXXXXX");
  assert_non_null(mkdtemp(made.name));
  snprintf(made.video, sizeof made.video, "%s/a: b.mp4", made.name);
  return made;
}

static int file_count(const char *name) {
  int count = 0;
  DIR *listing = opendir(name);
  assert_non_null(listing);
  for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
    if (entry->d_name[0] != '.') ++count;
  closedir(listing);
  return count;
}

static void fill(uint8_t *rgb, int frame) {
  for (int i = 0; i < WIDTH * HEIGHT; ++i) {
    rgb[3 * i] = (uint8_t)(20 * frame);
    rgb[3 * i + 1] = 128;
    rgb[3 * i + 2] = (uint8_t)(255 - 20 * frame);
  }
}

// What a shell command prints, without the last line break.
static void ask(const char *command, char *answer, size_t size) {
  FILE *stream = popen(command, "r");
  assert_non_null(stream);
  size_t length = fread(answer, 1, size - 1, stream);
  assert_int_equal(pclose(stream), 0);
  while (length > 0 && answer[length - 1] == '\n') --length;
  answer[length] = '\0';
}

static void ten_pictures_are_read_back_as_ten(void **state) {
  (void)state;
  folder at = make_folder();
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_video *video = NULL;
  uint8_t rgb[WIDTH * HEIGHT * 3];
  check_ok(create_video(context, at.video, WIDTH, HEIGHT, 29.97, &video, &error), &error);
  for (int i = 0; i < FRAME_COUNT; ++i) {
    fill(rgb, i);
    check_ok(pl_video_add_frame(video, rgb, &error), &error);
    assert_int_not_equal(access(at.video, F_OK), 0);  // nothing under the final name yet
  }
  check_ok(pl_video_close(video, &error), &error);
  assert_int_equal(file_count(at.name), 1);

  char command[512], answer[512];
  snprintf(command, sizeof command,
           "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
           "stream=nb_read_frames,width,height,r_frame_rate -of "
           "csv=p=0 "
           "'file:%s'",
           at.video);
  ask(command, answer, sizeof answer);
  assert_string_equal(answer, "66,34,2997/100,10");

  // The middle of frame 7 has the colour that was put in.
  snprintf(command, sizeof command,
           "ffmpeg -v error -i 'file:%s' -vf 'select=eq(n\\,7),format=rgb24,crop=1:1:32:16' -frames:v 1 -f rawvideo "
           "-pix_fmt rgb24 "
           "- | od -An -tu1",
           at.video);
  ask(command, answer, sizeof answer);
  int r, g, b;
  assert_int_equal(sscanf(answer, "%d %d %d", &r, &g, &b), 3);
  check_near(r, 140, 12);
  check_near(g, 128, 12);
  check_near(b, 115, 12);
  unlink(at.video);
  assert_int_equal(rmdir(at.name), 0);
  drop_context(context);
}

static void abandoning_leaves_nothing(void **state) {
  (void)state;
  folder at = make_folder();
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_video *video = NULL;
  uint8_t rgb[WIDTH * HEIGHT * 3];
  fill(rgb, 0);
  check_ok(create_video(context, at.video, WIDTH, HEIGHT, 25, &video, &error), &error);
  check_ok(pl_video_add_frame(video, rgb, &error), &error);
  pl_video_abandon(video);
  pl_video_abandon(NULL);
  assert_int_equal(rmdir(at.name), 0);
  drop_context(context);
}

static void a_video_without_pictures_is_refused(void **state) {
  (void)state;
  folder at = make_folder();
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_video *video = NULL;
  check_ok(create_video(context, at.video, WIDTH, HEIGHT, 25, &video, &error), &error);
  assert_int_equal(pl_video_close(video, &error), PL_ERROR_INVALID_DATA);
  assert_int_equal(rmdir(at.name), 0);
  drop_context(context);
}

// A program called ffmpeg that complains at once and ends stands in for one that fails in the middle.
static void a_failing_program_is_quoted_and_raises_no_signal(void **state) {
  (void)state;
  folder at = make_folder();
  char program[128], old_path[4096];
  snprintf(program, sizeof program, "%s/ffmpeg", at.name);
  FILE *script = fopen(program, "w");
  assert_non_null(script);
  fputs("#!/bin/sh\necho 'the disc is made of cheese' >&2\nexit 1\n", script);
  fclose(script);
  char command[256];
  snprintf(command, sizeof command, "chmod +x %s", program);
  assert_int_equal(system(command), 0);
  snprintf(old_path, sizeof old_path, "%s", getenv("PATH"));
  setenv("PATH", at.name, 1);

  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_video *video = NULL;
  uint8_t rgb[WIDTH * HEIGHT * 3];
  fill(rgb, 0);
  pl_status status = create_video(context, at.video, WIDTH, HEIGHT, 25, &video, &error);
  setenv("PATH", old_path, 1);
  assert_int_equal(status, PL_OK);
  for (int i = 0; i < 1000 && status == PL_OK; ++i) status = pl_video_add_frame(video, rgb, &error);
  assert_int_equal(status, PL_ERROR_FILE);
  assert_non_null(strstr(error.text, "made of cheese"));
  memset(&error, 0, sizeof error);
  assert_true(pl_video_close(video, &error) < 0);
  unlink(program);
  assert_int_equal(rmdir(at.name), 0);
  drop_context(context);
}

static void a_missing_program_is_unsupported(void **state) {
  (void)state;
  folder at = make_folder();
  char old_path[4096];
  snprintf(old_path, sizeof old_path, "%s", getenv("PATH"));
  setenv("PATH", at.name, 1);
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_video *video = NULL;
  pl_status status = create_video(context, at.video, WIDTH, HEIGHT, 25, &video, &error);
  setenv("PATH", old_path, 1);
  assert_int_equal(status, PL_ERROR_UNSUPPORTED);
  assert_null(video);
  assert_non_null(strstr(error.text, "ffmpeg"));
  assert_int_equal(rmdir(at.name), 0);
  drop_context(context);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_video *video = NULL;
  assert_int_equal(create_video(context, "/tmp/x.mp4", 0, 10, 25, &video, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(create_video(context, "/tmp/x.mp4", 10, 10, 0, &video, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(create_video(context, "/tmp/x.mp4", 10, 10, (double)NAN, &video, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(create_video(context, "/no/such/folder/x.mp4", 10, 10, 25, &video, &error), PL_ERROR_FILE);
  assert_string_equal(error.file, "/no/such/folder/x.mp4");
  assert_int_equal(pl_video_create(context, &(pl_video_def){.path = "/tmp/x.mp4"}, &video, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_null(video);
  drop_context(context);
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  folder at = make_folder();
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  pl_error error = {0};
  pl_video *video = NULL;
  int failures = 0;
  for (int64_t n = 1;; ++n, ++failures) {
    allocator.fail_at = allocator.call_count + n;
    pl_status status = create_video(context, at.video, WIDTH, HEIGHT, 25, &video, &error);
    allocator.fail_at = 0;
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_null(video);
    assert_int_equal(allocator.live_count, live);
    assert_int_equal(file_count(at.name), 0);
  }
  assert_true(failures >= 3);
  pl_video_abandon(video);
  assert_int_equal(allocator.live_count, live);
  assert_int_equal(rmdir(at.name), 0);
  pl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_pictures_are_read_back_as_ten),
      cmocka_unit_test(abandoning_leaves_nothing),
      cmocka_unit_test(a_video_without_pictures_is_refused),
      cmocka_unit_test(a_failing_program_is_quoted_and_raises_no_signal),
      cmocka_unit_test(a_missing_program_is_unsupported),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
