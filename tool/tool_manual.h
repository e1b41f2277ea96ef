// Manual page, shell completions and tables of docs/tool.md, printed from the option tables of all
// verbs.
#ifndef TOOL_MANUAL_H
#define TOOL_MANUAL_H

#include <stdio.h>

#include "tool_arguments.h"

// The manual page as roff (manual_page.c).
void manual_print_page(FILE *out);

// Completions of a shell (manual_completion.c).
void manual_print_bash(FILE *out);
void manual_print_zsh(FILE *out);
void manual_print_fish(FILE *out);

// Tables in Markdown: the verbs with links to their sections, the options of one verb, the exit
// codes (manual_markdown.c).
void manual_print_verb_table(FILE *out);
void manual_print_option_table(FILE *out, const tool_verb *verb);
void manual_print_exit_table(FILE *out);

#endif
