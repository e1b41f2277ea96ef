// Elimination tree, column counts and supernodes of a symmetric matrix (Liu 1990; Davis 2006, chapter 4).
//
// The parent of a column in the elimination tree is the row of the first entry below its pivot. Row i of the factor has
// entries in the columns on the ways from the columns of row i of the matrix up to i: walking them, and stopping where
// a way was walked before, visits every entry once without storing any.
//
// Columns are first numbered in postorder, children before parents and each subtree in one run; then those with the
// same rows below are neighbours. A supernode also swallows its last child where that adds few zeros: one wide panel is
// solved faster than two narrow ones.
#include "sparse/sparse_cholesky_plan.h"

#include "base/context.h"
#include "base/error.h"
#include "sparse/sparse_order.h"

typedef struct tree_workspace {
  int32_t *parent, *ancestor, *child, *sibling, *post, *counts, *marks, *supernode_of;
} tree_workspace;

static bool take_workspace(pl_arena *arena, int32_t n, tree_workspace *workspace) {
  int32_t **arrays[] = {&workspace->parent, &workspace->ancestor, &workspace->child, &workspace->sibling,
                        &workspace->post,   &workspace->counts,   &workspace->marks, &workspace->supernode_of};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) *arrays[i] = PL_TAKE(arena, int32_t, n);
  return !arena->failed;
}

static void find_positions(const int32_t *row_of, int32_t n, int32_t *index_of) {
  for (int32_t k = 0; k < n; ++k) index_of[row_of[k]] = k;
}

// Liu's algorithm: ways up are shortened as they are walked.
static void find_tree(const pl_sparse *matrix, const pl_sparse_cholesky_plan *plan, tree_workspace *workspace) {
  for (int32_t i = 0; i < matrix->row_count; ++i) {
    workspace->parent[i] = workspace->ancestor[i] = -1;
    int32_t row = plan->row_of[i];
    for (int32_t e = matrix->start[row]; e < matrix->start[row + 1]; ++e) {
      int32_t j = plan->index_of[matrix->columns[e]];
      while (j != -1 && j < i) {
        int32_t next = workspace->ancestor[j];
        workspace->ancestor[j] = i;
        if (next == -1) workspace->parent[j] = i;
        j = next;
      }
    }
  }
}

// Number the columns in postorder, and everything with them.
static void renumber(int32_t n, pl_sparse_cholesky_plan *plan, tree_workspace *workspace) {
  for (int32_t i = 0; i < n; ++i) workspace->child[i] = -1;
  int32_t roots = -1, count = 0;
  for (int32_t i = n - 1; i >= 0; --i) {
    int32_t *list = workspace->parent[i] >= 0 ? &workspace->child[workspace->parent[i]] : &roots;
    workspace->sibling[i] = *list;
    *list = i;
  }
  for (int32_t root = roots; root >= 0; root = workspace->sibling[root]) {
    int32_t at = root;
    while (true) {
      while (workspace->child[at] >= 0) {
        int32_t down = workspace->child[at];
        workspace->child[at] = workspace->sibling[down];
        at = down;
      }
      workspace->post[count++] = at;
      if (at == root) break;
      at = workspace->parent[at];
    }
  }
  // `marks` and `ancestor` serve as copies.
  for (int32_t k = 0; k < n; ++k) workspace->marks[workspace->post[k]] = k;
  for (int32_t k = 0; k < n; ++k) {
    int32_t parent = workspace->parent[workspace->post[k]];
    workspace->ancestor[k] = parent < 0 ? -1 : workspace->marks[parent];
    workspace->child[k] = plan->row_of[workspace->post[k]];
  }
  for (int32_t k = 0; k < n; ++k) {
    workspace->parent[k] = workspace->ancestor[k];
    plan->row_of[k] = workspace->child[k];
  }
  find_positions(plan->row_of, n, plan->index_of);
}

// Entries of each column of the factor, the pivot included.
static void count_columns(const pl_sparse *matrix, const pl_sparse_cholesky_plan *plan, tree_workspace *workspace) {
  for (int32_t i = 0; i < matrix->row_count; ++i) {
    workspace->counts[i] = 1;
    workspace->marks[i] = i;
    int32_t row = plan->row_of[i];
    for (int32_t e = matrix->start[row]; e < matrix->start[row + 1]; ++e)
      for (int32_t j = plan->index_of[matrix->columns[e]]; j < i && workspace->marks[j] != i;
           j = workspace->parent[j]) {
        ++workspace->counts[j];
        workspace->marks[j] = i;
      }
  }
}

// Whether a supernode of columns [a, b) should be one with [b, c), which holds its parent. Together they have the rows
// of the second.
static bool is_worth_merging(const tree_workspace *workspace, int32_t a, int32_t b, int32_t c, int64_t zeros) {
  int64_t wide = c - a, rows = wide + workspace->counts[c - 1] - 1;
  int64_t entries = wide * rows - wide * (wide - 1) / 2;
  if (zeros == 0) return true;
  if (wide <= 4) return zeros * 2 <= entries;
  if (wide <= 16) return zeros * 5 <= entries * 2;
  return zeros * 8 <= entries * (b - a < 16 ? 1 : 0) || zeros * 20 <= entries;
}

static void find_supernodes(int32_t n, pl_sparse_cholesky_plan *plan, tree_workspace *workspace) {
  // A stack of supernodes: first[] are their first columns, `ancestor` the zeros in each (as they grow; at most 2^31 of
  // them are looked at).
  int32_t count = 0, *zeros_of = workspace->ancestor;
  for (int32_t j = 0; j < n; ++j) {
    plan->first[count] = j;
    zeros_of[count++] = 0;
    // Equal rows below: one supernode. Later, as long as the two on top are parent and last child, and it pays.
    while (count > 1) {
      int32_t a = plan->first[count - 2], b = plan->first[count - 1];
      if (workspace->parent[b - 1] < b || workspace->parent[b - 1] > j) break;
      int64_t extra = (int64_t)(b - a) * ((j + 1 - b) + workspace->counts[j] - workspace->counts[b - 1]);
      int64_t zeros = zeros_of[count - 2] + zeros_of[count - 1] + extra;
      if (zeros > INT32_MAX || !is_worth_merging(workspace, a, b, j + 1, zeros)) break;
      --count;
      zeros_of[count - 1] = (int32_t)zeros;
    }
  }
  plan->first[count] = n;
  plan->supernode_count = count;
}

static void link_supernodes(pl_sparse_cholesky_plan *plan, tree_workspace *workspace) {
  for (int32_t s = 0; s < plan->supernode_count; ++s)
    for (int32_t j = plan->first[s]; j < plan->first[s + 1]; ++j) workspace->supernode_of[j] = s;
  for (int32_t s = 0; s < plan->supernode_count; ++s) {
    int32_t above = workspace->parent[plan->first[s + 1] - 1];
    plan->parent[s] = above < 0 ? -1 : workspace->supernode_of[above];
  }
}

// Walk up the tree of supernodes from the columns of every row; `below` NULL: count only. Lists come out rising because
// rows are walked in order.
static void list_rows(const pl_sparse *matrix, pl_sparse_cholesky_plan *plan, tree_workspace *workspace, int64_t *fill,
                      int32_t *below) {
  for (int32_t s = 0; s < plan->supernode_count; ++s) workspace->marks[s] = -1;
  for (int32_t i = 0; i < matrix->row_count; ++i) {
    int32_t row = plan->row_of[i], own = workspace->supernode_of[i];
    for (int32_t e = matrix->start[row]; e < matrix->start[row + 1]; ++e) {
      int32_t j = plan->index_of[matrix->columns[e]];
      if (j >= i) continue;
      for (int32_t s = workspace->supernode_of[j]; s != own && workspace->marks[s] != i; s = plan->parent[s]) {
        workspace->marks[s] = i;
        if (below != NULL) below[fill[s]] = i;
        ++fill[s];
      }
    }
  }
}

static pl_status list_below(pl_context *context, pl_arena *arena, const pl_sparse *matrix,
                            pl_sparse_cholesky_plan *plan, tree_workspace *workspace, pl_error *error) {
  int32_t count = plan->supernode_count;
  int64_t total = 0, *fill = pl_allocate_array(context, (size_t)count + 1, sizeof(int64_t));
  plan->below_start = PL_TAKE(arena, int32_t, count + 1);
  if (fill == NULL || plan->below_start == NULL) {
    pl_release(context, fill);
    return pl_fail_memory(error);
  }
  list_rows(matrix, plan, workspace, fill, NULL);
  for (int32_t s = 0; s < count; ++s) {
    int64_t size = fill[s];
    fill[s] = total;
    total += size;
    if (total <= INT32_MAX) plan->below_start[s + 1] = (int32_t)total;
  }
  pl_status status = PL_OK;
  if (total > INT32_MAX)
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "the factor of %d rows is too large", matrix->row_count);
  if (status >= 0) plan->below = PL_TAKE(arena, int32_t, total);
  if (status >= 0 && plan->below == NULL) status = pl_fail_memory(error);
  if (status >= 0) list_rows(matrix, plan, workspace, fill, plan->below);
  pl_release(context, fill);
  return status;
}

pl_status pl_sparse_cholesky_plan_build(pl_context *context, pl_arena *arena, const pl_sparse *matrix,
                                        const pl_vec3 *positions, pl_sparse_cholesky_plan *plan, pl_error *error) {
  int32_t n = matrix->row_count;
  *plan = (pl_sparse_cholesky_plan){
      .row_of = PL_TAKE(arena, int32_t, n),
      .index_of = PL_TAKE(arena, int32_t, n),
      .first = PL_TAKE(arena, int32_t, n + 1),
      .parent = PL_TAKE(arena, int32_t, n),
  };
  pl_arena scratch;
  pl_arena_init(&scratch, context, (size_t)n * 32 + 1024);
  tree_workspace workspace;
  bool has_memory = take_workspace(&scratch, n, &workspace) && !arena->failed;
  has_memory = has_memory && pl_sparse_order_find(context, matrix, positions, plan->row_of);
  pl_status status = has_memory ? PL_OK : pl_fail_memory(error);
  if (status >= 0) {
    find_positions(plan->row_of, n, plan->index_of);
    find_tree(matrix, plan, &workspace);
    renumber(n, plan, &workspace);
    count_columns(matrix, plan, &workspace);
    for (int32_t j = 0; j < n; ++j) plan->entry_count += workspace.counts[j];
    find_supernodes(n, plan, &workspace);
    link_supernodes(plan, &workspace);
    status = list_below(context, arena, matrix, plan, &workspace, error);
  }
  pl_arena_destroy(&scratch);
  return status;
}
