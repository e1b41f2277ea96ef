// A context refuses bad defs, takes all its memory from the caller's allocator, and survives every refusal of it.
// ctest: unit threads
#include "base/clock.h"
#include "base/context.h"
#include "base/pool.h"
#include "check.h"

static void check_refused(const pl_context_def *def) {
  pl_context *context = (pl_context *)(void *)&context;
  pl_error error = {0};
  assert_int_equal(pl_context_create(def, &context, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(context);
  assert_int_equal(error.status, PL_ERROR_INVALID_ARGUMENT);
  assert_true(error.text[0] != '\0');
}

static void defs_that_make_no_sense_are_refused(void **state) {
  (void)state;
  check_refused(&(pl_context_def){0});
  pl_context_def def = pl_default_context_def();
  def.thread_count = -1;
  check_refused(&def);
  def.thread_count = 257;
  check_refused(&def);
  def = pl_default_context_def();
  def.allocator.allocate = failing_allocate;
  check_refused(&def);
  def = pl_default_context_def();
  def.allocator.release = failing_release;
  check_refused(&def);
}

static void the_default_runs_one_thread_per_processor(void **state) {
  (void)state;
  pl_context *context = make_context(0);
  assert_int_equal(pl_context_thread_count(context), pl_processor_count());
  drop_context(context);
  context = make_context(3);
  assert_int_equal(pl_context_thread_count(context), 3);
  drop_context(context);
  pl_context_destroy(NULL);
}

static void memory_is_counted_and_comes_from_the_allocator(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t own = allocator.live_count;
  unsigned char *a = pl_allocate(context, 100);
  unsigned char *b = pl_allocate_array(context, 10, 20);
  void *empty = pl_allocate(context, 0);
  assert_true(a != NULL && b != NULL && empty != NULL);
  assert_int_equal((uintptr_t)a % 64, 0);
  assert_int_equal((uintptr_t)b % 64, 0);
  for (int i = 0; i < 200; ++i) assert_int_equal(b[i], 0);
  pl_memory_report report = pl_context_get_memory_report(context);
  assert_int_equal(report.block_count, 3);
  assert_int_equal(report.byte_count, 300);
  assert_int_equal(report.allocation_count, 3);
  assert_int_equal(allocator.live_count, own + 3);

  allocator.fail_at = allocator.call_count + 1;
  assert_null(pl_allocate(context, 8));
  assert_null(pl_allocate(context, SIZE_MAX - 10));
  assert_null(pl_allocate_array(context, SIZE_MAX / 4, 8));
  assert_int_equal(pl_context_get_memory_report(context).block_count, 3);
  pl_release(context, a);
  pl_release(context, b);
  pl_release(context, empty);
  pl_release(context, NULL);
  assert_int_equal(pl_context_get_memory_report(context).byte_count, 0);
  drop_context(context);
  assert_int_equal(allocator.live_count, 0);
}

// An allocator that checks that every block comes back with the size it was asked for.
typedef struct sized_block {
  size_t size;
  unsigned char pad[64 - sizeof(size_t)];
} sized_block;

static void *sized_allocate(void *user, size_t size, size_t alignment) {
  (void)user;
  assert_true(alignment <= 64 && (alignment & (alignment - 1)) == 0);
  sized_block *block = aligned_alloc(64, (size + sizeof(sized_block) + 63) / 64 * 64);
  block->size = size;
  return block + 1;
}

static void sized_release(void *user, void *block, size_t size) {
  (void)user;
  sized_block *head = (sized_block *)block - 1;
  assert_int_equal(head->size, size);
  free(head);
}

static void blocks_come_back_with_their_size(void **state) {
  (void)state;
  pl_context_def def = pl_default_context_def();
  def.thread_count = 3;
  def.allocator = (pl_allocator){sized_allocate, sized_release, NULL};
  pl_context *context = NULL;
  pl_error error = {0};
  check_ok(pl_context_create(&def, &context, &error), &error);
  for (size_t size = 0; size < 500; size += 37) pl_release(context, pl_allocate(context, size));
  drop_context(context);
}

static void every_refused_allocation_of_creation_is_reported(void **state) {
  (void)state;
  bool succeeded = false;
  int n = 1;
  for (; !succeeded; ++n) {
    failing_allocator allocator = {.fail_at = n};
    pl_context_def def = pl_default_context_def();
    def.thread_count = 3;
    def.allocator = (pl_allocator){failing_allocate, failing_release, &allocator};
    pl_context *context = NULL;
    pl_error error = {0};
    pl_status status = pl_context_create(&def, &context, &error);
    succeeded = status == PL_OK;
    if (!succeeded) {
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_int_equal(error.status, PL_ERROR_OUT_OF_MEMORY);
      assert_null(context);
    } else {
      // Success is only believed when nothing was refused.
      assert_true(allocator.call_count < n);
    }
    pl_context_destroy(context);
    assert_int_equal(allocator.live_count, 0);
  }
  assert_true(n > 2);
}

typedef struct heard {
  int count;
  pl_severity severity;
  char text[64];
} heard;

static void listen(void *user, pl_severity severity, const char *text) {
  heard *h = user;
  h->count++;
  h->severity = severity;
  snprintf(h->text, sizeof h->text, "%s", text);
}

static void log_lines_reach_the_listener(void **state) {
  (void)state;
  heard h = {0};
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  def.log = listen;
  def.log_user = &h;
  pl_context *context = NULL;
  pl_error error = {0};
  check_ok(pl_context_create(&def, &context, &error), &error);
  pl_log(context, PL_SEVERITY_WARNING, "%d of %s", 3, "five");
  assert_int_equal(h.count, 1);
  assert_int_equal(h.severity, PL_SEVERITY_WARNING);
  assert_string_equal(h.text, "3 of five");
  drop_context(context);
  context = make_context(1);
  pl_log(context, PL_SEVERITY_ERROR, "to nobody");
  drop_context(context);
}

static void the_clock_never_goes_back(void **state) {
  (void)state;
  double last = pl_clock_seconds();
  for (int i = 0; i < 1000; ++i) {
    double now = pl_clock_seconds();
    assert_true(now >= last);
    last = now;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defs_that_make_no_sense_are_refused),
      cmocka_unit_test(the_default_runs_one_thread_per_processor),
      cmocka_unit_test(memory_is_counted_and_comes_from_the_allocator),
      cmocka_unit_test(blocks_come_back_with_their_size),
      cmocka_unit_test(every_refused_allocation_of_creation_is_reported),
      cmocka_unit_test(log_lines_reach_the_listener),
      cmocka_unit_test(the_clock_never_goes_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
