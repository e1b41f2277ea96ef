// Any bytes as TetGen .node; where a zero byte divides them, the parts as .node, .ele and .face side by side in a
// folder of their own.
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mesh_reader.h"

static const char *const endings[] = {"node", "ele", "face"};
enum { ENDING_COUNT = 3 };

static void write_file(const char *path, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static void read_files(const uint8_t *data, size_t size) {
  char folder[] = "/tmp/pliant-fuzz-XXXXXX", path[64];
  if (mkdtemp(folder) == NULL) abort();
  for (int i = 0; i < ENDING_COUNT; ++i) {
    const uint8_t *zero = i + 1 < ENDING_COUNT && size > 0 ? memchr(data, 0, size) : NULL;
    size_t part = zero == NULL ? size : (size_t)(zero - data);
    snprintf(path, sizeof path, "%s/a.%s", folder, endings[i]);
    write_file(path, data, part);
    data += zero == NULL ? part : part + 1;
    size -= zero == NULL ? part : part + 1;
  }
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) abort();
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  snprintf(path, sizeof path, "%s/a.node", folder);
  pl_status status = pl_mesh_load(context, path, &mesh, NULL, &error);
  if ((status < 0) != (mesh == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  pl_mesh_destroy(mesh);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  for (int i = 0; i < ENDING_COUNT; ++i) {
    snprintf(path, sizeof path, "%s/a.%s", folder, endings[i]);
    unlink(path);
  }
  rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 0 && memchr(data, 0, size) != NULL) {
    read_files(data, size);
    return 0;
  }
  return fuzz_reader(pl_tetgen_read, data, size);
}
