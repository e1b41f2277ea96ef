// ctest: unit threads
// Detail on a body of ours: a moving ball presses a soft block, and its surface shows what was recorded, the same for
// any number of threads and no more memory after the first steps.
#include "fixtures/detail_block.h"

static void a_pressed_body_shows_what_was_recorded(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  fixture plain = make_fixture(context), detailed = make_fixture(context);
  pl_error error = {0};
  pl_detail_set *set = record_fixture(context, &plain, 60);
  pl_detail_layer *layer = add_layer(&detailed, set);
  // The ball is above the block at first: nothing is changed.
  run_steps(detailed.world, 1);
  assert_int_equal(pl_detail_layer_get_contacts(layer, 0, NULL), 0);
  run_steps(detailed.world, 59);
  pl_detail_contact_report report;
  assert_int_equal(pl_detail_layer_get_contacts(layer, 1, &report), 1);
  check_near(report.best_weight, 1, 0.05);
  check_ok(pl_body_get_surface(detailed.world, detailed.body, detailed.surface), &error);
  double max = 0, far = 0, off = 0, whole = 0;
  for (int32_t i = 0; i < plain.surface_count; ++i) {
    pl_vec3 x = plain.surface[i], moved = pl_vec3_sub(detailed.surface[i], x);
    double r = sqrt((x.x - 2) * (x.x - 2) + (x.z - 1) * (x.z - 1)) / 0.12, length = pl_vec3_length(moved), wanted = 0;
    if (r < 1 && x.y > 0.12) wanted = 0.02 * (1 - r * r) * (1 - r * r) * (4 * r * r - 1);
    max = fmax(max, length);
    if (r > 1.6) far = fmax(far, length);
    off += pow(moved.y - wanted, 2);
    whole += wanted * wanted;
  }
  printf("largest %.4f m, far away %.3g m, missing %.3f\n", max, far, sqrt(off / whole));
  assert_true(max > 0.005);
  check_near(far, 0, 0);
  check_at_most(sqrt(off / whole), 0.15);
  // The body itself is as without the layer.
  pl_body_report without = pl_body_get_report(plain.world, plain.body),
                 with = pl_body_get_report(detailed.world, detailed.body);
  assert_memory_equal(&without, &with, sizeof with);
  drop_fixture(&plain);
  drop_fixture(&detailed);
  pl_detail_layer_destroy(layer);
  pl_detail_set_destroy(set);
  drop_context(context);
}

static void threads_do_not_matter_and_steps_allocate_nothing(void **state) {
  (void)state;
  pl_context *one = make_context(1), *three = make_context(3);
  fixture recorded = make_fixture(one);
  pl_detail_set *set = record_fixture(one, &recorded, 60);
  fixture a = make_fixture(one), b = make_fixture(three);
  pl_detail_layer *layer_a = add_layer(&a, set), *layer_b = add_layer(&b, set);
  pl_error error = {0};
  run_steps(a.world, 35);
  run_steps(b.world, 35);
  int64_t allocations = pl_context_get_memory_report(one).allocation_count;
  run_steps(a.world, 15);
  assert_int_equal(pl_context_get_memory_report(one).allocation_count, allocations);
  run_steps(b.world, 15);
  assert_int_equal(pl_detail_layer_get_contacts(layer_a, 0, NULL), 1);
  check_ok(pl_body_get_surface(a.world, a.body, a.surface), &error);
  check_ok(pl_body_get_surface(b.world, b.body, b.surface), &error);
  assert_memory_equal(a.surface, b.surface, (size_t)a.surface_count * sizeof *a.surface);
  drop_fixture(&recorded);
  drop_fixture(&a);
  drop_fixture(&b);
  pl_detail_layer_destroy(layer_a);
  pl_detail_layer_destroy(layer_b);
  pl_detail_set_destroy(set);
  drop_context(one);
  drop_context(three);
}

static void wrong_layers_are_refused_and_memory_may_run_out(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  fixture s = make_fixture(context);
  pl_detail_set *set = record_fixture(context, &s, 60);
  pl_detail_layer_def def = pl_default_detail_layer_def();
  pl_detail_layer *layer = NULL;
  pl_error error = {0};
  assert_int_equal(pl_detail_layer_add(s.world, s.body, &def, &layer, &error), PL_ERROR_INVALID_ARGUMENT);
  def.set = set;
  def.mesh = s.mesh;
  assert_int_equal(pl_detail_layer_add(s.world, (pl_body_id){9, 9}, &def, &layer, &error), PL_ERROR_NOT_FOUND);
  pl_mesh *other = NULL;
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 1, 1), (const int32_t[3]){1, 1, 1}, &other, &error), &error);
  def.mesh = other;
  assert_int_equal(pl_detail_layer_add(s.world, s.body, &def, &layer, &error), PL_ERROR_INVALID_DATA);
  pl_mesh_destroy(other);
  def.mesh = s.mesh;
  def.tools = &s.tool;
  def.tool_count = 1;
  int64_t held = allocator.live_count, tried = 0;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  for (; status == PL_ERROR_OUT_OF_MEMORY; ++tried) {
    assert_int_equal(allocator.live_count, held);
    allocator.fail_at = allocator.call_count + tried + 1;
    status = pl_detail_layer_add(s.world, s.body, &def, &layer, &error);
  }
  check_ok(status, &error);
  assert_true(tried > 10);
  allocator.fail_at = 0;
  run_steps(s.world, 1);
  assert_int_equal(pl_detail_layer_get_contacts(layer, 0, NULL), 1);
  drop_fixture(&s);
  pl_detail_layer_destroy(layer);
  pl_detail_set_destroy(set);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pressed_body_shows_what_was_recorded),
      cmocka_unit_test(threads_do_not_matter_and_steps_allocate_nothing),
      cmocka_unit_test(wrong_layers_are_refused_and_memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
