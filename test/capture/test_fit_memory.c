// Fits on memory that runs out: at every allocation in turn, nothing is lost and the status says so.
// ctest: unit
#include "body/body_method.h"
#include "fixtures/cantilever_bars.h"

static void every_allocation_of_a_fit_may_fail(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 2, (const int32_t[3]){2, 1, 1});
  bar.def.young.start = 2e5;
  make_motions(&bar, (const double[]){3e5, 2e5, 0.3, 0.2, 3e-3}, 3, 1.0 / 30);
  // The second motion is driven by a pressure on its whole surface and starts under it.
  int32_t loaded[64], loaded_count = 0;
  while (loaded_count < bar.point_count) loaded[loaded_count] = loaded_count, ++loaded_count;
  const double times[] = {0, 1}, pressures[] = {10, 20};
  pl_fit_load load = {
      .loaded = loaded, .loaded_count = loaded_count, .time_count = 2, .times = times, .pressures = pressures};
  bar.sequences[1].loads = &load;
  bar.sequences[1].load_count = 1;
  bar.sequences[1].start = PL_FIT_START_BALANCED;
  bar.def.direct = NULL;  // CHOLMOD takes its memory elsewhere
  bar.def.max_iterations = 1;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count, n = 1;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  // Every allocation at first, then fewer and fewer: there are thousands, and they repeat.
  for (; status == PL_ERROR_OUT_OF_MEMORY; n += 1 + n / 25) {
    pl_fit *fit = NULL;
    allocator.fail_at = allocator.call_count + n;
    status = pl_fit_create(context, &bar.def, bar.mesh, &(pl_fit_sequences){.items = bar.sequences, .count = 2}, &fit,
                           &error);
    if (status >= 0) status = pl_fit_run(fit, &error);
    pl_fit_report report;
    if (status >= 0) {
      pl_status looked = pl_fit_get_report(fit, &report, &error);
      if (looked < 0) status = looked;
    }
    pl_fit_destroy(fit);
    assert_int_equal(allocator.live_count, live);
  }
  print_message("%d allocations, status %d\n", (int)n, (int)status);
  assert_true(status >= 0);
  drop_context(context);
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_a_fit_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
