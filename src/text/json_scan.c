// The words of JSON (RFC 8259). After a mistake the scanner continues where a reader would: after the closing quote,
// after the word that is not a number. So one pass over a document finds most of what is wrong with it.
#include "text/json_scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "text/number_text.h"

// Beyond this many problems a document is noise; the rest goes unsaid.
static const int32_t MAX_PROBLEMS = 100;

int pl_json_peek(const pl_json_scan *scan) {
  return scan->at < scan->size ? (unsigned char)scan->text[scan->at] : -1;
}

pl_json_position pl_json_here(const pl_json_scan *scan) {
  return (pl_json_position){scan->line, scan->at - scan->line_start + 1, scan->at};
}

void pl_json_problem(pl_json_scan *scan, pl_json_position position, pl_json_damage damage, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (damage == PL_JSON_LOST) scan->lost = true;
  if (scan->problem_count++ == 0)
    pl_fail_at(scan->error, PL_ERROR_INVALID_DATA, scan->name, position.line, position.column, "%s", text);
  if (scan->problem_count > MAX_PROBLEMS) {
    scan->lost = true;
    return;
  }
  pl_finding finding = {.severity = PL_SEVERITY_ERROR, .line = position.line, .column = position.column, .index = -1};
  finding.file = scan->name;
  finding.kind = "json-syntax";
  if (pl_findings_addf(scan->findings, &finding, "%s", text) < 0) scan->out_of_memory = true;
}

// --- blanks -----------------------------------------------------------------------------------------------------

// Pass over one byte; a line ends with \n, \r\n or a lone \r.
static void advance(pl_json_scan *scan) {
  char c = scan->text[scan->at++];
  bool ends_line = c == '\n' || (c == '\r' && pl_json_peek(scan) != '\n');
  if (!ends_line) return;
  scan->line++;
  scan->line_start = scan->at;
}

static bool starts_with(const pl_json_scan *scan, const char *text) {
  size_t length = strlen(text);
  return (size_t)(scan->size - scan->at) >= length && memcmp(scan->text + scan->at, text, length) == 0;
}

static void skip_comment(pl_json_scan *scan) {
  pl_json_problem(scan, pl_json_here(scan), PL_JSON_REPAIRED, "JSON has no comments; remove this one");
  bool block = starts_with(scan, "/*");
  while (scan->at < scan->size) {
    if (block && starts_with(scan, "*/")) {
      scan->at += 2;
      return;
    }
    if (!block && (pl_json_peek(scan) == '\n' || pl_json_peek(scan) == '\r')) return;
    advance(scan);
  }
}

void pl_json_skip_blanks(pl_json_scan *scan) {
  for (;;) {
    int c = pl_json_peek(scan);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
      advance(scan);
    else if (starts_with(scan, "//") || starts_with(scan, "/*") || c == '#')
      skip_comment(scan);
    else
      return;
  }
}

bool pl_json_is_word_byte(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '+' ||
         c == '-' || c == '.' || c == '$' || c >= 0x80;
}

void pl_json_skip_word(pl_json_scan *scan) {
  if (!pl_json_is_word_byte(pl_json_peek(scan))) {
    if (scan->at < scan->size) advance(scan);
    return;
  }
  while (pl_json_is_word_byte(pl_json_peek(scan))) scan->at++;
}

// --- strings ----------------------------------------------------------------------------------------------------

static void put(pl_json_scan *scan, const char *bytes, size_t count) {
  char *position = pl_vector_grow(&scan->letters, count);
  if (position == NULL)
    scan->out_of_memory = true;
  else
    memcpy(position, bytes, count);
}

static void put_code_point(pl_json_scan *scan, uint32_t code) {
  char bytes[4];
  size_t count;
  if (code < 0x80) {
    bytes[0] = (char)code;
    count = 1;
  } else if (code < 0x800) {
    bytes[0] = (char)(0xC0 | code >> 6);
    bytes[1] = (char)(0x80 | (code & 0x3F));
    count = 2;
  } else if (code < 0x10000) {
    bytes[0] = (char)(0xE0 | code >> 12);
    bytes[1] = (char)(0x80 | (code >> 6 & 0x3F));
    bytes[2] = (char)(0x80 | (code & 0x3F));
    count = 3;
  } else {
    bytes[0] = (char)(0xF0 | code >> 18);
    bytes[1] = (char)(0x80 | (code >> 12 & 0x3F));
    bytes[2] = (char)(0x80 | (code >> 6 & 0x3F));
    bytes[3] = (char)(0x80 | (code & 0x3F));
    count = 4;
  }
  put(scan, bytes, count);
}

// The length of the UTF-8 sequence at hand, 0 if it is malformed, too long for its value, a surrogate or beyond
// U+10FFFF.
static int32_t utf8_length(const pl_json_scan *scan) {
  const unsigned char *s = (const unsigned char *)scan->text + scan->at;
  int32_t left = scan->size - scan->at;
  int32_t length = s[0] < 0x80                   ? 1
                   : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                   : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                   : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                                 : 0;
  if (length == 0 || length > left) return 0;
  for (int32_t i = 1; i < length; ++i)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
  if (s[0] == 0xED && s[1] > 0x9F) return 0;
  if (s[0] == 0xF0 && s[1] < 0x90) return 0;
  if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
  return length;
}

// Four hexadecimal digits at hand; -1, with nothing passed over, if they are not there.
static int32_t scan_hex4(pl_json_scan *scan) {
  if (scan->size - scan->at < 4) return -1;
  int32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    char c = scan->text[scan->at + i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  scan->at += 4;
  return code;
}

// Behind "\u". Characters beyond U+FFFF come as two escapes, a high and a low surrogate.
static void scan_unicode_escape(pl_json_scan *scan, pl_json_position start) {
  int32_t code = scan_hex4(scan);
  if (code < 0) {
    pl_json_problem(scan, start, PL_JSON_LOST, "\\u needs four hexadecimal digits");
    return;
  }
  if (code >= 0xD800 && code < 0xDC00 && starts_with(scan, "\\u")) {
    int32_t before = scan->at;
    scan->at += 2;
    int32_t low = scan_hex4(scan);
    if (low >= 0xDC00 && low < 0xE000) {
      put_code_point(scan, (uint32_t)(0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00)));
      return;
    }
    scan->at = before;
  }
  if (code >= 0xD800 && code < 0xE000) {
    pl_json_problem(scan, start, PL_JSON_LOST, "\\u%04x is half of a surrogate pair; the other half is missing",
                    (unsigned)code);
    return;
  }
  put_code_point(scan, (uint32_t)code);
}

static void scan_escape(pl_json_scan *scan) {
  pl_json_position start = pl_json_here(scan);
  scan->at++;
  int c = pl_json_peek(scan);
  if (c < 0 || c == '\n' || c == '\r') {
    pl_json_problem(scan, start, PL_JSON_LOST, "a backslash stands before the end of the line");
    return;
  }
  scan->at++;
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  const char *letter = c == 0 ? NULL : strchr(letters, c);
  if (letter != NULL) {
    put(scan, &meanings[letter - letters], 1);
  } else if (c == 'u') {
    scan_unicode_escape(scan, start);
  } else {
    scan->at--;
    pl_json_problem(scan, start, PL_JSON_LOST, "unknown escape after the backslash; write \\\\ for a backslash");
  }
}

const char *pl_json_scan_string(pl_json_scan *scan, int32_t *length) {
  pl_json_position start = pl_json_here(scan);
  int quote = pl_json_peek(scan);
  if (quote != '"') pl_json_problem(scan, start, PL_JSON_REPAIRED, "strings stand in double quotes");
  scan->at++;
  scan->letters.count = 0;
  for (;;) {
    int c = pl_json_peek(scan);
    if (c < 0 || c == '\n' || c == '\r') {
      pl_json_problem(scan, start, PL_JSON_LOST, "this string has no closing quote%s", c < 0 ? "" : " on its line");
      break;
    }
    if (c == quote) {
      scan->at++;
      break;
    }
    if (c == '\\') {
      scan_escape(scan);
      continue;
    }
    int32_t bytes = utf8_length(scan);
    if (c < 0x20) {
      pl_json_problem(scan, pl_json_here(scan), PL_JSON_REPAIRED,
                      "control character %d inside a string; write it as \\u%04x", c, (unsigned)c);
      bytes = 1;
    } else if (bytes == 0) {
      pl_json_problem(scan, pl_json_here(scan), PL_JSON_LOST, "byte 0x%02X is not valid UTF-8; save the file as UTF-8",
                      (unsigned)c);
      scan->at++;
      continue;
    }
    if (scan->at >= scan->size) continue;  // too many problems: the scanner was sent to the end
    put(scan, scan->text + scan->at, (size_t)bytes);
    scan->at += bytes;
  }
  *length = (int32_t)scan->letters.count;
  put(scan, "", 1);
  char *text = scan->out_of_memory ? NULL : pl_arena_copy(scan->arena, scan->letters.items, scan->letters.count, 1);
  if (text == NULL) scan->out_of_memory = true;
  return text;
}

// --- numbers and names ------------------------------------------------------------------------------------------

// The length of the JSON number that begins at `at`, 0 if none does.
static int32_t number_length(const char *text, int32_t size) {
  int32_t i = 0;
  if (i < size && text[i] == '-') i++;
  int32_t digits = i;
  while (i < size && text[i] >= '0' && text[i] <= '9') i++;
  if (i == digits || (text[digits] == '0' && i > digits + 1)) return 0;
  if (i < size && text[i] == '.') {
    int32_t fraction = ++i;
    while (i < size && text[i] >= '0' && text[i] <= '9') i++;
    if (i == fraction) return 0;
  }
  if (i < size && (text[i] == 'e' || text[i] == 'E')) {
    i++;
    if (i < size && (text[i] == '+' || text[i] == '-')) i++;
    int32_t exponent = i;
    while (i < size && text[i] >= '0' && text[i] <= '9') i++;
    if (i == exponent) return 0;
  }
  return i;
}

// What to say of a word that is neither number nor name.
static const char *advice_for(const char *word, int32_t length) {
  if (length == 0) return "a value is expected here";
  char c = word[0];
  if (c == '+') return "a number has no plus sign in front";
  if (c == '.') return "a number needs a digit before its point";
  if (word[length - 1] == '.') return "a number needs a digit after its point";
  if (length > 1 && c == '0' && (word[1] == 'x' || word[1] == 'X')) return "numbers are decimal";
  if (length > 1 && c == '0') return "a number has no leading zeros";
  if ((c >= '0' && c <= '9') || c == '-') return "this is not a number";
  static const char *const names[] = {"true", "false", "null"};
  char text[16] = "";
  if (length < (int32_t)sizeof text) memcpy(text, word, (size_t)length);
  const char *near = pl_text_suggest(text, names, 3);
  if (near == names[0]) return "unknown word; did you mean true?";
  if (near == names[1]) return "unknown word; did you mean false?";
  if (near == names[2]) return "unknown word; did you mean null?";
  return "unknown word; write strings in double quotes";
}

void pl_json_scan_scalar(pl_json_scan *scan, pl_json *value) {
  static const struct {
    const char *name;
    pl_json_kind kind;
    bool boolean;
  } names[] = {{"true", PL_JSON_BOOL, true}, {"false", PL_JSON_BOOL, false}, {"null", PL_JSON_NULL, false}};
  pl_json_position start = pl_json_here(scan);
  const char *word = scan->text + scan->at;
  pl_json_skip_word(scan);
  int32_t length = scan->at - start.offset;
  for (int i = 0; i < 3; ++i)
    if (strlen(names[i].name) == (size_t)length && memcmp(word, names[i].name, (size_t)length) == 0) {
      value->kind = names[i].kind;
      value->boolean = names[i].boolean;
      return;
    }
  if (length > 0 && number_length(word, length) == length) {
    value->kind = PL_JSON_NUMBER;
    if (pl_number_read(word, word + length, &value->number) == NULL)
      pl_json_problem(scan, start, PL_JSON_LOST, "a number of %d characters is too long; write up to 17 digits",
                      length);
    else if (!isfinite(value->number))
      pl_json_problem(scan, start, PL_JSON_LOST, "the number %.*s is too large", length < 40 ? length : 40, word);
    return;
  }
  pl_json_problem(scan, start, PL_JSON_LOST, "%s", advice_for(word, length));
}
