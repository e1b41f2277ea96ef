// Any bytes as a point cloud, or, where they begin like JSON, as the description of a capture: read whole or refused
// with a sentence, and all memory given back.
#include <math.h>
#include <stdlib.h>

#include "pliant/capture_file.h"
#include "pliant/cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_cloud(pl_context *context, pl_findings *findings, const uint8_t *data, size_t size) {
  pl_error error = {0};
  pl_cloud *cloud = NULL;
  pl_status status =
      pl_cloud_load_memory(context, &(pl_memory_source){data, size, "fuzz", NULL}, &cloud, findings, &error);
  if ((status < 0) != (cloud == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  if (cloud == NULL) return;
  pl_cloud_view view = pl_cloud_get_view(cloud);
  for (int32_t i = 0; i < view.point_count; ++i) {
    if (!isfinite(view.points[i].x) || !isfinite(view.points[i].y) || !isfinite(view.points[i].z)) abort();
    if (view.normals != NULL && !isfinite(view.normals[i].x)) abort();
    if (view.colors != NULL && !(view.colors[i].r >= 0 && view.colors[i].r <= 1)) abort();
  }
  pl_cloud_destroy(cloud);
}

static void read_capture(pl_context *context, pl_findings *findings, const uint8_t *data, size_t size) {
  pl_error error = {0};
  pl_capture *capture = NULL;
  pl_status status =
      pl_capture_load_memory(context, &(pl_memory_source){data, size, "fuzz", "/nowhere"}, &capture, findings, &error);
  if ((status < 0) != (capture == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  pl_capture_destroy(capture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  pl_findings *findings = NULL;
  if (pl_context_create(&def, &context, NULL) < 0 || pl_findings_create(context, &findings, NULL) < 0) abort();
  if (size > 0 && data[0] == '{')
    read_capture(context, findings, data, size);
  else
    read_cloud(context, findings, data, size);
  pl_findings_destroy(findings);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
