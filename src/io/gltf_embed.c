// A GLB file has one buffer of its own, number 0. All others need a uri: those in files become base64 texts in place,
// because merging them into the first would renumber what unknown extensions may refer to. Pictures become buffer
// views, as GLB files have them.
#include "io/gltf_embed.h"

#include <string.h>

#include "base/error.h"
#include "io/base64.h"

static bool is_file(const pl_json *uri) {
  return uri != NULL && uri->kind == PL_JSON_STRING && strncmp(uri->text, "data:", 5) != 0;
}

// --- buffers ----------------------------------------------------------------------------------------------------

static char *encode_base64(pl_arena *arena, const char *head, const unsigned char *data, size_t size, size_t *length) {
  size_t head_length = strlen(head);
  *length = head_length + pl_base64_length(size);
  char *text = PL_TAKE(arena, char, *length + 1);
  if (text == NULL) return NULL;
  memcpy(text, head, head_length);
  pl_base64_write(data, size, text + head_length);
  return text;
}

static pl_status embed_buffer(pl_sheet *sheet, pl_gltf *gltf, pl_json *json) {
  pl_gltf_buffer *buffer = NULL;
  pl_status status = pl_gltf_load_buffer(gltf, json, &buffer);
  if (status < 0) return status;
  if (buffer->size > (size_t)1 << 30)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_UNSUPPORTED,
                        "this buffer is too large for a GLB file with another buffer; export as GLB");
  size_t length = 0;
  pl_json *uri = pl_json_new(sheet->arena, PL_JSON_STRING);
  char *text =
      encode_base64(sheet->arena, "data:application/octet-stream;base64,", buffer->data, buffer->size, &length);
  if (uri == NULL || text == NULL) return pl_fail_memory(gltf->error);
  uri->text = text;
  uri->text_length = (int32_t)length;
  pl_json_set(sheet->arena, json, "uri", uri);
  return PL_OK;
}

// --- pictures ---------------------------------------------------------------------------------------------------

static const char *find_type(const unsigned char *data, size_t size) {
  static const struct {
    const char *type, *mark;
    size_t length, offset;
  } known[] = {
      {"image/png", "\x89PNG", 4, 0},
      {"image/jpeg", "\xFF\xD8\xFF", 3, 0},
      {"image/webp", "WEBP", 4, 8},
      {"image/ktx2", "\xABKTX 20", 7, 0},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (size >= known[i].offset + known[i].length &&
        memcmp(data + known[i].offset, known[i].mark, known[i].length) == 0)
      return known[i].type;
  return NULL;
}

static pl_status embed_picture(pl_sheet *sheet, pl_gltf *gltf, pl_json *image) {
  pl_gltf_buffer file = {0};
  pl_error *error = gltf->error, ignored = {0};
  gltf->error = &ignored;
  pl_status status = pl_gltf_load_uri(gltf, pl_json_find(image, "uri"), &file);
  gltf->error = error;
  if (status == PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(error);
  const char *type = status < 0 ? NULL : find_type(file.data, file.size);
  if (type != NULL) {
    int32_t view = 0;
    unsigned char *to = pl_sheet_add_view(sheet, file.size, 0, 0, &view);
    if (to != NULL) memcpy(to, file.data, file.size);
    pl_sheet_remove(image, "uri");
    pl_json_set_number(sheet->arena, image, "bufferView", view);
    pl_json_set_text(sheet->arena, image, "mimeType", type);
  }
  if (file.file.data != NULL) pl_bytes_free(&file.file);
  return pl_sheet_failed(sheet) ? pl_fail_memory(error) : PL_OK;
}

// --- compressed views -------------------------------------------------------------------------------------------

// Take the unpacked bytes of a compressed view into the sheet, and the extension off it.
static pl_status unpack_view(pl_sheet *sheet, pl_gltf *gltf, pl_json *view) {
  pl_gltf_bytes bytes;
  pl_status status = pl_gltf_load_view(gltf, view, &bytes);
  if (status < 0) return status;
  size_t padding = (4 - sheet->bytes.count % 4) % 4, start = sheet->bytes.count + padding;
  unsigned char *to = pl_vector_grow(&sheet->bytes, padding + bytes.size);
  if (to == NULL) return pl_fail_memory(gltf->error);
  memcpy(to + padding, bytes.data, bytes.size);
  pl_json_set_number(sheet->arena, view, "buffer", 0);
  pl_json_set_number(sheet->arena, view, "byteOffset", (double)(sheet->bytes_start + start));
  pl_json_set_number(sheet->arena, view, "byteLength", (double)bytes.size);
  pl_sheet_remove_packing(view);
  return PL_OK;
}

// Nothing refers to a fallback buffer any more. The last of a list goes without a change of other numbers.
static void drop_last_fallbacks(pl_json *buffers) {
  while (buffers != NULL && buffers->count > 1 && pl_gltf_find_packed(buffers->last) != NULL) {
    pl_json *kept = buffers->first;
    while (kept->next != buffers->last) kept = kept->next;
    kept->next = NULL;
    buffers->last = kept;
    buffers->count--;
    buffers->table = NULL;
  }
}

// One with others behind it becomes a byte.
static void empty_fallback(pl_sheet *sheet, pl_json *buffer) {
  pl_json_set_number(sheet->arena, buffer, "byteLength", 1);
  pl_json_set_text(sheet->arena, buffer, "uri", "data:application/octet-stream;base64,AA==");
  pl_sheet_remove_packing(buffer);
}

static pl_status unpack_views(pl_sheet *sheet, pl_gltf *gltf) {
  pl_json *views = pl_sheet_member(sheet->root, "bufferViews"), *buffers = pl_sheet_member(sheet->root, "buffers");
  bool packed = false;
  pl_status status = PL_OK;
  for (pl_json *view = views == NULL ? NULL : views->first; view != NULL && status >= 0; view = view->next) {
    if (pl_gltf_find_packed(view) == NULL) continue;
    packed = true;
    status = unpack_view(sheet, gltf, view);
  }
  if (status >= 0) drop_last_fallbacks(buffers);
  for (pl_json *buffer = buffers == NULL ? NULL : buffers->first; buffer != NULL && status >= 0; buffer = buffer->next)
    if (buffer->index > 0 && pl_gltf_find_packed(buffer) != NULL) empty_fallback(sheet, buffer);
  static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
  for (int i = 0; packed && i < 2; ++i) {
    pl_sheet_remove_text(sheet, "extensionsUsed", names[i]);
    pl_sheet_remove_text(sheet, "extensionsRequired", names[i]);
  }
  return status;
}

pl_status pl_sheet_embed(pl_sheet *sheet, pl_gltf *gltf, pl_gltf_buffer **first) {
  *first = NULL;
  pl_json *buffers = pl_sheet_member(sheet->root, "buffers"), *images = pl_sheet_member(sheet->root, "images");
  pl_status status = PL_OK;
  for (pl_json *buffer = buffers == NULL ? NULL : buffers->first; buffer != NULL && status >= 0;
       buffer = buffer->next) {
    if (buffer->index > 0 && is_file(pl_json_find(buffer, "uri"))) status = embed_buffer(sheet, gltf, buffer);
    if (buffer->index > 0) continue;
    status = pl_gltf_load_buffer(gltf, buffer, first);
    if (status >= 0) sheet->bytes_start = ((uint64_t)(*first)->size + 3) / 4 * 4;
    pl_sheet_remove(buffer, "uri");
  }
  for (pl_json *image = images == NULL ? NULL : images->first; image != NULL && status >= 0; image = image->next)
    if (is_file(pl_json_find(image, "uri"))) status = embed_picture(sheet, gltf, image);
  return status < 0 ? status : unpack_views(sheet, gltf);
}
