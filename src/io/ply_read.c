// PLY, text and binary in both byte orders. The head declares elements with properties of any type and order; only the
// x, y, z, colours and maps (`group:NAME`) of "vertex", the index lists of "face" (vertex_index or vertex_indices) and
// "tristrips", and the two ends of "edge" are used, all else is passed over. A strip reverses every second triangle and
// restarts at -1. Of a cloud only "vertex" is used, with normals and colours where they are there.
#include "io/ply_points.h"

#include <string.h>

#include "io/mesh_formats.h"
#include "io/scalar_bytes.h"
#include "text/text_cursor.h"

enum { MAX_PROPERTIES = 256, MAX_ELEMENTS = 64 };

// Those from ROLE_X on are in the order of pl_ply_point.values.
typedef enum ply_role {
  ROLE_NONE,
  ROLE_CORNERS,
  ROLE_STRIP,
  ROLE_FIRST,
  ROLE_SECOND,
  ROLE_X,
  ROLE_Y,
  ROLE_Z,
  ROLE_NORMAL_X,
  ROLE_NORMAL_Y,
  ROLE_NORMAL_Z,
  ROLE_RED,
  ROLE_GREEN,
  ROLE_BLUE,
} ply_role;

enum { POINT_VALUE_COUNT = ROLE_BLUE - ROLE_X + 1 };

typedef struct ply_property {
  pl_scalar scalar, count_scalar;  // count_scalar is PL_SCALAR_NONE for a single value
  ply_role role;
  int32_t map;  // of the builder, + 1; 0: none
} ply_property;

typedef enum ply_kind { KIND_OTHER, KIND_VERTEX, KIND_FACE, KIND_STRIPS, KIND_EDGE } ply_kind;

typedef struct ply_element {
  ply_kind kind;
  int64_t count;
  size_t property_start, property_count;
  size_t offset;
} ply_element;

typedef struct ply_reader {
  pl_mesh_source *source;
  pl_mesh_builder *builder;           // NULL when only points are wanted
  pl_ply_point_function *take_point;  // called for each point then
  void *take_data;
  pl_text_cursor text;
  pl_byte_cursor bytes;
  bool is_text;
  size_t element_count, property_count;
  ply_element elements[MAX_ELEMENTS];
  ply_property properties[MAX_PROPERTIES];
  pl_vector list;  // int64_t, of the element being read
} ply_reader;

static pl_scalar scalar_named(pl_word word) {
  static const struct {
    const char *name;
    pl_scalar scalar;
  } names[] = {{"char", PL_SCALAR_I8},     {"int8", PL_SCALAR_I8},    {"uchar", PL_SCALAR_U8},
               {"uint8", PL_SCALAR_U8},    {"short", PL_SCALAR_I16},  {"int16", PL_SCALAR_I16},
               {"ushort", PL_SCALAR_U16},  {"uint16", PL_SCALAR_U16}, {"int", PL_SCALAR_I32},
               {"int32", PL_SCALAR_I32},   {"uint", PL_SCALAR_U32},   {"uint32", PL_SCALAR_U32},
               {"int64", PL_SCALAR_I64},   {"uint64", PL_SCALAR_U64}, {"float", PL_SCALAR_F32},
               {"float32", PL_SCALAR_F32}, {"double", PL_SCALAR_F64}, {"float64", PL_SCALAR_F64}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (pl_word_is_any_case(word, names[i].name)) return names[i].scalar;
  return PL_SCALAR_NONE;
}

static pl_status fail_word(const ply_reader *reader, pl_word word, const char *what) {
  char shown[PL_SHOWN_SIZE];
  return pl_source_fail(reader->source, pl_word_offset(&reader->text, word), "\"%s\" is not %s",
                        pl_word_show(word, shown), what);
}

// Next word of the head's line.
static pl_status head_word(ply_reader *reader, const char *what, pl_word *word) {
  if (pl_text_take_word_in_line(&reader->text, word)) return PL_OK;
  return pl_source_fail(reader->source, pl_text_offset(&reader->text), "%s is missing from the PLY head here", what);
}

static pl_status read_format(ply_reader *reader) {
  pl_word word;
  pl_status status = head_word(reader, "the format", &word);
  if (status < 0) return status;
  reader->is_text = pl_word_is(word, "ascii");
  reader->bytes.big_endian = pl_word_is(word, "binary_big_endian");
  if (reader->is_text || reader->bytes.big_endian || pl_word_is(word, "binary_little_endian")) return PL_OK;
  return fail_word(reader, word, "a PLY format; ascii, binary_little_endian and binary_big_endian are");
}

static pl_status read_element(ply_reader *reader) {
  pl_word name, count;
  pl_status status = head_word(reader, "the element's name", &name);
  if (status >= 0) status = head_word(reader, "the element's count", &count);
  if (status < 0) return status;
  if (reader->element_count == MAX_ELEMENTS)
    return pl_source_refuse(reader->source, pl_word_offset(&reader->text, name), "too many elements");
  ply_element *element = &reader->elements[reader->element_count];
  *element = (ply_element){.property_start = reader->property_count, .offset = pl_word_offset(&reader->text, count)};
  if (!pl_word_integer(count, &element->count) || element->count < 0) return fail_word(reader, count, "a count");
  element->kind = pl_word_is(name, "vertex")      ? KIND_VERTEX
                  : pl_word_is(name, "face")      ? KIND_FACE
                  : pl_word_is(name, "tristrips") ? KIND_STRIPS
                  : pl_word_is(name, "edge")      ? KIND_EDGE
                                                  : KIND_OTHER;
  ++reader->element_count;
  return PL_OK;
}

static ply_role point_role(pl_word name) {
  static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz", "red", "green", "blue"};
  for (int i = 0; i < POINT_VALUE_COUNT; ++i)
    if (pl_word_is(name, names[i])) return (ply_role)(ROLE_X + i);
  return ROLE_NONE;
}

// What the largest value of a colour is, by its type.
static double full_color(pl_scalar scalar) {
  return scalar >= PL_SCALAR_F32 ? 1 : scalar >= PL_SCALAR_I32 ? 4294967295.0 : scalar >= PL_SCALAR_I16 ? 65535 : 255;
}

// Colours and named weights of a vertex become groups of the mesh.
static pl_status find_map(ply_reader *reader, pl_word name, ply_property *property) {
  static const char *const channels[] = {"red", "green", "blue", "alpha"};
  char group[256] = "";
  for (int i = 0; i < 4; ++i)
    if (pl_word_is(name, channels[i])) pl_color_map_name(group, 0, i);
  size_t prefix = strlen(PL_GROUP_PREFIX);
  if (name.length > prefix && name.length - prefix < sizeof group && memcmp(name.text, PL_GROUP_PREFIX, prefix) == 0) {
    memcpy(group, name.text + prefix, name.length - prefix);
    group[name.length - prefix] = '\0';
  }
  if (group[0] == '\0') return PL_OK;
  int32_t map = -1;
  pl_status status = pl_builder_find_map(reader->builder, group, &map);
  property->map = map + 1;
  return status;
}

static ply_role role_of(ply_kind kind, bool is_list, pl_word name) {
  bool indices = is_list && (pl_word_is(name, "vertex_indices") || pl_word_is(name, "vertex_index"));
  switch (kind) {
    case KIND_VERTEX: return is_list ? ROLE_NONE : point_role(name);
    case KIND_FACE: return indices ? ROLE_CORNERS : ROLE_NONE;
    case KIND_STRIPS: return indices ? ROLE_STRIP : ROLE_NONE;
    case KIND_EDGE:
      if (is_list) return ROLE_NONE;
      return pl_word_is(name, "vertex1") ? ROLE_FIRST : pl_word_is(name, "vertex2") ? ROLE_SECOND : ROLE_NONE;
    default: return ROLE_NONE;
  }
}

static pl_status read_property(ply_reader *reader) {
  pl_word type, name, count_type = {"", 0};
  pl_status status = head_word(reader, "the property's type", &type);
  bool is_list = status >= 0 && pl_word_is(type, "list");
  if (is_list) {
    status = head_word(reader, "the list's count type", &count_type);
    if (status >= 0) status = head_word(reader, "the list's item type", &type);
  }
  if (status >= 0) status = head_word(reader, "the property's name", &name);
  if (status < 0) return status;
  if (reader->element_count == 0) return fail_word(reader, name, "allowed here: a property must follow its element");
  if (reader->property_count == MAX_PROPERTIES)
    return pl_source_refuse(reader->source, pl_word_offset(&reader->text, name), "more than %d properties are too many",
                            MAX_PROPERTIES);
  ply_element *element = &reader->elements[reader->element_count - 1];
  ply_property property = {.scalar = scalar_named(type), .role = role_of(element->kind, is_list, name)};
  if (property.scalar == PL_SCALAR_NONE)
    return fail_word(reader, type, "a type of PLY; float, double, int, uchar and the like are");
  if (is_list) {
    property.count_scalar = scalar_named(count_type);
    if (property.count_scalar == PL_SCALAR_NONE || property.count_scalar >= PL_SCALAR_F32)
      return fail_word(reader, count_type, "a type for a list's count; use uchar or int");
  }
  if (reader->builder != NULL && element->kind == KIND_VERTEX && !is_list) {
    status = find_map(reader, name, &property);
    if (status < 0) return status;
  }
  reader->properties[reader->property_count++] = property;
  ++element->property_count;
  return PL_OK;
}

static pl_status read_head(ply_reader *reader) {
  bool has_format = false;
  pl_status status = PL_OK;
  while (status >= 0) {
    if (!pl_text_next_line(&reader->text) && reader->text.at >= reader->text.end)
      return pl_source_fail(reader->source, reader->source->size, "the file ends before end_header; it is cut off");
    pl_word word;
    if (!pl_text_take_word_in_line(&reader->text, &word)) continue;
    if (pl_word_is(word, "comment") || pl_word_is(word, "obj_info")) continue;
    if (pl_word_is(word, "end_header")) break;
    if (pl_word_is(word, "format")) {
      has_format = true;
      status = read_format(reader);
    } else if (pl_word_is(word, "element")) {
      status = read_element(reader);
    } else if (pl_word_is(word, "property")) {
      status = read_property(reader);
    } else {
      status = fail_word(reader, word, "a word of a PLY head");
    }
  }
  if (status >= 0 && !has_format)
    status = pl_source_fail(reader->source, pl_text_offset(&reader->text), "the PLY head has no format line");
  if (status < 0) return status;
  // Exactly one line end stands before binary data: a CR with an LF behind it counts as one.
  pl_text_next_line(&reader->text);
  reader->bytes.source = reader->source;
  reader->bytes.offset = pl_text_offset(&reader->text);
  reader->source->binary = !reader->is_text;
  return PL_OK;
}

static pl_status take_integer(ply_reader *reader, pl_scalar scalar, const char *what, int64_t *value) {
  return reader->is_text ? pl_text_take_integer(&reader->text, what, value)
                         : pl_bytes_take_integer(&reader->bytes, scalar, what, value);
}

static pl_status take_number(ply_reader *reader, pl_scalar scalar, const char *what, double *value) {
  return reader->is_text ? pl_text_take_number(&reader->text, what, value)
                         : pl_bytes_take_number(&reader->bytes, scalar, what, value);
}

static size_t current_offset(const ply_reader *reader) {
  return reader->is_text ? pl_text_offset(&reader->text) : reader->bytes.offset;
}

// A list; kept in reader->list if it has a role.
static pl_status read_list(ply_reader *reader, const ply_property *property) {
  int64_t count = 0;
  pl_status status = take_integer(reader, property->count_scalar, "the length of a list", &count);
  size_t min_size = reader->is_text ? 2 : pl_scalar_size(property->scalar);
  // The last number of a text may lack the blank behind it.
  if (status >= 0)
    status = pl_source_check_count(reader->source, current_offset(reader),
                                   reader->is_text && count > 0 ? count - 1 : count, min_size, "list items");
  if (status < 0) return status;
  bool keep = property->role != ROLE_NONE;
  reader->list.count = keep ? 0 : reader->list.count;
  if (!keep && !reader->is_text) {
    const unsigned char *ignored;
    return pl_bytes_take(&reader->bytes, (size_t)count, min_size, "a list", &ignored);
  }
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    int64_t item = 0;
    double number;
    status = keep ? take_integer(reader, property->scalar, "an index", &item)
                  : take_number(reader, property->scalar, "a list item", &number);
    if (status >= 0 && keep && !pl_vector_push(&reader->list, &item)) status = pl_source_fail_memory(reader->source);
  }
  return status;
}

static pl_status add_strips(ply_reader *reader, size_t offset) {
  const int64_t *items = reader->list.items;
  size_t start = 0;
  pl_status status = PL_OK;
  for (size_t i = 0; i < reader->list.count && status >= 0; ++i) {
    if (items[i] < 0) {
      start = i + 1;
      continue;
    }
    if (i < start + 2) continue;
    bool odd = (i - start) % 2 == 1;
    int64_t corners[3] = {items[i - 2], items[odd ? i : i - 1], items[odd ? i - 1 : i]};
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
      continue;  // a strip's way to turn a corner
    status = pl_builder_add_cell(reader->builder, PL_CELL_TRIANGLE, corners, 3, 0, offset);
  }
  return status;
}

static bool has_role(const ply_reader *reader, const ply_element *element, ply_role role) {
  for (size_t i = 0; i < element->property_count; ++i)
    if (reader->properties[element->property_start + i].role == role) return true;
  return false;
}

// Hand a vertex on; all else in the file is of no use for a cloud.
static pl_status take_point(const ply_reader *reader, const ply_element *element,
                            const double values[POINT_VALUE_COUNT]) {
  if (element->kind != KIND_VERTEX) return PL_OK;
  pl_ply_point point = {.position = {values[0], values[1], values[2]},
                        .normal = {values[3], values[4], values[5]},
                        .color = {(float)values[6], (float)values[7], (float)values[8]},
                        .has_normal = has_role(reader, element, ROLE_NORMAL_X) &&
                                      has_role(reader, element, ROLE_NORMAL_Y) &&
                                      has_role(reader, element, ROLE_NORMAL_Z),
                        .has_color = has_role(reader, element, ROLE_RED) && has_role(reader, element, ROLE_GREEN) &&
                                     has_role(reader, element, ROLE_BLUE)};
  return reader->take_point(reader->take_data, &point);
}

static pl_status read_item(ply_reader *reader, const ply_element *element) {
  double values[POINT_VALUE_COUNT] = {0};
  int64_t ends[2] = {0};
  size_t offset = current_offset(reader);
  if (reader->is_text && pl_text_skip_space(&reader->text)) offset = pl_text_offset(&reader->text);
  reader->list.count = 0;
  bool strip = false;
  for (size_t i = 0; i < element->property_count; ++i) {
    const ply_property *property = &reader->properties[element->property_start + i];
    pl_status status;
    double number = 0;
    if (property->count_scalar != PL_SCALAR_NONE) {
      status = read_list(reader, property);
      strip = strip || property->role == ROLE_STRIP;
    } else if (property->role == ROLE_FIRST || property->role == ROLE_SECOND) {
      status = take_integer(reader, property->scalar, "a vertex of an edge", &ends[property->role - ROLE_FIRST]);
    } else {
      status = take_number(reader, property->scalar, "a property", &number);
      if (property->role >= ROLE_RED || property->map > 0) number /= full_color(property->scalar);
      // The point itself is added behind its last property.
      if (status >= 0 && property->map > 0)
        status = pl_builder_set_map(reader->builder, property->map - 1, reader->builder->points.count, number);
      if (property->role >= ROLE_X) values[property->role - ROLE_X] = number;
    }
    if (status < 0) return status;
  }
  if (reader->builder == NULL) return take_point(reader, element, values);
  switch (element->kind) {
    case KIND_VERTEX: return pl_builder_add_point(reader->builder, (pl_vec3){values[0], values[1], values[2]}, offset);
    case KIND_FACE:
      return pl_builder_add_cell(reader->builder, PL_CELL_POLYGON, reader->list.items, reader->list.count, 0, offset);
    case KIND_STRIPS: return strip ? add_strips(reader, offset) : PL_OK;
    case KIND_EDGE: return pl_builder_add_cell(reader->builder, PL_CELL_SEGMENT, ends, 2, 0, offset);
    default: return PL_OK;
  }
}

// Bytes an item takes at least: what a lying count is measured by.
static size_t min_item_size(const ply_reader *reader, const ply_element *element) {
  if (reader->is_text) return element->property_count > 0 ? 2 * element->property_count - 1 : 1;
  size_t size = 0;
  for (size_t i = 0; i < element->property_count; ++i) {
    const ply_property *property = &reader->properties[element->property_start + i];
    size += pl_scalar_size(property->count_scalar != PL_SCALAR_NONE ? property->count_scalar : property->scalar);
  }
  return size > 0 ? size : 1;
}

static pl_status check_element(const ply_reader *reader, const ply_element *element) {
  bool complete = true;
  if (reader->builder == NULL && element->kind != KIND_VERTEX) return PL_OK;
  if (element->kind == KIND_VERTEX)
    complete =
        has_role(reader, element, ROLE_X) && has_role(reader, element, ROLE_Y) && has_role(reader, element, ROLE_Z);
  if (element->kind == KIND_FACE && element->count > 0) complete = has_role(reader, element, ROLE_CORNERS);
  if (element->kind == KIND_EDGE && element->count > 0)
    complete = has_role(reader, element, ROLE_FIRST) && has_role(reader, element, ROLE_SECOND);
  if (complete) return PL_OK;
  bool was_binary = reader->source->binary;
  reader->source->binary = false;
  pl_status status = pl_source_fail(reader->source, element->offset, "this element lacks %s",
                                    element->kind == KIND_VERTEX ? "x, y or z"
                                    : element->kind == KIND_FACE ? "vertex_indices"
                                                                 : "vertex1 or vertex2");
  reader->source->binary = was_binary;
  return status;
}

static pl_status read_body(ply_reader *reader) {
  pl_status status = PL_OK;
  for (size_t e = 0; e < reader->element_count && status >= 0; ++e) {
    const ply_element *element = &reader->elements[e];
    status = check_element(reader, element);
    if (status >= 0)
      status = pl_source_check_count(reader->source, current_offset(reader), element->count,
                                     min_item_size(reader, element), "elements");
    if (element->property_count == 0) continue;
    for (int64_t i = 0; i < element->count && status >= 0; ++i) status = read_item(reader, element);
  }
  return status;
}

pl_status pl_ply_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  ply_reader reader = {.source = source, .builder = builder, .text = pl_text_cursor_at(source, 0, '\0')};
  reader.list = pl_vector_of(source->context, sizeof(int64_t));
  pl_status status = read_head(&reader);
  if (status >= 0) status = read_body(&reader);
  pl_vector_free(&reader.list);
  return status;
}

pl_status pl_ply_read_points(pl_mesh_source *source, pl_ply_point_function *function, void *data) {
  ply_reader reader = {
      .source = source, .take_point = function, .take_data = data, .text = pl_text_cursor_at(source, 0, '\0')};
  reader.list = pl_vector_of(source->context, sizeof(int64_t));
  pl_status status = read_head(&reader);
  if (status >= 0) status = read_body(&reader);
  pl_vector_free(&reader.list);
  return status;
}
