#define _POSIX_C_SOURCE 200809L
// Poses of surfaces in scenes: what is fitted, kept, reported and refused.
// ctest: unit threads
#include <unistd.h>

#include "fixtures/scene_from_text.h"

static const char SCENE[] =
    "{\"pliant\": 1, \"name\": \"poses\", \"meshes\": {\"m\": {\"triangles\": 600, \"shape\": {\"kind\": \"capsule\","
    "\"from\": [0, -0.2, 0], \"to\": [0, 0.2, 0], \"radius\": 0.1}, \"poses\": ["
    "{\"name\": \"bent\", \"bend\": 3, \"fit\": true}, {\"name\": \"twisted\", \"twist\": 3, \"fit\": true},"
    "{\"name\": \"unused\", \"twist\": 2, \"fit\": true}]}},"
    "\"bodies\": [{\"name\": \"b\", \"mesh\": \"m\", \"tets\": {\"points\": 200},"
    "\"solid\": {\"examples\": [\"bent\", \"twisted\"]}}]}";

typedef struct built {
  int progress_count;  // of fits
  int body_count;
  uint64_t hash;
  int32_t note_count;
} built;

static void count_lines(void *user, const char *text) {
  built *b = user;
  if (strncmp(text, "fitting pose", 12) == 0)
    ++b->progress_count;
  else
    b->body_count += strncmp(text, "building body 1 of 1: ", 22) == 0;
}

static built build_scene(pl_context *context, const char *text, pl_store store) {
  built b = {0};
  pl_error error = {0};
  pl_findings *findings = NULL;
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  check_ok(pl_findings_create(context, &findings, &error), &error);
  check_ok(pl_scene_load_memory(context, &(pl_memory_source){text, strlen(text), "test.json", "."}, &scene, findings,
                                &error),
           &error);
  pl_scene_build_def def = pl_default_scene_build_def();
  def.store = store;
  def.progress = count_lines;
  def.progress_user = &b;
  check_ok(pl_scene_build(context, &def, scene, &set, findings, &error), &error);
  b.hash = pl_world_get_hash(pl_scene_instance_get_world(set));
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_WARNING), 0);
  for (int32_t i = 0; i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i)
    b.note_count += strcmp(pl_findings_get(findings, i)->kind, "pose-fit") == 0;
  assert_int_equal(pl_mesh_get_view(pl_scene_instance_get_body(set, 0).mesh).pose_count, 2);
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  return b;
}

static void fits_are_kept_and_give_the_same_body(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_error error = {0};
  pl_store store;
  check_ok(pl_store_open_memory(context, &store, &error), &error);
  built first = build_scene(context, SCENE, store), second = build_scene(context, SCENE, store),
        alone = build_scene(context, SCENE, (pl_store){0});
  assert_int_equal(first.progress_count, 2);  // the unused pose is not fitted
  assert_int_equal(second.progress_count, 0);
  assert_int_equal(alone.progress_count, 2);
  assert_int_equal(first.body_count, 1);
  assert_true(first.hash == second.hash && first.hash == alone.hash);
  assert_int_equal(first.note_count, 2);
  assert_int_equal(second.note_count, 2);
  pl_store_close(&store);
  drop_context(context);
  // Several at once, one after the other on one thread, and one after the other on many threads.
  for (int32_t threads = 1; threads <= 8; threads += 7) {
    context = make_context(threads);
    assert_true(build_scene(context, SCENE, (pl_store){0}).hash == first.hash);
    drop_context(context);
  }
}

static void write_text(const char *folder, const char *name, const char *text) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static bool has_kind(const fixture *s, const char *kind, const char *part) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(s->findings, i);
    if (strcmp(finding->kind, kind) == 0 && strstr(finding->you_see, part) != NULL) return true;
  }
  return false;
}

static bool is_offered(const fixture *s, const char *kind, const char *part) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(s->findings, i);
    if (strcmp(finding->kind, kind) == 0 && strstr(finding->fix, part) != NULL) return true;
  }
  return false;
}

static const char FILES[] =
    "{\"pliant\": 1, \"name\": \"files\", \"meshes\": {\"m\": {\"file\": \"a.node\", \"poses\": [{\"name\": \"p\","
    "\"match\": %s, \"file\": \"%s\"}]}}, \"bodies\": [{\"name\": \"b\", \"mesh\": \"m\", \"solid\": {\"examples\": "
    "[\"p\"]}}]}";

static void files_of_poses_are_compared_with_the_mesh(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant-poses-XXXXXX", text[600];
  assert_non_null(mkdtemp(folder));
  write_text(folder, "a.node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n");
  write_text(folder, "a.ele", "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n");
  // Points alone: nothing to compare, and no warning that there are no tets.
  write_text(folder, "points.node", "5 3 0 0\n0 0 0 0\n1 1.2 0 0\n2 0 1 0\n3 0 0 1\n4 1.2 1 1\n");
  // The same body with two vertices exchanged.
  write_text(folder, "permuted.node", "5 3 0 0\n0 1.2 0 0\n1 0 0 0\n2 0 1 0\n3 0 0 1\n4 1.2 1 1\n");
  write_text(folder, "permuted.ele", "2 4 0\n0 1 0 2 3\n1 0 2 3 4\n");
  // The same tets listed in another order are no other order of the vertices.
  write_text(folder, "listed.node", "5 3 0 0\n0 0 0 0\n1 1.2 0 0\n2 0 1 0\n3 0 0 1\n4 1.2 1 1\n");
  write_text(folder, "listed.ele", "2 4 0\n0 2 1 4 3\n1 1 2 0 3\n");
  write_text(folder, "other.node", "5 3 0 0\n0 0 0 0\n1 1.2 0 0\n2 0 1 0\n3 0 0 1\n4 1.2 1 1\n");
  write_text(folder, "other.ele", "2 4 0\n0 0 1 2 3\n1 0 4 1 2\n");
  snprintf(text, sizeof text, FILES, "false", "points.node");
  fixture good = open_fixture(text, folder);
  check_ok(good.status, &good.error);
  assert_int_equal(pl_findings_count(good.findings, PL_SEVERITY_WARNING), 0);
  close_fixture(&good);
  snprintf(text, sizeof text, FILES, "false", "permuted.node");
  fixture bad = open_fixture(text, folder);
  assert_int_equal(bad.status, PL_ERROR_INVALID_DATA);
  assert_true(has_kind(&bad, "pose-faces", "tet 0 is 0 1 2"));
  assert_true(is_offered(&bad, "pose-faces", "\"match\": true"));
  close_fixture(&bad);
  // With what was offered it is the pose of the file in order.
  snprintf(text, sizeof text, FILES, "true", "permuted.node");
  fixture matched = open_fixture(text, folder);
  check_ok(matched.status, &matched.error);
  assert_true(has_kind(&matched, "pose-matched", "2 of 5 vertices"));
  pl_mesh_view view = pl_mesh_get_view(pl_scene_instance_get_body(matched.set, 0).mesh);
  check_near(view.poses[0].points[1].x, 1.2, 1e-12);
  check_near(view.poses[0].points[0].x, 0, 1e-12);
  close_fixture(&matched);
  snprintf(text, sizeof text, FILES, "false", "listed.node");
  fixture listed = open_fixture(text, folder);
  check_ok(listed.status, &listed.error);
  close_fixture(&listed);
  // Another mesh cannot be matched, whether that is asked for or not.
  for (int asked = 0; asked < 2; ++asked) {
    snprintf(text, sizeof text, FILES, asked ? "true" : "false", "other.node");
    fixture other = open_fixture(text, folder);
    assert_int_equal(other.status, PL_ERROR_INVALID_DATA);
    assert_true(has_kind(&other, "pose-faces", "not the same mesh"));
    assert_false(is_offered(&other, "pose-faces", "match"));
    close_fixture(&other);
  }
  const char *const names[] = {"a.node",      "a.ele",      "points.node", "permuted.node", "permuted.ele",
                               "listed.node", "listed.ele", "other.node",  "other.ele"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    snprintf(text, sizeof text, "%s/%s", folder, names[i]);
    assert_int_equal(unlink(text), 0);
  }
  assert_int_equal(rmdir(folder), 0);
}

// A file of 322 m is more likely in centimetres; a scale, even 1, says that its size is meant.
static void a_mesh_of_unlikely_size_is_a_warning(void **state) {
  (void)state;
  static const char form[] =
      "{\"pliant\": 1, \"name\": \"size\", \"meshes\": {\"m\": {\"file\": \"%s.node\"%s}}, \"bodies\": [{\"name\": "
      "\"b\","
      "\"mesh\": \"m\", \"solid\": {}}]}";
  char folder[] = "/tmp/pliant-sizes-XXXXXX", text[600];
  assert_non_null(mkdtemp(folder));
  write_text(folder, "large.node", "4 3 0 0\n0 0 0 0\n1 322 0 0\n2 0 150 0\n3 0 0 100\n");
  write_text(folder, "small.node", "4 3 0 0\n0 0 0 0\n1 0.001 0 0\n2 0 0.001 0\n3 0 0 0.001\n");
  write_text(folder, "usual.node", "4 3 0 0\n0 0 0 0\n1 3 0 0\n2 0 1 0\n3 0 0 0.02\n");
  const struct {
    const char *name, *scale;
    bool doubted;
  } cases[] = {{"large", "", true},
               {"large", ", \"scale\": 1", false},
               {"large", ", \"scale\": 0.01", false},
               {"small", "", true},
               {"usual", "", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    snprintf(text, sizeof text, "%s.ele", cases[i].name);
    write_text(folder, text, "1 4 0\n0 0 1 2 3\n");
    snprintf(text, sizeof text, form, cases[i].name, cases[i].scale);
    fixture s = open_fixture(text, folder);
    check_ok(s.status, &s.error);
    assert_int_equal(has_kind(&s, "unlikely-size", cases[i].name[0] == 'l' ? "322 m" : "0.001 m"), cases[i].doubted);
    close_fixture(&s);
  }
  const char *const names[] = {"large.node", "small.node", "usual.node", "large.ele", "small.ele", "usual.ele"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    snprintf(text, sizeof text, "%s/%s", folder, names[i]);
    assert_int_equal(unlink(text), 0);
  }
  assert_int_equal(rmdir(folder), 0);
}

// Maps by groups of the scene: the heavier half carries more of the mass; a group that is not there is named.
static void maps_are_taken_from_groups(void **state) {
  (void)state;
  static const char form[] =
      "{\"pliant\": 1, \"name\": \"maps\", \"meshes\": {\"m\": {\"box\": {\"size\": [1, 0.2, 0.2], \"cells\": [8, 2, "
      "2]},"
      "\"groups\": [{\"name\": \"half\", \"min\": [0.05, -1, -1], \"max\": [1, 1, 1]}]}},"
      "\"bodies\": [{\"name\": \"b\", \"mesh\": \"m\", \"solid\": {\"maps\": [{\"group\": \"%s\", \"density\": 3, "
      "\"stiffness\": 10}]}}]}";
  char text[900];
  snprintf(text, sizeof text, form, "half");
  fixture s = open_fixture(text, ".");
  check_ok(s.status, &s.error);
  pl_world *world = pl_scene_instance_get_world(s.set);
  pl_body_report body = pl_body_get_report(world, pl_scene_instance_get_body(s.set, 0).id);
  // Of nine layers of points, the end ones half as heavy, four are in the group: 3.5 of 8 parts count three times.
  double expected_mass = 40 * (1 + 2 * 3.5 / 8), moment = 40 * 2 * (0.125 + 0.25 + 0.375 + 0.25) / 8;
  check_near(body.mass, expected_mass, 1e-6 * expected_mass);
  check_near(body.center.x, moment / expected_mass, 1e-6);
  close_fixture(&s);
  snprintf(text, sizeof text, form, "halv");
  fixture bad = open_fixture(text, ".");
  assert_int_equal(bad.status, PL_ERROR_INVALID_DATA);
  close_fixture(&bad);
}

// Where the end of a pushed beam is after a third of a second. Its surface is a file with colours.
static double push_painted_beam(const char *folder, const char *solid) {
  static const char form[] =
      "{\"pliant\": 1, \"name\": \"paint\", \"gravity\": [0, 0, 0], \"meshes\": {\"m\": {\"file\": \"painted.ply\","
      "\"poses\": [{\"name\": \"lean\", \"axis\": \"x\", \"bend\": 1.5}]}}, \"bodies\": [{\"name\": \"b\", \"mesh\": "
      "\"m\", \"tets\": {\"points\": 100}, \"solid\": {\"examples\": [\"lean\"], \"surface_tolerance\": 0.1, "
      "\"damping\": 5%s},"
      "\"pins\": [{\"within\": {\"min\": [-1, -1, -1], \"max\": [-0.35, 1, 1]}}],"
      "\"pushes\": [{\"within\": {\"min\": [0.35, -1, -1], \"max\": [1, 1, 1]}, \"force\": [0, 20, 0]}]}]}";
  char text[1200];
  snprintf(text, sizeof text, form, solid);
  fixture s = open_fixture(text, folder);
  check_ok(s.status, &s.error);
  pl_world *world = pl_scene_instance_get_world(s.set);
  for (int i = 0; i < 80; ++i) check_ok(pl_world_step(world, NULL, &s.error), &s.error);
  double y = pl_body_get_report(world, pl_scene_instance_get_body(s.set, 0).id).center.y;
  close_fixture(&s);
  return y;
}

// All vertices are red and none is green: a fidelity of 0 where it is red is that of the whole body, and one where it
// is green changes nothing.
static void maps_are_taken_from_vertex_colours(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant-paint-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  write_text(folder, "painted.ply",
             "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
             "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 6\n"
             "property list uchar int vertex_indices\nend_header\n"
             "-0.4 -0.1 -0.1 255 0 0\n0.4 -0.1 -0.1 255 0 0\n0.4 0.1 -0.1 255 0 0\n-0.4 0.1 -0.1 255 0 0\n"
             "-0.4 -0.1 0.1 255 0 0\n0.4 -0.1 0.1 255 0 0\n0.4 0.1 0.1 255 0 0\n-0.4 0.1 0.1 255 0 0\n"
             "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n");
  double plain = push_painted_beam(folder, ""), zero = push_painted_beam(folder, ", \"fidelity\": 0");
  double red = push_painted_beam(folder, ", \"maps\": [{\"group\": \"color.red\", \"fidelity\": 0}]");
  double green = push_painted_beam(folder, ", \"maps\": [{\"group\": \"color.green\", \"fidelity\": 0}]");
  print_message("mean height of the pushed beam: %.6f m with its example, %.6f m without; red %.6f m, green %.6f m\n",
                plain, zero, red, green);
  check_at_most(2 * zero, plain);
  check_at_most(fabs(green - plain), 1e-5 * plain);
  check_at_most(fabs(red - zero), 1e-5 * zero);
  snprintf(path, sizeof path, "%s/painted.ply", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

// A pose that folds the surface through itself cannot be met.
static void a_missed_pose_is_a_warning(void **state) {
  (void)state;
  static const char text[] =
      "{\"pliant\": 1, \"name\": \"fold\", \"meshes\": {\"m\": {\"triangles\": 600, \"shape\": {\"kind\": \"capsule\","
      "\"from\": [0, -0.2, 0], \"to\": [0, 0.2, 0], \"radius\": 0.1}, \"poses\": [{\"name\": \"flat\","
      "\"scale\": [1, -0.3, 1], \"fit\": true}]}}, \"bodies\": [{\"name\": \"b\", \"mesh\": \"m\","
      "\"tets\": {\"points\": 100}, \"solid\": {\"examples\": [\"flat\"]}}]}";
  fixture s = open_fixture(text, ".");
  assert_true(has_kind(&s, "pose-missed", "flat") || has_kind(&s, "pose-inverted", "flat"));
  close_fixture(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fits_are_kept_and_give_the_same_body),
      cmocka_unit_test(files_of_poses_are_compared_with_the_mesh),
      cmocka_unit_test(a_mesh_of_unlikely_size_is_a_warning),
      cmocka_unit_test(maps_are_taken_from_groups),
      cmocka_unit_test(maps_are_taken_from_vertex_colours),
      cmocka_unit_test(a_missed_pose_is_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
