// Materials and images in pictures: texture coordinates, alpha, toon shading, outlines and seams.
// ctest: unit
#include "check.h"
#include "fixtures/picture_ball.h"

#include <stdlib.h>

#include "pliant/math.h"
#include "pliant/picture.h"

enum { WIDTH = 320, HEIGHT = 240, PIXEL_COUNT = WIDTH * HEIGHT };

typedef struct studio {
  pl_context *context;
  pl_renderer *without_ground;
  ball *one;
  uint8_t *rgb, *other;
} studio;

static int open_studio(void **state) {
  static studio made;
  pl_error error = {0};
  made.context = make_context(1);
  pl_renderer_def def = pl_default_renderer_def();
  def.width = WIDTH;
  def.height = HEIGHT;
  def.ground = false;
  def.background_top = def.background_bottom = (pl_color){0.95f, 0.95f, 0.95f};
  check_ok(pl_renderer_create(made.context, &def, &made.without_ground, &error), &error);
  made.one = malloc(sizeof(ball));
  made.rgb = malloc(PIXEL_COUNT * 3);
  made.other = malloc(PIXEL_COUNT * 3);
  *state = &made;
  return 0;
}

static int close_studio(void **state) {
  studio *self = *state;
  pl_renderer_destroy(self->without_ground);
  free(self->one), free(self->rgb), free(self->other);
  drop_context(self->context);
  return 0;
}

static void draw(pl_renderer *renderer, const pl_camera *camera, const pl_picture_item *items, int32_t count,
                 const char *caption, uint8_t *rgb) {
  pl_error error = {0};
  check_ok(pl_renderer_draw(renderer, &(pl_picture){*camera, items, count, caption}, rgb, &error), &error);
}

// A square in front of the camera, from -1 to 1, as two triangles of an appearance of one material.
typedef struct poster {
  pl_appearance_material material;
  pl_appearance_image image;
  pl_appearance_part part;
  pl_appearance_view view;
  uint8_t rgba[4 * 4];
} poster;

static const pl_vec3 square_points[4] = {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 1, 0}};
static const int32_t square_triangles[6] = {0, 1, 3, 0, 3, 2}, square_vertices[4] = {0, 1, 2, 3};
static const float square_uvs[8] = {0, 1, 1, 1, 0, 0, 1, 0};

// Red and green above, blue and white below.
static void make_poster(poster *self) {
  static const uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
  memcpy(self->rgba, pixels, sizeof pixels);
  self->material = pl_default_appearance_material();
  self->material.shading = PL_SHADING_UNLIT;
  self->material.base_image = 0;
  self->image = (pl_appearance_image){.width = 2, .height = 2, .rgba = self->rgba};
  self->image.wrap_u = self->image.wrap_v = PL_IMAGE_CLAMP;
  self->part = (pl_appearance_part){0, 0, 2};
  self->view = (pl_appearance_view){.vertex_count = 4,
                                    .points = square_vertices,
                                    .normal_groups = square_vertices,
                                    .normal_group_count = 4,
                                    .uvs = square_uvs,
                                    .triangle_count = 2,
                                    .triangles = square_triangles,
                                    .part_count = 1,
                                    .parts = &self->part,
                                    .material_count = 1,
                                    .materials = &self->material,
                                    .image_count = 1,
                                    .images = &self->image};
}

static pl_picture_item poster_item(const poster *self) {
  return (pl_picture_item){.points = square_points,
                           .point_count = 4,
                           .triangles = square_triangles,
                           .triangle_count = 2,
                           .appearance = &self->view};
}

// The square is as high as the picture but for a tenth.
static const pl_camera facing = {{0, 0, 10}, {0, 0, 0}, {0, 1, 0}, 0.22};

static void check_pixel(const uint8_t *rgb, int x, int y, int r, int g, int b) {
  const uint8_t *p = rgb + 3 * (y * WIDTH + x);
  const int wanted[3] = {r, g, b};
  for (int c = 0; c < 3; ++c) assert_in_range(p[c] + 8, wanted[c], wanted[c] + 16);
}

static void an_image_lies_as_its_coordinates_say(void **state) {
  studio *self = *state;
  poster made;
  make_poster(&made);
  pl_picture_item item = poster_item(&made);
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  check_pixel(self->rgb, WIDTH / 2 - 90, HEIGHT / 2 - 90, 255, 0, 0);
  check_pixel(self->rgb, WIDTH / 2 + 90, HEIGHT / 2 - 90, 0, 255, 0);
  check_pixel(self->rgb, WIDTH / 2 - 90, HEIGHT / 2 + 90, 0, 0, 255);
  check_pixel(self->rgb, WIDTH / 2 + 90, HEIGHT / 2 + 90, 255, 255, 255);
  // With an id the image is sent once: changed pixels are not looked at until another id says so.
  made.image.id = 7;
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  made.rgba[0] = 0;
  draw(self->without_ground, &facing, &item, 1, NULL, self->other);
  assert_memory_equal(self->rgb, self->other, PIXEL_COUNT * 3);
  made.image.id = 8;
  draw(self->without_ground, &facing, &item, 1, NULL, self->other);
  check_pixel(self->other, WIDTH / 2 - 90, HEIGHT / 2 - 90, 0, 0, 0);
}

static void alpha_makes_holes_or_mixes(void **state) {
  studio *self = *state;
  poster made;
  make_poster(&made);
  pl_picture_item item = poster_item(&made);
  made.rgba[3] = 102;  // of red: 0.4
  made.material.alpha_mode = PL_ALPHA_MASK;
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  check_pixel(self->rgb, WIDTH / 2 - 90, HEIGHT / 2 - 90, 242, 242, 242);
  check_pixel(self->rgb, WIDTH / 2 + 90, HEIGHT / 2 - 90, 0, 255, 0);
  made.material.alpha_cutoff = 0.3;
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  check_pixel(self->rgb, WIDTH / 2 - 90, HEIGHT / 2 - 90, 255, 0, 0);
  // 0.4 of red and 0.6 of the background, in linear light: 0.6 * 0.89 is 192.
  made.material.alpha_mode = PL_ALPHA_BLEND;
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  check_pixel(self->rgb, WIDTH / 2 - 90, HEIGHT / 2 - 90, 247, 193, 193);
}

static void toon_shading_has_two_colours_and_a_step(void **state) {
  studio *self = *state;
  poster made;
  make_poster(&made);
  made.material = pl_default_appearance_material();
  made.material.shading = PL_SHADING_TOON;
  made.material.base_color = (pl_color){1, 0.8f, 0.6f};
  made.material.shade_color = (pl_color){0.4f, 0.2f, 0.2f};
  pl_picture_item item = poster_item(&made);
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  check_pixel(self->rgb, WIDTH / 2, HEIGHT / 2, 255, 204, 153);
  // The sun meets the square at a cosine of 0.51: a shift beyond that puts it into the shade.
  made.material.shade_shift = -0.8;
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  check_pixel(self->rgb, WIDTH / 2, HEIGHT / 2, 102, 51, 51);
}

static int count_color(const uint8_t *rgb, int r, int g, int b) {
  int count = 0;
  for (int i = 0; i < PIXEL_COUNT; ++i)
    count += abs(rgb[3 * i] - r) < 40 && abs(rgb[3 * i + 1] - g) < 40 && abs(rgb[3 * i + 2] - b) < 40;
  return count;
}

static void an_outline_surrounds_a_body(void **state) {
  studio *self = *state;
  make_ball(self->one, pl_vec3_of(0, 0, 0), 0.7);
  pl_appearance_material material = pl_default_appearance_material();
  material.shading = PL_SHADING_UNLIT;
  material.base_color = (pl_color){1, 1, 0};
  pl_picture_item item = item_of(self->one, (pl_color){0, 0, 0});
  item.material = &material;
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  int inside = count_color(self->rgb, 255, 255, 0);
  assert_int_equal(count_color(self->rgb, 0, 0, 255), 0);
  material.outline_color = (pl_color){0, 0, 1};
  material.outline_width = 0.07;
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  // A ring of 1.1^2 - 1 of the disc.
  double ring = (double)count_color(self->rgb, 0, 0, 255) / inside;
  assert_true(ring > 0.15 && ring < 0.25);
  assert_true(abs(count_color(self->rgb, 255, 255, 0) - inside) < inside / 20);
}

// A ball whose points are doubled along a meridian, as texture coordinates do it, looks like the whole one.
static void a_seam_does_not_show(void **state) {
  studio *self = *state;
  make_ball(self->one, pl_vec3_of(0, 0, 0), 0.9);
  int32_t count = self->one->point_count;
  pl_vec3 *points = malloc(2 * (size_t)count * sizeof *points);
  int32_t *triangles = malloc(3 * (size_t)self->one->triangle_count * sizeof *triangles);
  int32_t *vertices = malloc(4 * (size_t)count * sizeof *vertices), *groups = vertices + 2 * count;
  for (int32_t i = 0; i < 2 * count; ++i) {
    points[i] = self->one->points[i % count];
    vertices[i] = i;
    groups[i] = i % count;
  }
  for (int32_t t = 0; t < self->one->triangle_count; ++t)
    for (int c = 0; c < 3; ++c) {
      const int32_t *corner = &self->one->triangles[3 * t];
      double x = points[corner[0]].x + points[corner[1]].x + points[corner[2]].x;
      triangles[3 * t + c] = corner[c] + (x > 0 ? count : 0);
    }
  pl_appearance_material material = pl_default_appearance_material();
  pl_appearance_part part = {0, 0, self->one->triangle_count};
  pl_appearance_view view = {.vertex_count = 2 * count,
                             .points = vertices,
                             .normal_groups = groups,
                             .normal_group_count = count,
                             .triangle_count = part.triangle_count,
                             .triangles = triangles,
                             .part_count = 1,
                             .parts = &part,
                             .material_count = 1,
                             .materials = &material};
  pl_picture_item whole = item_of(self->one, (pl_color){0, 0, 0}), split = whole;
  whole.material = &material;
  split.points = points;
  split.point_count = 2 * count;
  split.triangles = triangles;
  split.appearance = &view;
  draw(self->without_ground, &facing, &whole, 1, NULL, self->rgb);
  draw(self->without_ground, &facing, &split, 1, NULL, self->other);
  int worst = 0;
  for (int i = 0; i < PIXEL_COUNT * 3; ++i)
    worst = abs(self->rgb[i] - self->other[i]) > worst ? abs(self->rgb[i] - self->other[i]) : worst;
  assert_in_range(worst, 0, 2);
  // Groups of their own on each side let it show.
  view.normal_groups = vertices;
  view.normal_group_count = 2 * count;
  draw(self->without_ground, &facing, &split, 1, NULL, self->other);
  for (int i = 0; i < PIXEL_COUNT * 3; ++i)
    worst = abs(self->rgb[i] - self->other[i]) > worst ? abs(self->rgb[i] - self->other[i]) : worst;
  assert_true(worst > 2);
  free(points), free(triangles), free(vertices);
}

// One pixel of data for the poster.
static void set_map(poster *self, uint8_t r, uint8_t g, uint8_t b) {
  for (int i = 0; i < 4; ++i) {
    const uint8_t pixel[4] = {r, g, b, 255};
    memcpy(self->rgba + 4 * i, pixel, 4);
  }
}

static void make_plain_poster(poster *self) {
  make_poster(self);
  self->material.base_image = -1;
  self->material.shading = PL_SHADING_STANDARD;
  self->material.base_color = (pl_color){0.6F, 0.5F, 0.4F};
}

static int max_difference(const uint8_t *a, const uint8_t *b) {
  int max = 0;
  for (int i = 0; i < PIXEL_COUNT * 3; ++i) max = abs(a[i] - b[i]) > max ? abs(a[i] - b[i]) : max;
  return max;
}

static int brightness(const studio *self, const poster *made) {
  pl_picture_item item = poster_item(made);
  draw(self->without_ground, &facing, &item, 1, NULL, self->rgb);
  const uint8_t *p = self->rgb + 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
  return p[0] + p[1] + p[2];
}

// The sun of these pictures is above and to one side. A map that tilts normals towards it brightens the poster; one
// that lies turned by half a turn tilts them away.
static void normal_maps_tilt_along_the_coordinates(void **state) {
  studio *self = *state;
  poster made;
  make_plain_poster(&made);
  made.material.roughness = 1;
  int plain = brightness(self, &made);
  made.material.normal_image = 0;
  set_map(&made, 128, 128, 255);
  assert_in_range(brightness(self, &made) + 6, plain, plain + 12);
  set_map(&made, 128, 208, 229);
  int up = brightness(self, &made);
  set_map(&made, 128, 48, 229);
  int down = brightness(self, &made);
  set_map(&made, 208, 128, 229);
  int right = brightness(self, &made);
  set_map(&made, 48, 128, 229);
  int left = brightness(self, &made);
  assert_true(up > plain + 20 && down < plain - 20 && abs(right - left) > 20);
  // Coordinates turned by half a turn, mirrored, and turned by a quarter.
  static const float half[8] = {1, 0, 0, 0, 1, 1, 0, 1}, mirrored[8] = {1, 1, 0, 1, 1, 0, 0, 0},
                     quarter[8] = {1, 1, 1, 0, 0, 1, 0, 0};
  made.view.uvs = half;
  assert_in_range(brightness(self, &made) + 2, right, right + 4);
  made.view.uvs = mirrored;
  assert_in_range(brightness(self, &made) + 2, right, right + 4);
  set_map(&made, 128, 208, 229);
  assert_in_range(brightness(self, &made) + 2, up, up + 4);
  // Here v grows to the left, so that y of the map points to the right.
  made.view.uvs = quarter;
  assert_in_range(brightness(self, &made) + 2, right, right + 4);
  made.material.normal_scale = 0;
  assert_in_range(brightness(self, &made) + 2, plain, plain + 4);
}

static void surface_maps_scale_metallic_and_roughness(void **state) {
  studio *self = *state;
  poster made;
  make_plain_poster(&made);
  made.material.metallic = 1;
  made.material.roughness = 1;
  made.material.metallic_roughness_image = 0;
  set_map(&made, 7, 102, 51);
  (void)brightness(self, &made);
  memcpy(self->other, self->rgb, PIXEL_COUNT * 3);
  made.material.metallic_roughness_image = -1;
  made.material.metallic = 0.2;
  made.material.roughness = 0.4;
  (void)brightness(self, &made);
  assert_true(max_difference(self->rgb, self->other) <= 1);
}

// Occlusion takes the light of the sky and leaves that of the sun.
static void occlusion_maps_darken_the_sky_alone(void **state) {
  studio *self = *state;
  poster made;
  make_plain_poster(&made);
  int open = brightness(self, &made);
  made.material.occlusion_image = 0;
  set_map(&made, 0, 255, 255);
  int closed = brightness(self, &made);
  made.material.occlusion_strength = 0.5;
  int half = brightness(self, &made);
  made.material.occlusion_strength = 0;
  assert_int_equal(brightness(self, &made), open);
  assert_true(closed > 60 && closed < half && half < open);
  set_map(&made, 255, 0, 0);
  made.material.occlusion_strength = 1;
  assert_int_equal(brightness(self, &made), open);
}

// Seen from the front, the matcap of a flat poster is its middle.
static void matcaps_are_added_to_toon_materials(void **state) {
  studio *self = *state;
  poster made;
  make_plain_poster(&made);
  made.material.shading = PL_SHADING_TOON;
  made.material.base_color = made.material.shade_color = (pl_color){0, 0, 0};
  assert_in_range(brightness(self, &made), 0, 6);
  made.material.matcap_image = 0;
  made.material.matcap_color = (pl_color){0, 1, 0};
  set_map(&made, 200, 100, 50);
  (void)brightness(self, &made);
  check_pixel(self->rgb, WIDTH / 2, HEIGHT / 2, 0, 100, 0);
}

static void wrong_appearances_are_refused(void **state) {
  studio *self = *state;
  poster made;
  pl_error error = {0};
  for (int i = 0; i < 6; ++i) {
    make_poster(&made);
    const int32_t outside[6] = {0, 1, 9, 0, 3, 2};
    if (i == 0) made.view.triangles = outside;
    if (i == 1) made.part.triangle_count = 1;
    if (i == 2) made.material.base_image = 1;
    if (i == 3) made.material.roughness = 2;
    if (i == 4) made.image.width = 0;
    if (i == 5) made.view.points = outside;
    pl_picture_item item = poster_item(&made);
    const pl_picture picture = {facing, &item, 1, NULL};
    assert_int_equal(pl_renderer_draw(self->without_ground, &picture, self->rgb, &error), PL_ERROR_INVALID_DATA);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_image_lies_as_its_coordinates_say),
      cmocka_unit_test(alpha_makes_holes_or_mixes),
      cmocka_unit_test(toon_shading_has_two_colours_and_a_step),
      cmocka_unit_test(an_outline_surrounds_a_body),
      cmocka_unit_test(a_seam_does_not_show),
      cmocka_unit_test(normal_maps_tilt_along_the_coordinates),
      cmocka_unit_test(surface_maps_scale_metallic_and_roughness),
      cmocka_unit_test(occlusion_maps_darken_the_sky_alone),
      cmocka_unit_test(matcaps_are_added_to_toon_materials),
      cmocka_unit_test(wrong_appearances_are_refused),
  };
  return cmocka_run_group_tests(tests, open_studio, close_studio);
}
