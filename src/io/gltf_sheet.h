// A glTF tree that grows, with the bytes that its new buffer views need.
#ifndef PL_IO_GLTF_SHEET_H
#define PL_IO_GLTF_SHEET_H

#include "text/json.h"

enum {
  PL_GLTF_UNSIGNED_BYTE = 5121,
  PL_GLTF_UNSIGNED_SHORT = 5123,
  PL_GLTF_UNSIGNED_INT = 5125,
  PL_GLTF_FLOAT = 5126,
  PL_GLTF_VERTICES = 34962,  // target of a buffer view
  PL_GLTF_INDICES = 34963,
};

// Failed allocations stick: build on, and at the end pl_sheet_failed() tells.
typedef struct pl_sheet {
  pl_arena *arena;  // of the tree
  pl_json *root;
  pl_vector bytes;       // of char: what comes behind the first `bytes_start` bytes of buffer 0
  uint64_t bytes_start;  // a multiple of four
} pl_sheet;

bool pl_sheet_failed(const pl_sheet *sheet);

// That the top-level lists of a parsed tree that will grow are lists.
pl_status pl_sheet_check_lists(const pl_sheet *sheet, const pl_json_document *document,
                               pl_error *error);

// Member `key` of an object, to be changed; NULL if there is none.
pl_json *pl_sheet_member(pl_json *object, const char *key);

// Take member `key` out of an object, if it is there.
void pl_sheet_remove(pl_json *object, const char *key);

// Take the texts that begin with `beginning` out of the top-level array `key`; an array that would
// be empty is taken out as well.
void pl_sheet_remove_text(pl_sheet *sheet, const char *key, const char *beginning);

// Take the extensions by which a buffer view or buffer is compressed off it.
void pl_sheet_remove_packing(pl_json *view_or_buffer);

// The top-level array `key`, made where it is missing.
pl_json *pl_sheet_list(pl_sheet *sheet, const char *key);

// A new item of the top-level array `key`, an object.
pl_json *pl_sheet_add(pl_sheet *sheet, const char *key);

// Its number among the others; 0 for NULL.
int32_t pl_sheet_index(const pl_json *item);

// A copy of a value with all below it, in the sheet's arena; key and parent are not copied.
pl_json *pl_sheet_copy(pl_sheet *sheet, const pl_json *value);

// A buffer view of `size` new bytes, to be filled in before the next call; NULL when out of memory.
// `stride` and `target` are left out where 0.
unsigned char *pl_sheet_add_view(pl_sheet *sheet, size_t size, int32_t stride, int32_t target,
                                 int32_t *view);

// An accessor of `count` elements `type` (such as "VEC3") from byte `offset` of the view on;
// returned to be given min and max.
pl_json *pl_sheet_add_accessor(pl_sheet *sheet, int32_t view, size_t offset, int32_t component_type,
                               int32_t count, const char *type);

// Numbers as the bytes of a view: little-endian, `size` bytes; and 32-bit floats.
void pl_sheet_put(unsigned char *to, uint32_t value, int size);
void pl_sheet_put_float(unsigned char *to, float value);

// Write the tree and its bytes as GLB, under a temporary name until it is whole; `first` are the
// bytes of buffer 0 that come before those of the sheet.
pl_status pl_sheet_write(const pl_sheet *sheet, pl_context *context, const void *first,
                         size_t first_size, const char *path, pl_error *error);

#endif
