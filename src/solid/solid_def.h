#ifndef PL_SOLID_DEF_H
#define PL_SOLID_DEF_H

#include "pliant/solid.h"

// PL_OK, or PL_ERROR_INVALID_ARGUMENT naming the field.
pl_status pl_solid_def_check(const pl_solid_def *def, pl_error *error);

#endif
