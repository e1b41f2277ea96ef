// VTU writer: appended raw data, little-endian, sizes as UInt64, so that nothing is lost and ParaView reads it at the
// disk's speed.
#include <string.h>

#include "io/file_bytes.h"
#include "io/mesh_formats.h"
#include "pliant/math.h"

typedef struct grid_size {
  uint64_t cell_count, corner_count;
} grid_size;

// Announce an array of `size` bytes at *offset, and move on behind it and its size.
static void announce(pl_file_writer *writer, const char *type, const char *name, int component_count, uint64_t size,
                     uint64_t *offset) {
  pl_file_writer_print(
      writer, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
      type, name, component_count, (unsigned long long)*offset);
  *offset += 8 + size;
}

// A name as the value of an attribute.
static void print_name(pl_file_writer *writer, const char *name) {
  for (; *name != '\0'; ++name) {
    if (strchr("&<>\"", *name) != NULL)
      pl_file_writer_print(writer, "&#%d;", *name);
    else
      pl_file_writer_write(writer, name, 1);
  }
}

// Poses as displacements, which ParaView can warp by, and groups as scalars.
static void announce_poses(pl_file_writer *writer, const pl_mesh_view *view, uint64_t *offset) {
  if (view->pose_count == 0 && view->group_count == 0) return;
  pl_file_writer_print(writer, "<PointData>\n");
  for (int32_t i = 0; i < view->pose_count; ++i) {
    pl_file_writer_print(writer, "<DataArray type=\"Float64\" Name=\"" PL_POSE_PREFIX);
    print_name(writer, view->poses[i].name);
    pl_file_writer_print(writer, "\" NumberOfComponents=\"3\" format=\"appended\" offset=\"%llu\"/>\n",
                         (unsigned long long)*offset);
    *offset += 8 + 24 * (uint64_t)view->point_count;
  }
  for (int32_t i = 0; i < view->group_count; ++i) {
    pl_file_writer_print(writer, "<DataArray type=\"Float32\" Name=\"" PL_GROUP_PREFIX);
    print_name(writer, view->groups[i].name);
    pl_file_writer_print(writer, "\" NumberOfComponents=\"1\" format=\"appended\" offset=\"%llu\"/>\n",
                         (unsigned long long)*offset);
    *offset += 8 + 4 * (uint64_t)view->point_count;
  }
  pl_file_writer_print(writer, "</PointData>\n");
}

static void write_vectors(pl_file_writer *writer, const pl_vec3 *vectors, const pl_vec3 *from, int32_t count) {
  pl_file_writer_little(writer, 24 * (uint64_t)count, 8);
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 v = from == NULL ? vectors[i] : pl_vec3_sub(vectors[i], from[i]);
    pl_file_writer_float64(writer, v.x);
    pl_file_writer_float64(writer, v.y);
    pl_file_writer_float64(writer, v.z);
  }
}

static void write_head(pl_file_writer *writer, const pl_mesh_view *view, grid_size size) {
  uint64_t offset = 0;
  pl_file_writer_print(
      writer,
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n");
  pl_file_writer_print(writer, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%llu\">\n<Points>\n", view->point_count,
                       (unsigned long long)size.cell_count);
  announce(writer, "Float64", "Points", 3, 24 * (uint64_t)view->point_count, &offset);
  pl_file_writer_print(writer, "</Points>\n<Cells>\n");
  announce(writer, "Int64", "connectivity", 1, 8 * size.corner_count, &offset);
  announce(writer, "Int64", "offsets", 1, 8 * size.cell_count, &offset);
  announce(writer, "UInt8", "types", 1, size.cell_count, &offset);
  pl_file_writer_print(writer, "</Cells>\n");
  if (view->tet_tags != NULL) {
    pl_file_writer_print(writer, "<CellData Scalars=\"tag\">\n");
    announce(writer, "Int32", "tag", 1, 4 * size.cell_count, &offset);
    pl_file_writer_print(writer, "</CellData>\n");
  }
  announce_poses(writer, view, &offset);
  pl_file_writer_print(writer, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

static void write_indices(pl_file_writer *writer, const int32_t *indices, size_t count) {
  for (size_t i = 0; i < count; ++i) pl_file_writer_little(writer, (uint64_t)indices[i], 8);
}

static void write_cells(pl_file_writer *writer, const pl_mesh_view *view, grid_size size) {
  const int32_t counts[3] = {view->segment_count, view->triangle_count, view->tet_count};
  const unsigned char types[3] = {3, 5, view->tet_mids != NULL ? 24 : 10};
  pl_file_writer_little(writer, 8 * size.corner_count, 8);
  write_indices(writer, view->segments, 2 * (size_t)view->segment_count);
  write_indices(writer, view->triangles, 3 * (size_t)view->triangle_count);
  for (int32_t i = 0; i < view->tet_count; ++i) {
    write_indices(writer, view->tets + 4 * (size_t)i, 4);
    if (view->tet_mids != NULL) write_indices(writer, view->tet_mids + 6 * (size_t)i, 6);
  }
  pl_file_writer_little(writer, 8 * size.cell_count, 8);
  const unsigned sizes[3] = {2, 3, view->tet_mids != NULL ? 10 : 4};
  uint64_t end = 0;
  for (unsigned kind = 0; kind < 3; ++kind)
    for (int32_t i = 0; i < counts[kind]; ++i) pl_file_writer_little(writer, end += sizes[kind], 8);
  pl_file_writer_little(writer, size.cell_count, 8);
  for (unsigned kind = 0; kind < 3; ++kind)
    for (int32_t i = 0; i < counts[kind]; ++i) pl_file_writer_little(writer, types[kind], 1);
  if (view->tet_tags == NULL) return;
  pl_file_writer_little(writer, 4 * size.cell_count, 8);
  for (unsigned kind = 0; kind < 3; ++kind)
    for (int32_t i = 0; i < counts[kind]; ++i)
      pl_file_writer_little(writer, kind == 2 ? (uint32_t)view->tet_tags[i] : 0, 4);
}

pl_status pl_vtu_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(context, path, &writer, error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  grid_size size = {
      .cell_count = (uint64_t)view.segment_count + (uint64_t)view.triangle_count + (uint64_t)view.tet_count,
      .corner_count = 2 * (uint64_t)view.segment_count + 3 * (uint64_t)view.triangle_count +
                      (view.tet_mids != NULL ? 10 : 4) * (uint64_t)view.tet_count,
  };
  write_head(writer, &view, size);
  write_vectors(writer, view.points, NULL, view.point_count);
  write_cells(writer, &view, size);
  for (int32_t i = 0; i < view.pose_count; ++i)
    write_vectors(writer, view.poses[i].points, view.points, view.point_count);
  for (int32_t i = 0; i < view.group_count; ++i) {
    pl_file_writer_little(writer, 4 * (uint64_t)view.point_count, 8);
    for (int32_t k = 0; k < view.point_count; ++k) pl_file_writer_float32(writer, view.groups[i].weights[k]);
  }
  pl_file_writer_print(writer, "\n</AppendedData>\n</VTKFile>\n");
  return pl_file_writer_commit(writer, error);
}
