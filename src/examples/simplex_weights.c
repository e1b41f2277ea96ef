// Weights of the pose nearest to the current one in the hull of rest and examples (paper 000, section 4.2, made exact).
//
//   minimise |L w - d|^2   with   w_k >= 0,  sum w_k <= 1
//
// L  columns S_k - S_0, one per example      G  L^T L
// d  S - S_0, the current descriptor         b  L^T d
//
// The paper solves without bounds and then repairs negative weights (simplex_paper.c); that repair is a projection in
// the wrong metric.
//
// With the rest as one more example, the zero column 0, this is the nearest point of the hull of n + 1 points, found by
// Wolfe's method (P. Wolfe, Finding the nearest point in a polytope, 1976), the active-set method of Lawson and
// Hanson's NNLS on a simplex:
//
//   y = L w is the mixture so far, the support the points with positive weight, the first of them the base
//   1. gain_j = (L_j - y).(d - y): how much nearer y comes when it starts to move towards point j. If none is
//      positive, y is the answer, for |y - d|^2 exceeds the minimum by at most 2 max_j gain_j. Otherwise the point
//      with the largest gain joins the support.
//   2. z = weights of the nearest point in the plane through the support, which may be negative (here 0 is the base):
//         H z = c,  H_ij = (L_i - L_0).(L_j - L_0),  c_i = (L_i - L_0).(d - L_0),  z_0 = 1 - sum z_i
//   3. If z > 0: w = z, go to 1. Otherwise go from w towards z until a weight vanishes, drop that point, go to 2.
//
// Dependent points. A point in the plane of the support has the gain 0 there, so in exact arithmetic it never joins and
// H stays regular; this is what choosing supports by their planes, and not by their spans, buys: three examples around
// the rest are as good as any. For what rounding lets pass, pivots are kept from falling below rounding. This changes H
// by no more than its own rounding error, so z is the answer of a problem that cannot be distinguished from the given
// one, and y is as near to d as it can be computed from G.
//
// Tolerances are multiples of the rounding error of each gain, computed along with it: nothing depends on the scale of
// L or d.
//
// Cost: m^3/6 per change of the support of m points, as most changes factor H again. n <= 4 are compiled apart with n
// fixed.
#include "examples/simplex_weights.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "pliant/examples.h"

enum { POINTS = PL_MAX_EXAMPLES + 1 };

// Supports are rarely entered more than once a point; cycles could only come from rounding.
enum { PASSES_PER_POINT = 6 };

// Gains below this many rounding errors count as none. Their error is a sum over the support, hence some units; a
// larger number would leave visible distance to the nearest pose, a smaller one lets equal examples take turns.
static const double MAX_GAIN = 32 * DBL_EPSILON;
// The rounding error of the elements of H and of their elimination, relative to the squares they are differences of.
static const double MIN_PIVOT = 32 * DBL_EPSILON;

typedef struct hull {
  int count;                     // points: rest and examples
  double dots[POINTS * POINTS];  // L_i.L_j, row length `count`; point 0 is the rest, with zeros
  double pulls[POINTS];          // L_i.d
} hull;

typedef struct support {
  int size;
  int points[POINTS];      // the first is the base
  double weights[POINTS];  // of these points, sum 1
  // H = F diag(pivots) F^T with F unit lower triangular; row and column 0 belong to the base and are not used.
  double factor[POINTS][POINTS];
  double pivots[POINTS];
} support;

#define INLINE static inline __attribute__((always_inline))

// False when anything is not finite.
INLINE bool load_hull(hull *h, int n, const double *gram, const double *pull) {
  double sum = 0;
  h->count = n + 1;
  for (int j = 0; j <= n; ++j) h->dots[j] = 0;
  h->pulls[0] = 0;
  for (int i = 0; i < n; ++i) {
    double *row = h->dots + (i + 1) * (n + 1);
    row[0] = 0;
    for (int j = 0; j < n; ++j) {
      row[j + 1] = gram[i * n + j];
      sum += 0 * gram[i * n + j];
    }
    h->pulls[i + 1] = pull[i];
    sum += 0 * pull[i];
  }
  return sum == 0;
}

// Rows of the factorisation from number `from` on, after those points changed.
INLINE void factor_rows(const hull *h, support *s, int from) {
  int count = h->count;
  const double *base = h->dots + s->points[0] * count;
  double base_square = base[s->points[0]];
  for (int i = from; i < s->size; ++i) {
    const double *dots = h->dots + s->points[i] * count;
    double offset = base_square - base[s->points[i]], scaled[POINTS];
    for (int j = 1; j < i; ++j) {
      double value = dots[s->points[j]] - base[s->points[j]] + offset;
      for (int k = 1; k < j; ++k) value -= scaled[k] * s->factor[j][k];
      scaled[j] = value;
      s->factor[i][j] = value / s->pivots[j];
    }
    double pivot = dots[s->points[i]] - base[s->points[i]] + offset;
    for (int k = 1; k < i; ++k) pivot -= scaled[k] * s->factor[i][k];
    double min = MIN_PIVOT * (dots[s->points[i]] + base_square) + DBL_MIN;
    s->pivots[i] = pivot > min ? pivot : min;
  }
}

// Weights z of the nearest point in the plane of the support.
INLINE void solve_plane(const hull *h, const support *s, double *z) {
  int count = h->count;
  const double *base = h->dots + s->points[0] * count;
  double offset = base[s->points[0]] - h->pulls[s->points[0]];
  for (int i = 1; i < s->size; ++i) {
    z[i] = h->pulls[s->points[i]] - base[s->points[i]] + offset;
    for (int k = 1; k < i; ++k) z[i] -= s->factor[i][k] * z[k];
  }
  double sum = 0;
  for (int i = s->size - 1; i > 0; --i) {
    z[i] /= s->pivots[i];
    for (int k = i + 1; k < s->size; ++k) z[i] -= s->factor[k][i] * z[k];
    sum += z[i];
  }
  z[0] = 1 - sum;
}

// Drop the points whose weight has vanished and bring the factorisation up to date.
INLINE void drop_vanished(const hull *h, support *s) {
  int kept = 0, first = s->size;
  for (int i = 0; i < s->size; ++i) {
    if (s->weights[i] > 0) {
      s->points[kept] = s->points[i];
      s->weights[kept++] = s->weights[i];
    } else if (first > i) {
      first = i;
    }
  }
  s->size = kept;
  // Without its base every row changes.
  factor_rows(h, s, first > 1 ? first : 1);
}

// Steps 2 and 3: the nearest point of the plane, on smaller and smaller supports until it lies inside. Every round
// drops a point. True if the mixture moved at all.
INLINE bool settle(const hull *h, support *s) {
  bool has_moved = false;
  while (s->size > 1) {
    double z[POINTS], step = 1;
    int first = -1;
    solve_plane(h, s, z);
    for (int i = 0; i < s->size; ++i) {
      if (z[i] > 0) continue;
      double fraction = s->weights[i] / (s->weights[i] - z[i]);
      if (first < 0 || fraction < step) {
        step = fraction;
        first = i;
      }
    }
    if (first < 0) {
      memcpy(s->weights, z, (size_t)s->size * sizeof(double));
      return true;
    }
    for (int i = 0; i < s->size; ++i) s->weights[i] += step * (z[i] - s->weights[i]);
    s->weights[first] = 0;
    has_moved = has_moved || step > 0;
    drop_vanished(h, s);
  }
  s->weights[0] = 1;
  return has_moved;
}

// Step 1: the point outside the support with the largest gain that is more than rounding, or -1. `refused` has a bit
// per point.
INLINE int find_gain(const hull *h, const support *s, uint64_t refused, double *gap) {
  int count = h->count, best = -1;
  double gains[POINTS], noises[POINTS], level = 0, level_noise = 0;
  for (int j = 0; j < count; ++j) {
    gains[j] = h->pulls[j];
    noises[j] = fabs(h->pulls[j]);
  }
  for (int i = 0; i < s->size; ++i) {
    const double *dots = h->dots + s->points[i] * count;
    double weight = s->weights[i];
    for (int j = 0; j < count; ++j) {
      gains[j] -= weight * dots[j];
      noises[j] += weight * fabs(dots[j]);
    }
  }
  uint64_t taken = refused;
  for (int i = 0; i < s->size; ++i) {
    level += s->weights[i] * gains[s->points[i]];
    level_noise += s->weights[i] * noises[s->points[i]];
    taken |= UINT64_C(1) << s->points[i];
  }
  *gap = 0;
  double max = 0;
  for (int j = 0; j < count; ++j) {
    double gain = gains[j] - level;
    if (gain > *gap) *gap = gain;
    if (gain > max && gain > MAX_GAIN * (noises[j] + level_noise) && !(taken >> j & 1)) {
      max = gain;
      best = j;
    }
  }
  return best;
}

// The point nearest to d: the best guess that costs nothing.
INLINE void start_cold(const hull *h, support *s) {
  int nearest = 0;
  double min = 0;
  for (int j = 1; j < h->count; ++j) {
    double square = h->dots[j * h->count + j] - 2 * h->pulls[j];
    if (square < min) {
      min = square;
      nearest = j;
    }
  }
  s->size = 1;
  s->points[0] = nearest;
  s->weights[0] = 1;
}

// The mixture given; false when it is none.
INLINE bool start_warm(const hull *h, support *s, const double *weights) {
  double rest = 1;
  for (int j = 1; j < h->count; ++j) {
    if (!(weights[j - 1] >= 0)) return false;
    rest -= weights[j - 1];
  }
  if (!(rest > -1e-9)) return false;
  s->size = 0;
  for (int j = 0; j < h->count; ++j) {
    double weight = j == 0 ? rest : weights[j - 1];
    if (!(weight > 0)) continue;
    s->points[s->size] = j;
    s->weights[s->size++] = weight;
  }
  factor_rows(h, s, 1);
  settle(h, s);
  return true;
}

INLINE pl_simplex_report solve(int n, const double *gram, const double *pull, bool is_warm, double *weights) {
  hull h;
  support s;
  pl_simplex_report report = {0};
  if (!load_hull(&h, n, gram, pull)) {
    for (int k = 0; k < n; ++k) weights[k] = 0;
    return report;
  }
  if (!is_warm || !start_warm(&h, &s, weights)) start_cold(&h, &s);
  uint64_t refused = 0;
  while (report.pass_count < PASSES_PER_POINT * (n + 1)) {
    int joining = find_gain(&h, &s, refused, &report.gap);
    report.is_exact = joining < 0;
    if (joining < 0) break;
    report.pass_count++;
    s.points[s.size] = joining;
    s.weights[s.size] = 0;
    factor_rows(&h, &s, s.size++);
    // Where nothing moved, the point was dropped at once: its gain came from rounding alone, and another try would end
    // the same way.
    refused = settle(&h, &s) ? 0 : refused | UINT64_C(1) << joining;
  }
  for (int k = 0; k < n; ++k) weights[k] = 0;
  for (int i = 0; i < s.size; ++i)
    if (s.points[i] > 0) weights[s.points[i] - 1] = s.weights[i];
  return report;
}

static pl_simplex_report solve_1(const double *gram, const double *pull, double *weights) {
  double square = gram[0], along = pull[0];
  bool is_finite = 0 * square + 0 * along == 0;
  *weights = !is_finite || !(along > 0) || !(square > 0) ? 0 : along < square ? along / square : 1;
  return (pl_simplex_report){.is_exact = is_finite};
}
static pl_simplex_report solve_2(const double *gram, const double *pull, bool is_warm, double *weights) {
  return solve(2, gram, pull, is_warm, weights);
}
static pl_simplex_report solve_3(const double *gram, const double *pull, bool is_warm, double *weights) {
  return solve(3, gram, pull, is_warm, weights);
}
static pl_simplex_report solve_4(const double *gram, const double *pull, bool is_warm, double *weights) {
  return solve(4, gram, pull, is_warm, weights);
}
static pl_simplex_report solve_many(int n, const double *gram, const double *pull, bool is_warm, double *weights) {
  return solve(n, gram, pull, is_warm, weights);
}

void pl_simplex_solve(int32_t n, const double *gram, const double *pull, bool is_warm, double *weights,
                      pl_simplex_report *report) {
  pl_simplex_report found = {.is_exact = true};
  switch (n) {
    case 0: break;
    case 1: found = solve_1(gram, pull, weights); break;
    case 2: found = solve_2(gram, pull, is_warm, weights); break;
    case 3: found = solve_3(gram, pull, is_warm, weights); break;
    case 4: found = solve_4(gram, pull, is_warm, weights); break;
    default: found = solve_many(n, gram, pull, is_warm, weights); break;
  }
  if (report != NULL) *report = found;
}

pl_status pl_weights_nearest(int32_t count, const double *gram, const double *pull, double *weights) {
  if (count < 0 || count > PL_MAX_EXAMPLES) return PL_ERROR_INVALID_ARGUMENT;
  pl_simplex_solve(count, gram, pull, false, weights, NULL);
  return PL_OK;
}
