// Fields over tets: the stress of uniform strains by closed formulas, of a hanging bar by its weight, moduli as given;
// and views of the state.
// ctest: physics
#include "fixtures/solid_bodies.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { KINDS = 4 };
static const pl_fem_material MATERIALS[KINDS] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES, PL_FEM_FAST};
static const double YOUNG = 1e5, POISSON = 0.3, DENSITY = 1000;

static pl_mesh *make_bar(pl_context *context) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.2, 0.6, 0.2}, (const int32_t[3]){2, 6, 2}, &mesh, &error), &error);
  return mesh;
}

static double tet_volume(const pl_vec3 *x, const int32_t *c) {
  pl_vec3 a = pl_vec3_sub(x[c[1]], x[c[0]]), b = pl_vec3_sub(x[c[2]], x[c[0]]);
  return pl_vec3_dot(pl_vec3_cross(a, b), pl_vec3_sub(x[c[3]], x[c[0]])) / 6;
}

static pl_model *build(pl_context *context, pl_fem_material material, const pl_mesh *mesh, const double *scales) {
  pl_error error = {0};
  pl_model *model = NULL;
  pl_fem_def def = pl_default_fem_def(material);
  def.young = YOUNG;
  def.poisson = POISSON;
  def.density = DENSITY;
  def.mass_damping = 20;
  def.young_scales = scales;
  def.fast_step = 1.0 / 240;
  check_ok(pl_fem_build(context, &def, mesh, &model, &error), &error);
  return model;
}

static void moduli_are_those_of_the_def(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_bar(context);
  int32_t count = pl_mesh_get_view(mesh).tet_count;
  double *scales = calloc((size_t)count, sizeof *scales), *moduli = calloc((size_t)count, sizeof *moduli);
  for (int32_t t = 0; t < count; ++t) scales[t] = 1 + 0.01 * t;
  for (int kind = 0; kind < KINDS; ++kind) {
    pl_model *model = build(context, MATERIALS[kind], mesh, scales);
    assert_int_equal(pl_fem_tet_count(model), count);
    check_ok(pl_fem_get_moduli(model, moduli), NULL);
    for (int32_t t = 0; t < count; ++t) check_near(moduli[t] / (YOUNG * scales[t]), 1, 1e-12);
    pl_model_destroy(model);
  }
  free(moduli);
  free(scales);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
}

// A pose x = A X + b of the whole body, and the stress of every tet.
static double *stress_of_pose(pl_context *context, const pl_model *model, const pl_mesh *mesh, pl_mat3 A, pl_vec3 b) {
  pl_error error = {0};
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, 0, 0));
  pl_vec3 *points = calloc((size_t)view.point_count, sizeof *points);
  double *stresses = calloc(6 * (size_t)view.tet_count, sizeof *stresses);
  for (int32_t i = 0; i < view.point_count; ++i) points[i] = pl_vec3_add(pl_mat3_apply(A, view.points[i]), b);
  check_ok(pl_body_set_state(world, body, points, NULL, &error), &error);
  check_ok(pl_fem_get_stress(world, body, stresses, &error), &error);
  free(points);
  pl_world_destroy(world);
  return stresses;
}

static pl_mat3 rotation(double angle) {
  return pl_mat3_from_quat(
      pl_quat_from_axis_angle(pl_vec3_normalize_or(pl_vec3_of(1, 2, -0.5), pl_vec3_of(1, 0, 0)), angle));
}

// sigma = lambda tr(e) 1 + 2 mu e for small strains, turned along, whatever the energy; the edges of a box mesh are not
// isotropic.
static void small_strains_follow_hooke(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_bar(context);
  int32_t count = pl_mesh_get_view(mesh).tet_count;
  double mu = YOUNG / (2 * (1 + POISSON)), lambda = 2 * mu * POISSON / (1 - 2 * POISSON), e = 1e-4;
  const double strain[3][3] = {{2 * e, 0.5 * e, 0}, {0.5 * e, -e, 0.25 * e}, {0, 0.25 * e, 0.75 * e}};
  for (int kind = 0; kind < KINDS; ++kind) {
    if (MATERIALS[kind] == PL_FEM_EDGES) continue;
    pl_model *model = build(context, MATERIALS[kind], mesh, NULL);
    pl_mat3 stretch = pl_mat3_identity(), hooke = pl_mat3_zero(), R = rotation(1.1);
    double trace = strain[0][0] + strain[1][1] + strain[2][2];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        stretch.m[i][j] += strain[i][j];
        hooke.m[i][j] = 2 * mu * strain[i][j] + (i == j ? lambda * trace : 0);
      }
    pl_mat3 turned = pl_mat3_multiply(R, pl_mat3_multiply(hooke, pl_mat3_transpose(R)));
    const double expected[6] = {turned.m[0][0], turned.m[1][1], turned.m[2][2],
                                turned.m[0][1], turned.m[1][2], turned.m[0][2]};
    // `fast` has positions in single precision: far from its origin there is no such small strain.
    bool fast = MATERIALS[kind] == PL_FEM_FAST;
    pl_vec3 away = fast ? pl_vec3_of(0, 0, 0) : pl_vec3_of(3, -2, 1);
    double *stresses = stress_of_pose(context, model, mesh, pl_mat3_multiply(R, stretch), away), worst = 0;
    for (int32_t i = 0; i < 6 * count; ++i) worst = fmax(worst, fabs(stresses[i] - expected[i % 6]));
    print_message("material %d: differs from Hooke's law by %g of the stress\n", kind, worst / (YOUNG * e));
    check_at_most(worst / (YOUNG * e), fast ? 5e-3 : 1e-3);  // second order in the strain
    free(stresses);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
}

// Ten nodes a tet, and energies with more parameters: a stretch along one axis has the stress of linear elasticity.
static void other_elements_follow_hooke(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *linear = make_bar(context), *quadratic = NULL;
  check_ok(pl_mesh_build_quadratic(context, linear, &quadratic, &error), &error);
  int32_t count = pl_mesh_get_view(linear).tet_count;
  double mu = YOUNG / (2 * (1 + POISSON)), lambda = 2 * mu * POISSON / (1 - 2 * POISSON), e = 1e-4;
  const pl_fem_material materials[] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_YEOH};
  for (int kind = 0; kind < 6; ++kind) {
    bool has_mids = kind >= 3;
    pl_fem_def def = pl_default_fem_def(materials[kind % 3]);
    def.young = YOUNG, def.poisson = POISSON;
    def.element = has_mids ? PL_FEM_QUADRATIC : def.element;
    const pl_mesh *mesh = has_mids ? quadratic : linear;
    pl_model *model = NULL;
    check_ok(pl_fem_build(context, &def, mesh, &model, &error), &error);
    assert_int_equal(pl_fem_tet_count(model), count);
    double *moduli = calloc((size_t)count, sizeof *moduli), worst = 0;
    check_ok(pl_fem_get_moduli(model, moduli), NULL);
    double *stresses = stress_of_pose(context, model, mesh, pl_mat3_diagonal(1 + e, 1, 1), pl_vec3_of(3, -2, 1));
    for (int32_t t = 0; t < count; ++t) {
      const double expected[6] = {(lambda + 2 * mu) * e, lambda * e, lambda * e, 0, 0, 0};
      check_near(moduli[t], YOUNG, 1e-9 * YOUNG);
      for (int i = 0; i < 6; ++i) worst = fmax(worst, fabs(stresses[6 * t + i] - expected[i]));
    }
    print_message("element %d: differs from Hooke's law by %g of the stress\n", kind, worst / (YOUNG * e));
    check_at_most(worst / (YOUNG * e), 1e-3);
    free(stresses);
    free(moduli);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(quadratic);
  pl_mesh_destroy(linear);
  pl_context_destroy(context);
}

// P F^T / J of corotated tets: F diagonal, R = 1, P = 2 mu (F - 1) + lambda tr(F - 1) 1.
static void large_strains_of_corotated_tets(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_bar(context);
  pl_model *model = build(context, PL_FEM_COROTATED, mesh, NULL);
  double mu = YOUNG / (2 * (1 + POISSON)), lambda = 2 * mu * POISSON / (1 - 2 * POISSON);
  const double s[3] = {1.5, 0.7, 1.2};
  double *stresses = stress_of_pose(context, model, mesh, pl_mat3_diagonal(s[0], s[1], s[2]), pl_vec3_of(0, 0, 0));
  double J = s[0] * s[1] * s[2], trace = s[0] + s[1] + s[2] - 3;
  for (int32_t i = 0; i < 6 * pl_mesh_get_view(mesh).tet_count; ++i) {
    double expected = i % 6 < 3 ? (2 * mu * (s[i % 6] - 1) + lambda * trace) * s[i % 6] / J : 0;
    check_near(stresses[i], expected, 1e-9 * YOUNG);
  }
  free(stresses);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
}

// Integrated over the volume, the stress of a body at rest is its virial: a bar that hangs from its top has
// sum v sigma_yy = sum over the particles of m g (y_top - y), whatever the energy.
static void a_hanging_bar_bears_its_weight(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_bar(context);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  for (int kind = 0; kind < KINDS; ++kind) {
    pl_model *model = build(context, MATERIALS[kind], mesh, NULL);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_body_id body = add_body(world, model, pl_vec3_of(0, 0, 0));
    for (int32_t i = 0; i < view.point_count; ++i) {
      pl_pin_def pin = pl_default_pin_def();
      if (view.points[i].y < 0.299) continue;
      pin.body = body;
      pin.particle = i;
      pin.target = view.points[i];
      check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
    }
    run_steps(world, 900);
    pl_vec3 *x = calloc((size_t)view.point_count, sizeof *x);
    double *stresses = calloc(6 * (size_t)view.tet_count, sizeof *stresses), sum = 0, virial = 0;
    check_ok(pl_body_get_positions(world, body, x), NULL);
    check_ok(pl_fem_get_stress(world, body, stresses, &error), &error);
    double *masses = calloc((size_t)view.point_count, sizeof *masses);
    for (int32_t t = 0; t < view.tet_count; ++t) {
      const int32_t *c = view.tets + 4 * t;
      double now = tet_volume(x, c), rest = tet_volume(view.points, c);
      sum += now * stresses[6 * t + 1];
      for (int k = 0; k < 4; ++k) masses[c[k]] += 0.25 * DENSITY * rest;
    }
    for (int32_t i = 0; i < view.point_count; ++i) virial += masses[i] * 9.81 * (0.3 - x[i].y);
    print_message("material %d: %g of the virial of gravity\n", kind, sum / virial);
    check_near(sum / virial, 1, 2e-3);
    free(masses);
    free(stresses);
    free(x);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
}

static void rest_shapes_of_examples_count(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_bar(context);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *longer = calloc((size_t)view.point_count, sizeof *longer);
  for (int32_t i = 0; i < view.point_count; ++i)
    longer[i] = pl_vec3_of(view.points[i].x, 1.2 * view.points[i].y, view.points[i].z);
  pl_mesh_pose pose = {"longer", longer};
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.examples = &pose;
  def.example_count = 1;
  pl_model *model = NULL;
  check_ok(pl_fem_build(context, &def, mesh, &model, &error), &error);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, 0, 0));
  const double whole = 1;
  check_ok(pl_body_set_weights(world, body, 0, &whole, &error), &error);
  check_ok(pl_body_set_state(world, body, longer, NULL, &error), &error);
  run_steps(world, 1);
  double *stresses = calloc(6 * (size_t)view.tet_count, sizeof *stresses);
  check_ok(pl_fem_get_stress(world, body, stresses, &error), &error);
  for (int32_t i = 0; i < 6 * view.tet_count; ++i) check_at_most(fabs(stresses[i]), 1e-6 * def.young);
  free(stresses);
  free(longer);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
}

static void other_bodies_have_no_stress(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_bar(context);
  pl_solid_def def = pl_default_solid_def();
  pl_model *model = NULL;
  check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, 0, 0));
  double number = 0;
  pl_body_view view;
  assert_int_equal(pl_fem_tet_count(model), 0);
  assert_int_equal(pl_fem_get_moduli(model, &number), PL_ERROR_UNSUPPORTED);
  assert_int_equal(pl_fem_get_stress(world, body, &number, &error), PL_ERROR_UNSUPPORTED);
  assert_int_equal(pl_fem_get_stress(world, (pl_body_id){9, 9}, &number, &error), PL_ERROR_NOT_FOUND);
  assert_int_equal(pl_body_get_view(world, body, &view), PL_ERROR_UNSUPPORTED);
  assert_int_equal(pl_body_get_view(world, (pl_body_id){9, 9}, &view), PL_ERROR_NOT_FOUND);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
}

static void a_view_is_the_state_itself(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_bar(context);
  pl_model *model = build(context, PL_FEM_NEO_HOOKEAN, mesh, NULL);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, 1, 0));
  add_ground(world);
  pl_body_view view, again;
  check_ok(pl_body_get_view(world, body, &view), NULL);
  int32_t count = pl_mesh_get_view(mesh).point_count;
  assert_int_equal(view.particle_count, count);
  pl_vec3 *copy = calloc((size_t)count, sizeof *copy);
  size_t size = pl_world_snapshot_size(world);
  void *snapshot = malloc(size);
  pl_world_snapshot(world, snapshot);
  for (int round = 0; round < 4; ++round) {
    if (round == 1) run_steps(world, 120);
    if (round == 2) check_ok(pl_world_restore(world, snapshot, size, &error), &error);
    if (round == 3) check_ok(pl_body_teleport(world, body, (pl_transform){{1, 2, 3}, {0, 0, 0, 1}}, &error), &error);
    check_ok(pl_body_get_positions(world, body, copy), NULL);
    assert_memory_equal(copy, view.positions, (size_t)count * sizeof *copy);
    check_ok(pl_body_get_velocities(world, body, copy), NULL);
    assert_memory_equal(copy, view.velocities, (size_t)count * sizeof *copy);
    check_ok(pl_body_get_view(world, body, &again), NULL);
    assert_ptr_equal(again.positions, view.positions);
  }
  free(snapshot);
  free(copy);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
}

// In a uniform strain every tet of any order and material of the same constants has the stress of the linear one.
static void quadratic_tets_have_the_stress_of_linear_ones(void **state) {
  (void)state;
  static const pl_fem_material materials[3] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_YEOH};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *bar = make_bar(context), *fine = NULL;
  check_ok(pl_mesh_build_quadratic(context, bar, &fine, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(fine);
  size_t count = (size_t)view.tet_count;
  pl_vec3 *x = calloc((size_t)view.point_count, sizeof *x);
  double *a = calloc(6 * count, sizeof *a), *b = calloc(6 * count, sizeof *b), *moduli = calloc(count, sizeof *moduli);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    x[i] = (pl_vec3){1.1 * p.x + 0.05 * p.y, 0.95 * p.y - 0.02 * p.z, 1.02 * p.z + 0.1 * p.x};
  }
  for (int k = 0; k < 3; ++k) {
    pl_fem_def def = pl_default_fem_def(materials[k]);
    def.stiffening = 0.2;
    pl_model *linear = NULL, *quadratic = NULL;
    check_ok(pl_fem_build(context, &def, bar, &linear, &error), &error);
    def.element = PL_FEM_QUADRATIC;
    check_ok(pl_fem_build(context, &def, fine, &quadratic, &error), &error);
    check_ok(pl_fem_compute_stress(linear, x, a, &error), &error);
    check_ok(pl_fem_compute_stress(quadratic, x, b, &error), &error);
    for (size_t i = 0; i < 6 * count; ++i) check_near(b[i], a[i], 1e-9 * def.young);
    // The same numbers through a body of a world.
    pl_world *world = make_world(context, 0.01, 0);
    pl_body_id body = add_body(world, quadratic, (pl_vec3){0, 0, 0});
    check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
    check_ok(pl_fem_get_stress(world, body, b, &error), &error);
    for (size_t i = 0; i < 6 * count; ++i) check_near(b[i], a[i], 1e-9 * def.young);
    assert_int_equal(pl_fem_get_moduli(quadratic, moduli), PL_OK);
    for (size_t i = 0; i < count; ++i) check_near(moduli[i], def.young, 0);
    pl_world_destroy(world);
    pl_model_destroy(quadratic);
    pl_model_destroy(linear);
  }
  free(moduli);
  free(a);
  free(b);
  free(x);
  pl_mesh_destroy(fine);
  pl_mesh_destroy(bar);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadratic_tets_have_the_stress_of_linear_ones),
      cmocka_unit_test(moduli_are_those_of_the_def),
      cmocka_unit_test(small_strains_follow_hooke),
      cmocka_unit_test(large_strains_of_corotated_tets),
      cmocka_unit_test(other_elements_follow_hooke),
      cmocka_unit_test(a_hanging_bar_bears_its_weight),
      cmocka_unit_test(rest_shapes_of_examples_count),
      cmocka_unit_test(other_bodies_have_no_stress),
      cmocka_unit_test(a_view_is_the_state_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
