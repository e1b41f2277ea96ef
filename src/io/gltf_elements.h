// Elements of a glTF primitive: lists, strips, loops and fans become plain triangles and segments.
#ifndef PL_IO_GLTF_ELEMENTS_H
#define PL_IO_GLTF_ELEMENTS_H

#include "io/gltf_document.h"

// Append the elements of `primitive`, whose `vertex_count` vertices begin at `vertex_start`, to
// vectors of int32_t. A `mirrored` placement turns triangles inside out; they are turned back.
pl_status pl_gltf_read_elements(pl_gltf *gltf, const pl_json *primitive, int32_t vertex_start,
                                int32_t vertex_count, bool mirrored, pl_vector *segments,
                                pl_vector *triangles);

#endif
