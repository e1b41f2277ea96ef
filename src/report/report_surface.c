// A surface with a colour at each point as a binary PLY file.
#include "base/error.h"
#include "io/file_bytes.h"
#include "report/report_export.h"

static unsigned char byte_of(float fraction) {
  return (unsigned char)(255.0f * (fraction < 0 ? 0.0f : fraction > 1 ? 1.0f : fraction) + 0.5f);
}

pl_status pl_painted_surface_save(pl_context *context, const char *path, const pl_mesh *surface, const pl_color *colors,
                                  pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(surface);
  if (view.triangle_count == 0)
    return pl_fail_at(error, PL_ERROR_INVALID_ARGUMENT, path, 0, 0, "there are no triangles to paint");
  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(context, path, &writer, error);
  if (status < 0) return status;
  pl_file_writer_print(writer, "ply\nformat binary_little_endian 1.0\ncomment Pliant %s\n", pl_version());
  pl_file_writer_print(writer, "element vertex %d\nproperty double x\nproperty double y\nproperty double z\n",
                       view.point_count);
  pl_file_writer_print(writer, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
  pl_file_writer_print(writer, "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                       view.triangle_count);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_file_writer_float64(writer, view.points[i].x);
    pl_file_writer_float64(writer, view.points[i].y);
    pl_file_writer_float64(writer, view.points[i].z);
    pl_file_writer_little(writer, byte_of(colors[i].r), 1);
    pl_file_writer_little(writer, byte_of(colors[i].g), 1);
    pl_file_writer_little(writer, byte_of(colors[i].b), 1);
  }
  for (int32_t i = 0; i < view.triangle_count; ++i) {
    pl_file_writer_little(writer, 3, 1);
    for (size_t k = 0; k < 3; ++k) pl_file_writer_little(writer, (uint32_t)view.triangles[3 * (size_t)i + k], 4);
  }
  return pl_file_writer_commit(writer, error);
}
