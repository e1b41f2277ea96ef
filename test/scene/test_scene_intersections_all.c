// Every frame of scenes of the gallery: bodies that touch do not pass through each other where they did not at the
// start. With arguments: those scenes alone, or all of them with `--gallery`; docs/contact.md has what that prints.
// ctest: physics long
#define _GNU_SOURCE  // scandir, alphasort
#include <dirent.h>
#include <stdlib.h>

#include "fixtures/scene_intersections.h"

static const char *const CLEAN[] = {"fem-stacks",     "rigid-stack", "car",       "fem-squeeze",
                                    "rigid-dominoes", "mixed-pile",  "cup",       "jelly-drop",
                                    "solid-slope",    "paddle",      "solid-heap"};

static char **chosen;
static int chosen_count;

static int is_scene(const struct dirent *entry) {
  return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0;
}

static bool report_scene(const char *name) {
  scene_intersections found = run_for_intersections(name, 0);
  if (found.bad_frames == 0) {
    print_message("%-24s %4d frames, none\n", name, found.frame_count);
    return true;
  }
  print_message("%-24s %4d frames, %d with intersections, from frame %d (%s through %s), up to %d\n", name,
                found.frame_count, found.bad_frames, found.first_frame, found.edge, found.triangle, found.max_count);
  return false;
}

static int report_gallery(void) {
  int failed = 0;
  struct dirent **entries = NULL;
  int count = scandir(PLIANT_SOURCE_DIR "/scenes", &entries, is_scene, alphasort);
  for (int i = 0; i < count; ++i) {
    failed += !report_scene(entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return failed;
}

static void no_scene_has_intersections(void **state) {
  (void)state;
  int failed = 0;
  if (chosen_count == 1 && strcmp(chosen[0], "--gallery") == 0) {
    failed = report_gallery();
  } else if (chosen_count > 0) {
    for (int i = 0; i < chosen_count; ++i) failed += !report_scene(chosen[i]);
  } else {
    for (size_t i = 0; i < sizeof CLEAN / sizeof *CLEAN; ++i) failed += !report_scene(CLEAN[i]);
  }
  assert_int_equal(failed, 0);
}

int main(int argc, char **argv) {
  chosen = argv + 1;
  chosen_count = argc - 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_scene_has_intersections)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
