// Defaults and validation of pl_fem_def.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "examples/simplex_weights.h"
#include "fem/fem_model.h"

pl_fem_def pl_default_fem_def(pl_fem_material material) {
  return (pl_fem_def){
      .material = material,
      .density = 1000.0,
      .young = 1e5,
      .poisson = 0.3,
      .thickness = 0.01,
      .max_newton_iterations = 8,
      .newton_tolerance = 1e-4,
      .volume_rounds = 2,
      .fast_step = 1.0 / 60,
      .friction = 0.5,
      .surface_tolerance = 1e-3,
      .magic = PL_DEF_MAGIC,
  };
}

typedef struct range {
  const char *field;
  double value, min, max;
  bool min_allowed;
} range;

static pl_status check_range(const range *r, pl_error *error) {
  bool fits = isfinite(r->value) && r->value <= r->max && (r->min_allowed ? r->value >= r->min : r->value > r->min);
  if (fits) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, r->field, "%g is out of range; use %s %g and at most %g", r->value,
                       r->min_allowed ? "at least" : "more than", r->min, r->max);
}

static pl_status check_choices(const pl_fem_def *def, pl_error *error) {
  if ((int)def->material < 0 || def->material > PL_FEM_FAST)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "material", "%d is no material", (int)def->material);
  if ((int)def->scheme < 0 || def->scheme > PL_FEM_IMPLICIT_EULER)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "scheme", "%d is no scheme", (int)def->scheme);
  if ((int)def->solver < 0 || def->solver > PL_FEM_SOLVER_DIRECT)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "solver", "%d is no solver", (int)def->solver);
  if (def->example_count < 0 || def->example_count > PL_MAX_EXAMPLES)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "example_count", "%d examples; use 0 … %d", def->example_count,
                         PL_MAX_EXAMPLES);
  if (def->adapts && def->material == PL_FEM_FAST)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "adapts",
                         "the matrix of the fast material is made for one rest shape; use another material");
  if (def->adapts && def->example_count > 0)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "adapts",
                         "examples decide the rest shape already; give them to the actor, or do without `adapts`");
  return PL_OK;
}

pl_status pl_fem_def_check(const pl_fem_def *def, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_fem_def", error);
  if (status >= 0) status = check_choices(def, error);
  const range ranges[] = {
      {"density", def->density, 0, 1e9, false},
      {"young", def->young, 0, 1e15, false},
      {"poisson", def->poisson, -1, 0.4999, false},
      {"thickness", def->thickness, 0, 1e6, false},
      {"mass_damping", def->mass_damping, 0, 1e6, true},
      {"stiffness_damping", def->stiffness_damping, 0, 1e3, true},
      {"max_newton_iterations", def->max_newton_iterations, 1, 1000, true},
      {"newton_tolerance", def->newton_tolerance, 0, 1, false},
      {"volume_rounds", def->volume_rounds, 0, 1000, true},
      {"fast_step", def->fast_step, 0, 10, false},
      {"friction", def->friction, 0, 1e3, true},
      {"restitution", def->restitution, 0, 1, true},
      {"contact_radius", def->contact_radius, 0, 1e6, true},
      {"contact_stiffness", def->contact_stiffness, 0, 1e18, true},
      {"surface_tolerance", def->surface_tolerance, 0, 1e6, true},
  };
  for (size_t i = 0; status >= 0 && i < sizeof ranges / sizeof *ranges; ++i) status = check_range(&ranges[i], error);
  return status;
}

pl_fem_equilibrium_def pl_default_fem_equilibrium_def(void) {
  return (pl_fem_equilibrium_def){.load_steps = 1, .max_newton_iterations = 50, .tolerance = 1e-8, .magic = PL_DEF_MAGIC};
}
