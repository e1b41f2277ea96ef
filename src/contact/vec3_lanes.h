// Vectors of eight things, one row per component: what the kernels of contact share. Included by
// kernels, after math/simd.h.
#ifndef PL_CONTACT_VEC3_LANES_H
#define PL_CONTACT_VEC3_LANES_H

#include "math/f4.h"
#include "math/simd.h"

typedef struct vec3_lanes {
  pl_f8 x, y, z;
} vec3_lanes;

// From and to three rows.
PL_SIMD_INLINE vec3_lanes load3(const float *rows) {
  return (vec3_lanes){pl_f8_load(rows), pl_f8_load(rows + LANES), pl_f8_load(rows + 2 * LANES)};
}
PL_SIMD_INLINE void store3(float *rows, vec3_lanes a) {
  pl_f8_store(rows, a.x);
  pl_f8_store(rows + LANES, a.y);
  pl_f8_store(rows + 2 * LANES, a.z);
}
PL_SIMD_INLINE vec3_lanes set3(const float a[3]) {
  return (vec3_lanes){pl_f8_set1(a[0]), pl_f8_set1(a[1]), pl_f8_set1(a[2])};
}
PL_SIMD_INLINE vec3_lanes sub3(vec3_lanes a, vec3_lanes b) {
  return (vec3_lanes){a.x - b.x, a.y - b.y, a.z - b.z};
}
PL_SIMD_INLINE vec3_lanes add3(vec3_lanes a, vec3_lanes b) {
  return (vec3_lanes){a.x + b.x, a.y + b.y, a.z + b.z};
}
PL_SIMD_INLINE vec3_lanes min3(vec3_lanes a, vec3_lanes b) {
  return (vec3_lanes){pl_f8_min(a.x, b.x), pl_f8_min(a.y, b.y), pl_f8_min(a.z, b.z)};
}
PL_SIMD_INLINE vec3_lanes max3(vec3_lanes a, vec3_lanes b) {
  return (vec3_lanes){pl_f8_max(a.x, b.x), pl_f8_max(a.y, b.y), pl_f8_max(a.z, b.z)};
}
PL_SIMD_INLINE pl_f8 dot3(vec3_lanes a, vec3_lanes b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
PL_SIMD_INLINE vec3_lanes cross3(vec3_lanes a, vec3_lanes b) {
  return (vec3_lanes){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Two points side by side.
PL_SIMD_INLINE pl_f8 join_two(pl_f4 first, pl_f4 second) {
#if PL_SIMD_IS_AVX
  return (pl_f8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)first), (__m128)second, 1);
#else
  return __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
PL_SIMD_INLINE pl_f8 pair_at(const pl_f4 *from, int32_t first, int32_t second) {
  return join_two(from[first], from[second]);
}

// x, y and z of eight points. Returns their fourth numbers.
PL_SIMD_INLINE pl_f8 gather4(const pl_f4 *from, const int32_t index[8], vec3_lanes *to) {
  pl_f8 a = pair_at(from, index[0], index[4]), b = pair_at(from, index[1], index[5]);
  pl_f8 c = pair_at(from, index[2], index[6]), d = pair_at(from, index[3], index[7]);
  pl_f8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  pl_f8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  pl_f8 ab_z = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  pl_f8 cd_z = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  *to = (vec3_lanes){__builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15),
                     __builtin_shufflevector(ab_z, cd_z, 0, 1, 8, 9, 4, 5, 12, 13)};
  return __builtin_shufflevector(ab_z, cd_z, 2, 3, 10, 11, 6, 7, 14, 15);
}
PL_SIMD_INLINE vec3_lanes gather3(const pl_f4 *from, const int32_t index[8]) {
  vec3_lanes to;
  gather4(from, index, &to);
  return to;
}

// Write them back, with 0 for the fourth number.
PL_SIMD_INLINE void scatter3(pl_f4 *to, const int32_t index[8], vec3_lanes v) {
  pl_f8 zero = pl_f8_set1(0.0f);
  pl_f8 ab = __builtin_shufflevector(v.x, v.y, 0, 8, 1, 9, 4, 12, 5, 13);
  pl_f8 cd = __builtin_shufflevector(v.x, v.y, 2, 10, 3, 11, 6, 14, 7, 15);
  pl_f8 ab_z = __builtin_shufflevector(v.z, zero, 0, 8, 1, 9, 4, 12, 5, 13);
  pl_f8 cd_z = __builtin_shufflevector(v.z, zero, 2, 10, 3, 11, 6, 14, 7, 15);
  pl_f8 points[4] = {__builtin_shufflevector(ab, ab_z, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(ab, ab_z, 2, 3, 10, 11, 6, 7, 14, 15),
                     __builtin_shufflevector(cd, cd_z, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(cd, cd_z, 2, 3, 10, 11, 6, 7, 14, 15)};
  for (int k = 0; k < 4; ++k) {
    to[index[k]] = __builtin_shufflevector(points[k], points[k], 0, 1, 2, 3);
    to[index[4 + k]] = __builtin_shufflevector(points[k], points[k], 4, 5, 6, 7);
  }
}

#endif
