// Defaults of a rod body.
#include "pliant/math.h"
#include "pliant/rod.h"
#include "rod/rod_parameters.h"

pl_rod_def pl_default_rod_def(void) {
  pl_rod_def def = {0};
  pl_parameters_set_defaults(&pl_rod_def_parameters, &def);
  return def;
}

pl_rod_joint pl_default_rod_joint(int32_t parent) {
  pl_rod_joint joint = {.parent = parent, .rest = pl_transform_identity()};
  pl_parameters_set_defaults(&pl_rod_joint_parameters, &joint);
  return joint;
}
