// A motion baked into the file it was simulated for. The file's tree is kept as it is and grows at the ends of its
// lists: one buffer view with the key frames, their accessors, one animation. So every number that anything in the file
// refers to stays what it was, also in extensions that we have never heard of. Three things do change: buffer 0 becomes
// the GLB's own and longer, files next to a .gltf are included in the GLB, and a node with key frames that was placed
// by a matrix is placed by translation, rotation and scale, as the standard wants.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "character/character_bake_sheet.h"
#include "character/character_springs.h"
#include "io/gltf_embed.h"

typedef struct job {
  pl_gltf gltf;
  pl_character character;  // nodes and animations alone
  pl_character *whole;     // the same with its surface, for morph targets; NULL: not needed
  pl_bake bake;
  pl_sheet sheet;
  pl_gltf_buffer *first;  // buffer 0 of the source, NULL if it has none
  int32_t base;
  pl_error *error;
} job;

static void sample_base(void *user, double time, pl_transform *locals, pl_vec3 *scales) {
  const job *j = user;
  pl_character_sample_local(&j->character, j->base, time, locals, scales);
}

// Nodes, and with `base` the animations, without meshes.
static pl_status read_skeleton(job *j) {
  pl_character *c = &j->character;
  pl_status status = pl_character_read_nodes(&j->gltf, c);
  if (status < 0 || j->base < 0) return status;
  // No mesh is read, so no node has morph targets to be sampled; their channels are taken over as they are.
  c->target_start = PL_TAKE(&c->arena, int32_t, (size_t)c->view.node_count + 1);
  if (c->target_start == NULL) return pl_fail_memory(j->error);
  status = pl_character_read_animations(&j->gltf, c);
  if (status >= 0 && j->base >= c->view.animation_count)
    status = pl_fail_at(j->error, PL_ERROR_INVALID_ARGUMENT, j->gltf.name, 0, 0,
                        "animation %d is to play together with the motion, but there are %d", j->base,
                        c->view.animation_count);
  return status;
}

// Which morph targets the columns of the motion are.
static pl_status read_targets(job *j, const pl_bytes *bytes, const char *folder, const pl_character_motion *motion) {
  if (motion->morphs == NULL) return PL_OK;
  const pl_memory_source source = {bytes->data, bytes->size, j->gltf.name, folder};
  pl_status status = pl_character_load_memory(j->gltf.context, &source, &j->whole, NULL, j->error);
  if (status < 0) return status;
  const pl_mesh *surface = j->whole->view.surface;
  int32_t count = surface != NULL ? pl_mesh_get_view(surface).pose_count : 0;
  if (count != motion->morph_count)
    return pl_fail(j->error, PL_ERROR_INVALID_ARGUMENT,
                   "the motion has weights of %d morph targets, but the surface has %d", motion->morph_count, count);
  for (int64_t i = 0; i < (int64_t)motion->frame_count * count; ++i)
    if (!isfinite(motion->morphs[i]))
      return pl_fail(j->error, PL_ERROR_INVALID_ARGUMENT, "a weight of a morph target in frame %d is not finite",
                     (int)(i / count));
  return PL_OK;
}

static pl_status prepare_bake(job *j, const pl_character_motion *motion) {
  pl_character *c = &j->character;
  int32_t count = c->view.node_count;
  int32_t *parents = PL_TAKE(&c->arena, int32_t, count);
  const char **names = PL_TAKE(&c->arena, const char *, count);
  pl_transform *rest = PL_TAKE(&c->arena, pl_transform, count);
  pl_vec3 *scales = PL_TAKE(&c->arena, pl_vec3, count);
  if (c->arena.failed) return pl_fail_memory(j->error);
  for (int32_t i = 0; i < count; ++i) {
    parents[i] = c->nodes[i].parent;
    names[i] = c->nodes[i].name;
  }
  pl_character_sample_local(c, -1, 0, rest, scales);
  j->bake = (pl_bake){.node_count = count,
                      .parents = parents,
                      .names = names,
                      .rest = rest,
                      .rest_scales = scales,
                      .motion = motion,
                      .sample = j->base < 0 ? NULL : sample_base,
                      .sample_user = j,
                      .target_start = j->whole != NULL ? j->whole->target_start : NULL,
                      .pose_of_target = j->whole != NULL ? j->whole->pose_of_target : NULL};
  return pl_bake_prepare(&j->bake, &c->arena, j->error);
}

static void replace_matrices(job *j) {
  pl_arena *arena = j->sheet.arena;
  for (pl_json *node = pl_sheet_member(j->sheet.root, "nodes")->first; node != NULL; node = node->next) {
    if (j->bake.track_of_node[node->index] < 0 || pl_sheet_member(node, "matrix") == NULL) continue;
    pl_transform rest = j->bake.rest[node->index];
    pl_vec3 scale = j->bake.rest_scales[node->index];
    const double t[3] = {rest.position.x, rest.position.y, rest.position.z}, s[3] = {scale.x, scale.y, scale.z};
    const double r[4] = {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w};
    pl_sheet_remove(node, "matrix");
    pl_json_set_numbers(arena, node, "translation", t, 3);
    pl_json_set_numbers(arena, node, "rotation", r, 4);
    pl_json_set_numbers(arena, node, "scale", s, 3);
  }
}

static pl_status change_tree(job *j) {
  const pl_json *base = j->base < 0 ? NULL : pl_json_at(pl_json_find(j->gltf.root, "animations"), j->base);
  pl_status status = pl_sheet_embed(&j->sheet, &j->gltf, &j->first);
  if (status < 0) return status;
  replace_matrices(j);
  status = pl_sheet_add_animation(&j->sheet, &j->bake, j->gltf.document, base, j->error);
  if (status < 0) return status;
  pl_json *buffer = j->first != NULL ? pl_sheet_list(&j->sheet, "buffers")->first : pl_sheet_add(&j->sheet, "buffers");
  pl_json_set_number(j->sheet.arena, buffer, "byteLength", (double)(j->sheet.bytes_start + j->sheet.bytes.count));
  return pl_sheet_failed(&j->sheet) ? pl_fail_memory(j->error) : PL_OK;
}

static pl_status bake_bytes(pl_context *context, const pl_bytes *bytes, job *j, const char *source, const char *folder,
                            const char *path, const pl_character_motion *motion) {
  pl_status status = pl_gltf_open(&j->gltf, context, bytes->data, bytes->size, source, folder, NULL, j->error);
  if (status < 0) return status;
  j->character.context = context;
  pl_arena_init(&j->character.arena, context, 0);
  j->sheet =
      (pl_sheet){.arena = &j->gltf.document->arena, .root = j->gltf.document->root, .bytes = pl_vector_of(context, 1)};
  status = pl_sheet_check_lists(&j->sheet, j->gltf.document, j->error);
  if (status >= 0) status = read_skeleton(j);
  if (status >= 0) status = pl_character_add_parts(&j->gltf, &j->character, motion->additions);
  if (status >= 0) status = read_targets(j, bytes, folder, motion);
  if (status >= 0) status = prepare_bake(j, motion);
  if (status >= 0) status = change_tree(j);
  bool empty = status < 0 || j->first == NULL;
  if (status >= 0)
    status =
        pl_sheet_write(&j->sheet, context, empty ? NULL : j->first->data, empty ? 0 : j->first->size, path, j->error);
  pl_character_destroy(j->whole);
  pl_vector_free(&j->sheet.bytes);
  pl_arena_destroy(&j->character.arena);
  pl_gltf_close(&j->gltf);
  return status;
}

pl_status pl_character_bake(pl_context *context, const char *source, const char *path, int32_t base,
                            const pl_character_motion *motion, pl_error *error) {
  job j = {.base = base, .error = error};
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, source, &bytes, error);
  if (status < 0) return status;
  char *folder = pl_path_folder(context, source);
  status = folder == NULL ? pl_fail_memory(error) : bake_bytes(context, &bytes, &j, source, folder, path, motion);
  pl_release(context, folder);
  pl_bytes_free(&bytes);
  return status;
}
