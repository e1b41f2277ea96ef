// One reader and one writer per format. Readers put what they find into the builder, which checks
// indices and cuts cells at the end; writers take any mesh and leave out, without complaint, only
// what the format has no place for.
#ifndef PL_IO_MESH_FORMATS_H
#define PL_IO_MESH_FORMATS_H

#include "io/mesh_builder.h"
#include "pliant/mesh_file.h"

typedef pl_status pl_format_read_function(pl_mesh_source *source, pl_mesh_builder *builder);
pl_format_read_function pl_obj_read, pl_ply_read, pl_stl_read, pl_gmsh_read, pl_tetgen_read,
    pl_vtk_read, pl_vtu_read, pl_medit_read, pl_abaqus_read;

typedef pl_status pl_format_write_function(pl_context *context, const char *path,
                                           const pl_mesh *mesh, pl_error *error);
pl_format_write_function pl_obj_write, pl_ply_write, pl_stl_write, pl_gmsh_write, pl_tetgen_write,
    pl_vtk_write, pl_vtu_write, pl_medit_write, pl_abaqus_write;

// Triangles to write for formats that hold surfaces: the mesh's own, or the boundary of its tets in
// the mesh's point numbers. To be given to pl_surface_free().
typedef struct pl_surface {
  pl_context *context;
  const int32_t *triangles;
  int32_t triangle_count;
  int32_t *owned;  // NULL when the triangles are the mesh's
} pl_surface;

pl_status pl_surface_of_mesh(pl_context *context, const pl_mesh *mesh, pl_surface *surface,
                             pl_error *error);
void pl_surface_free(pl_surface *surface);

// Whether a file of this size is binary STL: its count of triangles explains its length. Text that
// happens to begin with the bytes of a fitting count does not exist, so this goes before looking
// for "solid", which binary files may begin with too.
bool pl_stl_is_binary(const unsigned char *bytes, size_t size);

// Add a cell of VTK's type `type`; points of higher-order cells behind the corners become
// mid-nodes. Cells a mesh cannot hold are counted as skipped.
pl_status pl_vtk_cell_add(pl_mesh_builder *builder, int64_t type, const int64_t *corners,
                          size_t corner_count, size_t offset);

#endif
