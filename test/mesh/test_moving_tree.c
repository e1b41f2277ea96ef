// A hierarchy whose points move: rays, nearest points, boxes and insides against all triangles one by one.
// ctest: unit
#include "mesh/moving_tree.h"

#include "base/random.h"
#include "check.h"
#include "fixtures/torus_surface.h"
#include "mesh/ray.h"
#include "mesh/simplex.h"

typedef struct fixture {
  pl_context *context;
  pl_arena arena;
  pl_moving_shape shape;
  pl_moving_tree tree;
  pl_vec3 points[POINTS];
  torus torus;
} fixture;

// The tree is built for one shape and asked about another, `away` metres from the origin.
static void begin(fixture *f, double away) {
  f->context = make_context(1);
  pl_arena_init(&f->arena, f->context, 0);
  make_torus(&f->torus);
  assert_true(pl_moving_shape_build(&f->arena, f->torus.points, POINTS, f->torus.triangles, TRIANGLES, &f->shape));
  for (int32_t i = 0; i < POINTS; ++i) {
    pl_vec3 p = f->torus.points[i];
    f->points[i] = pl_vec3_of(p.y * 1.4 + 0.3 + away, p.z + 0.2 * p.x, p.x + 0.1 * sin(5 * p.y));
  }
  f->tree = (pl_moving_tree){&f->shape, f->points, PL_TAKE(&f->arena, pl_box, f->shape.boxes.node_count)};
  pl_moving_tree_refit(&f->tree);
}

static void end(fixture *f) {
  pl_arena_destroy(&f->arena);
  drop_context(f->context);
}

static pl_vec3 random_point(pl_random *random, double away) {
  return pl_vec3_of(pl_random_between(random, -1.5, 1.5) + away, pl_random_between(random, -1.5, 1.5),
                    pl_random_between(random, -1.5, 1.5));
}

static void rays_and_nearest_points_are_those_of_all_triangles(void **state) {
  (void)state;
  const double aways[] = {0, 5, 1000};
  for (int a = 0; a < 3; ++a) {
    fixture f;
    begin(&f, aways[a]);
    pl_random random = pl_random_of_seed(7);
    int hits = 0;
    for (int n = 0; n < 2000; ++n) {
      pl_vec3 origin = random_point(&random, aways[a]), target = random_point(&random, aways[a]), corners[3];
      pl_vec3 unit = pl_vec3_normalize_or(pl_vec3_sub(target, origin), pl_vec3_of(1, 0, 0));
      double limit = n % 2 == 0 ? HUGE_VAL : 1.0, first = HUGE_VAL, nearest = HUGE_VAL, w[3];
      pl_ray ray = pl_ray_of(origin, unit);
      for (int32_t t = 0; t < TRIANGLES; ++t) {
        double distance;
        pl_moving_tree_corners(&f.tree, t, corners);
        if (pl_ray_meet_triangle(&ray, corners, &distance, w) && distance >= 0 && distance <= limit)
          first = fmin(first, distance);
        nearest =
            fmin(nearest, pl_vec3_distance(origin, pl_triangle_nearest(corners[0], corners[1], corners[2], origin, w)));
      }
      pl_hit hit = pl_moving_tree_ray(&f.tree, origin, unit, limit);
      assert_true(hit.distance == first || (isinf(first) && hit.triangle < 0));
      hits += hit.triangle >= 0;
      pl_hit near = pl_moving_tree_nearest(&f.tree, origin, limit);
      if (nearest <= limit)
        check_near(near.distance, nearest, 1e-12 * (1 + aways[a]));
      else
        assert_int_equal(near.triangle, -1);
    }
    assert_in_range(hits, 200, 1800);
    end(&f);
  }
}

static void inside_is_where_the_winding_number_is_one(void **state) {
  (void)state;
  const double aways[] = {0, 1000};
  for (int a = 0; a < 2; ++a) {
    fixture f;
    begin(&f, aways[a]);
    pl_random random = pl_random_of_seed(3);
    int inside_count = 0;
    for (int n = 0; n < 3000; ++n) {
      pl_vec3 point = random_point(&random, aways[a]), corners[3];
      double angle = 0;
      for (int32_t t = 0; t < TRIANGLES; ++t) {
        pl_moving_tree_corners(&f.tree, t, corners);
        angle += pl_triangle_solid_angle(corners[0], corners[1], corners[2], point);
      }
      bool is_inside = fabs(angle) > 2 * acos(-1.0);
      // The map of begin() turns the surface the right way round or inside out; both are checked by one sign.
      assert_int_equal(pl_moving_tree_is_inside(&f.tree, point), is_inside && angle > 0);
      inside_count += is_inside && angle > 0;
    }
    assert_in_range(inside_count, 50, 2000);
    end(&f);
  }
}

static void a_sheet_has_no_inside(void **state) {
  (void)state;
  const pl_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0.1, 1}, {1, 0, 1}};
  const int32_t triangles[6] = {0, 1, 2, 2, 1, 3};
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_moving_shape shape;
  assert_true(pl_moving_shape_build(&arena, points, 4, triangles, 2, &shape));
  pl_moving_tree tree = {&shape, points, PL_TAKE(&arena, pl_box, shape.boxes.node_count)};
  pl_moving_tree_refit(&tree);
  pl_random random = pl_random_of_seed(1);
  for (int n = 0; n < 500; ++n) {
    pl_vec3 p = pl_vec3_of(pl_random_unit(&random), 0.1 * pl_random_unit(&random), pl_random_unit(&random));
    assert_false(pl_moving_tree_is_inside(&tree, p));
  }
  pl_arena_destroy(&arena);
  drop_context(context);
}

typedef struct marks {
  bool seen[TRIANGLES];
} marks;

static bool mark(void *data, int32_t triangle) {
  marks *m = data;
  assert_false(m->seen[triangle]);
  m->seen[triangle] = true;
  return true;
}

static void a_box_visits_every_triangle_that_it_meets_once(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0);
  pl_random random = pl_random_of_seed(9);
  for (int n = 0; n < 200; ++n) {
    pl_vec3 p = random_point(&random, 0);
    pl_box box = pl_box_expand((pl_box){p, p}, pl_random_between(&random, 0, 0.5));
    marks m = {{false}};
    pl_moving_tree_visit_box(&f.tree, box, mark, &m);
    for (int32_t t = 0; t < TRIANGLES; ++t) {
      pl_vec3 corners[3];
      pl_moving_tree_corners(&f.tree, t, corners);
      pl_box around = pl_box_from_points(corners, 3);
      if (pl_box_overlaps(around, box)) assert_true(m.seen[t]);
    }
  }
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_and_nearest_points_are_those_of_all_triangles),
      cmocka_unit_test(inside_is_where_the_winding_number_is_one),
      cmocka_unit_test(a_sheet_has_no_inside),
      cmocka_unit_test(a_box_visits_every_triangle_that_it_meets_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
