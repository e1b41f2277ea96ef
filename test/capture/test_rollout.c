// Differentiable motions: both modes against differences for every input, one against the other, the motion against
// that of a world, and what is refused.
// ctest: derivative
#include "check.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"
#include "pliant/rollout.h"
#include "pliant/step.h"

enum { STEPS = 12, INPUTS = 9, POINTS = 45, TETS_MAX = 200 };

static const char *const names[INPUTS] = {
    "young", "poisson", "mass damping", "stiffness damping", "rest", "weights", "positions", "velocities", "forces"};

typedef struct fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_rollout *rollout;
  int32_t held[POINTS], held_count, tet_count;
  size_t sizes[INPUTS];
  double *values[INPUTS];
  uint64_t seed;
} fixture;

static double draw(fixture *f) {
  f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(f->seed >> 11) / 4503599627370496.0 - 1;
}

static pl_rollout_inputs inputs_of(double *const *arrays) {
  return (pl_rollout_inputs){arrays[0],
                             arrays[1],
                             arrays[2],
                             arrays[3],
                             (pl_vec3 *)(void *)arrays[4],
                             arrays[5],
                             (pl_vec3 *)(void *)arrays[6],
                             (pl_vec3 *)(void *)arrays[7],
                             (pl_vec3 *)(void *)arrays[8]};
}

// `viscous`: with two Prony terms, one of them short against the step, and structural damping.
static fixture open_fixture(pl_fem_material material, bool equilibrium, bool ground, bool viscous) {
  fixture f = {.context = make_context(1), .seed = 7};
  pl_error error = {0};
  f.mesh = make_fem_box(f.context, (pl_vec3){0.4, 0.1, 0.1}, 4, 2, 2);
  pl_mesh_view view = pl_mesh_get_view(f.mesh);
  assert_int_equal(view.point_count, POINTS);
  f.tet_count = view.tet_count;
  pl_vec3 bent[POINTS];
  for (int32_t i = 0; i < POINTS; ++i) {
    bent[i] = view.points[i];
    bent[i].y += 0.8 * bent[i].x * bent[i].x;
    if (view.points[i].x < -0.19) f.held[f.held_count++] = i;
  }
  pl_fem_def def = pl_default_fem_def(material);
  def.young = 5e4, def.stiffness_damping = 1e-3, def.mass_damping = 0.2;
  if (viscous) {
    def.prony_ratio = 0.8, def.prony_time = 0.03, def.second_prony_ratio = 0.5, def.second_prony_time = 0.003;
    def.loss_factor = 0.1;
  }
  def.examples = &(pl_mesh_pose){"bent", bent};
  def.example_count = 1;
  f.model = make_fem_model(f.context, &def, f.mesh);
  pl_rollout_def rollout = pl_default_rollout_def();
  rollout.model = f.model;
  rollout.pinned = f.held, rollout.pinned_count = f.held_count;
  rollout.step = 0.01, rollout.step_count = equilibrium ? 1 : STEPS, rollout.equilibrium = equilibrium;
  // The free end falls on a slope that it nearly touches at the start.
  const pl_rollout_plane slope = {{0.2, 2, -0.1}, -0.06};
  rollout.planes = &slope, rollout.plane_count = ground ? 1 : 0;
  check_ok(pl_rollout_create(f.context, &rollout, &f.rollout, &error), &error);
  const size_t n = 3 * POINTS,
               sizes[INPUTS] = {(size_t)view.tet_count, 1, 1, 1, n, 1, n, n, n * (size_t)rollout.step_count};
  const double *points = &view.points->x;
  for (int k = 0; k < INPUTS; ++k) {
    f.sizes[k] = sizes[k];
    f.values[k] = calloc(sizes[k], sizeof(double));
    for (size_t i = 0; i < sizes[k]; ++i) {
      double base[INPUTS] = {5e4, 0.3, 0.3, 1e-3, 0, 0.3, 0, 0, 0},
             spread[INPUTS] = {5e3, 0, 0, 0, 0, 0, 1e-4, 0.1, 1e-2};
      if (k == 4 || k == 6) base[k] = points[i];
      f.values[k][i] = base[k] + spread[k] * draw(&f);
    }
  }
  return f;
}

static void close_fixture(fixture *f) {
  for (int k = 0; k < INPUTS; ++k) free(f->values[k]);
  pl_rollout_destroy(f->rollout);
  pl_model_destroy(f->model);
  pl_mesh_destroy(f->mesh);
  drop_context(f->context);
}

// The motion with input k moved by `far` along a direction.
static void run_moved(fixture *f, int k, double far, const double *direction, pl_vec3 *positions) {
  pl_error error = {0};
  double *arrays[INPUTS];
  memcpy(arrays, f->values, sizeof arrays);
  arrays[k == 5 ? 4 : 5] = NULL;  // a rest shape or weights
  double *moved = calloc(f->sizes[k], sizeof(double));
  for (size_t i = 0; i < f->sizes[k]; ++i) moved[i] = f->values[k][i] + far * direction[i];
  arrays[k] = moved;
  pl_rollout_inputs inputs = inputs_of(arrays);
  check_ok(pl_rollout_run(f->rollout, &inputs, positions, NULL, &error), &error);
  free(moved);
}

static void check_input(fixture *f, int k, int32_t frames, double far_factor) {
  static const double size[INPUTS] = {50, 1e-3, 1e-2, 1e-5, 1e-6, 1e-3, 1e-6, 1e-3, 1e-3};
  size_t n = 3 * (size_t)POINTS * (size_t)frames;
  pl_error error = {0};
  double *direction = calloc(f->sizes[k], sizeof(double)), *gradient = calloc(f->sizes[k], sizeof(double));
  for (size_t i = 0; i < f->sizes[k]; ++i) direction[i] = far_factor * size[k] * draw(f);
  double *at[4], *change = calloc(n, sizeof(double)), *by = calloc(n, sizeof(double));
  const double far[4] = {1, -1, 2, -2};
  for (int j = 0; j < 4; ++j) {
    at[j] = calloc(n, sizeof(double));
    run_moved(f, k, far[j], direction, (pl_vec3 *)(void *)at[j]);
  }
  run_moved(f, k, 0, direction, NULL);
  double *arrays[INPUTS] = {0};
  arrays[k] = direction;
  pl_rollout_inputs along = inputs_of(arrays);
  check_ok(pl_rollout_push(f->rollout, &along, 1, (pl_vec3 *)(void *)change, &error), &error);
  arrays[k] = gradient;
  pl_rollout_inputs wanted = inputs_of(arrays);
  for (size_t i = 0; i < n; ++i) by[i] = draw(f);
  check_ok(pl_rollout_pull(f->rollout, (pl_vec3 *)(void *)by, NULL, &wanted, &error), &error);
  double off = 0, whole = 0, forward = 0, backward = 0;
  for (size_t i = 0; i < n; ++i) {
    double expected = (8 * (at[0][i] - at[1][i]) - (at[2][i] - at[3][i])) / 12;
    off += (change[i] - expected) * (change[i] - expected);
    whole += expected * expected;
    forward += by[i] * change[i];
  }
  for (size_t i = 0; i < f->sizes[k]; ++i) backward += gradient[i] * direction[i];
  print_message("%-18s against differences %.1e, backward against forward %.1e\n", names[k], sqrt(off / whole),
                fabs(backward - forward) / sqrt(whole));
  assert_true(whole > 0 && sqrt(off / whole) < 1e-6);
  assert_true(fabs(backward - forward) < 1e-8 * sqrt(whole));
  for (int j = 0; j < 4; ++j) free(at[j]);
  free(direction), free(gradient), free(change), free(by);
}

static void both_modes_agree_with_differences(void **state) {
  (void)state;
  const pl_fem_material materials[] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN};
  for (int m = 0; m < 3; ++m) {
    fixture f = open_fixture(materials[m % 2], false, false, m == 2);
    print_message("%s\n", m == 0 ? "corotated" : m == 1 ? "neo-Hookean" : "corotated, viscoelastic");
    for (int k = 0; k < INPUTS; ++k) check_input(&f, k, STEPS + 1, 1);
    close_fixture(&f);
  }
}

static void an_equilibrium_can_be_differentiated_too(void **state) {
  (void)state;
  fixture f = open_fixture(PL_FEM_COROTATED, true, false, true);
  const int inputs[] = {0, 1, 4, 5, 6, 8};
  for (int k = 0; k < 6; ++k) check_input(&f, inputs[k], 2, 1);
  close_fixture(&f);
}

// Springs bend over a thousandth of an element, so differences are taken over less.
static void planes_can_be_differentiated_too(void **state) {
  (void)state;
  for (int equilibrium = 0; equilibrium < 2; ++equilibrium) {
    int32_t frames = equilibrium ? 2 : STEPS + 1;
    fixture f = open_fixture(PL_FEM_NEO_HOOKEAN, equilibrium, true, false),
            free_one = open_fixture(PL_FEM_NEO_HOOKEAN, equilibrium, false, false);
    pl_vec3 *touched = calloc((size_t)(POINTS * frames), sizeof *touched),
            *fallen = calloc((size_t)(POINTS * frames), sizeof *fallen);
    double nothing[3 * POINTS] = {0}, far = 0;
    run_moved(&f, 6, 0, nothing, touched);
    run_moved(&free_one, 6, 0, nothing, fallen);
    for (int32_t i = 0; i < POINTS * frames; ++i) far = fmax(far, pl_vec3_distance(touched[i], fallen[i]));
    print_message("the slope moves points by up to %g m\n", far);
    assert_true(far > 0.005);
    for (int k = 0; k < INPUTS; ++k)
      if (!equilibrium || (k != 2 && k != 3 && k != 7)) check_input(&f, k, frames, 0.02);
    free(touched), free(fallen);
    close_fixture(&free_one);
    close_fixture(&f);
  }
}

static void the_motion_is_that_of_a_world(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.1, 0.1}, 4, 2, 2);
  pl_fem_def def = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
  def.young = 5e4, def.newton_tolerance = 1e-12, def.max_newton_iterations = 50;
  def.stiffness_damping = 2e-3, def.prony_ratio = 0.5, def.prony_time = 0.02, def.loss_factor = 0.05;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = NULL;
  pl_world_def world_def = pl_default_world_def();
  check_ok(pl_world_create(context, &world_def, &world, &error), &error);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  int32_t held_count, *held = list_left_points(mesh, -0.19, &held_count);
  pl_pin_def pin = pl_default_pin_def();
  pin.body = body;
  for (int32_t i = 0; i < held_count; ++i) {
    pin.particle = held[i];
    pin.target = pl_mesh_get_view(mesh).points[held[i]];
    check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
  pl_rollout_def rollout_def = pl_default_rollout_def();
  rollout_def.model = model, rollout_def.pinned = held, rollout_def.pinned_count = held_count;
  rollout_def.step_count = 30;
  pl_rollout *rollout = NULL;
  check_ok(pl_rollout_create(context, &rollout_def, &rollout, &error), &error);
  static pl_vec3 motion[31 * POINTS], positions[POINTS];
  check_ok(pl_rollout_run(rollout, NULL, motion, NULL, &error), &error);
  double worst = 0;
  for (int k = 1; k <= 30; ++k) {
    check_ok(pl_world_step(world, NULL, &error), &error);
    check_ok(pl_body_get_positions(world, body, positions), &error);
    for (int i = 0; i < POINTS; ++i)
      worst = fmax(worst, pl_vec3_length(pl_vec3_sub(positions[i], motion[k * POINTS + i])));
  }
  print_message("farthest point from the world's: %.1e m\n", worst);
  assert_true(worst < 1e-9);
  free(held);
  pl_rollout_destroy(rollout);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void what_is_wrong_is_refused(void **state) {
  (void)state;
  fixture f = open_fixture(PL_FEM_COROTATED, false, false, false);
  pl_error error = {0};
  pl_rollout_inputs nothing = {0}, both = inputs_of(f.values);
  assert_int_equal(pl_rollout_pull(f.rollout, NULL, NULL, &nothing, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_rollout_run(f.rollout, &both, NULL, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  double poisson = 0.7;
  assert_int_equal(pl_rollout_run(f.rollout, &(pl_rollout_inputs){.poisson = &poisson}, NULL, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_string_equal(error.field, "poisson");
  both.rest = NULL;
  check_ok(pl_rollout_run(f.rollout, &both, NULL, NULL, &error), &error);
  pl_vec3 rest[POINTS];
  assert_int_equal(pl_rollout_pull(f.rollout, NULL, NULL, &(pl_rollout_inputs){.rest = rest}, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  pl_rollout_def def = pl_default_rollout_def();
  pl_rollout *made = NULL;
  assert_int_equal(pl_rollout_create(f.context, &def, &made, &error), PL_ERROR_INVALID_ARGUMENT);
  def.model = f.model, def.pinned = &(int32_t){POINTS}, def.pinned_count = 1;
  assert_int_equal(pl_rollout_create(f.context, &def, &made, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "pinned");
  def.pinned_count = 0, def.equilibrium = true;
  assert_int_equal(pl_rollout_create(f.context, &def, &made, &error), PL_ERROR_INVALID_ARGUMENT);
  def.equilibrium = false, def.planes = &(pl_rollout_plane){{0, 0, 0}, 0}, def.plane_count = 1;
  assert_int_equal(pl_rollout_create(f.context, &def, &made, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "planes");
  def.plane_count = 65;
  assert_int_equal(pl_rollout_create(f.context, &def, &made, &error), PL_ERROR_INVALID_ARGUMENT);
  def.plane_count = 0;
  pl_fem_def fast = pl_default_fem_def(PL_FEM_EDGES);
  pl_model *other = make_fem_model(f.context, &fast, f.mesh);
  def.model = other, def.equilibrium = false;
  assert_int_equal(pl_rollout_create(f.context, &def, &made, &error), PL_ERROR_UNSUPPORTED);
  assert_null(made);
  pl_model_destroy(other);
  pl_mesh *quadratic = NULL;
  check_ok(pl_mesh_build_quadratic(f.context, f.mesh, &quadratic, &error), &error);
  pl_fem_def curved = pl_default_fem_def(PL_FEM_COROTATED);
  curved.element = PL_FEM_QUADRATIC;
  def.model = other = make_fem_model(f.context, &curved, quadratic);
  assert_int_equal(pl_rollout_create(f.context, &def, &made, &error), PL_ERROR_UNSUPPORTED);
  pl_model_destroy(other);
  pl_mesh_destroy(quadratic);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_modes_agree_with_differences), cmocka_unit_test(an_equilibrium_can_be_differentiated_too),
      cmocka_unit_test(planes_can_be_differentiated_too),  cmocka_unit_test(the_motion_is_that_of_a_world),
      cmocka_unit_test(what_is_wrong_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
