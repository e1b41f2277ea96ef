// Bodies of floats around an origin of doubles: where they start, how exact that is far away, and how they move.
// ctest: unit
#include "base/random.h"
#include "body/body_floats.h"
#include "check.h"
#include "pliant/math.h"

enum { COUNT = 50 };

static double number(pl_random *random, double reach) {
  return pl_random_between(random, -reach, reach);
}

static pl_vec3 vector(pl_random *random, double reach) {
  double x = number(random, reach), y = number(random, reach);
  return pl_vec3_of(x, y, number(random, reach));
}

// A body of COUNT particles within a metre of `center`, started `distance` away from the middle of the world; the
// largest errors of position and velocity against the formulas in double precision.
static void check_start(pl_random *random, double distance, double *position_error, double *velocity_error) {
  const double grid = 1.0 / 8;
  pl_vec3 center = vector(random, 0.5);
  pl_f4 rest[COUNT], positions[COUNT], velocities[COUNT];
  for (int i = 0; i < COUNT; ++i) rest[i] = pl_f4_of_vec3(vector(random, 0.5));
  pl_body_start start = {
      .placement.position = pl_vec3_add(vector(random, 1), pl_vec3_of(distance, -distance, distance)),
      .placement.rotation = {number(random, 1), number(random, 1), number(random, 1), 2},  // of any length
      .velocity = vector(random, 3),
      .angular_velocity = vector(random, 5)};
  double origin[3];
  pl_body_floats_start(&start, center, grid, rest, COUNT, origin, positions, velocities);

  pl_vec3 middle = pl_transform_apply(start.placement, center);
  pl_quat turn = pl_quat_normalize(start.placement.rotation);
  for (int k = 0; k < 3; ++k) {
    check_near(origin[k] / grid, nearbyint(origin[k] / grid),
               0);  // on the grid, so that the same body started a grid step away has the same floats
    check_near(origin[k], k == 0 ? middle.x : k == 1 ? middle.y : middle.z, grid / 2 + 1e-9);
  }
  for (int i = 0; i < COUNT; ++i) {
    pl_vec3 arm = pl_quat_rotate(turn, pl_vec3_of_f4(rest[i]));
    pl_vec3 wanted = pl_vec3_add(middle, arm),
            found = pl_vec3_add(pl_vec3_of(origin[0], origin[1], origin[2]), pl_vec3_of_f4(positions[i]));
    *position_error = fmax(*position_error, pl_vec3_distance(wanted, found));
    pl_vec3 moves = pl_vec3_add(start.velocity, pl_vec3_cross(start.angular_velocity, arm));
    *velocity_error = fmax(*velocity_error, pl_vec3_distance(moves, pl_vec3_of_f4(velocities[i])));
    assert_true(positions[i][3] == 0 && velocities[i][3] == 0);
  }
}

static void bodies_start_as_exactly_far_away_as_near_by(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(11);
  for (double distance = 0; distance <= 1e6; distance = distance == 0 ? 1 : 100 * distance) {
    double position_error = 0, velocity_error = 0;
    for (int round = 0; round < 20; ++round) check_start(&random, distance, &position_error, &velocity_error);
    printf("%g m away: position off by %.2g m, velocity by %.2g m/s\n", distance, position_error, velocity_error);
    check_at_most(position_error, 1e-7);  // float rounding at 1 m; doubles at 1e6 m add 2e-10
    check_at_most(velocity_error, 1e-6);
  }
}

static void a_body_moved_by_grid_steps_has_the_same_floats(void **state) {
  (void)state;
  const double grid = 0.25;
  pl_f4 rest[2] = {pl_f4_of(0.125, 0.5, -0.25), pl_f4_of(0, -0.375, 0.0625)}, a[2], b[2], velocities[2];
  pl_body_start start = {.placement.rotation = {0, 0, 0, 1}, .placement.position = {0.1875, 3, -7}};
  double here[3], there[3];
  pl_body_floats_start(&start, pl_vec3_of(0, 0, 0), grid, rest, 2, here, a, velocities);
  start.placement.position = pl_vec3_add(start.placement.position, pl_vec3_of(4000 * grid, -12 * grid, grid));
  pl_body_floats_start(&start, pl_vec3_of(0, 0, 0), grid, rest, 2, there, b, velocities);
  assert_memory_equal(a, b, sizeof a);
  assert_true(there[0] - here[0] == 4000 * grid && there[1] - here[1] == -12 * grid && there[2] - here[2] == grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_start_as_exactly_far_away_as_near_by),
      cmocka_unit_test(a_body_moved_by_grid_steps_has_the_same_floats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
