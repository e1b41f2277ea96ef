// Animations of one humanoid on another.
//
// Rest poses of humanoids stand in a T, facing +z, but the axes of their bones differ. With W and P the rotations at
// rest of a bone and of the node above it in the model's frame, and q its rotation in its parent,
//   n = P q W⁻¹
// is the rotation from the T pose in axes that all humanoids share, and q = P⁻¹ n W takes it to the other's bone (VRM
// animation 1.0). Bones of BVH files have no axes of their own: W and P are the identity. Models of VRM 0.x face -z.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "character/character_motion.h"
#include "io/file_bytes.h"

static pl_quat rest_above(const pl_character *c, int32_t node) {
  int32_t parent = c->nodes[node].parent;
  return parent < 0 ? pl_quat_identity() : c->rest[parent].rotation;
}

// Rotation of a bone of the clip from its rest, in shared axes.
static pl_quat sample_bone(const pl_motion *motion, int32_t bone, double time) {
  int32_t node = motion->clip_bones[bone];
  if (motion->clip == NULL) return pl_bvh_sample(&motion->bvh, node, time).rotation;
  pl_quat q = pl_quat_multiply(rest_above(motion->clip, node), motion->clip_locals[node].rotation);
  return pl_quat_multiply(q, pl_quat_conjugate(motion->clip->rest[node].rotation));
}

static pl_vec3 sample_hips(const pl_motion *motion, double time) {
  int32_t node = motion->clip_bones[PL_HUMANOID_HIPS];
  if (motion->clip == NULL) return pl_bvh_sample(&motion->bvh, node, time).position;
  int32_t parent = motion->clip->nodes[node].parent;
  pl_vec3 local = motion->clip_locals[node].position;
  return parent < 0 ? local : pl_transform_apply(motion->clip->rest[parent], local);
}

void pl_motion_retarget(pl_motion *motion, double time) {
  const pl_character *c = motion->character;
  if (motion->clip != NULL) {
    int32_t animation = motion->clip->view.animation_count > 0 ? 0 : -1;
    pl_character_sample_local(motion->clip, animation, time, motion->clip_locals, motion->clip_scales);
  }
  double turned = c->view.vrm_version < 0 ? -1 : 1;
  for (int32_t bone = 0; bone < PL_HUMANOID_COUNT; ++bone) {
    if (motion->clip_bones[bone] < 0) continue;
    int32_t node = c->bones[bone], parent = c->nodes[node].parent;
    pl_quat n = sample_bone(motion, bone, time);
    n.x *= turned;
    n.z *= turned;
    pl_quat q = pl_quat_multiply(pl_quat_conjugate(rest_above(c, node)), n);
    motion->locals[node].rotation = pl_quat_normalize(pl_quat_multiply(q, c->rest[node].rotation));
    if (bone != PL_HUMANOID_HIPS) continue;
    pl_vec3 hips = pl_vec3_scale(sample_hips(motion, time), motion->height_ratio);
    hips.x *= turned;
    hips.z *= turned;
    motion->locals[node].position = parent < 0 ? hips : pl_transform_apply_inverse(c->rest[parent], hips);
  }
}

// --- loading

// Height of the hips above the lowest joint of a BVH file.
static double bvh_height(const pl_bvh *bvh, int32_t hips) {
  double lowest = 0;
  for (int32_t i = 0; i < bvh->joint_count; ++i) {
    double y = 0;
    int32_t at = i;
    for (; at >= 0 && at != hips; at = bvh->joints[at].parent) y += bvh->joints[at].offset.y;
    if (at == hips) lowest = fmin(lowest, y);
  }
  return -lowest;
}

static void match_bvh(pl_motion *motion) {
  for (int32_t i = 0; i < motion->bvh.joint_count; ++i) {
    int32_t bone = pl_humanoid_guess(motion->bvh.joints[i].name);
    bool is_new = bone >= 0 && motion->clip_bones[bone] < 0 && motion->character->bones[bone] >= 0;
    if (is_new && motion->bvh.joints[i].channel_count > 0) motion->clip_bones[bone] = i;
  }
}

static void match_clip(pl_motion *motion) {
  for (int32_t bone = 0; bone < PL_HUMANOID_COUNT; ++bone)
    if (motion->character->bones[bone] >= 0) motion->clip_bones[bone] = motion->clip->bones[bone];
}

static pl_status match_bones(pl_motion *motion, const char *path, pl_error *error) {
  int32_t count = 0, hips = PL_HUMANOID_HIPS;
  for (int32_t bone = 0; bone < PL_HUMANOID_COUNT; ++bone) motion->clip_bones[bone] = -1;
  if (motion->clip != NULL)
    match_clip(motion);
  else
    match_bvh(motion);
  for (int32_t bone = 0; bone < PL_HUMANOID_COUNT; ++bone) count += motion->clip_bones[bone] >= 0;
  if (count == 0 && pl_motion_count_expressions(motion) == 0 && !pl_motion_has_gaze(motion))
    return pl_fail_at(
        error, PL_ERROR_INVALID_DATA, path, 0, 0,
        "no bone or expression of this animation is one of the character; both need the humanoid of VRM or usual names "
        "such as Hips, LeftUpLeg, LeftArm");
  motion->height_ratio = 1;
  int32_t node = motion->clip_bones[hips];
  if (node < 0) return PL_OK;
  double height = motion->clip != NULL ? motion->clip->rest[node].position.y : bvh_height(&motion->bvh, node);
  double own = motion->character->rest[motion->character->bones[hips]].position.y;
  if (height > 0 && own > 0) motion->height_ratio = own / height;
  return PL_OK;
}

static pl_status load_clip(pl_motion *motion, const char *path, pl_findings *findings, pl_error *error) {
  if (pl_ending_is(path, ".bvh")) {
    pl_status status = pl_bvh_load(motion->context, path, &motion->bvh, error);
    if (status >= 0) motion->end = motion->bvh.frame_time * (motion->bvh.frame_count - 1);
    return status;
  }
  pl_status status = pl_character_load(motion->context, path, &motion->clip, findings, error);
  if (status < 0) return status;
  if (motion->clip->view.animation_count == 0)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0, "the file has no animation");
  motion->start = motion->clip->view.animations[0].start;
  motion->end = motion->clip->view.animations[0].end;
  motion->clip_locals = PL_TAKE(&motion->arena, pl_transform, motion->clip->view.node_count);
  motion->clip_scales = PL_TAKE(&motion->arena, pl_vec3, motion->clip->view.node_count);
  motion->weights = PL_TAKE(&motion->arena, double, motion->character->expression_count);
  return motion->arena.failed ? pl_fail_memory(error) : PL_OK;
}

pl_status pl_motion_load(pl_context *context, const pl_character *character, const char *path, pl_motion **motion,
                         pl_findings *findings, pl_error *error) {
  *motion = NULL;
  pl_motion *made = NULL;
  pl_status status = pl_motion_make(context, &made, error);
  if (status >= 0) status = pl_motion_take_character(made, character, error);
  if (status >= 0) status = load_clip(made, path, findings, error);
  if (status >= 0) status = match_bones(made, path, error);
  if (status < 0) {
    pl_motion_destroy(made);
    return status;
  }
  *motion = made;
  return PL_OK;
}
