// Elements of shells and curves four at a time against one at a time: energies, gradients and Hessians, exact and
// without what may be negative, with the same bits on every instruction set.
// ctest: derivative
#include "base/random.h"
#include "check.h"
#include "fem/fem_measure.h"
#include "fem/fem_shell_assemble.h"

enum { ELEMENTS = 27, MAX_VALUES = 12, KINDS = 5 };

static const pl_fem_energy *energy_of(int kind) {
  const pl_fem_energy *energies[KINDS] = {&pl_fem_shell_stretch, &pl_fem_shell_area, &pl_fem_shell_hinge,
                                          &pl_fem_curve_stretch, &pl_fem_curve_bend};
  return energies[kind];
}

// Elements side by side, each with points, blocks and material of its own.
typedef struct crowd {
  double positions[MAX_VALUES * ELEMENTS], rest[MAX_VALUES * ELEMENTS], start[MAX_VALUES * ELEMENTS],
      parameters[ELEMENTS];
  int32_t corners[4 * ELEMENTS], slots[16 * ELEMENTS], all[ELEMENTS];
  pl_fem_shell_constants constants[ELEMENTS];
  double energies[ELEMENTS], gradient[MAX_VALUES * ELEMENTS], values[MAX_VALUES * MAX_VALUES * ELEMENTS];
  pl_fem_shells shells;
} crowd;

static void make_crowd(crowd *c, uint64_t seed, int kind, bool positive) {
  const pl_fem_energy *energy = energy_of(kind);
  pl_random random = pl_random_of_seed(seed);
  int corner_count = energy->corner_count, n = 3 * corner_count;
  memset(c, 0, sizeof *c);
  for (int i = 0; i < ELEMENTS; ++i) {
    for (int k = 0; k < n; ++k) {
      c->positions[n * i + k] = pl_random_between(&random, -1, 1);
      c->rest[n * i + k] = pl_random_between(&random, -1, 1);
      c->start[n * i + k] = pl_random_between(&random, -1, 1);
    }
    // Some with a stiffness below zero, as an estimation may try it.
    c->parameters[i] = i % 5 == 4 ? -3 : pl_random_between(&random, 1, 100);
    pl_fem_shell_constants_rest(energy, c->start + n * i, c->rest + n * i, c->parameters + i, &c->constants[i]);
    c->all[i] = i;
  }
  for (int i = 0; i < corner_count * ELEMENTS; ++i) c->corners[i] = i;
  for (int i = 0; i < corner_count * corner_count * ELEMENTS; ++i) c->slots[i] = i;
  c->shells = (pl_fem_shells){.kind = pl_fem_shell_kind_of(energy),
                              .constants = c->constants,
                              .corners = c->corners,
                              .slots = c->slots,
                              .positions = c->positions,
                              .positive = positive,
                              .energies = c->energies,
                              .gradient = c->gradient,
                              .values = c->values};
}

static void check_array(const double *a, const double *b, int count, double tolerance, int kind) {
  double scale = 0;
  for (int i = 0; i < count; ++i) scale = fmax(scale, fabs(b[i]));
  for (int i = 0; i < count; ++i)
    if (!(fabs(a[i] - b[i]) <= tolerance * scale))
      fail_msg("%s: %.17g against %.17g, in numbers up to %g", energy_of(kind)->name, a[i], b[i], scale);
}

static void elements_are_those_of_the_scalar_energies(void **unused) {
  (void)unused;
  crowd c;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    int kind = (int)(seed % KINDS);
    bool positive = seed % 2 == 0;
    const pl_fem_energy *energy = energy_of(kind);
    int corner_count = energy->corner_count, n = 3 * corner_count;
    make_crowd(&c, seed, kind, positive);
    pl_fem_assemble_shells(&c.shells, c.all, ELEMENTS);
    for (int i = 0; i < ELEMENTS; ++i) {
      double g[MAX_VALUES], h[MAX_VALUES * MAX_VALUES], blocks[MAX_VALUES * MAX_VALUES];
      pl_fem_element e = {c.positions + n * i, c.rest + n * i, c.start + n * i, c.parameters + i};
      double w = energy->energy(&e);
      energy->gradient(&e, g);
      (positive ? energy->positive : energy->hessian)(&e, h);
      for (int k = 0; k < n * n; ++k) {
        int row = k / n, column = k % n;
        blocks[9 * (corner_count * (row / 3) + column / 3) + 3 * (row % 3) + column % 3] = h[k];
      }
      check_near(c.energies[i], w, 1e-11 * fabs(w) + 1e-15);
      check_array(c.gradient + n * i, g, n, 1e-10, kind);
      check_array(c.values + n * n * i, blocks, n * n, 1e-10, kind);
    }
  }
}

// Every element by itself gives the bits that it has among others, in any order and number, by any kernel.
static void check_bits(const pl_fem_shell_kernels *kernels, int kind, bool positive) {
  crowd c, one;
  make_crowd(&c, 7, kind, positive);
  pl_fem_shell_kernels_plain.assemble(&c.shells, c.all, ELEMENTS);
  int n = 3 * energy_of(kind)->corner_count;
  for (int32_t count = 1; count <= 9; ++count) {
    int32_t elements[9];
    make_crowd(&one, 7, kind, positive);
    for (int32_t i = 0; i < count; ++i) elements[i] = (3 * count + 5 * i) % ELEMENTS;
    kernels->assemble(&one.shells, elements, count);
    for (int32_t i = 0; i < count; ++i) {
      int32_t e = elements[i];
      assert_memory_equal(&one.energies[e], &c.energies[e], sizeof(double));
      assert_memory_equal(one.gradient + n * e, c.gradient + n * e, (size_t)n * sizeof(double));
      assert_memory_equal(one.values + n * n * e, c.values + n * n * e, (size_t)(n * n) * sizeof(double));
    }
  }
}

static void every_instruction_set_and_order_gives_the_same_bits(void **unused) {
  (void)unused;
  for (int k = 0; k < 2 * KINDS; ++k) {
    check_bits(&pl_fem_shell_kernels_plain, k / 2, k % 2 == 0);
#if PL_SIMD_HAS_AVX2
    if (PL_SIMD_CAN_AVX2()) check_bits(&pl_fem_shell_kernels_avx2, k / 2, k % 2 == 0);
#endif
  }
}

// Edges and angles of a curve: without z the same bits of x and y, forces and matrices as with it. And rest shapes of
// many elements are measured as those of one.
static void curves_in_a_plane_need_no_z(void **unused) {
  (void)unused;
  for (int kind = 3; kind < KINDS; ++kind) {
    crowd space, plane;
    const pl_fem_energy *energy = energy_of(kind);
    int corner_count = energy->corner_count, n = 3 * corner_count;
    pl_fem_shell_constants many[ELEMENTS] = {{0}};
    make_crowd(&space, 11, kind, false);
    make_crowd(&plane, 11, kind, false);
    pl_fem_shell_constants_rests(energy, ELEMENTS, plane.start, plane.rest, plane.parameters, many);
    assert_memory_equal(many, plane.constants, sizeof many);
    for (int i = 2; i < n * ELEMENTS; i += 3) space.positions[i] = plane.positions[i] = 0.25;
    plane.shells.planar = true;
    pl_fem_assemble_shells(&space.shells, space.all, ELEMENTS);
    pl_fem_assemble_shells(&plane.shells, plane.all, ELEMENTS);
    assert_memory_equal(space.energies, plane.energies, sizeof space.energies);
    for (int i = 0; i < n * ELEMENTS; ++i) assert_true(space.gradient[i] == plane.gradient[i]);
    for (int i = 0; i < n * n * ELEMENTS; ++i) {
      bool of_z = i % 9 / 3 == 2 || i % 3 == 2;
      assert_true(plane.values[i] == (of_z ? 0 : space.values[i]));
    }
  }
}

// Triangles without area, edges without length: the numbers of the scalar energies, and no neighbour is disturbed.
static void flat_elements_are_finite_and_disturb_no_neighbour(void **unused) {
  (void)unused;
  for (int kind = 0; kind < KINDS; ++kind) {
    crowd c, plain;
    int n = 3 * energy_of(kind)->corner_count;
    make_crowd(&plain, 9, kind, false);
    make_crowd(&c, 9, kind, false);
    // One point; then a line.
    for (int k = 0; k < n; ++k) c.positions[k] = 0.3;
    for (int k = 0; k < n; ++k) c.positions[2 * n + k] = (double)(k / 3) * (k % 3 + 1);
    pl_fem_assemble_shells(&plain.shells, plain.all, ELEMENTS);
    pl_fem_assemble_shells(&c.shells, c.all, ELEMENTS);
    for (int i = 0; i < ELEMENTS; ++i) {
      for (int k = 0; k < n * n; ++k) assert_true(isfinite(c.values[n * n * i + k]));
      if (i != 0 && i != 2)
        assert_memory_equal(c.values + n * n * i, plain.values + n * n * i, (size_t)(n * n) * sizeof(double));
    }
    for (int i = 0; i <= 2; i += 2) {
      double g[MAX_VALUES];
      pl_fem_element e = {c.positions + n * i, c.rest + n * i, c.start + n * i, c.parameters + i};
      energy_of(kind)->gradient(&e, g);
      check_array(c.gradient + n * i, g, n, 1e-10, kind);
      check_near(c.energies[i], energy_of(kind)->energy(&e), 1e-10 * fabs(c.energies[i]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_are_those_of_the_scalar_energies),
      cmocka_unit_test(every_instruction_set_and_order_gives_the_same_bits),
      cmocka_unit_test(curves_in_a_plane_need_no_z),
      cmocka_unit_test(flat_elements_are_finite_and_disturb_no_neighbour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
