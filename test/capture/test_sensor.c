// Virtual depth cameras: exact depths against closed forms, and every fault against its statistics.
// ctest: unit threads
#include <math.h>

#include "check.h"
#include "pliant/sensor.h"

// A square of side 2 a in the plane z = depth of a camera at the origin that looks along -z of the world.
typedef struct square {
  pl_vec3 points[4];
  int32_t triangles[6];
} square;

static square make_square(double a, double z) {
  return (square){{{-a, -a, z}, {a, -a, z}, {a, a, z}, {-a, a, z}}, {0, 1, 2, 0, 2, 3}};
}

static pl_sensor_surface surface_of(const square *s, bool masked) {
  return (pl_sensor_surface){s->points, 4, s->triangles, 2, masked};
}

static pl_sensor_def make_faultless(void) {
  pl_sensor_def def = pl_default_sensor_def();
  def.noise = def.quantum = def.dropout = def.edge_dropout = def.edge_mix = def.outliers = 0;
  return def;
}

static void depths_of_a_tilted_plane_are_those_of_its_equation(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  // z = -2 + 0.3 x - 0.2 y in the world, larger than the picture.
  pl_vec3 points[4];
  for (int i = 0; i < 4; ++i) {
    double x = i % 3 == 0 ? -2.5 : 2.5, y = i < 2 ? -2.5 : 2.5;
    points[i] = (pl_vec3){x, y, -2 + 0.3 * x - 0.2 * y};
  }
  const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
  pl_sensor_surface surface = {points, 4, triangles, 2, false};
  pl_capture_camera camera = pl_sensor_camera((pl_vec3){0, 0, 0}, (pl_vec3){0, 0, -1}, 64, 48, 60);
  double depths[64 * 48];
  check_ok(pl_depth_render(context, &camera, &surface, 1, depths, &error), &error);
  for (int v = 0; v < 48; ++v)
    for (int u = 0; u < 64; ++u) {
      // Right is +x and down is -y; along the ray (s, -t, -1) d the plane gives -d = -2 + 0.3 s d + 0.2 t d.
      double s = (u - camera.cx) / 60, t = (v - camera.cy) / 60;
      check_near(depths[64 * v + u], 2 / (1 + 0.3 * s + 0.2 * t), 1e-9);
    }
  drop_context(context);
}

static void a_camera_puts_its_target_in_the_middle_and_up_upwards(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_vec3 eye = {1.5, 0.7, -2}, target = {0.2, 0.1, 0.4};
  pl_capture_camera camera = pl_sensor_camera(eye, target, 41, 31, 200);
  // A small square around the target and one above it.
  pl_vec3 points[6];
  const double shift[2] = {0, 0.2};
  for (int i = 0; i < 6; ++i) {
    double a = 2.0943951023931953 * (i % 3);
    points[i] = (pl_vec3){target.x + 0.05 * cos(a), target.y + shift[i / 3], target.z + 0.05 * sin(a)};
  }
  const int32_t triangles[6] = {0, 1, 2, 3, 4, 5};
  pl_sensor_surface surface = {points, 6, triangles, 2, false};
  double depths[41 * 31], distance = sqrt(1.3 * 1.3 + 0.6 * 0.6 + 2.4 * 2.4);
  check_ok(pl_depth_render(context, &camera, &surface, 1, depths, &error), &error);
  check_near(depths[15 * 41 + 20], distance, 0.02);
  int above = 0, below = 0;
  for (int i = 0; i < 41 * 31; ++i)
    if (depths[i] > 0 && abs(i / 41 - 15) > 6) i / 41 < 15 ? ++above : ++below;
  assert_true(above > 0 && below == 0);
  drop_context(context);
}

static void the_nearer_surface_hides_the_other_and_masks_cut_out(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_capture_camera camera = pl_sensor_camera((pl_vec3){0, 0, 0}, (pl_vec3){0, 0, -1}, 33, 33, 40);
  square near = make_square(0.1, -1), far = make_square(2, -2);
  pl_sensor_surface both[2] = {surface_of(&far, false), surface_of(&near, false)};
  double depths[33 * 33];
  check_ok(pl_depth_render(context, &camera, both, 2, depths, &error), &error);
  check_near(depths[16 * 33 + 16], 1, 1e-12);
  check_near(depths[0], 2, 1e-12);
  both[1].masked = true;
  check_ok(pl_depth_render(context, &camera, both, 2, depths, &error), &error);
  check_near(depths[16 * 33 + 16], 0, 0);
  check_near(depths[0], 2, 1e-12);
  // A mask behind hides nothing.
  both[0].masked = true;
  both[1].masked = false;
  check_ok(pl_depth_render(context, &camera, both, 2, depths, &error), &error);
  check_near(depths[16 * 33 + 16], 1, 1e-12);
  check_near(depths[0], 0, 0);
  drop_context(context);
}

enum { SIDE = 200 };

static void render_square(pl_context *context, const pl_sensor_def *def, double a, double z, uint16_t *pixels) {
  pl_error error = {0};
  pl_capture_camera camera = pl_sensor_camera((pl_vec3){0, 0, 0}, (pl_vec3){0, 0, -1}, SIDE, SIDE, 200);
  square s = make_square(a, z);
  pl_sensor_surface surface = surface_of(&s, false);
  check_ok(pl_sensor_render(context, def, &(pl_sensor_shot){&camera, 1, 0, &surface, 1}, 0, pixels, &error), &error);
}

static void noise_and_outliers_have_the_share_and_size_asked_for(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  uint16_t *pixels = calloc(SIDE * SIDE, sizeof *pixels);
  pl_sensor_def def = make_faultless();
  def.noise = 0.004;
  render_square(context, &def, 3, -1.5, pixels);
  double sum = 0, square_sum = 0;
  for (int i = 0; i < SIDE * SIDE; ++i) {
    assert_true(pixels[i] > 0);
    double off = pixels[i] * 1e-4 - 1.5;
    sum += off;
    square_sum += off * off;
  }
  check_near(sum / (SIDE * SIDE), 0, 5 * 0.004 / SIDE);
  check_near(sqrt(square_sum / (SIDE * SIDE)), 0.004, 0.0001);
  def.noise = 0;
  def.outliers = 0.3;
  render_square(context, &def, 3, -1.5, pixels);
  int wild = 0;
  for (int i = 0; i < SIDE * SIDE; ++i) wild += fabs(pixels[i] * 1e-4 - 1.5) > 0.001;
  check_near((double)wild / (SIDE * SIDE), 0.3, 0.012);
  free(pixels);
  drop_context(context);
}

static void steps_grow_with_the_square_of_the_depth(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  uint16_t *pixels = calloc(SIDE * SIDE, sizeof *pixels);
  pl_sensor_def def = make_faultless();
  def.quantum = 0.01;
  const double depths[2] = {1.003, 2.003}, wanted[2] = {0.0100601, 0.0401201};
  for (int k = 0; k < 2; ++k) {
    render_square(context, &def, 5, -depths[k], pixels);
    double steps = pixels[0] * 1e-4 / wanted[k];
    check_near(steps, floor(steps + 0.5), 0.02);
  }
  def.quantum_grows = false;
  render_square(context, &def, 5, -2.004, pixels);
  assert_int_equal(pixels[0], 20000);
  free(pixels);
  drop_context(context);
}

static void pixels_are_lost_at_edges_only(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  uint16_t *whole = calloc(SIDE * SIDE, sizeof *whole), *lossy = calloc(SIDE * SIDE, sizeof *lossy);
  pl_sensor_def def = make_faultless();
  render_square(context, &def, 0.5, -1.5, whole);
  def.edge_dropout = 1;
  render_square(context, &def, 0.5, -1.5, lossy);
  int lost = 0;
  for (int v = 1; v < SIDE - 1; ++v)
    for (int u = 1; u < SIDE - 1; ++u) {
      int i = SIDE * v + u;
      if (whole[i] == 0) continue;
      bool rim = whole[i - 1] == 0 || whole[i + 1] == 0 || whole[i - SIDE] == 0 || whole[i + SIDE] == 0;
      assert_int_equal(lossy[i] == 0, rim);
      lost += rim;
    }
  assert_true(lost > 400);
  free(whole);
  free(lossy);
  drop_context(context);
}

static void pictures_depend_on_seed_camera_and_frame_alone(void **state) {
  (void)state;
  enum { PIXELS = 64 * 48 };
  uint16_t workspace[4][3][PIXELS];
  pl_sensor_def def = pl_default_sensor_def();
  square s = make_square(0.4, 0);
  pl_sensor_surface surface = surface_of(&s, false);
  pl_capture_camera cameras[3];
  pl_sensor_ring(&(pl_camera_ring){(pl_box){{-0.4, -0.4, -0.1}, {0.4, 0.4, 0.1}}, 3, 0.5, 0.2, 64, 48, 0}, cameras);
  for (int run = 0; run < 4; ++run) {
    pl_context *context = make_context(run == 0 ? 1 : 3);
    pl_error error = {0};
    uint16_t *pixels[3] = {workspace[run][0], workspace[run][1], workspace[run][2]};
    def.seed = run == 3 ? 2 : 1;
    check_ok(pl_sensor_render_all(context, &def, &(pl_sensor_shot){cameras, 3, run == 2 ? 7 : 5, &surface, 1}, pixels,
                                  &error),
             &error);
    drop_context(context);
  }
  assert_memory_equal(workspace[0], workspace[1], sizeof workspace[0]);
  assert_memory_not_equal(workspace[0], workspace[2], sizeof workspace[0]);
  assert_memory_not_equal(workspace[0], workspace[3], sizeof workspace[0]);
}

static void the_ring_sees_the_whole_box(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_box box = {{-0.3, 0.1, -0.2}, {0.5, 0.9, 0.6}};
  pl_capture_camera cameras[5];
  pl_sensor_ring(&(pl_camera_ring){box, 5, 0.5, 0.3, 160, 120, 0}, cameras);
  pl_vec3 points[8];
  for (int i = 0; i < 8; ++i)
    points[i] = (pl_vec3){i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z};
  const int32_t triangles[36] = {0, 1, 3, 0, 3, 2, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 3, 7, 1, 7, 5};
  pl_sensor_surface surface = {points, 8, triangles, 12, false};
  for (int c = 0; c < 5; ++c) {
    double depths[160 * 120];
    check_ok(pl_depth_render(context, &cameras[c], &surface, 1, depths, &error), &error);
    int seen = 0;
    for (int i = 0; i < 160 * 120; ++i) {
      bool rim = i % 160 == 0 || i % 160 == 159 || i / 160 == 0 || i / 160 == 119;
      assert_false(rim && depths[i] > 0);
      seen += depths[i] > 0;
    }
    assert_true(seen > 160 * 120 / 8);
  }
  drop_context(context);
}

static void what_is_wrong_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  uint16_t pixels[16];
  square s = make_square(1, -1);
  pl_sensor_surface surface = surface_of(&s, false);
  pl_sensor_def def = pl_default_sensor_def();
  pl_capture_camera camera = pl_sensor_camera((pl_vec3){0, 0, 0}, (pl_vec3){0, 0, -1}, 4, 4, 3);
  pl_capture_camera turned = camera, flat = camera;
  turned.placement.rotation.w = 3;
  flat.fx = 0;
  assert_int_equal(pl_sensor_render(context, &def, &(pl_sensor_shot){&turned, 1, 0, &surface, 1}, 0, pixels, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_sensor_render(context, &def, &(pl_sensor_shot){&flat, 1, 0, &surface, 1}, 0, pixels, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  def.outliers = 1.5;
  assert_int_equal(pl_sensor_render(context, &def, &(pl_sensor_shot){&camera, 1, 0, &surface, 1}, 0, pixels, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "outliers");
  def = pl_default_sensor_def();
  s.triangles[4] = 4;
  assert_int_equal(pl_sensor_render(context, &def, &(pl_sensor_shot){&camera, 1, 0, &surface, 1}, 0, pixels, &error),
                   PL_ERROR_INVALID_DATA);
  pl_sensor_def zeroed = {0};
  s.triangles[4] = 2;
  for (int32_t missing = -1; missing < 2; missing += 2)
    assert_int_equal(
        pl_sensor_render(context, &def, &(pl_sensor_shot){&camera, 1, 0, &surface, 1}, missing, pixels, &error),
        PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_sensor_render(context, &zeroed, &(pl_sensor_shot){&camera, 1, 0, &surface, 1}, 0, pixels, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  drop_context(context);
}

static void failing_memory_leaks_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  square s = make_square(1, -1);
  pl_sensor_surface surface = surface_of(&s, false);
  pl_capture_camera camera = pl_sensor_camera((pl_vec3){0, 0, 0}, (pl_vec3){0, 0, -1}, 4, 4, 3);
  pl_sensor_def def = pl_default_sensor_def();
  uint16_t pixels[16], *all[1] = {pixels};
  for (int64_t n = 1;; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = pl_sensor_render_all(context, &def, &(pl_sensor_shot){&camera, 1, 0, &surface, 1}, all, NULL);
    assert_int_equal(allocator.live_count, live);
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_true(n < 100);
  }
  drop_context(context);
}

// An object of 10 cm would lie nearer than the sensor sees, if it filled the picture.
static void cameras_stand_back_from_small_objects(void **state) {
  (void)state;
  pl_box box = {{-0.05, -0.01, -0.01}, {0.05, 0.01, 0.01}};
  pl_capture_camera cameras[3];
  double min_depth = pl_default_sensor_def().min_depth, radius = 0.5 * pl_box_diagonal(box);
  pl_sensor_ring(&(pl_camera_ring){box, 3, 0.5, 0, 160, 120, min_depth}, cameras);
  for (int i = 0; i < 3; ++i) assert_true(pl_vec3_length(cameras[i].placement.position) > min_depth + radius);
  // One that fills the picture from farther away is not concerned.
  pl_box large = {{-1, -1, -1}, {1, 1, 1}};
  pl_capture_camera near, far;
  pl_sensor_ring(&(pl_camera_ring){large, 1, 0.5, 0, 160, 120, 0}, &near);
  pl_sensor_ring(&(pl_camera_ring){large, 1, 0.5, 0, 160, 120, min_depth}, &far);
  assert_memory_equal(&near.placement, &far.placement, sizeof near.placement);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(depths_of_a_tilted_plane_are_those_of_its_equation),
      cmocka_unit_test(a_camera_puts_its_target_in_the_middle_and_up_upwards),
      cmocka_unit_test(the_nearer_surface_hides_the_other_and_masks_cut_out),
      cmocka_unit_test(noise_and_outliers_have_the_share_and_size_asked_for),
      cmocka_unit_test(steps_grow_with_the_square_of_the_depth),
      cmocka_unit_test(pixels_are_lost_at_edges_only),
      cmocka_unit_test(pictures_depend_on_seed_camera_and_frame_alone),
      cmocka_unit_test(the_ring_sees_the_whole_box),
      cmocka_unit_test(what_is_wrong_is_refused),
      cmocka_unit_test(failing_memory_leaks_nothing),
      cmocka_unit_test(cameras_stand_back_from_small_objects),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
