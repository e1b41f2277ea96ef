// Rotations nearest to eight matrices at a time, in float: the inner loop of shape matching.
#ifndef PL_MATH_ROTATION_BATCH_H
#define PL_MATH_ROTATION_BATCH_H

#include <stddef.h>

#include "math/simd.h"

// a[9][8]: eight matrices, element by element, row-major (a[3 * row + column][lane]).
// q[4][8]: in: where each iteration starts, normally the last step's answer; out: the unit
// quaternions x, y, z, w. Both aligned to 32 bytes. Anything may be in them: lanes the float
// iteration cannot settle (far guesses, flat, inverted, zero or not finite matrices) are redone by
// pl_rotation_of_mat3(). A lane's result does not depend on the other lanes.
void pl_rotation_batch(const float *a, float *q);

// Two of these, with the same bits: matrices at a and a + stride (a multiple of 8), quaternions at
// q and q + QUAT_LANES. Takes less time where registers have 16 lanes.
void pl_rotation_batch_two(const float *a, size_t stride, float *q);

// The same arithmetic lane by lane in plain float code: what tests hold the kernel against.
void pl_rotation_batch_scalar(const float *a, float *q);

// The kernel by itself for each instruction set, for tests. Bit k of the result is set where lane k
// was not settled; its q is unchanged. `stride` matters to the last alone, which does two batches:
// bits from 8 on are those of the second.
int pl_rotation_batch_plain(const float *a, size_t stride, float *q);
#if PL_SIMD_HAS_AVX2
int pl_rotation_batch_avx2(const float *a, size_t stride, float *q);
int pl_rotation_batch_avx512(const float *a, size_t stride, float *q);
#endif

#endif
