// Characters put together in memory: accessors are added one by one, the rest of the JSON is written by hand.
#ifndef PL_TEST_CHARACTER_FILE_H
#define PL_TEST_CHARACTER_FILE_H

#include "check.h"
#include "pliant/character.h"
#include "test_gltf_bytes.h"

typedef struct character_file {
  byte_block binary;
  char views[4096], accessors[4096];
  int accessor_count;
} character_file;

static inline void append_text(char *to, size_t size, const char *text) {
  assert_true(strlen(to) + strlen(text) < size);
  strcat(to, text);
}

// An accessor of what has been put into the buffer since `start`; returns its number.
static inline int add_accessor(character_file *file, size_t start, int component_type, int count, const char *type,
                               bool normalized) {
  char text[256];
  const char *comma = file->accessor_count == 0 ? "" : ",";
  snprintf(text, sizeof text, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", comma, start, file->binary.size - start);
  append_text(file->views, sizeof file->views, text);
  snprintf(text, sizeof text, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"%s}", comma,
           file->accessor_count, component_type, count, type, normalized ? ",\"normalized\":true" : "");
  append_text(file->accessors, sizeof file->accessors, text);
  while (file->binary.size % 4 != 0) put_u8(&file->binary, 0);
  return file->accessor_count++;
}

static inline int add_floats(character_file *file, const float *values, int count, int width, const char *type) {
  size_t start = file->binary.size;
  put_f32s(&file->binary, values, (size_t)count * (size_t)width);
  return add_accessor(file, start, 5126, count, type, false);
}

static inline int add_bytes(character_file *file, const int *values, int count, int width, bool normalized) {
  size_t start = file->binary.size;
  for (int i = 0; i < count * width; ++i) put_u8(&file->binary, values[i]);
  return add_accessor(file, start, 5121, count, width == 1 ? "SCALAR" : "VEC4", normalized);
}

static inline int add_shorts(character_file *file, const int *values, int count, int width, bool normalized) {
  size_t start = file->binary.size;
  for (int i = 0; i < count * width; ++i) put_u16(&file->binary, values[i]);
  return add_accessor(file, start, 5123, count, width == 1 ? "SCALAR" : "VEC4", normalized);
}

// The whole file; `rest` are the members beside asset, buffers, views and accessors.
static inline byte_block finish_file(const character_file *file, const char *rest) {
  char text[20480];
  if (file->accessor_count == 0)
    snprintf(text, sizeof text, "{\"asset\":{\"version\":\"2.0\"},%s}", rest);
  else
    snprintf(text, sizeof text,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s],\"accessors\":[%s],%s}",
             file->binary.size, file->views, file->accessors, rest);
  assert_true(strlen(text) + 1 < sizeof text);
  return make_glb(text, file->accessor_count == 0 ? NULL : &file->binary);
}

static inline pl_character *read_file(pl_context *context, const byte_block *bytes, pl_findings *findings) {
  pl_character *character = NULL;
  pl_error error = {0};
  check_ok(
      pl_character_load_memory(context, &(pl_memory_source){bytes->data, bytes->size, "t.glb", NULL}, &character, findings, &error),
      &error);
  return character;
}

// A character of JSON alone.
static inline pl_character *read_text(pl_context *context, const char *rest, pl_findings *findings) {
  character_file file = {.accessor_count = 0};
  byte_block bytes = finish_file(&file, rest);
  return read_file(context, &bytes, findings);
}

static inline bool has_finding(const pl_findings *findings, const char *kind) {
  for (int32_t i = 0; i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i)
    if (strcmp(pl_findings_get(findings, i)->kind, kind) == 0) return true;
  return false;
}

#endif
