// Momentum of bodies that fly freely while their rest shape is another than the shape they start in: examples found by
// projection, moduli that differ from element to element, rest shapes whose elements do not fit together.
// ctest: physics
#include "fixtures/fem_bodies.h"

typedef struct flight {
  const char *name;
  pl_fem_material material;
  pl_fem_scheme scheme;
  bool project;    // weights by projection; otherwise the example is the rest shape
  bool stretched;  // starts far from any rest shape
} flight;

// A pose that is stretched, bent and sheared, so that projection has something to find.
static pl_vec3 pose_of(pl_vec3 p) {
  return (pl_vec3){1.3 * p.x + 0.3 * p.y, 0.8 * p.y + 1.5 * p.x * p.x, p.z + 0.8 * p.x * p.y};
}

static void fly(pl_context *context, const pl_mesh *mesh, const flight *it) {
  pl_error error = {0};
  pl_mesh_view view = pl_mesh_get_view(mesh);
  size_t n = (size_t)view.point_count, elements = (size_t)(view.tet_count > 0 ? view.tet_count : view.triangle_count);
  pl_vec3 *posed = calloc(n, sizeof *posed), *x = calloc(n, sizeof *x);
  double *scales = calloc(elements, sizeof *scales);
  for (size_t i = 0; i < n; ++i) posed[i] = pose_of(view.points[i]);
  for (size_t i = 0; i < elements; ++i) scales[i] = i % 3 == 0 ? 10 : 1;
  pl_mesh_pose example = {"bent", posed};
  pl_fem_def def = pl_default_fem_def(it->material);
  def.scheme = it->scheme;
  def.examples = &example;
  def.example_count = 1;
  def.young_scales = scales;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 100, 0);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  body_def.placement.position = (pl_vec3){1, 2, 3};
  body_def.velocity = (pl_vec3){0.5, -0.3, 0.2};
  body_def.angular_velocity = (pl_vec3){2, -3, 4};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  if (it->stretched) {
    pl_body_get_positions(world, body, x);
    for (size_t i = 0; i < n; ++i) x[i] = pl_vec3_add(x[i], (pl_vec3){0.4 * (x[i].x - 1), -0.4 * (x[i].y - 2), 0});
    check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
  }
  double all = 1, weight = 0;
  if (!it->project) check_ok(pl_body_set_weights(world, body, 0, &all, &error), &error);
  pl_body_report start = pl_body_get_report(world, body);
  run_steps(world, 1000);
  pl_body_report end = pl_body_get_report(world, body);
  pl_body_get_weights(world, body, 0, &weight);
  double linear = pl_vec3_distance(start.momentum, end.momentum) / pl_vec3_length(start.momentum);
  double angular =
      pl_vec3_distance(start.angular_momentum, end.angular_momentum) / pl_vec3_length(start.angular_momentum);
  print_message("%s: weight %.3f, over 1000 steps momentum changes by %.1e, angular momentum by %.1e of itself\n",
                it->name, weight, linear, angular);
  check_at_most(linear, 1e-10);
  // Implicit Euler damps rotations as it damps vibrations: what it makes of angular momentum is its own.
  if (it->scheme == PL_FEM_SECOND_ORDER) check_at_most(angular, 1e-6);
  free(posed);
  free(x);
  free(scales);
  pl_world_destroy(world);
  pl_model_destroy(model);
}

static void momentum_is_kept_whatever_the_rest_shape(void **state) {
  (void)state;
  static const flight flights[] = {
      {"corotated, example as rest shape", PL_FEM_COROTATED, PL_FEM_SECOND_ORDER, false, false},
      {"corotated, projection", PL_FEM_COROTATED, PL_FEM_SECOND_ORDER, true, true},
      {"corotated, projection, implicit Euler", PL_FEM_COROTATED, PL_FEM_IMPLICIT_EULER, true, true},
      {"neo-Hookean, example as rest shape", PL_FEM_NEO_HOOKEAN, PL_FEM_SECOND_ORDER, false, false},
      {"neo-Hookean, projection", PL_FEM_NEO_HOOKEAN, PL_FEM_SECOND_ORDER, true, true},
      {"edges, projection", PL_FEM_EDGES, PL_FEM_SECOND_ORDER, true, true},
      {"shell, projection", PL_FEM_SHELL, PL_FEM_SECOND_ORDER, true, true},
      {"shell, example as rest shape, implicit Euler", PL_FEM_SHELL, PL_FEM_IMPLICIT_EULER, false, false},
  };
  pl_context *context = make_context(1);
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.3, 0.2, 0.2}, 2, 1, 2), *sheet = make_fem_sheet(context, 0.3, 3, 2);
  for (size_t k = 0; k < sizeof flights / sizeof *flights; ++k)
    fly(context, flights[k].material == PL_FEM_SHELL ? sheet : box, &flights[k]);
  pl_mesh_destroy(box);
  pl_mesh_destroy(sheet);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momentum_is_kept_whatever_the_rest_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
