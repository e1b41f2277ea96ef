// Whole spaces: rest positions of particles X = X₀ + L p, shared by the elements around them.
//
//   free    L = 1 over the coordinates that move
//   cages   L = W ⊗ 1: every coordinate of a particle is the same mean of that coordinate of the cage's vertices
//   modes   L is dense
//
// Derivatives by X are put together by particle first, as blocks on the pattern of the stiffness matrix, and then
// multiplied with L. Multiplying each element by itself would cost 12 x 12 x P a tet, some 12 x 12 x 3 V x 3 a
// particle; the blocks cost 9 x V each, about 13 of them a particle: a tenth.
#include <string.h>

#include "actor/actor_space_parts.h"

enum { MAX_VALUES = 3 * PL_FEM_MAX_CORNERS };

// --- L ------------------------------------------------------------------------------------------------------------

static pl_cage_map cage_of(const pl_rest_space *space) {
  return (pl_cage_map){.particle_count = space->particle_count,
                       .handle_count = space->handle_count,
                       .axes = space->axes,
                       .stride = space->weight_stride,
                       .weights = space->weights,
                       .lanes = space->lanes};
}

void pl_rest_whole_move(const pl_rest_space *space, const double *p, double *change) {
  int32_t n = space->particle_count, axes = space->axes;
  if (space->weights != NULL) {
    pl_cage_map map = cage_of(space);
    space->cage->move(&map, p, change);
    return;
  }
  memset(change, 0, 3 * (size_t)n * sizeof(double));
  for (ptrdiff_t r = 0; space->modes != NULL && r < 3 * (ptrdiff_t)n; ++r)
    for (int32_t k = 0; k < space->size; ++k) change[r] += space->modes[space->size * r + k] * p[k];
  for (ptrdiff_t i = 0; space->modes == NULL && i < n; ++i)
    memcpy(change + 3 * i, p + axes * i, (size_t)axes * sizeof(double));
}

void pl_rest_whole_pull(const pl_rest_space *space, const double *v, double *product) {
  int32_t n = space->particle_count, axes = space->axes;
  if (space->weights != NULL) {
    pl_cage_map map = cage_of(space);
    space->cage->pull(&map, v, product);
    return;
  }
  memset(product, 0, (size_t)space->size * sizeof(double));
  for (ptrdiff_t r = 0; space->modes != NULL && r < 3 * (ptrdiff_t)n; ++r)
    for (int32_t k = 0; k < space->size; ++k) product[k] += space->modes[space->size * r + k] * v[r];
  for (ptrdiff_t i = 0; space->modes == NULL && i < n; ++i)
    memcpy(product + axes * i, v + 3 * i, (size_t)axes * sizeof(double));
}

// --- blocks times L -----------------------------------------------------------------------------------------------

// rows (3 x P) = the three rows of one particle in matrix L.
static void multiply_rows(const pl_rest_space *space, const pl_block_matrix *matrix, int32_t row, double *rows) {
  const pl_block_pattern *pattern = matrix->pattern;
  ptrdiff_t size = space->size, axes = space->axes, stride = space->weight_stride;
  memset(rows, 0, 3 * (size_t)size * sizeof(double));
  if (space->weights != NULL) {
    pl_cage_map map = cage_of(space);
    space->cage->rows(&map, matrix, row, space->batch);
    for (ptrdiff_t a = 0; a < axes; ++a)
      for (ptrdiff_t p = 0; p < size; ++p) rows[size * a + p] = space->batch[stride * (axes * a + p % axes) + p / axes];
    return;
  }
  for (int32_t k = pattern->start[row]; k < pattern->start[row + 1]; ++k) {
    const double *block = matrix->values + 9 * (ptrdiff_t)k;
    ptrdiff_t column = pattern->columns[k];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < space->axes; ++b) {
        if (space->modes == NULL) {
          rows[size * a + space->axes * column + b] = block[3 * a + b];
          continue;
        }
        const double *mode = space->modes + size * (3 * column + b);
        for (int32_t p = 0; p < size; ++p) rows[size * a + p] += block[3 * a + b] * mode[p];
      }
  }
}

static void free_square(const pl_rest_space *space, const pl_block_matrix *matrix, double factor, double *sum) {
  const pl_block_pattern *pattern = matrix->pattern;
  ptrdiff_t axes = space->axes, size = space->size;
  for (ptrdiff_t i = 0; i < space->particle_count; ++i)
    for (int32_t k = pattern->start[i]; k < pattern->start[i + 1]; ++k)
      for (ptrdiff_t a = 0; a < axes; ++a)
        for (ptrdiff_t b = 0; b < axes; ++b)
          sum[size * (axes * i + a) + axes * pattern->columns[k] + b] +=
              factor * matrix->values[9 * (ptrdiff_t)k + 3 * a + b];
}

// Lᵀ (A L) of modes, upper half, into space->square: the rows of four particles at a time.
static void square_modes(pl_rest_space *space, const pl_block_matrix *matrix) {
  enum { FOUR = 4 };
  ptrdiff_t size = space->size;
  memset(space->square, 0, (size_t)(size * size) * sizeof(double));
  memset(space->rows, 0, (size_t)(3 * FOUR * size) * sizeof(double));
  for (int32_t i = 0; i < space->particle_count; i += FOUR) {
    int32_t count = space->particle_count - i < FOUR ? space->particle_count - i : FOUR;
    for (int32_t b = 0; b < count; ++b) multiply_rows(space, matrix, i + b, space->rows + 3 * size * b);
    for (int a = 0; a < space->axes; ++a) {
      const double *rows[FOUR];
      for (int b = 0; b < FOUR; ++b) rows[b] = space->rows + size * (3 * b + a);
      for (int32_t p = 0; p < size; ++p) {
        double factors[FOUR] = {0};
        for (ptrdiff_t b = 0; b < count; ++b) factors[b] = space->modes[size * (3 * (i + b) + a) + p];
        space->cage->add_four(space->square + size * p, rows, factors, p, space->size);
      }
    }
  }
}

// The same of cages, with coordinates apart (actor_cage.h).
static void square_cage(pl_rest_space *space, const pl_block_matrix *matrix) {
  pl_cage_map map = cage_of(space);
  ptrdiff_t width = space->axes * space->weight_stride, step = space->axes * width;
  memset(space->square, 0, (size_t)(width * width) * sizeof(double));
  for (int32_t i = 0; i < space->particle_count; i += PL_CAGE_BATCH) {
    int32_t count = space->particle_count - i < PL_CAGE_BATCH ? space->particle_count - i : PL_CAGE_BATCH;
    for (int32_t b = 0; b < count; ++b) space->cage->rows(&map, matrix, i + b, space->batch + step * b);
    memset(space->batch + step * count, 0, (size_t)((PL_CAGE_BATCH - count) * step) * sizeof(double));
    space->cage->square(&map, i, count, space->batch, space->square);
  }
}

// sum += factor times the square, whose lower half is the mirror image of the upper one.
static void add_modes(const pl_rest_space *space, double factor, double *sum) {
  ptrdiff_t size = space->size;
  for (ptrdiff_t p = 0; p < size; ++p)
    for (ptrdiff_t q = p; q < size; ++q) {
      double value = factor * space->square[size * p + q];
      sum[size * p + q] += value;
      if (q > p) sum[size * q + p] += value;
    }
}

static void add_cage(const pl_rest_space *space, double factor, double *sum) {
  ptrdiff_t size = space->size, axes = space->axes, stride = space->weight_stride;
  for (ptrdiff_t v = 0; v < space->handle_count; ++v)
    for (ptrdiff_t a = 0; a < axes; ++a) {
      const double *own = space->square + axes * stride * (stride * a + v);
      ptrdiff_t p = axes * v + a;
      for (ptrdiff_t b = 0; b < axes; ++b)
        for (ptrdiff_t w = b >= a ? v : v + 1; w < space->handle_count; ++w) {
          double value = factor * own[stride * b + w];
          ptrdiff_t q = axes * w + b;
          sum[size * p + q] += value;
          if (q > p) sum[size * q + p] += value;
        }
    }
}

void pl_rest_whole_square(pl_rest_space *space, const pl_block_matrix *matrix, double factor, double *sum) {
  if (space->modes == NULL && space->weights == NULL) {
    free_square(space, matrix, factor, sum);
    return;
  }
  bool is_cage = space->weights != NULL;
  (is_cage ? square_cage : square_modes)(space, matrix);
  (is_cage ? add_cage : add_modes)(space, factor, sum);
}

// --- derivatives of the energy ------------------------------------------------------------------------------------

typedef struct sweep {
  pl_rest_space *space;
  const pl_fem_system *system;
  const double *x, *v;  // v: λ of the third derivatives
  pl_block_matrix *xx;
  int32_t group;
} sweep;

void pl_rest_whole_mixed(pl_rest_space *space, const pl_fem_system *system, const double *x, double *E) {
  pl_fem_system_mixed_blocks(system, x, &space->first);
  for (int32_t i = 0; i < space->particle_count; ++i)
    multiply_rows(space, &space->first, i, E + 3 * (ptrdiff_t)space->size * i);
}

static void gather(const pl_fem_group *group, int32_t element, const double *v, double *corners) {
  const int32_t *points = group->corners + (ptrdiff_t)group->corner_count * element;
  for (int32_t k = 0; k < group->corner_count; ++k)
    memcpy(corners + 3 * k, v + 3 * (ptrdiff_t)points[k], 3 * sizeof(double));
}

void pl_rest_whole_mixed_apply(pl_rest_space *space, const double *dp, double *product) {
  pl_rest_whole_move(space, dp, space->changes);
  pl_block_matrix_multiply(space->context, &space->mixed, space->changes, product);
}

// Eight vectors at a time, side by side.
void pl_rest_whole_mixed_pull(pl_rest_space *space, const double *v, int32_t count, double *product) {
  enum { EIGHT = 8 };
  ptrdiff_t n = 3 * (ptrdiff_t)space->particle_count, size = space->size;
  double *beside = space->beside, *pulls = beside + EIGHT * n, *results = pulls + EIGHT * n;
  pl_cage_map map = cage_of(space);
  for (int32_t begin = 0; begin < count; begin += EIGHT) {
    int32_t used = count - begin < EIGHT ? count - begin : EIGHT;
    for (ptrdiff_t i = 0; i < n; ++i)
      for (int k = 0; k < EIGHT; ++k) beside[EIGHT * i + k] = k < used ? v[n * (begin + k) + i] : 0;
    space->cage->transposed(&space->mixed, space->axes, beside, pulls);
    if (space->weights != NULL) space->cage->pull_many(&map, pulls, results);
    for (ptrdiff_t k = 0; k < used; ++k) {
      double *to = product + size * (begin + k);
      for (ptrdiff_t p = 0; space->weights != NULL && p < size; ++p) to[p] = results[EIGHT * p + k];
      if (space->weights != NULL) continue;
      for (ptrdiff_t i = 0; i < n; ++i) space->forces[i] = pulls[EIGHT * i + k];
      pl_rest_whole_pull(space, space->forces, to);
    }
  }
}

static void visit_third(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  enum { SIZE = MAX_VALUES * MAX_VALUES };
  const sweep *s = data;
  const pl_fem_group *group = &s->system->model->groups[s->group];
  const pl_block_group *blocks = &s->system->model->pattern.groups[s->group];
  int k = group->corner_count;
  for (int32_t i = 0; i < count; ++i) {
    double corners[MAX_VALUES], lambda[MAX_VALUES], xx[SIZE], xX[SIZE], XX[SIZE];
    pl_fem_element element = pl_fem_system_element(s->system, s->x, s->group, elements[i], corners);
    gather(group, elements[i], s->v, lambda);
    group->energy->third(&element, lambda, xx, xX, XX);
    const int32_t *slots = blocks->slots + (ptrdiff_t)k * k * elements[i];
    if (s->xx != NULL) pl_rest_add_blocks(slots, k, xx, s->xx->values);
    pl_rest_add_blocks(slots, k, xX, s->space->first.values);
    pl_rest_add_blocks(slots, k, XX, s->space->second.values);
  }
}

void pl_rest_whole_third(pl_rest_space *space, const pl_fem_system *system, const double *x, const double *lambda,
                         pl_block_matrix *xx, double *B, double *C) {
  pl_block_matrix_clear(system->context, &space->first);
  pl_block_matrix_clear(system->context, &space->second);
  for (int32_t g = 0; g < space->model->group_count; ++g) {
    sweep s = {.space = space, .system = system, .x = x, .v = lambda, .xx = xx, .group = g};
    pl_block_pattern_visit(system->context, &space->model->pattern, g, visit_third, &s);
  }
  ptrdiff_t n = 3 * (ptrdiff_t)space->particle_count, size = space->size;
  for (int32_t i = 0; B != NULL && i < space->particle_count; ++i) {
    multiply_rows(space, &space->first, i, space->rows);
    for (ptrdiff_t p = 0; p < size; ++p)
      for (ptrdiff_t a = 0; a < 3; ++a) B[n * p + 3 * i + a] = space->rows[size * a + p];
  }
  if (C != NULL) pl_rest_whole_square(space, &space->second, 1, C);
}
