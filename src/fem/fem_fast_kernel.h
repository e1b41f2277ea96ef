// The inner loops; included by fem_fast_kernels.c and fem_fast_kernels_avx2.c with KERNELS set to the name of the table
// to define. They compute the step of fem_fast_step.c (Kugelstadt, Koschier and Bender 2018), in its letters.
//
// Eight tets at a time. A particle is (x, y, z, something), so a corner of eight tets is eight loads and a
// transposition; since tets of a colour share no corner, results can go back the same way.

// Rows x, y, z and the fourth of eight particles, and back. Without AVX by halves, because gcc takes wider shuffles
// apart.
#if PL_SIMD_IS_AVX
PL_SIMD_INLINE void transpose8(pl_f8 r[4]) {
  pl_f8 a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13),
        b = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
  pl_f8 c = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15),
        d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
  r[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
  r[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  r[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
  r[3] = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}
PL_SIMD_INLINE void gather(const pl_f4 *from, const int32_t *at, pl_f8 r[4]) {
  for (int k = 0; k < 4; ++k) {
    __m256 low = _mm256_castps128_ps256((__m128)from[at[k]]);
    r[k] = (pl_f8)_mm256_insertf128_ps(low, (__m128)from[at[k + 4]], 1);
  }
  transpose8(r);
}
PL_SIMD_INLINE void lanes_of(pl_f8 r[4], pl_f4 points[LANES]) {
  transpose8(r);
  for (int k = 0; k < 4; ++k) {
    points[k] = (pl_f4)_mm256_castps256_ps128((__m256)r[k]);
    points[k + 4] = (pl_f4)_mm256_extractf128_ps((__m256)r[k], 1);
  }
}
#else
PL_SIMD_INLINE void transpose4(pl_f4 r[4]) {
  pl_f4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  pl_f4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7), d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}
typedef union halves {
  pl_f8 whole;
  pl_f4 half[2];
} halves;
PL_SIMD_INLINE void gather(const pl_f4 *from, const int32_t *at, pl_f8 r[4]) {
  pl_f4 low[4] = {from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
  pl_f4 high[4] = {from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
  transpose4(low);
  transpose4(high);
  for (int k = 0; k < 4; ++k) r[k] = (halves){.half = {low[k], high[k]}}.whole;
}
PL_SIMD_INLINE void lanes_of(pl_f8 r[4], pl_f4 points[LANES]) {
  for (int k = 0; k < 4; ++k) {
    halves h = {r[k]};
    points[k] = h.half[0];
    points[k + 4] = h.half[1];
  }
  transpose4(points);
  transpose4(points + 4);
}
#endif

PL_SIMD_INLINE void add_at(pl_f4 *to, const int32_t *at, pl_f8 x, pl_f8 y, pl_f8 z) {
  pl_f8 rows[4] = {x, y, z, pl_f8_set1(0)};
  pl_f4 points[LANES];
  lanes_of(rows, points);
  for (int k = 0; k < LANES; ++k) to[at[k]] += points[k];
}

PL_SIMD_INLINE pl_f8 dot8(const pl_f8 a[3], const pl_f8 b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Right-hand side of the step (fem_fast_step.c), outside part. What outside forces and damping would do to a particle
// by themselves: h² (a + f / m - damping v) / (1 + h damping).
PL_SIMD_INLINE pl_f4 push_of(const pl_fem_fast_work *work, int32_t i) {
  pl_f4 push = work->gain - work->state.velocities[i] * work->damping;
  if (work->outside != NULL) {
    int32_t point = work->model->point_of[i];
    push += work->outside[point] * (work->step * (float)work->model->head.inverse_masses[point]);
  }
  return push * work->reach;
}

// y = x + h v, and h² times the outside forces.
static void predict(const pl_fem_fast_work *work, int32_t begin, int32_t end) {
  const float *inertias = work->model->inertias;
  for (int32_t i = begin; i < end; ++i) {
    work->predicted[i] = work->state.positions[i] + work->state.velocities[i] * work->step;
    work->forces[i] = push_of(work, i) * inertias[i];
    work->moves[i] = (pl_f4){0};
  }
}

// F = sum over corners (x_a - x_0) b_a^T, row-major.
PL_SIMD_INLINE void find_gradient(const pl_fem_fast_work *work, const int32_t *corners, const float *constants,
                                  pl_f8 f[9]) {
  pl_f8 first[4], corner[4];
  gather(work->predicted, corners, first);
  for (int i = 0; i < 9; ++i) f[i] = pl_f8_set1(0);
  for (int a = 0; a < 3; ++a) {
    gather(work->predicted, corners + LANES * (a + 1), corner);
    for (int i = 0; i < 3; ++i) {
      pl_f8 edge = corner[i] - first[i];
      for (int j = 0; j < 3; ++j)
        f[3 * i + j] += edge * pl_f8_load(constants + LANES * (PL_FAST_GRADIENTS + 3 * a + j));
    }
  }
}

// S~ = 1 + Σ w_k L_k of a group, as xx yy zz yz xz xy.
PL_SIMD_INLINE void blend_shape(const pl_fem_fast_work *work, int32_t group, pl_f8 s[6]) {
  const pl_fem_fast_examples *examples = &work->model->examples;
  const float *shapes = examples->shapes + (size_t)(group * examples->count) * SYM3_LANES;
  for (int i = 0; i < 6; ++i) s[i] = pl_f8_set1(i < 3 ? 1.0f : 0.0f);
  for (int32_t k = 0; k < examples->count; ++k) {
    float w = work->state.weights[k];
    if (w == 0.0f) continue;
    for (int i = 0; i < 6; ++i) s[i] += pl_f8_load(shapes + SYM3_LANES * k + LANES * i) * w;
  }
}

// a s for symmetric s.
PL_SIMD_INLINE void multiply_shape(const pl_f8 a[9], const pl_f8 s[6], pl_f8 c[9]) {
  for (int i = 0; i < 9; i += 3) {
    c[i] = a[i] * s[0] + a[i + 1] * s[5] + a[i + 2] * s[4];
    c[i + 1] = a[i] * s[5] + a[i + 1] * s[1] + a[i + 2] * s[3];
    c[i + 2] = a[i] * s[4] + a[i + 1] * s[3] + a[i + 2] * s[2];
  }
}

// The rotations nearest to F S~, from the last ones: the force of stretching then has no torque.
PL_SIMD_INLINE void turn_group(const pl_fem_fast_work *work, int32_t group, const pl_f8 a[9], pl_f8 r[9]) {
  _Alignas(32) float matrix[MAT3_LANES];
  float *q = work->state.rotations + (size_t)group * QUAT_LANES;
  for (int i = 0; i < 9; ++i) pl_f8_store(matrix + LANES * i, a[i]);
  pl_rotation_batch(matrix, q);
  pl_quat8_rows(q, r);
}

// What a group says about the examples (fem_fast_examples.c): 2 μ V <L, Rᵀ F - 1> + λ V tr L (tr(Rᵀ F) - 3).
PL_SIMD_INLINE void add_example_pulls(const pl_fem_fast_work *work, int32_t group, const pl_f8 f[9], const pl_f8 r[9],
                                      double *sums) {
  const pl_fem_fast_examples *examples = &work->model->examples;
  const float *shapes = examples->shapes + (size_t)(group * examples->count) * SYM3_LANES;
  const float *constants = work->model->tets.constants + (size_t)group * PL_FAST_CONSTANT_COUNT * LANES;
  pl_f8 shear = pl_f8_load(constants + LANES * PL_FAST_SHEAR), bulk = pl_f8_load(constants + LANES * PL_FAST_BULK),
        d[6];
  static const int rows[6] = {0, 1, 2, 1, 0, 0}, columns[6] = {0, 1, 2, 2, 2, 1};
  for (int i = 0; i < 6; ++i) {
    int j = rows[i], k = columns[i];
    pl_f8 jk = r[j] * f[k] + r[3 + j] * f[3 + k] + r[6 + j] * f[6 + k];
    d[i] = i < 3 ? jk - 1.0f : jk + (r[k] * f[j] + r[3 + k] * f[3 + j] + r[6 + k] * f[6 + j]);
  }
  pl_f8 strain = (d[0] + d[1] + d[2]) * bulk;
  for (int i = 0; i < 6; ++i) d[i] = d[i] * shear;
  for (int i = 0; i < 3; ++i) d[i] += strain;
  for (int32_t k = 0; k < examples->count; ++k) {
    _Alignas(32) float lanes[LANES];
    pl_f8 sum = d[0] * pl_f8_load(shapes + SYM3_LANES * k);
    for (int i = 1; i < 6; ++i) sum += d[i] * pl_f8_load(shapes + SYM3_LANES * k + LANES * i);
    pl_f8_store(lanes, sum);
    for (int lane = 0; lane < LANES; ++lane) sums[LANES * k + lane] += (double)lanes[lane];
  }
}

static void measure(const pl_fem_fast_work *work, int32_t begin, int32_t end, double *sums) {
  const pl_fem_fast_tets *tets = &work->model->tets;
  for (int32_t i = 0; i < work->model->examples.count * LANES; ++i) sums[i] = 0;
  for (int32_t group = begin; group < end; ++group) {
    float *gradients = work->gradients + (size_t)group * MAT3_LANES;
    pl_f8 f[9], r[9], s[6], a[9];
    find_gradient(work, tets->corners + (size_t)group * PL_FAST_CORNER_LANES,
                  tets->constants + (size_t)group * PL_FAST_CONSTANT_COUNT * LANES, f);
    for (int i = 0; i < 9; ++i) pl_f8_store(gradients + LANES * i, f[i]);
    blend_shape(work, group, s);
    multiply_shape(f, s, a);
    turn_group(work, group, a, r);
    for (int i = 0; i < 9; ++i) f[i] = pl_f8_load(gradients + LANES * i);
    add_example_pulls(work, group, f, r, sums);
  }
}

// R of each tet and its elastic forces, h² Σ (2 μ V (R S~ - F) - λ V t R) b_a; g_a = R b_a, times the root of λ h² V,
// is kept for press(), which then reads nothing else of the tets.
static void match_group(const pl_fem_fast_work *work, int32_t group) {
  const pl_fem_fast_tets *tets = &work->model->tets;
  const int32_t *corners = tets->corners + (size_t)group * PL_FAST_CORNER_LANES;
  const float *constants = tets->constants + (size_t)group * PL_FAST_CONSTANT_COUNT * LANES;
  float *pulls = work->pulls + (size_t)group * MAT3_LANES;
  pl_f8 f[9], r[9], shaped[9], s[6], stress[9], strain = pl_f8_set1(0), first[3] = {{0}, {0}, {0}};
  bool has_examples = work->model->examples.count > 0;
  for (int i = 0; i < 6; ++i) s[i] = pl_f8_set1(i < 3 ? 1.0f : 0.0f);
  if (work->is_measured)
    for (int i = 0; i < 9; ++i) f[i] = pl_f8_load(work->gradients + (size_t)group * MAT3_LANES + LANES * i);
  else
    find_gradient(work, corners, constants, f);
  for (int i = 0; i < 9; ++i) shaped[i] = f[i];
  if (has_examples) {
    blend_shape(work, group, s);
    multiply_shape(f, s, shaped);
  }
  turn_group(work, group, shaped, r);

  pl_f8 shear = pl_f8_load(constants + LANES * PL_FAST_SHEAR);
  for (int i = 0; i < 3; ++i)
    strain += (f[3 * i] * r[3 * i] + f[3 * i + 1] * r[3 * i + 1] + f[3 * i + 2] * r[3 * i + 2]) - s[i];
  pl_f8 bulk = pl_f8_load(constants + LANES * PL_FAST_BULK), pressure = bulk * strain, root = pl_f8_sqrt(bulk);
  for (int i = 0; i < 9; ++i) shaped[i] = r[i];
  if (has_examples) multiply_shape(r, s, shaped);
  for (int i = 0; i < 9; ++i) stress[i] = shear * (shaped[i] - f[i]) - pressure * r[i];
  for (int a = 0; a < 3; ++a) {
    pl_f8 b[3], force[3];
    for (int j = 0; j < 3; ++j) b[j] = pl_f8_load(constants + LANES * (PL_FAST_GRADIENTS + 3 * a + j));
    for (int i = 0; i < 3; ++i) {
      force[i] = dot8(stress + 3 * i, b);
      first[i] -= force[i];
      pl_f8_store(pulls + LANES * (3 * a + i), root * dot8(r + 3 * i, b));
    }
    add_at(work->forces, corners + LANES * (a + 1), force[0], force[1], force[2]);
  }
  add_at(work->forces, corners, first[0], first[1], first[2]);
}

static void match(const pl_fem_fast_work *work, int32_t begin, int32_t end) {
  for (int32_t group = begin; group < end; ++group) match_group(work, group);
}

// g · direction of a group, with g times the root of λ h² V.
PL_SIMD_INLINE pl_f8 strain_of(const pl_fem_fast_work *work, int32_t group, const pl_f8 g[9]) {
  const int32_t *corners = work->model->tets.corners + (size_t)group * PL_FAST_CORNER_LANES;
  pl_f8 first[4], corner[4], sum = pl_f8_set1(0);
  gather(work->direction, corners, first);
  for (int a = 0; a < 3; ++a) {
    gather(work->direction, corners + LANES * (a + 1), corner);
    for (int i = 0; i < 3; ++i) sum += g[3 * a + i] * (corner[i] - first[i]);
  }
  return sum;
}

// product += λ h² V g (g · direction): the volume part of the matrix.
static void press_group(const pl_fem_fast_work *work, int32_t group) {
  const int32_t *corners = work->model->tets.corners + (size_t)group * PL_FAST_CORNER_LANES;
  const float *pulls = work->pulls + (size_t)group * MAT3_LANES;
  pl_f8 g[9], total[3] = {{0}, {0}, {0}};
  for (int i = 0; i < 9; ++i) g[i] = pl_f8_load(pulls + LANES * i);
  pl_f8 strain = strain_of(work, group, g);
  for (int a = 0; a < 3; ++a) {
    for (int i = 0; i < 3; ++i) total[i] -= g[3 * a + i];
    add_at(work->product, corners + LANES * (a + 1), strain * g[3 * a], strain * g[3 * a + 1], strain * g[3 * a + 2]);
  }
  add_at(work->product, corners, strain * total[0], strain * total[1], strain * total[2]);
}

static void press(const pl_fem_fast_work *work, int32_t begin, int32_t end) {
  for (int32_t group = begin; group < end; ++group) press_group(work, group);
}

// product = A direction: the constant part of the matrix.
static void stretch(const pl_fem_fast_work *work, int32_t begin, int32_t end) {
  const pl_fem_fast_model *model = work->model;
  const pl_f4 *x = work->direction;
  for (int32_t row = begin; row < end; ++row) {
    pl_f4 sum0 = {0}, sum1 = {0};
    int32_t e = model->row_start[row], last = model->row_start[row + 1];
    for (; e + 1 < last; e += 2) {
      sum0 += x[model->columns[e]] * model->values[e];
      sum1 += x[model->columns[e + 1]] * model->values[e + 1];
    }
    if (e < last) sum0 += x[model->columns[e]] * model->values[e];
    work->product[row] = sum0 + sum1;
  }
}

// Written with intrinsics where there are any, because gcc makes three instructions of it otherwise.
PL_SIMD_INLINE pl_fast_d4 widen(pl_f4 a) {
#if PL_SIMD_IS_AVX
  return (pl_fast_d4)_mm256_cvtps_pd((__m128)a);
#else
  return __builtin_convertvector(a, pl_fast_d4);
#endif
}

// Four sums, so that they need not wait for each other.
static double dot(const pl_f4 *a, const pl_f4 *b, int32_t begin, int32_t end) {
  pl_fast_d4 sums[4] = {{0}, {0}, {0}, {0}};
  int32_t i = begin;
  for (; i + 4 <= end; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += widen(a[i + k]) * widen(b[i + k]);
  for (; i < end; ++i) sums[0] += widen(a[i]) * widen(b[i]);
  pl_fast_d4 sum = sums[0] + sums[1] + (sums[2] + sums[3]);
  return sum[0] + sum[1] + sum[2];
}

// Σ λ h² V (g · direction)², eight sums in double precision: what press() would add to direction · product.
static double squeeze(const pl_fem_fast_work *work, int32_t begin, int32_t end) {
  pl_fast_d4 low = {0}, high = {0};
  for (int32_t group = begin; group < end; ++group) {
    const float *pulls = work->pulls + (size_t)group * MAT3_LANES;
    pl_f8 g[9];
    for (int i = 0; i < 9; ++i) g[i] = pl_f8_load(pulls + LANES * i);
    pl_f8 strain = strain_of(work, group, g), energy = strain * strain;
    low += widen(__builtin_shufflevector(energy, energy, 0, 1, 2, 3));
    high += widen(__builtin_shufflevector(energy, energy, 4, 5, 6, 7));
  }
  low += high;
  return low[0] + low[1] + (low[2] + low[3]);
}

// One step of conjugate gradients: moves += length direction, forces -= length product.
static void advance(const pl_fem_fast_work *work, float length, int32_t begin, int32_t end) {
  for (int32_t i = begin; i < end; ++i) {
    work->moves[i] += work->direction[i] * length;
    work->forces[i] -= work->product[i] * length;
  }
}

// The next direction of conjugate gradients, and A times it: A solved is the forces it was solved from.
static void turn(const pl_fem_fast_work *work, float fraction, int32_t begin, int32_t end) {
  for (int32_t i = begin; i < end; ++i) {
    work->direction[i] = work->solved[i] + work->direction[i] * fraction;
    work->stretched[i] = work->product[i] = work->forces[i] + work->stretched[i] * fraction;
  }
}

PL_SIMD_INLINE pl_fast_d4 cross_d4(pl_fast_d4 a, pl_fast_d4 b) {
  pl_fast_d4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  pl_fast_d4 c = a * b1 - a1 * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}
PL_SIMD_INLINE pl_f4 cross4(pl_f4 a, pl_f4 b) {
  pl_f4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  pl_f4 c = a * b1 - a1 * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

// Momentum and angular momentum of the moves, and moments of the body, for the rigid part that is taken out.
static void sum(const pl_fem_fast_work *work, int32_t begin, int32_t end, pl_fem_fast_sums *sums) {
  pl_fem_fast_sums s = {.drift = {0}};
  for (int32_t i = begin; i < end; ++i) {
    pl_fast_d4 x = widen(work->state.positions[i]), d = widen(work->moves[i] - push_of(work, i));
    pl_fast_d4 mx = x * work->model->masses[i], md = d * work->model->masses[i];
    s.drift += md;
    s.twist += cross_d4(x, md);
    s.moment += mx;
    s.squares += mx * x;
    s.products += mx * __builtin_shufflevector(x, x, 1, 2, 0, 3);
  }
  *sums = s;
}

// v += d / h, x += h v, with the rigid part taken out of d.
static bool finish(const pl_fem_fast_work *work, int32_t begin, int32_t end) {
  pl_f4 zero = {0};
  float rate = 1.0f / work->step;
  for (int32_t i = begin; i < end; ++i) {
    pl_f4 x = work->state.positions[i], d = work->moves[i];
    d -= work->drift + cross4(work->twist, x - work->center);
    pl_f4 v = work->state.velocities[i] + d * rate;
    v[3] = 0;
    x += v * work->step;
    work->state.velocities[i] = v;
    work->state.positions[i] = x;
    // Infinity times zero and not-a-number times zero are not a number, and stay so in the sum.
    zero += x * 0.0f + v * 0.0f;
  }
  return zero[0] + zero[1] + zero[2] == 0.0f;
}

// product -= C ω + W (Cᵀ d - S ω), ω = Wᵀ d (fem_fast_matrix.h).
static void unturn(const pl_fem_fast_turned *turned, const double *d, double *product) {
  const double *columns = turned->columns;
  ptrdiff_t n = turned->size, stride = turned->stride, i = 0;
  pl_d4 sums[6] = {{0}, {0}, {0}, {0}, {0}, {0}};
  double along[6];
  for (; i + 4 <= n; i += 4)
    for (int c = 0; c < 6; ++c) sums[c] += pl_d4_load(columns + stride * c + i) * pl_d4_load(d + i);
  for (int c = 0; c < 6; ++c) along[c] = (sums[c][0] + sums[c][1]) + (sums[c][2] + sums[c][3]);
  for (; i < n; ++i)
    for (int c = 0; c < 6; ++c) along[c] += columns[stride * c + i] * d[i];
  double factors[6] = {along[3], along[4], along[5], along[0], along[1], along[2]};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) factors[r] -= turned->square[3 * r + c] * along[c];
  for (i = 0; i + 4 <= n; i += 4) {
    pl_d4 sum = pl_d4_load(product + i);
    for (int c = 0; c < 6; ++c) sum -= pl_d4_load(columns + stride * c + i) * factors[c];
    pl_d4_store(product + i, sum);
  }
  for (; i < n; ++i)
    for (int c = 0; c < 6; ++c) product[i] -= columns[stride * c + i] * factors[c];
}

const pl_fem_fast_kernels KERNELS = {
    .predict = predict,
    .match = match,
    .measure = measure,
    .stretch = stretch,
    .press = press,
    .squeeze = squeeze,
    .dot = dot,
    .advance = advance,
    .turn = turn,
    .sum = sum,
    .finish = finish,
    .unturn = unturn,
};
