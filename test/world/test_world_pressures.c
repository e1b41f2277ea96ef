// Contact pressures: a box that lies flat presses with its weight per area, at the edge too; a tower with what is
// above.
// ctest: physics
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

enum { KINDS = 4 };  // solid, corotated, fast, rigid
static const double SIZE = 0.2, DENSITY = 1000, GRAVITY = 9.81;
static const char *const NAMES[KINDS] = {"solid", "corotated", "fast", "rigid"};

static pl_model *make_model(pl_context *context, int kind, int32_t cells) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  check_ok(
      pl_mesh_create_box(context, (pl_vec3){SIZE, SIZE, SIZE}, (const int32_t[3]){cells, cells, cells}, &mesh, &error),
      &error);
  if (kind == 0) {
    pl_solid_def def = pl_default_solid_def();
    def.young = 3e5;
    def.damping = 8;
    def.density = DENSITY;
    check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
  } else if (kind == 3) {
    pl_rigid_def def = pl_default_rigid_def();
    def.density = DENSITY;
    check_ok(pl_rigid_build(context, &def, mesh, &model, &error), &error);
  } else {
    pl_fem_def def = pl_default_fem_def(kind == 2 ? PL_FEM_FAST : PL_FEM_COROTATED);
    def.young = 1e6;
    def.poisson = 0;  // it does not widen: the pressure of its base is uniform
    def.density = DENSITY;
    def.mass_damping = 8;
    def.fast_step = 1.0 / 240;
    check_ok(pl_fem_build(context, &def, mesh, &model, &error), &error);
  }
  pl_mesh_destroy(mesh);
  return model;
}

static pl_world *make_ground(pl_context *context, bool sleeping) {
  pl_error error = {0};
  pl_world_def def = pl_default_world_def();
  def.sleeping = sleeping;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  add_ground(world);
  return world;
}

// Force on the faces that look down or up, from the pressures of `steps` steps: sum of p A / 3 over their triangles.
static void sum_forces(pl_world *world, pl_body_id id, int steps, double *down, double *up) {
  pl_error error = {0};
  const pl_model *model = pl_body_get_model(world, id);
  pl_model_report facts = pl_model_get_report(model);
  const int32_t *triangles = pl_model_get_surface_triangles(model);
  double *pressures = calloc((size_t)facts.surface_point_count, sizeof *pressures);
  pl_vec3 *points = calloc((size_t)facts.surface_point_count, sizeof *points);
  *down = *up = 0;
  for (int step = 0; step < steps; ++step) {
    run_steps(world, 1);
    check_ok(pl_body_get_contact_pressures(world, id, pressures, &error), &error);
    check_ok(pl_body_get_surface(world, id, points), NULL);
    for (int32_t t = 0; t < facts.surface_triangle_count; ++t) {
      const int32_t *c = triangles + 3 * t;
      pl_vec3 area = pl_vec3_scale(
          pl_vec3_cross(pl_vec3_sub(points[c[1]], points[c[0]]), pl_vec3_sub(points[c[2]], points[c[0]])), 0.5);
      if (fabs(area.y) < 0.5 * pl_vec3_length(area)) continue;  // an upright side
      for (int k = 0; k < 3; ++k) *(area.y < 0 ? down : up) += pressures[c[k]] * fabs(area.y) / 3 / steps;
    }
  }
  free(points);
  free(pressures);
}

static void a_box_presses_with_its_weight(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind) {
    pl_context *context = make_context(1);
    pl_model *model = make_model(context, kind, 3);
    pl_world *world = make_ground(context, false);
    pl_body_id body = add_body(world, model, pl_vec3_of(0.3, SIZE / 2, 0.1));
    double weight = pl_model_get_report(model).mass * GRAVITY, down, up;
    run_steps(world, 960);
    sum_forces(world, body, 60, &down, &up);
    print_message("%s: %g of its weight on its base, %g N elsewhere\n", NAMES[kind], down / weight, up);
    check_near(down / weight, 1, 5e-3);
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_context_destroy(context);
  }
}

// Half of the triangles at the edge of a base stand upright. They face nothing, so they have no part in the area.
static void edges_press_like_the_middle(void **state) {
  (void)state;
  for (int kind = 1; kind <= 2; ++kind) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_model *model = make_model(context, kind, 6);
    pl_world *world = make_ground(context, false);
    pl_body_id body = add_body(world, model, pl_vec3_of(0, SIZE / 2, 0));
    run_steps(world, 480);
    int32_t count = pl_model_get_report(model).surface_point_count, counts[2] = {0, 0};
    double *pressures = calloc((size_t)count, sizeof *pressures), means[2] = {0, 0};
    pl_vec3 *points = calloc((size_t)count, sizeof *points);
    check_ok(pl_body_get_contact_pressures(world, body, pressures, &error), &error);
    check_ok(pl_body_get_surface(world, body, points), NULL);
    for (int32_t i = 0; i < count; ++i) {
      if (points[i].y > SIZE / 12) {
        assert_true(pressures[i] == 0);
        continue;
      }
      int edge = fmax(fabs(points[i].x), fabs(points[i].z)) > 0.45 * SIZE;
      means[edge] += pressures[i];
      ++counts[edge];
    }
    assert_int_equal(counts[0], 25);
    assert_int_equal(counts[1], 24);
    double whole = DENSITY * GRAVITY * SIZE;
    print_message("%s: mean pressure inside the base %g of density x gravity x height, at its edge %g\n", NAMES[kind],
                  means[0] / counts[0] / whole, means[1] / counts[1] / whole);
    check_near(means[0] / counts[0] / whole, 1, 0.1);
    check_near(means[1] / counts[1] / whole, 1, 0.1);
    free(points);
    free(pressures);
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_context_destroy(context);
  }
}

static void the_lower_of_two_bears_both(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    pl_context *context = make_context(1);
    pl_model *model = make_model(context, kind, 3);
    pl_world *world = make_ground(context, false);
    pl_body_id lower = add_body(world, model, pl_vec3_of(0, SIZE / 2, 0));
    pl_body_id upper = add_body(world, model, pl_vec3_of(0.013, 1.5 * SIZE, 0.007));
    double weight = pl_model_get_report(model).mass * GRAVITY, down, up;
    run_steps(world, 960);
    check_near(pl_body_get_report(world, upper).center.y, 1.5 * SIZE, 0.1 * SIZE);
    sum_forces(world, lower, 60, &down, &up);
    print_message("%s: lower %g weights on its base, %g on its top\n", NAMES[kind], down / weight, up / weight);
    check_near(down / weight, 2, 0.04);
    check_near(up / weight, 1, 0.04);
    sum_forces(world, upper, 60, &down, &up);
    check_near(down / weight, 1, 0.04);
    check_at_most(up, 1e-3 * weight);
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_context_destroy(context);
  }
}

static void a_sleeper_still_presses(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_model(context, 0, 3);
  pl_world *world = make_ground(context, true);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, SIZE / 2, 0));
  double weight = pl_model_get_report(model).mass * GRAVITY, down, up;
  run_steps(world, 1200);
  assert_true(pl_body_is_asleep(world, body));
  sum_forces(world, body, 1, &down, &up);
  check_near(down / weight, 1, 0.05);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_context_destroy(context);
}

static pl_status refuse(void *user, pl_world *world, pl_error *error) {
  (void)world;
  if (*(bool *)user) error->status = PL_ERROR_INVALID_ARGUMENT;
  return *(bool *)user ? PL_ERROR_INVALID_ARGUMENT : PL_OK;
}

static void a_step_that_failed_pressed_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_model(context, 1, 3);
  pl_world *world = make_ground(context, false);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, SIZE / 2 - 0.001, 0)),
             stale = {body.slot, body.generation + 1};
  bool fails = false;
  pl_controller controller = {.before_step = refuse, .user = &fails};
  check_ok(pl_world_add_controller(world, &controller, &error), &error);
  run_steps(world, 5);
  double before[64], after[64];
  assert_true(pl_model_get_report(model).surface_point_count <= 64);
  check_ok(pl_body_get_contact_pressures(world, body, before, &error), &error);
  assert_true(before[0] > 0);
  fails = true;
  assert_true(pl_world_step(world, NULL, &error) < 0);
  check_ok(pl_body_get_contact_pressures(world, body, after, &error), &error);
  assert_memory_equal(before, after, (size_t)pl_model_get_report(model).surface_point_count * sizeof *before);
  assert_int_equal(pl_body_get_contact_pressures(world, stale, after, &error), PL_ERROR_NOT_FOUND);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_context_destroy(context);
}

// Three soft boxes on each other, a rigid one on top of them.
static void add_tower(pl_world *world, pl_model *models[2], pl_body_id bodies[4]) {
  for (int i = 0; i < 4; ++i)
    bodies[i] = add_body(world, models[i / 3], pl_vec3_of(0.013 * i, (0.49 + 0.98 * i) * SIZE, 0.007 * i));
}

static void check_same_pressures(pl_world *a, pl_body_id in_a, pl_world *b, pl_body_id in_b) {
  pl_error error = {0};
  double x[64], y[64];
  size_t count = (size_t)pl_model_get_report(pl_body_get_model(a, in_a)).surface_point_count;
  assert_true(count <= 64);
  check_ok(pl_body_get_contact_pressures(a, in_a, x, &error), &error);
  check_ok(pl_body_get_contact_pressures(b, in_b, y, &error), &error);
  assert_memory_equal(x, y, count * sizeof *x);
}

// Whoever asks in each step gets what one gets who asks at last; also after the world has changed.
static void pressures_do_not_depend_on_who_asked_before(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *models[2] = {make_model(context, 0, 3), make_model(context, 3, 3)};
  for (int change = 0; change < 3; ++change) {
    pl_world *worlds[2];
    pl_body_id bodies[2][4];
    for (int w = 0; w < 2; ++w) {
      worlds[w] = make_ground(context, false);
      add_tower(worlds[w], models, bodies[w]);
    }
    double pressures[64];
    pl_error error = {0};
    for (int i = 0; i < 40; ++i) {
      for (int w = 0; w < 2; ++w) run_steps(worlds[w], 1);
      for (int k = 0; k < 4; ++k)
        check_ok(pl_body_get_contact_pressures(worlds[0], bodies[0][k], pressures, &error), &error);
    }
    for (int w = 0; w < 2 && change == 1; ++w) check_ok(pl_world_remove_body(worlds[w], bodies[w][0], &error), &error);
    for (int w = 0; w < 2 && change == 2; ++w) add_body(worlds[w], models[0], pl_vec3_of(3, 1, 0));
    for (int k = change == 1; k < 4; ++k) check_same_pressures(worlds[0], bodies[0][k], worlds[1], bodies[1][k]);
    for (int w = 0; w < 2; ++w) pl_world_destroy(worlds[w]);
  }
  for (int i = 0; i < 2; ++i) pl_model_destroy(models[i]);
  pl_context_destroy(context);
}

// What a layer reads is of the step before.
typedef struct asking_layer {
  pl_body_id body;
  double pressures[64];
  bool fails;
} asking_layer;

static pl_status ask(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points, int32_t count,
                     pl_error *error) {
  (void)body, (void)points, (void)count;
  asking_layer *layer = user;
  if (layer->fails) return error->status = PL_ERROR_INVALID_ARGUMENT;
  return pl_body_get_contact_pressures(world, layer->body, layer->pressures, error);
}

static void layers_see_the_step_before(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *models[2] = {make_model(context, 0, 3), make_model(context, 3, 3)};
  pl_world *world = make_ground(context, false);
  pl_body_id bodies[4];
  add_tower(world, models, bodies);
  asking_layer asking = {.body = bodies[0]};
  pl_layer layer = {.after_step = ask, .user = &asking};
  check_ok(pl_world_add_layer(world, bodies[1], &layer, &error), &error);
  size_t size = (size_t)pl_model_get_report(models[0]).surface_point_count * sizeof(double);
  double before[64], after[64];
  run_steps(world, 30);
  check_ok(pl_body_get_contact_pressures(world, bodies[0], before, &error), &error);
  assert_true(before[0] > 0);
  run_steps(world, 1);
  check_ok(pl_body_get_contact_pressures(world, bodies[0], after, &error), &error);
  assert_memory_not_equal(before, after, size);
  run_steps(world, 1);
  // Areas are those of now.
  for (size_t i = 0; i < size / sizeof(double); ++i) assert_int_equal(after[i] > 0, asking.pressures[i] > 0);
  check_ok(pl_body_get_contact_pressures(world, bodies[0], before, &error), &error);
  asking.fails = true;
  assert_true(pl_world_step(world, NULL, &error) < 0);
  check_ok(pl_body_get_contact_pressures(world, bodies[0], after, &error), &error);
  assert_memory_equal(before, after, size);
  pl_world_destroy(world);
  for (int i = 0; i < 2; ++i) pl_model_destroy(models[i]);
  pl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_presses_with_its_weight),
      cmocka_unit_test(edges_press_like_the_middle),
      cmocka_unit_test(the_lower_of_two_bears_both),
      cmocka_unit_test(a_sleeper_still_presses),
      cmocka_unit_test(a_step_that_failed_pressed_nothing),
      cmocka_unit_test(pressures_do_not_depend_on_who_asked_before),
      cmocka_unit_test(layers_see_the_step_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
