// Where the surfaces of bodies pass through each other, for checks: edges of one that pierce
// triangles of another, or of the same.
#ifndef PL_CONTACT_INTERSECT_H
#define PL_CONTACT_INTERSECT_H

#include "contact/contact.h"

// An edge through a triangle.
typedef struct pl_contact_intersection {
  int32_t edge_body, points[2];     // of the edge
  int32_t triangle_body, triangle;  // that it passes through
  pl_vec3 position;                 // where
} pl_contact_intersection;

// Does the edge pq pass through the triangle c, with its ends farther than `tolerance` from the
// plane? `position` becomes where.
bool pl_contact_pierces(pl_vec3 p, pl_vec3 q, const pl_vec3 c[3], double tolerance,
                        pl_vec3 *position);

// What is wanted, and what was found.
typedef struct pl_contact_intersections {
  // metres: edges that end within this distance of the triangle's plane, on either side, do not
  // count. 0: all
  double tolerance;
  bool spares_self;                // bodies are not compared with themselves
  pl_contact_intersection *items;  // the first `capacity` of them; NULL with capacity 0: only count
  int32_t capacity;
  int32_t count;  // of all
} pl_contact_intersections;

// Find every intersection of the bodies' surfaces at `positions`; `starts` is not read. Bodies must
// be those of the last prepare, otherwise PL_ERROR_INVALID_ARGUMENT. They are ordered by bodies and
// edges. Of one body, triangles that share a point with the edge do not count. Allocates nothing;
// uses the solver's memory, so the contacts detected last are lost.
pl_status pl_contact_find_intersections(pl_contact_solver *solver, const pl_contact_body *bodies,
                                        int32_t body_count, pl_contact_intersections *found,
                                        pl_error *error);

#endif
