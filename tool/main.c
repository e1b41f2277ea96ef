// The program `pliant`: finds the verb, parses its command line, runs it.
#include <stdio.h>
#include <string.h>

#include "tool_help.h"
#include "tool_ranks.h"
#include "tool_verbs.h"
#include "tool_version.h"

static int help(const tool_session *tool, int count, char **words) {
  if (count == 0) {
    tool_print_overview(stdout);
    return TOOL_DONE;
  }
  const tool_verb *verb = tool_verb_find(words[0]);
  if (verb == NULL && strcmp(words[0], "help") == 0) {
    tool_print_overview(stdout);
    return TOOL_DONE;
  }
  if (verb == NULL) {
    tool_verb_report_unknown(tool, words[0]);
    return TOOL_USAGE;
  }
  tool_print_help(verb);
  return TOOL_DONE;
}

// Results that could not be written to standard output are a failure, even if the rest succeeded.
static int finish(const tool_session *tool, int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  tool_print_error(&tool->console, "standard output cannot be written");
  return TOOL_FAILED;
}

static int run_verb(tool_session *tool, const tool_verb *verb, int count, char **words) {
  tool_arguments arguments = {.verb = verb};
  bool good = tool_arguments_parse(tool, verb, count, words, &arguments);
  if (arguments.help) {
    tool_print_help(verb);
    return TOOL_DONE;
  }
  if (!good || !tool_arguments_check(tool, &arguments)) {
    tool_print(&tool->console, "usage: pliant %s %s [options]; 'pliant help %s' explains them", verb->name, verb->words,
               verb->name);
    return TOOL_USAGE;
  }
  tool->console.quiet = arguments.quiet;
  // With MPI, processes share the work of some verbs; the first process alone runs the others.
  int code = tool_rank() == 0 || verb->shared ? verb->run(tool, &arguments) : TOOL_DONE;
  return arguments.strict && code == TOOL_REMARKS ? TOOL_FAILED : code;
}

int main(int argument_count, char **arguments) {
  tool_ranks_begin(&argument_count, &arguments);
  tool_session tool = {.program = argument_count > 0 ? arguments[0] : "pliant", .console = tool_console_detect()};
  const char *first = argument_count > 1 ? arguments[1] : "";
  int code = TOOL_USAGE;
  if (argument_count < 2) {
    tool_print_overview(stderr);
  } else if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
    tool_print_version(stdout);
    code = TOOL_DONE;
  } else if (strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
    code = help(&tool, argument_count - 2, arguments + 2);
  } else {
    const tool_verb *verb = tool_verb_find(first);
    if (verb != NULL)
      code = run_verb(&tool, verb, argument_count - 2, arguments + 2);
    else
      tool_verb_report_unknown(&tool, first);
  }
  code = finish(&tool, code);
  tool_ranks_end();
  return code;
}
