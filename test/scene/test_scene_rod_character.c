#define _POSIX_C_SOURCE 200809L
// Characters in scenes: their animation moves the kinematic joints, numbers of the scene replace those of the file only
// where they are written, and what is wrong with them is reported at its position.
// ctest: unit
#include <unistd.h>

#include "fixtures/scene_from_text.h"
#include "pliant/math.h"
#include "pliant/pliant.h"

static const pl_finding *finding_of(const fixture *s, const char *kind) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i)
    if (strcmp(pl_findings_get(s->findings, i)->kind, kind) == 0) return pl_findings_get(s->findings, i);
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    char text[1024];
    pl_finding_format(pl_findings_get(s->findings, i), text, sizeof text);
    print_message("%s [%s]\n", text, pl_findings_get(s->findings, i)->kind);
  }
  fail_msg("no finding of kind %s; %s", kind, s->error.text);
  return NULL;
}

// A head with an ear of three points that has one example. Its animation `nod` carries the head from x = 0 to x = 1
// within a second.
static const char *const HEAD =
    "{\"pliant\": 1, \"name\": \"h\", \"meshes\": {\"m\": {\"box\": {\"size\": [0.1, 0.6, 0.1], \"cells\": [1, 3, "
    "1]}}}, "
    "\"bodies\": [{\"name\": \"h\", \"mesh\": \"m\", \"method\": \"rod\", \"rod\": {\"stiffness\": 0.25, "
    "\"density\": 500,"
    " \"joints\": [{\"name\": \"head\"}], \"chains\": [{\"name\": \"ear\", \"points\": [[0, 0.1, 0], [0, 0.2, 0], [0, "
    "0.3, 0]], "
    "\"radius\": 0.02, \"examples\": [{\"name\": \"bent\", \"direction\": [0, 0, 1], \"curl\": {\"degrees\": "
    "60}}]}]}}]}";

static void write_head(const char *path) {
  fixture s = open_fixture(HEAD, ".");
  check_ok(s.status, &s.error);
  pl_scene_instance_body body = pl_scene_instance_get_body(s.set, 0);
  enum { FRAMES = 11, JOINTS = 4 };
  assert_int_equal(body.rod_def->joint_count, JOINTS);
  pl_transform joints[FRAMES * JOINTS];
  const int32_t nodes[JOINTS] = {0, -1, -1, -1};
  for (int f = 0; f < FRAMES; ++f)
    for (int j = 0; j < JOINTS; ++j) {
      joints[f * JOINTS + j] = body.rod_def->joints[j].rest;
      joints[f * JOINTS + j].position.x += f / 10.0;
    }
  pl_character_motion motion = {"nod", 10, FRAMES, JOINTS, nodes, joints, NULL, NULL, 0};
  pl_character_save_def def = pl_default_character_save_def();
  def.rod = body.rod_def;
  def.motion = &motion;
  def.name = "head";
  check_ok(pl_character_save(s.context, &def, path, &s.error), &s.error);
  close_fixture(&s);
}

#define SCENE(rod, more)                                                                                               \
  "{\"pliant\": 1, \"name\": \"t\", \"gravity\": [0, 0, 0], \"camera\": {\"eye\": [0, 0.1, 9], \"target\": [0, 0, "    \
  "0]},\n"                                                                                                             \
  " \"bodies\": [{\"name\": \"h\", \"method\": \"rod\", \"position\": [0, 0, 2], \"rotation\": {\"axis\": [0, 1, 0], " \
  "\"degrees\": 90}" more ",\n   \"rod\": {" rod "}}]}"

static int32_t find_joint(const pl_rod_def *def, const char *name) {
  for (int32_t i = 0; i < def->joint_count; ++i)
    if (strcmp(def->joints[i].name, name) == 0) return i;
  fail_msg("no joint %s", name);
  return -1;
}

static pl_transform joint_at(fixture *s, double time) {
  pl_world *world = pl_scene_instance_get_world(s->set);
  pl_scene_instance_body body = pl_scene_instance_get_body(s->set, 0);
  while (pl_world_get_time(world) < time - 1e-9) check_ok(pl_world_step(world, NULL, &s->error), &s->error);
  pl_transform joints[16];
  assert_true(body.rod_def->joint_count <= 16);
  check_ok(pl_rod_get_joints(world, body.id, joints), NULL);
  return joints[find_joint(body.rod_def, "head")];
}

static void an_animation_moves_the_led_joints_where_the_body_is_put(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_scene_rod_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/head.glb", folder);
  write_head(path);
  fixture s = open_fixture(SCENE("\"character\": \"head.glb\", \"animation\": \"nod\", \"loop\": true", ""), folder);
  check_ok(s.status, &s.error);
  pl_scene_instance_body body = pl_scene_instance_get_body(s.set, 0);
  assert_non_null(body.character);
  assert_non_null(body.nodes);
  assert_null(body.mesh);
  // x of the character is -z of the world here; after a second it begins again.
  check_near(joint_at(&s, 0.5).position.z, 1.5, 1e-5);
  check_near(joint_at(&s, 1).position.z, 1, 1e-5);
  check_near(joint_at(&s, 1.25).position.z, 1.75, 1e-5);
  close_fixture(&s);

  // Without an animation it stays at rest, and examples still see the camera.
  s = open_fixture(SCENE("\"character\": \"head.glb\"", ""), folder);
  check_ok(s.status, &s.error);
  check_near(joint_at(&s, 0.5).position.z, 2, 1e-9);
  close_fixture(&s);
  unlink(path);
  rmdir(folder);
}

static void numbers_of_the_file_hold_where_the_scene_has_none(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_scene_rod_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/head.glb", folder);
  write_head(path);
  // 0.1 is what a rod of a scene has when nothing is written; here it is written.
  fixture s = open_fixture(SCENE("\"character\": \"head.glb\", \"stiffness\": 0.1", ""), folder);
  check_ok(s.status, &s.error);
  const pl_rod_def *def = pl_scene_instance_get_body(s.set, 0).rod_def;
  check_near(def->stiffness, 0.1, 0);
  check_near(def->density, 500, 1e-9);
  assert_int_equal(def->example_count, 1);
  check_near(def->examples[0].extent, 40 * PL_PI / 180, 1e-6);
  close_fixture(&s);
  unlink(path);
  rmdir(folder);
}

static void troubles_of_a_character_are_reported_at_its_position(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_scene_rod_XXXXXX", path[64], broken[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/head.glb", folder);
  snprintf(broken, sizeof broken, "%s/broken.glb", folder);
  write_head(path);
  FILE *file = fopen(broken, "w");
  assert_non_null(file);
  fputs("glTF, but not really", file);
  fclose(file);
  const struct {
    const char *text, *kind, *field, *fix;
  } cases[] = {
      {SCENE("\"character\": \"head.glb\", \"animation\": \"nodd\"", ""), "unknown-animation",
       "bodies[0].rod.animation", "nod"},
      {SCENE("\"character\": \"broken.glb\"", ""), "character-failed", "bodies[0].rod.character", "export"},
      {SCENE("\"character\": \"head.glb\", \"chains\": []", ""), "rod-source", "bodies[0].rod.chains", "take out"},
      {SCENE("\"character\": \"none.glb\"", ""), "missing-file", "bodies[0].rod.character", "relative"},
      {SCENE("\"character\": \"head.glb\", \"springs\": [{\"nodes\": [\"ear\"], \"examples\": [{\"name\": \"e\", "
             "\"turns\": [{\"joint\": 1, \"degrees\": 9}]}]}]",
             ""),
       "missing-key", "bodies[0].rod.springs[0].examples[0].turns[0]", "add `node`"},
      {SCENE("\"character\": \"head.glb\", \"springs\": [{\"nodes\": [\"ear\"], \"examples\": [{\"name\": \"e\", "
             "\"points\": [[0, 0, 0]], \"curl\": {\"degrees\": 9}}]}]",
             ""),
       "unused-key", "bodies[0].rod.springs[0].examples[0].points", "turns"},
      {SCENE("\"chains\": [{\"name\": \"c\", \"points\": [[0, 0, 0], [0, 1, 0]], \"examples\": [{\"name\": \"e\", "
             "\"turns\": [{\"node\": \"x\", \"joint\": 0, \"degrees\": 9}]}]}]",
             ""),
       "unused-key", "bodies[0].rod.chains[0].examples[0].turns[0].node", "take it out"},
      {SCENE("\"animation\": \"nod\", \"chains\": []", ""), "rod-source", "bodies[0].rod.animation", "character"},
      {SCENE("\"character\": \"head.glb\"", ", \"driver\": {\"kind\": \"constant\", \"weights\": [1, 0]}"), "driver",
       "bodies[0].driver", "one number per example"},
      {SCENE("\"character\": \"head.glb\"",
             ", \"driver\": {\"kind\": \"constant\", \"weights\": [1], \"chain\": \"eat\"}"),
       "driver", "bodies[0].driver.chain", "ear"},
      {SCENE("\"character\": \"head.glb\"",
             ", \"driver\": {\"kind\": \"angle\", \"joint\": \"haed\", \"keys\": [{\"at\": 0, \"weights\": [1]}]}"),
       "driver", "bodies[0].driver.joint", "head"},
      {SCENE("\"character\": \"head.glb\"", ", \"driver\": {\"kind\": \"projection\"}"), "driver", "bodies[0].driver",
       "view"},
      {SCENE("\"character\": \"head.glb\"",
             ", \"driver\": {\"kind\": \"speed\", \"keys\": [{\"time\": 0, \"weights\": [1]}]}"),
       "missing-key", "bodies[0].driver.keys[0]", "add"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    fixture s = open_fixture(cases[k].text, folder);
    assert_true(s.status < 0);
    assert_null(s.set);
    const pl_finding *finding = finding_of(&s, cases[k].kind);
    assert_string_equal(finding->field, cases[k].field);
    if (strstr(finding->fix, cases[k].fix) == NULL) fail_msg("case %d: fix is \"%s\"", (int)k, finding->fix);
    assert_true(finding->line > 0);
    close_fixture(&s);
  }
  unlink(path);
  unlink(broken);
  rmdir(folder);
}

static void every_allocation_of_a_character_scene_may_fail(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_scene_rod_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/head.glb", folder);
  write_head(path);
  const char *text = SCENE(
      "\"character\": \"head.glb\", \"animation\": \"nod\", \"springs\": [{\"nodes\": [\"ear_0\"], \"max_angle\": 40, "
      "\"tail_length\": 0.1, \"examples\": [{\"name\": \"b\", \"direction\": [0, 0, 1], \"curl\": {\"degrees\": "
      "20}}]}], "
      "\"colliders\": [{\"joint\": \"head\", \"shape\": \"capsule\", \"radius\": 0.02, \"half_length\": 0.01}]",
      "");
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t n = 1;
  for (;; ++n) {
    int64_t live = allocator.live_count;
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_error error = {0};
    pl_scene *scene = NULL;
    pl_scene_instance *set = NULL;
    pl_scene_build_def def = pl_default_scene_build_def();
    pl_status status =
        pl_scene_load_memory(context, &(pl_memory_source){text, strlen(text), "m.json", folder}, &scene, NULL, &error);
    if (status >= 0) status = pl_scene_build(context, &def, scene, &set, NULL, &error);
    if (status >= 0) status = pl_world_step(pl_scene_instance_get_world(set), NULL, &error);
    pl_scene_instance_destroy(set);
    pl_scene_destroy(scene);
    assert_int_equal(allocator.live_count, live);
    if (status >= 0) break;
    if (status != PL_ERROR_OUT_OF_MEMORY) fail_msg("allocation %d: %s: %s", (int)n, pl_status_text(status), error.text);
  }
  print_message("survived %d failing allocations\n", (int)n - 1);
  assert_true(n > 30);
  drop_context(context);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_animation_moves_the_led_joints_where_the_body_is_put),
      cmocka_unit_test(numbers_of_the_file_hold_where_the_scene_has_none),
      cmocka_unit_test(troubles_of_a_character_are_reported_at_its_position),
      cmocka_unit_test(every_allocation_of_a_character_scene_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
