// Springs as JSON, for files that are written and for springs added to a file that is read.
#ifndef PL_CHARACTER_SPRINGS_H
#define PL_CHARACTER_SPRINGS_H

#include "character/character_parts.h"

// A collider as VRM files have it. Viewers know spheres and capsules: a half-space becomes a sphere
// so large that it is flat where the character is; boxes and meshes fail with PL_ERROR_UNSUPPORTED.
// `number` is for the message.
pl_status pl_springs_get_collider(const pl_rod_collider *from, int32_t number,
                                  pl_character_collider *collider, pl_error *error);

// A collider of VRMC_springBone; its ends are in the coordinates of the node, with its scale.
void pl_springs_add_collider(pl_arena *arena, pl_json *list, const pl_character_collider *collider);

// A joint of a spring with the parameters of the bone that begins at the node.
pl_json *pl_springs_add_joint(pl_arena *arena, pl_json *list, int32_t node,
                              const pl_rod_joint *bone);

// `rod` of PLIANT_rod_examples: the parameters of the whole body.
void pl_springs_set_rod(pl_arena *arena, pl_json *extension, const pl_rod_def *rod);

// Add springs, colliders and example poses to the tree of a file whose nodes have been read.
pl_status pl_character_add_parts(pl_gltf *gltf, const pl_character *character,
                                 const pl_character_additions *additions);

#endif
