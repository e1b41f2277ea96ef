// The JSON tree: what is read, where it stands, what is said of mistakes, and that written text reads back.
// ctest: unit
#include "check.h"

#include "text/json.h"
#include "text/number_text.h"

static pl_json_document *parse(pl_context *context, const char *text) {
  pl_json_document *document = NULL;
  pl_error error = {0};
  check_ok(pl_json_parse(context, text, strlen(text), "t.json", NULL, &document, &error), &error);
  return document;
}

static void every_value_and_key_knows_its_place(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const char text[] = "{\n  \"bodies\": [1, {\"two words\": true,\r\n \"é\":\"x\"}],\r\"b\" : null }";
  pl_json_document *document = parse(context, text);
  const pl_json *bodies = pl_json_find(document->root, "bodies");
  assert_int_equal(bodies->key_position.line, 2);
  assert_int_equal(bodies->key_position.column, 3);
  assert_int_equal(bodies->position.column, 13);
  const pl_json *object = pl_json_at(bodies, 1), *flag = pl_json_find(object, "two words");
  assert_int_equal(flag->position.line, 2);
  assert_int_equal(flag->key_position.column, 18);
  const pl_json *letter = pl_json_find(object, "é");
  assert_int_equal(letter->position.line, 3);
  assert_int_equal(letter->position.column, 7);  // bytes, and é has two
  const pl_json *last = pl_json_find(document->root, "b");
  assert_int_equal(last->key_position.line, 4);
  assert_int_equal(last->key_position.column, 1);
  assert_int_equal(last->position.offset, strstr(text, "null") - text);
  char path[64];
  pl_json_path(flag, path, sizeof path);
  assert_string_equal(path, "bodies[1][\"two words\"]");
  pl_json_path(letter, path, sizeof path);
  assert_string_equal(path, "bodies[1].é");
  pl_json_path(document->root, path, sizeof path);
  assert_string_equal(path, "");
  assert_int_equal(pl_json_path(flag, path, 5), strlen("bodies[1][\"two words\"]"));
  assert_string_equal(path, "bodi");
  pl_json_document_destroy(document);
  drop_context(context);
}

static void members_come_in_file_order_and_are_found_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  char text[4096] = "{";
  for (int i = 0; i < 100; ++i) snprintf(text + strlen(text), 32, "%s\"k%d\":%d", i > 0 ? "," : "", i * 37 % 100, i);
  strcat(text, "}");
  pl_json_document *document = parse(context, text);
  int i = 0;
  for (const pl_json *member = document->root->first; member != NULL; member = member->next, ++i) {
    assert_int_equal(member->index, i);
    assert_int_equal((int)member->number, i);
  }
  assert_int_equal(i, 100);
  for (i = 0; i < 100; ++i) {
    char key[8];
    snprintf(key, sizeof key, "k%d", i * 37 % 100);
    assert_int_equal((int)pl_json_find(document->root, key)->number, i);
  }
  assert_null(pl_json_find(document->root, "k100"));
  assert_null(pl_json_find(document->root, ""));
  assert_null(pl_json_find(NULL, "k1"));
  assert_null(pl_json_at(document->root, 0));
  pl_json_document_destroy(document);
  drop_context(context);
}

static void strings_are_decoded_to_utf8(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_json_document *document = parse(
      context, "\xEF\xBB\xBF[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\u20ac\\ud83d\\ude00\", \"a\\u0000b\", \"\"]");
  assert_true(pl_json_is_text(pl_json_at(document->root, 0), "\"\\/\b\f\n\r\t"));
  assert_true(pl_json_is_text(pl_json_at(document->root, 1), "é€😀"));
  const pl_json *with_zero = pl_json_at(document->root, 2);
  assert_int_equal(with_zero->text_length, 3);
  assert_memory_equal(with_zero->text, "a\0b", 4);
  assert_false(pl_json_is_text(with_zero, "a"));
  assert_true(pl_json_is_text(pl_json_at(document->root, 3), ""));
  assert_int_equal(document->root->position.column, 1);
  pl_json_document_destroy(document);
  drop_context(context);
}

static void numbers_are_exact(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_json_document *document =
      parse(context,
            "[9007199254740991, -9007199254740992, 0.1, 1e3, 1.5, 1.7976931348623157e308, 5e-324, -0, 1e-400, 1e300]");
  int64_t integer = 0;
  assert_true(pl_json_get_integer(pl_json_at(document->root, 0), &integer));
  assert_true(integer == INT64_C(9007199254740991));
  assert_true(pl_json_get_integer(pl_json_at(document->root, 1), &integer));
  assert_true(integer == -INT64_C(9007199254740992));
  assert_true(pl_json_at(document->root, 2)->number == 0.1);
  assert_true(pl_json_get_integer(pl_json_at(document->root, 3), &integer));
  assert_int_equal(integer, 1000);
  assert_false(pl_json_get_integer(pl_json_at(document->root, 4), &integer));
  assert_true(pl_json_at(document->root, 5)->number == 1.7976931348623157e308);
  assert_true(pl_json_at(document->root, 6)->number == 5e-324);
  assert_true(signbit(pl_json_at(document->root, 7)->number) != 0);
  assert_true(pl_json_at(document->root, 8)->number == 0);
  assert_false(pl_json_get_integer(pl_json_at(document->root, 9), &integer));
  bool flag = true;
  double number = 7;
  const char *text = "kept";
  assert_false(pl_json_get_bool(pl_json_at(document->root, 0), &flag));
  assert_false(pl_json_get_number(document->root, &number));
  assert_false(pl_json_get_text(NULL, &text));
  assert_true(flag && number == 7 && strcmp(text, "kept") == 0);
  pl_json_document_destroy(document);
  drop_context(context);
}

typedef struct mistake {
  const char *text;
  int line, column;
  const char *says;
  bool repaired;
} mistake;

static const mistake mistakes[] = {
    {"", 1, 1, "empty", false},
    {"  \n ", 2, 2, "empty", false},
    {"[1,\n2 3]", 2, 3, "comma is missing", true},
    {"[1, 2,]", 1, 7, "nothing after", true},
    {"{\"a\":1,}", 1, 8, "nothing after", true},
    {"[,1]", 1, 2, "nothing before", true},
    {"[1,,2]", 1, 4, "nothing before", true},
    {"{\"a\" 1}", 1, 6, "colon", false},
    {"{\"a\"}", 1, 5, "colon", false},
    {"{\"a\":}", 1, 6, "value is missing", false},
    {"{a:1}", 1, 2, "write the key a in double quotes", true},
    {"{\xC3\xA9:1}", 1, 2, "key in double quotes", false},
    {"{'a':1}", 1, 2, "double quotes", true},
    {"{:1}", 1, 2, "key in double quotes", false},
    {"{1}", 1, 2, "double quotes", false},
    {"['it']", 1, 2, "double quotes", true},
    {"[1}", 1, 3, "']' is expected", false},
    {"{\"a\":[1}", 1, 8, "']' is expected", false},
    {"[[1]", 1, 1, "never closed", false},
    {"\n {", 2, 2, "never closed", false},
    {"[1] 2", 1, 5, "ended before", false},
    {"]", 1, 1, "value is missing", false},
    {"[tru]", 1, 2, "did you mean true", false},
    {"[True]", 1, 2, "did you mean true", false},
    {"[NaN]", 1, 2, "unknown word", false},
    {"[+1]", 1, 2, "plus sign", false},
    {"[.5]", 1, 2, "digit before", false},
    {"[1.]", 1, 2, "digit after", false},
    {"[01]", 1, 2, "leading zeros", false},
    {"[0x10]", 1, 2, "decimal", false},
    {"[1e]", 1, 2, "not a number", false},
    {"[1.2.3]", 1, 2, "not a number", false},
    {"[1e999]", 1, 2, "too large", false},
    {"[\"ab\n\"]", 1, 2, "no closing quote on its line", false},
    {"[\"ab", 1, 2, "no closing quote", false},
    {"[\"a\\x\"]", 1, 4, "unknown escape", false},
    {"[\"\\u12g4\"]", 1, 3, "hexadecimal", false},
    {"[\"\\ud83d\"]", 1, 3, "surrogate", false},
    {"[\"\\ude00\\ud83d\"]", 1, 3, "surrogate", false},
    {"[\"\\ud83d\\u0041\"]", 1, 3, "surrogate", false},
    {"[\"a\tb\"]", 1, 4, "control character 9", true},
    {"[\"\xFF\"]", 1, 3, "UTF-8", false},
    {"[\"\xC0\xAF\"]", 1, 3, "UTF-8", false},
    {"[\"\xED\xA0\x80\"]", 1, 3, "UTF-8", false},
    {"[\"\xF4\x90\x80\x80\"]", 1, 3, "UTF-8", false},
    {"[\"\xE2\x82\"]", 1, 3, "UTF-8", false},
    {"[1, // one\n 2]", 1, 5, "no comments", true},
    {"[1, /* one\n */ 2]", 1, 5, "no comments", true},
    {"# x\n[1]", 1, 1, "no comments", true},
    {"{\"a\":1,\n \"b\":2, \"a\":3}", 2, 9, "first is at line 1, column 2", true},
};

static void every_mistake_is_reported_with_its_position(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
    const mistake *m = &mistakes[i];
    pl_json_document *document = NULL;
    pl_error error = {0};
    assert_int_equal(pl_json_parse(context, m->text, strlen(m->text), "t.json", NULL, &document, &error),
                     PL_ERROR_INVALID_DATA);
    assert_null(document);
    if (strstr(error.text, m->says) == NULL) fail_msg("%s: says '%s', not '%s'", m->text, error.text, m->says);
    assert_string_equal(error.file, "t.json");
    assert_int_equal(error.line, m->line);
    assert_int_equal(error.column, m->column);

    // With a list for findings the tree survives where the repair is beyond doubt.
    pl_findings *findings = NULL;
    check_ok(pl_findings_create(context, &findings, &error), &error);
    pl_status status = pl_json_parse(context, m->text, strlen(m->text), "t.json", findings, &document, &error);
    assert_int_equal(status, m->repaired ? PL_REMARK_FINDINGS : PL_ERROR_INVALID_DATA);
    assert_int_equal(document != NULL, m->repaired);
    assert_true(pl_findings_count(findings, PL_SEVERITY_ERROR) >= 1);
    assert_int_equal(pl_findings_get(findings, 0)->line, m->line);
    pl_json_document_destroy(document);
    pl_findings_destroy(findings);
  }
  drop_context(context);
}

static void all_mistakes_of_a_document_are_listed(void **state) {
  (void)state;
  static const char text[] =
      "{ \"a\": 01,\n"       // 1
      "  \"b\": [1 2],\n"    // 2
      "  \"c\" 3,\n"         // 3
      "  d: 4,\n"            // 4
      "  \"a\": \"\\q\",\n"  // 5: escape; the duplicate is reported when the object closes
      "  \"e\": +5\n"        // 6
      "  \"f\": {\"x\": ,}\n"
      "}";
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  pl_json_document *document = NULL;
  assert_int_equal(pl_json_parse(context, text, strlen(text), "t.json", findings, &document, &error),
                   PL_ERROR_INVALID_DATA);
  static const int lines[] = {1, 2, 3, 4, 5, 6, 7, 7, 7, 5};
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_ERROR), sizeof lines / sizeof lines[0]);
  for (int i = 0; i < 10; ++i) assert_int_equal(pl_findings_get(findings, i)->line, lines[i]);
  assert_int_equal(error.line, 1);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void the_first_of_duplicates_counts(void **state) {
  (void)state;
  static const char text[] = "{\"x\":1,\"y\":2,\"x\":3,\"x\":4,\"z\":5}";
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  pl_json_document *document = NULL;
  assert_int_equal(pl_json_parse(context, text, strlen(text), "t.json", findings, &document, &error),
                   PL_REMARK_FINDINGS);
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_ERROR), 2);
  assert_int_equal(pl_findings_get(findings, 0)->column, 14);
  assert_int_equal(pl_findings_get(findings, 1)->column, 20);
  assert_int_equal(document->root->count, 3);
  assert_int_equal((int)pl_json_find(document->root, "x")->number, 1);
  assert_int_equal((int)pl_json_find(document->root, "z")->number, 5);
  assert_int_equal(document->root->last->index, 2);
  pl_json_document_destroy(document);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void depth_is_limited_without_recursion(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static char text[200000];
  for (int depth = 255; depth <= 257; ++depth) {
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    pl_json_document *document = NULL;
    pl_status status = pl_json_parse(context, text, (size_t)(2 * depth), "t", NULL, &document, NULL);
    assert_int_equal(status, depth <= PL_JSON_MAX_DEPTH ? PL_OK : PL_ERROR_INVALID_DATA);
    pl_json_document_destroy(document);
  }
  memset(text, '[', sizeof text);
  pl_json_document *document = NULL;
  assert_int_equal(pl_json_parse(context, text, sizeof text, "t", NULL, &document, NULL), PL_ERROR_INVALID_DATA);
  drop_context(context);
}

static void written_text_reads_back_the_same(void **state) {
  (void)state;
  static const char text[] =
      "{\"b\": [1, 2.5, -0.1, 1e+300, 123456789012], \"a\": {\"empty\": {}, \"none\": [], \"t\": "
      "\"q\\\"\\u0001\\n€\"},\n"
      "\"rows\": [[0, 1, 0], [1, 0, 0]], \"flag\": true, \"nil\": null, \"x\": 0.30000000000000004}";
  pl_context *context = make_context(1);
  pl_json_document *document = parse(context, text);
  pl_vector once = pl_vector_of(context, 1), twice = pl_vector_of(context, 1), compact = pl_vector_of(context, 1);
  pl_error error = {0};
  check_ok(pl_json_write(document->root, PL_JSON_PRETTY, &once, &error), &error);
  check_ok(pl_json_write(document->root, PL_JSON_COMPACT, &compact, &error), &error);
  pl_vector_push(&compact, "");
  assert_string_equal(
      compact.items,
      "{\"b\":[1,2.5,-0.1,1e300,123456789012],\"a\":{\"empty\":{},\"none\":[],\"t\":\"q\\\"\\u0001\\n€\"},"
      "\"rows\":[[0,1,0],[1,0,0]],\"flag\":true,\"nil\":null,\"x\":0.30000000000000004}");
  pl_json_document *again = NULL;
  check_ok(pl_json_parse(context, once.items, once.count, "again", NULL, &again, &error), &error);
  check_ok(pl_json_write(again->root, PL_JSON_PRETTY, &twice, &error), &error);
  assert_int_equal(once.count, twice.count);
  assert_memory_equal(once.items, twice.items, once.count);
  assert_non_null(strstr(once.items, "  \"rows\": [\n    [0, 1, 0],\n    [1, 0, 0]\n  ],\n"));
  assert_int_equal(((char *)once.items)[once.count - 1], '\n');
  pl_vector_free(&once);
  pl_vector_free(&twice);
  pl_vector_free(&compact);
  pl_json_document_destroy(document);
  pl_json_document_destroy(again);
  drop_context(context);
}

static void trees_built_by_hand_are_written_in_order(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_json *root = pl_json_new(&arena, PL_JSON_OBJECT);
  pl_json_set_text(&arena, root, "name", "box");
  pl_json_set_number(&arena, root, "size", 1);
  pl_json_set_numbers(&arena, root, "at", (double[]){0, 1, -2}, 3);
  pl_json_set_number(&arena, root, "size", 2);
  pl_json_set_bool(&arena, root, "on", true);
  pl_json *list = pl_json_set(&arena, root, "list", pl_json_new(&arena, PL_JSON_ARRAY));
  pl_json_add(list, pl_json_new(&arena, PL_JSON_NULL));
  assert_false(arena.failed);
  pl_vector text = pl_vector_of(context, 1);
  pl_error error = {0};
  check_ok(pl_json_write(root, PL_JSON_COMPACT, &text, &error), &error);
  pl_vector_push(&text, "");
  assert_string_equal(text.items, "{\"name\":\"box\",\"size\":2,\"at\":[0,1,-2],\"on\":true,\"list\":[null]}");
  pl_json_add(list, pl_json_new_number(&arena, (double)NAN));
  assert_int_equal(pl_json_write(root, PL_JSON_COMPACT, &text, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "list[1]");
  pl_vector_free(&text);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void near_words_are_suggested_and_far_ones_are_not(void **state) {
  (void)state;
  static const char *const words[] = {"stiffness", "damping", "mass", "mesh"};
  assert_string_equal(pl_text_suggest("stifness", words, 4), "stiffness");
  assert_string_equal(pl_text_suggest("Damping", words, 4), "damping");
  assert_string_equal(pl_text_suggest("dmaping", words, 4), "damping");
  assert_string_equal(pl_text_suggest("mas", words, 4), "mass");
  assert_null(pl_text_suggest("colour", words, 4));
  assert_null(pl_text_suggest("", words, 4));
  assert_null(pl_text_suggest("x", words, 0));
  char large[300];
  memset(large, 'a', sizeof large - 1);
  large[sizeof large - 1] = '\0';
  assert_null(pl_text_suggest(large, words, 4));
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  static const char text[] =
      "{\"a\":[1,2,{\"b\":\"text that is long enough to need room of its own in the vector\"}],\"c\":1,\"c\":2,}";
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int64_t n = 1;; ++n) {
    pl_findings *findings = NULL;
    pl_error error = {0};
    check_ok(pl_findings_create(context, &findings, &error), &error);
    int64_t before = pl_context_get_memory_report(context).block_count;
    allocator.fail_at = allocator.call_count + n;
    pl_json_document *document = NULL;
    pl_status status = pl_json_parse(context, text, strlen(text), "t.json", findings, &document, &error);
    pl_vector out = pl_vector_of(context, 1);
    if (status == PL_REMARK_FINDINGS) status = pl_json_write(document->root, PL_JSON_PRETTY, &out, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    pl_vector_free(&out);
    pl_json_document_destroy(document);
    pl_findings_destroy(findings);
    assert_true(pl_context_get_memory_report(context).block_count < before);
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    if (!failed) break;
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_and_key_knows_its_place),
      cmocka_unit_test(members_come_in_file_order_and_are_found_by_name),
      cmocka_unit_test(strings_are_decoded_to_utf8),
      cmocka_unit_test(numbers_are_exact),
      cmocka_unit_test(every_mistake_is_reported_with_its_position),
      cmocka_unit_test(all_mistakes_of_a_document_are_listed),
      cmocka_unit_test(the_first_of_duplicates_counts),
      cmocka_unit_test(depth_is_limited_without_recursion),
      cmocka_unit_test(written_text_reads_back_the_same),
      cmocka_unit_test(trees_built_by_hand_are_written_in_order),
      cmocka_unit_test(near_words_are_suggested_and_far_ones_are_not),
      cmocka_unit_test(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
