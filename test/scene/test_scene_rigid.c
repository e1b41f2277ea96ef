// Rigid bodies, joints and attachments of scenes: built as the document says, motors by their keys, and mistakes named.
// ctest: unit
#include "fixtures/scene_from_text.h"

#define HEAD "{\"pliant\": 1, \"name\": \"t\", "
#define BODIES                                                                                                    \
  "\"meshes\": {\"m\": {\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}}}, \"bodies\": ["              \
  "{\"name\": \"box\", \"method\": \"rigid\", \"rigid\": {\"shape\": \"box\", \"size\": [0.4, 0.2, 0.2]}},"       \
  "{\"name\": \"hull\", \"mesh\": \"m\", \"method\": \"rigid\", \"position\": [1, 0, 0], \"rigid\": {\"shape\": " \
  "\"hull\"}},"                                                                                                   \
  "{\"name\": \"soft\", \"mesh\": \"m\", \"position\": [0, 0.2, 0]}]"

static void rigid_bodies_have_the_shapes_of_the_document(void **state) {
  (void)state;
  fixture s = open_fixture(HEAD BODIES "}", ".");
  check_ok(s.status, &s.error);
  const pl_model *box = pl_body_get_model(s.world, pl_world_get_body(s.world, 0));
  const pl_model *hull = pl_body_get_model(s.world, pl_world_get_body(s.world, 1));
  check_near(pl_model_get_report(box).mass, 16, 1e-9);
  check_near(pl_model_get_report(hull).mass, 8, 1e-6);
  // What is drawn has the points of the model's surface.
  for (int32_t i = 0; i < 2; ++i) {
    pl_scene_instance_body body = pl_scene_instance_get_body(s.set, i);
    assert_int_equal(pl_mesh_get_view(body.surface).point_count,
                     pl_model_get_report(pl_body_get_model(s.world, body.id)).surface_point_count);
  }
  close_fixture(&s);
}

static void joints_and_attachments_act_and_motors_follow_their_keys(void **state) {
  (void)state;
  fixture s =
      open_fixture(HEAD BODIES
                   ", \"gravity\": [0, 0, 0], \"joints\": [{\"a\": \"box\", \"kind\": \"hinge\", \"axis\": [0, 1, 0], "
                   "\"motor\": \"speed\", \"max_torque\": 1000, \"keys\": [{\"time\": 0.1, \"speed\": 2}, {\"time\": "
                   "0.5, \"speed\": 0}]}], "
                   "\"attachments\": [{\"a\": \"soft\", \"b\": \"box\", \"within\": {\"min\": [-1, 0.05, -1], \"max\": "
                   "[1, 0.15, 1]}}]}",
                   ".");
  check_ok(s.status, &s.error);
  assert_int_equal(pl_world_joint_count(s.world), 1);
  pl_joint_id joint = pl_world_get_joint(s.world, 0);
  pl_attachment_id attachment = pl_world_get_attachment(s.world, 0);
  assert_int_equal(pl_attachment_get_report(s.world, attachment).point_count, 9);
  pl_rigid_motion motion;
  for (int32_t i = 0; i < 240; ++i) {
    check_ok(pl_world_step(s.world, NULL, &s.error), &s.error);
    pl_rigid_get_motion(s.world, pl_world_get_body(s.world, 0), &motion);
    if (i == 20) check_near(motion.angular_velocity.y, 0, 1e-9);
    if (i == 100) check_near(motion.angular_velocity.y, 2, 1e-2);
  }
  check_near(motion.angular_velocity.y, 0, 1e-2);
  check_near(pl_joint_get_report(s.world, joint).position, 0.8, 0.02);
  close_fixture(&s);
}

static bool has_finding(const fixture *s, const char *kind) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_ERROR); ++i)
    if (strcmp(pl_findings_get(s->findings, i)->kind, kind) == 0) return true;
  return false;
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *kind;
  } CASES[] = {
      {HEAD BODIES ", \"joints\": [{\"a\": \"bx\"}]}", "unknown-body"},
      {HEAD BODIES ", \"joints\": [{\"a\": \"soft\"}]}", "joint-failed"},
      {HEAD BODIES ", \"joints\": [{\"a\": \"box\", \"keys\": [{\"time\": 1}]}]}", "no-motor"},
      {HEAD BODIES ", \"attachments\": [{\"a\": \"soft\"}]}", "attachment-choice"},
      {HEAD BODIES ", \"attachments\": [{\"a\": \"soft\", \"particles\": [0], \"group\": \"g\"}]}",
       "attachment-choice"},
      {HEAD "\"bodies\": [{\"name\": \"a\", \"method\": \"rigid\"}]}", "missing-key"},
      {HEAD "\"bodies\": [{\"name\": \"a\", \"method\": \"rigid\", \"rigid\": {\"shape\": \"box\"}, \"solid\": {}}]}",
       "other-method"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    fixture s = open_fixture(CASES[i].text, ".");
    if (s.status >= 0 || !has_finding(&s, CASES[i].kind)) fail_msg("case %zu: no finding %s", i, CASES[i].kind);
    close_fixture(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_bodies_have_the_shapes_of_the_document),
      cmocka_unit_test(joints_and_attachments_act_and_motors_follow_their_keys),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
