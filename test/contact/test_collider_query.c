// Rays, closest points and boxes against colliders of every shape, compared with their signed distance.
// ctest: unit
#include "contact/collider_query.h"

#include "base/random.h"
#include "check.h"
#include "pliant/math.h"

static pl_vec3 random_vec(pl_random *random, double size) {
  return pl_vec3_of(pl_random_between(random, -size, size), pl_random_between(random, -size, size),
                    pl_random_between(random, -size, size));
}

static pl_collider *make(pl_context *context, pl_collider_shape shape, pl_vec3 away) {
  pl_error error = {0};
  pl_collider_def def = pl_default_collider_def(shape);
  def.radius = 0.4;
  def.half_length = 0.6;
  def.half_size = pl_vec3_of(0.3, 0.5, 0.7);
  def.placement.position = pl_vec3_add(away, pl_vec3_of(0.2, -0.1, 0.3));
  def.placement.rotation = pl_quat_from_rotation_vector(pl_vec3_of(0.5, 1.1, -0.4));
  pl_mesh *box = NULL, *surface = NULL;
  if (shape == PL_COLLIDER_MESH) {
    check_ok(pl_mesh_create_box(context, pl_vec3_of(0.6, 1, 1.4), (const int32_t[3]){2, 3, 3}, &box, &error), &error);
    check_ok(pl_mesh_build_boundary(context, box, &surface, NULL, &error), &error);
    def.mesh = surface;
  }
  pl_collider *collider = NULL;
  check_ok(pl_collider_create(context, &def, &collider, &error), &error);
  pl_mesh_destroy(box);
  pl_mesh_destroy(surface);
  return collider;
}

static void a_ray_ends_on_the_surface_and_crosses_none_before(void **state) {
  (void)state;
  const double aways[] = {0, 1000};
  for (pl_collider_shape shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape)
    for (int a = 0; a < 2; ++a) {
      pl_context *context = make_context(1);
      pl_vec3 away = {aways[a], 0, -aways[a]};
      pl_collider *collider = make(context, shape, away);
      pl_transform placement = collider->placement;
      pl_random random = pl_random_of_seed(11);
      int hits = 0, inside = 0;
      for (int n = 0; n < 1500; ++n) {
        pl_vec3 origin = pl_vec3_add(placement.position, random_vec(&random, 1));
        // Some rays run along an axis of the world or of the collider.
        pl_vec3 unit = n % 5 == 0 ? pl_vec3_of(0, n % 2 == 0 ? 1 : -1, 0) : random_vec(&random, 1);
        if (n % 7 == 0) unit = pl_quat_rotate(placement.rotation, pl_vec3_of(0, 0, 1));
        unit = pl_vec3_normalize_or(unit, pl_vec3_of(0, 1, 0));
        double start = pl_collider_distance(collider, placement, origin, NULL), tolerance = 1e-9 * (1 + aways[a]);
        pl_collider_hit hit = pl_collider_cast_ray(collider, placement, origin, unit, 5);
        double reach = hit.is_hit ? hit.distance : 5;
        // No point before the hit is on the other side.
        for (int i = 1; i < 60; ++i) {
          pl_vec3 p = pl_vec3_add_scaled(origin, unit, reach * i / 60);
          double d = pl_collider_distance(collider, placement, p, NULL);
          if (fabs(start) > 1e-6) assert_true((start > 0 ? d : -d) > -1e-6);
        }
        if (!hit.is_hit) continue;
        ++hits;
        inside += start < 0;
        pl_vec3 normal;
        check_at_most(fabs(pl_collider_distance(collider, placement, hit.point, &normal)), tolerance);
        check_at_most(pl_vec3_distance(hit.point, pl_vec3_add_scaled(origin, unit, hit.distance)), tolerance);
        check_near(pl_vec3_length(hit.normal), 1, 1e-9);
        if (fabs(start) > 1e-6) assert_true(start * pl_vec3_dot(hit.normal, unit) <= 1e-9);
      }
      assert_true(hits > 100 && inside > 15);
      pl_collider_destroy(context, collider);
      drop_context(context);
    }
}

static void the_closest_point_is_on_the_surface_at_the_distance(void **state) {
  (void)state;
  for (pl_collider_shape shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_context *context = make_context(1);
    pl_collider *collider = make(context, shape, pl_vec3_of(0, 0, 0));
    pl_random random = pl_random_of_seed(12);
    for (int n = 0; n < 500; ++n) {
      pl_vec3 point = random_vec(&random, 1.5);
      double distance = pl_collider_distance(collider, collider->placement, point, NULL);
      pl_collider_hit hit = pl_collider_find_closest(collider, collider->placement, point, HUGE_VAL);
      assert_true(hit.is_hit);
      check_near(hit.distance, distance, 1e-12);
      check_near(pl_vec3_distance(point, hit.point), fabs(distance), 1e-9);
      check_at_most(fabs(pl_collider_distance(collider, collider->placement, hit.point, NULL)), 1e-9);
      assert_false(pl_collider_find_closest(collider, collider->placement, point, distance - 1e-9).is_hit);
    }
    pl_collider_destroy(context, collider);
    drop_context(context);
  }
}

static void a_box_overlaps_where_its_samples_are_inside(void **state) {
  (void)state;
  for (pl_collider_shape shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_context *context = make_context(1);
    pl_collider *collider = make(context, shape, pl_vec3_of(0, 0, 0));
    pl_random random = pl_random_of_seed(13);
    int counts[2] = {0, 0};
    for (int n = 0; n < 300; ++n) {
      pl_transform box = {random_vec(&random, 1), pl_quat_from_rotation_vector(random_vec(&random, 3))};
      pl_vec3 half = {pl_random_between(&random, 0.01, 0.5), pl_random_between(&random, 0.01, 0.5),
                      pl_random_between(&random, 0.01, 0.5)};
      enum { FINE = 10 };
      double nearest = HUGE_VAL;
      for (int i = 0; i <= FINE; ++i)
        for (int j = 0; j <= FINE; ++j)
          for (int k = 0; k <= FINE; ++k) {
            pl_vec3 p = {half.x * (2.0 * i / FINE - 1), half.y * (2.0 * j / FINE - 1), half.z * (2.0 * k / FINE - 1)};
            nearest =
                fmin(nearest, pl_collider_distance(collider, collider->placement, pl_transform_apply(box, p), NULL));
          }
      int32_t triangle;
      bool answer = pl_collider_overlaps_box(collider, collider->placement, box, half, &triangle);
      if (nearest <= 0) assert_true(answer);
      if (nearest > sqrt(3) / FINE) assert_false(answer);
      counts[answer]++;
    }
    assert_true(counts[0] > 10 && counts[1] > 50);
    pl_collider_destroy(context, collider);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ray_ends_on_the_surface_and_crosses_none_before),
      cmocka_unit_test(the_closest_point_is_on_the_surface_at_the_distance),
      cmocka_unit_test(a_box_overlaps_where_its_samples_are_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
