// The bytes a mesh is read from, and saying where in them something is wrong.
//
// A place is a byte offset. Readers carry offsets only; line and column are counted when there is
// an error to report, which keeps the tokenizers free of bookkeeping.
#ifndef PL_TEXT_SOURCE_H
#define PL_TEXT_SOURCE_H

#include "pliant/base.h"

typedef struct pl_mesh_source {
  pl_context *context;
  const unsigned char *bytes;
  size_t size;
  const char *name;  // stands for the file in messages
  const char *path;  // of the file, for others next to it; NULL when read from memory
  bool binary;  // set by a reader once it stands in binary data: places are then byte offsets, not
                // lines
  pl_findings *findings;  // may be NULL
  pl_error *error;        // may be NULL
} pl_mesh_source;

// A place that is not known.
#define PL_NO_POSITION SIZE_MAX

// Fail with PL_ERROR_INVALID_DATA at the place.
pl_status pl_source_fail(const pl_mesh_source *source, size_t offset, const char *format, ...)
    PL_PRINTF(3, 4);

// Fail with PL_ERROR_UNSUPPORTED at the place.
pl_status pl_source_refuse(const pl_mesh_source *source, size_t offset, const char *format, ...)
    PL_PRINTF(3, 4);

// Fail with PL_ERROR_OUT_OF_MEMORY.
pl_status pl_source_fail_memory(const pl_mesh_source *source);

// Add a finding of the given kind; `why` and `fix` may be "". Fails only when out of memory.
pl_status pl_source_note(const pl_mesh_source *source, pl_severity severity, const char *kind,
                         const char *why, const char *fix, const char *format, ...) PL_PRINTF(6, 7);

// Fail unless `count` things of at least `min_size` bytes each fit behind `offset`; asked before
// memory is taken for them. `what` names the things.
pl_status pl_source_check_count(const pl_mesh_source *source, size_t offset, int64_t count,
                                size_t min_size, const char *what);

#endif
