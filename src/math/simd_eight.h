// Eight doubles at a time: one register of AVX-512, elsewhere two fours. By functions, not
// operators: gcc keeps vectors that are wider than the machine's in memory. The rules of
// math/simd.h hold here too.
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
PL_SIMD_INLINE void pl_d4_transpose(pl_d4 a[4]) {
#if PL_SIMD_IS_AVX
  pl_d4 low01 = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6),
        high01 = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  pl_d4 low23 = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6),
        high23 = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  a[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  a[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  a[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  a[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
#else
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) {
      double held = a[i][j];
      a[i][j] = a[j][i];
      a[j][i] = held;
    }
#endif
}

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
