// Inside rigs: the def being put together, and how nodes of the character became joints.
#ifndef PL_IO_CHARACTER_RIG_H
#define PL_IO_CHARACTER_RIG_H

#include "character/character_parts.h"

struct pl_character_rig {
  pl_arena arena;  // holds all arrays, and this struct
  const pl_character *character;
  pl_error *error;  // while the rig is made
  pl_rod_def def;
  pl_rod_joint *joints;  // parents before children, tails at the end
  int32_t *nodes;        // per joint, -1 for a tail
  int32_t joint_count;
  pl_rod_link *links;
  int32_t *joint_of_node;  // -1: none
  int32_t *carrier;        // per node: the node whose joint carries what hangs on it
  int32_t *anchor;         // per node: itself, or the nearest node above the chain it belongs to
};

// Colliders and the settings of each chain.
pl_status pl_character_rig_add_chains(pl_character_rig *rig);

// Example poses by forward kinematics.
pl_status pl_character_rig_add_examples(pl_character_rig *rig);

#endif
