// The inner loops; included by solid_kernels.c, solid_kernels_avx2.c and solid_kernels_avx512.c with KERNELS set to the
// name of the table to define.
//
// Moments are summed eight regions at a time: the k-th particles of all eight are transposed to rows of x, y and z, and
// what the rest shape and the examples multiply them with lies in such rows. Goals need no transposition, and one cache
// line per region: because a goal M (x0 - c0) + c is linear in x0, the regions of a particle can be added up before x0
// is applied.
//
// Papers' letters: A = sum w p q^T (or times the inverse of sum w q q^T), R rotation, S stretch, L descriptor of an
// example less the rest's.

// Four floats as doubles, and back. Written with intrinsics where there are any, because gcc makes three instructions
// of it otherwise.
PL_SIMD_INLINE pl_d4 widen(pl_f4 a) {
#if PL_SIMD_IS_AVX
  return (pl_d4)_mm256_cvtps_pd((__m128)a);
#else
  return __builtin_convertvector(a, pl_d4);
#endif
}
PL_SIMD_INLINE pl_f4 narrow(pl_d4 a) {
#if PL_SIMD_IS_AVX
  return (pl_f4)_mm256_cvtpd_ps((__m256d)a);
#else
  return __builtin_convertvector(a, pl_f4);
#endif
}
PL_SIMD_INLINE pl_f4 low(pl_f8 a) {
  return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
PL_SIMD_INLINE pl_f4 high(pl_f8 a) {
  return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
typedef double d4_unaligned __attribute__((vector_size(32), may_alias, aligned(8)));

// Rows become columns: pairs, then pairs of pairs, then halves.
PL_SIMD_INLINE void transpose8(pl_f8 r[8]) {
  pl_f8 a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    a[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    b[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    b[i + 2] = __builtin_shufflevector(a[i + 1], a[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    b[i + 3] = __builtin_shufflevector(a[i + 1], a[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

PL_SIMD_INLINE pl_f4 cross4(pl_f4 a, pl_f4 b) {
  pl_f4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  pl_f4 c = a * b1 - a1 * b;  // (z, x, y)
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}
PL_SIMD_INLINE pl_d4 cross_d4(pl_d4 a, pl_d4 b) {
  pl_d4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  pl_d4 c = a * b1 - a1 * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

// How many particles ahead of their use positions, poses and goals are fetched. Rings reach ahead along the curve at
// scattered addresses, which no prefetcher guesses. Tried with two examples and one thread, nanoseconds per particle at
// 100k and at 1M: none 113 and 122; 1024 83 and 102; 4096 80 and 95; 8192 84 and 91. Bodies that fit the cache do not
// notice. Fetching past the end does nothing.
//
// What is not within reach, across the larger cells of the curve, is listed (far_offsets) and fetched FAR_AHEAD groups
// ahead: 51 instead of 59 at 1M without examples. From 4 to 12 it makes no difference.
enum { AHEAD = 4096, FAR_AHEAD = 4 };

PL_SIMD_INLINE const pl_f4 *at_offset(const pl_f4 *from, int32_t offset) {
  return (const pl_f4 *)(const void *)((const char *)from + offset);
}

// Two particles side by side.
PL_SIMD_INLINE pl_f8 pair_at(const pl_f4 *from, int32_t first, int32_t second) {
  const pl_f4 *a = at_offset(from, first), *b = at_offset(from, second);
#if PL_SIMD_IS_AVX
  return (pl_f8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)*a), (__m128)*b, 1);
#else
  return __builtin_shufflevector(*a, *b, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

// Rows of the numbers of eight particles, of which i and i + 4 are side by side.
PL_SIMD_INLINE void rows_of_pairs(const pl_f8 pairs[4], pl_f8 rows[4]) {
  pl_f8 a = pairs[0], b = pairs[1], c = pairs[2], d = pairs[3];
  pl_f8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
        cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  pl_f8 ab_z = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15),
        cd_z = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  rows[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
  rows[1] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  rows[2] = __builtin_shufflevector(ab_z, cd_z, 0, 1, 8, 9, 4, 5, 12, 13);
  rows[3] = __builtin_shufflevector(ab_z, cd_z, 2, 3, 10, 11, 6, 7, 14, 15);
}

// x, y, z and the fourth number of eight particles. Four loads, four that insert and eight shuffles: less than half the
// time of the machine's gathers.
PL_SIMD_INLINE void gather_particles(const pl_f4 *from, const int32_t *offsets, pl_f8 rows[4]) {
  pl_f8 pairs[4];
  for (int k = 0; k < 4; ++k) pairs[k] = pair_at(from, offsets[k], offsets[k + 4]);
  rows_of_pairs(pairs, rows);
}

// The reverse: (x, y, z, 0) of eight particles, i and i + 4 side by side.
PL_SIMD_INLINE void split_particles(const pl_f8 rows[3], pl_f8 pairs[4]) {
  pl_f8 zero = {0};
  pl_f8 low_xy = __builtin_shufflevector(rows[0], rows[1], 0, 8, 1, 9, 4, 12, 5, 13),
        high_xy = __builtin_shufflevector(rows[0], rows[1], 2, 10, 3, 11, 6, 14, 7, 15);
  pl_f8 low_z = __builtin_shufflevector(rows[2], zero, 0, 8, 1, 9, 4, 12, 5, 13),
        high_z = __builtin_shufflevector(rows[2], zero, 2, 10, 3, 11, 6, 14, 7, 15);
  pairs[0] = __builtin_shufflevector(low_xy, low_z, 0, 1, 8, 9, 4, 5, 12, 13);
  pairs[1] = __builtin_shufflevector(low_xy, low_z, 2, 3, 10, 11, 6, 7, 14, 15);
  pairs[2] = __builtin_shufflevector(high_xy, high_z, 0, 1, 8, 9, 4, 5, 12, 13);
  pairs[3] = __builtin_shufflevector(high_xy, high_z, 2, 3, 10, 11, 6, 7, 14, 15);
}

// The sums of one slot: p and q relative to the central particles, m p q^T and m p.
PL_SIMD_INLINE void add_slot(const pl_f4 *positions, const pl_f4 *rest, const int32_t *offsets, const pl_f8 x_r[4],
                             const pl_f8 q_r[4], pl_f8 a[9], pl_f8 c[3], pl_f8 p[4]) {
  pl_f8 q[4];
  gather_particles(positions, offsets, p);
  gather_particles(rest, offsets, q);
  for (int i = 0; i < 3; ++i) p[i] -= x_r[i];
  for (int j = 0; j < 3; ++j) q[j] -= q_r[j];
  for (int i = 0; i < 3; ++i) {
    pl_f8 mp = q[3] * p[i];
    for (int j = 0; j < 3; ++j) a[3 * i + j] += mp * q[j];
    c[i] += mp;
  }
}

// Fetch what lies ahead along the curve.
PL_SIMD_INLINE void fetch_positions(const pl_f4 *positions, int32_t group) {
  for (int line = 0; line < 2; ++line) __builtin_prefetch(positions + LANES * group + AHEAD + 4 * line);
}

// The same with the rest shape, and what is far from the group. (Exact shapes have the rest shape in rows, and are
// slower with what is far: 142 instead of 122 at 100k.)
PL_SIMD_INLINE void fetch_ahead(const pl_solid_model *model, const pl_f4 *positions, int32_t group) {
  fetch_positions(positions, group);
  for (int line = 0; line < 2; ++line) __builtin_prefetch(model->rest + LANES * group + AHEAD + 4 * line);
  if (group + FAR_AHEAD >= model->group_count) return;
  const int32_t *start = model->far_start + group + FAR_AHEAD;
  for (int32_t e = start[0]; e < start[1]; ++e) {
    __builtin_prefetch(at_offset(positions, model->far_offsets[e]));
    __builtin_prefetch(at_offset(model->rest, model->far_offsets[e]));
  }
}

// The same for poses, at the first particle of a group.
PL_SIMD_INLINE void fetch_far_poses(const pl_solid_model *model, const float *poses, int32_t group) {
  if (group + FAR_AHEAD >= model->group_count) return;
  const int32_t *start = model->far_start + group + FAR_AHEAD;
  for (int32_t e = start[0]; e < start[1]; ++e)
    __builtin_prefetch((const char *)poses + 4 * (size_t)model->far_offsets[e]);
}

// To memory, past the cache where `streams`: the line is not read first, and what is in the cache stays there. It has
// to be written whole.
PL_SIMD_INLINE void put(float *to, pl_f8 a, bool streams) {
#if PL_SIMD_IS_AVX
  if (streams) {
    _mm256_stream_ps(to, (__m256)a);
    return;
  }
#endif
  (void)streams;
  pl_f8_store(to, a);
}

// Other threads may read what was streamed after this only.
static void finish_stream(void) {
#if PL_SIMD_IS_AVX
  _mm_sfence();
#endif
}

// Paper 000, eq. 1, left factor: A = Σ m p qᵀ of eight regions. p may be taken relative to any point because the sum of
// m q is zero; the central particle keeps the numbers small, and its own term, in the first slot, is zero. q is first
// taken relative to the central particle's rest position too, and the region's true centre put in afterwards. (Taking q
// relative to the body's centre would save three operations, but a body at rest would then tremble by a millionth of
// its size.)
static void sum_moments(const pl_solid_model *model, const pl_f4 *positions, int32_t group, float *moments) {
  const float *constants = model->region_constants + (size_t)group * PL_SOLID_CONSTANT_COUNT * LANES;
  const int32_t *offsets = model->slot_offsets + (size_t)model->slot_start[group] * LANES;
  const pl_f4 *rest = model->rest;
  int32_t slot_count = model->slot_start[group + 1] - model->slot_start[group];
  fetch_ahead(model, positions, group);
  pl_f8 x_r[4], q_r[4], zero = {0}, c[3] = {zero, zero, zero};
  pl_f8 a[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
  gather_particles(positions, offsets, x_r);
  gather_particles(rest, offsets, q_r);
  for (int32_t s = 1; s < slot_count; ++s) {
    pl_f8 p[4];
    add_slot(positions, rest, offsets + LANES * (size_t)s, x_r, q_r, a, c, p);
  }
  pl_f8 scale = pl_f8_load(constants + LANES * PL_SOLID_SCALE),
        inverse_mass = pl_f8_load(constants + LANES * PL_SOLID_INVERSE_MASS);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      pl_f8 value = (a[3 * i + j] - c[i] * pl_f8_load(constants + LANES * (PL_SOLID_ARM + j))) * scale;
      if (i == j) value += pl_f8_load(constants + LANES * PL_SOLID_PADDING);
      pl_f8_store(moments + LANES * (PL_SOLID_MATRIX + 3 * i + j), value);
    }
    pl_f8_store(moments + LANES * (PL_SOLID_OFFSET + i), c[i] * inverse_mass);
  }
}

#include "solid/solid_shapes_kernel.h"

// R <- T R for the rotation T that all eight share, made a unit (both are units up to rounding).
static void turn_rotations(const float turn[4], float *rotation) {
  pl_f8 x = pl_f8_load(rotation), y = pl_f8_load(rotation + LANES), z = pl_f8_load(rotation + 2 * LANES),
        w = pl_f8_load(rotation + 3 * LANES);
  pl_f8 q[4] = {
      turn[3] * x + turn[0] * w + (turn[1] * z - turn[2] * y), turn[3] * y + turn[1] * w + (turn[2] * x - turn[0] * z),
      turn[3] * z + turn[2] * w + (turn[0] * y - turn[1] * x), turn[3] * w - (turn[0] * x + turn[1] * y + turn[2] * z)};
  pl_f8 f = 1.5f - 0.5f * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) pl_f8_store(rotation + LANES * i, q[i] * f);
}

// Squares of the distances of eight quaternions from what they were before, where larger than `lags`.
static void find_lags(const float *before, const float *rotation, float *lags) {
  pl_f8 sum = {0};
  for (int i = 0; i < 4; ++i) {
    pl_f8 difference = pl_f8_load(rotation + LANES * i) - pl_f8_load(before + LANES * i);
    sum += difference * difference;
  }
  pl_f8_store(lags, pl_f8_max(pl_f8_load(lags), sum));
}

// c = a s for symmetric s (xx yy zz yz xz xy).
PL_SIMD_INLINE void multiply_symmetric(const float *a, const pl_f8 s[6], float *c) {
  for (int i = 0; i < 3; ++i) {
    pl_f8 a0 = pl_f8_load(a + LANES * (3 * i)), a1 = pl_f8_load(a + LANES * (3 * i + 1)),
          a2 = pl_f8_load(a + LANES * (3 * i + 2));
    pl_f8_store(c + LANES * (3 * i), a0 * s[0] + a1 * s[5] + a2 * s[4]);
    pl_f8_store(c + LANES * (3 * i + 1), a0 * s[5] + a1 * s[1] + a2 * s[3]);
    pl_f8_store(c + LANES * (3 * i + 2), a0 * s[4] + a1 * s[3] + a2 * s[2]);
  }
}

// Paper 000, eq. 1: A = (Σ m p qᵀ) (Σ m q qᵀ)⁻¹.
static void find_gradient(const float *moments, const float *inverse_spread, float *a) {
  pl_f8 s[6];
  for (int i = 0; i < 6; ++i) s[i] = pl_f8_load(inverse_spread + LANES * i);
  multiply_symmetric(moments, s, a);
}

// (Σ m p qᵀ) S~, whose rotation is the goals' (after eq. 3; the paper takes that of A, which leaves a torque).
static void stretch_moments(const float *moments, const float *stretch, float *a) {
  find_gradient(moments, stretch, a);
}

// The trace of Rᵀ A, row by row.
PL_SIMD_INLINE pl_f8 alignment_of(const float *a, const float *rotation) {
  pl_f8 r[9], sum = {0};
  pl_quat8_rows(rotation, r);
  for (int i = 0; i < 9; ++i) sum += r[i] * pl_f8_load(a + LANES * i);
  return sum;
}

// Not in the paper: a rotation that is not the best one may only replace the last step's where it lowers the energy,
// which falls with the trace of Rᵀ (Σ m p qᵀ) S~.
static void keep_better(const float *matrix, const float *before, float *q) {
  pl_m8 is_worse = alignment_of(matrix, q) < alignment_of(matrix, before);
  for (int i = 0; i < 4; ++i)
    pl_f8_store(q + LANES * i, pl_f8_select(is_worse, pl_f8_load(before + LANES * i), pl_f8_load(q + LANES * i)));
}

// Paper 000, eq. 6, in the metric of the energy: <L_k, sym(Rᵀ Σ m p qᵀ) - Σ m q qᵀ>. Off-diagonals count twice, hence
// sqrt2.
static void find_pulls(const pl_solid_measure *measure, const float *descriptors, float *pulls) {
  pl_f8 r[9], m[9], d[6], s[6], weight = pl_f8_load(measure->weight);
  pl_quat8_rows(measure->rotation, r);
  for (int i = 0; i < 9; ++i) m[i] = pl_f8_load(measure->matrix + LANES * i);
  for (int i = 0; i < 6; ++i) s[i] = pl_f8_load(measure->spread + LANES * i);
  d[0] = r[0] * m[0] + r[3] * m[3] + r[6] * m[6] - s[0];
  d[1] = r[1] * m[1] + r[4] * m[4] + r[7] * m[7] - s[1];
  d[2] = r[2] * m[2] + r[5] * m[5] + r[8] * m[8] - s[2];
  const float half_root = 0.70710678f;  // half of sqrt2, for the mean of the two off-diagonal entries
  d[3] = (r[1] * m[2] + r[4] * m[5] + r[7] * m[8] + (r[2] * m[1] + r[5] * m[4] + r[8] * m[7]) - 2.0f * s[3]);
  d[4] = (r[0] * m[2] + r[3] * m[5] + r[6] * m[8] + (r[2] * m[0] + r[5] * m[3] + r[8] * m[6]) - 2.0f * s[4]);
  d[5] = (r[0] * m[1] + r[3] * m[4] + r[6] * m[7] + (r[1] * m[0] + r[4] * m[3] + r[7] * m[6]) - 2.0f * s[5]);
  for (int i = 0; i < 3; ++i) d[i] *= weight;
  for (int i = 3; i < 6; ++i) d[i] *= weight * half_root;
  for (int32_t k = 0; k < measure->count; ++k) {
    const float *l = descriptors + SYM3_LANES * (size_t)k;
    pl_f8 sum = d[0] * pl_f8_load(l);
    for (int i = 1; i < 6; ++i) sum += d[i] * pl_f8_load(l + LANES * i);
    pl_f8_store(pulls + LANES * k, sum);
  }
}

// Paper 000, eq. 6, summed over the regions of a manifold (§4.3): eight lanes of double sums per example; a region
// counts with its fraction.
static void add_pulls(const float *pulls, const float *fractions, int32_t count, double *sums) {
  for (int32_t k = 0; k < count; ++k) {
    const pl_f4 *pull = (const pl_f4 *)(const void *)(pulls + LANES * k);
    pl_d4 *sum = (pl_d4 *)(void *)(sums + LANES * k);
    for (int half = 0; half < 2; ++half) {
      pl_d4 value = widen(pull[half]);
      if (fractions != NULL) value *= widen(((const pl_f4 *)(const void *)fractions)[half]);
      sum[half] += value;
    }
  }
}

// a / b kept within 0 … 1; 0 where b is not positive, which is an example that leaves the region as it is.
PL_SIMD_INLINE pl_f8 fraction_of(pl_f8 a, pl_f8 b) {
  pl_m8 is_positive = b > 1e-30f;
  pl_f8 zero = {0}, one = pl_f8_set1(1.0f);
  return pl_f8_select(is_positive, pl_f8_max(zero, pl_f8_min(one, a / pl_f8_select(is_positive, b, one))), zero);
}

// Paper 000, eq. 7 with bounds, for one manifold per region (§4.3): minimise w^T G w / 2 - b^T w over w >= 0, sum w <=
// 1 (examples/simplex_weights.h does it for any number). For two examples the feasible set is a triangle: the minimum
// is inside it, or the best of the minima on its three sides. Where G is singular it is always on a side.
static void solve_small(const float *pulls, const float *grams, int32_t count, float *weights) {
  pl_f8 g00 = pl_f8_load(grams), b0 = pl_f8_load(pulls), zero = {0};
  pl_f8 along0 = fraction_of(b0, g00);
  if (count == 1) {
    pl_f8_store(weights, along0);
    return;
  }
  pl_f8 g01 = pl_f8_load(grams + LANES), g11 = pl_f8_load(grams + 2 * LANES), b1 = pl_f8_load(pulls + LANES);
  pl_f8 along1 = fraction_of(b1, g11), across = fraction_of(g00 - g01 - b0 + b1, g00 - 2.0f * g01 + g11);
  // On the sides w1 = 0, w0 = 0 and w0 + w1 = 1.
  pl_f8 w0 = along0, w1 = zero, best = (0.5f * g00 * along0 - b0) * along0, value = (0.5f * g11 * along1 - b1) * along1;
  pl_m8 better = value < best;
  w0 = pl_f8_select(better, zero, w0);
  w1 = pl_f8_select(better, along1, w1);
  best = pl_f8_select(better, value, best);
  pl_f8 rest = 1.0f - across;
  value = 0.5f * (rest * rest * g00 + across * across * g11) + across * rest * g01 - rest * b0 - across * b1;
  better = value < best;
  w0 = pl_f8_select(better, rest, w0);
  w1 = pl_f8_select(better, across, w1);
  // Inside.
  pl_f8 determinant = g00 * g11 - g01 * g01;
  pl_m8 is_regular = determinant > 1e-5f * (g00 * g11);
  pl_f8 inverse = 1.0f / pl_f8_select(is_regular, determinant, pl_f8_set1(1.0f));
  pl_f8 u0 = (g11 * b0 - g01 * b1) * inverse, u1 = (g00 * b1 - g01 * b0) * inverse;
  pl_m8 is_inside = is_regular & (u0 >= 0.0f) & (u1 >= 0.0f) & (u0 + u1 <= 1.0f);
  pl_f8_store(weights, pl_f8_select(is_inside, u0, w0));
  pl_f8_store(weights + LANES, pl_f8_select(is_inside, u1, w1));
}

// Paper 000, stretch of eq. 3: S~ = 1 + Σ w_k (S_k - 1), §4.2.
static void blend_stretch(const float *descriptors, const float *weights, int32_t count, float *stretch) {
  pl_f8 s[6] = {{0}};
  for (int32_t k = 0; k < count; ++k) {
    const float *l = descriptors + SYM3_LANES * (size_t)k;
    pl_f8 w = pl_f8_load(weights + LANES * k);
    for (int i = 0; i < 6; ++i) s[i] += w * pl_f8_load(l + LANES * i);
  }
  for (int i = 0; i < 3; ++i) pl_f8_store(stretch + LANES * i, s[i] + 1.0f);
  for (int i = 3; i < 6; ++i) pl_f8_store(stretch + LANES * i, s[i] * 0.70710678f);
}

// Paper 000, eq. 3: M = R S~ and c - M c0 of each region, times its stiffness.
static void write_poses(const pl_solid_posing *posing, const float *moments, const float *rotation,
                        const float *stretch) {
  const pl_solid_model *model = posing->model;
  const float *constants = model->region_constants + (size_t)posing->group * PL_SOLID_CONSTANT_COUNT * LANES;
  int32_t first_region = posing->group * LANES, left = model->head.particle_count - first_region;
  int32_t lane_count = left < LANES ? left : LANES;
  const pl_f4 *positions = posing->positions + first_region;
  float *poses = posing->poses + (size_t)first_region * PL_SOLID_POSE_SIZE;
  pl_f8 r[9], m[9];
  pl_quat8_rows(rotation, r);
  for (int i = 0; i < 9; ++i) m[i] = r[i];
  if (stretch != NULL) {
    pl_f8 s[6];
    for (int i = 0; i < 6; ++i) s[i] = pl_f8_load(stretch + LANES * i);
    for (int i = 0; i < 9; i += 3) {
      m[i] = r[i] * s[0] + r[i + 1] * s[5] + r[i + 2] * s[4];
      m[i + 1] = r[i] * s[5] + r[i + 1] * s[1] + r[i + 2] * s[3];
      m[i + 2] = r[i] * s[4] + r[i + 1] * s[3] + r[i + 2] * s[2];
    }
  }
  pl_f8 cx = pl_f8_load(constants + LANES * PL_SOLID_CENTER),
        cy = pl_f8_load(constants + LANES * (PL_SOLID_CENTER + 1));
  pl_f8 cz = pl_f8_load(constants + LANES * (PL_SOLID_CENTER + 2)), shift[3], zero = {0};
  for (int i = 0; i < 3; ++i)
    shift[i] =
        pl_f8_load(moments + LANES * (PL_SOLID_OFFSET + i)) - (m[3 * i] * cx + m[3 * i + 1] * cy + m[3 * i + 2] * cz);
  pl_f8 first[LANES] = {m[0], m[3], m[6], zero, m[1], m[4], m[7], zero};
  pl_f8 second[LANES] = {m[2], m[5], m[8], zero, shift[0], shift[1], shift[2], zero};
  transpose8(first);
  transpose8(second);
  const float *stiffness = constants + LANES * PL_SOLID_STIFFNESS;
  for (int lane = 0; lane < lane_count; ++lane) {
    float *pose = poses + PL_SOLID_POSE_SIZE * lane;
    pl_f8 position = __builtin_shufflevector(positions[lane], (pl_f4){0}, 4, 5, 6, 7, 0, 1, 2, 3);
    put(pose, first[lane] * stiffness[lane], model->streams);
    put(pose + LANES, (second[lane] + position) * stiffness[lane], model->streams);
  }
}

// Fetch what the regions ahead along the curve want: every eighth slot of a group, for each of its eight particles.
PL_SIMD_INLINE void fetch_goals(const pl_solid_pull *pull, int32_t i) {
  const pl_solid_model *model = pull->model;
  int32_t group = (i + AHEAD) / LANES;
  if (!model->streams || group >= model->group_count) return;
  for (int32_t slot = model->slot_start[group] + i % LANES; slot < model->slot_start[group + 1]; slot += LANES)
    for (int line = 0; line < 2; ++line) __builtin_prefetch(pull->goals + LANES * (size_t)slot + 4 * line);
}

// Paper 000, mean after eq. 3: the goal of a particle less its position, from what its regions want.
PL_SIMD_INLINE pl_f4 mean_goal(const pl_solid_pull *pull, int32_t i) {
  const int32_t *start = pull->model->particle_start, *goals = pull->model->examples.particle_goals;
  pl_f4 a = {0}, b = {0};
  int32_t e = start[i], last = start[i + 1];
  fetch_goals(pull, i);
  for (; e + 1 < last; e += 2) {
    a += pull->goals[goals[e]];
    b += pull->goals[goals[e + 1]];
  }
  if (e < last) a += pull->goals[goals[e]];
  return (a + b) * pull->model->region_fractions[i];
}

// The same from the affine maps of its regions, applied to its rest position.
PL_SIMD_INLINE pl_f4 mean_pose(const pl_solid_pull *pull, int32_t i) {
  const pl_solid_model *model = pull->model;
  const int32_t *offsets = model->particle_offsets;
  const char *poses = (const char *)pull->poses;
  if (i % LANES == 0) fetch_far_poses(model, pull->poses, i / LANES);
  __builtin_prefetch(poses + (size_t)(i + AHEAD) * PL_SOLID_POSE_BYTES);
  pl_f8 a01 = {0}, a23 = {0}, b01 = {0}, b23 = {0};
  int32_t e = model->particle_start[i], last = model->particle_start[i + 1];
  for (; e + 1 < last; e += 2) {
    const float *first = (const float *)(const void *)(poses + 4 * (size_t)offsets[e]);
    const float *second = (const float *)(const void *)(poses + 4 * (size_t)offsets[e + 1]);
    a01 += pl_f8_load(first);
    a23 += pl_f8_load(first + LANES);
    b01 += pl_f8_load(second);
    b23 += pl_f8_load(second + LANES);
  }
  if (e < last) {
    const float *first = (const float *)(const void *)(poses + 4 * (size_t)offsets[e]);
    a01 += pl_f8_load(first);
    a23 += pl_f8_load(first + LANES);
  }
  a01 += b01;
  a23 += b23;
  pl_f4 q = model->rest[i];
  return (low(a01) * q[0] + high(a01) * q[1] + (low(a23) * q[2] + high(a23))) * model->region_fractions[i] -
         pull->positions[i] * model->stiffnesses[i];
}

// Paper 000, mean after eq. 3, and eq. 4.
static void pull_particles(const pl_solid_pull *pull, int32_t begin, int32_t end, pl_solid_sums *sums) {
  pl_solid_sums s = {.drift = {0}};
  const pl_solid_model *model = pull->model;
  const double *restrict masses = model->masses;
  const pl_f4 *restrict positions = pull->positions;
  pl_f4 *restrict velocities = pull->velocities;
  float alpha_over_step = pull->alpha_over_step;
  pl_f4 gain = pull->gain;
  bool has_goals = pull->goals != NULL;
  for (int32_t i = begin; i < end; ++i) {
    pl_f4 position = positions[i], goal = has_goals ? mean_goal(pull, i) : mean_pose(pull, i);
    pl_f4 velocity = velocities[i] + goal * alpha_over_step + gain;
    if (pull->forces != NULL)
      velocity += pull->forces[model->order.point_of[i]] * (pull->step * model->inverse_masses[i]);
    velocities[i] = velocity;
    pl_d4 x = widen(position), way = widen(goal), g = way * masses[i], v = widen(velocity) * masses[i],
          mx = x * masses[i];
    s.drift += g;
    s.pulls += g * way;
    s.twist += cross_d4(x, g);
    s.momentum += v;
    s.spin += cross_d4(x, v);
    s.moment += mx;
    s.squares += mx * x;
    s.products += mx * __builtin_shufflevector(x, x, 1, 2, 0, 3);
  }
  *sums = s;
}

// Paper 000, eq. 5: x += h v, after damping and without the drift that rounding adds.
static bool drift_particles(const pl_solid_pull *pull, const pl_solid_rigid *rigid, float damped_fraction,
                            int32_t begin, int32_t end) {
  pl_f4 center = pl_f4_of_vec3(rigid->center), velocity = pl_f4_of_vec3(rigid->velocity),
        drift = pl_f4_of_vec3(rigid->drift);
  pl_f4 twist = pl_f4_of_vec3(rigid->twist), turn = pl_f4_of_vec3(rigid->angular_velocity);
  pl_f4 zero = {0};
  for (int32_t i = begin; i < end; ++i) {
    pl_f4 x = pull->positions[i], arm = x - center;
    pl_f4 v = pull->velocities[i] - (drift + cross4(twist, arm));
    v -= (v - (velocity + cross4(turn, arm))) * damped_fraction;
    pull->velocities[i] = v;
    x += v * pull->step;
    pull->positions[i] = x;
    // Infinity times zero and not-a-number times zero are not a number, and stay so in the sum.
    zero += x * 0.0f + v * 0.0f;
  }
  return zero[0] + zero[1] + zero[2] == 0.0f;
}

#include "solid/solid_many_kernel.h"
#include "solid/solid_vectors_kernel.h"

const pl_solid_kernels KERNELS = {
    .sum_moments = sum_moments,
    .find_gradient = find_gradient,
    .keep_better = keep_better,
    .find_pulls = find_pulls,
    .sum_shapes = sum_shapes,
    .find_shape_pulls = find_shape_pulls,
    .find_known_pulls = find_known_pulls,
    .turn_rotations = turn_rotations,
    .find_lags = find_lags,
    .write_goals = write_goals,
    .add_pulls = add_pulls,
    .solve_small = solve_small,
    .blend_stretch = blend_stretch,
    .stretch_moments = stretch_moments,
    .write_poses = write_poses,
    .finish_stream = finish_stream,
    .pull_particles = pull_particles,
    .drift_particles = drift_particles,
    .read_vectors = read_vectors,
    .write_vectors = write_vectors,
    .read_points = read_points,
    .round_vectors = round_vectors,
    .round_points = round_points,
    .load_many = load_many,
    .pose_many = pose_many,
    .pull_many = pull_many,
    .drift_many = drift_many,
};
