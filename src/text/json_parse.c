// The grammar of JSON, without recursion: `current` is the container being filled, and its parent pointers are the
// stack. After a mistake the parser repairs the text as a reader would (a comma that is missing, one that is too many,
// a bracket of the wrong kind) and continues, so that one run lists all mistakes.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "text/json_scan.h"

typedef struct parser {
  pl_json_scan scan;
  pl_json *root, *current;
  int32_t depth;
  bool expects_item;  // a comma was passed over: the next thing in `current` must be an item
} parser;

static pl_json *make_value(parser *p) {
  pl_json *value = PL_TAKE(p->scan.arena, pl_json, 1);
  if (value == NULL) {
    p->scan.out_of_memory = true;
    return NULL;
  }
  value->position = pl_json_here(&p->scan);
  return value;
}

static void append(parser *p, pl_json *value) {
  pl_json *parent = p->current;
  value->parent = parent;
  if (parent == NULL) {
    p->root = value;
    return;
  }
  value->index = parent->count++;
  if (parent->last == NULL)
    parent->first = value;
  else
    parent->last->next = value;
  parent->last = value;
}

static int compare_positions(const void *a, const void *b) {
  const pl_json *x = *(const pl_json *const *)a, *y = *(const pl_json *const *)b;
  return (x->index > y->index) - (x->index < y->index);
}

static int compare_keys(const void *a, const void *b) {
  const pl_json *x = *(const pl_json *const *)a, *y = *(const pl_json *const *)b;
  int32_t shorter = x->key_length < y->key_length ? x->key_length : y->key_length;
  int order = memcmp(x->key, y->key, (size_t)shorter);
  return order != 0 ? order : (x->key_length > y->key_length) - (x->key_length < y->key_length);
}

// Keys by bytes, then by place in the file, so that of duplicates the first one in the file comes first.
static int compare_members(const void *a, const void *b) {
  int order = compare_keys(a, b);
  return order != 0 ? order : compare_positions(a, b);
}

// Note duplicates and take them out of the list; `table` is sorted. They are noted in the order of the file.
static void drop_duplicates(parser *p, pl_json *object) {
  int32_t kept_count = 0, duplicate_count = 0;
  const pl_json **table = object->table;
  const pl_json **duplicates = PL_TAKE(p->scan.arena, const pl_json *, object->count);
  if (duplicates == NULL) {
    p->scan.out_of_memory = true;
    return;
  }
  for (int32_t i = 0; i < object->count; ++i) {
    if (kept_count == 0 || compare_keys(&table[kept_count - 1], &table[i]) != 0)
      table[kept_count++] = table[i];
    else
      duplicates[duplicate_count++] = table[i];
  }
  if (duplicate_count == 0) return;
  qsort(duplicates, (size_t)duplicate_count, sizeof *duplicates, compare_positions);
  for (int32_t i = 0; i < duplicate_count; ++i) {
    const pl_json *first =
        *(const pl_json **)bsearch(&duplicates[i], table, (size_t)kept_count, sizeof *table, compare_keys);
    pl_json_problem(&p->scan, duplicates[i]->key_position, PL_JSON_REPAIRED,
                    "the key \"%.60s\" is here a second time; the first is at line %d, column %d", first->key,
                    first->key_position.line, first->key_position.column);
  }
  pl_json **link = &object->first;
  int32_t next_duplicate = 0;
  object->last = NULL;
  object->count = 0;
  while (*link != NULL) {
    if (next_duplicate < duplicate_count && *link == duplicates[next_duplicate]) {
      next_duplicate++;
      *link = (*link)->next;
    } else {
      (*link)->index = object->count++;
      object->last = *link;
      link = &(*link)->next;
    }
  }
}

// The container is complete: index it and continue in its parent.
static void close_current(parser *p) {
  pl_json *closed = p->current;
  if (closed->count > 0) {
    closed->table = PL_TAKE(p->scan.arena, const pl_json *, closed->count);
    if (closed->table == NULL) {
      p->scan.out_of_memory = true;
    } else {
      for (const pl_json *child = closed->first; child != NULL; child = child->next)
        closed->table[child->index] = child;
      if (closed->kind == PL_JSON_OBJECT) {
        qsort(closed->table, (size_t)closed->count, sizeof *closed->table, compare_members);
        drop_duplicates(p, closed);
      }
    }
  }
  p->current = closed->parent;
  p->depth--;
  p->expects_item = false;
}

// A value is expected at hand; one that is missing counts as null.
static void parse_value(parser *p, pl_json *value) {
  int c = pl_json_peek(&p->scan);
  if (c == '{' || c == '[') {
    value->kind = c == '{' ? PL_JSON_OBJECT : PL_JSON_ARRAY;
    append(p, value);
    p->scan.at++;
    p->current = value;
    p->expects_item = false;
    if (++p->depth > PL_JSON_MAX_DEPTH) {
      pl_json_problem(&p->scan, value->position, PL_JSON_LOST, "more than %d levels of brackets", PL_JSON_MAX_DEPTH);
      p->scan.at = p->scan.size;
      p->current = NULL;
    }
    return;
  }
  if (c == '"' || c == '\'') {
    value->kind = PL_JSON_STRING;
    value->text = pl_json_scan_string(&p->scan, &value->text_length);
  } else if (c < 0 || c == ',' || c == ':' || c == '}' || c == ']') {
    pl_json_problem(&p->scan, pl_json_here(&p->scan), PL_JSON_LOST,
                    c < 0 ? "the text ends where a value is expected" : "a value is missing before this '%c'", c);
    // A colon belongs to nothing here; the others are read as what they are.
    if (c == ':') p->scan.at++;
  } else {
    pl_json_scan_scalar(&p->scan, value);
  }
  append(p, value);
  p->expects_item = false;
}

// Read the key at hand, with or without its quotes, into `value`; false when there is none.
static bool parse_key_name(parser *p, pl_json *value) {
  pl_json_scan *scan = &p->scan;
  value->key_position = pl_json_here(scan);
  int c = pl_json_peek(scan);
  if (c == '"' || c == '\'') {
    value->key = pl_json_scan_string(scan, &value->key_length);
    return value->key != NULL;
  }
  int32_t start = scan->at;
  pl_json_skip_word(scan);
  int32_t length = scan->at - start;
  bool is_word = pl_json_is_word_byte(c);
  if (!is_word) {
    // A value or a colon without a key: continue with it under no name. Anything else is skipped.
    bool has_value = c == ':' || c == '{' || c == '[';
    if (has_value) scan->at = start;
    pl_json_problem(scan, value->key_position, PL_JSON_LOST, "a key in double quotes is expected here");
    value->key = "";
    return has_value;
  }
  value->key_length = length;
  char *key = PL_TAKE(scan->arena, char, length + 1);
  if (key == NULL) {
    scan->out_of_memory = true;
    return false;
  }
  memcpy(key, scan->text + start, (size_t)length);
  value->key = key;
  // Outside quotes nothing has checked that the bytes are UTF-8: such a word cannot be kept.
  bool plain = true;
  for (int32_t i = 0; i < length; ++i) plain = plain && (unsigned char)key[i] < 0x80;
  if (plain)
    pl_json_problem(scan, value->key_position, PL_JSON_REPAIRED, "write the key %.40s in double quotes", key);
  else
    pl_json_problem(scan, value->key_position, PL_JSON_LOST, "a key in double quotes is expected here");
  return true;
}

// Read `"key" :` into `value`; false when no value follows.
static bool parse_key(parser *p, pl_json *value) {
  pl_json_scan *scan = &p->scan;
  if (!parse_key_name(p, value)) return false;
  pl_json_skip_blanks(scan);
  int c = pl_json_peek(scan);
  if (c == ':') {
    scan->at++;
    pl_json_skip_blanks(scan);
    return true;
  }
  pl_json_problem(scan, pl_json_here(scan), PL_JSON_LOST, "a colon is expected between key and value");
  if (c != ',' && c != '}' && c != ']' && c >= 0) return true;
  append(p, value);
  p->expects_item = false;
  return false;
}

// A closing bracket is at hand.
static void parse_close(parser *p, int c) {
  pl_json *current = p->current;
  pl_json_position here = pl_json_here(&p->scan);
  char wanted = current->kind == PL_JSON_OBJECT ? '}' : ']';
  if (p->expects_item) {
    pl_json_problem(&p->scan, here, PL_JSON_REPAIRED, "there is a comma before this '%c', but nothing after it", c);
    p->expects_item = false;
  }
  if (c == wanted) {
    p->scan.at++;
    close_current(p);
    return;
  }
  pl_json_problem(&p->scan, here, PL_JSON_LOST, "'%c' closes the '%c' of line %d, column %d; '%c' is expected", c,
                  current->kind == PL_JSON_OBJECT ? '{' : '[', current->position.line, current->position.column,
                  wanted);
  // Some enclosing bracket may be meant, then this one was never closed; otherwise it is taken for a slip.
  pl_json_kind meant = c == '}' ? PL_JSON_OBJECT : PL_JSON_ARRAY;
  if (current->parent == NULL || current->parent->kind != meant) p->scan.at++;
  close_current(p);
}

// One step inside `current`: a comma, an item, a member or the end.
static void parse_step(parser *p) {
  pl_json_scan *scan = &p->scan;
  pl_json *current = p->current;
  pl_json_skip_blanks(scan);
  int c = pl_json_peek(scan);
  if (c < 0) {
    pl_json_problem(scan, current->position, PL_JSON_LOST, "this '%c' is never closed",
                    current->kind == PL_JSON_OBJECT ? '{' : '[');
    p->current = NULL;
    return;
  }
  if (c == '}' || c == ']') {
    parse_close(p, c);
    return;
  }
  if (c == ',') {
    if (p->expects_item || current->count == 0)
      pl_json_problem(scan, pl_json_here(scan), PL_JSON_REPAIRED, "there is nothing before this comma");
    scan->at++;
    p->expects_item = true;
    return;
  }
  if (!p->expects_item && current->count > 0)
    pl_json_problem(scan, pl_json_here(scan), PL_JSON_REPAIRED, "a comma is missing before this");
  pl_json *value = make_value(p);
  if (value == NULL || (current->kind == PL_JSON_OBJECT && !parse_key(p, value))) return;
  value->position = pl_json_here(scan);
  parse_value(p, value);
}

static void parse_document(parser *p) {
  pl_json_scan *scan = &p->scan;
  if (scan->size >= 3 && memcmp(scan->text, "\xEF\xBB\xBF", 3) == 0) scan->at = scan->line_start = 3;
  pl_json_skip_blanks(scan);
  if (scan->at >= scan->size) {
    if (!scan->lost) pl_json_problem(scan, pl_json_here(scan), PL_JSON_LOST, "this text is empty");
    return;
  }
  pl_json *root = make_value(p);
  if (root == NULL) return;
  parse_value(p, root);
  while (p->current != NULL && !scan->out_of_memory) parse_step(p);
  pl_json_skip_blanks(scan);
  if (scan->at < scan->size && !scan->out_of_memory)
    pl_json_problem(scan, pl_json_here(scan), PL_JSON_LOST, "the document has ended before this");
}

pl_status pl_json_parse(pl_context *context, const char *text, size_t size, const char *name, pl_findings *findings,
                        pl_json_document **document, pl_error *error) {
  *document = NULL;
  // Offsets and lines are 32-bit numbers; no scene comes near.
  if (size >= INT32_MAX) return pl_fail_at(error, PL_ERROR_UNSUPPORTED, name, 0, 0, "a JSON text of 2 GiB or more");
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_json_document *made = PL_TAKE(&arena, pl_json_document, 1);
  if (made == NULL) return pl_fail_memory(error);
  parser p = {
      .scan = {.text = text, .size = (int32_t)size, .line = 1, .findings = findings, .error = error, .arena = &arena}};
  p.scan.letters = pl_vector_of(context, 1);
  p.scan.name = pl_arena_copy_text(&arena, name == NULL ? "" : name);
  if (p.scan.name != NULL) parse_document(&p);
  pl_vector_free(&p.scan.letters);

  if (p.scan.out_of_memory || arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  if (p.scan.lost || (p.scan.problem_count > 0 && findings == NULL)) {
    pl_arena_destroy(&arena);
    return PL_ERROR_INVALID_DATA;
  }
  made->name = p.scan.name;
  made->root = p.root;
  made->arena = arena;
  *document = made;
  return p.scan.problem_count > 0 ? PL_REMARK_FINDINGS : PL_OK;
}

void pl_json_document_destroy(pl_json_document *document) {
  if (document != NULL) pl_arena_destroy(&document->arena);
}
