// pliant detail: examples of dents and wrinkles, recorded, looked at and laid onto surfaces.
#include <string.h>

#include "verb_detail.h"

static const tool_option OPTIONS[] = {
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .value = "FILE", .about = "what to write; see below"},
    {.name = "check", .kind = TOOL_FLAG, .about = "record: also predict each site from the others"},
    {.name = "json", .kind = TOOL_FLAG, .about = "record, info, segment and cover: one JSON object instead of a table"},
};

typedef struct action {
  const char *name;
  int least_words, most_words;
  const char *words;
  int (*run)(const tool_session *tool, const tool_arguments *arguments, pl_context *context);
} action;

static const action ACTIONS[] = {
    {"record", 1, 1, "RECIPE", detail_record},
};
enum { ACTION_COUNT = sizeof ACTIONS / sizeof ACTIONS[0] };

static const char *action_name(const void *user, int index) {
  (void)user;
  return index < ACTION_COUNT ? ACTIONS[index].name : NULL;
}

static int detail_verb(const tool_session *tool, const tool_arguments *arguments) {
  const char *name = arguments->words[0];
  const action *found = NULL;
  for (int i = 0; i < ACTION_COUNT; ++i)
    if (strcmp(ACTIONS[i].name, name) == 0) found = &ACTIONS[i];
  if (found == NULL) {
    const char *meant = tool_suggest(name, action_name, NULL);
    if (meant != NULL)
      tool_complain(&tool->voice, "there is no action '%s' (did you mean %s?)", name, meant);
    else
      tool_complain(&tool->voice, "there is no action '%s'; 'pliant help detail' lists them", name);
    return TOOL_USAGE;
  }
  int words = arguments->word_count - 1;
  if (words < found->least_words || words > found->most_words) {
    tool_complain(&tool->voice, "usage: pliant detail %s %s [options]", found->name, found->words);
    return TOOL_USAGE;
  }
  pl_context *context = tool_open_context(tool, 0);
  if (context == NULL) return TOOL_FAILED;
  int code = found->run(tool, arguments, context);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_detail_verb = {
    .name = "detail",
    .words = "ACTION FILE...",
    .summary = "examples of dents and wrinkles: record, look at, lay onto surfaces",
    .least_words = 2,
    .most_words = 4,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = detail_verb,
};
