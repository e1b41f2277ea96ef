// Boxes of all methods among colliders that are smaller than their faces: the same bits for any number of threads.
// ctest: equivalence threads
#include "fixtures/collider_tools.h"

// Boxes of all methods fall among all tools: the hash of where they are after a quarter of a second.
static uint64_t run_crowd(int threads) {
  pl_context *context = make_context(threads);
  pl_error error = {0};
  pl_model *models[KIND_COUNT];
  pl_mesh *meshes[TOOL_COUNT];
  pl_world *world = make_world(context, BOX_STEP, -9.81);
  add_ground(world);
  for (int k = 0; k < KIND_COUNT; ++k) models[k] = make_body(context, (kind)k, 1e6, k == COROTATED ? 1 : 2, BOX_STEP);
  for (int t = 0; t < TOOL_COUNT; ++t) {
    pl_collider_def def = make_tool(context, (tool)t, &meshes[t]);
    pl_vec3 aside = {0.3 * (t % 4), 0.3, 0.3 * (t / 4)};
    def.placement.position = pl_vec3_add(def.placement.position, aside);
    check_ok(pl_world_add_collider(world, &def, NULL, &error), &error);
  }
  for (int i = 0; i < 12; ++i)
    add_body(world, models[i % 4], (pl_vec3){0.29 * (i / 3), 0.45 + 0.02 * i, 0.28 * (i % 3)});
  run_steps(world, 60);  // also under the thread sanitizer: in the first ones they fall
  pl_step_report report;
  check_ok(pl_world_step(world, &report, &error), &error);
  assert_true(report.contact_count > 10);
  uint64_t hash = pl_world_get_hash(world);
  pl_world_destroy(world);
  for (int k = 0; k < KIND_COUNT; ++k) pl_model_destroy(models[k]);
  for (int t = 0; t < TOOL_COUNT; ++t) pl_mesh_destroy(meshes[t]);
  drop_context(context);
  return hash;
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  static const int THREADS[] = {2, 3, 8};
  uint64_t one = run_crowd(1);
  for (int i = 0; i < 3; ++i) assert_true(run_crowd(THREADS[i]) == one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
