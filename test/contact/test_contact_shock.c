// Viscosity along edges: every edge is damped by the formula, momentum and angular momentum stay, nothing is turned
// around, and a body gets the same bits alone, in a group, and of both instruction sets.
// ctest: unit
#include "base/random.h"
#include "contact/contact_shock.h"
#include "fixtures/pressed_boxes.h"
#include "math/lanes.h"
#include "math/simd.h"

typedef struct shocked_box {
  pressed_boxes boxes;
  pl_surface_tree tree;
  pl_arena arena;
  pl_f4 positions[PARTICLES + 1], velocities[PARTICLES + 1];
} shocked_box;

static void open_box(shocked_box *s, double speed) {
  open_boxes(&s->boxes);
  move_to(&s->boxes, pl_vec3_of(0, 0, 0));
  move_to(&s->boxes, pl_vec3_of(0, 0, 0));
  pl_error error = {0};
  const pl_contact_surface *surface = s->boxes.bodies[0].surface;
  pl_arena_init(&s->arena, s->boxes.context, 0);
  check_ok(pl_surface_tree_build(&s->arena, surface, surface->rest_points, &s->tree, &error), &error);
  pl_random random = pl_random_of_seed(4);
  for (int i = 0; i < PARTICLES; ++i)
    s->boxes.velocities[0][i] =
        pl_vec3_of(pl_random_between(&random, -speed, speed) + 3, pl_random_between(&random, -speed, speed),
                   pl_random_between(&random, -speed, speed));
}

static void close_box(shocked_box *s) {
  pl_arena_destroy(&s->arena);
  close_boxes(&s->boxes);
}

static void damp(shocked_box *s, double rate) {
  pl_shock_particles particles = {s->positions, s->velocities};
  pl_contact_damp_shocks(&(pl_shock_group){&s->tree, 1, {&s->boxes.bodies[0]}}, rate, &particles);
}

static void links_are_all_edges_once(void **state) {
  (void)state;
  static shocked_box s;
  open_box(&s, 0);
  const pl_surface_tree *tree = &s.tree;
  int32_t links = 0;
  for (int32_t b = 0; b < tree->link_block_count; ++b) {
    const int32_t *block = &tree->link_blocks[2 * LANES * b];
    for (int k = 0; k < LANES; ++k) {
      links += block[k] != PARTICLES;
      assert_true((block[k] == PARTICLES) == (block[LANES + k] == PARTICLES));
      for (int other = 0; other < 2 * LANES; ++other) {
        bool is_same = other % LANES == k || block[other] == PARTICLES;
        assert_true(is_same || (block[other] != block[k] && block[other] != block[LANES + k]));
      }
    }
  }
  assert_int_equal(links, tree->edge_count);
  close_box(&s);
}

// One edge alone moves: it loses the fraction that the formula says.
static void a_slow_edge_loses_in_proportion_to_its_speed(void **state) {
  (void)state;
  static shocked_box s;
  open_box(&s, 0);
  const int32_t *link = s.tree.link_blocks;
  pl_vec3 *v = s.boxes.velocities[0];
  const pl_vec3 *x = s.boxes.starts[0];
  pl_vec3 edge = pl_vec3_sub(x[link[LANES]], x[link[0]]);
  double length = pl_vec3_length(edge), rate = 1e-3, speed = 0.1;
  pl_vec3 along = pl_vec3_scale(edge, 1 / length);
  v[link[LANES]] = pl_vec3_add_scaled(v[link[LANES]], along, speed);
  damp(&s, rate);
  // Other edges at the two particles take as much again, at most, of what they see of it.
  double left = pl_vec3_dot(along, pl_vec3_sub(v[link[LANES]], v[link[0]])), lost = rate * speed / length;
  printf("an edge loses %.4g, the formula alone says %.4g\n", 1 - left / speed, lost);
  assert_true(1 - left / speed > 0.99 * lost && 1 - left / speed < 4 * lost);
  close_box(&s);
}

static double energy_of(const pl_vec3 *v, pl_vec3 mean) {
  double sum = 0;
  for (int i = 0; i < PARTICLES; ++i) sum += pl_vec3_dot(pl_vec3_sub(v[i], mean), pl_vec3_sub(v[i], mean));
  return sum;
}

static void momentum_stays_and_energy_falls(void **state) {
  (void)state;
  const double speeds[] = {0.1, 2, 30};
  for (int k = 0; k < 3; ++k) {
    static shocked_box s;
    open_box(&s, speeds[k]);
    pl_vec3 before[2] = {{0, 0, 0}, {0, 0, 0}}, after[2] = {{0, 0, 0}, {0, 0, 0}};
    const pl_vec3 *v = s.boxes.velocities[0], *x = s.boxes.starts[0];
    for (int i = 0; i < PARTICLES; ++i)
      before[0] = pl_vec3_add(before[0], v[i]), before[1] = pl_vec3_add(before[1], pl_vec3_cross(x[i], v[i]));
    pl_vec3 mean = pl_vec3_scale(before[0], 1.0 / PARTICLES);
    double energy = energy_of(v, mean);
    damp(&s, 4.0 / 240);
    for (int i = 0; i < PARTICLES; ++i)
      after[0] = pl_vec3_add(after[0], v[i]), after[1] = pl_vec3_add(after[1], pl_vec3_cross(x[i], v[i]));
    printf("speed %g: energy %.3f of before\n", speeds[k], energy_of(v, mean) / energy);
    assert_true(energy_of(v, mean) < energy);
    assert_true(pl_vec3_distance(before[0], after[0]) < 1e-5 * speeds[k]);
    assert_true(pl_vec3_distance(before[1], after[1]) < 1e-6 * speeds[k]);
    close_box(&s);
  }
}

static void held_particles_stay(void **state) {
  (void)state;
  static shocked_box s;
  open_box(&s, 5);
  for (int i = 0; i < PARTICLES; i += 3) s.boxes.inverse_masses[i] = 0;
  pl_vec3 was[PARTICLES];
  memcpy(was, s.boxes.velocities[0], sizeof was);
  damp(&s, 4.0 / 240);
  for (int i = 0; i < PARTICLES; i += 3) assert_memory_equal(&was[i], &s.boxes.velocities[0][i], sizeof was[i]);
  close_box(&s);
}

static void instruction_sets_give_the_same_bits(void **state) {
  (void)state;
  if (!PL_SIMD_CAN_AVX2()) skip();
#if PL_SIMD_HAS_AVX2
  pl_vec3 results[2][PARTICLES];
  pl_shock_kernel *kernels[2] = {pl_shock_run_plain, pl_shock_run_avx2};
  for (int k = 0; k < 2; ++k) {
    static shocked_box s;
    open_box(&s, 3);
    pl_shock_particles particles = {s.positions, s.velocities};
    kernels[k](&s.boxes.bodies[0], &s.tree, &particles, 4.0f / 240);
    memcpy(results[k], s.boxes.velocities[0], sizeof results[k]);
    close_box(&s);
  }
  assert_memory_equal(results[0], results[1], sizeof results[0]);
#endif
}

// Bodies like the one of `s`, at other velocities.
typedef struct shocked_group {
  pl_shock_group group;
  pl_contact_body bodies[LANES];
  pl_vec3 velocities[LANES][PARTICLES];
} shocked_group;

static void make_group(shocked_box *s, int count, shocked_group *g) {
  pl_random random = pl_random_of_seed(7);
  g->group = (pl_shock_group){.tree = &s->tree, .count = count};
  for (int k = 0; k < count; ++k) {
    // From a body that is limited nowhere to one that is nearly everywhere.
    double speed = 0.1 * (1 << k);
    for (int i = 0; i < PARTICLES; ++i)
      g->velocities[k][i] =
          pl_vec3_of(pl_random_between(&random, -speed, speed), pl_random_between(&random, -speed, speed), k);
    g->bodies[k] = s->boxes.bodies[0];
    g->bodies[k].velocities = g->velocities[k];
    g->group.bodies[k] = &g->bodies[k];
  }
}

static void a_group_gets_the_bits_of_single_bodies(void **state) {
  (void)state;
  pl_shock_group_kernel *kernels[2] = {pl_shock_run_group_plain, pl_shock_run_group_plain};
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) kernels[1] = pl_shock_run_group_avx2;
#endif
  static shocked_box s;
  static shocked_group together, alone;
  for (int holds = 0; holds < 2; ++holds)
    for (int count = 1; count <= LANES; ++count) {
      open_box(&s, 0);
      for (int i = 0; i < PARTICLES && holds; i += 3) s.boxes.inverse_masses[i] = 0;
      pl_shock_particles particles = {s.positions, s.velocities};
      make_group(&s, count, &alone);
      for (int k = 0; k < count; ++k) pl_shock_run_plain(&alone.bodies[k], &s.tree, &particles, 4.0f / 240);
      for (int k = 0; k < 2; ++k) {
        make_group(&s, count, &together);
        kernels[k](&together.group, 4.0f / 240);
        assert_memory_equal(together.velocities, alone.velocities, (size_t)count * sizeof alone.velocities[0]);
        make_group(&s, count, &together);
        pl_contact_damp_shocks(&together.group, 4.0 / 240, &particles);
        assert_memory_equal(together.velocities, alone.velocities, (size_t)count * sizeof alone.velocities[0]);
      }
      close_box(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(links_are_all_edges_once),
                                     cmocka_unit_test(a_slow_edge_loses_in_proportion_to_its_speed),
                                     cmocka_unit_test(momentum_stays_and_energy_falls),
                                     cmocka_unit_test(held_particles_stay),
                                     cmocka_unit_test(instruction_sets_give_the_same_bits),
                                     cmocka_unit_test(a_group_gets_the_bits_of_single_bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
