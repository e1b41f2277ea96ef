// The bytes of a glTF buffer: the GLB's own chunk, a base64 data URI, or a file next to the glTF file. A file name may
// not lead out of the folder: a mesh someone sends must not be able to read the receiver's other files.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/gltf_document.h"

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

// Decode `length` base64 characters; the padding may be missing.
static pl_status decode_base64(pl_gltf *gltf, const pl_json *uri, const char *text, size_t length,
                               pl_gltf_buffer *buffer) {
  while (length > 0 && text[length - 1] == '=') length--;
  unsigned char *data = PL_TAKE(&gltf->arena, unsigned char, length / 4 * 3 + 3);
  if (data == NULL) return pl_fail_memory(gltf->error);
  uint32_t bits = 0;
  size_t size = 0;
  for (size_t i = 0; i < length; ++i) {
    int digit = base64_digit(text[i]);
    if (digit < 0)
      return pl_json_fail(gltf->document, uri, gltf->error, PL_ERROR_INVALID_DATA,
                          "character %zu of the base64 data is none of its 64", i + 1);
    bits = bits << 6 | (uint32_t)digit;
    if (i % 4 == 3) {
      data[size++] = (unsigned char)(bits >> 16);
      data[size++] = (unsigned char)(bits >> 8);
      data[size++] = (unsigned char)bits;
    }
  }
  size_t rest = length % 4;
  if (rest >= 2) data[size++] = (unsigned char)(bits >> (rest == 2 ? 4 : 10));
  if (rest == 3) data[size++] = (unsigned char)(bits >> 2);
  buffer->data = data;
  buffer->size = size;
  return PL_OK;
}

static pl_status load_data_uri(pl_gltf *gltf, const pl_json *uri, pl_gltf_buffer *buffer) {
  const char *comma = strchr(uri->text, ',');
  static const char mark[] = ";base64";
  size_t head = comma == NULL ? 0 : (size_t)(comma - uri->text);
  if (comma == NULL || head < strlen(mark) || memcmp(comma - strlen(mark), mark, strlen(mark)) != 0)
    return pl_json_fail(gltf->document, uri, gltf->error, PL_ERROR_UNSUPPORTED,
                        "a data URI without ;base64, is not read");
  return decode_base64(gltf, uri, comma + 1, (size_t)uri->text_length - head - 1, buffer);
}

static int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// `%20` and the like.
static char *decode_percent(pl_arena *arena, const char *text) {
  char *decoded = pl_arena_copy_text(arena, text);
  if (decoded == NULL) return NULL;
  char *to = decoded;
  for (const char *from = text; *from != '\0'; ++from) {
    int high = *from == '%' ? hex_digit(from[1]) : -1;
    int low = high >= 0 ? hex_digit(from[2]) : -1;
    *to++ = low >= 0 ? (char)(high * 16 + low) : *from;
    if (low >= 0) from += 2;
  }
  *to = '\0';
  return decoded;
}

// Relative, downwards only, and no other scheme than that of a plain file.
static bool stays_inside(const char *path) {
  if (path[0] == '\0' || path[0] == '/' || strchr(path, '\\') != NULL || strchr(path, ':') != NULL) return false;
  for (const char *part = path; part != NULL;) {
    const char *slash = strchr(part, '/');
    size_t length = slash == NULL ? strlen(part) : (size_t)(slash - part);
    if (length == 2 && memcmp(part, "..", 2) == 0) return false;
    part = slash == NULL ? NULL : slash + 1;
  }
  return true;
}

static pl_status load_file(pl_gltf *gltf, const pl_json *uri, pl_gltf_buffer *buffer) {
  char *path = decode_percent(&gltf->arena, uri->text);
  if (path == NULL) return pl_fail_memory(gltf->error);
  if (!stays_inside(path) || strlen(uri->text) != (size_t)uri->text_length)
    return pl_json_fail(gltf->document, uri, gltf->error, PL_ERROR_UNSUPPORTED,
                        "\"%.100s\" is not a file in the folder of this one; only those are read", uri->text);
  if (gltf->folder == NULL)
    return pl_json_fail(gltf->document, uri, gltf->error, PL_ERROR_NOT_FOUND,
                        "the file \"%.100s\" is needed, but there is no folder to look in; use a GLB file", uri->text);
  char *full = pl_path_join(gltf->context, gltf->folder, path);
  if (full == NULL) return pl_fail_memory(gltf->error);
  pl_error inner = {0};
  pl_status status = pl_bytes_read(gltf->context, full, &buffer->file, &inner);
  pl_release(gltf->context, full);
  if (status == PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(gltf->error);
  if (status < 0)
    return pl_json_fail(gltf->document, uri, gltf->error, status, "the buffer's file \"%.100s\" %.200s", uri->text,
                        inner.text);
  buffer->data = buffer->file.data;
  buffer->size = buffer->file.size;
  return PL_OK;
}

pl_status pl_gltf_load_uri(pl_gltf *gltf, const pl_json *uri, pl_gltf_buffer *loaded) {
  if (uri->kind != PL_JSON_STRING)
    return pl_json_fail(gltf->document, uri, gltf->error, PL_ERROR_INVALID_DATA, "a string is expected");
  return strncmp(uri->text, "data:", 5) == 0 ? load_data_uri(gltf, uri, loaded) : load_file(gltf, uri, loaded);
}

pl_status pl_gltf_load_buffer(pl_gltf *gltf, const pl_json *json, pl_gltf_buffer **loaded) {
  pl_gltf_buffer *buffer = &gltf->buffers[json->index];
  *loaded = buffer;
  if (buffer->data != NULL) return PL_OK;
  int64_t length = -1;
  pl_status status = pl_gltf_integer(gltf, json, "byteLength", 1, INT64_C(1) << 53, &length);
  if (status < 0) return status;
  if (length < 0)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA, "byteLength is missing");
  const pl_json *uri = pl_json_find(json, "uri");
  if (uri == NULL) {
    if (json->index != 0 || gltf->binary == NULL)
      return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA,
                          "this buffer has no uri, and only the first buffer of a GLB file may do without");
    buffer->data = gltf->binary;
    buffer->size = gltf->binary_size;
  } else {
    status = pl_gltf_load_uri(gltf, uri, buffer);
    if (status >= 0) gltf->byte_count += buffer->size;
  }
  if (status >= 0 && (uint64_t)length > buffer->size)
    status = pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA,
                          "byteLength is %lld, but there are only %zu bytes: the file is cut off", (long long)length,
                          buffer->size);
  if (status < 0) {
    buffer->data = NULL;
    return status;
  }
  buffer->size = (size_t)length;
  return PL_OK;
}
