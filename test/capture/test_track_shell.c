// Shells in tracking: a thin sheet that bends, seen from both sides.
// ctest: physics once
#include "fixtures/swaying_sheet.h"

enum { FRAMES = 6 };

static void a_thin_sheet_is_tracked_from_both_sides(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar_fixture fixture = make_sheet_fixture(context);
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = NULL;
  pl_error error = {0};
  check_ok(pl_tracker_create(context, &def, fixture.model, NULL, &tracker, &error), &error);
  for (int32_t f = 0; f < FRAMES; ++f) {
    bar_cloud cloud = take_bar_cloud(&fixture, f);
    pl_track_report report;
    pl_status status = pl_tracker_advance(tracker, f / fixture.rate, &cloud.view, &report, &error);
    print_message("frame %d: %.2f mm off, residual %.2f mm, %.0f %% explained, %.0f %% seen, strain %.1f %%\n", f,
                  1e3 * bar_error(&fixture, tracker, f), 1e3 * report.residual, 100 * report.explained_fraction,
                  100 * report.seen_fraction, 100 * report.strain);
    check_ok(status, &error);
    assert_int_equal(report.state, PL_TRACK_GOOD);
    check_at_most(bar_error(&fixture, tracker, f), 0.0012);
    drop_bar_cloud(&cloud);
  }
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thin_sheet_is_tracked_from_both_sides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
