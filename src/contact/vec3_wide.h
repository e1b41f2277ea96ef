// Vectors in double precision for kernels (math/simd.h): in one register where there is AVX, else
// as in vec3_parts.h. The sums are the same.
#ifndef PL_CONTACT_VEC3_WIDE_H
#define PL_CONTACT_VEC3_WIDE_H

#include "math/f4.h"
#include "math/simd.h"
#include "pliant/math.h"

typedef pl_f4 f4_unaligned __attribute__((may_alias, aligned(4)));

#if PL_SIMD_IS_AVX

// The fourth number may be anything.
typedef double wide3 __attribute__((vector_size(32)));

// Of what was not stored just before: a load waits for a store that it does not match.
PL_SIMD_INLINE wide3 wide3_load(const pl_vec3 *a) {
  return (wide3)_mm256_maskload_pd(&a->x, _mm256_setr_epi64x(-1, -1, -1, 0));
}
PL_SIMD_INLINE wide3 wide3_of_f4(pl_f4 a) {
  return (wide3)_mm256_cvtps_pd((__m128)a);
}
PL_SIMD_INLINE pl_f4 wide3_to_f4(wide3 a) {
  return (pl_f4)_mm256_cvtpd_ps((__m256d)a);
}
PL_SIMD_INLINE wide3 wide3_of(pl_vec3 a) {
  return (wide3){a.x, a.y, a.z, 0};
}
PL_SIMD_INLINE wide3 wide3_scale(wide3 a, double scale) {
  return a * scale;
}
// a + scale b
PL_SIMD_INLINE wide3 wide3_add(wide3 a, wide3 b, double scale) {
  return a + b * scale;
}
// a - scale b
PL_SIMD_INLINE wide3 wide3_sub(wide3 a, wide3 b, double scale) {
  return a - b * scale;
}
PL_SIMD_INLINE double wide3_dot(wide3 a, wide3 b) {
  wide3 products = a * b;
  return products[0] + products[1] + products[2];
}

#else

#include "contact/vec3_parts.h"

typedef pl_vec3_parts wide3;

PL_SIMD_INLINE wide3 wide3_load(const pl_vec3 *a) {
  return pl_load_parts(a);
}
PL_SIMD_INLINE wide3 wide3_of_f4(pl_f4 a) {
  return (wide3){{(double)a[0], (double)a[1]}, (double)a[2]};
}
PL_SIMD_INLINE pl_f4 wide3_to_f4(wide3 a) {
  return (pl_f4){(float)a.xy[0], (float)a.xy[1], (float)a.z, 0.0f};
}
PL_SIMD_INLINE wide3 wide3_of(pl_vec3 a) {
  return (wide3){{a.x, a.y}, a.z};
}
PL_SIMD_INLINE wide3 wide3_scale(wide3 a, double scale) {
  return (wide3){a.xy * scale, a.z * scale};
}
PL_SIMD_INLINE wide3 wide3_add(wide3 a, wide3 b, double scale) {
  return pl_add_parts(a, b, scale);
}
PL_SIMD_INLINE wide3 wide3_sub(wide3 a, wide3 b, double scale) {
  return (wide3){a.xy - b.xy * scale, a.z - b.z * scale};
}
PL_SIMD_INLINE double wide3_dot(wide3 a, wide3 b) {
  return pl_dot_parts(a, b);
}

#endif

// Four numbers from any address, and back.
PL_SIMD_INLINE pl_f4 f4_load(const void *from) {
  return *(const f4_unaligned *)from;
}
PL_SIMD_INLINE void f4_store(void *to, pl_f4 a) {
  *(f4_unaligned *)to = a;
}

#endif
