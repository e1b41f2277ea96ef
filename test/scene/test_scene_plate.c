// Plates of a scene: from the outline to a body and to what it is drawn by, the gallery's figures, and what is said
// about mistakes.
// ctest: unit
#include "fixtures/scene_from_text.h"
#include "pliant/fem.h"
#include "pliant/math.h"
#include "scene/scene_fem.h"

#define SCENE(plate)                                                                                               \
  "{\"pliant\": 1, \"name\": \"t\", \"gravity\": [0, 0, 0], \"meshes\": {\"m\": {\"scale\": 2, \"plate\": {" plate \
  "}}},\n"                                                                                                         \
  "\"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"method\": \"fem\", \"fem\": {\"material\": \"plane\", "       \
  "\"thickness\": 0.1}}]}"
#define SQUARE "\"outline\": [[0, 0], [1, 0], [1, 1], [0, 1]], \"spacing\": 0.3"

static double volume_of(const pl_vec3 *points, const pl_scene_instance_surface *surface) {
  double sum = 0;
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *c = surface->triangles + 3 * t;
    sum += pl_vec3_dot(points[c[0]], pl_vec3_cross(points[c[1]], points[c[2]])) / 6;
  }
  return sum;
}

// Volume of what the scene's only body is drawn by, which is closed if the volume does not depend on where it is.
static double drawn_volume(const fixture *s, int32_t *point_count) {
  pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(s->set, 0);
  pl_vec3 *points = calloc((size_t)surface.point_count, sizeof *points);
  assert_non_null(points);
  pl_error error = {0};
  check_ok(pl_scene_instance_get_surface(s->set, 0, points), &error);
  double volume = volume_of(points, &surface);
  for (int32_t i = 0; i < surface.point_count; ++i) points[i] = pl_vec3_add(points[i], (pl_vec3){3, -7, 5});
  check_near(volume_of(points, &surface), volume, 1e-9);
  free(points);
  *point_count = surface.point_count;
  return volume;
}

static void a_plate_is_drawn_by_its_finer_outline(void **state) {
  (void)state;
  fixture s =
      open_fixture(SCENE(SQUARE ", \"holes\": [{\"outline\": [[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]]}]"), ".");
  check_ok(s.status, &s.error);
  pl_model_report model = pl_model_get_report(pl_body_get_model(s.world, pl_scene_instance_get_body(s.set, 0).id));
  int32_t drawn;
  check_near(drawn_volume(&s, &drawn), 0.1 * 4 * (1 - 0.04), 1e-9);
  assert_true(drawn > 6 * model.particle_count);
  check_near(model.mass, 1000 * 0.1 * 4 * (1 - 0.04), 1e-6);
  close_fixture(&s);
}

static void a_plate_is_drawn_by_another_figure_that_it_carries(void **state) {
  (void)state;
  // A wider figure with an eye: its rim lies outside the triangles that carry it.
  fixture s = open_fixture(
      SCENE(SQUARE ", \"drawn\": {\"outline\": [[-0.1, -0.1], [1.1, -0.1], [1.1, 1.1], [-0.1, 1.1]], \"spacing\": 0.2, "
                   "\"holes\": [{\"outline\": [[0.2, 0.6], [0.4, 0.6], [0.4, 0.8], [0.2, 0.8]]}]}"),
      ".");
  check_ok(s.status, &s.error);
  int32_t drawn;
  double area = 4 * (1.44 - 0.04);
  check_near(drawn_volume(&s, &drawn), 0.1 * area, 1e-6);
  // An affine motion of the particles is that of the figure, outside too.
  pl_body_id body = pl_scene_instance_get_body(s.set, 0).id;
  pl_vec3 points[100];
  int32_t n = pl_model_get_report(pl_body_get_model(s.world, body)).particle_count;
  assert_in_range(n, 4, 100);
  check_ok(pl_body_get_positions(s.world, body, points), &s.error);
  for (int32_t i = 0; i < n; ++i)
    points[i] = (pl_vec3){1.5 * points[i].x + 0.3 * points[i].y, 0.8 * points[i].y - 1, 0};
  check_ok(pl_body_set_state(s.world, body, points, NULL, &s.error), &s.error);
  check_near(drawn_volume(&s, &drawn), 0.1 * area * 1.5 * 0.8, 1e-6);
  close_fixture(&s);
}

static bool was_found(const fixture *s, const char *words) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_ERROR); ++i)
    if (strstr(pl_findings_get(s->findings, i)->you_see, words) != NULL) return true;
  return false;
}

static void mistakes_in_outlines_are_reported_at_their_position(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {SCENE("\"outline\": [[0, 0], [1, 1], [1, 0], [0, 1]]"), "outline: crosses or touches itself"},
      {SCENE(SQUARE ", \"holes\": [{\"outline\": [[4, 4], [5, 4], [5, 5]]}]"), "holes[0]: lies outside the outline"},
      {SCENE("\"outline\": [[0, 0], [1, 0], [1, 1], [0, 1]], \"spacing\": 3"), "spacing: 3 m is wider than the plate"},
      {SCENE(SQUARE ", \"drawn\": {\"outline\": [[0, 0], [1, 1], [1, 0], [0, 1]]}"),
       "outline: crosses or touches itself"},
      {SCENE("\"spacing\": 0.1"), "this plate has no `outline`"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    fixture s = open_fixture(cases[i].text, ".");
    assert_true(s.status < 0);
    if (!was_found(&s, cases[i].words))
      fail_msg("nothing says \"%s\"; the error is \"%s\"", cases[i].words, s.error.text);
    close_fixture(&s);
  }
}

static double min_angle(const pl_mesh_view *v) {
  double min = HUGE_VAL;
  for (int32_t i = 0; i < 3 * v->triangle_count; ++i) {
    const int32_t *c = v->triangles + 3 * (i / 3);
    pl_vec3 a = v->points[c[i % 3]], b = pl_vec3_sub(v->points[c[(i + 1) % 3]], a),
            d = pl_vec3_sub(v->points[c[(i + 2) % 3]], a);
    min = fmin(min, atan2(pl_vec3_length(pl_vec3_cross(b, d)), pl_vec3_dot(b, d)));
  }
  return min * 180 / PL_PI;
}

// Numbers of unknowns as in Table 1 of the paper, or more.
static void figures_of_the_gallery_have_good_triangles_and_enough_of_them(void **state) {
  (void)state;
  static const struct {
    const char *scene, *mesh;
    int32_t unknowns;
  } figures[] = {{"actor-i", "I", 54},
                 {"actor-p", "P", 54},
                 {"actor-s", "S", 100},
                 {"actor-g", "G", 100},
                 {"actor-a", "A", 66},
                 {"actor-r", "R", 66},
                 {"actor-h", "H", 66},
                 {"actor-castle", "castle", 142},
                 {"actor-castle-curve", "curve", 64},
                 {"actor-pirate", "pirate", 188}};
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
    print_message("%s: %d unknowns", figures[i].scene, 2 * view.point_count);
    check_at_most(figures[i].unknowns, 2 * view.point_count);
    if (view.triangle_count > 0) {
      print_message(", smallest angle %.1f degrees", min_angle(&view));
      check_at_most(20, min_angle(&view));
    }
    print_message("\n");
    pl_mesh_destroy(mesh);
    pl_scene_destroy(scene);
    pl_findings_destroy(findings);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plate_is_drawn_by_its_finer_outline),
      cmocka_unit_test(a_plate_is_drawn_by_another_figure_that_it_carries),
      cmocka_unit_test(mistakes_in_outlines_are_reported_at_their_position),
      cmocka_unit_test(figures_of_the_gallery_have_good_triangles_and_enough_of_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
