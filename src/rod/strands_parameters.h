// The parameters of pl_strands_def (strands_parameters.c).
#ifndef PL_ROD_STRANDS_PARAMETERS_H
#define PL_ROD_STRANDS_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_strands_def_parameters;

#endif
