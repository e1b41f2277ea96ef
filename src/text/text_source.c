#include "text/text_source.h"

#include <stdio.h>

#include "base/error.h"
#include "base/finding.h"

// Lines end with LF, CR LF or a lone CR.
static void find_slot(const pl_mesh_source *source, size_t offset, int32_t *line, int32_t *column) {
  if (offset > source->size) offset = source->size;
  size_t line_start = 0;
  *line = 1;
  for (size_t i = 0; i < offset; ++i) {
    unsigned char c = source->bytes[i];
    bool ends = c == '\n' || (c == '\r' && !(i + 1 < source->size && source->bytes[i + 1] == '\n'));
    if (!ends) continue;
    if (*line < INT32_MAX) ++*line;
    line_start = i + 1;
  }
  size_t distance = offset - line_start;
  *column = distance < INT32_MAX ? (int32_t)distance + 1 : INT32_MAX;
}

static pl_status fail_with(const pl_mesh_source *source, pl_status status, size_t offset, const char *format,
                           va_list arguments) {
  char text[480];
  vsnprintf(text, sizeof text, format, arguments);
  if (offset == PL_NO_POSITION) return pl_fail_at(source->error, status, source->name, 0, 0, "%s", text);
  if (source->binary) return pl_fail_at(source->error, status, source->name, 0, 0, "byte %zu: %s", offset, text);
  int32_t line, column;
  find_slot(source, offset, &line, &column);
  return pl_fail_at(source->error, status, source->name, line, column, "%s", text);
}

pl_status pl_source_fail(const pl_mesh_source *source, size_t offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  pl_status status = fail_with(source, PL_ERROR_INVALID_DATA, offset, format, arguments);
  va_end(arguments);
  return status;
}

pl_status pl_source_refuse(const pl_mesh_source *source, size_t offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  pl_status status = fail_with(source, PL_ERROR_UNSUPPORTED, offset, format, arguments);
  va_end(arguments);
  return status;
}

pl_status pl_source_fail_memory(const pl_mesh_source *source) {
  return pl_fail_at(source->error, PL_ERROR_OUT_OF_MEMORY, source->name, 0, 0, "out of memory");
}

pl_status pl_source_note(const pl_mesh_source *source, pl_severity severity, const char *kind, const char *why,
                         const char *fix, const char *format, ...) {
  char text[480];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pl_finding finding = {.severity = severity, .index = -1, .file = source->name, .kind = kind, .why = why, .fix = fix};
  pl_status status = pl_findings_addf(source->findings, &finding, "%s", text);
  return status < 0 ? pl_source_fail_memory(source) : PL_OK;
}

pl_status pl_source_check_count(const pl_mesh_source *source, size_t offset, int64_t count, size_t min_size,
                                const char *what) {
  if (count < 0)
    return pl_source_fail(source, offset, "the number of %s is %lld; it cannot be negative", what, (long long)count);
  size_t left = offset < source->size ? source->size - offset : 0;
  if ((uint64_t)count > left / (min_size > 0 ? min_size : 1))
    return pl_source_fail(source, offset,
                          "%lld %s are announced, but only %zu bytes are left; the file is cut off or damaged",
                          (long long)count, what, left);
  if (count > INT32_MAX)
    return pl_source_refuse(source, offset, "%lld %s are more than can be used", (long long)count, what);
  return PL_OK;
}
