// The parameters of pl_collider_def (collider_parameters.c).
#ifndef PL_COLLIDER_PARAMETERS_H
#define PL_COLLIDER_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_collider_def_parameters;

#endif
