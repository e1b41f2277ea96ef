// pliant manual: the reference texts that are printed from the option tables.
#include <string.h>

#include "tool_manual.h"
#include "tool_options.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "FILE", .default_note = "standard output", .about = "file to write"},
};

static const tool_action ACTIONS[] = {
    {"man", "", "the manual page (roff)", 0, NULL},
    {"bash", "", "completions for bash", 0, NULL},
    {"zsh", "", "completions for zsh", 0, NULL},
    {"fish", "", "completions for fish", 0, NULL},
    {"verbs", "", "the table of verbs of docs/tool.md (Markdown)", 0, NULL},
    {"options", "VERB", "the table of options of a verb (Markdown)", 1, NULL},
    {"exit-status", "", "the table of exit codes (Markdown)", 0, NULL},
};
// clang-format on

static void print_format(const char *name, const tool_verb *verb, FILE *out) {
  static const struct {
    const char *name;
    void (*print)(FILE *out);
  } printers[] = {{"man", manual_print_page},         {"bash", manual_print_bash},
                  {"zsh", manual_print_zsh},          {"fish", manual_print_fish},
                  {"verbs", manual_print_verb_table}, {"exit-status", manual_print_exit_table}};
  if (verb != NULL) manual_print_option_table(out, verb);
  for (size_t i = 0; i < sizeof printers / sizeof printers[0]; ++i)
    if (strcmp(printers[i].name, name) == 0) printers[i].print(out);
}

static int write_format(const tool_session *tool, const char *name, const tool_verb *verb, const char *path) {
  FILE *file = fopen(path, "w");
  if (file != NULL) print_format(name, verb, file);
  bool good = file != NULL && !ferror(file);
  if (file != NULL && fclose(file) != 0) good = false;
  if (good) return TOOL_DONE;
  tool_print_error(&tool->console, "'%s' cannot be written; check the folder and its permissions", path);
  return TOOL_FAILED;
}

static int manual_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_action *action = tool_find_action(tool, arguments);
  if (action == NULL) return TOOL_USAGE;
  const char *path = tool_get_text(arguments, "output");
  const tool_verb *verb = NULL;
  if (action->word_count > 0 && (verb = tool_verb_find(arguments->words[1])) == NULL) {
    tool_verb_report_unknown(tool, arguments->words[1]);
    return TOOL_USAGE;
  }
  if (path != NULL) return write_format(tool, action->name, verb, path);
  print_format(action->name, verb, stdout);
  return TOOL_DONE;
}

const tool_verb tool_manual_verb = {
    .name = "manual",
    .words = "FORMAT [VERB]",
    .summary = "print the manual page, shell completions or reference tables",
    .min_words = 1,
    .max_words = 2,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .actions = ACTIONS,
    .action_count = sizeof ACTIONS / sizeof ACTIONS[0],
    .no_files = true,
    .run = manual_verb,
};
