// ctest: unit threads
// The field around a mesh against the mesh itself, and what segments find through it.
#include "base/random.h"
#include "check.h"
#include "contact/segment_touch.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

enum { RINGS = 64, SECTORS = 64, BALL_POINTS = (RINGS - 1) * SECTORS + 2, BALL_TRIANGLES = 2 * SECTORS * (RINGS - 1) };

static const double RADIUS = 0.1;

// A ball of 8064 triangles, with a crease around it where `is_creased`.
static pl_collider *make_ball(pl_context *context, bool is_creased) {
  static pl_vec3 points[BALL_POINTS];
  static int32_t triangles[3 * BALL_TRIANGLES];
  int32_t t = 0;
  for (int r = 1; r < RINGS; ++r)
    for (int s = 0; s < SECTORS; ++s) {
      double a = PL_PI * r / RINGS, b = 2 * PL_PI * s / SECTORS, flat = is_creased ? 0.4 : 1;
      points[(r - 1) * SECTORS + s] =
          pl_vec3_of(RADIUS * sin(a) * cos(b), flat * RADIUS * cos(a), RADIUS * sin(a) * sin(b));
      if (is_creased) points[(r - 1) * SECTORS + s].y = copysign(RADIUS, cos(a)) * (1 - sin(a)) * 0.8;
    }
  int32_t top = BALL_POINTS - 2, bottom = BALL_POINTS - 1;
  points[top] = pl_vec3_of(0, is_creased ? 0.8 * RADIUS : RADIUS, 0);
  points[bottom] = pl_vec3_of(0, is_creased ? -0.8 * RADIUS : -RADIUS, 0);
  for (int s = 0; s < SECTORS; ++s) {
    int32_t next = (s + 1) % SECTORS, last = (RINGS - 2) * SECTORS;
    const int32_t caps[6] = {top, next, s, bottom, last + s, last + next};
    memcpy(&triangles[3 * t], caps, sizeof caps);
    t += 2;
    for (int r = 0; r + 2 < RINGS; ++r) {
      int32_t a = r * SECTORS + s, b = r * SECTORS + next, c = a + SECTORS, d = b + SECTORS;
      const int32_t two[6] = {a, b, c, b, d, c};
      memcpy(&triangles[3 * t], two, sizeof two);
      t += 2;
    }
  }
  pl_mesh_view view = {
      .point_count = BALL_POINTS, .points = points, .triangle_count = BALL_TRIANGLES, .triangles = triangles};
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_MESH);
  def.mesh = mesh;
  pl_collider *collider = NULL;
  check_ok(pl_collider_create(context, &def, &collider, &error), &error);
  pl_mesh_destroy(mesh);
  return collider;
}

static pl_vec3 random_direction(pl_random *random) {
  pl_vec3 v;
  v.x = pl_random_between(random, -1, 1);
  v.y = pl_random_between(random, -1, 1);
  v.z = pl_random_between(random, -1, 1);
  return pl_vec3_normalize_or(v, pl_vec3_of(0, 1, 0));
}

static void the_field_is_right_where_it_answers(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  for (int creased = 0; creased < 2; ++creased) {
    pl_collider *ball = make_ball(context, creased);
    pl_random random = pl_random_of_seed(6);
    int known_count = 0;
    double max_error = 0, max_turn = 0;
    for (int i = 0; i < 20000; ++i) {
      double out = RADIUS * pl_random_between(&random, 0.95, 1.05), distance;
      pl_vec3 normal, exact_normal, point = pl_vec3_scale(random_direction(&random), out);
      if (!pl_collider_field_at(&ball->field, point, &distance, &normal)) continue;
      known_count++;
      double exact = pl_triangle_tree_signed_distance(ball->tree, point, HUGE_VAL, NULL, &exact_normal);
      max_error = fmax(max_error, fabs(distance - exact));
      max_turn = fmax(max_turn, pl_vec3_distance(normal, exact_normal));
    }
    print_message("creased %d: known %d of 20000, error %.2g of a cell of %.3g m, normals turned by %.2g\n", creased,
                  known_count, max_error / ball->field.cell, ball->field.cell, max_turn);
    if (!creased) assert_true(known_count > 19000);
    check_at_most(max_error, (creased ? 0.2 : 0.05) * ball->field.cell);
    if (!creased) check_at_most(max_turn, 0.1);
    pl_collider_destroy(context, ball);
  }
  drop_context(context);
}

static void segments_find_the_same_through_the_field(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_collider *ball = make_ball(context, false);
  pl_random random = pl_random_of_seed(7);
  const pl_transform placement = {{0.3, 5, -1}, {0.6, 0, 0, 0.8}};
  int touch_count = 0;
  double max_error = 0;
  for (int i = 0; i < 3000; ++i) {
    pl_vec3 middle = pl_vec3_scale(random_direction(&random), RADIUS * pl_random_between(&random, 0.97, 1.08));
    pl_vec3 along = pl_vec3_scale(random_direction(&random), pl_random_between(&random, 0.005, 0.04));
    pl_segment segment = {.radius_a = 0.002, .radius_b = 0.001};
    segment.a = pl_transform_apply(placement, pl_vec3_sub(middle, along));
    segment.b = pl_transform_apply(placement, pl_vec3_add(middle, along));
    pl_segment_touch touch, exact;
    const double limit = 0.005;
    bool is_touching = pl_segment_touch_collider(&segment, ball, placement, limit, &touch);
    // Without a limit the mesh itself is asked.
    assert_true(pl_segment_touch_collider(&segment, ball, placement, HUGE_VAL, &exact));
    if (exact.gap < limit - 1e-4) assert_true(is_touching);
    if (!is_touching) continue;
    touch_count++;
    max_error = fmax(max_error, fabs(touch.gap - exact.gap));
    assert_true(pl_vec3_dot(touch.normal, exact.normal) > 0.95);
  }
  print_message("%d of 3000 touch, gaps differ by %.2g m at most\n", touch_count, max_error);
  assert_true(touch_count > 1000);
  check_at_most(max_error, 2e-4);
  pl_collider_destroy(context, ball);
  drop_context(context);
}

// The coarse grid rules out what is far, inside the grid and around it, and is never wrong.
static void clearance_holds_everywhere_and_is_tight_far_out(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int creased = 0; creased < 2; ++creased) {
    pl_collider *ball = make_ball(context, creased);
    pl_random random = pl_random_of_seed(8);
    for (int i = 0; i < 20000; ++i) {
      pl_vec3 point = pl_vec3_scale(random_direction(&random), RADIUS * pl_random_between(&random, 0, 4));
      double away, distance = pl_collider_clearance_at(&ball->clearance, point, &away);
      double exact = pl_triangle_tree_signed_distance(ball->tree, point, HUGE_VAL, NULL, NULL);
      assert_true(exact >= distance - away - 1e-12 && exact <= distance + away + 1e-12);
      // The box is at most sqrt(3) times as far out as the ball.
      if (pl_vec3_length(point) > 2 * RADIUS) assert_true(distance - away > 0.1 * RADIUS);
    }
    pl_collider_destroy(context, ball);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clearance_holds_everywhere_and_is_tight_far_out),
      cmocka_unit_test(the_field_is_right_where_it_answers),
      cmocka_unit_test(segments_find_the_same_through_the_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
