// Any bytes as a mesh file of whatever format they look like.
#include <stdlib.h>

#include "pliant/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) abort();
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  pl_status status = pl_mesh_load_memory(context, &(pl_memory_source){data, size, "fuzz", NULL}, &mesh, NULL, &error);
  if ((status < 0) != (mesh == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  pl_mesh_destroy(mesh);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
