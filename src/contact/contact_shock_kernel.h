// Edges of a surface, eight at a time; included with KERNEL_NAME set to the function to define.
#include "contact/contact_shock.h"
#include "contact/vec3_lanes.h"

// Blocks that are damped again in the later passes, at most.
enum { MAX_LIMITED = 64 };

// The edges of a block.
typedef struct shock_block {
  const int32_t *links;
  vec3_lanes edge;
  pl_f8 inverse_square;  // 1/m²
  pl_f8 first, second;   // what the particles of an edge take of its change: mass of the other over that of both
  pl_m8 is_limited;      // more would be lost but for the limit
} shock_block;

PL_SIMD_INLINE void begin_block(const pl_shock_particles *p, const int32_t *links, shock_block *b) {
  vec3_lanes from, to;
  pl_f8 mass_from = gather4(p->positions, links, &from), mass_to = gather4(p->positions, links + LANES, &to);
  vec3_lanes edge = sub3(to, from);
  pl_f8 square = dot3(edge, edge), sum = mass_from + mass_to, zero = pl_f8_set1(0.0f);
  // Nothing is lost by an edge without length, or between particles that are held.
  pl_m8 is_used = (pl_m8)(square > 0.0f) & (pl_m8)(sum > 0.0f);
  b->links = links;
  b->edge = edge;
  b->inverse_square = pl_f8_select(is_used, 1.0f / square, zero);
  b->first = pl_f8_select(is_used, mass_from / sum, zero);
  b->second = pl_f8_select(is_used, mass_to / sum, zero);
}

// Damp the edges of a block; with `again`, those that were limited in the first pass.
PL_SIMD_INLINE void damp_block(const pl_shock_particles *p, float rate, float max_lost, bool again, shock_block *b) {
  vec3_lanes v = gather3(p->velocities, b->links), w = gather3(p->velocities, b->links + LANES);
  pl_f8 strain_rate = dot3(sub3(w, v), b->edge) * b->inverse_square, damped = rate * pl_f8_abs(strain_rate);
  pl_f8 change = pl_f8_min(damped, pl_f8_set1(max_lost)) * strain_rate;
  if (again)
    change = pl_f8_select(b->is_limited, change, pl_f8_set1(0.0f));
  else
    b->is_limited = (pl_m8)(damped > max_lost);
  pl_f8 first = change * b->first, second = change * b->second;
  vec3_lanes e = b->edge;
  scatter3(p->velocities, b->links, (vec3_lanes){v.x + e.x * first, v.y + e.y * first, v.z + e.z * first});
  scatter3(p->velocities, b->links + LANES, (vec3_lanes){w.x - e.x * second, w.y - e.y * second, w.z - e.z * second});
}

typedef double d4 __attribute__((vector_size(32)));

// a - b in single precision.
PL_SIMD_INLINE pl_f4 sub_single(const pl_vec3 *a, const pl_vec3 *b) {
  return __builtin_convertvector((d4){a->x, a->y, a->z, 0} - (d4){b->x, b->y, b->z, 0}, pl_f4);
}

static void load_particles(const pl_contact_body *body, const pl_shock_particles *p) {
  int32_t count = body->surface->particle_count;
  for (int32_t i = 0; i < count; ++i) {
    pl_f4 position = sub_single(&body->starts[i], &body->starts[0]);
    position[3] = (float)body->inverse_masses[i];
    p->positions[i] = position;
    p->velocities[i] = sub_single(&body->velocities[i], &body->velocities[0]);
  }
  p->positions[count] = p->velocities[count] = (pl_f4){0.0f, 0.0f, 0.0f, 0.0f};
}

// What single precision does to velocities that were not damped is not written back; what it did to the momentum of
// all, which should not change, is taken from all of them.
static void add_changes(const pl_contact_body *body, const pl_shock_particles *p) {
  pl_vec3 first = body->velocities[0];
  d4 momentum = {0, 0, 0, 0};
  double mass = 0;
  bool is_free = true;
  for (int32_t i = 0; i < body->surface->particle_count; ++i) {
    pl_vec3 *v = &body->velocities[i];
    d4 change = __builtin_convertvector(p->velocities[i] - sub_single(v, &first), d4);
    *v = pl_vec3_of(v->x + change[0], v->y + change[1], v->z + change[2]);
    is_free = is_free && body->inverse_masses[i] > 0;
    double m = 1 / body->inverse_masses[i];
    momentum += change * m;
    mass += m;
  }
  if (!is_free) return;
  momentum /= mass;
  pl_vec3 back = {-momentum[0], -momentum[1], -momentum[2]};
  for (int32_t i = 0; i < body->surface->particle_count; ++i)
    body->velocities[i] = pl_vec3_add(body->velocities[i], back);
}

static void damp_links(const pl_surface_tree *tree, const pl_shock_particles *particles, float rate, float max_lost) {
  shock_block limited[MAX_LIMITED + 1];
  int32_t count = 0;
  for (int32_t i = 0; i < tree->link_block_count; ++i) {
    shock_block *b = &limited[count];
    begin_block(particles, &tree->link_blocks[2 * LANES * (size_t)i], b);
    damp_block(particles, rate, max_lost, false, b);
    if (pl_m8_any(b->is_limited) && count < MAX_LIMITED) ++count;
  }
  for (int pass = 1; pass < PL_SHOCK_PASSES; ++pass)
    for (int32_t k = 0; k < count; ++k) damp_block(particles, rate, max_lost, true, &limited[k]);
}

void KERNEL_NAME(const pl_contact_body *body, const pl_surface_tree *tree, const pl_shock_particles *particles,
                 float rate) {
  load_particles(body, particles);
  damp_links(tree, particles, rate, 1.0f / (float)tree->max_links);
  add_changes(body, particles);
}
