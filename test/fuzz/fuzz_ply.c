// Any bytes as PLY.
#include "mesh_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(pl_ply_read, data, size);
}
