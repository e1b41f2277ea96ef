// The parameters of pl_rod_def and pl_rod_joint (rod_parameters.c).
#ifndef PL_ROD_PARAMETERS_H
#define PL_ROD_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_rod_def_parameters, pl_rod_joint_parameters;

#endif
