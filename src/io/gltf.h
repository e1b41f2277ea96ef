// glTF 2.0 meshes in and out, JSON and binary container.
#ifndef PL_IO_GLTF_H
#define PL_IO_GLTF_H

#include "pliant/mesh_file.h"

// Read a mesh from glTF JSON or GLB bytes. `name` stands for the file in messages; files it refers
// to are looked for in `folder`, or refused when that is NULL.
pl_status pl_gltf_read(pl_context *context, const void *bytes, size_t size, const char *name,
                       const char *folder, pl_mesh **mesh, pl_findings *findings, pl_error *error);

// Write a mesh as GLB.
pl_status pl_gltf_write_mesh(pl_context *context, const char *path, const pl_mesh *mesh,
                             pl_error *error);

#endif
