// Bodies of some scenes of the gallery do not pass through each other; test_scene_intersections_all.c has all scenes.
// ctest: physics once
#include "fixtures/scene_intersections.h"

static void no_intersections(void **state) {
  (void)state;
  static const char *const SCENES[] = {"fem-stacks", "car"};
  for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; ++i) {
    scene_intersections found = run_for_intersections(SCENES[i], 8);
    print_message("%s: %d of %d frames with intersections\n", SCENES[i], found.bad_frames, found.frame_count);
    assert_int_equal(found.bad_frames, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_intersections)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
