// Points that end a step inside another soft body, put back on its surface (contact_settle.c).
#ifndef PL_CONTACT_SETTLE_H
#define PL_CONTACT_SETTLE_H

#include "contact/contact.h"

typedef struct pl_contact_solver pl_contact_solver;

// After resolution, of pairs whose edges are not all searched.
void pl_contact_settle(pl_contact_solver *solver, pl_contact_body *bodies);

#endif
