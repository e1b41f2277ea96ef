// Implicit bodies that touch give the same bits with any number of threads, and after a snapshot.
// ctest: equivalence threads
#include "fixtures/box_stacks.h"

static const pl_fem_material METHODS[] = {PL_FEM_COROTATED, PL_FEM_FAST};
enum { METHOD_COUNT = 2 };

static void threads_and_snapshots_change_no_bit(void **state) {
  (void)state;
  for (int m = 0; m < METHOD_COUNT; ++m) {
    uint64_t hashes[3];
    for (int k = 0; k < 3; ++k) {
      box_stack s = make_stack(k + 1, METHODS[m], 2e5, 3, 0.03);
      run_steps(s.world, check_steps(20));
      size_t size = pl_world_snapshot_size(s.world);
      void *snapshot = malloc(size);
      assert_non_null(snapshot);
      pl_world_snapshot(s.world, snapshot);
      run_steps(s.world, check_steps(10));
      hashes[k] = pl_world_get_hash(s.world);
      check_ok(pl_world_restore(s.world, snapshot, size, NULL), NULL);
      run_steps(s.world, check_steps(10));
      assert_true(pl_world_get_hash(s.world) == hashes[k]);
      free(snapshot);
      drop_stack(&s);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_and_snapshots_change_no_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
