// Defaults and validation of pl_fem_def.
#include "base/error.h"
#include "examples/simplex_weights.h"
#include "fem/fem_model.h"
#include "fem/fem_parameters.h"

pl_fem_def pl_default_fem_def(pl_fem_material material) {
  pl_fem_def def = {0};
  pl_parameters_set_defaults(&pl_fem_def_parameters, &def);
  def.material = material;
  return def;
}

pl_status pl_fem_def_check(const pl_fem_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_fem_def_parameters, def, error);
  if (status < 0) return status;
  if (def->example_count < 0 || def->example_count > PL_MAX_EXAMPLES)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "example_count", "%d examples; use 0 … %d",
                         def->example_count, PL_MAX_EXAMPLES);
  bool quadratic = def->element == PL_FEM_QUADRATIC;
  if (quadratic && def->material != PL_FEM_COROTATED && def->material != PL_FEM_NEO_HOOKEAN &&
      def->material != PL_FEM_YEOH)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "element",
                         "only corotated, neo-hookean and yeoh have quadratic elements; use linear ones");
  if (quadratic && (def->adapts || def->example_count > 0))
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "element",
                         "actors and examples change the rest shape of linear elements only; use linear ones");
  bool viscous = def->prony_ratio > 0 || def->second_prony_ratio > 0 || def->loss_factor > 0;
  const char *field = def->prony_ratio > 0          ? "prony_ratio"
                      : def->second_prony_ratio > 0 ? "second_prony_ratio"
                                                    : "loss_factor";
  if (viscous && def->material != PL_FEM_COROTATED && def->material != PL_FEM_NEO_HOOKEAN &&
      def->material != PL_FEM_YEOH)
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, field,
                         "only tets of corotated, neo-hookean and yeoh are viscoelastic; use stiffness_damping");
  if (viscous && def->adapts)
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, field, "actors are not viscoelastic; use stiffness_damping");
  if (def->adapts && def->material == PL_FEM_FAST)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "adapts",
                         "the matrix of the fast material is made for one rest shape; use another material");
  if (def->adapts && def->example_count > 0)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "adapts",
                         "examples decide the rest shape already; give them to the actor, or do without `adapts`");
  return PL_OK;
}

pl_fem_equilibrium_def pl_default_fem_equilibrium_def(void) {
  pl_fem_equilibrium_def def = {0};
  pl_parameters_set_defaults(&pl_fem_equilibrium_def_parameters, &def);
  return def;
}
