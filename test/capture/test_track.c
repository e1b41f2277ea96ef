// Tracking against the truth: a bar that sways, seen by three depth cameras with noise, outliers and occlusion.
// ctest: physics threads once
#include "base/random.h"
#include "fixtures/swaying_bar.h"

#define NOISE 0.002  // metres
#define SIZE 0.412   // metres, of the bar

static pl_tracker *make_tracker(const bar_fixture *fixture, const pl_track_def *def) {
  pl_error error = {0};
  pl_tracker *tracker = NULL;
  check_ok(pl_tracker_create(fixture->context, def, fixture->model, NULL, &tracker, &error), &error);
  return tracker;
}

static pl_track_report advance(const bar_fixture *fixture, pl_tracker *tracker, int32_t frame,
                               const pl_cloud_view *cloud) {
  pl_error error = {0};
  pl_track_report report = {0};
  check_ok(pl_tracker_advance(tracker, frame / fixture->rate, cloud, &report, &error), &error);
  return report;
}

static pl_track_report follow(const bar_fixture *fixture, pl_tracker *tracker, int32_t frame) {
  bar_cloud cloud = take_bar_cloud(fixture, frame);
  pl_track_report report = advance(fixture, tracker, frame, &cloud.view);
  drop_bar_cloud(&cloud);
  return report;
}

static void points_are_tracked_to_within_the_noise(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = make_tracker(&fixture, &def);
  for (int32_t frame = 0; frame < 5; ++frame) {
    pl_track_report report = follow(&fixture, tracker, frame);
    double error = bar_error(&fixture, tracker, frame);
    print_message("frame %d: error %.3g mm, residual %.3g mm, explained %.3f, seen %.3f\n", frame, 1e3 * error,
                  1e3 * report.residual, report.explained_fraction, report.seen_fraction);
    check_at_most(error, 1.5 * NOISE);
    assert_int_equal(report.state, PL_TRACK_GOOD);
    check_near(report.explained_fraction, 0.88, 0.06);
  }
  assert_int_equal(pl_tracker_get_view(tracker).frame_count, 5);
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

static void a_third_of_outliers_does_no_harm(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  fixture.sensor.outliers = 0.3;
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = make_tracker(&fixture, &def);
  for (int32_t frame = 0; frame < 3; ++frame) {
    pl_track_report report = follow(&fixture, tracker, frame);
    check_at_most(bar_error(&fixture, tracker, frame), 2 * NOISE);
    assert_int_equal(report.state, PL_TRACK_GOOD);
    check_near(report.outlier_fraction, 0.3, 0.09);
  }
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

// Points with x beyond a limit are taken out of the cloud: a third of the bar is not seen by anything.
static void a_third_that_is_not_seen_follows_the_rest(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = make_tracker(&fixture, &def);
  for (int32_t frame = 0; frame < 3; ++frame) {
    bar_cloud cloud = take_bar_cloud(&fixture, frame);
    int32_t kept = 0;
    for (int32_t i = 0; i < cloud.view.point_count; ++i)
      if (cloud.points[i].x < -0.07 || cloud.points[i].x > 0.06) {
        cloud.points[kept] = cloud.points[i];
        cloud.cameras[kept++] = cloud.cameras[i];
      }
    cloud.view.point_count = kept;
    advance(&fixture, tracker, frame, &cloud.view);
    drop_bar_cloud(&cloud);
    check_at_most(bar_error(&fixture, tracker, frame), 0.03 * SIZE);
    pl_tracker_view view = pl_tracker_get_view(tracker);
    double inside = 0, outside = 0;
    for (int32_t i = 0; i < view.point_count; ++i) {
      double x = pl_mesh_get_view(fixture.mesh).points[i].x;
      if (fabs(x) < 0.03) inside = fmax(inside, view.supports[i]);
      if (x > 0.15) outside = fmax(outside, view.supports[i]);
    }
    check_at_most(inside, 0.3);
    check_at_most(0.5, outside);
  }
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

// The free half is taken out of every cloud but the first. Returns the error of the last frame.
static double track_half(const bar_fixture *fixture, bool foreseen) {
  enum { FRAMES = 5 };
  pl_track_def def = bar_track_def(fixture);
  pl_tracker *tracker = make_tracker(fixture, &def);
  pl_mesh_view mesh = pl_mesh_get_view(fixture->mesh);
  pl_vec3 *points = calloc((size_t)mesh.point_count, sizeof *points);
  pl_error error = {0};
  for (int32_t frame = 0; frame < FRAMES; ++frame) {
    bar_cloud cloud = take_bar_cloud(fixture, frame);
    int32_t kept = 0;
    for (int32_t i = 0; i < cloud.view.point_count; ++i)
      if (frame == 0 || cloud.points[i].x < 0) {
        cloud.points[kept] = cloud.points[i];
        cloud.cameras[kept++] = cloud.cameras[i];
      }
    cloud.view.point_count = kept;
    for (int32_t i = 0; i < mesh.point_count; ++i)
      points[i] = bar_position(fixture, mesh.points[i], frame / fixture->rate);
    if (foreseen && frame > 0) check_ok(pl_tracker_set_prediction(tracker, points, &error), &error);
    advance(fixture, tracker, frame, &cloud.view);
    drop_bar_cloud(&cloud);
  }
  double off = bar_error(fixture, tracker, FRAMES - 1);
  free(points);
  pl_tracker_destroy(tracker);
  return off;
}

static void what_is_not_seen_moves_as_it_is_foreseen(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  double blind = track_half(&fixture, false), foreseen = track_half(&fixture, true);
  print_message("half of it unseen: off by %.3g mm, by %.3g mm where it is foreseen\n", 1e3 * blind, 1e3 * foreseen);
  check_at_most(foreseen, NOISE);
  check_at_most(3 * foreseen, blind);
  // Without a cloud nothing else is known.
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = make_tracker(&fixture, &def);
  pl_mesh_view mesh = pl_mesh_get_view(fixture.mesh);
  pl_vec3 *points = calloc((size_t)mesh.point_count, sizeof *points);
  pl_error error = {0};
  pl_cloud_view nothing = {0};
  for (int32_t i = 0; i < mesh.point_count; ++i) points[i] = bar_position(&fixture, mesh.points[i], 0.1);
  follow(&fixture, tracker, 0);
  check_ok(pl_tracker_set_prediction(tracker, points, &error), &error);
  assert_int_equal(advance(&fixture, tracker, 1, &nothing).state, PL_TRACK_EMPTY);
  check_at_most(bar_error(&fixture, tracker, 3), 1e-12);
  points[7].y = (double)NAN;
  assert_int_equal(pl_tracker_set_prediction(tracker, points, &error), PL_ERROR_INVALID_ARGUMENT);
  free(points);
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

static void the_same_bits_for_any_number_of_threads_and_after_resuming(void **state) {
  (void)state;
  enum { FRAMES = 3 };
  uint64_t sums[3] = {0, 0, 0};
  for (int run = 0; run < 3; ++run) {
    pl_context *context = make_context(run == 1 ? 3 : 1);
    bar_fixture fixture = make_bar_fixture(context);
    pl_track_def def = bar_track_def(&fixture);
    pl_tracker *tracker = make_tracker(&fixture, &def);
    size_t n = (size_t)pl_tracker_get_view(tracker).point_count;
    pl_vec3 *last = calloc(n, sizeof *last), *before = calloc(n, sizeof *before);
    for (int32_t frame = 0; frame < FRAMES; ++frame) {
      pl_track_report report = follow(&fixture, tracker, frame);
      if (run != 2 || frame == FRAMES - 1) continue;
      // Ended here, and begun again by another tracker that has only what was kept.
      memcpy(before, last, n * sizeof *last);
      memcpy(last, pl_tracker_get_view(tracker).points, n * sizeof *last);
      pl_tracker_destroy(tracker);
      tracker = make_tracker(&fixture, &def);
      pl_error error = {0};
      check_ok(pl_tracker_resume(
                   tracker,
                   &(pl_track_frame){&report, last, frame > 0 ? before : NULL, (frame - 1) / fixture.rate, frame + 1},
                   &error),
               &error);
    }
    const uint64_t *bits = (const uint64_t *)(const void *)pl_tracker_get_view(tracker).points;
    for (size_t i = 0; i < 3 * n; ++i) sums[run] = sums[run] * UINT64_C(1099511628211) + bits[i];
    free(last);
    free(before);
    pl_tracker_destroy(tracker);
    drop_bar_fixture(&fixture);
    drop_context(context);
  }
  assert_true(sums[0] == sums[1]);
  assert_true(sums[0] == sums[2]);
}

static void empty_frames_coast_and_the_track_goes_on(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  fixture.amplitude = 1;
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = make_tracker(&fixture, &def);
  pl_cloud_view nothing = {0};
  pl_vec3 nan_points[40];
  for (int i = 0; i < 40; ++i) nan_points[i] = (pl_vec3){(double)NAN, 0, 0};
  pl_cloud_view broken = {.point_count = 40, .points = nan_points};
  for (int32_t frame = 0; frame < 7; ++frame) {
    if (frame == 3 || frame == 4) {
      pl_track_report report = advance(&fixture, tracker, frame, frame == 3 ? &nothing : &broken);
      assert_int_equal(report.state, PL_TRACK_EMPTY);
      assert_int_equal(report.used_count, 0);
      continue;
    }
    follow(&fixture, tracker, frame);
    if (frame != 5) check_at_most(bar_error(&fixture, tracker, frame), 1.5 * NOISE);
  }
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

static void a_body_that_is_gone_is_lost(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = make_tracker(&fixture, &def);
  for (int32_t frame = 0; frame < 3; ++frame) follow(&fixture, tracker, frame);
  // A wall of points next to it, and nothing else.
  enum { BACKGROUND_COUNT = 4000 };
  pl_vec3 *background = calloc(BACKGROUND_COUNT, sizeof *background);
  int32_t *cameras = calloc(BACKGROUND_COUNT, sizeof *cameras);
  for (int i = 0; i < BACKGROUND_COUNT; ++i)
    background[i] = (pl_vec3){-0.3 + 0.6 * (i % 80) / 80.0, -0.16, -0.2 + 0.4 * (i / 80) / 50.0};
  pl_cloud_view cloud = {.point_count = BACKGROUND_COUNT, .points = background, .cameras = cameras};
  pl_track_report report = advance(&fixture, tracker, 3, &cloud);
  assert_int_equal(report.state, PL_TRACK_LOST);
  assert_int_equal(report.try_count, 3);
  assert_string_equal(pl_track_state_name(report.state), "lost");
  free(background);
  free(cameras);
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

// All points that are left belong to the body, so that their number says nothing of what is wrong.
static void what_is_said_of_a_lost_track_is_why(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  fixture.sensor.outliers = 0;
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = make_tracker(&fixture, &def);
  for (int32_t frame = 0; frame < 2; ++frame) follow(&fixture, tracker, frame);
  bar_cloud cloud = take_bar_cloud(&fixture, 2);
  int32_t kept = 0;
  for (int32_t i = 0; i < cloud.view.point_count; ++i)
    if (cloud.points[i].x < -0.15) cloud.points[kept] = cloud.points[i], cloud.cameras[kept++] = cloud.cameras[i];
  cloud.view.point_count = kept;
  pl_track_report report = advance(&fixture, tracker, 2, &cloud.view);
  char text[200];
  pl_track_report_describe(&report, text, sizeof text);
  print_message("%d points, %.0f %% explained: %s\n", kept, 100 * report.explained_fraction, text);
  assert_true(report.state == PL_TRACK_LOST || report.state == PL_TRACK_DOUBTFUL);
  assert_int_equal(report.cause, PL_TRACK_CAUSE_LESS_SEEN);
  assert_non_null(strstr(text, "of the visible surface has points"));
  assert_null(strstr(text, "explained"));
  drop_bar_cloud(&cloud);
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

static void clouds_of_a_million_points_are_thinned_evenly(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  bar_fixture fixture = make_bar_fixture(context);
  pl_track_def def = bar_track_def(&fixture);
  pl_tracker *tracker = make_tracker(&fixture, &def);
  bar_cloud cloud = take_bar_cloud(&fixture, 0);
  int32_t count = cloud.view.point_count;
  pl_vec3 *points = calloc(1000000, sizeof *points);
  int32_t *cameras = calloc(1000000, sizeof *cameras);
  for (int32_t i = 0; i < 1000000; ++i) {
    points[i] = cloud.points[i % count];
    cameras[i] = cloud.cameras[i % count];
  }
  pl_cloud_view many = {.point_count = 1000000, .points = points, .cameras = cameras};
  pl_track_report report = advance(&fixture, tracker, 0, &many);
  assert_int_equal(report.point_count, 1000000);
  assert_int_equal(report.used_count, def.max_points);
  check_at_most(bar_error(&fixture, tracker, 0), 1.5 * NOISE);
  free(points);
  free(cameras);
  drop_bar_cloud(&cloud);
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

static void what_is_wrong_is_refused_and_changes_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar_fixture fixture = make_bar_fixture(context);
  pl_track_def def = bar_track_def(&fixture), wrong = def, zeroed = {0};
  pl_tracker *tracker = NULL;
  pl_error error = {0};
  const int32_t beyond[1] = {100000};
  wrong.held = beyond;
  wrong.held_count = 1;
  assert_int_equal(pl_tracker_create(context, &wrong, fixture.model, NULL, &tracker, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_null(tracker);
  pl_capture_camera bent[1] = {fixture.cameras[0]};
  bent[0].placement.rotation.x = 2;
  wrong = def;
  wrong.cameras = bent;
  wrong.camera_count = 1;
  assert_int_equal(pl_tracker_create(context, &wrong, fixture.model, NULL, &tracker, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "cameras");
  assert_int_equal(pl_tracker_create(context, &zeroed, fixture.model, NULL, &tracker, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  tracker = make_tracker(&fixture, &def);
  pl_cloud_view nothing = {0};
  check_ok(pl_tracker_advance(tracker, 1.0, &nothing, NULL, &error), &error);
  assert_int_equal(pl_tracker_advance(tracker, 1.0, &nothing, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_tracker_advance(tracker, 0.9, &nothing, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_tracker_advance(tracker, (double)NAN, &nothing, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_tracker_get_view(tracker).frame_count, 1);
  pl_tracker_destroy(tracker);
  drop_bar_fixture(&fixture);
  drop_context(context);
}

// An L of two boxes, which no turn maps onto itself, seen from all around with outliers.
static void a_body_that_lies_elsewhere_is_found(void **state) {
  (void)state;
  enum { POINTS = 3000 };
  static const double boxes[2][6] = {{0, 0, 0, 0.4, 0.05, 0.1}, {0, 0.05, 0, 0.08, 0.25, 0.1}};
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_vec3 points[16], seen[POINTS];
  int32_t triangles[72];
  static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (int b = 0; b < 2; ++b) {
    for (int i = 0; i < 8; ++i)
      points[8 * b + i] = (pl_vec3){boxes[b][i % 2 * 3], boxes[b][1 + i / 2 % 2 * 3], boxes[b][2 + i / 4 * 3]};
    for (int t = 0; t < 36; ++t) triangles[36 * b + t] = 8 * b + faces[t / 3][t % 3];
  }
  pl_mesh *mesh = NULL;
  pl_mesh_view view = {.point_count = 16, .points = points, .triangle_count = 24, .triangles = triangles};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  pl_quat turn = pl_quat_normalize((pl_quat){0.5, -0.3, 0.7, 0.2});
  pl_vec3 moved = {2, -1, 0.4};
  pl_random random = pl_random_of_seed(5);
  for (int i = 0; i < POINTS; ++i) {
    // By area, so that the cloud has the axes of the surface.
    double areas[24], sum = 0, pick;
    for (int t = 0; t < 24; ++t) {
      const int32_t *c = triangles + 3 * t;
      areas[t] = pl_vec3_length(
          pl_vec3_cross(pl_vec3_sub(points[c[1]], points[c[0]]), pl_vec3_sub(points[c[2]], points[c[0]])));
      sum += areas[t];
    }
    pick = sum * pl_random_unit(&random);
    int t = 0;
    while (t < 23 && pick > areas[t]) pick -= areas[t++];
    const int32_t *c = triangles + 3 * t;
    double u = pl_random_unit(&random), v = pl_random_unit(&random);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    pl_vec3 p = pl_vec3_add_scaled(pl_vec3_add_scaled(points[c[0]], pl_vec3_sub(points[c[1]], points[c[0]]), u),
                                   pl_vec3_sub(points[c[2]], points[c[0]]), v);
    p.x += 0.001 * pl_random_normal(&random), p.y += 0.001 * pl_random_normal(&random);
    if (i % 15 == 0) p.z += 0.5 * pl_random_normal(&random);
    seen[i] = pl_vec3_add(pl_quat_rotate(turn, p), moved);
  }
  pl_cloud_view cloud = {.point_count = POINTS, .points = seen};
  pl_transform found;
  double residual;
  check_ok(pl_track_align(context, mesh, &cloud, &found, &residual, &error), &error);
  double off = 0;
  for (int i = 0; i < 16; ++i) {
    pl_vec3 here = pl_vec3_add(pl_quat_rotate(found.rotation, points[i]), found.position),
            there = pl_vec3_add(pl_quat_rotate(turn, points[i]), moved);
    off = fmax(off, pl_vec3_length(pl_vec3_sub(here, there)));
  }
  print_message("corners off by %g m, %g m of the nearer points\n", off, residual);
  check_at_most(off, 0.004);
  cloud.point_count = 10;
  assert_int_equal(pl_track_align(context, mesh, &cloud, &found, NULL, &error), PL_ERROR_INVALID_DATA);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_tracked_to_within_the_noise),
      cmocka_unit_test(a_third_of_outliers_does_no_harm),
      cmocka_unit_test(a_third_that_is_not_seen_follows_the_rest),
      cmocka_unit_test(what_is_not_seen_moves_as_it_is_foreseen),
      cmocka_unit_test(the_same_bits_for_any_number_of_threads_and_after_resuming),
      cmocka_unit_test(empty_frames_coast_and_the_track_goes_on),
      cmocka_unit_test(a_body_that_is_gone_is_lost),
      cmocka_unit_test(what_is_said_of_a_lost_track_is_why),
      cmocka_unit_test(clouds_of_a_million_points_are_thinned_evenly),
      cmocka_unit_test(what_is_wrong_is_refused_and_changes_nothing),
      cmocka_unit_test(a_body_that_lies_elsewhere_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
