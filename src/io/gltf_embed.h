// Files next to a glTF file, taken into the GLB that is made from it.
#ifndef PL_IO_GLTF_EMBED_H
#define PL_IO_GLTF_EMBED_H

#include "io/gltf_document.h"
#include "io/gltf_sheet.h"

// Make buffer 0 the one without a uri, to which the sheet's bytes are added; `first` receives its
// bytes (NULL: there is none yet). Other buffers in files become data URIs, pictures in files
// buffer views; pictures that cannot be read stay as they are; compressed views are unpacked. No
// buffer and no view changes its number.
pl_status pl_sheet_embed(pl_sheet *sheet, pl_gltf *gltf, pl_gltf_buffer **first);

#endif
