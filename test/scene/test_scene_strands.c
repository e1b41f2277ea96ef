// Hair in scenes: it grows where it should, is as long as it should be, is the same for the same seed, stays out of
// what it touches, and mistakes are named.
// ctest: unit
#include "fixtures/scene_from_text.h"
#include "pliant/math.h"
#include "pliant/pliant.h"

#define SCENE(strands, more)                                                                                    \
  "{\"pliant\": 1, \"name\": \"t\", \"meshes\": {\"ball\": {\"triangles\": 1200, \"shape\": {\"kind\": "        \
  "\"ellipsoid\", \"size\": [0.1, 0.1, 0.1]}}}, \"bodies\": [{\"name\": \"hair\", \"method\": \"rod\", "        \
  "\"position\": [5, 0, 0], " more                                                                              \
  "\"rod\": {\"stiffness\": 0.002, \"volume_cell\": 0.02, \"colliders\": [{\"shape\": \"sphere\", \"radius\": " \
  "0.1}], \"strands\": {" strands "}}}]}"
#define HAIR                                                                                                   \
  "\"mesh\": \"ball\", \"count\": 300, \"guides\": 30, \"guide_points\": 8, \"points\": 12, \"length\": 0.2, " \
  "\"sides\": 2, \"within\": {\"min\": [-1, 0.02, -1], \"max\": [1, 1, 1]}"

enum { COUNT = 300, POINTS = 12 };

static pl_vec3 center_of(const pl_vec3 *surface, int strand, int point) {
  const pl_vec3 *ends = surface + 2 * (strand * POINTS + point);
  return pl_vec3_lerp(ends[0], ends[1], 0.5);
}

static void hair_grows_on_its_mesh(void **state) {
  (void)state;
  static pl_vec3 surface[2][2 * COUNT * POINTS];
  for (int k = 0; k < 2; ++k) {
    fixture s = open_fixture(SCENE(HAIR, ""), ".");
    check_ok(s.status, &s.error);
    assert_int_equal(pl_findings_count(s.findings, PL_SEVERITY_WARNING), 0);
    pl_scene_instance_surface view = pl_scene_instance_get_surface_view(s.set, 0);
    assert_int_equal(view.point_count, 2 * COUNT * POINTS);
    assert_int_equal(pl_mesh_get_view(pl_scene_instance_get_body(s.set, 0).surface).point_count, view.point_count);
    check_ok(pl_scene_instance_get_surface(s.set, 0, surface[k]), NULL);
    for (int i = 0; k == 0 && i < COUNT; ++i) {
      pl_vec3 root = center_of(surface[k], i, 0);
      double length = 0;
      root.x -= 5;
      check_near(pl_vec3_length(root), 0.1, 1e-3);
      // Triangles belong by their middle.
      assert_true(root.y > 0.01);
      for (int j = 1; j < POINTS; ++j)
        length += pl_vec3_distance(center_of(surface[k], i, j), center_of(surface[k], i, j - 1));
      assert_true(length > 0.17 && length < 0.22);
    }
    pl_world *world = pl_scene_instance_get_world(s.set);
    for (int n = 0; k == 0 && n < 120; ++n) check_ok(pl_world_step(world, NULL, &s.error), &s.error);
    if (k == 0) {
      static pl_vec3 later[2 * COUNT * POINTS];
      check_ok(pl_scene_instance_get_surface(s.set, 0, later), NULL);
      double nearest = HUGE_VAL, fallen = 0;
      for (int i = 0; i < COUNT; ++i)
        for (int j = 1; j < POINTS; ++j) {
          pl_vec3 x = center_of(later, i, j);
          fallen += (center_of(surface[k], i, j).y - x.y) / (COUNT * (POINTS - 1));
          x.x -= 5;
          nearest = fmin(nearest, pl_vec3_length(x));
        }
      printf("hair has fallen by %.3f m and is %.4f m from the middle of the ball at least\n", fallen, nearest);
      assert_true(fallen > 0.03);
      check_at_most(0.1, nearest);
    }
    close_fixture(&s);
  }
  assert_memory_equal(surface[0], surface[1], sizeof surface[0]);
}

static void chains_of_the_scene_may_be_the_guides(void **state) {
  (void)state;
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"t\", \"meshes\": {\"ball\": {\"triangles\": 600, \"shape\": {\"kind\": "
      "\"ellipsoid\", "
      "\"size\": [0.1, 0.1, 0.1]}}}, \"bodies\": [{\"name\": \"hair\", \"method\": \"rod\", \"rod\": {\"chains\": "
      "[{\"name\": "
      "\"one\", \"points\": [[0, 0.1, 0], [0, 0.2, 0], [0, 0.3, 0]]}], \"strands\": {\"mesh\": \"ball\", \"guides\": "
      "0, "
      "\"count\": 50}}}]}",
      ".");
  check_ok(s.status, &s.error);
  assert_int_equal(pl_scene_instance_get_surface_view(s.set, 0).point_count, 50 * 16 * 3);
  close_fixture(&s);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *kind;
  } cases[] = {
      {SCENE("\"mesh\": \"bell\"", ""), "unknown-mesh"},
      {SCENE("\"mesh\": \"ball\", \"joint\": \"tail\"", ""), "unknown-joint"},
      {SCENE("\"mesh\": \"ball\", \"guides\": 0", ""), "no-guides"},
      {SCENE("\"mesh\": \"ball\"", "\"mesh\": \"ball\", "), "rod-source"},
      {SCENE("\"mesh\": \"ball\", \"within\": {\"min\": [2, 2, 2], \"max\": [3, 3, 3]}", ""), "no-skin"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    fixture s = open_fixture(cases[i].text, ".");
    bool found = false;
    for (int32_t k = 0; k < pl_findings_count(s.findings, PL_SEVERITY_NOTE); ++k)
      found = found || strcmp(pl_findings_get(s.findings, k)->kind, cases[i].kind) == 0;
    if (!found) fail_msg("no finding %s", cases[i].kind);
    close_fixture(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hair_grows_on_its_mesh),
      cmocka_unit_test(chains_of_the_scene_may_be_the_guides),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
