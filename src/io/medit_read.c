// Medit .mesh (INRIA's libmesh), text of versions 1 and 2: keywords in any case, each followed by a count and its
// lines, every element ending with a reference tag. The tags of volume cells become tet tags. Keywords of solver fields
// and geometry that is not used are passed over up to the next keyword.
#include "io/mesh_formats.h"
#include "text/text_cursor.h"

static const struct {
  const char *keyword;
  pl_cell_kind kind;
  int corner_count, middle_count;
} cell_sections[] = {
    {"Edges", PL_CELL_SEGMENT, 2, 0},    {"Triangles", PL_CELL_TRIANGLE, 3, 0}, {"Quadrilaterals", PL_CELL_QUAD, 4, 0},
    {"Quadrangles", PL_CELL_QUAD, 4, 0}, {"Tetrahedra", PL_CELL_TET, 4, 0},     {"Pyramids", PL_CELL_PYRAMID, 5, 0},
    {"Prisms", PL_CELL_PRISM, 6, 0},     {"Pentahedra", PL_CELL_PRISM, 6, 0},   {"Hexahedra", PL_CELL_HEX, 8, 0},
    {"Hexaedra", PL_CELL_HEX, 8, 0},     {"EdgesP2", PL_CELL_SEGMENT, 2, 1},    {"TrianglesP2", PL_CELL_TRIANGLE, 3, 3},
    {"TetrahedraP2", PL_CELL_TET, 4, 6},
};

typedef struct medit_reader {
  pl_mesh_source *source;
  pl_mesh_builder *builder;
  pl_text_cursor cursor;
  int64_t dimension;
} medit_reader;

static pl_status read_count(medit_reader *reader, size_t min_size, int64_t *count) {
  pl_status status = pl_text_take_integer(&reader->cursor, "a count", count);
  if (status < 0) return status;
  return pl_source_check_count(reader->source, pl_text_offset(&reader->cursor), *count, min_size, "items");
}

static pl_status read_vertices(medit_reader *reader) {
  int64_t count = 0, reference = 0;
  pl_status status = read_count(reader, 2 * (size_t)reader->dimension + 1, &count);
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    pl_vec3 point = {0, 0, 0};
    pl_text_skip_space(&reader->cursor);
    size_t offset = pl_text_offset(&reader->cursor);
    status = pl_text_take_number(&reader->cursor, "the x coordinate", &point.x);
    if (status >= 0) status = pl_text_take_number(&reader->cursor, "the y coordinate", &point.y);
    if (status >= 0 && reader->dimension == 3)
      status = pl_text_take_number(&reader->cursor, "the z coordinate", &point.z);
    if (status >= 0) status = pl_text_take_integer(&reader->cursor, "the vertex's reference", &reference);
    if (status >= 0) status = pl_builder_add_point(reader->builder, point, offset);
  }
  return status;
}

static pl_status read_cells(medit_reader *reader, size_t section) {
  int corner_count = cell_sections[section].corner_count,
      node_count = corner_count + cell_sections[section].middle_count;
  int64_t count = 0;
  pl_status status = read_count(reader, 2 * (size_t)node_count + 1, &count);
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    int64_t nodes[16], reference = 0;
    pl_text_skip_space(&reader->cursor);
    size_t offset = pl_text_offset(&reader->cursor);
    for (int k = 0; k < node_count && status >= 0; ++k) {
      status = pl_text_take_integer(&reader->cursor, "a vertex of the element", &nodes[k]);
      --nodes[k];
    }
    if (status >= 0) status = pl_text_take_integer(&reader->cursor, "the element's reference", &reference);
    int32_t tag = reference >= INT32_MIN && reference <= INT32_MAX ? (int32_t)reference : 0;
    if (status >= 0) status = pl_builder_add_cell(reader->builder, cell_sections[section].kind, nodes, 0, tag, offset);
    for (int k = corner_count; k < node_count && status >= 0; ++k)
      status = pl_builder_add_middle(reader->builder, nodes[k], offset);
  }
  return status;
}

static pl_status read_dimension(medit_reader *reader) {
  pl_status status = pl_text_take_integer(&reader->cursor, "the dimension", &reader->dimension);
  if (status >= 0 && reader->dimension != 2 && reader->dimension != 3)
    return pl_source_fail(reader->source, pl_text_offset(&reader->cursor), "the dimension is %lld; 2 or 3 is possible",
                          (long long)reader->dimension);
  return status;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static pl_status read_keyword(medit_reader *reader, pl_word word) {
  size_t offset = pl_word_offset(&reader->cursor, word);
  char shown[PL_SHOWN_SIZE];
  if (pl_word_is_any_case(word, "Dimension")) return read_dimension(reader);
  if (pl_word_is_any_case(word, "Vertices")) return read_vertices(reader);
  for (size_t i = 0; i < sizeof cell_sections / sizeof cell_sections[0]; ++i)
    if (pl_word_is_any_case(word, cell_sections[i].keyword)) return read_cells(reader, i);
  if (!is_letter(word.text[0]))
    return pl_source_fail(reader->source, offset, "\"%s\" stands where a keyword should", pl_word_show(word, shown));
  // Not a section we use: pass its numbers.
  while (pl_text_skip_space(&reader->cursor) && !is_letter(*reader->cursor.at)) {
    const char *before = reader->cursor.at;
    pl_text_take_word(&reader->cursor, &word);
    if (reader->cursor.at == before) break;
  }
  return PL_OK;
}

static pl_status read_version(medit_reader *reader) {
  pl_word word;
  if (!pl_text_take_word(&reader->cursor, &word)) return pl_source_fail(reader->source, 0, "the file is empty");
  size_t offset = pl_word_offset(&reader->cursor, word);
  // Some writers leave no blank: MeshVersionFormatted2.
  const size_t length = sizeof "MeshVersionFormatted" - 1;
  if (word.length < length || !pl_word_is_any_case((pl_word){word.text, length}, "MeshVersionFormatted")) {
    if (pl_word_is_any_case(word, "Dimension")) return read_dimension(reader);
    return pl_source_fail(reader->source, offset, "a Medit file begins with MeshVersionFormatted");
  }
  reader->cursor.at = word.text + length;
  int64_t version;
  pl_status status = pl_text_take_integer(&reader->cursor, "the version", &version);
  if (status >= 0 && (version < 1 || version > 4))
    return pl_source_refuse(reader->source, offset, "Medit version %lld is not supported; versions 1 to 4 are",
                            (long long)version);
  return status;
}

pl_status pl_medit_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  if (source->size > 0 && source->bytes[0] < 2) {
    source->binary = true;
    return pl_source_refuse(source, 0,
                            "this is a binary Medit file (.meshb), which is not supported; convert it to text (.mesh)");
  }
  medit_reader reader = {
      .source = source, .builder = builder, .cursor = pl_text_cursor_at(source, 0, '#'), .dimension = 3};
  builder->index_base = 1;
  pl_status status = read_version(&reader);
  pl_word word;
  bool ended = false;
  while (status >= 0 && !ended && pl_text_take_word(&reader.cursor, &word)) {
    ended = pl_word_is_any_case(word, "End");
    if (!ended) status = read_keyword(&reader, word);
  }
  return status;
}
