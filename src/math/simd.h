// Eight floats at a time, by the vector extensions of gcc and clang.
//
// The arithmetic operators work on pl_f8 as they do on float, also mixed with a float (x * 2.0f),
// and comparisons give a pl_m8 whose lanes are all ones (true) or zero; masks combine with & | ~.
// Without AVX the compiler makes two 4-wide operations of each, and on machines without SIMD eight
// plain ones. Every operation here is exactly rounded or moves bits, there is no fused
// multiply-add, and the build turns contraction off: so a kernel gives the same bits on every
// instruction set, and the same as its scalar twin.
//
// A kernel is compiled twice, for the plain machine and for AVX2:
//
//   thing_kernel.h   the kernel: static inline functions and one called KERNEL_NAME,
//                    which must be declared before
//   thing.c          #include "math/simd.h"
//                    #define KERNEL_NAME pl_thing_run_plain
//                    #include "math/thing_kernel.h"
//                    ... chooses by PL_SIMD_CAN_AVX2() between pl_thing_run_avx2() and _plain()
//   thing_avx2.c     #define PL_SIMD_AVX2        before any include
//                    #include "math/simd.h"
//                    #if PL_SIMD_HAS_AVX2        elsewhere the file is empty
//                    #define KERNEL_NAME pl_thing_run_avx2
//                    #include "math/thing_kernel.h"
//                    #endif
//                    PL_SIMD_END
//
// Where eight doubles at a time pay, a third file thing_avx512.c defines PL_SIMD_AVX512 in the same
// way, and PL_SIMD_CAN_AVX512() chooses it.
//
// It has to be two files. One function with two targets that inlines this header's functions would
// do for clang, but gcc splits 8-wide operations in two before it inlines, by the target of the
// function they were written in, and the AVX2 copy would stay 4-wide. Vectors must not cross a call
// that is not inlined (their passing differs between targets): hand over float arrays.
#ifndef PL_MATH_SIMD_H
#define PL_MATH_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "math/lanes.h"

// 1 where a file with PL_SIMD_AVX2 is compiled for AVX2; the choice between two kernels is made
// while running.
#if defined(__x86_64__) && defined(__GNUC__)
#define PL_SIMD_HAS_AVX2 1
#define PL_SIMD_CAN_AVX2() (__builtin_cpu_supports("avx2") != 0)
#define PL_SIMD_CAN_AVX512()                                       \
  (PL_SIMD_CAN_AVX2() && __builtin_cpu_supports("avx512f") != 0 && \
   __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0)
#else
#define PL_SIMD_HAS_AVX2 0
#define PL_SIMD_CAN_AVX2() false
#define PL_SIMD_CAN_AVX512() false
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// From here to PL_SIMD_END functions are compiled for AVX2 (and not for FMA), or for AVX-512 (which
// has fused operations, but contraction is off).
#if defined(PL_SIMD_AVX512) && PL_SIMD_HAS_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512vl,avx512dq"))), \
                             apply_to = function)
#define PL_SIMD_END _Pragma("clang attribute pop")
#else
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512vl,avx512dq")
#define PL_SIMD_END _Pragma("GCC pop_options")
#endif
#define PL_SIMD_IS_AVX 1
#define PL_SIMD_IS_AVX512 1
#elif defined(PL_SIMD_AVX2) && PL_SIMD_HAS_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define PL_SIMD_END _Pragma("clang attribute pop")
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#define PL_SIMD_END _Pragma("GCC pop_options")
#endif
#define PL_SIMD_IS_AVX 1
#else
#define PL_SIMD_END
#if defined(__AVX2__)
#define PL_SIMD_IS_AVX 1
#else
#define PL_SIMD_IS_AVX 0
#endif
#endif

#if !defined(PL_SIMD_IS_AVX512)
#define PL_SIMD_IS_AVX512 0
#endif

#define PL_SIMD_INLINE static inline __attribute__((always_inline, unused))

typedef float pl_f8 __attribute__((vector_size(32), may_alias));
typedef int32_t pl_m8 __attribute__((vector_size(32), may_alias));
typedef int32_t pl_m4 __attribute__((vector_size(16), may_alias));
typedef float pl_f8_unaligned __attribute__((vector_size(32), may_alias, aligned(4)));

// All functions on vectors are inlined, so how a vector would be passed does not matter. Not undone
// at the end of this header: gcc looks at the setting at the end of the file.
#pragma GCC diagnostic ignored "-Wpsabi"

// From an address that is a multiple of 32.
PL_SIMD_INLINE pl_f8 pl_f8_load(const float *from) {
  return *(const pl_f8 *)(const void *)from;
}
PL_SIMD_INLINE void pl_f8_store(float *to, pl_f8 a) {
  *(pl_f8 *)(void *)to = a;
}
// From any address.
PL_SIMD_INLINE pl_f8 pl_f8_load_unaligned(const float *from) {
  return *(const pl_f8_unaligned *)(const void *)from;
}
PL_SIMD_INLINE void pl_f8_store_unaligned(float *to, pl_f8 a) {
  *(pl_f8_unaligned *)(void *)to = a;
}
PL_SIMD_INLINE pl_f8 pl_f8_set1(float a) {
  return (pl_f8){a, a, a, a, a, a, a, a};
}
// from[index[0]], from[index[1]], …
PL_SIMD_INLINE pl_f8 pl_f8_gather(const float *from, const int32_t *index) {
  return (pl_f8){from[index[0]], from[index[1]], from[index[2]], from[index[3]],
                 from[index[4]], from[index[5]], from[index[6]], from[index[7]]};
}

// a where the mask is set, b elsewhere.
PL_SIMD_INLINE pl_f8 pl_f8_select(pl_m8 mask, pl_f8 a, pl_f8 b) {
  return (pl_f8)((mask & (pl_m8)a) | (~mask & (pl_m8)b));
}
PL_SIMD_INLINE pl_f8 pl_f8_abs(pl_f8 a) {
  return (pl_f8)((pl_m8)a & INT32_MAX);
}

#if PL_SIMD_IS_AVX
// a < b ? a : b, so b where either is not a number.
PL_SIMD_INLINE pl_f8 pl_f8_min(pl_f8 a, pl_f8 b) {
  return (pl_f8)_mm256_min_ps((__m256)a, (__m256)b);
}
// a > b ? a : b, so b where either is not a number.
PL_SIMD_INLINE pl_f8 pl_f8_max(pl_f8 a, pl_f8 b) {
  return (pl_f8)_mm256_max_ps((__m256)a, (__m256)b);
}
PL_SIMD_INLINE pl_f8 pl_f8_sqrt(pl_f8 a) {
  return (pl_f8)_mm256_sqrt_ps((__m256)a);
}
// Bit k is set where lane k is.
PL_SIMD_INLINE int pl_m8_bits(pl_m8 mask) {
  return _mm256_movemask_ps((__m256)mask);
}
#else
#if defined(__SSE2__)
typedef union pl_f8_halves {
  pl_f8 whole;
  __m128 half[2];
} pl_f8_halves;
PL_SIMD_INLINE pl_f8 pl_f8_min(pl_f8 a, pl_f8 b) {
  pl_f8_halves x = {a}, y = {b};
  return (pl_f8_halves){
      .half = {_mm_min_ps(x.half[0], y.half[0]), _mm_min_ps(x.half[1], y.half[1])}}
      .whole;
}
PL_SIMD_INLINE pl_f8 pl_f8_max(pl_f8 a, pl_f8 b) {
  pl_f8_halves x = {a}, y = {b};
  return (pl_f8_halves){
      .half = {_mm_max_ps(x.half[0], y.half[0]), _mm_max_ps(x.half[1], y.half[1])}}
      .whole;
}
PL_SIMD_INLINE pl_f8 pl_f8_sqrt(pl_f8 a) {
  pl_f8_halves x = {a};
  return (pl_f8_halves){.half = {_mm_sqrt_ps(x.half[0]), _mm_sqrt_ps(x.half[1])}}.whole;
}
PL_SIMD_INLINE int pl_m8_bits(pl_m8 mask) {
  pl_f8_halves x = {(pl_f8)mask};
  return _mm_movemask_ps(x.half[0]) | _mm_movemask_ps(x.half[1]) << 4;
}
#else
PL_SIMD_INLINE pl_f8 pl_f8_min(pl_f8 a, pl_f8 b) {
  return pl_f8_select(a < b, a, b);
}
PL_SIMD_INLINE pl_f8 pl_f8_max(pl_f8 a, pl_f8 b) {
  return pl_f8_select(a > b, a, b);
}
PL_SIMD_INLINE pl_f8 pl_f8_sqrt(pl_f8 a) {
  for (int i = 0; i < LANES; ++i) a[i] = sqrtf(a[i]);
  return a;
}
PL_SIMD_INLINE int pl_m8_bits(pl_m8 mask) {
  int bits = 0;
  for (int i = 0; i < LANES; ++i) bits |= (mask[i] < 0) << i;
  return bits;
}
#endif
#endif

// The same of four lanes: without AVX, comparisons of eight are done one by one.
PL_SIMD_INLINE int pl_m4_bits(pl_m4 mask) {
#if defined(__SSE2__)
  return _mm_movemask_ps((__m128)mask);
#else
  return (mask[0] < 0) | (mask[1] < 0) << 1 | (mask[2] < 0) << 2 | (mask[3] < 0) << 3;
#endif
}

PL_SIMD_INLINE bool pl_m8_any(pl_m8 mask) {
  return pl_m8_bits(mask) != 0;
}
PL_SIMD_INLINE bool pl_m8_all(pl_m8 mask) {
  return pl_m8_bits(mask) == 0xFF;
}

#endif
