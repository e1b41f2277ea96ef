// Any bytes as glTF or GLB. Bytes that do not begin like a GLB file are also wrapped into one: the text before the first zero byte as JSON, the
// rest as the buffer, so that the fuzzer need not learn the container to reach the accessors.
#include <stdlib.h>
#include <string.h>

#include "io/gltf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_once(pl_context *context, const uint8_t *data, size_t size) {
  pl_findings *findings = NULL;
  if (pl_findings_create(context, &findings, NULL) < 0) abort();
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  pl_status status = pl_gltf_read(context, data, size, "fuzz", NULL, &mesh, findings, &error);
  if ((status < 0) != (mesh == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  pl_mesh_destroy(mesh);
  pl_findings_destroy(findings);
}

static void put32(uint8_t *to, size_t value) {
  for (int i = 0; i < 4; ++i) to[i] = (uint8_t)(value >> (8 * i));
}

static void read_wrapped(pl_context *context, const uint8_t *data, size_t size) {
  const uint8_t *zero = memchr(data, 0, size);
  size_t json_size = zero == NULL ? size : (size_t)(zero - data), binary_size = zero == NULL ? 0 : size - json_size - 1;
  size_t whole = 12 + 8 + json_size + 8 + binary_size;
  uint8_t *file = malloc(whole);
  if (file == NULL) return;
  put32(file, 0x46546C67);
  put32(file + 4, 2);
  put32(file + 8, whole);
  put32(file + 12, json_size);
  put32(file + 16, 0x4E4F534A);
  memcpy(file + 20, data, json_size);
  put32(file + 20 + json_size, binary_size);
  put32(file + 24 + json_size, 0x004E4942);
  if (binary_size > 0) memcpy(file + 28 + json_size, zero + 1, binary_size);
  read_once(context, file, whole);
  free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) return 0;
  read_once(context, data, size);
  if (size > 0 && data[0] == '{') read_wrapped(context, data, size);
  if (pl_context_memory(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
