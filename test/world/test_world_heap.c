// A pile of fifty default boxes that fall on each other: it stays a pile, comes to rest within ten seconds, and then
// costs nothing.
// ctest: physics threads once
#include "base/random.h"
#include "fixtures/solid_bodies.h"

enum { COUNT = 50, SIDE = 5 };

static void a_pile_of_fifty_rests_within_ten_seconds(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(2);
  pl_solid_def def = pl_default_solid_def();
  pl_model *model = make_box_model(context, pl_vec3_of(0.2, 0.2, 0.2), 3, 3, 3, &def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  pl_random random = pl_random_of_seed(5);
  pl_body_id ids[COUNT];
  for (int32_t i = 0; i < COUNT; ++i) {
    int32_t k = i % (SIDE * SIDE), layer = i / (SIDE * SIDE);
    double jitter[5];
    for (int j = 0; j < 5; ++j) jitter[j] = pl_random_between(&random, -1, 1);
    pl_body_def body = pl_default_body_def();
    body.model = model;
    body.placement.position =
        pl_vec3_of(0.36 * (k % SIDE) + 0.01 * jitter[0], 0.2 + 0.36 * layer, 0.36 * (k / SIDE) + 0.01 * jitter[1]);
    body.placement.rotation =
        pl_quat_from_rotation_vector(pl_vec3_of(0.5 * jitter[2], 0.5 * jitter[3], 0.5 * jitter[4]));
    check_ok(pl_world_add_body(world, &body, &ids[i], &error), &error);
  }
  run_steps(world, 10 * 240);
  int32_t asleep = 0;
  double farthest = 0;
  for (int32_t i = 0; i < COUNT; ++i) {
    asleep += pl_body_is_asleep(world, ids[i]);
    pl_vec3 c = pl_body_get_report(world, ids[i]).center;
    // How far outside the square they fell on.
    double x = fmax(fmax(-c.x, c.x - 0.36 * (SIDE - 1)), 0), z = fmax(fmax(-c.z, c.z - 0.36 * (SIDE - 1)), 0);
    farthest = fmax(farthest, sqrt(x * x + z * z));
    assert_true(c.y > 0.05);
  }
  print_message("%d of %d asleep, farthest %.2f m\n", asleep, COUNT, farthest);
  assert_int_equal(asleep, COUNT);
  assert_true(farthest < 2);
  pl_step_report report;
  check_ok(pl_world_step(world, &report, &error), &error);
  assert_int_equal(report.awake_count, 0);
  assert_int_equal(report.contact_count, 0);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pile_of_fifty_rests_within_ten_seconds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
