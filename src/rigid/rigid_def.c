// Defaults of pl_rigid_def.
#include "pliant/rigid.h"
#include "rigid/rigid_parameters.h"

pl_rigid_def pl_default_rigid_def(void) {
  pl_rigid_def def = {0};
  pl_parameters_set_defaults(&pl_rigid_def_parameters, &def);
  return def;
}
