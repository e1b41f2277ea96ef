// Errors and findings read as one line, with what is unknown left out and no buffer overrun.
// ctest: unit
#include "base/error.h"
#include "base/finding.h"
#include "check.h"

static void check_error_text(const pl_error *error, const char *expected) {
  char text[1200];
  assert_int_equal(pl_error_format(error, text, sizeof text), strlen(expected));
  assert_string_equal(text, expected);
}

static void unknown_parts_are_left_out(void **state) {
  (void)state;
  pl_error error = {0};
  assert_int_equal(pl_fail_at(&error, PL_ERROR_INVALID_DATA, "a.obj", 3, 7, "face %d", 2), PL_ERROR_INVALID_DATA);
  assert_int_equal(error.status, PL_ERROR_INVALID_DATA);
  check_error_text(&error, "a.obj:3:7: error: face 2");
  pl_fail_at(&error, PL_ERROR_INVALID_DATA, "a.obj", 3, 0, "short");
  check_error_text(&error, "a.obj:3: error: short");
  pl_fail_at(&error, PL_ERROR_FILE, "a.obj", 0, 0, "gone");
  check_error_text(&error, "a.obj: error: gone");
  pl_fail_at(&error, PL_ERROR_FILE, NULL, 4, 5, "no file, so no line either");
  check_error_text(&error, "error: no file, so no line either");
  pl_fail_field(&error, PL_ERROR_INVALID_DATA, "bodies[2].mass", "is %g", -1.0);
  check_error_text(&error, "error: bodies[2].mass: is -1");
  pl_fail(&error, PL_ERROR_INVALID_ARGUMENT, "100%% wrong");
  check_error_text(&error, "error: 100% wrong");
}

static void an_error_may_quote_the_one_it_replaces(void **state) {
  (void)state;
  pl_error error = {0};
  pl_fail_at(&error, PL_ERROR_FILE, "a.obj", 0, 0, "gone");
  pl_fail_at(&error, PL_ERROR_INVALID_DATA, error.file, 1, 1, "while reading: %s", error.text);
  check_error_text(&error, "a.obj:1:1: error: while reading: gone");
}

static void long_texts_are_cut_and_terminated(void **state) {
  (void)state;
  char longer[2000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  pl_error error;
  pl_fail_at(&error, PL_ERROR_FILE, longer, 1, 1, "%s", longer);
  assert_int_equal(strlen(error.file), sizeof error.file - 1);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);

  pl_fail_at(&error, PL_ERROR_FILE, "a.obj", 1, 2, "some text");
  const char *whole = "a.obj:1:2: error: some text";
  assert_int_equal(pl_error_format(&error, NULL, 0), strlen(whole));
  for (size_t size = 1; size < 40; ++size) {
    char buffer[64];
    memset(buffer, '#', sizeof buffer);
    assert_int_equal(pl_error_format(&error, buffer, size), strlen(whole));
    size_t kept = size - 1 < strlen(whole) ? size - 1 : strlen(whole);
    assert_memory_equal(buffer, whole, kept);
    assert_int_equal(buffer[kept], '\0');
    assert_int_equal(buffer[size], '#');
  }
}

// Two, three and four bytes: at every offset the cut falls before, inside and after a character.
static void no_character_is_cut_in_half(void **state) {
  (void)state;
  static const char *const characters[] = {"é", "→", "🐈"};
  for (int kind = 0; kind < 3; ++kind)
    for (size_t offset = 0; offset < 5; ++offset) {
      char longer[700] = "xxxxx";
      size_t size = strlen(characters[kind]), end = offset;
      for (; end + size < sizeof longer; end += size) strcpy(longer + end, characters[kind]);
      pl_error error;
      pl_fail_at(&error, PL_ERROR_FILE, longer, 1, 1, "%s", longer);
      assert_int_equal(strlen(error.file), offset + (sizeof error.file - 1 - offset) / size * size);
      assert_int_equal(strlen(error.text), offset + (sizeof error.text - 1 - offset) / size * size);
      pl_fail_field(&error, PL_ERROR_FILE, longer, "%s", "x");
      assert_int_equal(strlen(error.field), offset + (sizeof error.field - 1 - offset) / size * size);
    }
}

static void failing_without_an_error_struct_is_allowed(void **state) {
  (void)state;
  assert_int_equal(pl_fail(NULL, PL_ERROR_FILE, "unseen"), PL_ERROR_FILE);
  assert_int_equal(pl_fail_memory(NULL), PL_ERROR_OUT_OF_MEMORY);
  assert_int_equal(pl_check_def(0, "pl_x_def", NULL), PL_ERROR_INVALID_ARGUMENT);
}

static void every_status_has_its_own_text(void **state) {
  (void)state;
  for (int a = PL_ERROR_NOT_FINITE; a <= PL_REMARK_CANCELLED; ++a) {
    assert_string_not_equal(pl_status_text((pl_status)a), "unknown status");
    for (int b = a + 1; b <= PL_REMARK_CANCELLED; ++b)
      assert_string_not_equal(pl_status_text((pl_status)a), pl_status_text((pl_status)b));
  }
  assert_string_equal(pl_status_text((pl_status)99), "unknown status");
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
  assert_string_equal(pl_version(), version);
}

static void findings_are_kept_counted_and_formatted(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  char passing[16] = "flat";
  pl_finding where = {.severity = PL_SEVERITY_WARNING,
                      .file = "a.msh",
                      .line = 4,
                      .index = 9,
                      .kind = passing,
                      .why = "why",
                      .fix = "fix"};
  assert_int_equal(pl_findings_addf(findings, &where, "tet %d is %s", 9, "flat"), PL_OK);
  assert_int_equal(pl_findings_add(findings, &(pl_finding){.severity = PL_SEVERITY_NOTE, .you_see = "note"}), PL_OK);
  assert_int_equal(pl_findings_add(findings, &(pl_finding){.severity = PL_SEVERITY_ERROR}), PL_OK);
  memset(passing, 'z', sizeof passing - 1);

  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_NOTE), 3);
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_WARNING), 2);
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_ERROR), 1);
  const pl_finding *first = pl_findings_get(findings, 0);
  assert_string_equal(first->kind, "flat");
  assert_int_equal(first->index, 9);
  assert_string_equal(pl_findings_get(findings, 2)->fix, "");
  char text[200];
  int length = pl_finding_format(first, text, sizeof text);
  assert_string_equal(text, "a.msh:4: warning: tet 9 is flat; why; fix");
  assert_int_equal(length, strlen(text));
  pl_finding_format(pl_findings_get(findings, 1), text, sizeof text);
  assert_string_equal(text, "note: note");
  pl_finding_format(&(pl_finding){.severity = PL_SEVERITY_ERROR, .field = "gravity", .fix = "f"}, text, sizeof text);
  assert_string_equal(text, "error: gravity: ; f");
  assert_int_equal(pl_findings_addf(NULL, &where, "nobody listens"), PL_OK);
  pl_findings_destroy(findings);
  pl_findings_destroy(NULL);
  drop_context(context);
}

static void every_refused_allocation_of_a_finding_is_reported(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  bool succeeded = false;
  for (int n = 1; !succeeded; ++n) {
    allocator.fail_at = allocator.call_count + n;
    pl_findings *findings = NULL;
    pl_error error = {0};
    pl_status status = pl_findings_create(context, &findings, &error);
    if (status < 0) assert_null(findings);
    for (int i = 0; i < 100 && status == PL_OK; ++i)
      status =
          pl_findings_addf(findings, &(pl_finding){.kind = "kind", .why = "a sentence that says why"}, "finding %d", i);
    succeeded = status == PL_OK;
    if (!succeeded) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    // Success is only believed when nothing was refused.
    if (succeeded) assert_true(allocator.call_count < allocator.fail_at);
    pl_findings_destroy(findings);
    assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
    assert_true(n < 100);
  }
  drop_context(context);
  assert_int_equal(allocator.live_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_parts_are_left_out),
      cmocka_unit_test(an_error_may_quote_the_one_it_replaces),
      cmocka_unit_test(long_texts_are_cut_and_terminated),
      cmocka_unit_test(no_character_is_cut_in_half),
      cmocka_unit_test(failing_without_an_error_struct_is_allowed),
      cmocka_unit_test(every_status_has_its_own_text),
      cmocka_unit_test(findings_are_kept_counted_and_formatted),
      cmocka_unit_test(every_refused_allocation_of_a_finding_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
