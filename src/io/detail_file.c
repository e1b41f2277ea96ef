// Sets of examples of detail in one file.
//
// Layout, all numbers little-endian: magic "PLIANTDT", version (4 bytes), then 4 bytes each: number of examples,
// numbers in a key, resolution of stamps, side of previews, orders of site, patch (may be -1) and load, 1 for plain
// weights, sides of a stamp; 8-byte floats: window radius, stamp radius, border, least load, reference load, overload,
// widths of site, patch and load. Then for each example the length of its label (4 bytes) and the label; the previews,
// side x side grey bytes each, so that a browser of files need not read on; 4-byte floats: sizes of the loads, keys;
// stamps as detail_pack.h says. At the end a hash of everything before it (8 bytes).
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/detail_pack.h"
#include "io/file_bytes.h"
#include "pliant/detail.h"
#include "pliant/detail_file.h"

#define MAGIC "PLIANTDT"

enum { LAYOUT_VERSION = 2, MAGIC_SIZE = 8, WHOLE_COUNT = 9, REAL_COUNT = 9, TAIL_SIZE = 8, PREVIEW_SIDE = 32 };
enum {
  HEAD_SIZE = MAGIC_SIZE + 4 + 4 * WHOLE_COUNT + 8 * REAL_COUNT,
  MAX_LABEL = 1 << 16,
  MAX_EXAMPLE = 1 << 20,
  MAX_SIDE = 512
};

// Bytes being written or read, one behind the other.
typedef struct cursor {
  unsigned char *to;
  const unsigned char *from, *end;
} cursor;

static void put_whole(cursor *c, uint64_t value, int size) {
  for (int i = 0; i < size; ++i) *c->to++ = (unsigned char)(value >> (8 * i));
}

static void put_float(cursor *c, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_whole(c, bits, 4);
}

static void put_double(cursor *c, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_whole(c, bits, 8);
}

// The caller has made sure that the bytes are there.
static uint64_t get_whole(cursor *c, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; ++i) value |= (uint64_t)c->from[i] << (8 * i);
  c->from += size;
  return value;
}

static float get_float(cursor *c) {
  uint32_t bits = (uint32_t)get_whole(c, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double get_double(cursor *c) {
  uint64_t bits = get_whole(c, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Pointers to the numbers of a def in the order of the file.
static void list_reals(pl_detail_def *def, double *reals[REAL_COUNT]) {
  double *const all[REAL_COUNT] = {&def->window_radius, &def->stamp_radius,   &def->stamp_border,
                                   &def->min_load,      &def->load_reference, &def->overload,
                                   &def->site_width,    &def->patch_width,    &def->load_width};
  memcpy(reals, all, sizeof all);
}

// Samples of a stamp, and bytes of an example but for label and stamp.
static uint64_t sample_count_of(const pl_detail_def *def) {
  return (uint64_t)def->stamp_sides * (uint64_t)def->stamp_resolution * (uint64_t)def->stamp_resolution;
}

static uint64_t example_size(uint64_t key_size, uint64_t side) {
  return 4 + side * side + 4 + 4 * key_size;
}

static void put_set(cursor *c, const pl_detail_set *set, const pl_detail_set_view *view) {
  pl_detail_def def = view->def;
  const int64_t wholes[WHOLE_COUNT] = {view->example_count, view->key_size,    def.stamp_resolution,
                                       PREVIEW_SIDE,        def.site_order,    def.patch_order,
                                       def.load_order,      def.plain_weights, def.stamp_sides};
  double *reals[REAL_COUNT];
  list_reals(&def, reals);
  memcpy(c->to, MAGIC, MAGIC_SIZE);
  c->to += MAGIC_SIZE;
  put_whole(c, LAYOUT_VERSION, 4);
  for (int i = 0; i < WHOLE_COUNT; ++i) put_whole(c, (uint64_t)wholes[i], 4);
  for (int i = 0; i < REAL_COUNT; ++i) put_double(c, *reals[i]);
  size_t count = (size_t)view->example_count;
  for (size_t i = 0; i < count; ++i) {
    size_t length = strlen(view->labels[i]);
    put_whole(c, length, 4);
    memcpy(c->to, view->labels[i], length);
    c->to += length;
  }
  for (size_t i = 0; i < count; ++i, c->to += PREVIEW_SIDE * PREVIEW_SIDE)
    pl_detail_set_preview(set, (int32_t)i, PREVIEW_SIDE, c->to);
  for (size_t i = 0; i < count; ++i) put_float(c, view->sizes[i]);
  for (size_t i = 0; i < count * (size_t)view->key_size; ++i) put_float(c, view->keys[i]);
}

pl_status pl_detail_set_save(pl_context *context, const char *path, const pl_detail_set *set, pl_error *error) {
  pl_detail_set_view view = pl_detail_set_get_view(set);
  uint64_t size = HEAD_SIZE + (uint64_t)view.example_count * example_size((uint64_t)view.key_size, PREVIEW_SIDE);
  for (int32_t i = 0; i < view.example_count; ++i) {
    size_t length = strlen(view.labels[i]);
    if (length > MAX_LABEL)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "the label of example %d has %zu bytes; %d can be written", i,
                     length, MAX_LABEL);
    size += length;
  }
  pl_vector bytes = pl_vector_of(context, 1);
  cursor c = {.to = pl_vector_grow(&bytes, (size_t)size)};
  pl_status status = c.to == NULL ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    put_set(&c, set, &view);
    status = pl_detail_pack(context, &view, &bytes, error);
  }
  pl_file_writer *writer = NULL;
  if (status >= 0) status = pl_file_writer_open(context, path, &writer, error);
  if (status >= 0) {
    unsigned char tail[TAIL_SIZE];
    cursor end = {.to = tail};
    put_whole(&end, pl_hash_bytes(PL_HASH_START, bytes.items, bytes.count), TAIL_SIZE);
    pl_file_writer_write(writer, bytes.items, bytes.count);
    pl_file_writer_write(writer, tail, TAIL_SIZE);
    status = pl_file_writer_commit(writer, error);
  }
  pl_vector_free(&bytes);
  return status;
}

// What a file says it holds.
typedef struct contents {
  pl_detail_def def;
  uint64_t example_count, key_size, side;
} contents;

static pl_status read_head(cursor *c, const char *name, contents *found, pl_error *error) {
  uint64_t wholes[WHOLE_COUNT];
  for (int i = 0; i < WHOLE_COUNT; ++i) wholes[i] = get_whole(c, 4);
  double *reals[REAL_COUNT];
  found->def = pl_default_detail_def();
  list_reals(&found->def, reals);
  for (int i = 0; i < REAL_COUNT; ++i) *reals[i] = get_double(c);
  found->example_count = wholes[0];
  found->key_size = wholes[1];
  found->side = wholes[3];
  if (wholes[0] < 1 || wholes[0] > MAX_EXAMPLE || wholes[1] > 1024 || wholes[2] > MAX_SIDE || wholes[3] > MAX_SIDE ||
      wholes[7] > 1 || wholes[8] < 1 || wholes[8] > 2)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, name, 0, 0,
                      "the set of examples is damaged: its numbers are out of range");
  found->def.stamp_resolution = (int32_t)wholes[2];
  // Orders out of range are found when the set is made.
  found->def.site_order = (int32_t)(uint32_t)wholes[4];
  found->def.patch_order = (int32_t)(uint32_t)wholes[5];
  found->def.load_order = (int32_t)(uint32_t)wholes[6];
  found->def.plain_weights = wholes[7] == 1;
  found->def.stamp_sides = (int32_t)wholes[8];
  return PL_OK;
}

static pl_status read_labels(cursor *c, pl_arena *arena, const char *name, uint64_t count, const char **labels,
                             pl_error *error) {
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t left = (uint64_t)(c->end - c->from), length = left < 4 ? UINT64_MAX : get_whole(c, 4);
    if (length > MAX_LABEL || length > left - 4)
      return pl_fail_at(error, PL_ERROR_INVALID_DATA, name, 0, 0,
                        "the set of examples is damaged: it ends within its labels");
    char *label = PL_TAKE(arena, char, length + 1);
    if (label == NULL) return pl_fail_memory(error);
    memcpy(label, c->from, (size_t)length);
    c->from += length;
    labels[i] = label;
  }
  return PL_OK;
}

// Everything behind the head; arrays are taken from `arena`.
static pl_status read_set(pl_context *context, cursor *c, pl_arena *arena, const char *name, const contents *found,
                          pl_detail_set **set, pl_error *error) {
  size_t count = (size_t)found->example_count, key_size = (size_t)found->key_size,
         samples = count * (size_t)sample_count_of(&found->def);
  uint64_t whole = found->example_count * example_size(found->key_size, found->side),
           there = (uint64_t)(c->end - c->from);
  // Before memory is asked for: labels take more, so this is the least.
  if (whole > there || !pl_detail_pack_fits(there - whole, found->example_count, sample_count_of(&found->def)))
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, name, 0, 0, "the set of examples is cut off");
  const char **labels = PL_TAKE(arena, const char *, count);
  float *sizes = PL_TAKE(arena, float, count), *keys = PL_TAKE(arena, float, count *key_size),
        *stamps = PL_TAKE(arena, float, 4 * samples);
  if (arena->failed) return pl_fail_memory(error);
  pl_status status = read_labels(c, arena, name, found->example_count, labels, error);
  if (status < 0) return status;
  whole -= 4 * found->example_count;
  if ((uint64_t)(c->end - c->from) < whole + 8 * found->example_count)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, name, 0, 0,
                      "the set of examples is damaged: its length does not fit");
  c->from += count * (size_t)(found->side * found->side);
  for (size_t i = 0; i < count; ++i) sizes[i] = get_float(c);
  for (size_t i = 0; i < count * key_size; ++i) keys[i] = get_float(c);
  pl_detail_set_view view = {found->def, (int32_t)count, labels, (int32_t)key_size, keys, sizes, stamps};
  status = pl_detail_unpack(context, name, c->from, (size_t)(c->end - c->from), &view, stamps, error);
  if (status < 0) return status;
  status = pl_detail_set_create(context, &view, set, error);
  if (status < 0 && status != PL_ERROR_OUT_OF_MEMORY && error != NULL) {
    // It is the file's fault, whatever it was; so the error names it.
    error->status = status = PL_ERROR_INVALID_DATA;
    snprintf(error->file, sizeof error->file, "%s", name);
  }
  return status < 0 && status != PL_ERROR_OUT_OF_MEMORY ? PL_ERROR_INVALID_DATA : status;
}

pl_status pl_detail_set_load_memory(pl_context *context, const pl_memory_source *source, pl_detail_set **set,
                                    pl_error *error) {
  *set = NULL;
  const unsigned char *data = source->bytes;
  const char *name = source->name;
  size_t size = source->size;
  if (size < HEAD_SIZE + TAIL_SIZE || memcmp(data, MAGIC, MAGIC_SIZE) != 0)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, name, 0, 0, "this is not a set of examples of detail");
  cursor c = {.from = data + MAGIC_SIZE, .end = data + size - TAIL_SIZE}, tail = {.from = c.end};
  uint64_t version = get_whole(&c, 4);
  if (version != LAYOUT_VERSION)
    return pl_fail_at(error, PL_ERROR_UNSUPPORTED, name, 0, 0,
                      "the set of examples has layout %llu and this version of Pliant reads layout %d",
                      (unsigned long long)version, LAYOUT_VERSION);
  if (get_whole(&tail, TAIL_SIZE) != pl_hash_bytes(PL_HASH_START, data, size - TAIL_SIZE))
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, name, 0, 0,
                      "the set of examples is damaged: its hash does not fit");
  contents found;
  pl_status status = read_head(&c, name, &found, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  status = read_set(context, &c, &arena, name, &found, set, error);
  pl_arena_destroy(&arena);
  return status;
}

pl_status pl_detail_set_load(pl_context *context, const char *path, pl_detail_set **set, pl_error *error) {
  *set = NULL;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  status = pl_detail_set_load_memory(context, &(pl_memory_source){bytes.data, bytes.size, path, NULL}, set, error);
  pl_bytes_free(&bytes);
  return status;
}
