// pliant mesh: tets on a lattice around a surface, with where the surface sits in them.
#include <math.h>
#include <stdio.h>

#include "report/report_export.h"
#include "tool_folder.h"
#include "tool_open.h"

static const tool_option OPTIONS[] = {
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .value = "FILE", .about = "tets as .vtu .vtk .msh .mesh or .node; needed"},
    {.name = "points", .kind = TOOL_COUNT, .value = "N", .about = "points to aim at; 2000 if not given", .min = 8, .max = 5e6},
    {.name = "cell-size",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "edge of a lattice cell in metres, instead of --points",
     .min = 1e-9,
     .max = 1e9},
    {.name = "embedding",
     .kind = TOOL_TEXT,
     .value = "FILE",
     .about = "write where each surface point sits: a .csv of 4 points and 4 weights"},
    {.name = "scale",
     .kind = TOOL_NUMBER,
     .value = "FACTOR",
     .about = "scale the surface first, for files in other units",
     .min = 1e-9,
     .max = 1e9},
};

static pl_status write_embedding(const tool_session *tool, pl_context *context, const pl_mesh *tets, const pl_mesh *surface,
                                 const pl_lattice_report *report, const char *path, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(surface);
  pl_embedding *embedding = NULL;
  pl_embedding_report found;
  pl_status status = pl_embedding_build(context, tets, &(pl_embedding_input){view.points, view.point_count, report->cell_size},
                                        &embedding, &found, error);
  if (status >= 0) status = pl_embedding_save(context, path, embedding, error);
  if (status >= 0)
    tool_say(&tool->voice, "embedding: %d points in %s; %d outside the tets, the farthest by %.3g m", view.point_count, path,
             found.outside_count, found.max_distance);
  pl_embedding_destroy(embedding);
  return status;
}

static void say_report(const tool_session *tool, const pl_mesh *surface, const pl_mesh *tets, const pl_lattice_report *report,
                       double seconds) {
  pl_mesh_view from = pl_mesh_get_view(surface), to = pl_mesh_get_view(tets);
  tool_say(&tool->voice, "surface:   %d points, %d triangles, %d hole edges", from.point_count, from.triangle_count,
           report->hole_edge_count);
  tool_say(&tool->voice, "tets:      %d points, %d tets, cells of %.4g m, %.4g m^3", to.point_count, to.tet_count,
           report->cell_size, report->volume);
  tool_say(&tool->voice, "quality:   %.3f at least (1 is a regular tet)", report->min_quality);
  tool_say(&tool->voice, "enclosed:  %.2f %% of the surface points", 100 * report->enclosed_fraction);
  tool_say(&tool->voice, "time:      %.3f s", seconds);
}

static bool can_hold_tets(const char *path) {
  static const char *const endings[] = {"vtu", "vtk", "msh", "mesh", "node"};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
    if (tool_has_ending(path, endings[i])) return true;
  return false;
}

static int mesh_surface(const tool_session *tool, const tool_arguments *arguments, pl_context *context) {
  const tool_value *cell = tool_find_value(arguments, "cell-size"), *points = tool_find_value(arguments, "points");
  const tool_value *embedding = tool_find_value(arguments, "embedding"), *scale = tool_find_value(arguments, "scale");
  const char *output = tool_find_value(arguments, "output")->text;
  bool remarks = false;
  pl_error error = {0};
  pl_mesh *surface = tool_open_mesh(tool, context, arguments->words[0], scale->given ? scale->number : 1, &remarks), *tets = NULL;
  if (surface == NULL) return TOOL_FAILED;
  pl_lattice_def def = pl_default_lattice_def();
  pl_lattice_report report;
  if (points->given) def.target_point_count = (int32_t)points->count;
  if (cell->given) def.cell_size = cell->number;
  double begin = tool_seconds();
  pl_status status = pl_lattice_build(context, &def, surface, &tets, &report, &error);
  double seconds = tool_seconds() - begin;
  if (status >= 0) {
    say_report(tool, surface, tets, &report, seconds);
    if (report.hole_edge_count > 0) {
      tool_warn(&tool->voice, "the surface has holes (%d open edges); inside and outside were told apart by winding numbers",
                report.hole_edge_count);
      remarks = true;
    }
    status = pl_mesh_save(context, output, tets, &error);
  }
  if (status >= 0 && embedding->given) status = write_embedding(tool, context, tets, surface, &report, embedding->text, &error);
  if (status < 0 && error.file[0] == '\0') snprintf(error.file, sizeof error.file, "%s", arguments->words[0]);
  int code = status < 0 ? tool_report_error(&tool->voice, &error) : remarks ? TOOL_REMARKS : TOOL_DONE;
  pl_mesh_destroy(tets);
  pl_mesh_destroy(surface);
  return code;
}

static int mesh_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_value *output = tool_find_value(arguments, "output");
  if (!output->given) {
    tool_complain(&tool->voice, "mesh needs --output FILE");
    return TOOL_USAGE;
  }
  if (!can_hold_tets(output->text)) {
    tool_complain(&tool->voice, "'%s' cannot hold tets; name a .vtu, .vtk, .msh, .mesh or .node file", output->text);
    return TOOL_USAGE;
  }
  if (tool_find_value(arguments, "cell-size")->given && tool_find_value(arguments, "points")->given) {
    tool_complain(&tool->voice, "--cell-size and --points exclude each other");
    return TOOL_USAGE;
  }
  pl_context *context = tool_open_context(tool, 0);
  if (context == NULL) return TOOL_FAILED;
  int code = mesh_surface(tool, arguments, context);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_mesh_verb = {
    .name = "mesh",
    .words = "SURFACE",
    .summary = "fill a closed, or nearly closed, surface with tets on a lattice",
    .details = "The tets enclose the surface and none is inverted. Small holes are bridged, with a warning (exit status 3).",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = mesh_verb,
};
