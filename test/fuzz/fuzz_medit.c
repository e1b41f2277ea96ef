// Any bytes as Medit .mesh.
#include "mesh_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(pl_medit_read, data, size);
}
