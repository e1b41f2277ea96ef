// The dinosaur of table 1 of Wang and others 2015: about 4,900 points, seven moduli blended by harmonic functions, one
// motion of 523 frames.
//
// Its tets are those of the gallery's. Head and tail are pulled apart sideways by half of their weight and released;
// the motion is exact, made by the simulation that fits it, as for the bars of suite `capture`. The paper's moduli are
// 1e4 to 1e6 Pa, of which ours are a part: one of 1e4 Pa would not carry a head of this density.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench_capture_fixture.h"
#include "tool_gallery.h"

enum { MODULUS_COUNT = 7, FRAME_COUNT = 523, QUICK_FRAME_COUNT = 10 };

static const double PAPER_SECONDS = 3 * 3600, LIMIT_SECONDS = 30 * 60;
static const double ALPHA = 2e-2, BETA = 1e-3, DENSITY = 400;

// Head, neck, front, back, and along the tail.
static const pl_vec3 CONTROL_POINTS[MODULUS_COUNT] = {{0.30, 0.55, 0},     {0.19, 0.43, 0},  {0.09, 0.30, 0},
                                                      {-0.09, 0.30, 0},    {-0.24, 0.27, 0}, {-0.38, 0.25, 0.012},
                                                      {-0.53, 0.26, 0.035}};
static const double YOUNG[MODULUS_COUNT] = {1.6e5, 1.2e5, 4e5, 3e5, 1.5e5, 1e5, 8e4};

static bool is_at_feet(pl_vec3 point, pl_box box) {
  (void)box;
  return point.y < 0.012 && fabs(point.x) < 0.2;
}

// The tets of the gallery's dinosaur.
static pl_status read_mesh(pl_context *context, const char *path, pl_mesh **mesh, pl_error *error) {
  pl_scene_build_def build = pl_default_scene_build_def();
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  pl_status status = pl_scene_load(context, path, &scene, NULL, error);
  if (status >= 0) status = pl_scene_build(context, &build, scene, &set, NULL, error);
  if (status >= 0) {
    pl_mesh_view view = pl_mesh_get_view(pl_scene_instance_get_body(set, 0).mesh);
    status = pl_mesh_create(context, &view, mesh, error);
  }
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  return status;
}

static pl_status record(capture_body *body, int32_t frame_count, pl_error *error) {
  pl_vec3 *forces = capture_weights(body);
  pl_mesh_view mesh = pl_mesh_get_view(body->rest);
  for (int32_t i = 0; i < body->point_count; ++i)
    forces[i] = (pl_vec3){0, 0, (mesh.points[i].x > 0 ? 0.5 : -0.5) * fabs(forces[i].y)};
  body->frame_count = frame_count;
  body->frame_seconds = 1.0 / 30;
  body->positions[0] = tool_allocate((size_t)body->point_count * (size_t)frame_count, sizeof(pl_vec3));
  pl_status status = capture_let_go(body, forces, 1, body->positions[0], error);
  free(forces);
  return status;
}

static void print_fit(bench_session *bench, const capture_body *body, const pl_fit_report *report, double cpu) {
  double worst_young = 0, worst_damping = 0;
  int32_t flagged = 0;
  char *list = tool_text("%s", "");
  for (int32_t k = 0; k < report->parameter_count; ++k) {
    const pl_fit_estimate *e = &report->estimates[k];
    if (e->verdict == PL_FIT_HELD) continue;
    double off = e->value / body->values[k] - 1, *worst = k < MODULUS_COUNT ? &worst_young : &worst_damping;
    if (e->verdict == PL_FIT_DETERMINED)
      *worst = fmax(*worst, fabs(off));
    else
      ++flagged;
    if (!bench->json)
      printf("    %-20s %10.4g  in %8.3g … %-8.3g  truth %8.3g, off %+6.2f %%  %s\n", e->name, e->value, e->min, e->max,
             body->values[k], 100 * off, pl_fit_verdict_name(e->verdict));
    char *longer = tool_text("%s%s{\"name\": \"%s\", \"value\": %.6g, \"truth\": %.6g, \"determined\": %s}", list,
                             list[0] != '\0' ? ", " : "", e->name, e->value, body->values[k],
                             e->verdict == PL_FIT_DETERMINED ? "true" : "false");
    free(list);
    list = longer;
  }
  char *more = tool_text("\"estimates\": [%s], \"iterations\": %d, \"cpu\": %.4g", list, report->iteration_count, cpu),
       note[200];
  snprintf(
      note, sizeof note,
      "%d frames, %d iterations, %.0f s of processors; determined moduli off by %.2g %%, damping %.2g %%; %d flagged",
      body->frame_count, report->iteration_count, cpu, 100 * worst_young, 100 * worst_damping, flagged);
  bench_samples samples = {0};
  bench_add(&samples, report->seconds);
  bench_row row = {.suite = "dinosaur",
                   .name = "dinosaur, 7 control points",
                   .threads = pl_context_thread_count(body->context),
                   .unit = "s",
                   .paper = PAPER_SECONDS,
                   .limit = LIMIT_SECONDS,
                   .size = body->point_count,
                   .note = note,
                   .more = more};
  bench_print(bench, &row, &samples);
  free(more);
  free(list);
}

static pl_status fit_motion(bench_session *bench, capture_body *body, pl_error *error) {
  pl_fit *fit = NULL;
  pl_fit_def def = capture_fit_def(body, body->field);
  pl_fit_sequence motion = {
      .frame_count = body->frame_count, .frame_seconds = body->frame_seconds, .positions = body->positions[0]};
  def.young.start = 2e5;
  pl_status status =
      pl_fit_create(body->context, &def, body->statics, &(pl_fit_sequences){.items = &motion, .count = 1}, &fit, error);
  clock_t begin = clock();
  if (status >= 0) status = pl_fit_run(fit, error);
  double cpu = (double)(clock() - begin) / CLOCKS_PER_SEC;
  pl_fit_report report;
  if (status >= 0) status = pl_fit_get_report(fit, &report, error);
  if (status >= 0) print_fit(bench, body, &report, cpu);
  pl_fit_destroy(fit);
  return status;
}

int bench_dinosaur(bench_session *bench) {
  pl_error error = {0};
  pl_context_def context_def = pl_default_context_def();
  pl_context *context = NULL;
  capture_body body = {.context = NULL};
  capture_body_def def = {.control_count = MODULUS_COUNT,
                          .control_points = CONTROL_POINTS,
                          .young = YOUNG,
                          .density = DENSITY,
                          .mass_damping = ALPHA,
                          .stiffness_damping = BETA,
                          .gravity = {0, -9.81, 0},
                          .is_held = is_at_feet};
  tool_gallery gallery = tool_gallery_find();
  if (gallery.folder == NULL) {
    tool_print_error(&bench->tool->console,
                     "the gallery was not found; set PLIANT_SCENES to the folder 'scenes' of Pliant");
    return TOOL_FAILED;
  }
  char *path = tool_gallery_scene(&gallery, "capture-dinosaur");
  pl_status status = pl_context_create(&context_def, &context, &error);
  if (status >= 0) status = read_mesh(context, path, &def.mesh, &error);
  if (status >= 0) status = capture_body_open(context, &def, &body, &error);
  if (status >= 0) status = record(&body, bench->quick ? QUICK_FRAME_COUNT : FRAME_COUNT, &error);
  if (status >= 0) status = fit_motion(bench, &body, &error);
  if (body.context != NULL) capture_body_close(&body);
  pl_context_destroy(context);
  free(path);
  tool_gallery_free(&gallery);
  return status < 0 ? tool_report_error(&bench->tool->console, &error) : TOOL_DONE;
}
