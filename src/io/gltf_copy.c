// A glTF file copied whole into a GLB file: buffers and pictures in other files are taken in, and where it is scaled a
// node above all others does so. Nothing else changes.
#include "base/context.h"
#include "base/error.h"
#include "io/gltf_embed.h"
#include "pliant/mesh_file.h"

// Put a node with this scale above the nodes of every scene.
static void scale_scenes(pl_sheet *sheet, double scale) {
  pl_json *scenes = pl_sheet_member(sheet->root, "scenes");
  for (pl_json *scene = scenes == NULL ? NULL : scenes->first; scene != NULL; scene = scene->next) {
    pl_json *roots = pl_sheet_member(scene, "nodes");
    if (roots == NULL || roots->kind != PL_JSON_ARRAY) continue;
    pl_json *node = pl_sheet_add(sheet, "nodes");
    const double factors[3] = {scale, scale, scale};
    pl_json_set_text(sheet->arena, node, "name", "scale");
    pl_json_set_numbers(sheet->arena, node, "scale", factors, 3);
    pl_json_set(sheet->arena, node, "children", pl_sheet_copy(sheet, roots));
    const double number = pl_sheet_index(node);
    pl_json_set_numbers(sheet->arena, scene, "nodes", &number, 1);
  }
}

static pl_status copy_bytes(pl_context *context, const pl_bytes *bytes, const char *from, const char *folder,
                            const char *to, double scale, pl_error *error) {
  pl_gltf gltf;
  pl_status status = pl_gltf_open(&gltf, context, bytes->data, bytes->size, from, folder, NULL, error);
  if (status < 0) return status;
  pl_sheet sheet = {.arena = &gltf.document->arena, .root = gltf.document->root, .bytes = pl_vector_of(context, 1)};
  pl_gltf_buffer *first = NULL;
  status = pl_sheet_check_lists(&sheet, gltf.document, error);
  if (status >= 0) status = pl_sheet_embed(&sheet, &gltf, &first);
  if (status >= 0 && scale != 1) scale_scenes(&sheet, scale);
  if (status >= 0 && (first != NULL || sheet.bytes.count > 0))
    pl_json_set_number(sheet.arena,
                       first != NULL ? pl_sheet_list(&sheet, "buffers")->first : pl_sheet_add(&sheet, "buffers"),
                       "byteLength", (double)(sheet.bytes_start + sheet.bytes.count));
  if (status >= 0 && pl_sheet_failed(&sheet)) status = pl_fail_memory(error);
  if (status >= 0)
    status =
        pl_sheet_write(&sheet, context, first == NULL ? NULL : first->data, first == NULL ? 0 : first->size, to, error);
  pl_vector_free(&sheet.bytes);
  pl_gltf_close(&gltf);
  return status;
}

pl_status pl_mesh_file_copy_gltf(pl_context *context, const char *from, const char *to, double scale, pl_error *error) {
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, from, &bytes, error);
  if (status < 0) return status;
  char *folder = pl_path_folder(context, from);
  status = folder == NULL ? pl_fail_memory(error) : copy_bytes(context, &bytes, from, folder, to, scale, error);
  pl_release(context, folder);
  pl_bytes_free(&bytes);
  return status;
}
