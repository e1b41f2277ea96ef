// Chains and colliders as VRMC_springBone 1.0, so that VRM viewers move the character in a plausible way.
//
// A spring is a row of nodes, each turned by the bone to the next; the numbers of a bone stand at the node it begins
// at, ours at the joint it ends at, so every entry carries those of the joint behind it (the last, which only ends a
// bone, its own). No node may be in two springs: in a chain with branches the first path takes the stem, and each
// further branch is a spring that begins at its own first joint.
#include "base/error.h"
#include "character/character_springs.h"
#include "character/character_write.h"
#include "pliant/math.h"

// --- colliders --------------------------------------------------------------------------------------------------

static pl_status add_collider(pl_draft *draft, pl_json *colliders, int32_t number) {
  const pl_rod_collider *collider = &draft->rod->colliders[number];
  if (collider->joint < 0 || collider->joint >= draft->rod->joint_count)
    return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "collider %d moves with joint %d, but there are %d", number,
                   collider->joint, draft->rod->joint_count);
  pl_character_collider shape;
  pl_status status = pl_springs_get_collider(collider, number, &shape, draft->error);
  if (status >= 0) pl_springs_add_collider(&draft->arena, colliders, &shape);
  return status;
}

// --- groups -----------------------------------------------------------------------------------------------------

typedef struct groups {
  pl_json *list;
  int32_t all;       // group of all colliders, -1 until needed
  int32_t *of_root;  // per joint that is the root of a chain: its group, -1 for none
} groups;

static const pl_rod_chain *find_chain(const pl_rod_def *rod, int32_t root) {
  for (int32_t i = 0; i < rod->chain_count; ++i)
    if (rod->chains[i].root == root) return &rod->chains[i];
  return NULL;
}

static pl_json *add_group(pl_draft *draft, groups *g, const char *name) {
  pl_json *group = pl_draft_add_object(draft, g->list);
  pl_json_set_text(&draft->arena, group, "name", name);
  return group;
}

static void group_all(pl_draft *draft, groups *g) {
  if (g->all >= 0) return;
  pl_json *group = add_group(draft, g, "all"), *list = pl_draft_set_list(draft, group, "colliders");
  for (int32_t i = 0; i < draft->rod->collider_count; ++i) pl_json_add(list, pl_json_new_number(&draft->arena, i));
  g->all = pl_sheet_index(group);
}

static pl_status group_chain(pl_draft *draft, groups *g, int32_t root) {
  const pl_rod_chain *chain = find_chain(draft->rod, root);
  g->of_root[root] = -1;
  if (draft->rod->collider_count == 0 || (chain != NULL && chain->collider_count == 0)) return PL_OK;
  if (chain == NULL || chain->collider_count < 0) {
    group_all(draft, g);
    g->of_root[root] = g->all;
    return PL_OK;
  }
  pl_json *group = add_group(draft, g, draft->names[root]), *list = pl_draft_set_list(draft, group, "colliders");
  for (int32_t i = 0; i < chain->collider_count; ++i) {
    int32_t number = chain->colliders[i];
    if (number < 0 || number >= draft->rod->collider_count)
      return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "the chain of \"%.60s\" meets collider %d, but there are %d",
                     draft->names[root], number, draft->rod->collider_count);
    pl_json_add(list, pl_json_new_number(&draft->arena, number));
  }
  g->of_root[root] = pl_sheet_index(group);
  return PL_OK;
}

// --- springs ----------------------------------------------------------------------------------------------------

// The spring that begins at `start`. Branches along its way are appended to `starts`.
static void add_spring(pl_draft *draft, const groups *g, pl_json *springs, int32_t start, pl_vector *starts) {
  int32_t root = draft->chain_roots[start];
  const pl_rod_chain *chain = find_chain(draft->rod, root);
  const char *name = start == root && chain != NULL && chain->name != NULL ? chain->name : draft->names[start];
  pl_json *spring = pl_draft_add_object(draft, springs);
  pl_json_set_text(&draft->arena, spring, "name", name);
  pl_json *list = pl_draft_set_list(draft, spring, "joints");
  for (int32_t joint = start; joint >= 0;) {
    int32_t next = pl_draft_passive_child(draft, draft->first_child[joint]);
    pl_springs_add_joint(&draft->arena, list, joint, &draft->rod->joints[next >= 0 ? next : joint]);
    if (next >= 0)
      for (int32_t branch = pl_draft_passive_child(draft, draft->next_sibling[next]); branch >= 0;
           branch = pl_draft_passive_child(draft, draft->next_sibling[branch]))
        pl_vector_push(starts, &branch);
    joint = next;
  }
  if (g->of_root[root] >= 0)
    pl_json_add(pl_draft_set_list(draft, spring, "colliderGroups"),
                pl_json_new_number(&draft->arena, g->of_root[root]));
  if (chain != NULL && chain->center >= 0) pl_json_set_number(&draft->arena, spring, "center", chain->center);
}

static pl_status check_chains(const pl_draft *draft) {
  const pl_rod_def *rod = draft->rod;
  for (int32_t i = 0; i < rod->chain_count; ++i) {
    int32_t root = rod->chains[i].root;
    if (root < 0 || root >= rod->joint_count || draft->chain_roots[root] != root)
      return pl_fail(draft->error, PL_ERROR_INVALID_DATA,
                     "entry %d of the chains names joint %d, which is not the root of a chain", i, root);
    if (rod->chains[i].center < -1 || rod->chains[i].center >= rod->joint_count)
      return pl_fail(draft->error, PL_ERROR_INVALID_DATA,
                     "the center of the chain of \"%.60s\" is joint %d, but there are %d", draft->names[root],
                     rod->chains[i].center, rod->joint_count);
  }
  return PL_OK;
}

static pl_status add_springs(pl_draft *draft, groups *g, pl_json *springs, pl_vector *starts) {
  for (int32_t root = 0; root < draft->rod->joint_count; ++root) {
    if (draft->chain_roots[root] != root) continue;
    pl_status status = group_chain(draft, g, root);
    if (status < 0) return status;
    starts->count = 0;
    pl_vector_push(starts, &root);
    for (size_t i = 0; i < starts->count; ++i) add_spring(draft, g, springs, PL_ITEM(starts, int32_t, i), starts);
  }
  return starts->failed ? pl_fail_memory(draft->error) : PL_OK;
}

pl_status pl_draft_add_springs(pl_draft *draft, pl_json *extensions) {
  pl_arena *arena = &draft->arena;
  pl_status status = check_chains(draft);
  if (status < 0) return status;
  groups g = {.list = pl_json_new(arena, PL_JSON_ARRAY), .all = -1};
  g.of_root = PL_TAKE(arena, int32_t, draft->rod->joint_count);
  pl_json *colliders = pl_json_new(arena, PL_JSON_ARRAY), *springs = pl_json_new(arena, PL_JSON_ARRAY);
  if (arena->failed) return pl_fail_memory(draft->error);
  for (int32_t i = 0; i < draft->rod->collider_count && status >= 0; ++i) status = add_collider(draft, colliders, i);
  if (status < 0) return status;
  pl_vector starts = pl_vector_of(draft->context, sizeof(int32_t));
  status = add_springs(draft, &g, springs, &starts);
  pl_vector_free(&starts);
  if (status < 0 || springs->count == 0) return status;
  pl_json *extension = pl_json_set(arena, extensions, "VRMC_springBone", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_text(arena, extension, "specVersion", "1.0");
  // Empty lists are left out: the schema wants none.
  if (colliders->count > 0) pl_json_set(arena, extension, "colliders", colliders);
  if (g.list->count > 0) pl_json_set(arena, extension, "colliderGroups", g.list);
  pl_json_set(arena, extension, "springs", springs);
  return PL_OK;
}
