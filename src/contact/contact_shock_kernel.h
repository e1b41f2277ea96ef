// Edges of a surface, of one body or of several at a time; included with KERNEL_NAME and GROUP_KERNEL_NAME set to the
// functions to define.
//
// Bodies of one model have the same edges: eight bodies at a time need neither gathers nor blocks of edges that share
// no particle, and take half as long as one after the other. Of a single body two edges are damped at a time, each in
// one half of a register, where particles are as they are stored.
#include "contact/contact_shock.h"
#include "contact/vec3_lanes.h"

// Blocks of edges of which some are damped again in the later passes, at most.
enum { MAX_LIMITED = 64, PAIRS = LANES / 2 };

// Two edges that share no particle, one in each half of a register.
typedef struct shock_pair {
  pl_f8 edge;              // metres, and 0
  pl_f8 inverse_square;    // 1/m²
  pl_f8 first, second;     // what the particles of an edge take of its change: mass of the other over that of both
  pl_f4 *from[2], *to[2];  // their velocities
} shock_pair;

typedef struct shock_limits {
  pl_f8 rate, max_lost;
} shock_limits;

typedef double d4 __attribute__((vector_size(32)));

PL_SIMD_INLINE d4 load_vector(const pl_vec3 *a) {
  return (d4){a->x, a->y, a->z, 0};
}

PL_SIMD_INLINE pl_f4 to_single(d4 a) {
  return __builtin_convertvector(a, pl_f4);
}

// Of a body, with places of its particles `stride` apart.
static void load_particles(const pl_contact_body *body, const pl_shock_particles *p, int32_t stride) {
  d4 first_position = load_vector(&body->starts[0]), first_velocity = load_vector(&body->velocities[0]);
  int32_t count = body->surface->particle_count;
  for (int32_t i = 0; i < count; ++i) {
    pl_f4 position = to_single(load_vector(&body->starts[i]) - first_position);
    position[3] = (float)body->inverse_masses[i];
    p->positions[i * stride] = position;
    p->velocities[i * stride] = to_single(load_vector(&body->velocities[i]) - first_velocity);
  }
}

// What single precision does to velocities that were not damped is not written back; what it did to the momentum of
// all, which should not change, is taken from all of them.
static void add_changes(const pl_contact_body *body, const pl_f4 *velocities, int32_t stride) {
  d4 first = load_vector(&body->velocities[0]), momentum = {0, 0, 0, 0};
  double mass = 0;
  int32_t count = body->surface->particle_count;
  bool is_free = true;
  for (int32_t i = 0; i < count; ++i) {
    d4 v = load_vector(&body->velocities[i]);
    d4 change = __builtin_convertvector(velocities[i * stride] - to_single(v - first), d4);
    v += change;
    body->velocities[i] = pl_vec3_of(v[0], v[1], v[2]);
    is_free = is_free && body->inverse_masses[i] > 0;
    double m = 1 / body->inverse_masses[i];
    momentum += change * m;
    mass += m;
  }
  if (!is_free) return;
  momentum /= mass;
  pl_vec3 back = {-momentum[0], -momentum[1], -momentum[2]};
  for (int32_t i = 0; i < count; ++i) body->velocities[i] = pl_vec3_add(body->velocities[i], back);
}

// --- one body: two edges at a time

// The sum of each half, in all of its lanes.
PL_SIMD_INLINE pl_f8 sum_halves(pl_f8 a) {
  pl_f8 b = a + __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6);
  return b + __builtin_shufflevector(b, b, 2, 3, 0, 1, 6, 7, 4, 5);
}

PL_SIMD_INLINE void begin_pair(const pl_shock_particles *p, const int32_t *links, shock_pair *pair) {
  pl_f8 from = pair_at(p->positions, links[0], links[1]), to = pair_at(p->positions, links[LANES], links[LANES + 1]);
  pl_f8 edge = (pl_f8)((pl_m8)(to - from) & (pl_m8){-1, -1, -1, 0, -1, -1, -1, 0});
  pl_f8 square = sum_halves(edge * edge), sum = from + to, one = pl_f8_set1(1.0f);
  // One division for all: 1 and the two masses over the square and the sum of the masses.
  pl_f8 masses = __builtin_shufflevector(from, to, 2, 10, 3, 11, 6, 14, 7, 15);
  pl_f8 above = __builtin_shufflevector(one, masses, 0, 1, 10, 11, 4, 5, 14, 15);
  pl_f8 below = __builtin_shufflevector(square, sum, 0, 0, 11, 11, 4, 4, 15, 15);
  // Nothing is lost by an edge without length, or between particles that are held.
  pl_m8 is_positive = (pl_m8)(below > 0.0f);
  pl_m8 is_used = is_positive & __builtin_shufflevector(is_positive, is_positive, 2, 3, 0, 1, 6, 7, 4, 5);
  pl_f8 ratios = (pl_f8)(is_used & (pl_m8)(above / below));
  pair->edge = edge;
  pair->inverse_square = __builtin_shufflevector(ratios, ratios, 0, 0, 0, 0, 4, 4, 4, 4);
  pair->first = __builtin_shufflevector(ratios, ratios, 2, 2, 2, 2, 6, 6, 6, 6);
  pair->second = __builtin_shufflevector(ratios, ratios, 3, 3, 3, 3, 7, 7, 7, 7);
  for (int k = 0; k < 2; ++k) {
    pair->from[k] = &p->velocities[links[k]];
    pair->to[k] = &p->velocities[links[LANES + k]];
  }
}

PL_SIMD_INLINE pl_f8 load_two(pl_f4 *const from[2]) {
  return join_two(*from[0], *from[1]);
}

PL_SIMD_INLINE void store_two(pl_f4 *const to[2], pl_f8 a) {
  *to[0] = __builtin_shufflevector(a, a, 0, 1, 2, 3);
  *to[1] = __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

// Returns where more would be lost but for the limit.
PL_SIMD_INLINE pl_m8 damp_pair(const shock_limits *limits, const shock_pair *pair) {
  pl_f8 v = load_two(pair->from), w = load_two(pair->to);
  pl_f8 strain_rate = sum_halves((w - v) * pair->edge) * pair->inverse_square;
  pl_f8 damped = limits->rate * pl_f8_abs(strain_rate);
  pl_f8 change = pl_f8_min(damped, limits->max_lost) * strain_rate;
  store_two(pair->from, v + pair->edge * (change * pair->first));
  store_two(pair->to, w - pair->edge * (change * pair->second));
  return (pl_m8)(damped > limits->max_lost);
}

// Damp the edges of a block. Adds those that are limited to the list; returns how many pairs.
PL_SIMD_INLINE int32_t damp_block(const pl_shock_particles *p, const shock_limits *limits, const int32_t *links,
                                  int32_t none, shock_pair *limited) {
  int32_t count = 0;
  for (int k = 0; k < LANES && links[k] != none; k += 2) {
    shock_pair pair;
    begin_pair(p, &links[k], &pair);
    pl_m8 is_limited = damp_pair(limits, &pair);
    if (!pl_m8_any(is_limited)) continue;
    // The other edge of the two keeps its velocities in later passes.
    pair.first = (pl_f8)(is_limited & (pl_m8)pair.first);
    pair.second = (pl_f8)(is_limited & (pl_m8)pair.second);
    limited[count++] = pair;
  }
  return count;
}

static void damp_links(const pl_surface_tree *tree, const pl_shock_particles *particles, float rate, float max_lost) {
  shock_pair limited[PAIRS * (MAX_LIMITED + 1)];
  shock_limits limits = {pl_f8_set1(rate), pl_f8_set1(max_lost)};
  int32_t count = 0, none = tree->surface->particle_count;
  for (int32_t i = 0, blocks = 0; i < tree->link_block_count; ++i) {
    int32_t added = damp_block(particles, &limits, &tree->link_blocks[2 * LANES * (size_t)i], none, &limited[count]);
    if (added == 0 || blocks == MAX_LIMITED) continue;
    count += added;
    ++blocks;
  }
  for (int pass = 1; pass < PL_SHOCK_PASSES; ++pass)
    for (int32_t i = 0; i < count; ++i) damp_pair(&limits, &limited[i]);
}

void KERNEL_NAME(const pl_contact_body *body, const pl_surface_tree *tree, const pl_shock_particles *particles,
                 float rate) {
  int32_t none = body->surface->particle_count;
  load_particles(body, particles, 1);
  particles->positions[none] = particles->velocities[none] = (pl_f4){0.0f, 0.0f, 0.0f, 0.0f};
  damp_links(tree, particles, rate, 1.0f / (float)tree->max_links);
  add_changes(body, particles->velocities, 1);
}

// --- several bodies: one edge of each at a time

// Particles of the bodies of a group, side by side: as they are stored, or in rows of x, y, z and inverse masses.
typedef struct group_particles {
  _Alignas(32) pl_f4 positions[PL_SHOCK_SMALL][LANES];
  _Alignas(32) pl_f4 velocities[PL_SHOCK_SMALL][LANES];
} group_particles;

// An edge of all bodies of a group.
typedef struct group_link {
  pl_f8 inverse_square, first, second;  // as in shock_pair
  int32_t from, to;
} group_link;

PL_SIMD_INLINE float *rows_of(pl_f4 particle[LANES]) {
  return (float *)(void *)particle;
}

PL_SIMD_INLINE void turn_to_rows(pl_f4 particle[LANES]) {
  static const int32_t ORDER[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
  vec3_lanes rows;
  pl_f8 fourth = gather4(particle, ORDER, &rows);
  store3(rows_of(particle), rows);
  pl_f8_store(rows_of(particle) + 3 * LANES, fourth);
}

PL_SIMD_INLINE void turn_from_rows(pl_f4 particle[LANES]) {
  static const int32_t ORDER[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
  scatter3(particle, ORDER, load3(rows_of(particle)));
}

PL_SIMD_INLINE vec3_lanes group_edge(group_particles *p, const group_link *link) {
  return sub3(load3(rows_of(p->positions[link->to])), load3(rows_of(p->positions[link->from])));
}

PL_SIMD_INLINE void begin_link(group_particles *p, int32_t from, int32_t to, group_link *link) {
  link->from = from;
  link->to = to;
  pl_f8 mass_from = pl_f8_load(rows_of(p->positions[from]) + 3 * LANES);
  pl_f8 mass_to = pl_f8_load(rows_of(p->positions[to]) + 3 * LANES);
  vec3_lanes edge = group_edge(p, link);
  pl_f8 square = dot3(edge, edge), sum = mass_from + mass_to;
  pl_m8 is_used = (pl_m8)(square > 0.0f) & (pl_m8)(sum > 0.0f);
  link->inverse_square = (pl_f8)(is_used & (pl_m8)(1.0f / square));
  link->first = (pl_f8)(is_used & (pl_m8)(mass_from / sum));
  link->second = (pl_f8)(is_used & (pl_m8)(mass_to / sum));
}

// Returns where more would be lost but for the limit.
PL_SIMD_INLINE pl_m8 damp_link(group_particles *p, const shock_limits *limits, const group_link *link) {
  float *from = rows_of(p->velocities[link->from]), *to = rows_of(p->velocities[link->to]);
  vec3_lanes e = group_edge(p, link), v = load3(from), w = load3(to);
  pl_f8 strain_rate = dot3(sub3(w, v), e) * link->inverse_square, damped = limits->rate * pl_f8_abs(strain_rate);
  pl_f8 change = pl_f8_min(damped, limits->max_lost) * strain_rate;
  pl_f8 first = change * link->first, second = change * link->second;
  store3(from, (vec3_lanes){v.x + e.x * first, v.y + e.y * first, v.z + e.z * first});
  store3(to, (vec3_lanes){w.x - e.x * second, w.y - e.y * second, w.z - e.z * second});
  return (pl_m8)(damped > limits->max_lost);
}

static void damp_group_links(const pl_surface_tree *tree, group_particles *p, const shock_limits *limits) {
  group_link limited[PL_SHOCK_SMALL_BLOCKS * LANES + 1];
  int32_t count = 0, none = tree->surface->particle_count;
  for (int32_t i = 0; i < tree->link_block_count; ++i) {
    const int32_t *links = &tree->link_blocks[2 * LANES * (size_t)i];
    for (int k = 0; k < LANES && links[k] != none; ++k) {
      group_link *link = &limited[count];
      begin_link(p, links[k], links[LANES + k], link);
      pl_m8 is_limited = damp_link(p, limits, link);
      // The other bodies keep their velocities in later passes.
      link->first = (pl_f8)(is_limited & (pl_m8)link->first);
      link->second = (pl_f8)(is_limited & (pl_m8)link->second);
      count += pl_m8_any(is_limited);
    }
  }
  for (int pass = 1; pass < PL_SHOCK_PASSES; ++pass)
    for (int32_t i = 0; i < count; ++i) damp_link(p, limits, &limited[i]);
}

void GROUP_KERNEL_NAME(const pl_shock_group *group, float rate) {
  group_particles p;
  const pl_surface_tree *tree = group->tree;
  int32_t particle_count = tree->surface->particle_count;
  shock_limits limits = {pl_f8_set1(rate), pl_f8_set1(1.0f / (float)tree->max_links)};
  for (int k = 0; k < LANES; ++k) {
    // Lanes that are not used repeat a body.
    const pl_contact_body *body = group->bodies[k < group->count ? k : 0];
    load_particles(body, &(pl_shock_particles){&p.positions[0][k], &p.velocities[0][k]}, LANES);
  }
  for (int32_t i = 0; i < particle_count; ++i) {
    turn_to_rows(p.positions[i]);
    turn_to_rows(p.velocities[i]);
  }
  damp_group_links(tree, &p, &limits);
  for (int32_t i = 0; i < particle_count; ++i) turn_from_rows(p.velocities[i]);
  for (int k = 0; k < group->count; ++k) add_changes(group->bodies[k], &p.velocities[0][k], LANES);
}
