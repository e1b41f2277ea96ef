// Particles along the Morton curve (Morton 1966): the bits of the three coordinates on a grid of 1024 cells along the
// longest side, interleaved.
//
// In a body of a million particles in rows and layers, the layers above and below a particle are hundreds of kilobytes
// away; along the curve its ring is mostly within a few pages. Points of one cell keep the order of the mesh.
//
// Within blocks of the curve, particles of large regions come first: eight regions are summed at a time, and take as
// long as the largest. In a lattice of five tets per cell every other point has three times the neighbours of the rest,
// and eight along the curve would take 19 slots for 12 entries.
#include "solid/solid_order.h"

#include <math.h>

#include "base/context.h"
#include "pliant/math.h"

enum { PARTICLES_PER_BLOCK = 128 };  // 2 KB of positions
enum { BITS_AN_AXIS = 10, DIGIT_BITS = 10, DIGITS = 3, BUCKETS = 1 << DIGIT_BITS };

// The ten bits of n with two zeros after each.
static uint32_t spread_bits(uint32_t n) {
  n = (n | n << 16) & 0x030000FFu;
  n = (n | n << 8) & 0x0300F00Fu;
  n = (n | n << 4) & 0x030C30C3u;
  return (n | n << 2) & 0x09249249u;
}

static uint32_t cell_along(double offset, double cells_per_metre) {
  return (uint32_t)fmin(fmax(offset * cells_per_metre, 0), (1 << BITS_AN_AXIS) - 1);
}

static void find_keys(const pl_mesh_view *mesh, uint32_t *keys) {
  pl_box box = pl_box_from_points(mesh->points, mesh->point_count);
  pl_vec3 size = pl_vec3_sub(box.max, box.min);
  double longest = fmax(fmax(size.x, size.y), size.z), scale = longest > 0 ? (1 << BITS_AN_AXIS) / longest : 0;
  for (int32_t i = 0; i < mesh->point_count; ++i) {
    pl_vec3 p = pl_vec3_sub(mesh->points[i], box.min);
    keys[i] = spread_bits(cell_along(p.x, scale)) | spread_bits(cell_along(p.y, scale)) << 1 |
              spread_bits(cell_along(p.z, scale)) << 2;
  }
}

// One pass of a radix sort: `from` to `to` by one digit of the keys, equal digits in their order.
static void sort_by_digit(const uint32_t *keys, const int32_t *from, int32_t *to, int32_t count, int digit) {
  int32_t starts[BUCKETS + 1] = {0};
  int shift = digit * DIGIT_BITS;
  for (int32_t i = 0; i < count; ++i) starts[(keys[i] >> shift & (BUCKETS - 1)) + 1]++;
  for (int b = 0; b < BUCKETS; ++b) starts[b + 1] += starts[b];
  for (int32_t i = 0; i < count; ++i) to[starts[keys[from[i]] >> shift & (BUCKETS - 1)]++] = from[i];
}

// Large regions first, equal ones in their order. Blocks are short, and few sizes differ.
static void sort_block(const int32_t *region_sizes, int32_t *points, int32_t count) {
  for (int32_t i = 1; i < count; ++i) {
    int32_t point = points[i], k = i;
    for (; k > 0 && region_sizes[points[k - 1]] < region_sizes[point]; --k) points[k] = points[k - 1];
    points[k] = point;
  }
}

bool pl_solid_order_build(pl_context *context, const pl_mesh_view *mesh, const int32_t *region_sizes, pl_arena *arena,
                          pl_solid_order *order) {
  int32_t n = mesh->point_count;
  int32_t *point_of = PL_TAKE(arena, int32_t, n), *particle_of = PL_TAKE(arena, int32_t, n);
  uint32_t *keys = pl_allocate_array(context, (size_t)n, sizeof(uint32_t));
  int32_t *other = pl_allocate_array(context, (size_t)n, sizeof(int32_t));
  bool allocated = point_of && particle_of && keys && other;
  if (allocated) {
    find_keys(mesh, keys);
    for (int32_t i = 0; i < n; ++i) other[i] = i;
    sort_by_digit(keys, other, point_of, n, 0);
    sort_by_digit(keys, point_of, other, n, 1);
    sort_by_digit(keys, other, point_of, n, 2);
    for (int32_t i = 0; i < n; i += PARTICLES_PER_BLOCK)
      sort_block(region_sizes, point_of + i, n - i < PARTICLES_PER_BLOCK ? n - i : PARTICLES_PER_BLOCK);
    for (int32_t i = 0; i < n; ++i) particle_of[point_of[i]] = i;
    *order = (pl_solid_order){point_of, particle_of};
  }
  pl_release(context, keys);
  pl_release(context, other);
  return allocated;
}
