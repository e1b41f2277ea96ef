// Rows of names and values on standard output.
#include "info_sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tool_folder.h"

void info_begin_row(info_sheet *sheet, const char *name) {
  if (sheet->json) {
    fputs(sheet->row_count > 0 ? ", " : "{", stdout);
    tool_print_json_text(name);
    fputs(": ", stdout);
  } else {
    printf("%-18s ", name);
  }
  sheet->row_count++;
}

void info_end_row(const info_sheet *sheet) {
  if (!sheet->json) putchar('\n');
}

void info_end_sheet(const info_sheet *sheet) {
  if (sheet->json) puts("}");
}

void info_row_text(info_sheet *sheet, const char *name, const char *text) {
  info_begin_row(sheet, name);
  if (sheet->json)
    tool_print_json_text(text);
  else
    fputs(text, stdout);
  info_end_row(sheet);
}

void info_row_count(info_sheet *sheet, const char *name, int64_t count) {
  info_begin_row(sheet, name);
  printf("%" PRId64, count);
  info_end_row(sheet);
}

void info_row_number(info_sheet *sheet, const char *name, double number, const char *unit) {
  info_begin_row(sheet, name);
  if (sheet->json && !isfinite(number))
    fputs("null", stdout);
  else
    printf(sheet->json ? "%.17g" : "%.6g", number);
  if (!sheet->json && unit[0] != '\0') printf(" %s", unit);
  info_end_row(sheet);
}

void info_row_hash(info_sheet *sheet, const char *name, uint64_t hash) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  info_row_text(sheet, name, text);
}

void info_row_vector(info_sheet *sheet, const char *name, pl_vec3 v) {
  info_begin_row(sheet, name);
  printf(sheet->json ? "[%.17g, %.17g, %.17g]" : "%.6g %.6g %.6g m", v.x, v.y, v.z);
  info_end_row(sheet);
}

void info_begin_list(info_sheet *sheet, const char *title, int32_t count) {
  info_begin_row(sheet, title);
  if (sheet->json)
    putchar('[');
  else
    printf("%d\n", count);
}

void info_begin_item(info_sheet *sheet, const char *name, int32_t index) {
  if (sheet->json) {
    fputs(index > 0 ? ", {\"name\": " : "{\"name\": ", stdout);
    tool_print_json_text(name);
  } else {
    printf("  %-16s ", name);
  }
}

void info_end_item(const info_sheet *sheet) {
  putchar(sheet->json ? '}' : '\n');
}

void info_end_list(const info_sheet *sheet) {
  if (sheet->json) putchar(']');
}

// A count followed by names, such as those of poses.
void info_row_names(info_sheet *sheet, const char *title, int32_t count,
                    const char *(*name)(const pl_mesh_view *, int32_t), const pl_mesh_view *mesh) {
  info_begin_row(sheet, title);
  if (sheet->json) putchar('[');
  if (!sheet->json) printf("%d%s", count, count > 0 ? ": " : "");
  for (int32_t i = 0; i < count; ++i) {
    if (i > 0) fputs(", ", stdout);
    if (sheet->json)
      tool_print_json_text(name(mesh, i));
    else
      fputs(name(mesh, i), stdout);
  }
  if (sheet->json) putchar(']');
  info_end_row(sheet);
}

const char *info_pose_name(const pl_mesh_view *mesh, int32_t index) {
  return mesh->poses[index].name;
}
