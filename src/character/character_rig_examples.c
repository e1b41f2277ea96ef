// Example poses of a rig. The file gives rotations of nodes; positions follow by forward kinematics over the segments
// at rest, so that every segment keeps its length. Nodes that an example does not name stay as they are at rest.
#include "base/error.h"
#include "character/character_rig.h"
#include "pliant/math.h"

// Rotation of a joint relative to its parent in the example; tails have none of their own.
static pl_quat local_rotation(const pl_character_rig *rig, const pl_quat *turned, int32_t joint) {
  return rig->nodes[joint] < 0 ? pl_quat_identity() : turned[rig->nodes[joint]];
}

static void pose(const pl_character_rig *rig, const pl_quat *turned, pl_vec3 *positions, pl_quat *rotations) {
  // Parents stand before their children, and tails behind all.
  for (int32_t i = 0; i < rig->joint_count; ++i) {
    const pl_rod_joint *joint = &rig->joints[i];
    positions[i] = joint->rest.position;
    rotations[i] = joint->rest.rotation;
    if (joint->kinematic) continue;
    const pl_rod_joint *parent = &rig->joints[joint->parent];
    pl_vec3 segment = pl_transform_apply_inverse(parent->rest, joint->rest.position);
    positions[i] = pl_vec3_add(positions[joint->parent], pl_quat_rotate(rotations[joint->parent], segment));
    rotations[i] = pl_quat_normalize(pl_quat_multiply(rotations[joint->parent], local_rotation(rig, turned, i)));
  }
}

static pl_status add_example(pl_character_rig *rig, const pl_character_example *from, pl_quat *turned,
                             pl_rod_example *example) {
  const pl_character *c = rig->character;
  pl_vec3 *positions = PL_TAKE(&rig->arena, pl_vec3, rig->joint_count);
  pl_quat *rotations = PL_TAKE(&rig->arena, pl_quat, rig->joint_count);
  if (positions == NULL || rotations == NULL) return pl_fail_memory(rig->error);
  for (int32_t i = 0; i < from->node_count; ++i) turned[from->nodes[i]] = from->rotations[i];
  pose(rig, turned, positions, rotations);
  for (int32_t i = 0; i < from->node_count; ++i) turned[from->nodes[i]] = c->nodes[from->nodes[i]].rest.rotation;
  *example = (pl_rod_example){.name = from->name,
                              .root = rig->joint_of_node[from->root],
                              .positions = positions,
                              .rotations = rotations,
                              .direction = from->direction,
                              .extent = from->extent};
  return PL_OK;
}

pl_status pl_character_rig_add_examples(pl_character_rig *rig) {
  const pl_character *c = rig->character;
  pl_rod_example *examples = PL_TAKE(&rig->arena, pl_rod_example, c->view.example_count);
  pl_quat *turned = PL_TAKE(&rig->arena, pl_quat, c->view.node_count);
  if (examples == NULL || turned == NULL) return pl_fail_memory(rig->error);
  for (int32_t i = 0; i < c->view.node_count; ++i) turned[i] = c->nodes[i].rest.rotation;
  for (int32_t i = 0; i < c->view.example_count; ++i) {
    pl_status status = add_example(rig, &c->view.examples[i], turned, &examples[i]);
    if (status < 0) return status;
  }
  rig->def.examples = examples;
  rig->def.example_count = c->view.example_count;
  return PL_OK;
}
