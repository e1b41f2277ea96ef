// Springs of VRM 1.0 and 0.x, read back number by number.
// ctest: unit
#include "fixtures/character_file.h"

// A head with two strands of hair (0 head; 1 2 3 and 4 5 below it; 6 a leaf below 2 that no spring names) and an arm
// (7).
#define NODES                                                                                                         \
  "\"nodes\":[{\"name\":\"head\",\"children\":[1,4,7],\"translation\":[0,1,0]},{\"name\":\"h1\",\"children\":[2],"    \
  "\"translation\":"                                                                                                  \
  "[0,0,-0.1]},{\"name\":\"h2\",\"children\":[3,6],\"translation\":[0,-0.1,0]},{\"name\":\"h3\",\"translation\":[0,-" \
  "0.2,0]},"                                                                                                          \
  "{\"name\":\"b1\",\"children\":[5],\"translation\":[0.1,0,0]},{\"name\":\"b2\",\"translation\":[0,-0.3,0]},"        \
  "{\"name\":\"pin\",\"translation\":[0.05,0,0]},{\"name\":\"arm\",\"translation\":[0.5,0,0]}]"

static void check_vector(pl_vec3 v, double x, double y, double z) {
  check_near(v.x, x, 1e-12);
  check_near(v.y, y, 1e-12);
  check_near(v.z, z, 1e-12);
}

static void vrm1_springs_come_back_number_by_number(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_findings_create(context, &findings, NULL);
  pl_character *character =
      read_text(context,
                NODES
                ",\"extensions\":{\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"colliders\":["
                "{\"node\":7,\"shape\":{\"sphere\":{\"offset\":[0.1,0.2,0.3],\"radius\":0.4}}},"
                "{\"node\":-1,\"shape\":{\"sphere\":{}}},"
                "{\"node\":0,\"shape\":{\"capsule\":{\"offset\":[1,2,3],\"radius\":0.5,\"tail\":[4,5,6]}}},"
                "{\"node\":0,\"shape\":{\"sphere\":{}}}],"
                "\"colliderGroups\":[{\"name\":\"g\",\"colliders\":[2,0]},{\"colliders\":[0,1]}],"
                "\"springs\":[{\"name\":\"hair\",\"center\":0,\"colliderGroups\":[0,1],\"joints\":["
                "{\"node\":1,\"hitRadius\":0.02,\"stiffness\":0.7,\"gravityPower\":2,\"gravityDir\":[0,0,1],"
                "\"dragForce\":0.3},{\"node\":2},{\"node\":3}]},"
                "{\"joints\":[{\"node\":4},{\"node\":5}]}]}}",
                findings);
  pl_character_view view = pl_character_get_view(character);
  assert_int_equal(view.vrm_version, 1);
  assert_int_equal(view.collider_count, 3);
  assert_true(has_finding(findings, "lost-collider"));
  assert_int_equal(view.colliders[0].node, 7);
  check_vector(view.colliders[0].from, 0.1, 0.2, 0.3);
  check_vector(view.colliders[0].to, 0.1, 0.2, 0.3);
  check_near(view.colliders[0].radius, 0.4, 0);
  check_vector(view.colliders[1].from, 1, 2, 3);
  check_vector(view.colliders[1].to, 4, 5, 6);
  check_near(view.colliders[1].radius, 0.5, 0);
  check_near(view.colliders[2].radius, 0, 0);
  assert_int_equal(view.spring_count, 2);
  const pl_character_spring *hair = &view.springs[0];
  assert_string_equal(hair->name, "hair");
  assert_string_equal(view.springs[1].name, "spring 1");
  assert_int_equal(hair->center, 0);
  assert_int_equal(view.springs[1].center, -1);
  assert_int_equal(hair->collider_count, 2);
  assert_int_equal(hair->colliders[0], 1);
  assert_int_equal(hair->colliders[1], 0);
  assert_int_equal(view.springs[1].collider_count, 0);
  assert_int_equal(hair->joint_count, 3);
  assert_false(hair->has_tail);
  assert_int_equal(hair->joints[0].node, 1);
  check_near(hair->joints[0].radius, 0.02, 0);
  check_near(hair->joints[0].stiffness, 0.7, 0);
  check_near(hair->joints[0].drag, 0.3, 0);
  check_vector(hair->joints[0].pull, 0, 0, 2);
  // Defaults of the schema.
  check_near(hair->joints[1].radius, 0, 0);
  check_near(hair->joints[1].stiffness, 1, 0);
  check_near(hair->joints[1].drag, 0.5, 0);
  check_vector(hair->joints[1].pull, 0, 0, 0);
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void vrm0_springs_are_all_paths_to_leaves(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_character *character =
      read_text(context,
                NODES
                ",\"extensions\":{\"VRM\":{\"secondaryAnimation\":{\"boneGroups\":["
                "{\"comment\":\"hair\",\"stiffiness\":0.8,\"gravityPower\":0.5,\"gravityDir\":{\"x\":0,\"y\":"
                "-1,\"z\":1},\"dragForce\":0.6,\"center\":-1,"
                "\"hitRadius\":0.03,\"bones\":[1,4],\"colliderGroups\":[1,0]},{\"center\":0,\"bones\":[7]}],"
                "\"colliderGroups\":[{\"node\":7,\"colliders\":[{\"offset\":{\"x\":1,\"y\":2,\"z\":3},"
                "\"radius\":0.1},{\"offset\":{\"y\":4},\"radius\":0.2}]},"
                "{\"node\":0,\"colliders\":[{\"offset\":{\"x\":0,\"y\":0,\"z\":-0.5},\"radius\":0.3}]}]}}}",
                NULL);
  pl_character_view view = pl_character_get_view(character);
  assert_int_equal(view.vrm_version, -1);
  assert_int_equal(view.collider_count, 3);
  check_vector(view.colliders[0].from, 1, 2, -3);
  check_vector(view.colliders[1].to, 0, 4, 0);
  check_vector(view.colliders[2].from, 0, 0, 0.5);
  check_near(view.colliders[1].radius, 0.2, 0);
  assert_int_equal(view.colliders[1].node, 7);
  // h1 h2 h3; pin, which leaves it at h2; b1 b2; arm.
  static const int32_t nodes[4][3] = {{1, 2, 3}, {6, -1, -1}, {4, 5, -1}, {7, -1, -1}};
  static const int32_t counts[4] = {3, 1, 2, 1};
  assert_int_equal(view.spring_count, 4);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(view.springs[i].joint_count, counts[i]);
    for (int k = 0; k < counts[i]; ++k) assert_int_equal(view.springs[i].joints[k].node, nodes[i][k]);
    assert_true(view.springs[i].has_tail);
  }
  assert_string_equal(view.springs[2].name, "hair");
  const pl_character_spring_joint *joint = &view.springs[0].joints[1];
  check_near(joint->stiffness, 0.8, 0);
  check_near(joint->drag, 0.6, 0);
  check_near(joint->radius, 0.03, 0);
  check_vector(joint->pull, 0, -0.5, 0.5);
  assert_int_equal(view.springs[0].collider_count, 3);
  assert_int_equal(view.springs[0].colliders[0], 2);
  assert_int_equal(view.springs[0].center, -1);
  assert_int_equal(view.springs[3].center, 0);
  // Seven centimetres on along the last bone.
  check_vector(view.springs[0].tail, 0, -0.07, 0);
  check_vector(view.springs[1].tail, 0.07, 0, 0);
  check_near(view.springs[3].joints[0].drag, 0.4, 0);
  pl_character_destroy(character);
  drop_context(context);
}

// A root below which another group has already taken its bones ends where that begins.
static void vrm0_groups_fraction_no_joints(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_character *character = read_text(
      context,
      NODES ",\"extensions\":{\"VRM\":{\"secondaryAnimation\":{\"boneGroups\":[{\"bones\":[2]},{\"bones\":[1,2]}]}}}",
      NULL);
  pl_character_view view = pl_character_get_view(character);
  assert_int_equal(view.spring_count, 3);
  assert_int_equal(view.springs[2].joint_count, 2);
  assert_int_equal(view.springs[2].joints[0].node, 1);
  assert_int_equal(view.springs[2].joints[1].node, 2);
  assert_false(view.springs[2].has_tail);
  pl_character_destroy(character);
  drop_context(context);
}

static void doubtful_springs_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *springs, *kind;
  } cases[] = {
      {"{\"joints\":[{\"node\":1},{\"node\":3}]}", "skipped-node"},
      {"{\"joints\":[{\"node\":1}]}", "short-spring"},
      {"{\"joints\":[{\"node\":1},{\"node\":2}]},{\"joints\":[{\"node\":1},{\"node\":2}]}", "shared-joint"},
      {"{\"joints\":[{\"node\":7},{\"node\":1}]}", "swaying-collider"},
  };
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char rest[4096];
    snprintf(rest, sizeof rest,
             NODES
             ",\"extensions\":{\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"colliders\":[{\"node\":7,\"shape\":{"
             "\"sphere\":{}}}],"
             "\"springs\":[%s]}}",
             cases[i].springs);
    pl_findings *findings = NULL;
    pl_findings_create(context, &findings, NULL);
    pl_character *character = read_text(context, rest, findings);
    if (!has_finding(findings, cases[i].kind)) fail_msg("no finding %s", cases[i].kind);
    pl_character_destroy(character);
    pl_findings_destroy(findings);
  }
  drop_context(context);
}

static void springs_of_another_version_are_left_out(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_findings_create(context, &findings, NULL);
  pl_character *character = read_text(context,
                                      NODES
                                      ",\"extensions\":{\"VRMC_springBone\":{\"specVersion\":\"3.0\",\"springs\":[{"
                                      "\"joints\":[{\"node\":1},{\"node\":2}]}]}}",
                                      findings);
  assert_int_equal(pl_character_get_view(character).spring_count, 0);
  assert_true(has_finding(findings, "spring-version"));
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vrm1_springs_come_back_number_by_number), cmocka_unit_test(vrm0_springs_are_all_paths_to_leaves),
      cmocka_unit_test(vrm0_groups_fraction_no_joints),          cmocka_unit_test(doubtful_springs_are_reported),
      cmocka_unit_test(springs_of_another_version_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
