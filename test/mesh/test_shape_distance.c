// Distances of shape nodes against closed forms and brute force, and the promise that no value is steeper than 1.
// ctest: unit
#include "base/random.h"
#include "mesh/shape_checks.h"
#include "mesh/shape_distance.h"

static pl_vec3 random_point(pl_random *random, double reach) {
  double x = pl_random_between(random, -reach, reach), y = pl_random_between(random, -reach, reach);
  return pl_vec3_of(x, y, pl_random_between(random, -reach, reach));
}

static void ellipsoid_distance_is_that_of_the_nearest_of_many_points(void **state) {
  (void)state;
  enum { ROWS = 160 };
  static pl_vec3 samples[ROWS * 2 * ROWS];
  pl_shape_node node = ellipsoid(pl_vec3_of(0, 0, 0), pl_vec3_of(1, 0.4, 0.15));
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < 2 * ROWS; ++j) {
      double u = PL_PI * (i + 0.5) / ROWS, v = PL_PI * j / ROWS;
      samples[2 * ROWS * i + j] = pl_vec3_of(sin(u) * cos(v), 0.4 * sin(u) * sin(v), 0.15 * cos(u));
    }
  pl_random random = pl_random_of_seed(1);
  for (int k = 0; k < 60; ++k) {
    pl_vec3 p = random_point(&random, k % 2 == 0 ? 1.2 : 0.35);
    if (k % 5 == 0) p.z = 0;
    if (k % 7 == 0) p.x = 0;
    double nearest = HUGE_VAL;
    for (int i = 0; i < ROWS * 2 * ROWS; ++i) nearest = fmin(nearest, pl_vec3_distance(p, samples[i]));
    double inside = p.x * p.x + p.y * p.y / 0.16 + p.z * p.z / 0.0225;
    check_near(pl_shape_distance(&node, 1, p), inside < 1 ? -nearest : nearest, 2e-3 + 1e-3 / fmax(nearest, 0.05));
  }
  check_near(pl_shape_distance(&node, 1, pl_vec3_of(0, 0, 0)), -0.15, 1e-7);
  check_near(pl_shape_distance(&node, 1, pl_vec3_of(3, 0, 0)), 2, 1e-9);
}

static void sphere_distance_is_exact(void **state) {
  (void)state;
  pl_shape_node node = ellipsoid(pl_vec3_of(1, 2, 3), pl_vec3_of(0.7, 0.7, 0.7));
  pl_random random = pl_random_of_seed(2);
  for (int k = 0; k < 200; ++k) {
    pl_vec3 p = random_point(&random, 4);
    check_near(pl_shape_distance(&node, 1, p), pl_vec3_distance(p, node.placement.position) - 0.7, 1e-9);
  }
}

static void capsule_is_the_union_of_its_balls(void **state) {
  (void)state;
  const pl_shape_node nodes[] = {capsule(pl_vec3_of(-0.5, 0.1, 0), 0.4, pl_vec3_of(0.6, 0.3, 0.2), 0.1),
                                 capsule(pl_vec3_of(-0.5, 0.1, 0), 0.2, pl_vec3_of(0.6, 0.3, 0.2), 0.2),
                                 capsule(pl_vec3_of(0, 0, 0), 0.1, pl_vec3_of(0.1, 0, 0), 0.5),
                                 capsule(pl_vec3_of(0.1, 0, 0), 0.3, pl_vec3_of(0.1, 0, 0), 0.3)};
  pl_random random = pl_random_of_seed(3);
  for (int k = 0; k < 200; ++k) {
    const pl_shape_node *n = &nodes[k % 4];
    pl_vec3 p = random_point(&random, 1);
    double min = HUGE_VAL;
    for (int i = 0; i <= 2000; ++i) {
      double t = i / 2000.0;
      min = fmin(min,
                 pl_vec3_distance(p, pl_vec3_lerp(n->from, n->to, t)) - (n->radius + t * (n->end_radius - n->radius)));
    }
    check_near(pl_shape_distance(n, 1, p), min, 1e-5);
  }
}

static void box_distance_is_that_to_its_rounded_core(void **state) {
  (void)state;
  pl_shape_node node = rounded_box(pl_vec3_of(1, 0.8, 0.6), 0.1);
  pl_random random = pl_random_of_seed(4);
  for (int k = 0; k < 200; ++k) {
    pl_vec3 p = random_point(&random, 1), core = {0.4, 0.3, 0.2};
    pl_vec3 clamped = pl_vec3_max(pl_vec3_min(p, core), pl_vec3_scale(core, -1));
    double expected = pl_vec3_distance(p, clamped) - 0.1;
    if (expected == -0.1) expected = fmax(fabs(p.x) - 0.5, fmax(fabs(p.y) - 0.4, fabs(p.z) - 0.3));
    check_near(pl_shape_distance(&node, 1, p), expected, 1e-12);
  }
}

static void revolved_circle_is_a_torus_and_rectangle_on_the_axis_a_cylinder(void **state) {
  (void)state;
  double outline[2 * CIRCLE_CORNERS];
  pl_shape_node torus = ring(1, 0.3, outline), cylinder = pl_default_shape_node(PL_SHAPE_REVOLVED);
  const double rectangle[] = {0, -0.5, 0.4, -0.5, 0.4, 0.5, 0, 0.5};
  cylinder.outline = rectangle;
  cylinder.outline_count = 4;
  pl_random random = pl_random_of_seed(5);
  for (int k = 0; k < 200; ++k) {
    pl_vec3 p = random_point(&random, 1.5);
    check_near(pl_shape_distance(&torus, 1, p), hypot(hypot(p.x, p.z) - 1, p.y) - 0.3, 1e-3);
    double side = hypot(p.x, p.z) - 0.4, cap = fabs(p.y) - 0.5;
    check_near(pl_shape_distance(&cylinder, 1, p), fmin(fmax(side, cap), 0) + hypot(fmax(side, 0), fmax(cap, 0)),
               1e-12);
  }
  // The edge on the axis is not part of the surface.
  check_near(pl_shape_distance(&cylinder, 1, pl_vec3_of(0, 0, 0)), -0.4, 1e-12);
}

static void extruded_square_is_a_box_whichever_way_it_turns(void **state) {
  (void)state;
  const double left[] = {-0.5, -0.4, 0.5, -0.4, 0.5, 0.4, -0.5, 0.4},
               right[] = {-0.5, 0.4, 0.5, 0.4, 0.5, -0.4, -0.5, -0.4};
  pl_shape_node box = rounded_box(pl_vec3_of(1, 0.8, 0.6), 0), node = pl_default_shape_node(PL_SHAPE_EXTRUDED);
  node.outline_count = 4;
  node.size.z = 0.6;
  pl_random random = pl_random_of_seed(6);
  for (int k = 0; k < 200; ++k) {
    pl_vec3 p = random_point(&random, 1);
    node.outline = k % 2 == 0 ? left : right;
    check_near(pl_shape_distance(&node, 1, p), pl_shape_distance(&box, 1, p), 1e-12);
  }
}

static void placement_and_scale_move_the_shape(void **state) {
  (void)state;
  pl_shape_node plain = rounded_box(pl_vec3_of(1, 0.5, 0.3), 0.05), placed = plain;
  placed.scale = 2.5;
  placed.placement = (pl_transform){{1, -2, 0.5}, pl_quat_from_rotation_vector(pl_vec3_of(0.3, 1.1, -0.4))};
  pl_random random = pl_random_of_seed(7);
  for (int k = 0; k < 100; ++k) {
    pl_vec3 p = random_point(&random, 1);
    pl_vec3 q = pl_transform_apply(placed.placement, pl_vec3_scale(p, 2.5));
    check_near(pl_shape_distance(&placed, 1, q), 2.5 * pl_shape_distance(&plain, 1, p), 1e-12);
  }
}

// One of everything, warps and smooth operators nested; the root is the last of `count` nodes.
static int32_t make_menagerie(pl_shape_node n[16], double outline[2 * CIRCLE_CORNERS]) {
  static const int32_t bend[] = {2}, twist[] = {1}, joined[] = {0, 3, 4, 5, 6}, cut[] = {7, 8}, common[] = {9, 10};
  static const double letter[] = {0, 0, 0.3, 0, 0.3, 0.6, 0.5, 0.6, 0.5, 0.9, -0.2, 0.9, -0.2, 0.6, 0, 0.6};
  n[0] = ellipsoid(pl_vec3_of(0.4, 0.2, 0), pl_vec3_of(0.5, 0.2, 0.3));
  n[1] = rounded_box(pl_vec3_of(0.3, 1, 0.2), 0.03);
  n[2] = capsule(pl_vec3_of(-0.6, 0.1, 0), 0.15, pl_vec3_of(0.5, 0, 0), 0.05);
  n[3] = combine(PL_SHAPE_BEND, 0, bend, 1);
  n[3].amount = -1.7;
  n[3].placement.position = pl_vec3_of(0, 0.4, 0.1);
  n[4] = combine(PL_SHAPE_TWIST, 0, twist, 1);
  n[4].amount = 2.5;
  n[4].placement.rotation = pl_quat_from_rotation_vector(pl_vec3_of(0, 0, 0.8));
  n[5] = ring(0.5, 0.1, outline);
  n[5].scale = 0.8;
  n[6] = pl_default_shape_node(PL_SHAPE_EXTRUDED);
  n[6].outline = letter;
  n[6].outline_count = 8;
  n[6].size.z = 0.3;
  n[6].radius = 0.05;
  n[6].placement.position = pl_vec3_of(-0.5, -0.5, 0.3);
  n[7] = combine(PL_SHAPE_UNION, 0.15, joined, 5);
  n[8] = ellipsoid(pl_vec3_of(0, 0, 0.3), pl_vec3_of(0.3, 0.3, 0.3));
  n[9] = combine(PL_SHAPE_DIFFERENCE, 0.05, cut, 2);
  n[10] = rounded_box(pl_vec3_of(1.6, 1.6, 1.6), 0);
  n[11] = combine(PL_SHAPE_INTERSECTION, 0.04, common, 2);
  return 12;
}

static void no_node_is_steeper_than_one(void **state) {
  (void)state;
  pl_shape_node nodes[16];
  double outline[2 * CIRCLE_CORNERS];
  int32_t count = make_menagerie(nodes, outline);
  pl_random random = pl_random_of_seed(8);
  for (int32_t root = 1; root <= count; ++root)
    for (int k = 0; k < 1500; ++k) {
      pl_vec3 p = random_point(&random, 1.2);
      pl_vec3 q = pl_vec3_add_scaled(p, random_point(&random, 1), k % 2 == 0 ? 1e-4 : 0.3);
      double rise = fabs(pl_shape_distance(nodes, root, p) - pl_shape_distance(nodes, root, q));
      check_at_most(rise, pl_vec3_distance(p, q) * (1 + 1e-6) + 1e-12);
    }
}

static void prepared_shapes_have_the_same_values_and_lie_in_their_box(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_shape_node nodes[16];
  double outline[2 * CIRCLE_CORNERS];
  int32_t count = make_menagerie(nodes, outline);
  pl_error error = {0};
  pl_random random = pl_random_of_seed(9);
  for (int32_t root = 1; root <= count; ++root) {
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_shape shape;
    check_ok(pl_shape_prepare(&shape, &arena, nodes, root, &error), &error);
    pl_box box = pl_shape_node_placed_box(&shape, root - 1);
    for (int k = 0; k < 600; ++k) {
      pl_vec3 p = random_point(&random, 1.5);
      double value = pl_shape_value(&shape, p);
      check_near(value, pl_shape_distance(nodes, root, p), 1e-12);
      if (value <= 0) assert_true(pl_box_overlaps(box, (pl_box){p, p}));
      pl_vec3 clamped = pl_vec3_max(pl_vec3_min(p, box.max), box.min);
      check_at_most(pl_vec3_distance(p, clamped), fmax(value, 0) + 1e-9);
    }
    pl_arena_destroy(&arena);
  }
  drop_context(context);
}

static void bent_and_twisted_points_of_the_surface_have_no_distance(void **state) {
  (void)state;
  pl_shape_node nodes[] = {capsule(pl_vec3_of(-0.8, 0, 0), 0.2, pl_vec3_of(0.8, 0, 0), 0.2),
                           combine(PL_SHAPE_BEND, 0, counting, 1)};
  pl_shape_node twisted[] = {rounded_box(pl_vec3_of(0.6, 1, 0.2), 0), combine(PL_SHAPE_TWIST, 0, counting, 1)};
  for (int k = 0; k < 60; ++k) {
    double angle = 2 * PL_PI * k / 60, x = -0.7 + 1.4 * k / 59.0, y = 0.2 * cos(angle), z = 0.2 * sin(angle);
    nodes[1].amount = k % 2 == 0 ? 1.6 : -1.6;
    double radius = 1 / nodes[1].amount, turn = x / radius;
    pl_vec3 bent = {(radius - y) * sin(turn), radius - (radius - y) * cos(turn), z};
    check_near(pl_shape_distance(nodes, 2, bent), 0, 1e-12);
    twisted[1].amount = 1.3;
    double height = -0.45 + 0.9 * k / 59.0, c = cos(1.3 * height), s = sin(1.3 * height), w = 0.3 * cos(angle);
    pl_vec3 p = {c * w + s * 0.1, height, -s * w + c * 0.1};
    check_near(pl_shape_distance(twisted, 2, p), 0, 1e-12);
  }
}

static void order_of_joined_children_does_not_matter(void **state) {
  (void)state;
  static const int32_t orders[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
  pl_shape_node nodes[4] = {ellipsoid(pl_vec3_of(0, 0, 0), pl_vec3_of(0.3, 0.3, 0.3)),
                            ellipsoid(pl_vec3_of(0.4, 0, 0), pl_vec3_of(0.3, 0.2, 0.3)),
                            ellipsoid(pl_vec3_of(0.2, 0.3, 0), pl_vec3_of(0.3, 0.3, 0.2))};
  pl_random random = pl_random_of_seed(10);
  for (int k = 0; k < 100; ++k) {
    pl_vec3 p = random_point(&random, 0.8);
    double values[3];
    for (int i = 0; i < 3; ++i) {
      nodes[3] = combine(PL_SHAPE_UNION, 0.2, orders[i], 3);
      values[i] = pl_shape_distance(nodes, 4, p);
    }
    check_near(values[1], values[0], 0);
    check_near(values[2], values[0], 0);
  }
}

static void check_refused(const pl_shape_node *nodes, int32_t count, const char *field) {
  pl_context *context = make_context(1);
  pl_shape_def def = pl_default_shape_def();
  pl_error error = {0};
  pl_mesh *mesh = (pl_mesh *)&def;
  assert_int_equal(pl_shape_build_surface(context, &def, nodes, count, &mesh, &error), PL_ERROR_INVALID_DATA);
  assert_null(mesh);
  assert_string_equal(error.field, field);
  drop_context(context);
}

static void wrong_nodes_are_refused_by_name(void **state) {
  (void)state;
  static const int32_t forward[] = {1}, shared[] = {0, 0};
  static const double flat[] = {0, 0, 1, 0, 2, 0}, crossing[] = {-1, 0, 1, 0, 1, 1};
  const pl_shape_node good = ellipsoid(pl_vec3_of(0, 0, 0), pl_vec3_of(1, 1, 1));
  pl_shape_node bad[] = {good, good};
  check_refused(NULL, 0, "nodes");
  bad[1].kind = (pl_shape_kind)77;
  check_refused(bad, 2, "nodes[1].kind");
  bad[1] = good;
  bad[1].size.y = 0;
  check_refused(bad, 2, "nodes[1].size");
  bad[1] = good;
  bad[1].scale = -1;
  check_refused(bad, 2, "nodes[1].scale");
  bad[1] = good;
  bad[1].placement.rotation = (pl_quat){0, 0, 0, 0};
  check_refused(bad, 2, "nodes[1].placement.rotation");
  bad[1] = good;
  bad[1].placement.position.z = (double)NAN;
  check_refused(bad, 2, "nodes[1].placement.position");
  bad[1] = rounded_box(pl_vec3_of(1, 1, 1), 0.6);
  check_refused(bad, 2, "nodes[1].radius");
  bad[1] = capsule(pl_vec3_of(0, 0, 0), 0.1, pl_vec3_of(0, HUGE_VAL, 0), 0.1);
  check_refused(bad, 2, "nodes[1].to");
  bad[1] = capsule(pl_vec3_of(0, 0, 0), 0.1, pl_vec3_of(0, 1, 0), -0.1);
  check_refused(bad, 2, "nodes[1].end_radius");
  bad[1] = pl_default_shape_node(PL_SHAPE_REVOLVED);
  check_refused(bad, 2, "nodes[1].outline");
  bad[1].outline_count = 3;
  bad[1].outline = flat;
  check_refused(bad, 2, "nodes[1].outline");
  bad[1].outline = crossing;
  check_refused(bad, 2, "nodes[1].outline");
  bad[1] = combine(PL_SHAPE_UNION, 0, forward, 1);
  check_refused(bad, 2, "nodes[1].children");
  bad[1] = combine(PL_SHAPE_UNION, -1, counting, 1);
  check_refused(bad, 2, "nodes[1].smoothness");
  bad[1] = combine(PL_SHAPE_BEND, 0, shared, 2);
  check_refused(bad, 2, "nodes[1].children");
  bad[1] = combine(PL_SHAPE_BEND, 0, counting, 1);
  bad[1].amount = 1.5;
  check_refused(bad, 2, "nodes[1].amount");
}

static void trees_that_would_take_forever_are_refused(void **state) {
  (void)state;
  // Each node uses the one before it twice: 2^40 visits.
  enum { COUNT = 40 };
  pl_shape_node nodes[COUNT];
  int32_t children[COUNT][2];
  nodes[0] = ellipsoid(pl_vec3_of(0, 0, 0), pl_vec3_of(1, 1, 1));
  for (int i = 1; i < COUNT; ++i) {
    children[i][0] = children[i][1] = i - 1;
    nodes[i] = combine(PL_SHAPE_UNION, 0, children[i], 2);
  }
  check_refused(nodes, COUNT, "nodes[16].children");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ellipsoid_distance_is_that_of_the_nearest_of_many_points),
      cmocka_unit_test(sphere_distance_is_exact),
      cmocka_unit_test(capsule_is_the_union_of_its_balls),
      cmocka_unit_test(box_distance_is_that_to_its_rounded_core),
      cmocka_unit_test(revolved_circle_is_a_torus_and_rectangle_on_the_axis_a_cylinder),
      cmocka_unit_test(extruded_square_is_a_box_whichever_way_it_turns),
      cmocka_unit_test(placement_and_scale_move_the_shape),
      cmocka_unit_test(no_node_is_steeper_than_one),
      cmocka_unit_test(prepared_shapes_have_the_same_values_and_lie_in_their_box),
      cmocka_unit_test(bent_and_twisted_points_of_the_surface_have_no_distance),
      cmocka_unit_test(order_of_joined_children_does_not_matter),
      cmocka_unit_test(wrong_nodes_are_refused_by_name),
      cmocka_unit_test(trees_that_would_take_forever_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
