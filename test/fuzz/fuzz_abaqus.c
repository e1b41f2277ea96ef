// Any bytes as Abaqus .inp.
#include "mesh_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(pl_abaqus_read, data, size);
}
