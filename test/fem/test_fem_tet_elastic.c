// What is known of the energies of tets without differentiating: closed forms, invariance, balance, and the force of
// paper 002 as it is printed.
// ctest: derivative
#include "fem/check_energy.h"
#include "fem/fem_tet.h"
#include "fixtures/tet_states.h"
#include "math/mat3.h"
#include "math/rotation.h"

static const pl_fem_energy *const all_energies[] = {&pl_fem_corotated_tet, &pl_fem_neo_hookean_tet, &pl_fem_edge_tet};
static const double all_parameters[][2] = {{1e5, 0.3}, {1e5, 0.3}, {1e5, 3e5}};

static void energies_do_not_see_rigid_motion(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(23);
  for (int k = 0; k < 3; ++k)
    for (int kind = 0; kind < TET_KINDS; ++kind) {
      if (strcmp(tet_kinds[kind].name, "at rest") == 0) continue;
      for (int trial = 0; trial < 10; ++trial) {
        tet_state state = make_tet_state(&random, &tet_kinds[kind], 1);
        pl_fem_element e = {state.x, state.X, state.U, all_parameters[k]};
        check_frame(all_energies[k], &e, tet_rotation(&random), pl_vec3_of(0.3, -0.2, 0.5), 1e-10,
                    tet_kinds[kind].name);
      }
    }
}

static void forces_and_moments_balance_for_any_rest_shape(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(29);
  for (int k = 0; k < 3; ++k)
    for (int kind = 0; kind < TET_KINDS; ++kind) {
      if (tet_kinds[kind].spread < 0.01) continue;  // no forces, or the crease
      for (int trial = 0; trial < 20; ++trial) {
        tet_state state = make_tet_state(&random, &tet_kinds[kind], 1);
        tet_shape(&random, 2, state.X);
        pl_fem_element e = {state.x, state.X, state.U, all_parameters[k]};
        check_balance(all_energies[k], &e, 1e-12, tet_kinds[kind].name);
      }
    }
}

// --- closed forms -------------------------------------------------------------------------------------------------

// First Piola-Kirchhoff stress of an element under F, from its forces: g_a = V P B_a, so P = Σ g_a X_aᵀ / V.
static pl_mat3 stress_of(const pl_fem_energy *energy, const double *X, const double *parameters, pl_mat3 F) {
  double x[12], g[12], B[4][3], volume;
  tet_deform(X, F, pl_vec3_of(0.1, 0.2, 0.3), x);
  pl_fem_element e = {x, X, X, parameters};
  energy->gradient(&e, g);
  pl_fem_tet_rest(X, B, &volume);
  pl_mat3 P = pl_mat3_zero();
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) P.m[i][j] += g[3 * a + i] * X[3 * a + j] / volume;
  return P;
}

static void check_stress(pl_mat3 P, pl_mat3 expected, double tolerance) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) check_near(P.m[i][j], expected.m[i][j], tolerance);
}

// Patch test: one deformation, the same stress in every tet of whatever shape and size.
static void homogeneous_deformation_gives_every_tet_the_same_stress(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(31);
  for (int k = 0; k < 2; ++k)
    for (int trial = 0; trial < 20; ++trial) {
      pl_mat3 F = tet_gradient(&random, &tet_kinds[0], NULL);
      double X[12];
      tet_shape(&random, 1, X);
      pl_mat3 first = stress_of(all_energies[k], X, all_parameters[k], F);
      for (int other = 0; other < 5; ++other) {
        tet_shape(&random, pl_random_between(&random, 0.1, 10), X);
        check_stress(stress_of(all_energies[k], X, all_parameters[k], F), first, 1e-10 * pl_mat3_norm(first));
      }
    }
}

// Uniaxial stress with free sides: P11 = E e exactly with lateral stretch 1 - ν e, whatever the rotation.
static void corotated_uniaxial_stress_is_young_times_strain(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(37);
  double X[12], poissons[] = {0, 0.3, 0.45, 0.49}, strains[] = {-0.2, -0.05, 0.05, 0.2, 0.5};
  tet_shape(&random, 1, X);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j) {
      double e = strains[j], side = 1 - poissons[i] * e, parameters[2] = {1e5, poissons[i]};
      pl_mat3 turn = tet_rotation(&random), F = pl_mat3_multiply(turn, pl_mat3_diagonal(1 + e, side, side));
      pl_mat3 P = stress_of(&pl_fem_corotated_tet, X, parameters, F);
      check_stress(P, pl_mat3_multiply(turn, pl_mat3_diagonal(1e5 * e, 0, 0)), 1e-9 * 1e5);
    }
}

// Free sides of the neo-Hookean material: b² = (1 + μ/κ - μ/(κ l)) / l and P11 = μ (l - b²/l), which becomes μ (l -
// l⁻²) when κ = λ + μ grows.
static void neo_hookean_uniaxial_stress_has_its_closed_form(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(41);
  double X[12], poissons[] = {0, 0.3, 0.45, 0.4999999}, stretches[] = {0.5, 0.7, 0.9, 1.1, 1.5, 2, 3};
  tet_shape(&random, 1, X);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 7; ++j) {
      double parameters[2] = {1e5, poissons[i]}, l = stretches[j];
      pl_fem_lame lame = pl_fem_lame_of(parameters);
      double ratio = lame.mu / (lame.lambda + lame.mu), b2 = (1 + ratio - ratio / l) / l;
      if (b2 * 2 + l * l < 2) continue;  // crushed so far that the energy bends
      pl_mat3 turn = tet_rotation(&random), F = pl_mat3_multiply(turn, pl_mat3_diagonal(l, sqrt(b2), sqrt(b2)));
      pl_mat3 P = stress_of(&pl_fem_neo_hookean_tet, X, parameters, F);
      double stress = lame.mu * (l - b2 / l);
      check_stress(P, pl_mat3_multiply(turn, pl_mat3_diagonal(stress, 0, 0)), 1e-13 * (1e5 + lame.lambda) * 30);
      if (i == 3) check_near(stress, lame.mu * (l - 1 / (l * l)), 1e-5 * lame.mu);
    }
}

// At rest every energy of E and ν has the tangent of linear elasticity.
static void small_strains_are_those_of_linear_elasticity(void **unused) {
  (void)unused;
  const pl_fem_density *densities[] = {&pl_fem_corotated_density, &pl_fem_neo_hookean_density};
  double parameters[2] = {1e5, 0.35};
  pl_fem_lame lame = pl_fem_lame_of(parameters);
  pl_random random = pl_random_of_seed(43);
  for (int k = 0; k < 2; ++k)
    for (int trial = 0; trial < 10; ++trial) {
      pl_mat3 F = pl_mat3_identity(), P, A;
      double C[81];
      for (int i = 0; i < 9; ++i) A.m[i / 3][i % 3] = pl_random_normal(&random);
      densities[k]->tangent(&F, lame, &P, C);
      double trace = A.m[0][0] + A.m[1][1] + A.m[2][2];
      for (int i = 0; i < 9; ++i) {
        double sum = 0,
               expected = lame.mu * (A.m[i / 3][i % 3] + A.m[i % 3][i / 3]) + (i % 4 == 0 ? lame.lambda * trace : 0);
        for (int j = 0; j < 9; ++j) sum += C[9 * i + j] * A.m[j / 3][j % 3];
        check_near(sum, expected, 1e-10 * 1e5);
        check_near(P.m[i / 3][i % 3], 0, 1e-10 * 1e5);
      }
    }
}

// A ball crushed to any size pushes outwards: no collapse to a point.
static void crushed_neo_hookean_tets_push_outwards(void **unused) {
  (void)unused;
  double X[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (double poisson = 0; poisson < 0.5; poisson += 0.049)
    for (double s = 0.99; s > 1e-6; s *= 0.97) {
      pl_mat3 P = stress_of(&pl_fem_neo_hookean_tet, X, (double[]){1, poisson}, pl_mat3_diagonal(s, s, s));
      assert_true(P.m[0][0] < 0);
    }
}

// --- paper 002 ----------------------------------------------------------------------------------------------------

// f = V R Bᵀ E B (Rᵀ x - X) with the 6 x 12 matrix B and the 6 x 6 matrix E written out.
static void paper_force(const double *x, const double *X, double young, double poisson, double *f) {
  double b[4][3], volume, B[6][12] = {{0}}, E[6][6] = {{0}}, u[12], strain[6], stress[6];
  pl_fem_tet_rest(X, b, &volume);
  pl_mat3 R =
      pl_mat3_from_quat(pl_rotation_of_mat3(pl_fem_tet_gradient_of(x, (const double(*)[3])b), pl_quat_identity()));
  for (int a = 0; a < 4; ++a) {
    static const int shear[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    for (int i = 0; i < 3; ++i) {
      B[i][3 * a + i] = b[a][i];
      B[3 + i][3 * a + shear[i][0]] = b[a][shear[i][1]];
      B[3 + i][3 * a + shear[i][1]] = b[a][shear[i][0]];
      u[3 * a + i] = R.m[0][i] * x[3 * a] + R.m[1][i] * x[3 * a + 1] + R.m[2][i] * x[3 * a + 2] - X[3 * a + i];
    }
  }
  double scale = young / ((1 + poisson) * (1 - 2 * poisson));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) E[i][j] = scale * (i == j ? 1 - poisson : poisson);
    E[3 + i][3 + i] = scale * (1 - 2 * poisson) / 2;
  }
  for (int i = 0; i < 6; ++i) {
    strain[i] = 0;
    for (int j = 0; j < 12; ++j) strain[i] += B[i][j] * u[j];
  }
  for (int i = 0; i < 6; ++i) {
    stress[i] = 0;
    for (int j = 0; j < 6; ++j) stress[i] += E[i][j] * strain[j];
  }
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < 3; ++i) {
      f[3 * a + i] = 0;
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 6; ++j) f[3 * a + i] += volume * R.m[i][k] * B[j][3 * a + k] * stress[j];
    }
}

static void corotated_force_is_that_of_paper_002(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(47);
  for (int kind = 0; kind < TET_KINDS; ++kind)
    for (int trial = 0; trial < 10; ++trial) {
      tet_state state = make_tet_state(&random, &tet_kinds[kind], 1);
      double parameters[2] = {1e5, 0.3}, f[12], g[12];
      pl_fem_element e = {state.x, state.X, state.X, parameters};
      pl_fem_corotated_tet.gradient(&e, g);
      paper_force(state.x, state.X, 1e5, 0.3, f);
      for (int i = 0; i < 12; ++i) check_near(g[i], f[i], 1e-9 * 1e5);
    }
}

// The derivative by the rest shape in the paper's terms, with its transposes put right: V' and B' are printed, R'
// follows from F' = -F e_i B_jᵀ. With strain, stress and their changes as matrices: f_a = V R σ B_a, ε = sym(Rᵀ F) - 1.
static void mixed_derivative_is_the_appendix_of_paper_002(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(53);
  tet_state state = make_tet_state(&random, &tet_kinds[0], 1);
  double parameters[2] = {1e5, 0.3}, m[144], b[4][3], volume, f[12];
  pl_fem_element e = {state.x, state.X, state.X, parameters};
  pl_fem_corotated_tet.mixed(&e, m);
  pl_fem_tet_rest(state.X, b, &volume);
  pl_mat3 F = pl_fem_tet_gradient_of(state.x, (const double(*)[3])b);
  pl_mat3 R = pl_mat3_from_quat(pl_rotation_of_mat3(F, pl_quat_identity()));
  pl_fem_lame lame = pl_fem_lame_of(parameters);
  paper_force(state.x, state.X, 1e5, 0.3, f);
  for (int q = 0; q < 12; ++q) {
    int i = q % 3, j = q / 3;
    pl_mat3 dF, dR;
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) dF.m[k][l] = -F.m[k][i] * b[j][l];
    // R' by central differences of the rotation of F ± h F'.
    double h = 1e-5;
    pl_mat3 plus = pl_mat3_from_quat(pl_rotation_of_mat3(pl_mat3_add(F, pl_mat3_scale(dF, h)), pl_quat_identity()));
    pl_mat3 minus = pl_mat3_from_quat(pl_rotation_of_mat3(pl_mat3_add(F, pl_mat3_scale(dF, -h)), pl_quat_identity()));
    dR = pl_mat3_scale(pl_mat3_add(plus, pl_mat3_scale(minus, -1)), 0.5 / h);
    pl_mat3 S = pl_mat3_multiply(pl_mat3_transpose(R), F);
    pl_mat3 dS = pl_mat3_add(pl_mat3_multiply(pl_mat3_transpose(dR), F), pl_mat3_multiply(pl_mat3_transpose(R), dF));
    pl_mat3 stress = pl_mat3_zero(), dstress = pl_mat3_zero();
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        stress.m[k][l] = lame.mu * (S.m[k][l] + S.m[l][k]) +
                         (k == l ? lame.lambda * (S.m[0][0] + S.m[1][1] + S.m[2][2] - 3) - 2 * lame.mu : 0);
        dstress.m[k][l] =
            lame.mu * (dS.m[k][l] + dS.m[l][k]) + (k == l ? lame.lambda * (dS.m[0][0] + dS.m[1][1] + dS.m[2][2]) : 0);
      }
    pl_mat3 first = pl_mat3_multiply(R, stress), turned = pl_mat3_multiply(dR, stress),
            changed = pl_mat3_multiply(R, dstress);
    for (int a = 0; a < 4; ++a)
      for (int k = 0; k < 3; ++k) {
        double sum = b[j][i] * f[3 * a + k];
        for (int l = 0; l < 3; ++l)
          sum += volume * ((turned.m[k][l] + changed.m[k][l]) * b[a][l] - first.m[k][l] * b[a][i] * b[j][l]);
        check_near(m[12 * (3 * a + k) + q], sum, 1e-4);
      }
  }
}

// --- paper 004 ----------------------------------------------------------------------------------------------------

// The energy of a homogeneous deformation is a density times the volume at the start: the same for a tet and its halves
// in size, and a cube of half-sized cells holds what one of full size does.
static void edge_energy_of_a_homogeneous_deformation_scales_with_volume(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(59);
  for (int trial = 0; trial < 10; ++trial) {
    double X[12], x[12], small_X[12], small_x[12], parameters[2] = {1e5, 3e5};
    tet_shape(&random, 1, X);
    tet_deform(X, tet_gradient(&random, &tet_kinds[0], NULL), pl_vec3_of(0, 0, 0), x);
    for (int i = 0; i < 12; ++i) small_X[i] = 0.5 * X[i], small_x[i] = 0.5 * x[i];
    pl_fem_element whole = {x, X, X, parameters}, part = {small_x, small_X, small_X, parameters};
    double w = pl_fem_edge_tet.energy(&whole);
    check_near(8 * pl_fem_edge_tet.energy(&part), w, 1e-12 * w);
  }
}

// Uniform swelling by s: every edge has l² - L² = (s² - 1) L², so W = V̄ (k_l/2 (s² - 1)² + k_v/2 (s³ - 1)²) for any tet
// whose start is its rest.
static void edge_energy_of_swelling_has_its_closed_form(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(61);
  for (double s = 0.5; s < 2; s += 0.25) {
    double X[12], x[12], B[4][3], volume;
    tet_shape(&random, 0.3, X);
    tet_deform(X, pl_mat3_diagonal(s, s, s), pl_vec3_of(1, 2, 3), x);
    pl_fem_tet_rest(X, B, &volume);
    pl_fem_element e = {x, X, X, (double[]){1e5, 3e5}};
    double by_edge = s * s - 1, by_volume = s * s * s - 1;
    check_near(pl_fem_edge_tet.energy(&e), volume * (0.5e5 * by_edge * by_edge + 1.5e5 * by_volume * by_volume), 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energies_do_not_see_rigid_motion),
      cmocka_unit_test(forces_and_moments_balance_for_any_rest_shape),
      cmocka_unit_test(homogeneous_deformation_gives_every_tet_the_same_stress),
      cmocka_unit_test(corotated_uniaxial_stress_is_young_times_strain),
      cmocka_unit_test(neo_hookean_uniaxial_stress_has_its_closed_form),
      cmocka_unit_test(small_strains_are_those_of_linear_elasticity),
      cmocka_unit_test(crushed_neo_hookean_tets_push_outwards),
      cmocka_unit_test(corotated_force_is_that_of_paper_002),
      cmocka_unit_test(mixed_derivative_is_the_appendix_of_paper_002),
      cmocka_unit_test(edge_energy_of_a_homogeneous_deformation_scales_with_volume),
      cmocka_unit_test(edge_energy_of_swelling_has_its_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
