// Four and eight doubles at a time. Eight are one register of AVX-512, elsewhere two fours, by
// functions, not operators: gcc keeps vectors that are wider than the machine's in memory. The
// rules of math/simd.h hold here too.
#ifndef PL_MATH_SIMD_EIGHT_H
#define PL_MATH_SIMD_EIGHT_H

#include <stddef.h>

#include "math/simd.h"

typedef double pl_d4 __attribute__((vector_size(32), may_alias));
typedef double pl_d4_unaligned __attribute__((vector_size(32), may_alias, aligned(8)));

PL_SIMD_INLINE pl_d4 pl_d4_load(const double *from) {
  return *(const pl_d4_unaligned *)(const void *)from;
}
PL_SIMD_INLINE void pl_d4_store(double *to, pl_d4 a) {
  *(pl_d4_unaligned *)(void *)to = a;
}

// Rows become columns.
#if PL_SIMD_IS_AVX
PL_SIMD_INLINE void pl_d4_transpose(pl_d4 a[4]) {
  pl_d4 low01 = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6),
        high01 = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  pl_d4 low23 = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6),
        high23 = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  a[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  a[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  a[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  a[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}
#else
// By halves: gcc takes shuffles of vectors that are wider than the machine's apart into single
// numbers, which costs more than all the arithmetic.
typedef double pl_d2 __attribute__((vector_size(16), may_alias));
typedef union pl_d4_halves {
  pl_d4 whole;
  pl_d2 half[2];
} pl_d4_halves;
PL_SIMD_INLINE void pl_d4_transpose(pl_d4 a[4]) {
  pl_d4_halves from[4], to[4];
  for (int i = 0; i < 4; ++i) from[i].whole = a[i];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      to[2 * i].half[j] =
          __builtin_shufflevector(from[2 * j].half[i], from[2 * j + 1].half[i], 0, 2);
      to[2 * i + 1].half[j] =
          __builtin_shufflevector(from[2 * j].half[i], from[2 * j + 1].half[i], 1, 3);
    }
  for (int i = 0; i < 4; ++i) a[i] = to[i].whole;
}
#endif

#if PL_SIMD_IS_AVX512
typedef double pl_d8 __attribute__((vector_size(64), may_alias));
typedef double pl_d8_unaligned __attribute__((vector_size(64), may_alias, aligned(8)));

PL_SIMD_INLINE pl_d8 pl_d8_load(const double *from) {
  return *(const pl_d8_unaligned *)(const void *)from;
}
PL_SIMD_INLINE void pl_d8_store(double *to, pl_d8 a) {
  *(pl_d8_unaligned *)(void *)to = a;
}
PL_SIMD_INLINE pl_d8 pl_d8_of(double a) {
  return (pl_d8){a, a, a, a, a, a, a, a};
}
PL_SIMD_INLINE pl_d8 pl_d8_add(pl_d8 a, pl_d8 b) {
  return a + b;
}
PL_SIMD_INLINE pl_d8 pl_d8_subtract(pl_d8 a, pl_d8 b) {
  return a - b;
}
PL_SIMD_INLINE pl_d8 pl_d8_multiply(pl_d8 a, pl_d8 b) {
  return a * b;
}
// Lanes 0 to 3 and 4 to 7.
PL_SIMD_INLINE pl_d4 pl_d8_low(pl_d8 a) {
  return (pl_d4)_mm512_castpd512_pd256((__m512d)a);
}
PL_SIMD_INLINE pl_d4 pl_d8_high(pl_d8 a) {
  return (pl_d4)_mm512_extractf64x4_pd((__m512d)a, 1);
}
#else
typedef struct pl_d8 {
  pl_d4 low, high;
} pl_d8;

PL_SIMD_INLINE pl_d8 pl_d8_load(const double *from) {
  return (pl_d8){pl_d4_load(from), pl_d4_load(from + 4)};
}
PL_SIMD_INLINE void pl_d8_store(double *to, pl_d8 a) {
  pl_d4_store(to, a.low);
  pl_d4_store(to + 4, a.high);
}
PL_SIMD_INLINE pl_d8 pl_d8_of(double a) {
  return (pl_d8){{a, a, a, a}, {a, a, a, a}};
}
PL_SIMD_INLINE pl_d8 pl_d8_add(pl_d8 a, pl_d8 b) {
  return (pl_d8){a.low + b.low, a.high + b.high};
}
PL_SIMD_INLINE pl_d8 pl_d8_subtract(pl_d8 a, pl_d8 b) {
  return (pl_d8){a.low - b.low, a.high - b.high};
}
PL_SIMD_INLINE pl_d8 pl_d8_multiply(pl_d8 a, pl_d8 b) {
  return (pl_d8){a.low * b.low, a.high * b.high};
}
PL_SIMD_INLINE pl_d4 pl_d8_low(pl_d8 a) {
  return a.low;
}
PL_SIMD_INLINE pl_d4 pl_d8_high(pl_d8 a) {
  return a.high;
}
#endif

// a + b c
PL_SIMD_INLINE pl_d8 pl_d8_add_product(pl_d8 a, pl_d8 b, pl_d8 c) {
  return pl_d8_add(a, pl_d8_multiply(b, c));
}
// a - b c
PL_SIMD_INLINE pl_d8 pl_d8_subtract_product(pl_d8 a, pl_d8 b, pl_d8 c) {
  return pl_d8_subtract(a, pl_d8_multiply(b, c));
}

#endif
