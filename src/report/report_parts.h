// A report under way, shared by the files that write its parts.
#ifndef PL_REPORT_PARTS_H
#define PL_REPORT_PARTS_H

#include "io/file_bytes.h"
#include "report/report.h"

struct pl_report {
  pl_context *context;
  pl_file_writer *writer;
  int32_t heading_count, clip_count;
  pl_status status;  // of what is not the writer's: memory, drawing
  pl_error error;
};

// Append text with the characters that mean something in HTML replaced; NULL is empty text.
void pl_report_write_text(pl_report *report, const char *text);

#endif
