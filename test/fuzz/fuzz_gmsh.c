// Any bytes as Gmsh .msh.
#include "mesh_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(pl_gmsh_read, data, size);
}
