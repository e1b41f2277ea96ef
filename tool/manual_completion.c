// Completions of bash, zsh and fish, for every verb from its option table.
#include <string.h>

#include "tool_help.h"
#include "tool_manual.h"
#include "tool_verbs.h"

// What a shell offers as the value of an option.
typedef enum value_source {
  VALUE_NONE,
  VALUE_FILES,
  VALUE_FOLDERS,
  VALUE_CHOICES,
  VALUE_CHOICES_AND_FILES
} value_source;

static bool needs_value(const tool_option *option) {
  return option->kind == TOOL_TEXT || option->kind == TOOL_COUNT || option->kind == TOOL_NUMBER;
}

static value_source source_of(const tool_option *option) {
  if (option->value == NULL) return VALUE_NONE;
  bool files = strstr(option->value, "FILE") != NULL;
  if (option->choices != NULL) return files ? VALUE_CHOICES_AND_FILES : VALUE_CHOICES;
  return files ? VALUE_FILES : strstr(option->value, "DIR") != NULL ? VALUE_FOLDERS : VALUE_NONE;
}

static void print_verb_names(FILE *out) {
  const tool_verb *verb;
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) fprintf(out, "%s ", verb->name);
  fputs("help", out);
}

static void print_action_names(FILE *out, const tool_verb *verb) {
  for (int i = 0; i < verb->action_count; ++i) fprintf(out, "%s%s", i > 0 ? " " : "", verb->actions[i].name);
}

// Text inside single quotes of a shell; backquotes are left out, the characters of `escaped` get a backslash.
static void print_quoted(FILE *out, const char *text, const char *escaped, const char *quote) {
  for (; *text != '\0'; ++text) {
    if (*text == '\'') {
      fputs(quote, out);
    } else if (*text != '`') {
      if (strchr(escaped, *text) != NULL) fputc('\\', out);
      fputc(*text, out);
    }
  }
}

// --- bash -----------------------------------------------------------------------------------------------------------

static void print_bash_pattern(FILE *out, const tool_option *option) {
  if (option->letter != 0) fprintf(out, "-%c | ", option->letter);
  fprintf(out, "--%s", option->name);
}

static void print_bash_values(FILE *out, const tool_verb *verb) {
  bool any = false;
  fputs("      case $previous in\n", out);
  for (int i = 0; i < verb->option_count; ++i) {
    const tool_option *option = &verb->options[i];
    value_source source = source_of(option);
    if (!needs_value(option) || source == VALUE_NONE) continue;
    fputs("        ", out);
    print_bash_pattern(out, option);
    fputs(") ", out);
    if (source == VALUE_FILES) fputs("_pliant_offer -f", out);
    if (source == VALUE_FOLDERS) fputs("_pliant_offer -d", out);
    if (source == VALUE_CHOICES) fprintf(out, "_pliant_offer -W \"%s\"", option->choices);
    if (source == VALUE_CHOICES_AND_FILES) fprintf(out, "_pliant_offer -f -W \"%s\"", option->choices);
    fputs("; return ;;\n", out);
  }
  // Values that no shell can guess.
  for (int i = 0; i < verb->option_count; ++i) {
    const tool_option *option = &verb->options[i];
    if (!needs_value(option) || source_of(option) != VALUE_NONE) continue;
    fputs(any ? " | " : "        ", out);
    print_bash_pattern(out, option);
    any = true;
  }
  if (any) fputs(") return ;;\n", out);
  fputs("      esac\n", out);
}

static void print_bash_verb(FILE *out, const tool_verb *verb) {
  const tool_option *option;
  fprintf(out, "    %s)\n      options=\"", verb->name);
  for (int i = 0; (option = tool_verb_option(verb, i)) != NULL; ++i)
    fprintf(out, "%s--%s", i > 0 ? " " : "", option->name);
  fputs("\"\n", out);
  bool has_values = false;
  for (int i = 0; i < verb->option_count; ++i) has_values = has_values || needs_value(&verb->options[i]);
  if (has_values) print_bash_values(out, verb);
  if (verb->names_from != NULL)
    fprintf(out, "      names=$(\"${COMP_WORDS[0]}\" %s --list 2>/dev/null | awk '{ print $1 }')\n", verb->names_from);
  if (verb->action_count > 0) {
    fputs("      [[ $previous != ", out);
    fprintf(out, "%s ]] || { names=\"", verb->name);
    print_action_names(out, verb);
    fputs("\" files=; }\n", out);
  }
  if (verb->no_files) fputs("      files=\n", out);
  fputs("      ;;\n", out);
}

void manual_print_bash(FILE *out) {
  fputs(
      "# bash completion of pliant, printed by `pliant manual bash`\n"
      "_pliant_offer() { # compgen options\n"
      "  mapfile -t COMPREPLY < <(compgen \"$@\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
      "}\n"
      "_pliant() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb='' word options names='' "
      "files=-f\n"
      "  local verbs=\"",
      out);
  print_verb_names(out);
  fputs(
      "\"\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    [[ $word == -* ]] || { verb=$word; break; }\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  case $verb in\n",
      out);
  const tool_verb *verb;
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) print_bash_verb(out, verb);
  fputs(
      "    help) _pliant_offer -W \"$verbs\"; return ;;\n"
      "    *) _pliant_offer -W \"$verbs --help --version\"; return ;;\n"
      "  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    _pliant_offer -W \"$options\"\n"
      "  else\n"
      "    _pliant_offer ${files:+-f} -W \"$names\"\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _pliant pliant\n",
      out);
}

// --- zsh ------------------------------------------------------------------------------------------------------------

// A colon ends a part of a specification, a bracket ends a description.
static void print_zsh_text(FILE *out, const char *text) {
  print_quoted(out, text, ":[]\\", "'\\''");
}

static void print_zsh_action(FILE *out, const tool_option *option) {
  switch (source_of(option)) {
    case VALUE_FILES: fputs("_files", out); break;
    case VALUE_FOLDERS: fputs("_files -/", out); break;
    case VALUE_CHOICES: fprintf(out, "(%s)", option->choices); break;
    case VALUE_CHOICES_AND_FILES: fprintf(out, "{ _values choice %s; _files }", option->choices); break;
    default: fputc(' ', out); break;
  }
}

static void print_zsh_option(FILE *out, const tool_option *option) {
  fputs(" \\\n          ", out);
  if (option->letter != 0)
    fprintf(out, "'(-%c --%s)'{-%c,--%s}'", option->letter, option->name, option->letter, option->name);
  else
    fprintf(out, "'%s--%s%s", option->repeats ? "*" : "", option->name, option->kind == TOOL_OPTIONAL_TEXT ? "=-" : "");
  fputc('[', out);
  print_zsh_text(out, option->about);
  fputc(']', out);
  if (option->value != NULL) {
    fputs(option->kind == TOOL_OPTIONAL_TEXT ? "::" : ":", out);
    print_zsh_text(out, option->value);
    fputc(':', out);
    print_zsh_action(out, option);
  }
  fputc('\'', out);
}

static void print_zsh_verb(FILE *out, const tool_verb *verb) {
  const tool_option *option;
  fprintf(out, "      %s)\n        _arguments", verb->name);
  for (int i = 0; (option = tool_verb_option(verb, i)) != NULL; ++i) print_zsh_option(out, option);
  if (verb->names_from != NULL && verb->no_files)
    fprintf(out, " \\\n          '1:name:($(pliant %s --list 2>/dev/null | awk \"{ print \\$1 }\"))'",
            verb->names_from);
  else if (verb->names_from != NULL)
    fprintf(out,
            " \\\n          '1:name:{ _values name $(pliant %s --list 2>/dev/null | awk \"{ print \\$1 }\"); _files }'",
            verb->names_from);
  if (verb->action_count > 0) {
    fputs(" \\\n          '1:action:(", out);
    print_action_names(out, verb);
    fputs(")'", out);
  }
  if (!verb->no_files) fputs(" \\\n          '*:file:_files'", out);
  fputs("\n        ;;\n", out);
}

void manual_print_zsh(FILE *out) {
  fputs("#compdef pliant\n# zsh completion of pliant, printed by `pliant manual zsh`\n\nlocal -a verbs\nverbs=(\n",
        out);
  const tool_verb *verb;
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) {
    fprintf(out, "  '%s:", verb->name);
    print_zsh_text(out, verb->summary);
    fputs("'\n", out);
  }
  fputs(
      "  'help:print the help of a verb'\n)\n\n"
      "_arguments -C '--help[print the list of verbs]' '--version[print the version]' '1:verb:->verb' "
      "'*::argument:->argument'\n"
      "case $state in\n"
      "  verb) _describe verb verbs ;;\n"
      "  argument)\n"
      "    case $words[1] in\n",
      out);
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) print_zsh_verb(out, verb);
  fputs("      help) _describe verb verbs ;;\n    esac\n    ;;\nesac\n", out);
}

// --- fish -----------------------------------------------------------------------------------------------------------

static void print_fish_text(FILE *out, const char *text) {
  fputc('\'', out);
  print_quoted(out, text, "\\", "\\'");
  fputc('\'', out);
}

static void print_fish_option(FILE *out, const tool_verb *verb, const tool_option *option) {
  value_source source = source_of(option);
  fprintf(out, "complete -c pliant -n '__fish_seen_subcommand_from %s' -l %s", verb->name, option->name);
  if (option->letter != 0) fprintf(out, " -s %c", option->letter);
  // -r: a value is required; -f: files are not offered for it.
  if (needs_value(option)) fputs(" -r", out);
  if (needs_value(option) && (source == VALUE_NONE || source == VALUE_CHOICES)) fputs(" -f", out);
  if (source == VALUE_FILES || source == VALUE_CHOICES_AND_FILES) fputs(" -F", out);
  if (source == VALUE_FOLDERS) fputs(" -f -a '(__fish_complete_directories)'", out);
  if (option->choices != NULL) fprintf(out, " -a '%s'", option->choices);
  fputs(" -d ", out);
  print_fish_text(out, option->about);
  fputc('\n', out);
}

void manual_print_fish(FILE *out) {
  fputs("# fish completion of pliant, printed by `pliant manual fish`\n", out);
  const tool_verb *verb;
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) {
    fprintf(out, "complete -c pliant -n __fish_use_subcommand -f -a %s -d ", verb->name);
    print_fish_text(out, verb->summary);
    fputc('\n', out);
  }
  fputs(
      "complete -c pliant -n __fish_use_subcommand -f -a help -d 'print the help of a verb'\n"
      "complete -c pliant -n __fish_use_subcommand -l version -d 'print the version'\n"
      "complete -c pliant -s h -l help -d 'print the help of the tool or of a verb'\n"
      "complete -c pliant -n '__fish_seen_subcommand_from help' -f -a '",
      out);
  print_verb_names(out);
  fputs("'\n", out);
  for (int i = 0; (verb = tool_verb_at(i)) != NULL; ++i) {
    const tool_option *option;
    for (int k = 0; (option = tool_verb_option(verb, k)) != NULL; ++k)
      if (strcmp(option->name, "help") != 0) print_fish_option(out, verb, option);
    if (verb->names_from == NULL && verb->action_count == 0 && !verb->no_files) continue;
    fprintf(out, "complete -c pliant -n '__fish_seen_subcommand_from %s'%s", verb->name, verb->no_files ? " -f" : "");
    if (verb->names_from != NULL)
      fprintf(out, " -a '(pliant %s --list 2>/dev/null | string replace -r \"\\s.*\" \"\")'", verb->names_from);
    if (verb->action_count > 0) {
      fputs(" -a '", out);
      print_action_names(out, verb);
      fputc('\'', out);
    }
    fputc('\n', out);
  }
}
