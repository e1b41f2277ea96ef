// The worked example of docs/characters.md is a character as the page says.
// ctest: unit
#include "fixtures/character_file.h"

// The text of the page's first JSON block, to be given to free().
static char *read_example(void) {
  FILE *file = fopen(PLIANT_SOURCE_DIR "/docs/characters.md", "rb");
  assert_non_null(file);
  char *text = calloc(1, 65536);
  size_t size = fread(text, 1, 65535, file);
  fclose(file);
  assert_true(size > 0);
  char *start = strstr(text, "```json\n"), *end = start == NULL ? NULL : strstr(start + 8, "```");
  assert_non_null(end);
  *end = '\0';
  memmove(text, start + 8, strlen(start + 8) + 1);
  return text;
}

static void the_worked_example_becomes_a_rig(void **state) {
  (void)state;
  char *text = read_example();
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_error error = {0};
  pl_character *character = NULL;
  pl_character_rig *rig = NULL;
  check_ok(pl_findings_create(context, &findings, &error), &error);
  check_ok(pl_character_load_memory(context, &(pl_memory_source){text, strlen(text), "page", NULL}, &character,
                                    findings, &error),
           &error);
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_NOTE), 0);
  assert_null(pl_character_get_view(character).surface);
  check_ok(pl_character_rig_create(character, &rig, &error), &error);
  pl_rod_def def = pl_character_rig_get_def(rig);
  // head, three ears and the tail.
  assert_int_equal(def.joint_count, 5);
  assert_int_equal(def.example_count, 1);
  assert_int_equal(def.solver, PL_ROD_MATCHED);
  check_near(def.joints[4].rest.position.y, 1.5 + 0.1 + 0.08 + 0.08 + 0.06, 1e-12);
  // Turned by 30 degrees and 15 more around z: the ear leans to -x.
  double first = acos(-1) / 6, second = acos(-1) / 4;
  pl_vec3 tip = {-0.08 * sin(first) - (0.08 + 0.06) * sin(second),
                 1.6 + 0.08 * cos(first) + (0.08 + 0.06) * cos(second), 0};
  check_near(pl_vec3_distance(def.examples[0].positions[4], tip), 0, 1e-6);
  check_near(def.joints[3].max_angle, 1.2, 0);
  pl_character_rig_destroy(rig);
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  drop_context(context);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_worked_example_becomes_a_rig)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
