// A skeleton that was checked, sorted into chains. Only alive while a model is built.
#ifndef PL_ROD_SKELETON_H
#define PL_ROD_SKELETON_H

#include "base/arena.h"
#include "pliant/rod.h"

typedef struct pl_rod_skeleton {
  const pl_rod_def *def;
  int32_t kinematic_count, chain_count;
  int32_t *kinematic_of;  // per joint: index among the kinematic joints, -1 for passive joints
  int32_t *chain_of;      // per joint: -1 for kinematic joints
  int32_t *roots;         // per chain: its root joint
  int32_t *chain_start;   // chain_count + 1, into `order`
  int32_t *order;         // passive joints chain by chain, parents first
  int32_t *index_of;      // per joint: number in its chain, -1 for kinematic joints
  int32_t *filled;        // per chain: joints sorted so far
  const pl_rod_chain **settings;  // per chain: its entry of the def, NULL for none
} pl_rod_skeleton;

// Check the def and sort its joints; memory comes from `arena`. Fails with
// PL_ERROR_INVALID_ARGUMENT for numbers out of range and PL_ERROR_INVALID_DATA, naming the joint,
// for a skeleton that makes no sense.
pl_status pl_rod_skeleton_build(pl_arena *arena, const pl_rod_def *def, pl_rod_skeleton *skeleton,
                                pl_error *error);

// "joint" and its name, or its number where it has none, for messages.
typedef struct pl_rod_name {
  char text[96];
} pl_rod_name;
pl_rod_name pl_rod_name_of(const pl_rod_def *def, int32_t joint);

// Segments are kept this exactly: a fraction of their length.
#define PL_ROD_LENGTH_TOLERANCE 1e-4

#endif
