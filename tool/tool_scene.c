// Scene documents from files and from standard input.
#include "tool_scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_print.h"

enum { BLOCK_SIZE = 1 << 16 };

bool tool_is_standard_input(const char *path) {
  return strcmp(path, "-") == 0;
}

// All of standard input, to be freed.
static pl_status read_input(char **bytes, size_t *size, pl_error *error) {
  size_t capacity = BLOCK_SIZE;
  *bytes = tool_allocate(capacity, 1);
  *size = 0;
  for (size_t got; (got = fread(*bytes + *size, 1, capacity - *size, stdin)) > 0;) {
    *size += got;
    if (*size < capacity) continue;
    char *larger = tool_allocate(2 * capacity, 1);
    memcpy(larger, *bytes, *size);
    free(*bytes);
    *bytes = larger;
    capacity *= 2;
  }
  if (!ferror(stdin)) return PL_OK;
  *error = (pl_error){.status = PL_ERROR_FILE};
  snprintf(error->file, sizeof error->file, TOOL_STANDARD_INPUT_NAME);
  snprintf(error->text, sizeof error->text, "cannot be read: %s", strerror(errno));
  return error->status;
}

// FNV-1a.
static uint64_t hash_bytes(const char *bytes, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

pl_status tool_load_scene(pl_context *context, const char *path, const tool_overrides *overrides, uint64_t *hash,
                          pl_scene **scene, pl_findings *findings, pl_error *error) {
  pl_scene_overrides replaced = {overrides->items, overrides->count};
  *scene = NULL;
  if (!tool_is_standard_input(path)) {
    pl_status status = hash != NULL ? pl_file_get_hash(context, path, hash, error) : PL_OK;
    return status < 0 ? status : pl_scene_load_with(context, path, &replaced, scene, findings, error);
  }
  char *bytes = NULL;
  size_t size = 0;
  pl_status status = read_input(&bytes, &size, error);
  if (hash != NULL) *hash = hash_bytes(bytes, size);
  if (status >= 0)
    status = pl_scene_load_memory_with(context, &(pl_memory_source){bytes, size, TOOL_STANDARD_INPUT_NAME, "."},
                                       &replaced, scene, findings, error);
  free(bytes);
  return status;
}
