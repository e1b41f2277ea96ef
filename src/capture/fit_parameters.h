// The parameters of pl_reference_def, pl_field_def, pl_fit_def and pl_warm_start_def
// (fit_parameters.c).
#ifndef PL_FIT_PARAMETERS_H
#define PL_FIT_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_reference_def_parameters, pl_field_def_parameters,
    pl_fit_def_parameters, pl_warm_start_def_parameters;

#endif
