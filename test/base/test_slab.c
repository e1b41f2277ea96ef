// Blocks of a slab are zeroed, aligned, apart from each other, used again, and gone with the last of their chunk.
// ctest: unit
#include "base/context.h"
#include "base/slab.h"
#include "check.h"

enum { COUNT = 300 };

static size_t size_of(size_t i) {
  return 40 * (i % 7) * (i % 7) * (i % 11) + (i % 50 == 0 ? 100000 : 1);
}

static void take_all(pl_slab *slab, unsigned char *blocks[COUNT]) {
  for (size_t i = 0; i < COUNT; ++i) {
    if (blocks[i] != NULL) continue;
    blocks[i] = pl_slab_take(slab, size_of(i));
    assert_non_null(blocks[i]);
    assert_int_equal((uintptr_t)blocks[i] % 64, 0);
    for (size_t k = 0; k < size_of(i); ++k) assert_int_equal(blocks[i][k], 0);
    memset(blocks[i], (int)(i % 255) + 1, size_of(i));
  }
}

static void blocks_are_zeroed_aligned_and_apart(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_slab slab;
  pl_slab_init(&slab, context);
  unsigned char *blocks[COUNT] = {NULL};
  take_all(&slab, blocks);
  int64_t byte_count = pl_context_get_memory_report(context).byte_count;
  for (int round = 0; round < 3; ++round) {
    for (size_t i = (size_t)round; i < COUNT; i += 3) {
      pl_slab_give(&slab, blocks[i]);
      blocks[i] = NULL;
    }
    take_all(&slab, blocks);
    // Had two blocks shared a byte, the later one would have overwritten it.
    for (size_t i = 0; i < COUNT; ++i)
      for (size_t k = 0; k < size_of(i); ++k) assert_int_equal(blocks[i][k], (int)(i % 255) + 1);
  }
  assert_true(pl_context_get_memory_report(context).byte_count <= byte_count);
  for (size_t i = 0; i < COUNT; ++i) pl_slab_give(&slab, blocks[i]);
  assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
  pl_slab_give(&slab, NULL);
  drop_context(context);
}

static void many_blocks_share_a_few_chunks(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_slab slab;
  pl_slab_init(&slab, context);
  static void *blocks[1000];
  blocks[0] = pl_slab_take(&slab, 40000);
  assert_in_range(pl_context_get_memory_report(context).byte_count, 40000, 70000);
  for (int i = 1; i < 1000; ++i) blocks[i] = pl_slab_take(&slab, 40000);
  assert_in_range(pl_context_get_memory_report(context).block_count, 10, 14);
  assert_in_range(pl_context_get_memory_report(context).byte_count, 40000000, 46000000);
  for (int i = 0; i < 1000; ++i) pl_slab_give(&slab, blocks[i]);
  drop_context(context);
}

static void too_large_is_out_of_memory(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_slab slab;
  pl_slab_init(&slab, context);
  assert_null(pl_slab_take(&slab, SIZE_MAX / 2));
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_zeroed_aligned_and_apart),
      cmocka_unit_test(many_blocks_share_a_few_chunks),
      cmocka_unit_test(too_large_is_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
