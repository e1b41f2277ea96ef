// Sections of Gmsh's formats 4.0 and 4.1. Nodes and elements come in blocks, one per geometric entity. The two differ
// in the order of a block's head, in the width of tags in binary files (int in 4.0, size in 4.1), and in where node
// tags stand: before each node's coordinates in 4.0, all before all coordinates in 4.1. Physical groups hang on
// entities.
#include "io/gmsh_read.h"

static pl_status skip_reals(pl_gmsh_reader *reader, int count) {
  double ignored;
  pl_status status = PL_OK;
  for (int i = 0; i < count && status >= 0; ++i) status = pl_gmsh_take_real(reader, "an entity's box", &ignored);
  return status;
}

static pl_status read_ints(pl_gmsh_reader *reader, const char *what, int64_t *first) {
  int64_t count = 0, value = 0;
  pl_status status = pl_gmsh_take_size(reader, what, &count);
  if (status >= 0) status = pl_gmsh_check_count(reader, count, 1, 4, what);
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    status = pl_gmsh_take_int(reader, what, &value);
    if (i == 0 && status >= 0) *first = value;
  }
  return status;
}

static pl_status read_entity(pl_gmsh_reader *reader, int dimension) {
  int64_t tag, physical = 0, ignored = 0;
  pl_status status = pl_gmsh_take_int(reader, "an entity's tag", &tag);
  // A point has a position instead of a box since 4.1.
  if (status >= 0) status = skip_reals(reader, dimension == 0 && reader->version == 41 ? 3 : 6);
  if (status >= 0) status = read_ints(reader, "physical groups", &physical);
  if (status >= 0 && dimension > 0) status = read_ints(reader, "bounding entities", &ignored);
  if (status < 0 || dimension != 3 || physical == 0) return status;
  // The sign tells the orientation.
  if (physical < 0) physical = -physical;
  if (physical > INT32_MAX) return PL_OK;
  bool is_new;
  if (!pl_index_map_put(&reader->volumes, tag, (int32_t)physical, &is_new))
    return pl_source_fail_memory(reader->source);
  return PL_OK;
}

pl_status pl_gmsh_read_entities_4(pl_gmsh_reader *reader) {
  int64_t counts[4];
  pl_status status = PL_OK;
  for (int i = 0; i < 4 && status >= 0; ++i) status = pl_gmsh_take_size(reader, "the number of entities", &counts[i]);
  for (int dimension = 0; dimension < 4 && status >= 0; ++dimension) {
    status = pl_gmsh_check_count(reader, counts[dimension], 5, 4, "entities");
    for (int64_t i = 0; i < counts[dimension] && status >= 0; ++i) status = read_entity(reader, dimension);
  }
  return status;
}

// Head of $Nodes and $Elements: number of blocks, number of items, and in 4.1 the least and largest tag.
static pl_status read_head(pl_gmsh_reader *reader, int64_t *block_count) {
  int64_t ignored;
  pl_status status = pl_gmsh_take_size(reader, "the number of blocks", block_count);
  int rest = reader->version == 41 ? 3 : 1;
  for (int i = 0; i < rest && status >= 0; ++i) status = pl_gmsh_take_size(reader, "a count", &ignored);
  if (status >= 0) status = pl_gmsh_check_count(reader, *block_count, 4, 4, "blocks");
  return status;
}

typedef struct block {
  int64_t dimension, entity;
  int64_t kind;  // parametric for nodes, type for elements
  int64_t count;
} block;

static pl_status read_block(pl_gmsh_reader *reader, block *b) {
  bool newer = reader->version == 41;
  pl_status status = pl_gmsh_take_int(reader, "a block's entity", newer ? &b->dimension : &b->entity);
  if (status >= 0) status = pl_gmsh_take_int(reader, "a block's entity", newer ? &b->entity : &b->dimension);
  if (status >= 0) status = pl_gmsh_take_int(reader, "a block's kind", &b->kind);
  if (status >= 0) status = pl_gmsh_take_size(reader, "a block's count", &b->count);
  if (status >= 0 && (b->dimension < 0 || b->dimension > 3))
    status = pl_source_fail(reader->source, pl_gmsh_position(reader),
                            "a block's dimension is %lld; 0 to 3 are possible", (long long)b->dimension);
  return status;
}

static pl_status take_tag(pl_gmsh_reader *reader, const char *what, int64_t *tag) {
  return reader->version == 41 ? pl_gmsh_take_size(reader, what, tag) : pl_gmsh_take_int(reader, what, tag);
}

static pl_status read_position(pl_gmsh_reader *reader, int64_t parameter_count, pl_vec3 *point) {
  pl_status status = pl_gmsh_take_real(reader, "the x coordinate", &point->x);
  if (status >= 0) status = pl_gmsh_take_real(reader, "the y coordinate", &point->y);
  if (status >= 0) status = pl_gmsh_take_real(reader, "the z coordinate", &point->z);
  return status < 0 ? status : skip_reals(reader, (int)parameter_count);
}

static pl_status read_node_block(pl_gmsh_reader *reader, const block *b, pl_vector *tags) {
  pl_status status = pl_gmsh_check_count(reader, b->count, 4, 7, "nodes");
  if (status < 0) return status;
  bool tags_first = reader->version == 41;
  tags->count = 0;
  int64_t *own = tags_first ? pl_vector_grow(tags, (size_t)b->count) : NULL;
  if (tags_first && own == NULL) return pl_source_fail_memory(reader->source);
  for (int64_t i = 0; tags_first && i < b->count && status >= 0; ++i)
    status = take_tag(reader, "a node's tag", &own[i]);
  int64_t parameter_count = b->kind != 0 ? b->dimension : 0;
  for (int64_t i = 0; i < b->count && status >= 0; ++i) {
    size_t offset = pl_gmsh_position(reader);
    int64_t tag = 0;
    pl_vec3 point = {0, 0, 0};
    if (tags_first)
      tag = own[i];
    else
      status = take_tag(reader, "a node's tag", &tag);
    if (status >= 0) status = read_position(reader, parameter_count, &point);
    if (status >= 0) status = pl_gmsh_add_node(reader, tag, point, offset);
  }
  return status;
}

pl_status pl_gmsh_read_nodes_4(pl_gmsh_reader *reader) {
  int64_t block_count = 0;
  pl_vector tags = pl_vector_of(reader->source->context, sizeof(int64_t));
  pl_status status = read_head(reader, &block_count);
  for (int64_t i = 0; i < block_count && status >= 0; ++i) {
    block b;
    status = read_block(reader, &b);
    if (status >= 0) status = read_node_block(reader, &b, &tags);
  }
  pl_vector_free(&tags);
  return status;
}

static pl_status skip_unknown_block(pl_gmsh_reader *reader, const block *b, size_t head) {
  if (!reader->is_text)
    return pl_source_refuse(reader->source, head, "element type %lld is not supported; save the file as text",
                            (long long)b->kind);
  for (int64_t i = 0; i < b->count; ++i) {
    pl_text_skip_space(&reader->text);
    pl_text_next_line(&reader->text);
    pl_builder_skip_cell(reader->builder, "of a Gmsh type that is not supported");
  }
  return PL_OK;
}

static pl_status read_element_block(pl_gmsh_reader *reader, const block *b, size_t head) {
  int32_t node_count = pl_gmsh_node_count(b->kind);
  pl_status status = pl_gmsh_check_count(reader, b->count, (size_t)node_count + 1, 4, "elements");
  if (status < 0) return status;
  if (node_count == 0) return skip_unknown_block(reader, b, head);
  int32_t physical = b->dimension == 3 ? pl_index_map_get(&reader->volumes, b->entity) : 0;
  if (physical < 0) physical = 0;
  for (int64_t i = 0; i < b->count && status >= 0; ++i) {
    int64_t tag, nodes[PL_GMSH_MAX_NODES];
    size_t offset = pl_gmsh_position(reader);
    status = take_tag(reader, "an element's tag", &tag);
    for (int32_t k = 0; k < node_count && status >= 0; ++k)
      status = take_tag(reader, "a node of the element", &nodes[k]);
    if (status >= 0) status = pl_gmsh_add_element(reader, b->kind, nodes, physical, offset);
  }
  return status;
}

pl_status pl_gmsh_read_elements_4(pl_gmsh_reader *reader) {
  int64_t block_count = 0;
  pl_status status = read_head(reader, &block_count);
  for (int64_t i = 0; i < block_count && status >= 0; ++i) {
    block b;
    size_t head = pl_gmsh_position(reader);
    status = read_block(reader, &b);
    if (status >= 0) status = read_element_block(reader, &b, head);
  }
  return status;
}
