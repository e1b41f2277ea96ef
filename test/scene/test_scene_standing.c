// A character of 3,000 points and 100 kg (scenes/fem-quadruped) stands on its legs for a minute at 1/60 s, and recovers
// from a push.
// ctest: physics long
#include <time.h>

#include "check.h"
#include "pliant/pliant.h"

static void it_stands_for_a_minute_and_recovers_from_a_push(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_findings *findings;
  pl_scene *scene;
  pl_scene_instance *set;
  char path[1024];
  snprintf(path, sizeof path, "%s/scenes/fem-quadruped/scene.json", PLIANT_SOURCE_DIR);
  static const pl_scene_override still[] = {{"bodies[0].driver", "{\"kind\": \"projection\"}"},
                                            {"bodies[0].fem.fidelity", "0.9"}};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  check_ok(pl_scene_load_with(context, path, &(pl_scene_overrides){still, 2}, &scene, findings, &error), &error);
  pl_scene_build_def def = pl_default_scene_build_def();
  check_ok(pl_scene_build(context, &def, scene, &set, findings, &error), &error);
  pl_world *world = pl_scene_instance_get_world(set);
  pl_scene_instance_body body = pl_scene_instance_get_body(set, 0);
  int32_t count = pl_mesh_get_view(body.mesh).point_count;
  check_near(pl_scene_get_report(scene).step, 1.0 / 60, 1e-9);
  check_at_most(2900, count);
  check_near(pl_body_get_report(world, body.id).mass, 100, 1);

  pl_vec3 start = pl_body_get_report(world, body.id).center, before = start;
  pl_vec3 *v = calloc((size_t)count, sizeof *v);
  double begin = (double)clock() / CLOCKS_PER_SEC, farthest = 0;
  for (int step = 0; step < 3600; ++step) {
    // The scene itself pushes after 5 s. After 20 s the whole body is pushed to the side, by 0.3 m/s.
    if (step == 1200) {
      before = pl_body_get_report(world, body.id).center;
      pl_body_get_velocities(world, body.id, v);
      for (int32_t i = 0; i < count; ++i) v[i].x += 0.3;
      check_ok(pl_body_set_state(world, body.id, NULL, v, &error), &error);
    }
    check_ok(pl_world_step(world, NULL, &error), &error);
    farthest = fmax(farthest, pl_vec3_distance(pl_body_get_report(world, body.id).center, start));
  }
  double seconds = (double)clock() / CLOCKS_PER_SEC - begin, speed = 0;
  pl_vec3 after = pl_body_get_report(world, body.id).center;
  pl_body_get_velocities(world, body.id, v);
  for (int32_t i = 0; i < count; ++i) speed = fmax(speed, pl_vec3_length(v[i]));
  print_message(
      "%d points, 60 s in %.1f s of CPU time; centre at (%.4f, %.4f, %.4f) m, before the push at (%.4f, %.4f, "
      "%.4f) m, at most %.3f m from the start; %.1e m/s at the end\n",
      count, seconds, after.x, after.y, after.z, before.x, before.y, before.z, farthest, speed);
  check_near(before.y, start.y, 0.03);
  check_near(after.y, before.y, 0.01);
  check_near(after.x, before.x, 0.05);
  check_near(after.z, before.z, 0.05);
  check_at_most(farthest, 0.15);
  check_at_most(speed, 1e-3);
  free(v);
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_stands_for_a_minute_and_recovers_from_a_push)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
