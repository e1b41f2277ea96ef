// Faces and edges of bodies against the points and edges of colliders.
#ifndef PL_CONTACT_FACES_H
#define PL_CONTACT_FACES_H

#include "contact/contact_solver.h"

// May faces or edges of a body, whose path is in the box, touch a collider before its points do?
bool pl_contact_may_meet_faces(const pl_contact_detection *d, int32_t body, const pl_box *path,
                               int32_t collider);

// Place the surfaces of the colliders that bodies ask for.
void pl_contact_place_asked(const pl_contact_memory *memory);

// The contacts of a body's faces and edges with all colliders near it, into the slots of its blocks
// of edges. The body has its hierarchy and normals.
void pl_contact_find_faces(const pl_contact_detection *d, int32_t body);

#endif
