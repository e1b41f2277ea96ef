// Linear systems that are not symmetric: generalised minimal residuals with restarts and a
// preconditioner from the right (Saad and Schultz 1986).
#ifndef PL_CAPTURE_FIT_GMRES_H
#define PL_CAPTURE_FIT_GMRES_H

#include "base/arena.h"

enum { PL_GMRES_BASIS = 40 };

typedef struct pl_gmres {
  int32_t size;
  // y = A x, and y ≈ A⁻¹ x; negative status: failed.
  pl_status (*apply)(void *data, const double *x, double *y, pl_error *error);
  pl_status (*precondition)(void *data, const double *x, double *y, pl_error *error);
  void *data;
  double tolerance;        // of |b - A x| against |b|
  int32_t limit;           // products with A
  double *basis;           // PL_GMRES_BASIS + 1 vectors
  double *image, *change;  // one vector each
  // Of the last solve.
  int32_t product_count;
  double residual;  // |b - A x| / |b|
} pl_gmres;

// Take the vectors; false when out of memory. The caller fills in the rest.
bool pl_gmres_take(pl_arena *arena, int32_t size, pl_gmres *gmres);

// Improve x, which holds a first guess. PL_REMARK_NOT_CONVERGED at the limit.
pl_status pl_gmres_solve(pl_gmres *gmres, const double *rhs, double *x, pl_error *error);

#endif
