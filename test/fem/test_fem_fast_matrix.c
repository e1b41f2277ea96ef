// The potential of a step of the fast corotated solid as coupled solves see it: products are those of the kernels that
// work by tets, the matrix is symmetric, and gradient and products are derivatives of the energy, with colliders too.
// ctest: unit
#include "base/random.h"
#include "base/scratch.h"
#include "check.h"
#include "contact/collider.h"
#include "fem/fem_coupled.h"
#include "fem/fem_fast_matrix.h"
#include "pliant/math.h"

enum { MAX_PARTICLES = 100 };
static const double STEP = 1.0 / 240;

typedef struct fixture {
  pl_context *context;
  pl_model *model;
  pl_collider *ground;
  pl_scratch scratch;
  pl_body_move move;
  void *state;
  int32_t count;  // of numbers: three per particle
  pl_random random;
} fixture;

// A box in a shape that is anything but at rest, its lower side in the ground.
static void make_fixture(fixture *f, bool has_ground) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  f->context = make_context(1);
  check_ok(pl_mesh_create_box(f->context, (pl_vec3){0.3, 0.2, 0.2}, (const int32_t[3]){3, 2, 2}, &mesh, &error),
           &error);
  pl_fem_def def = pl_default_fem_def(PL_FEM_FAST);
  def.young = 2e5;
  def.poisson = 0.4;
  def.mass_damping = 3;
  def.fast_step = STEP;
  check_ok(pl_fem_fast_build(f->context, &def, mesh, &f->model, &error), &error);
  pl_mesh_destroy(mesh);
  pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  check_ok(pl_collider_create(f->context, &plane, &f->ground, &error), &error);
  pl_scratch_init(&f->scratch, f->context);
  f->random = pl_random_of_seed(4);
  f->count = 3 * f->model->particle_count;
  assert_true(f->count <= 3 * MAX_PARTICLES);
  f->state = pl_scratch_take(&f->scratch, pl_fem_fast_state_size(f->model), 1);
  pl_body_start start = {.placement = {.position = {0.1, 0.095, 0}, .rotation = {0, 0, 0, 1}}};
  pl_fem_fast_start(f->model, f->state, &start);
  pl_fem_fast_state s = pl_fem_fast_state_of(f->model, f->state);
  for (int32_t i = 0; i < f->model->particle_count; ++i) {
    pl_f4 noise = pl_f4_of(pl_random_normal(&f->random), pl_random_normal(&f->random), pl_random_normal(&f->random));
    s.positions[i] += noise * 0.004f;
    s.velocities[i] = __builtin_shufflevector(noise, noise, 1, 2, 0, 3) * 0.5f;
  }
  static const pl_collider *colliders[1];
  colliders[0] = f->ground;
  f->move = (pl_body_move){.context = f->context,
                           .scratch = &f->scratch,
                           .step = STEP,
                           .acceleration = {0, -9.81, 0},
                           .colliders = colliders,
                           .collider_count = has_ground};
  check_ok(pl_fem_fast_create_work(f->model, f->context, STEP, &f->move.work, &error), &error);
}

static void drop_fixture(fixture *f) {
  pl_fem_fast_destroy_work(f->move.work);
  pl_scratch_destroy(&f->scratch);
  pl_collider_destroy(f->context, f->ground);
  pl_model_destroy(f->model);
  drop_context(f->context);
}

static void fill_random(fixture *f, double size, double *d) {
  for (int32_t i = 0; i < f->count; ++i) d[i] = size * pl_random_normal(&f->random);
}

static double dot(const fixture *f, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < f->count; ++i) sum += a[i] * b[i];
  return sum;
}

static void products_are_those_by_tets(void **state) {
  (void)state;
  fixture f;
  make_fixture(&f, false);
  pl_fem_fast_step *step = pl_fem_fast_begin_step(f.model, f.state, &f.move);
  assert_non_null(step);
  pl_fem_fast_solver *solver = &step->solver;
  const pl_fem_fast_matrix *matrix = f.move.work;
  pl_fem_fast_find_turning(solver);
  pl_fem_fast_matrix_fill(solver, f.move.work);
  double d[3 * MAX_PARTICLES], e[3 * MAX_PARTICLES], product[3 * MAX_PARTICLES], other[3 * MAX_PARTICLES];
  fill_random(&f, 1, d);
  fill_random(&f, 1, e);
  for (int32_t i = 0; i < f.model->particle_count; ++i) {
    const double *from = d + 3 * solver->work.model->point_of[i];
    solver->work.direction[i] = pl_f4_of(from[0], from[1], from[2]);
  }
  pl_fem_fast_multiply_turning(solver);
  pl_fem_fast_matrix_multiply(solver, matrix, d, product);
  pl_fem_fast_matrix_multiply(solver, matrix, e, other);
  double error = 0, size = 0;
  for (int32_t i = 0; i < f.model->particle_count; ++i)
    for (int a = 0; a < 3; ++a) {
      double it = product[3 * solver->work.model->point_of[i] + a];
      double expected = (double)solver->work.product[i][a] / (STEP * STEP);
      error = fmax(error, fabs(it - expected));
      size = fmax(size, fabs(expected));
    }
  print_message("largest difference %.1e of the largest entry; asymmetry %.1e\n", error / size,
                fabs(dot(&f, product, e) / dot(&f, other, d) - 1));
  check_at_most(error, 2e-6 * size);
  check_near(dot(&f, product, e), dot(&f, other, d), 1e-10 * fabs(dot(&f, product, d)));
  drop_fixture(&f);
}

// By central differences.
static void check_derivatives(bool has_ground) {
  fixture f;
  make_fixture(&f, has_ground);
  double ends[3 * MAX_PARTICLES], gradient[3 * MAX_PARTICLES], base[3 * MAX_PARTICLES], d[3 * MAX_PARTICLES],
      product[3 * MAX_PARTICLES], slope[3 * MAX_PARTICLES], before[3 * MAX_PARTICLES];
  uint8_t fixed[MAX_PARTICLES];
  pl_body_coupled_step step = {.ends = ends, .fixed = fixed, .gradient = gradient};
  check_ok(pl_fem_fast_coupled.begin(f.model, f.state, &f.move, &step, NULL), NULL);
  assert_non_null(step.data);
  fill_random(&f, 1e-3, d);
  for (int32_t i = 0; i < f.count; ++i) base[i] = ends[i] + d[i];
  fill_random(&f, 1e-7, d);
  for (int32_t i = 0; i < f.count; ++i) ends[i] = base[i];
  pl_fem_fast_coupled.evaluate(&step, PL_COUPLED_LINEARISE);
  pl_fem_fast_coupled.multiply(&step, d, product);
  for (int32_t i = 0; i < f.count; ++i) slope[i] = gradient[i];
  for (int32_t i = 0; i < f.count; ++i) ends[i] = base[i] - d[i];
  double low = pl_fem_fast_coupled.evaluate(&step, PL_COUPLED_SEARCH);
  for (int32_t i = 0; i < f.count; ++i) before[i] = gradient[i];
  for (int32_t i = 0; i < f.count; ++i) ends[i] = base[i] + d[i];
  double high = pl_fem_fast_coupled.evaluate(&step, PL_COUPLED_SEARCH), error = 0, size = 0;
  for (int32_t i = 0; i < f.count; ++i) {
    error = fmax(error, fabs(0.5 * (gradient[i] - before[i]) - product[i]));
    size = fmax(size, fabs(product[i]));
  }
  print_message("%s: slope off by %.1e, products by %.1e\n", has_ground ? "on the ground" : "in flight",
                fabs((high - low) / (2 * dot(&f, slope, d)) - 1), error / size);
  check_near(high - low, 2 * dot(&f, slope, d), 1e-5 * fabs(dot(&f, slope, d)));
  check_at_most(error, 1e-4 * size);
  drop_fixture(&f);
}

static void derivatives_in_flight(void **state) {
  (void)state;
  check_derivatives(false);
}

static void derivatives_on_the_ground(void **state) {
  (void)state;
  check_derivatives(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_by_tets),
                                     cmocka_unit_test(derivatives_in_flight),
                                     cmocka_unit_test(derivatives_on_the_ground)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
