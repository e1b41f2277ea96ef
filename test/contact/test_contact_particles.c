// Sums and changes over particles, four at a time, against loops over single ones; the kernels of both instruction sets
// give the same bits.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "contact/contact_particles.h"
#include "math/simd.h"

enum { MAX_COUNT = 21 };

typedef struct particle_set {
  pl_vec3 positions[MAX_COUNT], velocities[MAX_COUNT];
  double inverse_masses[MAX_COUNT];
} particle_set;

static pl_vec3 random_vector(pl_random *random) {
  return pl_vec3_of(pl_random_between(random, -1, 1), pl_random_between(random, -1, 1),
                    pl_random_between(random, -1, 1));
}

// Every fifth particle is held if `holds`.
static pl_particles make_particles(particle_set *set, int32_t count, bool holds) {
  pl_random random = pl_random_of_seed((uint64_t)count);
  for (int32_t i = 0; i < count; ++i) {
    set->positions[i] = pl_vec3_add(random_vector(&random), pl_vec3_of(5, -3, 2));
    set->velocities[i] = random_vector(&random);
    set->inverse_masses[i] = holds && i % 5 == 0 ? 0 : pl_random_between(&random, 0.5, 2);
  }
  return (pl_particles){count, set->positions, set->velocities, set->inverse_masses};
}

static pl_vec3 field_at(const pl_rigid_field *field, pl_vec3 x) {
  return pl_vec3_add(field->velocity, pl_vec3_cross(field->spin, pl_vec3_sub(x, field->center)));
}

static const pl_rigid_field FIELD = {{4.8, -3.1, 2.2}, {0.3, -0.2, 0.1}, {0.7, 0.4, -0.9}};

static void sums_are_those_of_single_particles(void **state) {
  (void)state;
  for (int32_t count = 1; count <= MAX_COUNT; ++count)
    for (int holds = 0; holds < 2; ++holds) {
      particle_set set;
      pl_particles p = make_particles(&set, count, holds);
      pl_particle_sums sums;
      pl_particle_kernels_get()->sum(&p, &sums);
      double mass = 0, energy = 0, xy = 0;
      pl_vec3 spin = {0, 0, 0}, momentum = {0, 0, 0};
      for (int32_t i = 0; i < count; ++i) {
        if (!(set.inverse_masses[i] > 0)) continue;
        double m = 1 / set.inverse_masses[i];
        pl_vec3 x = pl_vec3_sub(set.positions[i], set.positions[0]),
                v = pl_vec3_sub(set.velocities[i], set.velocities[0]);
        mass += m, energy += m * pl_vec3_dot(v, v), xy += m * x.x * x.y;
        momentum = pl_vec3_add_scaled(momentum, v, m);
        spin = pl_vec3_add_scaled(spin, pl_vec3_cross(x, v), m);
      }
      check_near(sums.mass, mass, 1e-12);
      check_near(sums.energy, energy, 1e-12);
      check_near(sums.moments[3], xy, 1e-12);
      check_near(pl_vec3_distance(sums.v, momentum), 0, 1e-12);
      check_near(pl_vec3_distance(sums.spin, spin), 0, 1e-12);
      assert_true(sums.is_free == !holds);
    }
}

static void changes_are_those_of_single_particles(void **state) {
  (void)state;
  for (int32_t count = 1; count <= MAX_COUNT; ++count) {
    particle_set set, was, damped;
    pl_particles p = make_particles(&set, count, true);
    make_particles(&was, count, true);
    double max = 0, found = pl_particle_kernels_get()->find_max(&p, NULL, &FIELD);
    assert_memory_equal(set.velocities, was.velocities, (size_t)count * sizeof(pl_vec3));
    check_near(pl_particle_kernels_get()->damp(&p, &FIELD, 0.25), found, 0);
    damped = set;
    pl_particle_kernels_get()->add(&p, &FIELD);
    for (int32_t i = 0; i < count; ++i) {
      pl_vec3 r = field_at(&FIELD, was.positions[i]), d = pl_vec3_sub(was.velocities[i], r);
      bool is_held = !(was.inverse_masses[i] > 0);
      pl_vec3 wanted = is_held ? was.velocities[i] : pl_vec3_add_scaled(r, d, 0.25);
      check_near(pl_vec3_distance(damped.velocities[i], wanted), 0, 1e-14);
      check_near(pl_vec3_distance(set.velocities[i], is_held ? wanted : pl_vec3_add(wanted, r)), 0, 1e-14);
      if (!is_held) max = fmax(max, pl_vec3_dot(d, d));
    }
    check_near(found, max, 1e-14);
  }
}

// What is added first is as if it had been added before; with the bits of `add`.
static void a_change_is_added_before_the_largest_is_found(void **state) {
  (void)state;
  static const pl_rigid_field CHANGE = {{4.8, -3.1, 2.2}, {0.1, 0.4, -0.3}, {-0.2, 0.5, 0.6}};
  for (int32_t count = 1; count <= MAX_COUNT; ++count) {
    particle_set together, apart;
    memset(&together, 0, sizeof together);
    memset(&apart, 0, sizeof apart);
    pl_particles p = make_particles(&together, count, true), q = make_particles(&apart, count, true);
    double found = pl_particle_kernels_get()->find_max(&p, &CHANGE, &FIELD);
    pl_particle_kernels_get()->add(&q, &CHANGE);
    check_near(found, pl_particle_kernels_get()->find_max(&q, NULL, &FIELD), 0);
    assert_memory_equal(&together, &apart, sizeof apart);
  }
}

// Those whose velocity is as it was stay where they are, with the sign of a zero.
static void positions_follow_changes_of_velocity(void **state) {
  (void)state;
  const double step = 1.0 / 240;
  for (int32_t count = 1; count <= MAX_COUNT; ++count)
    for (int kept = 0; kept < 3; ++kept) {  // none, some, all
      particle_set set, was;
      pl_particles p = make_particles(&set, count, false);
      make_particles(&was, count, false);
      bool differs = false;
      pl_vec3 wanted[MAX_COUNT];
      for (int32_t i = 0; i < count; ++i) {
        bool is_kept = kept == 2 || (kept == 1 && i % 3 == 0);
        if (is_kept) set.positions[i].y = -0.0;
        if (!is_kept) set.velocities[i] = pl_vec3_add(set.velocities[i], pl_vec3_of(0.1 * i, i % 7 == 0 ? 0 : 1, -1));
        pl_vec3 change = pl_vec3_sub(set.velocities[i], was.velocities[i]);
        wanted[i] = is_kept ? set.positions[i] : pl_vec3_add_scaled(set.positions[i], change, step);
        differs = differs || !is_kept;
      }
      assert_true(pl_particle_kernels_get()->follow(&p, was.velocities, step, set.positions) == differs);
      assert_memory_equal(set.positions, wanted, (size_t)count * sizeof wanted[0]);
    }
}

static void instruction_sets_give_the_same_bits(void **state) {
  (void)state;
  if (!PL_SIMD_CAN_AVX2()) skip();
#if PL_SIMD_HAS_AVX2
  const pl_particle_kernels *kernels[2] = {&pl_particle_kernels_plain, &pl_particle_kernels_avx2};
  for (int32_t count = 1; count <= MAX_COUNT; ++count) {
    particle_set sets[2];
    pl_particle_sums sums[2];
    memset(sums, 0, sizeof sums);
    memset(sets, 0, sizeof sets);
    for (int k = 0; k < 2; ++k) {
      pl_particles p = make_particles(&sets[k], count, true);
      kernels[k]->sum(&p, &sums[k]);
      kernels[k]->damp(&p, &FIELD, 0.3);
      kernels[k]->add(&p, &FIELD);
      pl_vec3 was[MAX_COUNT] = {{0, 0, 0}};
      kernels[k]->follow(&p, was, 0.01, sets[k].positions);
    }
    assert_memory_equal(&sets[0], &sets[1], sizeof sets[0]);
    assert_memory_equal(&sums[0].mass, &sums[1].mass, offsetof(pl_particle_sums, is_free));
  }
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_single_particles), cmocka_unit_test(changes_are_those_of_single_particles),
      cmocka_unit_test(a_change_is_added_before_the_largest_is_found),
      cmocka_unit_test(positions_follow_changes_of_velocity), cmocka_unit_test(instruction_sets_give_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
