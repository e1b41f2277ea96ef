/// @file file.h
/// Mesh files, and sets of examples of detail, in and out (part of the lab). The content decides the format, never the file's name; a file's vertex order is kept.
#ifndef PLIANT_FILE_H
#define PLIANT_FILE_H

#include "pliant/base.h"
#include "pliant/detail.h"
#include "pliant/mesh.h"
#include "pliant/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Formats that pl_mesh_load() understands.
typedef enum pl_file_format {
  PL_FILE_UNKNOWN = 0,
  PL_FILE_OBJ,
  PL_FILE_PLY,
  PL_FILE_STL,
  PL_FILE_GMSH,    ///< .msh 2 and 4, text and binary
  PL_FILE_TETGEN,  ///< .node with .ele and .face beside it
  PL_FILE_VTK,     ///< legacy VTK, text and binary
  PL_FILE_VTU,     ///< VTK XML unstructured grid: text, base64, appended, zlib-compressed
  PL_FILE_MEDIT,   ///< .mesh
  PL_FILE_GLTF,    ///< glTF 2.0, JSON with files beside it or embedded
  PL_FILE_GLB,     ///< glTF 2.0, binary container
} pl_file_format;

/// Short name of a format, such as "ply"; static storage.
PL_API const char *pl_file_format_name(pl_file_format format);

/// Tell the format of `size` bytes (the beginning of a file is enough). PL_FILE_UNKNOWN if none fits.
PL_API pl_file_format pl_file_format_detect(const void *bytes, size_t size);

/// Read a mesh from `path`. Quads and polygons are split into triangles, hexahedra, prisms and pyramids into tets; higher-order elements keep
/// their corners. glTF: all meshes of the scene with their node placements, morph targets as poses by name, vertices welded only where
/// rest and all targets coincide. Doubtful things go to `findings` (may be NULL). Errors carry file, line and column (byte
/// offset in binary files).
PL_API pl_status pl_mesh_load(pl_context *context, const char *path, pl_mesh **mesh, pl_findings *findings, pl_error *error);

/// Read a mesh from memory; `name` stands for the file in messages. Files that belong beside it (.ele, .bin) are not looked for.
PL_API pl_status pl_mesh_load_memory(pl_context *context, const void *bytes, size_t size, const char *name, pl_mesh **mesh,
                                     pl_findings *findings, pl_error *error);

/// Write a mesh to `path`; the ending decides: .obj .ply .stl .msh .vtk .vtu .mesh .node .glb. A temporary file is renamed at the
/// end, so a crash never leaves a half file under the final name.
PL_API pl_status pl_mesh_save(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error);

/// Write a surface with a colour at each of its points (.ply, other programs show it). Written through a temporary name.
PL_API pl_status pl_painted_surface_save(pl_context *context, const char *path, const pl_mesh *surface, const pl_color *colors,
                                  pl_error *error);

/// Write an embedding as a table (CSV), one line per point: its number, four points of the mesh it sits in, and their weights. Written
/// through a temporary name.
PL_API pl_status pl_embedding_save(pl_context *context, const char *path, const pl_embedding *embedding, pl_error *error);

/// Write a table (CSV): a line with the names of the columns, which must hold no commas, and then row_count lines of column_count numbers, given row by
/// row in `cells`. Written through a temporary name.
PL_API pl_status pl_table_save(pl_context *context, const char *path, const char *const *columns, int32_t column_count,
                                int64_t row_count, const double *cells, pl_error *error);

/// A table that was read.
typedef struct pl_table pl_table;

/// What is in a table; borrowed memory, valid as long as the table.
typedef struct pl_table_view {
  int32_t column_count;
  const char *const *columns;  ///< their names
  int64_t row_count;
  const double *cells;  ///< row by row
} pl_table_view;

/// Read a table (CSV) as pl_table_save() writes it: a line of names, parted by commas, and rows of as many numbers; `nan` and `inf` are numbers. Fails with PL_ERROR_NOT_FOUND or
/// PL_ERROR_FILE when the file cannot be read, PL_ERROR_INVALID_DATA with line and column when it is wrong; `*table` is then NULL. The caller owns the table.
PL_API pl_status pl_table_load(pl_context *context, const char *path, pl_table **table, pl_error *error);

/// What is in the table.
PL_API pl_table_view pl_table_get_view(const pl_table *table);

/// Number of the column of that name, -1 if there is none.
PL_API int32_t pl_table_find(const pl_table *table, const char *name);

/// Destroy a table. NULL is allowed.
PL_API void pl_table_destroy(pl_table *table);

/// Write a set of examples of detail as one file: its parts, and small grey pictures of the stamps in front of them. Written through a temporary
/// name.
PL_API pl_status pl_detail_set_save(pl_context *context, const char *path, const pl_detail_set *set, pl_error *error);

/// Read such a file. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when it cannot be read, PL_ERROR_INVALID_DATA when it is none or damaged,
/// PL_ERROR_UNSUPPORTED when it is of another version. The caller owns the set.
PL_API pl_status pl_detail_set_load(pl_context *context, const char *path, pl_detail_set **set, pl_error *error);

/// The same from memory; `name` stands for the file in messages.
PL_API pl_status pl_detail_set_load_memory(pl_context *context, const void *bytes, size_t size, const char *name,
                                           pl_detail_set **set, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
