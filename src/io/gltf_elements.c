// How a glTF primitive strings its corners together (glTF 2.0, section 3.7.2.1): seven modes come down to plain
// segments and triangles.
#include "io/gltf_elements.h"

#include "base/context.h"
#include "base/error.h"

enum {
  MODE_POINTS,
  MODE_LINES,
  MODE_LINE_LOOP,
  MODE_LINE_STRIP,
  MODE_TRIANGLES,
  MODE_TRIANGLE_STRIP,
  MODE_TRIANGLE_FAN
};

typedef struct element_list {
  const int32_t *indices;  // NULL: 0, 1, 2, …
  int32_t count;
  int32_t start;  // added to all
  bool mirrored;
} element_list;

static int32_t corner(const element_list *list, int32_t i) {
  return list->start + (list->indices == NULL ? i : list->indices[i]);
}

static bool add_segments(const element_list *list, int64_t mode, pl_vector *segments) {
  int32_t step = mode == MODE_LINES ? 2 : 1;
  int32_t count = mode == MODE_LINES ? list->count / 2 : mode == MODE_LINE_LOOP ? list->count : list->count - 1;
  int32_t *to = pl_vector_grow(segments, 2 * (size_t)count);
  if (to == NULL) return false;
  for (int32_t i = 0; i < count; ++i) {
    to[2 * i] = corner(list, i * step);
    to[2 * i + 1] = corner(list, i * step + 1 < list->count ? i * step + 1 : 0);
  }
  return true;
}

static bool add_triangles(const element_list *list, int64_t mode, pl_vector *triangles) {
  int32_t count = mode == MODE_TRIANGLES ? list->count / 3 : list->count - 2;
  int32_t *to = pl_vector_grow(triangles, 3 * (size_t)count);
  if (to == NULL) return false;
  size_t kept = 0;
  for (int32_t i = 0; i < count; ++i) {
    // Every second triangle of a strip runs backwards; a fan turns around its first vertex.
    int32_t first = mode == MODE_TRIANGLES ? 3 * i : mode == MODE_TRIANGLE_STRIP ? i : 0;
    int32_t second = mode == MODE_TRIANGLES ? 3 * i + 1 : i + 1, third = mode == MODE_TRIANGLES ? 3 * i + 2 : i + 2;
    bool backwards = mode == MODE_TRIANGLE_STRIP && i % 2 == 1;
    int32_t a = corner(list, first), b = corner(list, second), c = corner(list, third);
    // Strips are stitched together by triangles without area.
    if (mode != MODE_TRIANGLES && (a == b || b == c || a == c)) continue;
    bool swap = backwards != list->mirrored;
    to[3 * kept] = a;
    to[3 * kept + 1] = swap ? c : b;
    to[3 * kept + 2] = swap ? b : c;
    kept++;
  }
  triangles->count -= 3 * ((size_t)count - kept);
  return true;
}

static pl_status add_elements(pl_gltf *gltf, const pl_json *primitive, const element_list *list, int64_t mode,
                              pl_vector *segments, pl_vector *triangles) {
  bool lines = mode <= MODE_LINE_STRIP;
  int32_t min = lines ? 2 : 3;
  bool whole = mode == MODE_LINES ? list->count % 2 == 0 : mode == MODE_TRIANGLES ? list->count % 3 == 0 : true;
  if (list->count < min || !whole)
    return pl_json_fail(gltf->document, primitive, gltf->error, PL_ERROR_INVALID_DATA, "%d corners do not make %s",
                        list->count, lines ? "segments" : "triangles");
  bool added = lines ? add_segments(list, mode, segments) : add_triangles(list, mode, triangles);
  return added ? PL_OK : pl_fail_memory(gltf->error);
}

pl_status pl_gltf_read_elements(pl_gltf *gltf, const pl_json *primitive, int32_t vertex_start, int32_t vertex_count,
                                bool mirrored, pl_vector *segments, pl_vector *triangles) {
  int64_t mode = MODE_TRIANGLES;
  pl_status status = pl_gltf_integer(gltf, primitive, "mode", MODE_POINTS, MODE_TRIANGLE_FAN, &mode);
  if (status < 0) return status;
  if (mode == MODE_POINTS)
    return pl_json_fail(gltf->document, primitive, gltf->error, PL_ERROR_UNSUPPORTED,
                        "this primitive is a cloud of points; a body needs triangles or lines between them");
  element_list list = {.count = vertex_count, .start = vertex_start, .mirrored = mirrored};
  const pl_json *reference = pl_json_find(primitive, "indices");
  int32_t *indices = NULL;
  if (reference != NULL) {
    pl_gltf_accessor accessor;
    status = pl_gltf_open_accessor(gltf, reference, &accessor);
    if (status < 0) return status;
    indices = pl_allocate_array(gltf->context, (size_t)accessor.count, sizeof *indices);
    if (indices == NULL) return pl_fail_memory(gltf->error);
    status = pl_gltf_read_indices(gltf, &accessor, vertex_count, indices);
    list.indices = indices;
    list.count = accessor.count;
  }
  if (status >= 0) status = add_elements(gltf, primitive, &list, mode, segments, triangles);
  pl_release(gltf->context, indices);
  return status;
}
