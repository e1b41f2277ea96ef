// ctest: unit threads
// Ways along a surface and through tets: nothing beyond a cut, little behind its tip, all of what is plainly there; and
// surveys of whole surfaces.
#include "detail/detail_object.h"
#include "fixtures/detail_plates.h"

enum { SIDE = 41 };

// A sheet of SIDE x SIDE points over [-1, 1]², slit along x = 0 from y = `tip` down to the lower rim. Points of the
// slit are there twice, the second behind the first SIDE * SIDE, in rows.
static int32_t make_slit_sheet(double tip, pl_vec3 *points, int32_t *triangles, int32_t *triangle_count) {
  int32_t count = SIDE * SIDE, copies[SIDE];
  for (int32_t i = 0; i < SIDE * SIDE; ++i)
    points[i] = pl_vec3_of(2.0 * (i % SIDE) / (SIDE - 1) - 1, 2.0 * (i / SIDE) / (SIDE - 1) - 1, 0);
  for (int32_t row = 0; row < SIDE; ++row) {
    int32_t i = row * SIDE + SIDE / 2;
    copies[row] = i;
    if (points[i].y < tip - 1e-9) points[copies[row] = count++] = points[i];
  }
  *triangle_count = 0;
  for (int32_t row = 0; row + 1 < SIDE; ++row)
    for (int32_t column = 0; column + 1 < SIDE; ++column) {
      int32_t a = row * SIDE + column, quad[4] = {a, a + 1, a + SIDE + 1, a + SIDE};
      if (column == SIDE / 2) {  // the cells right of the slit
        quad[0] = copies[row];
        quad[3] = copies[row + 1];
      }
      const int32_t corners[6] = {quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]};
      memcpy(triangles + 3 * (size_t)*triangle_count, corners, sizeof corners);
      *triangle_count += 2;
    }
  return count;
}

static void reach_from(pl_context *context, double tip, pl_vec3 *points, float *fractions, int32_t *count) {
  static int32_t triangles[6 * SIDE * SIDE];
  int32_t triangle_count;
  *count = make_slit_sheet(tip, points, triangles, &triangle_count);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_graph graph;
  pl_reach_work work;
  assert_true(pl_graph_build(&arena, (pl_elements){triangles, triangle_count, 3}, points, *count, &graph));
  assert_true(pl_reach_work_take(&arena, *count, &work));
  int32_t source = (SIDE / 4) * SIDE + SIDE / 2 - 3;  // a little left of the slit
  pl_reach_query query = {.center = points[source], .source_count = 1, .sources = {source}, .limit = 0.8, .slack = 0.1};
  pl_graph_reach(&graph, &query, &work, fractions);
  // Work is left as it was found.
  float *again = PL_TAKE(&arena, float, *count);
  pl_graph_reach(&graph, &query, &work, again);
  assert_memory_equal(again, fractions, (size_t)*count * sizeof *again);
  for (int32_t i = 0; i < *count; ++i)
    if (pl_vec3_distance(points[i], query.center) > query.limit) assert_true(fractions[i] == 0);
  pl_arena_destroy(&arena);
}

// Shares against ways found by trying all edges until nothing gets shorter.
static void compare_with_shortest_ways(pl_vec3 center, bool starts_at_neighbours) {
  pl_context *context = make_context(1);
  plate p = make_plate(context, 6);
  pl_elements tets = {p.object.tets, p.object.tet_count, 4};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_graph graph;
  pl_reach_work work;
  int32_t count = p.object.material_count, *edges, edge_count;
  assert_true(pl_graph_build(&arena, tets, p.object.material_points, count, &graph));
  assert_true(pl_edges_find(&arena, tets, count, &edges, &edge_count));
  assert_true(pl_reach_work_take(&arena, count, &work));
  double *ways = PL_TAKE(&arena, double, count);
  float *fractions = PL_TAKE(&arena, float, count);
  pl_reach_query query = {center, 2, {3, 60}, starts_at_neighbours, .limit = 0.7, .slack = 0.05};
  for (int32_t i = 0; i < count; ++i) ways[i] = HUGE_VAL;
  for (int k = 0; k < 2; ++k) ways[query.sources[k]] = pl_vec3_distance(query.center, graph.points[query.sources[k]]);
  for (int32_t e = 0; starts_at_neighbours && e < edge_count; ++e)
    for (int k = 0; k < 4; ++k) {
      int32_t source = edges[2 * e + k % 2], other = edges[2 * e + 1 - k % 2];
      if (source == query.sources[k / 2]) ways[other] = pl_vec3_distance(query.center, graph.points[other]);
    }
  for (int32_t round = 0; round < count; ++round)
    for (int32_t e = 0; e < edge_count; ++e) {
      int32_t a = edges[2 * e], b = edges[2 * e + 1];
      double length = pl_vec3_distance(graph.points[a], graph.points[b]);
      ways[b] = fmin(ways[b], ways[a] + length);
      ways[a] = fmin(ways[a], ways[b] + length);
    }
  pl_graph_reach(&graph, &query, &work, fractions);
  int32_t partial = 0;
  for (int32_t i = 0; i < count; ++i) {
    double straight = pl_vec3_distance(query.center, graph.points[i]),
           detour = (ways[i] - straight) / (straight + query.slack);
    double t = fmin(fmax((1 - detour) / 0.5, 0), 1), wanted = straight <= query.limit ? t * t * (3 - 2 * t) : 0;
    check_near((double)fractions[i], wanted, 1e-5);
    partial += fractions[i] > 0 && fractions[i] < 1;
  }
  assert_true(partial > 3);
  pl_arena_destroy(&arena);
  drop_plate(&p);
  drop_context(context);
}

static void shares_are_those_of_the_shortest_ways(void **state) {
  (void)state;
  compare_with_shortest_ways(pl_vec3_of(0.1, -0.45, 0.05), false);
  // Farther away, so that some ways are long with neighbours too.
  compare_with_shortest_ways(pl_vec3_of(0.1, -0.1, 0.05), true);
}

// An uncut plate carried by a lattice of tets: the whole stamp counts, on the lower side too, for every place of the
// contact, with tets wider than the window and up to the size of the stamp.
static void tets_wider_than_the_window_cut_nothing_off(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 12);
  pl_detail_reach reach = {0.08, 0.3};
  for (double cell_size = 0.1; cell_size < reach.stamp_radius + 0.01; cell_size += 0.05) {
    pl_lattice_def def = pl_default_lattice_def();
    def.cell_size = cell_size;
    pl_mesh *tets = NULL;
    pl_error error = {0};
    check_ok(pl_lattice_build(context, &def, p.surface, &tets, NULL, &error), &error);
    pl_detail_object object = pl_detail_object_from_mesh(tets, p.surface, NULL);
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_detail_ground ground;
    pl_detail_slot slot;
    pl_reach_work work;
    check_ok(pl_detail_ground_build(&arena, &object, &ground, &error), &error);
    assert_true(pl_detail_slot_take(&arena, &ground, &slot) && pl_detail_ground_work(&arena, &ground, &work));
    float min = 1;
    for (int32_t t = 0; t < object.triangle_count; ++t) {
      pl_detail_slot_aim(&ground, &reach, t, &work, &slot);
      pl_vec3 corner = object.surface_points[object.triangles[3 * (size_t)t]];
      for (int32_t i = 0; i < object.surface_count; ++i)
        if (pl_vec3_distance(object.surface_points[i], corner) < reach.stamp_radius)
          min = fminf(min, slot.fractions[i]);
    }
    printf("cells of %.2f m: min share %.3f\n", cell_size, (double)min);
    check_near((double)min, 1, 0);
    pl_arena_destroy(&arena);
    pl_mesh_destroy(tets);
  }
  drop_plate(&p);
  drop_context(context);
}

static void without_a_slit_all_that_is_near_counts_whole(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static pl_vec3 points[SIDE * (SIDE + 1)];
  static float fractions[SIDE * (SIDE + 1)];
  int32_t count;
  reach_from(context, -2, points, fractions, &count);
  assert_int_equal(count, SIDE * SIDE);
  pl_vec3 center = points[(SIDE / 4) * SIDE + SIDE / 2 - 3];
  for (int32_t i = 0; i < count; ++i)
    if (pl_vec3_distance(points[i], center) < 0.799) assert_true(fractions[i] == 1);
  drop_context(context);
}

static void beyond_a_slit_nothing_counts_and_around_its_tip_it_fades(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static pl_vec3 points[SIDE * (SIDE + 1)];
  static float fractions[SIDE * (SIDE + 1)];
  int32_t count;
  reach_from(context, 2, points, fractions, &count);
  for (int32_t i = 0; i < count; ++i)
    if (points[i].x > 1e-9 || i >= SIDE * SIDE) assert_true(fractions[i] == 0);
  // As the slit grows, what counts of the points beyond falls without a jump, down to nothing.
  double last = HUGE_VAL, first = 0;
  for (double tip = -1; tip <= 1.1; tip += 0.05) {
    reach_from(context, tip, points, fractions, &count);
    double sum = 0;
    for (int32_t i = 0; i < SIDE * SIDE; ++i) sum += points[i].x > 1e-9 ? (double)fractions[i] : 0;
    if (tip < -0.99) first = sum;
    check_at_most(sum, last + 1e-6);
    if (last < HUGE_VAL) check_at_most(last - sum, 0.15 * first);
    last = sum;
  }
  assert_true(first > 100);
  check_near(last, 0, 0);
  drop_context(context);
}

// Figure 6, the box: flats, edges and corners apart; and what one example in the middle covers.
static void surveys_divide_and_cover_a_plate(void **state) {
  (void)state;
  pl_context *context = make_context(1), *threads = make_context(3);
  plate p = make_plate(context, 12);
  pl_detail_set *set = record_middle(context, &p, 0.02);
  size_t count = (size_t)p.object.surface_count;
  int32_t *segment = malloc(count * sizeof *segment), *other = malloc(count * sizeof *other), chosen[4];
  double *distances = malloc(count * sizeof *distances);
  pl_detail_segments segments = {.count = 4, .segment_of_point = segment, .representatives = chosen};
  pl_detail_def def = plate_def();
  pl_error error = {0};
  check_ok(pl_detail_segment(context, &def, &p.object, 1, &segments, &error), &error);
  pl_detail_segments again = {.count = 4, .segment_of_point = other};
  check_ok(pl_detail_segment(threads, &def, &p.object, 1, &again, &error), &error);
  assert_memory_equal(segment, other, count * sizeof *segment);
  pl_detail_coverage coverage = {.distances = distances, .nearest = other};
  check_ok(pl_detail_measure_coverage(context, set, &p.object, 1, &coverage, &error), &error);
  int32_t middle = -1, corner = -1;
  for (int32_t i = 0; i < p.object.surface_count; ++i) {
    pl_vec3 x = p.object.surface_points[i];
    if (x.z > 0.099 && fabs(x.x) + fabs(x.y) < 1e-9) middle = i;
    if (x.z > 0.099 && x.x > 0.499 && x.y > 0.499) corner = i;
    assert_int_equal(other[i], 0);
  }
  assert_int_not_equal(segment[middle], segment[corner]);
  check_near(distances[middle], 0, 0.02);
  assert_true(distances[corner] > coverage.limit);
  assert_true(coverage.covered > 0.05 && coverage.covered < 0.95);
  check_near(distances[coverage.farthest], coverage.max, 0);
  printf("covered by one example: %.2f; farthest %.3f\n", coverage.covered, coverage.max);
  segments.count = 0;
  assert_int_equal(pl_detail_segment(context, &def, &p.object, 1, &segments, &error), PL_ERROR_INVALID_ARGUMENT);
  free(segment);
  free(other);
  free(distances);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
  drop_context(threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_those_of_the_shortest_ways),
      cmocka_unit_test(tets_wider_than_the_window_cut_nothing_off),
      cmocka_unit_test(without_a_slit_all_that_is_near_counts_whole),
      cmocka_unit_test(beyond_a_slit_nothing_counts_and_around_its_tip_it_fades),
      cmocka_unit_test(surveys_divide_and_cover_a_plate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
