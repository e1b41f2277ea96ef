// Sparse sampling of a shape, and the repair that makes its surface a manifold.
//
// Sampling descends an octree breadth first: a box whose centre is farther from the surface than its corners is settled
// as a whole. Each level is evaluated in parallel and split in order, so the blocks come in the same order for any
// number of threads.
//
// The surface to come has one vertex per cell and one quad per cut edge: it is the boundary of the union of cubes
// around the inside nodes. That boundary is a closed 2-manifold unless inside cubes touch only along an edge or only at
// a corner (Latecki, "well-composed" sets). The repair turns outside nodes of such places to inside, nearest to the
// surface first, which also keeps thin parts in one piece. It only ever adds nodes, so it ends.
#include "mesh/shape_grid.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/parallel.h"

// A node this near to the surface (in cells) counts as inside. Without it, rounding noise would give faces that lie
// exactly on the grid a ragged sign pattern.
static const double inside_bias = 1e-5;

// Empty cells kept around the shape's box: repair must not reach the end of the grid.
enum { MARGIN = 3 };

// Bounds on memory: places of the block table, and sampled blocks.
enum { MAX_POSITIONS = 1 << 25, MAX_BLOCK = 1 << 21 };

typedef struct octant {
  int32_t corner[3], level;  // position in octants of this level; an octant of level n is 2^n blocks wide
} octant;

typedef struct sampling {
  pl_shape_grid *grid;
  const octant *octants;
  double *values;
  int32_t first_block;
} sampling;

static pl_vec3 octant_center(const pl_shape_grid *grid, const octant *o) {
  int32_t width = PL_SHAPE_BLOCK_EDGE << o->level;
  double middle = 0.5 * (width - 1), h = grid->cell_size;
  return pl_vec3_of(grid->origin.x + h * (o->corner[0] * width + middle),
                    grid->origin.y + h * (o->corner[1] * width + middle),
                    grid->origin.z + h * (o->corner[2] * width + middle));
}

// Half the diagonal of the octant's nodes and one cell more all around, so that cells and edges that begin here are
// covered.
static double octant_radius(const pl_shape_grid *grid, const octant *o) {
  int32_t width = PL_SHAPE_BLOCK_EDGE << o->level;
  return sqrt(3.0) * (0.5 * (width - 1) + 1 + inside_bias) * grid->cell_size;
}

static void evaluate_octants(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const sampling *s = data;
  for (int32_t i = begin; i < end; ++i)
    s->values[i] = pl_shape_value(s->grid->shape, octant_center(s->grid, &s->octants[i]));
}

static size_t slot_index(const pl_shape_grid *grid, int32_t x, int32_t y, int32_t z) {
  return ((size_t)z * (size_t)grid->block_counts[1] + (size_t)y) * (size_t)grid->block_counts[0] + (size_t)x;
}

static void fill_inside(pl_shape_grid *grid, const octant *o) {
  int32_t min[3], max[3];
  for (int a = 0; a < 3; ++a) {
    min[a] = o->corner[a] << o->level;
    max[a] = (o->corner[a] + 1) << o->level;
    if (max[a] > grid->block_counts[a]) max[a] = grid->block_counts[a];
  }
  for (int32_t z = min[2]; z < max[2]; ++z)
    for (int32_t y = min[1]; y < max[1]; ++y)
      for (int32_t x = min[0]; x < max[0]; ++x) grid->block_of[slot_index(grid, x, y, z)] = PL_SHAPE_INSIDE;
}

static bool add_block(pl_shape_grid *grid, const int32_t corner[3]) {
  pl_shape_block *block = pl_vector_grow(&grid->blocks, 1);
  if (block == NULL) return false;
  memcpy(block->corner, corner, sizeof block->corner);
  memset(block->vertices, -1, sizeof block->vertices);
  memset(block->edges, -1, sizeof block->edges);
  grid->block_of[slot_index(grid, corner[0], corner[1], corner[2])] = (int32_t)grid->blocks.count - 1;
  return true;
}

// Settle octants, or hand their eighths to the next level (at level 0: make them blocks).
static bool split_octants(pl_shape_grid *grid, const pl_vector *level, const double *values, pl_vector *next) {
  for (size_t i = 0; i < level->count; ++i) {
    const octant *o = &PL_ITEM(level, octant, i);
    if (fabs(values[i]) > octant_radius(grid, o)) {
      if (values[i] < 0) fill_inside(grid, o);
    } else if (o->level == 0) {
      if (!add_block(grid, o->corner)) return false;
    } else {
      for (int c = 0; c < 8; ++c) {
        octant child = {{2 * o->corner[0] + (c & 1), 2 * o->corner[1] + (c >> 1 & 1), 2 * o->corner[2] + (c >> 2)},
                        o->level - 1};
        bool within = true;
        for (int a = 0; a < 3; ++a) within = within && child.corner[a] << child.level < grid->block_counts[a];
        if (within && !pl_vector_push(next, &child)) return false;
      }
    }
  }
  return true;
}

static pl_status find_blocks(pl_shape_grid *grid, pl_error *error) {
  pl_vector level = pl_vector_of(grid->context, sizeof(octant)), next = level;
  octant root = {{0, 0, 0}, 0};
  for (int a = 0; a < 3; ++a)
    while (1 << root.level < grid->block_counts[a]) root.level++;
  bool good = pl_vector_push(&level, &root);
  while (good && level.count > 0 && level.count <= MAX_BLOCK) {
    double *values = pl_allocate_array(grid->context, level.count, sizeof(double));
    good = values != NULL;
    if (good) {
      pl_parallel_for(grid->context, (int32_t)level.count, 64, evaluate_octants,
                      &(sampling){.grid = grid, .octants = level.items, .values = values});
      good = split_octants(grid, &level, values, &next);
    }
    pl_release(grid->context, values);
    pl_vector swap = level;
    level = next;
    next = swap;
    next.count = 0;
  }
  bool too_many = level.count > MAX_BLOCK;
  pl_vector_free(&level);
  pl_vector_free(&next);
  if (!good) return pl_fail_memory(error);
  if (too_many)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "cell_size",
                         "so small that the surface needs too much memory");
  return PL_OK;
}

static void sample_blocks(void *data, int32_t begin, int32_t end, int32_t block_number) {
  (void)block_number;
  const sampling *s = data;
  double bias = inside_bias * s->grid->cell_size;
  for (int32_t b = s->first_block + begin; b < s->first_block + end; ++b) {
    pl_shape_block *block = &PL_ITEM(&s->grid->blocks, pl_shape_block, b);
    for (int i = 0; i < PL_SHAPE_BLOCK_SIZE; ++i) {
      pl_vec3 p = pl_shape_grid_position(s->grid, 4 * block->corner[0] + (i & 3), 4 * block->corner[1] + (i >> 2 & 3),
                                         4 * block->corner[2] + (i >> 4));
      block->values[i] = (float)(pl_shape_value(s->grid->shape, p) - bias);
    }
  }
}

pl_status pl_shape_grid_sample(pl_shape_grid *grid, pl_context *context, const pl_shape *shape, double cell_size,
                               pl_error *error) {
  *grid = (pl_shape_grid){.context = context, .shape = shape, .cell_size = cell_size};
  grid->blocks = pl_vector_of(context, sizeof(pl_shape_block));
  pl_box box = pl_shape_node_placed_box(shape, shape->node_count - 1);
  pl_vec3 center = pl_box_center(box), size = pl_vec3_sub(box.max, box.min);
  double sizes[3] = {size.x, size.y, size.z}, corners = 1;
  for (int a = 0; a < 3; ++a) {
    double nodes = ceil(sizes[a] / cell_size) + 2 * MARGIN;
    double blocks = ceil(nodes / PL_SHAPE_BLOCK_EDGE);
    corners *= blocks;
    if (!(corners <= MAX_POSITIONS))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "cell_size",
                           "%g m is too small for a shape that is %g m large", cell_size,
                           fmax(sizes[0], fmax(sizes[1], sizes[2])));
    grid->block_counts[a] = (int32_t)blocks;
  }
  // Centred, so that symmetric shapes get symmetric meshes.
  pl_vec3 half =
      pl_vec3_of(4 * grid->block_counts[0] - 1, 4 * grid->block_counts[1] - 1, 4 * grid->block_counts[2] - 1);
  grid->origin = pl_vec3_add_scaled(center, half, -0.5 * cell_size);
  grid->block_of = pl_allocate(context, (size_t)corners * sizeof(int32_t));
  if (grid->block_of == NULL) return pl_fail_memory(error);
  memset(grid->block_of, -1, (size_t)corners * sizeof(int32_t));
  pl_status status = find_blocks(grid, error);
  if (status == PL_OK)
    pl_parallel_for(context, (int32_t)grid->blocks.count, 8, sample_blocks, &(sampling){.grid = grid});
  return status;
}

void pl_shape_grid_free(pl_shape_grid *grid) {
  pl_release(grid->context, grid->block_of);
  grid->block_of = NULL;
  pl_vector_free(&grid->blocks);
}

static int32_t find_number(const pl_shape_grid *grid, int32_t x, int32_t y, int32_t z) {
  int32_t bx = x >> 2, by = y >> 2, bz = z >> 2;
  if (x < 0 || y < 0 || z < 0 || bx >= grid->block_counts[0] || by >= grid->block_counts[1] ||
      bz >= grid->block_counts[2])
    return PL_SHAPE_OUTSIDE;
  return grid->block_of[slot_index(grid, bx, by, bz)];
}

static int slot_of(int32_t x, int32_t y, int32_t z) {
  return (x & 3) | (y & 3) << 2 | (z & 3) << 4;
}

pl_shape_block *pl_shape_grid_find(const pl_shape_grid *grid, int32_t x, int32_t y, int32_t z, int *slot) {
  int32_t number = find_number(grid, x, y, z);
  *slot = slot_of(x, y, z);
  return number < 0 ? NULL : &PL_ITEM(&grid->blocks, pl_shape_block, number);
}

float pl_shape_grid_value(const pl_shape_grid *grid, int32_t x, int32_t y, int32_t z) {
  int32_t number = find_number(grid, x, y, z);
  if (number < 0) return number == PL_SHAPE_INSIDE ? -1.0f : 1.0f;
  return PL_ITEM(&grid->blocks, pl_shape_block, number).values[slot_of(x, y, z)];
}

int pl_shape_grid_corners(const pl_shape_grid *grid, int32_t x, int32_t y, int32_t z) {
  int corners = 0;
  if ((x & 3) < 3 && (y & 3) < 3 && (z & 3) < 3) {
    // All corners in one block: the usual case, worth a shorter way.
    int slot;
    const pl_shape_block *block = pl_shape_grid_find(grid, x, y, z, &slot);
    if (block == NULL) return find_number(grid, x, y, z) == PL_SHAPE_INSIDE ? 255 : 0;
    for (int c = 0; c < 8; ++c) corners |= (block->values[slot + (c & 1) + (c >> 1 & 1) * 4 + (c >> 2) * 16] < 0) << c;
    return corners;
  }
  for (int c = 0; c < 8; ++c)
    corners |= (pl_shape_grid_value(grid, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)) < 0) << c;
  return corners;
}

int32_t pl_shape_grid_count_cuts(const pl_shape_grid *grid) {
  int64_t count = 0;
  for (size_t b = 0; b < grid->blocks.count; ++b) {
    const pl_shape_block *block = &PL_ITEM(&grid->blocks, pl_shape_block, b);
    for (int i = 0; i < PL_SHAPE_BLOCK_SIZE; ++i) {
      int32_t x = 4 * block->corner[0] + (i & 3), y = 4 * block->corner[1] + (i >> 2 & 3),
              z = 4 * block->corner[2] + (i >> 4);
      bool inside = block->values[i] < 0;
      count += (pl_shape_grid_value(grid, x + 1, y, z) < 0) != inside;
      count += (pl_shape_grid_value(grid, x, y + 1, z) < 0) != inside;
      count += (pl_shape_grid_value(grid, x, y, z + 1) < 0) != inside;
    }
  }
  return count > INT32_MAX ? INT32_MAX : (int32_t)count;
}

// Outside corners of a cell that make its surface touch itself; 0 when all is well.
static int critical_corners(int corners) {
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, low = side << axis;
      int first = 1 << low | 1 << (low | u | v), second = 1 << (low | u) | 1 << (low | v);
      int face = corners & (first | second);
      if (face == first) return second;
      if (face == second) return first;
    }
  for (int c = 0; c < 4; ++c) {
    int pair = 1 << c | 1 << (7 - c);
    if (corners == pair) return 255 & ~pair;
    if (corners == (255 & ~pair)) return pair;
  }
  return 0;
}

// Sample the block of a node after all, as nodes in it are about to matter.
static bool ensure_block(pl_shape_grid *grid, int32_t x, int32_t y, int32_t z) {
  if (find_number(grid, x, y, z) >= 0) return true;
  int32_t corner[3] = {x >> 2, y >> 2, z >> 2};
  if (!add_block(grid, corner)) return false;
  sample_blocks(&(sampling){.grid = grid, .first_block = (int32_t)grid->blocks.count - 1}, 0, 1, 0);
  return true;
}

typedef struct cell_position {
  int32_t at[3];
} cell_position;

static bool flip_node(pl_shape_grid *grid, const cell_position *node, pl_vector *queue) {
  for (int c = 0; c < 8; ++c) {
    cell_position cell = {{node->at[0] - (c & 1), node->at[1] - (c >> 1 & 1), node->at[2] - (c >> 2)}};
    if (!ensure_block(grid, cell.at[0], cell.at[1], cell.at[2]) || !pl_vector_push(queue, &cell)) return false;
  }
  int slot;
  pl_shape_block *block = pl_shape_grid_find(grid, node->at[0], node->at[1], node->at[2], &slot);
  block->values[slot] = (float)(-inside_bias * grid->cell_size);
  return true;
}

static bool repair_cell(pl_shape_grid *grid, const cell_position *cell, pl_vector *queue) {
  int critical = critical_corners(pl_shape_grid_corners(grid, cell->at[0], cell->at[1], cell->at[2]));
  if (critical == 0) return true;
  cell_position best = *cell;
  float min = INFINITY;
  for (int c = 0; c < 8; ++c) {
    if (!(critical >> c & 1)) continue;
    cell_position node = {{cell->at[0] + (c & 1), cell->at[1] + (c >> 1 & 1), cell->at[2] + (c >> 2)}};
    bool border = false;
    for (int a = 0; a < 3; ++a) border = border || node.at[a] < 1 || node.at[a] > 4 * grid->block_counts[a] - 2;
    float value = pl_shape_grid_value(grid, node.at[0], node.at[1], node.at[2]);
    if (border || value >= min) continue;
    best = node;
    min = value;
  }
  return min == INFINITY || flip_node(grid, &best, queue);
}

bool pl_shape_grid_repair(pl_shape_grid *grid) {
  pl_vector queue = pl_vector_of(grid->context, sizeof(cell_position));
  bool good = true;
  size_t block_count = grid->blocks.count;
  for (size_t b = 0; b < block_count && good; ++b) {
    const pl_shape_block *block = &PL_ITEM(&grid->blocks, pl_shape_block, b);
    int32_t corner[3] = {4 * block->corner[0], 4 * block->corner[1], 4 * block->corner[2]};
    for (int i = 0; i < PL_SHAPE_BLOCK_SIZE && good; ++i) {
      cell_position cell = {{corner[0] + (i & 3), corner[1] + (i >> 2 & 3), corner[2] + (i >> 4)}};
      if (critical_corners(pl_shape_grid_corners(grid, cell.at[0], cell.at[1], cell.at[2])) != 0)
        good = pl_vector_push(&queue, &cell);
    }
  }
  for (size_t i = 0; i < queue.count && good; ++i) {
    cell_position cell = PL_ITEM(&queue, cell_position, i);
    good = repair_cell(grid, &cell, &queue);
    // A cell may be critical in more than one place: flipping pushes it again.
  }
  pl_vector_free(&queue);
  return good;
}
