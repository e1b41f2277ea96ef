// Which nodes are simulated. The joints of springs are, and with them every node between two of them: VRM lets springs
// leave nodes out, which then are rigid with the joint above them, while a chain of ours has no rigid middle.
#include "base/error.h"
#include "character/character_parts.h"

// Where findings about spring `number` point to; -1: about several. Groups of VRM 0.x are not springs one to one.
static const pl_json *index_of_spring(const pl_gltf *gltf, int32_t number) {
  const pl_json *extensions = pl_json_find(gltf->root, "extensions");
  const pl_json *springs = pl_json_find(pl_json_find(extensions, "VRMC_springBone"), "springs");
  if (number >= 0 && pl_json_at(springs, number) != NULL) return pl_json_at(springs, number);
  if (springs == NULL)
    springs = pl_json_find(pl_json_find(pl_json_find(extensions, "VRM"), "secondaryAnimation"), "boneGroups");
  return springs != NULL ? springs : gltf->root;
}

static pl_status take_joints(const pl_gltf *gltf, pl_character *c, int32_t number) {
  const pl_character_spring *spring = &c->springs[number];
  const pl_json *json_node = index_of_spring(gltf, number);
  for (int32_t i = 0; i < spring->joint_count; ++i) {
    int32_t node = spring->joints[i].node;
    bool turns = i + 1 < spring->joint_count || spring->has_tail;
    // Ends of one spring may be the beginning of the next; two springs that turn the same node contradict each other.
    if (c->numbers[node] != NULL && turns) {
      pl_status status = pl_character_warn(
          gltf, json_node, "shared-joint", "the numbers of the first count", "let each spring have its own joints",
          "node \"%.80s\" is a joint of spring \"%.80s\" and of another before it", c->nodes[node].name, spring->name);
      if (status < 0) return status;
    }
    if (turns && c->numbers[node] == NULL) c->numbers[node] = &spring->joints[i];
    c->is_passive[node] = true;
  }
  return PL_OK;
}

// A spring of one joint has no bone of its own. In files of ours it is the last bit of a branch, and its bone begins at
// the joint above it.
static pl_status take_single(const pl_gltf *gltf, pl_character *c, int32_t number) {
  const pl_character_spring *spring = &c->springs[number];
  bool ours = pl_json_find(pl_json_find(gltf->root, "extensions"), "PLIANT_rod_examples") != NULL;
  int32_t parent = spring->joint_count == 0 ? -1 : c->nodes[spring->joints[0].node].parent;
  if (ours && parent >= 0 && c->is_passive[parent]) {
    c->is_used[number] = true;
    return take_joints(gltf, c, number);
  }
  return pl_character_warn(gltf, index_of_spring(gltf, number), "short-spring",
                           "a bone needs two ends, so nothing moves", "add the joint where it ends",
                           "spring \"%.80s\" has fewer than two joints", spring->name);
}

// Children before parents: whether something passive lies below a node, to be met by something passive above it.
static pl_status fill_gaps(pl_gltf *gltf, pl_character *c) {
  int32_t count = c->view.node_count;
  bool *has_passive_below = PL_TAKE(&gltf->arena, bool, count), *has_passive_above = PL_TAKE(&gltf->arena, bool, count);
  if (has_passive_below == NULL || has_passive_above == NULL) return pl_fail_memory(gltf->error);
  for (int32_t k = count - 1; k >= 0; --k) {
    int32_t i = c->order[k], parent = c->nodes[i].parent;
    if (parent >= 0 && (c->is_passive[i] || has_passive_below[i])) has_passive_below[parent] = true;
  }
  for (int32_t k = 0; k < count; ++k) {
    int32_t i = c->order[k], parent = c->nodes[i].parent;
    has_passive_above[i] = parent >= 0 && (c->is_passive[parent] || has_passive_above[parent]);
    if (c->is_passive[i] || !has_passive_above[i] || !has_passive_below[i]) continue;
    c->is_passive[i] = true;
    pl_status status = pl_character_warn(
        gltf, index_of_spring(gltf, -1), "skipped-node", "it is simulated with the numbers of the joint above it",
        "add it to the spring's joints, or remove it", "node \"%.80s\" lies between joints of springs, but is none",
        c->nodes[i].name);
    if (status < 0) return status;
  }
  return PL_OK;
}

static pl_status check_colliders(const pl_gltf *gltf, const pl_character *c) {
  for (int32_t i = 0; i < c->view.collider_count; ++i) {
    int32_t node = c->view.colliders[i].node;
    while (node >= 0 && !c->is_passive[node]) node = c->nodes[node].parent;
    if (node < 0) continue;
    pl_status status = pl_character_warn(
        gltf, index_of_spring(gltf, -1), "swaying-collider",
        "colliders do not sway: it is held by the node above the chain", "attach it to a node that no spring moves",
        "collider %d hangs on the chain of node \"%.80s\"", i, c->nodes[pl_character_chain_root(c, node)].name);
    if (status < 0) return status;
  }
  return PL_OK;
}

pl_status pl_character_find_chains(pl_gltf *gltf, pl_character *character) {
  pl_character *c = character;
  c->is_passive = PL_TAKE(&c->arena, bool, c->view.node_count);
  c->numbers = PL_TAKE(&c->arena, const pl_character_spring_joint *, c->view.node_count);
  c->is_used = PL_TAKE(&c->arena, bool, c->view.spring_count);
  if (c->is_passive == NULL || c->numbers == NULL || c->is_used == NULL) return pl_fail_memory(gltf->error);
  pl_status status = PL_OK;
  for (int32_t i = 0; i < c->view.spring_count && status >= 0; ++i) {
    c->is_used[i] = c->springs[i].joint_count + (c->springs[i].has_tail ? 1 : 0) >= 2;
    if (c->is_used[i]) status = take_joints(gltf, c, i);
  }
  for (int32_t i = 0; i < c->view.spring_count && status >= 0; ++i)
    if (!c->is_used[i]) status = take_single(gltf, c, i);
  if (status >= 0) status = fill_gaps(gltf, c);
  if (status >= 0) status = check_colliders(gltf, c);
  return status;
}

int32_t pl_character_chain_root(const pl_character *character, int32_t node) {
  for (;;) {
    int32_t parent = character->nodes[node].parent;
    if (parent < 0 || !character->is_passive[parent]) return node;
    node = parent;
  }
}
