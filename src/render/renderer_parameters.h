// The parameters of pl_renderer_def (renderer_parameters.c).
#ifndef PL_RENDERER_PARAMETERS_H
#define PL_RENDERER_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_renderer_def_parameters;

#endif
