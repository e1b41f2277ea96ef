// pliant solve: the shape in which a held body of tets rests under its weight and a force, with reactions and stress.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool_folder.h"
#include "tool_open.h"
#include "tool_specimen.h"
#include "tool_verbs.h"

TOOL_DEFAULT(default_steps, pl_default_fem_equilibrium_def().load_steps)

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "FILE", .about = "mesh to write with the displacement as pose `solved`: .vtu or .vtk"},
    {"table", .kind = TOOL_TEXT, .value = "FILE", .about = "CSV table to write: place, displacement and reaction of every point"},
    {"stress", .kind = TOOL_TEXT, .value = "FILE", .about = "CSV table to write: Cauchy stress of every tet in pascals, and von Mises'"},
    TOOL_SPECIMEN_OPTIONS,
    {"gravity", .kind = TOOL_TEXT, .value = "X,Y,Z", .default_text = "0,-9.81,0", .about = "acceleration in m/s^2"},
    {"force", .kind = TOOL_TEXT, .value = "X,Y,Z", .about = "force in newtons, divided equally among the points of --on"},
    {"on", .kind = TOOL_TEXT, .value = "BOX", .about = "box x,y,z,x,y,z of the points that --force pulls at"},
    {"load-steps", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 1e6, .default_number = default_steps,
     .about = "apply the load in this many steps, for bodies that bend far"},
};
// clang-format on

typedef struct solution {
  int32_t point_count, tet_count;
  pl_vec3 *positions, *forces, *reactions;
  double *stresses;  // 6 per tet
  pl_fem_report report;
} solution;

static void free_solution(solution *s) {
  free(s->positions);
  free(s->forces);
  free(s->reactions);
  free(s->stresses);
}

// Divide --force among the points in --on.
static bool spread_force(const tool_session *tool, const tool_arguments *arguments, const pl_mesh_view *mesh,
                         pl_vec3 *forces) {
  const tool_value *force = tool_find_value(arguments, "force"), *on = tool_find_value(arguments, "on");
  double box[6];
  pl_vec3 all;
  if (force->given != on->given) {
    tool_print_error(&tool->console, "--force and --on belong together: the force, and the box of points it pulls at");
    return false;
  }
  if (!force->given) return true;
  if (!tool_specimen_vector(tool, "force", force->text, &all)) return false;
  if (!tool_box_read(on->text, box)) {
    tool_print_error(&tool->console, "--on takes a box of six numbers x,y,z,x,y,z, not '%s'", on->text);
    return false;
  }
  int32_t count = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int32_t i = 0; i < mesh->point_count; ++i) {
      if (!tool_box_contains(box, mesh->points[i])) continue;
      if (pass == 0)
        count++;
      else
        forces[i] = pl_vec3_scale(all, 1.0 / count);
    }
  if (count == 0) tool_print_error(&tool->console, "no point of the mesh is in the box of --on");
  return count > 0;
}

static double von_mises(const double s[6]) {
  double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

static void print_solution(const tool_session *tool, const tool_specimen *specimen, const solution *s) {
  pl_mesh_view mesh = pl_mesh_get_view(specimen->mesh);
  double max = 0, worst = 0;
  int32_t point = 0, tet = 0;
  pl_vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
  for (int32_t i = 0; i < s->point_count; ++i) {
    double moved = pl_vec3_distance(s->positions[i], mesh.points[i]);
    if (moved > max) max = moved, point = i;
    sum = pl_vec3_add(sum, s->reactions[i]);
    moment = pl_vec3_add(moment, pl_vec3_cross(s->positions[i], s->reactions[i]));
  }
  for (int32_t t = 0; t < s->tet_count; ++t) {
    double size = von_mises(s->stresses + 6 * (ptrdiff_t)t);
    if (size > worst) worst = size, tet = t;
  }
  pl_vec3 u = pl_vec3_sub(s->positions[point], mesh.points[point]);
  tool_print(&tool->console, "body:         %d points, %d %s tets, %d points held", s->point_count, s->tet_count,
             mesh.tet_mids != NULL ? "quadratic" : "linear", specimen->held_count);
  tool_print(&tool->console, "displacement: %.6g m at point %d (%.4g, %.4g, %.4g): (%.6g, %.6g, %.6g)", max, point,
             mesh.points[point].x, mesh.points[point].y, mesh.points[point].z, u.x, u.y, u.z);
  tool_print(&tool->console, "reaction:     (%.6g, %.6g, %.6g) N, moment about the origin (%.6g, %.6g, %.6g) N m",
             sum.x, sum.y, sum.z, moment.x, moment.y, moment.z);
  tool_print(&tool->console, "stress:       %.6g Pa by von Mises in tet %d", worst, tet);
  tool_print(&tool->console, "energy:       %.6g J; %d Newton iterations, residual %.1e of the load", s->report.energy,
             s->report.newton_count, s->report.relative_residual);
}

static pl_status write_points(pl_context *context, const tool_specimen *specimen, const solution *s, const char *path,
                              pl_error *error) {
  static const char *const names[9] = {"x", "y", "z", "ux", "uy", "uz", "rx", "ry", "rz"};
  pl_mesh_view mesh = pl_mesh_get_view(specimen->mesh);
  double *cells = tool_allocate(9 * (size_t)s->point_count, sizeof *cells);
  for (int32_t i = 0; i < s->point_count; ++i) {
    pl_vec3 u = pl_vec3_sub(s->positions[i], mesh.points[i]);
    const double row[9] = {mesh.points[i].x,  mesh.points[i].y,  mesh.points[i].z, u.x, u.y, u.z,
                           s->reactions[i].x, s->reactions[i].y, s->reactions[i].z};
    for (int k = 0; k < 9; ++k) cells[9 * (ptrdiff_t)i + k] = row[k];
  }
  pl_status status = pl_table_save(
      context, path, &(pl_table_view){.columns = names, .column_count = 9, .row_count = s->point_count, .cells = cells},
      error);
  free(cells);
  return status;
}

static pl_status write_stress(pl_context *context, const solution *s, const char *path, pl_error *error) {
  static const char *const names[7] = {"xx", "yy", "zz", "xy", "yz", "xz", "von_mises"};
  double *cells = tool_allocate(7 * (size_t)s->tet_count, sizeof *cells);
  for (int32_t t = 0; t < s->tet_count; ++t) {
    for (int k = 0; k < 6; ++k) cells[7 * (ptrdiff_t)t + k] = s->stresses[6 * (ptrdiff_t)t + k];
    cells[7 * (ptrdiff_t)t + 6] = von_mises(s->stresses + 6 * (ptrdiff_t)t);
  }
  pl_status status = pl_table_save(
      context, path, &(pl_table_view){.columns = names, .column_count = 7, .row_count = s->tet_count, .cells = cells},
      error);
  free(cells);
  return status;
}

static pl_status write_mesh(pl_context *context, const tool_specimen *specimen, const solution *s, const char *path,
                            pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(specimen->mesh);
  pl_mesh_pose pose = {"solved", s->positions};
  pl_mesh *posed = NULL;
  view.poses = &pose;
  view.pose_count = 1;
  pl_status status = pl_mesh_create(context, &view, &posed, error);
  if (status >= 0) status = pl_mesh_save(context, path, posed, error);
  pl_mesh_destroy(posed);
  return status;
}

static int solve_body(const tool_session *tool, const tool_arguments *arguments, pl_context *context,
                      const tool_specimen *specimen, solution *s) {
  pl_mesh_view mesh = pl_mesh_get_view(specimen->mesh);
  pl_error error = {0};
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  s->point_count = mesh.point_count;
  s->tet_count = mesh.tet_count;
  s->positions = tool_allocate((size_t)mesh.point_count, sizeof *s->positions);
  s->forces = tool_allocate((size_t)mesh.point_count, sizeof *s->forces);
  s->reactions = tool_allocate((size_t)mesh.point_count, sizeof *s->reactions);
  s->stresses = tool_allocate(6 * (size_t)mesh.tet_count, sizeof *s->stresses);
  for (int32_t i = 0; i < mesh.point_count; ++i) s->positions[i] = mesh.points[i];
  if (!tool_specimen_vector(tool, "gravity", tool_get_text(arguments, "gravity"), &def.acceleration) ||
      !spread_force(tool, arguments, &mesh, s->forces))
    return TOOL_USAGE;
  def.forces = s->forces;
  def.pinned = specimen->held;
  def.pinned_count = specimen->held_count;
  def.reactions = s->reactions;
  def.load_steps = (int32_t)tool_get_count(arguments, "load-steps");
  pl_status status = pl_fem_equilibrium(context, specimen->model, &def, s->positions, &s->report, &error);
  if (status >= 0 && !s->report.converged)
    tool_print_warning(&tool->console, "the equilibrium was not found to the tolerance; try --load-steps 10");
  if (status >= 0) status = pl_fem_compute_stress(specimen->model, s->positions, s->stresses, &error);
  if (status < 0) return tool_report_error(&tool->console, &error);
  return s->report.converged && !specimen->remarks ? TOOL_DONE : TOOL_REMARKS;
}

static int write_all(const tool_session *tool, const tool_arguments *arguments, pl_context *context,
                     const tool_specimen *specimen, const solution *s) {
  pl_error error = {0};
  pl_status status = PL_OK;
  const tool_value *output = tool_find_value(arguments, "output"), *table = tool_find_value(arguments, "table"),
                   *stress = tool_find_value(arguments, "stress");
  if (output->given) status = write_mesh(context, specimen, s, output->text, &error);
  if (status >= 0 && table->given) status = write_points(context, specimen, s, table->text, &error);
  if (status >= 0 && stress->given) status = write_stress(context, s, stress->text, &error);
  return status < 0 ? tool_report_error(&tool->console, &error) : TOOL_DONE;
}

static int solve_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_value *output = tool_find_value(arguments, "output");
  if (output->given && !tool_has_ending(output->text, "vtu") && !tool_has_ending(output->text, "vtk")) {
    tool_print_error(&tool->console, "'%s' cannot hold a displacement; choose a .vtu or .vtk file", output->text);
    return TOOL_USAGE;
  }
  if (arguments->repeated_count == 0) {
    tool_print_error(&tool->console, "nothing holds the body; give --hold, such as a box x,y,z,x,y,z");
    return TOOL_USAGE;
  }
  pl_context *context = tool_open_context(tool, 0);
  if (context == NULL) return TOOL_FAILED;
  tool_specimen specimen;
  solution s = {0};
  int code = TOOL_FAILED;
  if (tool_specimen_open(tool, arguments, context, &specimen)) {
    code = solve_body(tool, arguments, context, &specimen, &s);
    if (code == TOOL_DONE || code == TOOL_REMARKS) {
      print_solution(tool, &specimen, &s);
      int written = write_all(tool, arguments, context, &specimen, &s);
      if (written != TOOL_DONE) code = written;
    }
  }
  free_solution(&s);
  tool_specimen_close(&specimen);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_solve_verb = {
    .name = "solve",
    .words = "MESH",
    .summary = "find how a held body of tets rests under its weight and a force",
    .details =
        "Prints the largest displacement, the reaction of what is held and the largest stress.\nExit status 3 where "
        "the tolerance was not reached.",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = solve_verb,
};
