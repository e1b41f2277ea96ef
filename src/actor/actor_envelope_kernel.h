// The kernels of actor/actor_envelope.h, included twice: with KERNEL_NAME the table to define. L Lᵀ = D of paper 004,
// eqs. 15 to 17, by rows of 4 x 4 tiles from the first that is not zero to the diagonal (envelope Cholesky).

typedef double double4 __attribute__((vector_size(32), may_alias));

PL_SIMD_INLINE double4 load4(const double *from) {
  return *(const double4 *)(const void *)from;
}
PL_SIMD_INLINE void store4(double *to, double4 a) {
  *(double4 *)(void *)to = a;
}

// sum -= a bᵀ
PL_SIMD_INLINE void subtract_product(double4 *sum, const double *a, const double *b) {
  for (int m = 0; m < 4; ++m) {
    double4 column = load4(a + 4 * m);
    for (int j = 0; j < 4; ++j) sum[j] -= column * b[4 * m + j];
  }
}

// The factor of a diagonal tile; false if it is not positive.
static inline bool factor_tile(double *tile, const double *diagonal, double *inverses) {
  for (int j = 0; j < 4; ++j) {
    for (int m = 0; m < j; ++m)
      for (int i = j; i < 4; ++i) tile[4 * j + i] -= tile[4 * m + i] * tile[4 * m + j];
    double pivot = tile[4 * j + j];
    if (!(pivot > 1e-13 * fabs(diagonal[j]) && pivot < HUGE_VAL)) return false;
    double root = sqrt(pivot);
    inverses[j] = 1 / root;
    for (int i = 0; i < j; ++i) tile[4 * j + i] = 0;
    tile[4 * j + j] = root;
    for (int i = j + 1; i < 4; ++i) tile[4 * j + i] *= inverses[j];
  }
  return true;
}

static bool factor(const pl_envelope *e) {
  for (int32_t t = 0; t < e->tile_rows; ++t) {
    double *row = e->tiles + 16 * e->start[t];
    for (int32_t q = e->first[t]; q <= t; ++q) {
      const double *other = e->tiles + 16 * e->start[q], *last = other + 16 * (ptrdiff_t)(q - e->first[q]);
      double *own = row + 16 * (ptrdiff_t)(q - e->first[t]);
      const double diagonal[4] = {own[0], own[5], own[10], own[15]};
      double4 sum[4];
      for (int j = 0; j < 4; ++j) sum[j] = load4(own + 4 * j);
      int32_t from = e->first[t] > e->first[q] ? e->first[t] : e->first[q];
      const double *a = row + 16 * (ptrdiff_t)(from - e->first[t]), *b = other + 16 * (ptrdiff_t)(from - e->first[q]);
      for (int32_t k = from; k < q; ++k, a += 16, b += 16) subtract_product(sum, a, b);
      if (q == t) {
        for (int j = 0; j < 4; ++j) store4(own + 4 * j, sum[j]);
        if (!factor_tile(own, diagonal, e->inverses + 4 * (ptrdiff_t)t)) return false;
        break;
      }
      for (int j = 0; j < 4; ++j) {
        for (int m = 0; m < j; ++m) sum[j] -= sum[m] * last[4 * m + j];
        sum[j] *= e->inverses[4 * (ptrdiff_t)q + j];
        store4(own + 4 * j, sum[j]);
      }
    }
  }
  return true;
}

static void solve_lower(const pl_envelope *e, double *x) {
  for (int32_t t = 0; t < e->tile_rows; ++t) {
    const double *tile = e->tiles + 16 * e->start[t];
    double *own = x + 16 * (ptrdiff_t)t;
    double4 sum[4];
    for (int i = 0; i < 4; ++i) sum[i] = load4(own + 4 * i);
    for (int32_t k = e->first[t]; k < t; ++k, tile += 16)
      for (int m = 0; m < 4; ++m) {
        double4 y = load4(x + 16 * (ptrdiff_t)k + 4 * m);
        for (int i = 0; i < 4; ++i) sum[i] -= y * tile[4 * m + i];
      }
    for (int i = 0; i < 4; ++i) {
      for (int m = 0; m < i; ++m) sum[i] -= sum[m] * tile[4 * m + i];
      sum[i] *= e->inverses[4 * (ptrdiff_t)t + i];
      store4(own + 4 * i, sum[i]);
    }
  }
}

static void solve_upper(const pl_envelope *e, double *x) {
  for (int32_t t = e->tile_rows - 1; t >= 0; --t) {
    const double *tile = e->tiles + 16 * e->start[t], *diagonal = tile + 16 * (ptrdiff_t)(t - e->first[t]);
    double *own = x + 16 * (ptrdiff_t)t;
    double4 found[4];
    for (int i = 3; i >= 0; --i) {
      found[i] = load4(own + 4 * i);
      for (int m = i + 1; m < 4; ++m) found[i] -= found[m] * diagonal[4 * i + m];
      found[i] *= e->inverses[4 * (ptrdiff_t)t + i];
      store4(own + 4 * i, found[i]);
    }
    for (int32_t k = e->first[t]; k < t; ++k, tile += 16)
      for (int m = 0; m < 4; ++m) {
        double *to = x + 16 * (ptrdiff_t)k + 4 * m;
        double4 sum = load4(to);
        for (int i = 0; i < 4; ++i) sum -= found[i] * tile[4 * m + i];
        store4(to, sum);
      }
  }
}

static void solve(const pl_envelope *e, double *x) {
  solve_lower(e, x);
  solve_upper(e, x);
}

const pl_envelope_kernels KERNEL_NAME = {factor, solve};
