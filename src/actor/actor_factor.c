// The factor of D. Bodies of actors have 30 to some hundred points: tiles (actor_tiles.h) over the unknowns that can
// move, two of each point in a plane, are the fastest there. Bodies for which there would be too many get a sparse
// factor, or what the project uses without one. Branches of a body, as the arms of a cross, do not couple before they
// meet: an envelope, which takes a whole row for dense, takes a third more instructions there.
#include "actor/actor_factor.h"

#include <math.h>
#include <string.h>

#include "actor/actor_order.h"
#include "actor/actor_tiles.h"
#include "base/error.h"
#include "fem/fem_system.h"
#include "solvers/cholmod_solver.h"
#include "sparse/sparse_order.h"

enum { MAX_TRIES = 14, MAX_WIDTH = 8, ORDERS = 4 };
static const double FIRST_SHIFT = 1e-3, SHIFT_GROWTH = 4;
// Fours of unknowns and products of tiles beyond which a sparse factor is faster.
enum { MAX_COLUMNS = 2500, MAX_PRODUCTS = 2000000 };

struct pl_actor_factor {
  pl_arena arena;
  const pl_fem_model *model;
  // In tiles.
  int32_t size;            // unknowns, padded to fours
  const int32_t *unknown;  // by unknown of the factor: number of the coordinate, -1 for padding
  pl_tiles tiles;
  const pl_tile_kernels *kernels;
  // Entries of the lower triangle, by column of tiles, so that what is filled is still near: where they are in the
  // matrix's values, and in the tiles.
  const int32_t *entry_start;  // columns + 1
  const int32_t *from, *to;
  double *x;                 // right-hand sides, up to MAX_WIDTH
  pl_linear_solver *solver;  // in its place where it would be too large
};

// Unknowns by number in the factor, and back: -1 for padding and for what is left out.
static void number_unknowns(const pl_fem_model *model, const int32_t *order, int32_t size, int32_t *unknown,
                            int32_t *slot) {
  int32_t points = model->head.particle_count, axes = model->planar ? 2 : 3;
  for (int32_t i = 0; i < 3 * points; ++i) slot[i] = -1;
  for (int32_t i = 0; i < size; ++i) unknown[i] = i < points * axes ? 3 * order[i / axes] + i % axes : -1;
  for (int32_t i = 0; i < points * axes; ++i) slot[unknown[i]] = i;
}

// Which tiles the factor has: `filled`, columns² flags by column, of a matrix whose unknowns are numbered so. Returns
// the number of products of tiles, or MAX_PRODUCTS + 1 where there are more than that.
static int64_t fill_tiles(const pl_fem_model *model, const int32_t *slot, int32_t columns, uint8_t *filled) {
  const pl_block_pattern *pattern = &model->pattern;
  int32_t axes = model->planar ? 2 : 3;
  int64_t products = 0;
  memset(filled, 0, (size_t)columns * (size_t)columns);
  for (int32_t k = 0; k < columns; ++k) filled[(size_t)columns * (size_t)k + (size_t)k] = 1;
  for (int32_t row = 0; row < pattern->row_count; ++row)
    for (int32_t i = pattern->start[row]; i < pattern->start[row + 1]; ++i)
      for (int k = 0; k < axes * axes; ++k) {
        int32_t t = slot[3 * row + k / axes] / 4, c = slot[3 * pattern->columns[i] + k % axes] / 4;
        if (t >= c) filled[(size_t)columns * (size_t)c + (size_t)t] = 1;
      }
  for (size_t k = 0; k < (size_t)columns; ++k) {
    const uint8_t *own = filled + (size_t)columns * k;
    for (size_t j = k + 1; j < (size_t)columns; ++j) {
      if (own[j] == 0) continue;
      for (size_t i = j; i < (size_t)columns; ++i) {
        if (own[i] == 0) continue;
        filled[(size_t)columns * j + i] = 1;
        if (++products > MAX_PRODUCTS) return products;
      }
    }
  }
  return products;
}

// The numbering with the fewest products of tiles: along the body, which is best for plane ones, by nested dissection,
// or by degree (actor_order.h). Leaves its tiles in `filled`. False when out of memory.
static bool choose_order(const pl_fem_model *model, pl_arena *workspace, pl_actor_factor *f, int32_t *slot,
                         uint8_t *filled, int64_t *products) {
  int32_t points = model->head.particle_count, columns = f->size / 4;
  int32_t *orders[ORDERS];
  for (int k = 0; k < ORDERS; ++k) orders[k] = PL_TAKE(workspace, int32_t, points);
  int32_t *unknown = PL_TAKE(&f->arena, int32_t, f->size);
  pl_vec3 *positions = PL_TAKE(workspace, pl_vec3, points);
  if (workspace->failed || f->arena.failed) return false;
  for (int32_t i = 0; i < points; ++i) positions[i] = pl_fem_vector(model->rest_points, i);
  pl_sparse graph = {.row_count = points,
                     .value_count = model->pattern.block_count,
                     .start = model->pattern.start,
                     .columns = model->pattern.columns,
                     .diagonal = model->pattern.diagonal};
  if (!pl_actor_order_find(f->arena.context, &model->pattern, orders[0]) ||
      !pl_sparse_order_find(f->arena.context, &graph, positions, orders[1]) ||
      !pl_actor_order_by_degree(f->arena.context, &model->pattern, false, orders[2]) ||
      !pl_actor_order_by_degree(f->arena.context, &model->pattern, true, orders[3]))
    return false;
  int64_t counts[ORDERS];
  int best = 0;
  for (int k = 0; k < ORDERS; ++k) {
    number_unknowns(model, orders[k], f->size, unknown, slot);
    counts[k] = fill_tiles(model, slot, columns, filled);
    if (counts[k] < counts[best]) best = k;
  }
  number_unknowns(model, orders[best], f->size, unknown, slot);
  *products = fill_tiles(model, slot, columns, filled);
  f->unknown = unknown;
  return true;
}

// Number of the tile in a column and row.
static int32_t find_tile(const pl_tiles *t, int32_t column, int32_t row) {
  int32_t low = t->start[column], high = t->start[column + 1] - 1;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (t->rows[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool list_tiles(pl_actor_factor *f, const uint8_t *filled, int64_t products) {
  pl_tiles *t = &f->tiles;
  int32_t columns = f->size / 4, *start = PL_TAKE(&f->arena, int32_t, columns + 1), count = 0;
  for (size_t i = 0; i < (size_t)columns * (size_t)columns; ++i) count += filled[i];
  int32_t *rows = PL_TAKE(&f->arena, int32_t, count), *targets = PL_TAKE(&f->arena, int32_t, products + 1);
  if (f->arena.failed) return false;
  *t = (pl_tiles){.columns = columns, .start = start, .rows = rows, .targets = targets};
  for (int32_t k = 0; k < columns; ++k) {
    start[k + 1] = start[k];
    for (int32_t i = k; i < columns; ++i)
      if (filled[(size_t)columns * (size_t)k + (size_t)i] != 0) rows[start[k + 1]++] = i;
  }
  for (int32_t k = 0; k < columns; ++k)
    for (int32_t j = start[k] + 1; j < start[k + 1]; ++j)
      for (int32_t i = j; i < start[k + 1]; ++i) *targets++ = find_tile(t, rows[j], rows[i]);
  t->values = PL_TAKE(&f->arena, double, 16 * (size_t)count);
  t->inverses = PL_TAKE(&f->arena, double, f->size);
  return !f->arena.failed;
}

// Fewer than 16 times MAX_PRODUCTS.
static int32_t tile_position(const pl_tiles *t, int32_t row, int32_t column) {
  return 16 * find_tile(t, column / 4, row / 4) + 4 * (column % 4) + row % 4;
}

// Entry k of block i in a row of the matrix. Blocks above the diagonal may not be assembled: then it is that of their
// counterpart.
static int32_t entry_position(const pl_actor_factor *f, int32_t row, int32_t i, int k) {
  const pl_block_pattern *pattern = &f->model->pattern;
  int32_t column = pattern->columns[i];
  if (column <= row || !pl_fem_system_has_lower(f->model)) return 9 * i + k;
  return 9 * pl_block_pattern_find(pattern, column, row) + 3 * (k % 3) + k / 3;
}

// Where the entries of the matrix go: counted by column first, then listed.
static bool list_entries(pl_actor_factor *f, const int32_t *slot) {
  const pl_block_pattern *pattern = &f->model->pattern;
  int32_t axes = f->model->planar ? 2 : 3, columns = f->tiles.columns, *from = NULL, *to = NULL;
  int32_t *start = PL_TAKE(&f->arena, int32_t, columns + 2);
  if (f->arena.failed) return false;
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t row = 0; row < pattern->row_count; ++row)
      for (int32_t i = pattern->start[row]; i < pattern->start[row + 1]; ++i)
        for (int k = 0; k < 9; ++k) {
          if (k / 3 >= axes || k % 3 >= axes) continue;
          int32_t r = slot[3 * row + k / 3], c = slot[3 * pattern->columns[i] + k % 3];
          if (r < c) continue;
          if (pass == 0) {
            start[c / 4 + 2]++;
            continue;
          }
          int32_t entry = start[c / 4 + 1]++;
          from[entry] = entry_position(f, row, i, k);
          to[entry] = tile_position(&f->tiles, r, c);
        }
    if (pass == 1) break;
    for (int32_t k = 0; k < columns; ++k) start[k + 2] += start[k + 1];
    from = PL_TAKE(&f->arena, int32_t, start[columns + 1]);
    to = PL_TAKE(&f->arena, int32_t, start[columns + 1]);
    if (f->arena.failed) return false;
  }
  f->entry_start = start;
  f->from = from;
  f->to = to;
  return true;
}

// False when out of memory. `*small`: whether the body has a factor in tiles now.
static bool create_tiles(pl_actor_factor *f, bool *small) {
  const pl_fem_model *model = f->model;
  f->size = (model->head.particle_count * (model->planar ? 2 : 3) + 3) / 4 * 4;
  size_t columns = (size_t)f->size / 4;
  *small = columns <= MAX_COLUMNS && model->pattern.block_count < INT32_MAX / 9;
  if (!*small) return true;
  pl_arena workspace;
  pl_arena_init(&workspace, f->arena.context, 0);
  int32_t *slot = PL_TAKE(&workspace, int32_t, 3 * (size_t)model->head.particle_count);
  uint8_t *filled = PL_TAKE(&workspace, uint8_t, columns * columns);
  int64_t products = 0;
  bool good = !workspace.failed && choose_order(model, &workspace, f, slot, filled, &products);
  *small = products <= MAX_PRODUCTS;
  if (good && *small) {
    f->x = PL_TAKE(&f->arena, double, MAX_WIDTH *(size_t)f->size);
    f->kernels = pl_tile_kernels_choose();
    good = !f->arena.failed && list_tiles(f, filled, products) && list_entries(f, slot);
  }
  pl_arena_destroy(&workspace);
  return good;
}

static pl_status create_sparse(pl_actor_factor *f, pl_error *error) {
  pl_linear_def def = pl_default_linear_def();
  def.direct = pl_cholmod_backend();
  def.choice = def.direct != NULL ? PL_LINEAR_DIRECT : PL_LINEAR_AUTO;
  def.positions = f->model->rest_points;
  def.limits.tolerance = 1e-10;  // derivatives are products of solves: far below the tolerance of the search
  return pl_linear_solver_create(f->arena.context, &f->model->pattern, &def, &f->solver, error);
}

pl_status pl_actor_factor_create(pl_context *context, const pl_fem_model *model, pl_actor_factor **factor,
                                 pl_error *error) {
  *factor = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_actor_factor *f = PL_TAKE(&arena, pl_actor_factor, 1);
  if (f == NULL) return pl_fail_memory(error);
  f->arena = arena;
  f->model = model;
  bool small = false;
  pl_status status = create_tiles(f, &small) ? PL_OK : pl_fail_memory(error);
  if (status >= 0 && !small) status = create_sparse(f, error);
  if (status < 0) {
    pl_actor_factor_destroy(f);
    return status;
  }
  *factor = f;
  return PL_OK;
}

void pl_actor_factor_destroy(pl_actor_factor *factor) {
  if (factor == NULL) return;
  pl_linear_solver_destroy(factor->solver);
  pl_arena arena = factor->arena;
  pl_arena_destroy(&arena);
}

bool pl_actor_factor_is_direct(const pl_actor_factor *factor) {
  return factor->solver == NULL;
}

static void fill(pl_actor_factor *f, const pl_block_matrix *matrix, double shift) {
  const pl_tiles *t = &f->tiles;
  for (int32_t k = 0; k < t->columns; ++k) {
    memset(t->values + 16 * (ptrdiff_t)t->start[k], 0, 16 * (size_t)(t->start[k + 1] - t->start[k]) * sizeof(double));
    for (int32_t i = f->entry_start[k]; i < f->entry_start[k + 1]; ++i)
      t->values[f->to[i]] = matrix->values[f->from[i]];
  }
  // Without a shift only padding is left, which is at the end.
  for (int32_t i = f->size - 1; i >= 0 && (shift > 0 || f->unknown[i] < 0); --i) {
    double *diagonal = &t->values[16 * (ptrdiff_t)t->start[i / 4] + 5 * (i % 4)];
    *diagonal = f->unknown[i] < 0 ? 1 : *diagonal + shift * fabs(*diagonal);
  }
}

pl_status pl_actor_factor_run(pl_actor_factor *f, const pl_block_matrix *matrix, double *shift, pl_error *error) {
  *shift = 0;
  if (f->solver != NULL) {
    pl_status status = pl_linear_solver_factor(f->solver, matrix, error);
    *shift = pl_linear_solver_report(f->solver)->shift;
    return status;
  }
  for (int tries = 0; tries < MAX_TRIES; ++tries) {
    fill(f, matrix, *shift);
    if (f->kernels->factor(&f->tiles)) return PL_OK;
    *shift = *shift > 0 ? SHIFT_GROWTH * *shift : FIRST_SHIFT;
  }
  return pl_fail(error, PL_ERROR_NOT_FINITE,
                 "the matrix of an actor's step is not positive definite, and no multiple of its diagonal makes it so");
}

pl_status pl_actor_factor_solve(pl_actor_factor *f, const double *rhs, int32_t count, double *x, pl_error *error) {
  size_t n = 3 * (size_t)f->model->head.particle_count;
  if (f->solver != NULL) {
    pl_status status = pl_linear_solver_solve(f->solver, rhs, count, x, error);
    return status < 0 ? status : PL_OK;
  }
  // Coordinates that are left out, z of bodies in a plane, have the identity's rows.
  for (size_t i = 2; f->model->planar && i < (size_t)count * n; i += 3) x[i] = rhs[i];
  for (int32_t i = 0; count == 1 && i < f->size; ++i) f->x[i] = f->unknown[i] >= 0 ? rhs[f->unknown[i]] : 0;
  if (count == 1) f->kernels->solve_one(&f->tiles, f->x);
  for (int32_t i = 0; count == 1 && i < f->size; ++i)
    if (f->unknown[i] >= 0) x[f->unknown[i]] = f->x[i];
  for (int32_t begin = 0, width = 0; count > 1 && begin < count; begin += width) {
    width = count - begin > 4 ? MAX_WIDTH : 4;
    int32_t lanes = count - begin < width ? count - begin : width;
    for (int32_t i = 0; i < f->size; ++i)
      for (int32_t k = 0; k < width; ++k)
        f->x[width * (ptrdiff_t)i + k] =
            k < lanes && f->unknown[i] >= 0 ? rhs[(size_t)(begin + k) * n + (size_t)f->unknown[i]] : 0;
    f->kernels->solve(&f->tiles, width, f->x);
    for (int32_t i = 0; i < f->size; ++i)
      for (int32_t k = 0; k < lanes && f->unknown[i] >= 0; ++k)
        x[(size_t)(begin + k) * n + (size_t)f->unknown[i]] = f->x[width * (ptrdiff_t)i + k];
  }
  return PL_OK;
}
