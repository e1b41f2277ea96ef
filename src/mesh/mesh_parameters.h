// The parameters of pl_lattice_def, pl_cut_def and pl_pose_def (mesh_parameters.c).
#ifndef PL_MESH_PARAMETERS_H
#define PL_MESH_PARAMETERS_H

#include "base/parameter.h"

extern const pl_parameter_table pl_lattice_def_parameters, pl_cut_def_parameters,
    pl_pose_def_parameters;

#endif
