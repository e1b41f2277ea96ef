// glTF 2.0: the container (JSON text or GLB), the asset's version, and the extensions without which a file cannot be
// read.
#include "io/gltf_document.h"

#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "io/gltf_draco.h"
#include "io/gltf_meshopt.h"
#include "io/gltf_unpack.h"

static const uint32_t GLB_MAGIC = 0x46546C67, GLB_JSON = 0x4E4F534A, GLB_BINARY = 0x004E4942;

static uint32_t little32(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

typedef struct text_range {
  const char *text;
  size_t size;
} text_range;

// Find the chunks of a GLB file. Its error places are byte offsets, 1-based, in the column.
static pl_status open_container(pl_gltf *gltf, const unsigned char *bytes, size_t size, text_range *json) {
  if (size < 20)
    return pl_fail_at(gltf->error, PL_ERROR_INVALID_DATA, gltf->name, 0, 0,
                      "the GLB file ends inside its header (%zu bytes)", size);
  uint32_t version = little32(bytes + 4), length = little32(bytes + 8);
  if (version != 2)
    return pl_fail_at(gltf->error, PL_ERROR_UNSUPPORTED, gltf->name, 0, 0,
                      "GLB version %u; only version 2 is read: export as glTF 2.0", version);
  if (length > size)
    return pl_fail_at(gltf->error, PL_ERROR_INVALID_DATA, gltf->name, 0, 0,
                      "the GLB header has a length of %u bytes, but the file has %zu: it is cut off", length, size);
  if (length < 20)
    return pl_fail_at(gltf->error, PL_ERROR_INVALID_DATA, gltf->name, 0, 0,
                      "the GLB header has a length of only %u bytes", length);
  size = length;
  for (size_t at = 12, number = 0; size - at >= 8; ++number) {
    uint32_t chunk_size = little32(bytes + at), type = little32(bytes + at + 4);
    at += 8;
    if (chunk_size > size - at)
      return pl_fail_at(gltf->error, PL_ERROR_INVALID_DATA, gltf->name, 0, 0,
                        "chunk %zu of the GLB file has %u bytes, but only %zu follow: the file is cut off", number,
                        chunk_size, size - at);
    if (number == 0 && type != GLB_JSON)
      return pl_fail_at(gltf->error, PL_ERROR_INVALID_DATA, gltf->name, 0, 0,
                        "the first chunk of the GLB file is not JSON");
    if (number == 0) *json = (text_range){(const char *)bytes + at, chunk_size};
    if (number == 1 && type == GLB_BINARY) {
      gltf->binary = bytes + at;
      gltf->binary_size = chunk_size;
    }
    at += chunk_size;
  }
  // Blanks are the padding of the standard; some exporters pad with zeros.
  while (json->size > 0 && json->text[json->size - 1] == '\0') json->size--;
  return PL_OK;
}

static pl_status check_version(const pl_gltf *gltf) {
  const pl_json *asset = pl_json_find(gltf->root, "asset");
  const char *version = NULL;
  if (!pl_json_get_text(pl_json_find(asset, "version"), &version))
    return pl_json_fail(gltf->document, asset != NULL ? asset : gltf->root, gltf->error, PL_ERROR_INVALID_DATA,
                        "asset.version is missing: this is not glTF 2.0");
  if (strncmp(version, "2.", 2) != 0)
    return pl_json_fail(gltf->document, pl_json_find(asset, "version"), gltf->error, PL_ERROR_UNSUPPORTED,
                        "glTF version %.20s; only 2.x is read: export as glTF 2.0", version);
  return PL_OK;
}

// Extensions that do not change where the points of a mesh are.
static bool is_harmless(const char *extension) {
  static const char *const beginnings[] = {"KHR_mesh_quantization",
                                           "KHR_materials_",
                                           "KHR_texture_",
                                           "EXT_texture_",
                                           "MSFT_texture_",
                                           "KHR_lights_",
                                           "EXT_lights_",
                                           "KHR_animation_pointer",
                                           "KHR_xmp",
                                           "VRM",
                                           "KHR_node_visibility",
                                           "MOZ_"};
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; ++i)
    if (strncmp(extension, beginnings[i], strlen(beginnings[i])) == 0) return true;
  return false;
}

static pl_status check_extensions(const pl_gltf *gltf) {
  const pl_json *required = pl_json_find(gltf->root, "extensionsRequired");
  if (required == NULL || required->kind != PL_JSON_ARRAY) return PL_OK;
  for (const pl_json *item = required->first; item != NULL; item = item->next) {
    const char *extension = "";
    if (!pl_json_get_text(item, &extension))
      return pl_json_fail(gltf->document, item, gltf->error, PL_ERROR_INVALID_DATA,
                          "the name of an extension is expected");
    if (is_harmless(extension)) continue;
    bool draco = strcmp(extension, "KHR_draco_mesh_compression") == 0;
    bool meshopt =
        strcmp(extension, "EXT_meshopt_compression") == 0 || strcmp(extension, "KHR_meshopt_compression") == 0;
    if ((meshopt && pl_meshopt_is_there()) || (draco && pl_draco_is_there())) continue;
    return pl_json_fail(gltf->document, item, gltf->error, PL_ERROR_UNSUPPORTED,
                        "the file needs the extension %.80s, which is not read%s%s", extension,
                        draco || meshopt ? ": export without compression, or unpack it in Blender by importing it and "
                                           "exporting it with Compression off"
                                         : "",
                        meshopt ? "; builds of Pliant with libmeshoptimizer-dev read it"
                        : draco ? "; builds of Pliant with libdraco-dev read it"
                                : "");
  }
  return PL_OK;
}

static pl_status prepare_buffers(pl_gltf *gltf) {
  const pl_json *buffers = pl_json_find(gltf->root, "buffers");
  gltf->buffer_count = buffers != NULL && buffers->kind == PL_JSON_ARRAY ? buffers->count : 0;
  gltf->buffers = PL_TAKE(&gltf->arena, pl_gltf_buffer, gltf->buffer_count);
  const pl_json *views = pl_json_find(gltf->root, "bufferViews");
  int64_t view_count = views != NULL && views->kind == PL_JSON_ARRAY ? views->count : 0;
  int64_t more = pl_gltf_count_unpacked(gltf);
  gltf->unpacked = PL_TAKE(&gltf->arena, pl_gltf_bytes, view_count + (more > 0 ? more : 0));
  return gltf->buffers == NULL || gltf->unpacked == NULL ? pl_fail_memory(gltf->error) : PL_OK;
}

static pl_status open_parts(pl_gltf *gltf, const unsigned char *bytes, size_t size) {
  text_range json = {(const char *)bytes, size};
  pl_status status = PL_OK;
  if (size >= 4 && little32(bytes) == GLB_MAGIC) status = open_container(gltf, bytes, size, &json);
  if (status >= 0)
    status = pl_json_parse(gltf->context, json.text, json.size, gltf->name, NULL, &gltf->document, gltf->error);
  if (status < 0) return status;
  gltf->root = gltf->document->root;
  status = check_version(gltf);
  if (status >= 0) status = check_extensions(gltf);
  if (status >= 0) status = prepare_buffers(gltf);
  if (status >= 0 && pl_gltf_count_unpacked(gltf) >= 0) status = pl_gltf_unpack_meshes(gltf);
  return status;
}

pl_status pl_gltf_open(pl_gltf *gltf, pl_context *context, const void *bytes, size_t size, const char *name,
                       const char *folder, pl_findings *findings, pl_error *error) {
  *gltf = (pl_gltf){
      .context = context, .name = name, .folder = folder, .findings = findings, .error = error, .byte_count = size};
  pl_arena_init(&gltf->arena, context, 0);
  pl_status status = open_parts(gltf, bytes, size);
  if (status < 0) pl_gltf_close(gltf);
  return status;
}

void pl_gltf_close(pl_gltf *gltf) {
  for (int32_t i = 0; gltf->buffers != NULL && i < gltf->buffer_count; ++i)
    if (gltf->buffers[i].file.data != NULL) pl_bytes_free(&gltf->buffers[i].file);
  gltf->buffers = NULL;
  pl_json_document_destroy(gltf->document);
  gltf->document = NULL;
  pl_arena_destroy(&gltf->arena);
}

pl_status pl_gltf_integer(const pl_gltf *gltf, const pl_json *object, const char *key, int64_t min, int64_t max,
                          int64_t *value) {
  const pl_json *member = pl_json_find(object, key);
  if (member == NULL) return PL_OK;
  int64_t found = 0;
  if (!pl_json_get_integer(member, &found) || found < min || found > max)
    return pl_json_fail(gltf->document, member, gltf->error, PL_ERROR_INVALID_DATA,
                        "an integer from %lld to %lld is expected", (long long)min, (long long)max);
  *value = found;
  return PL_OK;
}

pl_status pl_gltf_item(const pl_gltf *gltf, const pl_json *reference, const char *list, const pl_json **item) {
  const pl_json *array = pl_json_find(gltf->root, list);
  int64_t index = -1;
  if (!pl_json_get_integer(reference, &index))
    return pl_json_fail(gltf->document, reference, gltf->error, PL_ERROR_INVALID_DATA,
                        "the index of one of the %s is expected", list);
  *item = pl_json_at(array, index);
  if (*item == NULL || (*item)->kind != PL_JSON_OBJECT)
    return pl_json_fail(gltf->document, reference, gltf->error, PL_ERROR_INVALID_DATA, "there is no object %s[%lld]",
                        list, (long long)index);
  return PL_OK;
}
