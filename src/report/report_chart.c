// Charts of reports, as SVG inside the page. One unit of the drawing is a tenth of a pixel, so that all its numbers are
// integers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "report/report_export.h"
#include "report/report_parts.h"

enum {
  WIDTH = 7200,
  HEIGHT = 3000,
  LEFT = 720,
  RIGHT = 120,
  TOP = 120,
  BOTTOM = 480,
  LINE = 180,
  COLOR_COUNT = 8,
  MAX_TICKS = 24
};

// One axis: the range that is shown, of numbers or of their decimal logarithms.
typedef struct axis {
  double min, max;
  bool is_log;
  int from, to;  // units of the drawing
} axis;

static double shown(const axis *a, double value) {
  return a->is_log ? (value > 0 ? log10(value) : -HUGE_VAL) : value;
}

static int axis_position(const axis *a, double value) {
  double fraction = (shown(a, value) - a->min) / (a->max - a->min);
  return a->from + (int)lround(fraction * (a->to - a->from));
}

// Both numbers of point i can be shown.
static bool is_there(const axis *x, const axis *y, const pl_report_curve *curve, int64_t i) {
  return isfinite(shown(x, curve->x[i])) && isfinite(shown(y, curve->y[i]));
}

static void fit(const pl_report_chart *chart, axis *x, axis *y) {
  *x = (axis){HUGE_VAL, -HUGE_VAL, chart->log_x, LEFT, WIDTH - RIGHT};
  *y = (axis){HUGE_VAL, -HUGE_VAL, chart->log_y, HEIGHT - BOTTOM, TOP};
  for (int32_t c = 0; c < chart->curve_count; ++c) {
    const pl_report_curve *curve = &chart->curves[c];
    for (int64_t i = 0; i < curve->count; ++i) {
      if (!is_there(x, y, curve, i)) continue;
      x->min = fmin(x->min, shown(x, curve->x[i])), x->max = fmax(x->max, shown(x, curve->x[i]));
      y->min = fmin(y->min, shown(y, curve->y[i])), y->max = fmax(y->max, shown(y, curve->y[i]));
    }
  }
  axis *both[2] = {x, y};
  for (int k = 0; k < 2; ++k) {
    if (!(both[k]->max >= both[k]->min)) both[k]->min = 0, both[k]->max = 1;
    double size = fmax(fabs(both[k]->min), fabs(both[k]->max)), span = both[k]->max - both[k]->min;
    double margin = span > 1e-12 * size ? (k == 1 ? 0.04 * span : 0) : size > 0 ? 0.1 * size : 1;
    both[k]->min -= margin, both[k]->max += margin;
  }
}

// Step of about five ticks: 1, 2 or 5 times a power of ten, as mantissa and exponent so that ticks are exact decimals.
static void choose_step(double span, int *mantissa, int *exponent) {
  double raw = span / 5;
  *exponent = (int)floor(log10(raw));
  double fraction = raw / pow(10, *exponent);
  *mantissa = fraction < 1.5 ? 1 : fraction < 3.5 ? 2 : fraction < 7.5 ? 5 : 10;
}

static double decimal(double integer, int exponent) {
  return exponent < 0 ? integer / pow(10, -exponent) : integer * pow(10, exponent);
}

static int list_ticks(const axis *a, double *ticks) {
  int count = 0, mantissa, exponent;
  if (a->is_log && a->max - a->min >= 1) {
    int stride = 1 + (int)((a->max - a->min) / 8);
    for (int k = (int)ceil(a->min); k <= (int)floor(a->max) && count < MAX_TICKS; k += stride)
      ticks[count++] = decimal(1, k);
    return count;
  }
  double min = a->is_log ? pow(10, a->min) : a->min, max = a->is_log ? pow(10, a->max) : a->max;
  choose_step(max - min, &mantissa, &exponent);
  double step = decimal(mantissa, exponent);
  for (double k = ceil(min / step - 1e-9) + 0.0; k * step <= max + 1e-9 * step && count < MAX_TICKS; ++k)
    ticks[count++] = decimal(k * mantissa, exponent) + 0.0;  // no minus before 0
  return count;
}

// Large numbers by their exponent: 7.2e6.
static void write_tick(double value, char text[PL_NUMBER_SIZE]) {
  int exponent = value != 0 ? (int)floor(log10(fabs(value)) + 1e-9) : 0;
  if (exponent < 5) {
    pl_number_write(value, text);
    return;
  }
  size_t length = pl_number_write(value / pow(10, exponent), text);
  if (length + 6 <= PL_NUMBER_SIZE) snprintf(text + length, PL_NUMBER_SIZE - length, "e%d", exponent);
}

static void draw_ticks(pl_report *report, const axis *a, bool across) {
  double ticks[MAX_TICKS];
  int count = list_ticks(a, ticks);
  for (int i = 0; i < count; ++i) {
    char text[PL_NUMBER_SIZE];
    int at = axis_position(a, ticks[i]);
    write_tick(ticks[i], text);
    if (across)
      pl_file_writer_print(report->writer,
                           "<path class='grid' d='M%d %dV%d'/><text x='%d' y='%d' class='middle'>%s</text>", at, TOP,
                           HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + LINE, text);
    else
      pl_file_writer_print(report->writer,
                           "<path class='grid' d='M%d %dH%d'/><text x='%d' y='%d' class='end'>%s</text>", LEFT, at,
                           WIDTH - RIGHT, LEFT - 60, at + 40, text);
  }
}

static void draw_marks(pl_report *report, const pl_report_curve *curve, const axis *x, const axis *y) {
  for (int64_t i = 0; i < curve->count; ++i)
    if (is_there(x, y, curve, i))
      pl_file_writer_print(report->writer, "<circle cx='%d' cy='%d' r='28'/>", axis_position(x, curve->x[i]),
                           axis_position(y, curve->y[i]));
}

// In a file of its own a drawing has a white ground. Colours are those of reports.
static const char chart_style[] =
    "text{font:120px sans-serif;fill:#1b1f24}.title{font-size:150px;font-weight:600}.middle{text-anchor:middle}"
    ".end{text-anchor:end}.grid{stroke:#8884;stroke-width:6}.line{fill:none;stroke:currentColor;stroke-width:16;"
    "stroke-linejoin:round}.line.dashed{stroke-dasharray:60 40}circle{fill:currentColor}" PL_REPORT_COLORS;

// A line through the points. Of those that fall into one pixel across, the first, the lowest, the highest and the last
// are enough.
static void draw_line(pl_report *report, const pl_report_curve *curve, const axis *x, const axis *y) {
  enum { PIXEL = 10 };
  bool down = false;
  pl_file_writer_print(report->writer, "<path class='line%s' d='", curve->dashed ? " dashed" : "");
  for (int64_t i = 0; i < curve->count;) {
    if (!is_there(x, y, curve, i)) {
      down = false;
      ++i;
      continue;
    }
    int at = axis_position(x, curve->x[i]), first = axis_position(y, curve->y[i]), low = first, high = first,
        last = first;
    int64_t next = i + 1;
    for (; next < curve->count && is_there(x, y, curve, next) && axis_position(x, curve->x[next]) / PIXEL == at / PIXEL;
         ++next) {
      last = axis_position(y, curve->y[next]);
      low = last < low ? last : low;
      high = last > high ? last : high;
    }
    pl_file_writer_print(report->writer, "%c%d %d", down ? 'L' : 'M', at, first);
    if (next > i + 1) pl_file_writer_print(report->writer, "V%dV%dV%d", low, high, last);
    down = true;
    i = next;
  }
  pl_file_writer_print(report->writer, "'/>");
}

static void draw_labels(pl_report *report, const pl_report_chart *chart) {
  pl_file_writer_print(report->writer, "<text class='middle' x='%d' y='%d'>", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 80);
  pl_report_write_text(report, chart->x_label);
  pl_file_writer_print(report->writer, "</text><text class='middle' transform='translate(130 %d) rotate(-90)'>",
                       (TOP + HEIGHT - BOTTOM) / 2);
  pl_report_write_text(report, chart->y_label);
  pl_file_writer_print(report->writer, "</text>");
}

static void draw_legend(pl_report *report, const pl_report_chart *chart) {
  pl_file_writer_print(report->writer, "<p class='legend'>");
  for (int32_t c = 0; c < chart->curve_count; ++c) {
    pl_file_writer_print(report->writer, "<span class='c%d%s'>", c % COLOR_COUNT,
                         chart->curves[c].dashed ? " dashed" : "");
    pl_report_write_text(report, chart->curves[c].name);
    pl_file_writer_print(report->writer, "</span> ");
  }
  pl_file_writer_print(report->writer, "</p>");
}

// Axes, grid and curves, into a drawing that has begun.
static void draw_chart(pl_report *report, const pl_report_chart *chart) {
  axis x, y;
  fit(chart, &x, &y);
  draw_ticks(report, &x, true);
  draw_ticks(report, &y, false);
  draw_labels(report, chart);
  for (int32_t c = 0; c < chart->curve_count; ++c) {
    pl_file_writer_print(report->writer, "<g class='c%d'>", c % COLOR_COUNT);
    (chart->curves[c].marks ? draw_marks : draw_line)(report, &chart->curves[c], &x, &y);
    pl_file_writer_print(report->writer, "</g>");
  }
}

void pl_report_draw(pl_report *report, const pl_report_chart *chart) {
  pl_file_writer_print(report->writer, "<figure><svg viewBox='0 0 %d %d' role='img'><title>", WIDTH, HEIGHT);
  pl_report_write_text(report, chart->title);
  pl_file_writer_print(report->writer, "</title>");
  draw_chart(report, chart);
  pl_file_writer_print(report->writer, "</svg>");
  if (chart->curve_count > 1) draw_legend(report, chart);
  pl_file_writer_print(report->writer, "<figcaption>");
  pl_report_write_text(report, chart->title);
  pl_file_writer_print(report->writer, "</figcaption></figure>\n");
}

// --- charts in a file of their own ---------------------------------------------------------------------------------

enum { KEY_WIDTH = 1560, KEY_LINE = 200, TITLE_LINE = 320, KEYS_PER_ROW = 4 };

static int key_height(const pl_report_chart *chart) {
  return (chart->curve_count + KEYS_PER_ROW - 1) / KEYS_PER_ROW * KEY_LINE + KEY_LINE;
}

// The names of the curves below a chart, each after a piece of its line.
static void draw_keys(pl_report *report, const pl_report_chart *chart) {
  for (int32_t c = 0; c < chart->curve_count; ++c) {
    int x = LEFT + c % KEYS_PER_ROW * KEY_WIDTH, y = HEIGHT + c / KEYS_PER_ROW * KEY_LINE + KEY_LINE / 2;
    pl_file_writer_print(report->writer, "<g class='c%d'><path class='line%s' d='M%d %dh200'/></g><text x='%d' y='%d'>",
                         c % COLOR_COUNT, chart->curves[c].dashed ? " dashed" : "", x, y - 40, x + 260, y);
    pl_report_write_text(report, chart->curves[c].name);
    pl_file_writer_print(report->writer, "</text>");
  }
}

pl_status pl_charts_save(pl_context *context, const char *path, const pl_report_chart *charts, int32_t count,
                         pl_error *error) {
  pl_report report = {.context = context};
  pl_status status = pl_file_writer_open(context, path, &report.writer, error);
  if (status < 0) return status;
  int height = 0;
  for (int32_t i = 0; i < count; ++i) height += TITLE_LINE + HEIGHT + key_height(&charts[i]);
  pl_file_writer_print(report.writer,
                       "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d'>\n<style>",
                       WIDTH, height, WIDTH / 10, height / 10);
  pl_file_writer_print(report.writer, "%s</style>\n<rect width='100%%' height='100%%' fill='#fff'/>\n", chart_style);
  int top = 0;
  for (int32_t i = 0; i < count; ++i) {
    pl_file_writer_print(report.writer, "<g transform='translate(0 %d)'><text class='title' x='%d' y='%d'>",
                         top + TITLE_LINE, LEFT, -TITLE_LINE / 3);
    pl_report_write_text(&report, charts[i].title);
    pl_file_writer_print(report.writer, "</text>");
    draw_chart(&report, &charts[i]);
    draw_keys(&report, &charts[i]);
    pl_file_writer_print(report.writer, "</g>\n");
    top += TITLE_LINE + HEIGHT + key_height(&charts[i]);
  }
  pl_file_writer_print(report.writer, "</svg>\n");
  return pl_file_writer_commit(report.writer, error);
}
