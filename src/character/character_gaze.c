// The gaze of a VRM model: how far its eyes turn, or which expressions show it, and the node of a VRM animation whose
// rotation is the gaze.
//
// A gaze is yaw (left is positive) and pitch (down is positive) in the frame of the head: R = Ry(yaw) Rx(pitch). Each
// of the directions inward, outward, down and up has a map from degrees to degrees of an eye, or to the weight of an
// expression:  map(x) = scale * min(x / max_input, 1).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "character/character_motion.h"
#include "pliant/math.h"

static const double RADIANS = PL_PI / 180;
// Maps with a shorter way to their end would be steps.
static const double MIN_INPUT = 0.01;

static pl_status read_map(const pl_gltf *gltf, const pl_json *json, const char *const keys[2], int map,
                          pl_character_gaze *gaze) {
  gaze->max_input[map] = 90;
  gaze->scale[map] = gaze->kind == PL_CHARACTER_GAZE_EXPRESSION ? 1 : 10;
  pl_status status = pl_character_get_number(gltf, "lookAt", json, keys[0], &gaze->max_input[map]);
  if (status >= 0) status = pl_character_get_number(gltf, "lookAt", json, keys[1], &gaze->scale[map]);
  gaze->max_input[map] = fmax(gaze->max_input[map], MIN_INPUT);
  return status;
}

static pl_status read_maps(const pl_gltf *gltf, const pl_json *json, bool is_older, pl_character_gaze *gaze) {
  static const char *const newer[] = {"rangeMapHorizontalInner", "rangeMapHorizontalOuter", "rangeMapVerticalDown",
                                      "rangeMapVerticalUp"};
  static const char *const older[] = {"lookAtHorizontalInner", "lookAtHorizontalOuter", "lookAtVerticalDown",
                                      "lookAtVerticalUp"};
  static const char *const newer_keys[] = {"inputMaxValue", "outputScale"}, *const older_keys[] = {"xRange", "yRange"};
  const pl_json *kind = pl_json_find(json, is_older ? "lookAtTypeName" : "type");
  bool shows = is_older ? pl_json_is_text(kind, "BlendShape") : pl_json_is_text(kind, "expression");
  gaze->kind = shows ? PL_CHARACTER_GAZE_EXPRESSION : PL_CHARACTER_GAZE_BONE;
  pl_status status = PL_OK;
  for (int map = 0; map < PL_GAZE_MAPS && status >= 0; ++map)
    status = read_map(gltf, pl_json_find(json, is_older ? older[map] : newer[map]), is_older ? older_keys : newer_keys,
                      map, gaze);
  return status;
}

pl_status pl_character_read_gaze(pl_gltf *gltf, pl_character *c) {
  const pl_json *extensions = pl_json_find(gltf->root, "extensions");
  const pl_json *newer = pl_json_find(pl_json_find(extensions, "VRMC_vrm"), "lookAt");
  const pl_json *older = pl_json_find(pl_json_find(extensions, "VRM"), "firstPerson");
  const pl_json *clip = pl_json_find(pl_json_find(extensions, "VRMC_vrm_animation"), "lookAt");
  const pl_json *node = pl_json_find(clip, "node");
  c->gaze = (pl_character_gaze){.node = -1};
  if (newer != NULL || older != NULL) return read_maps(gltf, newer != NULL ? newer : older, newer == NULL, &c->gaze);
  return node == NULL ? PL_OK : pl_character_get_index(gltf, "lookAt", node, c->view.node_count, "node", &c->gaze.node);
}

static double map_angle(const pl_character_gaze *gaze, int map, double degrees) {
  return gaze->scale[map] * fmin(degrees / gaze->max_input[map], 1);
}

bool pl_motion_has_gaze(const pl_motion *motion) {
  const pl_character *c = motion->character;
  static const char *const names[] = {"lookUp", "lookDown", "lookLeft", "lookRight"};
  if (motion->clip == NULL || motion->clip->gaze.node < 0) return false;
  if (c->gaze.kind == PL_CHARACTER_GAZE_BONE)
    return c->bones[PL_HUMANOID_LEFT_EYE] >= 0 || c->bones[PL_HUMANOID_RIGHT_EYE] >= 0;
  bool has_any = false;
  for (int i = 0; i < 4; ++i) has_any = has_any || pl_character_find_expression(c, names[i]) >= 0;
  return c->gaze.kind == PL_CHARACTER_GAZE_EXPRESSION && has_any;
}

// q = P⁻¹ n W, as for all bones (character_retarget.c); models of VRM 0.x face -z.
static void turn_eye(pl_motion *motion, int32_t bone, double yaw, double pitch) {
  const pl_character *c = motion->character;
  int32_t node = c->bones[bone], parent = node < 0 ? -1 : c->nodes[node].parent;
  if (node < 0) return;
  pl_quat n = pl_quat_multiply(pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, yaw * RADIANS),
                               pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, pitch * RADIANS));
  double turned = c->view.vrm_version < 0 ? -1 : 1;
  n.x *= turned;
  n.z *= turned;
  pl_quat above = parent < 0 ? pl_quat_identity() : c->rest[parent].rotation;
  pl_quat q = pl_quat_multiply(pl_quat_conjugate(above), n);
  motion->locals[node].rotation = pl_quat_normalize(pl_quat_multiply(q, c->rest[node].rotation));
}

static void set_weight(pl_motion *motion, const char *name, double weight) {
  int32_t own = pl_character_find_expression(motion->character, name);
  if (own >= 0) motion->weights[own] = fmin(fmax(weight, 0), 1);
}

void pl_motion_play_gaze(pl_motion *motion) {
  const pl_character_gaze *gaze = &motion->character->gaze;
  if (gaze->kind == PL_CHARACTER_GAZE_NONE || motion->clip->gaze.node < 0) return;
  pl_quat q = pl_quat_normalize(motion->clip_locals[motion->clip->gaze.node].rotation);
  // Yaw and pitch of Ry Rx Rz; the roll is left out.
  double sine = fmin(fmax(2 * (q.w * q.x - q.y * q.z), -1), 1);
  double pitch = asin(sine) / RADIANS;
  double yaw = fabs(sine) < 0.9999999 ? atan2(2 * (q.x * q.z + q.w * q.y), 1 - 2 * (q.x * q.x + q.y * q.y)) / RADIANS
                                      : atan2(-2 * (q.x * q.z - q.w * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)) / RADIANS;
  bool is_left = yaw > 0, is_down = pitch > 0;
  if (gaze->kind == PL_CHARACTER_GAZE_EXPRESSION) {
    double side = map_angle(gaze, PL_GAZE_OUTER, fabs(yaw));
    double height = map_angle(gaze, is_down ? PL_GAZE_DOWN : PL_GAZE_UP, fabs(pitch));
    set_weight(motion, "lookLeft", is_left ? side : 0);
    set_weight(motion, "lookRight", is_left ? 0 : side);
    set_weight(motion, "lookDown", is_down ? height : 0);
    set_weight(motion, "lookUp", is_down ? 0 : height);
    return;
  }
  double tilt = (is_down ? 1 : -1) * map_angle(gaze, is_down ? PL_GAZE_DOWN : PL_GAZE_UP, fabs(pitch));
  double outer = (is_left ? 1 : -1) * map_angle(gaze, PL_GAZE_OUTER, fabs(yaw));
  double inner = (is_left ? 1 : -1) * map_angle(gaze, PL_GAZE_INNER, fabs(yaw));
  turn_eye(motion, PL_HUMANOID_LEFT_EYE, is_left ? outer : inner, tilt);
  turn_eye(motion, PL_HUMANOID_RIGHT_EYE, is_left ? inner : outer, tilt);
}
