// An embedded point is found in its tet, follows affine motion, and strays are reported by name.
// ctest: unit threads
#include "fixtures/mesh_samples.h"
#include "math/mat3.h"
#include "mesh/simplex.h"

static pl_embedding *embed(pl_context *context, const pl_mesh *mesh, const pl_vec3 *points, int32_t count,
                           pl_embedding_report *report) {
  pl_error error = {0};
  pl_embedding *embedding = NULL;
  check_ok(
      pl_embedding_build(context, mesh, &(pl_embedding_input){points, count, HUGE_VAL}, &embedding, report, &error),
      &error);
  return embedding;
}

// A box whose points were pushed around, but not so far that a tet turns over.
static pl_mesh *wobbly_box(pl_context *context, int32_t cells) {
  pl_mesh *box = sample_box(context, pl_vec3_of(2, 2, 2), cells, cells, cells);
  pl_mesh_view view = pl_mesh_get_view(box);
  pl_vec3 *points = malloc((size_t)view.point_count * sizeof *points);
  pl_random random = pl_random_of_seed(31);
  for (int32_t i = 0; i < view.point_count; ++i)
    points[i] = pl_vec3_add(view.points[i], sample_point(&random, 0.2 / cells));
  view.points = points;
  pl_mesh *mesh = sample_of_view(context, view);
  pl_mesh_destroy(box);
  free(points);
  return mesh;
}

static void every_point_inside_is_found(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  pl_context *context = make_context(3);
  pl_mesh *mesh = wobbly_box(context, 6);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_random random = pl_random_of_seed(32);
  static pl_vec3 points[COUNT], back[COUNT];
  for (int32_t i = 0; i < COUNT; ++i) {  // some inside, some at mesh points, some in the middle of faces
    const int32_t *tet = &view.tets[4 * (pl_random_u32(&random) % (uint32_t)view.tet_count)];
    double w[4], sum = 0;
    for (int k = 0; k < 4; ++k) sum += w[k] = k < 1 + i % 4 ? pl_random_unit(&random) + 0.01 : 0;
    points[i] = pl_vec3_of(0, 0, 0);
    for (int k = 0; k < 4; ++k) points[i] = pl_vec3_add_scaled(points[i], view.points[tet[k]], w[k] / sum);
  }
  pl_embedding_report report;
  pl_embedding *embedding = embed(context, mesh, points, COUNT, &report);
  assert_int_equal(report.outside_count, 0);
  assert_int_equal(report.farthest_point, -1);
  pl_embedding_view found = pl_embedding_get_view(embedding);
  assert_int_equal(found.point_count, COUNT);
  for (int32_t i = 0; i < 4 * COUNT; ++i) assert_true(found.weights[i] >= 0 && found.weights[i] <= 1);
  pl_embedding_apply(embedding, view.points, back);
  for (int32_t i = 0; i < COUNT; ++i) check_near(pl_vec3_distance(back[i], points[i]), 0, 1e-7);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_point_of_the_mesh_goes_to_its_lowest_tet(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  // Whole coordinates, so that no rounding blurs what is equal; tets backwards, so that the lowest is not the first one
  // met.
  pl_mesh *box = sample_box(context, pl_vec3_of(4, 4, 4), 4, 4, 4);
  pl_mesh_view view = pl_mesh_get_view(box);
  int32_t *backwards = malloc((size_t)view.tet_count * 4 * sizeof *backwards);
  for (int32_t t = 0; t < view.tet_count; ++t)
    memcpy(&backwards[4 * t], &view.tets[4 * (view.tet_count - 1 - t)], 4 * sizeof *backwards);
  view.tets = backwards;
  pl_mesh *mesh = sample_of_view(context, view);
  pl_embedding *embedding = embed(context, mesh, view.points, view.point_count, NULL);
  pl_embedding_view found = pl_embedding_get_view(embedding);
  for (int32_t i = 0; i < view.point_count; ++i) {
    int32_t corner = 0;
    while (view.tets[corner] != i) corner++;
    assert_memory_equal(&found.parents[4 * i], &view.tets[corner - corner % 4], 4 * sizeof(int32_t));
    assert_true(found.weights[4 * i + corner % 4] == 1);
  }
  free(backwards);
  pl_mesh_destroy(box);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void the_nearest_tet_is_what_all_tets_say(void **state) {
  (void)state;
  enum { COUNT = 200 };
  pl_context *context = make_context(1);
  pl_mesh *mesh = wobbly_box(context, 3);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_random random = pl_random_of_seed(33);
  pl_vec3 points[COUNT];
  for (int32_t i = 0; i < COUNT; ++i) points[i] = sample_point(&random, 1.5);
  pl_embedding_report report;
  pl_embedding *embedding = embed(context, mesh, points, COUNT, &report);
  int32_t outside_count = 0, farthest = -1;
  double max = 0;
  for (int32_t i = 0; i < COUNT; ++i) {
    double best = HUGE_VAL;
    for (int32_t t = 0; t < view.tet_count; ++t) {
      pl_vec3 corners[4];
      double w[4];
      for (int k = 0; k < 4; ++k) corners[k] = view.points[view.tets[4 * t + k]];
      best = fmin(best, pl_vec3_distance(points[i], pl_tet_nearest(corners, points[i], w)));
    }
    if (best <= 0) continue;
    outside_count++;
    if (best > max) {
      max = best;
      farthest = i;
    }
  }
  assert_true(outside_count > 20);
  assert_int_equal(report.outside_count, outside_count);
  assert_int_equal(report.farthest_point, farthest);
  check_near(report.max_distance, max, 1e-14);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void nearest_on_a_tet_beats_all_samples_of_it(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(34);
  for (int round = 0; round < 50; ++round) {
    pl_vec3 corners[4], p = sample_point(&random, 2);
    for (int k = 0; k < 4; ++k) corners[k] = sample_point(&random, 1);
    double w[4], sum = 0;
    double distance = pl_vec3_distance(p, pl_tet_nearest(corners, p, w));
    pl_vec3 on = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
      check_at_most(0, w[k]);
      sum += w[k];
      on = pl_vec3_add_scaled(on, corners[k], w[k]);
    }
    check_near(sum, 1, 1e-14);
    check_near(pl_vec3_distance(on, p), distance, 1e-13);
    for (int sample = 0; sample < 500; ++sample) {
      double u[4], total = 0;
      for (int k = 0; k < 4; ++k) total += u[k] = -log(1 - pl_random_unit(&random));
      pl_vec3 q = {0, 0, 0};
      for (int k = 0; k < 4; ++k) q = pl_vec3_add_scaled(q, corners[k], u[k] / total);
      check_at_most(distance, pl_vec3_distance(p, q) + 1e-13);
    }
  }
}

// Random segments, parallel ones and points. No two samples of both are nearer, and some are almost as near.
static void nearest_points_of_segments_beat_all_samples(void **state) {
  (void)state;
  enum { SAMPLES = 100 };
  pl_random random = pl_random_of_seed(11);
  for (int round = 0; round < 60; ++round) {
    pl_vec3 ends[4];
    for (int k = 0; k < 4; ++k)
      ends[k] = pl_vec3_of(pl_random_between(&random, -1, 1), pl_random_between(&random, -1, 1),
                           pl_random_between(&random, -1, 1));
    if (round % 4 == 1) ends[3] = pl_vec3_add(ends[2], pl_vec3_sub(ends[1], ends[0]));
    if (round % 4 == 2) ends[1] = ends[0];
    if (round % 8 == 6) ends[3] = ends[2];
    double s, t, nearest = HUGE_VAL;
    pl_segments_nearest(&ends[0], &ends[2], &s, &t);
    assert_true(s >= 0 && s <= 1 && t >= 0 && t <= 1);
    double distance = pl_vec3_distance(pl_vec3_lerp(ends[0], ends[1], s), pl_vec3_lerp(ends[2], ends[3], t));
    for (int i = 0; i <= SAMPLES; ++i)
      for (int k = 0; k <= SAMPLES; ++k)
        nearest = fmin(nearest, pl_vec3_distance(pl_vec3_lerp(ends[0], ends[1], i / (double)SAMPLES),
                                                 pl_vec3_lerp(ends[2], ends[3], k / (double)SAMPLES)));
    assert_true(distance < nearest + 1e-12);
    assert_true(distance > nearest - 4.0 / SAMPLES);
  }
}

static void affine_motion_is_followed_inside_and_outside(void **state) {
  (void)state;
  enum { COUNT = 1000 };
  pl_context *context = make_context(2);
  pl_mesh *mesh = wobbly_box(context, 4);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_random random = pl_random_of_seed(35);
  static pl_vec3 points[COUNT], moved[COUNT];
  for (int32_t i = 0; i < COUNT; ++i) points[i] = sample_point(&random, 1.3);
  pl_embedding *embedding = embed(context, mesh, points, COUNT, NULL);
  pl_mat3 map = {{{1.5, 0.3, 0}, {-0.4, 0.8, 0.2}, {0, 0.7, -2}}};
  pl_vec3 shift = {1e4, -2e4, 3e4};  // far away, where weights that do not sum to 1 would show
  pl_vec3 *mesh_points = malloc((size_t)view.point_count * sizeof *mesh_points);
  for (int32_t i = 0; i < view.point_count; ++i)
    mesh_points[i] = pl_vec3_add(pl_mat3_apply(map, view.points[i]), shift);
  pl_embedding_apply(embedding, mesh_points, moved);
  for (int32_t i = 0; i < COUNT; ++i)
    check_near(pl_vec3_distance(moved[i], pl_vec3_add(pl_mat3_apply(map, points[i]), shift)), 0, 1e-6);
  free(mesh_points);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  static pl_vec3 points[COUNT];
  pl_random random = pl_random_of_seed(36);
  for (int32_t i = 0; i < COUNT; ++i) points[i] = sample_point(&random, 1.3);
  pl_context *alone = make_context(1), *many = make_context(4);
  pl_mesh *first = wobbly_box(alone, 5), *second = wobbly_box(many, 5);
  pl_embedding *a = embed(alone, first, points, COUNT, NULL), *b = embed(many, second, points, COUNT, NULL);
  pl_embedding_view seen = pl_embedding_get_view(a), other = pl_embedding_get_view(b);
  assert_memory_equal(seen.parents, other.parents, 4 * COUNT * sizeof(int32_t));
  assert_memory_equal(seen.weights, other.weights, 4 * COUNT * sizeof(float));
  pl_embedding_destroy(a);
  pl_embedding_destroy(b);
  pl_mesh_destroy(first);
  pl_mesh_destroy(second);
  drop_context(alone);
  drop_context(many);
}

static void triangles_and_segments_hold_points_too(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 corners[4] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 4, 0}};
  const int32_t triangles[6] = {0, 1, 2, 1, 3, 2}, segments[4] = {0, 1, 1, 3};
  const pl_vec3 points[3] = {{1, 1, 0.5}, {3, 2, 0}, {2, -1, 0}};
  pl_vec3 back[3];
  pl_embedding_report report;
  pl_mesh *mesh = sample_of_view(context, (pl_mesh_view){.point_count = 4,
                                                         .points = corners,
                                                         .triangle_count = 2,
                                                         .triangles = triangles,
                                                         .segment_count = 2,
                                                         .segments = segments});
  pl_embedding *embedding = embed(context, mesh, points, 3, &report);
  pl_embedding_apply(embedding, corners, back);
  check_near(pl_vec3_distance(back[0], pl_vec3_of(1, 1, 0)), 0, 1e-6);
  check_near(pl_vec3_distance(back[1], pl_vec3_of(3, 2, 0)), 0, 1e-6);
  check_near(pl_vec3_distance(back[2], pl_vec3_of(2, 0, 0)), 0, 1e-6);
  pl_embedding_view view = pl_embedding_get_view(embedding);
  assert_int_equal(view.parents[3], view.parents[2]);
  assert_true(view.weights[3] == 0);
  assert_int_equal(report.outside_count, 2);
  check_near(report.max_distance, 1, 1e-15);
  assert_int_equal(report.farthest_point, 2);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(mesh);

  mesh = sample_of_view(context,
                        (pl_mesh_view){.point_count = 4, .points = corners, .segment_count = 2, .segments = segments});
  embedding = embed(context, mesh, points, 3, &report);
  pl_embedding_apply(embedding, corners, back);
  check_near(pl_vec3_distance(back[0], pl_vec3_of(1, 0, 0)), 0, 1e-6);
  check_near(pl_vec3_distance(back[1], pl_vec3_of(4, 2, 0)), 0, 1e-6);
  view = pl_embedding_get_view(embedding);
  assert_int_equal(view.parents[1], view.parents[2]);
  assert_int_equal(view.parents[1], view.parents[3]);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void strays_and_nonsense_are_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = sample_box(context, pl_vec3_of(1, 1, 1), 1, 1, 1),
          *empty = sample_of_view(context, (pl_mesh_view){0});
  const pl_vec3 points[3] = {{0, 0, 0}, {0, 0, 3}, {0, 2, 0}}, bad[2] = {{0, 0, 0}, {0, HUGE_VAL, 0}};
  pl_error error = {0};
  pl_embedding *embedding = (pl_embedding *)&error;
  assert_int_equal(pl_embedding_build(context, mesh, &(pl_embedding_input){points, 3, 1}, &embedding, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_null(embedding);
  assert_non_null(strstr(error.text, "point 1 "));
  assert_non_null(strstr(error.text, "2.5 m"));
  assert_int_equal(pl_embedding_build(context, mesh, &(pl_embedding_input){bad, 2, 1}, &embedding, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "point 1 "));
  assert_int_equal(pl_embedding_build(context, empty, &(pl_embedding_input){points, 3, 1}, &embedding, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_int_equal(pl_embedding_build(context, mesh, &(pl_embedding_input){points, 3, -1}, &embedding, NULL, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  check_ok(pl_embedding_build(context, empty, &(pl_embedding_input){NULL, 0, 1}, &embedding, NULL, &error), &error);
  assert_int_equal(pl_embedding_get_view(embedding).point_count, 0);
  pl_embedding_destroy(embedding);
  pl_embedding_destroy(NULL);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(empty);
  drop_context(context);
}

static void flat_and_inverted_tets_do_no_harm(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 corners[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
  const int32_t flat[8] = {0, 1, 2, 4, 0, 0, 0, 0}, inverted[4] = {0, 2, 1, 3};
  const pl_vec3 points[2] = {{0.25, 0.25, 0.25}, {0.2, 0.3, 0.1}};
  pl_vec3 back[2];
  for (int kind = 0; kind < 2; ++kind) {
    pl_mesh *mesh = sample_of_view(
        context,
        (pl_mesh_view){
            .point_count = 5, .points = corners, .tet_count = kind == 0 ? 2 : 1, .tets = kind == 0 ? flat : inverted});
    pl_embedding_report report;
    pl_embedding *embedding = embed(context, mesh, points, 2, &report);
    assert_int_equal(report.outside_count, kind == 0 ? 2 : 0);
    pl_embedding_apply(embedding, corners, back);
    for (int i = 0; i < 2; ++i)
      check_near(pl_vec3_distance(back[i], pl_vec3_of(points[i].x, points[i].y, kind == 0 ? 0 : points[i].z)), 0, 1e-6);
    pl_embedding_destroy(embedding);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = wobbly_box(context, 4);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  int64_t live = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    allocator.fail_at = allocator.call_count + n;
    pl_error error = {0};
    pl_embedding *embedding = NULL;
    pl_status status = pl_embedding_build(context, mesh, &(pl_embedding_input){view.points, view.point_count, 1},
                                          &embedding, NULL, &error);
    if (status == PL_OK) {
      assert_true(n > 3);
      pl_embedding_destroy(embedding);
      assert_int_equal(allocator.live_count, live);
      break;
    }
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_null(embedding);
    assert_int_equal(allocator.live_count, live);
  }
  allocator.fail_at = 0;
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_point_inside_is_found),
      cmocka_unit_test(a_point_of_the_mesh_goes_to_its_lowest_tet),
      cmocka_unit_test(the_nearest_tet_is_what_all_tets_say),
      cmocka_unit_test(nearest_on_a_tet_beats_all_samples_of_it),
      cmocka_unit_test(nearest_points_of_segments_beat_all_samples),
      cmocka_unit_test(affine_motion_is_followed_inside_and_outside),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(triangles_and_segments_hold_points_too),
      cmocka_unit_test(strays_and_nonsense_are_refused_by_name),
      cmocka_unit_test(flat_and_inverted_tets_do_no_harm),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
