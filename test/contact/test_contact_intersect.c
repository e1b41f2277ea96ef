// ctest: unit
// Intersections of surfaces against brute force over all edges and triangles, and by closed form.
#include "contact/contact_intersect.h"

#include "base/random.h"
#include "fixtures/particle_bars.h"

// Every edge of every triangle of one bar against every triangle of the other, by the line's barycentrics. Edges are
// shared by two triangles, so each counts twice.
static int32_t brute_count(const bar_scene *s, int32_t a, int32_t b) {
  int32_t count = 0;
  const pl_contact_surface *edges = &s->models[a].surface, *other = &s->models[b].surface;
  for (int32_t i = 0; i < 3 * edges->triangle_count; ++i) {
    int32_t u = edges->triangles[i], v = edges->triangles[i % 3 == 2 ? i - 2 : i + 1];
    pl_vec3 p = s->positions[a][edges->parents[4 * u]], q = s->positions[a][edges->parents[4 * v]];
    for (int32_t t = 0; t < other->triangle_count; ++t) {
      pl_vec3 c[3];
      for (int k = 0; k < 3; ++k) c[k] = s->positions[b][other->parents[4 * other->triangles[3 * t + k]]];
      // p + x (q - p) = c0 + y e + z f
      pl_vec3 d = pl_vec3_sub(q, p), e = pl_vec3_sub(c[1], c[0]), f = pl_vec3_sub(c[2], c[0]), r = pl_vec3_sub(p, c[0]);
      double determinant = -pl_vec3_dot(d, pl_vec3_cross(e, f));
      if (determinant == 0) continue;
      double x = pl_vec3_dot(r, pl_vec3_cross(e, f)) / determinant;
      pl_vec3 at = pl_vec3_add_scaled(r, d, x), n = pl_vec3_cross(e, f);
      double area = pl_vec3_dot(n, n), y = pl_vec3_dot(pl_vec3_cross(at, f), n) / area,
             z = pl_vec3_dot(pl_vec3_cross(e, at), n) / area;
      count += x > 0 && x < 1 && y > 0 && z > 0 && y + z < 1;
    }
  }
  assert_int_equal(count % 2, 0);
  return count / 2;
}

static void intersections_are_those_of_brute_force(void **state) {
  (void)state;
  static bar_scene s;
  enum { CAPACITY = 4096 };
  static pl_contact_intersection items[CAPACITY];
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(12);
  const int32_t cells[3] = {5, 2, 3};
  for (int b = 0; b < 3; ++b) make_bar(&s.models[b], pl_vec3_of(0.5, 0.2, 0.3), cells);
  begin_bars(&s, context, 3);
  int64_t total = 0;
  for (int run = 0; run < 20; ++run) {
    for (int b = 0; b < 3; ++b) {
      pl_vec3 turn = {pl_random_between(&random, -2, 2), pl_random_between(&random, -2, 2), 0.3};
      pl_vec3 position = {pl_random_between(&random, 0, 0.3), pl_random_between(&random, 0, 0.3), 0.1 * b};
      if (run % 2) position = pl_vec3_add(position, pl_vec3_of(1000, -1000, 5));
      place_bar(&s, b, (pl_transform){position, pl_quat_from_rotation_vector(turn)}, pl_vec3_of(0, 0, 0));
    }
    pl_contact_intersections found = {.items = items, .capacity = CAPACITY};
    pl_error error = {0};
    check_ok(pl_contact_find_intersections(s.solver, s.bodies, 3, &found, &error), &error);
    int32_t expected = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) expected += a != b ? brute_count(&s, a, b) : 0;
    assert_int_equal(found.count, expected);
    total += found.count;
    for (int32_t i = 1; i < found.count && i < CAPACITY; ++i) assert_true(items[i].edge_body >= items[i - 1].edge_body);
  }
  print_message("%lld intersections\n", (long long)total);
  assert_true(total > 100);
  end_bars(&s);
  drop_context(context);
}

static void touching_is_not_passing_through(void **state) {
  (void)state;
  static bar_scene s;
  pl_context *context = make_context(1);
  const int32_t cells[3] = {1, 1, 1};
  for (int b = 0; b < 2; ++b) make_bar(&s.models[b], pl_vec3_of(1, 0.1, 0.1), cells);
  begin_bars(&s, context, 2);
  place_bar(&s, 0, (pl_transform){{0, 0, 0}, pl_quat_identity()}, pl_vec3_of(0, 0, 0));
  pl_quat turn = pl_quat_from_rotation_vector(pl_vec3_of(0, 0.5 * PL_PI, 0));
  // Crossed bars, one 2 mm in the other: every lower edge of the upper passes through both sides of the lower bar.
  const double heights[3] = {0.1, 0.098, 0.101};
  for (int i = 0; i < 3; ++i) {
    place_bar(&s, 1, (pl_transform){{0.013, heights[i], 0.017}, turn}, pl_vec3_of(0, 0, 0));
    pl_contact_intersections found = {.spares_self = true};
    pl_error error = {0};
    check_ok(pl_contact_find_intersections(s.solver, s.bodies, 2, &found, &error), &error);
    if (i == 1)
      assert_true(found.count >= 8);
    else
      assert_int_equal(found.count, 0);
  }
  end_bars(&s);
  drop_context(context);
}

// A bar bent into a ring and beyond passes through itself.
static void a_body_through_itself_is_found(void **state) {
  (void)state;
  static bar_scene s;
  pl_context *context = make_context(1);
  const int32_t cells[3] = {40, 2, 2};
  make_bar(&s.models[0], pl_vec3_of(2, 0.1, 0.1), cells);
  begin_bars(&s, context, 1);
  const double angles[3] = {3, 6, 6.6};
  for (int i = 0; i < 3; ++i) {
    for (int32_t p = 0; p < s.models[0].particle_count; ++p) {
      pl_vec3 r = s.models[0].rest[p];
      double radius = 2 / angles[i] + r.y, angle = r.x / 2 * angles[i];
      s.positions[0][p] = pl_vec3_of(radius * sin(angle), radius * cos(angle), r.z);
    }
    pl_contact_intersections found = {.tolerance = 0};
    pl_error error = {0};
    check_ok(pl_contact_find_intersections(s.solver, s.bodies, 1, &found, &error), &error);
    if (i < 2)
      assert_int_equal(found.count, 0);
    else
      assert_true(found.count > 0);
  }
  end_bars(&s);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intersections_are_those_of_brute_force),
      cmocka_unit_test(touching_is_not_passing_through),
      cmocka_unit_test(a_body_through_itself_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
