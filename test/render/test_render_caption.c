// Captions: every character is drawn, different ones differently, and no text whatever breaks the picture.
// ctest: unit
#include "check.h"

#include "base/scratch.h"
#include "render/render_caption.h"
#include "render/render_font.h"

enum { WIDTH = 400, HEIGHT = 120, SIZE = WIDTH * HEIGHT * 3 };

static void fresh(uint8_t *rgb, int value) {
  memset(rgb, value, SIZE);
}

static void draw(pl_scratch *scratch, const char *text, uint8_t *rgb) {
  pl_error error = {0};
  check_ok(pl_caption_draw(scratch, text, rgb, WIDTH, HEIGHT, &error), &error);
}

static void every_glyph_is_its_own_and_fits_its_cell(void **state) {
  (void)state;
  static pl_font_segment all[95][PL_FONT_MAX_SEGMENTS];
  int32_t counts[95];
  for (int i = 0; i < 95; ++i) {
    float width;
    counts[i] = pl_font_glyph((char)(' ' + i), all[i], &width);
    assert_true(i == 0 ? counts[i] == 0 : counts[i] > 0 && counts[i] < PL_FONT_MAX_SEGMENTS);
    for (int k = 0; k < counts[i]; ++k) {
      assert_true(all[i][k].x0 >= 0 && all[i][k].x0 <= width + 1e-4f && all[i][k].x1 >= 0 &&
                  all[i][k].x1 <= width + 1e-4f);
      assert_true(all[i][k].y0 >= -PL_FONT_DESCENT && all[i][k].y0 <= PL_FONT_CAPITAL + 1);
    }
    for (int j = 0; j < i; ++j)
      assert_true(counts[i] != counts[j] || memcmp(all[i], all[j], sizeof(pl_font_segment) * (size_t)counts[i]) != 0);
  }
}

static void text_is_dark_on_light_and_light_on_dark(void **state) {
  (void)state;
  static uint8_t rgb[SIZE];
  pl_context *context = make_context(1);
  pl_scratch scratch;
  pl_scratch_init(&scratch, context);
  int min = 255, max = 0;
  fresh(rgb, 230);
  draw(&scratch, "Hill", rgb);
  for (int i = 0; i < SIZE; ++i) min = rgb[i] < min ? rgb[i] : min;
  fresh(rgb, 30);
  draw(&scratch, "Hill", rgb);
  for (int i = 0; i < SIZE; ++i) max = rgb[i] > max ? rgb[i] : max;
  assert_true(min < 70);
  assert_true(max > 220);
  pl_scratch_destroy(&scratch);
  drop_context(context);
}

static void accents_and_dashes_become_near_ascii(void **state) {
  (void)state;
  static uint8_t given[SIZE], expected[SIZE];
  const char *pairs[][2] = {{"caf\xC3\xA9", "cafe"},   {"a \xE2\x80\x94 b", "a - b"},
                            {"e\xCC\x81", "e"},        {"\xE2\x82\xAC", "?"},
                            {"\xF0\x9F\x90\xB0", "?"}, {"\xFF", "?"},
                            {"x\xC3", "x?"},           {"\xCE\xBC", "u"}};
  pl_context *context = make_context(1);
  pl_scratch scratch;
  pl_scratch_init(&scratch, context);
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    fresh(given, 230);
    fresh(expected, 230);
    draw(&scratch, pairs[i][0], given);
    draw(&scratch, pairs[i][1], expected);
    assert_memory_equal(given, expected, SIZE);
  }
  pl_scratch_destroy(&scratch);
  drop_context(context);
}

static void any_bytes_and_any_length_are_taken(void **state) {
  (void)state;
  static uint8_t rgb[SIZE];
  static char text[5001];
  pl_context *context = make_context(1);
  pl_scratch scratch;
  pl_scratch_init(&scratch, context);
  uint32_t number = 1;
  for (int round = 0; round < 12; ++round) {
    int length = round < 8 ? 1 + 7 * round : 5000 >> (round - 8);
    for (int i = 0; i < length; ++i) {
      number = number * 1664525u + 1013904223u;
      text[i] = (char)(1 + (number >> 24) % 255);
    }
    text[length] = '\0';
    fresh(rgb, 128);
    draw(&scratch, text, rgb);
  }
  // A picture of one pixel has no room, and that is all right.
  pl_error error = {0};
  check_ok(pl_caption_draw(&scratch, "tiny", rgb, 1, 1, &error), &error);
  pl_scratch_destroy(&scratch);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_glyph_is_its_own_and_fits_its_cell),
      cmocka_unit_test(text_is_dark_on_light_and_light_on_dark),
      cmocka_unit_test(accents_and_dashes_become_near_ascii),
      cmocka_unit_test(any_bytes_and_any_length_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
