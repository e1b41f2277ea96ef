// A hierarchy of boxes over the triangles of a moving surface, with the neighbourhoods that nearest-point and side questions need.
//
// What depends on the triangles alone (order, rings) is built once per surface; what depends on the shape of the moment (points, boxes)
// belongs to a body and is refitted in every step. Answers do not depend on the shape the hierarchy was built for.
#ifndef PL_CONTACT_SURFACE_TREE_H
#define PL_CONTACT_SURFACE_TREE_H

#include "contact/contact.h"
#include "math/vec3.h"
#include "mesh/box_tree.h"

// Where a surface point is, given the particles.
pl_vec3 pl_contact_surface_point(const pl_contact_surface *surface, int32_t point, const pl_vec3 *particles);

typedef struct pl_surface_tree {
  const pl_contact_surface *surface;
  pl_box_tree boxes;          // over the triangles; its own boxes are those of the shape it was built for
  const int32_t *ring_start;  // point_count + 1: offsets into `ring`
  const int32_t *ring;        // triangles around each point, rising
  bool is_closed;             // every edge has one triangle on either side: inside and outside are defined
  double edge_length;         // mean at rest, metres; 0 without triangles
} pl_surface_tree;

// Build the tree over the surface points `points` (those of the rest shape if there are any) with memory from `arena`.
pl_status pl_surface_tree_build(pl_arena *arena, const pl_contact_surface *surface, const pl_vec3 *points, pl_surface_tree *tree,
                                pl_error *error);

// A surface in the course of one step.
typedef struct pl_surface_motion {
  const pl_surface_tree *tree;
  pl_vec3 *starts, *ends;  // surface points at the start and at the end of the step
  pl_box *boxes;           // one per node, around both
  pl_box box;              // around all points at both times
} pl_surface_motion;

// Fit the node boxes to the points.
void pl_surface_motion_refit(pl_surface_motion *motion);

// Nearest point on the surface at the end of the step, no farther than `limit`; triangle -1 if there is none. Among equals the
// lowest triangle wins. With `facing` (NULL: any), only triangles count that a surface with that outward normal can lie against.
pl_hit pl_surface_motion_nearest(const pl_surface_motion *motion, pl_vec3 point, double limit, const pl_vec3 *facing);

// Outward direction (not unit) at a hit, which tells inside from outside for any point whose nearest one it is.
pl_vec3 pl_surface_motion_outward(const pl_surface_motion *motion, const pl_hit *hit);

// Outward direction (not unit) at a surface point at the end of the step; zero for a point of no triangle.
pl_vec3 pl_surface_motion_point_normal(const pl_surface_motion *motion, int32_t point);

// Can a surface with outward normal `facing` lie against this triangle?
bool pl_surface_motion_is_facing(const pl_surface_motion *motion, int32_t triangle, pl_vec3 facing);

// Call `visit` for every triangle in a leaf whose box meets `box`.
typedef void pl_surface_visit(void *data, int32_t triangle);
void pl_surface_motion_visit(const pl_surface_motion *motion, pl_box box, pl_surface_visit *visit, void *data);

// Corners of a triangle at the start or at the end of the step.
static inline void pl_surface_corners(const pl_surface_tree *tree, const pl_vec3 *points, int32_t triangle, pl_vec3 corners[3]) {
  for (int k = 0; k < 3; ++k) corners[k] = points[tree->surface->triangles[3 * triangle + k]];
}

#endif
