// Messages, errors and progress on standard error.
#include "tool_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_LENGTH = 2048, BAR_LENGTH = 24 };

#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define PLAIN "\033[0m"

tool_console tool_console_detect(void) {
  const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
  tool_console console = {.terminal = isatty(STDERR_FILENO) != 0};
  if (kind != NULL && strcmp(kind, "dumb") == 0) console.terminal = false;
  // Programs that show progress of their own.
  const char *progress = getenv("PLIANT_PROGRESS");
  console.lines = progress != NULL && strcmp(progress, "lines") == 0;
  if (console.lines) console.terminal = false;
  console.color = console.terminal && (no_color == NULL || no_color[0] == '\0');
  return console;
}

void tool_print(const tool_console *console, const char *format, ...) {
  if (console->quiet) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

static void print_marked(const tool_console *console, const char *color, const char *word, const char *format,
                         va_list arguments) {
  fprintf(stderr, "pliant: %s%s:%s ", console->color ? color : "", word, console->color ? PLAIN : "");
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

void tool_print_warning(const tool_console *console, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_marked(console, YELLOW, "warning", format, arguments);
  va_end(arguments);
}

void tool_print_error(const tool_console *console, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_marked(console, RED, "error", format, arguments);
  va_end(arguments);
}

// Print a line `place: error: …` with its second part in colour.
static void print_line(const tool_console *console, const char *line) {
  static const struct { const char *word, *color; } words[] = {{"error: ", RED}, {"warning: ", YELLOW}, {"note: ", ""}};
  for (size_t i = 0; console->color && i < sizeof words / sizeof words[0]; ++i) {
    const char *found = strstr(line, words[i].word);
    if (found == NULL || (found != line && found[-1] != ' ')) continue;
    size_t length = strlen(words[i].word) - 1;
    fprintf(stderr, "%.*s%s%.*s" PLAIN "%s\n", (int)(found - line), line, words[i].color, (int)length, found,
            found + length);
    return;
  }
  fprintf(stderr, "%s\n", line);
}

int tool_report_error(const tool_console *console, const pl_error *error) {
  char line[LINE_LENGTH];
  if (error->text[0] == '\0') {
    tool_print_error(console, "%s", pl_status_text(error->status));
    return TOOL_FAILED;
  }
  pl_error_format(error, line, sizeof line);
  if (error->file[0] == '\0') fputs("pliant: ", stderr);
  print_line(console, line);
  return TOOL_FAILED;
}

void tool_finding_text(const pl_finding *finding, const char *file, char *buffer, size_t size) {
  pl_finding copy = *finding;
  if (file != NULL && (copy.file == NULL || copy.file[0] == '\0')) copy.file = file;
  pl_finding_format(&copy, buffer, size);
}

void tool_report_findings(const tool_console *console, const pl_findings *findings, pl_severity min, const char *file) {
  for (int32_t i = 0; i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(findings, i);
    char line[LINE_LENGTH];
    if (finding->severity < min) continue;
    tool_finding_text(finding, file, line, sizeof line);
    print_line(console, line);
  }
}

double tool_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void tool_duration_text(double seconds, char *buffer, size_t size) {
  if (!(seconds >= 0)) seconds = 0;
  long whole = seconds < 1e9 ? lround(seconds) : 1000000000;
  if (whole < 60 && seconds < 9.95)
    snprintf(buffer, size, "%.1f s", seconds);
  else if (whole < 120)
    snprintf(buffer, size, "%ld s", whole);
  else if (whole < 7200)
    snprintf(buffer, size, "%ld min %ld s", whole / 60, whole % 60);
  else
    snprintf(buffer, size, "%ld h %ld min", whole / 3600, whole / 60 % 60);
}

tool_progress tool_progress_start(const tool_console *console, const char *title, int64_t start, int64_t total) {
  double now = tool_seconds();
  return (tool_progress){console, title, start, total, now, now, start, false};
}

// Remaining time, extrapolated from the work done so far.
static double time_left(const tool_progress *progress, int64_t done, double now) {
  if (done <= progress->start) return 0;
  return (now - progress->begin) / (double)(done - progress->start) * (double)(progress->total - done);
}

static void show_bar(tool_progress *progress, int64_t done, double now) {
  // Ten updates per second are enough.
  if (progress->shown && now - progress->last < 0.1 && done < progress->total) return;
  char bar[BAR_LENGTH + 1], left[32];
  int filled = progress->total > 0 ? (int)(done * BAR_LENGTH / progress->total) : BAR_LENGTH;
  for (int i = 0; i < BAR_LENGTH; ++i) bar[i] = i < filled ? '#' : '.';
  bar[BAR_LENGTH] = '\0';
  tool_duration_text(time_left(progress, done, now), left, sizeof left);
  fprintf(stderr, "\r\033[K%s %s %lld/%lld, %s left", bar, progress->title, (long long)done, (long long)progress->total,
          left);
  fflush(stderr);
  progress->shown = true;
  progress->last = now;
}

static void show_line(tool_progress *progress, int64_t done, double now) {
  // In a log file: a line every ten seconds and no more than one for each tenth of the work. For programs: ten a
  // second.
  bool due = progress->console->lines
                 ? now - progress->last >= 0.1 || done == progress->total
                 : now - progress->last >= 10 && (done - progress->reported) * 10 >= progress->total;
  if (!due) return;
  char left[32];
  tool_duration_text(time_left(progress, done, now), left, sizeof left);
  fprintf(stderr, "%s %lld/%lld, %s left\n", progress->title, (long long)done, (long long)progress->total, left);
  progress->last = now;
  progress->reported = done;
}

void tool_progress_show(tool_progress *progress, int64_t done) {
  if (progress->console->quiet) return;
  double now = tool_seconds();
  if (progress->console->terminal)
    show_bar(progress, done, now);
  else
    show_line(progress, done, now);
}

void tool_progress_end(tool_progress *progress) {
  if (progress->shown) fputs("\r\033[K", stderr);
  progress->shown = false;
}

void *tool_allocate(size_t count, size_t item_size) {
  void *block = calloc(count > 0 ? count : 1, item_size);
  if (block == NULL) {
    fputs("pliant: error: out of memory\n", stderr);
    exit(TOOL_FAILED);
  }
  return block;
}

char *tool_text(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  size_t size = length < 0 ? 1 : (size_t)length + 1;
  char *text = tool_allocate(size, 1);
  va_start(arguments, format);
  vsnprintf(text, size, format, arguments);
  va_end(arguments);
  return text;
}
