// Weights centred on fine solids stay where finite elements of the same stiffness carry them, and as high; a weight
// under which these buckle falls off both.
// ctest: physics once
#include <math.h>

#include "fixtures/fem_bodies.h"
#include "fixtures/rigid_bodies.h"

static const double SIZE = 0.2;
enum { CELLS = 6 };

// Of a solid with default settings and these cells, by the formula of docs/solid.md.
static const double DEFAULT_YOUNG = 10.7e3;

typedef struct load {
  double young, step;   // Pa, 0 for a solid with default settings; s
  double density;       // of the weight, kg/m³
  bool is_soft, falls;  // the weight is a solid like the one below
  bool is_far;          // 5 m from the origin
} load;

typedef struct outcome {
  double height, aside;  // of the weight's centre, metres
  bool asleep;
} outcome;

static pl_model *make_below(pl_context *context, const load *l, bool is_solid) {
  pl_solid_def solid = pl_default_solid_def();
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  solid.young = l->young;
  def.young = l->young > 0 ? l->young : DEFAULT_YOUNG;
  def.poisson = 0;  // as a solid
  if (is_solid) return make_box_model(context, pl_vec3_of(SIZE, SIZE, SIZE), CELLS, CELLS, CELLS, &solid);
  pl_mesh *mesh = make_fem_box(context, pl_vec3_of(SIZE, SIZE, SIZE), CELLS, CELLS, CELLS);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  return model;
}

static outcome put_on(const load *l, bool is_solid) {
  pl_context *context = make_context(1);
  pl_world *world = make_world(context, l->step, -9.81);
  pl_model *below = make_below(context, l, is_solid), *weight = NULL;
  pl_rigid_def def = pl_default_rigid_def();
  def.shape = PL_RIGID_BOX;
  def.half_size = pl_vec3_of(0.5 * SIZE, 0.5 * SIZE, 0.5 * SIZE);
  def.density = l->density;
  if (!l->is_soft) weight = make_rigid(context, &def, NULL);
  add_ground(world);
  double at = l->is_far ? 5 : 0;
  add_body(world, below, pl_vec3_of(at, 0.5 * SIZE, at));
  pl_body_id top = add_body(world, l->is_soft ? below : weight, pl_vec3_of(at, 1.5 * SIZE + 5e-4, at));
  run_steps(world, (int32_t)(6 / l->step));
  pl_vec3 center = pl_body_get_report(world, top).center;
  outcome o = {center.y, hypot(center.x - at, center.z - at), pl_body_is_asleep(world, top)};
  pl_world_destroy(world);
  pl_model_destroy(below);
  pl_model_destroy(weight);
  drop_context(context);
  return o;
}

// A column of modulus E and side a, free at its top, buckles under less than π² E I / (4 a²), I = a⁴ / 12: 88 N at
// the default, which has to carry itself too.
static void what_finite_elements_carry_stays(void **state) {
  (void)state;
  static const load loads[] = {
      {0, 1.0 / 240, 100, false, false, false},    {0, 1.0 / 240, 300, false, false, true},
      {0, 1.0 / 240, 1000, false, true, false},    {43e3, 1.0 / 480, 1000, false, false, true},
      {43e3, 1.0 / 480, 1000, true, false, false},
  };
  for (size_t i = 0; i < sizeof loads / sizeof *loads; ++i) {
    outcome o = put_on(&loads[i], true), wanted = put_on(&loads[i], false);
    print_message("%.0f Pa, %s of %.0f kg/m^3: %.4f m high, %.4f aside; on finite elements %.4f, %.4f\n",
                  loads[i].young, loads[i].is_soft ? "solid" : "weight", loads[i].density, o.height, o.aside,
                  wanted.height, wanted.aside);
    assert_true(loads[i].falls == (o.height < SIZE));
    assert_true(loads[i].falls == (wanted.height < SIZE));
    if (loads[i].falls) continue;
    check_at_most(o.aside, 2e-3);
    check_near(o.height, wanted.height, 0.05 * SIZE);
    assert_true(o.asleep);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_finite_elements_carry_stays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
