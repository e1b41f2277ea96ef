// Defaults of estimation.
#include "capture/fit_parameters.h"
#include "pliant/fit.h"

pl_reference_def pl_default_reference_def(void) {
  pl_reference_def def = {0};
  pl_parameters_set_defaults(&pl_reference_def_parameters, &def);
  return def;
}

pl_field_def pl_default_field_def(void) {
  pl_field_def def = {0};
  pl_parameters_set_defaults(&pl_field_def_parameters, &def);
  return def;
}

pl_fit_def pl_default_fit_def(void) {
  pl_fit_def def = {0};
  pl_parameters_set_defaults(&pl_fit_def_parameters, &def);
  return def;
}

pl_warm_start_def pl_default_warm_start_def(void) {
  pl_warm_start_def def = {0};
  pl_parameters_set_defaults(&pl_warm_start_def_parameters, &def);
  return def;
}
