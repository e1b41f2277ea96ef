// The filters for the plain machine, and the choice between instruction sets.
#include "contact/pair_lanes.h"

#include "base/arena.h"
#include "math/simd.h"

#define KERNELS pl_lane_kernels_plain
#include "contact/pair_lanes_kernel.h"

const pl_lane_kernels *pl_lane_kernels_get(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_lane_kernels_avx2;
#endif
  return &pl_lane_kernels_plain;
}

static size_t block_count_of(int64_t count) {
  return (size_t)((count + LANES - 1) / LANES);
}

// The last block is filled up with its last item.
static void fill_corners(const pl_surface_tree *tree, int32_t *triangle_corners, int32_t *edge_corners,
                         uint8_t *borders) {
  int32_t triangle_count = tree->surface->triangle_count;
  for (size_t i = 0; i < LANES * block_count_of(triangle_count); ++i) {
    int32_t triangle = tree->boxes.order[i < (size_t)triangle_count ? (int32_t)i : triangle_count - 1];
    for (size_t c = 0; c < 3; ++c)
      triangle_corners[i / LANES * VEC3_LANES + c * LANES + i % LANES] =
          tree->surface->triangles[3 * (size_t)triangle + c];
  }
  for (size_t i = 0; i < LANES * block_count_of(tree->edge_count); ++i) {
    int32_t index = i < (size_t)tree->edge_count ? (int32_t)i : tree->edge_count - 1;
    const pl_surface_edge *edge = &tree->edges[tree->edge_order[index]];
    int32_t *to = &edge_corners[i / LANES * EDGE_CORNERS + i % LANES];
    for (size_t k = 0; k < 2; ++k) {
      // The missing corner at a border is the first end.
      bool is_border = edge->opposite[k] < 0 || edge->triangles[k] < 0;
      if (is_border) borders[i / LANES] |= (uint8_t)(1u << i % LANES);
      to[k * LANES] = edge->points[k];
      to[(2 + k) * LANES] = is_border ? edge->points[0] : edge->opposite[k];
    }
  }
}

bool pl_lane_surface_take(pl_arena *arena, pl_surface_motion *motion, const pl_lane_surface *other) {
  const pl_surface_tree *tree = motion->tree;
  if (tree->surface->triangle_count > PL_LANE_TRIANGLES) motion->lane_block_count = 0;
  if (motion->lane_block_count == 0) return true;
  size_t triangles = block_count_of(tree->surface->triangle_count), edges = block_count_of(tree->edge_count);
  motion->packed = PL_TAKE(arena, pl_lane_surface, 1);
  int32_t *triangle_corners = other == NULL ? PL_TAKE(arena, int32_t, triangles * VEC3_LANES) : NULL;
  int32_t *edge_corners = other == NULL ? PL_TAKE(arena, int32_t, edges * EDGE_CORNERS) : NULL;
  uint8_t *borders = other == NULL ? PL_TAKE(arena, uint8_t, edges) : NULL;
  if (arena->failed) return false;
  if (other == NULL) fill_corners(tree, triangle_corners, edge_corners, borders);
  *motion->packed = (pl_lane_surface){
      .triangle_count = tree->surface->triangle_count,
      .triangle_corners = other == NULL ? triangle_corners : other->triangle_corners,
      .edge_corners = other == NULL ? edge_corners : other->edge_corners,
      .borders = other == NULL ? borders : other->borders,
      .triangles = tree->boxes.order,
      .edges = PL_TAKE_RAW(arena, int32_t, tree->edge_count),
      .triangle_rows = PL_TAKE_RAW(arena, float, triangles *PL_LANE_TRIANGLE_ROWS *LANES),
      .edge_rows = PL_TAKE_RAW(arena, float, edges *PL_LANE_EDGE_ROWS *LANES),
      .triangle_boxes = PL_TAKE(arena, float, block_count_of((int64_t)triangles) * BOX_LANES),
      .edge_boxes = PL_TAKE(arena, float, block_count_of((int64_t)edges) * BOX_LANES),
  };
  if (arena->failed) return false;
  // Blocks after the last are far from everything.
  float *boxes = motion->packed->triangle_boxes;
  for (size_t i = 0; i < block_count_of((int64_t)triangles) * BOX_LANES; ++i)
    boxes[i] = i / VEC3_LANES % 2 == 0 ? HUGE_VALF : -HUGE_VALF;
  return true;
}

// Boxes that are far from everything.
static float *take_boxes(pl_arena *arena, size_t count) {
  float *boxes = PL_TAKE(arena, float, count *BOX_LANES);
  for (size_t i = 0; boxes != NULL && i < count * BOX_LANES; ++i)
    boxes[i] = i / VEC3_LANES % 2 == 0 ? HUGE_VALF : -HUGE_VALF;
  return boxes;
}

bool pl_lane_tets_take(pl_arena *arena, int32_t block_count, pl_lane_tets *tets) {
  size_t groups = block_count_of(block_count);
  *tets = (pl_lane_tets){.rows = PL_TAKE_RAW(arena, float, (size_t)block_count *PL_LANE_TET_ROWS *LANES),
                         .boxes = take_boxes(arena, groups),
                         .groups = take_boxes(arena, block_count_of((int64_t)groups))};
  return !arena->failed;
}

bool pl_lane_shape_take(pl_arena *arena, const pl_surface_tree *tree, pl_lane_shape *shape) {
  size_t groups = block_count_of((int64_t)block_count_of(tree->surface->triangle_count));
  *shape = (pl_lane_shape){.boxes = take_boxes(arena, groups)};
  shape->moved = PL_TAKE(arena, uint8_t, LANES * groups);
  shape->corners = PL_TAKE(arena, float, 3 * VEC3_LANES * block_count_of(tree->surface->triangle_count));
  shape->lanes = PL_TAKE(arena, float, VEC3_LANES *block_count_of(tree->surface->point_count));
  shape->places = (float(*)[4])PL_TAKE(arena, float, 4 * LANES * block_count_of(tree->surface->point_count));
  return !arena->failed;
}
