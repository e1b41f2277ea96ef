// The parameters of pl_rollout_def (rollout_parameters.c).
#ifndef PL_CAPTURE_ROLLOUT_PARAMETERS_H
#define PL_CAPTURE_ROLLOUT_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_rollout_def_parameters;

#endif
