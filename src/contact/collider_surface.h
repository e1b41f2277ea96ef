// The surface of a collider, as faces and edges of bodies touch it.
//
// Points of bodies ask the signed distance of a collider. That says nothing of what lies between
// them: a post under the middle of a face, or the rim of a table across it, goes through. So the
// points of the collider are looked up among the triangles of the body, and its edges among those
// of the body, as between two bodies (contact_faces.c).
//
// Boxes and meshes have their corners and edges. A sphere is a point with a radius around it, a
// capsule several along its axis.
#ifndef PL_CONTACT_COLLIDER_SURFACE_H
#define PL_CONTACT_COLLIDER_SURFACE_H

#include "contact/collider.h"
#include "contact/surface_motion.h"

struct pl_collider_surface {
  pl_contact_surface form;  // points in the collider's own frame are `form.rest_points`
  pl_surface_tree tree;
  double radius;  // around each point, metres; 0 where there are triangles
  // How sharp the surface is at each point: the largest angle by which it falls away over an edge
  // there, radians, and the largest ratio of such an angle to the edge's length, 1/m. Both are 0
  // where it is flat or hollow. NULL where there is a radius.
  const double *angles, *curvatures;
  double max_angle, max_curvature;  // of all points
  // Written by the contact solver: where the surface is in the course of a step.
  pl_surface_motion motion;
  pl_transform start, end;  // what it was placed for
  bool is_placed;
};

// Make the surface of a collider that has an end, in the collider's arena.
pl_status pl_collider_surface_build(pl_collider *collider, pl_error *error);

// How deep, in metres, a triangle with edges of length `size` may be in the collider at one of its
// points while its corners are outside, about.
double pl_collider_surface_sag(const pl_collider_surface *surface, int32_t point, double size);

// The same for all points.
double pl_collider_surface_max_sag(const pl_collider_surface *surface, double size);

// Place it for a step, unless it is.
void pl_collider_surface_place(pl_collider_surface *surface, pl_transform start, pl_transform end);

#endif
