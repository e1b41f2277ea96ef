// Scenes that are built again with something changed: worlds that continue where others stand, poses in the document,
// shapes that are kept, another camera.
// ctest: unit
#include "base/context.h"
#include "fixtures/scene_from_text.h"
#include "pliant/math.h"
#include "pliant/pliant.h"
#include "scene/scene_shape_cache.h"
#include "scene/scene_types.h"

#define BOX(extra, solid)                                                                                           \
  "{\"pliant\": 1, \"name\": \"t\", \"meshes\": {\"bar\": {\"box\": {\"size\": [0.4, 0.4, 0.8], \"cells\": [2, 2, " \
  "3]}" extra "}}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"bar\", \"position\": [0, 0.5, 0], \"solid\": {" solid \
  "}}],"                                                                                                            \
  " \"colliders\": [{\"name\": \"g\", \"shape\": \"half_space\"}]}"

static void step(pl_world *world, int count) {
  pl_error error = {0};
  for (int i = 0; i < count; ++i) check_ok(pl_world_step(world, NULL, &error), &error);
}

static void a_world_that_adopts_its_equal_continues_as_that_one(void **state) {
  (void)state;
  fixture a = open_fixture(BOX("", "\"stiffness\": 0.5"), "."), b = open_fixture(BOX("", "\"stiffness\": 0.5"), ".");
  int32_t count = 0;
  step(a.world, 30);
  check_ok(pl_world_transfer_state(b.world, a.world, &count, &b.error), &b.error);
  assert_int_equal(count, 1);
  assert_int_equal(pl_world_step_count(b.world), 30);
  step(a.world, 30);
  step(b.world, 30);
  assert_true(pl_world_get_hash(a.world) == pl_world_get_hash(b.world));
  close_fixture(&a);
  close_fixture(&b);
}

static void a_world_with_one_more_example_adopts_positions_and_velocities(void **state) {
  (void)state;
  fixture a = open_fixture(BOX("", "\"stiffness\": 0.5"), ".");
  fixture b =
      open_fixture(BOX(", \"poses\": [{\"name\": \"p\", \"scale\": [1, 1, 1.3]}]", "\"examples\": [\"p\"]"), ".");
  check_ok(b.status, &b.error);
  enum { MAX = 200 };
  static pl_vec3 ours[MAX], theirs[MAX];
  int32_t adopted = 0,
          particles = pl_model_get_report(pl_body_get_model(a.world, pl_world_get_body(a.world, 0))).particle_count;
  assert_in_range(particles, 1, MAX);
  step(a.world, 40);
  check_ok(pl_world_transfer_state(b.world, a.world, &adopted, &b.error), &b.error);
  assert_int_equal(adopted, 1);
  check_near(pl_world_get_time(b.world), pl_world_get_time(a.world), 0);
  for (int kind = 0; kind < 2; ++kind) {
    pl_status (*read)(const pl_world *, pl_body_id, pl_vec3 *) =
        kind == 0 ? pl_body_get_positions : pl_body_get_velocities;
    assert_int_equal(read(a.world, pl_world_get_body(a.world, 0), ours), PL_OK);
    assert_int_equal(read(b.world, pl_world_get_body(b.world, 0), theirs), PL_OK);
    for (int32_t i = 0; i < particles; ++i) check_at_most(pl_vec3_distance(ours[i], theirs[i]), 1e-6);
  }
  close_fixture(&a);
  close_fixture(&b);
}

static void worlds_of_other_making_are_not_adopted(void **state) {
  (void)state;
  fixture a = open_fixture(BOX("", "\"stiffness\": 0.5"), ".");
  fixture finer = open_fixture(
      "{\"pliant\": 1, \"name\": \"t\", \"meshes\": {\"bar\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [3, 3, 3]}}},"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"bar\"}]}",
      ".");
  fixture slower = open_fixture(
      "{\"pliant\": 1, \"name\": \"t\", \"time\": {\"step\": 0.001}, \"meshes\": {\"bar\": {\"box\": {\"size\": [0.4, "
      "0.4, 0.8],"
      " \"cells\": [2, 2, 3]}}}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"bar\"}]}",
      ".");
  int32_t count = 5;
  step(a.world, 3);
  check_ok(pl_world_transfer_state(finer.world, a.world, &count, &a.error), &a.error);
  assert_int_equal(count, 0);
  assert_int_equal(pl_world_transfer_state(slower.world, a.world, &count, &a.error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_world_step_count(slower.world), 0);
  close_fixture(&a);
  close_fixture(&finer);
  close_fixture(&slower);
}

// The points of the box in a pose, as text, in centimetres.
static void write_points(char *text, size_t size, double stretch, int leave_out) {
  static const double third[] = {-40, -40.0 / 3, 40.0 / 3, 40};
  size_t used = 0;
  int number = 0;
  for (int z = 0; z < 4; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (number++ >= leave_out)
          used += (size_t)snprintf(text + used, size - used, "%s[%d, %d, %.17g]", used > 0 ? ", " : "", 20 * x, 20 * y,
                                   stretch * third[z]);
}

static void a_pose_may_stand_in_the_document(void **state) {
  (void)state;
  char points[4000], text[6000];
  const char *form =
      "{\"pliant\": 1, \"name\": \"t\", \"length_unit\": \"cm\", \"meshes\": {\"bar\": {\"box\": {\"size\": [40, 40, "
      "80], "
      "\"cells\": [2, 2, 3]},"
      " \"poses\": [{\"name\": \"long\", %s\"points\": [%s]}]}}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"bar\", "
      "\"solid\": "
      "{\"examples\": "
      "[\"long\"]}}]}";
  write_points(points, sizeof points, 1.5, 0);
  snprintf(text, sizeof text, form, "", points);
  fixture s = open_fixture(text, ".");
  check_ok(s.status, &s.error);
  pl_mesh_view view = pl_mesh_get_view(pl_scene_instance_get_body(s.set, 0).mesh);
  assert_int_equal(view.pose_count, 1);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 wanted = {view.points[i].x, view.points[i].y, 1.5 * view.points[i].z};
    check_at_most(pl_vec3_distance(view.poses[0].points[i], wanted), 1e-12);
  }
  close_fixture(&s);

  // One point is missing; and both kinds at once.
  write_points(points, sizeof points, 1.5, 1);
  snprintf(text, sizeof text, form, "", points);
  s = open_fixture(text, ".");
  assert_int_equal(s.status, PL_ERROR_INVALID_DATA);
  close_fixture(&s);
  snprintf(text, sizeof text, form, "\"file\": \"other.obj\", ", points);
  s = open_fixture(text, ".");
  assert_int_equal(s.status, PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(s.error.text, "both"));
  close_fixture(&s);
}

static pl_mesh *make_ball(pl_context *context, pl_shape_cache *cache, double radius, int32_t triangles) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_shape_node ball = pl_default_shape_node(PL_SHAPE_ELLIPSOID);
  ball.size = (pl_vec3){radius, radius, radius};
  pl_shape_def def = pl_default_shape_def();
  def.target_triangle_count = triangles;
  check_ok(pl_shape_cache_build(cache, context, &def, &ball, 1, &mesh, &error), &error);
  return mesh;
}

static void cached_shapes_are_those_that_were_made(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_shape_cache cache;
  pl_shape_cache_init(&cache, context);
  pl_mesh *first = make_ball(context, &cache, 0.3, 300), *again = make_ball(context, &cache, 0.3, 300),
          *plain = make_ball(context, NULL, 0.3, 300);
  pl_mesh *other = make_ball(context, &cache, 0.31, 300), *finer = make_ball(context, &cache, 0.3, 600);
  assert_int_equal(cache.surfaces.count, 3);
  pl_mesh_view a = pl_mesh_get_view(first), b = pl_mesh_get_view(again), c = pl_mesh_get_view(plain);
  assert_int_equal(a.point_count, b.point_count);
  assert_int_equal(a.triangle_count, c.triangle_count);
  assert_memory_equal(a.points, b.points, (size_t)a.point_count * sizeof(pl_vec3));
  assert_memory_equal(b.points, c.points, (size_t)a.point_count * sizeof(pl_vec3));
  assert_memory_equal(b.triangles, c.triangles, 3 * (size_t)a.triangle_count * sizeof(int32_t));
  assert_true(pl_mesh_get_view(finer).triangle_count > a.triangle_count);
  // More than it holds: old ones go, nothing is lost.
  for (int i = 0; i < 70; ++i) pl_mesh_destroy(make_ball(context, &cache, 0.1 + 0.001 * i, 20));
  check_at_most((double)cache.surfaces.count, 64);
  pl_mesh *const all[] = {first, again, plain, other, finer};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) pl_mesh_destroy(all[i]);
  pl_shape_cache_free(&cache);
  drop_context(context);
}

static double weight_seen(fixture *s) {
  double weight;
  step(s->world, 1);
  assert_int_equal(pl_body_get_weights(s->world, pl_world_get_body(s->world, 0), 0, &weight), PL_OK);
  return weight;
}

static void drivers_of_views_follow_the_camera_that_they_are_given(void **state) {
  (void)state;
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"t\", \"gravity\": [0, 0, 0], \"camera\": {\"eye\": [0, 0, 10], \"target\": [0, 0, "
      "0]},"
      " \"meshes\": {\"bar\": {\"box\": {\"size\": [0.4, 0.4, 0.8], \"cells\": [2, 2, 3]}, \"poses\": [{\"name\": "
      "\"p\", "
      "\"scale\": [1, 1, 1.2]}]}},"
      " \"bodies\": [{\"name\": \"a\", \"mesh\": \"bar\", \"solid\": {\"examples\": [\"p\"]},"
      " \"driver\": [{\"kind\": \"view\", \"views\": [{\"direction\": [1, 0, 0], \"extent\": 30}]}]}]}",
      ".");
  check_ok(s.status, &s.error);
  const pl_vec3 aside = {10, 0, 0};
  check_at_most(weight_seen(&s), 0.1);
  pl_scene_instance_set_camera(s.set, &aside);
  check_at_most(0.95, weight_seen(&s));
  pl_scene_instance_set_camera(s.set, NULL);
  check_at_most(weight_seen(&s), 0.1);
  close_fixture(&s);
}

static void a_collider_that_is_moved_pushes(void **state) {
  (void)state;
  fixture s = open_fixture(
      "{\"pliant\": 1, \"name\": \"t\", \"gravity\": [0, 0, 0], \"meshes\": {\"bar\": {\"box\": {\"size\": [0.4, 0.4, "
      "0.4],"
      " \"cells\": [2, 2, 2]}}}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"bar\"}]}",
      ".");
  check_ok(s.status, &s.error);
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  pl_collider_id ball, keyed;
  def.radius = 0.2;
  def.placement.position = (pl_vec3){-0.6, 0, 0};
  check_ok(pl_world_add_collider(s.world, &def, &ball, &s.error), &s.error);
  for (int i = 1; i <= 100; ++i) {
    const pl_transform there = {{-0.6 + 0.005 * i, 0, 0}, {0, 0, 0, 1}};
    check_ok(pl_world_move_collider(s.world, ball, there, &s.error), &s.error);
    step(s.world, 1);
  }
  pl_body_report report = pl_body_get_report(s.world, pl_world_get_body(s.world, 0));
  // The ball has come 0.3 m into where the body was, at 1.2 m/s.
  check_at_most(0.2, report.center.x);
  check_at_most(0.5, report.momentum.x / report.mass);

  const pl_transform nowhere = {{(double)NAN, 0, 0}, {0, 0, 0, 1}}, unturned = {{0, 0, 0}, {0, 0, 0, 0}},
                     home = {{0, 0, 0}, {0, 0, 0, 1}};
  assert_int_equal(pl_world_move_collider(s.world, ball, nowhere, &s.error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_world_move_collider(s.world, ball, unturned, &s.error), PL_ERROR_INVALID_ARGUMENT);
  const pl_collider_key key = {0, home};
  def.keys = &key;
  def.key_count = 1;
  check_ok(pl_world_add_collider(s.world, &def, &keyed, &s.error), &s.error);
  assert_int_equal(pl_world_move_collider(s.world, keyed, home, &s.error), PL_ERROR_INVALID_ARGUMENT);
  check_ok(pl_world_remove_collider(s.world, ball, &s.error), &s.error);
  assert_int_equal(pl_world_move_collider(s.world, ball, home, &s.error), PL_ERROR_NOT_FOUND);
  close_fixture(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_world_that_adopts_its_equal_continues_as_that_one),
      cmocka_unit_test(a_world_with_one_more_example_adopts_positions_and_velocities),
      cmocka_unit_test(worlds_of_other_making_are_not_adopted),
      cmocka_unit_test(a_pose_may_stand_in_the_document),
      cmocka_unit_test(cached_shapes_are_those_that_were_made),
      cmocka_unit_test(drivers_of_views_follow_the_camera_that_they_are_given),
      cmocka_unit_test(a_collider_that_is_moved_pushes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
