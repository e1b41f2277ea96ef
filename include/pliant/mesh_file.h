/// @file mesh_file.h
/// Load and save meshes (part of the lab). The runtime has no files; the mesh itself is in mesh.h.
/// The format of a file follows from its content, never from its name. The vertex order of a file
/// is kept.
#ifndef PLIANT_MESH_FILE_H
#define PLIANT_MESH_FILE_H

#include "pliant/base.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Formats that pl_mesh_load() understands.
typedef enum pl_mesh_format {
  PL_MESH_FORMAT_UNKNOWN = 0,
  PL_MESH_FORMAT_OBJ,
  PL_MESH_FORMAT_PLY,
  PL_MESH_FORMAT_STL,
  PL_MESH_FORMAT_GMSH,    ///< .msh 2 and 4, text and binary
  PL_MESH_FORMAT_TETGEN,  ///< .node, with .ele and .face in the same folder
  PL_MESH_FORMAT_VTK,     ///< legacy VTK, text and binary
  PL_MESH_FORMAT_VTU,     ///< VTK XML unstructured grid: text, base64, appended, zlib-compressed
  PL_MESH_FORMAT_MEDIT,   ///< .mesh
  PL_MESH_FORMAT_GLTF,    ///< glTF 2.0, JSON with embedded or separate buffers
  PL_MESH_FORMAT_GLB,     ///< glTF 2.0, binary container
  PL_MESH_FORMAT_ABAQUS,  ///< .inp of Abaqus and CalculiX: nodes and elements
} pl_mesh_format;

/// Short name of a format, such as "ply"; static storage.
PL_API const char *pl_mesh_format_name(pl_mesh_format format);

/// Detect the format of a file from its first `size` bytes; some hundred are enough.
/// PL_MESH_FORMAT_UNKNOWN if none fits.
PL_API pl_mesh_format pl_mesh_format_detect(const void *bytes, size_t size);

/// Load a mesh from the file `path`. Quads and polygons are split into triangles; hexahedra, prisms
/// and pyramids into tets; higher-order elements keep their corners only. glTF: all meshes of the
/// scene with their node transforms, morph targets as poses by name, vertices welded only where the
/// rest shape and all targets coincide. The caller owns the mesh. Doubtful content goes to
/// `findings`, which may be NULL. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when the file
/// cannot be read, PL_ERROR_INVALID_DATA with file, line and column (byte offset in binary files)
/// when its content is wrong, PL_ERROR_UNSUPPORTED for a format or feature that is not known;
/// `*mesh` is then NULL. May be called from several threads at once, each with findings of its own.
PL_API pl_status pl_mesh_load(pl_context *context, const char *path, pl_mesh **mesh,
                              pl_findings *findings, pl_error *error);

/// Load a mesh from memory, as pl_mesh_load() does. Files that belong to it (.ele, .bin) are not
/// looked for.
PL_API pl_status pl_mesh_load_memory(pl_context *context, const pl_memory_source *source,
                                     pl_mesh **mesh, pl_findings *findings, pl_error *error);

/// What a glTF, GLB or OBJ file holds that is not part of a pl_mesh. All zero for other formats.
typedef struct pl_mesh_appearance {
  pl_mesh_format format;
  int32_t material_count, skin_count, animation_count;
  bool normals, texture_coordinates;
} pl_mesh_appearance;

/// Find out what a file holds besides the mesh that pl_mesh_load() takes from it. Fails with
/// PL_ERROR_NOT_FOUND or PL_ERROR_FILE when the file cannot be read, PL_ERROR_INVALID_DATA when it
/// is not valid. May be called from several threads at once.
PL_API pl_status pl_mesh_file_get_appearance(pl_context *context, const char *path,
                                             pl_mesh_appearance *appearance, pl_error *error);

/// Copy the glTF or GLB file `from` into the GLB file `to`, whole: compressed data is unpacked,
/// buffers and pictures in other files are taken in, and with a `scale` other than 1 a node above
/// all others scales it. Everything else stays as it is. Fails as pl_mesh_load() and pl_mesh_save()
/// do.
PL_API pl_status pl_mesh_file_copy_gltf(pl_context *context, const char *from, const char *to,
                                        double scale, pl_error *error);

/// Save a mesh to the file `path`. The extension selects the format: .obj .ply .stl .msh .vtk .vtu
/// .mesh .node .glb. The file is written under a temporary name and renamed at the end, so that
/// there is never a partial file at `path`. Fails with PL_ERROR_FILE when it cannot be written,
/// PL_ERROR_INVALID_ARGUMENT for an unknown extension or a mesh that the format cannot hold.
PL_API pl_status pl_mesh_save(pl_context *context, const char *path, const pl_mesh *mesh,
                              pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
