// Kinematic meshes in scenes: what follows their nodes and surface, drivers by their joints, and what is refused.
// ctest: unit
#include "fixtures/scene_from_text.h"

#define HEAD "{\"pliant\":1,\"name\":\"test\",\"gravity\":[0,0,0],\"time\":{\"step\":0.005%s},"
#define GIRL                                                                                                        \
  "{\"name\":\"girl\",\"method\":\"kinematic\",\"position\":[0.5,0,0],\"kinematic\":{\"character\":\"walker.glb\"," \
  "\"animation\":\"walk\"}}"

static const char FOLDER[] = PLIANT_SOURCE_DIR "/scenes/walker";

static fixture open_scene(const char *bodies, const char *rest, const char *time) {
  static char text[6000];
  snprintf(text, sizeof text, HEAD "%s\"bodies\":[" GIRL "%s]%s}", time,
           "\"meshes\":{\"box\":{\"box\":{\"size\":[0.1,0.1,0.1],\"cells\":[2,2,2]},\"poses\":[{\"name\":\"flat\","
           "\"scale\":[1,0.5,1]}]}},",
           bodies, rest);
  return open_fixture(text, FOLDER);
}

static void check_built(const fixture *s) {
  char text[1000];
  pl_error_format(&s->error, text, sizeof text);
  if (s->status < 0) fail_msg("%s", text);
}

// Where a node of the walker is at a time, from its file alone.
static pl_transform node_at(pl_context *context, const char *name, double time) {
  pl_character *character = NULL;
  pl_error error = {0};
  check_ok(pl_character_load(context, PLIANT_SOURCE_DIR "/scenes/walker/walker.glb", &character, NULL, &error), &error);
  pl_transform nodes[64];
  pl_character_sample(character, 0, time, nodes, NULL);
  pl_transform at = nodes[pl_character_find_node(character, name)];
  pl_character_destroy(character);
  at.position.x += 0.5;
  return at;
}

static void bodies_and_chains_follow_nodes(void **state) {
  (void)state;
  fixture s = open_scene(
      ",{\"name\":\"box\",\"mesh\":\"box\",\"position\":[0.5,1.1,0.3],\"collides\":false},"
      "{\"name\":\"cloth\",\"mesh\":\"box\",\"method\":\"fem\",\"position\":[0.5,1.3,0.3],\"collides\":false},"
      "{\"name\":\"hair\",\"method\":\"rod\",\"collides\":false,\"rod\":{\"joints\":[{\"name\":\"h\",\"position\":[0.5,"
      "1.7,0.2],"
      "\"body\":\"girl\",\"node\":\"head\"}],\"chains\":[{\"name\":\"c\",\"points\":[[0.5,1.7,0.2],[0.5,1.8,0.2]]}]}}",
      ",\"attachments\":[{\"a\":\"box\",\"b\":\"girl\",\"node\":\"leftHand\",\"particles\":[0,1,2,5]},"
      "{\"a\":\"cloth\",\"b\":\"girl\",\"node\":\"hips\",\"particles\":[0,1,2,5]}]",
      "");
  check_built(&s);
  pl_body_id bodies[4];
  for (int i = 0; i < 4; ++i) bodies[i] = pl_scene_instance_get_body(s.set, i).id;
  pl_vec3 starts[2][27], now[27];
  pl_transform hand = node_at(s.context, "leftHand", 0), hips = node_at(s.context, "hips", 0);
  pl_transform head = {{0.5, 1.5, 0}, pl_quat_identity()};
  for (int k = 0; k < 2; ++k) assert_int_equal(pl_body_get_positions(s.world, bodies[1 + k], starts[k]), PL_OK);
  double worst = 0;
  for (int step = 1; step <= 300; ++step) {
    check_ok(pl_world_step(s.world, NULL, &s.error), &s.error);
    if (step % 20 != 0) continue;
    double time = pl_world_get_time(s.world);
    const int32_t held[4] = {0, 1, 2, 5};
    for (int k = 0; k < 2; ++k) {
      pl_transform from = k == 0 ? hand : hips, to = node_at(s.context, k == 0 ? "leftHand" : "hips", time);
      assert_int_equal(pl_body_get_positions(s.world, bodies[1 + k], now), PL_OK);
      for (int i = 0; i < 4; ++i) {
        pl_vec3 goal = pl_transform_apply(to, pl_transform_apply_inverse(from, starts[k][held[i]]));
        worst = fmax(worst, pl_vec3_distance(now[held[i]], goal));
      }
    }
    // The chain's root is where the head carries it from its rest pose.
    assert_int_equal(pl_body_get_positions(s.world, bodies[3], now), PL_OK);
    pl_vec3 root = pl_transform_apply(node_at(s.context, "head", time),
                                      pl_transform_apply_inverse(head, (pl_vec3){0.5, 1.7, 0.2}));
    worst = fmax(worst, pl_vec3_distance(now[1], root));
  }
  print_message("what is tied to nodes is at most %.2e m off\n", worst);
  check_at_most(worst, 1e-4);
  close_fixture(&s);
}

// The angle of the knee, by which an example is driven, against the file's own.
static void joints_drive_examples(void **state) {
  (void)state;
  fixture s = open_scene(
      ",{\"name\":\"box\",\"mesh\":\"box\",\"position\":[3,1,0],\"solid\":{\"examples\":[\"flat\"]},\"driver\":{"
      "\"kind\":\"angle\","
      "\"body\":\"girl\",\"joint\":\"leftLowerLeg\",\"keys\":[{\"at\":0,\"weights\":[0]},{\"at\":100,\"weights\":[1]}]}"
      "}",
      "", "");
  check_built(&s);
  double largest = 0;
  for (int step = 1; step <= 400; ++step) {
    check_ok(pl_world_step(s.world, NULL, &s.error), &s.error);
    if (step % 25 != 0) continue;
    double time = pl_world_get_time(s.world), weight;
    assert_int_equal(pl_body_get_weights(s.world, pl_scene_instance_get_body(s.set, 1).id, 0, &weight), PL_OK);
    pl_quat thigh = node_at(s.context, "leftUpperLeg", time).rotation,
            shin = node_at(s.context, "leftLowerLeg", time).rotation;
    pl_quat bend = pl_quat_multiply(pl_quat_conjugate(thigh), shin);
    double degrees = 2 * acos(fmin(1, fabs(bend.w))) * 180 / PL_PI;
    check_near(weight, degrees / 100, 1e-3);
    largest = fmax(largest, weight);
  }
  check_at_most(0.4, largest);
  close_fixture(&s);
}

// A pre-roll lets what hangs come to rest, and the clock starts at zero.
static void a_pre_roll_comes_before_the_first_frame(void **state) {
  (void)state;
  pl_vec3 now[27];
  double lows[2];
  for (int rolls = 0; rolls < 2; ++rolls) {
    fixture s = open_scene(
        ",{\"name\":\"box\",\"mesh\":\"box\",\"method\":\"fem\",\"fem\":{\"young\":2000},\"position\":[3,1,0],"
        "\"velocity\":[0,-0.1,0]}",
        "", rolls ? ",\"pre_roll\":0.5" : "");
    check_built(&s);
    assert_int_equal(pl_world_step_count(s.world), 0);
    assert_int_equal(pl_body_get_positions(s.world, pl_scene_instance_get_body(s.set, 1).id, now), PL_OK);
    lows[rolls] = now[0].y;
    pl_vec3 *points = malloc(4000 * sizeof *points);
    // The walker stands as at the start of her animation.
    assert_int_equal(pl_body_get_positions(s.world, pl_scene_instance_get_body(s.set, 0).id, points), PL_OK);
    check_at_most(fabs(pl_body_get_report(s.world, pl_scene_instance_get_body(s.set, 0).id).center.z), 0.1);
    free(points);
    close_fixture(&s);
  }
  check_near(lows[0] - lows[1], 0.05, 1e-3);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    const char *bodies, *rest, *kind;
  } CASES[] = {
      {",{\"name\":\"b\",\"mesh\":\"box\"}",
       ",\"attachments\":[{\"a\":\"b\",\"b\":\"girl\",\"node\":\"leftHnd\",\"particles\":[0]}]", "unknown-node"},
      {",{\"name\":\"b\",\"mesh\":\"box\"}",
       ",\"attachments\":[{\"a\":\"b\",\"b\":\"b\",\"node\":\"leftHand\",\"particles\":[0]}]", "unknown-node"},
      {",{\"name\":\"b\",\"method\":\"kinematic\"}", "", "kinematic-choice"},
      {",{\"name\":\"b\",\"method\":\"kinematic\",\"kinematic\":{\"cache\":\"walker.glb\"}}", "", "missing-key"},
      {",{\"name\":\"b\",\"method\":\"kinematic\",\"mesh\":\"box\",\"kinematic\":{\"cache\":\"walker.glb\"}}", "",
       "motion-failed"},
      {",{\"name\":\"b\",\"method\":\"kinematic\",\"kinematic\":{\"character\":\"walker.glb\",\"animation\":\"wlk\"}}",
       "", "unknown-animation"},
      {",{\"name\":\"b\",\"method\":\"kinematic\",\"kinematic\":{\"character\":\"walker.glb\",\"motion\":\"skirt.obj\"}"
       "}",
       "", "motion-failed"},
      {",{\"name\":\"b\",\"mesh\":\"box\",\"solid\":{\"examples\":[\"flat\"]},\"driver\":{\"kind\":\"morph\",\"body\":"
       "\"girl\",\"morphs\":[\"smile\"]}}",
       "", "driver"},
      {",{\"name\":\"b\",\"method\":\"rod\",\"rod\":{\"joints\":[{\"name\":\"h\",\"body\":\"nobody\",\"node\":\"head\"}"
       "],\"chains\":[{\"name\":\"c\",\"points\":[[0,0,0],[0,1,0]]}]}}",
       "", "unknown-body"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    fixture s = open_scene(CASES[i].bodies, CASES[i].rest, "");
    assert_true(s.status < 0);
    bool found = false;
    for (int32_t k = 0; k < pl_findings_count(s.findings, PL_SEVERITY_NOTE); ++k)
      found = found || strcmp(pl_findings_get(s.findings, k)->kind, CASES[i].kind) == 0;
    if (!found) fail_msg("case %d has no finding of the kind %s", (int)i, CASES[i].kind);
    close_fixture(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_and_chains_follow_nodes),
      cmocka_unit_test(joints_drive_examples),
      cmocka_unit_test(a_pre_roll_comes_before_the_first_frame),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
