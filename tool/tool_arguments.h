// The command line: a table of options per verb, and the values that were given. Help, manual page,
// shell completions and the tables of docs/tool.md are printed from the same tables (tool_help.h,
// tool_manual.h).
#ifndef TOOL_ARGUMENTS_H
#define TOOL_ARGUMENTS_H

#include "pliant/pliant.h"
#include "tool_print.h"

typedef enum tool_option_kind {
  TOOL_FLAG = 1,       // --json
  TOOL_TEXT,           // --output DIR, --output=DIR, -o DIR, -oDIR
  TOOL_COUNT,          // a whole number
  TOOL_NUMBER,         // a number
  TOOL_OPTIONAL_TEXT,  // --picture, --picture=FILE, and --picture FILE where `takes` accepts the
                       // next word
} tool_option_kind;

// One option. In `about` and `more`, `words` in backquotes and --options are literals.
//
// A default is stated once, by one of the four fields `default_*`: as text, written as it would be
// typed; as a number or vector that the library uses, read from its def when it is needed; or as a
// note, where it depends on the input.
typedef struct tool_option {
  const char *name;  // without the two dashes
  char letter;       // of the short form, or 0
  tool_option_kind kind;
  const char *value;    // name of the value in the help; where it contains FILE or DIR, shells
                        // complete files or folders
  const char *choices;  // the words it accepts, separated by spaces, or NULL
  const char *about;    // what it is, one line, without the default
  const char *more;     // further sentences for the manual page and docs/tool.md, or NULL
  const char *default_text;
  double (*default_number)(void);
  pl_vec3 (*default_vector)(void);
  const char *default_note;
  double min, max;              // of numbers
  bool required;                // the verb does not run without it
  bool repeats;                 // may be given several times; one such option per verb
  bool (*takes)(const char *);  // of optional values
} tool_option;

// The value of one option on the command line.
typedef struct tool_value {
  bool given;
  const char *text;  // NULL when given without a value
  double number;
  int64_t count;
} tool_value;

enum { TOOL_MAX_OPTIONS = 48, TOOL_MAX_WORDS = 34, TOOL_MAX_REPEATS = 64 };

typedef struct tool_session tool_session;
typedef struct tool_arguments tool_arguments;

// What the first word of a verb chooses, where the verb has several jobs.
typedef struct tool_action {
  const char *name;
  const char *words;  // the words after it, as the help shows them
  const char *about;  // one line
  int word_count;
  int (*run)(const tool_session *tool, const tool_arguments *arguments,
             pl_context *context);  // where the verb uses it
} tool_action;

typedef struct tool_verb {
  const char *name;
  const char *words;    // the positional words, as the help shows them
  const char *summary;  // one line
  const char *details;  // paragraphs, one per line, or NULL
  int min_words, max_words;
  const tool_option *options;
  int option_count;
  const tool_action *actions;
  int action_count;
  const char *names_from;  // verb whose --list names the values of the first word, or NULL
  bool no_files;           // positional words are never files
  bool shared;             // several processes may work on it together (tool_ranks.h)
  int (*run)(const tool_session *tool, const tool_arguments *arguments);  // returns an exit code
} tool_verb;

struct tool_arguments {
  const tool_verb *verb;
  int word_count;
  const char *words[TOOL_MAX_WORDS];
  tool_value values[TOOL_MAX_OPTIONS];     // in the order of verb->options
  const char *repeated[TOOL_MAX_REPEATS];  // values of the option that repeats
  int repeated_count;
  bool help, quiet, strict;  // options of every verb
};

// What every verb may need.
struct tool_session {
  const char *program;  // as it was called
  tool_console console;
};

// Parse the words after the verb into `arguments`, on top of what is there. Every mistake is
// printed. False if there was one.
bool tool_arguments_parse(const tool_session *tool, const tool_verb *verb, int count,
                          char *const *words, tool_arguments *arguments);

// Check the number of positional words and the required options; prints what is missing or surplus.
bool tool_arguments_check(const tool_session *tool, const tool_arguments *arguments);

// What was given for option `name`, without its default.
const tool_value *tool_find_value(const tool_arguments *arguments, const char *name);

// The action that the first word names, if the number of words after it fits; NULL otherwise, which
// is printed.
const tool_action *tool_find_action(const tool_session *tool, const tool_arguments *arguments);

// The value of option `name`: the one given, otherwise its default. NULL or 0 for an option without
// a default.
const char *tool_get_text(const tool_arguments *arguments, const char *name);
double tool_get_number(const tool_arguments *arguments, const char *name);
int64_t tool_get_count(const tool_arguments *arguments, const char *name);

// The number that was given for an option, or `fallback`.
double tool_number_or(const tool_arguments *arguments, const char *name, double fallback);

// "WxH" as two numbers from 16 to 16384; prints what is wrong.
bool tool_parse_size(const tool_session *tool, const char *text, int32_t *width, int32_t *height);

// The candidate most like `word`, or NULL if none is near. `candidate` returns number `index`, NULL
// after the last.
typedef const char *tool_candidate(const void *user, int index);
const char *tool_suggest(const char *word, tool_candidate *candidate, const void *user);

#endif
