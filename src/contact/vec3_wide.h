// Vectors of four things in double precision, of eight where there is AVX-512, a register per
// component (math/simd.h). The sums are those of pliant/math.h. Included by kernels.
#ifndef PL_CONTACT_VEC3_WIDE_H
#define PL_CONTACT_VEC3_WIDE_H

#include "math/f4.h"
#include "math/simd_eight.h"
#include "pliant/math.h"

typedef pl_f4 f4_unaligned __attribute__((may_alias, aligned(4)));

#if PL_SIMD_IS_AVX512
enum { WIDE = 8 };
typedef pl_d8 wide;
typedef pl_f8 wide_floats;
typedef pl_m8 wide_ints;
typedef __mmask8 wide_mask;
#else
enum { WIDE = 4 };
typedef pl_d4 wide;
typedef pl_f4 wide_floats;
typedef pl_m4 wide_ints;
typedef int64_t wide_mask __attribute__((vector_size(32), may_alias));
#endif
typedef struct vec3_wide {
  wide x, y, z;
} vec3_wide;

// Four floats from any address, and back.
PL_SIMD_INLINE pl_f4 f4_load(const void *from) {
  return *(const f4_unaligned *)from;
}
PL_SIMD_INLINE void f4_store(void *to, pl_f4 a) {
  *(f4_unaligned *)to = a;
}

// set_wide: the same in all lanes. is_more: where a > b. select_wide: a where the mask is set, b
// elsewhere. larger_wide: a > b ? a : b, so b where either is not a number; smaller_wide alike.
// wide_bits: bit k is set where lane k is.
#if PL_SIMD_IS_AVX512
PL_SIMD_INLINE wide set_wide(double a) {
  return pl_d8_of(a);
}
PL_SIMD_INLINE wide_mask is_more(wide a, wide b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ);
}
PL_SIMD_INLINE wide select_wide(wide_mask mask, wide a, wide b) {
  return (wide)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a);
}
PL_SIMD_INLINE wide larger_wide(wide a, wide b) {
  return (wide)_mm512_max_pd((__m512d)a, (__m512d)b);
}
PL_SIMD_INLINE wide smaller_wide(wide a, wide b) {
  return (wide)_mm512_min_pd((__m512d)a, (__m512d)b);
}
PL_SIMD_INLINE wide sqrt_wide(wide a) {
  return (wide)_mm512_sqrt_pd((__m512d)a);
}
PL_SIMD_INLINE int wide_bits(wide_mask mask) {
  return mask;
}
PL_SIMD_INLINE int wide_int_bits(wide_ints mask) {
  return pl_m8_bits(mask);
}
#elif PL_SIMD_IS_AVX
PL_SIMD_INLINE wide set_wide(double a) {
  return (wide){a, a, a, a};
}
PL_SIMD_INLINE wide_mask is_more(wide a, wide b) {
  return (wide_mask)(a > b);
}
PL_SIMD_INLINE wide select_wide(wide_mask mask, wide a, wide b) {
  return (wide)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
}
PL_SIMD_INLINE wide larger_wide(wide a, wide b) {
  return (wide)_mm256_max_pd((__m256d)a, (__m256d)b);
}
PL_SIMD_INLINE wide smaller_wide(wide a, wide b) {
  return (wide)_mm256_min_pd((__m256d)a, (__m256d)b);
}
PL_SIMD_INLINE wide sqrt_wide(wide a) {
  return (wide)_mm256_sqrt_pd((__m256d)a);
}
PL_SIMD_INLINE int wide_bits(wide_mask mask) {
  return _mm256_movemask_pd((__m256d)mask);
}
PL_SIMD_INLINE int wide_int_bits(wide_ints mask) {
  return pl_m4_bits(mask);
}
#else
// By halves: gcc takes comparisons of four apart into single numbers.
typedef double wide_half __attribute__((vector_size(16), may_alias));
typedef int64_t half_mask __attribute__((vector_size(16), may_alias));
typedef union wide_halves {
  wide whole;
  wide_mask mask;
  wide_half half[2];
  half_mask mask_half[2];
} wide_halves;

PL_SIMD_INLINE wide set_wide(double a) {
  return (wide){a, a, a, a};
}
PL_SIMD_INLINE wide_mask is_more(wide a, wide b) {
  wide_halves x = {a}, y = {b}, more;
  for (int k = 0; k < 2; ++k) more.mask_half[k] = (half_mask)(x.half[k] > y.half[k]);
  return more.mask;
}
PL_SIMD_INLINE wide select_wide(wide_mask mask, wide a, wide b) {
  wide_halves m = {(wide)mask}, x = {a}, y = {b};
  for (int k = 0; k < 2; ++k)
    x.mask_half[k] = (m.mask_half[k] & x.mask_half[k]) | (~m.mask_half[k] & y.mask_half[k]);
  return x.whole;
}
PL_SIMD_INLINE wide larger_wide(wide a, wide b) {
  return select_wide(is_more(a, b), a, b);
}
PL_SIMD_INLINE wide smaller_wide(wide a, wide b) {
  return select_wide(is_more(b, a), a, b);
}
PL_SIMD_INLINE wide sqrt_wide(wide a) {
#if defined(__SSE2__)
  wide_halves x = {a};
  for (int k = 0; k < 2; ++k) x.half[k] = (wide_half)_mm_sqrt_pd((__m128d)x.half[k]);
  return x.whole;
#else
  return (wide){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}
PL_SIMD_INLINE int wide_bits(wide_mask mask) {
#if defined(__SSE2__)
  wide_halves x = {(wide)mask};
  return _mm_movemask_pd((__m128d)x.half[0]) | _mm_movemask_pd((__m128d)x.half[1]) << 2;
#else
  return (mask[0] < 0) | (mask[1] < 0) << 1 | (mask[2] < 0) << 2 | (mask[3] < 0) << 3;
#endif
}
PL_SIMD_INLINE int wide_int_bits(wide_ints mask) {
  return pl_m4_bits(mask);
}
#endif

PL_SIMD_INLINE wide_mask mask_or(wide_mask a, wide_mask b) {
  return (wide_mask)(a | b);
}
PL_SIMD_INLINE wide_mask mask_and(wide_mask a, wide_mask b) {
  return (wide_mask)(a & b);
}
PL_SIMD_INLINE vec3_wide select_vectors(wide_mask mask, vec3_wide a, vec3_wide b) {
  return (vec3_wide){select_wide(mask, a.x, b.x), select_wide(mask, a.y, b.y),
                     select_wide(mask, a.z, b.z)};
}

PL_SIMD_INLINE vec3_wide minus_wide(vec3_wide a, vec3_wide b) {
  return (vec3_wide){a.x - b.x, a.y - b.y, a.z - b.z};
}
PL_SIMD_INLINE vec3_wide scale_wide(vec3_wide a, wide scale) {
  return (vec3_wide){a.x * scale, a.y * scale, a.z * scale};
}
// a + scale b, and a - scale b
PL_SIMD_INLINE vec3_wide add_wide(vec3_wide a, vec3_wide b, wide scale) {
  return (vec3_wide){a.x + b.x * scale, a.y + b.y * scale, a.z + b.z * scale};
}
PL_SIMD_INLINE vec3_wide sub_wide(vec3_wide a, vec3_wide b, wide scale) {
  return (vec3_wide){a.x - b.x * scale, a.y - b.y * scale, a.z - b.z * scale};
}
PL_SIMD_INLINE wide dot_wide(vec3_wide a, vec3_wide b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
PL_SIMD_INLINE vec3_wide cross_wide(vec3_wide a, vec3_wide b) {
  return (vec3_wide){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Floats and integers to doubles, and back.
PL_SIMD_INLINE wide widen(wide_floats a) {
#if PL_SIMD_IS_AVX512
  return (wide)_mm512_cvtps_pd((__m256)a);
#elif PL_SIMD_IS_AVX
  return (wide)_mm256_cvtps_pd((__m128)a);
#else
  return __builtin_convertvector(a, wide);
#endif
}
PL_SIMD_INLINE wide_floats narrow(wide a) {
#if PL_SIMD_IS_AVX512
  return (wide_floats)_mm512_cvtpd_ps((__m512d)a);
#elif PL_SIMD_IS_AVX
  return (wide_floats)_mm256_cvtpd_ps((__m256d)a);
#else
  return __builtin_convertvector(a, wide_floats);
#endif
}
PL_SIMD_INLINE wide widen_ints(wide_ints a) {
#if PL_SIMD_IS_AVX512
  return (wide)_mm512_cvtepi32_pd((__m256i)a);
#elif PL_SIMD_IS_AVX
  return (wide)_mm256_cvtepi32_pd((__m128i)a);
#else
  return __builtin_convertvector(a, wide);
#endif
}

// From and to as many addresses as there are lanes, in the same two parts: a load waits for a store
// that it does not match.
PL_SIMD_INLINE wide load_wide(const double *from) {
#if PL_SIMD_IS_AVX512
  return pl_d8_load(from);
#else
  return pl_d4_load(from);
#endif
}
PL_SIMD_INLINE wide gather_numbers(const double *const from[WIDE]) {
#if PL_SIMD_IS_AVX512
  return (wide){*from[0], *from[1], *from[2], *from[3], *from[4], *from[5], *from[6], *from[7]};
#else
  return (wide){*from[0], *from[1], *from[2], *from[3]};
#endif
}
#if PL_SIMD_IS_AVX512
// The first two numbers at addresses first, first + 2, …
PL_SIMD_INLINE __m512d gather_pairs(const pl_vec3 *const from[WIDE], int first) {
  __m512d pairs = _mm512_castpd128_pd512(_mm_loadu_pd(&from[first]->x));
  pairs = _mm512_insertf64x2(pairs, _mm_loadu_pd(&from[first + 2]->x), 1);
  pairs = _mm512_insertf64x2(pairs, _mm_loadu_pd(&from[first + 4]->x), 2);
  return _mm512_insertf64x2(pairs, _mm_loadu_pd(&from[first + 6]->x), 3);
}
// Their third numbers, four from `from` on.
PL_SIMD_INLINE __m256d gather_thirds(const pl_vec3 *const *from) {
  __m256d low =
      _mm256_blend_pd(_mm256_broadcast_sd(&from[0]->z), _mm256_broadcast_sd(&from[1]->z), 2);
  __m256d high =
      _mm256_blend_pd(_mm256_broadcast_sd(&from[2]->z), _mm256_broadcast_sd(&from[3]->z), 8);
  return _mm256_blend_pd(low, high, 12);
}
PL_SIMD_INLINE void scatter_pairs(pl_vec3 *const to[WIDE], int first, __m512d pairs) {
  _mm_storeu_pd(&to[first]->x, _mm512_castpd512_pd128(pairs));
  _mm_storeu_pd(&to[first + 2]->x, _mm512_extractf64x2_pd(pairs, 1));
  _mm_storeu_pd(&to[first + 4]->x, _mm512_extractf64x2_pd(pairs, 2));
  _mm_storeu_pd(&to[first + 6]->x, _mm512_extractf64x2_pd(pairs, 3));
}
#endif
PL_SIMD_INLINE vec3_wide gather_vectors(const pl_vec3 *const from[WIDE]) {
#if PL_SIMD_IS_AVX512
  __m512d even = gather_pairs(from, 0), odd = gather_pairs(from, 1);
  return (vec3_wide){(wide)_mm512_unpacklo_pd(even, odd), (wide)_mm512_unpackhi_pd(even, odd),
                     (wide)_mm512_insertf64x4(_mm512_castpd256_pd512(gather_thirds(from)),
                                              gather_thirds(from + 4), 1)};
#elif PL_SIMD_IS_AVX
  __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&from[0]->x)),
                                      _mm_loadu_pd(&from[2]->x), 1);
  __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&from[1]->x)),
                                     _mm_loadu_pd(&from[3]->x), 1);
  return (vec3_wide){(wide)_mm256_unpacklo_pd(even, odd), (wide)_mm256_unpackhi_pd(even, odd),
                     (wide){from[0]->z, from[1]->z, from[2]->z, from[3]->z}};
#else
  return (vec3_wide){{from[0]->x, from[1]->x, from[2]->x, from[3]->x},
                     {from[0]->y, from[1]->y, from[2]->y, from[3]->y},
                     {from[0]->z, from[1]->z, from[2]->z, from[3]->z}};
#endif
}
PL_SIMD_INLINE void scatter_vectors(pl_vec3 *const to[WIDE], vec3_wide v) {
#if PL_SIMD_IS_AVX512
  scatter_pairs(to, 0, _mm512_unpacklo_pd((__m512d)v.x, (__m512d)v.y));
  scatter_pairs(to, 1, _mm512_unpackhi_pd((__m512d)v.x, (__m512d)v.y));
  for (int l = 0; l < WIDE; ++l) to[l]->z = v.z[l];
#elif PL_SIMD_IS_AVX
  __m256d even = _mm256_unpacklo_pd((__m256d)v.x, (__m256d)v.y);
  __m256d odd = _mm256_unpackhi_pd((__m256d)v.x, (__m256d)v.y);
  _mm_storeu_pd(&to[0]->x, _mm256_castpd256_pd128(even));
  _mm_storeu_pd(&to[1]->x, _mm256_castpd256_pd128(odd));
  _mm_storeu_pd(&to[2]->x, _mm256_extractf128_pd(even, 1));
  _mm_storeu_pd(&to[3]->x, _mm256_extractf128_pd(odd, 1));
  for (int l = 0; l < WIDE; ++l) to[l]->z = v.z[l];
#else
  for (int l = 0; l < WIDE; ++l) *to[l] = pl_vec3_of(v.x[l], v.y[l], v.z[l]);
#endif
}

// Rows of four floats become columns, and back; of eight rows, in halves of four.
PL_SIMD_INLINE void transpose_floats(wide_floats a[4]) {
#if PL_SIMD_IS_AVX512
  pl_f8 low01 = __builtin_shufflevector(a[0], a[1], 0, 8, 1, 9, 4, 12, 5, 13);
  pl_f8 high01 = __builtin_shufflevector(a[0], a[1], 2, 10, 3, 11, 6, 14, 7, 15);
  pl_f8 low23 = __builtin_shufflevector(a[2], a[3], 0, 8, 1, 9, 4, 12, 5, 13);
  pl_f8 high23 = __builtin_shufflevector(a[2], a[3], 2, 10, 3, 11, 6, 14, 7, 15);
  a[0] = __builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
  a[1] = __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
  a[2] = __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
  a[3] = __builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15);
#else
  pl_f4 low01 = __builtin_shufflevector(a[0], a[1], 0, 4, 1, 5);
  pl_f4 high01 = __builtin_shufflevector(a[0], a[1], 2, 6, 3, 7);
  pl_f4 low23 = __builtin_shufflevector(a[2], a[3], 0, 4, 1, 5);
  pl_f4 high23 = __builtin_shufflevector(a[2], a[3], 2, 6, 3, 7);
  a[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  a[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  a[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  a[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
#endif
}

// One of the rows that columns were made of, after they have been turned back.
PL_SIMD_INLINE pl_f4 get_row(const wide_floats a[4], int row) {
  return f4_load((const char *)&a[row % 4] + sizeof(pl_f4) * (size_t)(row / 4));
}

#if PL_SIMD_IS_AVX512
PL_SIMD_INLINE __m512 gather_fours(const void *const *from, size_t offset) {
  __m512 fours = _mm512_castps128_ps512((__m128)f4_load((const char *)from[0] + offset));
  fours = _mm512_insertf32x4(fours, (__m128)f4_load((const char *)from[1] + offset), 1);
  fours = _mm512_insertf32x4(fours, (__m128)f4_load((const char *)from[2] + offset), 2);
  return _mm512_insertf32x4(fours, (__m128)f4_load((const char *)from[3] + offset), 3);
}
#endif

// Four floats at as many addresses as there are lanes, `offset` bytes behind each.
PL_SIMD_INLINE void gather_columns(const void *const from[WIDE], size_t offset,
                                   wide_floats columns[4]) {
#if PL_SIMD_IS_AVX512
  __m512 low = gather_fours(from, offset), high = gather_fours(from + 4, offset);
  for (int k = 0; k < 4; k += 2) {
    // Column k of all rows, then column k + 1.
    __m512i index =
        _mm512_add_epi32(_mm512_set_epi32(29, 25, 21, 17, 13, 9, 5, 1, 28, 24, 20, 16, 12, 8, 4, 0),
                         _mm512_set1_epi32(k));
    __m512 both = _mm512_permutex2var_ps(low, index, high);
    columns[k] = (wide_floats)_mm512_castps512_ps256(both);
    columns[k + 1] = (wide_floats)_mm512_extractf32x8_ps(both, 1);
  }
#else
  for (int l = 0; l < 4; ++l) columns[l] = f4_load((const char *)from[l] + offset);
  transpose_floats(columns);
#endif
}
PL_SIMD_INLINE void scatter_columns(void *const to[WIDE], size_t offset, wide_floats columns[4]) {
  transpose_floats(columns);
  for (int l = 0; l < 4; ++l) {
#if PL_SIMD_IS_AVX512
    __m256 rows = (__m256)columns[l];
    f4_store((char *)to[l] + offset, (pl_f4)_mm256_castps256_ps128(rows));
    f4_store((char *)to[l + 4] + offset, (pl_f4)_mm256_extractf128_ps(rows, 1));
#else
    f4_store((char *)to[l] + offset, columns[l]);
#endif
  }
}

#endif
