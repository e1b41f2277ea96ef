#define _POSIX_C_SOURCE 200809L
// Scenes with example poses: where poses come from, what drives their weights, and what is said about wrong ones.
// ctest: unit
#include <unistd.h>

#include "fixtures/scene_from_text.h"
#include "pliant/math.h"
#include "pliant/pliant.h"

static bool was_found(const fixture *s, const char *kind, const char *words) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *f = pl_findings_get(s->findings, i);
    if (strcmp(f->kind, kind) == 0 && (strstr(f->you_see, words) || strstr(f->fix, words))) return true;
  }
  return false;
}

#define BAR(poses, body)                                                                                            \
  "{\"pliant\": 1, \"name\": \"t\", \"gravity\": [0, 0, 0], \"meshes\": {\"bar\": {\"box\": {\"size\": [0.4, 0.4, " \
  "0.8],"                                                                                                           \
  " \"cells\": [2, 2, 4]}, \"poses\": [" poses "]}}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"bar\", " body "}]}"

static void poses_made_by_deforming_do_what_they_say(void **state) {
  (void)state;
  fixture s = open_fixture(
      BAR("{\"name\": \"twist\", \"axis\": \"z\", \"twist\": 2}, {\"name\": \"flat\", \"scale\": [1, 0.5, 1]},"
          "{\"name\": \"bend\", \"axis\": \"z\", \"bend\": 1}, {\"name\": \"s\", \"axis\": \"z\", \"wave\": [0.1, "
          "0, 0], \"wave_length\": 0.8},"
          "{\"name\": \"nod\", \"turns\": [{\"around\": [0, 0, 0.1], \"toward\": [0, 0, 1], \"reach\": 0.1,"
          " \"rotation\": {\"axis\": [1, 0, 0], \"degrees\": 90}}]}",
          "\"solid\": {\"examples\": [\"twist\", \"flat\", \"bend\", \"s\", \"nod\"]}"),
      ".");
  check_ok(s.status, &s.error);
  const pl_mesh *mesh = pl_scene_instance_get_body(s.set, 0).mesh;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.pose_count, 5);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i], twisted = view.poses[0].points[i], bent = view.poses[2].points[i];
    check_near(twisted.x, p.x * cos(2 * p.z) - p.y * sin(2 * p.z), 1e-12);
    check_near(view.poses[1].points[i].y, 0.5 * p.y, 1e-12);
    // Bent by 1 rad/m: on a circle of radius 1 less its own height above the axis.
    check_near(hypot(bent.x - 1, bent.z), 1 - p.x, 1e-12);
    check_near(view.poses[3].points[i].x, p.x + 0.1 * sin(2 * PL_PI * p.z / 0.8), 1e-12);
    // What is beyond the place by more than the reach is turned by a right angle around it; what is before it, not at
    // all.
    if (p.z > 0.2) check_near(view.poses[4].points[i].y, -(p.z - 0.1), 1e-12);
    if (p.z < 0.1) check_at_most(pl_vec3_distance(view.poses[4].points[i], p), 1e-12);
  }
  assert_int_equal(pl_model_get_examples(
                       pl_body_get_model(pl_scene_instance_get_world(s.set), pl_scene_instance_get_body(s.set, 0).id))
                       .example_count,
                   5);
  close_fixture(&s);
}

// A surface with a morph target in a GLB file: the tets made around it get the pose of the same name.
static void morph_targets_of_a_file_become_examples(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_morph_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/ball.glb", folder);
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_shape_node ball = pl_default_shape_node(PL_SHAPE_ELLIPSOID);
  ball.size = (pl_vec3){0.3, 0.3, 0.3};
  pl_shape_def shape = pl_default_shape_def();
  shape.target_triangle_count = 600;
  pl_mesh *surface = NULL, *posed = NULL;
  check_ok(pl_shape_build_surface(context, &shape, &ball, 1, &surface, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(surface);
  static pl_vec3 points[2000];
  assert_true(view.point_count <= 2000);
  for (int32_t i = 0; i < view.point_count; ++i)
    points[i] = (pl_vec3){1.3 * view.points[i].x, 0.6 * view.points[i].y, 1.3 * view.points[i].z};
  pl_mesh_pose pose = {"flat", points};
  view.pose_count = 1;
  view.poses = &pose;
  check_ok(pl_mesh_create(context, &view, &posed, &error), &error);
  check_ok(pl_mesh_save(context, path, posed, &error), &error);
  pl_mesh_destroy(surface);
  pl_mesh_destroy(posed);
  drop_context(context);
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"m\", \"gravity\": [0, 0, 0], \"meshes\": {\"ball\": {\"file\": \"ball.glb\"}},"
      " \"bodies\": [{\"name\": \"b\", \"mesh\": \"ball\", \"tets\": {\"points\": 120}, \"solid\": {\"examples\": "
      "[\"flat\"],"
      " \"damping\": 20}, \"driver\": {\"kind\": \"constant\", \"weights\": [1]}}]}",
      folder);
  check_ok(s.status, &s.error);
  // Driven into the example, the surface is flat.
  check_ok(pl_world_advance(pl_scene_instance_get_world(s.set), 2, 0, NULL, &s.error), &s.error);
  pl_body_id body = pl_scene_instance_get_body(s.set, 0).id;
  pl_model_report model = pl_model_get_report(pl_body_get_model(pl_scene_instance_get_world(s.set), body));
  assert_true(model.surface_point_count <= 2000);
  pl_body_get_surface(pl_scene_instance_get_world(s.set), body, points);
  pl_box box = pl_box_from_points(points, model.surface_point_count);
  print_message("flat ball: %.3f x %.3f x %.3f m\n", box.max.x - box.min.x, box.max.y - box.min.y,
                box.max.z - box.min.z);
  check_near(box.max.y - box.min.y, 0.36, 0.02);
  check_near(box.max.x - box.min.x, 0.78, 0.02);
  close_fixture(&s);
  unlink(path);
  rmdir(folder);
}

static void a_curve_and_a_camera_drive_the_weights(void **state) {
  (void)state;
  fixture s = open_fixture(
      BAR("{\"name\": \"twist\", \"axis\": \"z\", \"twist\": 2}, {\"name\": \"flat\", \"scale\": [1, 0.5, 1]}",
          "\"solid\": {\"examples\": [\"twist\", \"flat\"]}, \"driver\": {\"kind\": \"curve\", \"keys\": ["
          "{\"time\": 0, \"weights\": [0, 0]}, {\"time\": 1, \"weights\": [1, 0]}, {\"time\": 2, \"weights\": [0, "
          "0.5]}]}"),
      ".");
  check_ok(s.status, &s.error);
  pl_world *world = pl_scene_instance_get_world(s.set);
  pl_body_id body = pl_scene_instance_get_body(s.set, 0).id;
  double w[2];
  check_ok(pl_world_advance(world, 0.5, 0, NULL, &s.error), &s.error);
  assert_int_equal(pl_body_get_weights(world, body, 0, w), PL_OK);
  check_near(w[0], 0.5, 0.01);
  check_ok(pl_world_advance(world, 1, 0, NULL, &s.error), &s.error);
  pl_body_get_weights(world, body, 0, w);
  check_near(w[0], 0.5, 0.01);
  check_near(w[1], 0.25, 0.01);
  close_fixture(&s);
  static const char *const views =
      "{\"pliant\": 1, \"name\": \"v\", \"gravity\": [0, 0, 0], \"meshes\": {\"bar\": {\"box\": {\"cells\": [2, 2, "
      "2]}, \"poses\": "
      "["
      "{\"name\": \"a\", \"scale\": [1, 0.5, 1]}, {\"name\": \"b\", \"scale\": [0.5, 1, 1]}]}},"
      "\"bodies\": [{\"name\": \"a\", \"mesh\": \"bar\", \"solid\": {\"examples\": [\"a\", \"b\"]}, \"driver\": "
      "{\"kind\": "
      "\"view\", \"views\": ["
      "{\"direction\": [0, 0, 1], \"extent\": 40}, {\"direction\": [1, 0, 0], \"extent\": 40}]}}],"
      "\"camera\": {\"path\": [{\"time\": 0, \"eye\": [0, 0, 5], \"target\": [0, 0, 0]}, {\"time\": 1, \"eye\": [5, 0, "
      "0], "
      "\"target\": [0, 0, 0]}]}}";
  s = open_fixture(views, ".");
  check_ok(s.status, &s.error);
  world = pl_scene_instance_get_world(s.set);
  body = pl_scene_instance_get_body(s.set, 0).id;
  check_ok(pl_world_step(world, NULL, &s.error), &s.error);
  pl_body_get_weights(world, body, 0, w);
  check_near(w[0], 1, 1e-3);
  check_near(w[1], 0, 1e-3);
  check_ok(pl_world_advance(world, 1.1, 0, NULL, &s.error), &s.error);
  pl_body_get_weights(world, body, 0, w);
  check_near(w[1], 1, 0.02);
  close_fixture(&s);
}

static void wrong_poses_and_drivers_are_named(void **state) {
  (void)state;
  fixture s = open_fixture(
      BAR("{\"name\": \"twist\", \"axis\": \"z\", \"twist\": 2}", "\"solid\": {\"examples\": [\"twirst\"]}"), ".");
  assert_int_equal(s.status, PL_ERROR_INVALID_DATA);
  assert_true(was_found(&s, "unknown-name", "\"twist\""));
  close_fixture(&s);
  s = open_fixture(BAR("{\"name\": \"same\"}", "\"solid\": {\"examples\": [\"same\"]}"), ".");
  assert_true(was_found(&s, "pose-equals-rest", "same"));
  close_fixture(&s);
  s = open_fixture(BAR("{\"name\": \"one\", \"scale\": [1, 2, 1]}, {\"name\": \"two\", \"scale\": [1, 2, 1]}",
                       "\"solid\": {\"examples\": [\"one\", \"two\"]}"),
                   ".");
  assert_true(was_found(&s, "pose-repeated", "two"));
  close_fixture(&s);
  s = open_fixture(BAR("{\"name\": \"mirror\", \"scale\": [-1.1, 1, 1]}", "\"solid\": {\"examples\": [\"mirror\"]}"),
                   ".");
  assert_true(was_found(&s, "pose-mirrored", "mirror"));
  close_fixture(&s);
  s = open_fixture(BAR("", "\"solid\": {\"examples\": []}, \"driver\": {\"kind\": \"constant\", \"weights\": [1]}"),
                   ".");
  assert_int_equal(s.status, PL_ERROR_INVALID_DATA);
  assert_true(was_found(&s, "driver", "examples"));
  close_fixture(&s);
  s = open_fixture(BAR("{\"name\": \"twist\", \"axis\": \"z\", \"twist\": 2}",
                       "\"solid\": {\"examples\": [\"twist\"], \"grouping\": \"groups\", \"groups\": [\"left\"]}"),
                   ".");
  assert_int_equal(s.status, PL_ERROR_INVALID_DATA);
  assert_true(was_found(&s, "unknown-name", "left"));
  close_fixture(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_made_by_deforming_do_what_they_say),
      cmocka_unit_test(morph_targets_of_a_file_become_examples),
      cmocka_unit_test(a_curve_and_a_camera_drive_the_weights),
      cmocka_unit_test(wrong_poses_and_drivers_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
