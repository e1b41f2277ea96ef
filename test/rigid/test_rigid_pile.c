// A pile of rigid boxes stays on the ground that it falls on.
// ctest: physics once
#include "fixtures/rigid_bodies.h"

enum { LAYERS = 8, SIDE = 3, BOXES = LAYERS * SIDE * SIDE, POINTS = 64 };
static const double HALF = 0.04, STEP = 1.0 / 240;

// Where the lowest point of any box is.
static double lowest_of(const pl_world *world, const pl_body_id *boxes, int32_t point_count) {
  pl_vec3 points[POINTS];
  double lowest = HUGE_VAL;
  assert_true(point_count <= POINTS);
  for (int i = 0; i < BOXES; ++i) {
    check_ok(pl_body_get_surface(world, boxes[i], points), NULL);
    for (int32_t k = 0; k < point_count; ++k) lowest = fmin(lowest, points[k].y);
  }
  return lowest;
}

// What crosses is separated, which pressed boxes at the bottom into the ground, and held them there: by up to 5 cm of
// their 8, for seconds.
static void boxes_at_the_bottom_are_not_pressed_into_the_ground(void **state) {
  (void)state;
  for (int far = 0; far < 2; ++far) {
    pl_context *context = make_context(1);
    pl_model *model = make_rigid_box(context, (pl_vec3){HALF, HALF, HALF});
    pl_world *world = make_world(context, STEP, -9.81);
    add_ground(world);
    pl_body_id boxes[BOXES];
    for (int i = 0; i < BOXES; ++i) {
      pl_body_def def = pl_default_body_def();
      def.model = model;
      def.placement.position = pl_vec3_of(5 * far + 3 * HALF * (i % SIDE), 0.15 + 3 * HALF * (i / (SIDE * SIDE)),
                                          3 * HALF * (i / SIDE % SIDE));
      def.placement.rotation =
          pl_quat_from_axis_angle(pl_vec3_of(sin(1.3 * i), cos(2.1 * i), sin(0.7 * i + 1)), 0.53 * i);
      check_ok(pl_world_add_body(world, &def, &boxes[i], NULL), NULL);
    }
    int32_t point_count = pl_model_get_report(model).surface_point_count;
    double fall = 0, rest = 0;
    for (int i = 0; i < 360; ++i) {
      run_steps(world, 1);
      double depth = -lowest_of(world, boxes, point_count);
      fall = fmax(fall, depth);
      if (i >= 120) rest = fmax(rest, depth);
    }
    print_message("at %d m: lowest point %.2f mm below the ground as they fall, %.2f mm after 0.5 s\n", 5 * far,
                  1e3 * fall, 1e3 * rest);
    check_at_most(fall, 2e-3);
    check_at_most(rest, 1e-3);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_at_the_bottom_are_not_pressed_into_the_ground)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
