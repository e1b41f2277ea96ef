// Tets drawn as text: the boxes become tets that fit together, a surface is carried by them, and mistakes are reported
// at their position.
// ctest: unit
#include "fixtures/scene_from_text.h"
#include "pliant/fem.h"
#include "pliant/math.h"
#include "scene/scene_fem.h"

#define SCENE(meshes, tets)                               \
  "{\"pliant\": 1, \"name\": \"t\", \"meshes\": {" meshes \
  "}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"method\": \"fem\"" tets "}]}"
#define PLANES "\"x\": [0, 1, 3], \"y\": [0, 1, 2], \"z\": [0, 1, 2, 3]"
// Two legs under a bridge: eight boxes, three of them one metre wide and five two metres.
#define BRIDGE \
  PLANES ", \"layers\": [{\"rows\": [\"##\", \".#\"]}, {\"rows\": [\"##\", \"..\"]}, {\"rows\": [\"##\", \".#\"]}]"
#define BALL "\"m\": {\"triangles\": 300, \"shape\": {\"kind\": \"ellipsoid\", \"size\": [0.4, 0.4, 0.4]}}"
#define CUBE                                                                                                       \
  "\"x\": [-0.5, 0, 0.5], \"y\": [-0.5, 0, 0.5], \"z\": [-0.5, 0, 0.5], \"layers\": {\"rows\": [\"##\", \"##\"], " \
  "\"repeat\": 2}"

static double tet_volume(const pl_mesh_view *v, int32_t tet) {
  const int32_t *c = v->tets + 4 * tet;
  pl_vec3 a = v->points[c[0]];
  return pl_vec3_dot(pl_vec3_sub(v->points[c[1]], a),
                     pl_vec3_cross(pl_vec3_sub(v->points[c[2]], a), pl_vec3_sub(v->points[c[3]], a))) /
         6;
}

static pl_mesh *make_mesh(const fixture *s) {
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_scene_make_mesh(s->scene, "m", &mesh, s->findings, &error), &error);
  return mesh;
}

static void boxes_become_tets_that_fit_together(void **state) {
  (void)state;
  fixture s = open_fixture(SCENE("\"m\": {\"cells\": {" BRIDGE "}}", ""), ".");
  check_ok(s.status, &s.error);
  pl_mesh *mesh = make_mesh(&s), *boundary = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  // 24 points around the upper boxes, and four under each of the two lower ones, which stand under the wide half.
  assert_int_equal(view.point_count, 24 + 8);
  assert_int_equal(view.tet_count, 5 * 8);
  double volume = 0;
  for (int32_t i = 0; i < view.tet_count; ++i) {
    check_at_most(1e-3, tet_volume(&view, i));
    volume += tet_volume(&view, i);
  }
  check_near(volume, 3 * 1 + 3 * 2 + 2 * 2, 1e-12);
  for (int32_t i = 0; i < view.point_count; ++i) assert_false(view.points[i].x < 0.5 && view.points[i].y < 0.5);
  // Were a face cut along one diagonal by one box and along the other by its neighbour, it would be left over inside.
  check_ok(pl_mesh_build_boundary(s.context, mesh, &boundary, NULL, &s.error), &s.error);
  pl_mesh_view skin = pl_mesh_get_view(boundary);
  double area = 0;
  for (int32_t i = 0; i < skin.triangle_count; ++i) {
    const int32_t *c = skin.triangles + 3 * i;
    pl_vec3 a = skin.points[c[0]];
    area += pl_vec3_length(pl_vec3_cross(pl_vec3_sub(skin.points[c[1]], a), pl_vec3_sub(skin.points[c[2]], a))) / 2;
  }
  check_near(area, 2 * (3 * 3 + 3 * 1 + 3 * 1) + 2 * (2 * 2 + 2 * 1), 1e-9);
  pl_mesh_destroy(boundary);
  pl_mesh_destroy(mesh);
  close_fixture(&s);
}

static void a_drawing_is_turned_and_put_and_scaled(void **state) {
  (void)state;
  fixture s = open_fixture(SCENE("\"m\": {\"scale\": 2, \"cells\": {" BRIDGE
                                 ", \"position\": [0, 0, 1], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 90}}}",
                                 ""),
                           ".");
  check_ok(s.status, &s.error);
  pl_mesh *mesh = make_mesh(&s);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  check_near(box.min.x, 0, 1e-9);
  check_near(box.max.x, 6, 1e-9);
  check_near(box.max.y, 4, 1e-9);
  check_near(box.min.z, -4, 1e-9);
  check_near(box.max.z, 2, 1e-9);
  pl_mesh_destroy(mesh);
  close_fixture(&s);
}

static void tets_of_another_mesh_carry_a_surface(void **state) {
  (void)state;
  fixture s = open_fixture(SCENE(BALL ", \"c\": {\"cells\": {" CUBE "}}", ", \"tets\": {\"mesh\": \"c\"}"), ".");
  check_ok(s.status, &s.error);
  assert_int_equal(pl_findings_count(s.findings, PL_SEVERITY_NOTE), 0);
  pl_model_report model = pl_model_get_report(pl_body_get_model(s.world, pl_scene_instance_get_body(s.set, 0).id));
  assert_int_equal(model.particle_count, 27);
  check_near(model.mass, 1000, 1e-6);
  pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(s.set, 0);
  assert_in_range(surface.point_count, 100, 1000);
  // An affine motion of the tets is that of the surface.
  pl_vec3 points[27], *drawn = calloc((size_t)surface.point_count, sizeof *drawn);
  pl_body_id body = pl_scene_instance_get_body(s.set, 0).id;
  check_ok(pl_body_get_positions(s.world, body, points), &s.error);
  for (int i = 0; i < 27; ++i) points[i] = (pl_vec3){2 * points[i].x + points[i].y, points[i].y + 3, points[i].z};
  check_ok(pl_body_set_state(s.world, body, points, NULL, &s.error), &s.error);
  check_ok(pl_scene_instance_get_surface(s.set, 0, drawn), &s.error);
  for (int32_t i = 0; i < surface.point_count; ++i) {
    pl_vec3 p = {(drawn[i].x - drawn[i].y + 3) / 2, drawn[i].y - 3, drawn[i].z};
    check_near(pl_vec3_length(p), 0.4, 0.02);
  }
  free(drawn);
  close_fixture(&s);
}

static void mistakes_are_reported_at_their_position(void **state) {
  (void)state;
  static const struct {
    const char *text, *position, *words;
  } cases[] = {
      {SCENE("\"m\": {\"cells\": {\"x\": [0], \"y\": [0, 1], \"z\": [0, 1], \"layers\": [{\"rows\": [\"#\"]}]}}", ""),
       ".x", "two planes"},
      {SCENE("\"m\": {\"cells\": {\"x\": [0, 1], \"y\": [1, 1], \"z\": [0, 1], \"layers\": [{\"rows\": [\"#\"]}]}}",
             ""),
       ".y", "ascend"},
      {SCENE("\"m\": {\"cells\": {" PLANES ", \"layers\": [{\"rows\": [\"##\", \"##\"], \"repeat\": 2}]}}", ""),
       ".layers", "not 2"},
      {SCENE("\"m\": {\"cells\": {" PLANES ", \"layers\": [{\"rows\": [\"##\"], \"repeat\": 3}]}}", ""), ".rows",
       "2 rows"},
      {SCENE("\"m\": {\"cells\": {" PLANES ", \"layers\": [{\"rows\": [\"##\", \"#\"], \"repeat\": 3}]}}", ""), ".rows",
       "2 letters"},
      {SCENE("\"m\": {\"cells\": {" PLANES ", \"layers\": [{\"rows\": [\"##\", \"ox\"], \"repeat\": 3}]}}", ""),
       ".rows", "made of #"},
      {SCENE("\"m\": {\"cells\": {" PLANES ", \"layers\": [{\"rows\": [\". \", \"..\"], \"repeat\": 3}]}}", ""),
       ".cells", "no box is filled"},
      {SCENE(BALL, ", \"tets\": {\"mesh\": \"c\"}"), ".mesh", "\"c\""},
      {SCENE(BALL, ", \"tets\": {\"mesh\": \"m\"}"), ".mesh", "no tets"},
      {SCENE("\"m\": {\"cells\": {" CUBE "}}", ", \"tets\": {\"mesh\": \"m\"}"), ".mesh", "not a surface"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    fixture s = open_fixture(cases[i].text, ".");
    assert_true(s.status < 0);
    bool found = false;
    for (int32_t k = 0; k < pl_findings_count(s.findings, PL_SEVERITY_ERROR); ++k) {
      const pl_finding *finding = pl_findings_get(s.findings, k);
      found = found ||
              (strstr(finding->you_see, cases[i].words) != NULL && strstr(finding->field, cases[i].position) != NULL);
    }
    if (!found) fail_msg("case %zu: nothing at \"%s\" says \"%s\"", i, cases[i].position, cases[i].words);
    close_fixture(&s);
  }
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  const char *text = SCENE(BALL ", \"c\": {\"cells\": {" CUBE "}}", ", \"tets\": {\"mesh\": \"c\"}");
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t base = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    allocator.fail_at = allocator.call_count + n;
    pl_error error = {0};
    pl_scene *scene = NULL;
    pl_mesh *mesh = NULL;
    pl_status status =
        pl_scene_load_memory(context, &(pl_memory_source){text, strlen(text), "test.json", "."}, &scene, NULL, &error);
    if (status >= 0) status = pl_scene_make_mesh(scene, "c", &mesh, NULL, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    if (failed) {
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_null(mesh);
    } else {
      check_ok(status, &error);
    }
    pl_mesh_destroy(mesh);
    pl_scene_destroy(scene);
    assert_int_equal(allocator.live_count, base);
    if (!failed) break;
  }
  drop_context(context);
}

// Numbers of unknowns as in Table 1 of the paper, or more, and the same on both sides.
static void characters_in_space_have_points_enough(void **state) {
  (void)state;
  static const struct {
    const char *scene, *mesh;
    int32_t unknowns;
  } figures[] = {{"actor-sphere", "cells", 246},   {"actor-cups", "espresso cells", 228},
                 {"actor-cups", "tea cells", 228}, {"actor-cups", "mug cells", 228},
                 {"actor-cross", "cells", 1128},   {"actor-cheesy", "cells", 243},
                 {"actor-crusty", "cells", 114},   {"actor-ace", "card", 231}};
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i) {
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s/scene.json", PLIANT_SOURCE_DIR, figures[i].scene);
    pl_error error = {0};
    pl_findings *findings = NULL;
    pl_scene *scene = NULL;
    pl_mesh *mesh = NULL;
    check_ok(pl_findings_create(context, &findings, &error), &error);
    check_ok(pl_scene_load(context, path, &scene, findings, &error), &error);
    check_ok(pl_scene_make_mesh(scene, figures[i].mesh, &mesh, findings, &error), &error);
    pl_mesh_view view = pl_mesh_get_view(mesh);
    print_message("%s: %s has %d unknowns, %d tets\n", figures[i].scene, figures[i].mesh, 3 * view.point_count,
                  view.tet_count);
    check_at_most(figures[i].unknowns, 3 * view.point_count);
    double lean = 0;
    for (int32_t k = 0; k < view.point_count; ++k) lean += view.points[k].z;
    check_near(lean / view.point_count, 0, 1e-6);
    pl_mesh_destroy(mesh);
    pl_scene_destroy(scene);
    pl_findings_destroy(findings);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_become_tets_that_fit_together),  cmocka_unit_test(a_drawing_is_turned_and_put_and_scaled),
      cmocka_unit_test(tets_of_another_mesh_carry_a_surface), cmocka_unit_test(mistakes_are_reported_at_their_position),
      cmocka_unit_test(every_failed_allocation_is_reported),  cmocka_unit_test(characters_in_space_have_points_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
