// Many tets at a time: the kernel for the plain machine, the choice between instruction sets, and the way out for lanes
// the kernel cannot settle.
#include "fem/fem_assemble.h"

#include "fem/fem_polar.h"
#include "fem/fem_tet.h"

#define KERNEL_NAME pl_fem_assemble_tets_plain
#include "fem/fem_assemble_kernel.h"

pl_fem_tet_constants pl_fem_tet_constants_of(const double *X, const double *p) {
  pl_fem_tet_constants constants;
  double B[4][3];
  pl_fem_lame lame = pl_fem_lame_of(p);
  pl_fem_tet_rest(X, B, &constants.volume);
  for (int i = 0; i < 9; ++i) constants.gradients[i] = B[1 + i / 3][i % 3];
  constants.lambda = lame.lambda;
  constants.mu = lame.mu;
  return constants;
}

void pl_fem_assemble_tets(const pl_fem_tets *tets, const int32_t *elements, int32_t count, double *energies,
                          double *gradients, double *matrices) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) {
    pl_fem_assemble_tets_avx2(tets, elements, count, energies, gradients, matrices);
    return;
  }
#endif
  pl_fem_assemble_tets_plain(tets, elements, count, energies, gradients, matrices);
}

// R A Rᵀ, upper triangle, to one lane.
static void turn_to_lane(const pl_mat3 *R, const pl_mat3 *a, double *to, int lane) {
  pl_mat3 turned = pl_mat3_multiply(pl_mat3_multiply(*R, *a), pl_mat3_transpose(*R));
  int slot = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) to[DOUBLE_LANES * slot++ + lane] = turned.m[i][j];
}

void pl_fem_assemble_settle(const double *F, int lane, double *R, double *U, double *K) {
  pl_mat3 gradient;
  pl_fem_polar polar;
  for (int i = 0; i < 9; ++i) gradient.m[i / 3][i % 3] = F[DOUBLE_LANES * i + lane];
  pl_fem_polar_of(&gradient, &polar);
  for (int i = 0; i < 9; ++i) R[DOUBLE_LANES * i + lane] = polar.R.m[i / 3][i % 3];
  turn_to_lane(&polar.R, &polar.S, U, lane);
  turn_to_lane(&polar.R, &polar.K, K, lane);
}
