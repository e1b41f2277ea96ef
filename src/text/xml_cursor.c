#include "text/xml_cursor.h"

#include <string.h>

pl_xml_cursor pl_xml_cursor_of(const pl_mesh_source *source) {
  pl_text_cursor start = pl_text_cursor_at(source, 0, '\0');
  return (pl_xml_cursor){.source = source, .at = start.at, .end = start.end};
}

static bool starts(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

// The place behind the next `word`, or NULL.
static const char *find_behind(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  while ((size_t)(end - at) >= length) {
    const char *found = memchr(at, word[0], (size_t)(end - at) - length + 1);
    if (found == NULL) return NULL;
    if (memcmp(found, word, length) == 0) return found + length;
    at = found + 1;
  }
  return NULL;
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c) {
  return !is_space(c) && c != '>' && c != '/' && c != '=' && c != '<' && c != '"' && c != '\'';
}

static pl_status fail_open(const pl_xml_cursor *cursor, const char *at, const char *what) {
  return pl_source_fail(cursor->source, (size_t)(at - (const char *)cursor->source->bytes),
                        "this %s has no end; the file is cut off", what);
}

// Markup that begins with <! or <? and is not a tag; `*behind` is NULL where there is none here.
static pl_status skip_other(const pl_xml_cursor *cursor, const char *at, const char **behind) {
  static const struct {
    const char *begin, *end, *what;
  } others[] = {{"<!--", "-->", "comment"},
                {"<![CDATA[", "]]>", "CDATA section"},
                {"<?", "?>", "instruction"},
                {"<!", ">", "declaration"}};
  *behind = NULL;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    if (!starts(at, cursor->end, others[i].begin)) continue;
    *behind = find_behind(at + strlen(others[i].begin), cursor->end, others[i].end);
    return *behind == NULL ? fail_open(cursor, at, others[i].what) : PL_OK;
  }
  return PL_OK;
}

// The end of the tag, which may stand inside quotes where it does not count.
static const char *find_tag_end(const char *at, const char *end) {
  char quote = '\0';
  for (; at < end; ++at) {
    if (quote != '\0') {
      if (*at == quote) quote = '\0';
    } else if (*at == '"' || *at == '\'') {
      quote = *at;
    } else if (*at == '>') {
      return at;
    } else if (*at == '<') {
      return NULL;
    }
  }
  return NULL;
}

pl_status pl_xml_take_tag(pl_xml_cursor *cursor, pl_xml_tag *tag) {
  *tag = (pl_xml_tag){.is_last = true};
  for (;;) {
    const char *open = cursor->at < cursor->end ? memchr(cursor->at, '<', (size_t)(cursor->end - cursor->at)) : NULL;
    if (open == NULL) {
      cursor->at = cursor->end;
      return PL_OK;
    }
    const char *behind;
    pl_status status = skip_other(cursor, open, &behind);
    if (status < 0) return status;
    if (behind != NULL) {
      cursor->at = behind;
      continue;
    }
    const char *close = find_tag_end(open + 1, cursor->end);
    if (close == NULL) return fail_open(cursor, open, "tag");
    tag->is_last = false;
    tag->offset = (size_t)(open - (const char *)cursor->source->bytes);
    const char *name = open + 1;
    tag->is_end = *name == '/';
    if (tag->is_end) ++name;
    const char *name_end = name;
    while (name_end < close && is_name(*name_end)) ++name_end;
    tag->is_empty = close[-1] == '/' && close - 1 >= name_end;
    tag->name = (pl_word){name, (size_t)(name_end - name)};
    tag->attributes = (pl_word){name_end, (size_t)(close - name_end) - (tag->is_empty ? 1 : 0)};
    if (tag->name.length == 0) return pl_source_fail(cursor->source, tag->offset, "this tag has no name");
    cursor->at = close + 1;
    return PL_OK;
  }
}

// Decode the entity at `at` (an ampersand) into UTF-8 bytes; returns the position after it. Other text stands for
// itself.
static const char *decode_entity(const char *at, const char *end, char bytes[4], size_t *count) {
  static const struct {
    const char *name;
    char value;
  } names[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  *count = 1;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (!starts(at, end, names[i].name)) continue;
    bytes[0] = names[i].value;
    return at + strlen(names[i].name);
  }
  bytes[0] = '&';
  if (!starts(at, end, "&#")) return at + 1;
  bool hex = end - at > 2 && (at[2] == 'x' || at[2] == 'X');
  uint32_t code = 0;
  const char *digit = at + (hex ? 3 : 2);
  for (; digit < end && *digit != ';' && digit - at < 12; ++digit) {
    char c = *digit;
    uint32_t value = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                            : 99;
    if (value >= (hex ? 16u : 10u) || code > 0x10FFFF) return at + 1;
    code = code * (hex ? 16 : 10) + value;
  }
  if (digit >= end || *digit != ';' || code == 0 || code > 0x10FFFF) return at + 1;
  if (code < 0x80) {
    bytes[0] = (char)code;
  } else {
    size_t extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char heads[] = {0, 0xC0, 0xE0, 0xF0};
    for (size_t i = extra; i > 0; --i, code >>= 6) bytes[i] = (char)(unsigned char)(0x80 | (code & 0x3F));
    bytes[0] = (char)(unsigned char)(heads[extra] | code);
    *count = extra + 1;
  }
  return digit + 1;
}

static void copy_value(const char *at, const char *end, char *value, size_t size) {
  size_t used = 0;
  while (at < end) {
    char bytes[4] = {*at};
    size_t count = 1;
    at = *at == '&' ? decode_entity(at, end, bytes, &count) : at + 1;
    if (used + count >= size) break;
    memcpy(value + used, bytes, count);
    used += count;
  }
  value[used] = '\0';
}

bool pl_xml_attribute(const pl_xml_tag *tag, const char *name, char *value, size_t size) {
  const char *at = tag->attributes.text, *end = at + tag->attributes.length;
  value[0] = '\0';
  while (at < end) {
    while (at < end && !is_name(*at)) ++at;
    pl_word own = {at, 0};
    while (at < end && is_name(*at)) ++at;
    own.length = (size_t)(at - own.text);
    while (at < end && is_space(*at)) ++at;
    if (at >= end || *at != '=') continue;
    for (++at; at < end && is_space(*at);) ++at;
    if (at >= end || (*at != '"' && *at != '\'')) continue;
    const char *begin = at + 1;
    const char *close = memchr(begin, *at, (size_t)(end - begin));
    if (close == NULL) return false;
    at = close + 1;
    if (!pl_word_is(own, name)) continue;
    copy_value(begin, close, value, size);
    return true;
  }
  return false;
}

static bool append(pl_vector *text, const char *bytes, size_t count) {
  if (count == 0) return true;
  char *to = pl_vector_grow(text, count);
  if (to != NULL) memcpy(to, bytes, count);
  return to != NULL;
}

bool pl_xml_append_text(const char *begin, const char *end, pl_vector *text) {
  const char *at = begin;
  while (at < end) {
    const char *plain = at;
    while (at < end && *at != '<' && *at != '&') ++at;
    if (!append(text, plain, (size_t)(at - plain))) return false;
    if (at >= end) break;
    if (*at == '&') {
      char bytes[4];
      size_t count;
      at = decode_entity(at, end, bytes, &count);
      if (!append(text, bytes, count)) return false;
      continue;
    }
    bool is_data = starts(at, end, "<![CDATA[");
    const char *inner = at + (is_data ? 9 : 1);
    const char *behind = find_behind(inner, end, is_data ? "]]>" : starts(at, end, "<!--") ? "-->" : ">");
    if (behind == NULL) behind = end;
    if (is_data && !append(text, inner, (size_t)(behind - inner) - (behind - inner >= 3 ? 3 : 0))) return false;
    at = behind;
  }
  return true;
}
