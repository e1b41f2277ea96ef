// Energies, gradients and Hessians of many plane triangles, four at a time: the fast twin of
// pl_fem_plane_triangle (fem_plane.c), for stepping and for actors. What rest shape and start make
// of a triangle is prepared once.
//
// Strain energies are quadratic in the metric C = DᵀD of the sides p, q. With c = (p·p, p·q, q·q)
// and m the same at rest,
//
//   ½ κ tr((G C - I)²) = ½ (c - m)ᵀ R (c - m)      R = κ (  g₀²     2 g₀g₁             g₁²   )
//                                                        (  2 g₀g₁  2 (g₀g₂ + g₁²)     2 g₁g₂ )
//                                                        (  g₁²     2 g₁g₂             g₂²   )
//
// and so is the damping of fem_viscous.c, between c now and c before, with the metric of the start
// in place of G. Both share all products: with s the derivative by c, the Hessian by the sides is Σ
// R_kl ∇c_k ∇c_lᵀ + Σ s_k ∇²c_k, and to it comes the area term. By the rest sides, S = κ (G C G -
// G) changes with G, dG = -G dM G: with N = G C G - ½ G dS = -κ (G dM N + N dM G).
#ifndef PL_FEM_PLANE_ASSEMBLE_H
#define PL_FEM_PLANE_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "fem/fem_energy.h"
#include "math/simd.h"

// What rest shape, start, material and damping make of four triangles, number by number: lanes.
// Triangles are put in fours once, in the order in which a pattern visits them.
typedef struct pl_fem_plane_four {
  // Read for forces: of the rest shape, then of the damping.
  double metric[3][4];     // M: 00, 01, 11
  double area[4];          // A, with its sign
  double area_weight[4];   // k_a / Ā
  double stiffness[6][4];  // R: 00, 01, 02, 11, 12, 22
  double before[4][4];     // sides where damping began
  double damping[6][4];    // its R
  // And what these are made of.
  double inverse[3][4];  // G = M⁻¹
  double kappa[4];       // ¼ k_l Ā
  double sides[4][4];    // at rest: p, q
  double start[3][4];    // Ḡ: that of the start
  double start_area[4];  // Ā
  double strain[4];      // k_l
  double bulk[4];        // k_a
  int32_t members[4];    // numbers of the triangles; lanes without one repeat the first
  // Blocks on and below the diagonal of the matrix: of corners 0, 1, 2 and of pairs (1, 0), (2, 0),
  // (2, 1). Where the first of a pair has the lower number, the block is turned (-1, otherwise 0).
  int32_t lower[4][6];
  int64_t turned[3][4];
} pl_fem_plane_four;

// What is to be done with triangles; arrays are borrowed. Results are added to what `gradient`,
// `viscous` and `values` hold.
typedef struct pl_fem_planes {
  const pl_fem_plane_four *fours;
  const int32_t *places;    // by triangle: its four
  const int32_t *corners;   // three points per triangle
  const int32_t *slots;     // nine per triangle: blocks of the matrix
  const double *positions;  // three numbers per point; z is not read
  bool damped;              // with the damping of the fours
  bool lower;               // only blocks on and below the diagonal of the matrix
  const double *limits;  // the energy W of a triangle becomes plain W + scale limits[i] W², or NULL
  double plain, scale;
  bool positive;     // what could be negative of Hessians is left out (fem_plane.c, plane_positive)
  double *energies;  // by triangle, overwritten
  double *viscous_energies;  // the same of the damping; only with `damped`
  double *gradient;          // three numbers per point, or NULL
  double *viscous;           // the same of the damping; only with `damped`
  double *both;    // in place of these two, with `damped` and without `limits`: x and y of both for
                   // every point, or NULL
  double *values;  // of the matrix: 9 per block, or NULL
} pl_fem_planes;

// What the start makes of lane k, once, where its blocks are, and what the parameters p make of it;
// then what rest shapes, 9 numbers per triangle, make of some fours; and what damping does, from
// some positions and of some factor.
void pl_fem_plane_four_start(const double *U, int k, pl_fem_plane_four *four);
void pl_fem_plane_four_blocks(const int32_t *corners, const int32_t *slots, int k,
                              pl_fem_plane_four *four);
void pl_fem_plane_four_material(const double *p, int k, pl_fem_plane_four *four);
void pl_fem_plane_fours_rest(const double *rest, int32_t count, pl_fem_plane_four *fours);
void pl_fem_plane_fours_before(const int32_t *corners, const double *before, double factor,
                               int32_t count, pl_fem_plane_four *fours);

// Triangles elements[0 .. count), the members of fours one after the other, the last one whole or
// not. A triangle's numbers do not depend on which others it is computed with, and are the same
// bits on every instruction set.
void pl_fem_assemble_planes(const pl_fem_planes *planes, const int32_t *elements, int32_t count);
// ∂²W/∂x∂X, not symmetric, added to `values`.
void pl_fem_assemble_planes_mixed(const pl_fem_planes *planes, const int32_t *elements,
                                  int32_t count);

// For one instruction set each.
typedef struct pl_fem_plane_kernels {
  void (*assemble)(const pl_fem_planes *planes, const int32_t *elements, int32_t count);
  void (*mixed)(const pl_fem_planes *planes, const int32_t *elements, int32_t count);
  void (*rest)(const double *rest, int32_t count, pl_fem_plane_four *fours);
  void (*before)(const int32_t *corners, const double *before, double factor, int32_t count,
                 pl_fem_plane_four *fours);
} pl_fem_plane_kernels;

extern const pl_fem_plane_kernels pl_fem_plane_kernels_plain;
#if PL_SIMD_HAS_AVX2
extern const pl_fem_plane_kernels pl_fem_plane_kernels_avx2;
#endif

#endif
