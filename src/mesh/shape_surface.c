// Dual contouring of a sampled shape (Ju, Losasso, Schaefer, Warren 2002), with vertices brought onto the zero set.
//
// Each cell that the surface passes gets one vertex, each cut edge of the grid one quad between the vertices of its
// four cells. A vertex starts where the tangent planes at its cell's cut edges meet best,
//
//   minimise  sum (n_i . (x - p_i))^2      p_i, n_i: point and normal of cut i
//
// solved from the mean of the p_i with the small eigenvalues left out, which finds sharp edges and corners. It then
// goes down the gradient to the surface. Vertices on smooth parts are evened out by tangential averaging, each time
// with a step back onto the surface; vertices at creases move along them only, so that letters and cubes keep their
// edges. Cost: some 25 evaluations of the shape per vertex.
#include "mesh/shape_surface.h"

#include "base/parallel.h"
#include "math/mat3.h"
#include "math/rotation.h"

enum { SMOOTHING_ROUNDS = 4, GRAIN = 256 };

// Lengths in cells.
static const double gradient_step = 0.02;     // small against what the grid can show
static const double landing_distance = 1e-3;  // a vertex this close lies on the surface
static const double crease_step = 0.1;        // range over which a crease is distinguished from a strong curvature

typedef struct cut {
  int32_t node[3];
  int32_t axis;
  bool inside_first;
} cut;

typedef struct maker {
  const pl_shape_grid *grid;
  pl_shape_surface *surface;
  int32_t (*cells)[3];  // of each vertex
  cut *cuts;            // one per quad
  pl_vec3 *cut_points, *cut_normals;
  pl_vec3 *gradients;  // at each vertex, of its last full evaluation
  pl_vec3 *sums;       // of the neighbours of each vertex
  int32_t *sum_counts;
  bool *is_crease;
} maker;

static void block_node(const pl_shape_block *block, int i, int32_t node[3]) {
  node[0] = 4 * block->corner[0] + (i & 3);
  node[1] = 4 * block->corner[1] + (i >> 2 & 3);
  node[2] = 4 * block->corner[2] + (i >> 4);
}

// Number vertices and cut edges in the order of the blocks.
static void number_elements(pl_shape_grid *grid, pl_shape_surface *surface) {
  for (size_t b = 0; b < grid->blocks.count; ++b) {
    pl_shape_block *block = &PL_ITEM(&grid->blocks, pl_shape_block, b);
    for (int i = 0; i < PL_SHAPE_BLOCK_SIZE; ++i) {
      int32_t node[3];
      block_node(block, i, node);
      int corners = pl_shape_grid_corners(grid, node[0], node[1], node[2]);
      if (corners == 0 || corners == 255) continue;
      block->vertices[i] = surface->point_count++;
      for (int axis = 0; axis < 3; ++axis)
        if ((corners & 1) != (corners >> (1 << axis) & 1)) block->edges[i][axis] = surface->quad_count++;
    }
  }
}

static void list_elements(maker *m) {
  for (size_t b = 0; b < m->grid->blocks.count; ++b) {
    const pl_shape_block *block = &PL_ITEM(&m->grid->blocks, pl_shape_block, b);
    for (int i = 0; i < PL_SHAPE_BLOCK_SIZE; ++i) {
      if (block->vertices[i] < 0) continue;
      block_node(block, i, m->cells[block->vertices[i]]);
      for (int axis = 0; axis < 3; ++axis) {
        if (block->edges[i][axis] < 0) continue;
        cut *c = &m->cuts[block->edges[i][axis]];
        block_node(block, i, c->node);
        c->axis = axis;
        c->inside_first = block->values[i] < 0;
      }
    }
  }
}

// Where an edge meets the surface: false position, starting from the samples.
static void find_cuts(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const maker *m = data;
  const pl_shape *shape = m->grid->shape;
  double h = m->grid->cell_size;
  for (int32_t i = begin; i < end; ++i) {
    const cut *c = &m->cuts[i];
    int32_t next[3] = {c->node[0] + (c->axis == 0), c->node[1] + (c->axis == 1), c->node[2] + (c->axis == 2)};
    pl_vec3 a = pl_shape_grid_position(m->grid, c->node[0], c->node[1], c->node[2]);
    pl_vec3 b = pl_shape_grid_position(m->grid, next[0], next[1], next[2]);
    double at_a = (double)pl_shape_grid_value(m->grid, c->node[0], c->node[1], c->node[2]);
    double at_b = (double)pl_shape_grid_value(m->grid, next[0], next[1], next[2]);
    double low = 0, high = 1, t = 0.5;
    for (int round = 0; round < 8; ++round) {
      t = at_a == at_b ? 0.5 * (low + high) : low + (high - low) * at_a / (at_a - at_b);
      if (!(t >= low && t <= high)) t = 0.5 * (low + high);
      double value = pl_shape_value(shape, pl_vec3_lerp(a, b, t));
      if (fabs(value) < landing_distance * h) break;
      if ((value < 0) == (at_a < 0)) {
        low = t;
        at_a = value;
      } else {
        high = t;
        at_b = value;
      }
    }
    m->cut_points[i] = pl_vec3_lerp(a, b, t);
    m->cut_normals[i] =
        pl_vec3_normalize_or(pl_shape_gradient(shape, m->cut_points[i], gradient_step * h), pl_vec3_of(0, 0, 0));
  }
}

// Step onto the surface along the gradient. The first step trusts `gradient`; when that does not land, fresh ones are
// taken. False (and *p as it was) when the surface was not reached: at the bottom of a notch the gradient may lead
// nowhere.
static bool land(const maker *m, pl_vec3 *p, pl_vec3 *gradient) {
  double h = m->grid->cell_size;
  pl_vec3 q = *p, g = *gradient;
  for (int round = 0; round < 6; ++round) {
    double value = pl_shape_value(m->grid->shape, q);
    if (fabs(value) < landing_distance * h) {
      *p = q;
      *gradient = g;
      return true;
    }
    if (round > 0) g = pl_shape_gradient(m->grid->shape, q, gradient_step * h);
    double square = fmax(pl_vec3_dot(g, g), 0.04);
    double step = -value / square, length = fabs(step) * pl_vec3_length(g);
    if (length > 0.5 * h) step *= 0.5 * h / length;
    q = pl_vec3_add_scaled(q, g, step);
  }
  return false;
}

// The twelve edges of a cell: offset of the lower node, axis.
static const int8_t cell_edges[12][4] = {{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 1, 0},
                                         {0, 0, 0, 1}, {1, 0, 0, 1}, {0, 0, 1, 1}, {1, 0, 1, 1},
                                         {0, 0, 0, 2}, {1, 0, 0, 2}, {0, 1, 0, 2}, {1, 1, 0, 2}};

static int gather_cuts(const maker *m, const int32_t cell[3], int32_t cuts[12]) {
  int count = 0;
  for (int e = 0; e < 12; ++e) {
    int slot;
    const int8_t *edge = cell_edges[e];
    const pl_shape_block *block =
        pl_shape_grid_find(m->grid, cell[0] + edge[0], cell[1] + edge[1], cell[2] + edge[2], &slot);
    if (block != NULL && block->edges[slot][edge[3]] >= 0) cuts[count++] = block->edges[slot][edge[3]];
  }
  return count;
}

// The point that fits the tangent planes of the cuts best, no farther than the cell reaches.
static pl_vec3 meet_planes(const maker *m, const int32_t cuts[12], int count, pl_vec3 mean, pl_vec3 middle) {
  pl_mat3 a = pl_mat3_zero();
  pl_vec3 b = {0, 0, 0}, values;
  for (int i = 0; i < count; ++i) {
    pl_vec3 n = m->cut_normals[cuts[i]];
    a = pl_mat3_add(a, pl_mat3_outer(n, n));
    b = pl_vec3_add_scaled(b, n, pl_vec3_dot(n, pl_vec3_sub(m->cut_points[cuts[i]], mean)));
  }
  pl_mat3 vectors;
  pl_symmetric_eigen(a, &values, &vectors);
  double eigen[3] = {values.x, values.y, values.z};
  pl_vec3 p = mean;
  for (int k = 0; k < 3; ++k) {
    pl_vec3 v = pl_mat3_column(vectors, k);
    if (eigen[k] > 0.05 * eigen[0]) p = pl_vec3_add_scaled(p, v, pl_vec3_dot(v, b) / eigen[k]);
  }
  double half = 0.9 * m->grid->cell_size;
  return pl_vec3_max(pl_vec3_min(p, pl_vec3_add(middle, pl_vec3_of(half, half, half))),
                     pl_vec3_sub(middle, pl_vec3_of(half, half, half)));
}

// Whether the surface has a crease at p: second differences across it do not fade with the step as those of a curved
// surface do.
static bool has_crease(const maker *m, pl_vec3 p) {
  double step = crease_step * m->grid->cell_size, center = pl_shape_value(m->grid->shape, p), max = 0;
  for (int axis = 0; axis < 3; ++axis) {
    pl_vec3 offset = {axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0};
    double sum =
        pl_shape_value(m->grid->shape, pl_vec3_add(p, offset)) + pl_shape_value(m->grid->shape, pl_vec3_sub(p, offset));
    max = fmax(max, fabs(sum - 2 * center));
  }
  return max > 0.3 * step;
}

// The cut point that lies closest to the surface: where a cell really has an inside and an outside corner, one of them
// is on it.
static pl_vec3 best_cut_point(const maker *m, const int32_t cuts[12], int count) {
  pl_vec3 best = m->cut_points[cuts[0]];
  double min = HUGE_VAL;
  for (int k = 0; k < count; ++k) {
    double value = fabs(pl_shape_value(m->grid->shape, m->cut_points[cuts[k]]));
    if (value < min) best = m->cut_points[cuts[k]];
    min = fmin(min, value);
  }
  return best;
}

static void position_vertices(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const maker *m = data;
  double h = m->grid->cell_size;
  for (int32_t i = begin; i < end; ++i) {
    int32_t cuts[12];
    const int32_t *cell = m->cells[i];
    int count = gather_cuts(m, cell, cuts);
    pl_vec3 mean = {0, 0, 0}, normal = {0, 0, 0};
    for (int k = 0; k < count; ++k) {
      mean = pl_vec3_add(mean, m->cut_points[cuts[k]]);
      normal = pl_vec3_add(normal, m->cut_normals[cuts[k]]);
    }
    mean = pl_vec3_scale(mean, 1.0 / count);
    normal = pl_vec3_normalize_or(normal, pl_vec3_of(0, 0, 0));
    double agreement = 1;
    for (int k = 0; k < count; ++k) agreement = fmin(agreement, pl_vec3_dot(normal, m->cut_normals[cuts[k]]));
    pl_vec3 middle =
        pl_vec3_add(pl_shape_grid_position(m->grid, cell[0], cell[1], cell[2]), pl_vec3_of(0.5 * h, 0.5 * h, 0.5 * h));
    bool spread = agreement < 0.92;
    pl_vec3 p = spread ? meet_planes(m, cuts, count, mean, middle) : mean, gradient = normal;
    // Where the grid is too coarse for the shape the way down may lead far off; the cut edges are certain to be near
    // the surface.
    if (!land(m, &p, &gradient) || !(pl_vec3_distance(p, middle) < 1.5 * h)) {
      p = mean;
      if (!land(m, &p, &gradient)) p = best_cut_point(m, cuts, count);
      land(m, &p, &gradient);
    }
    m->surface->points[i] = p;
    m->gradients[i] = gradient;
    m->is_crease[i] = spread && has_crease(m, p);
  }
}

static void list_quads(const maker *m) {
  for (int32_t i = 0; i < m->surface->quad_count; ++i) {
    const cut *c = &m->cuts[i];
    int u = (c->axis + 1) % 3, v = (c->axis + 2) % 3;
    // Around the edge, counter-clockwise seen from its far end.
    static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
    for (int k = 0; k < 4; ++k) {
      int32_t cell[3] = {c->node[0], c->node[1], c->node[2]};
      cell[u] -= around[k][0];
      cell[v] -= around[k][1];
      int slot;
      const pl_shape_block *block = pl_shape_grid_find(m->grid, cell[0], cell[1], cell[2], &slot);
      m->surface->quads[4 * i + (c->inside_first ? k : 3 - k)] = block->vertices[slot];
    }
  }
}

static void add_neighbour(const maker *m, int32_t to, int32_t neighbour) {
  // A crease has neighbours along the crease only.
  if (m->is_crease[to] && !m->is_crease[neighbour]) return;
  m->sums[to] = pl_vec3_add(m->sums[to], m->surface->points[neighbour]);
  m->sum_counts[to]++;
}

// Each neighbour counts twice, once for each quad at the edge between.
static void sum_neighbours(const maker *m) {
  for (int32_t i = 0; i < m->surface->point_count; ++i) {
    m->sums[i] = pl_vec3_of(0, 0, 0);
    m->sum_counts[i] = 0;
  }
  for (int32_t i = 0; i < m->surface->quad_count; ++i)
    for (int k = 0; k < 4; ++k) {
      int32_t a = m->surface->quads[4 * i + k], b = m->surface->quads[4 * i + (k + 1) % 4];
      add_neighbour(m, a, b);
      add_neighbour(m, b, a);
    }
}

static void smooth_vertices(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const maker *m = data;
  for (int32_t i = begin; i < end; ++i) {
    // Creases slide along themselves between two neighbours; their ends and corners stay.
    bool crease = m->is_crease[i];
    if (crease ? m->sum_counts[i] != 4 : m->sum_counts[i] == 0) continue;
    pl_vec3 p = m->surface->points[i], n = pl_vec3_normalize_or(m->gradients[i], pl_vec3_of(0, 0, 0));
    pl_vec3 move = pl_vec3_sub(pl_vec3_scale(m->sums[i], 1.0 / m->sum_counts[i]), p);
    if (!crease) move = pl_vec3_add_scaled(move, n, -pl_vec3_dot(n, move));
    pl_vec3 q = pl_vec3_add_scaled(p, move, 0.6), gradient = m->gradients[i];
    if (!land(m, &q, &gradient) || !(pl_vec3_distance(p, q) < m->grid->cell_size) || (crease && !has_crease(m, q)))
      continue;
    m->surface->points[i] = q;
    m->gradients[i] = gradient;
  }
}

static double min_angle_sine(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
  double u = pl_vec3_distance(b, c), v = pl_vec3_distance(c, a), w = pl_vec3_distance(a, b);
  double doubled = pl_vec3_length(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a)));
  double longest = fmax(u, fmax(v, w)), min = fmin(u, fmin(v, w));
  // The least angle lies opposite to the shortest side, between the two longer ones.
  double middle = u + v + w - longest - min;
  return longest > 0 && middle > 0 ? doubled / (longest * middle) : 0;
}

// Split each quad along the diagonal that lies closer to the surface, or, where both do, the one with the larger least
// angle.
static void split_quads(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const maker *m = data;
  const pl_shape *shape = m->grid->shape;
  double h = m->grid->cell_size;
  for (int32_t i = begin; i < end; ++i) {
    const int32_t *q = &m->surface->quads[4 * i];
    pl_vec3 p[4];
    for (int k = 0; k < 4; ++k) p[k] = m->surface->points[q[k]];
    double even = fabs(pl_shape_value(shape, pl_vec3_lerp(p[0], p[2], 0.5)));
    double odd = fabs(pl_shape_value(shape, pl_vec3_lerp(p[1], p[3], 0.5)));
    bool first;
    if (fabs(even - odd) > 0.05 * h)
      first = even < odd;
    else
      first = fmin(min_angle_sine(p[0], p[1], p[2]), min_angle_sine(p[0], p[2], p[3])) >=
              fmin(min_angle_sine(p[0], p[1], p[3]), min_angle_sine(p[1], p[2], p[3]));
    static const int splits[2][6] = {{0, 1, 3, 1, 2, 3}, {0, 1, 2, 0, 2, 3}};
    for (int k = 0; k < 6; ++k) m->surface->triangles[6 * i + k] = q[splits[first][k]];
  }
}

static bool take_arrays(maker *m, pl_arena *arena) {
  pl_shape_surface *s = m->surface;
  s->points = PL_TAKE(arena, pl_vec3, s->point_count);
  s->quads = PL_TAKE(arena, int32_t, 4 * (size_t)s->quad_count);
  s->triangles = PL_TAKE(arena, int32_t, 6 * (size_t)s->quad_count);
  m->cells = pl_arena_take(arena, (size_t)s->point_count, sizeof *m->cells);
  m->cuts = PL_TAKE(arena, cut, s->quad_count);
  m->cut_points = PL_TAKE(arena, pl_vec3, s->quad_count);
  m->cut_normals = PL_TAKE(arena, pl_vec3, s->quad_count);
  m->gradients = PL_TAKE(arena, pl_vec3, s->point_count);
  m->sums = PL_TAKE(arena, pl_vec3, s->point_count);
  m->sum_counts = PL_TAKE(arena, int32_t, s->point_count);
  m->is_crease = PL_TAKE(arena, bool, s->point_count);
  return !arena->failed;
}

bool pl_shape_surface_make(pl_shape_surface *surface, pl_arena *arena, pl_shape_grid *grid) {
  *surface = (pl_shape_surface){0};
  number_elements(grid, surface);
  maker m = {.grid = grid, .surface = surface};
  if (!take_arrays(&m, arena)) return false;
  list_elements(&m);
  list_quads(&m);
  pl_parallel_for(grid->context, surface->quad_count, GRAIN, find_cuts, &m);
  pl_parallel_for(grid->context, surface->point_count, GRAIN, position_vertices, &m);
  for (int round = 0; round < SMOOTHING_ROUNDS; ++round) {
    sum_neighbours(&m);
    pl_parallel_for(grid->context, surface->point_count, GRAIN, smooth_vertices, &m);
  }
  pl_parallel_for(grid->context, surface->quad_count, GRAIN, split_quads, &m);
  return true;
}
