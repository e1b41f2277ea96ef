// A report under way, shared by the files that write its parts.
#ifndef PL_REPORT_PARTS_H
#define PL_REPORT_PARTS_H

#include "io/file_bytes.h"
#include "report/report.h"

// Colours of curves: easy to tell apart for colour-blind eyes (Okabe and Ito), and readable on
// white and on black.
#define PL_REPORT_COLORS                                                                       \
  ".c0{color:#0072b2}.c1{color:#d55e00}.c2{color:#009e73}.c3{color:#cc79a7}.c4{color:#e69f00}" \
  ".c5{color:#56b4e9}.c6{color:#8c8c8c}.c7{color:#a68a00}"

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
