// Building and asking the hierarchy over moving boxes.
//
// The sort is by digits of 8 bits from the lowest up; digits in which all keys agree are passed over, which in most
// scenes are half of them. Items with equal keys keep their order.
#include "contact/broad_phase.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, AXIS_BITS = 21 };

bool pl_broad_phase_take(pl_arena *arena, int32_t capacity, pl_broad_phase *broad) {
  size_t leaves = 1;
  while (leaves < (size_t)capacity) leaves *= 2;
  *broad = (pl_broad_phase){
      .capacity = capacity,
      .leaf_count = 1,
      .keys = PL_TAKE(arena, uint64_t, capacity),
      .spare_keys = PL_TAKE(arena, uint64_t, capacity),
      .order = PL_TAKE(arena, int32_t, capacity),
      .spare_order = PL_TAKE(arena, int32_t, capacity),
      .boxes = PL_TAKE(arena, pl_box, 2 * leaves),
  };
  if (arena->failed) return false;
  broad->boxes[1] = pl_box_empty();
  return true;
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

void pl_broad_phase_build(pl_broad_phase *broad, const pl_box *boxes, int32_t count) {
  fill_keys(broad, boxes, count);
  for (int shift = 0; shift < 64; shift += DIGIT_BITS) sort_by_digit(broad, count, shift);
  broad->leaf_count = 1;
  while (broad->leaf_count < count) broad->leaf_count *= 2;
  for (int32_t i = 0; i < broad->leaf_count; ++i)
    broad->boxes[broad->leaf_count + i] = i < count ? boxes[broad->order[i]] : pl_box_empty();
  for (int32_t i = broad->leaf_count - 1; i > 0; --i) {
    broad->boxes[i] = broad->boxes[2 * i];
    cover(&broad->boxes[i], &broad->boxes[2 * i + 1]);
  }
}

pl_broad_walk pl_broad_phase_begin(const pl_broad_phase *broad, pl_box box) {
  return (pl_broad_walk){.broad = broad, .box = box, .depth = 1, .stack = {1}};
}

int32_t pl_broad_phase_next(pl_broad_walk *walk) {
  const pl_broad_phase *broad = walk->broad;
  while (walk->depth > 0) {
    int32_t node = walk->stack[--walk->depth];
    const pl_box *a = &broad->boxes[node], *b = &walk->box;
    bool is_met = (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y) & (b->min.y <= a->max.y) &
                  (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
    if (!is_met) continue;
    if (node >= broad->leaf_count) return broad->order[node - broad->leaf_count];
    walk->stack[walk->depth++] = 2 * node + 1;
    walk->stack[walk->depth++] = 2 * node;
  }
  return -1;
}
