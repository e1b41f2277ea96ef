// What axes of pairs ask of a small surface (pair_axis.c): its points in lanes, how far they reach, and the lowest of
// them; included by pair_lanes_kernel.h.

// x, y and z of four points, relative to an origin: twelve numbers in a row, of which every third is an x.
static inline void fill_four(const pl_vec3 *points, pl_vec3 origin, float *lanes) {
  const double *from = &points[0].x, o[3] = {origin.x, origin.y, origin.z};
  pl_f4 a[3], x, y, z;
  for (int k = 0; k < 3; ++k) {
    pl_d4 shifts = {o[k], o[(k + 1) % 3], o[(k + 2) % 3], o[k]};
    a[k] = __builtin_convertvector(pl_d4_load(from + 4 * k) - shifts, pl_f4);
  }
  x = __builtin_shufflevector(__builtin_shufflevector(a[0], a[1], 0, 3, 6, 6), a[2], 0, 1, 2, 5);
  y = __builtin_shufflevector(__builtin_shufflevector(a[0], a[1], 1, 4, 7, 7), a[2], 0, 1, 2, 6);
  z = __builtin_shufflevector(__builtin_shufflevector(a[0], a[1], 2, 5, 5, 5), a[2], 0, 1, 4, 7);
  memcpy(lanes, &x, sizeof x);
  memcpy(lanes + LANES, &y, sizeof y);
  memcpy(lanes + 2 * LANES, &z, sizeof z);
}

static void fill_block(const pl_vec3 *points, pl_vec3 origin, float *lanes) {
  fill_four(points, origin, lanes);
  fill_four(points + LANES / 2, origin, lanes + LANES / 2);
}

static void fill_lanes(const pl_vec3 *points, int32_t count, pl_vec3 origin, float *lanes) {
  int32_t whole = count / LANES;
  for (int32_t b = 0; b < whole; ++b) fill_block(&points[LANES * b], origin, &lanes[2 * VEC3_LANES * b]);
  if (LANES * whole == count) return;
  pl_vec3 last[LANES];
  for (int32_t i = 0; i < LANES; ++i) last[i] = points[LANES * whole + i < count ? LANES * whole + i : count - 1];
  fill_block(last, origin, &lanes[2 * VEC3_LANES * whole]);
}

// Heights of eight points along the fixed directions, in their order (pair_axis.c).
PL_SIMD_INLINE void heights_of(vec3_lanes p, pl_f8 heights[PL_PAIR_DIRECTIONS]) {
  pl_f8 sum = p.x + p.y, difference = p.x - p.y;
  heights[0] = sum, heights[1] = difference;
  heights[2] = p.x + p.z, heights[3] = p.x - p.z;
  heights[4] = p.y + p.z, heights[5] = p.y - p.z;
  heights[6] = sum + p.z, heights[7] = sum - p.z;
  heights[8] = difference + p.z, heights[9] = difference - p.z;
}

// Points on any address.
PL_SIMD_INLINE vec3_lanes load_points(const float *lanes) {
  return (vec3_lanes){pl_f8_load_unaligned(lanes), pl_f8_load_unaligned(lanes + LANES),
                      pl_f8_load_unaligned(lanes + 2 * LANES)};
}

static void fill_extents(const float *lanes, int32_t block_count, float min[PL_PAIR_DIRECTIONS],
                         float max[PL_PAIR_DIRECTIONS]) {
  pl_f8 low[PL_PAIR_DIRECTIONS], high[PL_PAIR_DIRECTIONS], heights[PL_PAIR_DIRECTIONS];
  for (int k = 0; k < PL_PAIR_DIRECTIONS; ++k) low[k] = pl_f8_set1(HUGE_VALF), high[k] = -low[k];
  for (int32_t b = 0; b < block_count; ++b) {
    heights_of(load_points(&lanes[2 * VEC3_LANES * b]), heights);
    for (int k = 0; k < PL_PAIR_DIRECTIONS; ++k) {
      low[k] = pl_f8_min(heights[k], low[k]);
      high[k] = pl_f8_max(heights[k], high[k]);
    }
  }
  for (int k = 0; k < PL_PAIR_DIRECTIONS; ++k) min[k] = min_lane(low[k]), max[k] = -min_lane(-high[k]);
}

static bool are_apart(const pl_surface_extents *upper, const pl_surface_extents *lower, const float offset[3],
                      const float shift[3], float min_gap) {
  for (int k = 0; k < PL_PAIR_DIRECTION_LANES; k += LANES) {
    pl_f8 nx = pl_f8_load_unaligned(&pl_pair_directions[0][k]), ny = pl_f8_load_unaligned(&pl_pair_directions[1][k]);
    pl_f8 nz = pl_f8_load_unaligned(&pl_pair_directions[2][k]), length;
    pl_f8 o = nx * offset[0] + ny * offset[1] + nz * offset[2], s = nx * shift[0] + ny * shift[1] + nz * shift[2];
    pl_f8 upper_min = pl_f8_load_unaligned(&upper->start_min[k]) + s;
    pl_f8 upper_max = pl_f8_load_unaligned(&upper->start_max[k]) + s;
    upper_min = pl_f8_min(upper_min, pl_f8_load_unaligned(&upper->end_min[k])) + o;
    upper_max = pl_f8_max(upper_max, pl_f8_load_unaligned(&upper->end_max[k])) + o;
    pl_f8 lower_min = pl_f8_min(pl_f8_load_unaligned(&lower->start_min[k]), pl_f8_load_unaligned(&lower->end_min[k]));
    pl_f8 lower_max = pl_f8_max(pl_f8_load_unaligned(&lower->start_max[k]), pl_f8_load_unaligned(&lower->end_max[k]));
    length = pl_f8_load_unaligned(&pl_pair_direction_lengths[k]);
    if (pl_m8_any((pl_m8)(pl_f8_max(upper_min - lower_max, lower_min - upper_max) > length * min_gap))) return true;
  }
  return false;
}

static int32_t find_lowest(const float *lanes, int32_t block_count, const float normal[3], float shift, float *height) {
  vec3_lanes n = set3(normal);
  pl_f8 best = pl_f8_set1(HUGE_VALF);
  pl_m8 blocks = {0};
  for (int32_t b = 0; b < block_count; ++b) {
    const float *start = &lanes[2 * VEC3_LANES * b];
    pl_f8 low = pl_f8_min(dot3(load_points(start), n) + shift, dot3(load_points(start + VEC3_LANES), n));
    pl_m8 is_lower = (pl_m8)(low < best), here = (pl_m8){0} + b;
    best = pl_f8_select(is_lower, low, best);
    blocks = (is_lower & here) | (~is_lower & blocks);
  }
  // Among equals the first.
  float min = min_lane(best);
  int32_t point = INT32_MAX;
  for (int bits = pl_m8_bits((pl_m8)(best == min)); bits != 0; bits &= bits - 1) {
    int lane = __builtin_ctz((unsigned)bits);
    int32_t other = LANES * blocks[lane] + lane;
    point = other < point ? other : point;
  }
  *height = min;
  return point;
}
