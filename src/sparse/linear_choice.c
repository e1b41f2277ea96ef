// Which solver for which body: expected milliseconds of each, from measured counts of iterations and measured speeds.
//
//   w   elements that a pressure wave crosses in a step:  step * sqrt(M / density) / element size
//   M   modulus of that wave, E (1 - v) / ((1 + v)(1 - 2v))
//   G   E / 2(1 + v), so M / G grows without bound as v nears 1/2
//   n   rows
//
// Iterations of conjugate gradients to 1e-4 on box meshes of 3,312 and 18,081 nodes, E from 1e4 to 1e7, v = 0.3, 0.45,
// 0.49, with and without inertia, are within a factor of 1.5 of
//
//   diagonal blocks          13 w, at most 11 n^(1/3) sqrt(M / G)
//   with rigid pieces         9 w, at most  6 (n / pieces)^(1/3) sqrt(M / G)
//   with incomplete factor   0.58 of that, 0.42 if nearly incompressible, 0.33 if its moduli differ too
//
// and grow with the digits that are asked for. Inertia keeps errors local, which is the first bound; without it the
// number of elements across the body, or across a piece, counts. Speeds are those of one core of a server of 2023; only
// their ratios matter here.
#include <math.h>
#include <stdio.h>

#include "sparse/block_coarse.h"
#include "sparse/linear_solver.h"

static const double ROW_SECONDS = 23e-9;                          // one iteration with diagonal blocks, per row
static const double DENSE_RATE = 5e9;                             // multiplications a second
static const double DIRECT_FACTOR = 2.3e-7;                       // times n^1.6: sparse factor
static const double DIRECT_SOLVE = 4.5e-8;                        // times n^1.4: one right-hand side with it
static const double COARSE_COST = 1.35, COARSE_PREPARATION = 12;  // against an iteration with diagonal blocks
static const double INCOMPLETE_COST = 2.4, INCOMPLETE_PREPARATION = 25;

typedef struct expectation {
  pl_block_preconditioner preconditioner;
  double iterations, cg, dense, direct;  // seconds
} expectation;

static const char *const preconditioner_names[] = {"diagonal blocks", "rigid pieces",
                                                   "an incomplete factor and rigid pieces"};

static expectation expect(const pl_block_pattern *pattern, const pl_linear_def *def) {
  const pl_linear_hint *hint = &def->hint;
  double n = pattern->row_count > 0 ? pattern->row_count : 1, unknowns = 3 * n;
  double poisson = fmin(fmax(hint->poisson, 0), 0.4999), contrast = fmax(hint->young_contrast, 1);
  double ratio = sqrt(2 * (1 - poisson) / (1 - 2 * poisson));  // sqrt(M / G)
  double modulus = hint->young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson));
  bool local = hint->step > 0 && hint->element_size > 0 && hint->density > 0 && modulus >= 0;
  double crossed = local ? hint->step * sqrt(modulus / hint->density) / hint->element_size : HUGE_VAL;
  double digits = fmax(-log10(fmax(def->limits.tolerance, 1e-15)), 1) / 4;
  double jacobi = fmin(13 * crossed, 11 * cbrt(n) * ratio * sqrt(sqrt(contrast))) * digits + 2;
  double coarse =
      fmin(9 * crossed, 6 * cbrt(n / pl_block_coarse_pieces(pattern->row_count)) * ratio * sqrt(sqrt(contrast))) *
          digits +
      2;
  double incomplete = coarse * (poisson <= 0.4 ? 0.58 : contrast < 10 ? 0.42 : 0.33);

  double solves = fmax(hint->solves_per_factor, 1);
  double costs[3] = {jacobi * solves, COARSE_PREPARATION + COARSE_COST * coarse * solves,
                     INCOMPLETE_PREPARATION + INCOMPLETE_COST * incomplete * solves};
  double iterations[3] = {jacobi, coarse, incomplete};
  int best = def->choose_preconditioner ? 0 : (int)def->preconditioner;
  if (def->choose_preconditioner)
    for (int k = 1; k < 3; ++k)
      if (costs[k] < costs[best]) best = k;
  return (expectation){.preconditioner = (pl_block_preconditioner)best,
                       .iterations = iterations[best],
                       .cg = costs[best] * n * ROW_SECONDS,
                       .dense = (unknowns * unknowns * unknowns / 6 + solves * unknowns * unknowns) / DENSE_RATE,
                       .direct = DIRECT_FACTOR * pow(n, 1.6) + solves * DIRECT_SOLVE * pow(n, 1.4)};
}

const pl_linear_backend *pl_linear_choose(const pl_block_pattern *pattern, pl_linear_def *def, char *reason,
                                          size_t reason_size) {
  expectation e = expect(pattern, def);
  def->preconditioner = e.preconditioner;
  const char *with = preconditioner_names[e.preconditioner];
  switch (def->choice) {
    case PL_LINEAR_CG: snprintf(reason, reason_size, "cg was asked for; with %s", with); return &pl_linear_cg;
    case PL_LINEAR_DENSE: snprintf(reason, reason_size, "dense was asked for"); return &pl_linear_dense;
    case PL_LINEAR_DIRECT:
      snprintf(reason, reason_size,
               def->direct != NULL ? "a direct solver was asked for" : "this build has no direct sparse solver");
      return def->direct;
    case PL_LINEAR_AUTO: break;
  }
  bool small = 3 * (int64_t)pattern->row_count <= PL_LINEAR_MAX_DENSE;
  char dense[48] = "", direct[64] = "no direct sparse solver at hand";
  if (small) snprintf(dense, sizeof dense, "dense %.2g ms, ", e.dense * 1e3);
  if (def->direct != NULL) snprintf(direct, sizeof direct, "%s %.2g ms", def->direct->name, e.direct * 1e3);
  snprintf(
      reason, reason_size,
      "expected for %d unknowns and %.0f right-hand sides per matrix: cg with %s %.2g ms (%.0f iterations each), %s%s",
      3 * pattern->row_count, fmax(def->hint.solves_per_factor, 1), with, e.cg * 1e3, e.iterations, dense, direct);
  if (small && e.dense < e.cg && (def->direct == NULL || e.dense <= e.direct)) return &pl_linear_dense;
  return def->direct != NULL && e.direct < e.cg ? def->direct : &pl_linear_cg;
}
