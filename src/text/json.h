// A JSON document as a tree in which every value and every key knows its place in the text.
//
//   pl_json_document *document;
//   status = pl_json_parse(context, text, size, "scene.json", findings, &document, error);
//   const pl_json *bodies = pl_json_find(document->root, "bodies");
//   for (const pl_json *body = bodies->first; body != NULL; body = body->next) …
//   pl_json_document_destroy(document);
//
// The same values can be built by hand in an arena and written as text.
#ifndef PL_IO_JSON_H
#define PL_IO_JSON_H

#include "base/arena.h"
#include "base/vector.h"
#include "pliant/base.h"

// Containers nested deeper than this are refused.
#define PL_JSON_MAX_DEPTH 256

typedef enum pl_json_kind {
  PL_JSON_NULL = 0,
  PL_JSON_BOOL,
  PL_JSON_NUMBER,
  PL_JSON_STRING,
  PL_JSON_ARRAY,
  PL_JSON_OBJECT,
} pl_json_kind;

// Where something stands in the text; all zero for values built by hand.
typedef struct pl_json_position {
  int32_t line, column;  // 1-based; the column counts bytes
  int32_t offset;        // bytes from the beginning of the text
} pl_json_position;

typedef struct pl_json pl_json;
struct pl_json {
  pl_json_kind kind;
  bool boolean;         // of a bool
  int32_t index;        // position among the items or members of `parent`
  int32_t count;        // items of an array, members of an object
  int32_t text_length;  // of a string, bytes; `text` may hold zero bytes
  double number;        // of a number
  const char *text;     // of a string, UTF-8, terminated
  const char *key;      // where the parent is an object, else NULL
  int32_t key_length;
  pl_json_position position, key_position;
  pl_json *parent;        // NULL for the root
  pl_json *next;          // in the order of the file
  pl_json *first, *last;  // of an array or object
  const pl_json **table;  // parsed containers: arrays in order, objects sorted by key; NULL once
                          // something was added by hand
};

typedef struct pl_json_document {
  pl_arena arena;    // holds the tree, and this struct
  const char *name;  // of the file, for messages
  pl_json *root;
} pl_json_document;

// --- reading
// ----------------------------------------------------------------------------------------------------

// Parse `size` bytes of strict JSON (RFC 8259; a byte order mark is passed over). All problems from
// which the parser can find its way go to `findings` (may be NULL) as errors with line and column,
// at most 100; the first is also put into `error`.
//
// PL_OK: no problem. PL_REMARK_FINDINGS (only where findings are given): there were problems whose
// repair is beyond doubt, such as a trailing comma, a comment or a duplicate key (the first one
// counts); the tree is there, so that the caller can look for mistakes of its own before it gives
// up. PL_ERROR_INVALID_DATA: anything else that is wrong; no tree.
pl_status pl_json_parse(pl_context *context, const char *text, size_t size, const char *name,
                        pl_findings *findings, pl_json_document **document, pl_error *error);

// NULL is allowed.
void pl_json_document_destroy(pl_json_document *document);

// "null", "true or false", "a number", "a string", "an array", "an object".
const char *pl_json_kind_name(pl_json_kind kind);

// Member `key` of an object; NULL if there is none, or if `object` is NULL or no object.
const pl_json *pl_json_find(const pl_json *object, const char *key);

// Item `index` of an array; NULL if out of range, or if `array` is NULL or no array.
const pl_json *pl_json_at(const pl_json *array, int64_t index);

// Typed getters: false, with `result` untouched, when `value` is NULL or of another kind. An
// integer is a number without fraction of at most 2^53 in size, however it is written (1e3 is one).
bool pl_json_get_bool(const pl_json *value, bool *result);
bool pl_json_get_number(const pl_json *value, double *result);
bool pl_json_get_integer(const pl_json *value, int64_t *result);
bool pl_json_get_text(const pl_json *value, const char **result);

// True when the string `value` is exactly `text`.
bool pl_json_is_text(const pl_json *value, const char *text);

// The path of a value from its root, such as `bodies[2].solid.stiffness`; keys that are no plain
// words as `["two words"]`; "" for the root. Always terminated, cut where the buffer ends. Returns
// the length that the whole path needs.
size_t pl_json_path(const pl_json *value, char *buffer, size_t size);

// Fill in `error` with the place and the path of `value` and return `status`.
pl_status pl_json_fail(const pl_json_document *document, const pl_json *value, pl_error *error,
                       pl_status status, const char *format, ...) PL_PRINTF(5, 6);

// Add a finding of severity, kind, why and fix as in `about`, at the place of `value` (of its key
// if `at_key`) and with its path. Does nothing when findings is NULL.
pl_status pl_json_add_finding(const pl_json_document *document, const pl_json *value, bool at_key,
                              pl_findings *findings, const pl_finding *about, const char *format,
                              ...) PL_PRINTF(6, 7);

// --- building
// ---------------------------------------------------------------------------------------------------
// All return NULL when out of memory and accept NULL for values, so that a tree can be built
// without looking; at the end `arena->failed` tells.

pl_json *pl_json_new(pl_arena *arena, pl_json_kind kind);
pl_json *pl_json_new_bool(pl_arena *arena, bool boolean);
pl_json *pl_json_new_number(pl_arena *arena, double number);
pl_json *pl_json_new_text(pl_arena *arena, const char *text);

// Append `item` to an array and return it.
pl_json *pl_json_add(pl_json *array, pl_json *item);

// Set member `key`: appended, or in the place of the one that is there. Returns `value`.
pl_json *pl_json_set(pl_arena *arena, pl_json *object, const char *key, pl_json *value);

// Short cuts: set a member of the given kind.
pl_json *pl_json_set_number(pl_arena *arena, pl_json *object, const char *key, double number);
pl_json *pl_json_set_text(pl_arena *arena, pl_json *object, const char *key, const char *text);
pl_json *pl_json_set_bool(pl_arena *arena, pl_json *object, const char *key, bool boolean);
pl_json *pl_json_set_numbers(pl_arena *arena, pl_json *object, const char *key,
                             const double *numbers, int32_t count);

// --- writing
// ----------------------------------------------------------------------------------------------------

// How the text looks.
typedef enum pl_json_style {
  PL_JSON_PRETTY,   // two blanks a level; containers without containers in them stay on one line
                    // where they fit
  PL_JSON_COMPACT,  // no blanks at all
} pl_json_style;

// Append `value` as text to `text`, a vector of char: members in their order, numbers as short as
// they read back exactly. No terminator is added; pretty text ends with a newline. Numbers that are
// not finite are refused with PL_ERROR_INVALID_ARGUMENT and their path.
pl_status pl_json_write(const pl_json *value, pl_json_style style, pl_vector *text,
                        pl_error *error);

// --- words
// ------------------------------------------------------------------------------------------------------

// The candidate most like `word`, for "did you mean …?": fewest letters inserted, removed, replaced
// or swapped, case aside; the first among equals. NULL when none is near enough to be meant.
const char *pl_text_suggest(const char *word, const char *const *candidates,
                            int32_t candidate_count);

#endif
