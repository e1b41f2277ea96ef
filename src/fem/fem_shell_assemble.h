// Energies, gradients and Hessians of many elements of a shell or of a curve, four at a time: the
// fast twin of pl_fem_shell_stretch, pl_fem_shell_area and pl_fem_shell_hinge (fem_shell.c) and of
// pl_fem_curve_stretch and pl_fem_curve_bend (fem_curve.c), for stepping and for actors. What rest
// shape, start and material make of an element is prepared once: in
//
//   W = ½ w (f(x) - F)²        w = k γ(U), F = f(X)
//
// only f and its derivatives are left to compute (fem_measure.h).
#ifndef PL_FEM_SHELL_ASSEMBLE_H
#define PL_FEM_SHELL_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "fem/fem_energy.h"
#include "math/simd.h"

typedef struct pl_fem_shell_constants {
  double weight;  // w
  double rest;    // F
  double before;  // f where damping begins; only for damping
  double start;   // fraction of w that the start of the element decides; 0: not found yet
} pl_fem_shell_constants;

// Measures: squared length of an edge, area of a triangle, angle of a curve, angle of a hinge.
typedef enum pl_fem_shell_kind {
  PL_FEM_SHELL_EDGE,
  PL_FEM_SHELL_TRIANGLE,
  PL_FEM_SHELL_TURN,
  PL_FEM_SHELL_HINGE
} pl_fem_shell_kind;

// What is to be done with elements of one kind; arrays are borrowed. Results are added to what
// `gradient`, `viscous` and `values` hold.
typedef struct pl_fem_shells {
  pl_fem_shell_kind kind;
  bool planar;  // all points have the same z, and what belongs to z of the matrix is not wanted
  const pl_fem_shell_constants *constants;  // by element
  const int32_t *corners;                   // by element: corner_count points
  const int32_t *slots;                     // by element: corner_count² blocks of the matrix
  const double *positions;                  // three numbers per point
  const double *rest;    // corners at rest, by element; only for the derivatives by them
  double factor;         // of the damping
  const double *limits;  // the energy W of an element becomes plain W + scale limits[i] W², or NULL
  double plain, scale;
  bool positive;             // what could be negative of Hessians is left out (fem_measure.h)
  double *energies;          // by element, overwritten
  double *viscous_energies;  // the same of the damping; only with `viscous`
  double *gradient;          // three numbers per point, or NULL
  double *viscous;           // the same of the damping, or NULL: none
  double *values;            // of the matrix: 9 per block, or NULL
} pl_fem_shells;

// Whether elements with this energy are computed here.
bool pl_fem_is_shell(const pl_fem_energy *energy);
pl_fem_shell_kind pl_fem_shell_kind_of(const pl_fem_energy *energy);
// Weight and rest of an element as start U, rest X and parameters p make them. U stays the same.
void pl_fem_shell_constants_rest(const pl_fem_energy *energy, const double *U, const double *X,
                                 const double *p, pl_fem_shell_constants *constants);
// The same of `count` elements whose starts, rests and parameters lie one after the other.
void pl_fem_shell_constants_rests(const pl_fem_energy *energy, int32_t count, const double *U,
                                  const double *X, const double *p,
                                  pl_fem_shell_constants *constants);
// Measure of an element with these corners.
double pl_fem_shell_value(const pl_fem_energy *energy, const double *corners);

// Elements elements[0 .. count). An element's numbers do not depend on which others it is computed
// with, and are the same bits on every instruction set.
void pl_fem_assemble_shells(const pl_fem_shells *shells, const int32_t *elements, int32_t count);
// ∂²W/∂x∂X, not symmetric, added to `values`.
void pl_fem_assemble_shells_mixed(const pl_fem_shells *shells, const int32_t *elements,
                                  int32_t count);

// For one instruction set each.
typedef struct pl_fem_shell_kernels {
  void (*assemble)(const pl_fem_shells *shells, const int32_t *elements, int32_t count);
  void (*mixed)(const pl_fem_shells *shells, const int32_t *elements, int32_t count);
  // Angles of a curve at rest, corners X, of `count` elements.
  void (*rest_turns)(const double *X, int32_t count, pl_fem_shell_constants *constants);
} pl_fem_shell_kernels;

extern const pl_fem_shell_kernels pl_fem_shell_kernels_plain;
#if PL_SIMD_HAS_AVX2
extern const pl_fem_shell_kernels pl_fem_shell_kernels_avx2;
#endif

#endif
