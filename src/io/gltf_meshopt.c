// Unpacking by the library meshoptimizer, which is safe for untrusted bytes: damaged ones give an error or wrong
// numbers, and those are checked like all others.
#include "io/gltf_meshopt.h"

#include <meshoptimizer.h>

bool pl_meshopt_is_there(void) {
  return true;
}

static bool filter(const pl_meshopt_block *block, void *data) {
  switch (block->filter) {
    case PL_MESHOPT_NONE: return true;
    case PL_MESHOPT_OCTAHEDRAL:
      if (block->stride != 4 && block->stride != 8) return false;
      meshopt_decodeFilterOct(data, block->count, block->stride);
      return true;
    case PL_MESHOPT_QUATERNION:
      if (block->stride != 8) return false;
      meshopt_decodeFilterQuat(data, block->count, block->stride);
      return true;
    case PL_MESHOPT_EXPONENTIAL: meshopt_decodeFilterExp(data, block->count, block->stride); return true;
  }
  return false;
}

// The library asserts what is checked here.
bool pl_meshopt_unpack(const pl_meshopt_block *block, void *to) {
  bool indices = block->mode != PL_MESHOPT_ATTRIBUTES;
  if (indices && block->stride != 2 && block->stride != 4) return false;
  if (!indices && (block->stride == 0 || block->stride > 256 || block->stride % 4 != 0)) return false;
  if (block->mode == PL_MESHOPT_TRIANGLES)
    return block->count % 3 == 0 &&
           meshopt_decodeIndexBuffer(to, block->count, block->stride, block->bytes, block->size) == 0;
  if (block->mode == PL_MESHOPT_INDICES)
    return meshopt_decodeIndexSequence(to, block->count, block->stride, block->bytes, block->size) == 0;
  return meshopt_decodeVertexBuffer(to, block->count, block->stride, block->bytes, block->size) == 0 &&
         filter(block, to);
}
