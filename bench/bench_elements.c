// Linear and quadratic tets against known deformations, and what a Newton step of each costs.
#include <stdio.h>

#include "bench_element_cases.h"
#include "bench_suite.h"
#include "tool_open.h"

// With 0 there is no λ: what linear tets are off by then is no locking of volumes.
static const double RATIOS[] = {0, 0.3, 0.45, 0.499, 0.4999};

// Error of one case in percent of the reference.
static int measure_case(bench_session *bench, pl_context *context, element_case c) {
  pl_error error = {0};
  if (element_case_solve(context, &c, &error) < 0) return tool_report_error(&bench->tool->console, &error);
  double reference = element_case_reference(c.kind, c.poisson);
  char name[64];
  snprintf(name, sizeof name, "%s %g %s %d", element_case_names[c.kind], c.poisson,
           c.element == PL_FEM_QUADRATIC ? "quadratic" : "linear", c.cells);
  bench_samples samples = {0};
  bench_add(&samples, 100 * (c.value / reference - 1));
  bench_row row = {.suite = "elements",
                   .name = name,
                   .threads = 1,
                   .unit = "%",
                   .size = c.point_count,
                   .note = "error of the displacement"};
  bench_print(bench, &row, &samples);
  return TOOL_DONE;
}

static int measure_errors(bench_session *bench, pl_context *context) {
  int code = TOOL_DONE;
  for (int k = 0; k < ELEMENT_CASES && code == TOOL_DONE; ++k)
    for (size_t n = 0; n < sizeof RATIOS / sizeof RATIOS[0] && code == TOOL_DONE; ++n)
      for (int32_t e = 0; e < 2 && code == TOOL_DONE; ++e)
        for (int32_t cells = bench->quick ? 2 : 4; cells <= (bench->quick ? 2 : e == 0 ? 8 : 4); cells *= 2) {
          element_case c = {.kind = (element_case_kind)k,
                            .cells = cells,
                            .element = (pl_fem_element_order)e,
                            .poisson = RATIOS[n],
                            .direct = pl_cholmod_backend()};
          code = measure_case(bench, context, c);
          if (code != TOOL_DONE) break;
        }
  return code;
}

// Order of convergence of quadratic tets: the largest error of any point of the cylinder, with cells of half the size.
static int measure_order(bench_session *bench, pl_context *context) {
  double errors[2] = {0, 0};
  element_case c = {.kind = ELEMENT_CYLINDER,
                    .cells = bench->quick ? 8 : 16,
                    .element = PL_FEM_QUADRATIC,
                    .poisson = 0.3,
                    .direct = pl_cholmod_backend()};
  for (int i = 0; i < 2; ++i, c.cells *= 2) {
    pl_error error = {0};
    if (element_case_solve(context, &c, &error) < 0) return tool_report_error(&bench->tool->console, &error);
    errors[i] = c.worst;
  }
  bench_samples samples = {0};
  bench_add(&samples, log2(errors[0] / errors[1]));
  bench_row row = {.suite = "elements",
                   .name = "order, quadratic, cylinder",
                   .threads = 1,
                   .unit = "",
                   .size = c.point_count,
                   .note = "largest error of a displacement; at least 2.8 is wanted"};
  bench_print(bench, &row, &samples);
  return TOOL_DONE;
}

// --- the cost of a step
// -------------------------------------------------------------------------------------------

// Milliseconds a Newton iteration takes in steps of a swinging bar held at one end; negative on failure (printed).
static double time_steps(bench_session *bench, pl_context *context, const pl_mesh *mesh, pl_fem_element_order element,
                         int32_t *point_count) {
  pl_error error = {0};
  pl_model *model = NULL;
  pl_world *world = NULL;
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.element = element;
  pl_status status = pl_fem_build(context, &def, mesh, &model, &error);
  pl_world_def place = pl_default_world_def();
  place.step = 1.0 / 60;
  if (status >= 0) status = pl_world_create(context, &place, &world, &error);
  pl_body_def start = pl_default_body_def();
  start.model = model;
  pl_body_id body;
  if (status >= 0) status = pl_world_add_body(world, &start, &body, &error);
  double seconds = 0;
  int32_t newtons = 0;
  if (status >= 0) {
    *point_count = pl_model_get_report(model).particle_count;
    pl_vec3 *x = tool_allocate((size_t)*point_count, sizeof *x);
    status = pl_body_get_positions(world, body, x);
    for (int32_t i = 0; i < *point_count && status >= 0; ++i) {
      if (x[i].y < 0.999) continue;
      pl_pin_def pin = pl_default_pin_def();
      pin.body = body;
      pin.particle = i;
      pin.target = x[i];
      status = pl_world_add_pin(world, &pin, NULL, &error);
    }
    free(x);
  }
  for (int step = 0; step < (bench->quick ? 4 : 12) && status >= 0; ++step) {
    pl_fem_report report;
    status = pl_world_step(world, NULL, &error);
    if (status >= 0) status = pl_fem_get_report(world, body, &report);
    if (status < 0 || step < 2) continue;
    seconds += report.assembly_seconds + report.factor_seconds + report.solve_seconds;
    newtons += report.newton_count;
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
  if (status < 0) tool_report_error(&bench->tool->console, &error);
  return status < 0 ? -1 : newtons > 0 ? 1e3 * seconds / newtons : 0;
}

// A linear and a quadratic mesh of the same nodes take turns.
static int measure_cost(bench_session *bench, pl_context *context) {
  int32_t n = bench->quick ? 2 : 6;
  const int32_t fine[3] = {2 * n, 4 * n, 2 * n}, coarse[3] = {n, 2 * n, n};
  pl_error error = {0};
  pl_mesh *linear = NULL, *quadratic = NULL;
  pl_status status = pl_mesh_create_box(context, (pl_vec3){1, 2, 1}, fine, &linear, &error);
  if (status >= 0) status = pl_mesh_create_box(context, (pl_vec3){1, 2, 1}, coarse, &quadratic, &error);
  bench_samples samples[3] = {{0}, {0}, {0}};
  int32_t counts[2] = {0, 0};
  for (int i = 0; status >= 0 && i < bench_repeats(bench); ++i) {
    double a = time_steps(bench, context, linear, PL_FEM_LINEAR, &counts[0]),
           b = time_steps(bench, context, quadratic, PL_FEM_QUADRATIC, &counts[1]);
    if (a < 0 || b < 0) break;
    bench_add(&samples[0], a);
    bench_add(&samples[1], b);
    bench_add(&samples[2], a > 0 ? b / counts[1] / (a / counts[0]) : 0);
  }
  pl_mesh_destroy(quadratic);
  pl_mesh_destroy(linear);
  if (status < 0) return tool_report_error(&bench->tool->console, &error);
  if (samples[0].count == 0) return TOOL_FAILED;
  bench_row row = {.suite = "elements", .name = "newton linear", .threads = 1, .unit = "ms", .size = counts[0]};
  bench_print(bench, &row, &samples[0]);
  row.name = "newton quadratic";
  row.size = counts[1];
  bench_print(bench, &row, &samples[1]);
  row.name = "quadratic over linear, per node";
  row.unit = "times";
  row.limit = 4;
  row.note = "at most 4 is wanted";
  bench_print(bench, &row, &samples[2]);
  return TOOL_DONE;
}

int bench_elements(bench_session *bench) {
  pl_context *context = tool_open_context(bench->tool, 1);
  if (context == NULL) return TOOL_FAILED;
  int code = measure_errors(bench, context);
  if (code == TOOL_DONE) code = measure_order(bench, context);
  if (code == TOOL_DONE) code = measure_cost(bench, context);
  pl_context_destroy(context);
  return code;
}
