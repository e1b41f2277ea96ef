// Viscosity in the simulations of a fit: fem/fem_maxwell.h with derivatives by all parameters.
//
// With Σ f_b m_b and f of a step from x, in which branch b keeps a_b of its metric:
//
//   ∂f_b   = ∂γ_b φ_b + γ_b (φ_b - a_b) ∂ln t_b            φ_b = f_b / γ_b
//   ∂(f m) = ∂f_b m_b + f_b ∂m_b                           of stiffness damping f = β / τ and m = m(x)
//   ∂m_b'  = a_b ∂m_b + (1 - a_b) ∂m(u) + a_b (h / t_b) (m_b - m(u)) ∂ln t_b
#include <math.h>
#include <string.h>

#include "capture/fit_changes.h"
#include "capture/fit_motion_parts.h"

static const double DIFFERENCE = 1e-6;  // of the loss factor: its branches are smooth in it

pl_fem_branches pl_fit_branches_of(const pl_fit_body *body, const double *values) {
  pl_fem_def def = {.prony_time = 1, .second_prony_time = 1, .loss_frequency = body->loss_frequency};
  double *fields[PL_FIT_VISCOUS_KINDS] = {&def.prony_ratio, &def.prony_time, &def.second_prony_ratio,
                                          &def.second_prony_time, &def.loss_factor};
  for (int32_t i = 0; i < body->viscous_count; ++i)
    *fields[body->viscous_kinds[i]] = values[body->control_count + 3 + i];
  return pl_fem_branches_of(&def);
}

// ∂γ and ∂ln t of every branch by the coordinate of one value, the logarithm. The values of a branch come one after the
// other, so that the ratio tells which branch it is.
void pl_fit_branch_changes(const pl_fit_body *body, const double *values, int32_t value, pl_fem_branches *changes) {
  double changed[PL_FIT_VISCOUS_KINDS];
  pl_fem_branches now = pl_fit_branches_of(body, values), then;
  *changes = (pl_fem_branches){.count = now.count};
  int32_t first = body->control_count + 3;
  if (value < first || value >= first + body->viscous_count) return;
  memcpy(changed, values + first, (size_t)body->viscous_count * sizeof(double));
  changed[value - first] *= 1 + DIFFERENCE;
  pl_fit_body shifted = *body;
  shifted.control_count = -3;
  then = pl_fit_branches_of(&shifted, changed);
  for (int32_t b = 0; b < now.count; ++b) {
    changes->ratios[b] = (then.ratios[b] - now.ratios[b]) / DIFFERENCE;
    changes->times[b] = (then.times[b] / now.times[b] - 1) / DIFFERENCE;
  }
}

bool pl_motion_viscous_take(pl_motion *m) {
  const pl_fem_model *model = m->worker->body->model;
  if (!(m->c > 0)) return true;
  if (!pl_fem_maxwell_take(m->arena, m->worker->context, model, &m->maxwell)) return false;
  m->maxwell.damping = m->beta;
  m->maxwell.branches = pl_fit_branches_of(m->worker->body, m->job->values);
  size_t size = pl_fem_metrics_size(model), branches = (size_t)m->maxwell.branches.count,
         padded = m->columns > 0 ? (size_t)m->padded : 0;
  m->viscous = PL_TAKE(m->arena, double, m->n);
  m->maxwell.metrics = PL_TAKE(m->arena, double, size *branches);
  m->now_metrics = PL_TAKE(m->arena, double, size);
  m->metric_changes = PL_TAKE(m->arena, double, size *branches *padded);
  m->anchor_changes = PL_TAKE(m->arena, double, size *padded);
  m->now_changes = PL_TAKE(m->arena, double, size *padded);
  m->moves = PL_TAKE(m->arena, double, (size_t)m->n *padded);
  m->ratio_changes = PL_TAKE(m->arena, double, branches *padded);
  m->time_changes = PL_TAKE(m->arena, double, branches *padded);
  m->lame_changes = PL_TAKE(m->arena, double, 2 * (size_t)model->groups[0].element_count);
  return !m->arena->failed;
}

// λ and μ by Poisson's ratio.
static void derive_lame(pl_motion *m) {
  const double *moduli = m->worker->moduli;
  for (ptrdiff_t t = 0; t < m->worker->body->model->groups[0].element_count; ++t) {
    double young = moduli[2 * t], a = 1 + moduli[2 * t + 1], b = 1 - 2 * moduli[2 * t + 1], nu = moduli[2 * t + 1];
    m->lame_changes[2 * t] = young * (1 + 2 * nu * nu) / (a * a * b * b);
    m->lame_changes[2 * t + 1] = -young / (2 * a * a);
  }
}

void pl_motion_viscous_set(pl_motion *m) {
  if (!(m->c > 0)) return;
  pl_fem_maxwell_use(&m->maxwell, m->worker->rest, m->worker->moduli);
  derive_lame(m);
  for (int32_t k = 0; k < m->columns; ++k) {
    pl_fem_branches changes;
    pl_fit_branch_changes(m->worker->body, m->job->values, m->job->columns[k], &changes);
    for (int32_t b = 0; b < changes.count; ++b) {
      m->ratio_changes[b * m->padded + k] = changes.ratios[b];
      m->time_changes[b * m->padded + k] = changes.times[b];
    }
  }
}

// ∂m along columns of derivatives of positions.
static void measure_changes(pl_motion *m, const double *x, const double *columns, double *to) {
  for (ptrdiff_t i = 0; i < m->n; ++i)
    for (int32_t k = 0; k < m->columns; ++k) m->moves[i * m->padded + k] = columns[k * m->n + i];
  pl_fem_maxwell_measure_change(&m->maxwell, x, m->moves, m->padded, to);
}

void pl_motion_viscous_start(pl_motion *m) {
  size_t size = pl_fem_metrics_size(m->worker->body->model), wide = size * (size_t)m->padded;
  if (m->maxwell.branches.count == 0) return;
  pl_fem_maxwell_measure(&m->maxwell, m->x, m->now_metrics);
  if (m->columns > 0) measure_changes(m, m->x, m->s, m->now_changes);
  for (size_t b = 0; b < (size_t)m->maxwell.branches.count; ++b) {
    memcpy(m->maxwell.metrics + b * size, m->now_metrics, size * sizeof(double));
    if (m->columns > 0) memcpy(m->metric_changes + b * wide, m->now_changes, wide * sizeof(double));
  }
}

void pl_motion_viscous_begin(pl_motion *m) {
  pl_fem_maxwell_begin(&m->maxwell, m->x, m->tau, 2 * m->tau);
}

void pl_motion_viscous_change(pl_motion *m) {
  const pl_fem_branches *branches = &m->maxwell.branches;
  ptrdiff_t size = (ptrdiff_t)pl_fem_metrics_size(m->worker->body->model), padded = m->padded;
  double factors[PL_FIT_MOTION_COLUMNS] = {0}, rate = m->beta / m->tau, h = 2 * m->tau;
  if (rate > 0)
    measure_changes(m, m->x, m->s, m->anchor_changes);
  else
    memset(m->anchor_changes, 0, (size_t)(size * padded) * sizeof(double));
  for (ptrdiff_t i = 0; rate > 0 && i < size * padded; ++i) m->anchor_changes[i] *= rate;
  if (m->beta_column >= 0) {
    pl_fem_maxwell_measure(&m->maxwell, m->x, m->now_metrics);
    factors[m->beta_column] = rate;
    for (ptrdiff_t i = 0; i < size; ++i) m->anchor_changes[i * padded + m->beta_column] += rate * m->now_metrics[i];
  }
  for (int32_t b = 0; b < branches->count; ++b) {
    const double *metrics = m->maxwell.metrics + size * b, *changes = m->metric_changes + size * padded * b;
    double part = pl_fem_branch_factor(branches->times[b], h), kept = pl_fem_branch_kept(branches->times[b], h);
    double change[PL_FIT_MOTION_COLUMNS], factor = branches->ratios[b] * part;
    for (int32_t k = 0; k < padded; ++k) {
      double by_ratio = m->ratio_changes[b * padded + k] * part;
      change[k] = by_ratio + branches->ratios[b] * (part - kept) * m->time_changes[b * padded + k];
      factors[k] += change[k];
    }
    for (ptrdiff_t i = 0; i < size; ++i)
      for (ptrdiff_t k = 0; k < padded; ++k)
        m->anchor_changes[i * padded + k] += change[k] * metrics[i] + factor * changes[i * padded + k];
  }
  pl_fem_maxwell_changes changes = {.padded = m->padded,
                                    .u = m->u,
                                    .factors = factors,
                                    .anchors = m->anchor_changes,
                                    .rest_change = m->job->rest_change,
                                    .fractions = m->job->fractions,
                                    .poisson_column = m->poisson_column,
                                    .poisson = m->lame_changes,
                                    .rhs = m->changed};
  pl_fem_maxwell_change(&m->maxwell, &changes);
}

void pl_motion_viscous_finish(pl_motion *m) {
  const pl_fem_branches *branches = &m->maxwell.branches;
  ptrdiff_t size = (ptrdiff_t)pl_fem_metrics_size(m->worker->body->model), padded = m->padded;
  double h = 2 * m->tau;
  if (branches->count == 0) return;
  if (m->columns > 0) {
    pl_fem_maxwell_measure(&m->maxwell, m->u, m->now_metrics);
    measure_changes(m, m->u, m->z, m->now_changes);
  }
  for (int32_t b = 0; m->columns > 0 && b < branches->count; ++b) {
    const double *metrics = m->maxwell.metrics + size * b;
    double *changes = m->metric_changes + size * padded * b, kept = pl_fem_branch_kept(branches->times[b], h);
    double by_time[PL_FIT_MOTION_COLUMNS];
    for (int32_t k = 0; k < padded; ++k) by_time[k] = kept * h / branches->times[b] * m->time_changes[b * padded + k];
    for (ptrdiff_t i = 0; i < size; ++i)
      for (ptrdiff_t k = 0; k < padded; ++k)
        changes[i * padded + k] = kept * changes[i * padded + k] + (1 - kept) * m->now_changes[i * padded + k] +
                                  by_time[k] * (metrics[i] - m->now_metrics[i]);
  }
  pl_fem_maxwell_finish(&m->maxwell, m->u, h);
}
