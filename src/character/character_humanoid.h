// Bones of humanoids: by the humanoid of a VRM file, or by the names that are common.
#ifndef PL_CHARACTER_HUMANOID_H
#define PL_CHARACTER_HUMANOID_H

#include <stdbool.h>
#include <stdint.h>

// The bones of VRM 1.0, in the order of pl_humanoid_names; some have another name in VRM 0.x.
enum {
  PL_HUMANOID_COUNT = 55,
  PL_HUMANOID_HIPS = 0,
  PL_HUMANOID_LEFT_EYE = 6,
  PL_HUMANOID_RIGHT_EYE = 7
};
extern const char *const pl_humanoid_names[PL_HUMANOID_COUNT];

// Number of the bone that VRM calls `name`, -1 for none.
int32_t pl_humanoid_find(const char *name);

// Number of the bone that a node or joint called `name` is likely to be, such as `thigh.L`,
// `mixamorig:LeftUpLeg` or `J_Bip_L_UpperLeg`; -1 for none. Fingers are not guessed.
int32_t pl_humanoid_guess(const char *name);

#endif
