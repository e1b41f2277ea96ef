// Cauchy stress of tets in any pose: σ = P Fᵀ / J, the mean over an element's points of integration.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "fem/fem_model.h"
#include "fem/fem_quadratic.h"

static const pl_fem_density *density_of(const pl_fem_model *model) {
  switch (model->material) {
    case PL_FEM_COROTATED: return &pl_fem_corotated_density;
    case PL_FEM_NEO_HOOKEAN: return &pl_fem_neo_hookean_density;
    case PL_FEM_YEOH: return &pl_fem_yeoh_density;
    default: return NULL;
  }
}

// w P Fᵀ / J added to six numbers, with a pressure on the dilation.
static void add_stress(const pl_fem_density *density, const pl_mat3 *F, pl_fem_lame constants, double pressure,
                       double w, double s[6]) {
  pl_mat3 P, D;
  density->stress(F, constants, &P);
  density->dilation(F, &D, NULL);
  P = pl_mat3_add(P, pl_mat3_scale(D, pressure));
  pl_mat3 S = pl_mat3_scale(pl_mat3_multiply(P, pl_mat3_transpose(*F)), w / pl_mat3_determinant(*F));
  s[0] += S.m[0][0];
  s[1] += S.m[1][1];
  s[2] += S.m[2][2];
  s[3] += 0.5 * (S.m[1][2] + S.m[2][1]);
  s[4] += 0.5 * (S.m[0][2] + S.m[2][0]);
  s[5] += 0.5 * (S.m[0][1] + S.m[1][0]);
}

static void linear_stress(const pl_fem_density *density, const double *x, const double *X, const double *p,
                          double s[6]) {
  pl_fem_element e = {x, X, X, p};
  pl_fem_tet tet = pl_fem_tet_of(&e);
  add_stress(density, &tet.F, pl_fem_density_constants(density, p), 0, 1, s);
}

static void quadratic_stress(const pl_fem_density *density, const double *x, const double *X, const double *p,
                             double s[6]) {
  pl_fem_quadratic_rest rest;
  pl_mat3 F[PL_FEM_QUADRATIC_POINTS], D;
  double volume = 0, dilation = 0;
  pl_fem_quadratic_rest_of(X, &rest);
  for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q) {
    F[q] = pl_mat3_zero();
    for (int a = 0; a < PL_FEM_QUADRATIC_NODES; ++a)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) F[q].m[i][j] += (x[3 * a + i] - x[i]) * rest.B[q][a][j];
    volume += rest.weights[q];
    dilation += rest.weights[q] * density->dilation(&F[q], &D, NULL);
  }
  pl_fem_lame constants = pl_fem_density_constants(density, p);
  double pressure = constants.lambda * dilation / volume;
  constants.lambda = 0;
  for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q)
    add_stress(density, &F[q], constants, pressure, rest.weights[q] / volume, s);
}

pl_status pl_fem_compute_stress(const pl_model *model, const pl_vec3 *positions, double *stresses, pl_error *error) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  const pl_fem_density *density = pl_fem_is_model(model) ? density_of(fem) : NULL;
  if (density == NULL)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "only corotated, neo-hookean and yeoh tets have a stress");
  const pl_fem_group *group = &fem->groups[0];
  int32_t width = group->corner_count;
  for (int32_t t = 0; t < group->element_count; ++t) {
    double x[3 * PL_FEM_MAX_CORNERS], *s = stresses + 6 * (ptrdiff_t)t;
    const double *X = group->starts + 3 * (ptrdiff_t)width * t,
                 *p = group->parameters + (ptrdiff_t)group->energy->parameter_count * t;
    for (int32_t a = 0; a < width; ++a) pl_fem_put(x, a, positions[group->corners[(ptrdiff_t)width * t + a]]);
    for (int i = 0; i < 6; ++i) s[i] = 0;
    if (width == 4)
      linear_stress(density, x, X, p, s);
    else
      quadratic_stress(density, x, X, p, s);
  }
  return PL_OK;
}
