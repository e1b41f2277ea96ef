// The filters; included by pair_lanes.c and pair_lanes_avx2.c with KERNELS set to the name of the table to define.
//
// Point and triangle: with r, e, f as in triangle_touch.c, V(t) = r . (e x f) lies between its Bernstein coefficients.
// Where these are all positive, or all negative and the start is farther behind than counts, nothing is crossed.
//
// Edge and edge: with n = u x v across both (contact_edges.c), a pair that touches has triangles that fall away from it
// on both sides, at the start or at the end of the step. n is that of unit vectors, so a turn of the edges within the
// step changes it by no more than the turns.

typedef struct vec3_lanes {
  pl_f8 x, y, z;
} vec3_lanes;

// From and to three rows.
PL_SIMD_INLINE vec3_lanes load3(const float *rows) {
  return (vec3_lanes){pl_f8_load(rows), pl_f8_load(rows + LANES), pl_f8_load(rows + 2 * LANES)};
}
PL_SIMD_INLINE void store3(float *rows, vec3_lanes a) {
  pl_f8_store(rows, a.x);
  pl_f8_store(rows + LANES, a.y);
  pl_f8_store(rows + 2 * LANES, a.z);
}
PL_SIMD_INLINE vec3_lanes set3(const float a[3]) {
  return (vec3_lanes){pl_f8_set1(a[0]), pl_f8_set1(a[1]), pl_f8_set1(a[2])};
}
PL_SIMD_INLINE vec3_lanes sub3(vec3_lanes a, vec3_lanes b) {
  return (vec3_lanes){a.x - b.x, a.y - b.y, a.z - b.z};
}
PL_SIMD_INLINE vec3_lanes add3(vec3_lanes a, vec3_lanes b) {
  return (vec3_lanes){a.x + b.x, a.y + b.y, a.z + b.z};
}
PL_SIMD_INLINE pl_f8 dot3(vec3_lanes a, vec3_lanes b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
PL_SIMD_INLINE vec3_lanes cross3(vec3_lanes a, vec3_lanes b) {
  return (vec3_lanes){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

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

static void pack_block(const float *lanes, const int32_t *corners, const int32_t items[8], float extent,
                       float (*rows)[8]) {
  float points[2][3][3][8] __attribute__((aligned(32)));  // [start, end][corner][component][lane]
  for (int i = 0; i < LANES; ++i)
    for (int c = 0; c < 3; ++c) {
      int32_t point = corners[3 * items[i] + c];
      const float *from = &lanes[2 * VEC3_LANES * (point / LANES) + point % LANES];
      for (int k = 0; k < 3; ++k) {
        points[0][c][k][i] = from[LANES * k];
        points[1][c][k][i] = from[VEC3_LANES + LANES * k];
      }
    }
  vec3_lanes a0 = load3(points[0][0][0]), b0 = load3(points[0][1][0]), c0 = load3(points[0][2][0]);
  vec3_lanes a1 = load3(points[1][0][0]), b1 = load3(points[1][1][0]), c1 = load3(points[1][2][0]);
  pl_f8 *p[6] = {&a0.x, &b0.x, &c0.x, &a1.x, &b1.x, &c1.x};
  for (int k = 0; k < 3; ++k) {
    pl_f8 min = p[0][k], max = min;
    for (int i = 1; i < 6; ++i) {
      min = pl_f8_min(min, p[i][k]);
      max = pl_f8_max(max, p[i][k]);
    }
    pl_f8_store(rows[PL_LANE_BOX + k], min);
    pl_f8_store(rows[PL_LANE_BOX + 3 + k], max);
  }
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

static void pack(const float *lanes, const int32_t *corners, float extent, pl_lane_triangles *triangles) {
  for (int32_t b = 0; LANES * b < triangles->count; ++b) {
    int32_t items[LANES];
    for (int32_t i = 0; i < LANES; ++i)
      items[i] = triangles->items[LANES * b + i < triangles->count ? LANES * b + i : triangles->count - 1];
    pack_block(lanes, corners, items, extent, triangles->rows[b]);
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

// Is the point, r from the first corner at the start and `last` at the end, outside one side of a triangle all the
// time? With weights u, v, w of the corners times the area, by their Bernstein coefficients; they tell as long as the
// triangle does not turn over.
PL_SIMD_INLINE pl_m8 passes_by(const float (*rows)[8], vec3_lanes r, vec3_lanes last) {
  pl_f8 miss = -pl_f8_load(rows[PL_LANE_MISS]), areas[3], u[3], v[3], max[3], min_area;
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

static int32_t list_crossed(const pl_lane_triangles *triangles, const pl_lane_path *path, int32_t *crossed) {
  int32_t count = 0;
  vec3_lanes start = set3(path->start), end = set3(path->end);
  float low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = (path->start[k] < path->end[k] ? path->start[k] : path->end[k]) - path->reach;
    high[k] = (path->start[k] < path->end[k] ? path->end[k] : path->start[k]) + path->reach;
  }
  for (int32_t b = 0; LANES * b < triangles->count; ++b) {
    const float(*rows)[8] = triangles->rows[b];
    pl_m8 missed = {0};
    for (int k = 0; k < 3; ++k)
      missed |= (pl_m8)(pl_f8_load(rows[PL_LANE_BOX + k]) > high[k]) |
                (pl_m8)(pl_f8_load(rows[PL_LANE_BOX + 3 + k]) < low[k]);
    int bits = ~pl_m8_bits(missed) & used_lanes(triangles->count, b);
    if (bits == 0) continue;
    vec3_lanes r = sub3(start, load3(rows[PL_LANE_START])), dr = sub3(sub3(end, load3(rows[PL_LANE_END])), r);
    vec3_lanes n0 = load3(rows[PL_LANE_VOLUMES]), n1 = load3(rows[PL_LANE_VOLUMES + 3]);
    vec3_lanes n2 = load3(rows[PL_LANE_VOLUMES + 6]);
    pl_f8 k0 = dot3(r, n0), k1 = dot3(dr, n0) + dot3(r, n1), k2 = dot3(dr, n1) + dot3(r, n2), k3 = dot3(dr, n2);
    pl_f8 b1 = k0 + k1 * (1.0f / 3), b2 = k0 + (k1 + k1 + k2) * (1.0f / 3), b3 = k0 + k1 + k2 + k3;
    pl_f8 min = pl_f8_min(pl_f8_min(k0, b1), pl_f8_min(b2, b3));
    pl_f8 max = pl_f8_max(pl_f8_max(k0, b1), pl_f8_max(b2, b3));
    pl_f8 rounding = pl_f8_load(rows[PL_LANE_ROUNDING]);
    // In front all the time, or behind, and then too far behind at the start to count as touching.
    pl_m8 behind = (pl_m8)(max < -rounding);
    if (!path->is_two_sided) behind &= (pl_m8)(k0 < -path->reach * pl_f8_load(rows[PL_LANE_AREA]) - rounding);
    pl_m8 kept = (pl_m8)(min > rounding) | behind;
    bits &= ~pl_m8_bits(kept);
    if (bits != 0) bits &= ~pl_m8_bits(passes_by(rows, r, add3(r, dr)));
    count = list_bits(bits, &triangles->items[LANES * b], crossed, count);
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

// Squared distance from the boxes, a little smaller than it is for rounding.
PL_SIMD_INLINE pl_f8 box_distance2(const float (*rows)[8], const float position[3]) {
  pl_f8 sum = pl_f8_set1(0.0f), zero = sum;
  for (int k = 0; k < 3; ++k) {
    pl_f8 below = pl_f8_load(rows[PL_LANE_BOX + k]) - position[k],
          above = position[k] - pl_f8_load(rows[PL_LANE_BOX + 3 + k]);
    pl_f8 away = pl_f8_max(pl_f8_max(below, above) - pl_f8_load(rows[PL_LANE_ERROR]), zero);
    sum += away * away;
  }
  return sum;
}

static int32_t list_nearest(const pl_lane_triangles *triangles, const float position[3], float limit,
                            int32_t *nearest) {
  float lows[PL_LANE_TRIANGLES] __attribute__((aligned(32)));
  vec3_lanes x = set3(position);
  pl_f8 best = pl_f8_set1(limit), zero = pl_f8_set1(0.0f);
  float min = limit, best2 = limit * limit * 1.00001f;
  for (int32_t b = 0; LANES * b < triangles->count; ++b) {
    const float(*rows)[8] = triangles->rows[b];
    if (pl_m8_all((pl_m8)(box_distance2(rows, position) > best2))) {
      pl_f8_store(&lows[LANES * b], pl_f8_set1(HUGE_VALF));
      continue;
    }
    vec3_lanes d = sub3(x, load3(rows[PL_LANE_END])), e = load3(rows[PL_LANE_SIDES]);
    vec3_lanes f = load3(rows[PL_LANE_SIDES + 3]);
    pl_f8 ee = dot3(e, e), ff = dot3(f, f), ef = dot3(e, f), de = dot3(d, e), df = dot3(d, f);
    pl_f8 area2 = ee * ff - ef * ef, s = ff * de - ef * df, t = ee * df - ef * de;
    pl_m8 is_over = (pl_m8)(s >= zero) & (pl_m8)(t >= zero) & (pl_m8)(s + t <= area2) & (pl_m8)(area2 > zero);
    s = s / area2, t = t / area2;
    vec3_lanes q = {d.x - s * e.x - t * f.x, d.y - s * e.y - t * f.y, d.z - s * e.z - t * f.z};
    pl_f8 distance2 = pl_f8_min(segment_distance2(d, e), segment_distance2(d, f));
    distance2 = pl_f8_min(distance2, segment_distance2(sub3(d, e), sub3(f, e)));
    distance2 = pl_f8_select(is_over, pl_f8_min(dot3(q, q), distance2), distance2);
    pl_f8 distance = pl_f8_sqrt(distance2), error = pl_f8_load(rows[PL_LANE_ERROR]);
    pl_f8_store(&lows[LANES * b], distance - error);
    best = pl_f8_min(distance + error, best);
    float bests[LANES] __attribute__((aligned(32)));
    pl_f8_store(bests, best);
    for (int i = 0; i < LANES; ++i) min = bests[i] < min ? bests[i] : min;
    best2 = min * min * 1.00001f;
  }
  int32_t count = 0;
  for (int32_t b = 0; LANES * b < triangles->count; ++b) {
    int bits = ~pl_m8_bits((pl_m8)(pl_f8_load(&lows[LANES * b]) > min)) & used_lanes(triangles->count, b);
    count = list_bits(bits, &triangles->items[LANES * b], nearest, count);
  }
  return count;
}

// --- edges

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

PL_SIMD_INLINE edge_lanes one_edge(const float (*rows)[8], int lane) {
  float one[13];
  for (int k = 0; k < 13; ++k) one[k] = rows[k][lane];
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

// Fill the rows of one end of the step, given the two points and the two opposite corners. Returns the sine of the
// angle between the triangles; `rounding` grows by what directions may be off by.
PL_SIMD_INLINE pl_f8 pack_end(const float *points, const float shift[3], float extent, float *rows, pl_f8 *rounding) {
  vec3_lanes first = load3(points), along, across[2];
  pl_f8 length, height[2];
  along = unit3(sub3(load3(points + VEC3_LANES), first), &length);
  *rounding += 1e-6f * extent / length;
  for (int k = 0; k < 2; ++k) {
    vec3_lanes side = across3(sub3(load3(points + (2 + k) * VEC3_LANES), first), along);
    across[k] = unit3(side, &height[k]);
    // Borders have no height.
    *rounding += pl_f8_select((pl_m8)(height[k] > pl_f8_set1(0.0f)), 1e-6f * extent / height[k], pl_f8_set1(0.0f));
    store3(rows + (2 + k) * VEC3_LANES, across[k]);
  }
  store3(rows, add3(first, set3(shift)));
  store3(rows + VEC3_LANES, along);
  pl_f8_store(rows + 4 * VEC3_LANES, length);
  // The first triangle has its third corner to the left of the edge.
  return -dot3(cross3(along, across[0]), across[1]);
}

static void pack_edge_block(const pl_surface_motion *motion, const pl_lane_region *region, float extent, float min_sine,
                            pl_lane_edges *edges, int32_t block) {
  float points[2][4][3][8] __attribute__((aligned(32)));  // [start, end][ends and opposite corners][component][lane]
  float(*rows)[8] = edges->rows[block];
  int borders = 0;
  for (int i = 0; i < LANES; ++i) {
    int32_t index = LANES * block + i < edges->count ? LANES * block + i : edges->count - 1;
    const pl_surface_edge *edge = &motion->tree->edges[edges->items[index]];
    int32_t corners[4] = {edge->points[0], edge->points[1], edge->opposite[0], edge->opposite[1]};
    for (int c = 0; c < 4; ++c) {
      bool is_border = c >= 2 && (corners[c] < 0 || edge->triangles[c - 2] < 0);
      if (is_border) borders |= 1 << i;
      int32_t point = is_border ? corners[0] : corners[c];
      const float *from = &motion->lanes[2 * VEC3_LANES * (point / LANES) + point % LANES];
      for (int k = 0; k < 3; ++k) {
        points[0][c][k][i] = from[LANES * k];
        points[1][c][k][i] = from[VEC3_LANES + LANES * k];
      }
    }
  }
  for (int k = 0; k < 3; ++k) {
    pl_f8 a = pl_f8_load(points[0][0][k]) + region->start_shift[k],
          b = pl_f8_load(points[0][1][k]) + region->start_shift[k];
    pl_f8 c = pl_f8_load(points[1][0][k]) + region->end_shift[k],
          d = pl_f8_load(points[1][1][k]) + region->end_shift[k];
    pl_f8_store(rows[PL_LANE_EDGE_BOX + k], pl_f8_min(pl_f8_min(a, b), pl_f8_min(c, d)));
    pl_f8_store(rows[PL_LANE_EDGE_BOX + 3 + k], pl_f8_max(pl_f8_max(a, b), pl_f8_max(c, d)));
  }
  pl_f8 rounding = pl_f8_set1(0.0f);
  pack_end(points[0][0][0], region->start_shift, extent, rows[PL_LANE_EDGE_START], &rounding);
  pl_f8 sine = pack_end(points[1][0][0], region->end_shift, extent, rows[PL_LANE_EDGE_END], &rounding);
  vec3_lanes turn = sub3(load3(rows[PL_LANE_EDGE_END + 3]), load3(rows[PL_LANE_EDGE_START + 3]));
  pl_f8_store(rows[PL_LANE_EDGE_TURN], pl_f8_sqrt(dot3(turn, turn)));
  pl_f8_store(rows[PL_LANE_EDGE_ROUNDING], rounding);
  pl_m8 flat = min_sine < 0 ? (pl_m8)(pl_f8_abs(sine) + rounding < -min_sine) : (pl_m8)(sine + rounding < min_sine);
  edges->sharp[block] = (~pl_m8_bits(flat) | borders) & used_lanes(edges->count, block);
}

static void pack_edges(const pl_surface_motion *motion, const pl_lane_region *region, float extent, float min_sine,
                       pl_lane_edges *edges) {
  for (int32_t b = 0; LANES * b < edges->count; ++b) pack_edge_block(motion, region, extent, min_sine, edges, b);
}

// How far the triangles at both edges fail to fall away from each other along n = u x v, and against it; unit lengths.
PL_SIMD_INLINE void rise3(const edge_lanes *a, const edge_lanes *b, vec3_lanes n, pl_f8 *along, pl_f8 *against) {
  pl_f8 a1 = dot3(n, a->across[0]), a2 = dot3(n, a->across[1]);
  pl_f8 b1 = dot3(n, b->across[0]), b2 = dot3(n, b->across[1]);
  *along = pl_f8_max(pl_f8_max(-a1, -a2), pl_f8_max(b1, b2));
  *against = pl_f8_max(pl_f8_max(a1, a2), pl_f8_max(-b1, -b2));
}

// Are the nearest points of both lines on the edges, and the edges near each other or a little inside, seen from where
// their triangles fall away? `rises` are those of rise3(), beyond what counts as falling.
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

static int32_t list_edges(const pl_lane_edges *a, int32_t index, const pl_lane_edges *b, const pl_lane_reach *reach,
                          int32_t *touched) {
  const float(*own)[8] = a->rows[index / LANES];
  int lane = index % LANES;
  float low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = own[PL_LANE_EDGE_BOX + k][lane] - reach->limit;
    high[k] = own[PL_LANE_EDGE_BOX + 3 + k][lane] + reach->limit;
  }
  edge_lanes mine[2] = {one_edge(&own[PL_LANE_EDGE_START], lane), one_edge(&own[PL_LANE_EDGE_END], lane)};
  int32_t count = 0;
  for (int32_t block = 0; LANES * block < b->count; ++block) {
    const float(*rows)[8] = b->rows[block];
    pl_m8 missed = {0};
    for (int k = 0; k < 3; ++k)
      missed |= (pl_m8)(pl_f8_load(rows[PL_LANE_EDGE_BOX + k]) > high[k]) |
                (pl_m8)(pl_f8_load(rows[PL_LANE_EDGE_BOX + 3 + k]) < low[k]);
    int bits = ~pl_m8_bits(missed) & b->sharp[block];
    if (bits == 0) continue;
    edge_lanes other[2] = {load_edges(rows[PL_LANE_EDGE_START]), load_edges(rows[PL_LANE_EDGE_END])};
    pl_f8 turn = (pl_f8_load(rows[PL_LANE_EDGE_TURN]) + own[PL_LANE_EDGE_TURN][lane]) * 1.5f;
    pl_f8 rounding = pl_f8_load(rows[PL_LANE_EDGE_ROUNDING]) + own[PL_LANE_EDGE_ROUNDING][lane];
    pl_m8 may_touch = {0};
    for (int k = 0; k < 2; ++k) {
      vec3_lanes n = cross3(mine[k].along, other[k].along);
      pl_f8 sine = pl_f8_sqrt(dot3(n, n)), rises[2];
      rise3(&mine[k], &other[k], n, &rises[0], &rises[1]);
      pl_f8 flat = sine * 0.025f + rounding + 1e-5f;
      rises[0] -= flat;
      rises[1] -= flat;
      may_touch |= is_near(&mine[k], &other[k], n, sine, rises, reach, rounding);
      // Crossings are looked at from where the edges start, with the directions that they have later.
      if (k == 0) may_touch |= may_cross(mine, other, reach->extent) & (pl_m8)(pl_f8_min(rises[0], rises[1]) <= turn);
    }
    count = list_bits(bits & pl_m8_bits(may_touch), &b->items[LANES * block], touched, count);
  }
  return count;
}

const pl_lane_kernels KERNELS = {.classify = classify,
                                 .pack = pack,
                                 .list_crossed = list_crossed,
                                 .list_nearest = list_nearest,
                                 .pack_edges = pack_edges,
                                 .list_edges = list_edges};
