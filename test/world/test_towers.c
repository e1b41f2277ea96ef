// Towers of soft boxes obey Greenhill: what is lower than 0.85 of the height at which a column buckles under its own
// weight stands, what is higher than 1.3 of it falls over, and is not thrown.
// ctest: physics long
#include "fixtures/box_stacks.h"

static const pl_fem_material METHODS[] = {PL_FEM_COROTATED, PL_FEM_FAST};
enum { METHOD_COUNT = 2 };

// (7.84 E I / (ρ g A))^(1/3), I / A = a² / 12 of a square.
static double greenhill_height(double young) {
  return cbrt(7.84 * young * BOX_SIZE * BOX_SIZE / (12 * 1000 * 9.81));
}

static void ten_boxes_of_10_megapascals_stand_for_a_minute(void **state) {
  (void)state;
  assert_true(10 * BOX_SIZE < 0.85 * greenhill_height(1e7));
  for (int m = 0; m < METHOD_COUNT; ++m) {
    box_stack s = make_stack(1, METHODS[m], 1e7, 10, 0);
    double max = 0;
    for (int second = 0; second < 60; ++second) {
      run_steps(s.world, 240);
      if (second >= 10) max = fmax(max, stack_speed(&s));
    }
    pl_body_report top = pl_body_get_report(s.world, s.boxes[9]);
    print_message("method %d: speed %.2g m/s after 10 s, top at (%.5f, %.5f, %.5f)\n", m, max, top.center.x,
                  top.center.y, top.center.z);
    assert_true(max < 1e-3);
    assert_true(hypot(top.center.x, top.center.z) < 1e-3 && top.center.y > 1.89);
    drop_stack(&s);
  }
}

// A tower without any fault would stand as a pencil on its tip does: each box is 2 mm off the one below.
static void a_tower_that_is_too_high_falls_and_is_not_thrown(void **state) {
  (void)state;
  const struct {
    int count;
    double young;
  } towers[] = {{4, 4.3e4}, {6, 2e5}};
  for (int k = 0; k < 2 * METHOD_COUNT; ++k) {
    int count = towers[k / METHOD_COUNT].count;
    double young = towers[k / METHOD_COUNT].young, max = 0, fastest = 0, farthest = 0;
    assert_true(count * BOX_SIZE > 1.3 * greenhill_height(young));
    box_stack s = make_stack(1, METHODS[k % METHOD_COUNT], young, count, 0.002);
    for (int i = 0; i < 6 * 240; ++i) {
      run_steps(s.world, 1);
      for (int b = 0; b < count; ++b) {
        pl_body_report report = pl_body_get_report(s.world, s.boxes[b]);
        max = fmax(max, pl_vec3_length(report.momentum) / report.mass);
        fastest = fmax(fastest, report.max_speed);
      }
    }
    pl_body_report top = pl_body_get_report(s.world, s.boxes[count - 1]);
    for (int i = 0; i < count; ++i) {
      pl_vec3 center = pl_body_get_report(s.world, s.boxes[i]).center;
      farthest = fmax(farthest, hypot(center.x, center.z));
    }
    double fall = sqrt(2 * 9.81 * count * BOX_SIZE);
    print_message(
        "%d boxes of %g Pa, method %d: top at %.3f m, centres up to %.2f of the speed of free fall, particles %.2f; "
        "farthest %.2f m\n",
        count, young, k % METHOD_COUNT, top.center.y, max / fall, fastest / fall, farthest);
    assert_true(top.center.y < 0.5 * count * BOX_SIZE);
    assert_true(max < fall);
    assert_true(farthest < count * BOX_SIZE + 2);
    drop_stack(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_boxes_of_10_megapascals_stand_for_a_minute),
      cmocka_unit_test(a_tower_that_is_too_high_falls_and_is_not_thrown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
