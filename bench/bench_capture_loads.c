// Table 3 of Wang and others 2015: bodies fitted from their vibrations and then loaded with weights that no fit has
// seen.
//
// Tracked points have noise of half a millimetre in every coordinate; the pose in which the body is released is known.
// The paper's bodies are real ones, measured by scanner; ours are known exactly, so what remains is the error of the
// fitted modulus and reference shape.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_capture_fixture.h"

typedef struct load_case {
  const char *name;
  double grams;
  int axis;    // of the force: 0 x, 1 y
  double end;  // 1: at the greatest x, -1: at the least
  double paper;
} load_case;

typedef struct loaded_body {
  const char *name;
  pl_status (*mesh)(pl_context *context, int32_t point_count, pl_mesh **mesh, pl_error *error);
  double young, density;
  double pull;  // size of the loads before the release
  bool (*is_held)(pl_vec3 point, pl_box box);
  load_case loads[6];
  int load_count;
} loaded_body;

static bool is_at_handle(pl_vec3 point, pl_box box) {
  return point.x < box.min.x + 0.1 * (box.max.x - box.min.x);
}

static bool is_at_hook(pl_vec3 point, pl_box box) {
  return point.y > box.max.y - 0.12 * (box.max.y - box.min.y);
}

static const loaded_body BODIES[] = {
    {"pot holder",
     capture_holder_mesh,
     7.0e6,
     1100,
     0.5,
     is_at_handle,
     {{"bent, 0 g", 0, 1, 1, 1.9e-2},
      {"bent, 20 g", 20, 1, 1, 5.6e-2},
      {"bent, 10 g", 10, 1, 1, 4.0e-2},
      {"pulled, 0 g", 0, 0, 1, 7.0e-5},
      {"pulled, 500 g", 500, 0, 1, 2.8e-2},
      {"pulled, 200 g", 200, 0, 1, 7.9e-3}},
     6},
    {"hanger",
     capture_hanger_mesh,
     5.6e6,
     1100,
     0.01,
     is_at_hook,
     {{"0 g", 0, 1, 1, 1.2e-4}, {"100 g left", 100, 1, -1, 3.3e-2}, {"100 g right", 100, 1, 1, 3.5e-2}},
     3},
};
enum { BODY_COUNT = sizeof BODIES / sizeof BODIES[0] };

static const double NOISE = 5e-4;

// The weight hangs from all points within a twentieth of the length from the end.
static void hang(const capture_body *body, const load_case *load, pl_vec3 *forces) {
  pl_mesh_view view = pl_mesh_get_view(body->rest);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  double reach = 0.05 * (box.max.x - box.min.x), force = 9.81e-3 * load->grams;
  int32_t count = 0;
  memset(forces, 0, (size_t)view.point_count * sizeof *forces);
  for (int pass = 0; pass < 2; ++pass)
    for (int32_t i = 0; i < view.point_count; ++i) {
      bool there = load->end > 0 ? view.points[i].x > box.max.x - reach : view.points[i].x < box.min.x + reach;
      if (!there) continue;
      if (pass == 0) ++count;
      if (pass == 1 && load->axis == 0) forces[i].x = force / count;
      if (pass == 1 && load->axis == 1) forces[i].y = -force / count;
    }
}

static pl_status compare_loads(bench_session *bench, const loaded_body *c, capture_body *body, pl_fit *fit,
                               double young, pl_error *error) {
  size_t points = (size_t)body->point_count;
  pl_vec3 *forces = tool_allocate(points, sizeof *forces), *truth = tool_allocate(points, sizeof *truth),
          *fitted = tool_allocate(points, sizeof *fitted);
  capture_body model = *body;
  model.model = NULL;
  pl_status status = pl_fit_build_model(fit, NULL, &model.model, error);
  for (int i = 0; i < c->load_count && status >= 0; ++i) {
    const load_case *load = &c->loads[i];
    hang(body, load, forces);
    memcpy(truth, pl_mesh_get_view(body->statics).points, points * sizeof *truth);
    memcpy(fitted, truth, points * sizeof *truth);
    status = capture_settle(body, forces, truth, error);
    if (status >= 0) status = capture_settle(&model, forces, fitted, error);
    if (status < 0) break;
    double moved = capture_distance(body, truth, pl_mesh_get_view(body->statics).points);
    char *name = tool_text("%s %s", c->name, load->name), note[120];
    snprintf(note, sizeof note, "the load moves it by %.2g; E %.4g Pa, truth %.4g", moved, young, c->young);
    char *more = tool_text("\"moved\": %.4g, \"young\": %.5g, \"truth\": %.5g", moved, young, c->young);
    bench_samples samples = {0};
    bench_add(&samples, capture_distance(body, truth, fitted));
    bench_row row = {.suite = "capture",
                     .name = name,
                     .threads = pl_context_thread_count(body->context),
                     .unit = "of size",
                     .paper = load->paper,
                     .size = body->point_count,
                     .note = note,
                     .more = more};
    bench_print(bench, &row, &samples);
    free(more);
    free(name);
  }
  pl_model_destroy(model.model);
  free(forces);
  free(truth);
  free(fitted);
  return status;
}

static pl_status fit_body(bench_session *bench, const loaded_body *c, capture_body *body, pl_error *error) {
  pl_fit_def def = capture_fit_def(body, NULL);
  def.young.start = 2e6;
  def.steps_per_frame = 2;
  def.noise = NOISE;
  pl_fit_sequence sequences[CAPTURE_SEQUENCES];
  pl_fit *fit = NULL;
  for (int i = 0; i < CAPTURE_SEQUENCES; ++i)
    sequences[i] = (pl_fit_sequence){
        .frame_count = body->frame_count, .frame_seconds = body->frame_seconds, .positions = body->positions[i]};
  pl_status status = pl_fit_create(body->context, &def, body->statics,
                                   &(pl_fit_sequences){.items = sequences, .count = CAPTURE_SEQUENCES}, &fit, error);
  if (status >= 0) status = pl_fit_run(fit, error);
  pl_fit_report report;
  if (status >= 0) status = pl_fit_get_report(fit, &report, error);
  if (status >= 0) status = compare_loads(bench, c, body, fit, report.estimates[0].value, error);
  pl_fit_destroy(fit);
  return status;
}

void bench_capture_loads(bench_session *bench, pl_context *context, bool *remarks) {
  for (int i = 0; i < BODY_COUNT; ++i) {
    const loaded_body *c = &BODIES[i];
    pl_error error = {0};
    capture_body body = {.context = NULL};
    capture_body_def def = {.control_count = 1,
                            .young = &c->young,
                            .density = c->density,
                            .mass_damping = 0.5,
                            .stiffness_damping = 1e-3,
                            .gravity = {0, -9.81, 0},
                            .is_held = c->is_held};
    pl_status status = c->mesh(context, 700, &def.mesh, &error);
    if (status >= 0) status = capture_body_open(context, &def, &body, &error);
    if (status >= 0) status = capture_record(&body, 45, 2, c->pull, &error);
    if (status >= 0) capture_add_noise(&body, NOISE);
    if (status >= 0) status = fit_body(bench, c, &body, &error);
    if (body.context != NULL) capture_body_close(&body);
    if (status >= 0) continue;
    tool_print_warning(&bench->tool->console, "%s: %s", c->name, error.text);
    *remarks = true;
  }
}
