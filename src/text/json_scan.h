// The words of JSON: blanks, strings, numbers and names, each read with its place, and the list of
// what is wrong with them.
#ifndef PL_IO_JSON_SCAN_H
#define PL_IO_JSON_SCAN_H

#include "text/json.h"

typedef struct pl_json_scan {
  const char *text;
  int32_t size, at;
  int32_t line, line_start;  // of the byte `at`; offset of the line's first byte
  const char *name;
  pl_arena *arena;
  pl_vector letters;  // the string being decoded
  pl_findings *findings;
  pl_error *error;
  int32_t problem_count;
  bool lost;  // some problem left it open what the text means
  bool out_of_memory;
} pl_json_scan;

// The byte at hand, or -1 at the end.
int pl_json_peek(const pl_json_scan *scan);

pl_json_position pl_json_here(const pl_json_scan *scan);

// How sure the repair of a problem is.
typedef enum pl_json_damage { PL_JSON_REPAIRED, PL_JSON_LOST } pl_json_damage;

// Note a problem at `place`.
void pl_json_problem(pl_json_scan *scan, pl_json_position position, pl_json_damage damage,
                     const char *format, ...) PL_PRINTF(4, 5);

// Pass over blanks, and over comments with a problem noted.
void pl_json_skip_blanks(pl_json_scan *scan);

// Letters, digits, signs and what is not ASCII.
bool pl_json_is_word_byte(int c);

// Pass over one character, or over one word or run of digits and signs.
void pl_json_skip_word(pl_json_scan *scan);

// Read the string whose quote is at hand (a single one is a problem, but read all the same) into
// the arena. NULL when out of memory.
const char *pl_json_scan_string(pl_json_scan *scan, int32_t *length);

// Read a scalar that is not a string (number, true, false, null) into `value`. Whatever is there,
// at least one byte is passed over.
void pl_json_scan_scalar(pl_json_scan *scan, pl_json *value);

#endif
