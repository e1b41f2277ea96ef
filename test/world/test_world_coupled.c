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

// Pairs of boxes far from each other: islands that are solved at the same time.
static uint64_t hash_of_islands(int threads, pl_fem_material material) {
  box_stack s = make_stack(threads, material, 2e5, 0, 0);
  for (int i = 0; i < 8; ++i)
    s.boxes[s.count++] = add_body(s.world, s.model, (pl_vec3){1.0 * (i / 2) + 0.01 * (i % 2), 0.1 + 0.21 * (i % 2), 0});
  run_steps(s.world, 120);
  uint64_t hash = pl_world_get_hash(s.world);
  drop_stack(&s);
  return hash;
}

static void islands_do_not_depend_on_threads(void **state) {
  (void)state;
  static const pl_fem_material MATERIALS[] = {PL_FEM_COROTATED, PL_FEM_FAST};
  for (int m = 0; m < 2; ++m) {
    uint64_t one = hash_of_islands(1, MATERIALS[m]);
    const int threads[] = {2, 3, 8};
    for (int k = 0; k < 3; ++k) assert_true(hash_of_islands(threads[k], MATERIALS[m]) == one);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_and_snapshots_change_no_bit),
      cmocka_unit_test(islands_do_not_depend_on_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
