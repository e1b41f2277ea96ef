// A motion of joints (global placements, frame by frame) as key frames of nodes (rotations, and
// translations where they are needed, relative to the parents): what is common to baking into a
// file that is there and to writing one of our own.
#ifndef PL_IO_CHARACTER_BAKE_MOTION_H
#define PL_IO_CHARACTER_BAKE_MOTION_H

#include "base/arena.h"
#include "pliant/character.h"

// Fills in where all nodes are in their parents at `time`.
typedef void pl_bake_sample(void *user, double time, pl_transform *locals, pl_vec3 *scales);

typedef struct pl_bake {
  // To be filled in.
  int32_t node_count;
  const int32_t *parents;    // -1 for none
  const char *const *names;  // of nodes, for messages
  const pl_transform *rest;  // of nodes, in their parents
  const pl_vec3 *rest_scales;
  const pl_character_motion *motion;
  pl_bake_sample *sample;  // how nodes move that are not joints of the motion; NULL: they rest
  void *sample_user;
  const int32_t *target_start;    // per node and one more: its morph targets in …
  const int32_t *pose_of_target;  // … this list of columns of the motion's morphs; NULL: none

  // Found by pl_bake_prepare(); a track is a node that gets key frames, in the order of the
  // motion's joints.
  int32_t track_count, step_count;
  int32_t *track_nodes, *track_joints;
  int32_t *track_of_node;  // -1 for none
  int32_t *steps;          // the tracks' nodes and all above them, parents first
  bool *moves;             // track has translations besides its rotations
  pl_transform *locals;    // scratch of one frame, per node, as are the next four
  pl_vec3 *scales;
  pl_vec3 *positions;
  pl_quat *rotations;
  pl_mat3 *linears;
  pl_quat *last_rotations;  // of tracks, in the frame before
} pl_bake;

// Check the motion against the nodes, order them and find out which tracks need translations.
// Memory comes from `arena`. Fails with PL_ERROR_INVALID_ARGUMENT for a motion that is not finite
// or does not fit, with PL_ERROR_INVALID_DATA for nodes that form a cycle.
pl_status pl_bake_prepare(pl_bake *bake, pl_arena *arena, pl_error *error);

// The key frames as 32-bit floats, little-endian: times, then rotations track by track, then the
// translations of those that have some.
size_t pl_bake_size(const pl_bake *bake);
size_t pl_bake_rotation_offset(const pl_bake *bake, int32_t track);
size_t pl_bake_translation_offset(const pl_bake *bake, int32_t track);  // of one that moves
void pl_bake_fill(pl_bake *bake, unsigned char *bytes);

// Time of a frame as it is written.
float pl_bake_time(const pl_bake *bake, int32_t frame);

#endif
