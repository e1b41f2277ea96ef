// Shells in tracking: a thin sheet that bends, seen from both sides.
// ctest: physics once
#include "fixtures/swaying_bar.h"

enum { FRAMES = 6, ACROSS = 24, ALONG = 16 };

// A sheet of 0.4 x 0.24 m of triangles, held along its left edge. It bends as the bar of the fixture does, without its
// twist, which would stretch a sheet.
static pl_mesh *make_sheet(pl_context *context) {
  pl_vec3 points[(ACROSS + 1) * (ALONG + 1)];
  int32_t triangles[6 * ACROSS * ALONG], count = 0;
  for (int j = 0; j <= ALONG; ++j)
    for (int i = 0; i <= ACROSS; ++i)
      points[j * (ACROSS + 1) + i] = (pl_vec3){-0.2 + 0.4 * i / ACROSS, 0, -0.12 + 0.24 * j / ALONG};
  for (int j = 0; j < ALONG; ++j)
    for (int i = 0; i < ACROSS; ++i) {
      int32_t a = j * (ACROSS + 1) + i, b = a + 1, c = a + ACROSS + 1, d = c + 1;
      // Diagonals by turns, so that no direction is stiffer than the other.
      const int32_t even[6] = {a, c, b, b, c, d}, odd[6] = {a, c, d, a, d, b};
      for (int k = 0; k < 6; ++k) triangles[count++] = (i + j) % 2 == 0 ? even[k] : odd[k];
    }
  pl_mesh_view view = {
      .point_count = (ACROSS + 1) * (ALONG + 1), .points = points, .triangle_count = count / 3, .triangles = triangles};
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

static bar_fixture make_sheet_fixture(pl_context *context) {
  bar_fixture fixture = {.context = context, .rate = 30, .amplitude = 3, .sensor = pl_default_sensor_def()};
  fixture.mesh = make_sheet(context);
  pl_fem_def def = pl_default_fem_def(PL_FEM_SHELL);
  def.thickness = 0.002;
  fixture.model = make_fem_model(context, &def, fixture.mesh);
  pl_mesh_view view = pl_mesh_get_view(fixture.mesh);
  fixture.surface_count = view.point_count;
  fixture.triangle_count = view.triangle_count;
  fixture.parents = calloc((size_t)view.point_count, sizeof(int32_t));
  for (int32_t i = 0; i < view.point_count; ++i) {
    fixture.parents[i] = i;
    if (view.points[i].x < -0.19) fixture.held[fixture.held_count++] = i;
  }
  int32_t *triangles = calloc(3 * (size_t)view.triangle_count, sizeof *triangles);
  memcpy(triangles, view.triangles, 3 * (size_t)view.triangle_count * sizeof *triangles);
  fixture.triangles = triangles;
  pl_sensor_ring(&(pl_camera_ring){(pl_box){{-0.2, -0.2, -0.15}, {0.25, 0.2, 0.15}}, BAR_CAMERAS, 0.6, 0, BAR_WIDTH,
                                   BAR_HEIGHT, 0},
                 fixture.cameras);
  return fixture;
}

static void a_thin_sheet_is_tracked_from_both_sides(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar_fixture fixture = make_sheet_fixture(context);
  // One camera looks from below, at the side that the triangles turn away from the others.
  pl_sensor_ring(
      &(pl_camera_ring){(pl_box){{-0.2, -0.2, -0.15}, {0.25, 0.2, 0.15}}, 1, -0.6, PL_PI, BAR_WIDTH, BAR_HEIGHT, 0},
      &fixture.cameras[2]);
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = NULL;
  pl_error error = {0};
  check_ok(pl_tracker_create(context, &def, fixture.model, NULL, &tracker, &error), &error);
  for (int32_t f = 0; f < FRAMES; ++f) {
    bar_cloud cloud = take_bar_cloud(&fixture, f);
    pl_track_report report;
    pl_status status = pl_tracker_advance(tracker, f / fixture.rate, &cloud.view, &report, &error);
    print_message("frame %d: %.2f mm off, residual %.2f mm, %.0f %% explained, %.0f %% seen, strain %.1f %%\n", f,
                  1e3 * bar_error(&fixture, tracker, f), 1e3 * report.residual, 100 * report.explained_fraction,
                  100 * report.seen_fraction, 100 * report.strain);
    check_ok(status, &error);
    assert_int_equal(report.state, PL_TRACK_GOOD);
    check_at_most(bar_error(&fixture, tracker, f), 0.0012);
    drop_bar_cloud(&cloud);
  }
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thin_sheet_is_tracked_from_both_sides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
