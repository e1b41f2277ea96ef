// Pattern, scatter map and order of assembly.
//
// The pattern is that of a product of incidences: row i meets column j if some element has both. Couplings are listed
// by row in the order of the elements and the list is transposed, row by row from the first: as the pattern is
// symmetric, that gives every row again, now with its columns rising and repetitions side by side. Two passes, no
// sorting.
//
// Assembly adds to blocks that several elements share, in parallel and with the same bits for any number of threads.
// Elements are put in order of their lowest corner, cut into chunks, and the chunks coloured greedily so that no two of
// one colour share a corner; one colour after the other is worked on in parallel. Against lists of contributions per
// block this needs no memory for element matrices (18 MB for 16,000 tets, more than computing them costs), against
// colouring single elements it keeps neighbours in the cache, and nodal forces can be added in the same visit. It wants
// nodes that are near in space to be near in number; if they are not, chunks meet everywhere and the loop becomes
// serial, not wrong.
#include "sparse/block_pattern.h"

#include "base/error.h"
#include "base/parallel.h"

enum {
  MIN_CHUNK = 64,    // elements of a chunk: enough to hide the start of a task …
  MAX_CHUNK = 2048,  // … and no more than that many, as few chunks share little work
  CHUNKS = 32,       // chunks to aim at: each colour sweeps the whole matrix, so there should be few colours
  MASK_COLOURS = 64  // colours in a mask; chunks that find none free get one each
};

static pl_status check_groups(int32_t row_count, const pl_block_elements *groups, int32_t group_count,
                              int64_t *coupling_count, pl_error *error) {
  if (row_count < 0 || group_count < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a pattern of %d rows and %d groups", row_count, group_count);
  *coupling_count = row_count;
  for (int32_t g = 0; g < group_count; ++g) {
    int32_t width = groups[g].corner_count, count = groups[g].element_count;
    if (width < 1 || width > PL_BLOCK_MAX_CORNERS || count < 0)
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                     "group %d has %d elements of %d corners; 1 to %d corners are possible", g, count, width,
                     PL_BLOCK_MAX_CORNERS);
    for (int64_t i = 0; i < (int64_t)count * width; ++i)
      if (groups[g].corners[i] < 0 || groups[g].corners[i] >= row_count)
        return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "element %d of group %d has corner %d, but there are %d rows",
                       (int)(i / width), g, groups[g].corners[i], row_count);
    *coupling_count += (int64_t)count * width * width;
  }
  if (*coupling_count > INT32_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%lld couplings are more than 31 bits can number",
                   (long long)*coupling_count);
  return PL_OK;
}

// Turn counts, one entry ahead, into offsets.
static void add_up(int32_t *start, int32_t count) {
  for (int32_t i = 0; i < count; ++i) start[i + 1] += start[i];
}

// Couplings by row, repeated as often as elements have them. `cursor` ends as the offsets shifted by one row.
static void list_couplings(const pl_block_elements *groups, int32_t group_count, int32_t row_count, int32_t *cursor,
                           int32_t *list) {
  for (int32_t row = 0; row < row_count; ++row) list[cursor[row]++] = row;
  for (int32_t g = 0; g < group_count; ++g) {
    int32_t width = groups[g].corner_count;
    for (int32_t e = 0; e < groups[g].element_count; ++e) {
      const int32_t *corners = groups[g].corners + (size_t)e * (size_t)width;
      for (int32_t a = 0; a < width; ++a)
        for (int32_t b = 0; b < width; ++b) list[cursor[corners[a]]++] = corners[b];
    }
  }
}

static bool build_rows(pl_arena *arena, pl_arena *temporary, const pl_block_elements *groups, int32_t coupling_count,
                       pl_block_pattern *pattern) {
  int32_t row_count = pattern->row_count;
  int32_t *start = PL_TAKE(temporary, int32_t, row_count + 1), *cursor = PL_TAKE(temporary, int32_t, row_count + 1);
  int32_t *list = PL_TAKE(temporary, int32_t, coupling_count), *turned = PL_TAKE(temporary, int32_t, coupling_count);
  pattern->start = PL_TAKE(arena, int32_t, row_count + 1);
  pattern->diagonal = PL_TAKE(arena, int32_t, row_count);
  if (temporary->failed || arena->failed) return false;
  for (int32_t row = 0; row < row_count; ++row) start[row + 1] = 1;
  for (int32_t g = 0; g < pattern->group_count; ++g)
    for (int64_t i = 0; i < (int64_t)groups[g].element_count * groups[g].corner_count; ++i)
      start[groups[g].corners[i] + 1] += groups[g].corner_count;
  add_up(start, row_count);
  for (int32_t row = 0; row < row_count; ++row) cursor[row] = start[row];
  list_couplings(groups, pattern->group_count, row_count, cursor, list);

  // Transposed: rows rise within every column, so repetitions are neighbours and only the first is kept.
  for (int32_t row = 0; row < row_count; ++row) cursor[row] = start[row];
  for (int32_t row = 0; row < row_count; ++row)
    for (int32_t i = start[row]; i < start[row + 1]; ++i) {
      int32_t column = list[i], end = cursor[column];
      if (end == start[column] || turned[end - 1] != row) turned[cursor[column]++] = row;
    }
  for (int32_t row = 0; row < row_count; ++row) pattern->start[row + 1] = cursor[row] - start[row];
  add_up(pattern->start, row_count);
  pattern->block_count = pattern->start[row_count];
  pattern->columns = PL_TAKE(arena, int32_t, pattern->block_count);
  if (arena->failed) return false;
  for (int32_t row = 0; row < row_count; ++row) {
    for (int32_t i = start[row], to = pattern->start[row]; i < cursor[row]; ++i, ++to) pattern->columns[to] = turned[i];
    pattern->diagonal[row] = pl_block_pattern_find(pattern, row, row);
  }
  return true;
}

int32_t pl_block_pattern_find(const pl_block_pattern *pattern, int32_t row, int32_t column) {
  int32_t min = pattern->start[row], max = pattern->start[row + 1] - 1;
  while (min <= max) {
    int32_t middle = min + (max - min) / 2, found = pattern->columns[middle];
    if (found == column) return middle;
    if (found < column)
      min = middle + 1;
    else
      max = middle - 1;
  }
  return -1;
}

// Elements by their lowest corner, equal ones as given.
static void order_elements(const pl_block_elements *elements, int32_t row_count, int32_t *start, int32_t *order) {
  int32_t width = elements->corner_count;
  for (int32_t row = 0; row <= row_count; ++row) start[row] = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t e = 0; e < elements->element_count; ++e) {
      const int32_t *corners = elements->corners + (size_t)e * (size_t)width;
      int32_t lowest = corners[0];
      for (int32_t a = 1; a < width; ++a) lowest = corners[a] < lowest ? corners[a] : lowest;
      if (pass == 0)
        start[lowest + 1]++;
      else
        order[start[lowest]++] = e;
    }
    if (pass == 0) add_up(start, row_count);
  }
}

// The lowest colour that no chunk so far has at any corner of this one. `masks` holds the colours met at every row.
static int32_t choose_colour(const pl_block_elements *elements, const int32_t *order, int32_t begin, int32_t end,
                             uint64_t *masks, int32_t *spare_colour) {
  size_t width = (size_t)elements->corner_count;
  uint64_t taken = 0;
  for (int32_t i = begin; i < end; ++i)
    for (size_t a = 0; a < width; ++a) taken |= masks[elements->corners[(size_t)order[i] * width + a]];
  int32_t colour = 0;
  while (colour < MASK_COLOURS && (taken >> colour & 1) != 0) ++colour;
  if (colour == MASK_COLOURS) return (*spare_colour)++;
  for (int32_t i = begin; i < end; ++i)
    for (size_t a = 0; a < width; ++a) masks[elements->corners[(size_t)order[i] * width + a]] |= UINT64_C(1) << colour;
  return colour;
}

static int32_t chunk_size(int32_t element_count) {
  int32_t size = element_count / CHUNKS;
  return size < MIN_CHUNK ? MIN_CHUNK : size > MAX_CHUNK ? MAX_CHUNK : size;
}

static bool order_group(pl_arena *arena, pl_arena *temporary, const pl_block_elements *elements, int32_t row_count,
                        pl_block_group *group) {
  int32_t count = elements->element_count, size = chunk_size(count), chunk_count = pl_block_count(count, size);
  int32_t *start = PL_TAKE(temporary, int32_t, row_count + 1), *order = PL_TAKE(temporary, int32_t, count);
  int32_t *colours = PL_TAKE(temporary, int32_t, chunk_count);
  uint64_t *masks = PL_TAKE(temporary, uint64_t, row_count);
  group->order = PL_TAKE(arena, int32_t, count);
  group->chunk_start = PL_TAKE(arena, int32_t, chunk_count + 1);
  if (temporary->failed || arena->failed) return false;
  order_elements(elements, row_count, start, order);
  int32_t spare_colour = MASK_COLOURS, colour_end = 0;
  for (int32_t chunk = 0; chunk < chunk_count; ++chunk) {
    int32_t begin = chunk * size, end = count - begin > size ? begin + size : count;
    colours[chunk] = choose_colour(elements, order, begin, end, masks, &spare_colour);
    colour_end = colours[chunk] + 1 > colour_end ? colours[chunk] + 1 : colour_end;
  }
  group->chunk_count = chunk_count;
  group->colour_count = colour_end;
  group->colour_start = PL_TAKE(arena, int32_t, colour_end + 1);
  if (arena->failed) return false;
  int32_t placed = 0, next_chunk = 0;
  for (int32_t colour = 0; colour < colour_end; ++colour) {
    for (int32_t chunk = 0; chunk < chunk_count; ++chunk) {
      if (colours[chunk] != colour) continue;
      for (int32_t i = chunk * size; i < count && i < (chunk + 1) * size; ++i) group->order[placed++] = order[i];
      group->chunk_start[++next_chunk] = placed;
    }
    group->colour_start[colour + 1] = next_chunk;
  }
  return true;
}

static bool build_group(pl_arena *arena, pl_arena *temporary, const pl_block_elements *elements,
                        const pl_block_pattern *pattern, pl_block_group *group) {
  int32_t width = elements->corner_count;
  *group = (pl_block_group){.element_count = elements->element_count, .corner_count = width};
  group->slots = PL_TAKE(arena, int32_t, (size_t)elements->element_count * (size_t)(width * width));
  if (arena->failed) return false;
  int32_t *slot = group->slots;
  for (int32_t e = 0; e < elements->element_count; ++e) {
    const int32_t *corners = elements->corners + (size_t)e * (size_t)width;
    for (int32_t a = 0; a < width; ++a)
      for (int32_t b = 0; b < width; ++b) *slot++ = pl_block_pattern_find(pattern, corners[a], corners[b]);
  }
  return order_group(arena, temporary, elements, pattern->row_count, group);
}

pl_status pl_block_pattern_build(pl_arena *arena, int32_t row_count, const pl_block_elements *groups,
                                 int32_t group_count, pl_block_pattern *pattern, pl_error *error) {
  *pattern = (pl_block_pattern){0};
  int64_t coupling_count = 0;
  pl_status status = check_groups(row_count, groups, group_count, &coupling_count, error);
  if (status < 0) return status;
  pl_block_pattern built = {.row_count = row_count, .group_count = group_count};
  built.groups = PL_TAKE(arena, pl_block_group, group_count);
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  bool good = !arena->failed && build_rows(arena, &temporary, groups, (int32_t)coupling_count, &built);
  for (int32_t g = 0; good && g < group_count; ++g)
    good = build_group(arena, &temporary, &groups[g], &built, &built.groups[g]);
  pl_arena_destroy(&temporary);
  if (!good) return pl_fail_memory(error);
  *pattern = built;
  return PL_OK;
}

typedef struct visiting {
  const pl_block_group *group;
  pl_block_visit *visit;
  void *data;
  int32_t first_chunk;
} visiting;

static void visit_chunks(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const visiting *v = data;
  for (int32_t i = v->group->chunk_start[v->first_chunk + begin]; i < v->group->chunk_start[v->first_chunk + end];
       i += PL_BLOCK_BATCH) {
    int32_t left = v->group->chunk_start[v->first_chunk + end] - i;
    v->visit(v->data, v->group->order + i, left < PL_BLOCK_BATCH ? left : PL_BLOCK_BATCH, NULL);
  }
}

void pl_block_pattern_visit(pl_context *context, const pl_block_pattern *pattern, int32_t group, pl_block_visit *visit,
                            void *data) {
  visiting v = {.group = &pattern->groups[group], .visit = visit, .data = data};
  for (int32_t colour = 0; colour < v.group->colour_count; ++colour) {
    v.first_chunk = v.group->colour_start[colour];
    pl_parallel_for(context, v.group->colour_start[colour + 1] - v.first_chunk, 1, visit_chunks, &v);
  }
}
