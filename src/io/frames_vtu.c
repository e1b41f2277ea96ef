// One VTK XML unstructured grid per frame, and a ParaView collection (.pvd) that gives their times. Cells are the tets,
// else the triangles, else the points themselves. Arrays stand raw behind the XML (appended data), each after its
// length in bytes; points as 64-bit floats.
//
// Fields: `displacement` of the points from the first frame, `velocity` where the caller sets it, and of tets `J`,
// their volume relative to the rest shape: det F, negative when inverted; then those that the caller sets.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"
#include "pliant/math.h"

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

// Things that a kind of field has numbers for.
static int64_t field_size(const pl_frames *frames, const cells *c, pl_frame_field_kind kind) {
  return kind == PL_FRAME_FIELD_POINTS ? frames->def.point_count : kind == PL_FRAME_FIELD_CELLS ? c->count : 1;
}

static void put_field(pl_file_writer *writer, const pl_frame_field *field, int64_t size, uint64_t *offset) {
  pl_file_writer_print(writer, "<DataArray type=\"Float64\" Name=\"");
  put_escaped(writer, field->name);
  pl_file_writer_print(writer, "\" NumberOfComponents=\"%d\"", field->component_count);
  for (int32_t k = 0; field->component_names != NULL && k < field->component_count; ++k) {
    pl_file_writer_print(writer, " ComponentName%d=\"", k);
    put_escaped(writer, field->component_names[k]);
    pl_file_writer_print(writer, "\"");
  }
  if (field->kind == PL_FRAME_FIELD_FRAME) pl_file_writer_print(writer, " NumberOfTuples=\"1\"");
  pl_file_writer_print(writer, " format=\"appended\" offset=\"%llu\"/>\n", (unsigned long long)*offset);
  *offset += 8 + 8 * (uint64_t)field->component_count * (uint64_t)size;
}

// The caller's fields of one kind.
static void put_fields_of(const pl_frames *frames, pl_file_writer *writer, const cells *c, pl_frame_field_kind kind,
                          uint64_t *offset) {
  for (int32_t i = 0; i < frames->field_count; ++i)
    if (frames->fields[i].kind == kind) put_field(writer, &frames->fields[i], field_size(frames, c, kind), offset);
}

static bool has_fields_of(const pl_frames *frames, pl_frame_field_kind kind) {
  for (int32_t i = 0; i < frames->field_count; ++i)
    if (frames->fields[i].kind == kind) return true;
  return false;
}

// Fields of the frame stand before the piece, those of points and cells in it; *offset is where the next field begins.
static void put_frame_heads(const pl_frames *frames, pl_file_writer *writer, const cells *c, uint64_t *offset) {
  if (!has_fields_of(frames, PL_FRAME_FIELD_FRAME)) return;
  pl_file_writer_print(writer, "<FieldData>\n");
  put_fields_of(frames, writer, c, PL_FRAME_FIELD_FRAME, offset);
  pl_file_writer_print(writer, "</FieldData>\n");
}

static void put_field_heads(const pl_frames *frames, pl_file_writer *writer, const cells *c, uint64_t *offset) {
  static const pl_frame_field displacement = {"displacement", PL_FRAME_FIELD_POINTS, 3, NULL, NULL},
                              velocity = {"velocity", PL_FRAME_FIELD_POINTS, 3, NULL, NULL},
                              volume = {"J", PL_FRAME_FIELD_CELLS, 1, NULL, NULL};
  pl_file_writer_print(writer, "<PointData>\n");
  put_field(writer, &displacement, frames->def.point_count, offset);
  if (frames->velocities != NULL) put_field(writer, &velocity, frames->def.point_count, offset);
  put_fields_of(frames, writer, c, PL_FRAME_FIELD_POINTS, offset);
  pl_file_writer_print(writer, "</PointData>\n<CellData>\n");
  if (c->type == VTK_TET) put_field(writer, &volume, c->count, offset);
  put_fields_of(frames, writer, c, PL_FRAME_FIELD_CELLS, offset);
  pl_file_writer_print(writer, "</CellData>\n");
}

static void put_head(const pl_frames *frames, pl_file_writer *writer, const cells *c) {
  int32_t point_count = frames->def.point_count;
  uint64_t points = 24 * (uint64_t)point_count, corners = 4 * (uint64_t)c->count * (uint64_t)c->size,
           offsets = 4 * (uint64_t)c->count;
  unsigned long long at_corners = 8 + points, at_offsets = at_corners + 8 + corners,
                     at_types = at_offsets + 8 + offsets;
  pl_file_writer_print(
      writer,
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n");
  uint64_t at_fields = (uint64_t)at_types + 8 + (uint64_t)c->count;
  put_frame_heads(frames, writer, c, &at_fields);
  pl_file_writer_print(writer, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", point_count, c->count);
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
  pl_file_writer_print(writer, "</Cells>\n");
  put_field_heads(frames, writer, c, &at_fields);
  pl_file_writer_print(writer, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
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

static void put_vectors(pl_file_writer *writer, const pl_vec3 *values, const pl_vec3 *less, int32_t count) {
  pl_file_writer_little(writer, 24 * (uint64_t)count, 8);
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 v = less != NULL ? pl_vec3_sub(values[i], less[i]) : values[i];
    pl_file_writer_float64(writer, v.x);
    pl_file_writer_float64(writer, v.y);
    pl_file_writer_float64(writer, v.z);
  }
}

static double six_volumes(const pl_vec3 *points, const int32_t *corners) {
  pl_vec3 a = points[corners[0]], b = pl_vec3_sub(points[corners[1]], a), c = pl_vec3_sub(points[corners[2]], a);
  return pl_vec3_dot(pl_vec3_cross(b, c), pl_vec3_sub(points[corners[3]], a));
}

static void put_values(const pl_frames *frames, pl_file_writer *writer, const cells *c, pl_frame_field_kind kind) {
  for (int32_t i = 0; i < frames->field_count; ++i) {
    const pl_frame_field *field = &frames->fields[i];
    if (field->kind != kind) continue;
    int64_t count = field_size(frames, c, kind) * field->component_count;
    pl_file_writer_little(writer, 8 * (uint64_t)count, 8);
    for (int64_t k = 0; k < count; ++k) pl_file_writer_float64(writer, field->values[k]);
  }
}

// In the order of their heads.
static void put_fields(const pl_frames *frames, pl_file_writer *writer, const pl_vec3 *points, const cells *c) {
  const pl_vec3 *rest = frames->def.rest_points != NULL ? frames->def.rest_points : frames->start_points;
  put_values(frames, writer, c, PL_FRAME_FIELD_FRAME);
  put_vectors(writer, points, frames->start_points, frames->def.point_count);
  if (frames->velocities != NULL) put_vectors(writer, frames->velocities, NULL, frames->def.point_count);
  put_values(frames, writer, c, PL_FRAME_FIELD_POINTS);
  if (c->type == VTK_TET) pl_file_writer_little(writer, 8 * (uint64_t)c->count, 8);
  for (int32_t i = 0; c->type == VTK_TET && i < c->count; ++i) {
    const int32_t *corners = c->corners + 4 * (ptrdiff_t)i;
    pl_file_writer_float64(writer, six_volumes(points, corners) / six_volumes(rest, corners));
  }
  put_values(frames, writer, c, PL_FRAME_FIELD_CELLS);
}

static pl_status keep_start(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  if (frames->start_points != NULL) return PL_OK;
  size_t count = (size_t)frames->def.point_count;
  frames->start_points = pl_allocate_array(frames->context, count, sizeof *points);
  if (frames->start_points == NULL) return pl_fail_memory(error);
  memcpy(frames->start_points, points, count * sizeof *points);
  return PL_OK;
}

static pl_status write_vtu(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  cells c = choose_cells(&frames->def);
  if ((int64_t)c.count * c.size > INT32_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "too many cells for 32-bit offsets");
  pl_status status = keep_start(frames, points, error);
  if (status < 0) return status;
  char *name = pl_frames_file_name(frames, frames->written);
  if (name == NULL) return pl_fail_memory(error);
  pl_file_writer *writer = NULL;
  status = pl_file_writer_open(frames->context, name, &writer, error);
  pl_release(frames->context, name);
  if (status < 0) return status;
  put_head(frames, writer, &c);
  put_arrays(writer, points, frames->def.point_count, &c);
  put_fields(frames, writer, points, &c);
  pl_file_writer_print(writer, "\n</AppendedData>\n</VTKFile>\n");
  return pl_file_writer_commit(writer, error);
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
