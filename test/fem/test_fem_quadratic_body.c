// Bodies of quadratic tets: at rest, in flight, on the ground, held; densities by element and added masses.
// ctest: physics threads
#include "body/body_method.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

static const pl_fem_material MATERIALS[3] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_YEOH};

static pl_fem_def quadratic_def(pl_fem_material material) {
  pl_fem_def def = pl_default_fem_def(material);
  def.element = PL_FEM_QUADRATIC;
  def.stiffening = 0.1;
  return def;
}

// Momentum, and the height that a parabola gives, of a body that flies, turns and vibrates.
static void flight_keeps_momentum(void **unused) {
  (void)unused;
  pl_context *context = make_context(2);
  pl_error error = {0};
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.1, 0.2, 0.1}, 1, 2, 1);
  for (int k = 0; k < 3; ++k) {
    pl_fem_def def = quadratic_def(MATERIALS[k]);
    pl_model *model = make_fem_model(context, &def, box);
    pl_world *world = make_world(context, 1.0 / 120, -9.81);
    pl_body_def start = pl_default_body_def();
    start.model = model;
    start.placement.position = (pl_vec3){0, 5, 0};
    start.angular_velocity = (pl_vec3){3, 5, -2};
    pl_body_id body;
    check_ok(pl_world_add_body(world, &start, &body, &error), &error);
    int32_t count = model->particle_count;
    pl_vec3 *x = calloc((size_t)count, sizeof *x), *v = calloc((size_t)count, sizeof *v), before = {0, 0, 0};
    for (int step = 0; step <= 60; ++step) {
      if (step > 0) check_ok(pl_world_step(world, NULL, &error), &error);
      pl_body_get_positions(world, body, x);
      pl_body_get_velocities(world, body, v);
      pl_vec3 center = {0, 0, 0}, spin = {0, 0, 0};
      for (int32_t i = 0; i < count; ++i) center = pl_vec3_add_scaled(center, x[i], model->masses[i] / model->mass);
      for (int32_t i = 0; i < count; ++i)
        spin = pl_vec3_add_scaled(spin, pl_vec3_cross(pl_vec3_sub(x[i], center), v[i]), model->masses[i]);
      if (step == 0) before = spin;
      double time = step / 120.0;
      check_near(center.y, 5 - 0.5 * 9.81 * time * time, 1e-9);
      check_near(pl_vec3_distance(spin, before), 0, 1e-9 * pl_vec3_length(before));
    }
    free(x);
    free(v);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(box);
  drop_context(context);
}

// A free body in a uniform field falls without changing its shape.
static void a_falling_body_keeps_its_shape(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.1, 0.1, 0.1}, 2, 2, 2);
  pl_fem_def def = quadratic_def(PL_FEM_COROTATED);
  def.young = 1e4;
  pl_model *model = make_fem_model(context, &def, box);
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 3, 0});
  pl_vec3 *x = calloc((size_t)model->particle_count, sizeof *x);
  run_steps(world, 30);
  pl_body_get_positions(world, body, x);
  double energy;
  check_ok(pl_fem_compute_energy(context, model, x, &energy, NULL, &error), &error);
  check_at_most(energy, 1e-12);
  free(x);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(box);
  drop_context(context);
}

// The lowest frequency of a slender cantilever, from its swing, against Euler and Bernoulli: 1.875² √(EI / ρA) / L².
static void a_cantilever_swings_at_its_frequency(void **unused) {
  (void)unused;
  pl_context *context = make_context(2);
  pl_error error = {0};
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.3, 0.01, 0.01}, 30, 2, 2);
  pl_fem_def def = quadratic_def(PL_FEM_COROTATED);
  def.young = 1e7;
  def.poisson = 0.3;
  pl_model *model = make_fem_model(context, &def, box);
  double expected = 1.8751 * 1.8751 * sqrt(1e7 * 1e-4 / 12 / 1000) / (0.3 * 0.3) / (2 * PL_PI), step = 0.02 / expected;
  pl_world *world = make_world(context, step, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0.15, 0, 0});
  int32_t count = model->particle_count, tip = 0;
  pl_vec3 *x = calloc((size_t)count, sizeof *x);
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < count; ++i) {
    if (x[i].x > x[tip].x + 1e-9) tip = i;
    if (x[i].x > 1e-9) continue;
    pl_pin_def hold = pl_default_pin_def();
    hold.body = body;
    hold.particle = i;
    hold.target = x[i];
    check_ok(pl_world_add_pin(world, &hold, NULL, &error), &error);
  }
  double start = x[tip].y;
  // Struck with the velocities of its lowest vibration it is straight again after half a period.
  pl_vec3 *v = calloc((size_t)count, sizeof *v);
  for (int32_t i = 0; i < count; ++i) {
    double b = 1.8751 * x[i].x / 0.3;
    v[i].y = 0.01 * (cosh(b) - cos(b) - 0.7341 * (sinh(b) - sin(b)));
  }
  check_ok(pl_body_set_state(world, body, x, v, &error), &error);
  double last = 0, half = -1;
  for (int k = 1; k < 60 && half < 0; ++k) {
    check_ok(pl_world_step(world, NULL, &error), &error);
    pl_body_get_positions(world, body, x);
    double now = x[tip].y - start;
    if (k > 5 && now <= 0) half = k - 1 + last / (last - now);
    last = now;
  }
  free(v);
  double frequency = 0.5 / (half * step);
  print_message("quadratic cantilever: %.4f Hz, Euler and Bernoulli %.4f Hz\n", frequency, expected);
  check_near(frequency / expected, 1, 0.02);
  free(x);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(box);
  drop_context(context);
}

// A cube dropped on the ground comes to rest on it: no node below, the weight in the sag.
static void a_cube_rests_on_the_ground(void **unused) {
  (void)unused;
  pl_context *context = make_context(2);
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.1, 0.1, 0.1}, 2, 2, 2);
  pl_fem_def def = quadratic_def(PL_FEM_NEO_HOOKEAN);
  def.young = 5e4;
  def.poisson = 0.49;
  def.stiffness_damping = 0.01;
  pl_model *model = make_fem_model(context, &def, box);
  assert_int_equal(model->surface.point_count, 98);  // 26 corners and 72 middles
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  add_ground(world);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0.08, 0});
  pl_vec3 *x = calloc((size_t)model->particle_count, sizeof *x);
  run_steps(world, 150);
  pl_body_get_positions(world, body, x);
  double low = 1, high = 0;
  for (int32_t i = 0; i < model->particle_count; ++i) low = fmin(low, x[i].y), high = fmax(high, x[i].y);
  print_message("cube on the ground: from %.6f to %.6f m\n", low, high);
  check_near(low, 0, 5e-4);
  check_near(high, 0.1 - 1000 * 9.81 * 0.01 / (2 * 5e4), 1e-3);
  free(x);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(box);
  drop_context(context);
}

// Densities by element and masses on points: the sum, the centre, and the stretch of a hanging bar with a weight.
static void masses_are_where_they_were_put(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.1, 1, 0.1}, 1, 10, 1);
  pl_mesh_view view = pl_mesh_get_view(box);
  double *scales = calloc((size_t)view.tet_count, sizeof *scales),
         *added = calloc((size_t)view.point_count, sizeof *added);
  for (int32_t t = 0; t < view.tet_count; ++t) {
    double y = 0;
    for (int k = 0; k < 4; ++k) y += 0.25 * view.points[view.tets[4 * t + k]].y;
    scales[t] = y < 0 ? 3 : 1;
  }
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].y < -0.499) added[i] = 0.5;
  for (int element = 0; element < 2; ++element) {
    pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
    def.element = (pl_fem_element_order)element;
    def.young = 1e7;
    def.poisson = 0;
    def.density_scales = scales;
    def.added_masses = added;
    pl_model *model = make_fem_model(context, &def, box);
    check_near(model->mass, 20 + 2, 1e-9);
    int32_t count = model->particle_count, pinned[32], pinned_count = 0;
    pl_vec3 *x = calloc((size_t)count, sizeof *x);
    pl_mesh *quadratic = NULL;
    check_ok(pl_mesh_build_quadratic(context, box, &quadratic, &error), &error);
    pl_mesh_view points = pl_mesh_get_view(element == 0 ? box : quadratic);
    for (int32_t i = 0; i < count; ++i) {
      x[i] = points.points[i];
      if (x[i].y > 0.499) pinned[pinned_count++] = i;
    }
    pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
    rest.acceleration = (pl_vec3){0, -9.81, 0};
    rest.pinned = pinned;
    rest.pinned_count = pinned_count;
    check_ok(pl_fem_equilibrium(context, model, &rest, x, NULL, &error), &error);
    // ∫ N / EA down to 0.1 m above the weight, whose four points dent the end: 15 kg in the lower half, 5 in the upper.
    double expected = 9.81 * (2 * 1 + 15 * 0.25 + 15 * 0.5 + 5 * 0.25 - (2 * 0.1 + 30 * 0.005)) / (1e7 * 0.01), sum = 0;
    int32_t found = 0;
    for (int32_t i = 0; i < count; ++i)
      if (fabs(points.points[i].y + 0.4) < 1e-9) sum += points.points[i].y - x[i].y, found++;
    print_message("hanging bar with a weight, element %d: %.6f mm, formula %.6f mm\n", element, 1e3 * sum / found,
                  1e3 * expected);
    check_near(sum / found, expected, 0.005 * expected);
    free(x);
    pl_mesh_destroy(quadratic);
    pl_model_destroy(model);
  }
  free(scales);
  free(added);
  pl_mesh_destroy(box);
  drop_context(context);
}

static void what_has_no_quadratic_elements_says_so(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  pl_mesh *box = make_fem_box(context, (pl_vec3){1, 1, 1}, 1, 1, 1), *quadratic = NULL;
  pl_error error = {0};
  pl_model *model = NULL;
  pl_fem_def def = quadratic_def(PL_FEM_EDGES);
  assert_int_equal(pl_fem_build(context, &def, box, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  def = quadratic_def(PL_FEM_COROTATED);
  def.adapts = true;
  assert_int_equal(pl_fem_build(context, &def, box, &model, &error), PL_ERROR_UNSUPPORTED);
  check_ok(pl_mesh_build_quadratic(context, box, &quadratic, &error), &error);
  def = pl_default_fem_def(PL_FEM_COROTATED);
  assert_int_equal(pl_fem_build(context, &def, quadratic, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "element");
  // A node on an edge that is far off folds its tets.
  pl_mesh_view view = pl_mesh_get_view(quadratic);
  pl_vec3 *points = calloc((size_t)view.point_count, sizeof *points);
  memcpy(points, view.points, (size_t)view.point_count * sizeof *points);
  points[view.tet_mids[0]] = (pl_vec3){5, 5, 5};
  view.points = points;
  pl_mesh *folded = NULL;
  check_ok(pl_mesh_create(context, &view, &folded, &error), &error);
  def = quadratic_def(PL_FEM_COROTATED);
  assert_int_equal(pl_fem_build(context, &def, folded, &model, &error), PL_ERROR_INVALID_DATA);
  free(points);
  pl_mesh_destroy(folded);
  pl_mesh_destroy(quadratic);
  pl_mesh_destroy(box);
  drop_context(context);
}

// Turned as it falls on the ground: element forces, assembly, solution and contact on several threads.
static void threads_do_not_change_a_bit(void **unused) {
  (void)unused;
  uint64_t hashes[3];
  for (int k = 0; k < 3; ++k) {
    pl_context *context = make_context(1 + k);
    pl_error error = {0};
    pl_mesh *box = make_fem_box(context, (pl_vec3){0.1, 0.1, 0.1}, 3, 3, 3);
    pl_fem_def def = quadratic_def(PL_FEM_COROTATED);
    def.young = 1e4;
    pl_model *model = make_fem_model(context, &def, box);
    pl_world *world = make_world(context, 1.0 / 60, -9.81);
    add_ground(world);
    pl_body_def start = pl_default_body_def();
    start.model = model;
    start.placement = (pl_transform){{0, 0.09, 0}, pl_quat_from_axis_angle((pl_vec3){0.3, 1, 0.2}, 0.5)};
    check_ok(pl_world_add_body(world, &start, NULL, &error), &error);
    run_steps(world, check_steps(16));
    hashes[k] = pl_world_get_hash(world);
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_mesh_destroy(box);
    drop_context(context);
  }
  assert_true(hashes[1] == hashes[0] && hashes[2] == hashes[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(flight_keeps_momentum),
      cmocka_unit_test(a_falling_body_keeps_its_shape),
      cmocka_unit_test(a_cantilever_swings_at_its_frequency),
      cmocka_unit_test(a_cube_rests_on_the_ground),
      cmocka_unit_test(masses_are_where_they_were_put),
      cmocka_unit_test(what_has_no_quadratic_elements_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
