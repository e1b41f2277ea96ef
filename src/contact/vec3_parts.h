// Vectors with x and y in one register: sweeps and dampers are little else than sums of these, and
// take half as long as with three numbers. The sums are the same.
#ifndef PL_CONTACT_VEC3_PARTS_H
#define PL_CONTACT_VEC3_PARTS_H

#include "pliant/math.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef double pl_vec2_lanes __attribute__((vector_size(16), may_alias));
typedef double pl_vec2_unaligned __attribute__((vector_size(16), may_alias, aligned(8)));
typedef struct pl_vec3_parts {
  pl_vec2_lanes xy;
  double z;
} pl_vec3_parts;

static inline pl_vec3_parts pl_load_parts(const pl_vec3 *a) {
  return (pl_vec3_parts){*(const pl_vec2_unaligned *)(const void *)&a->x, a->z};
}

static inline void pl_store_parts(pl_vec3 *to, pl_vec3_parts a) {
  *(pl_vec2_unaligned *)(void *)&to->x = a.xy;
  to->z = a.z;
}

// a if `is_there` is 1, zero if it is 0.
static inline pl_vec3_parts pl_mask_parts(pl_vec3_parts a, uint64_t is_there) {
  typedef int64_t mask __attribute__((vector_size(16)));
  int64_t ones = -(int64_t)is_there;
  pl_vec2_lanes z = {a.z, a.z};
  pl_vec2_lanes xy = (pl_vec2_lanes)((mask)a.xy & (mask){ones, ones});
  z = (pl_vec2_lanes)((mask)z & (mask){ones, ones});
  return (pl_vec3_parts){xy, z[0]};
}

static inline pl_vec3_parts pl_sub_parts(pl_vec3_parts a, pl_vec3_parts b) {
  return (pl_vec3_parts){a.xy - b.xy, a.z - b.z};
}

// a + scale b
static inline pl_vec3_parts pl_add_parts(pl_vec3_parts a, pl_vec3_parts b, double scale) {
  return (pl_vec3_parts){a.xy + b.xy * scale, a.z + b.z * scale};
}

static inline double pl_dot_parts(pl_vec3_parts a, pl_vec3_parts b) {
  pl_vec2_lanes products = a.xy * b.xy;
  return products[0] + products[1] + a.z * b.z;
}

// Of each number: a < b ? a : b, and a > b ? a : b, so b where either is not a number.
static inline pl_vec2_lanes pl_smaller_lanes(pl_vec2_lanes a, pl_vec2_lanes b) {
#if defined(__SSE2__)
  return (pl_vec2_lanes)_mm_min_pd((__m128d)a, (__m128d)b);
#else
  return (pl_vec2_lanes){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
#endif
}
static inline pl_vec2_lanes pl_larger_lanes(pl_vec2_lanes a, pl_vec2_lanes b) {
#if defined(__SSE2__)
  return (pl_vec2_lanes)_mm_max_pd((__m128d)a, (__m128d)b);
#else
  return (pl_vec2_lanes){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
#endif
}

#endif
