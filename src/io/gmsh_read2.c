// Sections of Gmsh's format 2. Counts are text even in binary files; binary elements come in runs of one type with a
// head of three integers: type, count, number of tags. The first tag is the physical group.
#include "io/gmsh_read.h"

// The count on its line; after it a binary file continues in bytes.
static pl_status read_count(pl_gmsh_reader *reader, int64_t *count) {
  pl_status status = pl_text_take_integer(&reader->text, "a count", count);
  if (status < 0 || reader->is_text) return status;
  pl_text_next_line(&reader->text);
  reader->bytes.offset = pl_text_offset(&reader->text);
  reader->source->binary = true;
  return PL_OK;
}

// Parameters of a node on a curve or surface.
static pl_status skip_parameters(pl_gmsh_reader *reader) {
  int64_t dimension = 0, entity;
  double ignored;
  pl_status status = pl_gmsh_take_int(reader, "a node's entity dimension", &dimension);
  if (status >= 0) status = pl_gmsh_take_int(reader, "a node's entity", &entity);
  int parameter_count = dimension == 1 ? 1 : dimension == 2 ? 2 : 0;
  for (int i = 0; i < parameter_count && status >= 0; ++i)
    status = pl_gmsh_take_real(reader, "a node's parameter", &ignored);
  return status;
}

pl_status pl_gmsh_read_nodes_2(pl_gmsh_reader *reader, bool parametric) {
  int64_t count = 0;
  pl_status status = read_count(reader, &count);
  if (status >= 0) status = pl_gmsh_check_count(reader, count, 4, 7, "nodes");
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    size_t offset = pl_gmsh_position(reader);
    int64_t tag;
    pl_vec3 point;
    status = pl_gmsh_take_int(reader, "a node's number", &tag);
    if (status >= 0) status = pl_gmsh_take_real(reader, "the x coordinate", &point.x);
    if (status >= 0) status = pl_gmsh_take_real(reader, "the y coordinate", &point.y);
    if (status >= 0) status = pl_gmsh_take_real(reader, "the z coordinate", &point.z);
    if (status >= 0 && parametric) status = skip_parameters(reader);
    if (status >= 0) status = pl_gmsh_add_node(reader, tag, point, offset);
  }
  return status;
}

// Tags and nodes of an element whose type is known.
static pl_status read_element(pl_gmsh_reader *reader, int64_t type, int64_t tag_count, size_t offset) {
  int64_t tags[PL_GMSH_MAX_NODES], tag, physical = 0;
  pl_status status = PL_OK;
  for (int64_t i = 0; i < tag_count && status >= 0; ++i) {
    status = pl_gmsh_take_int(reader, "an element's tag", &tag);
    if (i == 0 && status >= 0) physical = tag;
  }
  int32_t node_count = pl_gmsh_node_count(type);
  for (int32_t i = 0; i < node_count && status >= 0; ++i)
    status = pl_gmsh_take_int(reader, "a node of the element", &tags[i]);
  if (status < 0) return status;
  return pl_gmsh_add_element(reader, type, tags, physical > INT32_MIN && physical < INT32_MAX ? (int32_t)physical : 0,
                             offset);
}

static pl_status read_text_elements(pl_gmsh_reader *reader, int64_t count) {
  pl_status status = PL_OK;
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    size_t offset = pl_gmsh_position(reader);
    int64_t number, type, tag_count;
    status = pl_gmsh_take_int(reader, "an element's number", &number);
    if (status >= 0) status = pl_gmsh_take_int(reader, "an element's type", &type);
    if (status < 0) break;
    if (pl_gmsh_node_count(type) == 0) {
      pl_builder_skip_cell(reader->builder, "of a Gmsh type that is not supported");
      pl_text_next_line(&reader->text);
      continue;
    }
    status = pl_gmsh_take_int(reader, "the number of tags", &tag_count);
    if (status >= 0) status = pl_gmsh_check_count(reader, tag_count, 1, 1, "tags");
    if (status >= 0) status = read_element(reader, type, tag_count, offset);
  }
  return status;
}

static pl_status read_binary_elements(pl_gmsh_reader *reader, int64_t count) {
  pl_status status = PL_OK;
  for (int64_t done = 0; done < count && status >= 0;) {
    size_t head = pl_gmsh_position(reader);
    int64_t type, run_count, tag_count, number;
    status = pl_gmsh_take_int(reader, "an element type", &type);
    if (status >= 0) status = pl_gmsh_take_int(reader, "a count of elements", &run_count);
    if (status >= 0) status = pl_gmsh_take_int(reader, "a count of tags", &tag_count);
    if (status < 0) break;
    if (pl_gmsh_node_count(type) == 0)
      return pl_source_refuse(reader->source, head, "element type %lld is not supported; save the file as text",
                              (long long)type);
    if (run_count <= 0 || run_count > count - done)
      return pl_source_fail(reader->source, head, "%lld elements are announced where at most %lld are left",
                            (long long)run_count, (long long)(count - done));
    status = pl_gmsh_check_count(reader, tag_count, 1, 4, "tags");
    for (int64_t i = 0; i < run_count && status >= 0; ++i) {
      size_t offset = pl_gmsh_position(reader);
      status = pl_gmsh_take_int(reader, "an element's number", &number);
      if (status >= 0) status = read_element(reader, type, tag_count, offset);
    }
    done += run_count;
  }
  return status;
}

pl_status pl_gmsh_read_elements_2(pl_gmsh_reader *reader) {
  int64_t count = 0;
  pl_status status = read_count(reader, &count);
  if (status >= 0) status = pl_gmsh_check_count(reader, count, 4, 1, "elements");
  if (status < 0) return status;
  return reader->is_text ? read_text_elements(reader, count) : read_binary_elements(reader, count);
}
