// Inside the writer of characters: a file being put together from a rod's def.
#ifndef PL_IO_CHARACTER_WRITE_H
#define PL_IO_CHARACTER_WRITE_H

#include "character/character_bake_sheet.h"
#include "pliant/character.h"

typedef struct pl_draft {
  pl_context *context;
  const pl_character_save_def *def;
  const pl_rod_def *rod;
  pl_arena arena;  // of the tree, and of what follows
  pl_sheet sheet;
  const char **names;    // of joints, none NULL
  int32_t *order;        // joints, parents first
  int32_t *chain_roots;  // of each joint: the root of its chain, -1 for a kinematic one
  int32_t *first_child, *next_sibling;  // of joints, in their order; -1 for none
  pl_error *error;
} pl_draft;

// The skinned mesh: material, mesh and skin number 0.
pl_status pl_draft_add_mesh(pl_draft *draft);

// extensions.VRMC_springBone of the tree.
pl_status pl_draft_add_springs(pl_draft *draft, pl_json *extensions);

// extensions.PLIANT_rod_examples of the tree.
pl_status pl_draft_add_examples(pl_draft *draft, pl_json *extensions);

// The next passive child of a joint at or after `child` (start with first_child); -1 for none.
int32_t pl_draft_passive_child(const pl_draft *draft, int32_t child);

// JSON short cuts.
pl_json *pl_draft_set_list(pl_draft *draft, pl_json *object, const char *key);
pl_json *pl_draft_add_object(pl_draft *draft, pl_json *list);
void pl_draft_set_vector(pl_draft *draft, pl_json *object, const char *key, pl_vec3 vector);
void pl_draft_set_rotation(pl_draft *draft, pl_json *object, const char *key, pl_quat rotation);

// Influences of the points of the skin, as glTF wants them: at most eight a point and no joint
// twice, the heaviest first, the sum exactly 1 but for rounding, joint 0 where the weight is 0.
enum { PL_DRAFT_INFLUENCES = 8 };
typedef struct pl_draft_influences {
  int32_t set_count;  // of four influences: 1 or 2
  int32_t *joints;    // PL_DRAFT_INFLUENCES per point
  float *weights;
} pl_draft_influences;
pl_status pl_draft_gather_influences(pl_draft *draft, pl_draft_influences *influences);

#endif
