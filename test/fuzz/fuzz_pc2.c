// Any bytes as a PC2 or MDD file, read through a file in memory; every frame of an accepted file is read.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pliant/frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int handle = memfd_create("fuzz", MFD_CLOEXEC);
  if (handle < 0 || write(handle, data, size) != (ssize_t)size) abort();
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", handle);
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) abort();
  pl_frame_file *file = NULL;
  pl_frame_file_report report = {0};
  if (pl_frame_file_open(context, path, &file, &report, NULL) >= 0) {
    // Accepted: so the counts fit the bytes, and this allocation cannot be large.
    pl_vec3 *points = malloc((size_t)report.point_count * sizeof *points);
    for (int32_t i = 0; points != NULL && i < report.frame_count; ++i) pl_frame_file_read(file, i, points, NULL);
    free(points);
  }
  pl_frame_file_close(file);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  close(handle);
  return 0;
}
