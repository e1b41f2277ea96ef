// Triangles and edges of a small surface that may touch another, eight at a time.
//
// Single precision, in the frame of the touched surface and relative to its origin
// (surface_motion.h). These are filters: nothing that they leave out can touch, whatever the
// rounding, and the rest is computed again in double precision. So contacts are those of a search
// without them, bit for bit.
#ifndef PL_CONTACT_PAIR_LANES_H
#define PL_CONTACT_PAIR_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "contact/pair_axis.h"

// The most triangles of a surface that may touch another; with more, trees are asked. They are kept
// on the stack.
enum { PL_LANE_TRIANGLES = 256, PL_LANE_BLOCKS = PL_LANE_TRIANGLES / 8 };

// The edges of a surface are worked on in parts of at most this many.
enum { PL_LANE_EDGES = 96, PL_LANE_EDGE_BLOCKS = PL_LANE_EDGES / 8 };

// The part of space where two surfaces can touch: a box, and on one side of a plane.
typedef struct pl_lane_region {
  float start_shift[3],
      end_shift[3];  // added to a surface's lanes: into the frame of the touched one
  float min[3], max[3];
  float normal[3], height;  // positions with normal . x > height are outside
} pl_lane_region;

// Rows of a block of triangles.
enum {
  PL_LANE_BOX = 0,        // min x, y, z, max x, y, z in the course of the step
  PL_LANE_START = 6,      // first corner at the start
  PL_LANE_END = 9,        // … and at the end
  PL_LANE_VOLUMES = 12,   // n0, n1, n2: normal e x f at time t is n0 + n1 t + n2 t²
  PL_LANE_AREA = 21,      // |n0|
  PL_LANE_SIDES = 22,     // e, f at the end
  PL_LANE_ERROR = 28,     // metres that the distance of a point may be off by
  PL_LANE_ROUNDING = 29,  // cubic metres that a volume r . (e x f) may be off by
  PL_LANE_TURNED = 30,    // n0 x e and f x n0, at the start and at the end
  PL_LANE_AREAS = 42,     // Bernstein coefficients of n0 . (e x f)
  PL_LANE_MISS = 45,      // square metres times |n0|: what n0 . (e x r) may be off by
  PL_LANE_TRIANGLE_ROWS = 46,
};

typedef struct pl_lane_triangles {
  int32_t count;  // the last block is filled up with the last triangle
  int32_t items[PL_LANE_TRIANGLES];
  float rows[PL_LANE_BLOCKS][PL_LANE_TRIANGLE_ROWS][8] __attribute__((aligned(32)));
} pl_lane_triangles;

// A point's path that may cross triangles.
typedef struct pl_lane_path {
  float start[3], end[3];
  float reach;        // metres: farther triangles are not crossed
  bool is_two_sided;  // triangles are also crossed from behind
} pl_lane_path;

// Rows of a block of edges.
enum {
  PL_LANE_EDGE_BOX = 0,
  // at the start: first end, unit direction, how both triangles fall away (unit), length
  PL_LANE_EDGE_START = 6,
  PL_LANE_EDGE_END = 19,       // the same at the end
  PL_LANE_EDGE_TURN = 32,      // length of the difference of both directions
  PL_LANE_EDGE_ROUNDING = 33,  // … and of what rounding does to directions
  PL_LANE_EDGE_ROWS = 34,
};

typedef struct pl_lane_edges {
  int32_t count;
  int32_t items[PL_LANE_EDGES];
  int sharp[PL_LANE_EDGE_BLOCKS];  // bits of those that are sharp
  float rows[PL_LANE_EDGE_BLOCKS][PL_LANE_EDGE_ROWS][8] __attribute__((aligned(32)));
} pl_lane_edges;

// Where edges may touch.
typedef struct pl_lane_reach {
  float limit;   // metres: edges that do not cross are not farther apart at either end of the step
  float depth;   // metres times the length of the shorter edge: alike
  float extent;  // largest coordinate
} pl_lane_reach;

typedef struct pl_lane_kernels {
  // Sides of a region that a point is beyond all step long, as bits; 0: it may be inside. One per
  // point of the lanes.
  void (*classify)(const float *lanes, int32_t block_count, const pl_lane_region *region,
                   int32_t *codes);
  // Fill the rows of triangles whose `items` and `count` are there. `extent`: the largest
  // coordinate.
  void (*pack)(const float *lanes, const int32_t *corners, float extent,
               pl_lane_triangles *triangles);
  // List the triangles that a point may cross; returns their number.
  int32_t (*list_crossed)(const pl_lane_triangles *triangles, const pl_lane_path *path,
                          int32_t *crossed);
  // List the triangles that may be the nearest to a position at the end of the step, no farther
  // than `limit`; returns their number.
  int32_t (*list_nearest)(const pl_lane_triangles *triangles, const float position[3], float limit,
                          int32_t *nearest);
  // Fill the rows of edges whose `items` and `count` are there, in the frame that the region shifts
  // to. `min_sine`: of the angle between the triangles of an edge that is sharp; negative: of a
  // fold to either side.
  void (*pack_edges)(const pl_surface_motion *motion, const pl_lane_region *region, float extent,
                     float min_sine, pl_lane_edges *edges);
  // List the edges that edge `index` of `a` may touch; returns their number.
  int32_t (*list_edges)(const pl_lane_edges *a, int32_t index, const pl_lane_edges *b,
                        const pl_lane_reach *reach, int32_t *touched);
} pl_lane_kernels;

extern const pl_lane_kernels pl_lane_kernels_plain, pl_lane_kernels_avx2;

// Those for this machine; results are the same.
const pl_lane_kernels *pl_lane_kernels_get(void);

#endif
