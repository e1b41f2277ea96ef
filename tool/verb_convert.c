// pliant convert: meshes from one format to another, and point caches between PC2 and MDD.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    TOOL_SCALE_OPTION(.about = "scale everything, such as 0.001 for millimetres to metres"),
    {"frame-rate", .kind = TOOL_NUMBER, .value = "RATE", .min = 1e-3, .max = 1e6, .default_text = "60",
     .about = "frames per second of a .pc2 file, which does not store its rate"},
};
// clang-format on

// What mesh formats can hold.
typedef struct mesh_target {
  const char *ending;
  bool segments, tets, groups, poses, quadratic;
} mesh_target;

static const mesh_target TARGETS[] = {
    {.ending = "obj", .segments = true},
    {.ending = "ply", .segments = true},
    {.ending = "stl"},
    {.ending = "msh", .segments = true, .tets = true, .quadratic = true},
    {.ending = "vtk", .segments = true, .tets = true, .groups = true, .poses = true, .quadratic = true},
    {.ending = "vtu", .segments = true, .tets = true, .groups = true, .poses = true, .quadratic = true},
    {.ending = "inp", .segments = true, .tets = true, .quadratic = true},
    {.ending = "mesh", .segments = true, .tets = true},
    {.ending = "node", .tets = true},
    {.ending = "glb", .segments = true, .groups = true, .poses = true},
};

static const mesh_target *find_target(const char *path) {
  for (size_t i = 0; i < sizeof TARGETS / sizeof TARGETS[0]; ++i)
    if (tool_has_ending(path, TARGETS[i].ending)) return &TARGETS[i];
  return NULL;
}

// Number of groups that hold some points but not all. A group of all points carries no information: it comes from the
// name of the only object of an OBJ file.
static int32_t count_partial_groups(const pl_mesh_view *mesh) {
  int32_t count = 0;
  for (int32_t g = 0; g < mesh->group_count; ++g) {
    int32_t point = 0;
    while (point < mesh->point_count && mesh->groups[g].weights[point] == 1) ++point;
    if (point < mesh->point_count) ++count;
  }
  return count;
}

// Print what the target leaves out; true if there is anything.
static bool warn_of_losses(const tool_session *tool, const mesh_target *target, const pl_mesh_view *mesh) {
  const struct {
    const char *what;
    int32_t count;
    bool kept;
  } parts[] = {{"segments", mesh->segment_count, target->segments},
               {"tets", mesh->tet_count, target->tets},
               {"vertex groups", count_partial_groups(mesh), target->groups},
               {"poses", mesh->pose_count, target->poses},
               {"nodes on the edges of tets", mesh->tet_mids != NULL ? 1 : 0, target->quadratic || !target->tets}};
  bool lost = false;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    if (parts[i].count == 0 || parts[i].kept) continue;
    tool_print_warning(&tool->console, ".%s files cannot hold %s; %d are left out%s", target->ending, parts[i].what,
                       parts[i].count, i == 1 ? " and the surface is written" : "");
    lost = true;
  }
  return lost;
}

// Print what a mesh does not hold of its file; true if there is anything.
static bool warn_of_appearance(const tool_session *tool, const char *from, const pl_mesh_appearance *file,
                               const pl_mesh_view *mesh) {
  const struct {
    const char *what;
    bool lost;
  } parts[] = {{"normals", file->normals},
               {"texture coordinates", file->texture_coordinates},
               {"materials", file->material_count > 0},
               {"skins", file->skin_count > 0},
               {"animations", file->animation_count > 0}};
  char list[128] = "";
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    if (parts[i].lost)
      snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] != '\0' ? ", " : "", parts[i].what);
  if (list[0] != '\0') tool_print_warning(&tool->console, "left out of '%s': %s", from, list);
  if (mesh->point_of_source != NULL)
    tool_print_warning(&tool->console,
                       "%d vertices of '%s' become %d points, because vertices that were split along seams are one "
                       "again; point caches for the file do not fit the result",
                       mesh->source_count, from, mesh->point_count);
  return list[0] != '\0' || mesh->point_of_source != NULL;
}

static int convert_mesh(const tool_session *tool, pl_context *context, const char *from, const char *to, double scale) {
  const mesh_target *target = find_target(to);
  if (target == NULL) {
    tool_print_error(&tool->console,
                     "'%s' is not a mesh format; use .obj .ply .stl .msh .vtk .vtu .mesh .node .inp or .glb", to);
    return TOOL_USAGE;
  }
  bool remarks = false;
  pl_error error = {0};
  pl_mesh_appearance file = {.format = PL_MESH_FORMAT_UNKNOWN};
  // A file that cannot be read is reported below.
  (void)pl_mesh_file_get_appearance(context, from, &file, NULL);
  bool gltf = file.format == PL_MESH_FORMAT_GLB || file.format == PL_MESH_FORMAT_GLTF;
  if (gltf && strcmp(target->ending, "glb") == 0) {
    pl_status copied = pl_mesh_file_copy_gltf(context, from, to, scale, &error);
    return copied < 0 ? tool_report_error(&tool->console, &error) : TOOL_DONE;
  }
  pl_mesh *mesh = tool_open_mesh(tool, context, from, scale, &remarks);
  if (mesh == NULL) return TOOL_FAILED;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (warn_of_losses(tool, target, &view)) remarks = true;
  if (warn_of_appearance(tool, from, &file, &view)) remarks = true;
  pl_status status = pl_mesh_save(context, to, mesh, &error);
  pl_mesh_destroy(mesh);
  if (status < 0) return tool_report_error(&tool->console, &error);
  return remarks ? TOOL_REMARKS : TOOL_DONE;
}

static pl_status copy_frames(pl_frame_file *file, const pl_frame_file_report *facts, pl_frames *frames, double scale,
                             pl_error *error) {
  pl_vec3 *points = tool_allocate((size_t)facts->point_count, sizeof *points);
  pl_status status = PL_OK;
  for (int32_t frame = 0; frame < facts->frame_count && status >= 0; ++frame) {
    status = pl_frame_file_read(file, frame, points, error);
    for (int32_t i = 0; i < facts->point_count; ++i)
      points[i] = (pl_vec3){scale * points[i].x, scale * points[i].y, scale * points[i].z};
    if (status >= 0) status = pl_frames_add_frame(frames, points, error);
  }
  free(points);
  return status;
}

static int convert_frames(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                          double scale) {
  const char *from = arguments->words[0], *to = arguments->words[1];
  double host_rate = tool_get_number(arguments, "frame-rate");
  pl_frame_format format = tool_has_ending(to, "pc2")   ? PL_FRAMES_PC2
                           : tool_has_ending(to, "mdd") ? PL_FRAMES_MDD
                           : tool_has_ending(to, "csv") ? PL_FRAMES_CSV
                                                        : 0;
  if (format == 0) {
    tool_print_error(&tool->console,
                     "'%s' is not a point cache format, and point caches have no triangles; use .pc2 .mdd or .csv", to);
    return TOOL_USAGE;
  }
  pl_frame_file *file = NULL;
  pl_frame_file_report facts;
  pl_frames *frames = NULL;
  pl_error error = {0};
  char *path = tool_text("%.*s", (int)(strlen(to) - strlen(tool_ending(to)) - 1), to);
  pl_status status = pl_frame_file_open(context, from, &file, &facts, &error);
  if (status >= 0) {
    pl_frames_def def = pl_default_frames_def(format);
    def.path = path;
    // PC2 counts in frames of the host's project; a file of one frame has no rate.
    bool counts_frames = facts.format == PL_FRAMES_PC2;
    def.frame_rate = counts_frames ? facts.frame_rate * host_rate : facts.frame_rate > 0 ? facts.frame_rate : host_rate;
    def.start_time = counts_frames ? facts.start_time / host_rate : facts.start_time;
    def.frame_count = facts.frame_count;
    def.point_count = facts.point_count;
    status = pl_frames_create(context, &def, &frames, &error);
  }
  if (status >= 0) status = copy_frames(file, &facts, frames, scale, &error);
  if (status >= 0)
    status = pl_frames_close(frames, &error);
  else
    pl_frames_abandon(frames);
  pl_frame_file_close(file);
  free(path);
  return status < 0 ? tool_report_error(&tool->console, &error) : TOOL_DONE;
}

static int convert_verb(const tool_session *tool, const tool_arguments *arguments) {
  const char *from = arguments->words[0], *to = arguments->words[1];
  double factor = tool_get_number(arguments, "scale");
  tool_file_kind kind = tool_file_detect(tool, from);
  if (kind == TOOL_FILE_MISSING) return TOOL_FAILED;
  if (kind == TOOL_FILE_SCENE || kind == TOOL_FILE_CHECKPOINT) {
    tool_print_error(&tool->console, "'%s' is a %s; convert takes meshes and point caches", from,
                     kind == TOOL_FILE_SCENE ? "scene" : "checkpoint");
    return TOOL_FAILED;
  }
  pl_context *context = tool_open_context(tool, 0);
  if (context == NULL) return TOOL_FAILED;
  int code = kind == TOOL_FILE_FRAMES ? convert_frames(tool, context, arguments, factor)
                                      : convert_mesh(tool, context, from, to, factor);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_convert_verb = {
    .name = "convert",
    .words = "IN OUT",
    .summary = "write a mesh or a point cache in another format",
    .details =
        "The ending of OUT selects the format: .obj .ply .stl .msh .vtk .vtu .mesh .node .glb for meshes, .pc2 .mdd "
        ".csv for point "
        "caches. A glTF or GLB file becomes a GLB file whole. Otherwise a warning names what is lost (exit status 3).",
    .min_words = 2,
    .max_words = 2,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = convert_verb,
};
