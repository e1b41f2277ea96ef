// Viscosity of a differentiable motion (fem/fem_maxwell.h): stiffness damping and Maxwell branches, with derivatives
// forward and backward.
//
// With L(Δ) = w (μ G Δ G + λ/2 tr(G Δ) G), forces J L(Δ), Δ = f m(u) - A and the anchor A = (β/τ) m(x) + Σ f_b m_b:
//
//   forward    dA = (β/τ) dm(x) + dβ/τ m(x) + Σ f_b dm_b          dm_b' = a_b dm_b + (1 - a_b) dm(u)
//              d(forces) = J (L(dβ/τ m(u) - dA) + dL(Δ)),  dL by λ, μ, G and w
//
// Backward, with δ = dm(u) along μ, the adjoint of the forces, which do the work μ · J L(Δ) = ½ L(Δ) : δ; L is
// symmetric:
//
//   dL/dA = ½ L(δ)     M_b = a_b M_b' + f_b dL/dA     to u: Σ (1 - a_b) M_b' ∂m/∂u     to x: (β/τ) dL/dA ∂m/∂x
//   of β, λ, μ, G, w: -½ their derivative of L(Δ) : δ
//
// where M_b = dL/dm_b. With dJ of the rest shape, D = K dJ: dG = -(D G + G Dᵀ), dw = w tr D. One tet after the other:
// derivatives of a step cost less than its factor.
#include <string.h>

#include "capture/rollout_parts.h"
#include "math/mat3.h"

enum { METRIC = PL_FEM_METRIC };

// A tet in the step that was linearised.
typedef struct viscous_tet {
  const int32_t *corners;
  pl_mat3 K, G, J, delta;
  double weight, lambda, mu;
} viscous_tet;

static pl_mat3 expand(const double m[METRIC]) {
  return (pl_mat3){{{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}}};
}

// Derivatives by the six numbers of a symmetric matrix, from those by all nine, and back: what they are times a change
// is the same.
static void add_unique(pl_mat3 a, double factor, double to[METRIC]) {
  to[0] += factor * a.m[0][0], to[3] += factor * a.m[1][1], to[5] += factor * a.m[2][2];
  to[1] += factor * (a.m[0][1] + a.m[1][0]), to[2] += factor * (a.m[0][2] + a.m[2][0]);
  to[4] += factor * (a.m[1][2] + a.m[2][1]);
}
static pl_mat3 spread_unique(const double g[METRIC]) {
  return (pl_mat3){{{g[0], 0.5 * g[1], 0.5 * g[2]}, {0.5 * g[1], g[3], 0.5 * g[4]}, {0.5 * g[2], 0.5 * g[4], g[5]}}};
}

static double inner(pl_mat3 a, pl_mat3 b) {
  double sum = 0;
  for (int i = 0; i < 9; ++i) sum += a.m[i / 3][i % 3] * b.m[i / 3][i % 3];
  return sum;
}

// Edges from corner 0 as columns.
static pl_mat3 edges_of(const int32_t *corners, const double *x) {
  pl_mat3 J;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) J.m[i][c] = x[3 * (ptrdiff_t)corners[c + 1] + i] - x[3 * (ptrdiff_t)corners[0] + i];
  return J;
}

static pl_mat3 metric_of(pl_mat3 J) {
  return pl_mat3_multiply(pl_mat3_transpose(J), J);
}

// How the metric changes with the edges.
static pl_mat3 metric_change(pl_mat3 J, pl_mat3 change) {
  pl_mat3 half = pl_mat3_multiply(pl_mat3_transpose(J), change);
  return pl_mat3_add(half, pl_mat3_transpose(half));
}

// Add columns to corners 1, 2, 3 and their opposite to corner 0.
static void add_columns(const int32_t *corners, pl_mat3 columns, double factor, double *to) {
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) {
      to[3 * (ptrdiff_t)corners[c + 1] + i] += factor * columns.m[i][c];
      to[3 * (ptrdiff_t)corners[0] + i] -= factor * columns.m[i][c];
    }
}

// G Δ G and tr(G Δ) make L with the constants given.
static pl_mat3 stress_of(pl_mat3 G, pl_mat3 delta, double mu, double lambda) {
  pl_mat3 product = pl_mat3_multiply(pl_mat3_multiply(G, delta), G);
  return pl_mat3_add(pl_mat3_scale(product, mu), pl_mat3_scale(G, 0.5 * lambda * inner(G, delta)));
}

static pl_mat3 law(const viscous_tet *t, pl_mat3 delta) {
  return stress_of(t->G, delta, t->weight * t->mu, t->weight * t->lambda);
}

static viscous_tet tet_of(const pl_rollout *r, ptrdiff_t e) {
  const pl_fem_maxwell_point *point = &r->maxwell.points[e];
  viscous_tet t = {.corners = r->model->groups[0].corners + 4 * e,
                   .G = expand(point->gram),
                   .weight = point->weight,
                   .lambda = r->maxwell.constants[2 * e],
                   .mu = r->maxwell.constants[2 * e + 1]};
  memcpy(t.K.m, point->K, sizeof point->K);
  t.J = edges_of(t.corners, r->u);
  pl_mat3 anchor = expand(r->maxwell.anchors + METRIC * e);
  t.delta = pl_mat3_add(pl_mat3_scale(metric_of(t.J), r->maxwell.factor), pl_mat3_scale(anchor, -1));
  return t;
}

// λ and μ by Poisson's ratio.
static void lame_change(const pl_rollout *r, ptrdiff_t e, double *lambda, double *mu) {
  double young = r->parameters[2 * e], nu = r->parameters[2 * e + 1], a = 1 + nu, b = 1 - 2 * nu;
  *lambda = young * (1 + 2 * nu * nu) / (a * a * b * b);
  *mu = -young / (2 * a * a);
}

// --- the motion -----------------------------------------------------------------------------------------------------

bool pl_rollout_viscous_take(pl_rollout *r) {
  if (r->def.equilibrium) return true;
  if (!pl_fem_maxwell_take(&r->arena, r->context, r->model, &r->maxwell)) return false;
  size_t size = pl_fem_metrics_size(r->model);
  r->maxwell.metrics = PL_TAKE(&r->arena, double, size *(size_t)r->maxwell.branches.count);
  r->anchors = PL_TAKE(&r->arena, double, size *(size_t)r->def.step_count);
  r->viscous = PL_TAKE(&r->arena, double, r->n);
  return !r->arena.failed;
}

void pl_rollout_viscous_start(pl_rollout *r) {
  if (r->def.equilibrium) return;
  size_t size = pl_fem_metrics_size(r->model);
  r->maxwell.damping = r->beta;
  pl_fem_maxwell_use(&r->maxwell, r->rest, r->parameters);
  for (int32_t b = 0; b < r->maxwell.branches.count; ++b)
    pl_fem_maxwell_measure(&r->maxwell, r->x, r->maxwell.metrics + size * (size_t)b);
}

void pl_rollout_viscous_begin(pl_rollout *r, int32_t index) {
  if (r->def.equilibrium) return;
  size_t size = pl_fem_metrics_size(r->model);
  pl_fem_maxwell_begin(&r->maxwell, r->x + index * r->n, r->tau, r->def.step);
  memcpy(r->anchors + size * (size_t)index, r->maxwell.anchors, size * sizeof(double));
}

void pl_rollout_viscous_finish(pl_rollout *r) {
  if (!r->def.equilibrium) pl_fem_maxwell_finish(&r->maxwell, r->u, r->def.step);
}

void pl_rollout_viscous_recall(pl_rollout *r, int32_t index) {
  size_t size = r->def.equilibrium ? 0 : pl_fem_metrics_size(r->model);
  if (size > 0) memcpy(r->maxwell.anchors, r->anchors + size * (size_t)index, size * sizeof(double));
}

double pl_rollout_viscous_evaluate(pl_rollout *r, double *gradient, pl_block_matrix *matrix) {
  if (!pl_rollout_is_viscous(r)) return 0;
  double energy = pl_fem_maxwell_evaluate(&r->maxwell, r->u, gradient != NULL ? r->viscous : NULL, matrix, false);
  for (ptrdiff_t i = 0; gradient != NULL && i < r->n; ++i) gradient[i] += r->viscous[i];
  return energy;
}

// --- forward --------------------------------------------------------------------------------------------------------

void pl_rollout_viscous_push_start(pl_rollout *r, const double *s, double *metrics) {
  ptrdiff_t tets = r->model->groups[0].element_count;
  for (ptrdiff_t i = 0; i < r->maxwell.branches.count * tets; ++i) {
    const int32_t *corners = r->model->groups[0].corners + 4 * (i % tets);
    pl_mat3 change = metric_change(edges_of(corners, r->x), edges_of(corners, s));
    const double six[METRIC] = {change.m[0][0], change.m[0][1], change.m[0][2],
                                change.m[1][1], change.m[1][2], change.m[2][2]};
    memcpy(metrics + METRIC * i, six, sizeof six);
  }
}

// dL(Δ) by the rest shape: 12 numbers of dX.
static pl_mat3 rest_stress(const viscous_tet *t, const double *dX) {
  static const int32_t own[4] = {0, 1, 2, 3};
  pl_mat3 D = pl_mat3_multiply(t->K, edges_of(own, dX)), DG = pl_mat3_multiply(D, t->G);
  pl_mat3 dG = pl_mat3_scale(pl_mat3_add(DG, pl_mat3_transpose(DG)), -1);
  double dw = t->weight * (D.m[0][0] + D.m[1][1] + D.m[2][2]);
  pl_mat3 half = pl_mat3_multiply(pl_mat3_multiply(dG, t->delta), t->G);
  pl_mat3 sum = pl_mat3_scale(pl_mat3_add(half, pl_mat3_transpose(half)), t->weight * t->mu);
  double scale = 0.5 * t->weight * t->lambda;
  sum = pl_mat3_add(sum, pl_mat3_scale(t->G, scale * inner(dG, t->delta)));
  sum = pl_mat3_add(sum, pl_mat3_scale(dG, scale * inner(t->G, t->delta)));
  return pl_mat3_add(sum, stress_of(t->G, t->delta, dw * t->mu, dw * t->lambda));
}

// dA of a tet.
static pl_mat3 anchor_change(const pl_rollout *r, const viscous_tet *t, ptrdiff_t e, const pl_rollout_viscous_change *c,
                             pl_mat3 start) {
  ptrdiff_t size = METRIC * (ptrdiff_t)r->model->groups[0].element_count;
  double rate = r->beta / r->tau;
  pl_mat3 change = pl_mat3_scale(metric_change(start, edges_of(t->corners, c->s)), rate);
  change = pl_mat3_add(change, pl_mat3_scale(metric_of(start), c->damping / r->tau));
  for (int32_t b = 0; b < r->maxwell.branches.count; ++b) {
    double factor = r->maxwell.branches.ratios[b] * pl_fem_branch_factor(r->maxwell.branches.times[b], r->def.step);
    change = pl_mat3_add(change, pl_mat3_scale(expand(c->metrics + b * size + METRIC * e), factor));
  }
  return change;
}

void pl_rollout_viscous_push(pl_rollout *r, int32_t index, const pl_rollout_viscous_change *c, double *rhs) {
  if (r->def.equilibrium || (!pl_rollout_is_viscous(r) && c->damping == 0)) return;
  const double *x = r->x + index * r->n;
  for (ptrdiff_t e = 0; e < r->model->groups[0].element_count; ++e) {
    viscous_tet t = tet_of(r, e);
    pl_mat3 delta = pl_mat3_scale(metric_of(t.J), c->damping / r->tau);
    delta = pl_mat3_add(delta, pl_mat3_scale(anchor_change(r, &t, e, c, edges_of(t.corners, x)), -1));
    pl_mat3 stress = law(&t, delta);
    if (c->young != NULL)
      stress = pl_mat3_add(stress, pl_mat3_scale(law(&t, t.delta), c->young[e] / r->parameters[2 * e]));
    if (c->poisson != 0) {
      double lambda, mu, part = c->poisson * t.weight;
      lame_change(r, e, &lambda, &mu);
      stress = pl_mat3_add(stress, stress_of(t.G, t.delta, part * mu, part * lambda));
    }
    if (c->rest != NULL) stress = pl_mat3_add(stress, rest_stress(&t, c->rest + 12 * e));
    add_columns(t.corners, pl_mat3_multiply(t.J, stress), -1, rhs);
  }
}

void pl_rollout_viscous_push_finish(pl_rollout *r, const double *du, double *metrics) {
  ptrdiff_t tets = r->def.equilibrium ? 0 : r->model->groups[0].element_count;
  for (int32_t b = 0; b < r->maxwell.branches.count; ++b) {
    double kept = pl_fem_branch_kept(r->maxwell.branches.times[b], r->def.step);
    for (ptrdiff_t e = 0; e < tets; ++e) {
      const int32_t *corners = r->model->groups[0].corners + 4 * e;
      pl_mat3 now = metric_change(edges_of(corners, r->u), edges_of(corners, du));
      double *to = metrics + METRIC * (b * tets + e);
      const double six[METRIC] = {now.m[0][0], now.m[0][1], now.m[0][2], now.m[1][1], now.m[1][2], now.m[2][2]};
      for (int i = 0; i < METRIC; ++i) to[i] = kept * to[i] + (1 - kept) * six[i];
    }
  }
}

// --- backward -------------------------------------------------------------------------------------------------------

// Derivatives by six numbers of a metric to those by positions.
static void add_metric_adjoint(const int32_t *corners, const double *x, const double g[METRIC], double factor,
                               double *to) {
  pl_mat3 columns = pl_mat3_multiply(edges_of(corners, x), spread_unique(g));
  add_columns(corners, columns, 2 * factor, to);
}

void pl_rollout_viscous_pull_end(const pl_rollout *r, const double *metrics, double *by_u) {
  ptrdiff_t tets = r->def.equilibrium ? 0 : r->model->groups[0].element_count;
  for (int32_t b = 0; b < r->maxwell.branches.count; ++b) {
    double kept = pl_fem_branch_kept(r->maxwell.branches.times[b], r->def.step);
    for (ptrdiff_t e = 0; e < tets; ++e)
      add_metric_adjoint(r->model->groups[0].corners + 4 * e, r->u, metrics + METRIC * (b * tets + e), 1 - kept, by_u);
  }
}

// -½ ∂(L(Δ) : δ) by the rest shape: 12 numbers.
static void add_rest_adjoint(const viscous_tet *t, pl_mat3 along, double *to) {
  static const int32_t own[4] = {0, 1, 2, 3};
  pl_mat3 G = t->G, half = pl_mat3_multiply(pl_mat3_multiply(t->delta, G), along);
  pl_mat3 S = pl_mat3_scale(pl_mat3_add(half, pl_mat3_transpose(half)), t->weight * t->mu);
  double scale = 0.5 * t->weight * t->lambda, work = inner(law(t, t->delta), along);
  S = pl_mat3_add(S, pl_mat3_scale(t->delta, scale * inner(G, along)));
  S = pl_mat3_add(S, pl_mat3_scale(along, scale * inner(G, t->delta)));
  // tr(dG S) = -2 tr(K dJ G S), and dw brings the whole times tr(K dJ).
  pl_mat3 by_edges = pl_mat3_scale(pl_mat3_multiply(pl_mat3_multiply(G, S), t->K), -2);
  by_edges = pl_mat3_add(by_edges, pl_mat3_scale(t->K, work));
  add_columns(own, pl_mat3_transpose(by_edges), -0.5, to);
}

void pl_rollout_viscous_pull(pl_rollout *r, int32_t index, const double *adjoint, const pl_rollout_viscous_sums *to) {
  if (r->def.equilibrium || (!pl_rollout_is_viscous(r) && to->damping == NULL)) return;
  const double *x = r->x + index * r->n;
  ptrdiff_t tets = r->model->groups[0].element_count;
  for (ptrdiff_t e = 0; e < tets; ++e) {
    viscous_tet t = tet_of(r, e);
    pl_mat3 along = metric_change(t.J, edges_of(t.corners, adjoint)), stress = law(&t, along);
    double by_anchor[METRIC] = {0}, work = -0.5 * inner(law(&t, t.delta), along);
    add_unique(stress, 0.5, by_anchor);
    add_metric_adjoint(t.corners, x, by_anchor, r->beta / r->tau, to->by_x);
    for (int32_t b = 0; b < r->maxwell.branches.count; ++b) {
      double time = r->maxwell.branches.times[b], *own = to->metrics + METRIC * (b * tets + e);
      double factor = r->maxwell.branches.ratios[b] * pl_fem_branch_factor(time, r->def.step);
      double kept = pl_fem_branch_kept(time, r->def.step);
      for (int i = 0; i < METRIC; ++i) own[i] = kept * own[i] + factor * by_anchor[i];
    }
    if (to->damping != NULL) {
      pl_mat3 moved = pl_mat3_add(metric_of(t.J), pl_mat3_scale(metric_of(edges_of(t.corners, x)), -1));
      *to->damping -= 0.5 * inner(stress, moved) / r->tau;
    }
    if (to->young != NULL) to->young[e] += work / r->parameters[2 * e];
    if (to->poisson != NULL) {
      double lambda, mu;
      lame_change(r, e, &lambda, &mu);
      *to->poisson -= 0.5 * inner(stress_of(t.G, t.delta, t.weight * mu, t.weight * lambda), along);
    }
    if (to->rest != NULL) add_rest_adjoint(&t, along, to->rest + 12 * e);
  }
}

void pl_rollout_viscous_pull_start(const pl_rollout *r, const double *metrics, double *by_x) {
  ptrdiff_t tets = r->def.equilibrium ? 0 : r->model->groups[0].element_count;
  for (ptrdiff_t i = 0; i < r->maxwell.branches.count * tets; ++i)
    add_metric_adjoint(r->model->groups[0].corners + 4 * (i % tets), r->x, metrics + METRIC * i, 1, by_x);
}
