// Defaults and validation of pl_solid_def.
#include "solid/solid_def.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "examples/simplex_weights.h"

pl_solid_def pl_default_solid_def(void) {
  return (pl_solid_def){
      .density = 1000.0,
      .stiffness = 0.5,
      .stiffness_step = 1.0 / 240.0,
      .damping = 2.0,
      .friction = 0.5,
      .restitution = 0.2,
      .surface_tolerance = 1e-3,
      .fidelity = 0.995,
      .hold_examples = true,
      .plastic_rate = 5.0,
      .magic = PL_DEF_MAGIC,
  };
}

pl_status pl_solid_def_check(const pl_solid_def *def, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_solid_def", error);
  if (status >= 0) status = pl_check_range("density", def->density, 0, 1e9, false, error);
  if (status >= 0) status = pl_check_range("stiffness", def->stiffness, 0, 1, false, error);
  if (status >= 0) status = pl_check_range("stiffness_step", def->stiffness_step, 0, 10, false, error);
  if (status >= 0) status = pl_check_range("damping", def->damping, 0, 1e6, true, error);
  if (status >= 0) status = pl_check_range("friction", def->friction, 0, 1e3, true, error);
  if (status >= 0) status = pl_check_range("restitution", def->restitution, 0, 1, true, error);
  if (status >= 0) status = pl_check_range("contact_radius", def->contact_radius, 0, 1e6, true, error);
  if (status >= 0) status = pl_check_range("surface_tolerance", def->surface_tolerance, 0, 1e6, true, error);
  if (status >= 0) status = pl_check_range("fidelity", def->fidelity, 0, 1, true, error);
  if (status >= 0) status = pl_check_range("plastic_threshold", def->plastic_threshold, 0, 1, true, error);
  if (status >= 0) status = pl_check_range("plastic_rate", def->plastic_rate, 0, 1e6, true, error);
  if (status < 0) return status;
  if (def->example_count < 0 || def->example_count > PL_MAX_EXAMPLES)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "example_count", "%d examples; use 0 … %d", def->example_count,
                         PL_MAX_EXAMPLES);
  if (def->grouping == PL_SOLID_BY_GROUP && def->group_count < 1)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "groups", "grouping by group needs at least one group");
  return PL_OK;
}
