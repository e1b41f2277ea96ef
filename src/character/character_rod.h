// Numbers of ours in the extension PLIANT_rod_examples: of the whole body, of single joints, and
// links that close loops.
#ifndef PL_IO_CHARACTER_ROD_H
#define PL_IO_CHARACTER_ROD_H

#include "base/parameter.h"
#include "character/character_parts.h"

// Whether the file of a character has this parameter of pl_rod_def; a character has a surface, so
// there are no tubes.
bool pl_character_has_parameter(const pl_parameter *parameter);

pl_status pl_character_read_rod(pl_gltf *gltf, pl_character *character, const pl_json *extension);

#endif
