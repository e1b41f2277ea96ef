// Arrays of VTK's XML files: text, base64, or appended raw or as base64; compressed or not.
#ifndef PL_IO_VTU_ARRAY_H
#define PL_IO_VTU_ARRAY_H

#include "base/vector.h"
#include "io/scalar_bytes.h"

typedef enum pl_vtu_encoding {
  PL_VTU_NOWHERE = 0,
  PL_VTU_TEXT,
  PL_VTU_INLINE,
  PL_VTU_APPENDED
} pl_vtu_encoding;

// zlib cannot pack better than 1032 to 1: bytes that claim to grow more are refused before memory
// is taken for them.
#define PL_VTU_MAX_RATIO 1040

// What the head of the file says about all arrays.
typedef struct pl_vtu_file {
  const pl_mesh_source *source;
  bool big_endian, is_compressed;
  pl_scalar head_type;    // of sizes before binary data
  size_t appended_start;  // first byte behind the underscore, 0 if there is no appended data
  bool appended_is_raw;
  uint64_t unpacked_left;  // bytes that compressed arrays may still grow to, in all: several may
                           // share the same bytes
} pl_vtu_file;

// Where an array is.
typedef struct pl_vtu_array {
  pl_vtu_encoding encoding;
  pl_scalar scalar;
  int64_t component_count;  // 0 if the tag does not say
  size_t offset;            // of its tag, for messages
  size_t begin, end;        // of its content
  uint64_t appended_offset;
} pl_vtu_array;

// Read all numbers of an array, as numbers into a vector of double or as integers into a vector of
// int64_t (the item size tells nothing: `as_integers` does). `min_count` of them must be there.
pl_status pl_vtu_array_read(pl_vtu_file *file, const pl_vtu_array *array, bool as_integers,
                            size_t min_count, pl_vector *values);

#endif
