// A surface in the course of one step: boxes and normals refitted to where its points are, and the
// questions asked of it.
//
// Boxes are in the surface's own frame: that which moves along with the mean of its points and is
// where the world is at the end of the step. A falling body stands still in it, so its boxes are no
// larger than its triangles, and neither are those of two bodies that fall together. Whether and
// when a point meets a triangle is the same in every frame.
#ifndef PL_CONTACT_SURFACE_MOTION_H
#define PL_CONTACT_SURFACE_MOTION_H

#include "contact/surface_tree.h"
#include "contact/tet_map.h"

typedef struct pl_lane_surface pl_lane_surface;
typedef struct pl_surface_extents pl_surface_extents;
typedef struct pl_zone_workspace pl_zone_workspace;

typedef struct pl_surface_motion {
  const pl_surface_tree *tree;
  pl_vec3 *starts, *ends;  // surface points at the start and at the end of the step, in the world
  pl_box start_box, end_box;  // around all of them
  // mean of end - start: added to a position at the start, it is in the surface's frame
  pl_vec3 drift;
  pl_box *boxes;           // one per node, around start and end in the surface's frame
  pl_box *triangle_boxes;  // alike, one per triangle in the order of the leaves
  // unit, one per triangle, at the end of the step; zero for a triangle without area
  pl_vec3 *normals;
  pl_box *normal_boxes;  // one per node, around the normals below it
  // Of a small surface: its points eight at a time in single precision, start in the surface's
  // frame and end, relative to `origin`, [lane_block_count][2][3][8]. No blocks for a large one.
  float *lanes;
  int32_t lane_block_count;
  bool is_finite;  // all points of the lanes are numbers at both ends of the step
  pl_vec3 origin;
  // Of a small surface: how far the points of its lanes reach along a few fixed directions
  // (pair_axis.h).
  pl_surface_extents *extents;
  pl_lane_surface *packed;  // its triangles and sharp edges (pair_lanes.h); NULL for a large one
  pl_zone_workspace
      *zone_workspace;  // of a large surface: what looks at it are taken with (contact_zones.h)
  bool has_tets;        // the volume inside is known, and points are looked up in it
} pl_surface_motion;

// Are the points of a body whose volume is known closer to each other than it is thick?
static inline bool pl_surface_motion_is_fine(const pl_surface_motion *motion) {
  return motion->tree->surface->tet_map->depth > motion->tree->edge_length;
}

// Whether a body of tets is thinner than that.
static inline bool pl_surface_motion_is_thin(const pl_surface_motion *motion) {
  return motion->tree->surface->tet_map != NULL && !pl_surface_motion_is_fine(motion);
}

// Surfaces with more points than this have no lanes.
enum { PL_SURFACE_LANE_POINTS = 512 };

// Fill the lanes, if there are any, and find whether they are finite.
void pl_surface_motion_fill_lanes(pl_surface_motion *motion);

// Take the arrays for a motion of `tree` from the arena: those per point, and then, after those of
// other bodies, those per triangle and node. In a heap the first are asked for all the time and the
// others hardly ever; side by side they are on a tenth of the pages. False when out of memory.
bool pl_surface_motion_take(pl_arena *arena, const pl_surface_tree *tree,
                            pl_surface_motion *motion);
bool pl_surface_motion_take_boxes(pl_arena *arena, pl_surface_motion *motion);

// Compute the normals, for the questions below that need them.
void pl_surface_motion_fit_normals(pl_surface_motion *motion);

// Fit the boxes to the points, whose own boxes and drift are there, and compute the normals.
void pl_surface_motion_refit(pl_surface_motion *motion);
void pl_surface_motion_refit_boxes(pl_surface_motion *motion);  // the boxes alone

// Then fit the boxes around the normals.
void pl_surface_motion_refit_normals(pl_surface_motion *motion);

// Nearest point on the surface at the end of the step, no farther than `limit`; triangle -1 if
// there is none. Among equals the lowest triangle wins. With `facing` (NULL: any), only triangles
// count that a surface with that outward normal can lie against.
pl_hit pl_surface_motion_nearest(const pl_surface_motion *motion, pl_vec3 point, double limit,
                                 const pl_vec3 *facing);

// The same among some triangles only.
pl_hit pl_surface_motion_nearest_of(const pl_surface_motion *motion, pl_vec3 point, double limit,
                                    const pl_vec3 *facing, const int32_t *triangles, int32_t count);

// Outward direction (not unit) at a hit, which tells inside from outside for any point whose
// nearest one it is.
pl_vec3 pl_surface_motion_outward(const pl_surface_motion *motion, const pl_hit *hit);

// Outward direction (not unit) at a surface point at the end of the step; zero for a point of no
// triangle.
pl_vec3 pl_surface_motion_point_normal(const pl_surface_motion *motion, int32_t point);

// Can a surface with outward normal `facing` lie against this triangle?
bool pl_surface_motion_is_facing(const pl_surface_motion *motion, int32_t triangle, pl_vec3 facing);

// A box around the normals (from refit_normals) of the triangles around a point. Its outward
// direction is a sum of these with positive weights, and so faces no triangle that none of them
// faces.
pl_box pl_surface_motion_ring_normals(const pl_surface_motion *motion, int32_t point);

// Least product of numbers from two intervals.
static inline double pl_min_product(double min_a, double max_a, double min_b, double max_b) {
  double p = min_a * min_b, q = min_a * max_b, r = max_a * min_b, s = max_a * max_b;
  double low = p < q ? p : q, high = r < s ? r : s;
  return low < high ? low : high;
}

// Is there a pair of directions, one from each box, at more than a right angle? Never a wrong no.
static inline bool pl_normal_boxes_may_face(const pl_box *a, const pl_box *b) {
  double min = pl_min_product(a->min.x, a->max.x, b->min.x, b->max.x) +
               pl_min_product(a->min.y, a->max.y, b->min.y, b->max.y) +
               pl_min_product(a->min.z, a->max.z, b->min.z, b->max.z);
  // A sum of directions is rounded: what is within that of a right angle may face.
  return !(min > 1e-12);
}

// Triangles that neighbouring points may ask for: found once, then each point tests only these. It
// is a list to run through rather than a tree to walk: with coordinates side by side, four boxes
// are compared at a time and no branch is taken for those not met.
enum { PL_SURFACE_FRONT = 256 };
typedef struct pl_surface_front {
  int32_t count;
  int32_t items[PL_SURFACE_FRONT];  // triangles; ~node where all below a node would not fit
  pl_vec3 origin;                   // of the coordinates below, …
  float min[3][PL_SURFACE_FRONT],
      max[3][PL_SURFACE_FRONT];  // … which are the items' boxes, rounded outwards
} pl_surface_front;

// Gather the triangles whose boxes meet `box` (in the surface's frame) and, unless `normals` is
// NULL, may face a direction in that box.
void pl_surface_motion_gather(const pl_surface_motion *motion, pl_box box, const pl_box *normals,
                              pl_surface_front *front);

// Put one more thing with its box on a front of the caller's own making, which has room for it.
void pl_surface_front_add(pl_surface_front *front, int32_t item, const pl_box *box);

// List the items of a front whose boxes meet `box`; returns their number. A few more may be listed.
int32_t pl_surface_front_list(const pl_surface_front *front, pl_box box,
                              int32_t items[PL_SURFACE_FRONT]);

// Does the box meet that of any triangle of the front? It may be a false yes, never a false no.
bool pl_surface_front_is_met(const pl_surface_front *front, pl_box box);

// Call `visit` at least for every triangle of the front whose own box meets `box`, and once for
// each.
typedef void pl_surface_visit(void *data, int32_t triangle);
void pl_surface_motion_visit(const pl_surface_motion *motion, const pl_surface_front *front,
                             pl_box box, pl_surface_visit *visit, void *data);

// Grow a box to hold a point, or another box. A coordinate that is not a number is passed over, as
// pl_box_add_point() does, but without its calls of fmin and fmax: refitting is little else.
static inline void pl_box_cover(pl_box *box, pl_vec3 p) {
  box->min.x = p.x < box->min.x ? p.x : box->min.x;
  box->min.y = p.y < box->min.y ? p.y : box->min.y;
  box->min.z = p.z < box->min.z ? p.z : box->min.z;
  box->max.x = p.x > box->max.x ? p.x : box->max.x;
  box->max.y = p.y > box->max.y ? p.y : box->max.y;
  box->max.z = p.z > box->max.z ? p.z : box->max.z;
}
static inline void pl_box_cover_box(pl_box *box, const pl_box *other) {
  box->min.x = other->min.x < box->min.x ? other->min.x : box->min.x;
  box->min.y = other->min.y < box->min.y ? other->min.y : box->min.y;
  box->min.z = other->min.z < box->min.z ? other->min.z : box->min.z;
  box->max.x = other->max.x > box->max.x ? other->max.x : box->max.x;
  box->max.y = other->max.y > box->max.y ? other->max.y : box->max.y;
  box->max.z = other->max.z > box->max.z ? other->max.z : box->max.z;
}

// The box that covers all of these.
pl_box pl_box_of_points(const pl_vec3 *points, int32_t count);

// The box, in the frame of `motion`, around what is in `start` at the start of the step and in
// `end` at its end.
static inline pl_box pl_surface_motion_frame_box(const pl_surface_motion *motion, pl_box start,
                                                 pl_box end) {
  pl_box box = {pl_vec3_add(start.min, motion->drift), pl_vec3_add(start.max, motion->drift)};
  pl_box_cover_box(&box, &end);
  return box;
}

#endif
