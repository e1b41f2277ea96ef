// The tree's answers against going through all triangles one by one, on soups with degenerate triangles and on a
// sphere.
// ctest: unit
#include "fixtures/mesh_samples.h"
#include "mesh/simplex.h"
#include "mesh/triangle_tree.h"

static pl_triangle_tree *make_tree(pl_context *context, const pl_mesh *mesh) {
  pl_error error = {0};
  pl_triangle_tree *tree = NULL;
  check_ok(pl_triangle_tree_build(context, mesh, &tree, &error), &error);
  return tree;
}

static pl_vec3 corner(const pl_mesh_view *view, int32_t triangle, int32_t i) {
  return view->points[view->triangles[3 * triangle + i]];
}

// Distance to a triangle by another road than the tree's: the plane if the foot lies inside all edges, else the edges.
static double reference_distance(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p) {
  const pl_vec3 corners[3] = {a, b, c};
  pl_vec3 n = pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a));
  double best = HUGE_VAL, area = pl_vec3_length(n);
  bool inside = area > 1e-12;
  for (int i = 0; i < 3; ++i) {
    pl_vec3 from = corners[i], edge = pl_vec3_sub(corners[(i + 1) % 3], from), to = pl_vec3_sub(p, from);
    double length = pl_vec3_dot(edge, edge), t = length > 0 ? fmin(1, fmax(0, pl_vec3_dot(to, edge) / length)) : 0;
    best = fmin(best, pl_vec3_distance(p, pl_vec3_add_scaled(from, edge, t)));
    inside = inside && pl_vec3_dot(pl_vec3_cross(edge, to), n) >= 0;
  }
  return inside ? fabs(pl_vec3_dot(pl_vec3_sub(p, a), n)) / area : best;
}

static void nearest_is_what_all_triangles_say(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int kind = 0; kind < 3; ++kind) {
    pl_mesh *mesh = kind == 0   ? sample_soup(context, 300, 5)
                    : kind == 1 ? sample_sphere(context, 8)
                                : sample_soup(context, 2, 6);
    pl_mesh_view view = pl_mesh_get_view(mesh);
    pl_triangle_tree *tree = make_tree(context, mesh);
    pl_random random = pl_random_of_seed(11);
    for (int query = 0; query < 300; ++query) {
      pl_vec3 p = query % 3 == 0 ? view.points[query % view.point_count] : sample_point(&random, 1.5);
      double best = HUGE_VAL;
      for (int32_t t = 0; t < view.triangle_count; ++t)
        best = fmin(best, reference_distance(corner(&view, t, 0), corner(&view, t, 1), corner(&view, t, 2), p));
      pl_hit hit = pl_triangle_tree_nearest(tree, p, HUGE_VAL);
      check_near(hit.distance, best, 1e-9);
      check_near(pl_vec3_distance(hit.point, p), best, 1e-9);
      pl_vec3 on = {0, 0, 0};
      for (int32_t i = 0; i < 3; ++i) {
        check_at_most(0, hit.barycentric[i]);
        on = pl_vec3_add_scaled(on, corner(&view, hit.triangle, i), hit.barycentric[i]);
      }
      check_near(pl_vec3_distance(on, hit.point), 0, 1e-14);
      assert_int_equal(pl_triangle_tree_nearest(tree, p, hit.distance * 0.999 - 1e-12).triangle, -1);
      assert_int_equal(pl_triangle_tree_nearest(tree, p, hit.distance * 1.001).triangle, hit.triangle);
    }
    pl_triangle_tree_destroy(tree);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void among_equals_the_lowest_triangle_wins(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = sample_sphere(context, 16);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_triangle_tree *tree = make_tree(context, mesh);
  // Straight above a point all triangles around it are equally near.
  for (int32_t i = 0; i < view.point_count; ++i) {
    int32_t lowest = -1;
    for (int32_t t = view.triangle_count - 1; t >= 0; --t)
      for (int32_t k = 0; k < 3; ++k)
        if (view.triangles[3 * t + k] == i) lowest = t;
    assert_int_equal(pl_triangle_tree_nearest(tree, pl_vec3_scale(view.points[i], 2), HUGE_VAL).triangle, lowest);
  }
  pl_triangle_tree_destroy(tree);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Möller and Trumbore's test, which shares nothing with the tree's.
static double reference_ray(const pl_mesh_view *view, int32_t t, pl_vec3 origin, pl_vec3 unit) {
  pl_vec3 a = corner(view, t, 0), e1 = pl_vec3_sub(corner(view, t, 1), a), e2 = pl_vec3_sub(corner(view, t, 2), a);
  pl_vec3 h = pl_vec3_cross(unit, e2), s = pl_vec3_sub(origin, a), q = pl_vec3_cross(s, e1);
  double determinant = pl_vec3_dot(e1, h);
  if (fabs(determinant) < 1e-14) return HUGE_VAL;
  double u = pl_vec3_dot(s, h) / determinant, v = pl_vec3_dot(unit, q) / determinant,
         d = pl_vec3_dot(e2, q) / determinant;
  return u >= 0 && v >= 0 && u + v <= 1 && d >= 0 ? d : HUGE_VAL;
}

static void rays_hit_what_all_triangles_say(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int kind = 0; kind < 2; ++kind) {
    pl_mesh *mesh = kind == 0 ? sample_soup(context, 1000, 7) : sample_sphere(context, 8);
    pl_mesh_view view = pl_mesh_get_view(mesh);
    pl_triangle_tree *tree = make_tree(context, mesh);
    pl_random random = pl_random_of_seed(12);
    int hit_count = 0;
    for (int query = 0; query < 500; ++query) {
      pl_vec3 origin = sample_point(&random, 2), direction = sample_point(&random, 3);
      if (query % 5 == 0) direction = pl_vec3_of(0, 0, query % 2 == 0 ? 1 : -2);
      pl_vec3 unit = pl_vec3_normalize_or(direction, origin);
      double best = HUGE_VAL;
      for (int32_t t = 0; t < view.triangle_count; ++t) best = fmin(best, reference_ray(&view, t, origin, unit));
      pl_hit hit = pl_triangle_tree_ray(tree, origin, direction, HUGE_VAL);
      assert_int_equal(hit.triangle >= 0, isfinite(best));
      if (hit.triangle < 0) continue;
      hit_count++;
      check_near(hit.distance, best, 1e-11);
      check_near(pl_vec3_distance(hit.point, pl_vec3_add_scaled(origin, unit, best)), 0, 1e-11);
      assert_int_equal(pl_triangle_tree_ray(tree, origin, direction, best * 0.999).triangle, -1);
    }
    assert_true(hit_count > 50);
    pl_triangle_tree_destroy(tree);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void no_ray_leaves_a_closed_surface(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = sample_sphere(context, 8);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_triangle_tree *tree = make_tree(context, mesh);
  pl_random random = pl_random_of_seed(13);
  // From random places inside, aimed at points and at places on edges: exactly where neighbouring triangles might both
  // say no.
  for (int32_t query = 0; query < 3000; ++query) {
    int32_t t = query % view.triangle_count, k = query % 3;
    pl_vec3 aim =
        pl_vec3_lerp(corner(&view, t, k), corner(&view, t, (k + 1) % 3), query % 2 == 0 ? 0 : pl_random_unit(&random));
    pl_vec3 origin = sample_point(&random, 0.5);
    assert_true(pl_triangle_tree_ray(tree, origin, pl_vec3_sub(aim, origin), HUGE_VAL).triangle >= 0);
    assert_true(pl_triangle_tree_ray(tree, pl_vec3_of(0, 0, 0), aim, HUGE_VAL).triangle >= 0);
  }
  pl_triangle_tree_destroy(tree);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void winding_tells_inside_from_outside(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = sample_sphere(context, 24);
  pl_triangle_tree *tree = make_tree(context, mesh);
  pl_random random = pl_random_of_seed(14);
  double worst = 0;
  for (int query = 0; query < 2000; ++query) {
    pl_vec3 p = sample_point(&random, 1.5);
    double radius = pl_vec3_length(p);
    if (radius > 0.99 && radius < 1.001) continue;
    worst = fmax(worst, fabs(pl_triangle_tree_winding(tree, p) - (radius < 1)));
  }
  check_at_most(worst, 5e-3);
  check_near(pl_triangle_tree_winding(tree, pl_vec3_of(1e6, 0, 0)), 0, 1e-12);
  pl_triangle_tree_destroy(tree);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void winding_of_a_soup_is_the_sum_of_solid_angles(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = sample_soup(context, 500, 8);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_triangle_tree *tree = make_tree(context, mesh);
  pl_random random = pl_random_of_seed(15);
  double worst = 0;
  for (int query = 0; query < 300; ++query) {
    pl_vec3 p = sample_point(&random, 2);
    double sum = 0;
    for (int32_t t = 0; t < view.triangle_count; ++t)
      sum += pl_triangle_solid_angle(corner(&view, t, 0), corner(&view, t, 1), corner(&view, t, 2), p);
    worst = fmax(worst, fabs(pl_triangle_tree_winding(tree, p) - sum / (4 * PL_PI)));
  }
  check_at_most(worst, 1e-2);
  pl_triangle_tree_destroy(tree);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Sum over many directions of the error at `distance` from the origin.
static double far_error(const pl_mesh_view *view, const pl_triangle_tree *tree, double distance) {
  pl_random random = pl_random_of_seed(18);
  double error = 0;
  for (int query = 0; query < 200; ++query) {
    pl_vec3 p = pl_vec3_scale(pl_vec3_normalize_or(sample_point(&random, 1), pl_vec3_of(1, 0, 0)), distance);
    double sum = 0;
    for (int32_t t = 0; t < view->triangle_count; ++t)
      sum += pl_triangle_solid_angle(corner(view, t, 0), corner(view, t, 1), corner(view, t, 2), p);
    error += fabs(pl_triangle_tree_winding(tree, p) - sum / (4 * PL_PI));
  }
  return error;
}

static void the_far_field_is_right_to_second_order(void **state) {
  (void)state;
  // The part omitted from the expansion is of third order, and the leading term falls with the square of the distance:
  // twice as far away the error must be 32 times smaller. A wrong factor in any kept moment would leave a slower fall.
  // Three triangles are one leaf and sixty are many nodes, whose moments come from their children.
  pl_context *context = make_context(1);
  for (int32_t count = 3; count <= 60; count += 57) {
    pl_mesh *mesh = sample_soup(context, count, 10);
    pl_mesh_view view = pl_mesh_get_view(mesh);
    pl_triangle_tree *tree = make_tree(context, mesh);
    check_near(far_error(&view, tree, 20) / far_error(&view, tree, 40), 32, 3);
    pl_triangle_tree_destroy(tree);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void slivers_still_have_a_face(void **state) {
  (void)state;
  // A millionth as high as long, with a point above its middle that is nearer to the face than to any edge.
  const pl_vec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0.5, 1e-6, 0}, p = {0.5, 0.4e-6, 0.1e-6};
  double w[3];
  pl_vec3 on = pl_triangle_nearest(a, b, c, p, w);
  check_near(pl_vec3_distance(on, p), 0.1e-6, 1e-12);
  assert_true(w[0] > 0 && w[1] > 0 && w[2] > 0);
  check_near(w[0] + w[1] + w[2], 1, 1e-15);
  // No height at all: the nearest edge, with an exact zero for the corner that has no part in it.
  on = pl_triangle_nearest(a, b, pl_vec3_of(0.25, 0, 0), pl_vec3_of(0.6, 0, 2), w);
  check_near(pl_vec3_distance(on, pl_vec3_of(0.6, 0, 0)), 0, 1e-15);
  assert_true(w[0] == 0 || w[1] == 0 || w[2] == 0);
  on = pl_triangle_nearest(b, b, b, p, w);
  check_near(pl_vec3_distance(on, b), 0, 0);
}

static void a_solid_angle_of_an_octant_is_half_pi(void **state) {
  (void)state;
  const pl_vec3 x = {3, 0, 0}, y = {0, 2, 0}, z = {0, 0, 1}, origin = {0, 0, 0};
  check_near(pl_triangle_solid_angle(x, y, z, origin), PL_PI / 2, 1e-14);
  check_near(pl_triangle_solid_angle(x, z, y, origin), -PL_PI / 2, 1e-14);
  check_near(pl_triangle_solid_angle(x, y, z, x), 0, 0);
}

static void signed_distance_of_a_cube_is_exact_at_faces_edges_and_corners(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(2, 2, 2), 3, 2, 1), *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_build_boundary(context, box, &mesh, NULL, &error), &error);
  pl_triangle_tree *tree = make_tree(context, mesh);
  pl_random random = pl_random_of_seed(16);
  for (int query = 0; query < 3000; ++query) {
    pl_vec3 p = sample_point(&random, 2);
    if (query % 4 == 0)
      p = pl_vec3_scale(pl_vec3_of(copysign(1, p.x), copysign(1, p.y), copysign(1, p.z)), fabs(p.x));  // diagonals
    pl_vec3 outside = {fabs(p.x) - 1, fabs(p.y) - 1, fabs(p.z) - 1};
    double expected = fmax(outside.x, fmax(outside.y, outside.z));
    if (expected > 0) expected = pl_vec3_length(pl_vec3_max(outside, pl_vec3_of(0, 0, 0)));
    pl_vec3 nearest, normal;
    double distance = pl_triangle_tree_signed_distance(tree, p, HUGE_VAL, &nearest, &normal);
    check_near(distance, expected, 1e-14);
    check_near(pl_vec3_distance(pl_vec3_add_scaled(nearest, normal, distance), p), 0, 1e-13);
    check_near(pl_vec3_length(normal), 1, 1e-14);
  }
  assert_true(isinf(pl_triangle_tree_signed_distance(tree, pl_vec3_of(3, 0, 0), 1.5, NULL, NULL)));
  pl_vec3 normal;
  check_near(pl_triangle_tree_signed_distance(tree, pl_vec3_of(1, 0.3, 0.2), 1, NULL, &normal), 0, 1e-15);
  check_near(normal.x, 1, 1e-15);
  pl_triangle_tree_destroy(tree);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(box);
  drop_context(context);
}

static void signs_are_right_for_points_split_at_seams_and_spikes(void **state) {
  (void)state;
  // A thin spike: at its tip, normals without angle weights or with split corners get the sign wrong. Every triangle
  // has its own points.
  const pl_vec3 tip = {0, 0, 10}, base[4] = {{1, 0, 0}, {0, 1, 0}, {-1, -1, 0}, {0, 0, -0.1}};
  pl_vec3 points[18];
  int32_t triangles[18];
  for (int i = 0; i < 3; ++i) {
    const pl_vec3 own[6] = {tip, base[i], base[(i + 1) % 3], base[3], base[(i + 1) % 3], base[i]};
    memcpy(points + 6 * i, own, sizeof own);
  }
  for (int i = 0; i < 18; ++i) triangles[i] = i;
  pl_context *context = make_context(1);
  pl_mesh *mesh = sample_of_view(
      context, (pl_mesh_view){.point_count = 18, .points = points, .triangle_count = 6, .triangles = triangles});
  pl_triangle_tree *tree = make_tree(context, mesh);
  pl_random random = pl_random_of_seed(17);
  int inside_count = 0;
  for (int query = 0; query < 5000; ++query) {
    pl_vec3 p = pl_vec3_of(pl_random_between(&random, -1.5, 1.5), pl_random_between(&random, -1.5, 1.5),
                           pl_random_between(&random, -1, 12));
    double exact = 0;
    for (int t = 0; t < 6; ++t)
      exact += pl_triangle_solid_angle(points[3 * t], points[3 * t + 1], points[3 * t + 2], p);
    bool is_inside = exact > 6;
    inside_count += is_inside;
    assert_int_equal(pl_triangle_tree_signed_distance(tree, p, HUGE_VAL, NULL, NULL) < 0, is_inside);
  }
  assert_true(inside_count > 100);
  pl_triangle_tree_destroy(tree);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void nothing_and_nonsense_give_no_answer(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = sample_of_view(context, (pl_mesh_view){0});
  pl_triangle_tree *tree = make_tree(context, mesh);
  const pl_vec3 origin = {0, 0, 0}, up = {0, 0, 1}, nowhere = {(double)NAN, 0, 0};
  assert_int_equal(pl_triangle_tree_nearest(tree, origin, HUGE_VAL).triangle, -1);
  assert_int_equal(pl_triangle_tree_ray(tree, origin, up, HUGE_VAL).triangle, -1);
  check_near(pl_triangle_tree_winding(tree, origin), 0, 0);
  pl_triangle_tree_destroy(tree);
  pl_triangle_tree_destroy(NULL);
  pl_mesh_destroy(mesh);

  mesh = sample_soup(context, 100, 9);
  tree = make_tree(context, mesh);
  assert_int_equal(pl_triangle_tree_nearest(tree, nowhere, HUGE_VAL).triangle, -1);
  assert_int_equal(pl_triangle_tree_nearest(tree, origin, -1).triangle, -1);
  assert_int_equal(pl_triangle_tree_nearest(tree, origin, (double)NAN).triangle, -1);
  assert_int_equal(pl_triangle_tree_ray(tree, nowhere, up, HUGE_VAL).triangle, -1);
  assert_int_equal(pl_triangle_tree_ray(tree, origin, origin, HUGE_VAL).triangle, -1);
  check_near(pl_triangle_tree_winding(tree, nowhere), 0, 0);
  pl_triangle_tree_destroy(tree);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// `count` triangles, all the same (kind 0), along a line with growing gaps (kind 1), or at the ends of the number range
// (kind 2).
static pl_mesh *awkward_mesh(pl_context *context, int kind, int32_t count) {
  pl_vec3 *points = malloc((size_t)count * 3 * sizeof *points);
  int32_t *triangles = malloc((size_t)count * 3 * sizeof *triangles);
  for (int32_t i = 0; i < 3 * count; ++i) {
    double position = kind == 0 ? i % 3 : kind == 1 ? pow(1.3, i) : (i % 2 == 0 ? 1e308 : -1e308);
    points[i] = pl_vec3_of(position, kind == 0 ? position * position : 0, 0);
    triangles[i] = i;
  }
  pl_mesh *mesh = sample_of_view(
      context,
      (pl_mesh_view){.point_count = 3 * count, .points = points, .triangle_count = count, .triangles = triangles});
  free(points);
  free(triangles);
  return mesh;
}

static void awkward_triangles_make_a_usable_tree(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int kind = 0; kind < 3; ++kind) {
    pl_mesh *mesh = awkward_mesh(context, kind, 500);
    pl_triangle_tree *tree = make_tree(context, mesh);
    pl_hit hit = pl_triangle_tree_nearest(tree, pl_mesh_get_view(mesh).points[0], HUGE_VAL);
    pl_triangle_tree_ray(tree, pl_vec3_of(0, 0, 0), pl_vec3_of(1, 1, 1), HUGE_VAL);
    pl_triangle_tree_winding(tree, pl_vec3_of(0, 0, 0));
    if (kind < 2) {
      check_near(hit.distance, 0, 0);
      assert_int_equal(hit.triangle, 0);
    }
    pl_triangle_tree_destroy(tree);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = sample_sphere(context, 12);
  int64_t live = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    allocator.fail_at = allocator.call_count + n;
    pl_error error = {0};
    pl_triangle_tree *tree = NULL;
    pl_status status = pl_triangle_tree_build(context, mesh, &tree, &error);
    if (status == PL_OK) {
      assert_true(n > 3);
      pl_triangle_tree_destroy(tree);
      assert_int_equal(allocator.live_count, live);
      break;
    }
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_null(tree);
    assert_int_equal(allocator.live_count, live);
  }
  allocator.fail_at = 0;
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Points bend as on an animated surface; those that a file repeats at seams stay together.
static void a_refitted_tree_answers_as_a_new_one(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int kind = 0; kind < 2; ++kind) {
    pl_mesh *mesh = kind == 0 ? sample_soup(context, 300, 5) : sample_sphere(context, 12);
    pl_mesh_view view = pl_mesh_get_view(mesh);
    pl_triangle_tree *tree = make_tree(context, mesh);
    assert_true(pl_triangle_tree_reserve_refit(tree));
    pl_vec3 *points = malloc((size_t)view.point_count * sizeof *points);
    int64_t before = pl_context_get_memory_report(context).allocation_count;
    for (int bend = 0; bend < 3; ++bend) {
      for (int32_t i = 0; i < view.point_count; ++i) {
        pl_vec3 p = view.points[i];
        points[i] = (pl_vec3){p.x + 0.3 * bend * sin(3 * p.y), p.y + bend, p.z * (1 + 0.5 * bend)};
      }
      pl_triangle_tree_refit(tree, points);
      assert_int_equal(pl_context_get_memory_report(context).allocation_count, before);
      pl_mesh_view bent = view;
      bent.points = points;
      pl_mesh *fresh_mesh = NULL;
      pl_error error = {0};
      check_ok(pl_mesh_create(context, &bent, &fresh_mesh, &error), &error);
      pl_triangle_tree *fresh = make_tree(context, fresh_mesh);
      pl_random random = pl_random_of_seed(12);
      for (int query = 0; query < 400; ++query) {
        pl_vec3 p = pl_vec3_add(sample_point(&random, 2), (pl_vec3){0, bend, 0}), normal, wanted;
        double distance = pl_triangle_tree_signed_distance(tree, p, HUGE_VAL, NULL, &normal);
        check_near(distance, pl_triangle_tree_signed_distance(fresh, p, HUGE_VAL, NULL, &wanted), 1e-12);
        check_at_most(pl_vec3_distance(normal, wanted), 1e-9);
        if (kind == 1) check_near(pl_triangle_tree_winding(tree, p), pl_triangle_tree_winding(fresh, p), 0.02);
      }
      pl_triangle_tree_destroy(fresh);
      pl_mesh_destroy(fresh_mesh);
      before = pl_context_get_memory_report(context).allocation_count;
    }
    free(points);
    pl_triangle_tree_destroy(tree);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearest_is_what_all_triangles_say),
      cmocka_unit_test(among_equals_the_lowest_triangle_wins),
      cmocka_unit_test(rays_hit_what_all_triangles_say),
      cmocka_unit_test(no_ray_leaves_a_closed_surface),
      cmocka_unit_test(winding_tells_inside_from_outside),
      cmocka_unit_test(winding_of_a_soup_is_the_sum_of_solid_angles),
      cmocka_unit_test(the_far_field_is_right_to_second_order),
      cmocka_unit_test(slivers_still_have_a_face),
      cmocka_unit_test(a_solid_angle_of_an_octant_is_half_pi),
      cmocka_unit_test(signed_distance_of_a_cube_is_exact_at_faces_edges_and_corners),
      cmocka_unit_test(signs_are_right_for_points_split_at_seams_and_spikes),
      cmocka_unit_test(nothing_and_nonsense_give_no_answer),
      cmocka_unit_test(awkward_triangles_make_a_usable_tree),
      cmocka_unit_test(running_out_of_memory_is_a_status),
      cmocka_unit_test(a_refitted_tree_answers_as_a_new_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
