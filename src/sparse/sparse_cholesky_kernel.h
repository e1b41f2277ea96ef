// The kernels of sparse/sparse_cholesky_kernels.h, included twice: with KERNELS the table to define.

typedef double double4 __attribute__((vector_size(32), may_alias));
typedef double double4_unaligned __attribute__((vector_size(32), may_alias, aligned(8)));
typedef float float4_unaligned __attribute__((vector_size(16), may_alias, aligned(4)));

PL_SIMD_INLINE double4 load4(const double *from) {
  return *(const double4_unaligned *)(const void *)from;
}
PL_SIMD_INLINE void store4(double *to, double4 a) {
  *(double4_unaligned *)(void *)to = a;
}

// --- factoring ----------------------------------------------------------------------------------------------------

// to -= f from
PL_SIMD_INLINE void subtract_column(double *restrict to, const double *restrict from, double f, int32_t count) {
  int32_t i = 0;
  for (; i + 4 <= count; i += 4) store4(to + i, load4(to + i) - load4(from + i) * f);
  for (; i < count; ++i) to[i] -= from[i] * f;
}

// to0 and to1 less four columns each, all from the same row on: every column is read once for the two.
PL_SIMD_INLINE void subtract_four(double *restrict to0, double *restrict to1, const double *restrict from,
                                  size_t stride, const double f0[4], const double f1[4], int32_t count) {
  const double *a = from, *b = from + stride, *c = b + stride, *d = c + stride;
  int32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    double4 va = load4(a + i), vb = load4(b + i), vc = load4(c + i), vd = load4(d + i);
    store4(to0 + i, load4(to0 + i) - (va * f0[0] + vb * f0[1] + (vc * f0[2] + vd * f0[3])));
    store4(to1 + i, load4(to1 + i) - (va * f1[0] + vb * f1[1] + (vc * f1[2] + vd * f1[3])));
  }
  for (; i < count; ++i) {
    to0[i] -= a[i] * f0[0] + b[i] * f0[1] + (c[i] * f0[2] + d[i] * f0[3]);
    to1[i] -= a[i] * f1[0] + b[i] * f1[1] + (c[i] * f1[2] + d[i] * f1[3]);
  }
}

// Subtract the products of columns `k` … k + 3 from all columns after them, two at a time.
static void subtract_block(double *front, int32_t size, int32_t k) {
  size_t n = (size_t)size;
  const double *block = front + (size_t)k * n;
  int32_t j = k + 4;
  for (; j + 1 < size; j += 2) {
    double f0[4], f1[4], *to0 = front + (size_t)j * n, *to1 = to0 + n;
    for (size_t q = 0; q < 4; ++q) {
      f0[q] = block[q * n + (size_t)j];
      f1[q] = block[q * n + (size_t)j + 1];
    }
    // The second column begins one row lower: its first row here is above the diagonal and is never read.
    subtract_four(to0 + j, to1 + j, block + j, n, f0, f1, size - j);
  }
  for (; j < size; ++j)
    for (size_t q = 0; q < 4; ++q)
      subtract_column(front + (size_t)j * n + j, block + q * n + j, block[q * n + (size_t)j], size - j);
}

static bool eliminate(double *front, int32_t size, int32_t width) {
  size_t n = (size_t)size;
  for (int32_t k = 0; k < width; k += 4) {
    int32_t last = width - k < 4 ? width : k + 4;
    for (int32_t c = k; c < last; ++c) {
      double *column = front + (size_t)c * n;
      for (int32_t q = k; q < c; ++q)
        subtract_column(column + c, front + (size_t)q * n + c, front[(size_t)q * n + (size_t)c], size - c);
      if (!(column[c] > 0 && column[c] < HUGE_VAL)) return false;
      double pivot = sqrt(column[c]), inverse = 1 / pivot;
      for (int32_t i = c + 1; i < size; ++i) column[i] *= inverse;
      column[c] = pivot;
    }
    if (last == k + 4) {
      subtract_block(front, size, k);
      continue;
    }
    for (int32_t j = last; j < size; ++j)
      for (int32_t q = k; q < last; ++q)
        subtract_column(front + (size_t)j * n + j, front + (size_t)q * n + j, front[(size_t)q * n + (size_t)j],
                        size - j);
  }
  return true;
}

// Columns from the last to the first: the inverse of the later part is there already, and column c of (L11; L21) L11⁻¹
// is minus that part times column c of L11, over the pivot.
static void invert(double *front, int32_t size, int32_t width, double *old) {
  size_t n = (size_t)size;
  for (int32_t c = width - 1; c >= 0; --c) {
    double *column = front + (size_t)c * n, inverse = 1 / column[c];
    for (int32_t i = c; i < width; ++i) old[i] = column[i] * inverse;
    for (int32_t i = c + 1; i < width; ++i) column[i] = 0;
    for (int32_t i = width; i < size; ++i) column[i] *= inverse;
    column[c] = inverse;
    for (int32_t k = c + 1; k < width; ++k) subtract_column(column + k, front + (size_t)k * n + k, old[k], size - k);
  }
}

// --- solving ------------------------------------------------------------------------------------------------------

// x[4 points] as rows x, y, z, and back.
PL_SIMD_INLINE void rows_of_points(pl_f4 a, pl_f4 b, pl_f4 c, pl_f4 d, float *to, size_t stride) {
  pl_f4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  pl_f4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(float4_unaligned *)(void *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  *(float4_unaligned *)(void *)(to + stride) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  *(float4_unaligned *)(void *)(to + 2 * stride) = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
}
PL_SIMD_INLINE void points_of_rows(const float *from, size_t stride, pl_f4 p[4]) {
  pl_f4 x = *(const float4_unaligned *)(const void *)from, y = *(const float4_unaligned *)(const void *)(from + stride);
  pl_f4 z = *(const float4_unaligned *)(const void *)(from + 2 * stride), zero = {0};
  pl_f4 xy = __builtin_shufflevector(x, y, 0, 4, 1, 5), xy2 = __builtin_shufflevector(x, y, 2, 6, 3, 7);
  pl_f4 zw = __builtin_shufflevector(z, zero, 0, 4, 1, 5), zw2 = __builtin_shufflevector(z, zero, 2, 6, 3, 7);
  p[0] = __builtin_shufflevector(xy, zw, 0, 1, 4, 5);
  p[1] = __builtin_shufflevector(xy, zw, 2, 3, 6, 7);
  p[2] = __builtin_shufflevector(xy2, zw2, 0, 1, 4, 5);
  p[3] = __builtin_shufflevector(xy2, zw2, 2, 3, 6, 7);
}

// What a supernode is made of.
typedef struct panel_view {
  int32_t first, width, columns;  // columns: width with padding
  int32_t below_count, rows;      // rows: width + below_count with padding
  const int32_t *below;
  const float *tiles;
} panel_view;

PL_SIMD_INLINE panel_view view_panel(const pl_sparse_cholesky *factor, int32_t s) {
  panel_view v = {
      .first = factor->first[s],
      .width = factor->first[s + 1] - factor->first[s],
      .below_count = factor->below_start[s + 1] - factor->below_start[s],
      .below = factor->below + factor->below_start[s],
      .tiles = factor->panels + factor->panel_start[s],
  };
  v.columns = pl_panel_padded(v.width, PL_PANEL_COLUMNS);
  v.rows = pl_panel_padded(v.width + v.below_count, PL_PANEL_ROWS);
  return v;
}

// Rows x, y, z of the supernode's own columns; padding is zero.
PL_SIMD_INLINE void load_columns(const panel_view *v, const pl_f4 *x, float *rows, size_t stride) {
  int32_t i = 0;
  pl_f4 zero = {0};
  for (; i + 4 <= v->width; i += 4) rows_of_points(x[i], x[i + 1], x[i + 2], x[i + 3], rows + i, stride);
  if (i < v->width)
    rows_of_points(x[i], i + 1 < v->width ? x[i + 1] : zero, i + 2 < v->width ? x[i + 2] : zero, zero, rows + i,
                   stride);
}

PL_SIMD_INLINE void store_columns(const panel_view *v, pl_f4 *x, const float *rows, size_t stride) {
  pl_f4 p[4];
  for (int32_t i = 0; i < v->width; i += 4) {
    points_of_rows(rows + i, stride, p);
    for (int32_t k = 0; k < 4 && i + k < v->width; ++k) x[i + k] = p[k];
  }
}

// to[3][rows] = panel * from[3][columns], three numbers of four columns in twelve registers.
PL_SIMD_INLINE void multiply_panel(const panel_view *v, const float *from, size_t from_stride, float *to,
                                   size_t stride) {
  const float *tile = v->tiles;
  for (int32_t row = 0; row < v->rows; row += 8)
    for (size_t axis = 0; axis < 3; ++axis) pl_f8_store(to + axis * stride + row, pl_f8_set1(0));
  for (int32_t c = 0; c < v->columns; c += 4) {
    const float *fx = from + c, *fy = fx + from_stride, *fz = fy + from_stride;
    pl_f8 x0 = pl_f8_set1(fx[0]), x1 = pl_f8_set1(fx[1]), x2 = pl_f8_set1(fx[2]), x3 = pl_f8_set1(fx[3]);
    pl_f8 y0 = pl_f8_set1(fy[0]), y1 = pl_f8_set1(fy[1]), y2 = pl_f8_set1(fy[2]), y3 = pl_f8_set1(fy[3]);
    pl_f8 z0 = pl_f8_set1(fz[0]), z1 = pl_f8_set1(fz[1]), z2 = pl_f8_set1(fz[2]), z3 = pl_f8_set1(fz[3]);
    for (int32_t row = pl_panel_begin(c); row < v->rows; row += 8, tile += 32) {
      float *tx = to + row, *ty = tx + stride, *tz = ty + stride;
      pl_f8 l = pl_f8_load(tile), sx = pl_f8_load(tx) + l * x0, sy = pl_f8_load(ty) + l * y0,
            sz = pl_f8_load(tz) + l * z0;
      l = pl_f8_load(tile + 8);
      sx += l * x1;
      sy += l * y1;
      sz += l * z1;
      l = pl_f8_load(tile + 16);
      sx += l * x2;
      sy += l * y2;
      sz += l * z2;
      l = pl_f8_load(tile + 24);
      sx += l * x3;
      sy += l * y3;
      sz += l * z3;
      pl_f8_store(tx, sx);
      pl_f8_store(ty, sy);
      pl_f8_store(tz, sz);
    }
  }
}

// The sums of the lanes of four vectors.
PL_SIMD_INLINE pl_f4 add_lanes(pl_f8 a, pl_f8 b, pl_f8 c, pl_f8 d) {
  pl_f4 a4 = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
  pl_f4 b4 = __builtin_shufflevector(b, b, 0, 1, 2, 3) + __builtin_shufflevector(b, b, 4, 5, 6, 7);
  pl_f4 c4 = __builtin_shufflevector(c, c, 0, 1, 2, 3) + __builtin_shufflevector(c, c, 4, 5, 6, 7);
  pl_f4 d4 = __builtin_shufflevector(d, d, 0, 1, 2, 3) + __builtin_shufflevector(d, d, 4, 5, 6, 7);
  pl_f4 ab = __builtin_shufflevector(a4, b4, 0, 4, 1, 5) + __builtin_shufflevector(a4, b4, 2, 6, 3, 7);
  pl_f4 cd = __builtin_shufflevector(c4, d4, 0, 4, 1, 5) + __builtin_shufflevector(c4, d4, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// to[3][columns] = panelᵀ * from[3][rows], with twelve sums in registers.
PL_SIMD_INLINE void multiply_transposed(const panel_view *v, const float *from, size_t stride, float *to,
                                        size_t to_stride) {
  const float *tile = v->tiles;
  for (int32_t c = 0; c < v->columns; c += 4) {
    pl_f8 x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0}, y0 = {0}, y1 = {0}, y2 = {0}, y3 = {0}, z0 = {0}, z1 = {0}, z2 = {0},
          z3 = {0};
    for (int32_t row = pl_panel_begin(c); row < v->rows; row += 8, tile += 32) {
      const float *fx = from + row;
      pl_f8 x = pl_f8_load(fx), y = pl_f8_load(fx + stride), z = pl_f8_load(fx + 2 * stride), l = pl_f8_load(tile);
      x0 += l * x;
      y0 += l * y;
      z0 += l * z;
      l = pl_f8_load(tile + 8);
      x1 += l * x;
      y1 += l * y;
      z1 += l * z;
      l = pl_f8_load(tile + 16);
      x2 += l * x;
      y2 += l * y;
      z2 += l * z;
      l = pl_f8_load(tile + 24);
      x3 += l * x;
      y3 += l * y;
      z3 += l * z;
    }
    *(float4_unaligned *)(void *)(to + c) = add_lanes(x0, x1, x2, x3);
    *(float4_unaligned *)(void *)(to + to_stride + c) = add_lanes(y0, y1, y2, y3);
    *(float4_unaligned *)(void *)(to + 2 * to_stride + c) = add_lanes(z0, z1, z2, z3);
  }
}

static void solve_forward(const pl_sparse_cholesky *factor, pl_f4 *x, float *columns, float *rows) {
  size_t column_stride = (size_t)factor->max_columns, stride = (size_t)factor->max_rows;
  for (int32_t s = 0; s < factor->supernode_count; ++s) {
    panel_view v = view_panel(factor, s);
    load_columns(&v, x + v.first, columns, column_stride);
    multiply_panel(&v, columns, column_stride, rows, stride);
    store_columns(&v, x + v.first, rows, stride);
    const float *under = rows + v.width;
    pl_f4 p[4];
    int32_t i = 0;
    for (; i + 4 <= v.below_count; i += 4) {
      points_of_rows(under + i, stride, p);
      for (int k = 0; k < 4; ++k) x[v.below[i + k]] -= p[k];
    }
    for (; i < v.below_count; ++i)
      x[v.below[i]] -= (pl_f4){under[i], under[stride + (size_t)i], under[2 * stride + (size_t)i], 0};
  }
}

static void solve_backward(const pl_sparse_cholesky *factor, pl_f4 *x, float *columns, float *rows) {
  size_t column_stride = (size_t)factor->max_columns, stride = (size_t)factor->max_rows;
  for (int32_t s = factor->supernode_count - 1; s >= 0; --s) {
    panel_view v = view_panel(factor, s);
    load_columns(&v, x + v.first, rows, stride);
    float *under = rows + v.width;
    int32_t i = 0;
    for (; i + 4 <= v.below_count; i += 4)
      rows_of_points(-x[v.below[i]], -x[v.below[i + 1]], -x[v.below[i + 2]], -x[v.below[i + 3]], under + i, stride);
    for (; i < v.below_count; ++i)
      for (size_t axis = 0; axis < 3; ++axis) under[axis * stride + (size_t)i] = -x[v.below[i]][axis];
    for (i = v.width + v.below_count; i < v.rows; ++i)
      for (size_t axis = 0; axis < 3; ++axis) rows[axis * stride + (size_t)i] = 0;
    multiply_transposed(&v, rows, stride, columns, column_stride);
    store_columns(&v, x + v.first, columns, column_stride);
  }
}

static void solve(const pl_sparse_cholesky *factor, pl_f4 *x, float *workspace) {
  float *rows = workspace, *columns = workspace + 3 * (size_t)factor->max_rows;
  solve_forward(factor, x, columns, rows);
  solve_backward(factor, x, columns, rows);
}

const pl_sparse_cholesky_kernels KERNELS = {eliminate, invert, solve};
