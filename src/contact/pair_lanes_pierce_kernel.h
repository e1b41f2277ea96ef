// The filters for edges that pass through triangles; included by pair_lanes_kernel.h.
//
// As in contact_intersect.c: the line of an edge pq passes through the plane of a triangle between
// its ends if the volumes of p and of q with it differ in sign, and through the triangle if those
// of pq with its three sides have one sign. What rounding may do to a volume is allowed for.

// Eight points at a time, and the number of the first.
PL_SIMD_INLINE vec3_lanes place_eight(const pl_vec3 *points, int32_t first, int32_t count, pl_vec3 origin,
                                      float (*places)[4]) {
  float rows[VEC3_LANES] __attribute__((aligned(32)));
  for (int32_t i = 0; i < LANES; ++i) {
    // The last eight are filled up with the last point.
    pl_vec3 p = points[first + i < count ? first + i : count - 1];
    float x = (float)(p.x - origin.x), y = (float)(p.y - origin.y), z = (float)(p.z - origin.z);
    rows[i] = places[first + i][0] = x;
    rows[LANES + i] = places[first + i][1] = y;
    rows[2 * LANES + i] = places[first + i][2] = z;
    places[first + i][3] = 0.0f;
  }
  return load3(rows);
}

static void place_points(const pl_vec3 *points, int32_t count, const pl_lane_overlap *overlap, pl_lane_points *to) {
  pl_f8 extent = pl_f8_set1(0.0f), low = pl_f8_set1(HUGE_VALF), high = -low;
  for (int32_t first = 0; first < count; first += LANES) {
    vec3_lanes p = place_eight(points, first, count, overlap->origin, to->places);
    const pl_f8 along[3] = {p.x, p.y, p.z};
    pl_m8 code = {0};
    for (int k = 0; k < 3; ++k) {
      code |= bit_where((pl_m8)(along[k] < overlap->min[k]), 1 << k) |
              bit_where((pl_m8)(along[k] > overlap->max[k]), 8 << k);
      extent = pl_f8_max(pl_f8_abs(along[k]), extent);
    }
    pl_f8 height = dot3(p, set3(overlap->normal));
    low = pl_f8_min(height, low);
    high = pl_f8_max(height, high);
    pl_f8_store(&to->heights[first], height);
    *(pl_m8 *)(void *)&to->codes[first] = code;
  }
  to->count = count;
  to->extent = -min_lane(-extent);
  to->low = min_lane(low);
  to->high = -min_lane(-high);
}

static void clip_points(pl_lane_points *points, float low, float high) {
  for (int32_t first = 0; first < points->count; first += LANES) {
    pl_f8 height = pl_f8_load(&points->heights[first]);
    *(pl_m8 *)(void *)&points->codes[first] |=
        bit_where((pl_m8)(height < low), 64) | bit_where((pl_m8)(height > high), 128);
  }
}

static void pack_pierced(const pl_lane_points *points, const int32_t *corners, float tolerance, float extent,
                         pl_lane_pierced *pierced) {
  const pl_f4 *places = (const pl_f4 *)(const void *)points->places;
  for (int32_t block = 0; block < blocks_of(pierced->count); ++block) {
    float(*rows)[8] = pierced->rows[block];
    int32_t index[VEC3_LANES];
    for (int32_t i = 0; i < LANES; ++i) {
      int32_t item = LANES * block + i < pierced->count ? LANES * block + i : pierced->count - 1;
      for (int c = 0; c < 3; ++c) index[LANES * c + i] = corners[3 * pierced->triangles[item] + c];
    }
    vec3_lanes c[3];
    for (int k = 0; k < 3; ++k) {
      c[k] = gather3(places, &index[LANES * k]);
      store3(rows[PL_LANE_PIERCED_CORNERS + 3 * k], c[k]);
    }
    store3(rows[PL_LANE_PIERCED_BOX], min3(min3(c[0], c[1]), c[2]));
    store3(rows[PL_LANE_PIERCED_BOX + 3], max3(max3(c[0], c[1]), c[2]));
    store_block_box((const float(*)[8])rows[PL_LANE_PIERCED_BOX], block, pierced->boxes);
    vec3_lanes e = sub3(c[1], c[0]), f = sub3(c[2], c[0]), n = cross3(e, f);
    store3(rows[PL_LANE_PIERCED_NORMAL], n);
    pl_f8 lengths = pl_f8_sqrt(dot3(e, e)) + pl_f8_sqrt(dot3(f, f));
    pl_f8_store(rows[PL_LANE_PIERCED_LIMIT],
                pl_f8_sqrt(dot3(n, n)) * (0.9999f * tolerance) - lengths * (2e-6f * extent * extent));
  }
}

// The triangles of one block that an edge may pass through, as bits. `along`: from p to q.
PL_SIMD_INLINE int pierced_of_block(const float (*rows)[8], vec3_lanes p, vec3_lanes along, pl_f8 rounding) {
  vec3_lanes c[3], n = load3(rows[PL_LANE_PIERCED_NORMAL]);
  for (int k = 0; k < 3; ++k) c[k] = sub3(load3(rows[PL_LANE_PIERCED_CORNERS + 3 * k]), p);
  pl_f8 d = -dot3(n, c[0]), e = d + dot3(n, along), limit = pl_f8_load(rows[PL_LANE_PIERCED_LIMIT]);
  pl_m8 kept = (pl_m8)(pl_f8_min(d, e) > -limit) | (pl_m8)(pl_f8_max(d, e) < limit);
  int bits = ~pl_m8_bits(kept) & 0xFF;
  if (bits == 0) return 0;
  pl_f8 x = dot3(along, cross3(c[0], c[1])), y = dot3(along, cross3(c[1], c[2])), z = dot3(along, cross3(c[2], c[0]));
  kept = (pl_m8)(pl_f8_min(pl_f8_min(x, y), z) < -rounding) & (pl_m8)(pl_f8_max(pl_f8_max(x, y), z) > rounding);
  return bits & ~pl_m8_bits(kept);
}

// The triangles of a block that an edge within a box may pass through, of those in `bits`.
PL_SIMD_INLINE int met_of_block(const float (*rows)[8], const float low[3], const float high[3], int bits) {
  pl_m8 missed = {0};
  for (int k = 0; k < 3; ++k)
    missed |= (pl_m8)(pl_f8_load(rows[PL_LANE_PIERCED_BOX + k]) > high[k]) |
              (pl_m8)(pl_f8_load(rows[PL_LANE_PIERCED_BOX + 3 + k]) < low[k]);
  return bits & ~pl_m8_bits(missed);
}

static void sort_few(int32_t *list, int32_t count) {
  for (int32_t i = 1; i < count; ++i) {
    int32_t item = list[i], k = i;
    for (; k > 0 && list[k - 1] > item; --k) list[k] = list[k - 1];
    list[k] = item;
  }
}

static int32_t list_pierced(const pl_lane_pierced *pierced, const float first[3], const float second[3], float extent,
                            bool by_moved, int32_t *list) {
  int32_t count = 0, block_count = blocks_of(pierced->count);
  float low[3], high[3], way[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = first[k] < second[k] ? first[k] : second[k];
    high[k] = first[k] < second[k] ? second[k] : first[k];
    way[k] = second[k] - first[k];
  }
  vec3_lanes p = set3(first), along = set3(way);
  pl_f8 rounding = pl_f8_set1(5e-6f * extent * extent * extent);
  for (int32_t begin = 0; begin < block_count; begin += LANES) {
    int met = met_blocks(&pierced->boxes[(size_t)(begin / LANES) * BOX_LANES], low, high);
    for (met &= used_lanes(block_count, begin / LANES); met != 0; met &= met - 1) {
      int32_t block = begin + __builtin_ctz((unsigned)met);
      const float(*rows)[8] = (const float(*)[8])pierced->rows[block];
      int bits = by_moved ? pierced->moved[block] : used_lanes(pierced->count, block);
      bits = bits == 0 ? 0 : met_of_block(rows, low, high, bits);
      if (bits == 0) continue;
      bits &= pierced_of_block(rows, p, along, rounding);
      count = list_bits(bits, &pierced->triangles[LANES * block], list, count);
    }
  }
  sort_few(list, count);
  return count;
}
