// What a fit finds when the truth is not made of its own tets and steps.
//
// A bar is simulated with fine tets and short steps, and its motion is fitted with coarser tets, whose points are among
// those of the fine ones, and with longer steps. There is no noise, so what moduli and damping are off by is the
// discretisation's. Rows `tets` have several fitting meshes and one truth, of half the edges and half the step of the
// finest of them; rows `steps` one mesh for both and a truth of short steps. Of three that are refined by halves the
// order of the error follows without the truth. Every fit also predicts a second motion that it has not seen.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_capture_fixture.h"

static const double YOUNG = 6.8e5, ALPHA = 0.5, BETA = 2e-3, DENSITY = 100;
static const double MAX_HELD_OUT = 5;  // % of the amplitude

enum { MAX_FITS = 4 };

typedef enum bias_kind { TETS, STEPS, OWN } bias_kind;

// One truth, and the fits that are compared with it.
typedef struct bias_study {
  bias_kind kind;  // what differs
  int32_t frame_count;
  int32_t truth_across, truth_steps;  // cells across the bar, steps a frame
  int32_t fit_count;
  int32_t across[MAX_FITS], steps[MAX_FITS];  // each refined by halves, three or more unless the truth's own
} bias_study;

static const bias_study STUDIES[] = {
    {TETS, 30, 16, 4, 3, {2, 4, 8}, {2, 2, 2}},
    {STEPS, 30, 4, 16, 4, {4, 4, 4, 4}, {1, 2, 4, 8}},
    {OWN, 30, 4, 2, 1, {4}, {2}},
};
static const bias_study QUICK_STUDIES[] = {
    {TETS, 16, 4, 4, 3, {1, 2, 4}, {2, 2, 2}},
    {STEPS, 16, 2, 8, 3, {2, 2, 2}, {1, 2, 4}},
    {OWN, 16, 2, 2, 1, {2}, {2}},
};
enum { STUDY_COUNT = sizeof STUDIES / sizeof STUDIES[0] };

enum { YOUNG_OFF, ALPHA_OFF, BETA_OFF, OFF_COUNT };

typedef struct bias_result {
  int32_t point_count, tet_count, iteration_count;
  double off[OFF_COUNT];  // as shares of the truth
  bool determined[OFF_COUNT];
  double rms, held_out;  // of the fitted motion and of one that was not, as shares of their amplitudes
  double seconds;
} bias_result;

static bool is_at_boundary(pl_vec3 point, pl_box box) {
  return point.x < box.min.x + 1e-6 * (box.max.x - box.min.x);
}

// The motion that is fitted begins bent to one side and twisted, the other one bent another way, further, and twisted
// back.
static void load_beam(const capture_body *body, bool other, pl_vec3 *forces) {
  pl_vec3 *twist = tool_allocate((size_t)body->point_count, sizeof *twist);
  capture_load(body, 0, other ? -0.8 : 0.5, twist);
  capture_load(body, 1, other ? 1.3 : 1, forces);
  for (int32_t i = 0; i < body->point_count; ++i) {
    pl_vec3 bend = other ? (pl_vec3){0, -forces[i].z, forces[i].y} : forces[i];
    forces[i] = (pl_vec3){twist[i].x + bend.x, twist[i].y + bend.y, twist[i].z + bend.z};
  }
  free(twist);
}

static pl_status make_truth(pl_context *context, const bias_study *study, capture_body *truth, pl_error *error) {
  capture_body_def def = {.control_count = 1,
                          .young = &YOUNG,
                          .density = DENSITY,
                          .mass_damping = ALPHA,
                          .stiffness_damping = BETA,
                          .gravity = {0, -9.81, 0},
                          .is_held = is_at_boundary};
  pl_status status = capture_beam_mesh(context, study->truth_across, &def.mesh, error);
  if (status >= 0) status = capture_body_open(context, &def, truth, error);
  if (status < 0) return status;
  truth->frame_count = study->frame_count;
  truth->frame_seconds = 1.0 / 30;
  pl_vec3 *forces = tool_allocate((size_t)truth->point_count, sizeof *forces);
  for (int i = 0; i < 2 && status >= 0; ++i) {
    truth->positions[i] = tool_allocate((size_t)truth->point_count * (size_t)truth->frame_count, sizeof(pl_vec3));
    load_beam(truth, i == 1, forces);
    status = capture_let_go(truth, forces, study->truth_steps, truth->positions[i], error);
  }
  free(forces);
  return status;
}

static void take_result(const capture_body *body, const pl_fit_report *report, const pl_fit_prediction *prediction,
                        bias_result *result) {
  static const int slots[OFF_COUNT] = {0, 2, 3};
  const double truths[OFF_COUNT] = {YOUNG, ALPHA, BETA};
  *result = (bias_result){.point_count = body->point_count,
                          .tet_count = body->tet_count,
                          .iteration_count = report->iteration_count,
                          .rms = report->rms / report->amplitude,
                          .held_out = prediction->rms / prediction->amplitude,
                          .seconds = report->seconds};
  for (int i = 0; i < OFF_COUNT; ++i) {
    result->off[i] = report->estimates[slots[i]].value / truths[i] - 1;
    result->determined[i] = report->estimates[slots[i]].verdict == PL_FIT_DETERMINED;
  }
}

static pl_status fit_beam(const capture_body *truth, int32_t across, int32_t steps, bias_result *result,
                          pl_error *error) {
  pl_mesh *mesh = NULL;
  capture_body body = {.context = NULL};
  pl_status status = capture_beam_mesh(truth->context, across, &mesh, error);
  if (status >= 0) status = capture_body_sample(truth, mesh, is_at_boundary, &body, error);
  if (status < 0) return status;
  pl_fit_def def = capture_fit_def(&body, NULL);
  def.steps_per_frame = steps;
  pl_fit_sequence motions[2];
  for (int i = 0; i < 2; ++i)
    motions[i] = (pl_fit_sequence){
        .frame_count = body.frame_count, .frame_seconds = body.frame_seconds, .positions = body.positions[i]};
  pl_fit *fit = NULL;
  pl_fit_report report;
  pl_fit_prediction prediction;
  status =
      pl_fit_create(body.context, &def, body.statics, &(pl_fit_sequences){.items = motions, .count = 1}, &fit, error);
  if (status >= 0) status = pl_fit_run(fit, error);
  if (status >= 0) status = pl_fit_predict(fit, &motions[1], NULL, &prediction, error);
  if (status >= 0) status = pl_fit_get_report(fit, &report, error);
  if (status >= 0) take_result(&body, &report, &prediction, result);
  pl_fit_destroy(fit);
  capture_body_close(&body);
  return status;
}

// --- rows
// -------------------------------------------------------------------------------------------------------------

static void print_number(bench_session *bench, const bench_row *row, double value) {
  bench_samples samples = {0};
  bench_add(&samples, value);
  bench_print(bench, row, &samples);
}

static char *case_name(const bias_study *study, int fit, const char *begin) {
  int32_t n = study->across[fit], steps = study->steps[fit];
  if (study->kind == OWN) return tool_text("%s, own tets and steps", begin);
  return study->kind == TETS ? tool_text("%s, %d x %d x %d cells", begin, 4 * n, n, n)
                             : tool_text("%s, %d step%s a frame", begin, steps, steps == 1 ? "" : "s");
}

static void print_result(bench_session *bench, const bias_study *study, int fit, const bias_result *result) {
  char *name = case_name(study, fit, "E"), note[240];
  snprintf(note, sizeof note,
           "truth %d x %d x %d cells, %d steps, fit %d; alpha off by %+.3g %%%s, beta %+.3g %%%s; rms %.2g %%",
           4 * study->truth_across, study->truth_across, study->truth_across, study->truth_steps, study->steps[fit],
           100 * result->off[ALPHA_OFF], result->determined[ALPHA_OFF] ? "" : " (not determined)",
           100 * result->off[BETA_OFF], result->determined[BETA_OFF] ? "" : " (not determined)", 100 * result->rms);
  char *more = tool_text(
      "\"across\": %d, \"steps\": %d, \"truth_across\": %d, \"truth_steps\": %d, \"tets\": %d, \"young_off\": %.5g, "
      "\"mass_damping_off\": %.5g, \"stiffness_damping_off\": %.5g, \"determined\": [%s, %s, %s], \"rms\": %.4g, "
      "\"iterations\": %d, \"seconds\": %.4g",
      study->across[fit], study->steps[fit], study->truth_across, study->truth_steps, result->tet_count,
      result->off[YOUNG_OFF], result->off[ALPHA_OFF], result->off[BETA_OFF],
      result->determined[YOUNG_OFF] ? "true" : "false", result->determined[ALPHA_OFF] ? "true" : "false",
      result->determined[BETA_OFF] ? "true" : "false", result->rms, result->iteration_count, result->seconds);
  bench_row row = {.suite = "capture",
                   .name = name,
                   .threads = 1,
                   .unit = "% off",
                   .size = result->point_count,
                   .note = note,
                   .more = more};
  print_number(bench, &row, 100 * result->off[YOUNG_OFF]);
  free(more);
  free(name);
}

static void print_held_out(bench_session *bench, const bias_study *study, int fit, const bias_result *result) {
  char *name = case_name(study, fit, "held out");
  bench_row row = {.suite = "capture",
                   .name = name,
                   .threads = 1,
                   .unit = "% of amplitude",
                   .limit = MAX_HELD_OUT,
                   .size = result->point_count,
                   .note = "a second motion, not fitted; limit: what it may be"};
  print_number(bench, &row, 100 * result->held_out);
  free(name);
}

// Of a, b and c, refined by halves and off by C h^p: p.
static double order_of(double a, double b, double c) {
  return log2(fabs((a - b) / (b - c)));
}

// Coarse tets are too stiff by a share of h^p, so that what has an order is the inverse of the modulus which makes them
// move right.
static void print_orders(bench_session *bench, const bias_study *study, const bias_result *results) {
  const bias_result *r = results + study->fit_count - 3;
  double stiffness[3], orders[OFF_COUNT];
  for (int i = 0; i < 3; ++i) stiffness[i] = 1 / (1 + r[i].off[YOUNG_OFF]);
  orders[YOUNG_OFF] = order_of(stiffness[0], stiffness[1], stiffness[2]);
  for (int i = ALPHA_OFF; i <= BETA_OFF; ++i) orders[i] = order_of(r[0].off[i], r[1].off[i], r[2].off[i]);
  double refined = 1 / (stiffness[2] + (stiffness[2] - stiffness[1]) / (exp2(orders[YOUNG_OFF]) - 1)) - 1;
  char *name = tool_text("order of 1/E in the %s", study->kind == TETS ? "edges" : "step"), note[160];
  snprintf(note, sizeof note,
           "alpha %.2f, beta %.2f; refined for ever E would be %+.3g %% off, which is the truth's own error",
           orders[ALPHA_OFF], orders[BETA_OFF], 100 * refined);
  char *more = tool_text("\"mass_damping_order\": %.4g, \"stiffness_damping_order\": %.4g, \"refined_off\": %.5g",
                         orders[ALPHA_OFF], orders[BETA_OFF], refined);
  bench_row row = {.suite = "capture",
                   .name = name,
                   .threads = 1,
                   .unit = "power",
                   .higher_is_better = true,
                   .note = note,
                   .more = more};
  print_number(bench, &row, orders[YOUNG_OFF]);
  free(more);
  free(name);
}

static pl_status run_study(bench_session *bench, pl_context *context, const bias_study *study, pl_error *error) {
  capture_body truth = {.context = NULL};
  bias_result results[MAX_FITS];
  pl_status status = make_truth(context, study, &truth, error);
  for (int i = 0; i < study->fit_count && status >= 0; ++i) {
    status = fit_beam(&truth, study->across[i], study->steps[i], &results[i], error);
    if (status >= 0) print_result(bench, study, i, &results[i]);
  }
  for (int i = 0; i < study->fit_count && status >= 0; ++i) print_held_out(bench, study, i, &results[i]);
  if (status >= 0 && study->kind != OWN) print_orders(bench, study, results);
  if (truth.context != NULL) capture_body_close(&truth);
  return status;
}

void bench_capture_bias(bench_session *bench, pl_context *context, bool *remarks) {
  for (int i = 0; i < STUDY_COUNT; ++i) {
    pl_error error = {0};
    const bias_study *study = bench->quick ? &QUICK_STUDIES[i] : &STUDIES[i];
    if (run_study(bench, context, study, &error) >= 0) continue;
    tool_print_warning(&bench->tool->console, "bar of other tets and steps: %s", error.text);
    *remarks = true;
  }
}
