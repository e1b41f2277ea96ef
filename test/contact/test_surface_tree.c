// Moving surfaces: nearest points and sides against brute force, crossings against fine sampling.
// ctest: unit
#include "contact/surface_motion.h"

#include "base/random.h"
#include "check.h"
#include "contact/triangle_touch.h"
#include "fixtures/torus_surface.h"
#include "mesh/simplex.h"

typedef struct moving {
  pl_context *context;
  pl_arena arena;
  pl_surface_tree tree;
  pl_surface_motion motion;
} moving;

static void begin(moving *m, const torus *t) {
  pl_error error = {0};
  m->context = make_context(1);
  pl_arena_init(&m->arena, m->context, 0);
  check_ok(pl_surface_tree_build(&m->arena, &t->surface, t->points, &m->tree, &error), &error);
  assert_true(pl_surface_motion_take(&m->arena, &m->tree, &m->motion));
  assert_true(pl_surface_motion_take_boxes(&m->arena, &m->motion));
  // Another shape than the tree was built for.
  for (int32_t i = 0; i < POINTS; ++i) {
    m->motion.starts[i] = t->points[i];
    m->motion.ends[i] = pl_vec3_of(t->points[i].y * 1.4 + 0.3, t->points[i].z + 0.2 * t->points[i].x, t->points[i].x);
  }
  m->motion.drift = pl_vec3_of(0.3, -0.2, 0.1);
  pl_surface_motion_refit(&m->motion);
  pl_surface_motion_refit_normals(&m->motion);
}

static void finish(moving *m) {
  pl_arena_destroy(&m->arena);
  drop_context(m->context);
}

// How often the surface winds around a point, by solid angles.
static double winding(const moving *m, pl_vec3 p) {
  double sum = 0;
  for (int32_t t = 0; t < TRIANGLES; ++t) {
    pl_vec3 c[3];
    pl_surface_corners(&m->tree, m->motion.ends, t, c);
    sum += pl_triangle_solid_angle(c[0], c[1], c[2], p);
  }
  return sum / (4 * acos(-1.0));
}

static void nearest_points_and_sides_are_those_of_brute_force(void **state) {
  (void)state;
  static torus t;
  make_torus(&t);
  moving m;
  begin(&m, &t);
  assert_true(m.tree.is_closed);
  pl_random random = pl_random_of_seed(5);
  int inside_count = 0;
  for (int i = 0; i < 1500; ++i) {
    double x = pl_random_between(&random, -1, 1.5), y = pl_random_between(&random, -1.5, 1.5);
    pl_vec3 p = pl_vec3_of(x, y, pl_random_between(&random, -1.5, 1.5));
    double best = HUGE_VAL;
    for (int32_t k = 0; k < TRIANGLES; ++k) {
      pl_vec3 c[3];
      double weights[3];
      pl_surface_corners(&m.tree, m.motion.ends, k, c);
      best = fmin(best, pl_vec3_distance(p, pl_triangle_nearest(c[0], c[1], c[2], p, weights)));
    }
    pl_hit hit = pl_surface_motion_nearest(&m.motion, p, HUGE_VAL, NULL);
    check_near(hit.distance, best, 1e-12);
    bool inside = pl_vec3_dot(pl_vec3_sub(p, hit.point), pl_surface_motion_outward(&m.motion, &hit)) < 0;
    assert_int_equal(inside, winding(&m, p) > 0.5);
    inside_count += inside;
    assert_int_equal(pl_surface_motion_nearest(&m.motion, p, best * 0.99, NULL).triangle, -1);
  }
  assert_true(inside_count > 100);
  finish(&m);
}

static void mark(void *data, int32_t triangle) {
  ((char *)data)[triangle]++;
}

static void every_triangle_whose_box_is_met_is_visited_once(void **state) {
  (void)state;
  static torus t;
  make_torus(&t);
  moving m;
  begin(&m, &t);
  pl_random random = pl_random_of_seed(6);
  int full_count = 0;
  for (int i = 0; i < 200; ++i) {
    pl_box box = pl_box_empty();
    for (int k = 0; k < 2; ++k) {
      double x = pl_random_between(&random, -1, 1.5), y = pl_random_between(&random, -1.5, 1.5);
      box = pl_box_add_point(box, pl_vec3_of(x, y, pl_random_between(&random, -1.5, 1.5)));
    }
    char marks[TRIANGLES] = {0};
    pl_surface_front front;
    pl_surface_motion_gather(&m.motion, box, NULL, &front);
    pl_surface_motion_visit(&m.motion, &front, box, mark, marks);
    bool is_met = false;
    for (int32_t f = 0; f < front.count; ++f) full_count += front.items[f] < 0;
    for (int32_t k = 0; k < TRIANGLES; ++k) {
      pl_vec3 c[6];
      pl_surface_corners(&m.tree, m.motion.starts, k, c);
      pl_surface_corners(&m.tree, m.motion.ends, k, c + 3);
      pl_box swept = pl_box_empty();
      for (int j = 0; j < 6; ++j) swept = pl_box_add_point(swept, j < 3 ? pl_vec3_add(c[j], m.motion.drift) : c[j]);
      if (pl_box_overlaps(swept, box)) assert_int_equal(marks[k], 1);
      assert_true(marks[k] <= 1);
      is_met = is_met || pl_box_overlaps(swept, box);
    }
    if (is_met) assert_true(pl_surface_front_is_met(&front, box));
  }
  assert_true(full_count > 0);  // some boxes held more triangles than a front
  finish(&m);
}

// What a block of neighbours is spared must face none of them.
static void triangles_that_face_a_point_of_a_block_are_gathered(void **state) {
  (void)state;
  static torus t;
  make_torus(&t);
  moving m;
  begin(&m, &t);
  int facing_count = 0, spared_count = 0, ordered = 0;
  for (int32_t b = 0; b < m.tree.block_count; ++b) {
    pl_box normals = pl_box_empty();
    for (int32_t i = m.tree.block_start[b]; i < m.tree.block_start[b + 1]; ++i, ++ordered)
      normals = pl_box_merge(normals, pl_surface_motion_ring_normals(&m.motion, m.tree.point_order[i]));
    pl_box everything = {{-9, -9, -9}, {9, 9, 9}};
    pl_surface_front front;
    char marks[TRIANGLES] = {0};
    pl_surface_motion_gather(&m.motion, everything, &normals, &front);
    pl_surface_motion_visit(&m.motion, &front, everything, mark, marks);
    for (int32_t k = 0; k < TRIANGLES; ++k) {
      spared_count += !marks[k];
      for (int32_t i = m.tree.block_start[b]; i < m.tree.block_start[b + 1]; ++i) {
        pl_vec3 facing = pl_surface_motion_point_normal(&m.motion, m.tree.point_order[i]);
        if (!pl_surface_motion_is_facing(&m.motion, k, facing)) continue;
        assert_int_equal(marks[k], 1);
        facing_count++;
      }
    }
  }
  assert_int_equal(ordered, POINTS);
  print_message("facing %d, spared %d\n", facing_count, spared_count);
  assert_true(facing_count > 1000 && spared_count > 100);
  finish(&m);
}

static pl_vec3 random_vector(pl_random *random, double size) {
  double x = pl_random_between(random, -size, size), y = pl_random_between(random, -size, size);
  return pl_vec3_of(x, y, pl_random_between(random, -size, size));
}

// Side of the moving triangle the point is on at a time, and whether it is above it.
static double side_at(const pl_triangle_path *path, double t, bool *is_above) {
  pl_vec3 c[3], p = pl_vec3_lerp(path->start, path->end, t);
  for (int k = 0; k < 3; ++k) c[k] = pl_vec3_lerp(path->start_corners[k], path->end_corners[k], t);
  double weights[3];
  bool has_area = pl_triangle_weights(c[0], c[1], c[2], p, weights);
  *is_above = has_area && weights[0] > 1e-3 && weights[1] > 1e-3 && weights[2] > 1e-3;
  return pl_vec3_dot(pl_vec3_sub(p, c[0]), pl_vec3_cross(pl_vec3_sub(c[1], c[0]), pl_vec3_sub(c[2], c[0])));
}

static void crossings_are_those_that_fine_sampling_sees(void **state) {
  (void)state;
  enum { SAMPLES = 1000 };
  pl_random random = pl_random_of_seed(7);
  int crossing_count = 0;
  for (int i = 0; i < 3000; ++i) {
    pl_triangle_path path;
    path.start = random_vector(&random, 1);
    path.end = random_vector(&random, 1);
    for (int k = 0; k < 3; ++k) {
      path.start_corners[k] = random_vector(&random, 2);
      path.end_corners[k] = pl_vec3_add(path.start_corners[k], random_vector(&random, 1));
    }
    double seen = 2;
    bool above, was_above;
    double before = side_at(&path, 0, &was_above);
    for (int s = 1; s <= SAMPLES && seen > 1; ++s) {
      double now = side_at(&path, (double)s / SAMPLES, &above);
      if (before > 0 && now <= 0 && above && was_above) seen = (double)s / SAMPLES;
      before = now, was_above = above;
    }
    double time, weights[3];
    bool from_inside;
    bool found = pl_triangle_touch_crossing(&path, 0, false, &time, weights, &from_inside);
    if (seen <= 1) {
      crossing_count++;
      assert_true(found);
      assert_true(time <= seen);
    }
    if (found) {  // the point is where the barycentrics say
      pl_vec3 q = {0, 0, 0};
      for (int k = 0; k < 3; ++k)
        q = pl_vec3_add_scaled(q, pl_vec3_lerp(path.start_corners[k], path.end_corners[k], time), weights[k]);
      check_near(pl_vec3_distance(q, pl_vec3_lerp(path.start, path.end, time)), 0, 1e-5);
    }
  }
  assert_true(crossing_count > 30);
}

static void a_touching_point_crosses_only_when_it_goes_in(void **state) {
  (void)state;
  pl_triangle_path path = {.start_corners = {{-1, 0, -1}, {0, 0, 1}, {1, 0, -1}},
                           .end_corners = {{-1, 0, -1}, {0, 0, 1}, {1, 0, -1}}};
  double time, weights[3];
  bool from_inside;
  path.end.y = -0.1;
  assert_true(pl_triangle_touch_crossing(&path, 1e-6, false, &time, weights, &from_inside));
  check_near(time, 0, 0);
  path.start.y = -1e-7;  // just below still counts as in front
  assert_true(pl_triangle_touch_crossing(&path, 1e-6, false, &time, weights, &from_inside));
  path.start.y = -1e-3;  // well below does not
  assert_false(pl_triangle_touch_crossing(&path, 1e-6, false, &time, weights, &from_inside));
  path.start.y = 0, path.end.y = 0.1;
  assert_false(pl_triangle_touch_crossing(&path, 1e-6, false, &time, weights, &from_inside));
  path.start.y = -0.1;  // out through the back
  assert_false(pl_triangle_touch_crossing(&path, 1e-6, false, &time, weights, &from_inside));
  assert_true(pl_triangle_touch_crossing(&path, 1e-6, true, &time, weights, &from_inside));
  assert_true(from_inside);
  check_near(time, 0.5, 1e-12);
}

// Any number of them, and a number that is none is passed over.
static void boxes_cover_their_points(void **state) {
  (void)state;
  enum { MAX_POINTS = 9 };
  pl_vec3 points[MAX_POINTS];
  pl_random random = pl_random_of_seed(5);
  for (int32_t count = 0; count <= MAX_POINTS; ++count)
    for (int32_t wrong = -1; wrong < 3 * count; ++wrong) {
      pl_box expected = pl_box_empty();
      for (int32_t i = 0; i < count; ++i) {
        points[i].x = wrong == 3 * i ? (double)NAN : pl_random_between(&random, -1, 1);
        points[i].y = wrong == 3 * i + 1 ? (double)NAN : pl_random_between(&random, -1, 1);
        points[i].z = wrong == 3 * i + 2 ? (double)NAN : pl_random_between(&random, -1, 1);
        pl_box_cover(&expected, points[i]);
      }
      pl_box box = pl_box_of_points(points, count);
      assert_memory_equal(&box, &expected, sizeof box);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_cover_their_points),
      cmocka_unit_test(nearest_points_and_sides_are_those_of_brute_force),
      cmocka_unit_test(every_triangle_whose_box_is_met_is_visited_once),
      cmocka_unit_test(triangles_that_face_a_point_of_a_block_are_gathered),
      cmocka_unit_test(crossings_are_those_that_fine_sampling_sees),
      cmocka_unit_test(a_touching_point_crosses_only_when_it_goes_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
