// Particles four at a time; included by contact_particles.c and contact_particles_avx2.c with KERNELS set to the name
// of the table to define.
#include "contact/contact_particles.h"

typedef double d4 __attribute__((vector_size(32), may_alias));
typedef double d4_unaligned __attribute__((vector_size(32), may_alias, aligned(8)));
typedef int64_t m4 __attribute__((vector_size(32), may_alias));
enum { FOUR = 4 };

typedef struct vec3_four {
  d4 x, y, z;
} vec3_four;

PL_SIMD_INLINE d4 set_four(double a) {
  return (d4){a, a, a, a};
}

PL_SIMD_INLINE d4 select_four(m4 mask, d4 a, d4 b) {
  return (d4)((mask & (m4)a) | (~mask & (m4)b));
}

// From x0 y0 z0 x1 | y1 z1 x2 y2 | z2 x3 y3 z3.
PL_SIMD_INLINE vec3_four load_vectors(const pl_vec3 *from) {
  const double *p = &from->x;
  d4 a = *(const d4_unaligned *)p, b = *(const d4_unaligned *)(p + 4), c = *(const d4_unaligned *)(p + 8);
  d4 x = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 1, 6, 3), c, 0, 5, 2, 3);
  d4 y = __builtin_shufflevector(__builtin_shufflevector(a, b, 4, 1, 2, 7), c, 0, 1, 6, 3);
  d4 z = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 5, 2, 3), c, 4, 1, 2, 7);
  return (vec3_four){__builtin_shufflevector(x, x, 0, 3, 2, 1), __builtin_shufflevector(y, y, 1, 0, 3, 2),
                     __builtin_shufflevector(z, z, 2, 1, 0, 3)};
}

// x = x0 x3 x2 x1, y = y1 y0 y3 y2, z = z2 z1 z0 z3: then each row takes numbers where they are.
PL_SIMD_INLINE void store_vectors(pl_vec3 *to, vec3_four v) {
  d4 x = __builtin_shufflevector(v.x, v.x, 0, 3, 2, 1), y = __builtin_shufflevector(v.y, v.y, 1, 0, 3, 2);
  d4 z = __builtin_shufflevector(v.z, v.z, 2, 1, 0, 3);
  double *p = &to->x;
  *(d4_unaligned *)p = __builtin_shufflevector(__builtin_shufflevector(x, y, 0, 5, 2, 3), z, 0, 1, 6, 3);
  *(d4_unaligned *)(p + 4) = __builtin_shufflevector(__builtin_shufflevector(y, z, 0, 5, 2, 3), x, 0, 1, 6, 3);
  *(d4_unaligned *)(p + 8) = __builtin_shufflevector(__builtin_shufflevector(z, x, 0, 5, 2, 3), y, 0, 1, 6, 3);
}

// Four particles; of the last ones less, filled up with particles that are held.
typedef struct particle_four {
  vec3_four x, v;
  d4 inverse_masses;
  m4 is_free;
} particle_four;

PL_SIMD_INLINE particle_four make_four(const pl_vec3 *positions, const pl_vec3 *velocities, d4 inverse_masses) {
  return (particle_four){load_vectors(positions), load_vectors(velocities), inverse_masses, (m4)(inverse_masses > 0.0)};
}

PL_SIMD_INLINE particle_four load_four(const pl_particles *p, int32_t i) {
  if (i + FOUR <= p->count)
    return make_four(&p->positions[i], &p->velocities[i], *(const d4_unaligned *)&p->inverse_masses[i]);
  pl_vec3 x[FOUR], v[FOUR];
  d4 masses = set_four(0.0);
  for (int k = 0; k < FOUR; ++k) {
    int32_t from = i + k < p->count ? i + k : p->count - 1;
    x[k] = p->positions[from];
    v[k] = p->velocities[from];
    if (i + k < p->count) masses[k] = p->inverse_masses[from];
  }
  return make_four(x, v, masses);
}

PL_SIMD_INLINE void store_four(const pl_particles *p, int32_t i, vec3_four v) {
  if (i + FOUR <= p->count) {
    store_vectors(&p->velocities[i], v);
    return;
  }
  for (int k = 0; i + k < p->count; ++k) p->velocities[i + k] = pl_vec3_of(v.x[k], v.y[k], v.z[k]);
}

PL_SIMD_INLINE double sum_four(d4 a) {
  return a[0] + a[1] + (a[2] + a[3]);
}

PL_SIMD_INLINE vec3_four sub_four(vec3_four a, pl_vec3 b) {
  return (vec3_four){a.x - b.x, a.y - b.y, a.z - b.z};
}

static void sum_particles(const pl_particles *p, pl_particle_sums *sums) {
  d4 zero = set_four(0.0), mass = zero, energy = zero;
  vec3_four mx = {zero, zero, zero}, mv = mx, spin = mx, squares = mx, products = mx;
  m4 is_free = {-1, -1, -1, -1};
  for (int32_t i = 0; i < p->count; i += FOUR) {
    particle_four q = load_four(p, i);
    vec3_four x = sub_four(q.x, p->positions[0]), v = sub_four(q.v, p->velocities[0]);
    d4 m = select_four(q.is_free, 1.0 / q.inverse_masses, zero);
    // Lanes that are not used do not count as held.
    if (i + FOUR <= p->count) is_free &= q.is_free;
    for (int32_t k = i; k < p->count && i + FOUR > p->count; ++k)
      if (!(p->inverse_masses[k] > 0)) is_free = (m4){0, 0, 0, 0};
    vec3_four a = {m * x.x, m * x.y, m * x.z};
    mass += m;
    energy += m * (v.x * v.x + v.y * v.y + v.z * v.z);
    mx.x += a.x, mx.y += a.y, mx.z += a.z;
    mv.x += m * v.x, mv.y += m * v.y, mv.z += m * v.z;
    squares.x += a.x * x.x, squares.y += a.y * x.y, squares.z += a.z * x.z;
    products.x += a.x * x.y, products.y += a.y * x.z, products.z += a.z * x.x;
    spin.x += a.y * v.z - a.z * v.y, spin.y += a.z * v.x - a.x * v.z, spin.z += a.x * v.y - a.y * v.x;
  }
  *sums = (pl_particle_sums){
      .mass = sum_four(mass),
      .energy = sum_four(energy),
      .x = {sum_four(mx.x), sum_four(mx.y), sum_four(mx.z)},
      .v = {sum_four(mv.x), sum_four(mv.y), sum_four(mv.z)},
      .spin = {sum_four(spin.x), sum_four(spin.y), sum_four(spin.z)},
      .moments = {sum_four(squares.x), sum_four(squares.y), sum_four(squares.z), sum_four(products.x),
                  sum_four(products.y), sum_four(products.z)},
      .is_free = (is_free[0] & is_free[1] & is_free[2] & is_free[3]) != 0,
  };
}

PL_SIMD_INLINE vec3_four field_at(const pl_rigid_field *f, vec3_four positions) {
  vec3_four x = sub_four(positions, f->center);
  return (vec3_four){f->velocity.x + (f->spin.y * x.z - f->spin.z * x.y),
                     f->velocity.y + (f->spin.z * x.x - f->spin.x * x.z),
                     f->velocity.z + (f->spin.x * x.y - f->spin.y * x.x)};
}

PL_SIMD_INLINE d4 max_four(d4 a, d4 b) {
  return select_four((m4)(a > b), a, b);
}

PL_SIMD_INLINE double max_lane(d4 a) {
  double low = a[0] > a[1] ? a[0] : a[1], high = a[2] > a[3] ? a[2] : a[3];
  return low > high ? low : high;
}

PL_SIMD_INLINE vec3_four select_vectors(m4 mask, vec3_four a, vec3_four b) {
  return (vec3_four){select_four(mask, a.x, b.x), select_four(mask, a.y, b.y), select_four(mask, a.z, b.z)};
}

PL_SIMD_INLINE vec3_four add_vectors(vec3_four a, vec3_four b) {
  return (vec3_four){a.x + b.x, a.y + b.y, a.z + b.z};
}

// v - r of four particles; `max` is the largest square so far.
PL_SIMD_INLINE vec3_four deviation_of(const particle_four *q, vec3_four r, d4 *max) {
  vec3_four d = {q->v.x - r.x, q->v.y - r.y, q->v.z - r.z};
  d4 square = d.x * d.x + d.y * d.y + d.z * d.z;
  *max = max_four(select_four(q->is_free, square, set_four(0.0)), *max);
  return d;
}

static double damp_particles(const pl_particles *p, const pl_rigid_field *field, double kept) {
  d4 max = set_four(0.0);
  for (int32_t i = 0; i < p->count; i += FOUR) {
    particle_four q = load_four(p, i);
    vec3_four r = field_at(field, q.x), d = deviation_of(&q, r, &max);
    vec3_four damped = {r.x + kept * d.x, r.y + kept * d.y, r.z + kept * d.z};
    store_four(p, i, select_vectors(q.is_free, damped, q.v));
  }
  return max_lane(max);
}

PL_SIMD_INLINE void add_four(const pl_particles *p, int32_t i, const pl_rigid_field *field, particle_four *q) {
  q->v = select_vectors(q->is_free, add_vectors(q->v, field_at(field, q->x)), q->v);
  store_four(p, i, q->v);
}

static void add_field(const pl_particles *p, const pl_rigid_field *field) {
  for (int32_t i = 0; i < p->count; i += FOUR) {
    particle_four q = load_four(p, i);
    add_four(p, i, field, &q);
  }
}

static double find_max_deviation(const pl_particles *p, const pl_rigid_field *change, const pl_rigid_field *field) {
  d4 max = set_four(0.0);
  for (int32_t i = 0; i < p->count; i += FOUR) {
    particle_four q = load_four(p, i);
    if (change != NULL) add_four(p, i, change, &q);
    deviation_of(&q, field_at(field, q.x), &max);
  }
  return max_lane(max);
}

static bool follow_particle(const pl_vec3 *velocity, const pl_vec3 *was, double step, pl_vec3 *position) {
  pl_vec3 change = pl_vec3_sub(*velocity, *was);
  if (change.x == 0 && change.y == 0 && change.z == 0) return false;
  *position = pl_vec3_add_scaled(*position, change, step);
  return true;
}

// Four vectors are twelve numbers in a row. Mostly all of them change; where not, each particle is looked at.
static bool follow_velocities(const pl_particles *p, const pl_vec3 *was, double step, pl_vec3 *positions) {
  bool differs = false;
  int32_t i = 0;
  for (; i + FOUR <= p->count; i += FOUR) {
    d4_unaligned *to = (d4_unaligned *)(void *)&positions[i].x;
    const d4_unaligned *v = (const d4_unaligned *)(const void *)&p->velocities[i].x;
    const d4_unaligned *before = (const d4_unaligned *)(const void *)&was[i].x;
    d4 a = v[0] - before[0], b = v[1] - before[1], c = v[2] - before[2];
    m4 all = (m4)(a != 0.0) & (m4)(b != 0.0) & (m4)(c != 0.0);
    if ((all[0] & all[1] & all[2] & all[3]) != 0) {
      to[0] += step * a, to[1] += step * b, to[2] += step * c;
      differs = true;
      continue;
    }
    for (int k = 0; k < FOUR; ++k)
      differs = follow_particle(&p->velocities[i + k], &was[i + k], step, &positions[i + k]) || differs;
  }
  for (; i < p->count; ++i) differs = follow_particle(&p->velocities[i], &was[i], step, &positions[i]) || differs;
  return differs;
}

const pl_particle_kernels KERNELS = {sum_particles, damp_particles, add_field, find_max_deviation, follow_velocities};
