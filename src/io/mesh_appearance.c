// What a mesh file holds that a mesh does not: counted, so that a program can say what is lost.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/gltf_document.h"
#include "pliant/mesh_file.h"

static int32_t count_items(const pl_json *root, const char *key) {
  const pl_json *list = pl_json_find(root, key);
  return list != NULL && list->kind == PL_JSON_ARRAY ? list->count : 0;
}

static bool begins_with(const pl_json *member, const char *beginning) {
  size_t length = strlen(beginning);
  return (size_t)member->key_length >= length && memcmp(member->key, beginning, length) == 0;
}

static void add_primitive(const pl_json *primitive, pl_mesh_appearance *found) {
  const pl_json *attributes = pl_json_find(primitive, "attributes");
  for (const pl_json *item = attributes == NULL ? NULL : attributes->first; item != NULL; item = item->next) {
    found->normals = found->normals || begins_with(item, "NORMAL");
    found->texture_coordinates = found->texture_coordinates || begins_with(item, "TEXCOORD_");
  }
}

static pl_status read_gltf(pl_context *context, const pl_bytes *bytes, const char *path, pl_mesh_appearance *found,
                           pl_error *error) {
  pl_gltf gltf;
  pl_status status = pl_gltf_open(&gltf, context, bytes->data, bytes->size, path, NULL, NULL, error);
  if (status < 0) return status;
  found->material_count = count_items(gltf.root, "materials");
  found->skin_count = count_items(gltf.root, "skins");
  found->animation_count = count_items(gltf.root, "animations");
  const pl_json *meshes = pl_json_find(gltf.root, "meshes");
  for (const pl_json *mesh = meshes == NULL ? NULL : meshes->first; mesh != NULL; mesh = mesh->next) {
    const pl_json *primitives = pl_json_find(mesh, "primitives");
    for (const pl_json *item = primitives == NULL ? NULL : primitives->first; item != NULL; item = item->next)
      add_primitive(item, found);
  }
  pl_gltf_close(&gltf);
  return PL_OK;
}

// Statements at the beginning of lines.
static void read_obj(const pl_bytes *bytes, pl_mesh_appearance *found) {
  const char *text = (const char *)bytes->data, *end = text + bytes->size;
  for (const char *line = text; line < end;) {
    size_t left = (size_t)(end - line);
    found->normals = found->normals || (left > 3 && memcmp(line, "vn ", 3) == 0);
    found->texture_coordinates = found->texture_coordinates || (left > 3 && memcmp(line, "vt ", 3) == 0);
    if (left > 7 && memcmp(line, "usemtl ", 7) == 0) found->material_count++;
    const char *next = memchr(line, '\n', left);
    line = next == NULL ? end : next + 1;
  }
}

pl_status pl_mesh_file_get_appearance(pl_context *context, const char *path, pl_mesh_appearance *appearance,
                                      pl_error *error) {
  *appearance = (pl_mesh_appearance){0};
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  appearance->format = pl_mesh_format_detect(bytes.data, bytes.size);
  if (appearance->format == PL_MESH_FORMAT_GLB || appearance->format == PL_MESH_FORMAT_GLTF)
    status = read_gltf(context, &bytes, path, appearance, error);
  else if (appearance->format == PL_MESH_FORMAT_OBJ)
    read_obj(&bytes, appearance);
  pl_bytes_free(&bytes);
  return status;
}
