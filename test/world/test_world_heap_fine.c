// A hundred boxes of 343 particles each, dropped as a loose block. Fine boxes of the default stiffness are as soft as
// jelly, and the impact turns many of their regions inside out: none is thrown, and none is stretched for good.
// ctest: physics long once
#include "base/random.h"
#include "fixtures/solid_bodies.h"

enum { COUNT = 100, SIDE = 5, CELLS = 6, POINTS = (CELLS + 1) * (CELLS + 1) * (CELLS + 1) };

static void a_drop_of_fine_boxes_stays_a_heap(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_solid_def def = pl_default_solid_def();
  double size = 0.2, pitch = 0.35, top = 0;
  pl_model *model = make_box_model(context, pl_vec3_of(size, size, size), CELLS, CELLS, CELLS, &def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  pl_random random = pl_random_of_seed(7);
  pl_body_id ids[COUNT];
  for (int32_t i = 0; i < COUNT; ++i) {
    double turn[4];
    for (int j = 0; j < 4; ++j) turn[j] = pl_random_between(&random, -1, 1);
    pl_body_def body = pl_default_body_def();
    body.model = model;
    double y = (0.75 + (double)(i / (SIDE * SIDE))) * pitch;
    body.placement.position = pl_vec3_of(i % SIDE * pitch, y, i / SIDE % SIDE * pitch);
    body.placement.rotation = pl_quat_from_axis_angle(pl_vec3_of(turn[0], turn[1], turn[2]), PL_PI * turn[3]);
    check_ok(pl_world_add_body(world, &body, &ids[i], &error), &error);
    top = fmax(top, y + 0.9 * size);
  }
  double fastest = 0, longest = 0, free_fall = sqrt(2 * 9.81 * top);
  pl_vec3 points[POINTS];
  for (int32_t step = 0; step < 2 * 240; ++step) {
    run_steps(world, 1);
    for (int32_t i = 0; i < COUNT; ++i) {
      pl_box box = pl_box_empty();
      check_ok(pl_body_get_velocities(world, ids[i], points), &error);
      for (int32_t k = 0; k < POINTS; ++k) fastest = fmax(fastest, pl_vec3_length(points[k]));
      check_ok(pl_body_get_positions(world, ids[i], points), &error);
      for (int32_t k = 0; k < POINTS; ++k) box = pl_box_add_point(box, points[k]);
      longest = fmax(longest, pl_box_diagonal(box));
    }
  }
  print_message("fastest point %.2f times free fall, longest diagonal %.2f m\n", fastest / free_fall, longest);
  assert_true(fastest < 1.3 * free_fall);
  // That of the box around a cube on its corner is 0.57 m.
  assert_true(longest < 0.75);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_drop_of_fine_boxes_stays_a_heap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
