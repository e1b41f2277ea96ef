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
  for (int k = 0; k < LANES; ++k) positions[k] = m->states[k].positions, velocities[k] = m->states[k].velocities;
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
      rows[k] = pl_f8_load(m->states[k].rotations + QUAT_LANES * (size_t)group + LANES * i);
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
  _Alignas(64) float moments[2 * STRIDE], rotations[LANES * QUAT_LANES];
  for (int32_t group = 0; group < m->model->group_count; ++group) {
    load_rotations(m, group, rotations);
    for (int32_t k = 0; k < LANES; k += 2) {
      float *rotation = rotations + QUAT_LANES * k;
      int32_t region = group * LANES + k;
      for (int32_t i = 0; i < 2; ++i) sum_moments_of_many(m, region + i, moments + STRIDE * i);
      pl_rotation_batch_two(moments, STRIDE, rotation);
      for (int32_t i = 0; i < 2 && region + i < m->model->head.particle_count; ++i)
        write_pose_of_many(m, region + i, moments + STRIDE * i, rotation + QUAT_LANES * i);
    }
    store_rotations(m, group, rotations);
  }
}

// As mean_pose(), of one coordinate.
PL_SIMD_INLINE pl_f8 mean_pose_of_many(const pl_solid_many *m, int32_t i, int axis) {
  const pl_solid_model *model = m->model;
  const float *poses = m->poses + 4 * LANES * axis;
  const int32_t *regions = model->particle_regions;
  pl_f8 zero = {0}, a[4] = {zero, zero, zero, zero}, b[4] = {zero, zero, zero, zero};
  int32_t e = model->particle_start[i], last = model->particle_start[i + 1];
  for (; e + 1 < last; e += 2) {
    const float *first = poses + PL_SOLID_MANY_POSE * (size_t)regions[e];
    const float *second = poses + PL_SOLID_MANY_POSE * (size_t)regions[e + 1];
    for (int j = 0; j < 4; ++j) a[j] += pl_f8_load(first + LANES * j);
    for (int j = 0; j < 4; ++j) b[j] += pl_f8_load(second + LANES * j);
  }
  const float *odd = poses + PL_SOLID_MANY_POSE * (size_t)regions[e < last ? e : e - 1];
  for (int j = 0; j < 4 && e < last; ++j) a[j] += pl_f8_load(odd + LANES * j);
  for (int j = 0; j < 4; ++j) a[j] += b[j];
  const float *q = (const float *)(const void *)&model->rest[i];
  return (a[0] * q[0] + a[1] * q[1] + (a[2] * q[2] + a[3])) * model->region_fractions[i] -
         pl_f8_load(m->positions + VEC3_LANES * (size_t)i + LANES * axis) * model->stiffnesses[i];
}

// Coordinates of four bodies in double precision.
typedef struct wide_vector {
  pl_d4 x, y, z;
} wide_vector;

PL_SIMD_INLINE wide_vector widen_rows(const pl_f8 a[3], int half) {
  return half == 0 ? (wide_vector){widen(low(a[0])), widen(low(a[1])), widen(low(a[2]))}
                   : (wide_vector){widen(high(a[0])), widen(high(a[1])), widen(high(a[2]))};
}

PL_SIMD_INLINE void add_wide(pl_d4 sums[3], pl_d4 x, pl_d4 y, pl_d4 z) {
  sums[0] += x;
  sums[1] += y;
  sums[2] += z;
}

PL_SIMD_INLINE void add_cross(pl_d4 sums[3], const wide_vector *a, const wide_vector *b) {
  add_wide(sums, a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z, a->x * b->y - a->y * b->x);
}

// The sums of pull_particles(), for one particle of four bodies.
PL_SIMD_INLINE void add_sums(pl_d4 sums[PL_SOLID_SUM_COUNT][3], wide_vector x, wide_vector way, wide_vector velocity,
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
  pl_d4 sums[2][PL_SOLID_SUM_COUNT][3] = {{{{0}}}};
  for (int32_t i = 0; i < m->model->head.particle_count; ++i) {
    pl_f8 x[3], v[3], goal[3];
    for (int axis = 0; axis < 3; ++axis) {
      float *velocity = m->velocities + VEC3_LANES * (size_t)i + LANES * axis;
      x[axis] = pl_f8_load(m->positions + VEC3_LANES * (size_t)i + LANES * axis);
      goal[axis] = mean_pose_of_many(m, i, axis);
      v[axis] = pl_f8_load(velocity) + goal[axis] * m->alpha_over_step + pl_f8_load(m->gains + LANES * axis);
      pl_f8_store(velocity, v[axis]);
    }
    for (int half = 0; half < 2; ++half)
      add_sums(sums[half], widen_rows(x, half), widen_rows(goal, half), widen_rows(v, half), m->model->masses[i]);
  }
  for (int k = 0; k < PL_SOLID_SUM_COUNT; ++k)
    for (int axis = 0; axis < 3; ++axis)
      for (int half = 0; half < 2; ++half) *(d4_unaligned *)(void *)&m->sums[k][axis][4 * half] = sums[half][k][axis];
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
