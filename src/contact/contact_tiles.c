#include "contact/contact_tiles.h"

#include <math.h>

#include "pliant/math.h"

// Width of a tile, in mean widths of bodies: bodies that touch are less than that apart unless they are long, and a
// tile of a heap has some hundred rows.
static const double TILE_WIDTH = 2;
// With fewer tiles than these, threads would wait for each other.
enum { MIN_TILES = 16 };

// The two of three directions in which something is longest.
static void find_axes(pl_vec3 size, int axes[2]) {
  double sizes[3] = {size.x, size.y, size.z};
  int shortest = 0;
  for (int k = 1; k < 3; ++k)
    if (sizes[k] < sizes[shortest]) shortest = k;
  axes[0] = shortest == 0 ? 1 : 0;
  axes[1] = shortest == 2 ? 1 : 2;
}

static double along(pl_vec3 a, int axis) {
  return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

bool pl_contact_tiles_lay(const pl_box *boxes, const bool *is_used, int32_t count, pl_contact_tiles *tiles) {
  pl_box centers = pl_box_empty();
  pl_vec3 sum = {0, 0, 0};
  int32_t used = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (!is_used[i]) continue;
    pl_box_cover(&centers, pl_box_center(boxes[i]));
    sum = pl_vec3_add(sum, pl_vec3_sub(boxes[i].max, boxes[i].min));
    ++used;
  }
  if (used == 0) return false;
  pl_vec3 extent = pl_vec3_sub(centers.max, centers.min);
  find_axes(extent, tiles->axes);
  double width = 0;
  for (int k = 0; k < 2; ++k) width += 0.5 * along(sum, tiles->axes[k]) / used;
  double size = TILE_WIDTH * width;
  // Not for bodies that are scattered widely, nor if anything is not finite.
  double all = 1;
  for (int k = 0; k < 2; ++k) all *= floor(along(extent, tiles->axes[k]) / size) + 1;
  if (!(size > 0 && all >= MIN_TILES && all <= PL_TILES)) return false;
  tiles->inverse_size = 1 / size;
  for (int k = 0; k < 2; ++k) {
    tiles->origin[k] = along(centers.min, tiles->axes[k]);
    tiles->counts[k] = (int32_t)floor(along(extent, tiles->axes[k]) * tiles->inverse_size) + 1;
  }
  return tiles->counts[0] * tiles->counts[1] <= PL_TILES;
}

pl_tile_place pl_contact_tiles_place(const pl_contact_tiles *tiles, const pl_box *box) {
  pl_vec3 center = pl_box_center(*box);
  pl_tile_place place;
  for (int k = 0; k < 2; ++k) {
    double number = floor((along(center, tiles->axes[k]) - tiles->origin[k]) * tiles->inverse_size);
    place.numbers[k] = (int16_t)fmin(fmax(number, 0), tiles->counts[k] - 1);
  }
  return place;
}
