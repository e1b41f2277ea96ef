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

bool pl_lane_surface_take(pl_arena *arena, pl_surface_motion *motion) {
  const pl_surface_tree *tree = motion->tree;
  if (tree->surface->triangle_count > PL_LANE_TRIANGLES) motion->lane_block_count = 0;
  if (motion->lane_block_count == 0) return true;
  size_t triangles = block_count_of(tree->surface->triangle_count), edges = block_count_of(tree->edge_count);
  motion->packed = PL_TAKE(arena, pl_lane_surface, 1);
  if (motion->packed == NULL) return false;
  *motion->packed = (pl_lane_surface){
      .triangle_count = tree->surface->triangle_count,
      .triangles = tree->boxes.order,
      .edges = PL_TAKE(arena, int32_t, tree->edge_count),
      .triangle_rows = PL_TAKE(arena, float, triangles *PL_LANE_TRIANGLE_ROWS *LANES),
      .edge_rows = PL_TAKE(arena, float, edges *PL_LANE_EDGE_ROWS *LANES),
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
