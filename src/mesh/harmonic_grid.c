// The Laplace equation inside a cage on a regular grid.
//
// The volume is filled by a grid rather than by tets. A mesh of tets whose boundary is not the cage itself puts the
// cage's values in the wrong places, and linear functions, which the weights must reproduce, come out wrong by the
// width of an element; making tets that meet the cage exactly is a problem of its own. On a grid, a node's arm towards
// a neighbour is cut where it meets the cage, at a known position with a known value, and the equation of the node is
// the sum over its arms of (value at the end - value here) / length of the arm = 0 (Gibou, Fedkiw, Cheng and Kang
// 2002). That is symmetric and second-order exact. Each pair of opposite arms gives the same slope twice for a linear
// function, so these solve the equation to the last digit; and all coefficients of the ends are positive, so that no
// value is below the least or above the largest on the cage. Weights at the nodes are therefore non-negative, sum to 1
// and reproduce linear functions however coarse the grid is.
//
// Between nodes the same holds by going along x from the point to both sides, to the next plane of nodes or to the cage
// if that is nearer; from the ends on the planes along y, and from the ends there along z. Each step is a mean of two
// ends that is exact for linear functions. Away from the cage this is trilinear interpolation.
#include "mesh/harmonic_grid.h"

#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "pliant/math.h"

enum { GRAIN = 256, MAX_NODES = 1 << 26 };

// Arms are not shorter than this fraction of the spacing: the matrix stays well scaled, and what is wrong in a linear
// function is less than this times the spacing.
static const double SHORTEST_ARM = 1e-6;

static void lay_grid(pl_harmonic_grid *grid, int32_t node_count) {
  pl_vec3 extent = pl_vec3_sub(grid->cage->box.max, grid->cage->box.min), center = pl_box_center(grid->cage->box);
  const double extents[3] = {extent.x, extent.y, extent.z}, centers[3] = {center.x, center.y, center.z};
  int32_t dimension = grid->cage->dimension;
  double h =
      dimension == 2 ? sqrt(extent.x * extent.y / node_count) : cbrt(extent.x * extent.y * extent.z / node_count);
  for (;; h *= 1.1) {
    // One node more than half a spacing beyond the box on either side: no node lies on the sides of a box that is a
    // cage.
    double total = 1;
    for (int32_t axis = 0; axis < dimension; ++axis) total *= ceil(extents[axis] / h - 1e-9) + 2;
    if (total <= 1000 + 8.0 * node_count) break;
  }
  grid->spacing = h;
  for (int32_t axis = 0; axis < 3; ++axis) {
    grid->counts[axis] = axis < dimension ? (int32_t)ceil(extents[axis] / h - 1e-9) + 2 : 1;
    grid->origin[axis] = centers[axis] - 0.5 * (grid->counts[axis] - 1) * h;
  }
}

static pl_vec3 node_point(const pl_harmonic_grid *grid, const int32_t at[3]) {
  const double *o = grid->origin;
  return pl_vec3_of(o[0] + at[0] * grid->spacing, o[1] + at[1] * grid->spacing, o[2] + at[2] * grid->spacing);
}

static int32_t node_index(const pl_harmonic_grid *grid, const int32_t at[3]) {
  return (at[2] * grid->counts[1] + at[1]) * grid->counts[0] + at[0];
}

static void node_position(const pl_harmonic_grid *grid, int32_t node, int32_t at[3]) {
  at[0] = node % grid->counts[0];
  at[1] = node / grid->counts[0] % grid->counts[1];
  at[2] = node / grid->counts[0] / grid->counts[1];
}

static void mark_nodes(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_harmonic_grid *grid = data;
  for (int32_t node = begin; node < end; ++node) {
    int32_t at[3];
    node_position(grid, node, at);
    grid->rows[node] = pl_harmonic_cage_holds(grid->cage, node_point(grid, at)) ? 0 : -1;
  }
}

static bool pull(pl_harmonic_grid *grid, int32_t row, const pl_cage_position *position) {
  double arm = fmax(position->distance / grid->spacing, SHORTEST_ARM);
  for (int32_t i = 0; i < 3; ++i) {
    if (!(position->weights[i] > 0)) continue;
    const pl_harmonic_pull one = {row, position->vertices[i], position->weights[i] / arm};
    if (!pl_vector_push(&grid->pulls, &one)) return false;
  }
  return true;
}

// The arm between a node and the next one along an axis: whole, or cut for both.
static bool join_nodes(pl_harmonic_grid *grid, const int32_t at[3], int32_t axis, pl_vector *links) {
  int32_t next[3] = {at[0], at[1], at[2]};
  next[axis]++;
  const int32_t pair[2] = {grid->rows[node_index(grid, at)], grid->rows[node_index(grid, next)]};
  if (pair[0] < 0 && pair[1] < 0) return true;
  pl_vec3 low = node_point(grid, at), high = node_point(grid, next);
  double h = grid->spacing;
  pl_cage_position up = pl_harmonic_cage_cross(grid->cage, low, axis, 1, h),
                   down = pl_harmonic_cage_cross(grid->cage, high, axis, -1, h);
  if (!up.found && !down.found) {
    if (pair[0] >= 0 && pair[1] >= 0) return pl_vector_push(links, pair);
    // Inside on one side only and yet no cage between: the line slips through an edge of the cage by rounding.
    up = down = pl_harmonic_cage_nearest(grid->cage, pair[0] < 0 ? low : high);
    up.distance = down.distance = h;
  }
  if (!up.found) {
    up = down;
    up.distance = h - down.distance;
  } else if (!down.found) {
    down = up;
    down.distance = h - up.distance;
  }
  return (pair[0] < 0 || pull(grid, pair[0], &up)) && (pair[1] < 0 || pull(grid, pair[1], &down));
}

static bool join_all(pl_harmonic_grid *grid, int32_t node_count, pl_vector *links) {
  for (int32_t node = 0; node < node_count; ++node) {
    int32_t at[3];
    node_position(grid, node, at);
    for (int32_t axis = 0; axis < grid->cage->dimension; ++axis)
      if (at[axis] + 1 < grid->counts[axis] && !join_nodes(grid, at, axis, links)) return false;
  }
  return true;
}

static bool make_matrix(pl_harmonic_grid *grid, pl_arena *arena, const pl_vector *links) {
  pl_sparse *matrix = &grid->matrix;
  int32_t link_count = (int32_t)links->count;
  if (grid->row_count == 0) return true;
  if (!pl_sparse_create(arena, links->items, link_count, 2, grid->row_count, matrix)) return false;
  for (int32_t i = 0; i < link_count; ++i) {
    const int32_t *pair = &PL_ITEM(links, int32_t, 2 * i);
    for (int32_t side = 0; side < 2; ++side) {
      matrix->values[matrix->diagonal[pair[side]]] += 1;
      matrix->values[pl_sparse_find(matrix, pair[side], pair[1 - side])] -= 1;
    }
  }
  for (size_t i = 0; i < grid->pulls.count; ++i) {
    const pl_harmonic_pull *one = &PL_ITEM(&grid->pulls, pl_harmonic_pull, i);
    matrix->values[matrix->diagonal[one->row]] += one->coefficient;
  }
  return true;
}

pl_status pl_harmonic_grid_build(pl_harmonic_grid *grid, pl_arena *arena, const pl_harmonic_cage *cage,
                                 int32_t node_count, pl_error *error) {
  *grid = (pl_harmonic_grid){.cage = cage, .pulls = pl_vector_of(arena->context, sizeof(pl_harmonic_pull))};
  if (node_count > MAX_NODES / 16)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "%d grid nodes are too many: at most %d", node_count,
                   MAX_NODES / 16);
  lay_grid(grid, node_count);
  int32_t total = grid->counts[0] * grid->counts[1] * grid->counts[2];
  grid->rows = PL_TAKE(arena, int32_t, total);
  if (grid->rows == NULL) return pl_fail_memory(error);
  pl_parallel_for(arena->context, total, GRAIN, mark_nodes, grid);
  for (int32_t node = 0; node < total; ++node)
    if (grid->rows[node] == 0) grid->rows[node] = grid->row_count++;
  pl_vector links = pl_vector_of(arena->context, 2 * sizeof(int32_t));
  bool done = join_all(grid, total, &links) && make_matrix(grid, arena, &links);
  pl_vector_free(&links);
  return done ? PL_OK : pl_fail_memory(error);
}

static bool add_position(const pl_cage_position *position, double weight, pl_vector *terms) {
  for (int32_t i = 0; i < 3; ++i) {
    const pl_harmonic_term term = {-1, position->vertices[i], weight * position->weights[i]};
    if (term.weight > 0 && !pl_vector_push(terms, &term)) return false;
  }
  return true;
}

// The point lies on planes of nodes of all axes before `axis`, number at[] of each.
static bool gather_along(const pl_harmonic_grid *grid, const double point[3], int32_t axis, int32_t at[3],
                         double weight, pl_vector *terms) {
  pl_vec3 here = pl_vec3_of(point[0], point[1], point[2]);
  if (axis == grid->cage->dimension) {
    const pl_harmonic_term term = {grid->rows[node_index(grid, at)], 0, weight};
    if (term.row >= 0) return pl_vector_push(terms, &term);
    pl_cage_position position = pl_harmonic_cage_nearest(grid->cage, here);
    return add_position(&position, weight, terms);
  }
  double h = grid->spacing, offset = (point[axis] - grid->origin[axis]) / h;
  int32_t low = (int32_t)fmin(fmax(floor(offset), 0), grid->counts[axis] - 2);
  double along = fmin(fmax(offset - low, 0), 1);
  const double ways[2] = {along * h, (1 - along) * h};
  pl_cage_position ends[2];
  double lengths[2];
  for (int32_t side = 0; side < 2; ++side) {
    ends[side] = pl_harmonic_cage_cross(grid->cage, here, axis, side == 0 ? -1 : 1, ways[side]);
    lengths[side] = ends[side].found ? ends[side].distance : ways[side];
  }
  double both = lengths[0] + lengths[1];
  for (int32_t side = 0; side < 2; ++side) {
    double fraction = both > 0 ? lengths[1 - side] / both : 0.5;
    if (!(fraction > 0)) continue;
    double end[3] = {point[0], point[1], point[2]};
    at[axis] = low + side;
    end[axis] = grid->origin[axis] + at[axis] * h;
    bool added = ends[side].found ? add_position(&ends[side], weight * fraction, terms)
                                  : gather_along(grid, end, axis + 1, at, weight * fraction, terms);
    if (!added) return false;
  }
  return true;
}

bool pl_harmonic_grid_gather(const pl_harmonic_grid *grid, pl_vec3 point, pl_vector *terms) {
  const double start[3] = {point.x, point.y, point.z};
  int32_t at[3] = {0, 0, 0};
  return gather_along(grid, start, 0, at, 1, terms);
}
