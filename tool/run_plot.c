// Weights of examples and energies over time as one drawing (--plot).
//
// Weights have a curve per body and example; where these are too many to tell apart, the mean over the bodies, example
// by example. Energies have the totals, and a curve per body where bodies are few.
#include <stdlib.h>
#include <string.h>

#include "report/report_export.h"
#include "tool_run.h"

enum { MAX_CURVES = 24, MAX_ENERGY_BODIES = 5 };

typedef struct plot_data {
  int64_t frame_count;
  double *times;
  double *values;  // [curve][frame]
  pl_report_curve *curves;
  int32_t curve_count;
} plot_data;

static plot_data plot_of(int64_t frame_count, double frame_rate, int32_t max_count) {
  plot_data p = {.frame_count = frame_count};
  p.times = tool_allocate((size_t)frame_count, sizeof *p.times);
  p.values = tool_allocate((size_t)frame_count * (size_t)max_count, sizeof *p.values);
  p.curves = tool_allocate((size_t)max_count, sizeof *p.curves);
  for (int64_t frame = 0; frame < frame_count; ++frame) p.times[frame] = (double)frame / frame_rate;
  return p;
}

static void free_plot(plot_data *p) {
  for (int32_t c = 0; c < p->curve_count; ++c) free((void *)p->curves[c].name);
  free(p->curves);
  free(p->values);
  free(p->times);
}

// A curve with its name, which it takes over. Returns its values, all 0 as yet.
static double *add_curve(plot_data *p, char *name, bool dashed) {
  double *values = p->values + p->curve_count * p->frame_count;
  p->curves[p->curve_count++] =
      (pl_report_curve){.name = name, .count = p->frame_count, .x = p->times, .y = values, .dashed = dashed};
  return values;
}

// The curve of a name, added where there is none; by it the weights of bodies with the same examples come together.
static double *find_curve(plot_data *p, const char *name) {
  for (int32_t c = 0; c < p->curve_count; ++c)
    if (strcmp(p->curves[c].name, name) == 0) return p->values + c * p->frame_count;
  return add_curve(p, tool_text("%s", name), false);
}

static void plot_weights(const run_job *run, const double *numbers, bool is_mean, plot_data *p) {
  for (int32_t i = 0; i < run->body_count; ++i) {
    const run_body *body = &run->bodies[i];
    pl_example_view examples = pl_model_get_examples(body->model);
    int32_t count, start = run_find_weights(run, body, &count);
    for (int32_t w = 0; w < count; ++w) {
      int32_t m = w / examples.example_count, k = w % examples.example_count;
      char *name = is_mean ? tool_text("%s", examples.names[k])
                           : run_column_name(body->file_name,
                                             examples.manifold_names != NULL ? examples.manifold_names[m] : NULL,
                                             examples.manifold_count > 1 ? m : -1, examples.names[k]);
      double *values = find_curve(p, name);
      for (int64_t frame = 0; frame < p->frame_count; ++frame)
        values[frame] += numbers[frame * run->number_count + start + w];
      free(name);
    }
  }
}

// Sums become means: divided by the number of sets of weights that have the example.
static void divide_by_sets(const run_job *run, plot_data *p) {
  for (int32_t c = 0; c < p->curve_count; ++c) {
    double sets = 0;
    for (int32_t i = 0; i < run->body_count; ++i) {
      pl_example_view examples = pl_model_get_examples(run->bodies[i].model);
      int32_t count;
      run_find_weights(run, &run->bodies[i], &count);
      for (int32_t k = 0; count > 0 && k < examples.example_count; ++k)
        if (strcmp(examples.names[k], p->curves[c].name) == 0) sets += examples.manifold_count;
    }
    for (int64_t frame = 0; frame < p->frame_count && sets > 0; ++frame) p->values[c * p->frame_count + frame] /= sets;
  }
}

static bool add_energy(const run_job *run, const double *numbers, int32_t column, double *values) {
  bool found = false;
  for (int64_t frame = 0; frame < pl_frame_log_count(run->log); ++frame) {
    values[frame] += numbers[frame * run->number_count + column];
    found = found || values[frame] != 0;
  }
  return found;
}

static void plot_energies(const run_job *run, const double *numbers, plot_data *p) {
  static const char *const names[2] = {"kinetic", "elastic"};
  for (int part = 0; part < 2; ++part) {
    bool is_elastic = part == 1, found = false;
    double *total = add_curve(p, tool_text("%s", names[part]), is_elastic);
    for (int32_t i = 0; i < run->body_count; ++i)
      found = add_energy(run, numbers, run_find_energies(i) + part, total) || found;
    if (is_elastic && !found) free((void *)p->curves[--p->curve_count].name);  // only finite elements know theirs
    bool is_few = run->body_count > 1 && run->body_count <= MAX_ENERGY_BODIES;
    for (int32_t i = 0; found && is_few && i < run->body_count; ++i) {
      double *own = add_curve(p, run_column_name(run->bodies[i].file_name, NULL, -1, names[part]), is_elastic);
      add_energy(run, numbers, run_find_energies(i) + part, own);
    }
  }
}

pl_status run_write_plot(run_job *run, pl_error *error) {
  int64_t frame_count = run->plot_path != NULL ? pl_frame_log_count(run->log) : 0;
  if (frame_count == 0) return PL_OK;
  double *numbers = tool_allocate((size_t)frame_count * (size_t)run->number_count + 2, sizeof *numbers);
  pl_status status = PL_OK;
  for (int64_t frame = 0; frame < frame_count && status >= 0; ++frame)
    status = run_read_numbers(run, frame, numbers + frame * run->number_count, error);
  int32_t weight_count = run->number_count - run_find_energies(run->body_count);
  bool is_mean = weight_count > MAX_CURVES;
  plot_data weights = plot_of(frame_count, run->facts.frame_rate, weight_count + 1),
            energies = plot_of(frame_count, run->facts.frame_rate, 2 + 2 * run->body_count);
  plot_weights(run, numbers, is_mean, &weights);
  if (is_mean) divide_by_sets(run, &weights);
  plot_energies(run, numbers, &energies);
  char *title = tool_text(is_mean ? "%s: mean weights of examples" : "%s: weights of examples", run->facts.name);
  const pl_report_chart charts[2] = {{.title = title,
                                      .x_label = "time (s)",
                                      .y_label = "weight",
                                      .curves = weights.curves,
                                      .curve_count = weights.curve_count},
                                     {.title = "energies",
                                      .x_label = "time (s)",
                                      .y_label = "energy (J)",
                                      .curves = energies.curves,
                                      .curve_count = energies.curve_count}};
  bool has_weights = weights.curve_count > 0;
  if (status >= 0)
    status =
        pl_charts_save(run->context, run->plot_path, has_weights ? charts : charts + 1, has_weights ? 2 : 1, error);
  free(title);
  free_plot(&weights);
  free_plot(&energies);
  free(numbers);
  return status;
}
