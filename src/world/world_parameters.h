// The parameters of pl_world_def, pl_body_def, pl_pin_def and pl_contact_pair_def
// (world_parameters.c).
#ifndef PL_WORLD_PARAMETERS_H
#define PL_WORLD_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_world_def_parameters, pl_body_def_parameters,
    pl_pin_def_parameters, pl_contact_pair_def_parameters;

#endif
