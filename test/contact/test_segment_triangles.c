// Tapered segments against triangles: the least gap against a search over many places and all triangles, limits, ties,
// triangles without area.
// ctest: unit
#include "contact/segment_triangles.h"

#include "base/random.h"
#include "check.h"
#include "fixtures/torus_surface.h"
#include "mesh/simplex.h"
#include "pliant/math.h"

enum { POSITIONS = 2000 };

static pl_triangle_tree *make_tree(pl_context *context, const pl_mesh_view *view) {
  pl_mesh *mesh = NULL;
  pl_triangle_tree *tree = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, view, &mesh, &error), &error);
  check_ok(pl_triangle_tree_build(context, mesh, &tree, &error), &error);
  pl_mesh_destroy(mesh);
  return tree;
}

static pl_vec3 random_point(pl_random *random, double size) {
  double x = pl_random_between(random, -size, size), y = pl_random_between(random, -size, size);
  return pl_vec3_of(x, y, pl_random_between(random, -size, size));
}

static pl_tapered_segment random_segment(pl_random *random) {
  double length = pow(10, pl_random_between(random, -2, 0.3));
  pl_tapered_segment s = {random_point(random, 1.5), random_point(random, length), 0, 0};
  if (pl_random_unit(random) < 0.8) s.radius = length * pl_random_between(random, 0, 0.4);
  s.end_radius = pl_random_unit(random) < 0.3
                     ? s.radius
                     : length * pl_random_between(random, 0, pl_random_unit(random) < 0.1 ? 3 : 0.4);
  return s;
}

static double gap_at(const pl_mesh_view *view, const pl_tapered_segment *s, double t) {
  pl_vec3 place = pl_vec3_add_scaled(s->start, s->along, t);
  double best = HUGE_VAL;
  for (int32_t i = 0; i < view->triangle_count; ++i) {
    const int32_t *c = &view->triangles[3 * i];
    double w[3];
    pl_vec3 on = pl_triangle_nearest(view->points[c[0]], view->points[c[1]], view->points[c[2]], place, w);
    best = fmin(best, pl_vec3_distance(on, place));
  }
  return best - (1 - t) * s->radius - t * s->end_radius;
}

static double searched_gap(const pl_mesh_view *view, const pl_tapered_segment *s, int count) {
  double best = HUGE_VAL;
  for (int i = 0; i <= count; ++i) best = fmin(best, gap_at(view, s, (double)i / count));
  return best;
}

// Between two places of the search the gap falls by half their distance at most, times the steepest slope.
static double missed(const pl_tapered_segment *s, int count) {
  return 0.5 * (pl_vec3_length(s->along) + fabs(s->end_radius - s->radius)) / count;
}

static void check_segment(const pl_mesh_view *view, const pl_triangle_tree *tree, const pl_tapered_segment *s,
                          int count) {
  double length = pl_vec3_length(s->along), least = searched_gap(view, s, count);
  pl_triangle_gap found = {.t = -7}, again;
  assert_true(pl_triangle_tree_segment_gap(tree, s, HUGE_VAL, &found));
  assert_true(found.t >= 0 && found.t <= 1);
  check_at_most(found.gap, least + 1.1e-7 * length);
  check_at_most(least - missed(s, count), found.gap);
  check_near(found.gap, gap_at(view, s, found.t), 1e-12);
  // The hit is the nearest point to that place.
  pl_vec3 place = pl_vec3_add_scaled(s->start, s->along, found.t), on = {0, 0, 0};
  for (int k = 0; k < 3; ++k)
    on = pl_vec3_add_scaled(on, view->points[view->triangles[3 * found.hit.triangle + k]], found.hit.barycentric[k]);
  check_near(pl_vec3_distance(on, found.hit.point), 0, 1e-12);
  check_near(found.hit.distance, pl_vec3_distance(on, place), 1e-12);
  // A limit saves work and nothing else.
  assert_true(pl_triangle_tree_segment_gap(tree, s, found.gap + 1e-6, &again));
  check_near(again.gap, found.gap, 1.1e-7 * length);
  assert_false(pl_triangle_tree_segment_gap(tree, s, found.gap - 2e-7 * length - 1e-9, &again));
}

static void the_gap_is_the_least_of_all_triangles_and_places(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(31);
  static torus shape;
  make_torus(&shape);
  pl_mesh_view view = {
      .point_count = POINTS, .points = shape.points, .triangle_count = TRIANGLES, .triangles = shape.triangles};
  pl_triangle_tree *tree = make_tree(context, &view);
  for (int i = 0; i < 150; ++i) {
    pl_tapered_segment s = random_segment(&random);
    check_segment(&view, tree, &s, 40);
  }
  pl_triangle_tree_destroy(tree);
  drop_context(context);
}

// Triangles of all kinds, every third without area.
static void triangles_in_any_position_and_without_area(void **state) {
  (void)state;
  enum { COUNT = 12 };
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(32);
  for (int trial = 0; trial < 20; ++trial) {
    pl_vec3 points[3 * COUNT];
    int32_t triangles[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; ++i) points[i] = random_point(&random, 1), triangles[i] = i;
    for (int i = 0; i < COUNT; i += 3) points[3 * i + 2] = pl_vec3_lerp(points[3 * i], points[3 * i + 1], 0.3);
    pl_mesh_view view = {.point_count = 3 * COUNT, .points = points, .triangle_count = COUNT, .triangles = triangles};
    pl_triangle_tree *tree = make_tree(context, &view);
    for (int i = 0; i < 20; ++i) {
      pl_tapered_segment s = random_segment(&random);
      check_segment(&view, tree, &s, POSITIONS / 4);
    }
    pl_triangle_tree_destroy(tree);
  }
  drop_context(context);
}

static void closed_forms_over_one_triangle(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 points[3] = {{-4, 0, -4}, {4, 0, -4}, {0, 0, 8}};
  const int32_t triangles[3] = {0, 1, 2};
  pl_mesh_view view = {.point_count = 3, .points = points, .triangle_count = 1, .triangles = triangles};
  pl_triangle_tree *tree = make_tree(context, &view);
  pl_triangle_gap found;
  // Parallel to the face: the middle.
  pl_tapered_segment s = {{-0.3, 0.2, 0}, {1, 0, 0.4}, 0.05, 0.05};
  assert_true(pl_triangle_tree_segment_gap(tree, &s, HUGE_VAL, &found));
  check_near(found.t, 0.5, 0);
  check_near(found.gap, 0.15, 1e-15);
  // A cone above the face touches with the end at which radius less height is largest.
  s = (pl_tapered_segment){{0, 0.2, 0}, {1, 0.1, 0}, 0.05, 0.25};
  assert_true(pl_triangle_tree_segment_gap(tree, &s, HUGE_VAL, &found));
  check_near(found.t, 1, 0);
  check_near(found.gap, 0.05, 1e-15);
  // Past the corner at z = 8, 2 m away: the touch is where the sine of the angle to the shortest way is the growth.
  double g = 0.3, distance = 2, x = distance * g / sqrt(1 - g * g);
  s = (pl_tapered_segment){{-5, 0, 10}, {10, 0, 0}, 0, 10 * g};
  assert_true(pl_triangle_tree_segment_gap(tree, &s, HUGE_VAL, &found));
  check_near(found.t, (5 + x) / 10, 1e-3);
  check_near(found.gap, sqrt(distance * distance + x * x) - g * (5 + x), 1e-6);
  pl_triangle_tree_destroy(tree);
  drop_context(context);
}

static void what_is_no_number_is_near_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const int32_t triangles[3] = {0, 1, 2};
  pl_mesh_view view = {.point_count = 3, .points = points, .triangle_count = 1, .triangles = triangles};
  pl_triangle_tree *tree = make_tree(context, &view);
  pl_triangle_gap found;
  const double bad[2] = {(double)NAN, HUGE_VAL};
  for (int i = 0; i < 2; ++i) {
    pl_tapered_segment defect = {{bad[i], 0, 0}, {1, 0, 0}, 0.1, 0.1};
    assert_false(pl_triangle_tree_segment_gap(tree, &defect, HUGE_VAL, &found));
    defect = (pl_tapered_segment){{0, 0, 0}, {0, bad[i], 0}, 0.1, 0.1};
    assert_false(pl_triangle_tree_segment_gap(tree, &defect, HUGE_VAL, &found));
  }
  pl_triangle_tree_destroy(tree);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gap_is_the_least_of_all_triangles_and_places),
      cmocka_unit_test(triangles_in_any_position_and_without_area),
      cmocka_unit_test(closed_forms_over_one_triangle),
      cmocka_unit_test(what_is_no_number_is_near_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
