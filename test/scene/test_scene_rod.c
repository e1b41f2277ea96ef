#define _POSIX_C_SOURCE 200809L
// Rod bodies in scenes: skeletons written in the document, characters, drivers, settling, replaced values, and what is
// said about mistakes.
// ctest: unit
#include <unistd.h>

#include "fixtures/scene_from_text.h"
#include "pliant/math.h"
#include "pliant/pliant.h"

static void step_to(fixture *s, double time) {
  pl_world *world = pl_scene_instance_get_world(s->set);
  while (pl_world_get_time(world) < time - 1e-9) check_ok(pl_world_step(world, NULL, &s->error), &s->error);
}

// An ear of five points that bends left when seen from the right, and the other way round.
#define EAR_POINTS "\"points\": [[0, 0, 0], [0, 0.1, 0], [0, 0.2, 0], [0, 0.3, 0], [0, 0.4, 0]]"
#define EAR_EXAMPLES                                                                                                  \
  "\"examples\": [{\"name\": \"left\", \"direction\": [1, 0, 0], \"extent\": 40, \"curl\": {\"axis\": [0, 0, 1], "    \
  "\"degrees\": "                                                                                                     \
  "80}},"                                                                                                             \
  "{\"name\": \"right\", \"direction\": [-1, 0, 0], \"extent\": 40, \"turns\": [{\"joint\": 2, \"axis\": [0, 0, 1], " \
  "\"degrees\": "                                                                                                     \
  "-60}]}]"
#define EAR_CAMERA                                                                                                    \
  "\"camera\": {\"eye\": [0, 0, 3], \"target\": [0, 0, 0], \"path\": [{\"time\": 0, \"eye\": [0, 0, 3], \"target\": " \
  "[0, 0, 0]},"                                                                                                       \
  " {\"time\": 1, \"eye\": [3, 0, 0], \"target\": [0, 0, 0]}, {\"time\": 2, \"eye\": [3, 0, 0], \"target\": [0, 0, "  \
  "0]}]}"
#define SCENE(rod, more)                                                                                            \
  "{\"pliant\": 1, \"name\": \"t\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"ear\", \"method\": \"rod\", " \
  "\"rod\": {" rod "}}]" more "}"
#define EAR(more) \
  SCENE("\"chains\": [{\"name\": \"ear\", " EAR_POINTS ", \"radius\": 0.02, " EAR_EXAMPLES "}]" more, ", " EAR_CAMERA)

static void examples_follow_the_camera_of_the_scene(void **state) {
  (void)state;
  fixture s = open_fixture(EAR(""), ".");
  check_ok(s.status, &s.error);
  assert_int_equal(pl_findings_count(s.findings, PL_SEVERITY_WARNING), 0);
  pl_world *world = pl_scene_instance_get_world(s.set);
  pl_scene_instance_body body = pl_scene_instance_get_body(s.set, 0);
  double weights[2];
  step_to(&s, 0.1);
  check_ok(pl_body_get_weights(world, body.id, 0, weights), NULL);
  assert_true(weights[0] < 0.1 && weights[1] < 0.1);
  step_to(&s, 1.5);
  check_ok(pl_body_get_weights(world, body.id, 0, weights), NULL);
  check_near(weights[0], 1, 1e-6);
  // The tip has gone left, and the surface with it: a rod without a mesh shows tubes.
  pl_vec3 x[8];
  check_ok(pl_body_get_positions(world, body.id, x), NULL);
  assert_true(x[5].x < -0.1);
  assert_null(body.mesh);
  assert_non_null(body.surface);
  assert_non_null(body.rod_def);
  assert_true(pl_model_get_report(pl_body_get_model(world, body.id)).surface_point_count ==
              pl_mesh_get_view(body.surface).point_count);
  close_fixture(&s);
}

static void led_joints_move_by_their_keys(void **state) {
  (void)state;
  fixture s =
      open_fixture(SCENE("\"joints\": [{\"name\": \"neck\", \"position\": [0, -1, 0]}, {\"name\": \"head\", "
                         "\"position\": [0, 0, 0], \"keys\": "
                         "[{\"time\": 0}, {\"time\": 1, \"position\": [0.5, 0, 0], \"rotation\": {\"axis\": [0, 1, 0], "
                         "\"degrees\": 90}}]}],"
                         "\"chains\": [{\"name\": \"ear\", \"base\": \"head\", " EAR_POINTS ", \"radius\": 0.02}]",
                         ""),
                   ".");
  check_ok(s.status, &s.error);
  step_to(&s, 0.5);
  pl_transform joints[8];
  check_ok(pl_rod_get_joints(pl_scene_instance_get_world(s.set), pl_scene_instance_get_body(s.set, 0).id, joints),
           NULL);
  check_near(joints[1].position.x, 0.25, 1e-6);
  check_near(joints[2].position.x, 0.25, 1e-6);  // the root goes with it
  check_near(joints[1].rotation.y, sin(PL_PI / 8), 1e-6);
  close_fixture(&s);
}

static void trees_loops_and_colliders_can_be_written(void **state) {
  (void)state;
  fixture s = open_fixture(SCENE("\"chains\": [{\"name\": \"antler\", " EAR_POINTS
                                 ", \"radius\": 0.02, \"tip_radius\": 0.01, \"max_angle\": 30, \"branches\": "
                                 "[{\"at\": 2, \"points\": [[0.1, 0.25, 0], [0.2, 0.3, 0]], \"branches\": [{\"at\": 0, "
                                 "\"points\": [[0.1, 0.3, 0.1]]}]}],"
                                 "\"links\": [[6, 4]], \"colliders\": [\"skull\"]}], \"colliders\": [{\"name\": "
                                 "\"skull\", \"shape\": \"sphere\", "
                                 "\"radius\": "
                                 "0.1, "
                                 "\"position\": [0, -0.15, 0]}]",
                                 ""),
                           ".");
  check_ok(s.status, &s.error);
  pl_rod_report report =
      pl_rod_get_report(pl_body_get_model(pl_scene_instance_get_world(s.set), pl_scene_instance_get_body(s.set, 0).id));
  assert_int_equal(report.joint_count, 1 + 5 + 2 + 1);
  assert_int_equal(report.link_count, 1);
  assert_int_equal(pl_scene_instance_get_body(s.set, 0).rod_def->collider_count, 1);
  step_to(&s, 0.2);
  close_fixture(&s);
}

static void weights_by_angle_and_speed(void **state) {
  (void)state;
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"t\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"ear\", \"method\": \"rod\", "
      "\"driver\": "
      "[{\"kind\": \"angle\", "
      "\"chain\": \"a\", \"joint\": \"head\", \"keys\": [{\"at\": 0, \"weights\": [0]}, {\"at\": 90, \"weights\": "
      "[1]}]}, "
      "{\"kind\": \"speed\", \"chain\": \"b\","
      " \"joint\": \"head\", \"keys\": [{\"at\": 0, \"weights\": [0]}, {\"at\": 2, \"weights\": [1]}]}], \"rod\": "
      "{\"joints\": "
      "[{\"name\": \"head\", \"keys\": "
      "[{\"time\": 0}, {\"time\": 1, \"position\": [1, 0, 0], \"rotation\": {\"axis\": [0, 0, 1], \"degrees\": "
      "90}}]}], "
      "\"chains\": ["
      "{\"name\": \"a\", " EAR_POINTS
      ", \"examples\": [{\"name\": \"e\", \"curl\": {\"axis\": [0, 0, 1], \"degrees\": 40}}]},"
      "{\"name\": \"b\", " EAR_POINTS
      ", \"examples\": [{\"name\": \"e\", \"curl\": {\"axis\": [0, 0, 1], \"degrees\": 40}}]}]}}]}",
      ".");
  check_ok(s.status, &s.error);
  step_to(&s, 0.5);
  double weight;
  check_ok(pl_body_get_weights(pl_scene_instance_get_world(s.set), pl_scene_instance_get_body(s.set, 0).id, 0, &weight),
           NULL);
  check_near(weight, 0.5, 0.01);  // half of 90 degrees
  check_ok(pl_body_get_weights(pl_scene_instance_get_world(s.set), pl_scene_instance_get_body(s.set, 0).id, 1, &weight),
           NULL);
  check_near(weight, 0.5, 0.01);  // 1 of 2 m/s
  close_fixture(&s);
}

static void bodies_settle_before_the_clock_starts(void **state) {
  (void)state;
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"t\", \"time\": {\"warm_up\": 6}, \"bodies\": [{\"name\": \"ear\", \"method\": "
      "\"rod\", \"rod\": "
      "{\"damping\": 4, "
      "\"stiffness\": 0.01, \"chains\": [{\"name\": \"whisker\", \"points\": [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], "
      "\"radius\": "
      "0.01}]}}]}",
      ".");
  check_ok(s.status, &s.error);
  pl_world *world = pl_scene_instance_get_world(s.set);
  assert_true(pl_world_get_time(world) == 0);
  pl_vec3 x[4];
  check_ok(pl_body_get_positions(world, pl_scene_instance_get_body(s.set, 0).id, x), NULL);
  assert_true(x[3].y < -1e-3);  // it hangs already
  assert_true(pl_body_get_report(world, pl_scene_instance_get_body(s.set, 0).id).max_speed < 1e-2);
  close_fixture(&s);
}

// A body is skinned by itself: points around the chain follow it, others the kinematic joint.
static void a_mesh_is_skinned_to_the_skeleton(void **state) {
  (void)state;
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"t\", \"gravity\": [0, 0, 0], \"meshes\": {\"head\": {\"triangles\": 2000, "
      "\"shape\": {\"kind\": "
      "\"union\", \"smoothness\": 0.02, "
      "\"children\": [{\"kind\": \"ellipsoid\", \"size\": [0.15, 0.15, 0.15], \"position\": [0, -0.12, 0]}, {\"kind\": "
      "\"capsule\", \"from\": [0, 0, 0], "
      "\"to\": [0, 0.4, 0], \"radius\": 0.03}]}}}, \"bodies\": [{\"name\": \"bunny\", \"mesh\": \"head\", \"method\": "
      "\"rod\", "
      "\"driver\": {\"kind\": "
      "\"constant\", \"weights\": [1]}, \"rod\": {\"chains\": [{\"name\": \"ear\", " EAR_POINTS
      ", \"radius\": 0.03, \"examples\": [{\"name\": \"bent\", "
      "\"turns\": [{\"joint\": 2, \"axis\": [0, 0, 1], \"degrees\": 90}]}]}]}}]}",
      ".");
  check_ok(s.status, &s.error);
  pl_world *world = pl_scene_instance_get_world(s.set);
  pl_scene_instance_body body = pl_scene_instance_get_body(s.set, 0);
  step_to(&s, 0.05);
  pl_mesh_view rest = pl_mesh_get_view(body.surface);
  pl_vec3 *now = malloc((size_t)rest.point_count * sizeof *now);
  assert_non_null(now);
  check_ok(pl_body_get_surface(world, body.id, now), NULL);
  double low = 0, high = 0;
  for (int32_t i = 0; i < rest.point_count; ++i) {
    pl_vec3 p = rest.points[i];
    if (p.y < -0.1) low = fmax(low, pl_vec3_distance(now[i], p));
    // Beyond the bend by more than a segment, all of the ear is turned by a right angle around its second point.
    if (p.y > 0.32) high = fmax(high, pl_vec3_distance(now[i], (pl_vec3){-(p.y - 0.2), 0.2 + p.x, p.z}));
  }
  printf("skin: head moved by %.1e m, ear misses its pose by %.1e m\n", low, high);
  assert_true(low < 1e-6 && high < 0.012);
  free(now);
  close_fixture(&s);
}

static void values_can_be_replaced(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_override_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/scene.json", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(EAR(""), file);
  fclose(file);
  const struct {
    const char *path, *value, *complaint;
  } cases[] = {
      {"bodies[0].rod.ghost_momentum", "keep", NULL},
      {"bodies[0].rod.stiffness", "0.5", NULL},
      {"time.frames", "7", NULL},
      {"bodies[0].rod.chains[0].points[4]", "[0, 0.39, 0.03]", NULL},
      {"bodies[0].rod.ghost_momentun", "keep", "ghost_momentum"},
      {"bodies[0].rod.ghost_momentum", "nonsense", "nonsense"},
      {"bodies[7].name", "x", "no such value"},
      {"bodies[0", "x", "no such value"},
      {"", "x", "no such value"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    fixture s = {.context = make_context(1)};
    check_ok(pl_findings_create(s.context, &s.findings, &s.error), &s.error);
    pl_scene_override override = {cases[k].path, cases[k].value};
    s.status = pl_scene_load_with(s.context, path, &(pl_scene_overrides){&override, 1}, &s.scene, s.findings, &s.error);
    if (cases[k].complaint == NULL) {
      check_ok(s.status, &s.error);
      if (k == 2) assert_int_equal(pl_scene_get_report(s.scene).frame_count, 7);
    } else {
      assert_true(s.status < 0);
      if (strstr(s.error.text, cases[k].complaint) == NULL)
        print_error("%s=%s: %s\n", cases[k].path, cases[k].value, s.error.text);
      assert_non_null(strstr(s.error.text, cases[k].complaint));
    }
    close_fixture(&s);
  }
  remove(path);
  rmdir(folder);
}

// Mistakes: what is written, and words that the finding about it must hold.
static void mistakes_are_reported_with_their_position(void **state) {
  (void)state;
  const struct {
    const char *text, *words;
  } cases[] = {
      {SCENE("\"chains\": [{\"name\": \"a\", \"points\": [[0, 0, 0]]}]", ""), "a"},
      {SCENE("\"chains\": [{\"name\": \"a\", \"points\": [[0, 0, 0], [0, 0, 0], [0, 1, 0]]}]", ""), "length"},
      {SCENE("\"chains\": [{\"name\": \"a\", \"base\": \"hed\", " EAR_POINTS "}], \"joints\": [{\"name\": \"head\"}]",
             ""),
       "head"},
      {SCENE("\"chains\": [{\"name\": \"a\", " EAR_POINTS ", \"examples\": [{\"name\": \"long\", \"points\": [[0, 0, "
             "0], [0, 0.1, 0], [0, 0.2, 0], [0, 0.3, 0], [0, 0.5, 0]]}]}]",
             ""),
       "long"},
      {SCENE("\"chains\": [{\"name\": \"a\", " EAR_POINTS ", \"examples\": [{\"name\": \"blind\", \"direction\": [0, "
             "0, 0], \"extent\": 30, \"curl\": {\"degrees\": 30}}]}]",
             ""),
       "blind"},
      {SCENE("\"chains\": [{\"name\": \"a\", " EAR_POINTS
             ", \"examples\": [{\"name\": \"both\", \"curl\": {\"degrees\": 30}, \"turns\": [{\"joint\": 1, "
             "\"degrees\": 3}]}]}]",
             ""),
       "both"},
      {SCENE("\"chains\": [{\"name\": \"a\", " EAR_POINTS ", \"branches\": [{\"at\": 9, \"points\": [[0, 1, 1]]}]}]",
             ""),
       "9"},
      {SCENE("\"chains\": [{\"name\": \"a\", " EAR_POINTS ", \"colliders\": [\"skul\"]}], \"colliders\": [{\"name\": "
             "\"skull\", \"shape\": \"sphere\", \"radius\": 0.1}]",
             ""),
       "skull"},
      {SCENE("\"chains\": [{\"name\": \"a\", " EAR_POINTS ", \"links\": [[0, 12]]}]", ""), "12"},
      {SCENE("\"character\": \"there-is-none.glb\"", ""), "there-is-none.glb"},
      {SCENE("\"stifness\": 1", ""), "stiffness"},
      {SCENE("", ""), "chains"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    fixture s = open_fixture(cases[k].text, ".");
    bool found = false;
    for (int32_t i = 0; i < pl_findings_count(s.findings, PL_SEVERITY_NOTE); ++i) {
      const pl_finding *f = pl_findings_get(s.findings, i);
      found = found || (f->severity == PL_SEVERITY_ERROR && f->line > 0 &&
                        (strstr(f->you_see, cases[k].words) || strstr(f->fix, cases[k].words)));
    }
    if (s.status >= 0 || !found) {
      print_error("case %d: status %d, %s\n", (int)k, (int)s.status, s.error.text);
      for (int32_t i = 0; i < pl_findings_count(s.findings, PL_SEVERITY_NOTE); ++i) {
        char line[600];
        pl_finding_format(pl_findings_get(s.findings, i), line, sizeof line);
        print_error("  %s\n", line);
      }
    }
    assert_true(s.status < 0 && found);
    close_fixture(&s);
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  const char *text = EAR(", \"colliders\": [{\"shape\": \"sphere\", \"radius\": 0.1, \"position\": [0, -0.2, 0]}]");
  int n = 1;
  for (bool done = false; !done; ++n) {
    failing_allocator allocator = {0};
    pl_context *context = make_failing_context(&allocator);
    pl_findings *findings = NULL;
    pl_scene *scene = NULL;
    pl_scene_instance *set = NULL;
    pl_error error = {0};
    int64_t before = pl_context_get_memory_report(context).block_count;
    allocator.fail_at = allocator.call_count + n;
    pl_scene_build_def def = pl_default_scene_build_def();
    pl_status status = pl_findings_create(context, &findings, &error);
    if (status >= 0)
      status = pl_scene_load_memory(context, &(pl_memory_source){text, strlen(text), "test.json", "."}, &scene,
                                    findings, &error);
    if (status >= 0) status = pl_scene_build(context, &def, scene, &set, findings, &error);
    done = status >= 0;
    if (!done) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    pl_scene_instance_destroy(set);
    pl_scene_destroy(scene);
    pl_findings_destroy(findings);
    assert_int_equal(pl_context_get_memory_report(context).block_count, before);
    pl_context_destroy(context);
  }
  printf("%d allocations\n", n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_follow_the_camera_of_the_scene),
      cmocka_unit_test(led_joints_move_by_their_keys),
      cmocka_unit_test(trees_loops_and_colliders_can_be_written),
      cmocka_unit_test(weights_by_angle_and_speed),
      cmocka_unit_test(bodies_settle_before_the_clock_starts),
      cmocka_unit_test(a_mesh_is_skinned_to_the_skeleton),
      cmocka_unit_test(values_can_be_replaced),
      cmocka_unit_test(mistakes_are_reported_with_their_position),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
