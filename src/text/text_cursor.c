#include "text/text_cursor.h"

#include <math.h>
#include <string.h>

#include "pliant/math.h"
#include "text/number_text.h"

pl_text_cursor pl_text_cursor_at(const pl_mesh_source *source, size_t offset, char comment) {
  const char *begin = (const char *)source->bytes;
  pl_text_cursor cursor = {.source = source, .at = begin + offset, .end = begin + source->size, .comment = comment};
  if (offset == 0 && source->size >= 3 && memcmp(begin, "\xEF\xBB\xBF", 3) == 0) cursor.at += 3;
  return cursor;
}

size_t pl_text_offset(const pl_text_cursor *cursor) {
  return (size_t)(cursor->at - (const char *)cursor->source->bytes);
}

size_t pl_word_offset(const pl_text_cursor *cursor, pl_word word) {
  return (size_t)(word.text - (const char *)cursor->source->bytes);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

// Length of a backslash with the line end behind it, or 0.
static size_t continuation_length(const pl_text_cursor *cursor) {
  if (!cursor->continuation || cursor->at >= cursor->end || *cursor->at != '\\') return 0;
  const char *next = cursor->at + 1;
  if (next < cursor->end && *next == '\r') return next + 1 < cursor->end && next[1] == '\n' ? 3 : 2;
  return next < cursor->end && *next == '\n' ? 2 : 0;
}

bool pl_text_skip_blanks(pl_text_cursor *cursor) {
  for (;;) {
    while (cursor->at < cursor->end && is_blank(*cursor->at)) ++cursor->at;
    size_t joined = continuation_length(cursor);
    if (joined == 0) break;
    cursor->at += joined;
  }
  if (cursor->comment != '\0' && cursor->at < cursor->end && *cursor->at == cursor->comment)
    while (cursor->at < cursor->end && !is_line_end(*cursor->at)) ++cursor->at;
  return cursor->at < cursor->end && !is_line_end(*cursor->at);
}

bool pl_text_skip_space(pl_text_cursor *cursor) {
  while (!pl_text_skip_blanks(cursor)) {
    if (cursor->at >= cursor->end) return false;
    ++cursor->at;
  }
  return true;
}

static bool take_here(pl_text_cursor *cursor, pl_word *word) {
  const char *begin = cursor->at;
  while (cursor->at < cursor->end && !is_blank(*cursor->at) && !is_line_end(*cursor->at)) {
    if (cursor->comment != '\0' && *cursor->at == cursor->comment) break;
    if (continuation_length(cursor) > 0) break;
    ++cursor->at;
  }
  *word = (pl_word){begin, (size_t)(cursor->at - begin)};
  return word->length > 0;
}

bool pl_text_take_word_in_line(pl_text_cursor *cursor, pl_word *word) {
  return pl_text_skip_blanks(cursor) && take_here(cursor, word);
}

bool pl_text_take_word(pl_text_cursor *cursor, pl_word *word) {
  return pl_text_skip_space(cursor) && take_here(cursor, word);
}

bool pl_text_next_line(pl_text_cursor *cursor) {
  for (;;) {
    while (cursor->at < cursor->end && !is_line_end(*cursor->at) && continuation_length(cursor) == 0) ++cursor->at;
    size_t joined = continuation_length(cursor);
    if (joined == 0) break;
    cursor->at += joined;
  }
  if (cursor->at >= cursor->end) return false;
  bool pair = *cursor->at == '\r' && cursor->at + 1 < cursor->end && cursor->at[1] == '\n';
  cursor->at += pair ? 2 : 1;
  return cursor->at < cursor->end;
}

pl_word pl_text_take_line(pl_text_cursor *cursor) {
  const char *begin = cursor->at;
  while (cursor->at < cursor->end && !is_line_end(*cursor->at)) ++cursor->at;
  pl_word line = {begin, (size_t)(cursor->at - begin)};
  pl_text_next_line(cursor);
  return line;
}

bool pl_word_is(pl_word word, const char *text) {
  size_t length = strlen(text);
  return word.length == length && memcmp(word.text, text, length) == 0;
}

bool pl_word_is_any_case(pl_word word, const char *text) {
  if (word.length != strlen(text)) return false;
  for (size_t i = 0; i < word.length; ++i) {
    char a = word.text[i], b = text[i];
    if (a >= 'A' && a <= 'Z') a = (char)(a - 'A' + 'a');
    if (b >= 'A' && b <= 'Z') b = (char)(b - 'A' + 'a');
    if (a != b) return false;
  }
  return true;
}

const char *pl_word_show(pl_word word, char shown[PL_SHOWN_SIZE]) {
  size_t length = word.length < 40 ? word.length : 40;
  for (size_t i = 0; i < length; ++i) shown[i] = word.text[i] >= 32 && word.text[i] < 127 ? word.text[i] : '?';
  strcpy(shown + length, word.length > 40 ? "..." : "");
  return shown;
}

bool pl_word_number(pl_word word, double *value) {
  return pl_number_read(word.text, word.text + word.length, value) == word.text + word.length;
}

bool pl_word_integer(pl_word word, int64_t *value) {
  if (pl_integer_read(word.text, word.text + word.length, value) == word.text + word.length) return true;
  // Some writers give whole numbers as 3.0 or 3e0.
  double number;
  if (!pl_word_number(word, &number) || !(fabs(number) < 9e15) || number != floor(number)) return false;
  *value = (int64_t)number;
  return true;
}

static pl_status take_or_fail(pl_text_cursor *cursor, const char *what, pl_word *word) {
  if (pl_text_take_word(cursor, word)) return PL_OK;
  return pl_source_fail(cursor->source, pl_text_offset(cursor), "the file ends where %s should stand; it is cut off",
                        what);
}

pl_status pl_text_take_number(pl_text_cursor *cursor, const char *what, double *value) {
  pl_word word;
  pl_status status = take_or_fail(cursor, what, &word);
  if (status < 0 || pl_word_number(word, value)) return status;
  char shown[PL_SHOWN_SIZE];
  return pl_source_fail(cursor->source, pl_word_offset(cursor, word),
                        "\"%s\" stands where %s should; a number is needed", pl_word_show(word, shown), what);
}

pl_status pl_text_take_integer(pl_text_cursor *cursor, const char *what, int64_t *value) {
  pl_word word;
  pl_status status = take_or_fail(cursor, what, &word);
  if (status < 0 || pl_word_integer(word, value)) return status;
  char shown[PL_SHOWN_SIZE];
  return pl_source_fail(cursor->source, pl_word_offset(cursor, word),
                        "\"%s\" stands where %s should; a whole number is needed", pl_word_show(word, shown), what);
}

pl_status pl_text_take_point(pl_text_cursor *cursor, pl_vec3 *point, size_t *offset) {
  pl_text_skip_space(cursor);
  *offset = pl_text_offset(cursor);
  pl_status status = pl_text_take_number(cursor, "the x coordinate", &point->x);
  if (status >= 0) status = pl_text_take_number(cursor, "the y coordinate", &point->y);
  if (status >= 0) status = pl_text_take_number(cursor, "the z coordinate", &point->z);
  return status;
}
