// Numbers as bytes, of any width and byte order.
#ifndef PL_IO_SCALAR_BYTES_H
#define PL_IO_SCALAR_BYTES_H

#include "text/text_source.h"

typedef enum pl_scalar {
  PL_SCALAR_NONE = 0,
  PL_SCALAR_I8,
  PL_SCALAR_U8,
  PL_SCALAR_I16,
  PL_SCALAR_U16,
  PL_SCALAR_I32,
  PL_SCALAR_U32,
  PL_SCALAR_I64,
  PL_SCALAR_U64,
  PL_SCALAR_F32,
  PL_SCALAR_F64,
} pl_scalar;

// Bytes of one number; 0 for none.
size_t pl_scalar_size(pl_scalar scalar);

// The number at `at`. As an integer, what does not fit becomes INT64_MAX or INT64_MIN, which no
// count or index survives.
double pl_scalar_number(pl_scalar scalar, const unsigned char *at, bool big_endian);
int64_t pl_scalar_integer(pl_scalar scalar, const unsigned char *at, bool big_endian);

// Bytes of a file, one after the other.
typedef struct pl_byte_cursor {
  const pl_mesh_source *source;
  size_t offset;
  bool big_endian;
} pl_byte_cursor;

// The next `count` items of `size` bytes, or a failure that says the file ends inside `what`.
pl_status pl_bytes_take(pl_byte_cursor *cursor, size_t count, size_t size, const char *what,
                        const unsigned char **bytes);

// The next number.
pl_status pl_bytes_take_integer(pl_byte_cursor *cursor, pl_scalar scalar, const char *what,
                                int64_t *value);
pl_status pl_bytes_take_number(pl_byte_cursor *cursor, pl_scalar scalar, const char *what,
                               double *value);

#endif
