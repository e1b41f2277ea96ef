// pliant pose: transfers poses of a surface to the tets that it is embedded in.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_verbs.h"

TOOL_DEFAULT(default_weight, pl_default_pose_def().weight)

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "FILE", .required = true,
     .about = "file to write, tets with their poses: .vtu or .vtk"},
    TOOL_POINTS_OPTION(2e6, .about = "make the tets: a lattice of about N points around SURFACE",
     .more = "The words are then SURFACE [POSED...]."),
    TOOL_CELL_SIZE_OPTION(.about = "make the tets: a lattice with cells of this edge length in metres"),
    {"volume", .kind = TOOL_FLAG, .about = "POSED files hold the points of TETS; there is no SURFACE and nothing is fitted",
     .more = "The words are then TETS [POSED...]; the poses are checked and collected in one file."},
    {"weight", .kind = TOOL_NUMBER, .value = "W", .min = 1e-6, .max = 1e6, .default_number = default_weight,
     .about = "how strongly the surface pulls the tets",
     .more = "At 1, a surface point one tet edge away from its pose costs as much as a tet stretched to twice its length."},
    {"exact", .kind = TOOL_FLAG, .about = "impose the posed surface exactly, even where tets are inverted"},
    {"match", .kind = TOOL_FLAG, .about = "find the vertices of POSED files that number them in another order, by the faces"},
    TOOL_SCALE_OPTION(.about = "scale every file that is read, such as 0.001 for millimetres"),
};
// clang-format on

// Poses from files of their own, in the order of the command line.
typedef struct pose_files {
  int count;
  pl_pose_source sources[TOOL_MAX_WORDS];
  const char *words[TOOL_MAX_WORDS];
} pose_files;

typedef struct pose_job {
  const tool_session *tool;
  const tool_arguments *arguments;
  pl_context *context;
  double scale;
  const char *rest_path;
  pl_mesh *tets, *surface;  // as read
  pl_mesh *posed;           // whichever of the two has the poses, with all of them
  pose_files files;
  bool remarks;
} pose_job;

static void free_job(pose_job *job) {
  for (int i = 0; i < job->files.count; ++i) {
    free((void *)job->files.sources[i].name);
    free((void *)job->files.sources[i].points);
  }
  pl_mesh_destroy(job->posed);
  pl_mesh_destroy(job->surface);
  pl_mesh_destroy(job->tets);
}

// The name of a file without folder and ending.
static char *base_name(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
  return tool_text("%.*s", (int)(dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name)), name);
}

// FILE:NUMBER, a frame of a point cache: pointer to the colon, or NULL.
static const char *find_frame(const char *path) {
  const char *colon = strrchr(path, ':');
  if (colon == NULL || colon[1] == '\0' || tool_is_file(path)) return NULL;
  for (const char *at = colon + 1; *at != '\0'; ++at)
    if (!isdigit((unsigned char)*at)) return NULL;
  return colon;
}

static bool read_frame(pose_job *job, const char *path, long frame, pl_pose_source *source) {
  pl_frame_file *file = NULL;
  pl_frame_file_report facts;
  pl_error error = {0};
  pl_vec3 *points = NULL;
  pl_status status = pl_frame_file_open(job->context, path, &file, &facts, &error);
  if (status >= 0) {
    points = tool_allocate((size_t)facts.point_count, sizeof *points);
    status = pl_frame_file_read(file, frame < INT32_MAX ? (int32_t)frame : INT32_MAX, points, &error);
    for (int32_t i = 0; i < facts.point_count; ++i)
      points[i] = (pl_vec3){job->scale * points[i].x, job->scale * points[i].y, job->scale * points[i].z};
    source->point_count = facts.point_count;
    source->points = points;
  }
  pl_frame_file_close(file);
  if (status < 0) tool_report_error(&job->tool->console, &error);
  return status >= 0;
}

// Points of a file whose vertices are numbered otherwise, in the order of the rest shape's points.
static bool match_points(pose_job *job, const char *path, const pl_mesh *mesh, pl_pose_source *source) {
  const pl_mesh *rest = job->surface != NULL ? job->surface : job->tets;
  pl_mesh_view view = pl_mesh_get_view(rest), posed = pl_mesh_get_view(mesh);
  int32_t *posed_of_rest = tool_allocate((size_t)view.point_count, sizeof *posed_of_rest);
  pl_pose_match_report report;
  pl_error error = {0};
  bool good = pl_poses_match(job->context, rest, mesh, posed_of_rest, &report, &error) >= 0;
  if (good) {
    pl_vec3 *points = tool_allocate((size_t)view.point_count, sizeof *points);
    for (int32_t i = 0; i < view.point_count; ++i) points[i] = posed.points[posed_of_rest[i]];
    source->point_count = view.point_count;
    source->points = points;
    tool_print(&job->tool->console, "%s: %d of %d vertices have another number (ways to match them: %d)", path,
               report.moved_count, view.point_count, report.way_count);
  } else {
    snprintf(error.file, sizeof error.file, "%s", path);
    tool_report_error(&job->tool->console, &error);
  }
  free(posed_of_rest);
  return good;
}

// Points of a mesh file in its own vertex order, which is that of the file of the rest shape.
static bool read_points(pose_job *job, const char *path, pl_pose_source *source) {
  pl_mesh *mesh = tool_open_mesh(job->tool, job->context, path, job->scale, &job->remarks);
  if (mesh == NULL) return false;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (tool_find_value(job->arguments, "match")->given) {
    bool good = match_points(job, path, mesh, source);
    pl_mesh_destroy(mesh);
    return good;
  }
  source->point_count = view.source_count > 0 ? view.source_count : view.point_count;
  pl_vec3 *points = tool_allocate((size_t)source->point_count, sizeof *points);
  for (int32_t i = 0; i < source->point_count; ++i)
    points[i] = view.points[view.source_count > 0 ? view.point_of_source[i] : i];
  source->points = points;
  pl_mesh_destroy(mesh);
  return true;
}

// One POSED word: [NAME=]FILE or [NAME=]FILE:FRAME.
static bool read_pose(pose_job *job, const char *word) {
  pl_pose_source *source = &job->files.sources[job->files.count];
  const char *equals = strchr(word, '='), *path = word, *colon;
  char *name = NULL;
  if (equals != NULL && equals != word && !tool_is_file(word)) {
    name = tool_text("%.*s", (int)(equals - word), word);
    path = equals + 1;
  }
  job->files.words[job->files.count++] = word;
  bool good;
  if ((colon = find_frame(path)) != NULL) {
    char *file = tool_text("%.*s", (int)(colon - path), path), *base = base_name(file);
    if (name == NULL) name = tool_text("%s:%s", base, colon + 1);
    good = read_frame(job, file, strtol(colon + 1, NULL, 10), source);
    free(base);
    free(file);
  } else {
    if (name == NULL) name = base_name(path);
    good = read_points(job, path, source);
  }
  source->name = name;
  return good;
}

// Read the files on the command line. False on failure (printed).
static bool read_files(pose_job *job) {
  const tool_arguments *arguments = job->arguments;
  bool is_volume = tool_find_value(arguments, "volume")->given;
  bool makes_tets = tool_find_value(arguments, "points")->given || tool_find_value(arguments, "cell-size")->given;
  int next = 0;
  if (!makes_tets) {
    job->rest_path = arguments->words[next++];
    job->tets = tool_open_mesh(job->tool, job->context, job->rest_path, job->scale, &job->remarks);
    if (job->tets == NULL) return false;
  }
  if (!is_volume) {
    job->rest_path = arguments->words[next++];
    job->surface = tool_open_mesh(job->tool, job->context, job->rest_path, job->scale, &job->remarks);
    if (job->surface == NULL) return false;
  }
  bool good = true;
  for (; next < arguments->word_count; ++next)
    if (!read_pose(job, arguments->words[next])) good = false;
  return good;
}

// The rest shape with all poses. Every pose that does not fit is reported.
static bool join_poses(pose_job *job) {
  const tool_console *console = &job->tool->console;
  const pl_mesh *rest = job->surface != NULL ? job->surface : job->tets;
  pl_error error = {0};
  bool good = true;
  for (int i = 0; i < job->files.count; ++i) {
    if (pl_poses_from_points(job->context, rest, &job->files.sources[i], 1, NULL, &error) >= 0) continue;
    snprintf(error.file, sizeof error.file, "%s", job->files.words[i]);
    tool_report_error(console, &error);
    good = false;
  }
  if (!good) return false;
  if (pl_poses_from_points(job->context, rest, job->files.sources, job->files.count, &job->posed, &error) < 0) {
    tool_report_error(console, &error);
    return false;
  }
  if (pl_mesh_get_view(job->posed).pose_count > 0) return true;
  tool_print_error(console, "%s has no poses (morph targets); give it some, or name posed files", job->rest_path);
  return false;
}

// Print findings about the poses. False if one is unusable.
static bool check_poses(pose_job *job) {
  pl_findings *findings = NULL;
  pl_error error = {0};
  pl_status status = pl_findings_create(job->context, &findings, &error);
  if (status >= 0) status = pl_poses_check(job->context, job->posed, findings, &error);
  if (findings != NULL) {
    tool_report_findings(&job->tool->console, findings, PL_SEVERITY_WARNING, job->rest_path);
    if (pl_findings_count(findings, PL_SEVERITY_WARNING) > 0) job->remarks = true;
  }
  if (status < 0 && (findings == NULL || pl_findings_count(findings, PL_SEVERITY_ERROR) == 0))
    tool_report_error(&job->tool->console, &error);
  pl_findings_destroy(findings);
  return status >= 0;
}

static bool make_tets(pose_job *job) {
  if (job->tets != NULL) return true;
  const tool_value *cell = tool_find_value(job->arguments, "cell-size"),
                   *points = tool_find_value(job->arguments, "points");
  pl_lattice_def def = pl_default_lattice_def();
  pl_lattice_report report;
  pl_error error = {0};
  if (points->given) def.target_point_count = (int32_t)points->count;
  if (cell->given) def.cell_size = cell->number;
  if (pl_lattice_build(job->context, &def, job->surface, &job->tets, &report, &error) < 0) {
    snprintf(error.file, sizeof error.file, "%s", job->rest_path);
    tool_report_error(&job->tool->console, &error);
    return false;
  }
  pl_mesh_view view = pl_mesh_get_view(job->tets);
  tool_print(&job->tool->console, "tets:  %d points, %d tets, cells of %.4g m", view.point_count, view.tet_count,
             report.cell_size);
  return true;
}

// One row per pose on standard output, and warnings on standard error.
static void print_reports(pose_job *job, const pl_mesh_view *view, const pl_pose_report *reports) {
  const tool_console *console = &job->tool->console;
  int width = 4;
  for (int32_t i = 0; i < view->pose_count; ++i)
    if ((int)strlen(view->poses[i].name) > width) width = (int)strlen(view->poses[i].name);
  printf("%-*s  %12s  %12s  %9s  %9s  %8s  %8s  %8s\n", width, "pose", "rms (m)", "max (m)", "min J", "max J",
         "inverted", "weight", "softened");
  for (int32_t i = 0; i < view->pose_count; ++i) {
    const pl_pose_report *r = &reports[i];
    const char *name = view->poses[i].name;
    printf("%-*s  %12.4g  %12.4g  %9.3g  %9.3g  %8d  %8.3g  %8d\n", width, name, r->residual_rms, r->residual_max,
           r->min_j, r->max_j, r->inverted_count, r->weight, r->softened_count);
    if (r->inverted_count > 0)
      tool_print_warning(
          console, "pose '%s' inverts %d tets%s", name, r->inverted_count,
          tool_find_value(job->arguments, "exact")->given ? "; without --exact the surface gives way there" : "");
    if (r->softened_count > 0)
      tool_print_warning(
          console, "pose '%s' is not reached at %d points, where it would invert tets: up to %.3g m away (point %d)",
          name, r->softened_count, r->residual_max, r->farthest_point);
    if (!r->converged)
      tool_print_warning(console,
                         "pose '%s' reached the maximum of iterations before it converged; the result is usable", name);
    job->remarks = job->remarks || r->inverted_count > 0 || r->softened_count > 0 || !r->converged;
  }
}

static pl_status fit_poses(pose_job *job, pl_mesh **posed_tets, pl_error *error) {
  pl_pose_def def = pl_default_pose_def();
  def.weight = tool_get_number(job->arguments, "weight");
  def.exact = tool_find_value(job->arguments, "exact")->given;
  pl_mesh_view view = pl_mesh_get_view(job->posed);
  pl_pose_report *reports = tool_allocate((size_t)view.pose_count, sizeof *reports);
  double begin = tool_seconds();
  pl_status status = pl_poses_from_surface(job->context, &def, &(pl_pose_target){job->tets, job->posed, NULL},
                                           posed_tets, reports, error);
  if (status >= 0) {
    tool_print(&job->tool->console, "poses: %d fitted in %.2f s", view.pose_count, tool_seconds() - begin);
    print_reports(job, &view, reports);
  } else if (error->file[0] == '\0') {
    snprintf(error->file, sizeof error->file, "%s", job->rest_path);
  }
  free(reports);
  return status;
}

static int pose(pose_job *job) {
  const char *output = tool_find_value(job->arguments, "output")->text;
  pl_mesh *fitted = NULL;
  pl_error error = {0};
  if (!read_files(job) || !join_poses(job) || !check_poses(job)) return TOOL_FAILED;
  pl_status status = PL_OK;
  if (job->surface != NULL) {
    if (!make_tets(job)) return TOOL_FAILED;
    status = fit_poses(job, &fitted, &error);
  }
  if (status >= 0) status = pl_mesh_save(job->context, output, fitted != NULL ? fitted : job->posed, &error);
  pl_mesh_destroy(fitted);
  if (status < 0) return tool_report_error(&job->tool->console, &error);
  return job->remarks ? TOOL_REMARKS : TOOL_DONE;
}

// Check combinations of options; prints what is wrong.
static bool check_options(const tool_session *tool, const tool_arguments *arguments) {
  const tool_value *output = tool_find_value(arguments, "output");
  bool points = tool_find_value(arguments, "points")->given, cell = tool_find_value(arguments, "cell-size")->given;
  bool is_volume = tool_find_value(arguments, "volume")->given, exact = tool_find_value(arguments, "exact")->given;
  const char *wrong = NULL;
  if (!tool_has_ending(output->text, "vtu") && !tool_has_ending(output->text, "vtk"))
    wrong = "pose writes .vtu and .vtk files, which hold tets and poses together; choose another ending for --output";
  else if (points && cell)
    wrong = "--cell-size and --points exclude each other; give one of them";
  else if (is_volume && (points || cell))
    wrong = "--volume takes the tets from TETS; leave out --points and --cell-size";
  else if (exact && tool_find_value(arguments, "weight")->given)
    wrong = "--exact sets the weight itself; leave out --weight";
  else if (!points && !cell && arguments->word_count < 2)
    wrong = "pose needs TETS and SURFACE, or --points to make the tets";
  if (wrong != NULL) tool_print_error(&tool->console, "%s", wrong);
  return wrong == NULL;
}

static int pose_verb(const tool_session *tool, const tool_arguments *arguments) {
  if (!check_options(tool, arguments)) return TOOL_USAGE;
  pose_job job = {.tool = tool, .arguments = arguments, .scale = tool_get_number(arguments, "scale")};
  job.context = tool_open_context(tool, 0);
  if (job.context == NULL) return TOOL_FAILED;
  int code = pose(&job);
  free_job(&job);
  pl_context_destroy(job.context);
  return code;
}

const tool_verb tool_pose_verb = {
    .name = "pose",
    .words = "[TETS] SURFACE [POSED...]",
    .summary = "transfer poses of a surface to the tets that it is embedded in",
    .details =
        "The poses are the morph targets of SURFACE, or the POSED files: the same surface in another pose, each "
        "[NAME=]FILE, or "
        "[NAME=]FILE.pc2:FRAME for a frame of a point cache. TETS are left out when --points or --cell-size makes "
        "them.\n"
        "Standard output has a table with one row per pose: distance of the fitted surface from the posed one, "
        "smallest and "
        "largest J (volume of a tet relative to its rest volume), inverted tets, the smallest weight used, and the "
        "number of "
        "points with a reduced weight. Where a pose would invert tets the surface gives way, with a warning (exit "
        "status 3).",
    .min_words = 1,
    .max_words = TOOL_MAX_WORDS,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = pose_verb,
};
