// Which writer writes a mesh: the ending of the name decides.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "io/gltf.h"
#include "io/mesh_formats.h"

static const struct {
  const char *ending;
  pl_format_write_function *write;
} writers[] = {
    {".obj", pl_obj_write},    {".ply", pl_ply_write},       {".stl", pl_stl_write},    {".msh", pl_gmsh_write},
    {".vtk", pl_vtk_write},    {".vtu", pl_vtu_write},       {".mesh", pl_medit_write}, {".node", pl_tetgen_write},
    {".ele", pl_tetgen_write}, {".glb", pl_gltf_write_mesh}, {".inp", pl_abaqus_write},
};

pl_status pl_mesh_save(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  for (size_t i = 0; i < sizeof writers / sizeof writers[0]; ++i)
    if (pl_ending_is(path, writers[i].ending)) return writers[i].write(context, path, mesh, error);
  return pl_fail_at(error, PL_ERROR_UNSUPPORTED, path, 0, 0,
                    "the ending \"%s\" names no format; use .obj .ply .stl .msh .vtk .vtu .mesh .node .inp or .glb",
                    pl_path_ending(path));
}

pl_status pl_surface_of_mesh(pl_context *context, const pl_mesh *mesh, pl_surface *surface, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  *surface = (pl_surface){.context = context, .triangles = view.triangles, .triangle_count = view.triangle_count};
  if (view.triangle_count > 0 || view.tet_count == 0) return PL_OK;
  int32_t *point_of_surface = pl_allocate_array(context, (size_t)view.point_count, sizeof *point_of_surface);
  if (point_of_surface == NULL) return pl_fail_memory(error);
  pl_mesh *boundary = NULL;
  pl_status status = pl_mesh_build_boundary(context, mesh, &boundary, point_of_surface, error);
  if (status >= 0) {
    pl_mesh_view shown = pl_mesh_get_view(boundary);
    size_t corner_count = 3 * (size_t)shown.triangle_count;
    surface->owned = pl_allocate(context, corner_count * sizeof *surface->owned);
    for (size_t i = 0; i < corner_count && surface->owned != NULL; ++i)
      surface->owned[i] = point_of_surface[shown.triangles[i]];
    surface->triangles = surface->owned;
    surface->triangle_count = shown.triangle_count;
    if (surface->owned == NULL) status = pl_fail_memory(error);
    pl_mesh_destroy(boundary);
  }
  pl_release(context, point_of_surface);
  return status < 0 ? status : PL_OK;
}

void pl_surface_free(pl_surface *surface) {
  pl_release(surface->context, surface->owned);
  *surface = (pl_surface){.context = surface->context};
}
