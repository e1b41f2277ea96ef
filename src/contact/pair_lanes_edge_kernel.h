// The filters for edges; included by pair_lanes_kernel.h.
//
// Edge and edge: with n = u x v across both (contact_edges.c), a pair that touches has triangles
// that fall away from it on both sides, at the start or at the end of the step. n is that of unit
// vectors, so a turn of the edges within the step changes it by no more than the turns.

// Rows of an edge at one end of the step.
typedef struct edge_lanes {
  vec3_lanes first, along, across[2];
  pl_f8 length;
} edge_lanes;

PL_SIMD_INLINE edge_lanes load_edges(const float *rows) {
  return (edge_lanes){load3(rows),
                      load3(rows + VEC3_LANES),
                      {load3(rows + 2 * VEC3_LANES), load3(rows + 3 * VEC3_LANES)},
                      pl_f8_load(rows + 4 * VEC3_LANES)};
}

PL_SIMD_INLINE edge_lanes one_edge(const float (*rows)[8], int lane, const float shift[3]) {
  float one[13];
  for (int k = 0; k < 13; ++k) one[k] = rows[k][lane] + (k < 3 ? shift[k] : 0.0f);
  return (edge_lanes){set3(one), set3(one + 3), {set3(one + 6), set3(one + 9)}, pl_f8_set1(one[12])};
}

// Unit vector, and the length it had; zero for one without length.
PL_SIMD_INLINE vec3_lanes unit3(vec3_lanes a, pl_f8 *length) {
  *length = pl_f8_sqrt(dot3(a, a));
  pl_f8 f = 1.0f / pl_f8_max(*length, pl_f8_set1(1e-30f));
  return (vec3_lanes){a.x * f, a.y * f, a.z * f};
}

// The part of `a` across a unit vector.
PL_SIMD_INLINE vec3_lanes across3(vec3_lanes a, vec3_lanes unit) {
  pl_f8 t = dot3(a, unit);
  return (vec3_lanes){a.x - t * unit.x, a.y - t * unit.y, a.z - t * unit.z};
}

// Fill the rows of one end of the step, given the two points and the two opposite corners;
// `rounding` grows by what directions may be off by.
PL_SIMD_INLINE void pack_end(const vec3_lanes corners[4], float extent, float *rows, pl_f8 *rounding) {
  vec3_lanes first = corners[0], along, across[2];
  pl_f8 length, height[2];
  along = unit3(sub3(corners[1], first), &length);
  *rounding += 1e-6f * extent / length;
  for (int k = 0; k < 2; ++k) {
    vec3_lanes side = across3(sub3(corners[2 + k], first), along);
    across[k] = unit3(side, &height[k]);
    // Borders have no height.
    *rounding += pl_f8_select((pl_m8)(height[k] > pl_f8_set1(0.0f)), 1e-6f * extent / height[k], pl_f8_set1(0.0f));
    store3(rows + (2 + k) * VEC3_LANES, across[k]);
  }
  store3(rows, first);
  store3(rows + VEC3_LANES, along);
  pl_f8_store(rows + 4 * VEC3_LANES, length);
}

// The bits of the edges of eight that may be sharp at the end of the step. With g the normal of the
// first triangle, h that of the second, b its third corner and l the edge's length, the sine of the
// angle between them is -g . b l / (|g| |h|).
static int sharp_edges(const point_pairs *points, const int32_t *corners, float extent, float min_sine) {
  vec3_lanes first = gather3(points->ends, corners), along = sub3(gather3(points->ends, corners + LANES), first);
  vec3_lanes a = sub3(gather3(points->ends, corners + 2 * LANES), first);
  vec3_lanes b = sub3(gather3(points->ends, corners + 3 * LANES), first);
  vec3_lanes g = cross3(along, a), h = cross3(along, b);
  pl_f8 length = pl_f8_sqrt(dot3(along, along));
  // |g| and |h| are the length times the heights.
  pl_f8 sine = -dot3(g, b) * length, size = pl_f8_sqrt(dot3(g, g) * dot3(h, h));
  pl_f8 sides = length + pl_f8_sqrt(dot3(a, a)) + pl_f8_sqrt(dot3(b, b));
  pl_f8 rounding = sides * sides * length * (2e-6f * extent) + size * 1e-5f;
  float min = min_sine < 0 ? -min_sine : min_sine;
  pl_f8 rise = min_sine < 0 ? pl_f8_abs(sine) : sine;
  return ~pl_m8_bits((pl_m8)(rise + rounding < size * min));
}

static void pack_edge_block(const point_pairs *points, const int32_t index[EDGE_CORNERS], float extent,
                            float (*rows)[8]) {
  vec3_lanes corners[2][4];  // [start, end][ends and opposite corners]
  for (int c = 0; c < 4; ++c) {
    corners[0][c] = gather3(points->starts, &index[LANES * c]);
    corners[1][c] = gather3(points->ends, &index[LANES * c]);
  }
  vec3_lanes a = corners[0][0], b = corners[0][1], c = corners[1][0], d = corners[1][1];
  store3(rows[PL_LANE_EDGE_BOX], min3(min3(a, b), min3(c, d)));
  store3(rows[PL_LANE_EDGE_BOX + 3], max3(max3(a, b), max3(c, d)));
  pl_f8 rounding = pl_f8_set1(0.0f);
  pack_end(corners[0], extent, rows[PL_LANE_EDGE_START], &rounding);
  pack_end(corners[1], extent, rows[PL_LANE_EDGE_END], &rounding);
  vec3_lanes turn = sub3(load3(rows[PL_LANE_EDGE_END + 3]), load3(rows[PL_LANE_EDGE_START + 3]));
  pl_f8_store(rows[PL_LANE_EDGE_TURN], pl_f8_sqrt(dot3(turn, turn)));
  pl_f8_store(rows[PL_LANE_EDGE_ROUNDING], rounding);
}

static void pack_sharp_block(const point_pairs *points, const int32_t *corners, int32_t block,
                             pl_lane_surface *surface) {
  float(*rows)[8] = edge_rows(surface, block);
  pack_edge_block(points, corners, surface->extent, rows);
  store_block_box((const float(*)[8])rows[PL_LANE_EDGE_BOX], block, surface->edge_boxes);
}

// The bits of the edges of eight that may be in one of the regions: no bit of some byte is common to both ends. Codes
// have seven bits, so a byte that is not 0 carries into its eighth and no further.
static int edges_inside(const uint64_t *sides, const int32_t *corners) {
  const uint64_t sevens = 0x7F * PL_LANE_NO_SIDES, eighths = 0x80 * PL_LANE_NO_SIDES;
  int bits = 0;
  for (int i = 0; i < LANES; ++i) {
    uint64_t common = sides[corners[i]] & sides[corners[LANES + i]];
    bits |= (((common + sevens) & eighths) != eighths) << i;
  }
  return bits;
}

static void pack_edges(const pl_surface_motion *motion, float min_sine, const uint64_t *sides) {
  pl_lane_surface *surface = motion->packed;
  point_pairs points;
  begin_packing(motion, &points);
  const int32_t *order = motion->tree->edge_order;
  int32_t edge_count = motion->tree->edge_count, packed[EDGE_CORNERS] = {0}, count = 0;
  for (int32_t b = 0; b < blocks_of(edge_count); ++b) {
    const int32_t *corners = surface->edge_corners + (size_t)b * EDGE_CORNERS;
    int inside = used_lanes(edge_count, b) & (sides != NULL ? edges_inside(sides, corners) : 0xFF);
    if (inside == 0) continue;
    int bits = inside & (sharp_edges(&points, corners, surface->extent, min_sine) | surface->borders[b]);
    for (; bits != 0; bits &= bits - 1) {
      int lane = __builtin_ctz((unsigned)bits), to = count % LANES;
      for (int c = 0; c < 4; ++c) packed[LANES * c + to] = corners[LANES * c + lane];
      surface->edges[count++] = order[LANES * b + lane];
      if (to == LANES - 1) pack_sharp_block(&points, packed, count / LANES - 1, surface);
    }
  }
  // The rest of the last block is what was there in the one before; it is not used.
  if (count % LANES != 0) pack_sharp_block(&points, packed, count / LANES, surface);
  surface->edge_count = count;
}

// How far the triangles at both edges fail to fall away from each other along n = u x v, and
// against it; unit lengths.
PL_SIMD_INLINE void rise3(const edge_lanes *a, const edge_lanes *b, vec3_lanes n, pl_f8 *along, pl_f8 *against) {
  pl_f8 a1 = dot3(n, a->across[0]), a2 = dot3(n, a->across[1]);
  pl_f8 b1 = dot3(n, b->across[0]), b2 = dot3(n, b->across[1]);
  *along = pl_f8_max(pl_f8_max(-a1, -a2), pl_f8_max(b1, b2));
  *against = pl_f8_max(pl_f8_max(a1, a2), pl_f8_max(-b1, -b2));
}

// Are the nearest points of both lines on the edges, and the edges near each other or a little
// inside, seen from where their triangles fall away? `rises` are those of rise3(), beyond what
// counts as falling.
PL_SIMD_INLINE pl_m8 is_near(const edge_lanes *a, const edge_lanes *b, vec3_lanes n, pl_f8 sine, const pl_f8 rises[2],
                             const pl_lane_reach *reach, pl_f8 rounding) {
  vec3_lanes w = sub3(a->first, b->first);
  pl_f8 c = dot3(a->along, b->along), uw = dot3(a->along, w), vw = dot3(b->along, w), sine2 = sine * sine;
  pl_f8 s = c * vw - uw, t = vw - c * uw, error = (rounding + 1e-6f) * reach->extent, zero = pl_f8_set1(0.0f);
  pl_m8 missed = (pl_m8)(s < -error) | (pl_m8)(t < -error) | (pl_m8)(s > a->length * sine2 + error) |
                 (pl_m8)(t > b->length * sine2 + error);
  pl_f8 gap = dot3(n, w), open = sine * reach->limit + error;
  pl_f8 inside = pl_f8_max(pl_f8_min(a->length, b->length) * reach->depth, pl_f8_set1(reach->limit)) * sine + error;
  pl_m8 touches = ((pl_m8)(rises[0] <= zero) & (pl_m8)(gap <= open) & (pl_m8)(gap >= -inside)) |
                  ((pl_m8)(rises[1] <= zero) & (pl_m8)(gap >= -open) & (pl_m8)(gap <= inside));
  return touches & ~missed;
}

// May the volume of the two edges change its sign?
PL_SIMD_INLINE pl_m8 may_cross(const edge_lanes a[2], const edge_lanes b[2], float extent) {
  vec3_lanes u[2], v[2], w[2];
  for (int k = 0; k < 2; ++k) {
    pl_f8 la = a[k].length, lb = b[k].length;
    u[k] = (vec3_lanes){a[k].along.x * la, a[k].along.y * la, a[k].along.z * la};
    v[k] = (vec3_lanes){b[k].along.x * lb, b[k].along.y * lb, b[k].along.z * lb};
    w[k] = sub3(a[k].first, b[k].first);
  }
  vec3_lanes du = sub3(u[1], u[0]), dv = sub3(v[1], v[0]), dw = sub3(w[1], w[0]);
  vec3_lanes n0 = cross3(u[0], v[0]), n1 = add3(cross3(u[0], dv), cross3(du, v[0])), n2 = cross3(du, dv);
  pl_f8 k0 = dot3(w[0], n0), k1 = dot3(dw, n0) + dot3(w[0], n1), k2 = dot3(dw, n1) + dot3(w[0], n2);
  pl_f8 b1 = k0 + k1 * (1.0f / 3), b2 = k0 + (k1 + k1 + k2) * (1.0f / 3), b3 = k0 + k1 + k2 + dot3(dw, n2);
  pl_f8 min = pl_f8_min(pl_f8_min(k0, b1), pl_f8_min(b2, b3)), max = pl_f8_max(pl_f8_max(k0, b1), pl_f8_max(b2, b3));
  pl_f8 error = (a[0].length + a[1].length + b[0].length + b[1].length) * (4e-6f * extent * extent);
  return ~((pl_m8)(min > error) | (pl_m8)(max < -error));
}

// Is an edge on one side of the other's line throughout the step, seen along n? Their ends move in
// straight lines, so what tells them apart along one direction at both ends of the step does so all
// the time. `of` is the one whose line it is, at the start.
PL_SIMD_INLINE pl_m8 is_beside(const edge_lanes a[2], const edge_lanes b[2], vec3_lanes n, vec3_lanes of, pl_f8 error) {
  vec3_lanes side = cross3(n, of);
  pl_m8 is_above = {-1, -1, -1, -1, -1, -1, -1, -1}, is_below = is_above;
  for (int k = 0; k < 2; ++k) {
    // Heights over the first end of b.
    pl_f8 zero = pl_f8_set1(0.0f), low = dot3(side, sub3(a[k].first, b[k].first));
    pl_f8 way = dot3(side, a[k].along) * a[k].length, other = dot3(side, b[k].along) * b[k].length;
    pl_f8 high = low + pl_f8_max(way, zero) + error;
    low = low + pl_f8_min(way, zero) - error;
    is_above &= (pl_m8)(low > pl_f8_max(other, zero));
    is_below &= (pl_m8)(high < pl_f8_min(other, zero));
  }
  return is_above | is_below;
}

// Do the edges pass each other by, although their lines may cross?
PL_SIMD_INLINE pl_m8 passes(const edge_lanes a[2], const edge_lanes b[2], vec3_lanes n, float extent) {
  pl_f8 error = pl_f8_set1(8e-6f * extent);
  return is_beside(a, b, n, a[0].along, error) | is_beside(a, b, n, b[0].along, error);
}

// The edges of a block that `mine` may touch at either end of the step, or cross, as bits.
PL_SIMD_INLINE pl_m8 touched_of_block(const float (*rows)[8], const edge_lanes mine[2], pl_f8 turn, pl_f8 rounding,
                                      const pl_lane_reach *reach) {
  edge_lanes other[2] = {load_edges(rows[PL_LANE_EDGE_START]), load_edges(rows[PL_LANE_EDGE_END])};
  pl_m8 may_touch = {0};
  for (int k = 0; k < 2; ++k) {
    vec3_lanes n = cross3(mine[k].along, other[k].along);
    pl_f8 sine = pl_f8_sqrt(dot3(n, n)), rises[2];
    rise3(&mine[k], &other[k], n, &rises[0], &rises[1]);
    pl_f8 flat = sine * (reach->rise + 0.025f) + rounding + 1e-5f;
    rises[0] -= flat;
    rises[1] -= flat;
    may_touch |= is_near(&mine[k], &other[k], n, sine, rises, reach, rounding);
    // Crossings are looked at from where the edges start, with the directions that they have later.
    if (k > 0) continue;
    pl_m8 crosses = may_cross(mine, other, reach->extent) & (pl_m8)(pl_f8_min(rises[0], rises[1]) <= turn);
    if (pl_m8_any(crosses)) crosses &= ~passes(mine, other, n, reach->extent);
    may_touch |= crosses;
  }
  return may_touch;
}

// Box of an edge in the frame of the other surface, wider by `limit`.
static void edge_box(const pl_surface_motion *motion, int32_t edge, const pl_lane_reach *reach, float low[3],
                     float high[3]) {
  const int32_t *points = motion->tree->edges[edge].points;
  for (int k = 0; k < 3; ++k) {
    float min = HUGE_VALF, max = -HUGE_VALF;
    for (int i = 0; i < 4; ++i) {
      int32_t point = points[i % 2];
      const float *from = &motion->lanes[2 * VEC3_LANES * (point / LANES) + point % LANES + LANES * k];
      float x = i < 2 ? from[0] + reach->start_shift[k] : from[VEC3_LANES] + reach->end_shift[k];
      min = x < min ? x : min;
      max = x > max ? x : max;
    }
    low[k] = min - reach->limit;
    high[k] = max + reach->limit;
  }
}

static int32_t list_edges(const pl_surface_motion *a, int32_t index, const pl_surface_motion *b,
                          const pl_lane_reach *reach, int32_t *touched) {
  const float(*own)[8] = (const float(*)[8])edge_rows(a->packed, index / LANES);
  const pl_lane_surface *surface = b->packed;
  int lane = index % LANES;
  float low[3], high[3], growth_a = growth_of(a->packed, reach->extent), growth_b = growth_of(surface, reach->extent);
  edge_box(a, a->packed->edges[index], reach, low, high);
  edge_lanes mine[2];
  bool is_loaded = false;
  int32_t count = 0, block_count = blocks_of(surface->edge_count);
  for (int32_t first = 0; first < block_count; first += LANES) {
    int met = met_blocks(surface->edge_boxes + (size_t)(first / LANES) * BOX_LANES, low, high);
    met &= used_lanes(block_count, first / LANES);
    for (; met != 0; met &= met - 1) {
      int32_t block = first + __builtin_ctz((unsigned)met);
      const float(*rows)[8] = (const float(*)[8])edge_rows(surface, block);
      pl_m8 missed = {0};
      for (int k = 0; k < 3; ++k)
        missed |= (pl_m8)(pl_f8_load(rows[PL_LANE_EDGE_BOX + k]) > high[k]) |
                  (pl_m8)(pl_f8_load(rows[PL_LANE_EDGE_BOX + 3 + k]) < low[k]);
      int bits = ~pl_m8_bits(missed) & used_lanes(surface->edge_count, block);
      if (bits == 0) continue;
      if (!is_loaded) {
        mine[0] = one_edge(&own[PL_LANE_EDGE_START], lane, reach->start_shift);
        mine[1] = one_edge(&own[PL_LANE_EDGE_END], lane, reach->end_shift);
        is_loaded = true;
      }
      pl_f8 turn = (pl_f8_load(rows[PL_LANE_EDGE_TURN]) + own[PL_LANE_EDGE_TURN][lane]) * 1.5f;
      pl_f8 rounding = pl_f8_load(rows[PL_LANE_EDGE_ROUNDING]) * growth_b + own[PL_LANE_EDGE_ROUNDING][lane] * growth_a;
      bits &= pl_m8_bits(touched_of_block(rows, mine, turn, rounding, reach));
      count = list_bits(bits, &surface->edges[LANES * block], touched, count);
    }
  }
  return count;
}
