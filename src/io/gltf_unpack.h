// Primitives compressed by Draco.
#ifndef PL_IO_GLTF_UNPACK_H
#define PL_IO_GLTF_UNPACK_H

#include "io/gltf_document.h"

// Number of buffer views that the compressed primitives of a file may add; -1 where none is
// compressed.
int64_t pl_gltf_count_unpacked(const pl_gltf *gltf);

// Unpack them; `gltf->unpacked` has a place for each view to come.
pl_status pl_gltf_unpack_meshes(pl_gltf *gltf);

#endif
