// Derivatives of a motion (rollout_parts.h), forward and backward.
//
// Forward, for each direction dθ, with s = dx_n, t = dv_n, z = du and y = 0 where points are free, -s where they are
// pinned:
//
//   A z = c M s + H y + C' a + M t/τ - (∂r/∂θ) dθ        s_{n+1} = 2 z - s,   t_{n+1} = 2 (z - s)/τ - t
//
// where a = s at free points and -s at pinned ones. What viscosity adds to both is in rollout_viscous.c.
//
// Backward, from p = dL/dx_{n+1}, q = dL/dv_{n+1}, with μ = A⁻¹ (2 p + (2/τ) q):
//
//   dL/dθ -= (∂r/∂θ)ᵀ μ
//   dL/dx_n = -p - (2/τ) q + c M μ + C' μ,   dL/dv_n = -q + M μ/τ       pinned: dL/dx_n = p - H μ - C' μ
//
// In an equilibrium the start matters only where it is pinned.
//
// Each step is linearised once, whatever the number of directions or inputs. The motion is kept, so nothing is solved
// again.
//
//   ∂r/∂θ   Young's modulus, Poisson's ratio: ∂²W/∂x∂p (fem/fem_system.h)      α: M (u - x)/τ
//           rest shape, weights: (∂²W/∂x∂X) dX                                  force: -1
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "capture/rollout_parts.h"

void pl_rollout_example_change(pl_rollout *r, int32_t example, double *change) {
  int32_t tets = r->model->groups[0].element_count;
  double weights[32] = {0}, *rest = r->worker->rest;
  pl_fem_examples_mix(r->model, 0, weights, 0, tets, rest);
  weights[example] = 1;
  pl_fem_examples_mix(r->model, 0, weights, 0, tets, change);
  for (ptrdiff_t i = 0; i < 12 * (ptrdiff_t)tets; ++i) change[i] -= rest[i];
}

static const double *corners_of(const pl_rollout *r, const double *vector, ptrdiff_t tet, double *corners) {
  const int32_t *points = r->model->groups[0].corners + 4 * tet;
  for (int i = 0; i < 12; ++i) corners[i] = vector[3 * (ptrdiff_t)points[i / 3] + i % 3];
  return corners;
}

// --- forward ------------------------------------------------------------------------------------------------------

typedef struct push {
  pl_rollout *rollout;
  const pl_rollout_inputs *directions;
  int32_t count;
  double *s, *t, *z, *rhs;  // n per direction
  double *changes;          // 12 per tet and direction: dX; NULL where no direction changes the rest shape
  double *metrics;          // metric_size per direction: of the branches
  size_t metric_size;
  pl_vec3 *out;
} push;

static bool moves_rest(const pl_rollout_inputs *direction) {
  return direction->rest != NULL || direction->weights != NULL;
}

static void set_change(push *p, int32_t k) {
  pl_rollout *r = p->rollout;
  const pl_rollout_inputs *d = &p->directions[k];
  ptrdiff_t size = 12 * (ptrdiff_t)r->model->groups[0].element_count;
  double *change = p->changes + k * size, *to[PL_FEM_MAX_GROUPS] = {change};
  if (d->rest != NULL) pl_fem_system_gather_rest(r->model, &d->rest->x, to);
  for (int32_t e = 0; d->weights != NULL && e < r->model->examples.count; ++e) {
    pl_rollout_example_change(r, e, r->change);
    for (ptrdiff_t i = 0; i < size; ++i) change[i] += d->weights[e] * r->change[i];
  }
}

// rhs -= (∂r/∂p) dp of the material.
static void take_material(push *p, const pl_rollout_inputs *d, double *rhs) {
  pl_rollout *r = p->rollout;
  if (d->young == NULL && d->poisson == NULL) return;
  const pl_fem_group *group = &r->model->groups[0];
  for (int32_t e = 0; e < group->element_count; ++e) {
    double columns[24], young = d->young != NULL ? d->young[e] : 0, poisson = d->poisson != NULL ? *d->poisson : 0;
    pl_fem_system_material(&r->worker->system, r->u, 0, e, columns);
    for (int i = 0; i < 12; ++i)
      rhs[3 * (ptrdiff_t)group->corners[4 * (ptrdiff_t)e + i / 3] + i % 3] -=
          columns[2 * i] * young + columns[2 * i + 1] * poisson;
  }
}

static void set_rhs(push *p, int32_t index, int32_t k) {
  pl_rollout *r = p->rollout;
  const pl_rollout_inputs *d = &p->directions[k];
  const double *masses = r->model->head.masses, *s = p->s + k * r->n, *t = p->t + k * r->n, *x = r->x + index * r->n;
  double *rhs = p->rhs + k * r->n;
  double alpha = d->mass_damping != NULL && !r->def.equilibrium ? *d->mass_damping : 0;
  memset(rhs, 0, (size_t)r->n * sizeof(double));
  take_material(p, d, rhs);
  const double *dX = moves_rest(d) ? p->changes + k * 12 * (ptrdiff_t)r->model->groups[0].element_count : NULL;
  pl_rollout_viscous_change viscous = {.s = s,
                                       .metrics = p->metrics + (size_t)k * p->metric_size,
                                       .young = d->young,
                                       .poisson = d->poisson != NULL ? *d->poisson : 0,
                                       .damping = d->stiffness_damping != NULL ? *d->stiffness_damping : 0,
                                       .rest = dX};
  pl_rollout_viscous_push(r, index, &viscous, rhs);
  if (dX != NULL) {
    const double *change[PL_FEM_MAX_GROUPS] = {dX};
    memset(r->product, 0, (size_t)r->n * sizeof(double));
    pl_fem_system_mixed(&r->worker->system, r->u, change, r->product);
    for (ptrdiff_t i = 0; i < r->n; ++i) rhs[i] -= r->product[i];
  }
  for (ptrdiff_t i = 0; i < r->n; ++i) r->step[i] = pl_rollout_is_fixed(r, i) ? -s[i] : 0;
  pl_block_matrix_multiply(r->worker->context, &r->stiffness, r->step, r->product);
  // The start of a free point counts in the end of the step; that of an equilibrium does not.
  for (ptrdiff_t i = 0; i < r->n; ++i) r->step[i] = pl_rollout_is_fixed(r, i) ? -s[i] : r->def.equilibrium ? 0 : s[i];
  pl_rollout_multiply_contact(r, r->step);
  for (ptrdiff_t i = 0; i < r->n; ++i) {
    double inertia = r->def.equilibrium ? 0 : r->c * s[i] + t[i] / r->tau - alpha * (r->u[i] - x[i]) / r->tau;
    double force = d->forces != NULL ? (&d->forces->x)[index * r->n + i] : 0;
    rhs[i] = pl_rollout_is_fixed(r, i) ? 0 : rhs[i] + masses[i / 3] * inertia + r->product[i] + r->pressed[i] + force;
  }
}

static void write_changes(push *p, int32_t frame) {
  ptrdiff_t points = p->rollout->n / 3, frames = p->rollout->def.step_count + 1;
  for (int32_t k = 0; k < p->count; ++k)
    memcpy(p->out + (k * frames + frame) * points, p->s + k * p->rollout->n, (size_t)points * sizeof(pl_vec3));
}

static void start_push(push *p) {
  pl_rollout *r = p->rollout;
  for (int32_t k = 0; k < p->count; ++k) {
    const pl_rollout_inputs *d = &p->directions[k];
    if (moves_rest(d)) set_change(p, k);
    for (ptrdiff_t i = 0; i < r->n; ++i) {
      p->s[k * r->n + i] = d->positions != NULL ? (&d->positions->x)[i] : 0;
      p->t[k * r->n + i] = d->velocities != NULL && !pl_rollout_is_fixed(r, i) ? (&d->velocities->x)[i] : 0;
    }
    pl_rollout_viscous_push_start(r, p->s + k * r->n, p->metrics + (size_t)k * p->metric_size);
  }
  write_changes(p, 0);
}

static pl_status push_step(push *p, int32_t index, pl_error *error) {
  pl_rollout *r = p->rollout;
  pl_status status = pl_rollout_linearise(r, index, error);
  if (status < 0) return status;
  for (int32_t k = 0; k < p->count; ++k) set_rhs(p, index, k);
  memset(p->z, 0, (size_t)p->count * (size_t)r->n * sizeof(double));
  status = pl_linear_solver_solve(r->worker->solver, p->rhs, p->count, p->z, error);
  for (ptrdiff_t i = 0; status >= 0 && i < p->count * r->n; ++i)
    if (pl_rollout_is_fixed(r, i % r->n)) p->z[i] = p->s[i];
  for (int32_t k = 0; k < p->count && status >= 0; ++k)
    pl_rollout_viscous_push_finish(r, p->z + k * r->n, p->metrics + (size_t)k * p->metric_size);
  for (ptrdiff_t i = 0; status >= 0 && i < p->count * r->n; ++i) {
    double z = p->z[i], s = p->s[i];
    if (pl_rollout_is_fixed(r, i % r->n)) continue;
    p->s[i] = r->def.equilibrium ? z : 2 * z - s;
    p->t[i] = r->def.equilibrium ? 0 : 2 * (z - s) / r->tau - p->t[i];
  }
  write_changes(p, index + 1);
  return status;
}

static pl_status check_ready(const pl_rollout *r, pl_error *error) {
  if (r->has_run) return PL_OK;
  return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "there is no motion to differentiate; call pl_rollout_run() first");
}

pl_status pl_rollout_push(pl_rollout *r, const pl_rollout_inputs *directions, int32_t direction_count, pl_vec3 *changes,
                          pl_error *error) {
  pl_status status = check_ready(r, error);
  if (status < 0) return status;
  for (int32_t k = 0; k < direction_count; ++k)
    if (directions[k].rest != NULL && r->has_weights)
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a motion with weights has no derivative by the rest shape");
  push p = {.rollout = r, .directions = directions, .count = direction_count, .out = changes};
  size_t size = (size_t)r->n * (size_t)direction_count, tets = (size_t)r->model->groups[0].element_count;
  pl_arena arena;
  pl_arena_init(&arena, r->context, 0);
  double **vectors[] = {&p.s, &p.t, &p.z, &p.rhs};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) *vectors[i] = PL_TAKE(&arena, double, size);
  p.changes = PL_TAKE(&arena, double, 12 * tets * (size_t)direction_count);
  p.metric_size = 6 * tets * (size_t)r->maxwell.branches.count;
  p.metrics = PL_TAKE(&arena, double, p.metric_size *(size_t)direction_count);
  status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) start_push(&p);
  for (int32_t k = 0; k < r->def.step_count && status >= 0; ++k) status = push_step(&p, k, error);
  pl_arena_destroy(&arena);
  return status;
}

// --- backward -----------------------------------------------------------------------------------------------------

typedef struct pull {
  pl_rollout *rollout;
  const double *by_positions, *by_velocities;
  const pl_rollout_inputs *gradient;
  double *p, *q, *mu, *rhs;
  double *by_rest;  // 12 per tet
  double *metrics;  // by those of the branches
  double *by_x;     // of viscosity
} pull;

static void add_given(pull *l, int32_t frame) {
  pl_rollout *r = l->rollout;
  for (ptrdiff_t i = 0; i < r->n; ++i) {
    if (l->by_positions != NULL) l->p[i] += l->by_positions[frame * r->n + i];
    if (l->by_velocities != NULL && !pl_rollout_is_fixed(r, i)) l->q[i] += l->by_velocities[frame * r->n + i];
  }
}

// What μ says of material and rest shape.
static void add_elements(pull *l) {
  pl_rollout *r = l->rollout;
  const pl_rollout_inputs *out = l->gradient;
  ptrdiff_t tets = r->model->groups[0].element_count;
  for (ptrdiff_t e = 0; (out->young != NULL || out->poisson != NULL) && e < tets; ++e) {
    double columns[24], buffer[12];
    const double *mu = corners_of(r, l->mu, e, buffer);
    pl_fem_system_material(&r->worker->system, r->u, 0, (int32_t)e, columns);
    for (int i = 0; i < 12; ++i) {
      if (out->young != NULL) out->young[e] -= mu[i] * columns[2 * i];
      if (out->poisson != NULL) *out->poisson -= mu[i] * columns[2 * i + 1];
    }
  }
  if (out->rest == NULL && out->weights == NULL) return;
  double *product[PL_FEM_MAX_GROUPS] = {r->change};
  pl_fem_system_mixed_transposed(&r->worker->system, r->u, l->mu, product);
  for (ptrdiff_t i = 0; i < 12 * tets; ++i) l->by_rest[i] -= r->change[i];
}

static void add_inputs(pull *l, int32_t index) {
  pl_rollout *r = l->rollout;
  const pl_rollout_inputs *out = l->gradient;
  const double *x = r->x + index * r->n;
  for (ptrdiff_t i = 0; i < r->n && !r->def.equilibrium; ++i) {
    double rate = (r->u[i] - x[i]) / r->tau;
    if (out->mass_damping != NULL) *out->mass_damping -= l->mu[i] * r->model->head.masses[i / 3] * rate;
  }
  if (out->forces != NULL) memcpy(out->forces + index * (r->n / 3), l->mu, (size_t)r->n * sizeof(double));
  add_elements(l);
  pl_rollout_viscous_sums sums = {.by_x = l->by_x,
                                  .metrics = l->metrics,
                                  .young = out->young,
                                  .poisson = out->poisson,
                                  .damping = out->stiffness_damping,
                                  .rest = out->rest != NULL || out->weights != NULL ? l->by_rest : NULL};
  memset(l->by_x, 0, (size_t)r->n * sizeof(double));
  pl_rollout_viscous_pull(r, index, l->mu, &sums);
}

static pl_status pull_step(pull *l, int32_t index, pl_error *error) {
  pl_rollout *r = l->rollout;
  pl_status status = pl_rollout_linearise(r, index, error);
  if (status < 0) return status;
  memset(l->by_x, 0, (size_t)r->n * sizeof(double));
  pl_rollout_viscous_pull_end(r, l->metrics, l->by_x);
  for (ptrdiff_t i = 0; i < r->n; ++i) {
    double free_part = r->def.equilibrium ? l->p[i] : 2 * l->p[i] + 2 / r->tau * l->q[i] + l->by_x[i];
    l->rhs[i] = pl_rollout_is_fixed(r, i) ? 0 : free_part;
    if (pl_rollout_is_fixed(r, i)) l->p[i] += l->by_x[i];
  }
  memset(l->mu, 0, (size_t)r->n * sizeof(double));
  status = pl_linear_solver_solve(r->worker->solver, l->rhs, 1, l->mu, error);
  if (status < 0) return status;
  pl_block_matrix_multiply(r->worker->context, &r->stiffness, l->mu, r->product);
  pl_rollout_multiply_contact(r, l->mu);
  add_inputs(l, index);
  for (ptrdiff_t i = 0; i < r->n; ++i) {
    double inertia = r->model->head.masses[i / 3] * l->mu[i];
    if (pl_rollout_is_fixed(r, i)) {
      l->p[i] -= r->product[i] + r->pressed[i];
      l->q[i] = 0;
    } else if (r->def.equilibrium) {
      l->p[i] = l->q[i] = 0;
    } else {
      l->p[i] = -l->p[i] - 2 / r->tau * l->q[i] + r->c * inertia + r->pressed[i];
      l->q[i] = -l->q[i] + inertia / r->tau;
    }
    l->p[i] += l->by_x[i];
  }
  add_given(l, index);
  return PL_OK;
}

static void clear_gradient(const pl_rollout *r, const pl_rollout_inputs *out) {
  size_t n = (size_t)r->n * sizeof(double);
  if (out->young != NULL) memset(out->young, 0, (size_t)r->model->groups[0].element_count * sizeof(double));
  if (out->poisson != NULL) *out->poisson = 0;
  if (out->mass_damping != NULL) *out->mass_damping = 0;
  if (out->stiffness_damping != NULL) *out->stiffness_damping = 0;
  if (out->rest != NULL) memset(out->rest, 0, n);
  if (out->weights != NULL) memset(out->weights, 0, (size_t)r->model->examples.count * sizeof(double));
}

static void finish_pull(pull *l) {
  pl_rollout *r = l->rollout;
  const pl_rollout_inputs *out = l->gradient;
  const double *by_rest[PL_FEM_MAX_GROUPS] = {l->by_rest};
  if (out->rest != NULL) pl_fem_system_scatter_rest(r->model, by_rest, &out->rest->x);
  for (int32_t e = 0; out->weights != NULL && e < r->model->examples.count; ++e) {
    pl_rollout_example_change(r, e, r->change);
    for (ptrdiff_t i = 0; i < 12 * (ptrdiff_t)r->model->groups[0].element_count; ++i)
      out->weights[e] += l->by_rest[i] * r->change[i];
  }
  pl_rollout_viscous_pull_start(r, l->metrics, l->p);
  if (out->positions != NULL) memcpy(out->positions, l->p, (size_t)r->n * sizeof(double));
  if (out->velocities != NULL) memcpy(out->velocities, l->q, (size_t)r->n * sizeof(double));
}

pl_status pl_rollout_pull(pl_rollout *r, const pl_vec3 *by_positions, const pl_vec3 *by_velocities,
                          const pl_rollout_inputs *gradient, pl_error *error) {
  pl_status status = check_ready(r, error);
  if (status < 0) return status;
  if (gradient->rest != NULL && r->has_weights)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a motion with weights has no derivative by the rest shape");
  pull l = {.rollout = r, .gradient = gradient};
  if (by_positions != NULL) l.by_positions = &by_positions->x;
  if (by_velocities != NULL) l.by_velocities = &by_velocities->x;
  pl_arena arena;
  pl_arena_init(&arena, r->context, 0);
  double **vectors[] = {&l.p, &l.q, &l.mu, &l.rhs, &l.by_x};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) *vectors[i] = PL_TAKE(&arena, double, r->n);
  l.by_rest = PL_TAKE(&arena, double, 12 * (size_t)r->model->groups[0].element_count);
  l.metrics =
      PL_TAKE(&arena, double, 6 * (size_t)r->model->groups[0].element_count * (size_t)r->maxwell.branches.count);
  status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    clear_gradient(r, gradient);
    add_given(&l, r->def.step_count);
  }
  for (int32_t k = r->def.step_count - 1; k >= 0 && status >= 0; --k) status = pull_step(&l, k, error);
  if (status >= 0) finish_pull(&l);
  pl_arena_destroy(&arena);
  return status;
}
