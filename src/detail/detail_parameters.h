// The parameters of pl_detail_def, pl_detail_filter_def and pl_detail_layer_def
// (detail_parameters.c).
#ifndef PL_DETAIL_PARAMETERS_H
#define PL_DETAIL_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_detail_def_parameters, pl_detail_filter_def_parameters,
    pl_detail_layer_def_parameters;

#endif
