// Four tets at a time against one at a time: energies, gradients and Hessians, exact and projected, with the same bits
// on every instruction set.
// ctest: derivative
#include "check.h"
#include "fem/fem_assemble.h"
#include "fem/fem_tet.h"
#include "fixtures/tet_states.h"

enum { TETS = 4 * TET_KINDS + 3 };

// Tets of every kind side by side, each with points and material of its own.
typedef struct crowd {
  double positions[12 * TETS], rest[12 * TETS], parameters[2 * TETS];
  int32_t corners[4 * TETS], all[TETS];
  pl_fem_tet_constants constants[TETS];
  pl_fem_tets tets;
} crowd;

static void make_crowd(crowd *c, uint64_t seed, pl_fem_tet_model model, bool positive) {
  pl_random random = pl_random_of_seed(seed);
  for (int i = 0; i < TETS; ++i) {
    tet_state state = make_tet_state(&random, &tet_kinds[i % TET_KINDS], 0.1);
    memcpy(c->positions + 12 * i, state.x, sizeof state.x);
    memcpy(c->rest + 12 * i, state.X, sizeof state.X);
    c->parameters[2 * i] = pow(10, pl_random_between(&random, 3, 7));
    c->parameters[2 * i + 1] = pl_random_between(&random, 0, 0.495);
    c->constants[i] = pl_fem_tet_constants_of(c->rest + 12 * i, c->parameters + 2 * i);
    for (int a = 0; a < 4; ++a) c->corners[4 * i + a] = 4 * i + a;
    c->all[i] = i;
  }
  c->tets = (pl_fem_tets){.model = model,
                          .positive = positive,
                          .constants = c->constants,
                          .corners = c->corners,
                          .positions = c->positions};
}

static double max(const double *a, int count) {
  double max = 0;
  for (int i = 0; i < count; ++i) max = fmax(max, fabs(a[i]));
  return max;
}

static void check_array(const double *a, const double *b, int count, double tolerance, const char *what) {
  double scale = max(b, count);
  for (int i = 0; i < count; ++i)
    if (!(fabs(a[i] - b[i]) <= tolerance * scale))
      fail_msg("%s: %.17g against %.17g, in numbers up to %g", what, a[i], b[i], scale);
}

static void check_against_scalar(pl_fem_tet_model model, const pl_fem_energy *energy) {
  crowd c;
  double energies[TETS], gradients[12 * TETS], matrices[144 * TETS];
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    make_crowd(&c, seed, model, false);
    pl_fem_assemble_tets(&c.tets, c.all, TETS, energies, gradients, matrices);
    for (int i = 0; i < TETS; ++i) {
      double g[12], h[144], stiffness = c.parameters[2 * i] * 0.1 * 0.1;
      pl_fem_element e = {c.positions + 12 * i, c.rest + 12 * i, c.rest + 12 * i, c.parameters + 2 * i};
      energy->gradient(&e, g);
      energy->hessian(&e, h);
      const char *kind = tet_kinds[i % TET_KINDS].name;
      double w = energy->energy(&e);
      check_near(energies[i], w, 1e-11 * w + 1e-15 * stiffness);
      // At rest there are only rounding errors to compare.
      if (max(g, 12) > 1e-9 * stiffness) check_array(gradients + 12 * i, g, 12, 1e-9, kind);
      check_array(matrices + 144 * i, h, 144, 1e-9, kind);
    }
  }
}

static void corotated_tets_are_those_of_the_scalar_energy(void **unused) {
  (void)unused;
  check_against_scalar(PL_FEM_TET_COROTATED, &pl_fem_corotated_tet);
}

static void neo_hookean_tets_are_those_of_the_scalar_energy(void **unused) {
  (void)unused;
  check_against_scalar(PL_FEM_TET_NEO_HOOKEAN, &pl_fem_neo_hookean_tet);
}

// --- projection ---------------------------------------------------------------------------------------------------

// Negative eigenvalues of a symmetric 9 x 9 matrix set to 0, by plain Jacobi sweeps.
static void project_brutally(double C[81]) {
  double v[81] = {0}, a[81];
  memcpy(a, C, sizeof a);
  for (int i = 0; i < 9; ++i) v[10 * i] = 1;
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int p = 0; p < 9; ++p)
      for (int q = p + 1; q < 9; ++q) {
        if (a[9 * p + q] == 0) continue;
        double theta = (a[10 * q] - a[10 * p]) / (2 * a[9 * p + q]);
        double t = copysign(1 / (fabs(theta) + sqrt(theta * theta + 1)), theta), c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 9; ++k) {
          double x = a[9 * k + p], y = a[9 * k + q];
          a[9 * k + p] = c * x - s * y, a[9 * k + q] = s * x + c * y;
        }
        for (int k = 0; k < 9; ++k) {
          double x = a[9 * p + k], y = a[9 * q + k];
          a[9 * p + k] = c * x - s * y, a[9 * q + k] = s * x + c * y;
          x = v[9 * k + p], y = v[9 * k + q];
          v[9 * k + p] = c * x - s * y, v[9 * k + q] = s * x + c * y;
        }
      }
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) {
      C[9 * i + j] = 0;
      for (int k = 0; k < 9; ++k) C[9 * i + j] += fmax(a[10 * k], 0) * v[9 * i + k] * v[9 * j + k];
    }
}

static void check_projection(pl_fem_tet_model model, const pl_fem_density *density) {
  crowd c;
  double matrices[144 * TETS];
  int changed = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    make_crowd(&c, seed, model, true);
    pl_fem_assemble_tets(&c.tets, c.all, TETS, NULL, NULL, matrices);
    for (int i = 0; i < TETS; ++i) {
      double C[81], exact[144], projected[144];
      pl_mat3 P;
      pl_fem_element e = {c.positions + 12 * i, c.rest + 12 * i, c.rest + 12 * i, c.parameters + 2 * i};
      pl_fem_tet tet = pl_fem_tet_of(&e);
      density->tangent(&tet.F, pl_fem_lame_of(e.p), &P, C);
      pl_fem_tet_contract(&tet, C, exact);
      project_brutally(C);
      pl_fem_tet_contract(&tet, C, projected);
      // Relative to the Hessian before: near a crease, nearly all of it may be taken away.
      double scale = max(exact, 144);
      for (int k = 0; k < 144; ++k) check_near(matrices[144 * i + k] / scale, projected[k] / scale, 1e-9);
      for (int k = 0; k < 144; ++k) changed += fabs(exact[k] - projected[k]) > 1e-3 * scale;
    }
  }
  assert_true(changed > 1000);
}

static void projected_corotated_hessians_lose_their_negative_eigenvalues(void **unused) {
  (void)unused;
  check_projection(PL_FEM_TET_COROTATED, &pl_fem_corotated_density);
}

static void projected_neo_hookean_hessians_lose_their_negative_eigenvalues(void **unused) {
  (void)unused;
  check_projection(PL_FEM_TET_NEO_HOOKEAN, &pl_fem_neo_hookean_density);
}

// --- bits ---------------------------------------------------------------------------------------------------------

typedef void assembler(const pl_fem_tets *tets, const int32_t *elements, int32_t count, double *energies,
                       double *gradients, double *matrices);

// Every tet by itself gives the bits that it has among others, in any order and number, by any assembler.
static void check_bits(assembler *assemble, pl_fem_tet_model model, bool positive) {
  crowd c;
  double energies[TETS], gradients[12 * TETS], matrices[144 * TETS], w[TETS], g[12 * TETS], h[144 * TETS];
  make_crowd(&c, 7, model, positive);
  pl_fem_assemble_tets_plain(&c.tets, c.all, TETS, energies, gradients, matrices);
  for (int32_t count = 1; count <= 9; ++count)
    for (int32_t begin = 0; begin + count <= TETS; ++begin) {
      int32_t elements[9];
      for (int32_t i = 0; i < count; ++i) elements[i] = (begin + 5 * i) % TETS;
      // What lies behind the last is not touched.
      w[count] = g[12 * count] = h[144 * count] = 12345;
      assemble(&c.tets, elements, count, w, g, h);
      assert_true(w[count] == 12345 && g[12 * count] == 12345 && h[144 * count] == 12345);
      for (int32_t i = 0; i < count; ++i) {
        int32_t tet = elements[i];
        assert_memory_equal(&w[i], &energies[tet], sizeof(double));
        assert_memory_equal(g + 12 * i, gradients + 12 * tet, 12 * sizeof(double));
        assert_memory_equal(h + 144 * i, matrices + 144 * tet, 144 * sizeof(double));
      }
    }
  for (int i = 0; i < TETS; ++i)
    for (int k = 0; k < 144; ++k) assert_true(matrices[144 * i + k] == matrices[144 * i + 12 * (k % 12) + k / 12]);
}

static void every_instruction_set_and_order_gives_the_same_bits(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; ++k) {
    pl_fem_tet_model model = k & 1 ? PL_FEM_TET_NEO_HOOKEAN : PL_FEM_TET_COROTATED;
    check_bits(pl_fem_assemble_tets_plain, model, k >= 2);
    check_bits(pl_fem_assemble_tets, model, k >= 2);
#if PL_SIMD_HAS_AVX2
    if (PL_SIMD_CAN_AVX2()) check_bits(pl_fem_assemble_tets_avx2, model, k >= 2);
#endif
  }
}

// Collapsed to a line or a point, inverted to the crease and beyond: finite, and no neighbour is disturbed, even by
// what is not a number.
static void degenerate_tets_are_finite_and_disturb_no_neighbour(void **unused) {
  (void)unused;
  static const tet_kind collapsed[] = {
      {"line", {1, 0, 0}, 0}, {"point", {0, 0, 0}, 0}, {"crease", {1, 0.5, -0.5}, 0}, {"reflection", {-1, -1, -1}, 0}};
  for (int k = 0; k < 4; ++k) {
    crowd c;
    double before[144 * TETS], after[144 * TETS], g[12 * TETS], w[TETS];
    pl_random random = pl_random_of_seed(11);
    make_crowd(&c, 9, k & 1 ? PL_FEM_TET_NEO_HOOKEAN : PL_FEM_TET_COROTATED, k >= 2);
    pl_fem_assemble_tets(&c.tets, c.all, TETS, w, g, before);
    for (int i = 0; i < 5; ++i) {
      double *x = c.positions + 12 * (4 * i + 1);
      if (i < 4)
        tet_deform(c.rest + 12 * (4 * i + 1), tet_gradient(&random, &collapsed[i], NULL), pl_vec3_of(0, 0, 0), x);
      else
        x[3] = nan("");
    }
    pl_fem_assemble_tets(&c.tets, c.all, TETS, w, g, after);
    for (int i = 0; i < TETS; ++i) {
      bool degenerate = i % 4 == 1 && i < 20;
      if (!degenerate) assert_memory_equal(before + 144 * i, after + 144 * i, 144 * sizeof(double));
      for (int j = 0; j < 144 && i != 17; ++j)
        assert_true(isfinite(after[144 * i + j]) && isfinite(g[12 * i + j / 12]) && isfinite(w[i]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corotated_tets_are_those_of_the_scalar_energy),
      cmocka_unit_test(neo_hookean_tets_are_those_of_the_scalar_energy),
      cmocka_unit_test(projected_corotated_hessians_lose_their_negative_eigenvalues),
      cmocka_unit_test(projected_neo_hookean_hessians_lose_their_negative_eigenvalues),
      cmocka_unit_test(every_instruction_set_and_order_gives_the_same_bits),
      cmocka_unit_test(degenerate_tets_are_finite_and_disturb_no_neighbour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
