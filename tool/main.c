// The program `pliant`: finds the verb, parses its words, runs it.
#include <stdio.h>
#include <string.h>

#include "tool_arguments.h"
#include "tool_ranks.h"
#include "tool_version.h"

static const tool_verb *const VERBS[] = {&tool_demo_verb,  &tool_run_verb,     &tool_view_verb,  &tool_bake_verb,
                                         &tool_check_verb, &tool_mesh_verb,    &tool_pose_verb,  &tool_detail_verb,
                                         &tool_info_verb,  &tool_convert_verb, &tool_sense_verb, &tool_track_verb,
                                         &tool_fit_verb,   &tool_capture_verb, &tool_bench_verb};
enum { VERB_COUNT = sizeof VERBS / sizeof VERBS[0] };

static void print_overview(FILE *out) {
  fprintf(out, "pliant: deformable bodies by example\n\nusage: pliant VERB [words] [options]\n\n");
  for (int i = 0; i < VERB_COUNT; ++i) {
    char left[80];
    snprintf(left, sizeof left, "%s %s", VERBS[i]->name, VERBS[i]->words);
    fprintf(out, "  %-26s %s\n", left, VERBS[i]->summary);
  }
  fprintf(out, "  %-26s %s\n\n", "help [VERB]", "this text, or all about a verb; the same as VERB --help");
  fprintf(out, "pliant --version prints version, commit, compiler and what is built in.\n");
  fprintf(out, "Data goes to standard output, everything else to standard error.\n");
  fprintf(out, "Exit status: 0 done, 1 failed, 2 wrong use, 3 done with remarks.\n\n");
  fprintf(out, "Begin with: pliant demo --list\n");
}

static const tool_verb *find_verb(const char *name) {
  for (int i = 0; i < VERB_COUNT; ++i)
    if (strcmp(VERBS[i]->name, name) == 0) return VERBS[i];
  return NULL;
}

static const char *verb_name(const void *user, int index) {
  (void)user;
  if (index == VERB_COUNT) return "help";
  return index < VERB_COUNT ? VERBS[index]->name : NULL;
}

static int report_unknown_verb(const tool_session *tool, const char *name) {
  const char *meant = tool_suggest(name + strspn(name, "-"), verb_name, NULL);
  const char *kind = name[0] == '-' ? "option" : "verb";
  if (meant != NULL)
    tool_print_error(&tool->console, "there is no %s '%s' (did you mean %s?)", kind, name, meant);
  else
    tool_print_error(&tool->console, "there is no %s '%s'; 'pliant help' lists the verbs", kind, name);
  return TOOL_USAGE;
}

static int help(const tool_session *tool, int count, char **words) {
  if (count == 0) {
    print_overview(stdout);
    return TOOL_DONE;
  }
  const tool_verb *verb = find_verb(words[0]);
  if (verb == NULL && strcmp(words[0], "help") == 0) {
    print_overview(stdout);
    return TOOL_DONE;
  }
  if (verb == NULL) return report_unknown_verb(tool, words[0]);
  tool_print_help(verb);
  return TOOL_DONE;
}

// Data that did not reach its reader is a failure, even if all else went well.
static int finish(const tool_session *tool, int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  tool_print_error(&tool->console, "standard output cannot be written");
  return TOOL_FAILED;
}

static int run_verb(const tool_session *tool, const tool_verb *verb, int count, char **words) {
  tool_arguments arguments = {.verb = verb};
  bool good = tool_arguments_parse(tool, verb, count, words, &arguments);
  if (arguments.help) {
    tool_print_help(verb);
    return TOOL_DONE;
  }
  if (!good || !tool_arguments_check_words(tool, &arguments)) {
    tool_print(&tool->console, "usage: pliant %s %s [options]; 'pliant help %s' says more", verb->name, verb->words, verb->name);
    return TOOL_USAGE;
  }
  // Where several programs work together, they do so in some verbs; the others are for the first one alone.
  return tool_rank() == 0 || verb->shared ? verb->run(tool, &arguments) : TOOL_DONE;
}

int main(int argument_count, char **arguments) {
  tool_ranks_begin(&argument_count, &arguments);
  tool_session tool = {.program = argument_count > 0 ? arguments[0] : "pliant", .console = tool_console_detect()};
  const char *first = argument_count > 1 ? arguments[1] : "";
  int code = TOOL_USAGE;
  if (argument_count < 2) {
    print_overview(stderr);
  } else if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
    tool_print_version(stdout);
    code = TOOL_DONE;
  } else if (strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
    code = help(&tool, argument_count - 2, arguments + 2);
  } else {
    const tool_verb *verb = find_verb(first);
    code = verb != NULL ? run_verb(&tool, verb, argument_count - 2, arguments + 2) : report_unknown_verb(&tool, first);
  }
  code = finish(&tool, code);
  tool_ranks_end();
  return code;
}
