// Wavefront OBJ. One statement a line; a backslash joins lines. Indices count from 1, negative ones back from the last
// vertex so far. Normals and texture coordinates are passed over but their indices are checked for form. Three numbers
// behind a vertex are its colour, one is the weight w, which is ignored. Free-form curves and surfaces are left out
// with a finding.
#include <string.h>

#include "io/mesh_formats.h"
#include "text/number_text.h"
#include "text/text_cursor.h"

typedef struct obj_reader {
  pl_mesh_source *source;
  pl_mesh_builder *builder;
  pl_text_cursor cursor;
  pl_vector corners;  // int64_t, of the statement being read
  bool has_colors;
  int32_t color_maps[3];
} obj_reader;

// The rest of a vertex's line, if it is a colour: exactly three numbers. A weight, or a weight and a colour as some
// scanners write, is passed over.
static pl_status read_color(obj_reader *reader) {
  double color[3];
  int count = 0;
  pl_word word;
  while (pl_text_take_word_in_line(&reader->cursor, &word)) {
    double value;
    if (count == 3 || !pl_word_number(word, &value)) return PL_OK;
    color[count++] = value;
  }
  if (count < 3) return PL_OK;
  pl_status status = PL_OK;
  for (int i = 0; i < 3 && !reader->has_colors && status >= 0; ++i) {
    char name[PL_MAP_NAME_SIZE];
    pl_color_map_name(name, 0, i);
    status = pl_builder_find_map(reader->builder, name, &reader->color_maps[i]);
  }
  reader->has_colors = status >= 0;
  for (int i = 0; i < 3 && status >= 0; ++i)
    status = pl_builder_set_map(reader->builder, reader->color_maps[i], reader->builder->points.count - 1, color[i]);
  return status;
}

static pl_status read_vertex(obj_reader *reader, size_t offset) {
  double values[3];
  for (int i = 0; i < 3; ++i) {
    pl_word word;
    if (!pl_text_take_word_in_line(&reader->cursor, &word))
      return pl_source_fail(reader->source, offset, "this vertex has %d coordinates; three are needed", i);
    if (!pl_word_number(word, &values[i])) {
      char shown[PL_SHOWN_SIZE];
      return pl_source_fail(reader->source, pl_word_offset(&reader->cursor, word),
                            "\"%s\" is not a coordinate; a number is needed", pl_word_show(word, shown));
    }
  }
  pl_status status = pl_builder_add_point(reader->builder, (pl_vec3){values[0], values[1], values[2]}, offset);
  return status < 0 ? status : read_color(reader);
}

static pl_status fail_corner(const obj_reader *reader, pl_word word) {
  char shown[PL_SHOWN_SIZE];
  return pl_source_fail(reader->source, pl_word_offset(&reader->cursor, word),
                        "\"%s\" is not a corner; write v, v/vt, v//vn or v/vt/vn with whole numbers",
                        pl_word_show(word, shown));
}

// v, v/vt, v//vn or v/vt/vn; the position counts.
static pl_status read_corner(const obj_reader *reader, pl_word word, int64_t *corner) {
  const char *end = word.text + word.length;
  int64_t index;
  const char *at = pl_integer_read(word.text, end, &index);
  if (at == NULL) return fail_corner(reader, word);
  for (int part = 0; part < 2 && at < end; ++part) {
    if (*at != '/') return fail_corner(reader, word);
    ++at;
    int64_t ignored;
    const char *next = pl_integer_read(at, end, &ignored);
    if (next != NULL) at = next;
  }
  if (at != end) return fail_corner(reader, word);
  int64_t count = (int64_t)reader->builder->points.count;
  if (index == 0)
    return pl_source_fail(reader->source, pl_word_offset(&reader->cursor, word),
                          "vertex 0 is named; OBJ counts vertices from 1");
  if (index < -count)
    return pl_source_fail(reader->source, pl_word_offset(&reader->cursor, word),
                          "vertex %lld is named, but only %lld stand before this line", (long long)index,
                          (long long)count);
  *corner = index > 0 ? index - 1 : count + index;
  return PL_OK;
}

static pl_status read_corners(obj_reader *reader) {
  reader->corners.count = 0;
  pl_word word;
  while (pl_text_take_word_in_line(&reader->cursor, &word)) {
    int64_t corner;
    pl_status status = read_corner(reader, word, &corner);
    if (status < 0) return status;
    if (!pl_vector_push(&reader->corners, &corner)) return pl_source_fail_memory(reader->source);
  }
  return PL_OK;
}

static pl_status read_face(obj_reader *reader, size_t offset) {
  pl_status status = read_corners(reader);
  if (status < 0) return status;
  size_t count = reader->corners.count;
  return pl_builder_add_cell(reader->builder, PL_CELL_POLYGON, reader->corners.items, count, 0, offset);
}

static pl_status read_line(obj_reader *reader, size_t offset) {
  pl_status status = read_corners(reader);
  const int64_t *corners = reader->corners.items;
  for (size_t i = 1; i < reader->corners.count && status >= 0; ++i)
    status = pl_builder_add_cell(reader->builder, PL_CELL_SEGMENT, corners + i - 1, 2, 0, offset);
  return status;
}

// The first name of a group statement, or the whole rest of an object's line, whose name may hold blanks.
static pl_status read_group(obj_reader *reader, bool is_object) {
  pl_word name = {"", 0};
  if (pl_text_skip_blanks(&reader->cursor)) {
    if (is_object) {
      pl_text_cursor rest = reader->cursor;
      rest.continuation = false;
      name = pl_text_take_line(&rest);
      while (name.length > 0 && (name.text[name.length - 1] == ' ' || name.text[name.length - 1] == '\t'))
        --name.length;
    } else {
      pl_text_take_word_in_line(&reader->cursor, &name);
    }
  }
  // "default" is what exporters write to end a group.
  if (pl_word_is(name, "default") || pl_word_is(name, "(null)")) name.length = 0;
  return pl_builder_set_group(reader->builder, name.text, name.length);
}

static pl_status read_statement(obj_reader *reader, pl_word keyword) {
  static const char *const free_forms[] = {"curv", "curv2", "surf"};
  size_t offset = pl_word_offset(&reader->cursor, keyword);
  if (pl_word_is(keyword, "v")) return read_vertex(reader, offset);
  if (pl_word_is(keyword, "f") || pl_word_is(keyword, "fo")) return read_face(reader, offset);
  if (pl_word_is(keyword, "l")) return read_line(reader, offset);
  if (pl_word_is(keyword, "g")) return read_group(reader, false);
  if (pl_word_is(keyword, "o")) return read_group(reader, true);
  for (size_t i = 0; i < 3; ++i)
    if (pl_word_is(keyword, free_forms[i])) pl_builder_skip_cell(reader->builder, "a free-form curve or surface");
  return PL_OK;
}

pl_status pl_obj_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  obj_reader reader = {.source = source,
                       .builder = builder,
                       .cursor = pl_text_cursor_at(source, 0, '#'),
                       .corners = pl_vector_of(source->context, sizeof(int64_t))};
  reader.cursor.continuation = true;
  builder->index_base = 1;
  pl_status status = PL_OK;
  do {
    pl_word keyword;
    if (pl_text_take_word_in_line(&reader.cursor, &keyword)) status = read_statement(&reader, keyword);
  } while (status >= 0 && pl_text_next_line(&reader.cursor));
  pl_vector_free(&reader.corners);
  return status;
}
