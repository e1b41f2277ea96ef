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
  int32_t count, width;  // tets; corners of each: 4, or 10 of quadratic ones
  const int32_t *corners;
  const pl_fem_energy *energy;
} tet_list;

static tet_list tets_of(const pl_model *model) {
  if (pl_fem_is_fast_model(model)) {
    const pl_fem_fast_model *fast = (const pl_fem_fast_model *)model;
    return (tet_list){fast->tets.tet_count, 4, fast->corners, &pl_fem_corotated_tet};
  }
  if (!pl_fem_is_model(model)) return (tet_list){0};
  const pl_fem_group *group = &((const pl_fem_model *)model)->groups[0];
  if (group->shape != PL_FEM_SHAPE_SOLID) return (tet_list){0};
  return (tet_list){group->element_count, group->corner_count, group->corners, group->energy};
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

// Volume of a tet as it is now.
static double volume_of(const double *x, int32_t width) {
  if (width == PL_FEM_QUADRATIC_NODES) {
    pl_fem_quadratic_rest now;
    pl_fem_quadratic_rest_of(x, &now);
    return now.weights[0] + now.weights[1] + now.weights[2] + now.weights[3];
  }
  pl_vec3 o = pl_fem_vector(x, 0), a = pl_vec3_sub(pl_fem_vector(x, 1), o), b = pl_vec3_sub(pl_fem_vector(x, 2), o);
  return pl_vec3_dot(pl_vec3_cross(a, b), pl_vec3_sub(pl_fem_vector(x, 3), o)) / 6;
}

static void stress_of(const pl_fem_energy *energy, const pl_fem_element *e, double *stress) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  double g[3 * PL_FEM_MAX_CORNERS], volume = volume_of(e->x, energy->corner_count);
  energy->gradient(e, g);
  for (int i = 0; i < 6; ++i) {
    double sum = 0;
    // Forces sum to zero, so corners may be taken from the first; far from the origin that is what has digits.
    for (int k = 1; k < energy->corner_count; ++k) {
      const double *f = g + 3 * (ptrdiff_t)k, *x = e->x + 3 * (ptrdiff_t)k;
      sum += 0.5 * (f[row[i]] * (x[column[i]] - e->x[column[i]]) + f[column[i]] * (x[row[i]] - e->x[row[i]]));
    }
    stress[i] = volume != 0 ? sum / volume : 0;
    if (!isfinite(stress[i])) stress[i] = 0;
  }
}

// Rest shapes of all tets, 3 numbers per corner; `made` is what the caller releases.
static const double *rest_of(const pl_world *world, const pl_body *body, double **made) {
  const pl_fem_model *fem = (const pl_fem_model *)body->model;
  const pl_fem_group *group = &fem->groups[0];
  pl_fem_state s = pl_fem_state_of(body->model, body->state);
  if (s.rest[0] != NULL) return s.rest[0];
  if (fem->examples.count == 0) return group->starts;
  *made =
      pl_allocate_array(world->context, 3 * (size_t)group->corner_count * (size_t)group->element_count, sizeof(double));
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
    for (int k = 0; k < tets.width; ++k) {
      int32_t corner = tets.corners[tets.width * (ptrdiff_t)t + k];
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
      e.X = rest + 3 * tets.width * (ptrdiff_t)t;
      e.U = fem->groups[0].starts + 3 * tets.width * (ptrdiff_t)t;
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
