// What the searches for crossings share (contact_zone_search.c, contact_zone_large.c).
#ifndef PL_CONTACT_ZONE_SEARCH_H
#define PL_CONTACT_ZONE_SEARCH_H

#include "contact/contact_solver.h"
#include "contact/contact_zones.h"

// The edges of a among the triangles of b.
typedef struct pl_zone_side {
  const pl_zone_check *check;
  int32_t a, b;
  pl_box region;  // where both surfaces are
} pl_zone_side;

static inline const pl_surface_motion *pl_zone_motion(const pl_zone_side *s, int32_t body) {
  return &s->check->memory->motions[body];
}

// The points of a body at the moment of the look.
static inline const pl_vec3 *pl_zone_points(const pl_zone_side *s, int32_t body) {
  const pl_surface_motion *motion = pl_zone_motion(s, body);
  return s->check->at_start ? motion->starts : motion->ends;
}

static inline bool pl_zone_is_empty(pl_box box) {
  return !(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z);
}

// Where both bodies of a look are, or what moved of one and the other.
pl_box pl_zone_region(const pl_zone_check *check, bool only_moved);

// Does an edge pass through a triangle at the start or at the end of the step?
bool pl_zone_pierces(const pl_zone_side *side, const pl_surface_edge *edge, int32_t triangle,
                     bool at_start, double tolerance);

// Does it in a way that counts? Then it is handed over.
bool pl_zone_compare(const pl_zone_side *side, const pl_surface_edge *edge, int32_t triangle);

// Compare two large bodies.
bool pl_zone_search_large(const pl_zone_side *side);

#endif
