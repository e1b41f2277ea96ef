// ctest: unit threads
// The broad phase against brute force, and what it spares: bodies asleep, and bodies far from everything.
#include "contact/broad_phase.h"

#include "base/random.h"
#include "fixtures/particle_cubes.h"
#include "math/simd.h"

enum { BOXES = 700, CUBES = 60 };

static pl_box random_box(pl_random *random, pl_vec3 center, double spread, double size) {
  pl_vec3 p, h;
  p.x = center.x + pl_random_between(random, -spread, spread);
  p.y = center.y + pl_random_between(random, -spread, spread);
  p.z = center.z + pl_random_between(random, -spread, spread);
  h = pl_vec3_of(size * pl_random_between(random, 0, 1), size * pl_random_between(random, 0, 1),
                 size * pl_random_between(random, 0, 1));
  return (pl_box){pl_vec3_sub(p, h), pl_vec3_add(p, h)};
}

// The items that a kernel names, in its order; returns their number.
static int32_t list_items(bool walk_on(pl_broad_walk *), const pl_broad_phase *broad, pl_box box, int32_t *items) {
  pl_broad_walk walk = pl_broad_phase_begin(broad, box);
  int32_t count = 0;
  for (; walk.items != 0 || walk_on(&walk); walk.items &= walk.items - 1)
    items[count++] = broad->order[walk.first_item + __builtin_ctz(walk.items)];
  return count;
}

// Both kernels name the same in the same order: that of axes, and so of pairs, is theirs.
static void compare_kernels(const pl_broad_phase *broad, pl_box box) {
  static int32_t plain[BOXES], lanes[BOXES];
  int32_t count = list_items(pl_broad_walk_on_plain, broad, box, plain);
#if PL_SIMD_HAS_AVX2
  if (!PL_SIMD_CAN_AVX2()) return;
  assert_int_equal(list_items(pl_broad_walk_on_avx2, broad, box, lanes), count);
  assert_memory_equal(plain, lanes, (size_t)count * sizeof *plain);
#else
  (void)lanes, (void)count;
#endif
}

// Every box asks for its neighbours; each must be named once, and nothing else.
static int64_t compare_with_brute_force(const pl_broad_phase *broad, const pl_box *boxes, int32_t count) {
  static int32_t named[BOXES];
  int64_t pair_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    memset(named, 0, sizeof named);
    compare_kernels(broad, boxes[i]);
    pl_broad_walk walk = pl_broad_phase_begin(broad, boxes[i]);
    for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;) named[item]++;
    for (int32_t k = 0; k < count; ++k) {
      assert_int_equal(named[k], pl_box_overlaps(boxes[i], boxes[k]) ? 1 : 0);
      pair_count += named[k];
    }
  }
  return pair_count;
}

static void neighbours_are_those_of_brute_force(void **state) {
  (void)state;
  static pl_box boxes[BOXES];
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_broad_phase broad;
  assert_true(pl_broad_phase_take(&arena, BOXES, &broad));
  pl_random random = pl_random_of_seed(3);
  for (int run = 0; run < 12; ++run) {
    const int32_t counts[4] = {0, 1, 2, BOXES};
    int32_t count = run < 4 ? counts[run] : BOXES - run;
    pl_vec3 center = {run % 3 == 1 ? 1000 : 0, run % 3 == 2 ? 5 : 0, 0};
    for (int32_t i = 0; i < count; ++i) boxes[i] = random_box(&random, center, 5, 0.4);
    if (run == 5) boxes[17] = (pl_box){{-1e6, -1e6, -1e6}, {1e6, 1e6, 1e6}};  // around all
    if (run == 6) boxes[3] = (pl_box){{1e5, 0, 0}, {1e5, 1, 1}};              // far from all
    if (run == 7) boxes[0] = pl_box_empty();                                  // nothing
    if (run == 8) boxes[1] = (pl_box){{-HUGE_VAL, 0, 0}, {HUGE_VAL, 1, 1}};   // without end
    if (run == 9)
      for (int32_t i = 0; i < count; ++i) boxes[i] = boxes[0];  // all in one place
    pl_broad_phase_build(&broad, boxes, count);
    int64_t pairs = compare_with_brute_force(&broad, boxes, count);
    if (run == 9) assert_int_equal(pairs, (int64_t)count * count);
  }
  pl_arena_destroy(&arena);
  drop_context(context);
}

// Many cubes, every sixth of another model, a sphere that moves or not, and a floor.
typedef struct crowd {
  cube_model models[2];
  pl_vec3 starts[CUBES][PARTICLES], positions[CUBES][PARTICLES], velocities[CUBES][PARTICLES];
  double inverse_masses[PARTICLES];
  pl_contact_body bodies[CUBES];
  pl_context *context;
  pl_contact_solver *solver;
  pl_collider *colliders[2];
  const pl_contact *contacts;
  int32_t count;
} crowd;

static void begin_crowd(crowd *c, int32_t threads, pl_vec3 origin) {
  pl_error error = {0};
  c->context = make_context(threads);
  make_cube(&c->models[0]);
  make_cube(&c->models[1]);
  pl_random random = pl_random_of_seed(21);
  for (int32_t b = 0; b < CUBES; ++b) {
    // Placed about the origin first and then shifted, so that all origins have the same shapes to rounding.
    pl_vec3 turn = {pl_random_between(&random, -1, 1), pl_random_between(&random, -1, 1), 0.3};
    pl_vec3 move = {0, -0.02, 0.01 * pl_random_between(&random, -1, 1)};
    pl_transform placement = {{0.9 * (b % 4), 0.55 + 0.9 * (b / 16), 0.9 * (b / 4 % 4)},
                              pl_quat_from_rotation_vector(turn)};
    for (int32_t p = 0; p < PARTICLES; ++p) {
      c->starts[b][p] = pl_vec3_add(origin, pl_transform_apply(placement, c->models[0].rest[p]));
      c->positions[b][p] = pl_vec3_add(c->starts[b][p], move);
      c->inverse_masses[p] = 1;
    }
    c->bodies[b] = (pl_contact_body){.surface = &c->models[b % 6 == 0].surface,
                                     .starts = c->starts[b],
                                     .positions = c->positions[b],
                                     .velocities = c->velocities[b],
                                     .inverse_masses = c->inverse_masses,
                                     .radius = 0.005};
  }
  pl_collider_def floor = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  floor.placement.position = origin;
  pl_collider_def ball = pl_default_collider_def(PL_COLLIDER_SPHERE);
  ball.placement.position = pl_vec3_add(origin, pl_vec3_of(1.2, 1.2, 1.2));
  check_ok(pl_collider_create(c->context, &floor, &c->colliders[0], &error), &error);
  check_ok(pl_collider_create(c->context, &ball, &c->colliders[1], &error), &error);
  check_ok(pl_contact_solver_create(c->context, &c->solver, &error), &error);
  check_ok(pl_contact_solver_prepare(c->solver, c->bodies, CUBES, (const pl_collider *const *)c->colliders, 2, &error),
           &error);
}

static void detect_crowd(crowd *c) {
  pl_error error = {0};
  pl_contact_step step = {.step = STEP, .rounds = 8, .gravity = GRAVITY};
  check_ok(pl_contact_solver_detect(c->solver, c->bodies, CUBES, (const pl_collider *const *)c->colliders, 2, &step,
                                    &c->contacts, &c->count, &error),
           &error);
}

static void end_crowd(crowd *c) {
  pl_contact_solver_destroy(c->solver);
  for (int i = 0; i < 2; ++i) pl_collider_destroy(c->context, c->colliders[i]);
  drop_context(c->context);
}

static void contacts_are_the_same_for_any_threads_and_anywhere(void **state) {
  (void)state;
  static crowd first, other;
  begin_crowd(&first, 1, pl_vec3_of(0, 0, 0));
  detect_crowd(&first);
  assert_true(first.count > 500);
  const int32_t threads[5] = {2, 3, 8, 1, 1};
  const pl_vec3 origins[5] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {5, -5, 5}, {1000, 1000, -1000}};
  for (int run = 0; run < 5; ++run) {
    begin_crowd(&other, threads[run], origins[run]);
    detect_crowd(&other);
    assert_int_equal(first.count, other.count);
    for (int32_t i = 0; i < first.count; ++i) {
      const pl_contact *a = &first.contacts[i], *b = &other.contacts[i];
      assert_true(a->a.body == b->a.body && a->b.body == b->b.body && a->collider == b->collider);
      assert_memory_equal(a->a.points, b->a.points, sizeof a->a.points);
      assert_memory_equal(a->b.points, b->b.points, sizeof a->b.points);
      check_near(a->depth, b->depth, run < 3 ? 0 : 1e-10);
      check_near(pl_vec3_distance(a->normal, b->normal), 0, run < 3 ? 0 : 1e-8);
    }
    end_crowd(&other);
  }
  end_crowd(&first);
}

// Contacts of a kind: of sleepers (the first `sleepers` bodies) with each other, or with a collider at rest.
static int32_t count_idle(const crowd *c, int32_t sleepers) {
  int32_t count = 0;
  for (int32_t i = 0; i < c->count; ++i) {
    const pl_contact *contact = &c->contacts[i];
    bool is_asleep = contact->a.body < sleepers && contact->b.body < sleepers;
    count += is_asleep;
  }
  return count;
}

static void sleepers_touch_only_what_is_awake(void **state) {
  (void)state;
  static crowd c, reference;
  // The reference is awake but does not move: what it finds between a sleeper and one awake, sleepers must find too.
  begin_crowd(&c, 2, pl_vec3_of(0, 0, 0));
  begin_crowd(&reference, 1, pl_vec3_of(0, 0, 0));
  const int32_t sleepers = CUBES / 2;
  for (int32_t b = 0; b < sleepers; ++b) {
    memcpy(c.starts[b], c.positions[b], sizeof c.starts[b]);
    memcpy(reference.starts[b], c.positions[b], sizeof c.starts[b]);
    c.bodies[b].asleep = true;
  }
  detect_crowd(&reference);
  int32_t idle = count_idle(&reference, sleepers);
  assert_true(idle > 100);
  for (int round = 0; round < 3; ++round) {
    detect_crowd(&c);
    assert_int_equal(count_idle(&c, sleepers), 0);
    assert_int_equal(c.count, reference.count - idle);
    // Their starts are not looked at.
    memset(c.starts[0], 0xff, sizeof c.starts[0]);
  }

  // All asleep: nothing is found. A collider that moves is, by those near it.
  for (int32_t b = 0; b < CUBES; ++b) c.bodies[b].asleep = true;
  detect_crowd(&c);
  assert_int_equal(c.count, 0);
  assert_true(pl_collider_move(c.colliders[1], at(1.2, 1.2, 1.3), 0, STEP));
  detect_crowd(&c);
  assert_true(c.count > 10);
  for (int32_t i = 0; i < c.count; ++i) assert_int_equal(c.contacts[i].collider, 1);

  // A sleeper that was put elsewhere is found there once the solver has forgotten where it was.
  for (int32_t b = 0; b < CUBES; ++b)
    for (int32_t p = 0; p < PARTICLES; ++p) c.positions[b][p].x += 50;
  pl_contact_solver_forget_sleepers(c.solver);
  detect_crowd(&c);
  assert_int_equal(c.count, 0);
  end_crowd(&c);
  end_crowd(&reference);
}

// The axes of pairs only save time: a body with more points than have any finds the same. Points of no triangle
// make it so.
static void axes_of_pairs_rule_out_nothing_that_touches(void **state) {
  (void)state;
  static crowd with, without;
  enum { EXTRA = 600 };
  static int32_t parents[4 * (PARTICLES + EXTRA)];
  static float weights[4 * (PARTICLES + EXTRA)];
  static pl_vec3 rest[PARTICLES + EXTRA];
  begin_crowd(&with, 1, pl_vec3_of(0, 0, 0));
  begin_crowd(&without, 1, pl_vec3_of(0, 0, 0));
  int32_t real_count = with.models[0].surface.point_count;
  memcpy(parents, without.models[0].parents, sizeof without.models[0].parents);
  memcpy(weights, without.models[0].weights, sizeof without.models[0].weights);
  memcpy(rest, without.models[0].rest_points, sizeof without.models[0].rest_points);
  // All of them are the particle in the middle, which touches nothing: it faces away from everything.
  for (int32_t i = real_count; i < real_count + EXTRA; ++i) {
    int32_t middle = particle_at((int[3]){1, 1, 1});
    for (int k = 0; k < 4; ++k) parents[4 * i + k] = middle;
    weights[4 * i] = 1;
    rest[i] = without.models[0].rest[middle];
  }
  for (int m = 0; m < 2; ++m) {
    pl_contact_surface *surface = &without.models[m].surface;
    surface->point_count = real_count + EXTRA;
    surface->parents = parents, surface->weights = weights, surface->rest_points = rest;
  }
  pl_error error = {0};
  check_ok(pl_contact_solver_prepare(without.solver, without.bodies, CUBES,
                                     (const pl_collider *const *)without.colliders, 2, &error),
           &error);
  for (int round = 0; round < 3; ++round) {
    detect_crowd(&with);
    detect_crowd(&without);
    int32_t next = 0, edge_count = 0;
    for (int32_t i = 0; i < without.count; ++i) {
      const pl_contact *b = &without.contacts[i];
      if (b->a.count == 1 && b->a.points[0] >= real_count) continue;
      assert_true(next < with.count);
      const pl_contact *a = &with.contacts[next++];
      assert_true(a->a.body == b->a.body && a->b.body == b->b.body && a->collider == b->collider);
      assert_memory_equal(a->a.points, b->a.points, sizeof a->a.points);
      assert_memory_equal(a->b.points, b->b.points, sizeof a->b.points);
      check_near(a->depth, b->depth, 0);
      edge_count += a->a.count == 2;
    }
    assert_int_equal(next, with.count);
    assert_true(edge_count > 20);
    // The next round starts with the axes of this one as guesses, elsewhere.
    for (int32_t b = 0; b < CUBES; ++b)
      for (int32_t p = 0; p < PARTICLES; ++p) {
        pl_vec3 move = {0.003 * (b % 5), 0.002 * (b % 7), 0.001 * (b % 3)};
        with.positions[b][p] = without.positions[b][p] = pl_vec3_add(with.positions[b][p], move);
        with.starts[b][p] = without.starts[b][p] = pl_vec3_add(with.starts[b][p], move);
      }
  }
  end_crowd(&with);
  end_crowd(&without);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_are_those_of_brute_force),
      cmocka_unit_test(contacts_are_the_same_for_any_threads_and_anywhere),
      cmocka_unit_test(axes_of_pairs_rule_out_nothing_that_touches),
      cmocka_unit_test(sleepers_touch_only_what_is_awake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
