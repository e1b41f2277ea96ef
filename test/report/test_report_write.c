// Reports: whole pages, text taken literally, curves where they belong, nothing left behind on failure.
// ctest: unit
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <math.h>
#include <unistd.h>

#include "io/base64.h"
#include "io/file_bytes.h"
#include "report/report_export.h"

enum { WIDTH = 8, HEIGHT = 4 };

static void make_folder(char folder[64], char path[128]) {
  strcpy(folder, "/tmp/pliant-report-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, 128, "%s/report.html", folder);
}

static pl_status draw_stripe(void *user, int32_t index, uint8_t *rgb, pl_error *error) {
  (void)error;
  memset(rgb, 0, WIDTH * HEIGHT * 3);
  rgb[3 * index] = 255;
  return *(int32_t *)user == index ? PL_ERROR_UNSUPPORTED : PL_OK;
}

// A report with one of everything; `bad_frame` of its clip fails.
static pl_status write_report(pl_context *context, const char *path, int32_t bad_frame, pl_error *error) {
  static const char *const columns[] = {"name", "value"}, *const cells[] = {"a < b", "12.5", "c & d", "-3"};
  double x[] = {0, 1, 2, 3}, y[] = {1, 10, (double)NAN, 1000}, z[] = {0, 2, 4, 6};
  pl_report_curve curves[] = {{.name = "measured", .count = 4, .x = x, .y = y, .marks = true},
                              {.name = "simulated", .count = 4, .x = x, .y = z, .dashed = true}};
  pl_report_chart chart = {
      .title = "growth", .x_label = "time (s)", .y_label = "size (m)", .curves = curves, .curve_count = 2};
  uint8_t rgb[WIDTH * HEIGHT * 3] = {0};
  pl_report *report = NULL;
  pl_status status = pl_report_create(context, path, "Leaf <1>", &report, error);
  if (status < 0) return status;
  pl_report_heading(report, "What was given");
  pl_report_text(report, "three \"cameras\"");
  pl_report_warning(report, "one cannot be told");
  pl_report_table(report, "parameters", columns, 2, 2, cells);
  pl_report_draw(report, &chart);
  chart.log_y = true;
  pl_report_draw(report, &chart);
  pl_report_picture(report, "the leaf", rgb, WIDTH, HEIGHT);
  pl_report_clip(report, &(pl_report_frames){"it moves", 10, 3, WIDTH, HEIGHT, draw_stripe, &bad_frame});
  return pl_report_close(report, error);
}

static int count_of(const char *text, const char *word) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) ++count;
  return count;
}

static void a_report_is_one_page_that_needs_nothing_else(void **state) {
  (void)state;
  char folder[64], path[128];
  make_folder(folder, path);
  pl_context *context = make_context(1);
  pl_error error = {0};
  check_ok(write_report(context, path, -1, &error), &error);
  pl_bytes page;
  check_ok(pl_bytes_read(context, path, &page, &error), &error);
  const char *text = (const char *)page.data;
  assert_non_null(strstr(text, "<title>Leaf &lt;1&gt;</title>"));
  assert_non_null(strstr(text, "three &quot;cameras&quot;"));
  assert_non_null(strstr(text, "<td>a &lt; b</td><td class=\"n\">12.5</td>"));
  assert_int_equal(count_of(text, "data:image/png;base64,iVBOR"), 4);
  assert_int_equal(count_of(text, "<svg"), 2);
  assert_int_equal(count_of(text, "<figure"), count_of(text, "</figure>"));
  assert_null(strstr(text, "http"));
  assert_null(strstr(text, ">-0<"));
  pl_bytes_free(&page);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
  drop_context(context);
}

// Charts below each other in one drawing that any viewer opens, with the names of all curves.
static void charts_are_a_drawing_of_their_own(void **state) {
  (void)state;
  char folder[64], path[128];
  make_folder(folder, path);
  pl_context *context = make_context(1);
  pl_error error = {0};
  double x[] = {0, 1, 2}, y[] = {0, 0.5, 1}, z[] = {3, 2, 1};
  pl_report_curve curves[] = {{.name = "a < b", .count = 3, .x = x, .y = y},
                              {.name = "falling", .count = 3, .x = x, .y = z, .dashed = true}};
  const pl_report_chart charts[] = {
      {.title = "weights", .x_label = "t", .y_label = "w", .curves = curves, .curve_count = 2},
      {.title = "energies", .x_label = "t", .y_label = "E", .curves = curves, .curve_count = 1}};
  check_ok(pl_charts_save(context, path, charts, 2, &error), &error);
  pl_bytes drawing;
  check_ok(pl_bytes_read(context, path, &drawing, &error), &error);
  const char *text = (const char *)drawing.data;
  assert_int_equal(count_of(text, "<svg xmlns='http://www.w3.org/2000/svg'"), 1);
  assert_int_equal(count_of(text, "</svg>"), 1);
  assert_int_equal(count_of(text, ">a &lt; b</text>"), 2);
  assert_int_equal(count_of(text, ">falling</text>"), 1);
  assert_int_equal(count_of(text, "<path class='line"), 6);  // a curve and its key, three times
  // The rising curve ends above where it begins; rows are counted from the top.
  int left, bottom, right, top;
  const char *line = strstr(text, "<path class='line' d='M");
  assert_int_equal(sscanf(line, "<path class='line' d='M%d %dL%*d %*dL%d %d'", &left, &bottom, &right, &top), 4);
  assert_true(right > left && top < bottom);
  pl_bytes_free(&drawing);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
  drop_context(context);
}

static void points_stand_where_the_axes_say(void **state) {
  (void)state;
  char folder[64], path[128];
  make_folder(folder, path);
  pl_context *context = make_context(1);
  pl_error error = {0};
  check_ok(write_report(context, path, -1, &error), &error);
  pl_bytes page;
  check_ok(pl_bytes_read(context, path, &page, &error), &error);
  // Of the four measured points one is not finite: three dots in each chart. Evenly growing on the logarithmic one: 1,
  // 10 and 1000.
  const char *chart = strstr(strstr((const char *)page.data, "<svg") + 4, "<svg");
  int y[3], x[3];
  const char *at = chart;
  for (int i = 0; i < 3; ++i) {
    at = strstr(at, "<circle cx='");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "<circle cx='%d' cy='%d'", &x[i], &y[i]), 2);
    ++at;
  }
  assert_int_equal(count_of((const char *)page.data, "<circle"), 6);
  assert_true(abs((y[0] - y[2]) - 3 * (y[0] - y[1])) <= 3);
  assert_true(y[0] > y[1] && y[1] > y[2]);
  assert_true(abs((x[2] - x[0]) - 3 * (x[1] - x[0])) <= 3);
  pl_bytes_free(&page);
  unlink(path);
  rmdir(folder);
  drop_context(context);
}

static void large_numbers_at_axes_have_an_exponent(void **state) {
  (void)state;
  char folder[64], path[128];
  make_folder(folder, path);
  pl_context *context = make_context(1);
  pl_error error = {0};
  double x[] = {0, 1}, y[] = {7e6, 7.4e6};
  pl_report_curve curve = {.name = "modulus", .count = 2, .x = x, .y = y};
  pl_report *report = NULL;
  check_ok(pl_report_create(context, path, "axes", &report, &error), &error);
  pl_report_draw(report, &(pl_report_chart){
                             .title = "modulus", .x_label = "", .y_label = "Pa", .curves = &curve, .curve_count = 1});
  check_ok(pl_report_close(report, &error), &error);
  pl_bytes page;
  check_ok(pl_bytes_read(context, path, &page, &error), &error);
  assert_non_null(strstr((const char *)page.data, ">7.2e6<"));
  assert_null(strstr((const char *)page.data, ">7200000<"));
  assert_non_null(strstr((const char *)page.data, ">0.2<"));
  pl_bytes_free(&page);
  unlink(path);
  rmdir(folder);
  drop_context(context);
}

static void a_report_that_fails_leaves_no_file(void **state) {
  (void)state;
  char folder[64], path[128];
  make_folder(folder, path);
  pl_context *context = make_context(1);
  pl_error error = {0};
  assert_int_equal(write_report(context, path, 1, &error), PL_ERROR_UNSUPPORTED);
  assert_true(write_report(context, "/no/such/folder/x.html", -1, &error) < 0);
  assert_int_equal(rmdir(folder), 0);
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
  int failures = 0;
  for (int64_t n = 1;; ++n, ++failures) {
    pl_error error = {0};
    allocator.fail_at = allocator.call_count + n;
    pl_status status = write_report(context, path, -1, &error);
    allocator.fail_at = 0;
    assert_int_equal(allocator.live_count, live);
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_int_not_equal(access(path, F_OK), 0);
  }
  assert_true(failures > 10);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
  pl_context_destroy(context);
}

static void base64_has_the_texts_of_the_standard(void **state) {
  (void)state;
  static const char *const known[][2] = {{"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
  for (int i = 0; i < 4; ++i) {
    char text[16] = {0};
    pl_base64_write((const unsigned char *)known[i][0], strlen(known[i][0]), text);
    assert_string_equal(text, known[i][1]);
    assert_int_equal(strlen(text), pl_base64_length(strlen(known[i][0])));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_report_is_one_page_that_needs_nothing_else),
      cmocka_unit_test(points_stand_where_the_axes_say),
      cmocka_unit_test(charts_are_a_drawing_of_their_own),
      cmocka_unit_test(large_numbers_at_axes_have_an_exponent),
      cmocka_unit_test(a_report_that_fails_leaves_no_file),
      cmocka_unit_test(every_failed_allocation_is_reported),
      cmocka_unit_test(base64_has_the_texts_of_the_standard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
