// Damping of bodies that adapt: its derivatives against finite differences, and what it must not see.
// ctest: derivative
#include "base/random.h"
#include "fem/fem_viscous.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

enum { KINDS = 6 };

static const pl_fem_material MATERIALS[KINDS] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES,
                                                 PL_FEM_SHELL,     PL_FEM_PLANE,       PL_FEM_CURVE};

typedef struct subject {
  pl_context *context;
  pl_model *model;
  const pl_fem_model *fem;
  pl_arena arena;
  pl_fem_system system;
  pl_block_matrix matrix, other;
  int32_t n;
  double *from, *u, *gradient, *image, *direction, *moved, *sum;
} subject;

static subject make_subject(pl_fem_material material) {
  subject s = {.context = make_context(1)};
  pl_mesh *mesh = NULL;
  if (material == PL_FEM_CURVE)
    mesh = make_fem_chain(s.context, 0.4, 5);
  else
    mesh = material >= PL_FEM_SHELL ? make_fem_sheet(s.context, 0.3, 3, 2)
                                    : make_fem_box(s.context, (pl_vec3){0.3, 0.2, 0.2}, 2, 1, 1);
  pl_fem_def def = pl_default_fem_def(material);
  def.adapts = true;
  s.model = make_fem_model(s.context, &def, mesh);
  pl_mesh_destroy(mesh);
  s.fem = (const pl_fem_model *)s.model;
  pl_arena_init(&s.arena, s.context, 0);
  assert_true(pl_fem_system_take(&s.arena, s.context, s.fem, &s.system));
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &s.matrix));
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &s.other));
  s.n = 3 * s.model->particle_count;
  double **all[] = {&s.from, &s.u, &s.gradient, &s.image, &s.direction, &s.moved, &s.sum};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) assert_non_null(*all[i] = PL_TAKE(&s.arena, double, s.n));
  pl_random random = pl_random_of_seed(9);
  for (int32_t i = 0; i < s.n; ++i) {
    bool held = s.fem->planar && i % 3 == 2;
    s.from[i] = s.fem->rest_points[i] + (held ? 0 : pl_random_between(&random, -0.03, 0.03));
    s.u[i] = s.fem->rest_points[i] + (held ? 0 : pl_random_between(&random, -0.03, 0.03));
    s.direction[i] = held ? 0 : pl_random_between(&random, -1, 1);
  }
  return s;
}

static void drop_subject(subject *s) {
  pl_arena_destroy(&s->arena);
  pl_model_destroy(s->model);
  drop_context(s->context);
}

static double size_of(int32_t n, const double *v) {
  double square = 0;
  for (int32_t i = 0; i < n; ++i) square += v[i] * v[i];
  return sqrt(square);
}

static double distance(int32_t n, const double *a, const double *b) {
  double square = 0;
  for (int32_t i = 0; i < n; ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(square);
}

static void gradient_and_matrix_are_derivatives_of_the_energy(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; ++k) {
    subject s = make_subject(MATERIALS[k]);
    const double h = 1e-6, factor = 3;
    double energies[2], slope = 0;
    pl_block_matrix_clear(s.context, &s.matrix);
    pl_fem_viscous_evaluate(&s.system, s.from, factor, s.u, s.gradient, &s.matrix, false);
    pl_block_matrix_multiply(s.context, &s.matrix, s.direction, s.image);
    for (int32_t i = 0; i < s.n; ++i) slope += s.gradient[i] * s.direction[i];
    memset(s.sum, 0, (size_t)s.n * sizeof(double));
    for (int side = 0; side < 2; ++side) {
      double way = side == 0 ? h : -h;
      for (int32_t i = 0; i < s.n; ++i) s.moved[i] = s.u[i] + way * s.direction[i];
      energies[side] = pl_fem_viscous_evaluate(&s.system, s.from, factor, s.moved, s.gradient, NULL, false);
      for (int32_t i = 0; i < s.n; ++i) s.sum[i] += s.gradient[i] / (2 * way);
    }
    double found = (energies[0] - energies[1]) / (2 * h);
    print_message("%s: slope off by %.1e, matrix by %.1e of itself\n", s.fem->groups[0].energy->name,
                  fabs(found - slope) / fabs(slope), distance(s.n, s.sum, s.image) / size_of(s.n, s.image));
    check_near(found, slope, 1e-6 * fabs(slope));
    check_at_most(distance(s.n, s.sum, s.image), 1e-6 * size_of(s.n, s.image));
    drop_subject(&s);
  }
}

static void the_projected_matrix_is_never_negative(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; ++k) {
    subject s = make_subject(MATERIALS[k]);
    pl_random random = pl_random_of_seed(2);
    pl_block_matrix_clear(s.context, &s.matrix);
    pl_fem_viscous_evaluate(&s.system, s.from, 1, s.u, s.gradient, &s.matrix, true);
    for (int round = 0; round < 50; ++round) {
      for (int32_t i = 0; i < s.n; ++i) s.direction[i] = pl_random_between(&random, -1, 1);
      pl_block_matrix_multiply(s.context, &s.matrix, s.direction, s.image);
      double square = 0;
      for (int32_t i = 0; i < s.n; ++i) square += s.direction[i] * s.image[i];
      check_at_most(0, square);
    }
    drop_subject(&s);
  }
}

// Around the shape as built, it is the elastic matrix: the damping of Rayleigh. Areas of shells with a negative
// stiffness included.
static void at_rest_it_is_the_stiffness(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; ++k) {
    subject s = make_subject(MATERIALS[k]);
    const double *rest = s.fem->rest_points;
    pl_block_matrix_clear(s.context, &s.other);
    check_near(pl_fem_viscous_evaluate(&s.system, rest, 1, rest, s.gradient, &s.other, false), 0, 0);
    pl_fem_system_evaluate(&s.system, rest, s.gradient, &s.matrix, false);
    pl_block_matrix_multiply(s.context, &s.matrix, s.direction, s.image);
    pl_block_matrix_multiply(s.context, &s.other, s.direction, s.sum);
    print_message("%s: off by %.1e of the stiffness\n", s.fem->groups[0].energy->name,
                  distance(s.n, s.sum, s.image) / size_of(s.n, s.image));
    check_at_most(distance(s.n, s.sum, s.image), 1e-12 * size_of(s.n, s.image));
    drop_subject(&s);
  }
}

static void rigid_motions_are_not_damped_and_forces_have_no_torque(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; ++k) {
    subject s = make_subject(MATERIALS[k]);
    pl_quat turn = pl_quat_from_rotation_vector(s.fem->planar ? pl_vec3_of(0, 0, 1.1) : pl_vec3_of(0.4, -0.7, 1.1));
    for (int32_t i = 0; i < s.n / 3; ++i)
      pl_fem_put(s.moved, i, pl_vec3_add(pl_quat_rotate(turn, pl_fem_vector(s.from, i)), pl_vec3_of(0.3, 0.5, 0)));
    double whole = pl_fem_viscous_evaluate(&s.system, s.from, 1, s.u, s.gradient, NULL, false),
           size = size_of(s.n, s.gradient);
    pl_vec3 sum = {0, 0, 0}, torque = {0, 0, 0};
    for (int32_t i = 0; i < s.n / 3; ++i) {
      sum = pl_vec3_add(sum, pl_fem_vector(s.gradient, i));
      torque = pl_vec3_add(torque, pl_vec3_cross(pl_fem_vector(s.u, i), pl_fem_vector(s.gradient, i)));
    }
    check_at_most(pl_vec3_length(sum), 1e-13 * size);
    check_at_most(pl_vec3_length(torque), 1e-13 * size);
    check_at_most(fabs(pl_fem_viscous_evaluate(&s.system, s.from, 1, s.moved, s.gradient, NULL, false)), 1e-20 * whole);
    check_at_most(size_of(s.n, s.gradient), 1e-12 * size);
    drop_subject(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradient_and_matrix_are_derivatives_of_the_energy),
      cmocka_unit_test(the_projected_matrix_is_never_negative),
      cmocka_unit_test(at_rest_it_is_the_stiffness),
      cmocka_unit_test(rigid_motions_are_not_damped_and_forces_have_no_torque),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
