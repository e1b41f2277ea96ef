// VTK XML unstructured grids (.vtu). The tags are walked once and the arrays that matter noted (Points; connectivity,
// offsets and types of Cells; poses of PointData), piece by piece; then their data is read, because appended data
// stands at the end of the file, where raw bytes are no XML any more. Pieces follow one another in the mesh.
#include <stdio.h>
#include <string.h>

#include "io/mesh_formats.h"
#include "io/vtu_array.h"
#include "text/number_text.h"
#include "text/xml_cursor.h"

typedef struct vtu_piece {
  int64_t point_count, cell_count;
  size_t offset;
  pl_vtu_array points, connectivity, offsets, types;
} vtu_piece;

// A pose or a group of a piece.
typedef struct vtu_pose {
  size_t piece;
  pl_vtu_array array;
  char name[256];
  bool group;
} vtu_pose;

typedef enum vtu_part { PART_OTHER, PART_POINTS, PART_CELLS, PART_POINT_DATA } vtu_part;

typedef struct vtu_reader {
  pl_mesh_source *source;
  pl_mesh_builder *builder;
  pl_xml_cursor xml;
  pl_vtu_file file;
  pl_vector pieces;  // vtu_piece
  pl_vector poses;   // vtu_pose, in the order of the pieces
  vtu_part part;
  bool has_grid;
} vtu_reader;

static pl_scalar scalar_named(const char *name) {
  static const char *const names[] = {"",       "Int8",  "UInt8",  "Int16",   "UInt16", "Int32",
                                      "UInt32", "Int64", "UInt64", "Float32", "Float64"};
  for (int i = 1; i < (int)(sizeof names / sizeof names[0]); ++i)
    if (strcmp(name, names[i]) == 0) return (pl_scalar)i;
  return PL_SCALAR_NONE;
}

static pl_status read_file_tag(vtu_reader *reader, const pl_xml_tag *tag) {
  char value[64];
  if (pl_xml_attribute(tag, "type", value, sizeof value) && strcmp(value, "UnstructuredGrid") != 0)
    return pl_source_refuse(reader->source, tag->offset,
                            "a VTK file of type %s is not supported; save it as UnstructuredGrid (.vtu)", value);
  reader->file.big_endian = pl_xml_attribute(tag, "byte_order", value, sizeof value) && strcmp(value, "BigEndian") == 0;
  if (pl_xml_attribute(tag, "header_type", value, sizeof value)) {
    reader->file.head_type = scalar_named(value);
    if (reader->file.head_type != PL_SCALAR_U32 && reader->file.head_type != PL_SCALAR_U64)
      return pl_source_fail(reader->source, tag->offset, "the header_type is %s; UInt32 and UInt64 are possible",
                            value);
  }
  if (pl_xml_attribute(tag, "compressor", value, sizeof value) && value[0] != '\0') {
    if (strcmp(value, "vtkZLibDataCompressor") != 0)
      return pl_source_refuse(reader->source, tag->offset,
                              "the compressor %s is not supported; save with zlib or without compression", value);
    reader->file.is_compressed = true;
  }
  return PL_OK;
}

// A count given as an attribute.
static pl_status read_count(const vtu_reader *reader, const pl_xml_tag *tag, const char *name, int64_t *count) {
  char value[32];
  *count = 0;
  bool there = pl_xml_attribute(tag, name, value, sizeof value);
  size_t length = strlen(value);
  if (there && pl_integer_read(value, value + length, count) == value + length && *count >= 0 && *count <= INT32_MAX)
    return PL_OK;
  return pl_source_fail(reader->source, tag->offset, "%s should be given here as a count", name);
}

static pl_status read_piece_tag(vtu_reader *reader, const pl_xml_tag *tag) {
  vtu_piece *piece = pl_vector_grow(&reader->pieces, 1);
  if (piece == NULL) return pl_source_fail_memory(reader->source);
  piece->offset = tag->offset;
  pl_status status = read_count(reader, tag, "NumberOfPoints", &piece->point_count);
  return status < 0 ? status : read_count(reader, tag, "NumberOfCells", &piece->cell_count);
}

// Pass the content of an array up to its end tag.
static pl_status find_content_end(vtu_reader *reader, pl_vtu_array *array) {
  pl_xml_tag tag;
  do {
    pl_status status = pl_xml_take_tag(&reader->xml, &tag);
    if (status < 0) return status;
    if (tag.is_last) return pl_source_fail(reader->source, array->offset, "this array has no end; the file is cut off");
  } while (!tag.is_end || !pl_word_is(tag.name, "DataArray"));
  array->end = tag.offset;
  return PL_OK;
}

static pl_status note_pose(vtu_reader *reader, const pl_vtu_array *array, const char *name, bool group) {
  if (group && array->component_count > 1)
    return pl_source_fail(reader->source, array->offset, "group '%s' has %lld components; one is needed", name,
                          (long long)array->component_count);
  if (!group && array->component_count != 3)
    return pl_source_fail(reader->source, array->offset, "pose '%s' has %lld components; three are needed", name,
                          (long long)array->component_count);
  vtu_pose pose = {.piece = reader->pieces.count - 1, .array = *array, .group = group};
  snprintf(pose.name, sizeof pose.name, "%s", name);
  return pl_vector_push(&reader->poses, &pose) ? PL_OK : pl_source_fail_memory(reader->source);
}

static pl_status read_array_tag(vtu_reader *reader, const pl_xml_tag *tag) {
  char type[32], format[32], value[64];
  pl_vtu_array array = {.offset = tag->offset};
  array.begin = array.end = (size_t)(reader->xml.at - (const char *)reader->source->bytes);
  bool has_type = pl_xml_attribute(tag, "type", type, sizeof type);
  array.scalar = scalar_named(type);
  array.encoding = PL_VTU_TEXT;
  if (pl_xml_attribute(tag, "format", format, sizeof format))
    array.encoding = strcmp(format, "binary") == 0     ? PL_VTU_INLINE
                     : strcmp(format, "appended") == 0 ? PL_VTU_APPENDED
                                                       : PL_VTU_TEXT;
  int64_t offset = 0;
  if (pl_xml_attribute(tag, "offset", value, sizeof value)) pl_integer_read(value, value + strlen(value), &offset);
  array.appended_offset = offset > 0 ? (uint64_t)offset : 0;
  if (pl_xml_attribute(tag, "NumberOfComponents", value, sizeof value))
    pl_integer_read(value, value + strlen(value), &array.component_count);
  if (!tag->is_empty) {
    pl_status status = find_content_end(reader, &array);
    if (status < 0) return status;
  }
  if (reader->pieces.count == 0 || reader->part == PART_OTHER) return PL_OK;
  char name[256] = "";
  pl_xml_attribute(tag, "Name", name, sizeof name);
  bool is_pose = strncmp(name, PL_POSE_PREFIX, strlen(PL_POSE_PREFIX)) == 0;
  bool is_group = strncmp(name, PL_GROUP_PREFIX, strlen(PL_GROUP_PREFIX)) == 0;
  if (reader->part == PART_POINT_DATA && !is_pose && !is_group) return PL_OK;
  if (!has_type || array.scalar == PL_SCALAR_NONE)
    return pl_source_fail(reader->source, tag->offset,
                          "the type of this array is %s; Float32, Int64 and the like are possible",
                          has_type ? type : "missing");
  if (reader->part == PART_POINT_DATA)
    return note_pose(reader, &array, name + strlen(is_pose ? PL_POSE_PREFIX : PL_GROUP_PREFIX), is_group);
  vtu_piece *piece = &PL_ITEM(&reader->pieces, vtu_piece, reader->pieces.count - 1);
  if (reader->part == PART_POINTS)
    piece->points = array;
  else if (strcmp(name, "connectivity") == 0)
    piece->connectivity = array;
  else if (strcmp(name, "offsets") == 0)
    piece->offsets = array;
  else if (strcmp(name, "types") == 0)
    piece->types = array;
  return PL_OK;
}

static pl_status read_appended_tag(vtu_reader *reader, const pl_xml_tag *tag) {
  char encoding[32];
  pl_xml_attribute(tag, "encoding", encoding, sizeof encoding);
  reader->file.appended_is_raw = strcmp(encoding, "raw") == 0;
  const char *at = reader->xml.at;
  while (at < reader->xml.end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
  if (at >= reader->xml.end || *at != '_')
    return pl_source_fail(reader->source, tag->offset,
                          "appended data begins with an underscore, which is missing here");
  reader->file.appended_start = (size_t)(at + 1 - (const char *)reader->source->bytes);
  return PL_OK;
}

static pl_status read_tags(vtu_reader *reader) {
  for (;;) {
    pl_xml_tag tag;
    pl_status status = pl_xml_take_tag(&reader->xml, &tag);
    if (status < 0 || tag.is_last) return status;
    vtu_part part = pl_word_is(tag.name, "Points")      ? PART_POINTS
                    : pl_word_is(tag.name, "Cells")     ? PART_CELLS
                    : pl_word_is(tag.name, "PointData") ? PART_POINT_DATA
                                                        : PART_OTHER;
    if (part != PART_OTHER) reader->part = tag.is_end || tag.is_empty ? PART_OTHER : part;
    if (tag.is_end) continue;
    if (pl_word_is(tag.name, "VTKFile")) status = read_file_tag(reader, &tag);
    if (pl_word_is(tag.name, "UnstructuredGrid")) reader->has_grid = true;
    if (pl_word_is(tag.name, "Piece")) status = read_piece_tag(reader, &tag);
    if (pl_word_is(tag.name, "DataArray")) status = read_array_tag(reader, &tag);
    if (status < 0) return status;
    if (pl_word_is(tag.name, "AppendedData")) return read_appended_tag(reader, &tag);
  }
}

static pl_status add_points(vtu_reader *reader, const vtu_piece *piece, pl_vector *values) {
  if (piece->point_count == 0) return PL_OK;
  if (piece->points.encoding == PL_VTU_NOWHERE)
    return pl_source_fail(reader->source, piece->offset, "this piece has no Points");
  // Some writers leave the number out for points, where it can only be three.
  if (piece->points.component_count != 3 && piece->points.component_count != 0)
    return pl_source_fail(reader->source, piece->points.offset, "points have %lld components; three are needed",
                          (long long)piece->points.component_count);
  pl_status status = pl_vtu_array_read(&reader->file, &piece->points, false, 3 * (size_t)piece->point_count, values);
  for (int64_t i = 0; i < piece->point_count && status >= 0; ++i) {
    const double *x = &PL_ITEM(values, double, 3 * i);
    status = pl_builder_add_point(reader->builder, (pl_vec3){x[0], x[1], x[2]}, piece->points.offset);
  }
  return status;
}

static pl_status add_group(vtu_reader *reader, const vtu_pose *group, size_t first_point, const double *values,
                           size_t count) {
  int32_t map = -1;
  pl_status status = pl_builder_find_map(reader->builder, group->name, &map);
  for (size_t i = 0; i < count && status >= 0; ++i)
    status = pl_builder_set_map(reader->builder, map, first_point + i, values[i]);
  return status;
}

// Poses and groups of piece number `index`, whose points begin at `first_point` of the mesh.
static pl_status add_poses(vtu_reader *reader, size_t index, size_t first_point, pl_vector *values) {
  size_t count = (size_t)PL_ITEM(&reader->pieces, vtu_piece, index).point_count;
  pl_status status = PL_OK;
  for (size_t i = 0; i < reader->poses.count && status >= 0; ++i) {
    const vtu_pose *pose = &PL_ITEM(&reader->poses, vtu_pose, i);
    if (pose->piece != index || count == 0) continue;
    status = pl_vtu_array_read(&reader->file, &pose->array, false, (pose->group ? 1 : 3) * count, values);
    if (status >= 0 && pose->group) status = add_group(reader, pose, first_point, values->items, count);
    if (status >= 0 && !pose->group)
      status = pl_builder_add_pose(reader->builder, pose->name, first_point, values->items, count, pose->array.offset);
  }
  return status;
}

typedef struct cell_arrays {
  pl_vector corners, ends, types;  // int64_t
} cell_arrays;

static pl_status add_cells(vtu_reader *reader, const vtu_piece *piece, size_t first_point, cell_arrays *arrays) {
  int64_t *corners = arrays->corners.items;
  const int64_t *ends = arrays->ends.items, *types = arrays->types.items;
  int64_t corner_count = (int64_t)arrays->corners.count, start = 0;
  for (int64_t i = 0; i < corner_count; ++i) {
    if (corners[i] < 0 || corners[i] >= piece->point_count)
      return pl_source_fail(reader->source, piece->connectivity.offset,
                            "number %lld of connectivity names point %lld, but there are %lld (counted from 0)",
                            (long long)i, (long long)corners[i], (long long)piece->point_count);
    corners[i] += (int64_t)first_point;
  }
  pl_status status = PL_OK;
  for (int64_t i = 0; i < piece->cell_count && status >= 0; ++i) {
    if (ends[i] < start || ends[i] > corner_count)
      return pl_source_fail(
          reader->source, piece->offsets.offset,
          "the offset of cell %lld is %lld, which is out of order or beyond the %lld numbers of connectivity",
          (long long)i, (long long)ends[i], (long long)corner_count);
    if (ends[i] > start)
      status = pl_vtk_cell_add(reader->builder, types[i], corners + start, (size_t)(ends[i] - start),
                               piece->connectivity.offset);
    start = ends[i];
  }
  return status;
}

static pl_status add_piece(vtu_reader *reader, const vtu_piece *piece, pl_vector *values, cell_arrays *arrays) {
  size_t first_point = reader->builder->points.count, cell_count = (size_t)piece->cell_count;
  pl_status status = add_points(reader, piece, values);
  if (status < 0 || piece->cell_count == 0) return status;
  if (piece->connectivity.encoding == PL_VTU_NOWHERE || piece->offsets.encoding == PL_VTU_NOWHERE ||
      piece->types.encoding == PL_VTU_NOWHERE)
    return pl_source_fail(reader->source, piece->offset, "the cells of this piece lack connectivity, offsets or types");
  status = pl_vtu_array_read(&reader->file, &piece->connectivity, true, 0, &arrays->corners);
  if (status >= 0) status = pl_vtu_array_read(&reader->file, &piece->offsets, true, cell_count, &arrays->ends);
  if (status >= 0) status = pl_vtu_array_read(&reader->file, &piece->types, true, cell_count, &arrays->types);
  return status < 0 ? status : add_cells(reader, piece, first_point, arrays);
}

pl_status pl_vtu_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  pl_context *context = source->context;
  vtu_reader reader = {.source = source,
                       .builder = builder,
                       .xml = pl_xml_cursor_of(source),
                       .file = {.source = source,
                                .head_type = PL_SCALAR_U32,
                                .unpacked_left = (uint64_t)source->size * PL_VTU_MAX_RATIO},
                       .pieces = pl_vector_of(context, sizeof(vtu_piece)),
                       .poses = pl_vector_of(context, sizeof(vtu_pose))};
  pl_vector values = pl_vector_of(context, sizeof(double));
  cell_arrays arrays = {pl_vector_of(context, sizeof(int64_t)), pl_vector_of(context, sizeof(int64_t)),
                        pl_vector_of(context, sizeof(int64_t))};
  pl_status status = read_tags(&reader);
  if (status >= 0 && !reader.has_grid) status = pl_source_fail(source, 0, "the file has no UnstructuredGrid");
  for (size_t i = 0; i < reader.pieces.count && status >= 0; ++i) {
    size_t first_point = builder->points.count;
    status = add_piece(&reader, &PL_ITEM(&reader.pieces, vtu_piece, i), &values, &arrays);
    if (status >= 0) status = add_poses(&reader, i, first_point, &values);
  }
  pl_vector_free(&reader.pieces);
  pl_vector_free(&reader.poses);
  pl_vector_free(&values);
  pl_vector_free(&arrays.corners);
  pl_vector_free(&arrays.ends);
  pl_vector_free(&arrays.types);
  return status;
}
