#define _DEFAULT_SOURCE
// Expressions of VRM: a VRM animation that has them, and no bones, plays on a model that names its morph targets.
// ctest: unit
#include <unistd.h>

#include "fixtures/character_file.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_of_an_animation_move_morph_targets),
      cmocka_unit_test(an_animation_without_anything_known_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
