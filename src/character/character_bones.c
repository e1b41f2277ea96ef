// The bones of a humanoid: those that VRM, VRM 0.x or a VRM animation lists; in other files those that the names of the
// nodes tell.
#include "character/character_parts.h"

static pl_status set_bone(pl_gltf *gltf, pl_character *c, const char *name, const pl_json *node) {
  int32_t bone = pl_humanoid_find(name), index = -1;
  if (bone < 0 || node == NULL) return PL_OK;
  pl_status status = pl_character_get_index(gltf, name, node, c->view.node_count, "node", &index);
  if (status >= 0) c->bones[bone] = index;
  return status;
}

// VRM 1.0 and VRM animations: an object of bones. VRM 0.x: a list of them.
static pl_status read_bones(pl_gltf *gltf, pl_character *c, const pl_json *bones) {
  pl_status status = PL_OK;
  for (const pl_json *it = pl_character_first(bones); status >= 0 && it != NULL; it = it->next) {
    const char *name = it->key;
    if (name == NULL && !pl_json_get_text(pl_json_find(it, "bone"), &name)) continue;
    status = set_bone(gltf, c, name, pl_json_find(it, "node"));
  }
  return status;
}

pl_status pl_character_read_humanoid(pl_gltf *gltf, pl_character *c) {
  static const char *const EXTENSIONS[] = {"VRMC_vrm", "VRM", "VRMC_vrm_animation"};
  for (int32_t i = 0; i < PL_HUMANOID_COUNT; ++i) c->bones[i] = -1;
  const pl_json *extensions = pl_json_find(gltf->root, "extensions");
  for (size_t i = 0; i < sizeof EXTENSIONS / sizeof *EXTENSIONS; ++i) {
    const pl_json *humanoid = pl_json_find(pl_json_find(extensions, EXTENSIONS[i]), "humanoid");
    if (humanoid != NULL) return read_bones(gltf, c, pl_json_find(humanoid, "humanBones"));
  }
  for (int32_t i = 0; i < c->view.node_count; ++i) {
    int32_t bone = pl_humanoid_guess(c->nodes[i].name);
    if (bone >= 0 && c->bones[bone] < 0) c->bones[bone] = i;
  }
  return PL_OK;
}
