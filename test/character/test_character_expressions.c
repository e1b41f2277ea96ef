#define _DEFAULT_SOURCE
// Expressions and gazes of VRM: a VRM animation that has them, and no bones, plays on a model that names its morph
// targets or its eyes.
// ctest: unit
#include <unistd.h>

#include "fixtures/character_file.h"
#include "pliant/math.h"
#include "pliant/motion.h"

// A triangle with two morph targets: up by 1 and forward by 1. `happy` is half of the first and all of the second,
// `blink` is on or off.
static pl_character *make_model(pl_context *context, pl_findings *findings) {
  static const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, up[9] = {0, 1, 0, 0, 1, 0, 0, 1, 0},
                     forward[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
  character_file file = {.accessor_count = 0};
  add_floats(&file, points, 3, 3, "VEC3");
  add_floats(&file, up, 3, 3, "VEC3");
  add_floats(&file, forward, 3, 3, "VEC3");
  byte_block bytes = finish_file(
      &file,
      "\"nodes\":[{\"name\":\"hips\",\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0,\"meshes\":[{\"primitives\":"
      "[{"
      "\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1},{\"POSITION\":2}]}]}],\"extensions\":{\"VRMC_"
      "vrm\":{"
      "\"specVersion\":\"1.0\",\"humanoid\":{\"humanBones\":{\"hips\":{\"node\":0}}},\"expressions\":{\"preset\":{"
      "\"happy\":{"
      "\"morphTargetBinds\":[{\"node\":0,\"index\":0,\"weight\":0.5},{\"node\":0,\"index\":1,\"weight\":1}]},\"blink\":"
      "{"
      "\"isBinary\":true,\"morphTargetBinds\":[{\"node\":0,\"index\":0,\"weight\":1}]},\"sad\":{\"morphTargetBinds\":[{"
      "\"node\":0,\"index\":7,\"weight\":1}]}},\"custom\":{\"wink\":{\"morphTargetBinds\":[]}}}}}");
  return read_file(context, &bytes, findings);
}

// Within a second `happy` goes from 0 to 1 and `blink` from 0 to 2, which counts as 1.
static void write_clip(char *path, const char *more) {
  static const float times[2] = {0, 1}, happy[6] = {0, 0, 0, 1, 0, 0}, blink[6] = {0, 0, 0, 2, 0, 0};
  character_file file = {.accessor_count = 0};
  add_floats(&file, times, 2, 1, "SCALAR");
  add_floats(&file, happy, 2, 3, "VEC3");
  add_floats(&file, blink, 2, 3, "VEC3");
  char text[4000];
  snprintf(
      text, sizeof text,
      "\"nodes\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"scenes\":[{\"nodes\":[0,1]}],\"scene\":0,\"animations\":[{"
      "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},{\"sampler\":1,\"target\":{"
      "\"node\":1,\"path\":\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1},{\"input\":0,\"output\":2}]}],"
      "\"extensions\":{\"VRMC_vrm_animation\":{\"specVersion\":\"1.0\",\"expressions\":{\"preset\":{%s}}}}",
      more);
  byte_block bytes = finish_file(&file, text);
  int handle = mkstemps(path, 5);
  assert_true(handle >= 0);
  assert_int_equal(write(handle, bytes.data, bytes.size), (ssize_t)bytes.size);
  close(handle);
}

static void expressions_of_an_animation_move_morph_targets(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_findings *findings = NULL;
  check_ok(pl_findings_create(context, &findings, &error), &error);
  pl_character *character = make_model(context, findings);
  // A bind without its target is left out.
  assert_true(has_finding(findings, "lost-expression"));
  char path[] = "/tmp/pliant_clip_XXXXXX.vrma";
  write_clip(path, "\"happy\":{\"node\":0},\"blink\":{\"node\":1},\"angry\":{\"node\":0}");
  pl_motion *motion = NULL;
  check_ok(pl_motion_load(context, character, path, &motion, NULL, &error), &error);
  static const double times[4] = {0, 0.2, 0.4, 1};
  for (int n = 0; n < 4; ++n) {
    pl_vec3 points[3];
    double morphs[2], happy = times[n], blink = 2 * times[n] > 0.5 ? 1 : 0;
    pl_motion_sample(motion, times[n], points, NULL, morphs);
    check_near(morphs[0], 0.5 * happy + blink, 1e-6);
    check_near(morphs[1], happy, 1e-6);
    check_near(points[0].y, 0.5 * happy + blink, 1e-6);
    check_near(points[0].z, happy, 1e-6);
  }
  pl_motion_destroy(motion);
  unlink(path);
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void an_animation_without_anything_known_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_character *character = make_model(context, NULL);
  char path[] = "/tmp/pliant_clip_XXXXXX.vrma";
  write_clip(path, "\"angry\":{\"node\":0}");
  pl_motion *motion = NULL;
  assert_int_equal(pl_motion_load(context, character, path, &motion, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "expression"));
  assert_null(motion);
  unlink(path);
  pl_character_destroy(character);
  drop_context(context);
}

// --- models of both versions, with eyes

// A triangle at two nodes with two morph targets; eyes below a head that is turned by 90 degrees around y.
static pl_character *make_eyes(pl_context *context, const char *extensions) {
  static const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, up[9] = {0, 1, 0, 0, 1, 0, 0, 1, 0},
                     forward[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
  character_file file = {.accessor_count = 0};
  add_floats(&file, points, 3, 3, "VEC3");
  add_floats(&file, up, 3, 3, "VEC3");
  add_floats(&file, forward, 3, 3, "VEC3");
  char text[6000];
  snprintf(text, sizeof text,
           "\"nodes\":[{\"name\":\"hips\",\"mesh\":0,\"children\":[1,4]},{\"name\":\"head\",\"rotation\":[0,"
           "0.70710678118654752,0,0.70710678118654752],\"children\":[2,3]},{\"name\":\"left\",\"rotation\":[0.6,0,0,"
           "0.8]},{\"name\":\"right\"},{\"name\":\"twin\",\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0,"
           "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1},{"
           "\"POSITION\":2}]}]}],\"extensions\":{%s}",
           extensions);
  byte_block bytes = finish_file(&file, text);
  return read_file(context, &bytes, NULL);
}

// A clip whose gaze stands at a yaw and a pitch; node 1 shows `more` with the weight 0.75.
static void write_gaze(char *path, double yaw, double pitch, const char *more) {
  pl_quat q = pl_quat_multiply(pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, yaw * PL_PI / 180),
                               pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, pitch * PL_PI / 180));
  const float times[2] = {0, 1}, shown[6] = {0.75F, 0, 0, 0.75F, 0, 0},
              gaze[8] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w,
                         (float)q.x, (float)q.y, (float)q.z, (float)q.w};
  character_file file = {.accessor_count = 0};
  add_floats(&file, times, 2, 1, "SCALAR");
  add_floats(&file, gaze, 2, 4, "VEC4");
  add_floats(&file, shown, 2, 3, "VEC3");
  char text[4000];
  snprintf(
      text, sizeof text,
      "\"nodes\":[{\"name\":\"gaze\"},{\"name\":\"b\"}],\"scenes\":[{\"nodes\":[0,1]}],\"scene\":0,\"animations\":[{"
      "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},{\"sampler\":1,\"target\":{"
      "\"node\":1,\"path\":\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1},{\"input\":0,\"output\":2}]}],"
      "\"extensions\":{\"VRMC_vrm_animation\":{\"specVersion\":\"1.0\",\"lookAt\":{\"node\":0},\"expressions\":{"
      "\"preset\":{%s}}}}",
      more);
  byte_block bytes = finish_file(&file, text);
  int handle = mkstemps(path, 5);
  assert_true(handle >= 0);
  assert_int_equal(write(handle, bytes.data, bytes.size), (ssize_t)bytes.size);
  close(handle);
}

typedef struct seen {
  double morphs[2];
  pl_transform nodes[5];
} seen;

static seen play(pl_context *context, const char *extensions, double yaw, double pitch, const char *more) {
  pl_error error = {0};
  pl_character *character = make_eyes(context, extensions);
  char path[] = "/tmp/pliant_gaze_XXXXXX.vrma";
  write_gaze(path, yaw, pitch, more);
  pl_motion *motion = NULL;
  check_ok(pl_motion_load(context, character, path, &motion, NULL, &error), &error);
  seen result;
  pl_motion_sample(motion, 0.5, NULL, result.nodes, result.morphs);
  pl_motion_destroy(motion);
  unlink(path);
  pl_character_destroy(character);
  return result;
}

// Where an eye that looked along +z (or -z) at rest looks now, against yaw and pitch in degrees.
static void check_eye(pl_quat rest, pl_quat now, double front, double yaw, double pitch) {
  pl_vec3 at_rest = pl_quat_rotate(pl_quat_conjugate(rest), (pl_vec3){0, 0, front});
  pl_vec3 ahead = pl_quat_rotate(now, at_rest);
  double y = yaw * PL_PI / 180, p = pitch * PL_PI / 180;
  check_near(ahead.x, front * sin(y) * cos(p), 1e-6);
  check_near(ahead.y, -sin(p), 1e-6);
  check_near(ahead.z, front * cos(y) * cos(p), 1e-6);
}

#define EYES_1 \
  "\"humanoid\":{\"humanBones\":{\"hips\":{\"node\":0},\"leftEye\":{\"node\":2},\"rightEye\":{\"node\":3}}}"
#define EYES_0 "\"humanoid\":{\"humanBones\":[{\"bone\":\"leftEye\",\"node\":2},{\"bone\":\"rightEye\",\"node\":3}]}"
#define MAPS                                                                                                    \
  "\"rangeMapHorizontalInner\":{\"inputMaxValue\":60,\"outputScale\":6},\"rangeMapHorizontalOuter\":{"          \
  "\"inputMaxValue\":60,\"outputScale\":12},\"rangeMapVerticalDown\":{\"inputMaxValue\":40,\"outputScale\":8}," \
  "\"rangeMapVerticalUp\":{\"inputMaxValue\":40,\"outputScale\":20}"

static void a_gaze_turns_eyes_by_the_maps_of_the_model(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_quat head = {0, sqrt(0.5), 0, sqrt(0.5)}, left = pl_quat_multiply(head, (pl_quat){0.6, 0, 0, 0.8});
  const char *newer = "\"VRMC_vrm\":{\"specVersion\":\"1.0\"," EYES_1 ",\"lookAt\":{\"type\":\"bone\"," MAPS "}}";
  const char *older = "\"VRM\":{" EYES_0
                      ",\"firstPerson\":{\"lookAtTypeName\":\"Bone\",\"lookAtHorizontalInner\":{\"xRange\":60,"
                      "\"yRange\":6},\"lookAtHorizontalOuter\":{\"xRange\":60,\"yRange\":12},\"lookAtVerticalDown\":{"
                      "\"xRange\":40,\"yRange\":8},\"lookAtVerticalUp\":{\"xRange\":40,\"yRange\":20}}}";
  for (int version = 0; version < 2; ++version) {
    const char *model = version == 1 ? newer : older;
    double front = version == 1 ? 1 : -1;
    // Half way to the left and down: the left eye turns outward by half of 12, the right one inward by half of 6.
    seen s = play(context, model, 30, 20, "");
    check_eye(left, s.nodes[2].rotation, front, 6, 4);
    check_eye(head, s.nodes[3].rotation, front, 3, 4);
    // To the right and up, beyond the ends of the maps.
    s = play(context, model, -80, -60, "");
    check_eye(left, s.nodes[2].rotation, front, -6, -20);
    check_eye(head, s.nodes[3].rotation, front, -12, -20);
  }
  // Without maps: 10 degrees at 90.
  seen s = play(context, "\"VRMC_vrm\":{\"specVersion\":\"1.0\"," EYES_1 ",\"lookAt\":{\"type\":\"bone\"}}", 45, 0, "");
  check_eye(left, s.nodes[2].rotation, 1, 5, 0);
  drop_context(context);
}

#define GROUP(preset, mesh, index, weight)                                                         \
  "{\"name\":\"x\",\"presetName\":\"" preset "\",\"binds\":[{\"mesh\":" #mesh ",\"index\":" #index \
  ",\"weight\":" #weight "}]}"

static void groups_of_vrm_0_are_expressions(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const char *model = "\"VRM\":{" EYES_0 ",\"blendShapeMaster\":{\"blendShapeGroups\":[" GROUP(
      "joy", 0, 0, 40) "," GROUP("lookleft", 0, 1, 100) "," GROUP("lookdown", 0, 0, 100) ",{\"name\":\"Wink\","
                       "\"presetName\":\"unknown\",\"isBinary\":true,\"binds\":[{\"mesh\":0,\"index\":1,\"weight\":50}]}"
                       "]},\"firstPerson\":{\"lookAtTypeName\":\"BlendShape\",\"lookAtHorizontalOuter\":{\"xRange\":60,"
                       "\"yRange\":1},\"lookAtVerticalDown\":{\"xRange\":40,\"yRange\":0.5}}}";
  // `joy` is what VRM 1.0 calls happy; of the mesh at two nodes each target counts once.
  seen s = play(context, model, 0, 0, "\"happy\":{\"node\":1}");
  check_near(s.morphs[0], 0.4 * 0.75, 1e-6);
  check_near(s.morphs[1], 0, 1e-9);
  s = play(context, model, 0, 0, "\"Wink\":{\"node\":1}");
  check_near(s.morphs[1], 0.5, 1e-6);
  // A gaze as expressions.
  s = play(context, model, 15, 20, "");
  check_near(s.morphs[1], 0.25, 1e-6);
  check_near(s.morphs[0], 0.25, 1e-6);
  s = play(context, model, -15, -20, "\"happy\":{\"node\":1}");
  check_near(s.morphs[1], 0, 1e-9);
  check_near(s.morphs[0], 0.3, 1e-6);
  drop_context(context);
}

#define SHOWS(name, index, more) \
  "\"" name "\":{\"morphTargetBinds\":[{\"node\":0,\"index\":" #index ",\"weight\":1}]" more "}"
#define OVERRIDING(rule)                                                                                         \
  "\"VRMC_vrm\":{\"specVersion\":\"1.0\"," EYES_1                                                                \
  ",\"lookAt\":{\"type\":\"expression\",\"rangeMapHorizontalOuter\":{\"inputMaxValue\":50,\"outputScale\":1}},"  \
  "\"expressions\":{\"preset\":{" SHOWS("happy", 0, ",\"overrideLookAt\":\"" rule "\"") "," SHOWS("lookLeft", 1, \
                                                                                                  "") "}}}"

static void expressions_override_the_gaze(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const char *const models[] = {OVERRIDING("none"), OVERRIDING("blend"), OVERRIDING("block")};
  static const double left[] = {0.5, 0.5 * 0.25, 0};
  for (int i = 0; i < 3; ++i) {
    seen s = play(context, models[i], 25, 0, "\"happy\":{\"node\":1}");
    check_near(s.morphs[0], 0.75, 1e-6);
    check_near(s.morphs[1], left[i], 1e-6);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gaze_turns_eyes_by_the_maps_of_the_model),
      cmocka_unit_test(groups_of_vrm_0_are_expressions),
      cmocka_unit_test(expressions_override_the_gaze),
      cmocka_unit_test(expressions_of_an_animation_move_morph_targets),
      cmocka_unit_test(an_animation_without_anything_known_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
