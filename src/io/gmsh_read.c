// Gmsh .msh: format 2 (2.0 to 2.2), 4.0 and 4.1, text and binary in both byte orders. A file is a row of sections $Name
// … $EndName; those that are not needed (names, periodic links, partitions, data) are passed over by looking for their
// end. Nodes have tags with gaps; points are numbered in the order the nodes stand in the file. Physical groups of
// volumes become tet tags. The versions' sections are read in gmsh_read2.c and gmsh_read4.c.
#include "io/gmsh_read.h"

#include <string.h>

// Kind and node count of Gmsh's element types; corners always come first.
static const struct {
  unsigned char node_count, corner_count;
  pl_cell_kind kind;
} element_types[] = {
    [1] = {2, 2, PL_CELL_SEGMENT},    [2] = {3, 3, PL_CELL_TRIANGLE},   [3] = {4, 4, PL_CELL_QUAD},
    [4] = {4, 4, PL_CELL_TET},        [5] = {8, 8, PL_CELL_HEX},        [6] = {6, 6, PL_CELL_PRISM},
    [7] = {5, 5, PL_CELL_PYRAMID},    [8] = {3, 2, PL_CELL_SEGMENT},    [9] = {6, 3, PL_CELL_TRIANGLE},
    [10] = {9, 4, PL_CELL_QUAD},      [11] = {10, 4, PL_CELL_TET},      [12] = {27, 8, PL_CELL_HEX},
    [13] = {18, 6, PL_CELL_PRISM},    [14] = {14, 5, PL_CELL_PYRAMID},  [15] = {1, 0, PL_CELL_SEGMENT},
    [16] = {8, 4, PL_CELL_QUAD},      [17] = {20, 8, PL_CELL_HEX},      [18] = {15, 6, PL_CELL_PRISM},
    [19] = {13, 5, PL_CELL_PYRAMID},  [20] = {9, 3, PL_CELL_TRIANGLE},  [21] = {10, 3, PL_CELL_TRIANGLE},
    [22] = {12, 3, PL_CELL_TRIANGLE}, [23] = {15, 3, PL_CELL_TRIANGLE}, [24] = {15, 3, PL_CELL_TRIANGLE},
    [25] = {21, 3, PL_CELL_TRIANGLE}, [26] = {4, 2, PL_CELL_SEGMENT},   [27] = {5, 2, PL_CELL_SEGMENT},
    [28] = {6, 2, PL_CELL_SEGMENT},   [29] = {20, 4, PL_CELL_TET},      [30] = {35, 4, PL_CELL_TET},
    [31] = {56, 4, PL_CELL_TET},      [92] = {64, 8, PL_CELL_HEX},      [93] = {125, 8, PL_CELL_HEX},
};

enum { QUADRATIC_TET = 11 };

int32_t pl_gmsh_node_count(int64_t type) {
  if (type < 0 || type >= (int64_t)(sizeof element_types / sizeof element_types[0])) return 0;
  return element_types[type].node_count;
}

pl_status pl_gmsh_take_int(pl_gmsh_reader *reader, const char *what, int64_t *value) {
  if (reader->is_text) return pl_text_take_integer(&reader->text, what, value);
  return pl_bytes_take_integer(&reader->bytes, PL_SCALAR_I32, what, value);
}

pl_status pl_gmsh_take_size(pl_gmsh_reader *reader, const char *what, int64_t *value) {
  if (reader->is_text) return pl_text_take_integer(&reader->text, what, value);
  return pl_bytes_take_integer(&reader->bytes, reader->size_type, what, value);
}

pl_status pl_gmsh_take_real(pl_gmsh_reader *reader, const char *what, double *value) {
  if (reader->is_text) return pl_text_take_number(&reader->text, what, value);
  return pl_bytes_take_number(&reader->bytes, PL_SCALAR_F64, what, value);
}

size_t pl_gmsh_position(pl_gmsh_reader *reader) {
  if (!reader->is_text) return reader->bytes.offset;
  pl_text_skip_space(&reader->text);
  return pl_text_offset(&reader->text);
}

pl_status pl_gmsh_check_count(pl_gmsh_reader *reader, int64_t count, size_t item_count, size_t item_size,
                              const char *what) {
  size_t min_size = reader->is_text ? 2 * item_count - 1 : item_count * item_size;
  return pl_source_check_count(reader->source, pl_gmsh_position(reader), count, min_size, what);
}

pl_status pl_gmsh_add_node(pl_gmsh_reader *reader, int64_t tag, pl_vec3 point, size_t offset) {
  int32_t index = (int32_t)reader->builder->points.count;
  pl_status status = pl_builder_add_point(reader->builder, point, offset);
  if (status < 0) return status;
  bool is_new;
  if (!pl_index_map_put(&reader->nodes, tag, index, &is_new)) return pl_source_fail_memory(reader->source);
  if (!is_new) return pl_source_fail(reader->source, offset, "node %lld is there twice", (long long)tag);
  return PL_OK;
}

pl_status pl_gmsh_add_element(pl_gmsh_reader *reader, int64_t type, const int64_t *tags, int32_t physical,
                              size_t offset) {
  int32_t node_count = pl_gmsh_node_count(type);
  int64_t nodes[PL_GMSH_MAX_NODES];
  for (int32_t i = 0; i < node_count; ++i) {
    nodes[i] = pl_index_map_get(&reader->nodes, tags[i]);
    if (nodes[i] < 0)
      return pl_source_fail(reader->source, offset,
                            "this element names node %lld, which is not among the nodes before it", (long long)tags[i]);
  }
  int32_t corner_count = element_types[type].corner_count;
  if (corner_count == 0) return PL_OK;  // a single point
  pl_status status = pl_builder_add_cell(reader->builder, element_types[type].kind, nodes, 0, physical, offset);
  // Of quadratic tets Gmsh has the edge 2-3 before 1-3.
  if (type == QUADRATIC_TET) {
    int64_t swapped = nodes[8];
    nodes[8] = nodes[9];
    nodes[9] = swapped;
  }
  for (int32_t i = corner_count; i < node_count && status >= 0; ++i)
    status = pl_builder_add_middle(reader->builder, nodes[i], offset);
  if (type == QUADRATIC_TET && status >= 0) pl_builder_set_quadratic(reader->builder);
  return status;
}

// The text cursor follows the byte cursor at the end of a binary section, and the other way round at its beginning.
static void enter_section(pl_gmsh_reader *reader) {
  if (reader->is_text) return;
  pl_text_next_line(&reader->text);
  reader->bytes.offset = pl_text_offset(&reader->text);
  reader->source->binary = true;
}

static void leave_section(pl_gmsh_reader *reader) {
  if (reader->is_text) return;
  reader->text.at = (const char *)reader->source->bytes + reader->bytes.offset;
  reader->source->binary = false;
}

static pl_status read_format(pl_gmsh_reader *reader) {
  double version;
  int64_t file_type, data_size;
  size_t offset = pl_text_offset(&reader->text);
  pl_status status = pl_text_take_number(&reader->text, "the version", &version);
  if (status >= 0) status = pl_text_take_integer(&reader->text, "the file type", &file_type);
  if (status >= 0) status = pl_text_take_integer(&reader->text, "the data size", &data_size);
  if (status < 0) return status;
  reader->version = version >= 2.0 && version < 3.0    ? 22
                    : version > 4.05 && version < 4.15 ? 41
                    : version >= 4.0 && version < 4.05 ? 40
                                                       : 0;
  if (reader->version == 0)
    return pl_source_refuse(reader->source, offset, "Gmsh format %g is not supported; save it as format 2.2 or 4.1",
                            version);
  reader->is_text = file_type == 0;
  reader->size_type = data_size == 4 ? PL_SCALAR_U32 : PL_SCALAR_U64;
  if (reader->is_text) return PL_OK;
  if (data_size != 8 && data_size != 4)
    return pl_source_fail(reader->source, offset, "the data size is %lld; 4 or 8 is possible", (long long)data_size);
  // A binary file shows its byte order by the number 1.
  enter_section(reader);
  int64_t one;
  status = pl_gmsh_take_int(reader, "the byte order", &one);
  if (status >= 0 && one == 0x01000000) reader->bytes.big_endian = true;
  if (status >= 0 && one != 1 && one != 0x01000000)
    status = pl_source_fail(reader->source, reader->bytes.offset - 4,
                            "the number that shows the byte order is neither 1 nor 1 reversed");
  leave_section(reader);
  return status;
}

// Pass over everything up to and with $EndName. Binary data may hold a dollar sign, so the whole word is looked for.
static pl_status skip_to_end(pl_gmsh_reader *reader, pl_word name) {
  pl_text_cursor *text = &reader->text;
  size_t length = name.length - 1;  // without the dollar sign
  while (text->at < text->end) {
    const char *found = memchr(text->at, '$', (size_t)(text->end - text->at));
    if (found == NULL) break;
    text->at = found + 1;
    if ((size_t)(text->end - text->at) < length + 3 || memcmp(text->at, "End", 3) != 0) continue;
    if (memcmp(text->at + 3, name.text + 1, length) != 0) continue;
    text->at += 3 + length;
    return PL_OK;
  }
  char shown[PL_SHOWN_SIZE];
  return pl_source_fail(reader->source, pl_word_offset(text, name), "the section %s has no end; the file is cut off",
                        pl_word_show(name, shown));
}

static pl_status read_section(pl_gmsh_reader *reader, pl_word name) {
  size_t offset = pl_word_offset(&reader->text, name);
  if (pl_word_is(name, "$MeshFormat")) return read_format(reader);
  if (pl_word_is(name, "$NOD") || pl_word_is(name, "$ELM"))
    return pl_source_refuse(reader->source, offset,
                            "Gmsh format 1 is not supported; open it in Gmsh and save it as format 2.2 or 4.1");
  bool nodes = pl_word_is(name, "$Nodes"), parametric = pl_word_is(name, "$ParametricNodes");
  bool elements = pl_word_is(name, "$Elements"), entities = pl_word_is(name, "$Entities");
  if (!nodes && !elements && !entities && !parametric) return PL_OK;
  if (reader->version == 0) return pl_source_fail(reader->source, offset, "$MeshFormat must come before this section");
  // Format 2 writes its counts as text even in binary files, so the section is entered behind them.
  bool is_version_2 = reader->version == 22;
  if (is_version_2 && entities) return PL_OK;
  if (!is_version_2) enter_section(reader);
  pl_status status;
  if (nodes || parametric)
    status = is_version_2 ? pl_gmsh_read_nodes_2(reader, parametric) : pl_gmsh_read_nodes_4(reader);
  else if (elements)
    status = is_version_2 ? pl_gmsh_read_elements_2(reader) : pl_gmsh_read_elements_4(reader);
  else
    status = pl_gmsh_read_entities_4(reader);
  if (status >= 0) leave_section(reader);
  return status;
}

pl_status pl_gmsh_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  pl_gmsh_reader reader = {.source = source,
                           .builder = builder,
                           .text = pl_text_cursor_at(source, 0, '\0'),
                           .bytes = {.source = source},
                           .is_text = true,
                           .nodes = pl_index_map_of(source->context),
                           .volumes = pl_index_map_of(source->context)};
  pl_status status = PL_OK;
  pl_word name;
  while (status >= 0 && pl_text_take_word(&reader.text, &name)) {
    if (name.text[0] != '$' || name.length < 2) continue;  // stray text between sections
    status = read_section(&reader, name);
    if (status >= 0) status = skip_to_end(&reader, name);
  }
  pl_index_map_free(&reader.nodes);
  pl_index_map_free(&reader.volumes);
  return status;
}
