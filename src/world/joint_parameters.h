// The parameters of pl_joint_def and pl_attachment_def (joint_parameters.c).
#ifndef PL_WORLD_JOINT_PARAMETERS_H
#define PL_WORLD_JOINT_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_joint_def_parameters;
extern const pl_parameter_table pl_attachment_def_parameters;

#endif
