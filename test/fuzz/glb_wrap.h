// A GLB file around any bytes: the text before the first zero byte is its JSON, the rest its
// buffer, so that a fuzzer need not learn the container to reach what is inside.
#ifndef PL_FUZZ_GLB_WRAP_H
#define PL_FUZZ_GLB_WRAP_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void put32(uint8_t *to, size_t value) {
  for (int i = 0; i < 4; ++i) to[i] = (uint8_t)(value >> (8 * i));
}

// To be given to free(); NULL when out of memory.
static inline uint8_t *wrap_glb(const uint8_t *data, size_t size, size_t *file_size) {
  const uint8_t *zero = memchr(data, 0, size);
  size_t json_size = zero == NULL ? size : (size_t)(zero - data),
         binary_size = zero == NULL ? 0 : size - json_size - 1;
  *file_size = 12 + 8 + json_size + 8 + binary_size;
  uint8_t *file = malloc(*file_size);
  if (file == NULL) return NULL;
  put32(file, 0x46546C67);
  put32(file + 4, 2);
  put32(file + 8, *file_size);
  put32(file + 12, json_size);
  put32(file + 16, 0x4E4F534A);
  memcpy(file + 20, data, json_size);
  put32(file + 20 + json_size, binary_size);
  put32(file + 24 + json_size, 0x004E4942);
  if (binary_size > 0) memcpy(file + 28 + json_size, zero + 1, binary_size);
  return file;
}

#endif
