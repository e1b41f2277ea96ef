// Tables of parameters: defaults come out as they were written, values outside their range are refused by name, and
// help can print them.
// ctest: unit
#include "base/parameter.h"

#include "base/context.h"
#include "base/parameter_words.h"
#include "check.h"
#include "pliant/math.h"

typedef enum word { WORD_ONE = 0, WORD_TWO } word;

typedef struct every_def {
  double step;
  int32_t count;
  uint64_t seed;
  bool on;
  word choice;
  pl_vec3 gravity;
  double free, needed;
  const char *untouched;
  uint32_t magic;
} every_def;

static const char *const WORDS[] = {"one", "two", NULL};

// clang-format off
#define DEF every_def
static const pl_parameter ITEMS[] = {
    NUMBER(step, 1.0 / 240, ABOVE(0, 1), UNIT("s"), LOG_SLIDER(0.001, 1), ABOUT("A step.")),
    INTEGER(count, -3, FROM(-5, 7), ABOUT("A count.")),
    SEED(seed, 9007199254740991, ABOUT("A seed.")),
    SWITCH(on, true, ABOUT("A switch.")),
    CHOICE(choice, word, WORDS, WORD_TWO, KEY("word"), ABOUT("A choice.")),
    VECTOR(gravity, EARTH_GRAVITY, METRES_PER("s^2"), ABOUT("A vector.")),
    NUMBER(free, 0, ABOUT("Any finite number.")),
    NUMBER(needed, NO_DEFAULT, REQUIRED, ABOVE(0, 1e6), METRES, ABOUT("To be filled in.")),
};
// clang-format on
static const pl_parameter_table TABLE_OF_ALL = TABLE("every", every_def, ITEMS);

static every_def sound_def(void) {
  every_def def = {.untouched = "kept"};
  pl_parameters_set_defaults(&TABLE_OF_ALL, &def);
  def.needed = 1;
  return def;
}

static void defaults_are_exact(void **state) {
  (void)state;
  every_def def = sound_def();
  assert_true(def.step == 1.0 / 240);
  assert_int_equal(def.count, -3);
  assert_true(def.seed == 9007199254740991u);
  assert_true(def.on);
  assert_int_equal(def.choice, WORD_TWO);
  assert_true(def.gravity.x == 0 && def.gravity.y == -9.81 && def.gravity.z == 0);
  assert_string_equal(def.untouched, "kept");
  assert_int_equal(def.magic, PL_DEF_MAGIC);
  pl_error error = {0};
  check_ok(pl_parameters_check(&TABLE_OF_ALL, &def, &error), &error);
}

static void check_refused(const every_def *def, const char *field, const char *text) {
  pl_error error = {0};
  assert_int_equal(pl_parameters_check(&TABLE_OF_ALL, def, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, field);
  if (strstr(error.text, text) == NULL) fail_msg("\"%s\" is not in \"%s\"", text, error.text);
}

static void what_is_not_allowed_is_refused_by_name(void **state) {
  (void)state;
  every_def def = sound_def();
  def.step = 0;
  check_refused(&def, "step", "0 is out of range; use more than 0 and at most 1 s");
  def.step = (double)NAN;
  check_refused(&def, "step", "out of range");
  def = sound_def();
  def.count = 8;
  check_refused(&def, "count", "8 is out of range; use at least -5 and at most 7");
  def = sound_def();
  def.choice = (word)2;
  check_refused(&def, "choice", "2 is none of its 2 choices; use a constant from 0 (one) to 1 (two)");
  def = sound_def();
  def.gravity.z = (double)INFINITY;
  check_refused(&def, "gravity", "is not finite");
  def = sound_def();
  def.free = (double)NAN;
  check_refused(&def, "free", "is not finite");
  def = sound_def();
  def.needed = 0;
  check_refused(&def, "needed", "more than 0");
  def = sound_def();
  def.magic = 0;
  check_refused(&def, "", "this every_def was not made by its pl_default_*_def()");
}

static void help_prints_defaults(void **state) {
  (void)state;
  static const char *const expected[] = {"1/240 s", "-3", "9.0072e+15", "true", "two", "[0, -9.81, 0] m/s^2", "0", ""};
  for (int32_t i = 0; i < TABLE_OF_ALL.count; ++i) {
    char text[64];
    assert_int_equal(pl_parameter_format_default(&ITEMS[i], text, sizeof text), strlen(expected[i]));
    assert_string_equal(text, expected[i]);
    assert_ptr_equal(pl_parameter_find(&TABLE_OF_ALL, ITEMS[i].name), &ITEMS[i]);
  }
  assert_null(pl_parameter_find(&TABLE_OF_ALL, "word"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_exact),
      cmocka_unit_test(what_is_not_allowed_is_refused_by_name),
      cmocka_unit_test(help_prints_defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
