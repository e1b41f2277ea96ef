// Energies of tets that depend on the deformation gradient: W = V(X) ψ(F), with all derivatives by
// x and X made from those of ψ by F.
//
//   B_a   gradient of the shape function of corner a, ∂(weight of a)/∂X; B_0 + B_1 + B_2 + B_3 = 0
//   F     Σ x_a B_aᵀ, the deformation gradient
//   V     rest volume, |det| / 6
//   P     ∂ψ/∂F, first Piola-Kirchhoff stress
//   C     ∂P/∂F, as 9 x 9 matrix over the elements of F row by row
//
// A small change dX of the rest shape with gradient G = Σ dX_a B_aᵀ changes dF = -F G, dB_a = -Gᵀ
// B_a and dV = V tr G (paper 002, appendix, in matrix form). Everything else follows from that by
// the product rule; the results are short:
//
//   gradient   g_a   = V P B_a
//   hessian    H_ab  = V C contracted with B_a and B_b
//   mixed      M_ab  = g_a B_bᵀ - g_b B_aᵀ - H_ab F
//
// With Λ = Σ λ_a B_aᵀ, Q = the derivative of C along Λ, T_ab = V Q contracted, y = H λ, s = λ·g and
// z_a = V (Fᵀ(C:Λ) + Λᵀ P) B_a, r_a = s B_a - z_a:
//
//   third  xx_ab = T_ab
//          xX_ab = y_a B_bᵀ - y_b B_aᵀ - T_ab F - H_ab Λ
//          XX_ab = r_a B_bᵀ - r_b B_aᵀ + B_b z_aᵀ - B_a z_bᵀ + Fᵀ T_ab F + Fᵀ H_ab Λ + Λᵀ H_ab F
//
// A mirrored rest shape (negative determinant) has the same energy as its mirror image: dV = V tr G
// holds for |V| too. A flat one has no F; the results are then not finite.
#ifndef PL_FEM_TET_H
#define PL_FEM_TET_H

#include "fem/fem_energy.h"
#include "math/mat3.h"

// Lamé's constants in pascals. Densities are linear in them, so that derivatives by the material
// are stresses with derived constants.
typedef struct pl_fem_lame {
  double lambda, mu;
  double second, third;  // Pa: what the second and third power of Yeoh's measure are multiplied
                         // with; 0 for other densities
} pl_fem_lame;

// From p = (Young's modulus in Pa, Poisson's ratio); the ratio lies above -1 and below 1/2.
pl_fem_lame pl_fem_lame_of(const double *p);

// Energy per rest volume as a function of F. 9 x 9 matrices are row-major over pairs of elements of
// F, themselves row by row.
typedef struct pl_fem_density {
  double (*energy)(const pl_mat3 *F, pl_fem_lame lame);
  void (*stress)(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P);
  void (*tangent)(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P, double *C);
  // C and its derivative Q along the direction L.
  void (*third)(const pl_mat3 *F, pl_fem_lame lame, const pl_mat3 *L, pl_mat3 *P, double *C,
                double *Q);
  // What the term λ/2 d² squares, with ∂d/∂F and, where C is not NULL, ∂²d/∂F².
  double (*dilation)(const pl_mat3 *F, pl_mat3 *G, double *C);
  int32_t parameter_count;  // (Young's modulus, Poisson's ratio), and the two of Yeoh
} pl_fem_density;

// The constants of a density from its parameters, and their derivatives by parameter k.
pl_fem_lame pl_fem_density_constants(const pl_fem_density *density, const double *p);
pl_fem_lame pl_fem_density_constants_by(const pl_fem_density *density, const double *p, int k);

// The geometry of one tet.
typedef struct pl_fem_tet {
  double B[4][3];
  double volume;
  pl_mat3 F;
} pl_fem_tet;

// B and the volume at rest.
void pl_fem_tet_rest(const double *X, double B[4][3], double *volume);
// Σ x_a B_aᵀ
pl_mat3 pl_fem_tet_gradient_of(const double *x, const double B[4][3]);
pl_fem_tet pl_fem_tet_of(const pl_fem_element *e);
// h (12 x 12, row-major): volume times C contracted with B on both sides.
void pl_fem_tet_contract(const pl_fem_tet *tet, const double *C, double *h);

// The functions of a pl_fem_energy with the parameters of the density.
double pl_fem_tet_energy(const pl_fem_density *density, const pl_fem_element *e);
void pl_fem_tet_gradient(const pl_fem_density *density, const pl_fem_element *e, double *g);
void pl_fem_tet_hessian(const pl_fem_density *density, const pl_fem_element *e, double *h);
void pl_fem_tet_mixed(const pl_fem_density *density, const pl_fem_element *e, double *m);
void pl_fem_tet_material(const pl_fem_density *density, const pl_fem_element *e, double *d);
void pl_fem_tet_third(const pl_fem_density *density, const pl_fem_element *e, const double *lambda,
                      double *xx, double *xX, double *XX);

extern const char *const pl_fem_elastic_names[4];
extern const pl_fem_density pl_fem_corotated_density;
extern const pl_fem_density pl_fem_neo_hookean_density;
extern const pl_fem_density pl_fem_yeoh_density;

// The table of an element energy of one density; once in a file.
#define PL_FEM_TET_ENERGY(energy_name, text, density, count)                                       \
  static double element_energy(const pl_fem_element *e) {                                          \
    return pl_fem_tet_energy(&density, e);                                                         \
  }                                                                                                \
  static void element_gradient(const pl_fem_element *e, double *g) {                               \
    pl_fem_tet_gradient(&density, e, g);                                                           \
  }                                                                                                \
  static void element_hessian(const pl_fem_element *e, double *h) {                                \
    pl_fem_tet_hessian(&density, e, h);                                                            \
  }                                                                                                \
  static void element_mixed(const pl_fem_element *e, double *m) {                                  \
    pl_fem_tet_mixed(&density, e, m);                                                              \
  }                                                                                                \
  static void element_material(const pl_fem_element *e, double *d) {                               \
    pl_fem_tet_material(&density, e, d);                                                           \
  }                                                                                                \
  static void element_third(const pl_fem_element *e, const double *lambda, double *xx, double *xX, \
                            double *XX) {                                                          \
    pl_fem_tet_third(&density, e, lambda, xx, xX, XX);                                             \
  }                                                                                                \
  const pl_fem_energy energy_name = {.name = text,                                                 \
                                     .corner_count = 4,                                            \
                                     .parameter_count = count,                                     \
                                     .parameter_names = pl_fem_elastic_names,                      \
                                     .energy = element_energy,                                     \
                                     .gradient = element_gradient,                                 \
                                     .hessian = element_hessian,                                   \
                                     .mixed = element_mixed,                                       \
                                     .material = element_material,                                 \
                                     .third = element_third}

// a bᵀ added to element (3 row, 3 column) of an n x n matrix, times s.
static inline void pl_fem_add_outer(double *matrix, int n, int row, int column, double s,
                                    const double *a, const double *b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) matrix[n * (3 * row + i) + 3 * column + j] += s * a[i] * b[j];
}

#endif
