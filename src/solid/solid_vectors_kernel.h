// Particles as the world sees them: vectors in double precision, in the order of the mesh; a part of solid_kernel.h,
// which includes it.

// Four numbers for each vector of three: the fourth is where the next one goes.
PL_SIMD_INLINE void read_all(const pl_f4 *from, const int32_t *particle_of, int32_t count, const pl_d4 *shift,
                             pl_vec3 *to) {
  pl_d4 last = {0};
  for (int32_t i = 0; i < count; ++i) {
    last = widen(from[particle_of[i]]);
    if (shift != NULL) last += *shift;
    if (i + 1 < count) *(d4_unaligned *)(void *)&to[i] = last;
  }
  if (count > 0) to[count - 1] = pl_vec3_of(last[0], last[1], last[2]);
}

static void read_vectors(const pl_f4 *from, const pl_solid_order *order, int32_t count, const double *origin,
                         pl_vec3 *to) {
  // Adding nothing would change the sign of zeros.
  if (origin == NULL) {
    read_all(from, order->particle_of, count, NULL, to);
    return;
  }
  pl_d4 shift = {origin[0], origin[1], origin[2], 0};
  read_all(from, order->particle_of, count, &shift, to);
}

static void write_vectors(const pl_vec3 *from, const pl_solid_order *order, int32_t count, const double *origin,
                          pl_f4 *to) {
  pl_d4 shift = {0};
  if (origin != NULL) shift = (pl_d4){origin[0], origin[1], origin[2], 0};
  for (int32_t i = 0; i < count; ++i) {
    const pl_vec3 *a = &from[order->point_of[i]];
    to[i] = narrow((pl_d4){a->x, a->y, a->z, 0} - shift);
  }
}

PL_SIMD_INLINE pl_d4 smaller(pl_d4 a, pl_d4 b) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
  return (pl_d4){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1], a[2] < b[2] ? a[2] : b[2], 0};
#endif
}
PL_SIMD_INLINE pl_d4 larger(pl_d4 a, pl_d4 b) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
  return (pl_d4){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1], a[2] > b[2] ? a[2] : b[2], 0};
#endif
}

// Where vectors are that pass by; point by point in the order of the mesh, as the world does it for other methods.
typedef struct extent_sums {
  pl_d4 low, high, sum;
} extent_sums;

PL_SIMD_INLINE extent_sums begin_extent(void) {
  return (extent_sums){{HUGE_VAL, HUGE_VAL, HUGE_VAL, 0}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, 0}, {0}};
}

PL_SIMD_INLINE void add_to_extent(extent_sums *e, pl_d4 a) {
  e->low = smaller(a, e->low);
  e->high = larger(a, e->high);
  e->sum += a;
}

PL_SIMD_INLINE void end_extent(const extent_sums *e, int32_t count, pl_contact_extent *extent) {
  double part = 1.0 / count;
  extent->box = (pl_box){{e->low[0], e->low[1], e->low[2]}, {e->high[0], e->high[1], e->high[2]}};
  extent->mean = pl_vec3_of(e->sum[0] * part, e->sum[1] * part, e->sum[2] * part);
}

static void read_points(const pl_f4 *from, const pl_solid_order *order, int32_t count, const double origin[3],
                        pl_vec3 *to, pl_contact_extent *extent) {
  pl_d4 shift = {origin[0], origin[1], origin[2], 0}, a = {0};
  extent_sums sums = begin_extent();
  for (int32_t i = 0; i < count; ++i) {
    a = widen(from[order->particle_of[i]]) + shift;
    add_to_extent(&sums, a);
    if (i + 1 < count) *(d4_unaligned *)(void *)&to[i] = a;
  }
  if (count > 0) to[count - 1] = pl_vec3_of(a[0], a[1], a[2]);
  end_extent(&sums, count, extent);
}

// The numbers of a vector, and zero. Nothing is read beyond the last one.
PL_SIMD_INLINE pl_d4 load_vector(const pl_vec3 *from, bool is_last) {
  if (is_last) return (pl_d4){from->x, from->y, from->z, 0};
  pl_d4 a = *(const d4_unaligned *)(const void *)from, zero = {0};
  return __builtin_shufflevector(a, zero, 0, 1, 2, 4);
}

// Vectors to particles; what these hold of them goes back. Adding no origin would change the sign of zeros.
PL_SIMD_INLINE bool round_all(pl_vec3 *vectors, const int32_t *particle_of, int32_t count, const pl_d4 *shift,
                              pl_f4 *to, extent_sums *sums) {
  pl_f4 zeros = {0};
  for (int32_t i = 0; i < count; ++i) {
    pl_d4 a = load_vector(&vectors[i], i + 1 == count);
    pl_f4 rounded = narrow(shift != NULL ? a - *shift : a);
    to[particle_of[i]] = rounded;
    // Infinity times zero and not-a-number times zero are not a number, and stay so in the sum.
    zeros += rounded * 0.0f;
    a = shift != NULL ? widen(rounded) + *shift : widen(rounded);
    if (sums != NULL) add_to_extent(sums, a);
    vectors[i] = pl_vec3_of(a[0], a[1], a[2]);
  }
  return zeros[0] + zeros[1] + zeros[2] == 0.0f;
}

static bool round_vectors(pl_vec3 *vectors, const pl_solid_order *order, int32_t count, pl_f4 *to) {
  return round_all(vectors, order->particle_of, count, NULL, to, NULL);
}

static bool round_points(pl_vec3 *points, const pl_solid_order *order, int32_t count, const double origin[3], pl_f4 *to,
                         pl_contact_extent *extent) {
  pl_d4 shift = {origin[0], origin[1], origin[2], 0};
  extent_sums sums = begin_extent();
  bool is_finite = round_all(points, order->particle_of, count, &shift, to, &sums);
  end_extent(&sums, count, extent);
  return is_finite;
}
