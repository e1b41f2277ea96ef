// Any bytes as markers: read whole or refused with a sentence, and all memory given back.
#include <math.h>
#include <stdlib.h>

#include "pliant/markers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) abort();
  pl_error error = {0};
  pl_markers *markers = NULL;
  pl_status status = pl_markers_load_memory(context, &(pl_memory_source){data, size, "fuzz", NULL}, &markers, &error);
  if ((status < 0) != (markers == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  if (markers != NULL) {
    pl_markers_view view = pl_markers_get_view(markers);
    if (view.marker_count < 1 || view.frame_count < 1 || !(view.rate > 0)) abort();
    for (int64_t i = 0; i < (int64_t)view.marker_count * view.frame_count; ++i)
      if (isfinite(view.positions[i].x) != isfinite(view.positions[i].z)) abort();
    for (int32_t i = 0; i < view.marker_count; ++i)
      if (pl_markers_find(markers, view.names[i]) != i) abort();
  }
  pl_markers_destroy(markers);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
