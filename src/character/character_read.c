// Characters out of glTF, GLB and VRM files, part after part: nodes, surface with its skin, animations, springs,
// example poses.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "character/character_springs.h"
#include "io/file_bytes.h"

static pl_status read_springs(pl_gltf *gltf, pl_character *c) {
  const pl_json *extensions = pl_json_find(gltf->root, "extensions");
  const pl_json *newer = pl_json_find(extensions, "VRMC_springBone"), *older = pl_json_find(extensions, "VRM");
  pl_status status = PL_OK;
  if (newer != NULL)
    status = pl_character_read_vrm1(gltf, c, newer);
  else if (older != NULL)
    status = pl_character_read_vrm0(gltf, c, older);
  if (status >= 0) status = pl_character_read_tails(gltf, c);
  if (status >= 0) status = pl_character_find_chains(gltf, c);
  c->view.springs = c->springs;
  return status;
}

static pl_status read_parts(pl_gltf *gltf, pl_character *c, const pl_character_additions *additions) {
  pl_status status = pl_character_read_nodes(gltf, c);
  if (status >= 0) status = pl_character_add_parts(gltf, c, additions);
  if (status >= 0) status = pl_character_read_surface(gltf, c);
  if (status >= 0) status = pl_character_read_animations(gltf, c);
  if (status >= 0) status = pl_character_read_humanoid(gltf, c);
  if (status >= 0) status = pl_character_read_expressions(gltf, c);
  if (status >= 0) status = pl_character_read_gaze(gltf, c);
  if (status >= 0) status = read_springs(gltf, c);
  if (status >= 0) status = pl_character_read_examples(gltf, c);
  const pl_json *extensions = pl_json_find(gltf->root, "extensions");
  c->view.is_vrm = pl_json_find(extensions, "VRMC_vrm") != NULL || pl_json_find(extensions, "VRM") != NULL;
  return status;
}

// Springs without numbers of ours move as their own specification has them.
static pl_rod_def spring_bone_def(void) {
  pl_rod_def def = pl_default_rod_def();
  def.solver = PL_ROD_SPRING_BONE;
  return def;
}

static pl_status create(pl_context *context, pl_character **character, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  *character = PL_TAKE(&arena, pl_character, 1);
  if (*character == NULL) return pl_fail_memory(error);
  (*character)->context = context;
  (*character)->arena = arena;
  (*character)->rod = spring_bone_def();
  return PL_OK;
}

static pl_status read_source(pl_context *context, const pl_memory_source *source,
                             const pl_character_additions *additions, pl_character **character, pl_findings *findings,
                             pl_error *error) {
  pl_gltf gltf;
  pl_status status =
      pl_gltf_open(&gltf, context, source->bytes, source->size, source->name, source->folder, findings, error);
  if (status < 0) return status;
  pl_character *made = NULL;
  status = create(context, &made, error);
  if (status >= 0) status = read_parts(&gltf, made, additions);
  pl_gltf_close(&gltf);
  if (status < 0) {
    pl_character_destroy(made);
    return status;
  }
  *character = made;
  return PL_OK;
}

pl_status pl_character_load_with(pl_context *context, const char *path, const pl_character_additions *additions,
                                 pl_character **character, pl_findings *findings, pl_error *error) {
  *character = NULL;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  char *folder = pl_path_folder(context, path);
  pl_memory_source source = {.bytes = bytes.data, .size = bytes.size, .name = path, .folder = folder};
  status =
      folder == NULL ? pl_fail_memory(error) : read_source(context, &source, additions, character, findings, error);
  pl_release(context, folder);
  pl_bytes_free(&bytes);
  return status;
}

pl_status pl_character_load(pl_context *context, const char *path, pl_character **character, pl_findings *findings,
                            pl_error *error) {
  return pl_character_load_with(context, path, NULL, character, findings, error);
}

pl_status pl_character_load_memory(pl_context *context, const pl_memory_source *source, pl_character **character,
                                   pl_findings *findings, pl_error *error) {
  *character = NULL;
  return read_source(context, source, NULL, character, findings, error);
}

void pl_character_destroy(pl_character *character) {
  if (character == NULL) return;
  pl_mesh_destroy(character->surface);
  pl_arena_destroy(&character->arena);
}

pl_character_view pl_character_get_view(const pl_character *character) {
  return character->view;
}

int32_t pl_character_find_animation(const pl_character *character, const char *name) {
  for (int32_t i = 0; i < character->view.animation_count; ++i)
    if (strcmp(character->view.animations[i].name, name) == 0) return i;
  return -1;
}

int32_t pl_character_find_node(const pl_character *character, const char *name) {
  for (int32_t i = 0; i < character->view.node_count; ++i)
    if (strcmp(character->nodes[i].name, name) == 0) return i;
  // Of several nodes with one name each has a number.
  int number = -1;
  char more;
  bool is_number = sscanf(name, "node %9d%c", &number, &more) == 1;
  return is_number && number >= 0 && number < character->view.node_count ? number : -1;
}
