// Rotations and principal stretches of 3x3 matrices.
#ifndef PL_MATH_ROTATION_H
#define PL_MATH_ROTATION_H

#include "pliant/math.h"

// The rotation nearest to `a` (maximises trace(Rᵀ a)): always det +1, also for inverted, flat and
// zero input. `guess` is where the iteration starts, normally the last step's answer; a bad guess
// costs time, not correctness.
pl_quat pl_rotation_of_mat3(pl_mat3 a, pl_quat guess);

// Eigenvalues in falling order and orthonormal eigenvectors (columns of `vectors`, det +1) of a
// symmetric matrix.
void pl_symmetric_eigen(pl_mat3 a, pl_vec3 *values, pl_mat3 *vectors);

// a = u diag(s) vᵀ with rotations u and v (det +1 both); s falling in size, only the last may be
// negative.
void pl_signed_svd(pl_mat3 a, pl_mat3 *u, pl_vec3 *s, pl_mat3 *v);

// Right stretch S with a = R S for the rotation R found above; symmetric, with one negative
// eigenvalue if a is inverted.
pl_mat3 pl_right_stretch(pl_mat3 a, pl_quat rotation);

#endif
