// Energies that compare one number of an element's shape, now and at rest:
//
//   W = ½ k γ(U) (f(x) - f(X))²
//
//   f   a measure: squared length of an edge, area, angle
//   γ   factor of the geometry at the start on the stiffness k = p[0]
//
// Curves, shells and the area terms of paper 004, appendix A, all have this form, and every
// derivative of W, those by the rest shape included, follows from three derivatives of f by one
// argument: with w = k γ, f and its derivatives at x, F at X, and λ the vector of
// pl_fem_energy.third,
//
//   g = w (f - F) f'                 H  = w (f' f'ᵀ + (f - F) f'')                  M  = -w f' F'ᵀ
//   s = w (f - F) (λ·f')             xx = w ((λ·f') f'' + f' (f''λ)ᵀ + (f''λ) f'ᵀ + (f - F) f'''λ)
//                                    xX = -w (f''λ) F'ᵀ        XX = -w (λ·f') F''
//
// Measures do not change when the element is moved. So they are functions of the sides d_k = x_k -
// x_0, k >= 1, only, and what is found for the sides is spread to the corners at the end: corner 0
// gets minus the sum of the others, and forces sum to zero by construction.
#ifndef PL_FEM_MEASURE_H
#define PL_FEM_MEASURE_H

#include <stdbool.h>

#include "fem/fem_energy.h"

enum {
  PL_FEM_MAX_SIDES = 9,  // of four corners
  PL_FEM_MAX_VALUES = 12
};

// f as a function of the n = 3 (corner_count - 1) numbers of the sides.
typedef struct pl_fem_measure {
  int32_t corner_count;
  double (*value)(const double *d);
  void (*gradient)(const double *d, double *g);  // n numbers
  void (*hessian)(const double *d, double *h);   // n x n
  void (*third)(
      const double *d, const double *rate,
      double *h);  // n x n: the rate of the Hessian while d changes at `rate`; NULL: always 0
  double (*fraction)(const double *d);  // γ of the sides at the start
} pl_fem_measure;

double pl_fem_measure_energy(const pl_fem_measure *measure, const pl_fem_element *e);
void pl_fem_measure_gradient(const pl_fem_measure *measure, const pl_fem_element *e, double *g);
void pl_fem_measure_hessian(const pl_fem_measure *measure, const pl_fem_element *e, double *h);
void pl_fem_measure_positive(const pl_fem_measure *measure, const pl_fem_element *e, double *h);
void pl_fem_measure_mixed(const pl_fem_measure *measure, const pl_fem_element *e, double *m);
void pl_fem_measure_material(const pl_fem_measure *measure, const pl_fem_element *e, double *d);
void pl_fem_measure_third(const pl_fem_measure *measure, const pl_fem_element *e,
                          const double *lambda, double *xx, double *xX, double *XX);

// pl_fem_energy.together
void pl_fem_measure_evaluate(const pl_fem_measure *measure, const pl_fem_element *e,
                             const double *before, double factor, bool positive, double energies[2],
                             double *g, double *drag, double *h);

// The measure of an edge, its squared length: curves and shells share it and differ in γ. A
// polynomial, so there is nothing it cannot evaluate.
double pl_fem_edge_value(const double *d);
void pl_fem_edge_gradient(const double *d, double *g);
void pl_fem_edge_hessian(const double *d, double *h);

// Those of shells (fem_shell.c).
extern const pl_fem_measure pl_fem_shell_edge_measure, pl_fem_shell_triangle_measure,
    pl_fem_shell_hinge_measure;
// Those of curves (fem_curve.c).
extern const pl_fem_measure pl_fem_curve_edge_measure, pl_fem_curve_turn_measure;

// Sides of corners; and from sides to corners: a vector, and a matrix with both its indices.
void pl_fem_sides_find(int32_t corner_count, const double *x, double *d);
void pl_fem_sides_spread_vector(int32_t corner_count, const double *small, double *large);
void pl_fem_sides_spread_matrix(int32_t corner_count, const double *small, double *large);

// The table `energy` of a measure. pl_fem_energy has functions without further data, so each energy
// needs its own eight: they differ in nothing but the measure.
#define PL_FEM_MEASURE_ENERGY(energy_name, text, corners, measure, names)                        \
  static double element_energy_##measure(const pl_fem_element *e) {                              \
    return pl_fem_measure_energy(&measure, e);                                                   \
  }                                                                                              \
  static void element_gradient_##measure(const pl_fem_element *e, double *g) {                   \
    pl_fem_measure_gradient(&measure, e, g);                                                     \
  }                                                                                              \
  static void element_hessian_##measure(const pl_fem_element *e, double *h) {                    \
    pl_fem_measure_hessian(&measure, e, h);                                                      \
  }                                                                                              \
  static void element_mixed_##measure(const pl_fem_element *e, double *m) {                      \
    pl_fem_measure_mixed(&measure, e, m);                                                        \
  }                                                                                              \
  static void element_material_##measure(const pl_fem_element *e, double *d) {                   \
    pl_fem_measure_material(&measure, e, d);                                                     \
  }                                                                                              \
  static void element_third_##measure(const pl_fem_element *e, const double *lambda, double *xx, \
                                      double *xX, double *XX) {                                  \
    pl_fem_measure_third(&measure, e, lambda, xx, xX, XX);                                       \
  }                                                                                              \
  static void element_positive_##measure(const pl_fem_element *e, double *h) {                   \
    pl_fem_measure_positive(&measure, e, h);                                                     \
  }                                                                                              \
  static void element_together_##measure(const pl_fem_element *e, const double *before,          \
                                         double factor, bool positive, double energies[2],       \
                                         double *g, double *drag, double *h) {                   \
    pl_fem_measure_evaluate(&measure, e, before, factor, positive, energies, g, drag, h);        \
  }                                                                                              \
  const pl_fem_energy energy_name = {text,                                                       \
                                     corners,                                                    \
                                     1,                                                          \
                                     names,                                                      \
                                     element_energy_##measure,                                   \
                                     element_gradient_##measure,                                 \
                                     element_hessian_##measure,                                  \
                                     element_mixed_##measure,                                    \
                                     element_material_##measure,                                 \
                                     element_third_##measure,                                    \
                                     element_positive_##measure,                                 \
                                     element_together_##measure}

#endif
