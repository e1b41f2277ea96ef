// Defaults and validation of pl_solid_def.
#include "solid/solid_def.h"

#include "base/error.h"
#include "examples/simplex_weights.h"
#include "solid/solid_parameters.h"

pl_solid_def pl_default_solid_def(void) {
  pl_solid_def def = {0};
  pl_parameters_set_defaults(&pl_solid_def_parameters, &def);
  return def;
}

pl_status pl_solid_def_check(const pl_solid_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_solid_def_parameters, def, error);
  if (status < 0) return status;
  if (def->example_count < 0 || def->example_count > PL_MAX_EXAMPLES)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "example_count", "%d examples; use 0 … %d",
                         def->example_count, PL_MAX_EXAMPLES);
  if (def->grouping == PL_SOLID_BY_GROUP && def->group_count < 1)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "groups", "grouping by group needs at least one group");
  return PL_OK;
}
