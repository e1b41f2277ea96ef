// Views and accessors added to a glTF tree. What is there keeps its place and its number; new items come
// behind.
#include "io/gltf_sheet.h"

#include <string.h>

#include "base/error.h"
#include "io/gltf_container.h"

bool pl_sheet_failed(const pl_sheet *sheet) {
  return sheet->arena->failed || sheet->bytes.failed;
}

pl_status pl_sheet_check_lists(const pl_sheet *sheet, const pl_json_document *document, pl_error *error) {
  static const char *const keys[] = {"buffers", "bufferViews", "accessors", "animations",
                                     "images",  "meshes",      "nodes",     "scenes"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
    const pl_json *list = pl_json_find(sheet->root, keys[i]);
    if (list != NULL && list->kind != PL_JSON_ARRAY)
      return pl_json_fail(document, list, error, PL_ERROR_INVALID_DATA, "an array is expected");
  }
  return PL_OK;
}

pl_json *pl_sheet_member(pl_json *object, const char *key) {
  if (object == NULL || object->kind != PL_JSON_OBJECT) return NULL;
  size_t length = strlen(key);
  for (pl_json *member = object->first; member != NULL; member = member->next)
    if ((size_t)member->key_length == length && memcmp(member->key, key, length) == 0) return member;
  return NULL;
}

void pl_sheet_remove(pl_json *object, const char *key) {
  pl_json *gone = pl_sheet_member(object, key);
  if (gone == NULL) return;
  pl_json **link = &object->first, *kept = NULL;
  while (*link != gone) {
    kept = *link;
    link = &kept->next;
  }
  *link = gone->next;
  if (object->last == gone) object->last = kept;
  for (pl_json *member = gone->next; member != NULL; member = member->next) member->index--;
  object->count--;
  object->table = NULL;
}

void pl_sheet_remove_text(pl_sheet *sheet, const char *key, const char *beginning) {
  pl_json *list = pl_sheet_member(sheet->root, key);
  if (list == NULL || list->kind != PL_JSON_ARRAY) return;
  pl_json *kept = pl_json_new(sheet->arena, PL_JSON_ARRAY);
  for (const pl_json *item = list->first; item != NULL; item = item->next)
    if (item->kind != PL_JSON_STRING || strncmp(item->text, beginning, strlen(beginning)) != 0)
      pl_json_add(kept, pl_sheet_copy(sheet, item));
  if (kept == NULL || kept->count == 0)
    pl_sheet_remove(sheet->root, key);
  else
    pl_json_set(sheet->arena, sheet->root, key, kept);
}

void pl_sheet_remove_packing(pl_json *view_or_buffer) {
  pl_json *extensions = pl_sheet_member(view_or_buffer, "extensions");
  if (extensions == NULL) return;
  pl_sheet_remove(extensions, "EXT_meshopt_compression");
  pl_sheet_remove(extensions, "KHR_meshopt_compression");
  pl_sheet_remove(extensions, "KHR_draco_mesh_compression");
  if (extensions->count == 0) pl_sheet_remove(view_or_buffer, "extensions");
}

pl_json *pl_sheet_list(pl_sheet *sheet, const char *key) {
  pl_json *list = pl_sheet_member(sheet->root, key);
  return list != NULL ? list : pl_json_set(sheet->arena, sheet->root, key, pl_json_new(sheet->arena, PL_JSON_ARRAY));
}

pl_json *pl_sheet_add(pl_sheet *sheet, const char *key) {
  return pl_json_add(pl_sheet_list(sheet, key), pl_json_new(sheet->arena, PL_JSON_OBJECT));
}

int32_t pl_sheet_index(const pl_json *item) {
  return item == NULL ? 0 : item->index;
}

// Trees are no deeper than PL_JSON_MAX_DEPTH.
pl_json *pl_sheet_copy(pl_sheet *sheet, const pl_json *value) {
  pl_json *copy = pl_json_new(sheet->arena, value->kind);
  if (copy == NULL) return NULL;
  copy->boolean = value->boolean;
  copy->number = value->number;
  copy->text = value->text;
  copy->text_length = value->text_length;
  for (const pl_json *child = value->first; child != NULL; child = child->next) {
    pl_json *item = pl_json_add(copy, pl_sheet_copy(sheet, child));
    if (item == NULL) return NULL;
    item->key = child->key;
    item->key_length = child->key_length;
  }
  return copy;
}

unsigned char *pl_sheet_add_view(pl_sheet *sheet, size_t size, int32_t stride, int32_t target, int32_t *view) {
  size_t padding = (4 - sheet->bytes.count % 4) % 4;
  size_t start = sheet->bytes.count + padding;
  if (pl_vector_grow(&sheet->bytes, padding + size) == NULL) return NULL;
  pl_json *json = pl_sheet_add(sheet, "bufferViews");
  pl_json_set_number(sheet->arena, json, "buffer", 0);
  pl_json_set_number(sheet->arena, json, "byteOffset", (double)(sheet->bytes_start + start));
  pl_json_set_number(sheet->arena, json, "byteLength", (double)size);
  if (stride != 0) pl_json_set_number(sheet->arena, json, "byteStride", stride);
  if (target != 0) pl_json_set_number(sheet->arena, json, "target", target);
  *view = pl_sheet_index(json);
  return (unsigned char *)sheet->bytes.items + start;
}

pl_json *pl_sheet_add_accessor(pl_sheet *sheet, int32_t view, size_t offset, int32_t component_type, int32_t count,
                               const char *type) {
  pl_json *accessor = pl_sheet_add(sheet, "accessors");
  pl_json_set_number(sheet->arena, accessor, "bufferView", view);
  pl_json_set_number(sheet->arena, accessor, "byteOffset", (double)offset);
  pl_json_set_number(sheet->arena, accessor, "componentType", component_type);
  pl_json_set_number(sheet->arena, accessor, "count", count);
  pl_json_set_text(sheet->arena, accessor, "type", type);
  return accessor;
}

void pl_sheet_put(unsigned char *to, uint32_t value, int size) {
  for (int i = 0; i < size; ++i) to[i] = (unsigned char)(value >> (8 * i));
}

void pl_sheet_put_float(unsigned char *to, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  pl_sheet_put(to, bits, 4);
}

pl_status pl_sheet_write(const pl_sheet *sheet, pl_context *context, const void *first, size_t first_size,
                         const char *path, pl_error *error) {
  pl_vector json = pl_vector_of(context, 1);
  pl_file_writer *writer = NULL;
  pl_status status = pl_json_write(sheet->root, PL_JSON_COMPACT, &json, error);
  if (status >= 0) status = pl_file_writer_open(context, path, &writer, error);
  if (status >= 0) {
    pl_glb glb = pl_glb_begin(writer, json.count);
    pl_file_writer_write(writer, first, first_size);
    while (pl_glb_offset(&glb) < sheet->bytes_start) pl_file_writer_little(writer, 0, 1);
    pl_file_writer_write(writer, sheet->bytes.items, sheet->bytes.count);
    status = pl_glb_finish(&glb, &json, error);
  }
  pl_vector_free(&json);
  if (status >= 0) return pl_file_writer_commit(writer, error);
  pl_file_writer_abandon(writer);
  return status;
}
