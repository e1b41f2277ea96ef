// Legacy VTK files: UNSTRUCTURED_GRID and POLYDATA, text and binary (always big-endian), in the old layout, where every
// cell is preceded by its number of points, and in that of version 5, with OFFSETS and CONNECTIVITY. Field data before
// the points, and METADATA, are passed over. Of the data of points, poses are taken (vectors called pose:NAME); reading
// ends at any other data, which a mesh has no use for.
#include <string.h>

#include "io/mesh_formats.h"
#include "io/scalar_bytes.h"
#include "text/text_cursor.h"

typedef struct vtk_reader {
  pl_mesh_source *source;
  pl_mesh_builder *builder;
  pl_text_cursor text;  // keywords are text in binary files too
  bool is_text, is_polydata;
  pl_vector corners;  // int64_t, points of all cells of the section
  pl_vector starts;   // int64_t, one more than there are cells
  size_t cells_offset;
  bool has_cells;
} vtk_reader;

static pl_scalar scalar_named(pl_word word) {
  static const struct {
    const char *name;
    pl_scalar scalar;
  } names[] = {{"float", PL_SCALAR_F32},        {"double", PL_SCALAR_F64},         {"int", PL_SCALAR_I32},
               {"unsigned_int", PL_SCALAR_U32}, {"long", PL_SCALAR_I64},           {"unsigned_long", PL_SCALAR_U64},
               {"short", PL_SCALAR_I16},        {"unsigned_short", PL_SCALAR_U16}, {"char", PL_SCALAR_I8},
               {"signed_char", PL_SCALAR_I8},   {"unsigned_char", PL_SCALAR_U8},   {"vtkIdType", PL_SCALAR_I32},
               {"vtktypeint64", PL_SCALAR_I64}, {"vtktypeuint64", PL_SCALAR_U64},  {"vtktypeint32", PL_SCALAR_I32},
               {"vtktypeuint32", PL_SCALAR_U32}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (pl_word_is_any_case(word, names[i].name)) return names[i].scalar;
  return PL_SCALAR_NONE;
}

// The type named next.
static pl_status take_type(vtk_reader *reader, pl_scalar *scalar) {
  pl_word word;
  if (!pl_text_take_word_in_line(&reader->text, &word))
    return pl_source_fail(reader->source, pl_text_offset(&reader->text), "a data type such as float is missing here");
  *scalar = scalar_named(word);
  char shown[PL_SHOWN_SIZE];
  if (*scalar == PL_SCALAR_NONE)
    return pl_source_refuse(reader->source, pl_word_offset(&reader->text, word),
                            "\"%s\" is not a data type that can be read; save without it", pl_word_show(word, shown));
  return PL_OK;
}

// Numbers one after the other: words, or bytes from behind the line end.
typedef struct vtk_array {
  vtk_reader *reader;
  pl_byte_cursor bytes;
  pl_scalar scalar;
} vtk_array;

static pl_status begin_array(vtk_reader *reader, pl_scalar scalar, int64_t count, const char *what, vtk_array *array) {
  *array = (vtk_array){.reader = reader, .bytes = {.source = reader->source, .big_endian = true}, .scalar = scalar};
  if (!reader->is_text) {
    pl_text_next_line(&reader->text);
    reader->source->binary = true;
  }
  array->bytes.offset = pl_text_offset(&reader->text);
  // The last number of a text may lack the blank behind it.
  return pl_source_check_count(reader->source, array->bytes.offset, reader->is_text && count > 0 ? count - 1 : count,
                               reader->is_text ? 2 : pl_scalar_size(scalar), what);
}

static pl_status take_integer(vtk_array *array, const char *what, int64_t *value) {
  if (array->reader->is_text) return pl_text_take_integer(&array->reader->text, what, value);
  return pl_bytes_take_integer(&array->bytes, array->scalar, what, value);
}

static pl_status take_number(vtk_array *array, const char *what, double *value) {
  if (array->reader->is_text) return pl_text_take_number(&array->reader->text, what, value);
  return pl_bytes_take_number(&array->bytes, array->scalar, what, value);
}

static size_t array_position(vtk_array *array) {
  if (!array->reader->is_text) return array->bytes.offset;
  pl_text_skip_space(&array->reader->text);
  return pl_text_offset(&array->reader->text);
}

static void end_array(const vtk_array *array) {
  if (array->reader->is_text) return;
  array->reader->text.at = (const char *)array->reader->source->bytes + array->bytes.offset;
  array->reader->source->binary = false;
}

static pl_status read_points(vtk_reader *reader) {
  int64_t count = 0;
  pl_scalar scalar = PL_SCALAR_F32;
  vtk_array array;
  pl_status status = pl_text_take_integer(&reader->text, "the number of points", &count);
  if (status >= 0) status = take_type(reader, &scalar);
  if (status >= 0 && (count < 0 || count > INT32_MAX))
    status =
        pl_source_fail(reader->source, pl_text_offset(&reader->text), "%lld points are announced", (long long)count);
  if (status >= 0) status = begin_array(reader, scalar, 3 * count, "coordinates", &array);
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    pl_vec3 point = {0, 0, 0};
    size_t offset = array_position(&array);
    status = take_number(&array, "the x coordinate", &point.x);
    if (status >= 0) status = take_number(&array, "the y coordinate", &point.y);
    if (status >= 0) status = take_number(&array, "the z coordinate", &point.z);
    if (status >= 0) status = pl_builder_add_point(reader->builder, point, offset);
  }
  if (status >= 0) end_array(&array);
  return status;
}

static pl_status push_integers(vtk_array *array, int64_t count, pl_vector *to) {
  pl_status status = PL_OK;
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    int64_t value;
    status = take_integer(array, "an index", &value);
    if (status >= 0 && !pl_vector_push(to, &value)) status = pl_source_fail_memory(array->reader->source);
  }
  return status;
}

// Old layout: each cell's number of points, then the points.
static pl_status read_old_cells(vtk_reader *reader, int64_t cell_count, int64_t size) {
  vtk_array array;
  pl_status status = begin_array(reader, PL_SCALAR_I32, size, "indices", &array);
  if (status >= 0 && (cell_count < 0 || cell_count > size))
    status = pl_source_fail(reader->source, array.bytes.offset, "%lld cells cannot have %lld numbers",
                            (long long)cell_count, (long long)size);
  int64_t start = 0, left = size;
  for (int64_t i = 0; i < cell_count && status >= 0; ++i) {
    int64_t count = 0;
    size_t offset = array_position(&array);
    status = take_integer(&array, "a cell's number of points", &count);
    if (status >= 0 && (count < 0 || count > left - 1))
      status = pl_source_fail(reader->source, offset, "this cell has %lld points, but only %lld numbers are left",
                              (long long)count, (long long)left - 1);
    if (status >= 0 && !pl_vector_push(&reader->starts, &start)) status = pl_source_fail_memory(reader->source);
    if (status >= 0) status = push_integers(&array, count, &reader->corners);
    start += count;
    left -= count + 1;
  }
  if (status >= 0 && !pl_vector_push(&reader->starts, &start)) status = pl_source_fail_memory(reader->source);
  if (status >= 0) end_array(&array);
  return status;
}

static pl_status read_named_array(vtk_reader *reader, const char *name, int64_t count, pl_vector *to) {
  pl_word word = {"", 0};
  pl_scalar scalar = PL_SCALAR_NONE;
  vtk_array array;
  if (!pl_text_take_word(&reader->text, &word) || !pl_word_is_any_case(word, name))
    return pl_source_fail(reader->source, pl_text_offset(&reader->text), "%s is missing here", name);
  pl_status status = take_type(reader, &scalar);
  if (status >= 0) status = begin_array(reader, scalar, count, "indices", &array);
  if (status >= 0) status = push_integers(&array, count, to);
  if (status >= 0) end_array(&array);
  return status;
}

static pl_status read_new_cells(vtk_reader *reader, int64_t start_count, int64_t corner_count) {
  pl_status status = read_named_array(reader, "OFFSETS", start_count, &reader->starts);
  if (status >= 0) status = read_named_array(reader, "CONNECTIVITY", corner_count, &reader->corners);
  const int64_t *starts = reader->starts.items;
  for (int64_t i = 0; i < start_count && status >= 0; ++i) {
    bool good = starts[i] >= 0 && starts[i] <= corner_count && (i == 0 || starts[i] >= starts[i - 1]);
    if (!good)
      status = pl_source_fail(reader->source, reader->cells_offset, "offset %lld of the cells is out of order",
                              (long long)i);
  }
  return status;
}

// The cells of a section, into corners and starts.
static pl_status read_cells(vtk_reader *reader, size_t offset) {
  int64_t first = 0, second = 0;
  reader->starts.count = reader->corners.count = 0;
  reader->cells_offset = offset;
  pl_status status = pl_text_take_integer(&reader->text, "the number of cells", &first);
  if (status >= 0) status = pl_text_take_integer(&reader->text, "the size of the cells", &second);
  if (status >= 0 && (first < 0 || second < 0)) status = pl_source_fail(reader->source, offset, "a count is negative");
  if (status < 0) return status;
  pl_text_cursor ahead = reader->text;
  pl_word word;
  bool is_new = pl_text_take_word(&ahead, &word) && pl_word_is_any_case(word, "OFFSETS");
  return is_new ? read_new_cells(reader, first, second) : read_old_cells(reader, first, second);
}

static pl_status add_cell(vtk_reader *reader, size_t cell, int64_t type) {
  const int64_t *starts = reader->starts.items, *corners = reader->corners.items;
  size_t count = (size_t)(starts[cell + 1] - starts[cell]);
  return count == 0 ? PL_OK
                    : pl_vtk_cell_add(reader->builder, type, corners + starts[cell], count, reader->cells_offset);
}

static pl_status read_types(vtk_reader *reader, size_t offset) {
  int64_t count = 0;
  vtk_array array;
  pl_status status = pl_text_take_integer(&reader->text, "the number of cell types", &count);
  int64_t cell_count = reader->starts.count > 0 ? (int64_t)reader->starts.count - 1 : 0;
  if (status >= 0 && (!reader->has_cells || count != cell_count))
    status = pl_source_fail(reader->source, offset, "%lld cell types are given for %lld cells", (long long)count,
                            (long long)cell_count);
  if (status >= 0) status = begin_array(reader, PL_SCALAR_I32, count, "cell types", &array);
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    int64_t type;
    status = take_integer(&array, "a cell type", &type);
    if (status >= 0) status = add_cell(reader, (size_t)i, type);
  }
  reader->has_cells = false;
  if (status >= 0) end_array(&array);
  return status;
}

// FIELD name count, then for each array: name components tuples type, and the numbers.
static pl_status skip_field(vtk_reader *reader) {
  pl_word word;
  int64_t array_count = 0;
  pl_text_take_word_in_line(&reader->text, &word);
  pl_status status = pl_text_take_integer(&reader->text, "the number of arrays", &array_count);
  for (int64_t i = 0; i < array_count && status >= 0; ++i) {
    int64_t components = 0, tuples = 0;
    pl_scalar scalar = PL_SCALAR_NONE;
    if (!pl_text_take_word(&reader->text, &word))
      return pl_source_fail(reader->source, reader->source->size, "the file ends inside a field");
    if (pl_word_is(word, "METADATA")) {
      while (pl_text_next_line(&reader->text) && pl_text_skip_blanks(&reader->text)) continue;
      --i;
      continue;
    }
    status = pl_text_take_integer(&reader->text, "the number of components", &components);
    if (status >= 0) status = pl_text_take_integer(&reader->text, "the number of tuples", &tuples);
    if (status >= 0) status = take_type(reader, &scalar);
    if (status >= 0 && (components < 0 || tuples < 0 || components > INT32_MAX || tuples > INT32_MAX))
      status = pl_source_fail(reader->source, pl_text_offset(&reader->text), "the size of a field is out of range");
    int64_t value_count = status >= 0 ? components * tuples : 0;
    vtk_array array;
    if (status >= 0) status = begin_array(reader, scalar, value_count, "field values", &array);
    double ignored;
    for (int64_t k = 0; k < value_count && status >= 0; ++k) status = take_number(&array, "a field value", &ignored);
    if (status >= 0) end_array(&array);
  }
  return status;
}

// A name with %XX decoded, behind the prefix of poses or groups; false for other names.
static bool decode_name(pl_word word, const char *kind, char *name, size_t size) {
  size_t prefix = strlen(kind), used = 0;
  if (word.length < prefix || memcmp(word.text, kind, prefix) != 0) return false;
  for (size_t i = prefix; i < word.length && used + 1 < size; ++i) {
    static const char digits[] = "0123456789ABCDEF";
    const char *high = i + 2 < word.length ? strchr(digits, word.text[i + 1]) : NULL;
    const char *low = i + 2 < word.length ? strchr(digits, word.text[i + 2]) : NULL;
    bool is_code = word.text[i] == '%' && high != NULL && low != NULL && high != digits + 16 && low != digits + 16;
    name[used++] = is_code ? (char)(16 * (high - digits) + (low - digits)) : word.text[i];
    if (is_code) i += 2;
  }
  name[used] = '\0';
  return true;
}

static pl_status read_pose(vtk_reader *reader, const char *name, pl_scalar scalar, bool group) {
  size_t count = reader->builder->points.count, offset = pl_text_offset(&reader->text), width = group ? 1 : 3;
  pl_vector values = pl_vector_of(reader->source->context, sizeof(double));
  vtk_array array;
  pl_status status = begin_array(reader, scalar, (int64_t)(width * count), "vectors", &array);
  double *numbers = status >= 0 ? pl_vector_grow(&values, width * count) : NULL;
  if (status >= 0 && numbers == NULL && count > 0) status = pl_source_fail_memory(reader->source);
  for (size_t i = 0; i < width * count && status >= 0; ++i)
    status = take_number(&array, "a component of a vector", &numbers[i]);
  if (status >= 0) end_array(&array);
  int32_t map = -1;
  if (status >= 0 && group) status = pl_builder_find_map(reader->builder, name, &map);
  for (size_t i = 0; i < count && group && status >= 0; ++i)
    status = pl_builder_set_map(reader->builder, map, i, numbers[i]);
  if (status >= 0 && !group) status = pl_builder_add_pose(reader->builder, name, 0, numbers, count, offset);
  pl_vector_free(&values);
  return status;
}

// Pass `count` numbers; false if they are not all there.
static bool pass_numbers(vtk_reader *reader, pl_scalar scalar, int64_t count) {
  pl_word word;
  if (reader->is_text) {
    for (; count > 0; --count)
      if (!pl_text_take_word(&reader->text, &word)) return false;
    return true;
  }
  pl_text_next_line(&reader->text);
  size_t left = (size_t)(reader->text.end - reader->text.at), size = pl_scalar_size(scalar);
  if ((uint64_t)count > left / size) return false;
  reader->text.at += (size_t)count * size;
  return true;
}

// One array of the data of points, its name being next: a pose or a group is read, others are passed. `components` of 0
// are given in the file.
static pl_status read_point_array(vtk_reader *reader, int64_t components, bool *ended) {
  char name[256];
  pl_word word, number;
  int64_t point_count = (int64_t)reader->builder->points.count, tuples = point_count;
  *ended = true;
  if (!pl_text_take_word(&reader->text, &word)) return PL_OK;
  if (components == 0 && (!pl_text_take_word_in_line(&reader->text, &number) || !pl_word_integer(number, &components) ||
                          !pl_text_take_word_in_line(&reader->text, &number) || !pl_word_integer(number, &tuples)))
    return PL_OK;
  if (!pl_text_take_word_in_line(&reader->text, &number)) return PL_OK;
  pl_scalar scalar = scalar_named(number);
  if (scalar == PL_SCALAR_NONE || components < 1 || components > INT32_MAX || tuples < 0 || tuples > INT32_MAX)
    return PL_OK;
  bool is_pose = components == 3 && tuples == point_count && decode_name(word, PL_POSE_PREFIX, name, sizeof name);
  bool is_group = components == 1 && tuples == point_count && decode_name(word, PL_GROUP_PREFIX, name, sizeof name);
  if (!is_pose && !is_group) {
    *ended = !pass_numbers(reader, scalar, components * tuples);
    return PL_OK;
  }
  *ended = false;
  return read_pose(reader, name, scalar, is_group);
}

// Data of points, as far as it is understood: nothing in it but poses and groups matters, so nothing else in it is an
// error.
static pl_status read_point_data(vtk_reader *reader) {
  pl_word word;
  int64_t count = 0;
  bool ended = !pl_text_take_word_in_line(&reader->text, &word) || !pl_word_integer(word, &count) ||
               count != (int64_t)reader->builder->points.count;
  pl_status status = PL_OK;
  while (!ended && status >= 0 && pl_text_take_word(&reader->text, &word)) {
    if (pl_word_is_any_case(word, "VECTORS")) {
      status = read_point_array(reader, 3, &ended);
    } else if (pl_word_is_any_case(word, "FIELD")) {
      ended = !pl_text_take_word_in_line(&reader->text, &word) || !pl_text_take_word_in_line(&reader->text, &word) ||
              !pl_word_integer(word, &count);
      for (; count > 0 && !ended && status >= 0; --count) status = read_point_array(reader, 0, &ended);
    } else if (pl_word_is_any_case(word, "METADATA")) {
      while (pl_text_next_line(&reader->text) && pl_text_skip_blanks(&reader->text)) continue;
    } else {
      ended = true;
    }
  }
  return status;
}

static pl_status read_section(vtk_reader *reader, pl_word word, bool *ended) {
  static const struct {
    const char *keyword;
    int type;
  } kinds[] = {{"VERTICES", 2}, {"LINES", 4}, {"POLYGONS", 7}, {"TRIANGLE_STRIPS", 6}};
  size_t offset = pl_word_offset(&reader->text, word);
  if (pl_word_is_any_case(word, "POINTS")) return read_points(reader);
  if (pl_word_is_any_case(word, "FIELD")) return skip_field(reader);
  if (pl_word_is_any_case(word, "METADATA")) {
    while (pl_text_next_line(&reader->text) && pl_text_skip_blanks(&reader->text)) continue;
    return PL_OK;
  }
  if (!reader->is_polydata && pl_word_is_any_case(word, "CELLS")) {
    reader->has_cells = true;
    return read_cells(reader, offset);
  }
  if (!reader->is_polydata && pl_word_is_any_case(word, "CELL_TYPES")) return read_types(reader, offset);
  for (size_t i = 0; i < 4 && reader->is_polydata; ++i) {
    if (!pl_word_is_any_case(word, kinds[i].keyword)) continue;
    pl_status status = read_cells(reader, offset);
    for (size_t c = 0; c + 1 < reader->starts.count && status >= 0; ++c) status = add_cell(reader, c, kinds[i].type);
    return status;
  }
  *ended = pl_word_is_any_case(word, "POINT_DATA") || pl_word_is_any_case(word, "CELL_DATA");
  if (pl_word_is_any_case(word, "POINT_DATA")) return read_point_data(reader);
  char shown[PL_SHOWN_SIZE];
  return *ended ? PL_OK
                : pl_source_fail(reader->source, offset, "\"%s\" is not expected here", pl_word_show(word, shown));
}

static pl_status read_head(vtk_reader *reader) {
  pl_text_take_line(&reader->text);
  pl_text_take_line(&reader->text);
  pl_word word = {"", 0};
  if (!pl_text_take_word(&reader->text, &word))
    return pl_source_fail(reader->source, reader->source->size, "the file ends in its head");
  reader->is_text = pl_word_is_any_case(word, "ASCII");
  if (!reader->is_text && !pl_word_is_any_case(word, "BINARY"))
    return pl_source_fail(reader->source, pl_word_offset(&reader->text, word), "ASCII or BINARY should stand here");
  if (!pl_text_take_word(&reader->text, &word) || !pl_word_is_any_case(word, "DATASET") ||
      !pl_text_take_word(&reader->text, &word))
    return pl_source_fail(reader->source, pl_text_offset(&reader->text), "DATASET and its kind should stand here");
  reader->is_polydata = pl_word_is_any_case(word, "POLYDATA");
  char shown[PL_SHOWN_SIZE];
  if (!reader->is_polydata && !pl_word_is_any_case(word, "UNSTRUCTURED_GRID"))
    return pl_source_refuse(reader->source, pl_word_offset(&reader->text, word),
                            "%s is not supported; save it as UNSTRUCTURED_GRID or POLYDATA", pl_word_show(word, shown));
  return PL_OK;
}

pl_status pl_vtk_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  vtk_reader reader = {.source = source,
                       .builder = builder,
                       .text = pl_text_cursor_at(source, 0, '\0'),
                       .corners = pl_vector_of(source->context, sizeof(int64_t)),
                       .starts = pl_vector_of(source->context, sizeof(int64_t))};
  pl_text_skip_space(&reader.text);
  pl_status status = read_head(&reader);
  bool ended = false;
  pl_word word;
  while (status >= 0 && !ended && pl_text_take_word(&reader.text, &word)) status = read_section(&reader, word, &ended);
  if (status >= 0 && reader.has_cells)
    status = pl_source_fail(source, reader.cells_offset, "these cells have no CELL_TYPES; the file is cut off");
  pl_vector_free(&reader.corners);
  pl_vector_free(&reader.starts);
  return status;
}
