// Numbers of ours in the extension PLIANT_rod_examples: of the whole body, of single joints, and links that close loops.
#ifndef PL_IO_CHARACTER_ROD_H
#define PL_IO_CHARACTER_ROD_H

#include "character/character_parts.h"

pl_status pl_character_read_rod(pl_gltf *gltf, pl_character *character, const pl_json *extension);

#endif
