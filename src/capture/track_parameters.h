// The parameters of pl_track_def (track_parameters.c).
#ifndef PL_TRACK_PARAMETERS_H
#define PL_TRACK_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_track_def_parameters;

#endif
