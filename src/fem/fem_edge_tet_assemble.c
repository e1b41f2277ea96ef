// Tets of the simplified solid four at a time: the kernels for the plain machine, the choice between instruction sets,
// and what is prepared.
#include "fem/fem_edge_tet_assemble.h"

#include <math.h>

#define KERNEL_NAME pl_fem_edge_tet_kernels_plain
#include "fem/fem_edge_tet_kernel.h"

static const pl_fem_edge_tet_kernels *kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX512()) return &pl_fem_edge_tet_kernels_avx512;
  if (PL_SIMD_CAN_AVX2()) return &pl_fem_edge_tet_kernels_avx2;
#endif
  return &pl_fem_edge_tet_kernels_plain;
}

void pl_fem_assemble_edge_tets(const pl_fem_edge_tets *tets, const int32_t *elements, int32_t count) {
  kernels_choose()->assemble(tets, elements, count);
}

void pl_fem_assemble_edge_tets_mixed(const pl_fem_edge_tets *tets, const int32_t *elements, int32_t count) {
  kernels_choose()->mixed(tets, elements, count);
}

// Squared lengths of the edges at X, and the volume with its sign.
static double measure(const double *X, double squares[EDGES]) {
  double d[3][3];
  for (int i = 0; i < 9; ++i) d[i / 3][i % 3] = X[3 + i] - X[i % 3];
  for (int edge = 0; edge < EDGES; ++edge) {
    int a, b;
    edge_tet_ends(edge, &a, &b);
    squares[edge] = 0;
    for (int i = 0; i < 3; ++i) {
      double way = b < 0 ? d[a][i] : d[a][i] - d[b][i];
      squares[edge] += way * way;
    }
  }
  double across[3];
  for (int i = 0; i < 3; ++i) across[i] = d[1][(i + 1) % 3] * d[2][(i + 2) % 3] - d[1][(i + 2) % 3] * d[2][(i + 1) % 3];
  return (d[0][0] * across[0] + d[0][1] * across[1] + d[0][2] * across[2]) / 6;
}

void pl_fem_edge_tet_constants_start(const double *U, pl_fem_edge_tet_constants *constants) {
  double squares[EDGES], volume = fabs(measure(U, squares));
  *constants = (pl_fem_edge_tet_constants){.start_volume = volume};
  for (int edge = 0; edge < EDGES; ++edge)
    constants->start_stiffness[edge] = volume / (6 * squares[edge] * squares[edge]);
}

void pl_fem_edge_tet_constants_rest(const double *X, const double *p, pl_fem_edge_tet_constants *constants) {
  constants->volume = measure(X, constants->square);
  constants->volume_stiffness = p[1] / constants->start_volume;
  for (int edge = 0; edge < EDGES; ++edge) constants->stiffness[edge] = p[0] * constants->start_stiffness[edge];
}

void pl_fem_edge_tet_before_find(const double *x, pl_fem_edge_tet_before *before) {
  before->volume = measure(x, before->square);
  before->unused = 0;
}

void pl_fem_edge_tet_blocks_find(const int32_t *corners, const int32_t *slots, pl_fem_edge_tet_blocks *blocks) {
  static const int pairs[6][2] = {{1, 0}, {2, 0}, {3, 0}, {2, 1}, {3, 1}, {3, 2}};
  *blocks = (pl_fem_edge_tet_blocks){{0}, {0}, {0}};
  for (int i = 0; i < 4; ++i) blocks->slots[i] = slots[5 * i];
  for (int i = 0; i < 6; ++i) {
    int a = pairs[i][0], b = pairs[i][1];
    bool turned = corners[a] < corners[b];
    blocks->slots[4 + i] = turned ? slots[4 * b + a] : slots[4 * a + b];
    blocks->turned[i] = turned ? -1 : 0;
  }
}
