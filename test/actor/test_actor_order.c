// Orders of rows for a factor: all rows once each, no fill where there need be none, and little where bodies branch.
// ctest: unit
#include <stdlib.h>
#include <string.h>

#include "actor/actor_order.h"
#include "fixtures/fem_bodies.h"

enum { ARM = 12, ARMS = 6, CROSS = 1 + ARM * ARMS, GRID = 12 };

// A graph as a matrix of flags, and the pattern of it.
typedef struct graph {
  int32_t n;
  uint8_t *coupled;  // n x n
  int32_t *start, *columns, *diagonal;
  pl_block_pattern pattern;
} graph;

static graph make_graph(int32_t n) {
  graph g = {.n = n, .coupled = calloc((size_t)n * (size_t)n, 1)};
  for (int32_t i = 0; i < n; ++i) g.coupled[i * n + i] = 1;
  return g;
}

static void couple(graph *g, int32_t a, int32_t b) {
  g->coupled[a * g->n + b] = g->coupled[b * g->n + a] = 1;
}

static void finish_graph(graph *g) {
  size_t n = (size_t)g->n;
  g->start = calloc(n + 1, sizeof(int32_t));
  g->columns = calloc(n * n, sizeof(int32_t));
  g->diagonal = calloc(n, sizeof(int32_t));
  for (int32_t i = 0; i < g->n; ++i) {
    g->start[i + 1] = g->start[i];
    for (int32_t j = 0; j < g->n; ++j) {
      if (g->coupled[i * g->n + j] == 0) continue;
      if (i == j) g->diagonal[i] = g->start[i + 1];
      g->columns[g->start[i + 1]++] = j;
    }
  }
  g->pattern = (pl_block_pattern){.row_count = g->n,
                                  .block_count = g->start[g->n],
                                  .start = g->start,
                                  .columns = g->columns,
                                  .diagonal = g->diagonal};
}

static void drop_graph(graph *g) {
  free(g->coupled), free(g->start), free(g->columns), free(g->diagonal);
}

// Entries below the diagonal that a factor has in this order: by elimination in a matrix of flags.
static int32_t count_entries(const graph *g, const int32_t *order) {
  int32_t n = g->n, count = 0;
  uint8_t *left = malloc((size_t)n * (size_t)n), *seen = calloc((size_t)n, 1);
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) left[i * n + j] = g->coupled[order[i] * n + order[j]];
  for (int32_t k = 0; k < n; ++k) {
    assert_int_equal(seen[order[k]]++, 0);
    for (int32_t i = k + 1; i < n; ++i) {
      if (left[i * n + k] == 0) continue;
      ++count;
      for (int32_t j = k + 1; j < n; ++j) left[i * n + j] |= left[j * n + k];
    }
  }
  free(left), free(seen);
  return count;
}

static void test_branches_have_no_fill(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  graph g = make_graph(CROSS);
  for (int32_t k = 0; k < ARMS; ++k)
    for (int32_t i = 0; i < ARM; ++i) couple(&g, i == 0 ? 0 : ARM * k + i, ARM * k + i + 1);
  finish_graph(&g);
  int32_t order[CROSS];
  for (int near = 0; near < 2; ++near) {
    assert_true(pl_actor_order_by_degree(context, &g.pattern, near == 1, order));
    assert_int_equal(count_entries(&g, order), CROSS - 1);
    // Arms lie together: five of six have their rows in one run.
    int32_t breaks = 0;
    for (int32_t i = 1; i < CROSS; ++i) breaks += g.coupled[order[i] * CROSS + order[i - 1]] == 0;
    check_at_most(breaks, ARMS);
  }
  drop_graph(&g);
  drop_context(context);
}

static void test_a_square_has_less_fill_than_along_its_side(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  graph g = make_graph(GRID * GRID);
  for (int32_t i = 0; i < GRID * GRID; ++i) {
    if (i % GRID + 1 < GRID) couple(&g, i, i + 1);
    if (i + GRID < GRID * GRID) couple(&g, i, i + GRID);
  }
  finish_graph(&g);
  int32_t order[GRID * GRID], along = 0;
  assert_true(pl_actor_order_find(context, &g.pattern, order));
  along = count_entries(&g, order);
  for (int near = 0; near < 2; ++near) {
    assert_true(pl_actor_order_by_degree(context, &g.pattern, near == 1, order));
    int32_t by_degree = count_entries(&g, order);
    print_message("entries: %d along the side, %d by degree\n", along, by_degree);
    check_at_most(by_degree, 0.8 * along);
  }
  drop_graph(&g);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_branches_have_no_fill),
                                     cmocka_unit_test(test_a_square_has_less_fill_than_along_its_side)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
