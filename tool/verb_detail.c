// pliant detail: examples of dents and wrinkles, recorded, inspected and applied to surfaces.
#include "verb_detail.h"
#include "tool_options.h"
#include "tool_verbs.h"

TOOL_DEFAULT(default_points, pl_default_lattice_def().target_point_count)

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "FILE", .about = "file to write; the list of actions names its format"},
    {"check", .kind = TOOL_FLAG, .about = "record: also predict each site from the others"},
    {"surfaces", .kind = TOOL_TEXT, .value = "PREFIX", .about = "record: also write the surface at rest, and coarse, enriched and fine of each touch: PREFIX-00-fine.ply and so on"},
    {"count", 'k', TOOL_COUNT, .value = "N", .min = 1, .max = 64, .default_note = TOOL_TEXT_OF(DETAIL_COVER_COUNT) " for cover; segment needs it",
     .about = "segment: number of kinds of sites; cover: number of sites to record next"},
    {"window", .kind = TOOL_NUMBER, .value = "LENGTH", .min = 1e-9, .max = 1e9,
     .about = "segment, first add: radius in metres of the neighbourhood that descriptors cover, one standard deviation"},
    TOOL_SEED_OPTION(.default_text = "1", .about = "segment: seed of the initial centres"),
    {"body", .kind = TOOL_TEXT, .value = "NAME", .default_note = "the first one with tets", .about = "body of a scene"},
    TOOL_POINTS_OPTION(2e6, .default_number = default_points, .about = "number of points of the lattice around a surface"),
    TOOL_CELL_SIZE_OPTION(.about = "cell size of that lattice in metres, instead of --points"),
    {"contact", .kind = TOOL_TEXT, .value = "X,Y,Z",
     .about = "add: position in metres where the displaced surface was touched"},
    {"label", .kind = TOOL_TEXT, .value = "TEXT", .about = "add: name of the example"},
    {"contacts", .kind = TOOL_TEXT, .value = "FILE", .about = "enrich: table of contacts, frame,x,y,z[,pressure[,nx,ny,nz]]"},
    TOOL_SCALE_OPTION(.about = "cover, enrich: size of the object relative to the recorded one"),
    {"json", .kind = TOOL_FLAG, .about = "record, info, segment, cover: print one JSON object instead of a table"},
};

static const tool_action ACTIONS[] = {
    {"record", "RECIPE", "press a fine and a coarse body as the `recording` of a scene says, store the difference; -o SET.pldetail", 1, detail_record},
    {"add", "SET BASE DISPLACED", "add one example from a captured or modelled surface in the vertex order of BASE; -o SET.pldetail", 3, detail_add},
    {"info", "SET", "print what is in a set; -o FILE.png draws the stamps", 1, detail_info},
    {"segment", "BODY", "divide a surface into kinds of similar sites; -o PAINTED.ply or .png", 1, detail_segment},
    {"cover", "SET BODY", "find sites without a similar example, to record next; -o PAINTED.ply or .png", 2, detail_cover},
    {"enrich", "SET BODY FRAMES", "add detail at the --contacts to a point cache of BODY; -o FILE.pc2 or .mdd", 3, detail_enrich},
};
// clang-format on
enum { ACTION_COUNT = sizeof ACTIONS / sizeof ACTIONS[0] };

static int detail_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_action *action = tool_find_action(tool, arguments);
  if (action == NULL) return TOOL_USAGE;
  pl_context *context = tool_open_context(tool, 0);
  if (context == NULL) return TOOL_FAILED;
  int code = action->run(tool, arguments, context);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_detail_verb = {
    .name = "detail",
    .words = "ACTION FILE...",
    .summary = "record, inspect and apply examples of dents and wrinkles",
    .details =
        "A BODY is a mesh with tets, a surface (a lattice is built around it), or a scene. Scenes with detail need no "
        "action: run "
        "shows it.",
    .min_words = 1,
    .max_words = 4,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .actions = ACTIONS,
    .action_count = ACTION_COUNT,
    .run = detail_verb,
};
