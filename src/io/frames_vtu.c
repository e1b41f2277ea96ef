// One VTK XML unstructured grid per frame, and a ParaView collection (.pvd) that gives their times. Cells are the tets,
// else the triangles, else the points themselves. Arrays stand raw behind the XML (appended data), each after its
// length in bytes; points as 64-bit floats.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"

enum { VTK_VERTEX = 1, VTK_TRIANGLE = 5, VTK_TET = 10 };

typedef struct cells {
  const int32_t *corners;  // NULL: 0, 1, 2, …
  int32_t count, size;     // cells, corners of each
  int type;
} cells;

static cells choose_cells(const pl_frames_def *def) {
  if (def->tet_count > 0) return (cells){def->tets, def->tet_count, 4, VTK_TET};
  if (def->triangle_count > 0) return (cells){def->triangles, def->triangle_count, 3, VTK_TRIANGLE};
  return (cells){NULL, def->point_count, 1, VTK_VERTEX};
}

static void put_head(pl_file_writer *writer, int32_t point_count, const cells *c) {
  uint64_t points = 24 * (uint64_t)point_count, corners = 4 * (uint64_t)c->count * (uint64_t)c->size,
           offsets = 4 * (uint64_t)c->count;
  unsigned long long at_corners = 8 + points, at_offsets = at_corners + 8 + corners,
                     at_types = at_offsets + 8 + offsets;
  pl_file_writer_print(
      writer,
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
      point_count, c->count);
  pl_file_writer_print(
      writer,
      "<Points><DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" format=\"appended\" "
      "offset=\"0\"/></Points>\n<Cells>\n");
  pl_file_writer_print(
      writer, "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"%llu\"/>\n", at_corners);
  pl_file_writer_print(writer, "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"%llu\"/>\n",
                       at_offsets);
  pl_file_writer_print(writer, "<DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" offset=\"%llu\"/>\n",
                       at_types);
  pl_file_writer_print(writer, "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

static void put_arrays(pl_file_writer *writer, const pl_vec3 *points, int32_t point_count, const cells *c) {
  int64_t corner_count = (int64_t)c->count * c->size;
  pl_file_writer_little(writer, 24 * (uint64_t)point_count, 8);
  for (int32_t i = 0; i < point_count; ++i) {
    pl_file_writer_float64(writer, points[i].x);
    pl_file_writer_float64(writer, points[i].y);
    pl_file_writer_float64(writer, points[i].z);
  }
  pl_file_writer_little(writer, 4 * (uint64_t)corner_count, 8);
  for (int64_t i = 0; i < corner_count; ++i)
    pl_file_writer_little(writer, (uint64_t)(c->corners == NULL ? i : c->corners[i]), 4);
  pl_file_writer_little(writer, 4 * (uint64_t)c->count, 8);
  for (int64_t i = 1; i <= c->count; ++i) pl_file_writer_little(writer, (uint64_t)(i * c->size), 4);
  pl_file_writer_little(writer, (uint64_t)c->count, 8);
  for (int32_t i = 0; i < c->count; ++i) pl_file_writer_little(writer, (uint64_t)c->type, 1);
}

static pl_status write_vtu(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  cells c = choose_cells(&frames->def);
  if ((int64_t)c.count * c.size > INT32_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "too many cells for 32-bit offsets");
  char *name = pl_frames_file_name(frames, frames->written);
  if (name == NULL) return pl_fail_memory(error);
  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(frames->context, name, &writer, error);
  pl_release(frames->context, name);
  if (status < 0) return status;
  put_head(writer, frames->def.point_count, &c);
  put_arrays(writer, points, frames->def.point_count, &c);
  pl_file_writer_print(writer, "\n</AppendedData>\n</VTKFile>\n");
  return pl_file_writer_commit(writer, error);
}

static void put_escaped(pl_file_writer *writer, const char *text) {
  for (; *text != '\0'; ++text) {
    const char *entity = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
    pl_file_writer_write(writer, entity == NULL ? text : entity, entity == NULL ? 1 : strlen(entity));
  }
}

static void put_collection(const pl_frames *frames, pl_file_writer *writer) {
  const char *slash = strrchr(frames->path, '/');
  const char *base = slash == NULL ? frames->path : slash + 1;
  pl_file_writer_print(writer,
                       "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                       "byte_order=\"LittleEndian\">\n<Collection>\n");
  for (int32_t i = 0; i < frames->written; ++i) {
    pl_file_writer_print(writer, "<DataSet timestep=\"");
    pl_file_writer_number(writer, pl_frames_time(frames, i));
    pl_file_writer_print(writer, "\" part=\"0\" file=\"");
    put_escaped(writer, base);
    pl_file_writer_print(writer, "_%04d.vtu\"/>\n", i + 1);
  }
  pl_file_writer_print(writer, "</Collection>\n</VTKFile>\n");
}

static pl_status finish_vtu(pl_frames *frames, pl_error *error) {
  size_t workspace = strlen(frames->path) + 8;
  char *name = pl_allocate(frames->context, workspace);
  if (name == NULL) return pl_fail_memory(error);
  snprintf(name, workspace, "%s.pvd", frames->path);
  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(frames->context, name, &writer, error);
  pl_release(frames->context, name);
  if (status < 0) return status;
  put_collection(frames, writer);
  return pl_file_writer_commit(writer, error);
}

const pl_frames_kind pl_frames_vtu = {.name = "vtu", .write = write_vtu, .finish = finish_vtu};
