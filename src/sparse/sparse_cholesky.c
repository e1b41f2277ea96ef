// Sparse Cholesky by the multifrontal method (Duff and Reid 1983), packed for fast solves.
//
// Supernodes are taken in postorder. The dense matrix of a supernode, its front, is made of the matrix's own entries
// and of what its children in the tree have left over; its columns are eliminated, and the remainder of the rest waits
// on a stack for the parent. All of that is dense arithmetic in double.
//
// With L11 the triangle of a supernode's columns and L21 the rows below, what is kept is the panel (L11⁻¹; L21 L11⁻¹),
// in float. A solve is then nothing but a product with every panel on the way up and one with its transpose on the way
// down:
//
//   up    (y_own; d) = panel b_own,  b_below -= d             down   x_own = panelᵀ (y_own; -x_below)
//
// without the chain of divisions that substitution is. Inverting the triangles is safe here because each is well
// conditioned if the matrix is. The panels are read once in each direction, in the order they lie in: that is all the
// memory a solve touches besides x.
#include "sparse/sparse_cholesky.h"

#include "base/context.h"
#include "base/error.h"
#include "sparse/sparse_cholesky_kernels.h"
#include "sparse/sparse_cholesky_plan.h"

typedef struct numeric_data {
  const pl_sparse *matrix;
  const pl_sparse_cholesky_plan *plan;
  const pl_sparse_cholesky_kernels *kernels;
  double *front;      // of the supernode at hand, column-major
  double *stack;      // what children have left over, lower triangles in full squares
  size_t stack_size;  // numbers on it
  double *column;
  int32_t *local;  // row of the front of each unknown
} numeric_data;

static int32_t width_of(const pl_sparse_cholesky_plan *plan, int32_t s) {
  return plan->first[s + 1] - plan->first[s];
}
static int32_t below_count_of(const pl_sparse_cholesky_plan *plan, int32_t s) {
  return plan->below_start[s + 1] - plan->below_start[s];
}

static size_t panel_size(int32_t width, int32_t below_count) {
  size_t size = 0;
  int32_t rows = pl_panel_padded(width + below_count, PL_PANEL_ROWS);
  for (int32_t c = 0; c < width; c += PL_PANEL_COLUMNS) size += (size_t)(rows - pl_panel_begin(c)) * PL_PANEL_COLUMNS;
  return size;
}

// Tiles of four columns by eight rows; what the panel does not have is zero.
static void pack_panel(const double *front, int32_t width, int32_t size, float *tiles) {
  int32_t rows = pl_panel_padded(size, PL_PANEL_ROWS);
  for (int32_t c = 0; c < width; c += PL_PANEL_COLUMNS)
    for (int32_t row = pl_panel_begin(c); row < rows; row += PL_PANEL_ROWS)
      for (int32_t k = c; k < c + PL_PANEL_COLUMNS; ++k)
        for (int32_t i = row; i < row + PL_PANEL_ROWS; ++i)
          *tiles++ = k < width && i >= k && i < size ? (float)front[(size_t)k * (size_t)size + (size_t)i] : 0.0f;
}

// Entries of the matrix in the supernode's own columns.
static void add_own(const numeric_data *d, int32_t s, int32_t size) {
  const pl_sparse_cholesky_plan *plan = d->plan;
  for (int32_t j = plan->first[s]; j < plan->first[s + 1]; ++j) {
    double *column = d->front + (size_t)(j - plan->first[s]) * (size_t)size;
    int32_t row = plan->row_of[j];
    for (int32_t e = d->matrix->start[row]; e < d->matrix->start[row + 1]; ++e) {
      int32_t i = plan->index_of[d->matrix->columns[e]];
      if (i >= j) column[d->local[i]] = d->matrix->values[e];
    }
  }
}

// What a child has left over; its rows keep their order, so lower stays lower.
static void add_child(const numeric_data *d, int32_t child, const double *left, int32_t size) {
  int32_t count = below_count_of(d->plan, child);
  const int32_t *rows = d->plan->below + d->plan->below_start[child];
  for (int32_t k = 0; k < count; ++k) {
    double *column = d->front + (size_t)d->local[rows[k]] * (size_t)size;
    for (int32_t i = k; i < count; ++i) column[d->local[rows[i]]] += left[(size_t)k * (size_t)count + (size_t)i];
  }
}

// Children of s wait on top of the stack, the last one uppermost: in postorder it is s - 1, and the one before it
// precedes its subtree.
static void add_children(numeric_data *d, int32_t s, const int32_t *subtree_first, int32_t size) {
  for (int32_t child = s - 1; child >= subtree_first[s]; child = subtree_first[child] - 1) {
    size_t count = (size_t)below_count_of(d->plan, child);
    d->stack_size -= count * count;
    add_child(d, child, d->stack + d->stack_size, size);
  }
}

static bool factor_supernode(numeric_data *d, int32_t s, const int32_t *subtree_first, float *panel) {
  int32_t width = width_of(d->plan, s), count = below_count_of(d->plan, s), size = width + count;
  const int32_t *rows = d->plan->below + d->plan->below_start[s];
  for (int32_t k = 0; k < width; ++k) d->local[d->plan->first[s] + k] = k;
  for (int32_t k = 0; k < count; ++k) d->local[rows[k]] = width + k;
  for (size_t i = 0; i < (size_t)size * (size_t)size; ++i) d->front[i] = 0;
  add_own(d, s, size);
  add_children(d, s, subtree_first, size);
  if (!d->kernels->eliminate(d->front, size, width)) return false;
  for (int32_t k = 0; k < count; ++k)
    for (int32_t i = k; i < count; ++i)
      d->stack[d->stack_size + (size_t)k * (size_t)count + (size_t)i] =
          d->front[(size_t)(width + k) * (size_t)size + (size_t)(width + i)];
  d->stack_size += (size_t)count * (size_t)count;
  d->kernels->invert(d->front, size, width, d->column);
  pack_panel(d->front, width, size, panel);
  return true;
}

// First supernode of each subtree, and how much the stack must hold: a rehearsal.
static size_t rehearse(const pl_sparse_cholesky_plan *plan, int32_t *subtree_first) {
  size_t now = 0, max = 0;
  for (int32_t s = 0; s < plan->supernode_count; ++s) subtree_first[s] = s;
  for (int32_t s = 0; s < plan->supernode_count; ++s) {
    if (plan->parent[s] >= 0 && subtree_first[s] < subtree_first[plan->parent[s]])
      subtree_first[plan->parent[s]] = subtree_first[s];
    for (int32_t child = s - 1; child >= subtree_first[s]; child = subtree_first[child] - 1)
      now -= (size_t)below_count_of(plan, child) * (size_t)below_count_of(plan, child);
    now += (size_t)below_count_of(plan, s) * (size_t)below_count_of(plan, s);
    if (now > max) max = now;
  }
  return max;
}

static pl_status factor_all(pl_context *context, const pl_sparse *matrix, const pl_sparse_cholesky_plan *plan,
                            const size_t *panel_start, float *panels, pl_error *error) {
  int32_t max_size = 0, max_width = 0;
  for (int32_t s = 0; s < plan->supernode_count; ++s) {
    int32_t width = width_of(plan, s), size = width + below_count_of(plan, s);
    if (size > max_size) max_size = size;
    if (width > max_width) max_width = width;
  }
  pl_arena scratch;
  pl_arena_init(&scratch, context, 0);
  int32_t *subtree_first = PL_TAKE(&scratch, int32_t, plan->supernode_count);
  pl_status status = PL_OK;
  if (subtree_first != NULL) {
    numeric_data d = {
        .matrix = matrix,
        .plan = plan,
        .kernels = pl_sparse_cholesky_kernels_choose(),
        .front = PL_TAKE(&scratch, double, (size_t)max_size *(size_t)max_size),
        .stack = PL_TAKE(&scratch, double, rehearse(plan, subtree_first)),
        .column = PL_TAKE(&scratch, double, max_width),
        .local = PL_TAKE(&scratch, int32_t, matrix->row_count),
    };
    bool is_positive = true;
    for (int32_t s = 0; s < plan->supernode_count && is_positive && !scratch.failed; ++s)
      is_positive = factor_supernode(&d, s, subtree_first, panels + panel_start[s]);
    if (!is_positive) status = pl_fail(error, PL_ERROR_INVALID_DATA, "the matrix is not positive definite");
  }
  if (scratch.failed) status = pl_fail_memory(error);
  pl_arena_destroy(&scratch);
  return status;
}

pl_status pl_sparse_cholesky_build(pl_context *context, pl_arena *arena, const pl_sparse *matrix,
                                   const pl_vec3 *positions, pl_sparse_cholesky *factor, pl_error *error) {
  pl_sparse_cholesky_plan plan;
  *factor = (pl_sparse_cholesky){0};
  pl_status status = pl_sparse_cholesky_plan_build(context, arena, matrix, positions, &plan, error);
  if (status < 0) return status;
  size_t *panel_start = PL_TAKE(arena, size_t, plan.supernode_count + 1);
  if (panel_start == NULL) return pl_fail_memory(error);
  int32_t max_rows = 0, max_columns = 0;
  for (int32_t s = 0; s < plan.supernode_count; ++s) {
    int32_t width = width_of(&plan, s), size = width + below_count_of(&plan, s);
    panel_start[s + 1] = panel_start[s] + panel_size(width, size - width);
    if (size > max_rows) max_rows = size;
    if (width > max_columns) max_columns = width;
  }
  float *panels = PL_TAKE(arena, float, panel_start[plan.supernode_count]);
  if (panels == NULL) return pl_fail_memory(error);
  status = factor_all(context, matrix, &plan, panel_start, panels, error);
  if (status < 0) return status;
  *factor = (pl_sparse_cholesky){
      .row_count = matrix->row_count,
      .supernode_count = plan.supernode_count,
      .row_of = plan.row_of,
      .first = plan.first,
      .below_start = plan.below_start,
      .below = plan.below,
      .panel_start = panel_start,
      .panels = panels,
      .max_rows = pl_panel_padded(max_rows, PL_PANEL_ROWS),
      .max_columns = pl_panel_padded(max_columns, PL_PANEL_ROWS),
      .entry_count = plan.entry_count,
  };
  return PL_OK;
}

size_t pl_sparse_cholesky_workspace(const pl_sparse_cholesky *factor) {
  return 3 * ((size_t)factor->max_rows + (size_t)factor->max_columns);
}

void pl_sparse_cholesky_solve(const pl_sparse_cholesky *factor, pl_f4 *x, float *workspace) {
  pl_sparse_cholesky_kernels_choose()->solve(factor, x, workspace);
}
