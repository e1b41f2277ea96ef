// Help on standard output, and the texts that help, manual page and docs/tool.md share.
#ifndef TOOL_HELP_H
#define TOOL_HELP_H

#include <stdio.h>

#include "tool_arguments.h"

// One line of a list: a name and what it means.
typedef struct tool_help_entry {
  const char *name, *about;
} tool_help_entry;

// Exit codes and environment variables; each list ends with an entry without a name.
extern const tool_help_entry tool_exit_codes[], tool_environment[];

// The list of verbs.
void tool_print_overview(FILE *out);

// All about a verb.
void tool_print_help(const tool_verb *verb);

// The options that every verb has; the list ends with one without a name.
extern const tool_option tool_common_options[];

// Option number `index` of a verb, after its own those of every verb; NULL after the last.
const tool_option *tool_verb_option(const tool_verb *verb, int index);

// "--output DIR", "--picture[=FILE]", "--list".
void tool_option_usage(const tool_option *option, char *buffer, size_t size);

// The default of an option as text, NULL if it has none. `buffer` may be used for it.
const char *tool_option_default(const tool_option *option, char *buffer, size_t size);

#endif
