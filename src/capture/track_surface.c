// A surface from the first cloud: what there is to track before anybody made a mesh.
//
// Points are averaged in cubic cells, which takes out most of the noise; cells with few points, and those that do not
// hang together with the others, are outliers. A cell's normal n_i is the direction in which the points around it
// spread least, turned towards the cameras that saw them. What is inside has a generalised winding number above a half
// (Barill, Dickson, Schmidt, Levin, Jacobson 2018),
//
//   w(q) = Σ_i a_i n_i·(p_i - q) / (4π |p_i - q|³)          a_i: area of the surface in the cell
//
// which also closes what no camera saw. The surface is that of w = 1/2, one vertex in each cell it passes (surface
// nets), brought onto the planes of the cells around it. A body without any inside at this resolution is a sheet: its
// surface is a height over the plane that fits the points best.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "capture/track_parts.h"
#include "math/rotation.h"

enum {
  ACROSS = 48,
  COARSE = 24,
  POINTS_PER_CELL = 6,
  MARGIN = 3,
  MIN_CELLS = 50,
  MAX_NODES = 1 << 24,
  GRAIN = 64,
  LANDINGS = 3
};
static const double TAIL = 0.03;       // of the points at either end of an axis that may be outliers
static const double FEW = 0.2;         // of the median of points in a cell
static const double TWO_SIDED = 0.3;   // of the cells of a sheet: seen from both sides
static const double HOLLOW = 0.1;      // cells inside by those with points, below which a body is a sheet
static const double MIN_HEIGHT = 0.2;  // of a cell's weight that a node of a sheet needs

typedef struct cell {
  double count, sum[3], squares[6];  // of points, their coordinates and products xx yy zz xy yz zx
  double towards[3], away;           // sums of directions to cameras, and how many look from behind
  pl_vec3 point, normal;
  double area;
} cell;

typedef struct builder {
  pl_context *context;
  pl_arena arena;
  const pl_track_surface_input *input;
  double size;     // of a cell, m
  pl_vec3 origin;  // corner of cell 0 0 0
  int32_t counts[3];
  cell *cells;    // of all nodes of the grid; count 0: empty
  int32_t *used;  // cells with points
  int32_t used_count;
  double *values;  // 1/2 - w at the middle of each cell
} builder;

static ptrdiff_t node_at(const builder *b, int32_t x, int32_t y, int32_t z) {
  return ((ptrdiff_t)z * b->counts[1] + y) * b->counts[0] + x;
}

static void place_of(const builder *b, ptrdiff_t node, int32_t at[3]) {
  at[0] = (int32_t)(node % b->counts[0]);
  at[1] = (int32_t)(node / b->counts[0] % b->counts[1]);
  at[2] = (int32_t)(node / b->counts[0] / b->counts[1]);
}

static pl_vec3 middle_of(const builder *b, ptrdiff_t node) {
  int32_t at[3];
  place_of(b, node, at);
  return pl_vec3_add_scaled(b->origin, (pl_vec3){at[0] + 0.5, at[1] + 0.5, at[2] + 0.5}, b->size);
}

// --- cells --------------------------------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct bounds {
  double low[3], high[3];
} bounds;

static double longest_side(const bounds *box) {
  double longest = 0;
  for (int k = 0; k < 3; ++k) longest = fmax(longest, box->high[k] - box->low[k]);
  return longest;
}

// The box of most points, a little larger.
static pl_status find_box(builder *b, bounds *box, pl_error *error) {
  const pl_cloud_view *cloud = b->input->cloud;
  int32_t n = cloud->point_count;
  double *sorted = PL_TAKE(&b->arena, double, n);
  if (sorted == NULL) return pl_fail_memory(error);
  for (int axis = 0; axis < 3; ++axis) {
    for (int32_t i = 0; i < n; ++i)
      sorted[i] = axis == 0 ? cloud->points[i].x : axis == 1 ? cloud->points[i].y : cloud->points[i].z;
    qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
    double from = sorted[(ptrdiff_t)(TAIL * n)], to = sorted[n - 1 - (ptrdiff_t)(TAIL * n)];
    box->low[axis] = from - 0.15 * (to - from);
    box->high[axis] = to + 0.15 * (to - from);
  }
  return longest_side(box) > 0 ? PL_OK
                               : pl_fail(error, PL_ERROR_INVALID_DATA, "the points of the cloud lie on one spot");
}

static pl_status set_grid(builder *b, const bounds *box, double size, pl_error *error) {
  double nodes = 1;
  b->size = size;
  b->used_count = 0;
  for (int axis = 0; axis < 3; ++axis) nodes *= ceil((box->high[axis] - box->low[axis]) / size) + 2 * MARGIN;
  if (!(nodes <= MAX_NODES))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "cell_size",
                         "%g m gives %.3g cells; use larger ones, or 0 to have them chosen", size, nodes);
  for (int axis = 0; axis < 3; ++axis)
    b->counts[axis] = (int32_t)ceil((box->high[axis] - box->low[axis]) / size) + 2 * MARGIN;
  b->origin = pl_vec3_add_scaled((pl_vec3){box->low[0], box->low[1], box->low[2]}, (pl_vec3){1, 1, 1}, -MARGIN * size);
  b->cells = PL_TAKE(&b->arena, cell, nodes);
  b->used = PL_TAKE(&b->arena, int32_t, nodes);
  b->values = PL_TAKE(&b->arena, double, nodes);
  return b->arena.failed ? pl_fail_memory(error) : PL_OK;
}

static void add_points(builder *b) {
  const pl_cloud_view *cloud = b->input->cloud;
  for (int32_t i = 0; i < cloud->point_count; ++i) {
    pl_vec3 p = cloud->points[i], at = pl_vec3_scale(pl_vec3_sub(p, b->origin), 1 / b->size);
    bool inside = at.x >= MARGIN && at.y >= MARGIN && at.z >= MARGIN && at.x < b->counts[0] - MARGIN &&
                  at.y < b->counts[1] - MARGIN && at.z < b->counts[2] - MARGIN;
    if (!inside) continue;
    cell *c = &b->cells[node_at(b, (int32_t)at.x, (int32_t)at.y, (int32_t)at.z)];
    const double q[3] = {p.x, p.y, p.z};
    c->count += 1;
    for (int k = 0; k < 3; ++k) {
      c->sum[k] += q[k];
      c->squares[k] += q[k] * q[k];
      c->squares[3 + k] += q[k] * q[(k + 1) % 3];
    }
    int32_t camera = cloud->cameras != NULL ? cloud->cameras[i] : -1;
    if (camera < 0 || camera >= b->input->camera_count) continue;
    pl_vec3 d = pl_vec3_normalize_or(pl_vec3_sub(b->input->cameras[camera].placement.position, p), (pl_vec3){0, 0, 0});
    c->towards[0] += d.x, c->towards[1] += d.y, c->towards[2] += d.z;
  }
}

// Cells with few points are emptied, then all that do not hang together with most.
static pl_status drop_outliers(builder *b, ptrdiff_t nodes, int32_t min_cells, pl_error *error) {
  double *sizes = PL_TAKE(&b->arena, double, nodes);
  int32_t *parts = PL_TAKE(&b->arena, int32_t, nodes), *queue = PL_TAKE(&b->arena, int32_t, nodes), count = 0;
  if (b->arena.failed) return pl_fail_memory(error);
  for (ptrdiff_t i = 0; i < nodes; ++i)
    if (b->cells[i].count > 0) sizes[count++] = b->cells[i].count;
  qsort(sizes, (size_t)count, sizeof *sizes, compare_doubles);
  double few = count > 0 ? fmax(2, FEW * sizes[count / 2]) : 0, most = 0;
  int32_t part = 0, best = 0;
  for (ptrdiff_t start = 0; start < nodes; ++start) {
    if (b->cells[start].count < few || parts[start] != 0) continue;
    int32_t end = 0;
    double weight = 0;
    parts[start] = ++part;
    queue[end++] = (int32_t)start;
    for (int32_t i = 0; i < end; ++i) {
      int32_t at[3];
      place_of(b, queue[i], at);
      weight += b->cells[queue[i]].count;
      for (int k = 0; k < 27; ++k) {
        ptrdiff_t next = node_at(b, at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1);
        if (b->cells[next].count < few || parts[next] != 0) continue;
        parts[next] = part;
        queue[end++] = (int32_t)next;
      }
    }
    if (weight > most) most = weight, best = part;
  }
  for (ptrdiff_t i = 0; i < nodes; ++i) {
    if (parts[i] == 0 || parts[i] != best) b->cells[i].count = 0;
    if (b->cells[i].count > 0) b->used[b->used_count++] = (int32_t)i;
  }
  if (b->used_count < min_cells)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the cloud has points in %d cells of %.3g m that hang together, fewer than %d; use smaller cells or "
                   "more points",
                   b->used_count, b->size, min_cells);
  return PL_OK;
}

// Point, normal and area of each cell; the fraction that is seen from both sides.
static double find_normals(builder *b) {
  int32_t both = 0;
  for (int32_t u = 0; u < b->used_count; ++u) {
    cell *c = &b->cells[b->used[u]];
    int32_t at[3];
    double count = 0, sum[3] = {0}, squares[6] = {0};
    place_of(b, b->used[u], at);
    for (int k = 0; k < 27; ++k) {
      const cell *other = &b->cells[node_at(b, at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1)];
      if (!(other->count > 0)) continue;
      count += other->count;
      for (int i = 0; i < 3; ++i) sum[i] += other->sum[i];
      for (int i = 0; i < 6; ++i) squares[i] += other->squares[i];
    }
    pl_mat3 spread = {{{0}}};
    for (int i = 0; i < 3; ++i) {
      int k = (i + 1) % 3;
      spread.m[i][i] = squares[i] / count - sum[i] / count * sum[i] / count;
      spread.m[i][k] = spread.m[k][i] = squares[3 + i] / count - sum[i] / count * sum[k] / count;
    }
    pl_vec3 values;
    pl_mat3 vectors;
    pl_symmetric_eigen(spread, &values, &vectors);
    c->point = pl_vec3_scale((pl_vec3){c->sum[0], c->sum[1], c->sum[2]}, 1 / c->count);
    c->normal = (pl_vec3){vectors.m[0][2], vectors.m[1][2], vectors.m[2][2]};
    double facing = pl_vec3_dot(c->normal, (pl_vec3){c->towards[0], c->towards[1], c->towards[2]}) / c->count;
    if (facing < 0) c->normal = pl_vec3_scale(c->normal, -1);
    // Directions of one side have a mean of some length along the normal; those of both cancel.
    if (fabs(facing) < 0.15) ++both;
    c->area = b->size * b->size / (fabs(c->normal.x) + fabs(c->normal.y) + fabs(c->normal.z));
  }
  return (double)both / b->used_count;
}

// --- a body -------------------------------------------------------------------------------------------------------

static void wind_some(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  builder *b = data;
  double soft = 0.25 * b->size * b->size;
  for (int32_t i = begin; i < end; ++i) {
    pl_vec3 q = middle_of(b, i);
    double sum = 0;
    for (int32_t u = 0; u < b->used_count; ++u) {
      const cell *c = &b->cells[b->used[u]];
      pl_vec3 d = pl_vec3_sub(c->point, q);
      double square = pl_vec3_dot(d, d) + soft;
      sum += c->area * pl_vec3_dot(c->normal, d) / (square * sqrt(square));
    }
    b->values[i] = 0.5 - sum / (4 * PL_PI);
  }
}

// Cells inside that have no points, after all but the largest piece of the inside was left out.
static pl_status keep_largest(builder *b, ptrdiff_t nodes, int32_t *deep, pl_error *error) {
  int32_t *parts = PL_TAKE(&b->arena, int32_t, nodes), *queue = PL_TAKE(&b->arena, int32_t, nodes), part = 0, best = 0,
          most = 0;
  if (b->arena.failed) return pl_fail_memory(error);
  const ptrdiff_t steps[3] = {1, b->counts[0], (ptrdiff_t)b->counts[0] * b->counts[1]};
  for (ptrdiff_t i = 0; i < nodes; ++i) {
    int32_t at[3];
    place_of(b, i, at);
    // The rim of the grid is outside, so that neighbours of what is inside exist.
    for (int k = 0; k < 3; ++k)
      if (at[k] == 0 || at[k] == b->counts[k] - 1) b->values[i] = fmax(b->values[i], 0.25);
  }
  for (ptrdiff_t start = 0; start < nodes; ++start) {
    if (!(b->values[start] < 0) || parts[start] != 0) continue;
    int32_t end = 0;
    parts[start] = ++part;
    queue[end++] = (int32_t)start;
    for (int32_t i = 0; i < end; ++i)
      for (int k = 0; k < 6; ++k) {
        ptrdiff_t next = queue[i] + (k % 2 == 0 ? steps[k / 2] : -steps[k / 2]);
        if (!(b->values[next] < 0) || parts[next] != 0) continue;
        parts[next] = part;
        queue[end++] = (int32_t)next;
      }
    if (end > most) most = end, best = part;
  }
  *deep = 0;
  for (ptrdiff_t i = 0; i < nodes; ++i) {
    if (parts[i] != best) b->values[i] = fabs(b->values[i]) + 1e-9;
    *deep += parts[i] != 0 && parts[i] == best && !(b->cells[i].count > 0);
  }
  return PL_OK;
}

// Onto the planes of the cells around it, as far as there are any.
static pl_vec3 land(const builder *b, pl_vec3 p) {
  for (int round = 0; round < LANDINGS; ++round) {
    pl_vec3 at = pl_vec3_scale(pl_vec3_sub(p, b->origin), 1 / b->size), move = {0, 0, 0};
    double whole = 0;
    for (int k = 0; k < 27; ++k) {
      ptrdiff_t node = node_at(b, (int32_t)at.x + k % 3 - 1, (int32_t)at.y + k / 3 % 3 - 1, (int32_t)at.z + k / 9 - 1);
      const cell *c = &b->cells[node];
      if (!(c->count > 0)) continue;
      pl_vec3 d = pl_vec3_sub(c->point, p);
      double weight = exp(-pl_vec3_dot(d, d) / (0.5 * b->size * b->size));
      move = pl_vec3_add_scaled(move, c->normal, weight * pl_vec3_dot(d, c->normal));
      whole += weight;
    }
    if (whole > 1e-6) p = pl_vec3_add_scaled(p, move, 1 / whole);
  }
  return p;
}

// Surface nets: a vertex in each cube of eight nodes that the surface passes, a quad around each edge it cuts.
static pl_status make_net(builder *b, ptrdiff_t nodes, pl_mesh **surface, pl_error *error) {
  int32_t *vertex = PL_TAKE(&b->arena, int32_t, nodes), vertices = 0, triangles = 0;
  pl_vec3 *points = PL_TAKE(&b->arena, pl_vec3, nodes);
  if (b->arena.failed) return pl_fail_memory(error);
  const ptrdiff_t steps[3] = {1, b->counts[0], (ptrdiff_t)b->counts[0] * b->counts[1]};
  int32_t cut_count = 0;
  for (ptrdiff_t i = 0; i < nodes; ++i) {
    int32_t at[3];
    place_of(b, i, at);
    vertex[i] = -1;
    if (at[0] == b->counts[0] - 1 || at[1] == b->counts[1] - 1 || at[2] == b->counts[2] - 1) continue;
    pl_vec3 sum = {0, 0, 0};
    int cuts = 0;
    for (int corner = 0; corner < 8; ++corner)
      for (int axis = 0; axis < 3; ++axis) {
        if ((corner >> axis & 1) != 0) continue;
        ptrdiff_t from = i;
        for (int k = 0; k < 3; ++k) from += (corner >> k & 1) != 0 ? steps[k] : 0;
        double a = b->values[from], c = b->values[from + steps[axis]];
        if ((a < 0) == (c < 0)) continue;
        pl_vec3 p = middle_of(b, from), q = middle_of(b, from + steps[axis]);
        sum = pl_vec3_add(sum, pl_vec3_add_scaled(p, pl_vec3_sub(q, p), a / (a - c)));
        ++cuts;
      }
    if (cuts == 0) continue;
    points[vertices] = land(b, pl_vec3_scale(sum, 1.0 / cuts));
    vertex[i] = vertices++;
    for (int axis = 0; axis < 3; ++axis) cut_count += (b->values[i] < 0) != (b->values[i + steps[axis]] < 0);
  }
  int32_t *corners = PL_TAKE(&b->arena, int32_t, 6 * (size_t)cut_count);
  if (b->arena.failed) return pl_fail_memory(error);
  for (ptrdiff_t i = 0; i < nodes; ++i)
    for (int axis = 0; axis < 3 && vertex[i] >= 0; ++axis) {
      if ((b->values[i] < 0) == (b->values[i + steps[axis]] < 0)) continue;
      ptrdiff_t u = steps[(axis + 1) % 3], v = steps[(axis + 2) % 3];
      const int32_t quad[4] = {vertex[i - u - v], vertex[i - v], vertex[i], vertex[i - u]};
      static const int out[6] = {0, 1, 2, 0, 2, 3}, in[6] = {0, 2, 1, 0, 3, 2};
      for (int k = 0; k < 6; ++k) corners[3 * (ptrdiff_t)triangles + k] = quad[(b->values[i] < 0 ? out : in)[k]];
      triangles += 2;
    }
  pl_mesh_view view = {.point_count = vertices, .points = points, .triangle_count = triangles, .triangles = corners};
  return pl_mesh_create(b->context, &view, surface, error);
}

// --- a sheet ------------------------------------------------------------------------------------------------------

// Heights over the plane of all points, as the mean of what lies around each node of a grid in it.
static pl_status make_sheet(builder *b, pl_mesh **surface, pl_error *error) {
  pl_vec3 center = {0, 0, 0}, values;
  pl_mat3 spread = {{{0}}}, axes;
  for (int32_t u = 0; u < b->used_count; ++u)
    center = pl_vec3_add_scaled(center, b->cells[b->used[u]].point, 1.0 / b->used_count);
  for (int32_t u = 0; u < b->used_count; ++u) {
    pl_vec3 d = pl_vec3_sub(b->cells[b->used[u]].point, center);
    const double q[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 9; ++i) spread.m[i / 3][i % 3] += q[i / 3] * q[i % 3];
  }
  pl_symmetric_eigen(spread, &values, &axes);
  pl_vec3 frame[3];
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 3; ++k) frame[k] = (pl_vec3){axes.m[0][k], axes.m[1][k], axes.m[2][k]};
  for (int32_t u = 0; u < b->used_count; ++u)
    for (int k = 0; k < 3; ++k) {
      double at = pl_vec3_dot(pl_vec3_sub(b->cells[b->used[u]].point, center), frame[k]);
      low[k] = fmin(low[k], at);
      high[k] = fmax(high[k], at);
    }
  int32_t across[2];
  for (int k = 0; k < 2; ++k) across[k] = (int32_t)ceil((high[k] - low[k]) / b->size) + 2;
  ptrdiff_t nodes = (ptrdiff_t)across[0] * across[1];
  double *weights = PL_TAKE(&b->arena, double, nodes), *heights = PL_TAKE(&b->arena, double, nodes);
  int32_t *vertex = PL_TAKE(&b->arena, int32_t, nodes), *corners = PL_TAKE(&b->arena, int32_t, 6 * nodes);
  pl_vec3 *points = PL_TAKE(&b->arena, pl_vec3, nodes);
  if (b->arena.failed) return pl_fail_memory(error);
  for (int32_t u = 0; u < b->used_count; ++u) {
    pl_vec3 d = pl_vec3_sub(b->cells[b->used[u]].point, center);
    double x = (pl_vec3_dot(d, frame[0]) - low[0]) / b->size, y = (pl_vec3_dot(d, frame[1]) - low[1]) / b->size;
    int32_t i = (int32_t)x, j = (int32_t)y;
    for (int k = 0; k < 4; ++k) {
      double weight = (k % 2 == 0 ? 1 - (x - i) : x - i) * (k / 2 == 0 ? 1 - (y - j) : y - j);
      ptrdiff_t node = (ptrdiff_t)(j + k / 2) * across[0] + i + k % 2;
      weights[node] += weight;
      heights[node] += weight * pl_vec3_dot(d, frame[2]);
    }
  }
  int32_t vertices = 0, triangles = 0;
  for (ptrdiff_t i = 0; i < nodes; ++i) {
    vertex[i] = -1;
    if (weights[i] < MIN_HEIGHT) continue;
    pl_vec3 p = pl_vec3_add_scaled(center, frame[0], low[0] + b->size * (double)(i % across[0]));
    p = pl_vec3_add_scaled(p, frame[1], low[1] + b->size * (double)(i / across[0]));
    points[vertices] = pl_vec3_add_scaled(p, frame[2], heights[i] / weights[i]);
    vertex[i] = vertices++;
  }
  for (ptrdiff_t i = 0; i < nodes - across[0]; ++i) {
    if (i % across[0] == across[0] - 1) continue;
    const int32_t quad[4] = {vertex[i], vertex[i + 1], vertex[i + across[0] + 1], vertex[i + across[0]]};
    if (quad[0] < 0 || quad[1] < 0 || quad[2] < 0 || quad[3] < 0) continue;
    // Diagonals by turns, so that no direction of a shell is stiffer than the other.
    static const int even[6] = {0, 1, 2, 0, 2, 3}, odd[6] = {0, 1, 3, 1, 2, 3};
    bool turned = (i % across[0] + i / across[0]) % 2 != 0;
    for (int k = 0; k < 6; ++k) corners[3 * (ptrdiff_t)triangles + k] = quad[(turned ? odd : even)[k]];
    triangles += 2;
  }
  if (triangles == 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "the cloud is too sparse for a sheet");
  pl_mesh_view view = {.point_count = vertices, .points = points, .triangle_count = triangles, .triangles = corners};
  return pl_mesh_create(b->context, &view, surface, error);
}

// --- all together -------------------------------------------------------------------------------------------------

// The box of the cells that are left, and the smallest cells that still have several points each.
static double narrow(const builder *b, bounds *box) {
  double count = 0, area = 0.7 * b->used_count * b->size * b->size;
  *box = (bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (int32_t u = 0; u < b->used_count; ++u) {
    pl_vec3 p = middle_of(b, b->used[u]);
    const double at[3] = {p.x, p.y, p.z};
    count += b->cells[b->used[u]].count;
    for (int k = 0; k < 3; ++k) {
      box->low[k] = fmin(box->low[k], at[k] - 0.5 * b->size);
      box->high[k] = fmax(box->high[k], at[k] + 0.5 * b->size);
    }
  }
  return fmax(longest_side(box) / ACROSS, sqrt(POINTS_PER_CELL * area / count));
}

static pl_status build(builder *b, pl_mesh **surface, bool *is_sheet, pl_error *error) {
  bounds box;
  pl_status status = find_box(b, &box, error);
  if (status < 0) return status;
  // Coarse cells show where the body is among outliers.
  double size = longest_side(&box) / COARSE;
  ptrdiff_t nodes = 0;
  for (int pass = 0; pass < 2; ++pass) {
    if (pass > 0) size = narrow(b, &box);
    if (pass > 0 && b->input->cell_size > 0) size = b->input->cell_size;
    status = set_grid(b, &box, size, error);
    if (status < 0) return status;
    nodes = (ptrdiff_t)b->counts[0] * b->counts[1] * b->counts[2];
    add_points(b);
    status = drop_outliers(b, nodes, pass == 0 ? 1 : MIN_CELLS, error);
    if (status < 0) return status;
  }
  double both = find_normals(b);
  int32_t deep = 0;
  *is_sheet = both > TWO_SIDED;
  if (!*is_sheet) {
    pl_parallel_for(b->context, (int32_t)nodes, GRAIN, wind_some, b);
    status = keep_largest(b, nodes, &deep, error);
    *is_sheet = deep < HOLLOW * b->used_count;
  }
  if (status < 0) return status;
  return *is_sheet ? make_sheet(b, surface, error) : make_net(b, nodes, surface, error);
}

pl_status pl_track_build_surface(pl_context *context, const pl_track_surface_input *input, pl_mesh **surface,
                                 bool *is_sheet, pl_error *error) {
  *surface = NULL;
  bool ignored;
  const pl_cloud_view *cloud = input->cloud;
  if (cloud->point_count < MIN_CELLS)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the cloud has %d points; a surface needs many more",
                   cloud->point_count);
  if (cloud->cameras == NULL || input->camera_count < 1)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "without cameras nothing tells the outside of a cloud from its inside; give depth images");
  for (int32_t i = 0; i < cloud->point_count; ++i)
    if (!pl_vec3_is_finite(cloud->points[i]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d of the cloud is not finite", i);
  builder b = {.context = context, .input = input};
  pl_arena_init(&b.arena, context, 0);
  pl_status status = build(&b, surface, is_sheet != NULL ? is_sheet : &ignored, error);
  pl_arena_destroy(&b.arena);
  return status;
}
