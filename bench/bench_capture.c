// Estimation: tables 1, 2 and 3 of Wang and others 2015, with bodies whose truth is known.
//
// Table 1: a bar of 756 points and 3,000 tets, released from a twist, a bend and a stretch, three times 250 frames; its
// moduli at 1, 2 and 8 control points and its damping are fitted from one uniform wrong modulus and wrong damping. The
// tracked motions are exact. The paper's bar with two control points is in its figure 9 alone, without numbers. Time is
// wall-clock time of the fit, with as many threads as the machine has processors; next to it is the processor time of
// all threads, which other processes disturb less. A last bar has noise.
//
// Table 2: the paper compares its reference shapes with those of an asymptotic numerical method; here our two solvers
// are compared with each other. Distances are means over the points as a share of the body's size; `back` is that of
// the static shape simulated with the reference shape that was found, `sag` without one.
//
// Table 3: loads that were not fitted. A body is fitted from its vibrations, with noise on every tracked point, and
// then loaded; distances as above.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_capture_fixture.h"

typedef struct capture_suite {
  bench_session *bench;
  pl_context *context;
  bool remarks;
} capture_suite;

static double processor_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static bool is_at_boundary(pl_vec3 point, pl_box box) {
  return point.x < box.min.x + 1e-6 * (box.max.x - box.min.x);
}

static bool is_at_foot(pl_vec3 point, pl_box box) {
  return point.y < box.min.y + 0.08 * (box.max.y - box.min.y);
}

static bool is_at_handle(pl_vec3 point, pl_box box) {
  return point.x < box.min.x + 0.1 * (box.max.x - box.min.x);
}

static void report_failure(capture_suite *suite, const char *of, const pl_error *error) {
  tool_print_warning(&suite->bench->tool->console, "%s: %s", of, error->text);
  suite->remarks = true;
}

// --- table 1
// ----------------------------------------------------------------------------------------------------------

typedef struct bar_case {
  const char *name;
  int32_t truth_count, fit_count;
  double truth[8], paper[8];  // Pa; paper 0: none
  double paper_damping[2];
  double paper_hours, limit;  // limit: seconds that it may take on two processors
  int32_t truth_steps;        // a frame, of the motion that is tracked
  const char *note;
  double noise;  // metres, of every tracked coordinate
} bar_case;

static const double ALPHA = 2e-2, BETA = 1e-3, BAR_DENSITY = 100;

static const bar_case BARS[] = {
    {"bar, 1 control point", 1, 1, {6.8e5}, {6.7e5}, {1.9e-2, 1.6e-3}, 0.2, 30, 1, NULL, 0},
    {"bar, 2 control points", 2, 2, {1e5, 1e6}, {0}, {0, 0}, 0.5, 60, 1, NULL, 0},
    {"bar, 8 control points",
     8,
     8,
     {1e5, 1e6, 1e4, 6.8e5, 2e6, 7e4, 1e7, 3e4},
     {1e5, 1e6, 1.2e4, 6.6e5, 2.1e6, 6.6e4, 1e7, 1.9e4},
     {1.9e-2, 6e-4},
     1.5,
     180,
     1,
     NULL,
     0},
    {"bar of 1, fitted with 8",
     1,
     8,
     {6.8e5},
     {7.2e5, 7.2e5, 6.3e5, 6.7e5, 6.5e5, 6.6e5, 7e5, 6.8e5},
     {2e-2, 1.3e-3},
     1.5,
     180,
     1,
     NULL,
     0},
    {"bar, truth at half the step", 1, 1, {6.8e5}, {0}, {0, 0}, 0, 0, 2, "bias by the length of the step", 0},
    {"bar, 8 control points, noise",
     8,
     8,
     {1e5, 1e6, 1e4, 6.8e5, 2e6, 7e4, 1e7, 3e4},
     {1e5, 1e6, 1.2e4, 6.6e5, 2.1e6, 6.6e4, 1e7, 1.9e4},
     {1.9e-2, 6e-4},
     1.5,
     180,
     1,
     "errors of 0.1 mm in every coordinate",
     1e-4},
};
enum { BAR_COUNT = sizeof BARS / sizeof BARS[0] };

static double truth_of(const bar_case *c, int32_t value) {
  if (value < c->fit_count) return c->truth[c->truth_count == c->fit_count ? value : 0];
  return value == c->fit_count + 1 ? ALPHA : BETA;
}

static double paper_of(const bar_case *c, int32_t value) {
  return value < c->fit_count ? c->paper[value] : c->paper_damping[value - c->fit_count - 1];
}

static void print_values(capture_suite *suite, const bar_case *c, const pl_fit_report *report) {
  if (suite->bench->json) return;
  for (int32_t k = 0; k < report->parameter_count; ++k) {
    const pl_fit_estimate *e = &report->estimates[k];
    if (e->verdict == PL_FIT_HELD) continue;
    char paper[32] = "-";
    if (paper_of(c, k) > 0) snprintf(paper, sizeof paper, "%.2g", paper_of(c, k));
    printf("    %-20s %10.4g  in %8.3g … %-8.3g  truth %8.3g, off %+6.2f %%  paper %-8s %s\n", e->name, e->value,
           e->min, e->max, truth_of(c, k), 100 * (e->value / truth_of(c, k) - 1), paper,
           pl_fit_verdict_name(e->verdict));
  }
}

// Estimates as a list for the JSON line, and the worst error among those that are determined.
static char *values_text(const bar_case *c, const pl_fit_report *report, double *worst_young, double *worst_damping) {
  char *text = tool_text("\"iterations\": %d, \"rms\": %.3g, \"amplitude\": %.3g, \"estimates\": [",
                         report->iteration_count, report->rms, report->amplitude);
  bool first = true;
  *worst_young = *worst_damping = 0;
  for (int32_t k = 0; k < report->parameter_count; ++k) {
    const pl_fit_estimate *e = &report->estimates[k];
    if (e->verdict == PL_FIT_HELD) continue;
    double off = e->value / truth_of(c, k) - 1;
    double *worst = k < c->fit_count ? worst_young : worst_damping;
    if (e->verdict == PL_FIT_DETERMINED) *worst = fmax(*worst, fabs(off));
    char *longer = tool_text(
        "%s%s{\"name\": \"%s\", \"value\": %.6g, \"min\": %.6g, \"max\": %.6g, \"truth\": %.6g, \"off\": %.4g, "
        "\"paper\": %.3g, \"verdict\": \"%s\"}",
        text, first ? "" : ", ", e->name, e->value, e->min, e->max, truth_of(c, k), off, paper_of(c, k),
        pl_fit_verdict_name(e->verdict));
    free(text);
    text = longer;
    first = false;
  }
  return text;
}

static void print_bar(capture_suite *suite, const bar_case *c, const pl_fit_report *report, double seconds,
                      double cpu) {
  double young, damping;
  char *values = values_text(c, report, &young, &damping), note[160];
  char *more =
      tool_text("%s], \"cpu\": %.4g, \"worst_young\": %.4g, \"worst_damping\": %.4g", values, cpu, young, damping);
  snprintf(note, sizeof note, "%d iterations, %.1f s of processors; off by %.2g %%, damping %.2g %%%s%s",
           report->iteration_count, cpu, 100 * young, 100 * damping, c->note != NULL ? "; " : "",
           c->note != NULL ? c->note : "");
  bench_samples samples = {0};
  bench_add(&samples, seconds);
  bench_row row = {.suite = "capture",
                   .name = c->name,
                   .threads = pl_context_thread_count(suite->context),
                   .unit = "s",
                   .paper = 3600 * c->paper_hours,
                   .limit = c->limit,
                   .size = 756,
                   .note = note,
                   .more = more};
  bench_print(suite->bench, &row, &samples);
  print_values(suite, c, report);
  free(values);
  free(more);
}

static pl_status fit_bar(capture_suite *suite, const bar_case *c, capture_body *body, pl_error *error) {
  pl_field_def field_def = pl_default_field_def();
  field_def.placement = c->fit_count > 1 ? PL_FIELD_ALONG_AXIS : PL_FIELD_UNIFORM;
  field_def.control_count = c->fit_count;
  pl_field *field = NULL;
  pl_fit *fit = NULL;
  pl_status status = pl_field_build(suite->context, &field_def, body->rest, &field, error);
  pl_fit_def def = capture_fit_def(body, field);
  def.noise = c->noise;
  pl_fit_sequence sequences[CAPTURE_SEQUENCES];
  for (int i = 0; i < CAPTURE_SEQUENCES; ++i)
    sequences[i] = (pl_fit_sequence){
        .frame_count = body->frame_count, .frame_seconds = body->frame_seconds, .positions = body->positions[i]};
  if (status >= 0)
    status = pl_fit_create(suite->context, &def, body->statics,
                           &(pl_fit_sequences){.items = sequences, .count = CAPTURE_SEQUENCES}, &fit, error);
  double cpu = processor_seconds();
  if (status >= 0) status = pl_fit_run(fit, error);
  cpu = processor_seconds() - cpu;
  pl_fit_report report;
  if (status >= 0) status = pl_fit_get_report(fit, &report, error);
  if (status >= 0) print_bar(suite, c, &report, report.seconds, cpu);
  pl_fit_destroy(fit);
  pl_field_destroy(field);
  return status;
}

static void measure_bar(capture_suite *suite, const bar_case *c) {
  pl_error error = {0};
  capture_body body = {.context = NULL};
  capture_body_def def = {.control_count = c->truth_count,
                          .young = c->truth,
                          .density = BAR_DENSITY,
                          .mass_damping = ALPHA,
                          .stiffness_damping = BETA,
                          .gravity = {0, -9.81, 0},
                          .is_held = is_at_boundary};
  pl_status status = capture_bar_mesh(suite->context, 1, &def.mesh, &error);
  if (status >= 0) status = capture_body_open(suite->context, &def, &body, &error);
  if (status >= 0) status = capture_record(&body, suite->bench->quick ? 25 : 250, c->truth_steps, 1, &error);
  if (status >= 0 && c->noise > 0) capture_add_noise(&body, c->noise);
  if (status >= 0) status = fit_bar(suite, c, &body, &error);
  if (body.context != NULL) capture_body_close(&body);
  if (status < 0) report_failure(suite, c->name, &error);
}

// --- table 2
// ----------------------------------------------------------------------------------------------------------

typedef struct reference_case {
  const char *name;
  pl_status (*mesh)(pl_context *context, int32_t point_count, pl_mesh **mesh, pl_error *error);
  int32_t size;
  double young, density;
  bool (*is_held)(pl_vec3 point, pl_box box);
  double paper_shape, paper_static, paper_seconds,
      paper_other;  // mean differences; seconds of the paper's solver and of the other one
} reference_case;

static const reference_case REFERENCES[] = {
    {"beam", capture_bar_mesh, 1, 6.8e5, 100, is_at_boundary, 2.59e-4, 2.22e-5, 6.03, 3.25},
    {"plant", capture_plant_mesh, 1500, 2e6, 400, is_at_foot, 8.88e-5, 6.35e-5, 12.51, 9.27},
    {"holder", capture_holder_mesh, 1800, 4e5, 1000, is_at_handle, 1.70e-3, 2.25e-9, 21.94, 17.99},
};
enum { REFERENCE_COUNT = sizeof REFERENCES / sizeof REFERENCES[0] };

typedef struct reference_result {
  pl_vec3 *shape;
  pl_reference_report report;
  double back;
} reference_result;

// Where a body of this rest shape comes to rest under the weight of the static one's points, against the static shape.
static pl_status settle_again(capture_body *body, const pl_vec3 *shape, const pl_vec3 *weights, double *distance,
                              pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(body->rest);
  capture_body again = *body;
  again.model = NULL;
  again.rest = NULL;
  again.gravity = (pl_vec3){0, 0, 0};
  view.points = shape;
  pl_vec3 *points = tool_allocate((size_t)view.point_count, sizeof *points);
  memcpy(points, shape, (size_t)view.point_count * sizeof *points);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.density = body->density;
  def.young = body->values[0];
  def.poisson = body->poisson;
  def.direct = pl_cholmod_backend();
  pl_status status = pl_mesh_create(body->context, &view, &again.rest, error);
  if (status >= 0) status = pl_fem_build(body->context, &def, again.rest, &again.model, error);
  if (status >= 0) status = capture_settle(&again, weights, points, error);
  if (status >= 0) *distance = capture_distance(body, points, pl_mesh_get_view(body->statics).points);
  pl_model_destroy(again.model);
  pl_mesh_destroy(again.rest);
  free(points);
  return status;
}

static void print_reference(capture_suite *suite, const reference_case *c, const capture_body *body,
                            const reference_result results[2], double apart, double sag) {
  for (int i = 0; i < 2; ++i) {
    char *name = tool_text("%s, %s", c->name, i == 0 ? "Newton" : "virtual forces"), note[200];
    snprintf(note, sizeof note, "%d iterations; shapes apart %.2g (paper %.2g), back %.2g (%.2g), sag without %.2g%s",
             results[i].report.iteration_count, apart, c->paper_shape, results[i].back, c->paper_static, sag,
             results[i].report.converged ? "" : "; not converged");
    char *more = tool_text(
        "\"iterations\": %d, \"apart\": %.4g, \"back\": %.4g, \"sag\": %.4g, \"residual\": %.3g, \"converged\": %s",
        results[i].report.iteration_count, apart, results[i].back, sag, results[i].report.relative_residual,
        results[i].report.converged ? "true" : "false");
    bench_samples samples = {0};
    bench_add(&samples, results[i].report.seconds);
    bench_row row = {.suite = "capture",
                     .name = name,
                     .threads = 1,
                     .unit = "s",
                     .paper = i == 0 ? c->paper_other : c->paper_seconds,
                     .size = body->point_count,
                     .note = note,
                     .more = more};
    bench_print(suite->bench, &row, &samples);
    free(more);
    free(name);
  }
}

static pl_status compare_solvers(capture_suite *suite, const reference_case *c, capture_body *body, pl_error *error) {
  size_t points = (size_t)body->point_count;
  reference_result results[2] = {{.shape = NULL}, {.shape = NULL}};
  pl_fem_def fem = pl_default_fem_def(PL_FEM_COROTATED);
  fem.density = body->density;
  fem.young = body->values[0];
  fem.poisson = body->poisson;
  fem.direct = pl_cholmod_backend();
  pl_model *model = NULL;
  pl_vec3 *weights = capture_weights(body);
  double sag = 0;
  pl_status status = pl_fem_build(suite->context, &fem, body->statics, &model, error);
  for (int i = 0; i < 2 && status >= 0; ++i) {
    pl_reference_def def = pl_default_reference_def();
    def.solver = i == 0 ? PL_REFERENCE_NEWTON : PL_REFERENCE_VIRTUAL_FORCE;
    def.gravity = body->gravity;
    def.pinned = body->pinned;
    def.pinned_count = body->pinned_count;
    def.direct = pl_cholmod_backend();
    results[i].shape = tool_allocate(points, sizeof(pl_vec3));
    memcpy(results[i].shape, pl_mesh_get_view(body->statics).points, points * sizeof(pl_vec3));
    status = pl_reference_find(suite->context, model, &def, results[i].shape, &results[i].report, error);
    if (status >= 0) status = settle_again(body, results[i].shape, weights, &results[i].back, error);
  }
  if (status >= 0) status = settle_again(body, pl_mesh_get_view(body->statics).points, weights, &sag, error);
  if (status >= 0)
    print_reference(suite, c, body, results, capture_distance(body, results[0].shape, results[1].shape), sag);
  for (int i = 0; i < 2; ++i) free(results[i].shape);
  free(weights);
  pl_model_destroy(model);
  return status;
}

static void measure_reference(capture_suite *suite, const reference_case *c) {
  pl_error error = {0};
  capture_body body = {.context = NULL};
  capture_body_def def = {
      .control_count = 1, .young = &c->young, .density = c->density, .gravity = {0, -9.81, 0}, .is_held = c->is_held};
  pl_status status = c->mesh(suite->context, c->size, &def.mesh, &error);
  if (status >= 0) status = capture_body_open(suite->context, &def, &body, &error);
  if (status >= 0) status = compare_solvers(suite, c, &body, &error);
  if (body.context != NULL) capture_body_close(&body);
  if (status < 0) report_failure(suite, c->name, &error);
}

int bench_capture(bench_session *bench) {
  capture_suite suite = {.bench = bench};
  pl_context_def def = pl_default_context_def();
  pl_error error = {0};
  if (pl_context_create(&def, &suite.context, &error) < 0) return tool_report_error(&bench->tool->console, &error);
  for (int i = 0; i < (bench->quick ? 1 : BAR_COUNT); ++i) measure_bar(&suite, &BARS[i]);
  for (int i = 0; i < (bench->quick ? 1 : REFERENCE_COUNT); ++i) measure_reference(&suite, &REFERENCES[i]);
  if (!bench->quick) bench_capture_loads(bench, suite.context, &suite.remarks);
  bench_capture_bias(bench, suite.context, &suite.remarks);
  pl_context_destroy(suite.context);
  return suite.remarks ? TOOL_REMARKS : TOOL_DONE;
}
