// Parses command lines by the option tables; mistakes are reported with a suggestion.
#include "tool_arguments.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool_help.h"

enum { MAX_WORD_LENGTH = 40 };

static int min_of(int a, int b) {
  return a < b ? a : b;
}

// Letters to insert, remove or replace to get from one word to the other.
static int word_distance(const char *a, const char *b) {
  int row[MAX_WORD_LENGTH + 1];
  int a_length = (int)strlen(a), b_length = (int)strlen(b);
  if (a_length > MAX_WORD_LENGTH || b_length > MAX_WORD_LENGTH) return MAX_WORD_LENGTH;
  for (int k = 0; k <= b_length; ++k) row[k] = k;
  for (int i = 1; i <= a_length; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int k = 1; k <= b_length; ++k) {
      int replaced = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[k - 1]));
      diagonal = row[k];
      row[k] = min_of(replaced, 1 + min_of(row[k], row[k - 1]));
    }
  }
  return row[b_length];
}

const char *tool_suggest(const char *word, tool_candidate *candidate, const void *user) {
  const char *best = NULL, *other;
  // A third of the letters may be wrong, and one in a short word.
  int limit = 1 + (int)strlen(word) / 3;
  for (int i = 0; (other = candidate(user, i)) != NULL; ++i) {
    int distance = word_distance(word, other);
    if (distance > limit) continue;
    limit = distance - 1;
    best = other;
  }
  return best;
}

static const char *option_name(const void *user, int index) {
  const tool_verb *verb = user;
  const tool_option *option = tool_verb_option(verb, index);
  return option != NULL ? option->name : NULL;
}

static const tool_option *find_option(const tool_verb *verb, const char *name, size_t length) {
  for (int i = 0; i < verb->option_count; ++i)
    if (strlen(verb->options[i].name) == length && strncmp(verb->options[i].name, name, length) == 0)
      return &verb->options[i];
  return NULL;
}

static const tool_option *find_letter(const tool_verb *verb, char letter) {
  for (int i = 0; i < verb->option_count; ++i)
    if (verb->options[i].letter != 0 && verb->options[i].letter == letter) return &verb->options[i];
  return NULL;
}

static bool parse_number(const tool_session *tool, const tool_option *option, const char *text, tool_value *value) {
  char *end;
  errno = 0;
  double number = strtod(text, &end);
  bool whole = option->kind == TOOL_COUNT;
  if (end == text || *end != '\0' || !isfinite(number) || (whole && number != floor(number)) ||
      (whole && strpbrk(text, "xX.") != NULL)) {
    tool_print_error(&tool->console, "--%s takes %s, not '%s'", option->name, whole ? "a whole number" : "a number",
                     text);
    return false;
  }
  if (number < option->min || number > option->max) {
    tool_print_error(&tool->console, "--%s must be from %g to %g, not %s", option->name, option->min, option->max,
                     text);
    return false;
  }
  value->number = number;
  value->count = whole ? (int64_t)number : 0;
  return true;
}

static bool is_choice(const char *choices, const char *word, size_t length) {
  for (const char *at = choices; *at != '\0'; at += strspn(at, " ")) {
    size_t size = strcspn(at, " ");
    if (size == length && strncasecmp(at, word, length) == 0) return true;
    at += size;
  }
  return false;
}

// Whether every word of a value is one that the option knows. A value that may be a file is left to the verb.
static bool check_choices(const tool_session *tool, const tool_option *option, const char *text) {
  if (option->choices == NULL || text == NULL || strstr(option->value, "FILE") != NULL) return true;
  bool is_list = strcmp(option->value, "LIST") == 0;
  for (const char *at = text;; ++at) {
    size_t length = is_list ? strcspn(at, ",") : strlen(at);
    if (!is_choice(option->choices, at, length)) {
      tool_print_error(&tool->console, "--%s takes %s: %s; not '%.*s'", option->name, is_list ? "a list of" : "one of",
                       option->choices, (int)length, at);
      return false;
    }
    at += length;
    if (*at == '\0') return true;
  }
}

static bool set_value(const tool_session *tool, const tool_option *option, const char *text, tool_value *value) {
  value->given = true;
  value->text = text;
  if (option->kind == TOOL_FLAG && text != NULL) {
    tool_print_error(&tool->console, "--%s takes no value", option->name);
    return false;
  }
  if (option->kind == TOOL_TEXT && text[0] == '\0') {
    tool_print_error(&tool->console, "--%s has an empty value; write --%s %s", option->name, option->name,
                     option->value);
    return false;
  }
  if (option->kind == TOOL_COUNT || option->kind == TOOL_NUMBER) return parse_number(tool, option, text, value);
  return check_choices(tool, option, text);
}

static bool report_unknown_option(const tool_session *tool, const tool_verb *verb, const char *word) {
  char name[MAX_WORD_LENGTH + 1];
  snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
  name[strcspn(name, "=")] = '\0';
  const char *meant = strlen(name) > 1 ? tool_suggest(name, option_name, verb) : NULL;
  if (meant != NULL)
    tool_print_error(&tool->console, "%s has no option %.*s (did you mean --%s?)", verb->name, (int)strcspn(word, "="),
                     word, meant);
  else
    tool_print_error(&tool->console, "%s has no option %.*s; 'pliant help %s' lists them", verb->name,
                     (int)strcspn(word, "="), word, verb->name);
  return false;
}

// The options of every verb.
static bool parse_common(const char *word, tool_arguments *arguments) {
  bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
  bool quiet = strcmp(word, "--quiet") == 0 || strcmp(word, "-q") == 0, strict = strcmp(word, "--strict") == 0;
  arguments->help = arguments->help || help;
  arguments->quiet = arguments->quiet || quiet;
  arguments->strict = arguments->strict || strict;
  return help || quiet || strict;
}

// One option; `used` is the number of words after it that belong to it.
static bool parse_option(const tool_session *tool, const tool_verb *verb, const char *word, const char *next,
                         tool_arguments *arguments, int *used) {
  const tool_option *option;
  const char *text = NULL;
  if (parse_common(word, arguments)) return true;
  if (word[1] == '-') {
    size_t length = strcspn(word + 2, "=");
    option = find_option(verb, word + 2, length);
    if (word[2 + length] == '=') text = word + 3 + length;
  } else {
    option = find_letter(verb, word[1]);
    if (word[2] != '\0') text = word + 2;
  }
  if (option == NULL) return report_unknown_option(tool, verb, word);
  bool needs = option->kind == TOOL_TEXT || option->kind == TOOL_COUNT || option->kind == TOOL_NUMBER;
  if (text == NULL && needs) {
    if (next == NULL) {
      tool_print_error(&tool->console, "--%s needs a value: --%s %s", option->name, option->name, option->value);
      return false;
    }
    text = next;
    *used = 1;
  }
  if (text == NULL && option->kind == TOOL_OPTIONAL_TEXT && next != NULL && next[0] != '-' && option->takes != NULL &&
      option->takes(next)) {
    text = next;
    *used = 1;
  }
  if (option->repeats && arguments->repeated_count == TOOL_MAX_REPEATS) {
    tool_print_error(&tool->console, "--%s is given more than %d times, which is the maximum", option->name,
                     TOOL_MAX_REPEATS);
    return false;
  }
  if (option->repeats) arguments->repeated[arguments->repeated_count++] = text;
  return set_value(tool, option, text, &arguments->values[option - verb->options]);
}

bool tool_arguments_parse(const tool_session *tool, const tool_verb *verb, int count, char *const *words,
                          tool_arguments *arguments) {
  bool good = true, only_words = false;
  arguments->verb = verb;
  for (int i = 0; i < count; ++i) {
    const char *word = words[i];
    int used = 0;
    if (!only_words && strcmp(word, "--") == 0) {
      only_words = true;
    } else if (!only_words && word[0] == '-' && word[1] != '\0') {
      if (!parse_option(tool, verb, word, i + 1 < count ? words[i + 1] : NULL, arguments, &used)) good = false;
    } else if (arguments->word_count < TOOL_MAX_WORDS) {
      arguments->words[arguments->word_count++] = word;
    } else {
      tool_print_error(&tool->console, "the command line has more than %d words; the first surplus one is '%s'",
                       TOOL_MAX_WORDS, word);
      return false;
    }
    i += used;
  }
  return good;
}

bool tool_arguments_check(const tool_session *tool, const tool_arguments *arguments) {
  const tool_verb *verb = arguments->verb;
  if (arguments->word_count < verb->min_words) {
    tool_print_error(&tool->console, "%s needs %s", verb->name, verb->words);
    return false;
  }
  if (arguments->word_count > verb->max_words) {
    tool_print_error(&tool->console, "%s takes %s; '%s' is one word too many", verb->name,
                     verb->words[0] != '\0' ? verb->words : "options only", arguments->words[verb->max_words]);
    return false;
  }
  bool good = true;
  for (int i = 0; i < verb->option_count; ++i) {
    const tool_option *option = &verb->options[i];
    if (!option->required || arguments->values[i].given) continue;
    tool_print_error(&tool->console, "%s needs --%s %s", verb->name, option->name, option->value);
    good = false;
  }
  return good;
}

const tool_value *tool_find_value(const tool_arguments *arguments, const char *name) {
  static const tool_value none = {.given = false};
  const tool_option *option = find_option(arguments->verb, name, strlen(name));
  return option != NULL ? &arguments->values[option - arguments->verb->options] : &none;
}

static const char *action_name(const void *user, int index) {
  const tool_verb *verb = user;
  return index < verb->action_count ? verb->actions[index].name : NULL;
}

const tool_action *tool_find_action(const tool_session *tool, const tool_arguments *arguments) {
  const tool_verb *verb = arguments->verb;
  const char *name = arguments->words[0];
  for (int i = 0; i < verb->action_count; ++i) {
    const tool_action *action = &verb->actions[i];
    if (strcmp(action->name, name) != 0) continue;
    if (arguments->word_count - 1 == action->word_count) return action;
    tool_print_error(&tool->console, "wrong number of words; usage: pliant %s %s%s%s [options]", verb->name,
                     action->name, action->words[0] != '\0' ? " " : "", action->words);
    return NULL;
  }
  const char *meant = tool_suggest(name, action_name, verb);
  if (meant != NULL)
    tool_print_error(&tool->console, "%s has no action '%s' (did you mean %s?)", verb->name, name, meant);
  else
    tool_print_error(&tool->console, "%s has no action '%s'; 'pliant help %s' lists them", verb->name, name,
                     verb->name);
  return NULL;
}

const char *tool_get_text(const tool_arguments *arguments, const char *name) {
  const tool_value *value = tool_find_value(arguments, name);
  if (value->given) return value->text;
  const tool_option *option = find_option(arguments->verb, name, strlen(name));
  return option != NULL ? option->default_text : NULL;
}

double tool_get_number(const tool_arguments *arguments, const char *name) {
  const tool_value *value = tool_find_value(arguments, name);
  if (value->given) return value->number;
  const tool_option *option = find_option(arguments->verb, name, strlen(name));
  if (option == NULL) return 0;
  if (option->default_number != NULL) return option->default_number();
  return option->default_text != NULL ? strtod(option->default_text, NULL) : 0;
}

int64_t tool_get_count(const tool_arguments *arguments, const char *name) {
  return (int64_t)tool_get_number(arguments, name);
}

double tool_number_or(const tool_arguments *arguments, const char *name, double fallback) {
  const tool_value *value = tool_find_value(arguments, name);
  return value->given ? value->number : fallback;
}

bool tool_parse_size(const tool_session *tool, const char *text, int32_t *width, int32_t *height) {
  char *end;
  long w = strtol(text, &end, 10), h = 0;
  bool good = end != text && (*end == 'x' || *end == 'X');
  if (good) {
    const char *rest = end + 1;
    h = strtol(rest, &end, 10);
    good = end != rest && *end == '\0';
  }
  if (!good || w < 16 || h < 16 || w > 16384 || h > 16384) {
    tool_print_error(&tool->console,
                     "--size needs WIDTHxHEIGHT in pixels, each from 16 to 16384, such as 1280x720, not '%s'", text);
    return false;
  }
  *width = (int32_t)w;
  *height = (int32_t)h;
  return true;
}
