// Everything here is sorting: the sides of all elements are written as tuples of point indices in rising order, tuples
// are sorted, and equal ones are then neighbours in the list. Keys are indices, so a radix sort (one stable counting
// pass per key, last key first) does it in linear time whatever the shape of the mesh, hubs with a hundred thousand
// triangles included, and without hashing, whose order would need care.
#include "mesh/topology.h"

#include <string.h>

pl_elements pl_elements_of_mesh(const pl_mesh_view *mesh) {
  if (mesh->tet_count > 0) return (pl_elements){mesh->tets, mesh->tet_count, 4};
  if (mesh->triangle_count > 0) return (pl_elements){mesh->triangles, mesh->triangle_count, 3};
  return (pl_elements){mesh->segments, mesh->segment_count, 2};
}

bool pl_tuples_sort(pl_arena *arena, const int32_t *keys, int32_t count, int32_t width, int32_t key_count,
                    int32_t **order) {
  int32_t *from = PL_TAKE(arena, int32_t, count), *to = PL_TAKE(arena, int32_t, count);
  int32_t *slot = PL_TAKE(arena, int32_t, (size_t)key_count + 1);
  if (arena->failed) return false;
  for (int32_t i = 0; i < count; ++i) from[i] = i;
  for (int32_t key = width - 1; key >= 0; --key) {
    memset(slot, 0, ((size_t)key_count + 1) * sizeof *slot);
    for (int32_t i = 0; i < count; ++i) slot[keys[(size_t)width * (size_t)i + (size_t)key] + 1]++;
    for (int32_t i = 0; i < key_count; ++i) slot[i + 1] += slot[i];
    for (int32_t i = 0; i < count; ++i) to[slot[keys[(size_t)width * (size_t)from[i] + (size_t)key]]++] = from[i];
    int32_t *swap = from;
    from = to;
    to = swap;
  }
  *order = from;
  return true;
}

bool pl_edges_find(pl_arena *arena, pl_elements elements, int32_t point_count, int32_t **edges, int32_t *edge_count) {
  // All pairs of corners, repeated corners left out.
  int32_t pairs_per_element = elements.width * (elements.width - 1) / 2;
  if (elements.count > INT32_MAX / 2 / pairs_per_element) {
    arena->failed = true;  // more than an index can count: no memory for that either
    return false;
  }
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  int32_t *pairs = PL_TAKE(&temporary, int32_t, 2 * (size_t)pairs_per_element * (size_t)elements.count), *order = NULL;
  bool done = false;
  if (pairs == NULL) goto out;
  int32_t count = 0;
  for (int32_t e = 0; e < elements.count; ++e)
    for (int32_t i = 0; i < elements.width; ++i)
      for (int32_t j = i + 1; j < elements.width; ++j) {
        int32_t a = elements.corners[elements.width * e + i], b = elements.corners[elements.width * e + j];
        if (a == b) continue;
        pairs[2 * (size_t)count] = a < b ? a : b;
        pairs[2 * (size_t)count + 1] = a < b ? b : a;
        count++;
      }
  if (!pl_tuples_sort(&temporary, pairs, count, 2, point_count, &order)) goto out;

  // Keep the first of equals; count, then write.
  for (int32_t pass = 0; pass < 2; ++pass) {
    int32_t unique = 0;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t *pair = &pairs[2 * (size_t)order[i]], *last = i > 0 ? &pairs[2 * (size_t)order[i - 1]] : NULL;
      if (last != NULL && last[0] == pair[0] && last[1] == pair[1]) continue;
      if (pass == 1) memcpy(*edges + 2 * (size_t)unique, pair, 2 * sizeof *pair);
      unique++;
    }
    *edge_count = unique;
    if (pass == 0 && (*edges = PL_TAKE(arena, int32_t, 2 * (size_t)unique)) == NULL) goto out;
  }
  done = true;
out:
  pl_arena_destroy(&temporary);
  return done;
}

bool pl_rings_find(pl_arena *arena, const int32_t *edges, int32_t edge_count, int32_t point_count, pl_rows *rings) {
  *rings = (pl_rows){.row_count = point_count};
  rings->start = PL_TAKE(arena, int32_t, (size_t)point_count + 1);
  rings->items = PL_TAKE(arena, int32_t, 2 * (size_t)edge_count);
  if (arena->failed) return false;
  int32_t *start = rings->start;
  for (int32_t i = 0; i < 2 * edge_count; ++i) start[edges[i] + 1]++;
  for (int32_t i = 0; i < point_count; ++i) start[i + 1] += start[i];
  // Edges come sorted by lower, then upper point. Filling the lower neighbours of every point first, then the upper
  // ones, leaves each row sorted; start[] serves as the running index and is moved back afterwards.
  for (int32_t i = 0; i < edge_count; ++i) rings->items[start[edges[2 * i + 1]]++] = edges[2 * i];
  for (int32_t i = 0; i < edge_count; ++i) rings->items[start[edges[2 * i]]++] = edges[2 * i + 1];
  for (int32_t i = point_count; i > 0; --i) start[i] = start[i - 1];
  start[0] = 0;
  return true;
}

static void sort_rising(int32_t *items, int32_t count) {
  // Heap sort: in place, and no bad case for the large rings of a hub.
  for (int32_t end = count, i = count / 2; end > 1;) {
    int32_t value, hole;
    if (i > 0) {
      value = items[hole = --i];
    } else {
      value = items[--end];
      items[end] = items[0];
      hole = 0;
    }
    for (int32_t child; (child = 2 * hole + 1) < end; hole = child) {
      if (child + 1 < end && items[child + 1] > items[child]) child++;
      if (items[child] <= value) break;
      items[hole] = items[child];
    }
    items[hole] = value;
  }
}

// Collect row `point` of the wider rings into `items` (or only count when NULL). `seen` holds the last point that
// marked each entry.
static int32_t widen_row(const pl_rows *rings, const pl_rows *first, int32_t point, int32_t *seen, int32_t mark,
                         int32_t *items) {
  int32_t count = 0;
  seen[point] = mark;
  for (int32_t i = rings->start[point]; i < rings->start[point + 1]; ++i) {
    int32_t near = rings->items[i];
    if (seen[near] != mark) {
      seen[near] = mark;
      if (items != NULL) items[count] = near;
      count++;
    }
    for (int32_t j = first->start[near]; j < first->start[near + 1]; ++j) {
      int32_t far = first->items[j];
      if (seen[far] == mark) continue;
      seen[far] = mark;
      if (items != NULL) items[count] = far;
      count++;
    }
  }
  return count;
}

bool pl_rings_grow(pl_arena *arena, const pl_rows *rings, const pl_rows *first, pl_rows *wider) {
  int32_t point_count = rings->row_count;
  *wider = (pl_rows){.row_count = point_count};
  wider->start = PL_TAKE(arena, int32_t, (size_t)point_count + 1);
  int32_t *seen = PL_TAKE(arena, int32_t, point_count);
  if (arena->failed) return false;
  int64_t total = 0;
  for (int32_t i = 0; i < point_count; ++i) {
    total += widen_row(rings, first, i, seen, i + 1, NULL);
    if (total > INT32_MAX) return false;
    wider->start[i + 1] = (int32_t)total;
  }
  wider->items = PL_TAKE(arena, int32_t, total);
  if (wider->items == NULL) return false;
  for (int32_t i = 0; i < point_count; ++i) {
    int32_t count = widen_row(rings, first, i, seen, -1 - i, wider->items + wider->start[i]);
    sort_rising(wider->items + wider->start[i], count);
  }
  return true;
}

bool pl_elements_of_points(pl_arena *arena, pl_elements elements, int32_t point_count, pl_rows *rows) {
  *rows = (pl_rows){.row_count = point_count};
  rows->start = PL_TAKE(arena, int32_t, (size_t)point_count + 1);
  rows->items = PL_TAKE(arena, int32_t, elements.width * elements.count);
  int32_t *slot = PL_TAKE(arena, int32_t, (size_t)point_count + 1);
  if (arena->failed) return false;
  // Two passes: count, then fill; a corner that repeats an earlier one of its element is passed over.
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t e = 0; e < elements.count; ++e)
      for (int32_t i = 0; i < elements.width; ++i) {
        const int32_t *corners = &elements.corners[elements.width * e];
        bool repeated = false;
        for (int32_t j = 0; j < i; ++j) repeated = repeated || corners[j] == corners[i];
        if (repeated) continue;
        if (pass == 0)
          rows->start[corners[i] + 1]++;
        else
          rows->items[slot[corners[i]]++] = e;
      }
    if (pass == 1) break;
    for (int32_t i = 0; i < point_count; ++i) rows->start[i + 1] += rows->start[i];
    memcpy(slot, rows->start, ((size_t)point_count + 1) * sizeof *slot);
  }
  return true;
}

// Follow links to the representative, shortening the path on the way.
static int32_t find_root(int32_t *parent, int32_t point) {
  while (parent[point] != point) {
    parent[point] = parent[parent[point]];
    point = parent[point];
  }
  return point;
}

bool pl_components_find(pl_arena *arena, pl_elements elements, int32_t point_count, int32_t **component_of_point,
                        int32_t *component_count) {
  int32_t *parent = PL_TAKE(arena, int32_t, point_count), *component = PL_TAKE(arena, int32_t, point_count);
  if (arena->failed) return false;
  for (int32_t i = 0; i < point_count; ++i) {
    parent[i] = i;
    component[i] = -2;
  }
  // The lower root always wins, so that a piece is represented by its lowest point.
  for (int32_t e = 0; e < elements.count; ++e)
    for (int32_t i = 0; i < elements.width; ++i) {
      int32_t a = find_root(parent, elements.corners[elements.width * e]);
      int32_t b = find_root(parent, elements.corners[elements.width * e + i]);
      parent[a > b ? a : b] = a > b ? b : a;
      component[elements.corners[elements.width * e + i]] = -1;
    }
  int32_t count = 0;
  for (int32_t i = 0; i < point_count; ++i) {
    if (component[i] == -2) {
      component[i] = -1;
      continue;
    }
    int32_t root = find_root(parent, i);
    component[i] = root == i ? count++ : component[root];
  }
  *component_of_point = component;
  *component_count = count;
  return true;
}

int32_t pl_edges_index_of(const int32_t *edges, int32_t count, int32_t p, int32_t q) {
  int32_t low = p < q ? p : q, high = p < q ? q : p, begin = 0, end = count;
  while (begin < end) {
    int32_t middle = begin + (end - begin) / 2;
    const int32_t *e = edges + 2 * (ptrdiff_t)middle;
    if (e[0] < low || (e[0] == low && e[1] < high))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}
