// Animations added to a glTF tree.
#ifndef PL_IO_CHARACTER_BAKE_SHEET_H
#define PL_IO_CHARACTER_BAKE_SHEET_H

#include "character/character_bake_motion.h"
#include "io/gltf_sheet.h"

// An animation of the bake's tracks under the motion's name. `base`, an animation of the tree or
// NULL, plays with it: its channels are taken over but for those of which there are tracks. Fails
// with PL_ERROR_INVALID_DATA when base has a channel without a sampler.
pl_status pl_sheet_add_animation(pl_sheet *sheet, pl_bake *bake, const pl_json_document *document,
                                 const pl_json *base, pl_error *error);

#endif
