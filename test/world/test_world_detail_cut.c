// Detail on a body that is cut: what is recorded on the whole block stays on the side of the cut that the tool is on,
// and without a load there is none.
// ctest: unit
#include "fixtures/detail_block.h"
#include "mesh/topology.h"

// The set with a kernel so wide that a cut changes weights little: whatever holds stamps back at a cut, it is not the
// weight.
static pl_detail_set *record_wide(pl_context *context) {
  fixture s = make_fixture(context);
  pl_detail_set *set = record_fixture(context, &s, 60), *wide = NULL;
  pl_detail_set_view view = pl_detail_set_get_view(set);
  view.def.site_width = 2;
  view.def.load_width = 2;
  pl_error error = {0};
  check_ok(pl_detail_set_create(context, &view, &wide, &error), &error);
  pl_detail_set_destroy(set);
  drop_fixture(&s);
  return wide;
}

static fixture make_cut_fixture(pl_context *context, double x) {
  pl_mesh *block = make_block(context);
  pl_cut_def def = pl_default_cut_def();
  def.plane_point = pl_vec3_of(x, 0, 0);
  pl_cut_result cut;
  pl_error error = {0};
  check_ok(pl_mesh_cut(context, &def, block, &cut, &error), &error);
  assert_int_equal(cut.report.component_count, 2);
  pl_embedding_destroy(cut.embedding);
  pl_mesh_destroy(block);
  return make_fixture_of(context, cut.mesh);
}

// Surface points of two equal stages, one with a layer, that differ: on the tool's side of the cut, and beyond.
static void count_moved(pl_context *context, fixture *plain, fixture *detailed, int32_t triangle, int32_t moved[2]) {
  pl_error error = {0};
  check_ok(pl_body_get_surface(plain->world, plain->body, plain->surface), &error);
  check_ok(pl_body_get_surface(detailed->world, detailed->body, detailed->surface), &error);
  pl_mesh_view mesh = pl_mesh_get_view(plain->mesh);
  pl_mesh *boundary = NULL;
  int32_t *point_of_surface = malloc((size_t)mesh.point_count * sizeof *point_of_surface), *component = NULL,
          component_count = 0;
  check_ok(pl_mesh_build_boundary(context, plain->mesh, &boundary, point_of_surface, &error), &error);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  assert_true(pl_components_find(&arena, (pl_elements){mesh.tets, mesh.tet_count, 4}, mesh.point_count, &component,
                                 &component_count));
  int32_t here = component[point_of_surface[pl_model_get_surface_triangles(plain->model)[3 * triangle]]];
  moved[0] = moved[1] = 0;
  for (int32_t i = 0; i < plain->surface_count; ++i)
    moved[component[point_of_surface[i]] != here] +=
        memcmp(&plain->surface[i], &detailed->surface[i], sizeof(pl_vec3)) != 0;
  pl_arena_destroy(&arena);
  pl_mesh_destroy(boundary);
  free(point_of_surface);
}

static void detail_on_a_cut_body_stays_on_its_side(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_detail_set *set = record_wide(context);
  static const double cuts[] = {0.06, -0.04, 0.11};
  for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; ++k) {
    fixture plain = make_cut_fixture(context, cuts[k]), detailed = make_cut_fixture(context, cuts[k]);
    pl_detail_layer *layer = add_layer(&detailed, set);
    int32_t touched = 0, moved[2], max = 0;
    for (int step = 0; step < 60; ++step) {
      run_steps(plain.world, 1);
      run_steps(detailed.world, 1);
      pl_detail_contact_report report = {0};
      if (pl_detail_layer_get_contacts(layer, 1, &report) == 0 || report.best_example < 0) continue;
      touched++;
      count_moved(context, &plain, &detailed, report.triangle, moved);
      assert_int_equal(moved[1], 0);
      if (moved[0] > max) max = moved[0];
    }
    printf("cut at %.2f: %d steps with detail, up to %d points moved, none beyond the cut\n", cuts[k], touched, max);
    assert_true(touched > 20 && max > 10);
    drop_fixture(&plain);
    drop_fixture(&detailed);
    pl_detail_layer_destroy(layer);
  }
  pl_detail_set_destroy(set);
  drop_context(context);
}

// Put the body at rest into the air, where nothing deforms it.
static void lift_body(fixture *s) {
  pl_mesh_view mesh = pl_mesh_get_view(s->mesh);
  pl_vec3 *still = calloc((size_t)mesh.point_count, sizeof *still), *at = malloc((size_t)mesh.point_count * sizeof *at);
  for (int32_t i = 0; i < mesh.point_count; ++i) at[i] = pl_vec3_add(mesh.points[i], pl_vec3_of(2, 1.5, 1));
  pl_error error = {0};
  check_ok(pl_body_set_state(s->world, s->body, at, still, &error), &error);
  free(still);
  free(at);
}

// A tool that reaches far counts as touching a body that it does not load: the surface is that without a layer, to the
// last bit.
static void a_touch_without_load_shows_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_detail_set *set = record_wide(context);
  fixture plain = make_fixture(context), detailed = make_fixture(context);
  pl_detail_layer_def def = pl_default_detail_layer_def();
  def.set = set;
  def.mesh = detailed.mesh;
  def.reach = 2;
  pl_detail_layer *layer = NULL;
  pl_error error = {0};
  check_ok(pl_detail_layer_add(detailed.world, detailed.body, &def, &layer, &error), &error);
  lift_body(&plain);
  lift_body(&detailed);
  for (int step = 0; step < 5; ++step) {
    run_steps(plain.world, 1);
    run_steps(detailed.world, 1);
    pl_detail_contact_report report;
    assert_int_equal(pl_detail_layer_get_contacts(layer, 1, &report), 1);
    assert_int_equal(report.best_example, -1);
    check_ok(pl_body_get_surface(plain.world, plain.body, plain.surface), &error);
    check_ok(pl_body_get_surface(detailed.world, detailed.body, detailed.surface), &error);
    assert_memory_equal(plain.surface, detailed.surface, (size_t)plain.surface_count * sizeof *plain.surface);
  }
  drop_fixture(&plain);
  drop_fixture(&detailed);
  pl_detail_layer_destroy(layer);
  pl_detail_set_destroy(set);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(detail_on_a_cut_body_stays_on_its_side),
      cmocka_unit_test(a_touch_without_load_shows_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
