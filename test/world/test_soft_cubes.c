// Cubes so soft that they collapse under their own weight stay above the ground, by the automatic contact thickness.
// ctest: physics once
#include "fixtures/box_stacks.h"
#include "fixtures/rigid_bodies.h"

enum { MAX_POINTS = 1000 };

typedef struct cube {
  pl_fem_material material;
  double young, step, position, drop;
  int32_t cells;
} cube;

typedef struct fall {
  double lowest, top;  // of the surface: ever, and at the end; metres
  double thickness;
} fall;

static fall drop_cube(const cube *c) {
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){BOX_SIZE, BOX_SIZE, BOX_SIZE}, c->cells, c->cells, c->cells);
  pl_fem_def def = pl_default_fem_def(c->material);
  def.young = c->young;
  def.fast_step = c->step;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  pl_model_report report = pl_model_get_report(model);
  assert_true(report.surface_point_count <= MAX_POINTS);
  pl_world *world = make_world(context, c->step, -9.81);
  add_ground(world);
  pl_body_id body = add_body(world, model, (pl_vec3){c->position, 0.5 * BOX_SIZE + c->drop, c->position});
  fall f = {HUGE_VAL, -HUGE_VAL, report.contact_radius};
  for (int i = 0; i < 1 / c->step; ++i) {
    static pl_vec3 points[MAX_POINTS];
    run_steps(world, 1);
    pl_body_get_surface(world, body, points);
    f.top = -HUGE_VAL;
    for (int32_t k = 0; k < report.surface_point_count; ++k) {
      f.lowest = fmin(f.lowest, points[k].y);
      f.top = fmax(f.top, points[k].y);
    }
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
  return f;
}

// At rest they would stand lower by ρ g H² / 2 E: 2 cm at 10 kPa. Softer ones have nothing that could carry them.
static void soft_cubes_squash_above_the_ground(void **state) {
  (void)state;
  static const pl_fem_material MATERIALS[] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_FAST};
  for (int m = 0; m < 3; ++m)
    for (double young = 1e4; young > 50; young /= 10) {
      cube c = {MATERIALS[m], young, BOX_STEP, young < 5e3 ? 5 : 0, 0.001, 3};
      fall f = drop_cube(&c);
      print_message("material %d, %5g Pa: lowest point %8.4f mm above the ground, top at %.4f m\n", m, young,
                    1e3 * f.lowest, f.top);
      assert_true(f.lowest > -1.1 * f.thickness);
      assert_true(f.top < 0.97 * BOX_SIZE && (young < 5e3 || f.top > 0.8 * BOX_SIZE));
    }
}

static void other_meshes_and_steps(void **state) {
  (void)state;
  const cube cubes[] = {{PL_FEM_COROTATED, 1e3, BOX_STEP, 0, 0, 6},  {PL_FEM_FAST, 1e3, BOX_STEP, 0, 0, 8},
                        {PL_FEM_FAST, 1e4, BOX_STEP, 0, 0, 8},       {PL_FEM_COROTATED, 1e3, 1.0 / 60, 5, 0, 3},
                        {PL_FEM_COROTATED, 1e2, 1.0 / 60, 0, 0, 3},  {PL_FEM_NEO_HOOKEAN, 1e3, 1.0 / 60, 0, 0, 3},
                        {PL_FEM_COROTATED, 1e4, BOX_STEP, 0, 0.5, 3}};
  for (size_t k = 0; k < sizeof cubes / sizeof *cubes; ++k) {
    fall f = drop_cube(&cubes[k]);
    print_message("%5g Pa, %d cells, step %.4f s, from %g m: lowest point %8.4f mm above the ground\n", cubes[k].young,
                  cubes[k].cells, cubes[k].step, cubes[k].drop, 1e3 * f.lowest);
    // The thickness, what gravity does in a step, or a tenth of the way that a point falls in a step.
    double way = sqrt(2 * 9.81 * cubes[k].drop) * cubes[k].step;
    assert_true(f.lowest > -fmax(fmax(f.thickness, 9.81 * cubes[k].step * cubes[k].step), 0.1 * way));
  }
}

static void check_radius(pl_model *model, double expected) {
  double radius = pl_model_get_report(model).contact_radius;
  pl_model_destroy(model);
  assert_true(fabs(radius - expected) <= 1e-9 * expected);
}

static void thickness_follows_the_size(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double expected = 5e-4 * sqrt(3.0) * 0.2;
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 3, 3, 3);
  check_radius(make_fem_model(context, &def, mesh), expected);
  def.material = PL_FEM_FAST;
  check_radius(make_fem_model(context, &def, mesh), expected);
  for (double given = 0; given < 0.03; given += 0.01) {
    def.contact_radius = given;
    check_radius(make_fem_model(context, &def, mesh), given);
  }
  def = pl_default_fem_def(PL_FEM_COROTATED);
  def.adapts = true;
  check_radius(make_fem_model(context, &def, mesh), 0);
  pl_mesh_destroy(mesh);
  // Thin ones: no more than a hundredth of the thickness.
  def = pl_default_fem_def(PL_FEM_COROTATED);
  mesh = make_fem_box(context, (pl_vec3){1, 0.01, 1}, 3, 1, 3);
  check_radius(make_fem_model(context, &def, mesh), 1e-4);
  pl_mesh_destroy(mesh);
  check_radius(make_rigid_box(context, (pl_vec3){0.1, 0.1, 0.1}), expected);
  pl_solid_def solid = pl_default_solid_def();
  check_radius(make_box_model(context, (pl_vec3){0.2, 0.2, 0.2}, 2, 2, 2, &solid), expected);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(soft_cubes_squash_above_the_ground),
      cmocka_unit_test(other_meshes_and_steps),
      cmocka_unit_test(thickness_follows_the_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
