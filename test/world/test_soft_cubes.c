// Cubes that fall, also such that collapse under their own weight, never overlap the ground by more than the automatic
// contact thickness.
// ctest: physics once
#include "fixtures/box_stacks.h"
#include "fixtures/rigid_bodies.h"

enum { MAX_POINTS = 1000, SOLID_CUBE = 99 };

typedef struct cube {
  int material;  // a pl_fem_material, or SOLID_CUBE
  double young, step, position, drop;
  int32_t cells;
} cube;

typedef struct fall {
  double lowest, highest, top;  // of the surface: ever, and at the end; metres
  double thickness;
} fall;

static pl_model *make_cube(pl_context *context, const cube *c, const pl_mesh *mesh) {
  pl_error error = {0};
  pl_model *model = NULL;
  pl_solid_def solid = pl_default_solid_def();
  solid.young = c->young;
  if (c->material == SOLID_CUBE) {
    check_ok(pl_solid_build(context, &solid, mesh, &model, &error), &error);
    return model;
  }
  pl_fem_def def = pl_default_fem_def((pl_fem_material)c->material);
  def.young = c->young;
  def.fast_step = c->step;
  return make_fem_model(context, &def, mesh);
}

static fall drop_cube(const cube *c) {
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){BOX_SIZE, BOX_SIZE, BOX_SIZE}, c->cells, c->cells, c->cells);
  pl_model *model = make_cube(context, c, mesh);
  pl_mesh_destroy(mesh);
  pl_model_report report = pl_model_get_report(model);
  assert_true(report.surface_point_count <= MAX_POINTS);
  pl_world *world = make_world(context, c->step, -9.81);
  add_ground(world);
  pl_body_id body = add_body(world, model, (pl_vec3){c->position, 0.5 * BOX_SIZE + c->drop, c->position});
  fall f = {HUGE_VAL, -HUGE_VAL, -HUGE_VAL, report.contact_radius};
  for (int i = 0; i < 1 / c->step; ++i) {
    static pl_vec3 points[MAX_POINTS];
    run_steps(world, 1);
    pl_body_get_surface(world, body, points);
    f.top = -HUGE_VAL;
    for (int32_t k = 0; k < report.surface_point_count; ++k) {
      f.lowest = fmin(f.lowest, points[k].y);
      f.top = fmax(f.top, points[k].y);
    }
    f.highest = fmax(f.highest, f.top);
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
      cube c = {(int)MATERIALS[m], young, BOX_STEP, young < 5e3 ? 5 : 0, 0.001, 3};
      fall f = drop_cube(&c);
      print_message("material %d, %5g Pa: lowest point %8.4f mm above the ground, top at %.4f m\n", m, young,
                    1e3 * f.lowest, f.top);
      assert_true(f.lowest > -f.thickness);
      assert_true(f.top < 0.97 * BOX_SIZE && (young < 5e3 || f.top > 0.8 * BOX_SIZE));
    }
}

// At both steps, after falls, and in the last rows where springs and sweeps alone leave points 1 to 32 mm deep.
static void other_meshes_and_steps(void **state) {
  (void)state;
  const cube cubes[] = {{PL_FEM_COROTATED, 1e3, BOX_STEP, 0, 0, 6},   {PL_FEM_FAST, 1e3, BOX_STEP, 0, 0, 8},
                        {PL_FEM_FAST, 1e4, BOX_STEP, 0, 0, 8},        {PL_FEM_COROTATED, 1e3, 1.0 / 60, 5, 0, 3},
                        {PL_FEM_COROTATED, 1e2, 1.0 / 60, 0, 0, 3},   {PL_FEM_NEO_HOOKEAN, 1e3, 1.0 / 60, 0, 0, 3},
                        {PL_FEM_COROTATED, 1e4, BOX_STEP, 0, 0.5, 3}, {PL_FEM_NEO_HOOKEAN, 1e5, 1.0 / 60, 5, 2, 3},
                        {PL_FEM_FAST, 1e4, 1.0 / 60, 0, 2, 3},        {PL_FEM_FAST, 1e5, 1.0 / 240, 5, 2, 4},
                        {SOLID_CUBE, 1e5, BOX_STEP, 0, 0.5, 3},       {SOLID_CUBE, 1e4, 1.0 / 60, 5, 0.001, 3},
                        {SOLID_CUBE, 1e5, 1.0 / 60, 0, 2, 3},         {SOLID_CUBE, 1e3, 1.0 / 60, 0, 0.5, 6}};
  for (size_t k = 0; k < sizeof cubes / sizeof *cubes; ++k) {
    fall f = drop_cube(&cubes[k]);
    print_message("material %d, %5g Pa, %d cells, step %.4f s, from %g m: lowest point %8.4f mm above the ground\n",
                  cubes[k].material, cubes[k].young, cubes[k].cells, cubes[k].step, cubes[k].drop, 1e3 * f.lowest);
    assert_true(f.lowest > -f.thickness);
  }
}

// What is put into the ground comes out by its contacts, and is not thrown.
static void a_cube_in_the_ground_rises_gently(void **state) {
  (void)state;
  static const int kinds[] = {PL_FEM_COROTATED, PL_FEM_FAST, SOLID_CUBE};
  for (int k = 0; k < 3; ++k) {
    cube c = {kinds[k], 1e5, BOX_STEP, 0, -0.02, 3};
    fall f = drop_cube(&c);
    print_message("kind %d from 20 mm inside: highest point ever %.4f m\n", k, f.highest);
    assert_true(f.lowest > -0.021);
    check_at_most(f.highest, 1.4 * BOX_SIZE);
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
      cmocka_unit_test(a_cube_in_the_ground_rises_gently),
      cmocka_unit_test(thickness_follows_the_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
