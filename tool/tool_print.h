// Messages, errors, findings and progress on standard error. Standard output is for results only.
#ifndef TOOL_PRINT_H
#define TOOL_PRINT_H

#include "pliant/base.h"

// Exit codes.
enum { TOOL_DONE = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_REMARKS = 3 };

// Colour is used on a terminal only, and not when NO_COLOR is set.
typedef struct tool_console {
  bool terminal;  // standard error is one
  bool color;
  bool lines;  // progress as lines, for programs that show their own
  bool quiet;  // warnings and errors only
} tool_console;

tool_console tool_console_detect(void);

// Print one line, or one that begins with `warning: ` or `error: `.
void tool_print(const tool_console *console, const char *format, ...) PL_PRINTF(2, 3);
void tool_print_warning(const tool_console *console, const char *format, ...) PL_PRINTF(2, 3);
void tool_print_error(const tool_console *console, const char *format, ...) PL_PRINTF(2, 3);

// Print an error of the library and return TOOL_FAILED.
int tool_report_error(const tool_console *console, const pl_error *error);

// Print every finding of at least `min` on standard error; those without a file get `file` (may be
// NULL).
void tool_report_findings(const tool_console *console, const pl_findings *findings, pl_severity min,
                          const char *file);

// The same text as a finding prints, into a buffer that is always terminated.
void tool_finding_text(const pl_finding *finding, const char *file, char *buffer, size_t size);

// A progress line: on a terminal rewritten in place, elsewhere a new line at intervals.
typedef struct tool_progress {
  const tool_console *console;
  const char *title;     // "frame"
  int64_t start, total;  // counting began at `start`
  double begin, last;    // seconds
  int64_t reported;      // last count of a sparse line
  bool shown;            // there is a line on the terminal to wipe
} tool_progress;

tool_progress tool_progress_start(const tool_console *console, const char *title, int64_t start,
                                  int64_t total);
void tool_progress_show(tool_progress *progress, int64_t done);

// Erase the line, so that others can be printed.
void tool_progress_end(tool_progress *progress);

// Seconds since some fixed moment.
double tool_seconds(void);

// `seconds` as readable text: "45 s", "3 min 20 s", "2 h 5 min".
void tool_duration_text(double seconds, char *buffer, size_t size);

// Zeroed memory. Ends the program when out of memory; no result is half written then.
void *tool_allocate(size_t count, size_t item_size);

// A formatted string, to be freed.
char *tool_text(const char *format, ...) PL_PRINTF(1, 2);

#endif
