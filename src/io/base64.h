// Base64 (RFC 4648) out.
#ifndef PL_IO_BASE64_H
#define PL_IO_BASE64_H

#include <stddef.h>

// Length of the text of `size` bytes, without a terminator.
static inline size_t pl_base64_length(size_t size) {
  return (size + 2) / 3 * 4;
}

// Write that many characters; no terminator.
void pl_base64_write(const unsigned char *data, size_t size, char *text);

#endif
