// Weights of the examples: from the projection of the current shape (paper 000, §4.2), from outside, and what
// plasticity makes of them.
//
//   w      the mixture nearest to the current shape
//   w_p    where the rest shape has moved to (plasticity); 0 without
//   w_p + beta (w - w_p)  what the goals follow: a little nearer to the rest shape than the body is, so that it does
//   not get stuck
//
// Plasticity by example: when w is farther from w_p than the threshold, w_p follows, so that the remainder of the
// distance is the threshold. Both are mixtures of the examples, so w_p stays one.
//
// Where a region takes part in the plastic change by a fraction g_r only, its rest shape is g_r w_p, and its shape is
// compared with g_r w_p + u, u = w - w_p. The nearest u minimises over all regions, with their Gram matrices G_r,
//
//   sum_r (g_r w_p + u)^T G_r (g_r w_p + u) / 2 - b^T u,   so   G w = b + sum_r (1 - g_r) G_r w_p
#include <math.h>

#include "examples/weights.h"
#include "solid/solid_model.h"

static void yield_to(const pl_solid_examples *examples, const double *weights, float *plastic, double step) {
  double distance = 0;
  for (int32_t k = 0; k < examples->count; ++k)
    distance += (weights[k] - (double)plastic[k]) * (weights[k] - (double)plastic[k]);
  distance = sqrt(distance);
  if (!(distance > examples->plastic_threshold)) return;
  double fraction = (1 - examples->plastic_threshold / distance) * (1 - exp(-examples->plastic_rate * step));
  for (int32_t k = 0; k < examples->count; ++k)
    plastic[k] = (float)((double)plastic[k] + fraction * (weights[k] - (double)plastic[k]));
}

// Half the square of the distance of a mixture from the current shape, up to a constant: w^T G w / 2 - b^T w.
static double energy_of(int32_t n, const double *gram, const double *pulls, const double *weights) {
  double energy = 0;
  for (int32_t k = 0; k < n; ++k) {
    double row = -pulls[k];
    for (int32_t l = 0; l < n; ++l) row += 0.5 * gram[k * n + l] * weights[l];
    energy += row * weights[k];
  }
  return energy;
}

// The paper's weights are not those of the nearest shape. Where they are farther from it than the last step's, they
// would add energy, and the last step's stay. A step across a jump of the weights can also gain, by about its force
// times half a step, what the jump itself loses. So they are only taken where they lower the energy by this fraction of
// that of the jump; the nearest mixture would lower it by all of it.
static const double MIN_GAIN = 0.5;

static void keep_nearer(const pl_solid_examples *examples, pl_solid_state state, int32_t manifold, const double *pulls,
                        double *weights) {
  size_t n = (size_t)examples->count, first = (size_t)manifold * n;
  const double *gram = examples->grams + first * n;
  double before[PL_MAX_EXAMPLES];
  if (!(examples->fidelity > 0)) return;
  for (size_t k = 0; k < n; ++k) {
    double rest = examples->plastic_threshold > 0 ? (double)state.plastic[first + k] : 0;
    before[k] = rest + ((double)state.weights[first + k] - rest) / examples->fidelity;
  }
  double change[PL_MAX_EXAMPLES];
  const double none[PL_MAX_EXAMPLES] = {0};
  for (size_t k = 0; k < n; ++k) change[k] = weights[k] - before[k];
  if (energy_of(examples->count, gram, pulls, before) - MIN_GAIN * energy_of(examples->count, gram, none, change) <
      energy_of(examples->count, gram, pulls, weights))
    for (size_t k = 0; k < n; ++k) weights[k] = before[k];
}

// Weights end at 1, so rounding errors at an example only ever take some away, and a body that is free to move along
// the mixtures would creep out of it. What is this near to an example, or to the rest shape, is there.
static const double SNAP = 2e-5;

static void snap_to_example(int32_t n, double *weights) {
  double rest = 1;
  int32_t nearest = -1;  // the rest shape
  for (int32_t k = 0; k < n; ++k) {
    rest -= weights[k];
    if (weights[k] > 1 - SNAP) nearest = k;
  }
  if (nearest < 0 && !(rest > 1 - SNAP)) return;
  for (int32_t k = 0; k < n; ++k) weights[k] = k == nearest;
}

// What elastic regions lack of the plastic weights, added to the pulls (head of this file).
static void add_elastic(const pl_solid_examples *examples, pl_solid_state state, int32_t manifold, const double *pulls,
                        double *sums) {
  size_t n = (size_t)examples->count, first = (size_t)manifold * n;
  for (size_t k = 0; k < n; ++k) {
    sums[k] = pulls[k];
    for (size_t l = 0; l < n; ++l)
      sums[k] += examples->elastic_grams[(first + k) * n + l] * (double)state.plastic[first + l];
  }
}

// One manifold: number `manifold` of the state's weights.
static void project(const pl_solid_examples *examples, pl_solid_state state, int32_t manifold, const double *pulls,
                    double step) {
  int32_t n = examples->count;
  double weights[PL_MAX_EXAMPLES], sums[PL_MAX_EXAMPLES];
  if (examples->elastic_grams != NULL) {
    add_elastic(examples, state, manifold, pulls, sums);
    pulls = sums;
  }
  if (examples->weight_rule == PL_SOLID_WEIGHTS_PAPER) {
    pl_simplex_project_paper(n, examples->pseudo_inverses + (size_t)manifold * (size_t)(n * n), pulls, weights);
    keep_nearer(examples, state, manifold, pulls, weights);
  } else {
    pl_simplex_solve(n, examples->grams + (size_t)manifold * (size_t)(n * n), pulls, false, weights, NULL);
  }
  snap_to_example(n, weights);
  float *result = state.weights + (size_t)manifold * (size_t)n;
  if (examples->plastic_threshold > 0) {
    float *plastic = state.plastic + (size_t)manifold * (size_t)n;
    yield_to(examples, weights, plastic, step);
    for (int32_t k = 0; k < n; ++k)
      result[k] = (float)((double)plastic[k] + examples->fidelity * (weights[k] - (double)plastic[k]));
  } else {
    pl_weights_fade(n, examples->fidelity, weights);
    for (int32_t k = 0; k < n; ++k) result[k] = (float)weights[k];
  }
}

void pl_solid_find_region_weights(const pl_solid_model *model, pl_solid_state state, int32_t region,
                                  const double *pulls, double step) {
  project(&model->examples, state, region, pulls, step);
}

void pl_solid_find_weights(const pl_solid_model *model, pl_solid_state state, const double *pulls, double step) {
  const pl_solid_examples *examples = &model->examples;
  int32_t n = examples->count;
  bool own = examples->grouping == PL_SOLID_BY_REGION;
  for (int32_t m = 0; m < examples->manifold_count; ++m) {
    if (pulls == NULL)
      for (int32_t k = 0; k < n; ++k)
        state.weights[(size_t)m * (size_t)n + (size_t)k] = state.given[(own ? 0 : m) * n + k];
    else if (!own)
      project(examples, state, m, pulls + (size_t)m * (size_t)n, step);
  }
}

pl_example_view pl_solid_list_examples(const pl_model *model) {
  const pl_solid_model *solid = (const pl_solid_model *)model;
  const pl_solid_examples *examples = &solid->examples;
  if (examples->count == 0) return (pl_example_view){0};
  return (pl_example_view){examples->count, examples->names, examples->manifold_count, examples->group_names,
                           pl_solid_given_count(solid)};
}

void pl_solid_get_weights(const pl_model *model, const void *state, int32_t manifold, double *weights) {
  const pl_solid_model *solid = (const pl_solid_model *)model;
  int32_t n = solid->examples.count;
  if (solid->examples.grouping == PL_SOLID_BY_REGION) manifold = solid->order.particle_of[manifold];
  const float *from = pl_solid_state_of(model, state).weights + (size_t)manifold * (size_t)n;
  for (int32_t k = 0; k < n; ++k) weights[k] = (double)from[k];
}

void pl_solid_set_weights(const pl_model *model, void *state, int32_t manifold, const double *weights) {
  int32_t n = ((const pl_solid_model *)model)->examples.count;
  pl_solid_state s = pl_solid_state_of(model, state);
  *s.driven = weights != NULL;
  for (int32_t k = 0; weights != NULL && k < n; ++k) s.given[manifold * n + k] = (float)weights[k];
}
