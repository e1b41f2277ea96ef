// The parameters of pl_kinematic_def (kinematic_parameters.c).
#ifndef PL_KINEMATIC_PARAMETERS_H
#define PL_KINEMATIC_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_kinematic_def_parameters;

#endif
