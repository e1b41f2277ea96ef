// Primitives compressed by Draco, unpacked when a file is opened. Each unpacked attribute becomes a buffer view of its
// own at the end of the list, which the accessor then names; from there on the file is as one without compression.
// The views keep the extension as a mark until they are written into a copy of the file.
#include "io/gltf_unpack.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/gltf_draco.h"
#include "io/gltf_sheet.h"

static const char *const DRACO = "KHR_draco_mesh_compression";

typedef struct unpacking {
  pl_gltf *gltf;
  pl_sheet sheet;
  pl_json *primitive, *extension;
  pl_draco_mesh *mesh;
} unpacking;

static pl_status fail(const unpacking *u, const pl_json *place, pl_status status, const char *text) {
  return pl_json_fail(u->gltf->document, place, u->gltf->error, status, "%s", text);
}

// --- views --------------------------------------------------------------------------------------------------------

// A view of unpacked bytes for an accessor.
static pl_status add_view(unpacking *u, pl_json *accessor, unsigned char *bytes, size_t size, size_t stride) {
  pl_arena *arena = u->sheet.arena;
  pl_json *view = pl_sheet_add(&u->sheet, "bufferViews");
  pl_json_set_number(arena, view, "buffer", 0);
  pl_json_set_number(arena, view, "byteLength", (double)size);
  if (stride > 0) pl_json_set_number(arena, view, "byteStride", (double)stride);
  pl_json_set_number(arena, view, "target", stride > 0 ? PL_GLTF_VERTICES : PL_GLTF_INDICES);
  pl_json *mark = pl_json_set(arena, view, "extensions", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set(arena, mark, DRACO, pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, accessor, "bufferView", pl_sheet_index(view));
  pl_sheet_remove(accessor, "byteOffset");
  if (arena->failed) return pl_fail_memory(u->gltf->error);
  u->gltf->unpacked[view->index] = (pl_gltf_bytes){bytes, size};
  return PL_OK;
}

static size_t component_size(int64_t type) {
  return type == 5125 || type == 5126 ? 4 : type == 5122 || type == 5123 ? 2 : type == 5120 || type == 5121 ? 1 : 0;
}

static int32_t component_count(const pl_json *type) {
  static const char *const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  for (int32_t i = 0; i < 4; ++i)
    if (pl_json_is_text(type, names[i])) return i + 1;
  return 0;
}

// The accessor that `reference` names, with the count of the unpacked mesh.
static pl_status find_accessor(const unpacking *u, const pl_json *reference, int64_t count, pl_json **accessor) {
  const pl_json *found = NULL;
  int64_t own = -1;
  pl_status status = pl_gltf_item(u->gltf, reference, "accessors", &found);
  if (status >= 0) status = pl_gltf_integer(u->gltf, found, "count", 0, INT32_MAX, &own);
  if (status < 0) return status;
  if (own != count)
    return pl_json_fail(u->gltf->document, found, u->gltf->error, PL_ERROR_INVALID_DATA,
                        "the accessor has %lld elements, what was unpacked for it %lld", (long long)own,
                        (long long)count);
  *accessor = pl_sheet_member(u->sheet.root, "accessors")->first;
  while ((*accessor)->index != found->index) *accessor = (*accessor)->next;
  return PL_OK;
}

// What was unpacked is rounded, and so are its bounds.
static void set_bounds(unpacking *u, pl_json *accessor, const unsigned char *bytes, int64_t count, int32_t components) {
  double min[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}, max[4] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int64_t i = 0; i < count; ++i)
    for (int32_t k = 0; k < components; ++k) {
      float value;
      memcpy(&value, bytes + 4 * ((size_t)i * (size_t)components + (size_t)k), sizeof value);
      min[k] = fmin(min[k], (double)value);
      max[k] = fmax(max[k], (double)value);
    }
  if (count == 0 || !isfinite(min[0])) return;
  if (pl_json_find(accessor, "min") != NULL) pl_json_set_numbers(u->sheet.arena, accessor, "min", min, components);
  if (pl_json_find(accessor, "max") != NULL) pl_json_set_numbers(u->sheet.arena, accessor, "max", max, components);
}

static pl_status unpack_attribute(unpacking *u, const pl_json *reference, const pl_json *id) {
  pl_json *accessor = NULL;
  int64_t number = -1, type = 0, points = pl_draco_point_count(u->mesh);
  pl_status status = find_accessor(u, reference, points, &accessor);
  if (status >= 0) status = pl_gltf_integer(u->gltf, accessor, "componentType", 0, INT32_MAX, &type);
  if (status < 0) return status;
  int32_t components = component_count(pl_json_find(accessor, "type"));
  size_t size = component_size(type) * (size_t)components, stride = (size + 3) / 4 * 4;
  if (size == 0 || !pl_json_get_integer(id, &number) || number < 0 || number > UINT32_MAX)
    return fail(u, id, PL_ERROR_INVALID_DATA, "a compressed attribute needs an id, and an accessor with a type");
  unsigned char *bytes = PL_TAKE(&u->gltf->arena, unsigned char, points *(int64_t)stride);
  if (bytes == NULL) return pl_fail_memory(u->gltf->error);
  pl_draco_attribute attribute = {
      .id = (uint32_t)number, .component_type = (int32_t)type, .component_count = components, .stride = stride};
  if (!pl_draco_read_attribute(u->mesh, &attribute, bytes))
    return fail(u, id, PL_ERROR_INVALID_DATA,
                "the compressed mesh has no such attribute, or one with fewer components");
  if (type == PL_GLTF_FLOAT) set_bounds(u, accessor, bytes, points, components);
  return add_view(u, accessor, bytes, (size_t)points * stride, stride);
}

static pl_status unpack_indices(unpacking *u, const pl_json *reference) {
  pl_json *accessor = NULL;
  int64_t type = 0, count = 3 * pl_draco_triangle_count(u->mesh);
  pl_status status = find_accessor(u, reference, count, &accessor);
  if (status >= 0) status = pl_gltf_integer(u->gltf, accessor, "componentType", 0, INT32_MAX, &type);
  if (status < 0) return status;
  size_t size = component_size(type);
  if (size == 0 || (size < 4 && pl_draco_point_count(u->mesh) > (INT64_C(1) << 8 * size)))
    return fail(u, accessor, PL_ERROR_INVALID_DATA, "these indices are of a type that cannot hold their values");
  unsigned char *bytes = PL_TAKE(&u->gltf->arena, unsigned char, count *(int64_t)size);
  if (bytes == NULL) return pl_fail_memory(u->gltf->error);
  for (int64_t i = 0; i < count; ++i)
    pl_sheet_put(bytes + (size_t)i * size, pl_draco_corner(u->mesh, i / 3, (int)(i % 3)), (int)size);
  return add_view(u, accessor, bytes, (size_t)count * size, 0);
}

// --- primitives ---------------------------------------------------------------------------------------------------

static pl_status unpack_parts(unpacking *u) {
  const pl_json *ids = pl_json_find(u->extension, "attributes"), *indices = pl_json_find(u->primitive, "indices");
  const pl_json *attributes = pl_json_find(u->primitive, "attributes");
  int64_t points = pl_draco_point_count(u->mesh), triangles = pl_draco_triangle_count(u->mesh);
  // Real data shrink to a twentieth; a small file must not be able to ask for all the memory there is.
  if (points + triangles > (INT64_C(1) << 20) + 256 * (int64_t)u->gltf->byte_count)
    return fail(u, u->extension, PL_ERROR_INVALID_DATA, "the compressed mesh is too large; the file must be damaged");
  pl_status status = PL_OK;
  for (const pl_json *id = ids == NULL ? NULL : ids->first; id != NULL && status >= 0; id = id->next) {
    const pl_json *reference = id->key == NULL ? NULL : pl_json_find(attributes, id->key);
    if (reference == NULL) return fail(u, id, PL_ERROR_INVALID_DATA, "the primitive has no such attribute");
    status = unpack_attribute(u, reference, id);
  }
  if (status >= 0 && indices != NULL) status = unpack_indices(u, indices);
  return status;
}

static pl_status unpack_primitive(unpacking *u) {
  const pl_json *reference = pl_json_find(u->extension, "bufferView"), *view = NULL;
  if (reference == NULL) return fail(u, u->extension, PL_ERROR_INVALID_DATA, "bufferView is missing");
  pl_gltf_bytes bytes = {0};
  pl_status status = pl_gltf_item(u->gltf, reference, "bufferViews", &view);
  if (status >= 0) status = pl_gltf_load_view(u->gltf, view, &bytes);
  if (status < 0) return status;
  if (!pl_draco_is_there())
    return fail(u, u->extension, PL_ERROR_UNSUPPORTED,
                "this build cannot unpack Draco compression: export without it, or build Pliant with libdraco-dev");
  u->mesh = pl_draco_open(bytes.data, bytes.size);
  if (u->mesh == NULL)
    return fail(u, u->extension, PL_ERROR_INVALID_DATA,
                "this Draco-compressed mesh cannot be unpacked: it is damaged, or of a newer version of the format; "
                "export without compression");
  status = unpack_parts(u);
  pl_draco_close(u->mesh);
  u->mesh = NULL;
  return status;
}

// Whether the primitive comes without compression too: its positions have bytes of their own.
static bool has_fallback(const unpacking *u) {
  const pl_json *reference = pl_json_find(pl_json_find(u->primitive, "attributes"), "POSITION");
  int64_t index = -1;
  (void)pl_json_get_integer(reference, &index);
  return pl_json_find(pl_json_at(pl_json_find(u->gltf->root, "accessors"), index), "bufferView") != NULL;
}

static pl_json *find_extension(pl_json *primitive) {
  return pl_sheet_member(pl_sheet_member(primitive, "extensions"), DRACO);
}

// Number of views that the primitives of the file may add; -1 for none that is compressed.
int64_t pl_gltf_count_unpacked(const pl_gltf *gltf) {
  int64_t count = -1;
  const pl_json *meshes = pl_json_find(gltf->root, "meshes");
  for (const pl_json *mesh = meshes == NULL ? NULL : meshes->first; mesh != NULL; mesh = mesh->next) {
    const pl_json *primitives = pl_json_find(mesh, "primitives");
    for (const pl_json *primitive = primitives == NULL ? NULL : primitives->first; primitive != NULL;
         primitive = primitive->next) {
      const pl_json *extension = pl_json_find(pl_json_find(primitive, "extensions"), DRACO);
      const pl_json *ids = pl_json_find(extension, "attributes");
      if (extension != NULL) count += 2 + (ids == NULL ? 0 : ids->count);
    }
  }
  return count;
}

pl_status pl_gltf_unpack_meshes(pl_gltf *gltf) {
  unpacking u = {.gltf = gltf};
  u.sheet = (pl_sheet){.arena = &gltf->document->arena, .root = gltf->document->root};
  pl_json *meshes = pl_sheet_member(u.sheet.root, "meshes");
  pl_status status = pl_sheet_check_lists(&u.sheet, gltf->document, gltf->error);
  for (pl_json *mesh = status < 0 || meshes == NULL ? NULL : meshes->first; mesh != NULL; mesh = mesh->next) {
    pl_json *primitives = pl_sheet_member(mesh, "primitives");
    for (u.primitive = primitives == NULL ? NULL : primitives->first; u.primitive != NULL;
         u.primitive = u.primitive->next) {
      u.extension = find_extension(u.primitive);
      if (u.extension == NULL) continue;
      status = has_fallback(&u) ? PL_OK : unpack_primitive(&u);
      if (status < 0) return status;
      pl_json *extensions = pl_sheet_member(u.primitive, "extensions");
      pl_sheet_remove(extensions, DRACO);
      if (extensions->count == 0) pl_sheet_remove(u.primitive, "extensions");
    }
  }
  if (status < 0) return status;
  pl_sheet_remove_text(&u.sheet, "extensionsUsed", DRACO);
  pl_sheet_remove_text(&u.sheet, "extensionsRequired", DRACO);
  return pl_sheet_failed(&u.sheet) ? pl_fail_memory(gltf->error) : PL_OK;
}
