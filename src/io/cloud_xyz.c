// Rows of numbers, as every tool exports them: x y z and perhaps more columns, separated by blanks, commas or
// semicolons. Comments begin with # or //; one line of column names or with the number of points may stand first. The
// file does not say what further columns are, so two groups of three (columns 4 to 6 and 7 to 9) are judged by their
// numbers over all rows: unit vectors are normals, whole numbers up to 255 colours, anything else is passed over.
#include <math.h>
#include <stdint.h>

#include "base/error.h"
#include "io/cloud_builder.h"
#include "pliant/math.h"
#include "text/number_text.h"
#include "text/text_cursor.h"

enum { MAX_COLUMNS = 9 };

typedef struct xyz_row {
  double numbers[MAX_COLUMNS];
  int32_t count;      // columns, those beyond the kept ones included
  const char *wrong;  // the first position that is not a number, or NULL
} xyz_row;

typedef struct xyz_group {
  bool unit, whole;
} xyz_group;

typedef struct xyz_reader {
  pl_mesh_source *source;
  int32_t column_count;
  xyz_group groups[2];
} xyz_reader;

static bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\v' || c == '\f';
}

static xyz_row parse_row(pl_word line) {
  xyz_row row = {0};
  const char *at = line.text, *end = line.text + line.length;
  for (;;) {
    while (at < end && is_separator(*at)) ++at;
    if (at >= end || *at == '#' || (*at == '/' && at + 1 < end && at[1] == '/')) return row;
    double number;
    const char *next = pl_number_read(at, end, &number);
    if (next == NULL || (next < end && !is_separator(*next) && *next != '#')) {
      row.wrong = at;
      return row;
    }
    if (row.count < MAX_COLUMNS) row.numbers[row.count] = number;
    if (row.count < INT32_MAX) ++row.count;
    at = next;
  }
}

static void check_normal(xyz_group *group, const double n[3]) {
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(fabs(length - 1) <= 0.01)) group->unit = false;
  for (int i = 0; i < 3; ++i)
    if (!(n[i] >= 0 && n[i] <= 255 && n[i] == floor(n[i]))) group->whole = false;
}

static pl_status fail_row(const xyz_reader *r, size_t offset, const xyz_row *row) {
  if (row->wrong != NULL)
    return pl_source_fail(r->source, (size_t)(row->wrong - (const char *)r->source->bytes), "a number is needed here");
  if (row->count < 3)
    return pl_source_fail(r->source, offset, "this row has %d numbers; a point needs x, y and z", row->count);
  return pl_source_fail(r->source, offset, "this row has %d numbers, the first has %d", row->count, r->column_count);
}

typedef pl_status row_function(xyz_reader *r, pl_cloud *cloud, const xyz_row *row);

static pl_status check_row(xyz_reader *r, pl_cloud *cloud, const xyz_row *row) {
  (void)cloud;
  bool seen = isfinite(row->numbers[0]) && isfinite(row->numbers[1]) && isfinite(row->numbers[2]);
  for (int g = 0; seen && g < 2; ++g) check_normal(&r->groups[g], row->numbers + 3 + 3 * g);
  return PL_OK;
}

static pl_status add_row(xyz_reader *r, pl_cloud *cloud, const xyz_row *row) {
  const double *n = row->numbers;
  const pl_vec3 *normal = NULL;
  const pl_color *color = NULL;
  pl_vec3 normal_here;
  pl_color color_here;
  for (int g = 0; g < 2 && r->column_count >= 6 + 3 * g; ++g) {
    const double *m = n + 3 + 3 * g;
    if (r->groups[g].unit && normal == NULL) {
      normal_here = (pl_vec3){m[0], m[1], m[2]};
      normal = &normal_here;
    } else if (r->groups[g].whole && !r->groups[g].unit && color == NULL) {
      color_here = (pl_color){(float)m[0] / 255, (float)m[1] / 255, (float)m[2] / 255};
      color = &color_here;
    }
  }
  return pl_cloud_add(cloud, (pl_vec3){n[0], n[1], n[2]}, normal, color, r->source->error);
}

static pl_status each_row(xyz_reader *r, pl_cloud *cloud, row_function *function) {
  pl_text_cursor text = pl_text_cursor_at(r->source, 0, '\0');
  r->column_count = 0;
  bool first = true;
  while (text.at < text.end) {
    size_t offset = pl_text_offset(&text);
    xyz_row row = parse_row(pl_text_take_line(&text));
    if (row.count == 0 && row.wrong == NULL) continue;
    bool is_heading = first && ((row.wrong != NULL && row.count == 0) || (row.wrong == NULL && row.count == 1));
    first = false;
    if (is_heading) continue;
    if (r->column_count == 0) r->column_count = row.count;
    if (row.wrong != NULL || row.count < 3 || row.count != r->column_count) return fail_row(r, offset, &row);
    pl_status status = function(r, cloud, &row);
    if (status < 0) return status;
  }
  if (r->column_count == 0) return pl_source_fail(r->source, r->source->size, "there is no row of numbers in the file");
  return PL_OK;
}

pl_status pl_cloud_xyz_read(pl_mesh_source *source, pl_cloud *cloud) {
  xyz_reader reader = {.source = source, .groups = {{true, true}, {true, true}}};
  pl_status status = each_row(&reader, cloud, check_row);
  return status < 0 ? status : each_row(&reader, cloud, add_row);
}
