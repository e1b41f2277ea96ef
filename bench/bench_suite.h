// Measurements: repeated, summed up by their median and spread, printed as a table or as JSON
// lines.
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include "pliant/pliant.h"
#include "tool_arguments.h"

enum { BENCH_MAX_REPEATS = 15 };

typedef struct bench_session {
  const tool_session *tool;
  bool json, quick;
  const char *const *cases;  // that were named; all when there are none
  int case_count;
  const char *folder;  // where a suite that takes long keeps its files and resumes; NULL: nowhere
  int row_count;
} bench_session;

// Names of cases that can be run alone, in the order in which they run; the list ends with NULL.
extern const char *const bench_actor_cases[];
extern const char *const bench_contact_cases[];
extern const char *const bench_object_cases[];
extern const char *const bench_robust_cases[];

// Numbers of one case, one per repetition.
typedef struct bench_samples {
  int count;
  double values[BENCH_MAX_REPEATS];
} bench_samples;

// A line of the result. Zero means: none.
typedef struct bench_row {
  const char *suite, *name;
  int threads;
  const char *unit;
  bool higher_is_better;
  double paper;      // the paper's figure in the same unit
  double limit;      // what this machine could do at best, measured in the same run
  int64_t size;      // particles, triangles, chains or bytes: how large the case is
  const char *note;  // what paper or limit mean, where that needs saying; NULL: nothing
  bool takes_best;   // the value is the best of the samples instead of their median: all did the
                     // same work to the last bit
  const char *more;  // further keys of the JSON line, as `"key": value, …`; NULL: none
} bench_row;

// How often to repeat.
int bench_repeats(const bench_session *bench);
void bench_add(bench_samples *samples, double value);
double bench_median(const bench_samples *samples);

// Whether a case is to be run.
bool bench_wants(const bench_session *bench, const char *name);

// Print the median of the samples, or the best of them, with the distance of the quartiles as
// spread.
void bench_print(bench_session *bench, const bench_row *row, const bench_samples *samples);

// The suites; each returns an exit code.
int bench_machine(bench_session *bench);
int bench_contact(bench_session *bench);
int bench_solid(bench_session *bench);
int bench_rod(bench_session *bench);
int bench_strands(bench_session *bench);
int bench_fem(bench_session *bench);
int bench_elements(bench_session *bench);
int bench_actor(bench_session *bench);
int bench_robust(bench_session *bench);
int bench_detail(bench_session *bench);
int bench_capture(bench_session *bench);
int bench_objects(bench_session *bench);
int bench_dinosaur(bench_session *bench);
int bench_coverage(bench_session *bench);
int bench_mesh(bench_session *bench);
int bench_io(bench_session *bench);

// Bytes per second that `threads` threads read and write together, going over `bytes` of memory
// again and again (a = b + s c).
double bench_bandwidth(size_t bytes, int threads);

// A wavy ball of about `triangle_count` triangles, made by the modeller; NULL if it fails
// (printed).
pl_mesh *bench_surface(const bench_session *bench, pl_context *context, int32_t triangle_count);

#endif
