// JSON trees as text. A container whose items are all scalars stays on one line where it fits, so that vectors read as
// vectors.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "text/json.h"
#include "text/number_text.h"

static const size_t LINE_LENGTH = 100;

typedef struct writer {
  pl_vector *text;
  bool pretty;
  pl_error *error;
  pl_status status;
} writer;

static void put(writer *w, const char *bytes, size_t count) {
  char *position = pl_vector_grow(w->text, count);
  if (position != NULL)
    memcpy(position, bytes, count);
  else if (w->status == PL_OK)
    w->status = pl_fail_memory(w->error);
}

static void put_text(writer *w, const char *text) {
  put(w, text, strlen(text));
}

static void put_string(writer *w, const char *text, int32_t length) {
  put(w, "\"", 1);
  int32_t start = 0;
  for (int32_t i = 0; i <= length; ++i) {
    unsigned char c = i < length ? (unsigned char)text[i] : '"';
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    put(w, text + start, (size_t)(i - start));
    start = i + 1;
    if (i == length) break;
    static const char letters[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *letter = c == 0 ? NULL : strchr(letters, c);
    char escape[8] = {'\\', letter == NULL ? 'u' : names[letter - letters], '\0'};
    if (letter == NULL) snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
    put_text(w, escape);
  }
  put(w, "\"", 1);
}

static void put_scalar(writer *w, const pl_json *value) {
  char number[PL_NUMBER_SIZE];
  switch (value->kind) {
    case PL_JSON_NULL: put_text(w, "null"); break;
    case PL_JSON_BOOL: put_text(w, value->boolean ? "true" : "false"); break;
    case PL_JSON_STRING: put_string(w, value->text, value->text_length); break;
    case PL_JSON_NUMBER:
      if (!isfinite(value->number) && w->status == PL_OK) {
        char path[sizeof((pl_error *)0)->field];
        pl_json_path(value, path, sizeof path);
        w->status = pl_fail_field(w->error, PL_ERROR_INVALID_ARGUMENT, path,
                                  "JSON has no way to write a number that is not finite");
      }
      put(w, number, pl_number_write(value->number, number));
      break;
    case PL_JSON_ARRAY: put_text(w, "[]"); break;
    case PL_JSON_OBJECT: put_text(w, "{}"); break;
  }
}

static void put_key(writer *w, const pl_json *value) {
  if (value->key == NULL) return;
  put_string(w, value->key, value->key_length);
  put_text(w, w->pretty ? ": " : ":");
}

static void put_line_break(writer *w, int32_t depth) {
  if (!w->pretty) return;
  put(w, "\n", 1);
  for (int32_t i = 0; i < depth; ++i) put(w, "  ", 2);
}

static bool has_scalars_only(const pl_json *value) {
  for (const pl_json *child = value->first; child != NULL; child = child->next)
    if (child->first != NULL) return false;
  return true;
}

// Write the container on one line; if it grows too long, take that back and return false.
static bool put_on_one_line(writer *w, const pl_json *value, int32_t depth) {
  size_t start = w->text->count;
  bool array = value->kind == PL_JSON_ARRAY;
  put_text(w, array ? "[" : "{");
  for (const pl_json *child = value->first; child != NULL; child = child->next) {
    if (child != value->first) put_text(w, ", ");
    put_key(w, child);
    put_scalar(w, child);
    if (w->text->count - start + 2 * (size_t)depth > LINE_LENGTH) {
      w->text->count = start;
      return false;
    }
  }
  put_text(w, array ? "]" : "}");
  return true;
}

// Without recursion: down into children, on to the next, and up by parent pointers.
static void put_tree(writer *w, const pl_json *root) {
  const pl_json *value = root;
  int32_t depth = 0;
  while (w->status == PL_OK) {
    if (value != root) put_key(w, value);
    bool container = value->first != NULL;
    if (container && !(w->pretty && has_scalars_only(value) && put_on_one_line(w, value, depth))) {
      put_text(w, value->kind == PL_JSON_ARRAY ? "[" : "{");
      put_line_break(w, ++depth);
      value = value->first;
      continue;
    }
    if (!container) put_scalar(w, value);
    while (value != root && value->next == NULL) {
      value = value->parent;
      put_line_break(w, --depth);
      put_text(w, value->kind == PL_JSON_ARRAY ? "]" : "}");
    }
    if (value == root) break;
    put(w, ",", 1);
    put_line_break(w, depth);
    value = value->next;
  }
}

pl_status pl_json_write(const pl_json *value, pl_json_style style, pl_vector *text, pl_error *error) {
  writer w = {.text = text, .pretty = style == PL_JSON_PRETTY, .error = error};
  put_tree(&w, value);
  if (w.pretty) put(&w, "\n", 1);
  return w.status;
}
