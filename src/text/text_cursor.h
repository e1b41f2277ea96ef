// Words and numbers of a text file, one after the other. Blanks are spaces, tabs, vertical tabs and
// form feeds; a line ends with LF, CR LF or CR.
#ifndef PL_IO_TEXT_CURSOR_H
#define PL_IO_TEXT_CURSOR_H

#include "pliant/math.h"
#include "text/text_source.h"

typedef struct pl_text_cursor {
  const pl_mesh_source *source;
  const char *at, *end;
  char comment;       // from this character to the end of the line nothing counts; 0 for none
  bool continuation;  // a backslash at the end of a line joins the next one (OBJ)
} pl_text_cursor;

// Part of the text; not terminated.
typedef struct pl_word {
  const char *text;
  size_t length;
} pl_word;

#define PL_SHOWN_SIZE 44

// A cursor at `offset`; at the start of the file a byte-order mark is passed over.
pl_text_cursor pl_text_cursor_at(const pl_mesh_source *source, size_t offset, char comment);

// Where the cursor stands, and where a word does.
size_t pl_text_offset(const pl_text_cursor *cursor);
size_t pl_word_offset(const pl_text_cursor *cursor, pl_word word);

// Next word on this line, or anywhere; false if there is none.
bool pl_text_take_word_in_line(pl_text_cursor *cursor, pl_word *word);
bool pl_text_take_word(pl_text_cursor *cursor, pl_word *word);

// Pass blanks and comments, line ends too with the second. The first tells whether something is
// left on the line.
bool pl_text_skip_blanks(pl_text_cursor *cursor);
bool pl_text_skip_space(pl_text_cursor *cursor);

// Go to the next line; false at the end of the file.
bool pl_text_next_line(pl_text_cursor *cursor);

// The rest of this line as it stands, without its end, and go to the next.
pl_word pl_text_take_line(pl_text_cursor *cursor);

// Compare with a terminated word: exactly, or in any case.
bool pl_word_is(pl_word word, const char *text);
bool pl_word_is_any_case(pl_word word, const char *text);

// The word for messages: cut to 40 characters, odd ones replaced.
const char *pl_word_show(pl_word word, char shown[PL_SHOWN_SIZE]);

// The whole word as a number; false if it is none.
bool pl_word_number(pl_word word, double *value);
bool pl_word_integer(pl_word word, int64_t *value);

// Next word anywhere as a number. `what` names what should stand there, for the message.
pl_status pl_text_take_number(pl_text_cursor *cursor, const char *what, double *value);
pl_status pl_text_take_integer(pl_text_cursor *cursor, const char *what, int64_t *value);

// Next three words as a point; `offset` receives its place.

pl_status pl_text_take_point(pl_text_cursor *cursor, pl_vec3 *point, size_t *offset);

#endif
