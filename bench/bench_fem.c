// Finite elements: milliseconds of an implicit step and of one of its Newton iterations, by size, stiffness, scheme,
// solver and threads.
//
// What moves is the hanging box of bench_fem_stage.c, steps of 1/60 s, always the same few steps from the same state:
// every repetition does the same work to the last bit. The name of a row states tets, Young's modulus in Pa, scheme and
// solver, and what was measured:
//   step      a whole step of the world, however many Newton iterations it takes to 1e-4
//   newton    the same divided by the number of Newton iterations
//   assembly  of that: energies, forces and matrices, with the one or more evaluations without matrix of the line
//   search factor    of that: factorisation, or preconditioner solve     of that: conjugate gradients, or substitution.
//   Limit: the matrix read once per iteration of conjugate gradients
// "fast" is measured falling, where its system needs no more iterations than volume does, and hanging, where pins take
// some more. "assembly per tet" is one evaluation of energy, forces and exact tangent, added into the matrix: a step
// whose first guess counts as solved does that and nothing else; the quickest of five counts as a repetition. Limit:
// the matrix cleared and added to once, and what is stored per tet read once.
//
// In the column of papers stand figures of other programs for the same mesh, measured on a machine of this kind:
// VegaFEM 3.1 (corotated, implicit Euler; 108 to 132 ms a step to 1e-4) and the code of the authors of Kugelstadt,
// Koschier and Bender 2018 with AVX.
//
// Cost per tet of large and small bodies is compared between neighbours in time, as it is a ratio of two measurements;
// once for a body of the same size cut more finely, through which waves cross three times as many elements in a step,
// and once for elements of the same size.
#include <math.h>
#include <stdio.h>

#include "bench_fem_fixture.h"
#include "bench_suite.h"

typedef struct fem_size {
  const char *name;
  int32_t cells[3];
  int step_count, quick_count;  // per repetition; 0: left out
} fem_size;

enum { MIN, SMALL, MIDDLE, LARGE, SIZE_COUNT };

static const fem_size SIZES[SIZE_COUNT] = {
    {"1k", {4, 4, 10}, 24, 4},
    {"3k", {6, 6, 14}, 10, 2},
    {"16k", {11, 11, 22}, 4, 1},
    {"100k", {20, 20, 42}, 1, 0},
};

typedef struct fem_case {
  const fem_size *size;
  pl_fem_material material;
  double young;
  pl_fem_scheme scheme;
  pl_fem_solver solver;
  int threads;
  bool parts;                       // also assembly, factor and solve
  double paper_newton, paper_step;  // ms
} fem_case;

static const char *const OTHERS = "paper: VegaFEM 3.1, same mesh, a machine of this kind";

static int repeats_of(const bench_session *bench, const fem_size *size) {
  return size == &SIZES[LARGE] ? 5 : bench_repeats(bench);
}

static fem_fixture_def fixture_def_of(const fem_case *about) {
  fem_fixture_def def = {.width = 1,
                         .material = about->material,
                         .scheme = about->scheme,
                         .solver = about->solver,
                         .young = about->young,
                         .target_steps = about->size == &SIZES[LARGE] ? 0 : 2,
                         .threads = about->threads};
  for (int axis = 0; axis < 3; ++axis) def.cells[axis] = about->size->cells[axis];
  return def;
}

// --- steps --------------------------------------------------------------------------------------------------------

typedef enum fem_part { PART_STEP, PART_NEWTON, PART_ASSEMBLY, PART_FACTOR, PART_SOLVE, PART_COUNT } fem_part;

static const char *const PART_NAMES[PART_COUNT] = {"step", "newton", "assembly", "factor", "solve"};

static void add_run(const fem_run *run, bench_samples samples[PART_COUNT]) {
  double iterations = run->newton_count > 0 ? (double)run->newton_count : 1;
  bench_add(&samples[PART_STEP], 1e3 * run->seconds / run->step_count);
  bench_add(&samples[PART_NEWTON], 1e3 * run->seconds / iterations);
  bench_add(&samples[PART_ASSEMBLY], 1e3 * run->assembly_seconds / iterations);
  bench_add(&samples[PART_FACTOR], 1e3 * run->factor_seconds / iterations);
  bench_add(&samples[PART_SOLVE], 1e3 * run->solve_seconds / iterations);
}

static void print_part(bench_session *bench, const fem_case *about, const fem_fixture *fixture, const fem_run *run,
                       fem_part part, const bench_samples *samples) {
  bool direct = about->solver == PL_FEM_SOLVER_DIRECT;
  char name[80], note[200] = "";
  snprintf(name, sizeof name, "%s%s 1e%.0f %s %s %s", about->material == PL_FEM_NEO_HOOKEAN ? "neo-Hookean " : "",
           about->size->name, log10(about->young), about->scheme == PL_FEM_IMPLICIT_EULER ? "euler" : "2nd",
           direct ? "direct" : "cg", PART_NAMES[part]);
  bench_row row = {.suite = "fem",
                   .name = name,
                   .threads = about->threads,
                   .unit = part == PART_STEP ? "ms/step" : "ms/iteration",
                   .size = fixture->tet_count};
  double iterations = run->newton_count > 0 ? (double)run->newton_count : 1;
  if (part == PART_STEP) {
    row.paper = about->paper_step;
    snprintf(note, sizeof note, "%.3g Newton iterations a step%s%s", (double)run->newton_count / run->step_count,
             about->paper_step > 0 ? "; " : "", about->paper_step > 0 ? OTHERS : "");
  } else if (part == PART_NEWTON && about->paper_newton > 0) {
    row.paper = about->paper_newton;
    snprintf(note, sizeof note, "%s", OTHERS);
  } else if (part == PART_SOLVE && !direct) {
    double linear = (double)run->linear_count / iterations;
    row.limit = 1e3 * linear * fixture->matrix_bytes / bench_bandwidth((size_t)fixture->matrix_bytes, about->threads);
    snprintf(note, sizeof note, "%.0f iterations of CG; limit: the matrix read once in each", linear);
  }
  row.note = note[0] != '\0' ? note : NULL;
  bench_print(bench, &row, samples);
}

static pl_status measure_case(bench_session *bench, const fem_case *about, pl_error *error) {
  int steps = bench->quick ? about->size->quick_count : about->size->step_count;
  bool direct = about->solver == PL_FEM_SOLVER_DIRECT;
  if (steps == 0 || (direct && pl_cholmod_backend() == NULL) ||
      (direct && bench->quick && about->size == &SIZES[MIDDLE]))
    return PL_OK;
  fem_fixture fixture = {.context = NULL};
  fem_fixture_def def = fixture_def_of(about);
  fem_run run = {0};
  bench_samples samples[PART_COUNT] = {{0}};
  pl_status status = fem_fixture_open(&def, &fixture, error);
  if (status >= 0) status = fem_fixture_run(&fixture, 1, &run, error);
  for (int repeat = 0; repeat < repeats_of(bench, about->size) && status >= 0; ++repeat) {
    status = fem_fixture_run(&fixture, steps, &run, error);
    add_run(&run, samples);
  }
  for (int part = 0; part < PART_COUNT && status >= 0; ++part)
    if (about->parts || part <= PART_NEWTON) print_part(bench, about, &fixture, &run, (fem_part)part, &samples[part]);
  fem_fixture_close(&fixture);
  return status;
}

static pl_status measure_steps(bench_session *bench, pl_error *error) {
  static const pl_fem_solver solvers[] = {PL_FEM_SOLVER_CG, PL_FEM_SOLVER_DIRECT};
  static const double youngs[] = {1e5, 1e7}, papers[] = {31, 368}, steps[] = {108, 0};
  pl_status status = PL_OK;
  for (int i = 0; i < 4 * SIZE_COUNT && status >= 0; ++i) {
    int size = i / 4, solver = i % 2, stiff = i / 2 % 2;
    fem_case about = {.size = &SIZES[size],
                      .material = PL_FEM_COROTATED,
                      .young = youngs[stiff],
                      .scheme = PL_FEM_IMPLICIT_EULER,
                      .solver = solvers[solver],
                      .threads = 1,
                      .parts = true,
                      .paper_newton = size == MIDDLE && stiff == 0 ? papers[solver] : 0,
                      .paper_step = size == MIDDLE && stiff == 0 ? steps[solver] : 0};
    status = measure_case(bench, &about, error);
    about.parts = false;
    about.paper_newton = about.paper_step = 0;
    about.threads = 2;
    // Factors of large bodies are made by one thread, and take their time.
    if (status >= 0 && (solver == 0 || (size <= MIDDLE && !bench->quick))) status = measure_case(bench, &about, error);
    about.threads = 1;
    about.scheme = PL_FEM_SECOND_ORDER;
    if (status >= 0 && solver == 0) status = measure_case(bench, &about, error);
    about.scheme = PL_FEM_IMPLICIT_EULER;
    about.material = PL_FEM_NEO_HOOKEAN;
    about.parts = true;
    if (status >= 0 && solver == 0 && size == MIDDLE) status = measure_case(bench, &about, error);
  }
  return status;
}

// --- assembly -----------------------------------------------------------------------------------------------------

static void print_assembly(bench_session *bench, const fem_fixture *fixture, const fem_case *about,
                           const bench_samples *samples) {
  // Per tet: shape gradients, volume and moduli, corners, places of 16 blocks.
  double bytes = 2 * fixture->matrix_bytes + (double)fixture->tet_count * (12 * sizeof(double) + 20 * sizeof(int32_t));
  bool corotated = about->material == PL_FEM_COROTATED,
       vega = corotated && about->threads == 1 && about->size == &SIZES[MIDDLE];
  char name[80];
  snprintf(name, sizeof name, "%s%s assembly per tet", corotated ? "" : "neo-Hookean ", about->size->name);
  bench_row row = {.suite = "fem",
                   .name = name,
                   .threads = about->threads,
                   .unit = "us/tet",
                   .paper = vega ? 1.41 : 0,
                   .limit = 1e6 * bytes / bench_bandwidth((size_t)bytes, about->threads) / fixture->tet_count,
                   .size = fixture->tet_count,
                   .note = vega ? "paper: VegaFEM 3.1 with its exact tangent; its approximate one takes 0.72" : NULL};
  bench_print(bench, &row, samples);
}

static pl_status measure_assembly(bench_session *bench, pl_error *error) {
  static const struct {
    int size;
    pl_fem_material material;
    int threads;
  } cases[] = {{SMALL, PL_FEM_COROTATED, 1},    {MIDDLE, PL_FEM_COROTATED, 1}, {MIDDLE, PL_FEM_COROTATED, 2},
               {MIDDLE, PL_FEM_NEO_HOOKEAN, 1}, {LARGE, PL_FEM_COROTATED, 1},  {LARGE, PL_FEM_COROTATED, 2}};
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status >= 0; ++i) {
    fem_case about = {.size = &SIZES[cases[i].size],
                      .material = cases[i].material,
                      .young = 1e5,
                      .scheme = PL_FEM_IMPLICIT_EULER,
                      .solver = PL_FEM_SOLVER_CG,
                      .threads = cases[i].threads};
    if (bench->quick && about.size->quick_count == 0) continue;
    fem_fixture fixture = {.context = NULL};
    fem_fixture_def def = fixture_def_of(&about);
    fem_run run = {0};
    bench_samples samples = {0};
    // A residual as large as all forces together counts as solved; where the body is stretched and gravity pulls the
    // same way, it is smaller.
    def.tolerance = 1;
    def.target_steps = 0;
    status = fem_fixture_open(&def, &fixture, error);
    for (int repeat = -1; repeat < bench_repeats(bench) && status >= 0; ++repeat) {
      double best = HUGE_VAL;
      for (int k = 0; k < 5 && status >= 0; ++k) {
        status = fem_fixture_run(&fixture, 1, &run, error);
        best = fmin(best, run.assembly_seconds);
      }
      if (repeat >= 0 && run.newton_count == 0) bench_add(&samples, 1e6 * best / fixture.tet_count);
    }
    if (status >= 0 && samples.count > 0) print_assembly(bench, &fixture, &about, &samples);
    fem_fixture_close(&fixture);
  }
  return status;
}

// --- cost by size -------------------------------------------------------------------------------------------------

static pl_status measure_growth(bench_session *bench, bool same_elements, double young, pl_error *error) {
  const fem_size *sizes[2] = {&SIZES[SMALL], &SIZES[bench->quick ? MIDDLE : LARGE]};
  fem_fixture fixtures[2] = {{.context = NULL}, {.context = NULL}};
  bench_samples ratio = {0};
  pl_status status = PL_OK;
  for (int s = 0; s < 2 && status >= 0; ++s) {
    fem_case about = {sizes[s], PL_FEM_COROTATED, young, PL_FEM_IMPLICIT_EULER, PL_FEM_SOLVER_CG, 1, false, 0, 0};
    fem_fixture_def def = fixture_def_of(&about);
    def.target_steps = 0;
    if (same_elements) def.width = (double)sizes[s]->cells[0] / sizes[0]->cells[0];
    status = fem_fixture_open(&def, &fixtures[s], error);
  }
  // As many tets on either side, and the same moments of the motion.
  int turns = (int)(status >= 0 ? fixtures[1].tet_count / fixtures[0].tet_count : 0);
  for (int repeat = 0; repeat < 5 && status >= 0; ++repeat) {
    fem_run run = {0};
    double small = 0, large = 0;
    for (int k = 0; k < turns && status >= 0; ++k) {
      status = fem_fixture_run(&fixtures[0], 1, &run, error);
      if (status >= 0) small += run.seconds / (double)run.newton_count / fixtures[0].tet_count / turns;
    }
    if (status >= 0) status = fem_fixture_run(&fixtures[1], 1, &run, error);
    if (status >= 0) large = run.seconds / (double)run.newton_count / fixtures[1].tet_count;
    bench_add(&ratio, large / small);
  }
  char name[80];
  snprintf(name, sizeof name, "newton/tet %s/%s 1e%.0f same %s", sizes[1]->name, sizes[0]->name, log10(young),
           same_elements ? "elements" : "body");
  bench_row row = {.suite = "fem", .name = name, .threads = 1, .unit = "x", .size = fixtures[1].tet_count};
  if (status >= 0) bench_print(bench, &row, &ratio);
  for (int s = 0; s < 2; ++s) fem_fixture_close(&fixtures[s]);
  return status;
}

// --- the fast material --------------------------------------------------------------------------------------------

static pl_status measure_fast(bench_session *bench, pl_error *error) {
  static const struct {
    const char *name;
    int32_t cells[3];
    int threads, step_count;
    double paper;
    bool falling, slow;
  } cases[] = {{"fast 16k falling", {11, 11, 22}, 1, 20, 2.2, true, false},
               {"fast 16k falling", {11, 11, 22}, 2, 20, 0, true, false},
               {"fast 16k hanging", {11, 11, 22}, 1, 20, 2.2, false, false},
               {"fast 16k hanging", {11, 11, 22}, 2, 20, 0, false, false},
               {"fast 106k falling", {21, 21, 40}, 1, 4, 30, true, true},
               {"fast 106k falling", {21, 21, 40}, 2, 4, 0, true, true},
               {"fast 106k hanging", {21, 21, 40}, 1, 4, 30, false, true}};
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status >= 0; ++i) {
    if (cases[i].slow && bench->quick) continue;
    fem_fixture fixture = {.context = NULL};
    fem_fixture_def def = {.width = 1,
                           .material = PL_FEM_FAST,
                           .young = 1e5,
                           .falling = cases[i].falling,
                           .target_steps = 10,
                           .threads = cases[i].threads};
    for (int axis = 0; axis < 3; ++axis) def.cells[axis] = cases[i].cells[axis];
    fem_run run = {0};
    bench_samples samples = {0};
    status = fem_fixture_open(&def, &fixture, error);
    for (int repeat = -1; repeat < bench_repeats(bench) && status >= 0; ++repeat) {
      status = fem_fixture_run(&fixture, cases[i].step_count, &run, error);
      if (repeat >= 0) bench_add(&samples, 1e3 * run.seconds / run.step_count);
    }
    if (status >= 0) {
      double bytes = (double)pl_model_get_report(fixture.model).byte_count + 2 * (double)fixture.start_size;
      bench_row row = {.suite = "fem",
                       .name = cases[i].name,
                       .threads = cases[i].threads,
                       .unit = "ms/step",
                       .paper = cases[i].paper,
                       .limit = 1e3 * bytes / bench_bandwidth((size_t)bytes, cases[i].threads),
                       .size = fixture.tet_count,
                       .note = cases[i].paper > 0
                                   ? "paper: the authors' AVX code, a machine of this kind; limit: model and state "
                                     "through memory once"
                                   : NULL};
      bench_print(bench, &row, &samples);
    }
    fem_fixture_close(&fixture);
  }
  return status;
}

int bench_fem(bench_session *bench) {
  pl_error error = {0};
  pl_status status = measure_fast(bench, &error);
  if (status >= 0) status = measure_assembly(bench, &error);
  if (status >= 0) status = measure_steps(bench, &error);
  if (status >= 0) status = measure_growth(bench, false, 1e5, &error);
  if (status >= 0) status = measure_growth(bench, true, 1e5, &error);
  return status < 0 ? tool_report_error(&bench->tool->console, &error) : TOOL_DONE;
}
