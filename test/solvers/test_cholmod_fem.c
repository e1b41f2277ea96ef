// The systems that Newton's method meets in deformed bodies, solved by conjugate gradients, by CHOLMOD and densely: all
// give the same step.
// ctest: physics
#include "base/random.h"
#include "fem/fem_system.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"
#include "solvers/cholmod_solver.h"

typedef struct sample {
  const char *name;
  pl_fem_material material;
  double young, poisson;
  double step;  // s; 0: equilibrium, held at one end
} sample;

// Bent, twisted, stretched and a little shaken.
static void deform(const pl_mesh *mesh, double *x) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_random random = pl_random_of_seed(5);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    double angle = 1.5 * p.x, shake[3];
    for (int k = 0; k < 3; ++k) shake[k] = 0.004 * pl_random_between(&random, -1, 1);
    x[3 * i] = 1.2 * p.x + shake[0];
    x[3 * i + 1] = cos(angle) * p.y - sin(angle) * p.z + 0.8 * p.x * p.x + shake[1];
    x[3 * i + 2] = sin(angle) * p.y + cos(angle) * p.z + shake[2];
  }
}

static void solve_with(pl_context *context, const pl_fem_model *fem, const sample *it, pl_linear_choice choice,
                       pl_block_preconditioner preconditioner, const pl_block_matrix *matrix, const double *rhs,
                       double *x) {
  pl_error error = {0};
  pl_linear_def def = fem->linear;
  def.choice = choice;
  def.direct = pl_cholmod_backend();
  def.positions = fem->rest_points;
  def.hint.step = it->step;
  def.choose_preconditioner = false;
  def.preconditioner = preconditioner;
  def.limits = (pl_block_limits){.tolerance = 1e-13, .max_iterations = 5000};
  pl_linear_solver *solver = NULL;
  check_ok(pl_linear_solver_create(context, &fem->pattern, &def, &solver, &error), &error);
  check_ok(pl_linear_solver_factor(solver, matrix, &error), &error);
  memset(x, 0, 3 * (size_t)fem->head.particle_count * sizeof(double));
  // Near round-off conjugate gradients may stop short of 1e-13; what counts is the comparison.
  assert_true(pl_linear_solver_solve(solver, rhs, 1, x, &error) >= 0);
  assert_true(pl_linear_solver_report(solver)->shift == 0);
  pl_linear_solver_destroy(solver);
}

static double relative_distance(const double *a, const double *b, ptrdiff_t n) {
  double off = 0, size = 0;
  for (ptrdiff_t i = 0; i < n; ++i) {
    off += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return sqrt(off / size);
}

static void compare(pl_context *context, const sample *it, const pl_mesh *mesh) {
  pl_fem_def def = pl_default_fem_def(it->material);
  def.young = it->young;
  def.poisson = it->poisson;
  pl_model *model = make_fem_model(context, &def, mesh);
  const pl_fem_model *fem = (const pl_fem_model *)model;
  size_t n = 3 * (size_t)model->particle_count;
  double *x = calloc(n, sizeof *x), *gradient = calloc(n, sizeof *gradient), *dense = calloc(n, sizeof *dense),
         *other = calloc(n, sizeof *other);
  uint8_t *fixed = calloc(n / 3, 1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_fem_system system;
  pl_block_matrix matrix;
  assert_true(pl_fem_system_take(&arena, context, fem, &system) &&
              pl_block_matrix_take(&arena, &fem->pattern, &matrix));
  deform(mesh, x);
  pl_fem_system_evaluate(&system, x, gradient, &matrix, true);
  if (it->step > 0) {
    pl_block_matrix_add_diagonal(context, &matrix, 1 / (it->step * it->step), model->masses);
  } else {
    for (size_t i = 0; i < n / 3; ++i)
      if (fem->rest_points[3 * i] < model->box.min.x + 1e-9) fixed[i] = PL_BLOCK_FIX_ALL;
    for (size_t i = 0; i < n; ++i)
      if (fixed[i / 3] != 0) gradient[i] = 0;
    pl_block_matrix_fix(context, &matrix, fixed);
  }
  solve_with(context, fem, it, PL_LINEAR_DENSE, PL_PRECONDITION_JACOBI, &matrix, gradient, dense);
  print_message("%s, %d unknowns: against dense", it->name, (int)n);
  static const char *const names[3] = {"diagonal blocks", "rigid pieces", "incomplete factor"};
  for (int k = 0; k < 3; ++k) {
    solve_with(context, fem, it, PL_LINEAR_CG, (pl_block_preconditioner)k, &matrix, gradient, other);
    double off = relative_distance(other, dense, (ptrdiff_t)n);
    print_message(", cg with %s %.1e", names[k], off);
    check_at_most(off, 1e-8);
  }
  if (pl_cholmod_backend() != NULL) {
    solve_with(context, fem, it, PL_LINEAR_DIRECT, PL_PRECONDITION_JACOBI, &matrix, gradient, other);
    double off = relative_distance(other, dense, (ptrdiff_t)n);
    print_message(", CHOLMOD %.1e", off);
    check_at_most(off, 1e-8);
  }
  print_message("\n");
  pl_arena_destroy(&arena);
  free(x);
  free(gradient);
  free(dense);
  free(other);
  free(fixed);
  pl_model_destroy(model);
}

static void three_solvers_give_the_same_newton_step(void **state) {
  (void)state;
  static const sample samples[] = {
      {"corotated in motion", PL_FEM_COROTATED, 1e5, 0.3, 1.0 / 60},
      {"corotated at rest", PL_FEM_COROTATED, 1e7, 0.3, 0},
      {"neo-Hookean in motion", PL_FEM_NEO_HOOKEAN, 1e6, 0.4, 1.0 / 120},
      {"neo-Hookean at rest, nearly incompressible", PL_FEM_NEO_HOOKEAN, 1e5, 0.49, 0},
      {"edges at rest", PL_FEM_EDGES, 1e5, 0.3, 0},
      {"shell in motion", PL_FEM_SHELL, 1e6, 0.3, 1.0 / 60},
  };
  pl_context *context = make_context(1);
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.5, 0.2, 0.2}, 8, 3, 3), *sheet = make_fem_sheet(context, 0.5, 10, 6);
  for (size_t k = 0; k < sizeof samples / sizeof *samples; ++k)
    compare(context, &samples[k], samples[k].material == PL_FEM_SHELL ? sheet : box);
  pl_mesh_destroy(box);
  pl_mesh_destroy(sheet);
  drop_context(context);
}

// Whole steps and equilibria do not depend on the solver either.
static void bodies_come_to_the_same_place_with_any_solver(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.5, 0.1, 0.1}, 10, 2, 2);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  int32_t count, *pinned = list_left_points(mesh, -0.25 + 1e-9, &count);
  pl_vec3 x[2][99];
  assert_int_equal(view.point_count, 99);
  for (int k = 0; k < 2; ++k) {
    pl_fem_def def = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
    def.poisson = 0.45;
    def.solver = k == 0 ? PL_FEM_SOLVER_CG : PL_FEM_SOLVER_DIRECT;
    def.direct = pl_cholmod_backend();
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
    rest.acceleration = (pl_vec3){0, -9.81, 0};
    rest.pinned = pinned;
    rest.pinned_count = count;
    rest.tolerance = 1e-10;
    memcpy(x[k], view.points, sizeof x[k]);
    pl_fem_report report;
    check_ok(pl_fem_equilibrium(context, model, &rest, x[k], &report, &error), &error);
    print_message("hanging down by %.4f m after %d Newton iterations, %s\n", -x[k][10].y - 0.05, report.newton_count,
                  report.solver);
    pl_model_destroy(model);
  }
  double worst = 0;
  for (int i = 0; i < 99; ++i) worst = fmax(worst, pl_vec3_distance(x[0][i], x[1][i]));
  print_message("equilibria: %.1e m apart\n", worst);
  check_at_most(worst, 1e-8);
  free(pinned);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_solvers_give_the_same_newton_step),
      cmocka_unit_test(bodies_come_to_the_same_place_with_any_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
