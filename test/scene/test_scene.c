#define _POSIX_C_SOURCE 200809L
// Scene documents: what is read, what is refused and where, what is written back, and what comes to life.
// ctest: unit
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "pliant/pliant.h"
#include "scene/scene_types.h"

typedef struct reading {
  pl_context *context;
  pl_findings *findings;
  pl_scene *scene;
  pl_status status;
  pl_error error;
} reading;

static reading read_text(const char *text) {
  reading r = {.context = make_context(1)};
  check_ok(pl_findings_create(r.context, &r.findings, &r.error), &r.error);
  r.status = pl_scene_load_memory(r.context, &(pl_memory_source){text, strlen(text), "test.json", "."}, &r.scene,
                                  r.findings, &r.error);
  return r;
}

static void drop_reading(reading *r) {
  pl_scene_destroy(r->scene);
  pl_findings_destroy(r->findings);
  drop_context(r->context);
}

// The finding of that kind; fails the test if there is none.
static const pl_finding *finding_of(const reading *r, const char *kind, int32_t line, int32_t column) {
  for (int32_t i = 0; i < pl_findings_count(r->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *f = pl_findings_get(r->findings, i);
    if (strcmp(f->kind, kind) == 0 && f->line == line && f->column == column) return f;
  }
  for (int32_t i = 0; i < pl_findings_count(r->findings, PL_SEVERITY_NOTE); ++i) {
    char text[1024];
    pl_finding_format(pl_findings_get(r->findings, i), text, sizeof text);
    print_message("%s [%s]\n", text, pl_findings_get(r->findings, i)->kind);
  }
  fail_msg("no finding of kind %s at %d:%d", kind, line, column);
  return NULL;
}

static const char *const SMALL =
    "{\"pliant\": 1, \"name\": \"small\",\n"
    " \"meshes\": {\"block\": {\"box\": {\"size\": [0.4, 0.4, 0.4], \"cells\": [2, 2, 2]}}},\n"
    " \"bodies\": [{\"name\": \"a\", \"mesh\": \"block\", \"position\": [0, 1, 0]}],\n"
    " \"colliders\": [{\"shape\": \"half_space\"}]}\n";

static void a_small_scene_falls_and_lands(void **state) {
  (void)state;
  reading r = read_text(SMALL);
  check_ok(r.status, &r.error);
  pl_scene_report report = pl_scene_get_report(r.scene);
  assert_string_equal(report.name, "small");
  assert_int_equal(report.frame_count, 120);
  assert_false(report.has_camera);
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_scene_instance *set = NULL;
  check_ok(pl_scene_build(r.context, &def, r.scene, &set, r.findings, &r.error), &r.error);
  assert_int_equal(pl_scene_instance_body_count(set), 1);
  assert_int_equal(pl_scene_instance_collider_count(set), 1);
  assert_true(pl_scene_instance_get_collider(set, 0, 0).ground);
  pl_scene_instance_body body = pl_scene_instance_get_body(set, 0);
  assert_string_equal(body.name, "a");
  check_ok(pl_world_advance(pl_scene_instance_get_world(set), 2, 0, NULL, &r.error), &r.error);
  pl_body_report now = pl_body_get_report(pl_scene_instance_get_world(set), body.id);
  check_at_most(now.center.y, 0.25);
  check_at_most(-0.01, now.box.min.y);
  pl_scene_instance_destroy(set);
  drop_reading(&r);
}

// Ten different mistakes in one document, every one with its place.
static void ten_mistakes_are_all_reported_with_line_and_column(void **state) {
  (void)state;
  reading r = read_text(
      "{\"pliant\": 1, \"name\": \"wrong\",\n"                                // line 1
      " \"time\": {\"stepp\": 0.01, \"frames\": -3},\n"                       // 2: unknown key, out of range
      " \"gravity\": [0, -9.81],\n"                                           // 3: wrong length
      " \"meshes\": {\"block\": {\"box\": {\"size\": \"big\"}},\n"            // 4: wrong kind
      "   \"ball\": {\"file\": \"no_such_file.obj\"},\n"                      // 5: missing file
      "   \"both\": {\"file\": \"x.obj\", \"box\": {}}},\n"                   // 6: two sources (and a missing file)
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"blok\"},\n"                // 7: unknown mesh
      "   {\"name\": \"a\", \"mesh\": \"block\", \"method\": \"sollid\"},\n"  // 8: same name, unknown word
      "   {\"mesh\": \"block\", \"color\": \"#12345\"}],\n"                   // 9: missing name, bad colour
      " \"colliders\": [{\"shape\": \"box\", \"keys\": [{\"time\": 1}, {\"time\": 1}]}]}\n");  // 10: key order
  assert_int_equal(r.status, PL_ERROR_INVALID_DATA);
  assert_null(r.scene);
  assert_non_null(strstr(finding_of(&r, "unknown-key", 2, 11)->fix, "`step`"));
  finding_of(&r, "out-of-range", 2, 36);
  finding_of(&r, "wrong-length", 3, 13);
  finding_of(&r, "wrong-length", 4, 39);
  finding_of(&r, "missing-file", 5, 21);
  finding_of(&r, "mesh-source", 6, 12);
  assert_non_null(strstr(finding_of(&r, "unknown-mesh", 7, 35)->fix, "block"));
  finding_of(&r, "same-name", 8, 13);
  assert_non_null(strstr(finding_of(&r, "unknown-word", 8, 45)->fix, "solid"));
  finding_of(&r, "missing-key", 9, 4);
  finding_of(&r, "no-color", 9, 31);
  finding_of(&r, "key-order", 10, 55);
  assert_true(pl_findings_count(r.findings, PL_SEVERITY_ERROR) >= 12);
  for (int32_t i = 0; i < pl_findings_count(r.findings, PL_SEVERITY_ERROR); ++i)
    assert_true(pl_findings_get(r.findings, i)->fix[0] != '\0');
  assert_string_equal(finding_of(&r, "unknown-mesh", 7, 35)->field, "bodies[0].mesh");
  // The error of the call is the first of them.
  assert_int_equal(r.error.line, 2);
  assert_string_equal(r.error.file, "test.json");
  drop_reading(&r);
}

static void members_that_are_no_objects_are_reported_once(void **state) {
  (void)state;
  reading r = read_text(
      "{\"pliant\": 1, \"name\": \"m\", \"meshes\": {\"b\": {\"box\": {}}, \"c\": {\"shape\": {\"kind\": \"union\", "
      "\"children\": "
      "[1]}}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"b\", \"pins\": [2, {\"particles\": [0], \"keys\": [{\"time\": 1}, "
      "3]}],\n"
      "   \"pushes\": [4]}, 5],\n"
      " \"colliders\": [6, {\"shape\": \"half_space\", \"keys\": [{\"time\": 1}, 7]}],\n"
      " \"camera\": {\"eye\": [1, 1, 1], \"path\": [{\"time\": 1, \"eye\": [1, 1, 1], \"target\": [0, 0, 0]}, 8]}}\n");
  assert_int_equal(r.status, PL_ERROR_INVALID_DATA);
  assert_int_equal(pl_findings_count(r.findings, PL_SEVERITY_ERROR), 8);
  drop_reading(&r);
}

static void stiffness_that_a_step_cannot_give_is_a_warning(void **state) {
  (void)state;
  static const char *const form =
      "{\"pliant\": 1, \"name\": \"s\", \"time\": {\"step\": %s},\n"
      " \"meshes\": {\"b\": {\"box\": {}}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"b\",\n"
      "   \"solid\": {\"stiffness\": 0.25, \"stiffness_step\": 0.002}}]}\n";
  char text[512];
  snprintf(text, sizeof text, form, "0.004");  // exactly the whole way
  reading r = read_text(text);
  check_ok(r.status, &r.error);
  assert_int_equal(pl_findings_count(r.findings, PL_SEVERITY_WARNING), 0);
  drop_reading(&r);
  snprintf(text, sizeof text, form, "0.006");
  r = read_text(text);
  check_ok(r.status, &r.error);
  assert_int_equal(pl_findings_count(r.findings, PL_SEVERITY_WARNING), 1);
  const pl_finding *finding = finding_of(&r, "stiffness-cut", 4, 51);
  assert_int_equal(finding->severity, PL_SEVERITY_WARNING);
  assert_non_null(strstr(finding->you_see, "2.25 times"));
  assert_non_null(strstr(finding->fix, "0.004 s"));
  drop_reading(&r);
}

static void lengths_are_read_in_the_unit_given(void **state) {
  (void)state;
  reading r = read_text(
      "{\"pliant\": 1, \"name\": \"mm\", \"length_unit\": \"mm\", \"gravity\": [0, -9810, 0],\n"
      " \"meshes\": {\"m\": {\"box\": {\"size\": [100, 200, 300]}}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"position\": [0, 1500, 0], \"solid\": {\"density\": 900}}]}");
  check_ok(r.status, &r.error);
  const pl_scene_body *body = r.scene->document.bodies.items;
  const pl_scene_mesh *mesh = r.scene->document.meshes.items;
  check_near(body->def.placement.position.y, 1.5, 1e-12);
  check_near(mesh->box.size.z, 0.3, 1e-12);
  check_near(r.scene->document.gravity.y, -9.81, 1e-12);
  check_near(body->solid.def.density, 900, 0);
  drop_reading(&r);
}

static void what_is_written_reads_back_equal(void **state) {
  (void)state;
  reading r = read_text(
      "{\"pliant\": 1, \"name\": \"round trip\", \"description\": \"caf\xc3\xa9\", \"seed\": 7, \"time\": {\"step\": "
      "0.002, "
      "\"frames\": 9},\n"
      " \"air\": {\"wind\": [1, 0, 2], \"gust\": 0.5}, \"contact_rounds\": 3,\n"
      " \"meshes\": {\"s\": {\"shape\": {\"kind\": \"union\", \"smoothness\": 0.1, \"children\": [\n"
      "   {\"kind\": \"ellipsoid\", \"size\": [1, 2, 1]}, {\"kind\": \"extruded\", \"size\": [0, 0, 1], \"outline\": "
      "[[0, 0], [1, "
      "0], [0.5, 1]]}]}}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"s\", \"rotation\": {\"axis\": [0, 0, 2], \"degrees\": 90}, "
      "\"color\": "
      "\"#ff8000\",\n"
      "   \"repeat\": {\"counts\": [2, 1, 3], \"spacing\": [1, 0, 1], \"jitter\": 0.1},\n"
      "   \"pins\": [{\"particles\": [0, 5], \"stiffness\": 10, \"keys\": [{\"time\": 0}, {\"time\": 1, \"position\": "
      "[0, 1, "
      "0]}]}],\n"
      "   \"pushes\": [{\"force\": [1, 2, 3], \"until\": 0.5, \"within\": {\"min\": [0, 0, 0], \"max\": [1, 1, "
      "1]}}]}],\n"
      " \"colliders\": [{\"shape\": \"capsule\", \"radius\": 0.25, \"visible\": false}],\n"
      " \"camera\": {\"path\": [{\"time\": 0, \"eye\": [1, 2, 3], \"target\": [0, 0, 0]}]}}");
  check_ok(r.status, &r.error);
  char folder[] = "/tmp/pliant_scene_XXXXXX", first[64], second[64];
  assert_non_null(mkdtemp(folder));
  snprintf(first, sizeof first, "%s/a.json", folder);
  snprintf(second, sizeof second, "%s/b.json", folder);
  check_ok(pl_scene_save(r.context, first, r.scene, &r.error), &r.error);
  pl_scene *again = NULL;
  check_ok(pl_scene_load(r.context, first, &again, r.findings, &r.error), &r.error);
  check_ok(pl_scene_save(r.context, second, again, &r.error), &r.error);
  const pl_scene_body *a = r.scene->document.bodies.items, *b = again->document.bodies.items;
  check_near(b->def.placement.rotation.z, a->def.placement.rotation.z, 0);
  assert_int_equal(b->repeat.counts[2], 3);
  assert_string_equal(again->document.description, "caf\xc3\xa9");
  assert_int_equal(((const pl_scene_pin *)b->pins.items)->keys.count, 2);
  char command[200];
  snprintf(command, sizeof command, "cmp %s %s", first, second);
  assert_int_equal(system(command), 0);
  pl_scene_destroy(again);
  unlink(first);
  unlink(second);
  rmdir(folder);
  drop_reading(&r);
}

// docs/scene.schema.json is what the tables say. To make it again: `make generate`.
static void the_published_schema_is_up_to_date(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char folder[] = "/tmp/pliant_schema_XXXXXX", path[64], command[300];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/schema.json", folder);
  check_ok(pl_scene_schema_save(context, path, &error), &error);
  snprintf(command, sizeof command, "cmp %s %s/docs/scene.schema.json", path, PLIANT_SOURCE_DIR);
  int differs = system(command);
  unlink(path);
  rmdir(folder);
  assert_int_equal(differs, 0);
  drop_context(context);
}

static void a_pin_that_finds_nothing_is_reported_at_its_place(void **state) {
  (void)state;
  reading r = read_text(
      "{\"pliant\": 1, \"name\": \"p\", \"meshes\": {\"m\": {\"box\": {}}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"m\",\n"
      "   \"pins\": [{\"within\": {\"min\": [5, 5, 5], \"max\": [6, 6, 6]}}]}]}");
  check_ok(r.status, &r.error);
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_scene_instance *set = NULL;
  assert_int_equal(pl_scene_build(r.context, &def, r.scene, &set, r.findings, &r.error), PL_ERROR_INVALID_DATA);
  assert_null(set);
  assert_string_equal(finding_of(&r, "empty-pin", 3, 13)->field, "bodies[0].pins[0]");
  drop_reading(&r);
}

static void led_pins_carry_their_particles_along_the_keys(void **state) {
  (void)state;
  reading r = read_text(
      "{\"pliant\": 1, \"name\": \"p\", \"gravity\": [0, 0, 0], \"meshes\": {\"m\": {\"box\": {\"cells\": [2, 2, "
      "2]}}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"pins\": [{\"within\": {\"min\": [-1, 0.4, -1], \"max\": [1, "
      "1, 1]},\n"
      "   \"keys\": [{\"time\": 0}, {\"time\": 1, \"position\": [0, 2, 0], \"rotation\": {\"axis\": [0, 1, 0], "
      "\"degrees\": "
      "90}}]}]}]}");
  check_ok(r.status, &r.error);
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_scene_instance *set = NULL;
  check_ok(pl_scene_build(r.context, &def, r.scene, &set, r.findings, &r.error), &r.error);
  pl_body_id id = pl_scene_instance_get_body(set, 0).id;
  pl_vec3 x[27];
  check_ok(pl_world_advance(pl_scene_instance_get_world(set), 1, 0, NULL, &r.error), &r.error);
  pl_body_get_positions(pl_scene_instance_get_world(set), id, x);
  // Point 6 starts at (-0.5, 0.5, -0.5): turned by 90 degrees around the middle of the top face and lifted by 2.
  check_near(x[6].x, -0.5, 1e-5);
  check_near(x[6].y, 2.5, 1e-5);
  check_near(x[6].z, 0.5, 1e-5);
  pl_scene_instance_destroy(set);
  drop_reading(&r);
}

// A group of the surface reaches the particles of the lattice that carry it.
static void a_group_of_the_surface_pins_what_carries_it(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_group_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/cube.obj", folder);
  FILE *file = fopen(path, "w");
  fputs(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
      "g rest\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 1 5 8 4\nf 2 3 7 6\ng top\nf 4 8 7 3\n",
      file);
  fclose(file);
  static const char *const text =
      "{\"pliant\": 1, \"name\": \"g\", \"meshes\": {\"m\": {\"file\": \"cube.obj\"}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"tets\": {\"points\": 100}, \"pins\": [{\"group\": "
      "\"top\"}]}]}";
  reading r = {.context = make_context(1)};
  check_ok(pl_scene_load_memory(r.context, &(pl_memory_source){text, strlen(text), "g.json", folder}, &r.scene, NULL,
                                &r.error),
           &r.error);
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_scene_instance *set = NULL;
  check_ok(pl_scene_build(r.context, &def, r.scene, &set, NULL, &r.error), &r.error);
  pl_scene_instance_body body = pl_scene_instance_get_body(set, 0);
  check_ok(pl_world_advance(pl_scene_instance_get_world(set), 1, 0, NULL, &r.error), &r.error);
  // It hangs from its top: what is there has not moved, and the rest has not fallen far.
  pl_vec3 surface[8];
  assert_int_equal(pl_body_get_surface(pl_scene_instance_get_world(set), body.id, surface), PL_OK);
  check_near(surface[3].y, 1, 0.02);
  check_at_most(-0.5, surface[0].y);
  pl_scene_instance_destroy(set);
  unlink(path);
  rmdir(folder);
  drop_reading(&r);
}

static void copies_are_placed_by_the_seed(void **state) {
  (void)state;
  reading r = read_text(
      "{\"pliant\": 1, \"name\": \"c\", \"meshes\": {\"m\": {\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, "
      "1]}}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"repeat\": {\"counts\": [3, 1, 2], \"spacing\": [1, 0, 1], "
      "\"jitter\": "
      "0.1, \"turn\": 30}}]}");
  check_ok(r.status, &r.error);
  uint64_t hashes[3];
  for (int i = 0; i < 3; ++i) {
    pl_scene_build_def def = pl_default_scene_build_def();
    def.has_seed = i == 2;
    def.seed = 99;
    pl_scene_instance *set = NULL;
    check_ok(pl_scene_build(r.context, &def, r.scene, &set, r.findings, &r.error), &r.error);
    assert_int_equal(pl_scene_instance_body_count(set), 6);
    assert_string_equal(pl_scene_instance_get_body(set, 4).name, "a_005");
    assert_ptr_equal(pl_scene_instance_get_body(set, 0).mesh, pl_scene_instance_get_body(set, 5).mesh);
    hashes[i] = pl_world_get_hash(pl_scene_instance_get_world(set));
    pl_scene_instance_destroy(set);
  }
  assert_true(hashes[0] == hashes[1]);
  assert_true(hashes[0] != hashes[2]);
  drop_reading(&r);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  static const char *const text =
      "{\"pliant\": 1, \"name\": \"m\", \"meshes\": {\"b\": {\"box\": {\"cells\": [1, 1, 1]}, \"scale\": 0.5},\n"
      " \"s\": {\"triangles\": 60, \"shape\": {\"kind\": \"union\", \"children\": [{\"kind\": \"ellipsoid\", \"size\": "
      "[0.2, 0.2, "
      "0.2]}]}}},\n"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"b\", \"pins\": [{\"particles\": [0]}], \"pushes\": [{\"force\": [0, "
      "1, 0]}]},\n"
      "   {\"name\": \"c\", \"mesh\": \"s\", \"tets\": {\"points\": 20}, \"position\": [2, 0, 0], \"solid\": "
      "{\"surface_tolerance\": 1}}],\n"
      " \"colliders\": [{\"shape\": \"half_space\"}, {\"shape\": \"box\", \"keys\": [{\"time\": 0}, {\"time\": 1}]}]}";
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
        pl_scene_load_memory(context, &(pl_memory_source){text, strlen(text), "m.json", "."}, &scene, NULL, &error);
    if (status >= 0) status = pl_scene_build(context, &def, scene, &set, NULL, &error);
    if (status >= 0) status = pl_world_step(pl_scene_instance_get_world(set), NULL, &error);
    pl_scene_instance_destroy(set);
    pl_scene_destroy(scene);
    assert_int_equal(allocator.live_count, live);
    if (status >= 0) break;
    if (status != PL_ERROR_OUT_OF_MEMORY) fail_msg("allocation %d: %s: %s", (int)n, pl_status_text(status), error.text);
  }
  print_message("survived %d failing allocations\n", (int)n - 1);
  assert_true(n > 50);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_scene_falls_and_lands),
      cmocka_unit_test(ten_mistakes_are_all_reported_with_line_and_column),
      cmocka_unit_test(members_that_are_no_objects_are_reported_once),
      cmocka_unit_test(stiffness_that_a_step_cannot_give_is_a_warning),
      cmocka_unit_test(lengths_are_read_in_the_unit_given),
      cmocka_unit_test(what_is_written_reads_back_equal),
      cmocka_unit_test(the_published_schema_is_up_to_date),
      cmocka_unit_test(a_pin_that_finds_nothing_is_reported_at_its_place),
      cmocka_unit_test(led_pins_carry_their_particles_along_the_keys),
      cmocka_unit_test(a_group_of_the_surface_pins_what_carries_it),
      cmocka_unit_test(copies_are_placed_by_the_seed),
      cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
