// Plasticity along the examples, and maps of fidelity and plasticity. One step with a map of fidelity is compared with
// a dense reference in test_solid_examples.c.
// ctest: physics
#include "fixtures/solid_bodies.h"

enum { MAX = 260 };

// A bar along z with one example, a squash, and a group that begins in its middle.
typedef struct bar {
  pl_mesh *mesh;
  int32_t n;
  pl_vec3 squashed[MAX];
  pl_mesh_pose pose;
  float halves[2][MAX];
  pl_mesh_group groups[2];
} bar;

static bar make_bar(pl_context *context, int32_t nx, int32_t ny, int32_t nz) {
  bar b = {0};
  pl_error error = {0};
  pl_vec3 size = {0.25 * nx, 0.25 * ny, 0.25 * nz};
  check_ok(pl_mesh_create_box(context, size, (const int32_t[3]){nx, ny, nz}, &b.mesh, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(b.mesh);
  b.n = view.point_count;
  assert_true(b.n <= MAX);
  for (int32_t i = 0; i < b.n; ++i) {
    pl_vec3 p = view.points[i];
    b.squashed[i] = (pl_vec3){1.2 * p.x, 1.2 * p.y, 0.7 * p.z};
    double t = fmin(fmax(0.5 + 5 * p.z / size.z, 0), 1);
    b.halves[0][i] = (float)(1 - t);
    b.halves[1][i] = (float)t;
  }
  return b;
}

static void use_bar(bar *b, pl_solid_def *def) {
  b->pose = (pl_mesh_pose){"squash", b->squashed};
  b->groups[0] = (pl_mesh_group){"back", b->halves[0]};
  b->groups[1] = (pl_mesh_group){"front", b->halves[1]};
  def->examples = &b->pose;
  def->example_count = 1;
  def->groups = b->groups;
  def->group_count = 2;
}

// Past the threshold the rest shape moves along the examples and stays.
static void a_plastic_body_keeps_part_of_a_deep_dent(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  bar b = make_bar(context, 4, 4, 8);
  double kept[2];
  for (int shallow = 0; shallow < 2; ++shallow) {
    pl_solid_def def = pl_default_solid_def();
    def.damping = 20;
    def.plastic_threshold = 0.3;
    def.plastic_rate = 1000;
    def.fidelity = 0.9;
    use_bar(&b, &def);
    pl_model *model = NULL;
    check_ok(pl_solid_build(context, &def, b.mesh, &model, &error), &error);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    pl_vec3 x[MAX];
    pl_mesh_view view = pl_mesh_get_view(b.mesh);
    static const pl_vec3 still[MAX];
    for (int32_t i = 0; i < b.n; ++i) x[i] = pl_vec3_lerp(view.points[i], b.squashed[i], shallow ? 0.2 : 1.0);
    check_ok(pl_body_set_state(world, body, x, still, &error), &error);
    run_steps(world, 4800);
    pl_body_get_weights(world, body, 0, &kept[shallow]);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  print_message("weight kept after 20 s: %.3f of a deep dent, %.3f of a shallow one\n", kept[0], kept[1]);
  check_near(kept[0], 0.7, 0.05);
  check_at_most(kept[1], 0.01);
  pl_mesh_destroy(b.mesh);
  drop_context(context);
}

// Length of the bar's part with z above `from`, along z, over that at rest.
static double length_ratio(const pl_mesh *mesh, const pl_vec3 *x, double from, double to) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  double ends[2] = {0, 0};
  int32_t counts[2] = {0, 0};
  for (int32_t i = 0; i < view.point_count; ++i)
    for (int side = 0; side < 2; ++side)
      if (fabs(view.points[i].z - (side == 0 ? from : to)) < 1e-6) ends[side] += x[i].z, counts[side]++;
  return (ends[1] / counts[1] - ends[0] / counts[0]) / (to - from);
}

// A map of plasticity: the squashed bar keeps its dent in the plastic half, and the elastic half returns, whatever
// follows one mixture.
static void an_elastic_part_of_a_plastic_body_returns(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  bar b = make_bar(context, 4, 4, 8);
  for (int grouping = 0; grouping < 3; ++grouping) {
    pl_solid_def def = pl_default_solid_def();
    def.damping = 20;
    def.plastic_threshold = 0.3;
    def.plastic_rate = 1000;
    def.fidelity = 0.9;
    def.grouping = (pl_solid_grouping)grouping;
    def.plastic_scales = b.halves[1];  // 0 below z = -0.2, 1 above 0.2
    use_bar(&b, &def);
    pl_model *model = NULL;
    check_ok(pl_solid_build(context, &def, b.mesh, &model, &error), &error);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    pl_vec3 x[MAX];
    static const pl_vec3 still[MAX];
    check_ok(pl_body_set_state(world, body, b.squashed, still, &error), &error);
    run_steps(world, 4800);
    pl_body_get_positions(world, body, x);
    double elastic = length_ratio(b.mesh, x, -1, -0.5), plastic = length_ratio(b.mesh, x, 0.5, 1);
    print_message("grouping %d: 20 s after a squash to 0.7 the elastic end is %.3f long, the plastic end %.3f\n",
                  grouping, elastic, plastic);
    check_near(elastic, 1, 0.03);
    check_near(plastic, 1 - 0.7 * 0.3, 0.03);  // 0.7 of the example stays
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(b.mesh);
  drop_context(context);
}

static void maps_of_fractions_are_checked(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = make_bar(context, 2, 2, 4);
  for (int field = 0; field < 2; ++field) {
    pl_error error = {0};
    pl_solid_def def = pl_default_solid_def();
    float scales[MAX];
    for (int32_t i = 0; i < b.n; ++i) scales[i] = i == 7 ? 1.5f : 0.5f;
    if (field == 0)
      def.fidelity_scales = scales;
    else
      def.plastic_scales = scales;
    use_bar(&b, &def);
    pl_model *model = NULL;
    assert_int_equal(pl_solid_build(context, &def, b.mesh, &model, &error), PL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.field, field == 0 ? "fidelity_scales" : "plastic_scales");
    assert_non_null(strstr(error.text, "point 7"));
  }
  pl_mesh_destroy(b.mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plastic_body_keeps_part_of_a_deep_dent),
      cmocka_unit_test(an_elastic_part_of_a_plastic_body_returns),
      cmocka_unit_test(maps_of_fractions_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
