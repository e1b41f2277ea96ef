// The inner loops, written once and compiled per instruction set with KERNELS set; no include guard on purpose. Only
// exactly rounded operations are used, so every instruction set gives the same bits.
//
//   r   position in the window
//   w   its weight, (2 pi)^(-3/2) put in at the end
//   q   key of the query
//   k   key of an example

// exp(y) for y <= 0, to about 1e-7: 2^n times the series of the remainder, at most half of ln 2. Below -87 it stays at
// exp(-87).
PL_SIMD_INLINE pl_f8 lane_exp(pl_f8 y) {
  y = pl_f8_max(y, pl_f8_set1(-87.0f));
  // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
  pl_f8 shifted = y * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
  // ln 2 in two parts, the first with few digits, so that its product with n is exact.
  pl_f8 f = (y - n * 0.693145751953125f) - n * 1.42860677e-6f;
  pl_f8 series = f * 1.98412698e-4f + 1.38888889e-3f;
  series = series * f + 8.33333333e-3f;
  series = series * f + 4.16666667e-2f;
  series = series * f + 1.66666667e-1f;
  series = series * f + 0.5f;
  series = series * f + 1.0f;
  series = series * f + 1.0f;
  pl_m8 power = ((pl_m8)shifted - 0x4B400000 + 127) << 23;
  return series * (pl_f8)power;
}

enum { FLUSH_ROWS = 32, SUM_COUNT = PL_MOMENT_COUNT + 3 * PL_LOAD_COUNT };

// Lanes of a partial sum into the total. Partial sums are short, so that rounding stays that of single products.
PL_SIMD_INLINE void flush_sums(pl_f8 *partial, int32_t count, double *totals) {
  for (int32_t i = 0; i < count; ++i) {
    for (int lane = 0; lane < LANES; ++lane) totals[i] += (double)partial[i][lane];
    partial[i] = pl_f8_set1(0.0f);
  }
}

// Paper 003, eq. 3: the polynomials He to order 3, in the order of pl_moments; factors 1 / sqrt(n!) come in
// finish_sums().
PL_SIMD_INLINE void hermite(pl_f8 x, pl_f8 y, pl_f8 z, pl_f8 h[PL_MOMENT_COUNT]) {
  pl_f8 xx = x * x - 1.0f, yy = y * y - 1.0f, zz = z * z - 1.0f, xy = x * y;
  h[0] = pl_f8_set1(1.0f);
  h[1] = x, h[2] = y, h[3] = z;
  h[4] = xx, h[5] = xy, h[6] = x * z, h[7] = yy, h[8] = y * z, h[9] = zz;
  h[10] = x * (xx - 2.0f), h[11] = y * xx, h[12] = z * xx, h[13] = x * yy, h[14] = xy * z, h[15] = x * zz;
  h[16] = y * (yy - 2.0f), h[17] = z * yy, h[18] = y * zz, h[19] = z * (zz - 2.0f);
}

// (2 pi)^(-3/2) of the window (eq. 2) and 1 / sqrt(n!) of the polynomials (eq. 3).
static void finish_sums(const double *totals, bool with_field, pl_moments *sums, pl_moments *field_sums) {
  const double height = 0.063493635934240969785,
               factors[4] = {height, height, height * 0.70710678118654752440, height * 0.40824829046386301637};
  for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) {
    double factor = factors[pl_moment_order(i)];
    sums->values[i] = factor * totals[i];
    for (int32_t c = 0; with_field && c < 3; ++c)
      field_sums[c].values[i] = i < PL_LOAD_COUNT ? factor * totals[PL_MOMENT_COUNT + PL_LOAD_COUNT * c + i] : 0.0;
  }
}

// Paper 003, eqs. 7 and 8: sums over material points under the window; with a field, of the displacements too (§4.3).
static void sum(const pl_material_rows *rows, const float *field, const pl_window *window, pl_moments *sums,
                pl_moments *field_sums) {
  // Beyond 6.5 radii the weight is below 1e-9, less than single precision sees compared with the rest.
  const float reach = 42.0f;
  pl_vec3 center = pl_vec3_sub(window->center, rows->origin);
  float cx = (float)center.x, cy = (float)center.y, cz = (float)center.z, scale = (float)(1.0 / window->radius);
  double totals[SUM_COUNT] = {0};
  pl_f8 partial[SUM_COUNT];
  for (int32_t i = 0; i < SUM_COUNT; ++i) partial[i] = pl_f8_set1(0.0f);
  int32_t used = field == NULL ? PL_MOMENT_COUNT : SUM_COUNT, waiting = 0;
  for (int32_t row = 0; row < rows->row_count; ++row) {
    const float *position = rows->positions + PL_MATERIAL_LANES * (size_t)row;
    pl_f8 x = (pl_f8_load(position) - cx) * scale, y = (pl_f8_load(position + LANES) - cy) * scale,
          z = (pl_f8_load(position + 2 * LANES) - cz) * scale;
    pl_f8 squared = x * x + y * y + z * z;
    pl_m8 near = squared < reach;
    if (!pl_m8_any(near)) continue;
    pl_f8 weight = pl_f8_select(near, lane_exp(-0.5f * squared) * pl_f8_load(position + 3 * LANES), pl_f8_set1(0.0f));
    pl_f8 h[PL_MOMENT_COUNT];
    hermite(x, y, z, h);
    for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) partial[i] += h[i] * weight;
    for (int32_t c = 0; field != NULL && c < 3; ++c) {
      pl_f8 value = weight * pl_f8_load(field + VEC3_LANES * (size_t)row + LANES * c);
      for (int32_t i = 0; i < PL_LOAD_COUNT; ++i) partial[PL_MOMENT_COUNT + PL_LOAD_COUNT * c + i] += value * h[i];
    }
    if (++waiting < FLUSH_ROWS) continue;
    flush_sums(partial, used, totals);
    waiting = 0;
  }
  flush_sums(partial, used, totals);
  finish_sums(totals, field != NULL, sums, field_sums);
}

// Paper 003, eq. 9: squared distance of a run of numbers.
PL_SIMD_INLINE pl_f8 squared_distance(const float *k, const float *q, int32_t count) {
  pl_f8 first = pl_f8_set1(0.0f), second = first;
  int32_t i = 0;
  for (; i + 1 < count; i += 2) {
    pl_f8 a = pl_f8_load(k + LANES * (size_t)i) - q[i], b = pl_f8_load(k + LANES * (size_t)i + LANES) - q[i + 1];
    first += a * a;
    second += b * b;
  }
  if (i < count) {
    pl_f8 a = pl_f8_load(k + LANES * (size_t)i) - q[i];
    first += a * a;
  }
  return first + second;
}

// Paper 003, eq. 14: cosine of two loads, which are stored as unit vectors.
PL_SIMD_INLINE pl_f8 cosine(const float *k, const float *q, int32_t count) {
  pl_f8 first = pl_f8_set1(0.0f), second = first;
  int32_t i = 0;
  for (; i + 1 < count; i += 2) {
    first += pl_f8_load(k + LANES * (size_t)i) * q[i];
    second += pl_f8_load(k + LANES * (size_t)i + LANES) * q[i + 1];
  }
  if (i < count) first += pl_f8_load(k + LANES * (size_t)i) * q[i];
  return first + second;
}

// Paper 003, eq. 15: similarity of a key to all examples, less the floor.
static void correlate(const pl_key_rows *rows, const pl_key_kernel *kernel, const float *key, float *similarities) {
  int32_t site = rows->site_count, patch = rows->patch_count, load = rows->load_count, all = site + patch + load;
  float scale = 1.0f / (1.0f - kernel->floor);
  for (int32_t block = 0; block < rows->block_count; ++block) {
    const float *numbers = rows->numbers + LANES * (size_t)all * (size_t)block;
    pl_f8 exponent = squared_distance(numbers, key, site) * kernel->site;
    if (patch > 0) exponent += squared_distance(numbers + LANES * (size_t)site, key + site, patch) * kernel->patch;
    if (load > 0) {
      pl_f8 off = 1.0f - cosine(numbers + LANES * (size_t)(site + patch), key + site + patch, load);
      // A unit vector's square may round to more than 1.
      off = pl_f8_max(off, pl_f8_set1(0.0f));
      exponent += off * off * kernel->load;
    }
    pl_f8 similarity = (lane_exp(-exponent) - kernel->floor) * scale;
    pl_f8_store(similarities + LANES * (size_t)block, pl_f8_max(similarity, pl_f8_set1(0.0f)));
  }
  for (int32_t i = rows->count; i < LANES * rows->block_count; ++i) similarities[i] = 0;
}

PL_SIMD_INLINE pl_f8 along(const float axis[3], pl_f8 x, pl_f8 y, pl_f8 z) {
  return x * axis[0] + y * axis[1] + z * axis[2];
}

// Paper 003, eq. 1 and §4.4. A position in a stamp is the projection onto the tangent plane, moved along the surface's
// own normal by its depth below that plane: the side of a box then unfolds outward from its edge without any stretch, a
// wall that rises likewise, and with a third of it where the surface faces as the contact does a sphere keeps its
// distances to third order. The paper's orthogonal projection would lay all of a side onto one line.
static void locate(const pl_stamp_rows *rows, const pl_stamp_placement *placement, float *positions) {
  pl_f8 none = pl_f8_set1(0.0f), side = pl_f8_set1(2.0f * placement->half + 1.0f);
  for (int32_t row = 0; row < rows->row_count; ++row) {
    const float *numbers = rows->numbers + PL_STAMP_LANES * (size_t)row;
    float *to = positions + VEC3_LANES * (size_t)row;
    pl_f8 x = (pl_f8_load(numbers) - placement->center[0]) * placement->scale,
          y = (pl_f8_load(numbers + LANES) - placement->center[1]) * placement->scale,
          z = (pl_f8_load(numbers + 2 * LANES) - placement->center[2]) * placement->scale;
    pl_f8 nx = pl_f8_load(numbers + 3 * LANES), ny = pl_f8_load(numbers + 4 * LANES),
          nz = pl_f8_load(numbers + 5 * LANES);
    pl_f8 facing = along(placement->axes[2], nx, ny, nz),
          unfold = along(placement->axes[2], x, y, z) * (pl_f8_max(facing, none) * 0.66666667f - 1.0f);
    // The other side is seen through the object, straight along the normal.
    pl_m8 behind = facing < placement->turn;
    unfold = pl_f8_select(behind, none, unfold);
    pl_f8 u = along(placement->axes[0], x, y, z) + unfold * along(placement->axes[0], nx, ny, nz),
          v = along(placement->axes[1], x, y, z) + unfold * along(placement->axes[1], nx, ny, nz);
    pl_f8_store(to, (u + 1.0f) * placement->half);
    pl_f8_store(to + LANES, (v + 1.0f) * placement->half + pl_f8_select(behind, side, none));
    pl_f8_store(to + 2 * LANES, 1.0f - (u * u + v * v));
  }
}

// Paper 003, eq. 1: adds a stamp to surface points. Four samples a point, two neighbours in a row at a time. Where they
// are is found eight points at a time; the rest is bound by reading them.
static void stamp(const pl_stamp_points *points, const float *map, int32_t resolution, int32_t row_count, pl_vec3 *to) {
  size_t stride = 4 * (size_t)resolution;
  for (int32_t begin = 0; begin < points->count; begin += LANES) {
    const float *positions = points->positions + 3 * (size_t)begin;
    pl_f8 x = pl_f8_load(positions), y = pl_f8_load(positions + LANES), none = pl_f8_set1(0.0f),
          last_x = pl_f8_set1((float)(resolution - 2)), last_y = pl_f8_set1((float)(row_count - 2));
    // A position at the very rim may round to the last sample; those outside are not read.
    pl_m8 i = __builtin_convertvector(pl_f8_max(pl_f8_min(x, last_x), none), pl_m8),
          j = __builtin_convertvector(pl_f8_max(pl_f8_min(y, last_y), none), pl_m8), corner = j * resolution + i;
    x -= __builtin_convertvector(i, pl_f8);
    y -= __builtin_convertvector(j, pl_f8);
    int32_t lanes = points->count - begin < LANES ? points->count - begin : LANES;
    const int32_t *indices = points->points + begin;
    const float *fractions = points->fractions + begin;
    for (int32_t lane = 0; lane < lanes; ++lane) {
      if (!(positions[2 * LANES + lane] > 0)) continue;
      const float *row = map + 4 * (size_t)corner[lane];
      pl_f8 low = pl_f8_load_unaligned(row), high = pl_f8_load_unaligned(row + stride),
            pair = low + (high - low) * y[lane];
      pl_f4 left = __builtin_shufflevector(pair, pair, 0, 1, 2, 3),
            right = __builtin_shufflevector(pair, pair, 4, 5, 6, 7);
      pl_f4 off = (left + (right - left) * x[lane]) * fractions[lane];
      pl_vec3 *point = &to[indices[lane]];
      point->x += (double)off[0];
      point->y += (double)off[1];
      point->z += (double)off[2];
    }
  }
}

// Paper 003, eq. 16: one term of the blend of stamps. Bound by reading the column: several columns at a time are
// not faster.
static void add(int32_t count, float factor, const float *column, float *to) {
  int32_t i = 0;
  for (; i + LANES - 1 < count; i += LANES)
    pl_f8_store_unaligned(to + i, pl_f8_load_unaligned(to + i) + pl_f8_load_unaligned(column + i) * factor);
  for (; i < count; ++i) to[i] += column[i] * factor;
}

const pl_detail_kernels KERNELS = {sum, correlate, locate, stamp, add};
