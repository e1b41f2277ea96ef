// The Jacobian of elastic forces by the reference shape (paper 002, appendix, with the product rule put right) of whole
// bodies, and the kernel that applies it to many columns, against finite differences: also where elements of the static
// shape are nearly flat or inverted against the reference.
// ctest: derivative
#include "base/random.h"
#include "capture/fit_changes.h"
#include "capture/fit_reference.h"
#include "fixtures/fem_bodies.h"

typedef struct fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_fit_body body;
  uint8_t fixed[64];
  double load[192];
  pl_fit_worker *worker;
  pl_reference reference;
} fixture;

static void open_fixture(fixture *s, pl_fem_material material) {
  pl_error error = {0};
  memset(s, 0, sizeof *s);
  s->context = make_context(1);
  s->mesh = make_fem_box(s->context, (pl_vec3){2, 1, 1}, 3, 2, 2);
  pl_fem_def def = pl_default_fem_def(material);
  s->model = make_fem_model(s->context, &def, s->mesh);
  s->body = (pl_fit_body){.model = (const pl_fem_model *)s->model, .fixed = s->fixed, .load = s->load};
  assert_true(s->model->particle_count <= 64);
  check_ok(pl_fit_worker_create(s->context, &s->body, 0, &s->worker, &error), &error);
  check_ok(pl_reference_take(s->worker, &s->reference, &error), &error);
}

static void close_fixture(fixture *s) {
  pl_fit_worker_destroy(s->worker);
  pl_model_destroy(s->model);
  pl_mesh_destroy(s->mesh);
  drop_context(s->context);
}

// A reference shape near the static one; `bad` > 0: the middle points are moved so far that elements are flat or
// inverted against the static shape.
static void shape(const fixture *s, double noise, double bad, double *X) {
  pl_random random = pl_random_of_seed(7);
  const double *points = s->body.model->rest_points;
  for (int32_t i = 0; i < s->model->particle_count; ++i)
    for (int k = 0; k < 3; ++k) {
      X[3 * i + k] = points[3 * i + k] + noise * pl_random_normal(&random);
      bool inner = fabs(points[3 * i + 1]) < 0.1 && fabs(points[3 * i + 2]) < 0.1;
      if (inner && k == 1) X[3 * i + k] += bad;
    }
}

// The step of the differences is as much shorter as the flattest element is thinner.
static double worst_error(fixture *s, const double *X) {
  pl_error error = {0};
  int32_t n = 3 * s->model->particle_count;
  double plus[192], minus[192], moved[192], direction[192], image[192], worst = 0;
  pl_random random = pl_random_of_seed(3);
  pl_reference_evaluate(&s->reference, X, 1);
  check_ok(pl_reference_linearise(&s->reference, false, &error), &error);
  for (int round = 0; round < 5; ++round) {
    double h = 1e-5 * fmin(1, fabs(pl_reference_min_volume(&s->reference, X))), size = 0, off = 0;
    for (int32_t i = 0; i < n; ++i) direction[i] = pl_random_normal(&random);
    pl_block_matrix_multiply(s->worker->context, &s->reference.jacobian, direction, image);
    for (int32_t i = 0; i < n; ++i) moved[i] = X[i] + h * direction[i];
    pl_reference_evaluate(&s->reference, moved, 1);
    memcpy(plus, s->reference.gradient, sizeof plus);
    for (int32_t i = 0; i < n; ++i) moved[i] = X[i] - h * direction[i];
    pl_reference_evaluate(&s->reference, moved, 1);
    memcpy(minus, s->reference.gradient, sizeof minus);
    for (int32_t i = 0; i < n; ++i) {
      double slope = (plus[i] - minus[i]) / (2 * h);
      off += (slope - image[i]) * (slope - image[i]);
      size += slope * slope;
    }
    worst = fmax(worst, sqrt(off / size));
  }
  return worst;
}

static void forces_change_with_the_reference_shape_as_the_jacobian_says(void **state) {
  (void)state;
  const struct {
    const char *name;
    double noise, bad;
  } cases[] = {
      {"at the static shape", 0, 0}, {"strained", 0.05, 0}, {"nearly flat", 0, 0.4995}, {"inverted", 0.01, 0.62}};
  for (int material = PL_FEM_COROTATED; material <= PL_FEM_NEO_HOOKEAN; ++material)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
      fixture s;
      double X[192];
      open_fixture(&s, (pl_fem_material)material);
      shape(&s, cases[i].noise, cases[i].bad, X);
      double error = worst_error(&s, X), min = pl_reference_min_volume(&s.reference, X);
      print_message("material %d, %s: least volume %.3g, off by %.2g\n", material, cases[i].name, min, error);
      check_at_most(error, 1e-6);
      close_fixture(&s);
    }
}

static void the_kernel_of_many_columns_is_the_same_jacobian(void **state) {
  (void)state;
  fixture s;
  double X[192], image[192];
  pl_error error = {0};
  open_fixture(&s, PL_FEM_COROTATED);
  shape(&s, 0.05, 0, X);
  int32_t n = 3 * s.model->particle_count, columns = 6, padded = pl_fit_padded(columns),
          tets = s.body.model->groups[0].element_count;
  double *change = calloc((size_t)(n * padded), sizeof(double)), *right = calloc((size_t)(n * padded), sizeof(double));
  double *fractions = calloc((size_t)(tets * padded), sizeof(double));
  pl_random random = pl_random_of_seed(5);
  for (int32_t i = 0; i < n; ++i)
    for (int32_t k = 0; k < columns; ++k) change[i * padded + k] = pl_random_normal(&random);
  for (int32_t t = 0; t < tets; ++t) fractions[t * padded + 1] = 1;
  pl_reference_evaluate(&s.reference, X, 1);
  check_ok(pl_reference_linearise(&s.reference, false, &error), &error);
  pl_fit_changes changes = {.padded = padded,
                            .corners = s.body.model->groups[0].corners,
                            .constants = s.worker->system.constants,
                            .positions = s.body.model->rest_points,
                            .rest_change = change,
                            .fractions = fractions,
                            .rhs = right,
                            .poisson_column = -1};
  pl_fit_changes_add(&s.worker->system, &changes);
  for (int32_t k = 0; k < columns; ++k) {
    double column[192], size = 0;
    for (int32_t i = 0; i < n; ++i) column[i] = change[i * padded + k];
    pl_block_matrix_multiply(s.worker->context, &s.reference.jacobian, column, image);
    for (int32_t i = 0; i < n; ++i) {
      if (k == 1) image[i] += s.reference.gradient[i];  // its shares are 1: the forces themselves
      size = fmax(size, fabs(image[i]));
    }
    for (int32_t i = 0; i < n; ++i) check_near(right[i * padded + k], -image[i], 1e-12 * size);
  }
  free(change);
  free(right);
  free(fractions);
  close_fixture(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_change_with_the_reference_shape_as_the_jacobian_says),
      cmocka_unit_test(the_kernel_of_many_columns_is_the_same_jacobian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
