// Many bodies: heaps, bodies that only rest, and bodies that never meet, from a few to thousands.
//
// Bodies are boxes of 0.2 m. A heap is dropped from a loose block of boxes, each turned at random; what is printed is
// the mean time of a frame of 1/60 s in the busiest second, and how much of it contact takes. `apart` and `resting` are
// frames of boxes far from each other, in the air and on the ground: their time for each body should not depend on how
// many there are. `asleep` are those on the ground when nothing moves any more. `one added` and `one replaced` are
// steps of boxes in the air after one was added, or removed and another one added: their mean, and the longest.
//
// Boxes are solids, but for the heaps named `fast` and `fem`, of 8 cells each: those of finite elements
// are solved together with their contacts.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_contact_overlap.h"
#include "bench_suite.h"

enum { FRAMES_PER_SECOND = 60 };

static const double BOX_SIZE = 0.2;
// Points count that are deeper than this in another box, metres; the contact thickness of two is a third of it.
static const double OVERLAP = 1e-3;
enum { OVERLAP_FRAMES = 15 };  // between two measurements

typedef enum contact_layout {
  LAYOUT_HEAP,      // dropped on each other
  LAYOUT_APART,     // in flight without gravity
  LAYOUT_RESTING,   // on the ground, one by one
  LAYOUT_ASLEEP,    // likewise, until they sleep
  LAYOUT_ADDED,     // in flight without gravity, and more of them all the time
  LAYOUT_REPLACED,  // likewise, one after another
  LAYOUT_COUNT
} contact_layout;

// In the order of the layouts, then of the methods beyond solids.
const char *const bench_contact_cases[] = {"heap",     "apart", "resting", "asleep", "added",
                                           "replaced", "fast",  "fem",     NULL};

typedef enum contact_method { METHOD_SOLID, METHOD_FAST, METHOD_FEM } contact_method;

typedef struct contact_case {
  const char *name;
  contact_layout layout;
  int32_t body_count;
  int32_t cells;  // of a box, along each edge
  double seconds;
  bool slow;  // left out of a quick look
  contact_method method;
} contact_case;

static const contact_case CASES[] = {
    {"10 boxes of 64, heap", LAYOUT_HEAP, 10, 3, 2, false, METHOD_SOLID},
    {"100 boxes of 64, heap", LAYOUT_HEAP, 100, 3, 3, true, METHOD_SOLID},
    {"1000 boxes of 64, heap", LAYOUT_HEAP, 1000, 3, 4, true, METHOD_SOLID},
    {"100 boxes of 343, heap", LAYOUT_HEAP, 100, 6, 3, true, METHOD_SOLID},
    {"20 boxes of 1331, heap", LAYOUT_HEAP, 20, 10, 1.5, true, METHOD_SOLID},
    {"10 fast boxes of 27, heap", LAYOUT_HEAP, 10, 2, 1, false, METHOD_FAST},
    {"30 fast boxes of 27, heap", LAYOUT_HEAP, 30, 2, 1, true, METHOD_FAST},
    {"75 fast boxes of 27, heap", LAYOUT_HEAP, 75, 2, 1, true, METHOD_FAST},
    {"150 fast boxes of 27, heap", LAYOUT_HEAP, 150, 2, 1, true, METHOD_FAST},
    {"10 fem boxes of 27, heap", LAYOUT_HEAP, 10, 2, 1, false, METHOD_FEM},
    {"75 fem boxes of 27, heap", LAYOUT_HEAP, 75, 2, 1, true, METHOD_FEM},
    {"100 boxes of 64, apart", LAYOUT_APART, 100, 3, 0.5, false, METHOD_SOLID},
    {"1000 boxes of 64, apart", LAYOUT_APART, 1000, 3, 0.25, true, METHOD_SOLID},
    {"10000 boxes of 64, apart", LAYOUT_APART, 10000, 3, 0.1, true, METHOD_SOLID},
    {"100 boxes of 64, resting", LAYOUT_RESTING, 100, 3, 0.5, false, METHOD_SOLID},
    {"1000 boxes of 64, resting", LAYOUT_RESTING, 1000, 3, 0.25, true, METHOD_SOLID},
    {"10000 boxes of 64, resting", LAYOUT_RESTING, 10000, 3, 0.1, true, METHOD_SOLID},
    {"1000 boxes of 64, asleep", LAYOUT_ASLEEP, 1000, 3, 0.5, true, METHOD_SOLID},
    {"100 boxes of 64, one added", LAYOUT_ADDED, 100, 3, 0.5, false, METHOD_SOLID},
    {"1000 boxes of 64, one added", LAYOUT_ADDED, 1000, 3, 0.5, true, METHOD_SOLID},
    {"1000 boxes of 64, one replaced", LAYOUT_REPLACED, 1000, 3, 0.5, true, METHOD_SOLID},
};

typedef struct contact_fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id *bodies;
} contact_fixture;

static void close_fixture(contact_fixture *fixture) {
  free(fixture->bodies);
  pl_world_destroy(fixture->world);
  pl_model_destroy(fixture->model);
  pl_mesh_destroy(fixture->mesh);
  pl_context_destroy(fixture->context);
}

// A number in [0, 1) that depends on nothing but its two arguments.
static double hashed(int32_t i, int32_t salt) {
  uint64_t x = (uint64_t)(uint32_t)i * 0x9e3779b97f4a7c15u + (uint64_t)(uint32_t)salt * 0xbf58476d1ce4e5b9u;
  x ^= x >> 30, x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27, x *= 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static pl_quat random_turn(int32_t i) {
  pl_vec3 axis = {hashed(i, 1) - 0.5, hashed(i, 2) - 0.5, hashed(i, 3) - 0.5};
  return pl_quat_from_axis_angle(axis, 2 * PL_PI * hashed(i, 4));
}

// Do its bodies come and go?
static bool is_changing(contact_layout layout) {
  return layout == LAYOUT_ADDED || layout == LAYOUT_REPLACED;
}

static bool is_in_flight(contact_layout layout) {
  return layout == LAYOUT_APART || is_changing(layout);
}

static pl_transform placement_of(const contact_case *about, int32_t i) {
  if (about->layout == LAYOUT_HEAP) {
    // Loose enough for boxes in any orientation; as high as it is wide.
    int32_t side = (int32_t)ceil(cbrt(about->body_count));
    double pitch = 1.75 * BOX_SIZE;
    int32_t x = i % side, z = i / side % side, y = i / (side * side);
    pl_vec3 position = {(x - 0.5 * (side - 1)) * pitch, (y + 0.75) * pitch, (z - 0.5 * (side - 1)) * pitch};
    return (pl_transform){position, random_turn(i)};
  }
  int32_t side = (int32_t)ceil(sqrt(about->body_count));
  double pitch = 2 * BOX_SIZE, height = is_in_flight(about->layout) ? 1 : 0.5 * BOX_SIZE;
  pl_vec3 position = {i % side * pitch, height, i / side * pitch};
  return (pl_transform){position, pl_quat_identity()};
}

static pl_status add_box(const contact_case *about, int32_t i, contact_fixture *fixture, pl_body_id *id,
                         pl_error *error) {
  pl_body_def body = pl_default_body_def();
  body.model = fixture->model;
  body.placement = placement_of(about, i);
  // What floats turns slowly, so that it does not come to rest.
  if (is_in_flight(about->layout)) body.angular_velocity = pl_vec3_of(0.3, 1, 0.2);
  return pl_world_add_body(fixture->world, &body, id, error);
}

static pl_status build_model(const contact_case *about, double step, contact_fixture *fixture, pl_error *error) {
  if (about->method == METHOD_SOLID) {
    pl_solid_def solid = pl_default_solid_def();
    return pl_solid_build(fixture->context, &solid, fixture->mesh, &fixture->model, error);
  }
  pl_fem_def fem = pl_default_fem_def(about->method == METHOD_FAST ? PL_FEM_FAST : PL_FEM_COROTATED);
  fem.fast_step = step;
  return pl_fem_build(fixture->context, &fem, fixture->mesh, &fixture->model, error);
}

static pl_status open_fixture(const contact_case *about, int threads, contact_fixture *fixture, pl_error *error) {
  pl_context_def context_def = pl_default_context_def();
  context_def.thread_count = threads;
  const int32_t cells[3] = {about->cells, about->cells, about->cells};
  pl_vec3 size = {BOX_SIZE, BOX_SIZE, BOX_SIZE};
  pl_world_def world_def = pl_default_world_def();
  if (is_in_flight(about->layout)) world_def.gravity = pl_vec3_of(0, 0, 0);
  pl_status status = pl_context_create(&context_def, &fixture->context, error);
  if (status >= 0) status = pl_mesh_create_box(fixture->context, size, cells, &fixture->mesh, error);
  if (status >= 0) status = build_model(about, world_def.step, fixture, error);
  if (status >= 0) status = pl_world_create(fixture->context, &world_def, &fixture->world, error);
  pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  if (status >= 0) status = pl_world_add_collider(fixture->world, &plane, NULL, error);
  fixture->bodies = malloc((size_t)about->body_count * sizeof *fixture->bodies);
  if (status >= 0 && fixture->bodies == NULL) status = PL_ERROR_OUT_OF_MEMORY;
  for (int32_t i = 0; i < about->body_count && status >= 0; ++i)
    status = add_box(about, i, fixture, &fixture->bodies[i], error);
  return status;
}

// What a run of frames took: milliseconds of a frame, and the fraction of it that is contact, in the busiest second. Of
// a heap, the fraction of points in other boxes at the worst moment and in the end. Of one with changes: milliseconds
// of the step after one, and of the longest of these.
typedef struct contact_times {
  double frame, contact_fraction;
  double worst_overlap, last_overlap;
  double step, worst_step;
} contact_times;

static double contact_seconds(const pl_step_report *report) {
  return report->phase_seconds[PL_STEP_PHASE_CONTACT];
}

static double all_seconds(const pl_step_report *report) {
  double sum = 0;
  for (int phase = 0; phase < PL_STEP_PHASE_COUNT; ++phase) sum += report->phase_seconds[phase];
  return sum;
}

// Bodies at rest fall asleep within a second.
static pl_status wait_for_sleep(contact_fixture *fixture, pl_error *error) {
  pl_step_report report = {.awake_count = 1};
  pl_status status = PL_OK;
  for (int i = 0; i < 10 && report.awake_count > 0 && status >= 0; ++i)
    status = pl_world_advance(fixture->world, 0.5, 0, &report, error);
  return status;
}

static pl_status measure_overlap(const contact_case *about, const contact_fixture *fixture, contact_times *times,
                                 pl_error *error) {
  bench_bodies bodies = {fixture->context, fixture->world, fixture->model, fixture->bodies, about->body_count};
  pl_status status = bench_measure_overlap(&bodies, OVERLAP, &times->last_overlap, error);
  times->worst_overlap = fmax(times->worst_overlap, times->last_overlap);
  return status;
}

// In a run of its own: a frame after this finds nothing in the cache.
static pl_status run_overlap(const contact_case *about, contact_fixture *fixture, contact_times *times,
                             pl_error *error) {
  int32_t count = (int32_t)ceil(about->seconds * FRAMES_PER_SECOND);
  pl_status status = PL_OK;
  for (int32_t i = 1; i <= count && status >= 0; ++i) {
    status = pl_world_advance(fixture->world, 1.0 / FRAMES_PER_SECOND, 0, NULL, error);
    if (status >= 0 && (i % OVERLAP_FRAMES == 0 || i == count)) status = measure_overlap(about, fixture, times, error);
  }
  return status;
}

static pl_status run_frames(const contact_case *about, contact_fixture *fixture, contact_times *times,
                            pl_error *error) {
  int32_t count = (int32_t)ceil(about->seconds * FRAMES_PER_SECOND);
  int32_t window = count < FRAMES_PER_SECOND ? count : FRAMES_PER_SECOND;
  double *frames = malloc(2 * (size_t)count * sizeof(double)), *contacts = frames + count;
  if (frames == NULL) return PL_ERROR_OUT_OF_MEMORY;
  pl_status status = PL_OK;
  // The first frame takes memory and touches it for the first time: what a frame takes after that is asked.
  if (about->layout != LAYOUT_HEAP) status = pl_world_advance(fixture->world, 1.0 / FRAMES_PER_SECOND, 0, NULL, error);
  if (about->layout == LAYOUT_ASLEEP && status >= 0) status = wait_for_sleep(fixture, error);
  for (int32_t i = 0; i < count && status >= 0; ++i) {
    pl_step_report report;
    double begin = tool_seconds();
    status = pl_world_advance(fixture->world, 1.0 / FRAMES_PER_SECOND, 0, &report, error);
    frames[i] = tool_seconds() - begin;
    double all = all_seconds(&report);
    contacts[i] = all > 0 ? frames[i] * contact_seconds(&report) / all : 0;
  }
  for (int32_t first = 0; first + window <= count && status >= 0; ++first) {
    double frame = 0, contact = 0;
    for (int32_t i = first; i < first + window; ++i) frame += frames[i], contact += contacts[i];
    if (1e3 * frame / window <= times->frame) continue;
    times->frame = 1e3 * frame / window;
    times->contact_fraction = contact / frame;
  }
  free(frames);
  return status;
}

// Single steps after a change.
static pl_status run_changes(const contact_case *about, contact_fixture *fixture, contact_times *times,
                             pl_error *error) {
  int32_t count = (int32_t)ceil(about->seconds * FRAMES_PER_SECOND);
  pl_status status = pl_world_step(fixture->world, NULL, error);
  for (int32_t i = 0; i < count && status >= 0; ++i) {
    if (about->layout == LAYOUT_REPLACED)
      status = pl_world_remove_body(fixture->world, pl_world_get_body(fixture->world, 2 * i), error);
    if (status >= 0) status = add_box(about, about->body_count + i, fixture, NULL, error);
    double begin = tool_seconds();
    if (status >= 0) status = pl_world_step(fixture->world, NULL, error);
    double step = 1e3 * (tool_seconds() - begin);
    times->step += step / count;
    times->worst_step = fmax(times->worst_step, step);
    if (status >= 0) status = pl_world_step(fixture->world, NULL, error);
  }
  return status;
}

// What was measured of a case, one number per repetition.
typedef struct contact_samples {
  bench_samples frames, contact_fractions, worst_overlaps, last_overlaps;
  bench_samples steps, worst_steps;
} contact_samples;

static void print_more(bench_session *bench, const bench_row *like, const char *what, const char *unit,
                       const bench_samples *samples) {
  char name[80];
  bench_row row = {.suite = like->suite, .name = name, .threads = like->threads, .unit = unit, .size = like->size};
  snprintf(name, sizeof name, "%s: %s", like->name, what);
  bench_print(bench, &row, samples);
}

static void print_case(bench_session *bench, const contact_case *about, int threads, const contact_samples *samples) {
  int64_t size = (int64_t)about->body_count * (about->cells + 1) * (about->cells + 1) * (about->cells + 1);
  bool is_heap = about->layout == LAYOUT_HEAP;
  bench_row row = {.suite = "contact",
                   .name = about->name,
                   .threads = threads,
                   .unit = is_changing(about->layout) ? "ms/step" : "ms/frame",
                   .size = size,
                   .note = is_heap ? "busiest second" : NULL,
                   .takes_best = true};
  bench_print(bench, &row, is_changing(about->layout) ? &samples->steps : &samples->frames);
  if (is_changing(about->layout)) {
    print_more(bench, &row, "worst", row.unit, &samples->worst_steps);
    return;
  }
  print_more(bench, &row, "contact", "of the step", &samples->contact_fractions);
  if (!is_heap || samples->worst_overlaps.count == 0) return;
  print_more(bench, &row, "overlap, worst", "of the points", &samples->worst_overlaps);
  print_more(bench, &row, "overlap, end", "of the points", &samples->last_overlaps);
}

typedef pl_status contact_run(const contact_case *about, contact_fixture *fixture, contact_times *times,
                              pl_error *error);

// Returns an exit code.
static int run_once(bench_session *bench, const contact_case *about, int threads, contact_run *run,
                    contact_times *times) {
  contact_fixture fixture = {0};
  pl_error error = {0};
  pl_status status = open_fixture(about, threads, &fixture, &error);
  if (status >= 0) status = run(about, &fixture, times, &error);
  close_fixture(&fixture);
  return status < 0 ? tool_report_error(&bench->tool->console, &error) : TOOL_DONE;
}

// Returns an exit code.
static int run_case(bench_session *bench, const contact_case *about, int threads) {
  contact_samples samples = {0};
  bool is_heap = about->layout == LAYOUT_HEAP;
  // A heap is run once: it is an average over a second by itself.
  int repeats = is_heap ? 1 : bench_repeats(bench), result = TOOL_DONE;
  for (int repeat = 0; repeat < repeats && result == TOOL_DONE; ++repeat) {
    contact_times times = {0};
    result = run_once(bench, about, threads, is_changing(about->layout) ? run_changes : run_frames, &times);
    bench_add(&samples.frames, times.frame);
    bench_add(&samples.contact_fractions, times.contact_fraction);
    bench_add(&samples.steps, times.step);
    bench_add(&samples.worst_steps, times.worst_step);
  }
  // The overlap has the same bits for any number of threads.
  if (is_heap && threads > 1 && result == TOOL_DONE) {
    contact_times times = {0};
    result = run_once(bench, about, threads, run_overlap, &times);
    bench_add(&samples.worst_overlaps, times.worst_overlap);
    bench_add(&samples.last_overlaps, times.last_overlap);
  }
  if (result == TOOL_DONE) print_case(bench, about, threads, &samples);
  return result;
}

int bench_contact(bench_session *bench) {
  int result = TOOL_DONE;
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    const contact_case *about = &CASES[i];
    int name = about->method == METHOD_SOLID ? (int)about->layout : (int)LAYOUT_COUNT + (int)about->method - 1;
    if (!bench_wants(bench, bench_contact_cases[name]) || (bench->quick && about->slow)) continue;
    for (int threads = 1; threads <= 2 && result == TOOL_DONE; ++threads) result = run_case(bench, about, threads);
  }
  return result;
}
