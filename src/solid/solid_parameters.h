// The parameters of pl_solid_def (solid_parameters.c).
#ifndef PL_SOLID_PARAMETERS_H
#define PL_SOLID_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_solid_def_parameters;

#endif
