// STL, text and binary. Triangles stand alone, so equal corners are joined; the file has no order of vertices, and ours
// is that of first appearance. Corners are equal when all three coordinates are the same numbers: joining by distance
// would be a guess, and exporters write a shared corner the same way each time. Stored normals are ignored, the order
// of corners says which side is out.
#include <string.h>

#include "base/context.h"
#include "base/hash.h"
#include "io/mesh_formats.h"
#include "io/scalar_bytes.h"
#include "text/text_cursor.h"

enum { HEAD_SIZE = 84, TRIANGLE_SIZE = 50 };

// Places of points by position: open addressing, a power of two of slots, at most half of them used; -1 is free.
typedef struct weld_table {
  pl_context *context;
  int32_t *slots;
  size_t slot_count;
} weld_table;

typedef struct stl_reader {
  pl_mesh_source *source;
  pl_mesh_builder *builder;
  weld_table table;
} stl_reader;

static size_t slot_of(const weld_table *table, pl_vec3 p) {
  double key[3] = {p.x, p.y, p.z};
  return (size_t)pl_hash_bytes(PL_HASH_START, key, sizeof key) & (table->slot_count - 1);
}

static bool grow_table(weld_table *table, const pl_vec3 *points, size_t point_count) {
  size_t slot_count = table->slot_count == 0 ? 64 : 2 * table->slot_count;
  int32_t *slots = pl_allocate(table->context, slot_count * sizeof *slots);
  if (slots == NULL) return false;
  pl_release(table->context, table->slots);
  table->slots = slots;
  table->slot_count = slot_count;
  for (size_t i = 0; i < slot_count; ++i) slots[i] = -1;
  for (size_t i = 0; i < point_count; ++i) {
    size_t slot = slot_of(table, points[i]);
    while (slots[slot] >= 0) slot = (slot + 1) & (slot_count - 1);
    slots[slot] = (int32_t)i;
  }
  return true;
}

// The point at this position, made if it is new.
static pl_status weld_point(stl_reader *reader, pl_vec3 p, size_t offset, int64_t *index) {
  weld_table *table = &reader->table;
  pl_vector *points = &reader->builder->points;
  // Minus zero and zero are the same place but not the same bytes.
  p = (pl_vec3){p.x + 0.0, p.y + 0.0, p.z + 0.0};
  if (2 * (points->count + 1) > table->slot_count && !grow_table(table, points->items, points->count))
    return pl_source_fail_memory(reader->source);
  size_t slot = slot_of(table, p);
  for (; table->slots[slot] >= 0; slot = (slot + 1) & (table->slot_count - 1)) {
    pl_vec3 q = PL_ITEM(points, pl_vec3, table->slots[slot]);
    if (q.x == p.x && q.y == p.y && q.z == p.z) break;
  }
  if (table->slots[slot] < 0) {
    pl_status status = pl_builder_add_point(reader->builder, p, offset);
    if (status < 0) return status;
    table->slots[slot] = (int32_t)points->count - 1;
  }
  *index = table->slots[slot];
  return pl_vector_push(&reader->builder->sources, &table->slots[slot]) ? PL_OK : pl_source_fail_memory(reader->source);
}

static uint32_t announced_count(const unsigned char *bytes) {
  return (uint32_t)pl_scalar_integer(PL_SCALAR_U32, bytes + 80, false);
}

// The first triangle looks like one: finite numbers, and a normal no longer than 1.
static bool is_plausible_triangle(const unsigned char *bytes) {
  for (size_t i = 0; i < 12; ++i) {
    double value = pl_scalar_number(PL_SCALAR_F32, bytes + 4 * i, false);
    if (!(value > -1e30 && value < 1e30) || (i < 3 && !(value >= -1.01 && value <= 1.01))) return false;
    if (value != 0 && value < 1e-30 && value > -1e-30) return false;
  }
  return true;
}

bool pl_stl_is_binary(const unsigned char *bytes, size_t size) {
  if (size < HEAD_SIZE) return false;
  uint64_t expected = HEAD_SIZE + (uint64_t)TRIANGLE_SIZE * announced_count(bytes);
  if (expected == size) return true;
  // A beginning of a file, or one with something behind the triangles: the first triangle has to do. Its zero bytes
  // tell it from text.
  return size >= HEAD_SIZE + TRIANGLE_SIZE && announced_count(bytes) > 0 && memchr(bytes, '\0', HEAD_SIZE) != NULL &&
         is_plausible_triangle(bytes + HEAD_SIZE);
}

static pl_status read_binary(stl_reader *reader) {
  const pl_mesh_source *source = reader->source;
  reader->source->binary = true;
  int64_t count = announced_count(source->bytes);
  pl_status status = pl_source_check_count(source, HEAD_SIZE, count, TRIANGLE_SIZE, "triangles");
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    size_t offset = HEAD_SIZE + (size_t)i * TRIANGLE_SIZE;
    int64_t corners[3];
    for (size_t k = 0; k < 3 && status >= 0; ++k) {
      const unsigned char *at = source->bytes + offset + 12 + 12 * k;
      pl_vec3 p = {pl_scalar_number(PL_SCALAR_F32, at, false), pl_scalar_number(PL_SCALAR_F32, at + 4, false),
                   pl_scalar_number(PL_SCALAR_F32, at + 8, false)};
      status = weld_point(reader, p, offset + 12 + 12 * k, &corners[k]);
    }
    if (status >= 0) status = pl_builder_add_cell(reader->builder, PL_CELL_TRIANGLE, corners, 3, 0, offset);
  }
  return status;
}

// Only "vertex", "endloop" and "solid" carry anything; the rest is checked for being a word of the format.
static pl_status read_text_word(stl_reader *reader, pl_text_cursor *cursor, pl_word word, int64_t *corners,
                                size_t *corner_count) {
  static const char *const known[] = {"facet", "endfacet", "outer", "loop", "endsolid"};
  size_t offset = pl_word_offset(cursor, word);
  if (pl_word_is_any_case(word, "vertex")) {
    pl_vec3 p;
    size_t ignored;
    if (*corner_count == 3)
      return pl_source_fail(reader->source, offset, "a loop has more than three vertices; STL holds triangles only");
    pl_status status = pl_text_take_point(cursor, &p, &ignored);
    return status < 0 ? status : weld_point(reader, p, offset, &corners[(*corner_count)++]);
  }
  if (pl_word_is_any_case(word, "endloop")) {
    size_t count = *corner_count;
    *corner_count = 0;
    if (count != 3)
      return pl_source_fail(reader->source, offset, "this loop has %zu vertices; three are needed", count);
    return pl_builder_add_cell(reader->builder, PL_CELL_TRIANGLE, corners, 3, 0, offset);
  }
  if (pl_word_is_any_case(word, "normal")) {
    // Some exporters write "nan" for flat triangles, so what stands here is not even parsed.
    for (int i = 0; i < 3; ++i) pl_text_take_word_in_line(cursor, &word);
    return PL_OK;
  }
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (!pl_word_is_any_case(word, known[i])) continue;
    if (i == 4) pl_text_take_line(cursor);
    return PL_OK;
  }
  char shown[PL_SHOWN_SIZE];
  return pl_source_fail(reader->source, offset, "\"%s\" is not a keyword of STL files", pl_word_show(word, shown));
}

static pl_status read_text(stl_reader *reader) {
  pl_text_cursor cursor = pl_text_cursor_at(reader->source, 0, '\0');
  pl_word word;
  int64_t corners[3];
  size_t corner_count = 0;
  bool ended = false;
  pl_status status = PL_OK;
  while (status >= 0 && pl_text_take_word(&cursor, &word)) {
    if (pl_word_is_any_case(word, "solid")) {
      pl_text_take_line(&cursor);  // the solid's name
      ended = false;
      continue;
    }
    ended = pl_word_is_any_case(word, "endsolid");
    status = read_text_word(reader, &cursor, word, corners, &corner_count);
  }
  if (status >= 0 && !ended)
    status = pl_source_fail(reader->source, reader->source->size, "the file ends without \"endsolid\"; it is cut off");
  return status;
}

pl_status pl_stl_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  stl_reader reader = {.source = source, .builder = builder, .table = {.context = source->context}};
  pl_status status = pl_stl_is_binary(source->bytes, source->size) ? read_binary(&reader) : read_text(&reader);
  pl_release(source->context, reader.table.slots);
  if (status < 0) return status;
  return pl_source_note(source, PL_SEVERITY_NOTE, "stl-order",
                        "STL stores loose triangles and has no order of vertices",
                        "use another format where the order of vertices matters",
                        "%zu corners were joined to %zu points", builder->sources.count, builder->points.count);
}
