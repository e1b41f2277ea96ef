// Words, lines and numbers of a text: line ends of every system, comments, continued lines, positions of mistakes, and
// nothing read past the end.
// ctest: unit
#include "check.h"
#include "text/text_cursor.h"

// A text in a block of exactly its size, so that the address sanitizer sees a read past it.
typedef struct text_block {
  pl_mesh_source source;
  pl_error error;
  unsigned char *bytes;
} text_block;

static text_block *make_text(const char *text, size_t size) {
  text_block *block = calloc(1, sizeof *block);
  assert_non_null(block);
  block->bytes = malloc(size > 0 ? size : 1);
  assert_non_null(block->bytes);
  memcpy(block->bytes, text, size);
  block->source = (pl_mesh_source){.bytes = block->bytes, .size = size, .name = "text", .error = &block->error};
  return block;
}

static void drop_text(text_block *block) {
  free(block->bytes);
  free(block);
}

static void words_are_separated_by_blanks_comments_and_any_line_end(void **state) {
  (void)state;
  const char text[] = "\xEF\xBB\xBF one\ttwo # three\r\nfour\rfive\n\n\v#six\n  seven#eight";
  text_block *block = make_text(text, sizeof text - 1);
  pl_text_cursor cursor = pl_text_cursor_at(&block->source, 0, '#');
  const char *const wanted[] = {"one", "two", "four", "five", "seven"};
  pl_word word;
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    assert_true(pl_text_take_word(&cursor, &word));
    assert_true(pl_word_is(word, wanted[i]));
    assert_memory_equal(text + pl_word_offset(&cursor, word), wanted[i], strlen(wanted[i]));
  }
  assert_false(pl_text_take_word(&cursor, &word));
  assert_int_equal(pl_text_offset(&cursor), sizeof text - 1);
  drop_text(block);
}

static void lines_end_with_lf_crlf_or_cr(void **state) {
  (void)state;
  const char text[] = "a b\r\n\rc d\ne";
  text_block *block = make_text(text, sizeof text - 1);
  pl_text_cursor cursor = pl_text_cursor_at(&block->source, 0, '\0');
  const char *const lines[] = {"a b", "", "c d", "e"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
    assert_true(pl_word_is(pl_text_take_line(&cursor), lines[i]));
  assert_int_equal(pl_text_take_line(&cursor).length, 0);

  cursor = pl_text_cursor_at(&block->source, 0, '\0');
  int words_in_line[4] = {0}, line = 0;
  do {
    for (pl_word word; pl_text_take_word_in_line(&cursor, &word);) words_in_line[line]++;
    line++;
  } while (pl_text_next_line(&cursor) && line < 4);
  assert_int_equal(line, 4);
  assert_memory_equal(words_in_line, ((const int[4]){2, 0, 2, 1}), sizeof words_in_line);
  drop_text(block);
}

static void a_backslash_joins_lines_where_that_is_asked_for(void **state) {
  (void)state;
  const char text[] = "f 1 2\\\r\n3 \\\n 4\nend\\";
  for (int joins = 0; joins < 2; ++joins) {
    text_block *block = make_text(text, sizeof text - 1);
    pl_text_cursor cursor = pl_text_cursor_at(&block->source, 0, '#');
    cursor.continuation = joins;
    int count = 0;
    pl_word word;
    while (pl_text_take_word_in_line(&cursor, &word)) count++;
    assert_int_equal(count, joins ? 5 : 3);
    assert_true(pl_text_next_line(&cursor));
    assert_true(pl_text_take_word_in_line(&cursor, &word));
    assert_true(pl_word_is(word, joins ? "end\\" : "3"));
    drop_text(block);
  }
}

static void words_are_numbers_only_as_a_whole(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool is_number, is_integer;
    double value;
  } cases[] = {{"12", true, true, 12},    {"-3.0", true, true, -3},      {"2e3", true, true, 2000},
               {"0.5", true, false, 0.5}, {"1e300", true, false, 1e300}, {"1x", false, false, 0},
               {"x1", false, false, 0},   {"1,5", false, false, 0},      {"-", false, false, 0},
               {"--1", false, false, 0},  {"0x10", false, false, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    pl_word word = {cases[i].text, strlen(cases[i].text)};
    double number = 0;
    int64_t integer = 0;
    if (pl_word_number(word, &number) != cases[i].is_number || pl_word_integer(word, &integer) != cases[i].is_integer)
      fail_msg("\"%s\" is taken for what it is not", cases[i].text);
    if (cases[i].is_number) check_near(number, cases[i].value, 0);
    if (cases[i].is_integer) check_near((double)integer, cases[i].value, 0);
  }
  assert_true(pl_word_is_any_case((pl_word){"VerTex", 6}, "vertex"));
  assert_false(pl_word_is_any_case((pl_word){"vertices", 8}, "vertex"));
}

static void mistakes_are_reported_with_line_and_column(void **state) {
  (void)state;
  static const struct {
    const char *text, *word;
    int32_t line, column;
  } cases[] = {{"1 2\r\n  three", "three", 2, 3},
               {"1\n2\n", "cut off", 3, 1},
               {"1 two 3", "\"two\"", 1, 3},
               {"", "cut off", 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    text_block *block = make_text(cases[i].text, strlen(cases[i].text));
    pl_text_cursor cursor = pl_text_cursor_at(&block->source, 0, '#');
    pl_vec3 point;
    size_t offset;
    assert_int_equal(pl_text_take_point(&cursor, &point, &offset), PL_ERROR_INVALID_DATA);
    assert_non_null(strstr(block->error.text, cases[i].word));
    assert_int_equal(block->error.line, cases[i].line);
    assert_int_equal(block->error.column, cases[i].column);
    drop_text(block);
  }
}

static void words_are_shown_cut_and_clean(void **state) {
  (void)state;
  char shown[PL_SHOWN_SIZE], all[200];
  memset(all, 'a', sizeof all);
  all[3] = '\x1b';
  all[4] = '\xC3';
  assert_string_equal(pl_word_show((pl_word){all, 5}, shown), "aaa??");
  assert_int_equal(strlen(pl_word_show((pl_word){all, sizeof all}, shown)), 43);
  assert_string_equal(shown + 38, "aa...");
  assert_string_equal(pl_word_show((pl_word){all, 0}, shown), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_separated_by_blanks_comments_and_any_line_end),
      cmocka_unit_test(lines_end_with_lf_crlf_or_cr),
      cmocka_unit_test(a_backslash_joins_lines_where_that_is_asked_for),
      cmocka_unit_test(words_are_numbers_only_as_a_whole),
      cmocka_unit_test(mistakes_are_reported_with_line_and_column),
      cmocka_unit_test(words_are_shown_cut_and_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
