// Markers in memory, and which reader reads a file: the content decides. The second byte of C3D is 0x50, TRC begins
// with the word PathFileType, and what else is text is taken for a table.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "io/marker_builder.h"

enum { C3D_BLOCK = 512, C3D_MAGIC = 0x50 };

bool pl_markers_add_name(pl_markers *markers, pl_word name) {
  while (name.length > 0 && (unsigned char)name.text[name.length - 1] <= ' ') --name.length;
  while (name.length > 0 && (unsigned char)name.text[0] <= ' ') ++name.text, --name.length;
  size_t size = name.length + 24;
  char *kept = pl_arena_take(&markers->arena, size, 1);
  if (kept == NULL) return false;
  int shown = (int)name.length;
  snprintf(kept, size, "%.*s", shown, name.text);
  if (kept[0] == '\0') snprintf(kept, size, "marker_%zu", markers->names.count + 1);
  size_t length = strlen(kept);
  for (int number = 2; pl_markers_find(markers, kept) >= 0; ++number)
    snprintf(kept + length, size - length, "_%d", number);
  const char *added = kept;
  return pl_vector_push(&markers->names, &added);
}

double pl_markers_unit(pl_word unit) {
  static const struct {
    const char *name;
    double metres;
  } units[] = {
      {"", 1e-3}, {"mm", 1e-3},  {"millimeters", 1e-3}, {"millimetres", 1e-3}, {"cm", 1e-2},      {"centimeters", 1e-2},
      {"m", 1},   {"meters", 1}, {"metres", 1},         {"in", 0.0254},        {"inches", 0.0254}};
  while (unit.length > 0 && (unsigned char)unit.text[unit.length - 1] <= ' ') --unit.length;
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
    if (pl_word_is_any_case(unit, units[i].name)) return units[i].metres;
  return 0;
}

bool pl_markers_take_cell(pl_word line, size_t *at, char separator, pl_word *cell) {
  if (*at > line.length) return false;
  size_t begin = *at, end = begin;
  while (end < line.length && line.text[end] != separator) ++end;
  *at = end + 1;
  while (begin < end && (unsigned char)line.text[begin] <= ' ') ++begin;
  while (end > begin && (unsigned char)line.text[end - 1] <= ' ') --end;
  if (end - begin >= 2 && line.text[begin] == '"' && line.text[end - 1] == '"') ++begin, --end;
  *cell = (pl_word){line.text + begin, end - begin};
  return true;
}

bool pl_markers_is_blank(pl_word line) {
  for (size_t i = 0; i < line.length; ++i)
    if ((unsigned char)line.text[i] > ' ') return false;
  return true;
}

size_t pl_markers_offset(const pl_mesh_source *source, pl_word word) {
  return (size_t)(word.text - (const char *)source->bytes);
}

void pl_markers_destroy(pl_markers *markers) {
  if (markers == NULL) return;
  pl_vector_free(&markers->names);
  pl_vector_free(&markers->points);
  pl_arena arena = markers->arena;
  pl_arena_destroy(&arena);
}

pl_markers_view pl_markers_get_view(const pl_markers *markers) {
  size_t count = markers->names.count, all = markers->points.count;
  pl_markers_view view = {.marker_count = (int32_t)count,
                          .names = markers->names.items,
                          .frame_count = count > 0 ? (int32_t)(all / count) : 0,
                          .rate = markers->rate,
                          .positions = markers->points.items};
  for (size_t i = 0; i < all; ++i) view.missing_count += !isfinite(view.positions[i].x);
  return view;
}

int32_t pl_markers_find(const pl_markers *markers, const char *name) {
  for (size_t i = 0; i < markers->names.count; ++i)
    if (strcmp(PL_ITEM(&markers->names, const char *, i), name) == 0) return (int32_t)i;
  return -1;
}

static pl_status read_format(pl_mesh_source *source, pl_markers *markers) {
  static const char trc[] = "PathFileType";
  if (source->size == 0)
    return pl_fail_at(source->error, PL_ERROR_INVALID_DATA, source->name, 0, 0, "the file is empty");
  if (source->size >= C3D_BLOCK && source->bytes[1] == C3D_MAGIC && source->bytes[0] > 0 && source->bytes[0] < ' ')
    return pl_markers_c3d_read(source, markers);
  if (source->size >= sizeof trc && memcmp(source->bytes, trc, sizeof trc - 1) == 0)
    return pl_markers_trc_read(source, markers);
  if (memchr(source->bytes, 0, source->size < 4096 ? source->size : 4096) != NULL)
    return pl_fail_at(source->error, PL_ERROR_UNSUPPORTED, source->name, 0, 0,
                      "these are not markers in a known format; save them as C3D, TRC or CSV");
  return pl_markers_table_read(source, markers);
}

// A sample with one coordinate missing is missing.
static void mark_missing(pl_markers *markers) {
  pl_vec3 *points = markers->points.items;
  for (size_t i = 0; i < markers->points.count; ++i)
    if (!pl_vec3_is_finite(points[i])) points[i] = (pl_vec3){(double)NAN, (double)NAN, (double)NAN};
}

static pl_status read_source(pl_mesh_source *source, pl_markers **result) {
  *result = NULL;
  pl_arena arena;
  pl_arena_init(&arena, source->context, 0);
  pl_markers *made = PL_TAKE(&arena, pl_markers, 1);
  if (made == NULL) return pl_fail_memory(source->error);
  *made = (pl_markers){.arena = arena,
                       .names = pl_vector_of(source->context, sizeof(const char *)),
                       .points = pl_vector_of(source->context, sizeof(pl_vec3))};
  pl_status status = read_format(source, made);
  if (status >= 0 && (made->names.count == 0 || made->points.count == 0))
    status = pl_fail_at(source->error, PL_ERROR_INVALID_DATA, source->name, 0, 0, "there are no markers in the file");
  if (status >= 0 && !(made->rate > 0 && isfinite(made->rate)))
    status = pl_fail_at(source->error, PL_ERROR_INVALID_DATA, source->name, 0, 0,
                        "the frame rate %g is not a positive number", made->rate);
  if (status < 0) {
    pl_markers_destroy(made);
    return status;
  }
  mark_missing(made);
  *result = made;
  return PL_OK;
}

pl_status pl_markers_load(pl_context *context, const char *path, pl_markers **markers, pl_error *error) {
  *markers = NULL;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  pl_mesh_source source = {
      .context = context, .bytes = bytes.data, .size = bytes.size, .name = path, .path = path, .error = error};
  status = read_source(&source, markers);
  pl_bytes_free(&bytes);
  return status;
}

pl_status pl_markers_load_memory(pl_context *context, const pl_memory_source *given, pl_markers **markers,
                                 pl_error *error) {
  pl_mesh_source source = {.context = context,
                           .bytes = given->bytes,
                           .size = given->size,
                           .name = given->name != NULL ? given->name : "memory",
                           .error = error};
  return read_source(&source, markers);
}
