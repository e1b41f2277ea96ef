// One step of a shape-matching solid (paper 000, §3 and §4).
//
// Everything is the descent of one energy, in which every region r compares its particles with a shape t_i of its own,
// turned by R_r:
//
//   E = k/2 sum_r sum_i m~ |p_i - R_r t_i|²,   t_i = q_i + sum_k beta w_k d_ik                       (eqs. 1 to 3)
//
//   every region r:     R nearest to sum m~ p t^T, with the weights of the last step; with exact shapes in a calm body
//                       R of the last step, turned with the whole body
//   every manifold:     weights w of the mixture of examples nearest to the shape of its regions     (eqs. 6, 7)
//   every region r:     R* nearest to sum m~ p t^T
//   every particle i:   g = mean over its regions of R* t + c                                        (eq. 3)
//                       v <- v + alpha (g - x) / h + h (a + f / m),   x <- x + h v                   (eqs. 4, 5)
//
//   x v m   position, velocity, mass of a particle   q   rest offset of a particle from a region's centre of mass
//   p       x - c                                    m~  effective mass, m / |N|
//   g       goal position                            h   step
//   d_ik    what example k adds to q: its exact shape in the region (holds), or (S_k - 1) q, its affine part
//
// Rotations and weights minimise the energy over themselves, so the force is its gradient: what a body does by itself
// is the motion in a potential and gains no energy. Where they lag, they can only lose some. At fidelity beta the
// energy is the mean of that of the examples, by beta, and that of the rest shape; likewise where groups overlap. With
// exact shapes the energy is zero in the pose of an example, which is therefore a minimum.
//
// Differs from the paper:
// - The goals turn by R*, not by the rotation of A (eq. 1): only then do they exert no torque and have a potential. The
// paper's way is kept as an option; there a rotation is taken only where it lowers the energy.
// - Weights are nearest in the metric of the energy.
// - alpha is frequency_squared * h², so that a stiffness means the same oscillation at any step; at most 1, where eq. 4
// is stable.
// - The goals exert no net force and no net torque in exact arithmetic; their rounding errors are taken out, so that
// linear and angular momentum do not drift.
// - A body left to itself gains no energy where regions turn by large angles in a step: see solid_budget.c.
// - Damping acts on what differs from the body's rigid motion, so that flight and tumbling are left alone.
//
// The inner loops are in solid_kernel.h; this file is the order in which they run. Without examples only R* and the
// last two lines remain.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "math/mat3.h"
#include "math/rotation_batch.h"
#include "pliant/examples.h"
#include "solid/solid_budget.h"
#include "solid/solid_kernels.h"

enum { MAX_TURN_COUNT = 8, GROUPS_PER_BLOCK = 32, PARTICLES_PER_BLOCK = GROUPS_PER_BLOCK * LANES };

// Where the nearest mixture passes from one side of the simplex to another, the stiffness of the body jumps, and a step
// across the jump gains or loses a little energy (up to 1e-5 of it). Bodies that find their weights themselves lose at
// least this fraction of their vibration in a step, so that gains never add up: 2 % of the energy in 1,000 steps.
static const float MIN_DAMPED_FRACTION = 2e-5f;

// How far rotations may be from those the last step predicts, in radians, so that the next step finds its weights with
// predicted ones. Bars that tumble and swing then have weights within 1e-3 of the nearest (test_solid_potential).
static const float MAX_LAG = 0.05f;

typedef struct step_data {
  const pl_solid_model *model;
  const pl_solid_kernels *kernels;
  pl_solid_state state;
  double step;
  uint32_t used;                                             // examples that any region follows, a bit each
  bool projects;                                             // the weights are found from the current shape
  bool is_refining;                                          // moments are known, rotations are found once more
  bool is_calm;                                              // the first weights are found with predicted rotations
  bool measures_lag;                                         // rotations are compared with the predicted ones
  float turn[4];                                             // of the whole body since the last step, a quaternion
  float *lags;                                               // per block: largest square of half the angle between them
  float *moments;                                            // PL_SOLID_MOMENT_COUNT x 8 per group
  pl_f4 *goals;                                              // [slot][8]: what regions want, exact shapes
  float *poses;                                              // PL_SOLID_POSE_SIZE per region
  _Alignas(32) float shared8[PL_MAX_EXAMPLE_COUNT * LANES];  // weights all regions use, eight times each
  double *pulls;                                             // [block][manifold][example][8]
  double *totals;                                            // [manifold][example]
  float *weights_before;                                     // [manifold][example]
  pl_solid_sums *sums;                                       // per block
  bool *is_finite;                                           // per block, after the step
  pl_solid_pull pull;
  pl_solid_rigid rigid;
  float damped_fraction;
  pl_solid_budget budget;
} step_data;

static float *rotations_of(const step_data *d, int32_t group) {
  return d->state.rotations + (size_t)group * QUAT_LANES;
}

// How many sets of weights are gathered over many regions; where every region has its own, none.
static int32_t shared_manifold_count(const pl_solid_examples *examples) {
  return examples->grouping == PL_SOLID_BY_REGION ? 0 : examples->manifold_count;
}

// Add what the regions of a group say about each example to the block's sums.
static void add_pulls(const step_data *d, int32_t group, const float *pulls, double *block_pulls) {
  const pl_solid_examples *examples = &d->model->examples;
  for (int32_t m = 0; m < shared_manifold_count(examples); ++m) {
    const float *fractions =
        examples->fractions != NULL
            ? examples->fractions + ((size_t)m * (size_t)d->model->group_count + (size_t)group) * LANES
            : NULL;
    d->kernels->add_pulls(pulls, fractions, examples->count, block_pulls + (size_t)(m * examples->count) * LANES);
  }
}

static void find_region_weights(const step_data *d, int32_t group, const float *pulls) {
  const pl_solid_examples *examples = &d->model->examples;
  int32_t count = examples->count, left = d->model->head.particle_count - group * LANES;
  int32_t lane_count = left < LANES ? left : LANES;
  _Alignas(32) float weights[2 * LANES];
  if (examples->small_grams != NULL)
    d->kernels->solve_small(pulls, examples->small_grams + (size_t)group * GRAM_LANES, count, weights);
  for (int32_t lane = 0; lane < lane_count; ++lane) {
    int32_t region = group * LANES + lane;
    double own[PL_MAX_EXAMPLE_COUNT];
    if (examples->small_grams != NULL) {
      for (int32_t k = 0; k < count; ++k)
        d->state.weights[(size_t)region * (size_t)count + (size_t)k] =
            (float)examples->fidelity * weights[LANES * k + lane];
      continue;
    }
    for (int32_t k = 0; k < count; ++k) own[k] = (double)pulls[LANES * k + lane];
    pl_solid_find_region_weights(d->model, d->state, region, own, d->step);
  }
}

// Plastic weight of an example in a region; the mean of its groups where it has several.
static float plastic_weight_of(const step_data *d, int32_t region, int32_t k) {
  const pl_solid_examples *examples = &d->model->examples;
  if (examples->plastic_threshold == 0) return 0;
  if (examples->grouping == PL_SOLID_GLOBAL) return d->state.plastic[k];
  if (examples->fractions == NULL) return d->state.plastic[(size_t)region * (size_t)examples->count + (size_t)k];
  float sum = 0;
  for (int32_t m = 0; m < examples->manifold_count; ++m)
    sum += examples->fractions[(size_t)m * (size_t)d->model->group_count * LANES + (size_t)region] *
           d->state.plastic[m * examples->count + k];
  return sum;
}

// Maps of fidelity and plasticity. `weights` has w_p + beta u, with w_p of the plastic rest shape and u what the body
// is away from it (solid_weights.c). A region with a factor f on beta and a fraction g of w_p follows g w_p + f beta u,
// but no less than nothing of an example.
static void scale_weights(const step_data *d, int32_t group, float *weights) {
  const pl_solid_examples *examples = &d->model->examples;
  for (int32_t lane = 0; lane < LANES; ++lane) {
    int32_t region = group * LANES + lane;
    if (region >= d->model->head.particle_count) continue;
    float f = examples->fidelity_scales[region], g = examples->plastic_scales[region];
    for (int32_t k = 0; k < examples->count; ++k) {
      float plastic = plastic_weight_of(d, region, k), *w = &weights[LANES * k + lane];
      *w = fmaxf(g * plastic + f * (*w - plastic), 0);
    }
  }
}

// Weights of the eight regions of a group, [example][8], where they differ.
static void weights_of_group(const step_data *d, int32_t group, float *weights) {
  const pl_solid_examples *examples = &d->model->examples;
  int32_t count = examples->count;
  for (int32_t lane = 0; lane < LANES; ++lane) {
    int32_t region = group * LANES + lane;
    bool is_padding = region >= d->model->head.particle_count;
    for (int32_t k = 0; k < count; ++k) {
      float w = 0;
      if (examples->grouping == PL_SOLID_GLOBAL)
        w = d->state.weights[k];
      else if (examples->fractions == NULL && !is_padding)
        w = d->state.weights[(size_t)region * (size_t)count + (size_t)k];
      for (int32_t m = 0; examples->fractions != NULL && m < examples->manifold_count; ++m)
        w += examples->fractions[(size_t)m * (size_t)d->model->group_count * LANES + (size_t)region] *
             d->state.weights[m * count + k];
      weights[LANES * k + lane] = w;
    }
  }
  if (d->projects && examples->fidelity_scales != NULL) scale_weights(d, group, weights);
}

// A group of eight regions on its way through the step.
typedef struct region_group {
  int32_t index;
  const float *moments;
  const float *weights;  // [example][8]
  _Alignas(64) float own_weights[PL_MAX_EXAMPLE_COUNT * LANES];
  _Alignas(64) float stretch[SYM3_LANES];
  _Alignas(64) float matrix[MAT3_LANES];  // sum m~ p t^T
} region_group;

static const float *spread_of(const float *spreads, int32_t group) {
  return spreads + (size_t)group * SYM3_LANES;
}

// The current weights of the regions of a group.
static void choose_weights(const step_data *d, region_group *g) {
  g->weights = d->shared8;
  if (d->model->examples.grouping == PL_SOLID_GLOBAL && d->model->examples.fidelity_scales == NULL) return;
  weights_of_group(d, g->index, g->own_weights);
  g->weights = g->own_weights;
}

// The current weights of a group, and sum m~ p t^T with them, where examples are affine.
static void blend_group(const step_data *d, region_group *g) {
  int32_t count = d->model->examples.count;
  choose_weights(d, g);
  const float *descriptors = d->model->examples.descriptors + (size_t)g->index * (size_t)count * SYM3_LANES;
  d->kernels->blend_stretch(descriptors, g->weights, count, g->stretch);
  d->kernels->stretch_moments(g->moments, g->stretch, g->matrix);
}

// The rotations of a group: the best for the blended shapes, or the paper's, of A, where it is better than the last.
static void turn_group(const step_data *d, const region_group *g) {
  const pl_solid_examples *examples = &d->model->examples;
  float *q = rotations_of(d, g->index);
  if (examples->goal_rotation == PL_SOLID_ROTATION_CONSERVING) {
    pl_rotation_batch(g->matrix, q);
    return;
  }
  _Alignas(64) float a[MAT3_LANES], before[QUAT_LANES];
  for (int i = 0; i < QUAT_LANES; ++i) before[i] = q[i];
  d->kernels->find_gradient(g->moments, spread_of(examples->inverse_spreads, g->index), a);
  pl_rotation_batch(a, q);
  d->kernels->keep_better(g->matrix, before, q);
}

// What the regions of a group say about the examples; with rotations that are the best for the last step's weights.
static void measure_affine(const step_data *d, int32_t group, float *pulls) {
  const pl_solid_examples *examples = &d->model->examples;
  float *moments = d->moments + (size_t)group * PL_SOLID_MOMENT_COUNT * LANES;
  region_group g;
  g.index = group;
  g.moments = moments;
  if (!d->is_refining) d->kernels->sum_moments(d->model, d->pull.positions, group, moments);
  blend_group(d, &g);
  turn_group(d, &g);
  const pl_solid_measure measure = {moments, rotations_of(d, group), spread_of(examples->spreads, group),
                                    examples->region_weights + (size_t)group * LANES, examples->count};
  d->kernels->find_pulls(&measure, examples->descriptors + (size_t)(group * examples->count) * SYM3_LANES, pulls);
}

static float max_of(const float lanes[LANES]) {
  float max = lanes[0];
  for (int i = 1; i < LANES; ++i) max = lanes[i] > max ? lanes[i] : max;
  return max;
}

static bool has_actives(const step_data *d, int32_t group) {
  return d->model->examples.active_start[group] < d->model->examples.active_start[group + 1];
}

// The blended shapes of a group: sum m~ p t^T and the rotations nearest to it. `arms` is for PL_SOLID_ARMS numbers.
static pl_solid_shape match_shape(const step_data *d, region_group *g, float *arms, float *moments, float *lags) {
  choose_weights(d, g);
  pl_solid_shape shape = {d->model, d->pull.positions, g->index, d->used, g->weights, arms};
  d->kernels->sum_shapes(&shape, moments);
  float *q = rotations_of(d, g->index);
  if (!d->measures_lag || !has_actives(d, g->index)) {
    pl_rotation_batch(moments, q);
    return shape;
  }
  _Alignas(64) float before[QUAT_LANES];
  memcpy(before, q, sizeof before);
  pl_rotation_batch(moments, q);
  d->kernels->find_lags(before, q, lags);
  return shape;
}

// Rotations are first turned with the whole body. Where that is nearly all that turns, they are near enough to those of
// the positions, and the weights that are nearest with them can only lower the energy. Otherwise they are found first.
static void measure_shape(const step_data *d, int32_t group, float *pulls, float *lags) {
  const pl_solid_examples *examples = &d->model->examples;
  _Alignas(64) float arms[PL_SOLID_ARMS], moments[PL_SOLID_MOMENT_COUNT * LANES];
  float *q = rotations_of(d, group);
  const float *region_weights = examples->region_weights + (size_t)group * LANES;
  if (!d->is_refining) d->kernels->turn_rotations(d->turn, q);
  if (!has_actives(d, group)) {
    for (int32_t i = 0; i < examples->count * LANES; ++i) pulls[i] = 0;
    return;
  }
  if (d->is_calm && !d->is_refining) {
    const pl_solid_shape shape = {.model = d->model, .positions = d->pull.positions, .group = group};
    d->kernels->find_known_pulls(&shape, q, region_weights, pulls);
    return;
  }
  region_group g;
  g.index = group;
  pl_solid_shape shape = match_shape(d, &g, arms, moments, lags);
  d->kernels->find_shape_pulls(&shape, q, region_weights, pulls);
}

static void measure_regions(void *data, int32_t begin, int32_t end, int32_t block) {
  step_data *d = data;
  const pl_solid_examples *examples = &d->model->examples;
  int32_t pull_count = LANES * shared_manifold_count(examples) * examples->count;
  double *block_pulls = d->pulls + (size_t)block * (size_t)pull_count;
  _Alignas(64) float lags[LANES] = {0};
  for (int32_t i = 0; i < pull_count; ++i) block_pulls[i] = 0;
  for (int32_t group = begin; group < end; ++group) {
    _Alignas(64) float pulls[PL_MAX_EXAMPLE_COUNT * LANES];
    if (d->goals != NULL)
      measure_shape(d, group, pulls, lags);
    else
      measure_affine(d, group, pulls);
    if (examples->grouping == PL_SOLID_BY_REGION)
      find_region_weights(d, group, pulls);
    else
      add_pulls(d, group, pulls, block_pulls);
  }
  if (d->measures_lag) d->lags[block] = max_of(lags);
}

// Stretch, rotation and pose of the eight regions of a group, of bodies with examples.
static void pose_group(const step_data *d, int32_t group, const float *moments) {
  const pl_solid_examples *examples = &d->model->examples;
  region_group g;
  g.index = group;
  g.moments = moments;
  blend_group(d, &g);
  // The paper's rotation does not depend on the weights of this step.
  if (!d->projects || examples->goal_rotation == PL_SOLID_ROTATION_CONSERVING) turn_group(d, &g);
  const pl_solid_posing posing = {d->model, d->pull.positions, d->poses, group};
  d->kernels->write_poses(&posing, moments, rotations_of(d, group), g.stretch);
}

static void pose_regions(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const step_data *d = data;
  for (int32_t group = begin; group < end; ++group)
    pose_group(d, group, d->moments + (size_t)group * PL_SOLID_MOMENT_COUNT * LANES);
  d->kernels->finish_stream();
}

// Both at once, where no region has to wait for the others: the moments never leave the cache.
static void match_regions(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const step_data *d = data;
  _Alignas(64) float moments[PL_SOLID_MOMENT_COUNT * LANES];
  for (int32_t group = begin; group < end; ++group) {
    d->kernels->sum_moments(d->model, d->pull.positions, group, moments);
    pose_group(d, group, moments);
  }
  d->kernels->finish_stream();
}

// The same without examples, four groups at a time.
static void match_plain_regions(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  enum { STRIDE = PL_SOLID_MOMENT_COUNT * LANES, GROUPS = 4 };
  const step_data *d = data;
  _Alignas(64) float moments[GROUPS * STRIDE];
  for (int32_t group = begin; group < end; group += GROUPS) {
    int32_t count = end - group < GROUPS ? end - group : GROUPS;
    float *q = rotations_of(d, group);
    for (int32_t i = 0; i < count; ++i)
      d->kernels->sum_moments(d->model, d->pull.positions, group + i, moments + STRIDE * i);
    pl_rotation_batch_many(moments, STRIDE, q, count);
    for (int32_t i = 0; i < count; ++i) {
      const pl_solid_posing posing = {d->model, d->pull.positions, d->poses, group + i};
      d->kernels->write_poses(&posing, moments + STRIDE * i, q + QUAT_LANES * i, NULL);
    }
  }
  d->kernels->finish_stream();
}

// With exact shapes: rotations, and what the regions want of their particles.
static void shape_regions(void *data, int32_t begin, int32_t end, int32_t block) {
  const step_data *d = data;
  _Alignas(64) float lags[LANES] = {0};
  _Alignas(64) float arms[PL_SOLID_ARMS], moments[PL_SOLID_MOMENT_COUNT * LANES];
  for (int32_t group = begin; group < end; ++group) {
    region_group g;
    g.index = group;
    pl_solid_shape shape = match_shape(d, &g, arms, moments, lags);
    d->kernels->write_goals(&shape, moments, rotations_of(d, group), d->goals);
  }
  if (d->measures_lag) d->lags[block] = max_of(lags);
  d->kernels->finish_stream();
}

static void pull_to_goals(void *data, int32_t begin, int32_t end, int32_t block) {
  step_data *d = data;
  d->kernels->pull_particles(&d->pull, begin, end, &d->sums[block]);
}

static void drift(void *data, int32_t begin, int32_t end, int32_t block) {
  step_data *d = data;
  d->is_finite[block] = d->kernels->drift_particles(&d->pull, &d->rigid, d->damped_fraction, begin, end);
}

// Let the origin follow a body that has moved away from it by more than a grid cell. Whole cells keep the shift exact.
static void follow_origin(const pl_solid_model *model, pl_solid_state state, pl_vec3 center) {
  double grid = model->origin_grid;
  pl_vec3 cells = {nearbyint(center.x / grid), nearbyint(center.y / grid), nearbyint(center.z / grid)};
  if (!pl_vec3_is_finite(cells) || (cells.x == 0 && cells.y == 0 && cells.z == 0)) return;
  pl_vec3 shift = pl_vec3_scale(cells, grid);
  state.origin[0] += shift.x;
  state.origin[1] += shift.y;
  state.origin[2] += shift.z;
  for (int32_t i = 0; i < model->head.particle_count; ++i) state.positions[i] -= pl_f4_of_vec3(shift);
}

void pl_solid_end_step(const pl_solid_model *model, pl_solid_state state, bool is_finite, pl_vec3 center) {
  *state.suspect = !is_finite;
  follow_origin(model, state, center);
}

// The weights that all regions use, eight times each.
static void share_weights(step_data *d) {
  const pl_solid_examples *examples = &d->model->examples;
  for (int32_t k = 0; examples->grouping == PL_SOLID_GLOBAL && k < examples->count; ++k)
    for (int lane = 0; lane < LANES; ++lane) d->shared8[LANES * k + lane] = d->state.weights[k];
}

// Weights of manifolds that span many regions, from the sums of all blocks: blocks in their order, then lanes in
// theirs.
static void find_shared_weights(step_data *d, int32_t block_count) {
  const pl_solid_examples *examples = &d->model->examples;
  int32_t count = shared_manifold_count(examples) * examples->count;
  for (int32_t i = 0; d->projects && i < count; ++i) {
    double sum = 0;
    for (int32_t b = 0; b < block_count; ++b)
      for (int lane = 0; lane < LANES; ++lane)
        sum += d->pulls[((size_t)b * (size_t)count + (size_t)i) * LANES + (size_t)lane];
    d->totals[i] = sum;
  }
  pl_solid_find_weights(d->model, d->state, d->projects ? d->totals : NULL, d->step);
  share_weights(d);
}

// The largest change of a shared weight since `before`, which becomes the current weights.
static double change_of_weights(const step_data *d, float *before) {
  const pl_solid_examples *examples = &d->model->examples;
  double max = 0;
  for (int32_t i = 0; i < shared_manifold_count(examples) * examples->count; ++i) {
    max = fmax(max, fabs((double)(d->state.weights[i] - before[i])));
    before[i] = d->state.weights[i];
  }
  return max;
}

// The examples that any region follows, a bit each.
static uint32_t find_used(const step_data *d) {
  size_t count = (size_t)d->model->examples.count, total = count * (size_t)d->model->examples.manifold_count;
  uint32_t used = 0;
  for (size_t i = 0; i < total; i += count)
    for (size_t k = 0; k < count; ++k) used |= (uint32_t)(d->state.weights[i + k] != 0.0f) << k;
  // Regions of lower fidelity may follow plastic weights that the others do not.
  bool has_own = d->model->examples.fidelity_scales != NULL && d->model->examples.plastic_threshold > 0;
  for (size_t i = 0; has_own && i < total; i += count)
    for (size_t k = 0; k < count; ++k) used |= (uint32_t)(d->state.plastic[i + k] != 0.0f) << k;
  return used;
}

// Rotations and weights minimise the same energy in turns. From step to step one turn is enough; after a jump, as from
// a state that was set, a few more are needed.
static void find_weights(step_data *d, pl_context *context, int32_t block_count) {
  const pl_solid_examples *examples = &d->model->examples;
  const double jump = 0.02;
  change_of_weights(d, d->weights_before);
  for (int turn = 0; turn < MAX_TURN_COUNT; ++turn) {
    d->is_refining = turn > 0;
    d->measures_lag = d->goals != NULL && turn == d->is_calm;
    if (d->projects) pl_parallel_for(context, d->model->group_count, GROUPS_PER_BLOCK, measure_regions, d);
    if (examples->count > 0) find_shared_weights(d, block_count);
    d->used = find_used(d);
    // Not yet measured: where it is left to the goals.
    d->measures_lag = d->goals != NULL && turn < d->is_calm;
    if (!d->projects || examples->plastic_threshold > 0 || !(change_of_weights(d, d->weights_before) > jump)) break;
  }
}

// What the whole body has turned by since the last step. Particles move along tangents, so |turn| is the tangent of the
// angle; see turned() in math/rotation_batch_kernel.h.
static void predict_turn(step_data *d) {
  double x = 0.5 * (double)d->state.turn[0], y = 0.5 * (double)d->state.turn[1], z = 0.5 * (double)d->state.turn[2];
  double square = x * x + y * y + z * z, w = 1 + square, f = 1 / sqrt(square + w * w);
  d->turn[0] = (float)(x * f);
  d->turn[1] = (float)(y * f);
  d->turn[2] = (float)(z * f);
  d->turn[3] = (float)(w * f);
  d->is_calm = d->goals != NULL && d->projects && *d->state.calm;
}

// What predict_turn() has to know in the next step.
static void keep_turn(const step_data *d, int32_t block_count) {
  float max = 0;
  if (d->goals == NULL) return;
  for (int32_t b = 0; d->projects && b < block_count; ++b) max = fmaxf(max, d->lags[b]);
  *d->state.calm = d->projects && 4 * max < MAX_LAG * MAX_LAG;
  pl_vec3 turn = pl_vec3_scale(d->rigid.angular_velocity, d->step);
  d->state.turn[0] = (float)turn.x;
  d->state.turn[1] = (float)turn.y;
  d->state.turn[2] = (float)turn.z;
}

static bool take_memory(step_data *d, pl_scratch *scratch, int32_t group_blocks, int32_t particle_blocks) {
  const pl_solid_model *model = d->model;
  const pl_solid_examples *examples = &model->examples;
  bool has_shapes = examples->templates != NULL;
  size_t regions = has_shapes ? 0 : (size_t)model->group_count * LANES;
  size_t entries = has_shapes ? (size_t)model->slot_start[model->group_count] * LANES : 0;
  d->moments = PL_SCRATCH(scratch, float, regions *PL_SOLID_MOMENT_COUNT + 1);
  d->poses = PL_SCRATCH(scratch, float, regions *PL_SOLID_POSE_SIZE + 1);
  d->goals = has_shapes ? PL_SCRATCH(scratch, pl_f4, entries) : NULL;
  d->sums = PL_SCRATCH(scratch, pl_solid_sums, particle_blocks);
  size_t pulls = (size_t)(shared_manifold_count(examples) * examples->count);
  d->is_finite = PL_SCRATCH(scratch, bool, particle_blocks);
  d->lags = PL_SCRATCH(scratch, float, group_blocks);
  d->pulls = PL_SCRATCH(scratch, double, (size_t)group_blocks *pulls *LANES + 1);
  d->totals = PL_SCRATCH(scratch, double, pulls + 1);
  d->weights_before = PL_SCRATCH(scratch, float, pulls + 1);
  return d->moments && d->poses && d->sums && d->is_finite && d->lags && d->pulls && d->totals && d->weights_before &&
         (!has_shapes || d->goals) && pl_solid_budget_take(scratch, model->head.particle_count, &d->budget);
}

double pl_solid_max_step(const pl_model *model) {
  return 1 / sqrt(((const pl_solid_model *)model)->frequency_squared);
}

float pl_solid_alpha_over_step(const pl_solid_model *model, double step) {
  return (float)(fmin(1.0, model->frequency_squared * step * step) / step);
}

// Half of the energy of a vibration is kinetic: what velocity loses at twice the rate, amplitude loses at the rate.
float pl_solid_damped_fraction(const pl_solid_model *model, double step) {
  return (float)(1.0 - exp(-2 * model->damping * step));
}

pl_status pl_solid_move(const pl_model *model, void *state, const pl_body_move *move, pl_error *error) {
  const pl_solid_model *solid = (const pl_solid_model *)model;
  int32_t n = model->particle_count;
  int32_t group_blocks = pl_block_count(solid->group_count, GROUPS_PER_BLOCK),
          particle_blocks = pl_block_count(n, PARTICLES_PER_BLOCK);
  pl_scratch_mark mark = pl_scratch_push(move->scratch);
  step_data d = {
      .model = solid,
      .kernels = pl_solid_kernels_choose(),
      .state = pl_solid_state_of(model, state),
      .step = move->step,
      .damped_fraction = pl_solid_damped_fraction(solid, move->step),
  };
  if (!take_memory(&d, move->scratch, group_blocks, particle_blocks)) {
    pl_scratch_pop(move->scratch, mark);
    return pl_fail_memory(error);
  }
  d.projects = solid->examples.count > 0 && !*d.state.driven;
  if (d.projects) d.damped_fraction = fmaxf(d.damped_fraction, MIN_DAMPED_FRACTION);
  d.pull = (pl_solid_pull){
      .model = solid,
      .poses = d.poses,
      .goals = d.goals,
      .positions = d.state.positions,
      .velocities = d.state.velocities,
      .forces = move->forces,
      .step = (float)move->step,
      .alpha_over_step = pl_solid_alpha_over_step(solid, move->step),
      .gain = pl_f4_of_vec3(pl_vec3_scale(move->acceleration, move->step)),
  };

  d.budget.pull = &d.pull;
  d.budget.state = d.state;
  pl_solid_budget_begin(&d.budget, d.damped_fraction);
  predict_turn(&d);
  share_weights(&d);  // of the last step
  d.used = find_used(&d);
  find_weights(&d, move->context, group_blocks);
  pl_parallel_for(move->context, solid->group_count, GROUPS_PER_BLOCK,
                  d.goals != NULL              ? shape_regions
                  : d.projects                 ? pose_regions
                  : solid->examples.count == 0 ? match_plain_regions
                                               : match_regions,
                  &d);
  pl_parallel_for(move->context, n, PARTICLES_PER_BLOCK, pull_to_goals, &d);
  pl_solid_sums sums = pl_solid_join_sums(d.sums, particle_blocks);
  bool may_twist = solid->examples.goal_rotation == PL_SOLID_ROTATION_PAPER;
  d.rigid = pl_solid_find_rigid(&sums, model->mass, (double)d.pull.alpha_over_step, may_twist);
  bool slowed = pl_solid_budget_finish(&d.budget, move->context, &sums, &d.rigid);
  if (move->damped != NULL) *move->damped = slowed;
  pl_parallel_for(move->context, n, PARTICLES_PER_BLOCK, drift, &d);
  bool is_finite = true;
  for (int32_t b = 0; b < particle_blocks; ++b) is_finite = is_finite && d.is_finite[b];
  keep_turn(&d, group_blocks);
  pl_solid_end_step(solid, d.state, is_finite, d.rigid.center);
  pl_scratch_pop(move->scratch, mark);
  return PL_OK;
}
