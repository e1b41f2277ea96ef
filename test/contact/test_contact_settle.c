// Points that end a step inside another soft body are put back on its surface (contact_settle.c): two boxes that were
// pressed into each other, with surfaces full of dents, come apart, and keep their momentum.
//
// How deep points are is measured without any part of contact: by the sum of solid angles and the nearest triangle.
// ctest: unit
#include "contact/contact_settle.h"

#include "contact/contact_soft_rows.h"
#include "contact/contact_solver.h"
#include "fixtures/pressed_boxes.h"
#include "math/simd.h"
#include "mesh/simplex.h"

static void corners_of(const pressed_boxes *b, int box, int32_t triangle, pl_vec3 c[3]) {
  const int32_t *particles = &b->model->surface.tet_map->triangle_particles[3 * triangle];
  for (int k = 0; k < 3; ++k) c[k] = b->positions[box][particles[k]];
}

// How deep a point is in a box; 0: outside.
static double depth_in(const pressed_boxes *b, int box, pl_vec3 point) {
  double angle = 0, nearest = HUGE_VAL, weights[3];
  for (int32_t t = 0; t < b->model->surface.triangle_count; ++t) {
    pl_vec3 c[3];
    corners_of(b, box, t, c);
    angle += pl_triangle_solid_angle(c[0], c[1], c[2], point);
    nearest = fmin(nearest, pl_vec3_distance(point, pl_triangle_nearest(c[0], c[1], c[2], point, weights)));
  }
  return fabs(angle) > 2 * PL_PI ? nearest : 0;
}

// The deepest of the points that have a row.
static double deepest_of(const pressed_boxes *b) {
  const pl_contact_memory *memory = &b->solver->memory;
  const pl_contact_pair *pair = &memory->plan.pairs[0];
  double deepest = 0;
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    for (int32_t i = side.first; i < side.end; ++i)
      deepest = fmax(deepest, depth_in(b, side.other, b->positions[side.own][memory->soft_rows[i].particles[0]]));
  }
  return deepest;
}

// Boxes of different particles, resolved once, then pressed 4 mm deeper and dented by up to 6 mm in every direction,
// with other velocities.
static void dent_boxes(pressed_boxes *b, uint64_t seed) {
  pl_random random = pl_random_of_seed(seed);
  open_boxes(b);
  for (int i = 0; i < PARTICLES; ++i) b->inverse_masses[i] = pl_random_between(&random, 0.5, 2);
  press_boxes(b, seed);
  resolve_boxes(b, false);
  assert_int_equal(b->solver->memory.plan.pair_count, 1);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < PARTICLES; ++i) {
      double r[6];
      for (int j = 0; j < 6; ++j) r[j] = pl_random_between(&random, -1, 1);
      b->positions[k][i] = pl_vec3_add_scaled(b->positions[k][i], pl_vec3_of(r[0], r[1], r[2]), 0.006);
      b->positions[k][i].y -= 0.004 * k;
      b->velocities[k][i] = pl_vec3_add(b->velocities[k][i], pl_vec3_of(r[3], r[4], r[5]));
    }
}

typedef struct momentum {
  pl_vec3 place, linear, angular;  // sums of m x, m v, m x × v
} momentum;

static momentum momentum_of(const pressed_boxes *b) {
  momentum sum = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < PARTICLES; ++i) {
      double m = 1 / b->inverse_masses[i];
      pl_vec3 x = b->positions[k][i], v = b->velocities[k][i];
      sum.place = pl_vec3_add_scaled(sum.place, x, m);
      sum.linear = pl_vec3_add_scaled(sum.linear, v, m);
      sum.angular = pl_vec3_add_scaled(sum.angular, pl_vec3_cross(x, v), m);
    }
  return sum;
}

// A pass moves points that the pass before has put back; a few do.
static void points_come_out(void **state) {
  (void)state;
  static pressed_boxes b;
  double before = 0, once = 0, after = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    dent_boxes(&b, seed);
    double was = deepest_of(&b);
    pl_contact_settle(b.solver, b.bodies);
    double is = deepest_of(&b);
    for (int i = 0; i < 20; ++i) pl_contact_settle(b.solver, b.bodies);
    before = fmax(before, was), once += is / was / 20, after = fmax(after, deepest_of(&b));
    close_boxes(&b);
  }
  print_message("deepest %.2f mm; after one pass %.2f of it in the mean, after all %.3f mm\n", 1e3 * before, once,
                1e3 * after);
  assert_true(before > 8e-3);
  assert_true(once < 0.5);
  check_at_most(after, 2 * RADIUS);
}

static void momentum_is_kept(void **state) {
  (void)state;
  static pressed_boxes b;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    dent_boxes(&b, seed);
    momentum from = momentum_of(&b);
    double was = deepest_of(&b);
    pl_contact_settle(b.solver, b.bodies);
    momentum to = momentum_of(&b);
    assert_true(deepest_of(&b) < was);
    check_at_most(pl_vec3_distance(from.place, to.place), 1e-12);
    check_at_most(pl_vec3_distance(from.linear, to.linear), 1e-12);
    // The inertia has a small fraction more than what is there (contact_damping.c).
    check_at_most(pl_vec3_distance(from.angular, to.angular), 1e-8);
    close_boxes(&b);
  }
}

// A body that is where it should be stays there, to the last bit.
static void nothing_moves_that_is_outside(void **state) {
  (void)state;
  static pressed_boxes b;
  static pl_vec3 positions[2][PARTICLES], velocities[2][PARTICLES];
  open_boxes(&b);
  press_boxes(&b, 3);
  resolve_boxes(&b, false);
  for (int i = 0; i < PARTICLES; ++i) b.positions[1][i].y += 0.01;
  memcpy(positions, b.positions, sizeof positions);
  memcpy(velocities, b.velocities, sizeof velocities);
  pl_contact_settle(b.solver, b.bodies);
  assert_memory_equal(positions, b.positions, sizeof positions);
  assert_memory_equal(velocities, b.velocities, sizeof velocities);
  close_boxes(&b);
}

static pl_soft_screen screen_of(const pressed_boxes *b, int32_t *count) {
  const pl_contact_memory *memory = &b->solver->memory;
  const pl_contact_pair *pair = &memory->plan.pairs[0];
  pl_soft_screen screen = {
      .rows = &memory->soft_rows[pair->first_row], .notes = &memory->soft_notes[pair->first_row], .tolerance = 1e-4};
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    screen.sides[k] = (pl_soft_screen_side){side.end - side.first, b->positions[side.own], b->positions[side.other],
                                            b->model->surface.tet_map->around};
  }
  *count = screen.sides[0].count + screen.sides[1].count;
  return screen;
}

// The kernels name the same rows, in any number at once.
static void kernels_agree(void **state) {
  (void)state;
#if PL_SIMD_HAS_AVX2
  if (!PL_SIMD_CAN_AVX2()) skip();
  static pressed_boxes b;
  int32_t named = 0, all = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    dent_boxes(&b, seed);
    int32_t count;
    pl_soft_screen screen = screen_of(&b, &count);
    uint64_t bits = pl_soft_screen_plain(&screen, 0, count);
    assert_true(count <= PL_SOFT_SCREENED);
    assert_true(bits == pl_soft_screen_avx2(&screen, 0, count));
    for (int32_t i = 0; i < count; ++i) assert_true(pl_soft_screen_plain(&screen, i, i + 1) == (bits >> i & 1));
    named += __builtin_popcountll(bits), all += count;
    close_boxes(&b);
  }
  assert_true(named > 20 && named < all);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(points_come_out), cmocka_unit_test(momentum_is_kept),
                                     cmocka_unit_test(nothing_moves_that_is_outside), cmocka_unit_test(kernels_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
