/// @file base.h
/// Context, status, errors and findings: the basis of all other headers.
///
/// Rules of the whole library
/// - Functions are named `pl_<noun>_<verb>`; types `pl_<noun>`, with the endings `_def` (input),
///   `_id` (handle), `_view` (borrowed memory) and `_report` (result).
/// - Argument order: object, def, inputs, outputs, report, error. Outputs, reports and errors may
/// be
///   NULL when not wanted, unless a function says otherwise.
/// - A negative status means that the call failed and nothing changed. A positive status means that
///   the call finished with a remark. Every function that returns a status may fail with
///   PL_ERROR_OUT_OF_MEMORY, and every function that takes a def fails with
///   PL_ERROR_INVALID_ARGUMENT for one that was not made by its pl_default_*_def().
/// - SI units: metres, kilograms, seconds, radians. Axes are right-handed with +Y up. Quaternions
/// are
///   (x, y, z, w).
/// - The library never prints and never exits, has no global state, and takes all memory from the
///   allocator of the context.
/// - Threads: a context may be used from several threads at once. An object that is not const in a
///   call must not be used by another call at the same time; const objects may be shared freely.
#ifndef PLIANT_BASE_H
#define PLIANT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PL_API __attribute__((visibility("default")))
#define PL_PRINTF(format_index, first_index) \
  __attribute__((format(printf, format_index, first_index)))
#else
#define PL_API
#define PL_PRINTF(format_index, first_index)
#endif

/// Version of these headers; the library's own is pl_version().
#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 1
#define PL_VERSION_PATCH 0

/// Outcome of a call. Negative: the call failed and nothing changed. Positive: it finished, with a
/// remark.
typedef enum pl_status {
  PL_OK = 0,
  PL_REMARK_NOT_CONVERGED =
      1,                   ///< an iteration stopped at its maximum; the report says how far it came
  PL_REMARK_FINDINGS = 2,  ///< the result is usable; the findings say what is doubtful
  PL_REMARK_CANCELLED = 3,         ///< the caller asked to stop; the work done so far is kept
  PL_ERROR_OUT_OF_MEMORY = -1,     ///< the allocator returned NULL
  PL_ERROR_INVALID_ARGUMENT = -2,  ///< an argument is outside its documented range
  PL_ERROR_INVALID_DATA = -3,      ///< user data (file, mesh, scene) is wrong; the error says where
  PL_ERROR_NOT_FOUND = -4,         ///< a name or handle does not exist
  PL_ERROR_FILE = -5,              ///< the operating system refused a file operation
  PL_ERROR_UNSUPPORTED = -6,       ///< valid, but not something this build can do
  PL_ERROR_NOT_FINITE = -7,  ///< the simulation produced infinities or NaNs and was rolled back
} pl_status;

/// One short English sentence for a status; never NULL, static storage.
PL_API const char *pl_status_text(pl_status status);

/// The library's version as "major.minor.patch"; static storage.
PL_API const char *pl_version(void);

/// Description of a failure. Plain memory, owned by the caller; unknown parts are "" or 0.
typedef struct pl_error {
  pl_status status;
  int32_t line;     ///< 1-based line in `file`, 0 if unknown
  int32_t column;   ///< 1-based column in bytes, 0 if unknown
  char file[256];   ///< file name as the caller gave it
  char field[128];  ///< field path such as `bodies[2].solid.stiffness`
  char text[512];   ///< one sentence: what is wrong and what to do
} pl_error;

/// Format an error as `file:line:column: error: field: text` into `buffer`, leaving out what is
/// unknown. The text is always terminated. Returns the length of the whole text, as snprintf does.
PL_API int pl_error_format(const pl_error *error, char *buffer, size_t size);

/// Where the library takes its memory from. `allocate` returns a block of at least `size` bytes
/// aligned to `alignment` (a power of two, at most 64), or NULL; `release` gets the same `size`
/// back. Both may be called from any thread that uses the context.
typedef struct pl_allocator {
  void *(*allocate)(void *user, size_t size, size_t alignment);
  void (*release)(void *user, void *block, size_t size);
  void *user;
} pl_allocator;

/// Severity of a log line or a finding.
typedef enum pl_severity {
  PL_SEVERITY_NOTE = 0,
  PL_SEVERITY_WARNING = 1,
  PL_SEVERITY_ERROR = 2
} pl_severity;

/// Receives log lines (no newline at the end). May be called from any thread that uses the context.
typedef void pl_log_function(void *user, pl_severity severity, const char *text);

/// One piece of a parallel loop: `data` as given, `index` in [0, count).
typedef void pl_task_function(void *data, int32_t index);

/// The host's own task system. `run` calls `task(data, i)` once for every i in [0, count), in any
/// order and on any threads, and returns when all are done. Results do not depend on how the host
/// schedules them.
typedef struct pl_task_runner {
  void (*run)(void *user, int32_t count, pl_task_function *task, void *data);
  void *user;
} pl_task_runner;

/// Input of pl_context_create().
typedef struct pl_context_def {
  pl_allocator allocator;  ///< zero: malloc and free
  pl_log_function *log;    ///< NULL: silent
  void *log_user;
  pl_task_runner task_runner;  ///< zero: a worker pool of our own
  int32_t thread_count;  ///< threads of our own pool, the caller's included; 0: one per processor;
                         ///< ignored with a task_runner
  uint32_t magic;        ///< set by pl_default_context_def(); a def that was only zeroed is refused
} pl_context_def;

/// Allocator, log and threads. The first object to create and the last to destroy.
typedef struct pl_context pl_context;

/// A def with malloc, no log, and one thread per processor.
PL_API pl_context_def pl_default_context_def(void);

/// Create a context. The caller owns it. Fails with PL_ERROR_INVALID_ARGUMENT for a def that is
/// wrong, PL_ERROR_UNSUPPORTED when threads cannot be started, and when out of memory; `*context`
/// is then NULL.
PL_API pl_status pl_context_create(const pl_context_def *def, pl_context **context,
                                   pl_error *error);

/// Destroy a context. All objects created with it must have been destroyed before. NULL is allowed.
PL_API void pl_context_destroy(pl_context *context);

/// Number of threads that parallel loops run on, at least 1.
PL_API int32_t pl_context_thread_count(const pl_context *context);

/// Memory held from the allocator now, and the number of allocations since the context was created.
typedef struct pl_memory_report {
  int64_t block_count;       ///< blocks now held
  int64_t byte_count;        ///< bytes now held
  int64_t allocation_count;  ///< calls of `allocate` so far, failed ones included
} pl_memory_report;

/// Memory use of a context. Exact when no other thread is using the context.
PL_API pl_memory_report pl_context_get_memory_report(const pl_context *context);

/// One problem or doubt about user data, described for the user.
typedef struct pl_finding {
  pl_severity severity;
  int32_t line, column;  ///< 1-based, 0 if unknown
  int32_t index;         ///< element concerned (point, triangle, tet …), -1 if none
  double position[3];    ///< where in space, in metres; only if `has_position`
  bool has_position;
  const char *file;     ///< "" if unknown
  const char *field;    ///< field path, "" if none
  const char *kind;     ///< stable short name such as `inverted-tet` or `unknown-key`
  const char *you_see;  ///< what is there
  const char *why;      ///< why it matters, may be ""
  const char *fix;      ///< what to do about it, may be ""
} pl_finding;

/// A list of findings that grows. One thread at a time.
typedef struct pl_findings pl_findings;

/// Create an empty list. The caller owns it. Fails only when out of memory.
PL_API pl_status pl_findings_create(pl_context *context, pl_findings **findings, pl_error *error);

/// Destroy a list and the strings of its findings. NULL is allowed.
PL_API void pl_findings_destroy(pl_findings *findings);

/// Append a copy of `finding`; NULL strings count as "". Fails only when out of memory.
PL_API pl_status pl_findings_add(pl_findings *findings, const pl_finding *finding);

/// Number of findings with severity `min` or higher.
PL_API int32_t pl_findings_count(const pl_findings *findings, pl_severity min);

/// Finding `index`, from 0 to pl_findings_count(findings, PL_SEVERITY_NOTE) - 1. Valid until the
/// list changes.
PL_API const pl_finding *pl_findings_get(const pl_findings *findings, int32_t index);

/// Format a finding as one line `file:line:column: error: field: you see; why; fix` into `buffer`.
/// The text is always terminated. Returns the length of the whole text, as snprintf does.
PL_API int pl_finding_format(const pl_finding *finding, char *buffer, size_t size);

/// A file in memory: input of all functions called pl_*_load_memory(). Borrowed for the call.
typedef struct pl_memory_source {
  const void *bytes;
  size_t size;         ///< bytes
  const char *name;    ///< file name for messages
  const char *folder;  ///< folder that relative paths in the file start from; NULL: other files are
                       ///< not looked for
} pl_memory_source;

#ifdef __cplusplus
}
#endif
#endif
