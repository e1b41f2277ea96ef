// Vectors and quaternions of eight chains at a time. For the kernel alone, which is compiled once
// per instruction set (see math/simd.h): nothing here may be included before that choice is made.
#ifndef PL_ROD_LANE_MATH_H
#define PL_ROD_LANE_MATH_H

#include "math/simd.h"

typedef struct v3 {
  pl_f8 x, y, z;
} v3;
typedef struct q4 {
  pl_f8 x, y, z, w;
} q4;

// Row i of an array of [3][8] or [4][8].
PL_SIMD_INLINE v3 get3(const float *from, int32_t i) {
  from += VEC3_LANES * (size_t)i;
  return (v3){pl_f8_load(from), pl_f8_load(from + LANES), pl_f8_load(from + 2 * LANES)};
}
PL_SIMD_INLINE void put3(float *to, int32_t i, v3 a) {
  to += VEC3_LANES * (size_t)i;
  pl_f8_store(to, a.x);
  pl_f8_store(to + LANES, a.y);
  pl_f8_store(to + 2 * LANES, a.z);
}
PL_SIMD_INLINE q4 get4(const float *from, int32_t i) {
  from += QUAT_LANES * (size_t)i;
  return (q4){pl_f8_load(from), pl_f8_load(from + LANES), pl_f8_load(from + 2 * LANES),
              pl_f8_load(from + 3 * LANES)};
}
PL_SIMD_INLINE void put4(float *to, int32_t i, q4 a) {
  to += QUAT_LANES * (size_t)i;
  pl_f8_store(to, a.x);
  pl_f8_store(to + LANES, a.y);
  pl_f8_store(to + 2 * LANES, a.z);
  pl_f8_store(to + 3 * LANES, a.w);
}
PL_SIMD_INLINE pl_f8 get1(const float *from, int32_t i) {
  return pl_f8_load(from + LANES * (size_t)i);
}
PL_SIMD_INLINE void put1(float *to, int32_t i, pl_f8 a) {
  pl_f8_store(to + LANES * (size_t)i, a);
}

PL_SIMD_INLINE v3 add3(v3 a, v3 b) {
  return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
PL_SIMD_INLINE v3 sub3(v3 a, v3 b) {
  return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
PL_SIMD_INLINE v3 scale3(v3 a, pl_f8 s) {
  return (v3){a.x * s, a.y * s, a.z * s};
}
PL_SIMD_INLINE v3 add_scaled3(v3 a, v3 b, pl_f8 s) {
  return (v3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
PL_SIMD_INLINE pl_f8 dot3(v3 a, v3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
PL_SIMD_INLINE v3 cross3(v3 a, v3 b) {
  return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
PL_SIMD_INLINE v3 select3(pl_m8 mask, v3 a, v3 b) {
  return (v3){pl_f8_select(mask, a.x, b.x), pl_f8_select(mask, a.y, b.y),
              pl_f8_select(mask, a.z, b.z)};
}
PL_SIMD_INLINE v3 zero3(void) {
  pl_f8 zero = pl_f8_set1(0.0f);
  return (v3){zero, zero, zero};
}
// Unit vector, `fallback` where there is hardly any length.
PL_SIMD_INLINE v3 unit3(v3 a, v3 fallback) {
  pl_f8 square = dot3(a, a);
  return select3(square > 1e-30f, scale3(a, 1.0f / pl_f8_sqrt(square)), fallback);
}

PL_SIMD_INLINE q4 multiply4(q4 a, q4 b) {
  return (q4){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
PL_SIMD_INLINE q4 conjugate4(q4 a) {
  return (q4){-a.x, -a.y, -a.z, a.w};
}
PL_SIMD_INLINE pl_f8 dot4(q4 a, q4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
PL_SIMD_INLINE q4 unit4(q4 a) {
  pl_f8 f = 1.0f / pl_f8_sqrt(dot4(a, a));
  return (q4){a.x * f, a.y * f, a.z * f, a.w * f};
}
PL_SIMD_INLINE q4 add_scaled4(q4 a, q4 b, pl_f8 s) {
  return (q4){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s, a.w + b.w * s};
}
PL_SIMD_INLINE v3 rotate(q4 q, v3 v) {
  v3 u = {q.x, q.y, q.z}, t = cross3(u, v);
  t = add3(t, t);
  return add3(add_scaled3(v, t, q.w), cross3(u, t));
}
PL_SIMD_INLINE q4 select4(pl_m8 mask, q4 a, q4 b) {
  return (q4){pl_f8_select(mask, a.x, b.x), pl_f8_select(mask, a.y, b.y),
              pl_f8_select(mask, a.z, b.z), pl_f8_select(mask, a.w, b.w)};
}

// The rotation from one unit vector to another: (a x b, 1 + a.b) made a unit. Where they are
// opposite, half a turn around an axis across.
PL_SIMD_INLINE q4 turn_between(v3 a, v3 b) {
  pl_f8 one = pl_f8_set1(1.0f), zero = pl_f8_set1(0.0f), w = one + dot3(a, b);
  v3 c = cross3(a, b);
  pl_m8 across = pl_f8_abs(a.x) < 0.6f;
  v3 axis = cross3(a, select3(across, (v3){one, zero, zero}, (v3){zero, one, zero}));
  pl_m8 opposite = w < 1e-6f;
  return unit4((q4){pl_f8_select(opposite, axis.x, c.x), pl_f8_select(opposite, axis.y, c.y),
                    pl_f8_select(opposite, axis.z, c.z), pl_f8_select(opposite, zero, w)});
}

// Rotation vector of a small rotation, 2 sin of half its angle long, the short way round.
PL_SIMD_INLINE v3 small_turn(q4 q) {
  pl_f8 two = pl_f8_select(q.w < 0.0f, pl_f8_set1(-2.0f), pl_f8_set1(2.0f));
  return (v3){q.x * two, q.y * two, q.z * two};
}

#endif
