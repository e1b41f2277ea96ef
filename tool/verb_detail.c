// pliant detail: examples of dents and wrinkles, recorded, looked at and laid onto surfaces.
#include <string.h>

#include "verb_detail.h"

static const tool_option OPTIONS[] = {
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .value = "FILE", .about = "what to write; see below"},
    {.name = "check", .kind = TOOL_FLAG, .about = "record: also predict each site from the others"},
    {.name = "count",
     .letter = 'k',
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "segment: how many kinds of places; cover: how many places to record next",
     .min = 1,
     .max = 64},
    {.name = "window",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "segment, first add: how far descriptors look around a place, metres",
     .min = 1e-9,
     .max = 1e9},
    {.name = "seed", .kind = TOOL_COUNT, .value = "N", .about = "segment: of the first centres; 1 if not given", .max = 9e15},
    {.name = "body", .kind = TOOL_TEXT, .value = "NAME", .about = "of a scene; the first with tets if not given"},
    {.name = "points",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "of a lattice around a surface; 2000 if not given",
     .min = 8,
     .max = 5e6},
    {.name = "cell-size",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "of that lattice in metres, instead of --points",
     .min = 1e-9,
     .max = 1e9},
    {.name = "contact", .kind = TOOL_TEXT, .value = "X,Y,Z", .about = "add: where the displaced surface was touched, metres"},
    {.name = "label", .kind = TOOL_TEXT, .value = "TEXT", .about = "add: name of the example"},
    {.name = "contacts", .kind = TOOL_TEXT, .value = "FILE", .about = "enrich: a table frame,x,y,z[,pressure[,nx,ny,nz]]"},
    {.name = "scale",
     .kind = TOOL_NUMBER,
     .value = "FACTOR",
     .about = "cover, enrich: size of the object by that of the recorded one",
     .min = 1e-9,
     .max = 1e9},
    {.name = "json", .kind = TOOL_FLAG, .about = "record, info, segment and cover: one JSON object instead of a table"},
};

typedef struct action {
  const char *name;
  int min_words, max_words;
  const char *words;
  int (*run)(const tool_session *tool, const tool_arguments *arguments, pl_context *context);
} action;

static const action ACTIONS[] = {
    {"record", 1, 1, "RECIPE", detail_record}, {"add", 3, 3, "SET BASE DISPLACED", detail_add},
    {"info", 1, 1, "SET", detail_info},        {"segment", 1, 1, "BODY", detail_segment},
    {"cover", 2, 2, "SET BODY", detail_cover}, {"enrich", 3, 3, "SET BODY FRAMES", detail_enrich},
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
      tool_print_error(&tool->console, "there is no action '%s' (did you mean %s?)", name, meant);
    else
      tool_print_error(&tool->console, "there is no action '%s'; 'pliant help detail' lists them", name);
    return TOOL_USAGE;
  }
  int words = arguments->word_count - 1;
  if (words < found->min_words || words > found->max_words) {
    tool_print_error(&tool->console, "usage: pliant detail %s %s [options]", found->name, found->words);
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
    .details =
        "record RECIPE          touch a fine and a coarse body of a scene as its `recording` says; -o SET.pldetail\n"
        "add SET BASE DISPLACED a captured or modelled surface, in the vertex order of BASE, becomes one more example; -o SET\n"
        "info SET               what is in it; -o FILE.png shows the stamps\n"
        "segment BODY           places that are alike around; -o PAINTED.ply or .png\n"
        "cover SET BODY         where no example is near, and what to record next; -o PAINTED.ply or .png\n"
        "enrich SET BODY FRAMES a point cache of BODY's points with detail at the --contacts; -o FILE.pc2 or .mdd\n"
        "A BODY is a mesh with tets, a surface (a lattice is put around it), or a scene. `pliant run` shows detail of scenes by "
        "itself.",
    .min_words = 2,
    .max_words = 4,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = detail_verb,
};
