// The scratch stack hands out separate aligned pieces, takes them back to a mark, and asks for nothing on the second
// pass.
// ctest: unit
#include "base/scratch.h"
#include "check.h"

// Nested takes of very different sizes, as a step makes them.
static void one_pass(pl_scratch *scratch) {
  pl_scratch_mark outer = pl_scratch_push(scratch);
  unsigned char *first = PL_SCRATCH(scratch, unsigned char, 1000);
  assert_non_null(first);
  memset(first, 0xAA, 1000);
  for (size_t round = 0; round < 5; ++round) {
    pl_scratch_mark inner = pl_scratch_push(scratch);
    for (size_t k = 0; k < 4; ++k) {
      size_t size = (size_t)1 << (4 * k + round);
      unsigned char *piece = PL_SCRATCH(scratch, unsigned char, size);
      assert_non_null(piece);
      assert_int_equal((uintptr_t)piece % 64, 0);
      memset(piece, (int)k, size);
    }
    pl_scratch_pop(scratch, inner);
  }
  for (size_t i = 0; i < 1000; ++i) assert_int_equal(first[i], 0xAA);
  assert_non_null(PL_SCRATCH(scratch, double, 300000));
  pl_scratch_pop(scratch, outer);
}

static void the_second_pass_allocates_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_scratch scratch;
  pl_scratch_init(&scratch, context);
  one_pass(&scratch);
  int64_t count = pl_context_get_memory_report(context).allocation_count;
  assert_true(count > 0);
  for (int i = 0; i < 10; ++i) one_pass(&scratch);
  assert_int_equal(pl_context_get_memory_report(context).allocation_count, count);
  pl_scratch_destroy(&scratch);
  drop_context(context);
}

// What one stack has been through, another that matches it goes through without an allocation, whatever it had before.
static void a_stack_that_matches_another_allocates_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_scratch used, empty, small;
  pl_scratch *stacks[2] = {&empty, &small};
  pl_scratch_init(&used, context);
  one_pass(&used);
  for (int i = 0; i < 2; ++i) {
    pl_scratch_init(stacks[i], context);
    if (i == 1) assert_non_null(PL_SCRATCH(stacks[i], char, 1000000));
    pl_scratch_pop(stacks[i], (pl_scratch_mark){NULL, 0});
    assert_true(pl_scratch_match(stacks[i], &used));
    int64_t count = pl_context_get_memory_report(context).allocation_count;
    one_pass(stacks[i]);
    assert_true(pl_scratch_match(stacks[i], &used));
    assert_int_equal(pl_context_get_memory_report(context).allocation_count, count);
    pl_scratch_destroy(stacks[i]);
  }
  pl_scratch_destroy(&used);
  drop_context(context);
}

static void popping_gives_the_same_memory_again(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_scratch scratch;
  pl_scratch_init(&scratch, context);
  assert_non_null(PL_SCRATCH(&scratch, char, 10));
  pl_scratch_mark mark = pl_scratch_push(&scratch);
  void *once = PL_SCRATCH(&scratch, char, 100);
  pl_scratch_pop(&scratch, mark);
  assert_ptr_equal(PL_SCRATCH(&scratch, char, 100), once);
  pl_scratch_destroy(&scratch);
  drop_context(context);
}

static void every_refused_allocation_leaves_the_stack_usable(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  bool succeeded = false;
  for (int n = 1; !succeeded; ++n) {
    pl_scratch scratch;
    pl_scratch_init(&scratch, context);
    allocator.fail_at = allocator.call_count + n;
    succeeded = true;
    for (size_t size = 1000; size < 3000000; size *= 3)
      succeeded = pl_scratch_take(&scratch, size, 1) != NULL && succeeded;
    // Success is only believed when nothing was refused.
    if (succeeded) assert_true(allocator.call_count < allocator.fail_at);
    allocator.fail_at = 0;
    assert_non_null(pl_scratch_take(&scratch, 5000, 1));
    pl_scratch_destroy(&scratch);
    assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
    assert_true(n < 20);
  }
  assert_null(pl_scratch_take(&(pl_scratch){.context = context}, SIZE_MAX / 8, 16));
  drop_context(context);
  assert_int_equal(allocator.live_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_second_pass_allocates_nothing),
      cmocka_unit_test(a_stack_that_matches_another_allocates_nothing),
      cmocka_unit_test(popping_gives_the_same_memory_again),
      cmocka_unit_test(every_refused_allocation_leaves_the_stack_usable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
