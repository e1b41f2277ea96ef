// Plane triangles four at a time: the kernels for the plain machine, the choice between instruction sets, and what is
// prepared.
#include "fem/fem_plane_assemble.h"

#include <math.h>

#define KERNEL_NAME pl_fem_plane_kernels_plain
#include "fem/fem_plane_kernel.h"

static const pl_fem_plane_kernels *kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_fem_plane_kernels_avx2;
#endif
  return &pl_fem_plane_kernels_plain;
}

void pl_fem_assemble_planes(const pl_fem_planes *planes, const int32_t *elements, int32_t count) {
  kernels_choose()->assemble(planes, elements, count);
}

void pl_fem_assemble_planes_mixed(const pl_fem_planes *planes, const int32_t *elements, int32_t count) {
  kernels_choose()->mixed(planes, elements, count);
}

// Metric of the sides at X, its inverse, and the area with its sign.
static void measure_sides(const double *X, double sides[4], double metric[3], double inverse[3], double *area) {
  for (int i = 0; i < 4; ++i) sides[i] = X[3 * (1 + i / 2) + i % 2] - X[i % 2];
  metric[0] = sides[0] * sides[0] + sides[1] * sides[1];
  metric[1] = sides[0] * sides[2] + sides[1] * sides[3];
  metric[2] = sides[2] * sides[2] + sides[3] * sides[3];
  // The determinant of the metric is that of the sides squared: not from the metric's entries, where thin triangles
  // lose their digits.
  double det = sides[0] * sides[3] - sides[1] * sides[2], over = 1 / (det * det);
  *area = 0.5 * det;
  inverse[0] = over * metric[2];
  inverse[1] = -over * metric[1];
  inverse[2] = over * metric[0];
}

void pl_fem_plane_constants_start(const double *U, pl_fem_plane_constants *constants) {
  double sides[4], metric[3], area;
  measure_sides(U, sides, metric, constants->start, &area);
  constants->start_area = fabs(area);
  constants->unused = 0;
}

void pl_fem_plane_constants_rest(const double *X, const double *p, pl_fem_plane_constants *constants) {
  measure_sides(X, constants->sides, constants->metric, constants->inverse, &constants->area);
  constants->strain = p[0];
  constants->bulk = p[1];
  constants->kappa = 0.25 * p[0] * constants->start_area;
  constants->area_weight = p[1] / constants->start_area;
}
