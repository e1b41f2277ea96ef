// Skins of glTF: joints and the inverses of their bind placements.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "character/character_parts.h"

static pl_status get_joints(pl_gltf *gltf, const pl_character *c, const char *what, const pl_json *json,
                            pl_character_skin *skin) {
  const pl_json *list = NULL;
  pl_status status = pl_character_get_array(gltf, what, json, "joints", &list);
  if (status < 0) return status;
  if (list == NULL || list->count == 0)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA, "%s has no joints", what);
  int32_t *joints = PL_TAKE(&gltf->arena, int32_t, list->count);
  if (joints == NULL) return pl_fail_memory(gltf->error);
  for (const pl_json *item = list->first; item != NULL && status >= 0; item = item->next)
    status = pl_character_get_index(gltf, what, item, c->view.node_count, "node", &joints[item->index]);
  skin->joints = joints;
  skin->joint_count = list->count;
  return status;
}

static pl_status read_inverse(pl_gltf *gltf, const char *what, const pl_json *reference, pl_character_skin *skin) {
  pl_gltf_accessor accessor = {.count = skin->joint_count};
  if (reference != NULL) {
    pl_status status = pl_gltf_open_matrices(gltf, reference, &accessor);
    if (status < 0) return status;
  }
  if (accessor.count < skin->joint_count)
    return pl_json_fail(gltf->document, reference, gltf->error, PL_ERROR_INVALID_DATA,
                        "%s has %d joints, but %d inverse bind matrices", what, skin->joint_count, accessor.count);
  // Only data that is there can be longer than the list of joints.
  if (accessor.count > skin->joint_count && accessor.data == NULL) accessor.count = skin->joint_count;
  double *inverse = PL_TAKE(&gltf->arena, double, 16 * (size_t)accessor.count);
  if (inverse == NULL) return pl_fail_memory(gltf->error);
  if (reference == NULL) {
    for (int32_t i = 0; i < skin->joint_count; ++i)
      for (int k = 0; k < 16; k += 5) inverse[16 * i + k] = 1;
  } else {
    pl_status status = pl_gltf_read_doubles(gltf, &accessor, inverse);
    if (status < 0) return status;
  }
  for (int64_t i = 0; i < 16 * (int64_t)skin->joint_count; ++i)
    if (!isfinite(inverse[i]))
      return pl_json_fail(gltf->document, reference, gltf->error, PL_ERROR_INVALID_DATA,
                          "%s: the inverse bind matrix of joint %d is not finite", what, (int)(i / 16));
  skin->inverse = inverse;
  return PL_OK;
}

pl_status pl_character_read_skin(pl_gltf *gltf, const pl_character *character, int32_t node, const pl_json *reference,
                                 pl_character_skin *skin) {
  const pl_json *skins = pl_json_find(gltf->root, "skins");
  pl_character_label what;
  snprintf(what, sizeof what, "the mesh of node \"%.100s\"", character->nodes[node].name);
  int32_t index = -1, count = skins != NULL && skins->kind == PL_JSON_ARRAY ? skins->count : 0;
  pl_status status = pl_character_get_index(gltf, what, reference, count, "skin", &index);
  if (status < 0) return status;
  *skin = (pl_character_skin){.json = pl_json_at(skins, index)};
  const char *name = NULL;
  if (pl_json_get_text(pl_json_find(skin->json, "name"), &name) && name[0] != '\0')
    snprintf(what, sizeof what, "skin \"%.100s\"", name);
  else
    snprintf(what, sizeof what, "skin %d", index);
  status = get_joints(gltf, character, what, skin->json, skin);
  if (status >= 0) status = read_inverse(gltf, what, pl_json_find(skin->json, "inverseBindMatrices"), skin);
  return status;
}
