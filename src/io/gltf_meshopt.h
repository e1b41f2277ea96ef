// Buffer views compressed by meshoptimizer (EXT_meshopt_compression), an option of the build.
#ifndef PL_IO_GLTF_MESHOPT_H
#define PL_IO_GLTF_MESHOPT_H

#include "io/gltf_document.h"

// Whether this build can unpack them.
bool pl_meshopt_is_there(void);

typedef enum pl_meshopt_mode {
  PL_MESHOPT_ATTRIBUTES,
  PL_MESHOPT_TRIANGLES,
  PL_MESHOPT_INDICES
} pl_meshopt_mode;
typedef enum pl_meshopt_filter {
  PL_MESHOPT_NONE,
  PL_MESHOPT_OCTAHEDRAL,
  PL_MESHOPT_QUATERNION,
  PL_MESHOPT_EXPONENTIAL
} pl_meshopt_filter;

// What a compressed view holds: `count` elements of `stride` bytes.
typedef struct pl_meshopt_block {
  const unsigned char *bytes;
  size_t size, count, stride;
  pl_meshopt_mode mode;
  pl_meshopt_filter filter;
} pl_meshopt_block;

// Unpack into `to`, count x stride bytes; false when the bytes are damaged or of a newer version.
bool pl_meshopt_unpack(const pl_meshopt_block *block, void *to);

#endif
