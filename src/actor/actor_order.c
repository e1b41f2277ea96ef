// Two orders of rows.
//
// The order of Cuthill and McKee (1969), reversed as George found it better (1971): breadth first from a row at one end
// of the graph, rows with few neighbours first. An end is found by going to a row farthest away, and from there again,
// as long as that gets farther (George and Liu 1979).
#include "actor/actor_order.h"

#include <string.h>

#include "base/arena.h"

typedef struct search {
  const pl_block_pattern *pattern;
  int32_t *queue;
  int32_t *level;  // distance from the row that the search began at; -1: not reached
} search;

static int32_t degree(const pl_block_pattern *pattern, int32_t row) {
  return pattern->start[row + 1] - pattern->start[row];
}

// Breadth first from `root` into the queue from `begin` on, over rows whose level is -1. Returns the end.
static int32_t spread(search *s, int32_t root, int32_t begin) {
  int32_t end = begin;
  s->queue[end++] = root;
  s->level[root] = 0;
  for (int32_t at = begin; at < end; ++at) {
    int32_t row = s->queue[at], fresh = end;
    for (int32_t i = s->pattern->start[row]; i < s->pattern->start[row + 1]; ++i) {
      int32_t other = s->pattern->columns[i];
      if (s->level[other] >= 0) continue;
      s->level[other] = s->level[row] + 1;
      // Insertion by degree: rows have a few dozen neighbours.
      int32_t to = end++;
      for (; to > fresh && degree(s->pattern, s->queue[to - 1]) > degree(s->pattern, other); --to)
        s->queue[to] = s->queue[to - 1];
      s->queue[to] = other;
    }
  }
  return end;
}

static void forget(search *s, int32_t begin, int32_t end) {
  for (int32_t i = begin; i < end; ++i) s->level[s->queue[i]] = -1;
}

// An end of the part of the graph that `row` is in.
static int32_t find_end(search *s, int32_t row, int32_t begin) {
  int32_t depth = -1;
  for (int tries = 0; tries < 20; ++tries) {
    int32_t end = spread(s, row, begin), far = s->queue[end - 1], reached = s->level[far];
    for (int32_t i = end - 1; i >= begin && s->level[s->queue[i]] == reached; --i)
      if (degree(s->pattern, s->queue[i]) < degree(s->pattern, far)) far = s->queue[i];
    forget(s, begin, end);
    if (reached <= depth) break;
    depth = reached;
    row = far;
  }
  return row;
}

bool pl_actor_order_find(pl_context *context, const pl_block_pattern *pattern, int32_t *order) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t n = pattern->row_count, end = 0;
  search s = {pattern, PL_TAKE(&arena, int32_t, n), PL_TAKE(&arena, int32_t, n)};
  bool good = !arena.failed;
  for (int32_t i = 0; good && i < n; ++i) s.level[i] = -1;
  for (int32_t i = 0; good && i < n; ++i)
    if (s.level[i] < 0) end = spread(&s, find_end(&s, i, end), end);
  for (int32_t i = 0; good && i < n; ++i) order[i] = s.queue[n - 1 - i];
  pl_arena_destroy(&arena);
  return good;
}

// --- by degree ------------------------------------------------------------------------------------------------------
//
// Tiles span neighbouring rows of the order, so rows of one branch of the elimination tree must lie together: the tree
// is gone through with children before parents, which leaves the fill of rows as it is (Liu 1990). Which child lies
// next to its parent decides how well tiles are filled, and neither the last nor the first that was eliminated is
// always better. The factor of the cross of 405 points has 83306 products of tiles by nested dissection, 25332 and
// 66403 so, and 340017 without the tree; that of a cup 15385, 12109 and 9728, and 19983.

// The graph while rows are eliminated.
typedef struct elimination {
  int32_t n;
  size_t words;
  uint64_t *bits;   // n rows of `words`: a bit for each row that is left and coupled with it, and for itself
  int32_t *degree;  // -1: eliminated; its bits stay as they were then
} elimination;

static bool is_coupled(const elimination *e, int32_t row, int32_t other) {
  return (e->bits[e->words * (size_t)row + (size_t)other / 64] >> (other % 64) & 1) != 0;
}

static int32_t count_bits(const elimination *e, int32_t row) {
  int32_t count = 0;
  for (size_t k = 0; k < e->words; ++k) count += __builtin_popcountll(e->bits[e->words * (size_t)row + k]);
  return count;
}

static bool begin_elimination(pl_arena *arena, const pl_block_pattern *pattern, elimination *e) {
  int32_t n = pattern->row_count;
  *e = (elimination){.n = n, .words = ((size_t)n + 63) / 64, .degree = PL_TAKE(arena, int32_t, n)};
  e->bits = PL_TAKE(arena, uint64_t, e->words * (size_t)n);
  if (arena->failed) return false;
  memset(e->bits, 0, e->words * (size_t)n * sizeof(uint64_t));
  for (int32_t row = 0; row < n; ++row) {
    uint64_t *own = e->bits + e->words * (size_t)row;
    own[row / 64] |= (uint64_t)1 << (row % 64);
    for (int32_t i = pattern->start[row]; i < pattern->start[row + 1]; ++i)
      own[pattern->columns[i] / 64] |= (uint64_t)1 << (pattern->columns[i] % 64);
    e->degree[row] = count_bits(e, row);
  }
  return true;
}

// What `row` is coupled with is coupled with each other from now on.
static void eliminate_row(elimination *e, int32_t row) {
  const uint64_t *own = e->bits + e->words * (size_t)row;
  e->degree[row] = -1;
  for (int32_t i = 0; i < e->n; ++i) {
    if (i == row || !is_coupled(e, row, i)) continue;
    uint64_t *other = e->bits + e->words * (size_t)i;
    for (size_t k = 0; k < e->words; ++k) other[k] |= own[k];
    other[row / 64] &= ~((uint64_t)1 << (row % 64));
    e->degree[i] = count_bits(e, i);
  }
}

static void eliminate_by_degree(elimination *e, int32_t *order) {
  for (int32_t k = 0; k < e->n; ++k) {
    int32_t best = -1;
    for (int32_t i = 0; i < e->n; ++i)
      if (e->degree[i] >= 0 && (best < 0 || e->degree[i] < e->degree[best])) best = i;
    order[k] = best;
    eliminate_row(e, best);
  }
}

// Children of the elimination tree as lists: by row its first child and its next sibling, -1: none. Row n is the parent
// of those without one. The parent of a row is the next of those it was coupled with. The list is in the order of
// elimination or, with `last_first`, in the opposite one.
static void list_children(const elimination *e, const int32_t *order, bool last_first, int32_t *first,
                          int32_t *sibling) {
  for (int32_t i = 0; i <= e->n; ++i) first[i] = -1;
  for (int32_t k = 0; k < e->n; ++k) {
    int32_t parent = k + 1;
    while (parent < e->n && !is_coupled(e, order[k], order[parent])) ++parent;
    int32_t *at = &first[parent < e->n ? order[parent] : e->n];
    while (!last_first && *at >= 0) at = &sibling[*at];
    sibling[order[k]] = *at;
    *at = order[k];
  }
}

bool pl_actor_order_by_degree(pl_context *context, const pl_block_pattern *pattern, bool first_near, int32_t *order) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  elimination e;
  int32_t n = pattern->row_count, *first = PL_TAKE(&arena, int32_t, (size_t)n + 1),
          *sibling = PL_TAKE(&arena, int32_t, n), *stack = PL_TAKE(&arena, int32_t, (size_t)n + 1);
  bool good = begin_elimination(&arena, pattern, &e);
  if (good) {
    eliminate_by_degree(&e, order);
    list_children(&e, order, first_near, first, sibling);
    // Parents before children, written from the end; the last of a list comes first.
    int32_t top = 0, left = n;
    stack[top++] = n;
    while (top > 0) {
      int32_t row = stack[--top];
      if (row < n) order[--left] = row;
      for (int32_t child = first[row]; child >= 0; child = sibling[child]) stack[top++] = child;
    }
  }
  pl_arena_destroy(&arena);
  return good;
}
