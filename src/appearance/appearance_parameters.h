// The parameters of pl_appearance_material (appearance_parameters.c), and the presets.
#ifndef PL_APPEARANCE_PARAMETERS_H
#define PL_APPEARANCE_PARAMETERS_H

#include "base/parameter.h"
#include "pliant/appearance.h"

extern const pl_parameter_table pl_appearance_material_parameters;

// Names of the presets in their order, NULL-terminated.
extern const char *const pl_appearance_preset_names[];

#endif
