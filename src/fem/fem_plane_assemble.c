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

void pl_fem_plane_fours_rest(const double *rest, int32_t count, pl_fem_plane_four *fours) {
  kernels_choose()->rest(rest, count, fours);
}

void pl_fem_plane_fours_before(const int32_t *corners, const double *before, double factor, int32_t count,
                               pl_fem_plane_four *fours) {
  kernels_choose()->before(corners, before, factor, count, fours);
}

void pl_fem_plane_four_start(const double *U, int k, pl_fem_plane_four *four) {
  double d[4];
  for (int i = 0; i < 4; ++i) d[i] = U[3 * (1 + i / 2) + i % 2] - U[i % 2];
  const double metric[3] = {d[0] * d[0] + d[1] * d[1], d[0] * d[2] + d[1] * d[3], d[2] * d[2] + d[3] * d[3]};
  double det = d[0] * d[3] - d[1] * d[2], over = 1 / (det * det);  // as in plane_rest_four()
  four->start[0][k] = over * metric[2];
  four->start[1][k] = -over * metric[1];
  four->start[2][k] = over * metric[0];
  four->start_area[k] = fabs(0.5 * det);
}

void pl_fem_plane_four_material(const double *p, int k, pl_fem_plane_four *four) {
  four->strain[k] = p[0];
  four->bulk[k] = p[1];
  four->kappa[k] = 0.25 * p[0] * four->start_area[k];
  four->area_weight[k] = p[1] / four->start_area[k];
}

void pl_fem_plane_four_blocks(const int32_t *corners, const int32_t *slots, int k, pl_fem_plane_four *four) {
  static const int pairs[3][2] = {{1, 0}, {2, 0}, {2, 1}};
  for (int i = 0; i < 3; ++i) {
    int a = pairs[i][0], b = pairs[i][1];
    bool turned = corners[a] < corners[b];
    four->lower[k][i] = slots[4 * i];
    four->lower[k][3 + i] = turned ? slots[3 * b + a] : slots[3 * a + b];
    four->turned[i][k] = turned ? -1 : 0;
  }
}
