#include "capture/fit_changes.h"

#include "math/simd.h"

#define KERNEL_NAME pl_fit_changes_plain
#include "capture/fit_changes_kernel.h"

typedef struct change_visit {
  const pl_fem_system *system;
  const pl_fit_changes *changes;
} change_visit;

void pl_fit_changes_derive(const pl_fem_system *system, pl_fem_tet_constants *derived) {
  for (int32_t t = 0; system->constants != NULL && t < system->model->groups[0].element_count; ++t) {
    double young = system->parameters[0][2 * (ptrdiff_t)t], poisson = system->parameters[0][2 * (ptrdiff_t)t + 1];
    double a = 1 + poisson, b = 1 - 2 * poisson;
    derived[t] = system->constants[t];
    derived[t].lambda = young * (1 + 2 * poisson * poisson) / (a * a * b * b);
    derived[t].mu = -young / (2 * a * a);
  }
}

static void add_poisson(const change_visit *v, pl_fem_tets *tets, const int32_t *elements, int32_t count,
                        double *gradients) {
  const pl_fit_changes *c = v->changes;
  if (c->poisson_column < 0) return;
  tets->constants = c->poisson;
  pl_fem_assemble_tets(tets, elements, count, NULL, gradients, NULL);
  for (int32_t e = 0; e < count; ++e)
    for (int i = 0; i < 12; ++i) {
      ptrdiff_t row = 3 * (ptrdiff_t)c->corners[4 * (ptrdiff_t)elements[e] + i / 3] + i % 3;
      c->rhs[row * c->padded + c->poisson_column] -= gradients[12 * e + i];
    }
}

static void visit(void *data, const int32_t *elements, int32_t count, double *unused) {
  (void)unused;
  const change_visit *v = data;
  const pl_fem_group *group = &v->system->model->groups[0];
  double gradients[12 * PL_BLOCK_BATCH], matrices[144 * PL_BLOCK_BATCH];
  pl_fem_tets tets = {
      .model = group->energy == &pl_fem_corotated_tet ? PL_FEM_TET_COROTATED : PL_FEM_TET_NEO_HOOKEAN,
      .constants = v->system->constants,
      .corners = group->corners,
      .positions = v->changes->positions,
  };
  pl_fem_assemble_tets(&tets, elements, count, NULL, gradients, matrices);
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) {
    pl_fit_changes_avx2(v->changes, elements, count, gradients, matrices);
    add_poisson(v, &tets, elements, count, gradients);
    return;
  }
#endif
  pl_fit_changes_plain(v->changes, elements, count, gradients, matrices);
  add_poisson(v, &tets, elements, count, gradients);
}

// Elements of any kind, one by one: their own derivatives by material and rest shape.
static void visit_single(void *data, const int32_t *elements, int32_t count, double *unused) {
  (void)unused;
  enum { MAX_VALUES = 3 * PL_FEM_MAX_CORNERS };
  const change_visit *v = data;
  const pl_fit_changes *c = v->changes;
  const pl_fem_group *group = &v->system->model->groups[0];
  int values = 3 * group->corner_count;
  for (int32_t e = 0; e < count; ++e) {
    double corners[MAX_VALUES], material[2 * MAX_VALUES], mixed[MAX_VALUES * MAX_VALUES];
    pl_fem_element element = pl_fem_system_element(v->system, c->positions, 0, elements[e], corners);
    const int32_t *points = group->corners + (ptrdiff_t)group->corner_count * elements[e];
    group->energy->material(&element, material);
    if (c->rest_change != NULL) group->energy->mixed(&element, mixed);
    for (int i = 0; i < values; ++i) {
      double *rhs = c->rhs + (3 * (ptrdiff_t)points[i / 3] + i % 3) * c->padded;
      for (int32_t k = 0; k < c->padded; ++k)
        rhs[k] -= c->fractions[(ptrdiff_t)elements[e] * c->padded + k] * element.p[0] * material[2 * i];
      if (c->poisson_column >= 0) rhs[c->poisson_column] -= material[2 * i + 1];
      for (int j = 0; c->rest_change != NULL && j < values; ++j) {
        const double *change = c->rest_change + (3 * (ptrdiff_t)points[j / 3] + j % 3) * c->padded;
        for (int32_t k = 0; k < c->padded; ++k) rhs[k] -= mixed[values * i + j] * change[k];
      }
    }
  }
}

void pl_fit_changes_add(pl_fem_system *system, const pl_fit_changes *changes) {
  change_visit v = {system, changes};
  pl_block_visit *chosen = system->constants != NULL ? visit : visit_single;
  pl_block_pattern_visit(system->context, &system->model->pattern, 0, chosen, &v);
}
