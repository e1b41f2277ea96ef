#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"

const char *pl_status_text(pl_status status) {
  switch (status) {
    case PL_OK: return "done";
    case PL_REMARK_NOT_CONVERGED: return "finished without converging";
    case PL_REMARK_FINDINGS: return "finished with findings";
    case PL_REMARK_CANCELLED: return "stopped on request";
    case PL_ERROR_OUT_OF_MEMORY: return "out of memory";
    case PL_ERROR_INVALID_ARGUMENT: return "invalid argument";
    case PL_ERROR_INVALID_DATA: return "invalid data";
    case PL_ERROR_NOT_FOUND: return "not found";
    case PL_ERROR_FILE: return "file operation failed";
    case PL_ERROR_UNSUPPORTED: return "not supported here";
    case PL_ERROR_NOT_FINITE: return "the state became infinite or not a number";
  }
  return "unknown status";
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
const char *pl_version(void) {
  return TEXT(PL_VERSION_MAJOR) "." TEXT(PL_VERSION_MINOR) "." TEXT(PL_VERSION_PATCH);
}

// Take away the beginning of a UTF-8 character that a full buffer has cut off: half of one is not text for display.
static void trim_character(char *text) {
  size_t length = strlen(text), start = length;
  while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) --start;
  if (start == 0) return;
  unsigned char lead = (unsigned char)text[start - 1];
  size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (length - start + 1 < wanted) text[start - 1] = '\0';
}

static void copy_text(char *to, size_t size, const char *from) {
  if (from == NULL) from = "";
  size_t length = strlen(from);
  bool cut = length >= size;
  if (cut) length = size - 1;
  memcpy(to, from, length);
  to[length] = '\0';
  if (cut) trim_character(to);
}

static void fill(pl_error *error, pl_status status, const char *file, int32_t line, int32_t column, const char *field,
                 const char *format, va_list arguments) {
  if (error == NULL) return;
  // Format and copy aside first: the arguments may point into the error that is about to be replaced.
  pl_error fresh = {.status = status, .line = line, .column = column};
  copy_text(fresh.file, sizeof fresh.file, file);
  copy_text(fresh.field, sizeof fresh.field, field);
  int length = vsnprintf(fresh.text, sizeof fresh.text, format, arguments);
  if (length >= (int)sizeof fresh.text) trim_character(fresh.text);
  *error = fresh;
}

pl_status pl_fail(pl_error *error, pl_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, NULL, 0, 0, NULL, format, arguments);
  va_end(arguments);
  return status;
}

pl_status pl_fail_at(pl_error *error, pl_status status, const char *file, int32_t line, int32_t column,
                     const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, file, line, column, NULL, format, arguments);
  va_end(arguments);
  return status;
}

pl_status pl_fail_field(pl_error *error, pl_status status, const char *field, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, NULL, 0, 0, field, format, arguments);
  va_end(arguments);
  return status;
}

pl_status pl_fail_memory(pl_error *error) {
  return pl_fail(error, PL_ERROR_OUT_OF_MEMORY, "out of memory");
}

pl_status pl_check_def(uint32_t magic, const char *def_name, pl_error *error) {
  if (magic == PL_DEF_MAGIC) return PL_OK;
  return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                 "this %s was not made by its pl_default_*_def() function; start from that", def_name);
}

// `file:line:column: severity: field: ` as far as known. Returns the length as snprintf does.
static int format_position(char *buffer, size_t size, const char *file, int32_t line, int32_t column,
                           const char *severity, const char *field) {
  char position[64] = "";
  if (line > 0 && column > 0)
    snprintf(position, sizeof position, ":%d:%d", line, column);
  else if (line > 0)
    snprintf(position, sizeof position, ":%d", line);
  return snprintf(buffer, size, "%s%s%s%s: %s%s", file, file[0] != '\0' ? position : "", file[0] != '\0' ? ": " : "",
                  severity, field, field[0] != '\0' ? ": " : "");
}

static int append(char *buffer, size_t size, int used, const char *text) {
  if ((size_t)used < size) snprintf(buffer + used, size - (size_t)used, "%s", text);
  return used + (int)strlen(text);
}

int pl_error_format(const pl_error *error, char *buffer, size_t size) {
  int used = format_position(buffer, size, error->file, error->line, error->column, "error", error->field);
  return append(buffer, size, used, error->text);
}

// Findings of the caller's own making may leave strings NULL, as pl_findings_add() allows.
static const char *text_or_empty(const char *text) {
  return text == NULL ? "" : text;
}

int pl_finding_format(const pl_finding *finding, char *buffer, size_t size) {
  const char *severity = finding->severity == PL_SEVERITY_ERROR     ? "error"
                         : finding->severity == PL_SEVERITY_WARNING ? "warning"
                                                                    : "note";
  int used = format_position(buffer, size, text_or_empty(finding->file), finding->line, finding->column, severity,
                             text_or_empty(finding->field));
  used = append(buffer, size, used, text_or_empty(finding->you_see));
  // Whole sentences follow each other as they are; half sentences are joined by semicolons.
  const char *last = text_or_empty(finding->you_see);
  const char *const rest[] = {text_or_empty(finding->why), text_or_empty(finding->fix)};
  for (int i = 0; i < 2; ++i) {
    if (rest[i][0] == '\0') continue;
    bool is_sentence = last[0] != '\0' && strchr(".!?", last[strlen(last) - 1]) != NULL;
    used = append(buffer, size, append(buffer, size, used, is_sentence ? " " : "; "), rest[i]);
    last = rest[i];
  }
  return used;
}

pl_status pl_check_range(const char *field, double value, double min, double max, bool min_allowed, pl_error *error) {
  bool fits = isfinite(value) && value <= max && (min_allowed ? value >= min : value > min);
  if (fits) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field, "%g is out of range; use %s %g and at most %g", value,
                       min_allowed ? "at least" : "more than", min, max);
}
