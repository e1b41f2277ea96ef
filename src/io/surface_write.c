// Writers of formats that hold surfaces: OBJ as text, PLY and STL as little-endian binary. A mesh of tets gives its
// boundary; all its points are written, so that the order of points stays (STL has none).
#include "base/error.h"
#include "io/file_bytes.h"
#include "io/mesh_formats.h"
#include "pliant/math.h"

static void print_point(pl_file_writer *writer, const char *before, pl_vec3 p, const char *behind) {
  pl_file_writer_print(writer, "%s", before);
  pl_file_writer_number(writer, p.x);
  pl_file_writer_print(writer, " ");
  pl_file_writer_number(writer, p.y);
  pl_file_writer_print(writer, " ");
  pl_file_writer_number(writer, p.z);
  pl_file_writer_print(writer, "%s", behind);
}

static void write_obj(pl_file_writer *writer, const pl_mesh_view *view, const pl_surface *surface) {
  pl_file_writer_print(writer, "# Pliant %s\n", pl_version());
  for (int32_t i = 0; i < view->point_count; ++i) print_point(writer, "v ", view->points[i], "\n");
  for (int32_t i = 0; i < view->segment_count; ++i)
    pl_file_writer_print(writer, "l %d %d\n", view->segments[2 * i] + 1, view->segments[2 * i + 1] + 1);
  for (int32_t i = 0; i < surface->triangle_count; ++i) {
    const int32_t *t = surface->triangles + 3 * (size_t)i;
    pl_file_writer_print(writer, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
  }
}

static void write_ply(pl_file_writer *writer, const pl_mesh_view *view, const pl_surface *surface) {
  pl_file_writer_print(writer, "ply\nformat binary_little_endian 1.0\ncomment Pliant %s\n", pl_version());
  pl_file_writer_print(writer, "element vertex %d\nproperty double x\nproperty double y\nproperty double z\n",
                       view->point_count);
  pl_file_writer_print(writer, "element face %d\nproperty list uchar int vertex_indices\n", surface->triangle_count);
  if (view->segment_count > 0)
    pl_file_writer_print(writer, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", view->segment_count);
  pl_file_writer_print(writer, "end_header\n");
  for (int32_t i = 0; i < view->point_count; ++i) {
    pl_file_writer_float64(writer, view->points[i].x);
    pl_file_writer_float64(writer, view->points[i].y);
    pl_file_writer_float64(writer, view->points[i].z);
  }
  for (int32_t i = 0; i < surface->triangle_count; ++i) {
    pl_file_writer_little(writer, 3, 1);
    for (size_t k = 0; k < 3; ++k) pl_file_writer_little(writer, (uint32_t)surface->triangles[3 * (size_t)i + k], 4);
  }
  for (int32_t i = 0; i < 2 * view->segment_count; ++i) pl_file_writer_little(writer, (uint32_t)view->segments[i], 4);
}

static void write_stl_vector(pl_file_writer *writer, pl_vec3 v) {
  pl_file_writer_float32(writer, (float)v.x);
  pl_file_writer_float32(writer, (float)v.y);
  pl_file_writer_float32(writer, (float)v.z);
}

static void write_stl(pl_file_writer *writer, const pl_mesh_view *view, const pl_surface *surface) {
  // The head must not begin with "solid", which some readers take for text.
  char head[80] = "Pliant";
  pl_file_writer_write(writer, head, sizeof head);
  pl_file_writer_little(writer, (uint32_t)surface->triangle_count, 4);
  for (int32_t i = 0; i < surface->triangle_count; ++i) {
    const int32_t *t = surface->triangles + 3 * (size_t)i;
    pl_vec3 a = view->points[t[0]], b = view->points[t[1]], c = view->points[t[2]];
    pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a));
    write_stl_vector(writer, pl_vec3_normalize_or(normal, (pl_vec3){0, 0, 0}));
    write_stl_vector(writer, a);
    write_stl_vector(writer, b);
    write_stl_vector(writer, c);
    pl_file_writer_little(writer, 0, 2);
  }
}

typedef void write_surface_function(pl_file_writer *writer, const pl_mesh_view *view, const pl_surface *surface);

static pl_status write_surface(pl_context *context, const char *path, const pl_mesh *mesh,
                               write_surface_function *write, pl_error *error) {
  pl_surface surface;
  pl_status status = pl_surface_of_mesh(context, mesh, &surface, error);
  if (status < 0) return status;
  pl_file_writer *writer = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  status = pl_file_writer_open(context, path, &writer, error);
  if (status >= 0) {
    write(writer, &view, &surface);
    status = pl_file_writer_commit(writer, error);
  }
  pl_surface_free(&surface);
  return status;
}

pl_status pl_obj_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  return write_surface(context, path, mesh, write_obj, error);
}

pl_status pl_ply_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  return write_surface(context, path, mesh, write_ply, error);
}

pl_status pl_stl_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.triangle_count == 0 && view.tet_count == 0)
    return pl_fail_at(error, PL_ERROR_INVALID_ARGUMENT, path, 0, 0,
                      "STL holds triangles only, and the mesh has none; use another format");
  return write_surface(context, path, mesh, write_stl, error);
}
