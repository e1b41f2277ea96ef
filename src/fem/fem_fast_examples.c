// Example poses of the fast corotated solid: every tet has the stretch of a mixture of them as its rest shape.
//
//   S~ = 1 + sum w_k L_k,  L_k = S_k - 1,  S_k of F_k = R_k S_k in the pose of example k
//   E  = sum over tets of mu V |F - R S~|² + lambda / 2 V (tr(R^T F) - tr S~)²
//
// The matrix of a step does not depend on S~: the stretching part stays 2 mu V b . b, constant and factored (after
// Kugelstadt, Koschier and Bender 2018, with the examples of papers 000, section 4, and 004, section 5.1). Tets are
// deformed uniformly, so every pose is met without remainder, and E is zero there.
//
// Weights that are not given minimise E over the hull of rest and examples, in turns with the rotations:
//
//   minimise w^T G w / 2 - b^T w,   G_kl = sum 2 mu V <L_k, L_l> + lambda V tr L_k tr L_l
//                                   b_k  = sum 2 mu V <L_k, R^T F - 1> + lambda V tr L_k (tr(R^T F) - 3)
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "examples/simplex_weights.h"
#include "examples/weights.h"
#include "fem/fem_fast_solve.h"
#include "fem/fem_polar.h"
#include "fem/fem_tet.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { GROUPS_PER_BLOCK = 64, MAX_TURN_COUNT = 8 };

// --- building -----------------------------------------------------------------------------------------------------

// The corners of a lane of a group at `points`; false for padding.
static bool corners_of(const pl_fem_fast_model *model, size_t group, size_t lane, const pl_vec3 *points, double X[12]) {
  for (size_t a = 0; a < 4; ++a) {
    int32_t particle = model->tets.corners[(group * 4 + a) * LANES + lane];
    if (particle >= model->head.particle_count) return false;
    pl_vec3 p = points[model->point_of[particle]];
    X[3 * a] = p.x, X[3 * a + 1] = p.y, X[3 * a + 2] = p.z;
  }
  return true;
}

// L_k of a lane, as xx yy zz yz xz xy.
static void store_shape(const double rest[12], const double posed[12], float *to) {
  double B[4][3], volume;
  pl_fem_polar polar;
  pl_fem_tet_rest(rest, B, &volume);
  pl_mat3 F = pl_fem_tet_gradient_of(posed, (const double(*)[3])B);
  pl_fem_polar_of(&F, &polar);
  const double(*s)[3] = (const double(*)[3])polar.S.m;
  const double six[6] = {s[0][0] - 1, s[1][1] - 1, s[2][2] - 1, s[1][2], s[0][2], s[0][1]};
  for (int i = 0; i < 6; ++i) to[LANES * i] = (float)six[i];
}

static void add_gram(const pl_fem_fast_model *model, size_t group, size_t lane, const float *shapes, double *gram) {
  const float *constants = model->tets.constants + group * PL_FAST_CONSTANT_COUNT * LANES + lane;
  double shear = (double)constants[LANES * PL_FAST_SHEAR], bulk = (double)constants[LANES * PL_FAST_BULK];
  int32_t count = model->examples.count;
  for (int32_t k = 0; k < count; ++k)
    for (int32_t l = 0; l < count; ++l) {
      const float *a = shapes + SYM3_LANES * k + lane, *b = shapes + SYM3_LANES * l + lane;
      double dot = 0, traces[2] = {0, 0};
      for (int i = 0; i < 6; ++i) dot += (i < 3 ? 1 : 2) * (double)a[LANES * i] * (double)b[LANES * i];
      for (int i = 0; i < 3; ++i) traces[0] += (double)a[LANES * i], traces[1] += (double)b[LANES * i];
      gram[count * k + l] += shear * dot + bulk * traces[0] * traces[1];
    }
}

pl_status pl_fem_fast_examples_build(const pl_fem_def *def, const pl_mesh_view *mesh, pl_fem_fast_model *model,
                                     pl_error *error) {
  size_t count = (size_t)def->example_count, groups = (size_t)model->tets.group_count;
  if (count == 0) return PL_OK;
  for (size_t k = 0; k < count; ++k)
    for (int32_t i = 0; i < mesh->point_count; ++i)
      if (!pl_vec3_is_finite(def->examples[k].points[i]))
        return pl_fail(error, PL_ERROR_INVALID_DATA, "example \"%s\": point %d is not finite", def->examples[k].name,
                       i);
  pl_arena *arena = &model->head.arena;
  const char **names = PL_TAKE(arena, const char *, count);
  double *gram = PL_TAKE(arena, double, count *count);
  float *shapes = PL_TAKE(arena, float, groups *count *SYM3_LANES);
  for (size_t k = 0; names != NULL && k < count; ++k) names[k] = pl_arena_copy_text(arena, def->examples[k].name);
  if (arena->failed) return pl_fail_memory(error);
  model->examples = (pl_fem_fast_examples){def->example_count, names, def->fidelity, gram, shapes};
  for (size_t group = 0; group < groups; ++group)
    for (size_t lane = 0; lane < LANES; ++lane) {
      double rest[12], posed[12];
      float *mine = shapes + group * count * SYM3_LANES;
      if (!corners_of(model, group, lane, mesh->points, rest)) continue;
      for (size_t k = 0; k < count; ++k) {
        corners_of(model, group, lane, def->examples[k].points, posed);
        store_shape(rest, posed, mine + SYM3_LANES * k + lane);
      }
      add_gram(model, group, lane, mine, gram);
    }
  return PL_OK;
}

pl_mat3 pl_fem_fast_rest_shape(const pl_fem_fast_model *model, const float *weights, int32_t tet) {
  const pl_fem_fast_examples *examples = &model->examples;
  int32_t slot = model->tets.slots[tet];
  double s[6] = {1, 1, 1, 0, 0, 0};
  for (int32_t k = 0; k < examples->count; ++k)
    for (int i = 0; i < 6; ++i)
      s[i] += (double)weights[k] *
              (double)examples->shapes[(slot / LANES * examples->count + k) * SYM3_LANES + LANES * i + slot % LANES];
  return (pl_mat3){{{s[0], s[5], s[4]}, {s[5], s[1], s[3]}, {s[4], s[3], s[2]}}};
}

// --- weights of a step --------------------------------------------------------------------------------------------

static void measure(void *data, int32_t begin, int32_t end, int32_t block) {
  const pl_fem_fast_step *d = data;
  int32_t count = d->solver.work.model->examples.count;
  d->solver.kernels->measure(&d->solver.work, begin, end, d->example_pulls + (size_t)(block * count) * LANES);
}

// Blocks in their order, then lanes in theirs.
static void join_pulls(const pl_fem_fast_step *d, int32_t block_count, double *pulls) {
  int32_t count = d->solver.work.model->examples.count;
  for (int32_t k = 0; k < count; ++k) {
    pulls[k] = 0;
    for (int32_t b = 0; b < block_count; ++b)
      for (int lane = 0; lane < LANES; ++lane) pulls[k] += d->example_pulls[(b * count + k) * LANES + lane];
  }
}

void pl_fem_fast_find_weights(pl_fem_fast_step *d) {
  const pl_fem_fast_examples *examples = &d->solver.work.model->examples;
  pl_fem_fast_state s = d->solver.work.state;
  int32_t count = examples->count, groups = d->solver.work.model->tets.group_count;
  const double jump = 0.02;
  d->solver.work.is_measured = false;
  if (count == 0) return;
  if (*s.driven) {
    for (int32_t k = 0; k < count; ++k) s.weights[k] = s.given[k];
    return;
  }
  // From step to step one turn is enough; after a jump, as from a state that was set, a few more are needed.
  double change = 1;
  for (int turn = 0; turn < MAX_TURN_COUNT && change > jump; ++turn) {
    double pulls[PL_MAX_EXAMPLES], weights[PL_MAX_EXAMPLES];
    pl_parallel_for(d->solver.context, groups, GROUPS_PER_BLOCK, measure, d);
    join_pulls(d, pl_block_count(groups, GROUPS_PER_BLOCK), pulls);
    pl_simplex_solve(count, examples->gram, pulls, false, weights, NULL);
    pl_weights_fade(count, examples->fidelity, weights);
    change = 0;
    for (int32_t k = 0; k < count; ++k) {
      change = fmax(change, fabs(weights[k] - (double)s.weights[k]));
      s.weights[k] = (float)weights[k];
    }
    d->solver.work.is_measured = true;
  }
}

size_t pl_fem_fast_pulls_size(const pl_fem_fast_model *model) {
  return (size_t)pl_block_count(model->tets.group_count, GROUPS_PER_BLOCK) * (size_t)model->examples.count * LANES;
}

// --- what the world asks for --------------------------------------------------------------------------------------

pl_example_view pl_fem_fast_list_examples(const pl_model *model) {
  const pl_fem_fast_examples *examples = &((const pl_fem_fast_model *)model)->examples;
  if (examples->count == 0) return (pl_example_view){0};
  return (pl_example_view){
      .example_count = examples->count, .names = examples->names, .manifold_count = 1, .given_count = 1};
}

void pl_fem_fast_get_weights(const pl_model *model, const void *state, int32_t manifold, double *weights) {
  (void)manifold;
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  for (int32_t k = 0; k < ((const pl_fem_fast_model *)model)->examples.count; ++k) weights[k] = (double)s.weights[k];
}

void pl_fem_fast_set_weights(const pl_model *model, void *state, int32_t manifold, const double *weights) {
  (void)manifold;
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  *s.driven = weights != NULL;
  for (int32_t k = 0; weights != NULL && k < ((const pl_fem_fast_model *)model)->examples.count; ++k)
    s.given[k] = (float)weights[k];
}
