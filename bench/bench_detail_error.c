// How far the enriched surface is from the fine simulation, by number of examples (paper 003, figure 7): a pillow of
// finite elements, that of the gallery without its cover, is pressed at 64 places and at 48 others; sets are made of
// the first 1, 2, 4 … 64 of the 64, and judged at the 48.
//
// The first example is at the place that is most like all others, each next one at the place that brings most of the
// others near an example. Then two tools at the
// same places, with and without the descriptor of the contact patch. Errors are root mean squares over all of the
// surface, as a share of the true surface's displacement.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_detail_fixture.h"

enum {
  EXAMPLE_COUNT = 64,
  HELD_COUNT = 48,
  TOUCH_COUNT = EXAMPLE_COUNT + HELD_COUNT,
  MAX_TEXT = 16384,
  SITE_NUMBERS = 20
};

// Everything but the touches. Both pillows carry the same surface; the lower side is held.
static const char *const HEAD =
    "{\"pliant\": 1, \"name\": \"pillow\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.05, \"frames\": 2},\n"
    "\"meshes\": {\"pillow\": {\"triangles\": 4000, \"shape\": {\"kind\": \"intersection\", \"smoothness\": 0.02, "
    "\"children\": [\n"
    "  {\"kind\": \"ellipsoid\", \"size\": [0.27, 0.11, 4]}, {\"kind\": \"ellipsoid\", \"size\": [4, 0.11, 0.27]},\n"
    "  {\"kind\": \"box\", \"size\": [2, 0.3, 2], \"position\": [0, 0.115, 0]}]}}},\n"
    "\"bodies\": [\n"
    "  {\"name\": \"fine\", \"mesh\": \"pillow\", \"method\": \"fem\", \"tets\": {\"cell_size\": 0.025}, \"position\": "
    "[-0.5, 0, "
    "0], \"fem\": %s,\n"
    "   \"pins\": [{\"within\": {\"min\": [-1.5, -1, -1], \"max\": [0.5, -0.03, 1]}}]},\n"
    "  {\"name\": \"coarse\", \"mesh\": \"pillow\", \"method\": \"fem\", \"tets\": {\"cell_size\": 0.06}, "
    "\"position\": [0.5, 0, "
    "0], \"fem\": %s,\n"
    "   \"pins\": [{\"within\": {\"min\": [-0.5, -1, -1], \"max\": [1.5, -0.03, 1]}}]}],\n"
    "\"recording\": {\"fine\": \"fine\", \"coarse\": \"coarse\", \"tools\": [{\"name\": \"finger\", \"shape\": "
    "\"sphere\", "
    "\"radius\": 0.045}],\n"
    "  \"window_radius\": 0.1, \"stamp_radius\": 0.4, \"stamp_resolution\": 64, \"stamp_border\": 0.1, \"steps\": 3, "
    "\"settle\": "
    "30, \"tolerance\": 0.001, \"mirror\": true,\n"
    "  \"touches\": [";
static const char *const MATERIAL =
    "{\"material\": \"neo-hookean\", \"young\": 10000, \"poisson\": 0.05, \"density\": 50, \"scheme\": "
    "\"implicit-euler\", "
    "\"max_newton_iterations\": 30, "
    "\"newton_tolerance\": 0.001, \"contact_stiffness\": 5000000, \"friction\": 0.5}";

// Places that fill the upper side evenly, however many: multiples of the powers of the root of x^3 = x + 1.
static void write_pillow(char *text) {
  int length = snprintf(text, MAX_TEXT, HEAD, MATERIAL, MATERIAL);
  for (int i = 0; i < TOUCH_COUNT; ++i) {
    double whole, u = modf(0.5 + (i + 1) * 0.75487766624669276, &whole),
                  v = modf(0.5 + (i + 1) * 0.56984029099805327, &whole);
    length += snprintf(text + length, (size_t)(MAX_TEXT - length),
                       "%s\n    {\"at\": [%.4f, 0.2, %.4f], \"depth\": 0.05%s}", i > 0 ? "," : "", 0.42 * (u - 0.5),
                       0.42 * (v - 0.5), i >= EXAMPLE_COUNT ? ", \"held_out\": true" : "");
  }
  snprintf(text + length, (size_t)(MAX_TEXT - length), "]}}");
}

static pl_status record(pl_context *context, const char *text, pl_scene **scene, pl_detail_session **session,
                        pl_error *error) {
  pl_findings *findings = NULL;
  pl_detail_session_def def = pl_default_detail_session_def();
  pl_status status = pl_findings_create(context, &findings, error);
  if (status >= 0)
    status = pl_scene_load_memory(context, &(pl_memory_source){text, strlen(text), "benchmark", "."}, scene, findings,
                                  error);
  if (status >= 0) status = pl_detail_session_record(context, &def, *scene, session, findings, error);
  pl_findings_destroy(findings);
  return status;
}

static double site_distance(const pl_detail_set_view *set, int i, int j) {
  const float *a = set->keys + (size_t)i * (size_t)set->key_size, *b = set->keys + (size_t)j * (size_t)set->key_size;
  double sum = 0;
  for (int k = 0; k < SITE_NUMBERS; ++k) sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
  return sqrt(sum);
}

// Recordings in the order in which they should have been made.
static pl_status order_examples(pl_context *context, const pl_detail_session_view *view, pl_detail_recording *ordered,
                                pl_error *error) {
  pl_detail_set *set = NULL;
  pl_detail_def def = view->def;
  def.plain_weights = true;
  def.site_width = def.load_width = 1;
  pl_status status = pl_detail_set_build(context, &def, &(pl_detail_recordings){view->recordings, EXAMPLE_COUNT, NULL},
                                         &set, NULL, error);
  if (status < 0) return status;
  pl_detail_set_view keys = pl_detail_set_get_view(set);
  double nearest[EXAMPLE_COUNT];
  bool is_chosen[EXAMPLE_COUNT] = {false};
  for (int i = 0; i < EXAMPLE_COUNT; ++i) nearest[i] = HUGE_VAL;
  for (int n = 0; n < EXAMPLE_COUNT; ++n) {
    int next = -1;
    double min = HUGE_VAL;
    for (int i = 0; i < EXAMPLE_COUNT; ++i) {
      double sum = 0;
      for (int j = 0; j < EXAMPLE_COUNT; ++j) sum += fmin(nearest[j], site_distance(&keys, i, j));
      if (is_chosen[i] || (next >= 0 && sum >= min)) continue;
      min = sum;
      next = i;
    }
    ordered[n] = view->recordings[next];
    is_chosen[next] = true;
    for (int j = 0; j < EXAMPLE_COUNT; ++j) nearest[j] = fmin(nearest[j], site_distance(&keys, next, j));
  }
  pl_detail_set_destroy(set);
  return PL_OK;
}

static double fraction_of(const pl_detail_evaluation *judgements, int count, bool enriched) {
  double part = 0, whole = 0;
  for (int i = 0; i < count; ++i) {
    double off = enriched ? judgements[i].enriched : judgements[i].coarse;
    part += off * off;
    whole += judgements[i].displacement * judgements[i].displacement;
  }
  return 100 * sqrt(part / whole);
}

static void print_fraction(bench_session *bench, const char *name, const char *unit, int size, double value,
                           const char *note) {
  bench_samples samples = {0};
  bench_add(&samples, value);  // the same bits in every repetition: one is enough
  bench_row row = {.suite = "detail", .name = name, .threads = 1, .unit = unit, .size = size, .note = note};
  bench_print(bench, &row, &samples);
}

static pl_status evaluate(bench_session *bench, pl_context *context, const pl_detail_session_view *view,
                          pl_error *error) {
  static const int counts[] = {1, 2, 4, 8, 16, 32, 64};
  pl_detail_recording ordered[EXAMPLE_COUNT];
  pl_detail_evaluation held[HELD_COUNT], crossed[EXAMPLE_COUNT];
  pl_status status = order_examples(context, view, ordered, error);
  for (size_t k = 0; k < sizeof counts / sizeof counts[0] && status >= 0; ++k) {
    pl_detail_set *set = NULL;
    char name[40];
    status =
        pl_detail_set_build(context, &view->def, &(pl_detail_recordings){ordered, counts[k], NULL}, &set, NULL, error);
    if (status >= 0)
      status = pl_detail_set_evaluate(
          context, set, &(pl_detail_recordings){view->recordings + EXAMPLE_COUNT, HELD_COUNT, NULL}, held, error);
    pl_detail_set_destroy(set);
    if (status < 0) break;
    if (k == 0)
      print_fraction(bench, "error 0 examples", "% of motion", 0, fraction_of(held, HELD_COUNT, false),
                     "coarse surface");
    snprintf(name, sizeof name, "error %d examples", counts[k]);
    print_fraction(bench, name, "% of motion", counts[k], fraction_of(held, HELD_COUNT, true),
                   "48 places that are not examples");
  }
  int32_t sites[EXAMPLE_COUNT];
  for (int i = 0; i < EXAMPLE_COUNT; ++i) sites[i] = i;
  if (status >= 0)
    status = pl_detail_cross_validate(context, &view->def, &(pl_detail_recordings){ordered, 9, sites}, crossed, error);
  if (status >= 0) {
    double coarse = fraction_of(crossed, 9, false), enriched = fraction_of(crossed, 9, true);
    print_fraction(bench, "one site of 9 left out", "% of motion", 9, enriched, "each of 9 examples from the others");
    print_fraction(bench, "one site of 9 left out, less by", "%", 9, 100 * (1 - enriched / coarse),
                   "than the coarse surface");
  }
  return status;
}

// --- two tools ------------------------------------------------------------------------------------------------------

// A slab under a ball and an edge whose loads are about equal, at the same four positions; and at four others, next to
// them.
static const char *const SLAB_HEAD =
    "{\"pliant\": 1, \"name\": \"slab\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.05, \"frames\": 2},\n"
    "\"meshes\": {\"slab\": {\"triangles\": 8000, \"shape\": {\"kind\": \"box\", \"size\": [0.3, 0.08, 0.3], "
    "\"radius\": "
    "0.01}}},\n"
    "\"bodies\": [\n"
    "  {\"name\": \"fine\", \"mesh\": \"slab\", \"method\": \"fem\", \"tets\": {\"cell_size\": 0.018}, \"position\": "
    "[-0.3, 0, 0], "
    "\"fem\": %s,\n"
    "   \"pins\": [{\"within\": {\"min\": [-1, -1, -1], \"max\": [1, -0.03, 1]}}]},\n"
    "  {\"name\": \"coarse\", \"mesh\": \"slab\", \"method\": \"fem\", \"tets\": {\"cell_size\": 0.06}, \"position\": "
    "[0.3, 0, 0], "
    "\"fem\": %s,\n"
    "   \"pins\": [{\"within\": {\"min\": [-1, -1, -1], \"max\": [1, -0.03, 1]}}]}],\n"
    "\"recording\": {\"fine\": \"fine\", \"coarse\": \"coarse\", \"tools\": [{\"name\": \"ball\", \"shape\": "
    "\"sphere\", "
    "\"radius\": 0.02},\n"
    "  {\"name\": \"edge\", \"shape\": \"box\", \"size\": [0.024, 0.06, 0.1]}], \"reach\": 0.002, \"window_radius\": "
    "0.04, "
    "\"stamp_radius\": 0.4,\n"
    "  \"stamp_resolution\": 96, \"stamp_border\": 0.1, \"steps\": 4, \"touches\": [";
static const char *const SLAB_MATERIAL =
    "{\"material\": \"neo-hookean\", \"young\": 10000, \"density\": 50, \"scheme\": \"implicit-euler\", "
    "\"max_newton_iterations\": "
    "30}";

static void write_slab(char *text) {
  // No two of the first four are images of each other by a symmetry of the slab: their keys would be equal.
  static const double positions[8][2] = {{0, 0},         {0.06, 0.03}, {-0.04, 0.05}, {0.035, -0.07},
                                         {0.012, 0.008}, {0.05, 0.04}, {-0.05, 0.04}, {0.025, -0.06}};
  int length = snprintf(text, MAX_TEXT, SLAB_HEAD, SLAB_MATERIAL, SLAB_MATERIAL);
  for (int i = 0; i < 16; ++i)
    length += snprintf(text + length, (size_t)(MAX_TEXT - length),
                       "%s\n    {\"at\": [%.3f, 0.1, %.3f], \"tool\": \"%s\", \"depth\": %.4f%s}", i > 0 ? "," : "",
                       positions[i / 2][0], positions[i / 2][1], i % 2 == 0 ? "ball" : "edge",
                       i % 2 == 0 ? 0.012 : 0.0048, i >= 8 ? ", \"held_out\": true" : "");
  snprintf(text + length, (size_t)(MAX_TEXT - length), "]}}");
}

// Errors at the other places without and with the descriptor of the contact patch.
static pl_status evaluate_patch(bench_session *bench, pl_context *context, const pl_detail_session_view *view,
                                pl_error *error) {
  pl_status status = PL_OK;
  for (int patch = 0; patch < 2 && status >= 0; ++patch) {
    pl_detail_def def = view->def;
    pl_detail_evaluation held[8];
    pl_detail_set *set = NULL;
    def.patch_order = patch == 1 ? 2 : -1;
    status = pl_detail_set_build(context, &def, &(pl_detail_recordings){view->recordings, view->example_count, NULL},
                                 &set, NULL, error);
    if (status >= 0)
      status = pl_detail_set_evaluate(
          context, set, &(pl_detail_recordings){view->recordings + view->example_count, 8, NULL}, held, error);
    pl_detail_set_destroy(set);
    if (status < 0) break;
    if (patch == 0)
      print_fraction(bench, "two tools, coarse", "% of motion", 8, fraction_of(held, 8, false), "coarse surface");
    print_fraction(bench, patch == 0 ? "two tools, patch not looked at" : "two tools, patch order 2", "% of motion", 8,
                   fraction_of(held, 8, true),
                   "a ball and an edge of equal load; 8 examples, 8 positions next to them");
  }
  return status;
}

pl_status bench_detail_errors(bench_session *bench, pl_context *context, pl_error *error) {
  char *text = tool_allocate(MAX_TEXT, 1);
  pl_status status = PL_OK;
  for (int part = 0; part < 2 && status == PL_OK; ++part) {
    pl_scene *scene = NULL;
    pl_detail_session *session = NULL;
    double begin = tool_seconds();
    if (part == 0)
      write_slab(text);
    else
      write_pillow(text);
    status = record(context, text, &scene, &session, error);
    if (status == PL_OK) {
      pl_detail_session_view view = pl_detail_session_get_view(session);
      if (part == 1)
        print_fraction(bench, "record", "s", TOUCH_COUNT, tool_seconds() - begin, "112 presses, fine and coarse");
      status = part == 0 ? evaluate_patch(bench, context, &view, error) : evaluate(bench, context, &view, error);
    }
    pl_detail_session_destroy(session);
    pl_scene_destroy(scene);
  }
  free(text);
  return status;
}
