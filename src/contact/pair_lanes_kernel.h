// The filters; included by pair_lanes.c and pair_lanes_avx2.c with KERNELS set to the name of the table to define.
//
// Point and triangle: with r, e, f as in triangle_touch.c, V(t) = r . (e x f) lies between its Bernstein coefficients.
// Where these are all positive, or all negative and the start is farther behind than counts, nothing is crossed.

#include <string.h>

#include "contact/vec3_lanes.h"
#include "math/simd_eight.h"

// Floats of the boxes of eight blocks.
enum { BOX_LANES = 6 * LANES };
// Corners of eight edges.
enum { EDGE_CORNERS = 4 * LANES };

PL_SIMD_INLINE pl_m8 bit_where(pl_m8 mask, int32_t bit) {
  return mask & (pl_m8){bit, bit, bit, bit, bit, bit, bit, bit};
}

static void classify(const float *lanes, int32_t block_count, const pl_lane_region *region, int32_t *codes) {
  for (int32_t b = 0; b < block_count; ++b) {
    const float *start = &lanes[2 * VEC3_LANES * b], *end = start + VEC3_LANES;
    pl_m8 code = {0};
    pl_f8 start_height = pl_f8_set1(0.0f), end_height = start_height;
    for (int k = 0; k < 3; ++k) {
      pl_f8 s = pl_f8_load_unaligned(&start[LANES * k]) + region->start_shift[k];
      pl_f8 e = pl_f8_load_unaligned(&end[LANES * k]) + region->end_shift[k];
      start_height += s * region->normal[k];
      end_height += e * region->normal[k];
      code |= bit_where((pl_m8)(pl_f8_min(s, e) > region->max[k]), 1 << k);
      code |= bit_where((pl_m8)(pl_f8_max(s, e) < region->min[k]), 8 << k);
    }
    code |= bit_where((pl_m8)(pl_f8_min(start_height, end_height) > region->height), 64);
    for (int i = 0; i < LANES; ++i) codes[LANES * b + i] = code[i];
  }
}

// Rows of a block.
static float (*triangle_rows(const pl_lane_surface *surface, int32_t block))[8] {
  return (float(*)[8])(surface->triangle_rows + (size_t)block * PL_LANE_TRIANGLE_ROWS * LANES);
}
static float (*edge_rows(const pl_lane_surface *surface, int32_t block))[8] {
  return (float(*)[8])(surface->edge_rows + (size_t)block * PL_LANE_EDGE_ROWS * LANES);
}

// The points of a surface one by one, to be gathered: where they are at the start and at the end of the step.
typedef struct point_pairs {
  pl_f4 starts[PL_SURFACE_LANE_POINTS], ends[PL_SURFACE_LANE_POINTS];
} point_pairs;

static void spread_points(const pl_surface_motion *motion, point_pairs *points) {
  for (int32_t i = 0; i < motion->tree->surface->point_count; ++i) {
    const float *from = &motion->lanes[2 * VEC3_LANES * (i / LANES) + i % LANES];
    points->starts[i] = (pl_f4){from[0], from[LANES], from[2 * LANES], 0.0f};
    from += VEC3_LANES;
    points->ends[i] = (pl_f4){from[0], from[LANES], from[2 * LANES], 0.0f};
  }
}

PL_SIMD_INLINE float min_lane(pl_f8 a) {
  a = pl_f8_min(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
  a = pl_f8_min(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5));
  return a[0] < a[1] ? a[0] : a[1];
}

static float extent_of(const pl_surface_motion *motion) {
  pl_f8 max = pl_f8_set1(0.0f);
  for (int32_t i = 0; i < 2 * VEC3_LANES * motion->lane_block_count; i += LANES)
    max = pl_f8_max(pl_f8_abs(pl_f8_load_unaligned(&motion->lanes[i])), max);
  return -2 * min_lane(-max) + 1e-30f;
}

static void begin_packing(const pl_surface_motion *motion, point_pairs *points) {
  motion->packed->extent = extent_of(motion);
  spread_points(motion, points);
}

static void pack_block(const point_pairs *points, const int32_t *corners, float extent, float (*rows)[8]) {
  vec3_lanes a0 = gather3(points->starts, corners), b0 = gather3(points->starts, corners + LANES);
  vec3_lanes c0 = gather3(points->starts, corners + 2 * LANES), a1 = gather3(points->ends, corners);
  vec3_lanes b1 = gather3(points->ends, corners + LANES), c1 = gather3(points->ends, corners + 2 * LANES);
  store3(rows[PL_LANE_BOX], min3(min3(min3(a0, b0), c0), min3(min3(a1, b1), c1)));
  store3(rows[PL_LANE_BOX + 3], max3(max3(max3(a0, b0), c0), max3(max3(a1, b1), c1)));
  vec3_lanes e0 = sub3(b0, a0), f0 = sub3(c0, a0), e1 = sub3(b1, a1), f1 = sub3(c1, a1);
  vec3_lanes de = sub3(e1, e0), df = sub3(f1, f0), n0 = cross3(e0, f0);
  store3(rows[PL_LANE_START], a0);
  store3(rows[PL_LANE_END], a1);
  store3(rows[PL_LANE_VOLUMES], n0);
  store3(rows[PL_LANE_VOLUMES + 3], add3(cross3(e0, df), cross3(de, f0)));
  store3(rows[PL_LANE_VOLUMES + 6], cross3(de, df));
  pl_f8_store(rows[PL_LANE_AREA], pl_f8_sqrt(dot3(n0, n0)));
  store3(rows[PL_LANE_SIDES], e1);
  store3(rows[PL_LANE_SIDES + 3], f1);
  // What rounding does to the weights grows as a triangle gets thin; without area the error is infinite.
  pl_f8 ee = dot3(e1, e1), ff = dot3(f1, f1), ef = dot3(e1, f1), area2 = pl_f8_max(ee * ff - ef * ef, ee * 0.0f);
  pl_f8 lengths = pl_f8_sqrt(dot3(e0, e0)) + pl_f8_sqrt(dot3(f0, f0)) + pl_f8_sqrt(ee) + pl_f8_sqrt(ff);
  pl_f8_store(rows[PL_LANE_ROUNDING], lengths * (2e-6f * extent * extent));
  store3(rows[PL_LANE_TURNED], cross3(n0, e0));
  store3(rows[PL_LANE_TURNED + 3], cross3(f0, n0));
  store3(rows[PL_LANE_TURNED + 6], cross3(n0, e1));
  store3(rows[PL_LANE_TURNED + 9], cross3(f1, n0));
  pl_f8 area = pl_f8_load(rows[PL_LANE_AREA]), first = dot3(n0, n0);
  pl_f8_store(rows[PL_LANE_AREAS], first);
  pl_f8_store(rows[PL_LANE_AREAS + 1], first + dot3(n0, load3(rows[PL_LANE_VOLUMES + 3])) * 0.5f);
  pl_f8_store(rows[PL_LANE_AREAS + 2], dot3(n0, cross3(e1, f1)));
  pl_f8_store(rows[PL_LANE_MISS], area * lengths * (2e-6f * extent) + (first + area * area) * 2e-6f);
  pl_f8_store(rows[PL_LANE_ERROR], (ee * ff / area2 + 2.0f) * (1e-6f * extent));
}

// The box around a block goes to its place among those of eight blocks. What is not finite is met by everything.
static void store_block_box(const float (*box_rows)[8], int32_t block, float *boxes) {
  float *to = boxes + (size_t)(block / LANES) * BOX_LANES + block % LANES;
  pl_f8 zero = pl_f8_set1(0.0f), sum = zero;
  for (int k = 0; k < 6; ++k) {
    pl_f8 row = pl_f8_load(box_rows[k]);
    sum += row - row;
    to[LANES * k] = k < 3 ? min_lane(row) : -min_lane(-row);
  }
  if (pl_m8_all((pl_m8)(sum == zero))) return;
  for (int k = 0; k < 6; ++k) to[LANES * k] = k < 3 ? -HUGE_VALF : HUGE_VALF;
}

static int32_t blocks_of(int32_t count) {
  return (count + LANES - 1) / LANES;
}

static void pack_triangles(const pl_surface_motion *motion) {
  pl_lane_surface *surface = motion->packed;
  point_pairs points;
  begin_packing(motion, &points);
  for (int32_t b = 0; b < blocks_of(surface->triangle_count); ++b) {
    float(*rows)[8] = triangle_rows(surface, b);
    pack_block(&points, surface->triangle_corners + (size_t)b * VEC3_LANES, surface->extent, rows);
    store_block_box((const float(*)[8])rows[PL_LANE_BOX], b, surface->triangle_boxes);
  }
}

// Bits of the lanes that are in use.
static inline int used_lanes(int32_t count, int32_t block) {
  int32_t left = count - LANES * block;
  return left >= LANES ? 0xFF : (1 << left) - 1;
}

static inline int32_t list_bits(int bits, const int32_t *items, int32_t *list, int32_t count) {
  for (; bits != 0; bits &= bits - 1) list[count++] = items[__builtin_ctz((unsigned)bits)];
  return count;
}

// Which of eight blocks, by their boxes, a box meets.
PL_SIMD_INLINE int met_blocks(const float *boxes, const float low[3], const float high[3]) {
  pl_m8 missed = {0};
  for (int k = 0; k < 3; ++k)
    missed |= (pl_m8)(pl_f8_load(&boxes[LANES * k]) > high[k]) | (pl_m8)(pl_f8_load(&boxes[LANES * (k + 3)]) < low[k]);
  return ~pl_m8_bits(missed) & 0xFF;
}

static int32_t list_front(const pl_surface_front *front, const float low[3], const float high[3], int32_t *items) {
  int32_t count = 0;
  for (int32_t first = 0; first < front->count; first += LANES) {
    pl_m8 missed = {0};
    for (int k = 0; k < 3; ++k)
      missed |= (pl_m8)(pl_f8_load_unaligned(&front->min[k][first]) > high[k]) |
                (pl_m8)(pl_f8_load_unaligned(&front->max[k][first]) < low[k]);
    int bits = ~pl_m8_bits(missed) & used_lanes(front->count, first / LANES);
    count = list_bits(bits, &front->items[first], items, count);
  }
  return count;
}

// Rounding in rows grows with the extent, which may be larger in a pair than it was foreseen.
static inline float growth_of(const pl_lane_surface *surface, float extent) {
  return extent > surface->extent ? extent / surface->extent : 1;
}

// Is the point, r from the first corner at the start and `last` at the end, outside one side of a triangle all the
// time? With weights u, v, w of the corners times the area, by their Bernstein coefficients; they tell as long as the
// triangle does not turn over.
PL_SIMD_INLINE pl_m8 passes_by(const float (*rows)[8], vec3_lanes r, vec3_lanes last, float growth) {
  pl_f8 miss = -pl_f8_load(rows[PL_LANE_MISS]) * growth, areas[3], u[3], v[3], max[3], min_area;
  vec3_lanes e0 = load3(rows[PL_LANE_TURNED]), f0 = load3(rows[PL_LANE_TURNED + 3]);
  vec3_lanes e1 = load3(rows[PL_LANE_TURNED + 6]), f1 = load3(rows[PL_LANE_TURNED + 9]);
  v[0] = dot3(e0, r), v[2] = dot3(e1, last), v[1] = (dot3(e0, last) + dot3(e1, r)) * 0.5f;
  u[0] = dot3(f0, r), u[2] = dot3(f1, last), u[1] = (dot3(f0, last) + dot3(f1, r)) * 0.5f;
  for (int k = 0; k < 3; ++k) areas[k] = pl_f8_load(rows[PL_LANE_AREAS + k]);
  for (int k = 0; k < 3; ++k) {
    pl_f8 w = areas[k] - u[k] - v[k];
    max[0] = k == 0 ? u[k] : pl_f8_max(max[0], u[k]);
    max[1] = k == 0 ? v[k] : pl_f8_max(max[1], v[k]);
    max[2] = k == 0 ? w : pl_f8_max(max[2], w);
    min_area = k == 0 ? areas[k] : pl_f8_min(min_area, areas[k]);
  }
  return ((pl_m8)(max[0] < miss) | (pl_m8)(max[1] < miss) | (pl_m8)(max[2] < miss)) & (pl_m8)(min_area > -miss);
}

// The triangles of one block that a path, within the box from `low` to `high`, may cross, as bits.
PL_SIMD_INLINE int crossed_of_block(const float (*rows)[8], const pl_lane_path *path, const float low[3],
                                    const float high[3], float growth) {
  pl_m8 missed = {0};
  for (int k = 0; k < 3; ++k)
    missed |=
        (pl_m8)(pl_f8_load(rows[PL_LANE_BOX + k]) > high[k]) | (pl_m8)(pl_f8_load(rows[PL_LANE_BOX + 3 + k]) < low[k]);
  int bits = ~pl_m8_bits(missed) & 0xFF;
  if (bits == 0) return 0;
  vec3_lanes start = set3(path->start), end = set3(path->end);
  vec3_lanes r = sub3(start, load3(rows[PL_LANE_START])), dr = sub3(sub3(end, load3(rows[PL_LANE_END])), r);
  vec3_lanes n0 = load3(rows[PL_LANE_VOLUMES]), n1 = load3(rows[PL_LANE_VOLUMES + 3]);
  vec3_lanes n2 = load3(rows[PL_LANE_VOLUMES + 6]);
  pl_f8 k0 = dot3(r, n0), k1 = dot3(dr, n0) + dot3(r, n1), k2 = dot3(dr, n1) + dot3(r, n2), k3 = dot3(dr, n2);
  pl_f8 b1 = k0 + k1 * (1.0f / 3), b2 = k0 + (k1 + k1 + k2) * (1.0f / 3), b3 = k0 + k1 + k2 + k3;
  pl_f8 min = pl_f8_min(pl_f8_min(k0, b1), pl_f8_min(b2, b3));
  pl_f8 max = pl_f8_max(pl_f8_max(k0, b1), pl_f8_max(b2, b3));
  pl_f8 rounding = pl_f8_load(rows[PL_LANE_ROUNDING]) * (growth * growth);
  // In front all the time, or behind, and then too far behind at the start to count as touching.
  pl_m8 behind = (pl_m8)(max < -rounding);
  if (!path->is_two_sided) behind &= (pl_m8)(k0 < -path->reach * pl_f8_load(rows[PL_LANE_AREA]) - rounding);
  pl_m8 kept = (pl_m8)(min > rounding) | behind;
  bits &= ~pl_m8_bits(kept);
  return bits != 0 ? bits & ~pl_m8_bits(passes_by(rows, r, add3(r, dr), growth)) : 0;
}

static int32_t list_crossed(const pl_lane_surface *surface, const pl_lane_path *path, int32_t *crossed) {
  int32_t count = 0, block_count = blocks_of(surface->triangle_count);
  float low[3], high[3], growth = growth_of(surface, path->extent);
  for (int k = 0; k < 3; ++k) {
    low[k] = (path->start[k] < path->end[k] ? path->start[k] : path->end[k]) - path->reach;
    high[k] = (path->start[k] < path->end[k] ? path->end[k] : path->start[k]) + path->reach;
  }
  for (int32_t first = 0; first < block_count; first += LANES) {
    int met = met_blocks(surface->triangle_boxes + (size_t)(first / LANES) * BOX_LANES, low, high);
    met &= used_lanes(block_count, first / LANES);
    for (; met != 0; met &= met - 1) {
      int32_t b = first + __builtin_ctz((unsigned)met);
      const float(*rows)[8] = (const float(*)[8])triangle_rows(surface, b);
      int bits = crossed_of_block(rows, path, low, high, growth) & used_lanes(surface->triangle_count, b);
      count = list_bits(bits, &surface->triangles[LANES * b], crossed, count);
    }
  }
  return count;
}

// Squared distance of d from the segment from 0 along g.
PL_SIMD_INLINE pl_f8 segment_distance2(vec3_lanes d, vec3_lanes g) {
  pl_f8 t = dot3(d, g) / dot3(g, g);
  t = pl_f8_max(pl_f8_min(t, pl_f8_set1(1.0f)), pl_f8_set1(0.0f));
  vec3_lanes q = {d.x - t * g.x, d.y - t * g.y, d.z - t * g.z};
  return dot3(q, q);
}

// Squared distances from the boxes of eight blocks, a little smaller than they are for rounding.
PL_SIMD_INLINE pl_f8 box_distance2(const float *boxes, const float position[3], float rounding) {
  pl_f8 sum = pl_f8_set1(0.0f), zero = sum;
  for (int k = 0; k < 3; ++k) {
    pl_f8 below = pl_f8_load(&boxes[LANES * k]) - position[k],
          above = position[k] - pl_f8_load(&boxes[LANES * (k + 3)]);
    pl_f8 away = pl_f8_max(pl_f8_max(below, above) - rounding, zero);
    sum += away * away;
  }
  return sum;
}

// Distances of a position from the triangles of a block at the end of the step.
PL_SIMD_INLINE pl_f8 triangle_distances(const float (*rows)[8], const float position[3]) {
  pl_f8 zero = pl_f8_set1(0.0f);
  vec3_lanes d = sub3(set3(position), load3(rows[PL_LANE_END])), e = load3(rows[PL_LANE_SIDES]);
  vec3_lanes f = load3(rows[PL_LANE_SIDES + 3]);
  pl_f8 ee = dot3(e, e), ff = dot3(f, f), ef = dot3(e, f), de = dot3(d, e), df = dot3(d, f);
  pl_f8 area2 = ee * ff - ef * ef, s = ff * de - ef * df, t = ee * df - ef * de;
  pl_m8 is_over = (pl_m8)(s >= zero) & (pl_m8)(t >= zero) & (pl_m8)(s + t <= area2) & (pl_m8)(area2 > zero);
  s = s / area2, t = t / area2;
  vec3_lanes q = {d.x - s * e.x - t * f.x, d.y - s * e.y - t * f.y, d.z - s * e.z - t * f.z};
  pl_f8 distance2 = pl_f8_min(segment_distance2(d, e), segment_distance2(d, f));
  distance2 = pl_f8_min(distance2, segment_distance2(sub3(d, e), sub3(f, e)));
  distance2 = pl_f8_select(is_over, pl_f8_min(dot3(q, q), distance2), distance2);
  return pl_f8_sqrt(distance2);
}

// Which triangles of a block certainly face a direction, and which certainly do not.
PL_SIMD_INLINE void facing_of_block(const float (*rows)[8], const pl_lane_position *at, float growth, pl_m8 *is_facing,
                                    pl_m8 *is_averted) {
  vec3_lanes e = load3(rows[PL_LANE_SIDES]), f = load3(rows[PL_LANE_SIDES + 3]);
  pl_f8 along = dot3(cross3(e, f), set3(at->facing));
  pl_f8 lengths = pl_f8_sqrt(dot3(e, e)) + pl_f8_sqrt(dot3(f, f));
  pl_f8 rounding = lengths * (2e-6f * growth * at->extent) + lengths * lengths * 2e-6f;
  *is_facing = (pl_m8)(along < -rounding);
  *is_averted = (pl_m8)(along > rounding);
}

// The nearest search on its way through the blocks.
typedef struct nearest_blocks {
  const pl_lane_surface *surface;
  const pl_lane_position *at;
  float growth;
  float min, best2;  // no candidate is farther than this, and its square with some slack
  int32_t visited[PL_LANE_BLOCKS], visited_count;
  float lows[PL_LANE_BLOCKS][LANES] __attribute__((aligned(32)));
} nearest_blocks;

PL_SIMD_INLINE void visit_block(nearest_blocks *n, int32_t block) {
  const float(*rows)[8] = (const float(*)[8])triangle_rows(n->surface, block);
  pl_f8 distance = triangle_distances(rows, n->at->position), error = pl_f8_load(rows[PL_LANE_ERROR]) * n->growth;
  pl_f8 low = distance - error, high = distance + error, far = pl_f8_set1(HUGE_VALF);
  if (n->at->has_facing) {
    pl_m8 is_facing, is_averted;
    facing_of_block(rows, n->at, n->growth, &is_facing, &is_averted);
    low = pl_f8_select(is_averted, far, low);
    high = pl_f8_select(is_facing, high, far);
  }
  pl_f8_store(n->lows[n->visited_count], low);
  n->visited[n->visited_count++] = block;
  // What is not a number is not a bound.
  float nearer = min_lane(pl_f8_min(high, far));
  if (!(nearer < n->min)) return;
  n->min = nearer;
  n->best2 = nearer * nearer * 1.00001f;
}

static int32_t list_nearest(const pl_lane_surface *surface, const pl_lane_position *at, int32_t *nearest) {
  float distances[PL_LANE_BLOCKS] __attribute__((aligned(32)));
  int32_t block_count = blocks_of(surface->triangle_count), closest = -1, count = 0;
  nearest_blocks n;
  n.surface = surface, n.at = at, n.growth = growth_of(surface, at->extent), n.visited_count = 0;
  n.min = at->limit, n.best2 = n.min * n.min * 1.00001f;
  pl_f8 min = pl_f8_set1(HUGE_VALF);
  for (int32_t first = 0; first < block_count; first += LANES) {
    const float *boxes = surface->triangle_boxes + (size_t)(first / LANES) * BOX_LANES;
    pl_f8 away = box_distance2(boxes, at->position, 2e-6f * at->extent);
    pl_f8_store(&distances[first], away);
    min = pl_f8_min(away, min);
  }
  // The block whose box is closest comes first: what it has rules out most of the others.
  float closest2 = min_lane(min);
  for (int32_t first = 0; first < block_count && closest < 0; first += LANES) {
    int bits = pl_m8_bits((pl_m8)(pl_f8_load(&distances[first]) <= closest2)) & used_lanes(block_count, first / LANES);
    if (bits != 0) closest = first + __builtin_ctz((unsigned)bits);
  }
  if (closest >= 0) visit_block(&n, closest);
  for (int32_t first = 0; first < block_count; first += LANES) {
    int bits = ~pl_m8_bits((pl_m8)(pl_f8_load(&distances[first]) > n.best2)) & used_lanes(block_count, first / LANES);
    for (; bits != 0; bits &= bits - 1) {
      int32_t block = first + __builtin_ctz((unsigned)bits);
      if (block != closest && !(distances[block] > n.best2)) visit_block(&n, block);
    }
  }
  for (int32_t v = 0; v < n.visited_count; ++v) {
    int bits = ~pl_m8_bits((pl_m8)(pl_f8_load(n.lows[v]) > n.min)) & used_lanes(surface->triangle_count, n.visited[v]);
    count = list_bits(bits, &surface->triangles[LANES * n.visited[v]], nearest, count);
  }
  return count;
}

#include "contact/pair_lanes_axis_kernel.h"
#include "contact/pair_lanes_edge_kernel.h"
#include "contact/pair_lanes_pierce_kernel.h"
#include "contact/pair_lanes_shape_kernel.h"
#include "contact/pair_lanes_tet_kernel.h"

const pl_lane_kernels KERNELS = {.fill_lanes = fill_lanes,
                                 .fill_extents = fill_extents,
                                 .are_apart = are_apart,
                                 .find_lowest = find_lowest,
                                 .classify = classify,
                                 .pack_triangles = pack_triangles,
                                 .pack_edges = pack_edges,
                                 .list_crossed = list_crossed,
                                 .list_nearest = list_nearest,
                                 .list_edges = list_edges,
                                 .pack_tets = pack_tets,
                                 .find_tets = find_tets,
                                 .list_points = list_points,
                                 .list_front = list_front,
                                 .place_points = place_points,
                                 .clip_points = clip_points,
                                 .pack_pierced = pack_pierced,
                                 .list_pierced = list_pierced,
                                 .fit_shape = fit_shape,
                                 .find_deepest = find_deepest,
                                 .find_met = find_met,
                                 .list_passed = list_passed};
