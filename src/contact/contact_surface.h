// One moving point against the moving triangles of a body, for the files that search them
// (contact_surface.c, contact_slab.c).
#ifndef PL_CONTACT_CONTACT_SURFACE_H
#define PL_CONTACT_CONTACT_SURFACE_H

#include "contact/contact_solver.h"

// A point that starts this fraction of an edge below a surface still enters it through the triangle
// above its start. Where it ends, pressed by its own body, another face may be nearer, which would
// push it out through the wrong side.
static const double PL_START_EDGES = 0.1;
// Fraction of an edge within which a triangle that the point can lie against is preferred.
static const double PL_FACING_EDGES = 0.1;

typedef struct pl_surface_search {
  const pl_contact_query *query;
  const pl_surface_motion *motion;  // of the touched body
  int32_t other;
  bool is_self;
  double gap;  // metres kept between the two surfaces
  // Largest coordinate of the two surfaces where they meet, if the touched one is packed
  // (pair_lanes.h); otherwise 0.
  double packed_extent;
  // Outward normal of the point's own surface, asked for only near a contact. It counts when both
  // surfaces are closed.
  bool is_facing_known, has_facing;
  pl_vec3 facing;
  // First crossing.
  double crossing_time, crossing_gap;
  pl_vec3 crossing_normal;
  bool is_crossing_facing;
  int32_t crossing_triangle;  // -1: none yet
  double crossing_weights[3];
  // Nearest triangle of the same body that counts, and a box around the normals at the point if the
  // surface is closed.
  pl_hit nearest;
  pl_box ring_normals;
} pl_surface_search;

// Where a point leaves another body.
typedef struct pl_surface_exit {
  int32_t point;
  pl_contact_place place;
  pl_vec3 normal;
} pl_surface_exit;

// Metres that are kept between two bodies.
static inline double pl_contact_gap_between(const pl_contact_group *group, int32_t other) {
  return group->bodies[group->body].radius + group->bodies[other].radius;
}

static inline void pl_lane_set_floats(float to[3], pl_vec3 a) {
  to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z;
}

pl_surface_search pl_surface_search_of(const pl_contact_query *query, int32_t other);

// Note that the point crosses a triangle, if it is the first; `data` is the search.
void pl_surface_visit_crossing(void *data, int32_t triangle);

// The nearest triangle of a packed surface, as pl_surface_motion_nearest() finds it.
pl_hit pl_surface_nearest_packed(const pl_surface_search *s, pl_vec3 position, double limit,
                                 const pl_vec3 *facing);

// Whether the point ends behind the surface at its nearest place.
bool pl_surface_is_behind(const pl_surface_search *s, const pl_hit *hit);

// The nearest surface point, or what to touch instead; false where the point is neither inside the
// other body nor too close.
bool pl_surface_find_exit(pl_surface_search *s, const pl_hit *hit, bool is_behind,
                          double facing_reach, pl_surface_exit *out);

// The same for the triangle that is crossed first; false where the point may go back.
bool pl_surface_find_crossed_exit(pl_surface_search *s, double facing_reach, pl_surface_exit *out);

// Add the contact.
void pl_surface_add_exit(const pl_surface_search *s, const pl_surface_exit *out);

#endif
