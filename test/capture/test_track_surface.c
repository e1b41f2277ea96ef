// Surfaces made of the first cloud: a bulky body and a thin sheet, seen by three noisy cameras.
// ctest: physics once
#include "fixtures/swaying_sheet.h"

static double volume_of(const pl_mesh *surface) {
  pl_mesh_view view = pl_mesh_get_view(surface);
  double sum = 0;
  for (int32_t t = 0; t < view.triangle_count; ++t) {
    const int32_t *c = view.triangles + 3 * (ptrdiff_t)t;
    pl_vec3 a = view.points[c[0]], b = view.points[c[1]], d = view.points[c[2]];
    sum += (a.x * (b.y * d.z - b.z * d.y) + a.y * (b.z * d.x - b.x * d.z) + a.z * (b.x * d.y - b.y * d.x)) / 6;
  }
  return sum;
}

static pl_mesh *build(const bar_fixture *fixture, bool *is_sheet) {
  pl_error error = {0};
  pl_mesh *surface = NULL;
  bar_cloud cloud = take_bar_cloud(fixture, 0);
  pl_track_surface_input input = {.cloud = &cloud.view, .cameras = fixture->cameras, .camera_count = BAR_CAMERAS};
  check_ok(pl_track_build_surface(fixture->context, &input, &surface, is_sheet, &error), &error);
  drop_bar_cloud(&cloud);
  return surface;
}

// Distance of a point from the surface of the bar in its rest shape.
static double off_box(pl_vec3 p) {
  const double out[3] = {fabs(p.x) - 0.2, fabs(p.y) - 0.04, fabs(p.z) - 0.03};
  double outside = 0, inside = -HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    outside += out[k] > 0 ? out[k] * out[k] : 0;
    inside = fmax(inside, out[k]);
  }
  return inside > 0 ? sqrt(outside) : -inside;
}

static void a_bar_becomes_a_closed_surface(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  fixture.amplitude = 1e-9;
  bool is_sheet = true;
  pl_mesh *surface = build(&fixture, &is_sheet);
  assert_false(is_sheet);
  pl_mesh_view view = pl_mesh_get_view(surface);
  double sum = 0, volume = volume_of(surface), truth = 0.4 * 0.08 * 0.06;
  for (int32_t i = 0; i < view.point_count; ++i) sum += off_box(view.points[i]) * off_box(view.points[i]);
  double off = sqrt(sum / view.point_count);
  print_message("bar: %d points, %.2f mm off rms, volume %.1f %% of the truth\n", view.point_count, 1e3 * off,
                100 * volume / truth);
  check_at_most(off, 0.004);
  check_near(volume, truth, 0.15 * truth);
  // Filled with tets as a scan would be, without holes.
  pl_lattice_def lattice = pl_default_lattice_def();
  pl_lattice_report report;
  pl_mesh *tets = NULL;
  pl_error error = {0};
  lattice.target_point_count = 300;
  check_ok(pl_lattice_build(context, &lattice, surface, &tets, &report, &error), &error);
  assert_int_equal(report.hole_edge_count, 0);
  pl_mesh_destroy(tets);
  pl_mesh_destroy(surface);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

static void a_thin_sheet_stays_a_sheet(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar_fixture fixture = make_sheet_fixture(context);
  bool is_sheet = false;
  pl_mesh *surface = build(&fixture, &is_sheet);
  assert_true(is_sheet);
  pl_mesh_view view = pl_mesh_get_view(surface);
  // It is bent to a circle of this curvature through the origin of its held edge.
  double bend = fixture.amplitude * sin(0.9), sum = 0, area = 0;
  for (int32_t i = 0; i < view.point_count; ++i) {
    double off = hypot(view.points[i].x + 0.2, view.points[i].y - 1 / bend) - 1 / fabs(bend);
    sum += off * off;
  }
  for (int32_t t = 0; t < view.triangle_count; ++t) {
    const int32_t *c = view.triangles + 3 * (ptrdiff_t)t;
    area += 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(view.points[c[1]], view.points[c[0]]),
                                               pl_vec3_sub(view.points[c[2]], view.points[c[0]])));
  }
  double off = sqrt(sum / view.point_count);
  print_message("sheet: %d points, %.2f mm off rms, area %.1f %% of the truth\n", view.point_count, 1e3 * off,
                100 * area / (0.4 * 0.24));
  check_at_most(off, 0.002);
  check_near(area, 0.4 * 0.24, 0.15 * 0.4 * 0.24);
  pl_mesh_destroy(surface);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

static void what_cannot_become_a_surface_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar_fixture fixture = make_bar_fixture(context);
  bar_cloud cloud = take_bar_cloud(&fixture, 0);
  pl_track_surface_input input = {.cloud = &cloud.view, .cameras = fixture.cameras, .camera_count = BAR_CAMERAS};
  pl_mesh *surface = NULL;
  pl_error error = {0};
  input.cell_size = 1e-5;
  assert_int_equal(pl_track_build_surface(context, &input, &surface, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  input.cell_size = 1;
  assert_int_equal(pl_track_build_surface(context, &input, &surface, NULL, &error), PL_ERROR_INVALID_DATA);
  input.camera_count = 0;
  assert_int_equal(pl_track_build_surface(context, &input, &surface, NULL, &error), PL_ERROR_UNSUPPORTED);
  cloud.view.point_count = 10;
  assert_int_equal(pl_track_build_surface(context, &input, &surface, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_null(surface);
  drop_bar_cloud(&cloud);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bar_becomes_a_closed_surface),
      cmocka_unit_test(a_thin_sheet_stays_a_sheet),
      cmocka_unit_test(what_cannot_become_a_surface_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
