// Fields over the tets of a body, for output: stress and Young's modulus.
//
// An element with energy W has the forces g = dW/dx on its corners, and its mean Cauchy stress is their virial,
//
//   sigma = 1/v sum_k g_k (x) x_k         v   volume now, signed
//
// which is P F^T / J of any hyperelastic energy, and symmetric because W does not change when the element turns.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "fem/fem_fast.h"
#include "fem/fem_model.h"
#include "fem/fem_quadratic.h"
#include "math/mat3.h"
#include "pliant/math.h"
#include "world/world_state.h"

// The tets of either kind of model.
typedef struct tet_list {
  int32_t count;
  const int32_t *corners;
  const pl_fem_energy *energy;
} tet_list;

static tet_list tets_of(const pl_model *model) {
  if (pl_fem_is_fast_model(model)) {
    const pl_fem_fast_model *fast = (const pl_fem_fast_model *)model;
    return (tet_list){fast->tets.tet_count, fast->corners, &pl_fem_corotated_tet};
  }
  if (!pl_fem_is_model(model)) return (tet_list){0};
  const pl_fem_group *group = &((const pl_fem_model *)model)->groups[0];
  if (group->shape != PL_FEM_SHAPE_SOLID) return (tet_list){0};
  return (tet_list){group->element_count, group->corners, group->energy};
}

int32_t pl_fem_tet_count(const pl_model *model) {
  return tets_of(model).count;
}

pl_status pl_fem_get_moduli(const pl_model *model, double *moduli) {
  tet_list tets = tets_of(model);
  if (tets.count == 0) return PL_ERROR_UNSUPPORTED;
  bool fast = pl_fem_is_fast_model(model);
  for (int32_t t = 0; t < tets.count; ++t) {
    if (fast) {
      moduli[t] = ((const pl_fem_fast_model *)model)->moduli[t];
      continue;
    }
    const double *p = ((const pl_fem_model *)model)->groups[0].parameters + tets.energy->parameter_count * (ptrdiff_t)t;
    double mu = p[0] / 3.75, lambda = p[1] + mu;  // of the edge-length energy (fem_elements.c)
    moduli[t] = tets.energy == &pl_fem_edge_tet ? mu * (3 * lambda + 2 * mu) / (lambda + mu) : p[0];
  }
  return PL_OK;
}

// Volume now, from the sides that leave corner 0.
static double volume_of(const pl_fem_energy *energy, const pl_fem_element *e, const double *sides) {
  if (energy->corner_count == 4) {
    pl_vec3 a = pl_fem_vector(sides, 0), b = pl_fem_vector(sides, 1), c = pl_fem_vector(sides, 2);
    return pl_vec3_dot(pl_vec3_cross(a, b), c) / 6;
  }
  pl_fem_quadratic_rest rest;
  pl_fem_quadratic_rest_of(e->X, &rest);
  double volume = 0;
  for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q) {
    pl_mat3 F = pl_mat3_zero();
    for (int a = 1; a < PL_FEM_QUADRATIC_NODES; ++a)
      for (int k = 0; k < 9; ++k) F.m[k / 3][k % 3] += sides[3 * (a - 1) + k / 3] * rest.B[q][a][k % 3];
    volume += rest.weights[q] * pl_mat3_determinant(F);
  }
  return volume;
}

static void stress_of(const pl_fem_energy *energy, const pl_fem_element *e, double *stress) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  double g[3 * PL_FEM_MAX_CORNERS], sides[3 * PL_FEM_MAX_CORNERS];
  int side_count = energy->corner_count - 1;
  energy->gradient(e, g);
  // Forces sum to zero, so the corners may be taken from the first; far from the origin that is what has digits.
  for (int k = 0; k < 3 * side_count; ++k) sides[k] = e->x[3 + k] - e->x[k % 3];
  double volume = volume_of(energy, e, sides);
  for (int i = 0; i < 6; ++i) {
    double sum = 0, other = 0;
    for (int k = 0; k < side_count; ++k) sum += g[3 + 3 * k + row[i]] * sides[3 * k + column[i]];
    for (int k = 0; k < side_count; ++k) other += g[3 + 3 * k + column[i]] * sides[3 * k + row[i]];
    stress[i] = volume != 0 ? 0.5 * (sum + other) / volume : 0;
    if (!isfinite(stress[i])) stress[i] = 0;
  }
}

// Rest shapes of all tets, 12 numbers each; `made` is what the caller releases.
static const double *rest_of(const pl_world *world, const pl_body *body, double **made) {
  const pl_fem_model *fem = (const pl_fem_model *)body->model;
  const pl_fem_group *group = &fem->groups[0];
  pl_fem_state s = pl_fem_state_of(body->model, body->state);
  if (s.rest[0] != NULL) return s.rest[0];
  if (fem->examples.count == 0) return group->starts;
  *made = pl_allocate_array(world->context, 12 * (size_t)group->element_count, sizeof(double));
  if (*made != NULL) pl_fem_examples_mix(fem, 0, s.weights, 0, group->element_count, *made);
  return *made;
}

static pl_status find_stress(const pl_world *world, const pl_body *body, pl_vec3 *positions, double *stresses,
                             pl_error *error) {
  tet_list tets = tets_of(body->model);
  bool fast = pl_fem_is_fast_model(body->model);
  const pl_fem_fast_model *quick = (const pl_fem_fast_model *)body->model;
  const pl_fem_model *fem = (const pl_fem_model *)body->model;
  double *made = NULL;
  const double *rest = fast ? NULL : rest_of(world, body, &made);
  if (!fast && rest == NULL) return pl_fail_memory(error);
  body->model->method->get_positions(body->model, body->state, positions);
  for (int32_t t = 0; t < tets.count; ++t) {
    double x[3 * PL_FEM_MAX_CORNERS], X[12], p[2];
    ptrdiff_t width = tets.energy->corner_count;
    for (int k = 0; k < width; ++k) {
      int32_t corner = tets.corners[width * t + k];
      pl_fem_put(x, k, positions[corner]);
      if (fast) pl_fem_put(X, k, pl_fem_vector(quick->rest_points, corner));
    }
    if (fast && quick->examples.count > 0) {
      pl_mat3 shape = pl_fem_fast_rest_shape(quick, pl_fem_fast_state_of(body->model, body->state).weights, t);
      for (int k = 0; k < 4; ++k) pl_fem_put(X, k, pl_mat3_apply(shape, pl_fem_vector(X, k)));
    }
    pl_fem_element e = {x, X, X, p};
    if (fast) {
      p[0] = quick->moduli[t], p[1] = quick->poisson;
    } else {
      e.X = rest + 3 * width * t;
      e.U = fem->groups[0].starts + 3 * width * t;
      e.p = fem->groups[0].parameters + tets.energy->parameter_count * (ptrdiff_t)t;
    }
    stress_of(tets.energy, &e, stresses + 6 * (ptrdiff_t)t);
  }
  pl_release(world->context, made);
  return PL_OK;
}

pl_status pl_fem_get_stress(const pl_world *world, pl_body_id id, double *stresses, pl_error *error) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  if (pl_fem_tet_count(body->model) == 0)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "only finite-element bodies of tets have stress");
  pl_vec3 *positions = pl_allocate_array(world->context, (size_t)body->model->particle_count, sizeof *positions);
  if (positions == NULL) return pl_fail_memory(error);
  pl_status status = find_stress(world, body, positions, stresses, error);
  pl_release(world->context, positions);
  return status;
}

pl_status pl_fem_compute_stress(const pl_model *model, const pl_vec3 *positions, double *stresses, pl_error *error) {
  tet_list tets = tets_of(model);
  if (tets.count == 0 || pl_fem_is_fast_model(model))
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "only models of tets of pl_fem_build(), other than fast ones, have stress");
  const pl_fem_group *group = &((const pl_fem_model *)model)->groups[0];
  ptrdiff_t width = group->corner_count;
  for (int32_t t = 0; t < tets.count; ++t) {
    double x[3 * PL_FEM_MAX_CORNERS];
    for (int32_t k = 0; k < width; ++k) pl_fem_put(x, k, positions[group->corners[width * t + k]]);
    const double *X = group->starts + 3 * width * t;
    pl_fem_element e = {x, X, X, group->parameters + group->energy->parameter_count * (ptrdiff_t)t};
    stress_of(group->energy, &e, stresses + 6 * (ptrdiff_t)t);
  }
  return PL_OK;
}
