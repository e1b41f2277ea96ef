// TetGen: points in .node, tets in .ele, triangles in .face, segments in .edge, side by side under one name. Points are
// counted from 0 or 1, which the first of them tells. The first attribute of a tet is its region and becomes its tag.
// Triangle's files of the same form (two dimensions, three corners) are read too. The file named may be the .node or
// the .ele; without an .ele there are points only.
#include <string.h>

#include "base/context.h"
#include "io/file_bytes.h"
#include "io/mesh_formats.h"
#include "text/text_cursor.h"

// First line of a file: up to four whole numbers, those that are not there 0.
static pl_status read_head(pl_text_cursor *cursor, int64_t numbers[4]) {
  memset(numbers, 0, 4 * sizeof *numbers);
  pl_status status = pl_text_take_integer(cursor, "the count", &numbers[0]);
  pl_word word;
  for (int i = 1; i < 4 && status >= 0 && pl_text_take_word_in_line(cursor, &word); ++i)
    if (!pl_word_integer(word, &numbers[i]))
      status = pl_source_fail(cursor->source, pl_word_offset(cursor, word),
                              "the first line holds counts; whole numbers are needed");
  pl_text_next_line(cursor);
  return status;
}

static pl_status read_nodes(pl_mesh_source *source, pl_mesh_builder *builder) {
  builder->source = source;
  pl_text_cursor cursor = pl_text_cursor_at(source, 0, '#');
  int64_t head[4];
  pl_status status = read_head(&cursor, head);
  if (status < 0) return status;
  if (head[1] != 2 && head[1] != 3)
    return pl_source_fail(source, 0, "the points have %lld dimensions; 2 or 3 are possible", (long long)head[1]);
  status = pl_source_check_count(source, pl_text_offset(&cursor), head[0], 2 * (size_t)head[1] + 1, "points");
  for (int64_t i = 0; i < head[0] && status >= 0; ++i) {
    int64_t index = 0;
    pl_vec3 point = {0, 0, 0};
    pl_text_skip_space(&cursor);
    size_t offset = pl_text_offset(&cursor);
    status = pl_text_take_integer(&cursor, "the number of a point", &index);
    if (status < 0) return status;
    if (i == 0) builder->index_base = index;
    if (i == 0 && index != 0 && index != 1)
      return pl_source_fail(source, offset, "the first point has number %lld; it should be 0 or 1", (long long)index);
    if (index != builder->index_base + i)
      return pl_source_fail(source, offset, "point %lld stands where point %lld should; they must be in order",
                            (long long)index, (long long)(builder->index_base + i));
    status = pl_text_take_number(&cursor, "the x coordinate", &point.x);
    if (status >= 0) status = pl_text_take_number(&cursor, "the y coordinate", &point.y);
    if (status >= 0 && head[1] == 3) status = pl_text_take_number(&cursor, "the z coordinate", &point.z);
    if (status >= 0) status = pl_builder_add_point(builder, point, offset);
    pl_text_next_line(&cursor);
  }
  return status;
}

// One element: its number, `corner_count` corners, `middle_count` mid-nodes, and what else is on the line, of which the
// first is the tag.
static pl_status read_element(pl_mesh_builder *builder, pl_text_cursor *cursor, pl_cell_kind kind, int64_t node_count,
                              bool has_tag) {
  int64_t nodes[10], number;
  pl_text_skip_space(cursor);
  size_t offset = pl_text_offset(cursor);
  pl_status status = pl_text_take_integer(cursor, "the number of an element", &number);
  for (int64_t k = 0; k < node_count && status >= 0; ++k) {
    status = pl_text_take_integer(cursor, "a point of the element", &nodes[k]);
    if (status >= 0 && nodes[k] < builder->index_base)
      status = pl_source_fail(cursor->source, offset, "this element names point %lld, but points go from %lld",
                              (long long)nodes[k], (long long)builder->index_base);
    if (status >= 0) nodes[k] -= builder->index_base;
  }
  if (status < 0) return status;
  pl_word word;
  double attribute = 0;
  if (has_tag && pl_text_take_word_in_line(cursor, &word) && !pl_word_number(word, &attribute))
    return pl_source_fail(cursor->source, pl_word_offset(cursor, word), "the element's attribute is not a number");
  int32_t tag = attribute > -1e9 && attribute < 1e9 ? (int32_t)attribute : 0;
  status = pl_builder_add_cell(builder, kind, nodes, 0, tag, offset);
  for (int64_t k = pl_cell_corner_count(kind); k < node_count && status >= 0; ++k)
    status = pl_builder_add_middle(builder, nodes[k], offset);
  pl_text_next_line(cursor);
  return status;
}

static pl_status read_tets(pl_mesh_source *source, pl_mesh_builder *builder) {
  builder->source = source;
  pl_text_cursor cursor = pl_text_cursor_at(source, 0, '#');
  int64_t head[4];
  pl_status status = read_head(&cursor, head);
  if (status < 0) return status;
  int64_t node_count = head[1];
  if (node_count != 3 && node_count != 4 && node_count != 6 && node_count != 10)
    return pl_source_fail(source, 0, "the elements have %lld points; 4 or 10 make a tet, 3 or 6 a triangle",
                          (long long)node_count);
  pl_cell_kind kind = node_count == 3 || node_count == 6 ? PL_CELL_TRIANGLE : PL_CELL_TET;
  status = pl_source_check_count(source, pl_text_offset(&cursor), head[0], 2 * (size_t)node_count + 1, "elements");
  for (int64_t i = 0; i < head[0] && status >= 0; ++i)
    status = read_element(builder, &cursor, kind, node_count, head[2] > 0);
  return status < 0 ? status : pl_builder_check(builder, source);
}

static pl_status read_sides(pl_mesh_source *source, pl_mesh_builder *builder, pl_cell_kind kind) {
  builder->source = source;
  pl_text_cursor cursor = pl_text_cursor_at(source, 0, '#');
  int64_t head[4];
  pl_status status = read_head(&cursor, head);
  int corner_count = pl_cell_corner_count(kind);
  if (status >= 0)
    status = pl_source_check_count(source, pl_text_offset(&cursor), head[0], 2 * (size_t)corner_count + 1, "elements");
  for (int64_t i = 0; i < head[0] && status >= 0; ++i)
    status = read_element(builder, &cursor, kind, corner_count, false);
  return status < 0 ? status : pl_builder_check(builder, source);
}

static pl_status read_triangles(pl_mesh_source *source, pl_mesh_builder *builder) {
  return read_sides(source, builder, PL_CELL_TRIANGLE);
}

static pl_status read_segments(pl_mesh_source *source, pl_mesh_builder *builder) {
  return read_sides(source, builder, PL_CELL_SEGMENT);
}

// Read the file with this ending next to the source; one that is not there is passed over unless it is `needed`.
static pl_status read_sibling(const pl_mesh_source *source, pl_mesh_builder *builder, const char *ending, bool needed,
                              pl_format_read_function *read) {
  char *path = pl_path_with_ending(source->context, source->path, ending);
  if (path == NULL) return pl_source_fail_memory(source);
  pl_status status = PL_OK;
  if (needed || pl_file_exists(path)) {
    pl_bytes bytes;
    status = pl_bytes_read(source->context, path, &bytes, source->error);
    if (status >= 0) {
      pl_mesh_source other = *source;
      other.bytes = bytes.data;
      other.size = bytes.size;
      other.name = path;
      status = read(&other, builder);
      pl_bytes_free(&bytes);
    }
  }
  pl_release(source->context, path);
  return status;
}

static bool is_element_file(const pl_mesh_source *source) {
  pl_text_cursor cursor = pl_text_cursor_at(source, 0, '#');
  pl_word word;
  int64_t second = 0;
  return pl_text_take_word(&cursor, &word) && pl_text_take_word_in_line(&cursor, &word) &&
         pl_word_integer(word, &second) && second >= 4;
}

pl_status pl_tetgen_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  bool is_elements = is_element_file(source);
  pl_status status;
  if (is_elements && source->path == NULL)
    return pl_source_fail(source, PL_NO_POSITION,
                          "these are TetGen's elements without their points; read the .node file");
  if (is_elements) {
    status = read_sibling(source, builder, ".node", true, read_nodes);
    if (status >= 0) status = read_tets(source, builder);
  } else {
    status = read_nodes(source, builder);
    if (status >= 0 && source->path != NULL) status = read_sibling(source, builder, ".ele", false, read_tets);
  }
  if (status >= 0 && source->path != NULL) status = read_sibling(source, builder, ".face", false, read_triangles);
  if (status >= 0 && source->path != NULL) status = read_sibling(source, builder, ".edge", false, read_segments);
  builder->source = source;
  if (status >= 0 && source->path != NULL && builder->cells.count == 0)
    status =
        pl_source_note(source, PL_SEVERITY_WARNING, "points-only", "there is no .ele file of the same name next to it",
                       "put the .ele file into the same folder", "only points were found");
  return status;
}
