// Vectors of four things in double precision, a register per component (math/simd.h). The sums are
// those of pliant/math.h. Included by kernels.
#ifndef PL_CONTACT_VEC3_FOUR_H
#define PL_CONTACT_VEC3_FOUR_H

#include "math/f4.h"
#include "math/simd_eight.h"
#include "pliant/math.h"

enum { FOUR = 4 };

typedef int64_t four_mask __attribute__((vector_size(32), may_alias));
typedef pl_f4 f4_unaligned __attribute__((may_alias, aligned(4)));
typedef struct vec3_four {
  pl_d4 x, y, z;
} vec3_four;

// Four floats from any address, and back.
PL_SIMD_INLINE pl_f4 f4_load(const void *from) {
  return *(const f4_unaligned *)from;
}
PL_SIMD_INLINE void f4_store(void *to, pl_f4 a) {
  *(f4_unaligned *)to = a;
}

PL_SIMD_INLINE pl_d4 set_four(double a) {
  return (pl_d4){a, a, a, a};
}

// Without AVX comparisons of four are made by halves: gcc takes them apart into single numbers.
typedef double four_half __attribute__((vector_size(16), may_alias));
typedef int64_t half_mask __attribute__((vector_size(16), may_alias));
typedef union four_halves {
  pl_d4 whole;
  four_mask mask;
  four_half half[2];
  half_mask mask_half[2];
} four_halves;

// Where a > b.
PL_SIMD_INLINE four_mask is_more(pl_d4 a, pl_d4 b) {
#if PL_SIMD_IS_AVX
  return (four_mask)(a > b);
#else
  four_halves x = {a}, y = {b}, more;
  for (int k = 0; k < 2; ++k) more.mask_half[k] = (half_mask)(x.half[k] > y.half[k]);
  return more.mask;
#endif
}

// a where the mask is set, b elsewhere.
PL_SIMD_INLINE pl_d4 select_four(four_mask mask, pl_d4 a, pl_d4 b) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
  four_halves m = {(pl_d4)mask}, x = {a}, y = {b};
  for (int k = 0; k < 2; ++k)
    x.mask_half[k] = (m.mask_half[k] & x.mask_half[k]) | (~m.mask_half[k] & y.mask_half[k]);
  return x.whole;
#endif
}
PL_SIMD_INLINE vec3_four select_vectors(four_mask mask, vec3_four a, vec3_four b) {
  return (vec3_four){select_four(mask, a.x, b.x), select_four(mask, a.y, b.y),
                     select_four(mask, a.z, b.z)};
}

// a > b ? a : b, so b where either is not a number.
PL_SIMD_INLINE pl_d4 larger_four(pl_d4 a, pl_d4 b) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
  return select_four(is_more(a, b), a, b);
#endif
}
// a < b ? a : b, alike.
PL_SIMD_INLINE pl_d4 smaller_four(pl_d4 a, pl_d4 b) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
  return select_four(is_more(b, a), a, b);
#endif
}
PL_SIMD_INLINE pl_d4 sqrt_four(pl_d4 a) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_sqrt_pd((__m256d)a);
#elif defined(__SSE2__)
  four_halves x = {a};
  for (int k = 0; k < 2; ++k) x.half[k] = (four_half)_mm_sqrt_pd((__m128d)x.half[k]);
  return x.whole;
#else
  return (pl_d4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

// Bit k is set where lane k is.
PL_SIMD_INLINE int four_bits(four_mask mask) {
#if PL_SIMD_IS_AVX
  return _mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE2__)
  four_halves x = {(pl_d4)mask};
  return _mm_movemask_pd((__m128d)x.half[0]) | _mm_movemask_pd((__m128d)x.half[1]) << 2;
#else
  return (mask[0] < 0) | (mask[1] < 0) << 1 | (mask[2] < 0) << 2 | (mask[3] < 0) << 3;
#endif
}

PL_SIMD_INLINE vec3_four minus_four(vec3_four a, vec3_four b) {
  return (vec3_four){a.x - b.x, a.y - b.y, a.z - b.z};
}
PL_SIMD_INLINE vec3_four scale_four(vec3_four a, pl_d4 scale) {
  return (vec3_four){a.x * scale, a.y * scale, a.z * scale};
}
// a + scale b, and a - scale b
PL_SIMD_INLINE vec3_four add_four(vec3_four a, vec3_four b, pl_d4 scale) {
  return (vec3_four){a.x + b.x * scale, a.y + b.y * scale, a.z + b.z * scale};
}
PL_SIMD_INLINE vec3_four sub_four(vec3_four a, vec3_four b, pl_d4 scale) {
  return (vec3_four){a.x - b.x * scale, a.y - b.y * scale, a.z - b.z * scale};
}
PL_SIMD_INLINE pl_d4 dot_four(vec3_four a, vec3_four b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
PL_SIMD_INLINE vec3_four cross_four(vec3_four a, vec3_four b) {
  return (vec3_four){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// From and to four addresses, in the same two parts: a load waits for a store that it does not
// match.
PL_SIMD_INLINE vec3_four gather_four(const pl_vec3 *a, const pl_vec3 *b, const pl_vec3 *c,
                                     const pl_vec3 *d) {
#if PL_SIMD_IS_AVX
  __m256d even =
      _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&a->x)), _mm_loadu_pd(&c->x), 1);
  __m256d odd =
      _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&b->x)), _mm_loadu_pd(&d->x), 1);
  return (vec3_four){(pl_d4)_mm256_unpacklo_pd(even, odd), (pl_d4)_mm256_unpackhi_pd(even, odd),
                     (pl_d4){a->z, b->z, c->z, d->z}};
#else
  return (vec3_four){{a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
#endif
}
PL_SIMD_INLINE void scatter_four(pl_vec3 *const to[FOUR], vec3_four v) {
#if PL_SIMD_IS_AVX
  __m256d even = _mm256_unpacklo_pd((__m256d)v.x, (__m256d)v.y);
  __m256d odd = _mm256_unpackhi_pd((__m256d)v.x, (__m256d)v.y);
  _mm_storeu_pd(&to[0]->x, _mm256_castpd256_pd128(even));
  _mm_storeu_pd(&to[1]->x, _mm256_castpd256_pd128(odd));
  _mm_storeu_pd(&to[2]->x, _mm256_extractf128_pd(even, 1));
  _mm_storeu_pd(&to[3]->x, _mm256_extractf128_pd(odd, 1));
  for (int l = 0; l < FOUR; ++l) to[l]->z = v.z[l];
#else
  for (int l = 0; l < FOUR; ++l) *to[l] = pl_vec3_of(v.x[l], v.y[l], v.z[l]);
#endif
}

// Four floats to doubles, and back.
PL_SIMD_INLINE pl_d4 widen_four(pl_f4 a) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_cvtps_pd((__m128)a);
#else
  return __builtin_convertvector(a, pl_d4);
#endif
}
PL_SIMD_INLINE pl_f4 narrow_four(pl_d4 a) {
#if PL_SIMD_IS_AVX
  return (pl_f4)_mm256_cvtpd_ps((__m256d)a);
#else
  return __builtin_convertvector(a, pl_f4);
#endif
}

PL_SIMD_INLINE pl_d4 widen_ints(pl_m4 a) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_cvtepi32_pd((__m128i)a);
#else
  return __builtin_convertvector(a, pl_d4);
#endif
}

// Rows become columns.
PL_SIMD_INLINE void transpose_floats(pl_f4 a[FOUR]) {
  pl_f4 low01 = __builtin_shufflevector(a[0], a[1], 0, 4, 1, 5);
  pl_f4 high01 = __builtin_shufflevector(a[0], a[1], 2, 6, 3, 7);
  pl_f4 low23 = __builtin_shufflevector(a[2], a[3], 0, 4, 1, 5);
  pl_f4 high23 = __builtin_shufflevector(a[2], a[3], 2, 6, 3, 7);
  a[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  a[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  a[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  a[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

// Vectors of three floats at four addresses, and the floats that follow them.
PL_SIMD_INLINE vec3_four gather_floats(const float *const from[FOUR], pl_d4 *fourth) {
  pl_f4 a[FOUR];
  for (int l = 0; l < FOUR; ++l) a[l] = f4_load(from[l]);
  transpose_floats(a);
  *fourth = widen_four(a[3]);
  return (vec3_four){widen_four(a[0]), widen_four(a[1]), widen_four(a[2])};
}
PL_SIMD_INLINE void scatter_floats(float *const to[FOUR], pl_f4 x, pl_f4 y, pl_f4 z, pl_f4 fourth) {
  pl_f4 a[FOUR] = {x, y, z, fourth};
  transpose_floats(a);
  for (int l = 0; l < FOUR; ++l) f4_store(to[l], a[l]);
}

#endif
