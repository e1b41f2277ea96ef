// Tapered segments against colliders: the least gap against a search over 10,000 places, what is ruled out against the
// same, normals, ends, and segments that are points, cones, parallel to what they touch, or no numbers.
// ctest: unit
#include "contact/segment_touch.h"

#include "base/random.h"
#include "check.h"
#include "fixtures/torus_surface.h"
#include "pliant/math.h"

enum { POSITIONS = 10000 };

static pl_collider *make(pl_context *context, pl_collider_def def) {
  pl_collider *collider = NULL;
  pl_error error = {0};
  check_ok(pl_collider_create(context, &def, &collider, &error), &error);
  return collider;
}

// A collider whose surface is given; it keeps its own copy.
static pl_collider *make_mesh(pl_context *context, int32_t point_count, const pl_vec3 *points, int32_t triangle_count,
                              const int32_t *triangles) {
  pl_mesh_view view = {
      .point_count = point_count, .points = points, .triangle_count = triangle_count, .triangles = triangles};
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_MESH);
  def.mesh = mesh;
  pl_collider *collider = make(context, def);
  pl_mesh_destroy(mesh);
  return collider;
}

static pl_collider *make_box_mesh(pl_context *context, pl_vec3 half) {
  pl_vec3 points[8];
  for (int i = 0; i < 8; ++i)
    points[i] = pl_vec3_of(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
  const int32_t triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
  return make_mesh(context, 8, points, 12, triangles);
}

static pl_collider *make_torus_mesh(pl_context *context) {
  static torus t;
  make_torus(&t);
  return make_mesh(context, POINTS, t.points, TRIANGLES, t.triangles);
}

// One of each convex form, all numbers times `size`.
static pl_collider *make_form(pl_context *context, int shape, double size) {
  pl_collider_def def = pl_default_collider_def((pl_collider_shape)shape);
  def.radius = 0.3 * size, def.half_length = 0.5 * size;
  def.half_size = pl_vec3_scale(pl_vec3_of(0.3, 0.5, 0.8), size);
  return make(context, def);
}

static pl_vec3 random_point(pl_random *random, double size) {
  double x = pl_random_between(random, -size, size), y = pl_random_between(random, -size, size);
  return pl_vec3_of(x, y, pl_random_between(random, -size, size));
}

static pl_transform random_placement(pl_random *random, double size) {
  return (pl_transform){random_point(random, size), pl_quat_from_rotation_vector(random_point(random, 3))};
}

// Segments of all kinds around a placement: long and short, thin, thick and conical, deep inside, touching and far.
static pl_segment random_segment(pl_random *random, pl_transform placement, double size) {
  double spread = size * pow(10, pl_random_between(random, -1, 0.5)),
         length = size * pow(10, pl_random_between(random, -2, 0.6));
  pl_segment s;
  s.a = pl_transform_apply(placement, random_point(random, spread));
  s.b = pl_vec3_add(s.a, random_point(random, length));
  s.radius_a = pl_random_unit(random) < 0.2 ? 0 : length * pl_random_between(random, 0, 0.4);
  s.radius_b = pl_random_unit(random) < 0.3
                   ? s.radius_a
                   : length * pl_random_between(random, 0, pl_random_unit(random) < 0.1 ? 3 : 0.4);
  return s;
}

static double gap_at(const pl_segment *s, const pl_collider *collider, pl_transform placement, double t) {
  return pl_collider_distance(collider, placement, pl_vec3_lerp(s->a, s->b, t), NULL) - (1 - t) * s->radius_a -
         t * s->radius_b;
}

// The least gap of `count` places, and for convex forms what a golden section makes of the two intervals next to the
// best.
static double searched_gap(const pl_segment *s, const pl_collider *collider, pl_transform placement, int count) {
  double best = HUGE_VAL, t = 0;
  for (int i = 0; i <= count; ++i) {
    double gap = gap_at(s, collider, placement, (double)i / count);
    if (gap < best) best = gap, t = (double)i / count;
  }
  if (collider->shape == PL_COLLIDER_MESH) return best;
  const double fraction = 0.5 * (sqrt(5.0) - 1);
  double low = fmax(0, t - 1.0 / count), high = fmin(1, t + 1.0 / count);
  for (int i = 0; i < 70; ++i) {
    double left = high - fraction * (high - low), right = low + fraction * (high - low);
    double left_gap = gap_at(s, collider, placement, left), right_gap = gap_at(s, collider, placement, right);
    best = fmin(best, fmin(left_gap, right_gap));
    if (left_gap < right_gap) {
      high = right;
    } else {
      low = left;
    }
  }
  return best;
}

// What holds of every touch: t in range, the gap is that of its place, the normal is unit and the shortest way to the
// surface or back.
static void check_touch(const pl_segment *s, const pl_collider *collider, pl_transform placement,
                        const pl_segment_touch *touch, double tolerance) {
  assert_true(touch->t >= 0 && touch->t <= 1);
  check_near(touch->gap, gap_at(s, collider, placement, touch->t), tolerance);
  check_near(pl_vec3_length(touch->normal), 1, 1e-12);
  pl_vec3 position = pl_vec3_lerp(s->a, s->b, touch->t);
  double distance = pl_collider_distance(collider, placement, position, NULL);
  check_near(pl_collider_distance(collider, placement, pl_vec3_add_scaled(position, touch->normal, -distance), NULL), 0,
             tolerance);
  // A little out from there the distance has grown by as much.
  pl_vec3 out = pl_vec3_add_scaled(position, touch->normal, fmax(0, -distance) + 1e-3 * collider->reach);
  if (collider->shape != PL_COLLIDER_MESH && collider->shape != PL_COLLIDER_HALF_SPACE)
    check_near(pl_collider_distance(collider, placement, out, NULL), fmax(0, distance) + 1e-3 * collider->reach,
               tolerance);
}

static void the_gap_is_the_least_of_all_places_for_convex_forms(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(11);
  const double sizes[3] = {1, 1e-3, 1e3};
  int inside = 0, at_ends = 0, between = 0;
  for (int shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_BOX; ++shape)
    for (int k = 0; k < 3; ++k) {
      pl_collider *collider = make_form(context, shape, sizes[k]);
      for (int i = 0; i < 50; ++i) {
        pl_transform placement = random_placement(&random, 2 * sizes[k]);
        pl_segment s = random_segment(&random, placement, sizes[k]);
        pl_segment_touch touch;
        assert_true(pl_segment_touch_collider(&s, collider, placement, HUGE_VAL, &touch));
        check_near(touch.gap, searched_gap(&s, collider, placement, POSITIONS), 1e-11 * sizes[k]);
        check_touch(&s, collider, placement, &touch, 1e-11 * sizes[k]);
        inside += touch.gap < 0, at_ends += touch.t == 0 || touch.t == 1, between += touch.t > 0.01 && touch.t < 0.99;
      }
      pl_collider_destroy(context, collider);
    }
  assert_true(inside > 60 && at_ends > 60 && between > 60);
  drop_context(context);
}

// Many more, on grids that are coarse but for the section: ridges inside the box, edges and caps are hit in all ways.
static void the_gap_is_exact_in_every_part_of_a_form(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(12);
  for (int shape = PL_COLLIDER_SPHERE; shape <= PL_COLLIDER_BOX; ++shape) {
    pl_collider *collider = make_form(context, shape, 1);
    pl_transform placement = random_placement(&random, 1);
    for (int i = 0; i < 4000; ++i) {
      pl_segment s = random_segment(&random, placement, i % 2 ? 1 : 0.3);
      pl_segment_touch touch;
      assert_true(pl_segment_touch_collider(&s, collider, placement, HUGE_VAL, &touch));
      check_near(touch.gap, searched_gap(&s, collider, placement, 40), 1e-11);
    }
    pl_collider_destroy(context, collider);
  }
  drop_context(context);
}

static void nothing_within_the_limit_is_ruled_out(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(13);
  int near = 0, far = 0;
  for (int shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_collider *collider = shape == PL_COLLIDER_MESH ? make_torus_mesh(context) : make_form(context, shape, 1);
    for (int i = 0; i < 300; ++i) {
      pl_transform placement = random_placement(&random, 2);
      pl_segment s = random_segment(&random, placement, 1);
      double limit = i % 3 == 0 ? 0 : pl_random_between(&random, 0, 0.5);
      double gap = searched_gap(&s, collider, placement, 40);
      pl_segment_touch touch = {.t = -7}, any;
      bool is_near = pl_segment_touch_collider(&s, collider, placement, limit, &touch);
      // Without a limit the same place is found, so the limit only ever saves work.
      assert_true(pl_segment_touch_collider(&s, collider, placement, HUGE_VAL, &any));
      if (fabs(any.gap - limit) > 1e-6) assert_int_equal(is_near, any.gap < limit);
      if (gap < limit - 1e-9) assert_true(is_near);
      if (is_near) check_near(touch.gap, any.gap, shape == PL_COLLIDER_MESH ? 1e-5 : 1e-12);
      if (!is_near) check_near(touch.t, -7, 0);
      near += is_near, far += !is_near;
      // A limit of exactly the gap still lets it through.
      if (shape != PL_COLLIDER_MESH && any.gap >= 0)
        assert_true(pl_segment_touch_collider(&s, collider, placement, any.gap, &touch));
    }
    pl_collider_destroy(context, collider);
  }
  assert_true(near > 300 && far > 300);
  drop_context(context);
}

static void a_box_as_a_mesh_is_touched_where_the_box_is(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(14);
  pl_collider *box = make_form(context, PL_COLLIDER_BOX, 1), *mesh = make_box_mesh(context, pl_vec3_of(0.3, 0.5, 0.8));
  for (int i = 0; i < 1000; ++i) {
    pl_transform placement = random_placement(&random, 1);
    pl_segment s = random_segment(&random, placement, 1);
    pl_segment_touch touch, same;
    assert_true(pl_segment_touch_collider(&s, box, placement, HUGE_VAL, &touch));
    assert_true(pl_segment_touch_collider(&s, mesh, placement, HUGE_VAL, &same));
    check_near(same.gap, touch.gap, 1e-5 * pl_vec3_distance(s.a, s.b) + 1e-12);
    check_touch(&s, mesh, placement, &same, 1e-9);
  }
  pl_collider_destroy(context, box);
  pl_collider_destroy(context, mesh);
  drop_context(context);
}

static void on_a_bent_torus_no_more_than_half_the_radius_is_missed(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(15);
  pl_collider *collider = make_torus_mesh(context);
  int exact = 0, touching = 0;
  enum { FINE = 12, COUNT = 400 };
  for (int i = 0; i < COUNT; ++i) {
    pl_transform placement = random_placement(&random, 1);
    pl_segment s = random_segment(&random, placement, 1);
    double length = pl_vec3_distance(s.a, s.b), gap = searched_gap(&s, collider, placement, i < FINE ? POSITIONS : 300);
    pl_segment_touch touch;
    assert_true(pl_segment_touch_collider(&s, collider, placement, HUGE_VAL, &touch));
    check_touch(&s, collider, placement, &touch, 1e-9);
    check_at_most(touch.gap, gap + fmax(0.5 * fmin(s.radius_a, s.radius_b), length / 64) + 1e-12);
    // A line that does not enter the mesh misses nothing.
    if (gap > -fmin(s.radius_a, s.radius_b)) check_at_most(touch.gap, gap + 2e-7 * length);
    if (pl_collider_distance(collider, placement, s.a, NULL) > 0) {
      pl_segment_touch same;
      assert_true(pl_segment_touch_from_outside(&s, collider, placement, HUGE_VAL, &same));
      check_near(same.gap, touch.gap, 0);
      check_near(same.t, touch.t, 0);
      assert_int_equal(pl_segment_touch_from_outside(&s, collider, placement, 0, &same),
                       pl_segment_touch_collider(&s, collider, placement, 0, &same));
    }
    exact += touch.gap <= gap + 1e-6 * length, touching += touch.gap < 0;
  }
  printf("seed 15: %d of %d no worse than 300 places, %d touch\n", exact, COUNT, touching);
  assert_true(exact > COUNT * 95 / 100 && touching > COUNT / 8);
  pl_collider_destroy(context, collider);
  drop_context(context);
}

static void a_thin_plate_between_the_ends_is_found(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(16);
  pl_collider *plate = make_box_mesh(context, pl_vec3_of(1, 1e-3, 1));
  for (int i = 0; i < 200; ++i) {
    // From above to below through a point of the plate, both ends well clear of it.
    pl_vec3 through = pl_vec3_of(pl_random_between(&random, -0.9, 0.9), 0, pl_random_between(&random, -0.9, 0.9));
    double t = pl_random_between(&random, 0.1, 0.9), radius = pl_random_between(&random, 0.01, 0.04);
    pl_vec3 along = pl_vec3_of(pl_random_between(&random, -1, 1), -1, pl_random_between(&random, -1, 1));
    pl_segment s = {pl_vec3_add_scaled(through, along, -t), pl_vec3_add_scaled(through, along, 1 - t), radius, radius};
    pl_segment_touch touch;
    assert_true(pl_segment_touch_collider(&s, plate, pl_transform_identity(), 0, &touch));
    check_at_most(touch.gap, -radius - 1e-3 + 1e-6);
    check_near(touch.t, t, 1e-2);
    check_near(fabs(touch.normal.y), 1, 1e-9);
  }
  pl_collider_destroy(context, plate);
  drop_context(context);
}

static void a_segment_without_length_is_its_larger_ball(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(17);
  for (int shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_collider *collider = shape == PL_COLLIDER_MESH ? make_torus_mesh(context) : make_form(context, shape, 1);
    for (int i = 0; i < 100; ++i) {
      pl_transform placement = random_placement(&random, 1);
      pl_vec3 position = random_point(&random, 2);
      double thin = i % 2 ? 0 : 0.1, thick = i % 3 ? 0.3 : thin;
      pl_segment s = {position, position, thin, thick}, turned = {position, position, thick, thin};
      pl_segment_touch touch;
      double gap = pl_collider_distance(collider, placement, position, NULL) - thick;
      assert_true(pl_segment_touch_collider(&s, collider, placement, HUGE_VAL, &touch));
      check_near(touch.gap, gap, 1e-12);
      if (thick > thin) check_near(touch.t, 1, 0);
      check_touch(&s, collider, placement, &touch, 1e-9);
      assert_true(pl_segment_touch_collider(&turned, collider, placement, HUGE_VAL, &touch));
      check_near(touch.gap, gap, 1e-12);
      if (thick > thin) check_near(touch.t, 0, 0);
    }
    pl_collider_destroy(context, collider);
  }
  drop_context(context);
}

static void a_segment_that_lies_flat_is_touched_in_the_middle_of_what_it_lies_on(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(18);
  pl_collider *box = make_form(context, PL_COLLIDER_BOX, 1), *plane = make_form(context, PL_COLLIDER_HALF_SPACE, 1);
  pl_collider *capsule = make_form(context, PL_COLLIDER_CAPSULE, 1),
              *mesh = make_box_mesh(context, pl_vec3_of(0.3, 0.5, 0.8));
  for (int i = 0; i < 100; ++i) {
    // Any placement, so that flat is flat but for rounding.
    pl_transform placement = i == 0 ? pl_transform_identity() : random_placement(&random, 2);
    double height = pl_random_between(&random, -0.05, 0.05), r = 0.02;
    pl_segment_touch touch;
    pl_segment s = {pl_transform_apply(placement, pl_vec3_of(-3, height, 0.2)),
                    pl_transform_apply(placement, pl_vec3_of(1, height, 1)), r, r};
    assert_true(pl_segment_touch_collider(&s, plane, placement, 1, &touch));
    check_near(touch.t, 0.5, 0);
    check_near(touch.gap, height - r, 1e-12);
    // The top of the box is at y = 0.5 and ends at x = 0.3: the segment is on it from -0.3 to 0.3, its t from 0.7 / 1.7
    // to 1.3 / 1.7.
    s.a = pl_transform_apply(placement, pl_vec3_of(-1, 0.5 + height, 0)),
    s.b = pl_transform_apply(placement, pl_vec3_of(0.7, 0.5 + height, 0));
    assert_true(pl_segment_touch_collider(&s, box, placement, 1, &touch));
    check_near(touch.t, 1 / 1.7, 1e-9);
    check_near(touch.gap, height - r, 1e-12);
    // Along the capsule, and half beyond it.
    s.a = pl_transform_apply(placement, pl_vec3_of(0, 0.5, 0.4)),
    s.b = pl_transform_apply(placement, pl_vec3_of(0, -1.5, 0.4));
    assert_true(pl_segment_touch_collider(&s, capsule, placement, 1, &touch));
    check_near(touch.t, 0.25, 1e-9);
    check_near(touch.gap, 0.1 - r, 1e-12);
    // On a mesh: wholly on its face.
    s.a = pl_transform_apply(placement, pl_vec3_of(-0.2, 0.5 + height, -0.1)),
    s.b = pl_transform_apply(placement, pl_vec3_of(0.2, 0.5 + height, 0.3));
    assert_true(pl_segment_touch_collider(&s, mesh, placement, 1, &touch));
    check_near(touch.t, 0.5, 0);
    check_near(touch.gap, height - r, 1e-12);
  }
  pl_collider_destroy(context, box);
  pl_collider_destroy(context, plane);
  pl_collider_destroy(context, capsule);
  pl_collider_destroy(context, mesh);
  drop_context(context);
}

static void a_segment_through_the_middle_is_pushed_sideways(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(19);
  for (int shape = PL_COLLIDER_SPHERE; shape <= PL_COLLIDER_CAPSULE; ++shape) {
    pl_collider *collider = make_form(context, shape, 1);
    for (int i = 0; i < 100; ++i) {
      pl_transform placement = i < 2 ? pl_transform_identity() : random_placement(&random, 1);
      // The second one along the axis.
      pl_vec3 along = i == 1 ? pl_vec3_of(0, 1, 0) : random_point(&random, 1), middle = placement.position;
      pl_segment s = {pl_vec3_sub(middle, along), pl_vec3_add(middle, along), 0.1, 0.1};
      pl_segment_touch touch;
      assert_true(pl_segment_touch_collider(&s, collider, placement, 0, &touch));
      check_near(touch.gap, -0.4, 1e-12);
      check_near(pl_vec3_dot(touch.normal, along), 0, 1e-9);
      check_touch(&s, collider, placement, &touch, 1e-9);
    }
    pl_collider_destroy(context, collider);
  }
  drop_context(context);
}

static void ends_that_touch_first_are_ends(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_transform placement = pl_transform_identity();
  for (int shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_collider *collider =
        shape == PL_COLLIDER_MESH ? make_box_mesh(context, pl_vec3_of(0.3, 0.5, 0.8)) : make_form(context, shape, 1);
    pl_segment s = {pl_vec3_of(0.05, 0.9, 0.02), pl_vec3_of(0.2, 2, 0.1), 0.01, 0.02};
    pl_segment_touch touch;
    assert_true(pl_segment_touch_collider(&s, collider, placement, HUGE_VAL, &touch));
    check_near(touch.t, 0, 0);
    pl_segment turned = {s.b, s.a, s.radius_b, s.radius_a};
    assert_true(pl_segment_touch_collider(&turned, collider, placement, HUGE_VAL, &touch));
    check_near(touch.t, 1, 0);
    // A cone that widens faster than it leaves touches with its wide end.
    s.radius_b = 2;
    assert_true(pl_segment_touch_collider(&s, collider, placement, HUGE_VAL, &touch));
    check_near(touch.t, 1, 0);
    pl_collider_destroy(context, collider);
  }
  drop_context(context);
}

static void what_is_no_number_touches_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const double bad[3] = {(double)NAN, HUGE_VAL, 1e300};
  for (int shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_collider *collider = shape == PL_COLLIDER_MESH ? make_torus_mesh(context) : make_form(context, shape, 1);
    for (int i = 0; i < 3; ++i) {
      pl_segment defect = {{0, 0, 0}, {1, bad[i], 0}, 0.1, 0.1};
      pl_segment_touch touch;
      assert_false(pl_segment_touch_collider(&defect, collider, pl_transform_identity(), HUGE_VAL, &touch));
      defect = (pl_segment){{bad[i], 0, 0}, {bad[i], 0, 0}, 0.1, 0.1};
      assert_false(pl_segment_touch_collider(&defect, collider, pl_transform_identity(), 0, &touch));
    }
    pl_segment_touch touch;
    pl_segment defect = {{0, 0, 0}, {1, 0, 0}, 0.1, (double)NAN};
    pl_segment_touch_collider(&defect, collider, pl_transform_identity(), 0, &touch);  // need only return
    pl_collider_destroy(context, collider);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gap_is_the_least_of_all_places_for_convex_forms),
      cmocka_unit_test(the_gap_is_exact_in_every_part_of_a_form),
      cmocka_unit_test(nothing_within_the_limit_is_ruled_out),
      cmocka_unit_test(a_box_as_a_mesh_is_touched_where_the_box_is),
      cmocka_unit_test(on_a_bent_torus_no_more_than_half_the_radius_is_missed),
      cmocka_unit_test(a_thin_plate_between_the_ends_is_found),
      cmocka_unit_test(a_segment_without_length_is_its_larger_ball),
      cmocka_unit_test(a_segment_that_lies_flat_is_touched_in_the_middle_of_what_it_lies_on),
      cmocka_unit_test(a_segment_through_the_middle_is_pushed_sideways),
      cmocka_unit_test(ends_that_touch_first_are_ends),
      cmocka_unit_test(what_is_no_number_touches_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
