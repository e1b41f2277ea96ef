// HTML reports of our programs: one file with text, tables, charts, pictures and clips that needs
// no other file.
#ifndef PL_REPORT_H
#define PL_REPORT_H

#include "pliant/base.h"

// A report being written. The first error is kept and returned by pl_report_close(). One thread at
// a time. Texts are UTF-8 and taken literally: `<` is a less-than sign.
typedef struct pl_report pl_report;

// Begin a report under a temporary name in the folder of `path`. Fails with PL_ERROR_FILE where no
// file can be made.
pl_status pl_report_create(pl_context *context, const char *path, const char *title,
                           pl_report **report, pl_error *error);

// A heading; the contents at the top of the page lead to it.
void pl_report_heading(pl_report *report, const char *text);

// A paragraph.
void pl_report_text(pl_report *report, const char *text);

// A paragraph that stands out: what the reader must not overlook.
void pl_report_warning(pl_report *report, const char *text);

// A table: `columns` are the heads, `cells` row by row. Cells that begin like a number are set
// flush right.
void pl_report_table(pl_report *report, const char *caption, const char *const *columns,
                     int32_t column_count, int64_t row_count, const char *const *cells);

// A curve of a chart; borrowed memory.
typedef struct pl_report_curve {
  const char *name;
  int64_t count;
  const double *x,
      *y;      // numbers that are not finite, or cannot be shown on a logarithmic axis, leave a gap
  bool marks;  // dots instead of a line
  bool dashed;
} pl_report_curve;

// A chart; borrowed memory.
typedef struct pl_report_chart {
  const char *title, *x_label, *y_label;
  bool log_x, log_y;
  const pl_report_curve *curves;
  int32_t curve_count;
} pl_report_chart;

// A chart with axes, grid and legend. Curves of more than a thousand points are drawn by the
// extremes of what falls into one pixel.
void pl_report_draw(pl_report *report, const pl_report_chart *chart);

// A picture of 8-bit RGB pixels, rows from the top. `caption` may be NULL.
void pl_report_picture(pl_report *report, const char *caption, const uint8_t *rgb, int32_t width,
                       int32_t height);

// Pictures of one size that are drawn one by one; borrowed memory.
typedef struct pl_report_frames {
  const char *caption;
  double rate;  // pictures per second
  int32_t count;
  int32_t width, height;  // pixels
  // Draws picture `index` and is called for each in turn; a negative status ends the report.
  pl_status (*draw)(void *user, int32_t index, uint8_t *rgb, pl_error *error);
  void *user;  // of `draw`
} pl_report_frames;

// A clip that plays in a loop, with a slider and a button to stop it.
void pl_report_clip(pl_report *report, const pl_report_frames *frames);

// Finish and rename into place; the report is destroyed, whatever the result.
pl_status pl_report_close(pl_report *report, pl_error *error);

// Abandon a report: remove the temporary file. NULL is allowed.
void pl_report_abandon(pl_report *report);

#endif
