// Parts of the tracker: distances along the body, matches that keep to one part, and memory that fails.
// ctest: unit
#include "capture/track_parts.h"
#include "fixtures/fem_bodies.h"

// A fork: two prongs of 0.3 m along x, 2 cm apart, joined at x < 0.04. Cells are 2 cm.
static pl_mesh *make_fork(pl_context *context) {
  pl_error error = {0};
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.3, 0.1, 0.04}, 15, 5, 2), *fork = NULL;
  pl_mesh_view view = pl_mesh_get_view(box);
  int32_t *tets = calloc(4 * (size_t)view.tet_count, sizeof *tets),
          *renamed = calloc((size_t)view.point_count, sizeof *renamed);
  pl_vec3 *points = calloc((size_t)view.point_count, sizeof *points);
  int32_t tet_count = 0, point_count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) renamed[i] = -1;
  for (int32_t t = 0; t < view.tet_count; ++t) {
    pl_vec3 middle = {0, 0, 0};
    for (int k = 0; k < 4; ++k) middle = pl_vec3_add_scaled(middle, view.points[view.tets[4 * t + k]], 0.25);
    if (fabs(middle.y) < 0.01 && middle.x > -0.11) continue;
    for (int k = 0; k < 4; ++k) {
      int32_t old = view.tets[4 * t + k];
      if (renamed[old] < 0) {
        points[point_count] = view.points[old];
        renamed[old] = point_count++;
      }
      tets[4 * tet_count + k] = renamed[old];
    }
    ++tet_count;
  }
  pl_mesh_view cut = {.point_count = point_count, .points = points, .tet_count = tet_count, .tets = tets};
  check_ok(pl_mesh_create(context, &cut, &fork, &error), &error);
  free(tets);
  free(renamed);
  free(points);
  pl_mesh_destroy(box);
  return fork;
}

typedef struct fork_fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_tracker *tracker;
} fork_fixture;

static fork_fixture make_fixture(bool gating) {
  fork_fixture fixture = {.context = make_context(1)};
  pl_error error = {0};
  fixture.mesh = make_fork(fixture.context);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  fixture.model = make_fem_model(fixture.context, &def, fixture.mesh);
  pl_track_def track = pl_default_track_def();
  track.gating = gating;
  check_ok(pl_tracker_create(fixture.context, &track, fixture.model, NULL, &fixture.tracker, &error), &error);
  return fixture;
}

static void drop_fixture(fork_fixture *fixture) {
  pl_tracker_destroy(fixture->tracker);
  pl_model_destroy(fixture->model);
  pl_mesh_destroy(fixture->mesh);
  drop_context(fixture->context);
}

static int32_t nearest_surface_point(const pl_tracker *t, pl_vec3 position) {
  int32_t best = 0;
  for (int32_t i = 1; i < t->samples.count; ++i)
    if (pl_vec3_distance(t->surface[i], position) < pl_vec3_distance(t->surface[best], position)) best = i;
  return best;
}

static void parts_that_are_close_are_far_apart_along_the_body(void **state) {
  (void)state;
  fork_fixture fixture = make_fixture(true);
  const pl_track_samples *samples = &fixture.tracker->samples;
  int32_t upper = nearest_surface_point(fixture.tracker, (pl_vec3){0.15, 0.01, 0.02});
  int32_t lower = nearest_surface_point(fixture.tracker, (pl_vec3){0.15, -0.01, 0.02});
  int32_t outer = nearest_surface_point(fixture.tracker, (pl_vec3){0.15, 0.05, 0.02});
  double around = pl_track_distance(samples, upper, lower), across = pl_track_distance(samples, upper, outer);
  // Along both prongs and the part that joins them; edges are a little longer than the way.
  check_at_most(2 * 0.25 - 4 * samples->seed_radius, around);
  check_at_most(around, 0.75);
  check_at_most(across, 0.04 + 4 * samples->seed_radius);
  for (int32_t i = 0; i < samples->seed_count; ++i)
    for (int32_t j = 0; j < samples->seed_count; ++j)
      check_near(samples->distances[i * samples->seed_count + j], samples->distances[j * samples->seed_count + i],
                 1e-12);
  drop_fixture(&fixture);
}

static void every_beginning_of_the_order_covers_the_surface(void **state) {
  (void)state;
  fork_fixture fixture = make_fixture(true);
  const pl_tracker *t = fixture.tracker;
  uint8_t *seen = calloc((size_t)t->samples.count, 1);
  for (int32_t i = 0; i < t->samples.count; ++i) {
    assert_int_equal(seen[t->samples.order[i]], 0);
    seen[t->samples.order[i]] = 1;
  }
  free(seen);
  // Farthest-point sampling: with n points no place is farther from one than the n-th was from those before it.
  for (int32_t n = 8; n < t->samples.count; n *= 2) {
    double farthest = 0, apart = HUGE_VAL;
    for (int32_t i = 0; i < t->samples.count; ++i) {
      double nearest = HUGE_VAL;
      for (int32_t k = 0; k < n; ++k)
        nearest = fmin(nearest, pl_vec3_distance(t->surface[i], t->surface[t->samples.order[k]]));
      farthest = fmax(farthest, nearest);
    }
    for (int32_t k = 0; k < n - 1; ++k)
      apart = fmin(apart, pl_vec3_distance(t->surface[t->samples.order[n - 1]], t->surface[t->samples.order[k]]));
    check_at_most(farthest, apart + 1e-12);
  }
  drop_fixture(&fixture);
}

// A point half way between the prongs, a little nearer to the upper one: which prongs it is matched with, as bits.
static int matched_prongs(bool gating) {
  fork_fixture fixture = make_fixture(gating);
  pl_tracker *t = fixture.tracker;
  t->cloud.points[0] = (pl_vec3){0.1, 0.001, 0};
  t->cloud.cameras[0] = -1;
  t->cloud.count = 1;
  pl_track_level level = {
      .sigma = 0.02, .sample_count = t->samples.count, .point_count = 1, .spacing = 0.02, .stiffness = 1};
  assert_true(pl_track_expect(t, &level));
  int prongs = 0;
  double sum = 0;
  for (int i = 0; i < t->matches[0].count; ++i) {
    prongs |= t->surface[t->matches[0].samples[i]].y > 0 ? 1 : 2;
    sum += t->matches[0].responsibilities[i];
  }
  check_at_most(sum, 1);
  check_at_most(0.5, sum);
  check_near(t->pull.explained, sum, 1e-12);
  drop_fixture(&fixture);
  return prongs;
}

static void a_point_between_two_parts_pulls_at_one(void **state) {
  (void)state;
  assert_int_equal(matched_prongs(true), 1);
  assert_int_equal(matched_prongs(false), 3);
}

static void fractions_agree_with_all_pairs(void **state) {
  (void)state;
  fork_fixture fixture = make_fixture(false);
  pl_tracker *t = fixture.tracker;
  // On the outside of a prong, off a surface point by less than the spacing.
  pl_vec3 p = {0.052, 0.0515, 0.003};
  t->cloud.points[0] = p;
  t->cloud.cameras[0] = -1;
  t->cloud.count = 1;
  pl_track_level level = {
      .sigma = 0.002, .sample_count = t->samples.count, .point_count = 1, .spacing = 0.02, .stiffness = 1};
  assert_true(pl_track_expect(t, &level));
  double tau = 0.016, sum = 0.1 / 0.9 * sqrt(2 * PL_PI) * 0.002 / t->size, best = 0;
  for (int32_t k = 0; k < t->samples.count; ++k) {
    pl_vec3 d = pl_vec3_sub(p, t->surface[k]);
    double off = pl_vec3_dot(d, t->normals[k]);
    double q = off * off / (0.002 * 0.002) + (pl_vec3_dot(d, d) - off * off) / (tau * tau);
    if (q > 9) continue;
    double g = t->samples.areas[k] / (2 * PL_PI * tau * tau) * exp(-0.5 * q);
    sum += g;
    best = fmax(best, g);
  }
  double found = 0;
  for (int i = 0; i < t->matches[0].count; ++i) found = fmax(found, t->matches[0].responsibilities[i]);
  check_near(found, best / sum, 1e-12);
  drop_fixture(&fixture);
}

static void failing_memory_leaks_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.1, 0.1}, 4, 1, 1);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  pl_model *model = make_fem_model(context, &def, mesh);
  int64_t live = allocator.live_count;
  pl_vec3 points[200];
  for (int i = 0; i < 200; ++i) points[i] = (pl_vec3){-0.2 + 0.002 * i, 0.05, 0.0005 * (i % 100) - 0.025};
  pl_cloud_view cloud = {.point_count = 200, .points = points};
  pl_track_def track = pl_default_track_def();
  track.max_points = 200;
  for (int64_t n = 1;; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_tracker *tracker = NULL;
    pl_status status = pl_tracker_create(context, &track, model, NULL, &tracker, NULL);
    assert_true((status < 0) == (tracker == NULL));
    if (status >= 0) {
      status = pl_tracker_advance(tracker, 0, &cloud, NULL, NULL);
      // What failed has changed nothing.
      if (status < 0) assert_int_equal(pl_tracker_get_view(tracker).frame_count, 0);
    }
    pl_tracker_destroy(tracker);
    assert_int_equal(allocator.live_count, live);
    if (status == PL_OK && allocator.call_count < n) break;
    assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
    assert_true(n < 2000);
  }
  allocator.fail_at = 0;
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_that_are_close_are_far_apart_along_the_body),
      cmocka_unit_test(every_beginning_of_the_order_covers_the_surface),
      cmocka_unit_test(a_point_between_two_parts_pulls_at_one),
      cmocka_unit_test(fractions_agree_with_all_pairs),
      cmocka_unit_test(failing_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
