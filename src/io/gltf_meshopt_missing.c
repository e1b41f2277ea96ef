// Instead of gltf_meshopt.c in builds without meshoptimizer.
#include "io/gltf_meshopt.h"

bool pl_meshopt_is_there(void) {
  return false;
}

bool pl_meshopt_unpack(const pl_meshopt_block *block, void *to) {
  (void)block;
  (void)to;
  return false;
}
