// Any bytes as legacy VTK.
#include "mesh_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(pl_vtk_read, data, size);
}
