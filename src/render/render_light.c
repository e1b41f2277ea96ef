// Fitting the light's maps to the scene.
//
// A map that followed the box exactly would slide by fractions of a texel from frame to frame, and shadow edges would
// swim. So sizes are rounded up to a geometric series and centres to whole texels: in a video the maps stay put and
// change size rarely.
#include "render/render_light.h"

#include "pliant/math.h"
#include "render/render_device.h"

#define GOLDEN_ANGLE 2.399963229728653
#define LOWEST_SUN 0.2           // height of the sun's unit direction; lower shadows would be longer than any picture
#define LAMP_HALF_TANGENT 0.36f  // a sixteenth of the dome each
#define SUN_HALF_TANGENT 0.07f   // a soft box rather than the real sun (0.0047): penumbras wide enough to look soft

// The next size of the series 1.1^k above `size`.
static double round_up(double size) {
  return pow(1.1, ceil(log(fmax(size, 1e-6)) / log(1.1)));
}

static double snap(double value, double step) {
  return floor(value / step + 0.5) * step;
}

static void put_axis(float to[4], pl_vec3 axis, double center, double size) {
  to[0] = (float)(axis.x / size), to[1] = (float)(axis.y / size), to[2] = (float)(axis.z / size);
  to[3] = (float)(0.5 - center / size);
}

static void fit_map(pl_render_map *map, const pl_render_scene *scene, pl_vec3 direction, int texel_count) {
  pl_vec3 axes[3] = {pl_vec3_perpendicular(direction)};
  axes[2] = pl_vec3_scale(direction, -1);
  axes[1] = pl_vec3_cross(direction, axes[0]);
  double centers[3], sizes[3];
  pl_vec3 half = pl_vec3_scale(pl_vec3_sub(scene->box.max, scene->box.min), 0.5);
  for (int i = 0; i < 3; ++i) {
    // Snapped in world space, so that the map does not move with the scene's origin either.
    double reach = fabs(axes[i].x) * half.x + fabs(axes[i].y) * half.y + fabs(axes[i].z) * half.z;
    double origin = pl_vec3_dot(axes[i], scene->origin);
    double fringe = i < 2 ? 1.0 + 8.0 / texel_count : 1.02;
    sizes[i] = round_up(2 * reach * fringe);
    centers[i] = snap(origin, sizes[i] / texel_count) - origin;
  }
  map->width = sizes[0], map->height = sizes[1], map->depth = sizes[2];
  put_axis(map->right, axes[0], centers[0], sizes[0]);
  put_axis(map->up, axes[1], centers[1], sizes[1]);
  put_axis(map->away, axes[2], centers[2], sizes[2]);
}

static void put_vector(float to[3], pl_vec3 v) {
  to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

// Points of a sunflower: even over the disc, no two in line. The first is the centre, so that a search never misses
// what is right there.
static void fill_disc(float disc[PL_DISC_COUNT][2]) {
  for (int i = 0; i < PL_DISC_COUNT; ++i) {
    double radius = sqrt(i / (PL_DISC_COUNT - 1.0)), angle = i * GOLDEN_ANGLE;
    disc[i][0] = (float)(radius * cos(angle));
    disc[i][1] = (float)(radius * sin(angle));
  }
}

// The square of floor that may see less than all of the light: below the bodies, where their shadow falls, and a margin
// for the sky's.
static void fit_floor(float square[4], const pl_render_scene *scene, pl_vec3 sun, double ground_height) {
  pl_box box = scene->box;
  double top = fmax(box.max.y - ground_height, 0);
  pl_vec3 throw = pl_vec3_scale(sun, -top / sun.y);
  box = pl_box_merge(box, (pl_box){pl_vec3_add(box.min, throw), pl_vec3_add(box.max, throw)});
  double margin = 0.35 * pl_box_diagonal(scene->box) + 0.4 * top;
  double size = round_up(fmax(box.max.x - box.min.x, box.max.z - box.min.z) + 2 * margin);
  pl_vec3 center = pl_box_center(box);
  double step = size / PL_FLOOR_SKY_SIZE;
  double x = snap(center.x + scene->origin.x, step) - scene->origin.x,
         z = snap(center.z + scene->origin.z, step) - scene->origin.z;
  square[0] = (float)(x - 0.5 * size), square[1] = (float)(z - 0.5 * size);
  square[2] = (float)size, square[3] = (float)ground_height;
}

void pl_render_light_fit(pl_render_light *light, const pl_render_scene *scene, pl_vec3 sun_direction,
                         double ground_height) {
  pl_vec3 sun = pl_vec3_normalize_or(sun_direction, pl_vec3_of(0, 1, 0));
  if (sun.y < LOWEST_SUN) {
    double flat = sqrt(sun.x * sun.x + sun.z * sun.z);
    double scale = flat > 0 ? sqrt(1 - LOWEST_SUN * LOWEST_SUN) / flat : 0;
    sun = pl_vec3_normalize_or(pl_vec3_of(sun.x * scale, LOWEST_SUN, sun.z * scale), pl_vec3_of(0, 1, 0));
  }
  put_vector(light->sun_direction, sun);
  fit_map(&light->sun, scene, sun, PL_SUN_MAP_SIZE);
  double lamp_texel = 0, lamp_depth = HUGE_VAL;
  for (int i = 0; i < PL_LAMP_COUNT; ++i) {
    // Even over the hemisphere: equal steps in height, the golden angle around.
    double y = (i + 0.5) / PL_LAMP_COUNT, flat = sqrt(1 - y * y), angle = i * GOLDEN_ANGLE + 0.3;
    pl_vec3 direction = {flat * cos(angle), y, flat * sin(angle)};
    put_vector(light->lamp_directions[i], direction);
    fit_map(&light->lamps[i], scene, direction, PL_LAMP_MAP_SIZE);
    lamp_texel = fmax(lamp_texel, fmax(light->lamps[i].width, light->lamps[i].height) / PL_LAMP_MAP_SIZE);
    lamp_depth = fmin(lamp_depth, light->lamps[i].depth);
  }
  light->floor_open = 0;
  for (int i = 0; i < PL_LAMP_COUNT; ++i) {
    float y = light->lamp_directions[i][1];
    light->floor_open +=
        (PL_SKY_HORIZON_GREEN + (PL_SKY_ZENITH_GREEN - PL_SKY_HORIZON_GREEN) * y) * y * 2 / PL_LAMP_COUNT;
  }
  light->sun_half_tangent = SUN_HALF_TANGENT;
  light->lamp_half_tangent = LAMP_HALF_TANGENT;
  fill_disc(light->disc);
  double sun_texel = fmax(light->sun.width, light->sun.height) / PL_SUN_MAP_SIZE;
  light->bias[0] = (float)(1.5 * sun_texel);
  light->bias[1] = (float)(1.6 * lamp_texel);
  light->bias[2] = (float)(1.0 * sun_texel / light->sun.depth);
  light->bias[3] = (float)(0.8 * lamp_texel / lamp_depth);
  fit_floor(light->floor, scene, sun, ground_height);
}
