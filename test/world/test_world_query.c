// Queries of a world against all triangles of all bodies one by one: rays, spheres, boxes, closest points, filters.
// ctest: unit threads
#include <pthread.h>

#include "base/random.h"
#include "fixtures/solid_bodies.h"
#include "mesh/box_touch.h"
#include "mesh/ray.h"
#include "mesh/simplex.h"
#include "pliant/math.h"

enum { BODIES = 6, MAX_POINTS = 128 };

typedef struct fixture {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id bodies[BODIES];
  pl_collider_id ball;
  int32_t point_count, triangle_count;
  const int32_t *triangles;
  pl_vec3 points[BODIES][MAX_POINTS];
  double away;
} fixture;

// A tumbling heap above a ball, `away` metres from the origin.
static void begin(fixture *f, double away) {
  pl_error error = {0};
  f->away = away;
  f->context = make_context(2);
  pl_solid_def solid = pl_default_solid_def();
  f->model = make_box_model(f->context, (pl_vec3){0.4, 0.6, 0.3}, 3, 3, 3, &solid);
  f->world = make_world(f->context, 1.0 / 240, -9.81);
  pl_collider_def ball = pl_default_collider_def(PL_COLLIDER_SPHERE);
  ball.placement.position = pl_vec3_of(away, 0, 0);
  ball.collision_layers = 2;
  check_ok(pl_world_add_collider(f->world, &ball, &f->ball, &error), &error);
  for (int i = 0; i < BODIES; ++i) {
    pl_body_def def = pl_default_body_def();
    def.model = f->model;
    def.placement.position = pl_vec3_of(away + 0.5 * (i % 3) - 0.5, 0.9 + 0.7 * (i / 3), 0.2 * i - 0.5);
    def.placement.rotation = pl_quat_from_rotation_vector(pl_vec3_of(0.3 * i, 0.2 * i, -0.5 * i));
    def.collision_layers = i % 2 == 0 ? 1 : 4;
    check_ok(pl_world_add_body(f->world, &def, &f->bodies[i], &error), &error);
  }
  run_steps(f->world, 40);
  pl_model_report report = pl_model_get_report(f->model);
  f->point_count = report.surface_point_count;
  f->triangle_count = report.surface_triangle_count;
  f->triangles = pl_model_get_surface_triangles(f->model);
  assert_true(f->point_count <= MAX_POINTS);
  for (int i = 0; i < BODIES; ++i) pl_body_get_surface(f->world, f->bodies[i], f->points[i]);
}

static void end(fixture *f) {
  pl_world_destroy(f->world);
  pl_model_destroy(f->model);
  drop_context(f->context);
}

static void corners_of(const fixture *f, int body, int32_t triangle, pl_vec3 corners[3]) {
  for (int k = 0; k < 3; ++k) corners[k] = f->points[body][f->triangles[3 * triangle + k]];
}

static pl_vec3 random_point(pl_random *random, double away) {
  return pl_vec3_of(away + pl_random_between(random, -1.5, 1.5), pl_random_between(random, -0.8, 2.5),
                    pl_random_between(random, -1.5, 1.5));
}

// First distance along a ray by testing everything; HUGE_VAL for a miss.
static double meet_body(const fixture *f, int body, pl_vec3 origin, pl_vec3 unit) {
  pl_ray ray = pl_ray_of(origin, unit);
  double first = HUGE_VAL;
  for (int32_t t = 0; t < f->triangle_count; ++t) {
    pl_vec3 corners[3];
    double distance, w[3];
    corners_of(f, body, t, corners);
    if (pl_ray_meet_triangle(&ray, corners, &distance, w) && distance >= 0) first = fmin(first, distance);
  }
  return first;
}

static double meet_ball(const fixture *f, pl_vec3 origin, pl_vec3 unit) {
  pl_vec3 from = pl_vec3_sub(origin, pl_vec3_of(f->away, 0, 0));
  double b = pl_vec3_dot(from, unit), d = b * b - pl_vec3_dot(from, from) + 0.25;
  if (d < 0) return HUGE_VAL;
  if (-b - sqrt(d) >= 0) return -b - sqrt(d);
  return -b + sqrt(d) >= 0 ? -b + sqrt(d) : HUGE_VAL;
}

static void rays_meet_what_brute_force_meets(void **state) {
  (void)state;
  const double aways[] = {0, 5, 1000};
  for (int a = 0; a < 3; ++a) {
    fixture f;
    begin(&f, aways[a]);
    pl_random random = pl_random_of_seed(21);
    int hits = 0;
    for (int n = 0; n < 800; ++n) {
      pl_error error = {0};
      pl_vec3 origin = random_point(&random, f.away), target = random_point(&random, f.away);
      pl_vec3 direction = pl_vec3_scale(pl_vec3_sub(target, origin), 0.3);
      pl_vec3 unit = pl_vec3_normalize_or(direction, pl_vec3_of(1, 0, 0));
      pl_query_ray ray = {origin, direction, n % 3 == 0 ? 1.0 : (double)INFINITY};
      double distances[BODIES + 1], first = HUGE_VAL;
      int expected = 0;
      for (int i = 0; i <= BODIES; ++i) {
        distances[i] = i < BODIES ? meet_body(&f, i, origin, unit) : meet_ball(&f, origin, unit);
        if (distances[i] > ray.max_distance) distances[i] = HUGE_VAL;
        first = fmin(first, distances[i]);
        expected += isfinite(distances[i]);
      }
      pl_query_hit hit, list[BODIES + 1];
      check_ok(pl_world_cast_ray(f.world, &ray, NULL, &hit, &error), &error);
      if (isinf(first)) {
        assert_true(isinf(hit.distance) && hit.body.slot == 0 && hit.collider.slot == 0 && hit.triangle == -1);
      } else {
        ++hits;
        check_near(hit.distance, first, 1e-9 * (1 + f.away));
        check_at_most(pl_vec3_distance(hit.position, pl_vec3_add_scaled(origin, unit, first)), 1e-9 * (1 + f.away));
        check_near(pl_vec3_length(hit.normal), 1, 1e-9);
        if (hit.body.slot != 0) check_near(hit.barycentric[0] + hit.barycentric[1] + hit.barycentric[2], 1, 1e-9);
      }
      // All, by distance; a short array keeps the nearest.
      pl_query_hits all = {list, BODIES + 1, 0}, two = {list, 2, 0};
      check_ok(pl_world_cast_ray_all(f.world, &ray, NULL, &all, &error), &error);
      assert_int_equal(all.count, expected);
      for (int i = 1; i < all.count; ++i) assert_true(list[i - 1].distance <= list[i].distance);
      double second = all.count > 1 ? list[1].distance : 0;
      check_ok(pl_world_cast_ray_all(f.world, &ray, NULL, &two, &error), &error);
      assert_int_equal(two.count, expected);
      if (expected > 1) assert_true(list[0].distance == hit.distance && list[1].distance == second);
    }
    assert_true(hits > 200);
    end(&f);
  }
}

// Signed distance of a body by testing everything: the side by the winding number.
static double approach_body(const fixture *f, int body, pl_vec3 point) {
  double nearest = HUGE_VAL, angle = 0, w[3];
  for (int32_t t = 0; t < f->triangle_count; ++t) {
    pl_vec3 c[3];
    corners_of(f, body, t, c);
    nearest = fmin(nearest, pl_vec3_distance(point, pl_triangle_nearest(c[0], c[1], c[2], point, w)));
    angle += pl_triangle_solid_angle(c[0], c[1], c[2], point);
  }
  return angle > 2 * acos(-1.0) ? -nearest : nearest;
}

static void spheres_and_closest_points_are_those_of_brute_force(void **state) {
  (void)state;
  const double aways[] = {0, 1000};
  for (int a = 0; a < 2; ++a) {
    fixture f;
    begin(&f, aways[a]);
    pl_random random = pl_random_of_seed(22);
    int inside = 0;
    for (int n = 0; n < 600; ++n) {
      pl_error error = {0};
      pl_vec3 point = random_point(&random, f.away);
      if (n % 2 == 0) {
        pl_vec3 near = pl_body_get_report(f.world, f.bodies[n % BODIES]).center;
        point = pl_vec3_add_scaled(near, pl_vec3_sub(point, near), 0.2);
      }
      double radius = n % 4 == 0 ? 0 : pl_random_between(&random, 0, 0.6), nearest = HUGE_VAL,
             tolerance = 1e-9 * (1 + f.away);
      pl_query_hit list[BODIES + 1], hit;
      pl_query_hits hits = {list, BODIES + 1, 0};
      check_ok(pl_world_overlap_sphere(f.world, point, radius, NULL, &hits, &error), &error);
      int at = 0;
      for (int i = 0; i <= BODIES; ++i) {
        double d = i < BODIES ? approach_body(&f, i, point) : pl_vec3_distance(point, pl_vec3_of(f.away, 0, 0)) - 0.5;
        nearest = fmin(nearest, d);
        inside += d < 0;
        if (fabs(d - radius) < 1e-9) continue;
        if (d > radius) continue;
        assert_true(at < hits.count);
        check_near(list[at].distance, d, tolerance);
        check_near(pl_vec3_distance(list[at].position, point), fabs(d), tolerance);
        assert_int_equal(i < BODIES ? list[at].body.slot : list[at].collider.slot,
                         i < BODIES ? f.bodies[i].slot : f.ball.slot);
        ++at;
      }
      assert_int_equal(at, hits.count);
      check_ok(pl_world_find_closest(f.world, point, (double)INFINITY, NULL, &hit, &error), &error);
      check_near(hit.distance, nearest, tolerance);
      check_ok(pl_world_find_closest(f.world, point, 0.2, NULL, &hit, &error), &error);
      if (nearest > 0.2)
        assert_true(isinf(hit.distance));
      else
        check_near(hit.distance, nearest, tolerance);
    }
    assert_true(inside > 20);
    end(&f);
  }
}

static void boxes_overlap_what_brute_force_overlaps(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0);
  pl_random random = pl_random_of_seed(23);
  int counts[2] = {0, 0}, swallowed = 0;
  for (int n = 0; n < 400; ++n) {
    pl_error error = {0};
    pl_query_box box = {{random_point(&random, 0), pl_quat_from_rotation_vector(pl_vec3_of(
                                                       pl_random_unit(&random), 2 * pl_random_unit(&random), 0))},
                        {0.3 * pl_random_unit(&random), 0.3 * pl_random_unit(&random), 0.3 * pl_random_unit(&random)}};
    if (n % 2 == 1) {
      pl_vec3 near = pl_body_get_report(f.world, f.bodies[n % BODIES]).center;
      box.placement.position = pl_vec3_add_scaled(near, pl_vec3_sub(box.placement.position, near), 0.25);
    }
    if (n % 8 == 0) {
      box.placement.position = pl_body_get_report(f.world, f.bodies[n % BODIES]).center;
      box.half_size = pl_vec3_of(0.01, 0.01, 0.01);
    }
    pl_query_hit list[BODIES + 1];
    pl_query_hits hits = {list, BODIES + 1, 0};
    pl_query_filter filter = pl_default_query_filter();
    filter.skips_colliders = true;
    check_ok(pl_world_overlap_box(f.world, &box, &filter, &hits, &error), &error);
    int at = 0;
    for (int i = 0; i < BODIES; ++i) {
      int32_t lowest = -1;
      for (int32_t t = 0; t < f.triangle_count && lowest < 0; ++t) {
        pl_vec3 c[3];
        corners_of(&f, i, t, c);
        for (int k = 0; k < 3; ++k) c[k] = pl_transform_apply_inverse(box.placement, c[k]);
        if (pl_box_touches_triangle(box.half_size, c)) lowest = t;
      }
      bool overlaps = lowest >= 0 || approach_body(&f, i, box.placement.position) < 0;
      swallowed += overlaps && lowest < 0;
      counts[overlaps]++;
      if (!overlaps) continue;
      assert_true(at < hits.count);
      assert_int_equal(list[at].body.slot, f.bodies[i].slot);
      assert_int_equal(list[at].triangle, lowest);
      ++at;
    }
    assert_int_equal(at, hits.count);
  }
  printf("%d apart, %d overlap, %d swallowed\n", counts[0], counts[1], swallowed);
  assert_true(counts[0] > 100 && counts[1] > 100 && swallowed > 10);
  end(&f);
}

static void filters_hide_things(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0);
  pl_error error = {0};
  pl_query_hit list[BODIES + 1];
  pl_query_hits hits = {list, BODIES + 1, 0};
  pl_query_filter filter = pl_default_query_filter();
  check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, NULL, &hits, &error), &error);
  assert_int_equal(hits.count, BODIES + 1);
  filter.mask = 4;
  check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, &filter, &hits, &error), &error);
  assert_int_equal(hits.count, BODIES / 2);
  filter.mask = 2;
  check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, &filter, &hits, &error), &error);
  assert_int_equal(hits.count, 1);
  assert_int_equal(list[0].collider.slot, f.ball.slot);
  filter = pl_default_query_filter();
  filter.ignored_body = f.bodies[2];
  filter.skips_colliders = true;
  check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, &filter, &hits, &error), &error);
  assert_int_equal(hits.count, BODIES - 1);
  filter.skips_bodies = true;
  check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, &filter, &hits, &error), &error);
  assert_int_equal(hits.count, 0);
  // A body in no layer of the query is not found, nor one that does not want to meet it.
  check_ok(pl_body_set_collision_filter(f.world, f.bodies[0], 1, 8, &error), &error);
  filter = pl_default_query_filter();
  filter.layers = 1;
  check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, &filter, &hits, &error), &error);
  assert_int_equal(hits.count, BODIES);
  end(&f);
}

typedef struct asker {
  fixture *f;
  int calls;
  double distance;
} asker;

// A controller asks while it acts, and sees what it has just done.
static pl_status ask(void *user, pl_world *world, pl_error *error) {
  asker *a = user;
  pl_query_hit hit;
  pl_query_ray down = {pl_vec3_of(20, 5, 0), pl_vec3_of(0, -1, 0), (double)INFINITY};
  pl_status status = pl_world_cast_ray(world, &down, NULL, &hit, error);
  if (status < 0) return status;
  assert_true(isinf(hit.distance));
  pl_vec3 center = pl_body_get_report(world, a->f->bodies[1]).center;
  pl_transform motion = {pl_vec3_sub(pl_vec3_of(20, 0, 0), center), pl_quat_identity()};
  if (a->calls++ == 0) {
    status = pl_body_teleport(world, a->f->bodies[1], motion, error);
    if (status >= 0) status = pl_world_cast_ray(world, &down, NULL, &hit, error);
    a->distance = hit.distance;
    assert_int_equal(hit.body.slot, a->f->bodies[1].slot);
    motion.position = pl_vec3_scale(motion.position, -1);
    if (status >= 0) status = pl_body_teleport(world, a->f->bodies[1], motion, error);
  }
  return status;
}

static pl_status ask_in_layer(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points, int32_t count,
                              pl_error *error) {
  (void)body, (void)points, (void)count, (void)error;
  pl_query_hit hit;
  pl_query_ray down = {pl_vec3_of(0, 5, 0), pl_vec3_of(0, -1, 0), (double)INFINITY};
  *(pl_status *)user = pl_world_cast_ray(world, &down, NULL, &hit, NULL);
  return PL_OK;
}

static void controllers_may_ask_and_layers_may_not(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0);
  pl_error error = {0};
  asker a = {&f, 0, 0};
  pl_controller controller = {.before_step = ask, .user = &a};
  check_ok(pl_world_add_controller(f.world, &controller, &error), &error);
  pl_status asked = PL_OK;
  pl_layer layer = {.after_step = ask_in_layer, .user = &asked};
  check_ok(pl_world_add_layer(f.world, f.bodies[0], &layer, &error), &error);
  run_steps(f.world, 2);
  assert_int_equal(a.calls, 2);
  assert_true(a.distance > 4 && a.distance < 5.5);
  assert_int_equal(asked, PL_ERROR_INVALID_ARGUMENT);
  end(&f);
}

static void queries_allocate_nothing_once_they_have_been_asked(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0);
  pl_error error = {0};
  pl_query_hit list[BODIES + 1];
  pl_query_hits hits = {list, BODIES + 1, 0};
  check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, NULL, &hits, &error), &error);
  run_steps(f.world, 1);
  int64_t before = pl_context_get_memory_report(f.context).allocation_count;
  for (int n = 0; n < 5; ++n) {
    run_steps(f.world, 1);
    check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, NULL, &hits, &error), &error);
  }
  assert_int_equal(pl_context_get_memory_report(f.context).allocation_count, before);
  // A body that is removed is not found any more, and its memory is given back.
  check_ok(pl_world_remove_body(f.world, f.bodies[3], &error), &error);
  check_ok(pl_world_overlap_sphere(f.world, pl_vec3_of(0, 0, 0), 50, NULL, &hits, &error), &error);
  assert_int_equal(hits.count, BODIES);
  end(&f);
}

typedef struct caster {
  const fixture *f;
  double sum;
} caster;

static void *cast_many(void *user) {
  caster *c = user;
  pl_random random = pl_random_of_seed(31);
  for (int n = 0; n < 200; ++n) {
    pl_query_hit hit;
    pl_query_ray ray = {random_point(&random, 0), random_point(&random, 0), (double)INFINITY};
    if (pl_world_cast_ray(c->f->world, &ray, NULL, &hit, NULL) >= 0 && isfinite(hit.distance)) c->sum += hit.distance;
  }
  return NULL;
}

static void several_threads_get_the_same_answers(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0);
  caster casters[3] = {{&f, 0}, {&f, 0}, {&f, 0}};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) assert_int_equal(pthread_create(&threads[i], NULL, cast_many, &casters[i]), 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert_true(casters[0].sum > 0 && casters[0].sum == casters[1].sum && casters[0].sum == casters[2].sum);
  end(&f);
}

static void wrong_questions_are_refused(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0);
  pl_error error = {0};
  pl_query_hit hit, list[1];
  pl_query_hits hits = {list, 1, 0};
  pl_query_ray ray = {{0, 0, 0}, {0, 0, 0}, 1};
  assert_int_equal(pl_world_cast_ray(f.world, &ray, NULL, &hit, &error), PL_ERROR_INVALID_ARGUMENT);
  ray = (pl_query_ray){{(double)NAN, 0, 0}, {0, 1, 0}, 1};
  assert_int_equal(pl_world_cast_ray_all(f.world, &ray, NULL, &hits, &error), PL_ERROR_INVALID_ARGUMENT);
  ray = (pl_query_ray){{0, 0, 0}, {0, 1, 0}, -1};
  assert_int_equal(pl_world_cast_ray(f.world, &ray, NULL, &hit, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_vec3 zero = {0, 0, 0};
  assert_int_equal(pl_world_overlap_sphere(f.world, zero, -1, NULL, &hits, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_world_find_closest(f.world, zero, (double)NAN, NULL, &hit, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_query_box box = {pl_transform_identity(), {1, -1, 1}};
  assert_int_equal(pl_world_overlap_box(f.world, &box, NULL, &hits, &error), PL_ERROR_INVALID_ARGUMENT);
  end(&f);
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_solid_def solid = pl_default_solid_def();
  pl_model *model = make_box_model(context, (pl_vec3){0.4, 0.6, 0.3}, 2, 2, 2, &solid);
  int failures = 0;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  for (int64_t n = 1; status == PL_ERROR_OUT_OF_MEMORY; ++n) {
    pl_world *world = make_world(context, 1.0 / 240, 0);
    add_body(world, model, pl_vec3_of(0, 0, 0));
    add_body(world, model, pl_vec3_of(0, 1, 0));
    pl_query_ray ray = {{0, 5, 0}, {0, -1, 0}, 20};
    pl_query_hit hit;
    allocator.fail_at = allocator.call_count + n;
    status = pl_world_cast_ray(world, &ray, NULL, &hit, NULL);
    allocator.fail_at = 0;
    failures += status < 0;
    // Asked again there is an answer.
    pl_error error = {0};
    check_ok(pl_world_cast_ray(world, &ray, NULL, &hit, &error), &error);
    check_near(hit.distance, 5 - 1.3, 1e-6);
    pl_world_destroy(world);
  }
  assert_int_equal(status, PL_OK);
  assert_true(failures >= 5);
  pl_model_destroy(model);
  drop_context(context);
  assert_int_equal(allocator.live_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_meet_what_brute_force_meets),
      cmocka_unit_test(spheres_and_closest_points_are_those_of_brute_force),
      cmocka_unit_test(boxes_overlap_what_brute_force_overlaps),
      cmocka_unit_test(filters_hide_things),
      cmocka_unit_test(controllers_may_ask_and_layers_may_not),
      cmocka_unit_test(queries_allocate_nothing_once_they_have_been_asked),
      cmocka_unit_test(several_threads_get_the_same_answers),
      cmocka_unit_test(wrong_questions_are_refused),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
