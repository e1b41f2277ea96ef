// pliant modes: the lowest vibrations of a body of tets: frequencies, and each shape as an animation.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool_folder.h"
#include "tool_open.h"
#include "tool_specimen.h"
#include "tool_verbs.h"

TOOL_DEFAULT(default_count, pl_default_modes_def().mode_count)

enum { FRAMES = 48 };  // of one period

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "DIR", .about = "folder for one animated .glb per mode"},
    {"table", .kind = TOOL_TEXT, .value = "FILE", .about = "CSV table to write: mode, frequency in Hz"},
    {"count", 'n', TOOL_COUNT, .value = "N", .min = 1, .max = 1000, .default_number = default_count, .about = "number of lowest modes"},
    {"size", .kind = TOOL_NUMBER, .value = "FRACTION", .min = 1e-6, .max = 10, .default_text = "0.1",
     .about = "largest displacement of an animation, as a fraction of the body's size"},
    TOOL_SPECIMEN_OPTIONS,
};
// clang-format on

// One period of a mode, seen on the surface.
static pl_status write_mode(pl_context *context, const pl_mesh *mesh, const pl_vec3 *shape, double size,
                            const char *path, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_mesh *surface = NULL;
  int32_t *origin = tool_allocate((size_t)view.point_count, sizeof *origin);
  pl_status status = pl_mesh_build_boundary(context, mesh, &surface, origin, error);
  if (status >= 0) {
    pl_mesh_view skin = pl_mesh_get_view(surface);
    pl_vec3 *points = tool_allocate((size_t)skin.point_count, sizeof *points);
    double most = 0;
    for (int32_t i = 0; i < view.point_count; ++i) most = fmax(most, pl_vec3_length(shape[i]));
    pl_frames_def def = pl_default_frames_def(PL_FRAMES_GLB);
    def.path = path;
    def.frame_rate = FRAMES;
    def.frame_count = FRAMES + 1;
    def.point_count = skin.point_count;
    def.triangles = skin.triangles;
    def.triangle_count = skin.triangle_count;
    def.name = "mode";
    pl_frames *frames = NULL;
    status = pl_frames_create(context, &def, &frames, error);
    for (int frame = 0; frame <= FRAMES && status >= 0; ++frame) {
      double factor = size / most * sin(2 * PL_PI * frame / FRAMES);
      for (int32_t i = 0; i < skin.point_count; ++i)
        points[i] = pl_vec3_add_scaled(skin.points[i], shape[origin[i]], factor);
      status = pl_frames_add_frame(frames, points, error);
    }
    if (status >= 0)
      status = pl_frames_close(frames, error);
    else
      pl_frames_abandon(frames);
    free(points);
  }
  pl_mesh_destroy(surface);
  free(origin);
  return status;
}

static pl_status write_table(pl_context *context, const double *frequencies, int32_t count, const char *path,
                             pl_error *error) {
  static const char *const names[2] = {"mode", "frequency"};
  double *cells = tool_allocate(2 * (size_t)count, sizeof *cells);
  for (int32_t k = 0; k < count; ++k) {
    cells[2 * k] = k + 1;
    cells[2 * k + 1] = frequencies[k];
  }
  pl_status status = pl_table_save(
      context, path, &(pl_table_view){.columns = names, .column_count = 2, .row_count = count, .cells = cells}, error);
  free(cells);
  return status;
}

static pl_status write_all(const tool_session *tool, const tool_arguments *arguments, pl_context *context,
                           const tool_specimen *specimen, const double *frequencies, const pl_vec3 *shapes,
                           int32_t count, pl_error *error) {
  const tool_value *output = tool_find_value(arguments, "output"), *table = tool_find_value(arguments, "table");
  pl_mesh_view view = pl_mesh_get_view(specimen->mesh);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  double size = tool_get_number(arguments, "size") * pl_vec3_distance(box.min, box.max);
  pl_status status = PL_OK;
  for (int32_t k = 0; output->given && k < count && status >= 0; ++k) {
    char path[1024];
    snprintf(path, sizeof path, "%s/mode%02d", output->text, k + 1);
    status = write_mode(context, specimen->mesh, shapes + (ptrdiff_t)k * view.point_count, size, path, error);
  }
  if (output->given && status >= 0) tool_print(&tool->console, "%d animations in %s", count, output->text);
  if (table->given && status >= 0) status = write_table(context, frequencies, count, table->text, error);
  return status;
}

static int find_modes(const tool_session *tool, const tool_arguments *arguments, pl_context *context,
                      const tool_specimen *specimen) {
  pl_error error = {0};
  pl_modes_def def = pl_default_modes_def();
  int32_t points = pl_mesh_get_view(specimen->mesh).point_count;
  def.mode_count = (int32_t)tool_get_count(arguments, "count");
  def.pinned = specimen->held;
  def.pinned_count = specimen->held_count;
  def.direct = pl_cholmod_backend();
  double *frequencies = tool_allocate((size_t)def.mode_count, sizeof *frequencies);
  pl_vec3 *shapes = tool_allocate((size_t)def.mode_count * (size_t)points, sizeof *shapes);
  pl_status status = pl_modes_find(context, specimen->model, &def, frequencies, shapes, &error);
  bool remarks = specimen->remarks || status == PL_REMARK_NOT_CONVERGED;
  if (status == PL_REMARK_NOT_CONVERGED) tool_print_warning(&tool->console, "not all modes converged; those are 0");
  for (int32_t k = 0; status >= 0 && k < def.mode_count; ++k)
    tool_print(&tool->console, "mode %-4d %12.6g Hz", k + 1, frequencies[k]);
  if (status >= 0) status = write_all(tool, arguments, context, specimen, frequencies, shapes, def.mode_count, &error);
  free(frequencies);
  free(shapes);
  if (status < 0) return tool_report_error(&tool->console, &error);
  return remarks ? TOOL_REMARKS : TOOL_DONE;
}

static int modes_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_value *output = tool_find_value(arguments, "output");
  if (output->given && !tool_folder_make(tool, output->text)) return TOOL_FAILED;
  pl_context *context = tool_open_context(tool, 0);
  if (context == NULL) return TOOL_FAILED;
  tool_specimen specimen;
  int code = TOOL_FAILED;
  if (tool_specimen_open(tool, arguments, context, &specimen)) code = find_modes(tool, arguments, context, &specimen);
  tool_specimen_close(&specimen);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_modes_verb = {
    .name = "modes",
    .words = "MESH",
    .summary = "find the lowest vibrations of a body of tets: frequencies and animated shapes",
    .details = "Without --hold the first six modes are the rigid motions, at about 0 Hz. Damping is left out.",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = modes_verb,
};
