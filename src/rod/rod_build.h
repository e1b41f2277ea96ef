// The steps by which a rod model is built.
#ifndef PL_ROD_BUILD_H
#define PL_ROD_BUILD_H

#include "rod/rod_model.h"
#include "rod/rod_skeleton.h"

// Names of the examples of all chains, in the order they are first met, and the examples of each
// chain: number in the def, those driven by the view first.
typedef struct pl_rod_example_lists {
  int32_t name_count;
  const char **names;
  int32_t *start;    // chain_count + 1
  int32_t *items;    // index of the def's examples
  int32_t *name_of;  // per example of the def: number of its name
} pl_rod_example_lists;

// Check the examples of a def and sort them to their chains (rod_examples.c).
pl_status pl_rod_examples_list(pl_arena *arena, const pl_rod_skeleton *skeleton,
                               pl_rod_example_lists *lists, pl_error *error);

// Fill what a batch knows of examples; its plan, chains, joints and lengths are there already.
pl_status pl_rod_examples_fill(pl_arena *arena, const pl_rod_skeleton *skeleton,
                               const pl_rod_example_lists *lists, pl_rod_batch *batch,
                               pl_error *error);

// Rest position of a chain's joint relative to the root, and rotation, in the frame of the
// kinematic joint above.
pl_vec3 pl_rod_rest_position(const pl_rod_skeleton *skeleton, int32_t joint);
pl_quat pl_rod_rest_rotation(const pl_rod_skeleton *skeleton, int32_t joint);

// The skin: the def's, or tubes around the segments (rod_skin.c).
pl_status pl_rod_skin_build(pl_context *context, const pl_rod_skeleton *skeleton,
                            pl_rod_model *model, pl_error *error);

#endif
