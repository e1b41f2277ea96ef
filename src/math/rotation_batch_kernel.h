// Kernel of pl_rotation_batch(), the rotation R of paper 000, eq. 1: guarded Newton iteration as in rotation.c, on
// eight float matrices at once, or on two or four such batches. Included by one file per instruction set (see simd.h),
// with KERNEL_NAME and WIDTH (8 or 16) set; no include guard on purpose.
//
// A  matrix      q  rotation, R its matrix       B = R^T A
// g  axial part of B    H = tr(S) I - S, S = (B + B^T)/2    w  Newton step, H w = g
//
// A lane is *settled* once its step is so short that the error left is below float rounding (SETTLED). It is then
// frozen, so that what its neighbours still need does not change its bits. It is *lost* when H is not safely positive
// definite or when MAX_ITERATION_COUNT is reached; the caller redoes it in double.
#include "math/rotation_batch_limits.h"

// Eight lanes of one batch, or those of two batches one after the other: the second is `stride` floats after the first.
#if WIDTH == 16
typedef float wide_f __attribute__((vector_size(64), may_alias));
typedef int32_t wide_m __attribute__((vector_size(64), may_alias));

PL_SIMD_INLINE wide_f wide_load(const float *from, size_t stride) {
  __m512 low = _mm512_castps256_ps512(_mm256_load_ps(from));
  return (wide_f)_mm512_insertf32x8(low, _mm256_load_ps(from + stride), 1);
}
PL_SIMD_INLINE void wide_store(float *to, size_t stride, wide_f a) {
  _mm256_store_ps(to, _mm512_castps512_ps256((__m512)a));
  _mm256_store_ps(to + stride, _mm512_extractf32x8_ps((__m512)a, 1));
}
PL_SIMD_INLINE wide_f wide_set1(float a) {
  return (wide_f)_mm512_set1_ps(a);
}
PL_SIMD_INLINE wide_f wide_select(wide_m mask, wide_f a, wide_f b) {
  return (wide_f)((mask & (wide_m)a) | (~mask & (wide_m)b));
}
PL_SIMD_INLINE wide_f wide_abs(wide_f a) {
  return (wide_f)((wide_m)a & INT32_MAX);
}
PL_SIMD_INLINE wide_f wide_max(wide_f a, wide_f b) {
  return (wide_f)_mm512_max_ps((__m512)a, (__m512)b);
}
PL_SIMD_INLINE wide_f wide_sqrt(wide_f a) {
  return (wide_f)_mm512_sqrt_ps((__m512)a);
}
PL_SIMD_INLINE int wide_bits(wide_m mask) {
  return _mm512_movepi32_mask((__m512i)mask);
}
#else
typedef pl_f8 wide_f;
typedef pl_m8 wide_m;

PL_SIMD_INLINE wide_f wide_load(const float *from, size_t stride) {
  (void)stride;
  return pl_f8_load(from);
}
PL_SIMD_INLINE void wide_store(float *to, size_t stride, wide_f a) {
  (void)stride;
  pl_f8_store(to, a);
}
PL_SIMD_INLINE wide_f wide_set1(float a) {
  return pl_f8_set1(a);
}
PL_SIMD_INLINE wide_f wide_select(wide_m mask, wide_f a, wide_f b) {
  return pl_f8_select(mask, a, b);
}
PL_SIMD_INLINE wide_f wide_abs(wide_f a) {
  return pl_f8_abs(a);
}
PL_SIMD_INLINE wide_f wide_max(wide_f a, wide_f b) {
  return pl_f8_max(a, b);
}
PL_SIMD_INLINE wide_f wide_sqrt(wide_f a) {
  return pl_f8_sqrt(a);
}
PL_SIMD_INLINE int wide_bits(wide_m mask) {
  return pl_m8_bits(mask);
}
#endif

PL_SIMD_INLINE bool wide_any(wide_m mask) {
  return wide_bits(mask) != 0;
}

typedef struct lane_quat {
  wide_f x, y, z, w;
} lane_quat;

// Made a unit. After a short step the square is within 1e-4 of 1, where two terms of a series are exact to 1e-9; where
// all lanes are so, nothing waits for a root and a division.
PL_SIMD_INLINE void unit(lane_quat *q, wide_m is_short, bool all_short) {
  wide_f square = q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w, f = 1.5f - 0.5f * square;
  if (!all_short) f = wide_select(is_short, f, 1.0f / wide_sqrt(square));
  q->x *= f;
  q->y *= f;
  q->z *= f;
  q->w *= f;
}

// b = R(q)^T a
PL_SIMD_INLINE void unrotate(const lane_quat *q, const wide_f a[9], wide_f b[9]) {
  wide_f x2 = q->x + q->x, y2 = q->y + q->y, z2 = q->z + q->z;
  wide_f xx = q->x * x2, yy = q->y * y2, zz = q->z * z2, xy = q->x * y2, xz = q->x * z2, yz = q->y * z2;
  wide_f wx = q->w * x2, wy = q->w * y2, wz = q->w * z2;
  wide_f r00 = 1.0f - (yy + zz), r01 = xy - wz, r02 = xz + wy;
  wide_f r10 = xy + wz, r11 = 1.0f - (xx + zz), r12 = yz - wx;
  wide_f r20 = xz - wy, r21 = yz + wx, r22 = 1.0f - (xx + yy);
  for (int j = 0; j < 3; ++j) {
    b[j] = r00 * a[j] + r10 * a[3 + j] + r20 * a[6 + j];
    b[3 + j] = r01 * a[j] + r11 * a[3 + j] + r21 * a[6 + j];
    b[6 + j] = r02 * a[j] + r12 * a[3 + j] + r22 * a[6 + j];
  }
}

// H w = g. Returns the lanes where H is safely positive definite; w means nothing in the others. `is_short`: the lanes
// that such a step settles.
PL_SIMD_INLINE wide_m newton_step(const wide_f b[9], wide_f w[3], wide_f *length2, wide_m *is_short) {
  wide_f h00 = b[4] + b[8], h11 = b[0] + b[8], h22 = b[0] + b[4];
  wide_f h01 = -0.5f * (b[1] + b[3]), h02 = -0.5f * (b[2] + b[6]), h12 = -0.5f * (b[5] + b[7]);
  wide_f c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
  wide_f c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
  wide_f determinant = h00 * c00 + h01 * c01 + h02 * c02, trace = h00 + h11 + h22;
  wide_f gx = b[7] - b[5], gy = b[2] - b[6], gz = b[3] - b[1], f = 1.0f / determinant, cube = trace * trace * trace;
  w[0] = f * (c00 * gx + c01 * gy + c02 * gz);
  w[1] = f * (c01 * gx + c11 * gy + c12 * gz);
  w[2] = f * (c02 * gx + c12 * gy + c22 * gz);
  *length2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  *is_short = *length2 * cube < SETTLED * determinant;
  return (h00 > 0.0f) & (c22 > 0.0f) & (determinant > MIN_CURVATURE * cube);
}

// q (w/2, 1 + |w|²/4), made a unit. For a matrix of three equal stretches |w| is the tangent of the angle of which the
// quaternion takes that of the half, and tan(a/2) = tan(a)/2 / (1 + tan²(a)/4) up to the fifth order.
PL_SIMD_INLINE lane_quat turned(const lane_quat *q, const wide_f w[3], wide_f length2, wide_m is_short,
                                bool all_short) {
  wide_f x = 0.5f * w[0], y = 0.5f * w[1], z = 0.5f * w[2], u = 1.0f + 0.25f * length2;
  lane_quat r = {q->x * u + q->w * x + (q->y * z - q->z * y), q->y * u + q->w * y + (q->z * x - q->x * z),
                 q->z * u + q->w * z + (q->x * y - q->y * x), q->w * u - (q->x * x + q->y * y + q->z * z)};
  unit(&r, is_short, all_short);
  return r;
}

// Matrices whose products might leave the range of float, scaled so that their largest element is 1. No division where
// there are none.
PL_SIMD_INLINE void scale_extremes(wide_f a[9], wide_f max) {
  wide_m is_extreme = ~((max > MIN_PLAIN_SIZE) & (max < MAX_PLAIN_SIZE));
  if (!wide_any(is_extreme)) return;
  wide_f scale = wide_select(is_extreme, 1.0f / max, wide_set1(1.0f));
  for (int i = 0; i < 9; ++i) a[i] *= scale;
}

// As many lanes as a register has, on their way.
typedef struct wide_batch {
  wide_f a[9];
  lane_quat q, start;
  wide_m active, lost;
} wide_batch;

PL_SIMD_INLINE void begin_batch(wide_batch *b, const float *matrices, size_t stride, const float *quaternions) {
  wide_f max = wide_set1(0.0f);
  for (int i = 0; i < 9; ++i) {
    b->a[i] = wide_load(matrices + LANES * i, stride);
    max = wide_max(max, wide_abs(b->a[i]));
  }
  scale_extremes(b->a, max);
  lane_quat q = {wide_load(quaternions, QUAT_LANES), wide_load(quaternions + LANES, QUAT_LANES),
                 wide_load(quaternions + 2 * LANES, QUAT_LANES), wide_load(quaternions + 3 * LANES, QUAT_LANES)};
  b->q = b->start = q;
  b->active = (max > MIN_SIZE) & (max < MAX_SIZE) &
              (wide_abs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0f) < UNIT_TOLERANCE);
  b->lost = ~b->active;
}

PL_SIMD_INLINE void take_step(wide_batch *b, const wide_f w[3], wide_f length2, wide_m is_short, bool all_short) {
  lane_quat next = turned(&b->q, w, length2, is_short, all_short);
  b->q.x = wide_select(b->active, next.x, b->q.x);
  b->q.y = wide_select(b->active, next.y, b->q.y);
  b->q.z = wide_select(b->active, next.z, b->q.z);
  b->q.w = wide_select(b->active, next.w, b->q.w);
  b->active &= ~is_short;
}

PL_SIMD_INLINE int end_batch(wide_batch *b, float *quaternions) {
  b->lost |= b->active;
  wide_store(quaternions, QUAT_LANES, wide_select(b->lost, b->start.x, b->q.x));
  wide_store(quaternions + LANES, QUAT_LANES, wide_select(b->lost, b->start.y, b->q.y));
  wide_store(quaternions + 2 * LANES, QUAT_LANES, wide_select(b->lost, b->start.z, b->q.z));
  wide_store(quaternions + 3 * LANES, QUAT_LANES, wide_select(b->lost, b->start.w, b->q.w));
  return wide_bits(b->lost);
}

// A step waits for nearly each of its operations; those of a second register fill the gaps.
PL_SIMD_INLINE unsigned run(const float *matrices, size_t stride, float *quaternions, int parts) {
  enum { MAX_PARTS = 2 };
  wide_batch b[MAX_PARTS];
  wide_m any = {0};
  for (int p = 0; p < parts; ++p) {
    begin_batch(&b[p], matrices + WIDTH / LANES * stride * (size_t)p, stride,
                quaternions + WIDTH / LANES * QUAT_LANES * p);
    any |= b[p].active;
  }
  for (int iteration = 0; iteration < MAX_ITERATION_COUNT && wide_any(any); ++iteration) {
    wide_f w[MAX_PARTS][3], length2[MAX_PARTS];
    wide_m is_short[MAX_PARTS], not_short = {0};
    for (int p = 0; p < parts; ++p) {
      wide_f rotated[9];
      unrotate(&b[p].q, b[p].a, rotated);
      wide_m good = newton_step(rotated, w[p], &length2[p], &is_short[p]);
      good &= length2[p] < MAX_STEP_LENGTH * MAX_STEP_LENGTH;
      b[p].lost |= b[p].active & ~good;
      b[p].active &= good;
      not_short |= ~is_short[p];
    }
    bool are_short = !wide_any(not_short);
    any ^= any;
    for (int p = 0; p < parts; ++p) {
      take_step(&b[p], w[p], length2[p], is_short[p], are_short);
      any |= b[p].active;
    }
  }
  unsigned lost = 0;
  for (int p = 0; p < parts; ++p)
    lost |= (unsigned)end_batch(&b[p], quaternions + WIDTH / LANES * QUAT_LANES * p) << (WIDTH * p % 32);
  return lost;
}

unsigned KERNEL_NAME(const float *matrices, size_t stride, float *quaternions, int parts) {
  return parts == 1 ? run(matrices, stride, quaternions, 1) : run(matrices, stride, quaternions, 2);
}
