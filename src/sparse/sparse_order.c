// Nested dissection (George 1973) with minimum degree in the leaves.
//
// A set of rows is cut in two by a plane across one of the axes, or by the distance from a row at its end where
// positions are unknown. Rows on one side of the cut that touch the other side separate the two: they are eliminated
// last, and until then nothing fills in between the sides. Each side is cut again. Of a few cuts around the middle
// along every axis, the one with the smallest separator is taken; in a lattice, where many rows have the same
// coordinate, those between two layers are among them.
//
// Sets of up to 64 rows are ordered by minimum degree (Rose 1972): neighbours within the set are the bits of one
// number, so that eliminating a row is an OR over its neighbours.
//
// Cost: rows * log(rows) per level and axis for sorting, a few walks over the couplings per level.
#include "sparse/sparse_order.h"

#include <math.h>

#include "base/context.h"

enum { LEAF_ROWS = 64, AXES = 3 };

// Cuts leave at least this fraction of the rows on either side, which also bounds the depth of the recursion.
static const double MIN_FRACTION = 0.3;

typedef struct keyed_row {
  double key;
  int32_t row;
} keyed_row;

typedef struct dissection {
  const pl_sparse *matrix;
  const pl_vec3 *positions;
  int32_t *region;  // per row: number of the set it is in, -1 once it is in a separator
  int8_t *side;     // per row: LEFT, RIGHT or SEPARATOR
  keyed_row *sorted, *workspace;
  int32_t *queue;
  int32_t region_count;
} dissection;

enum { LEFT = 0, RIGHT = 1, SEPARATOR = 2 };

typedef struct cut {
  int axis;
  int32_t slot;  // rows before it in sorted order are left
  int8_t side;   // whose border is the separator
  double cost;
} cut;

static bool is_before(keyed_row a, keyed_row b) {
  return a.key < b.key || (a.key == b.key && a.row < b.row);
}

// Merge sort of `count` rows from `sorted`, with `workspace` of the same size.
static void sort_rows(keyed_row *sorted, keyed_row *workspace, int32_t count) {
  for (int32_t width = 1; width < count; width *= 2) {
    for (int32_t begin = 0; begin < count; begin += 2 * width) {
      int32_t middle = count - begin > width ? begin + width : count;
      int32_t end = count - middle > width ? middle + width : count;
      int32_t a = begin, b = middle;
      for (int32_t i = begin; i < end; ++i)
        workspace[i] = b >= end || (a < middle && !is_before(sorted[b], sorted[a])) ? sorted[a++] : sorted[b++];
    }
    for (int32_t i = 0; i < count; ++i) sorted[i] = workspace[i];
    if (width > count / 2) break;
  }
}

// Distances in the graph from `from` to the rows of its set, as keys by row in `workspace`; returns the last row
// reached.
static int32_t walk(dissection *d, int32_t id, int32_t from, const int32_t *rows, int32_t count) {
  for (int32_t i = 0; i < count; ++i) d->workspace[rows[i]].key = -1;
  int32_t head = 0, tail = 0, next = 0;
  d->queue[tail++] = from;
  d->workspace[from].key = 0;
  while (head < count) {
    if (head == tail) {
      // Another piece of a set that is not connected: it goes after the first.
      while (d->workspace[rows[next]].key >= 0) ++next;
      d->workspace[rows[next]].key = d->workspace[d->queue[tail - 1]].key + 1;
      d->queue[tail++] = rows[next];
    }
    int32_t row = d->queue[head++];
    for (int32_t e = d->matrix->start[row]; e < d->matrix->start[row + 1]; ++e) {
      int32_t other = d->matrix->columns[e];
      if (d->region[other] != id || d->workspace[other].key >= 0) continue;
      d->workspace[other].key = d->workspace[row].key + 1;
      d->queue[tail++] = other;
    }
  }
  return d->queue[count - 1];
}

// Sort the rows along an axis.
static void sort_along(dissection *d, int32_t id, int axis, const int32_t *rows, int32_t count) {
  if (d->positions == NULL) walk(d, id, walk(d, id, rows[0], rows, count), rows, count);
  for (int32_t i = 0; i < count; ++i) {
    int32_t row = rows[i];
    double key = d->positions == NULL ? d->workspace[row].key
                 : axis == 0          ? d->positions[row].x
                 : axis == 1          ? d->positions[row].y
                                      : d->positions[row].z;
    d->sorted[i] = (keyed_row){key, row};
  }
  sort_rows(d->sorted, d->workspace, count);
}

static bool touches(const dissection *d, int32_t id, int32_t row, int8_t side) {
  for (int32_t e = d->matrix->start[row]; e < d->matrix->start[row + 1]; ++e) {
    int32_t other = d->matrix->columns[e];
    if (other != row && d->region[other] == id && d->side[other] == side) return true;
  }
  return false;
}

// Try a cut of the sorted rows; the better border of the two is the separator.
static void try_cut(dissection *d, int32_t id, int axis, int32_t slot, int32_t count, cut *best) {
  if (slot < MIN_FRACTION * count || slot > (1 - MIN_FRACTION) * count) return;
  for (int32_t i = 0; i < count; ++i) d->side[d->sorted[i].row] = i < slot ? LEFT : RIGHT;
  int32_t borders[2] = {0, 0};
  for (int32_t i = 0; i < count; ++i) {
    int8_t side = i < slot ? LEFT : RIGHT;
    borders[side] += touches(d, id, d->sorted[i].row, side == LEFT ? RIGHT : LEFT);
  }
  for (int8_t side = LEFT; side <= RIGHT; ++side) {
    double lean = (2.0 * (side == LEFT ? slot - borders[side] : slot + borders[side]) - count + borders[side]) / count;
    double cost = borders[side] * (1 + 2 * lean * lean);
    if (cost < best->cost) *best = (cut){axis, slot, side, cost};
  }
}

static cut find_cut(dissection *d, int32_t id, const int32_t *rows, int32_t count) {
  cut best = {.cost = HUGE_VAL};
  for (int axis = 0; axis < (d->positions == NULL ? 1 : AXES); ++axis) {
    sort_along(d, id, axis, rows, count);
    int32_t middle = count / 2, below = middle, above = middle;
    // Where layers begin, on either side of the middle.
    while (below > 0 && !(d->sorted[below - 1].key < d->sorted[below].key)) --below;
    while (above < count && !(d->sorted[above - 1].key < d->sorted[above].key)) ++above;
    try_cut(d, id, axis, middle, count, &best);
    if (below != middle) try_cut(d, id, axis, below, count, &best);
    if (above != middle) try_cut(d, id, axis, above, count, &best);
  }
  return best;
}

// Mark the separator, and give back rows of it that turn out to touch one side only.
static void separate(dissection *d, int32_t id, const cut *best, const int32_t *rows, int32_t count) {
  sort_along(d, id, best->axis, rows, count);
  for (int32_t i = 0; i < count; ++i) d->side[d->sorted[i].row] = i < best->slot ? LEFT : RIGHT;
  int8_t other = best->side == LEFT ? RIGHT : LEFT;
  for (int32_t i = 0; i < count; ++i) {
    int32_t row = d->sorted[i].row;
    if (d->side[row] == best->side && touches(d, id, row, other)) d->side[row] = SEPARATOR;
  }
  for (int32_t i = 0; i < count; ++i) {
    int32_t row = d->sorted[i].row;
    if (d->side[row] == SEPARATOR && !touches(d, id, row, best->side)) d->side[row] = other;
  }
}

// Minimum degree among up to 64 rows. Neighbours outside, which are eliminated later, count too; a row that takes over
// the neighbours of an eliminated one is taken to have the larger of the two numbers outside.
static void order_leaf(const dissection *d, int32_t id, int32_t *rows, int32_t count) {
  uint64_t near[LEAF_ROWS];
  int32_t outside[LEAF_ROWS], left[LEAF_ROWS];
  for (int32_t i = 0; i < count; ++i) {
    left[i] = rows[i];
    near[i] = 0;
    outside[i] = 0;
    for (int32_t e = d->matrix->start[rows[i]]; e < d->matrix->start[rows[i] + 1]; ++e) {
      int32_t k = 0, other = d->matrix->columns[e];
      if (d->region[other] != id) ++outside[i];
      while (d->region[other] == id && k < count && rows[k] != other) ++k;
      if (d->region[other] == id && k != i) near[i] |= UINT64_C(1) << k;
    }
  }
  uint64_t open = count == LEAF_ROWS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
  for (int32_t slot = 0; slot < count; ++slot) {
    int32_t chosen = -1, min = INT32_MAX;
    for (int32_t i = 0; i < count; ++i) {
      int32_t degree = __builtin_popcountll(near[i]) + outside[i];
      if ((open >> i & 1) == 0 || degree >= min) continue;
      chosen = i;
      min = degree;
    }
    rows[slot] = left[chosen];
    open &= ~(UINT64_C(1) << chosen);
    for (uint64_t rest = near[chosen]; rest != 0; rest &= rest - 1) {
      int32_t i = __builtin_ctzll(rest);
      near[i] = (near[i] | near[chosen]) & open & ~(UINT64_C(1) << i);
      if (outside[i] < outside[chosen]) outside[i] = outside[chosen];
    }
  }
}

static void dissect(dissection *d, int32_t *rows, int32_t count) {
  int32_t id = d->region_count++;
  for (int32_t i = 0; i < count; ++i) d->region[rows[i]] = id;
  cut best = {.cost = HUGE_VAL};
  if (count > LEAF_ROWS) best = find_cut(d, id, rows, count);
  if (count <= LEAF_ROWS) order_leaf(d, id, rows, count);
  if (!(best.cost < HUGE_VAL)) return;  // a leaf, or rows of which none can be distinguished from the others
  separate(d, id, &best, rows, count);
  int32_t begins[4] = {0, 0, 0, 0};
  for (int32_t i = 0; i < count; ++i) ++begins[d->side[rows[i]] + 1];
  int32_t left_count = begins[1], rhs_count = begins[2];
  if (left_count == 0 || rhs_count == 0) return;
  begins[2] += begins[1];
  for (int32_t i = 0; i < count; ++i) d->queue[begins[d->side[rows[i]]]++] = rows[i];
  for (int32_t i = 0; i < count; ++i) rows[i] = d->queue[i];
  for (int32_t i = left_count + rhs_count; i < count; ++i) d->region[rows[i]] = -1;
  dissect(d, rows, left_count);
  dissect(d, rows + left_count, rhs_count);
}

bool pl_sparse_order_find(pl_context *context, const pl_sparse *matrix, const pl_vec3 *positions, int32_t *order) {
  int32_t n = matrix->row_count;
  pl_arena arena;
  pl_arena_init(&arena, context, (size_t)n * 48 + 1024);
  dissection d = {
      .matrix = matrix,
      .positions = positions,
      .region = PL_TAKE(&arena, int32_t, n),
      .side = PL_TAKE(&arena, int8_t, n),
      .sorted = PL_TAKE(&arena, keyed_row, n),
      .workspace = PL_TAKE(&arena, keyed_row, n),
      .queue = PL_TAKE(&arena, int32_t, n),
  };
  bool has_memory = !arena.failed;
  if (has_memory) {
    for (int32_t i = 0; i < n; ++i) order[i] = i;
    dissect(&d, order, n);
  }
  pl_arena_destroy(&arena);
  return has_memory;
}
