// Writes the results of a fit: tables, the rest shape, a scene with the fitted body, and the report.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "tool_fit.h"
#include "tool_folder.h"

const char *fit_unit_of(const pl_fit_estimate *estimate) {
  return strncmp(estimate->name, "young", 5) == 0   ? "Pa"
         : strncmp(estimate->name, "mass", 4) == 0  ? "1/s"
         : strncmp(estimate->name, "stiff", 5) == 0 ? "s"
         : strstr(estimate->name, "time") != NULL   ? "s"
                                                    : "";
}

// --- tables
// -------------------------------------------------------------------------------------------------------------

static pl_status write_table(const fit_job *job, const char *name, const char *const *columns, int32_t column_count,
                             int64_t row_count, const double *cells, pl_error *error) {
  char *path = tool_text("%s/%s", job->folder, name);
  pl_status status =
      pl_table_save(job->context, path, &(pl_table_view){column_count, columns, row_count, cells}, error);
  free(path);
  return status;
}

// One row per parameter; the verdict as a number, 0 for determined.
static pl_status write_estimates(const fit_job *job, const pl_fit_report *found, pl_error *error) {
  static const char *const columns[] = {"value",          "min",        "max", "deviation", "verdict", "mesh_value",
                                        "discretisation", "lack_of_fit"};
  enum { COLUMN_COUNT = sizeof columns / sizeof *columns };
  double *cells = tool_allocate(COLUMN_COUNT * (size_t)found->parameter_count, sizeof *cells);
  for (int32_t i = 0; i < found->parameter_count; ++i) {
    const pl_fit_estimate *e = &found->estimates[i];
    const double row[COLUMN_COUNT] = {e->value,          e->min,        e->max, e->deviation, e->verdict, e->mesh_value,
                                      e->discretisation, e->lack_of_fit};
    memcpy(cells + COLUMN_COUNT * (size_t)i, row, sizeof row);
  }
  pl_status status = write_table(job, "estimates.csv", columns, COLUMN_COUNT, found->parameter_count, cells, error);
  free(cells);
  return status;
}

static pl_status write_correlations(const fit_job *job, const pl_fit_report *found, pl_error *error) {
  const char **columns = tool_allocate((size_t)found->parameter_count, sizeof *columns);
  for (int32_t i = 0; i < found->parameter_count; ++i) columns[i] = found->estimates[i].name;
  pl_status status = write_table(job, "correlations.csv", columns, found->parameter_count, found->parameter_count,
                                 found->correlations, error);
  free(columns);
  return status;
}

// Where each modulus applies: one row per control point, in the order of the estimates.
static pl_status write_controls(const fit_job *job, const pl_fit_report *found, pl_error *error) {
  static const char *const columns[] = {"x", "y", "z", "young", "min", "max", "verdict"};
  enum { COLUMN_COUNT = sizeof columns / sizeof *columns };
  pl_field_view field = pl_field_get_view(job->field);
  double *cells = tool_allocate(COLUMN_COUNT * (size_t)field.control_count, sizeof *cells);
  for (int32_t i = 0; i < field.control_count; ++i) {
    const pl_fit_estimate *e = &found->estimates[i];
    pl_vec3 at = field.points[i];
    const double row[COLUMN_COUNT] = {at.x, at.y, at.z, e->value, e->min, e->max, e->verdict};
    memcpy(cells + COLUMN_COUNT * (size_t)i, row, sizeof row);
  }
  pl_status status = write_table(job, "controls.csv", columns, COLUMN_COUNT, field.control_count, cells, error);
  free(cells);
  return status;
}

// --- the fitted body
// ----------------------------------------------------------------------------------------------------

static double volume_of(const pl_mesh_view *mesh, const pl_vec3 *points) {
  double sum = 0;
  for (int32_t t = 0; t < mesh->tet_count; ++t) {
    const int32_t *c = mesh->tets + 4 * (size_t)t;
    pl_vec3 o = points[c[0]], a = points[c[1]], b = points[c[2]], d = points[c[3]];
    double ax = a.x - o.x, ay = a.y - o.y, az = a.z - o.z, bx = b.x - o.x, by = b.y - o.y, bz = b.z - o.z;
    double dx = d.x - o.x, dy = d.y - o.y, dz = d.z - o.z;
    sum += fabs(dx * (ay * bz - az * by) + dy * (az * bx - ax * bz) + dz * (ax * by - ay * bx)) / 6;
  }
  return sum;
}

static pl_status write_body(const fit_job *job, const pl_vec3 *reference, const double *young, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(job->object->mesh);
  static const char *const columns[] = {"young"};
  pl_status status = write_table(job, "young.csv", columns, 1, view.tet_count, young, error);
  if (status < 0) return status;
  view.points = reference;
  view.poses = NULL;
  view.pose_count = 0;
  pl_mesh *mesh = NULL;
  char *path = tool_text("%s/reference.vtu", job->folder);
  status = pl_mesh_create(job->context, &view, &mesh, error);
  if (status >= 0) status = pl_mesh_save(job->context, path, mesh, error);
  pl_mesh_destroy(mesh);
  free(path);
  return status;
}

// What the object carries as `masses` of a scene, each at its point of the reference shape.
static char *list_masses(const double *masses, const pl_mesh_view *mesh, const pl_vec3 *reference) {
  char *text = tool_text("%s", "");
  double near = 1e-6 * pl_box_diagonal(pl_box_from_points(reference, mesh->point_count));
  for (int32_t i = 0; masses != NULL && i < mesh->point_count; ++i) {
    pl_vec3 p = reference[i];
    if (!(masses[i] > 0)) continue;
    char *longer = tool_text("%s%s{\"min\": [%.17g, %.17g, %.17g], \"max\": [%.17g, %.17g, %.17g], \"mass\": %.17g}",
                             text, text[0] != '\0' ? ", " : ", \"masses\": [", p.x - near, p.y - near, p.z - near,
                             p.x + near, p.y + near, p.z + near, masses[i]);
    free(text);
    text = longer;
  }
  if (text[0] == '\0') return text;
  char *closed = tool_text("%s]", text);
  free(text);
  return closed;
}

// A scene with the body as it was captured, to continue from. The library loads and saves it, so that it is valid.
static pl_status write_scene(const fit_job *job, const pl_fit_report *found, const pl_vec3 *reference,
                             pl_error *error) {
  const pl_fit_def *def = &job->settings->def;
  pl_mesh_view mesh = pl_mesh_get_view(job->object->mesh);
  const char *names[FIT_MAX_OTHERS];
  int32_t other_count = fit_list_others(def, names);
  const pl_fit_estimate *last = found->estimates + found->parameter_count - other_count;
  char *others = tool_text("%s", "");
  for (int32_t i = 0; i < other_count; ++i) {
    char *longer = tool_text("%s, \"%s\": %.17g", others, names[i], last[i].mesh_value);
    free(others);
    others = longer;
  }
  double density = def->density * volume_of(&mesh, mesh.points) / volume_of(&mesh, reference);
  double rate = job->object->motion_count > 0 ? job->object->motions[0].rate : 60,
         step = 1 / (rate * (job->object->motion_count > 0 ? found->steps : 8));
  char *held = tool_text("%s", "");
  for (int32_t i = 0; i < job->object->held_count; ++i) {
    char *longer = tool_text("%s%s%d", held, i > 0 ? ", " : "", job->object->held[i]);
    free(held);
    held = longer;
  }
  char *masses = list_masses(job->object->masses, &mesh, reference);
  char *text = tool_text(
      "{\"pliant\": 1, \"name\": \"fitted\", \"description\": \"A body whose material and shape were fitted to its "
      "motion.\",\n"
      "\"time\": {\"step\": %.17g, \"frame_rate\": %.17g, \"frames\": 150, \"warm_up\": 2},\n"
      "\"gravity\": [%.17g, %.17g, %.17g],\n"
      "\"meshes\": {\"reference\": {\"file\": \"reference.vtu\"}},\n"
      "\"bodies\": [{\"name\": \"object\", \"mesh\": \"reference\", \"method\": \"fem\",\n"
      "\"fem\": {\"material\": \"%s\", \"element\": \"%s\", \"density\": %.17g, \"young_table\": \"young.csv\"%s%s}, "
      "\"pins\": [{\"particles\": [%s]}]}]}\n",
      step, rate, def->gravity.x, def->gravity.y, def->gravity.z,
      def->material == PL_FEM_COROTATED ? "corotated" : "neo-hookean",
      def->element == PL_FEM_LINEAR ? "linear" : "quadratic", density, others, masses, held);
  free(others);
  free(masses);
  char *path = tool_text("%s/scene.json", job->folder);
  pl_scene *scene = NULL;
  pl_status status = pl_scene_load_memory(job->context, &(pl_memory_source){text, strlen(text), path, job->folder},
                                          &scene, NULL, error);
  if (status >= 0) status = pl_scene_save(job->context, path, scene, error);
  pl_scene_destroy(scene);
  free(path);
  free(text);
  free(held);
  return status;
}

// --- all of it
// ----------------------------------------------------------------------------------------------------------

static pl_status write_report(fit_job *job, const pl_fit_report *found, pl_error *error) {
  char *path = tool_text("%s/report.html", job->folder),
       *title = job->object->motion_count > 0 ? tool_text("Material of %s", job->object->motions[0].name)
                                              : tool_text("Material");
  pl_report *report = NULL;
  pl_status status = pl_report_create(job->context, path, title, &report, error);
  if (status >= 0) {
    status = fit_report(job, found, report, error);
    if (status >= 0)
      status = pl_report_close(report, error);
    else
      pl_report_abandon(report);
  }
  free(title);
  free(path);
  return status;
}

pl_status fit_write(fit_job *job, pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(job->object->mesh);
  pl_vec3 *reference = tool_allocate((size_t)mesh.point_count, sizeof *reference);
  double *young = tool_allocate((size_t)mesh.tet_count, sizeof *young);
  pl_fit_report found;
  pl_status status = pl_fit_get_report(job->fit, &found, error);
  if (status >= 0) status = pl_fit_get_fields(job->fit, reference, young);
  if (status >= 0) status = write_estimates(job, &found, error);
  if (status >= 0) status = write_controls(job, &found, error);
  if (status >= 0) status = write_correlations(job, &found, error);
  if (status >= 0) status = write_body(job, reference, young, error);
  if (status >= 0) status = write_scene(job, &found, reference, error);
  if (status >= 0) status = write_report(job, &found, error);
  free(reference);
  free(young);
  return status;
}

void fit_forget(const fit_job *job) {
  char *path = tool_text("%s/fit.checkpoint", job->folder);
  unlink(path);
  free(path);
}

static void print_json(const fit_job *job, const pl_fit_report *found) {
  printf("{\"folder\":");
  tool_print_json_text(job->folder);
  printf(",\"parameters\":[");
  for (int32_t i = 0; i < found->parameter_count; ++i) {
    const pl_fit_estimate *e = &found->estimates[i];
    const double interval[2] = {e->min, e->max};
    printf("%s{\"name\":", i > 0 ? "," : "");
    tool_print_json_text(e->name);
    printf(",\"value\":");
    tool_print_json_number(e->value);
    printf(",\"interval\":");
    tool_print_json_numbers(interval, 2);
    printf(",\"unit\":");
    tool_print_json_text(fit_unit_of(e));
    printf(",\"verdict\":");
    tool_print_json_text(pl_fit_verdict_name(e->verdict));
    putchar('}');
  }
  printf("],\"correlations\":[");
  for (int32_t i = 0; i < found->parameter_count; ++i) {
    if (i > 0) putchar(',');
    tool_print_json_numbers(found->correlations + (ptrdiff_t)i * found->parameter_count, found->parameter_count);
  }
  printf("],\"rms\":");
  tool_print_json_number(found->rms);
  printf(",\"amplitude\":");
  tool_print_json_number(found->amplitude);
  printf(",\"shape_acceleration\":");
  pl_vec3 a = found->shape_acceleration;
  tool_print_json_numbers((const double[]){a.x, a.y, a.z}, 3);
  printf(",\"converged\":%s,\"iterations\":%d,\"simulations\":%d,\"seconds\":", found->converged ? "true" : "false",
         found->iteration_count, found->evaluation_count);
  tool_print_json_number(found->seconds);
  printf("}\n");
}

static void print_table(const pl_fit_report *found) {
  printf("%-18s %12s %12s %12s  %-4s %s\n", "parameter", "value", "min", "max", "unit", "verdict");
  for (int32_t i = 0; i < found->parameter_count; ++i) {
    const pl_fit_estimate *e = &found->estimates[i];
    printf("%-18s %12.6g %12.6g %12.6g  %-4s %s\n", e->name, e->value, e->min, e->max, fit_unit_of(e),
           pl_fit_verdict_name(e->verdict));
  }
}

// Name what the data do not determine, and what can be done.
static void warn_undetermined(const fit_job *job, const pl_fit_report *found) {
  char *names = tool_text("%s", "");
  bool converged = true, bounded = false;
  for (int32_t i = 0; i < found->parameter_count; ++i) {
    pl_fit_verdict verdict = found->estimates[i].verdict;
    converged = converged && verdict != PL_FIT_NOT_CONVERGED;
    bounded = bounded || verdict == PL_FIT_AT_BOUND;
    if (verdict != PL_FIT_NOT_DETERMINED && verdict != PL_FIT_AT_BOUND) continue;
    char *longer = tool_text("%s%s%s", names, names[0] != '\0' ? ", " : "", found->estimates[i].name);
    free(names);
    names = longer;
  }
  if (!converged)
    tool_print_warning(
        &job->tool->console,
        "the fit stopped at the maximum number of iterations, before its values settled; allow more with "
        "--max-iterations N");
  else
    tool_print_warning(
        &job->tool->console,
        "the data do not determine: %s; other values do as well%s. Hold what is known with --fix, or record "
        "more of what shows it (damping: until the object rests)",
        names, bounded ? ", or better ones are out of bounds" : "");
  free(names);
}

bool fit_print(fit_job *job, pl_error *error) {
  pl_fit_report found;
  if (pl_fit_get_report(job->fit, &found, error) < 0) return false;
  bool sure = true, misfit = false;
  for (int32_t i = 0; i < found.parameter_count; ++i) {
    pl_fit_verdict verdict = found.estimates[i].verdict;
    sure = sure && (verdict == PL_FIT_DETERMINED || verdict == PL_FIT_HELD);
    misfit = misfit || verdict == PL_FIT_MISFIT;
  }
  if (found.refined)
    tool_print(&job->tool->console,
               "refined: the modulus of this mesh and step is %.6g Pa; tets and steps leave %.2g %% uncertain",
               found.estimates[0].mesh_value, 100 * found.estimates[0].discretisation);
  pl_vec3 a = found.shape_acceleration;
  if (job->settings->def.shape == PL_FIT_SHAPE_UNKNOWN)
    tool_print(&job->tool->console, "shape: the mesh is at rest under (%.3g, %.3g, %.3g) m/s^2", a.x, a.y, a.z);
  if (job->settings->json)
    print_json(job, &found);
  else
    print_table(&found);
  tool_print(&job->tool->console, "rms %.4g mm of %.4g mm amplitude after %d iterations, %d simulations; %.3g s",
             1e3 * found.rms, 1e3 * found.amplitude, found.iteration_count, found.evaluation_count, found.seconds);
  if (found.has_lack_of_fit && !misfit)
    tool_print_warning(&job->tool->console,
                       "%.3g mm remain where the data are exact to %.2g mm: the model lacks something, and intervals "
                       "are wider by what that may do. Was the object at rest when it was released (--start moving), "
                       "are all held points given, do more control points or finer tets help?",
                       1e3 * found.rms, 1e3 * sqrt(3) * found.noise);
  if (misfit)
    tool_print_warning(
        &job->tool->console,
        "no values move the body as the data do: %.3g mm remain of %.3g mm; check that the motion starts "
        "at the release and at rest, what is held, and the density",
        1e3 * found.rms, 1e3 * found.amplitude);
  else if (!sure)
    warn_undetermined(job, &found);
  return sure;
}
