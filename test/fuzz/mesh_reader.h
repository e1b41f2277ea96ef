// What the fuzz targets of mesh readers share: one reader on any bytes, without its format having
// to be recognised first.
#ifndef PL_FUZZ_MESH_READER_H
#define PL_FUZZ_MESH_READER_H

#include <stdlib.h>

#include "io/mesh_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Read, and check what holds for every reader: a mesh or an error with a sentence, and all memory
// given back.
static inline int fuzz_reader(pl_format_read_function *read, const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  pl_findings *findings = NULL;
  if (pl_context_create(&def, &context, NULL) < 0 ||
      pl_findings_create(context, &findings, NULL) < 0)
    abort();
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_mesh_source source = {.context = context,
                           .bytes = data,
                           .size = size,
                           .name = "fuzz",
                           .findings = findings,
                           .error = &error};
  pl_mesh_builder builder;
  pl_mesh_builder_init(&builder, &source);
  pl_status status = read(&source, &builder);
  if (status >= 0) status = pl_mesh_builder_finish(&builder, &mesh);
  pl_mesh_builder_free(&builder);
  if ((status < 0) != (mesh == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  pl_mesh_destroy(mesh);
  pl_findings_destroy(findings);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}

#endif
