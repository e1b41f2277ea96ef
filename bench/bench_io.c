// Reading and writing mesh files, in megabytes per second of file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_suite.h"
#include "tool_open.h"

static double file_megabytes(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? 1e-6 * (double)info.st_size : 0;
}

// What reading costs when nothing is done with the bytes: the best a reader could do.
static double raw_read_rate(const char *path) {
  enum { PIECE = 1 << 20 };
  char *piece = tool_allocate(PIECE, 1);
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    double begin = tool_seconds();
    FILE *file = fopen(path, "rb");
    size_t size = 0, got;
    while (file != NULL && (got = fread(piece, 1, PIECE, file)) > 0) size += got;
    if (file != NULL) fclose(file);
    double rate = 1e-6 * (double)size / (tool_seconds() - begin);
    if (rate > best) best = rate;
  }
  free(piece);
  return best;
}

static int measure(bench_session *bench, pl_context *context, const pl_mesh *surface, const char *folder,
                   const char *ending) {
  bench_samples writing = {0}, reading = {0};
  pl_error error = {0};
  pl_status status = PL_OK;
  char *path = tool_text("%s/surface.%s", folder, ending), name[32];
  for (int i = 0; i < bench_repeats(bench) && status >= 0; ++i) {
    pl_mesh *read = NULL;
    double begin = tool_seconds();
    status = pl_mesh_save(context, path, surface, &error);
    if (status < 0) break;
    bench_add(&writing, file_megabytes(path) / (tool_seconds() - begin));
    begin = tool_seconds();
    status = pl_mesh_load(context, path, &read, NULL, &error);
    bench_add(&reading, file_megabytes(path) / (tool_seconds() - begin));
    pl_mesh_destroy(read);
  }
  if (status >= 0) {
    bench_row row = {.suite = "io",
                     .name = name,
                     .threads = 1,
                     .unit = "MB/s",
                     .higher_is_better = true,
                     .size = (int64_t)(1e6 * file_megabytes(path))};
    snprintf(name, sizeof name, "write %s", ending);
    bench_print(bench, &row, &writing);
    snprintf(name, sizeof name, "read %s", ending);
    row.limit = raw_read_rate(path);
    bench_print(bench, &row, &reading);
  }
  unlink(path);
  free(path);
  return status < 0 ? tool_report_error(&bench->tool->console, &error) : TOOL_DONE;
}

int bench_io(bench_session *bench) {
  static const char *const endings[] = {"ply", "obj", "stl", "vtu", "glb"};
  const char *base = getenv("TMPDIR");
  char *folder = tool_text("%s/pliant-bench-XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp");
  if (mkdtemp(folder) == NULL) {
    tool_print_error(&bench->tool->console,
                     "the temporary folder '%s' cannot be created; check TMPDIR and its permissions", folder);
    free(folder);
    return TOOL_FAILED;
  }
  pl_context *context = tool_open_context(bench->tool, 1);
  pl_mesh *surface = context != NULL ? bench_surface(bench, context, bench->quick ? 20000 : 200000) : NULL;
  int code = surface != NULL ? TOOL_DONE : TOOL_FAILED;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && code == TOOL_DONE; ++i)
    code = measure(bench, context, surface, folder, endings[i]);
  pl_mesh_destroy(surface);
  pl_context_destroy(context);
  rmdir(folder);
  free(folder);
  return code;
}
