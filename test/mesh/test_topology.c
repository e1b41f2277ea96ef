// Edges, rings, neighbours, boundary and pieces against counting by hand and by brute force.
// ctest: unit
#include "fixtures/mesh_samples.h"
#include "mesh/topology.h"

static bool fraction_element(pl_elements elements, int32_t a, int32_t b) {
  for (int32_t e = 0; e < elements.count; ++e) {
    bool has_a = false, has_b = false;
    for (int32_t i = 0; i < elements.width; ++i) {
      has_a = has_a || elements.corners[elements.width * e + i] == a;
      has_b = has_b || elements.corners[elements.width * e + i] == b;
    }
    if (has_a && has_b) return true;
  }
  return false;
}

// Random elements with repeated corners and repeated elements.
static void fill_random(pl_random *random, int32_t *corners, int32_t count, int32_t point_count) {
  for (int32_t i = 0; i < count; ++i) corners[i] = (int32_t)(pl_random_u32(random) % (uint32_t)point_count);
}

static void edges_and_rings_are_the_pairs_that_share_an_element(void **state) {
  (void)state;
  enum { POINTS = 40, ELEMENTS = 30 };
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(21);
  for (int32_t width = 2; width <= 4; ++width) {
    int32_t corners[4 * ELEMENTS];
    fill_random(&random, corners, width * ELEMENTS, POINTS);
    pl_elements elements = {corners, ELEMENTS, width};
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    int32_t *edges, edge_count, at = 0;
    pl_rows rings;
    assert_true(pl_edges_find(&arena, elements, POINTS, &edges, &edge_count));
    assert_true(pl_rings_find(&arena, edges, edge_count, POINTS, &rings));
    for (int32_t a = 0; a < POINTS; ++a) {
      int32_t in_ring = rings.start[a];
      for (int32_t b = 0; b < POINTS; ++b) {
        if (a == b || !fraction_element(elements, a, b)) continue;
        assert_int_equal(rings.items[in_ring++], b);
        if (a > b) continue;
        assert_int_equal(edges[2 * at], a);
        assert_int_equal(edges[2 * at++ + 1], b);
      }
      assert_int_equal(in_ring, rings.start[a + 1]);
    }
    assert_int_equal(at, edge_count);
    pl_arena_destroy(&arena);
  }
  drop_context(context);
}

static void a_grown_ring_holds_all_within_two_edges(void **state) {
  (void)state;
  enum { POINTS = 60, ELEMENTS = 40 };
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(22);
  int32_t corners[3 * ELEMENTS];
  fill_random(&random, corners, 3 * ELEMENTS, POINTS);
  pl_elements elements = {corners, ELEMENTS, 3};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *edges, edge_count;
  pl_rows one, two, three;
  assert_true(pl_edges_find(&arena, elements, POINTS, &edges, &edge_count));
  assert_true(pl_rings_find(&arena, edges, edge_count, POINTS, &one));
  assert_true(pl_rings_grow(&arena, &one, &one, &two));
  assert_true(pl_rings_grow(&arena, &two, &one, &three));
  // Distances in edges, by Floyd and Warshall.
  static int32_t steps[POINTS][POINTS];
  for (int32_t a = 0; a < POINTS; ++a)
    for (int32_t b = 0; b < POINTS; ++b) steps[a][b] = a == b ? 0 : fraction_element(elements, a, b) ? 1 : 1000;
  for (int32_t k = 0; k < POINTS; ++k)
    for (int32_t a = 0; a < POINTS; ++a)
      for (int32_t b = 0; b < POINTS; ++b)
        if (steps[a][k] + steps[k][b] < steps[a][b]) steps[a][b] = steps[a][k] + steps[k][b];
  const pl_rows *all[3] = {&one, &two, &three};
  for (int32_t reach = 1; reach <= 3; ++reach)
    for (int32_t a = 0, at = 0; a < POINTS; ++a) {
      for (int32_t b = 0; b < POINTS; ++b)
        if (a != b && steps[a][b] <= reach) assert_int_equal(all[reach - 1]->items[at++], b);
      assert_int_equal(at, all[reach - 1]->start[a + 1]);
    }
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void elements_of_points_are_complete_and_rising(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const int32_t corners[9] = {0, 1, 2, 2, 2, 3, 1, 0, 2};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_rows rows;
  assert_true(pl_elements_of_points(&arena, (pl_elements){corners, 3, 3}, 5, &rows));
  const int32_t start[6] = {0, 2, 4, 7, 8, 8}, items[8] = {0, 2, 0, 2, 0, 1, 2, 1};
  assert_memory_equal(rows.start, start, sizeof start);
  assert_memory_equal(rows.items, items, sizeof items);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void the_boundary_of_a_box_is_a_closed_outward_sphere(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 2, 3), 3, 4, 5), *surface = NULL;
  pl_mesh_view tets = pl_mesh_get_view(box);
  int32_t *point_of_surface = malloc((size_t)tets.point_count * sizeof *point_of_surface);
  pl_error error = {0};
  check_ok(pl_mesh_build_boundary(context, box, &surface, point_of_surface, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(surface);
  assert_int_equal(view.triangle_count, 2 * 2 * (3 * 4 + 4 * 5 + 5 * 3));
  assert_int_equal(view.point_count, 4 * 5 * 6 - 2 * 3 * 4);
  double volume = 0;
  for (int32_t t = 0; t < view.triangle_count; ++t) {
    const int32_t *c = &view.triangles[3 * t];
    volume += pl_vec3_dot(view.points[c[0]], pl_vec3_cross(view.points[c[1]], view.points[c[2]])) / 6;
  }
  check_near(volume, 6, 1e-12);
  for (int32_t i = 0; i < view.point_count; ++i) {
    check_near(pl_vec3_distance(view.points[i], tets.points[point_of_surface[i]]), 0, 0);
    assert_true(i == 0 || point_of_surface[i] > point_of_surface[i - 1]);
  }
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_elements elements = {view.triangles, view.triangle_count, 3};
  int32_t *edges, edge_count, *neighbours, *component, component_count;
  assert_true(pl_edges_find(&arena, elements, view.point_count, &edges, &edge_count));
  assert_int_equal(view.point_count - edge_count + view.triangle_count, 2);
  assert_true(pl_neighbours_find(&arena, elements, view.point_count, &neighbours));
  for (int32_t t = 0; t < view.triangle_count; ++t)
    for (int32_t k = 0; k < 3; ++k) {
      // The neighbour is there, shares the edge's two points, and runs along it the other way.
      int32_t other = neighbours[3 * t + k], a = view.triangles[3 * t + (k + 1) % 3],
              b = view.triangles[3 * t + (k + 2) % 3];
      assert_true(other >= 0 && other != t);
      bool found = false;
      for (int32_t j = 0; j < 3; ++j)
        found = found || (view.triangles[3 * other + j] == b && view.triangles[3 * other + (j + 1) % 3] == a);
      assert_true(found);
    }
  assert_true(pl_components_find(&arena, elements, view.point_count, &component, &component_count));
  assert_int_equal(component_count, 1);
  pl_arena_destroy(&arena);
  pl_mesh_destroy(surface);
  pl_mesh_destroy(box);
  free(point_of_surface);
  drop_context(context);
}

static void neighbours_of_tets_share_the_opposite_face(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1, 1), 2, 3, 2);
  pl_mesh_view view = pl_mesh_get_view(box);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *neighbours, *triangles, triangle_count, *owner, open_count = 0;
  assert_true(pl_neighbours_find(&arena, (pl_elements){view.tets, view.tet_count, 4}, view.point_count, &neighbours));
  assert_true(
      pl_tets_boundary(&arena, view.tets, view.tet_count, view.point_count, &triangles, &triangle_count, &owner));
  for (int32_t t = 0; t < view.tet_count; ++t)
    for (int32_t k = 0; k < 4; ++k) {
      int32_t other = neighbours[4 * t + k];
      if (other < 0) {
        assert_int_equal(owner[open_count], t);
        for (int32_t i = 0; i < 3; ++i) assert_true(triangles[3 * open_count + i] != view.tets[4 * t + k]);
        open_count++;
        continue;
      }
      int32_t shared = 0;
      for (int32_t i = 0; i < 4; ++i)
        for (int32_t j = 0; j < 4; ++j) shared += i != k && view.tets[4 * t + i] == view.tets[4 * other + j];
      assert_int_equal(shared, 3);
    }
  assert_int_equal(open_count, triangle_count);
  pl_arena_destroy(&arena);
  pl_mesh_destroy(box);
  drop_context(context);
}

static void three_triangles_at_an_edge_are_no_neighbours(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const int32_t triangles[12] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 2, 1, 5};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *neighbours;
  assert_true(pl_neighbours_find(&arena, (pl_elements){triangles, 4, 3}, 6, &neighbours));
  const int32_t expected[12] = {3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0};
  assert_memory_equal(neighbours, expected, sizeof expected);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void pieces_are_numbered_by_their_lowest_point(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const int32_t segments[12] = {9, 8, 1, 7, 2, 4, 7, 3, 4, 6, 6, 2};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *component, count;
  assert_true(pl_components_find(&arena, (pl_elements){segments, 6, 2}, 10, &component, &count));
  const int32_t expected[10] = {-1, 0, 1, 0, 1, -1, 1, 0, 2, 2};
  assert_int_equal(count, 3);
  assert_memory_equal(component, expected, sizeof expected);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void welding_finds_the_first_point_at_each_place(void **state) {
  (void)state;
  enum { POINTS = 300 };
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(23);
  pl_vec3 points[POINTS];
  for (int32_t i = 0; i < POINTS; ++i)  // a coarse grid, so that many coincide; -0 is the same place as 0
    points[i] = pl_vec3_of(floor(pl_random_between(&random, -2, 3)) * 0.0, floor(pl_random_between(&random, -2, 3)),
                           floor(pl_random_between(&random, 0, 9)));
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *first;
  assert_true(pl_points_weld(&arena, points, POINTS, &first));
  for (int32_t i = 0; i < POINTS; ++i) {
    int32_t expected = 0;
    while (pl_vec3_distance(points[expected], points[i]) > 0) expected++;
    assert_int_equal(first[i], expected);
  }
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void nothing_has_no_topology(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *edges, edge_count = -1, *component, count = -1, *first;
  pl_rows rings, wider;
  pl_elements none = {NULL, 0, 3};
  assert_true(pl_edges_find(&arena, none, 0, &edges, &edge_count));
  assert_int_equal(edge_count, 0);
  assert_true(pl_rings_find(&arena, edges, 0, 2, &rings));
  assert_true(pl_rings_grow(&arena, &rings, &rings, &wider));
  assert_int_equal(wider.start[2], 0);
  assert_true(pl_components_find(&arena, none, 2, &component, &count));
  assert_int_equal(count, 0);
  assert_true(pl_points_weld(&arena, NULL, 0, &first));
  pl_arena_destroy(&arena);
  pl_mesh *mesh = sample_of_view(context, (pl_mesh_view){0}), *surface = NULL;
  pl_error error = {0};
  assert_int_equal(pl_mesh_build_boundary(context, mesh, &surface, NULL, &error), PL_ERROR_INVALID_DATA);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static bool find_everything(pl_context *context, const pl_mesh_view *view) {
  pl_arena arena;
  pl_arena_init(&arena, context, 64);
  pl_elements elements = pl_elements_of_mesh(view);
  int32_t *edges, edge_count, *table, count;
  pl_rows rings, wider, rows;
  bool done = pl_edges_find(&arena, elements, view->point_count, &edges, &edge_count) &&
              pl_rings_find(&arena, edges, edge_count, view->point_count, &rings) &&
              pl_rings_grow(&arena, &rings, &rings, &wider) &&
              pl_elements_of_points(&arena, elements, view->point_count, &rows) &&
              pl_neighbours_find(&arena, elements, view->point_count, &table) &&
              pl_components_find(&arena, elements, view->point_count, &table, &count) &&
              pl_points_weld(&arena, view->points, view->point_count, &table);
  pl_arena_destroy(&arena);
  return done;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1, 1), 4, 4, 4);
  pl_mesh_view view = pl_mesh_get_view(box);
  int64_t live = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    allocator.fail_at = allocator.call_count + n;
    bool done = find_everything(context, &view);
    assert_int_equal(allocator.live_count, live);
    if (done) {
      assert_true(n > 5);
      break;
    }
  }
  for (int64_t n = 1;; ++n) {
    allocator.fail_at = allocator.call_count + n;
    pl_mesh *surface = NULL;
    pl_error error = {0};
    pl_status status = pl_mesh_build_boundary(context, box, &surface, NULL, &error);
    if (status == PL_OK) {
      assert_true(n > 3);
      pl_mesh_destroy(surface);
      break;
    }
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_null(surface);
    assert_int_equal(allocator.live_count, live);
  }
  allocator.fail_at = 0;
  pl_mesh_destroy(box);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_and_rings_are_the_pairs_that_share_an_element),
      cmocka_unit_test(a_grown_ring_holds_all_within_two_edges),
      cmocka_unit_test(elements_of_points_are_complete_and_rising),
      cmocka_unit_test(the_boundary_of_a_box_is_a_closed_outward_sphere),
      cmocka_unit_test(neighbours_of_tets_share_the_opposite_face),
      cmocka_unit_test(three_triangles_at_an_edge_are_no_neighbours),
      cmocka_unit_test(pieces_are_numbered_by_their_lowest_point),
      cmocka_unit_test(welding_finds_the_first_point_at_each_place),
      cmocka_unit_test(nothing_has_no_topology),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
