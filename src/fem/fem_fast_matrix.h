// The matrix of a step of the fast corotated solid, for coupled solves, which multiply by it a
// hundred times: in double precision and one piece.
//
// With B = h⁻² (stretch + volumes), J the inertia over h² and the turning of fem_fast_turning.h, Q
// = 1 - T Wᵀ where T ω = ω × r and W = M T I⁻¹,
//
//   A d = J d + Qᵀ B Q d = (J + B) d - C ω - W (Cᵀ d - S ω)      ω = Wᵀ d,  C = B T,  S = Tᵀ C
//
// so that a product is one with blocks and two with three columns.
#ifndef PL_FEM_FEM_FAST_MATRIX_H
#define PL_FEM_FEM_FAST_MATRIX_H

#include "fem/fem_fast_turning.h"
#include "sparse/block_matrix.h"

// Workspace of a body: steps allocate nothing.
typedef struct pl_fem_fast_matrix {
  pl_arena arena;
  pl_block_matrix blocks;  // J + B, N/m, by mesh point
  pl_fem_fast_turned turned;
  double *turns;  // columns of T, as those of W
  double *moves;  // three numbers per particle, for the caller
} pl_fem_fast_matrix;

pl_status pl_fem_fast_create_work(const pl_model *model, pl_context *context, double step,
                                  void **work, pl_error *error);
void pl_fem_fast_destroy_work(void *work);

// The part of the matrix that the model knows (fem_fast_build.c): which blocks there are, and
// stretching.
// `matrix` is A in the order of the mesh; `inertia` 1 + h damping.
pl_status pl_fem_fast_pattern_build(const pl_sparse *matrix, const pl_mesh_view *mesh,
                                    double inertia, pl_fem_fast_model *model, pl_error *error);

// The matrix of a step whose rotations are found.
void pl_fem_fast_matrix_fill(const pl_fem_fast_solver *solver, pl_fem_fast_matrix *matrix);

// product = A d, without what pins and colliders add.
void pl_fem_fast_matrix_multiply(const pl_fem_fast_solver *solver, const pl_fem_fast_matrix *matrix,
                                 const double *d, double *product);

#endif
