// Global placements become local ones: rotation = (parent's rotation)⁻¹ · rotation, with the parent's from the motion
// where it is one of its joints and otherwise from the animation that plays with it. Placements have no scale, nodes
// may; so every node carries two things down the tree,
//
//   rotation  R = R_parent r                 what placements are about
//   linear    L = L_parent r diag(scale)     what the offsets of children really go through
//
// and a translation t puts a child at position + L t. A rigid chain keeps its translations; a chain that is stretched,
// or was solved to within some tolerance, does not meet its joints by rotations alone. Nodes that would be missed by
// more than a tenth of a millimetre get translations too. What a parent misses moves its children, so the nodes are
// looked at as they will be played; and as each new track of translations changes what those below it miss, the passes
// are repeated until none is added.
#include "character/character_bake_motion.h"

#include <float.h>
#include <string.h>

#include "base/error.h"
#include "character/character_bake_sheet.h"
#include "math/mat3.h"
#include "pliant/math.h"

static const double MAX_MISS = 1e-4;

// --- checks -----------------------------------------------------------------------------------------------------

static pl_status check_shape(const pl_bake *bake, pl_error *error) {
  const pl_character_motion *motion = bake->motion;
  if (!(motion->frame_rate >= 1e-6 && motion->frame_rate <= 1e6))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the frame rate of the motion must be from 1e-6 to 1e6 a second");
  if (motion->frame_count < 1 || motion->joint_count < 1 || motion->nodes == NULL || motion->joints == NULL)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a motion needs at least one frame and one joint with its node");
  return PL_OK;
}

static bool fits(const pl_transform *placement) {
  pl_quat q = placement->rotation;
  pl_vec3 p = placement->position;
  double square = pl_quat_dot(q, q);
  return isfinite(square) && square > 1e-12 && fabs(p.x) < 1e30 && fabs(p.y) < 1e30 && fabs(p.z) < 1e30;
}

static pl_status check_frames(const pl_bake *bake, pl_error *error) {
  const pl_character_motion *motion = bake->motion;
  for (int32_t frame = 0; frame < motion->frame_count; ++frame)
    for (int32_t track = 0; track < bake->track_count; ++track) {
      int32_t joint = bake->track_joints[track];
      if (!fits(&motion->joints[(int64_t)frame * motion->joint_count + joint]))
        return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                       "the motion is not finite, or no rotation, in frame %d at joint %d (node \"%.60s\")", frame,
                       joint, bake->names[bake->track_nodes[track]]);
    }
  return PL_OK;
}

// --- tracks and the order of nodes ------------------------------------------------------------------------------

static pl_status list_tracks(pl_bake *bake, pl_error *error) {
  const pl_character_motion *motion = bake->motion;
  for (int32_t node = 0; node < bake->node_count; ++node) bake->track_of_node[node] = -1;
  for (int32_t joint = 0; joint < motion->joint_count; ++joint) {
    int32_t node = motion->nodes[joint];
    if (node < -1 || node >= bake->node_count)
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "joint %d of the motion moves node %d, but there are %d", joint,
                     node, bake->node_count);
    if (node == -1) continue;
    if (bake->track_of_node[node] >= 0)
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "joints %d and %d of the motion both move node %d (\"%.60s\")",
                     bake->track_joints[bake->track_of_node[node]], joint, node, bake->names[node]);
    bake->track_nodes[bake->track_count] = node;
    bake->track_joints[bake->track_count] = joint;
    bake->track_of_node[node] = bake->track_count++;
  }
  if (bake->track_count == 0) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "no joint of the motion has a node");
  return PL_OK;
}

// Climb from every track to a node already listed and list the way back down. `climb` is scratch per node; `marks`: 1
// on the way, 2 listed.
static pl_status order_nodes(pl_bake *bake, int32_t *climb, char *marks, pl_error *error) {
  for (int32_t track = 0; track < bake->track_count; ++track) {
    int32_t height = 0;
    for (int32_t node = bake->track_nodes[track]; node >= 0 && marks[node] != 2; node = bake->parents[node]) {
      if (marks[node] == 1)
        return pl_fail(error, PL_ERROR_INVALID_DATA, "\"%.60s\" is above itself: the hierarchy has a cycle",
                       bake->names[node]);
      marks[node] = 1;
      climb[height++] = node;
    }
    while (height > 0) {
      marks[climb[--height]] = 2;
      bake->steps[bake->step_count++] = climb[height];
    }
  }
  return PL_OK;
}

// --- playing ----------------------------------------------------------------------------------------------------

// Find the local placement of a track's node that brings it to where the motion has it; true when only a new
// translation does.
static bool follow(pl_bake *bake, int32_t track, const pl_transform *target, pl_transform *local) {
  int32_t parent = bake->parents[bake->track_nodes[track]];
  pl_quat above = parent < 0 ? pl_quat_identity() : bake->rotations[parent];
  pl_vec3 start = parent < 0 ? (pl_vec3){0, 0, 0} : bake->positions[parent];
  pl_mat3 linear = parent < 0 ? pl_mat3_identity() : bake->linears[parent];
  local->rotation = pl_quat_normalize(pl_quat_multiply(pl_quat_conjugate(above), pl_quat_normalize(target->rotation)));
  pl_vec3 way = pl_vec3_sub(target->position, start);
  bool missed = !(pl_vec3_distance(pl_mat3_apply(linear, local->position), way) <= MAX_MISS);
  if (!missed && !bake->moves[track]) return false;
  // Below a scale of zero every translation leads to the same place.
  double size = pl_mat3_norm(linear);
  if (!(fabs(pl_mat3_determinant(linear)) > 1e-18 * size * size * size)) return false;
  local->position = pl_mat3_apply(pl_mat3_inverse(linear), way);
  return !bake->moves[track];
}

// Play one frame into the scratch of the bake; true when some track was found to need translations.
static bool play(pl_bake *bake, int32_t frame) {
  const pl_character_motion *motion = bake->motion;
  const pl_transform *joints = motion->joints + (int64_t)frame * motion->joint_count;
  bool found = false;
  if (bake->sample != NULL) {
    bake->sample(bake->sample_user, (double)pl_bake_time(bake, frame), bake->locals, bake->scales);
  } else {
    memcpy(bake->locals, bake->rest, (size_t)bake->node_count * sizeof *bake->locals);
    memcpy(bake->scales, bake->rest_scales, (size_t)bake->node_count * sizeof *bake->scales);
  }
  for (int32_t i = 0; i < bake->step_count; ++i) {
    int32_t node = bake->steps[i], parent = bake->parents[node], track = bake->track_of_node[node];
    pl_transform *local = &bake->locals[node];
    if (track >= 0 && follow(bake, track, &joints[bake->track_joints[track]], local)) found = bake->moves[track] = true;
    pl_vec3 scale = bake->scales[node];
    pl_mat3 turned = pl_mat3_multiply(pl_mat3_from_quat(local->rotation), pl_mat3_diagonal(scale.x, scale.y, scale.z));
    if (parent < 0) {
      bake->positions[node] = local->position;
      bake->rotations[node] = local->rotation;
      bake->linears[node] = turned;
      continue;
    }
    bake->positions[node] = pl_vec3_add(bake->positions[parent], pl_mat3_apply(bake->linears[parent], local->position));
    bake->rotations[node] = pl_quat_normalize(pl_quat_multiply(bake->rotations[parent], local->rotation));
    bake->linears[node] = pl_mat3_multiply(bake->linears[parent], turned);
  }
  return found;
}

static pl_status check_floats(const pl_bake *bake, int32_t frame, pl_error *error) {
  for (int32_t track = 0; track < bake->track_count; ++track) {
    pl_vec3 t = bake->locals[bake->track_nodes[track]].position;
    if (!(fabs(t.x) <= (double)FLT_MAX && fabs(t.y) <= (double)FLT_MAX && fabs(t.z) <= (double)FLT_MAX))
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "in frame %d node \"%.60s\" moves too far for 32-bit floats",
                     frame, bake->names[bake->track_nodes[track]]);
  }
  return PL_OK;
}

pl_status pl_bake_prepare(pl_bake *bake, pl_arena *arena, pl_error *error) {
  pl_status status = check_shape(bake, error);
  if (status < 0) return status;
  int32_t count = bake->node_count, joint_count = bake->motion->joint_count;
  bake->track_nodes = PL_TAKE(arena, int32_t, joint_count);
  bake->track_joints = PL_TAKE(arena, int32_t, joint_count);
  bake->moves = PL_TAKE(arena, bool, joint_count);
  bake->last_rotations = PL_TAKE(arena, pl_quat, joint_count);
  bake->track_of_node = PL_TAKE(arena, int32_t, count);
  bake->steps = PL_TAKE(arena, int32_t, count);
  bake->locals = PL_TAKE(arena, pl_transform, count);
  bake->scales = PL_TAKE(arena, pl_vec3, count);
  bake->positions = PL_TAKE(arena, pl_vec3, count);
  bake->rotations = PL_TAKE(arena, pl_quat, count);
  bake->linears = PL_TAKE(arena, pl_mat3, count);
  int32_t *climb = PL_TAKE(arena, int32_t, count);
  char *marks = PL_TAKE(arena, char, count);
  if (arena->failed) return pl_fail_memory(error);
  status = list_tracks(bake, error);
  if (status >= 0) status = check_frames(bake, error);
  if (status >= 0) status = order_nodes(bake, climb, marks, error);
  for (bool found = status >= 0; found && status >= 0;) {
    found = false;
    for (int32_t frame = 0; frame < bake->motion->frame_count && status >= 0; ++frame) {
      found |= play(bake, frame);
      status = check_floats(bake, frame, error);
    }
  }
  return status;
}

// --- bytes ------------------------------------------------------------------------------------------------------

float pl_bake_time(const pl_bake *bake, int32_t frame) {
  return (float)((double)frame / bake->motion->frame_rate);
}

size_t pl_bake_rotation_offset(const pl_bake *bake, int32_t track) {
  return (size_t)bake->motion->frame_count * (4 + 16 * (size_t)track);
}

size_t pl_bake_translation_offset(const pl_bake *bake, int32_t track) {
  size_t before = 0;
  for (int32_t i = 0; i < track; ++i) before += bake->moves[i] ? 1 : 0;
  return pl_bake_rotation_offset(bake, bake->track_count) + (size_t)bake->motion->frame_count * 12 * before;
}

size_t pl_bake_size(const pl_bake *bake) {
  return pl_bake_translation_offset(bake, bake->track_count);
}

// Of the two quaternions of a rotation the one nearer to the frame before (in the first: to the rest), so that viewers
// that mix numbers and not rotations do not spin.
static pl_quat keep_sign(pl_quat rotation, pl_quat last) {
  return pl_quat_dot(rotation, last) < 0 ? pl_quat_scale(rotation, -1) : rotation;
}

void pl_bake_fill(pl_bake *bake, unsigned char *bytes) {
  int32_t frame_count = bake->motion->frame_count;
  for (int32_t track = 0; track < bake->track_count; ++track)
    bake->last_rotations[track] = bake->rest[bake->track_nodes[track]].rotation;
  for (int32_t frame = 0; frame < frame_count; ++frame) {
    play(bake, frame);
    pl_sheet_put_float(bytes + 4 * (size_t)frame, pl_bake_time(bake, frame));
    unsigned char *translations = bytes + pl_bake_rotation_offset(bake, bake->track_count) + 12 * (size_t)frame;
    for (int32_t track = 0; track < bake->track_count; ++track) {
      const pl_transform *local = &bake->locals[bake->track_nodes[track]];
      pl_quat q = keep_sign(local->rotation, bake->last_rotations[track]);
      bake->last_rotations[track] = q;
      const double rotation[4] = {q.x, q.y, q.z, q.w};
      const double translation[3] = {local->position.x, local->position.y, local->position.z};
      unsigned char *to = bytes + pl_bake_rotation_offset(bake, track) + 16 * (size_t)frame;
      for (int i = 0; i < 4; ++i) pl_sheet_put_float(to + 4 * i, (float)rotation[i]);
      if (!bake->moves[track]) continue;
      for (int i = 0; i < 3; ++i) pl_sheet_put_float(translations + 4 * i, (float)translation[i]);
      translations += 12 * (size_t)frame_count;
    }
  }
}
