// Part of the kernels of neo-Hookean and Yeoh tets: the measure of shear of four points at a time.
#ifndef PL_FEM_LANES_STRAIN_H
#define PL_FEM_LANES_STRAIN_H

#include "fem/fem_lanes.h"

// K of fem_yeoh.c, for I = |F|², J = det F and the `bend` of φ, (1 - I/2)⁴ where that is positive:
// near rest as fem_neo_hookean.c has it, elsewhere as φ says. The strain is (F Fᵀ - 1)/2, which has
// the invariants of the other one.
PL_SIMD_INLINE pl_lanes pl_lanes_shear(pl_lanes F[3][3], pl_lanes J, pl_lanes I, pl_lanes bend) {
  pl_lanes e[PL_SYMMETRIC];
  pl_lanes_gram(F, e);
  for (int i = 0; i < PL_SYMMETRIC; ++i) e[i] *= 0.5;
  e[PL_XX] -= 0.5;
  e[PL_YY] -= 0.5;
  e[PL_ZZ] -= 0.5;
  pl_lanes first = e[PL_XX] + e[PL_YY] + e[PL_ZZ];
  pl_lanes second = (e[PL_XX] * e[PL_YY] - e[PL_XY] * e[PL_XY]) +
                    (e[PL_XX] * e[PL_ZZ] - e[PL_XZ] * e[PL_XZ]) +
                    (e[PL_YY] * e[PL_ZZ] - e[PL_YZ] * e[PL_YZ]);
  pl_lanes third = e[PL_XX] * (e[PL_YY] * e[PL_ZZ] - e[PL_YZ] * e[PL_YZ]) -
                   e[PL_XY] * (e[PL_XY] * e[PL_ZZ] - e[PL_YZ] * e[PL_XZ]) +
                   e[PL_XZ] * (e[PL_XY] * e[PL_YZ] - e[PL_YY] * e[PL_XZ]);
  pl_lanes higher = 4.0 * second + 8.0 * third;
  pl_lanes near_rest = (first * ((2.0 * first + higher) / (J + 1.0)) - higher) / (J + 1.0);
  pl_lanes away = 0.5 * (I - 3.0 + 0.5 * bend) - (J - 1.0);
  pl_lane_mask is_near = (pl_lanes_abs(I - 3.0) < 0.1) & (J > 0.5);
  return 2.0 * pl_lanes_select(is_near, near_rest, away);
}

#endif
