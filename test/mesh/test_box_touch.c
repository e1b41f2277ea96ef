// Boxes against triangles, boxes and segments, compared with fine sampling.
// ctest: unit
#include "mesh/box_touch.h"

#include "base/random.h"
#include "check.h"

static pl_vec3 random_vec(pl_random *random, double size) {
  return pl_vec3_of(pl_random_between(random, -size, size), pl_random_between(random, -size, size),
                    pl_random_between(random, -size, size));
}

static pl_vec3 random_half(pl_random *random) {
  return pl_vec3_of(pl_random_between(random, 0.1, 0.6), pl_random_between(random, 0.1, 0.6),
                    pl_random_between(random, 0.1, 0.6));
}

static double distance_of(pl_vec3 half, pl_vec3 p) {
  return pl_vec3_length(
      pl_vec3_of(fmax(fabs(p.x) - half.x, 0), fmax(fabs(p.y) - half.y, 0), fmax(fabs(p.z) - half.z, 0)));
}

// Samples can miss an overlap smaller than their spacing, and never find one that is not there.
static void check_answer(bool answer, double sampled, double spacing, int counts[2]) {
  if (sampled == 0) assert_true(answer);
  if (sampled > spacing) assert_false(answer);
  counts[answer]++;
}

static void triangles_touch_as_their_samples_do(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  int counts[2] = {0, 0};
  for (int n = 0; n < 2000; ++n) {
    pl_vec3 half = random_half(&random), corners[3];
    pl_vec3 at = random_vec(&random, 1);
    for (int k = 0; k < 3; ++k) corners[k] = pl_vec3_add(at, random_vec(&random, 0.8));
    enum { FINE = 48 };
    double nearest = HUGE_VAL;
    for (int i = 0; i <= FINE; ++i)
      for (int j = 0; i + j <= FINE; ++j) {
        pl_vec3 p = pl_vec3_scale(corners[0], (double)i / FINE);
        p = pl_vec3_add_scaled(p, corners[1], (double)j / FINE);
        p = pl_vec3_add_scaled(p, corners[2], (double)(FINE - i - j) / FINE);
        nearest = fmin(nearest, distance_of(half, p));
      }
    check_answer(pl_box_touches_triangle(half, corners), nearest, 2.8 / FINE, counts);
  }
  assert_true(counts[0] > 300 && counts[1] > 300);
}

static void boxes_touch_as_their_samples_do(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(6);
  int counts[2] = {0, 0};
  for (int n = 0; n < 1000; ++n) {
    pl_vec3 half = random_half(&random), other_half = random_half(&random);
    pl_transform other = {random_vec(&random, 1.2), pl_quat_from_rotation_vector(random_vec(&random, 3))};
    enum { FINE = 12 };
    double nearest = HUGE_VAL;
    for (int i = 0; i <= FINE; ++i)
      for (int j = 0; j <= FINE; ++j)
        for (int k = 0; k <= FINE; ++k) {
          pl_vec3 p = {other_half.x * (2.0 * i / FINE - 1), other_half.y * (2.0 * j / FINE - 1),
                       other_half.z * (2.0 * k / FINE - 1)};
          nearest = fmin(nearest, distance_of(half, pl_transform_apply(other, p)));
        }
    check_answer(pl_box_touches_box(half, other, other_half), nearest, 1.2 * sqrt(3) / FINE, counts);
  }
  assert_true(counts[0] > 150 && counts[1] > 150);
}

static void segments_are_as_far_as_their_nearest_sample(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(7);
  for (int n = 0; n < 500; ++n) {
    pl_vec3 half = random_half(&random), a = random_vec(&random, 1.5), b = random_vec(&random, 1.5);
    double nearest = HUGE_VAL;
    for (int i = 0; i <= 2000; ++i) nearest = fmin(nearest, distance_of(half, pl_vec3_lerp(a, b, i / 2000.0)));
    double found = pl_box_segment_distance(half, a, b);
    check_at_most(found, nearest + 1e-9);
    check_at_most(nearest, found + 5.2 / 2000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles_touch_as_their_samples_do),
      cmocka_unit_test(boxes_touch_as_their_samples_do),
      cmocka_unit_test(segments_are_as_far_as_their_nearest_sample),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
