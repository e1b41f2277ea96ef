// Lattice tets enclose their surface, are never inverted, and come in the number asked for.
// ctest: unit threads
#include "mesh/lattice_cells.h"
#include "mesh/shape_checks.h"
#include "mesh/simplex.h"

typedef struct lattice_facts {
  double volume;
  int32_t point_count, tet_count;
  pl_lattice_report report;
} lattice_facts;

static double tet_volume(const pl_mesh_view *v, int32_t tet) {
  const int32_t *c = &v->tets[4 * tet];
  pl_vec3 a = v->points[c[0]];
  pl_vec3 n = pl_vec3_cross(pl_vec3_sub(v->points[c[1]], a), pl_vec3_sub(v->points[c[2]], a));
  return pl_vec3_dot(n, pl_vec3_sub(v->points[c[3]], a)) / 6;
}

// Whether some tet holds the point, by trying all.
static bool is_enclosed(const pl_mesh_view *v, pl_vec3 p) {
  for (int32_t t = 0; t < v->tet_count; ++t) {
    pl_vec3 corners[4];
    double w[4];
    for (int k = 0; k < 4; ++k) corners[k] = v->points[v->tets[4 * t + k]];
    if (!pl_tet_weights(corners, p, w)) continue;
    if (fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) > -1e-9) return true;
  }
  return false;
}

static lattice_facts check_lattice(pl_context *context, const pl_mesh *surface, const pl_lattice_def *def,
                                   int32_t stride) {
  lattice_facts facts = {0};
  pl_error error = {0};
  pl_mesh *tets = NULL;
  check_ok(pl_lattice_build(context, def, surface, &tets, &facts.report, &error), &error);
  pl_mesh_view v = pl_mesh_get_view(tets), s = pl_mesh_get_view(surface);
  double even = pow(facts.report.cell_size, 3) / 12;
  for (int32_t t = 0; t < v.tet_count; ++t) {
    check_near(tet_volume(&v, t), even, 1e-6 * even);
    facts.volume += tet_volume(&v, t);
  }
  for (int32_t i = 0; i < s.point_count; i += stride) assert_true(is_enclosed(&v, s.points[i]));
  check_near(facts.report.enclosed_fraction, 1, 0);
  check_near(facts.report.volume, facts.volume, 1e-9 * facts.volume);
  check_near(facts.report.min_quality, 0.952441, 1e-5);
  facts.point_count = v.point_count;
  facts.tet_count = v.tet_count;
  pl_mesh_destroy(tets);
  return facts;
}

static pl_mesh *make_ball(pl_context *context) {
  pl_shape_node node = ellipsoid(pl_vec3_of(0.1, 0.2, 0.3), pl_vec3_of(1, 1, 1));
  return make_surface(context, &node, 1, 0.12);
}

static pl_mesh *make_torus(pl_context *context) {
  double outline[2 * CIRCLE_CORNERS];
  pl_shape_node node = ring(1, 0.35, outline);
  return make_surface(context, &node, 1, 0.1);
}

static pl_mesh *make_bunny_surface(pl_context *context) {
  pl_shape_node nodes[20];
  return make_surface(context, nodes, make_bunny(nodes), 0.018);
}

static void every_surface_is_enclosed_by_the_number_of_points_asked_for(void **state) {
  (void)state;
  pl_mesh *(*makers[])(pl_context *) = {make_ball, make_torus, make_bunny_surface};
  static const int32_t targets[] = {200, 500, 2000};
  pl_context *context = make_context(2);
  for (int m = 0; m < 3; ++m) {
    pl_mesh *surface = makers[m](context);
    double volume = check_closed_manifold(surface).volume;
    for (int k = 0; k < 3; ++k) {
      pl_lattice_def def = pl_default_lattice_def();
      def.target_point_count = targets[k];
      lattice_facts facts = check_lattice(context, surface, &def, 37);
      check_near((double)facts.point_count / targets[k], 1, 0.2);
      assert_true(facts.volume >= volume);
      assert_int_equal(facts.report.hole_edge_count, 0);
    }
    pl_mesh_destroy(surface);
  }
  drop_context(context);
}

static void fine_lattices_hold_little_more_than_the_body(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *surface = make_ball(context);
  pl_lattice_def def = pl_default_lattice_def();
  double volume = check_closed_manifold(surface).volume, area = check_closed_manifold(surface).area;
  for (int k = 1; k <= 3; ++k) {
    def.cell_size = 0.3 / k;
    lattice_facts facts = check_lattice(context, surface, &def, 101);
    check_near(facts.report.cell_size, def.cell_size, 0);
    // No tet that the surface touches reaches farther out than its longest edge.
    check_at_most(facts.volume, volume + area * def.cell_size);
    assert_true(facts.volume > volume);
  }
  pl_mesh_destroy(surface);
  drop_context(context);
}

static void a_margin_adds_cells(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *surface = make_ball(context);
  pl_lattice_def def = pl_default_lattice_def();
  def.cell_size = 0.25;
  lattice_facts exact = check_lattice(context, surface, &def, 501);
  def.margin = 0.5;
  lattice_facts wide = check_lattice(context, surface, &def, 501);
  assert_true(wide.tet_count > exact.tet_count);
  pl_mesh_destroy(surface);
  drop_context(context);
}

// The same surface without the triangles whose centre is near one of five places.
static pl_mesh *cut_holes(pl_context *context, const pl_mesh *surface, double radius) {
  static const pl_vec3 positions[5] = {
      {1.1, 0.2, 0.3}, {0.1, 1.2, 0.3}, {0.1, 0.2, 1.3}, {-0.9, 0.2, 0.3}, {0.1, -0.8, 0.3}};
  pl_mesh_view v = pl_mesh_get_view(surface);
  int32_t *triangles = malloc(3 * (size_t)v.triangle_count * sizeof(int32_t)), count = 0;
  assert_non_null(triangles);
  for (int32_t t = 0; t < v.triangle_count; ++t) {
    const int32_t *c = &v.triangles[3 * t];
    pl_vec3 middle = pl_vec3_scale(pl_vec3_add(pl_vec3_add(v.points[c[0]], v.points[c[1]]), v.points[c[2]]), 1.0 / 3);
    bool keep = true;
    for (int k = 0; k < 5; ++k) keep = keep && pl_vec3_distance(middle, positions[k]) > radius;
    if (keep) memcpy(&triangles[3 * count++], c, 3 * sizeof *c);
  }
  assert_true(count < v.triangle_count);
  v.triangles = triangles;
  v.triangle_count = count;
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &v, &mesh, &error), &error);
  free(triangles);
  return mesh;
}

static void small_holes_change_little(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *surface = make_ball(context), *leaky = cut_holes(context, surface, 0.2);
  pl_lattice_def def = pl_default_lattice_def();
  def.cell_size = 0.2;
  pl_error error = {0};
  pl_lattice_report reports[2];
  pl_mesh *tets[2];
  check_ok(pl_lattice_build(context, &def, surface, &tets[0], &reports[0], &error), &error);
  check_ok(pl_lattice_build(context, &def, leaky, &tets[1], &reports[1], &error), &error);
  check_near(reports[1].volume / reports[0].volume, 1, 0.03);
  assert_int_equal(reports[0].hole_edge_count, 0);
  assert_true(reports[1].hole_edge_count > 20);
  check_near(reports[1].enclosed_fraction, 1, 0);
  for (int i = 0; i < 2; ++i) pl_mesh_destroy(tets[i]);
  pl_mesh_destroy(leaky);
  pl_mesh_destroy(surface);
  drop_context(context);
}

static void seams_with_repeated_points_are_no_holes(void **state) {
  (void)state;
  // A cube whose triangles share no points.
  static const int corners[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  pl_vec3 points[36];
  int32_t triangles[36];
  for (int32_t i = 0; i < 36; ++i) {
    int c = corners[i / 3][i % 3];
    points[i] = pl_vec3_of(c & 1, c >> 1 & 1, c >> 2);
    triangles[i] = i;
  }
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *surface = NULL;
  pl_mesh_view view = {.point_count = 36, .points = points, .triangle_count = 12, .triangles = triangles};
  check_ok(pl_mesh_create(context, &view, &surface, &error), &error);
  pl_lattice_def def = pl_default_lattice_def();
  def.target_point_count = 300;
  lattice_facts facts = check_lattice(context, surface, &def, 1);
  assert_int_equal(facts.report.hole_edge_count, 0);
  check_near(facts.point_count / 300.0, 1, 0.2);
  assert_true(facts.volume > 1);
  pl_mesh_destroy(surface);
  drop_context(context);
}

static void sheets_and_empty_meshes_are_refused(void **state) {
  (void)state;
  pl_vec3 points[4] = {{0, 0, 0}, {1, 0, 0.1}, {1, 1, 0}, {0, 1, 0.1}};
  const int32_t triangles[] = {0, 1, 2, 0, 2, 3}, thin[] = {0, 1, 1, 2, 2, 2};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *surface = NULL, *tets = NULL;
  pl_lattice_def def = pl_default_lattice_def();
  pl_mesh_view view = {.point_count = 4, .points = points, .triangle_count = 2, .triangles = triangles};
  check_ok(pl_mesh_create(context, &view, &surface, &error), &error);
  def.cell_size = 0.2;
  assert_int_equal(pl_lattice_build(context, &def, surface, &tets, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "open"));
  def.cell_size = 1e-7;
  assert_int_equal(pl_lattice_build(context, &def, surface, &tets, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  def.cell_size = -1;
  assert_int_equal(pl_lattice_build(context, &def, surface, &tets, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  def = pl_default_lattice_def();
  def.margin = (double)NAN;
  assert_int_equal(pl_lattice_build(context, &def, surface, &tets, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  def = (pl_lattice_def){.cell_size = 1};
  assert_int_equal(pl_lattice_build(context, &def, surface, &tets, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_mesh_destroy(surface);
  def = pl_default_lattice_def();
  view.triangles = thin;
  check_ok(pl_mesh_create(context, &view, &surface, &error), &error);
  assert_int_equal(pl_lattice_build(context, &def, surface, &tets, NULL, &error), PL_ERROR_INVALID_DATA);
  pl_mesh_destroy(surface);
  view = (pl_mesh_view){.point_count = 4, .points = points};
  check_ok(pl_mesh_create(context, &view, &surface, &error), &error);
  assert_int_equal(pl_lattice_build(context, &def, surface, &tets, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_null(tets);
  pl_mesh_destroy(surface);
  drop_context(context);
}

static void bodies_thinner_than_a_cell_get_the_cells_they_touch(void **state) {
  (void)state;
  pl_shape_node node = rounded_box(pl_vec3_of(1, 0.05, 1), 0);
  pl_context *context = make_context(1);
  pl_mesh *surface = make_surface(context, &node, 1, 0.04);
  pl_lattice_def def = pl_default_lattice_def();
  def.cell_size = 0.3;
  check_lattice(context, surface, &def, 7);
  pl_mesh_destroy(surface);
  drop_context(context);
}

static void lattices_are_the_same_for_any_number_of_threads(void **state) {
  (void)state;
  pl_mesh *meshes[3];
  pl_context *contexts[3];
  for (int i = 0; i < 3; ++i) {
    contexts[i] = make_context(i + 1);
    pl_mesh *surface = make_torus(contexts[i]);
    pl_lattice_def def = pl_default_lattice_def();
    pl_error error = {0};
    check_ok(pl_lattice_build(contexts[i], &def, surface, &meshes[i], NULL, &error), &error);
    pl_mesh_destroy(surface);
  }
  pl_mesh_view a = pl_mesh_get_view(meshes[0]);
  for (int i = 1; i < 3; ++i) {
    pl_mesh_view b = pl_mesh_get_view(meshes[i]);
    assert_int_equal(a.point_count, b.point_count);
    assert_int_equal(a.tet_count, b.tet_count);
    assert_memory_equal(a.points, b.points, (size_t)a.point_count * sizeof(pl_vec3));
    assert_memory_equal(a.tets, b.tets, 4 * (size_t)a.tet_count * sizeof(int32_t));
  }
  for (int i = 0; i < 3; ++i) {
    pl_mesh_destroy(meshes[i]);
    drop_context(contexts[i]);
  }
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_shape_node node = ellipsoid(pl_vec3_of(0, 0, 0), pl_vec3_of(1, 1, 1));
  pl_mesh *surface = make_surface(context, &node, 1, 0.5);
  pl_lattice_def def = pl_default_lattice_def();
  def.target_point_count = 60;
  int64_t live = allocator.live_count;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  for (int n = 1; status != PL_OK; ++n) {
    pl_error error = {0};
    pl_mesh *tets = NULL;
    pl_lattice_report report;
    allocator.call_count = 0;
    allocator.fail_at = n;
    status = pl_lattice_build(context, &def, surface, &tets, &report, &error);
    if (status == PL_OK) {
      assert_true(n > 8);
      pl_mesh_destroy(tets);
    } else {
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_null(tets);
    }
    assert_int_equal(allocator.live_count, live);
  }
  allocator.fail_at = 0;
  pl_mesh_destroy(surface);
  drop_context(context);
}

static void any_place_lies_in_the_tet_that_is_located(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_error error = {0};
  pl_lattice lattice;
  check_ok(pl_lattice_lay(&lattice, &arena, (pl_box){{0, 0, 0}, {1, 2, 3}}, 0.5, 0, &error), &error);
  for (int i = 0; i < 11; ++i)
    for (int j = 0; j < 11; ++j)
      for (int k = 0; k < 11; ++k) {
        pl_vec3 p = {i / 10.0, 2 * j / 10.0, 3 * k / 10.0}, corners[4];
        int32_t tet = pl_lattice_locate(&lattice, p), numbers[4];
        assert_true(tet >= 0 && pl_lattice_tet(&lattice, tet, numbers));
        for (int c = 0; c < 4; ++c) corners[c] = pl_lattice_point(&lattice, numbers[c]);
        double w[4];
        assert_true(pl_tet_weights(corners, p, w));
        check_at_most(-1e-9, fmin(fmin(w[0], w[1]), fmin(w[2], w[3])));
      }
  pl_arena_destroy(&arena);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_place_lies_in_the_tet_that_is_located),
      cmocka_unit_test(every_surface_is_enclosed_by_the_number_of_points_asked_for),
      cmocka_unit_test(fine_lattices_hold_little_more_than_the_body),
      cmocka_unit_test(a_margin_adds_cells),
      cmocka_unit_test(small_holes_change_little),
      cmocka_unit_test(seams_with_repeated_points_are_no_holes),
      cmocka_unit_test(sheets_and_empty_meshes_are_refused),
      cmocka_unit_test(bodies_thinner_than_a_cell_get_the_cells_they_touch),
      cmocka_unit_test(lattices_are_the_same_for_any_number_of_threads),
      cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
