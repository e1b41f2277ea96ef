// Motion capture in BVH files: a hierarchy of joints with offsets, and Euler angles per frame.
#ifndef PL_CHARACTER_BVH_H
#define PL_CHARACTER_BVH_H

#include "base/arena.h"
#include "pliant/base.h"
#include "pliant/math.h"

typedef struct pl_bvh_joint {
  const char *name;
  int32_t parent;         // -1 for a root
  pl_vec3 offset;         // from the parent, in the file's unit
  int32_t channel_count;  // 0 for an end
  int32_t first_channel;
  char channels[6];  // 'x' 'y' 'z' positions, 'X' 'Y' 'Z' rotations in degrees, in the file's order
} pl_bvh_joint;

typedef struct pl_bvh {
  pl_arena arena;
  int32_t joint_count, frame_count, channel_count;
  const pl_bvh_joint *joints;  // parents before children
  double frame_time;           // seconds
  const float *values;         // frame_count x channel_count
} pl_bvh;

// Load a file. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when it cannot be read,
// PL_ERROR_INVALID_DATA with the place for anything else.
pl_status pl_bvh_load(pl_context *context, const char *path, pl_bvh *bvh, pl_error *error);
void pl_bvh_destroy(pl_bvh *bvh);

// Rotation of a joint relative to its parent and, where it has position channels, its position
// relative to the parent at a time; between frames rotations are interpolated.
pl_transform pl_bvh_sample(const pl_bvh *bvh, int32_t joint, double time);

#endif
