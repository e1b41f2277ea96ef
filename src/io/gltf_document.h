// Inside the glTF reader: the JSON with its buffers, and numbers out of accessors. Everything a
// file claims is checked here against the bytes that are there; all functions fill in the error
// with the place in the JSON and the field path.
#ifndef PL_IO_GLTF_DOCUMENT_H
#define PL_IO_GLTF_DOCUMENT_H

#include "io/file_bytes.h"
#include "text/json.h"

typedef struct pl_gltf_buffer {
  const unsigned char *data;  // NULL until first asked for
  size_t size;
  pl_bytes file;  // holds `data` where it came from a file of its own
} pl_gltf_buffer;

// Bytes that belong to a gltf.
typedef struct pl_gltf_bytes {
  const unsigned char *data;
  size_t size;
} pl_gltf_bytes;

typedef struct pl_gltf {
  pl_context *context;
  const char *name, *folder;  // folder may be NULL: then no other files are read
  pl_arena arena;             // decoded buffers, and whatever the reader keeps until it is done
  pl_json_document *document;
  const pl_json *root;
  const unsigned char *binary;  // the BIN chunk of a GLB, or NULL
  size_t binary_size;
  uint64_t byte_count;  // of the file and of all buffers, so far
  pl_gltf_buffer *buffers;
  int32_t buffer_count;
  pl_gltf_bytes
      *unpacked;  // of compressed buffer views, by their numbers; data NULL until asked for
  pl_findings *findings;
  pl_error *error;
} pl_gltf;

// Open: container, JSON, version, extensions. On failure nothing is left behind.
pl_status pl_gltf_open(pl_gltf *gltf, pl_context *context, const void *bytes, size_t size,
                       const char *name, const char *folder, pl_findings *findings,
                       pl_error *error);
void pl_gltf_close(pl_gltf *gltf);

// Member `key` of `object` as an integer in [least, most]; left untouched where it is missing.
pl_status pl_gltf_integer(const pl_gltf *gltf, const pl_json *object, const char *key, int64_t min,
                          int64_t max, int64_t *value);

// The item of the top-level array `list` (such as "accessors") that the number `reference` names.
pl_status pl_gltf_item(const pl_gltf *gltf, const pl_json *reference, const char *list,
                       const pl_json **item);

// The bytes of buffer number `index` (already checked), loaded at the first call; `place` is where
// it is asked for.
pl_status pl_gltf_load_buffer(pl_gltf *gltf, const pl_json *buffer, pl_gltf_buffer **loaded);

// The bytes behind a `uri`, a data URI or a file in the folder, for things that are no buffers;
// `loaded->file` must be given back.
pl_status pl_gltf_load_uri(pl_gltf *gltf, const pl_json *uri, pl_gltf_buffer *loaded);

// The bytes of a buffer view, unpacked where it is compressed (gltf_view.c).
pl_status pl_gltf_load_view(pl_gltf *gltf, const pl_json *view, pl_gltf_bytes *bytes);

// The extension by which a buffer view is compressed, or a buffer is a fallback without bytes; NULL
// for others.
const pl_json *pl_gltf_find_packed(const pl_json *view_or_buffer);

// An accessor whose every element lies inside its buffer.
typedef struct pl_gltf_accessor {
  const pl_json *json;
  int32_t count;            // elements
  int32_t component_count;  // of each element
  int32_t component_type;   // 5120 …, as in the file
  bool normalized;
  const unsigned char *data;  // NULL: zeros
  size_t stride;
  int32_t sparse_count;
  int32_t sparse_index_type;
  const unsigned char *sparse_indices, *sparse_values;  // tightly packed
} pl_gltf_accessor;

pl_status pl_gltf_open_accessor(pl_gltf *gltf, const pl_json *reference,
                                pl_gltf_accessor *accessor);

// The same for 4x4 matrices of floats, column by column.
pl_status pl_gltf_open_matrices(pl_gltf *gltf, const pl_json *reference,
                                pl_gltf_accessor *accessor);

// All elements as doubles, `count` x `component_count`; normalized integers are brought to [0, 1]
// or [-1, 1].
pl_status pl_gltf_read_doubles(const pl_gltf *gltf, const pl_gltf_accessor *accessor,
                               double *values);

// All elements of a scalar accessor of an unsigned type as indices, each below `limit`.
pl_status pl_gltf_read_indices(const pl_gltf *gltf, const pl_gltf_accessor *accessor, int32_t limit,
                               int32_t *indices);

#endif
