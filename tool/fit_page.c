// The parts of a report about a fit: input, convergence, parameters with their uncertainty, and the tracked motion next
// to the simulated one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/report_palette.h"
#include "tool_fit.h"

enum { MARKER_COUNT = 3, PICTURE_WIDTH = 720, PICTURE_HEIGHT = 480, MAX_CLIPS = 60 };

// --- words
// --------------------------------------------------------------------------------------------------------------

// A row of a table under construction: texts of their own.
typedef struct text_list {
  char **items;
  int32_t count, limit;
} text_list;

static void add_text(text_list *list, char *text) {
  if (list->count == list->limit) {
    list->limit = 2 * list->limit + 32;
    char **longer = tool_allocate((size_t)list->limit, sizeof *longer);
    if (list->count > 0) memcpy(longer, list->items, (size_t)list->count * sizeof *longer);
    free(list->items);
    list->items = longer;
  }
  list->items[list->count++] = text;
}

static void free_texts(text_list *list) {
  for (int32_t i = 0; i < list->count; ++i) free(list->items[i]);
  free(list->items);
}

static void add_paragraph(pl_report *report, char *text) {
  pl_report_text(report, text);
  free(text);
}

// --- what was given, what came out
// --------------------------------------------------------------------------------------

static void report_given(const fit_job *job, pl_report *report) {
  const fit_object *object = job->object;
  const pl_fit_def *def = &job->settings->def;
  pl_mesh_view mesh = pl_mesh_get_view(object->mesh);
  pl_box box = pl_box_from_points(mesh.points, mesh.point_count);
  pl_report_heading(report, "Input");
  add_paragraph(report, tool_text("A mesh of %d points and %d tets, %.3g x %.3g x %.3g m, held at %d points; %s tets "
                                  "of %g kg/m³; gravity (%g, %g, "
                                  "%g) m/s².",
                                  mesh.point_count, mesh.tet_count, box.max.x - box.min.x, box.max.y - box.min.y,
                                  box.max.z - box.min.z, object->held_count,
                                  def->material == PL_FEM_COROTATED ? "corotated" : "neo-Hookean", def->density,
                                  def->gravity.x, def->gravity.y, def->gravity.z));
  static const char *const columns[] = {"motion", "frames", "rate (1/s)", "use"};
  text_list cells = {0};
  for (int32_t i = 0; i < object->motion_count + object->other_count; ++i) {
    bool fitted = i < object->motion_count;
    const fit_motion *motion = fitted ? &object->motions[i] : &object->others[i - object->motion_count];
    add_text(&cells, tool_text("%s", motion->name));
    add_text(&cells, tool_text("%d", motion->frame_count));
    add_text(&cells, tool_text("%g", motion->rate));
    add_text(&cells, tool_text("%s", fitted ? "fitted" : "held out"));
  }
  pl_report_table(report, "Motions", columns, 4, cells.count / 4, (const char *const *)cells.items);
  free_texts(&cells);
  // Later rounds of a capture start from the result of the previous one.
  if (job->warmed && job->warm.young > 0)
    add_paragraph(report, tool_text("Initial values come from frequencies: the motion oscillates at %.4g Hz (%.4g Hz "
                                    "without damping), damping ratio %.3g"
                                    ", which is mode %d of a uniform body of %.4g Pa.",
                                    job->warm.frequency, job->warm.natural, job->warm.damping_ratio, job->warm.mode + 1,
                                    job->warm.young));
}

static void report_parameters(const pl_fit_report *found, pl_report *report) {
  static const char *const columns[] = {"parameter", "value", "95 % interval", "unit", "verdict"};
  text_list cells = {0};
  pl_report_heading(report, "Parameters");
  for (int32_t i = 0; i < found->parameter_count; ++i) {
    const pl_fit_estimate *e = &found->estimates[i];
    add_text(&cells, tool_text("%s", e->name));
    add_text(&cells, tool_text("%.5g", e->value));
    add_text(&cells, e->verdict == PL_FIT_HELD ? tool_text("%s", "") : tool_text("%.4g to %.4g", e->min, e->max));
    add_text(&cells, tool_text("%s", fit_unit_of(e)));
    add_text(&cells, tool_text("%s", pl_fit_verdict_name(e->verdict)));
  }
  pl_report_table(report, "Parameters", columns, 5, cells.count / 5, (const char *const *)cells.items);
  free_texts(&cells);
  for (int32_t i = 0; i < found->parameter_count; ++i) {
    const pl_fit_estimate *e = &found->estimates[i];
    char *text = NULL;
    if (e->verdict == PL_FIT_NOT_DETERMINED)
      text = tool_text("The motions do not determine %s: many other values fit equally well.", e->name);
    if (e->verdict == PL_FIT_AT_BOUND)
      text = tool_text("%s ended at its bound; the best value is there or beyond.", e->name);
    if (e->verdict == PL_FIT_NOT_CONVERGED)
      text = tool_text("The fit stopped before it converged; %s is not its result.", e->name);
    if (e->verdict == PL_FIT_MISFIT) text = tool_text("No value of %s moves the body as the data do.", e->name);
    if (text != NULL) pl_report_warning(report, text);
    free(text);
  }
  add_paragraph(report, tool_text("The error of the points is %.4g mm (root mean square) for a motion of %.4g mm; "
                                  "intervals assume an error of every "
                                  "coordinate of %.4g mm.",
                                  1e3 * found->rms, 1e3 * found->amplitude, 1e3 * found->deviation));
}

static void report_correlations(const pl_fit_report *found, pl_report *report) {
  const char **columns = tool_allocate((size_t)found->parameter_count + 1, sizeof *columns);
  text_list cells = {0};
  columns[0] = "";
  for (int32_t i = 0; i < found->parameter_count; ++i) {
    columns[i + 1] = found->estimates[i].name;
    add_text(&cells, tool_text("%s", found->estimates[i].name));
    for (int32_t k = 0; k < found->parameter_count; ++k)
      add_text(&cells, tool_text("%.2f", found->correlations[(size_t)i * (size_t)found->parameter_count + (size_t)k]));
  }
  pl_report_table(report, "Correlations: near 1 or -1 the motions determine only a combination of the two", columns,
                  found->parameter_count + 1, found->parameter_count, (const char *const *)cells.items);
  free_texts(&cells);
  free(columns);
}

// --- convergence
// --------------------------------------------------------------------------------------------------------

static double *column_of(const fit_job *job, int32_t column) {
  double *numbers = tool_allocate((size_t)job->row_count + 1, sizeof *numbers);
  for (int32_t i = 0; i < job->row_count; ++i)
    numbers[i] = job->history[(size_t)i * (size_t)job->column_count + (size_t)column];
  return numbers;
}

static void report_convergence(const fit_job *job, const pl_fit_report *found, pl_report *report) {
  pl_report_heading(report, "Convergence");
  double *iterations = column_of(job, FIT_ROW_ITERATION), *rms = column_of(job, FIT_ROW_RMS);
  pl_report_curve distance = {.name = "distance", .count = job->row_count, .x = iterations, .y = rms};
  pl_report_draw(
      report,
      &(pl_report_chart){.title = "Distance of simulated from tracked points in the window fitted at that iteration",
                         .x_label = "iteration",
                         .y_label = "root mean square (m)",
                         .log_y = true,
                         .curves = &distance,
                         .curve_count = 1});
  int32_t control_count = pl_field_get_view(job->field).control_count;
  pl_report_curve *curves = tool_allocate((size_t)control_count, sizeof *curves);
  for (int32_t k = 0; k < control_count; ++k)
    curves[k] = (pl_report_curve){.name = found->estimates[k].name,
                                  .count = job->row_count,
                                  .x = iterations,
                                  .y = column_of(job, FIT_ROW_PARAMETERS + k)};
  pl_report_draw(report, &(pl_report_chart){.title = "Young's modulus at the control points",
                                            .x_label = "iteration",
                                            .y_label = "Pa",
                                            .log_y = true,
                                            .curves = curves,
                                            .curve_count = control_count});
  for (int32_t k = 0; k < control_count; ++k) free((double *)curves[k].y);
  free(curves);
  free(iterations);
  free(rms);
}

// --- motion next to simulation
// -------------------------------------------------------------------------------------------

static double distance_of(pl_vec3 a, pl_vec3 b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// The point that moves most, then those that move much and are far from the ones chosen before.
static void choose_markers(const fit_motion *motion, const pl_mesh_view *mesh, int32_t markers[MARKER_COUNT]) {
  // Of few markers all are shown.
  for (int k = 0; motion->markers != NULL && k < MARKER_COUNT; ++k) markers[k] = k < motion->point_count ? k : -1;
  if (motion->markers != NULL) return;
  size_t n = (size_t)mesh->point_count;
  double *reach = tool_allocate(n, sizeof *reach);
  for (int32_t f = 0; f < motion->frame_count; ++f)
    for (size_t i = 0; i < n; ++i)
      reach[i] = fmax(reach[i], distance_of(motion->positions[(size_t)f * n + i], mesh->points[i]));
  for (int k = 0; k < MARKER_COUNT; ++k) {
    double best = -1;
    for (int32_t i = 0; i < mesh->point_count; ++i) {
      double apart = 1;
      for (int j = 0; j < k; ++j) apart = fmin(apart, distance_of(mesh->points[i], mesh->points[markers[j]]));
      if (reach[i] * apart > best) best = reach[i] * apart, markers[k] = i;
    }
  }
  free(reach);
}

// Amplitudes of a signal of `count` numbers at frequencies from 0 to half the rate, the mean taken off; under a Hann
// window, against leakage.
static void find_spectrum(const double *signal, int32_t count, double *amplitudes) {
  const double turn = 2 * PL_PI;
  double mean = 0;
  for (int32_t i = 0; i < count; ++i) mean += signal[i] / count;
  for (int32_t k = 0; k <= count / 2; ++k) {
    double a = 0, b = 0;
    for (int32_t i = 0; i < count; ++i) {
      double value = (signal[i] - mean) * (1 - cos(turn * i / count));
      a += value * cos(turn * k * i / count);
      b += value * sin(turn * k * i / count);
    }
    amplitudes[k] = 2 * sqrt(a * a + b * b) / count;
  }
}

static double along(pl_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The axis along which a marker moves most.
static int main_axis(const fit_motion *motion, size_t n, int32_t marker) {
  int best = 0;
  double widest = -1;
  for (int axis = 0; axis < 3; ++axis) {
    double min = HUGE_VAL, max = -HUGE_VAL;
    for (int32_t f = 0; f < motion->frame_count; ++f) {
      double at = along(motion->positions[(size_t)f * n + (size_t)marker], axis);
      min = fmin(min, at), max = fmax(max, at);
    }
    if (max - min > widest) widest = max - min, best = axis;
  }
  return best;
}

static void draw_marker(pl_report *report, const fit_motion *motion, const pl_vec3 *simulated, size_t n,
                        int32_t marker) {
  int32_t count = motion->frame_count, half = count / 2 + 1;
  int axis = main_axis(motion, n, marker);
  double *times = tool_allocate((size_t)count, sizeof *times), *seen = tool_allocate((size_t)count, sizeof *seen);
  double *found = tool_allocate((size_t)count, sizeof *found),
         *frequencies = tool_allocate((size_t)half, sizeof *frequencies);
  double *seen_spectrum = tool_allocate((size_t)half, sizeof *times),
         *found_spectrum = tool_allocate((size_t)half, sizeof *times);
  for (int32_t f = 0; f < count; ++f) {
    times[f] = f / motion->rate;
    seen[f] = along(motion->positions[(size_t)f * n + (size_t)marker], axis);
    found[f] = along(simulated[(size_t)f * n + (size_t)marker], axis);
    // Where a sample of a marker is missing, the curve shows the simulation.
    if (!isfinite(seen[f])) seen[f] = found[f];
  }
  for (int32_t k = 0; k < half; ++k) frequencies[k] = k * motion->rate / count;
  find_spectrum(seen, count, seen_spectrum);
  find_spectrum(found, count, found_spectrum);
  char *title = tool_text("Point %d of %s along %c", marker, motion->name, "xyz"[axis]);
  pl_report_curve curves[] = {{.name = "tracked", .count = count, .x = times, .y = seen, .marks = true},
                              {.name = "simulated", .count = count, .x = times, .y = found}};
  pl_report_draw(
      report,
      &(pl_report_chart){.title = title, .x_label = "time (s)", .y_label = "m", .curves = curves, .curve_count = 2});
  pl_report_curve spectra[] = {
      {.name = "tracked", .count = half - 1, .x = frequencies + 1, .y = seen_spectrum + 1},
      {.name = "simulated", .count = half - 1, .x = frequencies + 1, .y = found_spectrum + 1, .dashed = true}};
  free(title);
  title = tool_text("Spectrum of the same motion");
  pl_report_draw(report, &(pl_report_chart){.title = title,
                                            .x_label = "frequency (Hz)",
                                            .y_label = "m",
                                            .log_y = true,
                                            .curves = spectra,
                                            .curve_count = 2});
  free(title);
  free(times), free(seen), free(found), free(frequencies), free(seen_spectrum), free(found_spectrum);
}

static pl_status report_motion(fit_job *job, const fit_motion *motion, pl_report *report, pl_vec3 **kept,
                               pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(job->object->mesh);
  size_t n = (size_t)mesh.point_count;
  pl_vec3 *simulated = tool_allocate((size_t)motion->frame_count * n, sizeof *simulated);
  pl_fit_sequence sequence = fit_sequence_of(motion);
  pl_fit_prediction prediction;
  pl_status status = pl_fit_predict(job->fit, &sequence, simulated, &prediction, error);
  if (status >= 0) {
    add_paragraph(report, tool_text("%s: the error of the points is %.4g mm (root mean square), at most %.4g mm, for a "
                                    "motion of %.4g mm: %.3g %%.",
                                    motion->name, 1e3 * prediction.rms, 1e3 * prediction.worst,
                                    1e3 * prediction.amplitude, 100 * prediction.rms / prediction.amplitude));
    if (motion == job->object->others)
      tool_print(&job->tool->console, "%s (held out): error %.4g mm of %.4g mm amplitude, %.3g %%", motion->name,
                 1e3 * prediction.rms, 1e3 * prediction.amplitude, 100 * prediction.rms / prediction.amplitude);
    int32_t markers[MARKER_COUNT];
    choose_markers(motion, &mesh, markers);
    pl_vec3 *points = simulated;
    size_t count = n;
    if (motion->markers != NULL) {
      count = (size_t)motion->point_count;
      points = tool_allocate((size_t)motion->frame_count * count, sizeof *points);
      for (size_t f = 0; f < (size_t)motion->frame_count; ++f)
        pl_embedding_apply(motion->markers, simulated + f * n, points + f * count);
    }
    for (int k = 0; k < MARKER_COUNT; ++k)
      if (markers[k] >= 0) draw_marker(report, motion, points, count, markers[k]);
    if (points != simulated) free(points);
  }
  if (kept != NULL && status >= 0)
    *kept = simulated;
  else
    free(simulated);
  return status;
}

// --- pictures
// -----------------------------------------------------------------------------------------------------------

typedef struct painter {
  pl_renderer *renderer;
  pl_mesh *surface;
  int32_t *points;  // of the mesh, per point of the surface
  pl_color *colors;
  pl_vec3 *left, *right;
  pl_camera camera;
  const fit_motion *motion;
  const pl_vec3 *simulated;
  size_t n;
  int32_t stride;
  double shift;
} painter;

static pl_status draw_pair(void *user, int32_t index, uint8_t *rgb, pl_error *error) {
  painter *p = user;
  pl_mesh_view surface = pl_mesh_get_view(p->surface);
  size_t frame = (size_t)index * (size_t)p->stride * p->n;
  for (int32_t i = 0; i < surface.point_count; ++i) {
    // Markers do not show a body: both sides are simulated then.
    const pl_vec3 *left = p->motion->markers == NULL ? p->motion->positions : p->simulated;
    p->left[i] = left[frame + (size_t)p->points[i]];
    p->right[i] = p->simulated[frame + (size_t)p->points[i]];
    p->left[i].x -= p->shift, p->right[i].x += p->shift;
  }
  pl_picture_item items[] = {{.points = p->left, .color = pl_palette_color(2)},
                             {.points = p->right, .colors = p->colors}};
  for (int k = 0; k < 2; ++k) {
    items[k].point_count = surface.point_count;
    items[k].triangles = surface.triangles;
    items[k].triangle_count = surface.triangle_count;
  }
  return pl_renderer_draw(p->renderer, &(pl_picture){p->camera, items, 2, "tracked, simulated"}, rgb, error);
}

// Moduli from dark (soft) to light (stiff) on a logarithmic scale: at every point of the surface the mean of the tets
// around it.
static void paint(const pl_mesh_view *mesh, const double *young, const pl_mesh_view *surface, painter *p,
                  double range[2]) {
  double *sums = tool_allocate((size_t)mesh->point_count, sizeof *sums),
         *counts = tool_allocate((size_t)mesh->point_count, sizeof *counts);
  range[0] = HUGE_VAL, range[1] = 0;
  for (int32_t t = 0; t < mesh->tet_count; ++t) {
    range[0] = fmin(range[0], young[t]), range[1] = fmax(range[1], young[t]);
    for (int c = 0; c < 4; ++c) {
      int32_t point = mesh->tets[4 * (size_t)t + (size_t)c];
      sums[point] += log(young[t]);
      counts[point] += 1;
    }
  }
  double span = log(range[1] / range[0]);
  for (int32_t i = 0; i < surface->point_count; ++i) {
    double mean = sums[p->points[i]] / counts[p->points[i]];
    p->colors[i] = pl_scale_color(span > 1e-6 ? (mean - log(range[0])) / span : 0.6);
  }
  free(sums);
  free(counts);
}

static pl_status open_painter(fit_job *job, const pl_mesh_view *mesh, painter *p, pl_error *error) {
  pl_renderer_def def = pl_default_renderer_def();
  def.width = PICTURE_WIDTH;
  def.height = PICTURE_HEIGHT;
  def.ground = false;
  pl_status status = pl_renderer_create(job->context, &def, &p->renderer, error);
  if (status < 0) return status;
  p->points = tool_allocate((size_t)mesh->point_count, sizeof *p->points);
  status = pl_mesh_build_boundary(job->context, job->object->mesh, &p->surface, p->points, error);
  if (status < 0) return status;
  size_t count = (size_t)pl_mesh_get_view(p->surface).point_count;
  p->colors = tool_allocate(count, sizeof *p->colors);
  p->left = tool_allocate(count, sizeof *p->left);
  p->right = tool_allocate(count, sizeof *p->right);
  return PL_OK;
}

static void close_painter(painter *p) {
  pl_renderer_destroy(p->renderer);
  pl_mesh_destroy(p->surface);
  free(p->points);
  free(p->colors);
  free(p->left);
  free(p->right);
}

static pl_status draw_pictures(fit_job *job, painter *p, pl_report *report, pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(job->object->mesh), surface = pl_mesh_get_view(p->surface);
  double *young = tool_allocate((size_t)mesh.tet_count, sizeof *young), range[2];
  pl_vec3 *reference = tool_allocate((size_t)mesh.point_count, sizeof *reference);
  pl_status status = pl_fit_get_fields(job->fit, reference, young);
  uint8_t *rgb = tool_allocate((size_t)PICTURE_WIDTH * PICTURE_HEIGHT, 3);
  pl_box box = {0};
  if (p->simulated != NULL) box = pl_box_from_points(p->simulated, p->motion->frame_count * mesh.point_count);
  if (status >= 0) {
    paint(&mesh, young, &surface, p, range);
    for (int32_t i = 0; i < surface.point_count; ++i) p->left[i] = mesh.points[p->points[i]];
    pl_picture_item item = {.points = p->left,
                            .point_count = surface.point_count,
                            .triangles = surface.triangles,
                            .triangle_count = surface.triangle_count,
                            .colors = p->colors};
    p->camera =
        pl_camera_frame_box(pl_box_from_points(mesh.points, mesh.point_count), (double)PICTURE_WIDTH / PICTURE_HEIGHT);
    status = pl_renderer_draw(p->renderer, &(pl_picture){p->camera, &item, 1, NULL}, rgb, error);
  }
  if (status >= 0) {
    char *caption =
        tool_text("Young's modulus from %.4g Pa (dark) to %.4g Pa (light), on a logarithmic scale", range[0], range[1]);
    pl_report_picture(report, caption, rgb, PICTURE_WIDTH, PICTURE_HEIGHT);
    free(caption);
  }
  if (status >= 0 && p->simulated != NULL) {
    p->shift = 0.55 * (box.max.x - box.min.x);
    box.min.x -= p->shift, box.max.x += p->shift;
    p->camera = pl_camera_frame_box(box, (double)PICTURE_WIDTH / PICTURE_HEIGHT);
    p->stride = 1 + (p->motion->frame_count - 1) / MAX_CLIPS;
    int32_t count = 1 + (p->motion->frame_count - 1) / p->stride;
    pl_report_clip(
        report, &(pl_report_frames){"The first motion, tracked and simulated with the fitted parameters",
                                    p->motion->rate / p->stride, count, PICTURE_WIDTH, PICTURE_HEIGHT, draw_pair, p});
  }
  free(young);
  free(reference);
  free(rgb);
  return status;
}

static pl_status report_pictures(fit_job *job, const pl_vec3 *simulated, pl_report *report, pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(job->object->mesh);
  painter p = {.motion = &job->object->motions[0], .simulated = simulated, .n = (size_t)mesh.point_count};
  pl_status status = open_painter(job, &mesh, &p, error);
  if (status == PL_ERROR_UNSUPPORTED) {
    pl_report_text(report, "There are no pictures: this machine cannot render.");
    status = PL_OK;
  } else if (status >= 0) {
    status = draw_pictures(job, &p, report, error);
  }
  close_painter(&p);
  return status;
}

pl_status fit_report(fit_job *job, const pl_fit_report *found, pl_report *report, pl_error *error) {
  report_given(job, report);
  report_parameters(found, report);
  report_correlations(found, report);
  report_convergence(job, found, report);
  pl_report_heading(report, "Motion");
  pl_vec3 *simulated = NULL;
  pl_status status = PL_OK;
  if (job->object->motion_count > 0) status = report_motion(job, &job->object->motions[0], report, &simulated, error);
  for (int32_t i = 1; i < job->object->motion_count && status >= 0; ++i)
    status = report_motion(job, &job->object->motions[i], report, NULL, error);
  if (status >= 0 && job->object->other_count > 0) pl_report_heading(report, "Held-out motions");
  for (int32_t i = 0; i < job->object->other_count && status >= 0; ++i)
    status = report_motion(job, &job->object->others[i], report, NULL, error);
  if (status >= 0) {
    pl_report_heading(report, "Pictures");
    status = report_pictures(job, simulated, report, error);
  }
  free(simulated);
  return status;
}
