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

// A body that is cut through next to the tool, with a surface that its tets carry: nothing bridges the cut, and the
// stamp ends there.
static void a_carried_surface_is_cut_with_its_tets(void **state) {
  (void)state;
  taken t = take(RECIPE("", TOUCH("middle", "0", "0", "")));
  check_ok(t.fixture.status, &t.fixture.error);
  pl_detail_set *set = NULL;
  pl_error error = {0};
  t.view.def.site_width = t.view.def.load_width = 2;  // so wide that the weight stays, whatever the cut does to it
  check_ok(pl_detail_set_build(t.fixture.context, &t.view.def, &(pl_detail_recordings){t.view.recordings, 1, NULL},
                               &set, NULL, &error),
           &error);
  char folder[] = "/tmp/pliant-scene-detail-XXXXXX", path[96];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/set.pldetail", folder);
  check_ok(pl_detail_set_save(t.fixture.context, path, set, &error), &error);
  pl_detail_set_destroy(set);
  drop(&t);
#define CUT_BODY(name, x, min, max, detail)                                                                 \
  "{\"name\": \"" name "\", \"mesh\": \"block\", \"position\": [" x                                         \
  ", 0, 0], \"method\": \"fem\", \"tets\": {\"cell_size\": 0.07, \"cuts\": {\"point\": [0.06, 0, 0], "      \
  "\"normal\": [1, 0, 0.1]}}, " FEM ", \"pins\": [{\"within\": {\"min\": [" min ", -1, -1], \"max\": [" max \
  ", -0.03, 1]}}]" detail "}"
#define PRESSING_BALL(x)                                                                 \
  "{\"shape\": \"sphere\", \"radius\": 0.05, \"keys\": [{\"time\": 0, \"position\": [" x \
  ", 0.101, 0]}, {\"time\": 0.15, \"position\": [" x ", 0.08, 0]}]}"
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"s\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.05}, \"meshes\": {" BLOCK
      "}, \"bodies\": [" CUT_BODY("plain", "0", "-1", "1", "") ", " CUT_BODY(
          "detailed", "2", "1", "3", ", \"detail\": {\"set\": \"set.pldetail\"}") "], \"colliders\": [" PRESSING_BALL(
          "0") ", " PRESSING_BALL("2") "]}",
      folder);
  check_ok(s.status, &s.error);
  assert_false(was_found(&s, "bridged-cut"));
  check_ok(pl_world_advance(s.world, 0.5, 0, NULL, &s.error), &s.error);
  pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(s.set, 0);
  pl_scene_instance_body body = pl_scene_instance_get_body(s.set, 0);
  int32_t bridging = -1;
  check_ok(pl_mesh_cut_surface(s.context, body.mesh, body.surface, NULL, &bridging, &s.error), &s.error);
  assert_int_equal(bridging, 0);
  pl_vec3 *plain = malloc((size_t)surface.point_count * sizeof *plain),
          *detailed = malloc((size_t)surface.point_count * sizeof *detailed);
  check_ok(pl_scene_instance_get_surface(s.set, 0, plain), &s.error);
  check_ok(pl_scene_instance_get_surface(s.set, 1, detailed), &s.error);
  const pl_vec3 *rest = pl_mesh_get_view(body.surface).points;
  double here = 0, beyond = 0;
  for (int32_t i = 0; i < surface.point_count; ++i) {
    double height = rest[i].x - 0.06 + 0.1 * rest[i].z,
           moved = pl_vec3_distance(plain[i], pl_vec3_sub(detailed[i], pl_vec3_of(2, 0, 0)));
    if (height < -0.007) here = fmax(here, moved);
    if (height > 0.007) beyond = fmax(beyond, moved);  // the cut is bent by up to a tenth of an edge
  }
  print_message("the stamp moves points by up to %.3g mm, beyond the cut by %.3g mm\n", 1e3 * here, 1e3 * beyond);
  assert_true(here > 1e-3 && beyond < 0.01 * here);
  free(plain);
  free(detailed);
  close_fixture(&s);
  unlink(path);
  rmdir(folder);
}

// Tets that came cut, with a surface that is whole.
static void a_surface_that_bridges_a_cut_is_a_finding(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant-scene-detail-XXXXXX", path[96];
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = NULL;
  pl_cut_def def = pl_default_cut_def();
  pl_cut_result cut;
  check_ok(pl_mesh_create_box(context, pl_vec3_of(0.42, 0.12, 0.42), (const int32_t[3]){5, 2, 5}, &box, &error),
           &error);
  check_ok(pl_mesh_cut(context, &def, box, &cut, &error), &error);
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/cut.vtu", folder);
  check_ok(pl_mesh_save(context, path, cut.mesh, &error), &error);
  fixture s = open_fixture("{\"pliant\": 1, \"name\": \"s\", \"meshes\": {" BLOCK
                           ", \"cut\": {\"file\": \"cut.vtu\"}}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"block\", "
                           "\"method\": \"fem\", \"tets\": {\"mesh\": \"cut\"}}]}",
                           folder);
  check_ok(s.status, &s.error);
  assert_true(was_found(&s, "bridged-cut"));
  close_fixture(&s);
  pl_mesh_destroy(box);
  pl_mesh_destroy(cut.mesh);
  pl_embedding_destroy(cut.embedding);
  drop_context(context);
  unlink(path);
  rmdir(folder);
}

#define SKIN_RECIPE(material, stiffness)                                                                             \
  "{\"pliant\": 1, \"name\": \"r\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.05}, \"meshes\": {\"block\": "    \
  "{\"triangles\": 2500, \"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.1, 0.4], \"radius\": 0.02}}}, "            \
  "\"bodies\": [\n"                                                                                                  \
  "{\"name\": \"fine\", \"mesh\": \"block\", \"method\": \"fem\", \"tets\": {\"cell_size\": 0.04}, \"position\": "   \
  "[-0.5, 0, 0], " FEM                                                                                               \
  ", \"pins\": [{\"within\": {\"min\": [-2, -1, -2], \"max\": [0, -0.03, 2]}}]},\n"                                  \
  "{\"name\": \"coarse\", \"mesh\": \"block\", \"method\": \"fem\", \"tets\": {\"cell_size\": 0.07}, \"position\": " \
  "[0.5, 0, 0], " FEM                                                                                                \
  ", \"pins\": [{\"within\": {\"min\": [0, -1, -2], \"max\": [2, -0.03, 2]}}]},\n"                                   \
  "{\"name\": \"skin\", \"mesh\": \"block\", \"method\": \"fem\", \"position\": [0, 0, 2], " material                \
  "}],\n\"recording\": {\"fine\": \"fine\", \"coarse\": \"coarse\", \"skin\": \"skin\", "                            \
  "\"skin_stiffness\": " stiffness                                                                                   \
  ", \"tools\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.05, \"friction\": 2}], \"steps\": 3, "    \
  "\"window_radius\": 0.08, \"stamp_radius\": 0.5, \"touches\": [{\"at\": [0, 0.05, 0], \"toward\": [0, -1, 0], "    \
  "\"depth\": 0.02, \"drag\": [0.03, 0, 0]}]}}"
#define SHELL(young)                                                                                          \
  "\"fem\": {\"material\": \"shell\", \"young\": " young                                                      \
  ", \"thickness\": 0.002, \"density\": 500, \"scheme\": \"implicit-euler\", \"max_newton_iterations\": 30, " \
  "\"friction\": 2}"

// How rough a recorded surface is: mean square of the height of each point over the mean of its neighbours, less what
// that is at rest.
static double roughness(const pl_detail_object *object, const pl_vec3 *points) {
  double *sums = calloc((size_t)object->surface_count, sizeof *sums), total = 0;
  int32_t *counts = calloc((size_t)object->surface_count, sizeof *counts);
  for (int32_t s = 0; s < 3 * object->triangle_count; ++s) {
    int32_t a = object->triangles[s], b = object->triangles[s - s % 3 + (s + 1) % 3];
    sums[a] += (points[b].y - points[a].y) - (object->surface_points[b].y - object->surface_points[a].y);
    counts[a]++;
  }
  for (int32_t i = 0; i < object->surface_count; ++i)
    if (counts[i] > 0 && object->surface_points[i].y > 0.049) total += pow(sums[i] / counts[i], 2);
  free(sums);
  free(counts);
  return sqrt(total / object->surface_count);
}

// A soft thin shell on stiff springs is where the fine body is; a stiff one folds in front of the tool, which no body
// of tets does here.
static void a_skin_follows_its_body_or_folds(void **state) {
  (void)state;
  static const char *const recipes[2] = {SKIN_RECIPE(SHELL("100"), "1e9"), SKIN_RECIPE(SHELL("1e6"), "1.5e5")};
  double rough[2], coarse = 0;
  for (int k = 0; k < 2; ++k) {
    taken t = take(recipes[k]);
    check_ok(t.fixture.status, &t.fixture.error);
    const pl_detail_recording *recording = &t.view.recordings[0];
    rough[k] = roughness(t.view.object, recording->fine_points);
    coarse = roughness(t.view.object, recording->coarse_points);
    drop(&t);
  }
  print_message("roughness: coarse %.3g mm, skin that follows %.3g mm, skin that folds %.3g mm\n", 1e3 * coarse,
                1e3 * rough[0], 1e3 * rough[1]);
  assert_true(rough[1] > 1.5 * rough[0]);
  taken wrong = take(SKIN_RECIPE("\"tets\": {\"cell_size\": 0.1}, " FEM, "1e5"));
  assert_true(wrong.fixture.status < 0 && was_found(&wrong.fixture, "no-shell"));
  drop(&wrong);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_its_own_place_a_touch_is_given_back),
      cmocka_unit_test(where_the_bodies_stand_does_not_matter),
      cmocka_unit_test(mistakes_are_findings_with_their_place),
      cmocka_unit_test(cut_tets_fall_apart),
      cmocka_unit_test(a_body_shows_its_set),
      cmocka_unit_test(a_carried_surface_is_cut_with_its_tets),
      cmocka_unit_test(a_surface_that_bridges_a_cut_is_a_finding),
      cmocka_unit_test(a_skin_follows_its_body_or_folds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
