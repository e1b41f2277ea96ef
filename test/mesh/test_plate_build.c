// Plates are filled with well-shaped triangles that contain their outlines.
// ctest: unit
#include "base/context.h"
#include "check.h"
#include "mesh/plate_delaunay.h"
#include "pliant/mesh.h"
#include "pliant/modeller.h"

static const double DEGREE = PL_PI / 180;

// The letter I with feet, a U, and a star with five spikes of 36 degrees.
static const double BEAM[] = {0.27,  0, 0.27,  0.15, 0.12,  0.19, 0.12,  0.81, 0.27,  0.85, 0.27,  1,
                              -0.27, 1, -0.27, 0.85, -0.12, 0.81, -0.12, 0.19, -0.27, 0.15, -0.27, 0};
static const double FORK[] = {-0.4, 0, -0.2, 0, -0.2, 0.7, 0.2, 0.7, 0.2, 0, 0.4, 0, 0.4, 1, -0.4, 1};
static const double SQUARE[] = {0, 0, 1, 0, 1, 1, 0, 1};
static const double WINDOW[] = {0.3, 0.3, 0.3, 0.6, 0.6, 0.6, 0.6, 0.3};
static const double SECOND_WINDOW[] = {0.75, 0.75, 0.9, 0.75, 0.9, 0.9, 0.75, 0.9};

enum { ROUND = 40 };

static void draw_circle(double x, double y, double radius, double *corners) {
  for (int i = 0; i < ROUND; ++i) {
    corners[2 * i] = x + radius * cos(2 * PL_PI * i / ROUND);
    corners[2 * i + 1] = y + radius * sin(2 * PL_PI * i / ROUND);
  }
}

static pl_plate_def plate_of(const double *corners, int32_t count, double spacing) {
  pl_plate_def def = pl_default_plate_def();
  def.outline = (pl_plate_loop){corners, count};
  def.spacing = spacing;
  return def;
}

static double loop_area(const pl_plate_loop *loop) {
  double sum = 0;
  for (int32_t i = 0; i < loop->corner_count; ++i) {
    const double *a = loop->corners + 2 * i, *b = loop->corners + 2 * ((i + 1) % loop->corner_count);
    sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  return fabs(sum);
}

static double angle_at(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
  double x = b.x - a.x, y = b.y - a.y, u = c.x - a.x, v = c.y - a.y;
  return atan2(x * v - y * u, x * u + y * v);
}

typedef struct plate_facts {
  double area, min_angle, longest;
  int32_t points, triangles, borders;
} plate_facts;

static bool has_side(const pl_mesh_view *v, int32_t a, int32_t b) {
  for (int32_t t = 0; t < v->triangle_count; ++t)
    for (int k = 0; k < 3; ++k)
      if (v->triangles[3 * t + k] == a && v->triangles[3 * t + (k + 1) % 3] == b) return true;
  return false;
}

// Sides with a triangle on one hand only, counted one by one, and area and angles as they are defined.
static plate_facts measure(const pl_mesh *mesh) {
  pl_mesh_view v = pl_mesh_get_view(mesh);
  plate_facts facts = {.points = v.point_count, .triangles = v.triangle_count, .min_angle = HUGE_VAL};
  for (int32_t t = 0; t < v.triangle_count; ++t) {
    const int32_t *c = v.triangles + 3 * t;
    pl_vec3 p[3] = {v.points[c[0]], v.points[c[1]], v.points[c[2]]};
    facts.area += 0.5 * ((p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x));
    for (int k = 0; k < 3; ++k) {
      facts.min_angle = fmin(facts.min_angle, angle_at(p[k], p[(k + 1) % 3], p[(k + 2) % 3]));
      facts.longest = fmax(facts.longest, hypot(p[k].x - p[(k + 1) % 3].x, p[k].y - p[(k + 1) % 3].y));
      facts.borders += !has_side(&v, c[(k + 1) % 3], c[k]);
      assert_true(p[k].z == 0);
    }
  }
  return facts;
}

static plate_facts build_and_measure(pl_context *context, const pl_plate_def *def, pl_mesh **kept) {
  pl_mesh *mesh = NULL;
  pl_plate_report report = {0};
  pl_error error = {0};
  check_ok(pl_plate_build(context, def, &mesh, &report, &error), &error);
  plate_facts facts = measure(mesh);
  check_near(report.area, facts.area, 1e-12);
  check_near(report.min_angle, facts.min_angle, 1e-6);
  assert_int_equal(report.border_point_count, facts.borders);  // a closed line has as many points as sides
  // Points less sides plus triangles: 1 for a plate, less 1 for each hole.
  int32_t sides = (3 * facts.triangles + facts.borders) / 2;
  assert_int_equal(facts.points - sides + facts.triangles, 1 - def->hole_count);
  if (kept != NULL)
    *kept = mesh;
  else
    pl_mesh_destroy(mesh);
  return facts;
}

static void straight_outlines_keep_their_area_and_get_good_triangles(void **state) {
  (void)state;
  static const struct {
    const double *corners;
    int32_t count;
    double min_angle;
  } cases[] = {{BEAM, 12, 20}, {FORK, 8, 20}, {SQUARE, 4, 30}};
  static const double spacings[] = {0.2, 0.16, 0.11, 0.07, 0.03};
  pl_context *context = make_context(1);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 5; ++k) {
      pl_plate_def def = plate_of(cases[i].corners, cases[i].count, spacings[k]);
      plate_facts facts = build_and_measure(context, &def, NULL);
      check_near(facts.area, loop_area(&def.outline), 1e-12);
      check_at_most(cases[i].min_angle * DEGREE, facts.min_angle);
      check_at_most(facts.longest, 2 * spacings[k]);
      // No more triangles than half a spacing would make.
      check_at_most(facts.triangles, 8 * facts.area / (0.433 * spacings[k] * spacings[k]) + 12);
    }
  drop_context(context);
}

static void every_corner_and_side_of_the_outline_is_in_the_mesh(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_plate_def def = plate_of(BEAM, 12, 0.16);
  pl_mesh *mesh = NULL;
  int32_t borders = build_and_measure(context, &def, &mesh).borders;
  pl_mesh_view v = pl_mesh_get_view(mesh);
  for (int i = 0; i < 12; ++i) {
    // From corner to corner along sides of triangles that lie on the straight line between them; the points come in
    // this order.
    double x = BEAM[2 * i], y = BEAM[2 * i + 1], u = BEAM[2 * ((i + 1) % 12)], w = BEAM[2 * ((i + 1) % 12) + 1];
    int32_t at = 0;
    while (at < v.point_count && !(v.points[at].x == x && v.points[at].y == y)) ++at;
    assert_in_range(at, 0, v.point_count - 1);
    for (int32_t steps = 0; !(v.points[at].x == u && v.points[at].y == w); ++steps) {
      assert_true(steps < 100);
      check_near((v.points[at].x - x) * (w - y) - (v.points[at].y - y) * (u - x), 0, 1e-12);
      int32_t next = (at + 1) % borders;
      assert_true(has_side(&v, at, next));
      at = next;
    }
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void holes_stay_open_in_either_direction(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_plate_loop holes[] = {{WINDOW, 4}, {SECOND_WINDOW, 4}};
  for (int count = 0; count <= 2; ++count) {
    pl_plate_def def = plate_of(SQUARE, 4, 0.13);
    def.holes = holes;
    def.hole_count = count;
    plate_facts facts = build_and_measure(context, &def, NULL);
    check_near(facts.area, 1 - (count > 0 ? 0.09 : 0) - (count > 1 ? 0.0225 : 0), 1e-12);
    check_at_most(20 * DEGREE, facts.min_angle);
  }
  drop_context(context);
}

static void the_direction_of_an_outline_does_not_matter(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double back[24];
  for (int i = 0; i < 12; ++i) {
    back[2 * i] = BEAM[2 * (11 - i)];
    back[2 * i + 1] = BEAM[2 * (11 - i) + 1];
  }
  pl_plate_def def = plate_of(BEAM, 12, 0.1), other = plate_of(back, 12, 0.1);
  plate_facts one = build_and_measure(context, &def, NULL), two = build_and_measure(context, &other, NULL);
  assert_int_equal(one.points, two.points);
  assert_int_equal(one.triangles, two.triangles);
  check_near(one.area, two.area, 1e-12);
  drop_context(context);
}

static void curves_drawn_finely_become_few_pieces(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double outer[2 * ROUND], inner[2 * ROUND];
  draw_circle(0.3, -0.2, 0.5, outer);
  draw_circle(0.3, -0.2, 0.25, inner);
  pl_plate_loop hole = {inner, ROUND};
  pl_plate_def def = plate_of(outer, ROUND, 0.25);
  def.holes = &hole;
  def.hole_count = 1;
  plate_facts facts = build_and_measure(context, &def, NULL);
  assert_in_range(facts.borders, 16, 30);  // 3.14 m and 1.57 m of line
  check_at_most(25 * DEGREE, facts.min_angle);
  check_near(facts.area, loop_area(&def.outline) - loop_area(&hole), 0.05);
  drop_context(context);
}

static void narrow_parts_get_smaller_triangles(void **state) {
  (void)state;
  // A mast a quarter of the spacing wide on a wide base.
  static const double mast[] = {-0.5, 0, 0.5, 0, 0.5, 0.4, 0.05, 0.4, 0.05, 1, -0.05, 1, -0.05, 0.4, -0.5, 0.4};
  pl_context *context = make_context(1);
  pl_plate_def def = plate_of(mast, 8, 0.2);
  plate_facts facts = build_and_measure(context, &def, NULL);
  check_near(facts.area, loop_area(&def.outline), 1e-12);
  check_at_most(20 * DEGREE, facts.min_angle);
  drop_context(context);
}

static void expect_refusal(pl_context *context, const pl_plate_def *def, const char *field, const char *words) {
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  assert_true(pl_plate_build(context, def, &mesh, NULL, &error) < 0);
  assert_null(mesh);
  assert_string_equal(error.field, field);
  if (strstr(error.text, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void bad_outlines_are_refused_by_name(void **state) {
  (void)state;
  static const double bow[] = {0, 0, 1, 1, 1, 0, 0, 1}, far_away[] = {3, 3, 4, 3, 4, 4},
                      across[] = {0.5, 0.5, 1.5, 0.5, 0.7, 0.7};
  static const double inner[] = {0.4, 0.4, 0.5, 0.4, 0.5, 0.5}, twice[] = {0, 0, 1, 0, 1, 0, 0, 1},
                      nowhere[] = {0, 0, 1, HUGE_VAL, 0, 1};
  static const double spike[] = {0, 0, 3, 0.1, 0, 0.2}, back[] = {0, 0, 1, 0, 0.5, 0, 0.5, 1};
  pl_context *context = make_context(1);
  pl_plate_def def = plate_of(bow, 4, 0.1);
  expect_refusal(context, &def, "outline", "crosses or touches itself");
  def = plate_of(SQUARE, 2, 0.1);
  expect_refusal(context, &def, "outline", "three or more");
  def = plate_of(twice, 4, 0.1);
  expect_refusal(context, &def, "outline", "same place");
  def = plate_of(nowhere, 3, 0.1);
  expect_refusal(context, &def, "outline", "corner 1 is not a place");
  def = plate_of(back, 4, 0.1);
  expect_refusal(context, &def, "outline", "turns straight back");
  def = plate_of(spike, 3, 0.05);
  expect_refusal(context, &def, "spacing", "too pointed");
  def = plate_of(SQUARE, 4, 2);
  expect_refusal(context, &def, "spacing", "wider than the plate");
  def = plate_of(SQUARE, 4, 1e-5);
  expect_refusal(context, &def, "spacing", "too many");
  def = plate_of(SQUARE, 4, 0);
  expect_refusal(context, &def, "spacing", "");
  pl_plate_loop holes[] = {{WINDOW, 4}, {far_away, 3}};
  def = plate_of(SQUARE, 4, 0.1);
  def.holes = holes;
  def.hole_count = 2;
  expect_refusal(context, &def, "holes[1]", "outside the outline");
  holes[1] = (pl_plate_loop){across, 3};
  expect_refusal(context, &def, "holes[1]", "crosses or touches outline");
  holes[1] = (pl_plate_loop){inner, 3};
  expect_refusal(context, &def, "holes[1]", "lies in holes[0]");
  def.magic = 0;
  pl_mesh *mesh = NULL;
  assert_int_equal(pl_plate_build(context, &def, &mesh, NULL, NULL), PL_ERROR_INVALID_ARGUMENT);
  drop_context(context);
}

// The circle through each triangle's corners holds no other point: asked of every pair, in long double, on a grid full
// of ties.
static void triangulations_of_lattices_are_delaunay(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_delaunay d;
  assert_true(pl_delaunay_open(&d, context));
  enum { SIDE = 9 };
  for (int i = 0; i < SIDE * SIDE; ++i) {
    int k = (i * 37) % (SIDE * SIDE);  // in no order
    pl_grid_point p = {1000 * (k % SIDE), 1000 * (k / SIDE)};
    assert_int_equal(pl_delaunay_insert(&d, p), i + PL_DELAUNAY_FRAME);
    assert_int_equal(pl_delaunay_insert(&d, p), i + PL_DELAUNAY_FRAME);
  }
  const pl_grid_point *points = d.points.items;
  int64_t twice_area = 0;
  for (size_t t = 0; t < d.triangles.count; ++t) {
    const pl_plane_triangle *at = &PL_ITEM(&d.triangles, pl_plane_triangle, t);
    pl_grid_point a = points[at->corners[0]], b = points[at->corners[1]], c = points[at->corners[2]];
    int64_t cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    assert_true(cross > 0);
    bool real = at->corners[0] >= PL_DELAUNAY_FRAME && at->corners[1] >= PL_DELAUNAY_FRAME &&
                at->corners[2] >= PL_DELAUNAY_FRAME;
    if (real) twice_area += cross;
    for (size_t i = PL_DELAUNAY_FRAME; real && i < d.points.count; ++i) {
      long double ax = (long double)(a.x - points[i].x), ay = (long double)(a.y - points[i].y),
                  bx = (long double)(b.x - points[i].x), by = (long double)(b.y - points[i].y),
                  cx = (long double)(c.x - points[i].x), cy = (long double)(c.y - points[i].y);
      long double sum = (ax * ax + ay * ay) * (bx * cy - by * cx) + (bx * bx + by * by) * (cx * ay - cy * ax) +
                        (cx * cx + cy * cy) * (ax * by - ay * bx);
      assert_true(sum <= 0);
    }
  }
  assert_int_equal(twice_area, 2 * 8000 * 8000);
  pl_delaunay_close(&d);
  drop_context(context);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_plate_loop hole = {WINDOW, 4};
  pl_plate_def def = plate_of(SQUARE, 4, 0.25);
  def.holes = &hole;
  def.hole_count = 1;
  int64_t live = allocator.live_count;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  for (int64_t n = 1; status < 0; ++n) {
    pl_mesh *mesh = NULL;
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_error error = {0};
    status = pl_plate_build(context, &def, &mesh, NULL, &error);
    if (status >= 0) {
      assert_true(n > 5);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straight_outlines_keep_their_area_and_get_good_triangles),
      cmocka_unit_test(every_corner_and_side_of_the_outline_is_in_the_mesh),
      cmocka_unit_test(holes_stay_open_in_either_direction),
      cmocka_unit_test(the_direction_of_an_outline_does_not_matter),
      cmocka_unit_test(curves_drawn_finely_become_few_pieces),
      cmocka_unit_test(narrow_parts_get_smaller_triangles),
      cmocka_unit_test(bad_outlines_are_refused_by_name),
      cmocka_unit_test(triangulations_of_lattices_are_delaunay),
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
