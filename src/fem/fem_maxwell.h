// Viscosity of tets: Rayleigh's stiffness damping, Maxwell branches (Prony terms) and structural
// damping, as one energy of the change of shape in a step.
//
// Of an element at one of its points of integration
//
//   J     ∂x/∂ξ, ξ the coordinates of the parent tet; of linear tets the edges from corner 0
//   m     JᵀJ, the metric: what no rigid motion changes. It does not depend on the rest shape
//   K     ∂ξ/∂X at rest,  G = K Kᵀ,  w the volume that the point stands for
//
// A Maxwell branch is a spring of γ times the elastic constants in series with a dashpot. Its
// internal variable is the metric m_b at which the spring has no stress, of Saint Venant and
// Kirchhoff's law; it follows the body's in the relaxation time t_b:
//
//   m_b' = (m - m_b) / t_b            W_b = γ_b Σ w (μ |E|² + λ/2 tr(E)²),  E = ½ Kᵀ (m - m_b) K
//
// λ acts on the mean of the element as the elastic energy's does (fem_quadratic.h). For small
// strains the modulus is E(t) = E (1 + Σ γ_b exp(-t / t_b)) after a step of strain, and E (1 + β s
// + Σ γ_b s t_b / (1 + s t_b)) for a vibration exp(s t): `young` is the modulus at rest.
//
// In a step of length h the body is taken to be where it is found, u, for all of the step. Then
// m_b goes exactly exponentially from m_b to a m_b + (1 - a) m(u), a = exp(-h / t_b), and its mean
// stress is that of W_b with the factor f_b = γ_b (1 - a) t_b / h. This is of second order with u
// in the middle of the step, and does not ring where t_b is far shorter than the step. Stiffness
// damping is a branch whose metric is that of where the step began, m(x), with the factor β / τ.
// All branches have the same constants, so their sum is that of one, up to what does not depend on
// u:
//
//   D(u) = f Σ w (μ |Ē|² + λ/2 tr(Ē)²)     Ē = ½ Kᵀ (m(u) - m̄) K,  f = Σ f_b,  m̄ = Σ f_b m_b / f
//
// whatever their number. Forces are J s, with the stress of the parent tet
//
//   s = w (μ G Δ G + λ/2 θ G)     Δ = f m(u) - Σ f_b m_b,  θ the mean of tr(G Δ)
//
// which is symmetric: they have no torque, and rigid motion of any part has no forces at all.
#ifndef PL_FEM_MAXWELL_H
#define PL_FEM_MAXWELL_H

#include "fem/fem_model.h"

enum { PL_FEM_METRIC = 6, PL_FEM_MAX_POINTS = 4 };

// What rest shape and volume make of a point.
typedef struct pl_fem_maxwell_point {
  double K[9], gram[PL_FEM_METRIC], weight;
} pl_fem_maxwell_point;

typedef struct pl_fem_maxwell {
  pl_context *context;
  const pl_fem_model *model;
  double damping;                                           // β, s: at first the model's …
  pl_fem_branches branches;                                 // … as are these
  int32_t node_count, point_count;                          // of an element
  double slopes[PL_FEM_MAX_POINTS][PL_FEM_MAX_CORNERS][3];  // ∂N/∂ξ at the points
  pl_fem_maxwell_point *points;                             // by element, then point
  double *constants;                                        // λ, μ by element
  double *anchors;                                          // Σ f_b m_b by element and point
  double factor;                                            // Σ f_b
  double *energies;                                         // J, by element
  double *metrics;  // m_b by branch, element and point, borrowed: those of the state
} pl_fem_maxwell;

// Whether a model's elements can have it, and whether they do.
bool pl_fem_can_be_viscous(const pl_fem_model *model);
bool pl_fem_is_viscous(const pl_fem_model *model);

// Numbers of all metrics of one branch.
size_t pl_fem_metrics_size(const pl_fem_model *model);

// f_b over γ_b, and a, for a step of length h.
double pl_fem_branch_factor(double time, double h);
double pl_fem_branch_kept(double time, double h);

// Take the memory, with the rest shape and the material of the model; false when out of memory.
bool pl_fem_maxwell_take(pl_arena *arena, pl_context *context, const pl_fem_model *model,
                         pl_fem_maxwell *maxwell);

// Use another rest shape (3 numbers per node and element) and other parameters (by element).
void pl_fem_maxwell_use(pl_fem_maxwell *maxwell, const double *rest, const double *parameters);

// m of every element and point at x, 3 numbers per particle.
void pl_fem_maxwell_measure(const pl_fem_maxwell *maxwell, const double *x, double *metrics);

// D for a step from x of length h, `tau` from x to u, with maxwell->metrics of the branches.
void pl_fem_maxwell_begin(pl_fem_maxwell *maxwell, const double *x, double tau, double h);

// D at u in joules; `gradient` is overwritten, the Hessian added to `matrix`, where they are not
// NULL; `positive`: without what could be negative of it. The same bits for any number of threads;
// allocates nothing.
double pl_fem_maxwell_evaluate(pl_fem_maxwell *maxwell, const double *u, double *gradient,
                               pl_block_matrix *matrix, bool positive);

// maxwell->metrics after a time h in the shape u.
void pl_fem_maxwell_finish(pl_fem_maxwell *maxwell, const double *u, double h);

// How the forces ∂D/∂u change with parameters of which everything may depend, one column each, at
// the same u. Arrays have the columns of a number next to each other, `padded` of them, a multiple
// of 4.
typedef struct pl_fem_maxwell_changes {
  int32_t padded;
  const double *u;
  const double *factors;      // ∂f, [padded]
  const double *anchors;      // ∂ Σ f_b m_b, [element][point][6][padded]
  const double *rest_change;  // ∂X, [3 particles][padded], or NULL
  const double *fractions;    // ∂E / E by element, [element][padded], or NULL
  int32_t poisson_column;     // that of Poisson's ratio, -1: none
  const double *poisson;      // ∂λ, ∂μ by element; only with that column
  double *rhs;                // [3 particles][padded]: the change of forces is subtracted
} pl_fem_maxwell_changes;
void pl_fem_maxwell_change(const pl_fem_maxwell *maxwell, const pl_fem_maxwell_changes *changes);

// ∂m of every element and point along changes of x, [3 particles][padded]: [element][point][6]
// [padded], overwritten.
void pl_fem_maxwell_measure_change(const pl_fem_maxwell *maxwell, const double *x,
                                   const double *change, int32_t padded, double *metrics);

#endif
