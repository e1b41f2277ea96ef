// A pile of fifty default boxes that fall on each other: it stays a pile, comes to rest within ten seconds, and then
// costs nothing. A hundred that are dropped as a loose block stay a heap: no point gets faster than by falling, none
// is thrown away. What is stretched comes back.
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

enum { DROPPED = 100, DROPPED_SIDE = 5, DROPPED_POINTS = 64 };

// How far the boxes are from the heap's edge: from the nearest box of the largest group in which each is within two
// sizes of another.
static double farthest_from_heap(const pl_vec3 *centers, double size) {
  int32_t group[DROPPED], sizes[DROPPED] = {0}, largest = 0;
  for (int32_t i = 0; i < DROPPED; ++i) group[i] = i;
  for (int32_t i = 0; i < DROPPED; ++i)
    for (int32_t j = 0; j < i; ++j) {
      int32_t from = group[i], to = group[j];
      if (from == to || pl_vec3_distance(centers[i], centers[j]) > 2 * size) continue;
      for (int32_t k = 0; k < DROPPED; ++k)
        if (group[k] == from) group[k] = to;
    }
  for (int32_t i = 0; i < DROPPED; ++i)
    if (++sizes[group[i]] > sizes[largest]) largest = group[i];
  double farthest = 0;
  for (int32_t i = 0; i < DROPPED; ++i) {
    double nearest = HUGE_VAL;
    for (int32_t j = 0; j < DROPPED; ++j)
      if (group[j] == largest) nearest = fmin(nearest, pl_vec3_distance(centers[i], centers[j]));
    farthest = fmax(farthest, nearest);
  }
  return farthest;
}

static void drop_a_hundred(uint64_t seed) {
  pl_error error = {0};
  pl_context *context = make_context(2);
  pl_solid_def def = pl_default_solid_def();
  const double size = 0.2, pitch = 0.35;
  pl_model *model = make_box_model(context, pl_vec3_of(size, size, size), 3, 3, 3, &def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  pl_random random = pl_random_of_seed(seed);
  pl_body_id ids[DROPPED];
  double top = 0;
  for (int32_t i = 0; i < DROPPED; ++i) {
    int32_t x = i % DROPPED_SIDE, z = i / DROPPED_SIDE % DROPPED_SIDE, y = i / (DROPPED_SIDE * DROPPED_SIDE);
    double turn[4];
    for (int j = 0; j < 4; ++j) turn[j] = pl_random_between(&random, -1, 1);
    pl_body_def body = pl_default_body_def();
    body.model = model;
    body.placement.position = pl_vec3_of(x * pitch, (y + 0.75) * pitch + 0.4, z * pitch);
    body.placement.rotation = pl_quat_from_axis_angle(pl_vec3_of(turn[0], turn[1], turn[2]), PL_PI * turn[3]);
    check_ok(pl_world_add_body(world, &body, &ids[i], &error), &error);
    top = fmax(top, body.placement.position.y + 0.9 * size);
  }
  double fastest = 0, free_fall = sqrt(2 * 9.81 * top);
  pl_vec3 velocities[DROPPED_POINTS], centers[DROPPED];
  for (int32_t step = 0; step < 3 * 240; ++step) {
    run_steps(world, 1);
    for (int32_t i = 0; i < DROPPED; ++i) {
      check_ok(pl_body_get_velocities(world, ids[i], velocities), &error);
      for (int32_t k = 0; k < DROPPED_POINTS; ++k) fastest = fmax(fastest, pl_vec3_length(velocities[k]));
    }
  }
  for (int32_t i = 0; i < DROPPED; ++i) centers[i] = pl_body_get_report(world, ids[i]).center;
  double farthest = farthest_from_heap(centers, size);
  print_message("from %.2f m: fastest point %.2f times free fall, farthest box %.2f m from the heap\n", top,
                fastest / free_fall, farthest);
  assert_true(fastest < 1.3 * free_fall);
  assert_true(farthest < 2);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// Which boxes roll off a heap depends on the last bits: several heaps.
static void a_drop_of_a_hundred_stays_a_heap(void **state) {
  (void)state;
  static const uint64_t SEEDS[] = {9, 2, 5};
  for (int i = 0; i < 3; ++i) drop_a_hundred(SEEDS[i]);
}

enum { ROW = 7, STRETCHED_POINTS = ROW * ROW * ROW };

static double width_of(const pl_world *world, pl_body_id id) {
  pl_vec3 points[STRETCHED_POINTS];
  pl_box box = pl_box_empty();
  assert_true(pl_body_get_positions(world, id, points) >= 0);
  for (int32_t i = 0; i < STRETCHED_POINTS; ++i) box = pl_box_add_point(box, points[i]);
  return box.max.x - box.min.x;
}

// Damping of shocks that took half of the speed along every edge turned the speed of particles around whose neighbours
// move the other way: this box became 5.6 m wide, and boxes in a heap 50 m.
static void a_row_stretched_to_a_zigzag_comes_back(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_solid_def def = pl_default_solid_def();
  pl_model *model = make_box_model(context, pl_vec3_of(0.2, 0.2, 0.2), ROW - 1, ROW - 1, ROW - 1, &def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  pl_body_def body = pl_default_body_def();
  pl_body_id id;
  body.model = model;
  body.placement.position = pl_vec3_of(0, 0.1, 0);
  check_ok(pl_world_add_body(world, &body, &id, &error), &error);
  run_steps(world, 120);
  pl_vec3 points[STRETCHED_POINTS], velocities[STRETCHED_POINTS] = {{0, 0, 0}};
  check_ok(pl_body_get_positions(world, id, points), &error);
  // The edge of the box with the smallest x and the largest y.
  for (int32_t k = 0; k < ROW; ++k) {
    pl_vec3 *point = &points[ROW * (ROW - 1) + ROW * ROW * k];
    *point = pl_vec3_add_scaled(*point, pl_vec3_of(0.25, 0.125, 0), k % 2 == 0 ? -1 : 1);
  }
  check_ok(pl_body_set_state(world, id, points, velocities, &error), &error);
  double width = width_of(world, id);
  for (int32_t step = 0; step < 8; ++step) {
    run_steps(world, 1);
    double next = width_of(world, id);
    assert_true(next < width);
    width = next;
  }
  run_steps(world, 60);
  print_message("stretched to a zigzag of 0.5 m: %.3f m wide after 8 steps, %.3f m after 68\n", width,
                width_of(world, id));
  assert_true(width_of(world, id) < 0.22);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pile_of_fifty_rests_within_ten_seconds),
                                     cmocka_unit_test(a_drop_of_a_hundred_stays_a_heap),
                                     cmocka_unit_test(a_row_stretched_to_a_zigzag_comes_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
