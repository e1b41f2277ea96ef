// The mixed pile of the gallery: 48 soft and rigid bodies sleep within ten seconds, in one heap, and the ropes that
// fell on them have all but come to rest. So they do when they all start a little farther to the right.
// ctest: physics long
#include "check.h"
#include "pliant/math.h"
#include "pliant/pliant.h"

enum { MAX_BODIES = 64, ROPES = 48 };  // the last two are ropes

static void run_pile(double shift) {
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_findings *findings = NULL;
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  check_ok(pl_findings_create(context, &findings, &error), &error);
  check_ok(pl_scene_load(context, PLIANT_SOURCE_DIR "/scenes/mixed-pile/scene.json", &scene, findings, &error), &error);
  pl_scene_build_def def = pl_default_scene_build_def();
  check_ok(pl_scene_build(context, &def, scene, &set, findings, &error), &error);
  pl_world *world = pl_scene_instance_get_world(set);
  int32_t count = pl_world_body_count(world), asleep = 0;
  assert_true(count == 50);
  pl_transform aside = {{shift, 0, 0}, {0, 0, 0, 1}};
  for (int32_t i = 0; shift != 0 && i < count; ++i)
    check_ok(pl_body_teleport(world, pl_world_get_body(world, i), aside, &error), &error);
  pl_vec3 before[MAX_BODIES];
  double moved = 0, fastest = 0, farthest = 0, deepest = 0, rope_speed = 0;
  for (int32_t second = 0; second < 11; ++second) {
    for (int32_t i = 0; i < count; ++i) before[i] = pl_body_get_report(world, pl_world_get_body(world, i)).center;
    check_ok(pl_world_advance(world, 1, 0, NULL, &error), &error);
  }
  for (int32_t i = 0; i < count; ++i) {
    pl_body_id body = pl_world_get_body(world, i);
    pl_body_report report = pl_body_get_report(world, body);
    if (i >= ROPES) {
      rope_speed = fmax(rope_speed, report.max_speed);
      continue;
    }
    moved = fmax(moved, pl_vec3_distance(report.center, before[i]));
    fastest = fmax(fastest, report.max_speed);
    farthest = fmax(farthest, hypot(report.center.x, report.center.z));
    deepest = fmin(deepest, report.box.min.y);
    asleep += pl_body_is_asleep(world, body);
  }
  print_message(
      "%.0e m aside: in the 11th second no body moves by more than %.2g m; at its end %d asleep, the fastest point at "
      "%.2g m/s, of ropes %.2g m/s, the farthest body at %.2f m, the lowest point at %.2g m\n",
      shift, moved, asleep, fastest, rope_speed, farthest, deepest);
  assert_int_equal(asleep, ROPES);
  check_at_most(moved, 1e-5);
  check_at_most(fastest, 5e-3);
  check_at_most(rope_speed, 0.05);
  check_at_most(farthest, 1.5);
  check_at_most(-deepest, 2e-3);
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void a_pile_of_all_methods_rests_within_ten_seconds(void **state) {
  (void)state;
  const double shifts[] = {0, 1e-7, 4e-7, 1e-3};
  for (int i = 0; i < 4; ++i) run_pile(shifts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pile_of_all_methods_rests_within_ten_seconds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
