// Topology of the chains of one kind: neighbourhoods for the matching, and the order in which the equations of the
// constraints are eliminated.
//
// Keeping lengths means solving (J M^-1 J^T) λ = c, with one row of J per constraint. Two constraints share an entry of
// that matrix when they share a joint. For a chain it is tridiagonal, for a tree it is made of one small clique per
// joint, and eliminating leaves first creates no new entry; links add some. The pattern is the same for all chains of
// the plan, so elimination is a list of multiplications, done for eight chains at once.
#include <string.h>

#include "base/context.h"
#include "base/vector.h"
#include "rod/rod_model.h"

typedef struct workplace {
  int32_t joint_count, constraint_count;
  const int32_t *constraints;
  uint8_t *filled;         // constraint_count x constraint_count in order of elimination: row > column
  int32_t *entry_of;       // the same: number of the entry
  uint8_t *near;           // joint_count x joint_count
  int32_t *constraint_of;  // constraint eliminated as k-th
} workplace;

static size_t at(const workplace *w, int32_t row, int32_t column) {
  return (size_t)row * (size_t)w->constraint_count + (size_t)column;
}

// Joints up to `width` constraints apart.
static void find_neighbours(workplace *w, int32_t width) {
  int32_t n = w->joint_count;
  for (int32_t i = 0; i < n; ++i) w->near[(size_t)i * (size_t)n + (size_t)i] = 1;
  for (int32_t round = 1; round <= width; ++round) {
    bool grew = false;
    for (int32_t i = 0; i < n; ++i) {
      uint8_t *row = w->near + (size_t)i * (size_t)n;
      for (int32_t b = 0; b < w->constraint_count; ++b)
        for (int side = 0; side < 2; ++side) {
          int32_t from = w->constraints[2 * b + side], to = w->constraints[2 * b + 1 - side];
          if (row[from] == round && row[to] == 0) {
            row[to] = (uint8_t)(round + 1);
            grew = true;
          }
        }
    }
    if (!grew) break;
  }
}

static bool fill_regions(pl_arena *arena, const workplace *w, pl_rod_plan *plan) {
  int32_t n = w->joint_count, total = 0;
  for (int32_t i = 0; i < n * n; ++i) total += w->near[i] != 0;
  int32_t *start = PL_TAKE(arena, int32_t, n + 1), *joints = PL_TAKE(arena, int32_t, total);
  bool *anchored = PL_TAKE(arena, bool, n);
  if (arena->failed) return false;
  int32_t count = 0;
  for (int32_t r = 0; r < n; ++r) {
    start[r] = count;
    for (int32_t i = 0; i < n; ++i)
      if (w->near[(size_t)r * (size_t)n + (size_t)i] != 0) joints[count++] = i;
    anchored[r] = w->near[(size_t)r * (size_t)n] != 0;
  }
  start[n] = count;
  plan->region_start = start;
  plan->region_joints = joints;
  plan->anchored = anchored;
  return true;
}

// The joint two constraints share, -1 if none; `sign` is +1 where it is the same end of both.
static int32_t shared_joint(const int32_t *a, const int32_t *b, int32_t skip, float *sign) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      if (a[i] == b[j] && a[i] != skip) {
        *sign = i == j ? 1.0f : -1.0f;
        return a[i];
      }
  return -1;
}

// Which entries exist, before and after elimination.
static void find_pattern(workplace *w) {
  int32_t m = w->constraint_count;
  for (int32_t column = 0; column < m; ++column)
    for (int32_t row = column + 1; row < m; ++row) {
      float sign;
      if (shared_joint(w->constraints + 2 * w->constraint_of[row], w->constraints + 2 * w->constraint_of[column], -1,
                       &sign) >= 0)
        w->filled[at(w, row, column)] = 1;
    }
  for (int32_t column = 0; column < m; ++column)
    for (int32_t a = column + 1; a < m; ++a)
      for (int32_t b = a + 1; w->filled[at(w, a, column)] && b < m; ++b)
        if (w->filled[at(w, b, column)]) w->filled[at(w, b, a)] = 1;
}

static bool fill_columns(pl_arena *arena, workplace *w, pl_rod_plan *plan) {
  int32_t m = w->constraint_count, count = 0;
  for (int32_t i = 0; i < m * m; ++i) count += w->filled[i];
  int32_t *start = PL_TAKE(arena, int32_t, m + 1), *rows = PL_TAKE(arena, int32_t, count);
  if (arena->failed) return false;
  int32_t entry = 0;
  for (int32_t column = 0; column < m; ++column) {
    start[column] = entry;
    for (int32_t row = column + 1; row < m; ++row)
      if (w->filled[at(w, row, column)]) {
        w->entry_of[at(w, row, column)] = entry;
        rows[entry++] = row;
      }
  }
  start[m] = entry;
  plan->column_start = start;
  plan->rows = rows;
  return true;
}

// Two constraints may share two joints (a link parallel to a segment): one coupling each.
static bool fill_couplings(pl_arena *arena, pl_context *context, const workplace *w, pl_rod_plan *plan) {
  pl_vector items = pl_vector_of(context, 4 * sizeof(int32_t)), signs = pl_vector_of(context, sizeof(float));
  bool fits = true;
  for (int32_t column = 0; fits && column < w->constraint_count; ++column)
    for (int32_t row = column + 1; fits && row < w->constraint_count; ++row) {
      int32_t a = w->constraint_of[row], b = w->constraint_of[column], skip = -1;
      for (int k = 0; fits && k < 2; ++k) {
        float sign;
        int32_t joint = shared_joint(w->constraints + 2 * a, w->constraints + 2 * b, skip, &sign);
        if (joint < 0) break;
        int32_t item[4] = {w->entry_of[at(w, row, column)], a, b, joint};
        fits = pl_vector_push(&items, item) && pl_vector_push(&signs, &sign);
        skip = joint;
      }
    }
  plan->coupling_count = (int32_t)items.count;
  plan->couplings = fits ? pl_arena_copy(arena, items.items, items.count, 4 * sizeof(int32_t)) : NULL;
  plan->coupling_signs = fits ? pl_arena_copy(arena, signs.items, signs.count, sizeof(float)) : NULL;
  pl_vector_free(&items);
  pl_vector_free(&signs);
  return fits && !arena->failed;
}

static bool fill_updates(pl_arena *arena, pl_context *context, const workplace *w, pl_rod_plan *plan) {
  pl_vector items = pl_vector_of(context, 4 * sizeof(int32_t));
  bool fits = true;
  for (int32_t column = 0; column < w->constraint_count; ++column)
    for (int32_t a = plan->column_start[column]; a < plan->column_start[column + 1]; ++a)
      for (int32_t b = a; fits && b < plan->column_start[column + 1]; ++b) {
        int32_t low = plan->rows[a], high = plan->rows[b];
        int32_t item[4] = {low == high ? -1 - low : w->entry_of[at(w, high, low)], a, b, column};
        fits = pl_vector_push(&items, item);
      }
  plan->update_count = (int32_t)items.count;
  plan->updates = fits ? pl_arena_copy(arena, items.items, items.count, 4 * sizeof(int32_t)) : NULL;
  pl_vector_free(&items);
  return fits && !arena->failed;
}

static bool fill_constraints(pl_arena *arena, const int32_t *parents, const int32_t *links, pl_rod_plan *plan) {
  int32_t *constraints = PL_TAKE(arena, int32_t, 2 * plan->constraint_count);
  plan->parents = pl_arena_copy(arena, parents, (size_t)plan->joint_count, sizeof(int32_t));
  if (arena->failed) return false;
  for (int32_t i = 1; i < plan->joint_count; ++i) {
    constraints[2 * (i - 1)] = parents[i];
    constraints[2 * (i - 1) + 1] = i;
  }
  if (plan->link_count > 0)
    memcpy(constraints + 2 * (plan->joint_count - 1), links, 2 * (size_t)plan->link_count * sizeof(int32_t));
  plan->constraints = constraints;
  return true;
}

bool pl_rod_plan_build(pl_context *context, pl_arena *arena, int32_t joint_count, const int32_t *parents,
                       int32_t link_count, const int32_t *links, int32_t width, pl_rod_plan *plan) {
  *plan = (pl_rod_plan){
      .joint_count = joint_count, .constraint_count = joint_count - 1 + link_count, .link_count = link_count};
  if (!fill_constraints(arena, parents, links, plan)) return false;
  int32_t m = plan->constraint_count;
  int32_t *constraint_of = PL_TAKE(arena, int32_t, m);
  if (constraint_of == NULL) return false;
  // Children have larger numbers than their parents, so from the back leaves come first; links come last.
  for (int32_t k = 0; k < joint_count - 1; ++k) constraint_of[k] = joint_count - 2 - k;
  for (int32_t k = joint_count - 1; k < m; ++k) constraint_of[k] = k;
  plan->constraint_of = constraint_of;
  size_t square = (size_t)m * (size_t)m, joints = (size_t)joint_count * (size_t)joint_count;
  workplace w = {.joint_count = joint_count,
                 .constraint_count = m,
                 .constraints = plan->constraints,
                 .filled = pl_allocate_array(context, square + 1, 1),
                 .entry_of = pl_allocate_array(context, square + 1, sizeof(int32_t)),
                 .near = pl_allocate_array(context, joints, 1),
                 .constraint_of = constraint_of};
  bool done = w.filled != NULL && w.entry_of != NULL && w.near != NULL;
  if (done) {
    find_neighbours(&w, width);
    find_pattern(&w);
    done = fill_regions(arena, &w, plan) && fill_columns(arena, &w, plan) && fill_couplings(arena, context, &w, plan) &&
           fill_updates(arena, context, &w, plan);
  }
  pl_release(context, w.filled);
  pl_release(context, w.entry_of);
  pl_release(context, w.near);
  return done;
}
