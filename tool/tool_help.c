// Help of the tool and of its verbs, from the tables.
#include "tool_help.h"

#include <string.h>

#include "tool_verbs.h"

enum { LINE_WIDTH = 110, OPTION_COLUMN = 31 };

const tool_help_entry tool_exit_codes[] = {
    {"0", "success"},
    {"1", "failure: a file, a simulation or a fit failed, or the run was interrupted"},
    {"2", "wrong usage: a verb, option or value that does not exist, or one that is missing"},
    {"3", "success with warnings; each is printed on standard error"},
    {NULL, NULL},
};

const tool_help_entry tool_environment[] = {
    {"PLIANT_SCENES", "folder of the gallery (default: the folder scenes next to the installed or built program)"},
    {"NO_COLOR", "if set and not empty, no colour is used, even on a terminal"},
    {"PLIANT_PROGRESS",
     "if `lines`, progress is a new line up to ten times a second, for programs that show their own"},
    {NULL, NULL},
};

const tool_option tool_common_options[] = {
    {"quiet", .letter = 'q', .kind = TOOL_FLAG,
     .about = "print results, warnings and errors only: no progress, no notes, no summary"},
    {"strict", .kind = TOOL_FLAG, .about = "fail (exit status 1) where there are warnings"},
    {"help", .letter = 'h', .kind = TOOL_FLAG, .about = "print this text"},
    {NULL, .kind = TOOL_FLAG},
};

const tool_option *tool_verb_option(const tool_verb *verb, int index) {
  if (index < verb->option_count) return &verb->options[index];
  const tool_option *option = &tool_common_options[0];
  for (int i = verb->option_count; i < index && option->name != NULL; ++i) ++option;
  return option->name != NULL ? option : NULL;
}

void tool_option_usage(const tool_option *option, char *buffer, size_t size) {
  const char *value = option->value != NULL ? option->value : "";
  if (option->kind == TOOL_OPTIONAL_TEXT)
    snprintf(buffer, size, "--%s[=%s]", option->name, value);
  else
    snprintf(buffer, size, "--%s%s%s", option->name, *value != '\0' ? " " : "", value);
}

const char *tool_option_default(const tool_option *option, char *buffer, size_t size) {
  if (option->default_text != NULL) return option->default_text;
  if (option->default_note != NULL) return option->default_note;
  if (option->default_number != NULL) {
    snprintf(buffer, size, "%.9g", option->default_number());
    return buffer;
  }
  if (option->default_vector == NULL) return NULL;
  pl_vec3 v = option->default_vector();
  snprintf(buffer, size, "%.9g,%.9g,%.9g", v.x, v.y, v.z);
  return buffer;
}

// Print words of `text`, from column `*column` on, wrapped to lines that begin at column `indent`. Backquotes are left
// out.
static void print_wrapped(FILE *out, const char *text, int indent, int *column) {
  while (*text != '\0') {
    size_t length = strcspn(text, " "), shown = 0;
    for (size_t i = 0; i < length; ++i) shown += text[i] != '`';
    if (*column > indent && *column + 1 + (int)shown > LINE_WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      *column = indent;
    } else if (*column > indent) {
      fputc(' ', out);
      ++*column;
    }
    for (size_t i = 0; i < length; ++i)
      if (text[i] != '`') fputc(text[i], out);
    *column += (int)shown;
    text += length;
    text += strspn(text, " ");
  }
}

// A line `left   about`, with the left part in a column of its own.
static void print_entry(FILE *out, const char *left, int width, const char *about) {
  fprintf(out, "  %-*s ", width, left);
  int indent = 2 + width + 1, column = indent;
  if ((int)strlen(left) > width) {
    fprintf(out, "\n%*s", indent, "");
  }
  print_wrapped(out, about, indent, &column);
  fputc('\n', out);
}

static void print_option(const tool_option *option) {
  char usage[64], left[72], letter[8] = "    ", number[96], about[512];
  if (option->letter != 0) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  tool_option_usage(option, usage, sizeof usage);
  snprintf(left, sizeof left, "%s%s", letter, usage);
  const char *usual = tool_option_default(option, number, sizeof number);
  snprintf(about, sizeof about, "%s%s%s%s%s%s", option->about, option->repeats ? "; may be repeated" : "",
           option->required ? " (required)" : "", usual != NULL ? " (default " : "", usual != NULL ? usual : "",
           usual != NULL ? ")" : "");
  print_entry(stdout, left, OPTION_COLUMN - 1, about);
}

static void print_paragraphs(const char *text) {
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    char line[2048];
    int column = 0;
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    print_wrapped(stdout, line, 0, &column);
    putchar('\n');
    text += length + (text[length] == '\n');
  }
}

void tool_print_help(const tool_verb *verb) {
  printf("usage: pliant %s%s%s [options]\n\n", verb->name, verb->words[0] != '\0' ? " " : "", verb->words);
  print_paragraphs(verb->summary);
  if (verb->action_count > 0) putchar('\n');
  for (int i = 0; i < verb->action_count; ++i) {
    char left[80];
    snprintf(left, sizeof left, "%s %s", verb->actions[i].name, verb->actions[i].words);
    print_entry(stdout, left, OPTION_COLUMN - 1, verb->actions[i].about);
  }
  printf("\noptions:\n");
  const tool_option *option;
  for (int i = 0; (option = tool_verb_option(verb, i)) != NULL; ++i) print_option(option);
  if (verb->details != NULL) {
    putchar('\n');
    print_paragraphs(verb->details);
  }
}

void tool_print_overview(FILE *out) {
  fprintf(out, "pliant: deformable bodies by example\n\nusage: pliant VERB [words] [options]\n\n");
  const tool_verb *verb;
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) {
    char left[80];
    snprintf(left, sizeof left, "%s %s", verb->name, verb->words);
    print_entry(out, left, 30, verb->summary);
  }
  print_entry(out, "help [VERB]", 30, "print this text, or the help of a verb; the same as VERB --help");
  fprintf(out, "\nResults go to standard output and files; messages and progress go to standard error.\n");
  fprintf(out, "pliant --version prints the version.\n\nexit status:\n");
  for (const tool_help_entry *entry = tool_exit_codes; entry->name != NULL; ++entry)
    fprintf(out, "  %s  %s\n", entry->name, entry->about);
  fprintf(out, "\nTo start: pliant demo --list\n");
}
