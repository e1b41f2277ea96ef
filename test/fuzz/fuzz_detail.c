// Any bytes as a set of examples of detail: read whole or refused with a sentence, and all memory given back. The hash
// at the end is put right first, or nothing behind it would ever be reached.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "pliant/detail_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) abort();
  uint8_t *bytes = malloc(size + 1);
  if (bytes == NULL) abort();
  memcpy(bytes, data, size);
  if (size > 8) {
    uint64_t hash = pl_hash_bytes(PL_HASH_START, bytes, size - 8);
    for (int i = 0; i < 8; ++i) bytes[size - 8 + (size_t)i] = (uint8_t)(hash >> (8 * i));
  }
  pl_error error = {0};
  pl_detail_set *set = NULL;
  pl_status status = pl_detail_set_load_memory(context, &(pl_memory_source){bytes, size, "fuzz", NULL}, &set, &error);
  if ((status < 0) != (set == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  if (set != NULL) {
    pl_detail_set_view view = pl_detail_set_get_view(set);
    for (int32_t i = 0; i < view.example_count; ++i)
      if (!(view.sizes[i] > 0) || !isfinite(view.sizes[i])) abort();
  }
  pl_detail_set_destroy(set);
  free(bytes);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
