// The parameters of pl_shading_def (shading_parameters.c).
#ifndef PL_SHADING_PARAMETERS_H
#define PL_SHADING_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_shading_def_parameters;

#endif
