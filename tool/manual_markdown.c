// The tables of docs/tool.md.
#include <string.h>

#include "tool_help.h"
#include "tool_manual.h"
#include "tool_verbs.h"

// Text of a cell: bars are escaped, --options become code.
static void print_cell_text(FILE *out, const char *text) {
  bool quoted = false;
  for (const char *at = text; *at != '\0'; ++at) {
    bool starts = at == text || at[-1] == ' ' || at[-1] == '(';
    if (*at == '`') quoted = !quoted;
    if (!quoted && starts && strncmp(at, "--", 2) == 0) {
      size_t length = strcspn(at, " ,;:.)");
      fprintf(out, "`%.*s`", (int)length, at);
      at += length - 1;
    } else if (*at == '|') {
      fputs("\\|", out);
    } else {
      fputc(*at, out);
    }
  }
}

static void print_code(FILE *out, const char *text) {
  fputc('`', out);
  for (const char *at = text; *at != '\0'; ++at) {
    if (*at == '|') fputc('\\', out);
    fputc(*at, out);
  }
  fputc('`', out);
}

void manual_print_option_table(FILE *out, const tool_verb *verb) {
  fputs("| option | meaning | default |\n| --- | --- | --- |\n", out);
  for (int i = 0; i < verb->option_count; ++i) {
    const tool_option *option = &verb->options[i];
    char usage[64], number[96];
    tool_option_usage(option, usage, sizeof usage);
    fputs("| ", out);
    if (option->letter != 0) fprintf(out, "`-%c`, ", option->letter);
    print_code(out, usage);
    fputs(" | ", out);
    print_cell_text(out, option->about);
    if (option->repeats) fputs("; may be repeated", out);
    if (option->more != NULL) {
      fputs(". ", out);
      print_cell_text(out, option->more);
    }
    fputs(" | ", out);
    const char *usual = tool_option_default(option, number, sizeof number);
    if (option->required)
      fputs("required", out);
    else if (usual != NULL && usual == option->default_note)
      print_cell_text(out, usual);
    else if (usual != NULL)
      print_code(out, usual);
    fputs(" |\n", out);
  }
}

void manual_print_verb_table(FILE *out) {
  fputs("| verb | job |\n| --- | --- |\n", out);
  const tool_verb *verb;
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) {
    fprintf(out, "| [`%s %s`](#%s) | ", verb->name, verb->words, verb->name);
    print_cell_text(out, verb->summary);
    fputs(" |\n", out);
  }
  fputs("| `help [VERB]` | print the list of verbs, or the help of a verb; the same as `VERB --help` |\n", out);
}

void manual_print_exit_table(FILE *out) {
  fputs("| exit status | meaning |\n| --- | --- |\n", out);
  for (const tool_help_entry *entry = tool_exit_codes; entry->name != NULL; ++entry)
    fprintf(out, "| %s | %s |\n", entry->name, entry->about);
}
