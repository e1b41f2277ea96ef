// What the scenes of the gallery promise in their descriptions, measured: the halves of the teddy bear follow the
// examples apart, one mixture per region differs from one for the whole body as in figure 7 of paper 000, and fidelity
// does what its sweep shows.
// ctest: golden once
#include "fixtures/gallery_scenes.h"

static pl_scene_instance_body find_body(const fixture *s, const char *name) {
  for (int32_t i = 0; i < pl_scene_instance_body_count(s->set); ++i)
    if (strcmp(pl_scene_instance_get_body(s->set, i).name, name) == 0) return pl_scene_instance_get_body(s->set, i);
  fail_msg("the scene has no body %s", name);
  return (pl_scene_instance_body){0};
}

static void advance(fixture *s, double seconds) {
  check_ok(pl_world_advance(s->world, seconds, 0, NULL, &s->error), &s->error);
}

// The left hand is pulled for 1.3 s and released, and the scene continues to its end; groups are in the scene's order,
// left before right.
static void pulling_the_left_half_leaves_the_right_half_of_the_teddy_alone(void **state) {
  (void)state;
  fixture s = open_gallery("solid-teddy", 1, (pl_scene_overrides){0});
  pl_body_id teddy = find_body(&s, "teddy").id;
  double left_most = 0, right_most = 0;
  for (int32_t i = 0; i < 330; ++i) {
    advance(&s, 0.01);
    double left = 0, right = 0;
    check_ok(pl_body_get_weights(s.world, teddy, 0, &left), &s.error);
    check_ok(pl_body_get_weights(s.world, teddy, 1, &right), &s.error);
    left_most = fmax(left_most, left);
    right_most = fmax(right_most, right);
  }
  print_message("largest weight: left %.3f, right %.4f\n", left_most, right_most);
  check_at_most(0.3, left_most);
  check_at_most(right_most, 0.02);
  close_fixture(&s);
}

// --- global against per region
// -----------------------------------------------------------------------------------------

enum { LAYERS = 25, ACROSS = 5 };  // points of the bar of solid-local along y, and along x and z

// Turn around y from one layer of the bar to the next one down, summed over the layers first … last.
static double twist_of(const pl_vec3 *points, int32_t first, int32_t last) {
  double sum = 0;
  for (int32_t layer = first; layer < last; ++layer) {
    double cross = 0, dot = 0;
    pl_vec3 lower = {0, 0, 0}, upper = {0, 0, 0};
    for (int32_t pass = 0; pass < 2; ++pass)
      for (int32_t k = 0; k < ACROSS; ++k)
        for (int32_t i = 0; i < ACROSS; ++i) {
          const pl_vec3 *a = &points[i + ACROSS * (layer + LAYERS * k)], *b = a + ACROSS;
          if (pass == 0) {
            lower.x += a->x / (ACROSS * ACROSS), lower.z += a->z / (ACROSS * ACROSS);
            upper.x += b->x / (ACROSS * ACROSS), upper.z += b->z / (ACROSS * ACROSS);
          } else {
            double ax = a->x - lower.x, az = a->z - lower.z, bx = b->x - upper.x, bz = b->z - upper.z;
            cross += az * bx - ax * bz;
            dot += ax * bx + az * bz;
          }
        }
    sum += atan2(cross, dot);
  }
  return sum;
}

static void one_mixture_per_region_twists_only_what_is_stretched(void **state) {
  (void)state;
  fixture s = open_gallery("solid-local", 1, (pl_scene_overrides){0});
  pl_scene_instance_body whole = find_body(&s, "global"), parts = find_body(&s, "regions");
  int32_t count = pl_mesh_get_view(whole.mesh).point_count;
  assert_int_equal(count, LAYERS * ACROSS * ACROSS);
  pl_vec3 *a = malloc((size_t)count * sizeof(pl_vec3)), *b = malloc((size_t)count * sizeof(pl_vec3));
  assert_non_null(a);
  assert_non_null(b);
  advance(&s, 3);
  check_ok(pl_body_get_positions(s.world, whole.id, a), &s.error);
  check_ok(pl_body_get_positions(s.world, parts.id, b), &s.error);
  // The pull is at the middle layer: what is above it is stretched, what is below hangs free.
  int32_t middle = LAYERS / 2;
  double whole_below = fabs(twist_of(a, 0, middle)), whole_above = fabs(twist_of(a, middle, LAYERS - 1));
  double parts_below = fabs(twist_of(b, 0, middle)), parts_above = fabs(twist_of(b, middle, LAYERS - 1));
  double apart = 0;
  for (int32_t i = 0; i < count; ++i) {
    double x = b[i].x - a[i].x - 0.7, y = b[i].y - a[i].y, z = b[i].z - a[i].z;
    apart += (x * x + y * y + z * z) / count;
  }
  print_message("twist above and below the pull: global %.2f and %.2f, regions %.2f and %.2f; rms distance %.3f m\n",
                whole_above, whole_below, parts_above, parts_below, sqrt(apart));
  check_at_most(0.6 * whole_above, whole_below);
  check_at_most(parts_below, 0.5 * parts_above);
  check_at_most(1.3 * whole_above, parts_above);
  check_at_most(0.04, sqrt(apart));  // a fifth of the bar's width
  free(a);
  free(b);
  close_fixture(&s);
}

// --- fidelity
// ----------------------------------------------------------------------------------------------------------

static void more_fidelity_keeps_more_of_the_example_after_the_release(void **state) {
  (void)state;
  static const char *const names[] = {"fidelity-0", "fidelity-0-9", "fidelity-0-98", "fidelity-0-995", "fidelity-1"};
  fixture s = open_gallery("solid-fidelity", 1, (pl_scene_overrides){0});
  advance(&s, 2.5);  // released at 1.4 s
  double before = -1;
  for (int32_t i = 0; i < 5; ++i) {
    double weight = 0;
    check_ok(pl_body_get_weights(s.world, find_body(&s, names[i]).id, 0, &weight), &s.error);
    print_message("%s: %.3f\n", names[i], weight);
    check_at_most(before, weight + 0.02);
    before = weight;
  }
  check_at_most(0.4, before);
  close_fixture(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pulling_the_left_half_leaves_the_right_half_of_the_teddy_alone),
      cmocka_unit_test(one_mixture_per_region_twists_only_what_is_stretched),
      cmocka_unit_test(more_fidelity_keeps_more_of_the_example_after_the_release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
