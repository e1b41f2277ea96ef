// The order of Cuthill and McKee (1969), reversed as George found it better (1971): breadth first from a row at one end
// of the graph, rows with few neighbours first. An end is found by going to a row farthest away, and from there again,
// as long as that gets farther (George and Liu 1979).
#include "actor/actor_order.h"

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
