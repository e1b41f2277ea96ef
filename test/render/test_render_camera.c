// Cameras that frame a box, and the palette.
// ctest: unit
#include "check.h"

#include "pliant/math.h"
#include "pliant/picture.h"
#include "render/render_camera.h"
#include "report/report_palette.h"

// Largest distance from the picture's centre, 1 being the rim, that the corners of a box reach.
static double reach(pl_box box, const pl_camera *camera, double aspect) {
  pl_render_view view;
  float m[16];
  assert_int_equal(pl_render_view_of_camera(camera, &view, NULL), PL_OK);
  pl_render_view_matrix(&view, pl_vec3_of(0, 0, 0), aspect, 0.01, 1000, m);
  double max = 0;
  for (int k = 0; k < 8; ++k) {
    double p[4] = {k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z, 1},
           q[4];
    for (int r = 0; r < 4; ++r)
      q[r] = (double)m[r] * p[0] + (double)m[4 + r] * p[1] + (double)m[8 + r] * p[2] + (double)m[12 + r];
    assert_true(q[3] > 0);
    max = fmax(max, fmax(fabs(q[0] / q[3]), fabs(q[1] / q[3])));
  }
  return max;
}

static void every_box_is_framed_whole_and_tightly(void **state) {
  (void)state;
  const pl_box boxes[] = {{{-1, -1, -1}, {1, 1, 1}},
                          {{0, 0, 0}, {10, 1, 1}},
                          {{3, 0, 3}, {3.2, 8, 3.2}},
                          {{0, 0, 0}, {0.001, 0.002, 0.001}},
                          {{5, 0, -20}, {6, 0, 20}}};
  const double aspects[] = {16.0 / 9, 1, 0.5};
  for (size_t b = 0; b < 5; ++b)
    for (size_t a = 0; a < 3; ++a) {
      pl_camera camera = pl_camera_frame_box(boxes[b], aspects[a]);
      double max = reach(boxes[b], &camera, aspects[a]);
      check_at_most(max, 0.9);
      check_at_most(0.75, max);
      assert_true(camera.eye.y > camera.target.y);
    }
}

static void unusable_boxes_give_a_camera_all_the_same(void **state) {
  (void)state;
  const pl_box boxes[] = {pl_box_empty(), {{1, 2, 3}, {1, 2, 3}}, {{(double)NAN, 0, 0}, {1, 1, 1}}};
  for (size_t i = 0; i < 3; ++i) {
    pl_camera camera = pl_camera_frame_box(boxes[i], i == 1 ? -1 : 1.5);
    assert_true(pl_vec3_is_finite(camera.eye) && pl_vec3_is_finite(camera.target));
    assert_true(pl_vec3_distance(camera.eye, camera.target) > 0.1);
  }
}

static double linear_of(double c) {
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

// CIELAB of linear sRGB, white D65.
static pl_vec3 lab_of(pl_vec3 c) {
  double xyz[3] = {(0.4124 * c.x + 0.3576 * c.y + 0.1805 * c.z) / 0.9505, 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z,
                   (0.0193 * c.x + 0.1192 * c.y + 0.9505 * c.z) / 1.089};
  for (int i = 0; i < 3; ++i) xyz[i] = xyz[i] > 0.008856 ? cbrt(xyz[i]) : 7.787 * xyz[i] + 16.0 / 116;
  return pl_vec3_of(116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2]));
}

// What a protanope (kind 1) or deuteranope (2) sees: the projections of Viénot, Brettel and Mollon (1999) in linear
// sRGB; 0: everyone else.
static pl_vec3 seen_by(int kind, pl_vec3 c) {
  double rest = kind == 1 ? 0.11238 : 0.29275;
  if (kind == 0) return c;
  double yellow = rest * c.x + (1 - rest) * c.y, blue = kind == 1 ? 0.00401 : -0.02234;
  return pl_vec3_of(yellow, yellow, fmax(blue * c.x - blue * c.y + c.z, 0));
}

static void neighbours_of_the_palette_are_distinguished_by_all_eyes(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind)
    for (int i = 0; i < 10; ++i) {
      pl_vec3 lab[2];
      for (int k = 0; k < 2; ++k) {
        pl_color c = pl_palette_color(i + k);
        lab[k] =
            lab_of(seen_by(kind, pl_vec3_of(linear_of((double)c.r), linear_of((double)c.g), linear_of((double)c.b))));
      }
      double distance = pl_vec3_distance(lab[0], lab[1]);
      if (distance < 15)
        fail_msg("colours %d and %d are only %.1f apart for eyes of kind %d", i, i + 1, distance, kind);
    }
}

static void the_scale_of_numbers_gets_evenly_lighter_for_all_eyes(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind)
    for (int i = 0; i < 32; ++i) {
      double light[2];
      for (int k = 0; k < 2; ++k) {
        pl_color c = pl_scale_color((i + k) / 32.0);
        light[k] =
            lab_of(seen_by(kind, pl_vec3_of(linear_of((double)c.r), linear_of((double)c.g), linear_of((double)c.b)))).x;
      }
      check_at_most(1.2, light[1] - light[0]);
      check_at_most(light[1] - light[0], 4.5);
    }
  pl_color low = pl_scale_color(-3), first = pl_scale_color(0), high = pl_scale_color(7), last = pl_scale_color(1);
  assert_memory_equal(&low, &first, sizeof low);
  assert_memory_equal(&high, &last, sizeof high);
}

static void the_palette_repeats_also_below_zero(void **state) {
  (void)state;
  for (int i = -25; i < 25; ++i) {
    pl_color a = pl_palette_color(i), b = pl_palette_color(i + 10);
    assert_memory_equal(&a, &b, sizeof a);
  }
  pl_palette_color(INT32_MIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_box_is_framed_whole_and_tightly),
      cmocka_unit_test(unusable_boxes_give_a_camera_all_the_same),
      cmocka_unit_test(the_scale_of_numbers_gets_evenly_lighter_for_all_eyes),
      cmocka_unit_test(neighbours_of_the_palette_are_distinguished_by_all_eyes),
      cmocka_unit_test(the_palette_repeats_also_below_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
