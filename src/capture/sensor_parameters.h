// The parameters of pl_sensor_def (sensor_parameters.c).
#ifndef PL_SENSOR_PARAMETERS_H
#define PL_SENSOR_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_sensor_def_parameters;

#endif
