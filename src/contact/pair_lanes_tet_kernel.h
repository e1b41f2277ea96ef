// The tets of a body, eight at a time; included by pair_lanes_kernel.h.
//
// With corners a, b, c, d and r = x - a, the weights of b, c and d at x are r . g, the gradients g
// being the rows of the inverse of [b - a, c - a, d - a]; |g| is one over the height of the tet above
// the face where the weight is zero. A point is in the tet where no weight is negative; beyond a face
// on the surface it may be as far away as `limit`.

// What rounding does to weights, at most, in tets that are not flat.
static const float WEIGHT_ROUNDING = 1e-5f;
// Volume of a tet, as a fraction of the product of three edges, below which it is flat.
static const float FLAT_TET = 1e-5f;

static float (*tet_rows(const pl_lane_tets *tets, int32_t block))[8] {
  return (float(*)[8])(tets->rows + (size_t)block * PL_LANE_TET_ROWS * LANES);
}

PL_SIMD_INLINE pl_f8 length3(vec3_lanes a) {
  return pl_f8_sqrt(dot3(a, a));
}

static void pack_tet_block(const pl_f4 *points, const pl_tet_map *map, int32_t block, pl_lane_tets *tets) {
  const int32_t *corners = map->corners + (size_t)block * 4 * LANES;
  const float *faces = map->faces + (size_t)block * 4 * LANES;
  float(*rows)[8] = tet_rows(tets, block), box[6][8] __attribute__((aligned(32)));
  vec3_lanes a = gather3(points, corners), b = gather3(points, corners + LANES);
  vec3_lanes c = gather3(points, corners + 2 * LANES), d = gather3(points, corners + 3 * LANES);
  store3(box[0], min3(min3(a, b), min3(c, d)));
  store3(box[3], max3(max3(a, b), max3(c, d)));
  store_block_box((const float(*)[8])box, block, tets->boxes);
  vec3_lanes e = sub3(b, a), f = sub3(c, a), g = sub3(d, a);
  vec3_lanes n[3] = {cross3(f, g), cross3(g, e), cross3(e, f)};
  pl_f8 volume = dot3(e, n[0]), size = length3(e) * length3(f) * length3(g);
  // Nothing is inside a tet without volume.
  pl_m8 is_solid = (pl_m8)(pl_f8_abs(volume) > FLAT_TET * size);
  pl_f8 inverse = pl_f8_select(is_solid, 1.0f / volume, pl_f8_set1(0.0f)), never = pl_f8_set1(-HUGE_VALF);
  store3(rows[PL_LANE_TET_CORNER], a);
  for (int k = 0; k < 3; ++k) {
    n[k] = (vec3_lanes){n[k].x * inverse, n[k].y * inverse, n[k].z * inverse};
    store3(rows[PL_LANE_TET_GRADIENTS + 3 * k], n[k]);
    pl_f8_store(rows[PL_LANE_TET_FACES + 1 + k], length3(n[k]) * pl_f8_load(faces + (1 + k) * LANES));
  }
  vec3_lanes first = add3(add3(n[0], n[1]), n[2]);
  pl_f8_store(rows[PL_LANE_TET_FACES], pl_f8_select(is_solid, length3(first) * pl_f8_load(faces), never));
}

static void pack_tets(const pl_tet_map *map, const pl_vec3 *positions, int32_t count, pl_lane_tets *tets) {
  pl_f4 points[PL_TET_MAP_PARTICLES];
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 p = pl_vec3_sub(positions[i], tets->origin);
    points[i] = (pl_f4){(float)p.x, (float)p.y, (float)p.z, 0.0f};
  }
  for (int32_t b = 0; b < map->block_count; ++b) pack_tet_block(points, map, b, tets);
  for (int32_t g = 0; g < blocks_of(map->block_count); ++g)
    store_block_box((const float(*)[8])(tets->boxes + (size_t)g * BOX_LANES), g, tets->groups);
}

// How far inside the eight tets of a block a position is, as its smallest weight; negative outside.
PL_SIMD_INLINE pl_f8 tet_insides(const float (*rows)[8], const float position[3], float limit, pl_f8 weights[4]) {
  vec3_lanes r = sub3(set3(position), load3(rows[PL_LANE_TET_CORNER]));
  pl_f8 rounding = pl_f8_set1(WEIGHT_ROUNDING), inside = pl_f8_set1(HUGE_VALF);
  weights[0] = pl_f8_set1(1.0f);
  for (int k = 0; k < 3; ++k) {
    weights[1 + k] = dot3(r, load3(rows[PL_LANE_TET_GRADIENTS + 3 * k]));
    weights[0] -= weights[1 + k];
  }
  for (int k = 0; k < 4; ++k)
    inside = pl_f8_min(inside, weights[k] + limit * pl_f8_load(rows[PL_LANE_TET_FACES + k]) + rounding);
  return inside;
}

// The tets that eight positions may be in: those near these boxes, of each position and of all.
typedef struct lookup_boxes {
  pl_f8 low[3], high[3];
  float all_low[3], all_high[3];
} lookup_boxes;

static void fill_boxes(const pl_lane_lookup *l, lookup_boxes *at) {
  for (int k = 0; k < 3; ++k) {
    pl_f8 x = pl_f8_load(l->positions[k]);
    at->low[k] = x - l->limit, at->high[k] = x + l->limit;
    at->all_low[k] = min_lane(at->low[k]), at->all_high[k] = -min_lane(-at->high[k]);
  }
}

// Which of the positions may be in the tets of a block.
PL_SIMD_INLINE int met_positions(const lookup_boxes *at, const float *box) {
  pl_m8 missed = {0};
  for (int k = 0; k < 3; ++k)
    missed |= (pl_m8)(at->high[k] < box[LANES * k]) | (pl_m8)(at->low[k] > box[LANES * (k + 3)]);
  return ~pl_m8_bits(missed) & 0xFF;
}

// Look a position up in a block; `depth` is how deep inside it is in the deepest tet so far. The last block is filled
// up with its last tet: what comes later is not deeper.
static void search_block(const pl_lane_tets *tets, int32_t block, int position, float *depth, pl_lane_lookup *l) {
  const float at[3] = {l->positions[0][position], l->positions[1][position], l->positions[2][position]};
  pl_f8 in[4], inside = tet_insides((const float(*)[8])tet_rows(tets, block), at, l->limit, in);
  for (int bits = pl_m8_bits((pl_m8)(inside > *depth)); bits != 0; bits &= bits - 1) {
    int lane = __builtin_ctz((unsigned)bits);
    if (!(inside[lane] > *depth)) continue;
    *depth = inside[lane];
    l->tets[position] = LANES * block + lane;
    for (int k = 0; k < 4; ++k) l->weights[position][k] = in[k][lane];
  }
}

// Boxes around eight blocks first, then those of the blocks; both for all positions at once.
static void find_tets(const pl_tet_map *map, const pl_lane_tets *tets, pl_lane_lookup *l) {
  lookup_boxes at;
  float depths[LANES] = {0};
  fill_boxes(l, &at);
  for (int i = 0; i < LANES; ++i) l->tets[i] = -1;
  int used = used_lanes(l->count, 0);
  int32_t group_count = blocks_of(map->block_count);
  for (int32_t first = 0; first < group_count; first += LANES) {
    int groups = met_blocks(tets->groups + (size_t)(first / LANES) * BOX_LANES, at.all_low, at.all_high);
    for (groups &= used_lanes(group_count, first / LANES); groups != 0; groups &= groups - 1) {
      int32_t group = first + __builtin_ctz((unsigned)groups);
      const float *boxes = tets->boxes + (size_t)group * BOX_LANES;
      int blocks = met_blocks(boxes, at.all_low, at.all_high);
      for (blocks &= used_lanes(map->block_count, group); blocks != 0; blocks &= blocks - 1) {
        int block = __builtin_ctz((unsigned)blocks), met = met_positions(&at, boxes + block);
        for (met &= used; met != 0; met &= met - 1) {
          int position = __builtin_ctz((unsigned)met);
          search_block(tets, LANES * group + block, position, &depths[position], l);
        }
      }
    }
  }
}

static int32_t list_points(const float *lanes, int32_t block_count, const pl_lane_hull *hull, int32_t *points) {
  int32_t count = 0;
  for (int32_t b = 0; b < block_count; ++b) {
    const float *end = &lanes[2 * VEC3_LANES * b + VEC3_LANES];
    pl_f8 x[3], heights[PL_PAIR_DIRECTIONS];
    pl_m8 missed = {0};
    for (int k = 0; k < 3; ++k) {
      x[k] = pl_f8_load_unaligned(&end[LANES * k]) + hull->shift[k];
      missed |= (pl_m8)(x[k] > hull->max[k]) | (pl_m8)(x[k] < hull->min[k]);
    }
    if (pl_m8_all(missed)) continue;
    heights_of((vec3_lanes){x[0], x[1], x[2]}, heights);
    for (int k = 0; k < PL_PAIR_DIRECTIONS; ++k)
      missed |= (pl_m8)(heights[k] > hull->direction_max[k]) | (pl_m8)(heights[k] < hull->direction_min[k]);
    for (int bits = ~pl_m8_bits(missed) & 0xFF; bits != 0; bits &= bits - 1)
      points[count++] = LANES * b + __builtin_ctz((unsigned)bits);
  }
  return count;
}
