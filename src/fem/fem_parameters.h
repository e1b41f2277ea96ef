// The parameters of pl_fem_def and pl_fem_equilibrium_def (fem_parameters.c).
#ifndef PL_FEM_PARAMETERS_H
#define PL_FEM_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_fem_def_parameters, pl_fem_equilibrium_def_parameters;

#endif
