// A skeleton of ours as a character file: joints become nodes in their order, the skin a skinned mesh
// (character_write_mesh), chains and colliders the spring bones that VRM viewers know (character_write_springs), and
// what only we know is stored next to them in an extension of our own (character_write_examples). The tree is built
// first and knows all sizes, so the file is written front to back in one go.
#include "character/character_write.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "pliant/math.h"

pl_character_save_def pl_default_character_save_def(void) {
  return (pl_character_save_def){.magic = PL_DEF_MAGIC};
}

// --- the skeleton -----------------------------------------------------------------------------------------------

static pl_status name_joints(pl_draft *draft) {
  for (int32_t i = 0; i < draft->rod->joint_count; ++i) {
    char number[32];
    snprintf(number, sizeof number, "joint %d", i);
    const char *name = draft->rod->joints[i].name;
    draft->names[i] = name != NULL ? name : pl_arena_copy_text(&draft->arena, number);
  }
  return draft->arena.failed ? pl_fail_memory(draft->error) : PL_OK;
}

static pl_status check_joint(const pl_draft *draft, int32_t i) {
  const pl_rod_joint *joint = &draft->rod->joints[i];
  pl_quat q = joint->rest.rotation;
  double square = pl_quat_dot(q, q);
  if (joint->parent < -1 || joint->parent >= draft->rod->joint_count)
    return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "the parent of joint \"%.60s\" is %d, but there are %d joints",
                   draft->names[i], joint->parent, draft->rod->joint_count);
  if (joint->parent == -1 && !joint->kinematic)
    return pl_fail(draft->error, PL_ERROR_INVALID_DATA,
                   "joint \"%.60s\" is passive and has no kinematic joint above it", draft->names[i]);
  if (!pl_vec3_is_finite(joint->rest.position) || !isfinite(square) || square < 1e-12)
    return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "the rest of joint \"%.60s\" is not finite, or no rotation",
                   draft->names[i]);
  return PL_OK;
}

// Parents before children, and the chain of each joint.
static pl_status order_joints(pl_draft *draft) {
  const pl_rod_joint *joints = draft->rod->joints;
  int32_t count = draft->rod->joint_count, listed = 0;
  for (int32_t i = 0; i < count; ++i)
    if (joints[i].parent < 0) draft->order[listed++] = i;
  for (int32_t i = 0; i < listed; ++i) {
    int32_t joint = draft->order[i], parent = joints[joint].parent;
    bool root = parent >= 0 && joints[parent].kinematic;
    draft->chain_roots[joint] = joints[joint].kinematic ? -1 : root ? joint : draft->chain_roots[parent];
    for (int32_t c = draft->first_child[joint]; c >= 0; c = draft->next_sibling[c]) draft->order[listed++] = c;
  }
  if (listed == count) return PL_OK;
  for (int32_t i = 0; i < listed; ++i) draft->chain_roots[draft->order[i]] = count;
  int32_t lost = 0;
  while (draft->chain_roots[lost] == count) lost++;
  return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "joint \"%.60s\" is in or below a cycle of parents",
                 draft->names[lost]);
}

static pl_status prepare_joints(pl_draft *draft) {
  const pl_rod_def *rod = draft->rod;
  size_t count = (size_t)rod->joint_count;
  draft->names = PL_TAKE(&draft->arena, const char *, count);
  draft->order = PL_TAKE(&draft->arena, int32_t, count);
  draft->chain_roots = PL_TAKE(&draft->arena, int32_t, count);
  draft->first_child = PL_TAKE(&draft->arena, int32_t, count);
  draft->next_sibling = PL_TAKE(&draft->arena, int32_t, count);
  if (draft->arena.failed) return pl_fail_memory(draft->error);
  pl_status status = name_joints(draft);
  for (int32_t i = 0; i < rod->joint_count && status >= 0; ++i) status = check_joint(draft, i);
  if (status < 0) return status;
  for (int32_t i = 0; i < rod->joint_count; ++i) draft->first_child[i] = -1;
  for (int32_t i = rod->joint_count - 1; i >= 0; --i) {
    int32_t parent = rod->joints[i].parent;
    draft->next_sibling[i] = parent < 0 ? -1 : draft->first_child[parent];
    if (parent >= 0) draft->first_child[parent] = i;
  }
  return order_joints(draft);
}

int32_t pl_draft_passive_child(const pl_draft *draft, int32_t child) {
  while (child >= 0 && draft->rod->joints[child].kinematic) child = draft->next_sibling[child];
  return child;
}

// --- JSON -------------------------------------------------------------------------------------------------------

pl_json *pl_draft_set_list(pl_draft *draft, pl_json *object, const char *key) {
  return pl_json_set(&draft->arena, object, key, pl_json_new(&draft->arena, PL_JSON_ARRAY));
}

pl_json *pl_draft_add_object(pl_draft *draft, pl_json *list) {
  return pl_json_add(list, pl_json_new(&draft->arena, PL_JSON_OBJECT));
}

void pl_draft_set_vector(pl_draft *draft, pl_json *object, const char *key, pl_vec3 vector) {
  const double numbers[3] = {vector.x, vector.y, vector.z};
  pl_json_set_numbers(&draft->arena, object, key, numbers, 3);
}

void pl_draft_set_rotation(pl_draft *draft, pl_json *object, const char *key, pl_quat rotation) {
  const double numbers[4] = {rotation.x, rotation.y, rotation.z, rotation.w};
  pl_json_set_numbers(&draft->arena, object, key, numbers, 4);
}

static pl_transform unit_placement(pl_transform placement) {
  return (pl_transform){placement.position, pl_quat_normalize(placement.rotation)};
}

static pl_transform local_rest(const pl_draft *draft, int32_t i) {
  const pl_rod_joint *joint = &draft->rod->joints[i];
  pl_transform rest = unit_placement(joint->rest);
  if (joint->parent < 0) return rest;
  pl_transform above = unit_placement(draft->rod->joints[joint->parent].rest);
  return (pl_transform){pl_transform_apply_inverse(above, rest.position),
                        pl_quat_normalize(pl_quat_multiply(pl_quat_conjugate(above.rotation), rest.rotation))};
}

// Nodes: the joints, then the mesh. A skin's joints must have a common root, so where the skeleton has several a node
// is put above them.
static void add_nodes(pl_draft *draft, const char *mesh_name) {
  pl_arena *arena = &draft->arena;
  int32_t count = draft->rod->joint_count, root_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    pl_json *node = pl_sheet_add(&draft->sheet, "nodes");
    pl_transform local = local_rest(draft, i);
    pl_json_set_text(arena, node, "name", draft->names[i]);
    pl_draft_set_vector(draft, node, "translation", local.position);
    pl_draft_set_rotation(draft, node, "rotation", local.rotation);
    pl_json *children = draft->first_child[i] < 0 ? NULL : pl_draft_set_list(draft, node, "children");
    for (int32_t c = draft->first_child[i]; c >= 0; c = draft->next_sibling[c])
      pl_json_add(children, pl_json_new_number(arena, c));
    root_count += draft->rod->joints[i].parent < 0 ? 1 : 0;
  }
  pl_json *mesh = pl_sheet_add(&draft->sheet, "nodes");
  pl_json_set_text(arena, mesh, "name", mesh_name);
  pl_json_set_number(arena, mesh, "mesh", 0);
  pl_json_set_number(arena, mesh, "skin", 0);
  pl_json *list = pl_draft_set_list(draft, pl_sheet_add(&draft->sheet, "scenes"), "nodes");
  if (root_count > 1) {
    pl_json *skeleton = pl_sheet_add(&draft->sheet, "nodes");
    pl_json_set_text(arena, skeleton, "name", "skeleton");
    pl_json_add(list, pl_json_new_number(arena, count + 1));
    pl_json_add(list, pl_json_new_number(arena, count));
    list = pl_draft_set_list(draft, skeleton, "children");
  }
  for (int32_t i = 0; i < count; ++i)
    if (draft->rod->joints[i].parent < 0) pl_json_add(list, pl_json_new_number(arena, i));
  if (root_count == 1) pl_json_add(list, pl_json_new_number(arena, count));
}

static pl_status add_motion(pl_draft *draft) {
  const pl_character_motion *motion = draft->def->motion;
  if (motion == NULL) return PL_OK;
  int32_t count = draft->rod->joint_count;
  int32_t *parents = PL_TAKE(&draft->arena, int32_t, count);
  pl_transform *rest = PL_TAKE(&draft->arena, pl_transform, count);
  pl_vec3 *scales = PL_TAKE(&draft->arena, pl_vec3, count);
  if (draft->arena.failed) return pl_fail_memory(draft->error);
  for (int32_t i = 0; i < count; ++i) {
    parents[i] = draft->rod->joints[i].parent;
    rest[i] = local_rest(draft, i);
    scales[i] = (pl_vec3){1, 1, 1};
  }
  pl_bake bake = {.node_count = count,
                  .parents = parents,
                  .names = draft->names,
                  .rest = rest,
                  .rest_scales = scales,
                  .motion = motion};
  pl_status status = pl_bake_prepare(&bake, &draft->arena, draft->error);
  return status < 0 ? status : pl_sheet_add_animation(&draft->sheet, &bake, NULL, NULL, draft->error);
}

static pl_status build_tree(pl_draft *draft) {
  pl_arena *arena = &draft->arena;
  pl_json *root = draft->sheet.root = pl_json_new(arena, PL_JSON_OBJECT);
  const char *mesh_name = draft->def->name != NULL ? draft->def->name : "character";
  char generator[64];
  snprintf(generator, sizeof generator, "pliant %s", pl_version());
  pl_json *asset = pl_json_set(arena, root, "asset", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_text(arena, asset, "version", "2.0");
  pl_json_set_text(arena, asset, "generator", generator);
  pl_json *used = pl_draft_set_list(draft, root, "extensionsUsed");
  pl_json_set_number(arena, root, "scene", 0);
  add_nodes(draft, mesh_name);
  pl_status status = pl_draft_add_mesh(draft);
  if (status >= 0) status = add_motion(draft);
  pl_json *extensions = pl_json_set(arena, root, "extensions", pl_json_new(arena, PL_JSON_OBJECT));
  if (status >= 0) status = pl_draft_add_springs(draft, extensions);
  if (status >= 0) status = pl_draft_add_examples(draft, extensions);
  if (status < 0) return status;
  for (const pl_json *item = extensions == NULL ? NULL : extensions->first; item != NULL; item = item->next)
    pl_json_add(used, pl_json_new_text(arena, item->key));
  pl_json_set_number(arena, pl_sheet_add(&draft->sheet, "buffers"), "byteLength", (double)draft->sheet.bytes.count);
  return pl_sheet_failed(&draft->sheet) ? pl_fail_memory(draft->error) : PL_OK;
}

static pl_status check_def(const pl_character_save_def *def, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_character_save_def", error);
  if (status < 0) return status;
  if (def->rod == NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "there is no rod to write");
  status = pl_check_def(def->rod->magic, "pl_rod_def", error);
  if (status < 0) return status;
  if (def->rod->joint_count < 1 || def->rod->joints == NULL)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the rod has no joints");
  if (def->rod->skin.surface == NULL)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "a skin is needed: give the rod's def a surface, such as the tubes that its model shows");
  if (def->rod->joint_count > UINT16_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%d joints are more than a glTF skin can number",
                   def->rod->joint_count);
  return PL_OK;
}

pl_status pl_character_save(pl_context *context, const pl_character_save_def *def, const char *path, pl_error *error) {
  pl_status status = check_def(def, error);
  if (status < 0) return status;
  pl_draft draft = {.context = context, .def = def, .rod = def->rod, .error = error};
  pl_arena_init(&draft.arena, context, 0);
  draft.sheet = (pl_sheet){.arena = &draft.arena, .bytes = pl_vector_of(context, 1)};
  status = prepare_joints(&draft);
  if (status >= 0) status = build_tree(&draft);
  if (status >= 0) status = pl_sheet_write(&draft.sheet, context, NULL, 0, path, error);
  pl_vector_free(&draft.sheet.bytes);
  pl_arena_destroy(&draft.arena);
  return status;
}
