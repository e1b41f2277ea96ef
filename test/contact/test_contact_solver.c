// What holds for every step: the same bits for any number of threads, no allocation, no leak, and rest shapes that do
// not touch themselves.
// ctest: unit threads
#include "base/hash.h"
#include "base/random.h"
#include "fixtures/particle_cubes.h"

// A heap of stiff cubes that fall on each other; hash of all that moved.
static uint64_t heap_hash(int32_t threads) {
  static scene s;
  pl_context *context = make_context(threads);
  begin(&s, context, BODIES, true);
  pl_random random = pl_random_of_seed(9);
  for (int32_t b = 0; b < BODIES; ++b) {
    s.bodies[b].restitution = 0.2, s.bodies[b].self_contact = true, s.bodies[b].radius = 0.005;
    double x = pl_random_between(&random, -0.3, 0.3), z = pl_random_between(&random, -0.3, 0.3);
    pl_quat rotation = pl_quat_from_rotation_vector(pl_vec3_of(x, 3 * z, x + z));
    put(&s, b, (pl_transform){{x, 0.8 + 1.4 * b, z}, rotation}, pl_vec3_of(z, -4, x));
  }
  prepare(&s);
  uint64_t hash = PL_HASH_START;
  int64_t contacts = 0;
  for (int i = 0; i < 150; ++i) contacts += advance_stiff(&s, GRAVITY).contact_count;
  hash = pl_hash_bytes(hash, s.positions, sizeof s.positions);
  hash = pl_hash_bytes(hash, s.velocities, sizeof s.velocities);
  hash = pl_hash_bytes(hash, &contacts, sizeof contacts);
  assert_true(contacts > 500);
  end(&s);
  drop_context(context);
  return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  uint64_t hash = heap_hash(1);
  assert_true(heap_hash(2) == hash);
  assert_true(heap_hash(3) == hash);
}

static void contacts_are_ordered_and_within_their_capacity(void **state) {
  (void)state;
  static scene s;
  pl_context *context = make_context(2);
  begin(&s, context, BODIES, true);
  // All in one place, sunk into the floor: as many contacts as there can be.
  for (int32_t b = 0; b < BODIES; ++b) put(&s, b, at(0.01 * b, 0.03 * b, 0.02 * b), pl_vec3_of(0, -1, 0));
  prepare(&s);
  fly(&s, GRAVITY);
  const pl_contact *contacts = NULL;
  int32_t count = 0;
  pl_error error = {0};
  pl_contact_step step = {.step = STEP, .rounds = 8, .gravity = GRAVITY};
  check_ok(pl_contact_solver_detect(s.solver, s.bodies, s.body_count, (const pl_collider *const *)&s.collider, 1, &step,
                                    &contacts, &count, &error),
           &error);
  assert_true(count > 500);
  int32_t of_point = 0;
  for (int32_t i = 0; i < count; ++i) {
    const pl_contact *c = &contacts[i], *last = i > 0 ? c - 1 : c;
    // Those of edges come last.
    assert_true(c->a.count >= last->a.count);
    bool is_first = i == 0 || c->a.count > last->a.count;
    assert_true(is_first || c->a.body >= last->a.body);
    if (c->a.count == 2) continue;
    assert_true(is_first || c->a.body > last->a.body || c->a.points[0] >= last->a.points[0]);
    of_point = i > 0 && c->a.body == last->a.body && c->a.points[0] == last->a.points[0] ? of_point + 1 : 1;
    assert_true(of_point <= PL_CONTACTS_PER_POINT);
    check_near(pl_vec3_length(c->normal), 1, 1e-9);
    assert_true((c->collider >= 0) != (c->b.body >= 0));
    if (c->b.body >= 0) check_near(c->b.weights[0] + c->b.weights[1] + c->b.weights[2], 1, 1e-9);
  }
  end(&s);
  drop_context(context);
}

static void solving_allocates_nothing(void **state) {
  (void)state;
  static scene s;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  begin(&s, context, 3, true);
  for (int32_t b = 0; b < 3; ++b) {
    s.bodies[b].self_contact = true;
    put(&s, b, at(0.1 * b, 0.6 + 0.9 * b, 0), pl_vec3_of(0, -1, 0));
  }
  prepare(&s);
  int64_t calls = allocator.call_count;
  int contacts = 0;
  for (int i = 0; i < 30; ++i) contacts += advance_stiff(&s, GRAVITY).contact_count;
  assert_true(contacts > 0);
  assert_int_equal(allocator.call_count, calls);
  end(&s);
  drop_context(context);
}

static void running_out_of_memory_leaves_the_solver_as_it_was(void **state) {
  (void)state;
  static scene s;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  pl_contact_solver *solver = NULL;
  for (int n = 1; solver == NULL; ++n) {
    allocator.call_count = 0, allocator.fail_at = n;
    if (pl_contact_solver_create(context, &solver, NULL) == PL_OK) break;
    assert_null(solver);
    assert_int_equal(allocator.live_count, live);
    assert_true(n < 100);
  }
  pl_contact_solver_destroy(solver);
  allocator.fail_at = 0;

  begin(&s, context, 2, true);
  s.body_count = 1;
  prepare(&s);
  live = allocator.live_count;
  for (int n = 1;; ++n) {
    allocator.call_count = 0, allocator.fail_at = n;
    pl_status status = pl_contact_solver_prepare(s.solver, s.bodies, 2, (const pl_collider *const *)&s.collider,
                                                 s.collider_count, NULL);
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(allocator.live_count, live);
    fly(&s, GRAVITY);
    solve(&s, GRAVITY);  // still prepared for one body
    assert_true(n < 1000);
  }
  // Now it is prepared for two, and says so when asked about one.
  pl_contact_report report;
  assert_int_equal(pl_contact_solver_solve(s.solver, s.bodies, 1, (const pl_collider *const *)&s.collider, 1, 0, STEP,
                                           8, GRAVITY, &report, NULL),
                   PL_ERROR_INVALID_ARGUMENT);
  end(&s);
  drop_context(context);
}

static void numbers_that_are_not_finite_do_no_harm_to_others(void **state) {
  (void)state;
  static scene s;
  pl_context *context = make_context(1);
  begin(&s, context, 2, true);
  prepare(&s);
  put(&s, 0, at(0, 0.5, 0), pl_vec3_of(0, 0, 0));
  put(&s, 1, at(0.5, 1.4, 0), pl_vec3_of(0, -1, 0));
  fly(&s, GRAVITY);
  s.positions[1][7].x = (double)NAN;
  s.positions[1][9].y = (double)INFINITY;
  solve(&s, GRAVITY);
  end(&s);
  drop_context(context);
}

// A strip folded like a U: two arms, close together, of `COUNT` cells each, joined at one end. Closed surface of a bar
// with square section.
enum { COUNT = 16, STRIP_POINTS = 4 * (COUNT + 1), STRIP_TRIANGLES = 8 * COUNT + 4 };
typedef struct strip {
  pl_vec3 points[STRIP_POINTS], rest[STRIP_POINTS], velocities[STRIP_POINTS];
  double inverse_masses[STRIP_POINTS];
  int32_t parents[4 * STRIP_POINTS], triangles[3 * STRIP_TRIANGLES];
  float weights[4 * STRIP_POINTS];
  pl_contact_surface surface;
  pl_contact_body body;
} strip;

static void make_strip(strip *s, double arm_gap) {
  memset(s, 0, sizeof *s);
  const double pi = acos(-1.0), thick = 0.1, arm = 0.7, inner = 0.5 * arm_gap,
               length = 2 * arm + pi * (inner + 0.5 * thick);
  for (int i = 0; i <= COUNT; ++i)
    for (int k = 0; k < 4; ++k) {
      // Place along the middle line, and across: k & 1 inner or outer side, k >> 1 front or back.
      double along = length * i / COUNT, radius = inner + (k & 1 ? thick : 0), z = k >> 1 ? 0.05 : -0.05;
      double angle = (along - arm) / (inner + 0.5 * thick);
      pl_vec3 p = along < arm  ? pl_vec3_of(along - arm, -radius, z)
                  : angle > pi ? pl_vec3_of(length - arm - along, radius, z)
                               : pl_vec3_of(radius * sin(angle), -radius * cos(angle), z);
      s->points[4 * i + k] = s->rest[4 * i + k] = p;
      s->inverse_masses[4 * i + k] = 100;
      for (int j = 0; j < 4; ++j) s->parents[4 * (4 * i + k) + j] = 4 * i + k;
      s->weights[4 * (4 * i + k)] = 1;
    }
  const int32_t side[5] = {0, 1, 3, 2, 0};  // around the section
  int32_t *t = s->triangles;
  for (int i = 0; i < COUNT; ++i)
    for (int k = 0; k < 4; ++k) {
      int32_t a = 4 * i + side[k], b = 4 * i + side[k + 1], c = a + 4, d = b + 4;
      const int32_t two[6] = {a, c, b, b, c, d};
      memcpy(t, two, sizeof two);
      t += 6;
    }
  const int32_t caps[12] = {
      0, 1, 3, 0, 3, 2, 4 * COUNT, 4 * COUNT + 3, 4 * COUNT + 1, 4 * COUNT, 4 * COUNT + 2, 4 * COUNT + 3};
  memcpy(t, caps, sizeof caps);
  s->surface = (pl_contact_surface){STRIP_POINTS, s->parents,   s->weights, STRIP_TRIANGLES,
                                    s->triangles, STRIP_POINTS, s->rest,    NULL};
  s->body = (pl_contact_body){.surface = &s->surface,
                              .starts = s->rest,
                              .positions = s->points,
                              .velocities = s->velocities,
                              .inverse_masses = s->inverse_masses,
                              .self_contact = true};
}

static double signed_volume(const strip *s) {
  double sum = 0;
  for (int32_t t = 0; t < STRIP_TRIANGLES; ++t) {
    const int32_t *c = &s->triangles[3 * t];
    sum += pl_vec3_dot(s->points[c[0]], pl_vec3_cross(s->points[c[1]], s->points[c[2]])) / 6;
  }
  return sum;
}

static void the_rest_state_of_a_folded_body_has_no_self_contact(void **state) {
  (void)state;
  static strip s;
  const double gaps[3] = {0.05, 0.01, 0.001};
  for (int g = 0; g < 3; ++g) {
    make_strip(&s, gaps[g]);
    assert_true(signed_volume(&s) > 0);
    s.body.radius = 0.008;  // the arms are closer at rest than this would allow
    pl_context *context = make_context(1);
    pl_contact_solver *solver = NULL;
    pl_error error = {0};
    check_ok(pl_contact_solver_create(context, &solver, &error), &error);
    check_ok(pl_contact_solver_prepare(solver, &s.body, 1, NULL, 0, &error), &error);
    pl_contact_report report;
    check_ok(pl_contact_solver_solve(solver, &s.body, 1, NULL, 0, 0, STEP, 8, GRAVITY, &report, &error), &error);
    assert_int_equal(report.contact_count, 0);
    assert_false(s.body.moved);
    pl_contact_solver_destroy(solver);
    drop_context(context);
  }
}

static void arms_that_are_pressed_together_do_not_pass_each_other(void **state) {
  (void)state;
  static strip s;
  static pl_vec3 starts[STRIP_POINTS];
  make_strip(&s, 0.1);
  s.body.starts = starts;
  pl_context *context = make_context(1);
  pl_contact_solver *solver = NULL;
  pl_error error = {0};
  check_ok(pl_contact_solver_create(context, &solver, &error), &error);
  check_ok(pl_contact_solver_prepare(solver, &s.body, 1, NULL, 0, &error), &error);
  // The straight arms move towards each other at 3 m/s, inner and outer side alike; the bend stays.
  for (int32_t p = 0; p < STRIP_POINTS; ++p)
    if (s.rest[p].x < -0.1) s.velocities[p].y = s.rest[p].y > 0 ? -3 : 3;
  int contacts = 0;
  pl_vec3 before = {0, 0, 0}, after = {0, 0, 0};
  for (int32_t p = 0; p < STRIP_POINTS; ++p) before = pl_vec3_add(before, s.velocities[p]);
  for (int i = 0; i < 6; ++i) {
    for (int32_t p = 0; p < STRIP_POINTS; ++p) {
      starts[p] = s.points[p];
      s.points[p] = pl_vec3_add_scaled(s.points[p], s.velocities[p], STEP);
    }
    pl_contact_report report;
    check_ok(pl_contact_solver_solve(solver, &s.body, 1, NULL, 0, 0, STEP, 8, pl_vec3_of(0, 0, 0), &report, &error),
             &error);
    contacts += report.contact_count;
  }
  assert_true(contacts > 10);
  for (int32_t p = 0; p < STRIP_POINTS; ++p) {
    after = pl_vec3_add(after, s.velocities[p]);
    bool is_inner = p % 2 == 0 && s.rest[p].x < -0.1;
    if (is_inner) assert_true(s.rest[p].y > 0 ? s.points[p].y > -1e-3 : s.points[p].y < 1e-3);
  }
  check_near(pl_vec3_distance(before, after), 0, 1e-12);
  pl_contact_solver_destroy(solver);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(contacts_are_ordered_and_within_their_capacity),
      cmocka_unit_test(solving_allocates_nothing),
      cmocka_unit_test(running_out_of_memory_leaves_the_solver_as_it_was),
      cmocka_unit_test(numbers_that_are_not_finite_do_no_harm_to_others),
      cmocka_unit_test(the_rest_state_of_a_folded_body_has_no_self_contact),
      cmocka_unit_test(arms_that_are_pressed_together_do_not_pass_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
