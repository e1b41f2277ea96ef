// GLB: a head of 12 bytes (magic, version, length of all), then chunks of length, type and bytes, the JSON first.
// Chunks are multiples of four bytes, JSON padded with blanks, which is what lets us keep more room for it than it
// needs.
#include "io/gltf_container.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "text/json.h"

enum { HEAD_SIZE = 12, CHUNK_HEAD_SIZE = 8 };

static const uint32_t GLB_MAGIC = 0x46546C67, GLB_JSON = 0x4E4F534A, GLB_BINARY = 0x004E4942;

static void fill(pl_file_writer *writer, char byte, uint64_t count) {
  char block[256];
  memset(block, byte, sizeof block);
  for (; count > 0; count -= count < sizeof block ? count : sizeof block)
    pl_file_writer_write(writer, block, count < sizeof block ? (size_t)count : sizeof block);
}

pl_glb pl_glb_begin(pl_file_writer *writer, size_t json_workspace) {
  pl_glb glb = {.writer = writer, .json_workspace = ((uint64_t)json_workspace + 3) / 4 * 4};
  glb.binary_start = HEAD_SIZE + CHUNK_HEAD_SIZE + glb.json_workspace + CHUNK_HEAD_SIZE;
  fill(writer, ' ', glb.binary_start);
  return glb;
}

uint64_t pl_glb_offset(const pl_glb *glb) {
  return pl_file_writer_offset(glb->writer) - glb->binary_start;
}

pl_status pl_glb_finish(pl_glb *glb, const pl_vector *json, pl_error *error) {
  if (json->failed) return pl_fail_memory(error);
  if (json->count > glb->json_workspace)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "the description of this GLB file outgrew its room");
  pl_file_writer *writer = glb->writer;
  uint64_t binary_size = pl_glb_offset(glb), padding = (4 - binary_size % 4) % 4;
  uint64_t end = glb->binary_start + binary_size + padding;
  if (end > UINT32_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "a GLB file cannot exceed 4 GiB; write PC2 instead");
  fill(writer, 0, padding);
  pl_file_writer_seek(writer, 0);
  pl_file_writer_little(writer, GLB_MAGIC, 4);
  pl_file_writer_little(writer, 2, 4);
  pl_file_writer_little(writer, end, 4);
  pl_file_writer_little(writer, glb->json_workspace, 4);
  pl_file_writer_little(writer, GLB_JSON, 4);
  pl_file_writer_write(writer, json->items, json->count);
  fill(writer, ' ', glb->json_workspace - json->count);
  pl_file_writer_little(writer, binary_size + padding, 4);
  pl_file_writer_little(writer, GLB_BINARY, 4);
  pl_file_writer_seek(writer, end);
  return PL_OK;
}

void pl_glb_print(pl_vector *json, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char *to = length < 0 || (size_t)length >= sizeof text ? NULL : pl_vector_grow(json, (size_t)length);
  if (to == NULL)
    json->failed = true;
  else
    memcpy(to, text, (size_t)length);
}

void pl_glb_print_text(pl_vector *json, const char *text) {
  pl_json value = {.kind = PL_JSON_STRING, .text = text, .text_length = (int32_t)strlen(text)};
  if (pl_json_write(&value, PL_JSON_COMPACT, json, NULL) < 0) json->failed = true;
}

void pl_glb_print_key(pl_vector *json, const char *prefix, const char *key) {
  size_t start = json->count;
  pl_glb_print_text(json, key);
  // The prefix goes behind the quotation mark.
  char *end = pl_vector_grow(json, strlen(prefix));
  if (end == NULL || json->failed) return;
  char *text = (char *)json->items + start + 1;
  memmove(text + strlen(prefix), text, json->count - start - 1 - strlen(prefix));
  memcpy(text, prefix, strlen(prefix));
}

void pl_glb_print_vector(pl_vector *json, const char *key, const float values[3]) {
  char numbers[3][PL_NUMBER_SIZE];
  for (int i = 0; i < 3; ++i) pl_number_write((double)values[i], numbers[i]);
  pl_glb_print(json, "\"%s\":[%s,%s,%s]", key, numbers[0], numbers[1], numbers[2]);
}
