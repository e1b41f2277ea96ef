// Bodies that start inside the ground come out of it gently.
// ctest: physics
#include "fixtures/box_stacks.h"

static const pl_fem_material METHODS[] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_FAST};
enum { METHOD_COUNT = 3 };

static void what_starts_in_the_ground_comes_out_slowly(void **state) {
  (void)state;
  static const double youngs[] = {1e5, 1e6, 1e7}, depths[] = {0.002, 0.02, 0.06, 0.1}, rates[] = {60, 240, 480};
  int bad = 0;
  for (int k = 0; k < METHOD_COUNT * 3 * 4 * 3; ++k) {
    double step = 1 / rates[k % 3], depth = depths[k / 3 % 4], young = youngs[k / 12 % 3], max_speed = 0, highest = 0;
    pl_fem_material material = METHODS[k / 36];
    pl_context *context = make_context(1);
    pl_world *world = make_world(context, step, -9.81);
    pl_mesh *mesh = make_fem_box(context, (pl_vec3){BOX_SIZE, BOX_SIZE, BOX_SIZE}, 3, 3, 3);
    pl_fem_def def = pl_default_fem_def(material);
    def.young = young, def.fast_step = step;
    pl_model *model = make_fem_model(context, &def, mesh);
    add_ground(world);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0.5 * BOX_SIZE - depth, 0});
    for (int32_t i = 0; i * step < 3; ++i) {
      run_steps(world, 1);
      pl_body_report r = pl_body_get_report(world, body);
      max_speed = fmax(max_speed, r.momentum.y / r.mass);
      highest = fmax(highest, r.box.min.y);
    }
    pl_body_report end = pl_body_get_report(world, body);
    bool is_good = max_speed < 1 && highest < 0.05 && end.box.min.y > -1e-3;
    bad += !is_good;
    print_message("material %d, %g Pa, %g m deep, 1/%.0f s: out at %.3f m/s, %.4f m high, ends at %.5f m%s\n",
                  (int)material, young, depth, 1 / step, max_speed, highest, end.box.min.y, is_good ? "" : " BAD");
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_starts_in_the_ground_comes_out_slowly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
