// The kernels of actor/actor_tiles.h, included for every instruction set: with KERNEL_NAME the table to define. L Lᵀ =
// D of paper 004, eqs. 15 to 17, column by column of 4 x 4 tiles: L_tk = D_tk L_kk⁻ᵀ, then D_ij -= L_ik L_jkᵀ for all i
// >= j below k (Golub and Van Loan, section 4.2.6, the outer product form; the one that looks left is no faster).

#include "fem/fem_lanes.h"
#include "math/simd_eight.h"

typedef double double4 __attribute__((vector_size(32), may_alias));

PL_SIMD_INLINE double4 load4(const double *from) {
  return *(const double4 *)(const void *)from;
}
PL_SIMD_INLINE void store4(double *to, double4 a) {
  *(double4 *)(void *)to = a;
}

#if PL_SIMD_IS_AVX512
// D_ij -= L_ik L_jkᵀ for one j and all i >= j. `own` has the tiles of column k from j on, `targets` their numbers among
// `values`. Two columns of a target at a time: its numbers lie side by side, and what is spread of L_jk, eight
// registers, serves all i. Every number sees the operations of the version below in the same order.
static void subtract_products(double *values, const int32_t *targets, const double *own, int32_t count) {
  __m512d b[4][2];
  for (int m = 0; m < 4; ++m)
    for (int h = 0; h < 2; ++h) {
      double first = own[4 * m + 2 * h], second = own[4 * m + 2 * h + 1];
      b[m][h] = _mm512_set_pd(second, second, second, second, first, first, first, first);
    }
  for (int32_t i = 0; i < count; ++i) {
    double *target = values + 16 * (ptrdiff_t)targets[i];
    __m512d low = _mm512_loadu_pd(target), high = _mm512_loadu_pd(target + 8);
    for (int m = 0; m < 4; ++m) {
      __m512d a = _mm512_broadcast_f64x4(_mm256_loadu_pd(own + 16 * (ptrdiff_t)i + 4 * m));
      low -= a * b[m][0];
      high -= a * b[m][1];
    }
    _mm512_storeu_pd(target, low);
    _mm512_storeu_pd(target + 8, high);
  }
}
#else
// target -= a bᵀ, for `count` targets and a at once: what is read of b serves all of them.
PL_SIMD_INLINE void subtract_few(double *const *targets, const double *a, const double *b, int count) {
  double4 sums[2][4];
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < 4; ++j) sums[k][j] = load4(targets[k] + 4 * j);
  for (int m = 0; m < 4; ++m)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < count; ++k) sums[k][j] -= load4(a + 16 * k + 4 * m) * b[4 * m + j];
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < 4; ++j) store4(targets[k] + 4 * j, sums[k][j]);
}

// D_ij -= L_ik L_jkᵀ for one j and all i >= j. `own` has the tiles of column k from j on, `targets` their numbers among
// `values`.
static void subtract_products(double *values, const int32_t *targets, const double *own, int32_t count) {
  int32_t i = 0;
  for (; i + 2 <= count; i += 2) {
    double *two[2] = {values + 16 * (ptrdiff_t)targets[i], values + 16 * (ptrdiff_t)targets[i + 1]};
    subtract_few(two, own + 16 * (ptrdiff_t)i, own, 2);
  }
  for (; i < count; ++i) {
    double *one[1] = {values + 16 * (ptrdiff_t)targets[i]};
    subtract_few(one, own + 16 * (ptrdiff_t)i, own, 1);
  }
}
#endif

// The factor of a diagonal tile; false if it is not positive.
static inline bool factor_tile(double *tile, const double *diagonal, double *inverses) {
  double L[4][4];
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) L[j][i] = i < j ? 0 : tile[4 * j + i];
  for (int j = 0; j < 4; ++j) {
    for (int m = 0; m < j; ++m)
      for (int i = j; i < 4; ++i) L[j][i] -= L[m][i] * L[m][j];
    double pivot = L[j][j];
    if (!(pivot > 1e-13 * fabs(diagonal[j]) && pivot < HUGE_VAL)) return false;
    L[j][j] = sqrt(pivot);
    double inverse = inverses[j] = 1 / L[j][j];
    for (int i = j + 1; i < 4; ++i) L[j][i] *= inverse;
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) tile[4 * j + i] = L[j][i];
  return true;
}

// tile = tile Lᵀ⁻¹ for the factor L of the diagonal tile.
PL_SIMD_INLINE void divide_tile(double *tile, const double *diagonal, const double *inverses) {
  double4 sum[4];
  for (int j = 0; j < 4; ++j) {
    sum[j] = load4(tile + 4 * j);
    for (int m = 0; m < j; ++m) sum[j] -= sum[m] * diagonal[4 * m + j];
    sum[j] *= inverses[j];
    store4(tile + 4 * j, sum[j]);
  }
}

static bool factor(const pl_tiles *f) {
  for (int32_t k = 0; k < f->columns; ++k)
    for (int j = 0; j < 4; ++j) f->inverses[4 * (ptrdiff_t)k + j] = f->values[16 * (ptrdiff_t)f->start[k] + 5 * j];
  const int32_t *target = f->targets;
  for (int32_t k = 0; k < f->columns; ++k) {
    double *diagonal = f->values + 16 * (ptrdiff_t)f->start[k], *inverses = f->inverses + 4 * (ptrdiff_t)k;
    const double before[4] = {inverses[0], inverses[1], inverses[2], inverses[3]};
    if (!factor_tile(diagonal, before, inverses)) return false;
    int32_t begin = f->start[k] + 1, end = f->start[k + 1];
    for (int32_t i = begin; i < end; ++i) divide_tile(f->values + 16 * (ptrdiff_t)i, diagonal, inverses);
    for (int32_t j = begin; j < end; target += end - j, ++j)
      subtract_products(f->values, target, f->values + 16 * (ptrdiff_t)j, end - j);
  }
  return true;
}

// Right-hand sides lie side by side, four or eight of them.
PL_SIMD_INLINE void solve_four(const pl_tiles *f, double *x) {
  for (int32_t k = 0; k < f->columns; ++k) {
    const double *tile = f->values + 16 * (ptrdiff_t)f->start[k];
    double *own = x + 16 * (ptrdiff_t)k;
    double4 found[4];
    for (int i = 0; i < 4; ++i) {
      found[i] = load4(own + 4 * i);
      for (int m = 0; m < i; ++m) found[i] -= found[m] * tile[4 * m + i];
      found[i] *= f->inverses[4 * (ptrdiff_t)k + i];
      store4(own + 4 * i, found[i]);
    }
    for (int32_t t = f->start[k] + 1; t < f->start[k + 1]; ++t) {
      double *to = x + 16 * (ptrdiff_t)f->rows[t];
      tile = f->values + 16 * (ptrdiff_t)t;
      for (int i = 0; i < 4; ++i) {
        double4 sum = load4(to + 4 * i);
        for (int m = 0; m < 4; ++m) sum -= found[m] * tile[4 * m + i];
        store4(to + 4 * i, sum);
      }
    }
  }
  for (int32_t k = f->columns - 1; k >= 0; --k) {
    double *own = x + 16 * (ptrdiff_t)k;
    double4 found[4];
    for (int i = 0; i < 4; ++i) found[i] = load4(own + 4 * i);
    for (int32_t t = f->start[k] + 1; t < f->start[k + 1]; ++t) {
      const double *tile = f->values + 16 * (ptrdiff_t)t, *from = x + 16 * (ptrdiff_t)f->rows[t];
      for (int m = 0; m < 4; ++m) {
        double4 y = load4(from + 4 * m);
        for (int i = 0; i < 4; ++i) found[i] -= y * tile[4 * i + m];
      }
    }
    const double *diagonal = f->values + 16 * (ptrdiff_t)f->start[k];
    for (int i = 3; i >= 0; --i) {
      for (int m = i + 1; m < 4; ++m) found[i] -= found[m] * diagonal[4 * i + m];
      found[i] *= f->inverses[4 * (ptrdiff_t)k + i];
      store4(own + 4 * i, found[i]);
    }
  }
}

PL_SIMD_INLINE void solve_eight(const pl_tiles *f, double *x) {
  for (int32_t k = 0; k < f->columns; ++k) {
    const double *tile = f->values + 16 * (ptrdiff_t)f->start[k], *inverses = f->inverses + 4 * (ptrdiff_t)k;
    double *own = x + 32 * (ptrdiff_t)k;
    pl_d8 found[4];
    for (int i = 0; i < 4; ++i) {
      found[i] = pl_d8_load(own + 8 * i);
      for (int m = 0; m < i; ++m) found[i] = pl_d8_subtract_product(found[i], found[m], pl_d8_of(tile[4 * m + i]));
      found[i] = pl_d8_multiply(found[i], pl_d8_of(inverses[i]));
      pl_d8_store(own + 8 * i, found[i]);
    }
    for (int32_t t = f->start[k] + 1; t < f->start[k + 1]; ++t) {
      double *to = x + 32 * (ptrdiff_t)f->rows[t];
      tile = f->values + 16 * (ptrdiff_t)t;
      for (int i = 0; i < 4; ++i) {
        pl_d8 sum = pl_d8_load(to + 8 * i);
        for (int m = 0; m < 4; ++m) sum = pl_d8_subtract_product(sum, found[m], pl_d8_of(tile[4 * m + i]));
        pl_d8_store(to + 8 * i, sum);
      }
    }
  }
  for (int32_t k = f->columns - 1; k >= 0; --k) {
    double *own = x + 32 * (ptrdiff_t)k;
    pl_d8 found[4];
    for (int i = 0; i < 4; ++i) found[i] = pl_d8_load(own + 8 * i);
    for (int32_t t = f->start[k] + 1; t < f->start[k + 1]; ++t) {
      const double *tile = f->values + 16 * (ptrdiff_t)t, *from = x + 32 * (ptrdiff_t)f->rows[t];
      for (int m = 0; m < 4; ++m) {
        pl_d8 y = pl_d8_load(from + 8 * m);
        for (int i = 0; i < 4; ++i) found[i] = pl_d8_subtract_product(found[i], y, pl_d8_of(tile[4 * i + m]));
      }
    }
    const double *diagonal = f->values + 16 * (ptrdiff_t)f->start[k], *inverses = f->inverses + 4 * (ptrdiff_t)k;
    for (int i = 3; i >= 0; --i) {
      for (int m = i + 1; m < 4; ++m)
        found[i] = pl_d8_subtract_product(found[i], found[m], pl_d8_of(diagonal[4 * i + m]));
      found[i] = pl_d8_multiply(found[i], pl_d8_of(inverses[i]));
      pl_d8_store(own + 8 * i, found[i]);
    }
  }
}

static void solve(const pl_tiles *f, int32_t width, double *x) {
  if (width == 4)
    solve_four(f, x);
  else
    solve_eight(f, x);
}

// One right-hand side: lanes are the rows of a tile, and every number is found by the same operations in the same order
// as above.
static void solve_one(const pl_tiles *f, double *x) {
  for (int32_t k = 0; k < f->columns; ++k) {
    const double *tile = f->values + 16 * (ptrdiff_t)f->start[k], *inverses = f->inverses + 4 * (ptrdiff_t)k;
    double *own = x + 4 * (ptrdiff_t)k;
    // In registers: by way of memory every number would wait for the one before to be stored.
    double found[4] = {own[0], own[1], own[2], own[3]};
    for (int i = 0; i < 4; ++i) {
      for (int m = 0; m < i; ++m) found[i] -= found[m] * tile[4 * m + i];
      found[i] *= inverses[i];
    }
    for (int i = 0; i < 4; ++i) own[i] = found[i];
    for (int32_t t = f->start[k] + 1; t < f->start[k + 1]; ++t) {
      double *to = x + 4 * (ptrdiff_t)f->rows[t];
      double4 sum = load4(to);
      tile = f->values + 16 * (ptrdiff_t)t;
      for (int m = 0; m < 4; ++m) sum -= load4(tile + 4 * m) * found[m];
      store4(to, sum);
    }
  }
  for (int32_t k = f->columns - 1; k >= 0; --k) {
    double *own = x + 4 * (ptrdiff_t)k;
    double4 sum = load4(own);
    for (int32_t t = f->start[k] + 1; t < f->start[k + 1]; ++t) {
      const double *tile = f->values + 16 * (ptrdiff_t)t, *y = x + 4 * (ptrdiff_t)f->rows[t];
      pl_lanes rows[4] = {load4(tile), load4(tile + 4), load4(tile + 8), load4(tile + 12)};
      pl_lanes_transpose(rows);
      for (int m = 0; m < 4; ++m) sum -= rows[m] * y[m];
    }
    const double *diagonal = f->values + 16 * (ptrdiff_t)f->start[k], *inverses = f->inverses + 4 * (ptrdiff_t)k;
    double found[4] = {sum[0], sum[1], sum[2], sum[3]};
    for (int i = 3; i >= 0; --i) {
      for (int m = i + 1; m < 4; ++m) found[i] -= found[m] * diagonal[4 * i + m];
      found[i] *= inverses[i];
    }
    for (int i = 0; i < 4; ++i) own[i] = found[i];
  }
}

const pl_tile_kernels KERNEL_NAME = {factor, solve, solve_one};
