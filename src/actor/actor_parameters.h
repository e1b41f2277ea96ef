// The parameters of pl_actor_def and pl_actor_command (actor_parameters.c).
#ifndef PL_ACTOR_PARAMETERS_H
#define PL_ACTOR_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_actor_def_parameters, pl_actor_command_parameters;

#endif
