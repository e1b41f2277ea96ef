// Widths of the kernel by leave-one-out cross-validation (paper 003, section 5): those for which each example is best
// predicted by all others.
//
// What predicts is the mean of what is similar, b of detail_weights.c: left out, an example is nowhere near itself, so
// what others have beyond the mean is not felt there. Of the data only scalar products are needed, so stamps of any
// size cost the same. Widths are tried on a logarithmic grid from half the least to twice the largest distance of two
// examples, then around the best on finer ones. Of widths that do the same, as where all are similar anyway, the first
// are taken.
//
// Cost: the cube of the number of examples per pair of widths, some hundred pairs.
#include <string.h>

#include "base/error.h"
#include "detail/detail_weights.h"

enum { MAX_COUNT = 256, GRID = 9, FINER_ROUNDS = 3, PART_COUNT = 3 };

typedef struct search {
  int32_t count;
  const int32_t *chosen;                // examples that take part
  const double *products;               // all
  int32_t product_count;                // its side
  const double *distances[PART_COUNT];  // site, patch, load: count x count; NULL for what is not there
  double *means;                        // of one example, then what they make of the data
  double total;                         // of the squares of the data
  double widths[PART_COUNT], best_widths[PART_COUNT], best;
  pl_widths_report report;
} search;

static double similarity(const search *s, size_t i) {
  double exponent = 0;
  for (int part = 0; part < PART_COUNT; ++part)
    if (s->distances[part] != NULL) exponent += 0.5 * pow(s->distances[part][i] / s->widths[part], 2);
  return fmax((exp(-exponent) - PL_SIMILARITY_FLOOR) / (1 - PL_SIMILARITY_FLOOR), 0.0);
}

// Squared error of all predictions over the squares of the data.
static double evaluate(search *s) {
  int32_t n = s->count;
  double sum = 0;
  for (int32_t j = 0; j < n; ++j) {
    double total = PL_SIMILARITY_NOTHING;
    for (int32_t i = 0; i < n; ++i) {
      s->means[i] = i == j ? 0 : similarity(s, (size_t)j * (size_t)n + (size_t)i);
      total += s->means[i];
    }
    // The square of the example less its prediction.
    for (int32_t i = 0; i < n; ++i) s->means[i] = i == j ? -1 : s->means[i] / total;
    for (int32_t a = 0; a < n; ++a) {
      const double *products = s->products + (size_t)s->product_count * (size_t)s->chosen[a];
      double along = 0;
      if (s->means[a] == 0) continue;
      for (int32_t b = 0; b < n; ++b) along += s->means[b] * products[s->chosen[b]];
      sum += s->means[a] * along;
    }
  }
  return sum / s->total;
}

static void try_widths(search *s) {
  double found = evaluate(s);
  s->report.tried++;
  if (!(found < s->best)) return;
  s->best = found;
  memcpy(s->best_widths, s->widths, sizeof s->widths);
}

// All widths on a grid of `side` per part, `ratio` apart, around `middle`.
static void try_grid(search *s, const double middle[PART_COUNT], const double ratio[PART_COUNT], int32_t side) {
  int32_t sides[PART_COUNT];
  for (int part = 0; part < PART_COUNT; ++part) sides[part] = s->distances[part] != NULL ? side : 1;
  for (int32_t a = 0; a < sides[0]; ++a)
    for (int32_t b = 0; b < sides[1]; ++b)
      for (int32_t c = 0; c < sides[2]; ++c) {
        const int32_t at[PART_COUNT] = {a, b, c};
        for (int part = 0; part < PART_COUNT; ++part)
          s->widths[part] = middle[part] * pow(ratio[part], at[part] - 0.5 * (sides[part] - 1));
        try_widths(s);
      }
}

static void find_widths(search *s) {
  double middle[PART_COUNT] = {1, 1, 1}, ratio[PART_COUNT] = {1, 1, 1};
  for (int part = 0; part < PART_COUNT; ++part) {
    if (s->distances[part] == NULL) continue;
    double min = HUGE_VAL, max = 0;
    for (int32_t i = 0; i < s->count * s->count; ++i) {
      double d = s->distances[part][i];
      max = fmax(max, d);
      // Examples at one site with different loads differ by rounding alone.
      if (d > 1e-4) min = fmin(min, d);
    }
    if (!(max > 1e-4)) continue;
    middle[part] = sqrt(min * max);
    ratio[part] = pow(4 * max / min, 1.0 / (GRID - 1));
  }
  try_grid(s, middle, ratio, GRID);
  for (int round = 0; round < FINER_ROUNDS && s->best < HUGE_VAL; ++round) {
    memcpy(middle, s->best_widths, sizeof middle);
    for (int part = 0; part < PART_COUNT; ++part) ratio[part] = sqrt(ratio[part]);
    try_grid(s, middle, ratio, 3);
  }
}

static void fill_distances(const pl_detail_examples *examples, const int32_t *chosen, int32_t count,
                           double *distances[PART_COUNT]) {
  size_t size = (size_t)pl_key_size(&examples->layout);
  for (int32_t i = 0; i < count; ++i)
    for (int32_t j = 0; j < count; ++j) {
      pl_widths d = pl_key_distances(&examples->layout, examples->keys + size * (size_t)chosen[i],
                                     examples->keys + size * (size_t)chosen[j]);
      const double parts[PART_COUNT] = {d.site, d.patch, d.load};
      for (int part = 0; part < PART_COUNT; ++part)
        distances[part][(size_t)i * (size_t)count + (size_t)j] = i == j ? 0 : parts[part];
    }
}

static pl_status fit(search *s, pl_widths *widths, pl_widths_report *report, pl_error *error) {
  s->total = 0;
  for (int32_t i = 0; i < s->count; ++i) s->total += s->products[(size_t)s->chosen[i] * ((size_t)s->product_count + 1)];
  if (!(s->total > 0) || !isfinite(s->total))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "widths cannot be fitted: the examples' data are zero or not finite");
  s->best = HUGE_VAL;
  find_widths(s);
  *widths = (pl_widths){s->best_widths[0], s->best_widths[1], s->best_widths[2]};
  s->report.error = sqrt(fmax(s->best, 0.0));
  if (report != NULL) *report = s->report;
  return PL_OK;
}

pl_status pl_widths_fit(pl_context *context, const pl_detail_examples *examples, const double *products,
                        pl_widths *widths, pl_widths_report *report, pl_error *error) {
  if (examples->count < 2)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "widths cannot be fitted to %d examples; at least two are needed",
                   examples->count);
  search s = {.count = examples->count < MAX_COUNT ? examples->count : MAX_COUNT,
              .products = products,
              .product_count = examples->count};
  size_t square = (size_t)s.count * (size_t)s.count;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *chosen = PL_TAKE(&arena, int32_t, s.count);
  double *distances[PART_COUNT];
  for (int part = 0; part < PART_COUNT; ++part) distances[part] = PL_TAKE(&arena, double, square);
  s.means = PL_TAKE(&arena, double, s.count);
  pl_status status;
  if (arena.failed) {
    status = pl_fail_memory(error);
  } else {
    for (int32_t i = 0; i < s.count; ++i) chosen[i] = (int32_t)((int64_t)i * examples->count / s.count);
    s.chosen = chosen;
    fill_distances(examples, chosen, s.count, distances);
    s.distances[0] = distances[0];
    s.distances[1] = examples->layout.patch_order < 0 ? NULL : distances[1];
    s.distances[2] = examples->layout.load_order < 1 ? NULL : distances[2];
    status = fit(&s, widths, report, error);
  }
  pl_arena_destroy(&arena);
  return status;
}
