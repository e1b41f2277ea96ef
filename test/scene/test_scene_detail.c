// Detail in scenes: touches recorded by simulation, sets on bodies, cuts; and what is said about mistakes.
// ctest: unit
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "fixtures/scene_from_text.h"
#include "pliant/math.h"
#include "pliant/pliant.h"

#define FEM "\"fem\": {\"young\": 10000, \"poisson\": 0.1, \"scheme\": \"implicit-euler\", \"contact_stiffness\": 5e6}"
#define BLOCK \
  "\"block\": {\"triangles\": 1200, \"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.1, 0.4], \"radius\": 0.02}}"
#define TOUCH(label, x, z, more) \
  "{\"label\": \"" label "\", \"at\": [" x ", 0.05, " z "], \"toward\": [0, -1, 0], \"depth\": 0.02" more "}"
// Two bodies, apart from each other and, with a rotation for the coarse one, turned against each other.
#define RECIPE(rotation, touches)                                                                                    \
  "{\"pliant\": 1, \"name\": \"r\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.05}, \"meshes\": {" BLOCK         \
  "}, \"bodies\": [\n"                                                                                               \
  "{\"name\": \"fine\", \"mesh\": \"block\", \"method\": \"fem\", \"tets\": {\"cell_size\": 0.04}, \"position\": "   \
  "[-0.5, 0, "                                                                                                       \
  "0], " FEM                                                                                                         \
  ", \"pins\": [{\"within\": {\"min\": [-2, -1, -2], \"max\": [0, -0.03, 2]}}]},\n"                                  \
  "{\"name\": \"coarse\", \"mesh\": \"block\", \"method\": \"fem\", \"tets\": {\"cell_size\": 0.07}, \"position\": " \
  "[0.5, 0, "                                                                                                        \
  "0], " rotation FEM                                                                                                \
  ", \"pins\": [{\"within\": {\"min\": [0, -1, -2], \"max\": [2, -0.03, 2]}}]}],\n"                                  \
  "\"recording\": {\"fine\": \"fine\", \"coarse\": \"coarse\", \"tools\": [{\"name\": \"ball\", \"shape\": "         \
  "\"sphere\", "                                                                                                     \
  "\"radius\": 0.05}], \"steps\": 3, \"window_radius\": 0.08, \"stamp_radius\": 0.5, \"stamp_resolution\": 80, "     \
  "\"stamp_border\": 0.1, \"touches\": [" touches "]}}"

typedef struct taken {
  fixture fixture;  // for its context, and what was found
  pl_scene *scene;
  pl_detail_session *session;
  pl_detail_session_view view;
} taken;

static taken take(const char *text) {
  taken t = {.fixture = {.context = make_context(1)}};
  fixture *s = &t.fixture;
  pl_detail_session_def def = pl_default_detail_session_def();
  check_ok(pl_findings_create(s->context, &s->findings, &s->error), &s->error);
  s->status = pl_scene_load_memory(s->context, &(pl_memory_source){text, strlen(text), "r.json", "."}, &t.scene,
                                   s->findings, &s->error);
  if (s->status >= 0)
    s->status = pl_detail_session_record(s->context, &def, t.scene, &t.session, s->findings, &s->error);
  if (s->status >= 0) t.view = pl_detail_session_get_view(t.session);
  return t;
}

static void drop(taken *t) {
  pl_detail_session_destroy(t->session);
  pl_scene_destroy(t->scene);
  pl_findings_destroy(t->fixture.findings);
  drop_context(t->fixture.context);
}

static bool was_found(const fixture *s, const char *kind) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i)
    if (strcmp(pl_findings_get(s->findings, i)->kind, kind) == 0 && pl_findings_get(s->findings, i)->line > 0)
      return true;
  return false;
}

static void at_its_own_place_a_touch_is_given_back(void **state) {
  (void)state;
  taken t =
      take(RECIPE("", TOUCH("held", "0.1", "0.1", ", \"held_out\": true") ", " TOUCH("middle", "0", "0", "") ", " TOUCH(
                          "edge", "0.14", "0", "") ", " TOUCH("pulled", "0", "0", ", \"drag\": [0.02, 0, 0]")));
  check_ok(t.fixture.status, &t.fixture.error);
  assert_int_equal(pl_findings_count(t.fixture.findings, PL_SEVERITY_WARNING), 0);
  const pl_detail_session_view *view = &t.view;
  assert_int_equal(view->recording_count, 4);
  assert_int_equal(view->example_count, 3);
  assert_string_equal(view->recordings[0].label, "middle");
  assert_string_equal(view->recordings[3].label, "held");
  assert_true(view->reports[3].held_out && !view->reports[0].held_out);
  assert_int_equal(view->reports[0].site, view->reports[2].site);
  assert_true(view->reports[0].site != view->reports[1].site);
  pl_detail_set *set = NULL;
  pl_detail_evaluation evaluated[4], crossed[3];
  pl_error error = {0};
  check_ok(pl_detail_set_build(t.fixture.context, &view->def, &(pl_detail_recordings){view->recordings, 3, NULL}, &set,
                               NULL, &error),
           &error);
  check_ok(pl_detail_set_evaluate(t.fixture.context, set, &(pl_detail_recordings){view->recordings, 4, NULL}, evaluated,
                                  &error),
           &error);
  for (int i = 0; i < 3; ++i) {
    print_message("%-8s moves %.2f mm, coarse %.1f %%, enriched %.2f %%\n", view->recordings[i].label,
                  1e3 * evaluated[i].displacement, 100 * evaluated[i].coarse / evaluated[i].displacement,
                  100 * evaluated[i].enriched / evaluated[i].displacement);
    assert_true(evaluated[i].coarse > 0.02 * evaluated[i].displacement);
    assert_true(evaluated[i].enriched < 0.01 * evaluated[i].displacement);
  }
  // Without its site an example is missed; a set that knows only one site cannot be evaluated by others.
  const int32_t sites[3] = {view->reports[0].site, view->reports[1].site, view->reports[2].site}, same[3] = {0, 0, 0};
  check_ok(pl_detail_cross_validate(t.fixture.context, &view->def, &(pl_detail_recordings){view->recordings, 3, sites},
                                    crossed, &error),
           &error);
  assert_true(crossed[1].enriched > 5 * evaluated[1].enriched);
  assert_int_equal(pl_detail_cross_validate(t.fixture.context, &view->def,
                                            &(pl_detail_recordings){view->recordings, 3, same}, crossed, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_detail_cross_validate(t.fixture.context, &view->def,
                                            &(pl_detail_recordings){view->recordings, 3, NULL}, crossed, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "sites");
  pl_detail_set_destroy(set);
  drop(&t);
}

// Both are in the frame of the mesh, so how a body stands in the scene does not matter.
static void where_the_bodies_stand_does_not_matter(void **state) {
  (void)state;
  taken a = take(RECIPE("", TOUCH("edge", "0.14", "0", "")));
  taken b = take(RECIPE("\"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 37}, ", TOUCH("edge", "0.14", "0", "")));
  check_ok(a.fixture.status, &a.fixture.error);
  check_ok(b.fixture.status, &b.fixture.error);
  const pl_detail_recording *x = &a.view.recordings[0], *y = &b.view.recordings[0];
  double max = 0, moved = 0;
  for (int32_t i = 0; i < a.view.object->surface_count; ++i) {
    max = fmax(max, pl_vec3_distance(x->coarse_points[i], y->coarse_points[i]));
    moved = fmax(moved, pl_vec3_distance(x->coarse_points[i], a.view.object->surface_points[i]));
  }
  print_message("turned: %.2g m apart of %.2g m\n", max, moved);
  assert_true(moved > 0.01 && max < 2e-4);
  assert_true(pl_vec3_distance(x->contact.point, y->contact.point) < 2e-4);
  drop(&a);
  drop(&b);
}

static void mistakes_are_findings_with_their_place(void **state) {
  (void)state;
  static const struct {
    const char *text, *kind;
  } cases[] = {
      {RECIPE("", TOUCH("away", "0.14", "0", ", \"tool\": \"bell\"")), "unknown-tool"},
      {"{\"pliant\": 1, \"name\": \"r\", \"meshes\": {\"b\": {\"box\": {\"cells\": [2, 2, 2]}}}, \"bodies\": "
       "[{\"name\": \"a\", "
       "\"mesh\": "
       "\"b\", \"method\": \"fem\", \"tets\": {\"cuts\": [{\"hilts\": [[0, 0, 0]], \"tips\": []}]}}]}",
       "blade"},
      {"{\"pliant\": 1, \"name\": \"r\", \"meshes\": {\"b\": {\"box\": {\"cells\": [2, 2, 2]}}}, \"bodies\": "
       "[{\"name\": \"a\", "
       "\"mesh\": "
       "\"b\", \"method\": \"fem\", \"detail\": {\"set\": \"none.pldetail\"}}]}",
       "missing-file"},
      {"{\"pliant\": 1, \"name\": \"r\", \"meshes\": {\"b\": {\"box\": {\"cells\": [2, 2, 2]}}}, \"bodies\": "
       "[{\"name\": \"a\", "
       "\"mesh\": "
       "\"b\"}], \"recording\": {\"fine\": \"a\", \"coarse\": \"a\", \"window_radius\": 0.1, \"tools\": [{\"shape\": "
       "\"half_space\"}], "
       "\"touches\": []}}",
       "endless-tool"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    taken t = take(cases[i].text);
    assert_true(t.fixture.status < 0);
    assert_true(was_found(&t.fixture, cases[i].kind));
    drop(&t);
  }
}

static void cut_tets_fall_apart(void **state) {
  (void)state;
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"c\", \"meshes\": {\"b\": {\"box\": {\"size\": [0.4, 0.2, 0.2], \"cells\": [4, 2, "
      "2]}}}, "
      "\"bodies\": "
      "[{\"name\": \"a\", \"mesh\": \"b\", \"method\": \"fem\", \"tets\": {\"cuts\": {\"point\": [0.03, 0, 0]}}},"
      " {\"name\": \"b\", \"mesh\": \"b\", \"method\": \"fem\", \"position\": [2, 0, 0], \"tets\": {\"cuts\": "
      "{\"point\": [5, 0, "
      "0]}}}]}",
      ".");
  check_ok(s.status, &s.error);
  assert_true(was_found(&s, "empty-cut"));
  pl_mesh_check_report parts[2];
  for (int32_t i = 0; i < 2; ++i)  // small tets next to a cut may be remarked
    assert_true(pl_mesh_check(s.context, pl_scene_instance_get_body(s.set, i).mesh, NULL, &parts[i], &s.error) >= 0);
  assert_int_equal(parts[0].component_count, 2);
  assert_int_equal(parts[1].component_count, 1);
  close_fixture(&s);
}

// A body with a set shows it where its tool is, and nowhere else; without memory nothing is left behind.
static void a_body_shows_its_set(void **state) {
  (void)state;
  taken t = take(RECIPE("", TOUCH("middle", "0", "0", "")));
  check_ok(t.fixture.status, &t.fixture.error);
  pl_detail_set *set = NULL;
  pl_error error = {0};
  check_ok(pl_detail_set_build(t.fixture.context, &t.view.def, &(pl_detail_recordings){t.view.recordings, 1, NULL},
                               &set, NULL, &error),
           &error);
  char folder[] = "/tmp/pliant-scene-detail-XXXXXX", path[96];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/set.pldetail", folder);
  check_ok(pl_detail_set_save(t.fixture.context, path, set, &error), &error);
  pl_detail_set_destroy(set);
  static const char *const scene =
      "{\"pliant\": 1, \"name\": \"s\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.05}, \"meshes\": {" BLOCK
      "}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"block\", \"method\": \"fem\", \"tets\": {\"cell_size\": "
      "0.07}, " FEM
      ", \"pins\": [{\"within\": {\"min\": [-1, -1, -1], \"max\": [1, -0.03, 1]}}], \"detail\": {\"set\": "
      "\"set.pldetail\", "
      "\"tools\": [\"ball\"]}}], \"colliders\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.05, "
      "\"keys\": "
      "[{\"time\": 0, "
      "\"position\": [0, 0.101, 0]}, {\"time\": 0.15, \"position\": [0, 0.08, 0]}]}]}";
  fixture s = open_fixture(scene, folder);
  check_ok(s.status, &s.error);
  check_ok(pl_world_advance(s.world, 0.5, 0, NULL, &s.error), &s.error);
  pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(s.set, 0);
  assert_int_equal(surface.point_count, t.view.object->surface_count);
  pl_vec3 *points = malloc((size_t)surface.point_count * sizeof *points);
  check_ok(pl_scene_instance_get_surface(s.set, 0, points), &s.error);
  double fine = 0, coarse = 0;
  for (int32_t i = 0; i < surface.point_count; ++i) {
    fine += pow(pl_vec3_distance(points[i], t.view.recordings[0].fine_points[i]), 2);
    coarse += pow(pl_vec3_distance(points[i], t.view.recordings[0].coarse_points[i]), 2);
  }
  print_message("shown: %.3g of the way from fine to coarse\n", sqrt(fine / (fine + coarse)));
  assert_true(fine < 0.01 * coarse);
  free(points);
  close_fixture(&s);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t n = 1;
  for (;; n += 1 + n / 40) {
    int64_t live = allocator.live_count;
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_scene *read = NULL;
    pl_scene_instance *made = NULL;
    pl_scene_build_def def = pl_default_scene_build_def();
    pl_status status =
        pl_scene_load_memory(context, &(pl_memory_source){scene, strlen(scene), "s.json", folder}, &read, NULL, &error);
    if (status >= 0) status = pl_scene_build(context, &def, read, &made, NULL, &error);
    pl_scene_instance_destroy(made);
    pl_scene_destroy(read);
    assert_int_equal(allocator.live_count, live);
    if (status >= 0) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
  }
  drop_context(context);
  drop(&t);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_its_own_place_a_touch_is_given_back),
      cmocka_unit_test(where_the_bodies_stand_does_not_matter),
      cmocka_unit_test(mistakes_are_findings_with_their_place),
      cmocka_unit_test(cut_tets_fall_apart),
      cmocka_unit_test(a_body_shows_its_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
