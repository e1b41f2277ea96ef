// Eigenvalues of small symmetric matrices by rotations in coordinate planes.
#ifndef PL_MATH_JACOBI_H
#define PL_MATH_JACOBI_H

enum { PL_JACOBI_SIZE = 4 };

// Diagonalise the symmetric n x n matrix in the top left of `a`, n <= 4. On return the diagonal of
// `a` holds the eigenvalues, in no particular order, and the columns of `vectors` the orthonormal
// eigenvectors, with determinant +1 (up to rounding). Elements should be of moderate size (see
// pl_mat3_normalizer). Always ends, also for input that is not finite.
void pl_jacobi_eigen(int n, double a[PL_JACOBI_SIZE][PL_JACOBI_SIZE],
                     double vectors[PL_JACOBI_SIZE][PL_JACOBI_SIZE]);

#endif
