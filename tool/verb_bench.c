// pliant bench: measures this machine.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_suite.h"
#include "tool_folder.h"
#include "tool_options.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    {"json", .kind = TOOL_FLAG, .about = "print one JSON object per line instead of a table"},
    {"quick", .kind = TOOL_FLAG, .about = "run smaller cases, for a first look"},
    {"list", .kind = TOOL_FLAG, .about = "print the names of the suites, and of the cases that can be run alone"},
    TOOL_DIR_OPTION(.default_note = "a temporary folder", .about = "folder in which the suite objects keeps its files",
     .more = "Run again with the same folder, it continues where it was interrupted, and takes over what was done."),
};
// clang-format on

static const struct {
  const char *name, *about;
  int (*run)(bench_session *bench);
  bool takes_long;           // runs when it is named only
  const char *const *cases;  // that can be run alone; NULL: none
} SUITES[] = {
    {"machine", "memory bandwidth, multiply-add rate, time to wake a thread", bench_machine, false, NULL},
    {"contact", "many bodies: heaps, bodies at rest and bodies apart, time per frame, overlap", bench_contact, false,
     bench_contact_cases},
    {"solid", "shape-matching solids: time per particle and step", bench_solid, false, NULL},
    {"rod", "chains of joints: time per chain and step, energy added by moving cameras", bench_rod, false, NULL},
    {"strands", "hair: 10,000 strands drawn from 500 guides that touch, time per frame", bench_strands, false, NULL},
    {"fem", "finite elements: time per implicit step and Newton iteration, assembly, solvers", bench_fem, false, NULL},
    {"elements", "linear and quadratic tets: errors in cases with a known answer, and the cost of a step",
     bench_elements, false, NULL},
    {"actor", "soft characters: time per simulated second, distance and residuals", bench_actor, false,
     bench_actor_cases},
    {"robust",
     "thirteen soft characters on slopes, pushed, with other friction, stiffness and mesh: who falls (minutes; only "
     "when named)",
     bench_robust, true, bench_robust_cases},
    {"detail",
     "dents and wrinkles from examples: time to compare, weight and apply them, a frame of a pillow, errors by number "
     "of examples",
     bench_detail, false, NULL},
    {"capture", "rest shape, moduli and damping from motion: errors and times of the paper's tables", bench_capture,
     false, NULL},
    {"objects",
     "objects of the gallery from depth images to material: times, moduli with coarser tets, held-out motions (an "
     "hour; only "
     "when named)",
     bench_objects, true, bench_object_cases},
    {"dinosaur", "seven moduli of a dinosaur of 4,900 points from 523 frames (ten minutes; only when named)",
     bench_dinosaur, true, NULL},
    {"coverage",
     "how often 95 % intervals of a fit contain the truth, and how wide they are (minutes; only when named)",
     bench_coverage, true, NULL},
    {"mesh", "modelling a surface and filling it with tets", bench_mesh, false, NULL},
    {"io", "reading and writing mesh files", bench_io, false, NULL},
};
enum { SUITE_COUNT = sizeof SUITES / sizeof SUITES[0] };

int bench_repeats(const bench_session *bench) {
  return bench->quick ? 5 : 9;
}

void bench_add(bench_samples *samples, double value) {
  if (samples->count < BENCH_MAX_REPEATS) samples->values[samples->count++] = value;
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(const bench_samples *samples, double fraction) {
  bench_samples sorted = *samples;
  if (sorted.count == 0) return 0;
  qsort(sorted.values, (size_t)sorted.count, sizeof sorted.values[0], compare_numbers);
  double position = fraction * (sorted.count - 1);
  int below = (int)position, above = below + 1 < sorted.count ? below + 1 : below;
  return sorted.values[below] + (position - below) * (sorted.values[above] - sorted.values[below]);
}

double bench_median(const bench_samples *samples) {
  return quantile(samples, 0.5);
}

static void print_json(const bench_row *row, double value, double spread, int repeats) {
  printf("{\"suite\": \"%s\", \"case\": \"%s\", \"threads\": %d, \"value\": %.6g, \"unit\": \"%s\", \"better\": \"%s\"",
         row->suite, row->name, row->threads, value, row->unit, row->higher_is_better ? "higher" : "lower");
  if (row->paper > 0) printf(", \"paper\": %.6g", row->paper);
  if (row->limit > 0) printf(", \"limit\": %.6g", row->limit);
  if (row->size > 0) printf(", \"size\": %lld", (long long)row->size);
  if (row->note != NULL) {
    fputs(", \"note\": ", stdout);
    tool_print_json_text(row->note);
  }
  if (row->more != NULL) printf(", %s", row->more);
  printf(", \"spread\": %.3g, \"repeats\": %d}\n", spread, repeats);
}

static void print_cell(double value) {
  if (value > 0)
    printf(" %10.4g", value);
  else
    printf(" %10s", "-");
}

void bench_print(bench_session *bench, const bench_row *row, const bench_samples *samples) {
  double value = quantile(samples, !row->takes_best ? 0.5 : row->higher_is_better ? 1 : 0);
  double spread = value != 0 ? (quantile(samples, 0.75) - quantile(samples, 0.25)) / fabs(value) : 0;
  if (bench->json) {
    print_json(row, value, spread, samples->count);
  } else {
    if (bench->row_count++ == 0)
      printf("%-8s %-38s %7s %10s %-16s %7s %10s %10s\n", "suite", "case", "threads", "value", "unit", "spread",
             "paper", "limit");
    printf("%-8s %-38s %7d %10.4g %-16s %5.1f %%", row->suite, row->name, row->threads, value, row->unit, 100 * spread);
    print_cell(row->paper);
    print_cell(row->limit);
    if (row->note != NULL) printf("  %s", row->note);
    putchar('\n');
  }
  fflush(stdout);
}

bool bench_wants(const bench_session *bench, const char *name) {
  for (int i = 0; i < bench->case_count; ++i)
    if (strcmp(bench->cases[i], name) == 0) return true;
  return bench->case_count == 0;
}

static const char *suite_name(const void *user, int index) {
  (void)user;
  return index < SUITE_COUNT ? SUITES[index].name : NULL;
}

static const char *case_name(const void *user, int index) {
  const char *const *cases = user;
  return cases[index];
}

static void print_suites(void) {
  for (int i = 0; i < SUITE_COUNT; ++i) {
    printf("%-8s  %s", SUITES[i].name, SUITES[i].about);
    for (int k = 0; SUITES[i].cases != NULL && SUITES[i].cases[k] != NULL; ++k)
      printf("%s%s", k == 0 ? "; cases: " : ", ", SUITES[i].cases[k]);
    putchar('\n');
  }
}

// Whether the suite has all the cases that were named; prints which one it does not have.
static bool has_cases(const bench_session *bench, const char *suite, const char *const *cases) {
  if (cases == NULL && bench->case_count > 0) {
    tool_print_error(&bench->tool->console, "the suite '%s' has no cases that can be run alone", suite);
    return false;
  }
  for (int i = 0; i < bench->case_count; ++i) {
    bool found = false;
    for (int k = 0; cases[k] != NULL; ++k) found = found || strcmp(cases[k], bench->cases[i]) == 0;
    if (found) continue;
    const char *meant = tool_suggest(bench->cases[i], case_name, cases);
    if (meant != NULL)
      tool_print_error(&bench->tool->console, "the suite '%s' has no case '%s' (did you mean %s?)", suite,
                       bench->cases[i], meant);
    else
      tool_print_error(&bench->tool->console, "the suite '%s' has no case '%s'; 'pliant bench --list' lists them",
                       suite, bench->cases[i]);
    return false;
  }
  return true;
}

static int bench_verb(const tool_session *tool, const tool_arguments *arguments) {
  bench_session bench = {.tool = tool,
                         .json = tool_find_value(arguments, "json")->given,
                         .quick = tool_find_value(arguments, "quick")->given,
                         .cases = arguments->words + 1,
                         .case_count = arguments->word_count > 0 ? arguments->word_count - 1 : 0};
  const char *named = arguments->word_count > 0 ? arguments->words[0] : NULL;
  const tool_value *output = tool_find_value(arguments, "output");
  if (output->given) bench.folder = output->text;
  if (tool_find_value(arguments, "list")->given) {
    print_suites();
    return TOOL_DONE;
  }
  bool found = false, remarks = false;
  for (int i = 0; i < SUITE_COUNT; ++i) {
    if (named != NULL ? strcmp(named, SUITES[i].name) != 0 : SUITES[i].takes_long) continue;
    found = true;
    if (!has_cases(&bench, SUITES[i].name, SUITES[i].cases)) return TOOL_USAGE;
    int code = SUITES[i].run(&bench);
    if (code != TOOL_DONE && code != TOOL_REMARKS) return code;
    remarks = remarks || code == TOOL_REMARKS;
  }
  if (found) return remarks ? TOOL_REMARKS : TOOL_DONE;
  const char *meant = tool_suggest(named, suite_name, NULL);
  if (meant != NULL)
    tool_print_error(&tool->console, "there is no suite '%s' (did you mean %s?)", named, meant);
  else
    tool_print_error(&tool->console, "there is no suite '%s'; 'pliant bench --list' lists them", named);
  return TOOL_USAGE;
}

const tool_verb tool_bench_verb = {
    .name = "bench",
    .words = "[SUITE [CASE]...]",
    .summary = "measure this machine and the tables of the papers on it",
    .details =
        "Each value is the median of at least five repetitions; for actors and detail it is the fastest of them. "
        "Spread is the "
        "interquartile range. Column `paper` is the figure of the paper in the same unit; column `limit` is the best "
        "that this "
        "machine could do, measured in the same run.\n"
        "Cases of a suite that takes long can be run alone: `pliant bench objects hanger`.",
    .min_words = 0,
    .max_words = 16,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .names_from = "bench",
    .no_files = true,
    .run = bench_verb,
};
