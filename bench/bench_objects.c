// From depth pictures to material: objects of the gallery are filmed by `sense` with all faults of a sensor, then
// tracked and fitted by `capture`.
//
// Table 4 of Wang and others 2015: seconds of tracking and of fitting, with the number of frames, control points and
// rounds of the paper. The paper does not state whether its minutes of tracking are those of one round; ours are those
// of all.
//
// Other tets: what is simulated and filmed has finer tets and shorter steps than what is tracked and fitted. Rows give
// the error of the modulus.
//
// Held out: a second motion of the same object, filmed and tracked for itself, is predicted by the fit of the first.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_object_fixture.h"
#include "tool_hold.h"
#include "tool_verbs.h"

static const double MAX_HELD_OUT = 5;      // % of the amplitude
static const double MAX_MODULUS_OFF = 15;  // % of the truth

static void print_number(const object_fixture *fixture, bench_row row, double value) {
  bench_samples samples = {0};
  bench_add(&samples, value);
  row.suite = "objects";
  if (row.threads == 0) row.threads = pl_context_thread_count(fixture->context);
  bench_print(fixture->bench, &row, &samples);
}

// --- table 4
// ----------------------------------------------------------------------------------------------------------

typedef struct object_case {
  object_film film;
  const char *controls;                      // a table of control points, or NULL
  const char *words[MAX_OBJECT_WORDS + 12];  // for `capture`
  double paper_track, paper_fit;             // seconds
  const char *note;
} object_case;

#define HELD_AT_REST "1.1"  // just before the release

static const object_case OBJECTS[] = {
    {{"holder", "capture-holder", {NULL}, NULL, 0, 81, "640x480", NULL},
     NULL,
     {"--density", "1100", "--poisson", "0.4", "--young", "2e6", "--rounds", "2", "--steps", "8", NULL},
     13 * 60,
     0.7 * 3600,
     "1 control point, 2 rounds"},
    {{"hanger", "capture-hanger", {NULL}, NULL, 0, 44, "640x480", NULL},
     NULL,
     {"--density", "1000", "--poisson", "0.4", "--young", "2e6", "--rounds", "2", "--steps", "8", NULL},
     9 * 60,
     0.5 * 3600,
     "1 control point, 2 rounds"},
    // Plants swing for long; they are held until they rest, as the paper does it.
    {{"dracaena", "capture-dracaena", {NULL}, NULL, 0, 269, "640x480", HELD_AT_REST},
     NULL,
     {"--density", "700", "--controls", "3", "--young", "1e6", "--rounds", "3", "--steps", "8", NULL},
     7 * 60,
     0.2 * 3600,
     "3 control points, 3 rounds"},
    {{"lotus", "capture-lotus", {NULL}, NULL, 0, 234, "640x480", NULL},
     // One where the stem ends and one where the leaf begins.
     "x,y,z\n0,0.36,0\n0,0.42,0\n",
     {"--density", "120", "--blend", "linear", "--no-warm-start", "--young", "5e6", "--rounds", "3", "--steps", "8",
      NULL},
     25 * 60,
     1.0 * 3600,
     "2 control points, 3 rounds"},
    {{"taro", "capture-taro", {NULL}, NULL, 0, 239, "640x480", HELD_AT_REST},
     NULL,
     {"--density", "700", "--controls", "13", "--placement", "farthest", "--young", "1e6", "--rounds", "3", "--steps",
      "4", NULL},
     38 * 60,
     2.0 * 3600,
     "13 control points, 3 rounds"},
};
static const object_case QUICK_OBJECTS[] = {
    {{"bar",
      "capture-bar",
      {"meshes.shape.box.cells=[16,4,4]", "time.step=0.008333333333", "time.warm_up=0", NULL},
      NULL,
      1,
      8,
      "160x120",
      NULL},
     NULL,
     {"--young", "5e5", "--no-warm-start", "--rounds", "1", "--steps", "4", NULL},
     0,
     0,
     "1 control point, 1 round"},
};

static void print_object(const object_fixture *fixture, const object_case *c, const object_found *found) {
  char note[200];
  snprintf(note, sizeof note, "%s; %d frames; track off by %.2f mm where cameras see, %.2f mm where not", c->note,
           found->frame_count, 1e3 * found->error_seen, 1e3 * found->error_hidden);
  char *more =
      tool_text("\"frames\": %d, \"rounds\": %d, \"tets\": %d, \"error_seen\": %.4g, \"error_hidden\": %.4g",
                found->frame_count, found->round_count, found->tet_count, found->error_seen, found->error_hidden);
  char *name = tool_text("%s, track", c->film.name);
  print_number(
      fixture,
      (bench_row){
          .name = name, .unit = "s", .paper = c->paper_track, .size = found->point_count, .note = note, .more = more},
      found->track_seconds);
  free(name);
  free(more);
  more = tool_text("\"cpu\": %.4g, \"values\": [", found->processor_seconds);
  for (int32_t i = 0; i < found->value_count; ++i) {
    char *longer = tool_text("%s%s%.6g", more, i > 0 ? ", " : "", found->values[i]);
    free(more);
    more = longer;
  }
  char *whole = tool_text("%s]", more);
  snprintf(note, sizeof note, "%s; %.1f s of processors for track, fit and report%s", c->note, found->processor_seconds,
           found->resumed ? "; resumed, seconds are of the rest" : "");
  name = tool_text("%s, fit", c->film.name);
  print_number(
      fixture,
      (bench_row){
          .name = name, .unit = "s", .paper = c->paper_fit, .size = found->tet_count, .note = note, .more = whole},
      found->fit_seconds);
  free(name);
  free(more);
  free(whole);
}

// Rows of the moduli; false when one that is called determined is far from the truth.
static bool print_moduli(const object_fixture *fixture, const object_case *c, const object_found *found) {
  bool good = true;
  for (int32_t i = 0; i < found->modulus_count; ++i) {
    const object_modulus *m = &found->moduli[i];
    double off = 100 * (m->value / m->truth - 1);
    const char *verdict = pl_fit_verdict_name(m->verdict);
    char *name = tool_text("%s, young %d", c->film.name, i + 1);
    char *note = tool_text("%.5g Pa in %.5g to %.5g; truth %.5g Pa; %s", m->value, m->min, m->max, m->truth, verdict);
    char *more = tool_text("\"young\": %.6g, \"min\": %.6g, \"max\": %.6g, \"truth\": %.6g, \"verdict\": \"%s\"",
                           m->value, m->min, m->max, m->truth, verdict);
    print_number(fixture,
                 (bench_row){.name = name, .unit = "% off", .limit = MAX_MODULUS_OFF, .note = note, .more = more}, off);
    good = good && (m->verdict != PL_FIT_DETERMINED || fabs(off) < MAX_MODULUS_OFF);
    free(name), free(note), free(more);
  }
  char *name = tool_text("%s, moduli of tets", c->film.name);
  print_number(fixture,
               (bench_row){.name = name,
                           .unit = "% off",
                           .size = found->tet_count,
                           .note = "median, by volume; damping and Poisson's ratio are in the line of the fit"},
               100 * found->typical_error);
  free(name);
  return good;
}

// The table of control points as a file; its path, to be freed, or NULL when it cannot be written (printed).
static char *write_controls(const object_fixture *fixture, const object_case *c) {
  char *path = object_path(fixture, c->film.name, "controls.csv");
  FILE *file = fopen(path, "w");
  if (file != NULL && fputs(c->controls, file) >= 0 && fclose(file) == 0) return path;
  tool_print_error(&fixture->bench->tool->console, "'%s' cannot be written", path);
  free(path);
  return NULL;
}

static bool measure_object(const object_fixture *fixture, const object_case *c) {
  object_found found;
  const char *words[MAX_OBJECT_WORDS + 16] = {NULL};
  int count = 0;
  for (int i = 0; c->words[i] != NULL; ++i) words[count++] = c->words[i];
  char *folder = tool_text("%s-found", c->film.name), *controls = NULL;
  bool good = object_sense(fixture, &c->film);
  if (good && c->controls != NULL) {
    controls = write_controls(fixture, c);
    good = controls != NULL;
    words[count++] = "--placement", words[count++] = controls;
  }
  good = good && object_capture(fixture, &c->film, folder, words, &found);
  if (good) print_object(fixture, c, &found);
  good = good && print_moduli(fixture, c, &found);
  free(folder);
  free(controls);
  return good;
}

// --- other tets
// -------------------------------------------------------------------------------------------------------

typedef struct tets_case {
  const char *key, *name;  // as it is named on the command line, and in its row
  object_film tets, film;  // whose tets are tracked, and what is filmed
  const char *words[MAX_OBJECT_WORDS + 12];
  double young, alpha, beta;  // the truth
} tets_case;

// The bar is held by its end face alone, whatever its cells are.
#define BAR_END "bodies[0].pins[0].within.max=[-0.199,0.06,0.06]"
#define BAR_WORDS \
  { "--young", "3e5", "--no-warm-start", "--rounds", "1", "--steps", "8", NULL }
#define FINE_BAR(name, tets) \
  { name, "capture-bar", {"meshes.shape.box.cells=[32,8,8]", BAR_END, NULL}, tets, 2, 20, "320x240", NULL }

static const tets_case TETS[] = {
    {"bar-8",
     "bar of 32 x 8 x 8 with 8 x 2 x 2 cells",
     {"bar-8", "capture-bar", {"meshes.shape.box.cells=[8,2,2]", BAR_END, NULL}, NULL, 0, 1, "80x60", NULL},
     FINE_BAR("bar-by-8", "bar-8"),
     BAR_WORDS,
     6.8e5,
     0.02,
     1e-3},
    {"bar-16",
     "bar of 32 x 8 x 8 with 16 x 4 x 4 cells",
     {"bar-16", "capture-bar", {"meshes.shape.box.cells=[16,4,4]", BAR_END, NULL}, NULL, 0, 1, "80x60", NULL},
     FINE_BAR("bar-by-16", "bar-16"),
     BAR_WORDS,
     6.8e5,
     0.02,
     1e-3},
};
enum { TETS_COUNT = sizeof TETS / sizeof TETS[0] };

static bool measure_tets(const object_fixture *fixture, const tets_case *c) {
  object_found found;
  char *folder = tool_text("%s-found", c->film.name);
  bool good = object_sense(fixture, &c->tets) && object_sense(fixture, &c->film) &&
              object_capture(fixture, &c->film, folder, c->words, &found);
  free(folder);
  if (!good) return false;
  const double *last = found.values + found.value_count - 2;
  double off = found.values[0] / c->young - 1;
  char note[200];
  snprintf(note, sizeof note,
           "alpha off by %+.3g %%, beta %+.3g %%; %d frames; track off by %.2f mm, %.2f mm where hidden",
           100 * (last[0] / c->alpha - 1), 100 * (last[1] / c->beta - 1), found.frame_count, 1e3 * found.error_seen,
           1e3 * found.error_hidden);
  char *more =
      tool_text("\"young\": %.6g, \"young_off\": %.5g, \"mass_damping_off\": %.5g, \"stiffness_damping_off\": %.5g",
                found.values[0], off, last[0] / c->alpha - 1, last[1] / c->beta - 1);
  print_number(fixture,
               (bench_row){.name = c->name, .unit = "% off", .size = found.point_count, .note = note, .more = more},
               100 * off);
  free(more);
  return true;
}

// --- held out
// ---------------------------------------------------------------------------------------------------------

typedef struct held_case {
  const char *key, *name;
  object_film first, second;
  const char *words[MAX_OBJECT_WORDS + 12], *track_words[MAX_OBJECT_WORDS];
  double density;
  int32_t steps;
} held_case;

// The steps of the scene, 1/480 s, do not resolve how the holder rings: with them even its exact motion is predicted to
// 12 % only.
#define HOLDER_TRUTH "bodies[0].tets.points=600", "time.step=0.0005208333333"

static const held_case HELD[] = {{"bar-held-out",
                                  "bar, second motion",
                                  {"bar-down", "capture-bar", {NULL}, NULL, 2, 20, "320x240", NULL},
                                  {"bar-up",
                                   "capture-bar",
                                   {"bodies[0].pins[1].keys=[{\"time\":0},{\"time\":0.8,\"position\":[-0.02,0.07,-0.07]"
                                    ",\"rotation\":{\"axis\":[1,0,0],"
                                    "\"degrees\":-25}}]",
                                    NULL},
                                   NULL,
                                   2,
                                   20,
                                   "320x240",
                                   NULL},
                                  {"--young", "3e5", "--no-warm-start", "--rounds", "1", "--steps", "8", NULL},
                                  {"--young", "5e5", NULL},
                                  1000,
                                  8},
                                 {"holder-held-out",
                                  "holder of 600 points, second motion",
                                  {"holder-down", "capture-holder", {HOLDER_TRUTH, NULL}, NULL, 2, 14, "320x240", NULL},
                                  {"holder-up",
                                   "capture-holder",
                                   {HOLDER_TRUTH,
                                    "bodies[0].pins[1].keys=[{\"time\":0},{\"time\":0.8,\"position\":[-0.015,0.03,0.03]"
                                    ",\"rotation\":{\"axis\":[-1,0,0.6],"
                                    "\"degrees\":20}}]",
                                    NULL},
                                   NULL,
                                   2,
                                   14,
                                   "320x240",
                                   NULL},
                                  {"--density", "1100", "--poisson", "0.4", "--young", "5e6", "--no-warm-start",
                                   "--rounds", "1", "--steps", "32", NULL},
                                  {"--density", "1100", "--poisson", "0.4", "--young", "5e6", NULL},
                                  1100,
                                  32}};
enum { HELD_COUNT = sizeof HELD / sizeof HELD[0] };
static const held_case QUICK_HELD = {
    "bar-held-out",
    "bar, second motion",
    {"bar",
     "capture-bar",
     {"meshes.shape.box.cells=[16,4,4]", "time.step=0.008333333333", "time.warm_up=0", NULL},
     NULL,
     1,
     8,
     "160x120",
     NULL},
    {"bar-up",
     "capture-bar",
     {"meshes.shape.box.cells=[16,4,4]", "time.step=0.008333333333", "time.warm_up=0",
      "bodies[0].pins[1].keys=[{\"time\":0},{\"time\":0.8,\"position\":[-0.02,0.07,-0.07]}]", NULL},
     NULL,
     1,
     8,
     "160x120",
     NULL},
    {"--young", "5e5", "--no-warm-start", "--rounds", "1", "--steps", "4", NULL},
    {"--young", "5e5", NULL},
    1000,
    4};

typedef struct second_motion {
  pl_mesh *mesh;
  int32_t *held, held_count, frame_count;
  pl_vec3 *tracked, *truth;
} second_motion;

static bool read_second(const object_fixture *fixture, const held_case *c, const char *track, second_motion *second) {
  const tool_session *tool = fixture->bench->tool;
  char *mesh = object_path(fixture, c->first.name, "static.vtu"),
       *held = object_path(fixture, c->first.name, "held.csv");
  char *tracked = object_path(fixture, track, "track_points.pc2"),
       *truth = object_path(fixture, c->second.name, "truth_points.pc2");
  tool_arguments holding = {.repeated = {held}, .repeated_count = 1};
  pl_error error = {0};
  bool good = pl_mesh_load(fixture->context, mesh, &second->mesh, NULL, &error) >= 0;
  if (!good) tool_report_error(&tool->console, &error);
  good = good && tool_hold_read(tool, fixture->context, &holding, second->mesh, &second->held, &second->held_count);
  int32_t count = good ? pl_mesh_get_view(second->mesh).point_count : 0, frames[2] = {0, 0};
  if (good) second->tracked = object_motion(fixture, tracked, count, c->second.frames_before, &frames[0]);
  if (good) second->truth = object_motion(fixture, truth, count, c->second.frames_before, &frames[1]);
  second->frame_count = frames[0];
  free(mesh), free(held), free(tracked), free(truth);
  return good && second->tracked != NULL && second->truth != NULL && frames[0] == frames[1];
}

// The tracked motion, and the true one, from where the track begins.
static bool predict_second(const object_fixture *fixture, const held_case *c, const object_found *found,
                           const second_motion *second, pl_fit_prediction predictions[2]) {
  pl_fit_def def = pl_default_fit_def();
  def.density = c->density;
  def.poisson.start = found->values[found->value_count - 3];
  def.steps_per_frame = c->steps;
  def.pinned = second->held;
  def.pinned_count = second->held_count;
  def.direct = pl_cholmod_backend();
  pl_fit_sequence motion = {.frame_count = second->frame_count,
                            .frame_seconds = 1.0 / 30,
                            .positions = second->tracked,
                            .start_positions = second->tracked};
  pl_fit *fit = NULL;
  pl_error error = {0};
  pl_status status = pl_fit_create(fixture->context, &def, second->mesh,
                                   &(pl_fit_sequences){.items = &motion, .count = 1}, &fit, &error);
  if (status >= 0) status = pl_fit_set_values(fit, found->values, &error);
  if (status >= 0) status = pl_fit_predict(fit, &motion, NULL, &predictions[0], &error);
  motion.positions = second->truth;
  if (status >= 0) status = pl_fit_predict(fit, &motion, NULL, &predictions[1], &error);
  pl_fit_destroy(fit);
  if (status < 0) tool_report_error(&fixture->bench->tool->console, &error);
  return status >= 0;
}

static bool track_second(const object_fixture *fixture, const held_case *c, const char *name) {
  char *film = object_path(fixture, c->second.name, ""), *mesh = object_path(fixture, c->first.name, "static.vtu");
  char *held = object_path(fixture, c->first.name, "held.csv"),
       *surface = object_path(fixture, c->first.name, "surface.ply");
  char *folder = object_path(fixture, name, "");
  const char *words[MAX_OBJECT_WORDS + 16] = {film, mesh, "-o", folder, "--hold", held, "--surface", surface, NULL};
  int count = 8;
  for (int i = 0; i < MAX_OBJECT_WORDS && c->track_words[i] != NULL; ++i) words[count++] = c->track_words[i];
  int code = object_run_verb(fixture, &tool_track_verb, words);
  free(film), free(mesh), free(held), free(surface), free(folder);
  return code == TOOL_DONE || code == TOOL_REMARKS;
}

static void print_second(const object_fixture *fixture, const held_case *c, const pl_fit_prediction predictions[2]) {
  static const char *const of[2] = {"as tracked", "as it was"};
  for (int i = 0; i < 2; ++i) {
    const pl_fit_prediction *p = &predictions[i];
    char *name = tool_text("%s, %s", c->name, of[i]), note[160];
    snprintf(note, sizeof note, "off by %.3g mm of %.3g mm; not fitted; limit: what it may be", 1e3 * p->rms,
             1e3 * p->amplitude);
    char *more = tool_text("\"rms\": %.4g, \"amplitude\": %.4g, \"worst\": %.4g", p->rms, p->amplitude, p->worst);
    print_number(fixture,
                 (bench_row){.name = name, .unit = "% of amplitude", .limit = MAX_HELD_OUT, .note = note, .more = more},
                 100 * p->rms / p->amplitude);
    free(more);
    free(name);
  }
}

static bool measure_second(const object_fixture *fixture, const held_case *c, bool filmed) {
  object_found found;
  second_motion second = {.mesh = NULL};
  pl_fit_prediction predictions[2];
  char *first = tool_text("%s-fitted", c->first.name), *track = tool_text("%s-track", c->second.name);
  bool good = (filmed || object_sense(fixture, &c->first)) && object_sense(fixture, &c->second) &&
              object_capture(fixture, &c->first, first, c->words, &found) && track_second(fixture, c, track) &&
              read_second(fixture, c, track, &second) && predict_second(fixture, c, &found, &second, predictions);
  if (good) print_second(fixture, c, predictions);
  pl_mesh_destroy(second.mesh);
  free(second.held), free(second.tracked), free(second.truth);
  free(first), free(track);
  return good;
}

const char *const bench_object_cases[] = {
    "bar-8", "bar-16", "bar-held-out", "holder-held-out", "holder", "hanger", "dracaena", "lotus", "taro", NULL};

// Whether a case is to be run; says so, as each takes minutes.
static bool begin(const object_fixture *fixture, const char *name) {
  if (!bench_wants(fixture->bench, name)) return false;
  tool_print(&fixture->bench->tool->console, "case:      %s", name);
  return true;
}

int bench_objects(bench_session *bench) {
  object_fixture fixture;
  if (!object_fixture_open(bench, &fixture)) return TOOL_FAILED;
  bool good = true;
  if (bench->quick) {
    good = measure_object(&fixture, &QUICK_OBJECTS[0]) && measure_second(&fixture, &QUICK_HELD, true);
  } else {
    for (int i = 0; i < TETS_COUNT; ++i)
      if (begin(&fixture, TETS[i].key)) good = measure_tets(&fixture, &TETS[i]) && good;
    for (int i = 0; i < HELD_COUNT; ++i)
      if (begin(&fixture, HELD[i].key)) good = measure_second(&fixture, &HELD[i], false) && good;
    for (size_t i = 0; i < sizeof OBJECTS / sizeof OBJECTS[0]; ++i)
      if (begin(&fixture, OBJECTS[i].film.name)) good = measure_object(&fixture, &OBJECTS[i]) && good;
  }
  object_fixture_close(&fixture);
  return good ? TOOL_DONE : TOOL_REMARKS;
}
