// The manual page. Verbs, options, exit codes and environment come from the tables; the texts that belong to no verb
// are here.
#include <ctype.h>
#include <string.h>

#include "tool_help.h"
#include "tool_manual.h"
#include "tool_verbs.h"

static const char DESCRIPTION[] =
    "Simulates soft bodies described by a scene file, and writes their motion as frames, pictures and videos. Results "
    "go to files "
    "and standard output; messages and progress go to standard error. Units are metres, kilograms and seconds; +Y is "
    "up.\n"
    "Options may be written --frames 30 or --frames=30, before or after the words. An option with an optional value is "
    "written "
    "with an equals sign, such as --picture=FILE.";

static const char SIGNALS[] =
    "Ctrl-C during run finishes the current frame, writes a checkpoint and prints the command that resumes it; a "
    "second Ctrl-C "
    "stops immediately. A resumed run writes the same files as an uninterrupted one.\n"
    "An interrupted track, fit or capture is resumed by the same command with --resume.";

static const char *const EXAMPLES[] = {
    "pliant demo --list",
    "pliant run scene.json -o out --format pc2,glb --picture",
    "pliant bake hero.vrm -o hero-walk.glb --animation walk --loop",
    "pliant check scene.json",
    "pliant mesh bunny.obj -o bunny.vtu --points 2000",
    "pliant capture plant.vtu plant/capture.json -o out/plant --hold pot.csv --controls 3",
};

static void print_character(FILE *out, char c) {
  if (c == '-')
    fputs("\\-", out);
  else if (c == '\\')
    fputs("\\e", out);
  else
    fputc(c, out);
}

// `length` characters of text, or all of it. A line must not begin with a dot or a quote: roff would read a request.
static void print_text(FILE *out, const char *text, size_t length) {
  if (text[0] == '.' || text[0] == '\'') fputs("\\&", out);
  bool quoted = false;
  for (size_t i = 0; i < length && text[i] != '\0'; ++i) {
    bool starts = i == 0 || text[i - 1] == ' ' || text[i - 1] == '(';
    if (text[i] == '`') {
      quoted = !quoted;
      fputs(quoted ? "\\fB" : "\\fR", out);
    } else if (!quoted && starts && strncmp(text + i, "--", 2) == 0) {
      fputs("\\fB", out);
      for (; i < length && (text[i] == '-' || isalnum((unsigned char)text[i])); ++i) print_character(out, text[i]);
      fputs("\\fR", out);
      --i;
    } else {
      print_character(out, text[i]);
    }
  }
}

// Paragraphs, one per line of the text.
static void print_paragraphs(FILE *out, const char *text) {
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    fputs(".PP\n", out);
    print_text(out, text, length);
    fputc('\n', out);
    text += length + (text[length] == '\n');
  }
}

static void print_sentence(FILE *out, const char *text) {
  fputc(toupper((unsigned char)text[0]), out);
  print_text(out, text + 1, SIZE_MAX);
  fputs(".\n", out);
}

static void print_option(FILE *out, const tool_option *option) {
  char number[96];
  fputs(".TP\n", out);
  if (option->letter != 0) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
  fputs("\\fB", out);
  print_text(out, "-", 1);
  print_text(out, "-", 1);
  for (const char *at = option->name; *at != '\0'; ++at) print_character(out, *at);
  fputs("\\fR", out);
  if (option->value != NULL) {
    fputs(option->kind == TOOL_OPTIONAL_TEXT ? "[=\\fI" : " \\fI", out);
    for (const char *at = option->value; *at != '\0'; ++at) print_character(out, *at);
    fputs(option->kind == TOOL_OPTIONAL_TEXT ? "\\fR]" : "\\fR", out);
  }
  fputc('\n', out);
  fputc(toupper((unsigned char)option->about[0]), out);
  print_text(out, option->about + 1, SIZE_MAX);
  const char *usual = tool_option_default(option, number, sizeof number);
  if (option->repeats) fputs("; may be repeated", out);
  if (option->required) fputs(" (required)", out);
  if (usual != NULL) {
    fputs(" (default ", out);
    print_text(out, usual, SIZE_MAX);
    fputc(')', out);
  }
  fputs(".\n", out);
  if (option->more == NULL) return;
  print_text(out, option->more, SIZE_MAX);
  fputc('\n', out);
}

static void print_verb(FILE *out, const tool_verb *verb) {
  fprintf(out, ".SS pliant %s %s\n", verb->name, verb->words);
  print_sentence(out, verb->summary);
  for (int i = 0; i < verb->action_count; ++i) {
    fputs(".TP\n\\fB", out);
    for (const char *at = verb->actions[i].name; *at != '\0'; ++at) print_character(out, *at);
    fprintf(out, "\\fR \\fI%s\\fR\n", verb->actions[i].words);
    print_sentence(out, verb->actions[i].about);
  }
  if (verb->details != NULL) print_paragraphs(out, verb->details);
  for (int i = 0; i < verb->option_count; ++i) print_option(out, &verb->options[i]);
}

static void print_entries(FILE *out, const char *title, const tool_help_entry *entries) {
  fprintf(out, ".SH %s\n", title);
  for (; entries->name != NULL; ++entries) {
    fprintf(out, ".TP\n.B %s\n", entries->name);
    print_text(out, entries->about, SIZE_MAX);
    fputc('\n', out);
  }
}

void manual_print_page(FILE *out) {
  fprintf(out, ".\\\" Printed by `pliant manual man` from the option tables of the tool.\n");
  fprintf(out, ".TH PLIANT 1 \"\" \"Pliant %s\" \"User Commands\"\n", pl_version());
  fputs(
      ".SH NAME\npliant \\- deformable bodies by example\n.SH SYNOPSIS\n.B pliant\n.I verb\n[\\fIwords\\fR] "
      "[\\fIoptions\\fR]\n",
      out);
  fputs(".SH DESCRIPTION\n", out);
  print_paragraphs(out, DESCRIPTION);
  fputs(".SH VERBS\n", out);
  const tool_verb *verb;
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) print_verb(out, verb);
  fputs(
      ".SS pliant help [VERB]\nPrint the list of verbs, or the help of a verb. The same as \\fIverb\\fR "
      "\\fB\\-\\-help\\fR.\n",
      out);
  fputs(".SH OPTIONS OF EVERY VERB\n", out);
  for (const tool_option *option = tool_common_options; option->name != NULL; ++option) print_option(out, option);
  fputs(".PP\n\\fBpliant \\-\\-version\\fR prints the version.\n", out);
  print_entries(out, "EXIT STATUS", tool_exit_codes);
  fputs(".SH SIGNALS\n", out);
  print_paragraphs(out, SIGNALS);
  print_entries(out, "ENVIRONMENT", tool_environment);
  fputs(".SH EXAMPLES\n.nf\n", out);
  for (size_t i = 0; i < sizeof EXAMPLES / sizeof EXAMPLES[0]; ++i) {
    for (const char *at = EXAMPLES[i]; *at != '\0'; ++at) print_character(out, *at);
    fputc('\n', out);
  }
  fputs(".fi\n.SH SEE ALSO\n.BR ffmpeg (1)\n", out);
}
