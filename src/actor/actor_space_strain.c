// Isolated distortions cost more than spread ones.
//
// The energy of eq. 11 is a mean over the body: a toe strained by 1 costs as little as its share of the volume, so
// goals on a foot are met by wringing a few of its elements. Here every element pays in addition with the fourth power
// of its own strain,
//
//   a Σ_e m_e ε_e⁴ / s²,   ε_e² = W_e / U_e
//
// where W_e is its energy, U_e what a dilation by 1 would cost it (to second order), m_e its share of all U_e, s the
// strain limit: at ε = s the price of a strain has doubled. Elements that do not mind dilation (hinges, bends) take no
// part.
#include <string.h>

#include "actor/actor_space_parts.h"
#include "base/error.h"

enum { MAX_VALUES = 3 * PL_FEM_MAX_CORNERS };

static const double DILATION = 1e-3;  // small against any strain limit, large against rounding: its square is 1e-6
static const double MIN_COST = 1e-9;  // of the sum over all elements

// Cost of a small dilation of an element over its square.
static double dilation_cost(const pl_fem_group *group, int32_t element) {
  const double *start = group->starts + 3 * (ptrdiff_t)group->corner_count * element, by = DILATION;
  double x[MAX_VALUES], middle[3] = {0, 0, 0};
  for (int i = 0; i < 3 * group->corner_count; ++i) middle[i % 3] += start[i] / group->corner_count;
  for (int i = 0; i < 3 * group->corner_count; ++i) x[i] = middle[i % 3] + (1 + by) * (start[i] - middle[i % 3]);
  pl_fem_element e = {x, start, start, group->parameters + (ptrdiff_t)group->energy->parameter_count * element};
  return group->energy->energy(&e) / (by * by);
}

pl_status pl_rest_strain_cost_build(pl_rest_space *space, double limit, pl_error *error) {
  const pl_fem_model *model = space->model;
  double sum = 0;
  if (!(limit > 0)) return PL_OK;
  double *factors = PL_TAKE(&space->arena, double, model->element_start[model->group_count]);
  if (factors == NULL) return pl_fail_memory(error);
  for (int32_t g = 0, k = 0; g < model->group_count; ++g)
    for (int32_t e = 0; e < model->groups[g].element_count; ++e)
      sum += factors[k++] = dilation_cost(&model->groups[g], e);
  for (int32_t k = 0; k < model->element_start[model->group_count]; ++k) {
    double unit = factors[k];
    // Below this a dilation is rounding: angles do not see it.
    factors[k] = unit > MIN_COST * sum ? 1 / (sum * unit * limit * limit) : 0;
  }
  space->limit_factors = factors;
  return PL_OK;
}

bool pl_rest_strain_cost_joins(const pl_rest_space *space) {
  for (int32_t g = 0; g < space->model->group_count; ++g)
    if (space->model->groups[g].energy->positive == NULL) return false;
  return space->limit_factors != NULL;
}

// plain W + factor W² of one element, with its derivatives added to those by particle. Energies that have no positive
// Hessian at hand take the product of gradients for it: that is the larger part.
static double add_element(const pl_fem_model *model, int32_t g, int32_t i, const pl_fem_element *element, double plain,
                          double factor, double *forces, pl_block_matrix *matrix) {
  const pl_fem_group *group = &model->groups[g];
  const pl_fem_energy *energy = group->energy;
  int n = 3 * group->corner_count;
  double gradient[MAX_VALUES], hessian[MAX_VALUES * MAX_VALUES], values[2];
  bool derives = forces != NULL || matrix != NULL;
  if (derives && energy->together != NULL) {
    energy->together(element, NULL, 0, true, values, gradient, NULL, matrix != NULL ? hessian : NULL);
  } else {
    values[0] = energy->energy(element);
    if (derives) energy->gradient(element, gradient);
    if (matrix != NULL && energy->positive != NULL) energy->positive(element, hessian);
    if (matrix != NULL && energy->positive == NULL) memset(hessian, 0, sizeof hessian);
  }
  double derivative = plain + 2 * factor * values[0];
  for (int c = 0; forces != NULL && c < n; ++c)
    forces[3 * (ptrdiff_t)group->corners[group->corner_count * (ptrdiff_t)i + c / 3] + c % 3] +=
        derivative * gradient[c];
  if (matrix != NULL) {
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        hessian[n * a + b] = derivative * hessian[n * a + b] + 2 * factor * gradient[a] * gradient[b];
    const int32_t *slots = model->pattern.groups[g].slots + (ptrdiff_t)group->corner_count * group->corner_count * i;
    pl_rest_add_blocks(slots, group->corner_count, hessian, matrix->values);
  }
  return plain * values[0] + factor * values[0] * values[0];
}

double pl_rest_strain_cost_add(pl_rest_space *space, const double *points, double plain, double scale, double *forces,
                               pl_block_matrix *matrix) {
  const pl_fem_model *model = space->model;
  double sum = 0;
  if (space->limit_factors == NULL) return 0;
  if (pl_fem_system_has_limits(&space->system))
    return pl_fem_system_evaluate_limited(&space->system, points, plain, scale, space->limit_factors, forces, matrix);
  for (int32_t g = 0, k = 0; g < model->group_count; ++g)
    for (int32_t i = 0; i < model->groups[g].element_count; ++i, ++k) {
      double factor = scale * space->limit_factors[k], corners[MAX_VALUES];
      if (!(factor > 0) && plain == 0) continue;
      pl_fem_element element = pl_fem_system_element(&space->system, points, g, i, corners);
      sum += add_element(model, g, i, &element, plain, factor, forces, matrix);
    }
  return sum;
}
