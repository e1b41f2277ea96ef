// The filters for edges that pass through triangles of surfaces of any size; included by
// pair_lanes_kernel.h.
//
// Tests are those of pair_lanes_pierce_kernel.h. Triangles are gathered where a few edges near them
// ask, and the bounds of rounding are those of each block: the surfaces may be much larger than
// what meets.

// The corners of eight triangles, in the order of the leaves. The last block is filled up with the last one.
PL_SIMD_INLINE void gather_corners(const pl_surface_tree *tree, int32_t block, const pl_f4 *places, vec3_lanes c[3]) {
  int32_t index[VEC3_LANES], last = tree->surface->triangle_count - 1;
  for (int32_t i = 0; i < LANES; ++i) {
    int32_t leaf = LANES * block + i < last ? LANES * block + i : last;
    const int32_t *corners = &tree->surface->triangles[3 * tree->boxes.order[leaf]];
    for (int k = 0; k < 3; ++k) index[LANES * k + i] = corners[k];
  }
  for (int k = 0; k < 3; ++k) c[k] = gather3(places, &index[LANES * k]);
}

// The bits of those of eight triangles that have a point that moved.
static uint8_t moved_of_block(const pl_surface_tree *tree, int32_t block, const bool *moved) {
  int bits = 0;
  for (int32_t i = LANES * block; i < LANES * block + LANES && i < tree->surface->triangle_count; ++i) {
    const int32_t *c = &tree->surface->triangles[3 * tree->boxes.order[i]];
    bits |= (moved[c[0]] | moved[c[1]] | moved[c[2]]) << i % LANES;
  }
  return (uint8_t)bits;
}

static void fit_shape(const pl_surface_tree *tree, const pl_vec3 *points, const bool *moved, pl_lane_shape *shape) {
  int32_t point_count = tree->surface->point_count, triangle_count = tree->surface->triangle_count;
  pl_f8 extent = pl_f8_set1(0.0f);
  for (int32_t first = 0; first < point_count; first += LANES) {
    vec3_lanes p = place_eight(points, first, point_count, shape->origin, shape->places);
    store3(&shape->lanes[3 * first], p);
    extent = pl_f8_max(pl_f8_max(pl_f8_max(pl_f8_abs(p.x), pl_f8_abs(p.y)), pl_f8_abs(p.z)), extent);
  }
  shape->extent = -min_lane(-extent);
  const pl_f4 *places = (const pl_f4 *)(const void *)shape->places;
  for (int32_t block = 0; block < blocks_of(triangle_count); ++block) {
    vec3_lanes c[3];
    gather_corners(tree, block, places, c);
    for (int k = 0; k < 3; ++k) store3(&shape->corners[VEC3_LANES * (3 * block + k)], c[k]);
    float rows[6][8] __attribute__((aligned(32)));
    store3(rows[0], min3(min3(c[0], c[1]), c[2]));
    store3(rows[3], max3(max3(c[0], c[1]), c[2]));
    store_block_box((const float(*)[8])rows, block, shape->boxes);
    shape->moved[block] = moved_of_block(tree, block, moved);
  }
}

static int32_t find_deepest(const pl_lane_shape *shape, int32_t point_count, const float normal[3], float *height) {
  vec3_lanes n = set3(normal);
  pl_f8 best = pl_f8_set1(HUGE_VALF);
  pl_m8 blocks = {0};
  for (int32_t b = 0; b < blocks_of(point_count); ++b) {
    pl_f8 low = dot3(load3(&shape->lanes[VEC3_LANES * b]), n);
    pl_m8 is_lower = (pl_m8)(low < best), here = (pl_m8){0} + b;
    best = pl_f8_min(low, best);
    blocks = (is_lower & here) | (~is_lower & blocks);
  }
  *height = min_lane(best);
  int bits = pl_m8_bits((pl_m8)(best == *height)), lane = bits != 0 ? __builtin_ctz((unsigned)bits) : 0;
  int32_t point = LANES * blocks[lane] + lane;
  return point < point_count ? point : point_count - 1;
}

// Which of eight blocks, by their boxes, reach between two heights.
PL_SIMD_INLINE int blocks_in_slab(const float *boxes, const pl_lane_slab *slab) {
  pl_f8 middle = pl_f8_set1(0.0f), reach = middle;
  for (int k = 0; k < 3; ++k) {
    pl_f8 low = pl_f8_load(&boxes[LANES * k]) * slab->normal[k];
    pl_f8 high = pl_f8_load(&boxes[LANES * (k + 3)]) * slab->normal[k];
    middle += pl_f8_min(low, high);
    reach += pl_f8_max(low, high);
  }
  return ~pl_m8_bits((pl_m8)(middle > slab->high) | (pl_m8)(reach < slab->low)) & 0xFF;
}

static int find_met(const float *boxes, const pl_lane_slab *slab) {
  int bits = met_blocks(boxes, slab->min, slab->max);
  return bits == 0 ? 0 : bits & blocks_in_slab(boxes, slab);
}

// The edges that ask, in the frame of the surface that is asked.
typedef struct asking_edges {
  float from[3][PL_LANE_ASKING] __attribute__((aligned(32)));
  float along[3][PL_LANE_ASKING] __attribute__((aligned(32)));
  float low[3][PL_LANE_ASKING] __attribute__((aligned(32)));  // their boxes, with the error
  float high[3][PL_LANE_ASKING] __attribute__((aligned(32)));
  // Of each eight: bits of those that ask, and a box around them.
  int used[PL_LANE_ASKING / LANES];
  float row_low[PL_LANE_ASKING / LANES][3], row_high[PL_LANE_ASKING / LANES][3];
} asking_edges;

// False if none is within the region.
static bool place_edges(const pl_lane_shape *own, const pl_lane_asking *asking, asking_edges *edges) {
  const pl_f4 *places = (const pl_f4 *)(const void *)own->places;
  vec3_lanes shift = set3(asking->shift);
  pl_f8 far = pl_f8_set1(HUGE_VALF);
  int any = 0;
  for (int32_t r = 0; r < PL_LANE_ASKING / LANES; ++r) {
    edges->used[r] = 0;
    if (LANES * r >= asking->count) continue;
    vec3_lanes p = add3(gather3(places, &asking->points[0][LANES * r]), shift);
    vec3_lanes q = add3(gather3(places, &asking->points[1][LANES * r]), shift);
    const pl_f8 from[3] = {p.x, p.y, p.z}, to[3] = {q.x, q.y, q.z};
    pl_f8 low[3], high[3];
    pl_f8 first = dot3(p, set3(asking->slab.normal)), second = dot3(q, set3(asking->slab.normal));
    pl_m8 missed =
        (pl_m8)(pl_f8_min(first, second) > asking->slab.high) | (pl_m8)(pl_f8_max(first, second) < asking->slab.low);
    for (int k = 0; k < 3; ++k) {
      low[k] = pl_f8_min(from[k], to[k]) - asking->error;
      high[k] = pl_f8_max(from[k], to[k]) + asking->error;
      missed |= (pl_m8)(low[k] > asking->slab.max[k]) | (pl_m8)(high[k] < asking->slab.min[k]);
      pl_f8_store(&edges->from[k][LANES * r], from[k]);
      pl_f8_store(&edges->along[k][LANES * r], to[k] - from[k]);
      pl_f8_store(&edges->low[k][LANES * r], low[k]);
      pl_f8_store(&edges->high[k][LANES * r], high[k]);
    }
    edges->used[r] = ~pl_m8_bits(missed) & used_lanes(asking->count, r) & (int)(asking->asks >> (LANES * r));
    any |= edges->used[r];
    if (edges->used[r] == 0) continue;
    for (int k = 0; k < 3; ++k) {
      edges->row_low[r][k] = min_lane(pl_f8_select(missed, far, low[k]));
      edges->row_high[r][k] = -min_lane(pl_f8_select(missed, far, -high[k]));
    }
  }
  return any != 0;
}

// A block of triangles that is asked.
typedef struct asked_block {
  int32_t first;             // leaf
  int used;                  // bits of its triangles
  float low[3], high[3];     // its box …
  float sides;               // … and the sum of its sides
  vec3_lanes c[3], n;        // corners, e x f
  vec3_lanes c_low, c_high;  // boxes of the triangles
  pl_f8 lengths, area;       // |e| + |f|, |n|
} asked_block;

static void load_block(const pl_surface_tree *tree, const pl_lane_shape *shape, asked_block *b) {
  for (int k = 0; k < 3; ++k) b->c[k] = load3(&shape->corners[VEC3_LANES * (3 * (b->first / LANES) + k)]);
  b->sides = 0;
  for (int k = 0; k < 3; ++k) b->sides += b->high[k] - b->low[k];
  b->c_low = min3(min3(b->c[0], b->c[1]), b->c[2]);
  b->c_high = max3(max3(b->c[0], b->c[1]), b->c[2]);
  vec3_lanes e = sub3(b->c[1], b->c[0]), f = sub3(b->c[2], b->c[0]);
  b->n = cross3(e, f);
  b->area = pl_f8_sqrt(dot3(b->n, b->n));
  b->lengths = pl_f8_abs(e.x) + pl_f8_abs(e.y) + pl_f8_abs(e.z) + pl_f8_abs(f.x) + pl_f8_abs(f.y) + pl_f8_abs(f.z);
  b->used = used_lanes(tree->surface->triangle_count, b->first / LANES);
}

// The edges that meet the box of a block, as bits, of the eights of which some may.
PL_SIMD_INLINE int edges_near_block(const asking_edges *edges, const asked_block *b,
                                    const int met[PL_LANE_ASKING / LANES], int lane) {
  int near = 0;
  for (int r = 0; r < PL_LANE_ASKING / LANES; ++r) {
    if ((met[r] >> lane & 1) == 0) continue;
    pl_m8 missed = {0};
    for (int k = 0; k < 3; ++k)
      missed |= (pl_m8)(pl_f8_load(&edges->low[k][LANES * r]) > b->high[k]) |
                (pl_m8)(pl_f8_load(&edges->high[k][LANES * r]) < b->low[k]);
    near |= (edges->used[r] & ~pl_m8_bits(missed)) << (LANES * r);
  }
  return near;
}

// The triangles of a block that an edge may pass through, as bits.
//
// With d the error of a difference of two places, T = |e| + |f| and W the largest distance of a corner or end (sums of
// the sizes of components), a height times |n| is off by less than T (2 d (W + T) + 1e-6 T W), and a volume of pq with
// a side by less than d S² + 1e-7 S³, where S is the sum of |pq| and the distances of all corners. A corner is no
// farther from p than both boxes together are wide.
PL_SIMD_INLINE int passed_of_block(const asking_edges *edges, int edge, const asked_block *b,
                                   const pl_lane_asking *asking) {
  const pl_f8 low[3] = {b->c_low.x, b->c_low.y, b->c_low.z}, high[3] = {b->c_high.x, b->c_high.y, b->c_high.z};
  float p[3], along[3], length = 0;
  pl_m8 missed = {0};
  for (int k = 0; k < 3; ++k) {
    missed |= (pl_m8)(low[k] > edges->high[k][edge]) | (pl_m8)(high[k] < edges->low[k][edge]);
    p[k] = edges->from[k][edge], along[k] = edges->along[k][edge];
    length += along[k] < 0 ? -along[k] : along[k];
  }
  int bits = b->used & ~pl_m8_bits(missed);
  if (bits == 0) return 0;
  vec3_lanes way = set3(along), from = set3(p), c[3];
  for (int k = 0; k < 3; ++k) c[k] = sub3(b->c[k], from);
  float error = asking->error, reach = 2 * length + b->sides + 2 * asking->tolerance + 6 * error;
  pl_f8 off = b->lengths * ((b->lengths + reach) * (4 * error) + b->lengths * (2e-6f * reach));
  pl_f8 limit = b->area * (0.9999f * asking->tolerance) - off, d = -dot3(b->n, c[0]), e = d + dot3(b->n, way);
  pl_m8 kept = (pl_m8)(pl_f8_min(d, e) > -limit) | (pl_m8)(pl_f8_max(d, e) < limit);
  bits &= ~pl_m8_bits(kept);
  if (bits == 0) return 0;
  float sum = 4 * length + 3 * b->sides + 18 * error;
  pl_f8 rounding = pl_f8_set1(sum * sum * (error + 1e-7f * sum));
  pl_f8 x = dot3(way, cross3(c[0], c[1])), y = dot3(way, cross3(c[1], c[2])), z = dot3(way, cross3(c[2], c[0]));
  kept = (pl_m8)(pl_f8_min(pl_f8_min(x, y), z) < -rounding) & (pl_m8)(pl_f8_max(pl_f8_max(x, y), z) > rounding);
  return bits & ~pl_m8_bits(kept);
}

// Which of eight blocks meet some of each eight edges, and whether any does.
PL_SIMD_INLINE int find_met_rows(const asking_edges *edges, const pl_lane_asking *asking, const float *boxes,
                                 int candidates, int met[PL_LANE_ASKING / LANES]) {
  int all = 0;
  for (int r = 0; r < PL_LANE_ASKING / LANES; ++r) {
    met[r] = edges->used[r] == 0 ? 0 : met_blocks(boxes, edges->row_low[r], edges->row_high[r]) & candidates;
    all |= met[r];
  }
  return all == 0 ? 0 : all & blocks_in_slab(boxes, &asking->slab);
}

// The blocks of eight that some edge asks, as bits.
PL_SIMD_INLINE int asked_blocks(const pl_lane_asking *asking, int32_t first, int32_t block_count) {
  int bits = used_lanes(block_count, first / LANES), moved = 0;
  uint64_t any = 0;
  if (asking->asks_all != 0) return bits;
  if (asking->moved != NULL) memcpy(&any, &asking->moved[first], sizeof any);
  for (int i = 0; i < LANES && any != 0; ++i) moved |= (asking->moved[first + i] != 0) << i;
  return bits & moved;
}

static int32_t list_passed(const pl_lane_shape *own, const pl_lane_asking *asking, const pl_surface_tree *tree,
                           const pl_lane_shape *shape, int32_t *next, pl_lane_passing *list) {
  int32_t count = 0, block_count = blocks_of(tree->surface->triangle_count);
  asking_edges edges;
  if (!place_edges(own, asking, &edges)) *next = block_count;
  asked_block b;
  for (; *next < block_count && count <= PL_LANE_PASSING - PL_LANE_ASKING * LANES * LANES; *next += LANES) {
    const float *boxes = &shape->boxes[(size_t)(*next / LANES) * BOX_LANES];
    int candidates = asked_blocks(asking, *next, block_count), met_rows[PL_LANE_ASKING / LANES];
    if (candidates == 0) continue;
    for (int met = find_met_rows(&edges, asking, boxes, candidates, met_rows); met != 0; met &= met - 1) {
      int lane = __builtin_ctz((unsigned)met), all = (int)asking->asks_all;
      int moved = asking->moved != NULL ? asking->moved[*next + lane] : 0;
      for (int k = 0; k < 3; ++k) b.low[k] = boxes[LANES * k + lane], b.high[k] = boxes[LANES * (k + 3) + lane];
      int near = edges_near_block(&edges, &b, met_rows, lane) & (moved != 0 ? ~0 : all);
      if (near == 0) continue;
      b.first = LANES * (*next + lane);
      load_block(tree, shape, &b);
      for (; near != 0; near &= near - 1) {
        int edge = __builtin_ctz((unsigned)near);
        int bits = passed_of_block(&edges, edge, &b, asking) & ((all >> edge & 1) != 0 ? 0xFF : moved);
        for (; bits != 0; bits &= bits - 1)
          list[count++] = (pl_lane_passing){edge, b.first + __builtin_ctz((unsigned)bits)};
      }
    }
  }
  return count;
}
