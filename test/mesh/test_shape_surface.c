// Surfaces of shapes: closed, manifold, outward, on the zero set, with the right volume and topology.
// ctest: unit threads
#include "mesh/shape_checks.h"
#include "mesh/shape_distance.h"

// Every vertex lies within a hundredth of a cell of the zero set.
static void check_on_surface(const pl_shape_node *nodes, int32_t node_count, const pl_mesh *mesh, double cell_size) {
  pl_mesh_view v = pl_mesh_get_view(mesh);
  for (int32_t i = 0; i < v.point_count; ++i)
    check_at_most(fabs(pl_shape_distance(nodes, node_count, v.points[i])), 0.01 * cell_size);
}

static surface_facts check_shape(const pl_shape_node *nodes, int32_t node_count, double cell_size, double volume,
                                 double tolerance) {
  pl_context *context = make_context(2);
  pl_mesh *mesh = make_surface(context, nodes, node_count, cell_size);
  surface_facts facts = check_closed_manifold(mesh);
  check_near(facts.volume / volume, 1, tolerance);
  check_on_surface(nodes, node_count, mesh, cell_size);
  pl_mesh_destroy(mesh);
  drop_context(context);
  return facts;
}

static void every_primitive_has_its_volume(void **state) {
  (void)state;
  pl_shape_node node = ellipsoid(pl_vec3_of(0, 0, 0), pl_vec3_of(1, 1, 1));
  surface_facts facts = check_shape(&node, 1, 0.1, 4 * PL_PI / 3, 0.01);
  assert_int_equal(facts.euler_characteristic, 2);
  check_near(facts.area, 4 * PL_PI, 0.1);
  check_at_most(30 * PL_PI / 180, facts.min_angle);
  node = ellipsoid(pl_vec3_of(0.3, 0, 0), pl_vec3_of(1, 0.5, 0.3));
  check_shape(&node, 1, 0.06, 4 * PL_PI / 3 * 0.15, 0.015);
  node = capsule(pl_vec3_of(0, 0, 0), 0.3, pl_vec3_of(0.5, 0.6, 0.7), 0.3);
  check_shape(&node, 1, 0.06, 4 * PL_PI / 3 * 0.027 + PL_PI * 0.09 * sqrt(1.1), 0.02);
  node = rounded_box(pl_vec3_of(1, 0.8, 0.6), 0);
  node.placement.rotation = pl_quat_from_rotation_vector(pl_vec3_of(0.3, 0.5, 0.1));
  facts = check_shape(&node, 1, 0.06, 0.48, 0.003);
  check_near(facts.area, 2 * (0.8 + 0.48 + 0.6), 0.03);
  double outline[2 * CIRCLE_CORNERS];
  node = ring(1, 0.3, outline);
  facts = check_shape(&node, 1, 0.1, 2 * PL_PI * PL_PI * 0.09, 0.02);
  assert_int_equal(facts.euler_characteristic, 0);
}

static void boxes_that_lie_on_the_grid_are_meshed_cleanly(void **state) {
  (void)state;
  // Nodes of the grid lie exactly in all six faces.
  pl_shape_node node = rounded_box(pl_vec3_of(0.9, 0.9, 0.9), 0);
  surface_facts facts = check_shape(&node, 1, 0.1, 0.729, 1e-3);
  check_near(facts.area, 6 * 0.81, 1e-2);
  assert_int_equal(facts.euler_characteristic, 2);
}

static void bends_and_twists_keep_the_volume(void **state) {
  (void)state;
  // A bend keeps the volume of what is symmetric to its middle line, a twist keeps any.
  pl_shape_node nodes[] = {rounded_box(pl_vec3_of(2, 0.3, 0.4), 0), combine(PL_SHAPE_BEND, 0, counting, 1)};
  nodes[1].amount = 1.5;
  check_shape(nodes, 2, 0.05, 0.24, 0.01);
  nodes[0] = rounded_box(pl_vec3_of(0.3, 2, 0.4), 0);
  nodes[1].kind = PL_SHAPE_TWIST;
  check_shape(nodes, 2, 0.05, 0.24, 0.02);
}

static void two_spheres_are_one_when_smoothly_joined(void **state) {
  (void)state;
  pl_shape_node nodes[] = {ellipsoid(pl_vec3_of(-0.55, 0, 0), pl_vec3_of(0.5, 0.5, 0.5)),
                           ellipsoid(pl_vec3_of(0.55, 0, 0), pl_vec3_of(0.5, 0.5, 0.5)),
                           combine(PL_SHAPE_UNION, 0, counting, 2)};
  pl_context *context = make_context(1);
  for (int smooth = 0; smooth < 2; ++smooth) {
    nodes[2].smoothness = smooth * 0.4;
    pl_mesh *mesh = make_surface(context, nodes, 3, 0.06);
    surface_facts facts = check_closed_manifold(mesh);
    assert_int_equal(facts.component_count, smooth ? 1 : 2);
    assert_int_equal(facts.euler_characteristic, smooth ? 2 : 4);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void letters_have_as_many_holes_as_they_should(void **state) {
  (void)state;
  static const double letter_a[] = {0, 0, 0.25, 0, 0.35, 0.3, 0.65, 0.3, 0.75, 0, 1, 0, 0.62, 1, 0.38, 1};
  static const double hole[] = {0.42, 0.47, 0.58, 0.47, 0.54, 0.67, 0.46, 0.67};
  pl_shape_node nodes[3];
  nodes[0] = nodes[1] = pl_default_shape_node(PL_SHAPE_EXTRUDED);
  nodes[0].outline = letter_a;
  nodes[0].outline_count = 8;
  nodes[0].size.z = 0.2;
  nodes[1].outline = hole;
  nodes[1].outline_count = 4;
  nodes[1].size.z = 0.3;
  nodes[2] = combine(PL_SHAPE_DIFFERENCE, 0, counting, 2);
  double area = 0;
  for (int i = 0; i < 8; ++i) {
    const double *a = &letter_a[2 * i], *b = &letter_a[2 * ((i + 1) % 8)];
    area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  surface_facts facts = check_shape(nodes, 3, 0.025, 0.2 * (area - 0.12 * 0.2), 0.01);
  assert_int_equal(facts.component_count, 1);
  assert_int_equal(facts.euler_characteristic, 0);
}

static void thin_parts_stay_closed_and_manifold(void **state) {
  (void)state;
  // A plate and a thorn, both thinner than a cell, askew to the grid, and two cubes that touch along an edge.
  pl_shape_node nodes[] = {rounded_box(pl_vec3_of(1, 1, 0.03), 0),
                           capsule(pl_vec3_of(0, 0, 0), 0.1, pl_vec3_of(0.3, 0.2, 0.9), 0),
                           rounded_box(pl_vec3_of(0.3, 0.3, 0.3), 0), rounded_box(pl_vec3_of(0.3, 0.3, 0.3), 0),
                           combine(PL_SHAPE_UNION, 0, counting, 4)};
  nodes[0].placement.rotation = pl_quat_from_rotation_vector(pl_vec3_of(0.4, 0.3, 0.2));
  nodes[2].placement.position = pl_vec3_of(0, -0.6, -0.6);
  nodes[3].placement.position = pl_vec3_of(0.3, -0.3, -0.6);
  pl_context *context = make_context(1);
  for (int k = 0; k < 6; ++k) {
    pl_mesh *mesh = make_surface(context, nodes, 5, 0.04 + 0.013 * k);
    surface_facts facts = check_closed_manifold(mesh);
    assert_true(facts.volume > 0);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void triangle_counts_come_close_to_the_target(void **state) {
  (void)state;
  static const int32_t targets[] = {200, 1000, 8000};
  pl_shape_node nodes[20];
  int32_t count = make_bunny(nodes);
  pl_context *context = make_context(2);
  pl_error error = {0};
  for (int k = 0; k < 3; ++k) {
    pl_shape_def def = pl_default_shape_def();
    def.target_triangle_count = targets[k];
    pl_mesh *mesh = NULL;
    check_ok(pl_shape_build_surface(context, &def, nodes, count, &mesh, &error), &error);
    check_near((double)pl_mesh_get_view(mesh).triangle_count / targets[k], 1, 0.25);
    surface_facts facts = check_closed_manifold(mesh);
    assert_int_equal(facts.component_count, 1);
    if (k == 2) {
      assert_int_equal(facts.euler_characteristic, 2);
      check_at_most(10 * PL_PI / 180, facts.min_angle);
    }
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void shapes_thinner_than_the_first_guess_are_found(void **state) {
  (void)state;
  pl_shape_node node = capsule(pl_vec3_of(0, 0, 0), 0.004, pl_vec3_of(1, 0.1, 0.2), 0.004);
  pl_shape_def def = pl_default_shape_def();
  def.target_triangle_count = 4000;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_shape_build_surface(context, &def, &node, 1, &mesh, &error), &error);
  check_near(pl_mesh_get_view(mesh).triangle_count / 4000.0, 1, 0.25);
  surface_facts facts = check_closed_manifold(mesh);
  assert_int_equal(facts.component_count, 1);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void meshes_are_the_same_for_any_number_of_threads(void **state) {
  (void)state;
  pl_shape_node nodes[20];
  int32_t count = make_bunny(nodes);
  pl_context *single = make_context(1);
  pl_mesh *first = make_surface(single, nodes, count, 0.02);
  pl_mesh_view a = pl_mesh_get_view(first);
  for (int threads = 2; threads <= 3; ++threads) {
    pl_context *context = make_context(threads);
    pl_mesh *mesh = make_surface(context, nodes, count, 0.02);
    pl_mesh_view b = pl_mesh_get_view(mesh);
    assert_int_equal(a.point_count, b.point_count);
    assert_int_equal(a.triangle_count, b.triangle_count);
    assert_memory_equal(a.points, b.points, (size_t)a.point_count * sizeof(pl_vec3));
    assert_memory_equal(a.triangles, b.triangles, 3 * (size_t)a.triangle_count * sizeof(int32_t));
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
  pl_mesh_destroy(first);
  drop_context(single);
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_shape_node node = ellipsoid(pl_vec3_of(0, 0, 0), pl_vec3_of(1, 1, 1));
  pl_shape_def def = pl_default_shape_def();
  def.target_triangle_count = 100;
  int64_t live = allocator.live_count;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  for (int n = 1; status != PL_OK; ++n) {
    pl_error error = {0};
    pl_mesh *mesh = NULL;
    allocator.call_count = 0;
    allocator.fail_at = n;
    status = pl_shape_build_surface(context, &def, &node, 1, &mesh, &error);
    if (status == PL_OK) {
      assert_true(n > 8);
      pl_mesh_destroy(mesh);
    } else {
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_null(mesh);
    }
    assert_int_equal(allocator.live_count, live);
  }
  allocator.fail_at = 0;
  drop_context(context);
}

static void empty_shapes_and_impossible_sizes_are_refused(void **state) {
  (void)state;
  pl_shape_node nodes[] = {ellipsoid(pl_vec3_of(-2, 0, 0), pl_vec3_of(1, 1, 1)),
                           ellipsoid(pl_vec3_of(2, 0, 0), pl_vec3_of(1, 1, 1)),
                           combine(PL_SHAPE_INTERSECTION, 0, counting, 2)};
  pl_shape_node hollow[] = {nodes[0], ellipsoid(pl_vec3_of(-2, 0, 0), pl_vec3_of(2, 2, 2)),
                            combine(PL_SHAPE_DIFFERENCE, 0, counting, 2)};
  pl_context *context = make_context(1);
  pl_shape_def def = pl_default_shape_def();
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  assert_int_equal(pl_shape_build_surface(context, &def, nodes, 3, &mesh, &error), PL_ERROR_INVALID_DATA);
  assert_int_equal(pl_shape_build_surface(context, &def, hollow, 3, &mesh, &error), PL_ERROR_INVALID_DATA);
  def.cell_size = 1e-7;
  assert_int_equal(pl_shape_build_surface(context, &def, nodes, 1, &mesh, &error), PL_ERROR_INVALID_ARGUMENT);
  def.cell_size = (double)NAN;
  assert_int_equal(pl_shape_build_surface(context, &def, nodes, 1, &mesh, &error), PL_ERROR_INVALID_ARGUMENT);
  def = (pl_shape_def){.cell_size = 0.1};
  assert_int_equal(pl_shape_build_surface(context, &def, nodes, 1, &mesh, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_primitive_has_its_volume),
      cmocka_unit_test(boxes_that_lie_on_the_grid_are_meshed_cleanly),
      cmocka_unit_test(bends_and_twists_keep_the_volume),
      cmocka_unit_test(two_spheres_are_one_when_smoothly_joined),
      cmocka_unit_test(letters_have_as_many_holes_as_they_should),
      cmocka_unit_test(thin_parts_stay_closed_and_manifold),
      cmocka_unit_test(triangle_counts_come_close_to_the_target),
      cmocka_unit_test(shapes_thinner_than_the_first_guess_are_found),
      cmocka_unit_test(meshes_are_the_same_for_any_number_of_threads),
      cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
      cmocka_unit_test(empty_shapes_and_impossible_sizes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
