// Segments of a box by its sites, and the coverage of its surface by examples.
// ctest: unit threads
#include "detail/detail_segment.h"
#include "fixtures/detail_cube.h"

enum { CELLS = 12, MAX_POINT = (CELLS + 1) * (CELLS + 1) * (CELLS + 1) };
typedef enum position_kind { ELSEWHERE, FLAT, EDGE, CORNER, KIND_COUNT } position_kind;

// A box with its surface, its sites and what each point is, told by coordinates.
typedef struct box_sites {
  int32_t count;
  pl_vec3 points[MAX_POINT];
  pl_moments sites[MAX_POINT];
  position_kind kinds[MAX_POINT];
} box_sites;

// Kinds far enough from each other that a window does not see two of them.
static position_kind kind_of(pl_vec3 p, double radius) {
  const double c[3] = {fabs(p.x), fabs(p.y), fabs(p.z)};
  int on_face = 0, far = 0;
  for (int axis = 0; axis < 3; ++axis) {
    on_face += c[axis] > 1 - 1e-9;
    far += 1 - c[axis] > 1.9 * radius;
  }
  if (on_face == 3) return CORNER;
  if (on_face == 2 && far == 1) return EDGE;
  return on_face == 1 && far == 2 ? FLAT : ELSEWHERE;
}

static box_sites *make_box_sites(pl_context *context, double radius, pl_site_scale scale, pl_mat3 turn) {
  box_sites *box = calloc(1, sizeof *box);
  pl_mesh *mesh = NULL, *surface = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, pl_vec3_of(2, 2, 2), (int32_t[3]){CELLS, CELLS, CELLS}, &mesh, &error), &error);
  check_ok(pl_mesh_build_boundary(context, mesh, &surface, NULL, &error), &error);
  pl_mesh_view volume = pl_mesh_get_view(mesh), view = pl_mesh_get_view(surface);
  double *fractions = malloc((size_t)volume.point_count * sizeof *fractions), total = 0;
  pl_material_fractions(&volume, fractions);
  for (int32_t i = 0; i < volume.point_count; ++i) total += fractions[i];
  check_near(total, 8, 1e-12);
  pl_vec3 *turned = malloc((size_t)volume.point_count * sizeof *turned);
  for (int32_t i = 0; i < volume.point_count; ++i) turned[i] = pl_mat3_apply(turn, volume.points[i]);
  box->count = view.point_count;
  pl_vec3 *normals = malloc((size_t)view.point_count * sizeof *normals);
  for (int32_t i = 0; i < view.point_count; ++i) {
    box->points[i] = pl_mat3_apply(turn, view.points[i]);
    box->kinds[i] = kind_of(view.points[i], radius);
    const double c[3] = {view.points[i].x, view.points[i].y, view.points[i].z};
    pl_vec3 n = {fabs(c[0]) > 1 - 1e-9 ? c[0] : 0, fabs(c[1]) > 1 - 1e-9 ? c[1] : 0, fabs(c[2]) > 1 - 1e-9 ? c[2] : 0};
    normals[i] = pl_mat3_apply(turn, pl_vec3_normalize_or(n, pl_vec3_of(0, 0, 1)));
  }
  pl_surface_sites_def def = {
      {volume.point_count, turned, fractions}, view.point_count, box->points, normals, radius, scale};
  check_ok(pl_surface_sites_compute(context, &def, box->sites, &error), &error);
  free(normals);
  free(turned);
  free(fractions);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(surface);
  return box;
}

// No segment holds places of two kinds. With few segments the eight corners, of hundreds of points, are not worth one:
// then they go with the edges.
static void check_kinds_apart(const box_sites *box, const int32_t *segments, int32_t segment_count) {
  position_kind kind_of_segment[32] = {ELSEWHERE};
  int32_t seen[KIND_COUNT] = {0};
  for (int32_t i = 0; i < box->count; ++i) {
    if (box->kinds[i] == ELSEWHERE) continue;
    seen[box->kinds[i]]++;
    assert_in_range(segments[i], 0, segment_count - 1);
    position_kind kind = segment_count < 8 && box->kinds[i] == CORNER ? EDGE : box->kinds[i];
    if (kind_of_segment[segments[i]] == ELSEWHERE) kind_of_segment[segments[i]] = kind;
    assert_int_equal(kind_of_segment[segments[i]], kind);
  }
  assert_int_equal(seen[CORNER], 8);
  assert_true(seen[EDGE] >= 12 && seen[FLAT] >= 6);
}

static void flats_edges_and_corners_of_a_box_fall_apart(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_random random = pl_random_of_seed(2);
  for (int trial = 0; trial < 4; ++trial) {
    pl_mat3 turn = trial < 2 ? pl_mat3_identity() : sample_rotation(&random);
    pl_site_scale scale = trial % 2 == 0 ? PL_SITE_PER_VOLUME : PL_SITE_PER_POINT;
    box_sites *box = make_box_sites(context, 0.3, scale, turn);
    pl_site_set set = {box->count, 3, box->sites};
    for (int32_t count = 3; count <= 12; count += 1) {
      int32_t segments[MAX_POINT], representatives[12];
      pl_segments found = {.count = count, .segment_of_site = segments, .representatives = representatives};
      pl_error error = {0};
      check_ok(pl_sites_segment(context, &set, 1, &found, &error), &error);
      check_kinds_apart(box, segments, count);
      int32_t sizes[12] = {0};
      for (int32_t i = 0; i < box->count; ++i) sizes[segments[i]]++;
      for (int32_t k = 0; k < count; ++k) {
        assert_true(k == 0 || sizes[k] <= sizes[k - 1]);
        assert_int_equal(segments[representatives[k]], k);
      }
      if (trial == 0)
        print_message("%d segments: spread %.3f after %d iterations\n", count, found.spread, found.iterations);
    }
    free(box);
  }
  drop_context(context);
}

static void equal_input_gives_equal_segments_on_any_number_of_threads(void **state) {
  (void)state;
  int32_t segments[2][MAX_POINT] = {{0}};
  pl_moments first[8];
  for (int run = 0; run < 2; ++run) {
    pl_context *context = make_context(1 + 2 * run);
    box_sites *box = make_box_sites(context, 0.3, PL_SITE_PER_VOLUME, pl_mat3_identity());
    pl_site_set set = {box->count, 3, box->sites};
    pl_segments found = {.count = 6, .segment_of_site = segments[run]};
    pl_error error = {0};
    check_ok(pl_sites_segment(context, &set, 5, &found, &error), &error);
    if (run == 0) memcpy(first, box->sites, sizeof first);
    assert_memory_equal(first, box->sites, sizeof first);
    free(box);
    drop_context(context);
  }
  assert_memory_equal(segments[0], segments[1], sizeof segments[0]);
}

// The best split of points on a line into runs, by trying all, is what k-means should find.
static void segments_are_the_best_there_are(void **state) {
  (void)state;
  enum { COUNT = 12 };
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(40);
  for (int trial = 0; trial < 10; ++trial) {
    pl_moments sites[COUNT] = {{{0}}};
    double x[COUNT], best = HUGE_VAL;
    for (int32_t i = 0; i < COUNT; ++i)
      x[i] = sites[i].values[0] = (i < 4 ? 0 : i < 9 ? 2 : 5) + pl_random_unit(&random);
    for (int32_t a = 1; a < COUNT - 1; ++a)
      for (int32_t b = a + 1; b < COUNT; ++b) {
        const int32_t ends[4] = {0, a, b, COUNT};
        double sorted[COUNT], sum = 0;
        memcpy(sorted, x, sizeof x);
        for (int32_t i = 1; i < COUNT; ++i)
          for (int32_t j = i; j > 0 && sorted[j] < sorted[j - 1]; --j) {
            double swap = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = swap;
          }
        for (int32_t k = 0; k < 3; ++k) {
          double mean = 0;
          for (int32_t i = ends[k]; i < ends[k + 1]; ++i) mean += sorted[i] / (ends[k + 1] - ends[k]);
          for (int32_t i = ends[k]; i < ends[k + 1]; ++i) sum += (sorted[i] - mean) * (sorted[i] - mean);
        }
        best = fmin(best, sum);
      }
    int32_t segments[COUNT], representatives[3];
    pl_segments found = {.count = 3, .segment_of_site = segments, .representatives = representatives};
    pl_site_set set = {COUNT, 3, sites};
    pl_error error = {0};
    check_ok(pl_sites_segment(context, &set, (uint64_t)trial, &found, &error), &error);
    check_near(found.spread, sqrt(best / COUNT), 1e-9);
  }
  drop_context(context);
}

static void more_segments_than_sites_and_bad_input(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_moments sites[5] = {{{0}}};
  sites[3].values[0] = 1;
  int32_t segments[5], representatives[4];
  pl_segments found = {.count = 4, .segment_of_site = segments, .representatives = representatives};
  pl_site_set set = {5, 2, sites};
  pl_error error = {0};
  check_ok(pl_sites_segment(context, &set, 1, &found, &error), &error);
  static const int32_t expected[5] = {0, 0, 0, 1, 0};
  assert_memory_equal(segments, expected, sizeof expected);
  assert_int_equal(representatives[0], 0);
  assert_int_equal(representatives[1], 3);
  assert_int_equal(representatives[2], -1);
  assert_int_equal(representatives[3], -1);
  found.count = 0;
  assert_int_equal(pl_sites_segment(context, &set, 1, &found, &error), PL_ERROR_INVALID_ARGUMENT);
  found.count = 2;
  sites[4].values[7] = HUGE_VAL;
  assert_int_equal(pl_sites_segment(context, &set, 1, &found, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "site 4"));
  pl_surface_sites_def def = {.radius = 0};
  assert_int_equal(pl_surface_sites_compute(context, &def, sites, &error), PL_ERROR_INVALID_ARGUMENT);
  drop_context(context);
}

static void coverage_falls_to_zero_as_the_farthest_are_recorded(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  box_sites *box = make_box_sites(context, 0.3, PL_SITE_PER_VOLUME, pl_mat3_identity());
  pl_site_set set = {box->count, 3, box->sites};
  static double distances[MAX_POINT];
  static int32_t nearest[MAX_POINT];
  static pl_moments recorded[20];
  pl_site_set examples = {0, 3, recorded};
  pl_coverage_report report;
  pl_sites_cover(&set, &examples, 0.05, distances, nearest, &report);
  assert_int_equal(nearest[0], -1);
  assert_true(report.max == HUGE_VAL && report.covered == 0);
  double last = HUGE_VAL;
  while (examples.count < 20) {
    recorded[examples.count++] = box->sites[report.farthest];
    pl_sites_cover(&set, &examples, 0.05, distances, nearest, &report);
    check_at_most(report.max, last);
    last = report.max;
  }
  print_message("with %d examples: farthest %.3f, mean %.4f, covered %.0f %%\n", examples.count, report.max,
                report.mean, 100 * report.covered);
  check_at_most(report.max, 0.08);
  for (int32_t i = 0; i < box->count; ++i) {
    check_near(distances[i], pl_site_distance(&box->sites[i], &recorded[nearest[i]], 3), 0);
    for (int32_t e = 0; e < examples.count; ++e)
      check_at_most(distances[i], pl_site_distance(&box->sites[i], &recorded[e], 3));
  }
  free(box);
  drop_context(context);
}

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, normals[3] = {{0, 0, 1}, {0, 0, 0}, {0, 0, 1}};
  pl_surface_sites_def def = {{3, points, NULL}, 3, points, normals, 1, PL_SITE_PER_VOLUME};
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  for (int64_t n = 1; status != PL_OK; ++n) {
    pl_moments sites[3];
    int32_t segments[3];
    pl_segments found = {.count = 2, .segment_of_site = segments};
    pl_site_set set = {3, 3, sites};
    pl_error error = {0};
    allocator.call_count = 0;
    allocator.fail_at = n;
    status = pl_surface_sites_compute(context, &def, sites, &error);
    if (status == PL_OK) status = pl_sites_segment(context, &set, 1, &found, &error);
    assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
    assert_true(n < 50);
  }
  allocator.fail_at = 0;
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flats_edges_and_corners_of_a_box_fall_apart),
      cmocka_unit_test(equal_input_gives_equal_segments_on_any_number_of_threads),
      cmocka_unit_test(segments_are_the_best_there_are),
      cmocka_unit_test(more_segments_than_sites_and_bad_input),
      cmocka_unit_test(coverage_falls_to_zero_as_the_farthest_are_recorded),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
