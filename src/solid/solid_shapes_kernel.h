// The inner loops of regions with exact shapes of the examples; a part of solid_kernel.h, which
// includes it.
//
// A group is worked on in two steps. sum_shapes() loads the particles of its slots and the blended
// shapes, which stay at hand in `arms`, and sums Σ m p tᵀ. Once the rotations are known,
// find_shape_pulls() or write_goals() goes over the arms again. Groups of more than
// PL_SOLID_SLOT_CHUNK slots load them twice.

// The shapes of the examples in use, from a slot on, and their weights. Returns how many there are.
PL_SIMD_INLINE int list_used(const pl_solid_shape *shape, int32_t first, const float **shapes, const float **weights) {
  const pl_solid_examples *examples = &shape->model->examples;
  int32_t begin = examples->active_start[shape->group], count = examples->active_start[shape->group + 1] - begin;
  const float *d = examples->templates + examples->template_start[shape->group] + (size_t)(first * count) * VEC3_LANES;
  int used_count = 0;
  for (int32_t k = 0; k < count; ++k) {
    int32_t example = examples->actives[begin + k];
    if (!(shape->used >> example & 1)) continue;
    shapes[used_count] = d + (size_t)k * VEC3_LANES;
    weights[used_count++] = shape->weights + LANES * example;
  }
  return used_count;
}

// p, t = q + Σ w_k d_k and m of `count` slots, row by row; p from the central particle, q from the
// region's centre. `used_count` is a constant where it is small, so that the weights stay in
// registers.
PL_SIMD_INLINE void load_arms_of(const pl_solid_shape *shape, const float *const *shapes, const float *const *weights,
                                 int used_count, int32_t first, int32_t count) {
  enum { MAX_KEPT = 4 };
  const pl_solid_model *model = shape->model;
  const int32_t *active_start = model->examples.active_start + shape->group;
  const int32_t *offsets = model->slot_offsets + (size_t)model->slot_start[shape->group] * LANES;
  const pl_f4 *positions = shape->positions;
  size_t start = (size_t)(model->slot_start[shape->group] + first);
  const float *rests = model->examples.slot_rests + start * VEC3_LANES,
              *masses = model->examples.slot_masses + start * LANES;
  size_t stride = (size_t)(active_start[1] - active_start[0]) * VEC3_LANES, at = 0;
  const float *d[MAX_KEPT] = {NULL};
  pl_f8 x_r[4], w[MAX_KEPT] = {{0}};
  float *arms = shape->arms;
  gather_particles(positions, offsets, x_r);
  for (int k = 0; k < used_count && k < MAX_KEPT; ++k) {
    w[k] = pl_f8_load(weights[k]);
    d[k] = shapes[k];
  }
  offsets += LANES * (size_t)first;
  for (int32_t s = 0; s < count; ++s, arms += PL_SOLID_ARM_ROWS * LANES, offsets += LANES, at += stride) {
    pl_f8 p[4];
    gather_particles(positions, offsets, p);
    for (int i = 0; i < 3; ++i) {
      pl_f8 t = pl_f8_load(rests + LANES * i);
      for (int k = 0; k < used_count && k < MAX_KEPT; ++k) t += w[k] * pl_f8_load(d[k] + at + LANES * i);
      for (int k = MAX_KEPT; k < used_count; ++k) t += pl_f8_load(weights[k]) * pl_f8_load(shapes[k] + at + LANES * i);
      pl_f8_store(arms + LANES * i, p[i] - x_r[i]);
      pl_f8_store(arms + LANES * (3 + i), t);
    }
    pl_f8_store(arms + LANES * 6, pl_f8_load(masses));
    rests += VEC3_LANES;
    masses += LANES;
  }
}

static void load_arms(const pl_solid_shape *shape, int32_t first, int32_t count) {
  const float *shapes[PL_MAX_EXAMPLE_COUNT], *weights[PL_MAX_EXAMPLE_COUNT];
  int used_count = list_used(shape, first, shapes, weights);
  switch (used_count) {
    case 0: load_arms_of(shape, shapes, weights, 0, first, count); break;
    case 1: load_arms_of(shape, shapes, weights, 1, first, count); break;
    case 2: load_arms_of(shape, shapes, weights, 2, first, count); break;
    case 3: load_arms_of(shape, shapes, weights, 3, first, count); break;
    case 4: load_arms_of(shape, shapes, weights, 4, first, count); break;
    default: load_arms_of(shape, shapes, weights, used_count, first, count); break;
  }
}

PL_SIMD_INLINE int32_t slot_count_of(const pl_solid_shape *shape) {
  return shape->model->slot_start[shape->group + 1] - shape->model->slot_start[shape->group];
}

PL_SIMD_INLINE int32_t chunk_size(int32_t slot_count, int32_t first) {
  return slot_count - first < PL_SOLID_SLOT_CHUNK ? slot_count - first : PL_SOLID_SLOT_CHUNK;
}

// Paper 000, eq. 1, left factor, with the blended shape t of each region in place of the rest: Σ m
// p tᵀ, and Σ m p. As in sum_moments p is taken from the central particle, for the sum of m t is
// zero.
static void sum_shapes(const pl_solid_shape *shape, float *moments) {
  const float *constants = shape->model->region_constants + (size_t)shape->group * PL_SOLID_CONSTANT_COUNT * LANES;
  pl_f8 a[9] = {{0}}, c[3] = {{0}};
  int32_t slot_count = slot_count_of(shape);
  fetch_positions(shape->positions, shape->group);
  for (int32_t first = 0; first < slot_count; first += PL_SOLID_SLOT_CHUNK) {
    int32_t count = chunk_size(slot_count, first);
    load_arms(shape, first, count);
    // The very first slot holds the regions' own particles, where p is zero.
    int32_t begin = first == 0;
    const float *arm = shape->arms + begin * PL_SOLID_ARM_ROWS * LANES;
    for (int32_t s = begin; s < count; ++s, arm += PL_SOLID_ARM_ROWS * LANES) {
      pl_f8 t0 = pl_f8_load(arm + 3 * LANES), t1 = pl_f8_load(arm + 4 * LANES), t2 = pl_f8_load(arm + 5 * LANES);
      for (int i = 0; i < 3; ++i) {
        pl_f8 mp = pl_f8_load(arm + 6 * LANES) * pl_f8_load(arm + LANES * i);
        a[3 * i] += mp * t0;
        a[3 * i + 1] += mp * t1;
        a[3 * i + 2] += mp * t2;
        c[i] += mp;
      }
    }
  }
  pl_f8 scale = pl_f8_load(constants + LANES * PL_SOLID_SCALE),
        inverse_mass = pl_f8_load(constants + LANES * PL_SOLID_INVERSE_MASS);
  for (int i = 0; i < 9; ++i) {
    pl_f8 value = a[i] * scale;
    if (i % 4 == 0) value += pl_f8_load(constants + LANES * PL_SOLID_PADDING);
    pl_f8_store(moments + LANES * (PL_SOLID_MATRIX + i), value);
  }
  for (int i = 0; i < 3; ++i) pl_f8_store(moments + LANES * (PL_SOLID_OFFSET + i), c[i] * inverse_mass);
}

// pulls += Σ m (Rᵀ p)·d over the slots at hand, for up to four examples whose shapes begin at `d`
// and are `stride` apart from slot to slot.
PL_SIMD_INLINE void add_dots(const pl_solid_shape *shape, const pl_f8 r[9], int32_t slot_count, const float *d,
                             int example_count, float *const pulls[4]) {
  const int32_t *active_start = shape->model->examples.active_start + shape->group;
  size_t stride = (size_t)(active_start[1] - active_start[0]) * VEC3_LANES;
  const float *arm = shape->arms;
  pl_f8 sums[4] = {{0}};
  for (int32_t s = 0; s < slot_count; ++s, arm += PL_SOLID_ARM_ROWS * LANES, d += stride) {
    pl_f8 x = pl_f8_load(arm), y = pl_f8_load(arm + LANES), z = pl_f8_load(arm + 2 * LANES);
    pl_f8 m = pl_f8_load(arm + 6 * LANES), u[3];
    for (int i = 0; i < 3; ++i) u[i] = m * (r[i] * x + r[3 + i] * y + r[6 + i] * z);
    for (int k = 0; k < example_count; ++k) {
      const float *e = d + VEC3_LANES * k;
      sums[k] += u[0] * pl_f8_load(e) + u[1] * pl_f8_load(e + LANES) + u[2] * pl_f8_load(e + 2 * LANES);
    }
  }
  for (int k = 0; k < example_count; ++k) pl_f8_store(pulls[k], pl_f8_load(pulls[k]) + sums[k]);
}

// pulls = (pulls scale - Σ m q·d_k) weight, for the active examples.
PL_SIMD_INLINE void finish_pulls(const pl_solid_shape *shape, const float *weight, float *pulls) {
  const pl_solid_examples *examples = &shape->model->examples;
  const float *constants = shape->model->region_constants + (size_t)shape->group * PL_SOLID_CONSTANT_COUNT * LANES;
  int32_t begin = examples->active_start[shape->group], end = examples->active_start[shape->group + 1];
  pl_f8 scale = pl_f8_load(constants + LANES * PL_SOLID_SCALE), region_weight = pl_f8_load(weight);
  for (int32_t k = begin; k < end; ++k) {
    float *pull = pulls + LANES * examples->actives[k];
    pl_f8 product = pl_f8_load(examples->template_products + LANES * (size_t)k);
    pl_f8_store(pull, (pl_f8_load(pull) * scale - product) * region_weight);
  }
}

// Where the pulls of up to four active examples from the k-th on go.
PL_SIMD_INLINE int32_t list_pulls(const pl_solid_shape *shape, int32_t k, float *pulls, float *to[4]) {
  const pl_solid_examples *examples = &shape->model->examples;
  int32_t begin = examples->active_start[shape->group], left = examples->active_start[shape->group + 1] - begin - k;
  for (int32_t i = 0; i < 4; ++i) to[i] = pulls + LANES * examples->actives[begin + (i < left ? k + i : k)];
  return left < 4 ? left : 4;
}

// Paper 000, eq. 6, with exact shapes: Σ m p·R d_k - Σ m q·d_k, minus the derivative of the energy
// by the weight of an example, at weight 0.
static void find_shape_pulls(const pl_solid_shape *shape, const float *rotation, const float *weight, float *pulls) {
  const pl_solid_examples *examples = &shape->model->examples;
  const float *d = examples->templates + examples->template_start[shape->group];
  int32_t active_count = examples->active_start[shape->group + 1] - examples->active_start[shape->group];
  int32_t slot_count = slot_count_of(shape);
  pl_f8 r[9], zero = {0};
  pl_quat8_rows(rotation, r);
  for (int32_t k = 0; k < examples->count; ++k) pl_f8_store(pulls + LANES * k, zero);
  for (int32_t first = 0; first < slot_count; first += PL_SOLID_SLOT_CHUNK) {
    int32_t count = chunk_size(slot_count, first);
    if (slot_count > PL_SOLID_SLOT_CHUNK) load_arms(shape, first, count);
    for (int32_t k = 0; k < active_count; k += 4) {
      const float *from = d + (size_t)(first * active_count + k) * VEC3_LANES;
      float *to[4];
      switch (list_pulls(shape, k, pulls, to)) {
        case 1: add_dots(shape, r, count, from, 1, to); break;
        case 2: add_dots(shape, r, count, from, 2, to); break;
        case 3: add_dots(shape, r, count, from, 3, to); break;
        default: add_dots(shape, r, count, from, 4, to); break;
      }
    }
  }
  finish_pulls(shape, weight, pulls);
}

// As add_dots(), with the particles themselves instead of arms, and for all slots. The first one holds the regions' own
// particles, where p is zero.
PL_SIMD_INLINE void find_dots(const pl_solid_shape *shape, const pl_f8 r[9], const float *d, int example_count,
                              float *const pulls[4]) {
  const pl_solid_model *model = shape->model;
  const int32_t *active_start = model->examples.active_start + shape->group;
  size_t stride = (size_t)(active_start[1] - active_start[0]) * VEC3_LANES,
         first = (size_t)model->slot_start[shape->group] * LANES;
  const int32_t *offsets = model->slot_offsets + first;
  const float *masses = model->examples.slot_masses + first;
  int32_t slot_count = slot_count_of(shape);
  pl_f8 sums[4] = {{0}}, x_r[4];
  gather_particles(shape->positions, offsets, x_r);
  for (int32_t s = 1; s < slot_count; ++s) {
    pl_f8 p[4], u[3];
    offsets += LANES;
    masses += LANES;
    d += stride;
    gather_particles(shape->positions, offsets, p);
    pl_f8 x = p[0] - x_r[0], y = p[1] - x_r[1], z = p[2] - x_r[2], m = pl_f8_load(masses);
    for (int i = 0; i < 3; ++i) u[i] = m * (r[i] * x + r[3 + i] * y + r[6 + i] * z);
    for (int k = 0; k < example_count; ++k) {
      const float *e = d + VEC3_LANES * k;
      sums[k] += u[0] * pl_f8_load(e) + u[1] * pl_f8_load(e + LANES) + u[2] * pl_f8_load(e + 2 * LANES);
    }
  }
  for (int k = 0; k < example_count; ++k) pl_f8_store(pulls[k], sums[k]);
}

// The same pulls for rotations that are known before: nothing but the positions is loaded.
static void find_known_pulls(const pl_solid_shape *shape, const float *rotation, const float *weight, float *pulls) {
  const pl_solid_examples *examples = &shape->model->examples;
  const float *d = examples->templates + examples->template_start[shape->group];
  int32_t active_count = examples->active_start[shape->group + 1] - examples->active_start[shape->group];
  pl_f8 r[9], zero = {0};
  pl_quat8_rows(rotation, r);
  fetch_positions(shape->positions, shape->group);
  for (int32_t k = 0; k < examples->count; ++k) pl_f8_store(pulls + LANES * k, zero);
  for (int32_t k = 0; k < active_count; k += 4) {
    const float *from = d + (size_t)k * VEC3_LANES;
    float *to[4];
    switch (list_pulls(shape, k, pulls, to)) {
      case 1: find_dots(shape, r, from, 1, to); break;
      case 2: find_dots(shape, r, from, 2, to); break;
      case 3: find_dots(shape, r, from, 3, to); break;
      default: find_dots(shape, r, from, 4, to); break;
    }
  }
  finish_pulls(shape, weight, pulls);
}

// Paper 000, eq. 3, with exact shapes: what every region wants of each of its particles, R t + c -
// x, times its stiffness, as (x, y, z, 0) in the order of pl_solid_goal_lane(). All of it is taken from the
// region's own particle: differences of neighbours are small, and float keeps them to a billionth
// of the body's size, where goals in its frame would tremble by a ten-millionth and shake it.
static void write_goals(const pl_solid_shape *shape, const float *moments, const float *rotation, pl_f4 *goals) {
  const pl_solid_model *model = shape->model;
  const float *constants = model->region_constants + (size_t)shape->group * PL_SOLID_CONSTANT_COUNT * LANES;
  float *to = (float *)(goals + (size_t)model->slot_start[shape->group] * LANES);
  pl_f8 r[9], c[3], stiffness = pl_f8_load(constants + LANES * PL_SOLID_STIFFNESS);
  int32_t slot_count = slot_count_of(shape);
  pl_quat8_rows(rotation, r);
  for (int i = 0; i < 9; ++i) r[i] *= stiffness;
  for (int i = 0; i < 3; ++i) c[i] = pl_f8_load(moments + LANES * (PL_SOLID_OFFSET + i)) * stiffness;
  for (int32_t first = 0; first < slot_count; first += PL_SOLID_SLOT_CHUNK) {
    int32_t count = chunk_size(slot_count, first);
    if (slot_count > PL_SOLID_SLOT_CHUNK) load_arms(shape, first, count);
    const float *arm = shape->arms;
    for (int32_t s = 0; s < count; ++s, arm += PL_SOLID_ARM_ROWS * LANES, to += 4 * LANES) {
      pl_f8 t0 = pl_f8_load(arm + 3 * LANES), t1 = pl_f8_load(arm + 4 * LANES), t2 = pl_f8_load(arm + 5 * LANES), g[3];
      for (int i = 0; i < 3; ++i)
        g[i] = r[3 * i] * t0 + r[3 * i + 1] * t1 + r[3 * i + 2] * t2 + (c[i] - stiffness * pl_f8_load(arm + LANES * i));
      pl_f8 pairs[4];
      split_particles(g, pairs);
      for (int i = 0; i < 4; ++i) put(to + LANES * i, pairs[i], model->streams);
    }
  }
}
