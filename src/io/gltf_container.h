// Writing a GLB file front to back although its JSON, which comes first, is known last: room is
// kept for it and filled up with blanks.
#ifndef PL_IO_GLTF_CONTAINER_H
#define PL_IO_GLTF_CONTAINER_H

#include "base/vector.h"
#include "io/file_bytes.h"

typedef struct pl_glb {
  pl_file_writer *writer;
  uint64_t json_workspace;  // bytes kept for the JSON
  uint64_t binary_start;    // where the first byte of the buffer goes
} pl_glb;

// Begin a file in `writer`, which must be fresh; from then on what is written to it is the buffer.
pl_glb pl_glb_begin(pl_file_writer *writer, size_t json_workspace);

// Bytes written to the buffer so far.
uint64_t pl_glb_offset(const pl_glb *glb);

// Write the chunk heads and the JSON (a vector of char), after which the file can be committed.
pl_status pl_glb_finish(pl_glb *glb, const pl_vector *json, pl_error *error);

// A JSON text being put together. Errors stick in the vector.
void pl_glb_print(pl_vector *json, const char *format, ...) PL_PRINTF(2, 3);
void pl_glb_print_text(pl_vector *json, const char *text);
void pl_glb_print_key(pl_vector *json, const char *prefix, const char *key);
void pl_glb_print_vector(pl_vector *json, const char *key, const float values[3]);

#endif
