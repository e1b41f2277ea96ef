// The inner loops of eight bodies of one model side by side; a part of solid_kernel.h, which includes it.
//
// Lane k of every row is body k. What bodies share is read once for all of them, and particles need no transposition
// but where they come from and go to the states. The sums are those of single bodies, number by number and in the same
// order, so a body gets the same bits either way. (Slots that repeat a region's own particle add zeros there; here they
// are left out.)

PL_SIMD_INLINE pl_f8 join_particles(pl_f4 first, pl_f4 second) {
#if PL_SIMD_IS_AVX
  return (pl_f8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)first), (__m128)second, 1);
#else
  return __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

// x, y and z of one particle of eight bodies.
PL_SIMD_INLINE void load_rows(const pl_f4 *const from[LANES], int32_t i, float *to) {
  pl_f8 pairs[4], rows[4];
  for (int k = 0; k < 4; ++k) pairs[k] = join_particles(from[k][i], from[k + 4][i]);
  rows_of_pairs(pairs, rows);
  for (int k = 0; k < 3; ++k) pl_f8_store(to + LANES * k, rows[k]);
}

PL_SIMD_INLINE void store_rows(const float *from, int32_t i, pl_f4 *const to[LANES]) {
  pl_f8 rows[3], pairs[4];
  for (int k = 0; k < 3; ++k) rows[k] = pl_f8_load(from + LANES * k);
  split_particles(rows, pairs);
  // Lanes that are not used write what the first one does.
  for (int k = 3; k >= 0; --k) {
    to[k + 4][i] = high(pairs[k]);
    to[k][i] = low(pairs[k]);
  }
}

static void load_many(const pl_solid_many *m) {
  const pl_f4 *positions[LANES], *velocities[LANES];
  for (int k = 0; k < LANES; ++k) positions[k] = m->starts[k].positions, velocities[k] = m->starts[k].velocities;
  for (int32_t i = 0; i < m->model->head.particle_count; ++i) {
    load_rows(positions, i, m->positions + VEC3_LANES * (size_t)i);
    load_rows(velocities, i, m->velocities + VEC3_LANES * (size_t)i);
  }
}

// As sum_moments(), of one region.
PL_SIMD_INLINE void sum_moments_of_many(const pl_solid_many *m, int32_t region, float *moments) {
  const pl_solid_model *model = m->model;
  const float *constants =
      model->region_constants + (size_t)(region / LANES) * PL_SOLID_CONSTANT_COUNT * LANES + (size_t)(region % LANES);
  // A padding region has no particles.
  const float *own = m->positions + VEC3_LANES * (size_t)(region < model->head.particle_count ? region : 0);
  pl_f8 zero = {0}, c[3] = {zero, zero, zero}, a[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
  for (int32_t e = model->region_start[region] + 1; e < model->region_start[region + 1]; ++e) {
    const float *p = m->positions + VEC3_LANES * (size_t)model->region_particles[e];
    const float *arm = (const float *)(const void *)&model->region_arms[e];
    for (int i = 0; i < 3; ++i) {
      pl_f8 mp = arm[3] * (pl_f8_load(p + LANES * i) - pl_f8_load(own + LANES * i));
      for (int j = 0; j < 3; ++j) a[3 * i + j] += mp * arm[j];
      c[i] += mp;
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      pl_f8 value = (a[3 * i + j] - c[i] * constants[LANES * (PL_SOLID_ARM + j)]) * constants[LANES * PL_SOLID_SCALE];
      if (i == j) value += constants[LANES * PL_SOLID_PADDING];
      pl_f8_store(moments + LANES * (PL_SOLID_MATRIX + 3 * i + j), value);
    }
    pl_f8_store(moments + LANES * (PL_SOLID_OFFSET + i), c[i] * constants[LANES * PL_SOLID_INVERSE_MASS]);
  }
}

// As write_poses(), of one region without examples.
PL_SIMD_INLINE void write_pose_of_many(const pl_solid_many *m, int32_t region, const float *moments,
                                       const float *rotation) {
  const float *constants = m->model->region_constants + (size_t)(region / LANES) * PL_SOLID_CONSTANT_COUNT * LANES +
                           (size_t)(region % LANES);
  const float *center = constants + LANES * PL_SOLID_CENTER, *position = m->positions + VEC3_LANES * (size_t)region;
  float stiffness = constants[LANES * PL_SOLID_STIFFNESS], *pose = m->poses + PL_SOLID_MANY_POSE * (size_t)region;
  pl_f8 r[9];
  pl_quat8_rows(rotation, r);
  for (int i = 0; i < 3; ++i, pose += 4 * LANES) {
    const pl_f8 *row = &r[3 * i];
    pl_f8 shift = pl_f8_load(moments + LANES * (PL_SOLID_OFFSET + i)) -
                  (row[0] * center[0] + row[1] * center[LANES] + row[2] * center[2 * LANES]);
    for (int j = 0; j < 3; ++j) pl_f8_store(pose + LANES * j, row[j] * stiffness);
    pl_f8_store(pose + LANES * 3, (shift + pl_f8_load(position + LANES * i)) * stiffness);
  }
}

// Rotations of a group of regions: [4][8] of each body, and [region][4][8] side by side.
PL_SIMD_INLINE void load_rotations(const pl_solid_many *m, int32_t group, float *to) {
  for (int i = 0; i < 4; ++i) {
    pl_f8 rows[LANES];
    for (int k = 0; k < LANES; ++k)
      rows[k] = pl_f8_load(m->starts[k].rotations + QUAT_LANES * (size_t)group + LANES * i);
    transpose8(rows);
    for (int k = 0; k < LANES; ++k) pl_f8_store(to + QUAT_LANES * k + LANES * i, rows[k]);
  }
}

PL_SIMD_INLINE void store_rotations(const pl_solid_many *m, int32_t group, const float *from) {
  for (int i = 0; i < 4; ++i) {
    pl_f8 rows[LANES];
    for (int k = 0; k < LANES; ++k) rows[k] = pl_f8_load(from + QUAT_LANES * k + LANES * i);
    transpose8(rows);
    for (int k = LANES - 1; k >= 0; --k)
      pl_f8_store(m->states[k].rotations + QUAT_LANES * (size_t)group + LANES * i, rows[k]);
  }
}

static void pose_many(const pl_solid_many *m) {
  enum { STRIDE = PL_SOLID_MOMENT_COUNT * LANES };
  _Alignas(64) float moments[LANES * STRIDE], rotations[LANES * QUAT_LANES];
  for (int32_t group = 0; group < m->model->group_count; ++group) {
    int32_t first = group * LANES, left = m->model->head.particle_count - first;
    load_rotations(m, group, rotations);
    for (int32_t k = 0; k < LANES; ++k) sum_moments_of_many(m, first + k, moments + STRIDE * k);
    pl_rotation_batch_many(moments, STRIDE, rotations, LANES);
    for (int32_t k = 0; k < LANES && k < left; ++k)
      write_pose_of_many(m, first + k, moments + STRIDE * k, rotations + QUAT_LANES * k);
    store_rotations(m, group, rotations);
  }
}

// The four rows that the poses of a region have of one coordinate, added up.
#if PL_SIMD_IS_AVX512
typedef float f16_unaligned __attribute__((vector_size(64), may_alias, aligned(4)));
typedef struct pose_sum {
  f16_unaligned pairs[2];
} pose_sum;
PL_SIMD_INLINE void add_pose(pose_sum *sum, const float *pose) {
  for (int j = 0; j < 2; ++j) sum->pairs[j] += *(const f16_unaligned *)(const void *)(pose + 2 * LANES * j);
}
PL_SIMD_INLINE pl_f8 row_of(const pose_sum *sum, int j) {
  __m512d pair = (__m512d)sum->pairs[j / 2];
  return (pl_f8)(j % 2 == 0 ? _mm512_castpd512_pd256(pair) : _mm512_extractf64x4_pd(pair, 1));
}
#else
typedef struct pose_sum {
  pl_f8 rows[4];
} pose_sum;
PL_SIMD_INLINE void add_pose(pose_sum *sum, const float *pose) {
  for (int j = 0; j < 4; ++j) sum->rows[j] += pl_f8_load(pose + LANES * j);
}
PL_SIMD_INLINE pl_f8 row_of(const pose_sum *sum, int j) {
  return sum->rows[j];
}
#endif

// Coordinates of which two sums each fit into the registers.
enum { GOAL_AXES = PL_SIMD_IS_AVX512 ? 3 : 1 };

// As mean_pose(), of the coordinates from `axis` on.
PL_SIMD_INLINE void mean_poses_of_many(const pl_solid_many *m, int32_t i, int axis, pl_f8 goal[GOAL_AXES]) {
  const pl_solid_model *model = m->model;
  const float *poses = m->poses + 4 * LANES * axis;
  const int32_t *regions = model->particle_regions;
  pose_sum a[GOAL_AXES] = {{{{0}}}}, b[GOAL_AXES] = {{{{0}}}};
  int32_t e = model->particle_start[i], last = model->particle_start[i + 1];
  for (; e + 1 < last; e += 2) {
    const float *first = poses + PL_SOLID_MANY_POSE * (size_t)regions[e];
    const float *second = poses + PL_SOLID_MANY_POSE * (size_t)regions[e + 1];
    for (int k = 0; k < GOAL_AXES; ++k) add_pose(&a[k], first + 4 * LANES * k);
    for (int k = 0; k < GOAL_AXES; ++k) add_pose(&b[k], second + 4 * LANES * k);
  }
  if (e < last) {
    const float *odd = poses + PL_SOLID_MANY_POSE * (size_t)regions[e];
    for (int k = 0; k < GOAL_AXES; ++k) add_pose(&a[k], odd + 4 * LANES * k);
  }
  const float *q = (const float *)(const void *)&model->rest[i];
  for (int k = 0; k < GOAL_AXES; ++k) {
    pl_f8 rows[4];
    for (int j = 0; j < 4; ++j) rows[j] = row_of(&a[k], j) + row_of(&b[k], j);
    goal[k] = (rows[0] * q[0] + rows[1] * q[1] + (rows[2] * q[2] + rows[3])) * model->region_fractions[i] -
              pl_f8_load(m->positions + VEC3_LANES * (size_t)i + LANES * (axis + k)) * model->stiffnesses[i];
  }
}

// Coordinates of four or eight bodies in double precision, one per lane of a register.
#if PL_SIMD_IS_AVX512
typedef double wide __attribute__((vector_size(64)));
typedef double wide_unaligned __attribute__((vector_size(64), may_alias, aligned(8)));
PL_SIMD_INLINE wide widen_part(pl_f8 a, int part) {
  (void)part;
  return (wide)_mm512_cvtps_pd((__m256)a);
}
#else
typedef pl_d4 wide;
typedef d4_unaligned wide_unaligned;
PL_SIMD_INLINE wide widen_part(pl_f8 a, int part) {
  return widen(part == 0 ? low(a) : high(a));
}
#endif
enum { WIDE_LANES = (int)(sizeof(wide) / sizeof(double)), WIDE_PARTS = LANES / WIDE_LANES };
typedef struct wide_vector {
  wide x, y, z;
} wide_vector;

PL_SIMD_INLINE wide_vector widen_rows(const pl_f8 a[3], int part) {
  return (wide_vector){widen_part(a[0], part), widen_part(a[1], part), widen_part(a[2], part)};
}

PL_SIMD_INLINE void add_wide(wide sums[3], wide x, wide y, wide z) {
  sums[0] += x;
  sums[1] += y;
  sums[2] += z;
}

PL_SIMD_INLINE void add_cross(wide sums[3], const wide_vector *a, const wide_vector *b) {
  add_wide(sums, a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z, a->x * b->y - a->y * b->x);
}

// The sums of pull_particles(), for one particle of these bodies.
PL_SIMD_INLINE void add_sums(wide sums[PL_SOLID_SUM_COUNT][3], wide_vector x, wide_vector way, wide_vector velocity,
                             double mass) {
  wide_vector g = {way.x * mass, way.y * mass, way.z * mass}, mx = {x.x * mass, x.y * mass, x.z * mass};
  wide_vector v = {velocity.x * mass, velocity.y * mass, velocity.z * mass};
  add_wide(sums[PL_SOLID_DRIFT], g.x, g.y, g.z);
  add_wide(sums[PL_SOLID_PULLS], g.x * way.x, g.y * way.y, g.z * way.z);
  add_cross(sums[PL_SOLID_TWIST], &x, &g);
  add_wide(sums[PL_SOLID_MOMENTUM], v.x, v.y, v.z);
  add_cross(sums[PL_SOLID_SPIN], &x, &v);
  add_wide(sums[PL_SOLID_MOMENT], mx.x, mx.y, mx.z);
  add_wide(sums[PL_SOLID_SQUARES], mx.x * x.x, mx.y * x.y, mx.z * x.z);
  add_wide(sums[PL_SOLID_PRODUCTS], mx.x * x.y, mx.y * x.z, mx.z * x.x);
}

static void pull_many(pl_solid_many *m) {
  wide sums[WIDE_PARTS][PL_SOLID_SUM_COUNT][3] = {{{{0}}}};
  for (int32_t i = 0; i < m->model->head.particle_count; ++i) {
    pl_f8 x[3], v[3], goal[3];
    for (int axis = 0; axis < 3; axis += GOAL_AXES) mean_poses_of_many(m, i, axis, &goal[axis]);
    for (int axis = 0; axis < 3; ++axis) {
      float *velocity = m->velocities + VEC3_LANES * (size_t)i + LANES * axis;
      x[axis] = pl_f8_load(m->positions + VEC3_LANES * (size_t)i + LANES * axis);
      v[axis] = pl_f8_load(velocity) + goal[axis] * m->alpha_over_step + pl_f8_load(m->gains + LANES * axis);
      pl_f8_store(velocity, v[axis]);
    }
    for (int k = 0; k < WIDE_PARTS; ++k)
      add_sums(sums[k], widen_rows(x, k), widen_rows(goal, k), widen_rows(v, k), m->model->masses[i]);
  }
  for (int k = 0; k < PL_SOLID_SUM_COUNT; ++k)
    for (int axis = 0; axis < 3; ++axis)
      for (int part = 0; part < WIDE_PARTS; ++part)
        *(wide_unaligned *)(void *)&m->sums[k][axis][WIDE_LANES * part] = sums[part][k][axis];
}

// The velocity with which a particle at `arm` moves when a body has `velocity` and turns.
PL_SIMD_INLINE void velocity_at(const pl_solid_many *m, int velocity, int turn, const pl_f8 arm[3], pl_f8 to[3]) {
  const float *v = m->motions[velocity][0], *w = m->motions[turn][0];
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    to[i] = pl_f8_load(v + LANES * i) + (pl_f8_load(w + LANES * j) * arm[k] - pl_f8_load(w + LANES * k) * arm[j]);
  }
}

// As drift_particles(); then the particles go to the states. A bit for each body: all its numbers are finite.
static int drift_many(const pl_solid_many *m) {
  pl_f4 *positions[LANES], *velocities[LANES];
  pl_f8 sum = {0};
  for (int k = 0; k < LANES; ++k) positions[k] = m->states[k].positions, velocities[k] = m->states[k].velocities;
  for (int32_t i = 0; i < m->model->head.particle_count; ++i) {
    float *position = m->positions + VEC3_LANES * (size_t)i, *velocity = m->velocities + VEC3_LANES * (size_t)i;
    pl_f8 arm[3], drift[3], rigid[3];
    for (int k = 0; k < 3; ++k)
      arm[k] = pl_f8_load(position + LANES * k) - pl_f8_load(m->motions[PL_SOLID_AT_CENTER][k]);
    velocity_at(m, PL_SOLID_DRIFTING, PL_SOLID_TWISTING, arm, drift);
    velocity_at(m, PL_SOLID_MOVING, PL_SOLID_TURNING, arm, rigid);
    for (int k = 0; k < 3; ++k) {
      pl_f8 v = pl_f8_load(velocity + LANES * k) - drift[k];
      v -= (v - rigid[k]) * m->damped_fraction;
      pl_f8 x = pl_f8_load(position + LANES * k) + v * m->step;
      pl_f8_store(velocity + LANES * k, v);
      pl_f8_store(position + LANES * k, x);
      sum += x * 0.0f + v * 0.0f;
    }
    store_rows(position, i, positions);
    store_rows(velocity, i, velocities);
  }
  return pl_m8_bits((pl_m8)(sum == 0.0f));
}
