// The parameters of pl_modes_def (modes_parameters.c).
#ifndef PL_CAPTURE_MODES_PARAMETERS_H
#define PL_CAPTURE_MODES_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_modes_def_parameters;

#endif
