// The bytes of a glTF buffer view: a window into a buffer, or what is compressed elsewhere in a buffer
// (EXT_meshopt_compression), unpacked at the first call and kept. The window of a compressed view points into a
// fallback buffer that usually has no bytes; it is not looked at.
#include <string.h>

#include "base/error.h"
#include "io/gltf_document.h"
#include "io/gltf_meshopt.h"

static const int64_t MAX_SIZE = INT64_C(1) << 53;

const pl_json *pl_gltf_find_packed(const pl_json *view_or_buffer) {
  const pl_json *extensions = pl_json_find(view_or_buffer, "extensions");
  const pl_json *packed = pl_json_find(extensions, "EXT_meshopt_compression");
  if (packed == NULL) packed = pl_json_find(extensions, "KHR_meshopt_compression");
  // The views of meshes that gltf_unpack.c unpacked.
  return packed != NULL ? packed : pl_json_find(extensions, "KHR_draco_mesh_compression");
}

// The bytes from byteOffset on, byteLength of them, of the buffer that `holder` names.
static pl_status open_window(pl_gltf *gltf, const pl_json *holder, pl_gltf_bytes *bytes) {
  const pl_json *reference = pl_json_find(holder, "buffer"), *json = NULL;
  if (reference == NULL)
    return pl_json_fail(gltf->document, holder, gltf->error, PL_ERROR_INVALID_DATA, "buffer is missing");
  pl_gltf_buffer *buffer = NULL;
  pl_status status = pl_gltf_item(gltf, reference, "buffers", &json);
  if (status >= 0) status = pl_gltf_load_buffer(gltf, json, &buffer);
  int64_t offset = 0, length = -1;
  if (status >= 0) status = pl_gltf_integer(gltf, holder, "byteOffset", 0, MAX_SIZE, &offset);
  if (status >= 0) status = pl_gltf_integer(gltf, holder, "byteLength", 1, MAX_SIZE, &length);
  if (status < 0) return status;
  if (length < 0)
    return pl_json_fail(gltf->document, holder, gltf->error, PL_ERROR_INVALID_DATA, "byteLength is missing");
  if ((uint64_t)offset > buffer->size || (uint64_t)length > buffer->size - (uint64_t)offset)
    return pl_json_fail(gltf->document, holder, gltf->error, PL_ERROR_INVALID_DATA,
                        "bytes %lld to %lld are asked for, but the buffer has %zu", (long long)offset,
                        (long long)(offset + length), buffer->size);
  *bytes = (pl_gltf_bytes){buffer->data + offset, (size_t)length};
  return PL_OK;
}

// Number of the word that member `key` is; `fallback` where it is missing, -1 for another word.
static int find_word(const pl_json *object, const char *key, const char *const *words, int count, int fallback) {
  const pl_json *member = pl_json_find(object, key);
  if (member == NULL) return fallback;
  for (int i = 0; i < count; ++i)
    if (pl_json_is_text(member, words[i])) return i;
  return -1;
}

static pl_status unpack(pl_gltf *gltf, const pl_json *packed, pl_gltf_bytes *bytes) {
  static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
  static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
  if (!pl_meshopt_is_there())
    return pl_json_fail(gltf->document, packed, gltf->error, PL_ERROR_UNSUPPORTED,
                        "this build cannot unpack meshopt compression: export without it, or build Pliant with "
                        "libmeshoptimizer-dev");
  int64_t count = 0, stride = 0;
  pl_status status = open_window(gltf, packed, bytes);
  if (status >= 0) status = pl_gltf_integer(gltf, packed, "count", 1, INT32_MAX, &count);
  if (status >= 0) status = pl_gltf_integer(gltf, packed, "byteStride", 1, 256, &stride);
  if (status < 0) return status;
  int mode = find_word(packed, "mode", modes, 3, -1), filter = find_word(packed, "filter", filters, 4, 0);
  if (mode < 0 || filter < 0 || count == 0 || stride == 0)
    return pl_json_fail(gltf->document, packed, gltf->error, PL_ERROR_INVALID_DATA,
                        "a compressed view needs a count, a byteStride, and a mode and filter that are known");
  // Real data shrink to a tenth; a small file must not be able to ask for all the memory there is.
  if (count * stride > (INT64_C(1) << 20) + 1024 * (int64_t)gltf->byte_count)
    return pl_json_fail(gltf->document, packed, gltf->error, PL_ERROR_INVALID_DATA,
                        "%lld bytes are to be unpacked from %zu; the file must be damaged", (long long)(count * stride),
                        bytes->size);
  unsigned char *to = PL_TAKE(&gltf->arena, unsigned char, count *stride);
  if (to == NULL) return pl_fail_memory(gltf->error);
  pl_meshopt_block block = {.bytes = bytes->data,
                            .size = bytes->size,
                            .count = (size_t)count,
                            .stride = (size_t)stride,
                            .mode = (pl_meshopt_mode)mode,
                            .filter = (pl_meshopt_filter)filter};
  if (!pl_meshopt_unpack(&block, to))
    return pl_json_fail(gltf->document, packed, gltf->error, PL_ERROR_INVALID_DATA,
                        "this meshopt-compressed view cannot be unpacked: it is damaged, or of a newer version of the "
                        "format; export without compression");
  *bytes = (pl_gltf_bytes){to, (size_t)(count * stride)};
  return PL_OK;
}

pl_status pl_gltf_load_view(pl_gltf *gltf, const pl_json *view, pl_gltf_bytes *bytes) {
  const pl_json *packed = pl_gltf_find_packed(view);
  if (packed == NULL) return open_window(gltf, view, bytes);
  pl_gltf_bytes *kept = &gltf->unpacked[view->index];
  pl_status status = kept->data != NULL ? PL_OK : unpack(gltf, packed, kept);
  if (status < 0) *kept = (pl_gltf_bytes){0};
  *bytes = *kept;
  return status;
}
