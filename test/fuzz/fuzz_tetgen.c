// Any bytes as TetGen .node.
#include "mesh_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(pl_tetgen_read, data, size);
}
