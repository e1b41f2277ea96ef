// How the elastic forces of a pose change with the parameters of a fit, all parameters in one pass
// over the elements.
//
//   right_k -= ∂g/∂θ_k + (∂g/∂X) dX_k                g = ∂W/∂x at the pose, X the rest shape, dX_k
//   = dX/dθ_k
//
// ∂g/∂θ_k is linear in Young's modulus: the share s_k = (dE/dθ_k) / E of each tet's own force. With
// the formulas of fem/fem_tet.h the part by X is, corner a,
//
//   Σ_b g_a (B_b·dX_b) - g_b (B_a·dX_b) - H_ab F dX_b
//
// (of quadratic tets by their energy's own derivatives) which needs forces g, stiffness H and
// deformation gradient F that the kernel of fem/fem_assemble.h has at hand. Vectors are stored with
// the columns of all
// parameters next to each other, padded to a multiple of four: [3 particles][padded].
#ifndef PL_CAPTURE_FIT_CHANGES_H
#define PL_CAPTURE_FIT_CHANGES_H

#include "fem/fem_system.h"

typedef struct pl_fit_changes {
  int32_t padded;                         // columns, a multiple of 4
  const int32_t *corners;                 // 4 per tet
  const pl_fem_tet_constants *constants;  // by tet
  const double *positions;                // pose, 3 per particle
  const double *rest_change;  // dX, 3 per particle and column; NULL: none, of quadratic tets only
  const double *fractions;    // s, by tet and column
  double *rhs;                // 3 per particle and column
  int32_t poisson_column;     // column of Poisson's ratio, whose shares are 0; -1: none
  const pl_fem_tet_constants
      *poisson;  // as `constants`, with Lamé's constants derived by it: forces are linear in them
} pl_fit_changes;

// Padded number of columns.
static inline int32_t pl_fit_padded(int32_t column_count) {
  return (column_count + 3) / 4 * 4;
}

// Constants of all tets with Lamé's derived by Poisson's ratio.
void pl_fit_changes_derive(const pl_fem_system *system, pl_fem_tet_constants *derived);

// All tets of the system. `fractions` and `rest_change` as above; right is changed, not cleared.
void pl_fit_changes_add(pl_fem_system *system, const pl_fit_changes *changes);

// One batch for one instruction set, with gradients (12 each) and Hessians (144 each) of the tets
// elements[0 .. count).
void pl_fit_changes_plain(const pl_fit_changes *changes, const int32_t *elements, int32_t count,
                          const double *gradients, const double *matrices);
#if PL_SIMD_HAS_AVX2
void pl_fit_changes_avx2(const pl_fit_changes *changes, const int32_t *elements, int32_t count,
                         const double *gradients, const double *matrices);
#endif

#endif
