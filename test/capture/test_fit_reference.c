// Reference shapes: the static shape comes back from them, both solvers find the same one, and without them a body sags
// once more.
// ctest: unit
#include "body/body_method.h"
#include "fixtures/fem_bodies.h"
#include "pliant/fit.h"
#include "pliant/math.h"
#include "pliant/solver.h"

typedef struct fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  int32_t *pinned, pinned_count, point_count;
  pl_fem_def fem;
  pl_reference_def def;
} fixture;

// A bar that is straight in gravity; its own weight would bend it by a few tenths of its length.
static void open_fixture(fixture *s, double young) {
  memset(s, 0, sizeof *s);
  s->context = make_context(1);
  s->mesh = make_fem_box(s->context, (pl_vec3){1, 0.2, 0.2}, 8, 2, 2);
  s->fem = pl_default_fem_def(PL_FEM_COROTATED);
  s->fem.density = 300;
  s->fem.young = young;
  s->model = make_fem_model(s->context, &s->fem, s->mesh);
  s->pinned = list_left_points(s->mesh, -0.499, &s->pinned_count);
  s->point_count = pl_mesh_get_view(s->mesh).point_count;
  s->def = pl_default_reference_def();
  s->def.pinned = s->pinned;
  s->def.pinned_count = s->pinned_count;
  s->def.direct = pl_cholmod_backend();
}

static void close_fixture(fixture *s) {
  free(s->pinned);
  pl_model_destroy(s->model);
  pl_mesh_destroy(s->mesh);
  drop_context(s->context);
}

// Where a body with this rest shape comes to rest under the weights of the static one; the largest distance from the
// static shape.
static double rest_distance(fixture *s, const pl_vec3 *reference) {
  pl_error error = {0};
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  const pl_vec3 *points = view.points;
  pl_mesh *mesh = NULL;
  view.points = reference;
  check_ok(pl_mesh_create(s->context, &view, &mesh, &error), &error);
  pl_model *model = make_fem_model(s->context, &s->fem, mesh);
  pl_vec3 *forces = calloc((size_t)s->point_count, sizeof(pl_vec3)),
          *x = calloc((size_t)s->point_count, sizeof(pl_vec3));
  for (int32_t i = 0; i < s->point_count; ++i) forces[i] = pl_vec3_scale(s->def.gravity, s->model->masses[i]);
  memcpy(x, reference, (size_t)s->point_count * sizeof(pl_vec3));
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.forces = forces;
  def.pinned = s->pinned;
  def.pinned_count = s->pinned_count;
  def.load_steps = 4;
  def.tolerance = 1e-9;
  check_ok(pl_fem_equilibrium(s->context, model, &def, x, NULL, &error), &error);
  double worst = 0;
  for (int32_t i = 0; i < s->point_count; ++i) worst = fmax(worst, pl_vec3_length(pl_vec3_sub(x[i], points[i])));
  free(forces);
  free(x);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return worst;
}

static void the_static_shape_comes_back_from_the_reference_shape(void **state) {
  (void)state;
  pl_error error = {0};
  for (int solver = PL_REFERENCE_NEWTON; solver <= PL_REFERENCE_VIRTUAL_FORCE; ++solver) {
    fixture s;
    open_fixture(&s, 3e5);
    pl_vec3 *reference = malloc((size_t)s.point_count * sizeof(pl_vec3));
    memcpy(reference, pl_mesh_get_view(s.mesh).points, (size_t)s.point_count * sizeof(pl_vec3));
    pl_reference_report report;
    s.def.solver = (pl_reference_solver)solver;
    check_ok(pl_reference_find(s.context, s.model, &s.def, reference, &report, &error), &error);
    double back = rest_distance(&s, reference), sag = rest_distance(&s, pl_mesh_get_view(s.mesh).points);
    print_message("solver %d: %d iterations, %d products, residual %.1e; back to %.1e m, sagging without %.3f m\n",
                  solver, report.iteration_count, report.linear_count, report.relative_residual, back, sag);
    check_at_most(back, 1e-6);
    assert_true(sag > 0.05);
    assert_true(report.converged && report.min_volume > 0.5);
    free(reference);
    close_fixture(&s);
  }
}

static void a_body_too_soft_for_its_weight_has_none_and_says_so(void **state) {
  (void)state;
  pl_error error = {0};
  fixture s;
  open_fixture(&s, 300);
  pl_vec3 *reference = malloc((size_t)s.point_count * sizeof(pl_vec3));
  memcpy(reference, pl_mesh_get_view(s.mesh).points, (size_t)s.point_count * sizeof(pl_vec3));
  pl_reference_report report;
  s.def.limit = 40;
  assert_int_equal(pl_reference_find(s.context, s.model, &s.def, reference, &report, &error), PL_REMARK_NOT_CONVERGED);
  assert_false(report.converged);
  // Elements are kept all the same.
  assert_true(report.min_volume > 0);
  free(reference);
  close_fixture(&s);
}

static void wrong_input_is_refused(void **state) {
  (void)state;
  pl_error error = {0};
  fixture s;
  open_fixture(&s, 3e5);
  pl_vec3 *reference = calloc((size_t)s.point_count, sizeof(pl_vec3));
  s.def.pinned_count = 1;
  s.pinned[0] = s.point_count;
  assert_int_equal(pl_reference_find(s.context, s.model, &s.def, reference, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  s.pinned[0] = 0;
  s.def.tolerance = 0;
  assert_int_equal(pl_reference_find(s.context, s.model, &s.def, reference, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  s.def.magic = 0;
  assert_int_equal(pl_reference_find(s.context, s.model, &s.def, reference, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  free(reference);
  close_fixture(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_static_shape_comes_back_from_the_reference_shape),
      cmocka_unit_test(a_body_too_soft_for_its_weight_has_none_and_says_so),
      cmocka_unit_test(wrong_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
