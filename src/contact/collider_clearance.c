// How far a point certainly is from a mesh collider, in one look-up.
//
// The exact distance to a mesh costs a walk through its hierarchy, and most so for points far from every triangle. So
// the signed distance is kept at the centres of a coarse grid around the mesh. It changes no faster than the point
// moves: for a point p in the cell of centre c,
//   d(c) - |p - c|  <=  d(p)  <=  d(c) + |p - c|
// and where the bound below already rules out contact, the mesh need not be asked. Otherwise the one above tells how
// far to search. A point outside the grid is also at least as far from the mesh as from the grid.
#include "base/error.h"
#include "base/parallel.h"
#include "contact/collider.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

enum { CELLS_ALONG = 28, CELLS_PER_BLOCK = 256 };

static pl_vec3 center_of(const pl_collider_clearance *grid, int32_t cell) {
  int32_t x = cell % grid->counts[0], y = cell / grid->counts[0] % grid->counts[1],
          z = cell / (grid->counts[0] * grid->counts[1]);
  return pl_vec3_add(grid->min, pl_vec3_scale((pl_vec3){x + 0.5, y + 0.5, z + 0.5}, grid->cell));
}

typedef struct fill_data {
  const pl_triangle_tree *tree;
  const pl_collider_clearance *grid;
  float *distances;
} fill_data;

static void fill_cells(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const fill_data *d = data;
  for (int32_t i = begin; i < end; ++i)
    d->distances[i] = (float)pl_triangle_tree_signed_distance(d->tree, center_of(d->grid, i), HUGE_VAL, NULL, NULL);
}

bool pl_collider_clearance_build(pl_context *context, pl_arena *arena, const pl_triangle_tree *tree, pl_box box,
                                 pl_collider_clearance *grid) {
  pl_vec3 size = pl_vec3_sub(box.max, box.min);
  grid->cell = fmax(fmax(size.x, size.y), size.z) / CELLS_ALONG;
  if (!(grid->cell > 0)) return true;  // a mesh of one point: no grid, every point is asked exactly
  const double sizes[3] = {size.x, size.y, size.z};
  int32_t count = 1;
  for (int i = 0; i < 3; ++i) {
    grid->counts[i] = (int32_t)fmax(1, ceil(sizes[i] / grid->cell));
    count *= grid->counts[i];
  }
  grid->min = box.min;
  float *distances = PL_TAKE(arena, float, count);
  if (distances == NULL) return false;
  pl_parallel_for(context, count, CELLS_PER_BLOCK, fill_cells, &(fill_data){tree, grid, distances});
  grid->distances = distances;
  pl_vec3 around = pl_vec3_sub(box.min, size);
  grid->is_hollow = pl_triangle_tree_signed_distance(tree, around, HUGE_VAL, NULL, NULL) < 0;
  return true;
}

// Without fmin and fmax, whose care for NaN costs a call.
static int32_t cell_along(double position, int32_t count) {
  return position > 0 ? (position < count - 1 ? (int32_t)position : count - 1) : 0;
}

// In cells.
static double beyond_grid(double position, int32_t count) {
  return position < 0 ? -position : position > count ? position - count : 0;
}

double pl_collider_clearance_at(const pl_collider_clearance *grid, pl_vec3 point, double *away) {
  *away = HUGE_VAL;
  if (grid->distances == NULL) return 0;
  pl_vec3 p = pl_vec3_scale(pl_vec3_sub(point, grid->min), 1 / grid->cell);
  // A point outside the grid is compared with the nearest cell.
  int32_t x = cell_along(p.x, grid->counts[0]), y = cell_along(p.y, grid->counts[1]),
          z = cell_along(p.z, grid->counts[2]);
  pl_vec3 center = pl_vec3_add_scaled(grid->min, (pl_vec3){x + 0.5, y + 0.5, z + 0.5}, grid->cell);
  double distance = (double)grid->distances[x + grid->counts[0] * (y + grid->counts[1] * z)];
  // Single precision is off by less than a millionth of the distance.
  *away = pl_vec3_distance(point, center) + 1e-6 * fabs(distance);
  // The mesh is inside the grid, so that a point beyond it is at least as far away as from the grid's box: far out the
  // nearest cell tells little.
  if (grid->is_hollow) return distance;
  pl_vec3 beyond = {beyond_grid(p.x, grid->counts[0]), beyond_grid(p.y, grid->counts[1]),
                    beyond_grid(p.z, grid->counts[2])};
  double low = (1 - 1e-9) * grid->cell * pl_vec3_length(beyond), high = distance + *away;
  if (!(low > 0 && low > distance - *away && low < high)) return distance;
  *away = 0.5 * (high - low);
  return 0.5 * (high + low);
}
