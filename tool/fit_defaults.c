// Defaults of the options of a fit, as the library has them.
#include "tool_fit.h"

double fit_default_density(void) {
  return pl_default_fit_def().density;
}

double fit_default_controls(void) {
  return pl_default_field_def().control_count;
}

double fit_default_young(void) {
  return pl_default_fit_def().young.start;
}

double fit_default_poisson(void) {
  return pl_default_fit_def().poisson.start;
}

double fit_default_max_iterations(void) {
  return pl_default_fit_def().max_iterations;
}
