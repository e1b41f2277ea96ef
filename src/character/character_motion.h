// Inside motions: a surface, and what moves it.
#ifndef PL_CHARACTER_MOTION_H
#define PL_CHARACTER_MOTION_H

#include "character/character_bvh.h"
#include "character/character_parts.h"
#include "pliant/motion.h"

struct pl_motion {
  pl_context *context;
  pl_arena arena;  // holds all that follows, and this struct
  pl_mesh *mesh;   // owned
  double start, end;

  // Of a character.
  const pl_character *character;   // borrowed
  int32_t animation;               // its own, -1: none
  const int32_t *vertices;         // of the character's surface, one per point
  const int32_t *point_of_vertex;  // and back, -1: none
  pl_transform *nodes;             // workspace, one per node
  pl_transform *locals;            // the same, in their parents
  pl_vec3 *scales;                 // the same
  double *morphs;                  // workspace, one per morph target

  // An animation of another file, which one of the two has.
  pl_character *clip;  // owned
  pl_bvh bvh;
  int32_t clip_bones[PL_HUMANOID_COUNT];  // node or joint of each bone that both have, -1 for none
  double height_ratio;                    // of the hips of the character and of the clip
  pl_transform *clip_locals;              // workspace, one per node of the clip
  pl_vec3 *clip_scales;                   // the same
  double *weights;                        // workspace, one per expression of the character

  // Of a cache.
  const float *frames;  // frame_count x points x 3; NULL: a character
  int32_t frame_count;
  double frame_rate;
};

// The surface of a character without what springs move; no mesh for nothing left. `character` and
// workspace of the motion are set.
pl_status pl_motion_take_character(pl_motion *motion, const pl_character *character,
                                   pl_error *error);

// Rotations of the bones at a time of the clip, into `locals` of the character (at rest before).
void pl_motion_retarget(pl_motion *motion, double time);

// Expressions of the clip that the character has too: their number, and their weights now, added to
// `morphs`; the clip's nodes are sampled. The gaze of the clip turns the eyes in `locals`, or sets
// weights of expressions.
int32_t pl_motion_count_expressions(const pl_motion *motion);
void pl_motion_play_expressions(pl_motion *motion);

// Whether the clip has a gaze that the character can follow.
bool pl_motion_has_gaze(const pl_motion *motion);

// The gaze of the clip now: turn the eyes, for a character whose look-at is of bones, or set
// `weights` of expressions.
void pl_motion_play_gaze(pl_motion *motion);

// Index of an expression of the character by name, -1 for none.
int32_t pl_character_find_expression(const pl_character *character, const char *name);

// An empty motion.
pl_status pl_motion_make(pl_context *context, pl_motion **motion, pl_error *error);

#endif
