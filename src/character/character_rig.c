// A character as a skeleton. Passive nodes become passive joints, each with the numbers of the bone that ends there; of
// the others only those are kinematic joints that a chain, a collider or the skin hangs on. Nodes below a chain that
// belong to no spring are rigid with the joint above them, so what they carry of the skin is handed up.
#include "character/character_rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "pliant/math.h"

static pl_status fail(const pl_character_rig *rig, const char *spring, const char *text, int32_t node) {
  return pl_fail(rig->error, PL_ERROR_INVALID_DATA, "spring \"%.100s\" cannot be a chain: node \"%.100s\" %s", spring,
                 rig->character->nodes[node].name, text);
}

static pl_status check_springs(const pl_character_rig *rig) {
  const pl_character *c = rig->character;
  for (int32_t i = 0; i < c->view.spring_count; ++i) {
    const pl_character_spring *spring = &c->springs[i];
    if (!c->is_used[i]) continue;
    for (int32_t k = 1; k < spring->joint_count; ++k)
      if (!pl_character_is_below(c, spring->joints[k].node, spring->joints[k - 1].node))
        return fail(rig, spring->name, "is not below the joint before it", spring->joints[k].node);
    int32_t root = pl_character_chain_root(c, spring->joints[0].node);
    if (c->nodes[root].parent < 0) return fail(rig, spring->name, "has no parent to hold it", root);
  }
  return PL_OK;
}

// --- which nodes are joints ---------------------------------------------------------------------------------------

// For every node: itself or the nearest above that a rig has a joint for. `carrier` may be passive; `anchor` is above
// all chains.
static void find_carriers(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  for (int32_t k = 0; k < c->view.node_count; ++k) {
    int32_t i = c->order[k], parent = c->nodes[i].parent;
    bool below = parent >= 0 && c->is_passive[rig->carrier[parent]];
    rig->carrier[i] = !c->is_passive[i] && below ? rig->carrier[parent] : i;
    rig->anchor[i] = c->is_passive[i] || below ? (parent < 0 ? -1 : rig->anchor[parent]) : i;
  }
}

static void mark_needed(pl_character_rig *rig, bool *needed) {
  const pl_character *c = rig->character;
  const pl_character_view *view = &c->view;
  int64_t point_count = view->surface == NULL ? 0 : pl_mesh_get_view(view->surface).point_count;
  for (int64_t i = 0; i < point_count * view->influence_count; ++i) needed[rig->carrier[view->skin_nodes[i]]] = true;
  for (int32_t i = 0; i < view->node_count; ++i)
    if (c->is_passive[i]) needed[i] = needed[rig->anchor[i]] = true;
  for (int32_t i = 0; i < view->collider_count; ++i) needed[rig->anchor[view->colliders[i].node]] = true;
  for (int32_t i = 0; i < view->spring_count; ++i)
    if (c->is_used[i] && c->springs[i].center >= 0) needed[rig->anchor[c->springs[i].center]] = true;
}

// Numbers of the bone that ends at a passive node: of the nearest joint above it that turns, or its own at the top.
static const pl_character_spring_joint *numbers_of(const pl_character *c, int32_t node) {
  for (int32_t i = c->nodes[node].parent; i >= 0 && c->is_passive[i]; i = c->nodes[i].parent)
    if (c->numbers[i] != NULL) return c->numbers[i];
  return c->numbers[node];
}

static void take_numbers(pl_rod_joint *joint, const pl_character_spring_joint *numbers) {
  if (numbers == NULL) return;
  joint->radius = numbers->radius;
  joint->spring = numbers->stiffness;
  joint->drag = numbers->drag;
  joint->pull = numbers->pull;
  // A rod knows cones around the rest direction; of the other limits the cone that holds them.
  const pl_character_limit *limit = &numbers->limit;
  bool is_turned = fabs(limit->rotation.x) + fabs(limit->rotation.z) > 1e-6;
  if (limit->kind == PL_CHARACTER_CONE || limit->kind == PL_CHARACTER_HINGE)
    joint->max_angle = is_turned ? 0 : fmax(limit->angle, 1e-3);
  if (limit->kind == PL_CHARACTER_SPHERICAL)
    joint->max_angle = is_turned ? 0 : fmax(fmax(limit->angle, acos(cos(limit->angle) * cos(limit->yaw))), 1e-3);
}

static void add_nodes(pl_character_rig *rig, const bool *needed) {
  const pl_character *c = rig->character;
  for (int32_t k = 0; k < c->view.node_count; ++k) {
    int32_t i = c->order[k], parent = c->nodes[i].parent;
    rig->joint_of_node[i] = -1;
    if (!needed[i]) continue;
    while (parent >= 0 && rig->joint_of_node[parent] < 0) parent = c->nodes[parent].parent;
    pl_rod_joint joint = pl_default_rod_joint(parent < 0 ? -1 : rig->joint_of_node[parent]);
    joint.name = c->nodes[i].name;
    joint.kinematic = !c->is_passive[i];
    joint.rest = c->rest[i];
    if (!joint.kinematic) take_numbers(&joint, numbers_of(c, i));
    rig->nodes[rig->joint_count] = i;
    rig->joint_of_node[i] = rig->joint_count;
    rig->joints[rig->joint_count++] = joint;
  }
}

static pl_status add_tails(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  for (int32_t i = 0; i < c->view.spring_count; ++i) {
    const pl_character_spring *spring = &c->springs[i];
    if (!spring->has_tail || !c->is_used[i]) continue;
    const pl_character_spring_joint *last = &spring->joints[spring->joint_count - 1];
    size_t workspace = strlen(c->nodes[last->node].name) + 8;
    char *name = PL_TAKE(&rig->arena, char, workspace);
    if (name == NULL) return pl_fail_memory(rig->error);
    snprintf(name, workspace, "%s_tail", c->nodes[last->node].name);
    pl_rod_joint joint = pl_default_rod_joint(rig->joint_of_node[last->node]);
    joint.name = name;
    joint.rest = (pl_transform){pl_transform_apply(c->rest[last->node], spring->tail), c->rest[last->node].rotation};
    take_numbers(&joint, c->numbers[last->node]);
    rig->nodes[rig->joint_count] = -1;
    rig->joints[rig->joint_count++] = joint;
  }
  return PL_OK;
}

static void apply_extras(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  for (int32_t i = 0; i < c->extra_count; ++i) {
    const pl_character_extra *extra = &c->extras[i];
    if (!c->is_passive[extra->node]) continue;
    pl_rod_joint *joint = &rig->joints[rig->joint_of_node[extra->node]];
    if (extra->radius >= 0) joint->radius = extra->radius;
    if (extra->mass >= 0) joint->mass = extra->mass;
    if (extra->stiffness >= 0) joint->stiffness = extra->stiffness;
    if (extra->max_angle >= 0) joint->max_angle = extra->max_angle;
    // A tail is no node of the file and weighs and bends as the last joint does.
    for (int32_t k = 0; k < rig->joint_count; ++k) {
      if (rig->nodes[k] >= 0 || rig->joints[k].parent != rig->joint_of_node[extra->node]) continue;
      if (extra->mass >= 0) rig->joints[k].mass = extra->mass;
      if (extra->stiffness >= 0) rig->joints[k].stiffness = extra->stiffness;
    }
  }
  for (int32_t i = 0; i < c->link_count; ++i)
    rig->links[i] = (pl_rod_link){rig->joint_of_node[c->links[i].from], rig->joint_of_node[c->links[i].to]};
}

static pl_status make_joints(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  size_t node_count = (size_t)c->view.node_count, max = node_count + (size_t)c->view.spring_count;
  bool *needed = PL_TAKE(&rig->arena, bool, node_count);
  rig->carrier = PL_TAKE(&rig->arena, int32_t, node_count);
  rig->anchor = PL_TAKE(&rig->arena, int32_t, node_count);
  rig->joint_of_node = PL_TAKE(&rig->arena, int32_t, node_count);
  rig->joints = PL_TAKE(&rig->arena, pl_rod_joint, max);
  rig->nodes = PL_TAKE(&rig->arena, int32_t, max);
  rig->links = PL_TAKE(&rig->arena, pl_rod_link, c->link_count);
  if (rig->arena.failed) return pl_fail_memory(rig->error);
  find_carriers(rig);
  mark_needed(rig, needed);
  add_nodes(rig, needed);
  pl_status status = add_tails(rig);
  if (status >= 0) apply_extras(rig);
  return status;
}

// --- skin ---------------------------------------------------------------------------------------------------------

static pl_status make_skin(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  const pl_character_view *view = &c->view;
  if (view->surface == NULL) return PL_OK;
  int64_t count = (int64_t)pl_mesh_get_view(view->surface).point_count * view->influence_count;
  int32_t *joints = PL_TAKE(&rig->arena, int32_t, count);
  pl_vec3 *offsets = PL_TAKE(&rig->arena, pl_vec3, count);
  if (joints == NULL || offsets == NULL) return pl_fail_memory(rig->error);
  for (int64_t i = 0; i < count; ++i) {
    int32_t node = view->skin_nodes[i], carrier = rig->carrier[node];
    joints[i] = rig->joint_of_node[carrier];
    offsets[i] = view->skin_offsets[i];
    if (carrier != node)
      offsets[i] = pl_transform_apply_inverse(c->rest[carrier], pl_transform_apply(c->rest[node], offsets[i]));
  }
  rig->def.skin = (pl_rod_skin){view->surface, view->influence_count, joints, view->skin_weights, offsets};
  return PL_OK;
}

static pl_status fill(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  rig->def = c->rod;
  pl_status status = check_springs(rig);
  if (status >= 0) status = make_joints(rig);
  if (status >= 0) status = make_skin(rig);
  if (status >= 0) status = pl_character_rig_add_chains(rig);
  if (status >= 0) status = pl_character_rig_add_examples(rig);
  rig->def.joints = rig->joints;
  rig->def.joint_count = rig->joint_count;
  rig->def.links = rig->links;
  rig->def.link_count = c->link_count;
  return status;
}

pl_status pl_character_rig_create(const pl_character *character, pl_character_rig **rig, pl_error *error) {
  *rig = NULL;
  pl_arena arena;
  pl_arena_init(&arena, character->context, 0);
  pl_character_rig *made = PL_TAKE(&arena, pl_character_rig, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = arena;
  made->character = character;
  made->error = error;
  pl_status status = fill(made);
  made->error = NULL;
  if (status < 0) {
    pl_character_rig_destroy(made);
    return status;
  }
  *rig = made;
  return PL_OK;
}

void pl_character_rig_destroy(pl_character_rig *rig) {
  if (rig != NULL) pl_arena_destroy(&rig->arena);
}

pl_rod_def pl_character_rig_get_def(const pl_character_rig *rig) {
  return rig->def;
}

const int32_t *pl_character_rig_get_nodes(const pl_character_rig *rig) {
  return rig->nodes;
}
