// Contacts of the last step used again: they are those that a search finds, as long as nothing new comes in; what comes
// in is found when all pairs are searched again. A heap that uses them continues with the same bits from a snapshot of
// any step, and on any number of threads.
// ctest: unit threads
#include "fixtures/pressed_boxes.h"

enum { PERIOD = 4 };

// Find and resolve contacts, and copy them.
static int32_t solve(pressed_boxes *b, int64_t number) {
  pl_error error = {0};
  pl_contact_step step = {.step = STEP, .rounds = 8, .gravity = {0, -9.81, 0}, .number = number};
  check_ok(pl_contact_solver_detect(b->solver, b->bodies, 2, NULL, 0, &step, NULL, NULL, &error), &error);
  check_ok(pl_contact_solver_resolve(b->solver, b->bodies, 2, &step, NULL, &error), &error);
  return list_contacts(b, NULL);
}

// The contacts of a step that does not happen.
static int32_t detect(pressed_boxes *b, int64_t number) {
  static pressed_boxes was;
  was = *b;
  int32_t count = solve(b, number);
  memcpy(b->positions, was.positions, sizeof was.positions);
  memcpy(b->velocities, was.velocities, sizeof was.velocities);
  memcpy(b->impulses, was.impulses, sizeof was.impulses);
  memcpy(b->has_impulses, was.has_impulses, sizeof was.has_impulses);
  return count;
}

// Pressed in by 2 mm and searched, as of step 0.
static int32_t press(pressed_boxes *b) {
  move_to(b, pl_vec3_of(0.011, 0.001, 0.017));
  move_to(b, pl_vec3_of(0.011, -0.002, 0.017));
  return solve(b, 0);
}

static void kept_contacts_are_those_of_a_search(void **state) {
  (void)state;
  pressed_boxes b;
  open_boxes(&b);
  int32_t first = press(&b);
  move_to(&b, pl_vec3_of(0.012, -0.003, 0.016));
  static pl_contact kept[MAX_CONTACTS];
  int32_t count = detect(&b, 1);
  assert_int_equal(count, first);
  memcpy(kept, b.contacts, sizeof kept);
  assert_int_equal(detect(&b, PERIOD), count);
  int32_t found = 0;
  for (int32_t i = 0; i < count; ++i)
    for (int32_t k = 0; k < count; ++k) {
      const pl_contact *p = &kept[i], *q = &b.contacts[k];
      if (p->a.body != q->a.body || p->a.points[0] != q->a.points[0] || p->a.count != 1) continue;
      // On a flat face the gap does not depend on where the point was on it.
      check_near(p->depth, q->depth, 1e-9);
      check_near(pl_vec3_dot(p->normal, q->normal), 1, 1e-9);
      check_near(p->b.weights[0] + p->b.weights[1] + p->b.weights[2], 1, 1e-12);
      ++found;
    }
  assert_int_equal(found, count);
  close_boxes(&b);
}

// Boxes whose contacts of step 0 are kept. Returns how many there are.
static int32_t open_touching(pressed_boxes *b) {
  open_boxes(b);
  move_to(b, pl_vec3_of(0.075, -0.001, 0.01));
  move_to(b, pl_vec3_of(0.075, -0.002, 0.01));
  return solve(b, 0);
}

// A third row of points comes over the box below: it is found in the next step that searches all pairs.
static void new_points_are_found_when_all_pairs_are_searched(void **state) {
  (void)state;
  pressed_boxes b;
  int32_t first = open_touching(&b);
  move_to(&b, pl_vec3_of(0.06, -0.003, 0.01));
  assert_true(detect(&b, 1) <= first);
  assert_true(detect(&b, PERIOD) > first);
  close_boxes(&b);
}

static void two_that_move_fast_are_searched(void **state) {
  (void)state;
  pressed_boxes b;
  int32_t first = open_touching(&b);
  // This far in each of two steps is too far for the second to be without a search.
  move_to(&b, pl_vec3_of(0.06, -0.003, 0.01));
  assert_true(detect(&b, 2) > first);
  close_boxes(&b);
}

// --- heaps

enum { BOXES = 27, SIDE = 3 };

static pl_world *make_heap(pl_context *context, pl_model *model) {
  pl_world *world = make_world(context, STEP, -9.81);
  add_ground(world);
  for (int32_t i = 0; i < BOXES; ++i) {
    pl_error error = {0};
    pl_body_def body = pl_default_body_def();
    body.model = model;
    body.placement.position = pl_vec3_of(0.3 * (i % SIDE), 0.15 + 0.3 * (i / (SIDE * SIDE)), 0.3 * (i / SIDE % SIDE));
    body.placement.rotation = pl_quat_from_rotation_vector(pl_vec3_of(sin(i), cos(2 * i), sin(3 * i)));
    check_ok(pl_world_add_body(world, &body, NULL, &error), &error);
  }
  return world;
}

static void a_heap_continues_with_the_same_bits_from_any_step(void **state) {
  (void)state;
  enum { START = 100, MORE = 10 };
  pl_context *context = make_context(2);
  pl_solid_def def = pl_default_solid_def();
  pl_model *model = make_box_model(context, pl_vec3_of(SIZE, SIZE, SIZE), 3, 3, 3, &def);
  pl_world *world = make_heap(context, model), *other = make_heap(context, model);
  size_t size = pl_world_snapshot_size(world);
  char *snapshots = malloc(PERIOD * size);
  assert_non_null(snapshots);
  run_steps(world, START);
  for (int k = 0; k < PERIOD; ++k) {
    pl_world_snapshot(world, snapshots + (size_t)k * size);
    run_steps(world, 1);
  }
  run_steps(world, MORE);
  for (int k = 0; k < PERIOD; ++k) {
    pl_error error = {0};
    check_ok(pl_world_restore(other, snapshots + (size_t)k * size, size, &error), &error);
    run_steps(other, PERIOD - k + MORE);
    assert_true(pl_world_get_hash(other) == pl_world_get_hash(world));
  }
  free(snapshots);
  pl_world_destroy(world);
  pl_world_destroy(other);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_heap_has_the_same_bits_on_any_number_of_threads(void **state) {
  (void)state;
  const int threads[] = {1, 2, 3, 8};
  uint64_t first = 0;
  for (int k = 0; k < 4; ++k) {
    pl_context *context = make_context(threads[k]);
    pl_solid_def def = pl_default_solid_def();
    pl_model *model = make_box_model(context, pl_vec3_of(SIZE, SIZE, SIZE), 3, 3, 3, &def);
    pl_world *world = make_heap(context, model);
    run_steps(world, 160);
    uint64_t hash = pl_world_get_hash(world);
    if (k == 0) first = hash;
    assert_true(hash == first);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kept_contacts_are_those_of_a_search),
                                     cmocka_unit_test(new_points_are_found_when_all_pairs_are_searched),
                                     cmocka_unit_test(two_that_move_fast_are_searched),
                                     cmocka_unit_test(a_heap_continues_with_the_same_bits_from_any_step),
                                     cmocka_unit_test(a_heap_has_the_same_bits_on_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
