// The parameters of pl_rigid_def (rigid_parameters.c).
#ifndef PL_RIGID_PARAMETERS_H
#define PL_RIGID_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_rigid_def_parameters;

#endif
