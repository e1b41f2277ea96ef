// The kernels of sparse/block_kernels.h, included twice: with KERNEL_NAME the table to define.
//
// Three numbers are handled four at a time. The fourth lane carries whatever follows them, takes part in no sum that is
// kept, and is never written to where it matters. So the lanes that count see the same operations in the same order on
// every machine.

typedef double double4 __attribute__((vector_size(32), may_alias));
typedef double double4_unaligned __attribute__((vector_size(32), may_alias, aligned(8)));
typedef float float4_unaligned __attribute__((vector_size(16), may_alias, aligned(4)));

PL_SIMD_INLINE double4 load4(const double *from) {
  return *(const double4_unaligned *)(const void *)from;
}
PL_SIMD_INLINE double4 load4_single(const float *from) {
  return __builtin_convertvector(*(const float4_unaligned *)(const void *)from, double4);
}
PL_SIMD_INLINE double add3(double4 a) {
  return a[0] + a[1] + a[2];
}

// A block of 9 numbers is two fours and one. The fours of a row-major element matrix lie across its rows, and are
// blended from two loads each that stay inside of it.
PL_SIMD_INLINE void scatter_blocks(double *values, const int32_t *slots, const double *matrix, int32_t width) {
  for (int32_t a = 0; a < width; ++a)
    for (int32_t b = 0; b < width; ++b) {
      double *to = values + 9 * (size_t)slots[a * width + b];
      const double *row0 = matrix + 9 * a * width + 3 * b, *row1 = row0 + 3 * width, *row2 = row1 + 3 * width;
      double4_unaligned *first = (double4_unaligned *)(void *)to, *second = (double4_unaligned *)(void *)(to + 4);
      *first += __builtin_shufflevector(load4(row0), load4(row1 - 3), 0, 1, 2, 7);
      *second += __builtin_shufflevector(load4(row1 + 1), load4(row2 - 2), 0, 1, 6, 7);
      to[8] += row2[2];
    }
}

static void scatter(double *values, const int32_t *slots, const double *matrix, int32_t width) {
  if (width == 4)
    scatter_blocks(values, slots, matrix, 4);  // tets, with all offsets known
  else
    scatter_blocks(values, slots, matrix, width);
}

static double multiply(const pl_block_matrix *matrix, int32_t begin, int32_t end, const double *x, double *y) {
  const int32_t *start = matrix->pattern->start, *columns = matrix->pattern->columns;
  int32_t last_column = matrix->pattern->row_count - 1;
  double4 dots = {0};
  for (int32_t row = begin; row < end; ++row) {
    double4 sum0 = {0}, sum1 = {0}, sum2 = {0};
    const double *values = matrix->values + 9 * (size_t)start[row];
    // After the last column of x there is nothing to read.
    int32_t stop = start[row + 1];
    bool meets_last = columns[stop - 1] == last_column;
    stop -= meets_last;
    for (int32_t i = start[row]; i < stop; ++i, values += 9) {
      double4 at = load4(x + 3 * (size_t)columns[i]);
      sum0 += load4(values) * at;
      sum1 += load4(values + 3) * at;
      sum2 += load4(values + 6) * at;
    }
    if (meets_last) {
      const double *from = x + 3 * (size_t)last_column;
      double4 at = {from[0], from[1], from[2], 0};
      sum0 += load4(values) * at;
      sum1 += load4(values + 3) * at;
      sum2 += load4(values + 6) * at;
    }
    const double *own = x + 3 * (size_t)row;
    double4 result = {add3(sum0), add3(sum1), add3(sum2), 0};
    dots += result * (double4){own[0], own[1], own[2], 0};
    double *to = y + 3 * (size_t)row;
    to[0] = result[0];
    to[1] = result[1];
    to[2] = result[2];
  }
  return add3(dots);
}

// Lanes 3 of `workspace` are zero on the way down, where they are multiplied, and arbitrary on the way up, where they
// are not read.
static void sweep(const pl_block_lower *lower, int32_t begin, int32_t end, const double *r, double *z,
                  double *workspace) {
  const int32_t *start = lower->start, *columns = lower->columns;
  for (int32_t row = begin; row < end; ++row) {
    double4 sum0 = {0}, sum1 = {0}, sum2 = {0};
    const float *values = lower->values + 9 * (size_t)start[row];
    for (int32_t i = start[row]; i < start[row + 1]; ++i, values += 9) {
      double4 at = load4(workspace + 4 * (size_t)columns[i]);
      sum0 += load4_single(values) * at;
      sum1 += load4_single(values + 3) * at;
      sum2 += load4_single(values + 6) * at;
    }
    const double *from = r + 3 * (size_t)row;
    *(double4_unaligned *)(void *)(workspace + 4 * (size_t)row) =
        (double4){from[0] - add3(sum0), from[1] - add3(sum1), from[2] - add3(sum2), 0};
  }
  for (int32_t row = begin; row < end; ++row) {
    double4 *at = (double4 *)(void *)(workspace + 4 * (size_t)row);
    const double *inverse = lower->inverses + 9 * (size_t)row;
    double4 value = *at;
    *at = load4(inverse) * value[0] + load4(inverse + 3) * value[1] + load4(inverse + 6) * value[2];
  }
  for (int32_t row = end - 1; row >= begin; --row) {
    const double *own = workspace + 4 * (size_t)row;
    double4 own0 = {own[0], own[0], own[0], own[0]}, own1 = {own[1], own[1], own[1], own[1]},
            own2 = {own[2], own[2], own[2], own[2]};
    const float *values = lower->values + 9 * (size_t)start[row];
    for (int32_t i = start[row]; i < start[row + 1]; ++i, values += 9) {
      double4 *to = (double4 *)(void *)(workspace + 4 * (size_t)columns[i]);
      *to -= load4_single(values) * own0 + load4_single(values + 3) * own1 + load4_single(values + 6) * own2;
    }
    double *out = z + 3 * (size_t)row;
    out[0] = own[0];
    out[1] = own[1];
    out[2] = own[2];
  }
}

// Rows [from, from + count) of one column: rows do not wait for each other.
PL_SIMD_INLINE void eliminate_rows(double *factor, int32_t stride, int32_t column, int32_t from, int count,
                                   double inverse) {
  const double *other = factor + (size_t)stride * (size_t)column;
  double *own[4], dots[4];
  double4 sums_a[4], sums_b[4];
  for (int k = 0; k < count; ++k) {
    own[k] = factor + (size_t)stride * (size_t)(from + k);
    sums_a[k] = sums_b[k] = (double4){0};
  }
  int32_t i = 0;
  for (; i + 8 <= column; i += 8)
    for (int k = 0; k < count; ++k) {
      sums_a[k] += load4(own[k] + i) * load4(other + i);
      sums_b[k] += load4(own[k] + i + 4) * load4(other + i + 4);
    }
  for (int k = 0; k < count; ++k) {
    double4 sum = sums_a[k] + sums_b[k];
    dots[k] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  for (; i < column; ++i)
    for (int k = 0; k < count; ++k) dots[k] += own[k][i] * other[i];
  for (int k = 0; k < count; ++k) {
    double value = (own[k][column] - dots[k]) * inverse;
    own[k][column] = value;
    own[k][from + k] -= value * value;
  }
}

static void eliminate(double *factor, int32_t size, int32_t column, double inverse) {
  int32_t row = column + 1;
  for (; row + 4 <= size; row += 4) eliminate_rows(factor, size, column, row, 4, inverse);
  for (; row < size; ++row) eliminate_rows(factor, size, column, row, 1, inverse);
}

static void substitute(const double *factor, int32_t size, const double *inverses, double *x) {
  for (int32_t row = 0; row < size; ++row) {
    const double *own = factor + (size_t)size * (size_t)row;
    double4 sum_a = {0}, sum_b = {0};
    int32_t i = 0;
    for (; i + 8 <= row; i += 8) {
      sum_a += load4(own + i) * load4(x + i);
      sum_b += load4(own + i + 4) * load4(x + i + 4);
    }
    double4 sum = sum_a + sum_b;
    double dot = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (; i < row; ++i) dot += own[i] * x[i];
    x[row] = (x[row] - dot) * inverses[row];
  }
  for (int32_t row = size - 1; row >= 0; --row) {
    const double *own = factor + (size_t)size * (size_t)row;
    double value = x[row] *= inverses[row];
    double4 all = {value, value, value, value};
    int32_t i = 0;
    for (; i + 4 <= row; i += 4) *(double4_unaligned *)(void *)(x + i) -= load4(own + i) * all;
    for (; i < row; ++i) x[i] -= own[i] * value;
  }
}

const pl_block_kernels KERNEL_NAME = {
    .scatter = scatter, .multiply = multiply, .sweep = sweep, .eliminate = eliminate, .substitute = substitute};
