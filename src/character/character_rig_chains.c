// Colliders of a character and what each of its chains meets. Springs that branch off another one are part of its
// chain, which then meets the colliders of all of them.
#include <math.h>

#include "base/error.h"
#include "character/character_rig.h"
#include "pliant/math.h"

// A rotation that takes +Y to the unit vector `d`.
static pl_quat rotation_to(pl_vec3 d) {
  if (d.y < -1 + 1e-12) return (pl_quat){1, 0, 0, 0};
  // y x d and 1 + y.d are the axis and half-angle parts up to one factor.
  return pl_quat_normalize((pl_quat){d.z, 0, -d.x, 1 + d.y});
}

static pl_status add_colliders(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  pl_rod_collider *colliders = PL_TAKE(&rig->arena, pl_rod_collider, c->view.collider_count);
  if (colliders == NULL) return pl_fail_memory(rig->error);
  for (int32_t i = 0; i < c->view.collider_count; ++i) {
    const pl_character_collider *from = &c->view.colliders[i];
    int32_t anchor = rig->anchor[from->node];
    // Ends in the frame of the joint that holds it, which is another one where the collider's own node sways.
    pl_vec3 a = pl_transform_apply_inverse(c->rest[anchor], pl_transform_apply(c->rest[from->node], from->from));
    pl_vec3 b = pl_transform_apply_inverse(c->rest[anchor], pl_transform_apply(c->rest[from->node], from->to));
    double length = pl_vec3_distance(a, b);
    bool is_sphere = !(length > 1e-9);
    pl_collider_def shape = pl_default_collider_def(is_sphere ? PL_COLLIDER_SPHERE : PL_COLLIDER_CAPSULE);
    shape.radius = from->radius;
    shape.placement.position = pl_vec3_lerp(a, b, 0.5);
    if (!is_sphere) {
      shape.half_length = 0.5 * length;
      shape.placement.rotation = rotation_to(pl_vec3_scale(pl_vec3_sub(b, a), 1 / length));
    }
    colliders[i] = (pl_rod_collider){rig->joint_of_node[anchor], shape};
  }
  rig->def.colliders = colliders;
  rig->def.collider_count = c->view.collider_count;
  return PL_OK;
}

static pl_status merge_colliders(pl_character_rig *rig, const pl_character_spring *spring, pl_rod_chain *chain) {
  int32_t count = chain->collider_count;
  int32_t *merged = PL_TAKE(&rig->arena, int32_t, count + spring->collider_count);
  if (merged == NULL) return pl_fail_memory(rig->error);
  for (int32_t i = 0; i < count; ++i) merged[i] = chain->colliders[i];
  for (int32_t i = 0; i < spring->collider_count; ++i) {
    bool is_there = false;
    for (int32_t k = 0; k < chain->collider_count && !is_there; ++k) is_there = merged[k] == spring->colliders[i];
    if (!is_there) merged[count++] = spring->colliders[i];
  }
  chain->colliders = merged;
  chain->collider_count = count;
  return PL_OK;
}

static pl_status add_spring(pl_character_rig *rig, const pl_character_spring *spring, int32_t *chain_of_node,
                            pl_rod_chain *chains) {
  const pl_character *c = rig->character;
  int32_t root = pl_character_chain_root(c, spring->joints[0].node);
  bool is_new = chain_of_node[root] < 0;
  if (is_new) chain_of_node[root] = rig->def.chain_count++;
  pl_rod_chain *chain = &chains[chain_of_node[root]];
  if (is_new) *chain = (pl_rod_chain){.name = spring->name, .root = rig->joint_of_node[root], .center = -1};
  if (chain->center < 0 && spring->center >= 0) chain->center = rig->joint_of_node[rig->anchor[spring->center]];
  return merge_colliders(rig, spring, chain);
}

pl_status pl_character_rig_add_chains(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  pl_status status = add_colliders(rig);
  if (status < 0) return status;
  pl_rod_chain *chains = PL_TAKE(&rig->arena, pl_rod_chain, c->view.spring_count);
  int32_t *chain_of_node = PL_TAKE(&rig->arena, int32_t, c->view.node_count);
  if (chains == NULL || chain_of_node == NULL) return pl_fail_memory(rig->error);
  for (int32_t i = 0; i < c->view.node_count; ++i) chain_of_node[i] = -1;
  for (int32_t i = 0; i < c->view.spring_count && status >= 0; ++i)
    if (c->is_used[i]) status = add_spring(rig, &c->springs[i], chain_of_node, chains);
  rig->def.chains = chains;
  return status;
}
