// Defaults of estimation.
#include "base/context.h"
#include "pliant/fit.h"

pl_reference_def pl_default_reference_def(void) {
  return (pl_reference_def){
      .gravity = {0, -9.81, 0}, .tolerance = 1e-10, .limit = 400, .min_volume = 0.02, .magic = PL_DEF_MAGIC};
}

pl_field_def pl_default_field_def(void) {
  return (pl_field_def){.control_count = 1, .magic = PL_DEF_MAGIC};
}

pl_fit_def pl_default_fit_def(void) {
  return (pl_fit_def){.material = PL_FEM_COROTATED,
                      .density = 1000,
                      .gravity = {0, -9.81, 0},
                      .young = {1e5, 1e3, 1e9, true},
                      .poisson = {0.3, 0.0, 0.49, false},
                      .mass_damping = {0.1, 1e-4, 100, true},
                      .stiffness_damping = {1e-3, 1e-6, 0.1, true},
                      .steps_per_frame = 2,
                      .max_iterations = 200,
                      .tolerance = 1e-4,
                      .doubt = 0.25,
                      .magic = PL_DEF_MAGIC};
}

pl_warm_start_def pl_default_warm_start_def(void) {
  return (pl_warm_start_def){.sample_count = 16, .mode_count = 6, .rounds = 2, .min = 1e3, .max = 1e9, .magic = PL_DEF_MAGIC};
}
