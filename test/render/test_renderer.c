// Pictures: the right things in the right places, the same every time, and nothing left behind when something fails.
// ctest: unit
#include "check.h"
#include "fixtures/picture_ball.h"

#include "pliant/math.h"
#include "pliant/picture.h"
#include "render/render_context.h"
#include "report/report_palette.h"

enum { WIDTH = 320, HEIGHT = 240, PIXEL_COUNT = WIDTH * HEIGHT };

static const pl_vec3 cube_points[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                       {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int32_t cube_triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static pl_picture_item cube_item(void) {
  return (pl_picture_item){.points = cube_points,
                           .point_count = 8,
                           .triangles = cube_triangles,
                           .triangle_count = 12,
                           .color = {0.3f, 0.5f, 0.8f}};
}

// What all tests share: making a context takes a tenth of a second.
typedef struct studio {
  pl_context *context;
  pl_renderer *with_ground, *without_ground;
  ball *one, *two;
  uint8_t *rgb, *other;
} studio;

static pl_renderer_def studio_def(bool ground) {
  pl_renderer_def def = pl_default_renderer_def();
  def.width = WIDTH;
  def.height = HEIGHT;
  def.ground = ground;
  if (!ground) def.background_top = def.background_bottom = (pl_color){0.95f, 0.95f, 0.95f};
  return def;
}

static int open_studio(void **state) {
  static studio made;
  pl_error error = {0};
  made.context = make_context(1);
  pl_renderer_def def = studio_def(true);
  check_ok(pl_renderer_create(made.context, &def, &made.with_ground, &error), &error);
  def = studio_def(false);
  check_ok(pl_renderer_create(made.context, &def, &made.without_ground, &error), &error);
  made.one = malloc(sizeof(ball));
  made.two = malloc(sizeof(ball));
  made.rgb = malloc(PIXEL_COUNT * 3);
  made.other = malloc(PIXEL_COUNT * 3);
  *state = &made;
  return 0;
}

static int close_studio(void **state) {
  studio *self = *state;
  pl_renderer_destroy(self->with_ground);
  pl_renderer_destroy(self->without_ground);
  pl_renderer_destroy(NULL);
  free(self->one), free(self->two), free(self->rgb), free(self->other);
  drop_context(self->context);
  return 0;
}

static void draw(pl_renderer *renderer, const pl_camera *camera, const pl_picture_item *items, int32_t count,
                 const char *caption, uint8_t *rgb) {
  pl_error error = {0};
  check_ok(pl_renderer_draw(renderer, &(pl_picture){*camera, items, count, caption}, rgb, &error), &error);
}

static double brightness(const uint8_t *rgb, int x, int y) {
  const uint8_t *p = rgb + 3 * (y * WIDTH + x);
  return (p[0] + p[1] + p[2]) / 3.0;
}

static int max_difference(const uint8_t *a, const uint8_t *b) {
  int max = 0;
  for (int i = 0; i < PIXEL_COUNT * 3; ++i)
    if (abs(a[i] - b[i]) > max) max = abs(a[i] - b[i]);
  return max;
}

static const pl_camera level_camera = {{0, 0, 6}, {0, 0, 0}, {0, 1, 0}, 0.5};

static void a_sphere_covers_the_area_of_its_projected_disc(void **state) {
  studio *self = *state;
  make_ball(self->one, pl_vec3_of(0, 0, 0), 1);
  pl_picture_item item = item_of(self->one, (pl_color){0.15f, 0.15f, 0.2f});
  draw(self->without_ground, &level_camera, &item, 1, NULL, self->rgb);
  int covered = 0;
  for (int i = 0; i < PIXEL_COUNT; ++i)
    if (brightness(self->rgb, i % WIDTH, i / WIDTH) < 205) ++covered;
  // The cone of rays that touch the sphere has the tangent r / sqrt(d² - r²).
  double radius = 1 / sqrt(36.0 - 1) / tan(0.25) * HEIGHT / 2;
  check_near(covered / (PL_PI * radius * radius), 1, 0.02);
}

static void silhouettes_are_anti_aliased(void **state) {
  studio *self = *state;
  make_ball(self->one, pl_vec3_of(0, 0, 0), 1);
  pl_picture_item item = item_of(self->one, (pl_color){0, 0, 0});
  item.flat = true;
  draw(self->without_ground, &level_camera, &item, 1, NULL, self->rgb);
  // Each row between the poles crosses the rim twice; most crossings must meet a pixel that is neither body nor
  // background.
  int rows = 0, between = 0;
  for (int y = HEIGHT / 2 - 60; y < HEIGHT / 2 + 60; ++y, ++rows)
    for (int x = 1; x < WIDTH / 2; ++x) {
      double left = brightness(self->rgb, x - 1, y), here = brightness(self->rgb, x, y);
      if (left > 236 && here < 225 && here > 130) ++between;
    }
  check_at_most(rows * 0.5, between);
}

static void the_corners_show_the_background(void **state) {
  studio *self = *state;
  pl_renderer_def def = studio_def(true);
  make_ball(self->one, pl_vec3_of(0, 1, 0), 1);
  pl_picture_item item = item_of(self->one, pl_palette_color(0));
  pl_camera camera = {{0, 1.5, 9}, {0, 1, 0}, {0, 1, 0}, 0.5};
  draw(self->with_ground, &camera, &item, 1, NULL, self->rgb);
  for (int corner = 0; corner < 2; ++corner) {
    const uint8_t *p = self->rgb + 3 * (corner * (WIDTH - 1));
    check_near(p[0], 255 * (double)def.background_top.r, 4);
    check_near(p[1], 255 * (double)def.background_top.g, 4);
    check_near(p[2], 255 * (double)def.background_top.b, 4);
  }
  draw(self->with_ground, &camera, NULL, 0, NULL, self->other);
  assert_true(max_difference(self->rgb, self->other) > 60);  // the picture is not blank
}

// From straight above, so that places on the floor are easy to find in the picture.
static void the_shadow_falls_where_the_sun_throws_it(void **state) {
  studio *self = *state;
  pl_renderer_def def = studio_def(true);
  make_ball(self->one, pl_vec3_of(0, 1.5, 0), 0.4);
  pl_picture_item item = item_of(self->one, pl_palette_color(1));
  pl_camera camera = {{0, 10, 0}, {0, 0, 0}, {0, 0, -1}, 0.6};
  draw(self->with_ground, &camera, NULL, 0, NULL, self->other);
  draw(self->with_ground, &camera, &item, 1, NULL, self->rgb);
  double scale = HEIGHT / 2 / (10 * tan(0.3)), throw_x = -1.5 * def.light.x / def.light.y,
         throw_z = -1.5 * def.light.z / def.light.y;
  int x = (int)(WIDTH / 2 + throw_x * scale), y = (int)(HEIGHT / 2 + throw_z * scale);
  check_at_most(brightness(self->rgb, x, y), 0.85 * brightness(self->other, x, y));
  int far_x = (int)(WIDTH / 2 - 1.3 * throw_x * scale), far_y = (int)(HEIGHT / 2 - 1.3 * throw_z * scale);
  check_near(brightness(self->rgb, far_x, far_y), brightness(self->other, far_x, far_y), 12);
}

static void two_bodies_have_their_two_colors(void **state) {
  studio *self = *state;
  make_ball(self->one, pl_vec3_of(-1, 0.8, 0), 0.8);
  make_ball(self->two, pl_vec3_of(1, 0.8, 0), 0.8);
  const pl_picture_item items[2] = {item_of(self->one, (pl_color){0.9f, 0.2f, 0.2f}),
                                    item_of(self->two, (pl_color){0.2f, 0.3f, 0.9f})};
  pl_camera camera = {{0, 1, 9}, {0, 0.8, 0}, {0, 1, 0}, 0.5};
  draw(self->with_ground, &camera, items, 2, NULL, self->rgb);
  int red[2] = {0, 0}, blue[2] = {0, 0};
  for (int i = 0; i < PIXEL_COUNT; ++i) {
    const uint8_t *p = self->rgb + 3 * i;
    int side = i % WIDTH >= WIDTH / 2;
    if (p[0] > p[2] + 50) ++red[side];
    if (p[2] > p[0] + 50) ++blue[side];
  }
  double radius = 0.8 / sqrt(9 * 9 - 0.64) / tan(0.25) * HEIGHT / 2, area = PL_PI * radius * radius;
  check_at_most(0.8 * area, red[0]);
  check_at_most(0.8 * area, blue[1]);
  check_at_most(red[1], 0.01 * area);
  check_at_most(blue[0], 0.01 * area);
}

static void a_surface_can_be_painted_point_by_point(void **state) {
  studio *self = *state;
  make_ball(self->one, pl_vec3_of(0, 0, 0), 1);
  pl_picture_item item = item_of(self->one, (pl_color){0.2f, 0.8f, 0.2f});
  pl_color *colors = malloc((size_t)item.point_count * sizeof *colors);
  for (int32_t i = 0; i < item.point_count; ++i)
    colors[i] = item.points[i].x < 0 ? (pl_color){0.9f, 0.2f, 0.2f} : (pl_color){0.2f, 0.3f, 0.9f};
  item.colors = colors;
  for (int creased = 0; creased < 2; ++creased) {
    item.creased = creased == 1;
    draw(self->without_ground, &level_camera, &item, 1, NULL, self->rgb);
    const uint8_t *left = self->rgb + 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2 - HEIGHT / 8),
                  *right = left + 3 * (HEIGHT / 4);
    assert_true(left[0] > left[2] + 50 && left[0] > left[1] + 50);
    assert_true(right[2] > right[0] + 50);
  }
  // The same colour everywhere is the colour of the item.
  for (int32_t i = 0; i < item.point_count; ++i) colors[i] = item.color;
  draw(self->without_ground, &level_camera, &item, 1, NULL, self->rgb);
  item.colors = NULL;
  draw(self->without_ground, &level_camera, &item, 1, NULL, self->other);
  assert_int_equal(max_difference(self->rgb, self->other), 0);
  free(colors);
}

static void the_same_scene_gives_the_same_picture(void **state) {
  studio *self = *state;
  make_ball(self->one, pl_vec3_of(0, 1, 0), 1);
  pl_picture_item item = item_of(self->one, pl_palette_color(2));
  pl_camera camera = pl_camera_frame_box((pl_box){{-1, 0, -1}, {1, 2, 1}}, (double)WIDTH / HEIGHT);
  draw(self->with_ground, &camera, &item, 1, "twice", self->rgb);
  // A second renderer, come and gone, and another scene in between must leave no trace.
  pl_error error = {0};
  pl_renderer *passing = NULL;
  pl_renderer_def def = studio_def(true);
  check_ok(pl_renderer_create(self->context, &def, &passing, &error), &error);
  draw(passing, &camera, &item, 1, "twice", self->other);
  assert_memory_equal(self->rgb, self->other, PIXEL_COUNT * 3);
  pl_renderer_destroy(passing);
  draw(self->with_ground, &camera, NULL, 0, NULL, self->other);
  draw(self->with_ground, &camera, &item, 1, "twice", self->other);
  assert_memory_equal(self->rgb, self->other, PIXEL_COUNT * 3);
}

static void a_creased_cube_looks_flat_and_a_smooth_one_does_not(void **state) {
  studio *self = *state;
  pl_camera camera = pl_camera_frame_box((pl_box){{-1, -1, -1}, {1, 1, 1}}, (double)WIDTH / HEIGHT);
  pl_picture_item item = cube_item();
  item.flat = true;
  draw(self->without_ground, &camera, &item, 1, NULL, self->rgb);
  item.flat = false;
  item.creased = true;
  draw(self->without_ground, &camera, &item, 1, NULL, self->other);
  assert_true(max_difference(self->rgb, self->other) <= 2);
  item.creased = false;
  draw(self->without_ground, &camera, &item, 1, NULL, self->other);
  assert_true(max_difference(self->rgb, self->other) > 20);
}

static void a_wireframe_darkens_edges_only(void **state) {
  studio *self = *state;
  pl_picture_item item = cube_item();
  item.flat = true;
  draw(self->without_ground, &level_camera, &item, 1, NULL, self->rgb);
  item.wireframe = true;
  draw(self->without_ground, &level_camera, &item, 1, NULL, self->other);
  // On the diagonal of the front face, and well off it.
  check_at_most(brightness(self->other, WIDTH / 2, HEIGHT / 2), brightness(self->rgb, WIDTH / 2, HEIGHT / 2) - 20);
  check_near(brightness(self->other, WIDTH / 2 + 30, HEIGHT / 2 + 12),
             brightness(self->rgb, WIDTH / 2 + 30, HEIGHT / 2 + 12), 2);
}

static void inside_out_and_open_surfaces_look_like_closed_ones(void **state) {
  studio *self = *state;
  pl_camera camera = pl_camera_frame_box((pl_box){{-1, -1, -1}, {1, 1, 1}}, (double)WIDTH / HEIGHT);
  pl_picture_item item = cube_item();
  item.flat = true;
  draw(self->without_ground, &camera, &item, 1, NULL, self->rgb);
  int32_t turned[36];
  for (int i = 0; i < 36; i += 3)
    turned[i] = cube_triangles[i], turned[i + 1] = cube_triangles[i + 2], turned[i + 2] = cube_triangles[i + 1];
  item.triangles = turned;
  draw(self->without_ground, &camera, &item, 1, NULL, self->other);
  assert_true(max_difference(self->rgb, self->other) <= 24);  // shadow offsets go the other way, the shape does not
  // Without its face towards +z, the inside of the cube is seen, not the background.
  item.triangles = cube_triangles;
  item.triangle_count = 10;
  draw(self->without_ground, &level_camera, &item, 1, NULL, self->other);
  check_at_most(brightness(self->other, WIDTH / 2, HEIGHT / 2), 200);
}

static void far_from_the_origin_the_picture_is_the_same(void **state) {
  studio *self = *state;
  pl_vec3 away = {40960, -8192, 20480};
  make_ball(self->one, pl_vec3_of(0, 0, 0), 1);
  make_ball(self->two, away, 1);
  pl_picture_item item = item_of(self->one, pl_palette_color(3));
  draw(self->without_ground, &level_camera, &item, 1, NULL, self->rgb);
  item = item_of(self->two, pl_palette_color(3));
  pl_camera camera = {pl_vec3_add(level_camera.eye, away), away, level_camera.up, level_camera.field_of_view};
  draw(self->without_ground, &camera, &item, 1, NULL, self->other);
  int differing = 0;
  for (int i = 0; i < PIXEL_COUNT * 3; ++i) differing += abs(self->rgb[i] - self->other[i]) > 6;
  check_at_most(differing, 0.002 * PIXEL_COUNT);
}

// From straight above. The squares are where the world has them, also when the bodies, by which the picture chooses its
// origin, are elsewhere.
static void a_checkered_ground_has_squares_of_the_given_size(void **state) {
  studio *self = *state;
  pl_error error = {0};
  pl_renderer_def def = studio_def(true);
  def.checker_size = 0.5;
  pl_renderer *renderer = NULL;
  check_ok(pl_renderer_create(self->context, &def, &renderer, &error), &error);
  const pl_camera camera = {{0, 10, 0}, {0, 0, 0}, {0, 0, -1}, 0.5};
  double scale = HEIGHT / 2.0 / (10 * tan(0.25));  // pixels a metre
  for (int shifted = 0; shifted < 2; ++shifted) {
    make_ball(self->one, pl_vec3_of(0.3 * shifted, -5, 0.8 * shifted), 0.1);  // under the ground
    pl_picture_item item = item_of(self->one, pl_palette_color(0));
    draw(renderer, &camera, &item, 1, NULL, self->rgb);
    for (int i = -3; i < 3; ++i)
      for (int j = -3; j < 3; ++j) {
        int x = (int)(WIDTH / 2.0 + scale * 0.5 * (i + 0.5)), y = (int)(HEIGHT / 2.0 + scale * 0.5 * (j + 0.5));
        int next = (int)(WIDTH / 2.0 + scale * 0.5 * (i + 1.5));
        double step = brightness(self->rgb, x, y) - brightness(self->rgb, next, y);
        check_at_most(8, (i + j) % 2 == 0 ? step : -step);
      }
  }
  pl_renderer_destroy(renderer);
  def.checker_size = -1;
  assert_int_equal(pl_renderer_create(self->context, &def, &renderer, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "checker_size");
}

static void the_caption_changes_only_its_corner(void **state) {
  studio *self = *state;
  make_ball(self->one, pl_vec3_of(0, 1, 0), 1);
  pl_picture_item item = item_of(self->one, pl_palette_color(4));
  pl_camera camera = {{0, 2, 9}, {0, 1, 0}, {0, 1, 0}, 0.5};
  draw(self->with_ground, &camera, &item, 1, NULL, self->rgb);
  draw(self->with_ground, &camera, &item, 1, "t = 1 s", self->other);
  int inside = 0;
  for (int i = 0; i < PIXEL_COUNT; ++i) {
    int x = i % WIDTH, y = i / WIDTH;
    bool same = memcmp(self->rgb + 3 * i, self->other + 3 * i, 3) == 0;
    if (x < WIDTH / 2 && y > HEIGHT * 8 / 10)
      inside += brightness(self->other, x, y) < brightness(self->rgb, x, y) - 60;
    else
      assert_true(same);
  }
  assert_true(inside > 30);
  draw(self->with_ground, &camera, &item, 1, "", self->other);
  assert_memory_equal(self->rgb, self->other, PIXEL_COUNT * 3);
}

static void wrong_items_and_cameras_are_refused(void **state) {
  studio *self = *state;
  pl_error error = {0};
  pl_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  int32_t triangle[3] = {0, 1, 3};
  pl_picture_item item = {.points = points, .point_count = 3, .triangles = triangle, .triangle_count = 1};
  assert_int_equal(pl_renderer_draw(self->with_ground, &(pl_picture){level_camera, &item, 1, NULL}, self->rgb, &error),
                   PL_ERROR_INVALID_DATA);
  assert_string_equal(error.field, "items[0].triangles[0]");
  triangle[2] = -1;
  assert_int_equal(pl_renderer_draw(self->with_ground, &(pl_picture){level_camera, &item, 1, NULL}, self->rgb, &error),
                   PL_ERROR_INVALID_DATA);
  triangle[2] = 2;
  points[1].y = (double)NAN;
  assert_int_equal(pl_renderer_draw(self->with_ground, &(pl_picture){level_camera, &item, 1, NULL}, self->rgb, &error),
                   PL_ERROR_INVALID_DATA);
  assert_string_equal(error.field, "items[0].points[1]");
  points[1].y = 1e200;
  assert_int_equal(pl_renderer_draw(self->with_ground, &(pl_picture){level_camera, &item, 1, NULL}, self->rgb, &error),
                   PL_ERROR_INVALID_DATA);
  points[1].y = 0;
  item.color.r = 2;
  assert_int_equal(pl_renderer_draw(self->with_ground, &(pl_picture){level_camera, &item, 1, NULL}, self->rgb, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  item.color.r = 0;
  item.point_count = -1;
  assert_int_equal(pl_renderer_draw(self->with_ground, &(pl_picture){level_camera, &item, 1, NULL}, self->rgb, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  item.point_count = 3;
  pl_camera camera = level_camera;
  camera.eye.x = (double)INFINITY;
  assert_int_equal(pl_renderer_draw(self->with_ground, &(pl_picture){camera, &item, 1, NULL}, self->rgb, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  pl_renderer *none = NULL;
  pl_renderer_def def = pl_default_renderer_def();
  def.width = 1 << 20;
  assert_int_equal(pl_renderer_create(self->context, &def, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "width");
  def.width = 0;
  assert_int_equal(pl_renderer_create(self->context, &def, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  memset(&def, 0, sizeof def);
  assert_int_equal(pl_renderer_create(self->context, &def, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(none);
}

static void odd_cameras_and_degenerate_triangles_still_give_a_picture(void **state) {
  studio *self = *state;
  const pl_camera cameras[] = {{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, 0.5},
                               {{0, 5, 0}, {0, 0, 0}, {0, 1, 0}, 0.5},
                               {{0, 0, 6}, {0, 0, 0}, {0, 0, 0}, 0.5},
                               {{0, 0, 6}, {0, 0, 0}, {0, 1, 0}, 0},
                               {{0, -4, 1}, {0, 0, 0}, {0, 1, 0}, 9}};
  const pl_vec3 points[3] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  const int32_t triangle[3] = {0, 1, 2};
  const pl_picture_item items[3] = {
      cube_item(),
      {.points = points, .point_count = 3, .triangles = triangle, .triangle_count = 1, .creased = true},
      {0}};
  for (size_t i = 0; i < sizeof cameras / sizeof cameras[0]; ++i)
    draw(self->with_ground, &cameras[i], items, 3, "odd", self->rgb);
}

static void the_hosts_own_context_stays_current(void **state) {
  studio *self = *state;
  pl_error error = {0};
  draw(self->with_ground, &level_camera, NULL, 0, NULL, self->rgb);
  assert_ptr_equal(eglGetCurrentContext(), EGL_NO_CONTEXT);
  pl_render_context host;
  pl_render_context_before before;
  check_ok(pl_render_context_open(&host, &error), &error);
  check_ok(pl_render_context_enter(&host, &before, &error), &error);
  draw(self->with_ground, &level_camera, NULL, 0, NULL, self->other);
  assert_ptr_equal(eglGetCurrentContext(), host.context);
  pl_render_context_leave(&host, &before);
  pl_render_context_close(&host);
  assert_memory_equal(self->rgb, self->other, PIXEL_COUNT * 3);
}

static void every_failed_allocation_is_reported(void **state) {
  studio *self = *state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  pl_error error = {0};
  pl_renderer *renderer = NULL;
  pl_renderer_def def = studio_def(true);
  int failures = 0;
  for (int64_t n = 1;; ++n, ++failures) {
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_renderer_create(context, &def, &renderer, &error);
    allocator.fail_at = 0;
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_null(renderer);
    assert_int_equal(allocator.live_count, live);
  }
  assert_true(failures >= 1);
  pl_picture_item item = cube_item();
  item.creased = true;
  for (int64_t n = 1;; ++n, ++failures) {
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_renderer_draw(renderer, &(pl_picture){level_camera, &item, 1, "caption"}, self->rgb, &error);
    allocator.fail_at = 0;
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
  }
  assert_true(failures >= 3);
  pl_renderer_destroy(renderer);
  assert_int_equal(allocator.live_count, live);
  pl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_covers_the_area_of_its_projected_disc),
      cmocka_unit_test(silhouettes_are_anti_aliased),
      cmocka_unit_test(the_corners_show_the_background),
      cmocka_unit_test(the_shadow_falls_where_the_sun_throws_it),
      cmocka_unit_test(two_bodies_have_their_two_colors),
      cmocka_unit_test(a_surface_can_be_painted_point_by_point),
      cmocka_unit_test(the_same_scene_gives_the_same_picture),
      cmocka_unit_test(a_creased_cube_looks_flat_and_a_smooth_one_does_not),
      cmocka_unit_test(a_wireframe_darkens_edges_only),
      cmocka_unit_test(inside_out_and_open_surfaces_look_like_closed_ones),
      cmocka_unit_test(far_from_the_origin_the_picture_is_the_same),
      cmocka_unit_test(a_checkered_ground_has_squares_of_the_given_size),
      cmocka_unit_test(the_caption_changes_only_its_corner),
      cmocka_unit_test(wrong_items_and_cameras_are_refused),
      cmocka_unit_test(odd_cameras_and_degenerate_triangles_still_give_a_picture),
      cmocka_unit_test(the_hosts_own_context_stays_current),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, open_studio, close_studio);
}
