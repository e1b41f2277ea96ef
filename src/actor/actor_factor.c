// The factor of D. Bodies of actors have 30 to some hundred points, and are longer than they are wide: an envelope
// (actor_envelope.h) over the unknowns that can move, two of each point in a plane, is the fastest there. Bodies for
// which it would be large get a sparse factor, or what the project uses without one. Milliseconds on one core of an
// EPYC, to factor and to solve for some goal rows:
//
//   unknowns, rows   plane 68, 6     plane 94, 8     plane 138, 8    solid 240, 10   solid 375, 10   solid 1134, 10
//   envelope         0.003 + 0.002   0.004 + 0.003   0.006 + 0.005   0.035 + 0.022   0.095 + 0.045   0.95 + 0.26
//   CHOLMOD          0.041 + 0.014   0.053 + 0.023   0.087 + 0.035   0.175 + 0.063   0.31 + 0.11     1.28 + 0.40
//   dense            0.047 + 0.014   0.100 + 0.030   0.256 + 0.056   0.342 + 0.079   1.34 + 0.21     38.9 + 1.94
#include "actor/actor_factor.h"

#include <math.h>
#include <string.h>

#include "actor/actor_envelope.h"
#include "actor/actor_order.h"
#include "base/error.h"
#include "solvers/cholmod_solver.h"

enum { MAX_TRIES = 14, COLUMNS = 4 };
static const double FIRST_SHIFT = 1e-3, SHIFT_GROWTH = 4;
static const size_t MAX_TILES = 400000;  // of 128 bytes each

struct pl_actor_factor {
  pl_arena arena;
  const pl_fem_model *model;
  // The envelope.
  int32_t size;            // unknowns in it, padded to fours
  const int32_t *unknown;  // by unknown of the envelope: number of the coordinate, -1 for padding
  pl_envelope envelope;
  const pl_envelope_kernels *kernels;
  int32_t entry_count;
  const int32_t *from;       // by entry of the lower triangle: where it is in the matrix's values, …
  const size_t *to;          // … and in the tiles
  double *x;                 // four right-hand sides
  pl_linear_solver *solver;  // in its place where it would be too large
};

static size_t tile_position(const pl_envelope *e, int32_t row, int32_t column) {
  int32_t t = row / 4, k = column / 4;
  return 16 * (e->start[t] + (size_t)(k - e->first[t])) + 4 * (size_t)(column % 4) + (size_t)(row % 4);
}

// Number the unknowns, and find where each row of tiles begins. `place` receives the number in the envelope of each
// coordinate, -1 for those that are left out.
static bool number_unknowns(pl_actor_factor *f, int32_t *slot) {
  const pl_fem_model *model = f->model;
  int32_t points = model->head.particle_count, axes = model->planar ? 2 : 3;
  f->size = (points * axes + 3) / 4 * 4;
  int32_t *order = PL_TAKE(&f->arena, int32_t, points), *unknown = PL_TAKE(&f->arena, int32_t, f->size);
  int32_t rows = f->size / 4, *first = PL_TAKE(&f->arena, int32_t, rows);
  size_t *start = PL_TAKE(&f->arena, size_t, rows + 1);
  if (f->arena.failed || !pl_actor_order_find(f->arena.context, &model->pattern, order)) return false;
  for (int32_t i = 0; i < 3 * points; ++i) slot[i] = -1;
  for (int32_t i = 0; i < f->size; ++i) unknown[i] = i < points * axes ? 3 * order[i / axes] + i % axes : -1;
  for (int32_t i = 0; i < points * axes; ++i) slot[unknown[i]] = i;
  for (int32_t t = 0; t < rows; ++t) first[t] = t;
  for (int32_t row = 0; row < points; ++row)
    for (int32_t i = model->pattern.start[row]; i < model->pattern.start[row + 1]; ++i)
      for (int a = 0; a < axes; ++a) {
        int32_t t = slot[3 * row + a] / 4, k = slot[3 * model->pattern.columns[i]] / 4;
        if (k < first[t]) first[t] = k;
      }
  for (int32_t t = 0; t < rows; ++t) start[t + 1] = start[t] + (size_t)(t - first[t] + 1);
  f->unknown = unknown;
  f->envelope = (pl_envelope){.tile_rows = rows, .first = first, .start = start};
  return true;
}

// Where the entries of the matrix go.
static bool list_entries(pl_actor_factor *f, const int32_t *slot) {
  const pl_block_pattern *pattern = &f->model->pattern;
  int32_t axes = f->model->planar ? 2 : 3, count = 0;
  for (int pass = 0; pass < 2; ++pass) {
    int32_t *from = pass == 0 ? NULL : PL_TAKE(&f->arena, int32_t, count);
    size_t *to = pass == 0 ? NULL : PL_TAKE(&f->arena, size_t, count);
    if (f->arena.failed) return false;
    count = 0;
    for (int32_t row = 0; row < pattern->row_count; ++row)
      for (int32_t i = pattern->start[row]; i < pattern->start[row + 1]; ++i)
        for (int k = 0; k < 9; ++k) {
          if (k / 3 >= axes || k % 3 >= axes) continue;
          int32_t r = slot[3 * row + k / 3], c = slot[3 * pattern->columns[i] + k % 3];
          if (r < c) continue;
          if (pass == 1) from[count] = 9 * i + k, to[count] = tile_position(&f->envelope, r, c);
          ++count;
        }
    f->entry_count = count;
    f->from = from;
    f->to = to;
  }
  return true;
}

static bool take_envelope(pl_actor_factor *f, const int32_t *slot) {
  pl_envelope *e = &f->envelope;
  e->tiles = PL_TAKE(&f->arena, double, 16 * e->start[e->tile_rows]);
  e->inverses = PL_TAKE(&f->arena, double, f->size);
  f->x = PL_TAKE(&f->arena, double, COLUMNS *(size_t)f->size);
  f->kernels = pl_envelope_kernels_choose();
  return !f->arena.failed && list_entries(f, slot);
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
  int32_t *slot = PL_TAKE(&f->arena, int32_t, 3 * (size_t)model->head.particle_count);
  pl_status status = slot != NULL && number_unknowns(f, slot) ? PL_OK : pl_fail_memory(error);
  if (status >= 0) {
    bool small = f->envelope.start[f->envelope.tile_rows] <= MAX_TILES && model->pattern.block_count < INT32_MAX / 9;
    status = !small ? create_sparse(f, error) : take_envelope(f, slot) ? PL_OK : pl_fail_memory(error);
  }
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
  const pl_envelope *e = &f->envelope;
  memset(e->tiles, 0, 16 * e->start[e->tile_rows] * sizeof(double));
  for (int32_t i = 0; i < f->entry_count; ++i) e->tiles[f->to[i]] = matrix->values[f->from[i]];
  for (int32_t i = 0; i < f->size; ++i) {
    double *diagonal = &e->tiles[tile_position(e, i, i)];
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
    if (f->kernels->factor(&f->envelope)) return PL_OK;
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
  // Coordinates that are left out have the identity's rows.
  memcpy(x, rhs, (size_t)count * n * sizeof(double));
  for (int32_t begin = 0; begin < count; begin += COLUMNS) {
    int32_t lanes = count - begin < COLUMNS ? count - begin : COLUMNS;
    for (int32_t i = 0; i < f->size; ++i)
      for (int32_t k = 0; k < COLUMNS; ++k)
        f->x[COLUMNS * (ptrdiff_t)i + k] =
            k < lanes && f->unknown[i] >= 0 ? rhs[(size_t)(begin + k) * n + (size_t)f->unknown[i]] : 0;
    f->kernels->solve(&f->envelope, f->x);
    for (int32_t i = 0; i < f->size; ++i)
      for (int32_t k = 0; k < lanes && f->unknown[i] >= 0; ++k)
        x[(size_t)(begin + k) * n + (size_t)f->unknown[i]] = f->x[COLUMNS * (ptrdiff_t)i + k];
  }
  return PL_OK;
}
