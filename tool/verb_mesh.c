// pliant mesh: tets on a lattice around a surface, and the embedding of the surface in them; surfaces of the first
// cloud of a capture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report_export.h"
#include "tool_folder.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_verbs.h"

TOOL_DEFAULT(default_points, pl_default_lattice_def().target_point_count)

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "FILE", .required = true, .about = "file to write: .vtu, .vtk, .msh, .inp, .mesh or .node; the surface of a capture also as .ply, .obj or .stl"},
    TOOL_POINTS_OPTION(2e6, .default_number = default_points, .about = "target number of points, met within a fifth"),
    TOOL_CELL_SIZE_OPTION(.about = "edge length of a lattice cell in metres, instead of --points; of a capture's surface if that is written"),
    {"frame", .kind = TOOL_COUNT, .value = "N", .min = 0, .max = 1e7, .default_text = "0", .about = "frame of a capture to make a surface of"},
    {"embedding", .kind = TOOL_TEXT, .value = "FILE",
     .about = "write where each surface point sits: a CSV table with 4 points and 4 weights per row"},
    {"quadratic", .kind = TOOL_FLAG, .about = "put a node on every edge: tets with ten nodes, for .vtu, .vtk, .msh and .inp"},
    TOOL_SCALE_OPTION(.about = "scale the surface first, such as 0.001 for a file in millimetres"),
};
// clang-format on

static pl_status write_embedding(const tool_session *tool, pl_context *context, const pl_mesh *tets,
                                 const pl_mesh *surface, const pl_lattice_report *report, const char *path,
                                 pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(surface);
  pl_embedding *embedding = NULL;
  pl_embedding_report found;
  pl_status status =
      pl_embedding_build(context, tets, &(pl_embedding_input){view.points, view.point_count, report->cell_size},
                         &embedding, &found, error);
  if (status >= 0) status = pl_embedding_save(context, path, embedding, error);
  if (status >= 0)
    tool_print(&tool->console, "embedding: %d points in %s; %d outside the tets, the farthest by %.3g m",
               view.point_count, path, found.outside_count, found.max_distance);
  pl_embedding_destroy(embedding);
  return status;
}

static void print_report(const tool_session *tool, const pl_mesh *surface, const pl_mesh *tets,
                         const pl_lattice_report *report, double seconds) {
  pl_mesh_view from = pl_mesh_get_view(surface), to = pl_mesh_get_view(tets);
  tool_print(&tool->console, "surface:   %d points, %d triangles, %d hole edges", from.point_count, from.triangle_count,
             report->hole_edge_count);
  tool_print(&tool->console, "tets:      %d points, %d tets, cells of %.4g m, %.4g m^3", to.point_count, to.tet_count,
             report->cell_size, report->volume);
  tool_print(&tool->console, "quality:   min %.3f (1 is a regular tet)", report->min_quality);
  tool_print(&tool->console, "enclosed:  %.2f %% of the surface points", 100 * report->enclosed_fraction);
  tool_print(&tool->console, "time:      %.3f s", seconds);
}

static bool can_hold_tets(const char *path) {
  static const char *const endings[] = {"vtu", "vtk", "msh", "inp", "mesh", "node"};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
    if (tool_has_ending(path, endings[i])) return true;
  return false;
}

static pl_status save_tets(pl_context *context, const tool_arguments *arguments, const char *output,
                           const pl_mesh *tets, pl_error *error) {
  if (!tool_find_value(arguments, "quadratic")->given) return pl_mesh_save(context, output, tets, error);
  pl_mesh *quadratic = NULL;
  pl_status status = pl_mesh_build_quadratic(context, tets, &quadratic, error);
  if (status >= 0) status = pl_mesh_save(context, output, quadratic, error);
  pl_mesh_destroy(quadratic);
  return status;
}

// --- a surface from a cloud ---------------------------------------------------------------------------------------

static bool holds_surface(const char *path) {
  return tool_has_ending(path, "ply") || tool_has_ending(path, "obj") || tool_has_ending(path, "stl");
}

static bool is_capture(const char *path) {
  return tool_has_ending(path, "json") || tool_is_folder(path);
}

// The surface of one frame of a capture; NULL on failure (printed).
static pl_mesh *make_surface(const tool_session *tool, const tool_arguments *arguments, pl_context *context,
                             bool *is_sheet) {
  char *document = tool_capture_path(arguments->words[0]);
  const tool_value *cell = tool_find_value(arguments, "cell-size");
  bool as_surface = holds_surface(tool_find_value(arguments, "output")->text);
  pl_capture *capture = NULL;
  pl_cloud *cloud = NULL;
  pl_mesh *surface = NULL;
  pl_error error = {0};
  pl_status status = pl_capture_load(context, document, &capture, NULL, &error);
  if (status >= 0)
    status = pl_capture_load_frame(capture, (int32_t)tool_get_count(arguments, "frame"), &cloud, NULL, &error);
  if (status >= 0) {
    pl_capture_view view = pl_capture_get_view(capture);
    pl_cloud_view points = pl_cloud_get_view(cloud);
    pl_track_surface_input input = {.cloud = &points,
                                    .cameras = view.cameras,
                                    .camera_count = view.camera_count,
                                    .cell_size = cell->given && as_surface ? cell->number : 0};
    status = pl_track_build_surface(context, &input, &surface, is_sheet, &error);
  }
  if (status < 0 && error.file[0] == '\0') snprintf(error.file, sizeof error.file, "%s", document);
  if (status < 0) tool_report_error(&tool->console, &error);
  pl_cloud_destroy(cloud);
  pl_capture_destroy(capture);
  free(document);
  return surface;
}

static int save_surface(const tool_session *tool, pl_context *context, const char *output, const pl_mesh *surface,
                        bool is_sheet) {
  pl_error error = {0};
  pl_mesh_view view = pl_mesh_get_view(surface);
  tool_print(&tool->console, "surface:   %d points, %d triangles, %s", view.point_count, view.triangle_count,
             is_sheet ? "a thin sheet: track it with --thickness" : "closed");
  return pl_mesh_save(context, output, surface, &error) < 0 ? tool_report_error(&tool->console, &error) : TOOL_DONE;
}

static int mesh_surface(const tool_session *tool, const tool_arguments *arguments, pl_context *context) {
  const tool_value *cell = tool_find_value(arguments, "cell-size");
  const tool_value *embedding = tool_find_value(arguments, "embedding");
  const char *output = tool_find_value(arguments, "output")->text;
  bool remarks = false, is_sheet = false, from_capture = is_capture(arguments->words[0]);
  pl_error error = {0};
  pl_mesh *surface = from_capture ? make_surface(tool, arguments, context, &is_sheet)
                                  : tool_open_mesh(tool, context, arguments->words[0],
                                                   tool_get_number(arguments, "scale"), &remarks),
          *tets = NULL;
  if (surface == NULL) return TOOL_FAILED;
  if (from_capture && (is_sheet || holds_surface(output))) {
    int code = TOOL_FAILED;
    if (holds_surface(output))
      code = save_surface(tool, context, output, surface, is_sheet);
    else
      tool_print_error(&tool->console,
                       "the cloud is a thin sheet, which tets cannot fill; write its surface as .ply and track it with "
                       "--thickness");
    pl_mesh_destroy(surface);
    return code;
  }
  pl_lattice_def def = pl_default_lattice_def();
  pl_lattice_report report;
  def.target_point_count = (int32_t)tool_get_count(arguments, "points");
  if (cell->given) def.cell_size = cell->number;
  double begin = tool_seconds();
  pl_status status = pl_lattice_build(context, &def, surface, &tets, &report, &error);
  double seconds = tool_seconds() - begin;
  if (status >= 0) {
    print_report(tool, surface, tets, &report, seconds);
    if (report.hole_edge_count > 0) {
      tool_print_warning(&tool->console,
                         "the surface has holes (%d open edges); winding numbers were used to find its inside",
                         report.hole_edge_count);
      remarks = true;
    }
    status = save_tets(context, arguments, output, tets, &error);
  }
  if (status >= 0 && embedding->given)
    status = write_embedding(tool, context, tets, surface, &report, embedding->text, &error);
  if (status < 0 && error.file[0] == '\0') snprintf(error.file, sizeof error.file, "%s", arguments->words[0]);
  int code = status < 0 ? tool_report_error(&tool->console, &error) : remarks ? TOOL_REMARKS : TOOL_DONE;
  pl_mesh_destroy(tets);
  pl_mesh_destroy(surface);
  return code;
}

static int mesh_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_value *output = tool_find_value(arguments, "output");
  bool as_surface = is_capture(arguments->words[0]) && holds_surface(output->text);
  if (!can_hold_tets(output->text) && !as_surface) {
    tool_print_error(&tool->console,
                     "'%s' cannot hold tets; choose a .vtu, .vtk, .msh, .inp, .mesh or .node file for --output",
                     output->text);
    return TOOL_USAGE;
  }
  if (tool_find_value(arguments, "quadratic")->given &&
      (tool_has_ending(output->text, "mesh") || tool_has_ending(output->text, "node"))) {
    tool_print_error(&tool->console, "'%s' is written with linear tets only; choose .vtu, .vtk, .msh or .inp",
                     output->text);
    return TOOL_USAGE;
  }
  if (tool_find_value(arguments, "cell-size")->given && tool_find_value(arguments, "points")->given) {
    tool_print_error(&tool->console, "--cell-size and --points exclude each other; give one of them");
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
    .details =
        "The tets enclose the surface and none is inverted. Small holes are bridged, with a warning (exit status 3).\n"
        "SURFACE may be a capture of depth cameras, or its folder: a surface is then made of its first cloud, closed "
        "around a bulky body and open for a thin sheet, and written as .ply, .obj or .stl or filled with tets.",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = mesh_verb,
};
