// Any bytes as glTF or GLB. Bytes that do not begin like a GLB file are also wrapped into one.
#include "glb_wrap.h"
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

static void read_wrapped(pl_context *context, const uint8_t *data, size_t size) {
  size_t file_size = 0;
  uint8_t *file = wrap_glb(data, size, &file_size);
  if (file != NULL) read_once(context, file, file_size);
  free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) return 0;
  read_once(context, data, size);
  if (size > 0 && data[0] == '{') read_wrapped(context, data, size);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
