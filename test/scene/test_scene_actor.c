#define _POSIX_C_SOURCE 200809L
// Scenes with actors: from the document to bodies that move by themselves, what they are commanded and what is expected
// of them, and what is said about mistakes.
// ctest: unit
#include <math.h>
#include <unistd.h>

#include "actor/actor.h"
#include "fixtures/scene_from_text.h"
#include "pliant/math.h"
#include "pliant/pliant.h"
#include "scene/scene_fields.h"

#define SCENE(more, mesh, body)                                          \
  "{\"pliant\": 1, \"name\": \"t\", " more " \"meshes\": {\"m\": {" mesh \
  "}},\n"                                                                \
  "\"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"method\": \"fem\", " body "}]}"
#define GROUND "\"time\": {\"step\": 0.01}, \"colliders\": [{\"shape\": \"half_space\", \"position\": [0, -0.2, 0]}],"
#define BLOCK                                                                              \
  "\"box\": {\"size\": [0.2, 0.4, 0.2], \"cells\": [1, 2, 1]}, "                           \
  "\"groups\": [{\"name\": \"sole\", \"min\": [-1, -0.21, -1], \"max\": [1, -0.19, 1]}], " \
  "\"poses\": [{\"name\": \"short\", \"scale\": [1.1, 0.8, 1.1]}, {\"name\": \"long\", \"scale\": [0.9, 1.2, 0.9]}]"
#define SOLE "\"parts\": [{\"name\": \"sole\", \"group\": \"sole\", \"foot\": true}]"
#define CAGE "\"cage\": {\"points\": 8}"
// Cages take a while to make; where any space will do it is that of all shapes.
#define FREE "\"rest\": \"free\""
#define STANDS "\"fem\": {\"young\": 1e5}, \"actor\": {\"behaviour\": \"stand\", " FREE ", " SOLE

static void print_findings(const fixture *s) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *f = pl_findings_get(s->findings, i);
    print_message("%s: %s; %s (line %d, column %d)\n", f->kind, f->you_see, f->fix, f->line, f->column);
  }
}

static bool was_found(const fixture *s, const char *kind, const char *words) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *f = pl_findings_get(s->findings, i);
    if (strcmp(f->kind, kind) == 0 && f->line > 0 && f->column > 0 &&
        (strstr(f->you_see, words) || strstr(f->fix, words)))
      return true;
  }
  return false;
}

static fixture open_sound(const char *text) {
  fixture s = open_fixture(text, ".");
  print_findings(&s);
  check_ok(s.status, &s.error);
  assert_int_equal(pl_findings_count(s.findings, PL_SEVERITY_NOTE), 0);
  return s;
}

static void step(const fixture *s, int count) {
  pl_error error = {0};
  for (int i = 0; i < count; ++i) check_ok(pl_world_step(s->world, NULL, &error), &error);
}

// --- making
// -----------------------------------------------------------------------------------------------------------

static void every_copy_of_a_body_has_an_actor_of_its_own(void **state) {
  (void)state;
  fixture s = open_sound(SCENE(GROUND, BLOCK, STANDS "}, \"repeat\": {\"counts\": [2, 1, 1], \"spacing\": [1, 0, 0]}"));
  assert_int_equal(pl_scene_instance_actor_count(s.set), 2);
  for (int32_t i = 0; i < 2; ++i) {
    pl_scene_instance_actor actor = pl_scene_instance_get_actor(s.set, i);
    assert_string_equal(actor.name, i == 0 ? "a_001" : "a_002");
    assert_string_equal(actor.behaviour, "stand");
    assert_int_equal(actor.body, i);
  }
  const pl_fem_model *model = (const pl_fem_model *)pl_body_get_model(s.world, pl_scene_instance_get_body(s.set, 0).id);
  assert_true(model->adapts);
  assert_int_equal(model->max_newton_iterations, 50);
  check_near(model->newton_tolerance, 1e-6, 0);
  step(&s, 3);
  for (int32_t i = 0; i < 2; ++i)
    assert_int_equal(pl_actor_get_report(pl_scene_instance_get_actor(s.set, i).actor).step_count, 3);
  assert_true(pl_scene_instance_get_actor(s.set, 0).actor != pl_scene_instance_get_actor(s.set, 1).actor);
  close_fixture(&s);
}

static void what_is_written_holds_against_the_defaults(void **state) {
  (void)state;
  fixture s = open_sound(SCENE(
      GROUND, BLOCK,
      "\"fem\": {\"max_newton_iterations\": 8, \"newton_tolerance\": 1e-4}, \"actor\": {\"behaviour\": \"stand\", "
      "\"iterations\": 7, \"tolerance\": 1e-3, \"hessian\": \"exact\", \"settings\": {\"height\": 0.9}, " FREE ", " SOLE
      "}"));
  const pl_fem_model *model = (const pl_fem_model *)pl_body_get_model(s.world, pl_scene_instance_get_body(s.set, 0).id);
  assert_int_equal(model->max_newton_iterations, 8);
  check_near(model->newton_tolerance, 1e-4, 0);
  const pl_actor *actor = pl_scene_instance_get_actor(s.set, 0).actor;
  assert_int_equal(actor->settings.max_iterations, 7);
  assert_int_equal(actor->settings.hessian, PL_ACTOR_EXACT);
  check_near(actor->settings.tolerance, 1e-3, 0);
  for (int32_t k = 0; k < actor->behaviour->setting_count; ++k) {
    bool given = strcmp(actor->behaviour->settings[k].name, "height") == 0;
    check_near(actor->behaviour_settings[k], given ? 0.9 : actor->behaviour->settings[k].preset, 0);
  }
  close_fixture(&s);
}

static void parts_are_groups_boxes_or_points(void **state) {
  (void)state;
  fixture s = open_sound(
      SCENE(GROUND "\"length_unit\": \"cm\", \"gravity\": [0, -981, 0],",
            "\"box\": {\"size\": [20, 40, 20], \"cells\": [1, 2, 1]}, "
            "\"groups\": [{\"name\": \"sole\", \"min\": [-100, -21, -100], \"max\": [100, -19, 100]}]",
            "\"position\": [0, 0.5, 0], \"fem\": {\"young\": 1e5}, \"actor\": {\"behaviour\": \"stand\", " FREE
            ", \"parts\": ["
            "{\"name\": \"sole\", \"group\": \"sole\", \"foot\": true}, "
            "{\"name\": \"head\", \"within\": {\"min\": [-11, 19, -11], \"max\": [0, 21, 11]}}, "
            "{\"name\": \"ear\", \"points\": [3, 5]}]}"));
  const pl_actor *actor = pl_scene_instance_get_actor(s.set, 0).actor;
  pl_mesh_view mesh = pl_mesh_get_view(pl_scene_instance_get_body(s.set, 0).mesh);
  assert_int_equal(actor->part_count, 3);
  assert_int_equal(actor->parts[0].point_count, 4);
  assert_true(actor->parts[0].is_foot && !actor->parts[1].is_foot);
  for (int i = 0; i < 4; ++i) check_near(mesh.points[actor->parts[0].points[i]].y, -0.2, 1e-12);
  assert_int_equal(actor->parts[1].point_count, 2);
  for (int i = 0; i < 2; ++i) check_near(mesh.points[actor->parts[1].points[i]].x, -0.1, 1e-12);
  assert_int_equal(actor->parts[2].point_count, 2);
  assert_int_equal(actor->parts[2].points[1], 5);
  close_fixture(&s);
}

static void every_kind_of_rest_shape_moves(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int32_t count;
  } cases[] = {
      {SCENE(GROUND, BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"free\", " SOLE "}"), 36},
      {SCENE(GROUND, BLOCK,
             "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"examples\", \"examples\": [\"short\", \"long\"], " SOLE
             "}"),
       2},
      {SCENE(GROUND, BLOCK,
             "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"examples\", \"groups\": {\"low\": {\"examples\": "
             "[\"short\"]}, "
             "\"high\": {\"examples\": [\"long\"]}}, " SOLE "}"),
       2},
      {SCENE(GROUND, BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"modes\", \"modes\": 5, " SOLE "}"), 5},
      {SCENE(GROUND, BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"cage\", " CAGE ", " SOLE "}"), -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    fixture s = open_sound(cases[i].text);
    int32_t count = 0;
    pl_actor_get_parameters(pl_scene_instance_get_actor(s.set, 0).actor, &count);
    print_message("case %zu: %d parameters\n", i, count);
    if (cases[i].count >= 0)
      assert_int_equal(count, cases[i].count);
    else
      assert_true(count >= 3 * 8 && count < 36 + 3 * 64);
    step(&s, 3);
    assert_true(pl_actor_get_report(pl_scene_instance_get_actor(s.set, 0).actor).iterations_in_all > 0);
    close_fixture(&s);
  }
}

static void a_given_cage_is_used_and_one_that_does_not_enclose_is_refused(void **state) {
  (void)state;
#define CAGED(size)                                                                                                \
  "{\"pliant\": 1, \"name\": \"t\", " GROUND " \"meshes\": {\"m\": {" BLOCK "}, \"c\": {\"box\": {\"size\": " size \
  ", \"cells\": [1, 1, 1]}}},\n\"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"method\": \"fem\",\n\"actor\": "  \
  "{\"behaviour\": "                                                                                               \
  "\"stand\", " SOLE ",\n\"cage\": {\"mesh\": \"c\"}}}]}"
  fixture s = open_sound(CAGED("[0.3, 0.5, 0.3]"));
  int32_t count = 0;
  pl_actor_get_parameters(pl_scene_instance_get_actor(s.set, 0).actor, &count);
  assert_int_equal(count, 24);
  close_fixture(&s);
  s = open_fixture(CAGED("[0.3, 0.3, 0.3]"), ".");
  print_findings(&s);
  assert_int_equal(s.status, PL_ERROR_INVALID_DATA);
  assert_true(was_found(&s, "actor-failed", "enclose"));
  close_fixture(&s);
}

// --- over time
// ----------------------------------------------------------------------------------------------------------

#define COMMANDED                                                                                               \
  STANDS                                                                                                        \
  ", \"command\": {\"speed\": 0.5, \"heading\": [0, 0, 2]}, \"commands\": [{\"time\": 0.03, \"speed\": 0.25}, " \
  "{\"time\": 0.055, \"speed\": 0, \"heading\": [-1, 0, 0]}]}"

static void commands_come_at_their_time_and_leave_others_alone(void **state) {
  (void)state;
  fixture s = open_sound(SCENE(GROUND, BLOCK, COMMANDED));
  pl_actor *actor = pl_scene_instance_get_actor(s.set, 0).actor;
  check_near(pl_actor_get_command(actor).speed, 0.5, 0);
  check_near(pl_actor_get_command(actor).heading.z, 1, 1e-15);
  step(&s, 3);  // from 0, 0.01 and 0.02 s on
  check_near(pl_actor_get_command(actor).speed, 0.5, 0);
  step(&s, 1);
  check_near(pl_actor_get_command(actor).speed, 0.25, 0);
  check_near(pl_actor_get_command(actor).heading.z, 1, 1e-15);
  pl_actor_set_command(actor, (pl_actor_command){.speed = 0.4});
  step(&s, 2);
  check_near(pl_actor_get_command(actor).speed, 0.4, 0);
  step(&s, 1);  // the first one that begins behind 0.055 s
  check_near(pl_actor_get_command(actor).speed, 0, 0);
  check_near(pl_actor_get_command(actor).heading.x, -1, 1e-15);
  close_fixture(&s);
}

static void a_restored_stage_continues_bit_for_bit(void **state) {
  (void)state;
  const char *text = SCENE(GROUND, BLOCK, COMMANDED);
  fixture whole = open_sound(text), first = open_sound(text), second = open_sound(text);
  step(&whole, 9);
  step(&first, 4);
  size_t size = pl_world_snapshot_size(first.world);
  void *snapshot = malloc(size);
  assert_non_null(snapshot);
  pl_world_snapshot(first.world, snapshot);
  check_ok(pl_world_restore(second.world, snapshot, size, &second.error), &second.error);
  free(snapshot);
  step(&second, 5);
  assert_true(pl_world_get_hash(whole.world) == pl_world_get_hash(second.world));
  pl_actor_report a = pl_actor_get_report(pl_scene_instance_get_actor(whole.set, 0).actor),
                  b = pl_actor_get_report(pl_scene_instance_get_actor(second.set, 0).actor);
  a.seconds = b.seconds = a.seconds_in_all = b.seconds_in_all = 0;
  assert_int_equal(a.step_count, 9);
  assert_memory_equal(&a, &b, sizeof a);
  check_near(pl_actor_get_command(pl_scene_instance_get_actor(second.set, 0).actor).heading.x, -1, 1e-15);
  close_fixture(&whole);
  close_fixture(&first);
  close_fixture(&second);
}

static void nobody_acts_while_bodies_come_to_rest(void **state) {
  (void)state;
  fixture s =
      open_sound(SCENE("\"time\": {\"step\": 0.01, \"warm_up\": 0.05}, \"colliders\": [{\"shape\": \"half_space\", "
                       "\"position\": [0, -0.2, 0]}],",
                       BLOCK, COMMANDED));
  pl_actor_report report = pl_actor_get_report(pl_scene_instance_get_actor(s.set, 0).actor);
  assert_int_equal(report.step_count, 0);
  check_near(report.rest_strain, 0, 0);
  close_fixture(&s);
}

// It keeps its balance meanwhile where it is told to, but goes nowhere and nothing is counted.
static void one_that_stands_while_settling_acts_at_speed_0(void **state) {
  (void)state;
  fixture s =
      open_sound(SCENE("\"time\": {\"step\": 0.01, \"warm_up\": 0.05}, \"colliders\": [{\"shape\": "
                       "\"half_space\", \"position\": [0, -0.2, 0]}],",
                       BLOCK,
                       STANDS ", \"stands_while_settling\": true, \"settings\": {\"height\": 0.9}, "
                              "\"command\": {\"speed\": 0.5}}"));
  pl_actor *actor = pl_scene_instance_get_actor(s.set, 0).actor;
  pl_actor_report report = pl_actor_get_report(actor);
  assert_int_equal(report.step_count, 0);
  assert_int_equal(report.iterations_in_all, 0);
  check_near(report.asked, 0, 0);
  check_near(pl_actor_get_command(actor).speed, 0.5, 0);
  int32_t count;
  const double *parameters = pl_actor_get_parameters(actor, &count);
  double max = 0;
  for (int32_t i = 0; i < count; ++i) max = fmax(max, fabs(parameters[i]));
  assert_true(max > 1e-4);
  close_fixture(&s);
}

static void a_written_scene_reads_back_to_the_same_actor(void **state) {
  (void)state;
  fixture s =
      open_sound(SCENE(GROUND, BLOCK,
                       STANDS ", \"settings\": {\"gain\": 2}, \"path\": [[1, 0, 0], [1, 0, 1]], \"path_loops\": true, "
                              "\"commands\": [{\"time\": 1, \"speed\": 0}], \"expect\": {\"max_tumbles\": 0}}"));
  char path[] = "/tmp/pliant-actor-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  check_ok(pl_scene_save(s.context, path, s.scene, &s.error), &s.error);
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  pl_scene_build_def def = pl_default_scene_build_def();
  check_ok(pl_scene_load(s.context, path, &scene, s.findings, &s.error), &s.error);
  check_ok(pl_scene_build(s.context, &def, scene, &set, s.findings, &s.error), &s.error);
  unlink(path);
  assert_int_equal(pl_scene_instance_expectation_count(set), 1);
  pl_world *world = pl_scene_instance_get_world(set);
  for (int i = 0; i < 3; ++i) check_ok(pl_world_step(world, NULL, &s.error), &s.error);
  step(&s, 3);
  assert_true(pl_world_get_hash(world) == pl_world_get_hash(s.world));
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  close_fixture(&s);
}

// --- what is expected
// -----------------------------------------------------------------------------------------------------

static void expectations_stand_next_to_what_was_found(void **state) {
  (void)state;
  fixture s = open_sound(
      SCENE(GROUND, BLOCK,
            STANDS ", \"expect\": {\"advance\": 100, \"steps\": 0, \"hops\": 2, \"turns\": -0, \"max_tumbles\": 0, "
                   "\"max_unconverged_fraction\": 1, \"max_unfinished_fraction\": 0.5, \"max_lean\": 45}}, \"repeat\": "
                   "{\"counts\": [2, 1, 1], "
                   "\"spacing\": [1, 0, 0]}"));
  step(&s, 3);
  assert_int_equal(pl_scene_instance_expectation_count(s.set), 16);
  static const struct {
    const char *name, *unit;
    bool is_max, met;
    double wanted;
  } wanted[] = {{"advance", "m", false, false, 100},
                {"steps", "", false, true, 0},
                {"hops", "", false, false, 2},
                {"turns", "", false, true, 0},
                {"max_tumbles", "", true, true, 0},
                {"max_lean", "degrees", true, true, 45},
                {"max_unconverged_fraction", "", true, true, 1},
                {"max_unfinished_fraction", "", true, true, 0.5}};
  for (int32_t i = 0; i < 16; ++i) {
    pl_scene_instance_expectation found = pl_scene_instance_get_expectation(s.set, i);
    assert_int_equal(found.actor, i / 8);
    assert_string_equal(found.name, wanted[i % 8].name);
    assert_string_equal(found.unit, wanted[i % 8].unit);
    check_near(found.wanted, wanted[i % 8].wanted, 0);
    assert_true(found.is_max == wanted[i % 8].is_max);
    if (strcmp(found.name, "turns") != 0) assert_true(found.met == wanted[i % 8].met);
  }
  close_fixture(&s);
}

// The ground is at -0.2. A place within half a body of the start is reached at once, one 5 m away is not.
static void depth_and_places_are_measured(void **state) {
  (void)state;
  fixture s = open_sound(SCENE(GROUND, BLOCK,
                               STANDS ", \"path\": [[0.05, 0, 0], [0, 0, 0.08], [5, 0, 0]], \"expect\": "
                                      "{\"places\": 3, \"max_sink\": 1e-9}}"));
  double deepest = 0;
  for (int i = 0; i < 40; ++i) {
    pl_body_id body = pl_scene_instance_get_body(s.set, 0).id;
    deepest = fmax(deepest, -0.2 - pl_body_get_report(s.world, body).box.min.y);
    step(&s, 1);
  }
  pl_actor_report report = pl_actor_get_report(pl_scene_instance_get_actor(s.set, 0).actor);
  print_message("deepest %.3g mm, reported %.3g mm; %d places\n", 1e3 * deepest, 1e3 * report.max_sink, report.places);
  assert_true(deepest > 0);
  check_near(report.max_sink, deepest, 1e-9);
  assert_int_equal(report.places, 2);
  for (int32_t i = 0; i < 2; ++i) {
    pl_scene_instance_expectation it = pl_scene_instance_get_expectation(s.set, i);
    assert_string_equal(it.name, i == 0 ? "places" : "max_sink");
    assert_true(!it.met && it.is_max == (i == 1));
    check_near(it.found, i == 0 ? 2 : report.max_sink, 0);
  }
  close_fixture(&s);
}

// --- what is seen
// ---------------------------------------------------------------------------------------------------------

static void the_rest_shape_begins_as_the_surface(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE(GROUND, BLOCK,
            "\"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 30}, \"position\": [1, 0, 2], " STANDS "}"),
      SCENE(GROUND, "\"sheet\": {\"size\": [0.2, 0.4], \"spacing\": 0.1, \"plane\": \"xy\"}",
            "\"position\": [1, 0, 0], \"fem\": {\"material\": \"plane\", \"thickness\": 0.05}, \"actor\": "
            "{\"behaviour\": "
            "\"stand\", " FREE "}"),
      SCENE(GROUND, "\"shape\": {\"kind\": \"ellipsoid\", \"size\": [0.2, 0.2, 0.2]}, \"triangles\": 200",
            "\"tets\": {\"points\": 30}, \"actor\": {\"behaviour\": \"stand\", \"rest\": \"modes\"}"),
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    fixture s = open_sound(scenes[i]);
    pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(s.set, 0);
    pl_vec3 *points = calloc((size_t)surface.point_count, sizeof(pl_vec3)),
            *rest = calloc((size_t)surface.point_count, sizeof(pl_vec3));
    assert_true(points != NULL && rest != NULL);
    check_ok(pl_scene_instance_get_surface(s.set, 0, points), &s.error);
    check_ok(pl_scene_instance_get_rest(s.set, 0, rest), &s.error);
    double max = 0;
    for (int32_t k = 0; k < surface.point_count; ++k) max = fmax(max, pl_vec3_distance(points[k], rest[k]));
    print_message("scene %zu: %d points, %.2g m apart\n", i, surface.point_count, max);
    check_at_most(max, 1e-6);
    free(points);
    free(rest);
    close_fixture(&s);
  }
}

// --- mistakes
// -------------------------------------------------------------------------------------------------------------

static void what_is_too_soft_to_stand_is_reported_with_a_modulus_that_holds(void **state) {
  (void)state;
  fixture s = open_fixture(
      SCENE(GROUND, BLOCK, "\"fem\": {\"young\": 4e3}, \"actor\": {\"behaviour\": \"stand\", " FREE ", " SOLE "}"),
      ".");
  print_findings(&s);
  check_ok(s.status, &s.error);
  assert_true(was_found(&s, "too-soft", "too soft to stand: its weight presses it from 0.4 m to"));
  const pl_finding *finding = pl_findings_get(s.findings, 0);
  const char *to = strstr(finding->fix, "about ");
  assert_non_null(to);
  double young = strtod(to + strlen("about "), NULL);
  close_fixture(&s);
  char text[2048];
  snprintf(text, sizeof text,
           SCENE(GROUND, BLOCK, "\"fem\": {\"young\": %g}, \"actor\": {\"behaviour\": \"stand\", " FREE ", " SOLE "}"),
           young);
  s = open_sound(text);
  close_fixture(&s);
}

#define ACTS(more) "\"actor\": {\"behaviour\": \"stand\", " FREE ", " more "}"

static void mistakes_are_reported_with_position_and_fix(void **state) {
  (void)state;
  static const struct {
    const char *text, *kind, *words;
  } cases[] = {
      {SCENE("", BLOCK, "\"actor\": {}"), "missing-key", "behaviour"},
      {SCENE("", BLOCK, "\"actor\": {\"behaviour\": \"stadn\"}"), "unknown-behaviour", "did you mean \"stand\""},
      {SCENE("", BLOCK, ACTS("\"settings\": {\"heigth\": 1}")), "unknown-setting", "did you mean `height`"},
      {SCENE("", BLOCK, ACTS("\"settings\": {\"height\": 99}")), "out-of-range", "its preset is 1"},
      {SCENE("", BLOCK, ACTS("\"settings\": {\"height\": true}")), "wrong-kind", "a number"},
      {SCENE("", BLOCK, ACTS("\"settings\": [1]")), "wrong-kind", "named numbers"},
      {SCENE("", BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"caged\"}"), "unknown-word",
       "did you mean \"cage\""},
      {SCENE("", BLOCK, ACTS("\"horizon\": 0")), "out-of-range", "at least 1"},
      {SCENE("", BLOCK, ACTS("\"expect\": {\"hop\": 1}")), "unknown-key", "did you mean `hops`"},
      {SCENE("", BLOCK, "\"expect\": {\"hops\": 1}"), "unknown-key", "expect"},
      {SCENE("", BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"examples\"}"), "no-examples",
       "there are none"},
      {SCENE("", BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"examples\", \"examples\": [\"shrot\"]}"),
       "unknown-name", "did you mean \"short\""},
      {SCENE("", BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"cage\": {\"mesh\": \"n\"}}"), "unknown-mesh", "\"n\""},
      {SCENE("", BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"cage\": {\"mesh\": \"m\", \"points\": 9}}"),
       "cage-choice", "keep one"},
      {SCENE("", BLOCK, ACTS("\"parts\": [{\"name\": \"foot\"}]")), "part-choice", "0 of them are given"},
      {SCENE("", BLOCK, ACTS("\"parts\": [{\"name\": \"foot\", \"group\": \"sloe\"}]")), "unknown-group",
       "did you mean \"sole\""},
      {SCENE("", BLOCK,
             ACTS("\"parts\": [{\"name\": \"foot\", \"within\": {\"min\": [5, 5, 5], \"max\": [6, 6, 6]}}]")),
       "empty-part", "\"foot\" has no point"},
      {SCENE("", BLOCK,
             ACTS("\"parts\": [{\"name\": \"foot\", \"within\": {\"min\": [5, 5, 5], \"max\": [6, 6, 4]}}]")),
       "empty-region", "exceeds"},
      {SCENE("", BLOCK, ACTS("\"parts\": [{\"name\": \"foot\", \"points\": [99]}]")), "out-of-range", "speaks of 99"},
      {SCENE("", BLOCK,
             ACTS("\"parts\": [{\"name\": \"x\", \"group\": \"sole\"}, {\"name\": \"x\", \"group\": \"sole\"}]")),
       "same-name", "part 1"},
      {SCENE("", BLOCK, ACTS("\"command\": {\"heading\": [0, 1, 0]}")), "no-direction", "on the ground"},
      {SCENE("", BLOCK, ACTS("\"commands\": [{\"time\": 2, \"speed\": 0}, {\"time\": 1, \"speed\": 0}]")), "key-order",
       "command 1"},
      {SCENE("", BLOCK, ACTS("\"commands\": [{\"time\": 2}]")), "missing-key", "speed"},
      {SCENE("", BLOCK, ACTS("\"path\": [[1, 0, 0]], \"path_loops\": true")), "too-few-points", "two places"},
      {SCENE("", BLOCK, "\"fem\": {\"material\": \"fast\"}, " ACTS("\"horizon\": 1")), "not-with-actor", "corotated"},
      {SCENE("", BLOCK, "\"fem\": {\"examples\": [\"short\"]}, " ACTS("\"horizon\": 1")), "not-with-actor",
       "actor.examples"},
      {SCENE("", BLOCK, "\"driver\": {\"kind\": \"constant\", \"weights\": [1]}, " ACTS("\"horizon\": 1")),
       "not-with-actor", "driver"},
      {"{\"pliant\": 1, \"name\": \"t\", \"meshes\": {\"m\": {" BLOCK
       "}}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", "
       "\"actor\": {\"behaviour\": \"stand\"}}]}",
       "actor-method", "finite elements"},
      {SCENE("\"camera\": {\"follow\": \"b\"}, ", BLOCK, "\"fem\": {}"), "unknown-body", "\"b\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    fixture s = open_fixture(cases[i].text, ".");
    bool found = was_found(&s, cases[i].kind, cases[i].words);
    if (!found || s.status >= 0) {
      print_message("case %zu (%s):\n", i, cases[i].kind);
      print_findings(&s);
    }
    assert_true(s.status < 0);
    assert_true(found);
    close_fixture(&s);
  }
}

static void an_example_with_other_points_is_reported_by_name(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant-actor-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/other.obj", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file);
  fclose(file);
  fixture s = open_fixture(
      SCENE(GROUND,
            "\"box\": {\"size\": [0.2, 0.4, 0.2], \"cells\": [1, 2, 1]}, \"poses\": [{\"name\": \"bent\", \"file\": "
            "\"other.obj\"}]",
            "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"examples\", \"examples\": [\"bent\"]}"),
      folder);
  unlink(path);
  rmdir(folder);
  print_findings(&s);
  assert_int_equal(s.status, PL_ERROR_INVALID_DATA);
  assert_true(was_found(&s, "body-failed", "pose \"bent\" has 3 points where the mesh has 12"));
  close_fixture(&s);
}

static void what_has_no_effect_is_a_warning(void **state) {
  (void)state;
  static const char *const cases[] = {
      SCENE(GROUND, BLOCK, ACTS("\"examples\": [\"short\"]")),
      SCENE(GROUND, BLOCK, ACTS("\"modes\": 3")),
      SCENE(GROUND, BLOCK, "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"modes\", " CAGE "}"),
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    fixture s = open_fixture(cases[i], ".");
    check_ok(s.status, &s.error);
    assert_true(was_found(&s, "other-rest", "no effect"));
    close_fixture(&s);
  }
}

static void a_camera_tells_whom_it_follows(void **state) {
  (void)state;
  fixture s =
      open_sound(SCENE("\"camera\": {\"follow\": \"a\"}, \"observer\": {\"eye\": [1, 2, 3]}, ", BLOCK, "\"fem\": {}"));
  pl_scene_report report = pl_scene_get_report(s.scene);
  assert_string_equal(report.camera_follows, "a");
  assert_null(report.observer_follows);
  close_fixture(&s);
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE(GROUND, BLOCK, STANDS ", \"settings\": {\"gain\": 2}, \"path\": [[1, 0, 0]]}"),
      SCENE(GROUND, BLOCK,
            "\"actor\": {\"behaviour\": \"stand\", \"rest\": \"examples\", \"examples\": [\"short\"], " SOLE "}"),
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    failing_allocator allocator = {0};
    pl_context *context = make_failing_context(&allocator);
    int64_t base = allocator.live_count, n = 1;
    for (;; ++n) {
      allocator.fail_at = allocator.call_count + n;
      pl_error error = {0};
      pl_scene *scene = NULL;
      pl_scene_instance *set = NULL;
      pl_scene_build_def def = pl_default_scene_build_def();
      pl_status status = pl_scene_load_memory(
          context, &(pl_memory_source){scenes[i], strlen(scenes[i]), "test.json", "."}, &scene, NULL, &error);
      if (status >= 0) status = pl_scene_build(context, &def, scene, &set, NULL, &error);
      bool failed = allocator.call_count >= allocator.fail_at;
      allocator.fail_at = 0;
      if (failed) {
        assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
        assert_null(set);
      } else {
        check_ok(status, &error);
      }
      pl_scene_instance_destroy(set);
      pl_scene_destroy(scene);
      assert_int_equal(allocator.live_count, base);
      if (!failed) break;
    }
    print_message("scene %zu: %lld allocations\n", i, (long long)n - 1);
    assert_true(n > 5);
    pl_context_destroy(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_copy_of_a_body_has_an_actor_of_its_own),
      cmocka_unit_test(what_is_written_holds_against_the_defaults),
      cmocka_unit_test(parts_are_groups_boxes_or_points),
      cmocka_unit_test(every_kind_of_rest_shape_moves),
      cmocka_unit_test(a_given_cage_is_used_and_one_that_does_not_enclose_is_refused),
      cmocka_unit_test(commands_come_at_their_time_and_leave_others_alone),
      cmocka_unit_test(a_restored_stage_continues_bit_for_bit),
      cmocka_unit_test(nobody_acts_while_bodies_come_to_rest),
      cmocka_unit_test(one_that_stands_while_settling_acts_at_speed_0),
      cmocka_unit_test(a_written_scene_reads_back_to_the_same_actor),
      cmocka_unit_test(expectations_stand_next_to_what_was_found),
      cmocka_unit_test(depth_and_places_are_measured),
      cmocka_unit_test(the_rest_shape_begins_as_the_surface),
      cmocka_unit_test(what_is_too_soft_to_stand_is_reported_with_a_modulus_that_holds),
      cmocka_unit_test(mistakes_are_reported_with_position_and_fix),
      cmocka_unit_test(an_example_with_other_points_is_reported_by_name),
      cmocka_unit_test(what_has_no_effect_is_a_warning),
      cmocka_unit_test(a_camera_tells_whom_it_follows),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
