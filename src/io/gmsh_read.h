// What the readers of Gmsh's format versions share.
#ifndef PL_IO_GMSH_READ_H
#define PL_IO_GMSH_READ_H

#include "io/index_map.h"
#include "io/mesh_formats.h"
#include "io/scalar_bytes.h"
#include "text/text_cursor.h"

typedef struct pl_gmsh_reader {
  pl_mesh_source *source;
  pl_mesh_builder *builder;
  pl_text_cursor text;  // in a binary file, used for the section heads
  pl_byte_cursor bytes;
  bool is_text;
  int version;           // 22, 40 or 41; 2.0 and 2.1 count as 22
  pl_scalar size_type;   // of counts and 4.1 tags in binary files
  pl_index_map nodes;    // point of a node tag
  pl_index_map volumes;  // physical group of a volume entity
} pl_gmsh_reader;

// An integer of an ordinary int, of the size type, and a real: text or binary, as the file is.
pl_status pl_gmsh_take_int(pl_gmsh_reader *reader, const char *what, int64_t *value);
pl_status pl_gmsh_take_size(pl_gmsh_reader *reader, const char *what, int64_t *value);
pl_status pl_gmsh_take_real(pl_gmsh_reader *reader, const char *what, double *value);

// Where the reader stands.
size_t pl_gmsh_position(pl_gmsh_reader *reader);

// A count of things, each at least `item_count` numbers of `item_size` bytes in binary files.
pl_status pl_gmsh_check_count(pl_gmsh_reader *reader, int64_t count, size_t item_count,
                              size_t item_size, const char *what);

// Add a node with its tag, and an element of Gmsh's type with node tags (node_count of them).
pl_status pl_gmsh_add_node(pl_gmsh_reader *reader, int64_t tag, pl_vec3 point, size_t offset);
pl_status pl_gmsh_add_element(pl_gmsh_reader *reader, int64_t type, const int64_t *tags,
                              int32_t physical, size_t offset);

enum { PL_GMSH_MAX_NODES = 125 };

// Nodes of an element of Gmsh's type, 0 if the type is not known.
int32_t pl_gmsh_node_count(int64_t type);

// Sections.
pl_status pl_gmsh_read_nodes_2(pl_gmsh_reader *reader, bool parametric);
pl_status pl_gmsh_read_elements_2(pl_gmsh_reader *reader);
pl_status pl_gmsh_read_entities_4(pl_gmsh_reader *reader);
pl_status pl_gmsh_read_nodes_4(pl_gmsh_reader *reader);
pl_status pl_gmsh_read_elements_4(pl_gmsh_reader *reader);

#endif
