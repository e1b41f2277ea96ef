// The parameters of pl_capture_writer_def (capture_parameters.c).
#ifndef PL_CAPTURE_PARAMETERS_H
#define PL_CAPTURE_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_capture_writer_def_parameters;

#endif
