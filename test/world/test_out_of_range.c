// Velocities, positions and forces beyond what can be computed: a step fails before contact compares everything with
// everything, names the body, and leaves the world as it was. With every method.
// ctest: unit
#include "fixtures/fem_bodies.h"
#include "fixtures/rod_chains.h"
#include "pliant/math.h"

typedef pl_model *model_maker(pl_context *context);

static pl_model *make_solid(pl_context *context) {
  pl_solid_def def = pl_default_solid_def();
  def.self_contact = true;
  return make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 6, 6, 6, &def);
}

static pl_model *make_rod(pl_context *context) {
  test_rod rod;
  begin_rod(&rod, 8, 0.1, (pl_vec3){0, 0, 0.1});
  return build_rod(context, &rod);
}

static pl_model *make_fem(pl_context *context, bool is_fast) {
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3);
  pl_fem_def def = pl_default_fem_def(is_fast ? PL_FEM_FAST : PL_FEM_COROTATED);
  def.fast_step = 1.0 / 240;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  return model;
}
static pl_model *make_implicit(pl_context *context) {
  return make_fem(context, false);
}
static pl_model *make_fast(pl_context *context) {
  return make_fem(context, true);
}

static pl_model *make_sheet(pl_context *context, bool is_plane) {
  pl_mesh *mesh = make_fem_sheet(context, 0.5, 5, 4);
  pl_fem_def def = pl_default_fem_def(is_plane ? PL_FEM_PLANE : PL_FEM_SHELL);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  return model;
}
static pl_model *make_shell(pl_context *context) {
  return make_sheet(context, false);
}
static pl_model *make_plane(pl_context *context) {
  return make_sheet(context, true);
}

static const struct {
  const char *name;
  model_maker *make;
} methods[] = {{"solid", make_solid}, {"rod", make_rod},     {"fem", make_implicit},
               {"fast", make_fast},   {"shell", make_shell}, {"plane", make_plane}};
enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

typedef enum harm { FAST, SPINNING, FAR, PUSHED, HARM_COUNT } harm;
static const char *const harm_names[HARM_COUNT] = {"fast", "spinning", "far", "pushed"};

// A harmless box as body 0, and body 1 with something out of range.
static pl_world *make_harmed(pl_context *context, const pl_model *box, const pl_model *model, harm kind, double size) {
  pl_error error = {0};
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  add_body(world, box, (pl_vec3){5, 1, 0});
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement.position = (pl_vec3){0, 1, 0};
  if (kind == FAR) def.placement.position.x = size;
  if (kind == FAST) def.velocity = (pl_vec3){size, -size, 0};
  if (kind == SPINNING) def.angular_velocity = (pl_vec3){0, 0, size};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  if (kind == PUSHED) check_ok(pl_world_add_force(world, body, 3, (pl_vec3){size, size, 0}, &error), &error);
  return world;
}

static void what_is_out_of_range_fails_at_once_by_name_and_harms_nothing(void **state) {
  (void)state;
  const double sizes[] = {1e30, 1e120, 1e300};
  pl_context *context = make_context(1);
  pl_solid_def def = pl_default_solid_def();
  pl_model *box = make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 2, 2, 2, &def);
  for (int m = 0; m < METHOD_COUNT; ++m) {
    pl_model *model = methods[m].make(context);
    for (int kind = 0; kind < HARM_COUNT; ++kind)
      for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        pl_error error = {0};
        pl_step_report report;
        pl_world *world = make_harmed(context, box, model, (harm)kind, sizes[k]);
        uint64_t before = pl_world_get_hash(world);
        pl_status status = pl_world_step(world, &report, &error);
        print_message("%s, %s, %g: %d %s\n", methods[m].name, harm_names[kind], sizes[k], status, error.text);
        assert_int_equal(status, PL_ERROR_NOT_FINITE);
        assert_true(pl_world_get_hash(world) == before);
        assert_int_equal(pl_world_step_count(world), 0);
        assert_int_equal(report.contact_count, 0);
        assert_int_equal(report.failed_body.slot, pl_world_get_body(world, 1).slot);
        assert_int_equal(report.failed_body.generation, pl_world_get_body(world, 1).generation);
        assert_ptr_equal(strstr(error.text, "body 1, particle "), error.text);
        assert_true(report.cause[0] != '\0');
        pl_world_destroy(world);
      }
    pl_model_destroy(model);
  }
  pl_model_destroy(box);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_out_of_range_fails_at_once_by_name_and_harms_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
