// A character with ten strong poses (scenes/solid-quadruped): guided into each of them and released there it comes to
// rest in that pose; on its legs it stands and recovers from a push.
// ctest: physics threads long
#include "check.h"
#include "pliant/pliant.h"

typedef struct show {
  pl_context *context;
  pl_findings *findings;
  pl_scene *scene;
  pl_scene_instance *set;
  pl_world *world;
  pl_scene_instance_body body;
  int32_t point_count;
  double step;
  pl_error error;
} show;

static show open_show(const pl_scene_override *overrides, int32_t count) {
  show s = {.context = make_context(2)};
  char path[1024];
  snprintf(path, sizeof path, "%s/scenes/solid-quadruped/scene.json", PLIANT_SOURCE_DIR);
  check_ok(pl_findings_create(s.context, &s.findings, &s.error), &s.error);
  check_ok(pl_scene_load_with(s.context, path, &(pl_scene_overrides){overrides, count}, &s.scene, s.findings, &s.error),
           &s.error);
  pl_scene_build_def def = pl_default_scene_build_def();
  check_ok(pl_scene_build(s.context, &def, s.scene, &s.set, s.findings, &s.error), &s.error);
  s.world = pl_scene_instance_get_world(s.set);
  s.body = pl_scene_instance_get_body(s.set, 0);
  s.point_count = pl_mesh_get_view(s.body.mesh).point_count;
  s.step = pl_scene_get_report(s.scene).step;
  return s;
}

static void close_show(show *s) {
  pl_scene_instance_destroy(s->set);
  pl_scene_destroy(s->scene);
  pl_findings_destroy(s->findings);
  drop_context(s->context);
}

static void run_seconds(show *s, double seconds) {
  for (int64_t i = 0; i < (int64_t)(seconds / s->step); ++i)
    check_ok(pl_world_step(s->world, NULL, &s->error), &s->error);
}

static double max_speed(const show *s) {
  pl_vec3 *v = calloc((size_t)s->point_count, sizeof *v);
  double max = 0;
  pl_body_get_velocities(s->world, s->body.id, v);
  for (int32_t i = 0; i < s->point_count; ++i) max = fmax(max, pl_vec3_length(v[i]));
  free(v);
  return max;
}

// Root mean square of the difference of distances between points from those in a pose.
static double distance_from(const show *s, const pl_vec3 *pose) {
  pl_vec3 *x = calloc((size_t)s->point_count, sizeof *x);
  double sum = 0;
  int64_t count = 0;
  pl_body_get_positions(s->world, s->body.id, x);
  for (int32_t i = 0; i < s->point_count; i += 7)
    for (int32_t k = 0; k < i; k += 5, ++count)
      sum += pow(pl_vec3_distance(x[i], x[k]) - pl_vec3_distance(pose[i], pose[k]), 2);
  free(x);
  return sqrt(sum / (double)count);
}

static void ten_poses_come_to_rest(void **state) {
  (void)state;
  static const pl_scene_override free_body[] = {
      {"bodies[0].gravity_scale", "0"},
      {"bodies[0].solid.fidelity", "1"},
      {"bodies[0].solid.damping", "5"},
      {"bodies[0].solid.young", "200000"},
      {"bodies[0].collides", "false"},
      {"time.step", "0.0020833333333"},
      {"bodies[0].driver", "{\"kind\": \"projection\"}"},
  };
  show s = open_show(free_body, 7);
  pl_mesh_view view = pl_mesh_get_view(s.body.mesh);
  assert_int_equal(view.pose_count, 10);
  size_t size = pl_world_snapshot_size(s.world);
  void *start = malloc(size);
  pl_world_snapshot(s.world, start);
  for (int32_t k = 0; k < view.pose_count; ++k) {
    double weights[PL_MAX_EXAMPLE_COUNT] = {0};
    weights[k] = 1;
    check_ok(pl_world_restore(s.world, start, size, &s.error), &s.error);
    check_ok(pl_body_set_weights(s.world, s.body.id, 0, weights, &s.error), &s.error);
    run_seconds(&s, 3);
    double guided = max_speed(&s);
    check_ok(pl_body_set_weights(s.world, s.body.id, 0, NULL, &s.error), &s.error);
    run_seconds(&s, 3);
    double released = max_speed(&s), away = distance_from(&s, view.poses[k].points);
    pl_body_get_weights(s.world, s.body.id, 0, weights);
    print_message("%s: %.1e m/s when guided, %.1e m/s when released, weight %.5f, %.1e m from the pose\n",
                  view.poses[k].name, guided, released, weights[k], away);
    check_at_most(guided, 1e-3);
    check_at_most(released, 1e-3);
    check_at_most(0.999, weights[k]);
    check_at_most(away, 1e-3);
  }
  free(start);
  close_show(&s);
}

static void it_stands_and_recovers_from_a_push(void **state) {
  (void)state;
  static const pl_scene_override still[] = {{"bodies[0].driver", "{\"kind\": \"projection\"}"},
                                            {"bodies[0].solid.fidelity", "0.9"}};
  show s = open_show(still, 2);
  pl_vec3 before, after;
  run_seconds(&s, 0.7);
  before = pl_body_get_report(s.world, s.body.id).center;
  // A push from the side: 0.3 m/s for the whole body, 30 kg m/s.
  pl_vec3 *v = calloc((size_t)s.point_count, sizeof *v);
  pl_body_get_velocities(s.world, s.body.id, v);
  for (int32_t i = 0; i < s.point_count; ++i) v[i].x += 0.3;
  check_ok(pl_body_set_state(s.world, s.body.id, NULL, v, &s.error), &s.error);
  free(v);
  run_seconds(&s, 4.5);
  after = pl_body_get_report(s.world, s.body.id).center;
  print_message("centre at (%.4f, %.4f, %.4f) m, after the push at (%.4f, %.4f, %.4f) m\n", before.x, before.y,
                before.z, after.x, after.y, after.z);
  check_near(after.y, before.y, 0.01);
  check_near(after.x, before.x, 0.05);
  check_near(after.z, before.z, 0.05);
  close_show(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_poses_come_to_rest),
      cmocka_unit_test(it_stands_and_recovers_from_a_push),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
