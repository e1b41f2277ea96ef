// The command line: a table of options per verb, and what was given of them.
#ifndef TOOL_ARGUMENTS_H
#define TOOL_ARGUMENTS_H

#include "tool_print.h"

typedef enum tool_option_kind {
  TOOL_FLAG = 1,       // --json
  TOOL_TEXT,           // --output DIR, --output=DIR, -o DIR, -oDIR
  TOOL_COUNT,          // a whole number
  TOOL_NUMBER,         // a number
  TOOL_OPTIONAL_TEXT,  // --picture, --picture=FILE, and --picture FILE where `takes` says that the next word is meant
} tool_option_kind;

typedef struct tool_option {
  const char *name;  // without the two dashes
  char letter;       // of the short form, or 0
  tool_option_kind kind;
  const char *value;            // what the help calls the value
  const char *about;            // one line
  double min, max;              // of numbers
  bool repeats;                 // may be given several times; one such option per verb
  bool (*takes)(const char *);  // of optional values
} tool_option;

// What was given for one option.
typedef struct tool_value {
  bool given;
  const char *text;  // NULL when given without a value
  double number;
  int64_t count;
} tool_value;

enum { TOOL_MAX_OPTIONS = 24, TOOL_MAX_WORDS = 34, TOOL_MAX_REPEATS = 64 };

typedef struct tool_session tool_session;
typedef struct tool_arguments tool_arguments;

typedef struct tool_verb {
  const char *name;
  const char *words;    // the positional words, as the help shows them
  const char *summary;  // one line
  const char *details;  // paragraphs behind the options, or NULL
  int min_words, max_words;
  const tool_option *options;
  int option_count;
  bool shared;                                                            // several programs may work on it together (tool_ranks.h)
  int (*run)(const tool_session *tool, const tool_arguments *arguments);  // returns an exit code
} tool_verb;

struct tool_arguments {
  const tool_verb *verb;
  int word_count;
  const char *words[TOOL_MAX_WORDS];
  tool_value values[TOOL_MAX_OPTIONS];     // in the order of verb->options
  const char *repeated[TOOL_MAX_REPEATS];  // what was given for the option that repeats
  int repeated_count;
  bool help;
};

// What every verb may need.
struct tool_session {
  const char *program;  // as it was called
  tool_console console;
};

extern const tool_verb tool_demo_verb, tool_run_verb, tool_view_verb, tool_bake_verb, tool_check_verb, tool_mesh_verb,
    tool_pose_verb, tool_detail_verb, tool_info_verb, tool_convert_verb, tool_sense_verb, tool_track_verb, tool_fit_verb,
    tool_capture_verb, tool_bench_verb;

// Parse the words behind the verb into `arguments`, on top of what is there. Every mistake is printed. False if there was one.
bool tool_arguments_parse(const tool_session *tool, const tool_verb *verb, int count, char *const *words,
                          tool_arguments *arguments);

// Check the number of positional words; prints what is missing or too much.
bool tool_arguments_check_words(const tool_session *tool, const tool_arguments *arguments);

// The value of option `name`, which the verb must have.
const tool_value *tool_find_value(const tool_arguments *arguments, const char *name);
// The number that was given for an option, or another one.
double tool_number_or(const tool_arguments *arguments, const char *name, double fallback);

// "WxH" as two numbers from 16 to 16384; prints what is wrong.
bool tool_parse_size(const tool_session *tool, const char *text, int32_t *width, int32_t *height);

// The candidate most like `word`, or NULL if none is near. `candidate` returns number `index`, NULL behind the last.
typedef const char *tool_candidate(const void *user, int index);
const char *tool_suggest(const char *word, tool_candidate *candidate, const void *user);

// Help of a verb on standard output.
void tool_print_help(const tool_verb *verb);

#endif
