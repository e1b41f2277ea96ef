#include "io/scalar_bytes.h"

#include <math.h>
#include <string.h>

size_t pl_scalar_size(pl_scalar scalar) {
  static const unsigned char sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[scalar];
}

static uint64_t gather(const unsigned char *at, size_t size, bool big_endian) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits = bits << 8 | at[big_endian ? i : size - 1 - i];
  return bits;
}

static double real_number(pl_scalar scalar, uint64_t bits) {
  if (scalar == PL_SCALAR_F32) {
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return (double)value;
  }
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

int64_t pl_scalar_integer(pl_scalar scalar, const unsigned char *at, bool big_endian) {
  uint64_t bits = gather(at, pl_scalar_size(scalar), big_endian);
  switch (scalar) {
    case PL_SCALAR_I8: return (int8_t)bits;
    case PL_SCALAR_I16: return (int16_t)bits;
    case PL_SCALAR_I32: return (int32_t)bits;
    case PL_SCALAR_I64: return (int64_t)bits;
    case PL_SCALAR_U64: return bits > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)bits;
    case PL_SCALAR_F32:
    case PL_SCALAR_F64: {
      double value = real_number(scalar, bits);
      if (!(fabs(value) < 9e15)) return value < 0 ? INT64_MIN : INT64_MAX;
      return (int64_t)value;
    }
    default: return (int64_t)bits;
  }
}

double pl_scalar_number(pl_scalar scalar, const unsigned char *at, bool big_endian) {
  if (scalar == PL_SCALAR_F32 || scalar == PL_SCALAR_F64)
    return real_number(scalar, gather(at, pl_scalar_size(scalar), big_endian));
  return (double)pl_scalar_integer(scalar, at, big_endian);
}

pl_status pl_bytes_take(pl_byte_cursor *cursor, size_t count, size_t size, const char *what,
                        const unsigned char **bytes) {
  size_t left = cursor->source->size - cursor->offset;
  if (size > 0 && count > left / size)
    return pl_source_fail(cursor->source, cursor->offset,
                          "the file ends inside %s; %zu bytes are left; it is cut off or damaged", what, left);
  *bytes = cursor->source->bytes + cursor->offset;
  cursor->offset += count * size;
  return PL_OK;
}

pl_status pl_bytes_take_integer(pl_byte_cursor *cursor, pl_scalar scalar, const char *what, int64_t *value) {
  const unsigned char *at = NULL;
  pl_status status = pl_bytes_take(cursor, 1, pl_scalar_size(scalar), what, &at);
  if (status >= 0) *value = pl_scalar_integer(scalar, at, cursor->big_endian);
  return status;
}

pl_status pl_bytes_take_number(pl_byte_cursor *cursor, pl_scalar scalar, const char *what, double *value) {
  const unsigned char *at = NULL;
  pl_status status = pl_bytes_take(cursor, 1, pl_scalar_size(scalar), what, &at);
  if (status >= 0) *value = pl_scalar_number(scalar, at, cursor->big_endian);
  return status;
}
