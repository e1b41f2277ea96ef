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
#include "contact/tet_map.h"
#include "math/f4.h"

// Surfaces with more triangles than this have no lanes. What may touch a point or an edge is kept
// on the stack.
enum { PL_LANE_TRIANGLES = 1024, PL_LANE_BLOCKS = PL_LANE_TRIANGLES / 8 };
enum { PL_LANE_EDGES = 3 * PL_LANE_TRIANGLES };

// The part of space where two surfaces can touch: a box, and on one side of a plane.
typedef struct pl_lane_region {
  float start_shift[3],
      end_shift[3];  // added to a surface's lanes: into the frame of the touched one
  float min[3], max[3];
  float normal[3], height;  // positions with normal . x > height are outside
} pl_lane_region;

// Where a body is at the end of the step: a box, and how far it reaches along the fixed directions
// of pair_axis.h.
typedef struct pl_lane_hull {
  float shift[3];  // added to a surface's lanes: into the frame of the body
  float min[3], max[3];
  float direction_min[PL_PAIR_DIRECTIONS], direction_max[PL_PAIR_DIRECTIONS];
} pl_lane_hull;

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

// A point's path that may cross triangles.
typedef struct pl_lane_path {
  float start[3], end[3];
  float reach;        // metres: farther triangles are not crossed
  float extent;       // metres: largest coordinate of the two surfaces where they meet
  bool is_two_sided;  // triangles are also crossed from behind
} pl_lane_path;

// A position at the end of the step that asks for the nearest triangles, no farther than `limit`.
typedef struct pl_lane_position {
  float position[3];
  float limit;
  float extent;     // as above
  bool has_facing;  // only triangles count whose normal is against …
  float facing[3];  // … this direction, unit
} pl_lane_position;

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

// A small surface in the course of one step: all its triangles and its sharp edges, in blocks of
// eight neighbours, in its own frame. A box around each block rules it out as a whole.
struct pl_lane_surface {
  float extent;  // metres: largest coordinate that the rounding in the rows is for
  int32_t triangle_count, edge_count;
  // Of the model, for gathering: the corners of each block of triangles, [block][3][8], and of each
  // block of all edges, sharp or not, [block][ends and opposite corners][8]
  const int32_t *triangle_corners, *edge_corners;
  const uint8_t *borders;            // bits of the edges of each block that have one triangle only
  const int32_t *triangles;          // their numbers, in the order of the blocks
  int32_t *edges;                    // alike, of those that are sharp
  float *triangle_rows, *edge_rows;  // [block][rows][8]
  float *triangle_boxes, *edge_boxes;  // [block / 8][min x, y, z, max x, y, z][8]
};

// Take the memory; without any where the surface is not small. Corners are those of `other`, a
// surface with the same tree, unless it is NULL. False when out of memory.
bool pl_lane_surface_take(pl_arena *arena, pl_surface_motion *motion, const pl_lane_surface *other);

// Where edges may touch.
typedef struct pl_lane_reach {
  float start_shift[3], end_shift[3];  // added to the lanes of the searching surface
  float limit;  // metres: edges that do not cross are not farther apart at either end of the step
  float depth;  // metres times the length of the shorter edge: alike
  float rise;   // how far triangles may rise towards the other edge, as a fraction of their heights
  float extent;  // largest coordinate
} pl_lane_reach;

// Rows of a block of tets.
enum {
  PL_LANE_TET_CORNER = 0,     // the first corner
  PL_LANE_TET_GRADIENTS = 3,  // of the weights of the other three
  PL_LANE_TET_FACES = 12,     // one over the height above each face on the surface; 0: inside
  PL_LANE_TET_ROWS = 16,
};

// The tets of a small body at the end of a step.
typedef struct pl_lane_tets {
  pl_vec3 origin;  // of the positions in the rows
  float *rows;     // [block][rows][8]
  float *boxes;    // of the blocks, [block / 8][min x, y, z, max x, y, z][8]
  float *groups;   // boxes around eight blocks each, [block / 64][min x, y, z, max x, y, z][8]
} pl_lane_tets;

// Up to eight positions that are looked up in these, and what is found.
typedef struct pl_lane_lookup {
  int32_t count;
  float limit;  // metres: they may be as far outside of the surface
  // x, y, z relative to the origin; finite, those after the last too
  float positions[3][8] __attribute__((aligned(32)));
  int32_t tets[8];      // out: the one that each is deepest in; -1: none
  float weights[8][4];  // and its weights there
} pl_lane_lookup;

// Take the memory for the tets of maps of up to as many blocks. False when out of memory.
bool pl_lane_tets_take(pl_arena *arena, int32_t block_count, pl_lane_tets *tets);

// Where the surfaces of two bodies overlap, for edges that pass through triangles.
typedef struct pl_lane_overlap {
  pl_vec3 origin;        // of all positions in single precision
  float min[3], max[3];  // the box that both are in
  float normal[3];       // unit, or zero: a direction along which they may be apart
} pl_lane_overlap;

// The points of a surface there. What all corners of an edge or triangle have a bit of their codes
// in common of is outside.
typedef struct pl_lane_points {
  int32_t count;
  float extent;     // metres: largest coordinate
  float low, high;  // smallest and largest height along the normal
  float places[PL_SURFACE_LANE_POINTS][4] __attribute__((aligned(32)));
  float heights[PL_SURFACE_LANE_POINTS] __attribute__((aligned(32)));
  int32_t codes[PL_SURFACE_LANE_POINTS] __attribute__((aligned(32)));
} pl_lane_points;

// Rows of a block of triangles that edges may pass through.
enum {
  PL_LANE_PIERCED_BOX = 0,      // min x, y, z, max x, y, z
  PL_LANE_PIERCED_CORNERS = 6,  // three
  PL_LANE_PIERCED_NORMAL = 15,  // e x f
  PL_LANE_PIERCED_LIMIT = 18,   // cubic metres: ends of edges with less volume are not through
  PL_LANE_PIERCED_ROWS = 19,
};

// Some triangles of a surface, in blocks of eight.
enum { PL_LANE_PIERCED = 256, PL_LANE_PIERCED_BLOCKS = PL_LANE_PIERCED / 8 };
typedef struct pl_lane_pierced {
  int32_t count;
  int32_t triangles[PL_LANE_PIERCED];     // their numbers; those of a block should be neighbours
  uint8_t moved[PL_LANE_PIERCED_BLOCKS];  // bits of those of each block that moved
  float rows[PL_LANE_PIERCED_BLOCKS][PL_LANE_PIERCED_ROWS][8] __attribute__((aligned(32)));
  // of the blocks, [block / 8][min x, y, z, max x, y, z][8]
  float boxes[PL_LANE_PIERCED_BLOCKS * 6] __attribute__((aligned(32)));
} pl_lane_pierced;

// A surface of any size at one moment.
enum { PL_LANE_BOX_ROWS = 6 };
typedef struct pl_lane_shape {
  pl_vec3 origin;      // of all positions in single precision
  float extent;        // metres: largest coordinate
  float (*places)[4];  // the points, …
  float *lanes;        // … and eight side by side, [block][3][8]
  // of eight triangles each, in the order of the leaves, [block / 8][min x, y, z, max x, y, z][8]
  float *boxes;
  float *corners;  // of the same, [block][3][3][8]
  uint8_t *moved;  // bits of those of each eight that have a point that moved
} pl_lane_shape;

// Take the memory for the shape of a surface. False when out of memory.
bool pl_lane_shape_take(pl_arena *arena, const pl_surface_tree *tree, pl_lane_shape *shape);

// A part of space: a box, and between two heights along a direction.
typedef struct pl_lane_slab {
  float min[3], max[3];
  float normal[3], low, high;
} pl_lane_slab;

// Neighbouring edges that ask together which triangles of another surface they may pass through.
enum { PL_LANE_ASKING = 24 };
typedef struct pl_lane_asking {
  int32_t count;
  int32_t points[2][PL_LANE_ASKING];  // first and second ends; any points after the last edge
  float shift[3];                     // added to places: into the frame of the asked surface
  uint32_t asks;                      // bits of the edges that ask, …
  uint32_t asks_all;     // … of those that ask all triangles, others ask those in …
  const uint8_t *moved;  // … these bits of blocks; NULL: none
  pl_lane_slab
      slab;         // edges outside do not ask, and triangles outside of its heights are not asked
  float tolerance;  // metres: ends of edges that are nearer are not through
  float error;      // metres that a difference of places of both surfaces may be off by
} pl_lane_asking;

// Number of an edge among those that ask, and of a triangle in the order of the leaves.
typedef struct pl_lane_passing {
  int32_t edge, leaf;
} pl_lane_passing;
enum { PL_LANE_PASSING = 2048 };

// Bytes of points that are beyond one side of each of eight regions, so of none that counts.
#define PL_LANE_NO_SIDES UINT64_C(0x0101010101010101)

typedef struct pl_lane_kernels {
  // Fill the lanes of one end of the step with points relative to an origin; the last block is
  // filled up with its last point. `lanes` of this and the next: [block][2][3][8], of which they
  // use the first of two.
  void (*fill_lanes)(const pl_vec3 *points, int32_t count, pl_vec3 origin, float *lanes);
  // Smallest and largest heights of these along the fixed directions.
  void (*fill_extents)(const float *lanes, int32_t block_count, float min[PL_PAIR_DIRECTIONS],
                       float max[PL_PAIR_DIRECTIONS]);
  // Are two surfaces farther apart than `min_gap` along one of these, by their extents? `offset`:
  // from the origin of the lower to that of the upper, `shift` is added to starts of the upper.
  bool (*are_apart)(const pl_surface_extents *upper, const pl_surface_extents *lower,
                    const float offset[3], const float shift[3], float min_gap);
  // The point of the lanes that is lowest along a normal at either end of the step, and its height;
  // `shift` is added to heights at the start.
  int32_t (*find_lowest)(const float *lanes, int32_t block_count, const float normal[3],
                         float shift, float *height);
  // Sides of a region that a point is beyond all step long, as bits; 0: it may be inside. One per
  // point of the lanes.
  void (*classify)(const float *lanes, int32_t block_count, const pl_lane_region *region,
                   int32_t *codes);
  // Fill the blocks of the triangles of a surface whose lanes are filled, or those of its sharp
  // edges. `min_sine`: of the angle between the triangles of an edge that is sharp; negative: of a
  // fold to either side. `sides`, one per point: a byte per region, the code of the point; only
  // edges are filled that are not beyond a side of every region. NULL: all.
  void (*pack_triangles)(const pl_surface_motion *motion);
  void (*pack_edges)(const pl_surface_motion *motion, float min_sine, const uint64_t *sides);
  // List the triangles that a point may cross; returns their number.
  int32_t (*list_crossed)(const pl_lane_surface *surface, const pl_lane_path *path,
                          int32_t *crossed);
  // List the triangles that may be the nearest to a position; returns their number.
  int32_t (*list_nearest)(const pl_lane_surface *surface, const pl_lane_position *position,
                          int32_t *nearest);
  // List the edges of `b` that sharp edge `index` of `a` may touch; returns their number.
  int32_t (*list_edges)(const pl_surface_motion *a, int32_t index, const pl_surface_motion *b,
                        const pl_lane_reach *reach, int32_t *touched);
  // Fill the blocks of the tets between `count` particles; `origin` is there.
  void (*pack_tets)(const pl_tet_map *map, const pl_vec3 *positions, int32_t count,
                    pl_lane_tets *tets);
  // The tets that positions are deepest in.
  void (*find_tets)(const pl_tet_map *map, const pl_lane_tets *tets, pl_lane_lookup *lookup);
  // List the points of the lanes that end the step within the hull of a body, perhaps the last
  // several times; returns their number.
  int32_t (*list_points)(const float *lanes, int32_t block_count, const pl_lane_hull *hull,
                         int32_t *points);
  // List the items of a front whose boxes meet one; returns their number.
  int32_t (*list_front)(const pl_surface_front *front, const float low[3], const float high[3],
                        int32_t *items);
  // Fill the places, heights and codes of some points, by the sides of the box that they are
  // beyond.
  void (*place_points)(const pl_vec3 *points, int32_t count, const pl_lane_overlap *overlap,
                       pl_lane_points *to);
  // Add codes by the heights that they are beyond.
  void (*clip_points)(pl_lane_points *points, float low, float high);
  // Fill the rows of the triangles that are named. `tolerance`, metres: ends of edges that are
  // nearer are not through; `extent`, metres: twice the largest coordinate.
  void (*pack_pierced)(const pl_lane_points *points, const int32_t *corners, float tolerance,
                       float extent, pl_lane_pierced *pierced);
  // List the triangles that an edge may pass through, rising; returns their number. `by_moved`: of
  // those that moved.
  int32_t (*list_pierced)(const pl_lane_pierced *pierced, const float first[3],
                          const float second[3], float extent, bool by_moved, int32_t *list);
  // Fill a shape with points, of which some moved; its origin is there.
  void (*fit_shape)(const pl_surface_tree *tree, const pl_vec3 *points, const bool *moved,
                    pl_lane_shape *shape);
  // The point of a shape that is lowest along a normal, and its height.
  int32_t (*find_deepest)(const pl_lane_shape *shape, int32_t point_count, const float normal[3],
                          float *height);
  // The bits of those of eight boxes of a shape that are within a slab.
  int (*find_met)(const float *boxes, const pl_lane_slab *slab);
  // List what edges of `own` may pass through of `shape`, by leaves, those of one edge rising, from
  // block `next` on, which becomes that after the last which was asked: the list may be full before
  // the end. Returns the number.
  int32_t (*list_passed)(const pl_lane_shape *own, const pl_lane_asking *asking,
                         const pl_surface_tree *tree, const pl_lane_shape *shape, int32_t *next,
                         pl_lane_passing *list);
} pl_lane_kernels;

extern const pl_lane_kernels pl_lane_kernels_plain, pl_lane_kernels_avx2;

// Those for this machine; results are the same.
const pl_lane_kernels *pl_lane_kernels_get(void);

#endif
