// Tets with ten nodes: every derivative against extrapolated differences, straight and curved; what linear tets and
// closed formulas give for uniform strains; frame indifference and balance.
// ctest: derivative
#include "fem/check_energy.h"
#include "fem/fem_quadratic_assemble.h"
#include "fem/fem_system.h"
#include "fixtures/tet_states.h"

enum { VALUES = PL_FEM_QUADRATIC_VALUES };

static const int ENDS[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const pl_fem_energy *const QUADRATIC[3] = {&pl_fem_corotated_quadratic, &pl_fem_neo_hookean_quadratic,
                                                  &pl_fem_yeoh_quadratic};
static const pl_fem_energy *const LINEAR[3] = {&pl_fem_corotated_tet, &pl_fem_neo_hookean_tet, &pl_fem_yeoh_tet};

typedef struct quadratic_state {
  double x[VALUES], X[VALUES], lambda[VALUES], gap;
} quadratic_state;

// Middles of the edges of four corners, each off by up to `bend` of the size.
static void add_middles(pl_random *random, double bend, double *x) {
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < 3; ++i)
      x[12 + 3 * k + i] =
          0.5 * (x[3 * ENDS[k][0] + i] + x[3 * ENDS[k][1] + i]) + bend * pl_random_between(random, -1, 1);
}

static quadratic_state make_state(pl_random *random, const tet_kind *kind, double size, double bend) {
  quadratic_state state;
  tet_state corners = make_tet_state(random, kind, size);
  memcpy(state.x, corners.x, sizeof corners.x);
  memcpy(state.X, corners.X, sizeof corners.X);
  add_middles(random, 0.5 * bend * size, state.X);
  add_middles(random, bend * size, state.x);
  for (int i = 0; i < VALUES; ++i) state.lambda[i] = pl_random_normal(random);
  state.gap = corners.gap;
  return state;
}

static void check_kinds(const pl_fem_energy *energy, const double *parameters, double size) {
  pl_random random = pl_random_of_seed(23);
  double worst = 0;
  for (int kind = 0; kind < TET_KINDS; ++kind)
    for (int trial = 0; trial < 2; ++trial) {
      // Bent elements deform differently at each point: the corotated energy must be smooth at all of them.
      double bend = fmin(0.08, 0.02 * tet_kinds[kind].stretch[0]);
      quadratic_state state = make_state(&random, &tet_kinds[kind], size, trial == 0 ? 0 : bend);
      if (trial == 1 && state.gap < 0.3) continue;
      pl_fem_element e = {state.x, state.X, state.X, parameters};
      double step = fmin(0.02, 0.02 * state.gap / fmax(1, tet_kinds[kind].stretch[0]));
      worst = fmax(worst, check_energy(energy, &e, state.lambda, step, 1e-6, tet_kinds[kind].name));
    }
  printf("%s, ν %g, size %g, seed 23: largest relative deviation %.1e\n", energy->name, parameters[1], size, worst);
}

static void derivatives_agree_with_differences(void **unused) {
  (void)unused;
  for (int k = 0; k < 3; ++k) {
    check_kinds(QUADRATIC[k], (double[]){1e5, 0.3, 0.2, 0.05}, 1);
    check_kinds(QUADRATIC[k], (double[]){2e6, 0.49, -0.1, 0.02}, 0.01);
    check_kinds(QUADRATIC[k], (double[]){1, 0, 0, 0.1}, 100);
  }
}

// A straight element in a uniform strain is a linear one, with whatever part of λ on the mean.
static void uniform_strains_are_those_of_linear_tets(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(4);
  for (int k = 0; k < 3; ++k)
    for (int trial = 0; trial < 8; ++trial) {
      quadratic_state state = make_state(&random, &tet_kinds[trial % 2], 0.3, 0);
      double p[4] = {3e4, trial < 4 ? 0.3 : 0.499, 0.1, 0.02}, few[12], many[VALUES];
      pl_fem_element e = {state.x, state.X, state.X, p};
      double expected = LINEAR[k]->energy(&e);
      check_near(QUADRATIC[k]->energy(&e), expected, 1e-10 * fabs(expected));
      LINEAR[k]->gradient(&e, few);
      QUADRATIC[k]->gradient(&e, many);
      // Half of the force of a middle belongs to each end.
      double scale = max_check(few, 12);
      for (int b = 0; b < 6; ++b)
        for (int i = 0; i < 3; ++i)
          for (int end = 0; end < 2; ++end) many[3 * ENDS[b][end] + i] += 0.5 * many[12 + 3 * b + i];
      for (int i = 0; i < 12; ++i) check_near(many[i], few[i], 1e-10 * scale);
    }
}

// Quadratic displacements on a straight element: the energy of linear elasticity, integrated by another rule.
static void bent_elements_have_the_energy_of_a_finer_rule(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(9);
  quadratic_state state = make_state(&random, &tet_kinds[2], 1, 0);
  double p[2] = {1e6, 0.3}, x[VALUES], small = 1e-5;
  pl_mat3 Q[3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 9; ++j) Q[i].m[j / 3][j % 3] = pl_random_normal(&random);
  // u_i = small Xᵀ Q_i X, with the strain at X: small (Q_i + Q_iᵀ) X.
  for (int a = 0; a < 10; ++a)
    for (int i = 0; i < 3; ++i) {
      pl_vec3 X = pl_vec3_of(state.X[3 * a], state.X[3 * a + 1], state.X[3 * a + 2]);
      x[3 * a + i] = state.X[3 * a + i] + small * pl_vec3_dot(X, pl_mat3_apply(Q[i], X));
    }
  pl_fem_lame lame = pl_fem_lame_of(p);
  double B[4][3], volume, sum = 0;
  pl_fem_tet_rest(state.X, B, &volume);
  // Energy is of second degree in the place: corners 1/20 each and centre 4/5. λ acts on the mean dilation, which is
  // that at the centre.
  for (int q = 0; q < 5; ++q) {
    pl_vec3 X = {0, 0, 0};
    for (int a = 0; a < 4; ++a)
      X = pl_vec3_add_scaled(X, pl_vec3_of(state.X[3 * a], state.X[3 * a + 1], state.X[3 * a + 2]),
                             q == 4 ? 0.25 : (a == q ? 1.0 : 0.0));
    pl_mat3 H;
    for (int i = 0; i < 3; ++i) {
      pl_vec3 row =
          pl_vec3_scale(pl_vec3_add(pl_mat3_apply(Q[i], X), pl_mat3_apply(pl_mat3_transpose(Q[i]), X)), small);
      H.m[i][0] = row.x, H.m[i][1] = row.y, H.m[i][2] = row.z;
    }
    double trace = H.m[0][0] + H.m[1][1] + H.m[2][2], square = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) square += 0.25 * (H.m[i][j] + H.m[j][i]) * (H.m[i][j] + H.m[j][i]);
    sum += (q == 4 ? 0.8 : 0.05) * volume * lame.mu * square;
    if (q == 4) sum += 0.5 * volume * lame.lambda * trace * trace;
  }
  for (int k = 0; k < 2; ++k) {
    pl_fem_element e = {x, state.X, state.X, p};
    check_near(QUADRATIC[k]->energy(&e) / sum, 1, 1e-3);
  }
}

// The kernels that compute four at a time, against the version for one: energies, gradients, exact Hessians; projected
// ones have no negative eigenvalue, and at rest are the exact ones.
static void kernels_agree_with_single_tets(void **unused) {
  (void)unused;
  enum { COUNT = 7 };
  static const pl_fem_density *const densities[3] = {&pl_fem_corotated_density, &pl_fem_neo_hookean_density,
                                                     &pl_fem_yeoh_density};
  pl_random random = pl_random_of_seed(77);
  static double x[3 * 10 * COUNT], matrices[2][900 * COUNT], positive[900 * COUNT];
  double energies[2][COUNT], gradients[2][30 * COUNT], worst = 0;
  int32_t nodes[10 * COUNT], elements[COUNT];
  for (int k = 0; k < 3; ++k)
    for (int kind = 0; kind < TET_KINDS; ++kind) {
      pl_fem_quadratic_constants constants[COUNT];
      quadratic_state states[COUNT];
      double p[4] = {1e5, kind % 2 == 0 ? 0.3 : 0.49, 0.1, 0.05};
      for (int t = 0; t < COUNT; ++t) {
        states[t] = make_state(&random, &tet_kinds[kind], 1, 0.02);
        constants[t] = pl_fem_quadratic_constants_of(densities[k], states[t].X, p);
        memcpy(x + 30 * t, states[t].x, sizeof states[t].x);
        for (int i = 0; i < 10; ++i) nodes[10 * t + i] = 10 * t + i;
        elements[t] = t;
      }
      pl_fem_quadratics tets = {k == 0 ? PL_FEM_QUADRATIC_COROTATED : PL_FEM_QUADRATIC_YEOH, false, constants, nodes,
                                x};
      pl_fem_assemble_quadratics_plain(&tets, elements, COUNT, energies[0], gradients[0], matrices[0]);
      pl_fem_assemble_quadratics(&tets, elements, COUNT, energies[1], gradients[1], matrices[1]);
      assert_memory_equal(energies[0], energies[1], sizeof energies[0]);
      assert_memory_equal(gradients[0], gradients[1], sizeof gradients[0]);
      assert_memory_equal(matrices[0], matrices[1], sizeof matrices[0]);
      for (int t = 0; t < COUNT; ++t) {
        double g[30], h[900];
        pl_fem_element e = {states[t].x, states[t].X, states[t].X, p};
        double energy = QUADRATIC[k]->energy(&e);
        QUADRATIC[k]->gradient(&e, g);
        QUADRATIC[k]->hessian(&e, h);
        double force = fmax(max_check(g, 30), 1e-6 * max_check(h, 900)), stiff = max_check(h, 900);
        check_near(energies[0][t], energy, 1e-9 * fabs(energy) + 1e-12 * stiff);
        // Near the crease of the corotated energy both are right to fewer digits.
        double digits = states[t].gap < 0.1 ? 1e-4 : 1e-8;
        for (int i = 0; i < 30; ++i) check_near(gradients[0][30 * t + i], g[i], digits * force);
        for (int i = 0; i < 900; ++i) {
          worst = fmax(worst, states[t].gap < 0.1 ? 0 : fabs(matrices[0][900 * t + i] - h[i]) / stiff);
          check_near(matrices[0][900 * t + i], h[i], digits * stiff);
        }
      }
      tets.positive = true;
      pl_fem_assemble_quadratics_plain(&tets, elements, COUNT, energies[1], gradients[1], positive);
      assert_memory_equal(energies[0], energies[1], sizeof energies[0]);
      pl_fem_assemble_quadratics(&tets, elements, COUNT, energies[1], gradients[1], matrices[1]);
      assert_memory_equal(positive, matrices[1], sizeof positive);
      for (int t = 0; t < COUNT; ++t) {
        double projected[900];
        memcpy(projected, positive + 900 * t, sizeof projected);
        double stiff = max_check(projected, 900);
        pl_fem_project_positive(30, projected);
        for (int i = 0; i < 900; ++i) check_near(projected[i], positive[900 * t + i], 1e-9 * stiff);
      }
    }
  for (int k = 0; k < 3; ++k) {
    double p[4] = {1e5, 0.45, 0.1, 0.05};
    quadratic_state state = make_state(&random, &tet_kinds[2], 1, 0);
    memcpy(x, state.X, sizeof state.X);
    pl_fem_quadratic_constants constants = pl_fem_quadratic_constants_of(densities[k], state.X, p);
    pl_fem_quadratics tets = {k == 0 ? PL_FEM_QUADRATIC_COROTATED : PL_FEM_QUADRATIC_YEOH, false, &constants, nodes, x};
    pl_fem_assemble_quadratics(&tets, elements, 1, energies[0], gradients[0], matrices[0]);
    tets.positive = true;
    pl_fem_assemble_quadratics(&tets, elements, 1, energies[0], gradients[0], positive);
    for (int i = 0; i < 900; ++i) check_near(positive[i], matrices[0][i], 1e-9 * max_check(positive, 900));
  }
  printf("kernels: Hessians differ by at most %.1e of the largest number\n", worst);
}

static void elements_balance_and_turn(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(31);
  for (int k = 0; k < 3; ++k)
    for (int trial = 0; trial < 6; ++trial) {
      quadratic_state state = make_state(&random, &tet_kinds[0], 1, 0.05);
      double p[4] = {1e5, trial < 3 ? 0.3 : 0.4999, 0.1, 0.02};
      pl_fem_element e = {state.x, state.X, state.X, p};
      check_balance(QUADRATIC[k], &e, 1e-11, "bent");
      check_frame(QUADRATIC[k], &e, tet_rotation(&random), pl_vec3_of(3, -2, 5), 1e-9, "bent");
    }
}

// Yeoh's rubber in uniaxial tension at constant volume: σ = 2 (l² - 1/l) Σ i c_i (I - 3)^(i-1).
static void yeoh_has_the_stress_of_its_formula(void **unused) {
  (void)unused;
  double p[4] = {3e5, 0.49999, 0.3, 0.1};
  pl_fem_lame lame = pl_fem_density_constants(&pl_fem_yeoh_density, p);
  for (double l = 0.6; l < 3; l += 0.2) {
    pl_mat3 F = pl_mat3_diagonal(l, 1 / sqrt(l), 1 / sqrt(l)), P;
    double I = l * l + 2 / l - 3;
    pl_fem_yeoh_density.stress(&F, lame, &P);
    // A pressure on the volume takes away the stress across.
    double across = P.m[1][1] * F.m[1][1], cauchy = P.m[0][0] * l - across;
    double expected = (l * l - 1 / l) * (lame.mu + 2 * lame.second * I + 3 * lame.third * I * I);
    check_near(cauchy, expected, 1e-9 * fabs(lame.mu));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_agree_with_differences),
      cmocka_unit_test(uniform_strains_are_those_of_linear_tets),
      cmocka_unit_test(bent_elements_have_the_energy_of_a_finer_rule),
      cmocka_unit_test(kernels_agree_with_single_tets),
      cmocka_unit_test(elements_balance_and_turn),
      cmocka_unit_test(yeoh_has_the_stress_of_its_formula),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
