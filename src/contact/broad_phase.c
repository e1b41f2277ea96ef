// Building and asking the hierarchy over moving boxes.
//
// The sort is by digits of 8 bits from the lowest up; digits in which all keys agree are passed over, which in most
// scenes are half of them. Items with equal keys keep their order.
#include "contact/broad_phase.h"

#include <string.h>

#include "math/simd.h"

#define KERNEL_NAME pl_broad_walk_on_plain
#include "contact/broad_phase_kernel.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, AXIS_BITS = 21 };

static int32_t parent_count(int32_t count) {
  return (count - 1) / PL_BROAD_PHASE_CHILDREN + 1;
}

bool pl_broad_phase_take(pl_arena *arena, int32_t capacity, pl_broad_phase *broad) {
  *broad = (pl_broad_phase){
      .capacity = capacity,
      .keys = PL_TAKE(arena, uint64_t, capacity),
      .spare_keys = PL_TAKE(arena, uint64_t, capacity),
      .order = PL_TAKE(arena, int32_t, capacity),
      .spare_order = PL_TAKE(arena, int32_t, capacity),
      .boxes = PL_TAKE(arena, pl_box, capacity),
  };
  int32_t level = 0;
  for (int32_t count = capacity; level == 0 || count > 1; ++level) {
    count = parent_count(count);
    broad->levels[level] = PL_TAKE(arena, pl_broad_node, count);
  }
  return !arena->failed;
}

// The lowest 21 bits with two zeros between each.
static uint64_t spread_bits(uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffULL;
  x = (x | x << 16) & 0x1f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

static bool is_empty(const pl_box *box) {
  return !(box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z);
}

static void cover(pl_box *box, const pl_box *other) {
  box->min.x = other->min.x < box->min.x ? other->min.x : box->min.x;
  box->min.y = other->min.y < box->min.y ? other->min.y : box->min.y;
  box->min.z = other->min.z < box->min.z ? other->min.z : box->min.z;
  box->max.x = other->max.x > box->max.x ? other->max.x : box->max.x;
  box->max.y = other->max.y > box->max.y ? other->max.y : box->max.y;
  box->max.z = other->max.z > box->max.z ? other->max.z : box->max.z;
}

// Number of the cell along one axis; anything will do for what is not a number.
static uint64_t cell_along(double offset, double scale) {
  double cell = offset * scale, last = (double)((1 << AXIS_BITS) - 1);
  return cell > 0 ? (uint64_t)(cell < last ? cell : last) : 0;
}

// Keys along the curve, in cubes as fine as the whole allows. The mean of a box's ends stands for it.
static void fill_keys(pl_broad_phase *broad, const pl_box *boxes, int32_t count) {
  pl_box all = pl_box_empty();
  for (int32_t i = 0; i < count; ++i) {
    if (is_empty(&boxes[i])) continue;
    pl_vec3 center = pl_box_center(boxes[i]);
    cover(&all, &(pl_box){center, center});
  }
  double size = fmax(all.max.x - all.min.x, fmax(all.max.y - all.min.y, all.max.z - all.min.z));
  double scale = size > 0 && size < HUGE_VAL ? (double)(1 << AXIS_BITS) / size : 0;
  for (int32_t i = 0; i < count; ++i) {
    broad->order[i] = i;
    broad->keys[i] = UINT64_MAX;
    if (is_empty(&boxes[i])) continue;
    pl_vec3 p = pl_vec3_sub(pl_box_center(boxes[i]), all.min);
    broad->keys[i] = spread_bits(cell_along(p.x, scale)) | spread_bits(cell_along(p.y, scale)) << 1 |
                     spread_bits(cell_along(p.z, scale)) << 2;
  }
}

static void sort_by_digit(pl_broad_phase *broad, int32_t count, int shift) {
  int32_t starts[DIGITS] = {0};
  for (int32_t i = 0; i < count; ++i) starts[broad->keys[i] >> shift & (DIGITS - 1)]++;
  for (int32_t digit = 0, sum = 0; digit < DIGITS; ++digit) {
    if (starts[digit] == count) return;
    int32_t here = starts[digit];
    starts[digit] = sum;
    sum += here;
  }
  for (int32_t i = 0; i < count; ++i) {
    int32_t to = starts[broad->keys[i] >> shift & (DIGITS - 1)]++;
    broad->spare_keys[to] = broad->keys[i];
    broad->spare_order[to] = broad->order[i];
  }
  uint64_t *keys = broad->keys;
  int32_t *order = broad->order;
  broad->keys = broad->spare_keys, broad->spare_keys = keys;
  broad->order = broad->spare_order, broad->spare_order = order;
}

// Single precision is off by less than this, as a fraction and, of what is next to nothing, in metres.
static const double ROUNDING = 2e-7, TINY = 1e-37;

// A box in single precision, rounded outwards.
static void round_box(const pl_box *box, float min[3], float max[3]) {
  const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
  for (int k = 0; k < 3; ++k) {
    min[k] = (float)(low[k] - ROUNDING * fabs(low[k]) - TINY);
    max[k] = (float)(high[k] + ROUNDING * fabs(high[k]) + TINY);
  }
}

// What is not a number meets nothing.
static void put_child(pl_broad_node *nodes, int32_t child, const float min[3], const float max[3]) {
  pl_broad_node *node = &nodes[child / PL_BROAD_PHASE_CHILDREN];
  int32_t lane = child % PL_BROAD_PHASE_CHILDREN;
  for (int k = 0; k < 3; ++k) {
    node->min[k][lane / 4][lane % 4] = min[k];
    node->max[k][lane / 4][lane % 4] = max[k];
  }
}

// Fill the last node of a level up.
static void pad_level(pl_broad_node *nodes, int32_t child_count) {
  const float none[3] = {NAN, NAN, NAN};
  for (; child_count % PL_BROAD_PHASE_CHILDREN != 0; ++child_count) put_child(nodes, child_count, none, none);
}

// Around all children of a node, but those that are not a number.
static void cover_children(const pl_broad_node *node, float min[3], float max[3]) {
  for (int k = 0; k < 3; ++k) {
    min[k] = INFINITY, max[k] = -INFINITY;
    for (int i = 0; i < PL_BROAD_PHASE_CHILDREN; ++i) {
      float low = node->min[k][i / 4][i % 4], high = node->max[k][i / 4][i % 4];
      min[k] = low < min[k] ? low : min[k];
      max[k] = high > max[k] ? high : max[k];
    }
  }
}

void pl_broad_phase_build(pl_broad_phase *broad, const pl_box *boxes, int32_t count) {
  float min[3], max[3];
  broad->level_count = 0;
  if (count == 0) return;
  fill_keys(broad, boxes, count);
  for (int shift = 0; shift < 64; shift += DIGIT_BITS) sort_by_digit(broad, count, shift);
  for (int32_t i = 0; i < count; ++i) {
    broad->boxes[i] = boxes[broad->order[i]];
    round_box(&broad->boxes[i], min, max);
    put_child(broad->levels[0], i, min, max);
  }
  pad_level(broad->levels[0], count);
  for (broad->level_count = 1; (count = parent_count(count)) > 1; ++broad->level_count) {
    pl_broad_node *nodes = broad->levels[broad->level_count];
    for (int32_t i = 0; i < count; ++i) {
      cover_children(&broad->levels[broad->level_count - 1][i], min, max);
      put_child(nodes, i, min, max);
    }
    pad_level(nodes, count);
  }
}

pl_broad_walk pl_broad_phase_skip(const pl_broad_phase *broad) {
  pl_broad_walk walk;
  walk.broad = broad;
  walk.level = broad->level_count + 1;
  walk.items = 0;
  return walk;
}

pl_broad_walk pl_broad_phase_begin(const pl_broad_phase *broad, pl_box box) {
  pl_broad_walk walk = pl_broad_phase_skip(broad);
  walk.box = box;
  round_box(&box, walk.min, walk.max);
  if (broad->level_count == 0) return walk;
  walk.level = broad->level_count;
  walk.nodes[walk.level] = 0;
  walk.children[walk.level] = 1;
  return walk;
}

bool pl_broad_walk_on(pl_broad_walk *walk) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return pl_broad_walk_on_avx2(walk);
#endif
  return pl_broad_walk_on_plain(walk);
}
