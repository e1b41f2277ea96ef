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

// Several of these, with the same bits: matrices at a, a + stride … (a multiple of 8), quaternions
// at q, q + QUAT_LANES … Takes less time than one after the other where registers have 16 lanes,
// most of all by fours.
void pl_rotation_batch_many(const float *a, size_t stride, float *q, int count);

// The same arithmetic lane by lane in plain float code: what tests hold the kernel against.
void pl_rotation_batch_scalar(const float *a, float *q);

// The kernel by itself for each instruction set, for tests. Of 1 or 2 parts: a part is a batch,
// with AVX-512 two of them. Bit k of the result is set where lane k was not settled; its q is
// unchanged.
unsigned pl_rotation_batch_plain(const float *a, size_t stride, float *q, int parts);
#if PL_SIMD_HAS_AVX2
unsigned pl_rotation_batch_avx2(const float *a, size_t stride, float *q, int parts);
unsigned pl_rotation_batch_avx512(const float *a, size_t stride, float *q, int parts);
#endif

#endif
