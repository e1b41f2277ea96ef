// Weights of examples by similarity: Gaussian kernels of paper 003, eq. 15, made interpolating (section 5).
//
//   s_i(q) = exp(-d_site² / (2 width²) - d_load² / (2 width²)), cut off at a floor: (s - floor) / (1 - floor), 0 below
//   b_i(q) = s_i(q) / (nothing + sum_j s_j(q)): weights that smooth, a mean of what is similar
//   w(q)   = b(q) + (1 - B)^T Phi^-1 t(q)
//
//   t      s with narrower widths
//   Phi    Phi_ij = t_i(key j)
//   B      B_ij = b_j(key i)
//
// At example j, t is column j of Phi, so w = b + e_j - b = e_j: weights interpolate. The paper has w = Phi^-1 s alone,
// which is the same with b = 0. But what a coarse body lacks also depends on where its elements happen to lie, so
// examples of places that are alike differ. Interpolation alone then has to choose between broad kernels, whose weights
// are large and cancel, and narrow ones, between which a place gets little: on a pillow the error at new places is the
// same with 64 examples, and up to a half larger with 2 to 16 (src/detail/README.md has the figures). A mean is good in
// between, and what an example has beyond it stays next to it. `nothing` is what a place like none of the examples is
// similar to.
//
// The narrow widths are the largest, of powers of 1/sqrt 2, for which no example is similar to the others by more than
// 3/4 altogether: the elements of Phi^-1 are then at most 4 (Gershgorin 1931), and columns of few examples are read for
// a query.
//
// The floor is ours. It makes similarities exactly zero beyond some distance and leaves them continuous, so that
// examples fall into groups that do not know of each other, the matrix into blocks, and a query pays for the examples
// near it only.
//
// Phi is not positive definite for certain (the square of eq. 14 goes with the fourth power of an angle, and such a
// kernel need not be), so it is inverted by elimination with row exchanges. (1 - B)^T Phi^-1 is kept, in single
// precision: w is then a sum of columns, eight rows at a time, and only columns of similar examples are read. B and Phi
// are made by the run-time kernel itself, so that at an example the similarities are those, bit by bit.
//
// Cost of a query: two passes over all keys; then for each example that is near by the narrow widths a pass over its
// group.
#include "detail/detail_weights.h"

#include <string.h>

#include "base/error.h"

enum { MAX_GROUP = 2048 };
static const double MAX_INEXACT = 1e-3;
// Sum of the similarities to all other examples by the narrow widths, at most; and how often widths are made narrower
// for that.
static const double TIGHT_SUM = 0.75;
enum { TIGHT_TRIES = 9 };

struct pl_detail_weights {
  pl_arena arena;
  const pl_detail_kernels *kernels;
  pl_key_rows rows;  // examples sorted by group; a place there is a slot
  pl_key_kernel kernel, tight;
  int32_t *example_of_slot;
  int32_t *group_of_slot;
  int32_t group_count;
  int32_t *group_start;   // first slot, group_count + 1
  size_t *inverse_start;  // first number of a group's matrix
  float *inverses;        // (1 - B)^T Phi^-1, columns of one group after another; NULL: plain weights
};

int32_t pl_key_size(const pl_key_layout *layout) {
  int32_t site = pl_moment_count(layout->site_order),
          patch = layout->patch_order < 0 ? 0 : pl_moment_count(layout->patch_order);
  return site + patch + (layout->load_order < 1 ? 0 : 3 * (pl_moment_count(layout->load_order) - 1) + 1);
}

void pl_key_pack(const pl_key_layout *layout, const pl_moments *site, const pl_moments *patch,
                 const pl_vector_moments *load, float *key) {
  int32_t count = pl_moment_count(layout->site_order);
  for (int32_t i = 0; i < count; ++i) *key++ = (float)(sqrt(pl_moment_multiplicity(i)) * site->values[i]);
  count = layout->patch_order < 0 ? 0 : pl_moment_count(layout->patch_order);
  for (int32_t i = 0; i < count; ++i) *key++ = (float)(sqrt(pl_moment_multiplicity(i)) * patch->values[i]);
  if (layout->load_order < 1) return;
  count = pl_moment_count(layout->load_order);
  double norm = sqrt(pl_vector_moments_dot(load, load, 1, count));
  bool none = !(norm > layout->min_load);
  norm = sqrt(norm * norm + layout->load_reference * layout->load_reference);
  for (int c = 0; c < 3; ++c)
    for (int32_t i = 1; i < count; ++i)
      *key++ = none ? 0.0f : (float)(sqrt(pl_moment_multiplicity(i)) * load->components[c].values[i] / norm);
  *key = none ? 1.0f : (float)(layout->load_reference / norm);
}

pl_widths pl_key_distances(const pl_key_layout *layout, const float *a, const float *b) {
  int32_t site = pl_moment_count(layout->site_order),
          patch = layout->patch_order < 0 ? 0 : pl_moment_count(layout->patch_order);
  int32_t size = pl_key_size(layout);
  double sums[3] = {0};
  for (int32_t i = 0; i < site + patch; ++i)
    sums[i >= site] += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
  for (int32_t i = site + patch; i < size; ++i) sums[2] += (double)a[i] * (double)b[i];
  return (pl_widths){sqrt(sums[0]), sqrt(sums[1]), size > site + patch ? fmax(1 - sums[2], 0.0) : 0.0};
}

bool pl_kernel_invert(int32_t n, double *a, int32_t *order) {
  // Gauss and Jordan, in place: each step makes one column that of the inverse.
  for (int32_t k = 0; k < n; ++k) {
    int32_t pivot = k;
    for (int32_t i = k + 1; i < n; ++i)
      if (fabs(a[(size_t)i * (size_t)n + (size_t)k]) > fabs(a[(size_t)pivot * (size_t)n + (size_t)k])) pivot = i;
    double *row = a + (size_t)k * (size_t)n, *other = a + (size_t)pivot * (size_t)n, head = other[k];
    if (!(fabs(head) > 1e-12)) return false;
    order[k] = pivot;
    for (int32_t j = 0; pivot != k && j < n; ++j) {
      double moved = row[j];
      row[j] = other[j];
      other[j] = moved;
    }
    row[k] = 1;
    for (int32_t j = 0; j < n; ++j) row[j] /= head;
    for (int32_t i = 0; i < n; ++i) {
      double *to = a + (size_t)i * (size_t)n, factor = to[k];
      if (i == k || factor == 0) continue;
      to[k] = 0;
      for (int32_t j = 0; j < n; ++j) to[j] -= factor * row[j];
    }
  }
  // Rows were exchanged, so columns of the inverse have to be, backwards.
  for (int32_t k = n - 1; k >= 0; --k)
    for (int32_t i = 0; order[k] != k && i < n; ++i) {
      double *row = a + (size_t)i * (size_t)n, moved = row[k];
      row[k] = row[order[k]];
      row[order[k]] = moved;
    }
  return true;
}

static pl_status check_examples(const pl_detail_examples *examples, const pl_widths *widths, pl_error *error) {
  int32_t size = pl_key_size(&examples->layout);
  if (examples->count < 1 || examples->count > INT32_MAX / 8 / size)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "weights of %d examples cannot be made", examples->count);
  pl_status status = pl_check_range("widths.site", widths->site, 0, 1e18, false, error);
  if (status == PL_OK && examples->layout.patch_order >= 0)
    status = pl_check_range("widths.patch", widths->patch, 0, 1e18, false, error);
  if (status == PL_OK && examples->layout.load_order > 0)
    status = pl_check_range("widths.load", widths->load, 0, 1e18, false, error);
  if (status < 0) return status;
  for (int64_t i = 0; i < (int64_t)examples->count * size; ++i)
    if (!isfinite(examples->keys[i]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "the descriptor of example %d is not finite", (int32_t)(i / size));
  return PL_OK;
}

static void fill_rows(pl_key_rows *rows, const float *keys, int32_t size, const int32_t *example_of_slot) {
  for (int32_t slot = 0; slot < rows->count; ++slot) {
    const float *key = keys + (size_t)size * (size_t)example_of_slot[slot];
    float *to = rows->numbers + LANES * (size_t)size * (size_t)(slot / LANES) + slot % LANES;
    for (int32_t i = 0; i < size; ++i) to[LANES * i] = key[i];
  }
}

static void take_rows(pl_arena *arena, const pl_detail_examples *examples, pl_key_rows *rows) {
  const pl_key_layout *layout = &examples->layout;
  rows->count = examples->count;
  rows->block_count = (examples->count + 7) / 8;
  rows->site_count = pl_moment_count(layout->site_order);
  rows->patch_count = layout->patch_order < 0 ? 0 : pl_moment_count(layout->patch_order);
  rows->load_count = pl_key_size(layout) - rows->site_count - rows->patch_count;
  rows->numbers = PL_TAKE(arena, float, LANES *(size_t)pl_key_size(layout) * (size_t)rows->block_count);
}

static int32_t find_root(int32_t *parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Sort examples into groups: those that are similar, directly or by way of others, numbered by their lowest example.
static void find_groups(pl_detail_weights *weights, const pl_detail_examples *examples, int32_t *parent,
                        float *similarities) {
  int32_t count = examples->count, size = pl_key_size(&examples->layout);
  for (int32_t i = 0; i < count; ++i) weights->example_of_slot[i] = parent[i] = i;
  fill_rows(&weights->rows, examples->keys, size, weights->example_of_slot);
  for (int32_t i = 0; i < count; ++i) {
    weights->kernels->correlate(&weights->rows, &weights->kernel, examples->keys + (size_t)size * (size_t)i,
                                similarities);
    for (int32_t j = 0; j < i; ++j) {
      if (!(similarities[j] > 0)) continue;
      int32_t a = find_root(parent, i), b = find_root(parent, j);
      parent[a > b ? a : b] = a > b ? b : a;
    }
  }
  // A group's lowest example is its root, so every root comes before the rest of its group.
  int32_t *group = weights->group_of_slot, *start = weights->group_start;
  for (int32_t i = 0; i < count; ++i) {
    int32_t root = find_root(parent, i);
    group[i] = root == i ? weights->group_count++ : group[root];
    start[group[i] + 1]++;
  }
  for (int32_t g = 0; g < weights->group_count; ++g) start[g + 1] += start[g];
  // `parent` has served: now the next free slot of each group, then the groups in the order of slots.
  memcpy(parent, start, (size_t)weights->group_count * sizeof *parent);
  for (int32_t i = 0; i < count; ++i) weights->example_of_slot[parent[group[i]]++] = i;
  for (int32_t g = 0; g < weights->group_count; ++g)
    for (int32_t slot = start[g]; slot < start[g + 1]; ++slot) group[slot] = g;
  fill_rows(&weights->rows, examples->keys, size, weights->example_of_slot);
}

static pl_status fail_alike(const pl_detail_weights *weights, const pl_detail_examples *examples, int32_t group,
                            float *similarities, pl_error *error) {
  int32_t begin = weights->group_start[group], end = weights->group_start[group + 1], first = begin, second = begin,
          size = pl_key_size(&examples->layout);
  float max = -1;
  for (int32_t i = begin; i < end; ++i) {
    weights->kernels->correlate(&weights->rows, &weights->kernel,
                                examples->keys + (size_t)size * (size_t)weights->example_of_slot[i], similarities);
    for (int32_t j = begin; j < i; ++j) {
      if (!(similarities[j] > max)) continue;
      max = similarities[j];
      first = j;
      second = i;
    }
  }
  return pl_fail(error, PL_ERROR_INVALID_DATA,
                 "examples %d and %d are too alike to tell apart (similarity %.6f): leave one of them out, or take "
                 "narrower widths",
                 weights->example_of_slot[first], weights->example_of_slot[second], (double)max);
}

// Similarities to b: those of one key, in place.
static void smooth(float *similarities, int32_t count) {
  float sum = (float)PL_SIMILARITY_NOTHING;
  for (int32_t i = 0; i < count; ++i) sum += similarities[i];
  for (int32_t i = 0; i < count; ++i) similarities[i] /= sum;
}

// Memory for the matrices of the largest group.
typedef struct blocks {
  double *phi, *means;  // n x n; means: B
  int32_t *order;
  float *similarities;
} blocks;

static void fill_blocks(const pl_detail_weights *weights, const pl_detail_examples *examples, int32_t group,
                        const blocks *work) {
  int32_t begin = weights->group_start[group], n = weights->group_start[group + 1] - begin,
          size = pl_key_size(&examples->layout);
  for (int32_t j = 0; j < n; ++j) {
    const float *key = examples->keys + (size_t)size * (size_t)weights->example_of_slot[begin + j];
    weights->kernels->correlate(&weights->rows, &weights->tight, key, work->similarities);
    for (int32_t i = 0; i < n; ++i)
      work->phi[(size_t)i * (size_t)n + (size_t)j] = (double)work->similarities[begin + i];
    weights->kernels->correlate(&weights->rows, &weights->kernel, key, work->similarities);
    smooth(work->similarities, weights->rows.count);
    for (int32_t i = 0; i < n; ++i)
      work->means[(size_t)j * (size_t)n + (size_t)i] = (double)work->similarities[begin + i];
  }
}

// A group's block of (1 - B)^T Phi^-1, by columns; false if Phi is singular or the result too large to be trusted.
static bool invert_group(pl_detail_weights *weights, const pl_detail_examples *examples, int32_t group,
                         const blocks *work, pl_detail_weights_report *report) {
  size_t n = (size_t)(weights->group_start[group + 1] - weights->group_start[group]);
  fill_blocks(weights, examples, group, work);
  if (!pl_kernel_invert((int32_t)n, work->phi, work->order)) return false;
  float *inverse = weights->inverses + weights->inverse_start[group];
  double *column = work->means + n * n;
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = 0; i < n; ++i) column[i] = work->phi[i * n + j];
    for (size_t k = 0; k < n; ++k) {
      double factor = work->phi[k * n + j];
      const double *mean = work->means + k * n;
      for (size_t i = 0; factor != 0 && i < n; ++i) column[i] -= factor * mean[i];
    }
    for (size_t i = 0; i < n; ++i) {
      report->response = fmax(report->response, fmax(fabs(column[i]), fabs(work->phi[i * n + j])));
      inverse[j * n + i] = (float)column[i];
    }
  }
  return report->response <= PL_MAX_RESPONSE;
}

// Largest sum of the similarities of an example to the others.
static double find_crowding(const pl_detail_weights *weights, const pl_detail_examples *examples,
                            const pl_key_kernel *kernel, float *similarities) {
  int32_t size = pl_key_size(&examples->layout);
  double max = 0;
  for (int32_t slot = 0; slot < examples->count; ++slot) {
    const float *key = examples->keys + (size_t)size * (size_t)weights->example_of_slot[slot];
    weights->kernels->correlate(&weights->rows, kernel, key, similarities);
    double sum = -(double)similarities[slot];
    for (int32_t i = 0; i < examples->count; ++i) sum += (double)similarities[i];
    max = fmax(max, sum);
  }
  return max;
}

// Narrow widths; where examples are too near to each other for any of them, the narrowest.
static void choose_tight(pl_detail_weights *weights, const pl_detail_examples *examples, float *similarities,
                         pl_detail_weights_report *report) {
  report->tight = 1;
  weights->tight = weights->kernel;
  for (int tries = 1;
       tries < TIGHT_TRIES && find_crowding(weights, examples, &weights->tight, similarities) > TIGHT_SUM; ++tries) {
    report->tight = pow(0.5, 0.5 * tries);
    float factor = (float)(1 / (report->tight * report->tight));
    weights->tight.site = weights->kernel.site * factor;
    weights->tight.patch = weights->kernel.patch * factor;
    weights->tight.load = weights->kernel.load * factor;
  }
}

static pl_status invert_groups(pl_detail_weights *weights, const pl_detail_examples *examples, pl_arena *temporary,
                               float *similarities, pl_detail_weights_report *report, pl_error *error) {
  size_t number_count = 0;
  for (int32_t g = 0; g < weights->group_count; ++g) {
    int32_t n = weights->group_start[g + 1] - weights->group_start[g];
    weights->inverse_start[g] = number_count;
    number_count += (size_t)n * (size_t)n;
    if (n > report->max_group) report->max_group = n;
  }
  report->group_count = weights->group_count;
  size_t n = (size_t)report->max_group;
  if (n > MAX_GROUP)
    return pl_fail(
        error, PL_ERROR_INVALID_DATA,
        "%d examples are similar to each other; weights interpolate at most %d: take narrower widths, or plain weights",
        report->max_group, MAX_GROUP);
  weights->inverses = PL_TAKE(&weights->arena, float, number_count);
  // Means have a column more, for the one that is worked on.
  blocks work = {PL_TAKE(temporary, double, n *n), PL_TAKE(temporary, double, n *(n + 1)),
                 PL_TAKE(temporary, int32_t, n), similarities};
  if (weights->arena.failed || temporary->failed) return pl_fail_memory(error);
  choose_tight(weights, examples, similarities, report);
  for (int32_t g = 0; g < weights->group_count; ++g)
    if (!invert_group(weights, examples, g, &work, report))
      return fail_alike(weights, examples, g, similarities, error);
  return PL_OK;
}

// How far weights at the examples are from what they should be, as they will be computed.
static pl_status measure_exactness(const pl_detail_weights *weights, const pl_detail_examples *examples, float *scratch,
                                   float *found, pl_detail_weights_report *report, pl_error *error) {
  int32_t size = pl_key_size(&examples->layout), worst = 0;
  for (int32_t slot = 0; slot < examples->count; ++slot) {
    int32_t example = weights->example_of_slot[slot];
    pl_detail_weights_evaluate(weights, examples->keys + (size_t)size * (size_t)example, scratch, found);
    int32_t begin = weights->group_start[weights->group_of_slot[slot]],
            end = weights->group_start[weights->group_of_slot[slot] + 1];
    for (int32_t i = begin; i < end; ++i) {
      double off = fabs((double)found[weights->example_of_slot[i]] - (i == slot));
      if (off <= report->inexactness) continue;
      report->inexactness = off;
      worst = slot;
    }
  }
  return report->inexactness <= MAX_INEXACT
             ? PL_OK
             : fail_alike(weights, examples, weights->group_of_slot[worst], scratch, error);
}

static pl_key_kernel kernel_of(const pl_widths *widths, const pl_key_layout *layout) {
  return (pl_key_kernel){.site = (float)(0.5 / (widths->site * widths->site)),
                         .patch = layout->patch_order < 0 ? 0.0f : (float)(0.5 / (widths->patch * widths->patch)),
                         .load = layout->load_order < 1 ? 0.0f : (float)(0.5 / (widths->load * widths->load)),
                         .floor = (float)PL_SIMILARITY_FLOOR};
}

// Everything but the head; the arena of `weights` is there.
static pl_status fill_weights(pl_detail_weights *weights, const pl_detail_examples *examples, const pl_widths *widths,
                              pl_detail_weights_report *report, pl_error *error) {
  pl_arena *arena = &weights->arena, temporary;
  pl_arena_init(&temporary, arena->context, 0);
  size_t count = (size_t)examples->count;
  weights->kernels = pl_detail_kernels_choose();
  weights->kernel = kernel_of(widths, &examples->layout);
  take_rows(arena, examples, &weights->rows);
  weights->example_of_slot = PL_TAKE(arena, int32_t, count);
  weights->group_of_slot = PL_TAKE(arena, int32_t, count);
  weights->group_start = PL_TAKE(arena, int32_t, count + 1);
  weights->inverse_start = PL_TAKE(arena, size_t, count);
  int32_t *parent = PL_TAKE(&temporary, int32_t, count);
  float *found = PL_TAKE(&temporary, float, count),
        *scratch = PL_TAKE(&temporary, float, pl_detail_weights_scratch(weights));
  pl_status status = PL_OK;
  if (arena->failed || temporary.failed) {
    status = pl_fail_memory(error);
  } else if (examples->plain) {
    for (int32_t i = 0; i < examples->count; ++i) weights->example_of_slot[i] = i;
    fill_rows(&weights->rows, examples->keys, pl_key_size(&examples->layout), weights->example_of_slot);
  } else {
    find_groups(weights, examples, parent, scratch);
    status = invert_groups(weights, examples, &temporary, scratch, report, error);
    if (status == PL_OK) status = measure_exactness(weights, examples, scratch, found, report, error);
  }
  pl_arena_destroy(&temporary);
  return status;
}

pl_status pl_detail_weights_build(pl_context *context, const pl_detail_examples *examples, const pl_widths *widths,
                                  pl_detail_weights **weights, pl_detail_weights_report *report, pl_error *error) {
  *weights = NULL;
  pl_status status = check_examples(examples, widths, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_detail_weights *made = PL_TAKE(&arena, pl_detail_weights, 1);
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->arena = arena;
  pl_detail_weights_report outcome = {0};
  status = fill_weights(made, examples, widths, &outcome, error);
  if (status < 0) {
    pl_detail_weights_destroy(made);
    return status;
  }
  if (report != NULL) *report = outcome;
  *weights = made;
  return PL_OK;
}

void pl_detail_weights_destroy(pl_detail_weights *weights) {
  if (weights != NULL) pl_arena_destroy(&weights->arena);
}

size_t pl_detail_weights_scratch(const pl_detail_weights *weights) {
  return 2 * LANES * (size_t)weights->rows.block_count;
}

void pl_detail_similarities(const pl_detail_weights *weights, const float *key, float *scratch, float *similarities) {
  weights->kernels->correlate(&weights->rows, &weights->kernel, key, scratch);
  for (int32_t slot = 0; slot < weights->rows.count; ++slot)
    similarities[weights->example_of_slot[slot]] = scratch[slot];
}

int32_t pl_detail_weights_evaluate(const pl_detail_weights *weights, const float *key, float *scratch, float *found) {
  int32_t count = weights->rows.count, similar_count = 0;
  float *near = scratch + LANES * (size_t)weights->rows.block_count;
  weights->kernels->correlate(&weights->rows, &weights->kernel, key, scratch);
  for (int32_t slot = 0; slot < count; ++slot) similar_count += scratch[slot] > 0;
  if (weights->inverses != NULL && similar_count > 0) {
    weights->kernels->correlate(&weights->rows, &weights->tight, key, near);
    smooth(scratch, count);
    for (int32_t slot = 0; slot < count; ++slot) {
      if (!(near[slot] > 0)) continue;
      int32_t group = weights->group_of_slot[slot], begin = weights->group_start[group],
              n = weights->group_start[group + 1] - begin;
      const float *column = weights->inverses + weights->inverse_start[group] + (size_t)(slot - begin) * (size_t)n;
      weights->kernels->add(n, near[slot], column, scratch + begin);
    }
  }
  for (int32_t slot = 0; slot < count; ++slot) found[weights->example_of_slot[slot]] = scratch[slot];
  return similar_count;
}
