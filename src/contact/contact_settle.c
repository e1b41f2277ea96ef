// Points that end a step inside another soft body, put back on its surface.
//
// In a heap that is too large for all edges to be searched (contact_zones.c) sweeps leave points deep in other bodies:
// few sweeps do not agree, the bodies behind the points are as soft as jelly, and a row holds its point in front of one
// plane, where the surface around is dented. What one step leaves is overlap that the next ones push out slowly, and
// bodies were pressed into each other by centimetres.
//
// So the rows of two soft bodies are looked at once more, after the sweeps and where all particles are now. From the
// triangle that a row holds on to it is a short walk over neighbours to the triangle nearest to its point x, and to the
// place y = sum w_k y_k on it. A point that is inside by more than a tolerance goes there, and the triangle comes to
// meet it, by what their masses m say,
//
//   x += D / m,   y_k -= w_k D / m_k,   D = (y - x) / (1 / m + sum w_k^2 / m_k)
//
// and an impulse along D takes the speed at which the two still close. Momentum is kept. The impulse acts at one place,
// where the two have met; D brings in angular momentum D × v, v being the velocity of x relative to y, which both
// bodies give back as wholes, half each.
//
// Which rows have such a point is asked of four side by side, of the triangle and of those across its sides
// (contact_settle_kernel.h); few do. Pairs are visited in the order of sweeps, once: each finds what those before it
// have moved. A second pass takes as long as the first one and finds little more; most of the remainder has no row,
// since it came in after the last search, and the next one finds it.
#include "contact/contact_settle.h"

#include "base/parallel.h"
#include "contact/contact_damping.h"
#include "contact/contact_particles.h"
#include "contact/contact_soft_rows.h"
#include "contact/contact_solver.h"
#include "mesh/simplex.h"
#include "pliant/math.h"

// Points may be inside by this fraction of the gap that the two bodies keep: what rests is left alone.
static const double TOLERANCE = 0.25;
// Triangles walked over at most.
enum { WALK = 4, BODY_GRAIN = 16 };

typedef struct settling {
  pl_contact_memory *memory;
  pl_contact_body *bodies;
  const pl_soft_kernels *kernels;
} settling;

// A surface where its particles are now.
typedef struct settled_surface {
  const pl_surface_tree *tree;
  const pl_tet_map *map;
  const pl_vec3 *positions;
} settled_surface;

// The place on it that is nearest to a point.
typedef struct nearest_place {
  int32_t triangle;
  pl_vec3 position;
  double weights[3];
  double square;  // of the distance, m²
} nearest_place;

static void corners_of(const settled_surface *s, int32_t triangle, pl_vec3 c[3]) {
  const int32_t *particles = &s->map->triangle_particles[3 * (size_t)triangle];
  for (int k = 0; k < 3; ++k) c[k] = s->positions[particles[k]];
}

static pl_vec3 normal_of(const settled_surface *s, int32_t triangle) {
  pl_vec3 c[3];
  corners_of(s, triangle, c);
  return pl_triangle_normal(c[0], c[1], c[2]);
}

// Take a triangle if it is nearer; no part of it is nearer than its plane.
static bool try_triangle(const settled_surface *s, int32_t triangle, pl_vec3 point, nearest_place *nearest) {
  pl_vec3 c[3];
  double weights[3];
  corners_of(s, triangle, c);
  pl_vec3 area = pl_vec3_cross(pl_vec3_sub(c[1], c[0]), pl_vec3_sub(c[2], c[0]));
  double height = pl_vec3_dot(area, pl_vec3_sub(point, c[0]));
  if (!(height * height < nearest->square * pl_vec3_dot(area, area))) return false;
  pl_vec3 position = pl_triangle_nearest(c[0], c[1], c[2], point, weights), away = pl_vec3_sub(point, position);
  double square = pl_vec3_dot(away, away);
  if (!(square < nearest->square)) return false;
  *nearest = (nearest_place){triangle, position, {weights[0], weights[1], weights[2]}, square};
  return true;
}

static int32_t beyond(const pl_surface_tree *tree, int32_t triangle, int side) {
  const int32_t *triangles = tree->edges[tree->triangle_edges[3 * triangle + side]].triangles;
  return triangles[triangles[0] == triangle];
}

// From a triangle to the neighbour that is nearest, as long as one is nearer.
static nearest_place find_nearest(const settled_surface *s, int32_t triangle, pl_vec3 point) {
  nearest_place nearest = {.triangle = -1, .square = HUGE_VAL};
  if (!try_triangle(s, triangle, point, &nearest)) return nearest;
  for (int32_t i = 0, before = -1; i < WALK; ++i) {
    int32_t from = nearest.triangle;
    for (int k = 0; k < 3; ++k) {
      int32_t next = beyond(s->tree, from, k);
      if (next >= 0 && next != before) try_triangle(s, next, point, &nearest);
    }
    if (nearest.triangle == from) break;
    before = from;
  }
  return nearest;
}

// Outward at a corner: normals weighted by angle tell inside from outside (Baerentzen and Aanaes 2005).
static pl_vec3 outward_at_corner(const settled_surface *s, int32_t point) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t r = s->tree->ring_start[point]; r < s->tree->ring_start[point + 1]; ++r) {
    const int32_t *triangle = &s->tree->surface->triangles[3 * (size_t)s->tree->ring[r]];
    int k = triangle[0] == point ? 0 : triangle[1] == point ? 1 : 2;
    pl_vec3 c[3];
    corners_of(s, s->tree->ring[r], c);
    pl_vec3 a = pl_vec3_sub(c[(k + 1) % 3], c[k]), b = pl_vec3_sub(c[(k + 2) % 3], c[k]);
    double angle = atan2(pl_vec3_length(pl_vec3_cross(a, b)), pl_vec3_dot(a, b));
    sum = pl_vec3_add_scaled(sum, pl_triangle_normal(c[0], c[1], c[2]), angle);
  }
  return sum;
}

// Outward at a place, not unit.
static pl_vec3 outward_of(const settled_surface *s, const nearest_place *place) {
  const int32_t *points = &s->tree->surface->triangles[3 * (size_t)place->triangle];
  for (int k = 0; k < 3; ++k)
    if (place->weights[k] == 1) return outward_at_corner(s, points[k]);
  pl_vec3 normal = normal_of(s, place->triangle);
  for (int k = 0; k < 3; ++k) {
    // The side opposite to corner k goes from the next corner on.
    int32_t other = place->weights[k] == 0 ? beyond(s->tree, place->triangle, (k + 1) % 3) : -1;
    if (other >= 0) return pl_vec3_add(normal, normal_of(s, other));
  }
  return normal;
}

// A point and the triangle that it is in front of.
typedef struct settled_pair {
  pl_contact_body *own, *other;
  int32_t particle;
  const int32_t *corners;
  const double *weights;
  double answer;  // 1/kg: how the gap answers to an impulse
} settled_pair;

static double answer_of(const settled_pair *p) {
  double answer = p->own->inverse_masses[p->particle];
  for (int k = 0; k < 3; ++k) answer += p->weights[k] * p->weights[k] * p->other->inverse_masses[p->corners[k]];
  return answer;
}

// What a push adds to positions, or an impulse to velocities.
static void push(const settled_pair *p, pl_vec3 *own, pl_vec3 *other, pl_vec3 push) {
  own[p->particle] = pl_vec3_add_scaled(own[p->particle], push, p->own->inverse_masses[p->particle]);
  for (int k = 0; k < 3; ++k)
    other[p->corners[k]] =
        pl_vec3_add_scaled(other[p->corners[k]], push, -p->weights[k] * p->other->inverse_masses[p->corners[k]]);
}

static pl_vec3 gap_velocity(const settled_pair *p) {
  pl_vec3 velocity = p->own->velocities[p->particle];
  for (int k = 0; k < 3; ++k)
    velocity = pl_vec3_add_scaled(velocity, p->other->velocities[p->corners[k]], -p->weights[k]);
  return velocity;
}

// The point goes this way, or the triangle the other way. Returns the angular momentum that comes in.
static pl_vec3 part(const settled_pair *p, pl_vec3 way, pl_soft_note *note) {
  double length = pl_vec3_length(way);
  pl_vec3 normal = pl_vec3_scale(way, 1 / length), velocity = gap_velocity(p);
  pl_vec3 displacement = pl_vec3_scale(way, 1 / p->answer);
  push(p, p->own->positions, p->other->positions, displacement);
  double speed = pl_vec3_dot(normal, velocity);
  if (speed < 0) {
    push(p, p->own->velocities, p->other->velocities, pl_vec3_scale(normal, -speed / p->answer));
    note->rest_impulse += (float)(-speed / p->answer);
  }
  p->own->moved = p->other->moved = true;
  return pl_vec3_cross(displacement, velocity);
}

// What a row that may have a point inside is in front of now.
static void settle_row(const settling *s, const pl_soft_side *side, int32_t number, double tolerance) {
  pl_contact_body *own = &s->bodies[side->own], *other = &s->bodies[side->other];
  settled_surface surface = {s->memory->motions[side->other].tree, other->surface->tet_map, other->positions};
  int32_t particle = s->memory->soft_rows[number].particles[0];
  pl_vec3 point = own->positions[particle];
  nearest_place place = find_nearest(&surface, pl_contact_spot_triangle(s->memory->soft_notes[number].spot), point);
  if (!(place.square > tolerance * tolerance) || place.triangle < 0) return;
  pl_vec3 way = pl_vec3_sub(place.position, point);
  if (!(pl_vec3_dot(outward_of(&surface, &place), way) > 0)) return;
  settled_pair pair = {.own = own,
                       .other = other,
                       .particle = particle,
                       .corners = &surface.map->triangle_particles[3 * (size_t)place.triangle],
                       .weights = place.weights};
  pair.answer = answer_of(&pair);
  if (!(pair.answer > 0)) return;
  pl_vec3 spin = part(&pair, way, &s->memory->soft_notes[number]);
  pl_vec3 *spins = s->memory->zones.spins;
  spins[side->own] = pl_vec3_add_scaled(spins[side->own], spin, 0.5);
  spins[side->other] = pl_vec3_add_scaled(spins[side->other], spin, 0.5);
}

static void settle_pair(const settling *s, const pl_contact_pair *pair) {
  const pl_contact_memory *memory = s->memory;
  pl_soft_side sides[2] = {pl_soft_side_of(pair, 0), pl_soft_side_of(pair, 1)};
  pl_soft_screen screen = {.rows = &memory->soft_rows[pair->first_row], .notes = &memory->soft_notes[pair->first_row]};
  screen.tolerance = TOLERANCE * (s->bodies[pair->a].radius + s->bodies[pair->b].radius);
  for (int k = 0; k < 2; ++k) {
    const pl_contact_body *own = &s->bodies[sides[k].own], *other = &s->bodies[sides[k].other];
    screen.sides[k] = (pl_soft_screen_side){sides[k].end - sides[k].first, own->positions, other->positions,
                                            other->surface->tet_map->around};
  }
  int32_t count = screen.sides[0].count + screen.sides[1].count;
  for (int32_t first = 0; first < count; first += PL_SOFT_SCREENED) {
    int32_t end = first + PL_SOFT_SCREENED < count ? first + PL_SOFT_SCREENED : count;
    for (uint64_t bits = s->kernels->screen(&screen, first, end); bits != 0; bits &= bits - 1) {
      int32_t row = first + __builtin_ctzll(bits);
      settle_row(s, &sides[row >= screen.sides[0].count], pair->first_row + row, screen.tolerance);
    }
  }
}

// What the look at a pair reads, ahead of it.
static void fetch_pair(const settling *s, const pl_contact_pair *pair) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    const pl_contact_body *own = &s->bodies[side.own], *other = &s->bodies[side.other];
    for (int32_t i = side.first; i < side.end; ++i) {
      const pl_soft_row *row = &s->memory->soft_rows[i];
      __builtin_prefetch(&s->memory->soft_notes[i]);
      __builtin_prefetch(&own->positions[row->particles[0]]);
      for (int c = 1; c < 4; ++c) __builtin_prefetch(&other->positions[row->particles[c]]);
    }
  }
}

static void settle_pairs(void *data, const pl_contact_pair *pairs, int32_t count) {
  const settling *s = data;
  for (const pl_contact_pair *pair = pairs; pair < pairs + count; ++pair) {
    if (pair + 1 < pairs + count && pair[1].axis >= 0) fetch_pair(s, pair + 1);
    if (pair->axis >= 0) settle_pair(s, pair);
  }
}

// What came in goes back, from a body as a whole. One that a pin holds keeps it.
static void take_back_spin(const pl_contact_body *body, pl_vec3 spin) {
  pl_contact_whole whole;
  if (!(pl_vec3_dot(spin, spin) > 0)) return;
  if (!pl_contact_find_whole(body, body->positions, &whole) || !whole.is_free) return;
  pl_vec3 turn = pl_mat3_apply(whole.motion.inverse_inertia, pl_vec3_scale(spin, -1));
  pl_particles particles = {body->surface->particle_count, body->positions, body->velocities, body->inverse_masses};
  pl_rigid_field field = {whole.motion.center, {0, 0, 0}, turn};
  pl_particle_kernels_get()->add(&particles, &field);
}

static void take_back_spins(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const settling *s = data;
  for (int32_t b = begin; b < end; ++b) {
    take_back_spin(&s->bodies[b], s->memory->zones.spins[b]);
    s->memory->zones.spins[b] = (pl_vec3){0, 0, 0};
  }
}

void pl_contact_settle(pl_contact_solver *solver, pl_contact_body *bodies) {
  pl_contact_memory *memory = &solver->memory;
  if (memory->soft_pair_count == 0 || memory->has_no_settle) return;
  settling s = {memory, bodies, pl_soft_kernels_get()};
  pl_contact_plan_visit(solver->context, &memory->plan, settle_pairs, &s);
  pl_parallel_for(solver->context, memory->body_count, BODY_GRAIN, take_back_spins, &s);
}
