// Putting glTF files together byte by byte, independently of the library's writer.
#ifndef PL_TEST_GLTF_BYTES_H
#define PL_TEST_GLTF_BYTES_H

#include "check.h"

typedef struct byte_block {
  unsigned char data[16384];
  size_t size;
} byte_block;

static inline void put_bytes(byte_block *block, const void *bytes, size_t size) {
  assert_true(block->size + size <= sizeof block->data);
  memcpy(block->data + block->size, bytes, size);
  block->size += size;
}
static inline void put_u32(byte_block *block, uint32_t value) {
  unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                            (unsigned char)(value >> 24)};
  put_bytes(block, bytes, 4);
}
static inline void put_u16(byte_block *block, int value) {
  unsigned char bytes[2] = {(unsigned char)value, (unsigned char)(value >> 8)};
  put_bytes(block, bytes, 2);
}
static inline void put_u8(byte_block *block, int value) {
  unsigned char byte = (unsigned char)value;
  put_bytes(block, &byte, 1);
}
static inline void put_f32(byte_block *block, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  put_u32(block, bits);
}
static inline void put_f32s(byte_block *block, const float *values, size_t count) {
  for (size_t i = 0; i < count; ++i) put_f32(block, values[i]);
}

// base64 with padding, terminated.
static inline void encode_base64(const byte_block *block, char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < block->size; i += 3) {
    uint32_t left = (uint32_t)(block->size - i), bits = (uint32_t)block->data[i] << 16;
    if (left > 1) bits |= (uint32_t)block->data[i + 1] << 8;
    if (left > 2) bits |= block->data[i + 2];
    *text++ = digits[bits >> 18];
    *text++ = digits[bits >> 12 & 63];
    *text++ = left > 1 ? digits[bits >> 6 & 63] : '=';
    *text++ = left > 2 ? digits[bits & 63] : '=';
  }
  *text = '\0';
}

// A GLB file of a JSON text and a buffer.
static inline byte_block make_glb(const char *json, const byte_block *binary) {
  byte_block file = {.size = 0};
  size_t json_size = (strlen(json) + 3) / 4 * 4, binary_size = binary == NULL ? 0 : (binary->size + 3) / 4 * 4;
  put_u32(&file, 0x46546C67);
  put_u32(&file, 2);
  put_u32(&file, (uint32_t)(20 + json_size + (binary == NULL ? 0 : 8 + binary_size)));
  put_u32(&file, (uint32_t)json_size);
  put_u32(&file, 0x4E4F534A);
  put_bytes(&file, json, strlen(json));
  while (file.size % 4 != 0) put_u8(&file, ' ');
  if (binary == NULL) return file;
  put_u32(&file, (uint32_t)binary_size);
  put_u32(&file, 0x004E4942);
  put_bytes(&file, binary->data, binary->size);
  while (file.size % 4 != 0) put_u8(&file, 0);
  return file;
}

#endif
