// Bodies that were pressed or put into each other come apart along one direction.
//
// Has a corner come through another body, so that its own way out would take it farther from its
// own body? Then the two are tangled, and ways out that are each right for one point cancel each
// other: they would stay so for ever. All points of one in the other then leave along one
// direction. With S the part of the points' surface inside the other body, outward, and V the
// volume that both bodies share, V changes by S . v with the velocity v of the points' body: it
// shrinks fastest along -S. Where S is small against the areas that it is the sum of, the direction
// is that from the middle of the other body to that of the points' own.
#ifndef PL_CONTACT_CONTACT_TANGLE_H
#define PL_CONTACT_CONTACT_TANGLE_H

#include "contact/contact_solver.h"

// What is summed of the points of a body in another.
typedef struct pl_contact_tangle {
  pl_vec3 area;     // their own surface, outward, …
  double all_area;  // … and the lengths of what that is the sum of
} pl_contact_tangle;

void pl_contact_tangle_add(pl_contact_tangle *tangle, pl_vec3 outward);

// Where the body of the points goes, unit; `apart` leads from the middle of the other body to that
// of their own.
pl_vec3 pl_contact_tangle_way(const pl_contact_tangle *tangle, pl_vec3 apart);

// The surface around a point at the end of the step, outward, as long as six times its area.
pl_vec3 pl_contact_outward(const pl_surface_motion *motion, int32_t point);

// Whether a point with this outward direction of its own surface, neither unit, comes back from
// behind a triangle.
bool pl_contact_is_hooked(pl_vec3 normal, pl_vec3 outward);

// Whether a point that leaves through a triangle with this unit normal goes along the way.
bool pl_contact_is_along(pl_vec3 normal, pl_vec3 way);

// Let the points of a body leave others that they were deep in when the step began, once all of its
// contacts are found: along one direction where their own ways out contradict each other. Not of
// two bodies whose tets are known (contact_tets.c), and of surfaces with up to PL_TANGLE_TRIANGLES.
enum { PL_TANGLE_TRIANGLES = 1024 };
void pl_contact_untangle(pl_contact_memory *memory, int32_t body);

#endif
