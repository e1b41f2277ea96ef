// Pieces of an arena are zeroed, aligned, apart from each other, and gone with one call.
// ctest: unit
#include "base/arena.h"
#include "base/context.h"
#include "check.h"

static void pieces_are_zeroed_aligned_and_apart(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  enum { COUNT = 500 };
  unsigned char *piece[COUNT];
  size_t total = 0;
  for (size_t i = 0; i < COUNT; ++i) {
    size_t size = i * 7 % 301;
    piece[i] = pl_arena_take(&arena, size, 1);
    assert_non_null(piece[i]);
    assert_int_equal((uintptr_t)piece[i] % (size >= 64 ? 64 : 16), 0);
    for (size_t k = 0; k < size; ++k) assert_int_equal(piece[i][k], 0);
    memset(piece[i], (int)(i % 255) + 1, size);
    total += size;
  }
  // Had two pieces shared a byte, the later one would have overwritten it.
  for (size_t i = 0; i < COUNT; ++i)
    for (size_t k = 0; k < i * 7 % 301; ++k) assert_int_equal(piece[i][k], (int)(i % 255) + 1);
  assert_int_equal(arena.byte_count, total);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void a_good_guess_means_one_block(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 100000);
  for (int i = 0; i < 100; ++i) assert_non_null(pl_arena_take(&arena, 960, 1));
  assert_int_equal(pl_context_get_memory_report(context).block_count, 1);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void after_a_reset_the_same_pieces_allocate_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  const size_t sizes[6] = {100, 50000, 3000, 4000, 90000, 7};
  void *pieces[6];
  for (int round = 0; round < 3; ++round) {
    int64_t before = pl_context_get_memory_report(context).allocation_count;
    for (int i = 0; i < 6; ++i) {
      void *piece = i % 2 == 0 ? pl_arena_take(&arena, sizes[i], 1) : pl_arena_take_raw(&arena, sizes[i], 1);
      assert_non_null(piece);
      if (round > 0) assert_ptr_equal(piece, pieces[i]);
      for (size_t k = 0; i % 2 == 0 && k < sizes[i]; ++k) assert_int_equal(((char *)piece)[k], 0);
      memset(piece, 1, sizes[i]);
      pieces[i] = piece;
    }
    assert_true(round == 0 || pl_context_get_memory_report(context).allocation_count == before);
    // What comes after them is kept too, and does not get in their way.
    if (round == 1) assert_non_null(pl_arena_take(&arena, 200000, 1));
    pl_arena_reset(&arena);
    assert_int_equal(arena.byte_count, 0);
  }
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void copies_equal_their_source(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  const double numbers[3] = {1, 2, 3};
  double *copy = pl_arena_copy(&arena, numbers, 3, sizeof(double));
  char *text = pl_arena_copy_text(&arena, "soft");
  assert_memory_equal(copy, numbers, sizeof numbers);
  assert_string_equal(text, "soft");
  assert_non_null(pl_arena_copy(&arena, NULL, 0, 8));
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void an_arena_may_live_in_its_own_memory(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_arena *inside = PL_TAKE(&arena, pl_arena, 1);
  assert_non_null(PL_TAKE(&arena, double, 100000));
  *inside = arena;
  pl_arena_destroy(inside);
  drop_context(context);
}

static void one_large_piece_does_not_inflate_the_next_chunk(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  const int64_t large = (int64_t)1 << 27;
  assert_non_null(pl_arena_take(&arena, (size_t)large, 1));
  assert_non_null(pl_arena_take(&arena, 8, 1));
  assert_true(pl_context_get_memory_report(context).byte_count < large + large / 4);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void impossible_and_refused_sizes_set_failed(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  assert_null(pl_arena_take(&arena, SIZE_MAX / 2, 16));
  assert_true(arena.failed);

  pl_arena_init(&arena, context, 0);
  allocator.fail_at = allocator.call_count + 1;
  assert_null(pl_arena_copy_text(&arena, "text"));
  assert_true(arena.failed);
  assert_non_null(pl_arena_copy_text(&arena, "text"));
  pl_arena_destroy(&arena);
  drop_context(context);
  assert_int_equal(allocator.live_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
      cmocka_unit_test(a_good_guess_means_one_block),
      cmocka_unit_test(after_a_reset_the_same_pieces_allocate_nothing),
      cmocka_unit_test(copies_equal_their_source),
      cmocka_unit_test(an_arena_may_live_in_its_own_memory),
      cmocka_unit_test(one_large_piece_does_not_inflate_the_next_chunk),
      cmocka_unit_test(impossible_and_refused_sizes_set_failed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
