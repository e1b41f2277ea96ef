// `pliant --version`. The only file that knows of the commit: nothing else is compiled again when that changes.
#include "tool_version.h"

#include "pliant/base.h"
#include "tool_commit.h"  // PLIANT_COMMIT, made by cmake/commit.cmake in every build

#define TEXT_OF(x) #x
#define NUMBER_TEXT(x) TEXT_OF(x)
#if defined(__clang__)
#define COMPILER \
  "clang " NUMBER_TEXT(__clang_major__) "." NUMBER_TEXT(__clang_minor__) "." NUMBER_TEXT(__clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

// Each is 1 or 0 (CMakeLists.txt of this folder).
static const struct {
  const char *name;
  int is_there;
} parts[] = {{"CHOLMOD", PLIANT_HAS_CHOLMOD}, {"ARPACK", PLIANT_HAS_ARPACK},
             {"NLopt", PLIANT_HAS_NLOPT},     {"meshoptimizer", PLIANT_HAS_MESHOPTIMIZER},
             {"Draco", PLIANT_HAS_DRACO},     {"EGL", PLIANT_HAS_EGL},
             {"MPI", PLIANT_HAS_MPI},         {"studio", PLIANT_HAS_STUDIO}};

static void print_parts(FILE *out, const char *title, int is_there) {
  int count = 0;
  fprintf(out, "%s", title);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    if (parts[i].is_there == is_there) count += fprintf(out, " %s", parts[i].name) > 0;
  fprintf(out, "%s\n", count == 0 ? " nothing" : "");
}

void tool_print_version(FILE *out) {
  fprintf(out, "pliant %s\n", pl_version());
  fprintf(out, "commit:   %s\n", PLIANT_COMMIT);
  fprintf(out, "compiler: %s\n", COMPILER);
  print_parts(out, "with:    ", 1);
  print_parts(out, "without: ", 0);
}
